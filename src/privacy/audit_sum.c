/* audit_sum.c - attacks the Gaussian sum, with everybody, with sampled agents, and with agents that have
 * homes (the short form of weights, whose vectors are summed by group before they are weighed).
 *
 * Worst-case neighbours: the agent with the largest weights contributes a vector far longer than
 * the clip norm, or is absent. The others send vectors at right angles to it, or nothing. The
 * release, projected on the direction of that contribution, is all that differs: N(mu, 1) against
 * N(0, 1) in units of the noise, mu = 1/z, and with sampling the mixture of both. The score is the
 * log-likelihood ratio, summed over the rounds. */
#include "privacy/audit_int.h"

#include "base/error.h"

#include <math.h>

enum { AGENTS = 3, BLOCKS = 2, WIDTH = 3, WEIGHT_BITS = 16 };

typedef struct setting {
    double multiplier, rate;
    uint64_t rounds;
    bool homes;
} setting;

typedef struct state {
    setting setting;
    uint32_t weights[AGENTS * BLOCKS];
    tc_sum_plan plan;
    int64_t target[WIDTH], other[WIDTH]; /* contributions, before clipping */
    double direction[BLOCKS];            /* on the first coordinate of each block; unit length */
    double sd, shift;                    /* steps; units of sd */
} state;

/* One round: the target is in it in world 1. */
static tacit_status round_of(const state *s, int world, tc_entropy *e, tc_release **out,
                             tacit_error *err)
{
    tc_sum *sum;
    TC_TRY(tc_sum_open(&sum, &s->plan, e, err));
    tacit_status status = tc_sum_fold(sum, 1, s->other, err);
    if (status == TACIT_OK && world == 1)
        status = tc_sum_fold(sum, 0, s->target, err);
    if (status == TACIT_OK)
        status = tc_sum_close(sum, out, err);
    tc_sum_free(sum);
    return status;
}

/* Agents 0 and 2 are at home in the first block; the numbers after BLOCKS are those of others. */
static tacit_status make_plan(state *s, tacit_error *err)
{
    static const uint32_t each[] = {40000, 30000, 20000, 20000, 0, 50000};
    static const uint32_t homes[] = {40000, 30000, 300, 20000};
    const size_t n = s->setting.homes ? 2 * BLOCKS : AGENTS * BLOCKS;
    for (size_t i = 0; i < n; i++)
        s->weights[i] = s->setting.homes ? homes[i] : each[i];
    s->plan = (tc_sum_plan){.agents = AGENTS,
                            .blocks = BLOCKS,
                            .width = WIDTH,
                            .groups = s->setting.homes ? BLOCKS : AGENTS,
                            .weights = s->weights,
                            .away = s->setting.homes ? s->weights + BLOCKS : NULL,
                            .weight_bits = WEIGHT_BITS};
    return tc_sum_plan_set(&s->plan, 1, s->setting.multiplier, s->setting.rate, err);
}

static tacit_status prepare(void *p, const void *which, tc_audit_claim *claim, tc_entropy *e,
                            tacit_error *err)
{
    state *s = p;
    s->setting = *(const setting *)which;
    TC_TRY(make_plan(s, err));
    tc_sum_scale scale;
    TC_TRY(tc_sum_plan_scale(&s->plan, &scale, err));
    s->target[0] = 100 * (int64_t)s->plan.clip;
    s->other[1] = 100 * (int64_t)s->plan.clip;
    double first = s->weights[0], second = s->weights[s->setting.homes ? BLOCKS + 1 : 1];
    s->direction[0] = first / hypot(first, second);
    s->direction[1] = second / hypot(first, second);
    s->sd = (double)scale.sd;
    s->shift = (double)scale.sensitivity / s->sd;
    tc_release *r;
    TC_TRY(round_of(s, 0, e, &r, err));
    tacit_status status = tc_audit_claim_of(r, s->setting.rounds, TC_AUDIT_DELTA, claim, err);
    tc_release_free(r);
    return status;
}

/* ln of the density with the target over the density without. */
static double log_ratio(const state *s, const tc_release *r)
{
    double x = 0, q = s->setting.rate;
    for (size_t i = 0; i < BLOCKS; i++)
        x += s->direction[i] * (double)tc_release_get(r)->steps[i * WIDTH] / s->sd;
    return log1p(q * expm1(s->shift * x - s->shift * s->shift / 2));
}

static tacit_status run(void *p, int world, tc_entropy *e, double *score, tacit_error *err)
{
    const state *s = p;
    *score = 0;
    for (uint64_t t = 0; t < s->setting.rounds; t++) {
        tc_release *r;
        TC_TRY(round_of(s, world, e, &r, err));
        *score += log_ratio(s, r);
        tc_release_free(r);
    }
    return TACIT_OK;
}

static const setting everybody = {.multiplier = 1, .rate = 1, .rounds = 1};
static const setting at_home = {.multiplier = 1, .rate = 1, .rounds = 1, .homes = true};
static const setting sampled = {.multiplier = 1, .rate = 0.25, .rounds = 4};

const tc_audit_case tc_audit_sum = {
    .name = "gaussian-sum",
    .attack = "one agent's over-long vector or none; projection on its direction",
    .state_size = sizeof(state),
    .setting = &everybody,
    .open = prepare,
    .run = run,
};

const tc_audit_case tc_audit_sum_homes = {
    .name = "gaussian-sum-homes",
    .attack = "the same where agents count by their home",
    .state_size = sizeof(state),
    .setting = &at_home,
    .open = prepare,
    .run = run,
};

const tc_audit_case tc_audit_sum_sampled = {
    .name = "gaussian-sum-sampled",
    .attack =
        "one agent's vector or none over 4 rounds at rate 0.25; likelihood ratio of the mixtures",
    .state_size = sizeof(state),
    .setting = &sampled,
    .open = prepare,
    .run = run,
};
