/* projection.h - rows projected to fewer, public directions before they get noise.
 *
 * Kenthapadi, Korolova, Mironov, Mishra (2013). Noise in D columns weakens what the modeler can see of
 * a distance more than noise in r < D does. The directions are orthonormal and drawn from a public
 * seed, so that they tell nothing. Called by row_curator.c. */
#ifndef TC_ALGO_OUTSOURCED_PROJECTION_H
#define TC_ALGO_OUTSOURCED_PROJECTION_H

#include "base/memory.h"

#include <tacit/status.h>

#include <stddef.h>
#include <stdint.h>

typedef struct tc_projection {
    size_t dims, rank;
    const double *low, *high;   /* dims: public bounds of a row; borrowed */
    double *P;                  /* dims x rank column-major, columns orthonormal */
    double *out_low, *out_high; /* rank: no projected row is beyond */
    double radius; /* no projected row moves by more, where a row moves by the radius given */
    tc_arena memory;
} tc_projection;

/* E_ARG: rank is not in 1..dims-1. End with tc_projection_fini, also after a failure. */
tacit_status tc_projection_init(tc_projection *p, size_t dims, size_t rank, uint64_t seed,
                                const double *low, const double *high, double radius,
                                tacit_error *err);
void tc_projection_fini(tc_projection *p);
/* A row, clamped first. out: rank. */
void tc_projection_apply(const tc_projection *p, const double *row, double *out);

#endif
