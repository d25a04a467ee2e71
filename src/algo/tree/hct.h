/* hct.h - the client of hct.c, which its test looks into. */
#ifndef TC_ALGO_TREE_HCT_H
#define TC_ALGO_TREE_HCT_H

#include "algo/tree/bandit.h"
#include "algo/tree/tree_options.h"

typedef struct tc_hct {
    tc_tree tree; /* first, as bandit.h wants it */
    const tc_hct_options *o;
    uint64_t t;                     /* the number of the next pull, from 1 */
    uint64_t renew;                 /* when the bounds are renewed: 2, 4, 8, ... */
    double spread;                  /* c^2 ln(1/delta~) */
    double slack[TC_DEPTH_MAX + 1]; /* nu rho^h */
    double tau[TC_DEPTH_MAX + 1];   /* samples that a node needs before it is split or passed */
} tc_hct;

#endif
