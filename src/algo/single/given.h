/* given.h - a covariance that is given: the coordinates of candidate i are its covariances with all
 * candidates (docs/math.md, "Local privacy"). Sensors and stocks are known by how they vary together and
 * not by where they are. Called by model.c and ldp/arms.c. */
#ifndef TC_ALGO_SINGLE_GIVEN_H
#define TC_ALGO_SINGLE_GIVEN_H

#include "space/space.h"

/* *K: n x n, borrowed from the space. E_ARG: the space is not finite, has not as many coordinates as
 * candidates, or they are no covariance matrix. */
tacit_status tc_given_covariance(const tc_space *space, const double **K, tacit_error *err);

#endif
