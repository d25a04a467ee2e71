/* filter.h - privacy spending whose next step depends on what came out so far.
 *
 * Accountants want the list of events fixed in advance. When parameters are chosen in view of
 * earlier releases, a filter is needed: the Renyi filter at one fixed order (Feldman, Zrnic 2021)
 * adds the divergences of what is really spent and refuses the step that would pass the limit.
 * Whatever was chosen, in whatever order, the whole is (epsilon, delta)-DP.
 *
 * The order is an integer, at which the bounds hold for discrete Gaussian noise as they stand.
 * Sums are integers in units of 1e-12, each cost rounded up; a step costs constant time. */
#ifndef TC_PRIVACY_FILTER_H
#define TC_PRIVACY_FILTER_H

#include "privacy/dp_event.h"

#define TC_FILTER_UNIT 1e-12

/* Plain data; a ledger may store it. spent <= limit at all times. */
typedef struct tc_filter {
    double epsilon, delta; /* what the whole is held to */
    int order;
    uint64_t limit, spent; /* divergence at that order, in units */
} tc_filter;

/* E_ARG: out of range, or an epsilon too small for any order up to 1024 at this delta. */
tacit_status tc_filter_init(tc_filter *f, double epsilon, double delta, tacit_error *err);

/* Asks, and changes nothing. *remaining (may be NULL) is the share of the limit that would be
 * left, in [0,1]. E_BUDGET: the step does not fit; the sentence has spent, asked and remaining.
 * E_UNSUPPORTED: fixed-size sampling, whose bound is for another adjacency. */
tacit_status tc_filter_would(const tc_filter *f, const tacit_dp_event *e, double *remaining,
                             tacit_error *err);

/* Spends; a refusal, as above, spends nothing. Call it before anything is released. */
tacit_status tc_filter_spend(tc_filter *f, const tacit_dp_event *e, tacit_error *err);

/* The share of the limit that is left, in [0,1]. */
double tc_filter_remaining(const tc_filter *f);

#endif
