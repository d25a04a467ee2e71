/* objective_int.h - what one objective is made of; for the files of this folder only. */
#ifndef TC_OBJECTIVE_OBJECTIVE_INT_H
#define TC_OBJECTIVE_OBJECTIVE_INT_H

#include "objective/objective.h"

/* Coordinates of the largest objective: a point fits on the stack. */
#define TC_OBJECTIVE_DIM 64

typedef struct tc_gp_sample tc_gp_sample;
typedef struct tc_value_table tc_value_table;

typedef struct tc_objective_kind {
    tc_objective_info info;
    bool maximize;
    size_t dim;              /* its own dimension, the default */
    size_t max_dim;          /* equal to dim: it has no other */
    double low[2], high[2];  /* range of the first and of every further coordinate */
    double optimum;          /* not for gp-sample, which finds its own */
    const double *optimiser; /* dim coordinates; NULL: the origin */
    double (*value)(size_t dim, const double *x); /* NULL: gp-sample, and where ... */
    /* ... the seed and the options (lengthscale, grid) make a table of values. */
    tacit_status (*tabulate)(tc_value_table **out, const tc_objective_opts *opts,
                             const tc_public_seed *seed, tacit_error *err);
    /* Not a box of numbers: adds its parameters, and makes coordinates in [low, high] of their values. A shift moves
     * the coordinates that are not `whole`. */
    tacit_status (*add_parameters)(tc_space *space, tacit_error *err);
    void (*coordinates)(const double *values, double *x);
    const bool *whole;
    const char *linear; /* a linear constraint on its parameters; NULL: none. It takes no shift */
} tc_objective_kind;

extern const tc_objective_kind tc_objective_branin, tc_objective_hartmann6, tc_objective_himmelblau,
    tc_objective_branin_linear, tc_objective_hartmann6_linear, tc_objective_ackley,
    tc_objective_rastrigin, tc_objective_garland, tc_objective_doublesine, tc_objective_tuning,
    tc_objective_pipeline, tc_objective_gp_sample, tc_objective_rkhs_se, tc_objective_rkhs_matern52;

/* objective.c, for families. The shift that the seed gives at `step`; 0 is the objective's own. */
void tc_objective_draw_shift(const tc_objective *o, double scale, const tc_public_seed *seed,
                             uint64_t step, double *shift);
/* The value under another shift than its own; NULL: none. */
double tc_objective_shifted_value(const tc_objective *o, const double *shift, const double *values);
size_t tc_objective_dim(const tc_objective *o);
/* The best of n > 0 values. */
double tc_best_value(size_t n, const double *values, bool maximize);

/* gp_sample.c. The optimiser found, `dim` coordinates; the values of a grid instead when the
 * options ask for one. */
tacit_status tc_gp_sample_new(tc_gp_sample **out, size_t dim, const tc_objective_opts *opts,
                              const tc_public_seed *seed, tacit_error *err);
void tc_gp_sample_free(tc_gp_sample *g);
double tc_gp_sample_value(const tc_gp_sample *g, const double *x);
const double *tc_gp_sample_optimiser(const tc_gp_sample *g);
double tc_gp_sample_optimum(const tc_gp_sample *g);
const tc_domain *tc_gp_sample_domain(const tc_gp_sample *g); /* NULL: continuous */

/* grid_draw.c: draws of a Gaussian process on an even grid of [0,1]^dim, exact. */
typedef struct tc_grid_gp {
    size_t dim, per_axis, points; /* points = per_axis^dim */
    size_t rank;                  /* of one axis */
    double *factor;               /* per_axis x rank, column-major: k(axis, axis) = F F' */
    size_t capacity;
} tc_grid_gp;

/* SE kernel of variance 1. E_ARG: too few or too many points. */
tacit_status tc_grid_gp_init(tc_grid_gp *g, size_t dim, size_t per_axis, double lengthscale,
                             tacit_error *err);
void tc_grid_gp_fini(tc_grid_gp *g);
/* out and scratch: `points` each; out in the order of tc_domain_grid. */
void tc_grid_gp_draw(const tc_grid_gp *g, tc_stream *s, double *scratch, double *out);

/* value_table.c. */
struct tc_value_table {
    tc_domain *domain; /* the parameter columns */
    size_t columns;    /* value columns */
    bool maximize;
    double *values; /* n x columns, column-major */
    double *means;  /* of each row, where the columns are replicates; else NULL */
    tc_arena memory;
};

/* `name` is "table:FILE.csv". */
tacit_status tc_value_table_new(tc_value_table **out, const char *name,
                                const tc_objective_opts *opts, tacit_error *err);
void tc_value_table_free(tc_value_table *t);
/* What is optimised: the first column, or the means. */
const double *tc_value_table_values(const tc_value_table *t);
/* One of a row's replicates, each as likely. */
double tc_value_table_draw(const tc_value_table *t, size_t row, tc_stream *s);

/* observation.c. */
/* In the order of the option's choices (TACIT_OBJECTIVE_FIELDS). */
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
