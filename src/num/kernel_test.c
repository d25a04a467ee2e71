/* kernel_test.c - covariance functions against their formulas, rows and matrices against pairs,
 * derivatives against differences. */
#include "support/test.h"

#include "num/kernel.h"
#include "num/la.h"

#include <stdlib.h>

enum { DIM = 3, N = 1200, SMALL = 40 };

static double scale[DIM] = {0.3, 0.7, 1.9};
static double X[N * DIM]; /* column-major, ld N */

static tc_kernel kernel_of(tc_kernel_kind kind)
{
    return (tc_kernel){.kind = kind, .dim = DIM, .variance = 2.5, .scale = scale};
}

static int fill(void **state)
{
    (void)state;
    srand48(4);
    for (size_t i = 0; i < N * DIM; i++)
        X[i] = drand48();
    return 0;
}

static void point(size_t i, double *x)
{
    for (size_t d = 0; d < DIM; d++)
        x[d] = X[i + d * N];
}

/* The formula, written down plainly. */
static double reference(const tc_kernel *k, const double *x, const double *y)
{
    double r2 = 0, r;
    for (size_t d = 0; d < DIM; d++)
        r2 += pow((x[d] - y[d]) / k->scale[d], 2);
    r = sqrt(r2);
    switch (k->kind) {
    case TC_KERNEL_SE:
        return k->variance * exp(-r2 / 2);
    case TC_KERNEL_MATERN12:
        return k->variance * exp(-r);
    case TC_KERNEL_MATERN32:
        return k->variance * (1 + sqrt(3) * r) * exp(-sqrt(3) * r);
    case TC_KERNEL_MATERN52:
        return k->variance * (1 + sqrt(5) * r + 5 * r2 / 3) * exp(-sqrt(5) * r);
    }
    return NAN;
}

static void pairs_follow_the_formula(void **state)
{
    double x[DIM], y[DIM];
    (void)state;
    for (int kind = 0; kind < TC_KERNEL_KINDS; kind++) {
        const tc_kernel k = kernel_of((tc_kernel_kind)kind);
        for (size_t i = 0; i < 100; i++) {
            point(i, x);
            point(i + 500, y);
            assert_close(tc_kernel_at(&k, x, y), reference(&k, x, y), 2e-15);
        }
        assert_same_bits(tc_kernel_at(&k, x, x), k.variance);
    }
}

static void rows_are_pairs(void **state)
{
    static double out[N];
    double x[DIM], y[DIM];
    (void)state;
    point(7, x);
    for (int kind = 0; kind < TC_KERNEL_KINDS; kind++) {
        const tc_kernel k = kernel_of((tc_kernel_kind)kind);
        tc_kernel_row(&k, x, N, X, N, out);
        for (size_t i = 0; i < N; i++) {
            point(i, y);
            assert_same_bits(out[i], tc_kernel_at(&k, x, y));
        }
    }
}

static void gram_is_the_lower_triangle(void **state)
{
    static double K[(SMALL + 3) * SMALL];
    double x[DIM], y[DIM];
    (void)state;
    for (int kind = 0; kind < TC_KERNEL_KINDS; kind++) {
        const tc_kernel k = kernel_of((tc_kernel_kind)kind);
        for (size_t i = 0; i < (SMALL + 3) * SMALL; i++)
            K[i] = -7;
        tc_kernel_gram(&k, SMALL, X, N, K, SMALL + 3);
        for (size_t j = 0; j < SMALL; j++)
            for (size_t i = 0; i < SMALL + 3; i++) {
                point(i, x);
                point(j, y);
                assert_same_bits(K[i + j * (SMALL + 3)],
                                 i < j || i >= SMALL ? -7 : tc_kernel_at(&k, x, y));
            }
    }
}

static void gram_is_positive_definite(void **state)
{
    static double K[SMALL * SMALL];
    tacit_error err = {0};
    (void)state;
    for (int kind = 1; kind < TC_KERNEL_KINDS; kind++) {
        const tc_kernel k = kernel_of((tc_kernel_kind)kind);
        tc_kernel_gram(&k, SMALL, X, N, K, SMALL);
        assert_ok(tc_chol(SMALL, K, SMALL, &err));
    }
}

static void cross_is_all_pairs(void **state)
{
    enum { M = 5, LDC = 8 };
    double C[LDC * SMALL], x[DIM], y[DIM];
    (void)state;
    for (int kind = 0; kind < TC_KERNEL_KINDS; kind++) {
        const tc_kernel k = kernel_of((tc_kernel_kind)kind);
        tc_kernel_cross(&k, M, X + 10, N, SMALL, X + 100, N, C, LDC);
        for (size_t j = 0; j < SMALL; j++)
            for (size_t i = 0; i < M; i++) {
                point(10 + i, x);
                point(100 + j, y);
                assert_same_bits(C[i + j * LDC], tc_kernel_at(&k, x, y));
            }
    }
}

static void gradients_match_differences(void **state)
{
    static double out[N], grad[N * DIM], row[N];
    const double h = 1e-6;
    double x[DIM], y[DIM];
    (void)state;
    point(11, x);
    for (int kind = 0; kind < TC_KERNEL_KINDS; kind++) {
        const tc_kernel k = kernel_of((tc_kernel_kind)kind);
        tc_kernel_row_grad(&k, x, N, X, N, out, grad, N);
        tc_kernel_row(&k, x, N, X, N, row);
        for (size_t i = 0; i < N; i++) {
            assert_same_bits(out[i], row[i]);
            point(i, y);
            for (size_t d = 0; d < DIM && i != 11; d++) {
                double up[DIM], down[DIM];
                memcpy(up, x, sizeof up);
                memcpy(down, x, sizeof down);
                up[d] += h;
                down[d] -= h;
                assert_close(grad[i + d * N],
                             (reference(&k, up, y) - reference(&k, down, y)) / (2 * h), 1e-6);
            }
        }
        for (size_t d = 0; d < DIM; d++)
            assert_true(grad[11 + d * N] == 0); /* at the point itself, matern12's kink included */
    }
}

static void far_points_are_uncorrelated(void **state)
{
    const double x[DIM] = {0}, y[DIM] = {1e9, 0, 0};
    (void)state;
    for (int kind = 0; kind < TC_KERNEL_KINDS; kind++) {
        const tc_kernel k = kernel_of((tc_kernel_kind)kind);
        assert_true(tc_kernel_at(&k, x, y) == 0);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(pairs_follow_the_formula),
        cmocka_unit_test(rows_are_pairs),
        cmocka_unit_test(gram_is_the_lower_triangle),
        cmocka_unit_test(gram_is_positive_definite),
        cmocka_unit_test(cross_is_all_pairs),
        cmocka_unit_test(gradients_match_differences),
        cmocka_unit_test(far_points_are_uncorrelated),
    };
    return cmocka_run_group_tests(tests, fill, NULL);
}
