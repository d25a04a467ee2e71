/* identity.c - a trustee's key, place and token, and its keys for all rounds: made once, kept in its store.
 *
 * All keys are on disk before any is shown. A trustee that dies between enrolling and hearing about it enrols again with the
 * same keys, and is given the same place. The secret of a round is a record by itself: it is erased with the answer, and
 * backups leave it out. */
#include "trustee/trustee_int.h"

#include "base/error.h"
#include "base/json.h"
#include "base/memory.h"

#include <inttypes.h>
#include <sodium.h>
#include <stdio.h>
#include <string.h>

enum { KEY = 32 };

/* ---- what is kept: {"key": seed, "study": hash, "trustee": place, "access": token, "ended": bool} under the study's name ---- */

static tc_record which(const tc_trustee *t)
{
    return (tc_record){.kind = TC_RECORD_TRUSTEE, .key = t->name, .key_size = strlen(t->name)};
}

/* In libsodium's secret key the seed comes first. */
static char *to_text(const tc_trustee *t)
{
    tc_text key = {0}, of = {0};
    tc_base64_add(&key, t->secret_key.bytes, KEY);
    tc_base64_add(&of, t->of.bytes, sizeof t->of.bytes);
    json_t *j = key.failed || of.failed
                    ? NULL
                    : json_pack("{s:s, s:s, s:I, s:s, s:b}", "key", tc_text_get(&key), "study",
                                tc_text_get(&of), "trustee", (json_int_t)t->place, "access",
                                t->access, "ended", t->ended);
    if (key.data)
        sodium_memzero(key.data, key.len);
    tc_text_fini(&key);
    tc_text_fini(&of);
    char *text = tc_json_text(j);
    json_decref(j);
    return text;
}

/* Another process of this trustee cannot be there: its place is locked. */
static tacit_status keep(tc_trustee *t, tacit_error *err)
{
    const tc_record w = which(t);
    tc_record got;
    char *text = to_text(t);
    if (!text)
        return tc_fail_memory(err);
    tacit_status status = tc_store_record_find(t->cfg.store, &w, &got, err);
    if (status == TACIT_OK) {
        if (got.version > 0) {
            sodium_memzero((void *)got.value, got.size);
            tc_free((void *)got.value);
        }
        status = tc_store_record_keep(t->cfg.store, &w, got.version, text, strlen(text), err);
    }
    sodium_memzero(text, strlen(text));
    tc_free(text);
    return status;
}

static tacit_status damaged(tacit_error *err)
{
    return tc_fail(err, TACIT_E_CORRUPT, "the storage is damaged: a trustee's key and place");
}

static tacit_status read_kept(tc_trustee *t, const json_t *j, tacit_error *err)
{
    const char *key = json_string_value(json_object_get(j, "key"));
    const char *of = json_string_value(json_object_get(j, "study"));
    const char *access = json_string_value(json_object_get(j, "access"));
    int64_t place = 0;
    uint8_t seed[KEY];
    if (!key || !of || !access || strlen(access) >= sizeof t->access ||
        !tc_base64_read(key, seed, KEY) || !tc_base64_read(of, t->of.bytes, sizeof t->of.bytes) ||
        !tc_json_whole(json_object_get(j, "trustee"), &place) || place < 0)
        return damaged(err);
    tc_keys_from(&t->public_key, &t->secret_key, seed);
    sodium_memzero(seed, sizeof seed);
    snprintf(t->access, sizeof t->access, "%s", access);
    t->place = (uint64_t)place;
    t->ended = json_is_true(json_object_get(j, "ended"));
    t->has_key = true;
    return TACIT_OK;
}

tacit_status tc_trustee_identity_load(tc_trustee *t, tacit_error *err)
{
    const tc_record w = which(t);
    tc_record got;
    json_t *j;
    TC_TRY(tc_store_record_find(t->cfg.store, &w, &got, err));
    if (got.version == 0)
        return TACIT_OK;
    tacit_status status = tc_json_parse(got.value, got.size, "trustee", &j, err);
    sodium_memzero((void *)got.value, got.size);
    tc_free((void *)got.value);
    TC_TRY(status);
    status = read_kept(t, j, err);
    json_decref(j);
    return status;
}

tacit_status tc_trustee_identity_end(tc_trustee *t, tacit_error *err)
{
    if (t->ended)
        return TACIT_OK;
    t->ended = true;
    return keep(t, err);
}

/* ---- keys ---- */

/* which: 0 is the trustee's own, i + 1 that of its i-th round. */
static void draw_seed(const tc_trustee *t, uint64_t which_key, uint8_t out[KEY])
{
    if (t->cfg.seeded) {
        static const char purpose[8] = "trustee";
        uint64_t words[4] = {t->cfg.seed, t->cfg.key_salt, which_key, 0};
        memcpy(&words[3], purpose, sizeof purpose);
        tacit_hash h = tc_hash_bytes(words, sizeof words);
        memcpy(out, h.bytes, KEY);
        return;
    }
    tc_party_seed fresh = tc_party_seed_fresh();
    memcpy(out, fresh.bytes, KEY);
    sodium_memzero(&fresh, sizeof fresh);
}

static tc_record batch_record(const tc_trustee *t)
{
    return (tc_record){
        .kind = TC_RECORD_ROUND_KEYS, .key = t->of.bytes, .key_size = sizeof t->of.bytes};
}

static void insert(tc_change *c, const tc_record *which, const void *value, size_t size)
{
    *c = (tc_change){.what = TC_INSERT, .record = *which};
    c->record.value = value;
    c->record.size = size;
}

/* Together or not at all: `secrets` has the seeds of the rounds' keys, one after the other, `batch` the public keys. */
static tacit_status keep_keys(tc_trustee *t, const uint8_t *secrets, const uint8_t *batch,
                              tacit_error *err)
{
    const uint32_t n = t->rounds.n;
    const tc_record mine = which(t), keys_of = batch_record(t);
    tc_round_key *keys = tc_alloc(n, sizeof *keys);
    tc_change *c = tc_alloc(n + 2, sizeof *c);
    char *text = to_text(t);
    tacit_status status = keys && c && text ? TACIT_OK : tc_fail_memory(err);
    for (uint32_t i = 0; i < n && status == TACIT_OK; i++) {
        keys[i] = tc_round_key_of(&t->of, t->rounds.list[i]);
        const tc_record r = {
            .kind = TC_RECORD_ROUND_SECRET, .key = keys[i].bytes, .key_size = sizeof keys[i].bytes};
        insert(&c[i], &r, secrets + (size_t)KEY * i, KEY);
    }
    if (status == TACIT_OK) {
        insert(&c[n], &mine, text, strlen(text));
        insert(&c[n + 1], &keys_of, batch, (size_t)KEY * n);
        status = tc_store_change(t->cfg.store, c, n + 2, NULL, err);
    }
    if (text)
        sodium_memzero(text, strlen(text));
    tc_free(text);
    tc_free(c);
    tc_free(keys);
    return status;
}

static void draw_round_keys(const tc_trustee *t, uint8_t *secrets, uint8_t *batch)
{
    tc_box_key key;
    tc_box_secret secret;
    for (uint32_t i = 0; i < t->rounds.n; i++) {
        draw_seed(t, i + 1, secrets + (size_t)KEY * i);
        tc_box_keys_from(&key, &secret, secrets + (size_t)KEY * i);
        memcpy(batch + (size_t)KEY * i, key.bytes, KEY);
    }
    sodium_memzero(&secret, sizeof secret);
}

static tacit_status make_keys(tc_trustee *t, tacit_error *err)
{
    uint8_t seed[KEY];
    uint8_t *secrets = tc_alloc(t->rounds.n, KEY), *batch = tc_alloc(t->rounds.n, KEY);
    tacit_status status = secrets && batch ? TACIT_OK : tc_fail_memory(err);
    if (status == TACIT_OK) {
        tc_random_start();
        draw_seed(t, 0, seed);
        tc_keys_from(&t->public_key, &t->secret_key, seed);
        draw_round_keys(t, secrets, batch);
        t->of = t->plan->hash;
        status = keep_keys(t, secrets, batch, err);
        t->has_key = status == TACIT_OK;
        sodium_memzero(seed, sizeof seed);
        sodium_memzero(secrets, (size_t)t->rounds.n * KEY);
    }
    tc_free(secrets);
    tc_free(batch);
    return status;
}

tacit_status tc_trustee_secret(tc_trustee *t, uint64_t round, tc_box_secret *out, bool *there,
                               tacit_error *err)
{
    const tc_round_key k = tc_round_key_of(&t->of, round);
    const tc_record w = {
        .kind = TC_RECORD_ROUND_SECRET, .key = k.bytes, .key_size = sizeof k.bytes};
    tc_record got;
    tc_box_key unused;
    TC_TRY(tc_store_record_find(t->cfg.store, &w, &got, err));
    *there = got.version > 0;
    if (!*there)
        return TACIT_OK;
    const bool whole = got.size == KEY;
    if (whole)
        tc_box_keys_from(&unused, out, got.value);
    sodium_memzero((void *)got.value, got.size);
    tc_free((void *)got.value);
    return whole ? TACIT_OK
                 : tc_fail(err, TACIT_E_CORRUPT, "the storage is damaged: the key of a round");
}

/* The removal of a record that is gone already makes the store forget what its files still have of it. */
tacit_status tc_trustee_secrets_drop(tc_trustee *t, uint64_t round, tacit_error *err)
{
    const tc_round_key k = tc_round_key_of(&t->of, round);
    const tc_record_range this_one = {
        .kind = TC_RECORD_ROUND_SECRET, .prefix = k.bytes, .prefix_size = sizeof k.bytes};
    TC_TRY(tc_round_records_drop(t->cfg.store, TC_RECORD_ROUND_SECRET, &t->of, round, err));
    TC_TRY(tc_store_record_drop(t->cfg.store, &this_one, err));
    tc_store_forget(t->cfg.store);
    return TACIT_OK;
}

/* ---- enrolling ---- */

/* The public keys of all rounds, as they were made, whichever secrets are erased by now; for tc_free. */
static tacit_status load_batch(tc_trustee *t, uint8_t **out, tacit_error *err)
{
    const tc_record w = batch_record(t);
    tc_record got;
    TC_TRY(tc_store_record_find(t->cfg.store, &w, &got, err));
    if (got.version > 0 && got.size == (size_t)t->rounds.n * KEY) {
        *out = (uint8_t *)got.value;
        return TACIT_OK;
    }
    if (got.version > 0)
        tc_free((void *)got.value);
    return damaged(err);
}

static void make_body(const tc_trustee *t, const uint8_t *batch, tc_text *out)
{
    const size_t n = (size_t)t->rounds.n * KEY;
    const tacit_hash token = tc_hash_bytes(t->cfg.join_token, strlen(t->cfg.join_token));
    const tc_trustee_enrolment enrols = tc_trustee_enrols(&token, batch, n);
    const tc_signed what = {.purpose = TC_SIGN_TRUSTEE,
                            .study = t->of,
                            .body = enrols.bytes,
                            .n_body = sizeof enrols.bytes};
    tc_signature proof;
    tc_sign(&t->secret_key, &what, &proof);
    tc_text_add(out, "{\"key\": \"");
    tc_base64_add(out, t->public_key.bytes, sizeof t->public_key.bytes);
    tc_text_add(out, "\", \"round_keys\": \"");
    tc_base64_add(out, batch, n);
    tc_text_add(out, "\", \"proof\": \"");
    tc_base64_add(out, proof.bytes, sizeof proof.bytes);
    tc_text_add(out, "\"");
    if (t->forgotten)
        tc_text_addf(out, ", \"trustee\": %" PRIu64, t->place);
    tc_text_add(out, "}");
}

static tacit_status take_place(tc_trustee *t, const tc_answered *r, tacit_error *err)
{
    const char *access = json_string_value(json_object_get(r->body, "access"));
    int64_t place;
    if (r->status >= 300)
        return tc_answered_refusal(r, "to enrol this trustee", err);
    if (!access || strlen(access) >= sizeof t->access ||
        !tc_json_whole(json_object_get(r->body, "trustee"), &place) || place < 0 ||
        place >= (int64_t)t->plan->env.trustees.count)
        return tc_answered_strange("a trustee's place without a number or a token", err);
    if (t->forgotten && (uint64_t)place != t->place)
        return tc_fail(err, TACIT_E_STATE,
                       "the coordinator has forgotten trustee %" PRIu64
                       " and gives its place to another",
                       t->place);
    t->place = (uint64_t)place;
    snprintf(t->access, sizeof t->access, "%s", access);
    return keep(t, err);
}

tacit_status tc_trustee_identity_enrol(tc_trustee *t, tacit_error *err)
{
    uint8_t *batch;
    tc_text body = {0};
    tc_answered r;
    if (!t->has_key)
        TC_TRY(make_keys(t, err));
    TC_TRY(load_batch(t, &batch, err));
    make_body(t, batch, &body);
    tc_free(batch);
    const tc_call call = {.method = "POST",
                          .path = "/trustees",
                          .bearer = t->cfg.join_token,
                          .body = tc_text_get(&body),
                          .n_body = body.len};
    tacit_status status = body.failed ? tc_fail_memory(err) : tc_trustee_request(t, &call, &r, err);
    tc_text_fini(&body);
    TC_TRY(status);
    status = take_place(t, &r, err);
    tc_answered_fini(&r);
    return status;
}
