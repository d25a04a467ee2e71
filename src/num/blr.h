/* blr.h - Bayesian linear regression on features: at most O(M^2) an observation and a draw, less
 * while there are fewer observations than features.
 *
 * Sigma = Phi'Phi + lambda I, nu = Sigma^-1 Phi'y; the posterior of the weights is
 * N(nu, lambda Sigma^-1) (docs/math.md, "Surrogates"). */
#ifndef TC_NUM_BLR_H
#define TC_NUM_BLR_H

#include "base/random.h"

#include <tacit/status.h>

#include <stddef.h>

typedef struct tc_blr tc_blr;

tacit_status tc_blr_new(tc_blr **out, size_t M, double lambda, tacit_error *err);
/* The same where the rows that add is given outlive the model, and `expected` observations will come
 * (0: unknown). Few of them are faster then. Time alone depends on whether so many come; but draws
 * of a model for few have other bits than those of one for many. */
tacit_status tc_blr_new_borrowing(tc_blr **out, size_t M, double lambda, uint64_t expected,
                                  tacit_error *err);
void tc_blr_free(tc_blr *r);
void tc_blr_add(tc_blr *r, const double *phi, double y);
/* How the last one that was added surprised: y - phi'nu and 1 + phi' Sigma^-1 phi, of the model
 * before it. Its predictive variance was lambda times the second. */
typedef struct tc_blr_news {
    double off, ratio;
} tc_blr_news;
tc_blr_news tc_blr_latest(const tc_blr *r);
const double *tc_blr_mean(tc_blr *r);                       /* nu, M; until the next add */
void tc_blr_sample(tc_blr *r, tc_stream *s, double *w);     /* ~ N(nu, lambda Sigma^-1) */
void tc_blr_solve(tc_blr *r, const double *x, double *out); /* Sigma^-1 x, M */
/* out ~ N(0, lambda Sigma^-1), made of M + M/2 standard normals e. */
void tc_blr_spread(tc_blr *r, const double *e, double *out);

#endif
