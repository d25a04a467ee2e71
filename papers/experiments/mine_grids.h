/* mine_grids.h - the objective of the landmine experiments: grids of machines, kept in the cache.
 *
 * 20 x 20 machines for each of 29 fields (papers/data/landmine.h), on linear axes as the papers have them
 * (paper mode), and on logarithmic ones (default). An experiment by Platt's probabilities, as the
 * authors have it, has linear axes and arms of paper mode alone. For the landmine files of experiments/. */
#ifndef TC_PAPERS_PAPERS_MINE_GRIDS_H
#define TC_PAPERS_PAPERS_MINE_GRIDS_H

#include "papers/frame/experiment.h"
#include "papers/data/landmine.h"

typedef struct tc_mine_grids {
    char *linear, *log; /* "table:FILE"; log is NULL by Platt's probabilities */
} tc_mine_grids;

/* Members of a tc_experiment. */
#define TC_MINE_STAND_IN                                                                           \
    "a grid of 20 x 20 machines; AUC of decision values in place of Platt probabilities"
#define TC_MINE_DATA                                                                               \
    .data = "landmine", .files = tc_mine_files, .prepare = tc_mine_prepare,                        \
    .finish = tc_mine_finish, .prepare_seconds = 120

#define TC_MINE_PLATT_STAND_IN "a grid of 20 x 20 machines"
#define TC_MINE_PLATT_DATA                                                                         \
    .data = "landmine", .files = tc_mine_files, .prepare = tc_mine_prepare_platt,                  \
    .finish = tc_mine_finish, .prepare_seconds = 300

/* Curves of 1 - AUC over iterations; `data` is one of the two above. */
#define TC_MINE_CURVES(name_, figure_, rounds, data, arms_, shown_, says)                          \
    .name = (name_), .figure = (figure_), .runs = 30, .quick_runs = 2, data, TC_ARMS(arms_),       \
    .x = {.label = "t", .n = (rounds) + 1, .step = 1, .from_zero = true}, .y_label = "1 - AUC",    \
    TC_SHOWN(shown_), .statements = (says)

extern const char *const tc_mine_files[];
tacit_status tc_mine_prepare(const tc_setup *s, void **out, tacit_error *err);
tacit_status tc_mine_prepare_platt(const tc_setup *s, void **out, tacit_error *err);
void tc_mine_finish(void *prepared);

/* The grid of the arm's mode. */
const char *tc_mine_grid(const tc_arm_run *c);
/* Makes 1 - AUC of regret: adds 1 - the best AUC of the grid, the mean over the first `targets` fields. */
tacit_status tc_mine_add_best(const tc_arm_run *c, uint64_t targets, tacit_error *err);

#endif
