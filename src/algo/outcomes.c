/* outcomes.c - studies that want more of a trial than one value: what they want, which trials keep to the constraints, and
 * the front of several objectives. See optimizer.h. */
#include "algo/optimizer_int.h"

#include "algo/history.h"
#include "base/error.h"
#include "base/memory.h"
#include "num/pareto.h"

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

bool tc_optimizer_feasible(const tc_optimizer *o, const tc_trial *t)
{
    const tc_outcomes *w = &o->outcomes;
    if (t->state != TC_TRIAL_COMPLETE)
        return false;
    for (size_t c = 0; c < w->n_constraints; c++) {
        const double bounded = t->more[w->n_objectives - 1 + c];
        if (bounded < w->low[c] || bounded > w->high[c])
            return false;
    }
    return true;
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

static void objectives_of(const tc_optimizer *o, uint64_t number, double *out)
{
    for (size_t k = 0; k < o->outcomes.n_objectives; k++)
        out[k] = tc_outcomes_objective(o, &o->trials[number], k);
}

/* Trials complete in any order, and stand on the front by number. */
static void put_on_front(tc_optimizer *o, uint64_t number)
{
    size_t at = o->n_front++;
    for (; at > 0 && o->front[at - 1] > number; at--)
        o->front[at] = o->front[at - 1];
    o->front[at] = number;
}

void tc_outcomes_count(tc_optimizer *o, const tc_trial *t)
{
    double ours[TC_OBJECTIVES_MOST], theirs[TC_OBJECTIVES_MOST];
    const size_t k = o->outcomes.n_objectives, n = o->n_front;
    if (!tc_optimizer_feasible(o, t))
        return;
    o->feasible++;
    if (k == 1)
        return;
    objectives_of(o, t->number, ours);
    size_t kept = 0;
    for (size_t i = 0; i < n; i++) {
        objectives_of(o, o->front[i], theirs);
        if (tc_dominates(k, theirs, ours))
            return; /* then it dominates none of them, and none has left */
        if (!tc_dominates(k, ours, theirs))
            o->front[kept++] = o->front[i];
    }
    o->n_front = kept;
    put_on_front(o, t->number);
}

uint64_t tc_optimizer_feasible_count(const tc_optimizer *o)
{
    return o->env.outcomes ? o->feasible : o->count[TC_TRIAL_COMPLETE];
}

const uint64_t *tc_optimizer_front(const tc_optimizer *o, size_t *n)
{
    *n = o->n_front;
    return o->front;
}
