/* fgp_tile.h - the inner loops of the finite-domain GP over one tile. For fgp.c alone.
 *
 * Every loop treats each candidate alone and adds its terms in the order of the observations:
 * neither the width of the vectors nor the cut into tiles changes a bit. */
#ifndef TC_NUM_FGP_TILE_H
#define TC_NUM_FGP_TILE_H

#include <stddef.h>

/* Candidates a tile: the new row, mean and variance of a tile stay in the first cache, and the runs
 * are long enough for the hardware to read ahead. */
#define TC_TILE 1024

/* out -= sum_i a[i] row[i][from .. from+m), i < t */
void tc_tile_subtract(size_t t, const double *a, double *const *row, size_t from, size_t m,
                      double *out);
/* v = u / s in place of u, mean += v z, var = max(var - v^2, 0) */
void tc_tile_finish(size_t m, double s, double z, double *u, double *mean, double *var);
/* The largest mean + width sqrt(var) of m <= TC_TILE candidates and, in *at, where it is first;
 * -INFINITY if all are skipped. skip may be NULL. */
double tc_tile_best(size_t m, double width, const double *mean, const double *var,
                    const unsigned char *skip, size_t *at);

#endif
