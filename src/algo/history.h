/* history.h - growing and shrinking the tc_history that optimizer.c lends to algorithms. */
#ifndef TC_ALGO_HISTORY_H
#define TC_ALGO_HISTORY_H

#include "algo/algorithm.h"

tacit_status tc_history_init(tc_history *h, const tc_space *s, tacit_error *err);
/* Every observation will have a row of n_more other outcomes, which the caller fills. Before the first one. */
tacit_status tc_history_widen(tc_history *h, size_t n_more, tacit_error *err);
void tc_history_fini(tc_history *h);

/* Room for one more of each; after it succeeds, observe and take cannot fail. */
tacit_status tc_history_reserve(tc_history *h, tacit_error *err);
/* As measured, of a trial that ran to its end: what is otherwise, the caller says in `noise` and `early`. */
void tc_history_observe(tc_history *h, const tc_space *s, const double *values, double y);
void tc_history_take(tc_history *h, const tc_space *s, const double *values); /* of one pull */
void tc_history_untake(tc_history *h, size_t i); /* the rest keep their order */

#endif
