/* study_plan_int.h - what study_plan.c and study_calibrate.c share. */
#ifndef TC_STUDY_STUDY_PLAN_INT_H
#define TC_STUDY_STUDY_PLAN_INT_H

#include "study/study_plan.h"

/* opts: the defaults and what the document gives. */
tacit_status tc_study_plan_given(const tc_study_doc *d, void *opts, tacit_error *err);
/* p->opts gets the options that the document carries. E_ARG: they do not keep its epsilon. */
tacit_status tc_study_plan_carried(tc_study_plan *p, tacit_error *err);

#endif
