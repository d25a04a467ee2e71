/* audit_sum.c - attacks the Gaussian sum, with everybody, with sampled agents, with agents that have
 * homes (the short form of weights, whose vectors are summed by group before they are weighed), and as the vote of
 * dp-fts-de has it: one short block in which all count alike, with noise of its own.
 *
 * Worst-case neighbours: the agent with the largest weights, which is not the first of the roster,
 * contributes a vector far longer than the clip norm, or is absent. The vector is dense: held by its largest
 * coordinate instead of its norm it would be twice too long. Its signs alternate: noise that is the same in
 * two coordinates is gone from their difference, the vector is not. Where agents have homes, what counts
 * most is a weight away from home. The others send vectors at right angles to it, or nothing. The
 * release, projected on the direction of that contribution, is all that differs: N(mu, 1) against
 * N(0, 1) in units of the noise, mu = 1/z, and with sampling the mixture of both. The score is the
 * log-likelihood ratio, summed over the rounds; another is learned from all coordinates of all rounds. */
#include "privacy/audit_int.h"

#include "base/error.h"

#include <math.h>

enum { AGENTS = 3, BLOCKS = 2, WIDTH = 4, COUNT = BLOCKS * WIDTH, WEIGHT_BITS = 16 };
enum { VOTE = 9 }; /* coordinates of a vote */
enum { MOST_WIDTH = VOTE, MOST_COUNT = VOTE };
enum { TARGET = 1, OTHER = 0 }; /* agents */
enum { ROUNDS = 4 };            /* where agents are sampled */

typedef struct setting {
    double multiplier, rate;
    uint64_t rounds;
    enum { EACH, HOMES, ALIKE } weights;
} setting;

typedef struct state {
    setting setting;
    uint32_t weights[AGENTS * BLOCKS];
    tc_sum_plan plan;
    size_t count;                                  /* of coordinates in the release */
    int64_t target[MOST_WIDTH], other[MOST_WIDTH]; /* contributions, before clipping */
    double direction[MOST_COUNT];                  /* of the target in the release; unit length */
    double sd, shift;                              /* steps; units of sd */
} state;

/* One round: the target is in it in world 1. */
static tacit_status round_of(const state *s, int world, tc_entropy *e, tc_release **out,
                             tacit_error *err)
{
    tc_sum *sum;
    TC_TRY(tc_sum_open(&sum, &s->plan, e, err));
    tacit_status status = tc_sum_fold(sum, OTHER, s->other, err);
    if (status == TACIT_OK && world == 1)
        status = tc_sum_fold(sum, TARGET, s->target, err);
    if (status == TACIT_OK)
        status = tc_sum_close(sum, out, err);
    tc_sum_free(sum);
    return status;
}

/* By agent and block, or by block: first the weight of those at home in it, then that of others. The
 * target is at home in the second block. */
static const uint32_t each[] = {20000, 10000, 40000, 30000, 0, 30000};
static const uint32_t homes[] = {20000, 30000, 40000, 300};
static const uint32_t alike[] = {21845, 21845}; /* a third */

static tacit_status make_plan(state *s, tacit_error *err)
{
    static const uint32_t *const tables[] = {each, homes, alike};
    const size_t blocks = s->setting.weights == ALIKE ? 1 : BLOCKS;
    const bool short_form = s->setting.weights != EACH;
    const size_t n = short_form ? 2 * blocks : AGENTS * blocks;
    for (size_t i = 0; i < n; i++)
        s->weights[i] = tables[s->setting.weights][i];
    s->plan = (tc_sum_plan){.agents = AGENTS,
                            .blocks = blocks,
                            .width = s->setting.weights == ALIKE ? VOTE : WIDTH,
                            .groups = short_form ? blocks : AGENTS,
                            .weights = s->weights,
                            .away = short_form ? s->weights + blocks : NULL,
                            .weight_bits = WEIGHT_BITS};
    s->count = blocks * s->plan.width;
    return tc_sum_plan_set(&s->plan, 1, s->setting.multiplier, s->setting.rate, err);
}

/* Both tables of two blocks have the target's weights as 40000 and 30000. */
static double share_of_block(const state *s, size_t block)
{
    return s->plan.blocks == 1 ? 1 : block == 0 ? 0.8 : 0.6;
}

static void make_vectors(state *s)
{
    const size_t width = s->plan.width;
    for (size_t k = 0; k < width; k++) {
        int64_t far = 100 * (int64_t)s->plan.clip;
        s->other[k] = k == width - 1 && width % 2 == 1 ? 0 : far; /* at right angles */
        s->target[k] = k % 2 == 0 ? far : -far;
    }
    for (size_t i = 0; i < s->plan.blocks; i++)
        for (size_t k = 0; k < width; k++)
            s->direction[i * width + k] =
                share_of_block(s, i) * (k % 2 == 0 ? 1 : -1) / sqrt((double)width);
}

static tacit_status prepare(void *p, const void *which, tc_audit_claim *claim, tc_entropy *e,
                            tacit_error *err)
{
    state *s = p;
    s->setting = *(const setting *)which;
    TC_TRY(make_plan(s, err));
    tc_sum_scale scale;
    TC_TRY(tc_sum_plan_scale(&s->plan, &scale, err));
    make_vectors(s);
    s->sd = (double)scale.sd;
    s->shift = (double)scale.sensitivity / s->sd;
    tc_release *r;
    TC_TRY(round_of(s, 0, e, &r, err));
    tacit_status status = tc_audit_claim_of(r, s->setting.rounds, TC_AUDIT_DELTA, claim, err);
    tc_release_free(r);
    return status;
}

/* ln of the density with the target over the density without; x: the release in units of its noise. */
static double log_ratio(const state *s, const double *x)
{
    double along = 0, q = s->setting.rate;
    for (size_t i = 0; i < s->count; i++)
        along += s->direction[i] * x[i];
    return log1p(q * expm1(s->shift * along - s->shift * s->shift / 2));
}

static tacit_status run(void *p, int world, tc_entropy *e, tc_audit_look *look, tacit_error *err)
{
    const state *s = p;
    look->score = 0;
    for (uint64_t t = 0; t < s->setting.rounds; t++) {
        double *x = look->x + t * s->count;
        tc_release *r;
        TC_TRY(round_of(s, world, e, &r, err));
        for (size_t i = 0; i < s->count; i++)
            x[i] = (double)tc_release_get(r)->steps[i] / s->sd;
        look->score += log_ratio(s, x);
        tc_release_free(r);
    }
    return TACIT_OK;
}

static const setting everybody = {.multiplier = 1, .rate = 1, .rounds = 1};
static const setting at_home = {.multiplier = 1, .rate = 1, .rounds = 1, .weights = HOMES};
static const setting vote = {.multiplier = 2, .rate = 1, .rounds = 1, .weights = ALIKE};
static const setting sampled = {.multiplier = 1, .rate = 0.25, .rounds = ROUNDS};
_Static_assert(ROUNDS *COUNT <= TC_AUDIT_FEATURES, "every coordinate of every round is looked at");

const tc_audit_case tc_audit_sum = {
    .name = "gaussian-sum",
    .attack = "one agent's over-long dense vector or none; projection on its direction, or learned",
    .features = COUNT,
    .state_size = sizeof(state),
    .setting = &everybody,
    .open = prepare,
    .run = run,
};

const tc_audit_case tc_audit_sum_homes = {
    .name = "gaussian-sum-homes",
    .attack = "the same where agents count by their home, and most away from it",
    .features = COUNT,
    .state_size = sizeof(state),
    .setting = &at_home,
    .open = prepare,
    .run = run,
};

const tc_audit_case tc_audit_sum_vote = {
    .name = "gaussian-sum-vote",
    .attack = "one agent's over-long vote or none; projection on its direction, or learned",
    .features = VOTE,
    .state_size = sizeof(state),
    .setting = &vote,
    .open = prepare,
    .run = run,
};

const tc_audit_case tc_audit_sum_sampled = {
    .name = "gaussian-sum-sampled",
    .attack = "one agent's vector or none over 4 rounds at rate 0.25; likelihood ratio, or learned",
    .features = ROUNDS * COUNT,
    .state_size = sizeof(state),
    .setting = &sampled,
    .open = prepare,
    .run = run,
};
