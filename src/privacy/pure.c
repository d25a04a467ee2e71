/* pure.c - pure composition: epsilons add, delta is 0.
 *
 * For Laplace and pure mechanisms; sampling with rate q turns epsilon into
 * ln(1 + q (e^epsilon - 1)) (Balle, Barthe, Gaboardi 2018). */
#include "privacy/accountant_int.h"
#include "privacy/rdp.h"

#include <math.h>
#include <stdbool.h>

/* Adds a to *sum; true if nothing was rounded (the residue of the addition is 0). A budget of 1
 * that holds 0.75 has room for 0.25. */
static bool add_exactly(double *sum, double a)
{
    double before = *sum, after = before + a, got = after - before;
    *sum = after;
    return (before - (after - got)) + (a - got) == 0;
}

static tacit_status account(const tc_accountant *self, const tacit_dp_event *events, size_t n,
                            double delta, tacit_guarantee *out, tacit_error *err)
{
    (void)self;
    (void)delta;
    double sum = 0;
    bool exact = true;
    for (size_t i = 0; i < n; i++) {
        if (events[i].mechanism == TACIT_DP_GAUSSIAN || events[i].mechanism == TACIT_DP_RENYI)
            return tc_fail_no_formula("pure", &events[i], err);
        double count = (double)events[i].count, epsilon = tc_pure_epsilon(&events[i]);
        exact =
            exact && events[i].sampling_rate == 1 && fma(count, epsilon, -(count * epsilon)) == 0;
        exact = add_exactly(&sum, count * epsilon) && exact;
    }
    out->epsilon = exact ? sum : tc_up(sum, 2 * (double)n);
    out->delta = 0;
    return TACIT_OK;
}

const tc_accountant tc_accountant_pure = {
    .name = "pure",
    .account = account,
};
