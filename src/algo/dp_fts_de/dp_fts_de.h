/* dp_fts_de.h - what the files of the algorithm "dp-fts-de" share. Outside of this folder only
 * registry.c includes it.
 *
 * Federated Thompson sampling with distributed exploration (Dai, Low and Jaillet, NeurIPS 2021,
 * Algorithms 1 and 2). Every party derives the same random features from the public seed, so an
 * agent's knowledge is a vector of M weights. In a round that releases, agents send theirs, and
 * the coordinator broadcasts one weighted noisy sum for each of P sub-regions; an agent's next
 * query maximises its own Thompson draw, or what was broadcast for the region of each point.
 *
 * Rounds count from 0. Round r comes when an agent has its initial points and r more; iteration
 * t = r + 1 is the query after it. Everything in tc_de_options is a public constant of the study. */
#ifndef TC_ALGO_DP_FTS_DE_H
#define TC_ALGO_DP_FTS_DE_H

#include "algo/algorithm.h"
#include "algo/thompson/thompson.h"
#include "privacy/mechanism.h"

extern const tc_algorithm tc_algorithm_dp_fts_de;

enum { TC_DE_SOUND, TC_DE_PAPER };
enum { TC_DE_NORMAL, TC_DE_NOISE, TC_DE_UNIFORM };
enum { TC_DE_SQRT, TC_DE_INVERSE };
enum { TC_DE_AUTO, TC_DE_MEAN, TC_DE_DRAW };
enum { TC_DE_BY_REGION, TC_DE_EVERYWHERE }; /* of the options init and weights */
enum { TC_DE_POISSON, TC_DE_FIXED };

typedef struct tc_de_options {
    int64_t features, regions, initial, hold, fade;
    double lengthscale, noise, y_mean, y_scale;
    double clip, sampling_rate, noise_multiplier, gap, p1;
    int kernel, broadcast, mode, schedule, message, init, weights, sampling;
    bool unit;
    char *releases;
} tc_de_options;

/* ---- when (schedule.c) */

typedef struct tc_de_releases {
    bool all;
    uint64_t *rounds; /* ascending, where not all */
    size_t n;
} tc_de_releases;

#define TC_DE_NEVER UINT64_MAX

/* "all", "first", or rounds in ascending order: "0,1,4". */
tacit_status tc_de_releases_init(tc_de_releases *r, const char *text, tacit_error *err);
void tc_de_releases_fini(tc_de_releases *r);
/* The first round >= from that releases; TC_DE_NEVER if none does. */
uint64_t tc_de_releases_next(const tc_de_releases *r, uint64_t from);
/* 1 - p_t: how likely the query of iteration t = 1, 2, ... follows the broadcast. */
double tc_de_follow(const tc_de_options *o, uint64_t t);

/* ---- how much of whom, and at what cost (weights.c) */

enum { TC_DE_WEIGHT_BITS = 31 };

/* The region that an agent explores first. */
size_t tc_de_home(const tc_de_options *o, uint64_t agent);
/* a/T_r: the log of how much more an agent counts at home than elsewhere in round r. */
double tc_de_gap(const tc_de_options *o, uint64_t round);
/* phi_n^(i) of an agent n whose home is `home`. */
double tc_de_weight(const tc_de_options *o, uint64_t agents, uint64_t round, size_t home, size_t i);
/* Do agents send posterior means? Where noise is added it is randomness enough; without any, draws
 * make it the paper's FTS. */
bool tc_de_sends_mean(const tc_de_options *o);
/* The clip norm of one agent's vector, S/sqrt(P). */
double tc_de_clip(const tc_de_options *o);
/* The share of the agents that is expected in a sum: it is divided by this. */
double tc_de_rate(const tc_de_options *o, uint64_t agents);
/* sampling=fixed: how many agents are in a sum. */
uint64_t tc_de_sampled(const tc_de_options *o, uint64_t agents);

/* The sum of one round. Agents need its grid and their clip norm, the coordinator all of it. */
typedef struct tc_de_round {
    tc_sum_plan plan;
    uint64_t clip;     /* of an agent's vector, steps; plan.clip may be larger (mode=paper) */
    uint32_t *weights; /* of plan */
} tc_de_round;

/* everybody: with the weights of the whole roster, so that it can be summed; else of one agent for
 * each region, which gives the same grid and norms in O(P^2). */
tacit_status tc_de_round_init(tc_de_round *r, const tc_de_options *o, uint64_t agents,
                              uint64_t round, bool everybody, tacit_error *err);
void tc_de_round_fini(tc_de_round *r);

/* ---- what an agent sends (message.c) */

enum { TC_DE_HEADER = 16 };

typedef struct tc_de_form {
    uint64_t round;
    size_t width; /* M */
    int grid;
    uint64_t clip; /* no coordinate is beyond this, steps */
} tc_de_form;

void tc_de_message_write(const tc_de_form *f, const int64_t *v, tc_text *out);
/* v: width integers, or NULL to check alone. E_ARG: not a message of this form. */
tacit_status tc_de_message_read(const tc_de_form *f, const void *bytes, size_t n, int64_t *v,
                                tacit_error *err);
int64_t tc_de_int64(const void *little_endian);

/* ---- the two halves */

extern const tc_optimizer_ops tc_de_agent;
extern const tc_aggregator_ops tc_de_aggregator;

#endif
