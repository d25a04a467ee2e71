/* compare_test.c - compare.c against what can be counted or is known. */
#include "support/test.h"

#include "base/random.h"
#include "sim/compare.h"
#include "sim/simulation.h"

enum { MOST_RUNS = 400, ITERATIONS = 3 };

/* Results with given regrets at iteration 1, and others elsewhere that must not matter. */
typedef struct pair {
    tacit_curves a, b;
    double rows_a[MOST_RUNS * ITERATIONS], rows_b[MOST_RUNS * ITERATIONS];
} pair;

static void make(pair *p, uint64_t runs)
{
    memset(p, 0, sizeof *p);
    p->a = (tacit_curves){.agents = 5, .runs = runs, .points = ITERATIONS, .seed = 1};
    p->b = p->a;
    p->a.simple = p->rows_a;
    p->b.simple = p->rows_b;
    for (size_t i = 0; i < runs * ITERATIONS; i++)
        p->rows_a[i] = p->rows_b[i] = i % 3 ? 7 : INFINITY;
}

static void set(pair *p, size_t run, double a, double b)
{
    p->rows_a[run * ITERATIONS + 1] = a;
    p->rows_b[run * ITERATIONS + 1] = b;
}

static tacit_ratio compare(const pair *p)
{
    tacit_error err = {0};
    tacit_ratio r = {0};
    assert_ok(tacit_curves_compare(&p->a, &p->b, 1, &r, &err));
    return r;
}

/* ---- the ratio ---- */

static void test_a_ratio_without_spread(void **state)
{
    (void)state;
    static pair p;
    make(&p, 30);
    for (size_t r = 0; r < 30; r++)
        set(&p, r, 2.0 * (double)(r + 1), (double)(r + 1));
    tacit_ratio x = compare(&p);
    assert_same_bits(x.ratio, 2);
    assert_same_bits(x.low, 2);
    assert_same_bits(x.high, 2);
}

static void assert_no_interval(const tacit_ratio *x)
{
    assert_true(isnan(x->low) && isnan(x->high));
}

/* Four runs have a ratio and a p-value; an interval takes five. */
static void test_few_runs_have_no_interval(void **state)
{
    (void)state;
    static pair p;
    for (uint64_t n = 1; n <= 6; n++) {
        make(&p, n);
        for (size_t r = 0; r < n; r++)
            set(&p, r, 2 + (double)r, 1);
        tacit_ratio x = compare(&p);
        assert_close(x.ratio, 2 + (double)(n - 1) / 2, 1e-12);
        assert_close(x.p, ldexp(2, -(int)n), 1e-15);
        if (n < TACIT_INTERVAL_RUNS)
            assert_no_interval(&x);
        else
            assert_true(x.low > 0 && x.low < x.ratio && x.high > x.ratio && isfinite(x.high));
    }
}

static void test_no_regret_at_all(void **state)
{
    (void)state;
    static pair p;
    make(&p, 6);
    for (size_t r = 0; r < 6; r++)
        set(&p, r, 0, 0);
    tacit_ratio x = compare(&p);
    assert_same_bits(x.ratio, 1);
    assert_same_bits(x.low, 1);
    assert_same_bits(x.high, 1);
    assert_same_bits(x.p, 1);
    set(&p, 2, 1, 0);
    x = compare(&p);
    assert_true(isinf(x.ratio));
    assert_no_interval(&x);
    set(&p, 2, 0, 1);
    x = compare(&p);
    assert_same_bits(x.ratio, 0);
    assert_no_interval(&x);
}

/* Of ten runs, `n` have regret. A resample that meets one of them or none, however often, has no
 * spread: 36 % of all for n = 2, 9 % for 4, 3 % for 5. */
static void test_some_runs_without_regret(void **state)
{
    (void)state;
    static pair p;
    for (size_t n = 1; n <= 10; n++) {
        make(&p, 10);
        for (size_t r = 0; r < 10; r++)
            set(&p, r, r < n ? 2 + (double)r : 0, r < n ? 1 + (double)(r % 3) : 0);
        tacit_ratio x = compare(&p);
        assert_true(isfinite(x.ratio));
        if (n <= 4)
            assert_no_interval(&x);
        else
            assert_true(x.low > 0 && x.low < x.ratio && x.ratio < x.high);
    }
}

/* 3/5 of the runs are alike: one resample in thirteen has no spread. */
static void test_runs_that_are_alike(void **state)
{
    (void)state;
    static pair p;
    make(&p, 5);
    for (size_t r = 0; r < 5; r++)
        set(&p, r, 2 + (double)(r % 2), 1);
    tacit_ratio x = compare(&p);
    assert_close(x.ratio, 2.4, 1e-12);
    assert_no_interval(&x);
}

/* Five heavy-tailed runs, whose interval would be 0 to infinity. */
static void test_an_interval_that_says_nothing(void **state)
{
    (void)state;
    static const double runs[][2] = {
        {23.69, 2.059}, {0.0526, 0.00654}, {26.81, 14.55}, {1.427, 0.1229}, {0.1555, 16.29}};
    static pair p;
    make(&p, 5);
    for (size_t r = 0; r < 5; r++)
        set(&p, r, runs[r][0], runs[r][1]);
    tacit_ratio x = compare(&p);
    assert_close(x.ratio, 1.58, 0.01);
    assert_no_interval(&x);
}

/* Other numbers than regrets may be negative: then the ratio has no logarithm. */
static void test_negative_means(void **state)
{
    (void)state;
    tacit_error err = {0};
    static const double a[] = {-1, -2, -3, -1, -2, 1}, b[] = {1, 2, 2, 1, 1, 1};
    tacit_ratio x;
    assert_ok(tc_paired_compare(a, b, 6, &x, &err));
    assert_same_bits(x.ratio, -1);
    assert_no_interval(&x);
    assert_ok(tc_paired_compare(b, a, 6, &x, &err));
    assert_no_interval(&x);
}

/* ---- the interval ---- */

static void draw_runs(tc_stream *s, double spread, double *a, double *b, size_t n)
{
    for (size_t r = 0; r < n; r++) {
        double z[2];
        tc_draw_normals(s, 2, z);
        a[r] = exp(spread * z[0]);
        b[r] = exp(spread * (0.5 * z[0] + sqrt(0.75) * z[1]));
    }
}

/* log(mean a / mean b) and its standard error, of the runs that the digits of `code` to base n
 * name; as long as it takes. */
static void of_resample(const double *a, const double *b, size_t n, size_t code, double *theta,
                        double *se)
{
    double x[8], y[8], A = 0, B = 0, var_a = 0, var_b = 0, cov = 0;
    for (size_t i = 0; i < n; i++, code /= n) {
        A += x[i] = a[code % n];
        B += y[i] = b[code % n];
    }
    A /= (double)n;
    B /= (double)n;
    for (size_t i = 0; i < n; i++) {
        var_a += (x[i] - A) * (x[i] - A) / (double)(n - 1);
        var_b += (y[i] - B) * (y[i] - B) / (double)(n - 1);
        cov += (x[i] - A) * (y[i] - B) / (double)(n - 1);
    }
    *theta = log(A / B);
    *se = sqrt(fmax(0, var_a / (A * A) + var_b / (B * B) - 2 * cov / (A * B)) / (double)n);
}

/* Five runs have 3125 resamples: how many of them are no farther away than the end of the interval? */
static void test_interval_of_five_runs(void **state)
{
    (void)state;
    tacit_error err = {0};
    enum { N = 5, ALL = N * N * N * N * N };
    const size_t identity = 0 + 5 * (1 + 5 * (2 + 5 * (3 + 5 * 4)));
    tc_public_seed seed = tc_public_seed_from(8);
    tc_stream s;
    tc_stream_public(&s, &seed, TC_FOR_OBJECTIVE, 0);
    for (int i = 0; i < 20; i++) {
        double a[N], b[N], theta, se;
        tacit_ratio x, turned;
        draw_runs(&s, 0.5, a, b, N);
        assert_ok(tc_paired_compare(a, b, N, &x, &err));
        of_resample(a, b, N, identity, &theta, &se);
        double q = log(x.high / x.ratio) / se;
        int within = 0;
        for (size_t code = 0; code < ALL; code++) {
            double t, e;
            of_resample(a, b, N, code, &t, &e);
            within += fabs(t - theta) <= q * (1 + 1e-9) * e + 1e-12;
        }
        assert_close((double)within / ALL, 0.95, 5 * sqrt(0.05 * 0.95 / 1999));
        assert_close(x.low * x.high, x.ratio * x.ratio, 1e-9 * x.ratio * x.ratio);
        assert_ok(tc_paired_compare(b, a, N, &turned, &err));
        assert_close(turned.low * x.high, 1, 1e-9);
    }
}

/* Heavy tails and eight runs: percentiles of the ratio would cover 86 % here, BCa 84 %. */
static void test_intervals_cover(void **state)
{
    (void)state;
    tacit_error err = {0};
    enum { N = 8, TIMES = 800 };
    tc_public_seed seed = tc_public_seed_from(9);
    tc_stream s;
    int covered = 0;
    tc_stream_public(&s, &seed, TC_FOR_OBJECTIVE, 0);
    for (int i = 0; i < TIMES; i++) {
        double a[N], b[N];
        tacit_ratio x;
        draw_runs(&s, 1, a, b, N);
        assert_ok(tc_paired_compare(a, b, N, &x, &err));
        covered += x.low <= 1 && x.high >= 1;
    }
    assert_true(covered > 0.92 * TIMES && covered < 0.975 * TIMES);
}

/* With many runs the interval is that of the delta method. */
static void test_interval_of_many_runs(void **state)
{
    (void)state;
    static pair p;
    tc_public_seed seed = tc_public_seed_from(4);
    tc_stream s;
    enum { N = MOST_RUNS };
    double a[N], b[N], A = 0, B = 0, squares = 0;
    make(&p, N);
    tc_stream_public(&s, &seed, TC_FOR_OBJECTIVE, 0);
    for (size_t r = 0; r < N; r++) {
        double common = tc_draw_uniform(&s);
        a[r] = 2 + common + tc_draw_uniform(&s);
        b[r] = 1 + common;
        set(&p, r, a[r], b[r]);
        A += a[r] / N;
        B += b[r] / N;
    }
    for (size_t r = 0; r < N; r++) {
        double d = a[r] - A / B * b[r];
        squares += d * d / (N - 1);
    }
    double se = sqrt(squares / N) / B;
    tacit_ratio x = compare(&p);
    assert_close(x.ratio, A / B, 1e-12);
    assert_close(x.low, A / B - 1.96 * se, 0.2 * se);
    assert_close(x.high, A / B + 1.96 * se, 0.2 * se);
    tacit_ratio again = compare(&p);
    assert_memory_equal(&x, &again, sizeof x);
}

/* ---- the test ---- */

/* How many of all sign patterns reach |target|, by trying them. */
static int count_patterns(const double *d, int n, double sum, double target)
{
    if (n == 0)
        return fabs(sum) > target - 1e-9;
    return count_patterns(d + 1, n - 1, sum + d[0], target) +
           count_patterns(d + 1, n - 1, sum - d[0], target);
}

static void test_few_runs_are_counted(void **state)
{
    (void)state;
    static const double d[] = {3, 1, -0.5, 2, 2, -1, 0.1, 0.2, 0, 1.3, 0.7, -2, 0.4};
    static pair p;
    for (int n = 1; n <= 13; n++) {
        double sum = 0;
        make(&p, (uint64_t)n);
        for (int r = 0; r < n; r++) {
            set(&p, (size_t)r, 10 + d[r], 10);
            sum += d[r];
        }
        assert_close(compare(&p).p, count_patterns(d, n, 0, fabs(sum)) / ldexp(1, n), 1e-15);
    }
}

/* The sum of n signs of one size: the sampled p-value is near the binomial one. */
static void test_many_runs_are_sampled(void **state)
{
    (void)state;
    static pair p;
    make(&p, 30);
    for (size_t r = 0; r < 30; r++)
        set(&p, r, r < 20 ? 3 : 1, 2); /* 20 up, 10 down */
    double tail = 0;
    for (int k = 20; k <= 30; k++)
        tail += 2 * exp(lgamma(31) - lgamma(k + 1) - lgamma(31 - k) - 30 * log(2));
    assert_close(compare(&p).p, tail, 5 * sqrt(tail / 10000));
    for (size_t r = 0; r < 30; r++)
        set(&p, r, 3, 2);
    assert_close(compare(&p).p, 1.0 / 10001, 1e-15);
    make(&p, 130); /* signs come in words of 64 */
    for (size_t r = 0; r < 130; r++)
        set(&p, r, r < 64 ? 2 : 1000, r < 64 ? 2 : (r < 97 ? 999 : 1001));
    assert_true(compare(&p).p > 0.9); /* 33 up, 33 down */
}

/* Runs 64 apart have signs of their own: with one sign for both, this p-value would be 0.13. */
static void test_more_than_64_runs(void **state)
{
    (void)state;
    static pair p;
    make(&p, 128);
    for (size_t r = 0; r < 128; r++)
        set(&p, r, r % 64 < 38 ? 3 : 1, 2); /* 76 up, 52 down */
    double tail = 0;
    for (int k = 76; k <= 128; k++)
        tail += 2 * exp(lgamma(129) - lgamma(k + 1) - lgamma(129 - k) - 128 * log(2));
    assert_close(compare(&p).p, tail, 5 * sqrt(tail / 10000));
}

static void test_what_cannot_be_compared(void **state)
{
    (void)state;
    tacit_error err = {0};
    static pair p;
    tacit_ratio x;
    make(&p, 3);
    assert_fails(tacit_curves_compare(&p.a, &p.b, 3, &x, &err), TACIT_E_ARG,
                 "there is no iteration 3 in both; the last is 2");
    assert_fails(tacit_curves_compare(&p.a, &p.b, 0, &x, &err), TACIT_E_ARG,
                 "the regret at iteration 0 is not finite");
    p.b.seed = 2;
    assert_fails(tacit_curves_compare(&p.a, &p.b, 1, &x, &err), TACIT_E_ARG,
                 "only simulations with the same runs, agents and seed can be compared, got 3, 5, "
                 "1 and 3, 5, 2");
    p.b.seed = 1;
    p.b.runs = 2;
    assert_fails(tacit_curves_compare(&p.a, &p.b, 1, &x, &err), TACIT_E_ARG, "the same runs");
}

/* Curves of a file have no runs to pair. */
static void test_means_alone(void **state)
{
    (void)state;
    tacit_error err = {0};
    tacit_ratio r;
    tacit_curves a = {.runs = 6, .points = 1};
    assert_fails(tacit_curves_compare(&a, &a, 0, &r, &err), TACIT_E_ARG,
                 "only curves that have every run can be compared, and these have means alone");
    assert_fails(tacit_curves_compare(NULL, &a, 0, &r, &err), TACIT_E_ARG, "a must not be NULL");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_means_alone),
        cmocka_unit_test(test_a_ratio_without_spread),
        cmocka_unit_test(test_few_runs_have_no_interval),
        cmocka_unit_test(test_no_regret_at_all),
        cmocka_unit_test(test_some_runs_without_regret),
        cmocka_unit_test(test_runs_that_are_alike),
        cmocka_unit_test(test_an_interval_that_says_nothing),
        cmocka_unit_test(test_negative_means),
        cmocka_unit_test(test_interval_of_five_runs),
        cmocka_unit_test(test_intervals_cover),
        cmocka_unit_test(test_interval_of_many_runs),
        cmocka_unit_test(test_few_runs_are_counted),
        cmocka_unit_test(test_many_runs_are_sampled),
        cmocka_unit_test(test_more_than_64_runs),
        cmocka_unit_test(test_what_cannot_be_compared),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
