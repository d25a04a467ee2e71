/* walk.c - hit and run in what linear constraints leave [Smith 1984; Belisle, Romeijn, Smith 1993]. See walk.h. */
#include "algo/single/walk.h"

#include "algo/single/design.h"

#include <math.h>
#include <string.h>

enum { FIRST_SWEEPS = 16 };

/* No sequence of points draws from blocks so far out. */
static const uint64_t FAR_BLOCK = UINT64_C(1) << 48;

static const tc_param *param_of(const tc_walk *w, size_t i)
{
    return &w->space->params[w->space->room->param[i]];
}

/* May it move in directions that are not its own? There the density is that of the values. */
static bool is_linear(const tc_param *p)
{
    return !tc_param_discrete(p) && !p->log;
}

static void measure_slack(tc_walk *w)
{
    const tc_room *r = w->space->room;
    for (size_t k = 0; k < r->rows; k++) {
        w->slack[k] = r->b[k];
        for (size_t i = 0; i < r->n; i++)
            w->slack[k] -= r->A[k * r->n + i] * w->t[i];
    }
}

/* ---- along one parameter ---- */

static void narrow(double slope, double slack, double *low, double *high)
{
    if (slope > 0)
        *high = fmin(*high, fmax(slack, 0) / slope);
    else if (slope < 0)
        *low = fmax(*low, fmax(slack, 0) / slope);
}

/* A level between the shares low and high; NAN: there is none. */
static double draw_level(const tc_param *p, double low, double high, double draw)
{
    const double last = p->type == TC_PARAM_CHOICE ? 1 : (double)(p->levels - 1);
    double from = ceil(low * last - 1e-9), to = floor(high * last + 1e-9);
    if (from > to)
        return NAN;
    return fmin(from + floor(draw * (to - from + 1)), to) / last;
}

/* On a log scale places are drawn, and what they stand for. */
static double draw_place(const tc_walk *w, size_t i, double low, double high, double draw)
{
    const tc_param *p = param_of(w, i);
    const double from = tc_param_place(p, tc_room_value(w->space, i, low));
    const double to = tc_param_place(p, tc_room_value(w->space, i, high));
    return tc_room_share(w->space, i, tc_param_value(p, from + draw * (to - from)));
}

static double draw_share(const tc_walk *w, size_t i, double low, double high, double draw)
{
    const tc_param *p = param_of(w, i);
    if (p->log)
        return draw_place(w, i, low, high, draw);
    return tc_param_discrete(p) ? draw_level(p, low, high, draw) : low + draw * (high - low);
}

static void move_one(tc_walk *w, size_t i)
{
    const tc_room *r = w->space->room;
    double low = -w->t[i], high = 1 - w->t[i];
    for (size_t k = 0; k < r->rows; k++)
        narrow(r->A[k * r->n + i], w->slack[k], &low, &high);
    const double draw = tc_draw_uniform(&w->stream);
    double share = draw_share(w, i, w->t[i] + low, w->t[i] + high, draw);
    if (isnan(share) || share < w->t[i] + low - 1e-9 || share > w->t[i] + high + 1e-9)
        return;
    for (size_t k = 0; k < r->rows; k++)
        w->slack[k] -= r->A[k * r->n + i] * (share - w->t[i]);
    w->t[i] = share;
}

/* ---- along a line ---- */

static void random_direction(tc_walk *w)
{
    for (size_t i = 0; i < w->space->room->n; i++)
        w->along[i] = tc_draw_normal(&w->stream);
}

static void far_direction(tc_walk *w)
{
    const tc_room *r = w->space->room;
    const double *from = r->ends + r->n * tc_draw_below(&w->stream, r->n_ends);
    const double *to = r->ends + r->n * tc_draw_below(&w->stream, r->n_ends);
    for (size_t i = 0; i < r->n; i++)
        w->along[i] = to[i] - from[i];
}

static void move_along(tc_walk *w)
{
    const tc_room *r = w->space->room;
    double low = -INFINITY, high = INFINITY;
    for (size_t i = 0; i < r->n; i++) {
        w->along[i] = is_linear(param_of(w, i)) ? w->along[i] : 0;
        narrow(w->along[i], 1 - w->t[i], &low, &high);
        narrow(-w->along[i], w->t[i], &low, &high);
    }
    for (size_t k = 0; k < r->rows; k++) {
        double slope = 0;
        for (size_t i = 0; i < r->n; i++)
            slope += r->A[k * r->n + i] * w->along[i];
        narrow(slope, w->slack[k], &low, &high);
    }
    const double by = low + (high - low) * tc_draw_uniform(&w->stream);
    if (!isfinite(by))
        return; /* no direction: both ends were the same */
    for (size_t i = 0; i < r->n; i++)
        w->t[i] += w->along[i] != 0 ? by * w->along[i] : 0;
    measure_slack(w);
}

static size_t count_linear(const tc_walk *w)
{
    size_t count = 0;
    for (size_t i = 0; i < w->space->room->n; i++)
        count += is_linear(param_of(w, i));
    return count;
}

/* ---- */

/* Every parameter once, and as many lines. A sweep that ends outside, by rounding, is undone. */
static void sweep(tc_walk *w)
{
    const tc_room *r = w->space->room;
    double before[TC_PARAMS_MAX];
    const size_t lines = count_linear(w);
    memcpy(before, w->t, r->n * sizeof *before);
    for (size_t i = 0; i < r->n; i++) {
        move_one(w, i);
        if (lines < 2 || i >= lines)
            continue;
        if (r->n_ends > 0 && i % 2 == 0)
            far_direction(w);
        else
            random_direction(w);
        move_along(w);
    }
    for (size_t i = 0; i < r->n; i++)
        w->values[r->param[i]] = tc_room_value(w->space, i, w->t[i]);
    if (tc_linear_holds(w->space, w->values))
        return;
    memcpy(w->t, before, r->n * sizeof *before);
    for (size_t i = 0; i < r->n; i++)
        w->values[r->param[i]] = tc_room_value(w->space, i, w->t[i]);
    measure_slack(w);
}

void tc_walk_init(tc_walk *w, const tc_space *s, const tc_stream *stream)
{
    const tc_room *r = s->room;
    w->space = s;
    w->stream = *stream;
    w->stream.block += FAR_BLOCK;
    w->stream.used = sizeof w->stream.buf;
    w->stream.spare_set = false;
    memset(w->values, 0, sizeof w->values);
    memcpy(w->t, r->anchor, r->n * sizeof *w->t);
    for (size_t i = 0; i < s->n_params; i++)
        w->values[i] = s->params[i].low; /* what has one value; the others are set below */
    for (size_t i = 0; i < r->n; i++)
        w->values[r->param[i]] = r->values[i];
    measure_slack(w);
    for (int i = 0; i < FIRST_SWEEPS; i++)
        sweep(w);
}

void tc_walk_next(tc_walk *w, double *values)
{
    const tc_space *s = w->space;
    double draw[TC_PARAMS_MAX];
    sweep(w);
    for (size_t i = 0; i < s->n_params; i++)
        draw[i] = tc_draw_uniform(&w->stream);
    tc_design_box(s, draw, values);
    for (size_t i = 0; i < s->room->n; i++)
        values[s->room->param[i]] = w->values[s->room->param[i]];
    tc_space_make_canonical(s, values);
}
