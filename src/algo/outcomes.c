/* outcomes.c - studies that want more of a trial than one value: what they want, which trials keep to the constraints, and
 * the front of several objectives. See optimizer.h. */
#include "algo/optimizer_int.h"

#include "algo/history.h"
#include "base/error.h"
#include "base/memory.h"
#include "num/pareto.h"

#include <float.h>
#include <math.h>
#include <string.h>

static tacit_status refuse_algorithm(const tc_optimizer *o, tacit_error *err)
{
    return tc_fail(
        err, TACIT_E_UNSUPPORTED,
        "algorithm %s takes one objective and no outcome constraints; gp-ei, random and sobol "
        "take more",
        o->algorithm->name);
}

static tacit_status check_bounds(const tc_outcomes *w, tacit_error *err)
{
    for (size_t c = 0; c < w->n_constraints; c++) {
        const double low = w->low[c], high = w->high[c];
        if (!(low < high) || (low == -INFINITY && high == INFINITY))
            return tc_fail(
                err, TACIT_E_ARG,
                "outcome constraint %zu must have a lower or an upper bound, and the lower "
                "below the upper, got %g and %g",
                c + 1, low, high);
    }
    return TACIT_OK;
}

static tacit_status check_reference(const tc_outcomes *w, tacit_error *err)
{
    for (size_t k = 0; w->reference && k < w->n_objectives; k++)
        if (!isfinite(w->reference[k]))
            return tc_fail(err, TACIT_E_ARG, "reference %zu must be a finite number, got %g", k,
                           w->reference[k]);
    return TACIT_OK;
}

static tacit_status check(const tc_optimizer *o, const tc_outcomes *w, tacit_error *err)
{
    if (w->n_objectives < 1 || w->n_objectives > TC_OBJECTIVES_MOST)
        return tc_fail(err, TACIT_E_ARG, "a study has 1 to %d objectives, got %zu",
                       TC_OBJECTIVES_MOST, w->n_objectives);
    if (w->n_constraints > TC_CONSTRAINTS_MOST)
        return tc_fail(err, TACIT_E_ARG, "a study has at most %d outcome constraints, got %zu",
                       TC_CONSTRAINTS_MOST, w->n_constraints);
    TC_TRY(check_bounds(w, err));
    TC_TRY(check_reference(w, err));
    return o->algorithm->outcomes || tc_outcomes_more(w) == 0 ? TACIT_OK : refuse_algorithm(o, err);
}

tacit_status tc_outcomes_take(tc_optimizer *o, const tc_outcomes *from, tacit_error *err)
{
    if (!from)
        return TACIT_OK;
    TC_TRY(check(o, from, err));
    if (tc_outcomes_more(from) == 0)
        return TACIT_OK; /* a study like any other, with the same bits */
    bool *maximize = TC_TAKE(&o->arena, from->n_objectives, bool);
    double *low = TC_TAKE(&o->arena, from->n_constraints + 1, double);
    double *high = TC_TAKE(&o->arena, from->n_constraints + 1, double);
    double *reference = from->reference ? TC_TAKE(&o->arena, from->n_objectives, double) : NULL;
    if (!maximize || !low || !high || (from->reference && !reference))
        return tc_fail_memory(err);
    if (reference)
        memcpy(reference, from->reference, from->n_objectives * sizeof *reference);
    memcpy(maximize, from->maximize, from->n_objectives * sizeof *maximize);
    if (from->n_constraints > 0) {
        memcpy(low, from->low, from->n_constraints * sizeof *low);
        memcpy(high, from->high, from->n_constraints * sizeof *high);
    }
    o->outcomes = (tc_outcomes){.n_objectives = from->n_objectives,
                                .maximize = maximize,
                                .n_constraints = from->n_constraints,
                                .low = low,
                                .high = high,
                                .reference = reference};
    o->env.outcomes = &o->outcomes;
    return tc_history_widen(&o->history, tc_outcomes_more(from), err);
}

const tc_outcomes *tc_optimizer_outcomes(const tc_optimizer *o)
{
    return o->env.outcomes;
}

/* ---- what keeps to the constraints ---- */

static double share(double excess, double bound)
{
    return bound == 0 ? excess : excess / fabs(bound);
}

double tc_outcomes_violation(const tc_outcomes *w, const double *more)
{
    double sum = 0;
    for (size_t c = 0; c < w->n_constraints; c++) {
        const double told = more[w->n_objectives - 1 + c];
        if (!tc_outcomes_within(w, c, told))
            sum += told < w->low[c] ? share(w->low[c] - told, w->low[c])
                                    : share(told - w->high[c], w->high[c]);
    }
    return fmin(sum, DBL_MAX); /* infinity is no number of JSON, and cannot be compared */
}

bool tc_outcomes_feasible(const tc_outcomes *w, const double *more)
{
    for (size_t c = 0; c < w->n_constraints; c++)
        if (!tc_outcomes_within(w, c, more[w->n_objectives - 1 + c]))
            return false;
    return true;
}

bool tc_optimizer_feasible(const tc_optimizer *o, const tc_trial *t)
{
    return t->state == TC_TRIAL_COMPLETE && tc_outcomes_feasible(&o->outcomes, t->more);
}

double tc_outcomes_objective(const tc_optimizer *o, const tc_trial *t, size_t k)
{
    if (k == 0)
        return o->maximize ? t->value : -t->value;
    return o->outcomes.maximize[k] ? t->more[k - 1] : -t->more[k - 1];
}

/* ---- counted as trials complete: nobody goes over all of them to know how a study stands ---- */

tacit_status tc_outcomes_make_room(tc_optimizer *o, tacit_error *err)
{
    return tc_grow((void **)&o->front, &o->front_cap, o->n_front + 1, sizeof *o->front)
               ? TACIT_OK
               : tc_fail_memory(err);
}

_Static_assert(TC_OBJECTIVES_MOST <= (int)TC_PARETO_MOST, "a front has room for a row");

static const double *row_of(const void *of, size_t number, double *room)
{
    const tc_optimizer *o = of;
    for (size_t k = 0; k < o->outcomes.n_objectives; k++)
        room[k] = tc_outcomes_objective(o, &o->trials[number], k);
    return room;
}

/* Trials complete in any order, and stand on the front by number: the last one goes to its place. */
static void sort_last(tc_optimizer *o)
{
    size_t at = o->n_front - 1;
    const size_t number = o->front[at];
    for (; at > 0 && o->front[at - 1] > number; at--)
        o->front[at] = o->front[at - 1];
    o->front[at] = number;
}

void tc_outcomes_count(tc_optimizer *o, const tc_trial *t)
{
    const tc_pareto_rows rows = {.k = o->outcomes.n_objectives, .row = row_of, .of = o};
    if (!tc_optimizer_feasible(o, t))
        return;
    o->feasible++;
    if (rows.k > 1 && tc_pareto_join(&rows, (size_t)t->number, o->front, &o->n_front))
        sort_last(o);
}

uint64_t tc_optimizer_feasible_count(const tc_optimizer *o)
{
    return o->env.outcomes ? o->feasible : o->count[TC_TRIAL_COMPLETE];
}

const size_t *tc_optimizer_front(const tc_optimizer *o, size_t *n)
{
    *n = o->n_front;
    return o->front;
}
