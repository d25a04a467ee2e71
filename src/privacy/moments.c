/* moments.c - the moments accountant of Abadi et al. 2016, integer lambda 1..32.
 *
 *     epsilon = min over lambda of (sum of alpha(lambda) + ln(1/delta)) / lambda,
 *
 * alpha(lambda) being the log moment of order lambda + 1. Looser than rdp, which takes the same
 * moments with a better conversion; kept because published numbers were made with it. */
#include "privacy/accountant_int.h"
#include "privacy/rdp.h"

#include <math.h>

enum { LARGEST = 32 };

static double at(const tacit_dp_event *events, size_t n, int lambda, double delta)
{
    double alpha = 0;
    for (size_t i = 0; i < n; i++)
        alpha +=
            tc_up((double)events[i].count * tc_log_moment_integer(events[i].sampling_rate,
                                                                  events[i].parameter, lambda + 1),
                  4);
    return tc_up((alpha - log(delta)) / lambda, (double)n + 8);
}

static tacit_status account(const tc_accountant *self, const tacit_dp_event *events, size_t n,
                            double delta, tacit_guarantee *out, tacit_error *err)
{
    (void)self;
    for (size_t i = 0; i < n; i++)
        if (events[i].mechanism != TACIT_DP_GAUSSIAN || events[i].sampling == TACIT_DP_FIXED_SIZE ||
            events[i].sampling == TACIT_DP_POISSON_REPLACED)
            return tc_fail_no_formula("moments", &events[i], err);
    out->epsilon = INFINITY;
    for (int lambda = 1; lambda <= LARGEST; lambda++) {
        double epsilon = at(events, n, lambda, delta);
        if (epsilon < out->epsilon) {
            out->epsilon = epsilon;
            out->order = lambda;
        }
    }
    return TACIT_OK;
}

const tc_accountant tc_accountant_moments = {
    .name = "moments",
    .account = account,
};
