/* dp_fts_de.h - what the files of the algorithm "dp-fts-de" share. Outside of this folder only
 * registry.c and a benchmark include it.
 *
 * Federated Thompson sampling with distributed exploration (Dai, Low and Jaillet, NeurIPS 2021,
 * Algorithms 1 and 2). Every party derives the same random features from the public seed, so an
 * agent's knowledge is a vector of M weights. In a round that releases, agents send theirs, and
 * the coordinator broadcasts one weighted noisy sum for each of P sub-regions; an agent's next
 * query maximises its own Thompson draw, or what was broadcast for the region of each point.
 *
 * Rounds count from 0. Release r of weights comes when an agent has its initial points and r more; iteration
 * t = r + 1 is the query after it. It is round r, or round r + 1 where round 0 is the vote (vote.c). Everything in tc_dp_fts_de_options is a public constant of the study. */
#ifndef TC_ALGO_DP_FTS_DE_H
#define TC_ALGO_DP_FTS_DE_H

#include "algo/algorithm.h"
#include "algo/expect.h"
#include "algo/thompson/thompson.h"
#include "privacy/mechanism.h"

extern const tc_algorithm tc_algorithm_dp_fts_de;

enum { TC_DP_FTS_DE_SOUND, TC_DP_FTS_DE_PAPER };
enum {
    TC_DP_FTS_DE_NORMAL,
    TC_DP_FTS_DE_NOISE,
    TC_DP_FTS_DE_UNIFORM,
    TC_DP_FTS_DE_NONE,
    TC_DP_FTS_DE_STRANGE,
    TC_DP_FTS_DE_REVERSED
};
enum { TC_DP_FTS_DE_SQRT, TC_DP_FTS_DE_INVERSE };
enum { TC_DP_FTS_DE_AUTO, TC_DP_FTS_DE_MEAN, TC_DP_FTS_DE_DRAW };
enum { TC_DP_FTS_DE_INIT_AUTO, TC_DP_FTS_DE_INIT_REGION, TC_DP_FTS_DE_INIT_DOMAIN };
enum { TC_DP_FTS_DE_BY_REGION, TC_DP_FTS_DE_EVERYWHERE }; /* of the option weights */
enum { TC_DP_FTS_DE_POISSON, TC_DP_FTS_DE_FIXED };
enum { TC_DP_FTS_DE_POINT, TC_DP_FTS_DE_PRIOR };
enum { TC_DP_FTS_DE_EVEN, TC_DP_FTS_DE_DRAWN };
enum { TC_DP_FTS_DE_OWN_FEATURES, TC_DP_FTS_DE_OWN_GP };
enum { TC_DP_FTS_DE_VOTE_AUTO, TC_DP_FTS_DE_VOTE_YES, TC_DP_FTS_DE_VOTE_NO };

typedef struct tc_dp_fts_de_options {
    int64_t features, regions, initial, hold, fade;
    double lengthscale, noise, y_mean, y_scale;
    double clip, sampling_rate, noise_multiplier, vote_multiplier, gap, p1;
    int kernel, broadcast, mode, schedule, message, init, weights, sampling, absorb, spectrum, own,
        vote;
    bool unit;
    char *releases;
} tc_dp_fts_de_options;

/* P. Where a promise chose, it has put a number in place of 0. */
static inline size_t tc_dp_fts_de_regions(const tc_dp_fts_de_options *o)
{
    return o->regions > 0 ? (size_t)o->regions : o->own == TC_DP_FTS_DE_OWN_GP ? 1 : 4;
}

/* Does round 0 find the length-scale? Auto is no: where a promise chose, it has put a word in its place. */
static inline bool tc_dp_fts_de_votes(const tc_dp_fts_de_options *o)
{
    return o->vote == TC_DP_FTS_DE_VOTE_YES;
}

static inline bool tc_dp_fts_de_is_vote(const tc_dp_fts_de_options *o, uint64_t round)
{
    return tc_dp_fts_de_votes(o) && round == 0;
}

/* E_ARG: options that contradict each other, whoever has them. */
tacit_status tc_dp_fts_de_check(const tc_dp_fts_de_options *o, tacit_error *err);
/* E_ARG: options of which trustees know nothing, where there are trustees. */
tacit_status tc_dp_fts_de_check_trustees(const tc_env *env, const tc_dp_fts_de_options *o,
                                         tacit_error *err);

/* ---- when (schedule.c) */

typedef struct tc_dp_fts_de_releases {
    bool all;
    uint64_t *rounds; /* ascending, where not all */
    size_t n;
} tc_dp_fts_de_releases;

#define TC_DP_FTS_DE_NEVER UINT64_MAX

/* "all", "first", or rounds in ascending order: "0,1,4". "auto" is all: where a promise chose, it
 * has put a list in its place. */
tacit_status tc_dp_fts_de_releases_init(tc_dp_fts_de_releases *r, const char *text,
                                        tacit_error *err);
void tc_dp_fts_de_releases_fini(tc_dp_fts_de_releases *r);
/* The first round >= from that releases; TC_DP_FTS_DE_NEVER if none does. */
uint64_t tc_dp_fts_de_releases_next(const tc_dp_fts_de_releases *r, uint64_t from);
/* The first round >= from, the vote among them; TC_DP_FTS_DE_NEVER. */
uint64_t tc_dp_fts_de_next_round(const tc_dp_fts_de_options *o, const tc_dp_fts_de_releases *r,
                                 uint64_t from);
/* Which release of weights this round is; not of the vote. */
uint64_t tc_dp_fts_de_release_of(const tc_dp_fts_de_options *o, uint64_t round);
/* 1 - p_t: how likely the query of iteration t = 1, 2, ... follows the broadcast. */
double tc_dp_fts_de_follow(const tc_dp_fts_de_options *o, uint64_t t);

/* ---- what a promise asks for (plan.c): promise of tc_algorithm */

tacit_status tc_dp_fts_de_promise(const tc_env *env, void *opts, double epsilon, double delta,
                                  tacit_error *err);
/* resolve_defaults of tc_algorithm: P, S, the kind of message, the rounds that release, and the length-scale unless
 * it is found by vote. */
tacit_status tc_dp_fts_de_resolve_defaults(const tc_env *env, void *opts, tacit_error *err);

/* ---- what may be gained at best (gain.c): expect of tc_algorithm */

tacit_status tc_dp_fts_de_expect(const tc_env *env, const void *opts, tc_expect *out,
                                 tacit_error *err);

/* Simulated regrets over those without broadcasts. Rows of one dimension and number of initial points stand together and
 * ascend in left_open; no ratio falls in it. at[t].ratio is 0 where the simulations ended before. */
typedef struct tc_dp_fts_de_gain_row {
    size_t dim, initial;
    double left_open;
    tc_expect_ratio at[TC_EXPECT_POINTS];
} tc_dp_fts_de_gain_row;

typedef struct tc_dp_fts_de_gain_table {
    const tc_dp_fts_de_gain_row *rows;
    size_t n;
    const size_t *dims, *initials; /* ascending */
    size_t n_dims, n_initials;
} tc_dp_fts_de_gain_table;

/* The ratio at point t of the table; false: it has none. */
bool tc_dp_fts_de_gain_at(const tc_dp_fts_de_gain_table *table, size_t dim, size_t initial,
                          double open, size_t t, tc_expect_ratio *out);

/* ---- how much room an agent has for models (prior.c) */

/* absorb=prior has a model of M^2 numbers for every region that an agent has seen. */
double tc_dp_fts_de_room(
    const tc_dp_fts_de_options *o); /* numbers in all of them; INFINITY: there is one model */
tacit_status tc_dp_fts_de_check_room(const tc_dp_fts_de_options *o,
                                     tacit_error *err); /* E_ARG: more */

/* ---- the vote (vote.c) */

/* Numbers in a vote; values that an agent must have to say anything. */
enum { TC_DP_FTS_DE_VOTE_GRID = 9, TC_DP_FTS_DE_VOTE_VALUES = 3 };
#define TC_DP_FTS_DE_VOTE_CLIP 1.0

double tc_dp_fts_de_vote_lengthscale(size_t dim, size_t j); /* j < TC_DP_FTS_DE_VOTE_GRID */
/* Which one is picked; sd: of the noise in each coordinate of the mean. */
size_t tc_dp_fts_de_vote_pick(const double *mean, double sd);
/* As given, or the usual one; not of a study that votes. */
static inline double tc_dp_fts_de_lengthscale(const tc_dp_fts_de_options *o, size_t dim)
{
    return o->lengthscale > 0 ? o->lengthscale : tc_usual_lengthscale(dim);
}

/* ---- how much of whom, and at what cost (weights.c) */

enum { TC_DP_FTS_DE_WEIGHT_BITS = 31 };

/* The region that an agent explores first. */
size_t tc_dp_fts_de_start_region(const tc_dp_fts_de_options *o, uint64_t agent);
/* a/T_r: the log of how much more an agent counts in its start region than elsewhere in release r. */
double tc_dp_fts_de_gap(const tc_dp_fts_de_options *o, uint64_t release);
/* phi_n^(i) of an agent n whose start region is `start`. */
double tc_dp_fts_de_weight(const tc_dp_fts_de_options *o, uint64_t agents, uint64_t release,
                           size_t start, size_t i);
/* Do agents send posterior means? Where noise is added it is randomness enough; without any, draws
 * make it the paper's FTS. */
bool tc_dp_fts_de_sends_mean(const tc_dp_fts_de_options *o);
/* The clip norm of one agent's vector, S/sqrt(P). */
double tc_dp_fts_de_clip(const tc_dp_fts_de_options *o);
/* The share of the agents that is expected in a sum: it is divided by this. */
double tc_dp_fts_de_rate(const tc_dp_fts_de_options *o, uint64_t agents);
/* sampling=fixed: how many agents are in a sum. */
uint64_t tc_dp_fts_de_sampled(const tc_dp_fts_de_options *o, uint64_t agents);

/* The sum of one round, the same for all parties: O(P), however many agents there are. A coordinator adds up by `plan`, and
 * its broadcast has a weighted sum for each region. Trustees add up by `shared`: then the broadcast has the sums of
 * groups as they are, whoever reads it weighs them, and of `plan` only the roster and the weights are set (broadcast.c). */
typedef struct tc_dp_fts_de_round {
    tc_sum_plan plan;
    tc_shared_plan shared; /* trustees.count 0: there are none */
    int grid;              /* a step of an agent's vector is 2^-grid */
    uint64_t clip;         /* of that vector, steps; plan.clip may be larger (mode=paper) */
    int release_grid;      /* a step of the broadcast is 2^-release_grid */
    uint32_t *weights;     /* of plan: in the start region, then in others */
    double rate;           /* what a broadcast is divided by */
    double sd;             /* of the noise in one of its numbers, after that */
    tc_round_price price;
} tc_dp_fts_de_round;

/* E_ARG: options that contradict each other, or that do not go with trustees. */
tacit_status tc_dp_fts_de_round_init(tc_dp_fts_de_round *r, const tc_env *env,
                                     const tc_dp_fts_de_options *o, uint64_t round,
                                     tacit_error *err);
void tc_dp_fts_de_round_fini(tc_dp_fts_de_round *r);

/* How the messages of a round must look. */
typedef struct tc_dp_fts_de_form {
    uint64_t round;
    size_t width; /* M */
    int grid;
    uint64_t clip; /* no coordinate is beyond this, steps */
} tc_dp_fts_de_form;

tc_dp_fts_de_form tc_dp_fts_de_round_form(const tc_dp_fts_de_round *r, uint64_t round);
/* The same for who needs nothing else of the round. */
tacit_status tc_dp_fts_de_form_init(tc_dp_fts_de_form *f, const tc_env *env,
                                    const tc_dp_fts_de_options *o, uint64_t round,
                                    tacit_error *err);

/* ---- what comes back (broadcast.c) */

/* How many numbers a broadcast has. */
size_t tc_dp_fts_de_broadcast_count(const tc_dp_fts_de_round *r);
/* omega: a vector of the plan's width for each of its blocks. */
void tc_dp_fts_de_broadcast_read(const tc_dp_fts_de_round *r, const void *bytes, double *omega);
/* The sd of the noise in each coordinate of omega of this block. */
double tc_dp_fts_de_broadcast_noise(const tc_dp_fts_de_round *r, size_t block);
/* How much group g counts in this block, where there are trustees: g < shared.groups. */
double tc_dp_fts_de_share_of(const tc_dp_fts_de_round *r, size_t g, size_t block);

/* ---- what an agent sends (message.c) */

enum { TC_DP_FTS_DE_HEADER = 16 };

void tc_dp_fts_de_message_write(const tc_dp_fts_de_form *f, const int64_t *v, tc_text *out);
/* v: width integers, or NULL to check alone. E_ARG: not a message of this form. */
tacit_status tc_dp_fts_de_message_read(const tc_dp_fts_de_form *f, const void *bytes, size_t n,
                                       int64_t *v, tacit_error *err);
int64_t tc_dp_fts_de_int64(const void *little_endian);
/* omega = unit x for the n integers x of a broadcast. */
void tc_dp_fts_de_numbers_read(const void *bytes, size_t n, double unit, double *omega);

/* ---- one configuration for all (common.c): recommend of tc_aggregator_ops */

tacit_status tc_dp_fts_de_recommend(const tc_env *env, const void *opts, const tc_broadcast *heard,
                                    size_t n, tc_common *out, tacit_error *err);

/* ---- the two halves */

extern const tc_optimizer_ops tc_dp_fts_de_agent;
extern const tc_aggregator_ops tc_dp_fts_de_aggregator;

#endif
