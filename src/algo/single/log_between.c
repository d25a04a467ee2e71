/* log_between.c - ln(cdf(b) - cdf(a)) for every a < b. See log_between.h.
 *
 * Of the two tails the farther one is computed on the left, where cdf has all its digits, and one difference of logarithms is
 * left: ln cdf(b) + ln(1 - cdf(a)/cdf(b)). Where a and b are close together that one cancels, and the density in the middle
 * is the better number. */
#include "algo/single/log_between.h"

#include "algo/single/log_ei.h"

#include <math.h>
#include <stdbool.h>

static const double ln_sqrt_2pi = 0.91893853320467274178;

double tc_log_cdf(double z, double *slope)
{
    if (z > -1) {
        const double cdf = erfc(-z / M_SQRT2) / 2;
        *slope = exp(-z * z / 2 - ln_sqrt_2pi) / cdf;
        return z > 0 ? log1p(-erfc(z / M_SQRT2) / 2) : log(cdf);
    }
    const double m = tc_mills(-z);
    *slope = 1 / m;
    return -z * z / 2 - ln_sqrt_2pi + log(m);
}

/* a < b, a + b <= 0: the interval lies to the left, or in the middle. The slopes with respect to either bound. */
static double left_of_middle(double a, double b, double wide, double *d_a, double *d_b)
{
    double slope_a = 0, slope_b, middle = (a + b) / 2;
    if (wide * (1 + fabs(middle)) < 1e-3) {
        *d_a = -1 / wide - middle / 2;
        *d_b = 1 / wide - middle / 2;
        return log(wide) - middle * middle / 2 - ln_sqrt_2pi;
    }
    const double at_b = tc_log_cdf(b, &slope_b);
    const double apart = isfinite(a) ? tc_log_cdf(a, &slope_a) - at_b : -INFINITY;
    const double rest = -expm1(apart); /* 1 - cdf(a)/cdf(b) */
    *d_a = -slope_a * (1 - rest) / rest;
    *d_b = slope_b / rest;
    return at_b + log(rest);
}

static double between(double a, double b, double wide, double *d_a, double *d_b)
{
    if (a + b <= 0)
        return left_of_middle(a, b, wide, d_a, d_b);
    const double value = left_of_middle(-b, -a, wide, d_b, d_a);
    *d_a = -*d_a;
    *d_b = -*d_b;
    return value;
}

double tc_log_between(double low, double high, double mean, double var, double *d_mean,
                      double *d_var)
{
    const double sd = sqrt(fmax(var, 1e-24));
    double a = (low - mean) / sd, b = (high - mean) / sd, d_a, d_b;
    const double value = between(a, b, (high - low) / sd, &d_a, &d_b);
    d_a = isfinite(a) ? d_a : 0;
    d_b = isfinite(b) ? d_b : 0;
    *d_mean = -(d_a + d_b) / sd;
    *d_var = -((isfinite(a) ? d_a * a : 0) + (isfinite(b) ? d_b * b : 0)) / (2 * sd * sd);
    return value;
}
