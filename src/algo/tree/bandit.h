/* bandit.h - the contract of a bandit that is run by pulls, alone or in a federation.
 *
 * A GP remembers every trial; here there may be a billion of them. So an ask is "pull this arm n
 * times", and what is told is the number of pulls, the sum of their rewards and the sum of their squares. Everything that is
 * told or sent is a whole number: sums do not depend on their order, nor on who made them.
 *
 * A federated bandit has a client half and a server half. A client that asks for 0 pulls waits: it
 * publishes, the server folds the messages of all clients in any order and closes the round, and
 * every client absorbs the same broadcast. Rounds are in lockstep.
 *
 * Nothing here knows of journals or objectives: sim/bandit_simulation.h drives it, tree_optimizer.c and
 * tree_federated.c make algorithms of them. Arms are cells of a partition of [0,1]^dim, pulled
 * at their centre, or points. */
#ifndef TC_ALGO_TREE_BANDIT_H
#define TC_ALGO_TREE_BANDIT_H

#include "algo/tree/tree.h"
#include "base/options.h"
#include "base/random.h"

typedef struct tc_bandit_env {
    size_t dim;
    uint64_t clients; /* M */
    uint64_t budget;  /* T: pulls of each client */
    tc_public_seed seed;
} tc_bandit_env;

/* An all-zero tc_pulls asks for nothing: the client waits for a broadcast. */
typedef struct tc_pulls {
    size_t arm;
    uint64_t n;
} tc_pulls;

typedef struct tc_pulled {
    size_t arm;
    uint64_t n;      /* > 0 */
    int64_t sum;     /* of the rewards, in units of 2^-28 ... */
    int64_t squares; /* ... and of their squares, each rounded down to such a unit */
} tc_pulled;

#define TC_NO_ARM SIZE_MAX

/* A message: whole numbers, which is also how its size is counted. All-zero: empty. */
typedef struct tc_numbers {
    int64_t *v;
    size_t n, cap;
} tc_numbers;

tacit_status tc_numbers_add(tc_numbers *m, int64_t v, tacit_error *err);
void tc_numbers_fini(tc_numbers *m);

/* Members from publish on: federated bandits only, else NULL. */
typedef struct tc_bandit {
    const char *name, *summary, *source;
    const tc_option *options; /* ends with a NULL name */
    size_t options_size;
    size_t client_size, server_size; /* allocated zeroed by the driver */

    /* opts outlives the client. fini takes whatever init left, all-zero included. */
    tacit_status (*init)(void *c, const tc_bandit_env *env, const void *opts, tacit_error *err);
    void (*fini)(void *c);
    /* Pure. May ask for more pulls than the budget has left. */
    void (*ask)(const void *c, tc_pulls *out);
    /* The first arm after p->arm that may be pulled now as well, for a phase takes its pulls in any
     * order; n 0: there is none. NULL: one arm at a time. Pure. */
    void (*next)(const void *c, tc_pulls *p);
    /* Where an arm is pulled, in [0,1]^dim. */
    void (*point)(const void *c, size_t arm, double *u);
    /* How many arms have a number. NULL: numbers do not outlast the next tell. */
    size_t (*arms)(const void *c);
    /* The cell that an arm stands for, of the k-ary partition; NULL: arms are points. */
    tc_cell (*cell)(const void *c, size_t arm, unsigned *k);
    /* The arm that may be told a reward from anywhere in its cell, u included; TC_NO_ARM: none any
     * more. NULL: arms are points. */
    size_t (*arm_of)(const void *c, const double *u);
    /* At most as many pulls as ask, or next, has for the arm. */
    tacit_status (*tell)(void *c, const tc_pulled *p, tacit_error *err);
    /* Appends everything that the client knows: the same state gives the same numbers. NULL, as
     * load then is: it cannot be saved. A server needs no such thing, see server_init. */
    tacit_status (*save)(const void *c, tc_numbers *out, tacit_error *err);
    /* Into a client fresh from init, with the same env and opts. `broadcast`: the last that was
     * absorbed, which stays as absorb says; NULL: none was. E_CORRUPT: not what save made; the
     * client is then good for fini alone. */
    tacit_status (*load)(void *c, const tc_numbers *saved, const tc_numbers *broadcast,
                         tacit_error *err);

    /* Pure. */
    tacit_status (*publish)(const void *c, tc_numbers *out, tacit_error *err);
    /* E_CORRUPT: not what the server made of this round. The broadcast stays as it is until the
     * client has absorbed the next one. */
    tacit_status (*absorb)(void *c, const tc_numbers *broadcast, tacit_error *err);
    /* There is no broadcast in this round: the client goes on without. */
    tacit_status (*skip)(void *c, tacit_error *err);
    /* From round number `round` on, counted from 0. A server knows nothing of earlier ones. */
    tacit_status (*server_init)(void *s, const tc_bandit_env *env, const void *opts, uint64_t round,
                                tacit_error *err);
    void (*server_fini)(void *s);
    /* E_ARG: not a message of this round; the round is as it was. */
    tacit_status (*fold)(void *s, const tc_numbers *message, tacit_error *err);
    /* Called once all messages have come; the next round begins. E_STATE: there are none. */
    tacit_status (*close)(void *s, tc_numbers *broadcast, tacit_error *err);
} tc_bandit;

/* Members of bandits whose client begins with a tc_tree, of which every node is an arm. */
void tc_tree_bandit_fini(void *c);
tc_cell tc_tree_bandit_cell(const void *c, size_t arm, unsigned *k);
void tc_tree_bandit_point(const void *c, size_t arm, double *u);
size_t tc_tree_bandit_arms(const void *c);
size_t tc_tree_bandit_arm_of(const void *c, const double *u);

/* Every bandit; NULL-terminated. E_ARG with the nearest name and the list. */
const tc_bandit *const *tc_bandits(void);
tacit_status tc_bandit_get(const tc_bandit **out, const char *name, tacit_error *err);

extern const tc_bandit tc_bandit_hct, tc_bandit_hoo, tc_bandit_blin, tc_bandit_pf_pne,
    tc_bandit_fed_pne, tc_bandit_fed_hct;

#endif
