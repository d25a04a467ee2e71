/* linear.h - linear constraints on the values of a space, such as "x + 2*y <= 3".
 *
 * A space owns its constraints. They are over floats, ints and bools (0 and 1) that have no condition, or over the
 * columns of candidates; they speak of values, also where a parameter is searched on a log scale. tc_space_check refuses
 * a point that violates one, and tc_space_decode and tc_design_values give points that satisfy them: what would violate
 * one is moved to the nearest point that does not.
 *
 * Geometry is done in *shares*: (value - low) / (largest - low) of each constrained parameter, where constraints are
 * half-spaces and the space is a cube. A space has a *room*: the deepest point of what is left of that cube,
 * far ends of it, and one representable point that satisfies everything, which every repair can fall back upon. */
#ifndef TC_SPACE_LINEAR_H
#define TC_SPACE_LINEAR_H

#include "space/space.h"

#define TC_LINEAR_MAX      64
#define TC_LINEAR_TEXT_MAX 4096 /* bytes of one constraint */

typedef struct tc_term {
    size_t column; /* a parameter, or a column of candidates */
    double factor; /* never 0 */
} tc_term;

typedef struct tc_linear {
    tc_term *terms; /* by column; the first factor is positive */
    size_t n_terms;
    bool at_least; /* sum >= bound; else sum <= bound */
    double bound;
    char *text; /* canonical: "x + 2*y <= 3" */
} tc_linear;

typedef struct tc_room {
    size_t n;                 /* constrained parameters: */
    size_t *param;            /* their numbers, rising */
    double *span;             /* of the values of each, or 0: it has one value */
    size_t rows;              /* half-spaces A t <= b, of length 1, ... */
    double *A, *b;            /* rows x n, row by row */
    double *norm;             /* ... and what they were divided by */
    double *deepest, *anchor; /* shares; the anchor is representable */
    double *values;           /* of the anchor, exactly */
    size_t n_ends;            /* far ends, each n shares: for searches that walk along thin rooms */
    double *ends;
    bool discrete; /* some constrained parameter is not continuous */
    tc_arena memory;
} tc_room;

/* linear_parse.c: `text` as a constraint of s, in memory of s. E_ARG says what is wrong with it. */
tacit_status tc_linear_parse(tc_space *s, const char *text, tc_linear *out, tacit_error *err);

/* linear_room.c: what the constraints of s leave. E_ARG: (almost) nothing. */
tacit_status tc_room_new(tc_room **out, const tc_space *s, tacit_error *err);
void tc_room_free(tc_room *r);
/* Nearest shares inside of the half-spaces, by at least `margin` where that can be had. hold[i]: share i stays (NULL: none). */
void tc_room_project(const tc_room *r, const unsigned char *hold, double margin, double *t);
double tc_room_share(const tc_space *s, size_t k, double value); /* of constrained parameter k */
double tc_room_value(const tc_space *s, size_t k,
                     double share); /* the representable value next to it */

/* Do the values satisfy all constraints? To the rounding of their sums: within 1e-12 of the sizes of the terms. */
bool tc_linear_holds(const tc_space *s, const double *values);
/* E_ARG names the first one that is violated. */
tacit_status tc_linear_check(const tc_space *s, const double *values, tacit_error *err);

/* linear_repair.c: moves constrained values to the nearest shares that satisfy everything, or near them where parameters
 * have steps. Leaves values that do as they are, and those of other parameters always. */
void tc_linear_repair(const tc_space *s, double *values);

/* linear_repair.c: for searches in the unit cube: by how much u violates each constraint, as a distance in shares, and
 * its slopes along u (n_linear rows of dim). Not for candidates. */
void tc_linear_excess(const tc_space *s, const double *u, double *excess, double *slopes);

json_t *tc_linear_json(const tc_space *s); /* the texts; NULL: no memory */
tacit_status tc_linear_from_json(tc_space *s, const json_t *array, tacit_error *err);
tacit_status tc_linear_copy(tc_space *to, const tc_space *from, tacit_error *err);
void tc_linear_free(tc_space *s);
/* Does a constraint have parameter i? */
bool tc_linear_has(const tc_space *s, size_t i);

#endif
