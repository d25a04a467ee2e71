/* agent_talk.c - see agent_talk.h. */
#include "federation/agent_talk.h"

#include "study/trial_rows.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>
#include <time.h>

/* ---- the line of a terminal ---- */

void tc_agent_talk_tick(tc_agent_talk *t)
{
    char note[sizeof t->best + sizeof t->point + sizeof t->round + sizeof t->spent + 8] = "";
    const char *const parts[] = {t->best, t->round, t->spent,
                                 t->point}; /* the last one may be cut */
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++) {
        size_t n = strlen(note);
        if (*parts[i])
            snprintf(note + n, sizeof note - n, "%s%s", n > 0 ? "  " : "", parts[i]);
    }
    tc_progress_update(t->worker.progress, t->finished, note);
}

/* A plain line; always: also where only the redrawn line would have it. */
static void say(tc_agent_talk *t, bool always, const char *line)
{
    if (always)
        tc_progress_clear(t->worker.progress);
    if (always || !t->worker.progress)
        tc_note(t->quiet, "%s", line);
    tc_agent_talk_tick(t);
}

/* ---- trials ---- */

static void find_best(tc_agent_talk *t)
{
    char params[160];
    tacit_trial *best;
    tacit_study *s = tacit_agent_study(t->agent);
    t->best[0] = t->point[0] = '\0';
    if (tacit_study_best(s, &best, NULL) != TACIT_OK)
        return;
    tc_params_text(tacit_study_space(s), best->values, params, sizeof params);
    snprintf(t->best, sizeof t->best, "best %.6g", best->value);
    snprintf(t->point, sizeof t->point, "(trial %" PRIu64 ": %s)", best->number, params);
    tacit_trial_free(best);
}

static void count_trials(tc_agent_talk *t)
{
    tacit_study_summary now = TACIT_STUDY_SUMMARY;
    if (tacit_study_summarize(tacit_agent_study(t->agent), &now, NULL) != TACIT_OK)
        return;
    t->planned = now.planned;
    t->finished = now.finished;
}

/* Of what limits the agent; nothing where it has no limit. */
static void find_spent(tc_agent_talk *t)
{
    char epsilon[32], limit[32];
    tacit_agent_summary s = TACIT_AGENT_SUMMARY;
    t->spent[0] = t->spent_at[0] = '\0';
    if (tacit_agent_summarize(t->agent, &s, NULL) != TACIT_OK || !(s.limit > 0))
        return;
    tacit_epsilon_text(epsilon, s.epsilon);
    tacit_epsilon_text(limit, s.limit);
    snprintf(t->spent, sizeof t->spent, "epsilon %s of %s", epsilon, limit);
    tacit_delta_text(limit, s.delta);
    snprintf(t->spent_at, sizeof t->spent_at, "; %s spent at delta %s", t->spent, limit);
}

/* What was told: where records are protected that is a value with noise, also of a trial that failed. */
static void say_told(tc_agent_talk *t, const tacit_worker_event *e)
{
    char line[700], what[300];
    tacit_trial *trial;
    count_trials(t);
    find_best(t);
    if (tacit_document_protects_records(tacit_study_document(tacit_agent_study(t->agent))))
        find_spent(t); /* by the evaluation; messages cost nothing there */
    if (tacit_study_trial(tacit_agent_study(t->agent), e->trial, &trial, NULL) != TACIT_OK)
        return;
    if (trial->state == TACIT_TRIAL_PRUNED) { /* the worker's note has said so, and why */
        tacit_trial_free(trial);
        return;
    }
    if (trial->state == TACIT_TRIAL_COMPLETE)
        snprintf(what, sizeof what, ": %.6g", trial->value);
    else
        snprintf(what, sizeof what, " failed: %.260s", trial->reason ? trial->reason : "");
    tacit_trial_free(trial);
    snprintf(line, sizeof line, "trial %" PRIu64 " (%" PRIu64 " of %" PRIu64 ")%s%s%s%s%s",
             e->trial, t->finished, t->planned, what, *t->best ? "; " : "", t->best,
             *t->best ? " " : "", t->point);
    say(t, false, line);
}

void tc_agent_talk_trial(void *user, const tacit_worker_event *e)
{
    tc_agent_talk *t = user;
    if (e->kind == TACIT_WORKER_TOLD && !t->quiet)
        say_told(t, e);
    if (e->kind != TACIT_WORKER_UNTOLD && e->kind != TACIT_WORKER_NOTE)
        return;
    tc_progress_clear(t->worker.progress);
    tc_worker_talk_listen(&t->worker, e);
}

/* ---- rounds ---- */

static void price_text(const tacit_agent_event *e, char *out, size_t size)
{
    char epsilon[32], delta[32];
    out[0] = '\0';
    if (e->text)
        snprintf(out, size, ", NOT PRIVATE: %s", e->text);
    if (e->text || isnan(e->epsilon))
        return;
    tacit_epsilon_text(epsilon, e->epsilon);
    tacit_delta_text(delta, e->delta);
    snprintf(out, size, ", epsilon %s at delta %s by itself", epsilon, delta);
}

static void deadline_text(int64_t deadline_ms, char *out, size_t size)
{
    struct tm tm;
    time_t s = (time_t)(deadline_ms / 1000);
    out[0] = '\0';
    if (deadline_ms > 0 && gmtime_r(&s, &tm))
        strftime(out, size, ", until %F %H:%M:%S UTC at the latest", &tm);
}

static void whom(const tacit_agent_event *e, char *out, size_t size)
{
    if (e->party == TACIT_UNKNOWN)
        snprintf(out, size, "the broadcast");
    else
        snprintf(out, size, "the message of agent %" PRIu64, e->party);
}

static void event_text(tc_agent_talk *t, const tacit_agent_event *e, char *out, size_t size)
{
    char what[96], more[400];
    whom(e, what, sizeof what);
    if (e->kind == TACIT_AGENT_SENT) {
        price_text(e, more, sizeof more);
        find_spent(t);
        snprintf(out, size, "message sent%s%s", more, t->spent_at);
    } else if (e->kind == TACIT_AGENT_WITHHELD) {
        snprintf(out, size, "message withheld: %s", e->text);
    } else if (e->kind == TACIT_AGENT_HEARD) {
        snprintf(out, size, "%s is absorbed", what);
    } else if (e->kind == TACIT_AGENT_SKIPPED) {
        snprintf(out, size, "%s is skipped: %s", what, e->text);
    } else {
        deadline_text(e->deadline_ms, more, sizeof more);
        snprintf(out, size, "waiting%s%s: %s%s", e->party == TACIT_UNKNOWN ? "" : " for ",
                 e->party == TACIT_UNKNOWN ? "" : what, e->text, more);
    }
}

/* In a few words, for the redrawn line. */
static void note_round(tc_agent_talk *t, const tacit_agent_event *e)
{
    static const char *const stands[] = {"is sent", "is withheld", "is absorbed", "is skipped",
                                         "waits"};
    char whom[48] = "";
    if (e->kind == TACIT_AGENT_WAITS)
        snprintf(whom, sizeof whom, " for others");
    if (e->kind == TACIT_AGENT_WAITS && e->party != TACIT_UNKNOWN)
        snprintf(whom, sizeof whom, " for agent %" PRIu64, e->party);
    snprintf(t->round, sizeof t->round, "round %" PRIu64 " %s%s", e->round,
             stands[e->kind - TACIT_AGENT_SENT], whom);
}

void tc_agent_talk_round(void *user, const tacit_agent_event *e)
{
    tc_agent_talk *t = user;
    char what[700], line[760];
    if (t->quiet || !t->agent)
        return;
    if (e->kind == TACIT_AGENT_ROSTER) {
        snprintf(line, sizeof line,
                 "the roster is %s: compare it with what the other parties print", e->text);
        say(t, true, line);
        return;
    }
    event_text(t, e, what, sizeof what);
    snprintf(line, sizeof line, "round %" PRIu64 ": %s", e->round, what);
    note_round(t, e);
    say(t, e->kind == TACIT_AGENT_WITHHELD, line);
}

void tc_agent_talk_note(void *user, const char *text)
{
    say(user, true, text);
}

/* ---- beginning and end ---- */

void tc_agent_talk_start(tc_agent_talk *t, tacit_agent *agent)
{
    t->agent = agent;
    t->worker.quiet = t->quiet;
    count_trials(t);
    find_best(t);
    if (t->quiet)
        return;
    find_spent(t);
    if (tc_progress_redraws())
        t->worker.progress =
            tc_progress_start(tacit_study_name(tacit_agent_study(agent)), t->planned, false);
    tc_agent_talk_tick(t);
}

void tc_agent_talk_end(tc_agent_talk *t)
{
    tc_progress_end(t->worker.progress);
    t->worker.progress = NULL;
}

tacit_status tc_agent_talk_withheld(const char *storage, const char *study, tacit_error *err)
{
    tacit_traffic *t;
    size_t n = 0;
    const tacit_agent_round *first = NULL;
    tacit_status status = TACIT_OK;
    TC_TRY(tacit_agent_inspect(&t, storage, study, err));
    for (size_t i = 0; i < tacit_traffic_count(t); i++) {
        const tacit_agent_round *r = tacit_traffic_get(t, i);
        n += r->state == TACIT_MESSAGE_WITHHELD;
        first = !first && r->state == TACIT_MESSAGE_WITHHELD ? r : first;
    }
    if (first)
        status = tc_fail(err, TACIT_E_BUDGET,
                         "%zu of %zu messages of study %s were withheld, and this agent searched "
                         "without what the others found then; round %" PRIu64 ": %s",
                         n, tacit_traffic_count(t), study, first->round, first->skipped);
    tacit_traffic_free(t);
    return status;
}
