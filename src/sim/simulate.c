/* simulate.c - the runs of a simulation and their mean regret.
 *
 * Each run is a study like any other: ask, observe, tell through study/, over a memory store of its
 * own; between the last two a private user may perturb what was observed. Where there is a curator the
 * study is the modeler's: its space are the released rows, and its questions pass through the curator.
 * A run writes only its own rows; means are taken afterwards in run order, so the bits do not depend on
 * the pool. */
#include "sim/simulate.h"

#include "base/clock.h"
#include "base/error.h"
#include "base/memory.h"
#include "sim/answers.h"
#include "sim/curated.h"
#include "sim/runs.h"
#include "study/study.h"

#include <math.h>
#include <stdatomic.h>
#include <string.h>

typedef struct runs {
    const tc_simulation *sim;
    tc_answers answers;
    tc_pool *inner;            /* lent to the studies: only where there is a single run */
    double *simple;            /* runs x trials; the result's */
    double *cumulative;        /* the same */
    tacit_error *errors;       /* per run; OK where it succeeded */
    atomic_uint_fast64_t done; /* trials */
    atomic_bool stop;
} runs;

/* One run while it lasts. */
typedef struct run {
    tc_objective *objective;
    tc_curated *curated; /* or NULL */
    tc_store *store;
    tc_study *study;
    json_t *options;
    double *values;
    tc_run_seeds seeds;
} run;

static tacit_status take_options(run *r, const tc_simulation *sim, tacit_error *err)
{
    if (sim->curated)
        return tc_curated_options(sim->curated, sim->options, &r->options, err);
    r->options = sim->options ? json_deep_copy(sim->options) : json_object();
    return r->options ? TACIT_OK : tc_fail_memory(err);
}

static tacit_status open_study(run *r, const runs *all, tacit_error *err)
{
    const tc_simulation *sim = all->sim;
    char name[] = "simulation";
    TC_TRY(take_options(r, sim, err));
    const tc_space *seen =
        r->curated ? tc_curated_space(r->curated) : tc_objective_space(r->objective);
    tc_study_doc doc = {
        .name = name,
        .maximize = tc_value_units_maximize(&sim->units, tc_objective_maximize(r->objective)),
        .trials = sim->trials,
        .has_seed = true,
        .seed = r->seeds.study,
        .space = (tc_space *)seen, /* copied, never written */
        .algorithm = sim->algorithm,
        .options = r->options,
    };
    TC_TRY(tc_store_open(&r->store, "memory:", true, err));
    tacit_status status = tc_study_doc_choose(&doc, err);
    if (status == TACIT_OK)
        status = tc_study_create(&r->study, r->store, &doc, all->inner, err);
    json_decref(doc.chosen);
    return status;
}

static tacit_status run_open(run *r, const runs *all, size_t i, tacit_error *err)
{
    const tc_simulation *sim = all->sim;
    r->seeds = tc_run_seeds_of(sim->seed, i);
    TC_TRY(tc_objective_new(&r->objective, sim->objective, &sim->objective_opts, r->seeds.objective,
                            err));
    r->values = tc_alloc(tc_objective_space(r->objective)->n_params, sizeof(double));
    if (!r->values)
        return tc_fail_memory(err);
    if (sim->curated)
        TC_TRY(tc_curated_new(&r->curated, sim->curated, r->objective, r->seeds.study, err));
    return open_study(r, all, err);
}

static void run_close(run *r)
{
    tc_study_close(r->study);
    tc_store_close(r->store);
    tc_curated_free(r->curated);
    tc_objective_free(r->objective);
    json_decref(r->options);
    tc_free(r->values);
}

/* The observation at r->values, in the units of what is told. */
static double observed(const run *r, const tc_value_units *units, uint64_t trial)
{
    tc_stream noise;
    tc_stream_public(&noise, &r->seeds.objective, TC_FOR_OBSERVATION, trial);
    return tc_value_units_told(units, tc_objective_observe(r->objective, r->values, &noise));
}

/* The curator puts the record in place of the row asked for, and its answer in place of the value. */
static tacit_status observe(run *r, const runs *all, uint64_t trial, double *y, tacit_error *err)
{
    if (!r->curated) {
        *y = observed(r, &all->sim->units, trial);
        return tc_answers_tell(&all->answers, r->seeds.study, trial, y, err);
    }
    size_t row = (size_t)r->values[0];
    r->values[0] = (double)tc_curated_record(r->curated, row);
    *y = observed(r, &all->sim->units, trial);
    return tc_curated_answer(r->curated, row, y, err);
}

/* One trial; *regret is that of its point. */
static tacit_status run_trial(run *r, const runs *all, double *regret, tacit_error *err)
{
    uint64_t trial;
    double y;
    TC_TRY(tc_study_ask(r->study, NULL, 0, &trial, r->values, err));
    TC_TRY(observe(r, all, trial, &y, err));
    TC_TRY(tc_study_tell(r->study, trial, NULL, y, err));
    *regret = tc_objective_regret(r->objective, r->values);
    return TACIT_OK;
}

static tacit_status count_trial(runs *all, tacit_error *err)
{
    const tc_simulation *sim = all->sim;
    uint64_t done = atomic_fetch_add(&all->done, 1) + 1;
    if (sim->progress && !sim->progress(sim->user, done))
        atomic_store(&all->stop, true);
    if (atomic_load(&all->stop))
        return tc_fail(err, TACIT_E_CANCELLED, "the simulation was interrupted");
    return TACIT_OK;
}

static tacit_status run_trials(run *r, runs *all, size_t i, tacit_error *err)
{
    size_t trials = (size_t)all->sim->trials;
    double *simple = all->simple + i * trials, *cumulative = all->cumulative + i * trials;
    double best = INFINITY, sum = 0;
    for (size_t t = 0; t < trials; t++) {
        double regret;
        TC_TRY(run_trial(r, all, &regret, err));
        best = fmin(best, regret);
        sum += regret;
        simple[t] = best;
        cumulative[t] = sum;
        TC_TRY(count_trial(all, err));
    }
    return TACIT_OK;
}

static void run_body(void *ctx, size_t i)
{
    runs *all = ctx;
    run r = {0};
    tacit_error *err = &all->errors[i];
    if (atomic_load(&all->stop)) {
        tc_fail(err, TACIT_E_CANCELLED, "the simulation was interrupted");
        return;
    }
    tacit_status status = run_open(&r, all, i, err);
    if (status == TACIT_OK)
        status = run_trials(&r, all, i, err);
    run_close(&r);
    if (status == TACIT_OK)
        *err = (tacit_error){0}; /* what was tried and did not matter */
    else
        atomic_store(&all->stop, true); /* the other runs would be thrown away */
}

static void average(const runs *all, tc_simulation_result *out)
{
    size_t n = (size_t)out->runs, trials = (size_t)out->trials;
    for (size_t t = 0; t < trials; t++) {
        tc_runs_moments(all->simple, n, trials, t, &out->simple_mean[t], &out->simple_se[t]);
        tc_runs_moments(all->cumulative, n, trials, t, &out->cumulative_mean[t],
                        &out->cumulative_se[t]);
    }
}

/* -- options ------------------------------------------------------------------------------- */

tacit_status tc_simulation_options(const tc_simulation *sim, json_t **out, tacit_error *err)
{
    if (!sim->curated)
        return tc_options_in_force(sim->algorithm, sim->options, out, err);
    json_t *given;
    TC_TRY(tc_curated_options(sim->curated, sim->options, &given, err));
    tacit_status status = tc_options_in_force(sim->algorithm, given, out, err);
    json_decref(given);
    return status;
}

/* -- all runs ------------------------------------------------------------------------------ */

static tacit_status check(const tc_simulation *sim, tacit_error *err)
{
    if (sim->trials < 1 || sim->trials > 10000000)
        return tc_fail(err, TACIT_E_ARG, "trials is %llu; allowed are 1 to 10000000",
                       (unsigned long long)sim->trials);
    if (sim->runs < 1 || sim->runs > 1000000)
        return tc_fail(err, TACIT_E_ARG, "runs is %llu; allowed are 1 to 1000000",
                       (unsigned long long)sim->runs);
    TC_TRY(tc_value_units_check(&sim->units, err));
    if (sim->curated && !tc_is_modeler(sim->algorithm))
        return tc_fail(err, TACIT_E_ARG,
                       "%s is not the algorithm of a modeler: it cannot be told the noise in "
                       "released rows",
                       sim->algorithm->name);
    if (sim->curated && sim->reply)
        return tc_fail(err, TACIT_E_ARG, "where there is a curator, it answers; no reply is given");
    json_t *options;
    TC_TRY(tc_simulation_options(sim, &options, err)); /* once, before every run fails by them */
    json_decref(options);
    return TACIT_OK;
}

static tacit_status allocate(runs *all, tc_simulation_result *out, tacit_error *err)
{
    size_t n = (size_t)out->runs, trials = (size_t)out->trials;
    out->simple_mean = tc_alloc(trials, sizeof(double));
    out->simple_se = tc_alloc(trials, sizeof(double));
    out->cumulative_mean = tc_alloc(trials, sizeof(double));
    out->cumulative_se = tc_alloc(trials, sizeof(double));
    out->simple = tc_alloc(n * trials, sizeof(double));
    out->cumulative = tc_alloc(n * trials, sizeof(double));
    all->simple = out->simple;
    all->cumulative = out->cumulative;
    all->errors = tc_alloc(n, sizeof(tacit_error));
    if (!out->simple_mean || !out->simple_se || !out->cumulative_mean || !out->cumulative_se ||
        !out->simple || !out->cumulative || !all->errors)
        return tc_fail_memory(err);
    return TACIT_OK;
}

static tacit_status run_all(runs *all, tc_simulation_result *out, tacit_error *err)
{
    const tc_simulation *sim = all->sim;
    uint64_t start = tc_clock_ns();
    TC_TRY(tc_answers_init(&all->answers, sim->algorithm, sim->options, sim->reply, err));
    TC_TRY(allocate(all, out, err));
    if (sim->runs == 1) {
        all->inner = sim->pool; /* nothing else would use the threads */
        run_body(all, 0);
    } else {
        tc_pool_for(sim->pool, (size_t)sim->runs, run_body, all);
    }
    TC_TRY(tc_runs_failure(all->errors, (size_t)sim->runs, err));
    average(all, out);
    out->seconds = (double)(tc_clock_ns() - start) * 1e-9;
    return TACIT_OK;
}

tacit_status tc_simulate(const tc_simulation *sim, tc_simulation_result *out, tacit_error *err)
{
    runs all = {.sim = sim};
    tc_simulation_result result = {.trials = sim->trials, .runs = sim->runs};
    TC_TRY(check(sim, err));
    tacit_status status = run_all(&all, &result, err);
    tc_answers_fini(&all.answers);
    tc_free(all.errors);
    if (status != TACIT_OK) {
        tc_simulation_result_fini(&result);
        return status;
    }
    *out = result;
    return TACIT_OK;
}

void tc_simulation_result_fini(tc_simulation_result *r)
{
    tc_free(r->simple_mean);
    tc_free(r->simple_se);
    tc_free(r->cumulative_mean);
    tc_free(r->cumulative_se);
    tc_free(r->simple);
    tc_free(r->cumulative);
    memset(r, 0, sizeof *r);
}
