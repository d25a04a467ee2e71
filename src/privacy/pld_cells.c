/* pld_cells.c - how much probability one application of an event puts into each half cell.
 *
 * Both bounds are made of two numbers for each half cell: P, and P - exp(l) Q with l its own grid
 * point. The second is the integral of P(u) (1 - exp(l - loss(u))), one sign throughout, so nothing
 * cancels however fine the grid is. Gauss-Legendre on panels: a half cell is cut until the
 * integrand, a sum of three Gaussians or exponentials, changes by less than a factor exp(1/2)
 * across a panel, where five points leave a relative error below 1e-14; three points do below
 * 1/64. Called by pld.c. */
#include "privacy/pld_int.h"

#include "base/error.h"

#include <math.h>

#define MOST_PANELS 2e6
#define GENTLE      12.0
#define SLACK       1e-9
#define FEW_POINTS  0x1p-6

typedef struct rule {
    unsigned points;
    double node[5], weight[5]; /* on (-1/2, 1/2), of total weight 1 */
} rule;

static const rule THREE = {
    3,
    {-0.38729833462074168852, 0, 0.38729833462074168852},
    {0.27777777777777777778, 0.44444444444444444444, 0.27777777777777777778}};
static const rule FIVE = {5,
                          {-0.45308992296933199640, -0.26923465505284154552, 0,
                           0.26923465505284154552, 0.45308992296933199640},
                          {0.11846344252809454376, 0.23931433524968323402, 0.28444444444444444444,
                           0.23931433524968323402, 0.11846344252809454376}};

typedef struct amount {
    double mass, excess;
} amount;

static void add_point(amount *a, double mass, double above)
{
    a->mass += mass;
    a->excess -= mass * expm1(-above);
}

/* One outcome of weight du. */
static void add_outcome(amount *a, const tc_pld_source *s, double u, double du, double at)
{
    double loss, density = tc_pld_density(s, u, &loss);
    add_point(a, density * du, loss - at);
}

/* The same for moderate losses, with half the transcendental functions: P = Q0 (1 + x) and
 * P - exp(l) Q = Q0 (x - (exp(l) - 1)), x = q (exp(a) - 1). */
static void add_gentle_outcome(amount *a, const tc_pld_source *s, double u, double du, double rise)
{
    tc_pld_base b = tc_pld_base_at(s, u);
    double x = s->q * expm1(b.loss), density = exp(b.log_q) * du;
    a->mass += density * (1 + x);
    a->excess += density * (x - rise);
}

/* Outcomes from low to high, the excess relative to the loss `at`. */
static void add_outcomes(amount *a, const tc_pld_source *s, double low, double high, double at)
{
    double width = high - low;
    if (!(width > 0))
        return;
    double cuts = ceil(2 * width * s->steep), step = width / cuts;
    const rule *r = width * s->steep <= FEW_POINTS ? &THREE : &FIVE;
    bool gentle = s->most < GENTLE && s->least > -GENTLE;
    double rise = gentle ? expm1(at) : 0;
    for (double k = 0; k < cuts; k++) {
        double middle = low + (k + 0.5) * step;
        for (unsigned i = 0; i < r->points; i++) {
            double u = middle + step * r->node[i], du = step * r->weight[i];
            if (gentle)
                add_gentle_outcome(a, s, u, du, rise);
            else
                add_outcome(a, s, u, du, at);
        }
    }
}

static amount between(const tc_pld_source *s, double low_u, double high_u, double at)
{
    amount a = {0, 0};
    for (unsigned k = 0; k < s->ranges; k++)
        add_outcomes(&a, s, fmax(low_u, s->low[k]), fmin(high_u, s->high[k]), at);
    return a;
}

static double outcome_of_loss(const tc_pld_source *s, double loss)
{
    double a = tc_pld_base_loss(s->q, loss);
    return s->mechanism == TACIT_DP_GAUSSIAN ? a / s->shift + 0.5 * s->shift : a;
}

/* The losses near the peak as one: ln P/Q of the block of width h around `at`. */
static double merged_loss(const tc_pld_source *s, double at, double h)
{
    amount a = between(s, outcome_of_loss(s, at - 0.5 * h), outcome_of_loss(s, at + 0.5 * h), at);
    for (unsigned k = 0; k < s->atoms; k++)
        if (fabs(s->atom_loss[k] - at) <= 0.5 * h)
            add_point(&a, s->atom_mass[k], s->atom_loss[k] - at);
    return a.mass > 0 ? at - log1p(-a.excess / a.mass) : at;
}

/* Where the mass is crowded into less than a cell, a grid point belongs exactly there: the lower
 * bound could only round it down, by up to h in every application. */
static double aligned_offset(const tc_pld_source *s, double h)
{
    double at = s->peak;
    if (s->ranges > 0)
        for (int turn = 0; turn < 4; turn++)
            at = merged_loss(s, at, h);
    return at;
}

static tacit_status lay_out(tc_pld_cells *c, const tc_pld_source *s, double h, tc_arena *arena,
                            tacit_error *err)
{
    c->h = h;
    c->offset = aligned_offset(s, h);
    double first = floor((s->least - c->offset) / h) - 1,
           last = ceil((s->most - c->offset) / h) + 1;
    c->first = (int64_t)first;
    c->n = (size_t)(last - first);
    c->mass = TC_TAKE(arena, 2 * c->n, double);
    c->excess = TC_TAKE(arena, 2 * c->n, double);
    return arena->failed ? tc_fail_memory(err) : TACIT_OK;
}

/* The grid point that half cell k touches. */
static double own_point(const tc_pld_cells *c, size_t k)
{
    return c->offset + (double)(c->first + (int64_t)((k + 1) / 2)) * c->h;
}

static void add_atom(tc_pld_cells *c, double loss, double mass)
{
    double where = 2 * ((loss - c->offset) / c->h - (double)c->first);
    size_t k = (size_t)fmin(fmax(floor(where), 0), (double)(2 * c->n - 1));
    amount a = {0, 0};
    add_point(&a, mass, loss - own_point(c, k));
    c->mass[k] += a.mass;
    c->excess[k] += a.excess;
}

/* The half cells between all edges. */
static void add_ranges(tc_pld_cells *c, const tc_pld_source *s)
{
    double low = -INFINITY;
    for (size_t k = 0; k < 2 * c->n && s->ranges > 0; k++) {
        double edge = c->offset + 0.5 * (double)(2 * c->first + (int64_t)k + 1) * c->h;
        double high = k + 1 < 2 * c->n ? outcome_of_loss(s, edge) : INFINITY;
        amount a = between(s, low, high, own_point(c, k));
        c->mass[k] = a.mass;
        c->excess[k] = a.excess;
        low = high;
    }
}

tacit_status tc_pld_cells_fill(tc_pld_cells *c, const tc_pld_source *s, double h, tc_arena *arena,
                               tacit_error *err)
{
    double panels = 0;
    for (unsigned k = 0; k < s->ranges; k++)
        panels += 2 * (s->high[k] - s->low[k]) * s->steep;
    if (panels > MOST_PANELS)
        return tc_fail(err, TACIT_E_NUMERIC,
                       "a privacy loss needs %g panels of quadrature, over %g", panels,
                       MOST_PANELS);
    TC_TRY(lay_out(c, s, h, arena, err));
    add_ranges(c, s);
    for (unsigned k = 0; k < s->atoms; k++)
        add_atom(c, s->atom_loss[k], s->atom_mass[k]);
    /* P and Q are probabilities: a defect above must not become a guarantee. (Q is used only by the
     * other direction, where that is another one.) */
    double p = 0, q = 0;
    for (size_t k = 0; k < 2 * c->n; k++) {
        p += c->mass[k];
        if (c->mass[k] > 0 && !s->symmetric)
            q += exp(-own_point(c, k)) * (c->mass[k] - c->excess[k]);
    }
    if (p >= 1 - s->lost - SLACK && p <= 1 + SLACK && q <= 1 + SLACK)
        return TACIT_OK;
    return tc_fail(err, TACIT_E_NUMERIC, "the probabilities of a privacy loss add up to %.17g", p);
}

/* Q = exp(-l) (P - excess), and Q - exp(-l) P = -exp(-l) excess. */
tacit_status tc_pld_cells_swap(tc_pld_cells *out, const tc_pld_cells *c, tc_arena *arena,
                               tacit_error *err)
{
    *out = *c;
    out->offset = -c->offset;
    out->first = -(c->first + (int64_t)c->n);
    out->mass = TC_TAKE(arena, 2 * c->n, double);
    out->excess = TC_TAKE(arena, 2 * c->n, double);
    if (arena->failed)
        return tc_fail_memory(err);
    for (size_t k = 0; k < 2 * c->n; k++) {
        double scale = exp(-own_point(c, k));
        size_t mirror = 2 * c->n - 1 - k;
        out->mass[mirror] = scale * (c->mass[k] - c->excess[k]);
        out->excess[mirror] = -scale * c->excess[k];
    }
    return TACIT_OK;
}
