/* own.h - an agent's own Gaussian process, and what it has heard about its function. For the agents of
 * federations (dp_fts_de/ and fts/).
 *
 * Alone it is the model of single/model.h: c + g(x) with values standardised by all of them, g with the agent's own
 * fitted hyper-parameters. What is heard is a function m(x) that may be right, or off, or about something else. It is
 * in units of the anchors, the first `initial` values, which lie all over the space. So there are three models,
 *
 *     alone    f = c + g,            g ~ GP(k)
 *     heard    f = c + a m + g,      g ~ GP(k)
 *     trusted  f = c + a m + g,      g ~ GP(rho k),   rho = min(1, 1/4 + error)
 *
 * with c ~ N(0, 1/10) alone, else N(0, 1), and a/s ~ N(1, 1/4), s the anchors' standard deviation in units of all
 * values; and the agent's own values say how much each is worth: its weight is its prior
 * (1/2, 1/4, 1/4) times the likelihood of the values; for alone, with k or rho k, whichever suits it better. The next point maximises the expected improvement, summed over
 * the models by their weights (docs/math.md, "The agent's own model"). Nothing of it leaves the agent. */
#ifndef TC_ALGO_OWN_OWN_H
#define TC_ALGO_OWN_OWN_H

#include "algo/algorithm.h"

typedef struct tc_own tc_own;

/* A function of the encoded space that was heard, in units of the agent's anchors. */
typedef struct tc_heard {
    /* out[i] at m points X (m x dim column-major). */
    void (*many)(const void *ctx, size_t m, const double *X, size_t ldx, double *out);
    /* At one point; grad (dim) may be NULL. Any number of threads may call it. */
    double (*at)(const void *ctx, const double *x, double *grad);
    const void *ctx; /* borrowed */
    double error; /* share of the variance of f that it leaves open, by what is public: in [0, 1] */
} tc_heard;

/* How many anchors of so many trials (0: unknown): a third, from 3 to 10. */
int64_t tc_own_initial(uint64_t trials);

/* initial: anchors, at least 1. env is borrowed. */
tacit_status tc_own_new(tc_own **out, const tc_env *env, size_t initial, tacit_error *err);
void tc_own_free(tc_own *o); /* NULL is allowed */

/* From now on; in the place of what was heard before. */
void tc_own_hear(tc_own *o, const tc_heard *h);

/* The values of the history in units of the anchors, for others: n of them, until the next call. They are all 0 while
 * units are not known: with fewer than 3 anchors, and where these do not differ. */
tacit_status tc_own_values(tc_own *o, const double **z, tacit_error *err);

/* The variance of the noise that was added to observation i on purpose; after tc_own_values, in the same units. */
double tc_own_noise(const tc_own *o, size_t i);

/* The members of the contract that it fulfils. The first `initial` points are a Sobol' sequence of the agent's own. */
tacit_status tc_own_ask(tc_own *o, uint64_t trial, double *values, tacit_error *err);
tacit_status tc_own_recommend(tc_own *o, tc_recommended *out, tacit_error *err);
bool tc_own_fit_due(const tc_own *o);
tacit_status tc_own_fit(tc_own *o, tc_text *out, tacit_error *err);
tacit_status tc_own_fitted(tc_own *o, const char *body, tacit_error *err);

/* The process by itself, where nothing is heard: for algorithms that mix it with other models (own_alone.c). Open it
 * once there are `initial` values; then ask, and close. An open that failed is closed too. Running trials are believed
 * to return what is predicted. */
tacit_status tc_own_open(tc_own *o, tacit_error *err);
void tc_own_close(tc_own *o);

typedef struct tc_own_value {
    double mean, variance; /* of f, in standardised units */
} tc_own_value;

tc_own_value tc_own_candidate(const tc_own *o, size_t j); /* of a finite space */
/* At a point of a box, with the derivatives (dim each) unless these are NULL. Not by several threads. */
tc_own_value tc_own_at(const tc_own *o, const double *u, double *d_mean, double *d_variance);
double tc_own_best(const tc_own *o);           /* the largest mean where something is known */
const double *tc_own_targets(const tc_own *o); /* the values that the process stands on */
/* The prior covariance of f at the n observed points (n x n, lower triangle), the variance of noise, and what observation
 * i has beside it. */
void tc_own_covariance(const tc_own *o, double *C, double *noise);
double tc_own_target_noise(const tc_own *o, size_t i);

/* What the values say of each model, after an ask; for tests and reports. */
enum { TC_OWN_ALONE, TC_OWN_HEARD, TC_OWN_TRUSTED, TC_OWN_MODELS };
double tc_own_weight(const tc_own *o, int model);

#endif
