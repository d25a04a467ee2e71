/* study_int.h - what the other files of a study need of study.c. */
#ifndef TC_STUDY_STUDY_INT_H
#define TC_STUDY_STUDY_INT_H

#include "study/study.h"

/* Between look and unlook: appends all of the events, or none of them (E_CONFLICT) if anything
 * but tells of other trials came since the look. Survives a killed process, as an ask does. The
 * optimizer that was lent does not change; the next look sees them. */
tacit_status tc_study_append_seen(tc_study *s, const tc_event *events, size_t n, tacit_error *err);

#endif
