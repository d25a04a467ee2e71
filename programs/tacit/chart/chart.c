/* chart.c - the layout of a chart: title, legend, panels, scale of shades. See chart.h.
 *
 * panel.c draws the inside of a panel. */
#include "chart/chart_int.h"

#include "base/error.h"
#include "chart/svg.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#define MARGIN      20.0
#define COLUMNS     3
#define CHAR_WIDTH  6.8 /* of 12.5 px text, about */
#define SECOND_LINE 16.0
#define SHADE_WIDTH 150.0 /* of the scale, to the right of title and subtitle */

typedef struct layout {
    size_t columns, rows;
    double panel_w, panel_h; /* with axes */
    double top;              /* where the panels begin */
    double width, height;
} layout;

size_t tc_characters(const char *s)
{
    size_t n = 0;
    for (; *s; s++)
        n += ((unsigned char)*s >> 6) != 2;
    return n;
}

/* -- legend -------------------------------------------------------------------------------- */

/* What the widest entry takes, the sign before it and the room behind it. */
static double entry_width(const tc_panel *p)
{
    size_t most = 0;
    for (size_t i = 0; i < p->n_series; i++) {
        size_t n = p->series[i].label ? tc_characters(p->series[i].label) : 0;
        most = n > most ? n : most;
    }
    return TC_LEGEND_SIGN + CHAR_WIDTH * (double)most + 14;
}

/* Places entries in columns, row by row; draws them unless t is NULL. Returns the height. */
static double legend(tc_text *t, const tc_panel *p, double y, double width)
{
    const double row_height = 19, w = entry_width(p);
    size_t columns = (size_t)fmax((width - 2 * MARGIN) / w, 1), n = 0;
    for (size_t i = 0; i < p->n_series; i++) {
        if (!p->series[i].label)
            continue;
        if (t)
            tc_legend_entry(t, &p->series[i], MARGIN + w * (double)(n % columns),
                            y + row_height * (double)(n / columns) + 10);
        n++;
    }
    return row_height * (double)((n + columns - 1) / columns);
}

/* -- scale of shades ----------------------------------------------------------------------- */

/* Few enough digits that both ends and what is between them have room. */
static void shade_ends(char low[16], char high[16], const tc_chart *c)
{
    int n = snprintf(low, 16, "%.6g", c->shade_low), k = snprintf(high, 16, "%.6g", c->shade_high);
    if (n <= 6 && k <= 6)
        return;
    snprintf(low, 16, "%.3g", c->shade_low);
    snprintf(high, 16, "%.3g", c->shade_high);
}

static void shade_scale(tc_text *t, const tc_chart *c, const layout *l)
{
    const double w = SHADE_WIDTH, h = 9, x = l->width - MARGIN - w, y = 30;
    char style[64], low[16], high[16];
    for (int i = 0; i < 50; i++) {
        char color[8];
        tc_shade_color(color, i / 49.0);
        snprintf(style, sizeof style, "fill=\"%s\"", color);
        tc_svg_rect(t, x + w * i / 50, y, w / 50 + 0.4, h, style);
    }
    shade_ends(low, high, c);
    tc_svg_text(t, x, y + h + 13, TC_SMALL_TEXT, low);
    tc_svg_text(t, x + w, y + h + 13, TC_SMALL_TEXT " text-anchor=\"end\"", high);
    tc_svg_text(t, x + w / 2, y + h + 13, TC_SMALL_TEXT " text-anchor=\"middle\"", c->shade_label);
}

/* -- the whole ----------------------------------------------------------------------------- */

/* How many bytes of s stand in the first line: all, or up to a blank. */
static size_t first_line(const char *s, double room)
{
    size_t fits = (size_t)(room / CHAR_WIDTH), blank = strlen(s);
    if (tc_characters(s) <= fits)
        return blank;
    for (size_t i = 0, n = 0; s[i] && n < fits; i++) {
        n += ((unsigned char)s[i] >> 6) != 2;
        if (s[i] == ' ')
            blank = i;
    }
    return blank;
}

static double subtitle_room(const tc_chart *c, const layout *l)
{
    return l->width - 2 * MARGIN - (c->shade_label ? SHADE_WIDTH + 20 : 0);
}

static layout lay_out(const tc_chart *c)
{
    layout l = {.columns = 1, .rows = 1, .panel_w = 720, .panel_h = 400};
    if (c->n_panels > 1) {
        l.columns = c->n_panels == 2 || c->n_panels == 4 ? 2 : COLUMNS;
        l.rows = (c->n_panels + l.columns - 1) / l.columns;
        l.panel_w = l.columns == 2 ? 380 : 320;
        l.panel_h = 280;
    }
    double standing = 0;
    for (size_t i = 0; i < c->n_panels; i++)
        standing = fmax(standing, tc_panel_standing(&c->panels[i], l.panel_w));
    l.panel_h += standing;
    l.width = 2 * MARGIN + (double)l.columns * l.panel_w;
    double header = c->subtitle ? 60 : 40;
    if (c->subtitle && c->subtitle[first_line(c->subtitle, subtitle_room(c, &l))])
        header += SECOND_LINE;
    if (c->shade_label && header < 60)
        header = 60;
    l.top = header + 6;
    if (c->n_panels)
        l.top += legend(NULL, &c->panels[0], 0, l.width);
    l.height = l.top + (double)l.rows * l.panel_h + MARGIN / 2;
    return l;
}

/* In one line, or in two. */
static void subtitle(tc_text *t, const char *s, double room)
{
    static const char style[] = "font-size=\"12.5\" fill=\"#666666\"";
    size_t n = first_line(s, room);
    tc_text first = {0};
    tc_text_add_bytes(&first, s, n);
    tc_svg_text(t, MARGIN, 51, style, tc_text_get(&first));
    if (s[n])
        tc_svg_text(t, MARGIN, 51 + SECOND_LINE, style, s + n + 1);
    t->failed = t->failed || first.failed;
    tc_text_fini(&first);
}

static void header(tc_text *t, const tc_chart *c, const layout *l)
{
    tc_svg_text(t, MARGIN, 32, "font-size=\"17\" font-weight=\"bold\" fill=\"#1a1a1a\"", c->title);
    if (c->subtitle)
        subtitle(t, c->subtitle, subtitle_room(c, l));
    if (c->shade_label)
        shade_scale(t, c, l);
    if (c->n_panels)
        legend(t, &c->panels[0], l->top - 6 - legend(NULL, &c->panels[0], 0, l->width), l->width);
}

tacit_status tc_chart_svg(const tc_chart *c, tc_text *out, tacit_error *err)
{
    layout l = lay_out(c);
    tc_svg_open(out, l.width, l.height, c->title);
    header(out, c, &l);
    for (size_t i = 0; i < c->n_panels; i++) {
        tc_frame frame = {.x = MARGIN + (double)(i % l.columns) * l.panel_w,
                          .y = l.top + (double)(i / l.columns) * l.panel_h,
                          .w = l.panel_w,
                          .h = l.panel_h};
        tc_panel panel = c->panels[i];
        if (i % l.columns) /* the values of a row are named once */
            panel.y.label = NULL;
        tc_panel_draw(out, &panel, &frame, (unsigned)i);
    }
    tc_svg_close(out);
    return out->failed ? tc_fail_memory(err) : TACIT_OK;
}
