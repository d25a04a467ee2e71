/* calibrate.c - the smallest noise multiplier that stays within (epsilon, delta).
 *
 * Epsilon falls with z. Two points, `low` not enough and `high` enough, are drawn together by
 * interpolation on logarithms with the guarantee of bisection (ITP: Oliveira, Takahashi 2020),
 * because one evaluation of pld costs milliseconds. What is returned is always a z that the
 * accountant itself has accepted. */
#include "privacy/accountant.h"

#include "base/error.h"

#include <float.h>
#include <inttypes.h>
#include <math.h>

#define LEAST     1e-3
#define MOST      1e6
#define TOLERANCE 2.5e-7 /* of ln z, on either side of the middle */

typedef struct problem {
    const tc_accountant *accountant;
    tacit_dp_event event;
    double epsilon, delta;
} problem;

/* f = ln(epsilon(z) / epsilon), cut to +-50: z is enough if f <= 0. */
typedef struct point {
    double z, f;
} point;

static tacit_status evaluate(const problem *p, double z, point *out, tacit_error *err)
{
    tacit_dp_event e = p->event;
    tacit_guarantee g;
    e.parameter = z;
    TC_TRY(tc_account(p->accountant, &e, 1, p->delta, &g, err));
    double f = fmax(fmin(log(g.epsilon / p->epsilon), 50), -50);
    *out = (point){z, g.epsilon <= p->epsilon ? fmin(f, 0) : fmax(f, DBL_MIN)};
    return TACIT_OK;
}

/* Steps by `factor` from `start` until the answer is enclosed. Where even LEAST is enough, low
 * and high are both that. */
static tacit_status enclose(const problem *p, double start, double factor, point *low, point *high,
                            tacit_error *err)
{
    TC_TRY(evaluate(p, start, high, err));
    *low = *high;
    while (high->f > 0) {
        if (high->z >= MOST)
            return tc_fail(err, TACIT_E_NUMERIC,
                           "no noise_multiplier up to 1e6 keeps %" PRIu64
                           " rounds within epsilon %g at delta %g",
                           p->event.count, p->epsilon, p->delta);
        *low = *high;
        TC_TRY(evaluate(p, fmin(high->z * factor, MOST), high, err));
    }
    while (low->f <= 0 && low->z > LEAST) {
        *high = *low;
        TC_TRY(evaluate(p, fmax(low->z / factor, LEAST), low, err));
    }
    if (low->f <= 0)
        *high = *low;
    return TACIT_OK;
}

static double clamp(double x, double low, double high)
{
    return fmax(low, fmin(x, high));
}

/* Where to look next between a and b; `reach` is how far from the middle it may be. */
static double next_point(double a, double b, double f_a, double f_b, double k, double reach)
{
    double middle = (a + b) / 2, straight = (f_b * a - f_a * b) / (f_b - f_a);
    double step = k * (b - a) * (b - a);
    double off = middle - straight;
    double x = fabs(off) <= step ? middle : straight + copysign(step, off);
    return clamp(x, middle - reach, middle + reach);
}

static tacit_status narrow(const problem *p, point *low, point *high, tacit_error *err)
{
    double a = log(low->z), b = log(high->z), k = 0.2 / (b - a);
    double reach = TOLERANCE * exp2(ceil(log2(fmax((b - a) / (2 * TOLERANCE), 1))) + 1);
    for (; b - a > 2 * TOLERANCE; reach /= 2) {
        double x = next_point(a, b, low->f, high->f, k, fmax(reach - (b - a) / 2, 0));
        point at;
        TC_TRY(evaluate(p, exp(x), &at, err));
        *(at.f > 0 ? &a : &b) = x;
        *(at.f > 0 ? low : high) = at;
    }
    return TACIT_OK;
}

static tacit_status solve(const problem *p, double *z, tacit_error *err)
{
    double start = 1, factor = 2;
    bool cheap_first = p->accountant == &tc_accountant_pld && p->event.sampling_rate < 1;
    if (cheap_first) { /* pld never needs more noise than rdp, and seldom much less */
        problem rdp = *p;
        rdp.accountant = &tc_accountant_rdp;
        if (solve(&rdp, &start, NULL) == TACIT_OK)
            factor = 1.25;
    }
    point low, high;
    TC_TRY(enclose(p, start, factor, &low, &high, err));
    TC_TRY(narrow(p, &low, &high, err));
    *z = high.z;
    return TACIT_OK;
}

tacit_status tc_calibrate(const tc_accountant *a, double epsilon, double delta,
                          tacit_dp_sampling sampling, double sampling_rate, uint64_t rounds,
                          double *z, tacit_error *err)
{
    if (!(epsilon > 0 && epsilon <= 1e6))
        return tc_fail_range(err, "epsilon", "(0, 1e6]", epsilon);
    if (rounds == 0)
        return tc_fail(err, TACIT_E_ARG, "rounds must be at least 1, got 0");
    problem p = {.accountant = a,
                 .event = {TACIT_DP_GAUSSIAN, 1, sampling, sampling_rate, rounds},
                 .epsilon = epsilon,
                 .delta = delta};
    TC_TRY(tc_dp_event_check(&p.event, err));
    return solve(&p, z, err);
}
