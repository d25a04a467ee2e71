/* activity_grids.h - the objective of the activity experiments: grids of models, kept in the cache.
 *
 * 8 x 6 x 4 models of learning rate, L2 penalty and batch size for each agent (reproduce/activity.h). Narrow: the
 * papers' ranges (rate 0.01 to 0.1, L2 1e-6 to 1, batch 20 to 60, linear). Wide: as people begin (rate 1e-4
 * to 10, L2 1e-6 to 10, batch 8 to 128, in logarithms). For the activity files of papers/. */
#ifndef TC_REPRODUCE_PAPERS_ACTIVITY_GRIDS_H
#define TC_REPRODUCE_PAPERS_ACTIVITY_GRIDS_H

#include "reproduce/activity.h"
#include "reproduce/experiment.h"

/* Members of a tc_experiment. */
#define TC_ACTIVITY_DATA .data = "motionsense", .files = tc_activity_files

extern const char *const tc_activity_files[];

/* *objective: "table:FILE" with `parts` agents for each subject. Caller: tc_free. */
tacit_status tc_activity_grid(const tc_setup *s, bool wide, size_t parts, char **objective,
                              tacit_error *err);

#endif
