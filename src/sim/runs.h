/* runs.h - what all simulations of many runs share (simulation.c, source_*.c) and their callers. */
#ifndef TC_SIM_RUNS_H
#define TC_SIM_RUNS_H

#include "algo/algorithm.h"
#include "algo/tree/bandit.h"
#include "base/text.h"

/* Run r of a simulation gets its seeds from (seed, r) alone. The objective's does not depend on
 * the algorithm, so simulations with one seed are paired. */
typedef struct tc_run_seeds {
    uint64_t study; /* a whole number that JSON carries exactly */
    tc_public_seed objective;
} tc_run_seeds;
tc_run_seeds tc_run_seeds_of(uint64_t seed, uint64_t run);

/* Whatever has a table of options. */
typedef struct tc_optioned {
    const char *name;
    const tc_option *options;
    size_t size;
} tc_optioned;
tc_optioned tc_optioned_algorithm(const tc_algorithm *a);
tc_optioned tc_optioned_bandit(const tc_bandit *b);
/* Its option struct: defaults, then `given` (may be NULL). End with tc_optioned_free. E_ARG names the
 * option. */
tacit_status tc_optioned_new(const tc_optioned *of, const json_t *given, void **out,
                             tacit_error *err);
void tc_optioned_free(const tc_optioned *of, void *opts); /* NULL is allowed */
/* Adds words name=value to `given`, checked and typed by the table. */
tacit_status tc_optioned_take(const tc_optioned *of, json_t *given, size_t n,
                              const char *const *words, tacit_error *err);
/* Its options in force: as given, the rest from its defaults. Caller decrefs. */
tacit_status tc_optioned_in_force(const tc_optioned *of, const json_t *given, json_t **out,
                                  tacit_error *err);
/* The same of an algorithm, and what it chooses by what is public of env. */
tacit_status tc_options_begun(const tc_algorithm *a, const json_t *given, const tc_env *env,
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
