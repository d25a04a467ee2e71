/* value_table.c - objectives from a CSV file of measurements; objective.h describes its columns.
 *
 * One pass over the file sorts its columns: values become numbers, parameters stay text, which the
 * reader of candidates (space/domain.h) then takes. Every complaint names file, row and column as
 * they are in the file. Called by objective.c and family_table.c. */
#include "objective/objective_int.h"

#include "base/csv.h"
#include "base/error.h"
#include "base/file.h"
#include "base/text.h"
#include "space/name.h"

#include <string.h>

/* A limit, so that a name like /dev/zero ends in a sentence. */
#define FILE_MAX ((size_t)1 << 30)

enum { GOAL_MAXIMIZE, GOAL_MINIMIZE };       /* the order of table-goal's choices */
enum { COLUMNS_AGENTS, COLUMNS_REPLICATES }; /* and of table-columns' */

bool tc_value_table_named(const char *name)
{
    return strncmp(name, TC_TABLE_PREFIX, strlen(TC_TABLE_PREFIX)) == 0;
}

/* Is a column called `name` the value V, or V_ and digits? */
static bool holds_values(const char *name, const char *value)
{
    size_t n = strlen(value);
    if (strncmp(name, value, n) != 0)
        return false;
    const char *rest = name + n;
    if (*rest == 0)
        return true;
    return rest[0] == '_' && rest[1] && strspn(rest + 1, "0123456789") == strlen(rest + 1);
}

/* What is read before the number of rows is known. */
typedef struct reading {
    tc_csv csv;
    const char *file, *value;
    bool *is_value; /* of each column */
    size_t columns; /* that are values */
    tc_text params; /* the parameter columns, again as CSV */
    double *cells;  /* the value columns, row by row */
    size_t n_cells, cap;
} reading;

static void reading_fini(reading *r)
{
    tc_csv_fini(&r->csv);
    tc_free(r->is_value);
    tc_text_fini(&r->params);
    tc_free(r->cells);
}

static tacit_status read_name(reading *r, size_t column, tacit_error *err)
{
    const char *name = r->csv.field[column];
    tacit_error why = {0};
    for (size_t i = 0; i < column; i++)
        if (strcmp(r->csv.field[i], name) == 0)
            return tc_csv_fail(&r->csv, column + 1, err,
                               "the name \"%s\" was given to column %zu already", name, i + 1);
    r->is_value[column] = holds_values(name, r->value);
    r->columns += r->is_value[column];
    if (!r->is_value[column] && tc_name_check(name, &why) != TACIT_OK)
        return tc_csv_fail(&r->csv, column + 1, err, "%s", why.msg);
    return TACIT_OK;
}

static tacit_status check_header(const reading *r, tacit_error *err)
{
    if (r->columns == 0)
        return tc_fail(err, TACIT_E_ARG,
                       "%.96s has no column %.64s or %.64s_1: table-value names the value columns",
                       r->file, r->value, r->value);
    if (r->columns == r->csv.width)
        return tc_fail(err, TACIT_E_ARG,
                       "%.96s has value columns only: at least one parameter column is needed",
                       r->file);
    return TACIT_OK;
}

/* The parameter columns of the present record. */
static void keep_params(reading *r)
{
    const char *before = "";
    for (size_t c = 0; c < r->csv.n; c++) {
        if (r->is_value[c])
            continue;
        tc_text_add(&r->params, before);
        tc_text_add_csv(&r->params, r->csv.field[c]);
        before = ",";
    }
    tc_text_add(&r->params, "\n");
}

static tacit_status read_header(reading *r, tacit_error *err)
{
    TC_TRY(tc_csv_next(&r->csv, err));
    if (r->csv.n == 0)
        return tc_fail(err, TACIT_E_ARG, "%.96s is empty: a header with the names is needed",
                       r->file);
    r->is_value = tc_alloc(r->csv.n, sizeof *r->is_value);
    if (!r->is_value)
        return tc_fail_memory(err);
    for (size_t c = 0; c < r->csv.n; c++)
        TC_TRY(read_name(r, c, err));
    keep_params(r);
    return check_header(r, err);
}

static tacit_status read_row(reading *r, tacit_error *err)
{
    if (!tc_grow((void **)&r->cells, &r->cap, r->n_cells + r->columns, sizeof *r->cells))
        return tc_fail_memory(err);
    for (size_t c = 0; c < r->csv.n; c++) {
        double number;
        if (!tc_parse_double(r->csv.field[c], &number))
            return tc_csv_fail(&r->csv, c + 1, err, "a number is needed, got \"%.64s\"",
                               r->csv.field[c]);
        if (r->is_value[c])
            r->cells[r->n_cells++] = number;
    }
    keep_params(r);
    return TACIT_OK;
}

static tacit_status read_all(reading *r, tacit_error *err)
{
    TC_TRY(read_header(r, err));
    for (;;) {
        TC_TRY(tc_csv_next(&r->csv, err));
        if (r->csv.n == 0)
            break;
        TC_TRY(read_row(r, err));
    }
    if (r->n_cells == 0)
        return tc_fail(err, TACIT_E_ARG, "%.96s has a header but no rows", r->file);
    return r->params.failed ? tc_fail_memory(err) : TACIT_OK;
}

static tacit_status take_columns(tc_value_table *t, const reading *r, tacit_error *err)
{
    TC_TRY(tc_domain_from_csv(&t->domain, tc_text_get(&r->params), r->params.len, r->file, err));
    size_t n = t->domain->n;
    t->columns = r->columns;
    t->values = TC_TAKE(&t->memory, n * t->columns, double);
    if (!t->values)
        return tc_fail_memory(err);
    for (size_t i = 0; i < n; i++)
        for (size_t c = 0; c < t->columns; c++)
            t->values[i + c * n] = r->cells[i * t->columns + c];
    return TACIT_OK;
}

static tacit_status average(tc_value_table *t, tacit_error *err)
{
    size_t n = t->domain->n;
    t->means = TC_TAKE(&t->memory, n, double);
    if (!t->means)
        return tc_fail_memory(err);
    for (size_t i = 0; i < n; i++) {
        for (size_t c = 0; c < t->columns; c++)
            t->means[i] += t->values[i + c * n] / (double)t->columns;
    }
    return TACIT_OK;
}

static tacit_status read_text(tc_value_table *t, const char *text, size_t len, const char *file,
                              const char *value, tacit_error *err)
{
    reading r = {.file = file, .value = value};
    tc_csv_init(&r.csv, text, len, file);
    tacit_status status = read_all(&r, err);
    if (status == TACIT_OK)
        status = take_columns(t, &r, err);
    reading_fini(&r);
    return status;
}

static tacit_status build(tc_value_table *t, const char *file, const tc_objective_opts *opts,
                          tacit_error *err)
{
    char *text;
    size_t len;
    TC_TRY(tc_file_read(file, FILE_MAX, &text, &len, err));
    const char *value = opts->table_value ? opts->table_value : "value";
    tacit_status status = read_text(t, text, len, file, value, err);
    tc_free(text);
    if (status == TACIT_OK && opts->table_columns == COLUMNS_REPLICATES)
        status = average(t, err);
    return status;
}

static tacit_status check(const char *file, const tc_objective_opts *opts, tacit_error *err)
{
    if (*file == 0)
        return tc_fail(err, TACIT_E_ARG, "a table needs a file, as in table:FILE.csv");
    if (opts->table_value && !*opts->table_value)
        return tc_fail(err, TACIT_E_ARG, "table-value must name a column, not be empty");
    if (opts->dim || opts->grid || opts->shift != 0)
        return tc_fail(err, TACIT_E_ARG,
                       "a table takes no dim, grid or shift: its rows are the candidates");
    return TACIT_OK;
}

tacit_status tc_value_table_new(tc_value_table **out, const char *name,
                                const tc_objective_opts *opts, tacit_error *err)
{
    const char *file = name + strlen(TC_TABLE_PREFIX);
    TC_TRY(check(file, opts, err));
    tc_value_table *t = tc_alloc(1, sizeof *t);
    if (!t)
        return tc_fail_memory(err);
    t->maximize = opts->table_goal == GOAL_MAXIMIZE;
    tacit_status status = build(t, file, opts, err);
    if (status != TACIT_OK) {
        tc_value_table_free(t);
        return status;
    }
    *out = t;
    return TACIT_OK;
}

void tc_value_table_free(tc_value_table *t)
{
    if (!t)
        return;
    tc_domain_free(t->domain);
    tc_arena_fini(&t->memory);
    tc_free(t);
}

const double *tc_value_table_values(const tc_value_table *t)
{
    return t->means ? t->means : t->values;
}

double tc_value_table_draw(const tc_value_table *t, size_t row, tc_stream *s)
{
    return t->values[row + t->domain->n * tc_draw_below(s, t->columns)];
}
