/* idempotency.c - the same request under the same Idempotency-Key: the same answer, made once.
 *
 * A record says which request a key belongs to, before the request is carried out, and gets its answer
 * afterwards. Who asks again gets that answer; another request under the same key is refused. If there
 * is a record without an answer, the first attempt is under way or its process died: then nobody can
 * say what came of it, unless the route's handler may be asked twice by itself (tc_route.again).
 *
 * The store keeps only hashes of tokens, and answers may hold tokens: so an answer is sealed with a key
 * that follows from the bearer's token and the idempotency key, which the store does not have.
 *
 *   "k" hash(owner, key)               request hash (32) | time (8) | nothing, or nonce (24) and box
 *   "t" time (8) hash(owner, key)      part of the owner (16): by time, to find the old ones
 *   "n" part of ... hash(owner, key)   empty: by owner, to count them
 *
 * The owner is the token's hash; of those who enrol with one join token, a hash of it and of the public key:
 * each of them has keys and a count of its own.
 *
 * The request's hash is also of the study that it is about: one that is made again under the same name is
 * another one, and of one that is gone nothing is answered again.
 *
 * Called by coord.c around a handler, and by the tick. */
#include "coord/coord_int.h"
#include "coord/request.h"

#include "base/error.h"
#include "base/log.h"
#include "base/memory.h"
#include "wire/signature.h"

#include <sodium.h>
#include <string.h>

enum {
    KEY_MOST = 64,
    HEAD = TC_LEDGER_HASH_BYTES + 8,
    NONCE = crypto_secretbox_NONCEBYTES,
    BOX = NONCE + crypto_secretbox_MACBYTES,
    PLAIN = 2, /* before the body: the status */
    ATTEMPTS = 4,
    OWNER = 16,       /* bytes of an owner's hash */
    KEPT_MOST = 1000, /* answers for one owner */
    SWEPT_AT_ONCE = 128
};
#define KEEP_MS        (INT64_C(24) * 3600 * 1000)
#define SWEEP_EVERY_MS (INT64_C(60) * 1000)

/* ---- keys and hashes ---- */

static bool key_allowed(const char *key)
{
    size_t n = strlen(key);
    for (size_t i = 0; i < n; i++)
        if (key[i] < 0x20 || key[i] > 0x7e)
            return false;
    return n >= 1 && n <= KEY_MOST;
}

static void hash_text(crypto_generichash_state *h, const char *text)
{
    crypto_generichash_update(h, (const uint8_t *)text, strlen(text) + 1);
}

/* of: the study that it is about, or NULL. */
static tacit_hash hash_request(const tc_request *q, const tacit_hash *of)
{
    crypto_generichash_state h;
    tacit_hash out;
    crypto_generichash_init(&h, NULL, 0, sizeof out.bytes);
    hash_text(&h, q->method);
    hash_text(&h, q->path);
    if (of)
        crypto_generichash_update(&h, of->bytes, sizeof of->bytes);
    if (q->n_body > 0)
        crypto_generichash_update(&h, q->body, q->n_body);
    crypto_generichash_final(&h, out.bytes, sizeof out.bytes);
    return out;
}

/* hash(first, key): where an answer is, and what seals it. */
static tacit_hash hash_key(const void *first, size_t n, const char *key)
{
    crypto_generichash_state h;
    tacit_hash out;
    crypto_generichash_init(&h, NULL, 0, sizeof out.bytes);
    crypto_generichash_update(&h, first, n);
    hash_text(&h, key);
    crypto_generichash_final(&h, out.bytes, sizeof out.bytes);
    return out;
}

static tc_key answer_key(const tacit_hash *h)
{
    tc_key k = {.bytes = "k", .n = 1};
    memcpy(k.bytes + k.n, h->bytes, sizeof h->bytes);
    k.n += sizeof h->bytes;
    return k;
}

static tc_key time_key(int64_t ms, const tacit_hash *h)
{
    tc_key k = {.bytes = "t", .n = 1}, number = tc_key_number((uint64_t)ms);
    memcpy(k.bytes + k.n, number.bytes, number.n);
    memcpy(k.bytes + k.n + number.n, h->bytes, sizeof h->bytes);
    k.n += number.n + sizeof h->bytes;
    return k;
}

static tc_key owner_key(const uint8_t owner[OWNER], const tacit_hash *h)
{
    tc_key k = {.bytes = "n", .n = 1 + OWNER + sizeof h->bytes};
    memcpy(k.bytes + 1, owner, OWNER);
    memcpy(k.bytes + 1 + OWNER, h->bytes, sizeof h->bytes);
    return k;
}

/* ---- sealing ---- */

/* The nonce follows from the text: one key may seal two answers, if a handler was asked twice. */
static uint8_t *seal(const tacit_hash *key, const tc_response *r, size_t *n)
{
    size_t plain = PLAIN + r->body.len;
    uint8_t *out = tc_alloc(HEAD + BOX + plain, 1), *box = out ? out + HEAD + NONCE : NULL;
    if (!out)
        return NULL;
    uint8_t *text = box + crypto_secretbox_MACBYTES;
    text[0] = (uint8_t)(r->status >> 8);
    text[1] = (uint8_t)r->status;
    memcpy(text + PLAIN, tc_text_get(&r->body), r->body.len);
    crypto_generichash(out + HEAD, NONCE, text, plain, key->bytes, sizeof key->bytes);
    crypto_secretbox_easy(box, text, plain, out + HEAD, key->bytes);
    *n = HEAD + BOX + plain;
    return out;
}

static bool unseal(const tacit_hash *key, const uint8_t *sealed, size_t n, tc_response *out)
{
    size_t plain = n - BOX;
    uint8_t *text = n >= BOX + PLAIN ? tc_alloc(plain, 1) : NULL;
    bool ok = text &&
              crypto_secretbox_open_easy(text, sealed + NONCE, n - NONCE, sealed, key->bytes) == 0;
    if (ok) {
        out->status = text[0] << 8 | text[1];
        out->content_type = "application/json";
        out->replayed = true;
        tc_text_add_bytes(&out->body, text + PLAIN, plain - PLAIN);
        ok = !out->body.failed;
    }
    if (text)
        sodium_memzero(text, plain);
    tc_free(text);
    return ok;
}

/* ---- the record ---- */

typedef struct once {
    tacit_hash key, seal, request;
    tacit_hash owner; /* whose keys are counted together; OWNER bytes of it are stored */
    int64_t made_ms;
    uint64_t version; /* of the record that waits for the answer */
} once;

/* Agents share a join token: the keys that one of them uses are its own. */
static tacit_hash find_owner(const tc_request_context *a)
{
    uint8_t both[2 * TC_LEDGER_HASH_BYTES];
    tc_public_key key;
    const char *text = tc_role_joins(a->caller.role) ? tc_request_text(a, "key") : NULL;
    if (!text || !tc_base64_read(text, key.bytes, sizeof key.bytes))
        return a->caller.token;
    tacit_hash h = tc_hash_bytes(key.bytes, sizeof key.bytes);
    memcpy(both, a->caller.token.bytes, sizeof h.bytes);
    memcpy(both + sizeof h.bytes, h.bytes, sizeof h.bytes);
    return tc_hash_bytes(both, sizeof both);
}

static tacit_status read_answer(tc_request_context *a, const tc_route *r, once *o,
                                const tc_record *got, bool *run, tacit_error *err)
{
    const uint8_t *bytes = got->value;
    if (got->size < HEAD)
        return tc_fail(err, TACIT_E_CORRUPT, "the storage is damaged: an answer is not one");
    if (sodium_memcmp(bytes, o->request.bytes, sizeof o->request.bytes) != 0)
        return tc_refuse(a, 422, TACIT_E_ARG, err,
                         "this Idempotency-Key was used for another request");
    o->version = got->version;
    o->made_ms = (int64_t)tc_key_at(bytes + TC_LEDGER_HASH_BYTES, 0);
    *run = got->size == HEAD;
    a->already = !*run;
    if (!*run)
        return unseal(&o->seal, bytes + HEAD, got->size - HEAD, a->out)
                   ? TACIT_OK
                   : tc_fail(err, TACIT_E_CORRUPT,
                             "the storage is damaged: an answer cannot be "
                             "opened");
    if (r->again)
        return TACIT_OK;
    return tc_refuse(a, 409, TACIT_E_STATE, err,
                     "the first request under this Idempotency-Key is under way, or ended without "
                     "an answer; look what came of it and use another key");
}

static void write_head(const once *o, uint8_t out[HEAD])
{
    tc_key time = tc_key_number((uint64_t)o->made_ms);
    memcpy(out, o->request.bytes, sizeof o->request.bytes);
    memcpy(out + sizeof o->request.bytes, time.bytes, time.n);
}

static tacit_status mark(tc_request_context *a, once *o, tacit_error *err)
{
    tc_changes changes = {.n = 0};
    uint8_t head[HEAD];
    o->made_ms = tc_coord_now(a->coord);
    o->version = 1;
    tc_key key = answer_key(&o->key), time = time_key(o->made_ms, &o->key);
    tc_key owner = owner_key(o->owner.bytes, &o->key);
    write_head(o, head);
    tc_changes_bytes(&changes, TC_INSERT, 0, TC_RECORD_ANSWER, &key, 0, head, sizeof head);
    tc_changes_bytes(&changes, TC_INSERT, 0, TC_RECORD_ANSWER, &time, 0, o->owner.bytes, OWNER);
    tc_changes_bytes(&changes, TC_INSERT, 0, TC_RECORD_ANSWER, &owner, 0, "", 0);
    return tc_changes_end(a->coord->cfg.store, &changes, TACIT_OK, NULL, err);
}

static tacit_status check_room(tc_request_context *a, const once *o, tacit_error *err)
{
    tc_key key = owner_key(o->owner.bytes, &o->key);
    tc_record_range kept = {
        .kind = TC_RECORD_ANSWER, .prefix = key.bytes, .prefix_size = 1 + OWNER};
    uint64_t n;
    TC_TRY(tc_store_record_count(a->coord->cfg.store, &kept, &n, err));
    if (n < KEPT_MOST)
        return TACIT_OK;
    return tc_refuse(a, 429, TACIT_E_BUSY, err,
                     "this token has used %d values of Idempotency-Key within a day, and there are "
                     "no more",
                     KEPT_MOST);
}

/* *run: it is to be carried out; else the answer is there. */
static tacit_status begin(tc_request_context *a, const tc_route *r, once *o, bool *run,
                          tacit_error *err)
{
    tc_key key = answer_key(&o->key);
    tc_record which = tc_record_of(0, TC_RECORD_ANSWER, &key), got;
    tacit_error why = {0};
    tacit_status status = TACIT_E_CONFLICT;
    for (int i = 0; status == TACIT_E_CONFLICT && i < ATTEMPTS; i++) {
        status = tc_store_record_get(a->coord->cfg.store, &which, &got, &why);
        if (status == TACIT_OK) {
            status = read_answer(a, r, o, &got, run, err);
            tc_free((void *)got.value);
            return status;
        }
        if (status == TACIT_E_NOT_FOUND)
            status = check_room(a, o, &why);
        if (status == TACIT_OK)
            status = mark(a, o, &why);
    }
    *run = status == TACIT_OK;
    return tc_pass_on(err, status, &why);
}

/* ---- afterwards ---- */

static void keep(tc_request_context *a, const once *o, tc_changes *changes, uint8_t **bytes)
{
    tc_key key = answer_key(&o->key);
    size_t n;
    *bytes = seal(&o->seal, a->out, &n);
    if (!*bytes)
        return;
    write_head(o, *bytes);
    tc_changes_bytes(changes, TC_REPLACE, 0, TC_RECORD_ANSWER, &key, o->version, *bytes, n);
}

static void forget(const once *o, tc_changes *changes)
{
    tc_key key = answer_key(&o->key), time = time_key(o->made_ms, &o->key);
    tc_key owner = owner_key(o->owner.bytes, &o->key);
    tc_changes_add(changes, TC_ERASE, 0, TC_RECORD_ANSWER, &key, o->version, NULL);
    tc_changes_add(changes, TC_ERASE, 0, TC_RECORD_ANSWER, &time, 1, NULL);
    tc_changes_add(changes, TC_ERASE, 0, TC_RECORD_ANSWER, &owner, 1, NULL);
}

/* A refusal changed nothing and is not kept. What failed inside may have changed something: then the
 * mark stays. The answer itself goes out, whatever becomes of its record. */
static void end(tc_request_context *a, const once *o, tacit_status status)
{
    tc_changes changes = {.n = 0};
    tacit_error why = {0};
    uint8_t *bytes = NULL;
    int http = a->out->status >= 400 ? a->out->status : tc_problem_http(status);
    if (status == TACIT_OK)
        keep(a, o, &changes, &bytes);
    else if (http < 500 || status == TACIT_E_BUSY)
        forget(o, &changes);
    if (changes.n > 0 &&
        tc_changes_end(a->coord->cfg.store, &changes, TACIT_OK, NULL, &why) != TACIT_OK)
        tc_log(TC_LOG_WARN, "an answer was not kept for its Idempotency-Key: %s", why.msg);
    tc_free(bytes);
}

tacit_status tc_handle_once(tc_request_context *a, tacit_error *err)
{
    once o;
    tc_open_study *d = NULL;
    bool run = false;
    const char *key = a->q->idempotency;
    if (!a->q->bearer)
        return tc_fail(err, TACIT_E_ARG,
                       "an Idempotency-Key is for requests with a token, which seals the answer");
    if (!key_allowed(key))
        return tc_fail(err, TACIT_E_ARG,
                       "Idempotency-Key must be 1 to %d printable ASCII characters", KEY_MOST);
    o.owner = find_owner(a);
    o.key = hash_key(o.owner.bytes, sizeof o.owner.bytes, key);
    o.seal = hash_key(a->q->bearer, strlen(a->q->bearer), key);
    if (strstr(a->route->path, "{study}")) /* E_NOT_FOUND, 403: as the handler would say it */
        TC_TRY(tc_request_study(a, &d, err));
    o.request = hash_request(a->q, d ? &d->hash : NULL);
    tacit_status status = begin(a, a->route, &o, &run, err);
    if (status == TACIT_OK && run) {
        status = a->route->handle(a, err);
        end(a, &o, status);
    }
    sodium_memzero(&o, sizeof o);
    return status;
}

/* ---- after a day ---- */

typedef struct sweeping {
    int64_t before_ms;
    tc_key times[SWEPT_AT_ONCE];
    uint8_t owners[SWEPT_AT_ONCE][OWNER];
    bool owned[SWEPT_AT_ONCE];
    size_t n;
    tc_change changes[3 * SWEPT_AT_ONCE];
    tc_key keys[3 * SWEPT_AT_ONCE]; /* of them */
    size_t n_changes;
} sweeping;

static tacit_status note_old(void *user, const tc_record *r, tacit_error *err)
{
    sweeping *s = user;
    (void)err;
    const uint8_t *key = r->key;
    if ((int64_t)tc_key_at(key + 1, 0) >= s->before_ms)
        return TACIT_OK;
    memcpy(s->times[s->n].bytes, key, r->key_size);
    s->times[s->n].n = r->key_size;
    s->owned[s->n] = r->size == OWNER;
    if (s->owned[s->n])
        memcpy(s->owners[s->n], r->value, OWNER);
    s->n++;
    return TACIT_OK;
}

/* One more that goes, if it is there. */
static tacit_status add_erasure(tc_coord *c, sweeping *s, const tc_key *key, tacit_error *err)
{
    tc_key *kept = &s->keys[s->n_changes];
    *kept = *key;
    tc_record which = tc_record_of(0, TC_RECORD_ANSWER, kept), got;
    TC_TRY(tc_store_record_find(c->cfg.store, &which, &got, err));
    tc_free((void *)got.value);
    which.version = got.version;
    if (got.version > 0)
        s->changes[s->n_changes++] = (tc_change){.what = TC_ERASE, .record = which};
    return TACIT_OK;
}

static tacit_status add_old(tc_coord *c, sweeping *s, size_t i, tacit_error *err)
{
    tacit_hash h;
    memcpy(h.bytes, s->times[i].bytes + 1 + 8, sizeof h.bytes);
    tc_key key = answer_key(&h), owner = owner_key(s->owners[i], &h);
    TC_TRY(add_erasure(c, s, &key, err));
    if (s->owned[i])
        TC_TRY(add_erasure(c, s, &owner, err));
    return add_erasure(c, s, &s->times[i], err);
}

static bool sweep_due(tc_coord *c, int64_t now)
{
    pthread_mutex_lock(&c->lock);
    bool due = now >= c->next_sweep_ms ||
               now + SWEEP_EVERY_MS < c->next_sweep_ms; /* the clock was set back */
    if (due)
        c->next_sweep_ms = now + SWEEP_EVERY_MS;
    pthread_mutex_unlock(&c->lock);
    return due;
}

/* E_CONFLICT: somebody else sweeps at the same time. */
static tacit_status sweep_some(tc_coord *c, sweeping *s, tacit_error *err)
{
    tc_record_range oldest = {
        .kind = TC_RECORD_ANSWER, .prefix = "t", .prefix_size = 1, .most = SWEPT_AT_ONCE};
    s->n = s->n_changes = 0;
    TC_TRY(tc_store_record_scan(c->cfg.store, &oldest, note_old, s, err));
    for (size_t i = 0; i < s->n; i++)
        TC_TRY(add_old(c, s, i, err));
    return s->n_changes > 0 ? tc_store_change(c->cfg.store, s->changes, s->n_changes, NULL, err)
                            : TACIT_OK;
}

tacit_status tc_answers_sweep(tc_coord *c, tacit_error *err)
{
    int64_t now = tc_coord_now(c);
    if (!tc_coord_is_sure(c) || !sweep_due(c, now))
        return TACIT_OK;
    sweeping *s = tc_alloc(1, sizeof *s);
    if (!s)
        return tc_fail_memory(err);
    s->before_ms = now - KEEP_MS;
    tacit_status status;
    do
        status = sweep_some(c, s, err);
    while (status == TACIT_OK && s->n == SWEPT_AT_ONCE);
    tc_free(s);
    return status == TACIT_E_CONFLICT ? TACIT_OK : status;
}
