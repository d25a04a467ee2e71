/* taf.c - the algorithm "taf": the transfer acquisition function.
 *
 * Wistuba, Schilling and Schmidt-Thieme (2018), on shared features as in the FTS paper's comparison:
 *
 *     a(x) = (w_0 EI_0(x) + sum_n w_n max(0, g_n(x) - y_n+)) / (w_0 + sum_n w_n)
 *
 * EI_0 is the agent's own expected improvement, y_n+ the largest value that agent n has seen, and g_n
 * one draw from its posterior, made once when the message is read (or the mean): a draw made anew at
 * every evaluation would leave nothing to maximise. w_n = 3/4 (1 - (d/rho)^2) where d < rho, else 0,
 * and w_0 = 3/4; d is the distance between how g_n and the values order the agent's observations. */
#include "algo/fts/peers.h"

#include "algo/single/log_ei.h"
#include "base/error.h"
#include "num/la.h"

#include <math.h>

enum { BY_DRAW, BY_MEAN };
enum { OF_VECTORS, OF_PAIRS };

typedef struct options {
    tc_fts_common common;
    double rho;
    int improvement, distance;
} options;

typedef struct taf {
    tc_peers peers;
    double sum; /* of all weights, in the present trial */
} taf;

/* ---- what is read ---- */

/* nu becomes nu + sqrt(lambda) C e, C C' = Sigma^-1. A matrix that is no covariance leaves the mean. */
static void arrange(tc_peers *p, uint64_t party)
{
    const tc_env *env = p->core.env;
    size_t M = p->core.features->rff.M;
    double *nu = p->numbers + 1, *S = nu + M, lambda = p->core.opts->noise;
    tc_stream s;
    tacit_error ignored = {0};
    for (size_t j = 0; j < M; j++)
        for (size_t i = j; i < M; i++)
            p->A[i + j * M] = *S++;
    if (tc_chol(M, p->A, M, &ignored) != TACIT_OK)
        return;
    tc_stream_party(&s, &env->party_seed, env->party, TC_FOR_MESSAGE, 1 + party);
    for (size_t j = 0; j < M; j++)
        tc_axpy(M - j, sqrt(lambda) * tc_draw_normal(&s), p->A + j + j * M, nu + j);
}

/* ---- weights ---- */

/* Ordered pairs of observations of which one says "larger" and the other does not. */
static double count_different(const double *guess, const double *y, size_t n)
{
    size_t different = 0;
    for (size_t i = 0; i < n; i++)
        for (size_t j = 0; j < n; j++)
            different += (guess[i] > guess[j]) != (y[i] > y[j]);
    return (double)different;
}

/* Indicators of all ordered pairs, each over n(n-1), make a vector; OF_PAIRS: the share of pairs. */
static double distance(const tc_peers *p, size_t n)
{
    double pairs = (double)n * ((double)n - 1);
    if (n < 2)
        return 0;
    double different = count_different(p->at_mean, p->y, n);
    bool share = ((const options *)p->opts)->distance == OF_PAIRS;
    return (share ? different : sqrt(different)) / pairs;
}

static double epanechnikov(double t)
{
    return t < 1 ? 0.75 * (1 - t * t) : 0;
}

static tacit_status weigh(tc_peers *p, uint64_t trial, tacit_error *err)
{
    taf *t = (taf *)p;
    double rho = ((const options *)p->opts)->rho;
    (void)trial;
    (void)err;
    t->sum = 0;
    for (size_t i = 0; i < p->agents; i++) {
        p->weight[i] = 0;
        if (!tc_peers_here(p, i))
            continue;
        const bool own = i == p->core.env->party;
        if (!own)
            tc_peers_predict(p, i);
        p->weight[i] = epanechnikov(own ? 0 : distance(p, p->core.env->history->n) / rho);
        t->sum += p->weight[i];
    }
    return TACIT_OK;
}

/* ---- acquisition ---- */

static double own_improvement(double best, double mean, double var, double *d_mean, double *d_var)
{
    double sd = sqrt(fmax(var, 1e-24)), z = (mean - best) / sd, slope;
    double ei = sd * exp(tc_log_h(z, &slope));
    *d_mean = ei * slope / sd;
    *d_var = ei * (1 - slope * z) / (2 * sd * sd);
    return ei;
}

static double value(const tc_peers *p, const double *mean, const double *var, double *d_mean,
                    double *d_var)
{
    const taf *t = (const taf *)p;
    double sum = 0;
    for (size_t k = 0; k < p->n_active; k++) {
        size_t who = p->active[k];
        double share = p->weight[who] / t->sum, by_mean = 1, by_var = 0;
        double gain = who == p->core.env->party
                          ? own_improvement(p->best, mean[k], var[k], &by_mean, &by_var)
                          : mean[k] - p->peer[who].best;
        sum += share * fmax(gain, 0);
        if (d_mean) {
            d_mean[k] = gain > 0 ? share * by_mean : 0;
            d_var[k] = gain > 0 ? share * by_var : 0;
        }
    }
    return sum;
}

/* ---- the algorithm ---- */

static tc_fts_form form(const void *opts, size_t *first)
{
    const options *o = opts;
    size_t M = (size_t)o->common.features;
    size_t triangle = o->improvement == BY_MEAN ? 0 : M * (M + 1) / 2;
    *first = 0;
    return (tc_fts_form){.algorithm = "taf", .magic = "TTA1", .width = 1 + M + triangle};
}

static const tc_peers_kind by_draw = {
    .form = form, .certain = true, .arrange = arrange, .weigh = weigh, .value = value};
static const tc_peers_kind by_mean = {
    .form = form, .certain = true, .weigh = weigh, .value = value};

static tacit_status init(void *st, const tc_env *env, const void *opts, tacit_error *err)
{
    const options *o = opts;
    const tc_peers_kind *kind = o->improvement == BY_MEAN ? &by_mean : &by_draw;
    return tc_peers_init(st, kind, env, &o->common, o, err);
}

static const tc_option table[] = {
    TC_FTS_COMMON_OPTIONS(options, common),
    TC_FLOAT_OPTION("rho", offsetof(options, rho), "0.5", 0, 1e6,
                    "an agent farther away than this has weight 0", .min_open = true),
    TC_CHOICE_OPTION("distance", offsetof(options, distance), "vectors", "vectors|pairs",
                     "between two orders: of indicator vectors (published), or the share of pairs"),
    TC_CHOICE_OPTION(
        "improvement", offsetof(options, improvement), "draw", "draw|mean",
        "of another agent: by one draw from its posterior, or by the mean, a shorter message"),
    {.name = NULL},
};

TC_PEERS_TABLES(taf, init, tc_peers_fini, by_draw)

const tc_algorithm tc_algorithm_taf = {
    .name = "taf",
    .summary = "transfer acquisition function over all agents' models, a baseline; NOT PRIVATE",
    .source = "Wistuba, Schilling, Schmidt-Thieme (2018)",
    .options = table,
    .options_size = sizeof(options),
    .optimizer = &agent,
    .begin = tc_fts_begin,
    .resolve_defaults = tc_fts_common_resolve_defaults,
    .relay = &relay,
};
