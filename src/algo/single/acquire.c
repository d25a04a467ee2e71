/* acquire.c - candidates, then L-BFGS, then neighbours. See acquire.h. */
#include "algo/single/acquire.h"

#include "algo/single/cover.h"
#include "base/error.h"
#include "num/boxmax.h"

#include <math.h>
#include <string.h>

enum {
    WIDE = 256,     /* Sobol' candidates, and ... */
    WIDE_MORE = 64, /* ... as many more for each dimension above two, up to ... */
    WIDE_MAX = 1024,
    PARENTS = 4,   /* best observations, each with ... */
    CHILDREN = 12, /* ... candidates around it */
    LOCAL_EVALS = 60,
    DIRECT_EVALS = 2000,
    SWEEPS = 4 /* rounds of neighbour moves */
};

static size_t wide_count(size_t dim)
{
    size_t n = WIDE + (dim > 2 ? (dim - 2) * WIDE_MORE : 0);
    return n < WIDE_MAX ? n : WIDE_MAX;
}

tacit_status tc_acquirer_init(tc_acquirer *a, const tc_model *m, int search, tacit_error *err)
{
    const tc_space *s = m->env->space;
    a->model = m;
    a->search = search;
    a->n_wide = wide_count(s->dim);
    a->n_near = PARENTS * CHILDREN;
    size_t n = a->n_wide + a->n_near;
    a->free = TC_TAKE(&a->arena, s->dim, unsigned char);
    a->X = TC_TAKE(&a->arena, n * s->dim, double);
    a->score = TC_TAKE(&a->arena, n, double);
    a->starts = TC_TAKE(&a->arena, TC_ACQUIRE_STARTS * s->dim, double);
    a->start_score = TC_TAKE(&a->arena, TC_ACQUIRE_STARTS, double);
    a->t = TC_TAKE(&a->arena, s->n_params, double);
    a->u = TC_TAKE(&a->arena, s->dim, double);
    a->spare = TC_TAKE(&a->arena, s->dim, double);
    a->values = TC_TAKE(&a->arena, s->n_params, double);
    if (a->arena.failed)
        return tc_fail_memory(err);
    a->all_free = true;
    for (size_t d = 0; d < s->dim; d++) {
        a->free[d] = tc_space_continuous(s, d);
        a->all_free = a->all_free && a->free[d];
    }
    return TACIT_OK;
}

void tc_acquirer_fini(tc_acquirer *a)
{
    tc_arena_fini(&a->arena);
}

/* ---- candidates ---- */

static void put_candidate(tc_acquirer *a, size_t i)
{
    size_t n = a->n_wide + a->n_near, dim = a->model->env->space->dim;
    for (size_t d = 0; d < dim; d++)
        a->X[i + d * n] = a->u[d];
}

static void get_candidate(const tc_acquirer *a, size_t i, double *u)
{
    size_t n = a->n_wide + a->n_near, dim = a->model->env->space->dim;
    for (size_t d = 0; d < dim; d++)
        u[d] = a->X[i + d * n];
}

/* Where linear constraints leave room. */
static void add_wide_inside(tc_acquirer *a, const tc_stream *s)
{
    const tc_space *space = a->model->env->space;
    tc_cover cover;
    tc_cover_init(&cover, space, s);
    for (size_t i = 0; i < a->n_wide; i++) {
        tc_cover_next(&cover, a->values);
        tc_space_encode(space, a->values, a->u);
        put_candidate(a, i);
    }
}

/* A continuous space is its own encoding: the Sobol' point itself. */
static void add_wide(tc_acquirer *a, tc_stream *s)
{
    const tc_space *space = a->model->env->space;
    tc_sobol sobol;
    if (space->room) {
        add_wide_inside(a, s);
        return;
    }
    tc_sobol_init(&sobol, space->n_params, s);
    for (size_t i = 0; i < a->n_wide; i++) {
        tc_sobol_point(&sobol, i, a->all_free ? a->u : a->t);
        if (!a->all_free) {
            tc_design_values(space, a->t, a->values);
            tc_space_encode(space, a->values, a->u);
        }
        put_candidate(a, i);
    }
}

/* Indices of the best observations, best first (ties: earlier). */
static size_t best_observed(size_t n, const double *merit, size_t *out)
{
    size_t found = 0;
    for (size_t i = 0; i < n; i++) {
        size_t k = found;
        while (k > 0 && merit[i] > merit[out[k - 1]])
            k--;
        if (k >= PARENTS)
            continue;
        if (found < PARENTS)
            found++;
        memmove(out + k + 1, out + k, (found - k - 1) * sizeof *out);
        out[k] = i;
    }
    return found;
}

/* Around the parent, at distances from a tenth of the range down to a hundred-thousandth: the
 * last digits of an optimum are found by the smallest. */
static void add_near(tc_acquirer *a, tc_stream *s)
{
    const tc_history *h = a->model->env->history;
    const tc_space *space = a->model->env->space;
    size_t parents[PARENTS + 1];
    size_t n_parents = best_observed(h->n, a->merit ? a->merit : h->y, parents);
    if (n_parents == 0)
        return; /* never asked: the design comes first */
    for (size_t c = 0; c < a->n_near; c++) {
        size_t parent = parents[c % n_parents];
        double radius = pow(10, -1 - 4 * tc_draw_uniform(s));
        for (size_t d = 0; d < h->dim; d++) {
            double step = radius * tc_draw_normal(s);
            a->u[d] = fmin(fmax(h->U[parent + d * h->ld] + step, 0), 1);
        }
        if (!a->all_free || space->room)
            tc_space_round(space, a->u);
        put_candidate(a, a->n_wide + c);
    }
}

/* ---- starts ---- */

static bool listed(const size_t *list, size_t n, size_t i)
{
    for (size_t k = 0; k < n; k++)
        if (list[k] == i)
            return true;
    return false;
}

/* Copies the best `want` candidates of [from, to) behind the starts already there. */
static size_t add_starts(tc_acquirer *a, size_t from, size_t to, size_t have, size_t want)
{
    size_t dim = a->model->env->space->dim, chosen[TC_ACQUIRE_STARTS], k = 0;
    for (; k < want; k++) {
        size_t best = to;
        for (size_t i = from; i < to; i++)
            if ((best == to || a->score[i] > a->score[best]) && !listed(chosen, k, i))
                best = i;
        if (best == to)
            break;
        chosen[k] = best;
        get_candidate(a, best, a->starts + (have + k) * dim);
        a->start_score[have + k] = a->score[best];
    }
    return have + k;
}

static size_t choose_starts(tc_acquirer *a)
{
    size_t half = TC_ACQUIRE_STARTS / 2;
    size_t n = add_starts(a, 0, a->n_wide, 0, TC_ACQUIRE_STARTS - half);
    return add_starts(a, a->n_wide, a->n_wide + a->n_near, n, half);
}

static bool any_free(const tc_acquirer *a)
{
    for (size_t d = 0; d < a->model->env->space->dim; d++)
        if (a->free[d])
            return true;
    return false;
}

/* The acquisition on canonical points, from which an ascent never leaves. */
static double at_active(void *ctx, size_t slot, const double *u, double *grad)
{
    const tc_acquirer *a = ctx;
    double value = a->f->at(a->f->ctx, slot, u, grad);
    if (grad)
        tc_space_hold_idle(a->model->env->space, u, grad);
    return value;
}

static tacit_status climb(tc_acquirer *a, size_t n, tacit_error *err)
{
    size_t best;
    tc_boxmax p = {.dim = a->model->env->space->dim,
                   .f = at_active,
                   .ctx = a,
                   .free = a->all_free ? NULL : a->free,
                   .max_evals = LOCAL_EVALS,
                   .ftol_rel = 1e-10,
                   .pool = a->model->env->pool};
    tc_cover_limit(&p, a->model->env->space);
    return tc_boxmax_lbfgs(&p, n, a->starts, a->start_score, &best, err);
}

/* ---- neighbours of discrete parameters ---- */

/* The k-th neighbour of `value`: one step down or up, or the k-th other choice. */
static bool neighbour(const tc_param *p, double value, size_t k, double *out)
{
    if (p->type == TC_PARAM_CHOICE) {
        *out = (double)k;
        return k < p->n_choices;
    }
    double step = p->type == TC_PARAM_INT && p->step < 1 ? 1 : p->step;
    *out = k == 0 ? value - step : value + step;
    return k < 2;
}

static bool improve_param(tc_acquirer *a, size_t i, double *values, double *score)
{
    const tc_space *s = a->model->env->space;
    const tc_param *p = &s->params[i];
    double keep = values[i], candidate, best = keep;
    for (size_t k = 0; neighbour(p, keep, k, &candidate); k++) {
        values[i] = candidate;
        if (candidate == keep || tc_space_check(s, values, NULL) != TACIT_OK)
            continue;
        tc_space_encode(s, values, a->u);
        double at = a->f->at(a->f->ctx, 0, a->u, NULL);
        if (at > *score) {
            *score = at;
            best = candidate;
        }
    }
    values[i] = best;
    tc_space_make_canonical(s, values);
    return best != keep;
}

static bool discrete(const tc_param *p)
{
    return p->type != TC_PARAM_FLOAT || p->step > 0;
}

static void walk(tc_acquirer *a, double *u, double *score)
{
    const tc_space *s = a->model->env->space;
    double *values = a->values;
    bool moved = true;
    tc_space_decode(s, u, values);
    for (int sweep = 0; moved && sweep < SWEEPS; sweep++) {
        moved = false;
        for (size_t i = 0; i < s->n_params; i++)
            if (discrete(&s->params[i]) && tc_space_active(s, values, i))
                moved |= improve_param(a, i, values, score);
    }
    tc_space_encode(s, values, u);
}

/* ---- the choice ---- */

/* Representable, and not known already. */
static bool fresh(tc_acquirer *a, const double *u, double *values)
{
    const tc_space *s = a->model->env->space;
    tc_space_decode(s, u, values);
    if (tc_model_repeats(a->model))
        return true;
    tc_space_encode(s, values, a->u);
    return !tc_model_known(a->model, a->u);
}

/* Hands out the items in order of falling score: the largest not above (limit, after). */
static size_t next_best(const double *score, size_t n, double limit, size_t after)
{
    size_t best = n;
    for (size_t i = 0; i < n; i++) {
        bool later = score[i] < limit || (score[i] == limit && i > after && after < n);
        if ((later || after == n) && (best == n || score[i] > score[best]))
            best = i;
    }
    return best;
}

/* The best start that is new, else the best candidate that is, else the best start again. */
static void choose(tc_acquirer *a, size_t n_starts, double *values)
{
    size_t dim = a->model->env->space->dim, n = a->n_wide + a->n_near;
    size_t first = next_best(a->start_score, n_starts, 0, n_starts), i;
    for (i = first; i < n_starts; i = next_best(a->start_score, n_starts, a->start_score[i], i))
        if (fresh(a, a->starts + i * dim, values))
            return;
    for (i = next_best(a->score, n, 0, n); i < n; i = next_best(a->score, n, a->score[i], i)) {
        get_candidate(a, i, a->spare);
        if (fresh(a, a->spare, values))
            return;
    }
    tc_space_decode(a->model->env->space, a->starts + first * dim, values);
}

/* DIRECT knows no steps or choices: it sees the function at the nearest point there is. */
static double at_rounded(void *ctx, size_t slot, const double *x, double *grad)
{
    tc_acquirer *a = ctx;
    const tc_space *s = a->model->env->space;
    memcpy(a->spare, x, s->dim * sizeof *x);
    tc_space_round(s, a->spare);
    return a->f->at(a->f->ctx, slot, a->spare, grad);
}

static tacit_status search_direct(tc_acquirer *a, tacit_error *err)
{
    tc_boxmax p = {
        .dim = a->model->env->space->dim, .f = at_rounded, .ctx = a, .max_evals = DIRECT_EVALS};
    TC_TRY(tc_boxmax_direct(&p, a->starts, a->start_score, err));
    tc_space_round(a->model->env->space, a->starts);
    return TACIT_OK;
}

static tacit_status search_starts(tc_acquirer *a, size_t *n, tacit_error *err)
{
    const tc_space *s = a->model->env->space;
    *n = choose_starts(a);
    if (any_free(a))
        TC_TRY(climb(a, *n, err));
    if (!a->all_free)
        for (size_t i = 0; i < *n; i++)
            walk(a, a->starts + i * s->dim, &a->start_score[i]);
    return TACIT_OK;
}

tacit_status tc_acquire(tc_acquirer *a, const tc_acquisition *f, uint64_t trial, double *values,
                        tacit_error *err)
{
    const tc_env *env = a->model->env;
    size_t n = a->n_wide + a->n_near, n_starts = 1;
    tc_stream s;
    a->f = f;
    tc_stream_party(&s, &env->party_seed, env->party, TC_FOR_CANDIDATES, trial);
    add_wide(a, &s);
    add_near(a, &s);
    TC_TRY(f->score(f->ctx, n, a->X, n, a->score, err));
    if (a->search == TC_SEARCH_DIRECT)
        TC_TRY(search_direct(a, err));
    else
        TC_TRY(search_starts(a, &n_starts, err));
    choose(a, n_starts, values);
    return TACIT_OK;
}
