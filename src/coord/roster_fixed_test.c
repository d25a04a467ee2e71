/* roster_fixed_test.c - trustees enrol, and the roster is fixed when the last party is there: then nothing changes it any more. */
#include "support/shared_world.h"

static const tc_trustees four = {4, 2, 1, 3};

static void enrol_agents(trust_world *t, size_t first, size_t last)
{
    for (size_t i = first; i < last; i++)
        assert_int_equal(world_enrol(&t->w, &t->w.agents[i], t->join), 201);
}

static void enrol_trustees(trust_world *t, uint32_t first, uint32_t last)
{
    for (uint32_t k = first; k < last; k++)
        assert_int_equal(trust_enrol(t, &t->t[k]), 201);
}

static int roster(trust_world *t, const char *bearer, json_t **a)
{
    return trust_get(t, bearer, "/v1/studies/s/roster", NULL, a);
}

static int revoke(trust_world *t, uint32_t place)
{
    char path[64];
    snprintf(path, sizeof path, "/v1/studies/s/trustees/%u:revoke", place);
    return world_call(&t->w, "POST", path, t->w.operator_token, NULL, NULL);
}

/* The study's JSON. */
static json_t *show(trust_world *t)
{
    json_t *a;
    assert_int_equal(world_call(&t->w, "GET", "/v1/studies/s", t->w.operator_token, NULL, &a), 200);
    return a;
}

static void assert_enrolled(trust_world *t, int agents, int trustees)
{
    json_t *a;
    assert_int_equal(roster(t, t->w.operator_token, &a), 202);
    assert_int_equal(json_integer_value(json_object_get(a, "agents")), TRUST_AGENTS);
    assert_int_equal(json_integer_value(json_object_get(a, "enrolled")), agents);
    assert_int_equal(json_integer_value(json_object_get(a, "trustees")), 4);
    assert_int_equal(json_integer_value(json_object_get(a, "trustees_enrolled")), trustees);
    json_decref(a);
    a = show(t);
    assert_true(json_is_null(json_object_get(a, "roster")));
    assert_int_equal(json_integer_value(json_object_get(a, "trustees_enrolled")), trustees);
    json_decref(a);
}

/* Every key stands at its place, and the batches are those that were brought. */
static void assert_keys(const trust_world *t, const tc_trust_roster *r, const json_t *batches)
{
    tacit_error err = {0};
    const tc_roster_terms want = {
        .study = t->w.hash, .agents = TRUST_AGENTS, .trustees = 4, .rounds = (uint32_t)t->rounds};
    assert_ok(tc_trust_roster_check(r, &want, &err));
    for (uint64_t i = 0; i < TRUST_AGENTS; i++)
        assert_ok(tc_trust_roster_own(r, TC_DEALER_AGENT, i, &t->w.agents[i].key, &err));
    assert_int_equal(json_array_size(batches), 4);
    for (uint32_t k = 0; k < 4; k++) {
        const char *text = json_string_value(json_array_get(batches, k));
        uint8_t *batch;
        size_t n;
        assert_ok(tc_trust_roster_own(r, TC_DEALER_TRUSTEE, k, &t->t[k].key, &err));
        assert_ok(tc_base64_bytes(text, "round_keys", 1 << 20, &batch, &n, &err));
        assert_ok(tc_trust_roster_batch(r, k, batch, n, &err));
        assert_memory_equal(batch, t->t[k].keys, n);
        tc_free(batch);
    }
}

static void the_roster_is_fixed_with_the_last_party(void **state)
{
    trust_world t;
    json_t *a, *b;
    tc_trust_roster r;
    tacit_error err = {0};
    size_t n;
    (void)state;
    trust_begin(&t, trust_memory(), four, 60);
    assert_enrolled(&t, 0, 0);
    enrol_agents(&t, 0, 3);
    assert_enrolled(&t, 3, 0);
    enrol_trustees(&t, 0, 3);
    assert_enrolled(&t, 3, 3);
    assert_int_equal(trust_send(&t, 0, 0, &a), 409);
    assert_detail(a,
                  "the roster is not fixed yet: 3 of 3 agents and 3 of 4 trustees have enrolled");
    enrol_trustees(&t, 3, 4);
    assert_int_equal(roster(&t, t.w.operator_token, &a), 200);
    uint8_t *bytes = trust_bytes(a, "roster", &n);
    assert_ok(tc_trust_roster_read(bytes, n, &r, &err));
    assert_keys(&t, &r, json_object_get(a, "round_keys"));
    const tc_fingerprint print = tc_trust_roster_fingerprint(bytes, n);
    assert_string_equal(world_text(a, "fingerprint"), print.text);
    b = show(&t);
    assert_string_equal(world_text(b, "roster"), print.text);
    json_decref(b);
    assert_int_equal(roster(&t, t.t[2].access, &b), 200); /* the same for all */
    assert_true(json_equal(a, b));
    json_decref(b);
    assert_int_equal(roster(&t, t.w.agents[1].access, &b), 200);
    assert_true(json_equal(a, b));
    json_decref(b);
    json_decref(a);
    tc_free(bytes);
    assert_int_equal(trust_send(&t, 0, 0, NULL), 202);
    trust_end(&t);
}

static const tc_store_ops *real;
static uint64_t rosters_read;

static tacit_status count_get(tc_store *s, const tc_record *which, tc_record *out, tacit_error *err)
{
    rosters_read += which->kind == TC_RECORD_ROSTER;
    return real->record_get(s, which, out, err);
}

/* It is as long as there are agents: if each answer about the study read it, that would be their number squared. */
static void a_roster_is_read_once_however_many_ask(void **state)
{
    static tc_store_ops ops;
    trust_world t;
    tc_store *store = trust_memory();
    char *first;
    (void)state;
    real = store->ops;
    ops = *real;
    ops.record_get = count_get;
    store->ops = &ops;
    trust_begin(&t, store, four, 60);
    enrol_agents(&t, 0, 3);
    enrol_trustees(&t, 0, 4);
    json_t *a = show(&t);
    first = json_dumps(a, JSON_SORT_KEYS);
    json_decref(a);
    assert_int_equal(roster(&t, t.w.operator_token, NULL), 200);
    rosters_read = 0;
    for (int i = 0; i < 10; i++) {
        a = show(&t);
        char *again = json_dumps(a, JSON_SORT_KEYS);
        assert_string_equal(again, first);
        free(again);
        json_decref(a);
        assert_int_equal(roster(&t, t.w.agents[1].access, NULL), 200);
    }
    assert_int_equal(rosters_read, 0);
    free(first);
    trust_end(&t);
}

/* The log of operators has who came, and what was fixed. */
static void what_happened_is_in_the_operators_log(void **state)
{
    static const char *const actions[] = {"trustee.enrol", "trustee.revoke", "trustee.enrol",
                                          "roster.fix", "trustee.revoke"};
    trust_world t;
    json_t *a, *e;
    size_t i, found = 0;
    (void)state;
    trust_begin(&t, trust_memory(), (tc_trustees){3, 2, 1, 3}, 60);
    enrol_agents(&t, 0, 3);
    enrol_trustees(&t, 0, 1);
    assert_int_equal(revoke(&t, 0), 200);
    trust_token(&t, "{\"role\": \"trustee\", \"name\": \"bank\"}", t.t[0].join);
    for (uint32_t k = 0; k < 3; k++)
        assert_int_equal(trust_enrol(&t, &t.t[k]), 201);
    assert_int_equal(revoke(&t, 2), 200);
    assert_int_equal(world_call(&t.w, "GET", "/v1/audit", t.w.operator_token, NULL, &a), 200);
    json_array_foreach(json_object_get(a, "entries"), i, e)
    {
        const char *action = world_text(e, "action");
        found += found < 5 && strcmp(action, actions[found]) == 0;
        if (strcmp(action, "roster.fix") == 0)
            assert_non_null(strstr(world_text(e, "detail"), "3 agents and 3 trustees, sha256//"));
    }
    assert_int_equal(found, 5);
    json_decref(a);
    trust_end(&t);
}

static void nobody_comes_or_changes_a_key_afterwards(void **state)
{
    static const char fixed[] = "the roster of study \"s\" is fixed: nobody joins, comes back or "
                                "changes a key any more";
    trust_world t;
    json_t *a;
    char body[512];
    tc_text text = {0}, both[2] = {{0}, {0}};
    citizen fresh;
    tc_signature proof;
    (void)state;
    trust_begin(&t, trust_memory(), four, 60);
    trust_enrol_all(&t);

    char more[64];
    trust_token(&t, "{\"uses\": 1}", more);
    world_keys(&fresh, 99);
    assert_int_equal(world_enrol(&t.w, &fresh, more), 409);

    guardian other = t.t[0];
    uint8_t seed[32] = {123};
    trust_token(&t, "{\"role\": \"trustee\"}", other.join);
    tc_keys_from(&other.key, &other.secret, seed);
    assert_int_equal(trust_enrol_keys(&t, &other, t.rounds, &a), 409);
    assert_detail(a, fixed);

    tc_base64_add(&text, fresh.key.bytes, sizeof fresh.key.bytes);
    const tc_signed what = {.purpose = TC_SIGN_ROTATE,
                            .study = t.w.hash,
                            .body = fresh.key.bytes,
                            .n_body = sizeof fresh.key.bytes};
    for (int i = 0; i < 2; i++) {
        tc_sign(i == 0 ? &t.w.agents[0].secret : &fresh.secret, &what, &proof);
        tc_base64_add(&both[i], proof.bytes, sizeof proof.bytes);
    }
    snprintf(body, sizeof body, "{\"key\": \"%s\", \"proof\": \"%s\", \"possession\": \"%s\"}",
             tc_text_get(&text), tc_text_get(&both[0]), tc_text_get(&both[1]));
    assert_int_equal(
        world_call(&t.w, "POST", "/v1/studies/s/agents/0:rotate", t.w.agents[0].access, body, &a),
        409);
    assert_detail(a, fixed);
    tc_text_fini(&text);
    tc_text_fini(&both[0]);
    tc_text_fini(&both[1]);

    /* Who leaves stays on the roster, and cannot come back. */
    assert_int_equal(
        world_call(&t.w, "POST", "/v1/studies/s/agents/1:revoke", t.w.operator_token, NULL, NULL),
        200);
    assert_int_equal(
        world_call(&t.w, "POST", "/v1/studies/s/agents/1:readmit", t.w.operator_token, "{}", &a),
        409);
    assert_detail(a, fixed);
    trust_end(&t);
}

/* The answer was lost: the same place, another access token, and no use of the join token. */
static void a_trustee_that_enrols_again_has_its_place(void **state)
{
    trust_world t;
    json_t *a;
    char access[64];
    (void)state;
    trust_begin(&t, trust_memory(), four, 60);
    enrol_trustees(&t, 0, 1);
    snprintf(access, sizeof access, "%s", t.t[0].access);
    assert_int_equal(trust_enrol(&t, &t.t[0]), 200);
    assert_string_not_equal(access, t.t[0].access);
    assert_int_equal(trust_get(&t, access, "/v1/studies/s/duty", NULL, NULL), 401);
    assert_int_equal(trust_get(&t, t.t[0].access, "/v1/studies/s/duty", NULL, NULL), 202);
    enrol_agents(&t, 0, 3);
    enrol_trustees(&t, 1, 4);
    assert_int_equal(trust_enrol(&t, &t.t[0]), 200); /* also when the roster is fixed */
    t.t[0].keys[0].bytes[0] ^= 1;
    assert_int_equal(trust_enrol_keys(&t, &t.t[0], t.rounds, &a), 409);
    assert_detail(a, "trustee 0 has enrolled with other round keys");
    trust_end(&t);
}

static void before_the_roster_is_fixed_a_place_can_be_freed(void **state)
{
    trust_world t;
    json_t *a;
    (void)state;
    trust_begin(&t, trust_memory(), four, 60);
    enrol_trustees(&t, 0, 4);
    trust_token(&t, "{\"role\": \"trustee\"}", t.t[1].join);
    guardian other = t.t[1];
    uint8_t seed[32] = {123};
    tc_keys_from(&other.key, &other.secret, seed);
    assert_int_equal(trust_enrol_keys(&t, &other, t.rounds, &a), 409);
    assert_detail(a, "all 4 trustees have enrolled");
    assert_int_equal(revoke(&t, 1), 200);
    assert_int_equal(revoke(&t, 1), 404);
    assert_int_equal(trust_enrol_keys(&t, &other, t.rounds, NULL), 201);
    assert_int_equal(other.place, 1);
    enrol_agents(&t, 0, 3);
    assert_int_equal(roster(&t, other.access, NULL), 200);
    trust_end(&t);
}

static void the_list_of_trustees_has_pages(void **state)
{
    static const char path[] = "/v1/studies/s/trustees";
    trust_world t;
    json_t *a;
    (void)state;
    trust_begin(&t, trust_memory(), four, 60);
    enrol_trustees(&t, 0, 4);
    assert_int_equal(revoke(&t, 1), 200); /* its place is free, and on no page */
    assert_int_equal(trust_get(&t, t.w.operator_token, path, "limit=2", &a), 200);
    assert_int_equal(json_array_size(json_object_get(a, "trustees")), 2);
    assert_int_equal(json_integer_value(json_object_get(a, "next")), 2);
    json_decref(a);
    assert_int_equal(trust_get(&t, t.w.operator_token, path, "limit=2&after=2", &a), 200);
    const json_t *last = json_array_get(json_object_get(a, "trustees"), 0);
    assert_int_equal(json_array_size(json_object_get(a, "trustees")), 1);
    assert_int_equal(json_integer_value(json_object_get(last, "trustee")), 3);
    assert_true(json_is_null(json_object_get(a, "next")));
    json_decref(a);
    trust_end(&t);
}

static void an_enrolment_is_checked(void **state)
{
    trust_world t;
    json_t *a;
    char said[160];
    (void)state;
    trust_begin(&t, trust_memory(), four, 60);
    snprintf(said, sizeof said,
             "round_keys must be %" PRIu64 " keys of 32 bytes, one for each round, got %" PRIu64
             " bytes",
             t.rounds, (t.rounds - 1) * 32);
    assert_int_equal(trust_enrol_keys(&t, &t.t[0], t.rounds - 1, &a), 400);
    assert_detail(a, said);
    guardian weak = t.t[0];
    memset(&weak.keys[1], 0,
           sizeof *weak.keys); /* a point of low order: no agent could deal to it */
    assert_int_equal(trust_enrol_keys(&t, &weak, t.rounds, &a), 400);
    assert_detail(a, "round_keys must be X25519 keys: number 1 is none");
    guardian thief = t.t[0];
    thief.secret = t.t[1].secret;
    assert_int_equal(trust_enrol_keys(&t, &thief, t.rounds, &a), 400);
    assert_detail(a, "proof is not a signature of the join token's hash and that of round_keys "
                     "with this key");
    assert_int_equal(world_enrol(&t.w, &t.w.agents[0], t.t[0].join), 403); /* not for agents */
    snprintf(thief.join, sizeof thief.join, "%s", t.join);
    assert_int_equal(trust_enrol_keys(&t, &thief, t.rounds, &a), 403);
    assert_detail(a, "a token of the role joiner does not allow this");
    assert_int_equal(trust_count(&t, TC_RECORD_TRUSTEE), 0);
    trust_end(&t);
}

/* ---- what a study must be ---- */

static int create_for(trust_world *t, const char *name, int agents, const char *trustees,
                      int trials, json_t **a)
{
    char body[1024];
    snprintf(body, sizeof body,
             "{\"document\": {\"name\": \"%s\", \"direction\": \"maximize\", \"trials\": %d,"
             " \"space\": {\"x\": {\"type\": \"float\", \"low\": 0, \"high\": 1}}, \"algorithm\": "
             "{\"name\": \"dp-fts-de\", \"features\": 8, \"releases\": \"all\"},"
             " \"federation\": {\"agents\": %d%s}, \"privacy\": {\"noise_multiplier\": 8, "
             "\"delta\": 1e-7}}}",
             name, trials, agents, trustees);
    return world_call(&t->w, "POST", "/v1/studies", t->w.operator_token, body, a);
}

static int create(trust_world *t, const char *name, const char *trustees, int trials, json_t **a)
{
    return create_for(t, name, 3, trustees, trials, a);
}

/* A study of which a trustee could never take the set would begin, and no round would end. */
static void so_many_agents_as_an_answer_can_tell_of(void **state)
{
    trust_world t;
    json_t *a;
    (void)state;
    trust_begin(&t, trust_memory(), four, 60);
    assert_int_equal(create_for(&t, "all", 250000, ", \"trustees\": 4", 12, NULL), 201);
    assert_int_equal(create_for(&t, "more", 300000, ", \"trustees\": 4", 12, &a), 400);
    assert_detail(a, "federation.trustees: with 300000 agents each party would be told 17402388 "
                     "bytes about all of them in one answer, and it takes 16777216: fewer agents "
                     "are needed");
    assert_int_equal(create_for(&t, "alone", 300000, "", 12, NULL), 201);
    trust_end(&t);
}

static void routes_of_trustees_are_for_studies_that_have_some(void **state)
{
    trust_world t;
    json_t *a;
    (void)state;
    trust_begin(&t, trust_memory(), four, 60);
    assert_int_equal(create(&t, "plain", "", 12, NULL), 201);
    assert_int_equal(
        world_call(&t.w, "GET", "/v1/studies/plain/trustees", t.w.operator_token, NULL, &a), 409);
    assert_detail(a, "study \"plain\" has no trustees");
    assert_int_equal(world_call(&t.w, "POST", "/v1/studies/plain/tokens", t.w.operator_token,
                                "{\"role\": \"trustee\"}", &a),
                     400);
    assert_detail(a, "role must not be trustee: study \"plain\" has none");
    assert_int_equal(
        world_call(&t.w, "GET", "/v1/studies/plain/roster", t.w.operator_token, NULL, &a), 409);
    assert_detail(a, "study \"plain\" has no trustees");
    assert_int_equal(revoke(&t, 7), 404);
    trust_end(&t);
}

static void a_study_has_a_key_for_each_round(void **state)
{
    trust_world t;
    json_t *a;
    (void)state;
    trust_begin(&t, trust_memory(), four, 60);
    assert_int_equal(create(&t, "long", ", \"trustees\": 4", 6000, &a), 400);
    assert_detail(a, "federation.trustees: rounds must be below 4096");
    assert_int_equal(create(&t, "short", ", \"trustees\": 4", 12, NULL), 201);
    trust_end(&t);
}

/* What is dealt fits into a request. */
static void uploads_are_as_large_as_requests_may_be(void **state)
{
    coord_world w = {.now_ms = TRUST_START_MS};
    char document[1024], body[1100];
    json_t *a;
    tacit_error err = {0};
    (void)state;
    w.store = trust_memory();
    tc_coord_config cfg = {.store = w.store, .now_ms = world_clock, .user = &w, .body_max = 800};
    assert_ok(tc_coord_new(&w.coord, &cfg, &err));
    trust_document("s", &four, 60, document);
    snprintf(body, sizeof body, "{\"document\": %s}", document);
    tc_request q = {.method = "POST",
                    .path = "/v1/studies",
                    .is_operator = true,
                    .body = body,
                    .n_body = strlen(body)};
    int status = world_request(&w, &q, &a);
    assert_int_equal(status, 400);
    assert_detail(a, "federation.trustees: an upload of round 0 would have");
    world_close(&w);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_roster_is_fixed_with_the_last_party),
        cmocka_unit_test(a_roster_is_read_once_however_many_ask),
        cmocka_unit_test(what_happened_is_in_the_operators_log),
        cmocka_unit_test(nobody_comes_or_changes_a_key_afterwards),
        cmocka_unit_test(a_trustee_that_enrols_again_has_its_place),
        cmocka_unit_test(before_the_roster_is_fixed_a_place_can_be_freed),
        cmocka_unit_test(the_list_of_trustees_has_pages),
        cmocka_unit_test(an_enrolment_is_checked),
        cmocka_unit_test(routes_of_trustees_are_for_studies_that_have_some),
        cmocka_unit_test(a_study_has_a_key_for_each_round),
        cmocka_unit_test(uploads_are_as_large_as_requests_may_be),
        cmocka_unit_test(so_many_agents_as_an_answer_can_tell_of),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
