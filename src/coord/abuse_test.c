/* abuse_test.c - agents with valid signatures and bad intentions, operators in a hurry, and processes
 * that die at the wrong moment: the study goes on, or ends with a reason. */
#include "support/coord_study.h"
#include "support/crash_store.h"

#include "base/log.h"

static uint64_t count(tc_store *s, int64_t study, tc_record_kind kind)
{
    tacit_error err = {0};
    uint64_t n;
    tc_record_range all = {.study = study, .kind = kind};
    assert_ok(tc_store_record_count(s, &all, &n, &err));
    return n;
}

static int broadcast(coord_world *w, uint64_t round)
{
    return world_broadcast(w, w->agents[1].access, round, NULL, NULL);
}

static void post_all(coord_world *w, uint64_t round)
{
    for (uint64_t i = 0; i < STUDY_AGENTS; i++)
        assert_int_equal(study_post(w, i, round, NULL), 202);
}

static int turn(coord_world *w, const char *to)
{
    char path[64];
    snprintf(path, sizeof path, "/v1/studies/s:%s", to);
    return world_call(w, "POST", path, w->operator_token, NULL, NULL);
}

/* ---- rounds ---- */

static void only_the_next_round_opens(void **state)
{
    coord_world *w = *state;
    citizen *c = &w->agents[0];
    json_t *a;
    tc_text m = study_message(w, 0, 0);
    uint64_t far[] = {10, 1000, INT64_MAX};
    for (size_t i = 0; i < 3; i++) {
        assert_int_equal(world_post_bytes(w, c, far[i], 1, tc_text_get(&m), m.len, &a), 404);
        assert_detail(a, "the study has no round");
        assert_int_equal(broadcast(w, far[i]), 404);
    }
    tc_text_fini(&m);
    assert_int_equal(study_post(w, 0, 9, &a), 409);
    assert_detail(a, "round 9 comes later: round 0 is next");
    assert_int_equal(count(w->store, 1, TC_RECORD_RECEIPT), 0);
    post_all(w, 0);
    world_tick(w);
    assert_int_equal(broadcast(w, 0), 200);
    assert_int_equal(study_post(w, 0, 2, &a), 409);
    assert_detail(a, "round 2 comes later: round 1 is next");
    post_all(w, 1);
}

static void rounds_are_those_of_the_schedule(void **state)
{
    tacit_error err = {0};
    coord_world w = {.now_ms = 1000000};
    tc_store *store;
    json_t *a;
    (void)state;
    assert_ok(tc_store_open(&store, "memory:", true, &err));
    world_open(&w, store, 7);
    world_create(&w, "s",
                 "{\"name\": \"s\", \"direction\": \"maximize\", \"trials\": 12, \"seed\": 7,"
                 " \"space\": {\"x\": {\"type\": \"float\", \"low\": 0, \"high\": 1}},"
                 " \"algorithm\": {\"name\": \"dp-fts-de\", \"features\": 8, \"initial\": 2,"
                 " \"releases\": \"0,3,50\"}, \"federation\": {\"agents\": 3, \"deadline_s\": 60},"
                 " \"privacy\": {\"epsilon\": 5, \"delta\": 0.01}}");
    world_enrol_all(&w, STUDY_AGENTS);
    tc_text m = study_message(&w, 0, 0);
    static const uint64_t none[] = {1, 2, 4, 9, 10, 50, 51};
    for (size_t i = 0; i < sizeof none / sizeof *none; i++) {
        assert_int_equal(world_post_bytes(&w, &w.agents[0], none[i], 1, tc_text_get(&m), m.len, &a),
                         404);
        assert_detail(a, "the study has no round");
    }
    tc_text_fini(&m);
    post_all(&w, 0);
    world_tick(&w);
    assert_int_equal(broadcast(&w, 0), 200);
    assert_int_equal(broadcast(&w, 1), 404);
    assert_int_equal(broadcast(&w, 3), 202);
    assert_int_equal(broadcast(&w, 50), 404);
    post_all(&w, 3);
    world_tick(&w);
    assert_int_equal(broadcast(&w, 3), 200);
    world_close(&w);
}

static void what_comes_after_the_deadline_is_late(void **state)
{
    coord_world *w = *state;
    json_t *a;
    w->now_ms += 123;
    assert_int_equal(study_post(w, 0, 0, NULL), 202);
    assert_int_equal(
        world_call(w, "GET", "/v1/studies/s/rounds/0/broadcast", w->agents[0].access, NULL, &a),
        202);
    /* In whole seconds: the moment of the first message is not in it. */
    assert_int_equal(json_integer_value(json_object_get(a, "deadline_ms")), 1061000);
    json_decref(a);
    w->now_ms = 1060999;
    assert_int_equal(study_post(w, 1, 0, NULL), 202);
    w->now_ms = 1061000; /* and nobody has called tick */
    assert_int_equal(study_post(w, 2, 0, &a), 410);
    assert_detail(a, "the message is late");
    world_tick(w);
    assert_int_equal(broadcast(w, 0), 200);
}

static void no_round_closes_in_a_pause(void **state)
{
    coord_world *w = *state;
    json_t *a;
    post_all(w, 0);
    assert_int_equal(turn(w, "pause"), 200);
    w->now_ms += 1000000;
    world_tick(w);
    assert_int_equal(broadcast(w, 0), 202);
    assert_int_equal(turn(w, "resume"), 200);
    assert_int_equal(broadcast(w, 0), 202);
    world_tick(w);
    assert_int_equal(broadcast(w, 0), 200);
    /* The time of a round that was open begins anew. */
    assert_int_equal(study_post(w, 0, 1, NULL), 202);
    assert_int_equal(turn(w, "pause"), 200);
    w->now_ms += 1000000;
    assert_int_equal(study_post(w, 1, 1, &a), 409);
    assert_detail(a, "the study is paused");
    assert_int_equal(turn(w, "resume"), 200);
    world_tick(w);
    assert_int_equal(study_post(w, 1, 1, NULL), 202);
    w->now_ms += 60000;
    world_tick(w);
    assert_int_equal(broadcast(w, 1), 200);
}

static void closing_a_study_ends_its_round(void **state)
{
    coord_world *w = *state;
    json_t *a;
    const char *path = "/v1/studies/s/rounds/0/broadcast";
    assert_int_equal(study_post(w, 0, 0, NULL), 202);
    assert_int_equal(turn(w, "close"), 200);
    world_tick(w);
    assert_int_equal(world_call(w, "GET", path, w->agents[0].access, NULL, &a), 410);
    assert_detail(a, "the study was closed before round 0 ended");
    assert_int_equal(broadcast(w, 1), 410);
    assert_int_equal(count(w->store, 1, TC_RECORD_MESSAGE), 0);
    assert_int_equal(study_post(w, 1, 1, NULL), 409);
}

/* ---- messages ---- */

static void evidence_is_kept_once(void **state)
{
    coord_world *w = *state;
    citizen *c = &w->agents[0];
    tc_text m = study_message(w, 0, 0);
    for (uint64_t i = 1; i <= 50; i++)
        assert_int_equal(world_post_bytes(w, c, 0, i, tc_text_get(&m), m.len, NULL),
                         i == 1 ? 202 : 409);
    assert_int_equal(count(w->store, 1, TC_RECORD_EVIDENCE), 1);
    tc_text_fini(&m);
}

/* The evidence says by itself who signed, whatever key the agent has later. */
static tacit_status check_key(void *user, const tc_record *r, tacit_error *err)
{
    const citizen *c = user;
    tc_public_key key;
    json_t *j = json_loadb(r->value, r->size, 0, NULL);
    (void)err;
    assert_true(tc_base64_read(world_text(j, "key"), key.bytes, sizeof key.bytes));
    assert_memory_equal(key.bytes, c->key.bytes, sizeof key.bytes);
    json_decref(j);
    return TACIT_OK;
}

static void evidence_names_the_key(void **state)
{
    coord_world *w = *state;
    tacit_error err = {0};
    tc_text m = study_message(w, 0, 0);
    tc_record_range evidence = {.study = 1, .kind = TC_RECORD_EVIDENCE};
    for (uint64_t i = 1; i <= 2; i++)
        (void)world_post_bytes(w, &w->agents[0], 0, i, tc_text_get(&m), m.len, NULL);
    assert_ok(tc_store_record_scan(w->store, &evidence, check_key, &w->agents[0], &err));
    tc_text_fini(&m);
}

static void messages_that_do_not_go_together_close_all_the_same(void **state)
{
    tacit_error err = {0};
    coord_world w = {.now_ms = 1000000};
    tc_store *store;
    int64_t odd[] = {1, 1}, even[] = {0, 1, 1, 1};
    (void)state;
    assert_ok(tc_store_open(&store, "memory:", true, &err));
    world_open(&w, store, 7);
    world_create(&w, "s",
                 "{\"name\": \"s\", \"direction\": \"maximize\", \"trials\": 2000, \"seed\": 7,"
                 " \"space\": {\"x\": {\"type\": \"float\", \"low\": 0, \"high\": 1}},"
                 " \"algorithm\": {\"name\": \"pf-pne\"}, \"privacy\": \"none\","
                 " \"federation\": {\"agents\": 3, \"deadline_s\": 60}}");
    world_enrol_all(&w, 3);
    assert_int_equal(world_post_bytes(&w, &w.agents[0], 0, 1, even, sizeof even, NULL), 202);
    assert_int_equal(world_post_bytes(&w, &w.agents[1], 0, 1, odd, sizeof odd, NULL), 202);
    assert_int_equal(world_post_bytes(&w, &w.agents[2], 0, 1, even, sizeof even, NULL), 202);
    world_tick(&w);
    assert_int_equal(broadcast(&w, 0), 200);
    assert_int_equal(count(store, 1, TC_RECORD_MESSAGE), 0);
    world_close(&w);
}

static void bodies_are_as_large_as_their_route_needs(void **state)
{
    coord_world *w = *state;
    json_t *a;
    char token[64], *large = tc_alloc(40001, 1);
    size_t most = 0;
    tc_response r = {0};
    memset(large, ' ', 40000);
    world_join_token(w, 1, token);
    assert_int_equal(world_call(w, "POST", "/v1/studies/s/agents", token, large, &a), 413);
    json_decref(a);
    for (size_t i = 0; i + 3 < 40000; i += 3)
        memcpy(large + i, i == 0 ? "[[]" : ",[]", 3);
    const char *path = "/v1/studies/s/rounds/0/messages";
    assert_int_equal(world_call(w, "POST", path, w->agents[0].access, large, &a), 400);
    assert_detail(a, "more parts than a message has");
    tc_free(large);
    tc_request q = {.method = "POST", .path = path, .bearer = w->agents[0].access};
    assert_true(tc_coord_admit(w->coord, &q, &most, &r));
    assert_int_equal(most, 8 << 20);
    q.path = "/v1/studies/s/agents/0:rotate";
    assert_true(tc_coord_admit(w->coord, &q, &most, &r));
    assert_int_equal(most, 4096);
    q.bearer = NULL;
    assert_false(tc_coord_admit(w->coord, &q, &most, &r));
    assert_int_equal(r.status, 401);
    tc_response_fini(&r);
}

/* ---- who reads ---- */

static void nothing_is_learned_about_other_studies(void **state)
{
    coord_world *w = *state;
    static const char other[] =
        "{\"document\": {\"name\": \"t\", \"direction\": \"maximize\", \"trials\": 12,"
        " \"space\": {\"x\": {\"type\": \"float\", \"low\": 0, \"high\": 1}}, \"algorithm\": "
        "{\"name\": \"dp-fts-de\"}, \"federation\": {\"agents\": 3},"
        " \"privacy\": {\"epsilon\": 5, \"delta\": 0.01}}}";
    static const char *const paths[] = {
        "/v1/studies/%s", "/v1/studies/%s/points", "/v1/studies/%s/privacy",
        "/v1/studies/%s/rounds/0/broadcast", "/v1/studies/%s/rounds/0/messages/0"};
    char token[64], path[64];
    world_join_token(w, 1, token);
    assert_int_equal(world_call(w, "POST", "/v1/studies", w->operator_token, other, NULL), 201);
    for (size_t i = 0; i < sizeof paths / sizeof *paths; i++)
        for (int there = 0; there < 2; there++) {
            json_t *a;
            snprintf(path, sizeof path, paths[i], there ? "t" : "nosuch");
            assert_int_equal(world_call(w, "GET", path, w->agents[0].access, NULL, &a), 403);
            assert_detail(a, "the token is for another study");
            assert_int_equal(world_call(w, "GET", path, token, NULL, NULL), 403);
        }
}

static void keep_line(tc_log_level level, const char *line, void *user)
{
    tc_text *kept = user;
    tc_text_addf(kept, "%d %s\n", (int)level, line);
}

static void refusals_are_one_plain_line(void **state)
{
    coord_world *w = *state;
    tc_text kept = {0};
    tc_log_set(keep_line, &kept, TC_LOG_WARN); /* nothing may jump out before it ends */
    int wrong = world_call(w, "GET", "/v1/studies/s/privacy", "wrong", NULL, NULL);
    int other = world_call(w, "GET", "/v1/studies/a\nb", w->agents[0].access, NULL, NULL);
    tc_log_set(NULL, NULL, TC_LOG_ERROR);
    assert_int_equal(wrong, 401);
    assert_int_equal(other, 403);
    assert_string_equal(tc_text_get(&kept),
                        "1 GET /v1/studies/{study}/privacy: 401 the token is not valid\n"
                        "1 GET /v1/studies/{study}: 403 the token is for another study\n");
    tc_text_fini(&kept);
}

/* ---- studies that come again ---- */

static void a_study_that_is_made_again_is_another(void **state)
{
    coord_world *w = *state;
    tacit_hash before = w->hash;
    post_all(w, 0);
    world_tick(w);
    assert_int_equal(broadcast(w, 0), 200);
    assert_int_equal(world_call(w, "DELETE", "/v1/studies/s", w->operator_token, NULL, NULL), 200);
    world_create(w, "s", study_document); /* in the same millisecond, with the same seed */
    assert_memory_not_equal(&before, &w->hash, sizeof before);
    world_enrol_all(w, STUDY_AGENTS);
    assert_int_equal(broadcast(w, 0), 202); /* not the release of the first */
}

static void two_coordinators_agree_on_which_study_it_is(void **state)
{
    coord_world *w = *state, v = *w;
    tacit_error err = {0};
    json_t *a;
    const char *op = w->operator_token;
    tc_coord_config cfg = {
        .store = w->store, .now_ms = world_clock, .user = w, .seeded = true, .seed = 7};
    assert_ok(tc_coord_new(&v.coord, &cfg, &err));
    assert_int_equal(world_call(&v, "GET", "/v1/studies/s", op, NULL, NULL), 200);
    assert_int_equal(world_call(w, "DELETE", "/v1/studies/s", op, NULL, NULL), 200);
    assert_int_equal(world_call(&v, "GET", "/v1/studies/s", op, NULL, &a), 404);
    assert_detail(a, "there is no study \"s\"");
    world_create(w, "s", study_document);
    world_enrol_all(w, STUDY_AGENTS);
    assert_int_equal(world_call(&v, "GET", "/v1/studies/s", op, NULL, &a), 200);
    tacit_hash seen = world_hash(a);
    assert_memory_equal(&seen, &w->hash, sizeof seen);
    json_decref(a);
    tc_coord *first = w->coord;
    w->coord = v.coord;
    post_all(w, 0);
    world_tick(w);
    w->coord = first;
    assert_int_equal(broadcast(w, 0), 200);
    tc_coord_free(v.coord);
}

/* ---- processes that die, and races ---- */

static void contributions_do_not_outlive_their_round(void **state)
{
    (void)state;
    for (uint64_t at = 1; at <= 5; at++) {
        crash_store disk;
        tacit_error err = {0};
        coord_world w = {.now_ms = 1000000};
        tc_store *memory;
        int64_t next;
        assert_ok(tc_store_open(&memory, "memory:", true, &err));
        crash_init(&disk, memory);
        world_open(&w, &disk.base, 7);
        world_create(&w, "s", study_document);
        world_enrol_all(&w, STUDY_AGENTS);
        post_all(&w, 0);
        disk.at = disk.writes + at;
        (void)tc_coord_tick(w.coord, &next, &err); /* dies, before each of its writes once */
        tc_coord_free(w.coord);
        crash_restart(&disk);
        world_open(&w, &disk.base, 7);
        world_tick(&w);
        assert_int_equal(broadcast(&w, 0), 200);
        assert_int_equal(count(memory, 1, TC_RECORD_MESSAGE), 0);
        tc_coord_free(w.coord);
        crash_fini(&disk);
    }
}

/* A store that calls somebody just before a message is written. */
typedef struct raced_store {
    crash_store crash; /* never dies */
    coord_world *other;
    bool armed;
} raced_store;

static tacit_status raced_change(tc_store *t, const tc_change *c, size_t n, size_t *refused,
                                 tacit_error *err)
{
    raced_store *s = (raced_store *)t;
    bool now = s->armed;
    s->armed = false;
    if (now) {
        const char *path = "/v1/studies/s/agents/0:revoke";
        assert_int_equal(world_call(s->other, "POST", path, s->other->operator_token, NULL, NULL),
                         200);
    }
    return tc_store_change(s->crash.disk, c, n, refused, err);
}

static void a_message_that_races_with_its_revocation_loses(void **state)
{
    tacit_error err = {0};
    coord_world w = {.now_ms = 1000000}, other;
    raced_store s = {.armed = false};
    tc_store_ops ops = crash_ops;
    tc_store *memory;
    json_t *a;
    (void)state;
    assert_ok(tc_store_open(&memory, "memory:", true, &err));
    crash_init(&s.crash, memory);
    ops.change = raced_change;
    s.crash.base.ops = &ops;
    world_open(&w, &s.crash.base, 7);
    world_create(&w, "s", study_document);
    world_enrol_all(&w, STUDY_AGENTS);
    other = w;
    tc_coord_config cfg = {.store = memory, .now_ms = world_clock, .user = &other};
    assert_ok(tc_coord_new(&other.coord, &cfg, &err));
    s.other = &other;
    s.armed = true;
    assert_int_equal(study_post(&w, 0, 0, &a), 403);
    assert_detail(a, "this agent was revoked");
    assert_int_equal(count(memory, 1, TC_RECORD_MESSAGE), 0);
    tc_coord_free(other.coord);
    tc_coord_free(w.coord);
    crash_fini(&s.crash);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        IN_WORLD(only_the_next_round_opens),
        cmocka_unit_test(rounds_are_those_of_the_schedule),
        IN_WORLD(what_comes_after_the_deadline_is_late),
        IN_WORLD(no_round_closes_in_a_pause),
        IN_WORLD(closing_a_study_ends_its_round),
        IN_WORLD(evidence_is_kept_once),
        IN_WORLD(evidence_names_the_key),
        cmocka_unit_test(messages_that_do_not_go_together_close_all_the_same),
        IN_WORLD(bodies_are_as_large_as_their_route_needs),
        IN_WORLD(nothing_is_learned_about_other_studies),
        IN_WORLD(refusals_are_one_plain_line),
        IN_WORLD(a_study_that_is_made_again_is_another),
        IN_WORLD(two_coordinators_agree_on_which_study_it_is),
        cmocka_unit_test(contributions_do_not_outlive_their_round),
        cmocka_unit_test(a_message_that_races_with_its_revocation_loses),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
