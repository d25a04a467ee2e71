/* federated_compare_test.c - federated_compare.c against what can be counted or is known. */
#include "support/test.h"

#include "base/random.h"
#include "sim/federated.h"

enum { MOST_RUNS = 400, ITERATIONS = 3 };

/* Results with given regrets at iteration 1, and others elsewhere that must not matter. */
typedef struct pair {
    tc_federated_result a, b;
    double rows_a[MOST_RUNS * ITERATIONS], rows_b[MOST_RUNS * ITERATIONS];
} pair;

static void make(pair *p, uint64_t runs)
{
    memset(p, 0, sizeof *p);
    p->a = (tc_federated_result){.agents = 5, .runs = runs, .iterations = ITERATIONS, .seed = 1};
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

static tc_federated_ratio compare(const pair *p)
{
    tacit_error err = {0};
    tc_federated_ratio r = {0};
    assert_ok(tc_federated_compare(&p->a, &p->b, 1, &r, &err));
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
    tc_federated_ratio x = compare(&p);
    assert_same_bits(x.ratio, 2);
    assert_same_bits(x.low, 2);
    assert_same_bits(x.high, 2);
}

/* Two runs have three resamples: one of them twice, or both. Each is seen often enough. */
static void test_two_runs(void **state)
{
    (void)state;
    static pair p;
    make(&p, 2);
    set(&p, 0, 1, 4);
    set(&p, 1, 6, 2);
    tc_federated_ratio x = compare(&p);
    assert_same_bits(x.ratio, 7.0 / 6);
    assert_same_bits(x.low, 0.25);
    assert_same_bits(x.high, 3);
    assert_same_bits(x.p, 1); /* |-3 + 4| is the least of 1, 7, 7, 1 */
}

static void test_no_regret_at_all(void **state)
{
    (void)state;
    static pair p;
    make(&p, 4);
    for (size_t r = 0; r < 4; r++)
        set(&p, r, 0, 0);
    tc_federated_ratio x = compare(&p);
    assert_same_bits(x.ratio, 1);
    assert_same_bits(x.low, 1);
    assert_same_bits(x.high, 1);
    assert_same_bits(x.p, 1);
    set(&p, 2, 1, 0);
    x = compare(&p);
    assert_true(isinf(x.ratio) && isinf(x.high));
    assert_same_bits(x.low, 1); /* (3/4)^4 of the resamples miss that run */
}

/* With many runs the percentiles are those of the delta method. */
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
    tc_federated_ratio x = compare(&p);
    assert_close(x.ratio, A / B, 1e-12);
    assert_close(x.low, A / B - 1.96 * se, 0.2 * se);
    assert_close(x.high, A / B + 1.96 * se, 0.2 * se);
    tc_federated_ratio again = compare(&p);
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

static void test_what_cannot_be_compared(void **state)
{
    (void)state;
    tacit_error err = {0};
    static pair p;
    tc_federated_ratio x;
    make(&p, 3);
    assert_fails(tc_federated_compare(&p.a, &p.b, 3, &x, &err), TACIT_E_ARG,
                 "there is no iteration 3 in both; the last is 2");
    assert_fails(tc_federated_compare(&p.a, &p.b, 0, &x, &err), TACIT_E_ARG,
                 "the regret at iteration 0 is not finite");
    p.b.seed = 2;
    assert_fails(tc_federated_compare(&p.a, &p.b, 1, &x, &err), TACIT_E_ARG,
                 "only simulations with the same runs, agents and seed can be compared, got 3, 5, "
                 "1 and 3, 5, 2");
    p.b.seed = 1;
    p.b.runs = 2;
    assert_fails(tc_federated_compare(&p.a, &p.b, 1, &x, &err), TACIT_E_ARG, "the same runs");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_a_ratio_without_spread),
        cmocka_unit_test(test_two_runs),
        cmocka_unit_test(test_no_regret_at_all),
        cmocka_unit_test(test_interval_of_many_runs),
        cmocka_unit_test(test_few_runs_are_counted),
        cmocka_unit_test(test_many_runs_are_sampled),
        cmocka_unit_test(test_what_cannot_be_compared),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
