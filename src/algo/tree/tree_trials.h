/* tree_trials.h - a bandit whose pulls are trials of a study, one by one or in batches: what
 * tree_optimizer.c (one party) and tree_federated.c (agents) share.
 *
 * A value y becomes the reward (y - low)/(high - low), held to [0,1]; low and high are public and
 * are never learned from data. The tree divides one axis for each parameter, or the coordinates of
 * a finite domain. */
#ifndef TC_ALGO_TREE_TREE_TRIALS_H
#define TC_ALGO_TREE_TREE_TRIALS_H

#include "algo/algorithm.h"
#include "algo/tree/bandit.h"

typedef struct tc_tree_range {
    double low, high;
} tc_tree_range;

/* The rows of a struct that begins with a tc_tree_range. */
#define TC_TREE_RANGE_ROWS                                                                         \
    TC_FLOAT_OPTION("low", offsetof(tc_tree_range, low), "0", 0, 0,                                \
                    "the value that counts as reward 0; of a study that minimises, its negative"), \
        TC_FLOAT_OPTION(                                                                           \
            "high", offsetof(tc_tree_range, high), "1", 0, 0,                                      \
            "the value that counts as reward 1; of a study that minimises, its negative")

typedef struct tc_tree_trials {
    const tc_env *env;
    const tc_tree_range *range;
    const tc_bandit *bandit;
    void *client;
    size_t dim;             /* of the tree */
    double *t, *low, *high; /* dim: scratch */
    double *row, *values;   /* of the space: scratch */
    tc_arena memory;
} tc_tree_trials;

/* E_ARG: the options do not fit the space, or low is not below high. */
tacit_status tc_tree_trials_init(tc_tree_trials *s, const tc_env *env, const tc_bandit *b,
                                 const tc_tree_range *range, const void *opts, tacit_error *err);
/* The bandit's view of the study. */
tc_bandit_env tc_tree_env(const tc_env *env);

/* Members of a tc_optimizer_ops over a tc_tree_trials, or over a struct that begins with one ... */
void tc_tree_trials_fini(void *st);
tacit_status tc_tree_trials_ask(void *st, uint64_t trial, double *values, tacit_error *err);
tacit_status tc_tree_trials_tell(void *st, tacit_error *err);
/* ... and of its tc_batch_ops. */
tacit_status tc_tree_trials_ask_batch(void *st, uint64_t trial, double *values, uint64_t *pulls,
                                      tacit_error *err);
tacit_status tc_tree_trials_tell_batch(void *st, const tc_batch *batch, tacit_error *err);
int64_t tc_tree_trials_reward(const void *st, double y);
double tc_tree_trials_value(const void *st, double reward);

#endif
