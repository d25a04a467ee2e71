/* budget.c - refusals by the privacy budget, with their numbers.
 *
 * The sentence was written when the round was refused; the numbers are proved from the ledger as it is
 * now, with the accountant of the study's budget. Where that is a filter, which has no epsilon of its own,
 * it is the default one. Numbers that cannot be had (there is none below infinity, or no memory) are left
 * out: the refusal stands without them. Called by broadcast.c. */
#include "coord/coord_int.h"

#include "algo/charge.h"
#include "base/error.h"

#include <math.h>

/* Under the desk's lock. */
static tacit_status find_price(tc_desk *d, uint64_t round, tc_ledger_price *out, tacit_error *err)
{
    const tc_ledger_budget *b = &d->plan->limit;
    tc_round_charge c = tc_round_charge_of(d->plan->doc->algorithm, d->plan->opts, round);
    tc_dp_event event;
    TC_TRY(tc_ledger_catch_up(d->ledger, err));
    TC_TRY(tc_study_plan_event(d->plan, round, &event, err));
    return tc_ledger_price_of(d->ledger, b->accountant ? b->accountant : &tc_accountant_pld,
                              b->delta, c.unit, tc_round_charge_subject(&c), &event, 0, out, err);
}

static json_t *numbers(const tc_ledger_budget *b, const tc_ledger_price *p)
{
    if (!isfinite(p->spent) || !isfinite(p->asked))
        return NULL;
    return json_pack("{s:f, s:f, s:f, s:f}", "requested", p->asked, "spent", p->spent, "remaining",
                     fmax(b->epsilon - p->spent, 0), "delta", b->delta);
}

tacit_status tc_refuse_budget(tc_ask *a, tc_desk *d, uint64_t round, const char *reason,
                              tacit_error *err)
{
    tc_ledger_price price;
    tacit_error why;
    pthread_mutex_lock(&d->lock);
    tacit_status status =
        d->plan->limited ? find_price(d, round, &price, &why) : TACIT_E_UNSUPPORTED;
    pthread_mutex_unlock(&d->lock);
    if (status == TACIT_OK)
        a->more = numbers(&d->plan->limit, &price);
    return tc_refuse(a, 410, TACIT_E_BUDGET, err, "%s", reason);
}
