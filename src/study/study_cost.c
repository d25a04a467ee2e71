/* study_cost.c - see study_cost.h. */
#include "study/study_cost.h"

#include "algo/charge.h"
#include "base/error.h"
#include "base/memory.h"

tacit_status tc_study_cost_add(tc_study_cost *c, const tc_study_plan *p, uint64_t round,
                               tacit_error *err)
{
    tc_round_price price;
    if (!tc_grow((void **)&c->events, &c->cap, c->n + 1, sizeof *c->events))
        return tc_fail_memory(err);
    TC_TRY(tc_study_plan_price(p, round, &price, err));
    c->events[c->n++] = price.event;
    c->distance += price.distance;
    c->round = round;
    return TACIT_OK;
}

static tacit_status is_paid(tc_ledger *paid, const tc_study_plan *p, uint64_t round, bool *out,
                            tacit_error *err)
{
    tc_ledger_receipt r;
    tacit_error why = {0};
    *out = false;
    if (!paid)
        return TACIT_OK;
    tacit_status status = tc_ledger_find(paid, &p->hash, round, &r, &why);
    *out = status == TACIT_OK;
    if (*out)
        tc_ledger_receipt_fini(&r);
    return *out || status == TACIT_E_NOT_FOUND ? TACIT_OK : tc_pass_on(err, status, &why);
}

tacit_status tc_study_cost_add_unpaid(tc_study_cost *c, const tc_study_plan *p, tc_ledger *paid,
                                      tacit_error *err)
{
    bool everybody = tc_study_plan_charge(p, 0).everybody;
    uint64_t round;
    bool there;
    TC_TRY(tc_study_plan_next_round(p, 0, &round, err));
    while (round != TC_NO_ROUND && (everybody || c->n == 0)) {
        TC_TRY(is_paid(paid, p, round, &there, err));
        if (!there)
            TC_TRY(tc_study_cost_add(c, p, round, err));
        TC_TRY(tc_study_plan_next_round(p, round + 1, &round, err));
    }
    return TACIT_OK;
}

void tc_study_cost_fini(tc_study_cost *c)
{
    tc_free(c->events);
    *c = (tc_study_cost){.n = 0};
}

tacit_status tc_study_cost_at(const tc_study_plan *p, double delta, tacit_guarantee *out,
                              tacit_error *err)
{
    tc_study_cost c = {.n = 0};
    tacit_guarantee g = {.epsilon = 0};
    tacit_status status = tc_study_cost_add_unpaid(&c, p, NULL, err);
    if (status == TACIT_OK && c.n > 0)
        status = tc_ledger_cost(&tc_accountant_pld, c.events, c.n, c.distance, delta, &g, err);
    tc_study_cost_fini(&c);
    TC_TRY(status);
    *out = g;
    return TACIT_OK;
}
