/* acquire.h - the point of a space that an acquisition function likes best.
 *
 * Scores a batch of candidates (Sobol' points over the space, and points around
 * the best observations), improves the best of either kind by L-BFGS along the
 * continuous coordinates, walks the discrete ones to their neighbours, and
 * never returns a point already known unless repeats are allowed or nothing
 * else is left. Integers and choices are rounded before the function sees them,
 * so it is constant between levels, as the objective is (Garrido-Merchan and
 * Hernandez-Lobato, Neurocomputing 2020). Everything follows from (party seed,
 * trial): no hidden randomness. For spaces that are not finite sets. */
#ifndef TC_ALGO_SINGLE_ACQUIRE_H
#define TC_ALGO_SINGLE_ACQUIRE_H

#include "algo/single/model.h"
#include "base/memory.h"

enum { TC_ACQUIRE_STARTS = 6 };

typedef struct tc_acquisition {
    /* out[i] for m points X (m x dim column-major, leading dimension ldx). */
    tacit_status (*score)(void *ctx, size_t m, const double *X, size_t ldx, double *out,
                          tacit_error *err);
    /* Value and (if grad) gradient at x. slot < TC_ACQUIRE_STARTS: calls with different slots
     * may run at once. */
    double (*at)(void *ctx, size_t slot, const double *x, double *grad);
    void *ctx;
} tc_acquisition;

enum { TC_SEARCH_LBFGS, TC_SEARCH_DIRECT };
#define TC_SEARCH_CHOICES "lbfgs|direct"

typedef struct tc_acquirer {
    const tc_model *model;
    const double *
        merit; /* of each observation: those with the largest have candidates around them. NULL: y */
    int search;
    size_t n_wide, n_near; /* candidates of either kind */
    bool all_free;         /* every coordinate is continuous */
    unsigned char *free;   /* dim */
    double *X;             /* candidates, column-major */
    double *score;         /* of the candidates */
    double *starts;        /* TC_ACQUIRE_STARTS x dim, row by row */
    double *start_score;
    double *t, *values;      /* scratch: n_params each */
    double *u, *spare;       /* scratch: dim each */
    const tc_acquisition *f; /* of the present call */
    tc_arena arena;
} tc_acquirer;

tacit_status tc_acquirer_init(tc_acquirer *a, const tc_model *m, int search, tacit_error *err);
void tc_acquirer_fini(tc_acquirer *a);
tacit_status tc_acquire(tc_acquirer *a, const tc_acquisition *f, uint64_t trial, double *values,
                        tacit_error *err);

#endif
