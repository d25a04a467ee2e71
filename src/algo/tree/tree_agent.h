/* tree_agent.h - what the agents of tree_federated.c and dp_pne_agent.c have in common: trials that are
 * pulls of a federated bandit, and rounds that begin when it waits.
 *
 * Rounds count from 0. An agent without a roster has no rounds, as if each had been skipped. Values that arrive
 * between an agent's message and the broadcast do not count. The functions are members of a
 * tc_optimizer_ops over a tc_tree_agent, or over a struct that begins with one; `ask` is tc_tree_trials_ask. */
#ifndef TC_ALGO_TREE_TREE_AGENT_H
#define TC_ALGO_TREE_TREE_AGENT_H

#include "algo/tree/tree_trials.h"

typedef struct tc_tree_agent {
    tc_tree_trials trials;
    uint64_t round;
    bool waits;
    tc_numbers pool[2]; /* the broadcast of this round, and of the one before */
} tc_tree_agent;

tacit_status tc_tree_agent_begin(tc_tree_agent *a, const tc_env *env, const tc_bandit *b,
                                 const tc_tree_range *range, const void *opts, tacit_error *err);
/* The bandit takes in what has been made of the broadcast: the round is over. */
tacit_status tc_tree_agent_absorb(tc_tree_agent *a, uint64_t round, const tc_numbers *broadcast,
                                  tacit_error *err);

void tc_tree_agent_fini(void *st);
tacit_status tc_tree_agent_tell(void *st, tacit_error *err);
extern const tc_batch_ops tc_tree_agent_batches;
void tc_tree_agent_need(const void *st, tc_need *out);
tacit_status tc_tree_agent_published(void *st, uint64_t round, tacit_error *err);
tacit_status tc_tree_agent_skip(void *st, uint64_t round, tacit_error *err);

/* E_ARG: nobody on the roster. */
tacit_status tc_tree_check_agent(const tc_env *env, uint64_t agent, tacit_error *err);

#endif
