/* pulls_int.h - what the files of pulls.h share: pulls.c, pulls_client.c, pulls_keep.c. */
#ifndef TC_SIM_PULLS_INT_H
#define TC_SIM_PULLS_INT_H

#include "sim/pulls.h"

typedef struct tc_pull_client {
    const tc_pull_study *study;
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
} tc_pull_client;

/* A study while it goes on. */
typedef struct tc_pull_run {
    const tc_pull_study *study;
    tc_pull_client *clients;
    tc_pull_result *result;
    tc_numbers message, broadcast[2]; /* clients may still read the last broadcast */
    const tc_numbers *latest;
    void *server;
    uint64_t first, live; /* the clients that exist now: those before are done */
    uint64_t until;       /* a client pauses once it has so many pulls */
    tc_numbers snapshot;  /* as it was read, then as it is written */
    uint64_t begun_ns;    /* when there was a snapshot last, or the beginning ... */
    uint64_t pause_ns;    /* ... and how long there is none after it */
} tc_pull_run;

/* pulls_client.c. A client begins from c->saved, if it is there, at pull c->source.t. */
tacit_status tc_pull_client_begin(tc_pull_client *c, const tc_numbers *latest, tacit_error *err);
void tc_pull_client_end(tc_pull_client *c);
/* Until it waits, has `until` pulls or more, or the budget is spent. */
tacit_status tc_pull_client_go(tc_pull_client *c, uint64_t until, tacit_error *err);

/* pulls_keep.c. Takes in the snapshot, where there is one: it stays in r->snapshot until the clients
 * have begun. */
tacit_status tc_pull_resume(tc_pull_run *r, tacit_error *err);
/* All clients pause: writes one, if it is time. */
tacit_status tc_pull_keep_up(tc_pull_run *r, tacit_error *err);

#endif
