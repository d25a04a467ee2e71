/* trend.h - a Gaussian process around a trend whose coefficients are not known (Rasmussen and Williams,
 * 2006, section 2.7).
 *
 *     y = H b + g(X) + noise,   b ~ N(prior mean, diag(prior variance)),   cov(g(X) + noise) = C
 *
 * H has p columns, at most two. Whoever owns the process makes the products of the columns of (H, y) under
 * C^-1; what is here is the algebra of p coefficients: their posterior, the likelihood of y, and what they
 * add to a prediction of the process. */
#ifndef TC_NUM_TREND_H
#define TC_NUM_TREND_H

#include <stddef.h>

enum { TC_TREND_MOST = 2 };

typedef struct tc_trend_prior {
    size_t p;
    double mean[TC_TREND_MOST], variance[TC_TREND_MOST];
} tc_trend_prior;

typedef struct tc_trend {
    size_t p;
    double mean[TC_TREND_MOST];                      /* of b, given y */
    double covariance[TC_TREND_MOST][TC_TREND_MOST]; /* of b, given y */
    double log_likelihood;                           /* ln p(y) + n/2 ln 2 pi */
} tc_trend;

/* gram[i][j]: column i of (H, y) times C^-1 times column j, y being column p; log_det: of C. */
typedef struct tc_trend_data {
    double gram[TC_TREND_MOST + 1][TC_TREND_MOST + 1];
    double log_det;
} tc_trend_data;

void tc_trend_fit(tc_trend *t, const tc_trend_prior *prior, const tc_trend_data *data);
/* Further points are pretended to have returned their predicted means: b keeps its mean, and its covariance falls to
 * that of all points together. gram: as above, of the columns of H over all points. */
void tc_trend_believe(tc_trend *t, const tc_trend_prior *prior,
                      double gram[TC_TREND_MOST][TC_TREND_MOST]);

/* At one point x: h the columns of H there; from[i] = k(x)'C^-1 column i of (H, y). What variances are made of,
 * over the pretended points too: near[i] = k(x)'C^-1 column i of H, and variance, that of the process g
 * alone given g(X) + noise. Without such points near[i] is from[i]. */
typedef struct tc_trend_point {
    double h[TC_TREND_MOST], from[TC_TREND_MOST + 1], near[TC_TREND_MOST], variance;
} tc_trend_point;

typedef struct tc_trend_value {
    double mean, variance; /* of h'b + g(x), given y */
} tc_trend_value;

tc_trend_value tc_trend_at(const tc_trend *t, const tc_trend_point *x);
/* The derivatives of both along one direction, where d has those of the members of x. */
tc_trend_value tc_trend_slope(const tc_trend *t, const tc_trend_point *x, const tc_trend_point *d);

#endif
