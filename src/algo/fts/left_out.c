/* left_out.c - see left_out.h. */
#include "algo/fts/left_out.h"

#include "base/memory.h"
#include "num/la.h"

#include <math.h>

void tc_left_out_fini(tc_left_out *l)
{
    double *all[] = {l->B, l->K, l->mean, l->y, l->shift, l->spread, l->f, l->pull};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        tc_free(all[i]);
}

static bool room(double **p, size_t *cap, size_t n)
{
    return tc_grow((void **)p, cap, n, sizeof **p);
}

bool tc_left_out_room(tc_left_out *l, size_t n, size_t M, double lambda)
{
    l->n = n;
    l->M = M;
    l->lambda = lambda;
    return room(&l->B, &l->B_cap, M * n) && room(&l->K, &l->K_cap, n * n) &&
           room(&l->mean, &l->mean_cap, n) && room(&l->y, &l->y_cap, n) &&
           room(&l->shift, &l->shift_cap, n) && room(&l->spread, &l->spread_cap, n) &&
           room(&l->f, &l->f_cap, n) && room(&l->pull, &l->pull_cap, n);
}

/* lambda - K_jj is lambda (1 - h) with the leverage h < 1, which rounding must not bring to 1. */
void tc_left_out_prepare(tc_left_out *l, const double *L)
{
    size_t n = l->n, M = l->M;
    tc_solve_lower_many(M, n, L, M, l->B, M);
    tc_gemm('T', 'N', n, n, M, l->lambda, l->B, M, l->B, M, 0, l->K, n);
    for (size_t j = 0; j < n; j++) {
        double rest = fmax(l->lambda - l->K[j + j * n], 1e-12 * l->lambda);
        l->shift[j] = (l->y[j] - l->mean[j]) / rest;
        l->spread[j] = 1 / sqrt(rest);
    }
}

void tc_left_out_draw(tc_left_out *l, const double *e, const double *more)
{
    for (size_t k = 0; k < l->n; k++)
        l->f[k] = l->mean[k];
    tc_gemv('T', l->M, l->n, sqrt(l->lambda), l->B, l->M, e, 1, l->f);
    for (size_t j = 0; j < l->n; j++)
        l->pull[j] = l->shift[j] - l->spread[j] * more[j];
}
