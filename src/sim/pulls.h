/* pulls.h - M clients x T pulls of a bandit in one process, with exact regret.
 *
 * The driver of algo/tree/bandit.h: where sim/federated.h makes an event of every trial, this counts
 * pulls, so that a billion of them are a matter of seconds. Clients run in parallel; a round of a
 * federated bandit is closed when all of them wait. The bits of a result do not depend on the
 * number of threads. Memory is that of the bandits: clients of a bandit without rounds exist one at
 * a time in each thread. */
#ifndef TC_SIM_PULLS_H
#define TC_SIM_PULLS_H

#include "base/pool.h"
#include "sim/rewards.h"

typedef struct tc_pull_study {
    const tc_bandit *bandit;
    const void *opts; /* the bandit's, checked */
    const tc_rewards *rewards;
    uint64_t clients, budget; /* M and T, both > 0 */
    uint64_t seed;            /* of the noise, and of what the bandit draws in public */
    size_t points;            /* of the regret curves, evenly spaced; the last is T; > 0 */
    bool anywhere;            /* cells are pulled at random points, not at their centres */
    tc_pool *pool;            /* may be NULL */
    /* Sees every client at its end; may be NULL. From any thread. */
    void (*watch)(void *user, uint64_t client, const void *state);
    void *user;
} tc_pull_study;

typedef struct tc_pull_result {
    uint64_t clients;
    size_t points;
    uint64_t *at;   /* points: pulls of each client */
    double *regret; /* clients x points, cumulative and noise-free */
    double *mean;   /* points: over the clients */
    uint64_t rounds;
    uint64_t last_round_at; /* pulls of each client at the last round; 0: there was none */
    uint64_t numbers_up, numbers_down; /* sent by all clients, and to all of them */
    double seconds;
} tc_pull_result;

/* The points of a curve: the last is the budget. */
void tc_pulls_points(uint64_t budget, size_t points, uint64_t *at);

tacit_status tc_pulls_run(const tc_pull_study *study, tc_pull_result *out, tacit_error *err);
void tc_pull_result_fini(tc_pull_result *r);

#endif
