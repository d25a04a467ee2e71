/* surrogate_api.c - the public model of a study: its complete trials, and algo/single/surrogate.h over them.
 * See <tacit/experimental/surrogate.h>. */
#include "study/handle.h"

#include "algo/single/surrogate.h"
#include "base/api.h"
#include "base/error.h"
#include "base/memory.h"

#include <tacit/experimental/surrogate.h>

#include <stdlib.h>
#include <string.h>

struct tacit_surrogate {
    tc_surrogate *model;
    const tacit_space *space; /* of the study, which is open */
};

struct tacit_importances {
    tacit_importance *list;
    size_t n;
    tc_arena memory;
};

/* ---- making one */

/* The work grows with the cube of their number, and what they say hardly any more. Of more, as many are taken, evenly spaced in
 * their order: the early ones that explored, the late ones that refined. */
enum { MOST_TRIALS = 1024 };

static tacit_status take_trials(const tacit_study *study, size_t outcome,
                                const tacit_trials *trials, tc_surrogate **out, tacit_error *err)
{
    tacit_outcome of = TACIT_OUTCOME;
    TC_TRY(tacit_document_outcome(study->doc, outcome, &of, err));
    tc_arena arena = {0};
    const size_t all = tacit_trials_count(trials), n = all < MOST_TRIALS ? all : MOST_TRIALS;
    const double **points = TC_TAKE(&arena, n + 1, const double *);
    double *y = TC_TAKE(&arena, n + 1, double);
    for (size_t i = 0; i < n && !arena.failed; i++) {
        const tacit_trial *t = tacit_trials_get(trials, i * all / n);
        points[i] = t->values;
        y[i] = t->outcomes[outcome];
    }
    const tc_surrogate_data data = {.space = tacit_study_space(study),
                                    .n = n,
                                    .points = points,
                                    .y = y,
                                    .maximize = of.maximize};
    tacit_status status = arena.failed ? tc_fail_memory(err) : tc_surrogate_new(out, &data, err);
    tc_arena_fini(&arena);
    return status;
}

tacit_status tacit_surrogate_new(tacit_surrogate **out, tacit_study *study, tacit_error *err)
{
    return tacit_surrogate_new_of(out, study, 0, err);
}

tacit_status tacit_surrogate_new_of(tacit_surrogate **out, tacit_study *study, size_t outcome,
                                    tacit_error *err)
{
    tacit_trials *trials;
    tacit_trial_query complete = TACIT_TRIAL_QUERY;
    complete.state = TACIT_TRIAL_COMPLETE;
    TC_GIVEN(out);
    TC_GIVEN(study);
    tacit_surrogate *made = tc_alloc(1, sizeof *made);
    if (!made)
        return tc_fail_memory(err);
    made->space = tacit_study_space(study);
    tacit_status status = tacit_study_trials(study, &complete, &trials, err);
    if (status == TACIT_OK) {
        status = take_trials(study, outcome, trials, &made->model, err);
        tacit_trials_free(trials);
    }
    if (status == TACIT_OK)
        *out = made;
    else
        tc_free(made);
    return status;
}

void tacit_surrogate_free(tacit_surrogate *m)
{
    if (!m)
        return;
    tc_surrogate_free(m->model);
    tc_free(m);
}

/* ---- asking it */

tacit_status tacit_surrogate_predict(tacit_surrogate *m, size_t n, const double *points,
                                     double *mean, double *sd, tacit_error *err)
{
    TC_GIVEN(m);
    TC_GIVEN(points);
    TC_GIVEN(mean);
    const size_t n_params = tacit_space_params(m->space);
    for (size_t i = 0; i < n; i++)
        TC_TRY(tacit_space_check(m->space, points + i * n_params, err));
    return n > 0 ? tc_surrogate_predict(m->model, n, points, mean, sd, err) : TACIT_OK;
}

/* What matters most comes first; of equals, the first of the alphabet. */
static int falling(const void *a, const void *b)
{
    const tacit_importance *x = a, *y = b;
    if (x->total != y->total)
        return x->total < y->total ? 1 : -1;
    return strcmp(x->name, y->name);
}

static tacit_status fill(tacit_importances *l, const tacit_surrogate *m, tacit_error *err)
{
    l->n = tacit_space_params(m->space);
    l->list = TC_TAKE(&l->memory, l->n, tacit_importance);
    tc_importance *of = TC_TAKE(&l->memory, l->n, tc_importance);
    if (l->memory.failed)
        return tc_fail_memory(err);
    TC_TRY(tc_surrogate_importances(m->model, of, err));
    for (size_t i = 0; i < l->n; i++) {
        const char *name = tc_arena_strdup(&l->memory, tacit_space_param_name(m->space, i));
        l->list[i] = (tacit_importance){.size = sizeof(tacit_importance),
                                        .name = name,
                                        .first = of[i].first,
                                        .first_low = of[i].first_low,
                                        .first_high = of[i].first_high,
                                        .total = of[i].total,
                                        .total_low = of[i].total_low,
                                        .total_high = of[i].total_high};
    }
    if (l->memory.failed)
        return tc_fail_memory(err);
    qsort(l->list, l->n, sizeof *l->list, falling);
    return TACIT_OK;
}

tacit_status tacit_surrogate_importances(tacit_surrogate *m, tacit_importances **out,
                                         tacit_error *err)
{
    TC_GIVEN(m);
    TC_GIVEN(out);
    tacit_importances *made = tc_alloc(1, sizeof *made);
    if (!made)
        return tc_fail_memory(err);
    tacit_status status = fill(made, m, err);
    if (status == TACIT_OK)
        *out = made;
    else
        tacit_importances_free(made);
    return status;
}

size_t tacit_importances_count(const tacit_importances *list)
{
    return list ? list->n : 0;
}

const tacit_importance *tacit_importances_get(const tacit_importances *list, size_t i)
{
    return list && i < list->n ? &list->list[i] : NULL;
}

void tacit_importances_free(tacit_importances *list)
{
    if (!list)
        return;
    tc_arena_fini(&list->memory);
    tc_free(list);
}
