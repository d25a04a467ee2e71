/* baselines.h - the bandits of the experiments: those of algo/tree, and those that pf-pne is compared with alone.
 *
 * The arms of fed1-ucb and fn-ucb are random points (random_arms.h) and no cells, so no study can use them, and
 * they are not in tc_bandits. For drive.c and tests. */
#ifndef TC_PAPERS_BASELINES_H
#define TC_PAPERS_BASELINES_H

#include "algo/tree/bandit.h"

extern const tc_bandit tc_bandit_fed1_ucb, tc_bandit_fn_ucb;

/* Every bandit of an experiment; NULL-terminated. E_ARG: there is none of that name. */
const tc_bandit *const *tc_paper_bandits(void);
tacit_status tc_paper_bandit_get(const tc_bandit **out, const char *name, tacit_error *err);

#endif
