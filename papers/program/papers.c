/* papers.c - what tacit-papers does: the experiments of the papers, run by tacit.
 *
 * Without a name it lists them. papers_report.c shows and writes what they have shown. */
#include "base/memory.h"
#include "papers/program/papers_int.h"
#include "study/storage.h"

#include "papers/data/dataset.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

typedef struct reproduce_opts {
    bool all, quick;
    int64_t runs, threads;
    char *data, *out, *seed;
} reproduce_opts;

#define MEMBER(name) .offset = offsetof(reproduce_opts, name)

static const tc_option options[] = {
    {.name = "all",
     .type = TC_OPTION_BOOL,
     MEMBER(all),
     .def = "false",
     .help = "every experiment; those whose data are missing say so and are passed over"},
    {.name = "runs",
     .type = TC_OPTION_INT,
     MEMBER(runs),
     .min = 1,
     .max = 1e5,
     .help = "runs of each (default: as the experiment says)"},
    {.name = "quick",
     .type = TC_OPTION_BOOL,
     MEMBER(quick),
     .def = "false",
     .help = "few runs, smaller sizes: does everything work? Its numbers say little"},
    {.name = "data",
     .type = TC_OPTION_STRING,
     MEMBER(data),
     .help = "folder of data sets (default: TACIT_DATA)",
     .value = "DIR"},
    {.name = "out",
     .type = TC_OPTION_STRING,
     MEMBER(out),
     .help = "folder of results (default: reproduced, with --quick reproduced-quick)",
     .value = "DIR"},
    {.name = "seed",
     .type = TC_OPTION_STRING,
     MEMBER(seed),
     .help = "whole number from which all runs follow (default: 1)",
     .value = "N"},
    TC_THREADS_OPTION(reproduce_opts),
    {.name = NULL},
};

/* -- the list ------------------------------------------------------------------------------ */

static tacit_status list(tc_format format, tacit_error *err)
{
    static const char *const names[] = {"name", "paper", "figure", "data", "runs", "claim"};
    tc_table *t = tc_table_new(sizeof names / sizeof *names, names);
    if (!t)
        return tc_fail_memory(err);
    for (const tc_experiment *const *e = tc_experiments(); *e; e++) {
        tc_table_text(t, 0, (*e)->name);
        tc_table_text(t, 1, (*e)->paper);
        tc_table_text(t, 2, (*e)->figure);
        tc_table_text(t, 3, (*e)->data ? (*e)->data : "");
        tc_table_integer(t, 4, (int64_t)(*e)->runs);
        tc_table_text(t, 5, (*e)->claim);
        tc_table_end_row(t);
    }
    return tc_table_print(t, format, stdout, err);
}

/* -- one ----------------------------------------------------------------------------------- */

static bool step(void *user, uint64_t done)
{
    tc_reproduce_watch *w = user;
    if (tc_interrupted())
        return false;
    pthread_mutex_lock(&w->lock);
    tc_progress_update(w->bar, done, NULL);
    pthread_mutex_unlock(&w->lock);
    return true;
}

static void say_begin(const tc_experiment *e, const tc_reproduce *r, bool quiet)
{
    char time[32];
    tc_duration(time, sizeof time, tc_reproduce_estimate(e, r));
    tc_note(quiet, "%s: %" PRIu64 " run%s of %zu arm%s, about %s where nothing is done yet.",
            e->name, tc_reproduce_runs(e, r), tc_reproduce_runs(e, r) == 1 ? "" : "s", e->n_arms,
            e->n_arms == 1 ? "" : "s", time);
}

static tacit_status run_watched(const tc_experiment *e, tc_reproduce *r, bool quiet,
                                tc_reproduction *out, tacit_error *err)
{
    tc_reproduce_watch w = {.lock = PTHREAD_MUTEX_INITIALIZER};
    w.bar = tc_progress_start(e->name, tc_reproduce_runs(e, r) * e->n_arms, quiet);
    r->progress = step;
    r->user = &w;
    tacit_status status = tc_reproduce_run(e, r, out, err);
    tc_progress_end(w.bar);
    if (status == TACIT_E_CANCELLED)
        return tc_fail(err, status,
                       "interrupted; finished runs are in %s/%s, and the same command goes on "
                       "there",
                       r->out, e->name);
    return status;
}

static tacit_status run_one(const tc_experiment *e, tc_reproduce *r, const tc_invocation *in,
                            tacit_error *err)
{
    tc_reproduction result;
    TC_TRY(tc_dataset_check(e, r->data, err));
    say_begin(e, r, in->quiet);
    TC_TRY(run_watched(e, r, in->quiet, &result, err));
    if (result.anew)
        tc_note(in->quiet, "Runs of other settings are now in %s/%s/runs.jsonl.old.", r->out,
                e->name);
    tacit_status status = tc_reproduce_files(&result, r->out, err);
    if (status == TACIT_OK)
        status = tc_reproduce_show(&result, (tc_format)in->format, err);
    if (status == TACIT_OK)
        tc_note(in->quiet, "%s/%s has the figure, the table and every run.\n", r->out, e->name);
    tc_reproduction_fini(&result);
    return status;
}

/* -- all ----------------------------------------------------------------------------------- */

/* Missing data, or a library that this build does not have, stop nobody who asked for all. */
static tacit_status run_all(tc_reproduce *r, const tc_invocation *in, tacit_error *err)
{
    for (const tc_experiment *const *e = tc_experiments(); *e; e++) {
        tacit_error why = {0};
        tacit_status status = run_one(*e, r, in, &why);
        if (status == TACIT_E_NOT_FOUND || status == TACIT_E_UNSUPPORTED)
            tc_note(in->quiet, "Not run: %s.", why.msg);
        else if (status != TACIT_OK)
            return tc_fail(err, status, "%s", why.msg);
    }
    return TACIT_OK;
}

static void say_total(const tc_reproduce *r, const tc_invocation *in)
{
    char time[32];
    double sum = 0;
    for (const tc_experiment *const *e = tc_experiments(); *e; e++)
        sum += tc_reproduce_estimate(*e, r);
    tc_duration(time, sizeof time, sum);
    tc_note(in->quiet, "All experiments: about %s on %zu thread%s where nothing is done yet.", time,
            tc_pool_threads(r->pool), tc_pool_threads(r->pool) == 1 ? "" : "s");
}

static tacit_status run_named(tc_reproduce *r, const tc_invocation *in, tacit_error *err)
{
    const tc_experiment *e;
    for (size_t i = 0; i < in->n_args; i++) /* all names are right before the first run */
        TC_TRY(tc_experiment_get(&e, in->args[i], err));
    for (size_t i = 0; i < in->n_args; i++) {
        TC_TRY(tc_experiment_get(&e, in->args[i], err));
        TC_TRY(run_one(e, r, in, err));
    }
    return TACIT_OK;
}

/* -- the program ------------------------------------------------------------------------------ */

static tacit_status read_seed(const char *text, uint64_t *out, tacit_error *err)
{
    unsigned long long seed = 1;
    if (text && (!tc_parse_u64(text, &seed) || seed > INT64_MAX))
        return tc_fail(err, TACIT_E_ARG, "--seed must be a whole number from 0 to %lld, not \"%s\"",
                       (long long)INT64_MAX, text);
    *out = seed;
    return TACIT_OK;
}

static bool wants_list(const tc_invocation *in)
{
    return in->n_args == 0 || (in->n_args == 1 && strcmp(in->args[0], "list") == 0);
}

static tacit_status run(const tc_invocation *in, tacit_error *err)
{
    const reproduce_opts *o = in->opts;
    const char *data = o->data ? o->data : getenv("TACIT_DATA");
    tc_pool *pool = NULL;
    tc_reproduce r = {.out = o->out     ? o->out
                             : o->quick ? "reproduced-quick"
                                        : "reproduced",
                      .data = data && *data ? data : NULL,
                      .runs = (uint64_t)o->runs,
                      .quick = o->quick};
    if (o->all && in->n_args > 0)
        return tc_fail(err, TACIT_E_ARG, "--all and names of experiments must not both be given");
    if (!o->all && wants_list(in))
        return list((tc_format)in->format, err);
    TC_TRY(read_seed(o->seed, &r.seed, err));
    if (o->threads != 1)
        TC_TRY(tc_pool_new(&pool, (size_t)o->threads, err));
    r.pool = pool;
    tc_catch_interrupts();
    if (o->all)
        say_total(&r, in);
    tacit_status status = o->all ? run_all(&r, in, err) : run_named(&r, in, err);
    tc_pool_free(pool);
    return status;
}

const tc_verb tc_papers_verb = {
    .name = "tacit-papers",
    .alone = true,
    .usage = "[list | NAME ... | --all] [options]",
    .summary = "the experiments of the papers, beside what the papers print",
    .details =
        "Without a name, or with the word list, lists the experiments. With names, or --all, runs\n"
        "them and shows a table: what the paper prints, tacit as the paper has it, and tacit as\n"
        "it is by default, mean and standard error over runs; then what the paper says in words,\n"
        "with a verdict from paired runs: holds or fails (p < 0.01), or undecided.\n"
        "\n"
        "DIR/NAME then has figure.svg, table.md, curves.csv, summary.json and runs.jsonl.\n"
        "Every finished run is in runs.jsonl at once: interrupted, the same command goes on\n"
        "there, and more --runs are added to those there are. Another seed or version, or\n"
        "other data, begin anew. Results do not depend on --threads.\n"
        "\n"
        "Some experiments need data sets: folders in --data DIR or TACIT_DATA. Nothing is\n"
        "fetched. An experiment whose data are missing says what it needs; alone it then\n"
        "exits with 3, under --all it is passed over. What is computed from data once (grids\n"
        "of support vector machines) is kept in DIR/cache.\n"
        "\n"
        "Simulations draw their noise from the seed: nothing here is private.\n"
        "\n"
        "Examples:\n"
        "  tacit-papers list\n"
        "  tacit-papers fts-fig1a\n"
        "  tacit-papers --all --quick\n"
        "  tacit-papers fts-fig2a-landmine --data ~/data --runs 100 --out results\n",
    .options = options,
    .options_size = sizeof(reproduce_opts),
    .max_args = 64,
    .run = run,
};
