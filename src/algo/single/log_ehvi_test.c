/* log_ehvi_test.c - expected hypervolume improvement beside draws, beside formulas of small fronts, and beside itself. */
#include "support/test.h"

#include "algo/single/log_ehvi.h"
#include "algo/single/log_ei.h"
#include "base/memory.h"
#include "base/random.h"
#include "num/pareto.h"

enum { MOST = 8 };

static double value_of(tc_ehvi *e, const double *mean, const double *var)
{
    double d_mean[TC_EHVI_MOST], d_var[TC_EHVI_MOST];
    double *scratch = tc_alloc(tc_ehvi_scratch_size(e) + 1, sizeof *scratch);
    assert_non_null(scratch);
    const double value = tc_log_ehvi(e, mean, var, d_mean, d_var, scratch);
    tc_free(scratch);
    return value;
}

static double log_ei(double best, double mean, double var)
{
    double unused[2];
    return tc_log_ei(best, mean, var, unused, unused + 1);
}

static double volume(size_t n, size_t k, const double *Y, const double *reference)
{
    tacit_error err = {0};
    double out;
    assert_ok(tc_hypervolume(n, k, Y, reference, &out, &err));
    return out;
}

/* The mean improvement of so many draws; their standard error. */
static double by_draws(size_t n, size_t k, double *Y, const double *reference, const double *mean,
                       const double *var, uint64_t key, double *error)
{
    enum { DRAWS = 100000 };
    const tc_public_seed seed = tc_public_seed_from(5);
    const double before = volume(n, k, Y, reference);
    double sum = 0, squares = 0;
    tc_stream s;
    tc_stream_public(&s, &seed, TC_FOR_DRAW, key);
    for (int i = 0; i < DRAWS; i++) {
        for (size_t j = 0; j < k; j++)
            Y[n * k + j] = mean[j] + sqrt(var[j]) * tc_draw_normal(&s);
        const double gain = volume(n + 1, k, Y, reference) - before;
        sum += gain;
        squares += gain * gain;
    }
    *error = sqrt((squares / DRAWS - sum / DRAWS * sum / DRAWS) / DRAWS);
    return sum / DRAWS;
}

static void draw_front(uint64_t key, size_t n, size_t k, double *Y, double *mean, double *var)
{
    const tc_public_seed seed = tc_public_seed_from(9);
    tc_stream s;
    tc_stream_public(&s, &seed, TC_FOR_DESIGN, key);
    for (size_t i = 0; i < n * k; i++)
        Y[i] = tc_draw_normal(&s);
    for (size_t j = 0; j < k; j++) {
        mean[j] = 0.5 + 0.5 * tc_draw_normal(&s);
        var[j] = 0.3 + tc_draw_uniform(&s);
    }
}

static void test_is_the_mean_of_draws(void **state)
{
    (void)state;
    tacit_error err = {0};
    const double reference[] = {-1, -1.2, -0.8, -1};
    for (uint64_t round = 0; round < 9; round++) {
        const size_t k = 2 + round % 3, n = 1 + round % MOST;
        double Y[(MOST + 2) * 4], mean[4], var[4], error;
        tc_ehvi e = {0};
        draw_front(round, n, k, Y, mean, var);
        assert_ok(tc_ehvi_set(&e, n, k, Y, reference, &err));
        const double expected = by_draws(n, k, Y, reference, mean, var, round, &error);
        assert_true(error < 0.1 * expected);
        assert_close(exp(value_of(&e, mean, var)), expected, 5 * error);
        tc_ehvi_fini(&e);
    }
}

/* Without a front it is a product; with one point, a product less what that has already. In logarithms, from the middle to a
 * thousand standard deviations away. */
static void test_small_fronts_have_formulas(void **state)
{
    (void)state;
    tacit_error err = {0};
    const double r[] = {0, -1}, y[] = {0.7, 0.2}, var[] = {0.3, 1.1};
    tc_ehvi none = {0}, one = {0};
    assert_ok(tc_ehvi_set(&none, 0, 2, NULL, r, &err));
    assert_ok(tc_ehvi_set(&one, 1, 2, y, r, &err));
    for (double away = -3; away < 1000; away = away < 4 ? away + 0.5 : away * 1.7) {
        const double mean[] = {r[0] - away * 0.5, r[1] - away};
        const double r0 = log_ei(r[0], mean[0], var[0]), r1 = log_ei(r[1], mean[1], var[1]);
        const double y0 = log_ei(y[0], mean[0], var[0]), y1 = log_ei(y[1], mean[1], var[1]);
        assert_close(value_of(&none, mean, var), r0 + r1, 1e-9 * (1 + fabs(r0 + r1)));
        /* all but the box of the point: EI0(r) EI1(r) - (EI0(r) - EI0(y)) (EI1(r) - EI1(y)) */
        const double rest = exp(y0 - r0) + exp(y1 - r1) - exp(y0 - r0 + y1 - r1);
        assert_close(value_of(&one, mean, var), r0 + r1 + log(rest),
                     1e-9 * (1 + fabs(r0 + r1 + log(rest))));
    }
    tc_ehvi_fini(&none);
    tc_ehvi_fini(&one);
}

static void check_slopes(tc_ehvi *e, size_t k, const double *mean, const double *var)
{
    double d_mean[4], d_var[4], unused[8];
    double *scratch = tc_alloc(tc_ehvi_scratch_size(e) + 1, sizeof *scratch);
    assert_non_null(scratch);
    const double value = tc_log_ehvi(e, mean, var, d_mean, d_var, scratch);
    assert_true(isfinite(value));
    for (size_t j = 0; j < 2 * k; j++) {
        double at[2][8], gap = 1e-5;
        for (int side = 0; side < 2; side++) {
            memcpy(at[side], mean, k * sizeof *mean);
            memcpy(at[side] + 4, var, k * sizeof *var);
            at[side][j < k ? j : 4 + j - k] += side ? gap : -gap;
        }
        const double slope = j < k ? d_mean[j] : d_var[j - k];
        const double up = tc_log_ehvi(e, at[1], at[1] + 4, unused, unused + 4, scratch);
        const double down = tc_log_ehvi(e, at[0], at[0] + 4, unused, unused + 4, scratch);
        assert_close(slope, (up - down) / (2 * gap), 1e-3 * (1 + fabs(slope)));
    }
    tc_free(scratch);
}

/* From the middle of the front, where sums are plain, to where only logarithms are left. */
static void test_slopes_are_those_of_the_value(void **state)
{
    (void)state;
    tacit_error err = {0};
    const double reference[] = {-2, -2, -2, -2};
    for (uint64_t round = 0; round < 12; round++) {
        const size_t k = 2 + round % 3;
        double Y[MOST * 4], mean[4], var[4];
        tc_ehvi e = {0};
        draw_front(round + 50, MOST, k, Y, mean, var);
        assert_ok(tc_ehvi_set(&e, MOST, k, Y, reference, &err));
        for (double away = 0; away < 80; away = 2 * away + 1) {
            for (size_t j = 0; j < k; j++)
                mean[j] -= away;
            check_slopes(&e, k, mean, var);
        }
        tc_ehvi_fini(&e);
    }
}

/* More mean is more improvement, also across the change from sums to logarithms. */
static void test_rises_with_the_mean(void **state)
{
    (void)state;
    tacit_error err = {0};
    const double reference[] = {-2, -2, -2};
    double Y[MOST * 3], start[3], var[3] = {1e-2, 1e-3, 1e-2}, before = -INFINITY;
    tc_ehvi e = {0};
    draw_front(77, MOST, 3, Y, start, (double[3]){0});
    assert_ok(tc_ehvi_set(&e, MOST, 3, Y, reference, &err));
    for (double up = -8; up < 2; up += 0.01) {
        const double mean[] = {up, up, up}, value = value_of(&e, mean, var);
        assert_true(value > before);
        before = value;
    }
    tc_ehvi_fini(&e);
}

/* What is dominated, equal, or below the reference changes nothing; nor does the order. */
static void test_only_the_front_counts(void **state)
{
    (void)state;
    tacit_error err = {0};
    const double plain[] = {2, 1, 1, 2}, more[] = {1, 2, 0.5, 0.5, 2, 1, 1, 2, 2, 0.5, -5, 9};
    const double mean[] = {1.2, 1.4}, var[] = {0.1, 0.4}, reference[] = {0, 0};
    tc_ehvi a = {0}, b = {0};
    assert_ok(tc_ehvi_set(&a, 2, 2, plain, reference, &err));
    assert_ok(tc_ehvi_set(&b, 6, 2, more, reference, &err));
    assert_close(value_of(&a, mean, var), value_of(&b, mean, var), 1e-13);
    tc_ehvi_fini(&a);
    tc_ehvi_fini(&b);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_is_the_mean_of_draws),
        cmocka_unit_test(test_small_fronts_have_formulas),
        cmocka_unit_test(test_slopes_are_those_of_the_value),
        cmocka_unit_test(test_rises_with_the_mean),
        cmocka_unit_test(test_only_the_front_counts),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
