/* venue_look.c - trials and numbers of a study, wherever it is (venue.h). */
#include "study/venue.h"

#include "base/memory.h"

#include <inttypes.h>

void tc_view_end(tc_view *view)
{
    if (view->lent)
        tc_study_unlook(view->lent);
    tc_trial_list_fini(&view->got);
    tc_free(view->trials);
    *view = (tc_view){0};
}

/* The trials that came, as a list of pointers. */
static tacit_status index_got(tc_view *view, tacit_error *err)
{
    view->trials = tc_alloc(view->got.n + 1, sizeof *view->trials);
    if (!view->trials)
        return tc_fail_memory(err);
    for (size_t i = 0; i < view->got.n; i++)
        view->trials[view->n++] = &view->got.list[i];
    return TACIT_OK;
}

/* Lends the optimizer, with room for `room` trials; 0: for all. */
static tacit_status begin_storage(tc_study *study, tc_view *view, size_t room,
                                  const tc_optimizer **o, tacit_error *err)
{
    TC_TRY(tc_study_look(study, o, err));
    view->lent = study;
    view->trials = tc_alloc((room ? room : tc_optimizer_trials(*o)) + 1, sizeof *view->trials);
    return view->trials ? TACIT_OK : tc_fail_memory(err);
}

/* On failure nothing is lent. */
static tacit_status finish(tc_view *view, tacit_status st, tc_view *out)
{
    if (st == TACIT_OK)
        *out = *view;
    else
        tc_view_end(view);
    return st;
}

/* ---- all of a state ---- */

static tacit_status trials_of_storage(tc_study *study, int state, tc_view *view, tacit_error *err)
{
    const tc_optimizer *o;
    TC_TRY(begin_storage(study, view, 0, &o, err));
    for (size_t i = 0; i < tc_optimizer_trials(o); i++) {
        const tc_trial *t = tc_optimizer_trial(o, i);
        if (state < 0 || (int)t->state == state)
            view->trials[view->n++] = t;
    }
    return TACIT_OK;
}

tacit_status tc_venue_trials(tc_venue *v, int state, tc_view *out, tacit_error *err)
{
    tc_view view = {0};
    tacit_status st;
    if (!v->served) {
        st = trials_of_storage(v->session.study, state, &view, err);
    } else {
        st = tc_remote_trials(v->served, &(tc_remote_query){.state = state}, &view.got, err);
        if (st == TACIT_OK)
            st = index_got(&view, err);
    }
    return finish(&view, st, out);
}

/* ---- one ---- */

static tacit_status trial_of_storage(tc_study *study, uint64_t number, tc_view *view,
                                     tacit_error *err)
{
    const tc_optimizer *o;
    TC_TRY(begin_storage(study, view, 1, &o, err));
    view->trials[0] = tc_optimizer_trial(o, number);
    view->n = 1;
    if (view->trials[0])
        return TACIT_OK;
    return tc_fail(err, TACIT_E_NOT_FOUND, "there is no trial %" PRIu64 "; the study has %zu",
                   number, tc_optimizer_trials(o));
}

tacit_status tc_venue_trial(tc_venue *v, uint64_t number, tc_view *out, tacit_error *err)
{
    tc_view view = {0};
    tacit_status st;
    if (!v->served) {
        st = trial_of_storage(v->session.study, number, &view, err);
    } else {
        st = tc_remote_trial(v->served, number, &view.got, err);
        if (st == TACIT_OK)
            st = index_got(&view, err);
    }
    return finish(&view, st, out);
}

/* n stays 0 where none is complete. */
static tacit_status best_of_storage(tc_study *study, tc_view *view, tacit_error *err)
{
    const tc_optimizer *o;
    TC_TRY(begin_storage(study, view, 1, &o, err));
    view->trials[0] = tc_optimizer_best(o);
    view->n = view->trials[0] ? 1 : 0;
    return TACIT_OK;
}

tacit_status tc_venue_best(tc_venue *v, tc_view *out, tacit_error *err)
{
    tc_view view = {0};
    tacit_status st;
    if (!v->served) {
        st = best_of_storage(v->session.study, &view, err);
    } else {
        st = tc_remote_best(v->served, &view.got, err);
        if (st == TACIT_OK)
            st = index_got(&view, err);
    }
    return finish(&view, st, out);
}

/* ---- numbers ---- */

static void note_best(tc_standing *s, const tc_trial *best)
{
    s->has_best = true;
    s->best_trial = best->number;
    s->best = best->value;
}

static tacit_status standing_of_server(const tc_venue *v, tc_standing *out, tacit_error *err)
{
    tc_remote_standing counts;
    tc_trial_list best = {0};
    TC_TRY(tc_remote_show(v->served, &counts, err));
    *out = (tc_standing){.finished = counts.complete + counts.failed,
                         .failed = counts.failed,
                         .running = counts.running,
                         .state = counts.state};
    tacit_status st = counts.complete > 0 ? tc_remote_best(v->served, &best, err) : TACIT_OK;
    if (st == TACIT_OK && best.n > 0)
        note_best(out, &best.list[0]);
    tc_trial_list_fini(&best);
    return st;
}

tacit_status tc_venue_standing(tc_venue *v, tc_standing *out, tacit_error *err)
{
    const tc_optimizer *o;
    if (v->served)
        return standing_of_server(v, out, err);
    TC_TRY(tc_study_look(v->session.study, &o, err));
    const tc_trial *best = tc_optimizer_best(o);
    *out = (tc_standing){.failed = tc_optimizer_count(o, TC_TRIAL_FAIL),
                         .running = tc_optimizer_count(o, TC_TRIAL_RUNNING)};
    out->finished = tc_optimizer_pulls(o, TC_TRIAL_COMPLETE) + out->failed;
    if (best)
        note_best(out, best);
    tc_study_unlook(v->session.study);
    return TACIT_OK;
}
