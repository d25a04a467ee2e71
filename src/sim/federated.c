/* federated.c - the runs of a federated simulation. See federated.h.
 *
 * A run is a family, a ledger in memory and a federation over them. It writes only its own rows;
 * means are taken afterwards in run order, so the bits do not depend on the pool. */
#include "base/clock.h"
#include "base/error.h"
#include "base/memory.h"
#include "sim/checkpoint.h"
#include "sim/federated_int.h"
#include "sim/runs.h"
#include "study/store.h"

#include <inttypes.h>
#include <math.h>
#include <stdatomic.h>
#include <string.h>

typedef struct runs {
    const tc_federated *sim;
    tc_federated_shape shape;
    tc_federated_result *out;
    tacit_hash study;
    tc_checkpoint *checkpoint; /* or NULL */
    size_t *todo;              /* runs that are not in the checkpoint */
    size_t n_todo;
    bool *done;          /* by run: it is in the checkpoint */
    tc_pool *inner;      /* lent to the agents: only where there is a single run to do */
    tacit_error *errors; /* by run; OK where it succeeded */
    atomic_uint_fast64_t steps;
    atomic_bool stop;
} runs;

/* One run while it lasts. */
typedef struct run {
    runs *all;
    tc_run_seeds seeds;
    tc_family *family;
    tc_store *store;
    tc_ledger *ledger;
    tc_ledger_budget limit;
    tc_federation *federation;
    double *best, *sum; /* by agent: simple and cumulative regret so far */
    tc_federated_row row;
} run;

/* ---- a run's birth and end ---- */

/* The noise of an observation: paired between algorithms, whatever they ask. */
static double observe(void *user, uint64_t agent, uint64_t trial, const double *values)
{
    const run *r = user;
    tc_stream noise;
    tc_stream_public(&noise, &r->seeds.objective, TC_FOR_OBSERVATION, agent << 32 | trial);
    double y = tc_family_observe(r->family, (size_t)agent, values, &noise);
    return tc_value_units_told(&r->all->sim->units, y);
}

/* Somebody says so, or another run has failed. */
static bool stopped(void *user)
{
    runs *all = ((run *)user)->all;
    const tc_federated *sim = all->sim;
    if (sim->stopped && sim->stopped(sim->user))
        atomic_store(&all->stop, true);
    return atomic_load(&all->stop);
}

static tacit_status open_ledger(run *r, tacit_error *err)
{
    tc_ledger_io io;
    TC_TRY(tc_store_open(&r->store, "memory:", true, err));
    TC_TRY(tc_store_ledger(r->store, "simulation", true, &io, err));
    return tc_ledger_open(&r->ledger, "simulation", &io, err);
}

static tacit_status found(run *r, const runs *all, tacit_error *err)
{
    const tc_federated *sim = all->sim;
    bool maximize = tc_value_units_maximize(&sim->units, tc_family_maximize(r->family));
    tc_federation_config cfg = {.algorithm = sim->algorithm,
                                .options = sim->options,
                                .space = tc_family_space(r->family),
                                .maximize = maximize,
                                .agents = sim->agents,
                                .seed = r->seeds.study,
                                .budget = all->shape.initial + sim->rounds,
                                .drop = sim->drop,
                                .past = sim->past,
                                .acting = sim->acting,
                                .paired = sim->paired,
                                .pool = all->inner,
                                .objective = observe,
                                .stopped = stopped,
                                .user = r,
                                .ledger = r->ledger,
                                .limit = sim->epsilon > 0 ? &r->limit : NULL,
                                .study = all->study};
    return tc_federation_new(&r->federation, &cfg, err);
}

static tacit_status set_limit(run *r, const tc_federated *sim, tacit_error *err)
{
    if (sim->epsilon == 0 || !sim->algorithm->aggregator)
        return TACIT_OK;
    return tc_federation_budget(r->federation, sim->epsilon, sim->delta, &r->limit, err);
}

static tacit_status know_all(const run *r, const tc_federated *sim, tacit_error *err)
{
    for (size_t i = 0; i < sim->n_known; i++) {
        const tc_known_trial *k = &sim->known[i];
        double told = tc_value_units_told(&sim->units, k->value);
        TC_TRY(tc_federation_know(r->federation, k->agent, k->values, told, err));
    }
    return TACIT_OK;
}

static tacit_status run_open(run *r, const runs *all, size_t i, tacit_error *err)
{
    const tc_federated *sim = all->sim;
    size_t N = (size_t)all->out->agents;
    r->seeds = tc_run_seeds_of(sim->seed, i);
    TC_TRY(tc_family_new(&r->family, sim->objective, &sim->family, (size_t)sim->agents,
                         r->seeds.objective, err));
    r->best = tc_alloc(N, sizeof *r->best);
    r->sum = tc_alloc(N, sizeof *r->sum);
    if (!r->best || !r->sum)
        return tc_fail_memory(err);
    for (size_t n = 0; n < N; n++)
        r->best[n] = INFINITY;
    TC_TRY(open_ledger(r, err));
    TC_TRY(found(r, all, err));
    TC_TRY(set_limit(r, sim, err));
    return know_all(r, sim, err);
}

static void run_close(run *r)
{
    tc_federation_free(r->federation);
    tc_ledger_close(r->ledger);
    tc_store_close(r->store);
    tc_family_free(r->family);
    tc_free(r->best);
    tc_free(r->sum);
    tc_free(r->row.releases);
    tc_free(r->row.rejection);
}

/* ---- regret ---- */

/* Trial `t` of every agent. */
static tacit_status watch(run *r, uint64_t agents, uint64_t t, bool initial, tacit_error *err)
{
    for (uint64_t n = 0; n < agents; n++) {
        const tc_trial *trial = tc_optimizer_trial(tc_federation_agent(r->federation, n), t);
        double regret = tc_family_regret(r->family, (size_t)n, trial->values);
        if (!isfinite(regret))
            return tc_fail(err, TACIT_E_NUMERIC,
                           "the regret of agent %" PRIu64 " in trial %" PRIu64 " is not finite", n,
                           t);
        r->best[n] = fmin(r->best[n], regret);
        r->sum[n] += initial ? 0 : regret;
    }
    return TACIT_OK;
}

static double mean_of(const double *v, uint64_t n)
{
    double sum = 0;
    for (uint64_t i = 0; i < n; i++)
        sum += v[i];
    return sum / (double)n;
}

/* The regrets as they are at iteration t. */
static void note(run *r, const runs *all, uint64_t t)
{
    tc_federated_row *row = &r->row;
    uint64_t N = all->out->agents, T = all->shape.iterations;
    row->simple[t] = mean_of(r->best, N);
    row->cumulative[t] = mean_of(r->sum, N);
    for (uint64_t n = 0; row->agent_simple && n < N; n++) {
        row->agent_simple[n * T + t] = r->best[n];
        row->agent_cumulative[n * T + t] = r->sum[n];
    }
}

/* ---- a run ---- */

static tacit_status interrupted(tacit_error *err)
{
    return tc_fail(err, TACIT_E_CANCELLED, "the simulation was interrupted");
}

static tacit_status count_step(runs *all, tacit_error *err)
{
    const tc_federated *sim = all->sim;
    uint64_t done = atomic_fetch_add(&all->steps, 1) + 1;
    if (sim->progress && !sim->progress(sim->user, done))
        atomic_store(&all->stop, true);
    return atomic_load(&all->stop) ? interrupted(err) : TACIT_OK;
}

static tacit_status run_steps(run *r, runs *all, tacit_error *err)
{
    const tc_federated *sim = all->sim;
    const tc_federated_shape *s = &all->shape;
    for (uint64_t t = 0; t < s->given; t++)
        TC_TRY(watch(r, all->out->agents, t, true, err));
    if (s->initial == s->given)
        note(r, all, 0);
    for (uint64_t t = s->given; t < s->initial + sim->rounds; t++) {
        TC_TRY(tc_federation_step(r->federation, err));
        TC_TRY(watch(r, all->out->agents, t, t < s->initial, err));
        if (t + 1 >= s->initial)
            note(r, all, t + 1 - s->initial);
        TC_TRY(count_step(all, err));
    }
    return TACIT_OK;
}

static tacit_status take_releases(run *r, tacit_error *err)
{
    size_t n;
    const tc_federation_release *releases = tc_federation_releases(r->federation, &n);
    r->row.tally = *tc_federation_counts(r->federation);
    r->row.releases = tc_alloc(n + 1, sizeof *releases);
    if (!r->row.releases)
        return tc_fail_memory(err);
    if (n > 0)
        memcpy(r->row.releases, releases, n * sizeof *releases);
    r->row.n_releases = n;
    const char *why = tc_federation_rejection(r->federation);
    r->row.rejection = why ? tc_strdup(why) : NULL;
    return why && !r->row.rejection ? tc_fail_memory(err) : TACIT_OK;
}

static tacit_status save(const runs *all, const tc_federated_row *row, size_t i, tacit_error *err)
{
    uint64_t *words;
    size_t n;
    if (!all->checkpoint)
        return TACIT_OK;
    TC_TRY(tc_federated_row_words(row, all->out, &words, &n, err));
    tacit_status status = tc_checkpoint_add(all->checkpoint, i, words, n, err);
    tc_free(words);
    return status;
}

/* The places of run i in the result. */
static tc_federated_row row_of(const tc_federated_result *out, size_t i)
{
    size_t T = (size_t)out->iterations, all = (size_t)out->agents * T;
    return (tc_federated_row){
        .simple = out->simple + i * T,
        .cumulative = out->cumulative + i * T,
        .agent_simple = out->agent_simple ? out->agent_simple + i * all : NULL,
        .agent_cumulative = out->agent_cumulative ? out->agent_cumulative + i * all : NULL};
}

/* The first run speaks for all about what was sent. */
static void keep_row(tc_federated_result *out, tc_federated_row *row, size_t i)
{
    if (i == 0) {
        out->tally = row->tally;
        out->releases = row->releases;
        out->n_releases = row->n_releases;
        out->rejection = row->rejection;
    } else {
        tc_free(row->releases);
        tc_free(row->rejection);
    }
    row->releases = NULL;
    row->rejection = NULL;
}

static tacit_status run_whole(run *r, runs *all, size_t i, tacit_error *err)
{
    r->row = row_of(all->out, i);
    TC_TRY(run_open(r, all, i, err));
    TC_TRY(run_steps(r, all, err));
    TC_TRY(take_releases(r, err));
    TC_TRY(save(all, &r->row, i, err));
    keep_row(all->out, &r->row, i);
    return TACIT_OK;
}

static void run_body(void *ctx, size_t k)
{
    runs *all = ctx;
    size_t i = all->todo[k];
    run r = {.all = all};
    tacit_error *err = &all->errors[i];
    tacit_status status = stopped(&r) ? TACIT_E_CANCELLED : run_whole(&r, all, i, err);
    if (status != TACIT_OK)
        atomic_store(&all->stop, true); /* without this run there is no result */
    if (status == TACIT_E_CANCELLED)
        (void)interrupted(err); /* where it was does not matter */
    run_close(&r);
}

/* ---- all runs ---- */

static tacit_status allocate(runs *all, tacit_error *err)
{
    tc_federated_result *o = all->out;
    size_t n = (size_t)o->runs, T = (size_t)o->iterations, N = (size_t)o->agents;
    o->simple_mean = tc_alloc(T, sizeof(double));
    o->simple_se = tc_alloc(T, sizeof(double));
    o->cumulative_mean = tc_alloc(T, sizeof(double));
    o->cumulative_se = tc_alloc(T, sizeof(double));
    o->simple = tc_alloc(n * T, sizeof(double));
    o->cumulative = tc_alloc(n * T, sizeof(double));
    all->todo = tc_alloc(n, sizeof *all->todo);
    all->done = tc_alloc(n, sizeof *all->done);
    all->errors = tc_alloc(n, sizeof *all->errors);
    bool room = o->simple_mean && o->simple_se && o->cumulative_mean && o->cumulative_se &&
                o->simple && o->cumulative && all->todo && all->done && all->errors;
    if (room && all->sim->by_agent) {
        o->agent_simple = tc_alloc(n * T, N * sizeof(double));
        o->agent_cumulative = tc_alloc(n * T, N * sizeof(double));
        room = o->agent_simple && o->agent_cumulative;
    }
    return room ? TACIT_OK : tc_fail_memory(err);
}

/* Runs beyond those asked for stay in the file. */
static tacit_status restore(void *user, uint64_t i, const uint64_t *words, size_t n,
                            tacit_error *err)
{
    runs *all = user;
    if (i >= all->sim->runs)
        return TACIT_OK;
    if (all->done[i])
        return tc_fail(err, TACIT_E_CORRUPT, "run %" PRIu64 " is there already", i);
    tc_federated_row row = row_of(all->out, (size_t)i);
    tacit_status status = tc_federated_row_read(&row, all->out, words, n, err);
    if (status == TACIT_OK) {
        keep_row(all->out, &row, (size_t)i);
        all->done[i] = true;
    }
    tc_free(row.releases);
    return status;
}

static tacit_status open_checkpoint(runs *all, tacit_error *err)
{
    tc_text identity = {0};
    tacit_status status = tc_federated_identity(all->sim, &all->shape, &identity, err);
    if (status == TACIT_OK) {
        all->study = tc_ledger_study_hash(tc_text_get(&identity));
        if (all->sim->checkpoint)
            status = tc_checkpoint_open(&all->checkpoint, all->sim->checkpoint,
                                        tc_text_get(&identity), restore, all, err);
    }
    tc_text_fini(&identity);
    return status;
}

static void plan(runs *all)
{
    const tc_federated *sim = all->sim;
    for (size_t i = 0; i < sim->runs; i++)
        if (!all->done[i])
            all->todo[all->n_todo++] = i;
    uint64_t each = all->shape.initial - all->shape.given + sim->rounds;
    atomic_store(&all->steps, (sim->runs - all->n_todo) * each);
}

static void average(tc_federated_result *o)
{
    size_t n = (size_t)o->runs, T = (size_t)o->iterations;
    for (size_t t = 0; t < T; t++) {
        tc_runs_moments(o->simple, n, T, t, &o->simple_mean[t], &o->simple_se[t]);
        tc_runs_moments(o->cumulative, n, T, t, &o->cumulative_mean[t], &o->cumulative_se[t]);
    }
}

static tacit_status run_all(runs *all, tacit_error *err)
{
    const tc_federated *sim = all->sim;
    uint64_t start = tc_clock_ns();
    TC_TRY(allocate(all, err));
    TC_TRY(open_checkpoint(all, err));
    plan(all);
    if (all->n_todo == 1) {
        all->inner = sim->pool; /* nothing else would use the threads */
        run_body(all, 0);
    } else {
        tc_pool_for(sim->pool, all->n_todo, run_body, all);
    }
    TC_TRY(tc_runs_failure(all->errors, (size_t)sim->runs, err));
    average(all->out);
    all->out->seconds = (double)(tc_clock_ns() - start) * 1e-9;
    return TACIT_OK;
}

tacit_status tc_federated_run(const tc_federated *f, tc_federated_result *out, tacit_error *err)
{
    runs all = {.sim = f};
    TC_TRY(tc_federated_shape_of(f, &all.shape, err));
    tc_federated_result result = {.agents = f->acting > 0 ? f->acting : f->agents,
                                  .runs = f->runs,
                                  .iterations = all.shape.iterations,
                                  .initial = all.shape.initial,
                                  .seed = f->seed,
                                  .relayed = f->algorithm->relay != NULL};
    all.out = &result;
    tacit_status status = run_all(&all, err);
    tc_checkpoint_close(all.checkpoint);
    tc_free(all.todo);
    tc_free(all.done);
    tc_free(all.errors);
    if (status != TACIT_OK) {
        tc_federated_result_fini(&result);
        return status;
    }
    *out = result;
    return TACIT_OK;
}

void tc_federated_result_fini(tc_federated_result *r)
{
    tc_free(r->simple_mean);
    tc_free(r->simple_se);
    tc_free(r->cumulative_mean);
    tc_free(r->cumulative_se);
    tc_free(r->simple);
    tc_free(r->cumulative);
    tc_free(r->agent_simple);
    tc_free(r->agent_cumulative);
    tc_free(r->releases);
    tc_free(r->rejection);
    memset(r, 0, sizeof *r);
}
