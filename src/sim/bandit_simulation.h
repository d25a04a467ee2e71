/* bandit_simulation.h - M clients x T pulls of a bandit in one process, with exact regret.
 *
 * The driver of algo/tree/bandit.h: where a federation makes an event of every trial, this counts
 * pulls, so that a billion of them are a matter of seconds. Clients run in parallel; a round of a
 * federated bandit is closed when all of them wait. The bits of a result do not depend on the
 * number of threads. Memory is that of the bandits: clients of a bandit without rounds exist a few at
 * a time.
 *
 * A long study may keep itself in a file as it goes on: killed at any instant, it goes on from the
 * last snapshot, and its result has the same bits. */
#ifndef TC_SIM_BANDIT_SIMULATION_H
#define TC_SIM_BANDIT_SIMULATION_H

#include "base/pool.h"
#include "sim/rewards.h"

/* Snapshots of a study (snapshot.h), for bandits that can be saved; the others begin again. */
typedef struct tc_bandit_snapshots {
    const char *file;     /* read at the beginning, if it is there; left to the caller at the end */
    const char *identity; /* everything that determines the result, E_STATE: of another one */
    double every_s;       /* between two of them at least; and they take 2 % of the time at most */
} tc_bandit_snapshots;

typedef struct tc_bandit_simulation {
    const tc_bandit *bandit;
    const void *opts; /* the bandit's, checked */
    const tc_rewards *rewards;
    uint64_t clients, budget;        /* M and T, both > 0 */
    uint64_t seed;                   /* of the noise, and of what the bandit draws in public */
    size_t points;                   /* of the regret curves, evenly spaced; the last is T; > 0 */
    bool anywhere;                   /* cells are pulled at random points, not at their centres */
    tc_pool *pool;                   /* may be NULL */
    const tc_bandit_snapshots *keep; /* may be NULL */
    uint64_t slice;                  /* pulls of all clients between two pauses; 0: about 2^18 */
    /* Sees every round that this process holds: pulls of each client so far, and numbers sent to and
     * fro by all of them; may be NULL. */
    void (*round)(void *user, uint64_t pulls, uint64_t numbers);
    /* Sees every client at its end; may be NULL. */
    void (*watch)(void *user, uint64_t client, const void *state);
    /* Called at every pause with the pulls of all clients so far; may be NULL. False: E_CANCELLED. */
    bool (*progress)(void *user, uint64_t pulls);
    void *user;
} tc_bandit_simulation;

typedef struct tc_bandit_result {
    uint64_t clients;
    size_t points;
    uint64_t *at;   /* points: pulls of each client */
    double *regret; /* clients x points, cumulative and noise-free */
    double *mean;   /* points: over the clients */
    uint64_t rounds;
    uint64_t last_round_at; /* pulls of each client at the last round; 0: there was none */
    uint64_t numbers_up, numbers_down; /* sent by all clients, and to all of them */
    uint64_t pulls;                    /* of all clients, less those that a snapshot knew */
} tc_bandit_result;

/* Point i of a curve, from 0: the last is the budget. */
uint64_t tc_bandit_point(uint64_t budget, size_t points, size_t i);

/* Bytes that a study needs whatever its clients find out: less is not enough. */
double tc_bandit_least_bytes(const tc_bandit *b, uint64_t clients, size_t points);

tacit_status tc_bandit_simulate(const tc_bandit_simulation *study, tc_bandit_result *out,
                                tacit_error *err);
void tc_bandit_result_fini(tc_bandit_result *r);

#endif
