/* laplace_vector.c - a vector within public bounds, with discrete Laplace noise (mechanism.h). */
#include "privacy/mechanism_int.h"
#include "privacy/release_int.h"
#include "privacy/sampler.h"

#include "base/error.h"

#include <math.h>

enum { MAX_COUNT = 1 << 24, MAX_EPSILON = 1024 };

static tacit_status check(const tc_laplace_plan *p, tacit_error *err)
{
    if (p->count == 0 || p->count > MAX_COUNT)
        return tc_fail(err, TACIT_E_ARG, "a vector has 1 to %d coordinates, got %zu", MAX_COUNT,
                       p->count);
    TC_TRY(tc_bounds_check(p->bounds, p->count, err));
    TC_TRY(tc_epsilon_check(p->epsilon, MAX_EPSILON, err));
    if (!(p->sensitivity >= 0 && isfinite(p->sensitivity)))
        return tc_fail(err, TACIT_E_ARG,
                       "sensitivity must be > 0, or 0 for the width of the bounds, got %g",
                       p->sensitivity);
    return TACIT_OK;
}

/* No two clamped vectors are farther apart than the widths, so a larger promise is cut to that. */
static double l1_of(const tc_laplace_plan *p)
{
    double widths = 0;
    for (size_t i = 0; i < p->count; i++)
        widths += p->bounds.high[i] - p->bounds.low[i];
    widths *= 1 + 0x1p-52 * (double)(p->count + 8); /* each of the additions may have lost a unit */
    return p->sensitivity > 0 ? fmin(p->sensitivity, widths) : widths;
}

static void add_values(const tc_laplace_plan *p, const double *x, int grid, int64_t *noise)
{
    for (size_t i = 0; i < p->count; i++) {
        double value = tc_bounds_clamp(x[i], p->bounds.low[i], p->bounds.high[i]);
        noise[i] += tc_grid_nearest(value, grid);
    }
}

tacit_status tc_laplace_release(tc_release **out, const tc_laplace_plan *p, const double *x,
                                tc_entropy *e, tacit_error *err)
{
    TC_TRY(check(p, err));
    double l1 = l1_of(p);
    tc_laplace_grid g;
    TC_TRY(tc_laplace_grid_for(l1, p->count, p->epsilon, tc_bounds_reach(p->bounds, p->count), &g,
                               err));
    tc_release *r;
    TC_TRY(tc_release_new(&r, 1, p->count, e, err));
    for (size_t i = 0; i < p->count; i++)
        r->steps[i] = tc_sample_laplace(e, g.scale);
    add_values(p, x, g.grid, r->steps);
    r->view.mechanism = "laplace-vector";
    r->view.step = ldexp(1, -g.grid);
    r->view.event = tc_release_event(TC_DP_LAPLACE, p->epsilon);
    r->view.unit = p->unit;
    r->view.adjacency = "two data sets whose vectors, clamped to the public bounds, differ by at "
                        "most the sensitivity in L1 norm";
    r->view.sensitivity = l1;
    r->view.noise_sd = sqrt(2) * ldexp((double)g.scale, -g.grid);
    *out = r;
    return TACIT_OK;
}
