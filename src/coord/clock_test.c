/* clock_test.c - the wall clock jumps by hours: no round and no lease ends at once, and none is held. */
#include "support/coord_study.h"
#include "support/served_world.h"

#include "base/steady.h"
#include "study/study.h"

#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

enum { MINUTE = 60000, HOUR = 60 * MINUTE };

/* A world whose clock is a steady one, over clocks that the test sets. */
typedef struct hands {
    int64_t wall_ms, true_ms;
    tc_steady *steady;
    coord_world *w;
} hands;

static void read_hands(void *user, int64_t *wall_ns, int64_t *true_ns)
{
    const hands *h = user;
    *wall_ns = h->wall_ms * 1000000;
    *true_ns = h->true_ms * 1000000;
}

/* Another process, for the clock: it takes the wall clock as it is. */
static void start(hands *h)
{
    tacit_error err = {0};
    tc_steady_free(h->steady);
    assert_ok(tc_steady_new(&h->steady, read_hands, h, &err));
    h->w->now_ms = tc_steady_unix_ms(h->steady);
}

static void take_hands(hands *h, coord_world *w)
{
    *h = (hands){.wall_ms = w->now_ms + 1000 * (int64_t)HOUR, .true_ms = 77, .w = w};
    start(h);
}

static void pass(hands *h, int64_t ms)
{
    h->wall_ms += ms;
    h->true_ms += ms;
    h->w->now_ms = tc_steady_unix_ms(h->steady);
    world_tick(h->w);
}

static void jump(hands *h, int64_t ms)
{
    h->wall_ms += ms;
    pass(h, 0);
}

/* ---- rounds, of 60 seconds ---- */

static bool is_open(coord_world *w)
{
    return world_broadcast(w, w->operator_token, 0, NULL, NULL) == 202;
}

/* From its first message, with a jump after ten seconds. */
static void play(coord_world *w, int64_t by_ms, bool restarts)
{
    hands h;
    take_hands(&h, w);
    assert_int_equal(study_post(w, 0, 0, NULL), 202);
    pass(&h, 10000);
    jump(&h, by_ms);
    if (restarts) {
        start(&h);
        pass(&h, 0);
    }
    assert_true(is_open(w));
    assert_int_equal(study_post(w, 1, 0, NULL), 202); /* it is not late */
    pass(&h, 40000);
    assert_true(is_open(w));
    pass(&h, restarts ? 30000 : 20000);
    assert_false(is_open(w));
    tc_steady_free(h.steady);
}

static void a_jump_forward_ends_no_round(void **state)
{
    play(*state, 5 * HOUR, false);
}

static void a_jump_back_holds_no_round(void **state)
{
    play(*state, -5 * HOUR, false);
}

static void nor_does_one_between_two_starts(void **state)
{
    play(*state, -5 * HOUR, true);
}

/* What clocks of two machines may differ by is left alone. */
static void a_deadline_of_another_clock_stays(void **state)
{
    coord_world *w = *state;
    hands h;
    take_hands(&h, w);
    assert_int_equal(study_post(w, 0, 0, NULL), 202);
    jump(&h, -MINUTE);
    start(&h); /* the other process */
    pass(&h, MINUTE);
    assert_true(is_open(w));
    pass(&h, MINUTE);
    assert_false(is_open(w));
    tc_steady_free(h.steady);
}

/* ---- leases, of 60 seconds ---- */

static const char *state_of(served_world *s)
{
    static char text[32];
    json_t *a;
    assert_int_equal(served_get(s, "/trials", NULL, &a), 200);
    snprintf(text, sizeof text, "%s",
             world_text(json_array_get(json_object_get(a, "trials"), 0), "state"));
    json_decref(a);
    return text;
}

static void lease(served_world *s, int64_t by_ms)
{
    hands h;
    take_hands(&h, &s->w);
    assert_int_equal(served_one(s, "w", NULL), 0);
    pass(&h, 10000);
    jump(&h, by_ms);
    assert_string_equal(state_of(s), "RUNNING");
    pass(&h, 40000);
    assert_string_equal(state_of(s), "RUNNING");
    pass(&h, 20000);
    assert_string_equal(state_of(s), "STALE");
    tc_steady_free(h.steady);
}

static void a_jump_forward_ends_no_lease(void **state)
{
    lease(*state, 5 * HOUR);
}

static void a_jump_back_holds_no_lease(void **state)
{
    lease(*state, -5 * HOUR);
}

static void a_lease_of_a_clock_far_ahead_is_over(void **state)
{
    served_world *s = *state;
    hands h;
    take_hands(&h, &s->w);
    assert_int_equal(served_one(s, "w", NULL), 0);
    jump(&h, -MINUTE);
    start(&h);
    pass(&h, 0);
    assert_string_equal(state_of(s), "RUNNING"); /* so much clocks may differ */
    jump(&h, -5 * HOUR);
    start(&h);
    pass(&h, 0);
    assert_string_equal(state_of(s), "STALE");
    assert_int_equal(served_one(s, "v", NULL), 0);
    tc_steady_free(h.steady);
}

/* ---- by themselves they have such a clock ---- */

static time_t set_by_s; /* so much the wall clock of this process was set */

int clock_gettime(clockid_t which, struct timespec *out)
{
    int rc = (int)syscall(SYS_clock_gettime, which, out);
    if (rc == 0 && which == CLOCK_REALTIME)
        out->tv_sec += set_by_s;
    return rc;
}

/* Days are much longer than this test takes, on any machine. */
static const char patient_document[] =
    "{\"name\": \"s\", \"direction\": \"maximize\", \"trials\": 12, \"seed\": 7,"
    " \"space\": {\"x\": {\"type\": \"float\", \"low\": 0, \"high\": 1}},"
    " \"algorithm\": {\"name\": \"dp-fts-de\", \"features\": 8, \"initial\": 2, \"releases\": "
    "\"all\"},"
    " \"federation\": {\"agents\": 3, \"deadline_s\": 100000},"
    " \"privacy\": {\"epsilon\": 5, \"delta\": 0.01}}";

static void a_coordinator_does_not_jump(void **state)
{
    tacit_error err = {0};
    coord_world w = {0};
    tc_store *store;
    (void)state;
    set_by_s = 0;
    assert_ok(tc_store_open(&store, "memory:", true, &err));
    world_open(&w, store, 7);
    tc_coord_free(w.coord);
    assert_ok(tc_coord_new(&w.coord, &(tc_coord_config){.store = store, .seeded = true}, &err));
    world_create(&w, "s", patient_document);
    world_enrol_all(&w, STUDY_AGENTS);
    assert_int_equal(study_post(&w, 0, 0, NULL), 202);
    set_by_s = 1000000;
    world_tick(&w);
    assert_true(is_open(&w));
    assert_int_equal(study_post(&w, 1, 0, NULL), 202);
    set_by_s = 0;
    world_close(&w);
}

static void a_study_does_not_jump(void **state)
{
    enum { DAY_MS = 24 * HOUR };
    tacit_error err = {0};
    served_world *s = *state;
    tc_study *study;
    uint64_t trial;
    double at[2];
    assert_ok(tc_study_open(&study, s->w.store, "t", NULL, &err));
    set_by_s = 0;
    assert_ok(tc_study_ask(study, "w", DAY_MS, &trial, at, &err));
    assert_int_equal(trial, 0);
    set_by_s = 1000000;
    assert_ok(tc_study_ask(study, "v", DAY_MS, &trial, at, &err));
    assert_int_equal(trial, 1); /* the first is not taken from who has it */
    set_by_s = 0;
    tc_study_close(study);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        IN_WORLD(a_jump_forward_ends_no_round),
        IN_WORLD(a_jump_back_holds_no_round),
        IN_WORLD(nor_does_one_between_two_starts),
        IN_WORLD(a_deadline_of_another_clock_stays),
        IN_SERVED(a_jump_forward_ends_no_lease),
        IN_SERVED(a_jump_back_holds_no_lease),
        IN_SERVED(a_lease_of_a_clock_far_ahead_is_over),
        cmocka_unit_test(a_coordinator_does_not_jump),
        IN_SERVED(a_study_does_not_jump),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
