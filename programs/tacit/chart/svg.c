/* svg.c - the shapes of svg.h as text. Used by chart.c alone. */
#include "chart/svg.h"

#include "base/utf8.h"

#include <math.h>
#include <stdlib.h>

#define UNKNOWN "\xEF\xBF\xBD" /* U+FFFD */
#define FONT    "Helvetica, Arial, 'Liberation Sans', 'DejaVu Sans', sans-serif"

/* Hundredths of a pixel, written without a locale: "-12.5". */
static void add_number(tc_text *t, double v)
{
    long hundredths = lround(fmin(fmax(v, -1e6), 1e6) * 100);
    long whole = labs(hundredths) / 100, part = labs(hundredths) % 100;
    tc_text_addf(t, "%s%ld", hundredths < 0 ? "-" : "", whole);
    if (part)
        tc_text_addf(t, part % 10 ? ".%02ld" : ".%ld", part % 10 ? part : part / 10);
}

static void add_attribute(tc_text *t, const char *name, double v)
{
    tc_text_addf(t, " %s=\"", name);
    add_number(t, v);
    tc_text_add(t, "\"");
}

static bool all_finite(size_t n, const double *v)
{
    for (size_t i = 0; i < n; i++)
        if (!isfinite(v[i]))
            return false;
    return true;
}

/* <tag a="v0" b="v1" ... style/> unless a value is not finite. */
static void shape(tc_text *t, const char *tag, size_t n, const char *const *names, const double *v,
                  const char *style)
{
    if (!all_finite(n, v))
        return;
    tc_text_addf(t, "<%s", tag);
    for (size_t i = 0; i < n; i++)
        add_attribute(t, names[i], v[i]);
    tc_text_addf(t, " %s/>\n", style);
}

void tc_svg_rect(tc_text *t, double x, double y, double w, double h, const char *style)
{
    static const char *const names[] = {"x", "y", "width", "height"};
    shape(t, "rect", 4, names, (double[]){x, y, w, h}, style);
}

void tc_svg_line(tc_text *t, double x1, double y1, double x2, double y2, const char *style)
{
    static const char *const names[] = {"x1", "y1", "x2", "y2"};
    shape(t, "line", 4, names, (double[]){x1, y1, x2, y2}, style);
}

void tc_svg_circle(tc_text *t, double x, double y, double r, const char *style)
{
    static const char *const names[] = {"cx", "cy", "r"};
    shape(t, "circle", 3, names, (double[]){x, y, r}, style);
}

static void points(tc_text *t, const char *tag, size_t n, const double *x, const double *y,
                   const char *style)
{
    tc_text_addf(t, "<%s points=\"", tag);
    const char *gap = "";
    for (size_t i = 0; i < n; i++) {
        if (!isfinite(x[i]) || !isfinite(y[i]))
            continue;
        tc_text_add(t, gap);
        add_number(t, x[i]);
        tc_text_add(t, ",");
        add_number(t, y[i]);
        gap = " ";
    }
    tc_text_addf(t, "\" %s/>\n", style);
}

void tc_svg_polyline(tc_text *t, size_t n, const double *x, const double *y, const char *style)
{
    points(t, "polyline", n, x, y, style);
}

void tc_svg_polygon(tc_text *t, size_t n, const double *x, const double *y, const char *style)
{
    points(t, "polygon", n, x, y, style);
}

/* -- text ---------------------------------------------------------------------------------- */

static const char *entity(unsigned char c)
{
    switch (c) {
    case '<':
        return "&lt;";
    case '>':
        return "&gt;";
    case '&':
        return "&amp;";
    case '"':
        return "&quot;";
    default:
        return c < 0x20 || c == 0x7F ? UNKNOWN : NULL;
    }
}

void tc_svg_escape(tc_text *t, const char *s)
{
    while (*s) {
        size_t n = tc_utf8_length(s);
        const char *instead = n ? entity((unsigned char)*s) : UNKNOWN;
        if (instead)
            tc_text_add(t, instead);
        else
            tc_text_add_bytes(t, s, n);
        s += n ? n : 1;
    }
}

static void text(tc_text *t, double x, double y, bool up, const char *style, const char *s)
{
    if (!isfinite(x) || !isfinite(y))
        return;
    tc_text_add(t, "<text");
    add_attribute(t, "x", x);
    add_attribute(t, "y", y);
    if (up) {
        tc_text_add(t, " transform=\"rotate(-90 ");
        add_number(t, x);
        tc_text_add(t, " ");
        add_number(t, y);
        tc_text_add(t, ")\"");
    }
    tc_text_addf(t, " %s>", style);
    tc_svg_escape(t, s);
    tc_text_add(t, "</text>\n");
}

void tc_svg_text(tc_text *t, double x, double y, const char *style, const char *s)
{
    text(t, x, y, false, style, s);
}

void tc_svg_text_up(tc_text *t, double x, double y, const char *style, const char *s)
{
    text(t, x, y, true, style, s);
}

/* -- structure ----------------------------------------------------------------------------- */

void tc_svg_open(tc_text *t, double width, double height, const char *title)
{
    tc_text_add(t, "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n"
                   "<svg xmlns=\"http://www.w3.org/2000/svg\"");
    add_attribute(t, "width", width);
    add_attribute(t, "height", height);
    tc_text_add(t, " viewBox=\"0 0 ");
    add_number(t, width);
    tc_text_add(t, " ");
    add_number(t, height);
    tc_text_add(t, "\" font-family=\"" FONT "\">\n<title>");
    tc_svg_escape(t, title);
    tc_text_add(t, "</title>\n");
    tc_svg_rect(t, 0, 0, width, height, "fill=\"#ffffff\"");
}

void tc_svg_close(tc_text *t)
{
    tc_text_add(t, "</svg>\n");
}

void tc_svg_group_end(tc_text *t)
{
    tc_text_add(t, "</g>\n");
}

void tc_svg_clip_group(tc_text *t, unsigned id, double x, double y, double w, double h)
{
    tc_text_addf(t, "<clipPath id=\"clip%u\">", id);
    tc_svg_rect(t, x, y, w, h, "");
    tc_text_addf(t, "</clipPath>\n<g clip-path=\"url(#clip%u)\">\n", id);
}
