/* peers.h - an agent that mixes the posteriors of all others: what rgpe and taf share.
 *
 * Every agent publishes its posterior once, after its initial points, and reads those of all others
 * before its first iteration: N - 1 messages. Each iteration then weighs all of them by how they
 * rank its own observations, and scores points by all: work that grows linearly with N, which is
 * the nature of these methods. The agent's own model among them is a Gaussian process of its own (own=gp), or
 * such a posterior too (own=features). peers.c has the rounds, peer.c one posterior, posterior_cache.c those that are
 * shared, peers_search.c the point; an algorithm adds the weights and the acquisition. Nobody else
 * includes this. */
#ifndef TC_ALGO_FTS_PEERS_H
#define TC_ALGO_FTS_PEERS_H

#include "algo/fts/fts.h"

enum { TC_PEERS_BLOCK = 64 }; /* candidates at a time */

/* A posterior N(nu, lambda Sigma^-1) of weights, ready to be asked. On a finite space that is a
 * mean and a variance for each place of the features, elsewhere nu and Sigma^-1 themselves. */
typedef struct tc_peer {
    double *memory;     /* all of the below; NULL: no message came */
    double best;        /* the largest value that it has seen */
    double *mean, *var; /* var: NULL where certain */
    double *nu, *S;     /* S: lower triangle, column by column */
    bool certain;       /* its variance is not asked for */
    bool borrowed;      /* the memory is the cache's */
} tc_peer;

/* For a finite space: the variance at a candidate. */
static inline double tc_peer_variance_at(const tc_peer *q, size_t place)
{
    return q->var ? q->var[place] : 0;
}

typedef struct tc_peers tc_peers;
typedef struct tc_posterior_cache tc_posterior_cache;

typedef struct tc_peers_kind {
    /* What it sends: `width` numbers from place `first` of tc_peers.numbers. */
    tc_fts_form (*form)(const void *opts, size_t *first);
    bool certain; /* only its own variance counts */
    /* Prepares p->numbers of agent `party` for use, in a way of this reader's own; NULL: no need, and
     * the agents of one process share what they read. */
    void (*arrange)(tc_peers *p, uint64_t party);
    /* Sets p->weight of itself and of all peers that came, for this trial. */
    tacit_status (*weigh)(tc_peers *p, uint64_t trial, tacit_error *err);
    /* How good a point is where active agent k has mean[k] and var[k]; with the derivatives unless
     * d_mean is NULL. */
    double (*value)(const tc_peers *p, const double *mean, const double *var, double *d_mean,
                    double *d_var);
} tc_peers_kind;

struct tc_peers {
    tc_fts_core core;
    const tc_peers_kind *kind;
    const void *opts;
    uint64_t reads; /* whose message is read next; the size of the roster: all were */
    size_t agents;  /* at least 1 */
    tc_peer *peer;  /* by agent; its own is made anew for each trial, but not with own=gp */
    tc_posterior_cache *cache;
    double *numbers;    /* 1 + M + M(M+1)/2: best, nu, lower triangle of Sigma^-1 */
    double *A;          /* M x M: scratch */
    double *product;    /* M x TC_PEERS_BLOCK: scratch */
    double *phi, *Sphi; /* M */
    /* For the present trial: */
    double best;    /* what is to be improved on */
    double *weight; /* by agent */
    size_t *active; /* agents whose weight is not 0 */
    size_t n_active;
    double *mean, *var, *d_mean, *d_var; /* of the active ones at a point */
    double *y, *at_mean, *at_var;        /* values, and what a peer predicts for them */
    size_t y_cap, mean_cap, var_cap;
    /* peers_search.c */
    double *score, *X, *starts, *values;
    double *slope, *d_own, *d_own_var; /* dim: own=gp */
    unsigned char *shut, *free;
};

/* Is there something that agent i predicts? */
static inline bool tc_peers_here(const tc_peers *p, size_t i)
{
    return p->peer[i].memory || (p->core.own && i == p->core.env->party);
}

/* peer.c */
size_t tc_peers_triangle(const tc_peers *p); /* M(M+1)/2 */
/* The factor of Sigma, of its own observations, into p->A; Phi'y into the place of nu. */
tacit_status tc_peers_factor(const tc_peers *p, const double *z, tacit_error *err);
/* Writes the agent's own posterior into p->numbers. */
tacit_status tc_peers_compose(const tc_peers *p, tacit_error *err);
/* p->numbers as a posterior; end with tc_peer_drop. */
tacit_status tc_peers_make(const tc_peers *p, bool certain, tc_peer *out, tacit_error *err);
void tc_peer_drop(tc_peer *q);
/* ... as the posterior of an agent, in place of what it had. */
tacit_status tc_peers_take(tc_peers *p, uint64_t party, bool certain, tacit_error *err);
double tc_peer_mean(const tc_peer *q, size_t M, const double *phi);
/* Sphi gets Sigma^-1 phi. */
double tc_peer_variance(const tc_peers *p, const tc_peer *q, const double *phi, double *Sphi);
/* p->at_mean and, unless certain, p->at_var: its predictions of the observations. Not of an own process. */
void tc_peers_predict(tc_peers *p, uint64_t party);

/* posterior_cache.c */
tacit_status tc_posterior_cache_join(tc_peers *p, tacit_error *err); /* during init */
void tc_posterior_cache_leave(tc_posterior_cache *c);                /* NULL is allowed */
/* As tc_peers_take; message: the n numbers, among p->numbers, that an agent sent. */
tacit_status tc_posterior_cache_take(tc_peers *p, uint64_t party, const double *message, size_t n,
                                     tacit_error *err);

/* peers.c: members of tc_optimizer_ops; init is for the algorithm's own. */
tacit_status tc_peers_init(tc_peers *p, const tc_peers_kind *kind, const tc_env *env,
                           const tc_fts_common *common, const void *opts, tacit_error *err);
void tc_peers_fini(void *st);
tacit_status tc_peers_ask(void *st, uint64_t trial, double *values, tacit_error *err);
void tc_peers_need(const void *st, tc_need *out);
tacit_status tc_peers_publish(const void *st, uint64_t round, tc_text *out, tacit_error *err);
tacit_status tc_peers_published(void *st, uint64_t round, tacit_error *err);
tacit_status tc_peers_fetched(void *st, uint64_t round, uint64_t party, const void *bytes, size_t n,
                              tacit_error *err);
tacit_status tc_peers_missed(void *st, uint64_t round, uint64_t party, tacit_error *err);
/* ... and of tc_relay_ops, for a kind. */
tacit_status tc_peers_check(const tc_peers_kind *kind, const tc_env *env, const void *opts,
                            uint64_t round, uint64_t agent, const void *bytes, size_t n,
                            tacit_error *err);
tacit_status tc_peers_release(const tc_peers_kind *kind, const tc_env *env, const void *opts,
                              uint64_t round, uint64_t agent, const void *bytes, size_t n,
                              tc_release **out, tacit_error *err);

/* The tables `agent` and `relay` of an algorithm whose state begins with a tc_peers: begin and end are its own. */
#define TC_PEERS_TABLES(state, begin, end, kind)                                                   \
    static tacit_status check(const tc_env *env, const void *opts, uint64_t round, uint64_t who,   \
                              const void *bytes, size_t n, tacit_error *err)                       \
    {                                                                                              \
        return tc_peers_check(&(kind), env, opts, round, who, bytes, n, err);                      \
    }                                                                                              \
    static tacit_status release(const tc_env *env, const void *opts, uint64_t round, uint64_t who, \
                                const void *bytes, size_t n, tc_release **out, tacit_error *err)   \
    {                                                                                              \
        return tc_peers_release(&(kind), env, opts, round, who, bytes, n, out, err);               \
    }                                                                                              \
    static const tc_optimizer_ops agent = {.state_size = sizeof(state),                            \
                                           .init = (begin),                                        \
                                           .fini = (end),                                          \
                                           .fit_due = tc_fts_fit_due,                              \
                                           .fit = tc_fts_fit,                                      \
                                           .fitted = tc_fts_fitted,                                \
                                           .recommend = tc_fts_recommend,                          \
                                           .ask = tc_peers_ask,                                    \
                                           .need = tc_peers_need,                                  \
                                           .publish = tc_peers_publish,                            \
                                           .published = tc_peers_published,                        \
                                           .fetched = tc_peers_fetched,                            \
                                           .missed = tc_peers_missed};                             \
    static const tc_relay_ops relay = {                                                            \
        .agree = tc_fts_common_check, .check = check, .release = release};

/* peers_search.c */
tacit_status tc_peers_search_init(tc_peers *p, tacit_error *err);
/* The acquisition of the present trial at a point of a box; its gradient, unless NULL. */
double tc_peers_score(tc_peers *p, const double *u, double *grad);
/* The best point that is not known yet. Ties: the first. */
tacit_status tc_peers_maximise(tc_peers *p, uint64_t trial, double *values, tacit_error *err);

/* The largest of an agent's own values, 0 before there are any. */
double tc_peers_best(const tc_peers *p, const double *z);

#endif
