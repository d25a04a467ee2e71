/* source_bandits_test.c - many runs of a bandit: pairing, threads, and going on after a kill. */
#include "support/test.h"

#include "base/memory.h"
#include "sim/simulation.h"

#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

static tc_simulation simulation(const tc_bandit *b)
{
    tacit_error err = {0};
    tc_simulation p = {.source = &tc_source_bandits,
                       .bandit = b,
                       .objective = "garland",
                       .low = 0,
                       .high = 1,
                       .scale = 0.1,
                       .agents = 4,
                       .trials = 3000,
                       .runs = 5,
                       .seed = 2,
                       .points = 3};
    assert_ok(tc_options_defaults(tc_family_options, &p.family, &err));
    p.family.objective.shift = 0.05;
    return p;
}

static tacit_curves run(const tc_simulation *p)
{
    tacit_error err = {0};
    tacit_curves r = {0};
    assert_ok(tc_simulate(p, &r, &err));
    return r;
}

static void assert_same(const tacit_curves *a, const tacit_curves *b)
{
    assert_int_equal(a->runs, b->runs);
    for (size_t i = 0; i < a->runs * a->points; i++)
        assert_same_bits(a->cumulative[i], b->cumulative[i]);
    for (size_t i = 0; i < a->points; i++) {
        assert_int_equal(a->at[i], b->at[i]);
        assert_same_bits(a->cumulative_mean[i], b->cumulative_mean[i]);
        assert_same_bits(a->cumulative_se[i], b->cumulative_se[i]);
    }
    for (size_t r = 0; r < a->runs; r++) {
        assert_int_equal(a->counts[r].rounds, b->counts[r].rounds);
        assert_int_equal(a->counts[r].numbers_up, b->counts[r].numbers_up);
        assert_int_equal(a->counts[r].numbers_down, b->counts[r].numbers_down);
        assert_int_equal(a->counts[r].last_round_at, b->counts[r].last_round_at);
    }
}

static void test_moments_and_threads(void **state)
{
    (void)state;
    tacit_error err = {0};
    tc_simulation p = simulation(&tc_bandit_pf_pne);
    tacit_curves one = run(&p);
    assert_ok(tc_pool_new(&p.pool, 3, &err));
    tacit_curves three = run(&p);
    assert_same(&one, &three);
    double sum = 0, squares = 0;
    for (size_t r = 0; r < 5; r++)
        sum += one.cumulative[3 * r + 2];
    for (size_t r = 0; r < 5; r++)
        squares += pow(one.cumulative[3 * r + 2] - sum / 5, 2);
    assert_close(one.cumulative_mean[2], sum / 5, 1e-9);
    assert_close(one.cumulative_se[2], sqrt(squares / 20), 1e-9);
    assert_int_equal(one.at[2], 3000);
    assert_true(one.counts[4].rounds >= 6 && one.counts[4].rounds <= 7);
    tc_pool_free(p.pool);
    tacit_curves_fini(&one);
    tacit_curves_fini(&three);
}

/* A run does not depend on how many there are. */
static void test_runs_stand_alone(void **state)
{
    (void)state;
    tc_simulation p = simulation(&tc_bandit_hct);
    tacit_curves many = run(&p);
    p.runs = 1;
    tacit_curves one = run(&p);
    for (size_t i = 0; i < 3; i++)
        assert_same_bits(one.cumulative[i], many.cumulative[i]);
    assert_true(one.cumulative_se[2] == 0);
    tacit_curves_fini(&one);
    tacit_curves_fini(&many);
}

static char *scratch(void)
{
    char *path = tc_strdup("pull_runs_XXXXXX");
    assert_non_null(path);
    int fd = mkstemp(path);
    assert_true(fd >= 0);
    close(fd);
    assert_int_equal(unlink(path), 0);
    return path;
}

/* The end of the file is lost, as after a kill; what is left is taken, the rest is done again. */
static void test_going_on_after_a_kill(void **state)
{
    (void)state;
    tacit_error err = {0};
    char *path = scratch();
    tc_simulation p = simulation(&tc_bandit_fed_hct);
    tacit_curves whole = run(&p);
    p.checkpoint = path;
    p.runs = 3; /* extended later */
    tacit_curves first = run(&p);
    p.runs = 5;
    FILE *f = fopen(path, "r");
    assert_non_null(f);
    assert_int_equal(fseek(f, 0, SEEK_END), 0);
    long size = ftell(f);
    (void)fclose(f);
    assert_int_equal(truncate(path, size - 10), 0);
    tacit_curves resumed = run(&p), again = run(&p);
    assert_same(&whole, &resumed);
    assert_same(&whole, &again);
    p.seed++;
    assert_fails(tc_simulate(&p, &first, &err), TACIT_E_STATE, path);
    (void)unlink(path);
    tc_free(path);
    tacit_curves_fini(&whole);
    tacit_curves_fini(&first);
    tacit_curves_fini(&resumed);
    tacit_curves_fini(&again);
}

/* Interrupted in the middle of its runs, again and again: each goes on where its snapshot is. */
typedef struct stopper {
    uint64_t calls, stop_at;
} stopper;

static bool go_on(void *user, uint64_t pulls)
{
    stopper *s = user;
    assert_true(pulls > 0);
    return ++s->calls != s->stop_at;
}

static void test_going_on_inside_a_run(void **state)
{
    (void)state;
    tacit_error err = {0};
    char *path = scratch(), snapshot[64];
    tc_simulation p = simulation(&tc_bandit_hct);
    p.agents = 2;
    p.trials = 400000; /* three pauses a run */
    p.runs = 2;
    tacit_curves whole = run(&p), resumed = {0};
    assert_int_equal(whole.pulls, 2 * 2 * 400000);
    p.checkpoint = path;
    p.progress = go_on;
    (void)snprintf(snapshot, sizeof snapshot, "%s.run-0", path);
    uint64_t kills = 0;
    for (;; kills++) {
        stopper s = {.stop_at = kills < 3 ? 2 : 0};
        p.user = &s;
        if (tc_simulate(&p, &resumed, &err) == TACIT_OK)
            break;
        assert_int_equal(err.code, TACIT_E_CANCELLED);
        assert_true(kills > 0 || access(snapshot, F_OK) == 0);
    }
    assert_true(kills == 3 && resumed.pulls < whole.pulls);
    assert_same(&whole, &resumed);
    assert_int_equal(access(snapshot, F_OK), -1);
    (void)unlink(path);
    tc_free(path);
    tacit_curves_fini(&whole);
    tacit_curves_fini(&resumed);
}

static void test_what_does_not_fit(void **state)
{
    (void)state;
    tacit_error err = {0};
    tc_simulation p = simulation(&tc_bandit_hct);
    tacit_curves r = {0};
    p.trials = 0;
    assert_fails(tc_simulate(&p, &r, &err), TACIT_E_ARG,
                 "agents, pulls, runs and points must be at least 1, not 4, 0, 5 and 3");
    p = simulation(&tc_bandit_hct);
    p.scale = 2;
    assert_fails(tc_simulate(&p, &r, &err), TACIT_E_ARG, "[0, 1], not 2");
    p = simulation(&tc_bandit_hct);
    p.high = 0;
    assert_fails(tc_simulate(&p, &r, &err), TACIT_E_ARG, "low < high");
    p = simulation(&tc_bandit_hct);
    p.objective = "garlnd";
    assert_fails(tc_simulate(&p, &r, &err), TACIT_E_ARG, "did you mean \"garland\"");
    p = simulation(&tc_bandit_hct);
    json_t *options = json_pack("{s:f}", "rho", 2.0);
    p.options = options;
    assert_fails(tc_simulate(&p, &r, &err), TACIT_E_ARG, "rho");
    json_decref(options);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_moments_and_threads),   cmocka_unit_test(test_runs_stand_alone),
        cmocka_unit_test(test_going_on_after_a_kill), cmocka_unit_test(test_going_on_inside_a_run),
        cmocka_unit_test(test_what_does_not_fit),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
