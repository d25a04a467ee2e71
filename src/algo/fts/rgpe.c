/* rgpe.c - the algorithm "rgpe": a ranking-weighted ensemble of everybody's posterior.
 *
 * Feurer, Letham and Bakshy (2018), on shared features as in the FTS paper's comparison. A model's
 * loss in one sample is the number of pairs of own observations that it orders wrongly: others are
 * judged by draws from their predictions, the agent's own model by leave-one-out predictions, one
 * draw for each point (the FTS authors' code; the original draws jointly). The weight of a model is
 * the share of samples in which its loss is the smallest; ties go to the own one, then to the lowest
 * agent. A model whose median loss is beyond the 95th percentile of the own one's is left out. The
 * acquisition is expected improvement, of sum w mu with variance sum w^2 s^2. */
#include "algo/fts/peers.h"

#include "algo/single/log_ei.h"
#include "base/error.h"

#include <math.h>
#include <stdlib.h>

typedef struct options {
    tc_fts_common common;
    int64_t samples;
} options;

typedef struct rgpe {
    tc_peers peers;
    size_t samples;
    uint32_t *loss; /* agents x samples */
    double *sorted; /* samples */
    double *guess;  /* of the observations in one sample, by place */
    size_t *place;  /* of each observation in the order of values */
    size_t *less;   /* by place: how many observations have a smaller value */
    size_t guess_cap, place_cap, less_cap;
    double best; /* incumbent of the present trial */
} rgpe;

/* ---- weights ---- */

/* phi'nu and its variance without observation i, from those with it: h is the leverage. */
static void leave_out(tc_peers *p, size_t i)
{
    double lambda = p->core.opts->noise, h = p->at_var[i] / lambda, rest = fmax(1 - h, 1e-12);
    p->at_mean[i] = (p->at_mean[i] - h * p->y[i]) / rest;
    p->at_var[i] = lambda * h / rest;
}

/* Once for all samples of a trial; equal values stand in the order of observations. */
static void rank(rgpe *r, const double *y, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        size_t less = 0, before = 0;
        for (size_t j = 0; j < n; j++) {
            less += y[j] < y[i];
            before += j < i && y[j] == y[i];
        }
        r->place[i] = less + before;
        r->less[r->place[i]] = less;
    }
}

/* Pairs of different values that the guesses, by place, do not order the same. The loop over smaller
 * values has no branch: up to some 300 observations it is faster than counting while merging. */
static uint32_t count_wrong(const double *guess, const size_t *less, size_t n)
{
    uint32_t wrong = 0;
    for (size_t k = 0; k < n; k++)
        for (size_t i = 0; i < less[k]; i++)
            wrong += guess[i] >= guess[k];
    return wrong;
}

static void sample_losses(rgpe *r, uint64_t who, tc_stream *s)
{
    tc_peers *p = &r->peers;
    size_t n = p->core.env->history->n;
    tc_peers_predict(p, who);
    for (size_t i = 0; i < n && who == p->core.env->party; i++)
        leave_out(p, i);
    for (size_t i = 0; i < n; i++)
        p->at_var[i] = sqrt(p->at_var[i]); /* from here on the standard deviation */
    for (size_t k = 0; k < r->samples; k++) {
        for (size_t i = 0; i < n; i++)
            r->guess[r->place[i]] = p->at_mean[i] + p->at_var[i] * tc_draw_normal(s);
        r->loss[who * r->samples + k] = count_wrong(r->guess, r->less, n);
    }
}

static int ascending(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

/* Of the losses of an agent, between the two nearest in rank. */
static double quantile(rgpe *r, uint64_t who, double q)
{
    for (size_t k = 0; k < r->samples; k++)
        r->sorted[k] = r->loss[who * r->samples + k];
    qsort(r->sorted, r->samples, sizeof *r->sorted, ascending);
    double rank = q * (double)(r->samples - 1);
    size_t below = (size_t)rank, above = below + 1 < r->samples ? below + 1 : below;
    return r->sorted[below] + (rank - (double)below) * (r->sorted[above] - r->sorted[below]);
}

/* Who takes part: weight 0 until votes are counted, -1 if left out. */
static void exclude(rgpe *r)
{
    tc_peers *p = &r->peers;
    uint64_t own = p->core.env->party;
    double limit = quantile(r, own, 0.95);
    for (size_t i = 0; i < p->agents; i++) {
        bool away = !p->peer[i].memory || (i != own && quantile(r, i, 0.5) > limit);
        p->weight[i] = away ? -1 : 0;
    }
}

static void vote(rgpe *r, size_t k)
{
    tc_peers *p = &r->peers;
    size_t winner = (size_t)p->core.env->party;
    for (size_t i = 0; i < p->agents; i++)
        if (p->weight[i] >= 0 && r->loss[i * r->samples + k] < r->loss[winner * r->samples + k])
            winner = i;
    p->weight[winner] += 1 / (double)r->samples;
}

static bool make_room(rgpe *r, size_t n)
{
    return tc_grow((void **)&r->guess, &r->guess_cap, n, sizeof *r->guess) &&
           tc_grow((void **)&r->place, &r->place_cap, n, sizeof *r->place) &&
           tc_grow((void **)&r->less, &r->less_cap, n, sizeof *r->less);
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
    for (size_t i = 0; i < p->agents; i++)
        if (p->peer[i].memory)
            sample_losses(r, i, &s);
    exclude(r);
    for (size_t k = 0; k < r->samples; k++)
        vote(r, k);
    r->best = tc_peers_best(p);
    return TACIT_OK;
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
    double sd = sqrt(fmax(v, 1e-24)), z = (m - ((const rgpe *)p)->best) / sd;
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
    r->loss = TC_TAKE(&r->peers.core.memory, r->peers.agents * r->samples, uint32_t);
    r->sorted = TC_TAKE(&r->peers.core.memory, r->samples, double);
    return r->peers.core.memory.failed ? tc_fail_memory(err) : TACIT_OK;
}

static void fini(void *st)
{
    rgpe *r = st;
    tc_free(r->guess);
    tc_free(r->place);
    tc_free(r->less);
    tc_peers_fini(st);
}

static tacit_status check(const tc_env *env, const void *opts, uint64_t round, uint64_t agent,
                          const void *bytes, size_t n, tacit_error *err)
{
    return tc_peers_check(&kind, env, opts, round, agent, bytes, n, err);
}

static tacit_status release(const tc_env *env, const void *opts, uint64_t round, uint64_t agent,
                            const void *bytes, size_t n, tc_release **out, tacit_error *err)
{
    return tc_peers_release(&kind, env, opts, round, agent, bytes, n, out, err);
}

static const tc_option table[] = {
    TC_FTS_COMMON_OPTIONS(options, common),
    {.name = "samples",
     .type = TC_OPTION_INT,
     .offset = offsetof(options, samples),
     .def = "100",
     .min = 1,
     .max = 1e5,
     .help = "samples of the ranking loss, from which the weights are counted"},
    {.name = NULL},
};

static const tc_optimizer_ops agent = {
    .state_size = sizeof(rgpe),
    .init = init,
    .fini = fini,
    .ask = tc_peers_ask,
    .need = tc_peers_need,
    .publish = tc_peers_publish,
    .published = tc_peers_published,
    .fetched = tc_peers_fetched,
    .missed = tc_peers_missed,
};

static const tc_relay_ops relay = {.check = check, .release = release};

const tc_algorithm tc_algorithm_rgpe = {
    .name = "rgpe",
    .summary = "ranking-weighted ensemble of all agents' models, a baseline; NOT PRIVATE",
    .source = "Feurer, Letham, Bakshy (2018)",
    .options = table,
    .options_size = sizeof(options),
    .optimizer = &agent,
    .relay = &relay,
};
