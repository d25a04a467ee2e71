/* sum.c - the Gaussian sum (mechanism.h): open, fold, close. Its scale is sum_plan.c's.
 *
 * Noise is drawn when the sum is opened. Vectors are then added in any order, each clipped here, so
 * that no caller can exceed the sensitivity. Closing rounds once and adds the noise. All is exact but
 * that rounding, so nothing depends on the order; plans for which anything could overflow were
 * refused.
 *
 * Where there are no more groups of agents than blocks, a vector is added to the sum of its group,
 * one addition for each coordinate, and closing multiplies these by their weights. Else it is
 * multiplied by each of its weights at once. Both are the same integers.
 *
 * Noise that waits in memory is copied by a fork. Were both copies closed, the difference of the two
 * releases would be that of the data, without any noise: so only the process that drew it goes on. */
#include "privacy/mechanism_int.h"
#include "privacy/release_int.h"
#include "privacy/sampler.h"

#include "base/error.h"
#include "base/random.h"
#include "base/simd.h"

#include <math.h>
#include <sodium.h>
#include <string.h>

struct tc_sum {
    tc_sum_plan plan; /* with weights of its own, also where there were none */
    tc_sum_scale scale;
    bool secret, closed;
    uint64_t process;          /* that drew the noise */
    uint32_t *weights;         /* groups x blocks */
    uint8_t *folded, *sampled; /* by agent; sampled is a secret */
    int64_t *scratch;          /* width */
    /* By group: groups x width, steps of contributions; else blocks x width, of the products. */
    int64_t *total;
    bool by_group;
    int64_t *noise; /* blocks x width, steps of the release */
    tc_arena memory;
};

static size_t total_size(const tc_sum *s)
{
    return (s->by_group ? s->plan.groups : s->plan.blocks) * s->plan.width;
}

/* ---- open */

static void draw(tc_sum *s, tc_entropy *e)
{
    size_t count = s->plan.blocks * s->plan.width;
    tc_entropy_fresh(e);
    for (size_t i = 0; i < count && s->scale.sd > 0; i++)
        s->noise[i] = tc_sample_gaussian(e, s->scale.sd);
    for (size_t n = 0; n < s->plan.agents; n++)
        s->sampled[n] =
            s->plan.rate == TC_SUM_ONE || tc_sample_bernoulli(e, s->plan.rate, TC_SUM_ONE);
    tc_entropy_fresh(e);
}

static uint32_t weight_of(const tc_sum_plan *p, size_t g, size_t i)
{
    if (p->weights == NULL)
        return 1;
    if (p->away == NULL)
        return p->weights[g * p->blocks + i];
    return g == i ? p->weights[i] : p->away[i];
}

static void set_weights(tc_sum *s, const tc_sum_plan *p)
{
    for (size_t g = 0; g < s->plan.groups; g++)
        for (size_t i = 0; i < p->blocks; i++)
            s->weights[g * p->blocks + i] = weight_of(p, g, i);
    s->plan.weights = s->weights;
    s->plan.away = NULL;
}

tacit_status tc_sum_open(tc_sum **out, const tc_sum_plan *p, tc_entropy *e, tacit_error *err)
{
    tc_sum_scale scale;
    TC_TRY(tc_sum_plan_scale(p, &scale, err));
    tc_sum *s = tc_alloc(1, sizeof *s);
    if (s == NULL)
        return tc_fail_memory(err);
    s->plan = *p;
    s->plan.groups = p->weights != NULL ? p->groups : 1;
    s->scale = scale;
    s->secret = e->secret;
    s->process = tc_this_process();
    s->weights = TC_TAKE(&s->memory, s->plan.groups * p->blocks, uint32_t);
    s->folded = TC_TAKE(&s->memory, p->agents, uint8_t);
    s->sampled = TC_TAKE(&s->memory, p->agents, uint8_t);
    s->scratch = TC_TAKE(&s->memory, p->width, int64_t);
    s->by_group = s->plan.groups <= p->blocks;
    s->total = TC_TAKE(&s->memory, total_size(s), int64_t);
    s->noise = TC_TAKE(&s->memory, p->blocks * p->width, int64_t);
    if (s->memory.failed) {
        tc_arena_fini(&s->memory);
        tc_free(s);
        return tc_fail_memory(err);
    }
    set_weights(s, p);
    draw(s, e);
    *out = s;
    return TACIT_OK;
}

/* ---- fold */

static TC_CLONES void sum_add_masked(int64_t *restrict total, const int64_t *restrict v, size_t n,
                                     uint64_t mask)
{
    for (size_t k = 0; k < n; k++)
        total[k] += (int64_t)((uint64_t)v[k] & mask);
}

static TC_CLONES void sum_add_times(int64_t *restrict total, const int64_t *restrict v, size_t n,
                                    int64_t weight)
{
    for (size_t k = 0; k < n; k++)
        total[k] += weight * v[k];
}

/* An agent that the coin left out costs the same time, and adds zero. */
static void add(tc_sum *s, size_t agent, const int64_t *v)
{
    size_t width = s->plan.width, blocks = s->plan.blocks, group = agent % s->plan.groups;
    uint64_t mask = 0 - (uint64_t)s->sampled[agent];
    if (s->by_group) {
        sum_add_masked(s->total + group * width, v, width, mask);
        return;
    }
    for (size_t i = 0; i < blocks; i++)
        sum_add_times(s->total + i * width, v, width,
                      (int64_t)(s->weights[group * blocks + i] & mask));
}

static tacit_status check_process(const tc_sum *s, tacit_error *err)
{
    if (s->process == tc_this_process())
        return TACIT_OK;
    return tc_fail(err, TACIT_E_STATE,
                   "the sum was opened before a fork: only the process that opened it may fold or "
                   "close it, since its noise serves once");
}

static tacit_status check_turn(const tc_sum *s, size_t agent, tacit_error *err)
{
    TC_TRY(check_process(s, err));
    if (agent >= s->plan.agents)
        return tc_fail(err, TACIT_E_ARG, "agent %zu is not among the %zu of the roster", agent,
                       s->plan.agents);
    if (s->closed || s->folded[agent])
        return tc_fail(err, TACIT_E_STATE,
                       s->closed ? "the sum is closed, agent %zu comes too late"
                                 : "agent %zu is in the sum already",
                       agent);
    return TACIT_OK;
}

tacit_status tc_sum_fold(tc_sum *s, size_t agent, const int64_t *v, tacit_error *err)
{
    const tc_sum_plan *p = &s->plan;
    TC_TRY(check_turn(s, agent, err));
    if (!tc_clip_within(v, p->width, p->clip)) {
        memcpy(s->scratch, v, p->width * sizeof *v);
        tc_clip_l2(s->scratch, p->width, p->clip);
        v = s->scratch;
    }
    add(s, agent, v);
    s->folded[agent] = 1;
    return TACIT_OK;
}

/* ---- close */

/* To the nearest, halves up: floor((x + 2^(shift-1)) / 2^shift), for negative numbers too. */
static int64_t rescaled(int64_t x, int shift)
{
    if (shift <= 0)
        return x * (INT64_C(1) << -shift);
    x += INT64_C(1) << (shift - 1);
    return x < 0 ? ~(~x >> shift) : x >> shift;
}

/* The exact sum of a block's coordinate, in steps of the products. */
static int64_t exact(const tc_sum *s, size_t i, size_t k)
{
    const tc_sum_plan *p = &s->plan;
    if (!s->by_group)
        return s->total[i * p->width + k];
    int64_t sum = 0;
    for (size_t g = 0; g < p->groups; g++)
        sum += (int64_t)s->weights[g * p->blocks + i] * s->total[g * p->width + k];
    return sum;
}

static void add_up(const tc_sum *s, int64_t *out)
{
    size_t width = s->plan.width;
    for (size_t i = 0; i < s->plan.blocks; i++)
        for (size_t k = 0; k < width; k++)
            out[i * width + k] = s->noise[i * width + k] + rescaled(exact(s, i, k), s->scale.shift);
}

static void describe(tc_release_view *v, const tc_sum *s)
{
    v->mechanism = "gaussian-sum";
    v->step = ldexp(1, -s->scale.grid);
    v->event = s->scale.event;
    v->unit = TACIT_UNIT_AGENT;
    v->adjacency = s->scale.adjacency;
    v->sensitivity = ldexp((double)s->scale.sensitivity, -s->scale.grid);
    v->noise_sd = ldexp((double)s->scale.sd, -s->scale.grid);
    v->distance = s->scale.distance;
    if (s->scale.sd == 0) {
        v->is_private = false;
        v->not_private = "the noise multiplier is 0";
    }
}

/* All that is secret: noise, coins, vectors. */
static void erase(tc_sum *s)
{
    const tc_sum_plan *p = &s->plan;
    sodium_memzero(s->sampled, p->agents);
    sodium_memzero(s->folded, p->agents);
    sodium_memzero(s->scratch, p->width * sizeof *s->scratch);
    sodium_memzero(s->total, total_size(s) * sizeof *s->total);
    sodium_memzero(s->noise, p->blocks * p->width * sizeof *s->noise);
}

tacit_status tc_sum_close(tc_sum *s, tc_release **out, tacit_error *err)
{
    TC_TRY(check_process(s, err));
    if (s->closed)
        return tc_fail(err, TACIT_E_STATE, "the sum is closed already");
    const tc_entropy drawn_from = {.secret = s->secret};
    tc_release *r;
    TC_TRY(tc_release_new(&r, s->plan.blocks, s->plan.width, &drawn_from, err));
    add_up(s, r->steps);
    describe(&r->view, s);
    s->closed = true;
    erase(s);
    *out = r;
    return TACIT_OK;
}

void tc_sum_free(tc_sum *s)
{
    if (s == NULL)
        return;
    erase(s);
    tc_arena_fini(&s->memory);
    tc_free(s);
}
