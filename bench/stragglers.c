/* stragglers.c - what happens to a private study whose agents are slow or not there.
 *
 * dp-fts-de on gp-family (1000 candidates of [0,1]), 10 initial points and 40 trials of each agent,
 * with the coordinator and the agents of a deployment on a clock of their own (support/fleet.h). A
 * round closes at its public deadline of 60 s. In every round an agent stays away with the
 * probability at the head of a column; the delays of the others are log-normal, median 12 s, sd of
 * the log 1, so that one in twenty comes too late by itself. Columns are paired: run r has the same
 * objectives, observations, noise and delays in all of them.
 *
 * A message that is late is never folded into another round, and a sum has the same noise whoever is
 * in it: so the coordinator's ledger must say the same, in words and numbers, in every column. The
 * last line says whether a simulation that loses the same messages gave the same points and releases,
 * bit for bit, in the runs in which that was looked at.
 *
 *     bench_stragglers [runs, 40] [agents, 200] [threads, 0: all] [checked runs, 3] [plan, 0: all] */
#include "base/error.h"
#include "base/json.h"
#include "base/memory.h"
#include "base/pool.h"
#include "objective/family.h"
#include "sim/compare.h"
#include "sim/federation.h"
#include "sim/runs.h"
#include "study/store.h"
#include "study/study_plan.h"
#include "support/fleet.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { INITIAL = 10, TRIALS = 40, ALL = INITIAL + TRIALS, COLUMNS = 4, TIMES = 5 };

static const double drops[COLUMNS] = {0, 0.1, 0.3, 0.5};
static const int times[TIMES] = {1, 5, 10, 20, 40};

/* A study that is run in all columns. */
typedef struct plan {
    const char *releases;
    double epsilon, delta;
} plan;

static const plan plans[] = {
    {"auto", 1, 1e-5}, {"auto", 7.05, 0.00294352}, {"all", 7.05, 0.00294352}};

typedef struct result {
    double regret[TIMES]; /* mean over agents of the best so far */
    fleet_counts counts;
    char *statement;
    bool compared, same;
    tacit_error err;
} result;

typedef struct table {
    const plan *p;
    uint64_t agents;
    size_t runs, checked;
    result *results; /* runs x COLUMNS */
} table;

/* ---- a run ---- */

typedef struct run {
    const table *t;
    tc_run_seeds seeds;
    tc_family *family;
    tc_study_doc document;
    fleet *fleet;
    double drop;
} run;

static double observe(void *user, uint64_t agent, uint64_t trial, const double *values)
{
    const run *r = user;
    tc_stream noise;
    tc_stream_public(&noise, &r->seeds.objective, TC_FOR_OBSERVATION, agent << 32 | trial);
    return tc_family_observe(r->family, (size_t)agent, values, &noise);
}

static tacit_status describe(run *r, tacit_error *err)
{
    const plan *p = r->t->p;
    json_t *options =
        json_pack("{ss ss si si sf ss}", "own", "features", "init", "region", "features", 50,
                  "initial", (int)INITIAL, "lengthscale", 0.03, "releases", p->releases);
    if (!options)
        return tc_fail_memory(err);
    r->document = (tc_study_doc){.name = (char *)"s",
                                 .maximize = tc_family_maximize(r->family),
                                 .trials = ALL,
                                 .has_seed = true,
                                 .seed = r->seeds.study,
                                 .space = (tc_space *)tc_family_space(r->family),
                                 .algorithm = tc_algorithm_find("dp-fts-de"),
                                 .options = options,
                                 .agents = r->t->agents,
                                 .deadline_s = 60,
                                 .promise = TC_PROMISE_EPSILON,
                                 .epsilon = p->epsilon,
                                 .delta = p->delta};
    return TACIT_OK;
}

static tacit_status read_regret(run *r, result *out, tacit_error *err)
{
    for (uint64_t n = 0; n < r->t->agents; n++) {
        double best = INFINITY, x;
        for (uint64_t t = 0, k = 0; t < ALL; t++) {
            TC_TRY(fleet_point(r->fleet, n, t, &x, err));
            best = fmin(best, tc_family_regret(r->family, n, &x));
            if (k < TIMES && t + 1 == INITIAL + (uint64_t)times[k])
                out->regret[k++] += best / (double)r->t->agents;
        }
    }
    return TACIT_OK;
}

static tacit_status read_statement(run *r, const tc_ledger *l, result *out, tacit_error *err)
{
    tc_ledger_claim claim;
    tc_text text = {0};
    TC_TRY(tc_ledger_guarantee(l, TACIT_UNIT_AGENT, NULL, r->t->p->delta,
                               fleet_plan(r->fleet)->limit.accountant, &claim, err));
    tc_ledger_statement(l, &claim, &text);
    out->statement = tc_text_take(&text);
    return out->statement ? TACIT_OK : tc_fail_memory(err);
}

/* ---- the same in lockstep ---- */

static bool lost(void *user, uint64_t round, uint64_t agent)
{
    return !fleet_heard(((const run *)user)->fleet, round, agent);
}

static tacit_status simulate(run *r, tc_ledger *ledger, tc_federation **out, tacit_error *err)
{
    const tc_study_plan *p = fleet_plan(r->fleet);
    tc_federation_config cfg = {.algorithm = p->doc->algorithm,
                                .options = p->options,
                                .space = p->doc->space,
                                .maximize = p->doc->maximize,
                                .agents = r->t->agents,
                                .seed = r->seeds.study,
                                .budget = ALL,
                                .lost = lost,
                                .objective = observe,
                                .user = r,
                                .ledger = ledger,
                                .limit = &p->limit,
                                .study = p->hash};
    TC_TRY(tc_federation_new(out, &cfg, err));
    for (int t = 0; t < ALL; t++)
        TC_TRY(tc_federation_step(*out, err));
    return TACIT_OK;
}

static tacit_status same_points(run *r, const tc_federation *f, bool *same, tacit_error *err)
{
    double x;
    for (uint64_t n = 0; n < r->t->agents; n++)
        for (uint64_t t = 0; t < ALL; t++) {
            TC_TRY(fleet_point(r->fleet, n, t, &x, err));
            *same = *same && memcmp(&x, tc_optimizer_trial(tc_federation_agent(f, n), t)->values,
                                    sizeof x) == 0;
        }
    return TACIT_OK;
}

static bool same_releases(const tc_ledger *a, const tc_ledger *b)
{
    uint64_t n = tc_ledger_get_head(a).seq;
    bool same = tc_ledger_get_head(b).seq == n;
    for (uint64_t i = 1; same && i <= n; i++)
        same = tc_ledger_hash_same(&tc_ledger_get(a, i, NULL)->release,
                                   &tc_ledger_get(b, i, NULL)->release);
    return same;
}

static tacit_status compare(run *r, const tc_ledger *deployed, result *out, tacit_error *err)
{
    tc_store *store;
    tc_ledger_io io;
    tc_ledger *ledger = NULL;
    tc_federation *f = NULL;
    TC_TRY(tc_store_open(&store, "memory:", true, err));
    tacit_status status = tc_store_ledger(store, "simulation", true, &io, err);
    if (status == TACIT_OK)
        status = tc_ledger_open(&ledger, "simulation", &io, err);
    if (status == TACIT_OK)
        status = simulate(r, ledger, &f, err);
    if (status == TACIT_OK) {
        out->compared = true;
        out->same = same_releases(deployed, ledger);
        status = same_points(r, f, &out->same, err);
    }
    tc_federation_free(f);
    tc_ledger_close(ledger);
    tc_store_close(store);
    return status;
}

/* ---- */

static tacit_status look(run *r, size_t i, result *out, tacit_error *err)
{
    tc_ledger *l;
    out->counts = fleet_count(r->fleet);
    TC_TRY(read_regret(r, out, err));
    TC_TRY(fleet_ledger(r->fleet, &l, err));
    tacit_status status = read_statement(r, l, out, err);
    if (status == TACIT_OK && i < r->t->checked)
        status = compare(r, l, out, err);
    tc_ledger_close(l);
    return status;
}

static tacit_status run_one(run *r, size_t i, result *out, tacit_error *err)
{
    tc_family_opts opts;
    r->seeds = tc_run_seeds_of(1, i);
    TC_TRY(tc_options_defaults(tc_family_options, &opts, err));
    TC_TRY(tc_family_new(&r->family, "gp-family", &opts, (size_t)r->t->agents, r->seeds.objective,
                         err));
    TC_TRY(describe(r, err));
    fleet_config cfg = {.document = &r->document,
                        .drop = r->drop,
                        .delay_s = 12,
                        .delay_log_sd = 1,
                        .objective = observe,
                        .user = r};
    TC_TRY(fleet_run(&r->fleet, &cfg, err));
    return look(r, i, out, err);
}

static void run_body(void *ctx, size_t k)
{
    const table *t = ctx;
    result *out = &t->results[k];
    run r = {.t = t, .drop = drops[k % COLUMNS]};
    out->err.code = run_one(&r, k / COLUMNS, out, &out->err);
    fleet_free(r.fleet);
    json_decref(r.document.options);
    tc_family_free(r.family);
}

/* ---- the table ---- */

static const result *at(const table *t, size_t i, size_t column)
{
    return &t->results[i * COLUMNS + column];
}

static void print_share(const table *t, const char *what, size_t part, size_t whole)
{
    printf("| %s |", what);
    for (size_t c = 0; c < COLUMNS; c++) {
        double a = 0, b = 0;
        for (size_t r = 0; r < t->runs; r++) {
            const char *counts = (const char *)&at(t, r, c)->counts;
            a += (double)*(const uint64_t *)(counts + part);
            b += (double)*(const uint64_t *)(counts + whole);
        }
        printf(" %.1f %% |", 100 * a / b);
    }
    printf("\n");
}

static void print_counts(const table *t)
{
    size_t all = offsetof(fleet_counts, messages);
    print_share(t, "messages in time", offsetof(fleet_counts, in_time), all);
    print_share(t, "late: away", offsetof(fleet_counts, away), all);
    print_share(t, "late: slow", offsetof(fleet_counts, slow), all);
    print_share(t, "rounds closed by their deadline and one tick",
                offsetof(fleet_counts, closed_timely), offsetof(fleet_counts, rounds));
}

static void print_statements(const table *t)
{
    const char *first = at(t, 0, 0)->statement;
    size_t same = 0, all = t->runs * COLUMNS;
    for (size_t k = 0; k < all; k++)
        same += strcmp(t->results[k].statement, first) == 0;
    printf("\nThe privacy statement, the same words and numbers in %zu of %zu runs: %s\n", same,
           all, first);
}

static tacit_status print_time(const table *t, size_t k, double *a, double *b, tacit_error *err)
{
    printf("| simple regret, t = %d |", times[k]);
    for (size_t c = 0; c < COLUMNS; c++) {
        double mean, se;
        tacit_ratio ratio;
        for (size_t r = 0; r < t->runs; r++) {
            a[r] = at(t, r, c)->regret[k];
            b[r] = at(t, r, 0)->regret[k];
        }
        tc_runs_moments(a, t->runs, 1, 0, &mean, &se);
        TC_TRY(tc_paired_compare(a, b, t->runs, &ratio, err));
        printf(" %.4f ± %.4f", mean, 1.96 * se);
        if (c > 0)
            printf(" (%.3f, %.3f to %.3f)", ratio.ratio, ratio.low, ratio.high);
        printf(" |");
    }
    printf("\n");
    return TACIT_OK;
}

static tacit_status print_regret(const table *t, tacit_error *err)
{
    double *a = tc_alloc(t->runs, sizeof *a), *b = tc_alloc(t->runs, sizeof *b);
    tacit_status status = a && b ? TACIT_OK : tc_fail_memory(err);
    for (size_t k = 0; k < TIMES && status == TACIT_OK; k++)
        status = print_time(t, k, a, b, err);
    tc_free(a);
    tc_free(b);
    return status;
}

static void print_comparison(const table *t)
{
    size_t compared = 0, same = 0;
    for (size_t k = 0; k < t->runs * COLUMNS; k++) {
        compared += t->results[k].compared;
        same += t->results[k].same;
    }
    printf("Bit-identical with a simulation that loses the same messages: %zu of %zu runs looked "
           "at.\n\n",
           same, compared);
}

static tacit_status print(const table *t, tacit_error *err)
{
    for (size_t k = 0; k < t->runs * COLUMNS; k++)
        if (t->results[k].err.code != TACIT_OK)
            return tc_fail(err, t->results[k].err.code, "%s", t->results[k].err.msg);
    printf("epsilon %g, releases=%s: %g rounds, %" PRIu64 " agents, %zu paired runs\n\n",
           t->p->epsilon, t->p->releases, (double)at(t, 0, 0)->counts.rounds, t->agents, t->runs);
    printf("| agents that stay away | 0 %% | 10 %% | 30 %% | 50 %% |\n|---|---|---|---|---|\n");
    print_counts(t);
    TC_TRY(print_regret(t, err));
    print_statements(t);
    print_comparison(t);
    fflush(stdout);
    return TACIT_OK;
}

static tacit_status make(table *t, tc_pool *pool, tacit_error *err)
{
    t->results = tc_alloc(t->runs * COLUMNS, sizeof *t->results);
    if (!t->results)
        return tc_fail_memory(err);
    tc_pool_for(pool, t->runs * COLUMNS, run_body, t);
    tacit_status status = print(t, err);
    for (size_t k = 0; k < t->runs * COLUMNS; k++)
        tc_free(t->results[k].statement);
    tc_free(t->results);
    return status;
}

static size_t number(int argc, char **argv, int i, size_t def)
{
    return argc > i ? (size_t)strtoul(argv[i], NULL, 10) : def;
}

int main(int argc, char **argv)
{
    table t = {.runs = number(argc, argv, 1, 40),
               .agents = number(argc, argv, 2, 200),
               .checked = number(argc, argv, 4, 3)};
    tacit_error err = {0};
    tc_pool *pool = NULL;
    tacit_status status = tc_pool_new(&pool, number(argc, argv, 3, 0), &err);
    size_t only = number(argc, argv, 5, 0);
    for (size_t i = 0; i < sizeof plans / sizeof *plans && status == TACIT_OK; i++) {
        t.p = &plans[i];
        if (only == 0 || only == i + 1)
            status = make(&t, pool, &err);
    }
    tc_pool_free(pool);
    if (status != TACIT_OK)
        fprintf(stderr, "bench_stragglers: %s\n", err.msg);
    return tacit_status_exit(status);
}
