/* source_single_test.c - runs, means and standard errors; threads do not show; files read back. */
#include "support/test.h"

#include "sim/curve_file.h"
#include "sim/simulation.h"

#include "base/error.h"
#include "base/json.h"

#include <stdatomic.h>
#include <stdlib.h>

static tc_simulation simulation(const char *algorithm, const char *objective, uint64_t trials,
                                uint64_t runs)
{
    tacit_error err = {0};
    tc_simulation s = {.objective = objective, .trials = trials, .runs = runs, .seed = 7};
    assert_ok(tc_algorithm_get(&s.algorithm, algorithm, &err));
    assert_ok(tc_options_defaults(tc_objective_options, &s.family.objective, &err));
    return s;
}

static tacit_curves simulate(const tc_simulation *s)
{
    tacit_error err = {0};
    tacit_curves r;
    assert_ok(tc_simulate(s, &r, &err));
    return r;
}

static void same_bits(const double *a, const double *b, size_t n)
{
    for (size_t i = 0; i < n; i++)
        assert_same_bits(a[i], b[i]);
}

/* -- threads ------------------------------------------------------------------------------- */

static void check_threads(tc_simulation *s)
{
    tacit_error err = {0};
    tc_pool *pool;
    tacit_curves one = simulate(s);
    assert_ok(tc_pool_new(&pool, 2, &err));
    s->pool = pool;
    tacit_curves two = simulate(s);
    size_t t = (size_t)s->trials;
    same_bits(one.simple, two.simple, t * (size_t)s->runs);
    same_bits(one.simple_mean, two.simple_mean, t);
    same_bits(one.simple_se, two.simple_se, t);
    same_bits(one.cumulative_mean, two.cumulative_mean, t);
    same_bits(one.cumulative_se, two.cumulative_se, t);
    tacit_curves_fini(&one);
    tacit_curves_fini(&two);
    tc_pool_free(pool);
}

static void test_threads_do_not_show(void **state)
{
    (void)state;
    tc_simulation s = simulation("gp-ei", "branin", 12, 3);
    s.family.objective.noise = 1;
    s.family.objective.shift = 0.1;
    check_threads(&s);
    s = simulation("gp-ei", "gp-sample", 10, 1); /* a single run lends the pool to the algorithm */
    check_threads(&s);
    s = simulation("random", "garland", 50, 9);
    check_threads(&s);
}

/* -- regrets ------------------------------------------------------------------------------- */

/* Column t of `simple` by the textbook: mean, and sqrt(sum of squares / (n - 1)) / sqrt(n). */
static void check_moments(const tacit_curves *r, size_t t)
{
    size_t n = (size_t)r->runs, trials = (size_t)r->points;
    double mean = 0, squares = 0;
    for (size_t i = 0; i < n; i++)
        mean += r->simple[i * trials + t] / (double)n;
    for (size_t i = 0; i < n; i++)
        squares += pow(r->simple[i * trials + t] - mean, 2);
    double se = n > 1 ? sqrt(squares / (double)(n - 1)) / sqrt((double)n) : 0;
    assert_close(r->simple_mean[t], mean, 1e-13);
    assert_close(r->simple_se[t], se, 1e-13);
}

static void test_regrets(void **state)
{
    (void)state;
    tc_simulation s = simulation("random", "branin", 200, 5);
    tacit_curves r = simulate(&s);
    for (size_t t = 0; t < 200; t++) {
        check_moments(&r, t);
        assert_true(r.simple_mean[t] >= 0 && r.simple_se[t] >= 0);
        if (t == 0)
            continue;
        assert_true(r.simple_mean[t] <= r.simple_mean[t - 1]);
        assert_true(r.cumulative_mean[t] >= r.cumulative_mean[t - 1]);
        for (size_t i = 0; i < 5; i++)
            assert_true(r.simple[i * 200 + t] <= r.simple[i * 200 + t - 1]);
    }
    assert_same_bits(r.cumulative_mean[0], r.simple_mean[0]);
    assert_true(r.simple_mean[0] > 5 && r.simple_mean[199] < 2); /* branin: 54 on average */
    assert_true(r.cumulative_mean[199] > 200 * 30 && r.cumulative_mean[199] < 200 * 80);
    tacit_curves_fini(&r);
}

static void test_learning_beats_guessing(void **state)
{
    (void)state;
    tc_simulation guess = simulation("random", "branin", 25, 3);
    tc_simulation learn = simulation("gp-ei", "branin", 25, 3);
    tacit_curves a = simulate(&guess), b = simulate(&learn);
    assert_true(b.simple_mean[24] < 0.5 * a.simple_mean[24]);
    tacit_curves_fini(&a);
    tacit_curves_fini(&b);
}

static void test_one_run_has_no_error_bar(void **state)
{
    (void)state;
    tc_simulation s = simulation("random", "ackley", 5, 1);
    tacit_curves r = simulate(&s);
    for (size_t t = 0; t < 5; t++) {
        assert_close(r.simple_se[t], 0, 0);
        assert_close(r.cumulative_se[t], 0, 0);
        assert_same_bits(r.simple_mean[t], r.simple[t]);
    }
    tacit_curves_fini(&r);
}

/* Runs differ; more runs keep the first ones; another seed changes all. */
static void test_runs_follow_from_the_seed(void **state)
{
    (void)state;
    tc_simulation few = simulation("random", "rastrigin", 8, 2);
    tc_simulation many = simulation("random", "rastrigin", 8, 4);
    tc_simulation other = few;
    other.seed = 8;
    tacit_curves a = simulate(&few), b = simulate(&many), c = simulate(&other);
    same_bits(a.simple, b.simple, 16);
    assert_true(a.simple[0] != a.simple[8]);
    assert_true(a.simple[0] != c.simple[0]);
    tacit_curves_fini(&a);
    tacit_curves_fini(&b);
    tacit_curves_fini(&c);
}

/* The noise reaches the algorithm but never the regret. */
static void test_noise_is_not_in_the_regret(void **state)
{
    (void)state;
    tc_simulation clean = simulation("random", "himmelblau", 20, 2), noisy = clean;
    noisy.family.objective.noise = 4;
    noisy.family.objective.noise_scale = 100;
    tacit_curves a = simulate(&clean), b = simulate(&noisy);
    same_bits(a.simple, b.simple, 40); /* random search does not look at values */
    tacit_curves_fini(&a);
    tacit_curves_fini(&b);
}

static void test_finite_space(void **state)
{
    (void)state;
    tc_simulation s = simulation("random", "gp-sample", 30, 2);
    s.family.objective.grid = 5;
    tacit_curves r = simulate(&s);
    assert_true(r.simple_mean[29] <= r.simple_mean[0]);
    tacit_curves_fini(&r);
}

/* -- stopping and failing ------------------------------------------------------------------ */

static atomic_ulong calls;

static bool stop_after_ten(void *user, uint64_t done)
{
    (void)user;
    atomic_fetch_add(&calls, 1);
    return done < 10;
}

static bool count(void *user, uint64_t done)
{
    uint64_t *most = user;
    *most = done > *most ? done : *most;
    return true;
}

static void test_progress(void **state)
{
    (void)state;
    tacit_error err = {0};
    uint64_t most = 0;
    tc_simulation s = simulation("random", "branin", 20, 3);
    tacit_curves r = {.runs = 77};
    s.progress = count;
    s.user = &most;
    tacit_curves done = simulate(&s);
    assert_int_equal(most, 60);
    tacit_curves_fini(&done);
    s.progress = stop_after_ten;
    assert_fails(tc_simulate(&s, &r, &err), TACIT_E_CANCELLED, "the simulation was interrupted");
    assert_int_equal(atomic_load(&calls), 10);
    assert_int_equal(r.runs, 77); /* set on success only */
}

static void test_errors(void **state)
{
    (void)state;
    tacit_error err = {0};
    tacit_curves r;
    tc_simulation s = simulation("random", "branin", 0, 1);
    assert_fails(tc_simulate(&s, &r, &err), TACIT_E_ARG, "trials is 0; allowed are 1 to 10000000");
    s = simulation("random", "branin", 1, 0);
    assert_fails(tc_simulate(&s, &r, &err), TACIT_E_ARG, "runs is 0; allowed are 1 to 1000000");
    s = simulation("random", "brann", 1, 2);
    assert_fails(tc_simulate(&s, &r, &err), TACIT_E_ARG, "did you mean \"branin\"?");
    s = simulation("gp-ei", "branin", 1, 2);
    json_t *options = json_pack("{s:i}", "no_such_option", 1);
    s.options = options;
    assert_fails(tc_simulate(&s, &r, &err), TACIT_E_ARG, "no_such_option");
    json_decref(options);
}

/* -- files --------------------------------------------------------------------------------- */

static void check_curve(const tacit_curves *c, const tacit_curves *r)
{
    assert_string_equal(c->label, "random");
    assert_string_equal(c->algorithm, "random");
    assert_string_equal(c->objective, "garland");
    assert_int_equal(c->runs, 3);
    assert_int_equal(c->seed, 7);
    assert_int_equal(c->points, r->points);
    assert_close(c->at[0], 1, 0);
    same_bits(c->simple_mean, r->simple_mean, c->points);
    same_bits(c->simple_se, r->simple_se, c->points);
    same_bits(c->cumulative_mean, r->cumulative_mean, c->points);
    same_bits(c->cumulative_se, r->cumulative_se, c->points);
}

static void test_files_read_back(void **state)
{
    (void)state;
    tacit_error err = {0};
    tc_simulation s = simulation("random", "garland", 17, 3);
    tacit_curves r = simulate(&s);
    tacit_curve_set c = {0};
    tc_text csv = {0};
    json_t *j;
    assert_ok(tc_curves_csv(&(tc_curve_part){.sim = &s, .curves = &r}, 1, &csv, &err));
    assert_ok(tc_curves_from_csv(&c, tc_text_get(&csv), csv.len, "r.csv", &err));
    assert_int_equal(c.n, 1);
    check_curve(&c.items[0], &r);
    tc_text_fini(&csv);
    assert_ok(tc_curves_json(&(tc_curve_part){.sim = &s, .curves = &r}, 1, &j, &err));
    assert_ok(tc_curves_from_json(&c, j, "r.json", &err));
    assert_int_equal(c.n, 2);
    check_curve(&c.items[1], &r);
    tacit_curve_set_fini(&c);
    json_decref(j);
    tacit_curves_fini(&r);
}

static void test_json_shows_the_options_in_force(void **state)
{
    (void)state;
    tacit_error err = {0};
    tc_simulation s = simulation("gp-ei", "branin", 1, 1);
    json_t *options = json_pack("{s:s}", "kernel", "se"), *j;
    s.options = options;
    assert_ok(tc_simulation_options(&s, &j, &err));
    assert_string_equal(json_string_value(json_object_get(j, "kernel")), "se");
    assert_true(json_object_size(j) > 1);
    json_decref(j);
    json_decref(options);
}

#define HEADER                                                                                     \
    "algorithm,objective,runs,seed,iteration,simple_regret_mean,simple_regret_se,"                 \
    "cumulative_regret_mean,cumulative_regret_se\n"

static void bad_csv(const char *text, const char *part)
{
    tacit_error err = {0};
    tacit_curve_set c = {0};
    assert_fails(tc_curves_from_csv(&c, text, strlen(text), "r.csv", &err), TACIT_E_ARG, part);
    tacit_curve_set_fini(&c);
}

static void bad_json(const char *text, const char *part)
{
    tacit_error err = {0};
    tacit_curve_set c = {0};
    json_t *j;
    assert_ok(tc_json_parse(text, strlen(text), "test", &j, &err));
    assert_fails(tc_curves_from_json(&c, j, "r.json", &err), TACIT_E_ARG, part);
    tacit_curve_set_fini(&c);
    json_decref(j);
}

#define ROW(name, iteration, regret) name ",branin,2,1," iteration "," regret ",0.5,2,0.25\n"

static void test_a_file_may_hold_several_curves(void **state)
{
    (void)state;
    tacit_error err = {0};
    tacit_curve_set c = {0};
    const char text[] = "label," HEADER ROW("a,ts", "0", "") ROW("a,ts", "1", "3")
        ROW("\"b,x=1\",ts", "0", "2") ROW("\"b,x=1\",ts", "1", "1") ROW("\"b,x=1\",ts", "0", "9");
    assert_ok(tc_curves_from_csv(&c, text, strlen(text), "r.csv", &err));
    assert_int_equal(c.n, 3);
    assert_string_equal(c.items[0].label, "a");
    assert_int_equal(c.items[0].points, 1); /* no regret before the first trial */
    assert_close(c.items[0].at[0], 1, 0);
    assert_string_equal(c.items[1].label, "b,x=1");
    assert_string_equal(c.items[1].algorithm, "ts");
    assert_int_equal(c.items[1].points, 2);
    assert_close(c.items[1].simple_mean[1], 1, 0);
    assert_int_equal(c.items[2].points, 1);
    assert_close(c.items[2].simple_mean[0], 9, 0);
    tacit_curve_set_fini(&c);
}

static void test_bad_files(void **state)
{
    (void)state;
    bad_csv("a,b\n1,2\n",
            "r.csv has no column \"algorithm\": it was not written by tacit simulate");
    bad_csv("", "r.csv has no column");
    bad_csv(HEADER, "r.csv has a header but no rows");
    bad_csv(HEADER "ts,branin,2,1,0,,0,0,0\n", "r.csv has no regret of ts");
    bad_csv(HEADER "ts,branin,2,1,1,x,0,0,0\n", "\"x\" is not a number");
    bad_csv(HEADER "ts,branin,-2,1,1,0,0,0,0\n", "\"-2\" is not a whole number");
    bad_json("{\"results\":[]}", "results must be an array with at least one object");
    bad_json("{\"results\":[{}]}", "algorithm is missing");
    bad_json("{}", "r.json is not a result of tacit simulate: ");
    bad_json("{\"algorithm\":\"a\",\"objective\":\"b\",\"iterations\":[]}",
             "iterations must be an array with at least one number");
    bad_json("{\"algorithm\":\"a\",\"objective\":\"b\",\"iterations\":[1],"
             "\"simple_regret\":{\"mean\":[1,2]}}",
             "simple_regret must be an array of 1 numbers");
    bad_json("{\"algorithm\":\"a\",\"objective\":\"b\",\"iterations\":[\"x\"]}",
             "iterations[0] must be a number, not a string");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_threads_do_not_show),
        cmocka_unit_test(test_regrets),
        cmocka_unit_test(test_learning_beats_guessing),
        cmocka_unit_test(test_one_run_has_no_error_bar),
        cmocka_unit_test(test_runs_follow_from_the_seed),
        cmocka_unit_test(test_noise_is_not_in_the_regret),
        cmocka_unit_test(test_finite_space),
        cmocka_unit_test(test_progress),
        cmocka_unit_test(test_errors),
        cmocka_unit_test(test_files_read_back),
        cmocka_unit_test(test_json_shows_the_options_in_force),
        cmocka_unit_test(test_a_file_may_hold_several_curves),
        cmocka_unit_test(test_bad_files),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
