/* record_guard.h - what stands between the evaluations of a party and a study that protects records.
 *
 *   before an evaluation   RESERVE: its price is in the party's ledger, that of its training first
 *   after it               noise is drawn, RELEASE: the noised value is in the ledger
 *   then                   the noised value is told to the study, and to nobody anything else
 *
 * A study handle that has a guard does all of this by itself (study_api.c): raw values never reach a journal, a
 * message or a coordinator. Privacy is in privacy/record_ledger.h; here are the limits. A study's promise covers as many
 * evaluations as its document plans: those numbered 0 to trials - 1, the last values of trials, and after them a share of intermediate
 * values for each trial; each is charged once. The limit of the ledger
 * covers all studies that it knows. For src/user and src/agent, which have the ledgers. */
#ifndef TC_STUDY_RECORD_GUARD_H
#define TC_STUDY_RECORD_GUARD_H

#include "base/text.h"
#include "privacy/ledger.h"
#include "study/record_plan.h"
#include "study/store.h"
#include "study/trainer.h"

typedef struct tc_record_guard tc_record_guard; /* any number of threads; end with _free */

typedef struct tc_record_guard_config {
    const tc_study_doc *doc; /* as stored; borrowed */
    tacit_hash study;        /* which it is, in the ledger */
    tc_metric_terms terms;
    tc_trainer trainer; /* n 0: training records are not protected */
    /* The ledger, and how to end what is below it (may be NULL): both are the guard's once there is one. `lent`: they stay
     * the caller's, who outlives the guard. */
    tc_ledger *ledger;
    void (*end)(void *below);
    void *below;
    bool lent;
    /* Where what is declared is kept, once (record_terms.h), and which storage the ledger is in, if another; both for the
     * call alone. */
    tc_store *terms_store;
    const char *ledger_at;
    /* What the ledger may spend over all its studies; epsilon 0: the promise of this study, and of no other. */
    double epsilon, delta;
    int64_t test_seed; /* -1: real noise. Else noise comes from it: NOT PRIVATE ... */
    uint64_t party;    /* ... and from this number, which tells the agents of a test apart */
} tc_record_guard_config;

/* Where a ledger has the evaluations of this study, beside the rounds. */
tacit_hash tc_record_guard_place(const tacit_hash *study);

/* E_ARG: what is missing in the terms, or contradicts the document. On failure ledger and below stay the caller's. */
tacit_status tc_record_guard_new(tc_record_guard **out, const tc_record_guard_config *cfg,
                                 tacit_error *err);
void tc_record_guard_free(tc_record_guard *g); /* NULL is allowed */

/* Would one more evaluation be paid for? E_BUDGET: no. */
tacit_status tc_record_guard_may(tc_record_guard *g, tacit_error *err);
/* Is this one paid for, or partly? */
tacit_status tc_record_guard_has(tc_record_guard *g, uint64_t trial, bool *out, tacit_error *err);
/* E_BUDGET: it must not be evaluated. */
tacit_status tc_record_guard_reserve(tc_record_guard *g, uint64_t trial, tacit_error *err);
/* What may be told of trial: y with noise; not finite: the worse end of the range with noise. What was released before
 * stays. E_STATE: it was not reserved. */
tacit_status tc_record_guard_release(tc_record_guard *g, uint64_t trial, double y, double *value,
                                     tacit_error *err);
/* The same of the trial's intermediate value of this index, 0 for its first: the price is in the ledger before anything else
 * sees the value. Once for each trial and index. E_BUDGET: the trial has had its share. */
tacit_status tc_record_guard_release_step(tc_record_guard *g, uint64_t trial, uint64_t index,
                                          double y, double *value, tacit_error *err);
/* What was released before. E_NOT_FOUND: nothing. */
tacit_status tc_record_guard_recall(tc_record_guard *g, uint64_t trial, double *value,
                                    tacit_error *err);
double tc_record_guard_sd(const tc_record_guard *g); /* of the noise of one evaluation */
/* May the value count that a program printed with this object, or with none (NULL)? Its "n" must be the declared number of
 * records, and its "dp_event" within the trainer's cap. False with a reason, for the person at this machine alone: the trial
 * has failed. */
bool tc_record_guard_accepts(const tc_record_guard *g, const json_t *said, char *reason,
                             size_t size);
/* Says in sentences whose records these are, and what is promised to them and what is not. */
void tc_record_guard_statement(const tc_record_guard *g, tc_text *out);

#endif
