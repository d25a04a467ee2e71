/* surrogate.h - a Gaussian process over the points and values of a study, for whoever looks: importances and contours.
 *
 * It is the model of gp-ei with default options (model.h), fitted afresh to all the values that there are, and so the same for every
 * algorithm and wherever the study is kept. A function of the points, the values and the seed: nothing of it is stored. */
#ifndef TC_ALGO_SINGLE_SURROGATE_H
#define TC_ALGO_SINGLE_SURROGATE_H

#include "space/space.h"

typedef struct tc_surrogate tc_surrogate;

typedef struct tc_surrogate_data {
    const tc_space *space; /* outlives it */
    size_t n;
    const double *const *points; /* n points of the space */
    const double *y;
    bool maximize; /* values far off on the bad side are raised, as an optimizer does it */
    uint64_t seed;
} tc_surrogate_data;

/* How many values it takes at least. */
size_t tc_surrogate_least(const tc_space *space);
/* E_STATE: too few values. E_NUMERIC: no model stands on them. */
tacit_status tc_surrogate_new(tc_surrogate **out, const tc_surrogate_data *data, tacit_error *err);
void tc_surrogate_free(tc_surrogate *s);

/* Posterior mean and standard deviation of the function, without the noise of a value, at m points (m x n_params, one
 * after another); sd may be NULL. */
tacit_status tc_surrogate_predict(tc_surrogate *s, size_t m, const double *points, double *mean,
                                  double *sd, tacit_error *err);

/* Sobol' indices of one parameter: those of the posterior mean, and the range that holds nine of ten draws'. */
typedef struct tc_importance {
    double first, first_low, first_high;
    double total, total_low, total_high;
} tc_importance;
/* One for each parameter. Parameters are independent and uniform over their ranges, on a log scale where the space has
 * one; a choice counts as one parameter. E_UNSUPPORTED: a finite space, whose columns cannot vary by themselves. */
tacit_status tc_surrogate_importances(tc_surrogate *s, tc_importance *out, tacit_error *err);

#endif
