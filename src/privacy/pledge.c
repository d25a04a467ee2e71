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

static tacit_status make(tc_release **out, const tc_pledge_terms *t, tacit_error *err)
{
    tc_entropy nothing_drawn = {.secret = true};
    const char *why = t->event.mechanism == TACIT_DP_NONPRIVATE
                          ? "the contribution is handed on as it is"
                          : t->not_private;
    TC_TRY(tc_dp_event_check(&t->event, err));
    return why ? tc_release_new_bare(out, 0, 0, why, err)
               : tc_release_new(out, 0, 0, &nothing_drawn, err);
}

/* The sentence about neighbours; NULL: no memory. */
static const char *neighbours(tc_release *r, const tc_pledge_terms *t)
{
    if (t->event.mechanism == TACIT_DP_NONPRIVATE)
        return "none: values are released as they are";
    if (t->adjacency && *t->adjacency)
        return tc_arena_strdup(&r->memory, t->adjacency);
    return t->relation != TACIT_RELATION_USUAL ? tc_statement_related(t->unit, t->relation)
                                               : tc_statement_adjacency(t->unit, t->event.sampling);
}

tacit_status tc_pledge_by(tc_release **out, const tc_pledge_terms *t, tacit_error *err)
{
    tc_release *r;
    TC_TRY(make(&r, t, err));
    r->view.mechanism = t->mechanism ? t->mechanism : "pledge";
    r->view.offset = t->offset;
    r->view.event = t->event;
    r->view.unit = t->unit;
    r->view.single = t->single;
    r->view.distance = t->distance;
    r->view.step = 1;
    r->view.relation = t->relation;
    r->view.adjacency = neighbours(r, t);
    if (!r->view.adjacency) {
        tc_release_free(r);
        return tc_fail_memory(err);
    }
    *out = r;
    return TACIT_OK;
}

tacit_status tc_pledge(tc_release **out, const tacit_dp_event *event, double distance,
                       tacit_unit unit, bool single, tacit_error *err)
{
    return tc_pledge_by(
        out,
        &(tc_pledge_terms){.event = *event, .distance = distance, .unit = unit, .single = single},
        err);
}
