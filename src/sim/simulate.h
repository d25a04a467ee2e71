/* simulate.h - an algorithm on a built-in objective, many runs, exact regret.
 *
 * The same study and optimizer objects as everywhere, over the memory store.
 * Run r gets its own study seed and its own objective (shape, shift, noise) from
 * (seed, r); the objective does not depend on the algorithm, so two simulations
 * with one seed are paired. Runs are independent and run in parallel; results do
 * not depend on the number of threads.
 *
 * What the algorithm is told may be the reply of a private user instead of the observation
 * (answers.h): the algorithm's own curator decides, or `reply`. What it sees may be rows that a
 * curator released, and what it is told that curator's answers (curated.h): `curated`. Regret is
 * always that of the true points.
 *
 * Regret is noise-free. The cumulative regret after trial t sums the regrets of
 * all points queried so far; the simple regret is the smallest of them, whether
 * or not the noisy observations would tell which point that is. */
#ifndef TC_SIM_SIMULATE_H
#define TC_SIM_SIMULATE_H

#include "algo/algorithm.h"
#include "algo/outsourced/row_curator.h"
#include "objective/objective.h"
#include "privacy/mechanism.h"
#include "sim/value_units.h"

typedef struct tc_simulation {
    const tc_algorithm *algorithm;
    const json_t *options; /* of the algorithm; may be NULL */
    const char *objective;
    tc_objective_opts objective_opts;
    tc_value_units units;  /* of observations, before a reply or an answer is made of them */
    const tc_reply *reply; /* told in place of observations; NULL: as the algorithm has it */
    /* Terms on which a curator releases the objective's rows to the algorithm, a modeler, and answers
     * about them; NULL: there is none. */
    const tc_row_terms *curated;
    uint64_t trials, runs, seed;
    tc_pool *pool;
    /* Called from any thread after each trial, `done` of all runs x trials; may be NULL.
     * False stops the simulation: E_CANCELLED. */
    bool (*progress)(void *user, uint64_t done);
    void *user;
} tc_simulation;

/* Arrays of `trials` numbers: after iteration i (from 0). */
typedef struct tc_simulation_result {
    uint64_t trials, runs;
    double *simple_mean, *simple_se;
    double *cumulative_mean, *cumulative_se; /* se: standard error; 0 for one run */
    /* runs x trials, run by run: for paired comparisons and plots */
    double *simple, *cumulative;
    double seconds;
} tc_simulation_result;

/* E_ARG: the options do not fit; E_NOT_FOUND: no such objective; else what the first
 * run that failed says. */
tacit_status tc_simulate(const tc_simulation *sim, tc_simulation_result *out, tacit_error *err);
void tc_simulation_result_fini(tc_simulation_result *r);

/* The algorithm's options in force: as given, what the release says of its noise, the rest from its
 * defaults. Caller decrefs. */
tacit_status tc_simulation_options(const tc_simulation *sim, json_t **out, tacit_error *err);

#endif
