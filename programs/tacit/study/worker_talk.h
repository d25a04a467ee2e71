/* worker_talk.h - what a verb says while a worker runs the trials of a study (<tacit/worker.h>). For optimize.c and
 * federation/agent.c. */
#ifndef TC_PROGRAM_WORKER_TALK_H
#define TC_PROGRAM_WORKER_TALK_H

#include "frame/cli.h"

#include <math.h>
#include <stddef.h>
#include <tacit/worker.h>

typedef struct tc_worker_talk {
    bool quiet; /* no notes; what was not told is said in any case */
    bool has_user;
    tc_progress *progress; /* or NULL */
} tc_worker_talk;

/* The option --max-failures, for an `int64_t` of the struct. */
#define TC_MAX_FAILURES_OPTION(type, member)                                                       \
    {                                                                                              \
        "max-failures", TC_OPTION_INT, offsetof(type, member), "10",                               \
            .min = 0, .max = INFINITY,                                                             \
            .help =                                                                                \
                "failures in a row after which to give up; 0 is never. Where it is not given, "    \
                "also 3 with the same reason before any trial of this run has succeeded"           \
    }
/* Its meaning: whoever says how many means all failures. */
void tc_worker_talk_failures(tacit_worker_opts *w, const tc_invocation *in, int64_t most);
/* E_ARG: it is given, and the study protects records. */
tacit_status tc_worker_talk_check(const tacit_document *doc, const tc_invocation *in,
                                  tacit_error *err);
/* Adds to the sentence of TACIT_WORKER_FAILURES how to go on. */
tacit_status tc_worker_talk_broken(tacit_status status, tacit_error *err);

/* `listen` of tacit_worker_opts; user is a tc_worker_talk. */
void tc_worker_talk_listen(void *user, const tacit_worker_event *e);

#endif
