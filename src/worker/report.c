/* report.c - what came of a worker's trials, told to a storage or a coordinator (loop_int.h).
 *
 * A report stays in its slot until it was taken. So while a coordinator is away programs go on, are ended when
 * their time is over, and nothing that they said is lost. */
#include "worker/loop_int.h"

#include "base/clock.h"
#include "base/error.h"
#include "base/log.h"
#include "study/handle.h"

#include <inttypes.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>

enum { RENEWALS = 3, PATIENCE_S = 10, PAUSE_FIRST_MS = 100, PAUSE_MOST_MS = 5000, MS = 1000000 };

/* ---- what is said ---- */

void tc_worker_emit(const tc_worker *w, tacit_worker_event event)
{
    event.size = sizeof event;
    if (w->opts.listen)
        w->opts.listen(w->opts.user, &event);
}

void tc_worker_note(const tc_worker *w, const char *fmt, ...)
{
    char text[640];
    va_list args;
    va_start(args, fmt);
    vsnprintf(text, sizeof text, fmt, args);
    va_end(args);
    tc_worker_emit(w, (tacit_worker_event){.kind = TACIT_WORKER_NOTE, .text = text});
}

/* ---- a coordinator that is away ---- */

/* As tacit_storage_opts has it. */
static uint64_t patience_ms(const tc_worker *w)
{
    double s = w->study->storage->patience_s;
    return s < 0 ? 0 : (uint64_t)((s > 0 ? fmin(s, 1e12) : PATIENCE_S) * 1000);
}

bool tc_worker_may_ask(const tc_worker *w)
{
    return !w->away || tc_clock_ns() >= w->ask_ns;
}

tacit_status tc_worker_retry(tc_worker *w, tacit_status status, const tacit_error *why,
                             tacit_error *err)
{
    uint64_t now = tc_clock_ns();
    bool away = status != TACIT_OK && tacit_study_is_away(w->study);
    if (away && !w->away) {
        if (!tc_worker_stops(w))
            tc_worker_note(w, "%s; trying again", why->msg);
        w->away_ns = now;
        w->pause_ms = PAUSE_FIRST_MS;
    } else if (away) {
        w->pause_ms = 2 * w->pause_ms < PAUSE_MOST_MS ? 2 * w->pause_ms : PAUSE_MOST_MS;
    }
    w->away = away;
    if (status == TACIT_OK)
        return TACIT_OK;
    if (!away || (now - w->away_ns) / MS > patience_ms(w))
        return tc_pass_on(err, status, why);
    w->ask_ns = now + (uint64_t)w->pause_ms * MS;
    return TACIT_OK;
}

/* ---- signs of life ---- */

/* One that gets lost is as good as the next one; a lease that ran out is for the report to find. */
void tc_worker_renew(tc_worker *w)
{
    uint64_t now = tc_clock_ns(), every = (uint64_t)w->opts.lease_ms * MS / RENEWALS;
    for (size_t i = 0; w->renews && i < w->opts.jobs && tc_worker_may_ask(w); i++) {
        tc_slot *s = &w->slots[i];
        tacit_error why, late;
        if (!s->used || now - s->renewed_ns < every)
            continue;
        tacit_status status =
            tacit_study_renew(w->study, s->trial, s->worker, w->opts.lease_ms, NULL, &why);
        if (status != TACIT_OK)
            tc_log(TC_LOG_INFO, "trial %" PRIu64 ": %s", s->trial, why.msg);
        if (status == TACIT_OK || !tacit_study_is_away(w->study))
            s->renewed_ns = now;
        else
            (void)tc_worker_retry(w, status, &why,
                                  &late); /* patience ends with what needs an answer */
    }
}

/* ---- making reports ---- */

static tacit_status make_reply(tc_worker *w, tc_slot *s, tacit_error *err)
{
    const tc_job_result *r = &s->result;
    if (!r->ok)
        tc_worker_note(w,
                       "trial %" PRIu64 " failed (%s); it is answered as the middle of the bounds",
                       r->trial, r->reason);
    s->told = (tacit_report){.size = sizeof s->told, .kind = TACIT_REPORT_REPLY};
    return tacit_user_reply(w->opts.as, r->trial, r->ok ? r->value : (double)NAN, &s->told.value,
                            err);
}

/* The rule that ended a program, as the reason of its trial; of a function what it said itself. */
static void give_reason(const tc_worker *w, tc_slot *s)
{
    const tacit_verdict *v = &s->verdict;
    if (v->stop)
        snprintf(s->result.reason, sizeof s->result.reason, "%s %.6g of %" PRIu64 " trials",
                 tacit_prune_rule_name(w->opts.prune->rule), v->bound, v->compared);
}

static tacit_status make_report(tc_worker *w, tc_slot *s, tacit_error *err)
{
    const tc_job_result *r = &s->result;
    if (w->opts.as)
        return make_reply(w, s, err);
    tc_failures_note(w->failures, r, s->batch.pulls > 0);
    if (r->pruned)
        give_reason(w, s);
    s->told = (tacit_report){.size = sizeof s->told,
                             .kind = s->batch.pulls > 0 ? TACIT_REPORT_BATCH
                                     : r->pruned        ? TACIT_REPORT_PRUNED
                                     : r->ok            ? TACIT_REPORT_VALUE
                                                        : TACIT_REPORT_FAILED,
                             .value = r->value,
                             .reason = r->reason,
                             .batch = s->batch};
    const size_t n = tacit_document_outcomes(tacit_study_document(w->study));
    if (r->ok && n > 1) {
        s->told.outcomes = r->outcomes;
        s->told.n_outcomes = n;
    }
    if (!r->ok && !r->pruned && w->study->guard)
        tc_worker_note(w,
                       "trial %" PRIu64 " failed (%s); it is told as the worse end of the range, "
                       "with noise",
                       r->trial, r->reason);
    return tc_study_make_private(w->study, r->trial, &s->told, err);
}

/* One more pull of a batch. *again: it is not complete, and the program runs once more. */
static tacit_status add_pull(tc_worker *w, tc_slot *s, const tc_job_result *r, bool *again,
                             tacit_error *err)
{
    *again = false;
    if (s->pulls <= 1 || !r->ok)
        return TACIT_OK;
    TC_TRY(tacit_study_add_pull(w->study, &s->batch, r->value, err));
    *again = s->batch.pulls < s->pulls && !w->stopped;
    return *again ? w->evaluator->start(w->evaluator, s->trial, s->values, err) : TACIT_OK;
}

/* The slot of a trial. There always is one: jobs report about trials that were started. */
static tc_slot *slot_of(const tc_worker *w, uint64_t trial)
{
    size_t i = 0;
    while (!w->slots[i].used || w->slots[i].ended || w->slots[i].trial != trial)
        i++;
    return &w->slots[i];
}

/* ---- intermediate values ---- */

void tc_worker_hear_stray(void *worker, uint64_t trial, const char *line)
{
    tc_worker *w = worker;
    tc_slot *s = slot_of(w, trial);
    if (s->pulls > 1 || s->strayed)
        return;
    s->strayed = true;
    tc_worker_note(w,
                   "trial %" PRIu64 ": a line with a step and a value is no intermediate value "
                   "unless its step is a whole number from 0 on and its value a finite number: %s",
                   trial, line);
}

/* What it replaces is gone: mostly its steps begin again where they should go on. A coordinator takes nothing back within
 * one run (study_steps.c). */
static void note_order(tc_worker *w, tc_slot *s, uint64_t step)
{
    bool back = step < s->next_step;
    if (back && !s->went_back) {
        s->went_back = true;
        tc_worker_note(w, "trial %" PRIu64 ": step %" PRIu64 " came after step %" PRIu64 ", and %s",
                       s->trial, step, s->next_step - 1,
                       w->served ? "is not taken: steps must grow"
                                 : "takes the place of what it had from there on: steps must grow");
    }
    if (!back || !w->served)
        s->next_step = step + 1;
}

static void note_unheard(tc_worker *w, tc_slot *s, const tc_steps *steps, const char *why)
{
    const uint64_t first = steps->list[0].step, last = steps->list[steps->n - 1].step;
    s->unheard = true;
    if (steps->n == 1)
        tc_worker_note(w,
                       "intermediate values of trial %" PRIu64 " are not taken from step %" PRIu64
                       " on: %s",
                       s->trial, first, why);
    else
        tc_worker_note(w,
                       "intermediate values of trial %" PRIu64 ": not all of the steps %" PRIu64
                       " to %" PRIu64 " are taken, and none after them: %s",
                       s->trial, first, last, why);
}

/* One that gets lost is missing in a curve and nowhere else: a coordinator that is away is not waited for. */
static bool report_steps(tc_worker *w, tc_slot *s, const tc_steps *steps)
{
    tacit_verdict v = TACIT_VERDICT;
    tacit_error why = {0}, late;
    if (s->unheard || !tc_worker_may_ask(w))
        return false;
    tacit_status status = tc_study_report_steps(w->study, s->trial, steps, w->opts.prune, &v, &why);
    if (status == TACIT_OK)
        s->verdict = v;
    else if (tacit_study_is_away(w->study))
        (void)tc_worker_retry(w, status, &why, &late);
    else
        note_unheard(w, s, steps, why.msg);
    return status == TACIT_OK && v.stop;
}

bool tc_worker_heard(void *worker, uint64_t trial)
{
    tc_worker *w = worker;
    tc_slot *s = slot_of(w, trial);
    const tc_steps steps = {s->steps, s->n_steps};
    s->n_steps = 0;
    return steps.n > 0 && report_steps(w, s, &steps);
}

bool tc_worker_hear_step(void *worker, uint64_t trial, uint64_t step, double value)
{
    tc_worker *w = worker;
    tc_slot *s = slot_of(w, trial);
    const tc_step at = {.step = step, .value = value};
    if (s->pulls > 1 || s->unheard)
        return false;
    if (!w->served) {
        bool stop = report_steps(w, s, &(tc_steps){&at, 1});
        if (!s->unheard)
            note_order(w, s, step);
        return stop;
    }
    bool back = step < s->next_step;
    note_order(w, s, step);
    if (!back)
        s->steps[s->n_steps++] = at;
    return s->n_steps == TC_STEPS_AT_ONCE && tc_worker_heard(w, trial);
}

static void say_pruned(const tc_worker *w, const tc_slot *s)
{
    const tacit_verdict *v = &s->verdict;
    if (v->stop)
        tc_worker_note(w, "trial %" PRIu64 " pruned at step %" PRIu64 " (%.6g; %s %.6g)", s->trial,
                       v->step, v->value, tacit_prune_rule_name(w->opts.prune->rule), v->bound);
}

tacit_status tc_worker_end_job(tc_worker *w, const tc_job_result *r, tacit_error *err)
{
    tc_slot *s = slot_of(w, r->trial);
    bool again;
    TC_TRY(add_pull(w, s, r, &again, err));
    if (again)
        return TACIT_OK;
    s->result = *r;
    TC_TRY(make_report(w, s, err));
    s->ended = true; /* not before there is something to tell */
    w->reported = true;
    return TACIT_OK;
}

/* ---- telling ---- */

static void end_slot(tc_worker *w, tc_slot *s)
{
    s->used = s->ended = false;
    if (w->opts.as)
        tc_user_workers_note(&w->names, (size_t)(s - w->slots), TC_NEW_TRIAL);
}

static void emit_untold(const tc_worker *w, const tc_slot *s, const char *why)
{
    tc_worker_emit(
        w, (tacit_worker_event){
               .kind = TACIT_WORKER_UNTOLD, .trial = s->trial, .report = &s->told, .text = why});
}

void tc_worker_emit_untold(const tc_worker *w)
{
    for (size_t i = 0; i < w->opts.jobs; i++)
        if (w->slots[i].used && w->slots[i].ended)
            emit_untold(w, &w->slots[i], "interrupted");
}

/* E_STATE has many reasons. Only a look at the trial tells whether another report was first, of somebody who told it by hand or
 * ran it after its lease; else the study takes none any more, or it is no longer the coordinator that we knew. */
static tacit_status find_out(tc_worker *w, tc_slot *s, const tacit_error *why, tacit_error *err)
{
    tacit_trial *t = NULL;
    tacit_error late = {0};
    tacit_status status = tacit_study_trial(w->study, s->trial, &t, &late);
    if (status != TACIT_OK && tacit_study_is_away(w->study))
        return tc_worker_retry(w, status, &late, err); /* and it is told again, later */
    bool finished = t && tc_trial_state_is_told(tc_trial_state_internal(t->state));
    bool mute = t && t->n_steps == 0 && s->told.kind == TACIT_REPORT_PRUNED;
    tacit_trial_free(t);
    if (mute && !finished) { /* told again, as what it is */
        s->told.kind = TACIT_REPORT_FAILED;
        s->told.reason = "it was pruned without an intermediate value";
        return tc_study_make_private(w->study, s->trial, &s->told, err);
    }
    if (finished) {
        tc_worker_note(w, "trial %" PRIu64 " was told by somebody else; its first report stays",
                       s->trial);
        end_slot(w, s);
        return TACIT_OK;
    }
    emit_untold(w, s, why->msg);
    s->used = s->ended = false; /* its worker is remembered: it may be told another time */
    w->refused = true;
    w->refusal = *why;
    return TACIT_OK;
}

static tacit_status tell(tc_worker *w, tc_slot *s, tacit_error *err)
{
    tacit_error why = {0};
    tacit_status status = tacit_study_report(w->study, s->trial, &s->told, &why);
    if (status == TACIT_E_STATE)
        return find_out(w, s, &why, err);
    TC_TRY(tc_worker_retry(w, status, &why, err));
    if (status != TACIT_OK)
        return TACIT_OK;
    w->result.told++;
    if (s->told.kind == TACIT_REPORT_PRUNED)
        say_pruned(w, s);
    end_slot(w, s);
    tc_worker_emit(
        w, (tacit_worker_event){.kind = TACIT_WORKER_TOLD, .trial = s->trial, .report = &s->told});
    /* To stop because of failures would tell of records, which noise hides. */
    if (w->study->guard)
        return TACIT_OK;
    tacit_status broken = tc_failures_check(w->failures, &w->opts, err);
    if (broken != TACIT_OK)
        w->result.end = TACIT_WORKER_FAILURES;
    return broken;
}

tacit_status tc_worker_deliver(tc_worker *w, tacit_error *err)
{
    for (size_t i = 0; i < w->opts.jobs && tc_worker_may_ask(w); i++)
        if (w->slots[i].used && w->slots[i].ended)
            TC_TRY(tell(w, &w->slots[i], err));
    return TACIT_OK;
}

/* ---- what an earlier run has left ---- */

static tacit_status tell_one_paid(tc_worker *w, size_t worker, tacit_error *err)
{
    uint64_t trial = w->names.list[worker].trial;
    tacit_report told = TACIT_REPORT;
    told.kind = TACIT_REPORT_REPLY;
    tacit_error why = {0};
    tacit_status status = tacit_user_recall(w->opts.as, trial, &told.value, &why);
    if (status == TACIT_E_NOT_FOUND)
        return TACIT_OK;
    if (status == TACIT_OK)
        status = tacit_study_report(w->study, trial, &told, &why);
    if (status == TACIT_OK)
        tc_worker_note(w, "told the reply about trial %" PRIu64 " that an earlier run had made",
                       trial);
    else if (status == TACIT_E_STATE || status == TACIT_E_NOT_FOUND)
        tc_worker_note(w, "the reply about trial %" PRIu64 " of an earlier run: %s", trial,
                       why.msg);
    else
        return tc_pass_on(err, status, &why);
    tc_user_workers_note(&w->names, worker, TC_NEW_TRIAL);
    w->reported = true;
    return TACIT_OK;
}

/* Tells the trials that were paid for. The coordinator or the storage gives unpaid ones again, to the next worker of the
 * same name. */
tacit_status tc_worker_tell_paid(tc_worker *w, tacit_error *err)
{
    for (size_t i = 0; i < w->names.n; i++)
        if (w->names.list[i].trial != TC_NEW_TRIAL)
            TC_TRY(tell_one_paid(w, i, err));
    return TACIT_OK;
}
