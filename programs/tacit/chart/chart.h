/* chart.h - charts as SVG: panels of lines with bands, steps and dots with whiskers.
 *
 * Pure drawing: data in, text out. Everything is borrowed for the call. */
#ifndef TC_PROGRAM_CHART_H
#define TC_PROGRAM_CHART_H

#include "base/text.h"

#include <stdint.h>

typedef enum tc_mark { TC_MARK_LINE, TC_MARK_STEP, TC_MARK_DOTS } tc_mark;

#define TC_COLOR_GREY (-1) /* else an index into the palette, taken modulo its length */
#define TC_COLOR_INK  (-2) /* that of the text: for entries of the legend that explain */

typedef struct tc_series {
    const char *label; /* in the legend; NULL: not shown there */
    tc_mark mark;
    int color;
    size_t n;
    const double *x, *y;
    const double *spread;     /* y +- spread as a band, of DOTS as whiskers; NULL: none */
    const double *low, *high; /* DOTS: whiskers from one to the other, in place of spread */
    const double *shade;      /* DOTS: 0 (light) to 1 (dark) for each; NULL: the colour */
    int marker;               /* shape of DOTS, and of some marks on a LINE: 1, 2, ... modulo their
                             number; 0: small circles, and no marks */
    bool ring;                /* DOTS: larger, round and hollow */
    bool dashed;              /* LINE, STEP; and markers are hollow */
    bool faint;               /* LINE, STEP: thin and see-through, one of many */
    bool band_only;           /* LINE, STEP: the band without its middle */
} tc_series;

typedef struct tc_axis {
    const char *label;
    bool log;
    bool whole;               /* counts: ticks at whole numbers only */
    const char *const *names; /* categories at 0, 1, ...; NULL: numbers */
    size_t n_names;
    const double *ticks; /* where they are; NULL: at round numbers */
    size_t n_ticks;
} tc_axis;

/* A number everywhere in the panel, as shades below all else: nx x ny cells of one size on the drawn axes, row by row from
 * below. The axes then run from low to high; of categories, from the first to the last. */
typedef struct tc_field {
    size_t nx, ny;
    double x_low, x_high, y_low, y_high;
    const double *shade; /* of each cell: 0 (light) to 1 (dark) */
} tc_field;

typedef struct tc_panel {
    tc_axis x, y;
    const tc_field *field; /* NULL: none */
    const tc_series *series;
    size_t n_series;
} tc_panel;

typedef struct tc_chart {
    const char *title;
    const char *subtitle; /* NULL: none */
    const tc_panel *panels;
    size_t n_panels;         /* the legend is that of the first */
    const char *shade_label; /* a scale of shades from shade_low to shade_high; NULL: none */
    double shade_low, shade_high;
} tc_chart;

/* A whole SVG document. E_MEMORY is the only failure. */
tacit_status tc_chart_svg(const tc_chart *c, tc_text *out, tacit_error *err);

#endif
