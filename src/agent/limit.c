/* limit.c - what a round may cost this agent, over all studies of its ledger.
 *
 * A coordinator may make the next study in view of what the last one released, and may choose
 * between several. So the limit is held by a filter (../privacy/ledger_filter.c). What one document plans was fixed
 * before its first release: where the ledger has this study and no other, the plan as a whole is held to an
 * accountant, and is written down first, so that no other study can come in beside it. A round that is paid
 * for once more, after a restore, was planned by nobody. */
#include "agent/agent_int.h"

#include "algo/charge.h"
#include "base/error.h"

void tc_planned_fini(tc_planned *p)
{
    tc_study_cost_fini(&p->cost);
    *p = (tc_planned){.known = false};
}

/* All rounds; of those that protect single records, which are in one release each, this one. */
tacit_status tc_planned_find(tc_planned *out, const tc_study_plan *p, uint64_t round,
                             tacit_error *err)
{
    bool everybody = tc_study_plan_charge(p, round).everybody;
    if (out->known && (everybody || out->round == round))
        return TACIT_OK;
    tc_planned_fini(out);
    tacit_status status = everybody ? tc_study_cost_add_unpaid(&out->cost, p, NULL, err)
                                    : tc_study_cost_add(&out->cost, p, round, err);
    if (status != TACIT_OK)
        tc_planned_fini(out);
    out->known = status == TACIT_OK;
    out->round = round;
    out->document = (tc_ledger_document){.study = p->hash,
                                         .events = out->cost.events,
                                         .n = out->cost.n,
                                         .distance = out->cost.distance};
    return status;
}

tacit_status tc_limit_of(tc_agent *a, uint64_t round, const tacit_hash *place,
                         tc_ledger_budget *out, tacit_error *err)
{
    const tc_study_plan *p = tc_study_get_plan(a->study);
    *out = a->cfg.limit;
    out->accepts_uncounted = a->cfg.accepts_not_private;
    if (!tc_ledger_hash_same(place, &p->hash)) {
        out->accountant = NULL;
        return TACIT_OK;
    }
    tc_round_charge who = tc_study_plan_charge(p, round);
    TC_TRY(tc_planned_find(&a->planned, p, round, err));
    out->document = &a->planned.document;
    return who.everybody ? tc_ledger_keep_plan(a->ledger, out, who.unit, err) : TACIT_OK;
}
