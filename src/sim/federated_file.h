/* federated_file.h - results of simulated federations as CSV and JSON.
 *
 *   CSV   label,algorithm,objective,agents,runs,seed,iteration,simple_regret_mean,
 *         simple_regret_se,cumulative_regret_mean,cumulative_regret_se,epsilon,delta,statement,
 *         evaluations
 *         one row per iteration; the statement stands in the last row of its label
 *   JSON  {"label", "algorithm", "objective", "agents", "runs", "initial", "trials", "seed", "drop",
 *          "options", "objective_options", "iterations": [0, ...], "evaluations": [initial, ...],
 *          "simple_regret": {"mean", "se"}, "cumulative_regret": {"mean", "se"},
 *          "messages": {...}, "privacy": {...}, "expect": {...}}
 *         or, of several, {"results": [one such each], "ratios": [...]}
 *   by agent, CSV   run,agent,iteration,simple_regret,cumulative_regret,evaluations
 *         or, of several, label first
 *
 * Evaluations are those of each agent from its first trial on: its initial points, and one for every
 * iteration. Files from before have no such column or array, and are read all the same.
 *
 * objective_options end with the units of told values, as in regret_file.h. Where only some agents
 * act (federated.h), "acting" says how many; curves are theirs.
 *
 * messages are those of one run, the first ("of_run": 0): "count" and "bytes" of all its agents
 * together, "lost" and "fetches" among them. A ratio has "label", "over", "iteration", "ratio", "low",
 * "high" and "p"; low and high are null where there is no interval (federated.h). privacy.if_deployed
 * has a "warning", null or that its delta is above 1/N^2. There is nothing in a file that differs
 * from one computation of the same simulation to the next: no times.
 * expect is what a study of these options may gain at best (algo/expect.h); it is left out where the algorithm has
 * nothing to say. regret_file.h reads the curves back. Epsilons are those of a deployment (federated_cost.h). */
#ifndef TC_SIM_FEDERATED_FILE_H
#define TC_SIM_FEDERATED_FILE_H

#include "sim/federated_cost.h"

/* One algorithm's part of a report; everything is borrowed. */
typedef struct tc_federated_part {
    const char *label;
    const tc_federated *f; /* f->options: all of them, as in force */
    const tc_federated_result *result;
    const tc_federated_cost *cost;
    const json_t *options; /* the same with what the algorithm chose in their place; NULL: f's */
    const json_t *objective_options; /* of tc_federated_objective_json; NULL: f's, as given */
    const json_t *expect;            /* of tc_expect_json; NULL: left out */
} tc_federated_part;

/* The simple regret of part `of` over that of the first, at one iteration. */
typedef struct tc_federated_contrast {
    size_t of;
    uint64_t iteration;
    tc_federated_ratio ratio;
} tc_federated_contrast;

/* Rows for every part but the first, at iterations 1, 5, 10, 20 and the last; none where there is a
 * single run. Caller: tc_free. */
tacit_status tc_federated_contrasts(const tc_federated_part *parts, size_t n,
                                    tc_federated_contrast **rows, size_t *n_rows, tacit_error *err);

/* Options of a family over this space of its own, as used: what they leave to the family is filled
 * in, and those that it does not look at are left out. Caller decrefs. */
tacit_status tc_federated_objective_json(const char *objective, const tc_family_opts *family,
                                         const tc_space *space, json_t **out, tacit_error *err);

/* Several parts are one object with "results" and "ratios". Caller decrefs. */
tacit_status tc_federated_json(const tc_federated_part *parts, size_t n, json_t **out,
                               tacit_error *err);
void tc_federated_csv(const tc_federated_part *parts, size_t n, tc_text *out);
/* The results must have been made with by_agent. */
void tc_federated_agents_csv(const tc_federated_part *parts, size_t n, tc_text *out);

#endif
