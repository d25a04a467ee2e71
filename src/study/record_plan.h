/* record_plan.h - a study that protects records: how much noise one evaluation gets.
 *
 * The multiplier z follows from the document alone: epsilon, delta, and the number of planned evaluations, which are
 * all trials, wherever they run. Whoever creates the study finds it and writes it down (privacy.calibrated); everybody
 * else checks it. The noise of a party is z times the sensitivity of its own metric. */
#ifndef TC_STUDY_RECORD_PLAN_H
#define TC_STUDY_RECORD_PLAN_H

#include "privacy/mechanism.h"
#include "wire/study_doc.h"

/* Writes z into the document, unless it has one. */
tacit_status tc_record_plan_calibrate(tc_study_doc *doc, tacit_error *err);
/* Reads z; finds it if no study was made of the document yet. E_ARG: it does not keep the promise. */
tacit_status tc_record_plan_noise(const tc_study_doc *doc, double *z, tacit_error *err);
/* For a study created by another party: did this party declare the range itself? E_ARG: no. */
tacit_status tc_record_plan_own_range(const tc_study_doc *doc, const tc_metric_terms *terms,
                                      tacit_error *err);
/* The mechanism of a party that declares these terms; members low and high of them that are both 0 are the document's.
 * E_ARG: what is missing, or contradicts the document. */
tacit_status tc_record_plan_of(const tc_study_doc *doc, const tc_metric_terms *terms,
                               tc_value_plan *out, tacit_error *err);

#endif
