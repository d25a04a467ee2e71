/* gp_multiples.h - predictions of exact processes (gp.h) over the same points whose kernels are multiples of one
 * another: k, rho k. The rows of the kernel are made once for all of them. For algo/own.
 *
 * Each process has columns of targets t_c, as W_c = C^-1 t_c with its own C = ratio K + s2 I; the mean of column c is
 * ratio k(x)'W_c, and the variance ratio v - ratio^2 k(x)'C^-1 k(x), where k is the kernel of the first process. */
#ifndef TC_NUM_GP_MULTIPLES_H
#define TC_NUM_GP_MULTIPLES_H

#include "num/gp.h"

/* One of them, and what is wanted of it at the m points of a call. */
typedef struct tc_gp_multiple {
    const tc_gp *g;
    const double *W;        /* n x p, leading dimension n: tc_gp_solve of each column */
    double *mean, *var;     /* m x p, column by column; m */
    double *d_mean, *d_var; /* one point: dim x p, dim. NULL: no derivatives */
} tc_gp_multiple;

/* Doubles that a call needs as scratch, of processes with n points. */
size_t tc_gp_multiples_scratch(size_t n, size_t dim);
/* At one point. Of d_mean and d_var all are NULL, or none. Threads with scratch of their own may call it. */
void tc_gp_multiples_at(size_t count, const tc_gp_multiple *of, size_t p, const double *x,
                        double *scratch);
size_t tc_gp_multiples_many_scratch(size_t n);
/* At m points X (m x dim column-major, ldx). */
void tc_gp_multiples_many(size_t count, const tc_gp_multiple *of, size_t p, size_t m,
                          const double *X, size_t ldx, double *scratch);

#endif
