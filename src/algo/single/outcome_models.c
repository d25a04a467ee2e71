/* outcome_models.c - several models over the points of one history. See outcome_models.h. */
#include "algo/single/outcome_models.h"

#include "base/error.h"
#include "base/json.h"
#include "base/memory.h"

#include <math.h>

/* From this share of the variance on a value that was told is not taken for the outcome itself. */
#define NOISY_SHARE 0.01

static bool is_constraint(const tc_outcome_models *o, size_t k)
{
    return k >= o->n_objectives;
}

static void set_sign(tc_outcome_models *o, size_t k)
{
    const tc_outcomes *w = o->env->outcomes;
    o->sign[k] = is_constraint(o, k) && w->low[k - o->n_objectives] == -INFINITY ? -1 : 1;
}

/* What violates a constraint by far is raised like any value that is far off (model.c), but never into the bounds. */
static void set_bound(tc_outcome_models *o, size_t k)
{
    const tc_outcomes *w = o->env->outcomes;
    const size_t c = k - o->n_objectives;
    if (is_constraint(o, k))
        o->model[k].bound = o->sign[k] > 0 ? w->low[c] : -w->high[c];
}

tacit_status tc_outcome_models_init(tc_outcome_models *o, const tc_env *env,
                                    const tc_model_opts *opts, tacit_error *err)
{
    o->env = env;
    o->n_objectives = env->outcomes->n_objectives;
    const size_t n = o->n_objectives + env->outcomes->n_constraints;
    o->model = TC_TAKE(&o->arena, n, tc_model);
    o->envs = TC_TAKE(&o->arena, n, tc_env);
    o->views = TC_TAKE(&o->arena, n, tc_history);
    o->sign = TC_TAKE(&o->arena, n, double);
    o->noisy = TC_TAKE(&o->arena, n, bool);
    o->low = TC_TAKE(&o->arena, n, double);
    o->high = TC_TAKE(&o->arena, n, double);
    if (o->arena.failed)
        return tc_fail_memory(err);
    for (size_t k = 0; k < n; k++) {
        set_sign(o, k);
        o->envs[k] = *env;
        if (k > 0)
            o->envs[k].history = &o->views[k];
    }
    for (; o->n < n; o->n++) {
        TC_TRY(tc_model_init(&o->model[o->n], &o->envs[o->n], opts, true, err));
        set_bound(o, o->n);
    }
    return TACIT_OK;
}

void tc_outcome_models_fini(tc_outcome_models *o)
{
    const size_t n = o->env ? tc_outcomes_more(o->env->outcomes) + 1 : 0;
    for (size_t k = 0; o->model && k < n; k++) /* all-zero where init did not come */
        tc_model_fini(&o->model[k]);
    for (size_t k = 1; o->views && k < n; k++)
        tc_free(o->views[k].y);
    tc_free(o->mean);
    tc_free(o->var);
    tc_arena_fini(&o->arena);
}

/* ---- the views ---- */

static tacit_status grow(tc_outcome_models *o, size_t n, tacit_error *err)
{
    if (n <= o->room)
        return TACIT_OK;
    const size_t room = 2 * n;
    for (size_t k = 1; k < o->n; k++) {
        double *y = tc_resize(o->views[k].y, room, sizeof *y);
        if (!y)
            return tc_fail_memory(err);
        o->views[k].y = y;
    }
    o->room = room;
    return TACIT_OK;
}

/* Whatever is known of noise on purpose is of the first value. */
static void look_at_history(tc_outcome_models *o, size_t k)
{
    const tc_history *h = o->env->history;
    double *y = o->views[k].y;
    for (size_t i = 0; i < h->n; i++)
        y[i] = o->sign[k] * h->more[i * h->n_more + k - 1];
    o->views[k] = *h;
    o->views[k].y = y;
    o->views[k].noise = NULL;
}

static tacit_status refresh(tc_outcome_models *o, tacit_error *err)
{
    TC_TRY(grow(o, o->env->history->n, err));
    for (size_t k = 1; k < o->n; k++)
        look_at_history(o, k);
    return TACIT_OK;
}

/* ---- following the history ---- */

static void set_bounds(tc_outcome_models *o, size_t k)
{
    const tc_model *m = &o->model[k];
    const double low = o->env->outcomes->low[k - o->n_objectives];
    const double high = o->env->outcomes->high[k - o->n_objectives];
    o->low[k] = ((o->sign[k] > 0 ? low : -high) - m->mean) / m->sd;
    o->high[k] = ((o->sign[k] > 0 ? high : -low) - m->mean) / m->sd;
}

tacit_status tc_outcome_models_sync(tc_outcome_models *o, tacit_error *err)
{
    TC_TRY(refresh(o, err));
    for (size_t k = 0; k < o->n; k++)
        TC_TRY(tc_model_sync(&o->model[k], err));
    for (size_t k = o->n_objectives; k < o->n; k++)
        set_bounds(o, k);
    return TACIT_OK;
}

static tacit_status look(const tc_outcome_models *o, size_t k, tacit_error *err)
{
    const tc_history *h = o->env->history;
    const tc_model *m = &o->model[k];
    double *var = o->var + k * h->n;
    o->noisy[k] = m->fit_n > 0 && tc_model_share(m) >= NOISY_SHARE;
    for (size_t i = 0; i < h->n; i++)
        o->mean[k * h->n + i] = tc_model_mean(m, i);
    if (!m->fgp)
        return tc_gp_predict_many(m->gp, h->n, h->U, h->ld, NULL, var, err);
    for (size_t i = 0; i < h->n; i++)
        var[i] = tc_fgp_variance(m->fgp)[h->point[i]];
    return TACIT_OK;
}

tacit_status tc_outcome_models_look(tc_outcome_models *o, tacit_error *err)
{
    const size_t size = o->n * o->env->history->n;
    if (!tc_grow((void **)&o->mean, &o->mean_cap, size, sizeof *o->mean) ||
        !tc_grow((void **)&o->var, &o->var_cap, size, sizeof *o->var))
        return tc_fail_memory(err);
    for (size_t k = 0; k < o->n; k++)
        TC_TRY(look(o, k, err));
    return TACIT_OK;
}

tacit_status tc_outcome_models_believe(tc_outcome_models *o, tacit_error *err)
{
    for (size_t k = 0; k < o->n; k++)
        TC_TRY(tc_model_believe(&o->model[k], err));
    return TACIT_OK;
}

void tc_outcome_models_forget(tc_outcome_models *o)
{
    for (size_t k = 0; k < o->n; k++)
        tc_model_forget(&o->model[k]);
}

/* In the units in which the bounds were given: a value on a bound is feasible, whatever rounding does to z. */
static bool told_within(const tc_outcome_models *o, size_t k, size_t i)
{
    const tc_history *h = o->env->history;
    const size_t c = k - o->n_objectives;
    return tc_outcomes_within(o->env->outcomes, c, h->more[i * h->n_more + k - 1]);
}

double tc_outcome_models_violation(const tc_outcome_models *o, size_t i)
{
    double sum = 0;
    for (size_t k = o->n_objectives; k < o->n; k++) {
        if (!o->noisy[k] && told_within(o, k, i))
            continue;
        const double z = o->noisy[k] ? o->mean[k * o->env->history->n + i] : o->model[k].z[i];
        const double out = fmax(fmax(o->low[k] - z, z - o->high[k]), 0);
        sum +=
            o->noisy[k] ? out : fmax(out, 1e-300); /* told to be outside, by less than z can tell */
    }
    return sum;
}

/* ---- fits ---- */

/* All are fitted together, so the first speaks for them. It has the history itself. */
bool tc_outcome_models_fit_due(const tc_outcome_models *o)
{
    return tc_model_fit_due(&o->model[0]);
}

tacit_status tc_outcome_models_fit(tc_outcome_models *o, tc_text *out, tacit_error *err)
{
    TC_TRY(refresh(o, err));
    tc_text_add(out, "{\"fits\":[");
    for (size_t k = 0; k < o->n; k++) {
        tc_text_add(out, k > 0 ? "," : "");
        TC_TRY(tc_model_fit(&o->model[k], out, err));
    }
    tc_text_add(out, "]}");
    return TACIT_OK;
}

static bool read_fits(tc_outcome_models *o, const json_t *fits, bool take)
{
    bool ok = json_is_array(fits) && json_array_size(fits) == o->n;
    for (size_t k = 0; ok && k < o->n; k++)
        ok = tc_model_read_fit(&o->model[k], json_array_get(fits, k), take);
    return ok;
}

/* All or none. */
static bool take_fits(void *ctx, const json_t *j)
{
    const json_t *fits = json_object_get(j, "fits");
    return read_fits(ctx, fits, false) && read_fits(ctx, fits, true);
}

tacit_status tc_outcome_models_fitted(tc_outcome_models *o, const char *body, tacit_error *err)
{
    TC_TRY(refresh(o, err));
    return tc_model_parse_fit(o, take_fits, body, err);
}
