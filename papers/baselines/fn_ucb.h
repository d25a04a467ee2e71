/* fn_ucb.h - federated neural UCB: what its client (fn_ucb_client.c) and its server (fn_ucb.c) share.
 *
 * A message has TC_FN_PARTS vectors of p numbers in units of 2^-28, a broadcast the number of messages
 * and then their sums. */
#ifndef TC_PAPERS_FN_UCB_H
#define TC_PAPERS_FN_UCB_H

#include "algo/tree/bandit.h"
#include "papers/baselines/fn_ucb_net.h"
#include "base/memory.h"

typedef struct tc_fn_options {
    int64_t arms, width, steps, trust;
    double lambda, nu, nu_net, rate, growth;
} tc_fn_options;

/* theta of the own network; 1/V, W and B of the own pulls. */
enum { TC_FN_THETA, TC_FN_INVERSE, TC_FN_W, TC_FN_B, TC_FN_PARTS };

tc_fn_net tc_fn_net_of(const tc_bandit_env *env, const tc_fn_options *o);
/* No number of a message is beyond this, so that sums of M of them fit. */
int64_t tc_fn_most(const tc_bandit_env *env);

typedef struct tc_fn_client {
    const tc_fn_options *o;
    tc_fn_net net;
    size_t dim, n_arms, p;
    int64_t most;
    double *points;             /* n_arms x dim, by arm */
    double *X, *G, *G2;         /* of all arms: see fn_ucb_net.h; G at theta_0, G2 its squares */
    double *theta0, *f0;        /* p; n_arms: f(x; theta_0) */
    double rate;                /* of a step down the loss */
    double *mean, *n;           /* n_arms: own pulls, and the mean of their rewards */
    double *own[TC_FN_PARTS];   /* p each */
    double *all[TC_FN_PARTS];   /* the same as the last round left it; theta and 1/V are means */
    double *sent_W, *sent_B;    /* p: what of own W and B is in there */
    double *net_bound, *bound;  /* n_arms: UCB^b, and what the arms are chosen by */
    double *H, *f, *a, *b, *mu; /* scratch: n_arms x width, n_arms, p, p, n_arms */
    double *pulled;             /* scratch: the rows of X that have pulls */
    uint64_t t, due;            /* own pulls, and when there are enough for a round */
    tc_pulls next;
    tc_arena memory;
} tc_fn_client;

tacit_status tc_fn_client_init(tc_fn_client *c, const tc_bandit_env *env, const tc_fn_options *o,
                               tacit_error *err);
void tc_fn_client_tell(tc_fn_client *c, const tc_pulled *p);
tacit_status tc_fn_client_publish(const tc_fn_client *c, tc_numbers *out, tacit_error *err);
tacit_status tc_fn_client_absorb(tc_fn_client *c, const tc_numbers *broadcast, tacit_error *err);
/* The next round is as far away as if this one had been held. */
void tc_fn_client_skip(tc_fn_client *c);

#endif
