/* agent_api.c - <tacit/agent.h>: an agent with its storage, its way to the coordinator and its patience.
 *
 * The rounds are agent/. Here is what surrounds them: that one process alone is the agent, that a refusal leaves no trace,
 * that a coordinator which is silent is asked again, and the loop of tacit_agent_run. */
#include <tacit/agent.h>

#include "agent/agent.h"
#include "base/api.h"
#include "base/clock.h"
#include "base/error.h"
#include "base/memory.h"
#include "net/client.h"
#include "net/coordinator_api.h"
#include "net/exchange.h"
#include "net/here.h"
#include "net/owner.h"
#include "net/pins.h"
#include "space/domain.h"
#include "study/handle.h"
#include "user/records.h"
#include "worker/worker.h"

#include <inttypes.h>
#include <math.h>
#include <sodium.h>
#include <string.h>
#include <time.h>

/* A question that was not held but answered "not yet" at once is asked again after WAIT_FIRST_MS. */
enum {
    WAIT_S = 20,
    PAUSE_FIRST_MS = 250,
    WAIT_FIRST_MS = 1000,
    PAUSE_MOST_MS = 15000,
    SLICE_MS = 50
};

static TC_SIZED(sized_opts, tacit_agent_opts, records, proxy);
static TC_SIZED(sized_summary, tacit_agent_summary, not_private, not_private);

struct tacit_agent {
    tacit_agent_opts opts; /* its texts are in `texts` */
    tc_arena texts;
    tc_metric_terms records; /* these two of opts.records */
    tc_trainer trainer;
    char *token; /* erased at the end */
    tc_store *store;
    tc_name_lock *alone; /* no other process is this agent */
    tc_client *client;
    tc_here here;
    tc_agent *agent;
    tacit_study *study;
    uint64_t silent_since; /* tc_clock_ns of the first call in a row without an answer; 0: none */
    int64_t pause_ms;
    int64_t wait_ms; /* the pause before the next question, where answers come at once; 0: none */
    tacit_worker_end end; /* how tacit_agent_work ended last */
};

void tacit_agent_close(tacit_agent *a)
{
    if (!a)
        return;
    tacit_study_close(a->study);
    tc_agent_close(a->agent);
    tc_client_free(a->client);
    tc_name_unlock(a->alone);
    tc_store_close(a->store);
    if (a->token)
        sodium_memzero(a->token, strlen(a->token));
    tc_free(a->token);
    tc_arena_fini(&a->texts);
    tc_free(a);
}

/* ---- a coordinator that does not answer ---- */

static bool is_stopped(const tacit_agent *a)
{
    return a->opts.stop && a->opts.stop(a->opts.user);
}

/* In slices, so that a stop is seen soon. */
static void nap(const tacit_agent *a, int64_t ms)
{
    for (; ms > 0 && !is_stopped(a); ms -= SLICE_MS)
        nanosleep(&(struct timespec){.tv_nsec = 1000000L * SLICE_MS}, NULL);
}

static tacit_status stopped(tacit_error *err)
{
    return tc_fail(err, TACIT_E_CANCELLED,
                   "interrupted; the same command goes on where it stopped");
}

static long retry_after_s(const tacit_agent *a)
{
    return a->client ? tc_client_retry_after_s(a->client) : 0;
}

/* As long as the coordinator asks for, and no longer than patience lasts. */
static int64_t pause_now(const tacit_agent *a, uint64_t silent_ns)
{
    int64_t asked_ms = 1000 * (int64_t)retry_after_s(a);
    double left_ms = a->opts.patience_s * 1e3 - (double)silent_ns / 1e6;
    int64_t ms = asked_ms > a->pause_ms ? asked_ms : a->pause_ms;
    return (double)ms > left_ms ? (int64_t)left_ms + 1 : ms;
}

/* A call has no more time than is left of our patience: an answer that drips is none. */
static void limit_calls(tacit_agent *a)
{
    uint64_t silent_ns = a->silent_since > 0 ? tc_clock_ns() - a->silent_since : 0;
    if (a->client && a->opts.patience_s > 0)
        tc_client_set_patience(a->client, a->opts.patience_s - (double)silent_ns / 1e9);
}

/* It has answered. */
static void is_there(tacit_agent *a)
{
    a->silent_since = 0;
    limit_calls(a);
}

static void begin_silence(tacit_agent *a, uint64_t now, const char *why)
{
    uint64_t due = a->client ? tc_client_due_ns(a->client) : now;
    tc_text text = {0};
    a->silent_since = due < now ? due : now;
    a->pause_ms = PAUSE_FIRST_MS;
    tc_text_addf(&text, "%s; trying again", why);
    if (a->opts.note)
        a->opts.note(a->opts.user, tc_text_get(&text));
    tc_text_fini(&text);
}

/* Waits, longer each time; the failure itself once patience is at its end. */
static tacit_status endure(tacit_agent *a, tacit_status status, const tacit_error *why,
                           tacit_error *err)
{
    uint64_t now = tc_clock_ns();
    if (status == TACIT_E_IO && is_stopped(a))
        return stopped(err);
    if (status != TACIT_E_IO)
        return tc_pass_on(err, status, why);
    if (a->silent_since == 0)
        begin_silence(a, now, why->msg);
    if ((double)(now - a->silent_since) > a->opts.patience_s * 1e9)
        return tc_fail(err, status, "%s; gave up after %g s", why->msg, a->opts.patience_s);
    nap(a, pause_now(a, now - a->silent_since));
    limit_calls(a);
    a->pause_ms = a->pause_ms * 2 < PAUSE_MOST_MS ? a->pause_ms * 2 : PAUSE_MOST_MS;
    return TACIT_OK;
}

/* ---- options ---- */

static tacit_status check_way(const tacit_agent_opts *o, tacit_error *err)
{
    bool dialled = o->coordinator || o->fingerprint || o->ca || o->proxy;
    if (o->exchange && (o->here || dialled))
        return tc_fail(err, TACIT_E_ARG,
                       "opts.exchange is the way to the coordinator: coordinator, fingerprint, ca, "
                       "proxy and here stay unset");
    if (o->exchange)
        return TACIT_OK;
    if (o->here && dialled)
        return tc_fail(err, TACIT_E_ARG,
                       "opts.here is a coordinator of this process: it has no URL, fingerprint, ca "
                       "or proxy");
    if (!o->here && !o->coordinator)
        return tc_fail(err, TACIT_E_ARG, "opts.coordinator is missing: its URL");
    return TACIT_OK;
}

static tacit_status check(const tacit_agent_opts *o, tacit_error *err)
{
    if (!o->study)
        return tc_fail(err, TACIT_E_ARG, "opts.study is missing: which study to take part in");
    TC_TRY(tc_study_name_check(o->study, err));
    if (o->as)
        TC_TRY(tc_study_name_check(o->as, err));
    if (!o->storage)
        return tc_fail(err, TACIT_E_ARG, "opts.storage is missing: the URL of the agent's own");
    if (!(o->patience_s >= 0))
        return tc_fail(err, TACIT_E_ARG, "opts.patience_s must not be negative, got %g",
                       o->patience_s);
    TC_TRY(check_way(o, err));
    if (o->delta != 0 && o->epsilon == 0)
        return tc_fail(err, TACIT_E_ARG, "delta is of epsilon, which is missing");
    if (o->epsilon == 0)
        return TACIT_OK;
    if (!(o->epsilon > 0 && isfinite(o->epsilon)))
        return tc_fail(err, TACIT_E_ARG, "epsilon must be above 0, got %g", o->epsilon);
    if (!(o->delta > 0 && o->delta < 1))
        return tc_fail(err, TACIT_E_ARG, "epsilon needs a delta between 0 and 1, got %g", o->delta);
    return TACIT_OK;
}

static const char *keep(tacit_agent *a, const char *text)
{
    return text ? tc_arena_strdup(&a->texts, text) : NULL;
}

/* The ledger and its limit are the agent's. */
static tacit_status take_records(tacit_records_opts *to, const tacit_records_opts *from,
                                 tacit_error *err)
{
    TC_TRY(tc_records_take(to, from, err));
    if (!to->ledger && !to->ledger_storage && to->epsilon == 0 && to->delta == 0 &&
        to->test_seed < 0)
        return TACIT_OK;
    return tc_fail(err, TACIT_E_ARG,
                   "opts.records says what the records are: ledger, epsilon, delta and test_seed "
                   "are the agent's own");
}

static tacit_status keep_opts(tacit_agent *a, const tacit_agent_opts *o, tacit_error *err)
{
    a->opts = *o;
    a->opts.study = keep(a, o->study);
    a->opts.storage = keep(a, o->storage);
    a->opts.as = keep(a, o->as);
    a->opts.ledger = keep(a, o->ledger ? o->ledger : "agent");
    a->opts.fingerprint = keep(a, o->fingerprint);
    if (o->records) {
        tacit_records_opts r = TACIT_RECORDS_OPTS;
        TC_TRY(take_records(&r, o->records, err));
        a->records = tc_records_terms(&r);
        TC_TRY(tc_trainer_parse(&a->trainer, r.trainer, err));
    }
    a->token = o->join_token ? tc_strdup(o->join_token) : NULL;
    a->opts.join_token = a->token;
    return a->texts.failed || (o->join_token && !a->token) ? tc_fail_memory(err) : TACIT_OK;
}

static tc_transport transport_of(tacit_agent *a)
{
    return a->opts.exchange ? tc_exchange_transport(&a->opts)
           : a->client      ? tc_client_transport(a->client)
                            : tc_here_transport(&a->here);
}

static tc_agent_config config_of(tacit_agent *a)
{
    const tacit_agent_opts *o = &a->opts;
    return (tc_agent_config){.store = a->store,
                             .transport = transport_of(a),
                             .study = o->study,
                             .as = o->as,
                             .join_token = a->token,
                             .ledger = o->ledger,
                             .records = o->records ? &a->records : NULL,
                             .trainer = a->trainer,
                             .limited = o->epsilon > 0,
                             .limit = {.epsilon = o->epsilon,
                                       .delta = o->delta,
                                       .accountant = &tc_accountant_pld,
                                       .owner = TC_AGENT_ITSELF},
                             .accepts_restored = o->accept_restored,
                             .accepts_not_private = o->accept_not_private,
                             .seeded = o->test_seed >= 0,
                             .seed = (uint64_t)o->test_seed,
                             .key_salt = o->test_key,
                             .listen = o->listen,
                             .listener = o->user};
}

/* ---- joining ---- */

/* The study's document before a place is taken; NULL for an agent that has its storage already, without a token or with one
 * that is used up. A study that this agent takes no part in leaves no trace here. */
static tacit_status preview(tacit_agent *a, tc_study_doc **out, tacit_error *err)
{
    tc_agent_config cfg = config_of(a);
    tacit_error objection = {0};
    tc_study_doc *doc = NULL;
    while ((a->token || !a->store) && !doc) {
        tacit_error why = {0};
        tacit_status status = tc_agent_preview(&cfg, &doc, &objection, &why);
        bool refused = status != TACIT_OK && status != TACIT_E_IO;
        if (refused && !a->store)
            return tc_pass_on(err, status, &why);
        if (refused)
            break;
        if (status != TACIT_OK)
            TC_TRY(endure(a, status, &why, err));
    }
    is_there(a);
    if (objection.code != TACIT_OK) {
        tc_study_doc_free(doc);
        return tc_fail(err, objection.code, "%s", objection.msg);
    }
    *out = doc;
    return TACIT_OK;
}

/* Shows the study to a caller that considers joining. */
static tacit_status show(const tacit_agent *a, const tc_study_doc *doc, tacit_error *err)
{
    const tc_domain *domain = doc->space->domain;
    char *text = tc_study_doc_text(doc), *points = domain ? tc_domain_csv(domain) : NULL;
    tacit_agent_offer offer = {sizeof offer, text, points};
    tacit_error why = {0};
    tacit_status status = !text || (domain && !points)
                              ? tc_fail_memory(&why)
                              : a->opts.consider(a->opts.user, &offer, &why);
    tc_free(text);
    tc_free(points);
    if (status != TACIT_OK && !*why.msg)
        return tc_fail(err, status, "opts.consider refused study \"%s\" and gave no reason (%s)",
                       doc->name, tacit_status_name(status));
    return tc_pass_on(err, status, &why);
}

static tacit_status consider(tacit_agent *a, tacit_error *err)
{
    tc_study_doc *doc = NULL;
    TC_TRY(preview(a, &doc, err));
    tacit_status status = doc && a->opts.consider ? show(a, doc, err) : TACIT_OK;
    tc_study_doc_free(doc);
    return status;
}

/* An agent is one process: its trials come one after the other, and so do its rounds. */
static tacit_status open_storage(tacit_agent *a, bool create, tacit_error *err)
{
    const char *kept = a->opts.as ? a->opts.as : a->opts.study;
    tacit_error why = {0};
    tc_text name = {0};
    TC_TRY(tc_store_open(&a->store, a->opts.storage, create, err));
    TC_TRY(tc_owner_agent(a->store, err));
    tc_text_addf(&name, "agent of study %s", kept);
    tacit_status status = name.failed
                              ? tc_fail_memory(&why)
                              : tc_store_lock_name(a->store, tc_text_get(&name), &a->alone, &why);
    tc_text_fini(&name);
    if (status == TACIT_E_BUSY)
        return tc_fail(err, status,
                       "an agent of study \"%s\" is at work on this storage already: wait for it "
                       "or end it, or take another storage to take part a second time",
                       kept);
    return tc_pass_on(err, status, &why);
}

/* Another process of this agent is found first. A storage that does not exist, or is being made, is created
 * once the study is known. */
static tacit_status open_existing(tacit_agent *a, tacit_error *err)
{
    tacit_error why = {0};
    tacit_status status = open_storage(a, false, &why);
    if (status == TACIT_OK ||
        (!a->store && (status == TACIT_E_NOT_FOUND || status == TACIT_E_CORRUPT)))
        return TACIT_OK;
    return tc_pass_on(err, status, &why);
}

static tacit_status find_way(tacit_agent *a, const tacit_agent_opts *o, tacit_error *err)
{
    if (o->exchange)
        return TACIT_OK;
    if (o->here) {
        a->here = (tc_here){tc_coordinator_get(o->here), o->stop, o->user};
        return TACIT_OK;
    }
    const tc_client_opts way = {.fingerprint = o->fingerprint, .ca = o->ca, .proxy = o->proxy};
    TC_TRY(tc_client_new(&a->client, o->coordinator, &way, err));
    if (o->stop)
        tc_client_stop_at(a->client, o->stop, o->user);
    limit_calls(a);
    return TACIT_OK;
}

/* Before the storage is made there is no place for it (keep_early). */
static tacit_status keep_pins(void *user, const tc_pins *pins, tacit_error *err)
{
    tacit_agent *a = user;
    tc_text text = {0};
    if (!a->store)
        return TACIT_OK;
    TC_TRY(tc_pins_store(a->store, a->opts.fingerprint, pins, err));
    if (pins->next)
        tc_text_addf(&text,
                     "the coordinator announces another key, %s: this agent will follow by itself",
                     pins->next);
    else
        tc_text_addf(&text, "the coordinator has changed its key, as announced: %s", pins->now);
    if (a->opts.note)
        a->opts.note(a->opts.user, tc_text_get(&text));
    tc_text_fini(&text);
    return TACIT_OK;
}

/* The storage may know more of the coordinator's keys than what this agent was started with. */
static tacit_status follow_keys(tacit_agent *a, tacit_error *err)
{
    char *now = NULL, *next = NULL;
    if (!a->client || !a->opts.fingerprint)
        return TACIT_OK;
    if (a->store)
        TC_TRY(tc_pins_load(a->store, a->opts.fingerprint, &now, &next, err));
    const tc_pins pins = {now, next};
    tacit_status status = tc_client_believe(a->client, now ? &pins : NULL, keep_pins, a, err);
    tc_free(now);
    tc_free(next);
    return status;
}

/* What was heard before there was a storage. */
static tacit_status keep_early(tacit_agent *a, tacit_error *err)
{
    const tc_pins now = a->client ? tc_client_pins(a->client) : (tc_pins){0};
    bool heard =
        now.now && a->opts.fingerprint && (now.next || strcmp(now.now, a->opts.fingerprint) != 0);
    return heard ? keep_pins(a, &now, err) : TACIT_OK;
}

static tacit_status join(tacit_agent *a, const tacit_agent_opts *o, tacit_error *err)
{
    TC_TRY(keep_opts(a, o, err));
    TC_TRY(find_way(a, o, err));
    TC_TRY(open_existing(a, err));
    TC_TRY(follow_keys(a, err));
    TC_TRY(consider(a, err));
    if (!a->store) {
        TC_TRY(open_storage(a, true, err));
        TC_TRY(keep_early(a, err));
    }
    tc_agent_config cfg = config_of(a);
    while (!a->agent) {
        tacit_error why = {0};
        tacit_status status = tc_agent_open(&a->agent, &cfg, &why);
        if (status != TACIT_OK)
            TC_TRY(endure(a, status, &why, err));
    }
    is_there(a);
    TC_TRY(tc_study_lend(&a->study, tc_agent_study(a->agent), err));
    tc_record_guard *guard;
    TC_TRY(tc_agent_guard(a->agent, &guard, err));
    tc_study_set_guard(a->study, guard);
    return TACIT_OK;
}

tacit_status tacit_agent_join(tacit_agent **out, const tacit_agent_opts *opts, tacit_error *err)
{
    tacit_agent_opts o;
    TC_GIVEN(out);
    TC_TRY(tc_sized_take(&sized_opts, &o, opts, "opts", err));
    TC_TRY(check(&o, err));
    tacit_agent *a = tc_alloc(1, sizeof *a);
    if (!a)
        return tc_fail_memory(err);
    tacit_status status = join(a, &o, err);
    if (status == TACIT_OK)
        *out = a;
    else
        tacit_agent_close(a);
    return status;
}

/* ---- the place itself ---- */

typedef tacit_status errand(const tc_agent_config *cfg, uint64_t *number, tacit_error *err);

/* Nobody else may be this agent meanwhile; the study is not opened. */
static tacit_status run_errand(tacit_agent *a, const tacit_agent_opts *o, errand *what,
                               uint64_t *number, tacit_error *err)
{
    tacit_status status = TACIT_E_IO;
    TC_TRY(keep_opts(a, o, err));
    TC_TRY(find_way(a, o, err));
    TC_TRY(open_storage(a, false, err));
    TC_TRY(follow_keys(a, err));
    tc_agent_config cfg = config_of(a);
    while (status != TACIT_OK) {
        tacit_error why = {0};
        status = what(&cfg, number, &why);
        if (status != TACIT_OK)
            TC_TRY(endure(a, status, &why, err));
    }
    return TACIT_OK;
}

static tacit_status go_for(const tacit_agent_opts *opts, errand *what, uint64_t *number,
                           tacit_error *err)
{
    tacit_agent_opts o;
    uint64_t found = 0;
    TC_TRY(tc_sized_take(&sized_opts, &o, opts, "opts", err));
    TC_TRY(check(&o, err));
    tacit_agent *a = tc_alloc(1, sizeof *a);
    if (!a)
        return tc_fail_memory(err);
    tacit_status status = run_errand(a, &o, what, &found, err);
    tacit_agent_close(a);
    if (status == TACIT_OK && number)
        *number = found;
    return status;
}

tacit_status tacit_agent_withdraw(const tacit_agent_opts *opts, uint64_t *number, tacit_error *err)
{
    return go_for(opts, tc_agent_withdraw, number, err);
}

tacit_status tacit_agent_new_key(const tacit_agent_opts *opts, uint64_t *number, tacit_error *err)
{
    return go_for(opts, tc_agent_new_key, number, err);
}

/* ---- asking ---- */

uint64_t tacit_agent_number(const tacit_agent *a)
{
    return a ? tc_agent_number(a->agent) : 0;
}

tacit_study *tacit_agent_study(tacit_agent *a)
{
    return a ? a->study : NULL;
}

tacit_status tacit_agent_promise(tacit_agent *a, char **text, tacit_error *err)
{
    TC_GIVEN(a);
    TC_GIVEN(text);
    tc_text said = {0};
    tacit_status status = tc_agent_promise(a->agent, &said, err);
    if (status == TACIT_OK)
        return tc_text_hand_out(&said, text, err);
    tc_text_fini(&said);
    return status;
}

tacit_status tacit_agent_summarize(tacit_agent *a, tacit_agent_summary *out, tacit_error *err)
{
    tc_agent_spending spent;
    TC_GIVEN(a);
    TC_TRY(tc_sized_check(&sized_summary, out, "out", err));
    TC_TRY(tc_agent_spent(a->agent, &spent, err));
    tacit_agent_summary now = {.end = a->end,
                               .epsilon = spent.epsilon,
                               .delta = spent.delta,
                               .limit = spent.limit,
                               .not_private = tc_agent_not_private(a->agent)};
    tc_sized_give(&sized_summary, out, &now);
    return TACIT_OK;
}

/* ---- working ---- */

/* A coordinator holds a question until there is an answer. One that does not, because the study is
 * paused or an earlier round is not over, is asked less and less often. */
static void pace(tacit_agent *a, uint64_t asked, tc_agent_next next)
{
    bool at_once = tc_clock_ns() - asked < UINT64_C(1000000) * WAIT_FIRST_MS;
    if (next != TC_AGENT_WAIT || !at_once) {
        a->wait_ms = 0;
        return;
    }
    a->wait_ms = a->wait_ms == 0 ? WAIT_FIRST_MS : 2 * a->wait_ms;
    if (a->wait_ms > PAUSE_MOST_MS)
        a->wait_ms = PAUSE_MOST_MS;
    nap(a, a->wait_ms);
}

tacit_status tacit_agent_step(tacit_agent *a, double wait_s, tacit_agent_next *next,
                              tacit_error *err)
{
    tc_agent_next found = TC_AGENT_AGAIN;
    TC_GIVEN(a);
    TC_GIVEN(next);
    if (!(wait_s >= 0 && wait_s <= TC_CALL_S))
        return tc_fail(err, TACIT_E_ARG, "wait_s must be in [0, %d], got %g", TC_CALL_S, wait_s);
    while (found == TC_AGENT_AGAIN) {
        tacit_error why = {0};
        uint64_t asked = tc_clock_ns();
        if (is_stopped(a))
            return stopped(err);
        tacit_status status = tc_agent_step(a->agent, (long)wait_s, &found, &why);
        if (status != TACIT_OK) {
            TC_TRY(endure(a, status, &why, err));
            found = TC_AGENT_WAIT;
            break;
        }
        is_there(a);
        if (wait_s > 0)
            pace(a, asked, found);
    }
    *next = found == TC_AGENT_TRIAL  ? TACIT_AGENT_TRIAL
            : found == TC_AGENT_DONE ? TACIT_AGENT_DONE
                                     : TACIT_AGENT_WAIT;
    return TACIT_OK;
}

/* Those that an earlier process left unfinished come first, and alone: so the rounds come in the order of an agent that lived.
 * No more are begun than what is left of the planned trials, in pulls. */
static tacit_status run_trials(tacit_agent *a, const tacit_worker_opts *given,
                               tc_failures *failures, tacit_error *err)
{
    tacit_study *s = tacit_agent_study(a);
    tacit_worker_opts w = *given;
    tacit_study_summary now = TACIT_STUDY_SUMMARY;
    TC_TRY(tacit_study_summarize(s, &now, err));
    uint64_t left = now.planned > now.finished ? now.planned - now.finished : 1;
    w.jobs = w.jobs < 1 ? 1 : w.jobs < left ? w.jobs : left;
    w.trials = now.finished + (now.running > 0 ? now.running : w.jobs);
    w.pulls = w.pulls < left / w.jobs ? w.pulls : left / w.jobs;
    w.alone = true;
    w.as = NULL;
    tacit_worker_result result = TACIT_WORKER_RESULT;
    tacit_status status = tc_worker_run(s, &w, failures, &result, err);
    if (result.end == TACIT_WORKER_FAILURES || result.end == TACIT_WORKER_STOPPED)
        a->end = result.end;
    return status == TACIT_E_CANCELLED ? stopped(err) : status;
}

tacit_status tacit_agent_work(tacit_agent *a, const tacit_worker_opts *opts, tacit_error *err)
{
    tacit_agent_next next = TACIT_AGENT_WAIT;
    tacit_worker_opts w;
    tc_failures failures = {0};
    TC_GIVEN(a);
    a->end = TACIT_WORKER_FAILED;
    TC_TRY(tc_worker_opts_take(&w, opts, err));
    TC_TRY(tacit_worker_check(tacit_study_document(tacit_agent_study(a)), &w, err));
    while (next != TACIT_AGENT_DONE) {
        TC_TRY(tacit_agent_step(a, WAIT_S, &next, err));
        if (next == TACIT_AGENT_TRIAL)
            TC_TRY(run_trials(a, &w, &failures, err));
    }
    a->end = TACIT_WORKER_ENOUGH;
    return TACIT_OK;
}

tacit_status tacit_agent_run(tacit_agent *a, tacit_evaluate evaluate, void *user, tacit_error *err)
{
    TC_GIVEN(a);
    TC_GIVEN(evaluate);
    tacit_worker_opts w = TACIT_WORKER_OPTS;
    w.evaluate = evaluate;
    w.user = user;
    return tacit_agent_work(a, &w, err);
}
