/* agent.h - the state of one agent of fts: agent.c makes it and takes it through rounds, trial.c
 * chooses whom to follow and its points, heard.c is own=gp. Nobody else includes it. */
#ifndef TC_ALGO_FTS_AGENT_H
#define TC_ALGO_FTS_AGENT_H

#include "algo/fts/filter.h"
#include "algo/fts/pool.h"
#include "algo/fts/weights.h"
#include "num/blr.h"

/* own=gp (heard.c). */
typedef struct tc_fts_heard {
    uint64_t reads, misses; /* in the round that is read */
    /* From the messages of the last round in which any said something: */
    double *sum;           /* M: weighted */
    double weight, square; /* their weights, and the squares of these */
    bool older;            /* than the round that is read */
    bool news;             /* mean is older than sum */
    double *mean;          /* M: what the agent hears */
    tc_fts_filter *filter; /* or NULL: a mean is heard as it is */
    tc_fts_pool *pool;     /* message=values, which needs neither; else NULL */
} tc_fts_heard;

typedef struct tc_fts_agent_state {
    tc_fts_core core;
    const tc_fts_options *opts;
    tc_fts_heard heard;
    tc_blr *model; /* own=features, as search */
    tc_search search;
    tc_fts_urn urn;             /* whom it may draw; choose=learned: of those it has not read */
    tc_fts_message_cache cache; /* choose=learned: what it has read */
    uint64_t ready;             /* the trial for which a message was read; TC_FTS_NEVER: none */
    bool trusted;               /* it follows that one */
    size_t slot;                /* choose=learned: where it is kept */
    uint64_t tried;             /* the trial for which the last message was missed ... */
    uint64_t misses;            /* ... and how many were */
    double *omega;              /* the message in hand: M numbers, or those of message=values */
} tc_fts_agent_state;

/* What a trial follows. */
typedef struct tc_fts_lead {
    enum { TC_FTS_OWN, TC_FTS_OTHER, TC_FTS_FETCH } kind; /* FETCH: after `party` was read */
    uint64_t party;
    size_t slot; /* choose=learned */
} tc_fts_lead;

/* heard.c: own=gp. */
tacit_status tc_fts_heard_init(tc_fts_agent_state *a, tacit_error *err);
tacit_status tc_fts_heard_message(const tc_fts_agent_state *a, double *w, tacit_error *err);
void tc_fts_heard_published(tc_fts_agent_state *a); /* messages of another round are due */
/* Is a message to be read now? *party: whose. */
bool tc_fts_heard_reads(const tc_fts_agent_state *a, uint64_t *party);
/* a->omega is the message of `party`; room in the urn is reserved, as for missed. */
tacit_status tc_fts_heard_fetched(tc_fts_agent_state *a, uint64_t party, tacit_error *err);
void tc_fts_heard_missed(tc_fts_agent_state *a, uint64_t party);
tacit_status tc_fts_heard_ask(tc_fts_agent_state *a, uint64_t trial, double *values,
                              tacit_error *err);

/* trial.c */
uint64_t tc_fts_round(const tc_fts_agent_state *a); /* of the messages to read */
/* The stream of the choices in a step, which is a trial, or with own=gp a round. */
void tc_fts_choice_stream(tc_stream *s, const tc_fts_agent_state *a, uint64_t step,
                          uint64_t choice);
/* choose=learned: is a message of this weight followed? With probability min(1, weight). */
bool tc_fts_trusts(const tc_fts_agent_state *a, uint64_t trial, double weight);
tc_fts_lead tc_fts_decide(const tc_fts_agent_state *a, uint64_t trial);
tacit_status tc_fts_ask(void *st, uint64_t trial, double *values, tacit_error *err);

#endif
