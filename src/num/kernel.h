/* kernel.h - covariance functions (docs/math.md, "Surrogates").
 *
 * Stationary kernels k(x,x') = v g(r), r^2 = sum_d (x_d-x'_d)^2 / l_d^2. Sets
 * of points are n x dim column-major with leading dimension ldx, so a row of
 * kernel values runs along contiguous coordinates. */
#ifndef TC_NUM_KERNEL_H
#define TC_NUM_KERNEL_H

#include <stddef.h>

typedef enum tc_kernel_kind {
    TC_KERNEL_SE,
    TC_KERNEL_MATERN12,
    TC_KERNEL_MATERN32,
    TC_KERNEL_MATERN52
} tc_kernel_kind;
#define TC_KERNEL_CHOICES "se|matern12|matern32|matern52"
#define TC_KERNEL_KINDS   4

/* Borrowed length-scales: dim of them, all equal where the kernel is isotropic. */
typedef struct tc_kernel {
    tc_kernel_kind kind;
    size_t dim;
    double variance;
    const double *scale; /* l_d > 0 */
} tc_kernel;

double tc_kernel_at(const tc_kernel *k, const double *x, const double *y);
/* out[i] = k(x, X_i), i < n */
void tc_kernel_row(const tc_kernel *k, const double *x, size_t n, const double *X, size_t ldx,
                   double *out);
/* The same, and grad[i + d*ldg] = d k(x, X_i) / d x_d */
void tc_kernel_row_grad(const tc_kernel *k, const double *x, size_t n, const double *X, size_t ldx,
                        double *out, double *grad, size_t ldg);
/* K (n x n): lower triangle and diagonal of k(X,X) */
void tc_kernel_gram(const tc_kernel *k, size_t n, const double *X, size_t ldx, double *K,
                    size_t ldk);
/* C (m x n) = k(A_i, B_j) */
void tc_kernel_cross(const tc_kernel *k, size_t m, const double *A, size_t lda, size_t n,
                     const double *B, size_t ldb, double *C, size_t ldc);

#endif
