/* nystrom.h - Nystrom features: phi(x) = (K_SS^{1/2})^+ k_S(x) for a dictionary S of points.
 *
 * phi(x)'phi(x') = k_S(x)' K_SS^+ k_S(x'), the kernel projected on the span of the dictionary.
 * Directions in which K_SS is singular to working precision are left out (rank counts the rest). */
#ifndef TC_NUM_NYSTROM_H
#define TC_NUM_NYSTROM_H

#include "num/gp.h"

typedef struct tc_nystrom {
    size_t m, dim;
    tc_gp_hyper hyper;
    double *S;    /* m x dim column-major: the dictionary */
    double *root; /* m x m: (K_SS^{1/2})^+ */
    size_t rank;
} tc_nystrom;

/* Copies h and the dictionary S (m x dim column-major, lds). */
tacit_status tc_nystrom_init(tc_nystrom *f, const tc_gp_hyper *h, size_t m, const double *S,
                             size_t lds, tacit_error *err);
void tc_nystrom_fini(tc_nystrom *f);
/* phi and scratch: m each */
void tc_nystrom_at(const tc_nystrom *f, const double *x, double *phi, double *scratch);

#endif
