/* bandit_simulation_int.h - what the files of bandit_simulation.h share: bandit_simulation.c, bandit_client.c, bandit_snapshot.c. */
#ifndef TC_SIM_BANDIT_SIMULATION_INT_H
#define TC_SIM_BANDIT_SIMULATION_INT_H

#include "sim/bandit_simulation.h"

typedef struct tc_bandit_client {
    const tc_bandit_simulation *study;
    uint64_t number;
    void *state; /* of the bandit */
    tc_reward_source source;
    tc_party_key points; /* where a cell is pulled, if anywhere */
    double best;         /* reward of the optimum */
    double *value;       /* noise-free reward of each arm so far; NaN: not known yet */
    size_t n_values, cap;
    size_t next; /* point of the curve */
    double total;
    double *curve; /* points */
    const uint64_t *at;
    bool waits;
    tc_numbers saved; /* the bandit's state in a snapshot, borrowed, until it is loaded */
    tacit_error err;
} tc_bandit_client;

/* A study while it goes on. */
typedef struct tc_bandit_run {
    const tc_bandit_simulation *study;
    tc_bandit_client *clients;
    tc_bandit_result *result;
    tc_numbers message, broadcast[2]; /* clients may still read the last broadcast */
    const tc_numbers *latest;
    void *server;
    uint64_t first, live; /* the clients that exist now: those before are done */
    uint64_t until;       /* a client pauses once it has so many pulls */
    tc_numbers snapshot;  /* as it was read, then as it is written */
    uint64_t begun_ns;    /* when there was a snapshot last, or the beginning ... */
    uint64_t pause_ns;    /* ... and how long there is none after it */
} tc_bandit_run;

/* bandit_client.c. A client begins from c->saved, if it is there, at pull c->source.t. */
tacit_status tc_bandit_client_begin(tc_bandit_client *c, const tc_numbers *latest,
                                    tacit_error *err);
void tc_bandit_client_end(tc_bandit_client *c);
/* Until it waits, has `until` pulls or more, or the budget is spent. */
tacit_status tc_bandit_client_go(tc_bandit_client *c, uint64_t until, tacit_error *err);

/* bandit_snapshot.c. Takes in the snapshot, where there is one: it stays in r->snapshot until the clients
 * have begun. */
tacit_status tc_bandit_snapshot_resume(tc_bandit_run *r, tacit_error *err);
/* All clients pause: writes one, if it is time. */
tacit_status tc_bandit_snapshot_keep(tc_bandit_run *r, tacit_error *err);

#endif
