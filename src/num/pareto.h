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

/* Where rows of k values are: row(of, i, room) may write row i to `room` (k), or point elsewhere. */
typedef struct tc_pareto_rows {
    size_t k;
    const double *(*row)(const void *of, size_t i, double *room);
    const void *of;
} tc_pareto_rows;
enum { TC_PARETO_MOST = 8 }; /* k */
/* A front grows: row i takes its place at the end of the *n that are on it, and those that it dominates leave; the rest keep
 * their order. false: one of them dominates row i, and nothing changes. Room for one more. */
bool tc_pareto_join(const tc_pareto_rows *rows, size_t i, size_t *front, size_t *n);
/* The rows of Y (n x k) that no other dominates, in their order, into out (room for n). Returns how many.
 * Takes n times as long as the front is at its longest. */
size_t tc_pareto_front(size_t n, size_t k, const double *Y, size_t *out);
/* The volume that n points dominate above a reference point, exactly. For a few hundred points of up to 4 values. */
tacit_status tc_hypervolume(size_t n, size_t k, const double *Y, const double *reference,
                            double *out, tacit_error *err);

#endif
