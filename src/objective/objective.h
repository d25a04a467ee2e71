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

#include <tacit/experimental/fields.h>
#include <tacit/experimental/objective.h>

typedef struct tc_objective tc_objective;

/* Options shared by all objectives (table: tc_objective_options). */
typedef tacit_objective_options tc_objective_opts;
extern const tc_option tc_objective_options[];

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
