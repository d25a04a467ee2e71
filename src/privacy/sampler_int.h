/* sampler_int.h - the samplers as programs over dice. For sampler.c and its tests only.
 *
 * All randomness enters through dice: `below` (uniform on 0..n-1), `coin` (1 with probability a/b)
 * and `exp` (1 with probability exp(-a/b), a <= b), which is exp_minus_fraction over coins.
 * sampler.c gives dice made of entropy; a test gives dice that play every game to its end and
 * adds up exact probabilities. Both compile the very same lines.
 *
 * Why the samplers are exact (Canonne, Kamath, Steinke 2020, with integer scales):
 *
 *   exp_minus_fraction, x = a/b in [0,1]. Round k = 1, 2, ... goes on with probability x/k, so the
 *   round that ends it is beyond k with probability x^k/k!. It is odd with probability
 *   1 - x + x^2/2! - ... = exp(-x).
 *
 *   laplace_try. u is uniform on 0..t-1 and kept with probability exp(-u/t); v >= 0 has
 *   P(v) ~ exp(-v). So m = u + t v has P(m) ~ exp(-m/t) on 0, 1, 2, ...; the sign is an
 *   independent bit, and one of the two zeros is thrown away: P(x) ~ exp(-|x|/t).
 *
 *   gaussian_try. A Laplace draw y of scale s, kept with probability exp(-(|y|-s)^2 / (2 s^2)):
 *   exp(-|y|/s) exp(-(|y|-s)^2 / (2 s^2)) = exp(-y^2 / (2 s^2)) exp(-1/2).
 *
 * A "try" says whether it was kept. Trying until it is gives the conditional distribution. */
#ifndef TC_PRIVACY_SAMPLER_INT_H
#define TC_PRIVACY_SAMPLER_INT_H

#include <stdbool.h>
#include <stdint.h>

typedef struct tc_dice {
    uint64_t (*below)(void *ctx, uint64_t n);
    bool (*coin)(void *ctx, uint64_t a, uint64_t b);
    bool (*exp)(void *ctx, uint64_t a, uint64_t b);
    void *ctx;
} tc_dice;

/* The dice are constants where this is used: inlining turns them into direct calls. */
#define TC_SAMPLER_INLINE static inline __attribute__((always_inline))

/* exp(-a/b), 0 <= a <= b. P(a/b and 1/k) = a/(b k) is tossed as two coins: no product, no overflow. */
TC_SAMPLER_INLINE bool exp_minus_fraction(tc_dice d, uint64_t a, uint64_t b)
{
    uint64_t k = 1;
    while (d.coin(d.ctx, 1, k) && d.coin(d.ctx, a, b))
        k++;
    return k % 2 == 1;
}

/* exp(-(whole + a/b)), a < b: every factor must come up. */
TC_SAMPLER_INLINE bool exp_minus(tc_dice d, uint64_t whole, uint64_t a, uint64_t b)
{
    for (uint64_t i = 0; i < whole; i++)
        if (!d.exp(d.ctx, 1, 1))
            return false;
    return d.exp(d.ctx, a, b);
}

/* v reaches 2^20 with probability exp(-2^20): |*out| stays far inside 64 bits for t <= 2^40. */
TC_SAMPLER_INLINE bool laplace_try(tc_dice d, uint64_t t, int64_t *out)
{
    uint64_t face = d.below(d.ctx, 2 * t); /* u and the sign, independent, from one throw */
    uint64_t u = face / 2;
    bool negative = face % 2 == 1;
    if (!d.exp(d.ctx, u, t))
        return false;
    uint64_t v = 0;
    while (d.exp(d.ctx, 1, 1))
        v++;
    int64_t m = (int64_t)(u + t * v);
    *out = negative ? -m : m;
    return !(negative && m == 0);
}

__extension__ typedef unsigned __int128 tc_sampler_wide;

TC_SAMPLER_INLINE bool gaussian_try(tc_dice d, uint64_t s, int64_t *out)
{
    if (!laplace_try(d, s, out))
        return false;
    uint64_t m = (uint64_t)(*out < 0 ? -*out : *out);
    uint64_t away = m < s ? s - m : m - s;
    uint64_t twice = 2 * s * s; /* s <= 2^24: below 2^50 */
    tc_sampler_wide square = (tc_sampler_wide)away * away;
    if (square >> 64 == 0) /* always, but for once in e^256 draws: spare the long division */
        // NOLINTNEXTLINE(clang-analyzer-core.DivideZero): s >= 1
        return exp_minus(d, (uint64_t)square / twice, (uint64_t)square % twice, twice);
    return exp_minus(d, (uint64_t)(square / twice), (uint64_t)(square % twice), twice);
}

#endif
