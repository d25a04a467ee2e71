/* gp.h - exact Gaussian-process regression whose factor grows by append.
 *
 * mu(x) = k(x)' (K + s2 I)^-1 y, var(x) = k(x,x) - k(x)' (K + s2 I)^-1 k(x), in the units of y
 * as given (the caller standardises). Where the variance of a point's noise is known, it stands beside s2 on the
 * diagonal. The factor has one canonical history: the points present
 * at tc_gp_reset are factored at once, later ones are appended one by one. So a state rebuilt
 * from a journal has the same bits as the one that lived through it. */
#ifndef TC_NUM_GP_H
#define TC_NUM_GP_H

#include "num/kernel.h"

#include <tacit/status.h>

/* Hyper-parameters. */
typedef struct tc_gp_hyper {
    tc_kernel_kind kind;
    size_t dim;
    double variance; /* v */
    double noise;    /* s2 = lambda, a variance */
    double *scale;   /* dim length-scales, owned by whoever owns this struct */
} tc_gp_hyper;

typedef struct tc_gp tc_gp;

tacit_status tc_gp_new(tc_gp **out, size_t dim, tacit_error *err);
void tc_gp_free(tc_gp *g);

/* Starts over: copies h and the n points X (n x dim column-major, ldx) and factors them, with jitter
 * if need be (tc_gp_jitter). E_NUMERIC: not even then; g is left without points. */
tacit_status tc_gp_reset(tc_gp *g, const tc_gp_hyper *h, size_t n, const double *X, size_t ldx,
                         tacit_error *err);
/* The same where point i has noise of the variance known[i] beside s2; NULL: none has. */
tacit_status tc_gp_reset_known(tc_gp *g, const tc_gp_hyper *h, size_t n, const double *X,
                               size_t ldx, const double *known, tacit_error *err);
/* Appends one point (dim coordinates), with noise of the variance `known` beside s2. Amortised growth, O(n^2).
 * E_NUMERIC leaves g as it was. */
tacit_status tc_gp_push_known(tc_gp *g, const double *x, double known, tacit_error *err);
/* Forgets all points from n on; same bits as before their push. */
void tc_gp_truncate(tc_gp *g, size_t n);
/* Sets the targets of all n points; O(n^2). Must follow reset, push or truncate before mean is asked. */
void tc_gp_targets(tc_gp *g, const double *y);

size_t tc_gp_size(const tc_gp *g);
const tc_gp_hyper *tc_gp_hyper_of(const tc_gp *g);
const double *tc_gp_points(const tc_gp *g, size_t *ld);         /* n x dim column-major */
const double *tc_gp_factor(const tc_gp *g, size_t *ld);         /* L, lower */
const double *tc_gp_inverse_factor(const tc_gp *g, size_t *ld); /* L^-1, zero above the diagonal */
const double *tc_gp_weights(const tc_gp *g);                    /* alpha = (K + s2 I)^-1 y */
const double *tc_gp_known(const tc_gp *g); /* of each point: the variance of noise beside s2 */
double tc_gp_jitter(const tc_gp *g);       /* largest amount added to the diagonal; 0 if none */

/* Scratch for predictions by several threads at once: tc_gp_scratch_size doubles each. A NULL mean
 * asks for the variance alone, which needs no targets. */
size_t tc_gp_scratch_size(const tc_gp *g);
void tc_gp_predict(const tc_gp *g, const double *x, double *mean, double *var, double *scratch);
/* Also dmean[d], dvar[d]: derivatives with respect to x_d. */
void tc_gp_predict_grad(const tc_gp *g, const double *x, double *mean, double *var, double *dmean,
                        double *dvar, double *scratch);
/* m points at once (m x dim column-major, ldx), blocked; mean or var may be NULL. Scratch inside. */
tacit_status tc_gp_predict_many(tc_gp *g, size_t m, const double *X, size_t ldx, double *mean,
                                double *var, tacit_error *err);
/* The same with other targets beside the model's own: column c of W (n x p, leading dimension n) is
 * tc_gp_solve of some t, and mean[c] = k(x)'W_c is the mean that those would have; m x p, column by
 * column. gp_multiples.h has more of this kind. */
void tc_gp_solve(const tc_gp *g, double *t); /* t = (K + s2 I)^-1 t, n */
tacit_status tc_gp_predict_many_columns(tc_gp *g, size_t m, const double *X, size_t ldx, size_t p,
                                        const double *W, double *mean, double *var,
                                        tacit_error *err);

#endif
