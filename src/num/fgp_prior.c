/* fgp_prior.c - rows of the prior covariance over a finite set (docs/math.md, "Finite domains"). */
#include "num/fgp_prior.h"

#include "base/error.h"
#include "base/simd.h"
#include "num/vmath.h"

#include <math.h>
#include <stdbool.h>
#include <string.h>

/* ---- the set ---- */

/* How far apart in X two neighbours along axis d are. */
static size_t axis_stride(const tc_fgp_prior *p, size_t d)
{
    size_t stride = 1;
    for (size_t e = d + 1; e < p->dim; e++)
        stride *= p->axes[e];
    return stride;
}

static tacit_status check_axes(const tc_fgp_prior *p, const size_t *axes, tacit_error *err)
{
    size_t product = 1;
    for (size_t d = 0; d < p->dim; d++)
        if (__builtin_mul_overflow(product, axes[d], &product))
            product = 0;
    if (product != p->n)
        return tc_fail(err, TACIT_E_ARG, "the axes of a grid of %zu points have %zu points", p->n,
                       product);
    return TACIT_OK;
}

static tacit_status check_grid(const tc_fgp_prior *p, tacit_error *err)
{
    for (size_t d = 0; d < p->dim; d++) {
        const size_t stride = axis_stride(p, d);
        const double *x = p->X + d * p->n;
        for (size_t i = 0; i < p->n; i++)
            if (x[i] != x[i / stride % p->axes[d] * stride])
                return tc_fail(err, TACIT_E_ARG,
                               "candidate %zu is not where the grid of the axes has it", i);
    }
    return TACIT_OK;
}

static void take_grid(tc_fgp_prior *p, tc_arena *arena, const size_t *axes)
{
    const size_t last = axes[p->dim - 1];
    size_t sum = 0;
    size_t *copy = TC_TAKE(arena, p->dim, size_t);
    for (size_t d = 0; d < p->dim; d++)
        sum += axes[d];
    p->factor = TC_TAKE(arena, sum, double);
    p->outer = TC_TAKE(arena, p->n / last, double);
    if (copy != NULL)
        memcpy(copy, axes, p->dim * sizeof *axes);
    p->axes = copy;
    p->inner = p->factor == NULL ? NULL : p->factor + (sum - last);
}

tacit_status tc_fgp_prior_points(tc_fgp_prior *p, tc_arena *arena, size_t n, size_t dim,
                                 const double *X, const size_t *axes, tacit_error *err)
{
    *p = (tc_fgp_prior){.n = n, .dim = dim, .X = X};
    p->scale = TC_TAKE(arena, dim, double);
    p->point = TC_TAKE(arena, dim, double);
    p->kernel.scale = p->scale;
    p->kernel.dim = dim;
    if (axes == NULL)
        return TACIT_OK;
    TC_TRY(check_axes(p, axes, err));
    take_grid(p, arena, axes);
    return arena->failed ? TACIT_OK : check_grid(p, err);
}

tacit_status tc_fgp_prior_matrix(tc_fgp_prior *p, size_t n, const double *K, tacit_error *err)
{
    for (size_t i = 0; i < n; i++)
        if (!(K[i + i * n] >= 0) || isinf(K[i + i * n]))
            return tc_fail(err, TACIT_E_ARG,
                           "the covariance matrix has the variance %g at candidate %zu; it must be "
                           "finite and not below 0",
                           K[i + i * n], i);
    *p = (tc_fgp_prior){.n = n, .K = K};
    return TACIT_OK;
}

/* ---- hyper-parameters ---- */

static bool positive(double x)
{
    return x > 0 && !isinf(x);
}

tacit_status tc_fgp_prior_hyper(tc_fgp_prior *p, const tc_gp_hyper *h, tacit_error *err)
{
    if (!positive(h->variance))
        return tc_fail(err, TACIT_E_ARG, "the kernel's variance must be finite and > 0, got %g",
                       h->variance);
    if (p->X != NULL && h->dim != p->dim)
        return tc_fail(err, TACIT_E_ARG, "the kernel has %zu dimensions, the candidates have %zu",
                       h->dim, p->dim);
    for (size_t d = 0; d < p->dim; d++)
        if (!positive(h->scale[d]))
            return tc_fail(err, TACIT_E_ARG, "length-scale %zu must be finite and > 0, got %g",
                           d + 1, h->scale[d]);
    p->kernel.kind = h->kind;
    p->kernel.variance = h->variance;
    if (p->dim > 0)
        memcpy(p->scale, h->scale, p->dim * sizeof *p->scale);
    return TACIT_OK;
}

/* ---- rows ---- */

double tc_fgp_prior_variance(const tc_fgp_prior *p, size_t i)
{
    const double shared = p->K == NULL ? 1 : p->K[i + i * p->n];
    return p->kernel.variance * shared + p->own;
}

static bool separable(const tc_fgp_prior *p)
{
    return p->axes != NULL && p->kernel.kind == TC_KERNEL_SE;
}

/* e_d of every axis: exp(-((x - x') / l)^2 / 2) */
static void axis_factors(tc_fgp_prior *p)
{
    double *e = p->factor;
    for (size_t d = 0; d < p->dim; d++) {
        const size_t stride = axis_stride(p, d);
        const double w = 1 / p->scale[d];
        for (size_t i = 0; i < p->axes[d]; i++) {
            const double z = (p->point[d] - p->X[i * stride + d * p->n]) * w;
            e[i] = -0.5 * (z * z);
        }
        e += p->axes[d];
    }
    tc_vexp((size_t)(e - p->factor), p->factor);
}

/* outer becomes outer x e for one more axis, from the end so that it can be done in place. */
static size_t multiply_axis(double *outer, size_t len, const double *e, size_t m)
{
    for (size_t o = len; o-- > 0;) {
        const double left = outer[o];
        for (size_t i = m; i-- > 0;)
            outer[o * m + i] = left * e[i];
    }
    return len * m;
}

static void outer_products(tc_fgp_prior *p)
{
    const double *e = p->factor;
    size_t len = 1;
    p->outer[0] = p->kernel.variance;
    for (size_t d = 0; d + 1 < p->dim; d++) {
        len = multiply_axis(p->outer, len, e, p->axes[d]);
        e += p->axes[d];
    }
}

void tc_fgp_prior_aim(tc_fgp_prior *p, size_t j)
{
    p->j = j;
    for (size_t d = 0; d < p->dim; d++)
        p->point[d] = p->X[j + d * p->n];
    if (separable(p)) {
        axis_factors(p);
        outer_products(p);
    }
}

/* out = the outer product outer x inner, m entries of it from `from` on. */
TC_CLONES static void outer_piece(const double *restrict outer, const double *restrict inner,
                                  size_t width, size_t from, size_t m, double *restrict out)
{
    size_t o = from / width, i = from % width;
    for (size_t done = 0; done < m; o++, i = 0) {
        const size_t len = width - i < m - done ? width - i : m - done;
        const double left = outer[o];
        for (size_t c = 0; c < len; c++)
            out[done + c] = left * inner[i + c];
        done += len;
    }
}

void tc_fgp_prior_piece(const tc_fgp_prior *p, size_t from, size_t m, double *out)
{
    if (separable(p))
        outer_piece(p->outer, p->inner, p->axes[p->dim - 1], from, m, out);
    else if (p->K == NULL)
        tc_kernel_row(&p->kernel, p->point, m, p->X + from, p->n, out);
    else
        outer_piece(&p->kernel.variance, p->K + p->j * p->n, p->n, from, m, out);
    if (p->j - from < m) /* unsigned: also false where j comes before the piece */
        out[p->j - from] += p->own;
}
