/* sobol.h - Sobol' points with a random digital shift.
 *
 * Direction numbers of Joe and Kuo (2008), up to TC_SOBOL_DIM dimensions; above that, further
 * coordinates are uniform draws from the stream. Point i is computed directly from i (Gray code
 * of i), so any process gets the same i-th point. Plain data: may be copied, needs no end. */
#ifndef TC_NUM_SOBOL_H
#define TC_NUM_SOBOL_H

#include "base/random.h"

#define TC_SOBOL_DIM  64
#define TC_SOBOL_BITS 52

typedef struct tc_sobol {
    size_t dim;
    uint64_t v[TC_SOBOL_DIM][TC_SOBOL_BITS]; /* direction numbers, 52-bit fractions */
    uint64_t shift[TC_SOBOL_DIM];            /* digital shift: xor of the 52 bits */
    tc_stream rest;                          /* dimensions above TC_SOBOL_DIM */
} tc_sobol;

/* Draws the shift from s. A coordinate does not depend on how many others there are. */
void tc_sobol_init(tc_sobol *q, size_t dim, const tc_stream *s);
/* Point number i (from 0, below 2^52) in [0,1)^dim. */
void tc_sobol_point(const tc_sobol *q, uint64_t i, double *u);

#endif
