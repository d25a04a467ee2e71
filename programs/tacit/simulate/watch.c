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

static watch start(const char *label, uint64_t total, bool quiet)
{
    tc_catch_interrupts();
    return (watch){.lock = PTHREAD_MUTEX_INITIALIZER,
                   .bar = tc_progress_start(label, total, quiet)};
}

static void end(watch *w)
{
    tc_progress_end(w->bar);
    pthread_mutex_destroy(&w->lock);
}

tacit_status tc_watch_simulation(tc_simulation *sim, const char *label, bool quiet,
                                 tc_simulation_result *out, tacit_error *err)
{
    watch w = start(label, sim->runs * sim->trials, quiet);
    sim->progress = trial_done;
    sim->user = &w;
    tacit_status status = tc_simulate(sim, out, err);
    end(&w);
    sim->progress = NULL;
    sim->user = NULL;
    return status;
}

tacit_status tc_watch_federation(tc_federated *f, const char *label, bool quiet,
                                 tc_federated_result *out, tacit_error *err)
{
    uint64_t steps;
    TC_TRY(tc_federated_steps(f, &steps, err));
    watch w = start(label, steps, quiet);
    f->progress = trial_done;
    f->stopped = stopped;
    f->user = &w;
    tacit_status status = tc_federated_run(f, out, err);
    end(&w);
    f->progress = NULL;
    f->stopped = NULL;
    f->user = NULL;
    return status;
}

tacit_status tc_watch_pulls(tc_pull_runs *p, const char *label, bool quiet,
                            tc_pull_runs_result *out, tacit_error *err)
{
    watch w = start(label, p->runs * p->clients * p->budget, quiet);
    p->progress = trial_done;
    p->user = &w;
    tacit_status status = tc_pull_runs_run(p, out, err);
    end(&w);
    p->progress = NULL;
    p->user = NULL;
    return status;
}

void tc_watch_moments(char *out, size_t size, double mean, double se)
{
    snprintf(out, size, "%.4g ± %.2g", mean, se);
}
