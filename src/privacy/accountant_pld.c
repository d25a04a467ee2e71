/* accountant_pld.c - the default accountant: the best bound that is known for the events.
 *
 * Gaussians without sampling have a closed form, which is exact. Everything else is a privacy
 * loss distribution, and the RDP value beside it: the smaller of the two proved upper bounds is
 * reported and named. What is charged for replacement has the bracket of a group of two (group.h). Where the distribution has no bracket (fixed-size sampling, limits of time
 * and memory) the RDP value stands alone. */
#include "privacy/accountant_int.h"
#include "privacy/group.h"
#include "privacy/pld.h"

#include "base/error.h"

#include <math.h>

static bool all_plain(const tacit_dp_event *events, size_t n)
{
    size_t i = 0;
    while (i < n && tc_is_plain_gaussian(&events[i]))
        i++;
    return i == n;
}

static void take_bracket(tacit_guarantee *out, const tc_pld_bracket *b)
{
    if (b->upper <= out->epsilon) {
        out->epsilon = b->upper;
        out->accountant = tc_accountant_pld.name;
        out->order = 0;
    }
    out->lower = fmin(b->lower, out->epsilon);
}

static tacit_status account(const tc_accountant *self, const tacit_dp_event *events, size_t n,
                            double delta, tacit_guarantee *out, tacit_error *err)
{
    (void)self;
    if (all_plain(events, n)) {
        out->accountant = tc_accountant_gaussian.name;
        return tc_accountant_gaussian.account(&tc_accountant_gaussian, events, n, delta, out, err);
    }
    out->accountant = tc_accountant_rdp.name;
    TC_TRY(tc_accountant_rdp.account(&tc_accountant_rdp, events, n, delta, out, err));
    tc_pld_bracket bracket;
    tacit_error reason;
    tacit_status status = tc_group_has(events, n)
                              ? tc_group_bracket(events, n, delta, &bracket, &reason)
                              : tc_pld_bracket_of(events, n, delta, &bracket, &reason);
    if (status == TACIT_OK)
        take_bracket(out, &bracket);
    else if (status != TACIT_E_NUMERIC && status != TACIT_E_UNSUPPORTED)
        return tc_pass_on(err, status, &reason);
    return TACIT_OK;
}

const tc_accountant tc_accountant_pld = {
    .name = "pld",
    .account = account,
};
