/* trustee_beside.h - a trustee in a thread of its own, beside an agent in the same process (`tacit agent --trustee-join`). */
#ifndef TC_PROGRAM_TRUSTEE_BESIDE_H
#define TC_PROGRAM_TRUSTEE_BESIDE_H

#include "frame/cli.h"

#include <tacit/trustee.h>

#include <pthread.h>
#include <stdatomic.h>

/* What a trustee says, as lines on standard error; also `listen` of `tacit trustee`. prefix: "" or "trustee: ". */
void tc_trustee_say(bool quiet, const char *prefix, const tacit_trustee_event *e);

/* All-zero but quiet before start. */
typedef struct tc_trustee_beside {
    bool quiet, runs;
    atomic_bool stops;
    tacit_trustee *trustee;
    pthread_t thread;
    tacit_status status;
    tacit_error err;
} tc_trustee_beside;

/* Joins, and begins. `opts` has all but stop, note, listen and user. */
tacit_status tc_trustee_beside_start(tc_trustee_beside *b, const tacit_trustee_opts *opts,
                                     tacit_error *err);
/* Waits until the study is over, or ends it now. All-zero is allowed. */
tacit_status tc_trustee_beside_end(tc_trustee_beside *b, bool now, tacit_error *err);

#endif
