/* model.c - the shared Gaussian-process model: following the history. See model.h.
 * Fitting is in model_fit.c. */
#include "algo/single/model.h"

#include "algo/single/given.h"
#include "base/error.h"
#include "base/memory.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static tacit_status make_given(tc_model *m, tacit_error *err)
{
    const double *K;
    TC_TRY(tc_given_covariance(m->env->space, &K, err));
    TC_TRY(tc_model_rows_init(m, err));
    return tc_fgp_new_given(&m->fgp, m->env->space->domain->n, K, m->env->pool, err);
}

static tacit_status make_gp(tc_model *m, bool candidates, tacit_error *err)
{
    const tc_space *s = m->env->space;
    if (m->opts->kernel == TC_MODEL_GIVEN)
        return make_given(m, err);
    if (!s->domain || !candidates)
        return tc_gp_new(&m->gp, s->dim, err);
    const tc_domain *d = s->domain;
    TC_TRY(tc_model_rows_init(m, err));
    return tc_fgp_new(&m->fgp, d->n, d->dim, d->u, d->axes, m->env->pool, err);
}

tacit_status tc_model_init(tc_model *m, const tc_env *env, const tc_model_opts *opts,
                           bool candidates, tacit_error *err)
{
    size_t dim = env->space->dim;
    m->env = env;
    m->opts = opts;
    m->scale = tc_alloc(dim, sizeof *m->scale);
    m->x = tc_alloc(dim, sizeof *m->x);
    m->closed = tc_alloc(env->space->domain ? env->space->domain->n : 1, 1);
    if (!m->scale || !m->x || !m->closed)
        return tc_fail_memory(err);
    for (size_t d = 0; d < dim; d++)
        m->scale[d] = opts->lengthscale;
    bool given = opts->kernel == TC_MODEL_GIVEN; /* then no kind counts */
    m->hyper = (tc_gp_hyper){.kind = given ? TC_KERNEL_SE : (tc_kernel_kind)opts->kernel,
                             .dim = dim,
                             .variance = opts->variance,
                             .noise = fmax(opts->noise, TC_MODEL_LEAST_NOISE * opts->variance),
                             .scale = m->scale};
    m->fresh = true;
    m->bound = INFINITY;
    tc_design_init(&m->design, env);
    return make_gp(m, candidates, err);
}

void tc_model_fini(tc_model *m)
{
    tc_gp_free(m->gp);
    tc_fgp_free(m->fgp);
    tc_model_rows_fini(m);
    tc_free(m->scale);
    tc_free(m->x);
    tc_free(m->z);
    tc_free(m->known);
    tc_free(m->closed);
}

/* As many points as make a first fit meaningful, a few more in high dimension. */
static uint64_t init_points(const tc_model *m)
{
    if (m->opts->init > 0)
        return (uint64_t)m->opts->init;
    uint64_t by_dim = 2 * (uint64_t)m->env->space->n_params + 2;
    return by_dim < 6 ? 6 : by_dim > 30 ? 30 : by_dim;
}

bool tc_model_ready(const tc_model *m)
{
    return m->env->history->n >= init_points(m);
}

/* ---- following the history ---- */

static int falling(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x < y) - (x > y);
}

/* Programs return 1e30 for "this crashed". One such value among the others would leave no
 * difference between them after scaling. So values far below the first ones are raised: below
 * the best of the first observations by 10,000 times its distance to their upper quartile (or to
 * the next lower value). Only the first ones count: a search that has converged has no spread. */
static double floor_of(tc_model *m)
{
    const tc_history *h = m->env->history;
    size_t n = h->n < init_points(m) ? h->n : (size_t)init_points(m);
    double *sorted = m->z; /* room for all; filled only afterwards */
    memcpy(sorted, h->y, n * sizeof *sorted);
    qsort(sorted, n, sizeof *sorted, falling);
    size_t quartile = n / 4;
    while (quartile < n && sorted[quartile] == sorted[0])
        quartile++;
    if (quartile == n)
        return -INFINITY;
    return fmin(sorted[0], m->bound) - 1e4 * (sorted[0] - sorted[quartile]);
}

/* The variance of n values without the noise that they carry, of which the mean variance is known. That of n values is
 * known to sqrt(2/n) of itself: a remainder below that says nothing (docs/math.md, "Noise that is known"). */
static double without_noise(double variance, double noise, size_t n)
{
    return fmax(variance - noise, variance * fmin(1, sqrt(2 / (double)n)));
}

static double mean_noise(const tc_model *m, size_t n)
{
    double sum = 0;
    for (size_t i = 0; i < n; i++)
        sum += tc_history_noise(m->env->history, i) / (double)n;
    return sum;
}

/* z becomes (z - mean)/sd over its first n values, in units of its largest magnitude: nothing overflows or
 * vanishes. part: what of a value is in z. */
static void scale(tc_model *m, size_t n, double part)
{
    const size_t all = m->env->history->n;
    double largest = 0, sum = 0, squares = 0;
    for (size_t i = 0; i < all; i++)
        largest = fmax(largest, fabs(m->z[i]));
    if (largest == 0)
        return;
    for (size_t i = 0; i < n; i++)
        sum += m->z[i] / largest;
    double mean = sum / (double)n;
    for (size_t i = 0; i < n; i++)
        squares += (m->z[i] / largest - mean) * (m->z[i] / largest - mean);
    double variance = squares / (double)n;
    if (m->noisy)
        variance =
            without_noise(variance, mean_noise(m, n) * (part / largest) * (part / largest), n);
    double sd = sqrt(variance);
    if (sd == 0)
        sd = 1;
    for (size_t i = 0; i < all; i++)
        m->z[i] = (m->z[i] / largest - mean) / sd;
    m->mean = mean * largest;
    m->sd = sd * largest;
}

size_t tc_model_anchors(const tc_model *m)
{
    const tc_history *h = m->env->history;
    if (m->anchors > h->n)
        return 0;
    for (size_t i = 1; i < m->anchors; i++)
        if (h->y[i] != h->y[0])
            return m->anchors;
    return 0;
}

/* By the differences to the first value: a level that is exact in floating point leaves the bits as they are. Halves do
 * not overflow. */
static void scale_differences(tc_model *m, size_t n)
{
    const double first = m->z[0];
    for (size_t i = 0; i < m->env->history->n; i++)
        m->z[i] = m->z[i] / 2 - first / 2;
    scale(m, n, 0.5);
    m->mean = first + 2 * m->mean;
    m->sd *= 2;
}

/* Trials that run are taken to be as noisy as the last one that came back. */
static void set_known(tc_model *m)
{
    const tc_history *h = m->env->history;
    for (size_t i = 0; m->noisy && i < h->n + h->n_taken; i++)
        m->known[i] = i < h->n ? tc_history_noise(h, i) / m->sd / m->sd : m->known[h->n - 1];
}

static bool is_noisy(const tc_history *h)
{
    size_t i = 0;
    while (i < h->n && tc_history_noise(h, i) == 0)
        i++;
    return i < h->n;
}

static tacit_status standardise(tc_model *m, size_t n, tacit_error *err)
{
    const tc_history *h = m->env->history;
    m->noisy = is_noisy(h);
    if (!tc_grow((void **)&m->z, &m->z_cap, h->n + h->n_taken, sizeof *m->z) ||
        (m->noisy &&
         !tc_grow((void **)&m->known, &m->known_cap, h->n + h->n_taken, sizeof *m->known)))
        return tc_fail_memory(err);
    m->mean = 0;
    m->sd = 1;
    const double least = m->opts->standardize && h->n > 0 ? floor_of(m) : -INFINITY;
    for (size_t i = 0; i < h->n; i++)
        m->z[i] = fmax(h->y[i], least);
    if (m->opts->standardize && m->anchors > 0 && h->n > 0)
        scale_differences(m, n);
    else if (m->opts->standardize)
        scale(m, n, 1);
    set_known(m);
    return TACIT_OK;
}

tacit_status tc_model_standardise(tc_model *m, tacit_error *err)
{
    return standardise(m, m->env->history->n, err);
}

tacit_status tc_model_standardise_by_anchors(tc_model *m, tacit_error *err)
{
    const size_t n = tc_model_anchors(m);
    return standardise(m, n > 0 ? n : m->env->history->n, err);
}

void tc_model_follow(tc_model *m, const tc_model *leader, double ratio)
{
    const double variance = ratio * leader->hyper.variance;
    const double noise = fmax(leader->hyper.noise, TC_MODEL_LEAST_NOISE * variance);
    const size_t size = leader->hyper.dim * sizeof *m->scale;
    if (m->fit_n == leader->fit_n && m->hyper.variance == variance && m->hyper.noise == noise &&
        memcmp(m->scale, leader->scale, size) == 0)
        return;
    memcpy(m->scale, leader->scale, size);
    m->hyper.variance = variance;
    m->hyper.noise = noise;
    m->fit_n = leader->fit_n;
    m->fresh = true;
}

/* Noise that is known is so in the unit of values, which changes with every value: then all is factored at once. */
static bool units_move(const tc_model *m)
{
    return m->noisy && m->opts->standardize;
}

static tacit_status restart(tc_model *m, tacit_error *err)
{
    const tc_history *h = m->env->history;
    if (m->fgp) {
        TC_TRY(tc_model_rows_restart(m, units_move(m) ? h->n : m->fit_n, err));
    } else {
        const size_t n = units_move(m) ? h->n : m->fit_n;
        const double *known = m->noisy ? m->known : NULL;
        TC_TRY(tc_gp_reset_known(m->gp, &m->hyper, n, h->U, h->ld, known, err));
        m->n = n;
    }
    m->fresh = false;
    return TACIT_OK;
}

/* Appends one point of a set (n x dim, column-major) to the factor. noise: beside the fitted one. */
static tacit_status push(tc_model *m, const double *U, size_t ld, size_t i, size_t point,
                         double noise, tacit_error *err)
{
    if (m->fgp)
        return noise > 0 ? tc_fgp_push_noise(m->fgp, point, m->hyper.noise + noise, err)
                         : tc_fgp_push(m->fgp, point, err);
    for (size_t d = 0; d < m->hyper.dim; d++)
        m->x[d] = U[i + d * ld];
    return tc_gp_push_known(m->gp, m->x, noise, err);
}

static tacit_status observe(tc_model *m, size_t i, tacit_error *err)
{
    const tc_history *h = m->env->history;
    return m->fgp ? tc_model_rows_observe(m, i, err)
                  : push(m, h->U, h->ld, i, 0, tc_model_noise(m, i), err);
}

static void set_targets(tc_model *m)
{
    if (!m->fgp)
        tc_gp_targets(m->gp, m->z);
    else if (m->opts->standardize || m->noisy)
        tc_model_rows_targets(m, m->n, m->z);
}

tacit_status tc_model_sync(tc_model *m, tacit_error *err)
{
    const tc_history *h = m->env->history;
    TC_TRY(tc_model_standardise(m, err));
    if (m->fresh || (units_move(m) && m->n < h->n))
        TC_TRY(restart(m, err));
    while (m->n < h->n) {
        TC_TRY(observe(m, m->n, err));
        m->n++;
    }
    set_targets(m);
    return TACIT_OK;
}

/* Beliefs are added anew at every ask; a study with thousands of failures must not pay for all. */
enum { MOST_BELIEVED = 128 };

size_t tc_model_first_believed(const tc_history *h)
{
    return h->n_taken > MOST_BELIEVED ? h->n_taken - MOST_BELIEVED : 0;
}

/* The mean at a point that came back with its mean does not change, so the
 * candidates' means stand; the exact GP needs the targets it pretends to have. */
tacit_status tc_model_believe(tc_model *m, tacit_error *err)
{
    const tc_history *h = m->env->history;
    const size_t first = tc_model_first_believed(h);
    if (h->n_taken == 0)
        return TACIT_OK;
    if (m->fgp)
        TC_TRY(tc_fgp_mark(m->fgp, err));
    else
        TC_TRY(tc_gp_predict_many(m->gp, h->n_taken - first, h->taken + first, h->taken_ld,
                                  m->z + h->n, NULL, err));
    for (size_t i = first; i < h->n_taken; i++)
        TC_TRY(
            push(m, h->taken, h->taken_ld, i, h->taken_point[i], tc_model_noise(m, h->n + i), err));
    if (m->gp)
        tc_gp_targets(m->gp, m->z);
    return TACIT_OK;
}

void tc_model_forget(tc_model *m)
{
    if (m->gp)
        tc_gp_truncate(m->gp, m->n);
    else if (tc_fgp_size(m->fgp) > m->rows.n)
        tc_fgp_restore(m->fgp);
}

/* For the exact GP, K a + (s2 + known + jitter) a = z gives the means at the observed points in O(n). */
double tc_model_mean(const tc_model *m, size_t i)
{
    if (m->fgp)
        return tc_fgp_mean(m->fgp)[m->env->history->point[i]];
    const double diagonal = m->hyper.noise + tc_gp_jitter(m->gp);
    return m->z[i] - (diagonal + tc_model_noise(m, i)) * tc_gp_weights(m->gp)[i];
}

double tc_model_incumbent(const tc_model *m)
{
    double best = -INFINITY;
    for (size_t i = 0; i < m->n; i++)
        best = fmax(best, tc_model_mean(m, i));
    return best;
}

double tc_model_next_noise(const tc_model *m)
{
    return m->noisy ? m->hyper.noise + m->known[m->env->history->n - 1] : 0;
}

/* ---- repeats ---- */

bool tc_model_repeats(const tc_model *m)
{
    if (m->opts->repeat == TC_REPEAT_AUTO)
        return m->env->space->domain != NULL;
    return m->opts->repeat == TC_REPEAT_YES;
}

const unsigned char *tc_model_close(tc_model *m)
{
    const tc_history *h = m->env->history;
    size_t n = m->env->space->domain->n, closed = 0;
    memset(m->closed, 0, n);
    for (size_t i = 0; i < h->n_taken; i++)
        m->closed[h->taken_point[i]] = 1;
    if (!tc_model_repeats(m))
        for (size_t i = 0; i < h->n; i++)
            m->closed[h->point[i]] = 1;
    for (size_t j = 0; j < n; j++)
        closed += m->closed[j];
    if (closed == n)
        memset(m->closed, 0, n);
    return m->closed;
}

bool tc_model_known(const tc_model *m, const double *u)
{
    const tc_history *h = m->env->history;
    return tc_among(u, h->n, h->dim, h->U, h->ld) ||
           tc_among(u, h->n_taken, h->dim, h->taken, h->taken_ld);
}
