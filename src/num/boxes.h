/* boxes.h - a region bounded by a front, cut into disjoint boxes.
 *
 * Of a set of points that are to be maximised and a reference point below them, the dominated region is what lies above the
 * reference and below some point; the open region is what lies above the reference and is dominated by none. Both are unions of
 * boxes whose corners follow from the local upper bounds of the set (Lacour, Klamroth and Fonseca, "A box decomposition
 * algorithm to compute the hypervolume indicator", 2017): n + 1 boxes of two objectives, some 2n of three, 10n of four. */
#ifndef TC_NUM_BOXES_H
#define TC_NUM_BOXES_H

#include <tacit/status.h>

#include <stdbool.h>
#include <stddef.h>

typedef struct tc_boxes {
    size_t k; /* objectives */
    size_t n;
    double *low, *high; /* n x k, a row for each */
    size_t low_cap, high_cap;
    /* Scratch: local upper bounds, and their defining points; twice, as the open region takes two passes. */
    struct tc_corners {
        size_t n;
        double *at, *by; /* n x k; n x k x k */
        size_t at_cap, by_cap;
    } corners[2];
} tc_boxes;

/* All-zero is an empty one. */
void tc_boxes_fini(tc_boxes *b);
/* n rows of k >= 1 values, in any order; points that are dominated, or not above the reference in every coordinate, count
 * for nothing. */
tacit_status tc_boxes_dominated(tc_boxes *b, size_t n, size_t k, const double *Y,
                                const double *reference, tacit_error *err);
/* high may be INFINITY. */
tacit_status tc_boxes_open(tc_boxes *b, size_t n, size_t k, const double *Y,
                           const double *reference, tacit_error *err);

#endif
