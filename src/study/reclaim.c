/* reclaim.c - a worker that comes back gets what it had; a trial passes from a worker that is gone to one that lives.
 *
 * To pass it on, its lease ends and it is asked for again, in one append: nobody sees it free in
 * between, and of all who reach for it the journal lets one through. */
#include "study/study_int.h"

#include "base/error.h"

#include <inttypes.h>
#include <string.h>

/* E_STATE unless `from` still runs the trial. */
static tacit_status check_owner(const tc_trial *t, const char *from, tacit_error *err)
{
    if (t->state != TC_TRIAL_RUNNING)
        return tc_fail(err, TACIT_E_STATE, "trial %" PRIu64 " is not running, it is %s", t->number,
                       tc_trial_state_name(t->state));
    if (!t->worker || strcmp(t->worker, from) != 0)
        return tc_fail(err, TACIT_E_STATE, "trial %" PRIu64 " is run by %.255s, not by %.255s",
                       t->number, t->worker ? t->worker : "somebody without a name", from);
    return TACIT_OK;
}

typedef struct reclaiming {
    uint64_t trial;
    const tc_claim *claim;
} reclaiming;

static tacit_status reclaim_seen(tc_study *s, const tc_optimizer *o, void *user, tacit_error *err)
{
    const reclaiming *r = user;
    const tc_claim *claim = r->claim;
    uint64_t trial = r->trial;
    const tc_trial *t = tc_optimizer_trial(o, trial);
    if (!t)
        return tc_fail(err, TACIT_E_NOT_FOUND, "there is no trial %" PRIu64 "; this study has %zu",
                       trial, tc_optimizer_trials(o));
    TC_TRY(check_owner(t, claim->from, err));
    int64_t now = tc_study_now(s);
    tc_event events[] = {{.kind = TC_EVENT_STALE, .trial = trial, .time_ms = now},
                         {.kind = TC_EVENT_ASK,
                          .trial = trial,
                          .time_ms = now,
                          .values = t->values,
                          .pulls = t->pulls,
                          .worker = claim->to,
                          .lease_ms = claim->lease_ms}};
    return tc_study_append_seen(s, events, 2, true, err);
}

tacit_status tc_study_reclaim(tc_study *s, uint64_t trial, const tc_claim *claim, tacit_error *err)
{
    return tc_study_change(s, reclaim_seen, &(reclaiming){.trial = trial, .claim = claim}, err);
}

/* ---- coming back ---- */

static bool runs(const char *worker, const tc_trial *t)
{
    return t && t->state == TC_TRIAL_RUNNING && t->worker && strcmp(t->worker, worker) == 0;
}

/* The first trial from *number on that the worker runs. */
static tacit_status find_running(tc_study *s, const char *worker, tc_reading *reading,
                                 uint64_t *number, bool *found, tacit_error *err)
{
    const tc_optimizer *o;
    TC_TRY(tc_study_look_on(s, reading, &o, err));
    uint64_t n = tc_optimizer_count(o, TC_TRIAL_RUNNING) > 0 ? tc_optimizer_trials(o) : 0;
    while (*number < n && !runs(worker, tc_optimizer_trial(o, *number)))
        ++*number;
    *found = *number < n;
    tc_study_unlook(s);
    return TACIT_OK;
}

tacit_status tc_study_take(tc_study *s, const char *worker, uint64_t trial, tc_trial_taker take,
                           void *user, bool *more, tacit_error *err)
{
    const tc_optimizer *o;
    TC_TRY(tc_study_look(s, &o, err));
    const tc_trial *t = tc_optimizer_trial(o, trial);
    tacit_status status = runs(worker, t) ? take(user, t, more, err) : TACIT_OK;
    tc_study_unlook(s);
    return status;
}

tacit_status tc_study_give_back(tc_study *s, const tc_ask_request *req, tc_reading *reading,
                                tc_trial_taker take, void *user, tacit_error *err)
{
    bool more = true, found;
    for (uint64_t number = 0; more; number++) {
        tacit_error why = {0};
        TC_TRY(find_running(s, req->worker, reading, &number, &found, err));
        if (!found)
            return TACIT_OK;
        tacit_status status = TACIT_OK;
        if (req->lease_ms > 0)
            status = tc_study_resume(s, number, req->worker, req->lease_ms, &why);
        if (status == TACIT_E_STATE) /* its lease was over meanwhile, and another worker has it */
            continue;
        TC_TRY(tc_pass_on(err, status, &why));
        TC_TRY(tc_study_take(s, req->worker, number, take, user, &more, err));
    }
    return TACIT_OK;
}
