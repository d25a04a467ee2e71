/* linear_room.c - what linear constraints leave of a space: its deepest point, far ends, one representable point.
 *
 * The deepest point is the centre of the largest ball inside (Chebyshev's), by a linear program over shares and the
 * radius. Parameters with steps are searched depth first from there, with every half-space as a bound. See linear.h. */
#include "space/linear.h"

#include "base/error.h"
#include "space/param.h"
#include "space/simplex.h"

#include <math.h>
#include <string.h>

/* The ball must be larger than this, in shares: what is thinner is an equality that was meant, or a mistake. */
static const double LEAST_RADIUS = 1e-6;
static const double MARGIN = 1e-9;

enum {
    MOST_NODES = 20000, /* of the search over steps, and ... */
    MOST_LEAVES = 64,   /* ... of those where all have one */
    END_AXES = 16,      /* far ends lie along so many axes, both ways, ... */
    END_MOST = 64,      /* ... and are not looked for among more parameters than this */
    SWEEPS = 500        /* of a projection */
};

static double largest(const tc_param *p)
{
    return p->type == TC_PARAM_CHOICE ? p->high : tc_param_value(p, 1);
}

double tc_room_share(const tc_space *s, size_t k, double value)
{
    return (value - s->params[s->room->param[k]].low) / s->room->span[k];
}

static double value_at(const tc_param *p, double span, double share)
{
    if (p->type == TC_PARAM_CHOICE)
        return share > 0.5 ? 1 : 0;
    return tc_param_nearest(p, share == 1 ? largest(p) : p->low + share * span);
}

double tc_room_value(const tc_space *s, size_t k, double share)
{
    return value_at(&s->params[s->room->param[k]], s->room->span[k], share);
}

/* ---- half-spaces ---- */

static bool take_room(tc_room *r, const tc_space *s)
{
    size_t most = s->n_params;
    r->rows = s->n_linear;
    r->param = TC_TAKE(&r->memory, most, size_t);
    r->span = TC_TAKE(&r->memory, most, double);
    r->A = TC_TAKE(&r->memory, r->rows * most, double);
    r->b = TC_TAKE(&r->memory, r->rows, double);
    r->norm = TC_TAKE(&r->memory, r->rows, double);
    r->deepest = TC_TAKE(&r->memory, most, double);
    r->anchor = TC_TAKE(&r->memory, most, double);
    r->values = TC_TAKE(&r->memory, most, double);
    return !r->memory.failed;
}

/* Parameters that have one value are part of the bounds. */
static void list_params(tc_room *r, const tc_space *s)
{
    for (size_t i = 0; i < s->n_params; i++) {
        const tc_param *p = &s->params[i];
        if (!tc_linear_has(s, i) || !(largest(p) > p->low))
            continue;
        r->param[r->n] = i;
        r->span[r->n] = largest(p) - p->low;
        r->discrete |= tc_param_discrete(p);
        r->n++;
    }
}

static double factor_of(const tc_linear *c, size_t column)
{
    for (size_t k = 0; k < c->n_terms; k++)
        if (c->terms[k].column == column)
            return c->terms[k].factor;
    return 0;
}

/* A half-space that no share can change has norm 1 and no slopes. */
static tacit_status set_row(tc_room *r, const tc_space *s, size_t row, tacit_error *err)
{
    const tc_linear *c = &s->linear[row];
    const double sign = c->at_least ? -1 : 1;
    double *a = r->A + row * r->n, square = 0, b = c->bound;
    for (size_t k = 0; k < c->n_terms; k++)
        b -= c->terms[k].factor * s->params[c->terms[k].column].low;
    for (size_t i = 0; i < r->n; i++) {
        a[i] = sign * factor_of(c, r->param[i]) * r->span[i];
        square += a[i] * a[i];
    }
    r->norm[row] = square > 0 ? sqrt(square) : 1;
    r->b[row] = sign * b / r->norm[row];
    for (size_t i = 0; i < r->n; i++)
        a[i] /= r->norm[row];
    if (!isfinite(square) || !isfinite(r->b[row]))
        return tc_fail(err, TACIT_E_ARG, "its numbers are too large");
    return TACIT_OK;
}

static double left_side(const tc_room *r, size_t row, const double *t)
{
    const double *a = r->A + row * r->n;
    double sum = 0;
    for (size_t i = 0; i < r->n; i++)
        sum += a[i] * t[i];
    return sum;
}

/* ---- the deepest point ---- */

static tacit_status no_point(tacit_error *err)
{
    return tc_fail(err, TACIT_E_ARG,
                   "no point of the space satisfies it together with the constraints before it");
}

/* Maximise the radius under t_i + radius <= 1, -t_i + radius <= 0, a t + radius <= b, in t and radius + lift: large
 * enough for the origin. */
static void fill_deepest(const tc_room *r, tc_simplex *lp, double lift)
{
    const size_t n = r->n;
    for (size_t i = 0; i < n; i++) {
        *tc_simplex_at(lp, 2 * i, i) = 1;
        *tc_simplex_at(lp, 2 * i, n) = 1;
        *tc_simplex_at(lp, 2 * i, n + 1) = 1 + lift;
        *tc_simplex_at(lp, 2 * i + 1, i) = -1;
        *tc_simplex_at(lp, 2 * i + 1, n) = 1;
        *tc_simplex_at(lp, 2 * i + 1, n + 1) = lift;
    }
    for (size_t k = 0; k < r->rows; k++) {
        for (size_t i = 0; i < n; i++)
            *tc_simplex_at(lp, 2 * n + k, i) = r->A[k * n + i];
        *tc_simplex_at(lp, 2 * n + k, n) = 1;
        *tc_simplex_at(lp, 2 * n + k, n + 1) = r->b[k] + lift;
    }
    *tc_simplex_at(lp, lp->rows, n) = -1;
}

static double radius_at(const tc_room *r, const double *t)
{
    double radius = INFINITY;
    for (size_t i = 0; i < r->n; i++)
        radius = fmin(radius, fmin(t[i], 1 - t[i]));
    for (size_t k = 0; k < r->rows; k++)
        radius = fmin(radius, r->b[k] - left_side(r, k, t));
    return radius;
}

static tacit_status find_deepest(tc_room *r, tacit_error *err)
{
    tc_simplex lp;
    double lift = 0, x[TC_PARAMS_MAX + 1];
    for (size_t k = 0; k < r->rows; k++)
        lift = fmax(lift, -r->b[k]);
    if (lift > sqrt((double)r->n) + MARGIN) /* further away than a corner of the cube */
        return no_point(err);
    TC_TRY(tc_simplex_init(&lp, 2 * r->n + r->rows, r->n + 1, err));
    fill_deepest(r, &lp, lift);
    tc_simplex_solve(&lp, x);
    tc_simplex_fini(&lp);
    memcpy(r->deepest, x, r->n * sizeof *x);
    double radius = radius_at(r, r->deepest);
    if (radius < -MARGIN)
        return no_point(err);
    if (radius < LEAST_RADIUS)
        return tc_fail(err, TACIT_E_ARG,
                       "it leaves almost no room: less than a millionth of the ranges; leave one "
                       "parameter of an equality out of the space, and compute it from the others "
                       "where it is used");
    return TACIT_OK;
}

/* ---- far ends ---- */

/* Maximise `sign` t_axis, in the steps up and down from the deepest point. */
static tacit_status find_end(tc_room *r, size_t axis, double sign, double *end, tacit_error *err)
{
    const size_t n = r->n;
    double x[2 * END_MOST];
    tc_simplex lp;
    TC_TRY(tc_simplex_init(&lp, 2 * n + r->rows, 2 * n, err));
    for (size_t i = 0; i < n; i++) {
        for (int up = 0; up < 2; up++) {
            *tc_simplex_at(&lp, 2 * i + (size_t)up, i) = up ? 1 : -1;
            *tc_simplex_at(&lp, 2 * i + (size_t)up, n + i) = up ? -1 : 1;
            *tc_simplex_at(&lp, 2 * i + (size_t)up, 2 * n) = up ? 1 - r->deepest[i] : r->deepest[i];
        }
        for (size_t k = 0; k < r->rows; k++) {
            *tc_simplex_at(&lp, 2 * n + k, i) = r->A[k * n + i];
            *tc_simplex_at(&lp, 2 * n + k, n + i) = -r->A[k * n + i];
        }
    }
    for (size_t k = 0; k < r->rows; k++)
        *tc_simplex_at(&lp, 2 * n + k, 2 * n) = r->b[k] - left_side(r, k, r->deepest);
    *tc_simplex_at(&lp, lp.rows, axis) = -sign;
    *tc_simplex_at(&lp, lp.rows, n + axis) = sign;
    tc_simplex_solve(&lp, x);
    tc_simplex_fini(&lp);
    for (size_t i = 0; i < n; i++)
        end[i] = fmin(fmax(r->deepest[i] + x[i] - x[n + i], 0), 1);
    return TACIT_OK;
}

static tacit_status find_ends(tc_room *r, tacit_error *err)
{
    const size_t axes = r->n < END_AXES ? r->n : END_AXES;
    if (r->n < 2 || r->n > END_MOST)
        return TACIT_OK;
    r->ends = TC_TAKE(&r->memory, 2 * axes * r->n, double);
    if (!r->ends)
        return tc_fail_memory(err);
    for (size_t k = 0; k < axes; k++)
        for (int up = 0; up < 2; up++)
            TC_TRY(find_end(r, k * r->n / axes, up ? 1 : -1, r->ends + r->n * r->n_ends++, err));
    return TACIT_OK;
}

/* ---- projection ---- */

typedef struct projection {
    const tc_room *r;
    const unsigned char *hold;
    double margin;
    double *t;
    double times[TC_LINEAR_MAX]; /* of each half-space: how much of its normal is held against t */
    double over[TC_PARAMS_MAX];  /* the same of the cube */
    double moved;                /* most, in this sweep */
} projection;

static bool held(const projection *p, size_t i)
{
    return p->hold && p->hold[i];
}

static void onto_row(projection *p, size_t row)
{
    const double *a = p->r->A + row * p->r->n;
    double excess = p->margin - p->r->b[row], square = 0;
    for (size_t i = 0; i < p->r->n; i++) {
        excess += a[i] * p->t[i];
        square += held(p, i) ? 0 : a[i] * a[i];
    }
    if (square < 1e-18)
        return;
    double times = fmax(p->times[row] + excess / square, 0), by = p->times[row] - times;
    for (size_t i = 0; i < p->r->n; i++)
        p->t[i] += held(p, i) ? 0 : by * a[i];
    p->times[row] = times;
    p->moved = fmax(p->moved, fabs(by) * sqrt(square));
}

static void onto_cube(projection *p)
{
    for (size_t i = 0; i < p->r->n; i++) {
        double wanted = p->t[i] + p->over[i], t = fmin(fmax(wanted, 0), 1);
        if (held(p, i))
            continue;
        p->moved = fmax(p->moved, fabs(t - p->t[i]));
        p->over[i] = wanted - t;
        p->t[i] = t;
    }
}

/* Dykstra's alternating projections [Boyle and Dykstra 1986], for half-spaces Hildreth's. */
void tc_room_project(const tc_room *r, const unsigned char *hold, double margin, double *t)
{
    projection p = {.r = r, .hold = hold, .margin = margin, .t = t, .moved = 1};
    for (int sweep = 0; sweep < SWEEPS && p.moved > 1e-12; sweep++) {
        p.moved = 0;
        for (size_t row = 0; row < r->rows; row++)
            onto_row(&p, row);
        onto_cube(&p);
    }
}

/* ---- one representable point ---- */

typedef struct search {
    tc_room *r;
    const tc_space *s;
    double values[TC_PARAMS_MAX], t[TC_PARAMS_MAX], spare[TC_PARAMS_MAX];
    unsigned char hold[TC_PARAMS_MAX]; /* decided: all discrete ones at a leaf */
    double sum[TC_LINEAR_MAX];         /* least left side that is still possible */
    size_t nodes, leaves;
} search;

static const tc_param *param_of(const search *f, size_t i)
{
    return &f->s->params[f->r->param[i]];
}

static bool at_leaf(search *f)
{
    const tc_room *r = f->r;
    if (f->leaves++ >= MOST_LEAVES)
        return false;
    memcpy(f->spare, f->t, r->n * sizeof *f->t);
    tc_room_project(r, f->hold, MARGIN, f->spare);
    for (size_t i = 0; i < r->n; i++)
        if (!f->hold[i])
            f->values[r->param[i]] = value_at(param_of(f, i), r->span[i], f->spare[i]);
    return tc_linear_holds(f->s, f->values);
}

/* Adds what share i = t makes of the least left sides, or takes it away again; false: it is too much for one. */
static bool decide(search *f, size_t i, double t, double sign)
{
    bool possible = true;
    for (size_t k = 0; k < f->r->rows; k++) {
        const double a = f->r->A[k * f->r->n + i];
        f->sum[k] += sign * (a * t - fmin(a, 0));
        possible &= f->sum[k] <= f->r->b[k] + MARGIN;
    }
    return possible;
}

/* The m-th nearest level to `share`, as a share: 0, +1, -1, +2, ... NAN: there is none at that place. */
static double nearby(const search *f, size_t i, double share, size_t m)
{
    const tc_param *p = param_of(f, i);
    const double last = p->type == TC_PARAM_CHOICE ? 1 : (double)(p->levels - 1);
    double k = round(share * last) + (double)((m + 1) / 2) * (m % 2 == 1 ? 1 : -1);
    return k >= 0 && k <= last ? k / last : NAN;
}

static bool search_from(search *f, size_t i)
{
    tc_room *r = f->r;
    while (i < r->n && !tc_param_discrete(param_of(f, i)))
        i++;
    if (i == r->n)
        return at_leaf(f);
    const tc_param *p = param_of(f, i);
    const double levels = p->type == TC_PARAM_CHOICE ? 2 : (double)p->levels;
    f->hold[i] = 1;
    for (size_t m = 0; (double)m < 2 * levels && f->nodes < MOST_NODES && f->leaves < MOST_LEAVES;
         m++) {
        double share = nearby(f, i, r->deepest[i], m);
        if (isnan(share))
            continue;
        f->nodes++;
        f->t[i] = share;
        f->values[r->param[i]] = value_at(p, r->span[i], share);
        bool found = decide(f, i, share, 1) && search_from(f, i + 1);
        decide(f, i, share, -1);
        if (found)
            return true;
    }
    return false;
}

static tacit_status find_anchor(tc_room *r, const tc_space *s, tacit_error *err)
{
    search f = {.r = r, .s = s};
    for (size_t i = 0; i < s->n_params; i++)
        f.values[i] = s->params[i].type == TC_PARAM_CHOICE ? 0 : s->params[i].low;
    memcpy(f.t, r->deepest, r->n * sizeof *f.t);
    for (size_t k = 0; k < r->rows; k++)
        for (size_t i = 0; i < r->n; i++)
            f.sum[k] += fmin(r->A[k * r->n + i], 0);
    if (!search_from(&f, 0))
        return r->discrete
                   ? tc_fail(err, TACIT_E_ARG,
                             "no point of the space was found that satisfies it and has the steps "
                             "of the parameters")
                   : no_point(err);
    for (size_t i = 0; i < r->n; i++) {
        const tc_param *p = &s->params[r->param[i]];
        r->values[i] = f.values[r->param[i]];
        r->anchor[i] = (r->values[i] - p->low) / r->span[i];
    }
    return TACIT_OK;
}

/* ---- */

static tacit_status measure(tc_room *r, const tc_space *s, tacit_error *err)
{
    if (!take_room(r, s))
        return tc_fail_memory(err);
    list_params(r, s);
    for (size_t k = 0; k < r->rows; k++)
        TC_TRY(set_row(r, s, k, err));
    if (r->n > 0) {
        TC_TRY(find_deepest(r, err));
        TC_TRY(find_ends(r, err));
    }
    return find_anchor(r, s, err);
}

tacit_status tc_room_new(tc_room **out, const tc_space *s, tacit_error *err)
{
    tc_room *r = tc_alloc(1, sizeof *r);
    if (!r)
        return tc_fail_memory(err);
    tacit_status status = measure(r, s, err);
    if (status != TACIT_OK)
        tc_room_free(r);
    else
        *out = r;
    return status;
}

void tc_room_free(tc_room *r)
{
    if (!r)
        return;
    tc_arena_fini(&r->memory);
    tc_free(r);
}
