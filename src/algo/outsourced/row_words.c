/* row_words.c - what is said about a release: its columns, its metric, its promise. See row_curator.h. */
#include "algo/outsourced/row_curator.h"

#include "privacy/statement.h"

#include <sodium.h>
#include <stdio.h>
#include <string.h>

/* ---- columns and their units */

char **tc_row_terms_released(const tc_row_terms *t, size_t cols, tc_arena *memory)
{
    char **names = TC_TAKE(memory, cols, char *);
    for (size_t k = 0; names && k < cols; k++) {
        char name[32];
        snprintf(name, sizeof name, "z%zu", k + 1);
        names[k] = tc_arena_strdup(memory, t->rank > 0 ? name : t->columns[k].name);
    }
    return memory->failed ? NULL : names;
}

enum { LONGEST_LIST = 2000 }; /* of units, in a sentence of a ledger */

static void list_units(const tc_row_terms *t, tc_text *out)
{
    tc_text_add(out, "in units of ");
    for (size_t d = 0; d < t->dims; d++) {
        tc_text_addf(out, "%s%s ", d ? ", " : "", t->columns[d].name);
        tc_text_add_double(out, t->columns[d].unit);
    }
}

/* A list that is too long for a sentence is told apart by its hash; released.json has all of it. */
void tc_row_terms_metric(const tc_row_terms *t, tc_text *out)
{
    char hex[2 * TC_LEDGER_HASH_BYTES + 1];
    tc_text list = {0};
    list_units(t, &list);
    if (list.len <= LONGEST_LIST) {
        tc_text_add(out, tc_text_get(&list));
    } else {
        tacit_hash hash = tc_ledger_study_hash(tc_text_get(&list));
        sodium_bin2hex(hex, sizeof hex, hash.bytes, sizeof hash.bytes);
        tc_text_addf(out, "in units of %zu columns, a list with the hash %s", t->dims, hex);
    }
    out->failed = out->failed || list.failed;
    tc_text_fini(&list);
}

/* ---- the promise */

static void add_outputs(const tc_row_terms *t, tc_text *out)
{
    char number[32];
    if (t->output_epsilon == 0) {
        tc_text_add(out, " The values of rows that are asked for, and which rows are, are "
                         "NOT protected.");
        return;
    }
    tacit_epsilon_text(number, t->output_epsilon);
    tc_text_addf(out,
                 " A row whose value is asked for spends epsilon %s more, once. Which rows are "
                 "asked for is NOT protected.",
                 number);
}

void tc_row_terms_caveats(const tc_row_terms *t, tc_text *out)
{
    if (t->rank > 0)
        tc_text_addf(out,
                     " Rows are those after a public projection to %zu directions, which brings "
                     "no two of them farther apart but for rounding, which is counted.",
                     t->rank);
    add_outputs(t, out);
}

void tc_row_cost_statement(const tc_row_cost *c, const tc_row_terms *t, const char *adjacency,
                           tc_text *out)
{
    tacit_guarantee own = {.epsilon = t->epsilon,
                           .delta = c->delta,
                           .accountant = c->delta > 0 ? tc_accountant_gaussian.name
                                                      : tc_accountant_pure.name};
    tc_statement_add_bound(out, &own, 1, TACIT_UNIT_ROW);
    tc_text_addf(out, "Neighbours: %s. Not protected: %s.", adjacency,
                 tc_statement_not_protected(TACIT_UNIT_ROW));
    tc_row_terms_caveats(t, out);
}
