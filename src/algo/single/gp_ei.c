/* gp_ei.c - the algorithm "gp-ei": expected improvement, in its logarithm.
 *
 * Jones, Schonlau and Welch (1998). The incumbent is the best predicted mean at
 * an observed point, so that a lucky noisy value cannot set it. Trials that run
 * elsewhere are believed to return their prediction (model.h). Where values are known to carry noise, what may improve
 * is the mean that is left after another one (log_ei.h). */
#include "algo/single/log_ei.h"
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

static tacit_status init(void *st, const tc_env *env, const void *opts, tacit_error *err)
{
    return tc_posterior_init(st, &improvement, env, &((const options *)opts)->posterior, err);
}

static const tc_option table[] = {
    TC_POSTERIOR_OPTIONS(options, posterior),
    {.name = NULL},
};

static const tc_optimizer_ops optimizer = {
    .state_size = sizeof(tc_posterior),
    .init = init,
    .fini = tc_posterior_fini,
    .ask = tc_posterior_ask,
    .recommend = tc_posterior_recommend,
    .fit_due = tc_posterior_fit_due,
    .fit = tc_posterior_fit,
    .fitted = tc_posterior_fitted,
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
