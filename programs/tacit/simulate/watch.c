/* watch.c - see watch.h. Used by tacit simulate and tacit demo. */
#include "simulate/watch.h"

static void begin(void *user, const char *label, uint64_t steps)
{
    tc_watch *w = user;
    tc_progress_end(w->bar); /* of the algorithm before */
    w->bar = tc_progress_start(label, steps, w->quiet);
    w->shown = 0;
}

/* A busy bar is not waited for: the next trial draws it. */
static bool trial_done(void *user, uint64_t done)
{
    tc_watch *w = user;
    if (pthread_mutex_trylock(&w->lock) == 0) {
        if (done > w->shown) {
            w->shown = done;
            tc_progress_update(w->bar, done, "");
        }
        pthread_mutex_unlock(&w->lock);
    }
    return !tc_interrupted();
}

static bool stopped(void *user)
{
    (void)user;
    return tc_interrupted();
}

static void note(void *user, const char *sentence)
{
    tc_note(((tc_watch *)user)->quiet, "%s", sentence);
}

tacit_status tc_watch_simulate(tc_watch *w, tacit_simulation_plan *plan, bool quiet,
                               tacit_simulation **out, tacit_error *err)
{
    *w = (tc_watch){.lock = PTHREAD_MUTEX_INITIALIZER, .quiet = quiet};
    tc_catch_interrupts();
    plan->user = w;
    plan->begin = begin;
    plan->progress = trial_done;
    plan->stopped = stopped;
    plan->note = note;
    tacit_status status = tacit_simulate(out, plan, err);
    tc_progress_end(w->bar);
    pthread_mutex_destroy(&w->lock);
    return status;
}
