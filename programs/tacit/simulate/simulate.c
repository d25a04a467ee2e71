/* simulate.c - `tacit simulate`: an algorithm on a built-in objective, many runs, exact regret.
 *
 * For one party, or for a federation in one process. The files beside it: simulate.h. */
#include "base/error.h"
#include "base/file.h"
#include "base/memory.h"
#include "curate/curate_bounds.h"
#include "frame/verbs.h"
#include "simulate/simulate.h"
#include "study/storage.h"

#include <tacit/experimental/fields.h>

#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#define AT_PLAN(member)               offsetof(tc_simulate_opts, plan.member)
#define AT_FAMILY(member)             offsetof(tc_simulate_opts, plan.family.member)
#define AT_OBJECTIVE(member)          offsetof(tc_simulate_opts, plan.family.objective.member)
#define ROW(type, owner, member, ...) TC_OPTION_FIELD(type, AT_##owner(member), __VA_ARGS__)

/* Rows of the verb's own, among those of a plan. */
#define MORE(row)  MORE_##row
#define AT(member) offsetof(tc_simulate_opts, member)
#define MORE_seed                                                                                  \
    TC_STRING_OPTION("seed", AT(seed), NULL,                                                       \
                     "whole number from which all runs follow (default: the document's, else 0)",  \
                     .value = "N"),
#define MORE_unit                                                                                  \
    TC_STRING_OPTION("unit", AT(unit), NULL,                                                       \
                     "record: --epsilon protects single validation records, by noise in every "    \
                     "value. A number, of a curator: what counts as a distance of 1, in every "    \
                     "column (default: 1)",                                                        \
                     .value = "record|X"),
#define MORE_warm                                                                                  \
    TC_STRING_OPTION("warm", AT(warm), NULL,                                                       \
                     "federation: CSV of trials that exist before: agent, parameters, value",      \
                     .value = "FILE"),
#define MORE_out                                                                                   \
    TC_STRING_OPTION("out", AT(out), NULL,                                                         \
                     "also write every iteration to FILE: JSON if it ends in .json, else CSV",     \
                     .value = "FILE"),
#define MORE_by_agent                                                                              \
    TC_STRING_OPTION("by-agent", AT(by_agent), NULL,                                               \
                     "federation: write the curves of every agent to FILE, as CSV",                \
                     .value = "FILE"),

static const tc_option options[] = {
    TACIT_PLAN_FIELDS(ROW, MORE) TC_THREADS_OPTION(tc_simulate_opts),
    {.name = NULL},
};

/* -- before anything is computed ----------------------------------------------------------- */

static tacit_status check_folder(const char *option, const char *file, tacit_error *err)
{
    struct stat info;
    const char *slash = file ? strrchr(file, '/') : NULL;
    if (!slash || slash == file)
        return TACIT_OK;
    char *folder = tc_strndup(file, (size_t)(slash - file));
    if (!folder)
        return tc_fail_memory(err);
    bool there = stat(folder, &info) == 0 && S_ISDIR(info.st_mode);
    tc_free(folder);
    if (!there)
        return tc_fail(err, TACIT_E_NOT_FOUND, "--%s %s: there is no such folder", option, file);
    return TACIT_OK;
}

/* A file that cannot be written would be noticed only when all is computed. Behind links, as
 * tc_file_write goes. */
static tacit_status check_result(const char *option, const char *file, tacit_error *err)
{
    struct stat info;
    char target[PATH_MAX];
    tacit_error why = {0};
    TC_TRY(check_folder(option, file, err));
    if (!file)
        return TACIT_OK;
    bool linked = stat(file, &info) == 0 && S_ISREG(info.st_mode) && realpath(file, target);
    tacit_status status = tc_file_writable(linked ? target : file, &why);
    return status == TACIT_OK ? TACIT_OK : tc_fail(err, status, "--%s: %.400s", option, why.msg);
}

static tacit_status choose_seed(const char *text, tacit_simulation_plan *plan, tacit_error *err)
{
    unsigned long long seed = 0;
    if (text && (!tc_parse_u64(text, &seed) || seed > INT64_MAX))
        return tc_fail(err, TACIT_E_ARG, "--seed must be a whole number from 0 to %lld, not \"%s\"",
                       (long long)INT64_MAX, text);
    plan->seeded = text != NULL;
    plan->seed = seed;
    return TACIT_OK;
}

/* A word, or the unit of a curator's columns. */
static tacit_status choose_unit(const char *text, tacit_simulation_plan *plan, tacit_error *err)
{
    if (text && strcmp(text, "record") == 0) {
        plan->unit = TACIT_PLAN_UNIT_RECORD;
        return TACIT_OK;
    }
    double *unit = &plan->curator.unit;
    if (text && !(tc_parse_double(text, unit) && *unit > 0 && *unit <= 1e12))
        return tc_fail(err, TACIT_E_ARG,
                       "--unit must be record, or a number in (0, 1000000000000], not \"%s\"",
                       text);
    return TACIT_OK;
}

/* -- the verb ------------------------------------------------------------------------------ */

typedef struct job {
    tc_watch watch; /* first: the plan's user */
    const tc_simulate_opts *o;
    tc_warm warm;
} job;

static tacit_status read_warm(void *user, const tacit_space *space, uint64_t agents,
                              const tacit_known_trial **out, size_t *n, tacit_error *err)
{
    job *j = user;
    TC_TRY(tc_warm_read(&j->warm, j->o->warm, space, agents, err));
    *out = j->warm.known;
    *n = j->warm.n;
    return TACIT_OK;
}

static tacit_status read_bounds(void *user, size_t n, const char *const *names,
                                tacit_column_bounds *out, tacit_error *err)
{
    const job *j = user;
    tacit_row_column *columns;
    tc_data data = {.dims = n};
    data.names = TC_TAKE(&data.memory, n, const char *);
    for (size_t k = 0; data.names && k < n; k++)
        data.names[k] = names[k];
    tacit_status status =
        data.memory.failed
            ? tc_fail_memory(err)
            : tc_bounds_find(&data, 0, NULL, j->o->plan.curator.bounds_file, false, &columns, err);
    for (size_t k = 0; status == TACIT_OK && k < n; k++)
        out[k] = (tacit_column_bounds){columns[k].low, columns[k].high, columns[k].unit};
    tc_arena_fini(&data.memory);
    return status;
}

static tacit_status check_files(const tc_simulate_opts *o, const char *document, tacit_error *err)
{
    TC_TRY(tc_simulate_files(o, document, err));
    TC_TRY(check_result("out", o->out, err));
    TC_TRY(check_result("by-agent", o->by_agent, err));
    return check_folder("checkpoint", o->plan.checkpoint, err);
}

static tacit_status run(const tc_invocation *in, tacit_error *err)
{
    const tc_simulate_opts *o = in->opts;
    const char *file = in->n_args ? in->args[0] : NULL;
    tacit_simulation_plan plan = o->plan;
    tacit_document *document = NULL;
    tacit_simulation *all = NULL;
    job j = {.o = o};
    TC_TRY(check_files(o, file, err));
    TC_TRY(choose_seed(o->seed, &plan, err));
    TC_TRY(choose_unit(o->unit, &plan, err));
    if (file)
        TC_TRY(tacit_document_read(&document, file, err));
    plan.document = document;
    plan.sets = (const char *const *)in->sets;
    plan.n_sets = in->n_sets;
    plan.threads = o->threads;
    plan.given = in->given;
    plan.by_agent = o->by_agent != NULL;
    plan.known = o->warm ? read_warm : NULL;
    plan.bounds = read_bounds;
    tacit_status status = tc_watch_simulate(&j.watch, &plan, in->quiet, &all, err);
    if (status == TACIT_OK)
        status = tc_simulate_report(all, o, in->format, err);
    tacit_simulation_free(all);
    tacit_document_free(document);
    tc_warm_fini(&j.warm);
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
        "With --reply the algorithm is told what a private user would tell: the observation,\n"
        "clamped to a public bound and perturbed. ldp-tgp, ldp-ata and ldp-moma are\n"
        "always told replies, by their own options. Regret stays that of the points.\n"
        "\n"
        "po-gp-ucb with --epsilon is an outsourced study, both sides of it: a curator releases\n"
        "the candidates of the objective as rows with noise, in a secret order (tacit curate\n"
        "release), and answers about them; the algorithm sees released rows and answers alone.\n"
        "Bounds are the range of a built-in objective, or --bounds-file. Regret is that of the\n"
        "true rows. Without --epsilon the algorithm sees the rows themselves.\n"
        "\n"
        "With --agents a run is a federation in one process: so many agents, each with\n"
        "its own objective of a family, and a coordinator. Iteration 0 is the state\n"
        "after the initial points, and regret is the mean over agents. Noise comes from\n"
        "the seed, so nothing here is private; the epsilon shown is what a deployment\n"
        "with the same options would pay. --versus compares algorithms on the same runs,\n"
        "with ratios of their regret to the first; of the first's own algorithm, what an\n"
        "item does not say is as in the first, and epsilon=E, delta=D are a promise.\n"
        "Runs are paired: the same objectives and noise, and those who begin with uniform\n"
        "points (random, ts with start=uniform, fts with own=features, ...) begin with the same.\n"
        "Agents are told nothing about the objective. With --tell constants those that share\n"
        "features (fts, dp-fts-de, rgpe, taf) are told the length-scale that the functions are\n"
        "drawn with, which no deployment knows. --set lengthscale=L wins over both.\n"
        "\n"
        "A report on dp-fts-de ends with what such a study may gain at best (JSON: expect).\n"
        "\n"
        "With --unit record --epsilon protects single validation records: every value is a mean "
        "over\n"
        "--records of them, and gets noise before an algorithm sees it. Models know its variance,\n"
        "and messages cost nothing. In --versus unit=none has no noise, unit=agent protects "
        "agents.\n"
        "\n"
        "With --acting N only the first N agents search to the end and are measured. The others\n"
        "make the trials that releases need, and the result of the first N is the same.\n"
        "\n"
        "With --pulls a bandit (hct, hoo, blin, pf-pne, fed-pne or fed-hct) pulls arms, and\n"
        "pulls are counted and not journalled: a billion are a matter of minutes.\n"
        "Rewards are values scaled to [0, 1], with uniform noise of half width\n"
        "--noise-scale (0.1) in rewards, or --noise none; with noise a reward may leave [0, 1]\n"
        "by that much. Regret is cumulative, the mean over agents, at evenly spaced numbers of\n"
        "pulls. --checkpoint FILE also keeps a run while it goes on, in FILE.run-R, for bandits\n"
        "that can be saved.\n"
        "\n"
        "From STUDY.json only the algorithm, its options, the trials, the seed, the\n"
        "federation and its privacy are taken; space, constraints and direction are the\n"
        "objective's. Options on the command line win.\n"
        "\n"
        "The table shows some trials; --format json and csv, and --out, have them all.\n"
        "tacit plot draws such files.\n"
        "\n"
        "  tacit simulate --algorithm gp-ei --objective hartmann6 --trials 60 --runs 20\n"
        "  tacit simulate --algorithm ldp-tgp --set epsilon=1 --objective rkhs-se --trials 5000\n"
        "  tacit simulate --algorithm po-gp-ucb --objective gp-sample --grid 100 --epsilon 2.7 \\\n"
        "      --unit 0.0283 --trials 50 --runs 50\n"
        "  tacit simulate --algorithm dp-fts-de --agents 200 --epsilon 1 --versus \"ts; fts\"\n"
        "  tacit simulate --algorithm fts --agents 8 --dim 2 --rounds 20 --unit record \\\n"
        "      --records 1000 --range -5:5 --epsilon 1 --versus \"gp-ei; gp-ei,unit=none\"\n"
        "  tacit simulate --algorithm fed-hct --objective garland --shift 0.05 --agents 10 \\\n"
        "      --pulls 100000 --versus \"hct; pf-pne\"",
    .options = options,
    .options_size = sizeof(tc_simulate_opts),
    .max_args = 1,
    .takes_sets = true,
    .sets_help = "an option of the algorithm; tacit algorithms NAME lists them",
    .run = run,
};
