/* blur_test.c - the kernel between released rows, its likelihood and its fit. */
#include "support/test.h"

#include "algo/outsourced/blur.h"
#include "num/la.h"

enum { N = 14, D = 2 };

static void make_points(double *X, double *y)
{
    tc_public_seed seed = tc_public_seed_from(3);
    tc_stream s;
    tc_stream_public(&s, &seed, TC_FOR_OBJECTIVE, 0);
    for (size_t i = 0; i < N * D; i++)
        X[i] = tc_draw_uniform(&s);
    for (size_t i = 0; i < N; i++)
        y[i] = sin(5 * X[i]) + 0.3 * tc_draw_normal(&s);
}

/* As docs/math.md has it. */
static double reference(const double *x, const double *z, const double *l, double v, double sd,
                        bool same)
{
    double k = v;
    for (size_t d = 0; d < D && !same; d++) {
        double wide = l[d] * l[d] + 2 * sd * sd, gap = x[d * N] - z[d * N];
        k *= sqrt(l[d] * l[d] / wide) * exp(-gap * gap / (2 * wide));
    }
    return k;
}

static void test_is_the_formula(void **state)
{
    (void)state;
    double X[N * D], y[N], l[D] = {0.3, 0.8}, wide[D];
    tc_gp_hyper h = {.kind = TC_KERNEL_SE, .dim = D, .variance = 1.7, .noise = 0.1, .scale = l};
    tc_gp_hyper out = {.scale = wide};
    make_points(X, y);
    double own = tc_blur(&h, 0.25, &out);
    tc_kernel k = {.kind = out.kind, .dim = D, .variance = out.variance, .scale = out.scale};
    for (size_t i = 0; i < N; i++)
        for (size_t j = 0; j < N; j++) {
            double a[D] = {X[i], X[i + N]}, b[D] = {X[j], X[j + N]};
            double made = tc_kernel_at(&k, a, b) + (i == j ? own : 0);
            assert_close(made, reference(X + i, X + j, l, 1.7, 0.25, i == j), 1e-14);
        }
    assert_close(out.noise, 0.1, 0);
    assert_close(out.variance + own, 1.7, 1e-15);
}

static void test_without_noise_is_the_kernel(void **state)
{
    (void)state;
    double l[D] = {0.3, 0.8};
    tc_gp_hyper h = {.kind = TC_KERNEL_SE, .dim = D, .variance = 1.7, .noise = 0.1, .scale = l};
    assert_close(tc_blur(&h, 0, &h), 0, 0); /* in place */
    assert_close(h.variance, 1.7, 0);
    assert_close(l[1], 0.8, 0);
}

/* It is the covariance of f at rows with Gaussian noise: E f(x + a) f(z + b). */
static void test_is_an_expectation(void **state)
{
    (void)state;
    const double l = 0.7, sd = 0.4, gap = 0.5;
    double sum = 0, weight = 0;
    for (double u = -9; u <= 9; u += 0.01) { /* a - b has sd sqrt(2) sd */
        double w = exp(-u * u / 2), r = (gap + u * sqrt(2) * sd) / l;
        sum += w * exp(-r * r / 2);
        weight += w;
    }
    double scale = l, wide;
    tc_gp_hyper h = {.kind = TC_KERNEL_SE, .dim = 1, .variance = 1, .noise = 1, .scale = &scale};
    tc_gp_hyper out = {.scale = &wide};
    tc_blur(&h, sd, &out);
    assert_close(out.variance * exp(-gap * gap / (2 * wide * wide)), sum / weight, 1e-9);
}

/* ln p(y) of the dense covariance, and the priors of gp_fit.h. */
static double dense_objective(const double *X, const double *y, const double *theta, bool ard,
                              double sd)
{
    double K[N * N], a[N], l[D];
    tacit_error err = {0};
    size_t k = ard ? D : 1;
    for (size_t d = 0; d < D; d++)
        l[d] = exp(theta[ard ? d : 0]);
    for (size_t i = 0; i < N * N; i++)
        K[i] = reference(X + i % N, X + i / N, l, exp(theta[k]), sd, i % N == i / N) +
               (i % N == i / N ? exp(theta[k + 1]) : 0);
    assert_ok(tc_chol(N, K, N, &err));
    memcpy(a, y, sizeof a);
    tc_solve_lower(N, K, N, a);
    double value = -0.5 * (tc_dot(N, a, a) + tc_chol_logdet(N, K, N) + N * log(2 * acos(-1)));
    for (size_t i = 0; i < k; i++)
        value -= 0.5 * pow(theta[i] - log(sqrt(D) / 4), 2);
    return value - 0.5 * pow(theta[k] / 1.5, 2) - 0.5 * pow((theta[k + 1] - log(1e-5)) / 3.5, 2);
}

static void check_objective(bool ard, const double *theta, double sd)
{
    tacit_error err = {0};
    double X[N * D], y[N], value, grad[D + 2], other[D + 2], up, down, at[D + 2];
    tc_gp_fit_opts o = {.ard = ard, .noise_min = 1e-8, .scale_min = 0.01, .scale_max = 10};
    size_t n = (ard ? D : 1) + 2;
    make_points(X, y);
    assert_ok(tc_blur_objective(&o, sd, D, N, X, N, y, theta, &value, grad, &err));
    assert_close(value, dense_objective(X, y, theta, ard, sd), 1e-9);
    for (size_t i = 0; i < n; i++) {
        const double step = 1e-5;
        memcpy(at, theta, n * sizeof *at);
        at[i] = theta[i] + step;
        assert_ok(tc_blur_objective(&o, sd, D, N, X, N, y, at, &up, other, &err));
        at[i] = theta[i] - step;
        assert_ok(tc_blur_objective(&o, sd, D, N, X, N, y, at, &down, other, &err));
        assert_close(grad[i], (up - down) / (2 * step), 1e-5 * fmax(1, fabs(grad[i])));
    }
}

static void test_objective_and_gradient(void **state)
{
    (void)state;
    check_objective(false, (double[]){-1, 0.2, -3}, 0.2);
    check_objective(false, (double[]){-2, -0.5, -6}, 0);
    check_objective(true, (double[]){-1, 0.4, 0.2, -2}, 0.3);
}

/* The fit is no worse than any point of a coarse search. */
static void test_fit_finds_the_top(void **state)
{
    (void)state;
    tacit_error err = {0};
    double X[N * D], y[N], l[D] = {0.5, 0.5}, value, grad[3], found;
    tc_gp_hyper h = {.kind = TC_KERNEL_SE, .dim = D, .variance = 1, .noise = 0.01, .scale = l};
    tc_gp_fit_opts o = {
        .starts = 4, .max_evals = 80, .noise_min = 1e-6, .scale_min = 0.01, .scale_max = 20};
    tc_public_seed seed = tc_public_seed_from(1);
    tc_stream s;
    make_points(X, y);
    tc_stream_public(&s, &seed, TC_FOR_FIT, 1);
    assert_ok(tc_blur_fit(&h, &o, 0.1, N, X, N, y, &s, &err));
    assert_close(l[0], l[1], 0);
    double theta[3] = {log(l[0]), log(h.variance), log(h.noise)};
    assert_ok(tc_blur_objective(&o, 0.1, D, N, X, N, y, theta, &found, grad, &err));
    for (double a = -3; a < 2; a += 0.5)
        for (double b = -2; b < 3; b += 0.5)
            for (double c = -12; c < 2; c += 1) {
                double at[3] = {a, b, c};
                assert_ok(tc_blur_objective(&o, 0.1, D, N, X, N, y, at, &value, grad, &err));
                assert_true(value <= found + 1e-3);
            }
}

static void test_refuses_too_many_coordinates(void **state)
{
    (void)state;
    tacit_error err = {0};
    double one = 0, value, theta[3] = {0}, grad[3];
    tc_gp_fit_opts o = {.noise_min = 1e-8, .scale_min = 0.01, .scale_max = 10};
    assert_fails(tc_blur_objective(&o, 0, 1000, 0, &one, 1, &one, theta, &value, grad, &err),
                 TACIT_E_ARG, "rows have 1 to 256 coordinates, got 1000");
    tc_gp_hyper h = {.dim = 0};
    assert_fails(tc_blur_fit(&h, &o, 0, 0, &one, 1, &one, NULL, &err), TACIT_E_ARG, "got 0");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_is_the_formula),
        cmocka_unit_test(test_without_noise_is_the_kernel),
        cmocka_unit_test(test_is_an_expectation),
        cmocka_unit_test(test_objective_and_gradient),
        cmocka_unit_test(test_fit_finds_the_top),
        cmocka_unit_test(test_refuses_too_many_coordinates),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
