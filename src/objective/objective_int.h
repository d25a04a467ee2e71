/* objective_int.h - what one objective is made of; for the files of this folder only. */
#ifndef TC_OBJECTIVE_OBJECTIVE_INT_H
#define TC_OBJECTIVE_OBJECTIVE_INT_H

#include "objective/objective.h"

/* Coordinates of the largest objective: a point fits on the stack. */
#define TC_OBJECTIVE_DIM 64

typedef struct tc_gp_sample tc_gp_sample;

typedef struct tc_objective_kind {
    tc_objective_info info;
    bool maximize;
    size_t dim;              /* its own dimension, the default */
    size_t max_dim;          /* equal to dim: it has no other */
    double low[2], high[2];  /* range of the first and of every further coordinate */
    double optimum;          /* not for gp-sample, which finds its own */
    const double *optimiser; /* dim coordinates; NULL: the origin */
    double (*value)(size_t dim, const double *x); /* NULL: gp-sample */
} tc_objective_kind;

extern const tc_objective_kind tc_objective_branin, tc_objective_hartmann6, tc_objective_himmelblau,
    tc_objective_ackley, tc_objective_rastrigin, tc_objective_garland, tc_objective_doublesine,
    tc_objective_gp_sample;

/* gp_sample.c. The optimiser found, `dim` coordinates; the values of a grid instead when the
 * options ask for one. */
tacit_status tc_gp_sample_new(tc_gp_sample **out, size_t dim, const tc_objective_opts *opts,
                              const tc_public_seed *seed, tacit_error *err);
void tc_gp_sample_free(tc_gp_sample *g);
double tc_gp_sample_value(const tc_gp_sample *g, const double *x);
const double *tc_gp_sample_optimiser(const tc_gp_sample *g);
double tc_gp_sample_optimum(const tc_gp_sample *g);
const tc_domain *tc_gp_sample_domain(const tc_gp_sample *g); /* NULL: continuous */

/* observation.c. */
/* In the order of the option's choices (TC_OBJECTIVE_OPTION_ROWS). */
typedef enum tc_observation_noise {
    TC_OBSERVE_EXACT,
    TC_OBSERVE_GAUSSIAN,
    TC_OBSERVE_UNIFORM,
    TC_OBSERVE_STUDENT_T,
    TC_OBSERVE_PARETO
} tc_observation_noise;

/* One draw with mean 0. */
double tc_observation_noise_draw(tc_observation_noise kind, double scale, tc_stream *s);

#endif
