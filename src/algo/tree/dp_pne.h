/* dp_pne.h - pf-pne with privacy: the round that agents and aggregator share.
 *
 * Round r is about depth h = r + 1. An agent's vector has a coordinate for each of the k^h cells:
 * its mean there less 1/2 where the cell is in K^h, else 0; an agent that is absent counts as one whose
 * means are all 1/2. That draws all means towards 1/2, which keeps nodes; but a mean below 1/2 is
 * raised by it. So one whose lower bound, mean - b - beta, is below 1/2 is no reference in a second stage
 * (pne_client.c). The release is the sum of the vectors with
 * noise (privacy/mechanism.h), added by a coordinator that the agents trust. Each agent eliminates by
 * it, alone: all see the same numbers and hold the same K^h. Every width is widened by beta, beyond which the
 * noise of any cell of any round gets with probability delta/(c_1 T) at most: with L = ln(c_1 T/delta),
 *
 *     protect=client   all that an agent sends: a norm of at most S = sqrt(k^h)/2, Gaussian noise of sd z S,
 *                      beta = (z S/M) sqrt(2 (ln(2 k^h H_0) + L))
 *     protect=record   one reward. A vector has sums of n = ceil(tau_h/M) rewards, a public number, less n/2;
 *                      a reward moves one of them by 1 at most. Laplace noise of scale z, epsilon = 1/z,
 *                      beta = (z/(M n)) (ln(2 k^h H_0) + L)
 *
 * Trustees add up the vectors of agents in the same way (privacy/shared_sum.h), S is the same, and sd is that of the noise
 * that they deal. The Laplace noise of single rewards they do not deal.
 *
 * The second beta: of discrete Laplace noise X of scale t, P(|X| >= x) = 2 e^(-x/t) / (1 + e^(-1/t)) for whole
 * x >= 1, less than 2 e^(-x/t). At x = t (ln(2 k^h H_0) + L) that is delta/(c_1 T k^h H_0), and there are k^h
 * cells in each of H_0 rounds.
 *
 * No reward is in two sums: it is one of the n pulls of one cell of one depth, which pulls there are
 * follows from the broadcasts before, and the second stage stays with the agent. So H_0 releases cost a
 * reward what one of them costs. Used by dp_pne_*.c. */
#ifndef TC_ALGO_TREE_DP_PNE_H
#define TC_ALGO_TREE_DP_PNE_H

#include "algo/tree/pne.h"
#include "algo/tree/tree_agent.h"
#include "privacy/mechanism.h"

typedef enum tc_dp_pne_protect { TC_PROTECT_CLIENT, TC_PROTECT_RECORD } tc_dp_pne_protect;

typedef struct tc_dp_pne_options {
    tc_tree_range range;
    tc_pne_options bandit;
    int protect;             /* tc_dp_pne_protect */
    double noise_multiplier; /* z */
} tc_dp_pne_options;

typedef struct tc_dp_pne_round {
    tc_pne_law law;
    uint32_t depth;
    size_t cells; /* k^h */
    tc_dp_pne_protect protect;
    tc_sum_plan plan;       /* of agents, or ... */
    tc_shared_plan shared;  /* ... of agents by trustees, or ... */
    tc_record_plan records; /* ... of rewards */
    int grid;               /* of agents: a step of a coordinate is 2^-grid */
    tc_round_price price;
    double step;   /* of the release */
    double weight; /* what a sum is divided by: M, or M n */
    double blur;   /* beta */
} tc_dp_pne_round;

/* E_ARG: no round of this number, too many cells, noise that is out of range, or trustees for single rewards. */
tacit_status tc_dp_pne_round_init(tc_dp_pne_round *r, const tc_env *env, const void *opts,
                                  uint64_t round, tacit_error *err);
/* How many rounds there will be: H_0. */
uint32_t tc_dp_pne_rounds(const tc_env *env, const tc_dp_pne_options *o);

/* dp_pne_promise.c: tc_algorithm.promise */
tacit_status tc_dp_pne_promise(const tc_env *env, void *opts, double epsilon, double delta,
                               tacit_error *err);

extern const tc_optimizer_ops tc_dp_pne_agent;
extern const tc_aggregator_ops tc_dp_pne_aggregator;

#endif
