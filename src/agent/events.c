/* events.c - what an agent says while it works (<tacit/agent.h>), and what its ledger has spent of its limit.
 *
 * For people alone: whatever is said here is known already, in the journal and in the ledgers, and nothing depends on
 * whether anybody listens. */
#include "agent/agent_int.h"

#include "base/error.h"
#include "study/record_guard.h"

#include <math.h>
#include <string.h>

void tc_agent_emit(tc_agent *a, const tacit_agent_event *e)
{
    tacit_agent_event whole = *e;
    whole.size = sizeof whole;
    a->waiting.said = false;
    if (a->cfg.listen)
        a->cfg.listen(a->cfg.listener, &whole);
}

/* What the message of a round costs by itself; NaN where there is no delta to say it at, or no bound. */
static double price_of(const tc_agent *a, uint64_t round)
{
    const tc_study_plan *p = tc_study_get_plan(a->study);
    tc_round_price price;
    tacit_guarantee g;
    tacit_error none;
    bool known = p->doc->delta > 0 && tc_study_plan_price(p, round, &price, &none) == TACIT_OK &&
                 tc_ledger_cost(&tc_accountant_pld, &price.event, 1, price.distance, p->doc->delta,
                                &g, &none) == TACIT_OK;
    return known ? g.epsilon : (double)NAN;
}

const char *tc_agent_not_private(const tc_agent *a)
{
    return a->stamp ? a->stamp : tc_study_plan_not_private(tc_study_get_plan(a->study));
}

void tc_agent_emit_sent(tc_agent *a, uint64_t round)
{
    const tc_study_plan *p = tc_study_get_plan(a->study);
    const char *why = tc_agent_not_private(a);
    if (a->said_sent && a->said_round == round)
        return;
    a->said_sent = true;
    a->said_round = round;
    tacit_agent_event e = {.kind = TACIT_AGENT_SENT,
                           .round = round,
                           .party = TACIT_UNKNOWN,
                           .text = *why ? why : NULL,
                           .epsilon = (double)NAN,
                           .delta = p->doc->delta};
    if (a->cfg.listen && !*why)
        e.epsilon = price_of(a, round);
    tc_agent_emit(a, &e);
}

/* A question that is answered "not yet" again and again is said once. */
void tc_agent_emit_waits(tc_agent *a, uint64_t round, uint64_t party, int64_t deadline_ms,
                         const char *what)
{
    tc_waiting *w = &a->waiting;
    if (w->said && w->round == round && w->party == party && w->deadline_ms == deadline_ms &&
        strcmp(w->what, what) == 0)
        return;
    tc_agent_emit(a, &(tacit_agent_event){.kind = TACIT_AGENT_WAITS,
                                          .round = round,
                                          .party = party,
                                          .text = what,
                                          .deadline_ms = deadline_ms});
    *w = (tc_waiting){true, round, party, deadline_ms, what};
}

tacit_status tc_agent_spent(tc_agent *a, tc_agent_spending *out, tacit_error *err)
{
    const tc_study_plan *p = tc_study_get_plan(a->study);
    bool records = p->doc->promise == TC_PROMISE_RECORDS;
    tacit_unit unit = records ? TACIT_UNIT_RECORD : tc_study_plan_charge(p, 0).unit;
    tc_ledger_budget limit = records ? tc_policy_records_limit(&a->cfg, p->doc) : a->cfg.limit;
    tc_ledger_claim claim;
    *out = (tc_agent_spending){.epsilon = (double)NAN, .delta = limit.delta};
    if (!records && !a->cfg.limited)
        return TACIT_OK;
    TC_TRY(tc_ledger_catch_up(a->ledger, err));
    TC_TRY(tc_ledger_guarantee(a->ledger, unit, NULL, limit.delta, NULL, &claim, err));
    out->epsilon = claim.is_private ? claim.bound.epsilon : (double)INFINITY;
    out->limit = limit.epsilon;
    return TACIT_OK;
}
