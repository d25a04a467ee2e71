/* surrogate.c - a model of given values: making it, and asking it for means. See surrogate.h. */
#include "algo/single/surrogate_int.h"

#include "algo/history.h"
#include "base/error.h"
#include "base/memory.h"

#include <math.h>

/* Defaults of the options that ts, gp-ucb and gp-ei share, and the same points as they before the first model. */
static const tc_option table[] = {
    TC_MODEL_OPTIONS(tc_surrogate_opts, model, TC_KERNEL_CHOICES, "covariance function"),
    {.name = NULL}};

size_t tc_surrogate_least(const tc_space *space)
{
    size_t by_dim = 2 * space->n_params + 2;
    return by_dim < 6 ? 6 : by_dim > 30 ? 30 : by_dim;
}

static tacit_status take_values(tc_surrogate *s, const tc_surrogate_data *data, tacit_error *err)
{
    TC_TRY(tc_history_init(&s->history, data->space, err));
    for (size_t i = 0; i < data->n; i++) {
        TC_TRY(tc_history_reserve(&s->history, err));
        tc_history_observe(&s->history, data->space, data->points[i], s->sign * data->y[i]);
    }
    return TACIT_OK;
}

static tacit_status fit(tc_surrogate *s, tacit_error *err)
{
    tc_text found = {0};
    tacit_status status = tc_model_fit(&s->model, &found, err);
    if (status == TACIT_OK && found.failed)
        status = tc_fail_memory(err);
    if (status == TACIT_OK)
        status = tc_model_fitted(&s->model, tc_text_get(&found), err);
    tc_text_fini(&found);
    return status == TACIT_OK ? tc_model_sync(&s->model, err) : status;
}

static tacit_status build(tc_surrogate *s, const tc_surrogate_data *data, tacit_error *err)
{
    TC_TRY(tc_options_defaults(table, &s->opts, err));
    TC_TRY(take_values(s, data, err));
    s->env = (tc_env){.space = data->space,
                      .history = &s->history,
                      .public_seed = tc_public_seed_from(data->seed),
                      .party_seed = tc_party_seed_from(data->seed)};
    TC_TRY(tc_model_init(&s->model, &s->env, &s->opts.model, false, err));
    return fit(s, err);
}

tacit_status tc_surrogate_new(tc_surrogate **out, const tc_surrogate_data *data, tacit_error *err)
{
    const size_t least = tc_surrogate_least(data->space);
    if (data->n < least)
        return tc_fail(err, TACIT_E_STATE,
                       "a model of this space needs at least %zu completed trials, there %s %zu",
                       least, data->n == 1 ? "is" : "are", data->n);
    tc_surrogate *s = tc_alloc(1, sizeof *s);
    if (!s)
        return tc_fail_memory(err);
    s->sign = data->maximize ? 1 : -1;
    tacit_status status = build(s, data, err);
    if (status == TACIT_OK)
        *out = s;
    else
        tc_surrogate_free(s);
    return status;
}

void tc_surrogate_free(tc_surrogate *s)
{
    if (!s)
        return;
    if (s->model.env)
        tc_model_fini(&s->model);
    tc_history_fini(&s->history);
    tc_options_fini(table, &s->opts);
    tc_free(s);
}

tacit_status tc_surrogate_predict(tc_surrogate *s, size_t m, const double *points, double *mean,
                                  double *sd, tacit_error *err)
{
    const tc_space *space = s->env.space;
    double *X = tc_alloc(m * space->dim + 1, sizeof *X);
    if (!X)
        return tc_fail_memory(err);
    for (size_t i = 0; i < m; i++)
        tc_surrogate_encode(s, points + i * space->n_params, X, i, m);
    tacit_status status = tc_gp_predict_many(s->model.gp, m, X, m, mean, sd, err);
    tc_free(X);
    for (size_t i = 0; i < m && status == TACIT_OK; i++) {
        mean[i] = s->sign * (s->model.mean + s->model.sd * mean[i]);
        if (sd)
            sd[i] = s->model.sd * sqrt(fmax(sd[i], 0));
    }
    return status;
}

void tc_surrogate_encode(tc_surrogate *s, const double *values, double *X, size_t i, size_t ld)
{
    const tc_space *space = s->env.space;
    tc_space_encode(space, values, s->history.row);
    for (size_t d = 0; d < space->dim; d++)
        X[i + d * ld] = s->history.row[d];
}
