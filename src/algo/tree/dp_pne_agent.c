/* dp_pne_agent.c - an agent of dp-pf-pne: what it sends, and how it eliminates by a noisy sum.
 *
 * Between rounds it is a client of pf-pne (pne_client.c). See dp_pne.h. */
#include "algo/tree/dp_pne.h"

#include "base/bytes.h"
#include "base/error.h"

#include <endian.h>
#include <inttypes.h>
#include <math.h>

typedef struct agent {
    tc_tree_agent base;
    const tc_dp_pne_options *o;
} agent;

static tacit_status init(void *st, const tc_env *env, const void *opts, tacit_error *err)
{
    agent *a = st;
    a->o = opts;
    TC_TRY(tc_tree_agent_begin(&a->base, env, &tc_bandit_pf_pne, &a->o->range, &a->o->bandit, err));
    uint32_t rounds = tc_dp_pne_rounds(env, a->o);
    tc_dp_pne_round deepest; /* refuse now what would fail in the last round */
    return rounds ? tc_dp_pne_round_init(&deepest, env, opts, rounds - 1, err) : TACIT_OK;
}

static const tc_pne_client *client_of(const agent *a)
{
    return a->base.trials.client;
}

/* ---- publish ---- */

static int64_t coordinate(const tc_dp_pne_round *r, const tc_phase_node *v)
{
    if (r->protect == TC_PROTECT_RECORD) /* exactly */
        return v->sum - (int64_t)v->n * (TC_REWARD_ONE / 2);
    double mean = (double)v->sum / ((double)v->n * (double)TC_REWARD_ONE);
    return tc_grid_truncate(mean - 0.5, r->grid);
}

/* Cells in order, those between the nodes of K^h with nothing in them. */
static tacit_status publish(const void *st, uint64_t round, tc_text *out, tacit_error *err)
{
    const agent *a = st;
    const tc_phase_nodes *nodes = &client_of(a)->nodes;
    tc_dp_pne_round r;
    TC_TRY(tc_dp_pne_round_init(&r, a->base.trials.env, a->o, round, err));
    size_t next = 0;
    for (uint64_t cell = 0; cell < r.cells; cell++) {
        bool in = next < nodes->n && nodes->v[next].cell == cell;
        uint64_t word = htole64(in ? (uint64_t)coordinate(&r, &nodes->v[next]) : 0);
        next += in;
        tc_text_add_bytes(out, &word, 8);
    }
    return out->failed ? tc_fail_memory(err) : TACIT_OK;
}

/* ---- absorb ---- */

static double mean_of(const tc_dp_pne_round *r, const void *bytes, uint64_t cell)
{
    int64_t sum = (int64_t)tc_get_le((const char *)bytes + 8 * cell, 8);
    return 0.5 + r->step * (double)sum / r->weight;
}

/* The mean as a sum. A mean far outside of [0,1] is noise: moved nearer to it, it is no worse, and fits 64 bits. */
static int64_t sum_of(double mean, double samples)
{
    return llround(fmin(fmax(mean, -1), 2) * samples * (double)TC_REWARD_ONE);
}

/* The broadcast that a server of pf-pne would have made of these means: depth, clients, and the
 * cells that are left with their sums. */
static tacit_status eliminate(const tc_dp_pne_round *r, const tc_phase_nodes *nodes,
                              const void *bytes, tc_numbers *out, tacit_error *err)
{
    double samples = r->law.clients * (double)tc_pne_share(&r->law, r->depth);
    double b = tc_pne_width(&r->law, samples) + r->blur, best = -INFINITY;
    double slack = tc_pne_slack(&r->law, r->depth);
    for (size_t i = 0; i < nodes->n; i++)
        best = fmax(best, mean_of(r, bytes, nodes->v[i].cell));
    TC_TRY(tc_numbers_add(out, r->depth, err));
    TC_TRY(tc_numbers_add(out, (int64_t)r->law.clients, err));
    for (size_t i = 0; i < nodes->n; i++) {
        double mean = mean_of(r, bytes, nodes->v[i].cell);
        if (mean + b + slack < best - b)
            continue;
        TC_TRY(tc_numbers_add(out, (int64_t)nodes->v[i].cell, err));
        TC_TRY(tc_numbers_add(out, sum_of(mean, samples), err));
    }
    return TACIT_OK;
}

static tacit_status absorb(void *st, uint64_t round, const void *bytes, size_t n, tacit_error *err)
{
    agent *a = st;
    tc_numbers *pool = &a->base.pool[round % 2];
    tc_dp_pne_round r;
    TC_TRY(tc_dp_pne_round_init(&r, a->base.trials.env, a->o, round, err));
    if (n != 8 * r.cells)
        return tc_fail(err, TACIT_E_CORRUPT,
                       "a broadcast about depth %" PRIu32 " has %zu bytes, not %zu", r.depth,
                       8 * r.cells, n);
    pool->n = 0;
    TC_TRY(eliminate(&r, &client_of(a)->nodes, bytes, pool, err));
    ((tc_pne_client *)a->base.trials.client)->blur = r.blur;
    return tc_tree_agent_absorb(&a->base, round, pool, err);
}

const tc_optimizer_ops tc_dp_pne_agent = {
    .state_size = sizeof(agent),
    .init = init,
    .fini = tc_tree_agent_fini,
    .ask = tc_tree_trials_ask,
    .tell = tc_tree_agent_tell,
    .batch = &tc_tree_agent_batches,
    .need = tc_tree_agent_need,
    .publish = publish,
    .published = tc_tree_agent_published,
    .absorb = absorb,
    .skip = tc_tree_agent_skip,
};
