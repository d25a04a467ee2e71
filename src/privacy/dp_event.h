/* dp_event.h - what a release did, in the words of differential privacy.
 *
 * A ledger holds events with their parameters, never epsilons; an accountant turns a list of
 * events into (epsilon, delta). The names in JSON are those of google's dp_accounting, so that a
 * stranger can re-check a ledger with it:
 *   {"dp_event": "SelfComposed", "count": 40, "event":
 *     {"dp_event": "PoissonSampled", "sampling_probability": 0.25, "event":
 *       {"dp_event": "Gaussian", "noise_multiplier": 1}}} */
#ifndef TC_PRIVACY_DP_EVENT_H
#define TC_PRIVACY_DP_EVENT_H

#include <tacit/privacy.h>

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* The event itself is public: `count` independent (possibly adaptive) repetitions of one mechanism. Of
 * NONPRIVATE the parameter is ignored. TACIT_DP_FIXED_SIZE has substitution adjacency, under which a
 * member moves twice as far as the parameter says. */

/* A release without protection. */
static inline tacit_dp_event tc_dp_event_none(void)
{
    return (tacit_dp_event){
        .mechanism = TACIT_DP_NONPRIVATE, .parameter = 1, .sampling_rate = 1, .count = 1};
}

/* The event of TACIT_DP_RENYI. order in 2..TC_DP_EVENT_MAX_ORDER. */
#define TC_DP_EVENT_MAX_ORDER 1024
tacit_dp_event tc_dp_event_renyi(int order, double divergence);
int tc_dp_event_order(const tacit_dp_event *e); /* of such an event that has passed its check */
/* With what probability a member takes part. */
double tc_dp_event_rate(const tacit_dp_event *e);

/* E_ARG naming the field: q outside (0,1], parameter not in (0, 1e6], ... */
tacit_status tc_dp_event_check(const tacit_dp_event *e, tacit_error *err);
/* Equal but for the count. */
bool tc_dp_event_same_kind(const tacit_dp_event *a, const tacit_dp_event *b);
/* What an event under adding or removing one member costs under replacing one: a group of two. A
 * plain Gaussian has half the noise multiplier, a plain Laplace or pure one twice the epsilon, exactly;
 * a Poisson-sampled one becomes TACIT_DP_POISSON_REPLACED (group.h). Of e that passed its check. */
tacit_dp_event tc_dp_event_replaced(const tacit_dp_event *e);
json_t *tc_dp_event_json(const tacit_dp_event *e); /* caller decrefs; NULL: no memory */
tacit_status tc_dp_event_from_json(tacit_dp_event *out, const json_t *j, tacit_error *err);

#endif
