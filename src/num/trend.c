/* trend.c - the algebra of a trend with one or two coefficients (trend.h).
 *
 * With r = y - H b0 and P = diag(1/v0) + H'C^-1 H, given y b has the covariance P^-1 and the mean
 * b0 + P^-1 H'C^-1 r, and
 *     -2 ln p(y) = r'C^-1 r - r'C^-1 H P^-1 H'C^-1 r + ln det C + ln det(diag(v0) P) + n ln 2 pi. */
#include "num/trend.h"

#include <math.h>

/* P^-1 and ln det P of a positive definite P with one or two rows. */
static double invert(size_t p, double P[TC_TREND_MOST][TC_TREND_MOST],
                     double out[TC_TREND_MOST][TC_TREND_MOST])
{
    if (p == 1) {
        out[0][0] = 1 / P[0][0];
        return log(P[0][0]);
    }
    /* by the Schur complement: what is left of the second coefficient when the first is known */
    double tilt = P[0][1] / P[0][0], left = P[1][1] - tilt * P[0][1];
    out[1][1] = 1 / left;
    out[0][1] = out[1][0] = -tilt / left;
    out[0][0] = 1 / P[0][0] + tilt * tilt / left;
    return log(P[0][0]) + log(left);
}

void tc_trend_fit(tc_trend *t, const tc_trend_prior *prior, const tc_trend_data *data)
{
    const size_t p = prior->p;
    double P[TC_TREND_MOST][TC_TREND_MOST] = {{0}}, toward[TC_TREND_MOST], square, log_det = 0;
    *t = (tc_trend){.p = p};
    square = data->gram[p][p];
    for (size_t i = 0; i < p; i++) {
        toward[i] = data->gram[i][p];
        square -= 2 * prior->mean[i] * data->gram[i][p];
        for (size_t j = 0; j < p; j++) {
            P[i][j] = data->gram[i][j] + (i == j ? 1 / prior->variance[i] : 0);
            toward[i] -= data->gram[i][j] * prior->mean[j];
            square += prior->mean[i] * data->gram[i][j] * prior->mean[j];
        }
        log_det += log(prior->variance[i]);
    }
    log_det += invert(p, P, t->covariance);
    for (size_t i = 0; i < p; i++) {
        double step = 0;
        for (size_t j = 0; j < p; j++)
            step += t->covariance[i][j] * toward[j];
        t->mean[i] = prior->mean[i] + step;
        square -= toward[i] * step;
    }
    t->log_likelihood = -(square + data->log_det + log_det) / 2;
}

tc_trend_value tc_trend_at(const tc_trend *t, const tc_trend_point *x)
{
    tc_trend_value v = {.mean = x->from[t->p], .variance = x->variance};
    for (size_t i = 0; i < t->p; i++) {
        double left = x->h[i] - x->from[i];
        v.mean += t->mean[i] * left;
        for (size_t j = 0; j < t->p; j++)
            v.variance += left * t->covariance[i][j] * (x->h[j] - x->from[j]);
    }
    return v;
}

tc_trend_value tc_trend_slope(const tc_trend *t, const tc_trend_point *x, const tc_trend_point *d)
{
    tc_trend_value v = {.mean = d->from[t->p], .variance = d->variance};
    for (size_t i = 0; i < t->p; i++) {
        double left = d->h[i] - d->from[i];
        v.mean += t->mean[i] * left;
        for (size_t j = 0; j < t->p; j++)
            v.variance += 2 * left * t->covariance[i][j] * (x->h[j] - x->from[j]);
    }
    return v;
}
