/* regret_file.h - the curves of a simulation as CSV and JSON, written and read back.
 *
 *   CSV   algorithm,objective,runs,seed,iteration,simple_regret_mean,simple_regret_se,
 *         cumulative_regret_mean,cumulative_regret_se        one row per iteration
 *   JSON  {"algorithm", "objective", "runs", "trials", "seed", "options", "objective_options",
 *          "iterations": [1, ...], "simple_regret": {"mean": [], "se": []},
 *          "cumulative_regret": {"mean": [], "se": []}, "seconds"}
 *
 * Numbers read back exactly. */
#ifndef TC_SIM_REGRET_FILE_H
#define TC_SIM_REGRET_FILE_H

#include "sim/simulate.h"

void tc_regret_csv(const tc_simulation *sim, const tc_simulation_result *r, tc_text *out);
tacit_status tc_regret_json(const tc_simulation *sim, const tc_simulation_result *r, json_t **out,
                            tacit_error *err);

/* What a chart needs of such a file. */
typedef struct tc_regret_curve {
    char *algorithm, *objective;
    uint64_t runs, seed;
    size_t n;
    double *iteration; /* n of each */
    double *simple_mean, *simple_se;
    double *cumulative_mean, *cumulative_se;
} tc_regret_curve;

/* E_ARG: not such a file; the message says what is missing. *out is set on success only:
 * end it with tc_regret_curve_fini. */
tacit_status tc_regret_from_csv(tc_regret_curve *out, const char *text, size_t len,
                                const char *what, tacit_error *err);
tacit_status tc_regret_from_json(tc_regret_curve *out, const json_t *j, const char *what,
                                 tacit_error *err);
void tc_regret_curve_fini(tc_regret_curve *c);

#endif
