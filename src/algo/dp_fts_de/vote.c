/* vote.c - the length-scale of the shared features, found by the agents together: round 0 where vote=yes.
 *
 * An agent sends how well each length-scale of a public grid explains its first values: log likelihoods with the
 * level and the scale of the values integrated or maximised out, so that nobody has to know units,
 *     L_j = ln mean_s exp(-(n-1)/2 ln q - 1/2 ln det C - 1/2 ln 1'C^-1 1),   C = K_j + s I,
 *     q = y'C^-1 y - (1'C^-1 y)^2 / 1'C^-1 1,
 * over a few shares s of noise; centred over the grid and clipped to norm 1. The coordinator releases their
 * mean with noise as any other sum (weights.c): one release of its own multiplier, in ledger and statement.
 *
 * Whoever hears it picks the grid's best after a penalty for leaving the middle,
 *     mean_j - t c j^2,   t = sd of the noise, c = 0.3 towards shorter ones and 0.6 towards longer ones,
 * j counted from the middle, and of several that are as good the one nearest to it. Noise alone then stays there or
 * beside it in 91 of 100 cases, and many agents outvote the penalty. Too long costs more than too short (docs/benchmarks.md, "How
 * wrong may the length-scale be?"). The arithmetic has no function of the C library: all parties pick the same. */
#include "algo/dp_fts_de/agent.h"

#include "base/error.h"
#include "num/la.h"

#include <math.h>
#include <string.h>

typedef tc_dp_fts_de_agent_state agent;

#define STEP     1.6 /* from a length-scale of the grid to the next */
#define TO_SHORT 0.3
#define TO_LONG  0.6

enum { MIDDLE = TC_DP_FTS_DE_VOTE_GRID / 2, MOST_VALUES = 64 };

static const double noise_shares[] = {1e-4, 1e-2, 0.1, 0.5};
enum { SHARES = sizeof noise_shares / sizeof *noise_shares };

double tc_dp_fts_de_vote_lengthscale(size_t dim, size_t j)
{
    double l = tc_usual_lengthscale(dim);
    for (size_t i = j; i < MIDDLE; i++)
        l /= STEP;
    for (size_t i = MIDDLE; i < j; i++)
        l *= STEP;
    return l;
}

/* ---- what an agent sends ---- */

typedef struct evidence {
    size_t n;
    double *K, *C, *scratch; /* n x n each */
    double *y, *one;         /* n each */
} evidence;

static tacit_status one_share(const evidence *e, const double *z, double share, double *out,
                              tacit_error *err)
{
    const size_t n = e->n;
    memcpy(e->C, e->K, n * n * sizeof *e->C);
    for (size_t i = 0; i < n; i++) {
        e->C[i + i * n] += share;
        e->y[i] = z[i];
        e->one[i] = 1;
    }
    TC_TRY(tc_chol_jitter(n, e->C, n, e->scratch, NULL, err));
    tc_solve_lower(n, e->C, n, e->y);
    tc_solve_lower(n, e->C, n, e->one);
    double yy = tc_dot(n, e->y, e->y), y1 = tc_dot(n, e->y, e->one),
           ones = tc_dot(n, e->one, e->one);
    double q = fmax(yy - y1 * y1 / ones, 1e-12 * yy);
    *out = -((double)(n - 1) * log(q) + tc_chol_logdet(n, e->C, n) + log(ones)) / 2;
    return TACIT_OK;
}

static tacit_status one_length(const agent *a, const evidence *e, const double *z, double length,
                               double *out, tacit_error *err)
{
    const tc_history *h = a->env->history;
    double *scale = a->low, value[SHARES], top = -INFINITY, sum = 0;
    for (size_t d = 0; d < h->dim; d++)
        scale[d] = length;
    tc_kernel k = {
        .kind = (tc_kernel_kind)a->opts->kernel, .dim = h->dim, .variance = 1, .scale = scale};
    tc_kernel_gram(&k, e->n, h->U, h->ld, e->K, e->n);
    for (int s = 0; s < SHARES; s++) {
        TC_TRY(one_share(e, z, noise_shares[s], &value[s], err));
        top = fmax(top, value[s]);
    }
    for (int s = 0; s < SHARES; s++)
        sum += exp(value[s] - top);
    *out = top + log(sum);
    return TACIT_OK;
}

static bool all_equal(size_t n, const double *z)
{
    for (size_t i = 1; i < n; i++)
        if (z[i] != z[0])
            return false;
    return true;
}

static tacit_status weigh_lengths(const agent *a, size_t n, const double *z, tc_arena *memory,
                                  double *v, tacit_error *err)
{
    evidence e = {.n = n,
                  .K = TC_TAKE(memory, n * n, double),
                  .C = TC_TAKE(memory, n * n, double),
                  .scratch = TC_TAKE(memory, n * n, double),
                  .y = TC_TAKE(memory, n, double),
                  .one = TC_TAKE(memory, n, double)};
    double mean = 0;
    if (memory->failed)
        return tc_fail_memory(err);
    for (size_t j = 0; j < TC_DP_FTS_DE_VOTE_GRID; j++) {
        TC_TRY(one_length(a, &e, z, tc_dp_fts_de_vote_lengthscale(a->env->history->dim, j), &v[j],
                          err));
        mean += v[j] / TC_DP_FTS_DE_VOTE_GRID;
    }
    for (size_t j = 0; j < TC_DP_FTS_DE_VOTE_GRID; j++)
        v[j] -= mean;
    return TACIT_OK;
}

/* Votes with the anchor points only. Later points were chosen by the agent's own search. */
tacit_status tc_dp_fts_de_vote_message(const agent *a, double *v, tacit_error *err)
{
    const double *z;
    size_t n = a->env->history->n;
    tc_arena memory = {0};
    TC_TRY(tc_own_values(a->own, &z, err));
    if (n > (size_t)a->opts->initial)
        n = (size_t)a->opts->initial;
    if (n > MOST_VALUES)
        n = MOST_VALUES;
    memset(v, 0, TC_DP_FTS_DE_VOTE_GRID * sizeof *v);
    if (n < TC_DP_FTS_DE_VOTE_VALUES || all_equal(n, z))
        return TACIT_OK; /* nothing to say */
    tacit_status status = weigh_lengths(a, n, z, &memory, v, err);
    tc_arena_fini(&memory);
    return status;
}

/* ---- what is picked ---- */

/* From the middle outwards, the shorter one of a pair first: where nothing is better, it stays. */
size_t tc_dp_fts_de_vote_pick(const double *mean, double sd)
{
    size_t best = MIDDLE;
    double top = mean[MIDDLE];
    for (int k = 1; k < TC_DP_FTS_DE_VOTE_GRID; k++) {
        const int steps = k % 2 == 1 ? -(k + 1) / 2 : k / 2;
        const double away = (double)(steps * steps) * (steps < 0 ? TO_SHORT : TO_LONG);
        const double score = mean[MIDDLE + steps] - sd * away;
        if (score > top) {
            top = score;
            best = (size_t)(MIDDLE + steps);
        }
    }
    return best;
}
