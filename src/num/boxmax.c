/* boxmax.c - local and global maximisation on the unit cube through NLopt; see boxmax.h.
 *
 * The only file that calls NLopt. The callback keeps the best point it was asked about: NLopt's
 * L-BFGS may end in NLOPT_FAILURE or ROUNDOFF_LIMITED one step after a fine point, and its last
 * point need not be its best. Called by gp_fit.c and by acquisition searches. */
#include "num/boxmax.h"

#include "base/error.h"
#include "base/memory.h"

#include <limits.h>
#include <math.h>
#include <nlopt.h>
#include <stdio.h>
#include <string.h>

/* One search and the best it has seen. */
typedef struct search {
    const tc_boxmax *p;
    size_t slot;
    double *best_x;
    double best_f; /* -inf: nothing finite yet */
    size_t evals;
} search;

/* What a line search sees where f is not finite, or when the evaluations are used up (NLopt counts
 * them only between line searches): clearly worse than the best point, but not so much that its
 * interpolation would crawl away from here in tiny steps. */
static double stand_in(const search *s, size_t n, double *grad)
{
    for (size_t d = 0; d < n && grad != NULL; d++)
        grad[d] = 0.0;
    return isfinite(s->best_f) ? 1.0 + fabs(s->best_f) - s->best_f : 1.0;
}

static bool all_finite(size_t n, const double *x)
{
    for (size_t i = 0; i < n; i++)
        if (!isfinite(x[i]))
            return false;
    return true;
}

/* How far inside of its limits a search stays, and how far outside a point may be by rounding. */
static const double INSIDE = 1e-9, OUTSIDE = 1e-10;

static bool allowed(const tc_boxmax *p, const double *x)
{
    double excess[TC_BOXMAX_LIMITS];
    if (p->limits > 0)
        p->limit(p->limit_ctx, x, excess, NULL);
    for (size_t k = 0; k < p->limits; k++)
        if (!(excess[k] <= OUTSIDE))
            return false;
    return true;
}

/* NLopt's form of the limits. */
static void limited(unsigned m, double *excess, unsigned n, const double *x, double *slopes,
                    void *ctx)
{
    const tc_boxmax *p = ((const search *)ctx)->p;
    (void)n;
    p->limit(p->limit_ctx, x, excess, slopes);
    for (unsigned k = 0; k < m; k++)
        excess[k] += INSIDE;
}

/* NLopt minimises: it sees -f. */
static double negated(unsigned n, const double *x, double *grad, void *ctx)
{
    search *s = ctx;
    if (s->evals++ > 0 && s->evals > s->p->max_evals) /* the start itself is always evaluated */
        return stand_in(s, n, grad);
    double f = s->p->f(s->p->ctx, s->slot, x, grad);
    if (!isfinite(f) || (grad != NULL && !all_finite(n, grad)))
        return stand_in(s, n, grad);
    if (f > s->best_f && allowed(s->p, x)) {
        s->best_f = f;
        memmove(s->best_x, x, n * sizeof *x);
    }
    for (unsigned d = 0; d < n && grad != NULL; d++)
        grad[d] = -grad[d];
    return -f;
}

/* Bounds 0 and 1; a coordinate that is not free is held by equal bounds, which NLopt takes out of the
 * problem. */
static nlopt_result set_bounds(nlopt_opt opt, const tc_boxmax *p, const double *x)
{
    nlopt_result result = nlopt_set_lower_bounds1(opt, 0.0);
    if (result >= 0)
        result = nlopt_set_upper_bounds1(opt, 1.0);
    for (size_t d = 0; d < p->dim && p->free != NULL && result >= 0; d++) {
        if (p->free[d])
            continue;
        result = nlopt_set_lower_bound(opt, (int)d, x[d]);
        if (result >= 0)
            result = nlopt_set_upper_bound(opt, (int)d, x[d]);
    }
    return result;
}

static nlopt_result configure(nlopt_opt opt, search *s)
{
    const tc_boxmax *p = s->p;
    nlopt_result result = set_bounds(opt, p, s->best_x);
    if (result >= 0)
        result = nlopt_set_min_objective(opt, negated, s);
    if (result >= 0)
        result = nlopt_set_maxeval(opt, p->max_evals < INT_MAX ? (int)p->max_evals : INT_MAX);
    if (result >= 0 && p->limits > 0)
        result = nlopt_add_inequality_mconstraint(opt, (unsigned)p->limits, limited, s, NULL);
    return result;
}

/* Runs one search from s->best_x, which is left at the best point seen. Only a lack of memory is a
 * failure: whatever else ends a search, the best point stands. */
static nlopt_result run(nlopt_algorithm algorithm, double ftol_rel, search *s)
{
    size_t dim = s->p->dim;
    nlopt_opt opt = nlopt_create(algorithm, (unsigned)dim);
    double *x = tc_alloc(dim, sizeof *x);
    nlopt_result result = opt == NULL || x == NULL ? NLOPT_OUT_OF_MEMORY : configure(opt, s);
    if (result >= 0 && ftol_rel > 0.0)
        result = nlopt_set_ftol_rel(opt, ftol_rel);
    if (result >= 0) {
        double f;
        memcpy(x, s->best_x, dim * sizeof *x);
        result = nlopt_optimize(opt, x, &f);
    }
    nlopt_destroy(opt);
    tc_free(x);
    return result;
}

static size_t free_coordinates(const tc_boxmax *p)
{
    size_t count = 0;
    for (size_t d = 0; d < p->dim; d++)
        count += p->free == NULL || p->free[d];
    return count;
}

static void clamp(size_t dim, double *x)
{
    for (size_t d = 0; d < dim; d++)
        x[d] = fmin(fmax(x[d], 0.0), 1.0);
}

/* A search with nowhere to go is one evaluation. */
static nlopt_result improve(nlopt_algorithm algorithm, double ftol_rel, search *s)
{
    clamp(s->p->dim, s->best_x);
    if (free_coordinates(s->p) > 0 && s->p->max_evals > 1)
        return run(algorithm, ftol_rel, s);
    negated((unsigned)s->p->dim, s->best_x, NULL, s);
    return NLOPT_SUCCESS;
}

typedef struct searches {
    const tc_boxmax *p;
    double *X, *fx;
    bool *exhausted; /* of memory */
} searches;

static void improve_start(void *ctx, size_t i)
{
    searches *all = ctx;
    search s = {all->p, i, all->X + i * all->p->dim, -INFINITY, 0};
    const nlopt_algorithm algorithm = all->p->limits > 0 ? NLOPT_LD_SLSQP : NLOPT_LD_LBFGS;
    nlopt_result result = improve(algorithm, all->p->ftol_rel, &s);
    all->exhausted[i] = result == NLOPT_OUT_OF_MEMORY;
    all->fx[i] = s.best_f;
}

tacit_status tc_boxmax_lbfgs(const tc_boxmax *p, size_t n, double *X, double *fx, size_t *best,
                             tacit_error *err)
{
    if (n == 0)
        return tc_fail(err, TACIT_E_ARG, "a search needs at least one starting point, got none");
    bool *exhausted = tc_alloc(n, sizeof *exhausted);
    if (exhausted == NULL)
        return tc_fail_memory(err);
    searches all = {p, X, fx, exhausted};
    tc_pool_for(p->pool, n, improve_start, &all);
    size_t top = 0;
    bool failed = false;
    for (size_t i = 0; i < n; i++) {
        failed = failed || exhausted[i];
        if (fx[i] > fx[top])
            top = i;
    }
    tc_free(exhausted);
    if (failed)
        return tc_fail_memory(err);
    *best = top;
    return TACIT_OK;
}

tacit_status tc_boxmax_direct(const tc_boxmax *p, double *x, double *fx, tacit_error *err)
{
    search s = {p, 0, x, -INFINITY, 0};
    if (improve(NLOPT_GN_DIRECT_L, 0.0, &s) == NLOPT_OUT_OF_MEMORY)
        return tc_fail_memory(err);
    *fx = s.best_f;
    return TACIT_OK;
}

void tc_boxmax_library(char out[32])
{
    int major, minor, patch;
    nlopt_version(&major, &minor, &patch);
    snprintf(out, 32, "%d.%d.%d", major, minor, patch);
}
