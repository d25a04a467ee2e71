/* exp_upper.c - exp(-x) in fixed point, every rounding upward.
 *
 * exp(-x) = exp(-y)^(2^k) with y = x / 2^k <= 1/16. Rounding y down moves exp(-y) up. The
 * alternating series, broken off after the even power 10, lies above exp(-y), by less than
 * 16^-11/11! < 2^-69; its even terms are rounded up and its odd terms down. Squares are rounded
 * up, and squaring keeps the order of positive numbers. */
#include "privacy/exp_upper.h"

#include <math.h>

enum { BITS = 62, POWERS = 10 };

__extension__ typedef unsigned __int128 wide;

static uint64_t times_up(uint64_t a, uint64_t b)
{
    wide product = (wide)a * b;
    return (uint64_t)((product + TC_EXP_ONE - 1) >> BITS);
}

static uint64_t series(uint64_t y)
{
    uint64_t low = y, high = y; /* bounds on y^j / j! */
    uint64_t sum = TC_EXP_ONE - low;
    for (uint64_t j = 2; j <= POWERS; j++) {
        low = (uint64_t)(((wide)low * y) >> BITS) / j;
        high = (times_up(high, y) + j - 1) / j;
        sum = j % 2 == 0 ? sum + high : sum - low;
    }
    return sum;
}

uint64_t tc_exp_minus_upper(double x)
{
    int halvings = 0;
    while (ldexp(x, -halvings) > 0.0625)
        halvings++;
    uint64_t r = series((uint64_t)ldexp(x, BITS - halvings)); /* the conversion rounds down */
    for (int i = 0; i < halvings; i++)
        r = times_up(r, r);
    return r < TC_EXP_ONE ? r : TC_EXP_ONE;
}
