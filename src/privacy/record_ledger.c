/* record_ledger.c - reserve, then release (record_ledger.h).
 *
 * Of trial t, the reservation is round 2t of the study's ledger and the release is round 2t + 1. Event i of the training
 * before it is round 2^62 + 16 t + i. */
#include "privacy/record_ledger.h"

#include "privacy/ledger_int.h"

#include "base/bytes.h"
#include "base/error.h"

#include <inttypes.h>
#include <string.h>

#define MOST_TRIAL     (TC_LEDGER_MAX_ROUND / 2 - 1)
#define LAST_TRAINED   ((UINT64_C(1) << 40) - 1)
#define FIRST_TRAINING (UINT64_C(1) << 62)

static tacit_status check_trial(uint64_t trial, tacit_error *err)
{
    if (trial <= MOST_TRIAL)
        return TACIT_OK;
    return tc_fail(err, TACIT_E_ARG, "a trial's number must be below 2^62, got %" PRIu64, trial);
}

static tacit_status commit(tc_ledger *l, const tc_ledger_budget *b, const tc_ledger_charge *charge,
                           const tc_pledge_terms *terms, tacit_error *err)
{
    tc_release *pledge;
    tc_ledger_receipt receipt;
    TC_TRY(tc_pledge_by(&pledge, terms, err));
    tacit_status status = tc_ledger_release(l, b, charge, pledge, &receipt, err);
    tc_release_free(pledge);
    if (status == TACIT_OK)
        tc_ledger_receipt_fini(&receipt);
    return status;
}

tacit_status tc_record_reserve_training(tc_ledger *l, const tc_ledger_budget *b,
                                        const tacit_hash *study, uint64_t trial,
                                        const tacit_dp_event *cap, size_t n, tacit_error *err)
{
    if (trial > LAST_TRAINED)
        return tc_fail(err, TACIT_E_ARG, "a trial that trains must be below 2^40, got %" PRIu64,
                       trial);
    if (n > TC_RECORD_EVENTS)
        return tc_fail(err, TACIT_E_ARG, "a training has at most %d different events, got %zu",
                       TC_RECORD_EVENTS, n);
    for (size_t i = 0; i < n; i++) {
        tc_pledge_terms terms = {
            .event = cap[i],
            .unit = TACIT_UNIT_RECORD,
            .adjacency =
                "one training record of one agent is added or removed; sampling rate, clip "
                "norm, noise and the number of steps are public constants",
            .mechanism = "training",
            .relation = TACIT_RELATION_ADD_REMOVE};
        tc_ledger_charge charge = {.study = *study,
                                   .round = FIRST_TRAINING + TC_RECORD_EVENTS * trial + i};
        TC_TRY(commit(l, b, &charge, &terms, err));
    }
    return TACIT_OK;
}

tacit_status tc_record_reserve(tc_ledger *l, const tc_ledger_budget *b, const tacit_hash *study,
                               uint64_t trial, const tc_value_plan *p, tacit_error *err)
{
    tc_value_scale scale;
    char adjacency[TC_VALUE_ADJACENCY];
    TC_TRY(check_trial(trial, err));
    TC_TRY(tc_value_plan_scale(p, &scale, err));
    tc_value_adjacency(p, adjacency);
    tc_pledge_terms terms = {.event = scale.event,
                             .distance = scale.distance,
                             .unit = TACIT_UNIT_RECORD,
                             .adjacency = adjacency,
                             .mechanism = "reserved"};
    tc_ledger_charge charge = {.study = *study, .round = 2 * trial};
    return commit(l, b, &charge, &terms, err);
}

static tacit_status has_round(tc_ledger *l, const tacit_hash *study, uint64_t round, bool *out,
                              tacit_error *err)
{
    tc_ledger_receipt receipt;
    tacit_error why = {0};
    tacit_status status = tc_ledger_find(l, study, round, &receipt, &why);
    if (status != TACIT_OK && status != TACIT_E_NOT_FOUND)
        return tc_pass_on(err, status, &why);
    *out = status == TACIT_OK;
    if (*out)
        tc_ledger_receipt_fini(&receipt);
    return TACIT_OK;
}

tacit_status tc_record_is_reserved(tc_ledger *l, const tacit_hash *study, uint64_t trial, bool *out,
                                   tacit_error *err)
{
    bool value = false, training = false;
    TC_TRY(check_trial(trial, err));
    TC_TRY(has_round(l, study, 2 * trial, &value, err));
    if (trial <= LAST_TRAINED)
        TC_TRY(has_round(l, study, FIRST_TRAINING + TC_RECORD_EVENTS * trial, &training, err));
    *out = value || training;
    return TACIT_OK;
}

tc_record_paid tc_record_count_paid(const tc_ledger *l, const tacit_hash *study)
{
    tc_record_paid paid = {0};
    for (uint64_t i = tc_ledger_get_head(l).seq; i > 0; i--) {
        const tc_ledger_entry *e = tc_ledger_get(l, i, NULL);
        if (e->event.count == 0 || !tc_ledger_hash_same(&e->study, study))
            continue;
        if (e->round >= FIRST_TRAINING)
            paid.trained[e->round % TC_RECORD_EVENTS]++;
        else
            paid.values++;
    }
    return paid;
}

/* The number in a receipt's bytes: one word, read as the ledger's entry says. */
static tacit_status read_value(const tc_ledger *l, tc_ledger_receipt *receipt, double *value,
                               tacit_error *err)
{
    const tc_ledger_entry *e = tc_ledger_get(l, receipt->head.seq, NULL);
    bool whole = receipt->size == 8 && e->rows == 1 && e->cols == 1;
    uint64_t word = whole ? tc_get_le(receipt->bytes, 8) : 0;
    tc_ledger_receipt_fini(receipt);
    if (!whole)
        return tc_fail(err, TACIT_E_CORRUPT,
                       "ledger entry %" PRIu64 " is not the release of one value", e->seq);
    *value = e->offset + e->step * (double)(int64_t)word;
    return TACIT_OK;
}

tacit_status tc_record_find(tc_ledger *l, const tacit_hash *study, uint64_t trial, double *value,
                            tacit_error *err)
{
    tc_ledger_receipt receipt;
    TC_TRY(check_trial(trial, err));
    TC_TRY(tc_ledger_find(l, study, 2 * trial + 1, &receipt, err));
    return read_value(l, &receipt, value, err);
}

/* The reservation pays for the same event and the same neighbours, or it pays for nothing. */
static tacit_status check_reserved(tc_ledger *l, const tacit_hash *study, uint64_t trial,
                                   const tc_value_plan *p, tacit_error *err)
{
    tc_value_scale scale;
    char adjacency[TC_VALUE_ADJACENCY];
    tc_ledger_receipt receipt;
    TC_TRY(tc_value_plan_scale(p, &scale, err));
    tc_value_adjacency(p, adjacency);
    tacit_status status = tc_ledger_find(l, study, 2 * trial, &receipt, err);
    if (status == TACIT_E_NOT_FOUND)
        return tc_fail(err, TACIT_E_STATE,
                       "trial %" PRIu64 " was not reserved: its value must not be released", trial);
    TC_TRY(status);
    const tc_ledger_entry *e = tc_ledger_get(l, receipt.head.seq, NULL);
    tc_ledger_receipt_fini(&receipt);
    if (tc_dp_event_same_kind(&e->event, &scale.event) && e->event.count == 1 &&
        e->unit == TACIT_UNIT_RECORD && strcmp(e->adjacency, adjacency) == 0)
        return TACIT_OK;
    return tc_fail(err, TACIT_E_CONFLICT,
                   "trial %" PRIu64 " was reserved with another noise or sensitivity (ledger entry "
                   "%" PRIu64 ")",
                   trial, e->seq);
}

tacit_status tc_record_release(tc_ledger *l, const tacit_hash *study, uint64_t trial,
                               const tc_value_plan *p, double y, tc_entropy *e, double *value,
                               tacit_error *err)
{
    tacit_status status = tc_record_find(l, study, trial, value, err);
    if (status != TACIT_E_NOT_FOUND)
        return status;
    TC_TRY(check_reserved(l, study, trial, p, err));
    tc_value_plan paid = *p;
    paid.paid = true;
    tc_release *r;
    tc_ledger_receipt receipt;
    tc_ledger_charge charge = {.study = *study, .round = 2 * trial + 1};
    TC_TRY(tc_value_release(&r, &paid, y, e, err));
    status = tc_ledger_release(l, NULL, &charge, r, &receipt, err);
    tc_release_free(r);
    return status == TACIT_OK ? read_value(l, &receipt, value, err) : status;
}
