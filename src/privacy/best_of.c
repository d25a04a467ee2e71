/* best_of.c - the Renyi divergence of the best of K runs (best_of.h).
 *
 * With e(a) the divergence of one run at order a, the best of K runs has at order a at most
 *
 *   K truncated negative binomial with shape h and parameter g (theorem 2), for any order b >= 1:
 *     e(a) + (1 + h) ((1 - 1/b) e(b) + ln(1/g) / b) + ln E[K] / (a - 1)
 *   K Poisson with mean m (theorem 6), where one run is (ln(1 + 1/(a - 1)), d)-DP:
 *     e(a) + m d + ln(m) / (a - 1)
 *
 * Every term is at least 0 because the mean is at least 1, so rounding each one up is safe. */
#include "privacy/best_of.h"

#include "privacy/rdp.h"

#include "base/error.h"

#include <math.h>

#define MOST_MEAN  1e9
#define MOST_SHAPE 1e3
enum { MOST_ORDERS = TC_BEST_OF_ORDERS };

tacit_status tc_repeats_check(const tacit_repeats *r, tacit_error *err)
{
    if (r->kind != TACIT_REPEATS_POISSON && r->kind != TACIT_REPEATS_NEGATIVE_BINOMIAL)
        return tc_fail(err, TACIT_E_ARG,
                       "kind must be 0 (Poisson) or 1 (negative binomial), got %d", (int)r->kind);
    if (!(r->mean >= 1 && r->mean <= MOST_MEAN))
        return tc_fail_range(err, "mean", "[1, 1e9]", r->mean);
    if (r->kind == TACIT_REPEATS_NEGATIVE_BINOMIAL && !(r->shape >= 0 && r->shape <= MOST_SHAPE))
        return tc_fail_range(err, "shape", "[0, 1e3]", r->shape);
    if (r->kind == TACIT_REPEATS_POISSON && r->shape != 0)
        return tc_fail(err, TACIT_E_ARG, "shape must be 0 for Poisson, got %g", r->shape);
    return TACIT_OK;
}

/* ---- truncated negative binomial */

/* E[K] for g = e^-x: h (1 - g) / (g (1 - g^h)), and its limit (1 - g) / (g x) at h = 0. */
static double mean_of(double x, double shape)
{
    double grown = expm1(x);
    if (x == 0)
        return 1;
    if (shape * x < 1e-300) /* the limit; below that, shape * x would lose digits */
        return grown / x;
    return shape * grown / -expm1(-shape * x);
}

/* The mean grows with x. It is at least (e^x - 1) / max(x, 1/h), so some x up to 32 is enough for
 * means up to 1e9: at h = 0 (e^32 - 1) / 32 is 2.5e12. */
double tc_repeats_log_gamma(double mean, double shape)
{
    double low = 0, high = 32;
    while (high - low > 4 * DBL_EPSILON * high) {
        double middle = low + (high - low) / 2;
        /* The value of mean_of has a relative error of a few units: too small is not enough. */
        *(mean_of(middle, shape) >= mean * (1 + 16 * DBL_EPSILON) ? &high : &low) = middle;
    }
    return high;
}

/* (1 + h) ((1 - 1/b) e(b) + x / b) at the best b; at b = 1 that is (1 + h) x. */
static double negative_binomial_term(const tacit_repeats *r, size_t n, const double *orders,
                                     const double *rdp)
{
    double x = tc_repeats_log_gamma(r->mean, r->shape), least = INFINITY;
    for (size_t i = 0; i < n; i++)
        if (isfinite(rdp[i]))
            least = fmin(least, (1 - 1 / orders[i]) * rdp[i] + x / orders[i]);
    return tc_up((1 + r->shape) * least, 8);
}

/* ---- Poisson */

/* ln d >= ln of the delta at epsilon of a mechanism with this divergence: Canonne, Kamath, Steinke
 * 2020, proposition 12, and Bretagnolle and Huber 1979 for small divergences. */
static double log_delta(double rdp, double order, double epsilon)
{
    double a = order, exponent = (a - 1) * (rdp - epsilon + log1p(-1 / a)) - log(a);
    double units = (a - 1) * (rdp + epsilon + 1) + log(a);
    double huber = 0.5 * log(-expm1(-rdp)); /* -inf for 0: then delta is 0 */
    return fmin(exponent + 8 * DBL_EPSILON * units, huber + 8 * DBL_EPSILON * (1 + fabs(huber)));
}

/* The least delta of one run at ln(1 + 1/(order - 1)), from all orders. */
static double delta_at(double order, size_t n, const double *orders, const double *rdp)
{
    double epsilon = log1p(1 / (order - 1)) * (1 - 4 * DBL_EPSILON), least = 0;
    for (size_t i = 0; i < n; i++)
        if (rdp[i] == 0)
            return 0;
        else if (isfinite(rdp[i]))
            least = fmin(least, log_delta(rdp[i], orders[i], epsilon));
    return fmin(tc_up(exp(least), 4), 1);
}

/* ---- both */

void tc_best_of_rdp(const tacit_repeats *r, size_t n, const double *orders, const double *rdp,
                    double *out)
{
    bool poisson = r->kind == TACIT_REPEATS_POISSON;
    double choice = poisson ? 0 : negative_binomial_term(r, n, orders, rdp);
    double delta[MOST_ORDERS] = {0}; /* all before any: out may be rdp */
    for (size_t i = 0; poisson && i < n; i++)
        delta[i] = orders[i] > 1 ? delta_at(orders[i], n, orders, rdp) : 1;
    for (size_t i = 0; i < n; i++) {
        double more = poisson ? r->mean * delta[i] : choice;
        /* gamma was rounded so that E[K] is a little above the mean */
        double repeats = (log(r->mean) + 64 * DBL_EPSILON) / (orders[i] - 1);
        out[i] = orders[i] > 1 ? tc_up(rdp[i] + more + repeats, 8) : INFINITY;
    }
}

/* All orders at once, for each helps the others: 1, whose divergence is below that of any other, the
 * grid, and in a second pass the orders around the best of the first. */
static tacit_status account(const tc_accountant *self, const tacit_dp_event *events, size_t n,
                            double delta, tacit_guarantee *out, tacit_error *err)
{
    const tacit_repeats *r = ((const tc_best_of *)self)->repeats;
    double orders[MOST_ORDERS], rdp[MOST_ORDERS], best[MOST_ORDERS];
    TC_TRY(tc_rdp_check_size(events, n, err));
    out->epsilon = INFINITY;
    orders[0] = 1;
    size_t known = 1, tried = 1 + tc_rdp_orders(orders + 1);
    rdp[0] = tc_rdp_sum(events, n, orders[1]);
    for (int pass = 0; pass < 2; pass++) {
        for (; known < tried; known++)
            rdp[known] = tc_rdp_sum(events, n, orders[known]);
        tc_best_of_rdp(r, known, orders, rdp, best);
        for (size_t i = 1; i < known; i++) {
            double epsilon = tc_rdp_epsilon(best[i], orders[i], delta);
            if (epsilon < out->epsilon) {
                out->epsilon = epsilon;
                out->order = orders[i];
            }
        }
        if (pass == 0)
            tried += tc_rdp_refined(out->order, orders + known);
    }
    return TACIT_OK;
}

tc_best_of tc_best_of_accountant(const tacit_repeats *r)
{
    return (tc_best_of){.accountant = {.name = "rdp", .account = account}, .repeats = r};
}
