/* worker.h - what <tacit/worker.h> does not show, for the agent of src/net, which passes options on. */
#ifndef TC_WORKER_WORKER_H
#define TC_WORKER_WORKER_H

#include <tacit/worker.h>

#include "worker/failures.h"

/* A copy of what a caller of any version has given. */
tacit_status tc_worker_opts_take(tacit_worker_opts *to, const tacit_worker_opts *from,
                                 tacit_error *err);

/* As tacit_worker_run, for a run of several calls: they share what is known of its failures, which is all zero before the
 * first. */
tacit_status tc_worker_run(tacit_study *study, const tacit_worker_opts *opts, tc_failures *failures,
                           tacit_worker_result *out, tacit_error *err);

#endif
