/* fgp_tile.c - loops over one tile of candidates: where the time of a finite-domain study goes.
 *
 * A sum over t rows is made eight rows at a time: the partial sum then passes through the
 * registers once for eight rows, and the loop runs as fast as the rows can be read. */
#include "num/fgp_tile.h"

#include "base/simd.h"

#include <math.h>
#include <stdbool.h>

TC_CLONES static void tile_take8(size_t m, const double *restrict a, double *const *row,
                                 size_t from, double *restrict out)
{
    const double a0 = a[0], a1 = a[1], a2 = a[2], a3 = a[3];
    const double a4 = a[4], a5 = a[5], a6 = a[6], a7 = a[7];
    const double *v0 = row[0] + from, *v1 = row[1] + from, *v2 = row[2] + from;
    const double *v3 = row[3] + from, *v4 = row[4] + from, *v5 = row[5] + from;
    const double *v6 = row[6] + from, *v7 = row[7] + from;
    for (size_t j = 0; j < m; j++) {
        double sum = out[j];
        sum -= a0 * v0[j];
        sum -= a1 * v1[j];
        sum -= a2 * v2[j];
        sum -= a3 * v3[j];
        sum -= a4 * v4[j];
        sum -= a5 * v5[j];
        sum -= a6 * v6[j];
        sum -= a7 * v7[j];
        out[j] = sum;
    }
}

TC_CLONES static void tile_take2(size_t m, const double *restrict a, double *const *row,
                                 size_t from, double *restrict out)
{
    const double a0 = a[0], a1 = a[1];
    const double *v0 = row[0] + from, *v1 = row[1] + from;
    for (size_t j = 0; j < m; j++) {
        double sum = out[j];
        sum -= a0 * v0[j];
        sum -= a1 * v1[j];
        out[j] = sum;
    }
}

TC_CLONES static void tile_take1(size_t m, double a, const double *restrict v, double *restrict out)
{
    for (size_t j = 0; j < m; j++)
        out[j] -= a * v[j];
}

void tc_tile_subtract(size_t t, const double *a, double *const *row, size_t from, size_t m,
                      double *out)
{
    size_t i = 0;
    for (; i + 8 <= t; i += 8)
        tile_take8(m, a + i, row + i, from, out);
    for (; i + 2 <= t; i += 2)
        tile_take2(m, a + i, row + i, from, out);
    if (i < t)
        tile_take1(m, a[i], row[i] + from, out);
}

TC_CLONES static void tile_finish(size_t m, double inverse, double z, double *restrict u,
                                  double *restrict mean, double *restrict var)
{
    for (size_t j = 0; j < m; j++) {
        const double v = u[j] * inverse;
        const double rest = var[j] - v * v;
        u[j] = v;
        mean[j] += v * z;
        var[j] = rest > 0 ? rest : 0;
    }
}

void tc_tile_finish(size_t m, double s, double z, double *u, double *mean, double *var)
{
    tile_finish(m, 1 / s, z, u, mean, var);
}

TC_CLONES static void tile_scores(size_t m, double width, const double *restrict mean,
                                  const double *restrict var, double *restrict score)
{
    for (size_t j = 0; j < m; j++)
        score[j] = mean[j] + width * sqrt(var[j]);
}

/* The largest of m scores, m a multiple of 8: eight running maxima, since a compiler may not split
 * one. */
TC_CLONES static double tile_largest(size_t m, const double *restrict score)
{
    double lane[8], best;
    for (size_t k = 0; k < 8; k++)
        lane[k] = score[k]; // NOLINT(clang-analyzer-core.uninitialized.Assign): m >= 8
    for (size_t j = 8; j < m; j += 8)
        for (size_t k = 0; k < 8; k++)
            lane[k] = score[j + k] > lane[k] ? score[j + k] : lane[k];
    best = lane[0];
    for (size_t k = 1; k < 8; k++)
        best = lane[k] > best ? lane[k] : best;
    return best;
}

double tc_tile_best(size_t m, double width, const double *mean, const double *var,
                    const unsigned char *skip, size_t *at)
{
    double score[TC_TILE + 7], best;
    size_t padded = (m + 7) / 8 * 8, j = 0;
    tile_scores(m, width, mean, var, score);
    for (size_t i = 0; skip != NULL && i < m; i++)
        if (skip[i] != 0)
            score[i] = -(double)INFINITY;
    for (size_t i = m; i < padded; i++)
        score[i] = -(double)INFINITY;
    best = tile_largest(padded, score);
    while (j < m && score[j] < best)
        j++;
    *at = j;
    return best;
}
