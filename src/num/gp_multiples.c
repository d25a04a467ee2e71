/* gp_multiples.c - predictions of processes whose kernels are multiples of one another; see gp_multiples.h.
 *
 * With R = L^-1 of a process and u = R k(x): var = ratio v - ratio^2 u'u. Many points come in blocks: C has their
 * covariances with the observed ones, a point to a row, so that kernels are made along the points of the block whatever
 * n is; C R' is a product with a triangle, half the work of a square one. */
#include "num/gp_multiples.h"

#include "base/simd.h"
#include "num/la.h"
#include "num/lower.h"

#include <assert.h>
#include <string.h>

enum { BLOCK = 128 }; /* points at a time: two arrays of n x BLOCK stay in L2 for n <= 500 */

static double ratio_of(const tc_gp_multiple *of, size_t i)
{
    return tc_gp_hyper_of(of[i].g)->variance / tc_gp_hyper_of(of[0].g)->variance;
}

static tc_kernel kernel_of(const tc_gp_multiple *first)
{
    const tc_gp_hyper *h = tc_gp_hyper_of(first->g);
    return (tc_kernel){h->kind, h->dim, h->variance, h->scale};
}

static double clipped(double var)
{
    return var > 0 ? var : 0; /* round-off at an observed point */
}

/* ---- one point ---- */

size_t tc_gp_multiples_scratch(size_t n, size_t dim)
{
    return n * (dim + 3);
}

/* The prediction of one process, from k(x) and its derivatives (n x dim); u, w: scratch. */
static void predict(const tc_gp_multiple *of, double ratio, size_t p, const double *k,
                    const double *dk, double *u, double *w)
{
    const size_t n = tc_gp_size(of->g), dim = tc_gp_hyper_of(of->g)->dim;
    size_t ld;
    const double *R = tc_gp_inverse_factor(of->g, &ld);
    tc_gemv('T', n, p, ratio, of->W, n, k, 0, of->mean);
    tc_lower_times(n, R, ld, k, u);
    *of->var = clipped(tc_gp_hyper_of(of->g)->variance - ratio * ratio * tc_dot(n, u, u));
    if (!of->d_mean)
        return;
    tc_gemm('T', 'N', dim, p, n, ratio, dk, n, of->W, n, 0, of->d_mean, dim);
    tc_lower_t_times(n, R, ld, u, w);
    tc_gemv('T', n, dim, -2 * ratio * ratio, dk, n, w, 0, of->d_var);
}

void tc_gp_multiples_at(size_t count, const tc_gp_multiple *of, size_t p, const double *x,
                        double *scratch)
{
    size_t n = tc_gp_size(of->g), ld;
    const double *X = tc_gp_points(of->g, &ld);
    const tc_kernel kernel = kernel_of(of);
    double *k = scratch, *u = k + n, *w = u + n, *dk = w + n;
    if (of->d_mean)
        tc_kernel_row_grad(&kernel, x, n, X, ld, k, dk, n);
    else
        tc_kernel_row(&kernel, x, n, X, ld, k);
    for (size_t i = 0; i < count; i++) {
        assert(tc_gp_size(of[i].g) == n);
        predict(&of[i], ratio_of(of, i), p, k, dk, u, w);
    }
}

/* ---- many points ---- */

size_t tc_gp_multiples_many_scratch(size_t n)
{
    return 2 * n * BLOCK;
}

/* sum += a^2 */
TC_CLONES static void multiples_squares(size_t m, const double *restrict a, double *restrict sum)
{
    for (size_t j = 0; j < m; j++)
        sum[j] += a[j] * a[j];
}

/* C: m x n, overwritten. */
static void variances(const tc_gp *g, double ratio, size_t m, double *C, double *var)
{
    const size_t n = tc_gp_size(g);
    size_t ld;
    const double *R = tc_gp_inverse_factor(g, &ld);
    tc_times_lower_t(m, n, R, ld, C, m);
    memset(var, 0, m * sizeof *var);
    for (size_t i = 0; i < n; i++)
        multiples_squares(m, C + i * m, var);
    for (size_t j = 0; j < m; j++)
        var[j] = clipped(tc_gp_hyper_of(g)->variance - ratio * ratio * var[j]);
}

void tc_gp_multiples_many(size_t count, const tc_gp_multiple *of, size_t p, size_t m,
                          const double *X, size_t ldx, double *scratch)
{
    size_t n = tc_gp_size(of->g), ld;
    const double *points = tc_gp_points(of->g, &ld);
    const tc_kernel kernel = kernel_of(of);
    for (size_t from = 0; from < m; from += BLOCK) {
        const size_t len = m - from < BLOCK ? m - from : BLOCK;
        double *C = scratch, *U = scratch + n * BLOCK;
        tc_kernel_cross(&kernel, len, X + from, ldx, n, points, ld, C, len);
        for (size_t i = 0; i < count; i++) {
            const double ratio = ratio_of(of, i);
            assert(tc_gp_size(of[i].g) == n);
            tc_gemm('N', 'N', len, p, n, ratio, C, len, of[i].W, n, 0, of[i].mean + from, m);
            if (i + 1 < count)
                memcpy(U, C, n * len * sizeof *U);
            variances(of[i].g, ratio, len, i + 1 < count ? U : C, of[i].var + from);
        }
    }
}
