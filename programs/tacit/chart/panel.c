/* panel.c - one panel of a chart: grid, axes, bands, lines, dots. Used by chart.c alone. */
#include "chart/chart_int.h"

#include "chart/axis.h"
#include "chart/svg.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* A curve of more points than that looks the same with fewer. */
#define CURVE_POINTS 1500

/* Room around the axes. */
#define LEFT  62.0 /* at least: long numbers take more */
#define RIGHT 12.0
#define BELOW 48.0

enum { FEW_POINTS = 12, MARKS = 7 }; /* a line has a mark at each of a few points, else so many */

/* -- ranges -------------------------------------------------------------------------------- */

typedef struct range {
    double low, high;
} range;

static void include(range *r, double v, bool log)
{
    if (!isfinite(v) || (log && v <= 0))
        return;
    r->low = fmin(r->low, v);
    r->high = fmax(r->high, v);
}

static range range_x(const tc_panel *p)
{
    range r = {INFINITY, -INFINITY};
    if (p->field)
        return (range){p->field->x_low, p->field->x_high};
    for (size_t i = 0; i < p->n_series; i++)
        for (size_t k = 0; k < p->series[i].n; k++)
            include(&r, p->series[i].x[k], p->x.log);
    return r;
}

static range range_y(const tc_panel *p)
{
    range r = {INFINITY, -INFINITY};
    if (p->field)
        return (range){p->field->y_low, p->field->y_high};
    for (size_t i = 0; i < p->n_series; i++) {
        const tc_series *s = &p->series[i];
        for (size_t k = 0; k < s->n; k++) {
            double e = s->spread ? s->spread[k] : 0;
            include(&r, s->y[k], p->y.log);
            if (s->low) {
                include(&r, s->low[k], p->y.log);
                include(&r, s->high[k], p->y.log);
            }
            include(&r, s->y[k] + e, p->y.log);
            if (!p->y.log || s->y[k] - e > s->y[k] / 3) /* a band down to 0 has no low end */
                include(&r, s->y[k] - e, p->y.log);
        }
    }
    return r;
}

static bool has_dots(const tc_panel *p)
{
    for (size_t i = 0; i < p->n_series; i++)
        if (p->series[i].mark == TC_MARK_DOTS)
            return true;
    return false;
}

static void choose_scale(tc_scale *s, const tc_axis *a, range r, double pad)
{
    s->log = a->log;
    s->whole = a->whole;
    if (a->names)
        tc_scale_range(s, -0.5, (double)a->n_names - 0.5, 0);
    else
        tc_scale_range(s, r.low, r.high, pad);
}

/* -- axes ---------------------------------------------------------------------------------- */

static void choose_ticks(tc_ticks *t, const tc_axis *a, const tc_scale *s, size_t want)
{
    if (!a->names && !a->ticks) {
        tc_ticks_choose(t, s, want);
        return;
    }
    memset(t, 0, sizeof *t);
    for (size_t n = a->names ? a->n_names : a->n_ticks; t->n < n && t->n < TC_TICKS; t->n++) {
        t->at[t->n] = a->names ? (double)t->n : a->ticks[t->n];
        if (a->names)
            snprintf(t->label[t->n], sizeof t->label[0], "%.23s", a->names[t->n]);
        else
            snprintf(t->label[t->n], sizeof t->label[0], "%.10g", t->at[t->n]);
    }
}

static double widest(const tc_ticks *t)
{
    size_t most = 0;
    for (size_t i = 0; i < t->n; i++) {
        size_t n = tc_characters(t->label[i]);
        most = n > most ? n : most;
    }
    return TC_SMALL_WIDTH * (double)most;
}

double tc_panel_standing(const tc_panel *p, double w)
{
    tc_ticks t;
    if (!p->x.names || p->x.n_names == 0)
        return 0;
    choose_ticks(&t, &p->x, NULL, 0);
    return widest(&t) < (w - LEFT - RIGHT) / (double)p->x.n_names ? 0 : widest(&t) - 8;
}

#define GRID_LINE "stroke=\"#e9ecef\" stroke-width=\"1\""
#define AXIS_LINE "stroke=\"#868e96\" stroke-width=\"1\""
#define AXIS_NAME "font-size=\"12.5\" fill=\"#333333\" text-anchor=\"middle\""

/* Categories have lines between them, numbers have theirs at the ticks. */
static void draw_x_axis(tc_text *t, const tc_axis *a, const tc_scale *s, const tc_frame *f,
                        double standing)
{
    tc_ticks ticks;
    choose_ticks(&ticks, a, s, (size_t)(f->w / 80) + 1);
    for (size_t i = 0; i < ticks.n; i++) {
        double x = tc_scale_at(s, ticks.at[i]),
               line = a->names ? tc_scale_at(s, ticks.at[i] + 0.5) : x, y = f->y + f->h;
        tc_svg_line(t, line, f->y, line, y, GRID_LINE);
        tc_svg_line(t, x, y, x, y + 4, AXIS_LINE);
        if (standing > 0)
            tc_svg_text_up(t, x + 4, y + 8, TC_SMALL_TEXT " text-anchor=\"end\"", ticks.label[i]);
        else
            tc_svg_text(t, x, y + 17, TC_SMALL_TEXT " text-anchor=\"middle\"", ticks.label[i]);
    }
    tc_svg_line(t, f->x, f->y + f->h, f->x + f->w, f->y + f->h, AXIS_LINE);
    if (a->label)
        tc_svg_text(t, f->x + f->w / 2, f->y + f->h + 36 + standing, AXIS_NAME, a->label);
}

static void draw_y_axis(tc_text *t, const tc_axis *a, const tc_scale *s, const tc_ticks *ticks,
                        const tc_frame *f, double left)
{
    for (size_t i = 0; i < ticks->n; i++) {
        double y = tc_scale_at(s, ticks->at[i]);
        tc_svg_line(t, f->x, y, f->x + f->w, y, GRID_LINE);
        tc_svg_text(t, f->x - 7, y + 4, TC_SMALL_TEXT " text-anchor=\"end\"", ticks->label[i]);
    }
    if (a->label)
        tc_svg_text_up(t, f->x - left + 10, f->y + f->h / 2, AXIS_NAME, a->label);
}

/* -- series -------------------------------------------------------------------------------- */

typedef struct scales {
    tc_scale x, y;
} scales;

/* Point k of m that stand for the n points of a curve: the first and the last among them. */
static size_t sampled(size_t k, size_t m, size_t n)
{
    return m < 2 ? 0 : (size_t)((double)k * (double)(n - 1) / (double)(m - 1) + 0.5);
}

static size_t samples(const tc_series *s)
{
    return s->n < CURVE_POINTS ? s->n : CURVE_POINTS;
}

static void draw_band(tc_text *t, const tc_series *s, const scales *at)
{
    double x[2 * CURVE_POINTS], y[2 * CURVE_POINTS];
    char style[96];
    size_t m = samples(s);
    for (size_t k = 0; k < m; k++) {
        size_t i = sampled(k, m, s->n), back = 2 * m - 1 - k;
        x[k] = x[back] = tc_scale_at(&at->x, s->x[i]);
        y[k] = tc_scale_at(&at->y, s->y[i] + s->spread[i]);
        y[back] = tc_scale_at(&at->y, s->y[i] - s->spread[i]);
    }
    snprintf(style, sizeof style, "fill=\"%s\" fill-opacity=\"0.14\"", tc_series_color(s));
    tc_svg_polygon(t, 2 * m, x, y, style);
}

static void draw_curve(tc_text *t, const tc_series *s, const scales *at)
{
    double x[2 * CURVE_POINTS], y[2 * CURVE_POINTS];
    char style[160];
    size_t m = samples(s), n = 0;
    for (size_t k = 0; k < m; k++) {
        size_t i = sampled(k, m, s->n);
        double px = tc_scale_at(&at->x, s->x[i]), py = tc_scale_at(&at->y, s->y[i]);
        if (s->mark == TC_MARK_STEP && n > 0) { /* level until the new point */
            x[n] = px;
            y[n] = y[n - 1];
            n++;
        }
        x[n] = px;
        y[n] = py;
        n++;
    }
    snprintf(style, sizeof style,
             "fill=\"none\" stroke=\"%s\" stroke-width=\"%s\" stroke-linejoin=\"round\"%s",
             tc_series_color(s), s->faint ? "0.7\" stroke-opacity=\"0.4" : "2", tc_series_dash(s));
    tc_svg_polyline(t, n, x, y, style);
}

/* Marks along a line: at every point of a few, else at places where those of other lines are not.
 * `turn` in [0, 1) is the series' own part of the way from one place to the next. */
static void draw_marks(tc_text *t, const tc_series *s, double turn, const scales *at)
{
    size_t m = s->n <= FEW_POINTS ? s->n : MARKS;
    for (size_t k = 0; k < m; k++) {
        size_t i = m == s->n ? k : (size_t)(((double)k + turn) * (double)(s->n - 1) / MARKS + 0.5);
        tc_marker_draw(t, s, i, tc_scale_at(&at->x, s->x[i]), tc_scale_at(&at->y, s->y[i]));
    }
}

static void draw_dots(tc_text *t, const tc_series *s, const scales *at)
{
    for (size_t i = 0; i < s->n; i++) {
        double x = tc_scale_at(&at->x, s->x[i]);
        if (s->low)
            tc_whisker_draw(t, s, x, tc_scale_at(&at->y, s->low[i]),
                            tc_scale_at(&at->y, s->high[i]));
        else if (s->spread)
            tc_whisker_draw(t, s, x, tc_scale_at(&at->y, s->y[i] - s->spread[i]),
                            tc_scale_at(&at->y, s->y[i] + s->spread[i]));
        tc_marker_draw(t, s, i, x, tc_scale_at(&at->y, s->y[i]));
    }
}

enum { BANDS = 16 }; /* shades of a field: their borders are its contours */

static int band_of(double shade)
{
    double k = floor(fmin(fmax(shade, 0), 1) * BANDS);
    return k < BANDS ? (int)k : BANDS - 1;
}

static bool same_band(double a, double b)
{
    return isfinite(a) && isfinite(b) ? band_of(a) == band_of(b) : !isfinite(a) && !isfinite(b);
}

/* Neighbours of one band are one rectangle, which reaches a little into the next: no seams. What is no number is blank. */
static void draw_field_row(tc_text *t, const tc_field *field, size_t j, const tc_frame *f)
{
    const double w = f->w / (double)field->nx, h = f->h / (double)field->ny;
    const double *row = field->shade + j * field->nx;
    for (size_t i = 0, end; i < field->nx; i = end) {
        char color[8], style[32];
        for (end = i + 1; end < field->nx && same_band(row[end], row[i]);)
            end++;
        if (!isfinite(row[i]))
            continue;
        tc_shade_color(color, (band_of(row[i]) + 0.5) / BANDS);
        snprintf(style, sizeof style, "fill=\"%s\"", color);
        tc_svg_rect(t, f->x + w * (double)i, f->y + f->h - h * (double)(j + 1),
                    w * (double)(end - i) + 0.4, h + 0.4, style);
    }
}

/* Crisp edges: blended ones would show as stripes. */
static void draw_field(tc_text *t, const tc_field *field, const tc_frame *f)
{
    tc_text_add(t, "<g shape-rendering=\"crispEdges\">\n");
    for (size_t j = 0; j < field->ny; j++)
        draw_field_row(t, field, j, f);
    tc_svg_group_end(t);
}

static void draw_series(tc_text *t, const tc_panel *p, const scales *at)
{
    for (size_t i = 0; i < p->n_series; i++) /* bands below all lines, lines below all marks */
        if (p->series[i].spread && p->series[i].mark != TC_MARK_DOTS)
            draw_band(t, &p->series[i], at);
    for (size_t i = 0; i < p->n_series; i++)
        if (p->series[i].n > 0 && p->series[i].mark != TC_MARK_DOTS && !p->series[i].band_only)
            draw_curve(t, &p->series[i], at);
    for (size_t i = 0; i < p->n_series; i++) {
        if (p->series[i].mark == TC_MARK_DOTS)
            draw_dots(t, &p->series[i], at);
        else if (p->series[i].marker > 0)
            draw_marks(t, &p->series[i], ((double)i + 0.5) / (double)p->n_series, at);
    }
}

void tc_panel_draw(tc_text *t, const tc_panel *p, const tc_frame *frame, unsigned id)
{
    double standing = tc_panel_standing(p, frame->w), h = frame->h - 8 - BELOW - standing;
    scales at = {.y = {.from = frame->y + 8 + h, .to = frame->y + 8}};
    tc_ticks ticks;
    choose_scale(&at.y, &p->y, range_y(p), p->field ? 0 : 0.05);
    choose_ticks(&ticks, &p->y, &at.y, (size_t)(h / 60) + 1);
    double left = fmax(LEFT, widest(&ticks) + 7 + 20);
    const tc_frame f = {frame->x + left, frame->y + 8, frame->w - left - RIGHT, h};
    at.x.from = f.x;
    at.x.to = f.x + f.w;
    choose_scale(&at.x, &p->x, range_x(p), !p->field && (has_dots(p) || p->x.ticks) ? 0.03 : 0);
    draw_y_axis(t, &p->y, &at.y, &ticks, &f, left);
    draw_x_axis(t, &p->x, &at.x, &f, standing);
    const double over =
        p->field ? 9 : 0; /* a field ends where the axes do: dots on its edge are whole */
    tc_svg_clip_group(t, id, f.x - over, f.y - 1 - over, f.w + 1 + 2 * over, f.h + 2 + 2 * over);
    if (p->field)
        draw_field(t, p->field, &f);
    draw_series(t, p, &at);
    tc_svg_group_end(t);
}
