/* erfcx.c - exp(x^2) erfc(x) for x >= 0.
 *
 * Below 8 the product is formed as it stands: x^2 is split so that exp() sees an exact argument,
 * and erfc is good to a few units in the last place. From 8 on the asymptotic series
 * 1/(x sqrt(pi)) sum (-1)^k (2k-1)!!/(2x^2)^k is used. It envelops: the error is below the first
 * term left out, which for x >= 8 and 20 terms is less than 1e-18. */
#include "privacy/erfcx.h"

#include <math.h>

enum { TERMS = 20 };

static double series(double x)
{
    double y = 1 / (2 * x * x), term = 1, sum = 1;
    for (int k = 1; k <= TERMS; k++) {
        term *= -(2 * k - 1) * y;
        sum += term;
    }
    return sum * (0.56418958354775628695 / x); /* 1/sqrt(pi) */
}

double tc_erfcx(double x)
{
    if (x >= 8)
        return series(x);
    double high = (double)(float)x; /* 24 bits: its square is exact */
    return exp(high * high) * exp((x - high) * (x + high)) * erfc(x);
}
