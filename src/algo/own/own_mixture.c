/* own_mixture.c - the three models of an agent's function, weighed by the agent's own values (own.h).
 *
 * Each is a Gaussian process around a trend (num/trend.h): alone the constant c, else c + a m(x). The weight of a
 * model is prior x likelihood. A function that was heard and says nothing about the values costs likelihood,
 * and the agent is back with its own model; one that foretells them is trusted. a has a mean above 0: a
 * model that was as ready for -m as for m would draw nothing from what m says is good. */
#include "algo/own/own_int.h"

#include <math.h>

#define HEARD_PRIOR    0.5  /* that the agent's function is like what was heard */
#define ALONE_VARIANCE 0.1  /* of c alone: values are standardised, so it is nearly 0 */
#define HEARD_VARIANCE 1    /* of c beside a m: the level of m is not that of the values */
#define SLOPE_VARIANCE 0.25 /* of a, in the unit of what was heard */
#define LEAST_WEIGHT   1e-6 /* a model that is worth less is left out, and costs nothing */

/* Copies a member's Gram matrix: p trend columns, then y. */
static void take_columns(const tc_own_view *v, size_t p, tc_trend_data *out)
{
    const size_t of[] = {TC_OWN_ONE, p == 1 ? TC_OWN_VALUE : TC_OWN_TREND, TC_OWN_VALUE};
    for (size_t i = 0; i <= p; i++)
        for (size_t j = 0; j <= p; j++)
            out->gram[i][j] = v->gram[of[i]][of[j]];
    out->log_det = v->log_det;
}

tc_trend_point tc_own_point(const tc_own_member *m, const double *from, double heard,
                            double variance)
{
    const double *near = m->view->columns > TC_OWN_COLUMNS ? from + TC_OWN_NEAR : from;
    if (m->prior.p == 1)
        return (tc_trend_point){.h = {1},
                                .from = {from[TC_OWN_ONE], from[TC_OWN_VALUE]},
                                .near = {near[TC_OWN_ONE]},
                                .variance = variance};
    return (tc_trend_point){.h = {1, heard},
                            .from = {from[TC_OWN_ONE], from[TC_OWN_TREND], from[TC_OWN_VALUE]},
                            .near = {near[TC_OWN_ONE], near[TC_OWN_TREND]},
                            .variance = variance};
}

static const tc_trend_prior alone_prior = {.p = 1, .mean = {0}, .variance = {ALONE_VARIANCE}};

static tc_trend_prior heard_prior(double unit)
{
    return (tc_trend_prior){
        .p = 2, .mean = {0, unit}, .variance = {HEARD_VARIANCE, SLOPE_VARIANCE * unit * unit}};
}

static tc_trend fit_trend(const tc_own_view *v, const tc_trend_prior *prior)
{
    tc_trend_data data;
    tc_trend t;
    take_columns(v, prior->p, &data);
    tc_trend_fit(&t, prior, &data);
    return t;
}

tc_trend tc_own_trend_alone(const tc_own_member *m)
{
    return fit_trend(m->view, &m->prior);
}

static void add_member(tc_own *o, int model, tc_own_view *v, double prior)
{
    tc_own_member *m = &o->member[model];
    const tc_trend_prior of = model == TC_OWN_ALONE ? alone_prior : heard_prior(o->unit);
    *m = (tc_own_member){.view = v, .prior = of, .trend = fit_trend(v, &of), .weight = prior};
    m->evidence = m->trend.log_likelihood;
    if (v->columns > TC_OWN_COLUMNS)
        tc_trend_believe(&m->trend, &m->prior, v->near);
}

/* Values that suit a smaller variance do not speak for what was heard. So alone is worth its likelihood with the ratio
 * that suits it better; it predicts with the larger variance, the fit's own. */
static void weigh_alone(tc_own *o)
{
    tc_own_member *m = &o->member[TC_OWN_ALONE];
    m->evidence = fmax(m->evidence, fit_trend(&o->narrow, &alone_prior).log_likelihood);
}

/* From priors to weights. */
static void weigh(tc_own *o)
{
    double top = -INFINITY, sum = 0;
    for (int k = 0; k < TC_OWN_MODELS; k++)
        if (o->member[k].weight > 0)
            top = fmax(top, o->member[k].evidence);
    for (int k = 0; k < TC_OWN_MODELS; k++)
        if (o->member[k].weight > 0)
            sum += o->member[k].weight *= exp(o->member[k].evidence - top);
    double left = 0;
    for (int k = 0; k < TC_OWN_MODELS; k++) {
        if (o->member[k].weight < LEAST_WEIGHT * sum)
            o->member[k].weight = 0;
        left += o->member[k].weight;
    }
    for (int k = 0; k < TC_OWN_MODELS; k++) {
        o->member[k].weight /= left;
        o->member[k].log_weight = log(o->member[k].weight);
    }
}

typedef double (*column_at)(const tc_own_view *v, int column, size_t i);

/* The largest mean at n points of which `at` has the columns. */
static double largest_mean(const tc_own_member *m, size_t n, column_at at, const double *heard)
{
    double best = -INFINITY;
    for (size_t i = 0; i < n; i++) {
        double from[TC_OWN_COLUMNS_ALL] = {0}; /* the others are for variances */
        for (int c = 0; c < TC_OWN_COLUMNS; c++)
            from[c] = at(m->view, c, i);
        tc_trend_point x = tc_own_point(m, from, heard ? heard[i] : 0, 0);
        best = fmax(best, tc_trend_at(&m->trend, &x).mean);
    }
    return best;
}

/* The largest mean at an observed point, which a lucky value cannot set, or at one that runs: what is expected
 * there is no improvement for another trial. */
static double incumbent(const tc_own *o, const tc_own_member *m)
{
    const double *observed = o->informed ? o->at_observed : NULL;
    const double *running =
        o->informed && m->view->running > 0 ? o->at_taken + m->view->first_running : NULL;
    return fmax(largest_mean(m, o->env->history->n, tc_own_view_observed, observed),
                largest_mean(m, m->view->running, tc_own_view_running, running));
}

void tc_own_mix(tc_own *o)
{
    const bool narrow = o->narrow.ratio < 1;
    for (int k = 0; k < TC_OWN_MODELS; k++)
        o->member[k].weight = 0;
    add_member(o, TC_OWN_ALONE, &o->wide, o->informed ? 1 - HEARD_PRIOR : 1);
    if (o->informed)
        add_member(o, TC_OWN_HEARD, &o->wide, narrow ? HEARD_PRIOR / 2 : HEARD_PRIOR);
    if (o->informed && narrow) {
        add_member(o, TC_OWN_TRUSTED, &o->narrow, HEARD_PRIOR / 2);
        weigh_alone(o);
    }
    weigh(o);
    for (int k = 0; k < TC_OWN_MODELS; k++)
        if (o->member[k].weight > 0)
            o->member[k].best = incumbent(o, &o->member[k]);
}
