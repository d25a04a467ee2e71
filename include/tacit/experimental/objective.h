/* tacit/experimental/objective.h - options of the built-in objectives that simulations run on.
 *
 * EXPERIMENTAL: no promise is made about this header (simulate.h). `tacit objectives` lists the objectives,
 * and which of these options each looks at. */
#ifndef TACIT_EXPERIMENTAL_OBJECTIVE_H
#define TACIT_EXPERIMENTAL_OBJECTIVE_H

#include <stddef.h>
#include <stdint.h>

/* Of one objective. */
typedef struct tc_objective_opts {
    int64_t dim;  /* 0: the objective's own */
    double shift; /* sd of a random horizontal shift, as a fraction of the range; 0 none */
    int noise;    /* none|gaussian|uniform|student-t|pareto */
    double
        noise_scale; /* sd (gaussian), half width (uniform), scale (student-t 3 dof; pareto shape 2) */
    double lengthscale; /* gp-sample, rkhs-*, gp-family, as a fraction of the range */
    int64_t grid;       /* of the same: candidates per axis; 0: its own (gp-sample: continuous) */
    char *table_value;  /* table: name of the value columns; NULL: "value" */
    int table_goal;     /* table: maximize|minimize */
    int table_columns;  /* table: agents|replicates */
} tacit_objective_options;

/* Of the objectives of all agents of a federation. A family has its own noise law and length-scale unless
 * others are given: gp-family gaussian and 0.03, the rest none and 0.2. */
typedef struct tc_family_opts {
    tacit_objective_options
        objective;        /* noise may also be TACIT_NOISE_OWN, lengthscale 0: its own */
    double heterogeneity; /* gp-family: factor of each agent's own draw */
    double distance; /* gp-family: > 0: exact distance to agent 0 instead, as in the FTS paper */
} tacit_family_options;

#define TACIT_NOISE_OWN 5 /* the choice behind the laws of tacit_objective_options */

#endif
