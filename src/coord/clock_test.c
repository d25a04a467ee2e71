/* clock_test.c - the wall clock jumps by hours: no round and no lease ends at once, and none is held. */
#include "support/coord_study.h"
#include "support/served_world.h"
#include "support/two_clocks.h"

#include "study/study.h"

#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

enum { SECOND = 1000, MINUTE = 60 * SECOND, HOUR = 60 * MINUTE };

/* A world whose clock is that of a process on its store, over clocks that the test sets. */
typedef struct hands {
    two_clocks clocks;
    tc_agreed *agreed;
    coord_world *w;
} hands;

/* Another process, for the clock: it takes the wall clock as it is. */
static void start(hands *h)
{
    tacit_error err = {0};
    tc_hands own = two_clocks_hands(&h->clocks);
    tc_agreed_free(h->agreed);
    assert_ok(tc_agreed_new(&h->agreed, h->w->store, &own, &err));
    h->w->now_ms = tc_agreed_unix_ms(h->agreed);
}

static void take_hands(hands *h, coord_world *w)
{
    *h = (hands){.clocks = {w->now_ms + 1000 * (int64_t)HOUR, 7777}, .w = w};
    start(h);
}

static void pass(hands *h, int64_t ms)
{
    two_clocks_pass(&h->clocks, ms);
    tc_agreed_sync(h->agreed);
    h->w->now_ms = tc_agreed_unix_ms(h->agreed);
    world_tick(h->w);
}

static void jump(hands *h, int64_t ms)
{
    h->clocks.wall += ms;
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
    tc_agreed_free(h.agreed);
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
    tc_agreed_free(h.agreed);
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
    tc_agreed_free(h.agreed);
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
    tc_agreed_free(h.agreed);
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

/* ---- a coordinator that has just started, while another has noticed nothing yet ---- */

typedef struct pair {
    tc_store *store;
    two_clocks clocks;
    tc_agreed *old, *young;
    coord_world a, b; /* of one store */
} pair;

static void clock_of(pair *p, tc_agreed **out)
{
    tacit_error err = {0};
    tc_hands own = two_clocks_hands(&p->clocks);
    assert_ok(tc_agreed_new(out, p->store, &own, &err));
}

static void coordinator_of(pair *p, tc_agreed *clock, coord_world *out)
{
    tacit_error err = {0};
    assert_ok(tc_coord_new(
        &out->coord, &(tc_coord_config){.store = p->store, .clock = clock, .seeded = true}, &err));
}

/* The first one runs, is sure of the time, and has a study. */
static void pair_open(pair *p, const char *name, const char *document)
{
    tacit_error err = {0};
    tc_text token = {0};
    bool made;
    *p = (pair){.store = shared_store_open(), .clocks = {INT64_C(1700000000000), 7777}};
    clock_of(p, &p->old);
    assert_ok(tc_agreed_await(p->old, &err));
    p->a.store = p->store;
    coordinator_of(p, p->old, &p->a);
    assert_ok(tc_coord_operator_token(p->a.coord, &token, &made, &err));
    snprintf(p->a.operator_token, sizeof p->a.operator_token, "%s", tc_text_get(&token));
    tc_text_fini(&token);
    world_create(&p->a, name, document);
}

/* The clock is set, and the second one starts. */
static void pair_jump(pair *p, int64_t by_ms)
{
    p->clocks.wall += by_ms;
    clock_of(p, &p->young);
    p->b = p->a;
    coordinator_of(p, p->young, &p->b);
    world_tick(&p->b);
}

/* Both tick every second, the old one first. */
static void pair_pass(pair *p, int64_t ms)
{
    for (; ms > 0; ms -= SECOND) {
        two_clocks_pass(&p->clocks, SECOND);
        world_tick(&p->a);
        world_tick(&p->b);
    }
}

static void pair_close(pair *p)
{
    tc_coord_free(p->b.coord);
    tc_coord_free(p->a.coord);
    tc_agreed_free(p->young);
    tc_agreed_free(p->old);
    tc_store_close(p->store);
}

static void a_starter_ends_no_round(void **state)
{
    static pair p;
    (void)state;
    for (int i = 0; i < 2; i++) {
        pair_open(&p, "s", study_document);
        world_enrol_all(&p.a, STUDY_AGENTS);
        assert_int_equal(study_post(&p.a, 0, 0, NULL), 202);
        pair_jump(&p, i == 0 ? HOUR : -HOUR);
        assert_true(is_open(&p.b));
        /* Not sure that the deadline is over, nor that it is not. */
        assert_int_equal(study_post(&p.b, 1, 0, NULL), i == 0 ? 503 : 202);
        pair_pass(&p, 40 * SECOND);
        assert_true(is_open(&p.b));
        if (i == 0)
            assert_int_equal(study_post(&p.b, 1, 0, NULL), 202);
        pair_pass(&p, 40 * SECOND);
        assert_false(is_open(&p.b));
        assert_int_equal(study_post(&p.b, 2, 0, NULL), 410);
        pair_close(&p);
    }
}

/* Nobody else is there to tell: what is over is over. */
static void a_starter_ends_what_is_over(void **state)
{
    static pair p;
    (void)state;
    pair_open(&p, "s", study_document);
    world_enrol_all(&p.a, STUDY_AGENTS);
    assert_int_equal(study_post(&p.a, 0, 0, NULL), 202);
    pair_jump(&p, HOUR);
    for (int64_t t = 0; t < TC_AGREED_WATCH_MS; t += 500) {
        assert_true(is_open(&p.b));
        two_clocks_pass(&p.clocks, 500);
        world_tick(&p.b);
    }
    assert_false(is_open(&p.b));
    pair_close(&p);
}

static void a_starter_takes_no_token_for_over(void **state)
{
    static pair p;
    char token[64];
    (void)state;
    pair_open(&p, "t", served_document);
    served_token(&p.a, "/v1/studies/t/tokens", "{\"expires_s\": 60}", token);
    pair_jump(&p, HOUR);
    assert_int_equal(world_call(&p.b, "GET", "/v1/studies/t", token, NULL, NULL), 503);
    pair_pass(&p, 5 * SECOND);
    assert_int_equal(world_call(&p.b, "GET", "/v1/studies/t", token, NULL, NULL), 200);
    pair_pass(&p, 60 * SECOND);
    assert_int_equal(world_call(&p.b, "GET", "/v1/studies/t", token, NULL, NULL), 401);
    pair_close(&p);
}

static int suggest_at(coord_world *w, const char *token, const char *worker)
{
    char body[96];
    json_t *a;
    snprintf(body, sizeof body, "{\"worker\": \"%s\", \"lease_s\": 60}", worker);
    assert_int_equal(world_call(w, "POST", "/v1/studies/t/trials:suggest", token, body, &a), 200);
    int trial = (int)json_integer_value(
        json_object_get(json_array_get(json_object_get(a, "trials"), 0), "trial"));
    json_decref(a);
    return trial;
}

/* A suggestion waits until the time is sure. The old one looks meanwhile: its thread for that does (sleep). */
static tc_agreed *meanwhile;

static void sleep_meanwhile(void *user, int64_t ms)
{
    two_clocks_pass(user, ms);
    if (meanwhile)
        tc_agreed_sync(meanwhile);
}

static void a_starter_takes_no_lease_for_over(void **state)
{
    static pair p;
    char token[64];
    tacit_error err = {0};
    (void)state;
    for (int watched = 0; watched < 2; watched++) {
        pair_open(&p, "t", served_document);
        served_token(&p.a, "/v1/studies/t/tokens", "{}", token);
        assert_int_equal(suggest_at(&p.a, token, "w"), 0);
        p.clocks.wall += HOUR;
        meanwhile = watched ? p.old : NULL;
        tc_hands own = {.user = &p.clocks, .read = read_two_clocks, .sleep = sleep_meanwhile};
        assert_ok(tc_agreed_new(&p.young, p.store, &own, &err));
        p.b = p.a;
        coordinator_of(&p, p.young, &p.b);
        world_tick(&p.b);
        assert_int_equal(suggest_at(&p.b, token, "v"), watched ? 1 : 0);
        pair_close(&p);
    }
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
        cmocka_unit_test(a_starter_ends_no_round),
        cmocka_unit_test(a_starter_ends_what_is_over),
        cmocka_unit_test(a_starter_takes_no_token_for_over),
        cmocka_unit_test(a_starter_takes_no_lease_for_over),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
