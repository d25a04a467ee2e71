/* grid_draw.c - exact draws of a Gaussian process on an even grid of [0,1]^dim.
 *
 * The SE kernel is a product over the axes, so its covariance on a grid is a Kronecker product of
 * one matrix, that of an axis: with k(axis, axis) = F F', a draw is (F x ... x F) z, z ~ N(0, I),
 * applied one axis at a time. F is a pivoted Cholesky factor, stopped when no point has more than
 * RESIDUAL of its variance left: the matrix is singular to working precision, so that a plain
 * factor needs jitter, while its rank is small (92 for 1000 points and l = 0.03). The
 * covariance of a draw is k within RESIDUAL per axis, everywhere. Plain loops in a fixed order, no
 * BLAS: a draw does not depend on the machine's. Called by family_gp.c. */
#include "objective/objective_int.h"

#include "base/error.h"
#include "base/memory.h"
#include "num/kernel.h"

#include <math.h>
#include <string.h>

#define RESIDUAL   1e-12
#define POINTS_MAX 1000000
#define WORK_MAX   2e10 /* multiplications of a factor: some seconds */

static tacit_status count_points(tc_grid_gp *g, tacit_error *err)
{
    double points = 1;
    for (size_t d = 0; d < g->dim; d++)
        points *= (double)g->per_axis;
    if (g->per_axis < 2 || points > POINTS_MAX)
        return tc_fail(err, TACIT_E_ARG,
                       "grid is %zu per axis in %zu dimension%s; allowed are at least 2 per axis "
                       "and at most %d candidates",
                       g->per_axis, g->dim, g->dim == 1 ? "" : "s", POINTS_MAX);
    g->points = (size_t)points;
    return TACIT_OK;
}

/* Refuses what would take minutes, before it does. The rank is known only afterwards; for every
 * length-scale tried it lies below 2.6 / l + 20. */
static tacit_status check_work(const tc_grid_gp *g, double lengthscale, tacit_error *err)
{
    double n = (double)g->per_axis, rank = fmin(n, 2.6 / lengthscale + 20);
    if (n * rank * rank <= WORK_MAX)
        return TACIT_OK;
    return tc_fail(err, TACIT_E_ARG,
                   "grid is %zu per axis, which is too many for a length-scale of %g", g->per_axis,
                   lengthscale);
}

/* Column `rank` of the factor, for the pivot p: what k(p, .) has beyond the columns before it. */
static void next_column(tc_grid_gp *g, const tc_kernel *k, const double *axis, size_t p,
                        double *left)
{
    size_t n = g->per_axis;
    double *column = g->factor + g->rank * n, root = sqrt(left[p]);
    tc_kernel_row(k, axis + p, n, axis, n, column);
    for (size_t j = 0; j < g->rank; j++) {
        const double *before = g->factor + j * n;
        double at_pivot = before[p];
        for (size_t i = 0; i < n; i++)
            column[i] -= at_pivot * before[i];
    }
    for (size_t i = 0; i < n; i++) {
        column[i] /= root;
        left[i] -= column[i] * column[i];
    }
    left[p] = 0;
}

static size_t largest(size_t n, const double *x)
{
    size_t top = 0;
    for (size_t i = 1; i < n; i++)
        if (x[i] > x[top])
            top = i;
    return top;
}

static tacit_status factorise(tc_grid_gp *g, double lengthscale, double *axis, double *left,
                              tacit_error *err)
{
    size_t n = g->per_axis;
    tc_kernel k = {.kind = TC_KERNEL_SE, .dim = 1, .variance = 1, .scale = &lengthscale};
    for (size_t i = 0; i < n; i++) {
        axis[i] = (double)i / (double)(n - 1);
        left[i] = 1;
    }
    while (g->rank < n) {
        size_t p = largest(n, left);
        if (left[p] <= RESIDUAL)
            break;
        if (!tc_grow((void **)&g->factor, &g->capacity, (g->rank + 1) * n, sizeof(double)))
            return tc_fail_memory(err);
        next_column(g, &k, axis, p, left);
        g->rank++;
    }
    return TACIT_OK;
}

tacit_status tc_grid_gp_init(tc_grid_gp *g, size_t dim, size_t per_axis, double lengthscale,
                             tacit_error *err)
{
    *g = (tc_grid_gp){.dim = dim, .per_axis = per_axis};
    TC_TRY(count_points(g, err));
    TC_TRY(check_work(g, lengthscale, err));
    tc_arena scratch = {0};
    double *axis = TC_TAKE(&scratch, per_axis, double);
    double *left = TC_TAKE(&scratch, per_axis, double);
    tacit_status status =
        scratch.failed ? tc_fail_memory(err) : factorise(g, lengthscale, axis, left, err);
    tc_arena_fini(&scratch);
    if (status != TACIT_OK)
        tc_grid_gp_fini(g);
    return status;
}

void tc_grid_gp_fini(tc_grid_gp *g)
{
    tc_free(g->factor);
    *g = (tc_grid_gp){0};
}

/* to[a, i, c] = sum_j F[i, j] from[a, j, c], for the axis between `outer` and `inner` others. */
static void apply_axis(const tc_grid_gp *g, size_t outer, size_t inner, const double *from,
                       double *to)
{
    size_t n = g->per_axis, r = g->rank;
    memset(to, 0, outer * n * inner * sizeof *to);
    for (size_t a = 0; a < outer; a++)
        for (size_t j = 0; j < r; j++) {
            const double *row = from + (a * r + j) * inner, *column = g->factor + j * n;
            for (size_t i = 0; i < n; i++)
                for (size_t c = 0; c < inner; c++)
                    to[(a * n + i) * inner + c] += column[i] * row[c];
        }
}

static size_t power(size_t base, size_t exponent)
{
    size_t p = 1;
    while (exponent-- > 0)
        p *= base;
    return p;
}

void tc_grid_gp_draw(const tc_grid_gp *g, tc_stream *s, double *scratch, double *out)
{
    /* The axes alternate between the two arrays; the last one must write to `out`. */
    double *from = g->dim % 2 ? scratch : out, *to = g->dim % 2 ? out : scratch;
    tc_draw_normals(s, power(g->rank, g->dim), from);
    for (size_t d = 0; d < g->dim; d++) {
        apply_axis(g, power(g->per_axis, d), power(g->rank, g->dim - 1 - d), from, to);
        double *swap = from;
        from = to;
        to = swap;
    }
}
