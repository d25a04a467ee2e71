/* federated.h - a federation on a family of objectives: many runs, exact regret of every agent.
 *
 * Each run is a tc_federation (federation.h): N optimizers and a coordinator in lockstep. Run r gets
 * its own seed and its own family from (seed, r) alone, so two simulations with one seed are paired,
 * whatever their algorithms. An algorithm for one party alone is run by every agent for itself.
 *
 * Iteration 0 is the state after the initial points (the algorithm's option "initial", else a whole
 * number "init", else none), or after those that were given where these are more; iteration t after
 * t more trials of every acting agent. Regret is noise-free. The simple regret of an agent is the smallest
 * of all points it has queried, initial ones included, and INFINITY before there is one; its
 * cumulative regret sums over the points after the initial ones. A run's regret is the mean over its
 * agents, and runs are the unit of all standard errors.
 *
 * Runs are independent and run in parallel; one run alone gives its threads to its agents. The bits
 * of a result do not depend on the number of threads, nor on being interrupted and resumed. */
#ifndef TC_SIM_FEDERATED_H
#define TC_SIM_FEDERATED_H

#include "objective/family.h"
#include "sim/federation.h"
#include "sim/value_units.h"

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
    tc_value_units units; /* of what agents are told, known trials included */
    uint64_t agents, rounds, runs, seed;
    /* Points before iteration 0; 0: as the algorithm's options say. For algorithms that know no
     * initial points, or choose how many, beside others that do. */
    uint64_t initial;
    double drop;     /* the probability that a message does not arrive */
    uint64_t past;   /* as in federation.h: trials of the earlier studies that messages tell of */
    uint64_t acting; /* as in federation.h; 0: all. The result is about these agents alone */
    bool paired;     /* as in federation.h */
    /* The budget that the ledger of each run holds releases to; epsilon 0: none. Nothing is
     * calibrated here: `options` say how much noise there is. */
    double epsilon, delta;
    /* Warm start; or NULL. Known trials stand for initial points: where rounds release, the option
     * initial must not be below their number. */
    const tc_known_trial *known;
    size_t n_known;
    bool by_agent;          /* keep the curves of every agent */
    const char *checkpoint; /* a file that keeps finished runs; or NULL. E_STATE: of another one */
    tc_pool *pool;
    /* Called from any thread, `done` of all runs x steps; may be NULL. False: E_CANCELLED. */
    bool (*progress)(void *user, uint64_t done);
    /* Asked within steps, and while a past is made, as in federation.h; may be NULL. */
    bool (*stopped)(void *user);
    void *user;
} tc_federated;

/* One release of a run, as its ledger has it. */
typedef tc_federation_release tc_federated_release;

/* Arrays of `iterations` = rounds + 1 numbers. */
typedef struct tc_federated_result {
    uint64_t agents, runs, iterations, initial; /* initial: trials of each agent at iteration 0 */
    uint64_t seed;
    double *simple_mean, *simple_se; /* se: 0 for one run, and where the mean is not finite */
    double *cumulative_mean, *cumulative_se;
    double *simple, *cumulative;    /* runs x iterations: means over agents, for pairing */
    double *agent_simple;           /* runs x agents x iterations; NULL unless by_agent */
    double *agent_cumulative;       /* the same */
    tc_federation_tally tally;      /* of the first run */
    tc_federated_release *releases; /* of the first run: every run has the same */
    size_t n_releases;
    char *
        rejection; /* of the first run: why the first refused message was; NULL: none, or restored */
    bool relayed;  /* messages were handed on without any protection: NOT PRIVATE at all */
    double seconds;
} tc_federated_result;

/* The algorithm's options in force: as given, the rest from its defaults. Caller decrefs. */
tacit_status tc_federated_options(const tc_federated *f, json_t **out, tacit_error *err);
/* Initial points that the algorithm's options say, or that it chooses for `rounds` queries after them; 0: none.
 * Unlike tc_federated_initial it knows nothing of trials that were given. */
tacit_status tc_federated_begin(const tc_federated *f, uint64_t *out, tacit_error *err);
/* Trials of each agent at iteration 0. All together it plans this many and `rounds` more. */
tacit_status tc_federated_initial(const tc_federated *f, uint64_t *out, tacit_error *err);
/* Steps that progress counts: runs x (initial + rounds), less the trials that were given. */
tacit_status tc_federated_steps(const tc_federated *f, uint64_t *out, tacit_error *err);
tacit_status tc_federated_run(const tc_federated *f, tc_federated_result *out, tacit_error *err);
void tc_federated_result_fini(tc_federated_result *r);

/* Two results of the same runs, paired by run: the ratio of mean simple regrets a/b at one
 * iteration with a 95 % interval (bootstrap-t over runs, from a fixed public seed), and the two-sided
 * p-value of the paired differences (sign-flip permutation test: exact up to 13 runs). E_ARG: not the
 * same runs, or a regret that is not finite. Nobody has any regret: the ratio is 1.
 *
 * There is no interval, low and high are NaN, where one would be a guess: below TC_INTERVAL_RUNS runs,
 * where a mean is not positive, and where so few runs have any regret, or so many are alike, that
 * drawing runs anew often finds nothing to go by. */
enum { TC_INTERVAL_RUNS = 5 };
typedef struct tc_federated_ratio {
    double ratio, low, high, p;
} tc_federated_ratio;
/* The same of any numbers of n > 0 runs, all finite: a[r] and b[r] are of one run. */
tacit_status tc_paired_compare(const double *a, const double *b, size_t n, tc_federated_ratio *out,
                               tacit_error *err);
tacit_status tc_federated_compare(const tc_federated_result *a, const tc_federated_result *b,
                                  uint64_t iteration, tc_federated_ratio *out, tacit_error *err);

#endif
