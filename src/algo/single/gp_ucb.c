/* gp_ucb.c - the algorithm "gp-ucb": the largest upper confidence bound.
 *
 * Srinivas et al. (2010): mean + sqrt(beta_t) sd. On a finite domain of n
 * candidates beta_t = 2 ln(n t^2 pi^2 / (6 delta)), their Theorem 1; on a box
 * 0.2 D ln(2t), the practical choice of Kandasamy et al. (2015), which no
 * theorem backs. t counts completed observations, from 1. */
#include "algo/single/posterior.h"
#include "algo/single/single.h"

#include <math.h>

typedef struct options {
    tc_posterior_opts posterior;
    double beta, delta;
} options;

static double theorem_beta(double n, double t, double delta)
{
    return 2 * log(n * t * t * M_PI * M_PI / (6 * delta));
}

static double width(const tc_posterior *p, uint64_t trial)
{
    (void)trial;
    const options *o = p->opts;
    const tc_space *s = p->model.env->space;
    double t = (double)p->model.env->history->n + 1;
    if (o->beta > 0)
        return sqrt(o->beta);
    if (s->domain)
        return sqrt(theorem_beta((double)s->domain->n, t, o->delta));
    return sqrt(0.2 * (double)s->n_params * log(2 * t));
}

static double bound(const tc_posterior *p, double mean, double var, double *d_mean, double *d_var)
{
    const double w = p->parameter;
    double sd = sqrt(fmax(var, 0));
    *d_mean = 1;
    *d_var = w / (2 * fmax(sd, 1e-12));
    return mean + w * sd;
}

static size_t argmax(const tc_posterior *p, size_t n, const unsigned char *closed)
{
    (void)n;
    return tc_fgp_argmax_ucb(p->model.fgp, p->parameter, closed);
}

static const tc_posterior_ops confidence = {
    .parameter = width,
    .value = bound,
    .argmax = argmax,
};

static tacit_status init(void *st, const tc_env *env, const void *opts, tacit_error *err)
{
    return tc_posterior_init(st, &confidence, env, &((const options *)opts)->posterior, err);
}

static const tc_option table[] = {
    TC_POSTERIOR_OPTIONS(options, posterior),
    TC_FLOAT_OPTION("beta", offsetof(options, beta), "0", 0, 1e6,
                    "squared width of the bound; 0 follows the formula of t"),
    TC_FLOAT_OPTION("delta", offsetof(options, delta), "0.1", 0, 1,
                    "probability with which the bounds may fail (finite domains)",
                    .min_open = true),
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

const tc_algorithm tc_algorithm_gp_ucb = {
    .name = "gp-ucb",
    .summary = "Gaussian process, upper confidence bound",
    .source = "Srinivas, Krause, Kakade, Seeger (2010)",
    .options = table,
    .options_size = sizeof(options),
    .optimizer = &optimizer,
};
