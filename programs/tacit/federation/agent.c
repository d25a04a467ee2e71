/* agent.c - `tacit agent`: one party of a federated study, whose trials a program runs.
 *
 * agent/ does the rounds; campaign.c runs one trial at a time, so that one which a killed process
 * left behind is run again under its number. */
#include "agent/agent.h"
#include "base/clock.h"
#include "base/memory.h"
#include "study/campaign.h"
#include "federation/server_options.h"
#include "study/storage.h"
#include "frame/verbs.h"

#include <inttypes.h>
#include <math.h>
#include <stddef.h>
#include <string.h>
#include <time.h>

#define STORAGE_DEFAULT "sqlite:///tacit-agent.db"

/* A question that was not held but answered "not yet" at once is asked again after WAIT_FIRST_MS. */
enum {
    WAIT_S = 20,
    PAUSE_FIRST_MS = 250,
    WAIT_FIRST_MS = 1000,
    PAUSE_MOST_MS = 15000,
    SLICE_MS = 50
};

typedef struct options {
    char *storage, *study, *as, *token_file, *fingerprint, *ledger;
    double epsilon, delta, timeout_s, patience_s;
    bool accept_not_private, accept_restored, any_choices;
    int64_t test_seed, test_key, pulls;
} options;

static const tc_option table[] = {
    {.name = "study",
     .type = TC_OPTION_STRING,
     .offset = offsetof(options, study),
     .value = "NAME",
     .help = "the study to take part in"},
    {.name = "as",
     .type = TC_OPTION_STRING,
     .offset = offsetof(options, as),
     .value = "NAME",
     .help = "what the storage calls it, where it has another study of that name already"},
    TC_SERVER_OPTIONS(options),
    {.name = "storage",
     .type = TC_OPTION_STRING,
     .offset = offsetof(options, storage),
     .def = STORAGE_DEFAULT,
     .value = "URL",
     .help = "where this agent keeps its key, its trials and its ledger"},
    {.name = "ledger",
     .type = TC_OPTION_STRING,
     .offset = offsetof(options, ledger),
     .def = "agent",
     .value = "NAME",
     .help = "the agent's own ledger: studies on the same data share one"},
    {.name = "epsilon",
     .type = TC_OPTION_FLOAT,
     .offset = offsetof(options, epsilon),
     .def = "0",
     .min = 0,
     .max = 1e6,
     .help = "what the whole of that ledger may spend, held by a filter over several studies; 0: "
             "epsilon 10 at delta min(1e-5, 1/N^2) of N agents, and no study that "
             "may spend more"},
    {.name = "delta",
     .type = TC_OPTION_FLOAT,
     .offset = offsetof(options, delta),
     .def = "0",
     .min = 0,
     .max = 1,
     .help = "of --epsilon"},
    {.name = "accept-not-private",
     .type = TC_OPTION_BOOL,
     .offset = offsetof(options, accept_not_private),
     .help = "take part in a study whose privacy is \"none\", whose noise is no secret, or that "
             "promises too little"},
    {.name = "accept-restored",
     .type = TC_OPTION_BOOL,
     .offset = offsetof(options, accept_restored),
     .help =
         "go on with a coordinator that was restored from a backup; this agent's own ledger and "
         "--epsilon decide"},
    TC_ANY_CHOICES_OPTION(options, any_choices),
    {.name = "timeout-s",
     .type = TC_OPTION_FLOAT,
     .offset = offsetof(options, timeout_s),
     .def = "0",
     .min = 0,
     .max = 1e7,
     .help = "seconds a program may take, then its trial fails; 0 is no limit"},
    {.name = "patience-s",
     .type = TC_OPTION_FLOAT,
     .offset = offsetof(options, patience_s),
     .def = "3600",
     .min = 0,
     .max = 1e9,
     .help = "seconds a coordinator may stay silent before the agent gives up"},
    {.name = "pulls",
     .type = TC_OPTION_INT,
     .offset = offsetof(options, pulls),
     .def = "1",
     .min = 1,
     .max = 0x1p34,
     .help = "take trials of up to so many pulls, where the algorithm wants them; the program runs "
             "once for each"},
    {.name = "test-seed",
     .type = TC_OPTION_INT,
     .offset = offsetof(options, test_seed),
     .def = "-1",
     .min = -1,
     .max = 9007199254740991.0,
     .help = "secrets from this seed: repeatable, NOT PRIVATE; -1 is real ones"},
    {.name = "test-key",
     .type = TC_OPTION_INT,
     .offset = offsetof(options, test_key),
     .def = "0",
     .min = 0,
     .max = 9007199254740991.0,
     .help = "with --test-seed: tells the keys of several agents apart"},
    {.name = NULL}};

typedef struct party {
    const tc_invocation *in;
    const options *o;
    tc_store *store;
    tc_hold *alone; /* no other process is this agent */
    tc_client *client;
    char *token;
    tc_agent *agent;
    tc_runner *runner;
    uint64_t silent_since; /* tc_clock_ns of the first call in a row without an answer; 0: none */
    int64_t pause_ms;
    int64_t wait_ms; /* the pause before the next question, where answers come at once; 0: none */
} party;

static void party_close(party *p)
{
    tc_runner_free(p->runner);
    tc_agent_close(p->agent);
    tc_client_free(p->client);
    tc_hold_end(p->alone);
    tc_store_close(p->store);
    if (p->token)
        explicit_bzero(p->token, strlen(p->token));
    tc_free(p->token);
}

/* ---- a coordinator that does not answer ---- */

/* In slices, so that an interruption is seen soon. */
static void nap(int64_t ms)
{
    for (; ms > 0 && !tc_interrupted(); ms -= SLICE_MS)
        nanosleep(&(struct timespec){.tv_nsec = 1000000L * SLICE_MS}, NULL);
}

static tacit_status interrupted(tacit_error *err)
{
    return tc_fail(err, TACIT_E_CANCELLED,
                   "interrupted; the same command goes on where it stopped");
}

/* As long as the coordinator asks for, and no longer than patience lasts. */
static int64_t pause_now(const party *p, uint64_t silent_ns)
{
    int64_t asked_ms = 1000 * (int64_t)tc_client_retry_after_s(p->client);
    double left_ms = p->o->patience_s * 1e3 - (double)silent_ns / 1e6;
    int64_t ms = asked_ms > p->pause_ms ? asked_ms : p->pause_ms;
    return (double)ms > left_ms ? (int64_t)left_ms + 1 : ms;
}

/* A call has no more time than is left of our patience: an answer that drips is none. */
static void limit_calls(party *p)
{
    uint64_t silent_ns = p->silent_since > 0 ? tc_clock_ns() - p->silent_since : 0;
    if (p->o->patience_s > 0)
        tc_client_set_patience(p->client, p->o->patience_s - (double)silent_ns / 1e9);
}

/* It has answered. */
static void is_there(party *p)
{
    p->silent_since = 0;
    limit_calls(p);
}

/* Waits, longer each time; the failure itself once patience is at its end. */
static tacit_status endure(party *p, tacit_status status, const tacit_error *why, tacit_error *err)
{
    uint64_t now = tc_clock_ns();
    if (status == TACIT_E_IO && tc_interrupted())
        return interrupted(err);
    if (status != TACIT_E_IO)
        return tc_fail(err, status, "%s", why->msg);
    if (p->silent_since == 0) {
        uint64_t due = tc_client_due_ns(p->client);
        p->silent_since = due < now ? due : now;
        p->pause_ms = PAUSE_FIRST_MS;
        tc_note(p->in->quiet, "%s; trying again", why->msg);
    }
    if ((double)(now - p->silent_since) > p->o->patience_s * 1e9)
        return tc_fail(err, status, "%s; gave up after %g s", why->msg, p->o->patience_s);
    nap(pause_now(p, now - p->silent_since));
    limit_calls(p);
    p->pause_ms = p->pause_ms * 2 < PAUSE_MOST_MS ? p->pause_ms * 2 : PAUSE_MOST_MS;
    return TACIT_OK;
}

/* ---- opening ---- */

static tc_agent_config config_of(const party *p)
{
    const options *o = p->o;
    return (tc_agent_config){
        .store = p->store,
        .transport = tc_client_transport(p->client),
        .study = o->study,
        .as = o->as,
        .join_token = p->token,
        .ledger = o->ledger,
        .limited = o->epsilon > 0,
        .limit = {.epsilon = o->epsilon, .delta = o->delta, .accountant = &tc_accountant_pld},
        .accepts_restored = o->accept_restored,
        .accepts_not_private = o->accept_not_private,
        .seeded = o->test_seed >= 0,
        .seed = (uint64_t)o->test_seed,
        .key_salt = (uint64_t)o->test_key};
}

static tacit_status check(const options *o, tacit_error *err)
{
    if (!o->study)
        return tc_fail(err, TACIT_E_ARG, "--study is missing: say which study to take part in");
    TC_TRY(tc_study_name_check(o->study, err));
    if (o->as)
        TC_TRY(tc_study_name_check(o->as, err));
    if (o->delta > 0 && !(o->epsilon > 0))
        return tc_fail(err, TACIT_E_ARG, "--delta is of --epsilon, which is missing");
    if (o->epsilon > 0 && !(o->delta > 0 && o->delta < 1))
        return tc_fail(err, TACIT_E_ARG, "--epsilon needs a --delta between 0 and 1, got %g",
                       o->delta);
    return TACIT_OK;
}

/* The study's document before a place is taken; NULL for an agent that has its place already and whose
 * token is used up. A study that this agent takes no part in leaves no trace here. */
static tacit_status look_at_study(party *p, tc_study_doc **out, tacit_error *err)
{
    tc_agent_config cfg = config_of(p);
    tacit_error objection = {0};
    tc_study_doc *doc = NULL;
    while (p->token && !doc) {
        tacit_error why = {0};
        tacit_status status = tc_agent_preview(&cfg, &doc, &objection, &why);
        bool refused = status != TACIT_OK && status != TACIT_E_IO;
        if (refused && !p->store)
            return tc_fail(err, status, "%s", why.msg);
        if (refused)
            break;
        if (status != TACIT_OK)
            TC_TRY(endure(p, status, &why, err));
    }
    is_there(p);
    if (objection.code != TACIT_OK) {
        tc_study_doc_free(doc);
        return tc_fail(err, objection.code, "%s", objection.msg);
    }
    *out = doc;
    return TACIT_OK;
}

/* The coordinator wrote the choices. */
static tacit_status make_runner(const party *p, const tc_space *space, tc_runner **out,
                                tacit_error *err)
{
    int64_t timeout_ms = (int64_t)(p->o->timeout_s * 1000);
    TC_TRY(tc_runner_new(out, space, p->in->command, 1, timeout_ms, err));
    return p->o->any_choices ? TACIT_OK : tc_runner_check_foreign(*out, err);
}

/* A command that cannot be run is found out before a place is taken. */
static tacit_status check_command(party *p, tacit_error *err)
{
    tc_study_doc *doc;
    tc_runner *runner = NULL;
    TC_TRY(look_at_study(p, &doc, err));
    if (!doc)
        return TACIT_OK;
    tacit_status status = make_runner(p, doc->space, &runner, err);
    tc_runner_free(runner);
    tc_study_doc_free(doc);
    return status;
}

/* What the storage calls the study. */
static const char *kept_name(const options *o)
{
    return o->as ? o->as : o->study;
}

/* An agent is one process: its trials come one after the other, and so do its rounds. */
static tacit_status open_storage(party *p, bool create, tacit_error *err)
{
    tacit_error why = {0};
    tc_text name = {0};
    TC_TRY(tc_store_open(&p->store, p->o->storage, create, err));
    tc_text_addf(&name, "agent of study %s", kept_name(p->o));
    tacit_status status = name.failed
                              ? tc_fail_memory(&why)
                              : tc_store_hold(p->store, tc_text_get(&name), &p->alone, &why);
    tc_text_fini(&name);
    if (status == TACIT_E_BUSY)
        return tc_fail(err, status,
                       "an agent of study \"%s\" is at work on this storage already: wait for it "
                       "or end it, or say another --storage to take part a second time",
                       kept_name(p->o));
    return status == TACIT_OK ? TACIT_OK : tc_fail(err, status, "%s", why.msg);
}

/* That we are not alone is found out first; a storage that is not there, or is being made, comes into
 * being once the study is known. */
static tacit_status open_existing(party *p, tacit_error *err)
{
    tacit_error why = {0};
    tacit_status status = open_storage(p, false, &why);
    if (status == TACIT_OK ||
        (!p->store && (status == TACIT_E_NOT_FOUND || status == TACIT_E_CORRUPT)))
        return TACIT_OK;
    return tc_fail(err, status, "%s", why.msg);
}

static tacit_status open_agent(party *p, tacit_error *err)
{
    tc_agent_config cfg = config_of(p);
    while (!p->agent) {
        tacit_error why = {0};
        tacit_status status = tc_agent_open(&p->agent, &cfg, &why);
        if (status != TACIT_OK)
            TC_TRY(endure(p, status, &why, err));
    }
    is_there(p);
    return TACIT_OK;
}

static tacit_status open_party(party *p, tacit_error *err)
{
    const options *o = p->o;
    TC_TRY(check(o, err));
    TC_TRY(tc_server_token(o->token_file, false, &p->token, err));
    TC_TRY(tc_server_client(&p->client, p->in->args[0], o->fingerprint, err));
    tc_client_stop_at(p->client, tc_stop_at_interrupt, NULL);
    limit_calls(p);
    TC_TRY(open_existing(p, err));
    TC_TRY(check_command(p, err));
    if (!p->store)
        TC_TRY(open_storage(p, true, err));
    TC_TRY(open_agent(p, err));
    const tc_space *space = tc_study_document(tc_agent_study(p->agent))->space;
    return make_runner(p, space, &p->runner, err);
}

/* ---- the loop ---- */

/* The last batch is no larger than what is left of the planned trials. */
static uint64_t most_pulls(const party *p, uint64_t finished)
{
    uint64_t planned = tc_study_document(tc_agent_study(p->agent))->trials;
    uint64_t left = planned > finished ? planned - finished : 1, most = (uint64_t)p->o->pulls;
    return most < left ? most : left;
}

static tacit_status run_trial(party *p, tacit_error *err)
{
    tc_study *s = tc_agent_study(p->agent);
    const tc_optimizer *o;
    TC_TRY(tc_study_look(s, &o, err));
    uint64_t finished =
        tc_optimizer_pulls(o, TC_TRIAL_COMPLETE) + tc_optimizer_count(o, TC_TRIAL_FAIL);
    tc_study_unlook(s);
    tc_venue venue = tc_venue_lent(s);
    tc_campaign_plan plan = {.venue = &venue,
                             .runner = p->runner,
                             .budget = finished + 1,
                             .jobs = 1,
                             .pulls = most_pulls(p, finished),
                             .alone = p->alone != NULL,
                             .quiet = true};
    return tc_campaign_run(&plan, err);
}

/* A coordinator holds a question until there is an answer. One that does not, because the study is
 * paused or an earlier round is not over, is asked less and less often. */
static void pace(party *p, uint64_t asked, tc_agent_next next)
{
    bool at_once = tc_clock_ns() - asked < UINT64_C(1000000) * WAIT_FIRST_MS;
    if (next != TC_AGENT_WAIT || !at_once) {
        p->wait_ms = 0;
        return;
    }
    p->wait_ms = p->wait_ms == 0 ? WAIT_FIRST_MS : 2 * p->wait_ms;
    if (p->wait_ms > PAUSE_MOST_MS)
        p->wait_ms = PAUSE_MOST_MS;
    nap(p->wait_ms);
}

static tacit_status step(party *p, tc_agent_next *next, tacit_error *err)
{
    tacit_error why = {0};
    uint64_t asked = tc_clock_ns();
    tacit_status status = tc_agent_step(p->agent, WAIT_S, next, &why);
    if (status != TACIT_OK) {
        *next = TC_AGENT_WAIT;
        return endure(p, status, &why, err);
    }
    is_there(p);
    pace(p, asked, *next);
    return *next == TC_AGENT_TRIAL ? run_trial(p, err) : TACIT_OK;
}

static tacit_status say_promise(party *p, tacit_error *err)
{
    tc_text text = {0};
    tacit_status status = tc_agent_promise(p->agent, &text, err);
    if (status == TACIT_OK && !text.failed)
        tc_note(p->in->quiet, "%s", tc_text_get(&text));
    tc_text_fini(&text);
    return status;
}

static tacit_status take_part(party *p, tacit_error *err)
{
    tc_agent_next next = TC_AGENT_AGAIN;
    TC_TRY(open_party(p, err));
    tc_note(p->in->quiet, "agent %" PRIu64 " of study %s", tc_agent_number(p->agent), p->o->study);
    TC_TRY(say_promise(p, err));
    while (next != TC_AGENT_DONE) {
        if (tc_interrupted())
            return interrupted(err);
        TC_TRY(step(p, &next, err));
    }
    return TACIT_OK;
}

/* ---- the end ---- */

static tacit_status print_best(party *p, tacit_error *err)
{
    static const char *const columns[] = {"agent", "study", "trials", "best"};
    tc_study *s = tc_agent_study(p->agent);
    const tc_optimizer *o;
    TC_TRY(tc_study_look(s, &o, err));
    const tc_trial *best = tc_optimizer_best(o);
    tc_table *t = tc_table_new(4, columns);
    tc_table_integer(t, 0, (int64_t)tc_agent_number(p->agent));
    tc_table_text(t, 1, tc_study_name(s));
    tc_table_integer(t, 2, (int64_t)tc_optimizer_trials(o));
    if (best)
        tc_table_number(t, 3, best->value);
    tc_table_end_row(t);
    tc_study_unlook(s);
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
    .usage = "URL --study NAME [options] -- PROGRAM [ARGUMENT...]",
    .summary = "take part in a federated study: trials here, messages to its coordinator",
    .details =
        "The first start enrols with a join token. The agent's key, its trials and its own ledger "
        "stay in\n"
        "its storage; only what `tacit inspect` shows leaves. It may be killed at any time: the "
        "same\n"
        "command goes on. A round that would spend more than --epsilon is not taken part in.\n"
        "One process at a time: a second one on the same storage and study is refused (5).\n"
        "\n"
        "The program gets its arguments without a shell, no open file or connection of the agent,\n"
        "and an environment without the agent's secrets. Choices come from the coordinator: those\n"
        "with other than plain characters are refused (2) unless --any-choices is given.\n"
        "\n"
        "  tacit agent https://tacit.example:8443 --study landmine --token-file join.txt \\\n"
        "      --fingerprint sha256//... -- ./train --gamma {gamma} --c {C}",
    .options = table,
    .options_size = sizeof(options),
    .min_args = 1,
    .max_args = 1,
    .takes_command = true,
    .secrets = true,
    .run = run};
