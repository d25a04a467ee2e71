/* trend.c - the algebra of a trend with one or two coefficients (trend.h).
 *
 * With P = diag(1/v0) + H'C^-1 H, given y the coefficients have the covariance P^-1 and the mean
 * b = P^-1 (b0/v0 + H'C^-1 y), and with r = y - H b
 *     -2 ln p(y) = r'C^-1 r + (b - b0)'(b - b0)/v0 + ln det C + ln det(diag(v0) P) + n ln 2 pi.
 * Both squares are of what the fit leaves: a column that is huge beside y, as a hostile one may be, cancels
 * before it is squared, and an error in b counts in the second order only. */
#include "num/trend.h"

#include <math.h>

/* P^-1 and ln det P of P = diag(1/v0) + a positive semidefinite matrix, with one or two rows. */
static double invert(const tc_trend_prior *prior, double P[TC_TREND_MOST][TC_TREND_MOST],
                     double out[TC_TREND_MOST][TC_TREND_MOST])
{
    if (prior->p == 1) {
        out[0][0] = 1 / P[0][0];
        return log(P[0][0]);
    }
    /* By the Schur complement: what is left of the second coefficient when the first is known. It is no less
     * than 1/v0, and rounding must not make it so. */
    double tilt = P[0][1] / P[0][0], left = fmax(P[1][1] - tilt * P[0][1], 1 / prior->variance[1]);
    out[1][1] = 1 / left;
    out[0][1] = out[1][0] = -tilt / left;
    out[0][0] = 1 / P[0][0] + tilt * tilt / left;
    return log(P[0][0]) + log(left);
}

static void make_precision(const tc_trend_prior *prior, double gram[TC_TREND_MOST][TC_TREND_MOST],
                           double P[TC_TREND_MOST][TC_TREND_MOST])
{
    for (size_t i = 0; i < prior->p; i++)
        for (size_t j = 0; j < prior->p; j++)
            P[i][j] = gram[i][j] + (i == j ? 1 / prior->variance[i] : 0);
}

/* r'C^-1 r + (b - b0)'(b - b0)/v0 */
static double squares(const tc_trend *t, const tc_trend_prior *prior, const tc_trend_data *data)
{
    const size_t p = t->p;
    double of[TC_TREND_MOST + 1], sum = 0;
    for (size_t i = 0; i < p; i++) {
        double step = t->mean[i] - prior->mean[i];
        of[i] = -t->mean[i];
        sum += step * step / prior->variance[i];
    }
    of[p] = 1;
    for (size_t i = 0; i <= p; i++)
        for (size_t j = 0; j <= p; j++)
            sum += of[i] * data->gram[i][j] * of[j];
    return sum;
}

void tc_trend_fit(tc_trend *t, const tc_trend_prior *prior, const tc_trend_data *data)
{
    const size_t p = prior->p;
    double gram[TC_TREND_MOST][TC_TREND_MOST] = {{0}}, P[TC_TREND_MOST][TC_TREND_MOST] = {{0}};
    double toward[TC_TREND_MOST], log_det = 0;
    *t = (tc_trend){.p = p};
    for (size_t i = 0; i < p; i++) {
        toward[i] = data->gram[i][p] + prior->mean[i] / prior->variance[i];
        for (size_t j = 0; j < p; j++)
            gram[i][j] = data->gram[i][j];
        log_det += log(prior->variance[i]);
    }
    make_precision(prior, gram, P);
    log_det += invert(prior, P, t->covariance);
    for (size_t i = 0; i < p; i++)
        for (size_t j = 0; j < p; j++)
            t->mean[i] += t->covariance[i][j] * toward[j];
    t->log_likelihood = -(squares(t, prior, data) + data->log_det + log_det) / 2;
}

void tc_trend_believe(tc_trend *t, const tc_trend_prior *prior,
                      double gram[TC_TREND_MOST][TC_TREND_MOST])
{
    double P[TC_TREND_MOST][TC_TREND_MOST] = {{0}};
    make_precision(prior, gram, P);
    invert(prior, P, t->covariance);
}

tc_trend_value tc_trend_at(const tc_trend *t, const tc_trend_point *x)
{
    tc_trend_value v = {.mean = x->from[t->p], .variance = x->variance};
    for (size_t i = 0; i < t->p; i++) {
        v.mean += t->mean[i] * (x->h[i] - x->from[i]);
        for (size_t j = 0; j < t->p; j++)
            v.variance += (x->h[i] - x->near[i]) * t->covariance[i][j] * (x->h[j] - x->near[j]);
    }
    return v;
}

tc_trend_value tc_trend_slope(const tc_trend *t, const tc_trend_point *x, const tc_trend_point *d)
{
    tc_trend_value v = {.mean = d->from[t->p], .variance = d->variance};
    for (size_t i = 0; i < t->p; i++) {
        v.mean += t->mean[i] * (d->h[i] - d->from[i]);
        for (size_t j = 0; j < t->p; j++)
            v.variance += 2 * (d->h[i] - d->near[i]) * t->covariance[i][j] * (x->h[j] - x->near[j]);
    }
    return v;
}
