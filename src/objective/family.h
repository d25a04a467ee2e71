/* family.h - the objectives of a federation: N agents, one objective each, over one space.
 *
 *   gp-family       agents that resemble each other: on a finite grid of [0,1]^dim, one draw of a
 *                   Gaussian process shared by all plus a smaller one of each agent's own
 *   branin, ...     every objective of objective.h, shifted by another vector for each agent
 *   table:FILE.csv  measurements, one value column per agent (or one for all)
 *
 * Agent n's objective is a function of name, options, seed and n: it does not depend on how many
 * others there are. Agent 0 of a shifted objective or of a table is the objective that
 * tc_objective_new makes from the same options and seed. A finished family may be read by any
 * number of threads. On finite domains a value is one look into a table, and optima are exact. */
#ifndef TC_OBJECTIVE_FAMILY_H
#define TC_OBJECTIVE_FAMILY_H

#include "objective/objective.h"

typedef struct tc_family tc_family;

/* `objective` is read as for tc_objective_new, except for what a family has of its own. */
typedef tacit_family_options tc_family_opts;
extern const tc_option tc_family_options[];

/* The families that are not in tc_objectives(); NULL-terminated. */
const tc_objective_info *const *tc_families(void);

/* The options with the noise law and length-scale in force; strings are borrowed. */
tc_family_opts tc_family_resolve_defaults(const char *name, const tc_family_opts *opts);
/* The length-scale that its functions are drawn with; 0: they are not drawn with one. */
double tc_family_lengthscale(const char *name, const tc_family_opts *opts);

/* E_ARG: unknown name, no agents, an option or a table that does not fit (says which);
 * E_NOT_FOUND: no such file. */
tacit_status tc_family_new(tc_family **out, const char *name, const tc_family_opts *opts,
                           size_t agents, tc_public_seed seed, tacit_error *err);
void tc_family_free(tc_family *f);
const tc_space *tc_family_space(const tc_family *f); /* of all agents */
bool tc_family_any_dim(const tc_family *f);          /* does it take another `dim`? */
bool tc_family_maximize(const tc_family *f);
/* `agent` counts from 0. Best noise-free value of its objective. */
double tc_family_optimum(const tc_family *f, size_t agent);
/* Noise-free value at a point. */
double tc_family_value(const tc_family *f, size_t agent, const double *values);
/* One observation: with noise, or one of the replicates of a table. */
double tc_family_observe(const tc_family *f, size_t agent, const double *values, tc_stream *s);
/* optimum - value (maximise) or value - optimum: never below 0. */
double tc_family_regret(const tc_family *f, size_t agent, const double *values);

#endif
