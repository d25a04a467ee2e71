/* panel.c - one panel of a chart: grid, axes, bands, lines, dots. Used by chart.c alone. */
#include "chart_int.h"

#include "axis.h"
#include "svg.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* Okabe and Ito's colours: told apart also by most colour-blind readers. */
static const char *const palette[] = {"#0072b2", "#d55e00", "#009e73", "#cc79a7",
                                      "#e69f00", "#56b4e9", "#7f3c8d", "#444444"};
#define PALETTE (int)(sizeof palette / sizeof palette[0])
#define GREY    "#9aa5b1"

/* A curve of more points than that looks the same with fewer. */
#define CURVE_POINTS 1500

static const char *color_of(const tc_series *s)
{
    return s->color < 0 ? GREY : palette[s->color % PALETTE];
}

/* The second time round the palette, lines are dashed. */
static const char *dash_of(const tc_series *s)
{
    return s->dashed || s->color >= PALETTE ? " stroke-dasharray=\"6 3\"" : "";
}

void tc_shade_color(char out[8], double share)
{
    static const double stops[4][3] = {
        {189, 215, 238}, {107, 174, 214}, {33, 113, 181}, {8, 48, 107}};
    double at = fmin(fmax(isfinite(share) ? share : 0, 0), 1) * 3;
    int k = at >= 3 ? 2 : (int)at;
    unsigned rgb[3];
    for (int i = 0; i < 3; i++)
        rgb[i] = (unsigned)lround(stops[k][i] + (at - k) * (stops[k + 1][i] - stops[k][i])) & 255u;
    snprintf(out, 8, "#%02x%02x%02x", rgb[0], rgb[1], rgb[2]);
}

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
    for (size_t i = 0; i < p->n_series; i++)
        for (size_t k = 0; k < p->series[i].n; k++)
            include(&r, p->series[i].x[k], p->x.log);
    return r;
}

static range range_y(const tc_panel *p)
{
    range r = {INFINITY, -INFINITY};
    for (size_t i = 0; i < p->n_series; i++) {
        const tc_series *s = &p->series[i];
        for (size_t k = 0; k < s->n; k++) {
            double e = s->spread ? s->spread[k] : 0;
            include(&r, s->y[k], p->y.log);
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
    if (!a->names) {
        tc_ticks_choose(t, s, want);
        return;
    }
    memset(t, 0, sizeof *t);
    for (; t->n < a->n_names && t->n < TC_TICKS; t->n++) {
        t->at[t->n] = (double)t->n;
        snprintf(t->label[t->n], sizeof t->label[0], "%.23s", a->names[t->n]);
    }
}

#define GRID_LINE "stroke=\"#e9ecef\" stroke-width=\"1\""
#define AXIS_LINE "stroke=\"#868e96\" stroke-width=\"1\""
#define UPRIGHT   106.0 /* room for names that stand */
#define AXIS_NAME "font-size=\"12.5\" fill=\"#333333\" text-anchor=\"middle\""

static void draw_x_axis(tc_text *t, const tc_axis *a, const tc_scale *s, const tc_frame *f)
{
    tc_ticks ticks;
    choose_ticks(&ticks, a, s, (size_t)(f->w / 80) + 1);
    for (size_t i = 0; i < ticks.n; i++) {
        double x = tc_scale_at(s, ticks.at[i]);
        tc_svg_line(t, x, f->y, x, f->y + f->h, GRID_LINE);
        tc_svg_line(t, x, f->y + f->h, x, f->y + f->h + 4, AXIS_LINE);
        if (a->upright)
            tc_svg_text_up(t, x + 4, f->y + f->h + 8, TC_SMALL_TEXT " text-anchor=\"end\"",
                           ticks.label[i]);
        else
            tc_svg_text(t, x, f->y + f->h + 17, TC_SMALL_TEXT " text-anchor=\"middle\"",
                        ticks.label[i]);
    }
    tc_svg_line(t, f->x, f->y + f->h, f->x + f->w, f->y + f->h, AXIS_LINE);
    if (a->label)
        tc_svg_text(t, f->x + f->w / 2, f->y + f->h + 36 + (a->upright ? UPRIGHT : 0), AXIS_NAME,
                    a->label);
}

static void draw_y_axis(tc_text *t, const tc_axis *a, const tc_scale *s, const tc_frame *f)
{
    tc_ticks ticks;
    choose_ticks(&ticks, a, s, (size_t)(f->h / 60) + 1);
    for (size_t i = 0; i < ticks.n; i++) {
        double y = tc_scale_at(s, ticks.at[i]);
        tc_svg_line(t, f->x, y, f->x + f->w, y, GRID_LINE);
        tc_svg_text(t, f->x - 7, y + 4, TC_SMALL_TEXT " text-anchor=\"end\"", ticks.label[i]);
    }
    if (a->label)
        tc_svg_text_up(t, f->x - 52, f->y + f->h / 2, AXIS_NAME, a->label);
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
    snprintf(style, sizeof style, "fill=\"%s\" fill-opacity=\"0.16\"", color_of(s));
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
             "fill=\"none\" stroke=\"%s\" stroke-width=\"2\" stroke-linejoin=\"round\"%s",
             color_of(s), dash_of(s));
    tc_svg_polyline(t, n, x, y, style);
}

static void dot_style(char *out, size_t size, const tc_series *s, size_t i)
{
    char color[8];
    if (s->ring) {
        snprintf(out, size, "fill=\"none\" stroke=\"%s\" stroke-width=\"2.2\"", color_of(s));
        return;
    }
    if (s->shade)
        tc_shade_color(color, s->shade[i]);
    snprintf(out, size, "fill=\"%s\" stroke=\"#ffffff\" stroke-width=\"0.6\"",
             s->shade ? color : color_of(s));
}

static void draw_dots(tc_text *t, const tc_series *s, const scales *at)
{
    char style[96];
    for (size_t i = 0; i < s->n; i++) {
        dot_style(style, sizeof style, s, i);
        tc_svg_circle(t, tc_scale_at(&at->x, s->x[i]), tc_scale_at(&at->y, s->y[i]),
                      s->ring ? 6.5 : 3.6, style);
    }
}

static void draw_series(tc_text *t, const tc_panel *p, const scales *at)
{
    for (size_t i = 0; i < p->n_series; i++) /* bands below all lines */
        if (p->series[i].spread)
            draw_band(t, &p->series[i], at);
    for (size_t i = 0; i < p->n_series; i++) {
        if (p->series[i].mark == TC_MARK_DOTS)
            draw_dots(t, &p->series[i], at);
        else
            draw_curve(t, &p->series[i], at);
    }
}

void tc_panel_draw(tc_text *t, const tc_panel *p, const tc_frame *frame, unsigned id)
{
    double below = 48 + (p->x.upright ? UPRIGHT : 0);
    const tc_frame f = {frame->x + 62, frame->y + 8, frame->w - 62 - 12, frame->h - 8 - below};
    scales at = {.x = {.from = f.x, .to = f.x + f.w}, .y = {.from = f.y + f.h, .to = f.y}};
    choose_scale(&at.x, &p->x, range_x(p), has_dots(p) ? 0.03 : 0);
    choose_scale(&at.y, &p->y, range_y(p), 0.05);
    draw_y_axis(t, &p->y, &at.y, &f);
    draw_x_axis(t, &p->x, &at.x, &f);
    tc_svg_clip_group(t, id, f.x, f.y - 1, f.w + 1, f.h + 2);
    draw_series(t, p, &at);
    tc_svg_group_end(t);
}

void tc_legend_entry(tc_text *t, const tc_series *s, double x, double y)
{
    char style[160];
    if (s->mark == TC_MARK_DOTS) {
        dot_style(style, sizeof style, s, 0);
        tc_svg_circle(t, x + 13, y, s->ring ? 5 : 4, style);
    } else {
        snprintf(style, sizeof style, "stroke=\"%s\" stroke-width=\"2.5\"%s", color_of(s),
                 dash_of(s));
        tc_svg_line(t, x, y, x + 24, y, style);
    }
    tc_svg_text(t, x + 30, y + 4, "font-size=\"12.5\" fill=\"#333333\"", s->label);
}
