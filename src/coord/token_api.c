/* token_api.c - what is done with tokens: made, replaced, withdrawn, listed. What they are: token.c.
 *
 * A token is named by its text, or by its id, which lists and the operator's log show: who has lost a token, or lets
 * somebody go, does not have the text. A token that is replaced passes its terms on to the new one, in one set of changes. */
#include "coord/audited.h"
#include "coord/coord_int.h"
#include "coord/trustee.h"

#include "base/clock.h"
#include "base/error.h"
#include "base/json.h"
#include "wire/signature.h"

#include <inttypes.h>
#include <sodium.h>
#include <stdio.h>
#include <string.h>

enum { PAGE = 100, PAGE_MOST = 1000, ATTEMPTS = 16 };

/* ---- names ---- */

/* They stand in tables, logs and CSV. */
static tacit_status read_name(const tc_request_context *a, const char **out, tacit_error *err)
{
    static const char others[] = "._@+-";
    const char *name = *out = tc_request_text(a, "name");
    bool good = !name || !strchr(others, *name);
    for (const char *p = name; p && *p; p++)
        good &= (*p >= '0' && *p <= '9') || (*p >= 'a' && *p <= 'z') || (*p >= 'A' && *p <= 'Z') ||
                strchr(others, *p);
    return good ? TACIT_OK
                : tc_fail(err, TACIT_E_ARG,
                          "name must be letters, digits and ._@+-, and begin with a letter or a "
                          "digit, got \"%.80s\"",
                          name);
}

/* ---- making ---- */

static void write_until(char out[32], int64_t expires_ms)
{
    if (expires_ms > 0)
        tc_clock_iso(out, expires_ms);
    else
        snprintf(out, 32, "withdrawn");
}

static tc_act act_of(const char *action, const tc_token_terms *t, const char *text)
{
    char id[TC_TOKEN_ID], until[32], uses[48] = "";
    tacit_hash hash = tc_hash_bytes(text, strlen(text));
    tc_token_id(&hash, id);
    write_until(until, t->expires_ms);
    if (t->uses > 0)
        snprintf(uses, sizeof uses, ", %" PRIu64 " uses", t->uses);
    return tc_act_of(action, t->open, "%s %s%s%s%s%s, until %s", tc_role_name(t->role), id,
                     t->name ? " (" : "", t->name ? t->name : "", t->name ? ")" : "", uses, until);
}

/* Stores a new token of these terms. */
static tacit_status store_token(tc_coord *c, const tc_caller *who, tc_token_terms *t,
                                double expires_s, char text[48], tacit_error *err)
{
    tc_changes changes = {.n = 0};
    if (expires_s > 0)
        t->expires_ms = tc_coord_now(c) + (int64_t)(expires_s * 1000);
    tacit_status status = tc_token_make(c, t, text, &changes, err);
    const tc_act act = act_of("token.make", t, status == TACIT_OK ? text : "");
    return tc_changes_log(c, who, &changes, status, &act, NULL, err);
}

tacit_status tc_answer_token(tc_request_context *a, const char *text, const char *role,
                             int64_t uses, int64_t expires_ms, tacit_error *err)
{
    char id[TC_TOKEN_ID];
    tacit_hash hash = tc_hash_bytes(text, strlen(text));
    tc_token_id(&hash, id);
    return tc_answer_json(a, 201,
                          json_pack("{s:s, s:s, s:s, s:I, s:I}", "token", text, "id", id, "role",
                                    role, "uses", (json_int_t)uses, "expires_ms",
                                    (json_int_t)expires_ms),
                          err);
}

static tacit_status make_and_answer(tc_request_context *a, tc_token_terms *t, tacit_error *err)
{
    char text[48];
    TC_TRY(read_name(a, &t->name, err));
    TC_TRY(store_token(a->coord, &a->caller, t, tc_request_real(a, "expires_s"), text, err));
    return tc_answer_token(a, text, tc_role_name(t->role), (int64_t)t->uses, t->expires_ms, err);
}

/* {"role": "viewer", "name": "alice", "expires_s": 3600} */
tacit_status tc_tokens_make(tc_request_context *a, tacit_error *err)
{
    tc_token_terms t = {0};
    (void)tc_role_read(tc_request_text(a, "role"), &t.role);
    return make_and_answer(a, &t, err);
}

/* With which agents join, or trustees, or clients ask. Any number of workers share a client's token. */
static tacit_status role_for(const tc_open_study *d, bool trustees, tc_role *out, tacit_error *err)
{
    *out = trustees ? TC_ROLE_TRUSTEE_JOINER : d->plan ? TC_ROLE_JOINER : TC_ROLE_CLIENT;
    return !trustees || tc_has_trustees(d)
               ? TACIT_OK
               : tc_fail(err, TACIT_E_ARG, "role must not be trustee: study \"%s\" has none",
                         d->name);
}

/* A study that has closed, or whose time is over, takes nobody. */
static tacit_status study_terms(const tc_request_context *a, const tc_open_study *d,
                                tc_token_terms *out, tacit_error *err)
{
    const char *role = tc_request_text(a, "role");
    TC_TRY(tc_state_open(a->coord, d->id, err));
    *out = (tc_token_terms){.open = d};
    TC_TRY(role_for(d, role && strcmp(role, "trustee") == 0, &out->role, err));
    if (role && !d->plan)
        return tc_fail(err, TACIT_E_ARG,
                       "role is for tokens with which agents or trustees join; study \"%s\" is a "
                       "served one",
                       d->name);
    if (d->plan)
        out->uses = (uint64_t)tc_request_whole(a, "uses");
    else if (json_object_get(a->body, "uses"))
        return tc_fail(err, TACIT_E_ARG,
                       "uses is for tokens with which agents join; study \"%s\" is a served one",
                       d->name);
    return TACIT_OK;
}

/* {"role": "trustee", "uses": 1, "name": "ward-7", "expires_s": 86400} */
tacit_status tc_join_tokens_make(tc_request_context *a, tacit_error *err)
{
    tc_open_study *d;
    tc_token_terms t;
    TC_TRY(tc_request_study(a, &d, err));
    TC_TRY(study_terms(a, d, &t, err));
    return make_and_answer(a, &t, err);
}

static tacit_status check_uses(const tc_open_study *d, bool trustees, uint64_t uses,
                               tacit_error *err)
{
    if (d->plan && uses == 0)
        return tc_fail(err, TACIT_E_ARG,
                       "uses must be at least 1: so many %s may join study \"%s\" with the token",
                       trustees ? "trustees" : "agents", d->name);
    if (!d->plan && uses > 0)
        return tc_fail(
            err, TACIT_E_ARG,
            "uses must be 0: study \"%s\" is a served one, and its clients share the token",
            d->name);
    return TACIT_OK;
}

tacit_status tc_coord_invite(tc_coord *c, const char *study, bool trustees, uint64_t uses,
                             double expires_s, tc_text *token, tacit_error *err)
{
    tc_open_study *d;
    char text[48];
    TC_TRY(tc_open_study_get(c, study, &d, err));
    tc_token_terms t = {.open = d, .uses = uses};
    tacit_status status = role_for(d, trustees, &t.role, err);
    if (status == TACIT_OK)
        status = check_uses(d, trustees, uses, err);
    if (status == TACIT_OK)
        status = tc_state_open(c, d->id, err);
    if (status == TACIT_OK)
        status = store_token(c, NULL, &t, expires_s, text, err);
    tc_open_study_unref(c, d);
    if (status != TACIT_OK)
        return status;
    tc_text_add(token, text);
    sodium_memzero(text, sizeof text);
    return token->failed ? tc_fail_memory(err) : TACIT_OK;
}

/* ---- which one is meant ---- */

typedef struct named {
    tc_key key;
    json_t *record; /* json_decref */
    uint64_t version;
    char id[TC_TOKEN_ID];
} named;

static tacit_status note_key(void *user, const tc_record *r, tacit_error *err)
{
    tc_key *k = user;
    (void)err;
    if (k->n == 0 && r->key_size <= sizeof k->bytes) {
        memcpy(k->bytes, r->key, r->key_size);
        k->n = r->key_size;
    }
    return TACIT_OK;
}

static tacit_status find_by_id(const tc_coord *c, const char *id, tc_key *out, tacit_error *err)
{
    uint8_t prefix[TC_TOKEN_ID_BYTES];
    size_t n = 0;
    *out = (tc_key){.n = 0};
    if (strlen(id) != TC_TOKEN_ID - 1 ||
        sodium_hex2bin(prefix, sizeof prefix, id, strlen(id), NULL, &n, NULL) != 0 ||
        n != sizeof prefix)
        return tc_fail(err, TACIT_E_ARG, "id must be %d hex digits, as lists of tokens show it",
                       TC_TOKEN_ID - 1);
    tc_record_range range = {
        .kind = TC_RECORD_TOKEN, .prefix = prefix, .prefix_size = sizeof prefix, .most = 1};
    return tc_store_record_scan(c->cfg.store, &range, note_key, out, err);
}

/* By its text or by its id; own: the caller's, where neither is given. */
static tacit_status find_token(tc_request_context *a, bool own, named *out, tacit_error *err)
{
    const char *text = tc_request_text(a, "token"), *id = tc_request_text(a, "id");
    tacit_hash hash;
    *out = (named){.version = 0};
    if (text && id)
        return tc_fail(err, TACIT_E_ARG, "give one of token and id");
    if (!text && !id && (!own || !a->caller.record))
        return tc_fail(err, TACIT_E_ARG, "give token or id: which token is meant");
    if (id)
        TC_TRY(find_by_id(a->coord, id, &out->key, err));
    else
        out->key = text ? tc_token_key(text) : tc_key_hash(&a->caller.token);
    if (out->key.n > 0)
        TC_TRY(tc_record_read(a->coord->cfg.store, 0, TC_RECORD_TOKEN, &out->key, &out->record,
                              &out->version, err));
    if (out->version == 0)
        return tc_fail(err, TACIT_E_NOT_FOUND, "there is no such token");
    memcpy(hash.bytes, out->key.bytes, sizeof hash.bytes);
    tc_token_id(&hash, out->id);
    return TACIT_OK;
}

static const char *text_of(const json_t *record, const char *key)
{
    const char *text = json_string_value(json_object_get(record, key));
    return text ? text : "";
}

static int64_t whole_of(const json_t *record, const char *key)
{
    int64_t v = 0;
    (void)tc_json_whole(json_object_get(record, key), &v);
    return v;
}

/* ---- the end of one ---- */

/* When a token ends that may go on for so long; 0: never, which grace is not. */
static int64_t end_after(const tc_coord *c, const json_t *record, double grace_s)
{
    int64_t was = whole_of(record, "expires_ms");
    int64_t end = tc_coord_now(c) + (int64_t)(grace_s * 1000);
    return was > 0 && was < end ? was : end;
}

/* It goes, at once or then. */
static void change_end(const tc_coord *c, const named *t, double grace_s, tc_changes *changes)
{
    if (!(grace_s > 0)) {
        tc_changes_add(changes, TC_ERASE, 0, TC_RECORD_TOKEN, &t->key, t->version, NULL);
        return;
    }
    json_t *j = json_deep_copy(t->record);
    if (j && json_object_set_new(j, "expires_ms", json_integer(end_after(c, t->record, grace_s)))) {
        json_decref(j);
        j = NULL;
    }
    tc_changes_add(changes, TC_REPLACE, 0, TC_RECORD_TOKEN, &t->key, t->version, j);
}

static void word_end(const tc_coord *c, const named *t, double grace_s, char out[64])
{
    char iso[32];
    snprintf(out, 64, "at once");
    if (!(grace_s > 0))
        return;
    tc_clock_iso(iso, end_after(c, t->record, grace_s));
    snprintf(out, 64, "at %s", iso);
}

static tacit_status withdraw(tc_request_context *a, const named *t, tacit_error *err)
{
    double grace_s = tc_request_real(a, "grace_s");
    tc_changes changes = {.n = 0};
    char end[64];
    word_end(a->coord, t, grace_s, end);
    tc_act act =
        tc_act_of("token.withdraw", NULL, "%s %s ends %s", text_of(t->record, "role"), t->id, end);
    act.study = text_of(t->record, "in");
    change_end(a->coord, t, grace_s, &changes);
    TC_TRY(tc_changes_log(a->coord, &a->caller, &changes, TACIT_OK, &act, NULL, err));
    return tc_answer_json(a, 200, json_pack("{s:b}", "withdrawn", 1), err);
}

/* {"token": "..."} or {"id": "..."}: it is valid no longer, or no longer than {"grace_s": 600}. */
tacit_status tc_tokens_withdraw(tc_request_context *a, tacit_error *err)
{
    named t;
    tacit_status status = find_token(a, false, &t, err);
    if (status == TACIT_OK)
        status = withdraw(a, &t, err);
    json_decref(t.record);
    return status;
}

/* ---- another one in its place ---- */

/* Two with the same uses left, or that both stand for one release, would be worth twice what one was. */
static tacit_status check_replace(const named *t, double grace_s, tacit_error *err)
{
    const char *role = text_of(t->record, "role");
    bool once = strcmp(role, tc_role_name(TC_ROLE_JOINER)) == 0 ||
                strcmp(role, tc_role_name(TC_ROLE_TRUSTEE_JOINER)) == 0 ||
                strcmp(role, tc_role_name(TC_ROLE_CURATOR)) == 0;
    if (strcmp(role, tc_role_name(TC_ROLE_AGENT)) == 0)
        return tc_fail(err, TACIT_E_ARG,
                       "an agent's token is its own to replace: tacit agent --new-key does it");
    if (strcmp(role, tc_role_name(TC_ROLE_TRUSTEE)) == 0)
        return tc_fail(err, TACIT_E_ARG,
                       "a trustee's token is its own to replace: it enrols again with its key");
    if (json_is_true(json_object_get(t->record, "place")))
        return tc_fail(err, TACIT_E_ARG,
                       "a token of one agent's place is not replaced: tacit remote readmit makes "
                       "another one, and ends this one");
    if (once && grace_s > 0)
        return tc_fail(err, TACIT_E_ARG,
                       "grace_s must be 0 for a token of the role %s: what is left of it passes to "
                       "the new one",
                       role);
    return TACIT_OK;
}

/* The record of the new one; NULL: no memory. */
static json_t *successor(const tc_request_context *a, const named *t)
{
    json_t *j = json_deep_copy(t->record);
    double expires_s = tc_request_real(a, "expires_s");
    if (!json_object_get(a->body, "expires_s"))
        return j;
    int64_t end = expires_s > 0 ? tc_coord_now(a->coord) + (int64_t)(expires_s * 1000) : 0;
    if (j && json_object_set_new(j, "expires_ms", json_integer(end)) == 0)
        return j;
    json_decref(j);
    return NULL;
}

static tacit_status replace(tc_request_context *a, const named *t, tacit_error *err)
{
    double grace_s = tc_request_real(a, "grace_s");
    char text[48], end[64], id[TC_TOKEN_ID];
    tc_changes changes = {.n = 0};
    TC_TRY(check_replace(t, grace_s, err));
    TC_TRY(tc_token_draw(a->coord, text, err));
    tc_key key = tc_token_key(text);
    tacit_hash hash = tc_hash_bytes(text, strlen(text));
    json_t *record = successor(a, t);
    int64_t uses = whole_of(record, "uses"), expires_ms = whole_of(record, "expires_ms");
    tc_token_id(&hash, id);
    word_end(a->coord, t, grace_s, end);
    tc_act act = tc_act_of("token.replace", NULL, "%s %s replaced by %s; the old one ends %s",
                           text_of(t->record, "role"), t->id, id, end);
    act.study = text_of(t->record, "in");
    tc_changes_add(&changes, TC_INSERT, 0, TC_RECORD_TOKEN, &key, 0, record);
    change_end(a->coord, t, grace_s, &changes);
    tacit_status status = tc_changes_log(a->coord, &a->caller, &changes, TACIT_OK, &act, NULL, err);
    if (status == TACIT_OK)
        status = tc_answer_token(a, text, text_of(t->record, "role"), uses, expires_ms, err);
    sodium_memzero(text, sizeof text);
    return status;
}

/* {"id": "...", "grace_s": 600, "expires_s": 86400}; without id and token: the caller's own. */
tacit_status tc_tokens_replace(tc_request_context *a, tacit_error *err)
{
    named t;
    tacit_status status = find_token(a, true, &t, err);
    if (status == TACIT_OK)
        status = replace(a, &t, err);
    json_decref(t.record);
    return status;
}

/* ---- which there are ---- */

typedef struct page {
    json_t *list;
    uint64_t most;
    bool more;
    char last[TC_TOKEN_ID];
} page;

static tacit_status list_token(void *user, const tc_record *r, tacit_error *err)
{
    page *p = user;
    tacit_hash hash;
    json_t *j;
    TC_TRY(tc_record_json(r, &j, err));
    bool listed = strcmp(text_of(j, "role"), tc_role_name(TC_ROLE_AGENT)) == 0 ||
                  strcmp(text_of(j, "role"), tc_role_name(TC_ROLE_TRUSTEE)) == 0;
    p->more = !listed && json_array_size(p->list) == p->most;
    tacit_status status = p->more ? tc_fail(err, TACIT_E_CANCELLED, "the page is full") : TACIT_OK;
    if (!listed && !p->more) {
        memcpy(hash.bytes, r->key, sizeof hash.bytes);
        tc_token_id(&hash, p->last);
        json_t *one = json_pack("{s:s, s:s, s:s, s:s, s:I, s:I}", "id", p->last, "role",
                                text_of(j, "role"), "name", text_of(j, "name"), "study",
                                text_of(j, "in"), "uses", (json_int_t)whole_of(j, "uses"),
                                "expires_ms", (json_int_t)whole_of(j, "expires_ms"));
        status = json_array_append_new(p->list, one) == 0 ? TACIT_OK : tc_fail_memory(err);
    }
    json_decref(j);
    return status;
}

/* Those of agents and trustees are on their lists. */
tacit_status tc_tokens_list(tc_request_context *a, tacit_error *err)
{
    page p = {.most = PAGE};
    char after[128] = "";
    tc_key from = {.n = 0};
    TC_TRY(tc_query_text(a->q->query, "after", after, sizeof after, err));
    TC_TRY(tc_query_number(a->q->query, "limit", 1, PAGE_MOST, &p.most, err));
    if (*after)
        TC_TRY(find_by_id(a->coord, after, &from, err));
    if (*after && from.n == 0)
        return tc_fail(err, TACIT_E_NOT_FOUND, "after is no token, or no longer: \"%s\"", after);
    p.list = json_array();
    if (!p.list)
        return tc_fail_memory(err);
    tc_record_range range = {.kind = TC_RECORD_TOKEN, .after = from.bytes, .after_size = from.n};
    tacit_status status = tc_store_record_scan(a->coord->cfg.store, &range, list_token, &p, err);
    if (status != TACIT_OK && !(status == TACIT_E_CANCELLED && p.more)) {
        json_decref(p.list);
        return status;
    }
    return tc_answer_json(a, 200,
                          json_pack("{s:o, s:o}", "tokens", p.list, "next",
                                    p.more ? json_string(p.last) : json_null()),
                          err);
}
