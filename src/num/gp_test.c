/* gp_test.c - the GP against a dense solver written here, and the rule that bits follow history. */
#include "support/test.h"

#include "base/random.h"
#include "num/gp.h"

#include <stdlib.h>

enum { N = 14, DIM = 3, LD = 16 };

static const tc_kernel_kind kinds[] = {TC_KERNEL_SE, TC_KERNEL_MATERN12, TC_KERNEL_MATERN32,
                                       TC_KERNEL_MATERN52};

typedef struct data {
    double X[LD * DIM], y[N], scale[DIM];
    double known[N]; /* noise of each beside s2 */
    tc_gp_hyper hyper;
} data;

static void make_data(data *d, tc_kernel_kind kind)
{
    tc_public_seed seed = tc_public_seed_from(7);
    tc_stream s;
    tc_stream_public(&s, &seed, TC_FOR_DESIGN, 0);
    for (size_t i = 0; i < LD * DIM; i++)
        d->X[i] = tc_draw_uniform(&s);
    for (size_t i = 0; i < N; i++)
        d->y[i] = tc_draw_normal(&s);
    memset(d->known, 0, sizeof d->known);
    for (size_t k = 0; k < DIM; k++)
        d->scale[k] = 0.3 + 0.2 * (double)k;
    d->hyper = (tc_gp_hyper){kind, DIM, 1.7, 0.01, d->scale};
}

static void point(const data *d, size_t i, double *x)
{
    for (size_t k = 0; k < DIM; k++)
        x[k] = d->X[i + k * LD];
}

static double covariance(const data *d, const double *a, const double *b)
{
    double r2 = 0.0, v = d->hyper.variance;
    for (size_t k = 0; k < DIM; k++)
        r2 += pow((a[k] - b[k]) / d->scale[k], 2);
    double r = sqrt(r2);
    switch (d->hyper.kind) {
    case TC_KERNEL_SE:
        return v * exp(-0.5 * r2);
    case TC_KERNEL_MATERN12:
        return v * exp(-r);
    case TC_KERNEL_MATERN32:
        return v * (1 + sqrt(3) * r) * exp(-sqrt(3) * r);
    case TC_KERNEL_MATERN52:
        return v * (1 + sqrt(5) * r + 5 * r2 / 3) * exp(-sqrt(5) * r);
    }
    return NAN;
}

/* Solves A x = b (n x n, row-major, both destroyed) by elimination with row exchange; returns
 * ln |det A|. */
static double eliminate(size_t n, double *A, double *b)
{
    double logdet = 0.0;
    for (size_t c = 0; c < n; c++) {
        size_t top = c;
        for (size_t r = c + 1; r < n; r++)
            top = fabs(A[r * n + c]) > fabs(A[top * n + c]) ? r : top;
        for (size_t k = 0; k < n; k++) {
            double t = A[c * n + k];
            A[c * n + k] = A[top * n + k];
            A[top * n + k] = t;
        }
        double t = b[c];
        b[c] = b[top];
        b[top] = t;
        logdet += log(fabs(A[c * n + c]));
        for (size_t r = c + 1; r < n; r++) {
            double f = A[r * n + c] / A[c * n + c];
            for (size_t k = c; k < n; k++)
                A[r * n + k] -= f * A[c * n + k];
            b[r] -= f * b[c];
        }
    }
    for (size_t c = n; c-- > 0;) {
        for (size_t k = c + 1; k < n; k++)
            b[c] -= A[c * n + k] * b[k];
        b[c] /= A[c * n + c];
    }
    return logdet;
}

/* b becomes (K + s2 I)^-1 b over the first n points; returns ln det(K + s2 I). */
static double reference_solve(const data *d, size_t n, double *b)
{
    double A[N * N], xi[DIM], xj[DIM];
    for (size_t i = 0; i < n; i++)
        for (size_t j = 0; j < n; j++) {
            point(d, i, xi);
            point(d, j, xj);
            A[i * n + j] = covariance(d, xi, xj) + (i == j ? d->hyper.noise + d->known[i] : 0.0);
        }
    return eliminate(n, A, b);
}

static void reference_predict(const data *d, size_t n, const double *x, double *mean, double *var)
{
    double k[N], solved[N], xi[DIM];
    for (size_t i = 0; i < n; i++) {
        point(d, i, xi);
        solved[i] = k[i] = covariance(d, x, xi);
    }
    reference_solve(d, n, solved);
    *mean = 0.0;
    *var = d->hyper.variance;
    for (size_t i = 0; i < n; i++) {
        *mean += solved[i] * d->y[i];
        *var -= solved[i] * k[i];
    }
}

/* A GP with `whole` points factored at once and the others pushed, up to n. */
static tc_gp *make_gp(const data *d, size_t whole, size_t n)
{
    tacit_error err = {0};
    tc_gp *g;
    assert_ok(tc_gp_new(&g, DIM, &err));
    assert_ok(tc_gp_reset_known(g, &d->hyper, whole, d->X, LD, d->known, &err));
    for (size_t i = whole; i < n; i++) {
        double x[DIM];
        point(d, i, x);
        assert_ok(tc_gp_push_known(g, x, d->known[i], &err));
    }
    tc_gp_targets(g, d->y);
    return g;
}

static void check_predictions(const data *d, const tc_gp *g, size_t n)
{
    double scratch[(N + 1) * (DIM + 2)], x[DIM] = {0.4, 0.1, 0.8};
    assert_true(tc_gp_scratch_size(g) <= sizeof scratch / sizeof *scratch);
    for (int i = 0; i < 5; i++) {
        double mean, var, exact_mean, exact_var;
        x[0] = 0.2 * i;
        tc_gp_predict(g, x, &mean, &var, scratch);
        reference_predict(d, n, x, &exact_mean, &exact_var);
        assert_close(mean, exact_mean, 1e-10);
        assert_close(var, exact_var, 1e-10);
        double only_var;
        tc_gp_predict(g, x, NULL, &only_var, scratch);
        assert_same_bits(only_var, var);
    }
}

static void test_predictions_are_the_dense_ones(void **state)
{
    (void)state;
    for (size_t k = 0; k < 4; k++)
        for (size_t whole = 0; whole <= N; whole += 7) {
            data d;
            make_data(&d, kinds[k]);
            tc_gp *g = make_gp(&d, whole, N);
            assert_int_equal(tc_gp_size(g), N);
            check_predictions(&d, g, N);
            tc_gp_free(g);
        }
}

/* Noise that is known stands on the diagonal, whether points came at once or one by one. */
static void test_each_point_may_have_noise_of_its_own(void **state)
{
    (void)state;
    data d;
    make_data(&d, TC_KERNEL_MATERN52);
    for (size_t i = 0; i < N; i++)
        d.known[i] = 0.3 * (double)(i % 4);
    for (size_t whole = 0; whole <= N; whole += 7) {
        tc_gp *g = make_gp(&d, whole, N);
        check_predictions(&d, g, N);
        assert_memory_equal(tc_gp_known(g), d.known, sizeof d.known);
        tc_gp_free(g);
    }
}

/* Zeros are as good as nothing, to the last bit. */
static void test_no_noise_of_their_own_is_as_before(void **state)
{
    (void)state;
    tacit_error err = {0};
    data d;
    tc_gp *plain;
    make_data(&d, TC_KERNEL_SE);
    assert_ok(tc_gp_new(&plain, DIM, &err));
    assert_ok(tc_gp_reset(plain, &d.hyper, 6, d.X, LD, &err));
    for (size_t i = 6; i < N; i++) {
        double x[DIM];
        point(&d, i, x);
        assert_ok(tc_gp_push_known(plain, x, 0, &err));
    }
    tc_gp_targets(plain, d.y);
    tc_gp *zeros = make_gp(&d, 6, N);
    size_t ld;
    const double *a = tc_gp_factor(plain, &ld), *b = tc_gp_factor(zeros, &ld);
    for (size_t j = 0; j < N; j++)
        for (size_t i = j; i < N; i++)
            assert_same_bits(a[i + j * ld], b[i + j * ld]);
    tc_gp_free(plain);
    tc_gp_free(zeros);
}

static void test_gradients_are_the_differences(void **state)
{
    (void)state;
    for (size_t k = 0; k < 4; k++) {
        data d;
        make_data(&d, kinds[k]);
        tc_gp *g = make_gp(&d, 9, N);
        double scratch[(N + 1) * (DIM + 2)], x[DIM] = {0.41, 0.33, 0.77}, dmean[DIM], dvar[DIM];
        double mean, var, plain_mean, plain_var;
        tc_gp_predict_grad(g, x, &mean, &var, dmean, dvar, scratch);
        tc_gp_predict(g, x, &plain_mean, &plain_var, scratch);
        assert_close(mean, plain_mean, 1e-13);
        assert_close(var, plain_var, 1e-13);
        for (size_t c = 0; c < DIM; c++) {
            double h = 1e-5, m[2], v[2], at = x[c];
            for (int side = 0; side < 2; side++) {
                x[c] = at + (side ? h : -h);
                tc_gp_predict(g, x, &m[side], &v[side], scratch);
            }
            x[c] = at;
            assert_close(dmean[c], (m[1] - m[0]) / (2 * h), 1e-7);
            assert_close(dvar[c], (v[1] - v[0]) / (2 * h), 1e-7);
        }
        tc_gp_free(g);
    }
}

static void test_many_points_at_once(void **state)
{
    (void)state;
    enum { M = 150 };
    tacit_error err = {0};
    data d;
    make_data(&d, TC_KERNEL_MATERN52);
    tc_gp *g = make_gp(&d, N, N);
    double X[M * DIM], mean[M], var[M], scratch[(N + 1) * (DIM + 2)];
    for (size_t i = 0; i < M * DIM; i++)
        X[i] = fmod(0.618 * (double)i, 1.0);
    assert_ok(tc_gp_predict_many(g, M, X, M, mean, var, &err));
    for (size_t i = 0; i < M; i++) {
        double x[DIM] = {X[i], X[i + M], X[i + 2 * M]}, m, v;
        tc_gp_predict(g, x, &m, &v, scratch);
        assert_close(mean[i], m, 1e-12);
        assert_close(var[i], v, 1e-12);
    }
    double alone[M];
    assert_ok(tc_gp_predict_many(g, M, X, M, alone, NULL, &err));
    assert_memory_equal(alone, mean, sizeof mean);
    tc_gp_free(g);
}

/* ---- other targets beside the model's own ---- */

enum { COLUMNS = 3, BESIDE = 150 };

/* Column 0 is y, the others are made up; W has what tc_gp_solve makes of them. */
static void make_columns(const data *d, const tc_gp *g, double *t, double *W)
{
    for (size_t i = 0; i < N; i++) {
        t[i] = d->y[i];
        t[i + N] = 1;
        t[i + 2 * N] = cos(3.0 * (double)i);
    }
    memcpy(W, t, COLUMNS * N * sizeof *W);
    for (size_t c = 0; c < COLUMNS; c++)
        tc_gp_solve(g, W + c * N);
}

static void test_solve_is_that_of_targets(void **state)
{
    (void)state;
    for (size_t k = 0; k < 4; k++) {
        data d;
        double t[COLUMNS * N], W[COLUMNS * N];
        make_data(&d, kinds[k]);
        tc_gp *g = make_gp(&d, 9, N);
        make_columns(&d, g, t, W);
        assert_memory_equal(W, tc_gp_weights(g), N * sizeof *W);
        for (size_t c = 0; c < COLUMNS; c++) {
            double slow[N];
            memcpy(slow, t + c * N, sizeof slow);
            reference_solve(&d, N, slow);
            for (size_t i = 0; i < N; i++)
                assert_close(W[c * N + i], slow[i], 1e-8);
        }
        tc_gp_free(g);
    }
}

static void test_inverse_factor(void **state)
{
    (void)state;
    size_t ldl, ldr;
    data d;
    make_data(&d, TC_KERNEL_MATERN52);
    tc_gp *g = make_gp(&d, 9, N); /* five are appended */
    const double *L = tc_gp_factor(g, &ldl), *R = tc_gp_inverse_factor(g, &ldr);
    for (size_t i = 0; i < N; i++)
        for (size_t j = 0; j < N; j++) {
            double sum = 0;
            for (size_t k = j; k <= i; k++)
                sum += L[i + k * ldl] * R[k + j * ldr];
            assert_close(sum, i == j, 1e-12);
            assert_true(i >= j || R[i + j * ldr] == 0);
        }
    tc_gp_free(g);
}

static void test_columns_at_many_points(void **state)
{
    (void)state;
    tacit_error err = {0};
    data d;
    double t[COLUMNS * N], W[COLUMNS * N], X[BESIDE * DIM];
    double mean[COLUMNS * BESIDE], var[BESIDE], one[BESIDE], one_var[BESIDE];
    make_data(&d, TC_KERNEL_MATERN52);
    tc_gp *g = make_gp(&d, N, N);
    for (size_t i = 0; i < BESIDE * DIM; i++)
        X[i] = fmod(0.618 * (double)i, 1.0);
    make_columns(&d, g, t, W);
    assert_ok(tc_gp_predict_many_columns(g, BESIDE, X, BESIDE, COLUMNS, W, mean, var, &err));
    for (size_t c = 0; c < COLUMNS; c++) {
        tc_gp_targets(g, t + c * N);
        assert_ok(tc_gp_predict_many(g, BESIDE, X, BESIDE, one, one_var, &err));
        assert_memory_equal(mean + c * BESIDE, one, sizeof one);
        assert_memory_equal(var, one_var, sizeof var);
    }
    assert_ok(tc_gp_predict_many_columns(g, BESIDE, X, BESIDE, COLUMNS, W, NULL, one_var, &err));
    assert_memory_equal(var, one_var, sizeof var);
    tc_gp_free(g);
    g = make_gp(&d, 0, 0);
    assert_ok(tc_gp_predict_many_columns(g, BESIDE, X, BESIDE, COLUMNS, NULL, mean, var, &err));
    for (size_t i = 0; i < COLUMNS * BESIDE; i++)
        assert_same_bits(mean[i], 0);
    tc_gp_free(g);
}

static void assert_same_state(const tc_gp *a, const tc_gp *b)
{
    size_t n = tc_gp_size(a), lda, ldb;
    assert_int_equal(n, tc_gp_size(b));
    const double *A = tc_gp_factor(a, &lda), *B = tc_gp_factor(b, &ldb);
    for (size_t j = 0; j < n; j++)
        assert_memory_equal(A + j + j * lda, B + j + j * ldb, (n - j) * sizeof *A);
    assert_memory_equal(tc_gp_weights(a), tc_gp_weights(b), n * sizeof *A);
    double scratch[(N + 1) * (DIM + 2)], x[DIM] = {0.9, 0.2, 0.5}, ma, va, mb, vb;
    tc_gp_predict(a, x, &ma, &va, scratch);
    tc_gp_predict(b, x, &mb, &vb, scratch);
    assert_same_bits(ma, mb);
    assert_same_bits(va, vb);
}

/* The same resets and pushes give the same bits, whatever the object did before. */
static void test_bits_follow_the_history(void **state)
{
    (void)state;
    tacit_error err = {0};
    data d;
    make_data(&d, TC_KERNEL_MATERN52);
    tc_gp *fresh = make_gp(&d, 6, N), *used = make_gp(&d, 0, N);
    double far[200 * DIM];
    for (size_t i = 0; i < 200 * DIM; i++)
        far[i] = (double)i;
    assert_ok(tc_gp_reset(used, &d.hyper, 200, far, 200, &err));
    assert_ok(tc_gp_reset(used, &d.hyper, 6, d.X, LD, &err));
    for (size_t i = 6; i < N; i++) {
        double x[DIM];
        point(&d, i, x);
        assert_ok(tc_gp_push_known(used, x, 0, &err));
    }
    tc_gp_targets(used, d.y);
    assert_same_state(fresh, used);
    tc_gp_free(fresh);
    tc_gp_free(used);
}

static void test_truncate_is_undo(void **state)
{
    (void)state;
    tacit_error err = {0};
    data d;
    make_data(&d, TC_KERNEL_SE);
    tc_gp *g = make_gp(&d, 6, N), *short_one = make_gp(&d, 6, 9), *whole = make_gp(&d, 6, N);
    tc_gp_truncate(g, 9);
    tc_gp_targets(g, d.y);
    assert_same_state(g, short_one);
    for (size_t i = 9; i < N; i++) {
        double x[DIM];
        point(&d, i, x);
        assert_ok(tc_gp_push_known(g, x, 0, &err));
    }
    tc_gp_targets(g, d.y);
    assert_same_state(g, whole);
    tc_gp_truncate(g, 0);
    assert_int_equal(tc_gp_size(g), 0);
    tc_gp_free(g);
    tc_gp_free(short_one);
    tc_gp_free(whole);
}

static void test_no_points_is_the_prior(void **state)
{
    (void)state;
    tacit_error err = {0};
    data d;
    make_data(&d, TC_KERNEL_SE);
    tc_gp *g = make_gp(&d, 0, 0);
    double x[DIM] = {0.5, 0.5, 0.5}, mean, var, dmean[DIM], dvar[DIM], scratch[DIM + 2];
    tc_gp_predict(g, x, &mean, &var, scratch);
    assert_close(mean, 0.0, 0.0);
    assert_close(var, 1.7, 0.0);
    tc_gp_predict_grad(g, x, &mean, &var, dmean, dvar, scratch);
    for (size_t k = 0; k < DIM; k++)
        assert_true(dmean[k] == 0.0 && dvar[k] == 0.0);
    assert_ok(tc_gp_predict_many(g, 1, x, 1, &mean, &var, &err));
    assert_close(var, 1.7, 0.0);
    tc_gp_free(g);
}

static void test_factor_and_weights(void **state)
{
    (void)state;
    data d;
    make_data(&d, TC_KERNEL_MATERN32);
    tc_gp *g = make_gp(&d, 5, N);
    size_t ld;
    const double *L = tc_gp_factor(g, &ld);
    double b[N], logdet = 0.0;
    memcpy(b, d.y, sizeof b);
    double exact = reference_solve(&d, N, b);
    for (size_t i = 0; i < N; i++) {
        logdet += 2 * log(L[i + i * ld]);
        assert_close(tc_gp_weights(g)[i], b[i], 1e-10);
    }
    assert_close(logdet, exact, 1e-10);
    assert_close(tc_gp_jitter(g), 0.0, 0.0);
    tc_gp_free(g);
}

/* Repeated points without noise: the factor lives on jitter, and forgets it with the points. */
static void test_repeated_points_get_jitter(void **state)
{
    (void)state;
    tacit_error err = {0};
    data d;
    make_data(&d, TC_KERNEL_SE);
    d.hyper.noise = 0.0;
    tc_gp *g = make_gp(&d, 4, 4);
    assert_close(tc_gp_jitter(g), 0.0, 0.0);
    double x[DIM], mean, var, scratch[(N + 1) * (DIM + 2)];
    point(&d, 2, x);
    for (int i = 0; i < 3; i++)
        assert_ok(tc_gp_push_known(g, x, 0, &err));
    assert_true(tc_gp_jitter(g) > 0.0 && tc_gp_jitter(g) < 1e-3);
    double y[] = {1, 2, 3, 4, 3, 3, 3};
    tc_gp_targets(g, y);
    tc_gp_predict(g, x, &mean, &var, scratch);
    assert_close(mean, 3.0, 1e-3);
    assert_true(var >= 0.0 && var < 1e-3);
    tc_gp_truncate(g, 4);
    assert_close(tc_gp_jitter(g), 0.0, 0.0);

    double same[LD * DIM] = {0};
    assert_ok(tc_gp_reset(g, &d.hyper, 5, same, LD, &err));
    assert_true(tc_gp_jitter(g) > 0.0);
    tc_gp_free(g);
}

static void test_a_broken_kernel_is_an_error(void **state)
{
    (void)state;
    tacit_error err = {0};
    data d;
    make_data(&d, TC_KERNEL_SE);
    tc_gp *g = make_gp(&d, 4, 4);
    d.hyper.variance = NAN;
    assert_fails(tc_gp_reset(g, &d.hyper, 4, d.X, LD, &err), TACIT_E_NUMERIC, "positive definite");
    assert_int_equal(tc_gp_size(g), 0);
    d.hyper.variance = 1.0;
    assert_ok(tc_gp_reset(g, &d.hyper, 4, d.X, LD, &err));
    double x[DIM] = {NAN, 0.0, 0.0};
    assert_fails(tc_gp_push_known(g, x, 0, &err), TACIT_E_NUMERIC, "row 5 cannot be appended");
    assert_int_equal(tc_gp_size(g), 4);
    tc_gp_free(g);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_predictions_are_the_dense_ones),
        cmocka_unit_test(test_each_point_may_have_noise_of_its_own),
        cmocka_unit_test(test_no_noise_of_their_own_is_as_before),
        cmocka_unit_test(test_gradients_are_the_differences),
        cmocka_unit_test(test_many_points_at_once),
        cmocka_unit_test(test_solve_is_that_of_targets),
        cmocka_unit_test(test_inverse_factor),
        cmocka_unit_test(test_columns_at_many_points),
        cmocka_unit_test(test_bits_follow_the_history),
        cmocka_unit_test(test_truncate_is_undo),
        cmocka_unit_test(test_no_points_is_the_prior),
        cmocka_unit_test(test_factor_and_weights),
        cmocka_unit_test(test_repeated_points_get_jitter),
        cmocka_unit_test(test_a_broken_kernel_is_an_error),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
