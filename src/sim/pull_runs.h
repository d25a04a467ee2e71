/* pull_runs.h - a bandit on a family of objectives: many runs by pulls (pulls.h), exact regret.
 *
 * Run r gets its noise and its family from (seed, r) alone, so that two simulations with one seed are paired,
 * whatever their bandits. A run's regret is the mean over its clients, and runs are the unit of all
 * standard errors. Several runs run in parallel; one alone gives its threads to its clients. The bits of a
 * result do not depend on the number of threads, nor on being killed and resumed from a checkpoint: that
 * keeps finished runs, and beside it FILE.run-R keeps run R while it goes on (pulls.h). */
#ifndef TC_SIM_PULL_RUNS_H
#define TC_SIM_PULL_RUNS_H

#include "sim/pulls.h"

typedef struct tc_pull_runs {
    const tc_bandit *bandit;
    const json_t *options; /* of the bandit; NULL: its defaults */
    const char *objective; /* a name as for tc_family_new */
    tc_family_opts family; /* its noise is not used */
    double low, high;      /* the public range of its values, which becomes [0,1] */
    tc_reward_noise noise;
    double scale;                   /* of uniform noise, in rewards */
    uint64_t clients, budget, runs; /* M, T; all > 0 */
    uint64_t seed;
    size_t points;          /* of the curves; > 0 */
    bool anywhere;          /* as in tc_pull_study */
    const char *checkpoint; /* a file that keeps finished runs; or NULL. E_STATE: of another one */
    double every_s;         /* between two snapshots of a run at least (pulls.h) */
    tc_pool *pool;          /* may be NULL */
    /* As in tc_pull_study, from any thread; for one run. May be NULL. */
    void (*round)(void *user, uint64_t pulls, uint64_t numbers);
    /* Called from any thread with the pulls of all runs so far; may be NULL. False: E_CANCELLED. */
    bool (*progress)(void *user, uint64_t pulls);
    void *user;
} tc_pull_runs;

typedef struct tc_pull_runs_result {
    uint64_t runs;
    size_t points;
    uint64_t *at;      /* points: pulls of each client */
    double *mean, *se; /* points: of the runs; se 0 for one run */
    double *regret;    /* runs x points: means over clients, for pairing */
    uint64_t *rounds, *numbers_up, *numbers_down; /* by run */
    uint64_t *last_round_at;                      /* by run: pulls of each client then */
    uint64_t pulls; /* of all clients and runs, less those that were done before */
    double seconds;
} tc_pull_runs_result;

/* E_ARG: options, objective or range do not fit. */
tacit_status tc_pull_runs_run(const tc_pull_runs *p, tc_pull_runs_result *out, tacit_error *err);
void tc_pull_runs_result_fini(tc_pull_runs_result *r);

#endif
