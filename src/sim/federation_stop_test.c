/* federation_stop_test.c - a federation that is told to stop: it does so before the next trial of any
 * agent, wherever it is. */
#include "support/federation_world.h"

#include <stdatomic.h>

enum { STEPS = 3, PAST = 6, THREADS = 3, PLACES = 40 };

/* A word that is given at the stop_at-th question, and what happens between questions. */
typedef struct crowd {
    world w;
    uint64_t stop_at;            /* 0: never */
    atomic_uint_fast64_t asked;  /* questions */
    atomic_uint_fast64_t trials; /* ..., those after the word, and since the last question */
    atomic_uint_fast64_t late, since, most;
} crowd;

static bool stopped(void *user)
{
    crowd *c = user;
    uint64_t n = atomic_fetch_add(&c->asked, 1) + 1;
    atomic_store(&c->since, 0);
    return c->stop_at > 0 && n >= c->stop_at;
}

static double try(void *user, uint64_t agent, uint64_t trial, const double *values)
{
    crowd *c = user;
    atomic_fetch_add(&c->trials, 1);
    if (c->stop_at > 0 && atomic_load(&c->asked) >= c->stop_at)
        atomic_fetch_add(&c->late, 1);
    uint64_t since = atomic_fetch_add(&c->since, 1) + 1;
    if (since > atomic_load(&c->most))
        atomic_store(&c->most, since);
    return observe(&c->w, agent, trial, values);
}

static tacit_status go(crowd *c, const char *algorithm, uint64_t past, tc_pool *pool,
                       tacit_error *err)
{
    json_t *options = json_pack("{s:i, s:i}", "features", 8, "initial", 1);
    tc_federation *f = NULL;
    tc_federation_config cfg = {.algorithm = tc_algorithm_find(algorithm),
                                .options = options,
                                .space = c->w.space,
                                .maximize = true,
                                .agents = AGENTS,
                                .seed = 4,
                                .past = past,
                                .pool = pool,
                                .objective = try,
                                .stopped = stopped,
                                .user = c};
    atomic_store(&c->asked, 0);
    atomic_store(&c->trials, 0);
    atomic_store(&c->late, 0);
    atomic_store(&c->since, 0);
    atomic_store(&c->most, 0);
    tacit_status status = tc_federation_new(&f, &cfg, err);
    for (int i = 0; i < STEPS && status == TACIT_OK; i++)
        status = tc_federation_step(f, err);
    tc_federation_free(f);
    json_decref(options);
    return status;
}

/* At places all along, the last question included. */
static void check_stops(crowd *c, const char *algorithm, uint64_t past)
{
    tacit_error err = {0};
    c->stop_at = 0;
    assert_ok(go(c, algorithm, past, NULL, &err));
    uint64_t all = c->asked, trials = c->trials;
    assert_int_equal(trials, AGENTS * (past + STEPS));
    assert_true(all >= trials);
    assert_int_equal(c->most, 1); /* no two trials without a question in between */
    for (uint64_t i = 1; i <= PLACES; i++) {
        c->stop_at = (all * i + PLACES - 1) / PLACES;
        assert_fails(go(c, algorithm, past, NULL, &err), TACIT_E_CANCELLED,
                     "the federation was told to stop");
        assert_int_equal(c->late, 0);
    }
}

static void test_stops_before_the_next_trial(void **state)
{
    static const char *const algorithms[] = {"fts", "rgpe", "taf", "dp-fts-de"};
    crowd *c = *state;
    for (size_t i = 0; i < sizeof algorithms / sizeof *algorithms; i++)
        check_stops(c, algorithms[i], 0);
}

static void test_stops_in_the_past(void **state)
{
    static const char *const algorithms[] = {"fts", "rgpe", "taf"};
    for (size_t i = 0; i < sizeof algorithms / sizeof *algorithms; i++)
        check_stops(*state, algorithms[i], PAST);
}

/* Each thread may be within one. */
static void test_every_thread_stops(void **state)
{
    tacit_error err = {0};
    crowd *c = *state;
    tc_pool *pool = NULL;
    assert_ok(tc_pool_new(&pool, THREADS, &err));
    for (uint64_t past = 0; past <= PAST; past += PAST)
        for (c->stop_at = 1; c->stop_at < AGENTS * STEPS; c->stop_at += 9) {
            assert_fails(go(c, "fts", past, pool, &err), TACIT_E_CANCELLED, "told to stop");
            assert_true(c->late <= THREADS);
        }
    tc_pool_free(pool);
}

static int set_up(void **state)
{
    static crowd c;
    make_world(&c.w, 3);
    *state = &c;
    return 0;
}

static int tear_down(void **state)
{
    tc_space_free(((crowd *)*state)->w.space);
    return 0;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_stops_before_the_next_trial),
        cmocka_unit_test(test_stops_in_the_past),
        cmocka_unit_test(test_every_thread_stops),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
