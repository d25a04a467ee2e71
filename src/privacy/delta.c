/* delta.c - which delta a promise to N members may have (<tacit/privacy.h>). */
#include <tacit/privacy.h>

#include "base/error.h"

#include <inttypes.h>
#include <math.h>

double tacit_delta_default(uint64_t members)
{
    double n = (double)members;
    return fmin(1e-5, 1 / (n * n));
}

bool tacit_delta_is_large(double delta, uint64_t members)
{
    double n = (double)members;
    return delta > 1 / (n * n);
}

tacit_status tacit_delta_check(const char *field, double delta, uint64_t members, tacit_error *err)
{
    double most = 1 / (double)members;
    if (delta < most)
        return TACIT_OK;
    return tc_fail(err, TACIT_E_ARG,
                   "%s must be below 1/N = %g for %" PRIu64
                   " agents, got %g: such a delta allows to publish all of one agent's data",
                   field ? field : "delta", most, members, delta);
}
