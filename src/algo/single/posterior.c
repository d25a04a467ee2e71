/* posterior.c - asking where a function of mean and variance is largest. See posterior.h. */
#include "algo/single/posterior.h"

#include "base/error.h"

tacit_status tc_posterior_init(tc_posterior *p, const tc_posterior_ops *ops, const tc_env *env,
                               const tc_posterior_opts *opts, tacit_error *err)
{
    p->ops = ops;
    p->opts = opts;
    TC_TRY(tc_model_init(&p->model, env, &opts->model, true, err));
    if (env->space->domain)
        return TACIT_OK;
    return tc_acquirer_init(&p->acquirer, &p->model, opts->search, err);
}

void tc_posterior_fini(void *st)
{
    tc_posterior *p = st;
    tc_model_fini(&p->model);
    tc_acquirer_fini(&p->acquirer);
    tc_free(p->var);
    tc_free(p->scratch);
}

static tacit_status score(void *ctx, size_t m, const double *X, size_t ldx, double *out,
                          tacit_error *err)
{
    tc_posterior *p = ctx;
    double d_mean, d_var;
    TC_TRY(tc_gp_predict_many(p->model.gp, m, X, ldx, out, p->var, err));
    for (size_t i = 0; i < m; i++)
        out[i] = p->ops->value(p, out[i], p->var[i], &d_mean, &d_var);
    return TACIT_OK;
}

static double at(void *ctx, size_t slot, const double *x, double *grad)
{
    const tc_posterior *p = ctx;
    size_t dim = p->model.hyper.dim;
    double *dvar = p->scratch + slot * p->slot_size, *scratch = dvar + dim;
    double mean, var, d_mean, d_var;
    if (!grad) {
        tc_gp_predict(p->model.gp, x, &mean, &var, scratch);
        return p->ops->value(p, mean, var, &d_mean, &d_var);
    }
    tc_gp_predict_grad(p->model.gp, x, &mean, &var, grad, dvar, scratch);
    double value = p->ops->value(p, mean, var, &d_mean, &d_var);
    for (size_t d = 0; d < dim; d++)
        grad[d] = d_mean * grad[d] + d_var * dvar[d];
    return value;
}

static tacit_status ask_box(tc_posterior *p, uint64_t trial, double *values, tacit_error *err)
{
    tc_acquisition f = {.score = score, .at = at, .ctx = p};
    p->slot_size = tc_gp_scratch_size(p->model.gp) + p->model.hyper.dim;
    if (!tc_grow((void **)&p->scratch, &p->scratch_cap, TC_ACQUIRE_STARTS * p->slot_size,
                 sizeof *p->scratch) ||
        !tc_grow((void **)&p->var, &p->var_cap, p->acquirer.n_wide + p->acquirer.n_near,
                 sizeof *p->var))
        return tc_fail_memory(err);
    return tc_acquire(&p->acquirer, &f, trial, values, err);
}

static tacit_status ask_model(tc_posterior *p, uint64_t trial, double *values, tacit_error *err)
{
    TC_TRY(tc_model_believe(&p->model, err));
    p->parameter = p->ops->parameter(p, trial);
    p->noise = tc_model_next_noise(&p->model);
    if (!p->model.fgp)
        return ask_box(p, trial, values, err);
    values[0] =
        (double)p->ops->argmax(p, p->model.env->space->domain->n, tc_model_close(&p->model));
    return TACIT_OK;
}

tacit_status tc_posterior_ask(void *st, uint64_t trial, double *values, tacit_error *err)
{
    tc_posterior *p = st;
    if (!tc_model_ready(&p->model)) {
        tc_design_point(&p->model.design, trial, values);
        return TACIT_OK;
    }
    TC_TRY(tc_model_sync(&p->model, err));
    tacit_status status = ask_model(p, trial, values, err);
    tc_model_forget(&p->model);
    return status;
}

tacit_status tc_posterior_recommend(void *st, tc_recommended *out, tacit_error *err)
{
    return tc_model_recommend(&((tc_posterior *)st)->model, out, err);
}

bool tc_posterior_fit_due(const void *st)
{
    return tc_model_fit_due(&((const tc_posterior *)st)->model);
}

tacit_status tc_posterior_fit(void *st, tc_text *out, tacit_error *err)
{
    return tc_model_fit(&((tc_posterior *)st)->model, out, err);
}

tacit_status tc_posterior_fitted(void *st, const char *body, tacit_error *err)
{
    return tc_model_fitted(&((tc_posterior *)st)->model, body, err);
}
