/* lease.c - how long a worker may have a trial: more time for one that lives, none for one that is gone
 * (study.h). Called by study_local.c and coord/. */
#include "study/study_int.h"

#include "base/error.h"

#include <inttypes.h>
#include <string.h>

static int64_t lease_end(const tc_trial *t)
{
    return t->lease_ms > 0 ? t->asked_ms + t->lease_ms : 0;
}

/* ---- more time ---- */

/* Heartbeats every second would fill the journal. An extension is stored only if it adds at least an eighth of
 * the lease and three seconds (for short leases, a third). What counts is the time that it adds, so longer and
 * longer leases are no way around it. */
enum { WORTH = 8, LEAST_MS = 3000, LEAST = 3 };

static int64_t worth(int64_t lease_ms)
{
    int64_t least = lease_ms / LEAST < LEAST_MS ? lease_ms / LEAST : LEAST_MS;
    return lease_ms / WORTH > least ? lease_ms / WORTH : least;
}

static tacit_status find_trial(const tc_optimizer *o, uint64_t trial, const tc_trial **out,
                               tacit_error *err)
{
    *out = tc_optimizer_trial(o, trial);
    return *out ? TACIT_OK
                : tc_fail(err, TACIT_E_NOT_FOUND,
                          "there is no trial %" PRIu64 "; this study has %zu", trial,
                          tc_optimizer_trials(o));
}

static tacit_status check_running(const tc_trial *t, tacit_error *err)
{
    return t->state == TC_TRIAL_RUNNING
               ? TACIT_OK
               : tc_fail(err, TACIT_E_STATE, "trial %" PRIu64 " is not running, it is %s",
                         t->number, tc_trial_state_name(t->state));
}

static tacit_status find_running(const tc_optimizer *o, uint64_t trial, const char *worker,
                                 const tc_trial **out, tacit_error *err)
{
    const tc_trial *t;
    TC_TRY(find_trial(o, trial, &t, err));
    TC_TRY(check_running(t, err));
    if (!t->worker || strcmp(t->worker, worker) != 0)
        return tc_fail(err, TACIT_E_STATE, "trial %" PRIu64 " is not run by \"%.255s\"", trial,
                       worker);
    *out = t;
    return TACIT_OK;
}

/* Its lease ends and it is handed out again, in one append, as reclaim.c does; the second event keeps the
 * time at which the trial began, unless it begins anew. Then it is a new attempt (algo/optimizer.h): one that has reported
 * nothing yet has nothing that a new one could be taken for, so who asks again and again fills no journal. */
typedef struct extending {
    uint64_t trial;
    const char *worker;
    int64_t lease_ms;
    bool again; /* the worker may have begun anew */
    int64_t until_ms;
} extending;

static tacit_status extend_seen(tc_study *s, const tc_optimizer *o, void *user, tacit_error *err)
{
    extending *x = user;
    const tc_trial *t = NULL;
    TC_TRY(find_running(o, x->trial, x->worker, &t, err));
    int64_t now = tc_study_now(s), until = now + x->lease_ms;
    const bool anew = x->again && t->reported && t->lease_ms > 0;
    const int64_t began = anew ? now : t->asked_ms;
    if (!anew && (t->lease_ms == 0 || lease_end(t) + worth(x->lease_ms) > until)) {
        x->until_ms = lease_end(t);
        return TACIT_OK;
    }
    tc_event events[] = {{.kind = TC_EVENT_STALE, .trial = x->trial, .time_ms = now},
                         {.kind = TC_EVENT_ASK,
                          .trial = x->trial,
                          .time_ms = began,
                          .values = t->values,
                          .pulls = t->pulls,
                          .worker = t->worker,
                          .lease_ms = until - began}};
    TC_TRY(tc_study_append_seen(s, events, 2, false, err));
    x->until_ms = until;
    return TACIT_OK;
}

tacit_status tc_study_extend(tc_study *s, uint64_t trial, const char *worker, int64_t lease_ms,
                             int64_t *until_ms, tacit_error *err)
{
    extending x = {.trial = trial, .worker = worker, .lease_ms = lease_ms};
    TC_TRY(tc_study_change(s, extend_seen, &x, err));
    *until_ms = x.until_ms;
    return TACIT_OK;
}

tacit_status tc_study_resume(tc_study *s, uint64_t trial, const char *worker, int64_t lease_ms,
                             tacit_error *err)
{
    extending x = {.trial = trial, .worker = worker, .lease_ms = lease_ms, .again = true};
    return tc_study_change(s, extend_seen, &x, err);
}

/* ---- none ---- */

static tacit_status requeue_seen(tc_study *s, const tc_optimizer *o, void *user, tacit_error *err)
{
    const uint64_t *trial = user;
    const tc_trial *t = NULL;
    TC_TRY(find_trial(o, *trial, &t, err));
    if (t->state == TC_TRIAL_STALE)
        return TACIT_OK;
    TC_TRY(check_running(t, err));
    return tc_study_append_seen(
        s, &(tc_event){.kind = TC_EVENT_STALE, .trial = *trial, .time_ms = tc_study_now(s)}, 1,
        false, err);
}

tacit_status tc_study_requeue(tc_study *s, uint64_t trial, tacit_error *err)
{
    return tc_study_change(s, requeue_seen, &trial, err);
}

static tacit_status expire_locked(tc_study *s, int64_t *next_ms, tacit_error *err)
{
    int64_t now = tc_study_now(s);
    TC_TRY(tc_study_catch_up(s, err));
    size_t running = tc_optimizer_count(s->opt, TC_TRIAL_RUNNING);
    for (uint64_t i = 0; running > 0 && i < tc_optimizer_trials(s->opt); i++) {
        const tc_trial *t = tc_optimizer_trial(s->opt, i);
        if (t->state != TC_TRIAL_RUNNING)
            continue;
        running--;
        int64_t over = lease_end(t) + 1; /* as tc_trial_is_overdue has it */
        if (tc_trial_is_overdue(t, now))
            TC_TRY(tc_study_append_here(
                s, &(tc_event){.kind = TC_EVENT_STALE, .trial = i, .time_ms = now}, false, err));
        else if (t->lease_ms > 0 && over < *next_ms)
            *next_ms = over;
    }
    return TACIT_OK;
}

tacit_status tc_study_expire(tc_study *s, int64_t *next_ms, tacit_error *err)
{
    *next_ms = INT64_MAX;
    tc_study_keep_time(s);
    if (!tc_study_time_is_sure(s)) /* the next tick may be */
        return TACIT_OK;
    if (pthread_mutex_trylock(&s->lock) != 0)
        return TACIT_OK;
    tacit_status status = expire_locked(s, next_ms, err);
    pthread_mutex_unlock(&s->lock);
    if (status != TACIT_E_CONFLICT)
        return status;
    *next_ms = tc_study_now(s); /* others were faster: the next time sees what they did */
    return TACIT_OK;
}
