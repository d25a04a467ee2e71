/* gp_sample.c - a random smooth function: a draw from a Gaussian process, as random features.
 *
 * f(x) = phi(x)'w on [0,1]^dim with FEATURES random Fourier features of the SE kernel (variance 1)
 * and w ~ N(0, I), all from the seed. A continuous draw has no closed optimum: it is searched once,
 * at construction, by SOBOL_POINTS Sobol' points and L-BFGS from the best STARTS of them. That finds
 * the optimum of few-dimensional draws; with many dimensions and a short length-scale it is a lower
 * bound, and regret is against the best point known. With a grid the domain is finite, its values
 * are tabulated, and the optimum is exact. Called by objective.c alone. */
#include "objective/objective_int.h"

#include "base/error.h"
#include "base/memory.h"
#include "num/boxmax.h"
#include "num/rff.h"
#include "num/sobol.h"

#include <string.h>

#define FEATURES        2048
#define SOBOL_POINTS    8192
#define STARTS          32
#define MAX_EVALS       200
#define GRID_CANDIDATES 1000000

struct tc_gp_sample {
    tc_arena arena;
    tc_rff rff;
    double *w;         /* FEATURES */
    double *optimiser; /* dim */
    double optimum;
    tc_domain *grid; /* NULL: continuous */
    double *table;   /* of the grid: f at each candidate */
};

const tc_objective_kind tc_objective_gp_sample = {
    .info = {.name = "gp-sample",
             .summary = "a random draw from a Gaussian process, any dimension, maximised",
             .source = "random Fourier features (Rahimi and Recht 2007) of the SE kernel"},
    .maximize = true,
    .dim = 2,
    .max_dim = TC_OBJECTIVE_DIM,
    .low = {0, 0},
    .high = {1, 1},
};

static tacit_status draw_function(tc_gp_sample *g, size_t dim, double lengthscale,
                                  const tc_public_seed *seed, tacit_error *err)
{
    double scale[TC_OBJECTIVE_DIM];
    tc_gp_hyper h = {.kind = TC_KERNEL_SE, .dim = dim, .variance = 1, .scale = scale};
    for (size_t d = 0; d < dim; d++)
        scale[d] = lengthscale;
    TC_TRY(tc_rff_init(&g->rff, FEATURES, dim, err));
    tc_stream s;
    tc_stream_public(&s, seed, TC_FOR_OBJECTIVE, 1);
    tc_rff_draw(&g->rff, &h, false, &s);
    tc_draw_normals(&s, FEATURES, g->w);
    return TACIT_OK;
}

double tc_gp_sample_value(const tc_gp_sample *g, const double *x)
{
    if (g->grid)
        return g->table[(size_t)x[0]];
    double slope[TC_OBJECTIVE_DIM];
    return tc_rff_value_grad(&g->rff, g->w, x, slope); /* for one point faster than tc_rff_apply */
}

/* -- the optimum of a continuous draw ------------------------------------------------------ */

static double value_grad(void *ctx, size_t slot, const double *x, double *grad)
{
    (void)slot;
    const tc_gp_sample *g = ctx;
    return grad ? tc_rff_value_grad(&g->rff, g->w, x, grad) : tc_gp_sample_value(g, x);
}

/* Moves the STARTS best of n scored points (column-major) to rows of X, best first. */
static void take_best(size_t n, size_t dim, const double *points, double *scores, double *X,
                      double *fx)
{
    for (size_t k = 0; k < STARTS; k++) {
        size_t top = 0;
        for (size_t i = 1; i < n; i++)
            if (scores[i] > scores[top])
                top = i;
        for (size_t d = 0; d < dim; d++)
            X[k * dim + d] = points[top + d * n];
        fx[k] = scores[top];
        scores[top] = -1e300;
    }
}

static void sobol_points(size_t dim, const tc_public_seed *seed, double *points)
{
    tc_stream s;
    tc_sobol q;
    double u[TC_OBJECTIVE_DIM];
    tc_stream_public(&s, seed, TC_FOR_OBJECTIVE, 2);
    tc_sobol_init(&q, dim, &s);
    for (size_t i = 0; i < SOBOL_POINTS; i++) {
        tc_sobol_point(&q, i, u);
        for (size_t d = 0; d < dim; d++)
            points[i + d * SOBOL_POINTS] = u[d];
    }
}

static tacit_status find_optimum(tc_gp_sample *g, const tc_public_seed *seed, tc_arena *scratch,
                                 tacit_error *err)
{
    size_t dim = g->rff.dim, best;
    double *points = TC_TAKE(scratch, SOBOL_POINTS * dim, double);
    double *scores = TC_TAKE(scratch, SOBOL_POINTS, double);
    double *X = TC_TAKE(scratch, STARTS * dim, double);
    double *fx = TC_TAKE(scratch, STARTS, double);
    if (scratch->failed)
        return tc_fail_memory(err);
    sobol_points(dim, seed, points);
    tc_rff_apply(&g->rff, g->w, SOBOL_POINTS, points, SOBOL_POINTS, scores);
    take_best(SOBOL_POINTS, dim, points, scores, X, fx);
    tc_boxmax search = {
        .dim = dim, .f = value_grad, .ctx = g, .max_evals = MAX_EVALS, .ftol_rel = 1e-12};
    TC_TRY(tc_boxmax_lbfgs(&search, STARTS, X, fx, &best, err));
    memcpy(g->optimiser, X + best * dim, dim * sizeof(double));
    g->optimum = tc_gp_sample_value(g, g->optimiser);
    return TACIT_OK;
}

/* -- a grid -------------------------------------------------------------------------------- */

static tacit_status check_grid(size_t dim, int64_t per_axis, tacit_error *err)
{
    double candidates = 1;
    for (size_t d = 0; d < dim; d++)
        candidates *= (double)per_axis;
    if (per_axis < 2 || candidates > GRID_CANDIDATES)
        return tc_fail(err, TACIT_E_ARG,
                       "grid is %lld per axis in %zu dimensions; allowed are at least 2 per axis "
                       "and at most %d candidates",
                       (long long)per_axis, dim, GRID_CANDIDATES);
    return TACIT_OK;
}

static tacit_status tabulate(tc_gp_sample *g, int64_t per_axis, tacit_error *err)
{
    size_t dim = g->rff.dim, axes[TC_OBJECTIVE_DIM];
    double low[TC_OBJECTIVE_DIM] = {0}, high[TC_OBJECTIVE_DIM];
    TC_TRY(check_grid(dim, per_axis, err));
    for (size_t d = 0; d < dim; d++) {
        axes[d] = (size_t)per_axis;
        high[d] = 1;
    }
    TC_TRY(tc_domain_grid(&g->grid, dim, axes, low, high, err));
    size_t n = g->grid->n;
    g->table = TC_TAKE(&g->arena, n, double);
    if (!g->table)
        return tc_fail_memory(err);
    tc_rff_apply(&g->rff, g->w, n, g->grid->raw, n, g->table);
    g->optimum = tc_best_value(n, g->table, true);
    return TACIT_OK;
}

/* -- construction -------------------------------------------------------------------------- */

static tacit_status build(tc_gp_sample *g, size_t dim, const tc_objective_opts *opts,
                          const tc_public_seed *seed, tacit_error *err)
{
    g->w = TC_TAKE(&g->arena, FEATURES, double);
    g->optimiser = TC_TAKE(&g->arena, dim, double);
    if (g->arena.failed)
        return tc_fail_memory(err);
    TC_TRY(draw_function(g, dim, opts->lengthscale, seed, err));
    if (opts->grid)
        return tabulate(g, opts->grid, err);
    tc_arena scratch = {0};
    tacit_status status = find_optimum(g, seed, &scratch, err);
    tc_arena_fini(&scratch);
    return status;
}

tacit_status tc_gp_sample_new(tc_gp_sample **out, size_t dim, const tc_objective_opts *opts,
                              const tc_public_seed *seed, tacit_error *err)
{
    if (!(opts->lengthscale > 0))
        return tc_fail(err, TACIT_E_ARG, "lengthscale must be > 0, not %g", opts->lengthscale);
    tc_gp_sample *g = tc_alloc(1, sizeof *g);
    if (!g)
        return tc_fail_memory(err);
    tacit_status status = build(g, dim, opts, seed, err);
    if (status != TACIT_OK) {
        tc_gp_sample_free(g);
        return status;
    }
    *out = g;
    return TACIT_OK;
}

void tc_gp_sample_free(tc_gp_sample *g)
{
    if (!g)
        return;
    tc_rff_fini(&g->rff);
    tc_domain_free(g->grid);
    tc_arena_fini(&g->arena);
    tc_free(g);
}

const double *tc_gp_sample_optimiser(const tc_gp_sample *g)
{
    return g->optimiser;
}

double tc_gp_sample_optimum(const tc_gp_sample *g)
{
    return g->optimum;
}

const tc_domain *tc_gp_sample_domain(const tc_gp_sample *g)
{
    return g->grid;
}
