/* landmine.h - landmine detection [Xue et al. 2007]: support vector machines on 29 fields.
 *
 * A machine is a C-SVC with a Gaussian kernel, trained on one half of a field; its value is the area
 * under the ROC curve of the decision values on the other half, ties counting one half. Features are used
 * as they are. By Platt's probabilities, as the authors of fts and dp-fts-de have it, the value is the
 * area of those in place of decision values: a sigmoid is fitted to the decisions of a five-fold
 * cross-validation on the first half, and where these say nothing it turns the order round or makes ties.
 * The folds are drawn from a fixed seed. The halves are those of the data set's column "split" (stratified, fixed). Needs libsvm:
 * without it every call is E_UNSUPPORTED. For the files of experiments/ and for papers/bench/landmine.c. */
#ifndef TC_PAPERS_LANDMINE_H
#define TC_PAPERS_LANDMINE_H

#include "base/pool.h"
#include "base/text.h"

enum { TC_LANDMINE_FIELDS = 29 };

typedef struct tc_landmine tc_landmine;

/* text: CSV with the columns field, split (train or test), label (0 or 1) and f1 to f9; others are
 * passed over. E_ARG names row and column. */
tacit_status tc_landmine_new(tc_landmine **out, const char *text, size_t len, tacit_error *err);
void tc_landmine_free(tc_landmine *l); /* NULL is allowed */

/* A square grid of machines: gamma in [0.01, 10] and C in [0.0001, 10], evenly spaced, or evenly spaced
 * in their logarithms. */
typedef struct tc_landmine_grid {
    size_t points; /* of an axis, 2 to 200 */
    bool log;
    bool platt;                  /* values by Platt's probabilities */
    tc_pool *pool;               /* may be NULL */
    bool (*proceed)(void *user); /* false: stop with E_CANCELLED; may be NULL */
    void *user;
} tc_landmine_grid;

/* The grid as the objective table:FILE, field n as agent n: its columns are gamma, C (or log10_gamma,
 * log10_C), value_1, ..., value_29. */
tacit_status tc_landmine_table(const tc_landmine *l, const tc_landmine_grid *g, tc_text *out,
                               tacit_error *err);

#endif
