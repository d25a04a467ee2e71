/* blr_primal.c - a linear model of any number of observations; see blr.h.
 *
 * Kept is W = L^-1, where L L' = Sigma: the square-root covariance filter (Carlson 1973) rather than
 * the information filter, so that draws and means are products with W', without a solve whose steps
 * wait for each other.
 *
 * A new row phi makes Sigma + phi phi' = L (I + p p') L', p = W phi. The factor K of I + p p' is
 * known: with t_k = 1 + p_0^2 + ... + p_{k-1}^2, row k of K^-1 V is
 *     sqrt(t_k / t_{k+1}) (V_k - p_k / t_k * (p_0 V_0 + ... + p_{k-1} V_{k-1})),
 * and W becomes K^-1 W. The sums over all rows are W'p = Sigma^-1 phi, which the mean moves along
 * (Kalman's gain): nu += W'p (y - phi'nu) / t_M. A draw is nu + sqrt(lambda) W'eps. */
#include "num/blr_int.h"

#include "base/simd.h"
#include "num/normal.h"

#include <math.h>
#include <string.h>

enum { STRIP = TC_BLR_STRIP };

/* Rows of whole strips; those beyond M are 0. */
static size_t rows_of(const tc_blr *r)
{
    return tc_blr_whole(r->M, STRIP);
}

/* What is known of nothing. */
void tc_blr_primal_begin(tc_blr *r)
{
    const size_t room = tc_blr_whole(r->M, TC_BLR_LANES);
    memset(r->W, 0, tc_blr_row_at(room) * sizeof *r->W);
    memset(r->mean, 0, r->M * sizeof *r->mean);
    memset(r->p, 0, room * sizeof *r->p);
    memset(r->q, 0, room * sizeof *r->q);
    for (size_t k = 0; k < r->M; k++)
        r->W[tc_blr_row_at(k) + k] = 1 / sqrt(r->lambda);
    r->primal = r->mean_known = true;
}

TC_CLONES static void blr_gains(size_t rows, const double *restrict p, const double *restrict t,
                                double *restrict shrink, double *restrict pull)
{
    for (size_t k = 0; k < rows; k++) {
        shrink[k] = sqrt(t[k] / t[k + 1]);
        pull[k] = p[k] / t[k];
    }
}

/* W = K^-1 W */
TC_CLONES static void blr_rotate(size_t rows, double *restrict W, const double *restrict a,
                                 const double *restrict b, const double *restrict p,
                                 double *restrict sum)
{
    for (size_t j = 0; j < tc_blr_width(rows - 1); j++)
        sum[j] = 0;
    for (size_t k = 0; k < rows; k += STRIP) {
        const size_t n = tc_blr_width(k);
        double *restrict W0 = W, *restrict W1 = W + n, *restrict W2 = W + 2 * n,
                         *restrict W3 = W + 3 * n;
        const double a0 = a[k], a1 = a[k + 1], a2 = a[k + 2], a3 = a[k + 3];
        const double b0 = b[k], b1 = b[k + 1], b2 = b[k + 2], b3 = b[k + 3];
        const double p0 = p[k], p1 = p[k + 1], p2 = p[k + 2], p3 = p[k + 3];
        for (size_t j = 0; j < n; j++) {
            const double w0 = W0[j], w1 = W1[j], w2 = W2[j], w3 = W3[j];
            const double s0 = sum[j], s1 = s0 + p0 * w0, s2 = s1 + p1 * w1, s3 = s2 + p2 * w2;
            W0[j] = a0 * (w0 - b0 * s0);
            W1[j] = a1 * (w1 - b1 * s1);
            W2[j] = a2 * (w2 - b2 * s2);
            W3[j] = a3 * (w3 - b3 * s3);
            sum[j] = s3 + p3 * w3;
        }
        W += STRIP * n;
    }
}

void tc_blr_primal_add(tc_blr *r, const double *phi, double y)
{
    const size_t rows = rows_of(r);
    tc_blr_times(r->M, r->M, r->W, phi, r->p);
    r->t[0] = 1;
    for (size_t k = 0; k < rows; k++)
        r->t[k + 1] = r->t[k] + r->p[k] * r->p[k];
    blr_gains(rows, r->p, r->t, r->shrink, r->pull);
    blr_rotate(rows, r->W, r->shrink, r->pull, r->p, r->sum);
    r->latest = (tc_blr_news){.off = y - tc_blr_dot(r->M, phi, r->mean), .ratio = r->t[rows]};
    tc_blr_move(r->M, r->latest.off / r->latest.ratio, r->sum, r->mean);
}

void tc_blr_primal_solve(tc_blr *r, const double *x, double *out)
{
    tc_blr_times(r->M, r->M, r->W, x, r->q);
    tc_blr_times_transposed(r->M, r->W, r->q, r->sum);
    memcpy(out, r->sum, r->M * sizeof *out);
}

void tc_blr_primal_spread(tc_blr *r, const double *e, double *out)
{
    memcpy(r->q, e, r->M * sizeof *e);
    tc_blr_times_transposed(r->M, r->W, r->q, r->sum);
    memset(out, 0, r->M * sizeof *out);
    tc_blr_move(r->M, sqrt(r->lambda), r->sum, out);
}

void tc_blr_primal_sample(tc_blr *r, tc_stream *s, double *w)
{
    tc_blr_fetch(r->M, r->W);
    tc_normals(s, r->M, r->q);
    tc_blr_times_transposed(r->M, r->W, r->q, r->sum);
    memcpy(w, r->mean, r->M * sizeof *w);
    tc_blr_move(r->M, sqrt(r->lambda), r->sum, w);
}
