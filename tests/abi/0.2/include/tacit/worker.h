/* tacit/worker.h - run the trials of a study until enough are finished: by a function or by a program, several at once.
 *
 *     static tacit_status f(void *user, uint64_t trial, const double *point, double *value, tacit_error *err);
 *
 *     tacit_worker_opts opts = TACIT_WORKER_OPTS;
 *     opts.evaluate = f;
 *     opts.jobs = 4;
 *     status = tacit_worker_run(study, &opts, NULL, &err);
 *
 * It asks, evaluates and tells, wherever the study is (study.h), beside any number of other workers: processes of
 * this host, of other hosts, further calls in other threads of this process, programs that ask and tell by hand.
 *
 * Crashes. A process may be killed at any time: the same call goes on. What a dead process of this host left RUNNING is run
 * first, under the same number and at the same point; it is claimed in the journal before, so of several processes one
 * runs it. Trials of living processes of this host count towards `trials`; those of other hosts on a shared
 * storage do not, so several hosts may together run a few trials more than planned.
 *
 * Coordinators. There leases tell who lives, on any host: while a trial runs, its lease is renewed three times
 * before it would end. All trials that run count, and a worker that has nothing to start waits for those of others,
 * since they may be given up: the last worker to live finishes the study. While the coordinator is away (at most as
 * long as the storage's patience_s), or the study is paused, what runs goes on and is told later.
 *
 * Local privacy. With `as` the value of a trial never leaves: a private reply does, from the user's ledger (user.h).
 *
 * Failure is as in status.h. `err` may be NULL. */
#ifndef TACIT_WORKER_H
#define TACIT_WORKER_H

#include <tacit/status.h>
#include <tacit/study.h>
#include <tacit/user.h>

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* The value at a point, in *value. E_CANCELLED: stop, and evaluate it at the next start. Any other failure: this trial has
 * failed, with the sentence in *err as its reason, and others follow. A value that is not finite is a failure, too. */
typedef tacit_status (*tacit_evaluate)(void *user, uint64_t trial, const double *values,
                                       double *value, tacit_error *err);

/* The same for a function that comes to several outcomes, or reports intermediate values by tacit_study_report_step, from whose
 * verdict it learns that it should end the trial. The library makes the struct. */
typedef struct tacit_evaluation {
    size_t size;
    uint64_t trial;
    const double *values;
    /* To be set: what the trial came to, in the order of the document (tacit_document_outcome); of one objective without
     * constraints the value alone. NaN before; a place that is left so is a failure ... */
    double *outcomes;
    size_t n_outcomes;
    uint64_t
        pruned; /* ... or this, to 1: the trial was ended early, by the rule that a text in *err names. Without a report it has failed */
} tacit_evaluation;
typedef tacit_status (*tacit_evaluate_trial)(void *user, tacit_evaluation *e, tacit_error *err);

/* ---- what happens ---- */

typedef enum tacit_worker_event_kind {
    TACIT_WORKER_STANDING = 1, /* `summary`: how the study stands; before a trial is asked for */
    TACIT_WORKER_STARTED = 2,  /* `trial` is being evaluated */
    TACIT_WORKER_TOLD = 3,     /* `trial` was told what `report` says */
    TACIT_WORKER_UNTOLD = 4,   /* `report` about `trial` could not be told; `text`: why */
    TACIT_WORKER_NOTE = 5      /* `text`: a sentence that a person may want to read */
} tacit_worker_event_kind;

/* The library makes it; it lives for the call. Members that the kind does not name are 0. */
typedef struct tacit_worker_event {
    size_t size;
    tacit_worker_event_kind kind;
    uint64_t trial;
    const tacit_report *report;
    const tacit_study_summary *summary;
    const char *text;
} tacit_worker_event;

/* ---- what is to be done ---- */

typedef struct tacit_worker_opts {
    size_t size;
    /* One of these two, or evaluate_trial. With one job `evaluate` is called by the caller's thread, with more by threads of the worker's. */
    tacit_evaluate evaluate;
    /* A program and its arguments, NULL-terminated. "{lr}" in any of them becomes the value of parameter lr, "{trial}"
     * the number of the trial; "{{" and "}}" are braces. No shell reads them. The program finds TACIT_STUDY,
     * TACIT_TRIAL and TACIT_PARAMS (JSON) in its environment, and nothing of ours that opens doors. Its value is the last number
     * on the last line of its standard output, or "value" of a JSON object there; several outcomes are an object with a number for each.
     * A line {"step": 3, "value": 0.41} before it is an intermediate value, and is reported to the study. */
    char *const *command;
    uint64_t
        trials; /* finished ones, COMPLETE, FAIL or PRUNED, at which to end; 0: as the document plans */
    uint64_t jobs; /* at the same time, up to 1024; 0 is 1 */
    uint64_t
        pulls; /* above 1, and not at a coordinator: as in tacit_ask_opts; each pull is an evaluation.
                                     Where one fails, the pulls before it are told */
    int64_t timeout_ms; /* of one run of a program, which is then ended: its trial fails. 0: none */
    int64_t
        time_ms; /* after so long nothing is started any more; what runs is finished. 0: no limit */
    /* After so long without a sign of life others get the trial. 0: a minute at a coordinator or with `as`; else, in a
     * storage of this process, a minute more than timeout_ms if there is one. */
    int64_t lease_ms;
    uint64_t
        max_failures; /* in a row, after which to give up; 0: never. Not where records are protected: that something failed
                              is hidden there */
    tacit_user *as;   /* who answers; a study that takes replies needs one, others take none */
    /* No other process can be running trials of this study, on whatever host: what is RUNNING was left behind. */
    bool alone;
    /* Somebody else wrote the choices of a coordinator's study, or of a federated one. false: those with other than plain
     * characters are refused, since a program could read them as an option, a path or code. */
    bool any_choices;
    /* Asked several times a second while a program or a thread works, and between trials; once true, programs are
     * stopped, functions that run are waited for, and the worker ends. NULL: never. */
    bool (*stop)(void *user);
    /* Told what happens, one call at a time, by whatever thread. NULL: nobody. */
    void (*listen)(void *user, const tacit_worker_event *event);
    void *user; /* handed to evaluate, stop and listen */
    /* So many failures with the same reason, and of programs the same last line on standard error (which then goes through us to
     * ours), at the beginning of a run, before any of its trials has succeeded, after which to give up: the command is broken. 0: never. Not where records are protected, nor with `as`. */
    uint64_t max_alike;
    tacit_evaluate_trial evaluate_trial; /* in the place of evaluate and command */
    /* Of a program: the rule by which its intermediate values end it, in the way of a time-out. NULL: none. E_UNSUPPORTED: the study
     * takes no intermediate values. */
    const tacit_prune *prune;
} tacit_worker_opts;
#define TACIT_WORKER_OPTS                                                                          \
    {                                                                                              \
        sizeof(tacit_worker_opts), NULL, NULL, 0, 0, 0, 0, 0, 0, 0, NULL, false, false, NULL,      \
            NULL, NULL, 3, NULL, NULL                                                              \
    }

typedef enum tacit_worker_end {
    TACIT_WORKER_FAILED = 0,   /* by something else, and the status says what */
    TACIT_WORKER_ENOUGH = 1,   /* as many trials as were wanted are finished, or run elsewhere */
    TACIT_WORKER_ANSWERED = 2, /* the user has given all answers that it may give */
    TACIT_WORKER_TIME = 3,     /* time_ms is over */
    TACIT_WORKER_STOPPED = 4,  /* E_CANCELLED: by `stop` or by `evaluate` */
    TACIT_WORKER_FAILURES = 5, /* E_STATE: max_failures in a row, or max_alike from the beginning */
    TACIT_WORKER_CLOSED = 6    /* E_STATE: the study was closed */
} tacit_worker_end;

typedef struct tacit_worker_result {
    size_t size;
    tacit_worker_end end;
    uint64_t told; /* trials that this call has told */
} tacit_worker_result;
#define TACIT_WORKER_RESULT                                                                        \
    {                                                                                              \
        sizeof(tacit_worker_result), TACIT_WORKER_FAILED, 0                                        \
    }

/* Could a study of this document be run with these options? Touches nothing. E_ARG: what is wrong with the options or the
 * command. E_NOT_FOUND: there is no such program. */
TACIT_API tacit_status tacit_worker_check(const tacit_document *document,
                                          const tacit_worker_opts *opts, tacit_error *err);

/* Runs trials until there is a reason to end, which *out says (NULL: not wanted; else the caller sets its size; filled in
 * also where this fails). E_BUDGET: the user had no answer left from the beginning. E_CANCELLED: stopped; trials that were not told stay
 * RUNNING, and the same call runs them again. */
TACIT_API tacit_status tacit_worker_run(tacit_study *study, const tacit_worker_opts *opts,
                                        tacit_worker_result *out, tacit_error *err);

#ifdef __cplusplus
}
#endif
#endif
