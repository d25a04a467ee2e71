/* outcome_front.h - what there is to improve on where a study has several objectives: the front of what was tried, and how far
 * below it hypervolume begins to count.
 *
 * Where nobody gives a reference point, it is found anew at every ask: below the worst that is on the front, or that the models
 * expect on it elsewhere, and below three tenths of all values. While the front has few points it says nothing about how far it
 * will reach; its own worst value would keep the search where it began. And of many objectives nearly every point is on some
 * front: what gives up far more in one objective than it gains in the others does not count. */
#ifndef TC_ALGO_SINGLE_OUTCOME_FRONT_H
#define TC_ALGO_SINGLE_OUTCOME_FRONT_H

#include "algo/single/log_ehvi.h"
#include "algo/single/outcome_models.h"

typedef struct tc_outcome_front {
    tc_ehvi ehvi;    /* of the front; after set */
    size_t n, n_all; /* points of the front; all feasible ones */
    double *rows;    /* n_all x k: means of the objectives */
    double *front;   /* n x k, behind them; scratch behind these */
    size_t *of;      /* the rows of the front */
    double reference[TC_OBJECTIVES_MOST];
    double *scouts; /* points of the space, column by column, and the means of all outcomes there */
    double *t, *u, *v; /* one point: as a Sobol' point, encoded, as values */
    size_t rows_cap, of_cap;
    tc_arena arena;
} tc_outcome_front;

tacit_status tc_outcome_front_init(tc_outcome_front *f, const tc_outcome_models *m,
                                   tacit_error *err);
void tc_outcome_front_fini(tc_outcome_front *f);

/* After believe: trials that run count with their means. merit: of each observation, below 0 where it is not feasible; that of
 * the observations on the front becomes a number of this trial above 1, so that each is as likely as the others to be the
 * largest. */
tacit_status tc_outcome_front_set(tc_outcome_front *f, tc_outcome_models *m, double *merit,
                                  uint64_t trial, tacit_error *err);

/* The worst value that counts (k) for a front among n rows Y, if the front may reach down to `nadir`; spare: n. */
void tc_reference_point(size_t n, size_t k, const double *Y, const double *nadir, double *spare,
                        double *out);

#endif
