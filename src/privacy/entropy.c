/* entropy.c - the two sources of a tc_entropy: secret noise and a seeded stream. */
#include "privacy/entropy.h"

static uint64_t secret_u64(void *ctx)
{
    return tc_noise_u64(ctx);
}

tc_entropy tc_entropy_of(tc_noise *n)
{
    return (tc_entropy){.u64 = secret_u64, .ctx = n, .secret = true};
}

void tc_entropy_fresh(tc_entropy *e)
{
    if (e->u64 == secret_u64)
        tc_noise_fini(e->ctx); /* which keys itself again when it is used */
}

void tc_test_noise_init(tc_test_noise *t, uint64_t seed, uint64_t step)
{
    tc_party_seed s = tc_party_seed_from(seed);
    tc_stream_party(&t->stream, &s, 0, TC_FOR_TEST_NOISE, step);
}

static uint64_t seeded_u64(void *ctx)
{
    tc_test_noise *t = ctx;
    return tc_draw_u64(&t->stream);
}

tc_entropy tc_entropy_of_test(tc_test_noise *t)
{
    return (tc_entropy){.u64 = seeded_u64, .ctx = t, .secret = false};
}
