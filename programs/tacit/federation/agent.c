/* agent.c - `tacit agent`: one party of a federated study, whose trials a program runs.
 *
 * <tacit/agent.h> does the rounds and runs the trials. */
#include "base/memory.h"
#include "federation/carry.h"
#include "federation/server_options.h"
#include "study/records_options.h"
#include "study/storage.h"
#include "study/worker_talk.h"
#include "frame/verbs.h"

#include <tacit/agent.h>

#include <inttypes.h>
#include <stddef.h>
#include <string.h>

#define STORAGE_DEFAULT "sqlite:///tacit-agent.db"

typedef struct options {
    char *storage, *study, *as, *token_file, *fingerprint, *ca, *proxy, *outbox, *inbox, *ledger;
    double epsilon, delta, timeout_s, patience_s;
    bool accept_not_private, accept_restored, any_choices;
    int64_t test_seed, test_key, pulls;
    tc_records_words records;
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
    TC_STRING_OPTION("storage", offsetof(options, storage), STORAGE_DEFAULT,
                     "where this agent keeps its key, its trials and its ledger", .value = "URL"),
    TC_STRING_OPTION("ledger", offsetof(options, ledger), "agent",
                     "the agent's own ledger: studies on the same data share one", .value = "NAME"),
    TC_FLOAT_OPTION(
        "epsilon", offsetof(options, epsilon), "0", 0, 1e6,
        "what the whole of that ledger may spend, held by a filter over several studies; 0: "
        "epsilon 10 at delta min(1e-5, 1/N^2) of N agents, and no study that "
        "may spend more"),
    TC_FLOAT_OPTION("delta", offsetof(options, delta), "0", 0, 1, "of --epsilon"),
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
    TC_FLOAT_OPTION("patience-s", offsetof(options, patience_s), "3600", 0, 1e9,
                    "seconds a coordinator may stay silent before the agent gives up"),
    TC_INT_OPTION(
        "pulls", offsetof(options, pulls), "1", 1, 0x1p34,
        "take trials of up to so many pulls, where the algorithm wants them; the program runs "
        "once for each"),
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
    tc_carry *carry;
} party;

static void party_close(party *p)
{
    tacit_agent_close(p->agent);
    tc_carry_close(p->carry);
    if (p->token)
        explicit_bzero(p->token, strlen(p->token));
    tc_free(p->token);
}

/* ---- joining ---- */

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

static tacit_worker_opts worker_opts(const party *p)
{
    tacit_worker_opts w = TACIT_WORKER_OPTS;
    w.command = p->in->command;
    w.timeout_ms = (int64_t)(p->o->timeout_s * 1000);
    w.any_choices = p->o->any_choices;
    w.stop = tc_stop_at_interrupt;
    return w;
}

/* A command that cannot be run is found out before a place is taken. */
static tacit_status check_command(void *user, const tacit_agent_offer *offer, tacit_error *err)
{
    tacit_document *doc;
    tacit_worker_opts w = worker_opts(user);
    TC_TRY(tacit_document_restore(&doc, offer->document, offer->points, err));
    tacit_status status = tacit_worker_check(doc, &w, err);
    tacit_document_free(doc);
    return status;
}

static void say(void *user, const char *text)
{
    const party *p = user;
    tc_note(p->in->quiet, "%s", text);
}

static tacit_status carry(void *user, const tacit_request *q, tacit_agent_answer *answer,
                          tacit_error *err)
{
    const party *p = user;
    return tc_carry_exchange(p->carry, q, answer, err);
}

static tacit_status find_way(party *p, tacit_agent_opts *opts, tacit_error *err)
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

static tacit_status join(party *p, tacit_error *err)
{
    const options *o = p->o;
    tacit_agent_opts opts = TACIT_AGENT_OPTS;
    tacit_records_opts records;
    TC_TRY(check_way(p->in, err));
    TC_TRY(check(o, err));
    TC_TRY(tc_records_read(&o->records, &records, err));
    TC_TRY(tc_server_token(o->token_file, false, &p->token, err));
    TC_TRY(find_way(p, &opts, err));
    opts.study = o->study;
    opts.storage = o->storage;
    opts.as = o->as;
    opts.join_token = p->token;
    opts.ledger = o->ledger;
    opts.epsilon = o->epsilon;
    opts.delta = o->delta;
    opts.accept_not_private = o->accept_not_private;
    opts.accept_restored = o->accept_restored;
    opts.patience_s = o->patience_s;
    opts.consider = check_command;
    opts.stop = tc_stop_at_interrupt;
    opts.note = say;
    opts.user = p;
    opts.test_seed = o->test_seed;
    opts.test_key = (uint64_t)o->test_key;
    opts.records = tc_records_given(&o->records) ? &records : NULL;
    return tacit_agent_join(&p->agent, &opts, err);
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

static tacit_status take_part(party *p, tacit_error *err)
{
    tc_worker_talk talk = {.quiet = true};
    tacit_worker_opts w = worker_opts(p);
    w.listen = tc_worker_talk_listen;
    w.user = &talk;
    w.pulls = (uint64_t)p->o->pulls;
    TC_TRY(join(p, err));
    tc_note(p->in->quiet, "agent %" PRIu64 " of study %s", tacit_agent_number(p->agent),
            p->o->study);
    TC_TRY(say_promise(p, err));
    return tacit_agent_work(p->agent, &w, err);
}

/* ---- the end ---- */

static tacit_status print_best(party *p, tacit_error *err)
{
    static const char *const columns[] = {"agent", "study", "trials", "best"};
    tacit_study *s = tacit_agent_study(p->agent);
    tacit_study_summary now = TACIT_STUDY_SUMMARY;
    tacit_trials *all;
    TC_TRY(tacit_study_summarize(s, &now, err));
    TC_TRY(tacit_study_trials(s, NULL, &all, err));
    tc_table *t = tc_table_new(4, columns);
    tc_table_integer(t, 0, (int64_t)tacit_agent_number(p->agent));
    tc_table_text(t, 1, now.name);
    tc_table_integer(t, 2, (int64_t)tacit_trials_count(all));
    if (now.best_trial != TACIT_UNKNOWN)
        tc_table_number(t, 3, now.best);
    tc_table_end_row(t);
    tacit_trials_free(all);
    return tc_table_print(t, (tc_format)p->in->format, stdout, err);
}

static tacit_status run(const tc_invocation *in, tacit_error *err)
{
    party p = {.in = in, .o = in->opts};
    tc_catch_interrupts();
    tacit_status status = take_part(&p, err);
    if (status == TACIT_OK)
        status = print_best(&p, err);
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
        "command goes on. A round that would spend more than --epsilon is not taken part in.\n"
        "One process at a time: a second one on the same storage and study is refused (5).\n"
        "\n"
        "A study that protects validation records needs --records: each value gets noise here, "
        "before\n"
        "anything else sees it, and is charged to the agent's ledger.\n"
        "\n"
        "The program gets its arguments without a shell, no open file or connection of the agent,\n"
        "and an environment without the agent's secrets. Choices come from the coordinator: those\n"
        "with other than plain characters are refused (2) unless --any-choices is given.\n"
        "\n"
        "  tacit agent https://tacit.example:8443 --study landmine --token-file join.txt \\\n"
        "      --fingerprint sha256//... -- ./train --gamma {gamma} --c {C}\n"
        "  tacit agent https://tacit.example:8443 --study ward --token-file join.txt \\\n"
        "      --fingerprint sha256//... --records 1200 --range 0:1 -- ./train --lr {lr}",
    .options = table,
    .options_size = sizeof(options),
    .min_args = 0,
    .max_args = 1,
    .takes_command = true,
    .secrets = true,
    .run = run};
