/* single.h - the algorithms of one party, for registry.c. */
#ifndef TC_ALGO_SINGLE_SINGLE_H
#define TC_ALGO_SINGLE_SINGLE_H

#include "algo/algorithm.h"

extern const tc_algorithm tc_algorithm_random;
extern const tc_algorithm tc_algorithm_sobol;
extern const tc_algorithm tc_algorithm_ts;
extern const tc_algorithm tc_algorithm_gp_ucb;
extern const tc_algorithm tc_algorithm_gp_ei;

#endif
