/* watch.c - see watch.h. Used by tacit simulate and tacit demo. */
#include "simulate/watch.h"

#include "frame/cli.h"

#include <pthread.h>

typedef struct watch {
    pthread_mutex_t lock; /* trials end in any thread; the bar has one writer */
    tc_progress *bar;
    uint64_t shown;
} watch;

/* A busy bar is not waited for: the next trial draws it. */
static bool trial_done(void *user, uint64_t done)
{
    watch *w = user;
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

tacit_status tc_watch_simulation(tc_simulation *sim, const char *label, bool quiet, tc_curves *out,
                                 tacit_error *err)
{
    uint64_t steps;
    TC_TRY(tc_simulation_steps(sim, &steps, err));
    tc_catch_interrupts();
    watch w = {.lock = PTHREAD_MUTEX_INITIALIZER, .bar = tc_progress_start(label, steps, quiet)};
    sim->progress = trial_done;
    sim->stopped = stopped;
    sim->user = &w;
    tacit_status status = tc_simulate(sim, out, err);
    tc_progress_end(w.bar);
    pthread_mutex_destroy(&w.lock);
    sim->progress = NULL;
    sim->stopped = NULL;
    sim->user = NULL;
    return status;
}

void tc_watch_moments(char *out, size_t size, double mean, double se)
{
    snprintf(out, size, "%.4g ± %.2g", mean, se);
}
