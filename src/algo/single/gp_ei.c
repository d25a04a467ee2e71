/* gp_ei.c - the algorithm "gp-ei": expected improvement, in its logarithm.
 *
 * Jones, Schonlau and Welch (1998). The incumbent is the best predicted mean at
 * an observed point, so that a lucky noisy value cannot set it. Trials that run
 * elsewhere are believed to return their prediction (model.h). */
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

static size_t argmax(const tc_fgp *g, size_t n, double best, const unsigned char *closed)
{
    const double *mean = tc_fgp_mean(g), *var = tc_fgp_variance(g);
    double top = -INFINITY, d_mean, d_var;
    size_t at = 0;
    for (size_t j = 0; j < n; j++) {
        double value = closed[j] ? -INFINITY : tc_log_ei(best, mean[j], var[j], &d_mean, &d_var);
        if (value > top) {
            top = value;
            at = j;
        }
    }
    return at;
}

static const tc_posterior_ops improvement = {
    .parameter = incumbent,
    .value = tc_log_ei,
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
    .optimizer = &optimizer,
};
