/* ledger_release_api.c - include/tacit/ledger.h: releasing, and receipts of what was released.
 *
 * Thin: tc_ledger_release is the only way out. */
#include "privacy/ledger_api_int.h"

#include "base/error.h"
#include "base/memory.h"
#include "privacy/public.h"

struct tacit_receipt {
    tc_ledger_receipt inner;
    char *not_private; /* a copy: a receipt may outlive its ledger */
};

/* ---- receipts */

void tacit_receipt_free(tacit_receipt *x)
{
    if (!x)
        return;
    tc_ledger_receipt_fini(&x->inner);
    tc_free(x->not_private);
    tc_free(x);
}

/* Owns x. Memory may give out after the commit: asking again then gives the stored bytes. */
static tacit_status hand_out(tacit_receipt **out, tacit_receipt *x, tacit_status status,
                             tacit_error *err)
{
    if (status == TACIT_OK) {
        x->not_private = tc_strdup(x->inner.not_private);
        if (!x->not_private)
            status = tc_fail_memory(err);
    }
    if (status == TACIT_OK)
        *out = x;
    else
        tacit_receipt_free(x);
    return status;
}

const uint8_t *tacit_receipt_bytes(const tacit_receipt *x)
{
    return x ? x->inner.bytes : NULL;
}

size_t tacit_receipt_size(const tacit_receipt *x)
{
    return x ? x->inner.size : 0;
}

tacit_head tacit_receipt_head(const tacit_receipt *x)
{
    return x ? x->inner.head : (tacit_head){0};
}

bool tacit_receipt_again(const tacit_receipt *x)
{
    return x && x->inner.again;
}

bool tacit_receipt_private(const tacit_receipt *x)
{
    return x && x->inner.is_private;
}

const char *tacit_receipt_not_private(const tacit_receipt *x)
{
    return x ? x->not_private : "";
}

/* ---- releasing */

static TC_SIZED(sized_charge, tacit_charge, subject, subject);
static TC_SIZED(sized_budget, tacit_budget, accountant, accountant);

static tacit_status charge_of(const tacit_charge *charge, tc_ledger_charge *out, tacit_error *err)
{
    tacit_charge given;
    TC_TRY(tc_sized_take(&sized_charge, &given, charge, "charge", err));
    if (!given.study == !given.study_hash)
        return tc_fail(err, TACIT_E_ARG,
                       "a charge has either charge.study or charge.study_hash, got %s",
                       given.study ? "both" : "neither");
    if (given.round > TC_LEDGER_MAX_ROUND)
        return tc_fail(err, TACIT_E_ARG, "charge.round must be below 2^63, got %llu",
                       (unsigned long long)given.round);
    *out = (tc_ledger_charge){.round = given.round, .subject = given.subject};
    out->study = given.study ? tc_ledger_study_hash(given.study) : *given.study_hash;
    return TACIT_OK;
}

static tacit_status budget_of(const tacit_budget *budget, tc_ledger_budget *out, tacit_error *err)
{
    tacit_budget given;
    TC_TRY(tc_sized_take(&sized_budget, &given, budget, "budget", err));
    if (!(given.delta > 0 && given.delta < 1))
        return tc_fail(err, TACIT_E_ARG, "budget.delta must be in (0, 1), got %g", given.delta);
    *out = (tc_ledger_budget){.epsilon = given.epsilon, .delta = given.delta};
    return given.accountant ? tc_accountant_get(&out->accountant, given.accountant, err) : TACIT_OK;
}

tacit_status tacit_ledger_release(tacit_ledger *l, const tacit_budget *budget,
                                  const tacit_charge *charge, const tacit_release *r,
                                  tacit_receipt **out, tacit_error *err)
{
    tc_ledger_budget b = {0};
    tc_ledger_charge c = {0};
    TC_GIVEN(l);
    TC_GIVEN(r);
    TC_GIVEN(out);
    TC_TRY(charge_of(charge, &c, err));
    if (budget)
        TC_TRY(budget_of(budget, &b, err));
    tacit_receipt *x = tc_alloc(1, sizeof *x);
    if (!x)
        return tc_fail_memory(err);
    tacit_status status = tc_ledger_release(l->ledger, budget ? &b : NULL, &c, r, &x->inner, err);
    return hand_out(out, x, status, err);
}

tacit_status tacit_ledger_find(tacit_ledger *l, const tacit_charge *charge, tacit_receipt **out,
                               tacit_error *err)
{
    tc_ledger_charge c = {0};
    TC_GIVEN(l);
    TC_GIVEN(out);
    TC_TRY(charge_of(charge, &c, err));
    tacit_receipt *x = tc_alloc(1, sizeof *x);
    if (!x)
        return tc_fail_memory(err);
    tacit_status status = tc_ledger_find(l->ledger, &c.study, c.round, &x->inner, err);
    return hand_out(out, x, status, err);
}

tacit_status tacit_ledger_would(tacit_ledger *l, const tacit_budget *budget, const char *subject,
                                const tacit_cost *cost, tacit_error *err)
{
    tc_ledger_budget b = {0};
    tacit_cost c;
    TC_GIVEN(l);
    TC_TRY(budget_of(budget, &b, err));
    TC_TRY(tc_sized_take(&tc_sized_cost, &c, cost, "cost", err));
    TC_TRY(tc_check_unit(c.unit, err));
    if (!(c.distance >= 0 && c.distance <= 1))
        return tc_fail(err, TACIT_E_ARG, "cost.distance must be in [0, 1], got %g", c.distance);
    TC_TRY(tc_ledger_catch_up(l->ledger, err));
    return tc_ledger_would(l->ledger, &b, c.unit, subject, &c.event, c.distance, err);
}
