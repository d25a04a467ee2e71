/* fgp_prior.h - the prior covariance of one candidate with all others, in pieces. For fgp.c alone.
 *
 * Three sources: a kernel over points; a squared-exponential kernel over a full grid, where
 * k(x,x') = v prod_d e_d(x_d,x'_d) needs one exp per axis point instead of one per candidate; a
 * given matrix. */
#ifndef TC_NUM_FGP_PRIOR_H
#define TC_NUM_FGP_PRIOR_H

#include "base/memory.h"
#include "num/gp.h"

typedef struct tc_fgp_prior {
    size_t n, dim;
    const double *X;    /* n x dim column-major, borrowed; NULL: K is given */
    const double *K;    /* n x n, borrowed */
    const size_t *axes; /* dim points per axis, first axis slowest; NULL: no grid */
    tc_kernel kernel;   /* of a given matrix only the variance counts */
    double own;         /* variance that a candidate shares with no other; 0: none */
    double *scale;      /* dim: kernel.scale */
    size_t j;           /* the candidate aimed at */
    double *point;      /* dim: its coordinates */
    double *factor;     /* e_d of the axes, one after the other */
    double *outer;      /* v times the products over all axes but the last */
    double *inner;      /* within factor: e_d of the last axis */
} tc_fgp_prior;

/* Takes its arrays from the arena; the caller tests arena->failed. E_ARG: X is not that grid. */
tacit_status tc_fgp_prior_points(tc_fgp_prior *p, tc_arena *arena, size_t n, size_t dim,
                                 const double *X, const size_t *axes, tacit_error *err);
tacit_status tc_fgp_prior_matrix(tc_fgp_prior *p, size_t n, const double *K, tacit_error *err);
/* E_ARG names the hyper-parameter that is out of range. */
tacit_status tc_fgp_prior_hyper(tc_fgp_prior *p, const tc_gp_hyper *h, tacit_error *err);

double tc_fgp_prior_variance(const tc_fgp_prior *p, size_t i); /* k(i,i) */
/* Prepares the row of candidate j; then threads may ask for its pieces. */
void tc_fgp_prior_aim(tc_fgp_prior *p, size_t j);
/* out = k(j, from .. from+m) */
void tc_fgp_prior_piece(const tc_fgp_prior *p, size_t from, size_t m, double *out);

#endif
