/* pledge.c - what a party owes for a contribution before the release that it goes into is made.
 *
 * An agent that sends a contribution cannot take it back: from then on the coordinator may release,
 * at the price that the study's public constants say. So the agent's own ledger gets that price
 * first. A pledge is a release of no numbers at all with the event of the one that is to come. Where
 * it is known that the noise to come is not secret, the pledge bears the stamp already. */
#include "privacy/mechanism.h"
#include "privacy/release_int.h"
#include "privacy/statement.h"

#include "base/error.h"

/* why NULL: the release that is to come protects what the event says. */
static tacit_status make(tc_release **out, const tc_dp_event *event, const char *why,
                         tacit_error *err)
{
    tc_entropy nothing_drawn = {.secret = true};
    TC_TRY(tc_dp_event_check(event, err));
    if (event->mechanism == TC_DP_NONPRIVATE)
        why = "the contribution is handed on as it is";
    return why ? tc_release_new_bare(out, 0, 0, why, err)
               : tc_release_new(out, 0, 0, &nothing_drawn, err);
}

static void fill(tc_release *r, const tc_dp_event *event, double distance, tc_privacy_unit unit,
                 bool single)
{
    r->view.mechanism = "pledge";
    r->view.event = *event;
    r->view.unit = unit;
    r->view.single = single;
    r->view.distance = distance;
    r->view.step = 1;
    r->view.adjacency = event->mechanism == TC_DP_NONPRIVATE
                            ? "none: values are released as they are"
                            : tc_statement_adjacency(unit, event->sampling);
}

tacit_status tc_pledge(tc_release **out, const tc_dp_event *event, double distance,
                       tc_privacy_unit unit, bool single, tacit_error *err)
{
    return tc_pledge_stamped(out, event, distance, unit, single, NULL, err);
}

tacit_status tc_pledge_stamped(tc_release **out, const tc_dp_event *event, double distance,
                               tc_privacy_unit unit, bool single, const char *why, tacit_error *err)
{
    tc_release *r;
    TC_TRY(make(&r, event, why, err));
    fill(r, event, distance, unit, single);
    *out = r;
    return TACIT_OK;
}
