/* plan.c - from a promise (epsilon, delta) to noise, to the rounds that release, and to regions.
 *
 * z is the smallest noise multiplier for which the releases of the planned rounds stay within the
 * promise: closed form where everybody takes part, pld where a secret coin chooses. A ledger also
 * counts that noise is discrete, (1 + e^epsilon) times a total variation distance; that much of
 * delta is set aside here, so that it will not refuse the last round.
 *
 * What is left to choose is chosen from public constants alone (docs/math.md, "dp-fts-de"):
 *
 *   releases=auto  one, in round 0. Broadcasts matter most in the first iterations, and an agent
 *                  that takes one as its prior learns the rest from its own values.
 *   regions=0      the more regions, the more of f do M features represent, and the more noise has
 *                  each: the error of a broadcast at a point has sd z Delta/q, about z c P/(N q). So
 *                  as many as keep it within a quarter of the sd of f, but none with a side below 2.5
 *                  length-scales, or with less volume than 4 cells of a length-scale. */
#include "algo/dp_fts_de/dp_fts_de.h"

#include "base/error.h"
#include "privacy/accountant.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

/* The distance of one coordinate with the least noise that a sum may have, 2^20 steps. */
#define DISTANCE 0x1p-45

/* Up to this sd of its error a broadcast leads the right way, where functions have sd 1. */
#define USEFUL_SD 0.25

enum { MOST_REGIONS = 64 };

static uint64_t planned_rounds(const tc_env *env, const tc_de_options *o)
{
    uint64_t initial = (uint64_t)o->initial;
    return env->budget > initial ? env->budget - initial : 0;
}

static tacit_status check(const tc_env *env, const tc_de_options *o, tacit_error *err)
{
    if (o->noise_multiplier == 0)
        return tc_fail(err, TACIT_E_ARG,
                       "noise_multiplier=0 adds no noise and keeps no promise; leave it out to "
                       "have it computed from epsilon");
    if (env->agents < 2)
        return tc_fail(err, TACIT_E_ARG,
                       "a promise needs a roster of at least 2 agents, got %" PRIu64, env->agents);
    if (planned_rounds(env, o) == 0)
        return tc_fail(err, TACIT_E_ARG,
                       "a promise needs a number of trials above the %" PRId64
                       " initial ones, got %" PRIu64,
                       o->initial, env->budget);
    return TACIT_OK;
}

static tacit_status count_releases(const tc_de_options *o, uint64_t rounds, uint64_t *out,
                                   tacit_error *err)
{
    tc_de_releases r;
    uint64_t n = 0;
    TC_TRY(tc_de_releases_init(&r, o->releases, err));
    for (uint64_t at = tc_de_releases_next(&r, 0); at < rounds;
         at = tc_de_releases_next(&r, at + 1))
        n++;
    tc_de_releases_fini(&r);
    if (n == 0)
        return tc_fail(err, TACIT_E_ARG,
                       "releases=%s has no round among the %" PRIu64 " that are planned",
                       o->releases, rounds);
    *out = n;
    return TACIT_OK;
}

/* ---- regions=0 ---- */

/* Regions with a side of 2.5 length-scales and a volume of 4 cells: within one, a few features tell
 * all about f. */
static double finest(const tc_env *env, const tc_de_options *o)
{
    double dim = env->space ? (double)env->space->dim : 1;
    double sides = pow(fmax(1, 0.4 / o->lengthscale), dim);
    double volume = fmax(1, pow(1 / o->lengthscale, dim) / 4);
    return fmin(fmin(sides, volume), MOST_REGIONS);
}

/* The sd of a broadcast's noise in round 0, where agents count most at home and it is largest. */
static tacit_status broadcast_sd(const tc_env *env, const tc_de_options *o, double *out,
                                 tacit_error *err)
{
    tc_de_round r;
    tc_sum_scale scale;
    TC_TRY(tc_de_round_init(&r, o, env->agents, 0, err));
    tacit_status status = tc_sum_plan_scale(&r.plan, &scale, err);
    tc_de_round_fini(&r);
    if (status != TACIT_OK)
        return status;
    *out = ldexp((double)scale.sd, -scale.grid) / tc_de_rate(o, env->agents);
    return TACIT_OK;
}

/* plan has its noise multiplier. */
static tacit_status choose_regions(const tc_env *env, tc_de_options *plan, tacit_error *err)
{
    plan->regions = (int64_t)finest(env, plan);
    for (; plan->regions > 1; plan->regions--) {
        double sd;
        TC_TRY(broadcast_sd(env, plan, &sd, err));
        if (sd <= USEFUL_SD)
            break;
    }
    return TACIT_OK;
}

/* ---- noise ---- */

/* Where discreteness takes too much of delta, integer Renyi orders: they hold for it as it is. */
static tacit_status calibrate(const tc_de_options *o, double epsilon, double delta,
                              uint64_t releases, double *z, tacit_error *err)
{
    bool coins = o->sampling == TC_DE_POISSON && o->sampling_rate < 1;
    const tc_accountant *a = coins ? &tc_accountant_pld : &tc_accountant_gaussian;
    double regions = o->regions > 0 ? (double)o->regions : MOST_REGIONS;
    double coordinates = (double)releases * regions * (double)o->features;
    double rest = delta - (1 + exp(epsilon)) * coordinates * DISTANCE;
    if (!(rest > delta / 2)) {
        a = &tc_accountant_moments;
        rest = delta;
    }
    return tc_calibrate(a, epsilon, rest, coins ? TC_DP_POISSON : TC_DP_ALL,
                        coins ? o->sampling_rate : 1, releases, z, err);
}

/* ---- */

/* plan is a copy of the options; its releases are words or a list, never auto. */
static tacit_status complete(const tc_env *env, tc_de_options *plan, double epsilon, double delta,
                             tacit_error *err)
{
    uint64_t releases;
    double z;
    TC_TRY(check(env, plan, err));
    TC_TRY(count_releases(plan, planned_rounds(env, plan), &releases, err));
    TC_TRY(calibrate(plan, epsilon, delta, releases, &z, err));
    plan->noise_multiplier = z;
    return plan->regions == 0 ? choose_regions(env, plan, err) : TACIT_OK;
}

tacit_status tc_de_promise(const tc_env *env, void *opts, double epsilon, double delta,
                           tacit_error *err)
{
    tc_de_options *o = opts;
    tc_de_options plan = *o;
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

tacit_status tc_de_settle(void *opts, tacit_error *err)
{
    tc_de_options *o = opts;
    if (strcmp(o->releases, "auto") == 0) {
        char *all = tc_strdup("all");
        if (!all)
            return tc_fail_memory(err);
        tc_free(o->releases);
        o->releases = all;
    }
    o->regions = (int64_t)tc_de_regions(o);
    o->clip = tc_de_clip(o) * sqrt((double)o->regions);
    return TACIT_OK;
}
