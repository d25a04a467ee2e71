/* tree.h - a growing tree of cells with statistics, for the optimistic tree bandits.
 *
 * Nodes live in one array and are named by their place in it; the k children of a node stand
 * side by side, and always behind their parent, so that one pass from the end to the root meets
 * children first. The cells are those of space/partition.h. Rewards are whole numbers of
 * 2^-28: a sum does not depend on its order, and holds 10^10 of them.
 *
 * Every node has two bounds (docs/math.md, "Tree bandits"): U on its own cell, by its own samples,
 * and B = min(U, max B of the children). Used by hct.c, hoo.c and fed_hct.c. */
#ifndef TC_ALGO_TREE_TREE_H
#define TC_ALGO_TREE_TREE_H

#include "algo/batch.h"
#include "space/partition.h"

#include <tacit/status.h>

#include <stddef.h>
#include <stdint.h>

#define TC_REWARD_ONE   TC_BATCH_ONE /* the reward 1: bandits count as batches do */
#define TC_CHILDREN_MAX 16           /* largest k */
#define TC_DEPTH_MAX    62           /* of k = 2, the deepest */

/* The nearest whole number of 2^-28; the reward is first held to [-2, 2]. */
int64_t tc_reward_of(double reward);

typedef struct tc_node {
    double upper;  /* U */
    double bound;  /* B */
    uint64_t n;    /* samples, pseudo-samples included */
    int64_t sum;   /* of their rewards */
    uint64_t cell; /* index at its depth */
    int64_t prior_sum;
    uint32_t prior; /* how many of n are pseudo-samples: what others have seen (fed_hct.c) */
    uint32_t depth;
    uint32_t parent; /* of the root: itself */
    uint32_t child;  /* the first of k; 0: a leaf */
} tc_node;           /* a cache line */

typedef struct tc_tree {
    size_t dim;
    unsigned k;
    uint32_t max_depth; /* nodes there are never split */
    tc_node *nodes;     /* the root is node 0 */
    size_t n, cap;
} tc_tree;

/* The root alone, with U = B = infinity. */
tacit_status tc_tree_init(tc_tree *t, size_t dim, unsigned k, tacit_error *err);
void tc_tree_fini(tc_tree *t);

/* Gives a leaf above max_depth its k children, each without samples and with U = B = infinity.
 * Pointers to nodes are lost. */
tacit_status tc_tree_split(tc_tree *t, size_t node, tacit_error *err);

/* The child with the largest B; ties: the first. */
size_t tc_tree_best_child(const tc_tree *t, size_t node);

/* U of this node has changed: sets its B, and that of its ancestors as far as they change. */
void tc_tree_raise(tc_tree *t, size_t node);
/* Many U have changed: sets every B. */
void tc_tree_raise_all(tc_tree *t);

tc_cell tc_tree_cell(const tc_tree *t, size_t node);
/* The leaf whose cell contains u. */
size_t tc_tree_leaf_of(const tc_tree *t, const double *u);

#endif
