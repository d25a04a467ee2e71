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
#include "net/owner.h"
#include "net/pins.h"
#include "net/way.h"
#include "space/domain.h"
#include "study/handle.h"
#include "user/records.h"
#include "worker/worker.h"

#include <inttypes.h>
#include <math.h>
#include <sodium.h>
#include <string.h>
#include <time.h>

enum { WAIT_S = 20 };

static TC_SIZED(sized_opts, tacit_agent_opts, records, roster);
static TC_SIZED(sized_summary, tacit_agent_summary, not_private, not_private);

struct tacit_agent {
    tacit_agent_opts opts; /* its texts are in `texts` */
    tc_arena texts;
    tc_metric_terms records; /* these two of opts.records */
    tc_trainer trainer;
    char *token; /* erased at the end */
    tc_store *store;
    tc_name_lock *alone; /* no other process is this agent */
    tc_net_way way;
    tc_agent *agent;
    tacit_study *study;
    tacit_worker_end end; /* how tacit_agent_work ended last */
};

void tacit_agent_close(tacit_agent *a)
{
    if (!a)
        return;
    tacit_study_close(a->study);
    tc_agent_close(a->agent);
    tc_net_way_close(&a->way);
    tc_name_unlock(a->alone);
    tc_store_close(a->store);
    if (a->token)
        sodium_memzero(a->token, strlen(a->token));
    tc_free(a->token);
    tc_arena_fini(&a->texts);
    tc_free(a);
}

/* ---- options ---- */

static tc_net_way way_of(const tacit_agent_opts *o)
{
    return (tc_net_way){.coordinator = o->coordinator,
                        .fingerprint = o->fingerprint,
                        .ca = o->ca,
                        .proxy = o->proxy,
                        .here = o->here,
                        .exchange = {o->exchange, o->user},
                        .patience_s = o->patience_s,
                        .stop = o->stop,
                        .note = o->note,
                        .user = o->user,
                        .who = "agent"};
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
    const tc_net_way way = way_of(o);
    TC_TRY(tc_pin_check_roster(o->roster, err));
    TC_TRY(tc_net_way_check(&way, err));
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
    a->opts.roster = keep(a, o->roster);
    if (o->records) {
        tacit_records_opts r = TACIT_RECORDS_OPTS;
        TC_TRY(take_records(&r, o->records, err));
        a->records = tc_records_terms(&r);
        TC_TRY(tc_trainer_parse(&a->trainer, r.trainer, err));
    }
    a->token = o->join_token ? tc_strdup(o->join_token) : NULL;
    a->opts.join_token = a->token;
    a->way = way_of(&a->opts);
    return a->texts.failed || (o->join_token && !a->token) ? tc_fail_memory(err) : TACIT_OK;
}

static tc_agent_config config_of(tacit_agent *a)
{
    const tacit_agent_opts *o = &a->opts;
    return (tc_agent_config){.store = a->store,
                             .transport = tc_net_way_transport(&a->way),
                             .study = o->study,
                             .as = o->as,
                             .join_token = a->token,
                             .ledger = o->ledger,
                             .roster = o->roster,
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
static tacit_status preview(tacit_agent *a, tc_agent_outlook *out, tacit_error *err)
{
    tc_agent_config cfg = config_of(a);
    while ((a->token || !a->store) && !out->document) {
        tacit_error why = {0};
        tacit_status status = tc_agent_preview(&cfg, out, &why);
        bool refused = status != TACIT_OK && status != TACIT_E_IO;
        if (refused && !a->store)
            return tc_pass_on(err, status, &why);
        if (refused)
            break;
        if (status != TACIT_OK)
            TC_TRY(tc_net_way_endure(&a->way, status, &why, err));
    }
    tc_net_way_is_there(&a->way);
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

/* First what this agent thinks of the study, then whether the study has a place for it. */
static tacit_status consider(tacit_agent *a, tacit_error *err)
{
    tc_agent_outlook o = {.document = NULL};
    TC_TRY(preview(a, &o, err));
    tacit_status status = tc_pass_on(err, o.objection.code, &o.objection);
    if (status == TACIT_OK && o.document && a->opts.consider)
        status = show(a, o.document, err);
    if (status == TACIT_OK)
        status = tc_pass_on(err, o.no_place.code, &o.no_place);
    tc_study_doc_free(o.document);
    return status;
}

/* An agent is one process: its trials come one after the other, and so do its rounds. */
static tacit_status open_storage(tacit_agent *a, bool create, tacit_error *err)
{
    const char *kept = a->opts.as ? a->opts.as : a->opts.study;
    tacit_error why = {0};
    tc_text name = {0};
    TC_TRY(tc_store_open(&a->store, a->opts.storage, create, err));
    a->way.store = a->store;
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

static tacit_status join(tacit_agent *a, const tacit_agent_opts *o, tacit_error *err)
{
    TC_TRY(keep_opts(a, o, err));
    TC_TRY(tc_net_way_open(&a->way, err));
    TC_TRY(open_existing(a, err));
    TC_TRY(tc_net_way_follow_keys(&a->way, err));
    TC_TRY(consider(a, err));
    if (!a->store) {
        TC_TRY(open_storage(a, true, err));
        TC_TRY(tc_net_way_keep_early(&a->way, err));
    }
    tc_agent_config cfg = config_of(a);
    while (!a->agent) {
        tacit_error why = {0};
        tacit_status status = tc_agent_open(&a->agent, &cfg, &why);
        if (status != TACIT_OK)
            TC_TRY(tc_net_way_endure(&a->way, status, &why, err));
    }
    tc_net_way_is_there(&a->way);
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
    TC_TRY(tc_net_way_open(&a->way, err));
    TC_TRY(open_storage(a, false, err));
    TC_TRY(tc_net_way_follow_keys(&a->way, err));
    tc_agent_config cfg = config_of(a);
    while (status != TACIT_OK) {
        tacit_error why = {0};
        status = what(&cfg, number, &why);
        if (status != TACIT_OK)
            TC_TRY(tc_net_way_endure(&a->way, status, &why, err));
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
        if (tc_net_way_is_stopped(&a->way))
            return tc_net_way_stopped(err);
        tacit_status status = tc_agent_step(a->agent, (long)wait_s, &found, &why);
        if (status != TACIT_OK) {
            TC_TRY(tc_net_way_endure(&a->way, status, &why, err));
            found = TC_AGENT_WAIT;
            break;
        }
        tc_net_way_is_there(&a->way);
        if (wait_s > 0)
            tc_net_way_pace(&a->way, asked, found == TC_AGENT_WAIT);
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
    return status == TACIT_E_CANCELLED ? tc_net_way_stopped(err) : status;
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
