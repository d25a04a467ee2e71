/* ledger_spending.c - whom a ledger charges, and for what.
 *
 * An entry charges one unit by its public name, or every unit of the roster. So a unit has spent
 * what was charged to everybody and what was charged to its name, over all studies.
 *
 * Units are not of one size. Rows and users are parts of what an agent has: another row may be another
 * contribution of its agent, and a release about agents tells of it. So a row is charged for all entries
 * about agents, of whatever name since nobody says whose row it is, at the price of an agent whose
 * contribution becomes any other (docs/privacy.md, Unit). Not the other way round: what protects a row
 * has no price for an agent with many. */
#include "privacy/ledger_int.h"

#include "base/error.h"

#include <stdlib.h>
#include <string.h>

/* ---- one unit */

static tacit_dp_event *find_kind(const tc_ledger_spending *s, const tacit_dp_event *e)
{
    for (size_t i = 0; i < s->n; i++)
        if (tc_dp_event_same_kind(&s->events[i], e))
            return &s->events[i];
    return NULL;
}

/* Merged counts stay within what an event may have: then there are two of a kind. */
tacit_status tc_ledger_spending_add(tc_ledger_spending *s, const tacit_dp_event *e, double distance,
                                    tacit_error *err)
{
    tacit_dp_event *same = find_kind(s, e), sum = *e;
    if (same)
        sum.count += same->count;
    if (same && tc_dp_event_check(&sum, NULL) == TACIT_OK) {
        *same = sum;
    } else {
        if (!tc_grow((void **)&s->events, &s->cap, s->n + 1, sizeof *s->events))
            return tc_fail_memory(err);
        s->events[s->n++] = *e;
    }
    s->distance += distance;
    return TACIT_OK;
}

/* All that an agent contributes becomes any other, not zeros: twice the sensitivity, hence half the noise
 * multiplier or twice the epsilon. And no gain from sampling: given the coins, the two worlds are no
 * farther apart than with everybody, and the coins are the same in both. A Laplace release may count as
 * neighbours only vectors that are close to each other, and what a row changes need not be close: of that
 * nothing is promised, and nothing where one divergence is all that is known. */
tacit_dp_event tc_ledger_replacing(const tacit_dp_event *e)
{
    tacit_dp_event r = *e;
    r.sampling = TACIT_DP_ALL;
    r.sampling_rate = 1;
    if (r.mechanism == TACIT_DP_GAUSSIAN)
        r.parameter /= 2;
    else if (r.mechanism == TACIT_DP_PURE)
        r.parameter *= 2;
    /* The third: an epsilon beyond all that is counted. */
    if (r.mechanism == TACIT_DP_LAPLACE || r.mechanism == TACIT_DP_RENYI ||
        tc_dp_event_check(&r, NULL) != TACIT_OK)
        r.mechanism = TACIT_DP_NONPRIVATE;
    return r;
}

/* The plan of a study is no release of it, but it may be what began. */
static void note_study(tc_ledger_spending *s, const tacit_hash *study, uint64_t seq,
                       const tacit_dp_event *e, bool release)
{
    if (s->first == 0 || seq < s->first) {
        s->first = seq;
        s->plain = e->mechanism == TACIT_DP_GAUSSIAN && e->sampling_rate == 1 &&
                   (e->sampling == TACIT_DP_ALL || e->sampling == TACIT_DP_POISSON);
    }
    if (!release)
        return;
    if (s->released && !tc_ledger_hash_same(&s->study, study))
        s->several = true;
    s->study = *study;
    s->released = true;
}

tacit_status tc_ledger_spending_ask(tc_ledger_spending *s, const tacit_hash *study,
                                    const tacit_dp_event *e, double distance, tacit_error *err)
{
    TC_TRY(tc_ledger_spending_add(s, e, distance, err));
    s->several |= s->released && !study;
    note_study(s, study ? study : &s->study, UINT64_MAX, e, true);
    return TACIT_OK;
}

/* A member that comes or goes is a step of which a replacement has two (group.h). Agents are not
 * replaced: what is promised for them is that one contributes nothing. */
static bool is_group(const tc_ledger_entry *e)
{
    return e->unit != TACIT_UNIT_AGENT && tc_ledger_relation(e) == TACIT_RELATION_ADD_REMOVE;
}

tacit_dp_event tc_ledger_charged(const tc_ledger_entry *e, tacit_unit unit)
{
    if (e->unit != unit)
        return tc_ledger_replacing(&e->event);
    return is_group(e) ? tc_dp_event_replaced(&e->event) : e->event;
}

/* What an agent as a whole is charged for holds for whatever becomes of a part of it. */
tacit_relation tc_ledger_charged_for(const tc_ledger_entry *e, tacit_unit unit)
{
    if (e->unit != unit || tc_ledger_is_note(e) || e->event.mechanism == TACIT_DP_NONPRIVATE)
        return TACIT_RELATION_USUAL;
    return is_group(e) ? TACIT_RELATION_REPLACE_ONE : tc_ledger_relation(e);
}

static void note_relation(tc_ledger_spending *s, const tc_ledger_entry *e, tacit_unit unit)
{
    tacit_relation next = tc_ledger_charged_for(e, unit), before = s->relation;
    if (next == TACIT_RELATION_USUAL || s->stranger || tc_relation_compose(&s->relation, next))
        return;
    s->stranger = e;
    s->before = before;
}

tacit_status tc_ledger_check_relations(const tc_ledger_spending *s, tacit_error *err)
{
    if (!s->stranger)
        return TACIT_OK;
    return tc_fail(err, TACIT_E_UNSUPPORTED,
                   "ledger entry %llu is about %s neighbours and entries of the same %s about %s "
                   "ones; only equal relations compose",
                   (unsigned long long)s->stranger->seq,
                   tacit_relation_name(tc_ledger_relation(s->stranger)),
                   tacit_unit_name(s->stranger->unit), tacit_relation_name(s->before));
}

static tacit_status add_entry(tc_ledger_spending *s, const tc_ledger_entry *e, tacit_unit unit,
                              tacit_error *err)
{
    tacit_dp_event event = tc_ledger_charged(e, unit);
    bool note = tc_ledger_is_note(e);
    note_relation(s, e, unit);
    TC_TRY(tc_ledger_spending_add(s, &event, note ? 0 : e->distance, err));
    if (e->event.count > 0 || tc_ledger_is_plan(e))
        note_study(s, &e->study, e->seq, &event, !note);
    /* For an evaluation over records, the reservation counts and the release does not (record_ledger.h). */
    s->entries += !note && !(e->unit == TACIT_UNIT_RECORD && e->event.count == 0);
    if (!e->is_private && (!s->not_private || e->seq < s->not_private->seq))
        s->not_private = e;
    return TACIT_OK;
}

tacit_status tc_ledger_spending_copy(tc_ledger_spending *out, const tc_ledger_spending *s,
                                     tacit_error *err)
{
    tc_ledger_spending copy = *s;
    copy.cap = s->n + 1;
    copy.events = tc_alloc(copy.cap, sizeof *copy.events);
    if (!copy.events)
        return tc_fail_memory(err);
    if (s->n > 0)
        memcpy(copy.events, s->events, s->n * sizeof *s->events);
    *out = copy;
    return TACIT_OK;
}

void tc_ledger_spending_fini(tc_ledger_spending *s)
{
    tc_free(s->events);
    *s = (tc_ledger_spending){0};
}

bool tc_ledger_spending_covers(const tc_ledger_spending *b, const tc_ledger_spending *a)
{
    for (size_t i = 0; i < a->n; i++) {
        const tacit_dp_event *same = find_kind(b, &a->events[i]);
        if (a->events[i].count > 0 && (!same || same->count < a->events[i].count))
            return false;
    }
    return true;
}

bool tc_ledger_spending_within(const tc_ledger_spending *a, const tc_ledger_spending *b)
{
    bool same_rule = a->plain == b->plain && a->several == b->several &&
                     (a->several || tc_ledger_hash_same(&a->study, &b->study));
    return a->distance <= b->distance && a->n <= b->n && same_rule && !a->stranger &&
           tc_ledger_spending_covers(b, a);
}

/* ---- all units */

static int by_subject(const void *left, const void *right)
{
    const tc_ledger_entry *a = *(const tc_ledger_entry *const *)left;
    const tc_ledger_entry *b = *(const tc_ledger_entry *const *)right;
    int order = strcmp(a->subject, b->subject);
    return order == 0 ? (a->seq > b->seq) - (a->seq < b->seq) : order;
}

/* The entries of this unit by subject: those that charge everybody come first. For tc_free. */
static tacit_status sort_entries(const tc_ledger *l, tacit_unit unit, const tc_ledger_entry ***out,
                                 size_t *n, tacit_error *err)
{
    const tc_ledger_entry **sorted = tc_alloc(l->n + 1, sizeof *sorted);
    size_t kept = 0;
    if (!sorted)
        return tc_fail_memory(err);
    for (size_t i = 0; i < l->n; i++)
        if (l->items[i].entry.unit == unit)
            sorted[kept++] = &l->items[i].entry;
    qsort(sorted, kept, sizeof *sorted, by_subject);
    *out = sorted;
    *n = kept;
    return TACIT_OK;
}

/* What was released about agents, for those who are parts of one. */
static tacit_status add_wider(tc_ledger_spending *s, const tc_ledger *l, tacit_unit unit,
                              tacit_error *err)
{
    for (size_t i = 0; i < l->n; i++)
        if (tc_ledger_is_wider(&l->items[i].entry, unit))
            TC_TRY(add_entry(s, &l->items[i].entry, unit, err));
    return TACIT_OK;
}

/* Adds entries[*at ...] of one subject and moves *at behind them. */
static tacit_status add_group(tc_ledger_spending *s, const tc_ledger_entry *const *entries,
                              size_t n, size_t *at, tacit_error *err)
{
    const char *subject = s->subject;
    for (; *at < n && strcmp(entries[*at]->subject, subject) == 0; ++*at)
        TC_TRY(add_entry(s, entries[*at], entries[*at]->unit, err));
    return TACIT_OK;
}

static tacit_status visit_named(const tc_ledger_spending *everybody,
                                const tc_ledger_entry *const *entries, size_t n, size_t *at,
                                tc_ledger_visit_unit visit, void *user, tacit_error *err)
{
    tc_ledger_spending s;
    TC_TRY(tc_ledger_spending_copy(&s, everybody, err));
    s.subject = entries[*at]->subject;
    tacit_status status = add_group(&s, entries, n, at, err);
    if (status == TACIT_OK)
        status = visit(user, &s, err);
    tc_ledger_spending_fini(&s);
    return status;
}

tacit_status tc_ledger_each_unit(const tc_ledger *l, tacit_unit unit, tc_ledger_visit_unit visit,
                                 void *user, tacit_error *err)
{
    const tc_ledger_entry **entries = NULL;
    size_t n = 0, at = 0;
    TC_TRY(sort_entries(l, unit, &entries, &n, err));
    tc_ledger_spending everybody = {.subject = ""};
    tacit_status status = add_wider(&everybody, l, unit, err);
    if (status == TACIT_OK)
        status = add_group(&everybody, entries, n, &at, err);
    if (status == TACIT_OK)
        status = visit(user, &everybody, err);
    while (status == TACIT_OK && at < n)
        status = visit_named(&everybody, entries, n, &at, visit, user, err);
    tc_ledger_spending_fini(&everybody);
    tc_free(entries);
    return status;
}

tacit_status tc_ledger_visit_subject(const tc_ledger *l, tacit_unit unit, const char *subject,
                                     tc_ledger_visit_unit visit, void *user, tacit_error *err)
{
    if (!subject)
        return tc_ledger_each_unit(l, unit, visit, user, err);
    tc_ledger_spending s = {.subject = subject};
    tacit_status status = add_wider(&s, l, unit, err);
    for (size_t i = 0; status == TACIT_OK && i < l->n; i++) {
        const tc_ledger_entry *e = &l->items[i].entry;
        if (e->unit == unit && (!*e->subject || strcmp(e->subject, subject) == 0))
            status = add_entry(&s, e, unit, err);
    }
    if (status == TACIT_OK)
        status = visit(user, &s, err);
    tc_ledger_spending_fini(&s);
    return status;
}

bool tc_ledger_has_unit(const tc_ledger *l, tacit_unit unit)
{
    for (size_t i = 0; i < l->n; i++)
        if (l->items[i].entry.unit == unit && !tc_ledger_is_note(&l->items[i].entry))
            return true;
    return false;
}
