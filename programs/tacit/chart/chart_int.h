/* chart_int.h - what chart.c, panel.c and marks.c share. */
#ifndef TC_PROGRAM_CHART_INT_H
#define TC_PROGRAM_CHART_INT_H

#include "chart/chart.h"

#define TC_SMALL_TEXT  "font-size=\"11.5\" fill=\"#555555\""
#define TC_SMALL_WIDTH 6.6 /* of a character of it, about */

/* Characters, not bytes. */
size_t tc_characters(const char *s);

typedef struct tc_frame {
    double x, y, w, h; /* a rectangle in pixels */
} tc_frame;

/* Axes, ticks and series of one panel inside the frame; id is unique in the document. */
void tc_panel_draw(tc_text *t, const tc_panel *p, const tc_frame *frame, unsigned id);
/* How much taller a panel of width w is for names that are too long to lie. */
double tc_panel_standing(const tc_panel *p, double w);

/* marks.c */
const char *tc_series_color(const tc_series *s);
const char *tc_series_dash(const tc_series *s); /* an attribute with a blank before it, or "" */
/* The marker of point i of s, at a pixel; nothing where that is not finite. */
void tc_marker_draw(tc_text *t, const tc_series *s, size_t i, double x, double y);
void tc_whisker_draw(tc_text *t, const tc_series *s, double x, double low, double high);
enum { TC_LEGEND_SIGN = 38 }; /* where the label begins */
/* The sign of s and its label, with the text's middle at height y. */
void tc_legend_entry(tc_text *t, const tc_series *s, double x, double y);
/* "#rrggbb" for a share in [0, 1], light to dark. */
void tc_shade_color(char out[8], double share);

#endif
