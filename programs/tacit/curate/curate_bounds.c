/* curate_bounds.c - see curate_bounds.h. Bounds are never read from the data. */
#include "curate/curate_bounds.h"

#include "base/csv.h"
#include "base/file.h"

#include <math.h>
#include <string.h>

enum { LARGEST = 1 << 20 };

typedef struct bounds {
    const tc_data *data;
    tacit_row_column *columns; /* low is NaN where none are known yet */
} bounds;

static tacit_row_column *find(const bounds *b, const char *name, size_t len)
{
    for (size_t k = 0; k < b->data->dims; k++)
        if (strlen(b->columns[k].name) == len && memcmp(b->columns[k].name, name, len) == 0)
            return &b->columns[k];
    return NULL;
}

/* The number before the next colon or the end; *at moves behind it. */
static bool take_number(const char **at, double *out)
{
    size_t n = strcspn(*at, ":");
    char text[64];
    if (n >= sizeof text)
        return false;
    memcpy(text, *at, n);
    text[n] = '\0';
    *at += n;
    return tc_parse_double(text, out);
}

static bool take_colon(const char **at)
{
    *at += **at == ':';
    return (*at)[-1] == ':';
}

static tacit_status take_word(const bounds *b, const char *word, tacit_error *err)
{
    const char *at = strchr(word, '=') + 1;
    tacit_row_column *c = find(b, word, (size_t)(at - 1 - word)), made;
    if (!c)
        return tc_fail(err, TACIT_E_ARG, "--bounds %.80s: there is no released column of that name",
                       word);
    made = *c;
    made.unit = 1;
    bool ok = take_number(&at, &made.low) && take_colon(&at) && take_number(&at, &made.high);
    if (ok && *at)
        ok = take_colon(&at) && take_number(&at, &made.unit);
    if (!ok || *at)
        return tc_fail(err, TACIT_E_ARG,
                       "--bounds must be COLUMN=LOW:HIGH or COLUMN=LOW:HIGH:UNIT, got \"%.80s\"",
                       word);
    *c = made;
    return TACIT_OK;
}

static tacit_status take_record(const bounds *b, const tc_csv *csv, tacit_error *err)
{
    tacit_row_column *c = find(b, csv->field[0], strlen(csv->field[0]));
    if (!c)
        return TACIT_OK; /* a file may serve several data sets */
    double *to[] = {&c->low, &c->high, &c->unit};
    c->unit = 1;
    for (size_t i = 1; i < csv->n && i <= sizeof to / sizeof *to; i++)
        if (!tc_parse_double(csv->field[i], to[i - 1]))
            return tc_csv_fail(csv, i + 1, err, "bounds and units must be numbers");
    return TACIT_OK;
}

static tacit_status take_records(const bounds *b, tc_csv *csv, tacit_error *err)
{
    static const char *const header[] = {"column", "low", "high", "unit"};
    TC_TRY(tc_csv_next(csv, err));
    bool ok = csv->n == 3 || csv->n == 4;
    for (size_t i = 0; i < csv->n && ok; i++)
        ok = strcmp(csv->field[i], header[i]) == 0;
    if (!ok)
        return tc_csv_fail(csv, 0, err,
                           "the header must be column,low,high or column,low,high,unit");
    for (;;) {
        TC_TRY(tc_csv_next(csv, err));
        if (csv->n == 0)
            return TACIT_OK;
        TC_TRY(take_record(b, csv, err));
    }
}

static tacit_status take_file(const bounds *b, const char *file, tacit_error *err)
{
    char *text = NULL;
    size_t len = 0;
    tc_csv csv;
    TC_TRY(tc_file_read(file, LARGEST, &text, &len, err));
    tc_csv_init(&csv, text, len, file);
    tacit_status status = take_records(b, &csv, err);
    tc_csv_fini(&csv);
    tc_free(text);
    return status;
}

static tacit_status check_all(const bounds *b, tacit_error *err)
{
    for (size_t k = 0; k < b->data->dims; k++)
        if (isnan(b->columns[k].low))
            return tc_fail(
                err, TACIT_E_ARG,
                "column \"%.64s\" has no public bounds: give --bounds %.64s=LOW:HIGH, or "
                "leave it out by --columns; they are never read from the data",
                b->columns[k].name, b->columns[k].name);
    return TACIT_OK;
}

tacit_status tc_bounds_find(tc_data *d, size_t n_words, char **words, const char *file, bool needed,
                            tacit_row_column **out, tacit_error *err)
{
    bounds b = {.data = d, .columns = TC_TAKE(&d->memory, d->dims, tacit_row_column)};
    if (!b.columns)
        return tc_fail_memory(err);
    for (size_t k = 0; k < d->dims; k++)
        b.columns[k] = (tacit_row_column){.name = d->names[k], .low = NAN, .high = NAN, .unit = 1};
    if (file)
        TC_TRY(take_file(&b, file, err));
    for (size_t i = 0; i < n_words; i++)
        TC_TRY(take_word(&b, words[i], err));
    if (needed)
        TC_TRY(check_all(&b, err));
    for (size_t k = 0; k < d->dims; k++)
        if (isnan(b.columns[k].low))
            b.columns[k].low = b.columns[k].high = 0;
    *out = b.columns;
    return TACIT_OK;
}
