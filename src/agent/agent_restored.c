/* agent_restored.c - an agent whose own storage comes from a backup.
 *
 * The restored journal lacks messages that were already sent. Computed again they would differ: two signed
 * messages for one round. Its own ledger says that it was restored (privacy/ledger_restored.c). From
 * then on the coordinator is asked, before a round is paid for that the ledger does not have, whether our
 * message is there. If it is, or if the round is over and nobody can tell, it has left: it is entered in
 * the ledger at its price, which no limit can refuse any more, and nothing is sent. Rounds come one after
 * the other: the first that we have not answered ends the doubt.
 *
 * A coordinator that comes from a backup itself may have lost what left. So it is asked again, and what we
 * made anew may leave where a price of its own is paid for it, after that restore (coordinator_restored.c). */
#include "agent/agent_int.h"

#include "base/error.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

/* *paid: our ledger has the price of a round in this place. *left: of a message which left, and that is not
 * in the journal. */
static tacit_status find(tc_agent *a, const tacit_hash *place, uint64_t round, bool *paid,
                         bool *left, tacit_error *err)
{
    tc_ledger_receipt r;
    tacit_error why;
    tacit_status status = tc_ledger_find(a->ledger, place, round, &r, &why);
    *paid = status == TACIT_OK;
    *left = false;
    if (*paid) {
        const tc_ledger_entry *e = tc_ledger_get(a->ledger, r.head.seq, NULL);
        *left = strcmp(e->mechanism, TC_AGENT_LEFT) == 0;
        tc_ledger_receipt_fini(&r);
    }
    return *paid || status == TACIT_E_NOT_FOUND ? TACIT_OK : tc_pass_on(err, status, &why);
}

/* The same bytes again are the same message: what was paid for before the backup is in the journal. *left:
 * it was found out before that what left is not. */
static tacit_status is_in_doubt(tc_agent *a, uint64_t round, bool *out, bool *left,
                                tacit_error *err)
{
    tc_ledger_restore last;
    bool paid;
    *out = *left = false;
    if (a->caught_up)
        return TACIT_OK;
    TC_TRY(tc_ledger_catch_up(a->ledger, err));
    if (!tc_ledger_restored(a->ledger, UINT64_MAX, &last))
        return TACIT_OK;
    TC_TRY(find(a, &tc_study_get_plan(a->study)->hash, round, &paid, left, err));
    *out = !paid || *left;
    return TACIT_OK;
}

static tacit_status ask(tc_agent *a, uint64_t round, bool *left, tacit_error *err)
{
    char path[64], what[64];
    tc_answered r;
    snprintf(path, sizeof path, "/rounds/%" PRIu64 "/broadcast?wait=0", round);
    TC_TRY(tc_agent_request(a, &(tc_call){.method = "GET", .path = path, .bearer = a->access}, &r,
                            err));
    const json_t *answered = json_object_get(r.body, "answered");
    tacit_status status = TACIT_OK;
    snprintf(what, sizeof what, "to say how round %" PRIu64 " stands", round);
    if (r.status != 200 && r.status != 202 && r.status != 410)
        status = tc_answered_refusal(&r, what, err);
    else if (r.status == 202 && !json_is_boolean(answered))
        status = tc_answered_strange("it does not say whether this agent has answered", err);
    *left = r.status != 202 || json_is_true(answered);
    tc_answered_fini(&r);
    return status;
}

tacit_status tc_agent_restored_left(tc_agent *a, uint64_t round, bool *out, tacit_error *err)
{
    bool doubt, before;
    *out = false;
    TC_TRY(is_in_doubt(a, round, &doubt, &before, err));
    if (!doubt)
        return TACIT_OK;
    TC_TRY(ask(a, round, out, err));
    a->caught_up = !*out && !before; /* who forgot a message may have forgotten later ones */
    return TACIT_OK;
}

tacit_status tc_agent_restored_bars(tc_agent *a, uint64_t round, bool *out, tacit_error *err)
{
    tacit_hash place;
    bool paid;
    TC_TRY(tc_coordinator_restored_place(a, round, &place, err));
    return find(a, &place, round, &paid, out, err);
}
