/* own_view.c - one residual process of the agent's own model, and three columns under its covariance (own_int.h).
 *
 * The columns are 1, what was heard, and the values. Of candidates the factor and its rows are those of num/fgp.h, where a
 * column costs one pass; of a box they are C^-1 column. Trials that run elsewhere are believed to return what
 * is predicted (single/model.h): variances fall there, those of the trend's coefficients too, and means
 * stay as they are. */
#include "algo/own/own_int.h"

#include "base/error.h"
#include "num/la.h"

#include <math.h>
#include <string.h>

tacit_status tc_own_view_init(tc_own_view *v, const tc_env *env, const tc_model_opts *opts,
                              size_t anchors, tacit_error *err)
{
    v->ratio = 1;
    v->model.anchors = anchors;
    return tc_model_init(&v->model, env, opts, true, err);
}

void tc_own_view_fini(tc_own_view *v)
{
    tc_model_fini(&v->model);
    tc_free(v->from);
    tc_free(v->target);
    tc_free(v->solved);
    tc_free(v->near_target);
    tc_free(v->near_solved);
    tc_free(v->at_taken);
}

/* How many rows the factor has for observations. */
static size_t rows_of(const tc_own_view *v)
{
    return v->model.fgp ? v->model.rows.n : v->model.n;
}

static void fill_column(tc_own_view *v, int column, const tc_own_trend *trend, double *t)
{
    const tc_model *m = &v->model;
    for (size_t i = 0; i < rows_of(v); i++)
        t[i] = column == TC_OWN_ONE     ? 1
               : column == TC_OWN_VALUE ? (m->fgp ? m->rows.mean[i] : m->z[i])
               : !trend->observed       ? 0
               : m->fgp                 ? trend->candidates[m->rows.at[i]]
                                        : trend->observed[i];
}

static void multiply(tc_own_view *v, const double *a, const double *b)
{
    const size_t rows = rows_of(v);
    for (int i = 0; i < TC_OWN_COLUMNS; i++)
        for (int j = 0; j < TC_OWN_COLUMNS; j++)
            v->gram[i][j] = tc_dot(rows, a + (size_t)i * rows, b + (size_t)j * rows);
}

/* Up to what is the same for every ratio: ln of the noise of each row. */
static void columns_of_candidates(tc_own_view *v)
{
    const size_t rows = rows_of(v), n = v->stride;
    for (int c = 0; c < TC_OWN_COLUMNS; c++)
        tc_fgp_project(v->model.fgp, v->target + (size_t)c * rows, v->from + (size_t)c * n,
                       v->solved + (size_t)c * rows);
    multiply(v, v->solved, v->solved);
    v->log_det = 2 * tc_fgp_info_gain(v->model.fgp);
}

static void columns_of_box(tc_own_view *v)
{
    const tc_gp *g = v->model.gp;
    const size_t rows = rows_of(v);
    size_t ld;
    const double *L = tc_gp_factor(g, &ld);
    memcpy(v->solved, v->target, TC_OWN_COLUMNS * rows * sizeof *v->solved);
    for (int c = 0; c < TC_OWN_COLUMNS; c++)
        tc_gp_solve(g, v->solved + (size_t)c * rows);
    multiply(v, v->target, v->solved);
    v->log_det = tc_chol_logdet(rows, L, ld) - (double)rows * log(v->model.hyper.noise);
    /* Beliefs come later: this is the jitter of observations alone. */
    v->diagonal = v->model.hyper.noise + tc_gp_jitter(g);
}

/* A running trial counts as observed at its prediction: its weight is 0. */
static void spread_weights(tc_own_view *v)
{
    const size_t rows = rows_of(v);
    v->stride = tc_gp_size(v->model.gp);
    memset(v->from, 0, TC_OWN_COLUMNS * v->stride * sizeof *v->from);
    for (size_t c = 0; c < TC_OWN_COLUMNS; c++)
        memcpy(v->from + c * v->stride, v->solved + c * rows, rows * sizeof *v->from);
}

/* ---- trials that run ---- */

/* The columns of H again, over the rows of running trials too. */
static void near_columns(tc_own_view *v, const tc_own_trend *trend)
{
    const tc_model *m = &v->model;
    const size_t rows = rows_of(v), all = rows + v->running;
    for (size_t c = 0; c < TC_TREND_MOST; c++) {
        double *t = v->near_target + c * all, *solved = v->near_solved + c * all;
        double *from = v->from + (TC_OWN_NEAR + c) * v->stride;
        memcpy(t, v->target + c * rows, rows * sizeof *t);
        for (size_t i = rows; i < all; i++)
            t[i] = c == TC_OWN_ONE ? 1
                   : trend->taken  ? trend->taken[v->first_running + i - rows]
                                   : 0;
        if (m->fgp) {
            tc_fgp_project(m->fgp, t, from, solved);
            continue;
        }
        memcpy(solved, t, all * sizeof *t);
        tc_gp_solve(m->gp, solved);
        memcpy(from, solved, all * sizeof *from);
    }
    const double *left = m->fgp ? v->near_solved : v->near_target;
    for (size_t i = 0; i < TC_TREND_MOST; i++)
        for (size_t j = 0; j < TC_TREND_MOST; j++)
            v->near[i][j] = tc_dot(all, left + i * all, v->near_solved + j * all);
}

/* Believes in them; then finds what is predicted there. */
static tacit_status believe(tc_own_view *v, const tc_own_trend *trend, tacit_error *err)
{
    tc_model *m = &v->model;
    const tc_history *h = m->env->history;
    v->believes = true;
    TC_TRY(tc_model_believe(m, err));
    v->running = (m->fgp ? tc_fgp_size(m->fgp) : tc_gp_size(m->gp)) - rows_of(v);
    v->first_running = h->n_taken - v->running;
    if (m->gp)
        spread_weights(v);
    if (v->running == 0)
        return TACIT_OK;
    near_columns(v, trend);
    if (m->fgp)
        return TACIT_OK;
    return tc_gp_predict_many_columns(m->gp, v->running, h->taken + v->first_running, h->taken_ld,
                                      TC_OWN_COLUMNS, v->from, v->at_taken, NULL, err);
}

void tc_own_view_forget(tc_own_view *v)
{
    if (v->believes)
        tc_model_forget(&v->model);
    v->believes = false;
}

static bool grow(double **a, size_t *cap, size_t n)
{
    return tc_grow((void **)a, cap, n, sizeof **a);
}

static tacit_status reserve(tc_own_view *v, size_t rows, size_t taken, tacit_error *err)
{
    const tc_domain *d = v->model.fgp ? v->model.env->space->domain : NULL;
    const size_t near = TC_TREND_MOST * (taken > 0 ? rows + taken : 0);
    v->columns = taken > 0 ? TC_OWN_COLUMNS_ALL : TC_OWN_COLUMNS;
    v->stride = d ? d->n : rows + taken;
    if (!grow(&v->target, &v->target_cap, TC_OWN_COLUMNS * rows) ||
        !grow(&v->solved, &v->solved_cap, TC_OWN_COLUMNS * rows) ||
        !grow(&v->near_target, &v->near_target_cap, near) ||
        !grow(&v->near_solved, &v->near_solved_cap, near) ||
        !grow(&v->at_taken, &v->at_taken_cap, d ? 0 : TC_OWN_COLUMNS * taken) ||
        !grow(&v->from, &v->from_cap, v->columns * v->stride))
        return tc_fail_memory(err);
    return TACIT_OK;
}

tacit_status tc_own_view_columns(tc_own_view *v, const tc_own_trend *trend, tacit_error *err)
{
    const size_t rows = rows_of(v);
    TC_TRY(reserve(v, rows, v->model.env->history->n_taken, err));
    for (int c = 0; c < TC_OWN_COLUMNS; c++)
        fill_column(v, c, trend, v->target + (size_t)c * rows);
    if (v->model.fgp)
        columns_of_candidates(v);
    else
        columns_of_box(v);
    return believe(v, trend, err);
}

/* For the exact process, C w = t gives K w at the observed points: C is K plus a diagonal of s2, jitter and known noise. */
double tc_own_view_observed(const tc_own_view *v, int column, size_t i)
{
    const tc_model *m = &v->model;
    const double *from = v->from + (size_t)column * v->stride;
    if (m->fgp)
        return from[m->env->history->point[i]];
    return v->target[(size_t)column * rows_of(v) + i] -
           (v->diagonal + tc_model_noise(m, i)) * from[i];
}

double tc_own_view_running(const tc_own_view *v, int column, size_t i)
{
    const tc_history *h = v->model.env->history;
    if (v->model.fgp)
        return v->from[(size_t)column * v->stride + h->taken_point[v->first_running + i]];
    return v->at_taken[(size_t)column * v->running + i];
}
