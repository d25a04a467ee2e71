/* agent.h - the state of one agent of fts: agent.c makes it and takes it through rounds, trial.c
 * chooses whom to follow and its points. Nobody else includes it. */
#ifndef TC_ALGO_FTS_AGENT_H
#define TC_ALGO_FTS_AGENT_H

#include "algo/fts/weights.h"
#include "num/blr.h"

typedef struct tc_fts_agent_state {
    tc_fts_core core;
    const tc_fts_options *opts;
    tc_blr *model;
    tc_search search;
    tc_fts_urn urn;     /* whom it may draw; choose=learned: of those it has not read */
    tc_fts_shelf shelf; /* choose=learned: what it has read */
    uint64_t ready;     /* the trial for which a message was read; TC_FTS_NEVER: none */
    bool trusted;       /* it follows that one */
    size_t slot;        /* choose=learned: where it is kept */
    uint64_t tried;     /* the trial for which the last message was missed ... */
    uint64_t misses;    /* ... and how many were */
    double *omega;      /* M: the message in hand */
} tc_fts_agent_state;

/* What a trial follows. */
typedef struct tc_fts_lead {
    enum { TC_FTS_OWN, TC_FTS_OTHER, TC_FTS_FETCH } kind; /* FETCH: after `party` was read */
    uint64_t party;
    size_t slot; /* choose=learned */
} tc_fts_lead;

/* trial.c */
uint64_t tc_fts_round(const tc_fts_agent_state *a); /* of the messages to read */
/* choose=learned: is a message of this weight followed? With probability min(1, weight). */
bool tc_fts_trusts(const tc_fts_agent_state *a, uint64_t trial, double weight);
tc_fts_lead tc_fts_decide(const tc_fts_agent_state *a, uint64_t trial);
tacit_status tc_fts_ask(void *st, uint64_t trial, double *values, tacit_error *err);

#endif
