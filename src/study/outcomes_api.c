/* outcomes_api.c - several outcomes of a trial: what is told, which trials are on the front, and how much they dominate
 * (<tacit/study.h>). It stands on the operations that every study has, wherever it is (handle.h). */
#include "study/handle.h"

#include "base/api.h"
#include "base/error.h"
#include "num/pareto.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ---- telling ---- */

static tacit_status refuse_number(const tacit_study *s, size_t given, tacit_error *err)
{
    const tc_study_outcomes *o = s->doc->outcomes;
    tc_text names = {0};
    if (!o)
        return tc_fail(err, TACIT_E_ARG, "study %s is told one value of a trial, got %zu outcomes",
                       s->doc->name, given);
    tc_outcomes_list(o, &names);
    tacit_status status =
        names.failed
            ? tc_fail_memory(err)
            : tc_fail(err, TACIT_E_ARG, "study %s is told %zu outcomes of a trial (%s), got %zu",
                      s->doc->name, o->n, tc_text_get(&names), given);
    tc_text_fini(&names);
    return status;
}

tacit_status tc_study_check_outcomes(const tacit_study *s, tacit_report *r, tacit_error *err)
{
    if (!r->outcomes != (r->n_outcomes == 0))
        return tc_fail(err, TACIT_E_ARG, "report.outcomes and report.n_outcomes go together");
    if (r->outcomes && r->kind != TACIT_REPORT_VALUE)
        return tc_fail(err, TACIT_E_ARG, "report.outcomes goes with a report of a value");
    if (r->kind == TACIT_REPORT_FAILED)
        return TACIT_OK;
    const size_t given = r->outcomes ? r->n_outcomes : 1;
    if (given != tacit_document_outcomes(s->doc))
        return refuse_number(s, given, err);
    if (r->outcomes)
        r->value = r->outcomes[0];
    return TACIT_OK;
}

tacit_status tacit_study_tell_outcomes(tacit_study *s, uint64_t trial, const double *outcomes,
                                       tacit_error *err)
{
    TC_GIVEN(s);
    TC_GIVEN(outcomes);
    tacit_report r = TACIT_REPORT;
    r.outcomes = outcomes;
    r.n_outcomes = tacit_document_outcomes(s->doc);
    return tacit_study_report(s, trial, &r, err);
}

/* ---- no best trial ---- */

tacit_status tc_study_check_single(const tacit_study *s, tacit_error *err)
{
    const size_t n = tacit_document_objectives(s->doc);
    return n == 1 ? TACIT_OK
                  : tc_fail(err, TACIT_E_UNSUPPORTED,
                            "study %s has %zu objectives, and so a front in place of one best "
                            "trial",
                            s->doc->name, n);
}

static tacit_status get_complete(tacit_study *s, tacit_trials **out, tacit_error *err)
{
    tacit_trial_query complete = TACIT_TRIAL_QUERY;
    complete.state = TACIT_TRIAL_COMPLETE;
    return tacit_study_trials(s, &complete, out, err);
}

tacit_status tc_study_least_violating(tacit_study *s, tacit_trials *out, tacit_error *err)
{
    tacit_trials *all;
    if (!s->doc->outcomes)
        return TACIT_OK;
    TC_TRY(get_complete(s, &all, err));
    const tacit_trial *least = NULL;
    for (size_t i = 0; i < all->n; i++)
        if (!least || all->list[i].violation < least->violation)
            least = &all->list[i];
    tacit_status status = least ? tc_trials_copy(out, least, s->doc, err) : TACIT_OK;
    tacit_trials_free(all);
    return status;
}

/* ---- the front ---- */

/* Feasible trials, and a row for each: its objectives, to be maximised. */
typedef struct feasible {
    const tacit_trial **trials;
    double *rows;
    size_t n, k;
} feasible;

static double to_maximise(const tacit_document *doc, size_t i, double v)
{
    const bool up = doc->outcomes ? doc->outcomes->maximize[i] : doc->maximize;
    return up ? v : -v;
}

static void feasible_fini(feasible *f)
{
    tc_free((void *)f->trials);
    tc_free(f->rows);
}

static tacit_status find_feasible(feasible *f, const tacit_document *doc, const tacit_trials *all,
                                  tacit_error *err)
{
    *f = (feasible){.k = tacit_document_objectives(doc)};
    f->trials = tc_alloc(all->n + 1, sizeof *f->trials);
    f->rows = tc_alloc((all->n + 1) * f->k, sizeof *f->rows);
    if (!f->trials || !f->rows)
        return tc_fail_memory(err);
    for (size_t i = 0; i < all->n; i++) {
        const tacit_trial *t = &all->list[i];
        if (!t->feasible)
            continue;
        for (size_t k = 0; k < f->k; k++)
            f->rows[f->n * f->k + k] = to_maximise(doc, k, t->outcomes[k]);
        f->trials[f->n++] = t;
    }
    return TACIT_OK;
}

/* A place on the front, and what it is sorted by. */
typedef struct placed {
    double first;
    size_t at;
} placed;

static int by_first(const void *a, const void *b)
{
    const placed *x = a, *y = b;
    if (x->first != y->first)
        return x->first > y->first ? -1 : 1;
    return x->at < y->at ? -1 : x->at > y->at;
}

static tacit_status add_front(const feasible *f, const tacit_document *doc, tacit_trials *out,
                              tacit_error *err)
{
    size_t *on = tc_alloc(f->n + 1, sizeof *on);
    placed *order = tc_alloc(f->n + 1, sizeof *order);
    tacit_status status = on && order ? TACIT_OK : tc_fail_memory(err);
    size_t n = status == TACIT_OK ? tc_pareto_front(f->n, f->k, f->rows, on) : 0;
    for (size_t i = 0; i < n; i++)
        order[i] = (placed){.first = f->rows[on[i] * f->k], .at = on[i]};
    if (n > 1)
        qsort(order, n, sizeof *order, by_first);
    for (size_t i = 0; i < n && status == TACIT_OK; i++)
        status = tc_trials_copy(out, f->trials[order[i].at], doc, err);
    tc_free(on);
    tc_free(order);
    return status;
}

/* The trials `all` must outlive f. */
static tacit_status look(tacit_study *s, tacit_trials **all, feasible *f, tacit_error *err)
{
    TC_TRY(get_complete(s, all, err));
    tacit_status status = find_feasible(f, s->doc, *all, err);
    if (status != TACIT_OK) {
        feasible_fini(f);
        tacit_trials_free(*all);
    }
    return status;
}

tacit_status tacit_study_front(tacit_study *s, tacit_trials **out, tacit_error *err)
{
    TC_GIVEN(s);
    TC_GIVEN(out);
    tacit_trials *all;
    feasible f;
    tacit_trials *list = tc_alloc(1, sizeof *list);
    if (!list)
        return tc_fail_memory(err);
    tacit_status status = look(s, &all, &f, err);
    if (status == TACIT_OK) {
        status = add_front(&f, s->doc, list, err);
        feasible_fini(&f);
        tacit_trials_free(all);
    }
    if (status == TACIT_OK)
        *out = list;
    else
        tacit_trials_free(list);
    return status;
}

/* ---- hypervolume ---- */

tacit_status tacit_study_hypervolume(tacit_study *s, const double *reference, double *out,
                                     tacit_error *err)
{
    TC_GIVEN(s);
    TC_GIVEN(out);
    tacit_trials *all;
    feasible f;
    const tc_outcomes *wanted = tc_study_doc_wants(s->doc);
    if (!reference && !(wanted && wanted->reference))
        return tc_fail(err, TACIT_E_ARG,
                       "reference must not be NULL: the document of study %s has none",
                       s->doc->name);
    if (!reference)
        reference = wanted->reference;
    double ref[TACIT_OBJECTIVES_MOST];
    for (size_t k = 0; k < tacit_document_objectives(s->doc); k++) {
        ref[k] = to_maximise(s->doc, k, reference[k]);
        if (!isfinite(ref[k]))
            return tc_fail(err, TACIT_E_ARG, "reference %zu must be a finite number, got %g", k,
                           reference[k]);
    }
    TC_TRY(look(s, &all, &f, err));
    tacit_status status = tc_hypervolume(f.n, f.k, f.rows, ref, out, err);
    feasible_fini(&f);
    tacit_trials_free(all);
    return status;
}
