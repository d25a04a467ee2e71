/* released_json.c - the release as a file. See released_json.h. */
#include "wire/released_json.h"

#include "algo/outsourced/outsourced.h"
#include "base/api.h"
#include "base/error.h"
#include "wire/released_int.h"

#include <math.h>
#include <string.h>

#define KIND "released-rows"

enum { MOST_VALUES = 1 << 28, MOST_COLUMNS = TC_RELEASED_COLUMNS_MAX, MOST_SOURCE = 1 << 20 };

/* ---- writing */

static json_t *columns_json(const tc_released *r)
{
    json_t *list = json_array();
    for (size_t k = 0; k < r->cols && list; k++)
        if (json_array_append_new(list, json_string(r->columns[k])) != 0) {
            json_decref(list);
            return NULL;
        }
    return list;
}

static json_t *row_json(const double *x, size_t n)
{
    json_t *list = json_array();
    for (size_t k = 0; k < n && list; k++)
        if (json_array_append_new(list, json_real(x[k])) != 0) {
            json_decref(list);
            return NULL;
        }
    return list;
}

static json_t *rows_json(const tc_released *r)
{
    json_t *list = json_array();
    for (size_t i = 0; i < r->rows && list; i++)
        if (json_array_append_new(list, row_json(r->values + i * r->cols, r->cols)) != 0) {
            json_decref(list);
            return NULL;
        }
    return list;
}

static json_t *head_json(const tc_released *r)
{
    char hash[TC_HASH_TEXT];
    tc_hash_text(hash, &r->head.hash);
    return json_pack("{s:s, s:I, s:s}", "name", r->ledger, "entry", (json_int_t)r->head.seq, "head",
                     hash);
}

static json_t *source_columns_json(const tc_released *r)
{
    json_t *list = json_array();
    for (size_t d = 0; d < r->n_source && list; d++) {
        const tc_row_column *c = &r->source[d];
        if (json_array_append_new(list, json_pack("{s:s, s:f, s:f, s:f}", "name", c->name, "low",
                                                  c->low, "high", c->high, "unit", c->unit)) != 0) {
            json_decref(list);
            return NULL;
        }
    }
    return list;
}

static bool add_source(const tc_released *r, json_t *j)
{
    if (r->n_source == 0)
        return true;
    return json_object_set_new(j, "source",
                               json_pack("{s:f, s:o}", "radius", r->radius, "columns",
                                         source_columns_json(r))) == 0;
}

/* An epsilon stands there only if it means something. */
static bool add_claim(const tc_released *r, json_t *j)
{
    if (!r->is_private)
        return json_object_set_new(j, "not_private", json_string(r->not_private)) == 0;
    return json_object_set_new(j, "epsilon", json_real(r->epsilon)) == 0 &&
           json_object_set_new(j, "delta", json_real(r->delta)) == 0;
}

static bool add_rest(const tc_released *r, json_t *j)
{
    char hash[TC_HASH_TEXT];
    tc_hash_text(hash, &r->release);
    return json_object_set_new(j, "statement", json_string(r->statement)) == 0 &&
           json_object_set_new(j, "input_sd", json_real(r->input_sd)) == 0 &&
           json_object_set_new(j, "output_sd", json_real(r->output_sd)) == 0 &&
           json_object_set_new(j, "release", json_string(hash)) == 0 &&
           json_object_set_new(j, "ledger", head_json(r)) == 0 && add_source(r, j) &&
           json_object_set_new(j, "step", isnan(r->step) ? json_null() : json_real(r->step)) == 0 &&
           json_object_set_new(j, "columns", columns_json(r)) == 0 &&
           json_object_set_new(j, "rows", rows_json(r)) == 0;
}

json_t *tc_released_json(const tc_released *r)
{
    tc_json_start();
    json_t *j = json_pack("{s:s, s:i, s:s, s:s, s:s, s:b}", "tacit", KIND, "version",
                          TC_FILE_VERSION, "name", r->name, "mode", r->mode, "direction",
                          r->maximize ? "maximize" : "minimize", "private", (int)r->is_private);
    if (j && add_claim(r, j) && add_rest(r, j))
        return j;
    json_decref(j);
    return NULL;
}

tacit_status tacit_released_text(const tacit_released *r, char **out, tacit_error *err)
{
    TC_GIVEN(r);
    TC_GIVEN(out);
    json_t *j = tc_released_json(r);
    char *text = j ? tc_json_text(j) : NULL;
    json_decref(j);
    if (!text)
        return tc_fail_memory(err);
    *out = text;
    return TACIT_OK;
}

/* ---- reading */

/* A release that was read has its memory behind it. */
typedef struct read_release {
    tc_released released;
    tc_arena memory;
} read_release;

static tc_arena *memory_of(tc_released *r)
{
    return &((read_release *)r)->memory;
}

static tacit_status copy_string(tc_released *r, const json_t *j, const char *path, const char *key,
                                const char **out, tacit_error *err)
{
    const char *text;
    TC_TRY(tc_json_string(j, path, key, &text, err));
    *out = tc_arena_strdup(memory_of(r), text);
    return *out ? TACIT_OK : tc_fail_memory(err);
}

static tacit_status read_number(const json_t *j, const char *key, double least, double *out,
                                tacit_error *err)
{
    TC_TRY(tc_json_number(j, "", key, out, err));
    if (!(*out >= least && isfinite(*out)))
        return tc_fail(err, TACIT_E_ARG, "%s must be a number >= %g, got %g", key, least, *out);
    return TACIT_OK;
}

static tacit_status read_claim(tc_released *r, const json_t *j, tacit_error *err)
{
    TC_TRY(tc_json_bool(j, "private", &r->is_private, err));
    if (r->is_private) {
        if (json_object_get(j, "not_private"))
            return tc_fail(err, TACIT_E_ARG, "not_private and private: true contradict each other");
        TC_TRY(read_number(j, "epsilon", 0, &r->epsilon, err));
        return read_number(j, "delta", 0, &r->delta, err);
    }
    if (json_object_get(j, "epsilon") || json_object_get(j, "delta"))
        return tc_fail(err, TACIT_E_ARG, "what is not private has no epsilon and no delta");
    return copy_string(r, j, "", "not_private", &r->not_private, err);
}

static tacit_status read_head(tc_released *r, const json_t *j, tacit_error *err)
{
    static const char *const allowed[] = {"name", "entry", "head", NULL};
    const json_t *ledger = json_object_get(j, "ledger");
    TC_TRY(tc_json_only(ledger, "ledger", allowed, err));
    TC_TRY(copy_string(r, ledger, "ledger", "name", &r->ledger, err));
    TC_TRY(tc_json_count(ledger, "ledger", "entry", INT64_MAX, &r->head.seq, err));
    return tc_hash_read(ledger, "ledger", "head", &r->head.hash, err);
}

static tacit_status read_source_column(tc_released *r, const json_t *j, tc_row_column *out,
                                       tacit_error *err)
{
    static const char *const allowed[] = {"name", "low", "high", "unit", NULL};
    static const char at[] = "source.columns";
    TC_TRY(tc_json_only(j, at, allowed, err));
    TC_TRY(copy_string(r, j, at, "name", &out->name, err));
    TC_TRY(tc_json_number(j, at, "low", &out->low, err));
    TC_TRY(tc_json_number(j, at, "high", &out->high, err));
    TC_TRY(tc_json_number(j, at, "unit", &out->unit, err));
    if (!(isfinite(out->low) && isfinite(out->high) && out->low < out->high &&
          isfinite(out->unit) && out->unit > 0))
        return tc_fail(err, TACIT_E_ARG, "source.columns: \"%.64s\" must have low < high, unit > 0",
                       out->name);
    return TACIT_OK;
}

static tacit_status read_source_columns(tc_released *r, const json_t *list, tacit_error *err)
{
    size_t n = json_array_size(list);
    if (n == 0 || n > MOST_SOURCE)
        return tc_fail(err, TACIT_E_ARG, "source.columns must be a list of columns");
    tc_row_column *columns = TC_TAKE(memory_of(r), n, tc_row_column);
    if (!columns)
        return tc_fail_memory(err);
    for (size_t d = 0; d < n; d++)
        TC_TRY(read_source_column(r, json_array_get(list, d), &columns[d], err));
    r->source = columns;
    r->n_source = n;
    return TACIT_OK;
}

static tacit_status read_source(tc_released *r, const json_t *j, tacit_error *err)
{
    static const char *const allowed[] = {"radius", "columns", NULL};
    const json_t *source = json_object_get(j, "source");
    bool sound = strcmp(r->mode, "sound") == 0;
    if (!source && !sound)
        return TACIT_OK;
    if (!sound)
        return tc_fail(err, TACIT_E_ARG, "paper mode has no source");
    TC_TRY(tc_json_only(source, "source", allowed, err));
    TC_TRY(tc_json_number(source, "source", "radius", &r->radius, err));
    if (!(r->radius > 0 && isfinite(r->radius)))
        return tc_fail(err, TACIT_E_ARG, "source.radius must be > 0, got %g", r->radius);
    return read_source_columns(r, json_object_get(source, "columns"), err);
}

static tacit_status read_columns(tc_released *r, const json_t *list, tacit_error *err)
{
    r->cols = json_array_size(list);
    if (!json_is_array(list) || r->cols == 0 || r->cols > MOST_COLUMNS)
        return tc_fail(err, TACIT_E_ARG, "columns must be a list of 1 to %d names", MOST_COLUMNS);
    char **columns = TC_TAKE(memory_of(r), r->cols, char *);
    if (!columns)
        return tc_fail_memory(err);
    r->columns = columns;
    for (size_t k = 0; k < r->cols; k++) {
        const char *name = json_string_value(json_array_get(list, k));
        if (!name)
            return tc_fail(err, TACIT_E_ARG, "columns[%zu] must be a name", k);
        columns[k] = tc_arena_strdup(memory_of(r), name);
        if (!columns[k])
            return tc_fail_memory(err);
    }
    return TACIT_OK;
}

static tacit_status read_row(const tc_released *r, const json_t *row, size_t i, tacit_error *err)
{
    if (json_array_size(row) != r->cols)
        return tc_fail(err, TACIT_E_ARG, "rows[%zu] must be a list of %zu numbers", i, r->cols);
    for (size_t k = 0; k < r->cols; k++) {
        const json_t *value = json_array_get(row, k);
        double x = json_number_value(value);
        if (!json_is_number(value) || !isfinite(x))
            return tc_fail(err, TACIT_E_ARG, "rows[%zu][%zu] must be a number", i, k);
        r->values[i * r->cols + k] = x;
    }
    return TACIT_OK;
}

static tacit_status read_rows(tc_released *r, const json_t *list, tacit_error *err)
{
    r->rows = json_array_size(list);
    if (!json_is_array(list) || r->rows == 0 || r->rows > MOST_VALUES / r->cols)
        return tc_fail(err, TACIT_E_ARG, "rows must be a list of 1 to %zu rows",
                       MOST_VALUES / r->cols);
    r->values = TC_TAKE(memory_of(r), r->rows * r->cols, double);
    if (!r->values)
        return tc_fail_memory(err);
    for (size_t i = 0; i < r->rows; i++)
        TC_TRY(read_row(r, json_array_get(list, i), i, err));
    return TACIT_OK;
}

/* ---- the rows as the ledger has them */

/* Beyond, a double does not tell one number of steps from the next. */
#define MOST_STEPS 0x1p53

/* False: no number of steps. */
static bool word_of(const tc_released *r, double value, uint8_t out[8])
{
    uint64_t word;
    double steps = r->step > 0 ? value / r->step : 0;
    if (steps != floor(steps) || !(fabs(steps) < MOST_STEPS))
        return false;
    int64_t whole = (int64_t)steps;
    memcpy(&word, r->step > 0 ? (const void *)&whole : (const void *)&value, sizeof word);
    for (size_t i = 0; i < 8; i++)
        out[i] = (uint8_t)(word >> 8 * i);
    return true;
}

tacit_status tc_released_hash(const tc_released *r, tacit_hash *out, tacit_error *err)
{
    size_t n = r->rows * r->cols;
    bool good = true;
    uint8_t *bytes = tc_alloc(n, 8);
    if (!bytes)
        return tc_fail_memory(err);
    for (size_t i = 0; i < n && good; i++)
        good = word_of(r, r->values[i], bytes + 8 * i);
    if (good)
        *out = tc_ledger_release_hash(bytes, 8 * n);
    tc_free(bytes);
    return good ? TACIT_OK
                : tc_fail(err, TACIT_E_ARG,
                          "rows must be whole multiples of step = %g, below 2^53 of them", r->step);
}

static tacit_status read_step(tc_released *r, const json_t *j, tacit_error *err)
{
    r->step = NAN;
    return json_is_null(json_object_get(j, "step")) ? TACIT_OK
                                                    : read_number(j, "step", 0, &r->step, err);
}

static tacit_status read_words(tc_released *r, const json_t *j, tacit_error *err)
{
    const char *direction;
    TC_TRY(copy_string(r, j, "", "name", &r->name, err));
    TC_TRY(tc_row_name_check(r->name, err));
    TC_TRY(copy_string(r, j, "", "mode", &r->mode, err));
    TC_TRY(copy_string(r, j, "", "statement", &r->statement, err));
    TC_TRY(tc_json_string(j, "", "direction", &direction, err));
    r->maximize = strcmp(direction, "maximize") == 0;
    if (!r->maximize && strcmp(direction, "minimize") != 0)
        return tc_fail(err, TACIT_E_ARG,
                       "direction must be \"minimize\" or \"maximize\", got \"%.40s\"", direction);
    if (strcmp(r->mode, "sound") != 0 && strcmp(r->mode, "paper") != 0)
        return tc_fail(err, TACIT_E_ARG, "mode must be \"sound\" or \"paper\", got \"%.40s\"",
                       r->mode);
    return TACIT_OK;
}

static tacit_status read_all(tc_released *r, const json_t *j, tacit_error *err)
{
    static const char *const allowed[] = {
        "tacit",   "version", "name",      "mode",     "direction", "private", "not_private",
        "epsilon", "delta",   "statement", "input_sd", "output_sd", "release", "ledger",
        "source",  "step",    "columns",   "rows",     NULL};
    TC_TRY(tc_file_kind(j, KIND, err));
    TC_TRY(tc_json_only(j, "", allowed, err));
    TC_TRY(read_words(r, j, err));
    TC_TRY(read_claim(r, j, err));
    TC_TRY(read_number(j, "input_sd", 0, &r->input_sd, err));
    TC_TRY(read_number(j, "output_sd", 0, &r->output_sd, err));
    TC_TRY(tc_hash_read(j, "", "release", &r->release, err));
    TC_TRY(read_head(r, j, err));
    TC_TRY(read_source(r, j, err));
    TC_TRY(read_step(r, j, err));
    TC_TRY(read_columns(r, json_object_get(j, "columns"), err));
    TC_TRY(read_rows(r, json_object_get(j, "rows"), err));
    /* Whatever happened to the file on its way, answers would be about other rows than these. */
    tacit_hash hash;
    if (isnan(r->step))
        return TACIT_OK;
    TC_TRY(tc_released_hash(r, &hash, err));
    if (!tc_ledger_hash_same(&hash, &r->release))
        return tc_fail(
            err, TACIT_E_ARG,
            "rows are not those that were released: they have another hash than release");
    return TACIT_OK;
}

static tacit_status from_json(tc_released **out, const json_t *j, const char *what,
                              tacit_error *err)
{
    read_release *made = tc_alloc(1, sizeof *made);
    if (!made)
        return tc_fail_memory(err);
    tc_released *r = &made->released;
    tacit_status status = read_all(r, j, err);
    if (status == TACIT_OK) {
        *out = r;
    } else {
        tacit_released_free(r);
        tc_fail_in(err, "%.200s", what);
    }
    return status;
}

tacit_status tacit_released_parse(tacit_released **out, const char *text, size_t len,
                                  const char *what, tacit_error *err)
{
    json_t *j = NULL;
    TC_GIVEN(out);
    TC_GIVEN(text);
    TC_GIVEN(what);
    TC_TRY(tc_json_parse(text, len, what, &j, err));
    tacit_status status = from_json(out, j, what, err);
    json_decref(j);
    return status;
}

tacit_status tacit_released_read(tacit_released **out, const char *file, tacit_error *err)
{
    json_t *j = NULL;
    TC_GIVEN(out);
    TC_GIVEN(file);
    TC_TRY(tc_json_read_file(file, &j, err));
    tacit_status status = from_json(out, j, file, err);
    json_decref(j);
    return status;
}

void tacit_released_free(tacit_released *r)
{
    if (!r)
        return;
    tc_arena_fini(memory_of(r));
    tc_free(r);
}

/* ---- as candidates */

tacit_status tc_released_domain(const tc_released *r, tc_domain **out, tacit_error *err)
{
    return tc_domain_from_rows(out, r->rows, r->cols, r->columns, r->values, err);
}
