/* record_ledger.h - evaluations on records, in the ledger of the party that makes them.
 *
 *   RESERVE   the price of an evaluation is committed, before the evaluation starts
 *   evaluate  in the caller's program; may fail, time out, or be killed
 *   noise     drawn here, from the value or its failure
 *   RELEASE   the noised value is committed at no further price, and only then handed out
 *
 * One charge has at most one output: a release is found before it is drawn, and (study, round) is
 * unique in a ledger. An evaluation that was reserved and never released stays paid. For the agents
 * and studies whose document has the unit "record". */
#ifndef TC_PRIVACY_RECORD_LEDGER_H
#define TC_PRIVACY_RECORD_LEDGER_H

#include "privacy/ledger.h"
#include "privacy/mechanism.h"

/* Charges for trial `trial` of the study. Again: nothing more. E_BUDGET: it must not be evaluated.
 * E_CONFLICT: it was reserved with another noise or sensitivity. */
tacit_status tc_record_reserve(tc_ledger *l, const tc_ledger_budget *b, const tacit_hash *study,
                               uint64_t trial, const tc_value_plan *p, tacit_error *err);

/* Charges for the training before trial `trial`, at the cap that the party declares for one: events for
 * adding or removing a record (dp_report.h), charged for replacing one. A report of what was done can only be refused
 * against the cap. Again: nothing more. n 0: nothing. E_ARG: more than 16 different events, or a trial from 2^40 on. */
enum { TC_RECORD_EVENTS = 16 };
tacit_status tc_record_reserve_training(tc_ledger *l, const tc_ledger_budget *b,
                                        const tacit_hash *study, uint64_t trial,
                                        const tacit_dp_event *cap, size_t n, tacit_error *err);

/* Was it charged for, or has a charge for its training begun? */
tacit_status tc_record_is_reserved(tc_ledger *l, const tacit_hash *study, uint64_t trial, bool *out,
                                   tacit_error *err);
/* How many evaluations were charged for, and how many times each event of a training. */
typedef struct tc_record_paid {
    uint64_t values, trained[TC_RECORD_EVENTS];
} tc_record_paid;
tc_record_paid tc_record_count_paid(const tc_ledger *l, const tacit_hash *study);

/* What was released for the trial. E_NOT_FOUND: nothing yet. */
tacit_status tc_record_find(tc_ledger *l, const tacit_hash *study, uint64_t trial, double *value,
                            tacit_error *err);

/* The value that may be told, journalled and sent: y with noise, or what was released for this trial
 * before, whatever y is now. E_STATE: the trial was not reserved. E_CONFLICT as above. */
tacit_status tc_record_release(tc_ledger *l, const tacit_hash *study, uint64_t trial,
                               const tc_value_plan *p, double y, tc_entropy *e, double *value,
                               tacit_error *err);

#endif
