/* optimize.c - `tacit optimize`: a study's trials, run by a program.
 *
 * Everything that can be wrong with the command line, the document and the
 * command is found before the storage is touched. */
#include "study/optimize_search.h"
#include "study/prune_options.h"
#include "study/records_options.h"
#include "study/trial_rows.h"
#include "study/user_options.h"
#include "study/worker_talk.h"
#include "frame/verbs.h"

#include <inttypes.h>
#include <math.h>
#include <stddef.h>

typedef struct options {
    tc_where where;
    int64_t jobs;
    double timeout_s, lease_s, patience_s;
    int64_t trials;
    int64_t max_failures;
    int64_t threads;
    char *user, *ledger_storage;
    tc_records_words records;
    int64_t evaluations;
    tc_prune_words prune;
    bool any_choices;
    tc_search_options search;
} options;

static const tc_option table[] = {
    TC_WHERE_OPTIONS(options),
    {"jobs", TC_OPTION_INT, offsetof(options, jobs), "1", .min = 1, .max = 1024,
     .help = "programs run at the same time"},
    {"timeout-s", TC_OPTION_FLOAT, offsetof(options, timeout_s), "0", .min = 0, .max = 1e7,
     .help = "seconds a program may take, then it is ended and its trial fails; 0 is no limit"},
    {"trials", TC_OPTION_INT, offsetof(options, trials), "0", .min = 0, .max = INFINITY,
     .help = "finished trials at which to stop; 0 is what the document says"},
    TC_MAX_FAILURES_OPTION(options, max_failures),
    TC_PRUNE_OPTIONS(options),
    {"lease-s", TC_OPTION_FLOAT, offsetof(options, lease_s), "60", .min = TACIT_LEASE_LEAST_S,
     .max = TACIT_LEASE_MOST_S,
     .help = "at a coordinator, or with --user: seconds without a sign of life after which a "
             "trial is given to others"},
    {"patience-s", TC_OPTION_FLOAT, offsetof(options, patience_s), "3600", .min = 1, .max = 1e9,
     .help = "seconds a coordinator may stay silent before the program gives up"},
    TC_ANY_CHOICES_OPTION(options, any_choices),
    TC_THREADS_OPTION(options),
    TC_USER_OPTIONS(options),
    TC_RECORDS_OPTIONS(options),
    TC_RECORDS_LEDGER_OPTIONS(options),
    {"evaluations", TC_OPTION_INT, offsetof(options, evaluations), "0", .min = 0, .max = 1e12,
     .help =
         "with a document that protects records: evaluations that it plans, for which the noise "
         "is computed; as many times the trials as each is to have values that are heard, "
         "the last one included; 0: what the document says, else one a trial"},
    TC_SEARCH_OPTIONS(options),
    {.name = NULL}};

static int64_t timeout_ms_of(const options *o)
{
    int64_t timeout_ms = (int64_t)(o->timeout_s * 1000 + 0.5);
    return o->timeout_s > 0 && timeout_ms == 0 ? 1 : timeout_ms;
}

static tacit_worker_opts options_of(const tc_invocation *in, const tc_study_ref *r)
{
    const options *o = in->opts;
    tacit_worker_opts w = TACIT_WORKER_OPTS;
    w.command = in->command;
    w.trials = (uint64_t)o->trials;
    if (w.trials == 0 && r->given)
        w.trials = tacit_document_trials(r->given);
    w.jobs = (uint64_t)o->jobs;
    w.timeout_ms = timeout_ms_of(o);
    tc_worker_talk_failures(&w, in, o->max_failures);
    w.any_choices = o->any_choices || r->given;
    w.stop = tc_stop_at_interrupt;
    w.listen = tc_worker_talk_listen;
    return w;
}

static tacit_status check(const tacit_document *doc, const tc_invocation *in, const tc_study_ref *r,
                          tacit_error *err)
{
    const options *o = in->opts;
    tacit_worker_opts w = options_of(in, r);
    tacit_prune rule;
    TC_TRY(tc_prune_read(&o->prune, in, &rule, &w, err));
    TC_TRY(tc_user_check(doc, o->user, o->ledger_storage, err));
    TC_TRY(tc_records_check(doc, &o->records, in, err));
    if (tacit_document_protects_records(doc) && (uint64_t)o->trials > tacit_document_trials(doc))
        return tc_fail(err, TACIT_E_ARG,
                       "--trials must be at most %" PRIu64
                       ", the evaluations that the promise of study %s covers, got %" PRId64,
                       tacit_document_trials(doc), tacit_document_name(doc), o->trials);
    TC_TRY(tc_worker_talk_check(doc, in, err));
    return tacit_worker_check(doc, &w, err);
}

static tacit_status plan_evaluations(const tc_study_ref *r, const tc_invocation *in,
                                     tacit_error *err)
{
    const options *o = in->opts;
    if (!tc_given(in, "evaluations"))
        return TACIT_OK;
    if (!r->given)
        return tc_fail(err, TACIT_E_ARG,
                       "--evaluations is for a study's document: \"%.80s\" names a study that is "
                       "there, whose noise is computed",
                       in->args[0]);
    tacit_status status = tacit_document_plan_evaluations(r->given, (uint64_t)o->evaluations, err);
    return status == TACIT_OK ? TACIT_OK : tc_fail_in(err, "--evaluations");
}

/* A document's command can be checked before its study exists; a name's only after. */
static tacit_status open_study(tc_study_ref *r, const tc_invocation *in, tacit_error *err)
{
    const options *o = in->opts;
    tc_study_terms terms = {
        .create = true, .quiet = in->quiet, .threads = o->threads, .patience_s = o->patience_s};
    TC_TRY(tc_study_ref_name(r, in->args[0], err));
    TC_TRY(plan_evaluations(r, in, err));
    if (r->given)
        TC_TRY(check(r->given, in, r, err));
    TC_TRY(tc_study_ref_open(r, in->args[0], &o->where, &terms, err));
    return r->given ? TACIT_OK : check(tacit_study_document(r->study), in, r, err);
}

/* How to go on. */
static tacit_status advise(tacit_status status, tacit_worker_end end, tacit_error *err)
{
    if (end == TACIT_WORKER_STOPPED)
        return tc_fail(err, status, "%.400s; the same command goes on from here", err->msg);
    if (end == TACIT_WORKER_FAILURES)
        return tc_worker_talk_broken(status, err);
    return status;
}

static tacit_status work(const tc_study_ref *r, tacit_user *user, const tc_invocation *in,
                         tacit_error *err)
{
    const options *o = in->opts;
    tc_worker_talk t = {.quiet = in->quiet, .has_user = user != NULL};
    tacit_worker_opts w = options_of(in, r);
    tacit_prune rule;
    TC_TRY(tc_prune_read(&o->prune, in, &rule, &w, err));
    tacit_worker_result result = TACIT_WORKER_RESULT;
    if (w.trials == 0)
        w.trials = tacit_document_trials(tacit_study_document(r->study));
    if (r->way.served || user)
        w.lease_ms = (int64_t)(o->lease_s * 1000 + 0.5);
    w.as = user;
    w.user = &t;
    t.progress = tc_progress_start(tacit_study_name(r->study), w.trials, in->quiet);
    tacit_status status = tacit_worker_run(r->study, &w, &result, err);
    tc_progress_end(t.progress);
    if (status != TACIT_OK)
        return advise(status, result.end, err);
    if (result.told == 0 && result.end == TACIT_WORKER_ENOUGH)
        tc_note(in->quiet,
                "nothing was run: the %" PRIu64 " trials that are wanted are finished, or run "
                "elsewhere%s",
                w.trials, r->way.served ? "" : "; --trials with a larger number goes on");
    return TACIT_OK;
}

static tacit_status run_search(const options *o, const tc_invocation *in, tacit_error *err)
{
    tc_search_work w = {.records = &o->records,

                        .where = &o->where,
                        .trials = o->trials,
                        .jobs = o->jobs,
                        .timeout_ms = timeout_ms_of(o)};
    return tc_search_work_do(&o->search, &w, in, err);
}

static tacit_status run(const tc_invocation *in, tacit_error *err)
{
    const options *o = in->opts;
    tc_study_ref r = {0};
    tacit_user *user = NULL;
    TC_TRY(tc_search_options_check(&o->search, in, err));
    tc_catch_interrupts();
    if (o->search.protect)
        return run_search(o, in, err);
    tacit_status status = open_study(&r, in, err);
    if (status == TACIT_OK && o->user)
        status = tc_user_open(&user, &r, o->user, o->ledger_storage, in->quiet, err);
    if (status == TACIT_OK)
        status = tc_records_declare(r.study, &o->records, o->ledger_storage, in, in->quiet, err);
    if (status == TACIT_OK)
        status = work(&r, user, in, err);
    if (status == TACIT_OK)
        status = tc_best_print(r.study, in, err);
    tacit_user_close(user);
    tc_study_ref_close(&r);
    return status;
}

const tc_verb tc_verb_optimize = {
    .name = "optimize",
    .usage = "STUDY.json [options] -- PROGRAM [ARGUMENT ...]",
    .summary = "run a study: call a program for each trial, print the best",
    .details =
        "{lr} in any argument becomes the value of parameter lr, {trial} the number of\n"
        "the trial; {{ and }} are braces. Where lr is inactive, --lr={lr} and --lr {lr}\n"
        "are left out. The program also finds TACIT_STUDY, TACIT_TRIAL and TACIT_PARAMS\n"
        "(JSON) in its environment. The value of a trial is the last\n"
        "number on the last line that the program prints, or \"value\" of a JSON object\n"
        "there. Brackets and , ; . around it do not matter; but 93.1%, 1,234.5, 12px or\n"
        "nan after it make the trial FAIL rather than be guessed, and an earlier line is\n"
        "never looked at. So does a program that prints no number there, ends with a\n"
        "status other than 0 or takes too long. The study goes on.\n"
        "Several outcomes: {\"a\": 0.1, \"b\": 3}.\n"
        "\n"
        "No shell reads the arguments. A choice may not stand inside a word that the program\n"
        "reads as code: write sh -c './train --opt \"$1\"' sh {opt}. The program gets no open\n"
        "file or connection of tacit, and an environment without TACIT_STORAGE,\n"
        "TACIT_TOKEN_FILE and PostgreSQL's passwords. Choices of a coordinator's study with\n"
        "other than plain characters are refused unless the document or --any-choices is given.\n"
        "\n"
        "The study is created, or continued if it exists: after an interruption, a crash\n"
        "or kill -9 the same command goes on where it stopped. Instead of a document, the\n"
        "name of a study in the storage will do.\n"
        "\n"
        "A study with ldp-tgp, ldp-ata or ldp-moma is told private replies. Say with --user\n"
        "whose rewards the program gives: each is perturbed before it is written anywhere,\n"
        "and charged to that user's ledger; a failure is answered as the middle of the\n"
        "bounds, never as FAIL. It ends when the user has given all its answers. The ledger\n"
        "is ~/.local/state/tacit/replies.db (or below XDG_STATE_HOME), in whatever folder\n"
        "you are and wherever the study is: a server that puts back an old copy of its\n"
        "storage gets the replies it had. --ledger-storage names another one, and is warned\n"
        "of once.\n"
        "\n"
        "A study that protects validation records (\"privacy\": {\"unit\": \"record\", ...}) "
        "needs\n"
        "--records: the program's value, or its failure, gets noise before anything else sees it,\n"
        "and is charged to the ledger of these records, in the study's storage or, with --server,\n"
        "in ~/.local/state/tacit/records.db. The program must clip each record's loss to the "
        "range\n"
        "before it takes the mean.\n"
        "\n"
        "With --server the coordinator chooses the trials and this machine runs them, beside as\n"
        "many others as like. While a program runs, signs of life keep its trial; one whose "
        "client\n"
        "died is given to another after --lease-s. A coordinator that is away is waited for, and "
        "so\n"
        "is a study that is paused; programs that run go on, and are told of later.\n"
        "\n"
        "With --user only replies leave this machine, under random names of workers, and trials\n"
        "have leases (--lease-s) in a storage, too. After kill -9 the same command tells a reply\n"
        "that was paid for and not told. With --server, terms that bring a user to epsilon 10\n"
        "and more are agreed to by giving the document, which the coordinator must then have.\n"
        "\n"
        "--protect search is random search by a private trainer, with a random number of runs of\n"
        "mean --trials. Each run trains and scores itself with noise, as the options from\n"
        "--noise-multiplier on say; --score-noise adds noise to its score here. The whole price "
        "is\n"
        "charged to --ledger before anything runs, and refused where it passes --epsilon. Only "
        "the\n"
        "winner is kept and printed, or \"nothing\"; an interruption loses it, and stays paid.\n"
        "Whoever sees how long it takes learns how many runs there were.\n"
        "\n"
        "  tacit optimize study.json -- ./train --lr {lr} --layers {layers}\n"
        "  tacit optimize study.json --jobs 4 --prune median -- python3 train.py {lr}\n"
        "  tacit optimize records.json --records 1200 -- ./train --lr {lr}\n"
        "  tacit optimize private.json --user ann -- ./try {dose}\n"
        "  tacit optimize branin --server https://tacit.example:8443 --fingerprint sha256//... \\\n"
        "      --token-file client.txt --jobs 2 -- ./train --lr {lr}\n"
        "  tacit optimize random.json --protect search --trials 10 --noise-multiplier 4 \\\n"
        "      --sampling-rate 0.01 --rounds 1000 --score-noise 40 --records 5000 --range 0:1 \\\n"
        "      --epsilon 3 -- ./private-train --lr {lr}",
    .options = table,
    .options_size = sizeof(options),
    .min_args = 1,
    .max_args = 1,
    .takes_command = true,
    .secrets = true, /* the program of a trial must not read our environment */
    .run = run};
