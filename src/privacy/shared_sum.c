/* shared_sum.c - the Gaussian sum where trustees add up and deal the noise (shared_sum.h): its scale, its noise, its release.
 *
 * Contributions, noise and the release have one grid, and nothing is rounded after an agent has rounded and clipped its own
 * vector: so the sensitivity is the clip norm. The grid is the finest on which the clip norm has at most 2^26 steps, as that of a
 * central sum, and a dealer's noise fewer than 2^24, which the sampler can draw. Where the noise multiplier is large the second binds,
 * and the clip norm has fewer steps: below 2^10 the plan is refused, for then what rounding toward zero takes
 * from a vector shows. Where it is small the noise has below 2^20 steps, and the plan is refused, too.
 *
 * Distance. The honest noise is a sum Z of h independent discrete Gaussians of s_k steps. Kairouz, Liu and Steinke 2021 (The distributed discrete
 * Gaussian mechanism, arXiv 2102.06387, on sums of discrete Gaussians): for s_k >= 1/2 and W one discrete Gaussian of variance h s_k^2,
 * |ln P(Z = x) - ln P(W = x)| <= tau for every x, where
 *     tau = 10 sum over k = 1..h-1 of exp(-2 pi^2 s_k^2 k / (k + 1)) <= 10 (h - 1) exp(-pi^2 s_k^2).
 * (The test computes both sides for small s_k.) So Z is within tau of W in total variation, and W within TC_RELEASE_DISTANCE / (h s_k^2) of a
 * rounded Gaussian. With s_k >= 2^20, tau is below 10^(-10^12): less than any double but 0, and less in all coordinates together than
 * what the distance is rounded up by. By the same factor the integer Renyi orders of the sum differ from those of one discrete
 * Gaussian, which are exact (mechanism.h). */
#include "privacy/shared_sum.h"

#include "privacy/mechanism_int.h"
#include "privacy/release_int.h"
#include "privacy/sampler.h"
#include "privacy/share_field.h"

#include "base/bytes.h"
#include "base/error.h"

#include <math.h>
#include <sodium.h>
#include <string.h>

enum { MAX_AGENTS = 1 << 24, CLIP_LOW = 1 << 10, TAIL = 12 };

/* ---- scale */

static uint32_t honest(const tc_shared_plan *p)
{
    return p->trustees.dealers - p->trustees.colluding;
}

static tacit_status check_shape(const tc_shared_plan *p, tacit_error *err)
{
    TC_TRY(tc_trustees_check(&p->trustees, err));
    if (p->agents == 0 || p->agents > MAX_AGENTS)
        return tc_fail(err, TACIT_E_ARG, "agents must be in 1..%d, got %zu", MAX_AGENTS, p->agents);
    if (p->groups == 0 || p->groups > p->agents)
        return tc_fail(err, TACIT_E_ARG, "groups must be in 1..%zu, as many as agents, got %zu",
                       p->agents, p->groups);
    if (p->width == 0 || p->groups > TC_CLIP_MAX_COUNT / p->width)
        return tc_fail(err, TACIT_E_ARG, "a sum has 1 to %zu coordinates, got %zu groups of %zu",
                       TC_CLIP_MAX_COUNT, p->groups, p->width);
    return TACIT_OK;
}

static tacit_status check_numbers(const tc_shared_plan *p, tacit_error *err)
{
    if (p->clip == 0 || p->clip > TC_SUM_CLIP_MAX)
        return tc_fail(err, TACIT_E_ARG, "the clip norm must be in 1..2^26 steps, got %llu",
                       (unsigned long long)p->clip);
    if (p->multiplier > 1000000 * TC_SUM_ONE)
        return tc_fail_range(err, "the noise multiplier", "[0, 1e6]",
                             ldexp((double)p->multiplier, -32));
    return TACIT_OK;
}

/* s_k = ceil(s / sqrt(h)) for s = ceil(z clip), which is below 2^46. */
static uint64_t dealt(const tc_shared_plan *p)
{
    const tc_wide s = ((tc_wide)p->clip * p->multiplier + (TC_SUM_ONE - 1)) >> 32;
    const uint32_t h = honest(p);
    return tc_root_up((s * s + (h - 1)) / h);
}

/* Members of the largest group, each with a vector as long as it may be, and the noise beyond which 12 sd lie. */
static uint64_t most(const tc_shared_plan *p, uint64_t sd)
{
    const tc_wide variance = (tc_wide)sd * sd * p->trustees.dealers;
    const uint64_t members = (p->agents + p->groups - 1) / p->groups;
    return members * p->clip + TAIL * tc_root_up(variance);
}

static tacit_status check_noise(const tc_shared_plan *p, uint64_t sd, tacit_error *err)
{
    if (p->multiplier == 0 || (sd >= TC_SD_LOW && sd < TC_SD_HIGH))
        return TACIT_OK;
    return tc_fail(
        err, TACIT_E_ARG,
        "the noise multiplier %.3g is too %s: each of %u honest dealers would draw noise "
        "of %llu steps, and 2^20 to 2^24 are allowed",
        ldexp((double)p->multiplier, -32), sd < TC_SD_LOW ? "small" : "large", (unsigned)honest(p),
        (unsigned long long)sd);
}

static void set_event(const tc_shared_plan *p, tc_shared_scale *out)
{
    const double s = (double)out->dealt, coordinates = (double)(p->groups * p->width);
    if (p->multiplier == 0) {
        out->event = tc_release_event(TACIT_DP_NONPRIVATE, 1);
        return;
    }
    out->event = tc_release_event(TACIT_DP_GAUSSIAN, ldexp((double)p->multiplier, -32));
    out->sd = sqrt((double)p->trustees.dealers) * s;
    out->distance = coordinates * TC_RELEASE_DISTANCE / ((double)honest(p) * s * s) * TC_ROUND_UP;
}

tacit_status tc_shared_plan_scale(const tc_shared_plan *p, tc_shared_scale *out, tacit_error *err)
{
    TC_TRY(check_shape(p, err));
    TC_TRY(check_numbers(p, err));
    tc_shared_scale scale = {.dealt = dealt(p), .adjacency = TC_SHARED_ADJACENCY};
    TC_TRY(check_noise(p, scale.dealt, err));
    scale.most = most(p, scale.dealt); /* 2^24 vectors of 2^26, and noise below 2^30 */
    if (scale.most > (uint64_t)TC_FIELD_MOST)
        return tc_fail(err, TACIT_E_ARG, "a sum of %zu agents could be beyond 2^60 steps",
                       p->agents);
    set_event(p, &scale);
    *out = scale;
    return TACIT_OK;
}

/* The finest grid: 2^25 to 2^26 steps of the clip norm, or fewer where the noise has too many. */
tacit_status tc_shared_plan_set(tc_shared_plan *p, double clip_norm, double z, tacit_error *err)
{
    tc_sum_plan central;
    TC_TRY(check_shape(p, err));
    TC_TRY(tc_sum_plan_clip(&central, clip_norm, err));
    if (!(z >= 0 && z <= 1e6))
        return tc_fail_range(err, "the noise multiplier", "[0, 1e6]", z);
    tc_shared_plan plan = *p;
    plan.multiplier = (uint64_t)ceil(ldexp(z, 32));
    plan.grid = central.grid;
    plan.clip = central.clip;
    while (dealt(&plan) >= TC_SD_HIGH && plan.clip >= CLIP_LOW)
        plan.clip = (uint64_t)tc_grid_truncate(clip_norm, --plan.grid);
    if (plan.clip < CLIP_LOW)
        return tc_fail(err, TACIT_E_ARG,
                       "the noise multiplier %.3g is too large for %u honest dealers: each can "
                       "draw noise of 2^14 clip norms at most",
                       z, (unsigned)honest(p));
    TC_TRY(check_noise(&plan, dealt(&plan), err));
    *p = plan;
    return TACIT_OK;
}

/* ---- noise */

tacit_status tc_shared_noise(const tc_shared_plan *p, tc_entropy *e, int64_t *out, tacit_error *err)
{
    tc_shared_scale scale;
    TC_TRY(tc_shared_plan_scale(p, &scale, err));
    tc_entropy_fresh(e);
    for (size_t i = 0; i < p->groups * p->width; i++)
        out[i] = scale.dealt > 0 ? tc_sample_gaussian(e, scale.dealt) : 0;
    tc_entropy_fresh(e);
    return TACIT_OK;
}

static void test_hash(uint64_t seed, const char *what, uint64_t number, uint64_t round,
                      uint8_t out[32])
{
    crypto_generichash_state h;
    uint8_t words[24];
    tc_random_start();
    tc_put_le(words, seed, 8);
    tc_put_le(words + 8, number, 8);
    tc_put_le(words + 16, round, 8);
    crypto_generichash_init(&h, NULL, 0, 32);
    crypto_generichash_update(&h, (const uint8_t *)what, strlen(what) + 1);
    crypto_generichash_update(&h, words, sizeof words);
    crypto_generichash_final(&h, out, 32);
}

tc_entropy tc_shared_test_entropy(tc_test_noise *t, uint64_t seed, uint32_t place, uint64_t round)
{
    uint8_t hash[32];
    test_hash(seed, "trustee", place, 0, hash);
    tc_test_noise_init(t, tc_get_le(hash, 8), round);
    return tc_entropy_of_test(t);
}

void tc_shared_test_secret(uint64_t seed, bool trustee, uint64_t number, uint64_t round,
                           uint8_t out[32])
{
    test_hash(seed, trustee ? "dealing of a trustee" : "dealing of an agent", number, round, out);
}

/* ---- release */

static tacit_status check_sums(const tc_shared_plan *p, const tc_shared_scale *scale,
                               const int64_t *sums, tacit_error *err)
{
    const int64_t limit = (int64_t)scale->most;
    for (size_t i = 0; i < p->groups * p->width; i++)
        if (sums[i] > limit || sums[i] < -limit)
            return tc_fail(err, TACIT_E_STATE,
                           "the sum that was opened is beyond what agents and noise add up to: an "
                           "agent or a trustee dealt a vector that is too long");
    return TACIT_OK;
}

static void describe(tc_release_view *v, const tc_shared_plan *p, const tc_shared_scale *scale)
{
    v->mechanism = "gaussian-sum";
    v->step = ldexp(1, -p->grid);
    v->event = scale->event;
    v->unit = TACIT_UNIT_AGENT;
    v->adjacency = scale->adjacency;
    v->sensitivity = ldexp((double)p->clip, -p->grid);
    v->noise_sd = ldexp(scale->sd, -p->grid);
    v->distance = scale->distance;
    if (p->multiplier == 0) {
        v->is_private = false;
        v->not_private = "the noise multiplier is 0";
    }
}

tacit_status tc_shared_release(const tc_shared_plan *p, const int64_t *sums, bool seeded,
                               tc_release **out, tacit_error *err)
{
    const tc_entropy drawn_from = {.secret = !seeded};
    tc_shared_scale scale;
    tc_release *r;
    TC_TRY(tc_shared_plan_scale(p, &scale, err));
    TC_TRY(check_sums(p, &scale, sums, err));
    TC_TRY(tc_release_new(&r, p->groups, p->width, &drawn_from, err));
    memcpy(r->steps, sums, p->groups * p->width * sizeof *sums);
    describe(&r->view, p, &scale);
    *out = r;
    return TACIT_OK;
}
