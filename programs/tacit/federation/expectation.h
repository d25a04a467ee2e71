/* expectation.h - what a federated study may gain at best (algo/expect.h), for the verbs that plan and create one. */
#ifndef TC_PROGRAM_EXPECTATION_H
#define TC_PROGRAM_EXPECTATION_H

#include "base/json.h"
#include "study/study_plan.h"

/* As tc_expect_json. NULL: the algorithm has nothing to say. The caller decrefs. */
tacit_status tc_expectation_of_plan(const tc_study_plan *p, json_t **out, tacit_error *err);
/* The sentence in it; borrowed. */
const char *tc_expectation_sentence(const json_t *expect);

#endif
