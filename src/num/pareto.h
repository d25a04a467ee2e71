/* pareto.h - which of several points no other dominates, and how much they dominate together.
 *
 * Points are rows of k values, all to be maximised. One dominates another if it is nowhere less and somewhere more; of equal
 * ones none does. */
#ifndef TC_NUM_PARETO_H
#define TC_NUM_PARETO_H

#include <tacit/status.h>

#include <stdbool.h>
#include <stddef.h>

bool tc_dominates(size_t k, const double *a, const double *b);
/* The rows of Y (n x k) that no other dominates, in their order, into out (room for n). Returns how many.
 * Takes n times as long as the front is at its longest. */
size_t tc_pareto_front(size_t n, size_t k, const double *Y, size_t *out);
/* The volume that n points dominate above a reference point, exactly. For a few hundred points of up to 4 values. */
tacit_status tc_hypervolume(size_t n, size_t k, const double *Y, const double *reference,
                            double *out, tacit_error *err);

#endif
