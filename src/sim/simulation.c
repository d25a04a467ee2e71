/* simulation.c - the runs of a simulation: in parallel, from a checkpoint, with progress. See simulation.h.
 *
 * A run writes only its own rows; means are taken afterwards in run order, so the bits do not depend on
 * the pool. */
#include "base/clock.h"
#include "base/error.h"
#include "base/memory.h"
#include "sim/checkpoint.h"
#include "sim/curated.h"
#include "sim/bandit_simulation.h"
#include "sim/step_source.h"

#include <inttypes.h>
#include <math.h>
#include <stdatomic.h>
#include <string.h>

struct tc_runs {
    const tc_simulation *sim;
    const tc_step_source *source;
    tc_run_shape shape;
    tacit_curves *out;
    char *identity;
    tacit_hash study;
    tc_checkpoint *checkpoint; /* or NULL */
    size_t *todo;              /* runs that are not in the checkpoint */
    size_t n_todo;
    bool *done;                 /* by run: it is in the checkpoint */
    tacit_error *errors;        /* by run; OK where it succeeded */
    atomic_uint_fast64_t steps; /* of all runs: where they are, for progress ... */
    atomic_uint_fast64_t pulls; /* ... and what was pulled here */
    atomic_bool stop;
};

static const tc_step_source *source_of(const tc_simulation *sim)
{
    return sim->source ? sim->source : &tc_source_single;
}

/* ---- progress ---- */

bool tc_run_stopped(tc_run *r)
{
    const tc_simulation *sim = r->sim;
    if (sim->stopped && sim->stopped(sim->user))
        atomic_store(&r->all->stop, true);
    return atomic_load(&r->all->stop);
}

static tacit_status interrupted(tacit_error *err)
{
    return tc_fail(err, TACIT_E_CANCELLED, "the simulation was interrupted");
}

tacit_status tc_run_count(tc_run *r, uint64_t steps, tacit_error *err)
{
    tc_runs *all = r->all;
    uint64_t more = steps - r->steps, done = atomic_fetch_add(&all->steps, more) + more;
    r->steps = steps;
    if (r->sim->progress && !r->sim->progress(r->sim->user, done))
        atomic_store(&all->stop, true);
    return atomic_load(&all->stop) ? interrupted(err) : TACIT_OK;
}

/* ---- a run ---- */

/* With the places of run i in the result. */
static tc_run run_of(tc_runs *all, uint64_t i)
{
    const tacit_curves *out = all->out;
    size_t T = out->points, row = (size_t)i * T, rows = row * (size_t)out->agents;
    return (tc_run){.all = all,
                    .sim = all->sim,
                    .shape = &all->shape,
                    .identity = all->identity,
                    .study = all->study,
                    .number = i,
                    .seeds = tc_run_seeds_of(all->sim->seed, i),
                    .inner = all->n_todo == 1 ? all->sim->pool : NULL,
                    .simple = out->simple ? out->simple + row : NULL,
                    .cumulative = out->cumulative + row,
                    .agent_simple = out->agent_simple ? out->agent_simple + rows : NULL,
                    .agent_cumulative =
                        out->agent_cumulative ? out->agent_cumulative + rows : NULL};
}

static void run_fini(tc_run *r)
{
    tc_free(r->releases);
    tc_free(r->rejection);
}

/* Its counts are the result's. The first run speaks for all about what was released. */
static void keep_run(tacit_curves *out, tc_run *r)
{
    out->counts[r->number] = r->counts;
    if (r->number > 0)
        return;
    out->releases = r->releases;
    out->n_releases = r->n_releases;
    out->rejection = r->rejection;
    r->releases = NULL;
    r->rejection = NULL;
}

static double mean_of(const double *v, size_t n)
{
    double sum = 0;
    for (size_t i = 0; i < n; i++)
        sum += v[i];
    return sum / (double)n;
}

/* The regrets so far of every agent are those of point p. */
static void note(tc_run *r, size_t p, const double *best, const double *sum)
{
    size_t n = (size_t)r->shape->agents, T = r->shape->points;
    r->simple[p] = mean_of(best, n);
    r->cumulative[p] = mean_of(sum, n);
    for (size_t i = 0; r->agent_simple && i < n; i++) {
        r->agent_simple[i * T + p] = best[i];
        r->agent_cumulative[i * T + p] = sum[i];
    }
}

/* The story of a run: all trials, given, initial and queried; `room` is for three numbers of each agent. */
static tacit_status run_steps(void *state, tc_run *r, double *room, tacit_error *err)
{
    const tc_step_source *source = r->all->source;
    const tc_run_shape *s = r->shape;
    size_t n = (size_t)s->agents;
    double *best = room, *sum = room + n, *regret = room + 2 * n;
    uint64_t before = s->initial + s->first; /* trials at the first point */
    for (size_t i = 0; i < n; i++)
        best[i] = INFINITY;
    TC_TRY(source->open(state, r, err));
    if (before == 0)
        note(r, 0, best, sum);
    for (uint64_t t = 0; t + 1 < before + s->points; t++) {
        TC_TRY(source->step(state, r, t, regret, err));
        for (size_t i = 0; i < n; i++) {
            if (!isfinite(regret[i]))
                return tc_fail(err, TACIT_E_NUMERIC,
                               "the regret of agent %zu in trial %" PRIu64 " is not finite", i, t);
            best[i] = fmin(best[i], regret[i]);
            sum[i] += t < s->initial ? 0 : regret[i];
        }
        if (t + 1 >= before)
            note(r, (size_t)(t + 1 - before), best, sum);
        if (t >= s->given)
            TC_TRY(tc_run_count(r, t + 1 - s->given, err));
    }
    return source->end ? source->end(state, r, err) : TACIT_OK;
}

static tacit_status run_by_steps(tc_run *r, tacit_error *err)
{
    const tc_step_source *source = r->all->source;
    void *state = tc_alloc(1, source->size);
    double *room = tc_alloc((size_t)r->shape->agents, 3 * sizeof *room);
    tacit_status status = state && room ? run_steps(state, r, room, err) : tc_fail_memory(err);
    if (state)
        source->close(state);
    tc_free(state);
    tc_free(room);
    return status;
}

static tacit_status save(const tc_run *r, tacit_error *err)
{
    tc_runs *all = r->all;
    uint64_t *words;
    size_t n;
    if (!all->checkpoint)
        return TACIT_OK;
    TC_TRY(tc_run_words(r, &words, &n, err));
    tacit_status status = tc_checkpoint_add(all->checkpoint, r->number, words, n, err);
    tc_free(words);
    if (status == TACIT_OK && all->source->kept)
        all->source->kept(r);
    return status;
}

static void run_body(void *ctx, size_t k)
{
    tc_runs *all = ctx;
    tc_run r = run_of(all, all->todo[k]);
    tacit_error *err = &all->errors[r.number];
    tacit_status status = tc_run_stopped(&r)   ? TACIT_E_CANCELLED
                          : all->source->whole ? all->source->whole(&r, err)
                                               : run_by_steps(&r, err);
    if (status == TACIT_OK)
        status = save(&r, err);
    if (status == TACIT_OK) {
        keep_run(all->out, &r);
        atomic_fetch_add(&all->pulls, r.pulls);
        *err = (tacit_error){0}; /* what was tried and did not matter */
    } else {
        atomic_store(&all->stop, true); /* without this run there is no result */
    }
    if (status == TACIT_E_CANCELLED)
        (void)interrupted(err); /* where it was does not matter */
    run_fini(&r);
}

/* ---- all runs ---- */

/* Runs beyond those asked for stay in the file. */
static tacit_status restore(void *user, uint64_t i, const uint64_t *words, size_t n,
                            tacit_error *err)
{
    tc_runs *all = user;
    if (i >= all->sim->runs)
        return TACIT_OK;
    if (all->done[i])
        return tc_fail(err, TACIT_E_CORRUPT, "run %" PRIu64 " is there already", i);
    tc_run r = run_of(all, i);
    tacit_status status = tc_run_read(&r, words, n, err);
    if (status == TACIT_OK) {
        keep_run(all->out, &r);
        all->done[i] = true;
        if (all->source->kept) /* a process may have been killed between the two */
            all->source->kept(&r);
    }
    run_fini(&r);
    return status;
}

static tacit_status open_checkpoint(tc_runs *all, tacit_error *err)
{
    const tc_simulation *sim = all->sim;
    tc_text identity = {0};
    tacit_status status = tc_simulation_identity(sim, &all->shape, &identity, err);
    all->identity = tc_text_take(&identity);
    TC_TRY(status);
    if (!all->identity)
        return tc_fail_memory(err);
    all->study = tc_ledger_study_hash(all->identity);
    if (!sim->checkpoint)
        return TACIT_OK;
    return tc_checkpoint_open(&all->checkpoint, sim->checkpoint, all->identity, restore, all, err);
}

static tacit_status begin(tc_runs *all, tacit_error *err)
{
    const tc_simulation *sim = all->sim;
    tacit_curves *out = all->out;
    size_t n = (size_t)sim->runs;
    *out = (tacit_curves){.algorithm =
                              tc_strdup(sim->bandit ? sim->bandit->name : sim->algorithm->name),
                          .objective = tc_strdup(sim->objective),
                          .runs = sim->runs,
                          .agents = all->shape.agents,
                          .seed = sim->seed,
                          .initial = all->shape.initial,
                          .by_pulls = sim->bandit != NULL,
                          .points = all->shape.points,
                          .relayed = sim->algorithm && sim->algorithm->relay};
    all->todo = tc_alloc(n, sizeof *all->todo);
    all->done = tc_alloc(n, sizeof *all->done);
    all->errors = tc_alloc(n, sizeof *all->errors);
    if (!out->algorithm || !out->objective || !all->todo || !all->done || !all->errors)
        return tc_fail_memory(err);
    TC_TRY(tc_curves_allocate(out, sim->by_agent, err));
    for (size_t p = 0; p < out->points; p++)
        out->at[p] = sim->bandit ? (double)tc_bandit_point(sim->trials, out->points, p)
                                 : (double)(all->shape.first + p);
    return open_checkpoint(all, err);
}

static tacit_status run_all(tc_runs *all, tacit_error *err)
{
    const tc_simulation *sim = all->sim;
    uint64_t start = tc_clock_ns();
    TC_TRY(begin(all, err));
    for (size_t i = 0; i < sim->runs; i++)
        if (!all->done[i])
            all->todo[all->n_todo++] = i;
    atomic_store(&all->steps, (sim->runs - all->n_todo) * all->shape.steps);
    if (all->n_todo == 1)
        run_body(all, 0); /* it has the threads: nothing else would use them */
    else
        tc_pool_for(sim->pool, all->n_todo, run_body, all);
    TC_TRY(tc_runs_failure(all->errors, (size_t)sim->runs, err));
    tc_curves_average(all->out);
    all->out->pulls = atomic_load(&all->pulls);
    all->out->seconds = (double)(tc_clock_ns() - start) * 1e-9;
    return TACIT_OK;
}

tacit_status tc_simulate(const tc_simulation *sim, tacit_curves *out, tacit_error *err)
{
    tacit_curves curves = {0};
    tc_runs all = {.sim = sim, .source = source_of(sim), .out = &curves};
    TC_TRY(all.source->shape(sim, &all.shape, err));
    tacit_status status = run_all(&all, err);
    tc_checkpoint_close(all.checkpoint);
    tc_free(all.identity);
    tc_free(all.todo);
    tc_free(all.done);
    tc_free(all.errors);
    if (status != TACIT_OK) {
        tacit_curves_fini(&curves);
        return status;
    }
    *out = curves;
    return TACIT_OK;
}

tacit_status tc_simulation_steps(const tc_simulation *sim, uint64_t *out, tacit_error *err)
{
    tc_run_shape s;
    TC_TRY(source_of(sim)->shape(sim, &s, err));
    *out = sim->runs * s.steps;
    return TACIT_OK;
}

tacit_status tc_simulation_options(const tc_simulation *sim, json_t **out, tacit_error *err)
{
    json_t *released = NULL;
    if (sim->curated)
        TC_TRY(tc_curated_options(sim->curated, sim->options, &released, err));
    tc_optioned of =
        sim->bandit ? tc_optioned_bandit(sim->bandit) : tc_optioned_algorithm(sim->algorithm);
    tacit_status status = tc_optioned_in_force(&of, released ? released : sim->options, out, err);
    json_decref(released);
    return status;
}
