/* domain.h - a finite set of candidate points.
 *
 * Read from CSV (a header with parameter names, one candidate per row) or made
 * as a grid. Coordinates are stored column by column, X[i + d*n], so that
 * kernels run along candidates. Encoded coordinates are the raw ones scaled to
 * the unit cube by the bounding box (a constant column maps to 0).
 *
 * u, low, high and axes are computed from raw alone: a domain that was written
 * as CSV and read back is the same domain to the last bit. */
#ifndef TC_SPACE_DOMAIN_H
#define TC_SPACE_DOMAIN_H

#include "base/memory.h"

#include <tacit/status.h>

#include <stddef.h>

typedef struct tc_domain {
    size_t n, dim;
    char **names;       /* dim of them */
    double *raw;        /* n x dim, column-major: the values as given */
    double *u;          /* n x dim, column-major: scaled to [0,1]^dim */
    double *low, *high; /* bounding box of raw, dim each */
    size_t *axes;    /* full grid: points per axis, first axis slowest, however spaced; else NULL */
    tc_arena memory; /* holds all of the above */
} tc_domain;

/* E_ARG: no rows, ragged row, not a number (names file, row and column), duplicate header. */
tacit_status tc_domain_from_csv(tc_domain **out, const char *text, size_t len, const char *what,
                                tacit_error *err);
tacit_status tc_domain_read_csv(tc_domain **out, const char *file, tacit_error *err);
/* n > 0 rows of dim > 0 values x, row by row; names: dim of them. E_ARG: as of CSV. */
tacit_status tc_domain_from_rows(tc_domain **out, size_t n, size_t dim, char *const *names,
                                 const double *x, tacit_error *err);
/* axes[d] points per axis, evenly from low[d] to high[d]; names "x1", "x2", ... */
tacit_status tc_domain_grid(tc_domain **out, size_t dim, const size_t *axes, const double *low,
                            const double *high, tacit_error *err);
/* Canonical CSV text: what the store keeps. Caller: tc_free. NULL: no memory. */
char *tc_domain_csv(const tc_domain *d);
tacit_status tc_domain_copy(tc_domain **out, const tc_domain *d, tacit_error *err);
void tc_domain_free(tc_domain *d);

/* The first candidate with exactly these raw coordinates, or n if there is none. */
size_t tc_domain_find(const tc_domain *d, const double *raw);
/* The candidate whose u is nearest (Euclidean); ties: the lowest number. */
size_t tc_domain_nearest(const tc_domain *d, const double *u);

#endif
