/* study_plan.h - a federated study as all its parties run it: what follows from its document alone.
 *
 * The coordinator and every agent make the plan by themselves, from the same document and public
 * seed: the options in force (with the noise that keeps the promise), what a round costs, and how
 * much may be spent. So nobody has to be believed about any of it. */
#ifndef TC_STUDY_STUDY_PLAN_H
#define TC_STUDY_STUDY_PLAN_H

#include "privacy/ledger.h"
#include "study/store.h"
#include "wire/study_doc.h"

typedef struct tc_study_plan {
    tc_study_doc *doc;
    json_t *options;        /* of the algorithm: all of them, as in force */
    void *opts;             /* the same as its struct */
    tc_env env;             /* what a coordinator knows: space, seed, agents, budget */
    tc_ledger_hash hash;    /* of the document's canonical text */
    bool limited;           /* is there a budget? */
    tc_ledger_budget limit; /* where limited */
} tc_study_plan;

/* E_ARG: the document is not one of a federation, or its promise cannot be kept. */
tacit_status tc_study_plan_new(tc_study_plan **out, const char *document, const char *points_csv,
                               const tc_public_seed *seed, tacit_error *err);
void tc_study_plan_free(tc_study_plan *p); /* NULL is allowed */

/* What closing this round will cost. E_UNSUPPORTED: a relay releases no sums. */
tacit_status tc_study_plan_event(const tc_study_plan *p, uint64_t round, tc_dp_event *out,
                                 tacit_error *err);

#endif
