/* public.c - public types as internal ones (public.h). */
#include "privacy/public.h"

#include "privacy/ledger_int.h"
#include "privacy/mechanism.h"

#include "base/error.h"

TC_SIZED(tc_sized_cost, tacit_cost, distance, distance);

_Static_assert((int)TACIT_DP_GAUSSIAN == (int)TC_DP_GAUSSIAN, "same numbers");
_Static_assert((int)TACIT_DP_LAPLACE == (int)TC_DP_LAPLACE, "same numbers");
_Static_assert((int)TACIT_DP_PURE == (int)TC_DP_PURE, "same numbers");
_Static_assert((int)TACIT_DP_NONPRIVATE == (int)TC_DP_NONPRIVATE, "same numbers");
_Static_assert((int)TACIT_DP_ALL == (int)TC_DP_ALL, "same numbers");
_Static_assert((int)TACIT_DP_POISSON == (int)TC_DP_POISSON, "same numbers");
_Static_assert((int)TACIT_DP_FIXED_SIZE == (int)TC_DP_FIXED_SIZE, "same numbers");
_Static_assert((int)TACIT_UNIT_AGENT == (int)TC_UNIT_AGENT, "same numbers");
_Static_assert((int)TACIT_UNIT_ROW == (int)TC_UNIT_ROW, "same numbers");
_Static_assert((int)TACIT_UNIT_USER == (int)TC_UNIT_USER, "same numbers");
_Static_assert((int)TACIT_ROWS_AUTO == (int)TC_ROWS_AUTO, "same numbers");
_Static_assert((int)TACIT_ROWS_LAPLACE == (int)TC_ROWS_LAPLACE, "same numbers");
_Static_assert((int)TACIT_ROWS_GAUSSIAN == (int)TC_ROWS_GAUSSIAN, "same numbers");
_Static_assert((int)TACIT_REPLY_AUTO == (int)TC_REPLY_AUTO, "same numbers");
_Static_assert((int)TACIT_REPLY_ONE_BIT == (int)TC_REPLY_ONE_BIT, "same numbers");
_Static_assert((int)TACIT_REPLY_PIECEWISE == (int)TC_REPLY_PIECEWISE, "same numbers");
_Static_assert((int)TACIT_REPLY_LAPLACE == (int)TC_REPLY_LAPLACE, "same numbers");

tacit_status tc_check_choice(const char *name, int choice, int last, tacit_error *err)
{
    if (choice >= 0 && choice <= last)
        return TACIT_OK;
    return tc_fail(err, TACIT_E_ARG, "%s must be one of its constants, 0 to %d, got %d", name, last,
                   choice);
}

tacit_status tc_check_unit(tacit_unit unit, tacit_error *err)
{
    return tc_check_choice("the unit", (int)unit, TC_UNIT_USER, err);
}

tacit_status tc_accountant_of(const tc_accountant **out, const char *name, tacit_error *err)
{
    if (name)
        return tc_accountant_get(out, name, err);
    *out = &tc_accountant_pld;
    return TACIT_OK;
}

tacit_status tc_public_ledger_name(const char *name, tacit_error *err)
{
    return tc_ledger_check_name("the name of a ledger", name, err);
}

tc_dp_event tc_event_of(const tacit_dp_event *e)
{
    return (tc_dp_event){(tc_dp_mechanism)e->mechanism, e->parameter, (tc_dp_sampling)e->sampling,
                         e->sampling_rate, e->count};
}

tacit_dp_event tc_event_public(const tc_dp_event *e)
{
    return (tacit_dp_event){(tacit_dp_mechanism)e->mechanism, e->parameter,
                            (tacit_dp_sampling)e->sampling, e->sampling_rate, e->count};
}
