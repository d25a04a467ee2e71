/* sum_plan.c - the scale of a Gaussian sum (mechanism.h): its sensitivity, its noise, its grids.
 *
 * Contributions are on a grid that follows from the clip norm, weights are multiples of 2^-f. So
 * all products and sums are integers on the grid of the products, and exact in 64 bits: no sum can
 * exceed reach = clip max_i sum_n weight(n,i), and plans for which this is beyond 2^61 are refused,
 * as are those for which |weights_n| clip, below, is.
 * Noise needs fewer digits. The release is `shift` digits coarser, as fine as the sampler allows,
 * and each of its coordinates is rounded once: R(T) = floor((T + 2^(shift-1)) / 2^shift).
 *
 * What one agent can move. Let T and T' be the exact sums with agent n and with zeros in its place,
 * d = T - T'. In block i, d is weight(n,i) v_n: so |d| = |weights_n| |v_n| <= |weights_n| clip over
 * all blocks. Because a - b - 1 < floor(a) - floor(b) < a - b + 1, a coordinate of R(T) - R(T') is
 * below |d_k| / 2^shift + 1, and by the triangle inequality
 *     |R(T) - R(T')| <= |d| / 2^shift + sqrt(blocks width).
 * Where the noise is small and the release finer, R multiplies by 2^-shift, exactly, and the second
 * term is absent. Every term is rounded up below. */
#include "privacy/mechanism_int.h"
#include "privacy/release_int.h"

#include "base/error.h"

#include <math.h>

enum { MAX_AGENTS = 1 << 24, MAX_WEIGHT_BITS = 31, CLIP_BITS = 25, SUM_BITS = 61 };
enum { NORM_BITS = 20 }; /* more that a norm of weights has: 2^24 squares of 64 bits fit 128 */

static tacit_status check_shape(const tc_sum_plan *p, tacit_error *err)
{
    size_t most = p->weights != NULL ? p->agents : 0;
    if (p->agents == 0 || p->agents > MAX_AGENTS)
        return tc_fail(err, TACIT_E_ARG, "agents must be in 1..%d, got %zu", MAX_AGENTS, p->agents);
    if (p->blocks == 0 || p->width == 0 || p->blocks > TC_CLIP_MAX_COUNT / p->width)
        return tc_fail(err, TACIT_E_ARG, "a sum has 1 to %zu coordinates, got %zu blocks of %zu",
                       TC_CLIP_MAX_COUNT, p->blocks, p->width);
    if (p->groups > most || (p->groups == 0 && most > 0))
        return tc_fail(err, TACIT_E_ARG, "groups must be in 1..%zu (0 without weights), got %zu",
                       p->agents, p->groups);
    if (p->away != NULL && (p->weights == NULL || p->groups > p->blocks))
        return tc_fail(err, TACIT_E_ARG,
                       "weights by group need 1 to %zu groups, as many as blocks, got %zu",
                       p->blocks, p->groups);
    if (p->weight_bits > (p->weights != NULL ? MAX_WEIGHT_BITS : 0))
        return tc_fail(err, TACIT_E_ARG, "weight_bits must be in 0..%d (0 without weights), got %u",
                       MAX_WEIGHT_BITS, p->weight_bits);
    return TACIT_OK;
}

static tacit_status check_numbers(const tc_sum_plan *p, tacit_error *err)
{
    if (p->clip == 0 || p->clip > TC_SUM_CLIP_MAX)
        return tc_fail(err, TACIT_E_ARG, "the clip norm must be in 1..2^26 steps, got %llu",
                       (unsigned long long)p->clip);
    if (p->rate == 0 || p->rate > TC_SUM_ONE)
        return tc_fail_range(err, "the sampling rate", "(0, 1]", ldexp((double)p->rate, -32));
    if (p->multiplier > 1000000 * TC_SUM_ONE)
        return tc_fail_range(err, "the noise multiplier", "[0, 1e6]",
                             ldexp((double)p->multiplier, -32));
    return TACIT_OK;
}

static tc_wide square_norm(const uint32_t *w, size_t n)
{
    tc_wide square = 0;
    for (size_t i = 0; i < n; i++)
        square += (uint64_t)w[i] * w[i];
    return square;
}

/* max over agents of |weights_n|, in 2^-(weight_bits + NORM_BITS), rounded up. */
static uint64_t weight_norm(const tc_sum_plan *p)
{
    tc_wide largest = p->weights != NULL ? 0 : p->blocks;
    tc_wide away = p->away != NULL ? square_norm(p->away, p->blocks) : 0;
    for (size_t g = 0; g < p->groups; g++) {
        tc_wide square = p->away != NULL
                             ? away - square_norm(p->away + g, 1) + square_norm(p->weights + g, 1)
                             : square_norm(p->weights + g * p->blocks, p->blocks);
        largest = square > largest ? square : largest;
    }
    return tc_root_up(largest << (2 * NORM_BITS));
}

static uint64_t members_of(const tc_sum_plan *p, size_t g)
{
    return p->agents / p->groups + (g < p->agents % p->groups);
}

/* The sum of all agents' weights in a block. */
static uint64_t block_sum(const tc_sum_plan *p, size_t i)
{
    uint64_t sum = 0;
    if (p->away != NULL) {
        uint64_t own = i < p->groups ? members_of(p, i) : 0;
        return p->weights[i] * own + p->away[i] * (p->agents - own);
    }
    for (size_t g = 0; g < p->groups; g++)
        sum += p->weights[g * p->blocks + i] * members_of(p, g);
    return sum;
}

/* max over blocks of the sum of all agents' weights; 2^24 of 32 bits. */
static uint64_t weight_sum(const tc_sum_plan *p)
{
    uint64_t largest = p->weights != NULL ? 0 : p->agents;
    for (size_t i = 0; i < p->blocks && p->weights != NULL; i++) {
        uint64_t sum = block_sum(p, i);
        largest = sum > largest ? sum : largest;
    }
    return largest;
}

static tc_wide shift_up(tc_wide x, unsigned bits)
{
    return (x + (((tc_wide)1 << bits) - 1)) >> bits;
}

static tacit_dp_event event_of(const tc_sum_plan *p)
{
    if (p->multiplier == 0)
        return tc_release_event(TACIT_DP_NONPRIVATE, 1);
    tacit_dp_event e = tc_release_event(TACIT_DP_GAUSSIAN, ldexp((double)p->multiplier, -32));
    e.sampling = p->rate < TC_SUM_ONE ? TACIT_DP_POISSON : TACIT_DP_ALL;
    e.sampling_rate = ldexp((double)p->rate, -32);
    return e;
}

/* The distance of the noise of all coordinates together. */
static double distance_of(const tc_sum_plan *p, double sd)
{
    double count = (double)(p->blocks * p->width);
    return sd > 0 ? count * TC_RELEASE_DISTANCE / (sd * sd) * TC_ROUND_UP : 0;
}

/* What an agent can move: the exact sums by at most delta <= reach, their rounding by `slack`. */
typedef struct extent {
    tc_wide delta, reach; /* steps of the products; reach <= 2^61 */
    uint64_t slack;       /* steps of the release */
} extent;

static void set_shift(const tc_sum_plan *p, const extent *x, int shift, tc_sum_scale *out)
{
    tc_wide delta = shift > 0 ? shift_up(x->delta, (unsigned)shift) + x->slack : x->delta << -shift;
    out->shift = shift;
    out->sensitivity = (uint64_t)delta;
    tc_wide sd = shift_up(delta * p->multiplier, 32);
    out->sd = sd < UINT64_MAX ? (uint64_t)sd : UINT64_MAX;
}

static int bits_of(tc_wide x)
{
    uint64_t high = (uint64_t)(x >> 64), low = (uint64_t)x;
    return high != 0 ? 128 - __builtin_clzll(high) : low != 0 ? 64 - __builtin_clzll(low) : 0;
}

/* Where to begin to look: the finest release whose sums fit, or the finest whose sd could be below
 * TC_SD_HIGH. It is at least delta z / 2^shift, so that all finer ones have too many steps. */
static int finest_shift(const tc_sum_plan *p, const extent *x)
{
    int fits = bits_of(x->reach - 1) - SUM_BITS;
    int quiet = bits_of(x->delta * p->multiplier) - 32 - bits_of(TC_SD_HIGH - 1);
    return p->multiplier == 0 ? 0 : fits > quiet ? fits : quiet;
}

/* The finest release whose noise the sampler can draw and whose sums fit. */
static tacit_status choose_shift(const tc_sum_plan *p, const extent *x, tc_sum_scale *out,
                                 tacit_error *err)
{
    int shift = finest_shift(p, x);
    set_shift(p, x, shift, out);
    while (out->sd >= TC_SD_HIGH && shift < SUM_BITS)
        set_shift(p, x, ++shift, out);
    if (p->multiplier == 0 || (out->sd >= TC_SD_LOW && out->sd < TC_SD_HIGH))
        return TACIT_OK;
    return tc_fail(err, TACIT_E_ARG,
                   "the noise multiplier %.3g is too %s for %zu agents and %zu coordinates",
                   ldexp((double)p->multiplier, -32), out->sd < TC_SD_LOW ? "small" : "large",
                   p->agents, p->blocks * p->width);
}

/* All agents together in one block, and one agent in all blocks together. */
static tacit_status check_extent(const tc_sum_plan *p, const extent *x, tacit_error *err)
{
    const tc_wide most = (tc_wide)1 << SUM_BITS;
    if (x->delta == 0)
        return tc_fail(err, TACIT_E_ARG, "all weights are 0: there is nothing to sum");
    if (x->reach > most)
        return tc_fail(err, TACIT_E_ARG,
                       "the weights of %zu agents in one block are too large: with vectors of up "
                       "to %llu steps they could overflow the sum, which holds 2^%d steps",
                       p->agents, (unsigned long long)p->clip, SUM_BITS);
    if (x->delta > most)
        return tc_fail(err, TACIT_E_ARG,
                       "the weights of one agent in %zu blocks are too large: with vectors of up "
                       "to %llu steps its part of the sums could have a norm over 2^%d steps",
                       p->blocks, (unsigned long long)p->clip, SUM_BITS);
    return TACIT_OK;
}

tacit_status tc_sum_plan_scale(const tc_sum_plan *p, tc_sum_scale *out, tacit_error *err)
{
    TC_TRY(check_shape(p, err));
    TC_TRY(check_numbers(p, err));
    extent x = {.delta = shift_up((tc_wide)weight_norm(p) * p->clip, NORM_BITS),
                .reach = (tc_wide)weight_sum(p) * p->clip,
                .slack = tc_root_up(p->blocks * p->width)};
    TC_TRY(check_extent(p, &x, err));
    x.reach = x.delta > x.reach ? x.delta : x.reach;
    tc_sum_scale scale = {
        .event = event_of(p),
        .adjacency = "all vectors of one agent are replaced by zero; roster, weights, clip norm, "
                     "sampling rate and noise are public constants"};
    TC_TRY(choose_shift(p, &x, &scale, err));
    scale.grid = p->grid + (int)p->weight_bits - scale.shift;
    scale.distance = distance_of(p, (double)scale.sd);
    *out = scale;
    return TACIT_OK;
}

tacit_status tc_sum_plan_clip(tc_sum_plan *p, double clip_norm, tacit_error *err)
{
    if (!(clip_norm >= 1e-250 && clip_norm <= 1e250))
        return tc_fail_range(err, "the clip norm", "[1e-250, 1e250]", clip_norm);
    p->grid = CLIP_BITS - ilogb(clip_norm);
    p->clip = (uint64_t)tc_grid_truncate(clip_norm, p->grid);
    return TACIT_OK;
}

uint64_t tc_sum_rate(double q)
{
    return (uint64_t)fmax(1, round(ldexp(q, 32)));
}

tacit_status tc_sum_plan_fit(tc_sum_plan *p, double clip_norm, double z, double q,
                             tc_sum_scale *out, tacit_error *err)
{
    TC_TRY(tc_sum_plan_clip(p, clip_norm, err));
    if (!(z >= 0 && z <= 1e6))
        return tc_fail_range(err, "the noise multiplier", "[0, 1e6]", z);
    if (!(q > 0 && q <= 1))
        return tc_fail_range(err, "the sampling rate", "(0, 1]", q);
    p->multiplier = (uint64_t)ceil(ldexp(z, 32));
    p->rate = tc_sum_rate(q);
    return tc_sum_plan_scale(p, out, err);
}

tacit_status tc_sum_plan_set(tc_sum_plan *p, double clip_norm, double z, double q, tacit_error *err)
{
    tc_sum_scale scale;
    return tc_sum_plan_fit(p, clip_norm, z, q, &scale, err);
}
