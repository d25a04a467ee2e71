/* domain_csv.c - candidates from CSV: a header of names, one candidate per row. */
#include "space/domain_int.h"

#include "base/csv.h"
#include "base/error.h"
#include "base/file.h"
#include "base/text.h"
#include "space/name.h"

#include <string.h>

/* What is read before its size is known. */
typedef struct table {
    tc_csv csv;
    size_t dim;
    char **names;
    double *cells; /* row by row */
    size_t n_cells, cap;
} table;

static void table_fini(table *t)
{
    for (size_t i = 0; t->names && i < t->dim; i++)
        tc_free(t->names[i]);
    tc_free(t->names);
    tc_free(t->cells);
    tc_csv_fini(&t->csv);
}

static tacit_status read_name(table *t, size_t column, tacit_error *err)
{
    const char *name = t->csv.field[column];
    tacit_error why = {0};
    if (tc_name_check(name, &why) != TACIT_OK)
        return tc_csv_fail(&t->csv, column + 1, err, "%s", why.msg);
    for (size_t i = 0; i < column; i++)
        if (strcmp(t->names[i], name) == 0)
            return tc_csv_fail(&t->csv, column + 1, err,
                               "the name \"%s\" was given to column %zu already", name, i + 1);
    t->names[column] = tc_strdup(name);
    return t->names[column] ? TACIT_OK : tc_fail_memory(err);
}

static tacit_status read_header(table *t, tacit_error *err)
{
    TC_TRY(tc_csv_next(&t->csv, err));
    if (t->csv.n == 0)
        return tc_fail(err, TACIT_E_ARG, "%.96s is empty: a header with the names is needed",
                       t->csv.what);
    t->names = tc_alloc(t->csv.n, sizeof *t->names);
    if (!t->names)
        return tc_fail_memory(err);
    t->dim = t->csv.n;
    for (size_t column = 0; column < t->dim; column++)
        TC_TRY(read_name(t, column, err));
    return TACIT_OK;
}

static tacit_status read_row(table *t, tacit_error *err)
{
    if (!tc_grow((void **)&t->cells, &t->cap, t->n_cells + t->dim, sizeof *t->cells))
        return tc_fail_memory(err);
    for (size_t column = 0; column < t->dim; column++) {
        const char *field = t->csv.field[column];
        if (!tc_parse_double(field, &t->cells[t->n_cells + column]))
            return tc_csv_fail(&t->csv, column + 1, err, "%s must be a number, got \"%.64s\"",
                               t->names[column], field);
    }
    t->n_cells += t->dim;
    return TACIT_OK;
}

static tacit_status read_table(table *t, tacit_error *err)
{
    TC_TRY(read_header(t, err));
    for (;;) {
        TC_TRY(tc_csv_next(&t->csv, err));
        if (t->csv.n == 0)
            break;
        TC_TRY(read_row(t, err));
    }
    if (t->n_cells == 0)
        return tc_fail(err, TACIT_E_ARG, "%.96s has a header but no rows", t->csv.what);
    return TACIT_OK;
}

static tacit_status make_domain(tc_domain **out, const table *t, tacit_error *err)
{
    tc_domain *d = NULL;
    TC_TRY(tc_domain_new(&d, t->n_cells / t->dim, t->dim, err));
    for (size_t axis = 0; axis < d->dim; axis++) {
        d->names[axis] = tc_arena_strdup(&d->memory, t->names[axis]);
        for (size_t i = 0; i < d->n; i++)
            d->raw[i + axis * d->n] = t->cells[i * d->dim + axis];
    }
    tacit_status status = TACIT_OK;
    if (d->memory.failed)
        status = tc_fail_memory(err);
    else if ((status = tc_domain_finish(d, err)) != TACIT_OK)
        tc_fail_in(err, "%.96s", t->csv.what);
    if (status != TACIT_OK)
        tc_domain_free(d);
    else
        *out = d;
    return status;
}

tacit_status tc_domain_from_csv(tc_domain **out, const char *text, size_t len, const char *what,
                                tacit_error *err)
{
    table t = {0};
    tc_csv_init(&t.csv, text, len, what);
    tacit_status status = read_table(&t, err);
    if (status == TACIT_OK)
        status = make_domain(out, &t, err);
    table_fini(&t);
    return status;
}

/* A limit, so that a name like /dev/zero ends in a sentence. */
#define FILE_MAX ((size_t)1 << 30)

tacit_status tc_domain_read_csv(tc_domain **out, const char *file, tacit_error *err)
{
    char *text;
    size_t len;
    TC_TRY(tc_file_read(file, FILE_MAX, &text, &len, err));
    tacit_status status = tc_domain_from_csv(out, text, len, file, err);
    tc_free(text);
    return status;
}
