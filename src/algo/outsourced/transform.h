/* transform.h - the random projection of PO-GP-UCB, as printed (paper mode). NOT PRIVATE.
 *
 * Kharkovskii, Dai, Low (2020), Algorithm 1. Its theorem does not hold: every column of the projection
 * lies in the column space of the centred data, which a neighbour does not share, and d + 1 known rows
 * give all others away. `tacit privacy audit` shows it. It is here to be compared with. */
#ifndef TC_ALGO_OUTSOURCED_TRANSFORM_H
#define TC_ALGO_OUTSOURCED_TRANSFORM_H

#include "privacy/entropy.h"

#include <tacit/experimental/curator.h>

#include <stdbool.h>
#include <stddef.h>

typedef struct tc_transform {
    double sigma_min; /* smallest singular value of the centred data */
    double omega;     /* the threshold for it */
    bool raise;       /* it was below: all singular values are raised */
} tc_transform;

double tc_transform_omega(double epsilon, double delta, size_t rank);
/* x: n x d by rows, finite, n >= d. Looks only. */
tacit_status tc_transform_look(tc_transform *out, size_t n, size_t d, const double *x,
                               double epsilon, double delta, size_t rank, tacit_error *err);
/* z: n x rank by rows. */
tacit_status tc_transform_make(tc_transform *out, size_t n, size_t d, const double *x,
                               double epsilon, double delta, size_t rank, tc_entropy *e, double *z,
                               tacit_error *err);

#endif
