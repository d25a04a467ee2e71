/* activity_grids.h - the objective of the activity experiments: grids of models, kept in the cache.
 *
 * 8 x 6 x 4 models of learning rate, L2 penalty and batch size for each agent (papers/data/activity.h). Narrow: the
 * papers' ranges (rate 0.01 to 0.1, L2 1e-6 to 1, batch 20 to 60, linear). Wide: as people begin (rate 1e-4
 * to 10, L2 1e-6 to 10, batch 8 to 128, in logarithms). For the activity files of experiments/. */
#ifndef TC_PAPERS_PAPERS_ACTIVITY_GRIDS_H
#define TC_PAPERS_PAPERS_ACTIVITY_GRIDS_H

#include "papers/data/activity.h"
#include "papers/frame/drive.h"

/* Members of a tc_experiment. */
#define TC_ACTIVITY_DATA .data = "motionsense", .files = tc_activity_files

extern const char *const tc_activity_files[];

/* *objective: "table:FILE" with `parts` agents for each subject. Caller: tc_free. */
tacit_status tc_activity_grid(const tc_setup *s, bool wide, size_t parts, char **objective,
                              tacit_error *err);

/* ---- 24 subjects, on both ranges */

#define TC_ACTIVITY_STAND_IN                                                                       \
    "24 subjects of MotionSense, 114 features, in place of 30 with 561; a grid of 8 x 6 x 4 "      \
    "models"
#define TC_ACTIVITY_BOTH                                                                           \
    TC_ACTIVITY_DATA, .prepare = tc_activity_prepare, .finish = tc_activity_finish,                \
                      .prepare_seconds = 90
/* Options: what all agents share, fixed beforehand. Length-scale 0.3 of the range, errors taken as
 * 0.3 +- 0.3, noise variance 0.01 of that. */
#define TC_ACTIVITY_PUBLIC "lengthscale=0.3,y_mean=-0.3,y_scale=0.3,noise=0.01,"
#define TC_ACTIVITY_GOAL   "table-goal=minimize"

typedef struct tc_activity_grids {
    char *narrow, *wide; /* "table:FILE" */
} tc_activity_grids;

tacit_status tc_activity_prepare(const tc_setup *s, void **out, tacit_error *err);
void tc_activity_finish(void *prepared);
/* All subjects; paper mode on the narrow ranges, default on the wide ones. */
tc_federated_task tc_activity_task(const tc_arm_run *c);

#endif
