/* laplace_vector.c - a vector within public bounds, with discrete Laplace noise (mechanism.h).
 *
 * The event is that of continuous noise; the scale is such that discrete noise is no worse, with
 * nothing added to delta (proof in mechanism.c). */
#include "privacy/mechanism_int.h"
#include "privacy/release_int.h"
#include "privacy/sampler.h"

#include "base/error.h"
#include "base/text.h"

#include <math.h>
#include <stdio.h>

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

/* No two clamped vectors are farther apart than this. */
static double widths_of(const tc_laplace_plan *p)
{
    double widths = 0;
    for (size_t i = 0; i < p->count; i++)
        widths += p->bounds.high[i] - p->bounds.low[i];
    return widths * (1 + 0x1p-52 * (double)(p->count + 8)); /* each addition may have lost a unit */
}

/* A sensitivity as it was given: to the last digit, since a larger one would not be protected. Of
 * any two vectors all are, and six digits say how far apart they can be. */
static const char *adjacency_of(tc_release *r, double l1, bool any_two)
{
    char number[32], text[192];
    tc_double_text(number, l1);
    if (any_two)
        snprintf(text, sizeof text,
                 "any two data sets; their vectors, clamped to the public bounds, are at most "
                 "about %.6g apart in L1 norm",
                 l1);
    else
        snprintf(text, sizeof text,
                 "two data sets whose vectors, clamped to the public bounds, differ by at most %s "
                 "in L1 norm",
                 number);
    return tc_arena_strdup(&r->memory, text);
}

static void add_values(const tc_laplace_plan *p, const double *x, int grid, int64_t *noise)
{
    for (size_t i = 0; i < p->count; i++) {
        double value = tc_bounds_clamp(x[i], p->bounds.low[i], p->bounds.high[i]);
        noise[i] += tc_grid_nearest(value, grid);
    }
}

static bool are_any_two(const tc_laplace_plan *p)
{
    return p->sensitivity == 0 || p->sensitivity >= widths_of(p);
}

tacit_status tc_laplace_plan_noise(const tc_laplace_plan *p, tc_laplace_noise *out,
                                   tacit_error *err)
{
    tc_laplace_grid g;
    TC_TRY(check(p, err));
    double l1 = are_any_two(p) ? widths_of(p) : p->sensitivity;
    TC_TRY(tc_laplace_grid_for(l1, p->count, p->epsilon, tc_bounds_reach(p->bounds, p->count), &g,
                               err));
    *out = (tc_laplace_noise){.grid = g.grid,
                              .scale = g.scale,
                              .sensitivity = l1,
                              .event = tc_release_event(TACIT_DP_LAPLACE, p->epsilon),
                              .noise_sd = sqrt(2) * ldexp((double)g.scale, -g.grid)};
    return TACIT_OK;
}

tacit_status tc_laplace_release(tc_release **out, const tc_laplace_plan *p, const double *x,
                                tc_entropy *e, tacit_error *err)
{
    tc_laplace_noise noise;
    tc_release *r;
    TC_TRY(tc_laplace_plan_noise(p, &noise, err));
    TC_TRY(tc_release_new(&r, 1, p->count, e, err));
    r->view.adjacency = adjacency_of(r, noise.sensitivity, are_any_two(p));
    if (!r->view.adjacency) {
        tc_release_free(r);
        return tc_fail_memory(err);
    }
    tc_entropy_fresh(e);
    for (size_t i = 0; i < p->count; i++)
        r->steps[i] = tc_sample_laplace(e, noise.scale);
    tc_entropy_fresh(e);
    add_values(p, x, noise.grid, r->steps);
    r->view.mechanism = "laplace-vector";
    r->view.step = ldexp(1, -noise.grid);
    r->view.event = noise.event;
    r->view.unit = p->unit;
    r->view.single = p->single;
    r->view.sensitivity = noise.sensitivity;
    r->view.noise_sd = noise.noise_sd;
    *out = r;
    return TACIT_OK;
}
