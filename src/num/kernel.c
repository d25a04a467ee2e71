/* kernel.c - covariance functions, a row at a time.
 *
 * A row is made in blocks that stay in the first cache: squared distances dimension by dimension
 * along the points, then one vectorised exp. Every entry point runs the same operations on each
 * pair in the same order, so tc_kernel_at, a row, a Gram matrix and a cross matrix agree bit for
 * bit. Derivatives share one form: d k(x,y) / d x_d = -slope(r) (x_d - y_d) / l_d^2. */
#include "num/kernel.h"

#include "base/simd.h"
#include "num/vmath.h"

#include <math.h>
#include <stdbool.h>
#include <string.h>

#define BLOCK 512 /* points; their distances stay in the first cache */

static inline size_t smaller(size_t a, size_t b)
{
    return a < b ? a : b;
}

/* r2 = or += ((x - X_i) w)^2 */
TC_CLONES static void kernel_squares(size_t n, double x, double w, const double *restrict X,
                                     double *restrict r2, bool first)
{
    for (size_t i = 0; i < n; i++) {
        const double d = (x - X[i]) * w, before = first ? 0 : r2[i];
        r2[i] = before + d * d;
    }
}

/* x is one point, its coordinates incx apart. */
static void squared_distances(const tc_kernel *k, const double *x, size_t incx, size_t n,
                              const double *X, size_t ldx, double *r2)
{
    for (size_t d = 0; d < k->dim; d++)
        kernel_squares(n, x[d * incx], 1 / k->scale[d], X + d * ldx, r2, d == 0);
}

TC_CLONES static void kernel_scale(size_t n, double a, double *x)
{
    for (size_t i = 0; i < n; i++)
        x[i] *= a;
}

TC_CLONES static void kernel_half(size_t n, const double *restrict r2, double *restrict e)
{
    for (size_t i = 0; i < n; i++)
        e[i] = -0.5 * r2[i]; // NOLINT(clang-analyzer-core.*): r2 has n entries
}

/* r: from r^2 to c r; e = -c r, for the exponential. */
TC_CLONES static void kernel_radius(size_t n, double c, double *restrict r, double *restrict e)
{
    for (size_t i = 0; i < n; i++) {
        r[i] = c * sqrt(r[i]); // NOLINT(clang-analyzer-core.*): r has n entries
        e[i] = -r[i];
    }
}

/* e: from the decay to v (1 + r + b r^2) decay */
TC_CLONES static void kernel_polynomial(size_t n, double v, double b, const double *restrict r,
                                        double *restrict e)
{
    for (size_t i = 0; i < n; i++)
        e[i] = v * ((1 + r[i] + b * (r[i] * r[i])) * e[i]);
}

/* The decay of every kind, e^(-r^2/2) or e^-cr; Matern kinds leave c r where r^2 was. */
static void decay(tc_kernel_kind kind, size_t n, double *r2, double *e)
{
    static const double c[TC_KERNEL_KINDS] = {[TC_KERNEL_MATERN12] = 1,
                                              [TC_KERNEL_MATERN32] = 1.7320508075688772,
                                              [TC_KERNEL_MATERN52] = 2.2360679774997897};
    if (kind == TC_KERNEL_SE)
        kernel_half(n, r2, e);
    else
        kernel_radius(n, c[kind], r2, e);
    tc_vexp(n, e);
}

/* e: from the decay to the kernel's value. */
static void value(const tc_kernel *k, size_t n, const double *r, double *e)
{
    switch (k->kind) {
    case TC_KERNEL_SE:
    case TC_KERNEL_MATERN12:
        kernel_scale(n, k->variance, e);
        break;
    case TC_KERNEL_MATERN32:
        kernel_polynomial(n, k->variance, 0, r, e);
        break;
    case TC_KERNEL_MATERN52:
        kernel_polynomial(n, k->variance, 1.0 / 3, r, e);
        break;
    }
}

/* g: from the decay to slope(r); at r = 0 matern12 has a kink and gets 0. */
static void slope(const tc_kernel *k, size_t n, const double *r, double *g)
{
    const double v = k->variance;
    switch (k->kind) {
    case TC_KERNEL_SE:
        kernel_scale(n, v, g);
        break;
    case TC_KERNEL_MATERN12:
        for (size_t i = 0; i < n; i++)
            g[i] = r[i] > 0 ? v * g[i] / r[i] : 0;
        break;
    case TC_KERNEL_MATERN32:
        kernel_scale(n, 3 * v, g);
        break;
    case TC_KERNEL_MATERN52:
        kernel_polynomial(n, 5 * v / 3, 0, r, g);
        break;
    }
}

/* grad = -g (x - X_i) w */
TC_CLONES static void kernel_slopes(size_t n, double x, double w, const double *restrict X,
                                    const double *restrict g, double *restrict grad)
{
    for (size_t i = 0; i < n; i++)
        grad[i] = -g[i] * ((x - X[i]) * w);
}

static void row(const tc_kernel *k, const double *x, size_t incx, size_t n, const double *X,
                size_t ldx, double *out)
{
    double r[BLOCK];
    for (size_t from = 0; from < n; from += BLOCK) {
        const size_t m = smaller(BLOCK, n - from);
        squared_distances(k, x, incx, m, X + from, ldx, r);
        decay(k->kind, m, r, out + from);
        value(k, m, r, out + from);
    }
}

double tc_kernel_at(const tc_kernel *k, const double *x, const double *y)
{
    double out;
    row(k, x, 1, 1, y, 1, &out);
    return out;
}

void tc_kernel_row(const tc_kernel *k, const double *x, size_t n, const double *X, size_t ldx,
                   double *out)
{
    row(k, x, 1, n, X, ldx, out);
}

void tc_kernel_row_grad(const tc_kernel *k, const double *x, size_t n, const double *X, size_t ldx,
                        double *out, double *grad, size_t ldg)
{
    double r[BLOCK], g[BLOCK];
    for (size_t from = 0; from < n; from += BLOCK) {
        const size_t m = smaller(BLOCK, n - from);
        squared_distances(k, x, 1, m, X + from, ldx, r);
        decay(k->kind, m, r, g);
        memcpy(out + from, g, m * sizeof *g);
        value(k, m, r, out + from);
        slope(k, m, r, g);
        for (size_t d = 0; d < k->dim; d++)
            kernel_slopes(m, x[d], 1 / (k->scale[d] * k->scale[d]), X + from + d * ldx, g,
                          grad + from + d * ldg);
    }
}

void tc_kernel_gram(const tc_kernel *k, size_t n, const double *X, size_t ldx, double *K,
                    size_t ldk)
{
    for (size_t j = 0; j < n; j++)
        row(k, X + j, ldx, n - j, X + j, ldx, K + j + j * ldk);
}

void tc_kernel_cross(const tc_kernel *k, size_t m, const double *A, size_t lda, size_t n,
                     const double *B, size_t ldb, double *C, size_t ldc)
{
    for (size_t j = 0; j < n; j++)
        row(k, B + j, ldb, m, A, lda, C + j * ldc);
}
