/* simulation.h - an algorithm on built-in objectives, many runs, exact regret: plan in, curves out.
 *
 * One plan for all kinds; a step source (step_source.h) makes one run of its kind:
 *
 *   one party    a study of its own over the memory store: ask, observe, tell. What the algorithm is
 *                told may be the reply of a private user (answers.h): the algorithm's own curator
 *                decides, or `reply`. What it sees may be rows that a curator released, and what it is
 *                told that curator's answers (curated.h): `curated`
 *   federation   N optimizers and a coordinator in lockstep (federation.h) on a family of objectives.
 *                An algorithm for one party alone is run by every agent for itself
 *   pulls        M agents that pull the arms of a bandit (bandit_simulation.h), counted and not journalled
 *
 * Run r gets its own seed and its own objective (shape, shift, noise) from (seed, r) alone; the
 * objective does not depend on the algorithm, so two simulations with one seed are paired. Runs are
 * independent and run in parallel; one run alone gives its threads to its agents. The bits of a result
 * depend neither on the number of threads nor on being interrupted and resumed.
 *
 * Regret is noise-free, and that of the true points. The cumulative regret sums the regrets of all
 * points queried so far, of a federation after the initial ones; the simple regret is the smallest of
 * them, initial ones included, and INFINITY before there is one. A run's regret is the mean over its
 * agents, and runs are the unit of all standard errors.
 *
 * Points: of one party trial 1, 2, ...; of a federation iteration 0, the state after the initial points
 * (the algorithm's option "initial", else a whole number "init", else none; or those that were given
 * where these are more), then one more trial of every acting agent for each iteration; of bandits evenly
 * spaced numbers of pulls of each agent. */
#ifndef TC_SIM_SIMULATION_H
#define TC_SIM_SIMULATION_H

#include "algo/algorithm.h"
#include "algo/outsourced/row_curator.h"
#include "algo/tree/bandit.h"
#include "objective/family.h"
#include "privacy/mechanism.h"
#include "sim/curves.h"
#include "sim/record_noise.h"
#include "sim/rewards.h"
#include "sim/value_units.h"

typedef struct tc_step_source tc_step_source;
extern const tc_step_source tc_source_single, tc_source_federation, tc_source_bandits;

typedef struct tc_simulation {
    const tc_step_source *source; /* NULL: one party */
    const tc_algorithm *algorithm;
    const json_t *options; /* of the algorithm or bandit; may be NULL */
    const char *objective;
    tc_family_opts family; /* one party: family.objective alone */
    tc_value_units units;  /* of what is told, known trials included */
    uint64_t runs, seed;
    uint64_t trials; /* of each agent; federation: after the initial points; bandits: pulls */
    uint64_t agents; /* one party: not looked at */

    /* Noise in every value, for single records, of which the algorithm is told the variance; NULL: none. Not with
     * replies, a curator, bandits, a past, or known trials. */
    const tc_record_noise *records;

    /* One party. */
    const tc_reply *reply; /* told in place of observations; NULL: as the algorithm has it */
    /* Terms on which a curator releases the objective's rows to the algorithm, a modeler, and answers
     * about them; NULL: there is none. */
    const tc_row_terms *curated;

    /* A federation. Points before iteration 0; 0: as the algorithm's options say. For algorithms that
     * know no initial points, or choose how many, beside others that do. */
    uint64_t initial;
    tc_trustees trustees; /* as in federation.h */
    double drop;          /* the probability that a message does not arrive */
    uint64_t past;   /* as in federation.h: trials of the earlier studies that messages tell of */
    uint64_t acting; /* as in federation.h; 0: all. The result is about these agents alone */
    bool paired;     /* as in federation.h */
    /* The budget that the ledger of each run holds releases to; epsilon 0: none. Nothing is
     * calibrated here: `options` say how much noise there is. */
    double epsilon, delta;
    /* Warm start; or NULL. Known trials stand for initial points: where rounds release, the option
     * initial must not be below their number. */
    const tacit_known_trial *known;
    size_t n_known;
    bool by_agent; /* keep the curves of every agent */

    /* Bandits. The public range of the objective's values becomes [0,1]; its own noise is not used. */
    const tc_bandit *bandit;
    double low, high;
    tc_reward_noise noise;
    double scale;   /* of uniform noise, in rewards */
    size_t points;  /* of the curves; > 0 */
    bool anywhere;  /* as in bandit_simulation.h */
    double every_s; /* between two snapshots of a run at least (bandit_simulation.h) */
    /* As in bandit_simulation.h, from any thread; for one run. May be NULL. */
    void (*round)(void *user, uint64_t pulls, uint64_t numbers);

    /* A file that keeps finished runs; or NULL. E_STATE: of another simulation. Beside it FILE.run-R
     * keeps run R of a bandit while it goes on. */
    const char *checkpoint;
    tc_pool *pool; /* may be NULL */
    /* Called from any thread, `done` of all steps; may be NULL. False: E_CANCELLED. */
    bool (*progress)(void *user, uint64_t done);
    /* Asked within steps of a federation, and while a past is made; may be NULL. */
    bool (*stopped)(void *user);
    void *user;
} tc_simulation;

/* End *out with tacit_curves_fini. E_ARG: the plan does not fit; E_NOT_FOUND: no such objective; else what
 * the first run that failed says. */
tacit_status tc_simulate(const tc_simulation *sim, tacit_curves *out, tacit_error *err);
/* Steps that progress counts, of all runs. */
tacit_status tc_simulation_steps(const tc_simulation *sim, uint64_t *out, tacit_error *err);
/* The options in force: as given, what a release says of its noise, the rest from the defaults. Caller
 * decrefs. */
tacit_status tc_simulation_options(const tc_simulation *sim, json_t **out, tacit_error *err);

/* A federation: initial points that the algorithm's options say, or that it chooses for `trials` queries
 * after them; 0: none. Unlike tc_simulation_initial it knows nothing of trials that were given. */
tacit_status tc_simulation_begin(const tc_simulation *sim, uint64_t *out, tacit_error *err);
/* Trials of each agent at iteration 0. All together it plans this many and `trials` more. */
tacit_status tc_simulation_initial(const tc_simulation *sim, uint64_t *out, tacit_error *err);

#endif
