/* study_cost.h - what the rounds of a federated study cost one unit, as accountants take it.
 *
 * Rounds that are about every agent add up. A single record is in one round only, so where a study protects records
 * one round is the whole cost. Used by whoever checks a promise (study_calibrate.c) and by agents, which check what
 * they agree to. */
#ifndef TC_STUDY_STUDY_COST_H
#define TC_STUDY_STUDY_COST_H

#include "study/study_plan.h"

/* All-zero is empty. End with tc_study_cost_fini. */
typedef struct tc_study_cost {
    tacit_dp_event *events;
    size_t n, cap;
    double distance; /* the sum over all events, as in release.h */
    uint64_t round;  /* the last that was added */
} tc_study_cost;

/* Adds one round. */
tacit_status tc_study_cost_add(tc_study_cost *c, const tc_study_plan *p, uint64_t round,
                               tacit_error *err);
/* Adds all rounds that `paid` does not have, or the first of them where records are protected. NULL: it has none. */
tacit_status tc_study_cost_add_unpaid(tc_study_cost *c, const tc_study_plan *p, tc_ledger *paid,
                                      tacit_error *err);
void tc_study_cost_fini(tc_study_cost *c);

/* The cost of the whole study, by the tightest accountant: one document has planned it. Epsilon 0: it has no rounds. */
tacit_status tc_study_cost_at(const tc_study_plan *p, double delta, tacit_guarantee *out,
                              tacit_error *err);

#endif
