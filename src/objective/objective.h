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
 * brings it back. So the optimum is unchanged and attained.
 *
 * "table:FILE.csv" is an objective from measurements. Every row is a candidate of a finite domain.
 * The value columns are the one named by table-value, V, and those named V_1, V_2, ...; all others
 * are parameters; every field is a number. Of several value columns an objective is the first, or
 * (table-columns=replicates) their mean, and then an observation is one of them at random. The
 * optimum is exact. All agents of a federation at once: family.h. */
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
    double lengthscale; /* gp-sample, rkhs-*, gp-family, as a fraction of the range */
    int64_t grid;       /* of the same: candidates per axis; 0: its own (gp-sample: continuous) */
    char *table_value;  /* table: name of the value columns; NULL: "value" */
    int table_goal;     /* table: maximize|minimize */
    int table_columns;  /* table: agents|replicates */
} tc_objective_opts;
extern const tc_option tc_objective_options[];

/* The rows of that table for a struct that holds a tc_objective_opts at offset `at`, in two parts:
 * these, and TC_TABLE_OPTION_ROWS. */
#define TC_OBJECTIVE_OPTION_ROWS(at)                                                               \
    TC_OBJECTIVE_ROWS_WITH(at, "none", "none|gaussian|uniform|student-t|pareto", "0.2", 0.001,     \
                           "gp-sample, rkhs-*: length-scale, as a fraction of the range",          \
                           "gp-sample, rkhs-*: candidates per axis; 0: its own")

/* The same with other defaults (family.h). `laws` begins with the ones above, in that order. */
#define TC_OBJECTIVE_ROWS_WITH(at, law, laws, length, length_min, length_help, grid_help)          \
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
         .def = law,                                                                               \
         .choices = laws,                                                                          \
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
         .def = length,                                                                            \
         .min = length_min,                                                                        \
         .max = 10,                                                                                \
         .help = length_help},                                                                     \
    {                                                                                              \
        .name = "grid", .type = TC_OPTION_INT, .offset = (at) + offsetof(tc_objective_opts, grid), \
        .def = "0", .max = 1e6, .help = grid_help, .value = "N"                                    \
    }

/* The rows that only a table reads. Without them its values are "value", to be maximised. */
#define TC_TABLE_OPTION_ROWS(at)                                                                   \
    {.name = "table-value",                                                                        \
     .type = TC_OPTION_STRING,                                                                     \
     .offset = (at) + offsetof(tc_objective_opts, table_value),                                    \
     .help = "table: name V of the value columns V, V_1, V_2, ...; \"value\" unless given",        \
     .value = "V"},                                                                                \
        {.name = "table-goal",                                                                     \
         .type = TC_OPTION_CHOICE,                                                                 \
         .offset = (at) + offsetof(tc_objective_opts, table_goal),                                 \
         .def = "maximize",                                                                        \
         .choices = "maximize|minimize",                                                           \
         .help = "table: which values are good"},                                                  \
    {                                                                                              \
        .name = "table-columns", .type = TC_OPTION_CHOICE,                                         \
        .offset = (at) + offsetof(tc_objective_opts, table_columns), .def = "agents",              \
        .choices = "agents|replicates",                                                            \
        .help = "table: several value columns are one per agent, or repeated measurements"         \
    }

typedef struct tc_objective_info {
    const char *name, *summary, *source;
} tc_objective_info;
const tc_objective_info *const *tc_objectives(void); /* NULL-terminated */

/* An objective may be a file of values: "table:FILE.csv" (value_table.c). */
#define TC_TABLE_PREFIX "table:"
bool tc_value_table_named(const char *name); /* does it begin so? */

/* takes.c. Does an objective, or family, look at the option? Of some options it is as if they were
 * not there. *who: those that do, in words. */
bool tc_objective_takes(const char *objective, const char *option, const char **who);

/* `name`: one of the above, or "table:FILE.csv". `seed` fixes the shift and the shape of random
 * objectives. E_ARG: unknown name, or a table that is not one (names file, row and column);
 * E_NOT_FOUND: no such file. */
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
