/* blr_dual.c - a linear model of fewer observations than features; see blr.h.
 *
 * By the matrix inversion lemma everything follows from the n x n matrix C = Phi Phi' + lambda I.
 * Kept are W = L^-1, where L L' = C, and z = W y; the rows of Phi are looked at, not changed. A new
 * row phi adds one to L, (l', d) with l = W Phi phi and d^2 = phi'phi + lambda - l'l, so that W gets
 * the row (-l'W, 1)/d and z gets (y - l'z)/d. The mean is nu = Phi' W'z. A draw is one
 * of the prior, corrected by what it gets wrong (Matheron's rule):
 *     w = w0 + Phi' W'(z - W(Phi w0 + sqrt(lambda) e)),   w0, e ~ N(0, I)
 * has the mean nu and the covariance I - Phi' C^-1 Phi = lambda Sigma^-1.
 *
 * d^2 >= lambda is a Schur complement of C; rounding cannot take it below. */
#include "num/blr_int.h"

#include "base/simd.h"
#include "num/normal.h"

#include <math.h>
#include <string.h>

/* p = Phi x */
static void times_rows(const tc_blr *r, const double *x, double *p)
{
    tc_blr_dot_many(r->M, r->n, r->row, x, p);
}

/* w += Phi'a */
TC_CLONES static void blr_add_rows(size_t n, size_t M, const double *const *row,
                                   const double *restrict a, double *restrict w)
{
    size_t i = 0;
    for (; i + 4 <= n; i += 4) {
        const double *r0 = row[i], *r1 = row[i + 1], *r2 = row[i + 2], *r3 = row[i + 3];
        const double a0 = a[i], a1 = a[i + 1], a2 = a[i + 2], a3 = a[i + 3];
        for (size_t j = 0; j < M; j++)
            w[j] = (((w[j] + a0 * r0[j]) + a1 * r1[j]) + a2 * r2[j]) + a3 * r3[j];
    }
    for (; i < n; i++)
        for (size_t j = 0; j < M; j++)
            w[j] += a[i] * row[i][j];
}

void tc_blr_dual_add(tc_blr *r, const double *phi, double y)
{
    const size_t n = r->n, M = r->M;
    double *row = r->W + tc_blr_row_at(n), square = r->lambda + tc_blr_dot(M, phi, phi);
    if (n > 0) {
        times_rows(r, phi, r->p);
        tc_blr_times(n, tc_blr_whole(n, TC_BLR_LANES), r->W, r->p, r->q);
        tc_blr_times_transposed(n, r->W, r->q, r->sum);
        square -= tc_blr_dot(n, r->q, r->q);
    }
    const double d = sqrt(fmax(square, r->lambda));
    for (size_t j = 0; j < n; j++)
        row[j] = -r->sum[j] / d;
    row[n] = 1 / d;
    r->y[n] = y;
    r->latest = (tc_blr_news){.off = y - tc_blr_dot(n, r->q, r->z), .ratio = d * d / r->lambda};
    r->z[n] = r->latest.off / d;
    r->row[n] = phi;
    r->mean_known = false;
}

void tc_blr_dual_mean(tc_blr *r)
{
    memset(r->mean, 0, r->M * sizeof *r->mean);
    if (r->n > 0) {
        tc_blr_times_transposed(r->n, r->W, r->z, r->sum);
        blr_add_rows(r->n, r->M, r->row, r->sum, r->mean);
    }
    r->mean_known = true;
}

void tc_blr_dual_sample(tc_blr *r, tc_stream *s, double *w)
{
    const size_t n = r->n;
    tc_blr_fetch(n, r->W);
    tc_normals(s, r->M, w);
    if (n == 0)
        return;
    tc_normals(s, n, r->q);
    times_rows(r, w, r->p);
    tc_blr_move(n, sqrt(r->lambda), r->q, r->p);
    tc_blr_times(n, tc_blr_whole(n, TC_BLR_LANES), r->W, r->p, r->q);
    for (size_t i = 0; i < n; i++)
        r->q[i] = r->z[i] - r->q[i];
    tc_blr_times_transposed(n, r->W, r->q, r->sum);
    blr_add_rows(n, r->M, r->row, r->sum, w);
}

/* x -= Phi'C^-1 p */
static void correct(tc_blr *r, double *x)
{
    const size_t n = r->n;
    tc_blr_times(n, tc_blr_whole(n, TC_BLR_LANES), r->W, r->p, r->q);
    for (size_t i = 0; i < n; i++)
        r->q[i] = -r->q[i];
    tc_blr_times_transposed(n, r->W, r->q, r->sum);
    blr_add_rows(n, r->M, r->row, r->sum, x);
}

/* lambda Sigma^-1 = I - Phi'C^-1 Phi */
void tc_blr_dual_solve(tc_blr *r, const double *x, double *out)
{
    memcpy(out, x, r->M * sizeof *out);
    if (r->n > 0) {
        times_rows(r, x, r->p);
        correct(r, out);
    }
    for (size_t j = 0; j < r->M; j++)
        out[j] /= r->lambda;
}

/* A draw without the mean; there are no more than M/2 observations. */
void tc_blr_dual_spread(tc_blr *r, const double *e, double *out)
{
    memcpy(out, e, r->M * sizeof *out);
    if (r->n == 0)
        return;
    times_rows(r, e, r->p);
    tc_blr_move(r->n, sqrt(r->lambda), e + r->M, r->p);
    correct(r, out);
}
