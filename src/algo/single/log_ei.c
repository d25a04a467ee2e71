/* log_ei.c - ln(pdf(z) + z cdf(z)) for every z. See log_ei.h.
 *
 * For z <= -1, with x = -z and Mills' ratio m(x) = cdf(-x)/pdf(x):
 * h = pdf(x) (1 - x m(x)). The bracket is O(1/x^2) and cancels for large x,
 * where its asymptotic series 1/x^2 - 3/x^4 + 15/x^6 - ... takes over. */
#include "algo/single/log_ei.h"

#include <math.h>

static const double ln_sqrt_2pi = 0.91893853320467274178;

/* Mills' ratio for x >= 1: erfc to x = 20, then the continued fraction
 * 1/(x + 1/(x + 2/(x + ...))), which 20 terms settle there. */
double tc_mills(double x)
{
    if (x < 20)
        return sqrt(M_PI / 2) * exp(x * x / 2) * erfc(x / M_SQRT2);
    double tail = x;
    for (int k = 20; k >= 1; k--)
        tail = x + k / tail;
    return 1 / tail;
}

/* 1 - x m(x) */
static double bracket(double x, double m)
{
    if (x < 20)
        return 1 - x * m;
    double q = 1 / (x * x), term = 1, sum = 0;
    for (int k = 1; k <= 8; k++) {
        term *= (2 * k - 1) * q * (k > 1 ? -1 : 1);
        sum += term;
    }
    return sum;
}

double tc_log_h(double z, double *slope)
{
    if (z > -1) {
        double pdf = exp(-z * z / 2 - ln_sqrt_2pi), cdf = erfc(-z / M_SQRT2) / 2;
        double h = pdf + z * cdf;
        *slope = cdf / h;
        return log(h);
    }
    double x = -z, m = tc_mills(x), b = bracket(x, m);
    *slope = m / b;
    return -x * x / 2 - ln_sqrt_2pi + log(b);
}

/* The variance of an observed point may be 0, hence the floor. */
double tc_ei_z(double best, double mean, double var, double *sd)
{
    *sd = sqrt(fmax(var, 1e-24));
    return (mean - best) / *sd;
}

/* ln EI = ln s + ln h((mean - best)/s) */
double tc_log_ei(double best, double mean, double var, double *d_mean, double *d_var)
{
    double sd, z = tc_ei_z(best, mean, var, &sd), slope;
    double value = log(sd) + tc_log_h(z, &slope);
    *d_mean = slope / sd;
    *d_var = (1 - slope * z) / (2 * sd * sd);
    return value;
}

/* d EI / d mean = cdf(z), d EI / d var = pdf(z) / (2 s). */
tc_ei tc_ei_at(double z, double sd)
{
    const double inverse_sqrt_2pi = 0.39894228040143267794;
    const double pdf = inverse_sqrt_2pi * exp(-z * z / 2), cdf = erfc(-z * M_SQRT1_2) / 2;
    return (tc_ei){.value = sd * fmax(pdf + z * cdf, 0), .d_mean = cdf, .d_var = pdf / (2 * sd)};
}

double tc_ei_move(double var, double noise, double *slope)
{
    if (noise == 0) {
        *slope = 1;
        return var;
    }
    const double share = var / (var + noise);
    *slope = share * (2 - share);
    return var * share;
}
