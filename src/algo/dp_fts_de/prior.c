/* prior.c - absorb=prior: what was broadcast is the prior mean of the agent's own function.
 *
 *     f(x) = s m(x) + phi(x)'r^(i[x]),   m(x) = phi(x)'omega^(i[x]),
 *     s ~ N(1, 1/4),  r^(i) ~ N(0, v I),  y = f(x) + noise of variance lambda
 *
 * omega is the mean of all broadcasts so far: their noises are independent, and averaging them is
 * free. Each region has a residual r of its own, because each has a broadcast of its own: noise and
 * what M features cannot represent differ from region to region. s shrinks a broadcast that is
 * mostly noise and stretches one that is too timid. v is what agents may differ by, plus the error
 * of m; with v = 1/4 results are within their error of those with v chosen among four values.
 *
 * Whether m is used at all, the data decide. With C the covariance of y without s, the same model
 * with m and without it has, each with the scale of C that suits it best, -2 ln p(y) of
 *     n ln Q + ln(h/4) + const,  Q = (y - m)'C^-1(y - m) - (m'C^-1(y - m))^2/h,  h = 4 + m'C^-1m
 *     n ln(y'C^-1 y) + const
 * So m alone is judged: values of a small scale do not speak for it. Each query since the first
 * broadcast counts 1 against m, which a good one makes up for with every value that it foretells,
 * and one of chance soon does not. One that would have to be turned upside down, s < 0, is not used
 * either. Else, as with noise or agents unlike this one, the agent's own
 * model goes on as if nothing had been heard.
 *
 * Of a region with the observations Phi, y let Sigma = Phi'Phi + lambda/v I, nu = Sigma^-1 Phi'y and
 * u = Sigma^-1 omega. C has a block for each region, and the matrix inversion lemma says of it
 *     y'C^-1 m = nu'omega/v,   m'C^-1 m = (omega'omega - lambda/v omega'u)/v,
 * y'C^-1 y is the sum of squared surprises, each over its predictive variance. The posterior of the region's weights, given s, is
 *     omega s + r ~ N(nu + s lambda/v u, lambda Sigma^-1).
 * So there is a linear model for each region (num/blr.h) and one solve when omega or it changed; no
 * observation is looked at twice.
 *
 * Messages come from the agent's own model: data are never counted twice. All costs are O(M^2).
 * agent.c and trial.c call this. */
#include "algo/dp_fts_de/agent.h"

#include "base/error.h"
#include "num/normal.h"

#include <inttypes.h>
#include <math.h>

#define SPREAD    0.25 /* v */
#define CERTAINTY 4.0  /* the prior precision of s */

typedef tc_dp_fts_de_agent_state agent;
typedef tc_dp_fts_de_part part;

#define NUMBERS_MOST 0x1p27 /* 1 GB */

double tc_dp_fts_de_room(const tc_dp_fts_de_options *o)
{
    return o->absorb == TC_DP_FTS_DE_PRIOR ? NUMBERS_MOST : INFINITY;
}

tacit_status tc_dp_fts_de_check_room(const tc_dp_fts_de_options *o, tacit_error *err)
{
    const double M = (double)o->features, numbers = M * M * (double)tc_dp_fts_de_regions(o);
    if (o->regions == 0 || numbers <= tc_dp_fts_de_room(o))
        return TACIT_OK;
    return tc_fail(err, TACIT_E_ARG,
                   "features=%" PRId64 " in %zu regions would take up to %.0f MB for every agent "
                   "with absorb=prior; at most %.0f MB are allowed: take fewer of either, or "
                   "absorb=point",
                   o->features, tc_dp_fts_de_regions(o), ceil(numbers * 8e-6),
                   floor(NUMBERS_MOST * 8e-6));
}

/* How many normals the draw of one region's r needs. */
static size_t normals(size_t M)
{
    return M + M / 2;
}

tacit_status tc_dp_fts_de_prior_init(agent *a, tacit_error *err)
{
    tc_dp_fts_de_prior *p = &a->prior;
    size_t M = (size_t)a->opts->features, P = tc_dp_fts_de_regions(a->opts);
    p->parts = TC_TAKE(&a->memory, P, part);
    p->target = TC_TAKE(&a->memory, P * M, double);
    p->e = TC_TAKE(&a->memory, P * normals(M), double);
    p->spread = TC_TAKE(&a->memory, M, double);
    return a->memory.failed ? tc_fail_memory(err) : TACIT_OK;
}

void tc_dp_fts_de_prior_fini(agent *a)
{
    for (size_t i = 0; a->prior.parts && i < tc_dp_fts_de_regions(a->opts); i++)
        tc_blr_free(a->prior.parts[i].rest);
}

static double dot(size_t n, const double *x, const double *y)
{
    double sum = 0;
    for (size_t i = 0; i < n; i++)
        sum += x[i] * y[i];
    return sum;
}

/* ---- observations ---- */

/* A region gets its model with its first observation: most agents see few of them. */
tacit_status tc_dp_fts_de_prior_open(agent *a, size_t region, tacit_error *err)
{
    part *q = &a->prior.parts[region];
    size_t M = (size_t)a->opts->features;
    if (q->rest)
        return TACIT_OK;
    q->u = TC_TAKE(&a->memory, M, double);
    if (a->memory.failed)
        return tc_fail_memory(err);
    uint64_t expected = a->env->budget / tc_dp_fts_de_regions(a->opts);
    return tc_blr_new_borrowing(&q->rest, M, a->opts->noise / SPREAD,
                                a->env->space->domain ? expected : 0, err);
}

void tc_dp_fts_de_prior_tell(agent *a, const double *phi, size_t region, double y)
{
    part *q = &a->prior.parts[region];
    tc_blr_add(q->rest, phi, y);
    tc_blr_news news = tc_blr_latest(q->rest);
    q->fit_yy += news.off * news.off / (a->opts->noise * news.ratio);
    q->stale = true;
}

/* ---- broadcasts ---- */

void tc_dp_fts_de_prior_absorb(agent *a, const double *omega)
{
    tc_dp_fts_de_prior *p = &a->prior;
    size_t M = (size_t)a->opts->features, P = tc_dp_fts_de_regions(a->opts);
    if (p->broadcasts++ == 0)
        p->since = a->env->history->n;
    for (size_t i = 0; i < P * M; i++)
        a->omega[i] += (omega[i] - a->omega[i]) / (double)p->broadcasts;
    for (size_t i = 0; i < P; i++)
        p->parts[i].stale = true;
}

static void refresh(const agent *a, size_t i)
{
    part *q = &a->prior.parts[i];
    size_t M = (size_t)a->opts->features;
    const double *omega = a->omega + i * M;
    if (!q->rest || !q->stale)
        return;
    tc_blr_solve(q->rest, omega, q->u);
    q->fit_ym = dot(M, tc_blr_mean(q->rest), omega) / SPREAD;
    q->fit_mm = (dot(M, omega, omega) - a->opts->noise / SPREAD * dot(M, omega, q->u)) / SPREAD;
    q->stale = false;
}

/* ---- what to maximise ---- */

/* The posterior of s, and by how much the data are against m: used unless > 0. */
typedef struct verdict {
    double mean, variance, against;
} verdict;

static verdict judge(const agent *a)
{
    double yy = 0, ym = 0, mm = 0;
    for (size_t i = 0; i < tc_dp_fts_de_regions(a->opts); i++) {
        const part *q = &a->prior.parts[i];
        refresh(a, i);
        yy += q->fit_yy;
        ym += q->fit_ym;
        mm += q->fit_mm;
    }
    double h = CERTAINTY + mm, along = ym - mm, Q = yy - 2 * ym + mm - along * along / h;
    double n = (double)a->env->history->n, queries = n - (double)a->prior.since;
    return (verdict){.mean = 1 + along / h,
                     .variance = 1 / h,
                     .against = n > 0 ? n * log(Q / yy) + log(h / CERTAINTY) + queries : 0};
}

/* s m + r: its mean, or a draw made of standard normals e where that is not NULL. */
static void fill_region(agent *a, size_t i, double s, const double *e)
{
    const part *q = &a->prior.parts[i];
    size_t M = (size_t)a->opts->features;
    const double *omega = a->omega + i * M, *spread = e;
    double *w = a->prior.target + i * M;
    for (size_t m = 0; m < M && !q->rest; m++)
        w[m] = s * omega[m];
    if (q->rest) {
        const double *nu = tc_blr_mean(q->rest);
        const double along = s * (a->opts->noise / SPREAD);
        for (size_t m = 0; m < M; m++)
            w[m] = nu[m] + along * q->u[m];
    }
    if (q->rest && e) {
        tc_blr_spread(q->rest, e, a->prior.spread);
        spread = a->prior.spread;
    }
    for (size_t m = 0; m < M && e; m++)
        w[m] += sqrt(SPREAD) * spread[m];
}

const double *tc_dp_fts_de_prior_target(agent *a, uint64_t trial, bool draw)
{
    tc_dp_fts_de_prior *p = &a->prior;
    size_t M = (size_t)a->opts->features;
    verdict v = judge(a);
    tc_stream stream;
    if (v.against > 0 || v.mean <= 0)
        return NULL;
    double s = v.mean;
    if (draw) {
        tc_stream_keyed(&stream, &a->draws, trial);
        s += sqrt(v.variance) * tc_draw_normal(&stream);
        tc_normals(&stream, tc_dp_fts_de_regions(a->opts) * normals(M), p->e);
    }
    for (size_t i = 0; i < tc_dp_fts_de_regions(a->opts); i++)
        fill_region(a, i, s, draw ? p->e + i * normals(M) : NULL);
    return p->target;
}
