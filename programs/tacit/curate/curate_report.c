/* curate_report.c - what is said about a release: in the file that leaves, and to the curator.
 *
 * Two promises, each with its own numbers and statement. The file speaks of this release, and must be the
 * same file whenever it is written; how much the ledger has spent by now is for the curator. */
#include "curate/curate_release.h"
#include "privacy/privacy_cli.h"

#include "base/json.h"
#include "wire/released_json.h"

#include <math.h>
#include <string.h>

/* ---- claims */

/* An earlier release without privacy leaves nothing for this one to promise. NULL: there is none. */
static const char *why_not(const tc_curate_release *w, const tc_ledger *l)
{
    if (!w->release.is_private)
        return w->release.not_private;
    for (uint64_t seq = 1; seq <= w->release.head.seq; seq++) {
        const tc_ledger_entry *e = tc_ledger_get(l, seq, NULL);
        if (e->unit == TACIT_UNIT_ROW && !e->is_private)
            return e->not_private;
    }
    return NULL;
}

static tacit_status state_release(tc_curate_release *w, const tc_ledger *l, tacit_error *err)
{
    w->not_private = why_not(w, l);
    w->is_private = !w->not_private;
    if (w->is_private)
        tc_row_cost_statement(&w->cost, &w->terms, w->release.adjacency, &w->statement);
    else
        tc_text_addf(&w->statement, "NOT PRIVATE: %s. There is no guarantee.", w->not_private);
    return w->statement.failed ? tc_fail_memory(err) : TACIT_OK;
}

/* Epsilons add up where no noise has a delta; elsewhere at that of the release, or the usual one. */
static tacit_status claim_of(const tc_curate_release *w, const tc_ledger *l, tc_ledger_claim *out,
                             tacit_error *err)
{
    double n = (double)w->terms.rows;
    double delta = w->terms.delta > 0 ? w->terms.delta : fmin(1e-5, 1 / (n * n));
    if (tc_ledger_guarantee(l, TACIT_UNIT_ROW, NULL, delta, &tc_accountant_pure, out, NULL) ==
        TACIT_OK)
        return TACIT_OK;
    return tc_ledger_guarantee(l, TACIT_UNIT_ROW, NULL, delta, NULL, out, err);
}

tacit_status tc_curate_claims(tc_curate_release *w, const tc_ledger *l, tacit_error *err)
{
    TC_TRY(state_release(w, l, err));
    TC_TRY(claim_of(w, l, &w->claim, err));
    if (w->claim.is_private)
        tc_ledger_statement(l, &w->claim, &w->ledger_statement);
    else
        tc_text_addf(&w->ledger_statement, "NOT PRIVATE: %s. There is no guarantee.",
                     w->claim.not_private);
    return w->ledger_statement.failed ? tc_fail_memory(err) : TACIT_OK;
}

/* ---- the file */

/* Of values that a double does not hold exactly nobody could check the hash. */
static tacit_status check_steps(tc_released *doc, tacit_error *err)
{
    tacit_hash unused;
    tacit_status st = tc_released_hash(doc, &unused, err);
    if (st == TACIT_E_ARG)
        doc->step = NAN;
    return st == TACIT_E_ARG ? TACIT_OK : st;
}

tacit_status tc_curate_release_file(tc_curate_release *w, tacit_error *err)
{
    tc_row_release *r = &w->release;
    bool sound = w->terms.mode == TC_ROW_SOUND;
    tc_released doc = {.name = w->name,
                       .mode = (char *)(uintptr_t)tc_row_mode_name(w->terms.mode),
                       .maximize = w->terms.maximize,
                       .is_private = w->is_private,
                       .not_private = (char *)(uintptr_t)w->not_private,
                       .epsilon = w->terms.epsilon,
                       .delta = w->cost.delta,
                       .statement = (char *)(uintptr_t)tc_text_get(&w->statement),
                       .input_sd = r->input_sd,
                       .output_sd = w->cost.output_sd,
                       .release = r->hash,
                       .ledger = w->ledger,
                       .head = r->head,
                       .n_source = sound ? w->terms.dims : 0,
                       .source = w->terms.columns,
                       .radius = w->terms.radius,
                       .rows = r->rows,
                       .cols = r->cols,
                       .columns = tc_row_terms_released(&w->terms, r->cols, &w->data.memory),
                       .step = r->step,
                       .values = r->values};
    if (!doc.columns)
        return tc_fail_memory(err);
    TC_TRY(check_steps(&doc, err));
    return tc_curate_write(w->o->out, tc_released_encode(&doc), err);
}

/* ---- for the curator */

static json_t *epsilon_json(bool is_private, double epsilon)
{
    return is_private ? tc_privacy_number(epsilon) : json_null();
}

static json_t *ledger_json(const tc_curate_release *w)
{
    const tc_ledger_claim *c = &w->claim;
    return json_pack("{s:s, s:I, s:b, s:o, s:o, s:s}", "name", w->ledger, "entries",
                     (json_int_t)c->entries, "private", (int)c->is_private, "epsilon",
                     epsilon_json(c->is_private, c->bound.epsilon), "delta",
                     epsilon_json(c->is_private, c->bound.delta), "statement",
                     tc_text_get(&w->ledger_statement));
}

static json_t *report_json(const tc_curate_release *w)
{
    const tc_row_release *r = &w->release;
    json_t *j = json_pack(
        "{s:s, s:s, s:b, s:o, s:o, s:s, s:s, s:I, s:I, s:f, s:f, s:b, s:I, s:s, s:s, s:o}", "name",
        w->name, "mode", tc_row_mode_name(w->terms.mode), "private", (int)w->is_private, "epsilon",
        epsilon_json(w->is_private, w->terms.epsilon), "delta",
        epsilon_json(w->is_private, w->cost.delta), "statement", tc_text_get(&w->statement),
        "mechanism", r->mechanism, "rows", (json_int_t)r->rows, "columns", (json_int_t)r->cols,
        "input_sd", r->input_sd, "output_sd", w->cost.output_sd, "again", (int)r->again, "entry",
        (json_int_t)r->head.seq, "out", w->o->out, "secret", w->secret, "ledger", ledger_json(w));
    if (j && w->terms.mode == TC_ROW_PAPER) {
        json_object_set_new(j, "sigma_min", json_real(r->transform.sigma_min));
        json_object_set_new(j, "omega", json_real(r->transform.omega));
        json_object_set_new(j, "branch", json_string(r->transform.raise ? "raise" : "project"));
    }
    return j;
}

/* An epsilon without its statement is in no format. */
static void add_words(const tc_curate_release *w, tc_table *t)
{
    const tc_ledger_claim *c = &w->claim;
    tc_table_text(t, 8, tc_text_get(&w->statement));
    if (c->is_private && isfinite(c->bound.epsilon)) {
        tc_table_number(t, 9, c->bound.epsilon);
        tc_table_number(t, 10, c->bound.delta);
    }
    tc_table_text(t, 11, tc_text_get(&w->ledger_statement));
}

static tacit_status print_table(const tc_curate_release *w, tc_format format, tacit_error *err)
{
    static const char *const names[] = {
        "name",    "mode",     "private",   "epsilon",        "delta",        "rows",
        "columns", "input_sd", "statement", "ledger_epsilon", "ledger_delta", "ledger_statement"};
    const tc_row_release *r = &w->release;
    bool people = format == TC_FORMAT_TABLE;
    tc_table *t = tc_table_new(people ? 8 : 12, names);
    tc_table_text(t, 0, w->name);
    tc_table_text(t, 1, tc_row_mode_name(w->terms.mode));
    tc_table_text(t, 2, w->is_private ? "yes" : "NO");
    if (w->is_private) {
        tc_table_number(t, 3, w->terms.epsilon);
        tc_table_number(t, 4, w->cost.delta);
    }
    tc_table_integer(t, 5, (int64_t)r->rows);
    tc_table_integer(t, 6, (int64_t)r->cols);
    tc_table_number(t, 7, r->input_sd);
    if (!people)
        add_words(w, t);
    tc_table_end_row(t);
    return tc_table_print(t, format, stdout, err);
}

/* "This release: every row: epsilon 2.7, ..." */
static tacit_status print_words(const char *of, const char *name, const char *statement,
                                tacit_error *err)
{
    tc_text text = {0};
    tc_text_addf(&text, "%s%s: %s", of, name, statement);
    if (!text.failed) {
        putchar('\n');
        tc_privacy_paragraph(tc_text_get(&text));
    }
    tacit_status st = text.failed ? tc_fail_memory(err) : TACIT_OK;
    tc_text_fini(&text);
    return st;
}

tacit_status tc_curate_report(const tc_curate_release *w, tacit_error *err)
{
    int format = w->in->format;
    if (format == TC_FORMAT_JSON || format == TC_FORMAT_JSONL)
        return tc_privacy_print_json(report_json(w), false, err);
    TC_TRY(print_table(w, (tc_format)format, err));
    if (format == TC_FORMAT_TABLE) {
        TC_TRY(print_words("This release", "", tc_text_get(&w->statement), err));
        TC_TRY(print_words("The whole ledger ", w->ledger, tc_text_get(&w->ledger_statement), err));
    }
    tc_note(w->in->quiet, "tacit: %s may leave; %s must not%s", w->o->out, w->secret,
            w->release.again ? " (released before: nothing was spent)" : "");
    return TACIT_OK;
}
