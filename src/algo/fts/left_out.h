/* left_out.h - an agent's model without one of its observations, for each of them at once. For rgpe.c.
 *
 * With m and K the posterior mean and covariance of f at the n observed points, the model that has
 * not seen observation j has there
 *
 *     m_-j = m - K_j (y_j - m_j) / (lambda - K_jj),   K_-j = K + K_j K_j' / (lambda - K_jj)
 *
 * (K_j: column j), by the formula of Sherman and Morrison for Sigma - phi_j phi_j'. So a draw of f
 * and one more normal number make a draw of f_-j at all n points together: no model is fitted
 * again. n models take O(M^2 n + M n^2) to prepare, one draw of all of them O(M n + n^2).
 *
 * Of a Gaussian process with the prior covariance C at these points, Q = (C + lambda I)^-1 has all of it:
 * m = y - lambda Q y, K = lambda I - lambda^2 Q, and lambda - K_jj = lambda^2 Q_jj.
 *
 * Where an observation has noise of a known variance v beside lambda, it is one of c f with c = sqrt(lambda/(lambda + v)):
 * the caller puts c phi, c m, c y and c C c in their places and 1/c into `back`. */
#ifndef TC_ALGO_FTS_LEFT_OUT_H
#define TC_ALGO_FTS_LEFT_OUT_H

#include <tacit/status.h>

#include <stdbool.h>
#include <stddef.h>

typedef struct tc_left_out {
    size_t n, M;
    double lambda;
    double *B;              /* M x n: L^-1 Phi', L L' = Sigma, so that K = lambda B'B */
    double *K;              /* n x n */
    double *mean, *y;       /* n */
    double *shift, *spread; /* n: (y_j - m_j) / (lambda - K_jj), 1 / sqrt(lambda - K_jj) */
    double *f, *pull;       /* n: the last draw */
    double *back;           /* n: from the numbers above to f; 1 after tc_left_out_room */
    size_t B_cap, K_cap, mean_cap, y_cap, shift_cap, spread_cap, f_cap, pull_cap, back_cap;
} tc_left_out; /* all zero: empty */

void tc_left_out_fini(tc_left_out *l);
/* Sets n, M and lambda; the caller then writes phi_i into column i of B, and mean and y. False: out
 * of memory. */
bool tc_left_out_room(tc_left_out *l, size_t n, size_t M, double lambda);
/* L: M x M, the factor of Sigma with all observations. */
void tc_left_out_prepare(tc_left_out *l, const double *L);
/* The same for a Gaussian process: room is for M = n, and only y is written. C: its prior covariance at the n
 * points (lower triangle), n x n; scratch: n x n. Both are overwritten. */
tacit_status tc_left_out_process(tc_left_out *l, double *C, double *scratch, tacit_error *err);
/* From normal numbers e (M) and more (n). The models share the draw of f: each of them has its own
 * law, and nothing is said about two of them together. */
void tc_left_out_draw(tc_left_out *l, const double *e, const double *more);

/* f_-j at point k in the last draw. */
static inline double tc_left_out_at(const tc_left_out *l, size_t j, size_t k)
{
    return (l->f[k] - l->K[k + j * l->n] * l->pull[j]) * l->back[k];
}

#endif
