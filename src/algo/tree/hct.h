/* hct.h - one tree of high-confidence (hct.c). */
#ifndef TC_ALGO_TREE_HCT_H
#define TC_ALGO_TREE_HCT_H

#include "algo/tree/bandit.h"
#include "algo/tree/tree_options.h"

typedef struct tc_hct {
    const tc_hct_options *o;
    tc_tree tree;
    uint64_t t;                     /* the number of the next pull, from 1 */
    uint64_t renew;                 /* when the bounds are renewed: 2, 4, 8, ... */
    double spread;                  /* c^2 ln(1/delta~) */
    double slack[TC_DEPTH_MAX + 1]; /* nu rho^h */
    double tau[TC_DEPTH_MAX + 1];   /* samples that a node needs before it is split or passed */
} tc_hct;

tacit_status tc_hct_init(tc_hct *h, size_t dim, const tc_hct_options *o, tacit_error *err);
void tc_hct_fini(tc_hct *h);
/* The node to pull next. */
size_t tc_hct_select(const tc_hct *h);
/* The node may be split by this: then tree.n has grown. */
tacit_status tc_hct_tell(tc_hct *h, const tc_pulled *p, tacit_error *err);
/* The samples of one node have changed: its U, not yet any B. */
void tc_hct_weigh(tc_hct *h, size_t node);

#endif
