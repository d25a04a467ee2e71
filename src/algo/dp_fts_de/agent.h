/* agent.h - the state of one agent of dp-fts-de: agent.c makes it and takes it through rounds,
 * trial.c chooses its points. Nobody else includes it. */
#ifndef TC_ALGO_DP_FTS_DE_AGENT_H
#define TC_ALGO_DP_FTS_DE_AGENT_H

#include "algo/dp_fts_de/dp_fts_de.h"
#include "num/blr.h"

typedef struct tc_de_agent_state {
    const tc_env *env;
    const tc_de_options *opts;
    tc_features *features;
    tc_blr *model;
    tc_search search;
    tc_de_releases releases;
    uint64_t due;    /* the next round that releases */
    tc_de_form form; /* of its messages */
    bool waits;      /* for its broadcast */
    bool informed;   /* omega holds the last one */
    size_t absorbed; /* observations when it came */
    double *omega;   /* regions x M */
    double *draw;    /* M: scratch */
    int64_t *steps;  /* M: scratch */
    double *low, *high;
    tc_arena memory;
} tc_de_agent_state;

static inline bool tc_de_federated(const tc_de_agent_state *a)
{
    return a->env->agents > 1;
}

/* trial.c: ask and tell of tc_optimizer_ops. */
tacit_status tc_de_ask(void *st, uint64_t trial, double *values, tacit_error *err);
tacit_status tc_de_tell(void *st, tacit_error *err);

#endif
