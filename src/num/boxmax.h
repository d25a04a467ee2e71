/* boxmax.h - maximising a function on the unit cube: seeds, L-BFGS from the best few; or DIRECT.
 *
 * The caller offers scored starting points; the search improves the best `starts` of them with
 * bounded L-BFGS (NLopt) and returns the best end point. Coordinates that cannot move (free[d] == 0)
 * are held at the start's. Deterministic; starts may run in parallel, each with its own scratch. */
#ifndef TC_NUM_BOXMAX_H
#define TC_NUM_BOXMAX_H

#include "base/pool.h"

#include <tacit/status.h>

#include <stdbool.h>
#include <stddef.h>

enum { TC_BOXMAX_LIMITS = 64 };

typedef struct tc_boxmax {
    size_t dim;
    /* f(x), and its gradient if grad != NULL. slot: 0..starts-1, for scratch of the caller's. */
    double (*f)(void *ctx, size_t slot, const double *x, double *grad);
    void *ctx;
    const unsigned char *free; /* dim flags; NULL: all free */
    size_t max_evals;          /* of each start; never exceeded */
    double ftol_rel;           /* stop when f improves by less, relatively */
    tc_pool *pool;             /* NULL: serial */
    /* What x must satisfy: excess[k] <= 0 for each of so many limits; slopes (limits rows of dim) if not NULL. Only what
     * satisfies all counts as found. Not for tc_boxmax_direct. */
    size_t limits; /* at most TC_BOXMAX_LIMITS */
    void (*limit)(const void *limit_ctx, const double *x, double *excess, double *slopes);
    const void *limit_ctx;
} tc_boxmax;

/* Improves n starting points X (point i at X + i*dim; moved into the cube first) in place, their
 * values in fx, where there are limits by sequential quadratic programming (NLopt's SLSQP); *best is the index of the best one (ties: lowest). Where f is NaN or infinite it counts as
 * arbitrarily bad: fx is -inf if a start saw nothing else. */
tacit_status tc_boxmax_lbfgs(const tc_boxmax *p, size_t n, double *X, double *fx, size_t *best,
                             tacit_error *err);
/* DIRECT (NLopt's GN_DIRECT_L): global, max_evals evaluations, no gradients. x: in, the coordinates
 * that are not free; out, the best point. */
tacit_status tc_boxmax_direct(const tc_boxmax *p, double *x, double *fx, tacit_error *err);

/* The version of NLopt, which is behind both. */
void tc_boxmax_library(char out[32]);

#endif
