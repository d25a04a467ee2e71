/* peer.c - the posterior of one agent: made from observations, or read from a message, and asked for
 * means phi'nu and variances lambda phi'Sigma^-1 phi (section 2 of the FTS paper, equation 3). */
#include "algo/fts/peers.h"

#include "base/error.h"
#include "num/la.h"

#include <math.h>
#include <string.h>

static size_t width(const tc_peers *p)
{
    return p->core.features->rff.M;
}

size_t tc_peers_triangle(const tc_peers *p)
{
    return width(p) * (width(p) + 1) / 2;
}

/* The largest posterior mean at an observed point. */
static double best_mean(const tc_peers *p)
{
    const size_t n = p->core.env->history->n;
    double best = -INFINITY;
    for (size_t i = 0; i < n; i++)
        best = fmax(best, tc_dot(width(p), tc_fts_phi(&p->core, i, p->phi), p->numbers + 1));
    return best;
}

static bool noisy(const tc_peers *p)
{
    const tc_history *h = p->core.env->history;
    size_t i = 0;
    while (i < h->n && tc_history_noise(h, i) == 0)
        i++;
    return i < h->n;
}

/* The largest of noisy values is mostly a lucky one: there the best mean is taken. */
double tc_peers_best(const tc_peers *p, const double *z)
{
    size_t n = p->core.env->history->n;
    if (noisy(p))
        return best_mean(p);
    double best = n > 0 ? tc_fts_value(&p->core, z, 0) : 0;
    for (size_t i = 1; i < n; i++)
        best = fmax(best, tc_fts_value(&p->core, z, i));
    return best;
}

/* A = Phi'Phi + lambda I (lower triangle), nu = Phi'y, each observation by its weight */
static void add_up(const tc_peers *p, const double *z, double *nu)
{
    size_t M = width(p);
    memset(p->A, 0, M * M * sizeof *p->A);
    memset(nu, 0, M * sizeof *nu);
    for (size_t i = 0; i < M; i++)
        p->A[i + i * M] = p->core.opts->noise;
    for (size_t i = 0; i < p->core.env->history->n; i++) {
        const double weight = tc_fts_weight(&p->core, i);
        const double *phi = tc_fts_weighed(&p->core, weight, tc_fts_phi(&p->core, i, p->phi));
        tc_axpy(M, weight * tc_fts_value(&p->core, z, i), phi, nu);
        for (size_t j = 0; j < M; j++)
            tc_axpy(M - j, phi[j], phi + j, p->A + j + j * M);
    }
}

tacit_status tc_peers_factor(const tc_peers *p, const double *z, tacit_error *err)
{
    add_up(p, z, p->numbers + 1);
    return tc_chol(width(p), p->A, width(p), err);
}

tacit_status tc_peers_compose(const tc_peers *p, tacit_error *err)
{
    size_t M = width(p);
    double *nu = p->numbers + 1, *S = nu + M;
    const double *z;
    TC_TRY(tc_fts_standardise(&p->core, &z, err));
    TC_TRY(tc_peers_factor(p, z, err));
    tc_chol_solve(M, p->A, M, nu);
    tc_chol_inverse(M, p->A, M);
    for (size_t j = 0; j < M; S += M - j, j++)
        memcpy(S, p->A + j + j * M, (M - j) * sizeof *S);
    p->numbers[0] = tc_peers_best(p, z);
    return TACIT_OK;
}

/* ---- as tables over the candidates ---- */

static void unpack(size_t M, const double *S, double *A)
{
    for (size_t j = 0; j < M; j++)
        for (size_t i = j; i < M; i++)
            A[i + j * M] = A[j + i * M] = *S++;
}

/* Rounding may take a variance below 0, and so may a message that is no covariance. */
static void tabulate_variances(const tc_peers *p, const double *S, double *var)
{
    const tc_features *f = p->core.features;
    size_t M = f->rff.M;
    unpack(M, S, p->A);
    for (size_t from = 0; from < f->n; from += TC_PEERS_BLOCK) {
        size_t n = f->n - from < TC_PEERS_BLOCK ? f->n - from : TC_PEERS_BLOCK;
        const double *Phi = f->Phi + from * M;
        tc_gemm('N', 'N', M, n, M, p->core.opts->noise, p->A, M, Phi, M, 0, p->product, M);
        for (size_t i = 0; i < n; i++)
            var[from + i] = fmax(tc_dot(M, Phi + i * M, p->product + i * M), 0);
    }
}

static tacit_status take_tables(const tc_peers *p, tc_peer *q, tacit_error *err)
{
    const tc_features *f = p->core.features;
    size_t M = f->rff.M;
    q->memory = tc_alloc(q->certain ? f->n : 2 * f->n, sizeof *q->memory);
    if (!q->memory)
        return tc_fail_memory(err);
    q->mean = q->memory;
    q->var = q->certain ? NULL : q->mean + f->n;
    tc_gemv('T', M, f->n, 1, f->Phi, M, p->numbers + 1, 0, q->mean);
    if (q->var)
        tabulate_variances(p, p->numbers + 1 + M, q->var);
    return TACIT_OK;
}

static tacit_status take_weights(const tc_peers *p, tc_peer *q, tacit_error *err)
{
    size_t M = width(p), triangle = q->certain ? 0 : tc_peers_triangle(p);
    q->memory = tc_alloc(M + triangle, sizeof *q->memory);
    if (!q->memory)
        return tc_fail_memory(err);
    memcpy(q->memory, p->numbers + 1, (M + triangle) * sizeof *q->memory);
    q->nu = q->memory;
    q->S = q->nu + M;
    return TACIT_OK;
}

tacit_status tc_peers_make(const tc_peers *p, bool certain, tc_peer *out, tacit_error *err)
{
    tc_peer made = {.best = p->numbers[0], .certain = certain};
    TC_TRY(p->core.features->n > 0 ? take_tables(p, &made, err) : take_weights(p, &made, err));
    *out = made;
    return TACIT_OK;
}

void tc_peer_drop(tc_peer *q)
{
    if (!q->borrowed)
        tc_free(q->memory);
}

tacit_status tc_peers_take(tc_peers *p, uint64_t party, bool certain, tacit_error *err)
{
    tc_peer made;
    TC_TRY(tc_peers_make(p, certain, &made, err));
    tc_peer_drop(&p->peer[party]);
    p->peer[party] = made;
    return TACIT_OK;
}

/* ---- questions ---- */

double tc_peer_mean(const tc_peer *q, size_t M, const double *phi)
{
    return tc_dot(M, q->nu, phi);
}

double tc_peer_variance(const tc_peers *p, const tc_peer *q, const double *phi, double *Sphi)
{
    size_t M = width(p);
    const double *S = q->S;
    memset(Sphi, 0, M * sizeof *Sphi);
    if (q->certain)
        return 0;
    for (size_t j = 0; j < M; S += M - j, j++) {
        Sphi[j] += tc_dot(M - j, S, phi + j);
        tc_axpy(M - j - 1, phi[j], S + 1, Sphi + j + 1);
    }
    return fmax(p->core.opts->noise * tc_dot(M, phi, Sphi), 0);
}

void tc_peers_predict(tc_peers *p, uint64_t party)
{
    const tc_history *h = p->core.env->history;
    const tc_features *f = p->core.features;
    const tc_peer *q = &p->peer[party];
    for (size_t i = 0; i < h->n; i++) {
        if (f->n > 0) {
            p->at_mean[i] = q->mean[f->place[h->point[i]]];
            p->at_var[i] = tc_peer_variance_at(q, f->place[h->point[i]]);
            continue;
        }
        const double *phi = tc_fts_phi(&p->core, i, p->phi);
        p->at_mean[i] = tc_peer_mean(q, f->rff.M, phi);
        p->at_var[i] = tc_peer_variance(p, q, phi, p->Sphi);
    }
}
