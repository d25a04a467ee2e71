/* curate_data.c - the curator's data set: a CSV file with a header and one record in a row.
 *
 * Columns that are neither released nor the value (identifiers, names) may hold anything. */
#include "curate/curate.h"

#include "base/csv.h"
#include "base/file.h"

#include <math.h>
#include <string.h>

enum { LARGEST = 1 << 30 };
#define NO_COLUMN SIZE_MAX

typedef struct reader {
    tc_data *out;
    tc_csv csv;
    size_t *at;      /* dims: where in a record a released column is */
    size_t value_at; /* or NO_COLUMN */
    size_t x_cap, y_cap;
} reader;

static size_t find_field(const tc_csv *c, const char *name)
{
    for (size_t i = 0; i < c->n; i++)
        if (strcmp(c->field[i], name) == 0)
            return i;
    return NO_COLUMN;
}

static tacit_status add_column(reader *r, const char *name, tacit_error *err)
{
    tc_data *d = r->out;
    size_t at = find_field(&r->csv, name);
    if (at == NO_COLUMN)
        return tc_csv_fail(&r->csv, 0, err, "there is no column \"%.64s\"", name);
    for (size_t k = 0; k < d->dims; k++)
        if (r->at[k] == at)
            return tc_csv_fail(&r->csv, at + 1, err, "column \"%.64s\" stands there twice", name);
    d->names[d->dims] = tc_arena_strdup(&d->memory, name);
    r->at[d->dims++] = at;
    return d->memory.failed ? tc_fail_memory(err) : TACIT_OK;
}

/* "a,b,c" */
static tacit_status add_listed(reader *r, const char *list, tacit_error *err)
{
    for (const char *at = list;; at++) {
        size_t n = strcspn(at, ",");
        char *name = tc_strndup(at, n);
        tacit_status status = name ? add_column(r, name, err) : tc_fail_memory(err);
        tc_free(name);
        TC_TRY(status);
        at += n;
        if (*at == '\0')
            return TACIT_OK;
    }
}

static tacit_status read_header(reader *r, const char *columns, const char *value, tacit_error *err)
{
    tc_data *d = r->out;
    TC_TRY(tc_csv_next(&r->csv, err));
    if (r->csv.n == 0)
        return tc_fail(err, TACIT_E_ARG,
                       "%.200s is empty: a data set has a header and one record in a row",
                       r->csv.what);
    d->names = TC_TAKE(&d->memory, r->csv.n + 1, const char *);
    r->at = TC_TAKE(&d->memory, r->csv.n + 1, size_t);
    if (d->memory.failed)
        return tc_fail_memory(err);
    r->value_at = find_field(&r->csv, value ? value : "value");
    if (value && r->value_at == NO_COLUMN)
        return tc_csv_fail(&r->csv, 0, err, "there is no column \"%.64s\"", value);
    if (columns)
        return add_listed(r, columns, err);
    for (size_t i = 0; i < r->csv.n; i++)
        if (i != r->value_at)
            TC_TRY(add_column(r, r->csv.field[i], err));
    return TACIT_OK;
}

static tacit_status read_value(reader *r, double *out, tacit_error *err)
{
    const char *text = r->csv.field[r->value_at];
    *out = NAN;
    if (*text && !tc_parse_double(text, out))
        return tc_csv_fail(&r->csv, r->value_at + 1, err, "the value must be a number, or empty");
    return TACIT_OK;
}

static tacit_status read_record(reader *r, tacit_error *err)
{
    tc_data *d = r->out;
    if (!tc_grow((void **)&d->x, &r->x_cap, (d->n + 1) * d->dims, sizeof *d->x) ||
        !tc_grow((void **)&d->y, &r->y_cap, d->n + 1, sizeof *d->y))
        return tc_fail_memory(err);
    for (size_t k = 0; k < d->dims; k++)
        if (!tc_parse_double(r->csv.field[r->at[k]], &d->x[d->n * d->dims + k]))
            return tc_csv_fail(&r->csv, r->at[k] + 1, err,
                               "column \"%.64s\" is to be released and must be a number",
                               d->names[k]);
    if (r->value_at != NO_COLUMN)
        TC_TRY(read_value(r, &d->y[d->n], err));
    d->n++;
    return TACIT_OK;
}

static tacit_status read_all(reader *r, const char *columns, const char *value, tacit_error *err)
{
    TC_TRY(read_header(r, columns, value, err));
    if (r->out->dims == 0)
        return tc_csv_fail(&r->csv, 0, err, "there is no column to release");
    for (;;) {
        TC_TRY(tc_csv_next(&r->csv, err));
        if (r->csv.n == 0)
            break;
        TC_TRY(read_record(r, err));
    }
    if (r->out->n == 0)
        return tc_csv_fail(&r->csv, 0, err, "there is no row after the header");
    if (r->value_at == NO_COLUMN) {
        tc_free(r->out->y);
        r->out->y = NULL;
    }
    return TACIT_OK;
}

tacit_status tc_data_read(tc_data *out, const char *file, const char *columns, const char *value,
                          tacit_error *err)
{
    tc_data d = {0};
    char *text = NULL;
    size_t len = 0;
    TC_TRY(tc_file_read(file, LARGEST, &text, &len, err));
    reader r = {.out = &d, .value_at = NO_COLUMN};
    tc_csv_init(&r.csv, text, len, file);
    tacit_status status = read_all(&r, columns, value, err);
    tc_csv_fini(&r.csv);
    tc_free(text);
    if (status == TACIT_OK)
        *out = d;
    else
        tc_data_fini(&d);
    return status;
}

void tc_data_fini(tc_data *d)
{
    tc_free(d->x);
    tc_free(d->y);
    tc_arena_fini(&d->memory);
    *d = (tc_data){0};
}

/* ---- one record as text */

/* Of a record that is shorter than the header the fields that are missing are NULL. */
static char **copy_row(const tc_csv *csv, size_t n, tc_arena *memory)
{
    char **out = TC_TAKE(memory, n + 1, char *); /* one more for the number */
    for (size_t i = 0; i < n && i < csv->n && out; i++)
        out[i] = tc_arena_strdup(memory, csv->field[i]);
    return out;
}

static tacit_status read_fields(tc_csv *csv, size_t number, tc_arena *memory, tacit_row_record *out,
                                tacit_error *err)
{
    char text[32];
    TC_TRY(tc_csv_next(csv, err));
    bool numbered = find_field(csv, "record") != NO_COLUMN;
    size_t n = csv->n;
    char **names = copy_row(csv, n, memory);
    for (size_t i = 0; i <= number; i++)
        TC_TRY(tc_csv_next(csv, err));
    char **fields = copy_row(csv, n, memory);
    if (memory->failed)
        return tc_fail_memory(err);
    if (!numbered) {
        snprintf(text, sizeof text, "%zu", number + 1);
        names[n] = tc_arena_strdup(memory, "record");
        fields[n++] = tc_arena_strdup(memory, text);
    }
    *out = (tacit_row_record){n, names, fields};
    return memory->failed ? tc_fail_memory(err) : TACIT_OK;
}

tacit_status tc_data_record(const char *file, size_t number, tc_arena *memory,
                            tacit_row_record *out, tacit_error *err)
{
    char *text = NULL;
    size_t len = 0;
    tc_csv csv;
    TC_TRY(tc_file_read(file, LARGEST, &text, &len, err));
    tc_csv_init(&csv, text, len, file);
    tacit_status status = read_fields(&csv, number, memory, out, err);
    tc_csv_fini(&csv);
    tc_free(text);
    return status;
}
