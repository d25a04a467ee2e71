/* fgp.h - a Gaussian process over a finite set of candidates: O(t n) an observation, never a refit.
 *
 * Keeps V = L^-1 K(X_t, X), and the posterior mean and variance of all n candidates. Observing
 * candidate j: a = V[:,j], s = sqrt(k_jj + s2 - a'a), v = (k(j,.) - a'V)/s, mu += v (y - mu_j)/s,
 * var -= v*v (docs/math.md, "Finite domains"). One fused pass over V per observation, in tiles that
 * stay in cache and in a fixed order: the bits do not depend on the number of threads. Memory is
 * O(t n). An object serves one thread at a time. */
#ifndef TC_NUM_FGP_H
#define TC_NUM_FGP_H

#include "base/pool.h"
#include "num/gp.h"

typedef struct tc_fgp tc_fgp;

/* X: n x dim column-major (ldx = n), borrowed for the life of the object, like the pool. axes: the
 * points per axis if X is a full grid with the first axis slowest (kernels that separate use it),
 * or NULL; copied. E_ARG: X is not that grid. */
tacit_status tc_fgp_new(tc_fgp **out, size_t n, size_t dim, const double *X, const size_t *axes,
                        tc_pool *pool, tacit_error *err);
/* Over a given n x n covariance matrix K (symmetric, full, borrowed) instead of a kernel. */
tacit_status tc_fgp_new_given(tc_fgp **out, size_t n, const double *K, tc_pool *pool,
                              tacit_error *err);
void tc_fgp_free(tc_fgp *g);

/* Forgets all observations and the mark; sets hyper-parameters (copied; of a given matrix only
 * h->noise and h->variance as a factor are used). Must come first. */
tacit_status tc_fgp_reset(tc_fgp *g, const tc_gp_hyper *h, tacit_error *err);
/* From the next reset on every candidate has a part of its own with this variance, which it shares
 * with no other: k(i,i) grows by it, k(i,j) does not. E_ARG: not finite, or below 0. */
tacit_status tc_fgp_own(tc_fgp *g, double variance, tacit_error *err);
/* Observes y at candidate j. E_NUMERIC: without noise, a candidate whose value is already known. */
tacit_status tc_fgp_observe(tc_fgp *g, size_t j, double y, tacit_error *err);
/* Appends only the row of V and the variance, as if the posterior mean had been observed: y comes
 * later by tc_fgp_targets. */
tacit_status tc_fgp_push(tc_fgp *g, size_t j, tacit_error *err);
/* Appends `count` >= 1 observations of candidate j as one row, with the noise of their mean: the
 * posterior is that of pushing j so often, and their mean is the row's one target. A row counts as
 * one observation in what follows. */
tacit_status tc_fgp_push_many(tc_fgp *g, size_t j, double count, tacit_error *err);
/* Appends one observation, or the mean of several, whose noise has this variance in the place of s2; s2 > 0. */
tacit_status tc_fgp_push_noise(tc_fgp *g, size_t j, double noise, tacit_error *err);
/* New targets for all t observations (standardisation changed): mu = V' L^-1 y, one pass. Push and
 * targets give the same bits as observe. */
void tc_fgp_targets(tc_fgp *g, const double *y);
/* The mean that other targets y would have: out = V' L^-1 y (n), z = L^-1 y (t). */
void tc_fgp_project(const tc_fgp *g, const double *y, double *out, double *z);
/* Remembers the present state (one mark, a new one replaces it); restore goes back to it, any
 * number of times, bit for bit. For observations that are pretended: push them, look, restore. */
tacit_status tc_fgp_mark(tc_fgp *g, tacit_error *err);
void tc_fgp_restore(tc_fgp *g);

size_t tc_fgp_size(const tc_fgp *g);            /* t */
const double *tc_fgp_mean(const tc_fgp *g);     /* n */
const double *tc_fgp_variance(const tc_fgp *g); /* n, >= 0 */
double tc_fgp_info_gain(const tc_fgp *g);       /* 1/2 ln det(I + K/s2); needs noise > 0 */
/* argmax mean + width*sd; ties: lowest index; candidates with skip[j] != 0 are left out (skip may
 * be NULL); n if all are. */
size_t tc_fgp_argmax_ucb(const tc_fgp *g, double width, const unsigned char *skip);

#endif
