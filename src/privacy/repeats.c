/* repeats.c - K, drawn exactly (repeats.h).
 *
 * Poisson with mean m: as many draws of mean 1 as m has ones, and one more of which each point is kept with
 * probability m - floor(m). A draw k of mean 1: k is proposed with probability 2^-(k+1) and kept with
 * 2^(k-1) / k!, which is 1/2, 1, 1, 2/3, 2/3 2/4, ...: P(k) ~ 1 / k!.
 *
 * Truncated negative binomial, shape h and parameter g (Papernot and Steinke, definition 1): with j = k - 1,
 *   P(k) ~ (1 - g)^j  product over l = 1..j of (l + h) / (l + 1).
 * Proposed is j, the sum of n geometric draws, n = max(1, ceil(h)):
 *   Q(j) ~ (1 - g)^j  product over l = 1..j of (l + n - 1) / l.
 * Kept is it with P / Q, up to a constant: the product over l of
 *   (l + h) l / ((l + 1) (l + n - 1))  =  (l + h) / (l + n)  *  l (l + n) / ((l + 1) (l + n - 1)),
 * both at most 1 since h <= n and n >= 1. The first is 1 - (n - h) / (l + n): a die with l + n faces shows 0, and
 * then a coin of n - h <= 1 (exact in a double from 1 on; below, where n is 1, a coin of h says the opposite).
 * At h = 0 that is the logarithmic distribution, (1 - g)^k / k. */
#include "privacy/repeats.h"

#include "privacy/best_of.h"
#include "privacy/sampler.h"

#include <math.h>

/* True with probability p, a double in [0, 1], to its last bit: digits of p against random ones. */
static bool coin(tc_entropy *e, double p)
{
    for (;;) {
        p = ldexp(p, 32);
        double digit = floor(p), drawn = (double)(e->u64(e->ctx) >> 32);
        if (drawn != digit)
            return drawn < digit;
        p -= digit;
    }
}

/* ---- Poisson */

/* Is a proposal k kept? */
static bool keeps(tc_entropy *e, uint64_t k)
{
    if (k == 0)
        return tc_sample_below(e, 2) == 0;
    for (uint64_t i = 3; i <= k; i++)
        if (!tc_sample_bernoulli(e, 2, i))
            return false;
    return true;
}

static uint64_t poisson_of_one(tc_entropy *e)
{
    for (;;) {
        uint64_t k = 0;
        while (tc_sample_below(e, 2) == 0)
            k++;
        if (keeps(e, k))
            return k;
    }
}

static uint64_t poisson(tc_entropy *e, double mean)
{
    double whole = floor(mean);
    uint64_t k = 0;
    for (double i = 0; i < whole; i++)
        k += poisson_of_one(e);
    for (uint64_t left = mean > whole ? poisson_of_one(e) : 0; left > 0; left--)
        k += coin(e, mean - whole);
    return k;
}

/* ---- truncated negative binomial */

double tc_repeats_gamma(double mean, double shape)
{
    return fmin(exp(-tc_repeats_log_gamma(mean, shape)) * (1 + 0x1p-48), 1);
}

static uint64_t geometric_sum(tc_entropy *e, double gamma, uint64_t n)
{
    uint64_t j = 0;
    for (; n > 0; n--)
        while (!coin(e, gamma))
            j++;
    return j;
}

/* 1 - (n - h) / (l + n) */
static bool first_factor(tc_entropy *e, double h, uint64_t n, uint64_t l)
{
    if (tc_sample_below(e, l + n) != 0)
        return true;
    return h < 1 ? coin(e, h) : !coin(e, (double)n - h);
}

/* l (l + n) / ((l + 1) (l + n - 1)) = 1 - (n - 1) / ((l + 1) (l + n - 1)) */
static bool second_factor(tc_entropy *e, uint64_t n, uint64_t l)
{
    if (n == 1 || tc_sample_below(e, l + 1) != 0)
        return true;
    return !tc_sample_bernoulli(e, n - 1, l + n - 1);
}

static bool is_kept(tc_entropy *e, double h, uint64_t n, uint64_t j)
{
    for (uint64_t l = 1; l <= j; l++)
        if (!first_factor(e, h, n, l) || !second_factor(e, n, l))
            return false;
    return true;
}

static uint64_t negative_binomial(tc_entropy *e, double mean, double h)
{
    double gamma = tc_repeats_gamma(mean, h);
    uint64_t n = h > 1 ? (uint64_t)ceil(h) : 1, j;
    do
        j = geometric_sum(e, gamma, n);
    while (!is_kept(e, h, n, j));
    return j + 1;
}

uint64_t tc_repeats_draw(const tacit_repeats *r, tc_entropy *e)
{
    return r->kind == TACIT_REPEATS_POISSON ? poisson(e, r->mean)
                                            : negative_binomial(e, r->mean, r->shape);
}
