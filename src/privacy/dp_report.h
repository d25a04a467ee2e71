/* dp_report.h - what a private trainer says that it did, and whether it keeps to what was declared.
 *
 * A report is an event in the words of google's dp_accounting, of any depth:
 *   {"dp_event": "SelfComposed", "count": 1000, "event":
 *     {"dp_event": "PoissonSampled", "sampling_probability": 0.01, "event":
 *       {"dp_event": "Gaussian", "noise_multiplier": 1.1}}}
 * "class_name" stands for "dp_event", as in dp_accounting's named tuples, and a name may end in DpEvent.
 *
 * What a trainer reports is seen after it has looked at data, so it must not decide what is charged: the cap
 * was fixed before, is charged, and a report can only be refused against it. */
#ifndef TC_PRIVACY_DP_REPORT_H
#define TC_PRIVACY_DP_REPORT_H

#include "privacy/dp_event.h"

/* The different events of j with their counts, into events[0..room). *n is 0 where nothing happened. E_ARG:
 * what is unknown, or out of range, by its path; or there are more than `room`. */
tacit_status tc_dp_report_parse(const json_t *j, tacit_dp_event *events, size_t room, size_t *n,
                                tacit_error *err);

/* Is every reported event covered by one of the cap that costs no less, and is no event of the cap used
 * more often than it was declared? Covered: the same mechanism, at least the noise, at most the sampling rate.
 * Then the reported mechanism is a post-processing of the declared one (more noise can be added to less,
 * fewer releases are a part of more) or, at a lower rate, a mixture of it with its absence, whose curves of
 * delta are convex: whatever is proved of the cap holds for the report. E_BUDGET names the first that is not. */
tacit_status tc_dp_report_within(const tacit_dp_event *reported, size_t n,
                                 const tacit_dp_event *cap, size_t caps, tacit_error *err);

#endif
