/* shared_world.h - a coordinator without sockets, and the agents and trustees of one study, for tests of what they do together.
 *
 * Agents deal vectors of the test's choice, trustees deal their test noise and add up as wire/dealing.h says: so a test knows
 * what a round must open to, to the bit. Where `w.secret` is set keys, dealings and noise are drawn as in a deployment. Each call of the coordinator may be made again until it succeeds, by trust_again: with
 * a store that dies (crash_store.h) that is a party which does not give up. */
#ifndef TEST_SHARED_WORLD_H
#define TEST_SHARED_WORLD_H

#include "support/coord_study.h"
#include "support/crash_store.h"

#include "privacy/shared_sum.h"
#include "wire/trust_answer.h"
#include "wire/trust_roster.h"
#include "wire/trust_set.h"

#include <sodium.h>

#ifndef TRUST_AGENTS /* a test may say another number */
#define TRUST_AGENTS 3
#endif
enum { TRUST_ROUNDS_MOST = 64, TRUST_SEED = 7, TRUST_START_MS = 1000000 };

typedef struct guardian {
    tc_public_key key;
    tc_secret_key secret;
    char access[64], join[64];
    uint32_t place;
    tc_box_key keys[TRUST_ROUNDS_MOST];
    tc_box_secret secrets[TRUST_ROUNDS_MOST];
} guardian;

typedef struct trust_world {
    coord_world w;
    crash_store *disk; /* NULL: it does not die */
    tc_trustees trustees;
    guardian t[TC_TRUSTEES_MOST];
    char join[64]; /* of agents */
    tc_study_plan *plan;
    uint64_t rounds;
    uint64_t restarts;
    int page; /* boxes that a trustee asks for at a time; 0: two */
} trust_world;

/* ---- making one ---- */

static inline void trust_document(const char *name, const tc_trustees *t, double deadline_s,
                                  char out[1024])
{
    snprintf(out, 1024,
             "{\"name\": \"%s\", \"direction\": \"maximize\", \"trials\": 12, \"seed\": 7,"
             " \"space\": {\"x\": {\"type\": \"float\", \"low\": 0, \"high\": 1}},"
             " \"algorithm\": {\"name\": \"dp-fts-de\", \"features\": 8, \"initial\": 2,"
             " \"releases\": \"all\"},"
             " \"federation\": {\"agents\": %d, \"deadline_s\": %g, \"trustees\": {\"count\": %u,"
             " \"degree\": %u, \"colluding\": %u, \"dealers\": %u}},"
             " \"privacy\": {\"epsilon\": 5, \"delta\": 0.01}}",
             name, TRUST_AGENTS, deadline_s, t->count, t->degree, t->colluding, t->dealers);
}

/* What follows the study's name in a path. */
static inline const char *trust_path(const trust_world *t, char out[128], const char *more)
{
    snprintf(out, 128, "/v1/studies/%s%s", t->w.study, more);
    return out;
}

static inline void trust_token(trust_world *t, const char *body, char out[64])
{
    json_t *a;
    char path[128];
    assert_int_equal(
        world_call(&t->w, "POST", trust_path(t, path, "/tokens"), t->w.operator_token, body, &a),
        201);
    snprintf(out, 64, "%s", world_text(a, "token"));
    json_decref(a);
}

static inline void trust_keys(trust_world *t)
{
    for (uint32_t k = 0; k < t->trustees.count; k++) {
        uint8_t seed[32] = {(uint8_t)k, 77};
        if (t->w.secret)
            randombytes_buf(seed, sizeof seed);
        tc_keys_from(&t->t[k].key, &t->t[k].secret, seed);
        for (uint32_t r = 0; r < t->rounds; r++) {
            if (t->w.secret)
                randombytes_buf(seed, sizeof seed);
            else
                seed[2] = (uint8_t)(r + 1);
            tc_box_keys_from(&t->t[k].keys[r], &t->t[k].secrets[r], seed);
        }
    }
    for (size_t i = 0; i < TRUST_AGENTS; i++)
        world_keys(&t->w.agents[i], (uint8_t)i);
}

/* A study in a world that is open. Nobody has enrolled yet. */
static inline void trust_create_from(trust_world *t, const char *name, tc_trustees terms,
                                     const char *document)
{
    tacit_error err = {0};
    tc_study_row row;
    char body[64];
    t->trustees = terms;
    world_create(&t->w, name, document);
    assert_ok(tc_store_study_get(t->w.store, name, &row, &err));
    assert_ok(tc_study_plan_new(&t->plan, &row, &err));
    tc_study_row_fini(&row);
    assert_ok(tc_study_plan_count_rounds(t->plan, TRUST_ROUNDS_MOST, &t->rounds, &err));
    trust_keys(t);
    snprintf(body, sizeof body, "{\"uses\": %d}", TRUST_AGENTS);
    trust_token(t, body, t->join);
    for (uint32_t k = 0; k < terms.count; k++)
        trust_token(t, "{\"role\": \"trustee\", \"uses\": 1}", t->t[k].join);
}

static inline void trust_create(trust_world *t, const char *name, tc_trustees terms,
                                double deadline_s)
{
    char document[1024];
    trust_document(name, &terms, deadline_s, document);
    trust_create_from(t, name, terms, document);
}

/* Takes the store; the study is "s". */
static inline void trust_begin(trust_world *t, tc_store *store, tc_trustees terms,
                               double deadline_s)
{
    *t = (trust_world){.w = {.now_ms = TRUST_START_MS}};
    world_open(&t->w, store, TRUST_SEED);
    trust_create(t, "s", terms, deadline_s);
}

static inline tc_store *trust_memory(void)
{
    tacit_error err = {0};
    tc_store *s;
    assert_ok(tc_store_open(&s, "memory:", true, &err));
    return s;
}

static inline void trust_end(trust_world *t)
{
    tc_study_plan_free(t->plan);
    t->plan = NULL;
    world_close(&t->w);
}

/* ---- again ---- */

/* After a call that failed: the process is started anew if it is dead. False: it is not. */
static inline bool trust_restart(trust_world *t)
{
    if (!t->disk || !t->disk->dead)
        return false;
    tc_coord_free(t->w.coord);
    crash_restart(t->disk);
    world_open(&t->w, &t->disk->base, TRUST_SEED);
    t->restarts++;
    return true;
}

/* status = what a call answers, made until the process does not die of it. */
#define TRUST_AGAIN(t, status, call)                                                               \
    do                                                                                             \
        (status) = (call);                                                                         \
    while (trust_restart(t))

/* ---- enrolment ---- */

/* n_keys: of this many rounds. */
static inline int trust_enrol_keys(trust_world *t, guardian *g, size_t n_keys, json_t **answer)
{
    tc_text body = {0};
    tacit_hash h = tc_hash_bytes(g->join, strlen(g->join));
    const tc_trustee_enrolment e = tc_trustee_enrols(&h, g->keys, n_keys * sizeof *g->keys);
    const tc_signed what = {
        .purpose = TC_SIGN_TRUSTEE, .study = t->w.hash, .body = e.bytes, .n_body = sizeof e.bytes};
    tc_signature proof;
    json_t *a;
    tc_sign(&g->secret, &what, &proof);
    tc_text_add(&body, "{\"key\": \"");
    tc_base64_add(&body, g->key.bytes, sizeof g->key.bytes);
    tc_text_add(&body, "\", \"round_keys\": \"");
    tc_base64_add(&body, g->keys, n_keys * sizeof *g->keys);
    tc_text_add(&body, "\", \"proof\": \"");
    tc_base64_add(&body, proof.bytes, sizeof proof.bytes);
    tc_text_add(&body, "\"}");
    char path[128];
    int status = world_call(&t->w, "POST", trust_path(t, path, "/trustees"), g->join,
                            tc_text_get(&body), &a);
    if (status < 300) {
        snprintf(g->access, sizeof g->access, "%s", world_text(a, "access"));
        g->place = (uint32_t)json_integer_value(json_object_get(a, "trustee"));
    }
    if (answer)
        *answer = a;
    else
        json_decref(a);
    tc_text_fini(&body);
    return status;
}

static inline int trust_enrol(trust_world *t, guardian *g)
{
    return trust_enrol_keys(t, g, t->rounds, NULL);
}

static inline void trust_enrol_all(trust_world *t)
{
    int status;
    for (size_t i = 0; i < TRUST_AGENTS; i++) {
        TRUST_AGAIN(t, status, world_enrol(&t->w, &t->w.agents[i], t->join));
        assert_true(status == 201 || status == 200);
        assert_int_equal(t->w.agents[i].number, i);
    }
    for (uint32_t k = 0; k < t->trustees.count; k++) {
        TRUST_AGAIN(t, status, trust_enrol(t, &t->t[k]));
        assert_true(status == 201 || status == 200);
        assert_int_equal(t->t[k].place, k);
    }
}

/* ---- what is dealt ---- */

static inline tc_shared_plan trust_plan(const trust_world *t, uint64_t round)
{
    tacit_error err = {0};
    tc_shared_plan p;
    assert_ok(
        t->plan->doc->algorithm->aggregator->shared(&t->plan->env, t->plan->opts, round, &p, &err));
    return p;
}

static inline int64_t *trust_numbers(size_t n)
{
    int64_t *v = tc_alloc(n, sizeof *v);
    assert_non_null(v);
    return v;
}

/* For tc_free: far below the clip norm, and another for each agent. */
static inline int64_t *trust_vector(const trust_world *t, uint64_t round, uint64_t agent)
{
    const tc_shared_plan p = trust_plan(t, round);
    int64_t *v = trust_numbers(p.width);
    for (size_t i = 0; i < p.width; i++)
        v[i] = (int64_t)(1000 * (agent + 1) + 10 * round + i) * (i % 2 ? -1 : 1);
    return v;
}

/* For tc_free. */
static inline int64_t *trust_noise(const trust_world *t, uint64_t round, uint32_t place)
{
    const tc_shared_plan p = trust_plan(t, round);
    int64_t *v = trust_numbers(p.groups * p.width);
    tacit_error err = {0};
    tc_test_noise seeded;
    tc_noise secret;
    tc_noise_init(&secret);
    tc_entropy e = t->w.secret ? tc_entropy_of(&secret)
                               : tc_shared_test_entropy(&seeded, TRUST_SEED, place, round);
    assert_ok(tc_shared_noise(&p, &e, v, &err));
    tc_noise_fini(&secret);
    return v;
}

/* An upload, for tc_free; takes the values. */
static inline uint8_t *trust_deal(const trust_world *t, uint64_t round, tc_dealer_kind kind,
                                  uint64_t number, int64_t *values, size_t *n)
{
    const tc_shared_plan p = trust_plan(t, round);
    bool trustee = kind == TC_DEALER_TRUSTEE;
    const size_t words = trustee ? p.groups * p.width : p.width;
    tacit_error err = {0};
    uint8_t secret[TC_SHARE_SECRET], *out;
    tc_box_key keys[TC_TRUSTEES_MOST];
    for (uint32_t k = 0; k < t->trustees.count; k++)
        keys[k] = t->t[k].keys[round];
    const tc_dealer d = {.trustees = t->trustees,
                         .roster = t->w.hash, /* of these parties: they all have the same */
                         .epoch = TC_ROSTER_EPOCH,
                         .round = round,
                         .kind = kind,
                         .number = number,
                         .identity = trustee ? &t->t[number].secret : &t->w.agents[number].secret,
                         .keys = keys};
    if (t->w.secret)
        randombytes_buf(secret, sizeof secret);
    else
        tc_shared_test_secret(TRUST_SEED, trustee, number, round, secret);
    *n = tc_dealing_size(&t->trustees, words);
    out = tc_alloc(*n, 1);
    assert_non_null(out);
    assert_ok(tc_dealing_write(&d, secret, values, words, out, &err));
    tc_free(values);
    return out;
}

/* The status. The same sequence for a round, so that it can be sent again; takes the vector. */
static inline int trust_send_vector(trust_world *t, uint64_t round, uint64_t agent, int64_t *v,
                                    json_t **answer)
{
    size_t n;
    uint8_t *upload = trust_deal(t, round, TC_DEALER_AGENT, agent, v, &n);
    int status = world_post_bytes(&t->w, &t->w.agents[agent], round, round + 1, upload, n, answer);
    tc_free(upload);
    return status;
}

static inline int trust_send(trust_world *t, uint64_t round, uint64_t agent, json_t **answer)
{
    return trust_send_vector(t, round, agent, trust_vector(t, round, agent), answer);
}

/* field: "noise", "answer" or "refusal", and then `bytes` is the sentence. */
static inline int trust_post(trust_world *t, uint32_t place, uint64_t round, const char *what,
                             const char *field, tc_signed_purpose purpose, const void *bytes,
                             size_t n, json_t **answer)
{
    guardian *g = &t->t[place];
    char path[128];
    tc_text body = {0}, text = {0};
    tc_signature s;
    const tc_signed signs = {
        .purpose = purpose, .study = t->w.hash, .round = round, .body = bytes, .n_body = n};
    tc_text_addf(&body, "{\"%s\": \"", field);
    if (purpose == TC_SIGN_REFUSAL)
        tc_text_add_bytes(&body, bytes, n);
    else
        tc_base64_add(&body, bytes, n);
    tc_text_add(&body, "\"}");
    tc_sign(&g->secret, &signs, &s);
    tc_base64_add(&text, s.bytes, sizeof s.bytes);
    snprintf(path, sizeof path, "/v1/studies/%s/rounds/%" PRIu64 "/%s", t->w.study, round, what);
    tc_request q = {.method = "POST",
                    .path = path,
                    .bearer = g->access,
                    .signature = tc_text_get(&text),
                    .body = tc_text_get(&body),
                    .n_body = body.len};
    int status = world_request(&t->w, &q, answer);
    tc_text_fini(&body);
    tc_text_fini(&text);
    return status;
}

static inline int trust_deal_noise(trust_world *t, uint32_t place, uint64_t round, json_t **answer)
{
    size_t n;
    uint8_t *upload =
        trust_deal(t, round, TC_DEALER_TRUSTEE, place, trust_noise(t, round, place), &n);
    int status = trust_post(t, place, round, "noise", "noise", TC_SIGN_NOISE, upload, n, answer);
    tc_free(upload);
    return status;
}

/* ---- what is added up ---- */

/* GET with a query; the status. */
static inline int trust_get(trust_world *t, const char *bearer, const char *path, const char *query,
                            json_t **answer)
{
    tc_request q = {.method = "GET", .path = path, .query = query, .bearer = bearer};
    return world_request(&t->w, &q, answer);
}

static inline uint8_t *trust_bytes(const json_t *j, const char *key, size_t *n)
{
    tacit_error err = {0};
    uint8_t *bytes;
    assert_ok(tc_base64_bytes(world_text(j, key), key, 1 << 28, &bytes, n, &err));
    return bytes;
}

/* The set, and all boxes of a trustee, page by page; both for tc_free. The status of the first page. */
static inline int trust_shares(trust_world *t, uint32_t place, uint64_t round, int limit,
                               uint8_t **set, size_t *n_set, tc_text *boxes)
{
    char path[128], query[64];
    json_int_t after = 0;
    *set = NULL;
    snprintf(path, sizeof path, "/v1/studies/%s/rounds/%" PRIu64 "/shares", t->w.study, round);
    for (bool more = true; more;) {
        json_t *a;
        size_t n;
        snprintf(query, sizeof query, "after=%lld&limit=%d", (long long)after, limit);
        int status = trust_get(t, t->t[place].access, path, query, &a);
        if (status != 200) {
            json_decref(a);
            return status;
        }
        if (after == 0)
            *set = trust_bytes(a, "set", n_set);
        uint8_t *bytes = trust_bytes(a, "boxes", &n);
        tc_text_add_bytes(boxes, bytes, n);
        tc_free(bytes);
        more = !json_is_null(json_object_get(a, "next"));
        after = json_integer_value(json_object_get(a, "next"));
        json_decref(a);
    }
    return 200;
}

/* Adds one box to the sums of its group. */
static inline const uint8_t *trust_add(const trust_world *t, uint32_t place, const tc_trust_set *s,
                                       tc_dealer_kind kind, size_t i, const tc_shared_plan *p,
                                       const uint8_t *box, uint64_t *sums)
{
    const bool trustee = kind == TC_DEALER_TRUSTEE;
    const size_t words = trustee ? p->groups * p->width : p->width;
    const tc_dealing_head head = tc_trust_set_head(s, kind, i, (uint32_t)words);
    const size_t n = tc_dealing_box_size(&t->trustees, place, words);
    uint8_t *share = tc_alloc(tc_share_size(&t->trustees, place, words), 1);
    tacit_error err = {0};
    const tc_public_key *sender = trustee ? &t->t[head.number].key : &t->w.agents[head.number].key;
    assert_ok(tc_dealing_open(&t->trustees, &t->w.hash, &head, sender, place,
                              &t->t[place].secrets[s->round], box, n, share, &err));
    size_t group = trustee ? 0 : (size_t)head.number % p->groups;
    assert_ok(tc_share_add(&t->trustees, place, share, words, sums + group * p->width, &err));
    tc_free(share);
    return box + n;
}

/* An answer to the set that is shown, for tc_free. NULL: none is shown. */
static inline uint8_t *trust_answer(trust_world *t, uint32_t place, uint64_t round, size_t *n)
{
    const tc_shared_plan p = trust_plan(t, round);
    const size_t words = p.groups * p.width;
    uint64_t *sums = tc_alloc(words, sizeof *sums);
    uint8_t *set;
    size_t n_set;
    tc_text boxes = {0};
    tc_trust_set s;
    tacit_error err = {0};
    if (trust_shares(t, place, round, t->page > 0 ? t->page : 2, &set, &n_set, &boxes) != 200) {
        tc_free(sums);
        tc_free(set);
        tc_text_fini(&boxes);
        return NULL;
    }
    assert_ok(tc_trust_set_read(set, n_set, &s, &err));
    const tc_set_terms terms = {
        .epoch = TC_ROSTER_EPOCH, .round = round, .agents = TRUST_AGENTS, .trustees = t->trustees};
    assert_ok(tc_trust_set_check(&s, &terms, &err));
    const uint8_t *box = (const uint8_t *)tc_text_get(&boxes);
    for (size_t i = 0; i < s.agents; i++)
        box = trust_add(t, place, &s, TC_DEALER_AGENT, i, &p, box, sums);
    for (size_t i = 0; i < s.dealers; i++)
        box = trust_add(t, place, &s, TC_DEALER_TRUSTEE, i, &p, box, sums);
    assert_ptr_equal(box, tc_text_get(&boxes) + boxes.len);
    const tc_trust_answer a = {.epoch = TC_ROSTER_EPOCH,
                               .round = round,
                               .trustee = place,
                               .set = tc_trust_set_hash(&s, &t->w.hash),
                               .words = (uint32_t)words};
    *n = tc_trust_answer_size(words);
    uint8_t *out = tc_alloc(*n, 1);
    tc_trust_answer_write(&a, sums, out);
    tc_free(sums);
    tc_free(set);
    tc_text_fini(&boxes);
    return out;
}

static inline int trust_post_answer(trust_world *t, uint32_t place, uint64_t round,
                                    const uint8_t *bytes, size_t n, json_t **answer)
{
    return trust_post(t, place, round, "answers", "answer", TC_SIGN_ANSWER, bytes, n, answer);
}

/* What trustee `place` does when it is to answer; 409: the set is not there. */
static inline int trust_do_answer(trust_world *t, uint32_t place, uint64_t round, json_t **answer)
{
    size_t n;
    uint8_t *bytes = trust_answer(t, place, round, &n);
    if (!bytes)
        return 409;
    int status = trust_post_answer(t, place, round, bytes, n, answer);
    tc_free(bytes);
    return status;
}

/* ---- what comes of it ---- */

/* The bytes that the round must be released with, where agents and dealers are these (bit i: agent or trustee i); for
 * tc_free. */
static inline uint8_t *trust_expected(const trust_world *t, uint64_t round, uint32_t agents,
                                      uint32_t dealers, size_t *n)
{
    const tc_shared_plan p = trust_plan(t, round);
    const size_t words = p.groups * p.width;
    int64_t *sums = trust_numbers(words);
    tacit_error err = {0};
    tc_release *r;
    for (uint32_t i = 0; i < TRUST_AGENTS; i++) {
        int64_t *v = trust_vector(t, round, i);
        for (size_t j = 0; agents >> i & 1 && j < p.width; j++)
            sums[i % p.groups * p.width + j] += v[j];
        tc_free(v);
    }
    for (uint32_t k = 0; k < t->trustees.count; k++) {
        int64_t *v = trust_noise(t, round, k);
        for (size_t j = 0; dealers >> k & 1 && j < words; j++)
            sums[j] += v[j];
        tc_free(v);
    }
    assert_ok(tc_shared_release(&p, sums, true, &r, &err));
    *n = tc_release_size(r);
    uint8_t *bytes = tc_alloc(*n, 1);
    tc_release_encode(r, bytes);
    tc_release_free(r);
    tc_free(sums);
    return bytes;
}

static inline void trust_assert_released(trust_world *t, uint64_t round, uint32_t agents,
                                         uint32_t dealers)
{
    uint8_t *got, *want;
    size_t n, m;
    assert_int_equal(world_broadcast(&t->w, t->w.agents[0].access, round, &got, &n), 200);
    want = trust_expected(t, round, agents, dealers, &m);
    assert_int_equal(n, m);
    assert_memory_equal(got, want, n);
    tc_free(got);
    tc_free(want);
}

static inline uint64_t trust_count(trust_world *t, tc_record_kind kind)
{
    tacit_error err = {0};
    uint64_t n;
    tc_record_range all = {.study = 1, .kind = kind};
    assert_ok(tc_store_record_count(t->w.store, &all, &n, &err));
    return n;
}

/* Nothing of what was dealt or added up is in the store. */
static inline void trust_assert_swept(trust_world *t)
{
    assert_int_equal(trust_count(t, TC_RECORD_MESSAGE), 0);
    assert_int_equal(trust_count(t, TC_RECORD_NOISE), 0);
    assert_int_equal(trust_count(t, TC_RECORD_SHARE_SUM), 0);
}

/* The number `field` of trustee `place`, as the operator's list shows it. */
static inline int64_t trust_listed(trust_world *t, uint32_t place, const char *field)
{
    json_t *a;
    char path[128];
    assert_int_equal(trust_get(t, t->w.operator_token, trust_path(t, path, "/trustees"), NULL, &a),
                     200);
    const json_t *row = json_array_get(json_object_get(a, "trustees"), place);
    assert_int_equal(json_integer_value(json_object_get(row, "trustee")), place);
    int64_t n = json_integer_value(json_object_get(row, field));
    json_decref(a);
    return n;
}

/* A tick, whether the process dies of it or not. */
static inline void trust_tick(trust_world *t)
{
    tacit_error err = {0};
    tacit_status status;
    int64_t next;
    TRUST_AGAIN(t, status, tc_coord_tick(t->w.coord, &next, &err));
    assert_ok(status);
}

#endif
