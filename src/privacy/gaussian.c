/* gaussian.c - the Gaussian mechanism in closed form (Balle and Wang 2018; Dong, Roth, Su 2019).
 *
 * Gaussians without sampling compose exactly: mu^2 = sum of count/z^2, and
 *     delta(epsilon) = Phi(-a) - e^epsilon Phi(-b),    a = epsilon/mu - mu/2,  b = a + mu.
 * With the Mills ratio m(x) = Phi(-x)/phi(x), and e^epsilon phi(b) = phi(a), this is
 *     delta(epsilon) = phi(a) (m(a) - m(b)),
 * free of the overflow of e^epsilon. For small mu the difference would cancel; there it is the
 * integral of -m'(x) = 1 - x m(x) over [a, b], by Gauss-Legendre with eight nodes: for
 * mu <= 1/4 and a >= -1/8 the remainder is below 1e-24, as |m^(17)| < 1e8 there.
 *
 * Rounding. a is known to a few units of epsilon/mu + mu; phi(a) then to |a| times that; m to a
 * few units, enlarged by the cancellation (m(a) + m(b)) / (m(a) - m(b)). Their sum bounds the
 * relative error on both sides, and the searches below ask the side that is safe. */
#include "privacy/accountant_int.h"
#include "privacy/erfcx.h"
#include "privacy/rdp.h"

#include "base/error.h"

#include <math.h>

#define SMALL_MU 0.25

static double phi(double x)
{
    return exp(-x * x / 2) * 0.39894228040143267794; /* 1/sqrt(2 pi) */
}

static double mills(double x) /* x >= -1/8 */
{
    if (x >= 0)
        return 1.25331413731550025121 * tc_erfcx(x / M_SQRT2); /* sqrt(pi/2) */
    return erfc(x / M_SQRT2) / 2 / phi(x);
}

/* The integral of 1 - x m(x) over [a, a + mu]. */
static double mills_drop(double a, double mu)
{
    static const double node[] = {0.18343464249564980494, 0.52553240991632898582,
                                  0.79666647741362673959, 0.96028985649753623168};
    static const double weight[] = {0.36268378337836198297, 0.31370664587788728734,
                                    0.22238103445337447054, 0.10122853629037625915};
    double middle = a + mu / 2, sum = 0;
    for (int i = 0; i < 4; i++) {
        double x = middle - node[i] * mu / 2, y = middle + node[i] * mu / 2;
        sum += weight[i] * ((1 - x * mills(x)) + (1 - y * mills(y)));
    }
    return sum * mu / 2;
}

/* delta(epsilon) and a bound on its relative error. */
static double delta_of(double mu, double epsilon, double *error)
{
    double a = epsilon / mu - mu / 2, b = a + mu;
    double value, cancelled;
    if (mu <= SMALL_MU) {
        double drop = mills_drop(a, mu);
        value = phi(a) * drop;
        cancelled = mu * (1 + fabs(b) * mills(a)) / drop;
    } else if (a >= 0) {
        double ma = mills(a), mb = mills(b);
        value = phi(a) * (ma - mb);
        cancelled = (ma + mb + 2 * (epsilon / mu + mu) / (1 + a * a)) / (ma - mb);
    } else {
        double first = erfc(a / M_SQRT2) / 2, second = phi(a) * mills(b);
        value = first - second;
        cancelled = (first + second + (epsilon / mu + mu) * phi(a)) / value;
    }
    *error = 16 * DBL_EPSILON * (4 + a * a + (fabs(a) + 1) * (epsilon / mu + mu) + cancelled);
    return value;
}

double tc_gaussian_delta(double mu, double epsilon)
{
    if (!(mu > 0))
        return 0;
    if (!(mu < INFINITY))
        return 1;
    double ratio = epsilon / mu;
    if (ratio - mu / 2 - 4 * DBL_EPSILON * (ratio + mu) > 40) /* Phi(-40) underflows */
        return DBL_MIN;
    double error, delta = delta_of(mu, epsilon, &error);
    if (!(error < 0.5)) /* every digit lost: mu beyond 1e12 */
        return 1;
    return fmax(fmin(delta * (1 + error), 1), DBL_MIN);
}

static double delta_lower(double mu, double epsilon)
{
    double error, delta = delta_of(mu, epsilon, &error);
    return error < 1 ? delta * (1 - error) : 0;
}

/* The point in [0, high] where delta_bound falls to delta: in (*low, *high]. */
static void cross(double (*delta_bound)(double, double), double mu, double delta, double *low,
                  double *high)
{
    while (*high - *low > *high * 1e-15) {
        double middle = *low + (*high - *low) / 2;
        if (middle <= *low || middle >= *high)
            return;
        if (delta_bound(mu, middle) <= delta)
            *high = middle;
        else
            *low = middle;
    }
}

/* delta(epsilon) <= Phi(-a) <= exp(-a^2/2)/2 for a >= 0: large enough for every rounding. */
static double epsilon_ceiling(double mu, double delta)
{
    double a = sqrt(2 * fmax(-log(2 * delta), 0)) + 1;
    return mu * (a + mu / 2);
}

double tc_gaussian_epsilon(double mu, double delta)
{
    if (!(mu > 0) || tc_gaussian_delta(mu, 0) <= delta)
        return 0;
    double low = 0, high = epsilon_ceiling(mu, delta);
    if (!(high < INFINITY) || !(tc_gaussian_delta(mu, high) <= delta))
        return INFINITY;
    cross(tc_gaussian_delta, mu, delta, &low, &high);
    return high;
}

/* The largest epsilon that is proved to be too small: a lower bound on the tight value. */
static double gaussian_epsilon_lower(double mu, double delta)
{
    if (!(mu > 0) || !(delta_lower(mu, 0) > delta))
        return 0;
    double low = 0, high = epsilon_ceiling(mu, delta);
    if (!(high < INFINITY))
        return 0;
    cross(delta_lower, mu, delta, &low, &high);
    return low;
}

/* ---- the accountant */

/* The mu of a list of plain Gaussians, rounded down and up. */
static void gaussian_mu(const tacit_dp_event *events, size_t n, double *low, double *high)
{
    double sum = 0;
    for (size_t i = 0; i < n; i++)
        sum += (double)events[i].count / events[i].parameter / events[i].parameter;
    double mu = sqrt(sum);
    *high = tc_up(mu, (double)n + 4);
    *low = mu * (1 - ((double)n + 4) * DBL_EPSILON);
}

static tacit_status account(const tc_accountant *self, const tacit_dp_event *events, size_t n,
                            double delta, tacit_guarantee *out, tacit_error *err)
{
    (void)self;
    for (size_t i = 0; i < n; i++)
        if (!tc_is_plain_gaussian(&events[i]))
            return tc_fail_no_formula("gaussian", &events[i], err);
    double low, high;
    gaussian_mu(events, n, &low, &high);
    out->epsilon = tc_gaussian_epsilon(high, delta);
    out->lower = gaussian_epsilon_lower(low, delta);
    return TACIT_OK;
}

const tc_accountant tc_accountant_gaussian = {
    .name = "gaussian",
    .account = account,
};

/* ---- calibration of one release */

/* 1/s, rounded up. */
static double delta_of_sd(double s, double epsilon)
{
    return tc_gaussian_delta(tc_up(1 / s, 2), epsilon);
}

tacit_status tc_analytic_gaussian(double epsilon, double delta, double *s, tacit_error *err)
{
    if (!(epsilon > 0 && epsilon <= 1e6))
        return tc_fail_range(err, "epsilon", "(0, 1e6]", epsilon);
    if (!(delta > 0 && delta < 1))
        return tc_fail_range(err, "delta", "(0, 1)", delta);
    double high = 1;
    while (delta_of_sd(high, epsilon) > delta && high < 0x1p100)
        high *= 2;
    while (delta_of_sd(high / 2, epsilon) <= delta && high > 0x1p-100)
        high /= 2;
    double low = high / 2;
    while (high - low > high * 1e-14) {
        double middle = low + (high - low) / 2;
        *(delta_of_sd(middle, epsilon) <= delta ? &high : &low) = middle;
    }
    if (delta_of_sd(high, epsilon) > delta)
        return tc_fail(err, TACIT_E_NUMERIC, "no standard deviation gives epsilon %g at delta %g",
                       epsilon, delta);
    *s = high;
    return TACIT_OK;
}
