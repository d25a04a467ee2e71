/* blr_triangle.c - products with packed lower triangles and vectors, for the forms of a linear
 * model (blr_int.h). All sums are in a fixed order on fixed lanes: one result on every processor. */
#include "num/blr_int.h"

#include "base/simd.h"

enum { LANES = TC_BLR_LANES, STRIP = TC_BLR_STRIP };

static inline double dot_on_lanes(size_t n, const double *restrict a, const double *restrict b)
{
    double lane[LANES] = {0}, rest = 0;
    size_t j = 0;
    for (; j + LANES <= n; j += LANES)
        for (size_t l = 0; l < LANES; l++)
            lane[l] += a[j + l] * b[j + l];
    for (; j < n; j++)
        rest += a[j] * b[j];
    return (((lane[0] + lane[4]) + (lane[2] + lane[6])) +
            ((lane[1] + lane[5]) + (lane[3] + lane[7]))) +
           rest;
}

TC_CLONES static double blr_dot(size_t n, const double *restrict a, const double *restrict b)
{
    return dot_on_lanes(n, a, b);
}

TC_CLONES static void blr_dot_many(size_t n, size_t count, const double *const *a,
                                   const double *restrict b, double *restrict out)
{
    for (size_t i = 0; i < count; i++)
        out[i] = dot_on_lanes(n, a[i], b);
}

void tc_blr_dot_many(size_t n, size_t count, const double *const *a, const double *b, double *out)
{
    blr_dot_many(n, count, a, b, out);
}

double tc_blr_dot(size_t n, const double *a, const double *b)
{
    return blr_dot(n, a, b);
}

TC_CLONES static void blr_times(size_t n, size_t most, const double *restrict W,
                                const double *restrict x, double *restrict p)
{
    for (size_t k = 0; k < n; k++) {
        const size_t width = tc_blr_width(k);
        p[k] = dot_on_lanes(width < most ? width : most, W, x);
        W += width;
    }
}

void tc_blr_times(size_t n, size_t most, const double *W, const double *x, double *p)
{
    blr_times(n, most, W, x, p);
}

TC_CLONES static void blr_times_transposed(size_t rows, const double *restrict W,
                                           const double *restrict u, double *restrict w)
{
    for (size_t j = 0; j < tc_blr_width(rows - 1); j++)
        w[j] = 0;
    for (size_t k = 0; k < rows; k += STRIP) {
        const size_t n = tc_blr_width(k);
        const double *W1 = W + n, *W2 = W1 + n, *W3 = W2 + n;
        const double u0 = u[k], u1 = u[k + 1], u2 = u[k + 2], u3 = u[k + 3];
        for (size_t j = 0; j < n; j++)
            w[j] = (((w[j] + u0 * W[j]) + u1 * W1[j]) + u2 * W2[j]) + u3 * W3[j];
        W += STRIP * n;
    }
}

void tc_blr_times_transposed(size_t n, const double *W, const double *u, double *w)
{
    blr_times_transposed(tc_blr_whole(n, STRIP), W, u, w);
}

TC_CLONES static void blr_move(size_t n, double by, const double *restrict x, double *restrict v)
{
    for (size_t j = 0; j < n; j++)
        v[j] += by * x[j];
}

void tc_blr_move(size_t n, double by, const double *x, double *v)
{
    blr_move(n, by, x, v);
}

/* Prefetches W while the normals of a draw are made: with many models few are in the near cache. */
void tc_blr_fetch(size_t n, const double *W)
{
    for (size_t i = 0; i < tc_blr_row_at(n); i += LANES)
        __builtin_prefetch(W + i, 0, 2);
}
