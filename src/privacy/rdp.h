/* rdp.h - Renyi divergences of the mechanisms, and what they say of (epsilon, delta).
 *
 * Every function returns a proved upper bound of the value it names: each one carries a bound on
 * its own rounding and truncation and adds it. INFINITY where the value overflows. For
 * accountants and filters of this folder. */
#ifndef TC_PRIVACY_RDP_H
#define TC_PRIVACY_RDP_H

#include "privacy/dp_event.h"

#include <float.h>

#define TC_RDP_MAX_ORDER 1024 /* of integer orders: all binomials still fit a double */

/* ln E[(P/Q)^order] = (order - 1) RDP(order) of one sampled Gaussian: integer orders 2..1024, and
 * real ones in (1, 12]. q in (0,1]. */
double tc_log_moment_integer(double q, double z, int order);
double tc_log_moment_fractional(double q, double z, double order);
/* The same for fixed-size sampling under substitution, where two clipped vectors differ by twice
 * the sensitivity (Wang, Balle, Kasiviswanathan 2019). Any real order is interpolated. */
double tc_log_moment_fixed_size(double q, double z, int order);

double tc_rdp_laplace(double epsilon, double order);
double tc_rdp_pure(double epsilon, double order); /* min(epsilon, order epsilon^2 / 2) */
/* ln(1 + q (e^epsilon - 1)): a pure mechanism on a sample. */
double tc_pure_amplified(double epsilon, double q);
/* The epsilon of one release of a Laplace or pure event, sampling and adjacency included. */
double tc_pure_epsilon(const tacit_dp_event *e);

/* RDP at this order of one repetition of e, which has passed its check; count is not used. */
double tc_rdp_of(const tacit_dp_event *e, double order);
/* RDP at this order of all repetitions of all events together. */
double tc_rdp_sum(const tacit_dp_event *events, size_t n, double order);

/* The orders to try first, and those between tenths around the best of them (0 where the best is
 * large): both fill `out` and return how many. */
enum { TC_RDP_ORDERS = 192, TC_RDP_REFINED = 19 };
size_t tc_rdp_orders(double out[TC_RDP_ORDERS]);
size_t tc_rdp_refined(double best, double out[TC_RDP_REFINED]);
/* E_UNSUPPORTED: too many different sampled Gaussians for bounded time. */
tacit_status tc_rdp_check_size(const tacit_dp_event *events, size_t n, tacit_error *err);

/* Epsilon at delta of a mechanism with this RDP (Canonne, Kamath, Steinke 2020, Prop. 12), and the
 * largest RDP that stays within epsilon (the inverse, rounded down). Epsilon is at least 0. */
double tc_rdp_epsilon(double rdp, double order, double delta);
double tc_rdp_allowed(double epsilon, double order, double delta);

/* x rounded up by n units of relative rounding; x >= 0. */
static inline double tc_up(double x, double n)
{
    return x * (1 + n * DBL_EPSILON);
}

#endif
