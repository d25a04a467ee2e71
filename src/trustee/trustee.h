/* trustee.h - a party that holds shares: enrols, deals noise, adds up what agents dealt to it, and answers once for each round.
 *
 * It believes the coordinator nothing that it can check, and tells it one thing about a round: the sums of the shares of one set of
 * agents. Whoever had it answer for two sets could subtract one agent's share; so its answer, and that the secret key of the
 * round is gone, are in its store before the answer leaves. It may be killed at any instant: started again it goes on,
 * and what it sends again is the same bytes. */
#ifndef TC_TRUSTEE_TRUSTEE_H
#define TC_TRUSTEE_TRUSTEE_H

#include "agent/transport.h"
#include "study/store.h"

#include <tacit/trustee.h>

typedef struct tc_trustee tc_trustee;

typedef struct tc_trustee_config {
    tc_store *store; /* the trustee's own; borrowed */
    tc_transport transport;
    const char *study;       /* its name */
    const char *join_token;  /* needed to enrol; NULL: has been enrolled before */
    const char *roster;      /* the fingerprint that the roster must have; NULL: any */
    bool seeded;             /* test mode: keys, dealings and noise from `seed` */
    uint64_t seed, key_salt; /* key_salt tells the keys of trustees with one seed apart */
    void (*listen)(void *listener, const tacit_trustee_event *e); /* NULL: nobody */
    void *listener;
} tc_trustee_config;

/* The study as the coordinator describes it, with the join token and before anything is made here or there: cfg->store may be
 * NULL. E_STATE, E_ARG: why this trustee would not take part. */
tacit_status tc_trustee_preview(const tc_trustee_config *cfg, tacit_error *err);

/* Enrols where it has not. E_IO: the coordinator does not answer; to be tried again. E_ARG, E_STATE: it refuses, the study has no
 * trustees or is not what it was, or the store comes from a backup. */
tacit_status tc_trustee_open(tc_trustee **out, const tc_trustee_config *cfg, tacit_error *err);
void tc_trustee_close(tc_trustee *t); /* NULL is allowed */

uint64_t tc_trustee_place(const tc_trustee *t);
/* "": it is not fixed yet. */
const char *tc_trustee_roster(const tc_trustee *t);

/* What it has done, over all its processes. */
typedef struct tc_trustee_done {
    uint64_t rounds;   /* of the study */
    uint64_t answered; /* ... it has answered for */
    uint64_t
        conflicts; /* sets for rounds that it had answered for another set: the coordinator lies or was restored */
} tc_trustee_done;
tacit_status tc_trustee_count(tc_trustee *t, tc_trustee_done *out, tacit_error *err);

typedef enum tc_trustee_next {
    TC_TRUSTEE_AGAIN, /* there may be more to do */
    TC_TRUSTEE_WAIT,  /* nothing now */
    TC_TRUSTEE_DONE   /* nothing any more */
} tc_trustee_next;
/* Does one thing that is due. wait_s: how long the coordinator may hold a question whose answer is not there yet. E_IO: not
 * reached; nothing is lost, step again later. */
tacit_status tc_trustee_step(tc_trustee *t, long wait_s, tc_trustee_next *next, tacit_error *err);

#endif
