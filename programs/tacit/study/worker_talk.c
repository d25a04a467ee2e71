/* worker_talk.c - see worker_talk.h. */
#include "study/worker_talk.h"

#include <inttypes.h>

static void show_standing(const tc_worker_talk *t, const tacit_study_summary *s)
{
    char note[96] = "";
    int n = 0;
    if (s->objectives > 1 && s->feasible > 0)
        n = snprintf(note, sizeof note, "front of %" PRIu64 " trial%s", s->front,
                     s->front == 1 ? "" : "s");
    else if (s->complete > 0 && s->feasible == 0)
        n = snprintf(note, sizeof note, "none feasible yet");
    else if (s->best_trial != TACIT_UNKNOWN)
        n = snprintf(note, sizeof note, "best %.6g (trial %" PRIu64 ")", s->best, s->best_trial);
    if (s->failed > 0 && n >= 0)
        n += snprintf(note + n, sizeof note - (size_t)n, "%s%" PRIu64 " failed", n ? ", " : "",
                      s->failed);
    if (s->pruned > 0 && n >= 0 && (size_t)n < sizeof note)
        snprintf(note + n, sizeof note - (size_t)n, "%s%" PRIu64 " pruned", n ? ", " : "",
                 s->pruned);
    tc_progress_update(t->progress, s->finished, note);
}

static void say_untold(const tc_worker_talk *t, const tacit_worker_event *e)
{
    if (t->has_user)
        tc_note(false,
                "tacit: the reply about trial %" PRIu64 " was not told (%s); it is in the "
                "ledger, and the same command tells it",
                e->trial, e->text);
    else if (e->report->kind == TACIT_REPORT_PRUNED)
        tc_note(false, "tacit: that trial %" PRIu64 " was pruned was not told (%s)", e->trial,
                e->text);
    else if (e->report->kind == TACIT_REPORT_FAILED)
        tc_note(false, "tacit: that trial %" PRIu64 " failed was not told (%s)", e->trial, e->text);
    else if (e->report->n_outcomes > 1)
        tc_note(false,
                "tacit: the %zu outcomes of trial %" PRIu64 ", of which the first is %.17g, were "
                "not told (%s)",
                e->report->n_outcomes, e->trial, e->report->value, e->text);
    else
        tc_note(false, "tacit: the value of trial %" PRIu64 ", %.17g, was not told (%s)", e->trial,
                e->report->value, e->text);
}

void tc_worker_talk_listen(void *user, const tacit_worker_event *e)
{
    const tc_worker_talk *t = user;
    if (e->kind == TACIT_WORKER_STANDING)
        show_standing(t, e->summary);
    else if (e->kind == TACIT_WORKER_UNTOLD)
        say_untold(t, e);
    else if (e->kind == TACIT_WORKER_NOTE)
        tc_note(t->quiet, "%s", e->text);
}

void tc_worker_talk_failures(tacit_worker_opts *w, const tc_invocation *in, int64_t most)
{
    w->max_failures = (uint64_t)most;
    if (tc_given(in, "max-failures"))
        w->max_alike = 0;
}

tacit_status tc_worker_talk_check(const tacit_document *doc, const tc_invocation *in,
                                  tacit_error *err)
{
    if (tacit_document_protects_records(doc) && tc_given(in, "max-failures"))
        return tc_fail(err, TACIT_E_ARG,
                       "--max-failures is not for studies that protect records: to stop would tell "
                       "of failures, which noise hides");
    return TACIT_OK;
}

tacit_status tc_worker_talk_broken(tacit_status status, tacit_error *err)
{
    return tc_fail(err, status,
                   "%.350s; mend the command and run it again, or go on anyway with "
                   "--max-failures 0",
                   err->msg);
}
