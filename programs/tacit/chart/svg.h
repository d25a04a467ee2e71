/* svg.h - writing SVG: a few shapes, safe text, and coordinates that are always numbers.
 *
 * Coordinates are pixels. A shape with a coordinate that is not finite is left out (of a line: that
 * point), so no NaN reaches a file. `style` is written as given: attributes, never user text. */
#ifndef TC_PROGRAM_SVG_H
#define TC_PROGRAM_SVG_H

#include "base/text.h"

void tc_svg_open(tc_text *t, double width, double height, const char *title);
void tc_svg_close(tc_text *t);

/* Shapes between this and the group's end are cut at the rectangle. id: unique in the file. */
void tc_svg_clip_group(tc_text *t, unsigned id, double x, double y, double w, double h);
void tc_svg_group_end(tc_text *t);

void tc_svg_rect(tc_text *t, double x, double y, double w, double h, const char *style);
void tc_svg_line(tc_text *t, double x1, double y1, double x2, double y2, const char *style);
void tc_svg_circle(tc_text *t, double x, double y, double r, const char *style);
void tc_svg_polyline(tc_text *t, size_t n, const double *x, const double *y, const char *style);
void tc_svg_polygon(tc_text *t, size_t n, const double *x, const double *y, const char *style);
/* s is UTF-8 from anywhere: markup is escaped, control characters become U+FFFD. */
void tc_svg_text(tc_text *t, double x, double y, const char *style, const char *s);
/* The same, turned 90 degrees to the left about (x, y). */
void tc_svg_text_up(tc_text *t, double x, double y, const char *style, const char *s);

/* s as XML character data. */
void tc_svg_escape(tc_text *t, const char *s);

#endif
