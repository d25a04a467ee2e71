/* audit.c - the operator's log: see audit.h. */
#include "study/audit.h"

#include "base/error.h"
#include "base/json.h"
#include "base/memory.h"

#include <inttypes.h>
#include <sodium.h>
#include <stdio.h>
#include <string.h>

#define HEAD   "audit"
#define PREFIX "audit."

enum { ATTEMPTS = 64, CHANGES_MOST = 16, WORD = sizeof PREFIX - 1, KEY = WORD + 8 };

static const char zeros[] = "0000000000000000000000000000000000000000000000000000000000000000";

/* ---- records ---- */

static void entry_key(uint64_t seq, uint8_t out[KEY])
{
    memcpy(out, PREFIX, WORD);
    for (int i = 0; i < 8; i++)
        out[WORD + i] = (uint8_t)(seq >> (56 - 8 * i));
}

static tc_record head_record(void)
{
    return (tc_record){.kind = TC_RECORD_SERVER, .key = HEAD, .key_size = sizeof HEAD - 1};
}

static tacit_status damaged(const char *what, tacit_error *err)
{
    return tc_fail(err, TACIT_E_CORRUPT, "the storage is damaged: %s of the operator's log", what);
}

static bool read_head(const json_t *j, tc_audit_head *out)
{
    int64_t seq;
    const char *hash = json_string_value(json_object_get(j, "hash"));
    if (!tc_json_whole(json_object_get(j, "seq"), &seq) || seq < 0 || !hash ||
        strlen(hash) != sizeof zeros - 1)
        return false;
    out->seq = (uint64_t)seq;
    memcpy(out->hash, hash, sizeof zeros);
    return true;
}

tacit_status tc_audit_head_get(tc_store *s, tc_audit_head *out, tacit_error *err)
{
    tc_record which = head_record(), got;
    json_t *j;
    *out = (tc_audit_head){.seq = 0};
    memcpy(out->hash, zeros, sizeof zeros);
    TC_TRY(tc_store_record_find(s, &which, &got, err));
    if (got.version == 0)
        return TACIT_OK;
    out->version = got.version;
    tacit_status status = tc_json_parse(got.value, got.size, "record", &j, err);
    tc_free((void *)got.value);
    if (status == TACIT_E_MEMORY)
        return status;
    bool whole = status == TACIT_OK && read_head(j, out);
    if (status == TACIT_OK)
        json_decref(j);
    return whole ? TACIT_OK : damaged("the head", err);
}

/* ---- hashing ---- */

/* An entry without its hash, keys in the order of the alphabet. NULL: no memory, or a member that is missing. */
static json_t *plain_json(const json_t *e)
{
    static const char *const keys[] = {"action",   "at_ms", "detail", "name",  "of",   "outcome",
                                       "previous", "role",  "seq",    "study", "token"};
    json_t *j = json_object();
    for (size_t i = 0; j && i < sizeof keys / sizeof *keys; i++) {
        json_t *value = json_object_get(e, keys[i]);
        if (!value || json_object_set(j, keys[i], value) != 0) {
            json_decref(j);
            return NULL;
        }
    }
    return j;
}

static void hash_text(const char *text, char out[TC_AUDIT_HEX])
{
    uint8_t hash[TC_LEDGER_HASH_BYTES];
    crypto_generichash(hash, sizeof hash, (const uint8_t *)text, strlen(text), NULL, 0);
    sodium_bin2hex(out, TC_AUDIT_HEX, hash, sizeof hash);
}

tacit_status tc_audit_follow(tc_audit_head *at, const json_t *entry, tacit_error *err)
{
    uint64_t seq = at->seq + 1;
    char hash[TC_AUDIT_HEX] = "";
    const char *previous = json_string_value(json_object_get(entry, "previous"));
    const char *said = json_string_value(json_object_get(entry, "hash"));
    int64_t number;
    json_t *plain = plain_json(entry);
    char *text = plain ? tc_json_text(plain) : NULL;
    json_decref(plain);
    if (text)
        hash_text(text, hash);
    tc_free(text);
    if (!tc_json_whole(json_object_get(entry, "seq"), &number) || (uint64_t)number != seq)
        return tc_fail(err, TACIT_E_CORRUPT,
                       "the operator's log is not whole: entry %" PRIu64 " is missing", seq);
    if (!previous || strcmp(previous, at->hash) != 0)
        return tc_fail(err, TACIT_E_CORRUPT,
                       "the operator's log is not whole: entry %" PRIu64
                       " does not follow the one before it",
                       seq);
    if (!said || !*hash || strcmp(said, hash) != 0) /* without one: a member is missing */
        return tc_fail(err, TACIT_E_CORRUPT,
                       "the operator's log is not whole: entry %" PRIu64 " does not match its hash",
                       seq);
    at->seq = seq;
    memcpy(at->hash, hash, sizeof hash);
    return TACIT_OK;
}

/* ---- appending ---- */

/* The records of one more entry. */
typedef struct addition {
    uint8_t key[KEY];
    char *entry, *head; /* owned */
} addition;

static void addition_fini(addition *a)
{
    tc_free(a->entry);
    tc_free(a->head);
    *a = (addition){.entry = NULL};
}

static char *head_text(uint64_t seq, const char *hash)
{
    json_t *j = json_pack("{s:s, s:I}", "hash", hash, "seq", (json_int_t)seq);
    char *text = tc_json_text(j);
    json_decref(j);
    return text;
}

static tacit_status make(addition *a, const tc_audit_head *at, const tc_audit_entry *e,
                         tacit_error *err)
{
    char hash[TC_AUDIT_HEX];
    json_t *j =
        json_pack("{s:s, s:I, s:s, s:s, s:s, s:s, s:s, s:s, s:I, s:s, s:s}", "action", e->action,
                  "at_ms", (json_int_t)e->at_ms, "detail", e->detail, "name", e->name, "of", e->of,
                  "outcome", e->outcome, "previous", at->hash, "role", e->role, "seq",
                  (json_int_t)(at->seq + 1), "study", e->study, "token", e->token);
    char *plain = tc_json_text(j);
    if (plain)
        hash_text(plain, hash);
    tc_free(plain);
    if (plain && json_object_set_new(j, "hash", json_string(hash)) == 0) {
        a->entry = tc_json_text(j);
        a->head = head_text(at->seq + 1, hash);
    }
    json_decref(j);
    entry_key(at->seq + 1, a->key);
    return a->entry && a->head ? TACIT_OK : tc_fail_memory(err);
}

static void put_changes(const addition *a, const tc_audit_head *at, tc_change out[2])
{
    out[0] = (tc_change){TC_INSERT,
                         {.kind = TC_RECORD_SERVER,
                          .key = a->key,
                          .key_size = KEY,
                          .value = a->entry,
                          .size = strlen(a->entry)}};
    out[1] = (tc_change){at->version > 0 ? TC_REPLACE : TC_INSERT, head_record()};
    out[1].record.value = a->head;
    out[1].record.size = strlen(a->head);
    out[1].record.version = at->version;
}

/* After what is there now. */
static tacit_status try_change(tc_store *s, const tc_change *changes, size_t n,
                               const tc_audit_entry *entry, size_t *refused, tacit_error *err)
{
    tc_change all[CHANGES_MOST + 2];
    tc_audit_head at;
    addition a = {.entry = NULL};
    TC_TRY(tc_audit_head_get(s, &at, err));
    tacit_status status = make(&a, &at, entry, err);
    if (status == TACIT_OK) {
        if (n > 0)
            memcpy(all, changes, n * sizeof *changes);
        put_changes(&a, &at, all + n);
        status = tc_store_change(s, all, n + 2, refused, err);
    }
    addition_fini(&a);
    return status;
}

tacit_status tc_audit_change(tc_store *s, const tc_change *changes, size_t n,
                             const tc_audit_entry *entry, size_t *refused, tacit_error *err)
{
    tacit_status status = TACIT_E_CONFLICT;
    tacit_error why = {0};
    size_t which = n;
    if (n > CHANGES_MOST)
        return tc_fail(err, TACIT_E_INTERNAL, "too many changes at once");
    for (int i = 0; status == TACIT_E_CONFLICT && which >= n && i < ATTEMPTS; i++) {
        which = n;
        status = try_change(s, changes, n, entry, &which, &why);
    }
    if (status == TACIT_E_CONFLICT && which >= n)
        return tc_fail(err, TACIT_E_BUSY, "too many changes are logged at the same moment");
    if (refused)
        *refused = which;
    return tc_pass_on(err, status, &why);
}

/* ---- reading ---- */

typedef struct reading {
    tc_audit_visit visit;
    void *user;
} reading;

static tacit_status read_entry(void *user, const tc_record *r, tacit_error *err)
{
    const reading *x = user;
    json_t *j;
    tacit_status status = tc_json_parse(r->value, r->size, "record", &j, err);
    if (status == TACIT_E_ARG)
        return damaged("an entry", err);
    TC_TRY(status);
    status = x->visit(x->user, j, err);
    json_decref(j);
    return status;
}

tacit_status tc_audit_scan(tc_store *s, uint64_t after, uint64_t most, tc_audit_visit visit,
                           void *user, tacit_error *err)
{
    uint8_t key[KEY];
    reading x = {visit, user};
    entry_key(after, key);
    tc_record_range range = {.kind = TC_RECORD_SERVER,
                             .prefix = PREFIX,
                             .prefix_size = WORD,
                             .after = key,
                             .after_size = KEY,
                             .most = most};
    return tc_store_record_scan(s, &range, read_entry, &x, err);
}
