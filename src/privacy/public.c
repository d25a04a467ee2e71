/* public.c - what comes from outside is checked (public.h). */
#include "privacy/public.h"

#include "privacy/ledger_int.h"
#include "privacy/mechanism.h"

#include "base/error.h"

TC_SIZED(tc_sized_cost, tacit_cost, distance, distance);

tacit_status tc_check_choice(const char *name, int choice, int last, tacit_error *err)
{
    if (choice >= 0 && choice <= last)
        return TACIT_OK;
    return tc_fail(err, TACIT_E_ARG, "%s must be one of its constants, 0 to %d, got %d", name, last,
                   choice);
}

tacit_status tc_check_unit(tacit_unit unit, tacit_error *err)
{
    return tc_check_choice("the unit", (int)unit, TC_UNIT_LAST, err);
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
