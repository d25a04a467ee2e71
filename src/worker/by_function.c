/* by_function.c - trials evaluated by a function of the caller's (evaluator.h).
 *
 * One job: the loop's own thread calls the function, and meanwhile a second thread ticks, so that leases are renewed. Several: each trial has
 * a thread, which leaves its result in its place and wakes the loop. A function cannot be ended from outside: to stop is to
 * wait until those that run return. */
#include "worker/evaluator.h"

#include "base/error.h"
#include "base/memory.h"

#include <errno.h>
#include <math.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

enum { TICK_MS = 250 };

typedef enum stage { FREE, STARTED, ENDED } stage;

typedef struct place {
    struct by_function *of;
    stage stage;
    pthread_t thread; /* of several jobs */
    uint64_t trial;
    double *values;
    bool cancelled;
    tc_job_result result;
} place;

typedef struct by_function {
    tc_evaluator base;
    const tacit_worker_opts *opts;
    size_t n_params, n_outcomes;
    size_t jobs, running;                    /* running: places that are STARTED */
    const char *names[TC_JOB_OUTCOMES_MOST]; /* of outcomes; the document's */
    place *places;
    double *values;       /* of all places */
    pthread_mutex_t lock; /* of stages, results and `running` */
    pthread_cond_t ended; /* one has, or nothing is to be ticked any more */
    bool evaluated;
} by_function;

/* ---- the function ---- */

/* Leaves a reason where an outcome is not finite. */
static bool check_outcomes(const by_function *f, tc_job_result *r)
{
    size_t i = 0;
    while (i < f->n_outcomes && isfinite(r->outcomes[i]))
        i++;
    if (i == f->n_outcomes)
        return true;
    if (f->n_outcomes == 1)
        snprintf(r->reason, sizeof r->reason, "value is %g", r->outcomes[0]);
    else
        snprintf(r->reason, sizeof r->reason, "%s is %g", f->names[i], r->outcomes[i]);
    return false;
}

static tacit_status call(const tacit_worker_opts *o, tacit_evaluation *e, tacit_error *why)
{
    return o->evaluate_trial ? o->evaluate_trial(o->user, e, why)
                             : o->evaluate(o->user, e->trial, e->values, e->outcomes, why);
}

static void evaluate(const by_function *f, place *p)
{
    tacit_error why = {0};
    p->result = (tc_job_result){.trial = p->trial};
    double *outcomes = p->result.outcomes;
    for (size_t i = 0; i < f->n_outcomes; i++)
        outcomes[i] = (double)NAN;
    tacit_evaluation e = {.size = sizeof e,
                          .trial = p->trial,
                          .values = p->values,
                          .outcomes = outcomes,
                          .n_outcomes = f->n_outcomes};
    tacit_status status = call(f->opts, &e, &why);
    p->cancelled = status == TACIT_E_CANCELLED;
    p->result.pruned = status == TACIT_OK && e.pruned;
    if (p->result.pruned) {
        snprintf(p->result.reason, sizeof p->result.reason, "%.250s", why.msg);
        return;
    }
    p->result.ok = status == TACIT_OK && check_outcomes(f, &p->result);
    if (p->result.ok)
        p->result.value = outcomes[0];
    if (status != TACIT_OK)
        snprintf(p->result.reason, sizeof p->result.reason, "%.250s",
                 *why.msg ? why.msg : tacit_status_text(status));
}

/* ---- time ---- */

static struct timespec in_ms(int64_t ms)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    t.tv_sec += ms / 1000;
    t.tv_nsec += ms % 1000 * 1000000;
    if (t.tv_nsec >= 1000000000) {
        t.tv_sec++;
        t.tv_nsec -= 1000000000;
    }
    return t;
}

/* ---- one job: in the loop's thread ---- */

static void *tick_meanwhile(void *user)
{
    by_function *f = user;
    pthread_mutex_lock(&f->lock);
    while (!f->evaluated) {
        struct timespec until = in_ms(TICK_MS);
        if (pthread_cond_timedwait(&f->ended, &f->lock, &until) == ETIMEDOUT && !f->evaluated)
            f->base.tick(f->base.loop);
    }
    pthread_mutex_unlock(&f->lock);
    return NULL;
}

/* The loop's state is the ticking thread's until it is joined. */
static tacit_status evaluate_here(by_function *f, place *p, tacit_error *err)
{
    pthread_t ticking;
    f->evaluated = false;
    if (pthread_create(&ticking, NULL, tick_meanwhile, f) != 0)
        return tc_fail(err, TACIT_E_IO, "no thread can be started to renew leases");
    evaluate(f, p);
    pthread_mutex_lock(&f->lock);
    f->evaluated = true;
    pthread_cond_signal(&f->ended);
    pthread_mutex_unlock(&f->lock);
    pthread_join(ticking, NULL);
    p->stage = ENDED;
    f->running = 0;
    return TACIT_OK;
}

/* ---- several jobs: a thread each ---- */

static void *evaluate_there(void *user)
{
    place *p = user;
    by_function *f = p->of;
    evaluate(f, p);
    pthread_mutex_lock(&f->lock);
    p->stage = ENDED;
    f->running--;
    pthread_cond_signal(&f->ended);
    pthread_mutex_unlock(&f->lock);
    return NULL;
}

static place *find(by_function *f, stage at)
{
    for (size_t i = 0; i < f->jobs; i++)
        if (f->places[i].stage == at)
            return &f->places[i];
    return NULL;
}

static tacit_status start(tc_evaluator *e, uint64_t trial, const double *values, tacit_error *err)
{
    by_function *f = (by_function *)e;
    pthread_mutex_lock(&f->lock);
    place *p = find(f, FREE);
    if (p) {
        p->stage = STARTED;
        f->running++;
    }
    pthread_mutex_unlock(&f->lock);
    if (!p)
        return tc_fail(err, TACIT_E_STATE, "all %zu jobs are running", f->jobs);
    p->trial = trial;
    memcpy(p->values, values, f->n_params * sizeof *values);
    if (f->jobs == 1 || pthread_create(&p->thread, NULL, evaluate_there, p) == 0)
        return TACIT_OK;
    pthread_mutex_lock(&f->lock);
    p->stage = FREE;
    f->running--;
    pthread_mutex_unlock(&f->lock);
    return tc_fail(err, TACIT_E_IO, "no thread can be started for trial %llu",
                   (unsigned long long)trial);
}

/* The first that has ended, or NULL when the time is over. */
static place *await(by_function *f, int64_t wait_ms)
{
    struct timespec until = in_ms(wait_ms);
    int why = 0;
    pthread_mutex_lock(&f->lock);
    place *p = find(f, ENDED);
    while (!p && f->running > 0 && why != ETIMEDOUT) {
        why = pthread_cond_timedwait(&f->ended, &f->lock, &until);
        p = find(f, ENDED);
    }
    pthread_mutex_unlock(&f->lock);
    return p;
}

static tacit_status wait_for(tc_evaluator *e, int64_t wait_ms, tc_job_result *out, bool *done,
                             tacit_error *err)
{
    by_function *f = (by_function *)e;
    *done = false;
    if (f->jobs == 1 && f->running > 0)
        TC_TRY(evaluate_here(f, &f->places[0], err));
    place *p = await(f, wait_ms);
    if (!p)
        return TACIT_OK;
    if (f->jobs > 1)
        pthread_join(p->thread, NULL);
    p->stage = FREE;
    if (p->cancelled)
        return tc_fail(err, TACIT_E_CANCELLED, "trial %llu: %s", (unsigned long long)p->trial,
                       p->result.reason);
    *out = p->result;
    *done = true;
    return TACIT_OK;
}

/* With one job nothing runs now: a trial that was started and not evaluated is given up. */
static void stop(tc_evaluator *e)
{
    by_function *f = (by_function *)e;
    pthread_mutex_lock(&f->lock);
    if (f->jobs == 1 && f->running > 0) {
        f->places[0].stage = FREE;
        f->running = 0;
    }
    while (f->running > 0)
        pthread_cond_wait(&f->ended, &f->lock);
    pthread_mutex_unlock(&f->lock);
}

static void end(tc_evaluator *e)
{
    by_function *f = (by_function *)e;
    stop(e);
    for (size_t i = 0; f->places && i < f->jobs; i++)
        if (f->jobs > 1 && f->places[i].stage == ENDED)
            pthread_join(f->places[i].thread, NULL);
    pthread_cond_destroy(&f->ended);
    pthread_mutex_destroy(&f->lock);
    tc_free(f->values);
    tc_free(f->places);
    tc_free(f);
}

tacit_status tc_evaluator_function(tc_evaluator **out, const tacit_document *document,
                                   const tacit_worker_opts *opts, tacit_error *err)
{
    by_function *f = tc_alloc(1, sizeof *f);
    pthread_condattr_t monotonic;
    if (!f)
        return tc_fail_memory(err);
    f->base = (tc_evaluator){.start = start, .wait = wait_for, .stop = stop, .free = end};
    f->opts = opts;
    f->jobs = (size_t)opts->jobs;
    f->n_params = tacit_space_params(tacit_document_space(document));
    f->n_outcomes = tacit_document_outcomes(document);
    for (size_t i = 0; i < f->n_outcomes; i++) {
        tacit_outcome of = TACIT_OUTCOME;
        (void)tacit_document_outcome(document, i, &of, err); /* there is one */
        f->names[i] = of.name;
    }
    pthread_mutex_init(&f->lock, NULL);
    pthread_condattr_init(&monotonic);
    pthread_condattr_setclock(&monotonic, CLOCK_MONOTONIC);
    pthread_cond_init(&f->ended, &monotonic);
    pthread_condattr_destroy(&monotonic);
    f->places = tc_alloc(f->jobs, sizeof *f->places);
    f->values = tc_alloc(f->jobs * f->n_params, sizeof *f->values);
    if (!f->places || !f->values) {
        end(&f->base);
        return tc_fail_memory(err);
    }
    for (size_t i = 0; i < f->jobs; i++) {
        f->places[i].of = f;
        f->places[i].values = f->values + i * f->n_params;
    }
    *out = &f->base;
    return TACIT_OK;
}
