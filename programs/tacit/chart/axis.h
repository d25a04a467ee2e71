/* axis.h - from data to pixels along one axis, and where its ticks go. */
#ifndef TC_PROGRAM_AXIS_H
#define TC_PROGRAM_AXIS_H

#include <stdbool.h>
#include <stddef.h>

typedef struct tc_scale {
    bool log;
    bool whole;       /* ticks at whole numbers only */
    double low, high; /* data; low < high, above 0 where log */
    double from, to;  /* pixels of low and high */
} tc_scale;

/* Widens a range of data to one that can be drawn, however large: finite, not empty, above 0 where log, with
 * `pad` (a fraction of its length) added at both ends. */
void tc_scale_range(tc_scale *s, double low, double high, double pad);
/* Pixel of v. On a log scale, what is not above 0 lies far below the low end. */
double tc_scale_at(const tc_scale *s, double v);

#define TC_TICKS 24
typedef struct tc_ticks {
    size_t n;
    double at[TC_TICKS];
    char label[TC_TICKS][24];
} tc_ticks;

/* About `want` ticks at round numbers inside the range. */
void tc_ticks_choose(tc_ticks *t, const tc_scale *s, size_t want);

#endif
