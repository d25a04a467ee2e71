/* path.h - a draw from a GP posterior as a function (pathwise conditioning).
 *
 * f(x) = phi(x)'w + k(x,X)(K + s2 I)^-1 (y - Phi w - eps), w ~ N(0,I), eps ~ N(0, s2 I), with W, b drawn
 * anew for every draw: mean and covariance are exact in expectation (docs/math.md, "Function draws").
 * So Thompson sampling never factorises a covariance over candidates, and on boxes the draw has gradients. */
#ifndef TC_NUM_PATH_H
#define TC_NUM_PATH_H

#include "base/pool.h"
#include "num/gp.h"
#include "num/rff.h"

typedef struct tc_path tc_path;

tacit_status tc_path_new(tc_path **out, size_t features, size_t dim, tacit_error *err);
void tc_path_free(tc_path *p);
/* A new draw of the posterior of g with targets y; g is borrowed until the next draw. */
tacit_status tc_path_draw(tc_path *p, const tc_gp *g, const double *y, tc_stream *s,
                          tacit_error *err);
double tc_path_value(const tc_path *p, const double *x, double *scratch);
double tc_path_value_grad(const tc_path *p, const double *x, double *grad, double *scratch);
size_t tc_path_scratch_size(const tc_path *p);
/* The draw at n points X (n x dim column-major): O(n (features + t)). Runs on the pool in fixed blocks. */
tacit_status tc_path_many(const tc_path *p, size_t n, const double *X, size_t ldx, double *out,
                          tc_pool *pool, tacit_error *err);

#endif
