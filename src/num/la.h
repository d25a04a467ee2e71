/* la.h - dense linear algebra: the only door to BLAS and LAPACK.
 *
 * Column-major, leading dimensions explicit, lower Cholesky factors; trans is 'N' or 'T'. BLAS is
 * held to one thread, process-wide, from the first call on: results must not depend on a thread
 * count. Dimensions are checked by assert and may be 0; a matrix that is not positive definite is
 * E_NUMERIC with the pivot in the message; scratch comes from the caller, nothing here allocates
 * except svd and eigen. */
#ifndef TC_NUM_LA_H
#define TC_NUM_LA_H

#include <tacit/status.h>

#include <stdbool.h>
#include <stddef.h>

/* Idempotent, thread-safe. For constructors: E_MEMORY if BLAS could not get its buffers, where it
 * would try for ever. The calls below imply the rest of it. */
tacit_status tc_la_start(tacit_error *err);
const char *tc_la_library(void); /* "OpenBLAS 0.3.21 ... SkylakeX", for `tacit version` */

/* ---- la_kernel.c: code for the CPU, which decides how sums are rounded */

/* <tacit/build.h> has the kernel that runs, tacit_blas_kernel, and lets a program choose another. */
typedef struct tc_cpu_vectors {
    bool avx2, fma, avx512; /* avx512: with all that OpenBLAS's kernels use of it */
} tc_cpu_vectors;
tc_cpu_vectors tc_cpu_vectors_here(void);
/* A kernel for this CPU where OpenBLAS took one without AVX; NULL: there is none to recommend. */
const char *tc_la_better_kernel(const char *kernel, const tc_cpu_vectors *cpu);

double tc_dot(size_t n, const double *x, const double *y);
/* y += a x. The bits of y[i] follow from a, x[i] and y[i]: not from n, i or the neighbours. */
void tc_axpy(size_t n, double a, const double *x, double *y);
void tc_scale(size_t n, double a, double *x);
double tc_norm2(size_t n, const double *x);
/* y = alpha op(A) x + beta y; A is m x n as stored */
void tc_gemv(char trans, size_t m, size_t n, double alpha, const double *A, size_t lda,
             const double *x, double beta, double *y);
/* C = alpha op(A) op(B) + beta C; C is m x n, inner dimension k */
void tc_gemm(char ta, char tb, size_t m, size_t n, size_t k, double alpha, const double *A,
             size_t lda, const double *B, size_t ldb, double beta, double *C, size_t ldc);
/* lower triangle of C (n x n) = alpha A A' + beta C ('N': A is n x k) or alpha A'A + beta C ('T':
 * A is k x n) */
void tc_syrk(char trans, size_t n, size_t k, double alpha, const double *A, size_t lda, double beta,
             double *C, size_t ldc);
/* B (m x n) = B L', L lower; what is above its diagonal is not read */
void tc_times_lower_t(size_t m, size_t n, const double *L, size_t ldl, double *B, size_t ldb);

/* A = L L', in place in the lower triangle; the strict upper triangle is left alone. */
tacit_status tc_chol(size_t n, double *A, size_t lda, tacit_error *err);
/* The same; if A is not positive definite, or a pivot is no more than its round-off, adds jitter to
 * the diagonal, first 1e-10 x mean diagonal, ten times more each try up to 1e-4 x. So it does not
 * depend on the BLAS kernel whether a singular matrix gets jitter. *jitter (may be NULL) gets the amount added (0 if
 * none). Needs n x n scratch to start over. */
tacit_status tc_chol_jitter(size_t n, double *A, size_t lda, double *scratch, double *jitter,
                            tacit_error *err);
/* L is n x n: adds row n for a new point with covariances k[0..n) and variance kk. The new row is
 * written to L[n + i*ldl], i <= n; E_NUMERIC if the new pivot is not above its round-off,
 * 8 (n+1) 2^-52 kk (the n x n factor is as before). */
tacit_status tc_chol_append(size_t n, double *L, size_t ldl, const double *k, double kk,
                            tacit_error *err);
double tc_chol_logdet(size_t n, const double *L, size_t ldl); /* ln det(L L') */

void tc_solve_lower(size_t n, const double *L, size_t ldl, double *x);   /* x = L^-1 x */
void tc_solve_lower_t(size_t n, const double *L, size_t ldl, double *x); /* x = L^-T x */
void tc_solve_lower_many(size_t n, size_t m, const double *L, size_t ldl, double *B, size_t ldb);
void tc_solve_lower_t_many(size_t n, size_t m, const double *L, size_t ldl, double *B, size_t ldb);
void tc_chol_solve(size_t n, const double *L, size_t ldl, double *x); /* x = (L L')^-1 x */
void tc_chol_inverse(size_t n, double *L, size_t ldl); /* lower triangle becomes (L L')^-1 */

/* A (m x n, destroyed) = U diag(s) V': U m x r, s r, Vt r x n, r = min(m,n). */
tacit_status tc_svd(size_t m, size_t n, double *A, size_t lda, double *U, double *s, double *Vt,
                    tacit_error *err);
/* Symmetric A (lower triangle) = Q diag(w) Q': A becomes Q, w ascending. */
tacit_status tc_eigen(size_t n, double *A, size_t lda, double *w, tacit_error *err);

#endif
