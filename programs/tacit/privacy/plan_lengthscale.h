/* plan_lengthscale.h - whether the agents of a federated study take the usual length-scale of their space, for the verbs
 * that plan and create one. */
#ifndef TC_PROGRAM_PLAN_LENGTHSCALE_H
#define TC_PROGRAM_PLAN_LENGTHSCALE_H

#include "base/text.h"
#include "study/study_plan.h"

/* The usual length-scale; 0: one is given, agents vote on it, or the algorithm has none. */
tacit_status tc_plan_lengthscale(const tc_study_plan *p, double *out, tacit_error *err);
/* The sentence about a length-scale above 0. */
void tc_plan_lengthscale_add(tc_text *out, const tc_study_plan *p, double lengthscale);

#endif
