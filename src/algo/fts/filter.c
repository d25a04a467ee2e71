/* filter.c - a linear filter for the mean of messages: see filter.h.
 *
 * A message is a posterior mean, which is shrunk towards 0 wherever its agent has seen little; a mean of messages
 * is shrunk as much. By how much is public, because the first points of agents lie all over the space. With Phi
 * the features of n such points, K = Phi Phi' + lambda I and y = Phi w + noise, let
 *     A = E[Phi'K^-1 Phi].
 * A message Phi'K^-1 y has the mean A w and, over designs and w ~ N(0, I), the covariance A. So the mean of N
 * messages is
 *     nu = A w + e,   cov(e) = (A - A^2)/N,
 * and w has the posterior mean A V^-1 nu and the covariance I - A V^-1 A, V = A^2 + cov(e). This is the filter of
 * dp-fts-de (docs/math.md) with one region and without noise. */
#include "algo/fts/filter.h"

#include "base/error.h"
#include "num/la.h"

#include <math.h>
#include <string.h>

/* V is kept away from 0 where there is no signal. */
#define FLOOR 1e-6

enum {
    POINTS_ALL = 2560, /* of all designs together */
    DESIGNS_LEAST = 8, /* though they may be large */
    POINTS_MOST = 256, /* of one: with more, A hardly changes */
    FEATURES_MOST = 2048
};

bool tc_fts_filter_applies(const tc_fts_core *c)
{
    return c->features->rff.M <= FEATURES_MOST;
}

/* ---- A ---- */

typedef struct design {
    size_t n;        /* points */
    double *Phi, *K; /* M x n, n x n */
    double *Z;       /* n x M */
    double *u;       /* dim */
} design;

/* The features of a uniform point. */
static void draw_point(const tc_fts_core *c, tc_stream *s, double *u, double *phi)
{
    const tc_features *f = c->features;
    const size_t M = f->rff.M, dim = c->env->space->dim;
    if (f->n > 0) {
        memcpy(phi, f->Phi + tc_draw_below(s, f->n) * M, M * sizeof *phi);
        return;
    }
    for (int tries = 0; tries < TC_SPACE_TRIES; tries++) {
        for (size_t d = 0; d < dim; d++)
            u[d] = tc_draw_uniform(s);
        if (tc_space_satisfied(c->env->space, u))
            break;
    }
    tc_rff_many(&f->rff, 1, u, 1, phi, M);
}

/* A += share Phi'K^-1 Phi, its lower triangle. */
static tacit_status add_design(const tc_fts_core *c, tc_stream *s, const design *d, double share,
                               double *A, tacit_error *err)
{
    const size_t M = c->features->rff.M, n = d->n;
    for (size_t j = 0; j < n; j++)
        draw_point(c, s, d->u, d->Phi + j * M);
    tc_syrk('T', n, M, 1, d->Phi, M, 0, d->K, n);
    for (size_t j = 0; j < n; j++)
        d->K[j * n + j] += c->opts->noise;
    TC_TRY(tc_chol(n, d->K, n, err));
    for (size_t m = 0; m < M; m++)
        for (size_t j = 0; j < n; j++)
            d->Z[m * n + j] = d->Phi[j * M + m];
    tc_solve_lower_many(n, M, d->K, n, d->Z, n);
    tc_syrk('T', M, n, share, d->Z, n, 1, A, M);
    return TACIT_OK;
}

static tacit_status fill(tc_fts_filter *f, const tc_fts_core *c, tc_arena *scratch,
                         tacit_error *err)
{
    const size_t M = f->M;
    const size_t n = c->opts->initial < POINTS_MOST ? (size_t)c->opts->initial : POINTS_MOST;
    const size_t many = POINTS_ALL / n, designs = many > DESIGNS_LEAST ? many : DESIGNS_LEAST;
    const design d = {n, TC_TAKE(scratch, M * n, double), TC_TAKE(scratch, n * n, double),
                      TC_TAKE(scratch, n * M, double),
                      TC_TAKE(scratch, c->env->space->dim, double)};
    tc_stream s;
    if (scratch->failed)
        return tc_fail_memory(err);
    tc_stream_public(&s, &c->env->public_seed, TC_FOR_FILTER, 0);
    for (size_t k = 0; k < designs; k++)
        TC_TRY(add_design(c, &s, &d, 1 / (double)designs, f->A, err));
    for (size_t m = 0; m < M; m++)
        for (size_t j = 0; j < m; j++)
            f->A[m * M + j] = f->A[j * M + m];
    for (size_t k = 0; k < TC_FTS_FILTER_POINTS; k++)
        draw_point(c, &s, d.u, f->Phi + k * M);
    return TACIT_OK;
}

tacit_status tc_fts_filter_new(tc_fts_filter **out, const tc_fts_core *c, tacit_error *err)
{
    const size_t M = c->features->rff.M;
    tc_arena scratch = {0};
    tc_fts_filter *f = tc_alloc(1, sizeof *f);
    if (!f)
        return tc_fail_memory(err);
    *f = (tc_fts_filter){.users = 1, .M = M};
    f->A = TC_TAKE(&f->memory, M * M, double);
    f->Phi = TC_TAKE(&f->memory, M * TC_FTS_FILTER_POINTS, double);
    tacit_status status = f->memory.failed ? tc_fail_memory(err) : tc_la_start(err);
    if (status == TACIT_OK)
        status = fill(f, c, &scratch, err);
    tc_arena_fini(&scratch);
    if (status == TACIT_OK)
        *out = f;
    else
        tc_fts_filter_unref(f);
    return status;
}

void tc_fts_filter_unref(tc_fts_filter *f)
{
    if (!f || --f->users > 0)
        return;
    tc_arena_fini(&f->memory);
    tc_free(f);
}

/* ---- a mean of messages ---- */

/* The mean over the space of phi'(I - A V^-1 A)phi, over that of phi'phi. L: the factor of V; R, v: scratch. */
static double share_left_open(const tc_fts_filter *f, const double *L, double *R, double *v)
{
    const size_t M = f->M;
    double left = 0, whole = 0;
    memcpy(R, f->A, M * M * sizeof *R);
    tc_solve_lower_many(M, M, L, M, R, M);
    for (size_t k = 0; k < TC_FTS_FILTER_POINTS; k++) {
        const double *phi = f->Phi + k * M;
        memset(v, 0, M * sizeof *v);
        tc_gemv('N', M, M, 1, R, M, phi, 1, v);
        whole += tc_dot(M, phi, phi);
        left += tc_dot(M, phi, phi) - tc_dot(M, v, v);
    }
    return fmin(1, fmax(0, left / whole));
}

static tacit_status apply(const tc_fts_filter *f, double count, tc_arena *scratch, double *w,
                          double *error, tacit_error *err)
{
    const size_t M = f->M;
    double *V = TC_TAKE(scratch, M * M, double), *R = TC_TAKE(scratch, M * M, double),
           *v = TC_TAKE(scratch, M, double);
    if (scratch->failed)
        return tc_fail_memory(err);
    tc_gemm('N', 'N', M, M, M, 1 - 1 / count, f->A, M, f->A, M, 0, V, M);
    tc_axpy(M * M, 1 / count, f->A, V);
    for (size_t m = 0; m < M; m++)
        V[m * M + m] += FLOOR;
    TC_TRY(tc_chol(M, V, M, err));
    memcpy(v, w, M * sizeof *v);
    tc_chol_solve(M, V, M, v);
    memset(w, 0, M * sizeof *w);
    tc_gemv('N', M, M, 1, f->A, M, v, 1, w);
    *error = share_left_open(f, V, R, v);
    return TACIT_OK;
}

tacit_status tc_fts_filter_apply(const tc_fts_filter *f, double count, double *w, double *error,
                                 tacit_error *err)
{
    tc_arena scratch = {0};
    tacit_status status = apply(f, count, &scratch, w, error, err);
    tc_arena_fini(&scratch);
    return status;
}
