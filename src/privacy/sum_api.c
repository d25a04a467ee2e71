/* sum_api.c - the Gaussian sum from outside, in real numbers (include/tacit/release.h).
 *
 * The library's own sum is one of integers. Weights and vectors are brought to its grid here,
 * always toward zero, so that no agent counts for more than its weights and the clip norm say. */
#include "privacy/mechanism_int.h"
#include "privacy/public.h"
#include "privacy/release_int.h"

#include "base/error.h"
#include "base/memory.h"
#include "base/text.h"

#include <math.h>
#include <sodium.h>

struct tacit_sum {
    tc_sum *sum;
    size_t width;
    int grid;
    int64_t *v; /* width: the vector that is being folded */
};

static TC_SIZED(sized_plan, tacit_sum_plan, sampling_rate, sampling_rate);

/* ---- weights */

enum { MOST_WEIGHTS = 1 << 24, MOST_FRACTION = 31, WEIGHT_BITS = 32, SUM_BITS = 34 };

static tacit_status check_weights(const tacit_sum_plan *plan, tacit_error *err)
{
    if (plan->agents > MOST_WEIGHTS / plan->blocks)
        return tc_fail(err, TACIT_E_ARG,
                       "a sum has at most 2^24 weights, got %zu agents and %zu blocks",
                       plan->agents, plan->blocks);
    for (size_t i = 0; i < plan->agents * plan->blocks; i++)
        if (!(plan->weights[i] >= 0 && plan->weights[i] < 0x1p32)) {
            char number[32];
            tc_double_text(number, plan->weights[i]);
            return tc_fail(err, TACIT_E_ARG, "weights must be in [0, 2^32), got %s for agent %zu",
                           number, i / plan->blocks);
        }
    return TACIT_OK;
}

/* The exponent of the first power of two above x > 0. */
static int above(double x)
{
    int exponent;
    frexp(x, &exponent);
    return exponent;
}

static double largest_weight(const tacit_sum_plan *plan)
{
    double largest = 0;
    for (size_t i = 0; i < plan->agents * plan->blocks; i++)
        largest = fmax(largest, plan->weights[i]);
    return largest;
}

/* Over blocks, of all agents' weights. */
static double largest_sum(const tacit_sum_plan *plan)
{
    double largest = 0;
    for (size_t i = 0; i < plan->blocks; i++) {
        double sum = 0;
        for (size_t n = 0; n < plan->agents; n++)
            sum += plan->weights[n * plan->blocks + i];
        largest = fmax(largest, sum);
    }
    return largest;
}

/* Over agents, of one agent's weights in all blocks. */
static double largest_norm(const tacit_sum_plan *plan)
{
    double largest = 0;
    for (size_t n = 0; n < plan->agents; n++) {
        const double *w = plan->weights + n * plan->blocks;
        double square = 0;
        for (size_t i = 0; i < plan->blocks; i++)
            square += w[i] * w[i];
        largest = fmax(largest, sqrt(square));
    }
    return largest;
}

/* As many bits after the point as leave room for the largest weight, for all agents' weights in a
 * block, and for one agent's in all blocks. */
static tacit_status choose_bits(const tacit_sum_plan *plan, int *out, tacit_error *err)
{
    double sum = largest_sum(plan), norm = largest_norm(plan);
    if (!(sum > 0 && sum < 0x1p34))
        return tc_fail(err, TACIT_E_ARG,
                       "the weights of a block must add up to less than 2^34, and not all be 0, "
                       "got %.9g",
                       sum);
    if (!(norm < 0x1p34))
        return tc_fail(err, TACIT_E_ARG,
                       "the weights of an agent must have a norm over all blocks of less than "
                       "2^34, got %.9g",
                       norm);
    int bits = WEIGHT_BITS - above(largest_weight(plan)), room = SUM_BITS - above(fmax(sum, norm));
    bits = room < bits ? room : bits;
    *out = bits < MOST_FRACTION ? bits : MOST_FRACTION;
    return TACIT_OK;
}

/* *weights is for tc_free. */
static tacit_status set_weights(tc_sum_plan *p, const tacit_sum_plan *plan, uint32_t **weights,
                                tacit_error *err)
{
    int bits = 0;
    size_t n = plan->agents * plan->blocks;
    TC_TRY(check_weights(plan, err));
    TC_TRY(choose_bits(plan, &bits, err));
    uint32_t *all = tc_alloc(n, sizeof *all);
    if (!all)
        return tc_fail_memory(err);
    for (size_t i = 0; i < n; i++)
        all[i] = (uint32_t)ldexp(plan->weights[i], bits);
    p->groups = plan->agents;
    p->weights = all;
    p->weight_bits = (unsigned)bits;
    *weights = all;
    return TACIT_OK;
}

/* *weights is for tc_free, whatever happens. */
static tacit_status plan_of(const tacit_sum_plan *plan, tc_sum_plan *p, uint32_t **weights,
                            tacit_error *err)
{
    *weights = NULL;
    *p = (tc_sum_plan){.agents = plan->agents, .blocks = plan->blocks, .width = plan->width};
    if (plan->weights && plan->agents > 0 && plan->blocks > 0)
        TC_TRY(set_weights(p, plan, weights, err));
    return tc_sum_plan_set(p, plan->clip_norm, plan->noise_multiplier, plan->sampling_rate, err);
}

/* ---- what it costs */

static tacit_status cost_of(const tc_sum_plan *p, tacit_cost *out, tacit_error *err)
{
    tc_sum_scale scale;
    TC_TRY(tc_sum_plan_scale(p, &scale, err));
    tacit_cost cost = {.event = scale.event, .unit = TACIT_UNIT_AGENT, .distance = scale.distance};
    tc_sized_give(&tc_sized_cost, out, &cost);
    return TACIT_OK;
}

tacit_status tacit_sum_cost(const tacit_sum_plan *plan, tacit_cost *out, tacit_error *err)
{
    tc_sum_plan p;
    uint32_t *weights;
    tacit_sum_plan given;
    TC_TRY(tc_sized_take(&sized_plan, &given, plan, "plan", err));
    TC_TRY(tc_sized_check(&tc_sized_cost, out, "out", err));
    tacit_status status = plan_of(&given, &p, &weights, err);
    if (status == TACIT_OK)
        status = cost_of(&p, out, err);
    tc_free(weights);
    return status;
}

/* ---- open, fold, close */

static tacit_status open_sum(tacit_sum *s, const tacit_sum_plan *plan, tacit_error *err)
{
    tc_sum_plan p;
    uint32_t *weights;
    tacit_status status = plan_of(plan, &p, &weights, err);
    if (status == TACIT_OK) {
        tc_noise noise;
        tc_noise_init(&noise);
        tc_entropy entropy = tc_entropy_of(&noise);
        status = tc_sum_open(&s->sum, &p, &entropy, err);
        tc_noise_fini(&noise);
    }
    tc_free(weights);
    TC_TRY(status);
    s->width = p.width;
    s->grid = p.grid;
    s->v = tc_alloc(p.width, sizeof *s->v);
    return s->v ? TACIT_OK : tc_fail_memory(err);
}

tacit_status tacit_sum_open(tacit_sum **out, const tacit_sum_plan *plan, tacit_error *err)
{
    tacit_sum_plan given;
    TC_GIVEN(out);
    TC_TRY(tc_sized_take(&sized_plan, &given, plan, "plan", err));
    tacit_sum *s = tc_alloc(1, sizeof *s);
    if (!s)
        return tc_fail_memory(err);
    tacit_status status = open_sum(s, &given, err);
    if (status != TACIT_OK) {
        tacit_sum_free(s);
        return status;
    }
    *out = s;
    return TACIT_OK;
}

tacit_status tacit_sum_fold(tacit_sum *s, size_t agent, const double *v, tacit_error *err)
{
    TC_GIVEN(s);
    TC_GIVEN(v);
    for (size_t i = 0; i < s->width; i++)
        s->v[i] = tc_grid_truncate(v[i], s->grid);
    tacit_status status = tc_sum_fold(s->sum, agent, s->v, err);
    sodium_memzero(s->v, s->width * sizeof *s->v);
    return status;
}

tacit_status tacit_sum_close(tacit_sum *s, tacit_release **out, tacit_error *err)
{
    TC_GIVEN(s);
    TC_GIVEN(out);
    return tc_sum_close(s->sum, out, err);
}

void tacit_sum_free(tacit_sum *s)
{
    if (!s)
        return;
    tc_sum_free(s->sum);
    tc_free(s->v);
    tc_free(s);
}
