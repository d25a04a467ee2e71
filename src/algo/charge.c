/* charge.c - who pays for a round, and how much. See charge.h. */
#include "algo/charge.h"

#include "base/error.h"

#include <inttypes.h>
#include <stdio.h>

tc_round_charge tc_round_charge_of(const tc_algorithm *a, const void *opts, uint64_t round)
{
    const tc_aggregator_ops *ops = a->aggregator;
    tc_round_charge c = {.unit = ops && ops->unit ? ops->unit(opts) : TACIT_UNIT_AGENT};
    c.everybody = c.unit != TACIT_UNIT_ROW;
    if (!c.everybody)
        snprintf(c.name, sizeof c.name, "records of round %" PRIu64, round);
    return c;
}

const char *tc_round_charge_subject(const tc_round_charge *c)
{
    return c->everybody ? NULL : c->name;
}

tacit_status tc_round_price_of(const tc_algorithm *a, const tc_env *env, const void *opts,
                               uint64_t round, tc_round_price *out, tacit_error *err)
{
    if (!a->aggregator)
        return tc_fail(err, TACIT_E_UNSUPPORTED, "%s releases no sums", a->name);
    return a->aggregator->price(env, opts, round, out, err);
}

tacit_status tc_round_budget(const tc_algorithm *a, const tc_env *env, const void *opts,
                             double epsilon, double delta, tc_ledger_budget *out, tacit_error *err)
{
    tc_round_price unused; /* but there must be something to pay for */
    TC_TRY(tc_round_price_of(a, env, opts, 0, &unused, err));
    *out = (tc_ledger_budget){.epsilon = epsilon, .delta = delta, .accountant = &tc_accountant_pld};
    return TACIT_OK;
}
