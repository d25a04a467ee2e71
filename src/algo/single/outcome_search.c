/* outcome_search.c - asking where all outcomes together promise most. See outcome_search.h. */
#include "algo/single/outcome_search.h"

#include "algo/single/log_between.h"
#include "algo/single/log_ei.h"
#include "base/error.h"

#include <math.h>
#include <string.h>

tacit_status tc_outcome_search_new(tc_outcome_search **out, const tc_env *env,
                                   const tc_model_opts *opts, int search, tacit_error *err)
{
    tc_outcome_search *s = tc_alloc(1, sizeof *s);
    if (!s)
        return tc_fail_memory(err);
    tacit_status status = tc_outcome_models_init(&s->models, env, opts, err);
    if (status == TACIT_OK) {
        s->noise = TC_TAKE(&s->arena, s->models.n, double);
        status = s->arena.failed ? tc_fail_memory(err) : TACIT_OK;
    }
    if (status == TACIT_OK && s->models.n_objectives > 1)
        status = tc_outcome_front_init(&s->front, &s->models, err);
    if (status == TACIT_OK && !env->space->domain)
        status = tc_acquirer_init(&s->acquirer, &s->models.model[0], search, err);
    if (status == TACIT_OK)
        *out = s;
    else
        tc_outcome_search_free(s);
    return status;
}

void tc_outcome_search_free(tc_outcome_search *s)
{
    if (!s)
        return;
    tc_outcome_models_fini(&s->models);
    tc_acquirer_fini(&s->acquirer);
    tc_outcome_front_fini(&s->front);
    tc_free(s->merit);
    tc_free(s->mean);
    tc_free(s->var);
    tc_free(s->scratch);
    tc_arena_fini(&s->arena);
    tc_free(s);
}

/* ---- the value at a point ---- */

/* ln P(all constraints hold); adds to the derivatives of its own outcomes. */
static double log_feasible(const tc_outcome_search *s, const double *mean, const double *var,
                           double *d_mean, double *d_var)
{
    const tc_outcome_models *o = &s->models;
    double sum = 0;
    for (size_t k = o->n_objectives; k < o->n; k++)
        sum += tc_log_between(o->low[k], o->high[k], mean[k], var[k], &d_mean[k], &d_var[k]);
    return sum;
}

/* Of the means that are left after another value (log_ei.h). move: as many as there are objectives. */
static double log_improvement(const tc_outcome_search *s, const double *mean, const double *var,
                              double *d_mean, double *d_var, double *scratch)
{
    const size_t k = s->models.n_objectives;
    double move[TC_OBJECTIVES_MOST], slope[TC_OBJECTIVES_MOST], value;
    for (size_t j = 0; j < k; j++)
        move[j] = tc_ei_move(var[j], s->noise[j], &slope[j]);
    value = k == 1 ? tc_log_ei(s->best, mean[0], move[0], d_mean, d_var)
                   : tc_log_ehvi(&s->front.ehvi, mean, move, d_mean, d_var, scratch);
    for (size_t j = 0; j < k; j++)
        d_var[j] *= slope[j];
    return value;
}

static double value_at(const tc_outcome_search *s, const double *mean, const double *var,
                       double *d_mean, double *d_var, double *scratch)
{
    double value = log_feasible(s, mean, var, d_mean, d_var);
    if (s->feasible)
        return value + log_improvement(s, mean, var, d_mean, d_var, scratch);
    memset(d_mean, 0, s->models.n_objectives * sizeof *d_mean);
    memset(d_var, 0, s->models.n_objectives * sizeof *d_var);
    return value;
}

/* Values of m candidates whose means and variances are in s->mean and s->var, ld apart. */
static void score_all(tc_outcome_search *s, size_t m, size_t ld, const unsigned char *closed,
                      double *out)
{
    const size_t n = s->models.n;
    double *mean = s->scratch, *var = mean + n, *d_mean = var + n, *d_var = d_mean + n;
    for (size_t i = 0; i < m; i++) {
        for (size_t k = 0; k < n; k++) {
            mean[k] = s->mean[i + k * ld];
            var[k] = s->var[i + k * ld];
        }
        out[i] = closed && closed[i] ? -INFINITY : value_at(s, mean, var, d_mean, d_var, d_var + n);
    }
}

static tacit_status score(void *ctx, size_t m, const double *X, size_t ldx, double *out,
                          tacit_error *err)
{
    tc_outcome_search *s = ctx;
    for (size_t k = 0; k < s->models.n; k++)
        TC_TRY(tc_gp_predict_many(s->models.model[k].gp, m, X, ldx, s->mean + k * m, s->var + k * m,
                                  err));
    score_all(s, m, m, NULL, out);
    return TACIT_OK;
}

/* A slot: n each of mean, var, d_mean, d_var; the scratch of tc_log_ehvi; n x dim each of the gradients of mean and var; the
 * scratch of a prediction. */
static double at(void *ctx, size_t slot, const double *x, double *grad)
{
    const tc_outcome_search *s = ctx;
    const size_t n = s->models.n, dim = s->models.env->space->dim;
    double *mean = s->scratch + slot * s->slot_size, *var = mean + n, *d_mean = var + n;
    double *d_var = d_mean + n, *of_ehvi = d_var + n;
    double *gmean = of_ehvi + tc_ehvi_scratch_size(&s->front.ehvi), *gvar = gmean + n * dim;
    double *scratch = gvar + n * dim;
    for (size_t k = 0; k < n; k++) {
        const tc_gp *gp = s->models.model[k].gp;
        if (grad)
            tc_gp_predict_grad(gp, x, &mean[k], &var[k], gmean + k * dim, gvar + k * dim, scratch);
        else
            tc_gp_predict(gp, x, &mean[k], &var[k], scratch);
    }
    const double value = value_at(s, mean, var, d_mean, d_var, of_ehvi);
    for (size_t d = 0; grad && d < dim; d++) {
        grad[d] = 0;
        for (size_t k = 0; k < n; k++)
            grad[d] += d_mean[k] * gmean[k * dim + d] + d_var[k] * gvar[k * dim + d];
    }
    return value;
}

/* ---- what there is to improve on ---- */

/* Feasible points before all others; those by how little they violate. */
static void set_merits(tc_outcome_search *s)
{
    const tc_outcome_models *o = &s->models;
    const size_t n = o->env->history->n;
    s->feasible = false;
    s->best = -INFINITY;
    for (size_t i = 0; i < n; i++) {
        const double out = tc_outcome_models_violation(o, i);
        const double mean = o->mean[i];
        s->merit[i] = out > 0 ? -out : 0.5 + atan(mean) / M_PI; /* in (0, 1) */
        if (out > 0)
            continue;
        s->feasible = true;
        s->best = fmax(s->best, mean);
    }
}

static tacit_status prepare(tc_outcome_search *s, uint64_t trial, tacit_error *err)
{
    tc_outcome_models *o = &s->models;
    if (!tc_grow((void **)&s->merit, &s->merit_cap, o->env->history->n, sizeof *s->merit))
        return tc_fail_memory(err);
    set_merits(s);
    for (size_t k = 0; k < o->n; k++)
        s->noise[k] = tc_model_next_noise(&o->model[k]);
    TC_TRY(tc_outcome_models_believe(o, err));
    if (!s->feasible || o->n_objectives == 1)
        return TACIT_OK;
    return tc_outcome_front_set(&s->front, o, s->merit, trial, err);
}

/* ---- the next point ---- */

static tacit_status reserve(tc_outcome_search *s, size_t candidates, tacit_error *err)
{
    const size_t n = s->models.n, dim = s->models.env->space->dim;
    size_t prediction = 0;
    for (size_t k = 0; k < n && s->models.model[k].gp; k++)
        prediction = tc_gp_scratch_size(s->models.model[k].gp);
    s->slot_size = 4 * n + tc_ehvi_scratch_size(&s->front.ehvi) + 2 * n * dim + prediction;
    if (!tc_grow((void **)&s->mean, &s->mean_cap, n * candidates, sizeof *s->mean) ||
        !tc_grow((void **)&s->var, &s->var_cap, n * candidates, sizeof *s->var) ||
        !tc_grow((void **)&s->scratch, &s->scratch_cap, TC_ACQUIRE_STARTS * s->slot_size,
                 sizeof *s->scratch))
        return tc_fail_memory(err);
    return TACIT_OK;
}

static tacit_status ask_box(tc_outcome_search *s, uint64_t trial, double *values, tacit_error *err)
{
    tc_acquisition f = {.score = score, .at = at, .ctx = s};
    TC_TRY(reserve(s, s->acquirer.n_wide + s->acquirer.n_near, err));
    s->acquirer.merit = s->merit;
    return tc_acquire(&s->acquirer, &f, trial, values, err);
}

/* The best candidate of a finite space; ties: lowest. */
static tacit_status ask_finite(tc_outcome_search *s, double *values, tacit_error *err)
{
    enum { BLOCK = 256 };
    const size_t n = s->models.env->space->domain->n;
    const unsigned char *closed = tc_model_close(&s->models.model[0]);
    double out[BLOCK], top = -INFINITY;
    values[0] = 0;
    TC_TRY(reserve(s, BLOCK, err));
    for (size_t from = 0; from < n; from += BLOCK) {
        const size_t m = n - from < BLOCK ? n - from : BLOCK;
        for (size_t k = 0; k < s->models.n; k++) {
            const tc_fgp *g = s->models.model[k].fgp;
            memcpy(s->mean + k * BLOCK, tc_fgp_mean(g) + from, m * sizeof *s->mean);
            memcpy(s->var + k * BLOCK, tc_fgp_variance(g) + from, m * sizeof *s->var);
        }
        score_all(s, m, BLOCK, closed + from, out);
        for (size_t i = 0; i < m; i++)
            if (out[i] > top) {
                top = out[i];
                values[0] = (double)(from + i);
            }
    }
    return TACIT_OK;
}

static tacit_status ask_models(tc_outcome_search *s, uint64_t trial, double *values,
                               tacit_error *err)
{
    TC_TRY(prepare(s, trial, err));
    return s->models.env->space->domain ? ask_finite(s, values, err)
                                        : ask_box(s, trial, values, err);
}

tacit_status tc_outcome_search_ask(tc_outcome_search *s, uint64_t trial, double *values,
                                   tacit_error *err)
{
    const tc_model *first = &s->models.model[0];
    if (!tc_model_ready(first)) {
        tc_design_point(&first->design, trial, values);
        return TACIT_OK;
    }
    TC_TRY(tc_outcome_models_sync(&s->models, err));
    TC_TRY(tc_outcome_models_look(&s->models, err));
    tacit_status status = ask_models(s, trial, values, err);
    tc_outcome_models_forget(&s->models);
    return status;
}

/* ---- the point to take ---- */

/* Is the probability that observation i is feasible at least one half? */
static bool likely(const tc_outcome_search *s, size_t i)
{
    const tc_outcome_models *o = &s->models;
    const size_t n = o->env->history->n;
    double sum = 0, d_mean, d_var;
    for (size_t k = o->n_objectives; k < o->n; k++)
        sum += tc_log_between(o->low[k], o->high[k], o->mean[k * n + i], o->var[k * n + i], &d_mean,
                              &d_var);
    return sum >= -M_LN2;
}

/* Luck with a constraint is as good as luck with the value: of the outcome that is noisiest. */
static double largest_share(const tc_outcome_models *o)
{
    double share = 0;
    for (size_t k = 0; k < o->n; k++)
        share = fmax(share, tc_model_share(&o->model[k]));
    return share;
}

tacit_status tc_outcome_search_recommend(tc_outcome_search *s, tc_recommended *out,
                                         tacit_error *err)
{
    tc_outcome_models *o = &s->models;
    const tc_model *m = &o->model[0];
    const size_t n = o->env->history->n;
    if (o->n_objectives > 1 || !tc_model_ready(m)) {
        *out = (tc_recommended){.none = o->n_objectives > 1 ? TC_RECOMMEND_FRONT
                                                            : TC_RECOMMEND_TOO_FEW};
        return TACIT_OK;
    }
    TC_TRY(tc_outcome_models_sync(o, err));
    TC_TRY(tc_outcome_models_look(o, err));
    size_t best = n;
    for (size_t i = 0; i < n; i++)
        if (likely(s, i) && (best == n || o->mean[i] > o->mean[best]))
            best = i;
    *out = (tc_recommended){.none = best == n ? TC_RECOMMEND_NONE_FEASIBLE : NULL,
                            .noise = m->noisy ? TC_NOISE_ADDED : TC_NOISE_UNKNOWN,
                            .share = largest_share(o)};
    if (best < n) {
        out->at = best;
        out->mean = m->mean + m->sd * o->mean[best];
        out->sd = m->sd * sqrt(fmax(o->var[best], 0));
    }
    return TACIT_OK;
}
