/* trainer.h - a study that protects records, and the private trainer of its program.
 *
 * The trainer of each trial costs something, too. What one trial may cost at most, the cap, is declared before the first: events
 * for adding or removing a training record, in the words of dp_accounting (privacy/dp_report.h). The
 * cap is charged with every evaluation, for replacing a record, and what a program reports can only be refused against it. For
 * record_guard.c, and for agents, which consent to a sum. */
#ifndef TC_STUDY_TRAINER_H
#define TC_STUDY_TRAINER_H

#include "privacy/record_ledger.h"
#include "wire/study_doc.h"

typedef struct tc_trainer {
    tacit_dp_event cap[TC_RECORD_EVENTS]; /* of one trial, for adding or removing a record */
    size_t n;                             /* 0: none was declared */
} tc_trainer;

/* All that the trials of a document cost a record, for replacing one. */
typedef struct tc_trainer_plan {
    tacit_dp_event events[TC_RECORD_EVENTS + 1]; /* the values are the first */
    size_t n;
    double distance;
} tc_trainer_plan;

/* json NULL: none. E_ARG: it is none, costs nothing, or is not private. */
tacit_status tc_trainer_parse(tc_trainer *out, const char *json, tacit_error *err);
/* The plan of `values` evaluations, and of trained[i] times event i of the cap; trained NULL: as many.
 * E_ARG: a person has several records, or the number of events is out of range. */
tacit_status tc_trainer_plan_of(const tc_trainer *t, const tc_value_plan *v, uint64_t values,
                                const uint64_t *trained, tc_trainer_plan *out, tacit_error *err);
/* The document promises an epsilon for the values. With a trainer a record spends more, so the ledger needs a limit of its own
 * that has room for all of it. epsilon 0: it has none. E_ARG, E_BUDGET say what all of it costs. */
tacit_status tc_trainer_check_limit(const tc_trainer *t, const tc_study_doc *doc,
                                    const tc_trainer_plan *all, double epsilon, double delta,
                                    tacit_error *err);
/* Is what a program reports of its training within the cap? `said` is its object, or NULL. False with a reason. */
bool tc_trainer_accepts(const tc_trainer *t, const json_t *said, char *reason, size_t size);

#endif
