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

#include <tacit/status.h>

#include <jansson.h>
#include <stddef.h>
#include <stdint.h>

typedef enum tc_dp_mechanism {
    TC_DP_GAUSSIAN,  /* parameter: noise multiplier z = sd / sensitivity */
    TC_DP_LAPLACE,   /* parameter: epsilon of one release = sensitivity / scale */
    TC_DP_PURE,      /* parameter: epsilon; any pure mechanism: randomised response, piecewise */
    TC_DP_NONPRIVATE /* no guarantee at all: epsilon is infinite */
} tc_dp_mechanism;

typedef enum tc_dp_sampling {
    TC_DP_ALL,       /* everybody takes part: q = 1 */
    TC_DP_POISSON,   /* each one independently with probability q */
    TC_DP_FIXED_SIZE /* a fixed number q N without replacement; substitution adjacency, under
                         * which a member moves twice as far as the parameter says */
} tc_dp_sampling;

/* `count` independent (possibly adaptive) repetitions of one mechanism. */
typedef struct tc_dp_event {
    tc_dp_mechanism mechanism;
    double parameter; /* > 0; of NONPRIVATE: ignored */
    tc_dp_sampling sampling;
    double sampling_rate; /* q in (0, 1]; 1 for ALL */
    uint64_t count;       /* >= 0 */
} tc_dp_event;

/* E_ARG naming the field: q outside (0,1], parameter not in (0, 1e6], ... */
tacit_status tc_dp_event_check(const tc_dp_event *e, tacit_error *err);
json_t *tc_dp_event_json(const tc_dp_event *e); /* caller decrefs; NULL: no memory */
tacit_status tc_dp_event_from_json(tc_dp_event *out, const json_t *j, tacit_error *err);

#endif
