/* family_gp.c - gp-family: agents whose objectives resemble each other.
 *
 * On an even grid of [0,1]^dim, with draws h of a Gaussian process (SE kernel, variance 1; exact:
 * grid_draw.c), agent n maximises
 *     g_n = h + heterogeneity x h_n                        (DP-FTS-DE, section 5.1)
 * or, with a distance d > 0 (FTS, section 5.1: every d_n is the same),
 *     g_0 = f = h scaled to [0,1],  g_n = f + d h_n / max |h_n|,
 * so that max |f - g_n| = d for every n > 0. Called by family.c alone. */
#include "objective/family_int.h"

#include "base/error.h"

#include <math.h>
#include <string.h>

#define POINTS      1000 /* about so many unless `grid` says how many per axis */
#define SHARED_STEP 1

static tacit_status check(const tc_family_opts *o, tacit_error *err)
{
    double length = o->objective.lengthscale;
    if (!(length > 0 && length <= 10))
        return tc_fail(err, TACIT_E_ARG, "lengthscale must be in (0, 10], not %g", length);
    if (!(o->heterogeneity >= 0) || !isfinite(o->heterogeneity))
        return tc_fail(err, TACIT_E_ARG, "heterogeneity must be a number >= 0, not %g",
                       o->heterogeneity);
    if (!(o->distance >= 0) || !isfinite(o->distance))
        return tc_fail(err, TACIT_E_ARG, "distance must be a number >= 0, not %g", o->distance);
    if (o->objective.shift != 0)
        return tc_fail(err, TACIT_E_ARG, "gp-family takes no shift: its candidates do not move");
    if (o->objective.dim < 0 || o->objective.dim > TC_OBJECTIVE_DIM || o->objective.grid < 0)
        return tc_fail(err, TACIT_E_ARG,
                       "gp-family takes a dim of 1 to %d and a grid of at least 2",
                       TC_OBJECTIVE_DIM);
    return TACIT_OK;
}

static tacit_status make_gp(tc_grid_gp *gp, const tc_objective_opts *o, tacit_error *err)
{
    size_t dim = o->dim ? (size_t)o->dim : 1, per_axis = (size_t)o->grid;
    if (per_axis == 0)
        per_axis = (size_t)fmax(2, round(pow(POINTS, 1.0 / (double)dim)));
    return tc_grid_gp_init(gp, dim, per_axis, o->lengthscale, err);
}

static tacit_status make_space(tc_family *f, const tc_grid_gp *gp, tacit_error *err)
{
    size_t axes[TC_OBJECTIVE_DIM];
    double low[TC_OBJECTIVE_DIM] = {0}, high[TC_OBJECTIVE_DIM];
    for (size_t d = 0; d < gp->dim; d++) {
        axes[d] = gp->per_axis;
        high[d] = 1;
    }
    tc_domain *grid = NULL;
    TC_TRY(tc_domain_grid(&grid, gp->dim, axes, low, high, err));
    return tc_space_from_domain(&f->space, grid, err);
}

static void scale_to_unit(size_t n, double *h)
{
    double low = tc_best_value(n, h, false), high = tc_best_value(n, h, true);
    for (size_t i = 0; i < n; i++)
        h[i] = (h[i] - low) / (high - low);
}

static double largest_magnitude(size_t n, const double *h)
{
    return fmax(tc_best_value(n, h, true), -tc_best_value(n, h, false));
}

/* Turns an agent's own draw into its objective, in place. */
static void add_shared(size_t n, const double *shared, const tc_family_opts *o, double *own)
{
    double most = o->distance > 0 ? largest_magnitude(n, own) : 1;
    double factor = o->distance > 0 ? o->distance : o->heterogeneity;
    for (size_t i = 0; i < n; i++) /* divided first: 1 at the largest, so the distance is exact */
        own[i] = shared[i] + factor * (own[i] / most);
}

static void draw_agents(const tc_family *f, const tc_grid_gp *gp, const tc_family_opts *o,
                        const tc_public_seed *seed, double *shared, double *scratch, double *values)
{
    size_t n = gp->points;
    tc_stream s;
    tc_stream_public(&s, seed, TC_FOR_OBJECTIVE, SHARED_STEP);
    tc_grid_gp_draw(gp, &s, scratch, shared);
    if (o->distance > 0)
        scale_to_unit(n, shared);
    for (size_t agent = 0; agent < f->agents; agent++) {
        double *own = values + agent * n;
        if (o->distance > 0 && agent == 0) {
            memcpy(own, shared, n * sizeof *own);
            continue;
        }
        tc_stream_public(&s, seed, TC_FOR_OBJECTIVE, TC_FAMILY_STEP(agent));
        tc_grid_gp_draw(gp, &s, scratch, own);
        add_shared(n, shared, o, own);
    }
}

static tacit_status fill(tc_family *f, const tc_grid_gp *gp, const tc_family_opts *o,
                         const tc_public_seed *seed, tacit_error *err)
{
    if (f->agents > TC_FAMILY_CELLS / gp->points)
        return tc_fail(err, TACIT_E_ARG,
                       "%zu agents with %zu candidates each are too many; allowed are %zu values",
                       f->agents, gp->points, TC_FAMILY_CELLS);
    TC_TRY(make_space(f, gp, err));
    double *values = TC_TAKE(&f->memory, f->agents * gp->points, double);
    tc_arena scratch = {0};
    double *shared = TC_TAKE(&scratch, gp->points, double);
    double *room = TC_TAKE(&scratch, gp->points, double);
    bool enough = values && !scratch.failed;
    if (enough)
        draw_agents(f, gp, o, seed, shared, room, values);
    tc_arena_fini(&scratch);
    if (!enough)
        return tc_fail_memory(err);
    f->values = values;
    f->own = 1;
    f->maximize = true;
    return tc_family_find_optima(f, f->agents, err);
}

tacit_status tc_family_gp(tc_family *f, const tc_family_opts *o, const tc_public_seed *seed,
                          tacit_error *err)
{
    tc_grid_gp gp;
    TC_TRY(check(o, err));
    TC_TRY(make_gp(&gp, &o->objective, err));
    tacit_status status = fill(f, &gp, o, seed, err);
    tc_grid_gp_fini(&gp);
    return status;
}
