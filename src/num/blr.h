/* blr.h - Bayesian linear regression on features: O(M^2) an observation.
 *
 * Sigma = Phi'Phi + lambda I, its Cholesky factor kept by rank-one updates; nu = Sigma^-1 Phi'y;
 * the posterior of the weights is N(nu, lambda Sigma^-1) (docs/math.md, "Surrogates"). */
#ifndef TC_NUM_BLR_H
#define TC_NUM_BLR_H

#include "base/random.h"

#include <tacit/status.h>

#include <stddef.h>

typedef struct tc_blr tc_blr;

tacit_status tc_blr_new(tc_blr **out, size_t M, double lambda, tacit_error *err);
void tc_blr_free(tc_blr *r);
void tc_blr_add(tc_blr *r, const double *phi, double y);
size_t tc_blr_size(const tc_blr *r);                    /* observations so far */
const double *tc_blr_mean(tc_blr *r);                   /* nu, M; until the next add */
void tc_blr_sample(tc_blr *r, tc_stream *s, double *w); /* ~ N(nu, lambda Sigma^-1) */
/* lambda phi' Sigma^-1 phi; scratch: M */
double tc_blr_variance(const tc_blr *r, const double *phi, double *scratch);

#endif
