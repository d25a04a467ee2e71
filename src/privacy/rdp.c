/* rdp.c - the Renyi accountant: the best of many orders.
 *
 * Divergences of composed events add order by order (Mironov 2017); each order gives a valid
 * epsilon, so the least of any grid of orders is one. The grid holds the orders of `moments`,
 * whose conversion is weaker: rdp <= moments for every input. */
#include "privacy/accountant_int.h"
#include "privacy/rdp.h"

#include "base/error.h"

#include <math.h>

/* Each different sampled Gaussian costs about a millisecond over all orders. */
enum { MOST_SAMPLED = 1000 };

static const double near_one[] = {1.01, 1.02, 1.03, 1.04, 1.05, 1.06, 1.08};
static const int large[] = {80, 128, 256, 512, 1024};

typedef struct search {
    const tacit_dp_event *events;
    size_t n;
    double delta;
    tacit_guarantee *best;
} search;

static void try_order(search *s, double order)
{
    double rdp = 0;
    for (size_t i = 0; i < s->n; i++)
        rdp += tc_up((double)s->events[i].count * tc_rdp_of(&s->events[i], order), 4);
    double epsilon = tc_rdp_epsilon(tc_up(rdp, (double)s->n), order, s->delta);
    if (epsilon < s->best->epsilon) {
        s->best->epsilon = epsilon;
        s->best->order = order;
    }
}

/* Between tenths, around the best of them. */
static void refine(search *s)
{
    double around = s->best->order;
    for (int i = -9; i <= 9; i++) {
        double order = around + i / 100.0;
        if (around < 12 && order >= 1.005 && order < 12 && order != floor(order))
            try_order(s, order);
    }
}

static tacit_status check_size(const tacit_dp_event *events, size_t n, tacit_error *err)
{
    size_t sampled = 0;
    for (size_t i = 0; i < n; i++)
        sampled += events[i].mechanism == TACIT_DP_GAUSSIAN && events[i].sampling != TACIT_DP_ALL;
    if (sampled <= MOST_SAMPLED)
        return TACIT_OK;
    return tc_fail(err, TACIT_E_UNSUPPORTED,
                   "accountant \"rdp\" takes at most %d different sampled Gaussians, got %zu",
                   MOST_SAMPLED, sampled);
}

static tacit_status account(const tacit_dp_event *events, size_t n, double delta,
                            tacit_guarantee *out, tacit_error *err)
{
    TC_TRY(check_size(events, n, err));
    search s = {events, n, delta, out};
    out->epsilon = INFINITY;
    for (size_t i = 0; i < sizeof near_one / sizeof *near_one; i++)
        try_order(&s, near_one[i]);
    for (int tenths = 11; tenths < 120; tenths++)
        if (tenths % 10 != 0)
            try_order(&s, tenths / 10.0);
    for (int order = 2; order <= 64; order++)
        try_order(&s, order);
    for (size_t i = 0; i < sizeof large / sizeof *large; i++)
        try_order(&s, large[i]);
    refine(&s);
    return TACIT_OK;
}

const tc_accountant tc_accountant_rdp = {
    .name = "rdp",
    .account = account,
};
