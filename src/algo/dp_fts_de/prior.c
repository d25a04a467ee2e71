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
 * Whether m is used at all, the data decide: with C the covariance of y without s,
 *     -2 ln p(y) = (y - m)'C^-1(y - m) + ln det C - (m'C^-1(y - m))^2/h + ln(h/4),  h = 4 + m'C^-1m
 * is compared with the same for the agent's own model, and the likelier one is used. So a broadcast
 * of noise, or of agents unlike this one, is left aside.
 *
 * Messages come from the agent's own model: data are never counted twice. All costs are O(M^2) an
 * observation; only a new broadcast looks at the whole history, O(t M). agent.c and trial.c call
 * this. */
#include "algo/dp_fts_de/agent.h"

#include "base/error.h"
#include "num/la.h"
#include "space/partition.h"

#include <math.h>
#include <string.h>

#define SPREAD    0.25 /* v */
#define CERTAINTY 4.0  /* the prior precision of s */

typedef tc_de_agent_state agent;
typedef tc_de_part part;

tacit_status tc_de_prior_init(agent *a, tacit_error *err)
{
    tc_de_prior *p = &a->prior;
    size_t M = (size_t)a->opts->features, P = tc_de_regions(a->opts);
    TC_TRY(tc_la_start(err));
    p->parts = TC_TAKE(&a->memory, P, part);
    p->target = TC_TAKE(&a->memory, P * M, double);
    p->phi = TC_TAKE(&a->memory, M, double);
    p->a = TC_TAKE(&a->memory, M, double);
    p->b = TC_TAKE(&a->memory, M, double);
    p->u = TC_TAKE(&a->memory, a->env->space->dim, double);
    return a->memory.failed ? tc_fail_memory(err) : TACIT_OK;
}

/* ---- observations ---- */

/* A region gets its factor with its first observation: most agents see few of them. */
static tacit_status open_part(agent *a, part *q, tacit_error *err)
{
    size_t M = (size_t)a->opts->features;
    double *L = TC_TAKE(&a->memory, M * M, double);
    q->with_y = TC_TAKE(&a->memory, M, double);
    q->with_m = TC_TAKE(&a->memory, M, double);
    if (a->memory.failed)
        return tc_fail_memory(err);
    for (size_t i = 0; i < M; i++)
        L[i + i * M] = sqrt(a->opts->noise / SPREAD);
    q->L = L;
    return TACIT_OK;
}

static void add_mean(agent *a, part *q, const double *phi, const double *omega, double y)
{
    size_t M = (size_t)a->opts->features;
    double m = tc_dot(M, phi, omega);
    tc_axpy(M, m, phi, q->with_m);
    q->ym += y * m;
    q->mm += m * m;
}

/* x'C^-1 y for x and y among the observations and their prior means: by the matrix inversion
 * lemma, (x'y - (L^-1 Phi'x)'(L^-1 Phi'y))/lambda. */
static void assess(agent *a, part *q)
{
    tc_de_prior *p = &a->prior;
    size_t M = (size_t)a->opts->features;
    double lambda = a->opts->noise;
    memcpy(p->a, q->with_y, M * sizeof *p->a);
    memcpy(p->b, q->with_m, M * sizeof *p->b);
    tc_solve_lower(M, q->L, M, p->a);
    tc_solve_lower(M, q->L, M, p->b);
    q->fit_yy = (q->yy - tc_dot(M, p->a, p->a)) / lambda;
    q->fit_ym = (q->ym - tc_dot(M, p->a, p->b)) / lambda;
    q->fit_mm = (q->mm - tc_dot(M, p->b, p->b)) / lambda;
    q->logdet = tc_chol_logdet(M, q->L, M) - (double)M * log(lambda / SPREAD);
}

/* Before the agent's own model has it: its surprise is -2 ln p(y | what it knew), up to
 * ln(2 pi lambda), so that the sum is that of all observations. */
static void add_surprise(agent *a, const double *phi, double y)
{
    size_t M = (size_t)a->opts->features;
    double lambda = a->opts->noise;
    double off = y - tc_dot(M, phi, tc_blr_mean(a->model));
    double variance = lambda + tc_blr_variance(a->model, phi, a->prior.a);
    a->prior.alone += off * off / variance + log(variance / lambda);
}

tacit_status tc_de_prior_tell(agent *a, const double *phi, size_t region, double y,
                              tacit_error *err)
{
    part *q = &a->prior.parts[region];
    size_t M = (size_t)a->opts->features;
    if (!q->L)
        TC_TRY(open_part(a, q, err));
    add_surprise(a, phi, y);
    memcpy(a->prior.a, phi, M * sizeof *phi);
    tc_chol_update(M, q->L, M, a->prior.a);
    tc_axpy(M, y, phi, q->with_y);
    q->yy += y * y;
    if (a->prior.broadcasts > 0)
        add_mean(a, q, phi, a->omega + region * M, y);
    assess(a, q);
    return TACIT_OK;
}

/* ---- broadcasts ---- */

static void forget_means(agent *a)
{
    for (size_t i = 0; i < tc_de_regions(a->opts); i++) {
        part *q = &a->prior.parts[i];
        if (q->L)
            memset(q->with_m, 0, (size_t)a->opts->features * sizeof *q->with_m);
        q->ym = q->mm = 0;
    }
}

void tc_de_prior_absorb(agent *a, const double *omega)
{
    tc_de_prior *p = &a->prior;
    const tc_history *h = a->env->history;
    size_t M = (size_t)a->opts->features, P = tc_de_regions(a->opts);
    p->broadcasts++;
    for (size_t i = 0; i < P * M; i++)
        a->omega[i] += (omega[i] - a->omega[i]) / (double)p->broadcasts;
    forget_means(a);
    for (size_t i = 0; i < h->n; i++) {
        size_t region = tc_de_observed(a, i, p->u, p->phi);
        add_mean(a, &p->parts[region], p->phi, a->omega + region * M, tc_de_value(a, i));
    }
    for (size_t i = 0; i < P; i++)
        if (p->parts[i].L)
            assess(a, &p->parts[i]);
}

/* ---- what to maximise ---- */

/* The posterior of s, and how much likelier than it the own model is: > 0 if it is. */
typedef struct verdict {
    double mean, variance, own;
} verdict;

static verdict judge(const agent *a)
{
    double yy = 0, ym = 0, mm = 0, logdet = 0;
    for (size_t i = 0; i < tc_de_regions(a->opts); i++) {
        const part *q = &a->prior.parts[i];
        yy += q->fit_yy;
        ym += q->fit_ym;
        mm += q->fit_mm;
        logdet += q->logdet;
    }
    double h = CERTAINTY + mm, along = ym - mm, rest = yy - 2 * ym + mm;
    double together = rest - along * along / h + logdet + log(h / CERTAINTY);
    return (verdict){.mean = 1 + along / h, .variance = 1 / h, .own = together - a->prior.alone};
}

/* s m + r: the mean of r, and `draw` standard normals to make it a draw (or NULL). */
static void fill_region(agent *a, size_t i, double s, const double *draw)
{
    const part *q = &a->prior.parts[i];
    size_t M = (size_t)a->opts->features;
    double *w = a->prior.target + i * M;
    memset(w, 0, M * sizeof *w);
    if (q->L) {
        tc_axpy(M, 1, q->with_y, w);
        tc_axpy(M, -s, q->with_m, w);
        tc_solve_lower(M, q->L, M, w);
    }
    if (draw)
        tc_axpy(M, q->L ? sqrt(a->opts->noise) : sqrt(SPREAD), draw, w);
    if (q->L)
        tc_solve_lower_t(M, q->L, M, w);
    tc_axpy(M, s, a->omega + i * M, w);
}

const double *tc_de_prior_target(agent *a, uint64_t trial, bool draw)
{
    tc_de_prior *p = &a->prior;
    size_t M = (size_t)a->opts->features;
    verdict v = judge(a);
    tc_stream stream;
    if (v.own > 0)
        return NULL;
    double s = v.mean;
    if (draw) {
        tc_stream_keyed(&stream, &a->draws, trial);
        s += sqrt(v.variance) * tc_draw_normal(&stream);
        tc_draw_normals(&stream, M, p->a);
    }
    for (size_t i = 0; i < tc_de_regions(a->opts); i++)
        fill_region(a, i, s, draw ? p->a : NULL);
    return p->target;
}
