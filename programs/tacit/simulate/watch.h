/* watch.h - simulations with their progress on the terminal, stopped by Ctrl-C. */
#ifndef TC_PROGRAM_WATCH_H
#define TC_PROGRAM_WATCH_H

#include "frame/cli.h"

#include <tacit/experimental/simulate.h>

#include <pthread.h>

typedef struct tc_watch {
    pthread_mutex_t lock; /* trials end in any thread; the bar has one writer */
    tc_progress *bar;
    uint64_t shown;
    bool quiet;
} tc_watch;

/* tacit_simulate with the callbacks of the plan set: its user is w, which may begin a larger struct. */
tacit_status tc_watch_simulate(tc_watch *w, tacit_simulation_plan *plan, bool quiet,
                               tacit_simulation **out, tacit_error *err);

#endif
