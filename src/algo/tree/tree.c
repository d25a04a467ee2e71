/* tree.c - the array of nodes, and how bounds travel to the root. See tree.h. */
#include "algo/tree/tree.h"

#include "base/error.h"
#include "base/memory.h"

#include <assert.h>
#include <math.h>

int64_t tc_reward_of(double reward)
{
    return llround(fmin(fmax(reward, -2), 2) * (double)TC_REWARD_ONE);
}

tacit_status tc_tree_init(tc_tree *t, size_t dim, unsigned k, tacit_error *err)
{
    assert(dim >= 1 && k >= 2 && k <= TC_CHILDREN_MAX);
    *t = (tc_tree){.dim = dim, .k = k, .max_depth = tc_cell_max_depth(k)};
    void *nodes = NULL;
    if (!tc_grow(&nodes, &t->cap, 1 + k, sizeof *t->nodes))
        return tc_fail_memory(err);
    t->nodes = nodes;
    t->nodes[0] = (tc_node){.upper = INFINITY, .bound = INFINITY};
    t->n = 1;
    return TACIT_OK;
}

void tc_tree_fini(tc_tree *t)
{
    tc_free(t->nodes);
    *t = (tc_tree){0};
}

tacit_status tc_tree_split(tc_tree *t, size_t node, tacit_error *err)
{
    assert(node < t->n && t->nodes[node].child == 0 && t->nodes[node].depth < t->max_depth);
    if (t->n > UINT32_MAX - t->k)
        return tc_fail_memory(err);
    void *nodes = t->nodes;
    if (!tc_grow(&nodes, &t->cap, t->n + t->k, sizeof *t->nodes))
        return tc_fail_memory(err);
    t->nodes = nodes;
    tc_cell cell = tc_tree_cell(t, node);
    for (unsigned j = 0; j < t->k; j++) {
        tc_cell c = tc_cell_child(cell, t->k, j);
        t->nodes[t->n + j] = (tc_node){.upper = INFINITY,
                                       .bound = INFINITY,
                                       .cell = c.index,
                                       .depth = c.depth,
                                       .parent = (uint32_t)node};
    }
    t->nodes[node].child = (uint32_t)t->n;
    t->n += t->k;
    return TACIT_OK;
}

size_t tc_tree_best_child(const tc_tree *t, size_t node)
{
    size_t best = t->nodes[node].child;
    for (size_t c = best + 1; c < t->nodes[node].child + t->k; c++)
        if (t->nodes[c].bound > t->nodes[best].bound)
            best = c;
    return best;
}

static double bound_of(const tc_tree *t, size_t node)
{
    const tc_node *v = &t->nodes[node];
    if (v->child == 0)
        return v->upper;
    return fmin(v->upper, t->nodes[tc_tree_best_child(t, node)].bound);
}

void tc_tree_raise(tc_tree *t, size_t node)
{
    for (;;) {
        tc_node *v = &t->nodes[node];
        double bound = bound_of(t, node);
        if (bound == v->bound)
            return;
        v->bound = bound;
        if (node == 0)
            return;
        node = v->parent;
    }
}

void tc_tree_raise_all(tc_tree *t)
{
    for (size_t i = t->n; i > 0; i--)
        t->nodes[i - 1].bound = bound_of(t, i - 1);
}

tc_cell tc_tree_cell(const tc_tree *t, size_t node)
{
    return (tc_cell){t->nodes[node].depth, t->nodes[node].cell};
}

/* Cells of all depths on the way to u are prefixes of the deepest one. */
size_t tc_tree_leaf_of(const tc_tree *t, const double *u)
{
    size_t node = 0;
    while (t->nodes[node].child) {
        tc_cell c = tc_cell_of(u, t->nodes[node].depth + 1, t->k, t->dim);
        node = t->nodes[node].child + (size_t)(c.index % t->k);
    }
    return node;
}
