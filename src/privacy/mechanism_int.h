/* mechanism_int.h - what the mechanisms share: public bounds, scales rounded to the safe side. */
#ifndef TC_PRIVACY_MECHANISM_INT_H
#define TC_PRIVACY_MECHANISM_INT_H

#include "privacy/mechanism.h"

__extension__ typedef unsigned __int128 tc_wide;

#define TC_SD_LOW  (UINT64_C(1) << 20) /* steps: a Gaussian's sd lies in [low, high) */
#define TC_SD_HIGH (UINT64_C(1) << 24)

/* Larger than the relative rounding error of a handful of operations on doubles. */
#define TC_ROUND_UP (1 + 0x1p-49)

uint64_t tc_root_up(tc_wide x); /* ceil(sqrt(x)) */

/* Is the norm of v at most `clip` <= TC_SUM_CLIP_MAX? Any values: 64 bits are enough. */
bool tc_clip_within(const int64_t *v, size_t n, uint64_t clip);

tacit_status tc_bounds_check(tc_bounds b, size_t n, tacit_error *err);
/* Into [low, high]; what is not finite becomes the midpoint. */
double tc_bounds_clamp(double x, double low, double high);
double tc_bounds_reach(tc_bounds b, size_t n); /* the largest |bound| */

/* epsilon in [1e-5, max] */
tacit_status tc_epsilon_check(double epsilon, double max, tacit_error *err);
/* Steps t with delta / t + n / (4 t^2) <= epsilon, the smallest or little more: n coordinates that
 * together move by delta steps are then as safe as the event TACIT_DP_LAPLACE says (mechanism.c).
 * delta in [n, 2^62), n in [1, 2^62), epsilon in [1e-5, 1024]. */
uint64_t tc_laplace_scale(uint64_t delta, size_t n, double epsilon);

/* The grid on which sd has from 2^bits to 2^(bits+1) steps. E_ARG: sd or the data are so large or
 * small that the data or a step would not fit. */
tacit_status tc_grid_choose(double sd, int bits, double reach, int *grid, tacit_error *err);
int64_t tc_grid_nearest(double x, int grid); /* |x| 2^grid < 2^61 */

/* Laplace noise on a grid of its own: for sensitivity `l1` in n coordinates at once. */
typedef struct tc_laplace_grid {
    int grid;
    uint64_t delta, scale; /* steps */
} tc_laplace_grid;
tacit_status tc_laplace_grid_for(double l1, size_t n, double epsilon, double reach,
                                 tc_laplace_grid *out, tacit_error *err);

#endif
