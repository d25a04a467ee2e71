/* ledger_statement.c - a claim in words. Nobody should see an epsilon without them. */
#include "privacy/ledger_int.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

static bool charges(const tc_ledger_entry *e, const tc_ledger_claim *c)
{
    return e->unit == c->unit && (!*e->subject || strcmp(e->subject, c->subject) == 0);
}

static bool said_before(const tc_ledger *l, size_t i, const tc_ledger_claim *c)
{
    for (size_t k = 0; k < i; k++)
        if (charges(&l->items[k].entry, c) &&
            strcmp(l->items[k].entry.adjacency, l->items[i].entry.adjacency) == 0)
            return true;
    return false;
}

/* The claim holds for two data sets that are neighbours in every one of these senses. */
static void add_adjacency(const tc_ledger *l, const tc_ledger_claim *c, tc_text *out)
{
    for (size_t i = 0; i < l->n; i++) {
        const tc_ledger_entry *e = &l->items[i].entry;
        if (charges(e, c) && *e->adjacency && !said_before(l, i, c))
            tc_text_addf(out, " Neighbours: %s.", e->adjacency);
    }
}

static void add_bound(const tc_ledger_claim *c, tc_text *out)
{
    const char *unit = tc_privacy_unit_name(c->unit);
    if (*c->subject)
        tc_text_addf(out, "%s \"%s\": ", unit, c->subject);
    else
        tc_text_addf(out, "every %s: ", unit);
    if (isinf(c->bound.epsilon))
        tc_text_add(out, "no guarantee");
    else
        tc_text_addf(out, "epsilon %.6g, delta %g", c->bound.epsilon, c->bound.delta);
    tc_text_addf(out, " (%s) over %" PRIu64 " release%s.", c->bound.accountant, c->entries,
                 c->entries == 1 ? "" : "s");
}

void tc_ledger_statement(const tc_ledger *l, const tc_ledger_claim *c, tc_text *out)
{
    if (!c->is_private)
        tc_text_addf(out, "NOT PRIVATE: %s. ", c->not_private);
    add_bound(c, out);
    add_adjacency(l, c, out);
    tc_text_add(out, " Not protected: who takes part, when, and every public constant (roster, "
                     "weights, bounds, rates).");
}
