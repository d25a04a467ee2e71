/* rff.h - random Fourier features of a kernel (docs/math.md, "Surrogates").
 *
 * phi(x) = sqrt(2v/M) cos(Wx + b), rows of W ~ N(0, diag(l^-2)) (SE) or g/(l sqrt(chi2_{2nu}/2nu))
 * with one chi2 per row (Matern nu), b ~ U(0, 2 pi): E phi(x)'phi(x') = k(x,x'). unit: each phi(x)
 * is rescaled to norm sqrt(v). All parties derive W and b from a stream; nobody sends them.
 * Inputs are expected within [-10,10]^dim: there every argument stays in the range of tc_vcos. */
#ifndef TC_NUM_RFF_H
#define TC_NUM_RFF_H

#include "base/random.h"
#include "num/gp.h"

#include <stdbool.h>

typedef struct tc_rff {
    size_t M, dim;
    double variance;
    bool unit;
    double *W; /* M x dim column-major */
    double *b; /* M */
} tc_rff;

tacit_status tc_rff_init(tc_rff *f, size_t M, size_t dim, tacit_error *err); /* allocates */
void tc_rff_fini(tc_rff *f);
/* Draws W and b for h from s. */
void tc_rff_draw(tc_rff *f, const tc_gp_hyper *h, bool unit, tc_stream *s);
/* The same with frequencies that cover the spectrum evenly (dim <= TC_SOBOL_DIM), each with a cosine
 * and a sine: a few features then do what takes several times as many independent ones, and phi(x)
 * has the same norm everywhere (M even). */
void tc_rff_draw_even(tc_rff *f, const tc_gp_hyper *h, bool unit, tc_stream *s);
void tc_rff_at(const tc_rff *f, const double *x, double *phi); /* M */
/* Phi (M x n column-major, ldphi): features of n points X (n x dim column-major) */
void tc_rff_many(const tc_rff *f, size_t n, const double *X, size_t ldx, double *Phi, size_t ldphi);
/* out[i] = phi(X_i)'w for n points without storing Phi. The bits of out[i] depend on X_i alone, not
 * on n or on where the point stands. */
void tc_rff_apply(const tc_rff *f, const double *w, size_t n, const double *X, size_t ldx,
                  double *out);
/* phi(x)'w, and with its gradient. */
double tc_rff_value(const tc_rff *f, const double *w, const double *x);
double tc_rff_value_grad(const tc_rff *f, const double *w, const double *x, double *grad);

#endif
