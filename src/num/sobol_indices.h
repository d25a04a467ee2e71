/* sobol_indices.h - first-order and total Sobol' indices of a function of independent parameters.
 *
 * With A and B two samples of points and AB_i the points of A with parameter i of B:
 *   first_i = E f(B) (f(AB_i) - f(A)) / V,  total_i = E (f(A) - f(AB_i))^2 / 2V
 * (Saltelli et al., Comput. Phys. Commun. 181, 2010; the second is Jansen's), V the variance of f over A and B.
 * Pure: the caller has the samples, of Sobol' points say, and evaluates the function on them. */
#ifndef TC_NUM_SOBOL_INDICES_H
#define TC_NUM_SOBOL_INDICES_H

#include <stddef.h>

/* What n values at A and at B have in common. They are changed: less their mean. */
typedef struct tc_sobol_pair {
    size_t n;
    double *a, *b;
    double mean, variance;
} tc_sobol_pair;
void tc_sobol_pair_init(tc_sobol_pair *p, size_t n, double *a, double *b);
/* Of the parameter by which AB_i differs from A: ab has the values there, and is left as it is. Both indices are in
 * [0,1]: what sampling puts outside is clamped. 0 where the function does not vary. */
void tc_sobol_pair_indices(const tc_sobol_pair *p, const double *ab, double *first, double *total);

#endif
