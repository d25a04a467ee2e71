/* regret_file.h - the curves of a simulation as CSV and JSON, written and read back.
 *
 *   CSV   algorithm,objective,runs,seed,iteration,simple_regret_mean,simple_regret_se,
 *         cumulative_regret_mean,cumulative_regret_se        one row per iteration
 *         and, where something would be hidden, epsilon,delta,statement; the statement is in the last
 *         row; then evaluations: here the number of the iteration, and of a federation that and the
 *         initial points, so that files of both can be laid side by side
 *   JSON  {"algorithm", "objective", "runs", "trials", "seed", "options", "objective_options",
 *          "iterations": [1, ...], "evaluations": [1, ...], "simple_regret": {"mean": [], "se": []},
 *          "cumulative_regret": {"mean": [], "se": []},
 *          "by_run": {"simple_regret": [], "cumulative_regret": []},
 *          "privacy": {"private": false, "reason": "seeded", "if_deployed": {"epsilon", "delta",
 *          "per": "reply", "unit": "user", "mechanism", "noise_sd", "statement"}, "statement"}}
 *
 * objective_options end with the units in which values were told: "value-scale", "value-shift" and
 * "value-negate" (value_units.h). by_run has the last regret of each run: two simulations with one
 * seed are paired. privacy is there where the algorithm was told replies (answers.h) or saw released
 * rows (curated.h): then it is "per": "release", "unit": "row", with "output_epsilon"; "release" has
 * the terms; and if_deployed is null in paper mode.
 *
 * Files of federations (federated_file.h) have more members, and may hold several curves. Those of
 * simulations by pulls (pull_file.h) have "pulls" in place of iterations, and no simple regret.
 * Numbers read back exactly. */
#ifndef TC_SIM_REGRET_FILE_H
#define TC_SIM_REGRET_FILE_H

#include "sim/simulate.h"

void tc_regret_csv(const tc_simulation *sim, const tc_simulation_result *r, tc_text *out);
tacit_status tc_regret_json(const tc_simulation *sim, const tc_simulation_result *r, json_t **out,
                            tacit_error *err);

/* What a chart needs of such a curve. */
typedef struct tc_regret_curve {
    char *label; /* where there is none, the algorithm's name */
    char *algorithm, *objective;
    uint64_t runs, seed;
    bool by_pulls; /* iterations are pulls of each client, and there is no simple regret */
    size_t n;
    double *iteration; /* n of each */
    double *simple_mean, *simple_se;
    double *cumulative_mean, *cumulative_se;
} tc_regret_curve;

typedef struct tc_regret_curves {
    size_t n, cap;
    tc_regret_curve *items;
} tc_regret_curves;

/* Adds all curves of a file to *out. E_ARG: not such a file; the message says what is missing.
 * End *out with tc_regret_curves_fini, also after a failure. */
tacit_status tc_regret_from_csv(tc_regret_curves *out, const char *text, size_t len,
                                const char *what, tacit_error *err);
tacit_status tc_regret_from_json(tc_regret_curves *out, const json_t *j, const char *what,
                                 tacit_error *err);
void tc_regret_curves_fini(tc_regret_curves *c);

#endif
