/* federation.h - a federated study in one process: N optimizers and a coordinator, in lockstep.
 *
 * The objects are those of a deployment; only the network is missing. In each step the agents
 * publish where a round is due. Where the algorithm has an aggregator, the round is closed as a coordinator
 * closes it (algo/close_round.h), and all agents absorb its release or, if the budget refuses it, skip the
 * round. Where it has a relay, the coordinator keeps the last message of every agent and hands on
 * those that agents ask for. Then each agent completes one trial. An algorithm for one party alone
 * has no rounds: every agent is a study of its own, agent 0 the one that `seed` makes alone.
 *
 * With trustees a round is closed with what they would open (federation_shared.c).
 *
 * Noise comes from the seed, so that runs can be repeated: every release is stamped NOT PRIVATE,
 * while its event is what a deployment would pay. Agents run in parallel; results depend neither on
 * the number of threads nor on how many agents are asked together. Which messages are lost depends
 * on seed, round and agent alone, and the noise of a round on seed and round. */
#ifndef TC_SIM_FEDERATION_H
#define TC_SIM_FEDERATION_H

#include "algo/optimizer.h"
#include "privacy/ledger.h"

#include <tacit/experimental/simulate.h>

typedef struct tc_federation_config {
    const tc_algorithm *algorithm;
    const json_t *options; /* of the algorithm; may be NULL */
    const tc_space *space;
    bool maximize;
    uint64_t agents, seed, budget; /* budget: planned trials of each agent; 0 unknown */
    /* Who adds up messages and deals the noise, none of them ever absent; count 0: the coordinator. A round then has the noise of
     * the dealers of a deployment with this seed, added up as it is: shares of it would add up to the same. */
    tc_trustees trustees;
    /* Relays alone: what is handed on in round 0 is not what agents know then, but what earlier
     * studies of theirs knew, of this many trials each (t_n of the FTS paper); 0: as agents do. */
    uint64_t past;
    /* Only the first so many agents act to the end, each with the same bits as if all did; 0: all. The
     * others do what the acting ones need of them. Aggregators: they make trials and send messages
     * until no release lies ahead. Relays: they have sent messages of the past, and no later round
     * may come. Algorithms for one party: nothing. */
    uint64_t acting;
    /* Algorithms for one party alone: agent i draws as party i of a federation with this seed would, so uniform
     * first points are the same whatever the algorithm. False: a study of its own in every draw. */
    bool paired;
    double drop; /* the probability that a message does not arrive; in a sum it is then a zero */
    /* Which messages do not arrive, in place of `drop`; called with `user`. May be NULL. */
    bool (*lost)(void *user, uint64_t round, uint64_t agent);
    tc_pool *pool;
    size_t chunk; /* agents asked together; 0 chooses */
    /* Called from any thread, for one agent in one thread at a time. */
    double (*objective)(void *user, uint64_t agent, uint64_t trial, const double *values);
    /* The standard deviation of noise that the objective has added for this agent on purpose; NULL: none. */
    double (*noise_sd)(void *user, uint64_t agent);
    /* Asked between agents and between their trials of the past, from any thread. True: E_CANCELLED,
     * and the federation is good for nothing but to be freed. May be NULL. */
    bool (*stopped)(void *user);
    void *user;
    tc_ledger *ledger;             /* NULL: one of its own, in memory; borrowed */
    const tc_ledger_budget *limit; /* NULL: none. Read in every round */
    tacit_hash study; /* of its document: for a round of one study there is one release */
} tc_federation_config;

typedef struct tc_federation tc_federation;

/* cfg is copied, what it points to is borrowed. E_ARG: a member out of range. */
tacit_status tc_federation_new(tc_federation **out, const tc_federation_config *cfg,
                               tacit_error *err);
void tc_federation_free(tc_federation *f); /* NULL is allowed */
/* Adds a finished trial of one agent before the first step, as an import does. All agents must
 * know as many when the first step begins: else it is E_ARG and names the agent. */
tacit_status tc_federation_know(tc_federation *f, uint64_t agent, const double *values,
                                double value, tacit_error *err);
/* Every agent that is needed (acting) completes one trial, after the rounds that are due before it. */
tacit_status tc_federation_step(tc_federation *f, tacit_error *err);

const tc_optimizer *tc_federation_agent(const tc_federation *f, uint64_t agent);
const tacit_message_counts *tc_federation_counts(const tc_federation *f);
/* The budget that its rounds are held to, as in charge.h. */
tacit_status tc_federation_budget(const tc_federation *f, double epsilon, double delta,
                                  tc_ledger_budget *out, tacit_error *err);
/* The releases so far, in order; borrowed until the next step. Messages of a relay are not among
 * them: they leave one by one and cost everything. */
const tacit_simulated_release *tc_federation_releases(const tc_federation *f, size_t *n);
/* Why the first message that was rejected was; NULL: none. */
const char *tc_federation_rejection(const tc_federation *f);

#endif
