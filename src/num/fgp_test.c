/* fgp_test.c - the finite-domain GP against a dense refit at every step, and the bits it promises:
 * for any number of threads, for push and targets, after a restore. */
#include "support/test.h"

#include "base/memory.h"
#include "num/fgp.h"
#include "num/la.h"

#include <stdlib.h>

enum { STEPS = 37, SIDE_A = 41, SIDE_B = 29, N = SIDE_A * SIDE_B, DIM = 2 };

static double X[N * DIM];
static const size_t axes[DIM] = {SIDE_A, SIDE_B};
static double scale[DIM] = {0.2, 0.35};

static tc_gp_hyper hyper_of(tc_kernel_kind kind, double noise)
{
    return (tc_gp_hyper){.kind = kind, .dim = DIM, .variance = 1.7, .noise = noise, .scale = scale};
}

static int grid(void **state)
{
    (void)state;
    for (size_t i = 0; i < N; i++) {
        X[i] = (double)(i / SIDE_B) / (SIDE_A - 1);
        X[i + N] = (double)(i % SIDE_B) / (SIDE_B - 1);
    }
    return 0;
}

static double f(size_t j)
{
    return sin(7 * X[j]) + cos(5 * X[j + N]);
}

/* Candidates in a scattered order, every fifth one seen before. */
static size_t visit(size_t t)
{
    return (t % 5 == 4 ? t / 5 : t) * 611 % N;
}

/* ---- the slow, obvious way ---- */

typedef struct dense {
    double mean, var;
} dense;

static double covariance(const tc_gp_hyper *h, size_t i, size_t j)
{
    const tc_kernel k = {.kind = h->kind, .dim = DIM, .variance = h->variance, .scale = h->scale};
    const double x[DIM] = {X[i], X[i + N]}, y[DIM] = {X[j], X[j + N]};
    return tc_kernel_at(&k, x, y);
}

/* mu = k'(K + s2 I)^-1 y and var = k_cc - k'(K + s2 I)^-1 k at candidate c */
static dense dense_posterior(const tc_gp_hyper *h, size_t t, const double *y, size_t c)
{
    double L[STEPS * STEPS], k[STEPS], w[STEPS];
    tacit_error err = {0};
    for (size_t a = 0; a < t; a++) {
        for (size_t b = 0; b < t; b++)
            L[a + b * t] = covariance(h, visit(a), visit(b)) + (a == b ? h->noise : 0);
        k[a] = w[a] = covariance(h, visit(a), c);
    }
    assert_ok(tc_chol(t, L, t, &err));
    tc_chol_solve(t, L, t, w);
    return (dense){.mean = tc_dot(t, w, y), .var = h->variance - tc_dot(t, w, k)};
}

/* ---- helpers ---- */

static tc_fgp *fresh(const size_t *grid_axes, tc_pool *pool, const tc_gp_hyper *h)
{
    tacit_error err = {0};
    tc_fgp *g = NULL;
    assert_ok(tc_fgp_new(&g, N, DIM, X, grid_axes, pool, &err));
    assert_ok(tc_fgp_reset(g, h, &err));
    return g;
}

static void observe_all(tc_fgp *g, size_t from, size_t to)
{
    tacit_error err = {0};
    for (size_t t = from; t < to; t++)
        assert_ok(tc_fgp_observe(g, visit(t), f(visit(t)), &err));
}

static void assert_same_state(const tc_fgp *a, const tc_fgp *b)
{
    assert_int_equal(tc_fgp_size(a), tc_fgp_size(b));
    assert_memory_equal(tc_fgp_mean(a), tc_fgp_mean(b), N * sizeof(double));
    assert_memory_equal(tc_fgp_variance(a), tc_fgp_variance(b), N * sizeof(double));
}

static void assert_matches_dense(const tc_fgp *g, const tc_gp_hyper *h, const double *y)
{
    for (size_t c = 0; c < N; c += 17) {
        const dense d = dense_posterior(h, tc_fgp_size(g), y, c);
        assert_close(tc_fgp_mean(g)[c], d.mean, 1e-9);
        assert_close(tc_fgp_variance(g)[c], d.var, 1e-10);
    }
}

/* ---- tests ---- */

static void matches_a_refit_at_every_step(void **state)
{
    double y[STEPS];
    (void)state;
    for (int kind = 0; kind < TC_KERNEL_KINDS; kind++) {
        const tc_gp_hyper h = hyper_of((tc_kernel_kind)kind, 0.01);
        tc_fgp *on_grid = fresh(axes, NULL, &h), *on_points = fresh(NULL, NULL, &h);
        for (size_t t = 0; t < STEPS; t++) {
            y[t] = f(visit(t));
            observe_all(on_grid, t, t + 1);
            observe_all(on_points, t, t + 1);
            if (t % 6 == 0 || t + 1 == STEPS) {
                assert_matches_dense(on_grid, &h, y);
                assert_matches_dense(on_points, &h, y);
            }
        }
        tc_fgp_free(on_grid);
        tc_fgp_free(on_points);
    }
}

/* Length-scales and axes of three different sizes, so that a swapped axis shows. */
static void separates_over_three_axes(void **state)
{
    enum { A = 3, B = 4, C = 5, ALL = A * B * C };
    static const size_t sides[] = {A, B, C};
    double x[ALL * 3], scales[] = {0.2, 0.9, 0.4}, row[ALL];
    tc_gp_hyper h = {.kind = TC_KERNEL_SE, .dim = 3, .variance = 2, .noise = 1, .scale = scales};
    const tc_kernel k = {.kind = TC_KERNEL_SE, .dim = 3, .variance = 2, .scale = scales};
    tacit_error err = {0};
    tc_fgp *g = NULL;
    (void)state;
    for (size_t i = 0; i < ALL; i++) {
        x[i] = (double)(i / (B * C)) * 0.3;
        x[i + ALL] = (double)(i / C % B) * 0.2;
        x[i + 2 * ALL] = (double)(i % C) * 0.1;
    }
    assert_ok(tc_fgp_new(&g, ALL, 3, x, sides, NULL, &err));
    for (size_t j = 0; j < ALL; j += 7) {
        const double p[] = {x[j], x[j + ALL], x[j + 2 * ALL]};
        assert_ok(tc_fgp_reset(g, &h, &err));
        assert_ok(tc_fgp_observe(g, j, 1, &err));
        tc_kernel_row(&k, p, ALL, x, ALL, row);
        for (size_t i = 0; i < ALL; i++)
            assert_close(tc_fgp_mean(g)[i], row[i] / 3, 1e-15);
    }
    tc_fgp_free(g);
}

static void given_matrix_equals_its_kernel(void **state)
{
    const tc_gp_hyper h = hyper_of(TC_KERNEL_MATERN32, 0.02);
    tc_gp_hyper unit = {.variance = 1, .noise = 0.02};
    double *K = tc_alloc((size_t)N * N, sizeof *K);
    tc_fgp *kernel = fresh(NULL, NULL, &h), *given = NULL;
    tacit_error err = {0};
    (void)state;
    assert_non_null(K);
    for (size_t j = 0; j < N; j++)
        for (size_t i = 0; i < N; i++)
            K[i + j * N] = covariance(&h, i, j);
    assert_ok(tc_fgp_new_given(&given, N, K, NULL, &err));
    assert_ok(tc_fgp_reset(given, &unit, &err));
    observe_all(kernel, 0, 20);
    observe_all(given, 0, 20);
    assert_same_state(kernel, given);
    tc_fgp_free(kernel);
    tc_fgp_free(given);
    tc_free(K);
}

static void push_and_targets_equal_observe(void **state)
{
    const tc_gp_hyper h = hyper_of(TC_KERNEL_SE, 0.01);
    tc_fgp *observed = fresh(axes, NULL, &h), *pushed = fresh(axes, NULL, &h);
    tacit_error err = {0};
    double y[STEPS];
    (void)state;
    for (size_t t = 0; t < STEPS; t++) {
        y[t] = f(visit(t));
        assert_ok(tc_fgp_push(pushed, visit(t), &err));
    }
    for (size_t i = 0; i < N; i++)
        assert_true(tc_fgp_mean(pushed)[i] == 0);
    tc_fgp_targets(pushed, y);
    observe_all(observed, 0, STEPS);
    assert_same_state(observed, pushed);
    for (size_t t = 0; t < STEPS; t++)
        y[t] = 3 - y[t] / 2;
    tc_fgp_targets(pushed, y);
    assert_matches_dense(pushed, &h, y);
    tc_fgp_free(observed);
    tc_fgp_free(pushed);
}

/* The mean that other targets would have, and z of which z'z is y'C^-1 y; the state stays. */
static void project_is_the_mean_of_other_targets(void **state)
{
    const tc_gp_hyper h = hyper_of(TC_KERNEL_MATERN52, 0.01);
    tc_fgp *g = fresh(axes, NULL, &h), *other = fresh(axes, NULL, &h);
    tacit_error err = {0};
    double y[STEPS], z[STEPS], L[STEPS * STEPS], out[N];
    (void)state;
    observe_all(g, 0, STEPS);
    observe_all(other, 0, STEPS);
    for (size_t t = 0; t < STEPS; t++)
        y[t] = cos(2.0 * (double)t);
    tc_fgp_project(g, y, out, z);
    assert_same_state(g, other);
    tc_fgp_targets(other, y);
    assert_memory_equal(out, tc_fgp_mean(other), sizeof out);
    for (size_t a = 0; a < STEPS; a++)
        for (size_t b = 0; b < STEPS; b++)
            L[a + b * STEPS] = covariance(&h, visit(a), visit(b)) + (a == b ? h.noise : 0);
    assert_ok(tc_chol(STEPS, L, STEPS, &err));
    tc_solve_lower(STEPS, L, STEPS, y);
    for (size_t t = 0; t < STEPS; t++)
        assert_close(z[t], y[t], 1e-8);
    tc_fgp_free(g);
    g = fresh(axes, NULL, &h);
    tc_fgp_project(g, y, out, z); /* nothing is known: 0 */
    for (size_t i = 0; i < N; i++)
        assert_same_bits(out[i], 0);
    tc_fgp_free(g);
    tc_fgp_free(other);
}

static void restore_brings_back_the_bits(void **state)
{
    const tc_gp_hyper h = hyper_of(TC_KERNEL_MATERN52, 0.01);
    tc_fgp *straight = fresh(axes, NULL, &h), *marked = fresh(axes, NULL, &h);
    tacit_error err = {0};
    (void)state;
    observe_all(straight, 0, 11);
    observe_all(marked, 0, 11);
    assert_ok(tc_fgp_mark(marked, &err));
    for (int again = 0; again < 2; again++) {
        for (size_t j = 0; j < 9; j++)
            assert_ok(tc_fgp_push(marked, j * 100, &err));
        assert_int_equal(tc_fgp_size(marked), 20);
        tc_fgp_restore(marked);
        assert_same_state(straight, marked);
    }
    observe_all(straight, 11, 30);
    observe_all(marked, 11, 30);
    assert_same_state(straight, marked);
    tc_fgp_free(straight);
    tc_fgp_free(marked);
}

/* Large enough for the passes to be shared out, with a last tile that is not full. */
static void threads_do_not_change_the_bits(void **state)
{
    enum { MANY = 20011, T = 25 };
    const tc_gp_hyper h = {
        .kind = TC_KERNEL_MATERN32, .dim = 1, .variance = 1, .noise = 0.01, .scale = scale};
    double *x = tc_alloc(MANY, sizeof *x);
    tc_fgp *g[3] = {NULL};
    tc_pool *pool[3] = {NULL};
    tacit_error err = {0};
    size_t next[3] = {0};
    (void)state;
    assert_non_null(x);
    for (size_t i = 0; i < MANY; i++)
        x[i] = (double)i / 500;
    for (size_t k = 0; k < 3; k++) {
        if (k > 0)
            assert_ok(tc_pool_new(&pool[k], k + 1, &err));
        assert_ok(tc_fgp_new(&g[k], MANY, 1, x, NULL, pool[k], &err));
        assert_ok(tc_fgp_reset(g[k], &h, &err));
        for (size_t t = 0; t < T; t++) {
            assert_ok(tc_fgp_observe(g[k], next[k], sin(x[next[k]]), &err));
            next[k] = tc_fgp_argmax_ucb(g[k], 2, NULL);
        }
        assert_int_equal(next[k], next[0]);
        assert_memory_equal(tc_fgp_mean(g[k]), tc_fgp_mean(g[0]), MANY * sizeof *x);
        assert_memory_equal(tc_fgp_variance(g[k]), tc_fgp_variance(g[0]), MANY * sizeof *x);
    }
    for (size_t k = 0; k < 3; k++) {
        tc_fgp_free(g[k]);
        tc_pool_free(pool[k]);
    }
    tc_free(x);
}

static size_t plain_argmax(const tc_fgp *g, double width, const unsigned char *skip)
{
    double top = -(double)INFINITY;
    size_t at = N;
    for (size_t j = 0; j < N; j++) {
        const double score = tc_fgp_mean(g)[j] + width * sqrt(tc_fgp_variance(g)[j]);
        if (skip[j] == 0 && score > top) {
            top = score;
            at = j;
        }
    }
    return at;
}

static void argmax_is_the_plain_one(void **state)
{
    static unsigned char skip[N];
    const tc_gp_hyper h = hyper_of(TC_KERNEL_SE, 0.01);
    tc_fgp *g = fresh(axes, NULL, &h);
    (void)state;
    memset(skip, 0, sizeof skip);
    for (size_t t = 0; t < 15; t++) {
        observe_all(g, t, t + 1);
        for (double width = 0; width < 5; width += 1.5)
            assert_int_equal(tc_fgp_argmax_ucb(g, width, NULL), plain_argmax(g, width, skip));
    }
    for (size_t left = N; left > 0; left--) { /* every candidate once, best first */
        const size_t j = tc_fgp_argmax_ucb(g, 1, skip);
        assert_int_equal(j, plain_argmax(g, 1, skip));
        skip[j] = 1;
    }
    assert_int_equal(tc_fgp_argmax_ucb(g, 1, skip), N);
    tc_fgp_free(g);
}

static void ties_go_to_the_lowest(void **state)
{
    static unsigned char skip[N];
    const tc_gp_hyper h = hyper_of(TC_KERNEL_SE, 0.01);
    tc_fgp *g = fresh(axes, NULL, &h);
    (void)state;
    memset(skip, 0, sizeof skip);
    assert_int_equal(tc_fgp_argmax_ucb(g, 2, NULL), 0);
    memset(skip, 1, 700);
    assert_int_equal(tc_fgp_argmax_ucb(g, 2, skip), 700);
    tc_fgp_free(g);
}

/* 1/2 ln det(I + K/s2) */
static void info_gain_is_the_determinant(void **state)
{
    const tc_gp_hyper h = hyper_of(TC_KERNEL_MATERN52, 0.05);
    tc_fgp *g = fresh(axes, NULL, &h);
    double K[STEPS * STEPS];
    tacit_error err = {0};
    (void)state;
    assert_true(tc_fgp_info_gain(g) == 0);
    observe_all(g, 0, STEPS);
    for (size_t a = 0; a < STEPS; a++)
        for (size_t b = 0; b < STEPS; b++)
            K[a + b * STEPS] = covariance(&h, visit(a), visit(b)) / 0.05 + (a == b);
    assert_ok(tc_chol(STEPS, K, STEPS, &err));
    assert_close(tc_fgp_info_gain(g), tc_chol_logdet(STEPS, K, STEPS) / 2, 1e-9);
    tc_fgp_free(g);
}

/* Rows of several observations against as many rows: the same posterior from the mean of each. */
static void counted_rows_equal_single_ones(void **state)
{
    (void)state;
    enum { POINTS = 6, T = 14 };
    static const size_t at[T] = {1, 4, 1, 1, 0, 4, 1, 5, 0, 1, 4, 4, 1, 1};
    static const size_t rows[4] = {1, 4, 0, 5};
    const double line[POINTS] = {0, 0.1, 0.35, 0.6, 0.8, 1};
    double length = 0.3, sum[POINTS] = {0}, count[POINTS] = {0}, means[4];
    tc_gp_hyper hyper = {TC_KERNEL_MATERN52, 1, 1.3, 0.2, &length};
    tacit_error err = {0};
    tc_fgp *single = NULL, *merged = NULL;
    assert_ok(tc_fgp_new(&single, POINTS, 1, line, NULL, NULL, &err));
    assert_ok(tc_fgp_new(&merged, POINTS, 1, line, NULL, NULL, &err));
    assert_ok(tc_fgp_reset(single, &hyper, &err));
    assert_ok(tc_fgp_reset(merged, &hyper, &err));
    for (size_t i = 0; i < T; i++) {
        double y = sin(3.0 * (double)i);
        assert_ok(tc_fgp_observe(single, at[i], y, &err));
        sum[at[i]] += y;
        count[at[i]]++;
    }
    for (size_t i = 0; i < 4; i++) {
        if (i % 2 == 0) /* the same in other words */
            assert_ok(tc_fgp_push_many(merged, rows[i], count[rows[i]], &err));
        else
            assert_ok(tc_fgp_push_noise(merged, rows[i], hyper.noise / count[rows[i]], &err));
        means[i] = sum[rows[i]] / count[rows[i]];
    }
    tc_fgp_targets(merged, means);
    assert_int_equal(tc_fgp_size(merged), 4);
    for (size_t x = 0; x < POINTS; x++) {
        assert_close(tc_fgp_mean(merged)[x], tc_fgp_mean(single)[x], 1e-12);
        assert_close(tc_fgp_variance(merged)[x], tc_fgp_variance(single)[x], 1e-12);
    }
    assert_close(tc_fgp_info_gain(merged), tc_fgp_info_gain(single), 1e-12);
    assert_fails(tc_fgp_push_many(merged, 0, 0.5, &err), TACIT_E_ARG,
                 "a candidate must be observed at least once, got 0.5");
    assert_fails(tc_fgp_push_noise(merged, 0, 0, &err), TACIT_E_ARG,
                 "the noise of a row must be finite and > 0, got 0");
    assert_fails(tc_fgp_push_noise(merged, 0, INFINITY, &err), TACIT_E_ARG,
                 "the noise of a row must be finite and > 0, got inf");
    tc_fgp_free(single);
    tc_fgp_free(merged);
}

static void without_noise_it_interpolates(void **state)
{
    const tc_gp_hyper h = hyper_of(TC_KERNEL_MATERN12, 0);
    tc_fgp *g = fresh(axes, NULL, &h), *before = fresh(axes, NULL, &h);
    tacit_error err = {0};
    (void)state;
    for (size_t t = 0; t < 10; t++) {
        assert_ok(tc_fgp_observe(g, t * 97, f(t * 97), &err));
        assert_ok(tc_fgp_observe(before, t * 97, f(t * 97), &err));
    }
    for (size_t t = 0; t < 10; t++) {
        assert_close(tc_fgp_mean(g)[t * 97], f(t * 97), 1e-12);
        assert_close(tc_fgp_variance(g)[t * 97], 0, 1e-14);
    }
    assert_fails(tc_fgp_observe(g, 97, 5, &err), TACIT_E_NUMERIC,
                 "candidate 97 is already known: observing it again needs noise > 0");
    assert_same_state(before, g);
    tc_fgp_free(g);
    tc_fgp_free(before);
}

static void reset_forgets(void **state)
{
    const tc_gp_hyper h = hyper_of(TC_KERNEL_SE, 0.01), other = hyper_of(TC_KERNEL_MATERN12, 0.3);
    tc_fgp *used = fresh(axes, NULL, &other), *clean = fresh(axes, NULL, &h);
    tacit_error err = {0};
    (void)state;
    observe_all(used, 0, STEPS);
    assert_ok(tc_fgp_reset(used, &h, &err));
    assert_same_state(clean, used);
    observe_all(used, 0, 5);
    observe_all(clean, 0, 5);
    assert_same_state(clean, used);
    tc_fgp_free(used);
    tc_fgp_free(clean);
}

static void refuses_bad_candidates(void **state)
{
    static const size_t short_axes[DIM] = {SIDE_A, SIDE_B - 1}, swapped[DIM] = {SIDE_B, SIDE_A};
    const double K[4] = {1, 0, 0, -3};
    tacit_error err = {0};
    tc_fgp *g = NULL;
    (void)state;
    assert_fails(tc_fgp_new(&g, 0, DIM, X, NULL, NULL, &err), TACIT_E_ARG,
                 "a finite domain needs at least one candidate");
    assert_fails(tc_fgp_new(&g, N, DIM, X, short_axes, NULL, &err), TACIT_E_ARG,
                 "the axes of a grid of 1189 points have 1148 points");
    assert_fails(tc_fgp_new(&g, N, DIM, X, swapped, NULL, &err), TACIT_E_ARG,
                 "candidate 29 is not where the grid of the axes has it");
    assert_fails(tc_fgp_new_given(&g, 2, K, NULL, &err), TACIT_E_ARG,
                 "the covariance matrix has the variance -3 at candidate 1");
    assert_null(g);
}

static void refuses_bad_hyper_parameters(void **state)
{
    const tc_gp_hyper good = hyper_of(TC_KERNEL_SE, 0.01);
    double bad_scale[DIM] = {0.2, 0};
    tc_fgp *g = fresh(axes, NULL, &good);
    tc_gp_hyper h = good;
    tacit_error err = {0};
    (void)state;
    h.noise = -1;
    assert_fails(tc_fgp_reset(g, &h, &err), TACIT_E_ARG,
                 "the noise variance must be finite and >= 0, got -1");
    h = good;
    h.variance = 0;
    assert_fails(tc_fgp_reset(g, &h, &err), TACIT_E_ARG,
                 "the kernel's variance must be finite and > 0, got 0");
    h = good;
    h.dim = 3;
    assert_fails(tc_fgp_reset(g, &h, &err), TACIT_E_ARG,
                 "the kernel has 3 dimensions, the candidates have 2");
    h = good;
    h.scale = bad_scale;
    assert_fails(tc_fgp_reset(g, &h, &err), TACIT_E_ARG,
                 "length-scale 2 must be finite and > 0, got 0");
    assert_fails(tc_fgp_observe(g, N, 1, &err), TACIT_E_ARG,
                 "candidate 1189 of 1189 does not exist");
    assert_fails(tc_fgp_observe(g, 0, (double)NAN, &err), TACIT_E_ARG,
                 "an observed value must be finite, got nan");
    assert_int_equal(tc_fgp_size(g), 0);
    tc_fgp_free(g);
    tc_fgp_free(NULL);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(matches_a_refit_at_every_step),
        cmocka_unit_test(separates_over_three_axes),
        cmocka_unit_test(given_matrix_equals_its_kernel),
        cmocka_unit_test(push_and_targets_equal_observe),
        cmocka_unit_test(project_is_the_mean_of_other_targets),
        cmocka_unit_test(restore_brings_back_the_bits),
        cmocka_unit_test(threads_do_not_change_the_bits),
        cmocka_unit_test(argmax_is_the_plain_one),
        cmocka_unit_test(ties_go_to_the_lowest),
        cmocka_unit_test(info_gain_is_the_determinant),
        cmocka_unit_test(counted_rows_equal_single_ones),
        cmocka_unit_test(without_noise_it_interpolates),
        cmocka_unit_test(reset_forgets),
        cmocka_unit_test(refuses_bad_candidates),
        cmocka_unit_test(refuses_bad_hyper_parameters),
    };
    return cmocka_run_group_tests(tests, grid, NULL);
}
