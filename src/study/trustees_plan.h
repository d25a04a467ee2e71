/* trustees_plan.h - what the trustees of a study can do without, and what they cost, in numbers and words: from its document
 * alone. For plans before a study is created (plan_api.c) and reports of simulations. */
#ifndef TC_STUDY_TRUSTEES_PLAN_H
#define TC_STUDY_TRUSTEES_PLAN_H

#include "algo/algorithm.h"
#include "base/text.h"

/* The sum of the round that has the most numbers; agents 0: there is no round. E_ARG: a round comes for which trustees have no
 * key, for they make one for each round beforehand. */
tacit_status tc_trustees_largest_round(const tc_algorithm *a, const tc_env *env, const void *opts,
                                       tc_shared_plan *out, tacit_error *err);

/* Bytes of a round in which everybody takes part, before their envelope (HTTP, base64, signatures). Of trustees that which has
 * the most. */
typedef struct tc_round_bytes {
    uint64_t agent_sends, agent_gets;
    uint64_t trustee_sends, trustee_gets;
    uint64_t coordinator_sends, coordinator_gets;
} tc_round_bytes;
tc_round_bytes tc_trustees_bytes(const tc_shared_plan *p);

/* Several sentences; and the same as {"count", "degree", "colluding", "dealers", "absent", "noticed", "named", "noise",
 * "bytes"}, NULL: no memory. Bytes are left out where p has no agents. */
void tc_trustees_describe(const tc_trustees *t, const tc_shared_plan *p, tc_text *out);
json_t *tc_trustees_json(const tc_trustees *t, const tc_shared_plan *p);

#endif
