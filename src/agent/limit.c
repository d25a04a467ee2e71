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
#include "base/memory.h"

void tc_planned_fini(tc_planned *p)
{
    tc_free(p->events);
    *p = (tc_planned){.known = false};
}

static tacit_status add_round(const tc_study_plan *p, uint64_t round, tc_planned *out,
                              tacit_error *err)
{
    double distance;
    if (!tc_grow((void **)&out->events, &out->cap, out->n + 1, sizeof *out->events))
        return tc_fail_memory(err);
    TC_TRY(tc_study_plan_price(p, round, &out->events[out->n], &distance, err));
    out->n++;
    out->distance += distance;
    return TACIT_OK;
}

/* All rounds; of those that protect single records, which are in one release each, this one. */
static tacit_status plan_rounds(const tc_study_plan *p, uint64_t round, tc_planned *out,
                                tacit_error *err)
{
    if (!tc_round_charge_of(p->doc->algorithm, p->opts, round).everybody)
        return add_round(p, round, out, err);
    TC_TRY(tc_study_plan_next_round(p, 0, &round, err));
    while (round != TC_NO_ROUND) {
        TC_TRY(add_round(p, round, out, err));
        TC_TRY(tc_study_plan_next_round(p, round + 1, &round, err));
    }
    return TACIT_OK;
}

tacit_status tc_planned_find(tc_planned *out, const tc_study_plan *p, uint64_t round,
                             tacit_error *err)
{
    bool everybody = tc_round_charge_of(p->doc->algorithm, p->opts, round).everybody;
    if (out->known && (everybody || out->round == round))
        return TACIT_OK;
    tc_planned_fini(out);
    tacit_status status = plan_rounds(p, round, out, err);
    if (status != TACIT_OK)
        tc_planned_fini(out);
    out->known = status == TACIT_OK;
    out->round = round;
    out->document = (tc_ledger_document){
        .study = p->hash, .events = out->events, .n = out->n, .distance = out->distance};
    return status;
}

tacit_status tc_limit_of(tc_agent *a, uint64_t round, const tc_ledger_hash *place,
                         tc_ledger_budget *out, tacit_error *err)
{
    const tc_study_plan *p = tc_study_get_plan(a->study);
    *out = a->cfg.limit;
    out->accepts_uncounted = a->cfg.accepts_not_private;
    if (!tc_ledger_hash_same(place, &p->hash)) {
        out->accountant = NULL;
        return TACIT_OK;
    }
    tc_round_charge who = tc_round_charge_of(p->doc->algorithm, p->opts, round);
    TC_TRY(tc_planned_find(&a->planned, p, round, err));
    out->document = &a->planned.document;
    return who.everybody ? tc_ledger_keep_plan(a->ledger, out, who.unit, err) : TACIT_OK;
}
