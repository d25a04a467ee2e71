/* gp_ei.c - the algorithm "gp-ei": expected improvement, in its logarithm.
 *
 * Jones, Schonlau and Welch (1998). The incumbent is the best predicted mean at
 * an observed point, so that a lucky noisy value cannot set it. Trials that run
 * elsewhere are believed to return their prediction (model.h). Where values are known to carry noise, what may improve
 * is the mean that is left after another one (log_ei.h). Several objectives and outcome constraints: outcome_search.h. */
#include "algo/single/log_ei.h"
#include "algo/single/outcome_search.h"
#include "algo/single/posterior.h"
#include "algo/single/single.h"

#include <math.h>

typedef struct options {
    tc_posterior_opts posterior;
} options;

static double incumbent(const tc_posterior *p, uint64_t trial)
{
    (void)trial;
    return tc_model_incumbent(&p->model);
}

static double value(const tc_posterior *p, double mean, double var, double *d_mean, double *d_var)
{
    double slope, move = tc_ei_move(var, p->noise, &slope);
    double log_ei = tc_log_ei(p->parameter, mean, move, d_mean, d_var);
    *d_var *= slope;
    return log_ei;
}

static size_t argmax(const tc_posterior *p, size_t n, const unsigned char *closed)
{
    const double *mean = tc_fgp_mean(p->model.fgp), *var = tc_fgp_variance(p->model.fgp);
    double top = -INFINITY, d_mean, d_var;
    size_t at = 0;
    for (size_t j = 0; j < n; j++) {
        double score = closed[j] ? -INFINITY : value(p, mean[j], var[j], &d_mean, &d_var);
        if (score > top) {
            top = score;
            at = j;
        }
    }
    return at;
}

static const tc_posterior_ops improvement = {
    .parameter = incumbent,
    .value = value,
    .argmax = argmax,
};

typedef struct state {
    tc_posterior one;
    tc_outcome_search *more; /* in its place, where a study wants several outcomes; else NULL */
} state;

static tacit_status init(void *st, const tc_env *env, const void *opts, tacit_error *err)
{
    state *s = st;
    const tc_posterior_opts *o = &((const options *)opts)->posterior;
    if (env->outcomes)
        return tc_outcome_search_new(&s->more, env, &o->model, o->search, err);
    return tc_posterior_init(&s->one, &improvement, env, o, err);
}

static void fini(void *st)
{
    state *s = st;
    tc_outcome_search_free(s->more);
    tc_posterior_fini(&s->one);
}

static tacit_status ask(void *st, uint64_t trial, double *values, tacit_error *err)
{
    state *s = st;
    return s->more ? tc_outcome_search_ask(s->more, trial, values, err)
                   : tc_posterior_ask(&s->one, trial, values, err);
}

static tacit_status recommend(void *st, tc_recommended *out, tacit_error *err)
{
    state *s = st;
    return s->more ? tc_outcome_search_recommend(s->more, out, err)
                   : tc_posterior_recommend(&s->one, out, err);
}

static bool fit_due(const void *st)
{
    const state *s = st;
    return s->more ? tc_outcome_models_fit_due(&s->more->models) : tc_posterior_fit_due(&s->one);
}

static tacit_status fit(void *st, tc_text *out, tacit_error *err)
{
    state *s = st;
    return s->more ? tc_outcome_models_fit(&s->more->models, out, err)
                   : tc_posterior_fit(&s->one, out, err);
}

static tacit_status fitted(void *st, const char *body, tacit_error *err)
{
    state *s = st;
    return s->more ? tc_outcome_models_fitted(&s->more->models, body, err)
                   : tc_posterior_fitted(&s->one, body, err);
}

static const tc_option table[] = {
    TC_POSTERIOR_OPTIONS(options, posterior),
    {.name = NULL},
};

static const tc_optimizer_ops optimizer = {
    .state_size = sizeof(state),
    .init = init,
    .fini = fini,
    .ask = ask,
    .recommend = recommend,
    .fit_due = fit_due,
    .fit = fit,
    .fitted = fitted,
};

const tc_algorithm tc_algorithm_gp_ei = {
    .name = "gp-ei",
    .summary = "Gaussian process, expected improvement: the default for expensive functions",
    .source = "Jones, Schonlau, Welch (1998); log form: Ament et al. (2023)",
    .options = table,
    .options_size = sizeof(options),
    .outcomes = true,
    .optimizer = &optimizer,
};
