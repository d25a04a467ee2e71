/* clopper_pearson.c - the two bounds, by bisection on a binomial tail.
 *
 * P(Bin(n,p) >= k) is the regularised incomplete beta function I_p(k, n-k+1), here by its continued
 * fraction (modified Lentz), which converges fast on the side of the mean where it is used. The
 * lower bound is the p at which that tail is alpha; the upper one follows by counting failures.
 *
 * Safe side: the logarithm of the front factor is a difference of numbers of size n ln n, so the
 * tail is known to a relative 1e-5 or better for n <= 1e9. Alpha is cut by more than that, and the
 * bisection returns its outer end. */
#include "privacy/clopper_pearson.h"

#include <float.h>
#include <math.h>

#define ROUNDING 1e-4 /* relative, of a tail */

enum { MOST_TERMS = 1000000, BISECTIONS = 200 };

static double log_gamma(double x)
{
    int sign;
    return lgamma_r(x, &sign); /* the plain lgamma writes to a global */
}

static double away_from_zero(double x)
{
    return fabs(x) < DBL_MIN ? DBL_MIN : x;
}

/* The coefficient of step j = 1, 2, ... of the continued fraction of I_x(a, b). */
static double coefficient(double a, double b, double x, int j)
{
    double m = j / 2;
    if (j % 2 == 0)
        return m * (b - m) * x / ((a + 2 * m - 1) * (a + 2 * m));
    return -(a + m) * (a + b + m) * x / ((a + 2 * m) * (a + 2 * m + 1));
}

static double continued_fraction(double a, double b, double x)
{
    double c = 1, d = 0, f = 1;
    for (int j = 0; j < MOST_TERMS; j++) {
        double term = j == 0 ? 1 : coefficient(a, b, x, j);
        d = 1 / away_from_zero(1 + term * d);
        c = away_from_zero(1 + term / c);
        f *= c * d;
        if (j > 0 && fabs(c * d - 1) < DBL_EPSILON)
            break;
    }
    return f - 1;
}

/* x^a (1-x)^b / (a B(a,b)), times the fraction. */
static double beta_front(double a, double b, double x)
{
    double log_beta = log_gamma(a) + log_gamma(b) - log_gamma(a + b);
    return exp(a * log(x) + b * log1p(-x) - log_beta) / a;
}

/* I_x(a, b) for x in (0, 1). */
static double incomplete_beta(double a, double b, double x)
{
    if (x <= (a + 1) / (a + b + 2))
        return beta_front(a, b, x) * continued_fraction(a, b, x);
    return 1 - beta_front(b, a, 1 - x) * continued_fraction(b, a, 1 - x);
}

double tc_clopper_pearson_lower(uint64_t k, uint64_t n, double alpha)
{
    if (k == 0)
        return 0;
    double a = (double)k, b = (double)(n - k) + 1, level = alpha * (1 - ROUNDING);
    double low = 0, high = a / (double)n;
    for (int i = 0; i < BISECTIONS && high - low > DBL_EPSILON * high; i++) {
        double middle = low + (high - low) / 2;
        if (incomplete_beta(a, b, middle) < level)
            low = middle;
        else
            high = middle;
    }
    return low;
}

double tc_clopper_pearson_upper(uint64_t k, uint64_t n, double alpha)
{
    if (k == n)
        return 1;
    double a = (double)k + 1, b = (double)(n - k), level = alpha * (1 - ROUNDING);
    double low = (double)k / (double)n, high = 1;
    for (int i = 0; i < BISECTIONS && high - low > DBL_EPSILON * high; i++) {
        double middle = low + (high - low) / 2;
        if (incomplete_beta(b, a, 1 - middle) < level) /* P(Bin(n, middle) <= k) */
            high = middle;
        else
            low = middle;
    }
    return high;
}
