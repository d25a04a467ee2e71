/* gp_fit.c - maximum a posteriori hyper-parameters; see gp_fit.h.
 *
 * ln p(y|theta) = -1/2 y'alpha - 1/2 ln det C - n/2 ln 2 pi with C = v G + s2 I and alpha = C^-1 y,
 * d/d theta = 1/2 tr((alpha alpha' - C^-1) dC/d theta) (Rasmussen and Williams, 2006, eq. 5.9).
 * Everything about a pair of points is kept packed, the strict lower triangle column by column:
 * squared differences are computed once per fit, and each trace is one dot product. */
#include "num/gp_fit.h"

#include "base/error.h"
#include "base/memory.h"
#include "base/simd.h"
#include "num/boxmax.h"
#include "num/la.h"
#include "num/vmath.h"

#include <math.h>
#include <string.h>

#define LN_2PI 1.83787706640934548356

/* Bounds of v, and the upper one of s2: y is standardised, so these are far from any sane value. */
static const double variance_min = 1e-3, variance_max = 1e3, noise_max = 10.0;

/* A gain of less than this part of the objective ends a search. */
static const double tolerance = 1e-5;

typedef struct normal {
    double mean, sd;
} normal;

/* The data of a fit and the scratch of one evaluation. */
typedef struct posterior {
    tc_arena arena;
    tc_kernel_kind kind;
    size_t n, pairs, scales;
    normal prior_scale, prior_variance, prior_noise;
    double *y;                         /* n */
    const double *known;               /* n, or NULL: noise of each beside s2 */
    double *squares;                   /* pairs x scales: squared differences per length-scale */
    double *g;                         /* pairs: k/v */
    double *slope;                     /* pairs: dg / d ln l_d = slope * square_d / l_d^2 */
    double *residual;                  /* pairs: of alpha alpha' - C^-1 */
    double *C;                         /* n x n */
    double *alpha;                     /* n */
    double *low, *high, *theta, *grad; /* parameters: the box, a point, a gradient */
} posterior;

static size_t parameters(const posterior *p)
{
    return p->scales + 2;
}

/* squares[pair] += (x_i - x_j)^2 over the pairs i > j, column by column. */
static void add_squares(size_t n, const double *x, double *squares)
{
    for (size_t j = 0; j < n; j++)
        for (size_t i = j + 1; i < n; i++) {
            double gap = x[i] - x[j];
            *squares++ += gap * gap;
        }
}

static tacit_status posterior_init(posterior *p, const tc_gp_fit_opts *o, tc_kernel_kind kind,
                                   size_t dim, size_t n, const double *X, size_t ldx,
                                   const double *y, tacit_error *err)
{
    size_t pairs = n < 2 ? 0 : n * (n - 1) / 2, scales = o->ard ? dim : 1;
    *p = (posterior){.kind = kind,
                     .n = n,
                     .pairs = pairs,
                     .scales = scales,
                     .known = o->known,
                     .prior_scale = {log(0.25 * sqrt((double)dim)), 1.0},
                     .prior_variance = {0.0, 1.5},
                     .prior_noise = {log(1e-5), 3.5}};
    p->y = TC_TAKE(&p->arena, n + 1, double);
    p->squares = TC_TAKE(&p->arena, pairs * scales + 1, double);
    p->g = TC_TAKE(&p->arena, pairs + 1, double);
    p->slope = TC_TAKE(&p->arena, pairs + 1, double);
    p->residual = TC_TAKE(&p->arena, pairs + 1, double);
    p->C = TC_TAKE(&p->arena, n * n + 1, double);
    p->alpha = TC_TAKE(&p->arena, n + 1, double);
    double **arrays[] = {&p->low, &p->high, &p->theta, &p->grad};
    for (size_t i = 0; i < 4; i++)
        *arrays[i] = TC_TAKE(&p->arena, parameters(p), double);
    if (p->arena.failed) {
        tc_arena_fini(&p->arena);
        return tc_fail_memory(err);
    }
    memcpy(p->y, y, n * sizeof *y);
    for (size_t d = 0; d < dim; d++)
        add_squares(n, X + d * ldx, p->squares + (o->ard ? d * pairs : 0));
    return TACIT_OK;
}

/* From r^2 in g to g and slope; e is e^-(c r) with c^2 = 2 nu. */
TC_CLONES static void matern12(size_t n, const double *restrict e, double *restrict g,
                               double *restrict slope)
{
    for (size_t i = 0; i < n; i++) {
        double r = sqrt(g[i]);
        slope[i] = r > 0.0 ? e[i] / r : 0.0; /* times square_d = 0 at r = 0: no contribution */
        g[i] = e[i];
    }
}

TC_CLONES static void matern32(size_t n, const double *restrict e, double *restrict g,
                               double *restrict slope)
{
    for (size_t i = 0; i < n; i++) {
        double r = sqrt(3.0 * g[i]);
        slope[i] = 3.0 * e[i];
        g[i] = (1.0 + r) * e[i];
    }
}

TC_CLONES static void matern52(size_t n, const double *restrict e, double *restrict g,
                               double *restrict slope)
{
    for (size_t i = 0; i < n; i++) {
        double r = sqrt(5.0 * g[i]);
        slope[i] = 5.0 / 3.0 * (1.0 + r) * e[i];
        g[i] = (1.0 + r + r * r / 3.0) * e[i];
    }
}

TC_CLONES static void exponents(size_t n, double two_nu, const double *restrict r2,
                                double *restrict e)
{
    for (size_t i = 0; i < n; i++)
        e[i] = two_nu == 0.0 ? -0.5 * r2[i] : -sqrt(two_nu * r2[i]);
}

/* g and slope of every pair, for the length-scales at theta; residual is scratch. */
static void correlations(posterior *p, const double *theta)
{
    static const double two_nu[TC_KERNEL_KINDS] = {
        [TC_KERNEL_MATERN12] = 1.0, [TC_KERNEL_MATERN32] = 3.0, [TC_KERNEL_MATERN52] = 5.0};
    size_t m = p->pairs;
    double *e = p->residual;
    memset(p->g, 0, m * sizeof *p->g);
    for (size_t d = 0; d < p->scales; d++)
        tc_axpy(m, exp(-2.0 * theta[d]), p->squares + d * m, p->g);
    exponents(m, two_nu[p->kind], p->g, e);
    tc_vexp(m, e);
    switch (p->kind) {
    case TC_KERNEL_SE:
        memcpy(p->slope, e, m * sizeof *e);
        memcpy(p->g, e, m * sizeof *e);
        break;
    case TC_KERNEL_MATERN12:
        matern12(m, e, p->g, p->slope);
        break;
    case TC_KERNEL_MATERN32:
        matern32(m, e, p->g, p->slope);
        break;
    case TC_KERNEL_MATERN52:
        matern52(m, e, p->g, p->slope);
        break;
    }
}

TC_CLONES static void multiple(size_t n, double a, const double *restrict x, double *restrict y)
{
    for (size_t i = 0; i < n; i++)
        y[i] = a * x[i];
}

/* y = a x - z */
TC_CLONES static void difference(size_t n, double a, const double *restrict x, double *restrict y,
                                 const double *restrict z)
{
    for (size_t i = 0; i < n; i++)
        y[i] = a * x[i] - z[i];
}

TC_CLONES static void multiply(size_t n, const double *restrict x, double *restrict y)
{
    for (size_t i = 0; i < n; i++)
        y[i] *= x[i];
}

static void fill_covariance(posterior *p, double v, double s2)
{
    size_t n = p->n;
    const double *g = p->g;
    for (size_t j = 0; j < n; j++) {
        p->C[j + j * n] = v + (p->known ? s2 + p->known[j] : s2);
        multiple(n - j - 1, v, g, p->C + j + 1 + j * n);
        g += n - j - 1;
    }
}

/* residual = alpha alpha' - C^-1 off the diagonal; returns its trace. C holds the inverse. */
static double fill_residual(posterior *p)
{
    size_t n = p->n;
    double *r = p->residual, trace = 0.0;
    for (size_t j = 0; j < n; j++) {
        trace += p->alpha[j] * p->alpha[j] - p->C[j + j * n];
        difference(n - j - 1, p->alpha[j], p->alpha + j + 1, r, p->C + j + 1 + j * n);
        r += n - j - 1;
    }
    return trace;
}

/* Needs the factor in C and alpha; C is overwritten. Off-diagonal pairs count twice: no halves. */
static void likelihood_grad(posterior *p, const double *theta, double v, double s2, double *grad)
{
    size_t m = p->pairs, k = p->scales;
    tc_chol_inverse(p->n, p->C, p->n);
    double trace = fill_residual(p);
    grad[k] = v * (tc_dot(m, p->residual, p->g) + 0.5 * trace);
    grad[k + 1] = 0.5 * s2 * trace;
    multiply(m, p->residual, p->slope);
    for (size_t d = 0; d < k; d++)
        grad[d] = v * exp(-2.0 * theta[d]) * tc_dot(m, p->slope, p->squares + d * m);
}

static tacit_status likelihood(posterior *p, const double *theta, double *value, double *grad,
                               tacit_error *err)
{
    size_t n = p->n;
    double v = exp(theta[p->scales]), s2 = exp(theta[p->scales + 1]);
    correlations(p, theta);
    fill_covariance(p, v, s2);
    TC_TRY(tc_chol(n, p->C, n, err));
    memcpy(p->alpha, p->y, n * sizeof *p->y);
    tc_solve_lower(n, p->C, n, p->alpha);
    double quad = tc_dot(n, p->alpha, p->alpha);
    *value = -0.5 * (quad + tc_chol_logdet(n, p->C, n) + (double)n * LN_2PI);
    if (grad != NULL) {
        tc_solve_lower_t(n, p->C, n, p->alpha);
        likelihood_grad(p, theta, v, s2, grad);
    }
    return TACIT_OK;
}

static const normal *prior_of(const posterior *p, size_t i)
{
    return i < p->scales ? &p->prior_scale
                         : (i == p->scales ? &p->prior_variance : &p->prior_noise);
}

static tacit_status evaluate(posterior *p, const double *theta, double *value, double *grad,
                             tacit_error *err)
{
    double sum = 0.0;
    for (size_t i = 0; grad != NULL && i < parameters(p); i++)
        grad[i] = 0.0;
    if (p->n > 0)
        TC_TRY(likelihood(p, theta, &sum, grad, err));
    for (size_t i = 0; i < parameters(p); i++) {
        const normal *prior = prior_of(p, i);
        double z = (theta[i] - prior->mean) / prior->sd;
        sum -= 0.5 * z * z;
        if (grad != NULL)
            grad[i] -= z / prior->sd;
    }
    *value = sum;
    return TACIT_OK;
}

/* boxmax searches the unit cube; it is mapped to the box of theta. */
static double on_cube(void *ctx, size_t slot, const double *x, double *grad)
{
    (void)slot; /* one search at a time: they share the scratch */
    posterior *p = ctx;
    double value;
    for (size_t i = 0; i < parameters(p); i++)
        p->theta[i] = p->low[i] + x[i] * (p->high[i] - p->low[i]);
    if (evaluate(p, p->theta, &value, grad, NULL) != TACIT_OK)
        return -INFINITY;
    for (size_t i = 0; grad != NULL && i < parameters(p); i++)
        grad[i] *= p->high[i] - p->low[i];
    return value;
}

static tacit_status set_box(posterior *p, const tc_gp_fit_opts *o, tacit_error *err)
{
    if (!(o->noise_min > 0.0 && o->noise_min < noise_max))
        return tc_fail(err, TACIT_E_ARG, "noise_min must be in (0, %g), got %g", noise_max,
                       o->noise_min);
    if (!(o->scale_min > 0.0 && o->scale_min < o->scale_max && isfinite(o->scale_max)))
        return tc_fail(err, TACIT_E_ARG, "length-scales need 0 < scale_min < scale_max, got %g, %g",
                       o->scale_min, o->scale_max);
    for (size_t i = 0; i < p->scales; i++) {
        p->low[i] = log(o->scale_min);
        p->high[i] = log(o->scale_max);
    }
    p->low[p->scales] = log(variance_min);
    p->high[p->scales] = log(variance_max);
    p->low[p->scales + 1] = log(o->noise_min);
    p->high[p->scales + 1] = log(noise_max);
    return TACIT_OK;
}

/* The place of ln(value) in the box, as a coordinate of the cube. */
static double coordinate(const posterior *p, size_t i, double log_value)
{
    return (log_value - p->low[i]) / (p->high[i] - p->low[i]);
}

/* Start 0 is the warm one, the others are draws from the prior; boxmax clamps them to the cube. */
static void make_starts(const posterior *p, const tc_gp_hyper *h, size_t n, tc_stream *s, double *X)
{
    size_t k = p->scales;
    for (size_t i = 0; i < k; i++)
        X[i] = coordinate(p, i, log(h->scale[i]));
    X[k] = coordinate(p, k, log(h->variance));
    X[k + 1] = coordinate(p, k + 1, log(h->noise));
    for (size_t j = 1; j < n; j++)
        for (size_t i = 0; i < parameters(p); i++) {
            const normal *prior = prior_of(p, i);
            double theta = prior->mean + prior->sd * tc_draw_normal(s);
            X[i + j * parameters(p)] = coordinate(p, i, theta);
        }
}

static void take_hyper(const posterior *p, const double *x, tc_gp_hyper *h)
{
    size_t k = p->scales;
    for (size_t d = 0; d < h->dim; d++) {
        size_t i = k == 1 ? 0 : d;
        h->scale[d] = exp(p->low[i] + x[i] * (p->high[i] - p->low[i]));
    }
    h->variance = exp(p->low[k] + x[k] * (p->high[k] - p->low[k]));
    h->noise = exp(p->low[k + 1] + x[k + 1] * (p->high[k + 1] - p->low[k + 1]));
}

static tacit_status search(posterior *p, const tc_gp_fit_opts *o, tc_gp_hyper *h, tc_stream *s,
                           tacit_error *err)
{
    size_t n = o->starts + 1, best;
    double *X = TC_TAKE(&p->arena, n * parameters(p), double);
    double *fx = TC_TAKE(&p->arena, n, double);
    if (p->arena.failed)
        return tc_fail_memory(err);
    make_starts(p, h, n, s, X);
    tc_boxmax box = {.dim = parameters(p),
                     .f = on_cube,
                     .ctx = p,
                     .max_evals = o->max_evals,
                     .ftol_rel = tolerance};
    TC_TRY(tc_boxmax_lbfgs(&box, n, X, fx, &best, err));
    if (!isfinite(fx[best]))
        return tc_fail(err, TACIT_E_NUMERIC,
                       "no hyper-parameters were found for which the covariance can be factored");
    take_hyper(p, X + best * parameters(p), h);
    return TACIT_OK;
}

tacit_status tc_gp_fit(tc_gp_hyper *h, const tc_gp_fit_opts *o, size_t n, const double *X,
                       size_t ldx, const double *y, tc_stream *s, tacit_error *err)
{
    posterior p;
    TC_TRY(posterior_init(&p, o, h->kind, h->dim, n, X, ldx, y, err));
    tacit_status status = set_box(&p, o, err);
    if (status == TACIT_OK)
        status = search(&p, o, h, s, err);
    tc_arena_fini(&p.arena);
    return status;
}

tacit_status tc_gp_fit_objective(const tc_gp_fit_opts *o, tc_kernel_kind kind, size_t dim, size_t n,
                                 const double *X, size_t ldx, const double *y, const double *theta,
                                 double *value, double *grad, tacit_error *err)
{
    posterior p;
    TC_TRY(posterior_init(&p, o, kind, dim, n, X, ldx, y, err));
    tacit_status status = evaluate(&p, theta, value, grad, err);
    tc_arena_fini(&p.arena);
    return status;
}
