/* la_test.c - every wrapper against loops that follow its formula, and the certificates of the
 * factorisations: L L' = A, Q diag(w) Q' = A, U diag(s) V' = A. */
#include "support/test.h"

#include "num/la.h"

#include <stdlib.h>

enum { N = 23, LD = 29 };

static void random_fill(size_t n, double *x)
{
    for (size_t i = 0; i < n; i++)
        x[i] = 2 * drand48() - 1;
}

static int seed(void **state)
{
    (void)state;
    srand48(5);
    return 0;
}

/* A = B B' + I, full and symmetric, leading dimension LD. */
static void random_definite(double *A)
{
    double B[N * N];
    random_fill(N * N, B);
    for (size_t j = 0; j < N; j++)
        for (size_t i = 0; i < N; i++) {
            double sum = i == j;
            for (size_t k = 0; k < N; k++)
                sum += B[i + k * N] * B[j + k * N];
            A[i + j * LD] = sum;
        }
}

/* (L L')_ij of a lower factor */
static double product(const double *L, size_t i, size_t j)
{
    double sum = 0;
    for (size_t k = 0; k <= (i < j ? i : j); k++)
        sum += L[i + k * LD] * L[j + k * LD];
    return sum;
}

static void assert_factor(const double *L, const double *A, double tol)
{
    for (size_t j = 0; j < N; j++)
        for (size_t i = j; i < N; i++)
            assert_close(product(L, i, j), A[i + j * LD], tol);
}

static double element(char trans, const double *A, size_t i, size_t j)
{
    return trans == 'N' ? A[i + j * LD] : A[j + i * LD];
}

static void names_its_library(void **state)
{
    (void)state;
    tacit_error err = {0};
    assert_ok(tc_la_start(&err));
    assert_ok(tc_la_start(&err));
    assert_non_null(strstr(tc_la_library(), "OpenBLAS"));
}

static void vectors(void **state)
{
    double x[N], y[N], z[N], dot = 0, squares = 0;
    (void)state;
    random_fill(N, x);
    random_fill(N, y);
    memcpy(z, y, sizeof z);
    for (size_t i = 0; i < N; i++) {
        dot += x[i] * y[i];
        squares += x[i] * x[i];
    }
    assert_close(tc_dot(N, x, y), dot, 1e-14);
    assert_close(tc_norm2(N, x), sqrt(squares), 1e-14);
    tc_axpy(N, -1.5, x, z);
    for (size_t i = 0; i < N; i++)
        assert_close(z[i], y[i] - 1.5 * x[i], 1e-15);
    tc_scale(N, 3, z);
    for (size_t i = 0; i < N; i++)
        assert_close(z[i], 3 * (y[i] - 1.5 * x[i]), 1e-14);
    assert_true(tc_dot(0, x, y) == 0 && tc_norm2(0, x) == 0);
}

/* An element has the same bits alone, in the middle of a vector and in what is left over. */
static void axpy_knows_no_neighbours(void **state)
{
    enum { LONGEST = 200 };
    double x[LONGEST], y[LONGEST], together[LONGEST];
    (void)state;
    random_fill(LONGEST, x);
    random_fill(LONGEST, y);
    for (size_t n = 1; n <= LONGEST; n++) {
        memcpy(together, y, sizeof y);
        tc_axpy(n, 1.0 / 3, x, together);
        for (size_t i = 0; i < n; i++) {
            double alone = y[i];
            tc_axpy(1, 1.0 / 3, x + i, &alone);
            assert_same_bits(together[i], alone);
        }
        assert_memory_equal(together + n, y + n, (LONGEST - n) * sizeof *y);
    }
}

static void matrix_times_vector(void **state)
{
    enum { M = 17 };
    double A[LD * N], x[N], y[N], before[N];
    (void)state;
    random_fill(LD * N, A);
    for (int t = 0; t < 2; t++) {
        const char trans = "NT"[t];
        const size_t out = t == 0 ? M : N, inner = t == 0 ? N : M;
        random_fill(N, x);
        random_fill(N, y);
        memcpy(before, y, sizeof y);
        tc_gemv(trans, M, N, 0.7, A, LD, x, -2, y);
        for (size_t i = 0; i < out; i++) {
            double sum = -2 * before[i];
            for (size_t j = 0; j < inner; j++)
                sum += 0.7 * element(trans, A, i, j) * x[j];
            assert_close(y[i], sum, 1e-13);
        }
    }
}

static void matrix_times_matrix(void **state)
{
    enum { M = 7, P = 11, K = 13 };
    double A[LD * N], B[LD * N], C[LD * P], before[LD * P];
    (void)state;
    random_fill(LD * N, A);
    random_fill(LD * N, B);
    for (int t = 0; t < 4; t++) {
        const char ta = "NNTT"[t], tb = "NTNT"[t];
        random_fill(LD * P, C);
        memcpy(before, C, sizeof C);
        tc_gemm(ta, tb, M, P, K, 1.3, A, LD, B, LD, 0.5, C, LD);
        for (size_t j = 0; j < P; j++)
            for (size_t i = 0; i < LD; i++) {
                double sum = before[i + j * LD] * (i < M ? 0.5 : 1);
                for (size_t k = 0; k < K && i < M; k++)
                    sum += 1.3 * element(ta, A, i, k) * element(tb, B, k, j);
                assert_close(C[i + j * LD], sum, 1e-13);
            }
    }
}

static void symmetric_product(void **state)
{
    enum { P = 9, K = 12 };
    double A[LD * N], C[LD * P], before[LD * P];
    (void)state;
    random_fill(LD * N, A);
    for (int t = 0; t < 2; t++) {
        const char trans = "NT"[t], other = "TN"[t];
        random_fill(LD * P, C);
        memcpy(before, C, sizeof C);
        tc_syrk(trans, P, K, 2, A, LD, -1, C, LD);
        for (size_t j = 0; j < P; j++)
            for (size_t i = 0; i < P; i++) {
                double sum = i < j ? before[i + j * LD] : -before[i + j * LD];
                for (size_t k = 0; k < K && i >= j; k++)
                    sum += 2 * element(trans, A, i, k) * element(other, A, k, j);
                assert_close(C[i + j * LD], sum, 1e-13);
            }
    }
}

static void product_with_a_triangle(void **state)
{
    enum { M = 11 };
    double L[LD * N], B[LD * N], before[LD * N];
    (void)state;
    random_fill(LD * N, L);
    random_fill(LD * N, B);
    memcpy(before, B, sizeof B);
    tc_times_lower_t(M, N, L, LD, B, LD); /* above the diagonal of L is something else */
    for (size_t j = 0; j < N; j++)
        for (size_t i = 0; i < LD; i++) {
            double sum = 0;
            for (size_t k = 0; k <= j; k++)
                sum += before[i + k * LD] * L[j + k * LD];
            assert_close(B[i + j * LD], i < M ? sum : before[i + j * LD], 1e-13);
        }
    tc_times_lower_t(0, N, L, LD, B, LD);
    tc_times_lower_t(M, 0, L, LD, B, LD);
}

/* Scratch is not cleared before use, so beta = 0 must not read it; nor may an empty sum. */
static void beta_zero_overwrites(void **state)
{
    const double nan = (double)NAN, A[4] = {1, 2, 3, 4}, x[2] = {1, 1};
    double y[2] = {nan, nan}, C[4] = {nan, nan, nan, nan}, S[4] = {nan, 9, 9, nan};
    (void)state;
    tc_gemv('N', 2, 2, 1, A, 2, x, 0, y);
    assert_true(y[0] == 4 && y[1] == 6);
    tc_gemm('N', 'N', 2, 2, 2, 1, A, 2, A, 2, 0, C, 2);
    assert_true(C[0] == 7 && C[1] == 10 && C[2] == 15 && C[3] == 22);
    S[1] = nan;
    tc_syrk('N', 2, 2, 1, A, 2, 0, S, 2);
    assert_true(S[0] == 10 && S[1] == 14 && S[2] == 9 && S[3] == 20);
}

static void empty_sums_still_scale(void **state)
{
    double y[2] = {3, (double)NAN}, C[4] = {1, 2, 3, 4}, S[4] = {1, 2, 3, 4};
    (void)state;
    tc_gemv('N', 1, 0, 1, NULL, 1, NULL, 2, y);
    assert_true(y[0] == 6);
    tc_gemv('T', 0, 2, 1, NULL, 0, NULL, 0, y);
    assert_true(y[0] == 0 && y[1] == 0);
    tc_gemm('N', 'N', 2, 2, 0, 1, NULL, 2, NULL, 0, 2, C, 2);
    assert_true(C[0] == 2 && C[3] == 8);
    tc_syrk('N', 2, 0, 1, NULL, 2, 0, S, 2);
    assert_true(S[0] == 0 && S[1] == 0 && S[2] == 3 && S[3] == 0);
}

static void cholesky(void **state)
{
    double A[LD * N], L[LD * N], logdet = 0;
    tacit_error err = {0};
    (void)state;
    random_definite(A);
    memcpy(L, A, sizeof L);
    assert_ok(tc_chol(N, L, LD, &err));
    assert_factor(L, A, 1e-12);
    for (size_t i = 0; i < N; i++)
        logdet += 2 * log(L[i + i * LD]);
    assert_close(tc_chol_logdet(N, L, LD), logdet, 1e-12);
    for (size_t j = 1; j < N; j++)
        assert_same_bits(L[(j - 1) + j * LD], A[(j - 1) + j * LD]);
    assert_ok(tc_chol(0, NULL, 0, &err));
}

static void cholesky_refuses(void **state)
{
    double A[9] = {1, 0, 0, 0, -2, 0, 0, 0, 3}, B[9] = {4, 0, (double)NAN, 0, 1, 0, 0, 0, 1};
    tacit_error err = {0};
    (void)state;
    assert_fails(tc_chol(3, A, 3, &err), TACIT_E_NUMERIC,
                 "a matrix of order 3 is not positive definite: pivot 2 is not above 0");
    assert_fails(tc_chol(3, B, 3, &err), TACIT_E_NUMERIC, "pivot 3 is not above 0");
    assert_int_equal(tc_chol(3, A, 3, NULL), TACIT_E_NUMERIC);
}

static void jitter_is_the_least_that_helps(void **state)
{
    double A[4] = {1, 1, 0, 1 - 1e-7}, scratch[4], jitter = -1; /* eigenvalues 2 and about -5e-8 */
    double good[4] = {2, 1, 0, 2}, bad[4] = {1, 5, 0, 1};
    tacit_error err = {0};
    (void)state;
    assert_ok(tc_chol_jitter(2, A, 2, scratch, &jitter, &err));
    assert_close(jitter, 1e-7, 1e-10);
    assert_close(A[0] * A[0], 1 + jitter, 1e-15);
    assert_close(A[0] * A[1], 1, 1e-15);
    assert_string_equal(err.msg, ""); /* success leaves it untouched */
    assert_ok(tc_chol_jitter(2, good, 2, scratch, &jitter, &err));
    assert_true(jitter == 0);
    assert_fails(tc_chol_jitter(2, bad, 2, scratch, NULL, &err), TACIT_E_NUMERIC,
                 "a matrix of order 2 is not positive definite even with 0.0001 added");
}

static void append_grows_the_same_factor(void **state)
{
    double A[LD * N], L[LD * N], k[N];
    tacit_error err = {0};
    (void)state;
    random_definite(A);
    for (size_t n = 0; n < N; n++) {
        for (size_t i = 0; i < n; i++)
            k[i] = A[n + i * LD];
        assert_ok(tc_chol_append(n, L, LD, k, A[n + n * LD], &err));
    }
    assert_factor(L, A, 1e-12);
    for (size_t i = 0; i < N; i++)
        k[i] = A[3 + i * LD]; /* point 3 once more, noise-free */
    assert_fails(tc_chol_append(N, L, LD, k, A[3 + 3 * LD] - 1e-6, &err), TACIT_E_NUMERIC,
                 "row 24 cannot be appended to a Cholesky factor: its pivot");
    assert_factor(L, A, 1e-12);
}

/* The last point of a singular matrix is its first: the last pivot is round-off, of either sign. */
static void a_pivot_of_round_off_is_none(void **state)
{
    enum { M = 6 };
    tacit_error err = {0};
    (void)state;
    for (int scale = 1; scale <= 40; scale++) {
        double A[M * M], L[M * M], scratch[M * M], jitter = 0, kk = (double)scale / 3;
        for (size_t j = 0; j < M; j++)
            for (size_t i = j; i < M; i++)
                A[i + j * M] = kk * exp(-0.5 * pow((double)i - (double)j, 2));
        for (size_t j = 0; j < M; j++)
            A[M - 1 + j * M] = A[j % (M - 1)];
        memcpy(L, A, sizeof A);
        assert_ok(tc_chol_jitter(M, L, M, scratch, &jitter, &err));
        assert_close(jitter, 1e-10 * kk, 1e-12 * kk);
        memcpy(L, A, sizeof A);
        assert_ok(tc_chol(M - 1, L, M, &err));
        assert_fails(tc_chol_append(M - 1, L, M, A, kk, &err), TACIT_E_NUMERIC,
                     "row 6 cannot be appended to a Cholesky factor: its pivot");
    }
}

static void solves(void **state)
{
    enum { M = 4 };
    double A[LD * N], L[LD * N], b[N], x[N], y[N], B[LD * M], C[LD * M];
    tacit_error err = {0};
    (void)state;
    random_definite(A);
    memcpy(L, A, sizeof L);
    assert_ok(tc_chol(N, L, LD, &err));
    random_fill(N, b);
    memcpy(x, b, sizeof x);
    tc_solve_lower(N, L, LD, x);
    memcpy(y, b, sizeof y);
    tc_solve_lower_t(N, L, LD, y);
    for (size_t i = 0; i < N; i++) {
        double down = 0, up = 0;
        for (size_t k = 0; k <= i; k++)
            down += L[i + k * LD] * x[k];
        for (size_t k = i; k < N; k++)
            up += L[k + i * LD] * y[k];
        assert_close(down, b[i], 1e-12);
        assert_close(up, b[i], 1e-12);
    }
    memcpy(x, b, sizeof x);
    tc_chol_solve(N, L, LD, x);
    for (size_t i = 0; i < N; i++) {
        double sum = 0;
        for (size_t k = 0; k < N; k++)
            sum += A[i + k * LD] * x[k];
        assert_close(sum, b[i], 1e-11);
    }
    for (size_t m = 0; m < M; m++)
        for (size_t i = 0; i < N; i++)
            B[i + m * LD] = C[i + m * LD] = b[i] * (double)(m + 1);
    tc_solve_lower_many(N, M, L, LD, B, LD);
    tc_solve_lower_t_many(N, M, L, LD, B, LD);
    for (size_t m = 0; m < M; m++)
        for (size_t i = 0; i < N; i++)
            assert_close(B[i + m * LD], x[i] * (double)(m + 1), 1e-12);
}

static void inverse(void **state)
{
    double A[LD * N], L[LD * N];
    tacit_error err = {0};
    (void)state;
    random_definite(A);
    memcpy(L, A, sizeof L);
    assert_ok(tc_chol(N, L, LD, &err));
    tc_chol_inverse(N, L, LD);
    for (size_t i = 0; i < N; i++)
        for (size_t j = 0; j < N; j++) {
            double sum = 0;
            for (size_t k = 0; k < N; k++)
                sum += A[i + k * LD] * L[(k > j ? k : j) + (k > j ? j : k) * LD];
            assert_close(sum, i == j, 1e-11);
        }
}

static void check_svd(size_t m, size_t n)
{
    const size_t r = m < n ? m : n;
    double A[LD * N], copy[LD * N], U[N * N], s[N], Vt[N * N];
    tacit_error err = {0};
    random_fill(LD * n, A);
    memcpy(copy, A, LD * n * sizeof *A);
    assert_ok(tc_svd(m, n, A, LD, U, s, Vt, &err));
    for (size_t k = 0; k < r; k++)
        assert_true(s[k] >= 0 && (k == 0 || s[k] <= s[k - 1]));
    for (size_t j = 0; j < n; j++)
        for (size_t i = 0; i < m; i++) {
            double sum = 0;
            for (size_t k = 0; k < r; k++)
                sum += U[i + k * m] * s[k] * Vt[k + j * r];
            assert_close(sum, copy[i + j * LD], 1e-12);
        }
    for (size_t k = 0; k < r; k++)
        assert_close(tc_norm2(m, U + k * m), 1, 1e-13);
}

static void singular_values(void **state)
{
    double bad[4] = {1, (double)INFINITY, 0, 1}, U[4], s[2], Vt[4];
    tacit_error err = {0};
    (void)state;
    check_svd(N, 9);
    check_svd(9, N);
    check_svd(1, 1);
    assert_ok(tc_svd(0, 5, NULL, 0, NULL, NULL, NULL, &err));
    assert_fails(tc_svd(2, 2, bad, 2, U, s, Vt, &err), TACIT_E_NUMERIC,
                 "the singular value decomposition of a matrix with inf in row 2, column 1");
}

static void eigenvalues(void **state)
{
    double A[LD * N], Q[LD * N], w[N], bad[4] = {1, (double)NAN, 0, 1};
    tacit_error err = {0};
    (void)state;
    random_definite(A);
    memcpy(Q, A, sizeof Q);
    for (size_t j = 1; j < N; j++)
        for (size_t i = 0; i < j; i++)
            Q[i + j * LD] = (double)NAN; /* only the lower triangle counts */
    assert_ok(tc_eigen(N, Q, LD, w, &err));
    for (size_t j = 0; j < N; j++) {
        assert_true(j == 0 || w[j] >= w[j - 1]);
        for (size_t i = 0; i < N; i++) {
            double sum = 0;
            for (size_t k = 0; k < N; k++)
                sum += Q[i + k * LD] * w[k] * Q[j + k * LD];
            assert_close(sum, A[i + j * LD], 1e-11);
        }
    }
    assert_ok(tc_eigen(0, NULL, 0, NULL, &err));
    assert_fails(tc_eigen(2, bad, 2, w, &err), TACIT_E_NUMERIC,
                 "the eigenvalue decomposition of a matrix with nan in row 2, column 1");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(names_its_library),
        cmocka_unit_test(vectors),
        cmocka_unit_test(axpy_knows_no_neighbours),
        cmocka_unit_test(matrix_times_vector),
        cmocka_unit_test(matrix_times_matrix),
        cmocka_unit_test(symmetric_product),
        cmocka_unit_test(product_with_a_triangle),
        cmocka_unit_test(beta_zero_overwrites),
        cmocka_unit_test(empty_sums_still_scale),
        cmocka_unit_test(cholesky),
        cmocka_unit_test(cholesky_refuses),
        cmocka_unit_test(jitter_is_the_least_that_helps),
        cmocka_unit_test(append_grows_the_same_factor),
        cmocka_unit_test(a_pivot_of_round_off_is_none),
        cmocka_unit_test(solves),
        cmocka_unit_test(inverse),
        cmocka_unit_test(singular_values),
        cmocka_unit_test(eigenvalues),
    };
    return cmocka_run_group_tests(tests, seed, NULL);
}
