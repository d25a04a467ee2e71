/* value.c - one evaluation on records, with discrete Gaussian noise (mechanism.h).
 *
 * Two worlds that differ in one record have metrics y and y' with |y - y'| <= sensitivity. Both are
 * clamped, which moves them no farther apart, and rounded to the nearest step, which moves them
 * apart by less than one step more: |u - u'| <= D. Noise of s >= z D steps is then worth the event
 * Gaussian(z), up to the distance of release_int.h. */
#include "privacy/ledger.h"
#include "privacy/mechanism_int.h"
#include "privacy/release_int.h"
#include "privacy/sampler.h"

#include "base/error.h"
#include "base/text.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>

#define LEAST_Z 1e-3
#define MOST_Z  1e6
enum { SD_BITS = 21 };

static tacit_status check(const tc_value_plan *p, tacit_error *err)
{
    TC_TRY(tc_bounds_check((tc_bounds){&p->low, &p->high}, 1, err));
    if (!(p->failed >= p->low && p->failed <= p->high))
        return tc_fail(err, TACIT_E_ARG, "what stands for a failure must be in [%g, %g], got %g",
                       p->low, p->high, p->failed);
    if (!(p->sensitivity > 0 && isfinite(p->sensitivity)))
        return tc_fail(err, TACIT_E_ARG, "sensitivity must be > 0 and finite, got %g",
                       p->sensitivity);
    if (!(p->z >= LEAST_Z && p->z <= MOST_Z))
        return tc_fail_range(err, "noise_multiplier", "[1e-3, 1e6]", p->z);
    return TACIT_OK;
}

tacit_status tc_value_plan_scale(const tc_value_plan *p, tc_value_scale *out, tacit_error *err)
{
    int grid = 0;
    TC_TRY(check(p, err));
    double reach = fmax(fabs(p->low), fabs(p->high));
    TC_TRY(tc_grid_choose(p->z * p->sensitivity, SD_BITS, reach, &grid, err));
    uint64_t delta = (uint64_t)ceil(ldexp(p->sensitivity, grid)) + 1;
    uint64_t sd = (uint64_t)ceil(p->z * (double)delta * TC_ROUND_UP);
    double step = ldexp(1, -grid);
    *out =
        (tc_value_scale){.grid = grid,
                         .delta = delta,
                         .sd = sd,
                         .event = tc_release_event(TACIT_DP_GAUSSIAN, p->z),
                         .distance = TC_RELEASE_DISTANCE / ((double)sd * (double)sd) * TC_ROUND_UP,
                         .noise_sd = (double)sd * step};
    return TACIT_OK;
}

/* ---- how much noise ---- */

/* Every scale has sd >= 2^20 steps. */
#define WORST_DISTANCE (TC_RELEASE_DISTANCE / ((double)TC_SD_LOW * (double)TC_SD_LOW) * TC_ROUND_UP)

/* Where discreteness would take much of delta (a large epsilon), integer Renyi orders: they hold for discrete
 * noise as it is. */
tacit_status tc_value_calibrate(double epsilon, double delta, uint64_t evaluations, double *z,
                                tacit_error *err)
{
    double share = (1 + exp(epsilon)) * (double)evaluations * WORST_DISTANCE * (1 + 0x1p-20);
    bool small = share < delta / 2;
    return tc_calibrate(small ? &tc_accountant_gaussian : &tc_accountant_moments, epsilon,
                        small ? delta - share : delta, TACIT_DP_ALL, 1, evaluations, z, err);
}

tacit_status tc_value_cost(double z, uint64_t evaluations, double delta, tacit_guarantee *out,
                           tacit_error *err)
{
    tacit_dp_event all = tc_release_event(TACIT_DP_GAUSSIAN, z);
    all.count = evaluations;
    return tc_ledger_cost(&tc_accountant_pld, &all, 1, (double)evaluations * WORST_DISTANCE, delta,
                          out, err);
}

/* ---- */

/* The sensitivity to the last digit: a record that moves the metric by more is not protected. */
void tc_value_adjacency(const tc_value_plan *p, char out[TC_VALUE_ADJACENCY])
{
    char number[32], who[96] = "one validation record is replaced by another";
    tc_double_text(number, p->sensitivity);
    if (p->per_person > 1)
        snprintf(who, sizeof who,
                 "the validation records of one person, %" PRIu64
                 " at most, are replaced by others",
                 p->per_person);
    snprintf(
        out, TC_VALUE_ADJACENCY,
        "%s, which moves the metric of every evaluation by at most %s; the number of records, the "
        "bounds of each one's loss and the noise are public constants",
        who, number);
}

tacit_status tc_value_release(tc_release **out, const tc_value_plan *p, double y, tc_entropy *e,
                              tacit_error *err)
{
    tc_value_scale scale;
    TC_TRY(tc_value_plan_scale(p, &scale, err));
    tc_release *r;
    TC_TRY(tc_release_new(&r, 1, 1, e, err));
    char adjacency[TC_VALUE_ADJACENCY];
    tc_value_adjacency(p, adjacency);
    r->view.adjacency = tc_arena_strdup(&r->memory, adjacency);
    if (!r->view.adjacency) {
        tc_release_free(r);
        return tc_fail_memory(err);
    }
    tc_entropy_fresh(e);
    r->steps[0] = tc_sample_gaussian(e, scale.sd);
    tc_entropy_fresh(e);
    double value = isfinite(y) ? fmin(fmax(y, p->low), p->high) : p->failed;
    r->steps[0] += tc_grid_nearest(value, scale.grid);
    r->view.mechanism = "gaussian-value";
    r->view.step = ldexp(1, -scale.grid);
    r->view.event = scale.event;
    r->view.event.count = p->paid ? 0 : 1;
    r->view.unit = TACIT_UNIT_RECORD;
    r->view.sensitivity = p->sensitivity;
    r->view.noise_sd = scale.noise_sd;
    r->view.distance = p->paid ? 0 : scale.distance;
    *out = r;
    return TACIT_OK;
}
