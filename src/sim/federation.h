/* federation.h - a federated study in one process: N optimizers and a coordinator, in lockstep.
 *
 * The objects are those of a deployment; only the network is missing. In each step the agents
 * publish where a round is due, the coordinator folds what arrived, the ledger lets the release
 * pass or refuses it, all agents absorb it or skip the round, and each completes one trial.
 *
 * Noise comes from the seed, so that runs can be repeated: every release is stamped NOT PRIVATE,
 * while its event is what a deployment would pay. Agents run in parallel; results do not depend on
 * the number of threads. */
#ifndef TC_SIM_FEDERATION_H
#define TC_SIM_FEDERATION_H

#include "algo/optimizer.h"
#include "privacy/ledger.h"

typedef struct tc_federation_config {
    const tc_algorithm *algorithm;
    const json_t *options; /* of the algorithm; may be NULL */
    const tc_space *space;
    bool maximize;
    uint64_t agents, seed, budget; /* budget: planned trials of each agent; 0 unknown */
    double drop; /* the probability that a contribution does not arrive; it is then a zero */
    tc_pool *pool;
    /* Called from any thread, for one agent in one thread at a time. */
    double (*objective)(void *user, uint64_t agent, uint64_t trial, const double *values);
    void *user;
    tc_ledger *ledger;             /* or NULL: no release is refused or recorded; borrowed */
    const tc_ledger_budget *limit; /* or NULL: none */
    tc_ledger_hash study; /* of its document: for a round of one study there is one release */
} tc_federation_config;

typedef struct tc_federation_tally {
    uint64_t releases, refusals; /* rounds */
    uint64_t messages, bytes;    /* what agents sent */
    uint64_t broadcast_bytes;    /* of one release */
} tc_federation_tally;

typedef struct tc_federation tc_federation;

/* E_UNSUPPORTED: the algorithm is not federated. cfg is copied, what it points to is borrowed. */
tacit_status tc_federation_new(tc_federation **out, const tc_federation_config *cfg,
                               tacit_error *err);
void tc_federation_free(tc_federation *f); /* NULL is allowed */
/* Every agent completes one trial, after the round that is due before it, if one is. */
tacit_status tc_federation_step(tc_federation *f, tacit_error *err);
const tc_optimizer *tc_federation_agent(const tc_federation *f, uint64_t agent);
const tc_federation_tally *tc_federation_counts(const tc_federation *f);

#endif
