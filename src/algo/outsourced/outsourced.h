/* outsourced.h - optimization of a data set that its owner does not show.
 *
 * Two parties (Kharkovskii, Dai, Low 2020). The curator (row_curator.h) has the rows, releases a
 * perturbed copy of them in a secret order, and answers questions about rows by number. The modeler
 * sees the released rows and the answers; "po-gp-ucb" is its algorithm, over the released rows as a
 * finite space. For registry.c. */
#ifndef TC_ALGO_OUTSOURCED_OUTSOURCED_H
#define TC_ALGO_OUTSOURCED_OUTSOURCED_H

#include "algo/algorithm.h"

extern const tc_algorithm tc_algorithm_po_gp_ucb;

/* Columns of a release: what the modeler can learn length-scales of. One limit for both sides, so that
 * nothing is spent on rows that nobody could use. */
enum { TC_RELEASED_COLUMNS_MAX = 256 };

#endif
