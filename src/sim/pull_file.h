/* pull_file.h - results of simulations by pulls (pull_runs.h) as CSV and JSON.
 *
 *   CSV   label,algorithm,objective,agents,runs,seed,pulls,cumulative_regret_mean,
 *         cumulative_regret_se                              one row for each point of a curve
 *   JSON  {"label", "algorithm", "objective", "agents", "runs", "budget", "seed", "options",
 *          "objective_options", "rewards": {"low", "high", "noise", "scale"}, "pulls": [...],
 *          "cumulative_regret": {"mean", "se"}, "by_run": {"cumulative_regret": [...]},
 *          "communication": {"rounds", "last_round_at", "numbers_up", "numbers_down"},
 *          "seconds", "pulls_per_second"}
 *         or, of several, {"results": [one such each], "ratios": [...]}
 *
 * pulls are those of each client; by_run has the last regret of every run. Communication is the mean over
 * runs: pulls of each client at the last round, numbers of all clients together. pulls_per_second is null
 * where everything came from a checkpoint. regret_file.h reads the curves back. */
#ifndef TC_SIM_PULL_FILE_H
#define TC_SIM_PULL_FILE_H

#include "sim/federated.h"
#include "sim/pull_runs.h"

/* One bandit's part of a report; everything is borrowed. */
typedef struct tc_pull_part {
    const char *label;
    const tc_pull_runs *p; /* p->options: all of them, as in force */
    const tc_pull_runs_result *result;
} tc_pull_part;

/* The cumulative regret of part `of` over that of the first, at one point of the curves. */
typedef struct tc_pull_contrast {
    size_t of, point;
    tc_federated_ratio ratio;
} tc_pull_contrast;

enum {
    TC_PULL_CONTRASTS = 3
}; /* of each part: at a tenth of the budget, at half of it, at its end */

/* Rows for every part but the first; none where there is a single run. All must have the same runs
 * and points. Caller: tc_free. */
tacit_status tc_pull_contrasts(const tc_pull_part *parts, size_t n, tc_pull_contrast **rows,
                               size_t *n_rows, tacit_error *err);

typedef struct tc_pull_talk {
    double rounds, last_round_at, numbers_up, numbers_down;
} tc_pull_talk;
tc_pull_talk tc_pull_talk_of(const tc_pull_runs_result *r); /* means over runs */

/* Several parts are one object with "results" and "ratios". Caller decrefs. */
tacit_status tc_pull_json(const tc_pull_part *parts, size_t n, json_t **out, tacit_error *err);
void tc_pull_csv(const tc_pull_part *parts, size_t n, tc_text *out);

#endif
