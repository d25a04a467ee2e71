/* outcome_front.c - the front and its reference point. See outcome_front.h. */
#include "algo/single/outcome_front.h"

#include "base/error.h"
#include "base/memory.h"
#include "num/pareto.h"
#include "num/sobol.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Points all over the space where the models are asked how far the front will reach. */
enum { SCOUTS = 512 };

/* Measured on Branin-Currin and DTLZ2 of two to four objectives (docs/math.md, "Several objectives"). A scout counts if it is better than each point of
 * the front by this part of its range in some objective: else a hair's breadth at one end would move the reference far. */
#define CLEARLY  0.1
#define UNFAIR   5.0
#define QUANTILE 0.3
#define MARGIN   0.1

tacit_status tc_outcome_front_init(tc_outcome_front *f, const tc_outcome_models *m,
                                   tacit_error *err)
{
    const tc_space *s = m->env->space;
    f->scouts = TC_TAKE(&f->arena, SCOUTS * (s->dim + m->n), double);
    f->t = TC_TAKE(&f->arena, s->n_params, double);
    f->u = TC_TAKE(&f->arena, s->dim, double);
    f->v = TC_TAKE(&f->arena, s->n_params, double);
    return f->arena.failed ? tc_fail_memory(err) : TACIT_OK;
}

void tc_outcome_front_fini(tc_outcome_front *f)
{
    tc_ehvi_fini(&f->ehvi);
    tc_free(f->rows);
    tc_free(f->of);
    tc_arena_fini(&f->arena);
}

/* ---- the front ---- */

/* Trials that run are believed to come back with their means, if those are within bounds; failed ones with nothing. */
static bool believed(const tc_outcome_models *m, size_t i, double *row)
{
    const tc_history *h = m->env->history;
    const size_t first = tc_model_first_believed(h);
    if (h->taken_pulls[i] == 0)
        return false;
    for (size_t k = 0; k < m->n; k++) {
        const tc_model *model = &m->model[k];
        const double mean =
            model->fgp ? tc_fgp_mean(model->fgp)[h->taken_point[i]] : model->z[h->n + i - first];
        if (k < m->n_objectives)
            row[k] = mean;
        else if (mean < m->low[k] || mean > m->high[k])
            return false;
    }
    return true;
}

/* Rows of the objectives' means at all feasible points. */
static void collect(tc_outcome_front *f, const tc_outcome_models *m, const double *merit)
{
    const tc_history *h = m->env->history;
    const size_t k = m->n_objectives;
    f->n_all = 0;
    for (size_t i = 0; i < h->n; i++) {
        if (merit[i] < 0)
            continue;
        for (size_t j = 0; j < k; j++)
            f->rows[f->n_all * k + j] = m->mean[j * h->n + i];
        f->n_all++;
    }
    for (size_t i = tc_model_first_believed(h); i < h->n_taken; i++)
        f->n_all += believed(m, i, f->rows + f->n_all * k);
}

static void find_front(tc_outcome_front *f, size_t k)
{
    f->n = tc_pareto_front(f->n_all, k, f->rows, f->of);
    f->front = f->rows + f->n_all * k;
    for (size_t i = 0; i < f->n; i++)
        memcpy(f->front + i * k, f->rows + f->of[i] * k, k * sizeof *f->front);
}

static void prefer_front(const tc_outcome_front *f, const tc_env *env, uint64_t trial,
                         double *merit)
{
    tc_stream stream;
    size_t row = 0, next = 0; /* rows were collected in this order */
    tc_stream_party(&stream, &env->party_seed, env->party, TC_FOR_DRAW, trial);
    for (size_t i = 0; i < env->history->n; i++) {
        if (merit[i] < 0)
            continue;
        if (next < f->n && f->of[next] == row) {
            merit[i] = 1 + tc_draw_uniform(&stream);
            next++;
        }
        row++;
    }
}

/* ---- how far it will reach ---- */

/* Means of all outcomes at SCOUTS points of a space that is no finite set. */
static tacit_status predict_box(tc_outcome_front *f, tc_outcome_models *m, uint64_t trial,
                                double *mean, tacit_error *err)
{
    const tc_env *env = m->env;
    const tc_space *s = env->space;
    tc_stream stream;
    tc_sobol sobol;
    tc_stream_party(&stream, &env->party_seed, env->party, TC_FOR_DRAW, trial);
    tc_sobol_init(&sobol, s->n_params, &stream);
    for (size_t i = 0; i < SCOUTS; i++) {
        tc_sobol_point(&sobol, i, f->t);
        tc_design_values(s, f->t, f->v);
        tc_space_encode(s, f->v, f->u);
        for (size_t d = 0; d < s->dim; d++)
            f->scouts[i + d * SCOUTS] = f->u[d];
    }
    for (size_t k = 0; k < m->n; k++)
        TC_TRY(tc_gp_predict_many(m->model[k].gp, SCOUTS, f->scouts, SCOUTS, mean + k * SCOUTS,
                                  NULL, err));
    return TACIT_OK;
}

/* The same at so many candidates, evenly spaced. */
static void take_candidates(const tc_outcome_models *m, double *mean)
{
    const size_t n = m->env->space->domain->n;
    for (size_t k = 0; k < m->n; k++)
        for (size_t i = 0; i < SCOUTS; i++)
            mean[k * SCOUTS + i] = tc_fgp_mean(m->model[k].fgp)[i * n / SCOUTS];
}

static bool within_bounds(const tc_outcome_models *m, const double *mean, size_t i)
{
    for (size_t k = m->n_objectives; k < m->n; k++)
        if (mean[k * SCOUTS + i] < m->low[k] || mean[k * SCOUTS + i] > m->high[k])
            return false;
    return true;
}

/* Is the scout clearly better than each point of the front in something? */
static bool extends(const tc_outcome_front *f, size_t k, const double *range, const double *row)
{
    for (size_t i = 0; i < f->n; i++) {
        size_t j = 0;
        while (j < k && row[j] <= f->front[i * k + j] + CLEARLY * range[j])
            j++;
        if (j == k)
            return false;
    }
    return true;
}

/* Values are standardised, and a front of one point has no range. */
static void find_ranges(const tc_outcome_front *f, size_t k, double *range)
{
    for (size_t j = 0; j < k; j++) {
        double least = INFINITY, most = -INFINITY;
        for (size_t i = 0; i < f->n; i++) {
            least = fmin(least, f->front[i * k + j]);
            most = fmax(most, f->front[i * k + j]);
        }
        range[j] = fmax(most - least, CLEARLY);
    }
}

/* Does row a give up too much in objective j? Some other row is better there by more than UNFAIR times what it loses in any
 * other objective, in units of the ranges. */
static bool unfair(const double *rows, size_t n, size_t k, const double *range, size_t a, size_t j)
{
    for (size_t b = 0; b < n; b++) {
        const double gain = (rows[b * k + j] - rows[a * k + j]) / range[j];
        double loss = 0;
        for (size_t d = 0; d < k; d++)
            if (d != j)
                loss = fmax(loss, (rows[a * k + d] - rows[b * k + d]) / range[d]);
        if (gain > 0 && gain > UNFAIR * loss)
            return true;
    }
    return false;
}

static void find_nadir(const double *rows, size_t n, size_t k, const double *range, double *nadir)
{
    for (size_t j = 0; j < k; j++) {
        double most = -INFINITY;
        nadir[j] = INFINITY;
        for (size_t i = 0; i < n; i++) {
            most = fmax(most, rows[i * k + j]);
            if (rows[i * k + j] < nadir[j] && !unfair(rows, n, k, range, i, j))
                nadir[j] = rows[i * k + j];
        }
        nadir[j] = fmin(nadir[j], most); /* the best of all is never unfair, but for rounding */
    }
}

/* The nadir of the front together with the scouts that extend it; their rows stand behind it. */
static tacit_status reach(tc_outcome_front *f, tc_outcome_models *m, uint64_t trial, double *nadir,
                          tacit_error *err)
{
    const size_t k = m->n_objectives;
    double *mean = f->scouts + SCOUTS * m->env->space->dim, range[TC_OBJECTIVES_MOST];
    size_t n = f->n;
    if (m->env->space->domain)
        take_candidates(m, mean);
    else
        TC_TRY(predict_box(f, m, trial, mean, err));
    find_ranges(f, k, range);
    for (size_t i = 0; i < SCOUTS; i++) {
        double *row = f->front + n * k;
        for (size_t j = 0; j < k; j++)
            row[j] = mean[j * SCOUTS + i];
        n += within_bounds(m, mean, i) && extends(f, k, range, row);
    }
    find_nadir(f->front, n, k, range, nadir);
    return TACIT_OK;
}

static int ascending(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

void tc_reference_point(size_t n, size_t k, const double *Y, const double *nadir, double *spare,
                        double *out)
{
    for (size_t j = 0; j < k; j++) {
        for (size_t i = 0; i < n; i++)
            spare[i] = Y[i * k + j];
        qsort(spare, n, sizeof *spare, ascending);
        const double most = spare[n - 1];
        const double least = fmin(nadir[j], spare[(size_t)(QUANTILE * (double)(n - 1))]);
        out[j] = least - MARGIN * fmax(most - least, CLEARLY);
    }
}

/* So far from all values, in their standard deviations, no more of a reference tells, and volumes stay numbers. */
#define FAR 1e6

/* As the user gave it, in the units of the models. */
static void take_given(tc_outcome_front *f, const tc_outcome_models *m)
{
    const tc_outcomes *w = m->env->outcomes;
    for (size_t k = 0; k < m->n_objectives; k++) {
        const double r = w->maximize[k] ? w->reference[k] : -w->reference[k];
        const double z = r / m->model[k].sd - m->model[k].mean / m->model[k].sd;
        f->reference[k] = fmin(fmax(z, -FAR), FAR);
    }
}

/* Where nobody gave one. */
static tacit_status find_reference(tc_outcome_front *f, tc_outcome_models *m, uint64_t trial,
                                   tacit_error *err)
{
    const size_t k = m->n_objectives;
    double nadir[TC_OBJECTIVES_MOST];
    TC_TRY(reach(f, m, trial, nadir, err));
    tc_reference_point(f->n_all, k, f->rows, nadir, f->front + f->n * k,
                       f->reference); /* in place of the scouts */
    return TACIT_OK;
}

tacit_status tc_outcome_front_set(tc_outcome_front *f, tc_outcome_models *m, double *merit,
                                  uint64_t trial, tacit_error *err)
{
    const tc_history *h = m->env->history;
    const size_t k = m->n_objectives, most = h->n + h->n_taken;
    if (!tc_grow((void **)&f->rows, &f->rows_cap, (2 * most + SCOUTS + 1) * k + most,
                 sizeof *f->rows) ||
        !tc_grow((void **)&f->of, &f->of_cap, most, sizeof *f->of))
        return tc_fail_memory(err);
    collect(f, m, merit);
    find_front(f, k);
    prefer_front(f, m->env, trial, merit);
    if (m->env->outcomes->reference)
        take_given(f, m);
    else
        TC_TRY(find_reference(f, m, trial, err));
    return tc_ehvi_set(&f->ehvi, f->n, k, f->front, f->reference, err);
}
