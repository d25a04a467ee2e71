/* best_of.h - what the best of a random number of private runs costs: hyper-parameter search.
 *
 * Papernot and Steinke, "Hyperparameter tuning with Renyi differential privacy" (ICLR 2022). K is
 * drawn without looking at data; a mechanism runs K times, each time independently; the best of the K
 * outputs leaves, and nothing else does, K included. Theorem 2 has K truncated negative binomial,
 * theorem 6 Poisson. Both speak of Renyi divergences, so `rdp` alone has such a bound.
 *
 * For privacy_api.c and the tests. */
#ifndef TC_PRIVACY_BEST_OF_H
#define TC_PRIVACY_BEST_OF_H

#include "privacy/accountant.h"
#include "privacy/rdp.h"

/* E_ARG: a field out of range, named. */
tacit_status tc_repeats_check(const tacit_repeats *r, tacit_error *err);

/* ln(1/gamma) of a truncated negative binomial with this mean and shape, rounded up. */
double tc_repeats_log_gamma(double mean, double shape);

/* out[i] >= the RDP of the best of K runs at orders[i] >= 1, where rdp[i] is that of one run; INFINITY
 * at order 1, which helps the others. n <= TC_BEST_OF_ORDERS. out may be rdp itself. */
enum { TC_BEST_OF_ORDERS = 1 + TC_RDP_ORDERS + TC_RDP_REFINED };
void tc_best_of_rdp(const tacit_repeats *r, size_t n, const double *orders, const double *rdp,
                    double *out);

/* An accountant whose events are those of one run. `r` has passed its check and is borrowed. */
typedef struct tc_best_of {
    tc_accountant accountant; /* first: it is what account() gets back as self */
    const tacit_repeats *repeats;
} tc_best_of;
tc_best_of tc_best_of_accountant(const tacit_repeats *r);

#endif
