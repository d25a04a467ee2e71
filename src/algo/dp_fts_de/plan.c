/* plan.c - from a promise (epsilon, delta) to noise, to the rounds that release, and to regions.
 *
 * z is the smallest noise multiplier for which the releases of the planned rounds stay within the
 * promise: closed form where everybody takes part, pld where a secret coin chooses; integer orders,
 * with up to a tenth more noise, where discreteness would take half of delta (epsilon 17 or so). A ledger also
 * counts that noise is discrete, (1 + e^epsilon) times a total variation distance; that much of
 * delta is set aside here, so that it will not refuse the last round. A bound for any plan serves
 * where it takes little; else what this plan may need is set aside, once P is known.
 *
 * What is left to choose is chosen from public constants alone (docs/math.md, "dp-fts-de"):
 *
 *   releases=auto  one, in round 0. Broadcasts matter most in the first iterations, and an agent
 *                  that takes one as its prior learns the rest from its own values.
 *   regions=0      the more regions, the more of f do M features represent, and the more noise has
 *                  each: the error of a broadcast at a point has sd z Delta/q, about z c P/(N q). So
 *                  as many as keep it within a quarter of the sd of f, but no more than there are
 *                  cubes with a side of 2.5 length-scales, or volumes of 4 cells of a length-scale,
 *                  or agents, or than an agent has room for; and none that is a strip of less than 1.5 length-scales, which P with
 *                  a large prime factor would cut.
 *   vote=auto      a vote on the length-scale (vote.c) where agents may have one, if they are so many that it
 *                  says something: it takes a seventh of what may be spent. */
#include "algo/dp_fts_de/dp_fts_de.h"

#include "base/error.h"
#include "privacy/accountant.h"
#include "space/partition.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

/* The distance of one coordinate with the least noise that a sum may have, 2^20 steps. */
#define DISTANCE 0x1p-45

/* Up to this share of delta a bound is good enough: a tenth of delta is not one percent of noise. */
#define SMALL_SHARE 0.1

/* Up to this sd of its error a broadcast leads the right way, where functions have sd 1. */
#define USEFUL_SD 0.25

/* In length-scales: neighbours of a region narrower than this know as much, and are not asked. */
#define NARROW 1.5

enum { MOST_REGIONS = 64 };

static uint64_t planned_rounds(const tc_env *env, const tc_dp_fts_de_options *o)
{
    uint64_t initial = (uint64_t)o->initial;
    return env->budget > initial ? env->budget - initial : 0;
}

static tacit_status check(const tc_env *env, const tc_dp_fts_de_options *o, tacit_error *err)
{
    if (o->noise_multiplier == 0)
        return tc_fail(err, TACIT_E_ARG,
                       "noise_multiplier=0 adds no noise and keeps no promise; leave it out to "
                       "have it computed from epsilon");
    if (env->agents < 2)
        return tc_fail(err, TACIT_E_ARG,
                       "a promise needs a roster of at least 2 agents, got %" PRIu64, env->agents);
    TC_TRY(tc_dp_fts_de_check_trustees(env, o, err));
    TC_TRY(tc_dp_fts_de_check_room(o, err));
    if (planned_rounds(env, o) == 0)
        return tc_fail(err, TACIT_E_ARG,
                       "a promise needs a number of trials above the %" PRId64
                       " initial ones, got %" PRIu64,
                       o->initial, env->budget);
    return TACIT_OK;
}

static tacit_status count_releases(const tc_dp_fts_de_options *o, uint64_t rounds, uint64_t *out,
                                   tacit_error *err)
{
    tc_dp_fts_de_releases r;
    uint64_t n = 0;
    TC_TRY(tc_dp_fts_de_releases_init(&r, o->releases, err));
    for (uint64_t at = tc_dp_fts_de_releases_next(&r, 0); at < rounds;
         at = tc_dp_fts_de_releases_next(&r, at + 1))
        n++;
    tc_dp_fts_de_releases_fini(&r);
    if (n == 0)
        return tc_fail(err, TACIT_E_ARG,
                       "releases=%s has no round among the %" PRIu64 " that are planned",
                       o->releases, rounds);
    *out = n;
    return TACIT_OK;
}

/* ---- regions=0 ---- */

static double length_of(const tc_env *env, const tc_dp_fts_de_options *o)
{
    return tc_dp_fts_de_lengthscale(o, env->space ? env->space->dim : 1);
}

/* The most regions: the number of cubes with a side of 2.5 length-scales, or of volumes of 4 cells, if that is less.
 * Within one, a few features tell all about f. */
static double finest(const tc_env *env, const tc_dp_fts_de_options *o)
{
    double dim = env->space ? (double)env->space->dim : 1;
    double sides = pow(fmax(1, 0.4 / length_of(env, o)), dim);
    double volume = fmax(1, pow(1 / length_of(env, o), dim) / 4);
    double room = tc_dp_fts_de_room(o) / ((double)o->features * (double)o->features);
    return fmax(1, fmin(fmin(sides, volume), fmin(fmin(MOST_REGIONS, room), (double)env->agents)));
}

static bool is_strip(const tc_env *env, const tc_dp_fts_de_options *o)
{
    size_t dim = env->space ? env->space->dim : 1, most = 1;
    for (size_t d = 0; d < dim; d++) {
        size_t parts = tc_region_parts(tc_dp_fts_de_regions(o), dim, d);
        most = parts > most ? parts : most;
    }
    return (double)most * NARROW * length_of(env, o) > 1;
}

static tacit_status distance_of(const tc_env *env, const tc_dp_fts_de_options *o, uint64_t round,
                                double *out, tacit_error *err)
{
    tc_dp_fts_de_round r;
    TC_TRY(tc_dp_fts_de_round_init(&r, env, o, round, err));
    *out = r.price.distance;
    tc_dp_fts_de_round_fini(&r);
    return TACIT_OK;
}

/* The sd of a broadcast's noise in round 0, where agents count most in their start region and it is largest; with trustees
 * that of the region where it is largest. */
static tacit_status broadcast_sd(const tc_env *env, const tc_dp_fts_de_options *o, double *out,
                                 tacit_error *err)
{
    tc_dp_fts_de_round r;
    TC_TRY(tc_dp_fts_de_round_init(&r, env, o, tc_dp_fts_de_votes(o), err));
    *out = 0;
    for (size_t i = 0; i < r.plan.blocks; i++)
        *out = fmax(*out, tc_dp_fts_de_broadcast_noise(&r, i));
    tc_dp_fts_de_round_fini(&r);
    return TACIT_OK;
}

/* plan has its noise multiplier. */
static tacit_status choose_regions(const tc_env *env, tc_dp_fts_de_options *plan, tacit_error *err)
{
    plan->regions = plan->own == TC_DP_FTS_DE_OWN_GP ? 1 : (int64_t)finest(env, plan);
    for (; plan->regions > 1; plan->regions--) {
        double sd;
        if (is_strip(env, plan))
            continue;
        TC_TRY(broadcast_sd(env, plan, &sd, err));
        if (sd <= USEFUL_SD)
            break;
    }
    return TACIT_OK;
}

/* ---- noise ---- */

/* What a ledger will set aside for discreteness, at most: for any plan with these releases. Noise that trustees deal is no
 * farther from a Gaussian (shared_sum.c). */
static double share_at_most(const tc_dp_fts_de_options *o, double epsilon, uint64_t releases)
{
    double regions = o->regions > 0 ? (double)o->regions : MOST_REGIONS;
    double coordinates = (double)releases * regions * (double)o->features;
    if (o->own == TC_DP_FTS_DE_OWN_GP) /* there may be a vote */
        coordinates += TC_DP_FTS_DE_VOTE_GRID;
    return (1 + exp(epsilon)) * coordinates * DISTANCE;
}

/* The same for this plan. With a little more noise than it has yet, sums may be on a grid of half as
 * many steps, and their distance four times as large. */
static tacit_status share_of(const tc_env *env, const tc_dp_fts_de_options *plan, double epsilon,
                             double *out, tacit_error *err)
{
    const uint64_t rounds = planned_rounds(env, plan);
    double distance = 0;
    tc_dp_fts_de_releases r;
    TC_TRY(tc_dp_fts_de_releases_init(&r, plan->releases, err));
    tacit_status status = TACIT_OK;
    for (uint64_t t = tc_dp_fts_de_releases_next(&r, 0); t < rounds && status == TACIT_OK;
         t = tc_dp_fts_de_releases_next(&r, t + 1)) {
        double one = 0;
        status = distance_of(env, plan, t + tc_dp_fts_de_votes(plan), &one, err);
        distance += one;
    }
    tc_dp_fts_de_releases_fini(&r);
    if (status == TACIT_OK && tc_dp_fts_de_votes(plan)) {
        double one = 0;
        status = distance_of(env, plan, 0, &one, err);
        distance += one;
    }
    *out = 4 * (1 + exp(epsilon)) * distance;
    return status;
}

/* Coins are tossed with a multiple of 2^-32. Where discreteness takes too much of delta, integer Renyi
 * orders: they hold for it as it is. */
static tacit_status calibrate(const tc_dp_fts_de_options *o, double epsilon, double delta,
                              double share, uint64_t releases, double *z, tacit_error *err)
{
    bool coins = o->sampling == TC_DP_FTS_DE_POISSON && o->sampling_rate < 1;
    const tc_accountant *a = coins ? &tc_accountant_pld : &tc_accountant_gaussian;
    double rest = delta - share;
    if (!(rest > delta / 2)) {
        a = &tc_accountant_moments;
        rest = delta;
    }
    return tc_calibrate(a, epsilon, rest, coins ? TACIT_DP_POISSON : TACIT_DP_ALL,
                        coins ? ldexp((double)tc_sum_rate(o->sampling_rate), -32) : 1, releases, z,
                        err);
}

/* ---- the vote ---- */

/* The vote's share of the budget, and the agents needed for each unit of its noise. */
#define VOTE_SHARE  0.14
#define VOTE_AGENTS 4

/* Gaussian releases compose by the squares of 1/z: n of z are as much as a vote of z/sqrt(n s) and n
 * of z/sqrt(1-s). */
static void split(tc_dp_fts_de_options *plan, double z, uint64_t releases)
{
    const bool vote = tc_dp_fts_de_votes(plan);
    plan->noise_multiplier = vote ? z / sqrt(1 - VOTE_SHARE) : z;
    plan->vote_multiplier = vote ? z / sqrt((double)releases * VOTE_SHARE) : 0;
}

/* By how much noise that trustees deal is more than that of a coordinator. */
static double spread_of(const tc_env *env)
{
    return env->trustees.count ? tc_trustees_spread(&env->trustees) : 1;
}

/* z: of the releases if there is no vote. Where none is possible auto stays, as in documents from before there
 * were votes. */
static void choose_vote(const tc_env *env, tc_dp_fts_de_options *plan, double z, uint64_t releases)
{
    bool may = plan->own == TC_DP_FTS_DE_OWN_GP && plan->lengthscale == 0 &&
               plan->initial >= TC_DP_FTS_DE_VOTE_VALUES && plan->sampling_rate == 1 &&
               plan->sampling == TC_DP_FTS_DE_POISSON && plan->mode == TC_DP_FTS_DE_SOUND;
    double noise = spread_of(env) * z / sqrt((double)releases * VOTE_SHARE);
    if (plan->vote != TC_DP_FTS_DE_VOTE_AUTO || !may)
        return;
    plan->vote =
        (double)env->agents >= VOTE_AGENTS * noise ? TC_DP_FTS_DE_VOTE_YES : TC_DP_FTS_DE_VOTE_NO;
}

/* ---- */

/* plan is a copy of the options; its releases are words or a list, never auto. */
static tacit_status complete(const tc_env *env, tc_dp_fts_de_options *plan, double epsilon,
                             double delta, tacit_error *err)
{
    uint64_t releases;
    double z;
    TC_TRY(check(env, plan, err));
    TC_TRY(count_releases(plan, planned_rounds(env, plan), &releases, err));
    double share = share_at_most(plan, epsilon, releases);
    bool rough = share > SMALL_SHARE * delta;
    TC_TRY(calibrate(plan, epsilon, delta, rough ? 0 : share, releases, &z, err));
    choose_vote(env, plan, z, releases);
    split(plan, z, releases);
    TC_TRY(tc_dp_fts_de_check(plan, err));
    if (plan->regions == 0)
        TC_TRY(choose_regions(env, plan, err));
    if (!rough)
        return TACIT_OK;
    TC_TRY(share_of(env, plan, epsilon, &share, err));
    TC_TRY(calibrate(plan, epsilon, delta, share, releases, &z, err));
    split(plan, z, releases);
    return TACIT_OK;
}

tacit_status tc_dp_fts_de_promise(const tc_env *env, void *opts, double epsilon, double delta,
                                  tacit_error *err)
{
    tc_dp_fts_de_options *o = opts;
    tc_dp_fts_de_options plan = *o;
    bool chooses = strcmp(o->releases, "auto") == 0;
    plan.releases = tc_strdup(chooses ? "first" : o->releases);
    if (!plan.releases)
        return tc_fail_memory(err);
    tacit_status status = complete(env, &plan, epsilon, delta, err);
    if (status != TACIT_OK) {
        tc_free(plan.releases);
        return status;
    }
    tc_free(o->releases);
    *o = plan;
    return TACIT_OK;
}

/* ---- without a promise ---- */

tacit_status tc_dp_fts_de_resolve_defaults(const tc_env *env, void *opts, tacit_error *err)
{
    tc_dp_fts_de_options *o = opts;
    if (strcmp(o->releases, "auto") == 0) {
        char *all = tc_strdup("all");
        if (!all)
            return tc_fail_memory(err);
        tc_free(o->releases);
        o->releases = all;
    }
    if (!tc_dp_fts_de_votes(o))
        o->lengthscale = length_of(env, o);
    o->regions = (int64_t)tc_dp_fts_de_regions(o);
    o->clip = tc_dp_fts_de_clip(o) * sqrt((double)o->regions);
    o->message = tc_dp_fts_de_sends_mean(o) ? TC_DP_FTS_DE_MEAN : TC_DP_FTS_DE_DRAW;
    return TACIT_OK;
}
