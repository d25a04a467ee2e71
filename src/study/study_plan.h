/* study_plan.h - a federated study as all its parties run it: what follows from its document alone.
 *
 * The coordinator and every agent make the plan by themselves, from the same document and public
 * seed: the options in force (with the noise that keeps the promise), what a round costs, and how
 * much may be spent. So nobody has to be believed about any of it. The noise for an epsilon is found by
 * whoever creates the study and checked by all others (study_calibrate.c). */
#ifndef TC_STUDY_STUDY_PLAN_H
#define TC_STUDY_STUDY_PLAN_H

#include "algo/charge.h"
#include "privacy/ledger.h"
#include "study/store.h"
#include "wire/study_doc.h"

typedef struct tc_study_plan {
    tc_study_doc *doc;
    json_t *options;             /* of the algorithm: all of them, as in force */
    void *opts;                  /* the same as its struct */
    tc_env env;                  /* what a coordinator knows: space, seed, agents, budget */
    tacit_hash hash;             /* which study it is: ledgers and signatures name it */
    bool limited;                /* is there a budget? */
    tc_ledger_budget limit;      /* where limited; with `document` */
    tc_ledger_document document; /* of the coordinator: its noise was computed for the whole plan */
} tc_study_plan;

/* The hash of a study: of its document's canonical text, its public seed and the time at which the
 * coordinator made it. A study that is erased and made again from the same file is another one. */
tacit_hash tc_study_hash(const tc_study_row *row);

/* Makes the plan from the row's document, points, public seed and time of creation. E_ARG: the document is not one of a
 * federation, or its promise cannot be kept. */
tacit_status tc_study_plan_new(tc_study_plan **out, const tc_study_row *row, tacit_error *err);
void tc_study_plan_free(tc_study_plan *p); /* NULL is allowed */

/* For whoever creates a study: finds the options that keep the document's epsilon and writes them into it.
 * Nothing happens where there is no epsilon, or it has them. E_ARG: the promise cannot be kept. */
tacit_status tc_study_calibrate(tc_study_doc *doc, tacit_error *err);

/* The first round >= from of this study; TC_NO_ROUND: there is none. Rounds come in this order, none is
 * left out. */
tacit_status tc_study_plan_next_round(const tc_study_plan *p, uint64_t from, uint64_t *out,
                                      tacit_error *err);

/* How many rounds there are. E_ARG: more than `most`, which is what a study with trustees may have. */
tacit_status tc_study_plan_count_rounds(const tc_study_plan *p, uint64_t most, uint64_t *out,
                                        tacit_error *err);

/* What agents send in this round, in a few words for people; "": all rounds are about the same. */
const char *tc_study_plan_about(const tc_study_plan *p, uint64_t round);

/* Why what its agents send is not private, as far as the document says; "": it is. */
const char *tc_study_plan_not_private(const tc_study_plan *p);
const char *tc_study_doc_not_private(const tc_study_doc *d);

/* The unit and subject that a round is charged to. */
tc_round_charge tc_study_plan_charge(const tc_study_plan *p, uint64_t round);

/* What closing this round will cost. Relays, which release no sums: NonPrivate. */
tacit_status tc_study_plan_price(const tc_study_plan *p, uint64_t round, tc_round_price *out,
                                 tacit_error *err);

#endif
