/* own_ask.c - the next point of an agent: the largest expected improvement under its three models (own.h).
 *
 * The score of a point is ln sum_k weight_k EI_k: a sum, and not the EI of one model that is drawn, which has more
 * regret (docs/math.md, "The agent's own model"). */
#include "algo/own/own_int.h"

#include "algo/single/log_ei.h"
#include "base/error.h"
#include "num/gp_multiples.h"

#include <math.h>

/* ---- one point ---- */

/* ln sum_k weight_k EI_k, and its derivatives along the mean and the variance of each model. */
typedef struct improvement {
    double value, d_mean[TC_OWN_MODELS], d_var[TC_OWN_MODELS];
} improvement;

/* Far below every incumbent: EI underflows, and the sum is taken over logarithms. */
static improvement improve_far(const tc_own *o, const double *z, const double *sd,
                               const double *fall)
{
    improvement f = {0};
    double part[TC_OWN_MODELS] = {0}, share[TC_OWN_MODELS] = {0}, top = -INFINITY, sum = 0;
    for (int k = 0; k < TC_OWN_MODELS; k++) {
        const tc_own_member *m = &o->member[k];
        if (m->weight == 0)
            continue;
        double slope;
        part[k] = m->log_weight + log(sd[k]) + tc_log_h(z[k], &slope);
        f.d_mean[k] = slope / sd[k];
        f.d_var[k] = fall[k] * (1 - slope * z[k]) / (2 * sd[k] * sd[k]);
        top = fmax(top, part[k]);
    }
    for (int k = 0; k < TC_OWN_MODELS; k++)
        if (o->member[k].weight > 0)
            sum += share[k] = part[k] < top ? exp(part[k] - top) : 1;
    f.value = top + log(sum);
    for (int k = 0; k < TC_OWN_MODELS; k++) {
        f.d_mean[k] *= share[k] / sum;
        f.d_var[k] *= share[k] / sum;
    }
    return f;
}

/* from[k], var[k]: of the view of member k. */
static improvement improve(const tc_own *o, const double *const *from, const double *var,
                           double heard)
{
    improvement f = {0};
    double z[TC_OWN_MODELS] = {0}, sd[TC_OWN_MODELS] = {0}, fall[TC_OWN_MODELS] = {0};
    double top = -INFINITY, sum = 0;
    for (int k = 0; k < TC_OWN_MODELS; k++) {
        const tc_own_member *m = &o->member[k];
        if (m->weight == 0)
            continue;
        tc_trend_point x = tc_own_point(m, from[k], heard, var[k]);
        tc_trend_value v = tc_trend_at(&m->trend, &x);
        z[k] = tc_ei_z(m->best, v.mean, tc_ei_move(v.variance, o->noise, &fall[k]), &sd[k]);
        top = fmax(top, z[k]);
    }
    if (top < TC_EI_LEAST_Z)
        return improve_far(o, z, sd, fall);
    for (int k = 0; k < TC_OWN_MODELS; k++) {
        const double weight = o->member[k].weight;
        if (weight == 0)
            continue;
        tc_ei ei = tc_ei_at(z[k], sd[k]);
        sum += weight * ei.value;
        f.d_mean[k] = weight * ei.d_mean;
        f.d_var[k] = fall[k] * weight * ei.d_var;
    }
    f.value = log(sum);
    for (int k = 0; k < TC_OWN_MODELS; k++) {
        f.d_mean[k] /= sum;
        f.d_var[k] /= sum;
    }
    return f;
}

/* ---- candidates ---- */

static void ask_finite(tc_own *o, double *values)
{
    const size_t n = o->env->space->domain->n;
    const unsigned char *closed = tc_model_close(&o->wide.model);
    double column[TC_OWN_MODELS][TC_OWN_COLUMNS_ALL], var[TC_OWN_MODELS], top = -INFINITY;
    const double *from[TC_OWN_MODELS];
    size_t at = n;
    for (size_t j = 0; j < n; j++) {
        for (int k = 0; k < TC_OWN_MODELS && !closed[j]; k++) {
            const tc_own_view *v = o->member[k].view;
            from[k] = column[k];
            for (size_t c = 0; o->member[k].weight > 0 && c < v->columns; c++)
                column[k][c] = v->from[c * v->stride + j];
            var[k] = o->member[k].weight > 0 ? tc_fgp_variance(v->model.fgp)[j] : 0;
        }
        double score = closed[j]
                           ? -INFINITY
                           : improve(o, from, var, o->informed ? o->at_candidates[j] : 0).value;
        if (at == n || score > top) {
            top = score;
            at = j;
        }
    }
    values[0] = (double)at;
}

/* ---- a box ---- */

enum { VIEWS = 2 };

/* The views that a model which counts has: their numbers, and how many. */
static size_t list_views(const tc_own *o, int *number)
{
    const tc_own_member *m = o->member;
    size_t count = 0;
    if (m[TC_OWN_ALONE].weight > 0 || m[TC_OWN_HEARD].weight > 0)
        number[count++] = 0;
    if (m[TC_OWN_TRUSTED].weight > 0)
        number[count++] = 1;
    return count;
}

static const tc_own_view *view_of(const tc_own *o, int number)
{
    return number == 0 ? &o->wide : &o->narrow;
}

static int number_of(const tc_own *o, const tc_own_member *m)
{
    return m->view == &o->narrow;
}

/* Scratch: what was heard | of each view means and variances | the processes' own. */
tacit_status tc_own_score_many(void *ctx, size_t m, const double *X, size_t ldx, double *out,
                               tacit_error *err)
{
    tc_own *o = ctx;
    double *heard = o->block, *next = heard + m;
    double *mean[VIEWS] = {NULL}, *var[VIEWS] = {NULL};
    tc_gp_multiple of[VIEWS];
    int number[VIEWS];
    const size_t count = list_views(o, number), columns = o->wide.columns;
    (void)err;
    for (size_t i = 0; i < count; i++, next += (TC_OWN_COLUMNS_ALL + 1) * m) {
        const tc_own_view *v = view_of(o, number[i]);
        mean[number[i]] = next;
        var[number[i]] = next + TC_OWN_COLUMNS_ALL * m;
        of[i] = (tc_gp_multiple){
            .g = v->model.gp, .W = v->from, .mean = mean[number[i]], .var = var[number[i]]};
    }
    tc_gp_multiples_many(count, of, columns, m, X, ldx, next);
    if (o->informed)
        o->heard.many(o->heard.ctx, m, X, ldx, heard);
    for (size_t j = 0; j < m; j++) {
        double column[TC_OWN_MODELS][TC_OWN_COLUMNS_ALL], spread[TC_OWN_MODELS];
        const double *from[TC_OWN_MODELS];
        for (int k = 0; k < TC_OWN_MODELS; k++) {
            const int i = number_of(o, &o->member[k]);
            from[k] = column[k];
            for (size_t c = 0; o->member[k].weight > 0 && c < columns; c++)
                column[k][c] = mean[i][c * m + j];
            spread[k] = o->member[k].weight > 0 ? var[i][j] : 0;
        }
        out[j] = improve(o, from, spread, o->informed ? heard[j] : 0).value;
    }
    return TACIT_OK;
}

/* What one view predicts at one point, with derivatives along every coordinate. */
typedef struct outlook {
    double from[TC_OWN_COLUMNS_ALL], var;
    double *d_from, *d_var; /* dim x columns, dim */
} outlook;

/* The derivative of f->value along coordinate d. */
static double slope(const tc_own *o, const outlook *at, const improvement *f, double heard,
                    double d_heard, size_t d)
{
    const size_t dim = o->env->space->dim;
    double sum = 0;
    for (int k = 0; k < TC_OWN_MODELS; k++) {
        const tc_own_member *m = &o->member[k];
        if (m->weight == 0)
            continue;
        const outlook *v = &at[number_of(o, m)];
        double along[TC_OWN_COLUMNS_ALL];
        for (size_t c = 0; c < m->view->columns; c++)
            along[c] = v->d_from[c * dim + d];
        tc_trend_point x = tc_own_point(m, v->from, heard, v->var);
        tc_trend_point dx = tc_own_point(m, along, d_heard, v->d_var[d]);
        dx.h[0] = 0; /* the constant has no slope */
        tc_trend_value s = tc_trend_slope(&m->trend, &x, &dx);
        sum += f->d_mean[k] * s.mean + f->d_var[k] * s.variance;
    }
    return sum;
}

/* Scratch of a slot: gradient of what was heard | of each view: d_from, d_var | the processes' own. */
double tc_own_score(void *ctx, size_t slot, const double *x, double *grad)
{
    const tc_own *o = ctx;
    const size_t dim = o->env->space->dim;
    double *d_heard = o->slots + slot * o->slot_size, *next = d_heard + dim;
    double heard = o->informed ? o->heard.at(o->heard.ctx, x, grad ? d_heard : NULL) : 0;
    outlook view[VIEWS] = {{.var = 0}, {.var = 0}};
    tc_gp_multiple of[VIEWS];
    int number[VIEWS];
    const size_t count = list_views(o, number);
    for (size_t i = 0; i < count; i++, next += (TC_OWN_COLUMNS_ALL + 1) * dim) {
        const tc_own_view *v = view_of(o, number[i]);
        outlook *at = &view[number[i]];
        *at = (outlook){.d_from = next, .d_var = next + TC_OWN_COLUMNS_ALL * dim};
        of[i] = (tc_gp_multiple){.g = v->model.gp,
                                 .W = v->from,
                                 .mean = at->from,
                                 .var = &at->var,
                                 .d_mean = grad ? at->d_from : NULL,
                                 .d_var = grad ? at->d_var : NULL};
    }
    tc_gp_multiples_at(count, of, o->wide.columns, x, next);
    const double *from[TC_OWN_MODELS];
    double var[TC_OWN_MODELS];
    for (int k = 0; k < TC_OWN_MODELS; k++) {
        from[k] = view[number_of(o, &o->member[k])].from;
        var[k] = view[number_of(o, &o->member[k])].var;
    }
    const improvement f = improve(o, from, var, heard);
    for (size_t d = 0; grad && d < dim; d++)
        grad[d] = slope(o, view, &f, heard, o->informed ? d_heard[d] : 0, d);
    return f.value;
}

static tacit_status ask_box(tc_own *o, uint64_t trial, double *values, tacit_error *err)
{
    tc_acquisition f = {.score = tc_own_score_many, .at = tc_own_score, .ctx = o};
    const size_t points = o->acquirer.n_wide + o->acquirer.n_near, dim = o->env->space->dim;
    const size_t n = tc_gp_size(o->wide.model.gp), views = VIEWS * (TC_OWN_COLUMNS_ALL + 1);
    const size_t block = points * (1 + views) + tc_gp_multiples_many_scratch(n);
    o->slot_size = dim * (1 + views) + tc_gp_multiples_scratch(n, dim);
    if (!tc_grow((void **)&o->slots, &o->slots_cap, TC_ACQUIRE_STARTS * o->slot_size,
                 sizeof *o->slots) ||
        !tc_grow((void **)&o->block, &o->block_cap, block, sizeof *o->block))
        return tc_fail_memory(err);
    return tc_acquire(&o->acquirer, &f, trial, values, err);
}

/* ---- */

tacit_status tc_own_ask(tc_own *o, uint64_t trial, double *values, tacit_error *err)
{
    if (!tc_model_ready(&o->wide.model)) {
        tc_design_point(&o->wide.model.design, trial, values);
        return TACIT_OK;
    }
    tacit_status status = tc_own_sync(o, err);
    if (status == TACIT_OK) {
        tc_own_mix(o);
        if (o->env->space->domain)
            ask_finite(o, values);
        else
            status = ask_box(o, trial, values, err);
    }
    tc_own_view_forget(&o->wide);
    tc_own_view_forget(&o->narrow);
    return status;
}
