/* identity.c - an agent's key, place and token: made once, kept in its store.
 *
 * The key is on disk before it is shown to anybody. An agent that dies between enrolling and hearing
 * about it enrols again with the same key, and is given the same place. So does one whom a coordinator
 * that was restored from a backup does not know any more. */
#include "agent/agent_int.h"

#include "base/error.h"
#include "base/json.h"
#include "base/memory.h"

#include <inttypes.h>
#include <sodium.h>
#include <stdio.h>
#include <string.h>

/* ---- what is kept: {"key": seed, "agent": n, "access": token, "study": hash} under the study's name; "next": the seed of another
 * key, from before the coordinator hears of it until it is known to have heard ---- */

static tc_record which(const tc_agent *a)
{
    return (tc_record){
        .kind = TC_RECORD_KEY, .key = a->local_name, .key_size = strlen(a->local_name)};
}

/* Takes j; NULL: no memory. */
static json_t *add_next(json_t *j, const tc_agent *a)
{
    tc_text next = {0};
    tc_base64_add(&next, a->next, sizeof a->next);
    bool added =
        j && !next.failed && json_object_set_new(j, "next", json_string(tc_text_get(&next))) == 0;
    if (next.data)
        sodium_memzero(next.data, next.len);
    tc_text_fini(&next);
    if (added)
        return j;
    json_decref(j);
    return NULL;
}

static json_t *to_json(const uint8_t seed[32], const tc_agent *a, bool enrolled)
{
    tc_text key = {0}, study = {0};
    tc_base64_add(&key, seed, 32);
    tc_base64_add(&study, a->of.bytes, sizeof a->of.bytes);
    bool failed = key.failed || study.failed;
    json_t *j = failed     ? NULL
                : enrolled ? json_pack("{s:s, s:I, s:s, s:s}", "key", tc_text_get(&key), "agent",
                                       (json_int_t)a->number, "access", a->access, "study",
                                       tc_text_get(&study))
                           : json_pack("{s:s}", "key", tc_text_get(&key));
    tc_text_fini(&study);
    if (key.data)
        sodium_memzero(key.data, key.len);
    tc_text_fini(&key);
    return a->has_next ? add_next(j, a) : j;
}

static tacit_status keep(tc_agent *a, const uint8_t seed[32], uint64_t version, tacit_error *err)
{
    json_t *j = to_json(seed, a, version > 0);
    char *text = tc_json_text(j);
    json_decref(j);
    if (!text)
        return tc_fail_memory(err);
    tc_record w = which(a);
    tacit_status status = tc_store_record_keep(a->cfg.store, &w, version, text, strlen(text), err);
    sodium_memzero(text, strlen(text));
    tc_free(text);
    return status;
}

static void draw_seed(const tc_agent *a, uint8_t out[32])
{
    if (!a->cfg.seeded) {
        tc_party_seed fresh = tc_party_seed_fresh();
        memcpy(out, fresh.bytes, 32);
        sodium_memzero(&fresh, sizeof fresh);
        return;
    }
    uint64_t words[2] = {a->cfg.seed, a->cfg.key_salt};
    tacit_hash h = tc_hash_bytes(words, sizeof words);
    memcpy(out, h.bytes, 32);
}

static tacit_status make_key(tc_agent *a, tacit_error *err)
{
    uint8_t seed[32];
    tc_random_start();
    draw_seed(a, seed);
    tacit_status status = keep(a, seed, 0, err);
    if (status == TACIT_OK) {
        tc_keys_from(&a->public_key, &a->secret_key, seed);
        a->has_key = true;
    }
    sodium_memzero(seed, sizeof seed);
    return status;
}

static tacit_status read_kept(tc_agent *a, const json_t *j, uint8_t seed[32], bool *enrolled,
                              tacit_error *err)
{
    const char *key = json_string_value(json_object_get(j, "key"));
    const char *access = json_string_value(json_object_get(j, "access"));
    const char *study = json_string_value(json_object_get(j, "study"));
    int64_t number = 0;
    if (!key || !tc_base64_read(key, seed, 32))
        return tc_fail(err, TACIT_E_CORRUPT, "the storage is damaged: the agent's key");
    const char *next = json_string_value(json_object_get(j, "next"));
    a->has_next = next != NULL;
    if (next && !tc_base64_read(next, a->next, sizeof a->next))
        return tc_fail(err, TACIT_E_CORRUPT, "the storage is damaged: the agent's next key");
    if (study && !tc_base64_read(study, a->of.bytes, sizeof a->of.bytes))
        return tc_fail(err, TACIT_E_CORRUPT, "the storage is damaged: the study of a place");
    tc_keys_from(&a->public_key, &a->secret_key, seed);
    *enrolled = access && tc_json_whole(json_object_get(j, "agent"), &number) && number >= 0;
    if (*enrolled) {
        a->number = (uint64_t)number;
        snprintf(a->access, sizeof a->access, "%s", access);
    }
    return TACIT_OK;
}

/* seed and *version of what is kept; *version 0: nothing is. */
static tacit_status load(tc_agent *a, uint8_t seed[32], uint64_t *version, bool *enrolled,
                         tacit_error *err)
{
    tc_record w = which(a), got;
    json_t *j;
    *enrolled = false;
    TC_TRY(tc_store_record_find(a->cfg.store, &w, &got, err));
    *version = got.version;
    if (got.version == 0)
        return TACIT_OK;
    tacit_status status = tc_json_parse(got.value, got.size, "agent", &j, err);
    sodium_memzero((void *)got.value, got.size);
    tc_free((void *)got.value);
    TC_TRY(status);
    status = read_kept(a, j, seed, enrolled, err);
    json_decref(j);
    return status;
}

tacit_status tc_identity_load(tc_agent *a, bool *enrolled, tacit_error *err)
{
    uint8_t seed[32];
    uint64_t version;
    TC_TRY(load(a, seed, &version, enrolled, err));
    sodium_memzero(seed, sizeof seed);
    a->has_key = version > 0;
    return TACIT_OK;
}

/* The agent's token is of no use in another study, and enrolling there must not overwrite it. */
tacit_status tc_identity_check(const tc_agent *a, const tacit_hash *study, tacit_error *err)
{
    static const tacit_hash unknown;
    if (!*a->access || tc_ledger_hash_same(&a->of, &unknown) || tc_ledger_hash_same(&a->of, study))
        return TACIT_OK;
    return tc_fail(err, TACIT_E_STATE,
                   "the storage has a place in another study \"%s\": this one can be kept beside "
                   "it, with the same ledger, under a name of its own (--as)",
                   a->local_name);
}

/* The key that is kept, or that of `seed`, with what is to be kept with it changed meanwhile in *a. */
static tacit_status keep_with(tc_agent *a, const uint8_t *seed, tacit_error *err)
{
    tc_agent copy = {.cfg = a->cfg, .name = a->name, .local_name = a->local_name};
    uint8_t was[32];
    uint64_t version;
    bool enrolled;
    TC_TRY(load(&copy, was, &version, &enrolled, err));
    tacit_status status = keep(a, seed ? seed : was, version, err);
    sodium_memzero(was, sizeof was);
    sodium_memzero(&copy, sizeof copy);
    return status;
}

/* The next key is the key from now on; access NULL: the token that is kept says nothing any more. */
static tacit_status take_next(tc_agent *a, const char *access, tacit_error *err)
{
    uint8_t seed[32];
    memcpy(seed, a->next, sizeof seed);
    if (access)
        snprintf(a->access, sizeof a->access, "%s", access);
    tc_keys_from(&a->public_key, &a->secret_key, seed);
    a->has_next = false;
    sodium_memzero(a->next, sizeof a->next);
    tacit_status status = keep_with(a, seed, err);
    sodium_memzero(seed, sizeof seed);
    return status;
}

/* ---- enrolling ---- */

static void make_body(const tc_agent *a, const tacit_hash *study, tc_text *out)
{
    tacit_hash token = tc_hash_bytes(a->cfg.join_token, strlen(a->cfg.join_token));
    tc_signed what = {.purpose = TC_SIGN_ENROL,
                      .study = *study,
                      .body = token.bytes,
                      .n_body = sizeof token.bytes};
    tc_signature proof;
    tc_sign(&a->secret_key, &what, &proof);
    tc_text_add(out, "{\"key\": \"");
    tc_base64_add(out, a->public_key.bytes, sizeof a->public_key.bytes);
    tc_text_add(out, "\", \"proof\": \"");
    tc_base64_add(out, proof.bytes, sizeof proof.bytes);
    tc_text_add(out, "\"");
    if (*a->access) /* its journal is of the place that it had */
        tc_text_addf(out, ", \"agent\": %" PRIu64, a->number);
    tc_text_add(out, "}");
}

static tacit_status take_place(tc_agent *a, const tc_answered *r, tacit_error *err)
{
    const char *access = json_string_value(json_object_get(r->body, "access"));
    int64_t number;
    if (r->status >= 300)
        return tc_answered_refusal(r, "to enrol this agent", err);
    if (!access || strlen(access) >= sizeof a->access ||
        !tc_json_whole(json_object_get(r->body, "agent"), &number) || number < 0)
        return tc_answered_strange("a place without a number or a token", err);
    if (*a->access && (uint64_t)number != a->number)
        return tc_fail(err, TACIT_E_STATE,
                       "the coordinator has forgotten agent %" PRIu64
                       " and gives its place to another: what is in this storage is of that place",
                       a->number);
    a->number = (uint64_t)number;
    snprintf(a->access, sizeof a->access, "%s", access);
    return TACIT_OK;
}

/* *replaced: the coordinator knows that this key was the agent's, and that another one is by now. */
static tacit_status enrol_once(tc_agent *a, const tacit_hash *study, bool *replaced,
                               tacit_error *err)
{
    tc_text body = {0};
    tc_answered r;
    make_body(a, study, &body);
    TC_TRY(tc_agent_post(a, "/agents", a->cfg.join_token, NULL, &body, &r, err));
    *replaced =
        r.status == 403 && strcmp(tc_answered_detail(&r), "this key was replaced by another") == 0;
    tacit_status status = take_place(a, &r, err);
    a->of = *study;
    tc_answered_fini(&r);
    return status == TACIT_OK ? keep_with(a, NULL, err) : status;
}

/* Of an agent that was killed, or refused, while it changed its key the coordinator knows one of two. The present key comes first: where
 * it is not known it takes the place, and where the other has replaced it, it is refused and nothing is spent. */
tacit_status tc_identity_enrol(tc_agent *a, const tacit_hash *study, tacit_error *err)
{
    tacit_error why = {0};
    bool replaced = false;
    if (!a->has_key)
        TC_TRY(make_key(a, err));
    tacit_status status = enrol_once(a, study, &replaced, &why);
    if (status == TACIT_OK || !replaced || !a->has_next)
        return tc_pass_on(err, status, &why);
    TC_TRY(take_next(a, NULL, err));
    return enrol_once(a, study, &replaced, err);
}

/* ---- another key ---- */

tacit_status tc_identity_prepare(tc_agent *a, tacit_error *err)
{
    if (a->has_next)
        return TACIT_OK;
    tc_random_start();
    if (a->cfg.seeded) { /* from the key of now, so that each is another one */
        tacit_hash h = tc_hash_bytes(a->public_key.bytes, sizeof a->public_key.bytes);
        uint64_t words[2] = {a->cfg.seed, 0};
        memcpy(&words[1], h.bytes, sizeof words[1]);
        h = tc_hash_bytes(words, sizeof words);
        memcpy(a->next, h.bytes, sizeof a->next);
    } else {
        tc_party_seed fresh = tc_party_seed_fresh();
        memcpy(a->next, fresh.bytes, sizeof a->next);
        sodium_memzero(&fresh, sizeof fresh);
    }
    a->has_next = true;
    return keep_with(a, NULL, err);
}

static void add_signature(tc_text *out, const char *name, const tc_secret_key *s,
                          const tc_signed *what)
{
    tc_signature signature;
    tc_sign(s, what, &signature);
    tc_text_addf(out, ", \"%s\": \"", name);
    tc_base64_add(out, signature.bytes, sizeof signature.bytes);
    tc_text_add(out, "\"");
}

static void make_change(const tc_agent *a, const tc_public_key *fresh, const tc_secret_key *secret,
                        tc_text *out)
{
    tc_signed what = {.purpose = TC_SIGN_ROTATE,
                      .study = a->of,
                      .body = fresh->bytes,
                      .n_body = sizeof fresh->bytes};
    tc_text_add(out, "{\"sequence\": 0, \"key\": \"");
    tc_base64_add(out, fresh->bytes, sizeof fresh->bytes);
    tc_text_add(out, "\"");
    add_signature(out, "proof", &a->secret_key, &what);
    add_signature(out, "possession", secret, &what);
    tc_text_add(out, "}");
}

/* *refused: it does not know the token of the place. */
static tacit_status take_change(tc_agent *a, const tc_answered *r, bool *refused, tacit_error *err)
{
    const char *access = json_string_value(json_object_get(r->body, "access"));
    *refused = r->status == 401;
    if (*refused)
        return tc_fail(err, TACIT_E_STATE,
                       "the coordinator refuses another key for agent %" PRIu64
                       ": %s; a join token would enrol this agent again, or its operator can "
                       "revoke it and readmit it with a token of its place",
                       a->number, tc_answered_detail(r));
    if (r->status >= 300)
        return tc_answered_refusal(r, "another key for this agent", err);
    if (!access || strlen(access) >= sizeof a->access)
        return tc_answered_strange("another key without a token", err);
    return take_next(a, access, err);
}

static tacit_status change_once(tc_agent *a, bool *refused, tacit_error *err)
{
    tc_public_key fresh;
    tc_secret_key secret;
    tc_text body = {0};
    tc_answered r;
    char path[64];
    tc_keys_from(&fresh, &secret, a->next);
    make_change(a, &fresh, &secret, &body);
    sodium_memzero(&secret, sizeof secret);
    snprintf(path, sizeof path, "/agents/%" PRIu64 ":rotate", a->number);
    TC_TRY(tc_agent_post(a, path, a->access, NULL, &body, &r, err));
    tacit_status status = take_change(a, &r, refused, err);
    tc_answered_fini(&r);
    return status;
}

/* The coordinator may have been restored from a backup meanwhile, or know the next key alone, and the token of before no more:
 * then the agent enrols again, and goes on with the change if that has not ended it. */
tacit_status tc_identity_change(tc_agent *a, tacit_error *err)
{
    tacit_error why = {0};
    bool refused = false;
    tacit_status status = change_once(a, &refused, &why);
    if (status == TACIT_OK || !refused || !a->cfg.join_token)
        return tc_pass_on(err, status, &why);
    TC_TRY(tc_identity_enrol(a, &a->of, err));
    return a->has_next ? change_once(a, &refused, err) : TACIT_OK;
}
