/* lease_test.c - leases by a clock of the test's own: more time for who lives, STALE for who does not, and
 * what a trial was told with. */
#include "study/study.h"

#include "base/json.h"
#include "support/test.h"

static const char text[] = "{\"name\": \"s\", \"direction\": \"minimize\", \"seed\": 5,"
                           " \"space\": {\"x\": {\"type\": \"float\", \"low\": -1, \"high\": 2}},"
                           " \"algorithm\": \"random\"}";

typedef struct world {
    tc_store *store;
    tc_study *study;
    int64_t now_ms;
} world;

static int64_t now(void *user)
{
    return ((world *)user)->now_ms;
}

static int open_world(void **state)
{
    static world w;
    tacit_error err = {0};
    json_t *json = NULL;
    tc_study_doc *doc = NULL;
    w = (world){.now_ms = 5000};
    assert_ok(tc_store_open(&w.store, "memory:", true, &err));
    assert_ok(tc_json_parse(text, strlen(text), "test", &json, &err));
    assert_ok(tc_study_doc_from_json(&doc, json, NULL, &err));
    assert_ok(tc_study_create(&w.study, w.store, doc, NULL, &err));
    tc_study_set_clock(w.study, now, &w);
    tc_study_doc_free(doc);
    json_decref(json);
    *state = &w;
    return 0;
}

static int close_world(void **state)
{
    world *w = *state;
    tc_study_close(w->study);
    tc_store_close(w->store);
    return 0;
}

static tc_trial look_at(world *w, uint64_t trial)
{
    tacit_error err = {0};
    const tc_optimizer *o = NULL;
    assert_ok(tc_study_look(w->study, &o, &err));
    tc_trial t = *tc_optimizer_trial(o, trial);
    tc_study_unlook(w->study);
    return t;
}

static uint64_t events(world *w)
{
    tacit_error err = {0};
    const tc_optimizer *o = NULL;
    assert_ok(tc_study_look(w->study, &o, &err));
    uint64_t n = tc_optimizer_seq(o);
    tc_study_unlook(w->study);
    return n;
}

static uint64_t ask(world *w, const char *worker, int64_t lease_ms)
{
    tacit_error err = {0};
    uint64_t trial = 0;
    double x;
    assert_ok(tc_study_ask(w->study, worker, lease_ms, &trial, &x, &err));
    return trial;
}

static void more_time_moves_the_end_alone(void **state)
{
    world *w = *state;
    tacit_error err = {0};
    int64_t until = 0;
    assert_int_equal(ask(w, "w", 8000), 0);
    tc_trial before = look_at(w, 0);
    w->now_ms += 4000;
    assert_ok(tc_study_extend(w->study, 0, "w", 8000, &until, &err));
    assert_int_equal(until, 17000);
    tc_trial after = look_at(w, 0);
    assert_int_equal(after.state, TC_TRIAL_RUNNING);
    assert_int_equal(after.asked_ms, before.asked_ms);
    assert_int_equal(after.asked_ms + after.lease_ms, 17000);
    assert_string_equal(after.worker, "w");
    assert_same_bits(after.values[0], before.values[0]);
}

static void little_more_time_is_not_written_down(void **state)
{
    world *w = *state;
    tacit_error err = {0};
    int64_t until = 0;
    static const int64_t leases[][2] = {/* and what is worth an event */
                                        {800000, 100000},
                                        {24000, 3000},
                                        {10000, 3000},
                                        {600, 200}};
    for (size_t i = 0; i < sizeof leases / sizeof *leases; i++) {
        int64_t lease = leases[i][0], worth = leases[i][1], end = w->now_ms + lease;
        uint64_t trial = ask(w, "w", lease), n = events(w);
        w->now_ms += worth - 1;
        assert_ok(tc_study_extend(w->study, trial, "w", lease, &until, &err));
        assert_int_equal(until, end);
        assert_int_equal(events(w), n);
        w->now_ms += 1;
        assert_ok(tc_study_extend(w->study, trial, "w", lease, &until, &err));
        assert_int_equal(until, end + worth);
        assert_int_equal(events(w), n + 2);
        assert_ok(tc_study_extend(w->study, trial, "w", 10, &until, &err)); /* never sooner */
        assert_int_equal(until, end + worth);
        assert_ok(tc_study_tell(w->study, trial, NULL, 1, &err));
    }
}

/* Who asks for longer and longer ones is at the end of it soon: each must add an eighth of itself. */
static void growing_leases_are_not_written_down_for_ever(void **state)
{
    world *w = *state;
    tacit_error err = {0};
    const int64_t month = INT64_C(30) * 24 * 3600 * 1000;
    (void)ask(w, "w", 10000);
    uint64_t n = events(w);
    for (int64_t lease = 10000; lease < month; lease += lease / 100) {
        int64_t until;
        assert_ok(tc_study_extend(w->study, 0, "w", lease, &until, &err));
    }
    assert_true(events(w) - n <= 2 * 100);
}

static void a_trial_is_taken_back(void **state)
{
    world *w = *state;
    tacit_error err = {0};
    (void)ask(w, "w", 0); /* for ever */
    uint64_t n = events(w);
    assert_ok(tc_study_requeue(w->study, 0, &err));
    assert_int_equal(look_at(w, 0).state, TC_TRIAL_STALE);
    assert_ok(tc_study_requeue(w->study, 0, &err)); /* the same again */
    assert_int_equal(events(w), n + 1);
    assert_int_equal(ask(w, "v", 0), 0);
    assert_ok(tc_study_tell(w->study, 0, NULL, 1, &err));
    assert_fails(tc_study_requeue(w->study, 0, &err), TACIT_E_STATE,
                 "trial 0 is not running, it is COMPLETE");
    assert_fails(tc_study_requeue(w->study, 7, &err), TACIT_E_NOT_FOUND,
                 "there is no trial 7; this study has 1");
}

static void a_lease_without_end_has_none(void **state)
{
    world *w = *state;
    tacit_error err = {0};
    int64_t until = 7, next = 0;
    assert_int_equal(ask(w, "w", 0), 0);
    assert_ok(tc_study_extend(w->study, 0, "w", 10, &until, &err));
    assert_int_equal(until, 0);
    w->now_ms += (int64_t)1 << 40;
    assert_ok(tc_study_expire(w->study, &next, &err));
    assert_int_equal(next, INT64_MAX);
    assert_int_equal(look_at(w, 0).state, TC_TRIAL_RUNNING);
}

static void others_have_no_say(void **state)
{
    world *w = *state;
    tacit_error err = {0};
    int64_t until;
    assert_int_equal(ask(w, "w", 8000), 0);
    assert_int_equal(ask(w, NULL, 8000), 1);
    assert_fails(tc_study_extend(w->study, 0, "v", 10, &until, &err), TACIT_E_STATE,
                 "trial 0 is not run by \"v\"");
    assert_fails(tc_study_extend(w->study, 1, "v", 10, &until, &err), TACIT_E_STATE,
                 "trial 1 is not run by \"v\"");
    assert_fails(tc_study_extend(w->study, 2, "w", 10, &until, &err), TACIT_E_NOT_FOUND,
                 "there is no trial 2; this study has 2");
    assert_ok(tc_study_tell(w->study, 0, NULL, 1, &err));
    assert_fails(tc_study_extend(w->study, 0, "w", 10, &until, &err), TACIT_E_STATE,
                 "trial 0 is not running, it is COMPLETE");
}

static void leases_end_in_their_order(void **state)
{
    world *w = *state;
    tacit_error err = {0};
    int64_t next = 0;
    for (uint64_t i = 0; i < 4; i++)
        assert_int_equal(ask(w, "w", 4000 - 1000 * (int64_t)i), i);
    assert_ok(tc_study_tell(w->study, 3, NULL, 1, &err)); /* the shortest */
    assert_ok(tc_study_expire(w->study, &next, &err));
    assert_int_equal(next, 5000 + 2001);
    w->now_ms = next - 1;
    assert_ok(tc_study_expire(w->study, &next, &err));
    assert_int_equal(look_at(w, 2).state, TC_TRIAL_RUNNING);
    w->now_ms = next;
    assert_ok(tc_study_expire(w->study, &next, &err));
    assert_int_equal(look_at(w, 2).state, TC_TRIAL_STALE);
    assert_int_equal(next, 5000 + 3001);
    w->now_ms += 10000;
    assert_ok(tc_study_expire(w->study, &next, &err));
    assert_int_equal(next, INT64_MAX);
    assert_int_equal(look_at(w, 0).state, TC_TRIAL_STALE);
    assert_int_equal(look_at(w, 1).state, TC_TRIAL_STALE);
    assert_int_equal(look_at(w, 3).state, TC_TRIAL_COMPLETE);
    assert_int_equal(ask(w, "v", 0), 0); /* and the next ask has it */
}

/* Whoever is at work on the study marks what is stale itself: nobody waits for it. */
static void a_study_at_work_is_left_alone(void **state)
{
    world *w = *state;
    tacit_error err = {0};
    const tc_optimizer *o = NULL;
    int64_t next = 0;
    assert_int_equal(ask(w, "w", 10), 0);
    w->now_ms += 1000;
    assert_ok(tc_study_look(w->study, &o, &err));
    assert_ok(tc_study_expire(w->study, &next, &err));
    tc_study_unlook(w->study);
    assert_int_equal(look_at(w, 0).state, TC_TRIAL_RUNNING);
}

static void no_more_than_planned_are_handed_out(void **state)
{
    world *w = *state;
    tacit_error err = {0};
    tc_ask_request req = {.worker = "w", .lease_ms = 10, .planned = 2};
    tc_handed t;
    double x;
    assert_ok(tc_study_ask_batch(w->study, &req, NULL, &t, &x, &err));
    assert_ok(tc_study_ask_batch(w->study, &req, NULL, &t, &x, &err));
    assert_fails(tc_study_ask_batch(w->study, &req, NULL, &t, &x, &err), TACIT_E_BUDGET,
                 "all 2 trials that were planned are handed out or told");
    assert_ok(tc_study_fail(w->study, 0, "x", &err)); /* it counts */
    assert_fails(tc_study_ask_batch(w->study, &req, NULL, &t, &x, &err), TACIT_E_BUDGET, "");
    w->now_ms += 11; /* what is stale is handed out again: that adds none */
    assert_ok(tc_study_ask_batch(w->study, &req, NULL, &t, &x, &err));
    assert_int_equal(t.trial, 1);
    assert_int_equal(t.attempt, 2);
}

static void a_report_is_found_again(void **state)
{
    world *w = *state;
    tacit_error err = {0};
    tc_arena a = {0};
    tc_event e;
    double x = 0.25;
    (void)ask(w, "w", 0);
    (void)ask(w, "w", 0);
    assert_fails(tc_study_find_tell(w->study, 0, &a, &e, &err), TACIT_E_NOT_FOUND,
                 "trial 0 is not told yet");
    assert_ok(tc_study_tell(w->study, 1, &x, 0.1, &err));
    assert_ok(tc_study_fail(w->study, 0, "no memory", &err));
    assert_ok(tc_study_find_tell(w->study, 1, &a, &e, &err));
    assert_int_equal(e.state, TC_TRIAL_COMPLETE);
    assert_same_bits(e.value, 0.1);
    assert_same_bits(e.values[0], 0.25);
    assert_ok(tc_study_find_tell(w->study, 0, &a, &e, &err));
    assert_int_equal(e.state, TC_TRIAL_FAIL);
    assert_string_equal(e.reason, "no memory");
    tc_arena_fini(&a);
}

#define IN_WORLD(test) cmocka_unit_test_setup_teardown(test, open_world, close_world)

int main(void)
{
    const struct CMUnitTest tests[] = {
        IN_WORLD(more_time_moves_the_end_alone),
        IN_WORLD(little_more_time_is_not_written_down),
        IN_WORLD(growing_leases_are_not_written_down_for_ever),
        IN_WORLD(a_trial_is_taken_back),
        IN_WORLD(a_lease_without_end_has_none),
        IN_WORLD(others_have_no_say),
        IN_WORLD(leases_end_in_their_order),
        IN_WORLD(a_study_at_work_is_left_alone),
        IN_WORLD(no_more_than_planned_are_handed_out),
        IN_WORLD(a_report_is_found_again),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
