/* roster_test.c - tokens and keys: who was shut out stays out, and what was lost can be had again. */
#include "support/coord_study.h"

#include "base/error.h"

#include <pthread.h>

enum { CROWD = 48 };

static const char crowd_document[] =
    "{\"name\": \"t\", \"direction\": \"maximize\", \"trials\": 12,"
    " \"space\": {\"x\": {\"type\": \"float\", \"low\": 0, \"high\": 1}},"
    " \"algorithm\": {\"name\": \"dp-fts-de\", \"features\": 8}, \"federation\": {\"agents\": 48},"
    " \"privacy\": {\"epsilon\": 5, \"delta\": 1e-5}}";

static uint64_t count(coord_world *w, int64_t study, tc_record_kind kind)
{
    tacit_error err = {0};
    uint64_t n;
    tc_record_range all = {.study = study, .kind = kind};
    assert_ok(tc_store_record_count(w->store, &all, &n, &err));
    return n;
}

static int privacy(coord_world *w, const char *token)
{
    return world_call(w, "GET", "/v1/studies/s/privacy", token, NULL, NULL);
}

static int revoke(coord_world *w, int agent)
{
    char path[64];
    snprintf(path, sizeof path, "/v1/studies/s/agents/%d:revoke", agent);
    return world_call(w, "POST", path, w->operator_token, NULL, NULL);
}

/* ---- another key ---- */

static void add_field(tc_text *body, const char *name, const void *bytes, size_t n)
{
    tc_text_addf(body, "%s\"%s\": \"", body->len > 0 ? ", " : "{", name);
    tc_base64_add(body, bytes, n);
    tc_text_add(body, "\"");
}

/* Signed by `old` and by `owner`, who should be who has the fresh key. */
static int rotate(coord_world *w, citizen *old, const citizen *fresh, const tc_secret_key *owner,
                  const char *token, json_t **answer)
{
    tc_text body = {0};
    tc_signature proof, possession;
    tc_signed what = {.purpose = TC_SIGN_ROTATE,
                      .study = w->hash,
                      .sequence = old->sequence,
                      .body = fresh->key.bytes,
                      .n_body = sizeof fresh->key.bytes};
    tc_sign(&old->secret, &what, &proof);
    tc_sign(owner, &what, &possession);
    add_field(&body, "key", fresh->key.bytes, sizeof fresh->key.bytes);
    add_field(&body, "proof", proof.bytes, sizeof proof.bytes);
    add_field(&body, "possession", possession.bytes, sizeof possession.bytes);
    tc_text_add(&body, "}");
    int status =
        world_call(w, "POST", "/v1/studies/s/agents/0:rotate", token, tc_text_get(&body), answer);
    tc_text_fini(&body);
    return status;
}

static void a_key_is_changed_by_its_owner(void **state)
{
    coord_world *w = *state;
    citizen *c = &w->agents[0], old = *c, fresh = *c;
    json_t *a;
    char token[64];
    world_keys(&fresh, 55);
    assert_int_equal(rotate(w, c, &fresh, &fresh.secret, w->agents[1].access, NULL), 403);
    assert_int_equal(rotate(w, c, &fresh, &c->secret, c->access, &a), 403);
    assert_detail(a, "possession is not a signature of the new key with itself");
    assert_int_equal(rotate(w, &w->agents[1], &fresh, &fresh.secret, c->access, &a), 403);
    assert_detail(a, "proof is not a signature of the new key with the present one");
    assert_int_equal(rotate(w, c, &fresh, &fresh.secret, c->access, &a), 200);
    snprintf(fresh.access, sizeof fresh.access, "%s", world_text(a, "access"));
    json_decref(a);
    /* The old token and the old key are worth nothing any more. */
    assert_int_equal(privacy(w, old.access), 401);
    snprintf(c->access, sizeof c->access, "%s", fresh.access);
    assert_int_equal(study_post(w, 0, 0, NULL), 403);
    world_join_token(w, 5, token);
    assert_int_equal(world_enrol(w, &old, token), 403);
    *c = fresh;
    assert_int_equal(study_post(w, 0, 0, NULL), 202);
    /* The new one has the place. */
    assert_int_equal(world_enrol(w, c, token), 200);
    assert_int_equal(c->number, 0);
}

/* ---- the end of an agent ---- */

static void a_revoked_agent_cannot_read_nor_come_back(void **state)
{
    coord_world *w = *state;
    citizen thief = w->agents[0];
    char token[64];
    assert_int_equal(privacy(w, thief.access), 200);
    assert_int_equal(revoke(w, 0), 200);
    assert_int_equal(revoke(w, 0), 200);
    assert_int_equal(revoke(w, 7), 404);
    assert_int_equal(privacy(w, thief.access), 401);
    assert_int_equal(world_call(w, "GET", "/v1/studies/s", thief.access, NULL, NULL), 401);
    world_join_token(w, 1, token);
    assert_int_equal(world_enrol(w, &thief, token), 403);
}

static void nobody_waits_for_a_revoked_agent(void **state)
{
    coord_world *w = *state;
    assert_int_equal(study_post(w, 0, 0, NULL), 202);
    assert_int_equal(study_post(w, 1, 0, NULL), 202);
    /* One that has sent does not make up for one that has not. */
    assert_int_equal(revoke(w, 0), 200);
    world_tick(w);
    assert_int_equal(world_broadcast(w, w->agents[1].access, 0, NULL, NULL), 202);
    assert_int_equal(revoke(w, 2), 200);
    world_tick(w);
    assert_int_equal(world_broadcast(w, w->agents[1].access, 0, NULL, NULL), 200);
}

/* ---- tokens ---- */

static void a_token_of_one_use_gives_one_access(void **state)
{
    coord_world *w = *state;
    citizen c = w->agents[1], stranger;
    char token[64];
    world_join_token(w, 1, token);
    assert_int_equal(world_enrol(w, &c, token), 200); /* with another token: a use of it */
    uint64_t tokens = count(w, 0, TC_RECORD_TOKEN);
    assert_int_equal(world_enrol(w, &c, token),
                     401); /* it came with another, and this one is spent */
    assert_int_equal(count(w, 0, TC_RECORD_TOKEN), tokens);
    assert_int_equal(privacy(w, w->agents[1].access), 401);
    assert_int_equal(privacy(w, c.access), 200);
    world_keys(&stranger, 99);
    assert_int_equal(world_enrol(w, &stranger, token), 401);
}

static void who_lost_the_answer_asks_again(void **state)
{
    tacit_error err = {0};
    coord_world v = {.now_ms = 1000000};
    citizen *c = &v.agents[0];
    tc_store *store;
    char token[64], first[64];
    (void)state;
    assert_ok(tc_store_open(&store, "memory:", true, &err));
    world_open(&v, store, 7);
    world_create(&v, "s", study_document);
    world_join_token(&v, 1, token);
    world_keys(c, 0);
    assert_int_equal(world_enrol(&v, c, token), 201);
    snprintf(first, sizeof first, "%s", c->access);
    uint64_t tokens = count(&v, 0, TC_RECORD_TOKEN);
    for (int i = 0; i < 20; i++)
        assert_int_equal(world_enrol(&v, c, token), 200);
    assert_int_equal(count(&v, 0, TC_RECORD_TOKEN), tokens); /* each in place of the last */
    assert_int_equal(privacy(&v, first), 401);
    assert_int_equal(privacy(&v, c->access), 200);
    /* To do so it reads the study, for an hour after the token was spent. */
    assert_int_equal(world_call(&v, "GET", "/v1/studies/s", token, NULL, NULL), 200);
    v.now_ms += 3600 * 1000;
    assert_int_equal(world_call(&v, "GET", "/v1/studies/s", token, NULL, NULL), 401);
    assert_int_equal(world_enrol(&v, c, token), 200);
    world_close(&v);
}

static void a_token_can_be_withdrawn(void **state)
{
    coord_world *w = *state;
    char token[64], body[128];
    const char *path = "/v1/tokens:withdraw";
    world_join_token(w, 5, token);
    assert_int_equal(world_call(w, "GET", "/v1/studies/s", token, NULL, NULL), 200);
    snprintf(body, sizeof body, "{\"token\": \"%s\"}", token);
    assert_int_equal(world_call(w, "POST", path, w->agents[0].access, body, NULL), 403);
    assert_int_equal(world_call(w, "POST", path, w->operator_token, body, NULL), 200);
    assert_int_equal(world_call(w, "POST", path, w->operator_token, body, NULL), 404);
    assert_int_equal(world_call(w, "GET", "/v1/studies/s", token, NULL, NULL), 401);
}

static void another_operator_token_can_be_had(void **state)
{
    coord_world *w = *state;
    tacit_error err = {0};
    tc_text token = {0};
    assert_ok(tc_coord_new_operator_token(w->coord, &token, &err));
    assert_string_not_equal(tc_text_get(&token), w->operator_token);
    assert_int_equal(world_call(w, "GET", "/v1/studies", tc_text_get(&token), NULL, NULL), 200);
    assert_int_equal(world_call(w, "GET", "/v1/studies", w->operator_token, NULL, NULL), 200);
    tc_text_fini(&token);
}

static void tokens_end_with_their_study(void **state)
{
    coord_world *w = *state;
    char old[64];
    const char *op = w->operator_token;
    world_join_token(w, 5, old);
    assert_int_equal(world_call(w, "DELETE", "/v1/studies/s", op, NULL, NULL), 200);
    world_create(w, "s", study_document);
    assert_int_equal(privacy(w, w->agents[0].access), 403);
    assert_int_equal(world_call(w, "GET", "/v1/studies/s", old, NULL, NULL), 403);
    assert_int_equal(world_enrol(w, &w->agents[0], old), 403);
}

/* ---- crowds ---- */

/* A second coordinator that is always first, or that changes what another request of this one has read. */
static tacit_status first_elsewhere(tc_store *s, const tc_change *c, size_t n, size_t *refused,
                                    tacit_error *err)
{
    (void)s, (void)c, (void)n;
    if (refused)
        *refused = 0;
    return tc_fail(err, TACIT_E_CONFLICT, "somebody else changed the same thing");
}

static void who_comes_in_a_crowd_is_asked_to_come_again(void **state)
{
    coord_world *w = *state;
    char token[64];
    citizen late;
    world_create(w, "t", crowd_document);
    world_join_token(w, CROWD, token);
    world_keys(&late, 99);
    const tc_store_ops *usual = w->store->ops;
    tc_store_ops crowded = *usual;
    crowded.change = first_elsewhere;
    w->store->ops = &crowded;
    assert_int_equal(world_enrol(w, &late, token), 503); /* an agent tries again */
    w->store->ops = usual;
    assert_int_equal(world_enrol(w, &late, token), 201);
}

typedef struct joiner {
    coord_world *w;
    const char *token;
    citizen who;
    int status;
} joiner;

static void *join_once(void *user)
{
    joiner *j = user;
    j->status = world_enrol(j->w, &j->who, j->token);
    return NULL;
}

static void a_crowd_with_one_token_finds_its_places(void **state)
{
    coord_world *w = *state;
    char token[64];
    static joiner all[CROWD];
    pthread_t threads[CROWD];
    bool taken[CROWD] = {false};
    world_create(w, "t", crowd_document);
    world_join_token(w, CROWD, token);
    for (size_t i = 0; i < CROWD; i++) {
        all[i] = (joiner){.w = w, .token = token};
        world_keys(&all[i].who, (uint8_t)(100 + i));
        assert_int_equal(pthread_create(&threads[i], NULL, join_once, &all[i]), 0);
    }
    for (size_t i = 0; i < CROWD; i++)
        pthread_join(threads[i], NULL);
    for (size_t i = 0; i < CROWD; i++) {
        assert_int_equal(all[i].status, 201);
        assert_false(taken[all[i].who.number]);
        taken[all[i].who.number] = true;
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        IN_WORLD(a_key_is_changed_by_its_owner),
        IN_WORLD(a_revoked_agent_cannot_read_nor_come_back),
        IN_WORLD(nobody_waits_for_a_revoked_agent),
        IN_WORLD(a_token_of_one_use_gives_one_access),
        cmocka_unit_test(who_lost_the_answer_asks_again),
        IN_WORLD(a_token_can_be_withdrawn),
        IN_WORLD(another_operator_token_can_be_had),
        IN_WORLD(tokens_end_with_their_study),
        IN_WORLD(who_comes_in_a_crowd_is_asked_to_come_again),
        IN_WORLD(a_crowd_with_one_token_finds_its_places),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
