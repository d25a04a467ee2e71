/* trial_list.c - trials and summaries as handles give them out (<tacit/study.h>, handle.h): copies, which nobody
 * else can change. */
#include "study/handle.h"

#include "base/error.h"

#include <math.h>
#include <string.h>

/* ---- states ---- */

/* The stored numbers begin with 0; the public ones leave 0 for "any". */
_Static_assert((int)TC_TRIAL_WAITING + 1 == (int)TACIT_TRIAL_WAITING &&
                   (int)TC_TRIAL_DELETED + 1 == (int)TACIT_TRIAL_DELETED,
               "states in the same order");

tacit_trial_state tc_trial_state_public(tc_trial_state state)
{
    return (tacit_trial_state)((int)state + 1);
}

tc_trial_state tc_trial_state_internal(tacit_trial_state state)
{
    return (tc_trial_state)((int)state - 1);
}

const char *tacit_trial_state_name(tacit_trial_state state)
{
    if (state < TACIT_TRIAL_WAITING || state > TACIT_TRIAL_DELETED)
        return NULL;
    return tc_trial_state_name(tc_trial_state_internal(state));
}

/* ---- trials ---- */

static const char *copy_text(tc_arena *a, const char *text)
{
    return text ? tc_arena_strdup(a, text) : NULL;
}

/* NULL: there are none, or no memory. */
static const tacit_step *copy_steps(tc_arena *a, const tc_trial *t)
{
    tacit_step *steps = t->n_steps > 0 ? TC_TAKE(a, t->n_steps, tacit_step) : NULL;
    for (size_t i = 0; steps && i < t->n_steps; i++)
        steps[i] = (tacit_step){.step = t->steps[i].step, .value = t->steps[i].value};
    return steps;
}

/* What a complete trial came to: of one value, it alone. */
static void put_outcomes(tacit_trials *l, tacit_trial *to, const tc_trial *t,
                         const tacit_document *doc)
{
    const size_t n = tacit_document_outcomes(doc);
    double *outcomes = TC_TAKE(&l->memory, n, double);
    if (!outcomes)
        return;
    outcomes[0] = t->value;
    for (size_t i = 1; i < n && t->more; i++)
        outcomes[i] = t->more[i - 1];
    to->outcomes = outcomes;
    to->n_outcomes = n;
    to->violation = n > 1 ? tc_outcomes_violation(tc_study_doc_wants(doc), t->more) : 0;
    to->feasible = n == 1 || tc_outcomes_feasible(tc_study_doc_wants(doc), t->more);
}

tacit_status tc_trials_add(tacit_trials *l, const tc_trial *t, const tacit_document *doc,
                           tacit_error *err)
{
    const size_t n_params = doc->space->n_params;
    double *values = TC_TAKE(&l->memory, n_params, double);
    if (!values || !tc_grow((void **)&l->list, &l->cap, l->n + 1, sizeof *l->list))
        return tc_fail_memory(err);
    memcpy(values, t->values, n_params * sizeof *values);
    l->list[l->n] = (tacit_trial){.size = sizeof(tacit_trial),
                                  .number = t->number,
                                  .state = tc_trial_state_public(t->state),
                                  .values = values,
                                  .value = t->state == TC_TRIAL_COMPLETE ? t->value : (double)NAN,
                                  .pulls = t->pulls > 0 ? t->pulls : 1,
                                  .worker = copy_text(&l->memory, t->worker),
                                  .reason = copy_text(&l->memory, t->reason),
                                  .asked_ms = t->asked_ms,
                                  .told_ms = t->told_ms,
                                  .lease_ms = t->lease_ms,
                                  .steps = copy_steps(&l->memory, t),
                                  .n_steps = t->n_steps,
                                  .violation = (double)NAN};
    if (t->state == TC_TRIAL_COMPLETE)
        put_outcomes(l, &l->list[l->n], t, doc);
    if (l->memory.failed)
        return tc_fail_memory(err);
    l->n++;
    return TACIT_OK;
}

tacit_status tc_trials_copy(tacit_trials *l, const tacit_trial *t, const tacit_document *doc,
                            tacit_error *err)
{
    const tc_trial same = {.number = t->number,
                           .state = tc_trial_state_internal(t->state),
                           .values = (double *)t->values, /* are only read */
                           .value = t->value,
                           .more = t->n_outcomes > 1 ? (double *)t->outcomes + 1 : NULL,
                           .pulls = t->pulls,
                           .worker = (char *)t->worker,
                           .reason = (char *)t->reason,
                           .asked_ms = t->asked_ms,
                           .told_ms = t->told_ms,
                           .lease_ms = t->lease_ms};
    return tc_trials_add(l, &same, doc, err);
}

tacit_status tc_trials_add_asked(tacit_trials *l, uint64_t number, uint64_t pulls,
                                 const double *values, const tacit_document *doc, tacit_error *err)
{
    const tc_trial t = {.number = number,
                        .state = TC_TRIAL_RUNNING,
                        .values = (double *)values, /* is only read */
                        .pulls = pulls > 1 ? pulls : 1};
    return tc_trials_add(l, &t, doc, err);
}

size_t tacit_trials_count(const tacit_trials *list)
{
    return list ? list->n : 0;
}

const tacit_trial *tacit_trials_get(const tacit_trials *list, size_t i)
{
    return list && i < list->n ? &list->list[i] : NULL;
}

void tc_trials_fini(tacit_trials *l)
{
    tc_free(l->list);
    tc_arena_fini(&l->memory);
    *l = (tacit_trials){0};
}

void tacit_trials_free(tacit_trials *list)
{
    if (list)
        tc_trials_fini(list);
    tc_free(list);
}

/* ---- a single trial ---- */

/* With the memory of what it points at. */
typedef struct single {
    tacit_trial trial;
    tc_arena memory;
} single;

tacit_status tc_trials_take_first(tacit_trials *l, tacit_trial **out, tacit_error *err)
{
    single *s = tc_alloc(1, sizeof *s);
    if (!s)
        return tc_fail_memory(err);
    *s = (single){.trial = l->list[0], .memory = l->memory};
    l->memory = (tc_arena){0};
    l->n = 0;
    *out = &s->trial;
    return TACIT_OK;
}

void tacit_trial_free(tacit_trial *t)
{
    single *s = (single *)(void *)t;
    if (s)
        tc_arena_fini(&s->memory);
    tc_free(s);
}

/* ---- studies ---- */

tacit_status tc_studies_add(tacit_studies *l, const tacit_study_summary *s, tacit_error *err)
{
    if (!tc_grow((void **)&l->list, &l->cap, l->n + 1, sizeof *l->list))
        return tc_fail_memory(err);
    tacit_study_summary *copy = &l->list[l->n];
    *copy = *s;
    copy->size = sizeof *copy;
    copy->name = copy_text(&l->memory, s->name);
    copy->algorithm = copy_text(&l->memory, s->algorithm);
    copy->direction = copy_text(&l->memory, s->direction);
    if (l->memory.failed)
        return tc_fail_memory(err);
    l->n++;
    return TACIT_OK;
}

size_t tacit_studies_count(const tacit_studies *list)
{
    return list ? list->n : 0;
}

const tacit_study_summary *tacit_studies_get(const tacit_studies *list, size_t i)
{
    return list && i < list->n ? &list->list[i] : NULL;
}

void tacit_studies_free(tacit_studies *list)
{
    if (!list)
        return;
    tc_free(list->list);
    tc_arena_fini(&list->memory);
    tc_free(list);
}
