/* walk.h - uniform points of a space with linear constraints, however little they leave.
 *
 * Hit and run: from a point inside, along lines that stay inside, to a uniform point of each. Lines go along single
 * parameters, also those with steps and on log scales, along random directions, and along the room from one far end towards another,
 * which is what crosses thin rooms. The density is uniform on the unit cube, as tc_design_uniform's is; the point is
 * nearly independent of where the walk began. Every point satisfies the constraints: a step that rounding would carry outside is
 * not made. Only for spaces that have a room (space/linear.h). */
#ifndef TC_ALGO_SINGLE_WALK_H
#define TC_ALGO_SINGLE_WALK_H

#include "base/random.h"
#include "space/linear.h"

typedef struct tc_walk {
    const tc_space *space;
    tc_stream stream;
    double t[TC_PARAMS_MAX]; /* where it is, in shares */
    double values
        [TC_PARAMS_MAX]; /* the same as values; of parameters without constraints, the last draw */
    double slack[TC_LINEAR_MAX]; /* of each half-space */
    double along[TC_PARAMS_MAX]; /* a direction */
} tc_walk;

/* Starts inside, and walks until that does not matter. Takes its draws from a far part of *stream, which stays as it
 * is. */
void tc_walk_init(tc_walk *w, const tc_space *s, const tc_stream *stream);
/* Walks on, and gives the point: of parameters in no constraint a uniform draw. */
void tc_walk_next(tc_walk *w, double *values);

#endif
