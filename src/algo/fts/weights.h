/* weights.h - P_N: which agent is drawn. For agent.c and trial.c.
 *
 * An urn (weights.c) holds agents with fixed weights that are taken out one by one; a cache
 * (learned.c) keeps messages and weighs their senders by how well they rank what is known. */
#ifndef TC_ALGO_FTS_WEIGHTS_H
#define TC_ALGO_FTS_WEIGHTS_H

#include "algo/fts/fts.h"

/* ---- the urn */

typedef struct tc_fts_taken {
    uint64_t agent;
    uint64_t through; /* weight of the agents that are out, up to and with this one */
} tc_fts_taken;

/* Weights that were given. They are public and never change: urns of one study share them. */
typedef struct tc_fts_given {
    size_t users;
    uint64_t before[]; /* agents + 1: weight of those before each */
} tc_fts_given;

typedef struct tc_fts_urn {
    uint64_t agents;
    tc_fts_given *given; /* NULL: all have weight 1 */
    tc_fts_taken *out;   /* ascending */
    size_t n, cap;
} tc_fts_urn;

/* given: weights separated by commas, one for each agent; NULL: all are equal. sibling: an urn made
 * of the same text, or NULL; the two are then made and ended in one thread at a time. */
tacit_status tc_fts_urn_init(tc_fts_urn *u, uint64_t agents, const char *given,
                             const tc_fts_urn *sibling, tacit_error *err);
void tc_fts_urn_fini(tc_fts_urn *u);
tacit_status tc_fts_urn_reserve(tc_fts_urn *u, tacit_error *err); /* room for one more to be out */
void tc_fts_urn_remove(tc_fts_urn *u, uint64_t agent);            /* after reserve */
void tc_fts_urn_refill(tc_fts_urn *u);                            /* nobody is out */
uint64_t tc_fts_urn_left(const tc_fts_urn *u);                    /* weight of those within */
double tc_fts_urn_weight(const tc_fts_urn *u, uint64_t agent);    /* of one, within or not */
/* The agent that has this ticket, 0 .. left-1: each agent in the urn has as many as its weight. O(log agents log n). */
uint64_t tc_fts_urn_pick(const tc_fts_urn *u, uint64_t ticket);

/* ---- the cache */

typedef struct tc_fts_kept {
    uint64_t party, round;
    size_t since;     /* observations when it came */
    bool absent;      /* sent nothing in the present round */
    bool followed;    /* by the trial for which it was read */
    double weight;    /* of its sender */
    double balance;   /* pairs of observations that it orders rightly less those it does not */
    double *omega;    /* M */
    double *fit;      /* phi(x_i)'omega of each observation ... */
    size_t fits, cap; /* ... so far */
} tc_fts_kept;

typedef struct tc_fts_message_cache {
    tc_fts_kept *kept;
    size_t n, cap;
} tc_fts_message_cache;

void tc_fts_message_cache_fini(tc_fts_message_cache *s);
/* Keeps a message, in place of an older one of the same sender; *slot is where. */
tacit_status tc_fts_message_cache_put(tc_fts_message_cache *s, const tc_fts_core *c, uint64_t party,
                                      uint64_t round, const double *omega, size_t *slot,
                                      tacit_error *err);
/* Weighs all anew after an observation. */
tacit_status tc_fts_message_cache_observe(tc_fts_message_cache *s, const tc_fts_core *c,
                                          tacit_error *err);
/* The weight of a sender by the balance of its message over n observations. */
double tc_fts_rank_weight(double balance, size_t n);

#endif
