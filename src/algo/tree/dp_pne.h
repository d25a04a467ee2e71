/* dp_pne.h - pf-pne with privacy for every agent: the round that agents and aggregator share.
 *
 * Round r is about depth h = r + 1. An agent's vector has a coordinate for each of the k^h cells:
 * its mean there less 1/2 where the cell is in K^h, else 0. So its norm is at most S = sqrt(k^h)/2, and an
 * agent that is absent counts as one whose means are all 1/2. That draws all means towards 1/2, which keeps
 * nodes; only a mean below 1/2 may be raised by it, and is no reference in a second stage. The release is the sum of the
 * vectors with Gaussian noise of sd z S (privacy/mechanism.h). Each agent eliminates by it, alone: all
 * see the same numbers and hold the same K^h. Every width is widened by
 *
 *     beta = (sd of the noise / M) sqrt(2 (ln(2 k^h H_0) + ln(c_1 T/delta)))
 *
 * beyond which the noise of any cell of any round gets with probability delta/(c_1 T) at most. Used by
 * dp_pne_agent.c and dp_pne_aggregator.c. */
#ifndef TC_ALGO_TREE_DP_PNE_H
#define TC_ALGO_TREE_DP_PNE_H

#include "algo/tree/pne.h"
#include "algo/tree/tree_agent.h"
#include "privacy/mechanism.h"

typedef struct tc_dp_pne_options {
    tc_tree_range range;
    tc_pne_options bandit;
    double noise_multiplier; /* z */
} tc_dp_pne_options;

typedef struct tc_dp_pne_round {
    tc_pne_law law;
    uint32_t depth;
    size_t cells; /* k^h */
    tc_sum_plan plan;
    tc_sum_scale scale;
    double step; /* of the release */
    double blur; /* beta */
} tc_dp_pne_round;

/* E_ARG: no round of this number, or too many cells. */
tacit_status tc_dp_pne_round_init(tc_dp_pne_round *r, const tc_env *env, const void *opts,
                                  uint64_t round, tacit_error *err);
/* How many rounds there will be: H_0. */
uint32_t tc_dp_pne_rounds(const tc_env *env, const tc_dp_pne_options *o);

extern const tc_optimizer_ops tc_dp_pne_agent;
extern const tc_aggregator_ops tc_dp_pne_aggregator;

#endif
