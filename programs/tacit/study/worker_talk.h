/* worker_talk.h - what a verb says while a worker runs the trials of a study (<tacit/worker.h>). For optimize.c and
 * federation/agent.c. */
#ifndef TC_PROGRAM_WORKER_TALK_H
#define TC_PROGRAM_WORKER_TALK_H

#include "frame/cli.h"

#include <tacit/worker.h>

typedef struct tc_worker_talk {
    bool quiet; /* no notes; what was not told is said in any case */
    bool has_user;
    tc_progress *progress; /* or NULL */
} tc_worker_talk;

/* `listen` of tacit_worker_opts; user is a tc_worker_talk. */
void tc_worker_talk_listen(void *user, const tacit_worker_event *e);

#endif
