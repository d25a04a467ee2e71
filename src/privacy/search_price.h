/* search_price.h - what a search costs a record: the best of a random number of private runs.
 *
 * A run draws its hyper-parameters, trains and scores itself. Its releases are described for records that are
 * replaced, or for records that are added or removed; the price is always for one record that is replaced by
 * another, as are the other charges to records, so that they compose.
 *
 * All orders are integers: there the bounds hold for discrete noise as they stand (filter.h). */
#ifndef TC_PRIVACY_SEARCH_PRICE_H
#define TC_PRIVACY_SEARCH_PRICE_H

#include "base/text.h"
#include "privacy/mechanism.h"

#include <tacit/privacy.h>

/* Plain data, all of it public; pointers are borrowed. */
typedef struct tc_search_plan {
    tacit_repeats repeats;
    const tacit_dp_event *events; /* of one run, without the noise on its score below */
    size_t n;
    bool
        replacing; /* the events speak of replaced records; false: of added or removed ones. Fixed-size
                       sampling speaks of replaced ones in both cases (tacit/privacy.h) */
    bool
        noised; /* the score gets noise here, by `score`; false: it comes out of the run with noise */
    tc_value_plan score;
} tc_search_plan;

enum { TC_SEARCH_MAX_EVENTS = 16 };
#define TC_SEARCH_MAX_MEAN 1e6 /* K is drawn with coins: that many are thrown within seconds */

/* E_ARG: a field out of range, named; a run that costs nothing. E_UNSUPPORTED: no bound is known. */
tacit_status tc_search_plan_check(const tc_search_plan *p, tacit_error *err);

/* For a plan that has passed its check: a bound on the divergence of this integer order in 2..1024; INFINITY: none. */
double tc_search_divergence(const tc_search_plan *p, int order);
/* The search alone, at the best order. */
tacit_status tc_search_cost(const tc_search_plan *p, double delta, tacit_guarantee *out,
                            tacit_error *err);

/* One sentence with everything from which the price can be computed again. */
void tc_search_describe(const tc_search_plan *p, tc_text *out);

#endif
