/* price.c - see price.h. */
#include "papers/experiments/price.h"

#include "base/error.h"
#include "privacy/accountant.h"

#include <math.h>

static double delta_of(const tc_price *p)
{
    return pow(p->agents, -1.1);
}

tacit_status tc_price_by(const tc_price *p, const char *accountant, double *epsilon,
                         tacit_error *err)
{
    const tc_accountant *a;
    tacit_dp_event event = {.mechanism = TACIT_DP_GAUSSIAN,
                            .parameter = p->z,
                            .sampling = TACIT_DP_POISSON,
                            .sampling_rate = p->rate,
                            .count = p->rounds};
    tacit_guarantee g;
    TC_TRY(tc_accountant_get(&a, accountant, err));
    TC_TRY(tc_account(a, &event, 1, delta_of(p), &g, err));
    *epsilon = g.epsilon;
    return TACIT_OK;
}

tacit_status tc_price_promise(const tc_arm *arm, tc_arm *out, tacit_error *err)
{
    const tc_price *p = arm->set;
    tc_arm promised = *arm;
    if (p) {
        TC_TRY(tc_price_by(p, "pld", &promised.epsilon, err));
        promised.delta = delta_of(p);
    }
    *out = promised;
    return TACIT_OK;
}
