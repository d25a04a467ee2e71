/* design.h - points that do not look at any data: uniform and Sobol'.
 *
 * Point number i is a function of (seed, i) and, on discrete spaces, of what is handed out at the
 * moment: a point that somebody has is passed over while others are left. The Sobol' sequence also passes
 * over candidates that have a value.
 *
 * Points satisfy the linear constraints of their space: point number i of the Sobol' sequence is the i-th of its points
 * that do. Where too few do, it is a walk's (walk.h), keyed by i. */
#ifndef TC_ALGO_SINGLE_DESIGN_H
#define TC_ALGO_SINGLE_DESIGN_H

#include "algo/algorithm.h"
#include "num/sobol.h"

/* A uniform point of the space, secret to the party. */
void tc_design_uniform(const tc_env *env, uint64_t i, double *values);

/* The same within one of P regions (space/partition.h), which the party has drawn for itself. */
void tc_design_region(const tc_env *env, size_t P, uint64_t i, double *values);

/* The study's scrambled Sobol' sequence over [0,1]^n_params; one axis per
 * parameter, so a choice takes one axis, not one per one-hot coordinate. Candidates that are a grid
 * have one for each of its axes; others one for all: their number. */
typedef struct tc_design {
    const tc_env *env;
    tc_sobol sobol;
} tc_design;
void tc_design_init(tc_design *d, const tc_env *env);
/* The same for a party of its own: agents of one study cover the space together. */
void tc_design_init_party(tc_design *d, const tc_env *env);
void tc_design_point(const tc_design *d, uint64_t i, double *values);

/* The values at the fractions t in [0,1)^n_params of each parameter's range. Where they violate a linear constraint,
 * the nearest that do not. */
void tc_design_values(const tc_space *s, const double *t, double *values);
/* The same, whether they violate one or not. */
void tc_design_box(const tc_space *s, const double *t, double *values);

/* Is u one of the n points U (n x dim, column-major)? To the bit. */
bool tc_among(const double *u, size_t n, size_t dim, const double *U, size_t ld);

#endif
