/* filter.c - the Renyi filter at one integer order.
 *
 * The limit at order a is the largest RDP that the conversion takes to epsilon. The order is the
 * one with the most room for Gaussian releases, whose RDP is proportional to a: it maximises
 * limit(a)/a. That choice is made once, from epsilon and delta alone. */
#include "privacy/filter.h"

#include "privacy/rdp.h"

#include "base/error.h"

#include <math.h>
#include <stdbool.h>

tacit_status tc_filter_init(tc_filter *f, double epsilon, double delta, tacit_error *err)
{
    if (!(epsilon > 0 && epsilon <= 1e6))
        return tc_fail_range(err, "epsilon", "(0, 1e6]", epsilon);
    if (!(delta > 0 && delta < 1))
        return tc_fail_range(err, "delta", "(0, 1)", delta);
    int best = 2;
    for (int a = 3; a <= TC_RDP_MAX_ORDER; a++)
        if (tc_rdp_allowed(epsilon, a, delta) / a > tc_rdp_allowed(epsilon, best, delta) / best)
            best = a;
    double allowed = floor(tc_rdp_allowed(epsilon, best, delta) / TC_FILTER_UNIT * (1 - 1e-15));
    if (!(allowed >= 1))
        return tc_fail(err, TACIT_E_ARG,
                       "epsilon %g is too small for a filter at delta %g: no order up to %d leaves "
                       "anything to spend",
                       epsilon, delta, TC_RDP_MAX_ORDER);
    *f = (tc_filter){epsilon, delta, best, (uint64_t)allowed, 0};
    return TACIT_OK;
}

static double share(const tc_filter *f, uint64_t units)
{
    return (double)units / (double)f->limit;
}

double tc_filter_remaining(const tc_filter *f)
{
    return share(f, f->limit - f->spent);
}

/* The cost in units, rounded up; false if it has no 64-bit value. */
static bool cost_of(const tc_filter *f, const tacit_dp_event *e, uint64_t *cost)
{
    *cost = 0;
    if (e->count == 0)
        return true;
    double one = ceil(tc_up(tc_rdp_of(e, f->order) / TC_FILTER_UNIT, 4));
    if (!(one < 0x1p63))
        return false;
    return !__builtin_mul_overflow((uint64_t)one, e->count, cost);
}

static tacit_status refuse(const tc_filter *f, bool counted, uint64_t cost, tacit_error *err)
{
    double unit = TC_FILTER_UNIT;
    double asked = counted ? (double)cost * unit : INFINITY;
    return tc_fail(err, TACIT_E_BUDGET,
                   "the privacy budget (epsilon %g, delta %g) does not allow this release: spent "
                   "%.9g, asked %.9g, remaining %.9g (Renyi divergence of order %d)",
                   f->epsilon, f->delta, (double)f->spent * unit, asked,
                   (double)(f->limit - f->spent) * unit, f->order);
}

static tacit_status try_cost(const tc_filter *f, const tacit_dp_event *e, uint64_t *cost,
                             tacit_error *err)
{
    TC_TRY(tc_dp_event_check(e, err));
    if (e->sampling == TACIT_DP_FIXED_SIZE)
        return tc_fail(err, TACIT_E_UNSUPPORTED,
                       "a filter has no place for fixed-size sampling: its bound is for "
                       "substitution, the filter's for zero-out adjacency");
    bool counted = cost_of(f, e, cost);
    if (!counted || *cost > f->limit - f->spent)
        return refuse(f, counted, *cost, err);
    return TACIT_OK;
}

tacit_status tc_filter_would(const tc_filter *f, const tacit_dp_event *e, double *remaining,
                             tacit_error *err)
{
    uint64_t cost = 0;
    TC_TRY(try_cost(f, e, &cost, err));
    if (remaining)
        *remaining = share(f, f->limit - f->spent - cost);
    return TACIT_OK;
}

tacit_status tc_filter_spend(tc_filter *f, const tacit_dp_event *e, tacit_error *err)
{
    uint64_t cost = 0;
    TC_TRY(try_cost(f, e, &cost, err));
    f->spent += cost;
    return TACIT_OK;
}
