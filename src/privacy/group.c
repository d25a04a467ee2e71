/* group.c - what a group of two costs; group.h has the proofs. */
#include "privacy/group.h"

#include "privacy/accountant_int.h"
#include "privacy/rdp.h"

#include "base/error.h"
#include "base/memory.h"

#include <math.h>

#define MOST_Z     1e6
#define MOST_STEPS 8
#define FRACTIONAL 12.0 /* the largest real order with a formula */

/* ---- one event */

/* Log moments are convex in the order: between two whole orders the chord is above. */
static double log_moment(double q, double z, double order)
{
    double low = floor(order), t = order - low;
    if (low >= TC_RDP_MAX_ORDER && (t > 0 || low > TC_RDP_MAX_ORDER))
        return INFINITY;
    if (t == 0)
        return tc_log_moment_integer(q, z, (int)low);
    if (order <= FRACTIONAL)
        return tc_log_moment_fractional(q, z, order);
    double left = tc_log_moment_integer(q, z, (int)low);
    return tc_up((1 - t) * left + t * tc_log_moment_integer(q, z, (int)low + 1), 4);
}

double tc_group_rdp(double q, double z, double order)
{
    double whole = tc_up(2 * order / (z * z), 4); /* given the coins, no farther than unsampled */
    if (q == 1)
        return whole;
    double low = 2 * order - 1, high = 2 * order; /* exact */
    double first = log_moment(q, z, low) / (low - 1), second = log_moment(q, z, high) / (high - 1);
    return fmin(tc_up(high / low * first + second, 8), whole);
}

double tc_group_pure(double epsilon, double q)
{
    double add = -log1p(q * expm1(-epsilon)); /* q < 1: -q expm1(-e) is below 1 */
    double twice = 2 * epsilon;
    return q == 1 ? twice
                  : fmin(tc_up(tc_pure_amplified(epsilon, q) + tc_up(add, 8 / (1 - q)), 4), twice);
}

/* ---- a composition */

bool tc_group_has(const tacit_dp_event *events, size_t n)
{
    for (size_t i = 0; i < n; i++)
        if (events[i].sampling == TACIT_DP_POISSON_REPLACED)
            return true;
    return false;
}

/* One of the two steps of e, from P to R or from R to Q. */
static tacit_status halve(tacit_dp_event *e, tacit_error *err)
{
    if (e->sampling == TACIT_DP_POISSON_REPLACED)
        e->sampling = TACIT_DP_POISSON;
    else if (e->sampling != TACIT_DP_ALL || e->mechanism == TACIT_DP_PURE)
        return tc_fail_no_formula("pld", e, err);
    else if (e->mechanism == TACIT_DP_GAUSSIAN)
        e->parameter = fmin(2 * e->parameter, MOST_Z);
    else
        e->parameter /= 2;
    return TACIT_OK;
}

/* The least h with d(h) (1 + e^h) <= delta, nearly. For any guess, u = upper(delta / (1 + e^guess)) is
 * such an h if it is no larger than the guess: then d(u) <= delta / (1 + e^guess) <= delta / (1 + e^u). */
static tacit_status search(const tacit_dp_event *half, size_t n, double delta, tc_pld_bracket *out,
                           tacit_error *err)
{
    tc_pld_bracket b;
    double guess = 0, before = 0, ahead = 0;
    for (int i = 0; i < MOST_STEPS; i++) {
        double rest = nextafter(delta / (1 + exp(guess)) * (1 - 0x1p-50), 0);
        if (!(rest > 0))
            break;
        TC_TRY(tc_pld_bracket_of(half, n, rest, &b, err));
        if (b.upper <= guess) {
            *out = b;
            return TACIT_OK;
        }
        /* The steps shrink by a factor: go where they will have come, and a little beyond. */
        double step = b.upper - before;
        double ratio = i > 0 && ahead > 0 ? fmin(fmax(step / ahead, 0), 0.9) : 0.05;
        ahead = b.upper - guess;
        before = b.upper;
        guess = b.upper + ahead * (ratio / (1 - ratio)) + 1e-4 * b.upper + 1e-12;
    }
    return tc_fail(err, TACIT_E_NUMERIC, "no epsilon of a group of two was found at delta %g",
                   delta);
}

static tacit_status bracket(tacit_dp_event *half, const tacit_dp_event *events, size_t n,
                            double delta, tc_pld_bracket *out, tacit_error *err)
{
    tc_pld_bracket group = {0, 0, 0}, alone;
    for (size_t i = 0; i < n; i++) {
        half[i] = events[i];
        TC_TRY(halve(&half[i], err));
    }
    TC_TRY(search(half, n, delta, &group, err));
    /* To replace x by a member that contributes nothing is one of the replacements. */
    for (size_t i = 0; i < n; i++)
        if (events[i].sampling == TACIT_DP_ALL)
            half[i] = events[i];
    TC_TRY(tc_pld_bracket_of(half, n, delta, &alone, err));
    *out = (tc_pld_bracket){alone.lower, tc_up(2 * group.upper, 2), group.roundoff};
    return TACIT_OK;
}

tacit_status tc_group_bracket(const tacit_dp_event *events, size_t n, double delta,
                              tc_pld_bracket *out, tacit_error *err)
{
    tacit_dp_event *half = tc_alloc(n + 1, sizeof *half);
    if (!half)
        return tc_fail_memory(err);
    tacit_status status = bracket(half, events, n, delta, out, err);
    tc_free(half);
    return status;
}
