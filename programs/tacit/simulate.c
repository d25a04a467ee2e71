/* simulate.c - `tacit simulate`: an algorithm on a built-in objective, many runs, exact regret. */
#include "base/file.h"
#include "base/json.h"
#include "base/memory.h"
#include "sim/regret_file.h"
#include "storage.h"
#include "verbs.h"
#include "watch.h"

#include <string.h>

#define TRIALS_DEFAULT    60
#define ALGORITHM_DEFAULT "gp-ei"

typedef struct simulate_opts {
    char *algorithm, *objective, *seed, *out;
    int64_t trials, runs, threads;
    tc_objective_opts objective_opts;
} simulate_opts;

static const tc_option options[] = {
    {.name = "algorithm",
     .type = TC_OPTION_STRING,
     .offset = offsetof(simulate_opts, algorithm),
     .help = "algorithm (default: the document's, else " ALGORITHM_DEFAULT ")",
     .value = "NAME"},
    {.name = "objective",
     .type = TC_OPTION_STRING,
     .offset = offsetof(simulate_opts, objective),
     .def = "branin",
     .help = "objective; tacit objectives lists them",
     .value = "NAME"},
    {.name = "trials",
     .type = TC_OPTION_INT,
     .offset = offsetof(simulate_opts, trials),
     .min = 1,
     .max = 1e7,
     .help = "trials of each run (default: the document's, else 60)"},
    {.name = "runs",
     .type = TC_OPTION_INT,
     .offset = offsetof(simulate_opts, runs),
     .def = "10",
     .min = 1,
     .max = 1e6,
     .help = "independent runs"},
    {.name = "seed",
     .type = TC_OPTION_STRING,
     .offset = offsetof(simulate_opts, seed),
     .help = "whole number from which all runs follow (default: the document's, else 0)",
     .value = "N"},
    TC_OBJECTIVE_OPTION_ROWS(offsetof(simulate_opts, objective_opts)),
    {.name = "out",
     .type = TC_OPTION_STRING,
     .offset = offsetof(simulate_opts, out),
     .help = "also write every iteration to FILE: JSON if it ends in .json, else CSV",
     .value = "FILE"},
    TC_THREADS_OPTION(simulate_opts),
    {.name = NULL},
};

/* What the command line and the document say together. */
typedef struct plan {
    tc_study_doc *doc; /* or NULL */
    json_t *given;     /* options of the algorithm that were given */
    tc_simulation sim;
} plan;

static void plan_fini(plan *p)
{
    tc_study_doc_free(p->doc);
    json_decref(p->given);
    tc_pool_free(p->sim.pool);
}

/* -- options of the algorithm -------------------------------------------------------------- */

/* Checks name=value against the table and keeps its typed value in `given`. */
static tacit_status take_set(const tc_algorithm *a, void *opts, const char *word, json_t *given,
                             tacit_error *err)
{
    const char *equals = strchr(word, '=');
    if (!equals || equals == word)
        return tc_fail(err, TACIT_E_ARG, "--set takes name=value, not \"%s\"", word);
    char *name = tc_strndup(word, (size_t)(equals - word));
    if (!name)
        return tc_fail_memory(err);
    tacit_status status = tc_options_set(a->options, opts, a->name, name, equals + 1, err);
    json_t *all = status == TACIT_OK ? tc_options_json(a->options, opts) : NULL;
    if (status == TACIT_OK && (!all || json_object_set(given, name, json_object_get(all, name))))
        status = tc_fail_memory(err);
    json_decref(all);
    tc_free(name);
    return status;
}

static tacit_status take_sets(const tc_algorithm *a, void *opts, const tc_invocation *in,
                              json_t *given, tacit_error *err)
{
    TC_TRY(tc_options_defaults(a->options, opts, err));
    TC_TRY(tc_options_set_json(a->options, opts, a->name, given, "name", err));
    for (size_t i = 0; i < in->n_sets; i++)
        TC_TRY(take_set(a, opts, in->sets[i], given, err));
    return TACIT_OK;
}

static tacit_status gather_options(plan *p, const tc_invocation *in, tacit_error *err)
{
    const tc_algorithm *a = p->sim.algorithm;
    bool from_doc = p->doc && p->doc->algorithm == a && p->doc->options;
    p->given = from_doc ? json_deep_copy(p->doc->options) : json_object();
    void *opts = tc_alloc(1, a->options_size + 1);
    if (!p->given || !opts) {
        tc_free(opts);
        return tc_fail_memory(err);
    }
    tacit_status status = take_sets(a, opts, in, p->given, err);
    tc_options_fini(a->options, opts);
    tc_free(opts);
    p->sim.options = p->given;
    return status;
}

/* -- the plan ------------------------------------------------------------------------------ */

static tacit_status choose_seed(const plan *p, const char *text, uint64_t *out, tacit_error *err)
{
    unsigned long long seed = p->doc && p->doc->has_seed ? p->doc->seed : 0;
    if (text && (!tc_parse_u64(text, &seed) || seed > INT64_MAX))
        return tc_fail(err, TACIT_E_ARG, "--seed must be a whole number from 0 to %lld, not \"%s\"",
                       (long long)INT64_MAX, text);
    *out = seed;
    return TACIT_OK;
}

static tacit_status make_plan(plan *p, const tc_invocation *in, tacit_error *err)
{
    const simulate_opts *o = in->opts;
    tc_simulation *sim = &p->sim;
    if (in->n_args)
        TC_TRY(tc_study_doc_read(&p->doc, in->args[0], err));
    if (!o->algorithm && p->doc)
        sim->algorithm = p->doc->algorithm;
    else
        TC_TRY(tc_algorithm_get_single(&sim->algorithm,
                                       o->algorithm ? o->algorithm : ALGORITHM_DEFAULT, err));
    TC_TRY(gather_options(p, in, err));
    TC_TRY(choose_seed(p, o->seed, &sim->seed, err));
    uint64_t planned = p->doc ? p->doc->trials : TRIALS_DEFAULT;
    sim->objective = o->objective;
    sim->objective_opts = o->objective_opts;
    sim->trials = o->trials ? (uint64_t)o->trials : planned;
    sim->runs = (uint64_t)o->runs;
    return o->threads == 1 ? TACIT_OK : tc_pool_new(&sim->pool, (size_t)o->threads, err);
}

/* -- output -------------------------------------------------------------------------------- */

/* 1, 2, 5, 10, 20, 50, ... and the last. */
static bool is_milestone(uint64_t i, uint64_t last)
{
    uint64_t lead = i;
    while (lead % 10 == 0)
        lead /= 10;
    return lead == 1 || lead == 2 || lead == 5 || i == last;
}

static tacit_status print_table(const plan *p, const tc_simulation_result *r, tacit_error *err)
{
    static const char *const names[] = {"trial", "simple regret", "cumulative regret"};
    tc_table *t = tc_table_new(3, names);
    char cell[64];
    for (size_t i = 0; t && i < r->trials; i++) {
        if (!is_milestone(i + 1, r->trials))
            continue;
        tc_table_integer(t, 0, (int64_t)i + 1);
        tc_watch_moments(cell, sizeof cell, r->simple_mean[i], r->simple_se[i]);
        tc_table_text(t, 1, cell);
        tc_watch_moments(cell, sizeof cell, r->cumulative_mean[i], r->cumulative_se[i]);
        tc_table_text(t, 2, cell);
        tc_table_end_row(t);
    }
    printf("%s on %s: %llu run%s of %llu trials, seed %llu, %.2f s; mean ± standard error\n\n",
           p->sim.algorithm->name, p->sim.objective, (unsigned long long)r->runs,
           r->runs == 1 ? "" : "s", (unsigned long long)r->trials, (unsigned long long)p->sim.seed,
           r->seconds);
    return t ? tc_table_print(t, TC_FORMAT_TABLE, stdout, err) : tc_fail_memory(err);
}

static tacit_status as_text(const plan *p, const tc_simulation_result *r, bool json, tc_text *out,
                            tacit_error *err)
{
    if (json) {
        json_t *j;
        TC_TRY(tc_regret_json(&p->sim, r, &j, err));
        char *text = tc_json_text(j);
        json_decref(j);
        if (text)
            tc_text_addf(out, "%s\n", text);
        else
            out->failed = true;
        tc_free(text);
    } else {
        tc_regret_csv(&p->sim, r, out);
    }
    return out->failed ? tc_fail_memory(err) : TACIT_OK;
}

static bool ends_in_json(const char *file)
{
    size_t n = strlen(file);
    return n > 5 && strcmp(file + n - 5, ".json") == 0;
}

static tacit_status write_file(const plan *p, const tc_simulation_result *r, const char *file,
                               tacit_error *err)
{
    tc_text text = {0};
    tacit_status status = as_text(p, r, ends_in_json(file), &text, err);
    if (status == TACIT_OK)
        status = tc_file_write(file, tc_text_get(&text), text.len, err);
    tc_text_fini(&text);
    return status;
}

static tacit_status print_result(const plan *p, const tc_simulation_result *r, int format,
                                 tacit_error *err)
{
    if (format == TC_FORMAT_TABLE)
        return print_table(p, r, err);
    tc_text text = {0};
    tacit_status status = as_text(p, r, format != TC_FORMAT_CSV, &text, err);
    if (status == TACIT_OK)
        fwrite(tc_text_get(&text), 1, text.len, stdout);
    tc_text_fini(&text);
    return status;
}

/* -- the verb ------------------------------------------------------------------------------ */

static tacit_status simulate(plan *p, const tc_invocation *in, tacit_error *err)
{
    const simulate_opts *o = in->opts;
    tc_simulation_result r;
    char label[64];
    TC_TRY(make_plan(p, in, err));
    snprintf(label, sizeof label, "%s on %s", p->sim.algorithm->name, p->sim.objective);
    TC_TRY(tc_watch_simulation(&p->sim, label, in->quiet, &r, err));
    tacit_status status = o->out ? write_file(p, &r, o->out, err) : TACIT_OK;
    if (status == TACIT_OK)
        status = print_result(p, &r, in->format, err);
    tc_simulation_result_fini(&r);
    return status;
}

static tacit_status run(const tc_invocation *in, tacit_error *err)
{
    plan p = {0};
    tacit_status status = simulate(&p, in, err);
    plan_fini(&p);
    return status;
}

const tc_verb tc_verb_simulate = {
    .name = "simulate",
    .usage = "[STUDY.json] [options]",
    .summary = "an algorithm on a built-in objective: many runs, exact regret",
    .details =
        "Each run is a study of its own in memory, driven by the same code as a real\n"
        "one. Run r has its own seed and its own objective (shift, noise, shape), both\n"
        "made from --seed and r alone: algorithms compared at one seed meet the same\n"
        "objectives, and the results do not depend on --threads.\n"
        "\n"
        "Regret is measured without noise. The simple regret after a trial is that of\n"
        "the best point queried so far; the cumulative regret is the sum over all\n"
        "points queried.\n"
        "\n"
        "From STUDY.json only the algorithm, its options, the trials and the seed are\n"
        "taken; the space and the direction are the objective's. Options on the command\n"
        "line win.\n"
        "\n"
        "The table shows some trials; --format json and csv, and --out, have them all.\n"
        "tacit plot draws such files.\n"
        "\n"
        "  tacit simulate --algorithm gp-ei --objective hartmann6 --trials 60 --runs 20\n"
        "  tacit simulate --algorithm gp-ucb --set kernel=se --objective gp-sample --grid 50\n"
        "  tacit simulate --objective garland --noise uniform --shift 0.1 --out regret.csv",
    .options = options,
    .options_size = sizeof(simulate_opts),
    .max_args = 1,
    .takes_sets = true,
    .sets_help = "an option of the algorithm; tacit algorithms NAME lists them",
    .run = run,
};
