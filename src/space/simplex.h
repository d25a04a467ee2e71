/* simplex.h - a small dense linear program, whose origin is feasible.
 *
 * Sums, products and square roots alone, so that its bits are the same on every machine. Used by the files of space/
 * that know of linear constraints. */
#ifndef TC_SPACE_SIMPLEX_H
#define TC_SPACE_SIMPLEX_H

#include <tacit/status.h>

#include <stddef.h>

typedef struct tc_simplex {
    size_t rows, columns; /* of M */
    double *table;        /* rows + 1 rows of columns + 1 numbers: M | d, and below them -c | 0 */
    size_t *basic;        /* rows: who stands in a row; numbers from `columns` on are slacks */
    size_t *other;        /* columns: who stands in a column */
} tc_simplex;

/* All zero, for rows x columns. */
tacit_status tc_simplex_init(tc_simplex *s, size_t rows, size_t columns, tacit_error *err);
void tc_simplex_fini(tc_simplex *s);
/* M[row][column], or d[row] in column `columns`, or -c[column] in row `rows`. */
double *tc_simplex_at(tc_simplex *s, size_t row, size_t column);

/* Maximises c x under M x <= d and x >= 0, where d >= 0. Ends always: when a generous number of pivots is used up, with a
 * feasible point that may be worse than the best. x: columns numbers. */
void tc_simplex_solve(tc_simplex *s, double *x);

#endif
