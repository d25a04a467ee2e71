/* blur.h - covariances of a function at rows that are known up to noise (docs/math.md, "Outsourcing").
 *
 * A released row is x^ = x + noise with sd s in every coordinate. Given the released rows, the values
 * f(x_i) of a function with kernel v exp(-|x - x'|^2 / 2 l^2) have, where the noise is Gaussian, the
 * covariance
 *
 *     v prod_d (l_d^2 / (l_d^2 + 2 s^2))^(1/2) exp(-(x^_d - x^'_d)^2 / 2 (l_d^2 + 2 s^2)),  i != j
 *     v                                                                                 i == j
 *
 * and to second order where it is Laplace. It is again a kernel of the same form, with a part for every
 * row that it shares with no other. Called by modeler.c and modeler_fit.c. */
#ifndef TC_ALGO_OUTSOURCED_BLUR_H
#define TC_ALGO_OUTSOURCED_BLUR_H

#include "num/gp_fit.h"

/* From h, of the rows themselves, to the kernel between released rows: kind, dim and noise stay;
 * out->scale has dim places and may be h->scale. Returns the variance of a row's own part. */
double tc_blur(const tc_gp_hyper *h, double sd, tc_gp_hyper *out);

/* Learns h, of the rows themselves, from n distinct released rows X (n x dim column-major, ldx) and
 * their values y: maximum a posteriori, with the priors of num/gp_fit.h. sd: s; o->noise_min: what is
 * known of the noise in y. Deterministic in its arguments. */
tacit_status tc_blur_fit(tc_gp_hyper *h, const tc_gp_fit_opts *o, double sd, size_t n,
                         const double *X, size_t ldx, const double *y, tc_stream *s,
                         tacit_error *err);

/* The objective of the fit and its gradient at theta: ln of scales (dim, or 1 if !ard), of v, of the
 * noise. For tests. */
tacit_status tc_blur_objective(const tc_gp_fit_opts *o, double sd, size_t dim, size_t n,
                               const double *X, size_t ldx, const double *y, const double *theta,
                               double *value, double *grad, tacit_error *err);

#endif
