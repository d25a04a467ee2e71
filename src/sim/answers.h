/* answers.h - what is told in a simulation in place of what was observed.
 *
 * An algorithm with a curator of its own (algorithm.h) is told the curator's replies. Any other one
 * may be told replies of privacy/mechanism.h; without them it is told the observation itself. A
 * reply is drawn from the seed of its run and the number of its trial alone: runs repeat, runs of
 * two algorithms are paired, and nothing of it is private. For source_single.c, and for whoever reports
 * on a simulation. */
#ifndef TC_SIM_ANSWERS_H
#define TC_SIM_ANSWERS_H

#include "algo/algorithm.h"
#include "privacy/mechanism.h"

/* All-zero: observations are told as they are. */
typedef struct tc_answers {
    const tc_algorithm *algorithm;
    void *opts;            /* of its curator; NULL: it has none */
    const tc_reply *reply; /* borrowed; NULL where there is a curator or nothing is perturbed */
} tc_answers;

/* options: of the algorithm, may be NULL. E_ARG: they do not fit, or there is a reply although the
 * algorithm has its own. End with tc_answers_fini. */
tacit_status tc_answers_init(tc_answers *a, const tc_algorithm *algorithm, const json_t *options,
                             const tc_reply *reply, tacit_error *err);
void tc_answers_fini(tc_answers *a);
bool tc_answers_perturbed(const tc_answers *a);

/* *y, as observed, becomes what the user of this trial tells. Thread-safe. */
tacit_status tc_answers_tell(const tc_answers *a, uint64_t seed, uint64_t trial, double *y,
                             tacit_error *err);

/* What one answer of a deployment would cost. */
typedef struct tc_answer_cost {
    const char *mechanism;
    double epsilon;
    double sd; /* the largest over all values */
} tc_answer_cost;

/* E_STATE: nothing is perturbed. */
tacit_status tc_answers_cost(const tc_answers *a, tc_answer_cost *out, tacit_error *err);
/* "every user: epsilon 1, delta 0 for each reply ..., m replies of one user cost m times as much.
 * Neighbours: .... Not protected: ...." */
void tc_answer_cost_statement(const tc_answer_cost *c, tc_text *out);

#endif
