/* random_name.c - see random_name.h. */
#include "base/random_name.h"

#include "base/random.h"

#include <inttypes.h>
#include <stdio.h>

void tc_random_name(char out[TC_RANDOM_NAME])
{
    tc_noise noise;
    tc_noise_init(&noise);
    uint64_t high = tc_noise_u64(&noise), low = tc_noise_u64(&noise);
    tc_noise_fini(&noise);
    snprintf(out, TC_RANDOM_NAME, "%016" PRIx64 "%016" PRIx64, high, low);
}
