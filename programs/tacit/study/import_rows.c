/* import_rows.c - see import_rows.h. */
#include "study/import_rows.h"

#include "base/csv.h"
#include "base/file.h"
#include "base/memory.h"
#include "base/text.h"
#include "study/import.h"
#include "study/trial_rows.h"

#include <string.h>

#define MOST_BYTES ((size_t)1 << 30)
#define NO_COLUMN  SIZE_MAX

typedef struct table_rows {
    tc_import *into;
    tc_csv csv;
    size_t *what;                      /* by column: what it sets in the point, or NO_COLUMN */
    size_t state;                      /* column */
    size_t outcome[TC_OUTCOME_PLACES]; /* columns */
} table_rows;

/* ---- the header */

/* No parameter's own name begins so, nor is it "value" or "state" (space/name.c). */
static const char *param_of(const char *column)
{
    return strncmp(column, "params_", 7) == 0 ? column + 7 : column;
}

static tacit_status check_twice(const table_rows *m, size_t column, tacit_error *err)
{
    for (size_t k = 0; k < column; k++)
        if (m->what[k] != NO_COLUMN && m->what[k] == m->what[column])
            return tc_csv_fail(&m->csv, column + 1, err, "%s gives %s a second time",
                               m->csv.field[column], param_of(m->csv.field[k]));
    return TACIT_OK;
}

static size_t find_column(const table_rows *m, const char *prefix, const char *name)
{
    const size_t skip = strlen(prefix);
    for (size_t k = 0; k < m->csv.n; k++)
        if (strncmp(m->csv.field[k], prefix, skip) == 0 &&
            strcmp(m->csv.field[k] + skip, name) == 0)
            return k;
    return NO_COLUMN;
}

/* By its name, or as tacit export writes it; the first objective is "value" as well, where it has no other column. */
static tacit_status find_outcome(table_rows *m, size_t i, tacit_error *err)
{
    const char *name = m->into->outcomes.of[i].name;
    const size_t exported = find_column(m, TC_OUTCOME_COLUMN, name),
                 bare = find_column(m, "", name);
    if (exported != NO_COLUMN && bare != NO_COLUMN)
        return tc_fail(err, TACIT_E_ARG, "%s: " TC_OUTCOME_COLUMN "%s gives %s a second time",
                       m->csv.what, name, name);
    m->outcome[i] = exported != NO_COLUMN ? exported : bare;
    if (i == 0 && m->outcome[i] == NO_COLUMN)
        m->outcome[i] = find_column(m, "", "value");
    if (m->outcome[i] != NO_COLUMN)
        return TACIT_OK;
    if (m->into->outcomes.n == 1)
        return tc_fail(err, TACIT_E_ARG, "%s: the header has no column \"value\"", m->csv.what);
    return tc_fail(err, TACIT_E_ARG,
                   "%s: the header has no column for the outcome %s (\"%s\" or \"" TC_OUTCOME_COLUMN
                   "%s\")",
                   m->csv.what, name, name, name);
}

static tacit_status read_header(table_rows *m, tacit_error *err)
{
    TC_TRY(tc_csv_next(&m->csv, err));
    m->state = NO_COLUMN;
    m->what = tc_alloc(m->csv.n + 1, sizeof *m->what);
    if (!m->what)
        return tc_fail_memory(err);
    for (size_t k = 0; k < m->csv.n; k++) {
        const char *name = m->csv.field[k];
        m->what[k] = tc_point_find(&m->into->point, param_of(name));
        TC_TRY(check_twice(m, k, err));
        if (strcmp(name, "state") == 0)
            m->state = k;
    }
    for (size_t i = 0; i < m->into->outcomes.n; i++)
        TC_TRY(find_outcome(m, i, err));
    return TACIT_OK;
}

/* Before any row: a parameter without a column is a mistake of the header. */
static tacit_status check_columns(const table_rows *m, tacit_error *err)
{
    const tacit_space *s = m->into->point.space;
    size_t n = tacit_space_params(s);
    bool finite = tacit_space_columns(s) > n; /* its candidates have several ways to be named */
    for (size_t i = 0; i < n && !finite; i++) {
        const char *name = tacit_space_param_name(s, i);
        bool found = false;
        for (size_t k = 0; k < m->csv.n; k++)
            found |= m->what[k] == i;
        if (!found)
            return tc_fail(err, TACIT_E_ARG,
                           "%s: the header has no column for the parameter %s (\"%s\" or "
                           "\"params_%s\")",
                           m->csv.what, name, name, name);
    }
    return TACIT_OK;
}

/* ---- the rows */

tacit_status tc_import_keep(tc_import *m, const double *outcomes, tacit_error *err)
{
    const size_t d = tacit_space_params(m->point.space), each = m->outcomes.n;
    if (!tc_grow((void **)&m->values, &m->values_cap, (m->n + 1) * d, sizeof *m->values) ||
        !tc_grow((void **)&m->y, &m->y_cap, (m->n + 1) * each, sizeof *m->y))
        return tc_fail_memory(err);
    memcpy(m->values + m->n * d, m->point.values, d * sizeof *m->values);
    memcpy(m->y + m->n * each, outcomes, each * sizeof *m->y);
    m->n++;
    return TACIT_OK;
}

static tacit_status read_outcomes(const table_rows *m, double *out, tacit_error *err)
{
    const tc_csv *c = &m->csv;
    for (size_t i = 0; i < m->into->outcomes.n; i++) {
        const size_t k = m->outcome[i];
        if (!tc_parse_double(c->field[k], &out[i]))
            return tc_csv_fail(c, k + 1, err, "%s must be a finite number, got \"%s\"",
                               m->into->outcomes.of[i].name, c->field[k]);
    }
    return TACIT_OK;
}

static tacit_status read_row(table_rows *m, tacit_error *err)
{
    const tc_csv *c = &m->csv;
    double outcomes[TC_OUTCOME_PLACES];
    tacit_error why;
    if (m->state != NO_COLUMN && strcmp(c->field[m->state], "COMPLETE") != 0) {
        m->into->skipped++;
        return TACIT_OK;
    }
    tc_point_start(&m->into->point, NULL);
    for (size_t k = 0; k < c->n; k++)
        if (m->what[k] != NO_COLUMN &&
            tc_point_set(&m->into->point, m->what[k], c->field[k], &why) != TACIT_OK)
            return tc_csv_fail(c, k + 1, err, "%s", why.msg);
    if (tc_point_end(&m->into->point, &why) != TACIT_OK)
        return tc_csv_fail(c, 0, err, "%s", why.msg);
    TC_TRY(read_outcomes(m, outcomes, err));
    return tc_import_keep(m->into, outcomes, err);
}

static tacit_status read_all(table_rows *m, tacit_error *err)
{
    TC_TRY(read_header(m, err));
    TC_TRY(check_columns(m, err));
    for (;;) {
        TC_TRY(tc_csv_next(&m->csv, err));
        if (m->csv.n == 0)
            return TACIT_OK;
        TC_TRY(read_row(m, err));
    }
}

static tacit_status read_csv(tc_import *m, const char *text, size_t len, const char *file,
                             tacit_error *err)
{
    table_rows rows = {.into = m};
    tc_csv_init(&rows.csv, text, len, file);
    tacit_status status = read_all(&rows, err);
    tc_csv_fini(&rows.csv);
    tc_free(rows.what);
    return status;
}

/* ---- the file */

static tacit_status read_file(tc_import *m, const char *file, char **text, tacit_error *err)
{
    size_t len;
    TC_TRY(tc_file_read(file, MOST_BYTES, text, &len, err));
    if (tc_ends_in(file, ".jsonl"))
        return tc_import_json_lines(m, *text, len, file, err);
    return tc_ends_in(file, ".json") ? tc_import_json(m, *text, len, file, err)
                                     : read_csv(m, *text, len, file, err);
}

/* A locally private study takes the replies of users, which it cannot tell from rewards for sure. */
static tacit_status check_replies(const tc_import *m, const tacit_document *doc, bool quiet,
                                  tacit_error *err)
{
    if (!tacit_document_takes_replies(doc))
        return TACIT_OK;
    for (size_t i = 0; i < m->n; i++)
        TC_TRY(tacit_document_check_reply(doc, m->y[i], err));
    tc_note(quiet, "%s is told private replies: the values are taken for replies, not for rewards",
            tacit_document_algorithm(doc));
    return TACIT_OK;
}

static tacit_status read_document(tc_import *m, const tacit_document *doc, const char *file,
                                  bool quiet, char **text, tacit_error *err)
{
    tc_outcome_words_of(&m->outcomes, doc);
    TC_TRY(tc_point_init(&m->point, tacit_document_space(doc), err));
    TC_TRY(read_file(m, file, text, err));
    return check_replies(m, doc, quiet, err);
}

tacit_status tc_import_read(tc_import_rows *out, const tacit_document *doc, const char *file,
                            bool quiet, tacit_error *err)
{
    tc_import m = {0};
    char *text = NULL;
    tacit_status status = read_document(&m, doc, file, quiet, &text, err);
    tc_point_fini(&m.point);
    tc_free(text);
    *out = (tc_import_rows){.values = m.values, .y = m.y, .n = m.n, .skipped = m.skipped};
    return status;
}

void tc_import_fini(tc_import_rows *r)
{
    tc_free(r->values);
    tc_free(r->y);
    *r = (tc_import_rows){0};
}
