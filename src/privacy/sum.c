/* sum.c - the Gaussian sum (mechanism.h): plan, open, fold, close.
 *
 * The sum begins as noise, drawn when it is opened; vectors are then added in any order, each
 * clipped and weighted here, so that no caller can exceed the sensitivity. Integer addition does
 * not depend on the order. open refuses plans for which any fold could overflow; later nothing
 * depends on the data but the sums. */
#include "privacy/mechanism_int.h"
#include "privacy/release_int.h"
#include "privacy/sampler.h"

#include "base/error.h"

#include <math.h>
#include <sodium.h>
#include <string.h>

enum { MAX_AGENTS = 1 << 24, MAX_WEIGHT_BITS = 31, PLAN_SD_BITS = 22, SUM_BITS = 61 };

struct tc_sum {
    tc_sum_plan plan; /* with weights of its own */
    tc_sum_scale scale;
    bool secret, closed;
    uint32_t *weights;
    uint8_t *folded, *sampled; /* by agent; sampled is a secret */
    int64_t *scratch;          /* width */
    int64_t *total;            /* blocks x width: noise, then noise and data */
    tc_arena memory;
};

/* ---- the plan */

static tacit_status check_shape(const tc_sum_plan *p, tacit_error *err)
{
    if (p->agents == 0 || p->agents > MAX_AGENTS)
        return tc_fail(err, TACIT_E_ARG, "agents must be in 1..%d, got %zu", MAX_AGENTS, p->agents);
    if (p->blocks == 0 || p->width == 0 || p->blocks > TC_CLIP_MAX_COUNT / p->width)
        return tc_fail(err, TACIT_E_ARG, "a sum has 1 to %zu coordinates, got %zu blocks of %zu",
                       TC_CLIP_MAX_COUNT, p->blocks, p->width);
    if (p->weight_bits > (p->weights != NULL ? MAX_WEIGHT_BITS : 0))
        return tc_fail(err, TACIT_E_ARG, "weight_bits must be in 0..%d (0 without weights), got %u",
                       MAX_WEIGHT_BITS, p->weight_bits);
    return TACIT_OK;
}

static tacit_status check_numbers(const tc_sum_plan *p, tacit_error *err)
{
    if (p->clip == 0 || p->clip > TC_CLIP_MAX)
        return tc_fail(err, TACIT_E_ARG, "the clip norm must be in 1..2^40 steps, got %llu",
                       (unsigned long long)p->clip);
    if (p->rate == 0 || p->rate > TC_SUM_ONE)
        return tc_fail(err, TACIT_E_ARG, "the sampling rate must be in (0, 1], got %g",
                       ldexp((double)p->rate, -32));
    if (p->multiplier > 1000000 * TC_SUM_ONE)
        return tc_fail(err, TACIT_E_ARG, "the noise multiplier must be at most 1e6, got %g",
                       ldexp((double)p->multiplier, -32));
    return TACIT_OK;
}

/* max over agents of ceil(|weights_n|), in 2^-weight_bits. */
static uint64_t weight_norm(const tc_sum_plan *p)
{
    if (p->weights == NULL)
        return tc_root_up(p->blocks);
    tc_wide largest = 0;
    for (size_t n = 0; n < p->agents; n++) {
        tc_wide square = 0;
        for (size_t i = 0; i < p->blocks; i++)
            square += (uint64_t)p->weights[n * p->blocks + i] * p->weights[n * p->blocks + i];
        largest = square > largest ? square : largest;
    }
    return tc_root_up(largest);
}

static tc_wide shift_up(tc_wide x, unsigned bits)
{
    return (x + (((tc_wide)1 << bits) - 1)) >> bits;
}

static tc_dp_event event_of(const tc_sum_plan *p)
{
    if (p->multiplier == 0)
        return tc_release_event(TC_DP_NONPRIVATE, 1);
    tc_dp_event e = tc_release_event(TC_DP_GAUSSIAN, ldexp((double)p->multiplier, -32));
    e.sampling = p->rate < TC_SUM_ONE ? TC_DP_POISSON : TC_DP_ALL;
    e.sampling_rate = ldexp((double)p->rate, -32);
    return e;
}

tacit_status tc_sum_plan_scale(const tc_sum_plan *p, tc_sum_scale *out, tacit_error *err)
{
    TC_TRY(check_shape(p, err));
    TC_TRY(check_numbers(p, err));
    tc_wide delta = shift_up((tc_wide)weight_norm(p) * p->clip, p->weight_bits);
    if (delta == 0)
        return tc_fail(err, TACIT_E_ARG, "all weights are 0: there is nothing to sum");
    if (delta > ((tc_wide)1 << SUM_BITS) / p->agents)
        return tc_fail(err, TACIT_E_ARG,
                       "%zu agents with contributions of up to %.3g steps could overflow the sum",
                       p->agents, (double)delta);
    tc_wide sd = shift_up(delta * p->multiplier, 32);
    if (p->multiplier > 0 && (sd < TC_SD_LOW || sd >= TC_SD_HIGH))
        return tc_fail(err, TACIT_E_ARG,
                       "the noise is %.3g steps on grid %d; choose a grid with 2^20 to 2^24 steps",
                       (double)sd, p->grid);
    *out = (tc_sum_scale){.sensitivity = (uint64_t)delta, .sd = (uint64_t)sd, .event = event_of(p)};
    return TACIT_OK;
}

tacit_status tc_sum_plan_set(tc_sum_plan *p, double clip_norm, double z, double q, tacit_error *err)
{
    TC_TRY(check_shape(p, err));
    if (!(clip_norm > 0 && isfinite(clip_norm)))
        return tc_fail(err, TACIT_E_ARG, "the clip norm must be > 0, got %g", clip_norm);
    if (!(z >= 0 && z <= 1e6))
        return tc_fail(err, TACIT_E_ARG, "the noise multiplier must be in [0, 1e6], got %g", z);
    if (!(q > 0 && q <= 1))
        return tc_fail(err, TACIT_E_ARG, "the sampling rate must be in (0, 1], got %g", q);
    double delta = ldexp((double)weight_norm(p), -(int)p->weight_bits) * clip_norm;
    int grid = 0;
    TC_TRY(tc_grid_choose(z > 0 ? z * delta : delta, PLAN_SD_BITS, 0, &grid, err));
    p->grid = grid;
    p->clip = (uint64_t)tc_grid_truncate(clip_norm, grid);
    p->multiplier = (uint64_t)ceil(ldexp(z, 32));
    p->rate = (uint64_t)fmax(1, round(ldexp(q, 32)));
    tc_sum_scale scale;
    return tc_sum_plan_scale(p, &scale, err);
}

/* ---- the sum */

static void draw(tc_sum *s, tc_entropy *e)
{
    size_t count = s->plan.blocks * s->plan.width;
    tc_entropy_fresh(e);
    for (size_t i = 0; i < count && s->scale.sd > 0; i++)
        s->total[i] = tc_sample_gaussian(e, s->scale.sd);
    for (size_t n = 0; n < s->plan.agents; n++)
        s->sampled[n] = (uint8_t)tc_sample_bernoulli(e, s->plan.rate, TC_SUM_ONE);
    tc_entropy_fresh(e);
}

tacit_status tc_sum_open(tc_sum **out, const tc_sum_plan *p, tc_entropy *e, tacit_error *err)
{
    tc_sum_scale scale;
    TC_TRY(tc_sum_plan_scale(p, &scale, err));
    tc_sum *s = tc_alloc(1, sizeof *s);
    if (s == NULL)
        return tc_fail_memory(err);
    s->plan = *p;
    s->scale = scale;
    s->secret = e->secret;
    s->folded = TC_TAKE(&s->memory, p->agents, uint8_t);
    s->sampled = TC_TAKE(&s->memory, p->agents, uint8_t);
    s->scratch = TC_TAKE(&s->memory, p->width, int64_t);
    s->total = TC_TAKE(&s->memory, p->blocks * p->width, int64_t);
    if (p->weights != NULL)
        s->weights = TC_TAKE(&s->memory, p->agents * p->blocks, uint32_t);
    if (s->memory.failed) {
        tc_arena_fini(&s->memory);
        tc_free(s);
        return tc_fail_memory(err);
    }
    if (p->weights != NULL)
        memcpy(s->weights, p->weights, p->agents * p->blocks * sizeof *p->weights);
    s->plan.weights = s->weights;
    draw(s, e);
    *out = s;
    return TACIT_OK;
}

/* weight * v / 2^f toward zero: |v| <= 2^40 and weight < 2^32 need more than 64 bits. */
static int64_t weighted(int64_t v, uint32_t weight, unsigned bits)
{
    uint64_t m = v < 0 ? 0 - (uint64_t)v : (uint64_t)v;
    int64_t product = (int64_t)(((tc_wide)m * weight) >> bits);
    return v < 0 ? -product : product;
}

/* An agent that the coin left out costs the same time, and adds zero. */
tacit_status tc_sum_fold(tc_sum *s, size_t agent, const int64_t *v, tacit_error *err)
{
    const tc_sum_plan *p = &s->plan;
    if (agent >= p->agents)
        return tc_fail(err, TACIT_E_ARG, "agent %zu is not among the %zu of the roster", agent,
                       p->agents);
    if (s->closed || s->folded[agent])
        return tc_fail(err, TACIT_E_STATE,
                       s->closed ? "the sum is closed, agent %zu comes too late"
                                 : "agent %zu is in the sum already",
                       agent);
    memcpy(s->scratch, v, p->width * sizeof *v);
    tc_clip_l2(s->scratch, p->width, p->clip);
    for (size_t i = 0; i < p->blocks; i++) {
        uint32_t weight = p->weights != NULL ? p->weights[agent * p->blocks + i] : 1;
        for (size_t k = 0; k < p->width; k++)
            s->total[i * p->width + k] +=
                s->sampled[agent] * weighted(s->scratch[k], weight, p->weight_bits);
    }
    s->folded[agent] = 1;
    return TACIT_OK;
}

static void describe(tc_release_view *v, const tc_sum *s)
{
    double count = (double)(s->plan.blocks * s->plan.width), sd = (double)s->scale.sd;
    v->mechanism = "gaussian-sum";
    v->step = ldexp(1, -s->plan.grid);
    v->event = s->scale.event;
    v->unit = TC_UNIT_AGENT;
    v->adjacency = "all vectors of one agent are replaced by zero; roster, weights, clip norm, "
                   "sampling rate and noise are public constants";
    v->sensitivity = ldexp((double)s->scale.sensitivity, -s->plan.grid);
    v->noise_sd = ldexp(sd, -s->plan.grid);
    if (s->scale.sd > 0) {
        v->distance = count * TC_RELEASE_DISTANCE / (sd * sd) * TC_ROUND_UP;
    } else {
        v->is_private = false;
        v->not_private = "the noise multiplier is 0";
    }
}

tacit_status tc_sum_close(tc_sum *s, tc_release **out, tacit_error *err)
{
    if (s->closed)
        return tc_fail(err, TACIT_E_STATE, "the sum is closed already");
    const tc_entropy drawn_from = {.secret = s->secret};
    tc_release *r;
    TC_TRY(tc_release_new(&r, s->plan.blocks, s->plan.width, &drawn_from, err));
    memcpy(r->steps, s->total, s->plan.blocks * s->plan.width * sizeof *r->steps);
    describe(&r->view, s);
    s->closed = true;
    *out = r;
    return TACIT_OK;
}

void tc_sum_free(tc_sum *s)
{
    if (s == NULL)
        return;
    sodium_memzero(s->sampled, s->plan.agents);
    sodium_memzero(s->folded, s->plan.agents);
    sodium_memzero(s->scratch, s->plan.width * sizeof *s->scratch);
    sodium_memzero(s->total, s->plan.blocks * s->plan.width * sizeof *s->total);
    tc_arena_fini(&s->memory);
    tc_free(s);
}
