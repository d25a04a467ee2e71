/* optimize.c - `tacit optimize`: a study's trials, run by a program.
 *
 * Everything that can be wrong with the command line, the document and the
 * command is found before the storage is touched. */
#include "study/campaign.h"
#include "study/trial_rows.h"
#include "frame/verbs.h"

#include <math.h>
#include <stddef.h>
#include <stdlib.h>

typedef struct options {
    tc_where where;
    int64_t jobs;
    double timeout_s, lease_s, patience_s;
    int64_t trials;
    int64_t max_failures;
    int64_t threads;
    char *user, *ledger_storage;
    bool any_choices;
} options;

static const tc_option table[] = {
    TC_WHERE_OPTIONS(options),
    {"jobs", TC_OPTION_INT, offsetof(options, jobs), "1", .min = 1, .max = 1024,
     .help = "programs run at the same time"},
    {"timeout-s", TC_OPTION_FLOAT, offsetof(options, timeout_s), "0", .min = 0, .max = 1e7,
     .help = "seconds a program may take, then it is ended and its trial fails; 0 is no limit"},
    {"trials", TC_OPTION_INT, offsetof(options, trials), "0", .min = 0, .max = INFINITY,
     .help = "finished trials at which to stop; 0 is what the document says"},
    {"max-failures", TC_OPTION_INT, offsetof(options, max_failures), "10", .min = 0,
     .max = INFINITY, .help = "failures in a row after which to give up; 0 is never"},
    {"lease-s", TC_OPTION_FLOAT, offsetof(options, lease_s), "60", .min = TACIT_LEASE_LEAST_S,
     .max = TACIT_LEASE_MOST_S,
     .help = "at a coordinator, or with --user: seconds without a sign of life after which a "
             "trial is given to others"},
    {"patience-s", TC_OPTION_FLOAT, offsetof(options, patience_s), "3600", .min = 1, .max = 1e9,
     .help = "seconds a coordinator may stay silent before the program gives up"},
    TC_ANY_CHOICES_OPTION(options, any_choices),
    TC_THREADS_OPTION(options),
    TC_USER_OPTIONS(options),
    {.name = NULL}};

static const int64_t LEASE_MARGIN_MS = 60000; /* from a time-out to its report */

static int64_t timeout_ms(const options *o)
{
    int64_t ms = (int64_t)(o->timeout_s * 1000 + 0.5);
    return o->timeout_s > 0 && ms == 0 ? 1 : ms;
}

static tacit_status make_runner(tc_runner **out, const tc_invocation *in, const tacit_document *doc,
                                tacit_error *err)
{
    const options *o = in->opts;
    TC_TRY(tc_user_check(doc, o->user, o->ledger_storage, err));
    return tc_runner_new(out, tacit_document_space(doc), in->command, (size_t)o->jobs,
                         timeout_ms(o), err);
}

/* A study that a coordinator describes: its choices are nobody's of this machine. */
static tacit_status make_foreign_runner(tc_runner **out, const tc_invocation *in,
                                        const tc_study_ref *r, tacit_error *err)
{
    const options *o = in->opts;
    TC_TRY(make_runner(out, in, tacit_study_document(r->study), err));
    return r->way.served && !o->any_choices ? tc_runner_check_foreign(*out, err) : TACIT_OK;
}

/* A document's command can be checked before its study exists; a name's only after. */
static tacit_status open_all(tc_study_ref *r, tc_runner **runner, const tc_invocation *in,
                             tacit_error *err)
{
    const options *o = in->opts;
    tc_study_terms terms = {
        .create = true, .quiet = in->quiet, .threads = o->threads, .patience_s = o->patience_s};
    TC_TRY(tc_study_ref_name(r, in->args[0], err));
    if (r->given)
        TC_TRY(make_runner(runner, in, r->given, err));
    TC_TRY(tc_study_ref_open(r, in->args[0], &o->where, &terms, err));
    if (!r->given)
        TC_TRY(make_foreign_runner(runner, in, r, err));
    return TACIT_OK;
}

static uint64_t budget_of(const tc_study_ref *r, const options *o)
{
    if (o->trials > 0)
        return (uint64_t)o->trials;
    return tacit_document_trials(r->given ? r->given : tacit_study_document(r->study));
}

static int64_t lease_ms(const tc_study_ref *r, const options *o)
{
    int64_t limit = timeout_ms(o);
    if (r->way.served || o->user)
        return (int64_t)(o->lease_s * 1000 + 0.5);
    return limit > 0 ? limit + LEASE_MARGIN_MS : 0;
}

static tacit_status print_best(tacit_study *s, int format, tacit_error *err)
{
    tacit_trial *best;
    tacit_error why = {0};
    tacit_status st = tacit_study_best(s, &best, &why);
    if (st == TACIT_E_STATE)
        return tc_fail(err, st, "no trial of %s has succeeded", tacit_study_name(s));
    if (st != TACIT_OK)
        return tc_fail(err, st, "%s", why.msg);
    st = tc_trial_print(tacit_study_space(s), best, format, stdout, err);
    tacit_trial_free(best);
    return st;
}

/* All-zero may be closed. */
typedef struct user_side {
    tc_user_reply replies;
    tc_user_client client;
} user_side;

static tacit_status optimize(const tc_study_ref *r, tc_runner *runner, user_side *u,
                             const tc_invocation *in, tacit_error *err)
{
    const options *o = in->opts;
    tc_campaign_plan plan = {.study = r->study,
                             .served = r->way.served,
                             .patience_s = r->way.opts.patience_s,
                             .runner = runner,
                             .budget = budget_of(r, o),
                             .jobs = (size_t)o->jobs,
                             .lease_ms = lease_ms(r, o),
                             .max_failures = o->max_failures,
                             .quiet = in->quiet,
                             .user = o->user ? &u->replies : NULL,
                             .client = o->user ? &u->client : NULL};
    if (setenv("TACIT_STUDY", tacit_study_name(r->study), 1) != 0)
        return tc_fail_memory(err);
    TC_TRY(tc_campaign_run(&plan, err));
    return print_best(r->study, in->format, err);
}

static tacit_status open_user(user_side *u, const tc_study_ref *r, const tc_invocation *in,
                              tacit_error *err)
{
    const options *o = in->opts;
    const tc_user_named who = {o->user, o->ledger_storage, &o->where, in->quiet};
    if (!o->user)
        return TACIT_OK;
    TC_TRY(tc_user_reply_open_at(&u->replies, r, &who, err));
    return tc_user_client_open(&u->client, &o->where, tacit_study_name(r->study), o->user,
                               (size_t)o->jobs, err);
}

static tacit_status open_and_optimize(tc_study_ref *r, tc_runner **runner, user_side *u,
                                      const tc_invocation *in, tacit_error *err)
{
    TC_TRY(open_all(r, runner, in, err));
    TC_TRY(open_user(u, r, in, err));
    return optimize(r, *runner, u, in, err);
}

static tacit_status run(const tc_invocation *in, tacit_error *err)
{
    tc_study_ref r = {0};
    tc_runner *runner = NULL;
    user_side user = {0};
    tc_catch_interrupts();
    tacit_status st = open_and_optimize(&r, &runner, &user, in, err);
    tc_runner_free(runner);
    tc_user_client_close(&user.client);
    tc_user_reply_close(&user.replies);
    tc_study_ref_close(&r);
    return st;
}

const tc_verb tc_verb_optimize = {
    .name = "optimize",
    .usage = "STUDY.json [options] -- PROGRAM [ARGUMENT ...]",
    .summary = "run a study: call a program for each trial, print the best",
    .details =
        "{lr} in any argument becomes the value of parameter lr, {trial} the number of\n"
        "the trial; {{ and }} are braces. The program also finds TACIT_STUDY, TACIT_TRIAL\n"
        "and TACIT_PARAMS (JSON) in its environment. The value of a trial is the last\n"
        "number on the last line that the program prints, or \"value\" of a JSON object\n"
        "there. Brackets and , ; . around it do not matter; but 93.1%, 1,234.5, 12px or\n"
        "nan after it make the trial FAIL rather than be guessed, and an earlier line is\n"
        "never looked at. So does a program that prints no number there, ends with a\n"
        "status other than 0 or takes too long. The study goes on.\n"
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
        "  tacit optimize study.json -- ./train --lr {lr} --layers {layers}\n"
        "  tacit optimize study.json --jobs 4 --timeout-s 600 -- python3 train.py {lr}\n"
        "  tacit optimize private.json --user ann -- ./try {dose}\n"
        "  tacit optimize branin --server https://tacit.example:8443 --fingerprint sha256//... \\\n"
        "      --token-file client.txt --jobs 2 -- ./train --lr {lr}",
    .options = table,
    .options_size = sizeof(options),
    .min_args = 1,
    .max_args = 1,
    .takes_command = true,
    .secrets = true, /* the program of a trial must not read our environment */
    .run = run};
