/* campaign.c - see campaign.h. */
#include "study/campaign_int.h"

#include "base/clock.h"

#include <inttypes.h>
#include <string.h>
#include <time.h>

/* How soon an interruption that fell between two waits is seen; after how many of these a coordinator is
 * asked for more work, unless a job ended before. */
enum { TICK_MS = 250, TICKS = 8 };

/* While a call to a coordinator waits nothing else is done here: seconds that one may take. It is tried again
 * later, and leases of other trials must not end meanwhile. */
enum { CALL_LEAST_S = 2, CALL_MOST_S = 20, CALLS = 3 };

size_t tc_campaign_used(const tc_campaign *c)
{
    size_t n = 0;
    for (size_t i = 0; i < c->plan.jobs; i++)
        n += c->slots[i].used;
    return n;
}

/* ---- how the study stands */

static bool is_ours(const tc_campaign *c, uint64_t trial)
{
    for (size_t i = 0; i < c->plan.jobs; i++)
        if (c->slots[i].used && c->slots[i].trial == trial)
            return true;
    return false;
}

/* Users have leases, and no names that tell more. What our own workers left is ours to run. */
static bool is_leased(const tc_campaign *c, const tacit_trial *t, int64_t now_ms)
{
    return c->plan.client && t->lease_ms > 0 && now_ms - t->asked_ms <= t->lease_ms &&
           !tc_user_client_has(c->plan.client, c->plan.jobs, t->worker);
}

static tacit_status get_running(const tc_campaign *c, tacit_trials **out, tacit_error *err)
{
    tacit_trial_query running = TACIT_TRIAL_QUERY;
    running.state = TACIT_TRIAL_RUNNING;
    return tacit_study_trials(c->plan.study, &running, out, err);
}

/* In a storage those of living processes of this host, and of users: of others nobody knows. */
static tacit_status count_living(tc_campaign *c, uint64_t *n, tacit_error *err)
{
    tacit_trials *running;
    int64_t now_ms = 0;
    if (c->plan.client)
        TC_TRY(tacit_study_now(c->plan.study, &now_ms, err));
    TC_TRY(get_running(c, &running, err));
    tc_census_forget(&c->census);
    for (size_t i = 0; i < tacit_trials_count(running); i++) {
        const tacit_trial *t = tacit_trials_get(running, i);
        *n +=
            !is_ours(c, t->number) && (is_leased(c, t, now_ms) ||
                                       tc_worker_look_up(&c->census, t->worker) == TC_WORKER_ALIVE);
    }
    tacit_trials_free(running);
    return TACIT_OK;
}

static tacit_status take_stock(tc_campaign *c, tacit_study_summary *out, tacit_error *err)
{
    size_t ours = tc_campaign_used(c) + (c->n_orphans - c->next_orphan);
    out->size = sizeof *out;
    TC_TRY(tacit_study_summarize(c->plan.study, out, err));
    c->elsewhere = 0;
    c->state = out->state;
    if (out->running <= ours)
        return TACIT_OK;
    if (!c->plan.served)
        return count_living(c, &c->elsewhere, err);
    c->elsewhere = out->running - ours;
    return TACIT_OK;
}

static void show(const tc_campaign *c, const tacit_study_summary *s)
{
    char note[96] = "";
    int n = 0;
    if (s->best_trial != TACIT_UNKNOWN)
        n = snprintf(note, sizeof note, "best %.6g (trial %" PRIu64 ")", s->best, s->best_trial);
    if (s->failed > 0 && n >= 0)
        snprintf(note + n, sizeof note - (size_t)n, "%s%" PRIu64 " failed", n ? ", " : "",
                 s->failed);
    tc_progress_update(c->progress, s->finished, note);
}

/* ---- orphans */

static bool add_orphan(tc_campaign *c, const tacit_trial *t)
{
    const char *worker = tc_arena_strdup(&c->arena, t->worker);
    if (!worker)
        return false;
    c->orphans[c->n_orphans++] =
        (tc_orphan){.trial = t->number, .worker = worker, .pulls = t->pulls};
    return true;
}

/* Nobody else can be running it, or its process is known to have ended. */
static bool is_orphan(tc_campaign *c, const tacit_trial *t)
{
    return (c->plan.alone && t->worker) ||
           tc_worker_look_up(&c->census, t->worker) == TC_WORKER_DEAD;
}

/* Who runs a private trial is not shown: there the names of our own are remembered. Earlier versions named the
 * process in a storage. */
static tacit_status find_orphans(tc_campaign *c, tacit_error *err)
{
    tacit_trials *running;
    if (c->plan.client)
        TC_TRY(tc_campaign_tell_paid(c, err));
    if (c->plan.client && c->plan.served)
        return TACIT_OK;
    TC_TRY(get_running(c, &running, err));
    c->orphans = TC_TAKE(&c->arena, tacit_trials_count(running) + 1, tc_orphan);
    bool ok = c->orphans != NULL;
    for (size_t i = 0; ok && i < tacit_trials_count(running); i++) {
        const tacit_trial *t = tacit_trials_get(running, i);
        if (is_orphan(c, t))
            ok = add_orphan(c, t);
    }
    tacit_trials_free(running);
    return ok ? TACIT_OK : tc_fail_memory(err);
}

/* ---- starting */

static tc_slot *free_slot(const tc_campaign *c)
{
    size_t i = 0;
    while (c->slots[i].used)
        i++;
    if (c->plan.client)
        snprintf(c->slots[i].worker, TC_WORKER_MAX, "%s", c->plan.client->workers[i].name);
    else
        tc_worker_name(&c->census, i, c->slots[i].worker);
    return &c->slots[i];
}

static tacit_status start_trial(tc_campaign *c, tc_slot *s, uint64_t trial, uint64_t pulls,
                                const double *values, tacit_error *err)
{
    if (c->plan.client)
        tc_user_client_note(c->plan.client, (size_t)(s - c->slots), trial);
    TC_TRY(tc_runner_start(c->plan.runner, trial, values, err));
    s->used = true;
    s->ended = false;
    s->trial = trial;
    s->pulls = pulls < c->plan.pulls ? pulls : c->plan.pulls;
    s->batch = (tacit_batch){0};
    memcpy(s->values, values, c->n_params * sizeof *values);
    s->beat_ns = tc_clock_ns();
    c->waits = false;
    return TACIT_OK;
}

/* E_BUDGET: a coordinator has given out all trials; those that others run may come back. E_STATE: or it gives out
 * none. */
static tacit_status start_new(tc_campaign *c, tacit_error *err)
{
    tacit_trials *got;
    tc_slot *s = free_slot(c);
    tacit_ask_opts q = TACIT_ASK_OPTS;
    q.worker = s->worker;
    q.lease_ms = c->plan.lease_ms;
    q.pulls = c->plan.pulls > 1 ? c->plan.pulls : 0;
    TC_TRY(tacit_study_ask_many(c->plan.study, &q, &got, err));
    const tacit_trial *t = tacit_trials_get(got, 0);
    tacit_status st =
        start_trial(c, s, t->number, c->plan.pulls > 1 ? t->pulls : 1, t->values, err);
    tacit_trials_free(got);
    return st;
}

/* One of them runs it. Whoever comes too late leaves it: its new worker lives. */
static tacit_status start_orphan(tc_campaign *c, const tc_orphan *left, tacit_error *err)
{
    tc_slot *s = free_slot(c);
    tacit_trial *t;
    tacit_error why;
    tacit_status st = tacit_study_take_over(c->plan.study, left->trial, left->worker, s->worker,
                                            c->plan.lease_ms, &t, &why);
    if (st != TACIT_OK && tacit_study_is_away(c->plan.study))
        return tc_fail(err, st, "%s", why.msg);
    c->next_orphan++;
    if (st == TACIT_E_STATE)
        return TACIT_OK;
    if (st != TACIT_OK)
        return tc_fail(err, st, "%s", why.msg);
    tc_note(c->plan.quiet, "running trial %" PRIu64 " again, which an earlier run left unfinished",
            left->trial);
    st = start_trial(c, s, left->trial, left->pulls, t->values, err);
    tacit_trial_free(t);
    return st;
}

/* Has the user an answer left for the trial that would come next? */
static tacit_status may_start(tc_campaign *c, bool *may, tacit_error *err)
{
    uint64_t trial =
        c->next_orphan < c->n_orphans ? c->orphans[c->next_orphan].trial : TC_NEW_TRIAL;
    size_t running = tc_runner_running(c->plan.runner); /* the others' replies are in the ledger */
    *may = true;
    if (!c->plan.user)
        return TACIT_OK;
    tacit_error why;
    tacit_status st = tc_user_reply_may(c->plan.user, trial, running, &why);
    if (st == TACIT_OK)
        return TACIT_OK;
    *may = false;
    if (st != TACIT_E_BUDGET || (running == 0 && c->reported == 0))
        return tc_fail(err, st, "%s", why.msg);
    if (running == 0)
        tc_note(c->plan.quiet, "%s; the rest of the study is for others", why.msg);
    return TACIT_OK;
}

/* The study was paused or closed since it was looked at: nothing is started. Else it is a failure. */
static tacit_status may_be_idle(tc_campaign *c, const tacit_error *why, tacit_error *err)
{
    tacit_study_summary s;
    TC_TRY(take_stock(c, &s, err));
    return c->state == TACIT_STUDY_RUNNING ? tc_fail(err, why->code, "%s", why->msg) : TACIT_OK;
}

/* *started: one more job runs. */
static tacit_status start_next(tc_campaign *c, uint64_t planned, bool *started, tacit_error *err)
{
    bool may;
    *started = false;
    TC_TRY(may_start(c, &may, err));
    if (!may) {
        c->elsewhere = 0; /* what others run is nothing to a user who has no answer left */
        return TACIT_OK;
    }
    *started = true;
    if (c->next_orphan < c->n_orphans)
        return start_orphan(c, &c->orphans[c->next_orphan], err);
    *started = planned + c->elsewhere < c->plan.budget;
    tacit_error why = {0};
    tacit_status st = *started ? start_new(c, &why) : TACIT_OK;
    if (st == TACIT_OK)
        return TACIT_OK;
    *started = false;
    if (st == TACIT_E_STATE && c->plan.served && !tacit_study_is_away(c->plan.study))
        return may_be_idle(c, &why, err);
    return st == TACIT_E_BUDGET && c->plan.served ? TACIT_OK : tc_fail(err, st, "%s", why.msg);
}

static tacit_status fill_up(tc_campaign *c, tacit_error *err)
{
    bool started = true;
    while (started && tc_campaign_used(c) < c->plan.jobs && !tc_interrupted()) {
        tacit_study_summary s;
        TC_TRY(take_stock(c, &s, err));
        show(c, &s);
        uint64_t planned = s.finished + tc_campaign_used(c);
        c->met = planned >= c->plan.budget;
        if (c->met)
            c->elsewhere = 0;
        if (c->met || c->state != TACIT_STUDY_RUNNING)
            return TACIT_OK;
        TC_TRY(start_next(c, planned, &started, err));
    }
    return TACIT_OK;
}

/* Keeps all jobs busy as long as the budget needs more trials. */
static tacit_status fill(tc_campaign *c, tacit_error *err)
{
    tacit_error why = {0};
    if (c->refused || !tc_campaign_may_ask(c))
        return TACIT_OK;
    return tc_campaign_excuse(c, fill_up(c, &why), &why, err);
}

/* ---- to the end */

/* A coordinator that is away is not waited for any more. */
static tacit_status interrupted(tc_campaign *c, tacit_error *err)
{
    tacit_study_summary s;
    tacit_error why;
    tc_runner_stop(c->plan.runner, TC_RUNNER_GRACE_MS);
    (void)tc_campaign_deliver(c, &why);
    tc_campaign_say_untold(c);
    if (take_stock(c, &s, &why) != TACIT_OK)
        return tc_fail(err, TACIT_E_CANCELLED, "interrupted; the same command goes on (%s)",
                       why.msg);
    return tc_fail(err, TACIT_E_CANCELLED,
                   "interrupted with %" PRIu64 " of %" PRIu64
                   " trials finished; the same command goes on from here",
                   s.finished, c->plan.budget);
}

static void wait_saying(tc_campaign *c, const char *what)
{
    if (!c->waits)
        tc_note(c->plan.quiet, "%s", what);
    c->waits = true;
    nanosleep(&(struct timespec){.tv_sec = 1}, NULL);
}

static void nap(void)
{
    nanosleep(&(struct timespec){.tv_nsec = TICK_MS * 1000000L}, NULL);
}

/* Nothing runs here. True: others run trials of a coordinator's, which are waited for; or it is paused or
 * away. */
static bool stay(tc_campaign *c)
{
    char others[96];
    if (!c->plan.served || c->refused)
        return false;
    if (c->away) {
        nap();
        return true;
    }
    if (c->met || c->state == TACIT_STUDY_CLOSED)
        return false;
    snprintf(others, sizeof others, "waiting for %" PRIu64 " trial%s that others run", c->elsewhere,
             c->elsewhere == 1 ? "" : "s");
    if (c->state == TACIT_STUDY_PAUSED)
        wait_saying(c, "the study is paused; waiting until it is resumed");
    else if (c->elsewhere > 0)
        wait_saying(c, others);
    return c->state == TACIT_STUDY_PAUSED || c->elsewhere > 0;
}

static tacit_status conclude(const tc_campaign *c, tacit_error *err)
{
    if (c->refused)
        return tc_fail(err, c->refusal.code, "%s", c->refusal.msg);
    if (c->plan.served && c->state == TACIT_STUDY_CLOSED && !c->met)
        return tc_fail(err, TACIT_E_STATE,
                       "study %s is closed: it gives out no trials, and takes no values",
                       tacit_study_name(c->plan.study));
    return TACIT_OK;
}

/* Until a job ends, or for a tick. */
static tacit_status wait_for_job(tc_campaign *c, tacit_error *err)
{
    tc_job_result result;
    bool done;
    if (tc_runner_running(c->plan.runner) == 0) {
        nap(); /* only reports are left */
        return TACIT_OK;
    }
    TC_TRY(tc_runner_wait(c->plan.runner, TICK_MS, &result, &done, err));
    return done ? tc_campaign_end_job(c, &result, err) : TACIT_OK;
}

static tacit_status loop(tc_campaign *c, tacit_error *err)
{
    int idle = 0; /* ticks since a trial was told */
    for (;;) {
        size_t used = tc_campaign_used(c);
        tacit_study_keep_time(c->plan.study);
        if (!c->plan.served || idle % TICKS == 0 || used == 0)
            TC_TRY(fill(c, err));
        if (tc_interrupted())
            return interrupted(c, err);
        if (tc_campaign_used(c) == 0) {
            if (!stay(c))
                return conclude(c, err);
            continue;
        }
        used = tc_campaign_used(c);
        TC_TRY(wait_for_job(c, err));
        TC_TRY(tc_campaign_deliver(c, err));
        idle = tc_campaign_used(c) < used ? 0 : idle + 1;
        tc_campaign_beat(c);
    }
}

/* Nothing that waits for a coordinator keeps the programs that run from being looked after. */
static tacit_status loop_briskly(tc_campaign *c, tacit_error *err)
{
    int64_t s = c->plan.lease_ms / 1000 / CALLS;
    s = s < CALL_LEAST_S ? CALL_LEAST_S : s > CALL_MOST_S ? CALL_MOST_S : s;
    tacit_study_set_patience(c->plan.study, -1, (int32_t)s);
    tacit_status st = loop(c, err);
    tacit_study_set_patience(c->plan.study, c->plan.patience_s, 0);
    return st;
}

static tacit_status run(tc_campaign *c, tacit_error *err)
{
    c->slots = tc_alloc(c->plan.jobs, sizeof *c->slots);
    if (!c->slots)
        return tc_fail_memory(err);
    for (size_t i = 0; i < c->plan.jobs; i++)
        c->slots[i].values = TC_TAKE(&c->arena, c->n_params, double);
    if (c->arena.failed)
        return tc_fail_memory(err);
    tc_census_begin(&c->census);
    tacit_error why = {0};
    tacit_status st = find_orphans(c, &why);
    if (st == TACIT_OK)
        st = loop_briskly(c, &why);
    if (st == TACIT_E_IO && tc_interrupted())
        return interrupted(c, err);
    return st == TACIT_OK ? st : tc_fail(err, st, "%s", why.msg);
}

tacit_status tc_campaign_run(const tc_campaign_plan *plan, tacit_error *err)
{
    tc_campaign c = {.plan = *plan, .n_params = tacit_space_params(tacit_study_space(plan->study))};
    c.progress = tc_progress_start(tacit_study_name(plan->study), plan->budget, plan->quiet);
    tacit_status st = run(&c, err);
    tc_progress_end(c.progress);
    tc_free(c.slots);
    tc_arena_fini(&c.arena);
    return st;
}
