/* ledger_plan.c - the plan of one study as a whole, where the filter alone would not allow it.
 *
 * All releases that one document plans are fixed before the first of them, so an accountant may add them up. It
 * allows more than the filter does, and whoever may choose between going on with that plan and
 * beginning another study chooses between two tight bounds: that is what filters are for. So a ledger
 * that lets one study have the accountant's bound lets no other study in that the filter, counting the whole plan,
 * refuses. Then there is nothing to choose: either the plan fits the filter, and all that is ever
 * released does; or no other study comes in, and all that is released was planned.
 *
 * The plan must be known when another study asks. It stands in the chain as notes before the study's first
 * release: one for each kind of event, in a place of its own, with the number of releases as `offset`
 * and their distance in the first. A plan that comes after a release of another study is not in force: its study
 * was held to the filter. */
#include "privacy/ledger_int.h"

#include "privacy/mechanism.h"

#include "base/error.h"

#include <string.h>

static tacit_hash place_of(const tacit_hash *study)
{
    static const char what[] = "tacit plan";
    uint8_t both[TC_LEDGER_HASH_BYTES + sizeof what];
    memcpy(both, study->bytes, TC_LEDGER_HASH_BYTES);
    memcpy(both + TC_LEDGER_HASH_BYTES, what, sizeof what);
    return tc_ledger_release_hash(both, sizeof both);
}

/* ---- reading */

/* Entries of one study follow each other mostly: its place is not computed for each. */
typedef struct placed {
    tacit_hash study, place;
    bool known;
} placed;

static bool is_of(placed *p, const tc_ledger_entry *e, const tacit_hash *place)
{
    if (!p->known || !tc_ledger_hash_same(&p->study, &e->study))
        *p = (placed){.study = e->study, .place = place_of(&e->study), .known = true};
    return tc_ledger_hash_same(&p->place, place);
}

static bool in_force(const tc_ledger *l, const tc_ledger_entry *note)
{
    placed p = {.known = false};
    for (size_t i = 0; i + 1 < note->seq; i++) {
        const tc_ledger_entry *e = &l->items[i].entry;
        if (e->event.count > 0 && !is_of(&p, e, &note->study))
            return false;
    }
    return true;
}

bool tc_ledger_plan_kept(const tc_ledger *l, const tacit_hash *study)
{
    tacit_hash place = place_of(study);
    uint64_t seq = tc_ledger_round_entry(l, &place, 0);
    return seq > 0 && in_force(l, &l->items[seq - 1].entry);
}

/* How much of what the note plans is not released yet? */
static uint64_t left_of(const tc_ledger *l, const tc_ledger_entry *note)
{
    placed p = {.known = false};
    double paid = 0;
    for (size_t i = 0; i < l->n; i++) {
        const tc_ledger_entry *e = &l->items[i].entry;
        if (e->event.count == 0)
            continue;
        tacit_dp_event charged = tc_ledger_charged(e, e->unit);
        if (tc_dp_event_same_kind(&charged, &note->event) && is_of(&p, e, &note->study))
            paid += (double)e->event.count;
    }
    return note->offset > paid ? (uint64_t)(note->offset - paid) : 0;
}

static tacit_status add_note(const tc_ledger *l, const tc_ledger_entry *note, tacit_unit unit,
                             bool asked, tc_ledger_spending *s, tacit_error *err)
{
    uint64_t left = left_of(l, note);
    tacit_dp_event event =
        tc_ledger_is_wider(note, unit) ? tc_ledger_replacing(&note->event) : note->event;
    event.count = left > 0 && asked ? left - 1 : left;
    s->several |= event.count > 0; /* of more than what was released: for the filter alone */
    return tc_ledger_spending_add(s, &event, note->distance, err);
}

tacit_status tc_ledger_add_planned(const tc_ledger *l, tacit_unit unit, const tacit_hash *study,
                                   const tacit_dp_event *asked, tc_ledger_spending *s,
                                   tacit_error *err)
{
    tacit_hash own = {0};
    if (study)
        own = place_of(study);
    for (size_t i = 0; i < l->n; i++) {
        const tc_ledger_entry *e = &l->items[i].entry;
        if (!tc_ledger_is_plan(e) || !in_force(l, e) ||
            (e->unit != unit && !tc_ledger_is_wider(e, unit)))
            continue;
        bool same = study && tc_ledger_hash_same(&own, &e->study) &&
                    tc_dp_event_same_kind(asked, &e->event);
        TC_TRY(add_note(l, e, unit, same, s, err));
    }
    return TACIT_OK;
}

/* ---- writing */

static tacit_status write_note(tc_ledger *l, const tacit_hash *place, uint64_t index,
                               const tacit_dp_event *kind, double distance, tacit_unit unit,
                               tacit_error *err)
{
    tc_pledge_terms terms = {.event = *kind,
                             .distance = distance,
                             .unit = unit,
                             .adjacency = "what the document of a study plans in all",
                             .mechanism = TC_LEDGER_PLAN,
                             .offset = (double)kind->count};
    tc_ledger_charge charge = {.study = *place, .round = index};
    tc_ledger_receipt receipt;
    tc_release *note;
    terms.event.count = 0;
    TC_TRY(tc_pledge_by(&note, &terms, err));
    tacit_status status = tc_ledger_release(l, NULL, &charge, note, &receipt, err);
    tc_release_free(note);
    if (status == TACIT_OK)
        tc_ledger_receipt_fini(&receipt);
    return status;
}

/* The first note is written last: the plan is in the chain once that is. */
static tacit_status write_plan(tc_ledger *l, const tc_ledger_document *d,
                               const tc_ledger_spending *plan, tacit_unit unit, tacit_error *err)
{
    tacit_hash place = place_of(&d->study);
    for (size_t i = plan->n; i > 0; i--)
        TC_TRY(write_note(l, &place, i - 1, &plan->events[i - 1], i == 1 ? d->distance : 0, unit,
                          err));
    return TACIT_OK;
}

/* Has the ledger releases of no other study? */
static bool is_alone(const tc_ledger *l, const tacit_hash *study)
{
    tc_ledger_entry end = {.seq = l->n + 1, .study = place_of(study)};
    return in_force(l, &end);
}

/* Is there something that the accountant allows and the filter does not? */
static tacit_status is_needed(const tc_ledger *l, const tc_ledger_budget *b,
                              const tc_ledger_spending *plan, bool *out, tacit_error *err)
{
    const tc_ledger_document *d = b->document;
    tacit_guarantee g;
    *out = false;
    if (tc_ledger_plan_kept(l, &d->study) || !is_alone(l, &d->study))
        return TACIT_OK;
    tacit_status status = tc_ledger_filter_check(plan, b->epsilon, b->delta, NULL);
    if (status == TACIT_OK)
        return TACIT_OK;
    TC_TRY(tc_ledger_cost(b->accountant, d->events, d->n, d->distance, b->delta, &g, err));
    *out = g.epsilon <= b->epsilon;
    return TACIT_OK;
}

tacit_status tc_ledger_keep_plan(tc_ledger *l, const tc_ledger_budget *b, tacit_unit unit,
                                 tacit_error *err)
{
    const tc_ledger_document *d = b->document;
    tc_ledger_spending plan = {.subject = ""};
    tacit_status status = TACIT_OK;
    bool needed = false;
    if (!d || d->n == 0 || !b->accountant)
        return TACIT_OK;
    TC_TRY(tc_ledger_catch_up(l, err));
    for (size_t i = 0; i < d->n && status == TACIT_OK; i++)
        status = tc_ledger_spending_ask(&plan, &d->study, &d->events[i], 0, err);
    plan.distance = d->distance;
    if (status == TACIT_OK)
        status = is_needed(l, b, &plan, &needed, err);
    if (status == TACIT_OK && needed)
        status = write_plan(l, d, &plan, unit, err);
    tc_ledger_spending_fini(&plan);
    return status;
}
