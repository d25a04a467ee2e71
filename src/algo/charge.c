/* charge.c - who pays for a round, and how much. See charge.h. */
#include "algo/charge.h"

#include "base/error.h"
#include "base/json.h"

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

tacit_status tc_round_event(const tc_algorithm *a, const tc_env *env, const void *opts,
                            uint64_t round, tacit_dp_event *out, tacit_error *err)
{
    tc_text text = {0};
    json_t *j = NULL;
    if (!a->aggregator)
        return tc_fail(err, TACIT_E_UNSUPPORTED, "%s releases no sums", a->name);
    tacit_status status = a->aggregator->plan(env, opts, round, &text, err);
    if (status == TACIT_OK)
        status = tc_json_parse(tc_text_get(&text), text.len, "event", &j, err);
    if (status == TACIT_OK)
        status = tc_dp_event_from_json(out, j, err);
    json_decref(j);
    tc_text_fini(&text);
    return status;
}

tacit_status tc_round_budget(const tc_algorithm *a, const tc_env *env, const void *opts,
                             double epsilon, double delta, tc_ledger_budget *out, tacit_error *err)
{
    tacit_dp_event unused; /* but there must be something to pay for */
    TC_TRY(tc_round_event(a, env, opts, 0, &unused, err));
    *out = (tc_ledger_budget){.epsilon = epsilon, .delta = delta, .accountant = &tc_accountant_pld};
    return TACIT_OK;
}
