/* rows.c - a data set, row by row, with noise (mechanism.h).
 *
 * The order of the rows may encode their values, so it is drawn anew from the same secret
 * entropy. Clamping to a box is a projection onto a convex set: two rows come nearer in every
 * norm used here. All noise is drawn before the first value is read. Of discrete noise beside the
 * continuous event, Laplace needs no slack (mechanism.c), Gaussian has its `distance`. */
#include "privacy/accountant.h"
#include "privacy/mechanism_int.h"
#include "privacy/release_int.h"
#include "privacy/sampler.h"

#include "base/error.h"
#include "base/text.h"

#include <math.h>

enum { MAX_VALUES = 1 << 28, MAX_EPSILON = 1024, SD_BITS = 22 };

static tacit_status check(const tc_rows_plan *p, tacit_error *err)
{
    if (p->rows == 0 || p->dims == 0 || p->rows > MAX_VALUES / p->dims)
        return tc_fail(err, TACIT_E_ARG, "a data set has 1 to 2^28 values, got %zu rows of %zu",
                       p->rows, p->dims);
    TC_TRY(tc_bounds_check(p->bounds, p->dims, err));
    TC_TRY(tc_epsilon_check(p->epsilon, MAX_EPSILON, err));
    if (!(p->radius > 0 && isfinite(p->radius)))
        return tc_fail(err, TACIT_E_ARG, "the radius must be > 0, got %g", p->radius);
    if (!(p->delta >= 0 && p->delta < 1))
        return tc_fail_range(err, "delta", "[0, 1)", p->delta);
    return TACIT_OK;
}

static tacit_status laplace_noise(const tc_rows_plan *p, tc_rows_noise *out, tacit_error *err)
{
    double l1 = sqrt((double)p->dims) * p->radius * TC_ROUND_UP;
    tc_laplace_grid g;
    TC_TRY(
        tc_laplace_grid_for(l1, p->dims, p->epsilon, tc_bounds_reach(p->bounds, p->dims), &g, err));
    *out = (tc_rows_noise){.mechanism = "laplace-rows",
                           .grid = g.grid,
                           .scale = g.scale,
                           .sensitivity = l1,
                           .sd = sqrt(2) * ldexp((double)g.scale, -g.grid),
                           .event = tc_release_event(TACIT_DP_LAPLACE, p->epsilon)};
    return TACIT_OK;
}

/* Total variation of one row's noise from a rounded Gaussian of s steps. */
static double row_distance(const tc_rows_plan *p, double s)
{
    return (double)p->dims * TC_RELEASE_DISTANCE / (s * s) * TC_ROUND_UP;
}

/* The part of delta that is left for the continuous mechanism; s will be at least 2^22. */
static tacit_status spare_delta(const tc_rows_plan *p, double *out, tacit_error *err)
{
    double slack = (1 + exp(p->epsilon)) * row_distance(p, ldexp(1, SD_BITS)) * TC_ROUND_UP;
    if (!(slack < 0.5))
        return tc_fail(err, TACIT_E_ARG,
                       "Gaussian noise cannot have an epsilon of %g, whatever the delta; Laplace "
                       "noise can",
                       p->epsilon);
    if (!(slack <= p->delta / 2))
        return tc_fail(err, TACIT_E_ARG,
                       "Gaussian noise for epsilon %g needs a delta of at least %.2g, got %g; "
                       "Laplace noise needs none",
                       p->epsilon, 2 * slack, p->delta);
    *out = p->delta - slack;
    return TACIT_OK;
}

static tacit_status gaussian_noise(const tc_rows_plan *p, tc_rows_noise *out, tacit_error *err)
{
    double delta = 0, sigma = 0;
    TC_TRY(spare_delta(p, &delta, err));
    TC_TRY(tc_analytic_gaussian(p->epsilon, delta, &sigma, err));
    int grid = 0;
    TC_TRY(tc_grid_choose(sigma * p->radius, SD_BITS, tc_bounds_reach(p->bounds, p->dims), &grid,
                          err));
    double l2 = ceil((ldexp(p->radius, grid) + sqrt((double)p->dims)) * TC_ROUND_UP);
    double s = ceil(sigma * l2 * TC_ROUND_UP);
    if (!(s >= ldexp(1, SD_BITS) && s < (double)TC_SD_HIGH))
        return tc_fail(err, TACIT_E_ARG, "%zu columns are too many for Gaussian noise", p->dims);
    *out = (tc_rows_noise){.gaussian = true,
                           .mechanism = "gaussian-rows",
                           .grid = grid,
                           .scale = (uint64_t)s,
                           .sensitivity = p->radius,
                           .sd = ldexp(s, -grid),
                           .distance = row_distance(p, s),
                           .event = tc_release_event(TACIT_DP_GAUSSIAN, sigma)};
    return TACIT_OK;
}

tacit_status tc_rows_plan_noise(const tc_rows_plan *p, tc_rows_noise *out, tacit_error *err)
{
    TC_TRY(check(p, err));
    if (p->noise == TACIT_ROWS_GAUSSIAN)
        return gaussian_noise(p, out, err);
    tc_rows_noise gaussian = {0};
    TC_TRY(laplace_noise(p, out, err));
    if (p->noise == TACIT_ROWS_AUTO && p->delta > 0 &&
        gaussian_noise(p, &gaussian, NULL) == TACIT_OK && gaussian.sd < out->sd)
        *out = gaussian;
    return TACIT_OK;
}

static void draw(const tc_rows_noise *n, size_t count, int64_t *out, tc_entropy *e)
{
    for (size_t i = 0; i < count; i++)
        out[i] = n->gaussian ? tc_sample_gaussian(e, n->scale) : tc_sample_laplace(e, n->scale);
}

/* Fisher and Yates, growing the permutation from nothing. */
static void draw_order(size_t n, size_t *order, tc_entropy *e)
{
    for (size_t i = 0; i < n; i++) {
        size_t j = (size_t)tc_sample_below(e, i + 1);
        order[i] = i;
        order[i] = order[j];
        order[j] = i;
    }
}

static void add_rows(const tc_rows_plan *p, const double *x, const size_t *order, int grid,
                     int64_t *noise)
{
    for (size_t i = 0; i < p->rows; i++) {
        const double *row = x + order[i] * p->dims;
        for (size_t k = 0; k < p->dims; k++) {
            double value = tc_bounds_clamp(row[k], p->bounds.low[k], p->bounds.high[k]);
            noise[i * p->dims + k] += tc_grid_nearest(value, grid);
        }
    }
}

/* The distance as it was given: to the last digit, since a larger one would not be protected.
 *
 * Two releases whose sentences differ protect against different moves: a row that moves by 1 in the
 * units of one may move by 10 in those of the other, whose epsilon is then 10 times what it says. Their
 * epsilons e1 and e2 add up for pairs of data sets that are neighbours in both senses: for such a pair
 * the first release has a likelihood ratio within e^e1, the second, whatever the first showed, within
 * e^e2, and both together within e^(e1 + e2); of no other pair is e1 + e2 true. A statement over a ledger
 * (ledger_statement.c) therefore lists every sentence that differs and promises for neighbours in all of
 * these senses at once. So the sentence must tell any two metrics apart: it has the units. */
static const char *adjacency_of(tc_release *r, const tc_rows_plan *p)
{
    char number[32];
    tc_text text = {0};
    tc_double_text(number, p->moved > 0 ? p->moved : p->radius);
    tc_text_addf(&text,
                 "one row moves by at most %s in L2 norm%s%s; the number of rows and the bounds "
                 "are public",
                 number, p->metric ? ", " : "", p->metric ? p->metric : "");
    const char *sentence = text.failed ? NULL : tc_arena_strdup(&r->memory, tc_text_get(&text));
    tc_text_fini(&text);
    return sentence;
}

tacit_status tc_rows_release(tc_release **out, size_t *order, const tc_rows_plan *p,
                             const double *x, tc_entropy *e, tacit_error *err)
{
    tc_rows_noise noise = {0};
    TC_TRY(tc_rows_plan_noise(p, &noise, err));
    tc_release *r;
    TC_TRY(tc_release_new(&r, p->rows, p->dims, e, err));
    r->view.adjacency = adjacency_of(r, p);
    if (!r->view.adjacency) {
        tc_release_free(r);
        return tc_fail_memory(err);
    }
    tc_entropy_fresh(e);
    draw(&noise, p->rows * p->dims, r->steps, e);
    draw_order(p->rows, order, e);
    tc_entropy_fresh(e);
    add_rows(p, x, order, noise.grid, r->steps);
    r->view.mechanism = noise.mechanism;
    r->view.step = ldexp(1, -noise.grid);
    r->view.event = noise.event;
    r->view.unit = TACIT_UNIT_ROW;
    r->view.single = p->rows == 1;
    r->view.sensitivity = noise.sensitivity;
    r->view.noise_sd = noise.sd;
    r->view.distance = noise.distance;
    *out = r;
    return TACIT_OK;
}
