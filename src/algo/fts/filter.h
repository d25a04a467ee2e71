/* filter.h - what the mean of several agents' messages says about a function that they have in common. For heard.c. */
#ifndef TC_ALGO_FTS_FILTER_H
#define TC_ALGO_FTS_FILTER_H

#include "algo/fts/fts.h"

/* Public, and one for all agents of a study in this process. */
typedef struct tc_fts_filter {
    size_t users, M;
    double *A;   /* M x M */
    double *Phi; /* features of points all over the space, M x TC_FTS_FILTER_POINTS */
    tc_arena memory;
} tc_fts_filter;

enum { TC_FTS_FILTER_POINTS = 256 };

/* Is there to be one? Not for so many features that its matrices take too much memory. */
bool tc_fts_filter_applies(const tc_fts_core *c);
tacit_status tc_fts_filter_new(tc_fts_filter **out, const tc_fts_core *c, tacit_error *err);
void tc_fts_filter_unref(tc_fts_filter *f); /* the last user ends it; NULL is allowed */
/* w (M): in, the mean of messages that counts like that of `count` agents; out, the weights of the function.
 * *error: the share of the function's variance that this leaves open. */
tacit_status tc_fts_filter_apply(const tc_fts_filter *f, double count, double *w, double *error,
                                 tacit_error *err);

#endif
