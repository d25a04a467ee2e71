/* sampler.c - the exact samplers on entropy. The reasoning is in sampler_int.h.
 *
 * Compiled without floating-point registers; tests/integration/sampler_object_test.sh looks at
 * the object. Anybody in privacy/ may call it; data never enter here. */
#include "privacy/sampler.h"
#include "privacy/sampler_int.h"

/* Lemire 2019: the high half of word * n. Of the 2^64 words, those whose low half is below
 * 2^64 mod n are drawn again, which leaves floor(2^64 / n) words for each result. */
uint64_t tc_sample_below(tc_entropy *e, uint64_t n)
{
    if (n <= 1) /* one outcome takes no entropy */
        return 0;
    tc_sampler_wide product = (tc_sampler_wide)e->u64(e->ctx) * n;
    if ((uint64_t)product < n) { /* else it is not below 2^64 mod n either: no division */
        uint64_t excess = (UINT64_MAX - n + 1) % n;
        while ((uint64_t)product < excess)
            product = (tc_sampler_wide)e->u64(e->ctx) * n;
    }
    return (uint64_t)(product >> 64);
}

static inline uint64_t dice_below(void *ctx, uint64_t n)
{
    return tc_sample_below(ctx, n);
}

static inline bool dice_coin(void *ctx, uint64_t a, uint64_t b)
{
    return tc_sample_below(ctx, b) < a;
}

static inline bool dice_exp(void *ctx, uint64_t a, uint64_t b)
{
    return exp_minus_fraction((tc_dice){.coin = dice_coin, .ctx = ctx}, a, b);
}

static inline tc_dice dice_of(tc_entropy *e)
{
    return (tc_dice){.below = dice_below, .coin = dice_coin, .exp = dice_exp, .ctx = e};
}

int tc_sample_bernoulli(tc_entropy *e, uint64_t a, uint64_t b)
{
    return dice_coin(e, a, b);
}

int64_t tc_sample_laplace(tc_entropy *e, uint64_t t)
{
    int64_t x;
    while (!laplace_try(dice_of(e), t, &x))
        ;
    return x;
}

int64_t tc_sample_gaussian(tc_entropy *e, uint64_t s)
{
    int64_t x;
    while (!gaussian_try(dice_of(e), s, &x))
        ;
    return x;
}
