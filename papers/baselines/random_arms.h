/* random_arms.h - finitely many arms in [0,1]^dim that everybody knows: random points of the public
 * seed. For bandits that know no cells (fed1_ucb.c, fn_ucb.c): with one seed they have the same arms. */
#ifndef TC_PAPERS_RANDOM_ARMS_H
#define TC_PAPERS_RANDOM_ARMS_H

#include "algo/tree/bandit.h"

/* `given`, or where that is 0 as in the pf-pne experiments: 20^dim, and 1000 above two dimensions. */
size_t tc_random_arms_count(size_t dim, int64_t given);
/* points: n x dim, arm by arm. */
void tc_random_arms_draw(const tc_bandit_env *env, size_t n, double *points);

#endif
