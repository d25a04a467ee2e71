/* simulate.c - `tacit simulate`: an algorithm on a built-in objective, many runs, exact regret.
 *
 * For one party, or for a federation in one process. The files beside it: simulate.h. */
#include "base/file.h"
#include "base/memory.h"
#include "sim/curated.h"
#include "simulate/simulate.h"
#include "frame/verbs.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#define ALGORITHM_DEFAULT "gp-ei"
#define SNAPSHOT_S        5 /* the default of --checkpoint-every */
#define MEMBER(name)      .offset = offsetof(tc_simulate_opts, name)

static const tc_option options[] = {
    {.name = "algorithm",
     .type = TC_OPTION_STRING,
     MEMBER(algorithm),
     .help = "algorithm (default: the document's, else " ALGORITHM_DEFAULT ")",
     .value = "NAME"},
    {.name = "objective",
     .type = TC_OPTION_STRING,
     MEMBER(objective),
     .help = "objective (default: branin, of a federation gp-family); tacit objectives lists them",
     .value = "NAME"},
    {.name = "trials",
     .type = TC_OPTION_INT,
     MEMBER(trials),
     .min = 1,
     .max = 1e7,
     .help = "one party: trials of each run (default: the document's, else 60)"},
    {.name = "runs",
     .type = TC_OPTION_INT,
     MEMBER(runs),
     .def = "10",
     .min = 1,
     .max = 1e6,
     .help = "independent runs"},
    {.name = "seed",
     .type = TC_OPTION_STRING,
     MEMBER(seed),
     .help = "whole number from which all runs follow (default: the document's, else 0)",
     .value = "N"},
    {.name = "reply",
     .type = TC_OPTION_CHOICE,
     MEMBER(reply),
     .def = "none",
     .choices = TC_SIMULATE_REPLIES,
     .help = "one party: what is told in place of an observation; auto: the least variance"},
    {.name = "reply-epsilon",
     .type = TC_OPTION_FLOAT,
     MEMBER(reply_epsilon),
     .max = 64,
     .min_open = true,
     .help = "epsilon of one reply"},
    {.name = "reply-bound",
     .type = TC_OPTION_FLOAT,
     MEMBER(reply_bound),
     .max = 1e12,
     .min_open = true,
     .help = "public bound C: rewards are clamped to [-C, C] before they are perturbed"},
    {.name = "agents",
     .type = TC_OPTION_INT,
     MEMBER(agents),
     .min = 1,
     .max = TACIT_AGENTS_MOST,
     .help = "a federation of so many agents (default: the document's)"},
    {.name = "acting",
     .type = TC_OPTION_INT,
     MEMBER(acting),
     .min = 1,
     .max = TACIT_AGENTS_MOST,
     .help =
         "federation: measure the first so many agents alone; the others stop when nobody needs "
         "a message of them (default: all act)"},
    {.name = "rounds",
     .type = TC_OPTION_INT,
     MEMBER(rounds),
     .min = 1,
     .max = 1e7,
     .help = "federation: trials of each agent after its initial points (default: the document's, "
             "else 40)"},
    {.name = "drop",
     .type = TC_OPTION_FLOAT,
     MEMBER(drop),
     .def = "0",
     .max = 1,
     .help = "federation: probability that a message does not arrive"},
    {.name = "past",
     .type = TC_OPTION_INT,
     MEMBER(past),
     .max = 1e6,
     .help = "federation, algorithms that hand messages on: what agents tell each other comes from "
             "earlier studies of so many trials each"},
    {.name = "tell",
     .type = TC_OPTION_CHOICE,
     MEMBER(tell),
     .def = "none",
     .choices = TC_SIMULATE_TELLS,
     .help = "federation: what agents know of the objective; constants: its length-scale"},
    {.name = "epsilon",
     .type = TC_OPTION_FLOAT,
     MEMBER(epsilon),
     .max = 1e6,
     .min_open = true,
     .help =
         "federation: promise it to every agent (dp-pf-pne, protect=record: to every reward); the "
         "algorithm's noise follows. po-gp-ucb: a "
         "curator releases the rows at this price"},
    {.name = "delta",
     .type = TC_OPTION_FLOAT,
     MEMBER(delta),
     .max = 0.999999,
     .min_open = true,
     .help = "of the guarantee (default: min(1e-5, 1/N^2) for N agents; of a release none)"},
    {.name = "mode",
     .type = TC_OPTION_CHOICE,
     MEMBER(curator.mode),
     .def = "sound",
     .choices = "sound|paper",
     .help = "curator: noise in every row, or the projection of PO-GP-UCB as printed, NOT PRIVATE"},
    {.name = "radius",
     .type = TC_OPTION_FLOAT,
     MEMBER(curator.radius),
     .max = 1e12,
     .min_open = true,
     .help = "curator: distance by which a neighbour's row may move, in units (default: 1)"},
    {.name = "unit",
     .type = TC_OPTION_FLOAT,
     MEMBER(curator.unit),
     .max = 1e12,
     .min_open = true,
     .help = "curator: what counts as a distance of 1, in every column (default: 1)"},
    {.name = "bounds-file",
     .type = TC_OPTION_STRING,
     MEMBER(curator.bounds_file),
     .help = "curator: public bounds from a CSV file with the header column,low,high[,unit] "
             "(default: the range of a built-in objective)",
     .value = "FILE"},
    {.name = "row-noise",
     .type = TC_OPTION_CHOICE,
     MEMBER(curator.noise),
     .def = "auto",
     .choices = "auto|laplace|gaussian",
     .help = "curator: law of the noise in rows; auto: the smaller one"},
    {.name = "project",
     .type = TC_OPTION_INT,
     MEMBER(curator.project),
     .max = TACIT_ROW_RANK_MAX,
     .help = "curator: project rows to so many public directions first; 0: none"},
    {.name = "projection-seed",
     .type = TC_OPTION_INT,
     MEMBER(curator.projection_seed),
     .max = 0x1p53,
     .help = "curator: public seed of these directions"},
    {.name = "rank",
     .type = TC_OPTION_INT,
     MEMBER(curator.rank),
     .min = 1,
     .max = TACIT_ROW_RANK_MAX,
     .help = "curator, mode paper: columns of the projection (default: 10)"},
    {.name = "output-epsilon",
     .type = TC_OPTION_FLOAT,
     MEMBER(curator.output_epsilon),
     .max = 1024,
     .min_open = true,
     .help = "curator: epsilon of every answer, beside the release (default: answers as they are)"},
    {.name = "output-bound",
     .type = TC_OPTION_FLOAT,
     MEMBER(curator.output_bound),
     .max = 1e12,
     .min_open = true,
     .help = "curator: public bound C: private answers are clamped to [-C, C]"},
    {.name = "accountant",
     .type = TC_OPTION_CHOICE,
     MEMBER(accountant),
     .def = "pld",
     .choices = "pld|rdp|moments|gaussian",
     .help = "federation: by which bound epsilon is shown"},
    {.name = "pulls",
     .type = TC_OPTION_INT,
     MEMBER(pulls),
     .min = 1,
     .max = 1e10,
     .help = "bandits: so many pulls of each agent, counted and not journalled",
     .value = "T"},
    {.name = "reward-low",
     .type = TC_OPTION_FLOAT,
     MEMBER(reward_low),
     .def = "0",
     .min = -1e12,
     .max = 1e12,
     .help = "--pulls: values of the objective from here ..."},
    {.name = "reward-high",
     .type = TC_OPTION_FLOAT,
     MEMBER(reward_high),
     .def = "1",
     .min = -1e12,
     .max = 1e12,
     .help = "--pulls: ... to here are rewards from 0 to 1; what lies outside is held to it"},
    {.name = "versus",
     .type = TC_OPTION_STRING,
     MEMBER(versus),
     .help = "compare with these on the same runs: \"NAME,OPTION=VALUE,...; NAME; ...\"",
     .value = "LIST"},
    {.name = "warm",
     .type = TC_OPTION_STRING,
     MEMBER(warm),
     .help = "federation: CSV of trials that exist before: agent, parameters, value",
     .value = "FILE"},
    TC_FAMILY_OPTION_ROWS(offsetof(tc_simulate_opts, family)),
    {.name = "value-scale",
     .type = TC_OPTION_FLOAT,
     MEMBER(units.scale),
     .def = "1",
     .max = TC_VALUE_UNITS_MOST,
     .min_open = true,
     .help = "algorithms are told A y + B in place of y; regret stays that of y",
     .value = "A"},
    {.name = "value-shift",
     .type = TC_OPTION_FLOAT,
     MEMBER(units.shift),
     .def = "0",
     .min = -TC_VALUE_UNITS_MOST,
     .max = TC_VALUE_UNITS_MOST,
     .help = "B of --value-scale",
     .value = "B"},
    {.name = "value-negate",
     .type = TC_OPTION_BOOL,
     MEMBER(units.negate),
     .def = "false",
     .help = "algorithms are told -(A y + B), and minimise where they would maximise"},
    {.name = "out",
     .type = TC_OPTION_STRING,
     MEMBER(out),
     .help = "also write every iteration to FILE: JSON if it ends in .json, else CSV",
     .value = "FILE"},
    {.name = "by-agent",
     .type = TC_OPTION_STRING,
     MEMBER(by_agent),
     .help = "federation: write the curves of every agent to FILE, as CSV",
     .value = "FILE"},
    {.name = "checkpoint",
     .type = TC_OPTION_STRING,
     MEMBER(checkpoint),
     .help = "federation, --pulls: keep finished runs in FILE; the same command then goes on",
     .value = "FILE"},
    {.name = "checkpoint-every",
     .type = TC_OPTION_FLOAT,
     MEMBER(checkpoint_every),
     .def = "5",
     .max = 86400,
     .help = "--pulls: seconds between two snapshots of a run, at least; they take 2 % of the time "
             "at most",
     .value = "S"},
    TC_THREADS_OPTION(tc_simulate_opts),
    {.name = NULL},
};

/* -- the plan ------------------------------------------------------------------------------ */

static tacit_status choose_seed(const tc_simulate_plan *p, uint64_t *out, tacit_error *err)
{
    const char *text = p->o->seed;
    unsigned long long seed = p->doc && p->doc->has_seed ? p->doc->seed : 0;
    if (text && (!tc_parse_u64(text, &seed) || seed > INT64_MAX))
        return tc_fail(err, TACIT_E_ARG, "--seed must be a whole number from 0 to %lld, not \"%s\"",
                       (long long)INT64_MAX, text);
    *out = seed;
    return TACIT_OK;
}

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

/* By pulls there are bandits, which have names of their own (simulate_pulls.c). */
static tacit_status choose_algorithm(tc_simulate_plan *p, tacit_error *err)
{
    const char *name = p->o->algorithm;
    if (p->o->pulls > 0)
        return TACIT_OK;
    if (p->o->reward_low != 0 || p->o->reward_high != 1)
        return tc_fail(err, TACIT_E_ARG, "--reward-low and --reward-high are for --pulls");
    if (p->o->checkpoint_every != SNAPSHOT_S)
        return tc_fail(err, TACIT_E_ARG, "--checkpoint-every is for --pulls");
    if (name || !p->doc)
        return tc_algorithm_get(&p->algorithm, name ? name : ALGORITHM_DEFAULT, err);
    p->algorithm = p->doc->algorithm;
    return TACIT_OK;
}

static tacit_status make_plan(tc_simulate_plan *p, tacit_error *err)
{
    const tc_simulate_opts *o = p->o;
    TC_TRY(tc_simulate_files(p, err));
    TC_TRY(check_result("out", o->out, err));
    TC_TRY(check_result("by-agent", o->by_agent, err));
    TC_TRY(check_folder("checkpoint", o->checkpoint, err));
    if (p->in->n_args)
        TC_TRY(tc_study_doc_read(&p->doc, p->in->args[0], err));
    TC_TRY(choose_algorithm(p, err));
    TC_TRY(choose_seed(p, &p->seed, err));
    TC_TRY(tc_simulate_curator_check(p, err));
    return o->threads == 1 ? TACIT_OK : tc_pool_new(&p->pool, (size_t)o->threads, err);
}

static bool is_family(const char *objective)
{
    for (size_t i = 0; objective && tc_families()[i]; i++)
        if (strcmp(tc_families()[i]->name, objective) == 0)
            return true;
    return false;
}

/* Whoever asks for anything that only a federation has, asks for a federation. */
static bool is_federation(const tc_simulate_plan *p)
{
    const tc_simulate_opts *o = p->o;
    bool promised = (o->epsilon > 0 || o->delta > 0) && !tc_is_modeler(p->algorithm);
    return (p->algorithm && tc_algorithm_federated(p->algorithm)) || (p->doc && p->doc->agents) ||
           is_family(o->objective) || o->agents || o->acting || o->rounds || o->drop > 0 ||
           o->past || o->tell != TC_SIMULATE_TELL_NONE || promised || o->versus || o->warm ||
           o->by_agent || o->checkpoint;
}

/* -- the verb ------------------------------------------------------------------------------ */

static tacit_status run_federation(const tc_simulate_plan *p, tacit_error *err)
{
    const tc_simulate_opts *o = p->o;
    if (o->reply != TC_SIMULATE_NO_REPLY || o->reply_epsilon > 0 || o->reply_bound > 0)
        return tc_fail(err, TACIT_E_ARG, "--reply is for one party, and this is a federation");
    return tc_simulate_federation(p, err);
}

static tacit_status run(const tc_invocation *in, tacit_error *err)
{
    tc_simulate_plan p = {.in = in, .o = in->opts};
    tacit_status status = make_plan(&p, err);
    if (status == TACIT_OK && p.o->pulls > 0)
        status = tc_simulate_pulls(&p, err);
    else if (status == TACIT_OK)
        status = is_federation(&p) ? run_federation(&p, err) : tc_simulate_single(&p, err);
    tc_study_doc_free(p.doc);
    tc_pool_free(p.pool);
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
        "federation and its privacy are taken; the space and the direction are the\n"
        "objective's. Options on the command line win.\n"
        "\n"
        "The table shows some trials; --format json and csv, and --out, have them all.\n"
        "tacit plot draws such files.\n"
        "\n"
        "  tacit simulate --algorithm gp-ei --objective hartmann6 --trials 60 --runs 20\n"
        "  tacit simulate --algorithm gp-ucb --set kernel=se --objective gp-sample --grid 50\n"
        "  tacit simulate --objective garland --noise uniform --shift 0.1 --out regret.csv\n"
        "  tacit simulate --algorithm ldp-tgp --set epsilon=1 --objective rkhs-se --trials 5000\n"
        "  tacit simulate --algorithm gp-ucb --reply auto --reply-epsilon 1 --reply-bound 2 \\\n"
        "      --objective rkhs-se --noise uniform --noise-scale 1 --trials 5000\n"
        "  tacit simulate --algorithm po-gp-ucb --objective gp-sample --grid 100 --epsilon 2.7 \\\n"
        "      --unit 0.0283 --trials 50 --runs 50\n"
        "  tacit simulate --algorithm dp-fts-de --agents 200 --rounds 40 --runs 5 --seed 1\n"
        "  tacit simulate --algorithm dp-fts-de --agents 200 --epsilon 1 --versus \"ts; fts\"\n"
        "  tacit simulate --algorithm fed-hct --objective garland --shift 0.05 --agents 10 \\\n"
        "      --pulls 100000 --versus \"hct; pf-pne\"",
    .options = options,
    .options_size = sizeof(tc_simulate_opts),
    .max_args = 1,
    .takes_sets = true,
    .sets_help = "an option of the algorithm; tacit algorithms NAME lists them",
    .run = run,
};
