/* delta.c - see delta.h. */
#include "privacy/delta.h"

#include "base/error.h"

#include <inttypes.h>
#include <math.h>

double tc_delta_default(uint64_t members)
{
    double n = (double)members;
    return fmin(1e-5, 1 / (n * n));
}

bool tc_delta_is_large(double delta, uint64_t members)
{
    double n = (double)members;
    return delta > 1 / (n * n);
}

tacit_status tc_delta_check(const char *field, double delta, uint64_t members, tacit_error *err)
{
    double most = 1 / (double)members;
    if (delta < most)
        return TACIT_OK;
    return tc_fail(err, TACIT_E_ARG,
                   "%s must be below 1/N = %g for %" PRIu64
                   " agents, got %g: such a delta allows to publish all of one agent's data",
                   field, most, members, delta);
}
