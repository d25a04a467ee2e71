/* left_out.c - see left_out.h. */
#include "algo/fts/left_out.h"

#include "base/error.h"
#include "base/memory.h"
#include "num/la.h"

#include <math.h>
#include <string.h>

void tc_left_out_fini(tc_left_out *l)
{
    double *all[] = {l->B, l->K, l->mean, l->y, l->shift, l->spread, l->f, l->pull, l->back};
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
    if (!room(&l->B, &l->B_cap, M * n) || !room(&l->K, &l->K_cap, n * n) ||
        !room(&l->mean, &l->mean_cap, n) || !room(&l->y, &l->y_cap, n) ||
        !room(&l->shift, &l->shift_cap, n) || !room(&l->spread, &l->spread_cap, n) ||
        !room(&l->f, &l->f_cap, n) || !room(&l->pull, &l->pull_cap, n) ||
        !room(&l->back, &l->back_cap, n))
        return false;
    for (size_t i = 0; i < n; i++)
        l->back[i] = 1;
    return true;
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

/* Lower triangle of A: A <- (A + lambda I)^-1, both triangles. */
static tacit_status invert(size_t n, double lambda, double *A, double *scratch, tacit_error *err)
{
    for (size_t j = 0; j < n; j++)
        A[j + j * n] += lambda;
    TC_TRY(tc_chol_jitter(n, A, n, scratch, NULL, err));
    tc_chol_inverse(n, A, n);
    for (size_t j = 0; j < n; j++)
        for (size_t i = 0; i < j; i++)
            A[i + j * n] = A[j + i * n];
    return TACIT_OK;
}

/* The factor of Q, whose eigenvalues are from 0 to 1. Where points nearly coincide and lambda is tiny, they are lost to
 * the rounding of an inverse, some below -1 with some kernels: what has to be added is more than usual, and makes a draw
 * wider by some lambda, which is tiny there. */
static tacit_status factor(size_t n, double *Q, double *scratch, tacit_error *err)
{
    tacit_error why;
    tacit_status status = tc_chol_jitter(n, Q, n, scratch, NULL, &why);
    for (double added = 1e-3; status == TACIT_E_NUMERIC && added <= 1e6; added *= 10) {
        memcpy(Q, scratch, n * n * sizeof *Q); /* the lower triangle: as it was */
        for (size_t j = 0; j < n; j++)
            Q[j + j * n] += added;
        status = tc_chol_jitter(n, Q, n, scratch, NULL, &why);
    }
    return tc_pass_on(err, status, &why);
}

/* B'B = K / lambda = I - lambda Q */
tacit_status tc_left_out_process(tc_left_out *l, double *C, double *scratch, tacit_error *err)
{
    const size_t n = l->n;
    const double lambda = l->lambda;
    double *Q = C;
    TC_TRY(invert(n, lambda, Q, scratch, err));
    for (size_t i = 0; i < n * n; i++)
        l->K[i] = -lambda * Q[i];
    for (size_t j = 0; j < n; j++) {
        const double pulled = tc_dot(n, Q + j * n, l->y); /* (y_j - m_j) / lambda */
        l->K[j + j * n] += 1;
        l->mean[j] = l->y[j] - lambda * pulled;
        l->shift[j] = pulled / (lambda * Q[j + j * n]);
        l->spread[j] = 1 / (lambda * sqrt(Q[j + j * n]));
    }
    memcpy(Q, l->K, n * n * sizeof *Q); /* its last use was above */
    TC_TRY(factor(n, Q, scratch, err));
    for (size_t i = 0; i < n; i++)
        for (size_t m = 0; m < n; m++)
            l->B[m + i * n] = m <= i ? Q[i + m * n] : 0;
    for (size_t i = 0; i < n * n; i++)
        l->K[i] *= lambda;
    return TACIT_OK;
}

void tc_left_out_draw(tc_left_out *l, const double *e, const double *more)
{
    for (size_t k = 0; k < l->n; k++)
        l->f[k] = l->mean[k];
    tc_gemv('T', l->M, l->n, sqrt(l->lambda), l->B, l->M, e, 1, l->f);
    for (size_t j = 0; j < l->n; j++)
        l->pull[j] = l->shift[j] - l->spread[j] * more[j];
}
