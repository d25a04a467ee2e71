/* campaign.c - see campaign.h. */
#include "campaign.h"

#include "algo/batch.h"
#include "base/clock.h"
#include "base/log.h"
#include "base/memory.h"
#include "worker.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>
#include <time.h>

/* How soon an interruption that fell between two waits is seen; after how many of these a coordinator is
 * asked for more work, unless a job ended before; signs of life in a lease. */
enum { TICK_MS = 250, TICKS = 8, BEATS = 3 };

typedef struct slot {
    bool used;
    uint64_t trial, pulls; /* pulls: that are to be run, one after another */
    tc_batch batch;        /* of those that have ended, where they are several */
    double *values;
    char worker[TC_WORKER_MAX];
    uint64_t beat_ns; /* when the coordinator last heard of it */
} slot;

typedef struct campaign {
    tc_campaign_plan plan;
    size_t n_params;
    double *values; /* of the trial just asked for */
    slot *slots;    /* plan.jobs of them */
    tc_arena arena; /* the orphans' values and workers */
    tc_census census;
    tc_orphan *orphans;
    size_t n_orphans, next_orphan;
    uint64_t elsewhere; /* trials that others run, when they were last counted */
    bool waits;         /* ... and it was said that they are waited for */
    int64_t failures;   /* in a row */
    uint64_t reported;
    tc_progress *progress;
} campaign;

/* ---- how the study stands */

static bool is_ours(const campaign *c, uint64_t trial)
{
    for (size_t i = 0; i < c->plan.jobs; i++)
        if (c->slots[i].used && c->slots[i].trial == trial)
            return true;
    return false;
}

/* In a storage those of living processes of this host: of others nobody knows. */
static tacit_status count_living(campaign *c, uint64_t *n, tacit_error *err)
{
    tc_view running;
    TC_TRY(tc_venue_trials(c->plan.venue, TC_TRIAL_RUNNING, &running, err));
    tc_census_forget(&c->census);
    for (size_t i = 0; i < running.n; i++) {
        const tc_trial *t = running.trials[i];
        *n += !is_ours(c, t->number) && tc_worker_look_up(&c->census, t->worker) == TC_WORKER_ALIVE;
    }
    tc_view_end(&running);
    return TACIT_OK;
}

static tacit_status take_stock(campaign *c, tc_standing *out, tacit_error *err)
{
    size_t ours = tc_runner_running(c->plan.runner) + (c->n_orphans - c->next_orphan);
    TC_TRY(tc_venue_standing(c->plan.venue, out, err));
    c->elsewhere = 0;
    if (out->running <= ours)
        return TACIT_OK;
    if (!c->plan.venue->served)
        return count_living(c, &c->elsewhere, err);
    c->elsewhere = out->running - ours;
    return TACIT_OK;
}

static void show(const campaign *c, const tc_standing *s)
{
    char note[96] = "";
    int n = 0;
    if (s->has_best)
        n = snprintf(note, sizeof note, "best %.6g (trial %" PRIu64 ")", s->best, s->best_trial);
    if (s->failed > 0 && n >= 0)
        snprintf(note + n, sizeof note - (size_t)n, "%s%" PRIu64 " failed", n ? ", " : "",
                 s->failed);
    tc_progress_update(c->progress, s->finished, note);
}

/* ---- orphans */

static bool add_orphan(campaign *c, const tc_trial *t)
{
    double *values = TC_TAKE(&c->arena, c->n_params, double);
    const char *worker = tc_arena_strdup(&c->arena, t->worker);
    if (!values || !worker)
        return false;
    memcpy(values, t->values, c->n_params * sizeof *values);
    c->orphans[c->n_orphans++] =
        (tc_orphan){.trial = t->number, .worker = worker, .values = values, .pulls = t->pulls};
    return true;
}

static tacit_status find_orphans(campaign *c, tacit_error *err)
{
    tc_view running;
    TC_TRY(tc_venue_trials(c->plan.venue, TC_TRIAL_RUNNING, &running, err));
    c->orphans = TC_TAKE(&c->arena, running.n + 1, tc_orphan);
    bool ok = c->orphans != NULL;
    for (size_t i = 0; ok && i < running.n; i++)
        if (tc_worker_look_up(&c->census, running.trials[i]->worker) == TC_WORKER_DEAD)
            ok = add_orphan(c, running.trials[i]);
    tc_view_end(&running);
    return ok ? TACIT_OK : tc_fail_memory(err);
}

/* ---- starting */

static slot *free_slot(const campaign *c)
{
    size_t i = 0;
    while (c->slots[i].used)
        i++;
    tc_worker_name(&c->census, i, c->slots[i].worker);
    return &c->slots[i];
}

static tacit_status start_trial(campaign *c, slot *s, uint64_t trial, uint64_t pulls,
                                const double *values, tacit_error *err)
{
    TC_TRY(tc_runner_start(c->plan.runner, trial, values, err));
    s->used = true;
    s->trial = trial;
    s->pulls = pulls < c->plan.pulls ? pulls : c->plan.pulls;
    s->batch = (tc_batch){0};
    memcpy(s->values, values, c->n_params * sizeof *values);
    s->beat_ns = tc_clock_ns();
    c->waits = false;
    return TACIT_OK;
}

/* E_BUDGET: a coordinator has given out all trials; those that others run may come back. */
static tacit_status start_new(campaign *c, tacit_error *err)
{
    uint64_t trial, pulls = 1;
    slot *s = free_slot(c);
    bool several = c->plan.pulls > 1;
    tc_asked one = {.numbers = &trial, .pulls = several ? &pulls : NULL, .values = c->values};
    tc_venue_ask q = {.worker = s->worker,
                      .lease_ms = c->plan.lease_ms,
                      .count = 1,
                      .pulls = several ? c->plan.pulls : 0};
    TC_TRY(tc_venue_next(c->plan.venue, &q, &one, err));
    return start_trial(c, s, trial, pulls, c->values, err);
}

/* One of them runs it. Whoever comes too late leaves it: its new worker lives. */
static tacit_status start_orphan(campaign *c, tc_orphan *left, tacit_error *err)
{
    slot *s = free_slot(c);
    tacit_status st =
        tc_venue_take_over(c->plan.venue, left, s->worker, sizeof s->worker, c->plan.lease_ms, err);
    if (st == TACIT_E_STATE || st == TACIT_E_BUDGET)
        return TACIT_OK;
    TC_TRY(st);
    tc_note(c->plan.quiet, "running trial %" PRIu64 " again, which an earlier run left unfinished",
            left->trial);
    return start_trial(c, s, left->trial, left->pulls, left->values, err);
}

/* Has the user an answer left for the trial that would come next? */
static tacit_status may_start(campaign *c, bool *may, tacit_error *err)
{
    uint64_t trial =
        c->next_orphan < c->n_orphans ? c->orphans[c->next_orphan].trial : TC_NEW_TRIAL;
    size_t running = tc_runner_running(c->plan.runner);
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

/* *started: one more job runs. */
static tacit_status start_next(campaign *c, uint64_t planned, bool *started, tacit_error *err)
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
        return start_orphan(c, &c->orphans[c->next_orphan++], err);
    *started = planned + c->elsewhere < c->plan.budget;
    tacit_status st = *started ? start_new(c, err) : TACIT_OK;
    if (st != TACIT_E_BUDGET || !c->plan.venue->served)
        return st;
    *started = false;
    return TACIT_OK;
}

/* Keeps all jobs busy as long as the budget needs more trials. */
static tacit_status fill(campaign *c, tacit_error *err)
{
    bool started = true;
    while (started && !tc_runner_full(c->plan.runner) && !tc_interrupted()) {
        tc_standing s;
        TC_TRY(take_stock(c, &s, err));
        show(c, &s);
        uint64_t planned = s.finished + tc_runner_running(c->plan.runner);
        if (planned >= c->plan.budget) {
            c->elsewhere = 0;
            return TACIT_OK;
        }
        TC_TRY(start_next(c, planned, &started, err));
    }
    return TACIT_OK;
}

/* ---- signs of life */

/* One that gets lost is as good as the next one; a lease that ran out is for the report to find. */
static void beat(campaign *c)
{
    uint64_t now = tc_clock_ns(), every = (uint64_t)c->plan.lease_ms * 1000000 / BEATS;
    for (size_t i = 0; c->plan.venue->served && i < c->plan.jobs; i++) {
        slot *s = &c->slots[i];
        tacit_error why;
        if (!s->used || now - s->beat_ns < every)
            continue;
        s->beat_ns = now;
        if (tc_venue_beat(c->plan.venue, s->trial, s->worker, c->plan.lease_ms, &why) != TACIT_OK)
            tc_log(TC_LOG_INFO, "trial %" PRIu64 ": %s", s->trial, why.msg);
    }
}

/* ---- reporting */

/* There is one: jobs report about trials that were started. */
static slot *slot_of(const campaign *c, uint64_t trial)
{
    size_t i = 0;
    while (!c->slots[i].used || c->slots[i].trial != trial)
        i++;
    return &c->slots[i];
}

static tacit_status tell_reply(campaign *c, const tc_job_result *r, tacit_error *err)
{
    tc_report told = {.kind = TC_REPORT_REPLY};
    if (!r->ok)
        tc_note(c->plan.quiet,
                "trial %" PRIu64 " failed (%s); it is answered as the middle of the bounds",
                r->trial, r->reason);
    TC_TRY(tc_user_reply_give(c->plan.user, r->trial, r->ok ? r->value : (double)NAN, &told.value,
                              err));
    return tc_venue_tell(c->plan.venue, r->trial, &told, NULL, err);
}

static tacit_status tell(campaign *c, const tc_job_result *r, const tc_batch *batch,
                         tacit_error *err)
{
    if (c->plan.user)
        return tell_reply(c, r, err);
    c->failures = r->ok ? 0 : c->failures + 1;
    bool some = r->ok || batch->n > 0;
    tc_report told = {
        .kind = some ? TC_REPORT_VALUE : TC_REPORT_FAILED, .value = r->value, .reason = r->reason};
    return tc_venue_tell(c->plan.venue, r->trial, &told, batch->n > 0 ? batch : NULL, err);
}

/* One more pull of a batch. *again: it is not complete, and the program runs once more. */
static tacit_status add_pull(campaign *c, slot *s, const tc_job_result *r, bool *again,
                             tacit_error *err)
{
    int64_t reward;
    *again = false;
    if (s->pulls <= 1 || !r->ok)
        return TACIT_OK;
    TC_TRY(tc_study_reward(c->plan.venue->session.study, r->value, &reward, err));
    tc_batch_add(&s->batch, reward);
    *again = s->batch.n < s->pulls;
    return *again ? tc_runner_start(c->plan.runner, s->trial, s->values, err) : TACIT_OK;
}

static tacit_status report(campaign *c, const tc_job_result *r, tacit_error *err)
{
    slot *s = slot_of(c, r->trial);
    bool again;
    TC_TRY(add_pull(c, s, r, &again, err));
    if (again)
        return TACIT_OK;
    s->used = false;
    c->reported++;
    tacit_status st = tell(c, r, &s->batch, err);
    if (st == TACIT_E_STATE) { /* somebody told it by hand, or ran it after its lease */
        tc_note(c->plan.quiet,
                "trial %" PRIu64 " was told by somebody else; its first report stays", r->trial);
        st = TACIT_OK;
    }
    TC_TRY(st);
    if (c->plan.max_failures > 0 && c->failures >= c->plan.max_failures)
        return tc_fail(err, TACIT_E_STATE,
                       "%" PRId64 " trials failed in a row, the last with \"%s\"; mend the command "
                       "and run it again (--max-failures sets the limit)",
                       c->failures, r->reason);
    return TACIT_OK;
}

/* A coordinator that is away is not waited for any more. */
static tacit_status interrupted(campaign *c, tacit_error *err)
{
    tc_standing s;
    tacit_error why;
    tc_runner_stop(c->plan.runner, TC_RUNNER_GRACE_MS);
    if (take_stock(c, &s, &why) != TACIT_OK)
        return tc_fail(err, TACIT_E_CANCELLED, "interrupted; the same command goes on (%s)",
                       why.msg);
    return tc_fail(err, TACIT_E_CANCELLED,
                   "interrupted with %" PRIu64 " of %" PRIu64
                   " trials finished; the same command goes on from here",
                   s.finished, c->plan.budget);
}

/* Nothing runs here. True: others run trials of a coordinator's, which are waited for. */
static bool wait_for_others(campaign *c)
{
    if (!c->plan.venue->served || c->elsewhere == 0)
        return false;
    if (!c->waits)
        tc_note(c->plan.quiet, "waiting for %" PRIu64 " trial%s that others run", c->elsewhere,
                c->elsewhere == 1 ? "" : "s");
    c->waits = true;
    nanosleep(&(struct timespec){.tv_sec = 1}, NULL);
    return true;
}

static tacit_status loop(campaign *c, tacit_error *err)
{
    int idle = 0; /* ticks since a job ended */
    for (;;) {
        tc_job_result result;
        bool done = false;
        if (!c->plan.venue->served || idle % TICKS == 0)
            TC_TRY(fill(c, err));
        if (tc_interrupted())
            return interrupted(c, err);
        if (tc_runner_running(c->plan.runner) == 0) {
            if (!wait_for_others(c))
                return TACIT_OK;
            continue;
        }
        TC_TRY(tc_runner_wait(c->plan.runner, TICK_MS, &result, &done, err));
        if (done)
            TC_TRY(report(c, &result, err));
        idle = done ? 0 : idle + 1;
        beat(c);
    }
}

static tacit_status run(campaign *c, tacit_error *err)
{
    c->slots = tc_alloc(c->plan.jobs, sizeof *c->slots);
    c->values = tc_alloc(c->n_params, sizeof *c->values);
    if (!c->slots || !c->values)
        return tc_fail_memory(err);
    for (size_t i = 0; i < c->plan.jobs; i++)
        c->slots[i].values = TC_TAKE(&c->arena, c->n_params, double);
    if (c->arena.failed)
        return tc_fail_memory(err);
    tc_census_begin(&c->census);
    tacit_error why = {0};
    tacit_status st = find_orphans(c, &why);
    if (st == TACIT_OK)
        st = loop(c, &why);
    if (st == TACIT_E_IO && tc_interrupted())
        return interrupted(c, err);
    return st == TACIT_OK ? st : tc_fail(err, st, "%s", why.msg);
}

tacit_status tc_campaign_run(const tc_campaign_plan *plan, tacit_error *err)
{
    const tc_study_doc *doc = tc_venue_document(plan->venue);
    campaign c = {.plan = *plan, .n_params = doc->space->n_params};
    c.progress = tc_progress_start(doc->name, plan->budget, plan->quiet);
    tacit_status st = run(&c, err);
    tc_progress_end(c.progress);
    tc_free(c.slots);
    tc_free(c.values);
    tc_arena_fini(&c.arena);
    return st;
}
