/* blr_int.h - a linear model in its two forms, for blr.c, blr_dual.c and blr_primal.c. Nobody else
 * includes it. */
#ifndef TC_NUM_BLR_INT_H
#define TC_NUM_BLR_INT_H

#include "base/memory.h"
#include "num/blr.h"

#include <stdbool.h>

/* Row k of a triangle is as long as it needs, in whole lanes; rows are worked on STRIP at a time,
 * and those of a strip are of one length. */
enum { TC_BLR_LANES = 8, TC_BLR_STRIP = 4 };

struct tc_blr {
    tc_arena arena;
    size_t M, n;
    double lambda;
    bool primal;     /* else dual */
    double *W;       /* the inverse factor of the form, a lower triangle; 0 beyond its size */
    double *mean;    /* nu: M */
    bool mean_known; /* dual: mean is up to date */
    tc_blr_news latest;
    const double **row; /* dual: phi of each observation */
    double *y, *z;      /* dual: the values, and W y */
    /* Scratch: M in whole lanes, and one more. In the dual form 0 beyond n. */
    double *p, *q, *t, *shrink, *pull, *sum;
};

/* ---- triangles (blr_triangle.c) */

static inline size_t tc_blr_whole(size_t n, size_t unit)
{
    return (n + unit - 1) / unit * unit;
}

static inline size_t tc_blr_width(size_t k)
{
    return (k / TC_BLR_LANES + 1) * TC_BLR_LANES;
}

/* Where row k begins: after k/LANES groups of LANES rows, and some of its own group. */
static inline size_t tc_blr_row_at(size_t k)
{
    size_t g = k / TC_BLR_LANES;
    return TC_BLR_LANES * TC_BLR_LANES * g * (g + 1) / 2 + k % TC_BLR_LANES * tc_blr_width(k);
}

double tc_blr_dot(size_t n, const double *a, const double *b);
/* out[i] = a[i]'b */
void tc_blr_dot_many(size_t n, size_t count, const double *const *a, const double *b, double *out);
/* p = W x for n rows; no more than `most` of x is read. */
void tc_blr_times(size_t n, size_t most, const double *W, const double *x, double *p);
/* w = W'u for n rows; u is 0 up to a whole strip, w has whole lanes. */
void tc_blr_times_transposed(size_t n, const double *W, const double *u, double *w);
/* v += by x */
void tc_blr_move(size_t n, double by, const double *x, double *v);
/* The first n rows of W are sent for. */
void tc_blr_fetch(size_t n, const double *W);

/* ---- the two forms */

void tc_blr_dual_add(tc_blr *r, const double *phi, double y);
void tc_blr_dual_mean(tc_blr *r);
void tc_blr_dual_sample(tc_blr *r, tc_stream *s, double *w);
void tc_blr_dual_solve(tc_blr *r, const double *x, double *out);
void tc_blr_dual_spread(tc_blr *r, const double *e, double *out);

void tc_blr_primal_begin(tc_blr *r);
void tc_blr_primal_add(tc_blr *r, const double *phi, double y);
void tc_blr_primal_sample(tc_blr *r, tc_stream *s, double *w);
void tc_blr_primal_solve(tc_blr *r, const double *x, double *out);
void tc_blr_primal_spread(tc_blr *r, const double *e, double *out);

#endif
