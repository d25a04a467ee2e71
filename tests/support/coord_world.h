/* coord_world.h - a coordinator without sockets and the agents of one study, for tests.
 *
 * Requests are built as a client would build them. Tests fail at the first answer that is not the
 * expected one, and show it. */
#ifndef TEST_COORD_WORLD_H
#define TEST_COORD_WORLD_H

#include "support/test.h"

#include "agent/transport.h"
#include "algo/optimizer.h"
#include "base/json.h"
#include "base/memory.h"
#include "coord/coord.h"
#include "study/study_plan.h"
#include "wire/protocol.h"
#include "wire/signature.h"

#include <inttypes.h>
#include <stdio.h>

enum { WORLD_AGENTS_MOST = 32 };

typedef struct citizen {
    tc_public_key key;
    tc_secret_key secret;
    char access[64];
    uint64_t number, sequence;
} citizen;

typedef struct coord_world {
    tc_store *store;
    tc_coord *coord;
    int64_t now_ms; /* the clock */
    char operator_token[64];
    char study[64];
    tacit_hash hash;
    citizen agents[WORLD_AGENTS_MOST];
    size_t n;
    bool secret; /* keys, tokens and noise come from the machine's entropy, and not from a seed */
    /* In place of `coord`: it is in another process. */
    void (*serve)(void *server, const tc_request *q, tc_response *r);
    void *server;
    tc_text *answers; /* NULL, or where the bytes of each answer are added */
} coord_world;

static inline int64_t world_clock(void *user)
{
    return ((coord_world *)user)->now_ms;
}

/* ---- requests ---- */

/* *answer (may be NULL) is the body, for json_decref; NULL if it is not JSON. */
static inline int world_request(coord_world *w, const tc_request *q, json_t **answer)
{
    tc_response r = {0};
    tacit_error err = {0};
    if (w->serve)
        w->serve(w->server, q, &r);
    else
        tc_coord_handle(w->coord, q, &r);
    if (tc_coord_check_answer(q, &r, &err) != TACIT_OK)
        fail_msg("%s", err.msg);
    int status = r.status;
    if (w->answers)
        tc_text_add_bytes(w->answers, tc_text_get(&r.body), r.body.len);
    if (answer)
        *answer = json_loads(tc_text_get(&r.body), JSON_REJECT_DUPLICATES, NULL);
    tc_response_fini(&r);
    return status;
}

static inline int world_call(coord_world *w, const char *method, const char *path,
                             const char *token, const char *body, json_t **answer)
{
    tc_request q = {.method = method,
                    .path = path,
                    .bearer = token,
                    .body = body,
                    .n_body = body ? strlen(body) : 0};
    return world_request(w, &q, answer);
}

static inline const char *world_text(const json_t *j, const char *key)
{
    const char *text = json_string_value(json_object_get(j, key));
    assert_non_null(text);
    return text;
}

/* ---- making one ---- */

static inline void world_open(coord_world *w, tc_store *store, uint64_t seed)
{
    tacit_error err = {0};
    tc_text token = {0};
    bool made;
    w->store = store;
    tc_coord_config cfg = {
        .store = store, .now_ms = world_clock, .user = w, .seeded = !w->secret, .seed = seed};
    assert_ok(tc_coord_new(&w->coord, &cfg, &err));
    assert_ok(tc_coord_operator_token(w->coord, &token, &made, &err));
    if (made)
        snprintf(w->operator_token, sizeof w->operator_token, "%s", tc_text_get(&token));
    tc_text_fini(&token);
}

/* Of the study that an answer shows. */
static inline tacit_hash world_hash(const json_t *shown)
{
    tc_study_row row = {.document = (char *)world_text(shown, "document"),
                        .created_ms = json_integer_value(json_object_get(shown, "created_ms"))};
    assert_true(tc_base64_read(world_text(shown, "public_seed"), row.public_seed.bytes,
                               sizeof row.public_seed.bytes));
    return tc_study_hash(&row);
}

static inline void world_create(coord_world *w, const char *name, const char *document)
{
    char body[4096], path[128];
    json_t *a;
    snprintf(body, sizeof body, "{\"document\": %s}", document);
    assert_int_equal(world_call(w, "POST", "/v1/studies", w->operator_token, body, &a), 201);
    snprintf(w->study, sizeof w->study, "%s", name);
    w->hash = world_hash(a);
    json_decref(a);
    snprintf(path, sizeof path, "/v1/studies/%s", name);
    assert_int_equal(world_call(w, "GET", path, w->operator_token, NULL, NULL), 200);
}

static inline void world_join_token(coord_world *w, int uses, char out[64])
{
    char path[128], body[64];
    json_t *a;
    snprintf(path, sizeof path, "/v1/studies/%s/tokens", w->study);
    snprintf(body, sizeof body, "{\"uses\": %d}", uses);
    assert_int_equal(world_call(w, "POST", path, w->operator_token, body, &a), 201);
    snprintf(out, 64, "%s", world_text(a, "token"));
    json_decref(a);
}

/* The status of the answer. */
static inline int world_enrol(coord_world *w, citizen *c, const char *token)
{
    char path[128];
    tc_text body = {0};
    json_t *a;
    tacit_hash h = tc_hash_bytes(token, strlen(token));
    tc_signed what = {
        .purpose = TC_SIGN_ENROL, .study = w->hash, .body = h.bytes, .n_body = sizeof h.bytes};
    tc_signature proof;
    tc_sign(&c->secret, &what, &proof);
    tc_text_add(&body, "{\"key\": \"");
    tc_base64_add(&body, c->key.bytes, sizeof c->key.bytes);
    tc_text_add(&body, "\", \"proof\": \"");
    tc_base64_add(&body, proof.bytes, sizeof proof.bytes);
    tc_text_add(&body, "\"}");
    snprintf(path, sizeof path, "/v1/studies/%s/agents", w->study);
    int status = world_call(w, "POST", path, token, tc_text_get(&body), &a);
    if (status < 300) {
        snprintf(c->access, sizeof c->access, "%s", world_text(a, "access"));
        c->number = (uint64_t)json_integer_value(json_object_get(a, "agent"));
    }
    json_decref(a);
    tc_text_fini(&body);
    return status;
}

static inline void world_keys(citizen *c, uint8_t salt)
{
    uint8_t seed[32] = {salt, 1};
    tc_keys_from(&c->key, &c->secret, seed);
}

static inline void world_enrol_all(coord_world *w, size_t n)
{
    char token[64];
    world_join_token(w, (int)n, token);
    for (size_t i = 0; i < n; i++) {
        world_keys(&w->agents[i], (uint8_t)i);
        assert_int_equal(world_enrol(w, &w->agents[i], token), 201);
        assert_int_equal(w->agents[i].number, i);
    }
    w->n = n;
}

/* A second time is allowed: a test that failed between its end and a new beginning is ended once more. */
static inline void world_close(coord_world *w)
{
    tc_coord_free(w->coord);
    tc_store_close(w->store);
    w->coord = NULL;
    w->store = NULL;
}

/* ---- rounds ---- */

/* field: "message", or "decline" */
static inline int world_post_field(coord_world *w, citizen *c, uint64_t round, uint64_t sequence,
                                   const char *field, const void *bytes, size_t n, json_t **answer)
{
    char path[128];
    tc_text body = {0}, text = {0};
    tc_signature s;
    tc_text_addf(&body, "{\"sequence\": %" PRIu64 ", \"%s\": \"", sequence, field);
    tc_base64_add(&body, bytes, n);
    tc_text_add(&body, "\"}");
    tc_signed what = {.purpose = TC_SIGN_MESSAGE,
                      .study = w->hash,
                      .round = round,
                      .sequence = sequence,
                      .body = tc_text_get(&body),
                      .n_body = body.len};
    tc_sign(&c->secret, &what, &s);
    tc_base64_add(&text, s.bytes, sizeof s.bytes);
    snprintf(path, sizeof path, "/v1/studies/%s/rounds/%" PRIu64 "/messages", w->study, round);
    tc_request q = {.method = "POST",
                    .path = path,
                    .bearer = c->access,
                    .signature = tc_text_get(&text),
                    .body = tc_text_get(&body),
                    .n_body = body.len};
    int status = world_request(w, &q, answer);
    tc_text_fini(&body);
    tc_text_fini(&text);
    return status;
}

static inline int world_post_bytes(coord_world *w, citizen *c, uint64_t round, uint64_t sequence,
                                   const void *bytes, size_t n, json_t **answer)
{
    return world_post_field(w, c, round, sequence, "message", bytes, n, answer);
}

/* A call of an agent, whose network is this function. *closes: a round may be complete. */
static inline void world_carry(coord_world *w, const tc_call *call, int *status, tc_text *body,
                               bool *closes)
{
    char path[256];
    tc_response r = {0};
    snprintf(path, sizeof path, "%s", call->path);
    char *query = strchr(path, '?');
    if (query)
        *query++ = 0;
    tc_request q = {.method = call->method,
                    .path = path,
                    .query = query,
                    .protocol = TC_PROTOCOL_TEXT,
                    .bearer = call->bearer,
                    .signature = call->signature,
                    .idempotency = call->idempotency,
                    .body = call->body,
                    .n_body = call->n_body};
    tc_coord_handle(w->coord, &q, &r);
    *status = r.status;
    *closes = r.closes;
    tc_text_add_bytes(body, tc_text_get(&r.body), r.body.len);
    tc_response_fini(&r);
}

static inline void world_tick(coord_world *w)
{
    tacit_error err = {0};
    int64_t next;
    assert_ok(tc_coord_tick(w->coord, &next, &err));
}

/* The status; the bytes are for tc_free. */
static inline int world_broadcast(coord_world *w, const char *token, uint64_t round,
                                  uint8_t **bytes, size_t *n)
{
    char path[128];
    tacit_error err = {0};
    json_t *a;
    snprintf(path, sizeof path, "/v1/studies/%s/rounds/%" PRIu64 "/broadcast", w->study, round);
    int status = world_call(w, "GET", path, token, NULL, &a);
    if (status == 200 && bytes)
        assert_ok(tc_base64_bytes(world_text(a, "release"), "release", 1 << 24, bytes, n, &err));
    json_decref(a);
    return status;
}

#endif
