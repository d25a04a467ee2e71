/* fgp_own_test.c - candidates with a part of their own, against the dense formulas. */
#include "support/test.h"

#include "num/fgp.h"
#include "num/la.h"

enum { N = 9, T = 6 };

static const double variance = 1.3, own = 0.6, noise = 0.05;
static const size_t asked[T] = {2, 7, 2, 0, 5, 2}; /* one again and again */
static const double y[T] = {0.3, -1.1, 0.5, 0.9, 0.2, 0.4};

static double prior(const double *X, size_t i, size_t j)
{
    double gap = (X[i] - X[j]) / 0.4;
    return variance * exp(-gap * gap / 2) + (i == j ? own : 0);
}

/* mean and variance of candidate i by solving the t x t system */
static void dense(const double *X, size_t i, double *mean, double *var)
{
    double K[T * T], a[T], b[T];
    tacit_error err = {0};
    for (size_t r = 0; r < T; r++) {
        for (size_t c = 0; c < T; c++)
            K[r + c * T] = prior(X, asked[r], asked[c]) + (r == c ? noise : 0);
        a[r] = prior(X, i, asked[r]);
        b[r] = a[r];
    }
    assert_ok(tc_chol(T, K, T, &err));
    tc_chol_solve(T, K, T, b);
    *mean = tc_dot(T, b, y);
    *var = prior(X, i, i) - tc_dot(T, a, b);
}

static void test_matches_the_dense_posterior(void **state)
{
    (void)state;
    tacit_error err = {0};
    double X[N], scale = 0.4, mean, var;
    tc_gp_hyper h = {
        .kind = TC_KERNEL_SE, .dim = 1, .variance = variance, .noise = noise, .scale = &scale};
    tc_fgp *g = NULL;
    for (size_t i = 0; i < N; i++)
        X[i] = 0.13 * (double)i;
    assert_ok(tc_fgp_new(&g, N, 1, X, NULL, NULL, &err));
    assert_ok(tc_fgp_own(g, own, &err));
    assert_ok(tc_fgp_reset(g, &h, &err));
    for (size_t t = 0; t < T; t++)
        assert_ok(tc_fgp_observe(g, asked[t], y[t], &err));
    for (size_t i = 0; i < N; i++) {
        dense(X, i, &mean, &var);
        assert_close(tc_fgp_mean(g)[i], mean, 1e-12);
        assert_close(tc_fgp_variance(g)[i], var, 1e-12);
    }
    tc_fgp_free(g);
}

/* The grid's own way of computing rows and a given matrix have it too. */
static void test_every_kind_of_prior_has_it(void **state)
{
    (void)state;
    tacit_error err = {0};
    double X[N], K[N * N], scale = 0.4;
    size_t axes[] = {N};
    tc_gp_hyper h = {
        .kind = TC_KERNEL_SE, .dim = 1, .variance = variance, .noise = noise, .scale = &scale};
    tc_gp_hyper unit = {.variance = 1, .noise = noise};
    tc_fgp *grid = NULL, *given = NULL;
    for (size_t i = 0; i < N; i++)
        X[i] = 0.13 * (double)i;
    for (size_t i = 0; i < N * N; i++)
        K[i] = prior(X, i % N, i / N) - (i % N == i / N ? own : 0);
    assert_ok(tc_fgp_new(&grid, N, 1, X, axes, NULL, &err));
    assert_ok(tc_fgp_new_given(&given, N, K, NULL, &err));
    assert_ok(tc_fgp_own(grid, own, &err));
    assert_ok(tc_fgp_own(given, own, &err));
    assert_ok(tc_fgp_reset(grid, &h, &err));
    assert_ok(tc_fgp_reset(given, &unit, &err));
    for (size_t t = 0; t < T; t++) {
        assert_ok(tc_fgp_observe(grid, asked[t], y[t], &err));
        assert_ok(tc_fgp_observe(given, asked[t], y[t], &err));
    }
    for (size_t i = 0; i < N; i++) {
        double mean, var;
        dense(X, i, &mean, &var);
        assert_close(tc_fgp_mean(grid)[i], mean, 1e-12);
        assert_close(tc_fgp_mean(given)[i], mean, 1e-12);
        assert_close(tc_fgp_variance(grid)[i], var, 1e-12);
        assert_close(tc_fgp_variance(given)[i], var, 1e-12);
    }
    tc_fgp_free(grid);
    tc_fgp_free(given);
}

static void test_refuses_nonsense(void **state)
{
    (void)state;
    tacit_error err = {0};
    double X[1] = {0};
    tc_fgp *g = NULL;
    assert_ok(tc_fgp_new(&g, 1, 1, X, NULL, NULL, &err));
    assert_fails(tc_fgp_own(g, -1, &err), TACIT_E_ARG, "finite and >= 0, got -1");
    assert_fails(tc_fgp_own(g, NAN, &err), TACIT_E_ARG, "own variance");
    assert_fails(tc_fgp_own(g, INFINITY, &err), TACIT_E_ARG, "got inf");
    tc_fgp_free(g);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_matches_the_dense_posterior),
        cmocka_unit_test(test_every_kind_of_prior_has_it),
        cmocka_unit_test(test_refuses_nonsense),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
