/* peers_search.c - the point that an acquisition over many posteriors likes best.
 *
 * A finite space is scored whole, from tables. Elsewhere Sobol' points are, and the best few of them
 * are improved by L-BFGS: with W = sum_k d_mean[k] nu_k + 2 lambda d_var[k] Sigma_k^-1 phi the
 * gradient is that of phi(x)'W with W held. Only peers.c calls this. */
#include "algo/fts/peers.h"

#include "algo/single/cover.h"
#include "algo/single/design.h"
#include "base/error.h"
#include "num/boxmax.h"
#include "num/la.h"

#include <math.h>
#include <string.h>

enum { BOX_POINTS = 512, STARTS = 4, EVALUATIONS = 60 };

static const tc_space *space_of(const tc_peers *p)
{
    return p->core.env->space;
}

tacit_status tc_peers_search_init(tc_peers *p, tacit_error *err)
{
    const tc_space *s = space_of(p);
    tc_arena *a = &p->core.memory;
    size_t n = s->domain ? p->core.features->n : BOX_POINTS;
    p->score = TC_TAKE(a, n, double);
    p->shut = TC_TAKE(a, n, unsigned char);
    if (!s->domain) {
        p->X = TC_TAKE(a, n * s->dim, double);
        p->starts = TC_TAKE(a, STARTS * s->dim, double);
        p->values = TC_TAKE(a, s->n_params, double);
        p->free = TC_TAKE(a, s->dim, unsigned char);
        p->slope = TC_TAKE(a, s->dim, double);
        p->d_own = TC_TAKE(a, s->dim, double);
        p->d_own_var = TC_TAKE(a, s->dim, double);
    }
    if (a->failed)
        return tc_fail_memory(err);
    for (size_t d = 0; p->free && d < s->dim; d++)
        p->free[d] = tc_space_continuous(s, d);
    return TACIT_OK;
}

/* The largest open score; if none is open, the largest. */
static size_t pick(const tc_peers *p, size_t n)
{
    size_t best = n, any = 0;
    for (size_t i = 0; i < n; i++) {
        if (p->score[i] > p->score[any])
            any = i;
        if (!p->shut[i] && (best == n || p->score[i] > p->score[best]))
            best = i;
    }
    return best < n ? best : any;
}

/* ---- a finite space ---- */

/* Is active agent k this one, with a process of its own? */
static bool is_process(const tc_peers *p, size_t k)
{
    return p->core.own && p->active[k] == p->core.env->party;
}

static double score_place(const tc_peers *p, size_t place)
{
    for (size_t k = 0; k < p->n_active; k++) {
        const tc_peer *q = &p->peer[p->active[k]];
        if (is_process(p, k)) {
            tc_own_value v = tc_own_candidate(p->core.own, p->core.features->order[place]);
            p->mean[k] = v.mean;
            p->var[k] = v.variance;
            continue;
        }
        p->mean[k] = q->mean[place];
        p->var[k] = tc_peer_variance_at(q, place);
    }
    return p->kind->value(p, p->mean, p->var, NULL, NULL);
}

static void maximise_finite(tc_peers *p, double *values)
{
    const tc_features *f = p->core.features;
    const tc_history *h = p->core.env->history;
    memset(p->shut, 0, f->n);
    for (size_t i = 0; i < h->n; i++)
        p->shut[f->place[h->point[i]]] = 1;
    for (size_t i = 0; i < h->n_taken; i++)
        p->shut[f->place[h->taken_point[i]]] = 1;
    for (size_t i = 0; i < f->n; i++)
        p->score[i] = score_place(p, i);
    values[0] = (double)f->order[pick(p, f->n)];
}

/* ---- a box ---- */

/* Means and variances of the active agents; with those of an own process come its slopes. */
static void predict(tc_peers *p, const double *u, bool slopes)
{
    const tc_rff *f = &p->core.features->rff;
    tc_rff_at(f, u, p->phi);
    for (size_t k = 0; k < p->n_active; k++) {
        const tc_peer *q = &p->peer[p->active[k]];
        if (is_process(p, k)) {
            tc_own_value v = tc_own_at(p->core.own, u, slopes ? p->d_own : NULL, p->d_own_var);
            p->mean[k] = v.mean;
            p->var[k] = v.variance;
            continue;
        }
        p->mean[k] = tc_peer_mean(q, f->M, p->phi);
        p->var[k] = tc_peer_variance(p, q, p->phi, p->Sphi);
    }
}

double tc_peers_score(tc_peers *p, const double *u, double *grad)
{
    const tc_rff *f = &p->core.features->rff;
    const size_t dim = space_of(p)->dim;
    double *W = p->core.draw;
    predict(p, u, grad != NULL);
    if (!grad)
        return p->kind->value(p, p->mean, p->var, NULL, NULL);
    double value = p->kind->value(p, p->mean, p->var, p->d_mean, p->d_var);
    memset(W, 0, f->M * sizeof *W);
    memset(p->slope, 0, dim * sizeof *p->slope);
    for (size_t k = 0; k < p->n_active; k++) {
        const tc_peer *q = &p->peer[p->active[k]];
        if (is_process(p, k)) {
            tc_axpy(dim, p->d_mean[k], p->d_own, p->slope);
            tc_axpy(dim, p->d_var[k], p->d_own_var, p->slope);
            continue;
        }
        tc_axpy(f->M, p->d_mean[k], q->nu, W);
        tc_peer_variance(p, q, p->phi, p->Sphi);
        tc_axpy(f->M, 2 * p->core.opts->noise * p->d_var[k], p->Sphi, W);
    }
    tc_rff_value_grad(f, W, u, grad);
    for (size_t d = 0; p->core.own && d < dim; d++)
        grad[d] += p->slope[d];
    return value;
}

static double at(void *ctx, size_t slot, const double *u, double *grad)
{
    double value = tc_peers_score(ctx, u, grad);
    (void)slot;
    if (grad)
        tc_space_hold_idle(space_of(ctx), u, grad);
    return value;
}

static bool known(const tc_peers *p, const double *u)
{
    const tc_history *h = p->core.env->history;
    return tc_among(u, h->n, h->dim, h->U, h->ld) ||
           tc_among(u, h->n_taken, h->dim, h->taken, h->taken_ld);
}

static void score_points(tc_peers *p, uint64_t trial)
{
    const tc_env *env = p->core.env;
    const tc_space *s = env->space;
    tc_stream stream;
    tc_cover cover;
    tc_stream_party(&stream, &env->party_seed, env->party, TC_FOR_CANDIDATES, trial);
    tc_cover_init(&cover, s, &stream);
    for (size_t i = 0; i < BOX_POINTS; i++) {
        double *u = p->X + i * s->dim;
        tc_cover_next(&cover, p->values);
        tc_space_encode(s, p->values, u);
        p->score[i] = tc_peers_score(p, u, NULL);
        p->shut[i] = known(p, u);
    }
}

/* The end of an ascent replaces the point it came from if it is open and better. */
static void put_back(tc_peers *p, size_t i, double *end)
{
    size_t dim = space_of(p)->dim;
    tc_space_round(space_of(p), end);
    double value = tc_peers_score(p, end, NULL);
    if (!(value > p->score[i]) || known(p, end))
        return;
    p->score[i] = value;
    p->shut[i] = 0;
    memcpy(p->X + i * dim, end, dim * sizeof *end);
}

static tacit_status improve(tc_peers *p, tacit_error *err)
{
    size_t dim = space_of(p)->dim, chosen[STARTS], best;
    unsigned char shut[STARTS];
    double value[STARTS];
    tc_boxmax box = {.dim = dim,
                     .f = at,
                     .ctx = p,
                     .free = p->free,
                     .max_evals = EVALUATIONS,
                     .ftol_rel = 1e-10};
    tc_cover_limit(&box, space_of(p));
    for (size_t k = 0; k < STARTS; k++) {
        chosen[k] = pick(p, BOX_POINTS);
        shut[k] = p->shut[chosen[k]];
        p->shut[chosen[k]] = 1; /* so that the next is another one */
        memcpy(p->starts + k * dim, p->X + chosen[k] * dim, dim * sizeof *p->X);
    }
    TC_TRY(tc_boxmax_lbfgs(&box, STARTS, p->starts, value, &best, err));
    for (size_t k = STARTS; k-- > 0;) {
        p->shut[chosen[k]] = shut[k];
        put_back(p, chosen[k], p->starts + k * dim);
    }
    return TACIT_OK;
}

static bool any_free(const tc_peers *p)
{
    for (size_t d = 0; d < space_of(p)->dim; d++)
        if (p->free[d])
            return true;
    return false;
}

tacit_status tc_peers_maximise(tc_peers *p, uint64_t trial, double *values, tacit_error *err)
{
    if (space_of(p)->domain) {
        maximise_finite(p, values);
        return TACIT_OK;
    }
    score_points(p, trial);
    if (any_free(p))
        TC_TRY(improve(p, err));
    tc_space_decode(space_of(p), p->X + pick(p, BOX_POINTS) * space_of(p)->dim, values);
    return TACIT_OK;
}
