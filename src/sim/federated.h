/* federated.h - a federation on a family of objectives: many runs, exact regret of every agent.
 *
 * Each run is a tc_federation (federation.h): N optimizers and a coordinator in lockstep. Run r gets
 * its own seed and its own family from (seed, r) alone, so two simulations with one seed are paired,
 * whatever their algorithms. An algorithm for one party alone is run by every agent for itself.
 *
 * Iteration 0 is the state after the initial points (the algorithm's option "initial"; none: 0), or
 * after those that were given; iteration t after t more trials of every agent. Regret is
 * noise-free. The simple regret of an agent is the smallest of all points it has queried, initial
 * ones included; its cumulative regret sums over the points after the initial ones. A run's regret
 * is the mean over its agents, and runs are the unit of all standard errors.
 *
 * Runs are independent and run in parallel; one run alone gives its threads to its agents. The bits
 * of a result do not depend on the number of threads, nor on being interrupted and resumed. */
#ifndef TC_SIM_FEDERATED_H
#define TC_SIM_FEDERATED_H

#include "objective/family.h"
#include "sim/federation.h"

/* Trials that exist before the first run begins, for every run the same. */
typedef struct tc_known_trial {
    uint64_t agent;
    const double *values; /* of the family's space */
    double value;
} tc_known_trial;

typedef struct tc_federated {
    const tc_algorithm *algorithm;
    const json_t *options; /* of the algorithm; may be NULL */
    const char *objective; /* a name as for tc_family_new */
    tc_family_opts family;
    uint64_t agents, rounds, runs, seed;
    double drop; /* the probability that a message does not arrive */
    /* The budget that the ledger of each run holds releases to; epsilon 0: none. */
    double epsilon, delta;
    const tc_known_trial *known; /* warm start; or NULL */
    size_t n_known;
    bool by_agent;          /* keep the curves of every agent */
    const char *checkpoint; /* a file that keeps finished runs; or NULL. E_STATE: of another one */
    tc_pool *pool;
    /* Called from any thread, `done` of all runs x steps; may be NULL. False: E_CANCELLED. */
    bool (*progress)(void *user, uint64_t done);
    void *user;
} tc_federated;

/* One release of a run, as its ledger has it. */
typedef struct tc_federated_release {
    uint64_t round;
    tc_dp_event event; /* what it would cost in a deployment */
} tc_federated_release;

/* Arrays of `iterations` = rounds + 1 numbers. */
typedef struct tc_federated_result {
    uint64_t agents, runs, iterations, initial;
    double *simple_mean, *simple_se;
    double *cumulative_mean, *cumulative_se;
    double *simple, *cumulative;    /* runs x iterations: means over agents, for pairing */
    double *agent_simple;           /* runs x agents x iterations; NULL unless by_agent */
    double *agent_cumulative;       /* the same */
    tc_federation_tally tally;      /* of the first run */
    tc_federated_release *releases; /* of the first run: every run has the same */
    size_t n_releases;
    bool relayed; /* messages were handed on without any protection: NOT PRIVATE at all */
    double seconds;
} tc_federated_result;

/* Steps that progress counts: runs x (initial + rounds). */
tacit_status tc_federated_steps(const tc_federated *f, uint64_t *out, tacit_error *err);
tacit_status tc_federated_run(const tc_federated *f, tc_federated_result *out, tacit_error *err);
void tc_federated_result_fini(tc_federated_result *r);

/* Two results of the same runs, paired by run: the ratio of mean simple regrets a/b at one
 * iteration with a 95 % interval (bootstrap over runs, from a fixed public seed), and the two-sided
 * p-value of the paired differences (sign-flip permutation test). E_ARG: not the same runs. */
typedef struct tc_federated_ratio {
    double ratio, low, high, p;
} tc_federated_ratio;
tacit_status tc_federated_compare(const tc_federated_result *a, const tc_federated_result *b,
                                  uint64_t iteration, tc_federated_ratio *out, tacit_error *err);

#endif
