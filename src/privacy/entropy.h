/* entropy.h - where samplers get their bits, and whether those were secret.
 *
 * Made from a tc_noise (OS entropy), or in test mode from a seeded stream. The second is a type of
 * its own whose mark cannot be washed off: whatever was drawn from it is NOT PRIVATE, and every
 * release, ledger entry and report made with it says so. */
#ifndef TC_PRIVACY_ENTROPY_H
#define TC_PRIVACY_ENTROPY_H

#include "base/random.h"

#include <stdbool.h>

typedef struct tc_entropy {
    uint64_t (*u64)(void *ctx);
    void *ctx;
    bool secret; /* false: seeded, for tests and simulations only */
} tc_entropy;

tc_entropy tc_entropy_of(tc_noise *n); /* secret; n must outlive it */
/* Erases key and buffer of secret noise: the next word comes under a key of its own. A mechanism
 * calls it before and after it draws for a release. A seeded stream goes on as it was. */
void tc_entropy_fresh(tc_entropy *e);

typedef struct tc_test_noise {
    tc_stream stream;
} tc_test_noise;
void tc_test_noise_init(tc_test_noise *t, uint64_t seed, uint64_t step);
tc_entropy tc_entropy_of_test(tc_test_noise *t); /* not secret */

#endif
