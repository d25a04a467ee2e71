/* marks.c - how a series looks: colours, dashes, markers, whiskers, its entry in a legend.
 *
 * A reader who sees no colours, or prints without, goes by the shapes of the markers. Used by chart.c
 * and panel.c alone. */
#include "chart/chart_int.h"

#include "chart/svg.h"

#include <math.h>
#include <stdio.h>

/* Okabe and Ito's colours: told apart also by most colour-blind readers. */
static const char *const palette[] = {"#0072b2", "#d55e00", "#009e73", "#cc79a7",
                                      "#e69f00", "#56b4e9", "#7f3c8d", "#444444"};
#define PALETTE (int)(sizeof palette / sizeof palette[0])
#define GREY    "#9aa5b1"
#define INK     "#333333"

const char *tc_series_color(const tc_series *s)
{
    if (s->color >= 0)
        return palette[s->color % PALETTE];
    return s->color == TC_COLOR_INK ? INK : GREY;
}

/* The second time round the palette, markers have the next shape, and lines without are dashed. */
const char *tc_series_dash(const tc_series *s)
{
    bool again = s->color >= PALETTE && s->marker == 0;
    return s->dashed || again ? " stroke-dasharray=\"6 3\"" : "";
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

/* -- markers ------------------------------------------------------------------------------- */

/* Corners on a circle; of a star every second one is nearer to the middle. */
typedef struct shape {
    int corners;     /* 0: a circle */
    double turn;     /* of the first corner, in degrees; 0 is to the right, 90 down */
    double inner;    /* where every second corner is, as a part of the radius */
    double relative; /* its radius, so that all shapes look equally large */
} shape;

enum { MOST_CORNERS = 10 };
static const shape shapes[] = {{0, 0, 1, 1},      {4, 45, 1, 1.2},  {3, -90, 1, 1.35},
                               {4, 0, 1, 1.3},    {3, 90, 1, 1.35}, {10, -90, 0.45, 1.45},
                               {8, 45, 0.4, 1.4}, {8, 0, 0.35, 1.5}};
#define SHAPES (int)(sizeof shapes / sizeof shapes[0])

static void marker_style(char *out, size_t size, const tc_series *s, size_t i)
{
    char shade[8];
    const char *color = tc_series_color(s);
    if (s->ring || s->dashed) {
        snprintf(out, size, "fill=\"%s\" stroke=\"%s\" stroke-width=\"%s\"",
                 s->ring ? "none" : "#ffffff", color, s->ring ? "2.2" : "1.6");
        return;
    }
    if (s->shade) {
        tc_shade_color(shade, s->shade[i]);
        color = shade;
    }
    snprintf(out, size, "fill=\"%s\" stroke=\"#ffffff\" stroke-width=\"0.6\"", color);
}

static void polygon(tc_text *t, const shape *of, double x, double y, double radius,
                    const char *style)
{
    const double degree = 3.14159265358979323846 / 180;
    double px[MOST_CORNERS], py[MOST_CORNERS];
    for (int k = 0; k < of->corners; k++) {
        double angle = (of->turn + 360.0 * k / of->corners) * degree;
        double r = radius * of->relative * (k % 2 ? of->inner : 1);
        px[k] = x + r * cos(angle);
        py[k] = y + r * sin(angle);
    }
    tc_svg_polygon(t, (size_t)of->corners, px, py, style);
}

void tc_marker_draw(tc_text *t, const tc_series *s, size_t i, double x, double y)
{
    char style[96];
    int k = s->marker > 0 && !s->ring ? s->marker - 1 : 0; /* the second time round, other pairs */
    const shape *of = &shapes[(k + k / SHAPES) % SHAPES];
    double radius = s->ring ? 7.5 : s->marker == 0 ? 3.6 : s->mark == TC_MARK_DOTS ? 5 : 4.2;
    if (!isfinite(x) || !isfinite(y))
        return;
    marker_style(style, sizeof style, s, i);
    if (of->corners == 0)
        tc_svg_circle(t, x, y, radius, style);
    else
        polygon(t, of, x, y, radius, style);
}

void tc_whisker_draw(tc_text *t, const tc_series *s, double x, double low, double high)
{
    enum { CAP = 3 };
    char style[64];
    snprintf(style, sizeof style, "stroke=\"%s\" stroke-width=\"1.3\"", tc_series_color(s));
    tc_svg_line(t, x, low, x, high, style);
    tc_svg_line(t, x - CAP, low, x + CAP, low, style);
    tc_svg_line(t, x - CAP, high, x + CAP, high, style);
}

/* -- legend -------------------------------------------------------------------------------- */

void tc_legend_entry(tc_text *t, const tc_series *s, double x, double y)
{
    enum { SIGN = TC_LEGEND_SIGN - 6 };
    char style[160];
    if (s->mark != TC_MARK_DOTS) {
        snprintf(style, sizeof style, "stroke=\"%s\" stroke-width=\"2.5\"%s", tc_series_color(s),
                 tc_series_dash(s));
        tc_svg_line(t, x, y, x + SIGN, y, style);
    }
    if (s->mark == TC_MARK_DOTS || s->marker > 0)
        tc_marker_draw(t, s, 0, x + SIGN / 2.0, y);
    tc_svg_text(t, x + TC_LEGEND_SIGN, y + 4, "font-size=\"12.5\" fill=\"#333333\"", s->label);
}
