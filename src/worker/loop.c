/* loop.c - the worker loop, see <tacit/worker.h>: ask, start, wait, tell.
 *
 * Users of private studies do not say on which machine they are: their workers have random names, in a storage, too,
 * and leases tell who lives. */
#include "worker/loop_int.h"

#include "base/api.h"
#include "base/clock.h"
#include "study/handle.h"
#include "worker/worker.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

/* How soon an interruption that fell between two waits is seen; after how many of these a coordinator is
 * asked for more work, unless a job ended before. */
enum { TICK_MS = 250, TICKS = 8 };

/* While a call to a coordinator waits nothing else is done here: seconds that one may take. It is tried again
 * later, and leases of other trials must not end meanwhile. */
enum { CALL_LEAST_S = 2, CALL_MOST_S = 20, CALLS = 3 };

/* From a time-out to its report; and a lease where nothing else is said. */
enum { MINUTE_MS = 60000, JOBS_MOST = 1024 };

static TC_SIZED(sized_opts, tacit_worker_opts, user, prune);
static TC_SIZED(sized_result, tacit_worker_result, told, told);

size_t tc_worker_used(const tc_worker *w)
{
    size_t n = 0;
    for (size_t i = 0; i < w->opts.jobs; i++)
        n += w->slots[i].used;
    return n;
}

size_t tc_worker_running(const tc_worker *w)
{
    size_t n = 0;
    for (size_t i = 0; i < w->opts.jobs; i++)
        n += w->slots[i].used && !w->slots[i].ended;
    return n;
}

bool tc_worker_stops(tc_worker *w)
{
    w->stopped = w->stopped || (w->opts.stop && w->opts.stop(w->opts.user));
    return w->stopped;
}

static bool time_is_over(const tc_worker *w)
{
    return w->due_ns > 0 && tc_clock_ns() >= w->due_ns;
}

/* ---- how the study stands */

static bool is_ours(const tc_worker *w, uint64_t trial)
{
    for (size_t i = 0; i < w->opts.jobs; i++)
        if (w->slots[i].used && w->slots[i].trial == trial)
            return true;
    return false;
}

/* Users have leases, and no names that tell more. What our own workers left is ours to run. */
static bool is_leased(const tc_worker *w, const tacit_trial *t, int64_t now_ms)
{
    return w->opts.as && t->lease_ms > 0 && now_ms - t->asked_ms <= t->lease_ms &&
           !tc_user_workers_have(&w->names, w->opts.jobs, t->worker);
}

static tacit_status get_running(const tc_worker *w, tc_reading *reading, tacit_trials **out,
                                tacit_error *err)
{
    tacit_trial_query running = TACIT_TRIAL_QUERY;
    running.state = TACIT_TRIAL_RUNNING;
    return tc_study_trials_on(w->study, &running, reading, out, err);
}

/* Counts running trials. In a storage, those of living processes of this host and of users: other hosts are unknown. */
static tacit_status count_living(tc_worker *w, tc_reading *reading, uint64_t *n, tacit_error *err)
{
    tacit_trials *running;
    int64_t now_ms = 0;
    if (w->opts.as)
        TC_TRY(tacit_study_now(w->study, &now_ms, err));
    TC_TRY(get_running(w, reading, &running, err));
    tc_processes_forget(&w->processes);
    for (size_t i = 0; i < tacit_trials_count(running); i++) {
        const tacit_trial *t = tacit_trials_get(running, i);
        *n += !is_ours(w, t->number) &&
              (is_leased(w, t, now_ms) ||
               tc_processes_look_up(&w->processes, t->worker) == TC_WORKER_ALIVE);
    }
    tacit_trials_free(running);
    return TACIT_OK;
}

static tacit_status take_stock(tc_worker *w, tc_reading *reading, tacit_study_summary *out,
                               tacit_error *err)
{
    size_t ours = tc_worker_used(w) + (w->n_orphans - w->next_orphan);
    out->size = sizeof *out;
    TC_TRY(tc_study_summarize_on(w->study, reading, out, err));
    w->elsewhere = 0;
    w->state = out->state;
    if (out->running <= ours)
        return TACIT_OK;
    if (!w->served)
        return count_living(w, reading, &w->elsewhere, err);
    w->elsewhere = out->running - ours;
    return TACIT_OK;
}

/* ---- orphans */

static bool add_orphan(tc_worker *w, const tacit_trial *t)
{
    const char *worker = t->worker ? tc_arena_strdup(&w->arena, t->worker) : NULL;
    if (t->worker && !worker)
        return false;
    w->orphans[w->n_orphans++] =
        (tc_orphan){.trial = t->number, .worker = worker, .pulls = t->pulls};
    return true;
}

/* Nobody else can be running it, or its process is known to have ended. */
static bool is_orphan(tc_worker *w, const tacit_trial *t)
{
    return w->opts.alone || tc_processes_look_up(&w->processes, t->worker) == TC_WORKER_DEAD;
}

/* A private trial does not show its worker, so the names of our own workers are remembered. Earlier versions named the
 * process in a storage. */
static tacit_status find_orphans(tc_worker *w, tacit_error *err)
{
    tacit_trials *running;
    TC_TRY(tc_worker_tell_paid(w, err));
    if (w->opts.as && w->served)
        return TACIT_OK;
    TC_TRY(get_running(w, NULL, &running, err));
    w->orphans = TC_TAKE(&w->arena, tacit_trials_count(running) + 1, tc_orphan);
    bool ok = w->orphans != NULL;
    for (size_t i = 0; ok && i < tacit_trials_count(running); i++) {
        const tacit_trial *t = tacit_trials_get(running, i);
        if (is_orphan(w, t))
            ok = add_orphan(w, t);
    }
    tacit_trials_free(running);
    return ok ? TACIT_OK : tc_fail_memory(err);
}

/* ---- starting */

static tc_slot *free_slot(const tc_worker *w)
{
    size_t i = 0;
    while (w->slots[i].used)
        i++;
    if (w->opts.as)
        snprintf(w->slots[i].worker, TC_WORKER_MAX, "%s", w->names.list[i].name);
    else
        tc_processes_name(&w->processes, i, w->slots[i].worker);
    return &w->slots[i];
}

/* A value that an earlier process released and did not tell is told now: a second evaluation would change nothing. */
static tacit_status evaluate_or_recall(tc_worker *w, tc_slot *s, uint64_t trial,
                                       const double *values, tacit_error *err)
{
    tacit_error why = {0};
    tacit_status status = tc_study_recall_private(w->study, trial, &s->told, &why);
    s->ended = status == TACIT_OK;
    if (status == TACIT_E_NOT_FOUND)
        return w->evaluator->start(w->evaluator, trial, values, err);
    return tc_pass_on(err, status, &why);
}

static tacit_status start_trial(tc_worker *w, tc_slot *s, uint64_t trial, uint64_t pulls,
                                const double *values, tacit_error *err)
{
    if (w->opts.as)
        tc_user_workers_note(&w->names, (size_t)(s - w->slots), trial);
    TC_TRY(evaluate_or_recall(w, s, trial, values, err));
    s->used = true;
    s->trial = trial;
    s->pulls = pulls < w->opts.pulls ? pulls : w->opts.pulls;
    s->batch = (tacit_batch){0};
    s->verdict = (tacit_verdict)TACIT_VERDICT;
    s->unheard = s->strayed = s->went_back = false;
    s->next_step = 0;
    s->n_steps = 0;
    memcpy(s->values, values, w->n_params * sizeof *values);
    s->renewed_ns = tc_clock_ns();
    w->waits = false;
    tc_worker_emit(w, (tacit_worker_event){.kind = TACIT_WORKER_STARTED, .trial = trial});
    return TACIT_OK;
}

/* E_BUDGET: a coordinator has given out all trials; those that others run may come back. E_STATE: or it gives out
 * none. */
static tacit_status start_new(tc_worker *w, tc_reading *reading, tacit_error *err)
{
    tacit_trials *got;
    tc_slot *s = free_slot(w);
    tacit_ask_opts q = TACIT_ASK_OPTS;
    q.worker = s->worker;
    q.lease_ms = w->opts.lease_ms;
    q.pulls = w->opts.pulls > 1 ? w->opts.pulls : 0;
    TC_TRY(tc_study_ask_on(w->study, &q, reading, &got, err));
    const tacit_trial *t = tacit_trials_get(got, 0);
    tacit_status status =
        start_trial(w, s, t->number, w->opts.pulls > 1 ? t->pulls : 1, t->values, err);
    tacit_trials_free(got);
    return status;
}

/* One of them runs it. Whoever comes too late leaves it: its new worker lives. */
static tacit_status start_orphan(tc_worker *w, const tc_orphan *left, tacit_error *err)
{
    tc_slot *s = free_slot(w);
    tacit_trial *t;
    tacit_error why;
    tacit_status status = left->worker
                              ? tacit_study_take_over(w->study, left->trial, left->worker,
                                                      s->worker, w->opts.lease_ms, &t, &why)
                              : tacit_study_trial(w->study, left->trial, &t, &why);
    if (status != TACIT_OK && tacit_study_is_away(w->study))
        return tc_pass_on(err, status, &why);
    w->next_orphan++;
    if (status == TACIT_E_STATE)
        return TACIT_OK;
    if (status != TACIT_OK)
        return tc_pass_on(err, status, &why);
    tc_worker_note(w, "running trial %" PRIu64 " again, which an earlier run left unfinished",
                   left->trial);
    status = tc_study_reserve(w->study, left->trial, err);
    if (status == TACIT_OK)
        status = start_trial(w, s, left->trial, left->pulls, t->values, err);
    tacit_trial_free(t);
    return status;
}

/* A ledger that refuses ends the work, once what runs was told. */
static tacit_status may_evaluate(tc_worker *w, bool *may, tacit_error *err)
{
    tacit_error why = {0};
    tacit_status status = tc_study_may_evaluate(w->study, &why);
    if (status != TACIT_E_BUDGET)
        return tc_pass_on(err, status, &why);
    *may = false;
    w->refused = true;
    w->refusal = why;
    return TACIT_OK;
}

/* Has the user an answer left, or the ledger of the records a charge, for the trial that would come next? */
static tacit_status may_start(tc_worker *w, bool *may, tacit_error *err)
{
    bool orphan = w->next_orphan < w->n_orphans;
    uint64_t trial = orphan ? w->orphans[w->next_orphan].trial : TC_NEW_TRIAL;
    size_t running = tc_worker_running(w); /* the others' replies are in the ledger */
    *may = true;
    if (!w->opts.as)
        return orphan ? TACIT_OK : may_evaluate(w, may, err);
    tacit_error why;
    tacit_status status = tc_user_may(w->opts.as, trial, running, &why);
    if (status == TACIT_OK)
        return TACIT_OK;
    *may = false;
    if (status != TACIT_E_BUDGET || (running == 0 && !w->reported))
        return tc_pass_on(err, status, &why);
    w->answered = true;
    if (running == 0)
        tc_worker_note(w, "%s; the rest of the study is for others", why.msg);
    return TACIT_OK;
}

/* Keeps all jobs busy as long as more trials are wanted, and somebody gives them out. */
static tacit_status fill_up(tc_worker *w, tacit_error *err)
{
    while (tc_worker_used(w) < w->opts.jobs && !tc_worker_stops(w) && !time_is_over(w)) {
        tacit_study_summary s;
        tacit_error why = {0};
        tc_reading reading = {0};
        bool may = true;
        TC_TRY(take_stock(w, &reading, &s, err));
        tc_worker_emit(w, (tacit_worker_event){.kind = TACIT_WORKER_STANDING, .summary = &s});
        uint64_t planned = s.finished + tc_worker_used(w);
        w->met = planned >= w->opts.trials;
        if (!w->met && w->state != TACIT_STUDY_RUNNING)
            return TACIT_OK;
        bool enough = w->next_orphan >= w->n_orphans && planned + w->elsewhere >= w->opts.trials;
        if (!w->met && enough && !w->opts.as) /* none is to be paid for */
            return TACIT_OK;
        if (!w->met)
            TC_TRY(may_start(w, &may, err));
        if (w->met || !may) {
            w->elsewhere = 0; /* what others run does not matter to who wants or may run no more */
            return TACIT_OK;
        }
        if (w->next_orphan < w->n_orphans) {
            TC_TRY(start_orphan(w, &w->orphans[w->next_orphan], err));
            continue;
        }
        if (planned + w->elsewhere >= w->opts.trials)
            return TACIT_OK;
        tacit_status status = start_new(w, &reading, &why);
        if (status == TACIT_E_STATE && w->served && !tacit_study_is_away(w->study)) {
            TC_TRY(take_stock(w, NULL, &s, err)); /* paused or closed since it was looked at? */
            if (w->state != TACIT_STUDY_RUNNING)
                return TACIT_OK;
        }
        if (status == TACIT_E_BUDGET && w->served)
            return TACIT_OK;
        if (status != TACIT_OK)
            return tc_pass_on(err, status, &why);
    }
    return TACIT_OK;
}

/* ---- to the end */

/* A coordinator that is away is not waited for any more. */
static tacit_status stopped(tc_worker *w, tacit_error *err)
{
    tacit_study_summary s;
    tacit_error why;
    tc_job_result late;
    bool done = true;
    w->stopped = true;
    w->result.end = TACIT_WORKER_STOPPED;
    w->evaluator->stop(w->evaluator);
    /* Functions have ended meanwhile; one that wants to stop itself is run again another time. */
    while (done) {
        tacit_status status = w->evaluator->wait(w->evaluator, 0, &late, &done, &why);
        if (status == TACIT_OK && done)
            status = tc_worker_end_job(w, &late, &why);
        done = done || status == TACIT_E_CANCELLED;
        if (status != TACIT_OK && status != TACIT_E_CANCELLED)
            break;
    }
    (void)tc_worker_deliver(w, &why);
    tc_worker_emit_untold(w);
    if (take_stock(w, NULL, &s, &why) != TACIT_OK)
        return tc_fail(err, TACIT_E_CANCELLED, "interrupted (%s)", why.msg);
    return tc_fail(err, TACIT_E_CANCELLED,
                   "interrupted with %" PRIu64 " of %" PRIu64 " trials finished", s.finished,
                   w->opts.trials);
}

static void wait_saying(tc_worker *w, const char *what)
{
    if (!w->waits)
        tc_worker_note(w, "%s", what);
    w->waits = true;
    nanosleep(&(struct timespec){.tv_sec = 1}, NULL);
}

static void nap(void)
{
    nanosleep(&(struct timespec){.tv_nsec = TICK_MS * 1000000L}, NULL);
}

/* Nothing runs here. True: others run trials of a coordinator's, which are waited for; or it is paused or
 * away. */
static bool should_wait(tc_worker *w)
{
    char others[96];
    if (!w->served || w->refused || time_is_over(w))
        return false;
    if (w->away) {
        nap();
        return true;
    }
    if (w->met || w->state == TACIT_STUDY_CLOSED)
        return false;
    snprintf(others, sizeof others, "waiting for %" PRIu64 " trial%s that others run", w->elsewhere,
             w->elsewhere == 1 ? "" : "s");
    if (w->state == TACIT_STUDY_PAUSED)
        wait_saying(w, "the study is paused; waiting until it is resumed");
    else if (w->elsewhere > 0)
        wait_saying(w, others);
    return w->state == TACIT_STUDY_PAUSED || w->elsewhere > 0;
}

/* The coordinator says it to who asks for a trial, with the time where one was set. It gives out none: closed is for good. */
static tacit_status say_closed(tc_worker *w, tacit_error *err)
{
    tacit_error why = {0};
    tacit_trials *none = NULL;
    const bool said = tacit_study_ask_many(w->study, NULL, &none, &why) == TACIT_E_STATE;
    tacit_trials_free(none);
    return tc_fail(err, TACIT_E_STATE, "%s; it gives out no trials, and takes no values",
                   said ? why.msg : "the study is closed");
}

static tacit_status conclude(tc_worker *w, tacit_error *err)
{
    if (w->refused)
        return tc_fail(err, w->refusal.code, "%s", w->refusal.msg);
    if (w->served && w->state == TACIT_STUDY_CLOSED && !w->met) {
        w->result.end = TACIT_WORKER_CLOSED;
        return say_closed(w, err);
    }
    w->result.end = w->answered && !w->met       ? TACIT_WORKER_ANSWERED
                    : time_is_over(w) && !w->met ? TACIT_WORKER_TIME
                                                 : TACIT_WORKER_ENOUGH;
    return TACIT_OK;
}

/* Until an evaluation ends, or for a tick. */
static tacit_status wait_for_job(tc_worker *w, tacit_error *err)
{
    tc_job_result result;
    bool done;
    if (tc_worker_running(w) == 0) { /* only reports are left */
        if (!tc_worker_may_ask(w))
            nap();
        return TACIT_OK;
    }
    TC_TRY(w->evaluator->wait(w->evaluator, TICK_MS, &result, &done, err));
    return done ? tc_worker_end_job(w, &result, err) : TACIT_OK;
}

static tacit_status loop(tc_worker *w, tacit_error *err)
{
    int idle = 0; /* ticks since a trial was told */
    for (;;) {
        size_t used = tc_worker_used(w);
        tacit_study_keep_time(w->study);
        bool due = !w->served || idle % TICKS == 0 || used == 0;
        if (due && !w->refused && tc_worker_may_ask(w)) {
            tacit_error why = {0};
            TC_TRY(tc_worker_retry(w, fill_up(w, &why), &why, err));
        }
        if (tc_worker_stops(w))
            return stopped(w, err);
        if (tc_worker_used(w) == 0) {
            if (!should_wait(w))
                return conclude(w, err);
            continue;
        }
        used = tc_worker_used(w);
        TC_TRY(wait_for_job(w, err));
        TC_TRY(tc_worker_deliver(w, err));
        idle = tc_worker_used(w) < used ? 0 : idle + 1;
        tc_worker_renew(w);
    }
}

/* While a function of the caller's has our thread. */
static void tick(void *user)
{
    tc_worker *w = user;
    tacit_study_keep_time(w->study);
    tc_worker_renew(w);
}

/* Nothing that waits for a coordinator keeps the programs that run from being looked after. */
static tacit_status loop_briskly(tc_worker *w, tacit_error *err)
{
    int64_t s = w->opts.lease_ms / 1000 / CALLS;
    if (!w->served)
        return loop(w, err);
    s = s < CALL_LEAST_S ? CALL_LEAST_S : s > CALL_MOST_S ? CALL_MOST_S : s;
    tacit_study_set_patience(w->study, -1, (int32_t)s);
    tacit_status status = loop(w, err);
    tacit_study_set_patience(w->study, w->study->storage->patience_s, 0);
    return status;
}

static tacit_status work(tc_worker *w, tacit_error *err)
{
    w->slots = tc_alloc(w->opts.jobs, sizeof *w->slots);
    if (!w->slots)
        return tc_fail_memory(err);
    for (size_t i = 0; i < w->opts.jobs; i++) {
        w->slots[i].values = TC_TAKE(&w->arena, w->n_params, double);
        if (w->served)
            w->slots[i].steps = TC_TAKE(&w->arena, TC_STEPS_AT_ONCE, tc_step);
    }
    if (w->arena.failed)
        return tc_fail_memory(err);
    if (w->opts.as)
        TC_TRY(tc_user_workers_open(
            &w->names, w->served, w->study->storage ? w->study->storage->url : "",
            tacit_study_name(w->study), w->opts.as->name, w->opts.jobs, err));
    tc_processes_begin(&w->processes);
    tacit_error why = {0};
    tacit_status status = find_orphans(w, &why);
    if (status == TACIT_OK)
        status = loop_briskly(w, &why);
    if (w->result.end != TACIT_WORKER_STOPPED &&
        (status == TACIT_E_CANCELLED || (status == TACIT_E_IO && tc_worker_stops(w))))
        return stopped(w, err);
    return tc_pass_on(err, status, &why);
}

/* ---- what is asked for ---- */

static tacit_status check_numbers(const tacit_worker_opts *o, tacit_error *err)
{
    const int ways = (o->evaluate != NULL) + (o->evaluate_trial != NULL) + (o->command != NULL);
    if (ways != 1)
        return tc_fail(err, TACIT_E_ARG,
                       "give either a function (evaluate, or evaluate_trial) or a program "
                       "(command)");
    if (o->jobs > JOBS_MOST)
        return tc_fail(err, TACIT_E_ARG, "jobs must be at most %d, got %" PRIu64, JOBS_MOST,
                       o->jobs);
    if (o->timeout_ms < 0 || o->time_ms < 0)
        return tc_fail(err, TACIT_E_ARG, "timeout_ms and time_ms must be 0 or more, got %" PRId64,
                       o->timeout_ms < 0 ? o->timeout_ms : o->time_ms);
    if (o->lease_ms != 0 && o->lease_ms < 1000 * TACIT_LEASE_LEAST_S)
        return tc_fail(err, TACIT_E_ARG, "lease_ms must be 0 or at least %d, got %" PRId64,
                       1000 * TACIT_LEASE_LEAST_S, o->lease_ms);
    if (o->timeout_ms > 0 && !o->command)
        return tc_fail(err, TACIT_E_ARG,
                       "timeout_ms is for programs: a function cannot be ended from outside");
    if (o->prune && !o->command)
        return tc_fail(err, TACIT_E_ARG,
                       "prune is for programs: a function gives its rule to "
                       "tacit_study_report_step");
    return TACIT_OK;
}

static tacit_status check_prune(const tacit_document *doc, const tacit_worker_opts *o,
                                tacit_error *err)
{
    tc_prune settled;
    if (!o->prune)
        return TACIT_OK;
    TC_TRY(tc_prune_take(o->prune, &settled, err));
    if (settled.rule == TC_PRUNE_NONE)
        return TACIT_OK;
    if (o->pulls > 1)
        return tc_fail(err, TACIT_E_ARG,
                       "batches of pulls have no intermediate values: leave out either pulls or "
                       "prune");
    return tc_study_takes_steps(doc, err);
}

/* Somebody else wrote the choices of a federated study. */
static tacit_status make_evaluator(tc_evaluator **out, const tacit_document *doc,
                                   tacit_worker_opts *o, bool served, tacit_error *err)
{
    TC_TRY(check_numbers(o, err));
    TC_TRY(check_prune(doc, o, err));
    if (o->evaluate && tacit_document_outcomes(doc) > 1)
        return tc_fail(err, TACIT_E_ARG,
                       "study %s is told %zu outcomes of a trial: give evaluate_trial, not "
                       "evaluate",
                       tacit_document_name(doc), tacit_document_outcomes(doc));
    o->jobs = o->jobs ? o->jobs : 1;
    return o->command
               ? tc_evaluator_program(out, doc, o, served || tacit_document_agents(doc) > 0, err)
               : tc_evaluator_function(out, doc, o, err);
}

tacit_status tc_worker_opts_take(tacit_worker_opts *to, const tacit_worker_opts *from,
                                 tacit_error *err)
{
    return tc_sized_take(&sized_opts, to, from, "opts", err);
}

tacit_status tacit_worker_check(const tacit_document *document, const tacit_worker_opts *opts,
                                tacit_error *err)
{
    tacit_worker_opts full;
    tc_evaluator *e;
    TC_GIVEN(document);
    TC_TRY(tc_worker_opts_take(&full, opts, err));
    TC_TRY(make_evaluator(&e, document, &full, false, err));
    e->free(e);
    return TACIT_OK;
}

static tacit_status check_user(const tc_worker *w, tacit_error *err)
{
    bool replies = tacit_document_takes_replies(tacit_study_document(w->study));
    if (w->opts.as && w->opts.as->study != w->study)
        return tc_fail(err, TACIT_E_ARG, "`as` answers study %s by another handle",
                       tacit_study_name(w->opts.as->study));
    if (replies == (w->opts.as != NULL))
        return TACIT_OK;
    return tc_fail(err, TACIT_E_ARG, "study %s is told %s", tacit_study_name(w->study),
                   replies ? "private replies, never rewards: set `as`, the user who answers"
                           : "values as they are: `as` must be NULL");
}

/* Replaces zeros by their defaults. */
static void fill_in(tc_worker *w)
{
    tacit_worker_opts *o = &w->opts;
    w->served = tc_study_is_served(w->study);
    w->renews = w->served || o->as || o->lease_ms > 0;
    if (o->lease_ms == 0 && w->renews)
        o->lease_ms = MINUTE_MS;
    else if (o->lease_ms == 0 && o->timeout_ms > 0)
        o->lease_ms = o->timeout_ms + MINUTE_MS;
    if (o->trials == 0)
        o->trials = tacit_document_trials(tacit_study_document(w->study));
    o->pulls = o->pulls == 0 || w->served ? 1 : o->pulls;
    w->due_ns = o->time_ms > 0 ? tc_clock_ns() + (uint64_t)o->time_ms * 1000000 : 0;
}

static bool accepts(void *guard, const json_t *said, char *reason, size_t size)
{
    return tc_record_guard_accepts(guard, said, reason, size);
}

tacit_status tc_worker_run(tacit_study *study, const tacit_worker_opts *opts, tc_failures *failures,
                           tacit_worker_result *out, tacit_error *err)
{
    tc_worker w = {.study = study, .failures = failures};
    TC_GIVEN(study);
    TC_TRY(tc_worker_opts_take(&w.opts, opts, err));
    if (out)
        TC_TRY(tc_sized_check(&sized_result, out, "out", err));
    fill_in(&w);
    TC_TRY(check_user(&w, err));
    TC_TRY(make_evaluator(&w.evaluator, tacit_study_document(study), &w.opts, w.served, err));
    if (study->guard && w.evaluator->set_check)
        w.evaluator->set_check(w.evaluator, (tc_runner_check){accepts, study->guard});
    if (!study->guard && w.opts.max_alike > 0 && w.evaluator->hear_errors)
        w.evaluator->hear_errors(w.evaluator); /* failures are compared */
    if (w.evaluator->set_listener &&
        tc_study_takes_steps(tacit_study_document(study), NULL) == TACIT_OK)
        w.evaluator->set_listener(w.evaluator, (tc_runner_listener){.step = tc_worker_hear_step,
                                                                    .heard = tc_worker_heard,
                                                                    .strays = tc_worker_hear_stray,
                                                                    .user = &w});
    w.evaluator->tick = tick;
    w.evaluator->loop = &w;
    w.n_params = tacit_space_params(tacit_study_space(study));
    tacit_status status = work(&w, err);
    w.evaluator->free(w.evaluator);
    tc_processes_end(&w.processes);
    tc_user_workers_close(&w.names);
    if (out)
        tc_sized_give(&sized_result, out, &w.result);
    tc_free(w.slots);
    tc_arena_fini(&w.arena);
    return status;
}

tacit_status tacit_worker_run(tacit_study *study, const tacit_worker_opts *opts,
                              tacit_worker_result *out, tacit_error *err)
{
    tc_failures none = {0};
    return tc_worker_run(study, opts, &none, out, err);
}
