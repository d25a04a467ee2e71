/* chart_int.h - what chart.c and panel.c share. */
#ifndef TC_PROGRAM_CHART_INT_H
#define TC_PROGRAM_CHART_INT_H

#include "chart.h"

#define TC_SMALL_TEXT "font-size=\"11.5\" fill=\"#555555\""

typedef struct tc_frame {
    double x, y, w, h; /* a rectangle in pixels */
} tc_frame;

/* Axes, ticks and series of one panel inside the frame; id is unique in the document. */
void tc_panel_draw(tc_text *t, const tc_panel *p, const tc_frame *frame, unsigned id);
/* The sign of s and its label, with the text's middle at height y. */
void tc_legend_entry(tc_text *t, const tc_series *s, double x, double y);
/* "#rrggbb" for a share in [0, 1], light to dark. */
void tc_shade_color(char out[8], double share);

#endif
