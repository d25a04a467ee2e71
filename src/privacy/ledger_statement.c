/* ledger_statement.c - a claim in words (statement.h), with the neighbours that its entries name.
 * Numbers are rounded to the safe side: what is read off is still a bound. */
#include "privacy/ledger_int.h"

#include "privacy/mechanism.h"
#include "privacy/shared_sum.h"
#include "privacy/statement.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

static bool charges(const tc_ledger_entry *e, const tc_ledger_claim *c)
{
    return !tc_ledger_is_note(e) && e->unit == c->unit &&
           (!*e->subject || strcmp(e->subject, c->subject) == 0);
}

static bool said_before(const tc_ledger *l, size_t i, const tc_ledger_claim *c)
{
    for (size_t k = 0; k < i; k++)
        if (charges(&l->items[k].entry, c) &&
            strcmp(l->items[k].entry.adjacency, l->items[i].entry.adjacency) == 0)
            return true;
    return false;
}

/* The claim holds for two data sets that are neighbours in every one of these senses, and the
 * reader is told so: two radii, say, make a promise about the smaller one. */
static void add_adjacency(const tc_ledger *l, const tc_ledger_claim *c, tc_text *out)
{
    size_t said = 0;
    for (size_t i = 0; i < l->n; i++) {
        const tc_ledger_entry *e = &l->items[i].entry;
        if (!charges(e, c) || !*e->adjacency || said_before(l, i, c))
            continue;
        if (said++ == 0)
            tc_text_addf(out, " Neighbours: %s", e->adjacency);
        else
            tc_text_addf(out, "; and also (%zu) %s", said, e->adjacency);
    }
    if (said > 0)
        tc_text_add(out, ".");
    if (said > 1)
        tc_text_addf(out, " The promise is for neighbours in all %zu of these senses at once.",
                     said);
}

/* Releases that were described for a member that comes or goes (ledger_spending.c). */
static void add_groups(const tc_ledger *l, const tc_ledger_claim *c, tc_text *out)
{
    size_t groups = 0;
    for (size_t i = 0; i < l->n; i++) {
        const tc_ledger_entry *e = &l->items[i].entry;
        groups += charges(e, c) && e->event.count > 0 && e->unit != TACIT_UNIT_AGENT &&
                  tc_ledger_relation(e) == TACIT_RELATION_ADD_REMOVE;
    }
    if (groups > 0)
        tc_text_addf(out,
                     " Of the releases, %zu %s described for adding or removing a %s and %s "
                     "charged for replacing one, as a group of two.",
                     groups, groups == 1 ? "is" : "are", tacit_unit_name(c->unit),
                     groups == 1 ? "is" : "are");
}

static size_t count(const tc_ledger *l, tacit_unit unit, bool wider)
{
    size_t n = 0;
    for (size_t i = 0; i < l->n; i++) {
        const tc_ledger_entry *e = &l->items[i].entry;
        n += !tc_ledger_is_note(e) && e->unit != unit && tc_ledger_is_wider(e, unit) == wider;
    }
    return n;
}

/* What releases that protect other units have to do with this one (ledger_spending.c). */
static void add_other_units(const tc_ledger *l, const tc_ledger_claim *c, tc_text *out)
{
    const char *unit = tacit_unit_name(c->unit);
    size_t wider = count(l, c->unit, true), parts = count(l, c->unit, false);
    if (wider > 0)
        tc_text_addf(
            out,
            " %zu of the releases are about agents: in these, all that the agent of such a "
            "%s contributes may become anything else.",
            wider, unit);
    if (c->unit == TACIT_UNIT_AGENT && parts > 0)
        tc_text_addf(
            out,
            " %zu more release%s of this ledger protect%s single rows, users or records: what such "
            "a release tells of an agent as a whole is not in this promise.",
            parts, parts == 1 ? "" : "s", parts == 1 ? "s" : "");
    else if (parts > 0)
        tc_text_addf(out,
                     " %zu more release%s of this ledger protect%s single units of another kind: "
                     "what such a "
                     "release tells of a %s is not in this promise.",
                     parts, parts == 1 ? "" : "s", parts == 1 ? "s" : "", unit);
}

/* Agents, and rows whose agents contribute to a sum, do not draw their noise themselves. */
static bool is_summed(const tc_ledger_entry *e, const tc_ledger_claim *c)
{
    static const char *const sums[] = {"laplace-sum", "pledge", "left before a restore", "lost"};
    if (e->unit == TACIT_UNIT_AGENT)
        return true;
    for (size_t i = 0; charges(e, c) && i < sizeof sums / sizeof *sums; i++)
        if (strcmp(e->mechanism, sums[i]) == 0)
            return true;
    return false;
}

/* Sums of a coordinator, or of trustees; how many of them an entry does not say. */
static size_t count_sums(const tc_ledger *l, const tc_ledger_claim *c, bool shared)
{
    size_t n = 0;
    for (size_t i = 0; i < l->n; i++) {
        const tc_ledger_entry *e = &l->items[i].entry;
        n += !tc_ledger_is_note(e) && is_summed(e, c) &&
             (strcmp(e->adjacency, TC_SHARED_ADJACENCY) == 0) == shared;
    }
    return n;
}

static void add_trust(const tc_ledger *l, const tc_ledger_claim *c, tc_text *out)
{
    const size_t shared = count_sums(l, c, true);
    if (count_sums(l, c, false) > 0)
        tc_text_addf(out, " %s.", tacit_statement_trust());
    if (shared > 0)
        tc_text_addf(
            out,
            " Trustees added up %zu of the releases and dealt their noise: about what is in "
            "these the promise holds towards the coordinator, too, as long as no more "
            "trustees work with it than the document of that study allows for.",
            shared);
}

static void add_bound(const tc_ledger_claim *c, tc_text *out)
{
    const char *unit = tacit_unit_name(c->unit);
    char epsilon[32], delta[32];
    tacit_epsilon_text(epsilon, c->bound.epsilon);
    tacit_delta_text(delta, c->bound.delta);
    if (*c->subject)
        tc_text_addf(out, "%s \"%s\": ", unit, c->subject);
    else
        tc_text_addf(out, "every %s: ", unit);
    if (isfinite(c->bound.epsilon))
        tc_text_addf(out, "epsilon %s, delta %s", epsilon, delta);
    else
        tc_text_add(out, "no guarantee");
    tc_text_addf(out, " (%s) over %" PRIu64 " release%s.", c->bound.accountant, c->entries,
                 c->entries == 1 ? "" : "s");
}

static bool is_filter(const char *accountant)
{
    size_t n = strlen(accountant);
    return n > 7 && strcmp(accountant + n - 7, "-filter") == 0;
}

/* On what the number rests, where it is of several studies. Pure epsilons add up in any case. */
static void add_studies(const tc_ledger_claim *c, tc_text *out)
{
    if (!c->several || strcmp(c->bound.accountant, tc_accountant_pure.name) == 0)
        return;
    if (is_filter(c->bound.accountant))
        tc_text_add(out,
                    " The releases are of several studies, and a later study may have been "
                    "chosen in view of earlier releases: so a filter adds them up. The number is "
                    "the least limit, set before the first release, that allows them all.");
    else
        tc_text_addf(out,
                     " The releases are of several studies: this number (%s) supposes that all of "
                     "them were planned before the first release.",
                     c->bound.accountant);
}

/* Is there a release for the unit that costs nothing, because it was computed from private values? (processed.c) */
static bool has_processed(const tc_ledger *l, tacit_unit unit)
{
    const uint64_t n = tc_ledger_get_head(l).seq;
    bool found = false;
    for (uint64_t seq = 1; seq <= n && !found; seq++) {
        const tc_ledger_entry *e = tc_ledger_get(l, seq, NULL);
        found = e->unit == unit && strcmp(e->adjacency, TC_PROCESSED_ADJACENCY) == 0;
    }
    return found;
}

/* Without an entry there are no neighbours to name, so an epsilon would mean nothing. */
static void add_nothing(const tc_ledger *l, const tc_ledger_claim *c, tc_text *out)
{
    const char *unit = tacit_unit_name(c->unit);
    if (has_processed(l, c->unit))
        tc_text_addf(out,
                     "What was released was computed from values that were private for every %s "
                     "before: what those cost is in the ledgers of the agents, not in this one.",
                     unit);
    else if (*c->subject)
        tc_text_addf(out, "%s \"%s\": nothing was released about it.", unit, c->subject);
    else
        tc_text_addf(out, "Nothing was released about any %s.", unit);
}

void tc_ledger_statement(const tc_ledger *l, const tc_ledger_claim *c, tc_text *out)
{
    tc_ledger_restore restored;
    if (c->entries == 0) {
        add_nothing(l, c, out);
        return;
    }
    if (!c->is_private)
        tc_text_addf(out, "NOT PRIVATE: %s. ", c->not_private);
    add_bound(c, out);
    add_studies(c, out);
    add_adjacency(l, c, out);
    add_groups(l, c, out);
    add_other_units(l, c, out);
    tc_text_addf(out, " Not protected: %s.", tc_statement_not_protected(c->unit));
    add_trust(l, c, out);
    if (tc_ledger_restored(l, UINT64_MAX, &restored))
        tc_text_addf(out, " The ledger was %s.", restored.say);
}
