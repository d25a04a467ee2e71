/* blur.c - the kernel between released rows, and learning the one beneath it. See blur.h.
 *
 * Among distinct rows the own part cannot be told from noise in y. So the likelihood of theta =
 * (ln l, ln v, ln s2) is that of an ordinary kernel at
 *
 *     ln l' = 1/2 ln(l^2 + 2 s^2)    ln v' = ln v + ln c    s2' = s2 + v (1 - c)
 *     ln c  = sum_d (ln l_d - ln l'_d)
 *
 * which num/gp_fit.h computes, and the chain rule turns its gradient. The priors stand on theta. */
#include "algo/outsourced/blur.h"

#include "algo/outsourced/outsourced.h"
#include "base/error.h"
#include "base/memory.h"
#include "num/boxmax.h"

#include <math.h>
#include <string.h>

double tc_blur(const tc_gp_hyper *h, double sd, tc_gp_hyper *out)
{
    double *scale = out->scale, kept = 1;
    for (size_t d = 0; d < h->dim; d++) {
        double l = h->scale[d], wide = sqrt(l * l + 2 * sd * sd);
        kept *= l / wide;
        scale[d] = wide;
    }
    double variance = h->variance;
    *out = *h;
    out->scale = scale;
    out->variance = variance * kept;
    return variance * (1 - kept);
}

/* ---- the objective */

enum { MOST_SCALES = TC_RELEASED_COLUMNS_MAX, MOST_PARAMETERS = MOST_SCALES + 2 };

typedef struct blurring {
    size_t scales, each;           /* each: dimensions that share one length-scale */
    double theta[MOST_PARAMETERS]; /* of the kernel between released rows */
    double held[MOST_SCALES];      /* l^2 / l'^2: d ln l' / d ln l */
    double v, kept, s2;
} blurring;

static void blur_theta(blurring *b, const tc_gp_fit_opts *o, double sd, size_t dim,
                       const double *theta)
{
    double ln_kept = 0;
    b->scales = o->ard ? dim : 1;
    b->each = o->ard ? 1 : dim;
    for (size_t i = 0; i < b->scales; i++) {
        double square = exp(2 * theta[i]), wide = square + 2 * sd * sd;
        b->theta[i] = log(wide) / 2;
        b->held[i] = square / wide;
        ln_kept += (double)b->each * (theta[i] - b->theta[i]);
    }
    b->v = exp(theta[b->scales]);
    b->kept = exp(ln_kept);
    b->s2 = exp(theta[b->scales + 1]);
    b->theta[b->scales] = theta[b->scales] + ln_kept;
    b->theta[b->scales + 1] = log(b->s2 + b->v * (1 - b->kept));
}

/* From the gradient at b->theta to the one at theta, in place. */
static void chain(const blurring *b, double *grad)
{
    size_t k = b->scales;
    double by_v = grad[k], by_noise = grad[k + 1] / exp(b->theta[k + 1]); /* per unit of s2' */
    for (size_t i = 0; i < k; i++) {
        double lost = (double)b->each * (1 - b->held[i]); /* d ln c / d ln l */
        grad[i] = grad[i] * b->held[i] + by_v * lost - by_noise * b->v * b->kept * lost;
    }
    grad[k] = by_v + by_noise * b->v * (1 - b->kept);
    grad[k + 1] = by_noise * b->s2;
}

/* *value += sign * objective; with n = 0 that is the prior alone. */
static tacit_status add_objective(double sign, const tc_gp_fit_opts *o, size_t dim, size_t n,
                                  const double *X, size_t ldx, const double *y, const double *theta,
                                  double *value, double *grad, tacit_error *err)
{
    double part = 0, slope[MOST_PARAMETERS];
    size_t parameters = (o->ard ? dim : 1) + 2;
    TC_TRY(tc_gp_fit_objective(o, TC_KERNEL_SE, dim, n, X, ldx, y, theta, &part, slope, err));
    *value += sign * part;
    for (size_t i = 0; i < parameters; i++)
        grad[i] += sign * slope[i];
    return TACIT_OK;
}

tacit_status tc_blur_objective(const tc_gp_fit_opts *o, double sd, size_t dim, size_t n,
                               const double *X, size_t ldx, const double *y, const double *theta,
                               double *value, double *grad, tacit_error *err)
{
    blurring b;
    double sum = 0;
    if (dim == 0 || dim > MOST_SCALES)
        return tc_fail(err, TACIT_E_ARG, "rows have 1 to %d coordinates, got %zu", MOST_SCALES,
                       dim);
    blur_theta(&b, o, sd, dim, theta);
    memset(grad, 0, (b.scales + 2) * sizeof *grad);
    TC_TRY(add_objective(1, o, dim, n, X, ldx, y, b.theta, &sum, grad, err));
    TC_TRY(add_objective(-1, o, dim, 0, X, ldx, y, b.theta, &sum, grad, err));
    chain(&b, grad);
    TC_TRY(add_objective(1, o, dim, 0, X, ldx, y, theta, &sum, grad, err));
    *value = sum;
    return TACIT_OK;
}

/* ---- the fit */

/* y is standardised: far from any sane value. */
static const double variance_min = 1e-3, variance_max = 1e3, noise_max = 10;

typedef struct search {
    const tc_gp_fit_opts *o;
    double sd;
    size_t dim, n, ldx, parameters;
    const double *X, *y;
    double low[MOST_PARAMETERS], high[MOST_PARAMETERS];
    double grad[MOST_PARAMETERS];
} search;

static double theta_at(const search *s, size_t i, double place)
{
    return s->low[i] + place * (s->high[i] - s->low[i]);
}

/* boxmax searches the unit cube. */
static double on_cube(void *ctx, size_t slot, const double *x, double *grad)
{
    (void)slot; /* one search at a time */
    search *s = ctx;
    double theta[MOST_PARAMETERS] = {0}, value;
    for (size_t i = 0; i < s->parameters; i++)
        theta[i] = theta_at(s, i, x[i]);
    if (tc_blur_objective(s->o, s->sd, s->dim, s->n, s->X, s->ldx, s->y, theta, &value, s->grad,
                          NULL) != TACIT_OK)
        return -INFINITY;
    for (size_t i = 0; grad && i < s->parameters; i++)
        grad[i] = s->grad[i] * (s->high[i] - s->low[i]);
    return value;
}

static void set_box(search *s)
{
    size_t k = s->parameters - 2;
    for (size_t i = 0; i < k; i++) {
        s->low[i] = log(s->o->scale_min);
        s->high[i] = log(s->o->scale_max);
    }
    s->low[k] = log(variance_min);
    s->high[k] = log(variance_max);
    s->low[k + 1] = log(s->o->noise_min);
    s->high[k + 1] = log(fmax(noise_max, 2 * s->o->noise_min));
}

/* Start 0 is the warm one; the others are uniform on the box. */
static void make_starts(const search *s, const tc_gp_hyper *h, tc_stream *stream, double *X)
{
    size_t k = s->parameters - 2;
    for (size_t i = 0; i < s->parameters; i++) {
        double warm = i < k ? h->scale[i] : i == k ? h->variance : h->noise;
        X[i] = (log(warm) - s->low[i]) / (s->high[i] - s->low[i]);
    }
    for (size_t j = s->parameters; j < (1 + s->o->starts) * s->parameters; j++)
        X[j] = tc_draw_uniform(stream);
}

static void take_hyper(const search *s, const double *x, tc_gp_hyper *h)
{
    size_t k = s->parameters - 2;
    for (size_t d = 0; d < h->dim; d++)
        h->scale[d] = exp(theta_at(s, k == 1 ? 0 : d, x[k == 1 ? 0 : d]));
    h->variance = exp(theta_at(s, k, x[k]));
    h->noise = exp(theta_at(s, k + 1, x[k + 1]));
}

static tacit_status climb(search *s, tc_gp_hyper *h, tc_stream *stream, tacit_error *err)
{
    size_t starts = 1 + s->o->starts, best = 0;
    double *X = tc_alloc(starts * (s->parameters + 1), sizeof *X);
    if (!X)
        return tc_fail_memory(err);
    double *fx = X + starts * s->parameters;
    make_starts(s, h, stream, X);
    tc_boxmax p = {.dim = s->parameters,
                   .f = on_cube,
                   .ctx = s,
                   .max_evals = s->o->max_evals,
                   .ftol_rel = 1e-5};
    tacit_status status = tc_boxmax_lbfgs(&p, starts, X, fx, &best, err);
    if (status == TACIT_OK && !isfinite(fx[best]))
        status = tc_fail(err, TACIT_E_NUMERIC, "no covariance of the rows could be factored");
    if (status == TACIT_OK)
        take_hyper(s, X + best * s->parameters, h);
    tc_free(X);
    return status;
}

tacit_status tc_blur_fit(tc_gp_hyper *h, const tc_gp_fit_opts *o, double sd, size_t n,
                         const double *X, size_t ldx, const double *y, tc_stream *s,
                         tacit_error *err)
{
    if (h->dim == 0 || h->dim > MOST_SCALES)
        return tc_fail(err, TACIT_E_ARG, "rows have 1 to %d coordinates, got %zu", MOST_SCALES,
                       h->dim);
    search *made = tc_alloc(1, sizeof *made);
    if (!made)
        return tc_fail_memory(err);
    *made = (search){.o = o,
                     .sd = sd,
                     .dim = h->dim,
                     .n = n,
                     .ldx = ldx,
                     .X = X,
                     .y = y,
                     .parameters = (o->ard ? h->dim : 1) + 2};
    set_box(made);
    tacit_status status = climb(made, h, s, err);
    tc_free(made);
    return status;
}
