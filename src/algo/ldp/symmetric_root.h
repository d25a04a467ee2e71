/* symmetric_root.h - features and root of ata as the papers print them: phi(x) = K_SS^{-1/2}
 * k_S(x), one feature for each arm of the dictionary, and U = V^-1/2 Phi'. O(m^3) a step (ata.c has
 * the fast way); for comparisons. */
#ifndef TC_ALGO_LDP_SYMMETRIC_ROOT_H
#define TC_ALGO_LDP_SYMMETRIC_ROOT_H

#include "algo/ldp/ldp_int.h"

typedef struct tc_symmetric_root {
    size_t m, cap;
    size_t *S;        /* the dictionary, ascending */
    double *phi, *U;  /* m rows of n arms each */
    double *V;        /* m x m */
    double *Q, *half; /* m x m: scratch */
    double *w;        /* m: scratch */
} tc_symmetric_root;

/* All-zero is an empty dictionary. */
void tc_symmetric_root_fini(tc_symmetric_root *r);
/* After a play of arm `a` is in m->sketch: follows its dictionary and counts. */
tacit_status tc_symmetric_root_follow(tc_symmetric_root *r, tc_ldp_model *m, size_t a,
                                      tacit_error *err);
/* Computes r->U. */
tacit_status tc_symmetric_root_find(tc_symmetric_root *r, const tc_ldp_model *m, tacit_error *err);

#endif
