/* dp_pne_round.c - the rounds of dp-pf-pne: cells, noise and widths. See dp_pne.h. */
#include "algo/tree/dp_pne.h"

#include "base/error.h"
#include "num/vmath.h"

#include <inttypes.h>
#include <math.h>

enum { CELLS_MAX = 1 << 16, REWARD_BITS = 28 };

/* For sums of rewards: 1/z is an epsilon, and the noise within what a sampler can do. */
#define RECORD_Z_MIN 0.001
#define RECORD_Z_MAX 2000

uint32_t tc_dp_pne_rounds(const tc_env *env, const tc_dp_pne_options *o)
{
    tc_bandit_env be = tc_tree_env(env);
    return tc_pne_law_of(&be, &o->bandit, true).last;
}

/* ln(2 k^h H_0) + ln(c_1 T/delta) */
static double tail(const tc_dp_pne_round *r)
{
    return tc_agreed_log(2 * (double)r->cells * (double)r->law.last) + r->law.log_term;
}

/* Steps of 2^-grid, and the noise in them. */
static void set_blur(tc_dp_pne_round *r, int grid, double sd)
{
    r->step = ldexp(1, -grid);
    r->weight = r->law.clients;
    r->blur = sd * r->step / r->weight * sqrt(2 * tail(r));
}

static tacit_status sum_shares(tc_dp_pne_round *r, const tc_trustees *trustees, double z,
                               tacit_error *err)
{
    tc_shared_scale scale;
    r->shared = (tc_shared_plan){
        .trustees = *trustees, .agents = (size_t)r->law.clients, .groups = 1, .width = r->cells};
    TC_TRY(tc_shared_plan_set(&r->shared, sqrt((double)r->cells) / 2, z, err));
    TC_TRY(tc_shared_plan_scale(&r->shared, &scale, err));
    r->price = (tc_round_price){scale.event, scale.distance, scale.adjacency};
    r->grid = r->shared.grid;
    set_blur(r, r->shared.grid, scale.sd);
    return TACIT_OK;
}

static tacit_status sum_agents(tc_dp_pne_round *r, double z, tacit_error *err)
{
    tc_sum_scale scale;
    r->plan = (tc_sum_plan){.agents = (size_t)r->law.clients, .blocks = 1, .width = r->cells};
    TC_TRY(tc_sum_plan_fit(&r->plan, sqrt((double)r->cells) / 2, z, 1, &scale, err));
    r->price = (tc_round_price){scale.event, scale.distance, scale.adjacency};
    r->grid = r->plan.grid;
    set_blur(r, scale.grid, (double)scale.sd);
    return TACIT_OK;
}

static tacit_status sum_rewards(tc_dp_pne_round *r, double z, tacit_error *err)
{
    tc_record_scale scale;
    uint64_t n = tc_pne_share(&r->law, r->depth);
    if (!(z >= RECORD_Z_MIN && z <= RECORD_Z_MAX))
        return tc_fail(err, TACIT_E_ARG,
                       "with protect=record, noise_multiplier must be in [%g, %d], got %g",
                       RECORD_Z_MIN, RECORD_Z_MAX, z);
    if (n >> (60 - REWARD_BITS))
        return tc_fail(err, TACIT_E_ARG,
                       "depth %" PRIu32 " has %" PRIu64 " pulls of a cell, too many to add up",
                       r->depth, n);
    r->records = (tc_record_plan){.agents = (size_t)r->law.clients,
                                  .width = r->cells,
                                  .reach = n << (REWARD_BITS - 1),
                                  .record = TC_REWARD_ONE,
                                  .grid = REWARD_BITS,
                                  .epsilon = 1 / z};
    TC_TRY(tc_record_plan_scale(&r->records, &scale, err));
    r->price = (tc_round_price){scale.event, 0, scale.adjacency};
    r->step = ldexp(1, -REWARD_BITS);
    r->weight = r->law.clients * (double)n;
    r->blur = (double)scale.scale * r->step / r->weight * tail(r);
    return TACIT_OK;
}

tacit_status tc_dp_pne_round_init(tc_dp_pne_round *r, const tc_env *env, const void *opts,
                                  uint64_t round, tacit_error *err)
{
    const tc_dp_pne_options *o = opts;
    tc_bandit_env be = tc_tree_env(env);
    *r = (tc_dp_pne_round){.law = tc_pne_law_of(&be, &o->bandit, true),
                           .protect = (tc_dp_pne_protect)o->protect};
    if (env->trustees.count > 0 && r->protect == TC_PROTECT_RECORD)
        return tc_fail(err, TACIT_E_ARG,
                       "federation.trustees: protect must be client, got record: trustees deal no "
                       "noise for single rewards");
    if (round >= r->law.last)
        return tc_fail(err, TACIT_E_ARG, "round %" PRIu64 " comes after the last of %" PRIu32,
                       round, r->law.last);
    r->depth = (uint32_t)round + 1;
    r->cells = 1;
    for (uint32_t d = 0; d < r->depth && r->cells <= CELLS_MAX; d++)
        r->cells *= r->law.k;
    if (r->cells > CELLS_MAX)
        return tc_fail(err, TACIT_E_ARG,
                       "depth %" PRIu32 " has more than %d cells; choose a larger gap or a smaller "
                       "transition",
                       r->depth, CELLS_MAX);
    if (r->protect == TC_PROTECT_RECORD)
        return sum_rewards(r, o->noise_multiplier, err);
    return env->trustees.count > 0 ? sum_shares(r, &env->trustees, o->noise_multiplier, err)
                                   : sum_agents(r, o->noise_multiplier, err);
}
