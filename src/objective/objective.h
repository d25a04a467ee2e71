/* objective.h - built-in functions to optimise, with a known optimum.
 *
 * Each has its space, its direction, its optimum (so that regret is known) and
 * optional shift and observation noise. Definitions and ranges follow the
 * papers' code where they use one; every entry names its source.
 *
 * The shift: f(x) becomes f(fold(x - s)), s_d ~ N(0, shift x range) drawn from
 * the seed; fold reflects a coordinate at the borders of its range until it is
 * inside, so the shifted function is continuous where f is. Reflection alone
 * could hide the optimiser; where it would, s_d changes its sign, which always
 * brings it back. So the optimum is unchanged and attained. */
#ifndef TC_OBJECTIVE_OBJECTIVE_H
#define TC_OBJECTIVE_OBJECTIVE_H

#include "base/options.h"
#include "base/random.h"
#include "space/space.h"

typedef struct tc_objective tc_objective;

/* Options shared by all objectives (table: tc_objective_options). */
typedef struct tc_objective_opts {
    int64_t dim;  /* 0: the objective's own */
    double shift; /* sd of a random horizontal shift, as a fraction of the range; 0 none */
    int noise;    /* none|gaussian|uniform|student-t|pareto */
    double
        noise_scale; /* sd (gaussian), half width (uniform), scale (student-t 3 dof; pareto shape 2) */
    double lengthscale; /* gp-sample, as a fraction of the range */
    int64_t grid;       /* gp-sample: candidates per axis; 0: continuous */
} tc_objective_opts;
extern const tc_option tc_objective_options[];

/* The rows of that table for a struct that holds a tc_objective_opts at offset `at`. */
#define TC_OBJECTIVE_OPTION_ROWS(at)                                                               \
    {.name = "dim",                                                                                \
     .type = TC_OPTION_INT,                                                                        \
     .offset = (at) + offsetof(tc_objective_opts, dim),                                            \
     .def = "0",                                                                                   \
     .max = 64,                                                                                    \
     .help = "dimension of the objective; 0: its own",                                             \
     .value = "N"},                                                                                \
        {.name = "shift",                                                                          \
         .type = TC_OPTION_FLOAT,                                                                  \
         .offset = (at) + offsetof(tc_objective_opts, shift),                                      \
         .def = "0",                                                                               \
         .max = 1,                                                                                 \
         .help = "sd of a random horizontal shift, as a fraction of the range"},                   \
        {.name = "noise",                                                                          \
         .type = TC_OPTION_CHOICE,                                                                 \
         .offset = (at) + offsetof(tc_objective_opts, noise),                                      \
         .def = "none",                                                                            \
         .choices = "none|gaussian|uniform|student-t|pareto",                                      \
         .help = "law of the observation noise"},                                                  \
        {.name = "noise-scale",                                                                    \
         .type = TC_OPTION_FLOAT,                                                                  \
         .offset = (at) + offsetof(tc_objective_opts, noise_scale),                                \
         .def = "0.1",                                                                             \
         .max = 1e6,                                                                               \
         .help = "sd (gaussian), half width (uniform) or scale (student-t, pareto) of the noise"}, \
        {.name = "lengthscale",                                                                    \
         .type = TC_OPTION_FLOAT,                                                                  \
         .offset = (at) + offsetof(tc_objective_opts, lengthscale),                                \
         .def = "0.2",                                                                             \
         .min = 0.001,                                                                             \
         .max = 10,                                                                                \
         .help = "gp-sample: length-scale, as a fraction of the range"},                           \
    {                                                                                              \
        .name = "grid", .type = TC_OPTION_INT, .offset = (at) + offsetof(tc_objective_opts, grid), \
        .def = "0", .max = 1e6, .help = "gp-sample: candidates per axis; 0: continuous",           \
        .value = "N"                                                                               \
    }

typedef struct tc_objective_info {
    const char *name, *summary, *source;
} tc_objective_info;
const tc_objective_info *const *tc_objectives(void); /* NULL-terminated */

/* `seed` fixes the shift and the shape of random objectives. E_ARG: unknown name. */
tacit_status tc_objective_new(tc_objective **out, const char *name, const tc_objective_opts *opts,
                              tc_public_seed seed, tacit_error *err);
void tc_objective_free(tc_objective *o);
const tc_space *tc_objective_space(const tc_objective *o);
bool tc_objective_maximize(const tc_objective *o);
bool tc_objective_any_dim(const tc_objective *o);   /* does it take another `dim`? */
double tc_objective_optimum(const tc_objective *o); /* best noise-free value */
/* Noise-free value at a point; thread-safe. */
double tc_objective_value(const tc_objective *o, const double *values);
/* value + one draw of observation noise. */
double tc_objective_observe(const tc_objective *o, const double *values, tc_stream *s);
/* optimum - value (maximise) or value - optimum: never below 0. */
double tc_objective_regret(const tc_objective *o, const double *values);

#endif
