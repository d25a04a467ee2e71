/* worker.h - what <tacit/worker.h> does not show, for the agent of src/net, which passes options on. */
#ifndef TC_WORKER_WORKER_H
#define TC_WORKER_WORKER_H

#include <tacit/worker.h>

/* A copy of what a caller of any version has given. */
tacit_status tc_worker_opts_take(tacit_worker_opts *to, const tacit_worker_opts *from,
                                 tacit_error *err);

#endif
