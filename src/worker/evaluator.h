/* evaluator.h - what evaluates the trials of a worker: a program (by_program.c) or a function (by_function.c).
 *
 * Called by the loop's thread alone. A trial that was started is reported by `wait`, once. */
#ifndef TC_WORKER_EVALUATOR_H
#define TC_WORKER_EVALUATOR_H

#include <tacit/worker.h>

#include "runner/runner.h"

typedef struct tc_evaluator tc_evaluator;
struct tc_evaluator {
    tacit_status (*start)(tc_evaluator *e, uint64_t trial, const double *values, tacit_error *err);
    /* Waits up to wait_ms for one to end; *done: *out says what came of it. E_CANCELLED: the function wants to stop; its
     * trial is not reported. */
    tacit_status (*wait)(tc_evaluator *e, int64_t wait_ms, tc_job_result *out, bool *done,
                         tacit_error *err);
    /* Programs are ended and report nothing; functions that run are waited for, and `wait` then reports them. */
    void (*stop)(tc_evaluator *e);
    void (*free)(tc_evaluator *e); /* stops what runs */
    void (*silence)(
        tc_evaluator
            *e); /* what programs say on standard error is thrown away; NULL: there are none */
    /* The last lines that programs write on standard error are known; NULL: there are none. */
    void (*hear_errors)(tc_evaluator *e);
    /* Whether a value of a program counts (runner.h); NULL: functions say nothing but values. */
    void (*set_check)(tc_evaluator *e, tc_runner_check check);
    /* Hears intermediate values of programs (runner.h); NULL: functions report theirs themselves. */
    void (*set_listener)(tc_evaluator *e, tc_runner_listener listener);
    /* While `wait` is busy with a function it has this called a few times a second, by another thread. */
    void (*tick)(void *loop);
    void *loop;
};

/* opts and document are borrowed until the end. `foreign`: somebody else wrote the document. */
tacit_status tc_evaluator_program(tc_evaluator **out, const tacit_document *document,
                                  const tacit_worker_opts *opts, bool foreign, tacit_error *err);
/* One job: `wait` calls the function. More: a thread for each trial does. */
tacit_status tc_evaluator_function(tc_evaluator **out, const tacit_document *document,
                                   const tacit_worker_opts *opts, tacit_error *err);

#endif
