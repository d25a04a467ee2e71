/* accountant_int.h - what the accountants share. For src/privacy/ alone. */
#ifndef TC_PRIVACY_ACCOUNTANT_INT_H
#define TC_PRIVACY_ACCOUNTANT_INT_H

#include "privacy/accountant.h"

/* E_UNSUPPORTED: "accountant x has no formula for Laplace(0.5), Poisson-sampled at 0.1". */
tacit_status tc_fail_no_formula(const char *accountant, const tacit_dp_event *e, tacit_error *err);

/* True for a Gaussian in which everybody takes part. */
static inline bool tc_is_plain_gaussian(const tacit_dp_event *e)
{
    return e->mechanism == TACIT_DP_GAUSSIAN && e->sampling == TACIT_DP_ALL;
}

#endif
