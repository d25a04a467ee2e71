/* agent.c - `tacit agent`: one party of a federated study, whose trials a program runs.
 *
 * <tacit/agent.h> does the rounds and runs the trials. */
#include "base/memory.h"
#include "federation/agent_talk.h"
#include "federation/carry.h"
#include "federation/server_options.h"
#include "federation/trustee_beside.h"
#include "study/import_rows.h"
#include "study/prune_options.h"
#include "study/records_options.h"
#include "study/storage.h"
#include "study/trial_rows.h"
#include "frame/verbs.h"

#include <tacit/agent.h>

#include <inttypes.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

typedef struct options {
    char *storage, *study, *as, *token_file, *fingerprint, *ca, *proxy, *outbox, *inbox, *ledger;
    char *import, *roster, *trustee_join, *trustee_storage;
    double epsilon, delta, timeout_s, patience_s;
    bool accept_not_private, accept_restored, any_choices, withdraw, new_key;
    int64_t test_seed, test_key, pulls, jobs, max_failures;
    tc_records_words records;
    tc_prune_words prune;
} options;

static const tc_option table[] = {
    TC_STRING_OPTION("study", offsetof(options, study), NULL, "the study to take part in",
                     .value = "NAME"),
    TC_STRING_OPTION("as", offsetof(options, as), NULL,
                     "what the storage calls it, where it has another study of that name already",
                     .value = "NAME"),
    TC_SERVER_OPTIONS(options),
    TC_STRING_OPTION("outbox", offsetof(options, outbox), NULL,
                     "instead of URL: requests become files in this folder, to be carried to a "
                     "coordinator (tacit serve --carry)",
                     .value = "DIR"),
    TC_STRING_OPTION("inbox", offsetof(options, inbox), NULL,
                     "where the answers are put (default: the outbox)", .value = "DIR"),
    TC_STRING_OPTION("storage", offsetof(options, storage), TC_AGENT_STORAGE_DEFAULT,
                     "where this agent keeps its key, its trials and its ledger", .value = "URL"),
    TC_STRING_OPTION(
        "import", offsetof(options, import), NULL,
        "earlier results of this agent, a CSV file as tacit import reads it: its first "
        "trials; once",
        .value = "FILE"),
    TC_STRING_OPTION("ledger", offsetof(options, ledger), "agent",
                     "the agent's own ledger: studies on the same data share one", .value = "NAME"),
    TC_FLOAT_OPTION(
        "epsilon", offsetof(options, epsilon), "0", 0, 1e6,
        "what the whole of that ledger may spend, held by a filter over several studies; 0: "
        "epsilon 10 at delta min(1e-5, 1/N^2) of N agents, and no study that "
        "may spend more"),
    TC_FLOAT_OPTION("delta", offsetof(options, delta), "0", 0, 1, "of --epsilon"),
    TC_STRING_OPTION("roster", offsetof(options, roster), NULL,
                     "in a study with trustees: the fingerprint of its roster, as the other "
                     "parties print it; another roster is refused",
                     .value = "PIN"),
    TC_STRING_OPTION("trustee-join", offsetof(options, trustee_join), NULL,
                     "be a trustee of the study, too, in the same process: a file with a token of "
                     "role trustee in its first line",
                     .value = "FILE"),
    TC_STRING_OPTION(
        "trustee-storage", offsetof(options, trustee_storage), "sqlite:///tacit-trustee.db",
        "with --trustee-join: where the trustee keeps its keys and its answers", .value = "URL"),
    TC_RECORDS_OPTIONS(options),
    TC_BOOL_OPTION(
        "accept-not-private", offsetof(options, accept_not_private), NULL,
        "take part in a study whose privacy is \"none\", whose noise is no secret, or that "
        "promises too little"),
    {.name = "accept-restored",
     .type = TC_OPTION_BOOL,
     .offset = offsetof(options, accept_restored),
     .help =
         "go on with a coordinator that was restored from a backup; this agent's own ledger and "
         "--epsilon decide"},
    TC_ANY_CHOICES_OPTION(options, any_choices),
    TC_FLOAT_OPTION("timeout-s", offsetof(options, timeout_s), "0", 0, 1e7,
                    "seconds a program may take, then its trial fails; 0 is no limit"),
    TC_INT_OPTION("jobs", offsetof(options, jobs), "1", 1, 1024,
                  "trials evaluated at the same time, between two looks at the rounds"),
    TC_MAX_FAILURES_OPTION(options, max_failures),
    TC_PRUNE_OPTIONS(options),
    TC_FLOAT_OPTION("patience-s", offsetof(options, patience_s), "3600", 0, 1e9,
                    "seconds a coordinator may stay silent before the agent gives up"),
    TC_INT_OPTION(
        "pulls", offsetof(options, pulls), "1", 1, 0x1p34,
        "take trials of up to so many pulls, where the algorithm wants them; the program runs "
        "once for each"),
    TC_BOOL_OPTION("withdraw", offsetof(options, withdraw), NULL,
                   "leave the study for good, and run nothing: nobody waits for this agent any "
                   "more, and its message to the open round is erased"),
    TC_BOOL_OPTION("new-key", offsetof(options, new_key), NULL,
                   "change the agent's signing key and its access token, and run nothing"),
    TC_INT_OPTION("test-seed", offsetof(options, test_seed), "-1", -1, 9007199254740991.0,
                  "secrets from this seed: repeatable, NOT PRIVATE; -1 is real ones"),
    TC_INT_OPTION("test-key", offsetof(options, test_key), "0", 0, 9007199254740991.0,
                  "with --test-seed: tells the keys of several agents apart"),
    {.name = NULL}};

typedef struct party {
    const tc_invocation *in;
    const options *o;
    char *token;
    tacit_agent *agent;
    tc_agent_talk talk;
    tc_import_rows rows; /* of --import, once read is set */
    bool read;
    tc_carry *carry;
    tacit_prune rule;         /* of --prune */
    tc_trustee_beside beside; /* of --trustee-join */
} party;

static void party_close(party *p)
{
    tc_agent_talk_end(&p->talk);
    (void)tc_trustee_beside_end(&p->beside, true, NULL);
    tacit_agent_close(p->agent);
    tc_import_fini(&p->rows);
    tc_carry_close(p->carry);
    if (p->token)
        explicit_bzero(p->token, strlen(p->token));
    tc_free(p->token);
}

/* ---- options ---- */

static tacit_status check_way(const tc_invocation *in, tacit_error *err)
{
    const options *o = in->opts;
    if (in->n_args == 0 && !o->outbox)
        return tc_fail(err, TACIT_E_ARG,
                       "which coordinator? Say its URL, or --outbox DIR where there is no network");
    if (in->n_args > 0 && (o->outbox || o->inbox))
        return tc_fail(err, TACIT_E_ARG,
                       "--%s is for an agent without a network: leave out \"%.80s\"",
                       o->outbox ? "outbox" : "inbox", in->args[0]);
    if (o->outbox && o->trustee_join)
        return tc_fail(err, TACIT_E_ARG,
                       "--trustee-join needs a URL: a trustee cannot be reached by --outbox");
    if (o->outbox && (o->fingerprint || o->ca || o->proxy))
        return tc_fail(err, TACIT_E_ARG, "--%s is for a URL, and --outbox is instead of one",
                       o->fingerprint ? "fingerprint"
                       : o->ca        ? "ca"
                                      : "proxy");
    return TACIT_OK;
}

static tacit_status check(const options *o, tacit_error *err)
{
    if (!o->study)
        return tc_fail(err, TACIT_E_ARG, "--study is missing: say which study to take part in");
    if (o->delta > 0 && !(o->epsilon > 0))
        return tc_fail(err, TACIT_E_ARG, "--delta is of --epsilon, which is missing");
    if (o->epsilon > 0 && !(o->delta > 0 && o->delta < 1))
        return tc_fail(err, TACIT_E_ARG, "--epsilon needs a --delta between 0 and 1, got %g",
                       o->delta);
    return TACIT_OK;
}

/* While something is waited for: the line on a terminal shows how it stands by now. */
static bool stop(void *user)
{
    party *p = user;
    tc_agent_talk_tick(&p->talk);
    return tc_interrupted();
}

static void hear_trial(void *user, const tacit_worker_event *e)
{
    tc_agent_talk_trial(&((party *)user)->talk, e);
}

static void hear_round(void *user, const tacit_agent_event *e)
{
    tc_agent_talk_round(&((party *)user)->talk, e);
}

static void note(void *user, const char *text)
{
    tc_agent_talk_note(&((party *)user)->talk, text);
}

static tacit_status worker_opts(party *p, tacit_worker_opts *out, tacit_error *err)
{
    tacit_worker_opts w = TACIT_WORKER_OPTS;
    w.jobs = (uint64_t)p->o->jobs;
    w.pulls = (uint64_t)p->o->pulls;
    tc_worker_talk_failures(&w, p->in, p->o->max_failures);
    w.command = p->in->command;
    w.timeout_ms = (int64_t)(p->o->timeout_s * 1000);
    w.any_choices = p->o->any_choices;
    w.stop = stop;
    w.listen = hear_trial;
    w.user = p;
    *out = w;
    return tc_prune_read(&p->o->prune, p->in, &p->rule, out, err);
}

/* ---- earlier results ---- */

/* What an agent contributes is protected whatever it is made of, where the unit is the agent: then they cost nothing. */
static tacit_status read_import(party *p, const tacit_document *doc, tacit_error *err)
{
    const char *file = p->o->import;
    if (!file || p->read)
        return TACIT_OK;
    TC_TRY(tacit_document_check_import(doc, err));
    TC_TRY(tc_import_read(&p->rows, doc, file, p->in->quiet, err));
    p->read = true;
    if (p->rows.n < tacit_document_trials(doc))
        return TACIT_OK;
    return tc_fail(err, TACIT_E_ARG,
                   "%s has %zu results, and study %s plans %" PRIu64
                   " trials, which they count towards: give fewer of them",
                   file, p->rows.n, tacit_document_name(doc), tacit_document_trials(doc));
}

/* They are the first trials, or none: so the same command may be given again. */
static tacit_status import(party *p, tacit_error *err)
{
    tacit_study *s = tacit_agent_study(p->agent);
    tacit_trials *all;
    if (!p->o->import)
        return TACIT_OK;
    TC_TRY(tacit_study_trials(s, NULL, &all, err));
    bool begun = tacit_trials_count(all) > 0;
    tacit_trials_free(all);
    if (begun) {
        tc_note(p->in->quiet, "study %s has trials here already: %s is not imported",
                tacit_study_name(s), p->o->import);
        return TACIT_OK;
    }
    TC_TRY(read_import(p, tacit_study_document(s), err));
    TC_TRY(tacit_study_import(s, p->rows.n, p->rows.values, p->rows.y, err));
    tc_note(p->in->quiet, "%zu results of %s are the first trials", p->rows.n, p->o->import);
    return TACIT_OK;
}

/* ---- joining ---- */

/* What cannot be run, or imported, is found out before a place is taken. */
static tacit_status consider(void *user, const tacit_agent_offer *offer, tacit_error *err)
{
    tacit_document *doc;
    tacit_worker_opts w;
    TC_TRY(worker_opts(user, &w, err));
    TC_TRY(tacit_document_restore(&doc, offer->document, offer->points, err));
    tacit_status status = tc_worker_talk_check(doc, ((party *)user)->in, err);
    if (status == TACIT_OK)
        status = tacit_worker_check(doc, &w, err);
    if (status == TACIT_OK)
        status = read_import(user, doc, err);
    tacit_document_free(doc);
    return status;
}

static tacit_status carry(void *user, const tacit_request *q, tacit_agent_answer *answer,
                          tacit_error *err)
{
    const party *p = user;
    return tc_carry_exchange(p->carry, q, answer, err);
}

/* At its URL, or by files that are carried. */
static tacit_status find_coordinator(party *p, tacit_agent_opts *opts, tacit_error *err)
{
    const options *o = p->o;
    if (!o->outbox) {
        opts->coordinator = p->in->args[0];
        opts->fingerprint = tc_server_fingerprint(o->fingerprint);
        opts->ca = tc_server_ca(o->ca);
        opts->proxy = o->proxy;
        return TACIT_OK;
    }
    TC_TRY(tc_carry_open(&p->carry, o->outbox, o->inbox ? o->inbox : o->outbox, p->in->quiet, err));
    opts->exchange = carry;
    return TACIT_OK;
}

/* The way to the coordinator, and which agent it is. */
static tacit_status find_way(party *p, tacit_agent_opts *opts, tacit_error *err)
{
    const options *o = p->o;
    TC_TRY(check_way(p->in, err));
    TC_TRY(check(o, err));
    TC_TRY(tc_server_token(o->token_file, false, &p->token, err));
    TC_TRY(find_coordinator(p, opts, err));
    opts->study = o->study;
    opts->storage = o->storage;
    opts->as = o->as;
    opts->join_token = p->token;
    opts->patience_s = o->patience_s;
    opts->stop = stop;
    opts->note = note;
    opts->user = p;
    opts->test_seed = o->test_seed;
    opts->test_key = (uint64_t)o->test_key;
    return TACIT_OK;
}

static tacit_status join(party *p, tacit_error *err)
{
    const options *o = p->o;
    tacit_agent_opts opts = TACIT_AGENT_OPTS;
    tacit_records_opts records;
    TC_TRY(find_way(p, &opts, err));
    TC_TRY(tc_records_read(&o->records, &records, err));
    opts.ledger = o->ledger;
    opts.roster = o->roster;
    opts.epsilon = o->epsilon;
    opts.delta = o->delta;
    opts.accept_not_private = o->accept_not_private;
    opts.accept_restored = o->accept_restored;
    opts.consider = consider;
    opts.listen = hear_round;
    opts.records = tc_records_given(&o->records) ? &records : NULL;
    return tacit_agent_join(&p->agent, &opts, err);
}

/* ---- a trustee beside it ---- */

static tacit_status start_trustee(party *p, tacit_error *err)
{
    const options *o = p->o;
    tacit_trustee_opts opts = TACIT_TRUSTEE_OPTS;
    char *token;
    if (!o->trustee_join)
        return TACIT_OK;
    TC_TRY(tc_server_token(o->trustee_join, true, &token, err));
    opts.coordinator = p->in->args[0];
    opts.fingerprint = tc_server_fingerprint(o->fingerprint);
    opts.ca = tc_server_ca(o->ca);
    opts.proxy = o->proxy;
    opts.study = o->study;
    opts.storage = o->trustee_storage;
    opts.join_token = token;
    opts.roster = o->roster;
    opts.patience_s = o->patience_s;
    opts.test_seed = o->test_seed;
    opts.test_key = (uint64_t)o->test_key;
    p->beside.quiet = p->in->quiet;
    tacit_status status = tc_trustee_beside_start(&p->beside, &opts, err);
    explicit_bzero(token, strlen(token));
    tc_free(token);
    return status;
}

/* ---- the loop ---- */

static tacit_status say_promise(party *p, tacit_error *err)
{
    char *text = NULL;
    tacit_study *s = tacit_agent_study(p->agent);
    bool records = tacit_document_protects_records(tacit_study_document(s));
    TC_TRY(records ? tacit_study_protection(s, &text, err)
                   : tacit_agent_promise(p->agent, &text, err));
    tc_note(p->in->quiet, "%s", text);
    tacit_text_free(text);
    return TACIT_OK;
}

/* How to go on, where the command seems to be broken. */
static tacit_status advise(party *p, tacit_status status, tacit_error *err)
{
    tacit_agent_summary now = TACIT_AGENT_SUMMARY;
    bool known = tacit_agent_summarize(p->agent, &now, NULL) == TACIT_OK;
    return known && now.end == TACIT_WORKER_FAILURES ? tc_worker_talk_broken(status, err) : status;
}

static tacit_status take_part(party *p, tacit_error *err)
{
    tacit_worker_opts w;
    TC_TRY(worker_opts(p, &w, err));
    TC_TRY(join(p, err));
    tc_note(p->in->quiet, "agent %" PRIu64 " of study %s", tacit_agent_number(p->agent),
            p->o->study);
    TC_TRY(say_promise(p, err));
    TC_TRY(import(p, err));
    TC_TRY(start_trustee(p, err));
    tc_agent_talk_start(&p->talk, p->agent);
    tacit_status status = tacit_agent_work(p->agent, &w, err);
    tc_agent_talk_end(&p->talk);
    if (status == TACIT_OK) /* the others may need it longer than this agent */
        return tc_trustee_beside_end(&p->beside, false, err);
    return advise(p, status, err);
}

/* ---- the end ---- */

/* With the command that shows it again, which finds the default storage by itself (study_ref.h). */
static void say_where(const party *p)
{
    const options *o = p->o;
    bool usual = strcmp(o->storage, TC_AGENT_STORAGE_DEFAULT) == 0 && !getenv("TACIT_STORAGE") &&
                 !getenv("TACIT_SERVER");
    tc_note(p->in->quiet, "the trials are kept in %s: tacit best %s%s%s", o->storage,
            o->as ? o->as : o->study, usual ? "" : " --storage ", usual ? "" : o->storage);
}

static tacit_status print_best(const party *p, tacit_error *err)
{
    TC_TRY(tc_best_print(tacit_agent_study(p->agent), p->in, err));
    say_where(p);
    return TACIT_OK;
}

/* ---- its place alone ---- */

static tacit_status print_errand(const party *p, uint64_t number, tacit_error *err)
{
    static const char *const columns[] = {"agent", "study", "done"};
    tc_table *t = tc_table_new(3, columns);
    tc_table_integer(t, 0, (int64_t)number);
    tc_table_text(t, 1, p->o->study);
    tc_table_text(t, 2, p->o->withdraw ? "withdrawn" : "another key");
    tc_table_end_row(t);
    return tc_table_print(t, (tc_format)p->in->format, stdout, err);
}

static tacit_status run_errand(party *p, tacit_error *err)
{
    const options *o = p->o;
    tacit_agent_opts opts = TACIT_AGENT_OPTS;
    uint64_t number;
    if (o->withdraw && o->new_key)
        return tc_fail(err, TACIT_E_ARG, "give one of --withdraw and --new-key");
    if (p->in->n_command > 0)
        return tc_fail(err, TACIT_E_ARG, "%s runs no program: leave out \"%.80s\"",
                       o->withdraw ? "--withdraw" : "--new-key", p->in->command[0]);
    TC_TRY(find_way(p, &opts, err));
    TC_TRY((o->withdraw ? tacit_agent_withdraw : tacit_agent_new_key)(&opts, &number, err));
    if (o->withdraw)
        tc_note(p->in->quiet,
                "what was released with this agent's part stays released and charged; %s keeps its "
                "own trials and its ledger",
                o->storage);
    return print_errand(p, number, err);
}

static tacit_status run(const tc_invocation *in, tacit_error *err)
{
    party p = {.in = in, .o = in->opts, .talk = {.quiet = in->quiet}};
    const char *kept = p.o->as ? p.o->as : p.o->study;
    bool errand = p.o->withdraw || p.o->new_key;
    tc_catch_interrupts();
    tacit_status status = errand ? run_errand(&p, err) : take_part(&p, err);
    if (status == TACIT_OK && !errand)
        status = print_best(&p, err);
    if (status == TACIT_OK && !errand)
        status = tc_agent_talk_withheld(p.o->storage, kept, err);
    party_close(&p);
    return status;
}

const tc_verb tc_verb_agent = {
    .name = "agent",
    .network = true,
    .usage = "[URL] --study NAME [options] -- PROGRAM [ARGUMENT...]",
    .summary = "take part in a federated study: trials here, messages to its coordinator",
    .details =
        "The first start enrols with a join token. The agent's key, its trials and its own ledger "
        "stay in\n"
        "its storage; only what `tacit inspect` shows leaves. It may be killed at any time: the "
        "same\n"
        "command goes on. A round that would spend more than --epsilon is not taken part in: its\n"
        "message is withheld, which is said at once and at the end, with exit code 9 in place of "
        "0.\n"
        "One process at a time: a second one on the same storage and study is refused (5).\n"
        "\n"
        "--withdraw and --new-key are of the agent's place alone and run no program; the agent "
        "must\n"
        "not be at work. Killed or unanswered, the same command again is safe.\n"
        "\n"
        "A study that protects validation records needs --records: each value gets noise here, "
        "before\n"
        "anything else sees it, and is charged to the agent's ledger.\n"
        "\n"
        "The best trial is printed, and tacit best, trials, plot and export find it by the "
        "study's\n"
        "name, in the same folder. With --jobs N so many trials run at once, and rounds wait for "
        "all\n"
        "of them. --import costs nothing where the study protects whole agents; one that protects\n"
        "records refuses it.\n"
        "\n"
        "The program gets its arguments without a shell, no open file or connection of the agent,\n"
        "and an environment without the agent's secrets. Choices come from the coordinator: those\n"
        "with other than plain characters are refused (2) unless --any-choices is given.\n"
        "\n"
        "  tacit agent https://tacit.example:8443 --study landmine --token-file join.txt \\\n"
        "      --fingerprint sha256//... -- ./train --gamma {gamma} --c {C}\n"
        "  tacit agent https://tacit.example:8443 --study ward --token-file join.txt \\\n"
        "      --fingerprint sha256//... --records 1200 --range 0:1 -- ./train --lr {lr}\n"
        "  tacit agent https://tacit.example:8443 --study ward --fingerprint sha256//... --new-key",
    .options = table,
    .options_size = sizeof(options),
    .min_args = 0,
    .max_args = 1,
    .takes_command = true,
    .secrets = true,
    .run = run};
