/* cover.h - points that cover a space evenly, one after another: a scrambled Sobol' sequence.
 *
 * Of a space with linear constraints the points of the sequence that satisfy them; where they are fewer than one in
 * sixteen, a walk's (walk.h) from then on. For spaces that are not finite sets. */
#ifndef TC_ALGO_SINGLE_COVER_H
#define TC_ALGO_SINGLE_COVER_H

#include "algo/single/walk.h"
#include "num/boxmax.h"
#include "num/sobol.h"

typedef struct tc_cover {
    const tc_space *space;
    tc_sobol sobol;
    uint64_t next, found; /* how many points of the sequence were looked at, and taken */
    bool walks;
    tc_walk walk;
    const tc_stream *stream; /* of the caller, who keeps it */
} tc_cover;

void tc_cover_init(tc_cover *c, const tc_space *s, const tc_stream *stream);
void tc_cover_next(tc_cover *c, double *values);

/* Keeps an ascent in the unit cube of s inside of the linear constraints, where there are any. */
void tc_cover_limit(tc_boxmax *p, const tc_space *s);

#endif
