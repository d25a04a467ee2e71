/* offer.h - the study as the coordinator describes it, to be held against what is known of it.
 *
 * Called by agents and by trustees (../trustee). */
#ifndef TC_AGENT_OFFER_H
#define TC_AGENT_OFFER_H

#include "agent/answered.h"
#include "study/study.h"
#include "study/study_plan.h"

/* End with tc_offer_fini. */
typedef struct tc_offer {
    tc_study_offer offer; /* its place is the caller's to fill in */
    char *document, *points_csv;
    char *
        no_place; /* asked with a join token: why a new key gets no place with it; NULL: it gets one */
    bool not_private; /* the coordinator says so of itself: noise from a seed */
} tc_offer;
/* E_NOT_FOUND: the coordinator does not know this token. */
tacit_status tc_offer_get(const tc_asker *who, const char *token, tc_offer *out, tacit_error *err);
void tc_offer_fini(tc_offer *o);
/* Makes the plan that the offer's document leads to. */
tacit_status tc_offer_plan(const tc_offer *o, tc_study_plan **out, tacit_error *err);

#endif
