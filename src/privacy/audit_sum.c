/* audit_sum.c - attacks the Gaussian sum, with everybody and with sampled agents.
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

static tacit_status make_plan(state *s, tacit_error *err)
{
    static const uint32_t weights[] = {40000, 30000, 20000, 20000, 0, 50000};
    for (size_t i = 0; i < AGENTS * BLOCKS; i++)
        s->weights[i] = weights[i];
    s->plan = (tc_sum_plan){.agents = AGENTS,
                            .blocks = BLOCKS,
                            .width = WIDTH,
                            .groups = AGENTS,
                            .weights = s->weights,
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
    double norm = hypot(s->weights[0], s->weights[1]);
    for (size_t i = 0; i < BLOCKS; i++)
        s->direction[i] = s->weights[i] / norm;
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
static const setting sampled = {.multiplier = 1, .rate = 0.25, .rounds = 4};

const tc_audit_case tc_audit_sum = {
    .name = "gaussian-sum",
    .attack = "one agent's over-long vector or none; projection on its direction",
    .state_size = sizeof(state),
    .setting = &everybody,
    .open = prepare,
    .run = run,
};

const tc_audit_case tc_audit_sum_sampled = {
    .name = "gaussian-sum-sampled",
    .attack = "the same over 4 rounds at rate 0.25; likelihood ratio of the mixtures",
    .state_size = sizeof(state),
    .setting = &sampled,
    .open = prepare,
    .run = run,
};
