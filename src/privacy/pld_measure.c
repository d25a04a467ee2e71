/* pld_measure.c - two measures on the grid, one whose curve is nowhere below that of the event and
 * one whose curve is nowhere above; pld_int.h says what a curve is and why that is enough.
 *
 * Above ("connect the dots", Doroshenko et al. 2022): the mass of a cell goes to its two ends so
 * that P and Q of the cell stay the same. A convex curve is thereby replaced by its chord.
 *
 * Below, in four steps, none of which lifts the curve anywhere:
 *  1. The block around a grid point, half a cell to either side, becomes one atom of the same P
 *     and Q (a sum of hinges is at least the hinge of the sum).
 *  2. An atom beside its grid point i is written on i and the neighbour on the *other* side, again
 *     with the same P and Q. That is extrapolation: mass over 100 % on i, a debt on the
 *     neighbour. Up to the nearer of the two points the hinge is unchanged; after it the line runs
 *     below. (Loss above l_i, neighbour i-1: from the value at i-1 straight to 0 at i. Loss below
 *     l_i, neighbour i+1: under 0 between i and i+1.)
 *  3. At a steep end there is no mass to bear the debt. So an atom just below l_i, with too little
 *     above it, is written as one above l_{i-1}, or rounded down to it with its P; and one just
 *     above l_i, with too little below it, as one below l_{i+1}.
 *  4. A debt that the mass of its own point does not cover is split between the nearest points
 *     left and right, with the same P and Q (a negative hinge replaced by its chord), until none
 *     is left. Left of all mass there is the point "loss minus infinity", which carries no P.
 * Step 3 keeps the curve nonnegative at every grid point, so no debt is left at the right end.
 * The grid of the measure below is shifted so that the heaviest block falls on a point exactly.
 * For a smooth density both measures are off by O(h^2) in variance and exact in E[exp(-loss)];
 * rounding alone would be off by O(h) in the mean, in each application.
 *
 * Called by pld.c. */
#include "privacy/pld_int.h"

#include "base/error.h"

#include <math.h>
#include <string.h>

#define COARSEST 4.0    /* steps above have no measure below: exp(h) would eat the digits */
#define SMALLEST 1e-280 /* masses below are left out, so that nothing gets subnormal */

static tacit_status take_points(tc_pld_measure *m, const tc_pld_cells *c, size_t n, int64_t first,
                                tc_arena *arena, tacit_error *err)
{
    *m = (tc_pld_measure){.h = c->h, .offset = c->offset, .first = first, .n = n};
    m->p = TC_TAKE(arena, n, double);
    return arena->failed ? tc_fail_memory(err) : TACIT_OK;
}

/* Cuts off empty ends. */
static void trim(tc_pld_measure *m)
{
    for (size_t i = 0; i < m->n; i++)
        if (!(m->p[i] > SMALLEST))
            m->p[i] = 0;
    while (m->n > 0 && m->p[m->n - 1] == 0)
        m->n--;
    while (m->n > 0 && m->p[0] == 0) {
        m->n--;
        m->p++;
        m->first++;
    }
}

tacit_status tc_pld_above(tc_pld_measure *m, const tc_pld_cells *c, tc_arena *arena,
                          tacit_error *err)
{
    TC_TRY(take_points(m, c, c->n + 1, c->first, arena, err));
    double gap = -expm1(-c->h); /* 1 - exp(-h) */
    for (size_t i = 0; i < c->n; i++) {
        double low = c->mass[2 * i], high = c->mass[2 * i + 1];
        double excess = c->excess[2 * i] + (gap * high + (1 - gap) * c->excess[2 * i + 1]);
        double up = fmin(fmax(excess / gap, 0), low + high);
        m->p[i] += low + high - up;
        m->p[i + 1] += up;
    }
    trim(m);
    return TACIT_OK;
}

/* An atom beside a point: its P, and P - exp(l) Q with l the loss of the point. */
typedef struct atom {
    double mass, excess;
} atom;

/* What belongs to point i, which is grid point first - 1 + i of the cells. */
typedef struct point {
    atom block;   /* merged around it */
    atom lowered; /* from the next point: excess >= 0 */
    atom raised;  /* from the one before: excess <= 0 */
    double under; /* exp(l) Q - P of all blocks below */
    double over;  /* the curve there of all that is above */
} point;

typedef struct points {
    point *at;
    size_t n;
    double grow, fall; /* exp(h) - 1, 1 - exp(-h) */
} points;

/* The same atom seen from the next point, and from the one before. */
static atom from_next(const points *s, atom a)
{
    return (atom){a.mass, fmin(0, (1 + s->grow) * a.excess - s->grow * a.mass)};
}

static atom from_previous(const points *s, atom a)
{
    return (atom){a.mass, fmax(0, (1 - s->fall) * a.excess + s->fall * a.mass)};
}

/* Step 1. */
static void merge(points *s, const tc_pld_cells *c)
{
    for (size_t k = 0; k < 2 * c->n; k++) {
        atom *b = &s->at[(k + 1) / 2 + 1].block;
        b->mass += c->mass[k];
        b->excess += c->excess[k];
    }
}

/* Moves the grid by the answer, so that the heaviest block has no excess. What cannot be told from
 * 0 is 0; pld_epsilon.c counts it as an error. */
static double align(points *s, const tc_pld_measure *m)
{
    atom *heaviest = &s->at[0].block;
    for (size_t i = 1; i < s->n; i++)
        if (s->at[i].block.mass > heaviest->mass)
            heaviest = &s->at[i].block;
    double ratio = heaviest->mass > 0 ? heaviest->excess / heaviest->mass : 0;
    for (size_t i = 0; i < s->n; i++) {
        atom *b = &s->at[i].block;
        b->excess = (b->excess - ratio * b->mass) / (1 - ratio);
        if (fabs(b->excess) <= 16 * TC_PLD_ULP * (fabs(tc_pld_loss(m, i)) + m->h) * b->mass)
            b->excess = 0;
    }
    return -log1p(-ratio);
}

static void look_down(points *s)
{
    double under = 0, weight = 0; /* exp(l) Q of all below */
    for (size_t i = 0; i < s->n; i++) {
        atom b = s->at[i].block;
        s->at[i].under = under;
        weight += b.mass - b.excess;
        under += weight * s->grow - b.excess;
        weight *= 1 + s->grow;
    }
}

/* Step 3 from the top. */
static void lower_the_uncovered(points *s)
{
    double weight = 0, over = 0;
    for (size_t i = s->n - 1; i > 0; i--) {
        point *p = &s->at[i], *before = p - 1;
        if (over + p->block.excess < 0) {
            before->lowered = from_previous(s, p->block);
            if (before->under < before->lowered.excess + fmax(before->block.excess, 0))
                before->lowered.excess = 0;
            p->block = (atom){0, 0};
        }
        p->over = over;
        double excess = p->block.excess + p->lowered.excess;
        weight += p->block.mass + p->lowered.mass - excess;
        over += excess + weight * s->fall;
        weight *= 1 - s->fall;
    }
    s->at[0].over = over;
}

/* Step 3 from the bottom. */
static void raise_the_uncovered(points *s)
{
    double weight = 0, under = 0;
    for (size_t i = 0; i + 2 < s->n; i++) {
        point *p = &s->at[i], *next = p + 1;
        atom up = from_next(s, p->block);
        if (under < p->block.excess && next->over + fmin(next->block.excess, 0) + up.excess > 0) {
            next->raised = up;
            p->block = (atom){0, 0};
        }
        double excess = p->block.excess + p->lowered.excess + p->raised.excess;
        weight += p->block.mass + p->lowered.mass + p->raised.mass - excess;
        under += weight * s->grow - excess;
        weight *= 1 + s->grow;
    }
}

/* Step 2. */
static void extrapolate(double *p, const points *s, size_t i, atom a)
{
    p[i] += a.mass;
    if (a.excess > 0 && i > 0) {
        p[i] += a.excess / s->grow;
        p[i - 1] -= a.excess / s->grow;
    } else if (a.excess < 0 && i + 1 < s->n) {
        p[i] -= a.excess / s->fall;
        p[i + 1] += a.excess / s->fall;
    }
}

/* Splits the debt at `middle` between left (if any) and right. */
static void pass_on(double *p, double h, size_t left, bool has_left, size_t middle, size_t right)
{
    double share = 1;
    if (has_left)
        share = expm1(-(double)(middle - left) * h) / expm1(-(double)(right - left) * h);
    p[right] += share * p[middle];
    if (has_left)
        p[left] += (1 - share) * p[middle];
    p[middle] = 0;
}

/* Step 4: `kept` is the stack of points left of i that still carry something. What round-off may
 * leave as a debt at the right end is forgiven, as pld_epsilon.c counts it; more cannot be, and
 * would empty the measure, which is a lower bound still. */
static void spread_debts(tc_pld_measure *m, size_t *kept)
{
    size_t top = 0;
    double *p = m->p;
    for (size_t i = 0; i < m->n; i++) {
        if (p[i] == 0)
            continue;
        while (top > 0 && p[kept[top - 1]] < 0) {
            top--;
            pass_on(p, m->h, top > 0 ? kept[top - 1] : 0, top > 0, kept[top], i);
        }
        kept[top++] = i;
    }
    double debt = top > 0 ? fmax(-p[kept[top - 1]], 0) : 0;
    double beside = top > 1 ? p[kept[top - 2]] : 0,
           size = top > 0 ? fabs(tc_pld_loss(m, kept[top - 1])) : 0;
    if (debt > 16 * TC_PLD_ULP * (size / fmin(m->h, 1) + 1) * beside)
        memset(p, 0, m->n * sizeof *p);
}

/* Steps 1 to 3. */
static void place_atoms(points *s, tc_pld_measure *m, const tc_pld_cells *c)
{
    merge(s, c);
    m->offset += align(s, m);
    look_down(s);
    lower_the_uncovered(s);
    raise_the_uncovered(s);
    for (size_t i = 0; i < s->n; i++) {
        extrapolate(m->p, s, i, s->at[i].block);
        extrapolate(m->p, s, i, s->at[i].lowered);
        extrapolate(m->p, s, i, s->at[i].raised);
    }
}

tacit_status tc_pld_below(tc_pld_measure *m, const tc_pld_cells *c, tc_arena *arena,
                          tacit_error *err)
{
    points s = {.n = c->n + 2, .grow = expm1(c->h), .fall = -expm1(-c->h)};
    TC_TRY(take_points(m, c, s.n, c->first - 1, arena, err));
    if (c->h > COARSEST) {
        m->n = 0;
        return TACIT_OK;
    }
    tc_arena scratch = {0};
    s.at = TC_TAKE(&scratch, s.n, point);
    size_t *kept = TC_TAKE(&scratch, s.n, size_t);
    bool failed = scratch.failed;
    if (!failed) {
        place_atoms(&s, m, c);
        spread_debts(m, kept);
        trim(m);
    }
    tc_arena_fini(&scratch);
    return failed ? tc_fail_memory(err) : TACIT_OK;
}
