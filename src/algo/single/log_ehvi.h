/* log_ehvi.h - the logarithm of the expected hypervolume improvement of independent normal objectives, exactly.
 *
 * The region that no point of a front dominates, above the reference, is cut into boxes (num/boxes.h). A new point y adds the
 * volume of each box that lies below it, which is a product over the objectives, and so is its expectation:
 *
 *     EHVI = sum over boxes of prod over k of (EI_k(low) - EI_k(high)),   EI_k(c) = E max(Y_k - c, 0)
 *
 * Emmerich, Deutz and Klinkenberg (2011); Yang, Emmerich, Deutz and Baeck (2019). Where all of it underflows, each factor and
 * the sum are taken in logarithms (Ament et al. 2023). All objectives are maximised. */
#ifndef TC_ALGO_SINGLE_LOG_EHVI_H
#define TC_ALGO_SINGLE_LOG_EHVI_H

#include "num/boxes.h"

enum { TC_EHVI_MOST = 4 }; /* objectives */

/* Boxes whose corners are numbers of levels: an objective has far fewer levels than there are corners. */
typedef struct tc_ehvi {
    tc_boxes boxes;
    size_t k;
    size_t n_levels[TC_EHVI_MOST]; /* of each objective, without infinity */
    size_t first[TC_EHVI_MOST];    /* of the levels of each objective in `level` */
    double *level;                 /* ascending in each objective */
    size_t *low, *high;            /* boxes.n x k: into level; SIZE_MAX: infinity */
    size_t level_cap, low_cap, high_cap;
} tc_ehvi;

/* All-zero is an empty one. */
void tc_ehvi_fini(tc_ehvi *e);
/* For a front (n rows of k <= TC_EHVI_MOST values, n may be 0) above a reference. */
tacit_status tc_ehvi_set(tc_ehvi *e, size_t n, size_t k, const double *front,
                         const double *reference, tacit_error *err);
/* Doubles of scratch for one call. */
size_t tc_ehvi_scratch_size(const tc_ehvi *e);
/* ln EHVI at means and variances (k each), and its derivatives. A floor under variances keeps it finite. */
double tc_log_ehvi(const tc_ehvi *e, const double *mean, const double *var, double *d_mean,
                   double *d_var, double *scratch);

#endif
