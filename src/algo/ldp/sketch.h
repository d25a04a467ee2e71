/* sketch.h - a Gaussian process over n arms in the features of a dictionary, with counted plays.
 *
 * phi(x) are features that span k(s, .) for the arms s of a dictionary: phi(x)'phi(x') is the
 * kernel projected on that span (Nystrom). With c_a plays of arm a, V = sum_a c_a phi_a phi_a' +
 * lambda I = L L', and for several columns of values Y at once
 *
 *     W = L^-1 [phi(x_1) ... phi(x_n) | Phi'Y] = [U | Z]
 *     mean     phi(x)' V^-1 Phi'y      = U_x' z
 *     variance k - phi'phi + lambda phi'V^-1 phi = rest_x + lambda |U_x|^2
 *
 * where the rows of Phi are plays. A play of arm a adds phi_a phi_a' to V: m plane rotations of W,
 * O(m (n + targets)); an arm that joins the dictionary adds a row, as much (docs/math.md, "Local
 * privacy"). Neither L nor V is kept, and nothing grows with the number of plays. If every arm that
 * was played is in the dictionary, mean and variance are those of the exact Gaussian process. */
#ifndef TC_ALGO_LDP_SKETCH_H
#define TC_ALGO_LDP_SKETCH_H

#include <tacit/status.h>

#include <stddef.h>

typedef struct tc_sketch {
    size_t n;       /* arms */
    size_t targets; /* columns of values */
    size_t m;       /* features */
    size_t cap;     /* rows that phi and W have room for */
    double lambda;
    double *phi;   /* m x n, by rows */
    double *W;     /* m x (n + targets), by rows */
    double *prior; /* n: k(x, x) */
    double *rest;  /* n: k(x, x) - phi'phi, >= 0 */
    double *count; /* n: plays */
    double *sums;  /* n x targets, by rows: the values of each arm, added up */
    double *aside; /* n + targets: scratch */
    double gain;   /* 1/2 ln det(V / lambda): the information gain */
} tc_sketch;

/* prior: k(x, x) of the n arms, copied. Whatever init left, fini ends; all-zero too. */
tacit_status tc_sketch_init(tc_sketch *s, size_t n, size_t targets, double lambda,
                            const double *prior, tacit_error *err);
void tc_sketch_fini(tc_sketch *s);

/* Arm a joins the dictionary; k: its covariance with all arms. An arm that the features already
 * span to working precision adds none. */
tacit_status tc_sketch_add(tc_sketch *s, size_t a, const double *k, tacit_error *err);
/* Empties the dictionary; plays and values stay. */
void tc_sketch_clear(tc_sketch *s);
/* One play of arm a, in the dictionary or not; y: one value for each target. */
void tc_sketch_observe(tc_sketch *s, size_t a, const double *y);

/* z of target j, one for each feature: stride n + targets. */
const double *tc_sketch_weights(const tc_sketch *s, size_t j, size_t *stride);
/* out[x] = U_x' z, z with this stride */
void tc_sketch_mean(const tc_sketch *s, const double *z, size_t stride, double *out);
void tc_sketch_variance(const tc_sketch *s, double *out);

#endif
