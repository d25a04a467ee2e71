/* campaign_report.c - what came of a campaign's trials, told to a storage or a coordinator (campaign_int.h).
 *
 * A report stays in its slot until it was taken. So while a coordinator is away programs go on, are ended when
 * their time is over, and nothing that they said is lost. */
#include "study/campaign_int.h"

#include "base/clock.h"
#include "base/log.h"

#include <inttypes.h>
#include <math.h>

enum { BEATS = 3, PAUSE_FIRST_MS = 100, PAUSE_MOST_MS = 5000, MS = 1000000 };

/* ---- a coordinator that is away ---- */

bool tc_campaign_may_ask(const tc_campaign *c)
{
    return !c->away || tc_clock_ns() >= c->ask_ns;
}

tacit_status tc_campaign_excuse(tc_campaign *c, tacit_status st, const tacit_error *why,
                                tacit_error *err)
{
    uint64_t now = tc_clock_ns();
    bool away = st != TACIT_OK && tacit_study_is_away(c->plan.study);
    if (away && !c->away) {
        tc_note(c->plan.quiet || tc_interrupted(), "%s; trying again", why->msg);
        c->away_ns = now;
        c->pause_ms = PAUSE_FIRST_MS;
    } else if (away) {
        c->pause_ms = 2 * c->pause_ms < PAUSE_MOST_MS ? 2 * c->pause_ms : PAUSE_MOST_MS;
    }
    c->away = away;
    if (st == TACIT_OK)
        return TACIT_OK;
    if (!away || (now - c->away_ns) / MS > (uint64_t)(c->plan.patience_s * 1000))
        return tc_fail(err, st, "%s", why->msg);
    c->ask_ns = now + (uint64_t)c->pause_ms * MS;
    return TACIT_OK;
}

/* ---- signs of life ---- */

/* One that gets lost is as good as the next one; a lease that ran out is for the report to find. */
void tc_campaign_beat(tc_campaign *c)
{
    uint64_t now = tc_clock_ns(), every = (uint64_t)c->plan.lease_ms * MS / BEATS;
    bool leased = c->plan.served || c->plan.client;
    for (size_t i = 0; leased && i < c->plan.jobs && tc_campaign_may_ask(c); i++) {
        tc_slot *s = &c->slots[i];
        tacit_error why, late;
        if (!s->used || now - s->beat_ns < every)
            continue;
        tacit_status st =
            tacit_study_renew(c->plan.study, s->trial, s->worker, c->plan.lease_ms, NULL, &why);
        if (st != TACIT_OK)
            tc_log(TC_LOG_INFO, "trial %" PRIu64 ": %s", s->trial, why.msg);
        if (st == TACIT_OK || !tacit_study_is_away(c->plan.study))
            s->beat_ns = now;
        else
            (void)tc_campaign_excuse(c, st, &why,
                                     &late); /* patience ends with what needs an answer */
    }
}

/* ---- making reports ---- */

static tacit_status make_reply(tc_campaign *c, tc_slot *s, tacit_error *err)
{
    const tc_job_result *r = &s->result;
    if (!r->ok)
        tc_note(c->plan.quiet,
                "trial %" PRIu64 " failed (%s); it is answered as the middle of the bounds",
                r->trial, r->reason);
    s->told = (tacit_report){.size = sizeof s->told, .kind = TACIT_REPORT_REPLY};
    return tc_user_reply_give(c->plan.user, r->trial, r->ok ? r->value : (double)NAN,
                              &s->told.value, err);
}

static tacit_status make_report(tc_campaign *c, tc_slot *s, tacit_error *err)
{
    const tc_job_result *r = &s->result;
    if (c->plan.user)
        return make_reply(c, s, err);
    c->failures = r->ok ? 0 : c->failures + 1;
    s->told = (tacit_report){.size = sizeof s->told,
                             .kind = s->batch.pulls > 0 ? TACIT_REPORT_BATCH
                                     : r->ok            ? TACIT_REPORT_VALUE
                                                        : TACIT_REPORT_FAILED,
                             .value = r->value,
                             .reason = r->reason,
                             .batch = s->batch};
    return TACIT_OK;
}

/* One more pull of a batch. *again: it is not complete, and the program runs once more. */
static tacit_status add_pull(tc_campaign *c, tc_slot *s, const tc_job_result *r, bool *again,
                             tacit_error *err)
{
    *again = false;
    if (s->pulls <= 1 || !r->ok)
        return TACIT_OK;
    TC_TRY(tacit_study_add_pull(c->plan.study, &s->batch, r->value, err));
    *again = s->batch.pulls < s->pulls;
    return *again ? tc_runner_start(c->plan.runner, s->trial, s->values, err) : TACIT_OK;
}

/* There is one: jobs report about trials that were started. */
static tc_slot *slot_of(const tc_campaign *c, uint64_t trial)
{
    size_t i = 0;
    while (!c->slots[i].used || c->slots[i].ended || c->slots[i].trial != trial)
        i++;
    return &c->slots[i];
}

tacit_status tc_campaign_end_job(tc_campaign *c, const tc_job_result *r, tacit_error *err)
{
    tc_slot *s = slot_of(c, r->trial);
    bool again;
    TC_TRY(add_pull(c, s, r, &again, err));
    if (again)
        return TACIT_OK;
    s->result = *r;
    s->ended = true;
    c->reported++;
    return make_report(c, s, err);
}

/* ---- telling ---- */

static void end_slot(tc_campaign *c, tc_slot *s)
{
    s->used = s->ended = false;
    if (c->plan.client)
        tc_user_client_note(c->plan.client, (size_t)(s - c->slots), TC_NEW_TRIAL);
}

static void say_untold(const tc_campaign *c, const tc_slot *s, const char *why)
{
    if (c->plan.user)
        tc_note(false,
                "tacit: the reply about trial %" PRIu64 " was not told (%s); it is in the "
                "ledger, and the same command tells it",
                s->trial, why);
    else if (s->told.kind == TACIT_REPORT_FAILED)
        tc_note(false, "tacit: that trial %" PRIu64 " failed was not told (%s)", s->trial, why);
    else
        tc_note(false, "tacit: the value of trial %" PRIu64 ", %.17g, was not told (%s)", s->trial,
                s->told.value, why);
}

void tc_campaign_say_untold(const tc_campaign *c)
{
    for (size_t i = 0; i < c->plan.jobs; i++)
        if (c->slots[i].used && c->slots[i].ended)
            say_untold(c, &c->slots[i], "interrupted");
}

/* Is it finished, by somebody who told it by hand or ran it after its lease? */
static tacit_status is_finished(tc_campaign *c, uint64_t trial, bool *out, tacit_error *err)
{
    tacit_trial *t;
    TC_TRY(tacit_study_trial(c->plan.study, trial, &t, err));
    *out = t->state == TACIT_TRIAL_COMPLETE || t->state == TACIT_TRIAL_FAIL;
    tacit_trial_free(t);
    return TACIT_OK;
}

/* E_STATE has many reasons. Only a look at the trial tells whether another report was first; else the study takes
 * none any more, or it is no longer the coordinator that we knew. */
static tacit_status find_out(tc_campaign *c, tc_slot *s, const tacit_error *why, tacit_error *err)
{
    bool finished = false;
    tacit_error late = {0};
    tacit_status st = is_finished(c, s->trial, &finished, &late);
    if (st != TACIT_OK && tacit_study_is_away(c->plan.study))
        return tc_campaign_excuse(c, st, &late, err); /* and it is told again, later */
    if (st == TACIT_OK && finished) {
        tc_note(c->plan.quiet,
                "trial %" PRIu64 " was told by somebody else; its first report stays", s->trial);
        end_slot(c, s);
        return TACIT_OK;
    }
    say_untold(c, s, why->msg);
    s->used = s->ended = false; /* its worker is remembered: it may be told another time */
    c->refused = true;
    c->refusal = *why;
    return TACIT_OK;
}

static tacit_status tell(tc_campaign *c, tc_slot *s, tacit_error *err)
{
    tacit_error why = {0};
    tacit_status st = tacit_study_report(c->plan.study, s->trial, &s->told, &why);
    if (st == TACIT_E_STATE)
        return find_out(c, s, &why, err);
    TC_TRY(tc_campaign_excuse(c, st, &why, err));
    if (st != TACIT_OK)
        return TACIT_OK;
    end_slot(c, s);
    if (c->plan.max_failures > 0 && c->failures >= c->plan.max_failures)
        return tc_fail(err, TACIT_E_STATE,
                       "%" PRId64 " trials failed in a row, the last with \"%s\"; mend the command "
                       "and run it again (--max-failures sets the limit)",
                       c->failures, s->result.reason);
    return TACIT_OK;
}

tacit_status tc_campaign_deliver(tc_campaign *c, tacit_error *err)
{
    for (size_t i = 0; i < c->plan.jobs && tc_campaign_may_ask(c); i++)
        if (c->slots[i].used && c->slots[i].ended)
            TC_TRY(tell(c, &c->slots[i], err));
    return TACIT_OK;
}

/* ---- what an earlier run has left ---- */

static tacit_status tell_one_paid(tc_campaign *c, size_t worker, tacit_error *err)
{
    uint64_t trial = c->plan.client->workers[worker].trial;
    tacit_report told = TACIT_REPORT;
    told.kind = TACIT_REPORT_REPLY;
    tacit_error why = {0};
    tacit_status st = tc_user_reply_recall(c->plan.user, trial, &told.value, &why);
    if (st == TACIT_E_NOT_FOUND)
        return TACIT_OK;
    if (st == TACIT_OK)
        st = tacit_study_report(c->plan.study, trial, &told, &why);
    if (st == TACIT_OK)
        tc_note(c->plan.quiet,
                "told the reply about trial %" PRIu64 " that an earlier run had made", trial);
    else if (st == TACIT_E_STATE || st == TACIT_E_NOT_FOUND)
        tc_note(c->plan.quiet, "the reply about trial %" PRIu64 " of an earlier run: %s", trial,
                why.msg);
    else
        return tc_fail(err, st, "%s", why.msg);
    tc_user_client_note(c->plan.client, worker, TC_NEW_TRIAL);
    c->reported++;
    return TACIT_OK;
}

/* What was not paid for is given back by the coordinator or the storage, to whoever asks under the same name. */
tacit_status tc_campaign_tell_paid(tc_campaign *c, tacit_error *err)
{
    tc_user_client *client = c->plan.client;
    for (size_t i = 0; client && i < client->n; i++)
        if (client->workers[i].trial != TC_NEW_TRIAL)
            TC_TRY(tell_one_paid(c, i, err));
    return TACIT_OK;
}
