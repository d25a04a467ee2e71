/* budget.c - refusals by the privacy budget, with their numbers.
 *
 * Sentence and numbers are of the moment when the round was refused, and are kept with it: to prove them takes
 * long enough that nobody may have it done by asking. The numbers are proved from the ledger, with the
 * accountant of the study's budget, or with the filter where the ledger has releases of other studies. Numbers that cannot be had (there is none below infinity, or no memory) are left out: the
 * refusal stands without them. Called by closing.c, and for answers by broadcast.c. */
#include "coord/round.h"

#include "algo/charge.h"
#include "base/error.h"

#include <math.h>

/* Under d->lock. */
static tacit_status find_price(tc_open_study *d, uint64_t round, tc_ledger_price *out,
                               tacit_error *err)
{
    const tc_ledger_budget *b = &d->plan->limit;
    tc_round_charge c = tc_study_plan_charge(d->plan, round);
    tc_round_price price;
    TC_TRY(tc_ledger_catch_up(d->ledger, err));
    TC_TRY(tc_study_plan_price(d->plan, round, &price, err));
    return tc_ledger_price_of(d->ledger, b, c.unit, tc_round_charge_subject(&c), &price.event,
                              price.distance, out, err);
}

void tc_budget_prove(tc_open_study *d, uint64_t round, tc_shortage *out)
{
    const tc_ledger_budget *b = &d->plan->limit;
    tc_ledger_price price;
    tacit_error why;
    *out = (tc_shortage){.known = false};
    if (!d->plan->limited || find_price(d, round, &price, &why) != TACIT_OK ||
        !isfinite(price.spent) || !isfinite(price.asked))
        return;
    *out = (tc_shortage){.known = true,
                         .requested = price.asked,
                         .spent = price.spent,
                         .remaining = fmax(b->epsilon - price.spent, 0),
                         .delta = b->delta};
}

tacit_status tc_refuse_budget(tc_request_context *a, const tc_round *r, tacit_error *err)
{
    const tc_shortage *s = &r->lacks;
    if (s->known)
        a->more = json_pack("{s:f, s:f, s:f, s:f}", "requested", s->requested, "spent", s->spent,
                            "remaining", s->remaining, "delta", s->delta);
    return tc_refuse(a, 410, TACIT_E_BUDGET, err, "%s", r->reason);
}
