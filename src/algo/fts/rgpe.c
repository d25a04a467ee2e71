/* rgpe.c - the algorithm "rgpe": a ranking-weighted ensemble of everybody's posterior.
 *
 * Feurer, Letham and Bakshy (2018), on shared features as in the FTS paper's comparison. A model's
 * loss in one sample is the number of ordered pairs (j,k) of own observations that it orders
 * wrongly. The agent's own model is judged by what it says without observation j: f_-j(x_j) against
 * f_-j(x_k), drawn together. Those of others are judged by one draw for each point, independent of
 * each other (as the FTS authors do it; the original draws jointly here, too). The weight of a model
 * is the share of samples in which its loss is the smallest; ties go to the own one, then to the
 * lowest agent. A model whose median loss is beyond the 95th percentile of the own one's is left
 * out. The acquisition is expected improvement, of sum w mu with variance sum w^2 s^2.
 *
 * One sample uses one draw of f for all f_-j (left_out.h). A pair (j,k) looks at f_-j alone, which
 * has its own law; so the mean of the loss is that of drawing anew for each j, as the FTS authors
 * do, and its spread a little larger. */
#include "algo/fts/left_out.h"
#include "algo/fts/peers.h"

#include "algo/single/log_ei.h"
#include "base/error.h"
#include "base/sort.h"

#include <math.h>
#include <string.h>

typedef struct options {
    tc_fts_common common;
    int64_t samples;
} options;

typedef struct rgpe {
    tc_peers peers;
    size_t samples;
    /* By sample: the loss of the model at hand, the smallest one so far, and whose that is. */
    uint32_t *loss, *least;
    size_t *winner;
    double *sorted; /* samples */
    tc_left_out own;
    double *normal; /* M, and the observations */
    double *guess;  /* of the observations in one sample, by place */
    size_t *order;  /* the observations in the order of values: those with place 0, 1, ... */
    size_t *less;   /* by place: how many observations have a smaller value */
    size_t *upto;   /* by place: how many have this one or a smaller one */
    size_t normal_cap, guess_cap, order_cap, less_cap, upto_cap;
    double *C, *scratch; /* own=gp: n x n */
    size_t C_cap, scratch_cap;
} rgpe;

/* ---- losses ---- */

/* Once for all samples of a trial; equal values stand in the order of observations. */
static void rank(rgpe *r, const double *y, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        size_t less = 0, equal = 0, before = 0;
        for (size_t j = 0; j < n; j++) {
            less += y[j] < y[i];
            equal += y[j] == y[i];
            before += j < i && y[j] == y[i];
        }
        r->order[less + before] = i;
        r->less[less + before] = less;
        r->upto[less + before] = less + equal;
    }
}

/* Ordered pairs of different values that the guesses, by place, do not order the same: each pair
 * counts twice. The loop over smaller values has no branch: up to some 300 observations it is
 * faster than counting while merging. */
static uint32_t count_wrong(const double *guess, const size_t *less, size_t n)
{
    uint32_t wrong = 0;
    for (size_t k = 0; k < n; k++)
        for (size_t i = 0; i < less[k]; i++)
            wrong += guess[i] >= guess[k];
    return 2 * wrong;
}

/* Points k whose value is not on the same side of that of place j in f_-j. */
static uint32_t count_wrong_without(const rgpe *r, size_t j)
{
    const tc_left_out *l = &r->own;
    double left_out = tc_left_out_at(l, j, j);
    uint32_t wrong = 0;
    for (size_t k = 0; k < r->less[j]; k++)
        wrong += tc_left_out_at(l, j, k) >= left_out;
    for (size_t k = r->upto[j]; k < l->n; k++)
        wrong += tc_left_out_at(l, j, k) <= left_out;
    return wrong;
}

/* The own process, with its observations by place. */
static tacit_status prepare_process(rgpe *r, tacit_error *err)
{
    const tc_peers *p = &r->peers;
    tc_left_out *l = &r->own;
    const size_t n = p->core.env->history->n;
    double noise;
    if (!tc_grow((void **)&r->C, &r->C_cap, n * n, sizeof *r->C) ||
        !tc_grow((void **)&r->scratch, &r->scratch_cap, n * n, sizeof *r->scratch))
        return tc_fail_memory(err);
    tc_own_covariance(p->core.own, r->scratch, &noise);
    if (!tc_left_out_room(l, n, n, noise))
        return tc_fail_memory(err);
    for (size_t j = 0; j < n; j++)
        l->back[j] = 1 / tc_noise_weight(noise, tc_own_target_noise(p->core.own, r->order[j]));
    for (size_t j = 0; j < n; j++) {
        l->y[j] = p->y[r->order[j]] / l->back[j];
        for (size_t i = j; i < n; i++) {
            size_t a = r->order[i], b = r->order[j];
            r->C[i + j * n] = r->scratch[a > b ? a + b * n : b + a * n] / (l->back[i] * l->back[j]);
        }
    }
    return tc_left_out_process(l, r->C, r->scratch, err);
}

/* The own model on shared features, with its observations by place. */
static tacit_status prepare_posterior(rgpe *r, tacit_error *err)
{
    tc_peers *p = &r->peers;
    tc_left_out *l = &r->own;
    size_t n = p->core.env->history->n, M = p->core.features->rff.M;
    if (!tc_left_out_room(l, n, M, p->core.opts->noise))
        return tc_fail_memory(err);
    tc_peers_predict(p, p->core.env->party);
    for (size_t k = 0; k < n; k++) {
        size_t i = r->order[k];
        const double weight = tc_fts_weight(&p->core, i);
        const double *phi = tc_fts_phi(&p->core, i, p->phi);
        memcpy(l->B + k * M, tc_fts_weighed(&p->core, weight, phi), M * sizeof *l->B);
        l->mean[k] = weight * p->at_mean[i];
        l->y[k] = weight * p->y[i];
        l->back[k] = 1 / weight;
    }
    TC_TRY(tc_peers_factor(p, p->y, err));
    tc_left_out_prepare(l, p->A);
    return TACIT_OK;
}

static tacit_status sample_own(rgpe *r, tc_stream *s, tacit_error *err)
{
    TC_TRY(r->peers.core.own ? prepare_process(r, err) : prepare_posterior(r, err));
    size_t n = r->own.n, M = r->own.M;
    for (size_t k = 0; k < r->samples; k++) {
        for (size_t i = 0; i < M + n; i++)
            r->normal[i] = tc_draw_normal(s);
        tc_left_out_draw(&r->own, r->normal, r->normal + M);
        r->loss[k] = 0;
        for (size_t j = 0; j < n; j++)
            r->loss[k] += count_wrong_without(r, j);
    }
    return TACIT_OK;
}

static void sample_other(rgpe *r, uint64_t who, tc_stream *s)
{
    tc_peers *p = &r->peers;
    size_t n = p->core.env->history->n;
    tc_peers_predict(p, who);
    for (size_t i = 0; i < n; i++)
        p->at_var[i] = sqrt(p->at_var[i]); /* from here on the standard deviation */
    for (size_t k = 0; k < r->samples; k++) {
        for (size_t place = 0; place < n; place++) {
            size_t i = r->order[place];
            r->guess[place] = p->at_mean[i] + p->at_var[i] * tc_draw_normal(s);
        }
        r->loss[k] = count_wrong(r->guess, r->less, n);
    }
}

/* ---- weights ---- */

/* The q-quantile of r->loss, interpolated between the two nearest ranks. */
static double quantile(rgpe *r, double q)
{
    for (size_t k = 0; k < r->samples; k++)
        r->sorted[k] = r->loss[k];
    tc_sort_doubles(r->sorted, r->samples);
    double rank = q * (double)(r->samples - 1);
    size_t below = (size_t)rank, above = below + 1 < r->samples ? below + 1 : below;
    return r->sorted[below] + (rank - (double)below) * (r->sorted[above] - r->sorted[below]);
}

/* The losses at hand are those of agent `who`, which comes after all that win a tie against it. */
static void challenge(rgpe *r, size_t who)
{
    for (size_t k = 0; k < r->samples; k++)
        if (r->loss[k] < r->least[k]) {
            r->least[k] = r->loss[k];
            r->winner[k] = who;
        }
}

static bool make_room(rgpe *r, size_t n)
{
    size_t M = r->peers.core.own ? n : r->peers.core.features->rff.M;
    return tc_grow((void **)&r->normal, &r->normal_cap, M + n, sizeof *r->normal) &&
           tc_grow((void **)&r->guess, &r->guess_cap, n, sizeof *r->guess) &&
           tc_grow((void **)&r->order, &r->order_cap, n, sizeof *r->order) &&
           tc_grow((void **)&r->less, &r->less_cap, n, sizeof *r->less) &&
           tc_grow((void **)&r->upto, &r->upto_cap, n, sizeof *r->upto);
}

/* Weight -1: left out, or no message came. */
static tacit_status weigh_all(rgpe *r, tc_stream *s, tacit_error *err)
{
    tc_peers *p = &r->peers;
    size_t own = (size_t)p->core.env->party;
    TC_TRY(sample_own(r, s, err));
    double limit = quantile(r, 0.95);
    memset(r->least, 0xff, r->samples * sizeof *r->least);
    challenge(r, own);
    for (size_t i = 0; i < p->agents; i++) {
        p->weight[i] = i == own ? 0 : -1;
        if (i == own || !tc_peers_here(p, i))
            continue;
        sample_other(r, i, s);
        if (quantile(r, 0.5) > limit)
            continue;
        p->weight[i] = 0;
        challenge(r, i);
    }
    for (size_t k = 0; k < r->samples; k++)
        p->weight[r->winner[k]] += 1 / (double)r->samples;
    return TACIT_OK;
}

static tacit_status weigh(tc_peers *p, uint64_t trial, tacit_error *err)
{
    rgpe *r = (rgpe *)p;
    const tc_env *env = p->core.env;
    tc_stream s;
    if (!make_room(r, env->history->n))
        return tc_fail_memory(err);
    rank(r, p->y, env->history->n);
    tc_stream_party(&s, &env->party_seed, env->party, TC_FOR_DRAW, trial);
    return weigh_all(r, &s, err);
}

/* ---- acquisition: the logarithm of EI, which has the same maximum ---- */

static double value(const tc_peers *p, const double *mean, const double *var, double *d_mean,
                    double *d_var)
{
    double m = 0, v = 0, slope;
    for (size_t k = 0; k < p->n_active; k++) {
        double w = p->weight[p->active[k]];
        m += w * mean[k];
        v += w * w * var[k];
    }
    double sd = sqrt(fmax(v, 1e-24)), z = (m - p->best) / sd;
    double log_ei = log(sd) + tc_log_h(z, &slope);
    for (size_t k = 0; d_mean && k < p->n_active; k++) {
        double w = p->weight[p->active[k]];
        d_mean[k] = w * slope / sd;
        d_var[k] = w * w * (1 - slope * z) / (2 * sd * sd);
    }
    return log_ei;
}

/* ---- the algorithm ---- */

static tc_fts_form form(const void *opts, size_t *first)
{
    size_t M = (size_t)((const options *)opts)->common.features;
    *first = 1; /* without `best` */
    return (tc_fts_form){.algorithm = "rgpe", .magic = "TRG1", .width = M + M * (M + 1) / 2};
}

static const tc_peers_kind kind = {.form = form, .weigh = weigh, .value = value};

static tacit_status init(void *st, const tc_env *env, const void *opts, tacit_error *err)
{
    rgpe *r = st;
    const options *o = opts;
    TC_TRY(tc_peers_init(&r->peers, &kind, env, &o->common, o, err));
    r->samples = (size_t)o->samples;
    tc_arena *a = &r->peers.core.memory;
    r->loss = TC_TAKE(a, r->samples, uint32_t);
    r->least = TC_TAKE(a, r->samples, uint32_t);
    r->winner = TC_TAKE(a, r->samples, size_t);
    r->sorted = TC_TAKE(a, r->samples, double);
    return a->failed ? tc_fail_memory(err) : TACIT_OK;
}

static void fini(void *st)
{
    rgpe *r = st;
    tc_left_out_fini(&r->own);
    tc_free(r->C);
    tc_free(r->scratch);
    tc_free(r->normal);
    tc_free(r->guess);
    tc_free(r->order);
    tc_free(r->less);
    tc_free(r->upto);
    tc_peers_fini(st);
}

static const tc_option table[] = {
    TC_FTS_COMMON_OPTIONS(options, common),
    TC_INT_OPTION("samples", offsetof(options, samples), "100", 1, 1e5,
                  "samples of the ranking loss, from which the weights are counted"),
    {.name = NULL},
};

TC_PEERS_TABLES(rgpe, init, fini, kind)

const tc_algorithm tc_algorithm_rgpe = {
    .name = "rgpe",
    .summary = "ranking-weighted ensemble of all agents' models, a baseline; NOT PRIVATE",
    .source = "Feurer, Letham, Bakshy (2018)",
    .options = table,
    .options_size = sizeof(options),
    .optimizer = &agent,
    .begin = tc_fts_begin,
    .resolve_defaults = tc_fts_common_resolve_defaults,
    .relay = &relay,
};
