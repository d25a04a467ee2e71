/* campaign.c - see campaign.h. */
#include "campaign.h"

#include "base/memory.h"
#include "worker.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

enum { TICK_MS = 250 }; /* how soon an interruption that fell between two waits is seen */

typedef struct orphan {
    uint64_t trial;
    const char *worker; /* the dead one */
    double *values;
} orphan;

typedef struct slot {
    bool used;
    uint64_t trial;
} slot;

typedef struct campaign {
    tc_campaign_plan plan;
    size_t n_params;
    double *values; /* of the trial just asked for */
    slot *slots;    /* plan.jobs of them */
    tc_arena arena; /* the orphans' values and workers */
    tc_census census;
    orphan *orphans;
    size_t n_orphans, next_orphan;
    int64_t failures; /* in a row */
    uint64_t reported;
    tc_progress *progress;
} campaign;

/* ---- what the journal says */

typedef struct standing {
    uint64_t finished;
    uint64_t elsewhere; /* run by living processes of this host other than ours */
    uint64_t failed;
    bool has_best;
    uint64_t best_trial;
    double best;
} standing;

static bool is_ours(const campaign *c, uint64_t trial)
{
    for (size_t i = 0; i < c->plan.jobs; i++)
        if (c->slots[i].used && c->slots[i].trial == trial)
            return true;
    return false;
}

static uint64_t count_elsewhere(campaign *c, const tc_optimizer *o)
{
    size_t ours = tc_runner_running(c->plan.runner) + (c->n_orphans - c->next_orphan);
    if (tc_optimizer_count(o, TC_TRIAL_RUNNING) <= ours)
        return 0;
    uint64_t n = 0;
    tc_census_forget(&c->census);
    for (size_t i = 0; i < tc_optimizer_trials(o); i++) {
        const tc_trial *t = tc_optimizer_trial(o, i);
        n += t->state == TC_TRIAL_RUNNING && !is_ours(c, i) &&
             tc_worker_look_up(&c->census, t->worker) == TC_WORKER_ALIVE;
    }
    return n;
}

static tacit_status take_stock(campaign *c, standing *out, tacit_error *err)
{
    const tc_optimizer *o;
    TC_TRY(tc_study_look(c->plan.study, &o, err));
    const tc_trial *best = tc_optimizer_best(o);
    *out = (standing){.failed = tc_optimizer_count(o, TC_TRIAL_FAIL)};
    out->finished = tc_optimizer_pulls(o, TC_TRIAL_COMPLETE) + out->failed;
    out->elsewhere = count_elsewhere(c, o);
    if (best) {
        out->has_best = true;
        out->best_trial = best->number;
        out->best = best->value;
    }
    tc_study_unlook(c->plan.study);
    return TACIT_OK;
}

static void show(const campaign *c, const standing *s)
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

static bool is_orphan(campaign *c, const tc_trial *t)
{
    return t->state == TC_TRIAL_RUNNING &&
           tc_worker_look_up(&c->census, t->worker) == TC_WORKER_DEAD;
}

static bool add_orphan(campaign *c, const tc_trial *t)
{
    double *values = TC_TAKE(&c->arena, c->n_params, double);
    const char *worker = tc_arena_strdup(&c->arena, t->worker);
    if (!values || !worker)
        return false;
    memcpy(values, t->values, c->n_params * sizeof *values);
    c->orphans[c->n_orphans++] = (orphan){.trial = t->number, .worker = worker, .values = values};
    return true;
}

static tacit_status find_orphans(campaign *c, tacit_error *err)
{
    const tc_optimizer *o;
    TC_TRY(tc_study_look(c->plan.study, &o, err));
    c->orphans = TC_TAKE(&c->arena, tc_optimizer_count(o, TC_TRIAL_RUNNING) + 1, orphan);
    bool ok = c->orphans != NULL;
    for (size_t i = 0; ok && i < tc_optimizer_trials(o); i++)
        if (is_orphan(c, tc_optimizer_trial(o, i)))
            ok = add_orphan(c, tc_optimizer_trial(o, i));
    tc_study_unlook(c->plan.study);
    return ok ? TACIT_OK : tc_fail_memory(err);
}

/* ---- starting */

static size_t free_slot(const campaign *c)
{
    size_t i = 0;
    while (c->slots[i].used)
        i++;
    return i;
}

static tacit_status start_trial(campaign *c, size_t at, uint64_t trial, const double *values,
                                tacit_error *err)
{
    TC_TRY(tc_runner_start(c->plan.runner, trial, values, err));
    c->slots[at] = (slot){.used = true, .trial = trial};
    return TACIT_OK;
}

static tacit_status start_new(campaign *c, tacit_error *err)
{
    char worker[TC_WORKER_MAX];
    uint64_t trial;
    size_t at = free_slot(c);
    tc_worker_name(&c->census, at, worker);
    TC_TRY(tc_study_ask(c->plan.study, worker, c->plan.lease_ms, &trial, c->values, err));
    return start_trial(c, at, trial, c->values, err);
}

/* The journal decides who runs it. Whoever comes too late leaves it: its new worker lives. */
static tacit_status start_orphan(campaign *c, const orphan *left, tacit_error *err)
{
    char worker[TC_WORKER_MAX];
    size_t at = free_slot(c);
    tc_worker_name(&c->census, at, worker);
    const tc_claim claim = {.from = left->worker, .to = worker, .lease_ms = c->plan.lease_ms};
    tacit_status st = tc_study_reclaim(c->plan.study, left->trial, &claim, err);
    if (st == TACIT_E_STATE)
        return TACIT_OK;
    TC_TRY(st);
    tc_note(c->plan.quiet, "running trial %" PRIu64 " again, which an earlier run left unfinished",
            left->trial);
    return start_trial(c, at, left->trial, left->values, err);
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

/* Keeps all jobs busy as long as the budget needs more trials. */
static tacit_status fill(campaign *c, tacit_error *err)
{
    while (!tc_runner_full(c->plan.runner) && !tc_interrupted()) {
        standing s;
        TC_TRY(take_stock(c, &s, err));
        show(c, &s);
        uint64_t planned = s.finished + tc_runner_running(c->plan.runner);
        if (planned >= c->plan.budget)
            return TACIT_OK;
        bool may;
        TC_TRY(may_start(c, &may, err));
        if (!may)
            return TACIT_OK;
        if (c->next_orphan < c->n_orphans) {
            TC_TRY(start_orphan(c, &c->orphans[c->next_orphan++], err));
        } else if (planned + s.elsewhere < c->plan.budget) {
            TC_TRY(start_new(c, err));
        } else {
            return TACIT_OK;
        }
    }
    return TACIT_OK;
}

/* ---- reporting */

static void release_slot(campaign *c, uint64_t trial)
{
    for (size_t i = 0; i < c->plan.jobs; i++)
        if (c->slots[i].used && c->slots[i].trial == trial)
            c->slots[i].used = false;
}

static tacit_status tell_reply(campaign *c, const tc_job_result *r, tacit_error *err)
{
    double reply;
    if (!r->ok)
        tc_note(c->plan.quiet,
                "trial %" PRIu64 " failed (%s); it is answered as the middle of the bounds",
                r->trial, r->reason);
    TC_TRY(tc_user_reply_give(c->plan.user, r->trial, r->ok ? r->value : (double)NAN, &reply, err));
    return tc_study_tell(c->plan.study, r->trial, NULL, reply, err);
}

static tacit_status tell(campaign *c, const tc_job_result *r, tacit_error *err)
{
    if (c->plan.user)
        return tell_reply(c, r, err);
    c->failures = r->ok ? 0 : c->failures + 1;
    return r->ok ? tc_study_tell(c->plan.study, r->trial, NULL, r->value, err)
                 : tc_study_fail(c->plan.study, r->trial, r->reason, err);
}

static tacit_status report(campaign *c, const tc_job_result *r, tacit_error *err)
{
    release_slot(c, r->trial);
    c->reported++;
    tacit_status st = tell(c, r, err);
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

static tacit_status interrupted(campaign *c, tacit_error *err)
{
    standing s;
    tc_runner_stop(c->plan.runner, TC_RUNNER_GRACE_MS);
    TC_TRY(take_stock(c, &s, err));
    return tc_fail(err, TACIT_E_CANCELLED,
                   "interrupted with %" PRIu64 " of %" PRIu64
                   " trials finished; the same command goes on from here",
                   s.finished, c->plan.budget);
}

static tacit_status loop(campaign *c, tacit_error *err)
{
    for (;;) {
        tc_job_result result;
        bool done;
        TC_TRY(fill(c, err));
        if (tc_interrupted())
            return interrupted(c, err);
        if (tc_runner_running(c->plan.runner) == 0)
            return TACIT_OK;
        TC_TRY(tc_runner_wait(c->plan.runner, TICK_MS, &result, &done, err));
        if (done)
            TC_TRY(report(c, &result, err));
    }
}

static tacit_status run(campaign *c, tacit_error *err)
{
    c->slots = tc_alloc(c->plan.jobs, sizeof *c->slots);
    c->values = tc_alloc(c->n_params, sizeof *c->values);
    if (!c->slots || !c->values)
        return tc_fail_memory(err);
    tc_census_begin(&c->census);
    TC_TRY(find_orphans(c, err));
    return loop(c, err);
}

tacit_status tc_campaign_run(const tc_campaign_plan *plan, tacit_error *err)
{
    campaign c = {.plan = *plan, .n_params = tc_study_document(plan->study)->space->n_params};
    c.progress = tc_progress_start(tc_study_name(plan->study), plan->budget, plan->quiet);
    tacit_status st = run(&c, err);
    tc_progress_end(c.progress);
    tc_free(c.slots);
    tc_free(c.values);
    tc_arena_fini(&c.arena);
    return st;
}
