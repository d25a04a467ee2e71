/* lower.h - a lower triangle times one vector. All sums are in a fixed order on fixed lanes: one result on every
 * processor. For gp_multiples.c, where it takes half the time of a square product and is asked for at every step of a
 * search.
 *
 * L is n x n, column by column, and must be zero above its diagonal. The arrays may not overlap. */
#ifndef TC_NUM_LOWER_H
#define TC_NUM_LOWER_H

#include <stddef.h>

void tc_lower_times(size_t n, const double *L, size_t ldl, const double *x, double *out);
void tc_lower_t_times(size_t n, const double *L, size_t ldl, const double *x,
                      double *out); /* L'x */

#endif
