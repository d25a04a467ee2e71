/* tree_algorithms.h - the tree bandits as algorithms, for registry.c. */
#ifndef TC_ALGO_TREE_TREE_ALGORITHMS_H
#define TC_ALGO_TREE_TREE_ALGORITHMS_H

#include "algo/algorithm.h"

extern const tc_algorithm tc_algorithm_hct;
extern const tc_algorithm tc_algorithm_hoo;
extern const tc_algorithm tc_algorithm_blin;

/* Federated. */
extern const tc_algorithm tc_algorithm_pf_pne;
extern const tc_algorithm tc_algorithm_fed_pne;
extern const tc_algorithm tc_algorithm_dp_pf_pne;
extern const tc_algorithm tc_algorithm_fed_hct;

#endif
