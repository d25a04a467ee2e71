/* loop_int.h - the worker loop in its two halves: loop.c starts trials, report.c tells what came of them. */
#ifndef TC_WORKER_LOOP_INT_H
#define TC_WORKER_LOOP_INT_H

#include "base/memory.h"
#include "algo/prune.h"
#include "user/user_workers.h"
#include "worker/evaluator.h"
#include "worker/failures.h"
#include "worker/process.h"

typedef struct tc_slot {
    bool used;             /* by a trial, until it was told */
    bool ended;            /* its evaluation has ended: `told` is to be told */
    uint64_t trial, pulls; /* pulls: that are to be run, one after another */
    tacit_batch batch;     /* of those that have ended, where they are several */
    double *values;
    char worker[TC_WORKER_MAX];
    uint64_t renewed_ns; /* when its lease was */
    tc_job_result result;
    tacit_report told;
    tacit_verdict verdict; /* by which it was pruned */
    bool unheard;          /* it was said that its intermediate values are not taken */
    bool strayed;          /* ... that a line was none of them */
    bool went_back;        /* ... that its steps do not grow */
    uint64_t next_step;    /* after the last one that was heard */
    tc_step *steps;        /* that were heard, and not reported yet: TC_STEPS_AT_ONCE at most */
    size_t n_steps;
} tc_slot;

/* A trial that a dead worker of this host left. */
typedef struct tc_orphan {
    uint64_t trial, pulls;
    const char
        *worker; /* NULL: it was asked for by hand, and nobody else can have it (opts.alone) */
} tc_orphan;

typedef struct tc_worker {
    tacit_study *study;
    tacit_worker_opts
        opts;    /* whole: jobs, trials, pulls and lease_ms are never 0 where they have a default */
    bool served; /* by a coordinator */
    bool renews; /* leases */
    tc_evaluator *evaluator;
    tc_user_workers names; /* with opts.as */
    size_t n_params;
    tc_slot *slots; /* opts.jobs of them */
    tc_arena arena; /* slots' points and orphans' workers */
    tc_processes processes;
    tc_orphan *orphans;
    size_t n_orphans, next_orphan;
    uint64_t elsewhere;      /* trials that others run, when they were last counted */
    tacit_study_state state; /* of the study, then */
    bool met;                /* ... and whether what is finished or runs here is enough */
    bool answered;           /* the user has no answer left */
    bool waits;              /* it was said for what it waits */
    bool stopped;            /* by opts.stop or opts.evaluate */
    uint64_t due_ns;         /* when opts.time_ms is over; 0: never */
    tc_failures *failures;   /* of the run, which may be longer than the call */
    bool reported;           /* anything was told, by this run or for an earlier one */
    tacit_worker_result result;
    /* A coordinator that does not answer: since when, when it is asked again, and how long after that. */
    bool away;
    uint64_t away_ns, ask_ns;
    int64_t pause_ms;
    /* A value was refused for good: nothing is started any more, and this is how it ends. */
    bool refused;
    tacit_error refusal;
} tc_worker;

size_t tc_worker_used(const tc_worker *w);    /* slots */
size_t tc_worker_running(const tc_worker *w); /* slots whose evaluation has not ended */
bool tc_worker_stops(tc_worker *w);

/* ---- what is said (report.c) */

void tc_worker_emit(const tc_worker *w, tacit_worker_event event); /* all but its size */
void tc_worker_note(const tc_worker *w, const char *fmt, ...) TACIT_PRINTF(2, 3);

/* ---- a coordinator that is away (report.c) */

bool tc_worker_may_ask(const tc_worker *w); /* now */
/* What a call has said. A coordinator that is away is asked again later: TACIT_OK, until patience ends. */
tacit_status tc_worker_retry(tc_worker *w, tacit_status status, const tacit_error *why,
                             tacit_error *err);

/* ---- reports (report.c) */

/* An evaluation has ended: its report is made. */
tacit_status tc_worker_end_job(tc_worker *w, const tc_job_result *r, tacit_error *err);
/* A program has printed an intermediate value: is it to be ended? */
bool tc_worker_hear_step(void *w, uint64_t trial, uint64_t step, double value);
/* All that it has printed by now was heard. At a coordinator it is reported now: so one request has what was printed during the
 * one before, and a program does not wait for as many answers as it prints values. */
bool tc_worker_heard(void *w, uint64_t trial);
/* It has printed what was meant as one, and is none. */
void tc_worker_hear_stray(void *w, uint64_t trial, const char *line);
/* Tells what is to be told, as far as somebody listens. */
tacit_status tc_worker_deliver(tc_worker *w, tacit_error *err);
/* Says what was not told, and will not be. */
void tc_worker_emit_untold(const tc_worker *w);
/* Replies that an earlier run has paid for and not told. */
tacit_status tc_worker_tell_paid(tc_worker *w, tacit_error *err);
/* Renews leases, where it is time to. */
void tc_worker_renew(tc_worker *w);

#endif
