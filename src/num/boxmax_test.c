/* boxmax_test.c - maxima inside, on faces and in corners; functions that misbehave; determinism. */
#include "support/test.h"

#include "num/boxmax.h"

#include <stdatomic.h>

enum { DIM = 3 };

/* -sum (x_d - peak_d)^2 w_d: the maximum over the cube is the clamped peak. */
typedef struct bowl {
    double peak[DIM];
    atomic_size_t calls;
} bowl;

static const double weight[DIM] = {1.0, 10.0, 100.0};

static double bowl_at(void *ctx, size_t slot, const double *x, double *grad)
{
    (void)slot;
    bowl *b = ctx;
    atomic_fetch_add(&b->calls, 1);
    double f = 5.0;
    for (size_t d = 0; d < DIM; d++) {
        assert_true(x[d] >= 0.0 && x[d] <= 1.0);
        f -= weight[d] * (x[d] - b->peak[d]) * (x[d] - b->peak[d]);
        if (grad != NULL)
            grad[d] = -2.0 * weight[d] * (x[d] - b->peak[d]);
    }
    return f;
}

static tc_boxmax problem(double (*f)(void *, size_t, const double *, double *), void *ctx)
{
    return (tc_boxmax){.dim = DIM, .f = f, .ctx = ctx, .max_evals = 100, .ftol_rel = 1e-12};
}

static void test_inside_and_on_the_boundary(void **state)
{
    (void)state;
    tacit_error err = {0};
    bowl cases[] = {{{0.3, 0.6, 0.9}}, {{-0.2, 0.5, 0.4}}, {{1.5, -1.0, 0.2}}, {{2.0, 3.0, -1.0}}};
    for (size_t c = 0; c < 4; c++) {
        double X[2 * DIM] = {0.5, 0.5, 0.5, 0.9, 0.0, 1.0}, fx[2];
        size_t best;
        tc_boxmax p = problem(bowl_at, &cases[c]);
        assert_ok(tc_boxmax_lbfgs(&p, 2, X, fx, &best, &err));
        for (size_t i = 0; i < 2 * DIM; i++)
            assert_close(X[i], fmin(fmax(cases[c].peak[i % DIM], 0.0), 1.0), 1e-5);
        assert_true(fx[best] >= fx[1 - best]);
        for (size_t i = 0; i < 2; i++)
            assert_same_bits(fx[i], bowl_at(&cases[c], 0, X + i * DIM, NULL));
    }
}

static void test_budget_and_held_coordinates(void **state)
{
    (void)state;
    tacit_error err = {0};
    bowl b = {{0.3, 0.6, 0.9}};
    unsigned char movable[DIM] = {1, 0, 1};
    double x[DIM] = {0.5, 0.25, 0.5}, fx;
    size_t best = 7;
    tc_boxmax p = problem(bowl_at, &b);
    p.free = movable;
    assert_ok(tc_boxmax_lbfgs(&p, 1, x, &fx, &best, &err));
    assert_int_equal(best, 0);
    assert_close(x[0], 0.3, 1e-5);
    assert_close(x[1], 0.25, 0.0);
    assert_close(x[2], 0.9, 1e-5);

    b.calls = 0;
    p.max_evals = 4;
    double y[DIM] = {0.1, 0.1, 0.1};
    assert_ok(tc_boxmax_lbfgs(&p, 1, y, &fx, &best, &err));
    assert_true(b.calls <= 4);

    memset(movable, 0, sizeof movable);
    double held[DIM] = {0.1, 0.2, 1.7};
    assert_ok(tc_boxmax_lbfgs(&p, 1, held, &fx, &best, &err));
    assert_close(held[2], 1.0, 0.0); /* starts are moved into the cube */
    assert_same_bits(fx, bowl_at(&b, 0, held, NULL));
}

/* ln of a product that is 0 in half of the cube, and NaN in a corner. */
static double cliff_at(void *ctx, size_t slot, const double *x, double *grad)
{
    (void)ctx;
    (void)slot;
    if (x[0] > 0.9 && x[1] > 0.9)
        return NAN;
    if (x[0] >= 0.5) {
        for (size_t d = 0; d < DIM && grad != NULL; d++)
            grad[d] = NAN;
        return -INFINITY;
    }
    for (size_t d = 1; d < DIM && grad != NULL; d++)
        grad[d] = 0.0;
    if (grad != NULL)
        grad[0] = 3.0 - 0.1 / (0.5 - x[0]);
    return 3.0 * x[0] + 0.1 * log(0.5 - x[0]);
}

static void test_values_that_are_not_finite(void **state)
{
    (void)state;
    tacit_error err = {0};
    double X[3 * DIM] = {0.1, 0.5, 0.5, 0.7, 0.5, 0.5, 0.95, 0.95, 0.5}, fx[3];
    size_t best;
    tc_boxmax p = problem(cliff_at, NULL);
    assert_ok(tc_boxmax_lbfgs(&p, 3, X, fx, &best, &err));
    assert_int_equal(best, 0);
    assert_close(X[0], 0.5 - 1.0 / 30.0, 1e-3);
    assert_true(fx[1] == -INFINITY && fx[2] == -INFINITY);
    assert_close(X[DIM], 0.7, 0.0); /* nothing better was seen: the start stays */
}

/* Two hills; the slots must be the starts' own numbers. */
static double hills_at(void *ctx, size_t slot, const double *x, double *grad)
{
    unsigned char *seen = ctx;
    seen[slot] = 1;
    double f = 0.0;
    for (size_t d = 0; d < DIM && grad != NULL; d++)
        grad[d] = 0.0;
    for (int hill = 0; hill < 2; hill++) {
        double height = hill ? 1.0 : 0.8, r2 = 0.0;
        for (size_t d = 0; d < DIM; d++)
            r2 += pow(x[d] - (hill ? 0.8 : 0.2), 2);
        double term = height * exp(-20.0 * r2);
        f += term;
        for (size_t d = 0; d < DIM && grad != NULL; d++)
            grad[d] -= 40.0 * term * (x[d] - (hill ? 0.8 : 0.2));
    }
    return f;
}

static void test_threads_change_nothing(void **state)
{
    (void)state;
    enum { STARTS = 9 };
    tacit_error err = {0};
    double X[2][STARTS * DIM], fx[2][STARTS];
    unsigned char seen[STARTS] = {0};
    size_t best[2];
    tc_pool *pool;
    assert_ok(tc_pool_new(&pool, 3, &err));
    for (int run = 0; run < 2; run++) {
        for (size_t i = 0; i < STARTS * DIM; i++)
            X[run][i] = fmod(0.37 * (double)i, 1.0);
        tc_boxmax p = problem(hills_at, seen);
        p.pool = run ? pool : NULL;
        assert_ok(tc_boxmax_lbfgs(&p, STARTS, X[run], fx[run], &best[run], &err));
    }
    assert_memory_equal(X[0], X[1], sizeof X[0]);
    assert_memory_equal(fx[0], fx[1], sizeof fx[0]);
    assert_int_equal(best[0], best[1]);
    for (size_t i = 0; i < STARTS; i++)
        assert_true(seen[i] && fx[0][i] <= fx[0][best[0]]);
    assert_close(fx[0][best[0]], 1.0, 1e-6);
    tc_pool_free(pool);
}

static void test_equal_ends_take_the_first(void **state)
{
    (void)state;
    tacit_error err = {0};
    bowl b = {{0.3, 0.6, 0.9}};
    double X[3 * DIM] = {0.0, 0.0, 0.0, 0.3, 0.6, 0.9, 0.3, 0.6, 0.9}, fx[3];
    size_t best;
    tc_boxmax p = problem(bowl_at, &b);
    p.max_evals = 1;
    assert_ok(tc_boxmax_lbfgs(&p, 3, X, fx, &best, &err));
    assert_int_equal(best, 1);
    assert_fails(tc_boxmax_lbfgs(&p, 0, X, fx, &best, &err), TACIT_E_ARG,
                 "a search needs at least one starting point, got none");
}

static void test_direct_finds_the_higher_hill(void **state)
{
    (void)state;
    tacit_error err = {0};
    unsigned char seen[1] = {0}, movable[DIM] = {1, 1, 0};
    double x[DIM] = {0.2, 0.2, 0.75}, fx, again[DIM] = {0.0, 0.9, 0.75}, fx_again;
    tc_boxmax p = problem(hills_at, seen);
    p.max_evals = 600;
    assert_ok(tc_boxmax_direct(&p, x, &fx, &err));
    for (size_t d = 0; d < DIM; d++)
        assert_close(x[d], 0.8, 0.02);
    assert_close(fx, 1.0, 0.02);
    p.free = movable;
    double held[DIM] = {0.2, 0.2, 0.75};
    assert_ok(tc_boxmax_direct(&p, held, &fx, &err));
    assert_close(held[2], 0.75, 0.0);
    assert_close(held[0], 0.8, 0.02);
    assert_ok(tc_boxmax_direct(&p, again, &fx_again, &err));
    assert_memory_equal(held, again, sizeof held); /* where it starts does not matter */
    assert_same_bits(fx, fx_again);
}

/* x0 + x1 + x2 <= 1, and 2 x0 <= 1.2 x2. */
static void below_planes(const void *ctx, const double *x, double *excess, double *slopes)
{
    static const double rows[2 * DIM] = {1, 1, 1, 2, 0, -1.2};
    (void)ctx;
    excess[0] = x[0] + x[1] + x[2] - 1;
    excess[1] = 2 * x[0] - 1.2 * x[2];
    if (slopes)
        memcpy(slopes, rows, sizeof rows);
}

static double plane_excess(const double *x)
{
    double excess[2];
    below_planes(NULL, x, excess, NULL);
    return fmax(excess[0], excess[1]);
}

/* On a face the maximum is peak_d - l / (2 weight_d), with the l that brings it there. */
static void test_limits_hold(void **state)
{
    (void)state;
    tacit_error err = {0};
    bowl b = {{0.4, 0.7, 0.9}};
    double X[2 * DIM] = {0.1, 0.1, 0.2, 0, 0.9, 0}, fx[2], l = 0, sum = 0;
    size_t best;
    tc_boxmax p = problem(bowl_at, &b);
    p.limits = 2;
    p.limit = below_planes;
    assert_ok(tc_boxmax_lbfgs(&p, 2, X, fx, &best, &err));
    for (size_t d = 0; d < DIM; d++)
        sum += 1 / (2 * weight[d]);
    l = (0.4 + 0.7 + 0.9 - 1) / sum;
    double expected[DIM] = {0.4 - l / 2, 0.7 - l / 20, 0.9 - l / 200};
    if (expected[0] < 0) { /* held at 0 */
        l = (0.7 + 0.9 - 1) / (1 / 20.0 + 1 / 200.0);
        expected[0] = 0;
        expected[1] = 0.7 - l / 20;
        expected[2] = 0.9 - l / 200;
    }
    for (size_t i = 0; i < 2; i++) {
        assert_true(plane_excess(X + i * DIM) <= 1e-10);
        for (size_t d = 0; d < DIM; d++)
            assert_close(X[i * DIM + d], expected[d], 1e-4);
    }
    unsigned char movable[DIM] = {1, 1, 0};
    double held[DIM] = {0, 0, 0.25};
    p.free = movable;
    b = (bowl){{0.9, 0.3, 0.9}};
    assert_ok(tc_boxmax_lbfgs(&p, 1, held, fx, &best, &err));
    assert_close(held[0], 0.15, 1e-6); /* 2 x0 <= 0.3 */
    assert_close(held[1], 0.3, 1e-4);
    assert_close(held[2], 0.25, 0.0);
    double outside[DIM] = {0.5, 0.5,
                           0.25}; /* a start that satisfies nothing finds something that does */
    assert_ok(tc_boxmax_lbfgs(&p, 1, outside, fx, &best, &err));
    assert_true(isfinite(fx[0]) && plane_excess(outside) <= 1e-10);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_inside_and_on_the_boundary),
        cmocka_unit_test(test_budget_and_held_coordinates),
        cmocka_unit_test(test_values_that_are_not_finite),
        cmocka_unit_test(test_threads_change_nothing),
        cmocka_unit_test(test_equal_ends_take_the_first),
        cmocka_unit_test(test_direct_finds_the_higher_hill),
        cmocka_unit_test(test_limits_hold),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
