/* import.c - `tacit import`: earlier results from a CSV file, all or nothing.
 *
 * A column is a parameter (x, or Optuna's params_x), "value" or "state"; others
 * are passed over. Rows whose state is not COMPLETE carry no result and are
 * counted, not read. */
#include "base/csv.h"
#include "base/file.h"
#include "base/memory.h"
#include "base/text.h"
#include "frame/point.h"
#include "study/study_ref.h"
#include "frame/verbs.h"

#include <stddef.h>
#include <string.h>

typedef struct options {
    char *storage;
} options;

static const tc_option table[] = {TC_STORAGE_OPTION(options), {.name = NULL}};

#define MOST_BYTES ((size_t)1 << 30)
#define NO_COLUMN  SIZE_MAX

typedef struct import {
    tc_csv csv;
    tc_point point;
    size_t *what;        /* by column: what it sets in the point, or NO_COLUMN */
    size_t value, state; /* columns */
    double *values, *y;  /* rows read so far */
    size_t n, skipped, values_cap, y_cap;
} import;

/* ---- the header */

/* No parameter's own name begins so, nor is it "value" or "state" (space/name.c). */
static const char *param_of(const char *column)
{
    return strncmp(column, "params_", 7) == 0 ? column + 7 : column;
}

static tacit_status check_twice(const import *m, size_t column, tacit_error *err)
{
    for (size_t k = 0; k < column; k++)
        if (m->what[k] != NO_COLUMN && m->what[k] == m->what[column])
            return tc_csv_fail(&m->csv, column + 1, err, "%s gives %s a second time",
                               m->csv.field[column], param_of(m->csv.field[k]));
    return TACIT_OK;
}

static tacit_status read_header(import *m, tacit_error *err)
{
    TC_TRY(tc_csv_next(&m->csv, err));
    m->value = m->state = NO_COLUMN;
    m->what = tc_alloc(m->csv.n + 1, sizeof *m->what);
    if (!m->what)
        return tc_fail_memory(err);
    for (size_t k = 0; k < m->csv.n; k++) {
        const char *name = m->csv.field[k];
        m->what[k] = tc_point_find(&m->point, param_of(name));
        TC_TRY(check_twice(m, k, err));
        if (strcmp(name, "value") == 0)
            m->value = k;
        if (strcmp(name, "state") == 0)
            m->state = k;
    }
    if (m->value == NO_COLUMN)
        return tc_fail(err, TACIT_E_ARG, "%s: the header has no column \"value\"", m->csv.what);
    return TACIT_OK;
}

/* Before any row: a parameter without a column is a mistake of the header. */
static tacit_status check_columns(const import *m, tacit_error *err)
{
    const tacit_space *s = m->point.space;
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

static tacit_status keep_row(import *m, double y, tacit_error *err)
{
    size_t d = tacit_space_params(m->point.space);
    if (!tc_grow((void **)&m->values, &m->values_cap, (m->n + 1) * d, sizeof *m->values) ||
        !tc_grow((void **)&m->y, &m->y_cap, m->n + 1, sizeof *m->y))
        return tc_fail_memory(err);
    memcpy(m->values + m->n * d, m->point.values, d * sizeof *m->values);
    m->y[m->n++] = y;
    return TACIT_OK;
}

static tacit_status read_row(import *m, tacit_error *err)
{
    const tc_csv *c = &m->csv;
    double y;
    tacit_error why;
    if (m->state != NO_COLUMN && strcmp(c->field[m->state], "COMPLETE") != 0) {
        m->skipped++;
        return TACIT_OK;
    }
    tc_point_start(&m->point, NULL);
    for (size_t k = 0; k < c->n; k++)
        if (m->what[k] != NO_COLUMN &&
            tc_point_set(&m->point, m->what[k], c->field[k], &why) != TACIT_OK)
            return tc_csv_fail(c, k + 1, err, "%s", why.msg);
    if (tc_point_end(&m->point, &why) != TACIT_OK)
        return tc_csv_fail(c, 0, err, "%s", why.msg);
    if (!tc_parse_double(c->field[m->value], &y))
        return tc_csv_fail(c, m->value + 1, err, "value must be a finite number, got \"%s\"",
                           c->field[m->value]);
    return keep_row(m, y, err);
}

static tacit_status read_all(import *m, tacit_error *err)
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

static tacit_status print(const import *m, int format, tacit_error *err)
{
    static const char *const names[] = {"imported", "skipped"};
    tc_table *t = tc_table_new(2, names);
    tc_table_integer(t, 0, (int64_t)m->n);
    tc_table_integer(t, 1, (int64_t)m->skipped);
    tc_table_end_row(t);
    return tc_table_print(t, (tc_format)(format == TC_FORMAT_JSON ? TC_FORMAT_JSONL : format),
                          stdout, err);
}

/* A locally private study takes the replies of users, which it cannot tell from rewards for sure. */
static tacit_status check_replies(const import *m, const tacit_document *doc, bool quiet,
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

/* Reads and checks the whole file for this study; nothing is written yet. */
static tacit_status prepare(import *m, const tacit_document *doc, const tc_invocation *in,
                            char **text, tacit_error *err)
{
    size_t len;
    TC_TRY(tc_file_read(in->args[1], MOST_BYTES, text, &len, err));
    TC_TRY(tc_point_init(&m->point, tacit_document_space(doc), err));
    tc_csv_init(&m->csv, *text, len, in->args[1]);
    TC_TRY(read_all(m, err));
    return check_replies(m, doc, in->quiet, err);
}

/* A document's space is known before its study exists, so bad rows create nothing. */
static tacit_status import_file(tc_study_ref *r, import *m, const tc_invocation *in, char **text,
                                tacit_error *err)
{
    const options *o = in->opts;
    const char *server;
    /* Into a storage only, also where TACIT_SERVER is set. */
    const tc_where where = {.storage = (char *)tc_storage_url(o->storage)};
    const tc_study_terms terms = {.create = true, .threads = 1, .quiet = in->quiet};
    TC_TRY(tc_where_server(&where, &server, err));
    if (server) /* before a document's study is made there */
        return tc_fail(err, TACIT_E_UNSUPPORTED,
                       "a coordinator takes no earlier results: import them into its storage");
    TC_TRY(tc_study_ref_name(r, in->args[0], err));
    if (r->given)
        TC_TRY(prepare(m, r->given, in, text, err));
    TC_TRY(tc_study_ref_open(r, in->args[0], &where, &terms, err));
    if (!r->given)
        TC_TRY(prepare(m, tacit_study_document(r->study), in, text, err));
    TC_TRY(tacit_study_import(r->study, m->n, m->values, m->y, err));
    return print(m, in->format, err);
}

static tacit_status run(const tc_invocation *in, tacit_error *err)
{
    tc_study_ref r = {0};
import m = {0 };
    char *text = NULL;
    tacit_status status = import_file(&r, &m, in, &text, err);
    tc_csv_fini(&m.csv);
    tc_point_fini(&m.point);
    tc_free(m.what);
    tc_free(m.values);
    tc_free(m.y);
    tc_free(text);
    tc_study_ref_close(&r);
    return status;
}

const tc_verb tc_verb_import = {
    .name = "import",
    .usage = "STUDY FILE.csv [options]",
    .summary = "add earlier results to a study, from a CSV file",
    .details = "The header names the columns: one per parameter (x, or params_x as Optuna and\n"
               "tacit export write it), \"value\", and perhaps \"state\"; others are passed over.\n"
               "Rows whose state is not COMPLETE are skipped and counted. One bad row, and\n"
               "nothing is imported. A study document as STUDY creates the study if need be.\n"
               "Of a study with ldp-* the values are private replies, never rewards.\n"
               "\n"
               "  tacit import study.json earlier.csv",
    .options = table,
    .options_size = sizeof(options),
    .min_args = 2,
    .max_args = 2,
    .run = run};
