/* point.h - a point from names and texts: cells of a CSV row, --param words.
 *
 * A candidate of a finite space is named by "point", by its coordinates, or by
 * both if they agree. A conditional parameter is given where it is active, and there alone; empty text is
 * none. */
#ifndef TC_PROGRAM_POINT_H
#define TC_PROGRAM_POINT_H

#include <tacit/space.h>

typedef struct tc_point {
    const tacit_space *space;
    double *values; /* one per parameter */
    bool *given;    /* whether it is set */
    bool *changed;  /* whether it was set since start */
    double *raw;    /* finite space: one per coordinate, and whether it is set */
    bool *raw_given;
    bool set, moved; /* since start, some parameter or coordinate was set */
} tc_point;

/* The space is borrowed. End with fini, also after a failure. */
tacit_status tc_point_init(tc_point *p, const tacit_space *space, tacit_error *err);
void tc_point_fini(tc_point *p);

/* Nothing is set (values NULL), or all is, to these. */
void tc_point_start(tc_point *p, const double *values);
/* The number of what `name` may set, for later tc_point_set; SIZE_MAX: nothing. */
size_t tc_point_find(const tc_point *p, const char *name);
/* E_ARG: text is not a value of that parameter. */
tacit_status tc_point_set(tc_point *p, size_t what, const char *text, tacit_error *err);
/* A word "name=value" of --param, which has its "=". E_ARG: there is no such parameter, or it has no such value. */
tacit_status tc_point_set_word(tc_point *p, const char *word, tacit_error *err);
/* Checks that the point is whole and in the space: then p->values is it. */
tacit_status tc_point_end(tc_point *p, tacit_error *err);

#endif
