/* linear_repair.c - points that violate linear constraints are moved to where they do not; constraints as functions on the
 * unit cube. See linear.h. */
#include "space/linear.h"

#include "space/param.h"

#include <math.h>
#include <string.h>

static const double MARGIN = 1e-9;

enum { LEGS = 8 /* of the way to the anchor */ };

typedef struct repair {
    const tc_space *s;
    const tc_room *r;
    double *values;
    double t[TC_PARAMS_MAX];
    unsigned char hold[TC_PARAMS_MAX];
} repair;

static const tc_param *param_of(const repair *f, size_t i)
{
    return &f->s->params[f->r->param[i]];
}

static void put(repair *f, size_t i, double value)
{
    f->values[f->r->param[i]] = value;
    f->t[i] = tc_room_share(f->s, i, value);
}

/* By how much the shares lie outside, over all half-spaces. */
static double outside(const repair *f)
{
    double sum = 0;
    for (size_t k = 0; k < f->r->rows; k++) {
        double excess = -f->r->b[k];
        for (size_t i = 0; i < f->r->n; i++)
            excess += f->r->A[k * f->r->n + i] * f->t[i];
        sum += fmax(excess, 0);
    }
    return sum;
}

/* Continuous shares to the nearest place, the others held; true: that satisfies everything. */
static bool project(repair *f)
{
    tc_room_project(f->r, f->hold, MARGIN, f->t);
    for (size_t i = 0; i < f->r->n; i++)
        if (!f->hold[i])
            f->values[f->r->param[i]] = tc_room_value(f->s, i, f->t[i]);
    return tc_linear_holds(f->s, f->values);
}

/* The neighbour of one parameter with steps that lies outside by least; false: none does better. */
static bool step(repair *f)
{
    double least = outside(f), best_value = 0;
    size_t best = f->r->n;
    for (size_t i = 0; i < f->r->n; i++) {
        const tc_param *p = param_of(f, i);
        const double keep = f->values[f->r->param[i]],
                     by = tc_param_discrete(p) ? fmax(p->step, 1e-300) : 0;
        const double width = p->type == TC_PARAM_CHOICE ? 1 : by;
        for (int up = 0; tc_param_discrete(p) && up < 2; up++) {
            const double wanted = keep + (up ? width : -width);
            put(f, i, tc_room_value(f->s, i, (wanted - p->low) / f->r->span[i]));
            const double now = outside(f);
            if (now < least - 1e-12) {
                least = now;
                best = i;
                best_value = f->values[f->r->param[i]];
            }
        }
        put(f, i, keep);
    }
    if (best < f->r->n)
        put(f, best, best_value);
    return best < f->r->n;
}

/* Near f->t; true: found. */
static bool settle(repair *f)
{
    for (size_t i = 0; i < f->r->n; i++) {
        f->hold[i] = tc_param_discrete(param_of(f, i));
        put(f, i, tc_room_value(f->s, i, f->t[i]));
    }
    if (project(f))
        return true;
    if (!f->r->discrete)
        return false;
    for (size_t k = 0; k < 4 * f->r->n && step(f); k++)
        if (outside(f) == 0)
            break;
    return project(f);
}

/* The share of the way to the anchor, where all half-spaces end, that is needed from t. */
static double way_needed(const repair *f, const double *t)
{
    double most = 0;
    for (size_t k = 0; k < f->r->rows; k++) {
        double excess = -f->r->b[k], there = -f->r->b[k];
        for (size_t i = 0; i < f->r->n; i++) {
            excess += f->r->A[k * f->r->n + i] * t[i];
            there += f->r->A[k * f->r->n + i] * f->r->anchor[i];
        }
        if (excess > 0)
            most = fmax(most, fmin(excess / (excess - fmin(there, 0)), 1));
    }
    return fmin(most * (1 + MARGIN) + 1e-12, 1);
}

static void towards_anchor(repair *f, const double *from, double way)
{
    for (size_t i = 0; i < f->r->n; i++)
        f->t[i] = from[i] + way * (f->r->anchor[i] - from[i]);
}

static void move_inside(const tc_space *s, double *values)
{
    repair f = {.s = s, .r = s->room, .values = values};
    double from[TC_PARAMS_MAX];
    for (size_t i = 0; i < f.r->n; i++)
        f.t[i] = fmin(fmax(tc_room_share(s, i, values[f.r->param[i]]), 0), 1);
    tc_room_project(f.r, NULL, MARGIN, f.t);
    memcpy(from, f.t, f.r->n * sizeof *from);
    if (settle(&f))
        return;
    towards_anchor(&f, from, way_needed(&f, from));
    if (settle(&f))
        return;
    for (int leg = 1; leg < LEGS; leg++) {
        towards_anchor(&f, from, (double)leg / LEGS);
        if (settle(&f))
            return;
    }
    for (size_t i = 0; i < f.r->n; i++)
        values[f.r->param[i]] = f.r->values[i];
}

/* A bool that was moved may have made others active or not. */
void tc_linear_repair(const tc_space *s, double *values)
{
    if (!s->room || tc_linear_holds(s, values))
        return;
    move_inside(s, values);
    tc_space_make_canonical(s, values);
}

/* ---- functions on the unit cube ---- */

/* The value of p at its coordinate, and how it changes along it. */
static double value_of(const tc_param *p, const double *u, double *slope)
{
    *slope = 0;
    if (p->type == TC_PARAM_CHOICE)
        return tc_param_choice_at(p, u + p->at);
    double value = tc_param_value(p, u[p->at]);
    if (p->levels == 0)
        *slope = p->log ? value * p->range : p->high - p->low;
    return value;
}

void tc_linear_excess(const tc_space *s, const double *u, double *excess, double *slopes)
{
    if (slopes)
        memset(slopes, 0, s->n_linear * s->dim * sizeof *slopes);
    for (size_t k = 0; k < s->n_linear; k++) {
        const tc_linear *c = &s->linear[k];
        const double scale = (c->at_least ? -1 : 1) / s->room->norm[k];
        double sum = -c->bound, slope;
        for (size_t t = 0; t < c->n_terms; t++) {
            const tc_param *p = &s->params[c->terms[t].column];
            sum += c->terms[t].factor * value_of(p, u, &slope);
            if (slopes)
                slopes[k * s->dim + p->at] = scale * c->terms[t].factor * slope;
        }
        excess[k] = scale * sum;
    }
}
