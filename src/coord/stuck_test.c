/* stuck_test.c - a round that does not come to its end is said once, and counted until it ends. */
#include "support/coord_study.h"

#include "base/log.h"
#include "coord/coord_int.h"
#include "coord/open_study.h"
#include "coord/round.h"

static uint64_t stuck(coord_world *w)
{
    static const char name[] = "\ntacit_rounds_stuck ";
    tc_request q = {.method = "GET", .path = "/metrics", .bearer = w->operator_token};
    tc_response r = {0};
    tc_coord_handle(w->coord, &q, &r);
    assert_int_equal(r.status, 200);
    const char *at = strstr(tc_text_get(&r.body), name);
    assert_non_null(at);
    uint64_t n = strtoull(at + sizeof name - 1, NULL, 10);
    tc_response_fini(&r);
    return n;
}

static void keep_line(tc_log_level level, const char *line, void *user)
{
    if (level <= TC_LOG_WARN)
        tc_text_addf(user, "%s\n", line);
}

/* A study of three agents that has no deadline. */
static int open_patient_world(void **state)
{
    tacit_error err = {0};
    static coord_world w;
    static char document[sizeof study_document];
    tc_store *store;
    const char *deadline = strstr(study_document, ", \"deadline_s\": 60");
    assert_non_null(deadline);
    snprintf(document, sizeof document, "%.*s%s", (int)(deadline - study_document), study_document,
             deadline + sizeof ", \"deadline_s\": 60" - 1);
    w = (coord_world){.now_ms = 1000000};
    assert_ok(tc_store_open(&store, "memory:", true, &err));
    world_open(&w, store, 7);
    world_create(&w, "s", document);
    world_enrol_all(&w, STUDY_AGENTS);
    *state = &w;
    return 0;
}

enum { DAY_MS = 24 * 3600 * 1000 };

/* Without a deadline: after a day, said once, until the last agent has sent. */
static void a_round_that_waits_for_a_day_is_stuck(void **state)
{
    coord_world *w = *state;
    tc_text said = {0};
    tc_log_set(keep_line, &said, TC_LOG_WARN);
    assert_int_equal(study_post(w, 0, 0, NULL), 202);
    world_tick(w);
    w->now_ms += DAY_MS - 1;
    world_tick(w);
    assert_int_equal(stuck(w), 0);
    assert_int_equal(said.len, 0);
    json_t *shown;
    assert_int_equal(world_call(w, "GET", "/v1/studies/s", w->operator_token, NULL, &shown), 200);
    assert_string_equal(world_text(json_object_get(shown, "round"), "waits_for"),
                        "all of 3 agents that are not revoked: 3 have enrolled, and 0 places are "
                        "free; which of them have sent is not shown");
    json_decref(shown);
    for (int i = 0; i < 3; i++) {
        w->now_ms += 1000;
        world_tick(w);
        assert_int_equal(stuck(w), 1);
    }
    assert_string_equal(
        tc_text_get(&said),
        "study \"s\": round 0 has been open for a day and has no deadline: it waits for the whole "
        "roster; revoke an agent that is gone, or close the study\n");
    assert_int_equal(study_post(w, 1, 0, NULL), 202);
    assert_int_equal(study_post(w, 2, 0, NULL), 202);
    world_tick(w);
    world_tick(w);
    assert_int_equal(stuck(w), 0);
    tc_log_set(NULL, NULL, TC_LOG_ERROR);
    tc_text_fini(&said);
}

/* Who has paused a study knows that it waits; its time begins anew. */
static void a_paused_study_is_not_stuck(void **state)
{
    coord_world *w = *state;
    const char *op = w->operator_token;
    assert_int_equal(study_post(w, 0, 0, NULL), 202);
    world_tick(w);
    assert_int_equal(world_call(w, "POST", "/v1/studies/s:pause", op, NULL, NULL), 200);
    w->now_ms += 2 * (int64_t)DAY_MS;
    world_tick(w);
    assert_int_equal(stuck(w), 0);
    assert_int_equal(world_call(w, "POST", "/v1/studies/s:resume", op, NULL, NULL), 200);
    world_tick(w);
    assert_int_equal(stuck(w), 0);
    w->now_ms += DAY_MS;
    world_tick(w);
    assert_int_equal(stuck(w), 1);
    assert_int_equal(world_call(w, "DELETE", "/v1/studies/s", op, NULL, NULL), 200);
    world_tick(w);
    assert_int_equal(stuck(w), 0);
}

/* Whatever keeps a round from being closed: a minute after its deadline, or after a process began that could not have. */
static void a_round_past_its_deadline_is_stuck(void **state)
{
    coord_world *w = *state;
    tc_open_study d = {.name = (char *)"s"};
    tc_round r = {.phase = TC_PHASE_OPEN, .number = 4, .deadline_ms = 1060000};
    tc_text said = {0};
    tc_log_set(keep_line, &said, TC_LOG_WARN);
    w->now_ms = 2000000; /* this process has just started: the deadline is long past */
    tc_stuck_watch(w->coord, &d, &r, true);
    w->now_ms += 59999;
    tc_stuck_watch(w->coord, &d, &r, true);
    assert_false(d.watch.stuck);
    r.phase = TC_PHASE_CLOSING; /* there it is going on: another minute */
    tc_stuck_watch(w->coord, &d, &r, true);
    w->now_ms += 59999;
    tc_stuck_watch(w->coord, &d, &r, true);
    assert_false(d.watch.stuck);
    w->now_ms += 1;
    tc_stuck_watch(w->coord, &d, &r, true);
    assert_true(d.watch.stuck);
    tc_stuck_watch(w->coord, &d, &r, true);
    assert_string_equal(tc_text_get(&said),
                        "study \"s\": round 4 should have been closed a minute ago and is not: the "
                        "log says why, if this process has tried\n");
    r.phase = TC_PHASE_CLOSED;
    tc_stuck_watch(w->coord, &d, &r, true);
    assert_false(d.watch.stuck);
    tc_log_set(NULL, NULL, TC_LOG_ERROR);
    tc_text_fini(&said);
}

#define IN_PATIENT_WORLD(test)                                                                     \
    cmocka_unit_test_setup_teardown(test, open_patient_world, study_close_world)

int main(void)
{
    const struct CMUnitTest tests[] = {
        IN_PATIENT_WORLD(a_round_that_waits_for_a_day_is_stuck),
        IN_PATIENT_WORLD(a_paused_study_is_not_stuck),
        IN_WORLD(a_round_past_its_deadline_is_stuck),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
