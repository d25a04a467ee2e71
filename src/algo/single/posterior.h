/* posterior.h - algorithms that ask where a function of the posterior mean and variance is largest.
 *
 * gp-ei and gp-ucb are this with two small functions each. */
#ifndef TC_ALGO_SINGLE_POSTERIOR_H
#define TC_ALGO_SINGLE_POSTERIOR_H

#include "algo/single/acquire.h"

typedef struct tc_posterior_opts {
    tc_model_opts model;
    int search;
} tc_posterior_opts;

#define TC_POSTERIOR_OPTIONS(S, field)                                                             \
    TC_MODEL_OPTIONS(                                                                              \
        S, field.model, TC_MODEL_KERNELS,                                                          \
        "covariance function; given: the coordinates of a point, times variance, are its "         \
        "covariances, and nothing is learned"),                                                    \
        TC_CHOICE_OPTION("search", offsetof(S, field.search), "lbfgs", TC_SEARCH_CHOICES,          \
                         "how the acquisition is maximised on a box")

typedef struct tc_posterior tc_posterior;

typedef struct tc_posterior_ops {
    /* What the value depends on besides mean and variance: the incumbent, the width. */
    double (*parameter)(const tc_posterior *p, uint64_t trial);
    /* The value and its derivatives; finite for var >= 0. */
    double (*value)(const tc_posterior *p, double mean, double var, double *d_mean, double *d_var);
    /* The best candidate of a finite space of n that is not closed; ties: lowest. */
    size_t (*argmax)(const tc_posterior *p, size_t n, const unsigned char *closed);
} tc_posterior_ops;

struct tc_posterior {
    const tc_posterior_ops *ops;
    const void *opts; /* of the algorithm */
    tc_model model;
    tc_acquirer acquirer; /* spaces that are not finite */
    double parameter;     /* of the present ask */
    double noise;         /* of the value that it will be told; 0 unless it is known */
    double *var;          /* scratch: variances of the candidates */
    size_t var_cap;
    double *scratch; /* one slot for each start */
    size_t scratch_cap, slot_size;
};

tacit_status tc_posterior_init(tc_posterior *p, const tc_posterior_ops *ops, const tc_env *env,
                               const tc_posterior_opts *opts, tacit_error *err);

/* Members of the contract: the state is a tc_posterior. */
void tc_posterior_fini(void *st);
tacit_status tc_posterior_ask(void *st, uint64_t trial, double *values, tacit_error *err);
tacit_status tc_posterior_recommend(void *st, tc_recommended *out, tacit_error *err);
bool tc_posterior_fit_due(const void *st);
tacit_status tc_posterior_fit(void *st, tc_text *out, tacit_error *err);
tacit_status tc_posterior_fitted(void *st, const char *body, tacit_error *err);

#endif
