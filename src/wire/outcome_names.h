/* outcome_names.h - what a trial of a study comes to, by name: objectives, and what constraints bound.
 *
 *     "objectives": {"error": "minimize", "latency": "minimize"}      in place of "direction"
 *     "constraints": {"memory_mb": {"max": 512}, "recall": {"min": 0.9}}
 *     "reference": {"error": 1, "latency": 10}
 *
 * Outcomes are in the order of the document: objectives, then constraints. The one objective of a study with a direction
 * is called "value". For the study document, and for whoever reads or writes outcomes by name. */
#ifndef TC_WIRE_OUTCOME_NAMES_H
#define TC_WIRE_OUTCOME_NAMES_H

#include <tacit/document.h>

#include "algo/algorithm.h"
#include "base/text.h"
#include "space/name.h"

#define TC_OUTCOME_VALUE "value"
enum { TC_OUTCOMES_MOST = TACIT_OBJECTIVES_MOST + TACIT_CONSTRAINTS_MOST };

/* Stays where it is: `what` points into it. */
typedef struct tc_study_outcomes {
    tc_outcomes what; /* for the optimizer */
    size_t n;         /* from 2 */
    char name[TC_OUTCOMES_MOST][TC_NAME_MAX + 1];
    bool maximize[TACIT_OBJECTIVES_MOST];
    double low[TACIT_CONSTRAINTS_MOST], high[TACIT_CONSTRAINTS_MOST];
    double reference[TACIT_OBJECTIVES_MOST]; /* of several objectives, if `what` names it */
} tc_study_outcomes;

/* Which of them has this name; o->n: none. */
size_t tc_outcomes_find(const tc_study_outcomes *o, const char *name);
/* Adds "error, latency, memory_mb". */
void tc_outcomes_list(const tc_study_outcomes *o, tc_text *out);

/* Reads all of them from an object, which has nothing else: n numbers, finite. E_ARG begins with `path`. */
tacit_status tc_outcomes_from_json(const tc_study_outcomes *o, const json_t *j, const char *path,
                                   double *out, tacit_error *err);
/* Of a trial with this value and the others as an event has them. NULL: no memory. */
json_t *tc_outcomes_json(const tc_study_outcomes *o, double value, const double *more);

#endif
