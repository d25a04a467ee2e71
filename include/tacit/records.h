/* tacit/records.h - studies that protect validation records: "privacy": {"unit": "record", ...}.
 *
 * Such a study may be of one party, served or federated. Each value of its metric gets exact discrete Gaussian noise
 * before the optimizer, the journal, or anything that could leave this process sees it. The noise is computed for all
 * evaluations that the document plans (one a trial, or more), so that together they cost epsilon at delta for each record. All that follows from
 * noised values costs nothing more.
 *
 *     tacit_records_opts mine = TACIT_RECORDS_OPTS;
 *     mine.records = 1200;
 *     tacit_study_create(&study, "sqlite:///tacit.db", document, NULL, &err);
 *     tacit_study_protect(study, &mine, &err);
 *     tacit_study_ask(study, &trial, point, &err);            the price is in the ledger
 *     tacit_study_tell(study, trial, error_of(point), &err);  a noised value is told
 *
 * Before tacit_study_protect such a study gives out no trials and takes no values (E_STATE). After it every call of
 * study.h and worker.h works as usual: an ask reserves the price of the evaluation in a ledger, and a report releases
 * one noised value for it, ever. A trial that failed, or whose value is not finite, is told as the worse end
 * of the range with noise, so that nobody sees whether it failed or was bad (that a single record makes it fail is beyond the declared sensitivity). So is the value of a program whose last line is an
 * object with an "n" that is not the declared number of records. A process may be killed anywhere: an evaluation that was
 * paid for stays paid, and is never released twice. An agent of a federated study is given its records when it joins
 * (agent.h).
 *
 * What is declared is public: how many records there are, the range of each record's loss, the
 * sensitivity. Neighbours replace one record by another.
 *
 * `err` may be NULL. */
#ifndef TACIT_RECORDS_H
#define TACIT_RECORDS_H

#include <tacit/status.h>
#include <tacit/study.h>

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* What a party declares before its first evaluation; the same at every start. */
typedef struct tacit_records_opts {
    size_t size;
    /* Validation records. By the document's metric, one of them moves it by
     *     mean          (high - low) / records; the range is the document's
     *     error, accuracy, brier   1 / records
     *     log-loss      ln(1 / p_min) / records, probabilities clipped to [p_min, 1]
     *     auc           1 / class_floor
     * Each record's loss must be clipped to the range by the program that evaluates, before it takes the mean: tacit
     * cannot check that, and a mean that is clipped afterwards has another sensitivity. */
    uint64_t records;
    uint64_t class_floor; /* auc: either class has at least so many, whatever record is replaced */
    uint64_t per_person;  /* records of one person at most, which are protected together; 0 is 1 */
    /* The range of one record's loss, within the document's; both 0: the document's. Required where somebody else created the
     * study, at a coordinator: it is yours to say what your program clips to. */
    double low, high;
    double sensitivity; /* in place of all the above: by how much one record moves the metric */
    /* The ledger: its name, NULL is "records"; and the storage that it is in, NULL is that of the study or, at a
     * coordinator, records.db in $XDG_STATE_HOME/tacit or ~/.local/state/tacit. Studies on the same records share one. */
    const char *ledger;
    const char *ledger_storage;
    /* What the ledger may spend over all its studies. 0: the promise of this study, with no other study beside it. */
    double epsilon, delta;
    int64_t test_seed; /* -1: real noise. Else noise comes from it: repeatable, NOT PRIVATE */
    /* What the private trainer of one trial costs at most, where one training record is added or removed: JSON of an event in
     * dp_accounting's names (tacit_dp_event_parse), copied. The ledger is charged this cap with every evaluation, for
     * replacing a record, so it needs epsilon and delta that have room for both; then training records are protected as
     * well. A program must print {"value": ..., "dp_event": {...}} with what it did: beyond the cap, or without it,
     * its trial has failed. Functions (tacit_evaluate) and values told by hand are charged the cap, and nothing is
     * checked. Not with per_person above 1. NULL: training records are not protected. */
    const char *trainer;
} tacit_records_opts;
#define TACIT_RECORDS_OPTS                                                                         \
    {                                                                                              \
        sizeof(tacit_records_opts), 0, 0, 0, 0, 0, 0, NULL, NULL, 0, 0, -1, NULL                   \
    }

/* Could a study of this document be protected with these options? Touches nothing; the ledger is not asked. */
TACIT_API tacit_status tacit_records_check(const tacit_document *document,
                                           const tacit_records_opts *opts, tacit_error *err);

/* Declares the records of this party to a study handle, once. E_ARG: something is missing or contradicts the document;
 * or the study protects no records. E_BUDGET: the ledger's limit does not allow what the document plans beside what was spent. E_STATE: they were declared
 * already. E_CONFLICT: an earlier evaluation of the study was paid for on other terms. */
TACIT_API tacit_status tacit_study_protect(tacit_study *s, const tacit_records_opts *opts,
                                           tacit_error *err);

/* Of a study whose records were declared: who is protected, how much, and what is not, in sentences. End *text
 * with tacit_text_free. E_STATE: they were not. */
TACIT_API tacit_status tacit_study_protection(tacit_study *s, char **text, tacit_error *err);
/* The standard deviation of the noise of one evaluation; 0: no records were declared. */
TACIT_API double tacit_study_noise_sd(const tacit_study *s);

#ifdef __cplusplus
}
#endif
#endif
