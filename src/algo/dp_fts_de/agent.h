/* agent.h - the state of one agent of dp-fts-de: agent.c makes it and takes it through rounds,
 * trial.c chooses its points, broadcast_filter.c, prior.c and heard.c make broadcasts a part of its model. Nobody else
 * includes it. */
#ifndef TC_ALGO_DP_FTS_DE_AGENT_H
#define TC_ALGO_DP_FTS_DE_AGENT_H

#include "algo/dp_fts_de/dp_fts_de.h"
#include "algo/own/own.h"
#include "num/blr.h"

#include <pthread.h>

/* The residual of one region under absorb=prior. Phi, y and m are of the observations there. */
typedef struct tc_dp_fts_de_part {
    tc_blr *rest;          /* Sigma = Phi'Phi + lambda/v I; NULL: none seen yet */
    double fit_yy;         /* y'C^-1 y, C = v Phi Phi' + lambda I */
    double *u;             /* M: Sigma^-1 omega, unless stale */
    double fit_ym, fit_mm; /* y'C^-1 m, m'C^-1 m, the same */
    bool stale;
} tc_dp_fts_de_part;

typedef struct tc_dp_fts_de_prior {
    tc_dp_fts_de_part *parts; /* regions */
    uint64_t broadcasts;      /* whose mean is omega */
    size_t since;             /* observations when the first came */
    double *target;           /* regions x M: what tc_dp_fts_de_prior_target returns */
    double *e, *spread;       /* regions x (M + M/2), M: scratch */
} tc_dp_fts_de_prior;

/* own=gp (heard.c). */
typedef struct tc_dp_fts_de_heard {
    int64_t *sent;         /* M: the last message */
    uint64_t broadcasts;   /* whose mean is omega */
    double *omega, *spare; /* regions x M, M: scratch */
} tc_dp_fts_de_heard;

/* What a broadcast says (broadcast_filter.c). */
typedef struct tc_dp_fts_de_filter {
    size_t M, P;
    double
        error; /* share of the variance of f that a broadcast leaves open; 1 where P > 1: not known */
    double *A, *B; /* M x M for each region */
    double *root;  /* M x M: a Cholesky factor */
    tc_arena memory;
} tc_dp_fts_de_filter;

/* One for all agents of a study in this process (shared.c). */
typedef struct tc_dp_fts_de_shared {
    size_t users;
    pthread_mutex_t lock; /* the members below */
    bool built;
    double lengthscale;
    tc_features *features;
    tc_dp_fts_de_filter *filter; /* or NULL: broadcasts are taken as they come */
} tc_dp_fts_de_shared;

typedef struct tc_dp_fts_de_agent_state {
    const tc_env *env;
    const tc_dp_fts_de_options *opts;
    bool observer; /* set before init: no agent, but common.c, which has sent nothing */
    tc_dp_fts_de_shared *shared;
    const tc_features *features;       /* of shared; NULL until the vote is heard */
    const tc_dp_fts_de_filter *filter; /* the same */
    tc_blr *model;                     /* own=features, as search */
    tc_search search;
    tc_party_key coins, draws; /* of trial.c */
    tc_party_key messages;
    tc_dp_fts_de_releases releases;
    uint64_t due;             /* the next round that releases */
    tc_dp_fts_de_form form;   /* of its messages */
    bool waits;               /* for its broadcast */
    bool informed;            /* omega holds the last one, or the mean of all (absorb=prior) */
    size_t absorbed;          /* observations when it came */
    double *omega;            /* regions x M */
    tc_dp_fts_de_prior prior; /* absorb=prior; else all zero */
    tc_own *own;              /* own=gp; else NULL */
    tc_dp_fts_de_heard heard; /* own=gp */
    double *draw;             /* M: scratch */
    int64_t *steps;           /* M: scratch */
    double *low, *high;
    tc_arena memory;
} tc_dp_fts_de_agent_state;

static inline bool tc_dp_fts_de_federated(const tc_dp_fts_de_agent_state *a)
{
    return a->env->agents > 1;
}

/* Has it skipped the vote? Others may have heard it (this agent declined, or the coordinator was restored from a
 * backup), so the features that they share are not known here: the agent goes on alone and sends zeros, which are in
 * nobody's way. Vectors on features of another length-scale would be. */
static inline bool tc_dp_fts_de_missed_vote(const tc_dp_fts_de_agent_state *a)
{
    return !a->features && a->due > 0;
}

/* trial.c: what it needs from the start; ask, ask_many and tell of tc_optimizer_ops. */
void tc_dp_fts_de_trial_init(tc_dp_fts_de_agent_state *a);
tacit_status tc_dp_fts_de_ask(void *st, uint64_t trial, double *values, tacit_error *err);
tacit_status tc_dp_fts_de_ask_many(void *const *st, const uint64_t *trial, double *const *values,
                                   size_t n, tacit_error *err);
tacit_status tc_dp_fts_de_tell(void *st, tacit_error *err);

/* broadcast_filter.c: is there to be one, by public constants? */
bool tc_dp_fts_de_filter_applies(const tc_dp_fts_de_agent_state *a);
tacit_status tc_dp_fts_de_filter_new(tc_dp_fts_de_filter **out, tc_dp_fts_de_agent_state *a,
                                     tacit_error *err);
void tc_dp_fts_de_filter_free(tc_dp_fts_de_filter *l); /* NULL is allowed */
/* omega: regions x M, in place. common, rest: M each, scratch. */
void tc_dp_fts_de_filter_apply(const tc_dp_fts_de_filter *l, double *omega, double *common,
                               double *rest);

/* How large noise of standard deviation 1 in every coordinate of a broadcast is, after the filter, at a point with the
 * features phi in this region. groups 0; or, where a broadcast has sums of groups, how many, and how much each counts in each
 * region: groups x regions. scratch: (2 + groups) M. */
double tc_dp_fts_de_filter_noise(const tc_dp_fts_de_filter *l, size_t region, const double *phi,
                                 const double *shares, size_t groups, double *scratch);

/* agent.c: the vote is heard, in its round. */
tacit_status tc_dp_fts_de_hear_vote(tc_dp_fts_de_agent_state *a, const tc_dp_fts_de_round *r,
                                    const void *bytes, tacit_error *err);

/* shared.c: init takes part in what siblings share; share makes it for a length-scale, or finds it made. */
tacit_status tc_dp_fts_de_shared_init(tc_dp_fts_de_agent_state *a, tacit_error *err);
tacit_status tc_dp_fts_de_share(tc_dp_fts_de_agent_state *a, double lengthscale, tacit_error *err);
void tc_dp_fts_de_shared_fini(tc_dp_fts_de_agent_state *a);

/* heard.c: own=gp. */
tacit_status tc_dp_fts_de_heard_init(tc_dp_fts_de_agent_state *a, tacit_error *err);
tacit_status tc_dp_fts_de_heard_message(const tc_dp_fts_de_agent_state *a, double *w,
                                        tacit_error *err);
void tc_dp_fts_de_heard_sent(tc_dp_fts_de_agent_state *a); /* a->steps was */
/* The broadcast of release r in doubles, regions x M; grid: of the message. */
void tc_dp_fts_de_heard_absorb(tc_dp_fts_de_agent_state *a, uint64_t r, int grid, double *omega);

/* vote.c: what an agent says, TC_DP_FTS_DE_VOTE_GRID numbers before they are clipped. */
tacit_status tc_dp_fts_de_vote_message(const tc_dp_fts_de_agent_state *a, double *v,
                                       tacit_error *err);

/* prior.c */
tacit_status tc_dp_fts_de_prior_init(tc_dp_fts_de_agent_state *a, tacit_error *err);
void tc_dp_fts_de_prior_fini(tc_dp_fts_de_agent_state *a);
/* Room for an observation in this region, which tell then tells of, after the agent's own model
 * learned of it; y: after y_mean and y_scale. */
tacit_status tc_dp_fts_de_prior_open(tc_dp_fts_de_agent_state *a, size_t region, tacit_error *err);
void tc_dp_fts_de_prior_tell(tc_dp_fts_de_agent_state *a, const double *phi, size_t region,
                             double y);
void tc_dp_fts_de_prior_absorb(tc_dp_fts_de_agent_state *a, const double *omega);
/* Weights for each region, regions x M: a draw of the posterior, or its mean. NULL: the
 * broadcasts do not explain the agent's data. */
const double *tc_dp_fts_de_prior_target(tc_dp_fts_de_agent_state *a, uint64_t trial, bool draw);

#endif
