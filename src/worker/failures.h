/* failures.h - when do failed trials mean that the command itself is broken? For the worker's loop, and for an agent,
 * whose run is many calls of it (net/agent_api.c).
 *
 * Two signs: too many failures in a row; and, from the beginning of a run, too many that are all alike before any trial has
 * succeeded. A command with a typing error ends by the second one, before it has used up the study. */
#ifndef TC_WORKER_FAILURES_H
#define TC_WORKER_FAILURES_H

#include <tacit/worker.h>

#include "runner/runner.h"

/* All-zero: a run begins. */
typedef struct tc_failures {
    uint64_t in_a_row;
    bool succeeded;     /* a trial of this run */
    bool differ;        /* failures: by their reasons, or by what was said last on standard error */
    tc_job_result last; /* that failed */
} tc_failures;

/* partly: pulls of the trial before this one have succeeded. */
void tc_failures_note(tc_failures *f, const tc_job_result *r, bool partly);
/* E_STATE: the run ends, and why. */
tacit_status tc_failures_check(const tc_failures *f, const tacit_worker_opts *opts,
                               tacit_error *err);

#endif
