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

size_t tc_rdp_orders(double out[TC_RDP_ORDERS])
{
    static const double near_one[] = {1.01, 1.02, 1.03, 1.04, 1.05, 1.06, 1.08};
    static const double large[] = {80, 128, 256, 512, 1024};
    size_t n = 0;
    for (size_t i = 0; i < sizeof near_one / sizeof *near_one; i++)
        out[n++] = near_one[i];
    for (int tenths = 11; tenths < 120; tenths++)
        if (tenths % 10 != 0)
            out[n++] = tenths / 10.0;
    for (int order = 2; order <= 64; order++)
        out[n++] = order;
    for (size_t i = 0; i < sizeof large / sizeof *large; i++)
        out[n++] = large[i];
    return n;
}

size_t tc_rdp_refined(double best, double out[TC_RDP_REFINED])
{
    size_t n = 0;
    for (int i = -9; i <= 9; i++) {
        double order = best + i / 100.0;
        if (best < 12 && order >= 1.005 && order < 12 && order != floor(order))
            out[n++] = order;
    }
    return n;
}

double tc_rdp_sum(const tacit_dp_event *events, size_t n, double order)
{
    double rdp = 0;
    for (size_t i = 0; i < n; i++)
        rdp += tc_up((double)events[i].count * tc_rdp_of(&events[i], order), 4);
    return tc_up(rdp, (double)n);
}

tacit_status tc_rdp_check_size(const tacit_dp_event *events, size_t n, tacit_error *err)
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

static tacit_status account(const tc_accountant *self, const tacit_dp_event *events, size_t n,
                            double delta, tacit_guarantee *out, tacit_error *err)
{
    (void)self;
    double orders[TC_RDP_ORDERS];
    TC_TRY(tc_rdp_check_size(events, n, err));
    out->epsilon = INFINITY;
    size_t tried = tc_rdp_orders(orders);
    for (int pass = 0; pass < 2; pass++) {
        for (size_t i = 0; i < tried; i++) {
            double epsilon = tc_rdp_epsilon(tc_rdp_sum(events, n, orders[i]), orders[i], delta);
            if (epsilon < out->epsilon) {
                out->epsilon = epsilon;
                out->order = orders[i];
            }
        }
        tried = tc_rdp_refined(out->order, orders);
    }
    return TACIT_OK;
}

const tc_accountant tc_accountant_rdp = {
    .name = "rdp",
    .account = account,
};
