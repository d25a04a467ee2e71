/* runs.h - what all simulations of many runs share (simulate.c, federated.c, pull_runs.c). */
#ifndef TC_SIM_RUNS_H
#define TC_SIM_RUNS_H

#include "algo/algorithm.h"
#include "base/text.h"

/* Run r of a simulation gets its seeds from (seed, r) alone. The objective's does not depend on
 * the algorithm, so simulations with one seed are paired. */
typedef struct tc_run_seeds {
    uint64_t study; /* a whole number that JSON carries exactly */
    tc_public_seed objective;
} tc_run_seeds;
tc_run_seeds tc_run_seeds_of(uint64_t seed, uint64_t run);

/* An algorithm's options in force: as given (may be NULL), the rest from its defaults. Caller
 * decrefs. E_ARG names the option. */
tacit_status tc_options_in_force(const tc_algorithm *a, const json_t *options, json_t **out,
                                 tacit_error *err);

/* The same, and what the algorithm chooses by what is public of env (NULL: nothing). */
tacit_status tc_options_begun(const tc_algorithm *a, const json_t *options, const tc_env *env,
                              json_t **out, tacit_error *err);

/* Mean and standard error of column t of n rows of `width` numbers. The error is 0 for one row,
 * and where the mean is not finite. */
void tc_runs_moments(const double *rows, size_t n, size_t width, size_t t, double *mean,
                     double *se);

/* The first real failure in run order; E_CANCELLED only if there is no other. */
tacit_status tc_runs_failure(const tacit_error *errors, size_t n, tacit_error *err);

/* Adds the hash of a table to the identity of a simulation, nothing for other objectives: a table may
 * change under its name. */
tacit_status tc_runs_add_table(tc_text *out, const char *objective, tacit_error *err);

#endif
