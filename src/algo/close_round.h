/* close_round.h - from the messages of a round to one release that the ledger has, exactly once.
 *
 * The one way to close a round of an algorithm with an aggregator. coord/closing.c closes rounds of stored
 * messages with it, sim/federation_round.c those of a simulation. */
#ifndef TC_ALGO_CLOSE_ROUND_H
#define TC_ALGO_CLOSE_ROUND_H

#include "algo/charge.h"

/* The sum of one round while messages are added to it. */
typedef struct tc_round_sum tc_round_sum;

typedef struct tc_closing {
    const tc_algorithm *algorithm; /* it has an aggregator */
    const tc_env *env;
    const void *opts;
    tacit_hash study;
    uint64_t round;
    tc_round_charge charge;        /* whom the round is charged to ... */
    tc_round_price price;          /* ... and what it costs */
    const tc_ledger_budget *limit; /* NULL: none */
    bool already_private;          /* its messages were private before they were sent: no cost */
    tc_ledger *ledger;
    const uint64_t *test_seed; /* of the noise, which stamps the release; NULL: secret noise */
    /* Adds every message of the round (tc_round_add), in the order of agents. */
    tacit_status (*messages)(void *user, tc_round_sum *sum, tacit_error *err);
    /* Is told of a message that is left out, and why. */
    tacit_status (*left_out)(void *user, uint64_t agent, const char *why, tacit_error *err);
    /* Where trustees added the messages up (privacy/shared_sum.h): the release of what they opened, in the place of messages,
     * left_out and test_seed, which are not looked at. Called after the budget was asked, and only where the ledger has no
     * release of this round. E_STATE, E_ARG: the round can never be released; after any other failure it may be called
     * again. NULL: messages are added up here. */
    tacit_status (*release)(void *user, tc_release **out, tacit_error *err);
    void *user;
} tc_closing;

/* Returns once the ledger has the release of this round; the receipt has its bytes. A later call finds the
 * same release, whoever made it. E_BUDGET: the limit refuses it, and nothing was spent. E_STATE: the
 * round can never be released. After any other failure the call may be repeated. */
tacit_status tc_close_round(const tc_closing *c, tc_ledger_receipt *out, tacit_error *err);

/* A message that was good by itself may not go with those before it. It is left out, as if it had not come,
 * so that no agent can hold up a round. */
tacit_status tc_round_add(tc_round_sum *sum, uint64_t agent, const void *bytes, size_t n,
                          tacit_error *err);

#endif
