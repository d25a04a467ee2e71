/* phase.h - lists of the nodes of one depth, for bandits that work depth by depth.
 *
 * Used by pf-pne, fed-pne and blin. A list holds what is active, so that memory is that of the
 * active nodes and not of the tree. */
#ifndef TC_ALGO_TREE_PHASE_H
#define TC_ALGO_TREE_PHASE_H

#include "algo/tree/bandit.h"

typedef struct tc_phase_node {
    uint64_t cell;
    uint64_t n;  /* samples */
    int64_t sum; /* of their rewards */
    bool kept;   /* pf-pne: protected, with the global mean; not pulled */
    double mean; /* once it is known */
} tc_phase_node;

/* By rising cell. */
typedef struct tc_phase_nodes {
    tc_phase_node *v;
    size_t n, cap;
} tc_phase_nodes;

tacit_status tc_phase_add(tc_phase_nodes *s, tc_phase_node node, tacit_error *err);
/* The node of a cell; NULL: not there. */
tc_phase_node *tc_phase_find(const tc_phase_nodes *s, uint64_t cell);
/* `to`: all children of the nodes of `from`, without samples. */
tacit_status tc_phase_children(const tc_phase_nodes *from, unsigned k, tc_phase_nodes *to,
                               tacit_error *err);
void tc_phase_fini(tc_phase_nodes *s);

#endif
