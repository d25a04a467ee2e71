/* tree_agent.c - trials and rounds of an agent. See tree_agent.h. */
#include "algo/tree/tree_agent.h"

#include "base/error.h"

#include <inttypes.h>

static bool is_due(const tc_tree_agent *a)
{
    tc_pulls p;
    a->trials.bandit->ask(a->trials.client, &p);
    return p.n == 0;
}

static tacit_status go_on(tc_tree_agent *a, tacit_error *err)
{
    while (a->trials.env->agents == 0 && is_due(a))
        TC_TRY(a->trials.bandit->skip(a->trials.client, err));
    return TACIT_OK;
}

tacit_status tc_tree_agent_begin(tc_tree_agent *a, const tc_env *env, const tc_bandit *b,
                                 const tc_tree_range *range, const void *opts, tacit_error *err)
{
    TC_TRY(tc_tree_trials_init(&a->trials, env, b, range, opts, err));
    return go_on(a, err);
}

void tc_tree_agent_fini(void *st)
{
    tc_tree_agent *a = st;
    tc_tree_trials_fini(&a->trials);
    tc_numbers_fini(&a->pool[0]);
    tc_numbers_fini(&a->pool[1]);
}

tacit_status tc_tree_agent_tell(void *st, tacit_error *err)
{
    tc_tree_agent *a = st;
    if (a->waits)
        return TACIT_OK;
    TC_TRY(tc_tree_trials_tell(&a->trials, err));
    return go_on(a, err);
}

static tacit_status tell_batch(void *st, const tc_batch *batch, tacit_error *err)
{
    tc_tree_agent *a = st;
    if (a->waits)
        return TACIT_OK;
    TC_TRY(tc_tree_trials_tell_batch(&a->trials, batch, err));
    return go_on(a, err);
}

const tc_batch_ops tc_tree_agent_batches = {.ask = tc_tree_trials_ask_batch,
                                            .tell = tell_batch,
                                            .reward = tc_tree_trials_reward,
                                            .value = tc_tree_trials_value};

void tc_tree_agent_need(const void *st, tc_need *out)
{
    const tc_tree_agent *a = st;
    *out = (tc_need){.may = a->waits    ? 0u
                            : is_due(a) ? TC_NEED_PUBLISH
                                        : TC_NEED_TRIAL,
                     .must = a->waits ? TC_NEED_ABSORB : 0u,
                     .round = a->round};
}

tacit_status tc_tree_agent_published(void *st, uint64_t round, tacit_error *err)
{
    (void)round;
    (void)err;
    ((tc_tree_agent *)st)->waits = true;
    return TACIT_OK;
}

static void end_round(tc_tree_agent *a, uint64_t round)
{
    a->round = round + 1;
    a->waits = false;
}

tacit_status tc_tree_agent_skip(void *st, uint64_t round, tacit_error *err)
{
    tc_tree_agent *a = st;
    TC_TRY(a->trials.bandit->skip(a->trials.client, err));
    end_round(a, round);
    return TACIT_OK;
}

tacit_status tc_tree_agent_absorb(tc_tree_agent *a, uint64_t round, const tc_numbers *broadcast,
                                  tacit_error *err)
{
    TC_TRY(a->trials.bandit->absorb(a->trials.client, broadcast, err));
    end_round(a, round);
    return TACIT_OK;
}

tacit_status tc_tree_check_agent(const tc_env *env, uint64_t agent, tacit_error *err)
{
    uint64_t agents = env->agents ? env->agents : 1;
    if (agent < agents)
        return TACIT_OK;
    return tc_fail(err, TACIT_E_ARG, "agent %" PRIu64 " is not on the roster of %" PRIu64 " agents",
                   agent, agents);
}
