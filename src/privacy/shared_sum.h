/* shared_sum.h - the Gaussian sum of mechanism.h where trustees add up and deal the noise (trustees.h).
 *
 * out[g] = sum of the vectors of the agents of group g + noise, for agents n of group n mod groups. What weights an algorithm gives
 * to groups is post-processing: so the sensitivity is the clip norm, exactly, whatever the weights are. All is in integers,
 * steps of 2^-grid, without any rounding: with the same integers and the same noise the result is that of a coordinator
 * that adds up by itself.
 *
 * Adjacency: all vectors of one agent are replaced by zero; the noise is still dealt. Clipping is done by each agent, for
 * nobody sees a vector: the promise is to an agent that clips its own.
 * Noise: each of r dealers draws a discrete Gaussian of s_k = ceil(s / sqrt(h)) steps in every coordinate, where s = ceil(z clip) and
 * h = r - c. A sum of h of them is within `distance` of a rounded Gaussian of variance h s_k^2 >= s^2. */
#ifndef TC_PRIVACY_SHARED_SUM_H
#define TC_PRIVACY_SHARED_SUM_H

#include "privacy/entropy.h"
#include "privacy/release.h"
#include "privacy/trustees.h"

/* By these words a ledger's entry of such a sum is known. */
#define TC_SHARED_ADJACENCY                                                                        \
    "all vectors of one agent are replaced by zero; roster, groups, clip norm and the terms of "   \
    "trustees are public constants, and trustees deal the same noise"

typedef struct tc_shared_plan {
    tc_trustees trustees;
    size_t agents, groups, width; /* the public roster; out: groups x width */
    int grid;                     /* a step is 2^-grid */
    uint64_t clip;                /* steps: the norm that an agent clips to */
    uint64_t multiplier;          /* z in 2^-32; 0: no noise, NOT PRIVATE */
} tc_shared_plan;

typedef struct tc_shared_scale {
    uint64_t dealt;       /* s_k, steps; in [2^20, 2^24] where there is noise */
    uint64_t most;        /* steps: a sum that is opened and has a coordinate beyond this is none */
    double sd;            /* of the noise of a round, steps: sqrt(r) s_k */
    tacit_dp_event event; /* what a round costs */
    double distance;      /* and its slack (release.h) */
    const char *adjacency; /* as the release will state it */
} tc_shared_scale;

/* Sets grid, clip and multiplier from real numbers; the other members are set already. clip_norm is rounded down, z up. */
tacit_status tc_shared_plan_set(tc_shared_plan *p, double clip_norm, double z, tacit_error *err);
/* Checks the plan and computes its scale; draws nothing. E_ARG names the member. */
tacit_status tc_shared_plan_scale(const tc_shared_plan *p, tc_shared_scale *out, tacit_error *err);
/* The noise of one dealer: groups x width integers. */
tacit_status tc_shared_noise(const tc_shared_plan *p, tc_entropy *e, int64_t *out,
                             tacit_error *err);
/* The release of sums that were opened. seeded: noise of dealers came from a seed, which stamps it. E_STATE: a sum is
 * beyond what agents and noise can add up to. */
tacit_status tc_shared_release(const tc_shared_plan *p, const int64_t *sums, bool seeded,
                               tc_release **out, tacit_error *err);

/* Test mode: the source of the noise that trustee `place` deals for a round. In a deployment and in a simulation with the
 * same seed it is the same, and what it makes is NOT PRIVATE. */
tc_entropy tc_shared_test_entropy(tc_test_noise *t, uint64_t seed, uint32_t place, uint64_t round);
/* Test mode: the secret from which a party deals in a round (share.h); trustees and agents have different ones. */
void tc_shared_test_secret(uint64_t seed, bool trustee, uint64_t number, uint64_t round,
                           uint8_t out[32]);

#endif
