/* accountant.h - from DP events to a guarantee.
 *
 * Every accountant gives an upper bound on the true epsilon of the composition of all events at
 * the given delta; rounding errors go to the safe side. `pld` also gives a lower bound. An answer
 * or a clear refusal, in bounded time (< 2 s) and memory (< 200 MB), for every valid input. */
#ifndef TC_PRIVACY_ACCOUNTANT_H
#define TC_PRIVACY_ACCOUNTANT_H

#include "privacy/dp_event.h"

#include <stdbool.h>

/* A guarantee is the public one; its `size` is for callers from outside and not looked at here. */

typedef struct tc_accountant {
    const char *name; /* "pld" */
    /* E_UNSUPPORTED: this accountant has no formula for an event among them (it names it).
     * n = 0 or all counts 0: epsilon 0. */
    tacit_status (*account)(const struct tc_accountant *self, const tacit_dp_event *events,
                            size_t n, double delta, tacit_guarantee *out, tacit_error *err);
} tc_accountant;

extern const tc_accountant tc_accountant_moments; /* Abadi et al. 2016, integer orders 1..32 */
extern const tc_accountant
    tc_accountant_rdp; /* Renyi DP, integer and fractional orders, improved conversion */
extern const tc_accountant tc_accountant_pld; /* privacy loss distribution by FFT; the default */
extern const tc_accountant
    tc_accountant_gaussian;                    /* closed form: Gaussians without sampling only */
extern const tc_accountant tc_accountant_pure; /* sum of epsilons; delta ignored */

const tc_accountant *const *tc_accountants(void); /* NULL-terminated, best first; for tests */
tacit_status tc_accountant_get(const tc_accountant **out, const char *name, tacit_error *err);

/* Checks delta in (0,1) and all events, then calls a. Everybody calls this, never a->account. */
tacit_status tc_account(const tc_accountant *a, const tacit_dp_event *events, size_t n,
                        double delta, tacit_guarantee *out, tacit_error *err);

/* The smallest noise multiplier z (to a relative 1e-6, rounded up) for which `rounds` Gaussians
 * with this sampling stay within epsilon at delta. E_ARG: out of range. E_NUMERIC: no z <= 1e6 does. */
tacit_status tc_calibrate(const tc_accountant *a, double epsilon, double delta,
                          tacit_dp_sampling sampling, double sampling_rate, uint64_t rounds,
                          double *z, tacit_error *err);

/* Balle and Wang 2018: the smallest sd s, for sensitivity 1, with delta(epsilon) <= delta. */
tacit_status tc_analytic_gaussian(double epsilon, double delta, double *s, tacit_error *err);
/* delta(epsilon) of the Gaussian mechanism mu-GDP, and its inverse. */
double tc_gaussian_delta(double mu, double epsilon);
double tc_gaussian_epsilon(double mu, double delta);

#endif
