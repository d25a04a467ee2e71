/* curve_file.h - the results of simulations as CSV and JSON, written and read back: one format.
 *
 *   CSV   label,algorithm,objective,agents,runs,seed,iteration,simple_regret_mean,simple_regret_se,
 *         cumulative_regret_mean,cumulative_regret_se,epsilon,delta,statement,evaluations
 *         one row for each point of a curve
 *   JSON  {"label", "algorithm", "objective", "agents", "acting", "runs", "initial", "trials", "seed",
 *          "drop", "options", "objective_options", "release" or "rewards", "iterations": [...],
 *          "evaluations": [...], "simple_regret": {"mean": [...], "se": [...]},
 *          "cumulative_regret": {"mean", "se"}, "by_run": {"simple_regret", "cumulative_regret"},
 *          "messages" or "communication": {...}, "privacy": {...}, "trustees": {...},
 *          "expect": {...}, "theorem",
 *          "seconds", "pulls_per_second"}
 *         or, of several, {"results": [one such each], "ratios": [...]}
 *   by agent, CSV   run,agent,iteration,simple_regret,cumulative_regret,evaluations
 *         or, of several, label first
 *
 * What a kind of simulation does not have is left out:
 *   one party    no label, agents, initial, drop, messages
 *   federation   no by_run; acting only where some agents act
 *   pulls        "pulls", those of each agent, in place of iterations and evaluations; "budget" in place
 *                of trials; no simple regret, no privacy
 *
 * Evaluations are those of each agent from its first trial on: initial points, and one for every
 * iteration. Files from before have no such column or array, and are read all the same.
 *
 * objective_options end with the units in which values were told: "value-scale", "value-shift" and
 * "value-negate" (value_units.h). by_run has the last regret of each run: two simulations with one seed
 * are paired. rewards is {"low", "high", "noise", "scale"}; release has the terms of a curator.
 *
 * Epsilon, delta and statement are there where something would be hidden: in all federations, where the
 * algorithm was told replies (answers.h), or saw released rows (curated.h). In a CSV file the statement
 * stands in the last row of its curve. privacy is {"private": false, "reason": "seeded", "statement",
 * "if_deployed"}; if_deployed is null where a deployment would promise nothing either. Of a federation it
 * is {"epsilon", "delta", "accountant", "bound", "releases", "by_round", "warning", "statement"}, warning
 * null or that delta is above 1/N^2, and where noise is in values for the sake of records (record_noise.h) "unit":
 * "record" and lists "records" and "noise_sd", which agents take in turn; of one party {"epsilon", "delta", "per":
 * "reply", "release" or "study", "unit": "user", "row" or "record", "output_epsilon" of rows, "mechanism", "noise_sd",
 * "statement"}.
 *
 * messages are those of one run, the first ("of_run": 0): "count" and "bytes" of all its agents
 * together, "lost" and "fetches" among them. communication is the mean over runs: "rounds",
 * "last_round_at" (pulls of each agent), "numbers_up", "numbers_down" (of all agents together).
 * pulls_per_second is null where everything came from a checkpoint. A ratio has "label", "over",
 * "iteration" or "pulls", "ratio", "low", "high" and "p"; low and high are null where there is no interval
 * (compare.h). trustees are their terms and the bytes of a round (study/trustees_plan.h), where there are any; messages are then
 * what leaves an agent, its shares. expect is what a study of these options may gain at best (algo/expect.h). Nothing else
 * than the speed of pulls differs from one computation of the same simulation to the next. Numbers read
 * back exactly. */
#ifndef TC_SIM_CURVE_FILE_H
#define TC_SIM_CURVE_FILE_H

#include "sim/compare.h"
#include "sim/federated_cost.h"
#include "sim/simulation.h"

/* One algorithm's part of a report; everything is borrowed. NULL: there is no such thing. */
typedef struct tc_curve_part {
    const char *label; /* NULL of one party alone */
    const tc_simulation *sim;
    const tacit_curves *curves;
    const tc_federated_cost *cost;   /* of a federation */
    const json_t *options;           /* as shown; NULL: those in force */
    const json_t *objective_options; /* of tc_family_used; NULL: sim's, as given */
    const json_t *expect;            /* of tc_expect_json */
    const json_t *trustees;          /* of tc_trustees_json */
    const char *theorem;             /* of one party */
} tc_curve_part;

/* tacit_simulation_contrasts of parts. Caller: tc_free. */
tacit_status tc_curve_contrasts(const tc_curve_part *parts, size_t n, tacit_contrast **rows,
                                size_t *n_rows, tacit_error *err);

/* Options of a family over this space of its own, as used: what they leave to the family is filled
 * in, and those that it does not look at are left out. Caller decrefs. */
tacit_status tc_family_used(const char *objective, const tc_family_opts *family,
                            const tc_space *space, json_t **out, tacit_error *err);

/* Several parts are of one kind. Caller decrefs. */
tacit_status tc_curves_json(const tc_curve_part *parts, size_t n, json_t **out, tacit_error *err);
tacit_status tc_curves_csv(const tc_curve_part *parts, size_t n, tc_text *out, tacit_error *err);
/* The curves must have been made with by_agent. */
void tc_curves_agents_csv(const tc_curve_part *parts, size_t n, tc_text *out);

/* tacit_curves_read of text and of JSON. `what` names the source in errors. */
tacit_status tc_curves_from_csv(tacit_curve_set *out, const char *text, size_t len,
                                const char *what, tacit_error *err);
tacit_status tc_curves_from_json(tacit_curve_set *out, const json_t *j, const char *what,
                                 tacit_error *err);

#endif
