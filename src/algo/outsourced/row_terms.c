/* row_terms.c - the public terms of a release: checked, written, read, hashed. See row_curator.h. */
#include "algo/outsourced/row_curator.h"

#include "algo/outsourced/outsourced.h"
#include "base/error.h"
#include "base/json.h"
#include "space/name.h"

#include <math.h>
#include <string.h>

#define ROWS_MAX (1 << 28)
#define SEED_MAX ((int64_t)1 << 53) /* every JSON reader keeps these exactly */

static const char *const modes[] = {[TACIT_ROW_SOUND] = "sound", [TACIT_ROW_PAPER] = "paper"};
static const char *const noises[] = {[TACIT_ROWS_AUTO] = "auto",
                                     [TACIT_ROWS_LAPLACE] = "laplace",
                                     [TACIT_ROWS_GAUSSIAN] = "gaussian"};

const char *tc_row_mode_name(tacit_row_mode mode)
{
    return modes[mode];
}

/* ---- checking */

static tacit_status check_column(const tc_row_terms *t, const tc_row_column *c, tacit_error *err)
{
    if (tc_name_check(c->name, NULL) != TACIT_OK)
        return tc_fail(err, TACIT_E_ARG,
                       "column \"%.64s\" cannot be released under this name: a name is a letter or "
                       "_ and then letters, digits, _ . -, at most %d in all, and none of those "
                       "that tables of trials use (params_..., value and others)",
                       c->name, TC_NAME_MAX);
    if (!(c->unit > 0 && isfinite(c->unit)))
        return tc_fail(err, TACIT_E_ARG, "the unit of column \"%s\" must be > 0, got %g", c->name,
                       c->unit);
    if (t->mode == TACIT_ROW_SOUND && !(isfinite(c->low) && isfinite(c->high) && c->low < c->high))
        return tc_fail(err, TACIT_E_ARG,
                       "column \"%s\" needs finite bounds low < high, got %g and %g", c->name,
                       c->low, c->high);
    return TACIT_OK;
}

/* The modeler's study has the same name, so what is no name of a study is refused here. */
tacit_status tc_row_name_check(const char *name, tacit_error *err)
{
    static const char letters[] =
        "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789._-";
    size_t length = strlen(name);
    bool json = length >= 5 && strcmp(name + length - 5, ".json") == 0;
    if (length == 0 || length > TC_NAME_MAX || strspn(name, letters) != length || json ||
        name[0] == '-' || name[0] == '.')
        return tc_fail(
            err, TACIT_E_ARG,
            "the name of a release must be 1 to %d letters, digits, dots, dashes or "
            "underscores, not begin with a dash or a dot nor end in .json, got \"%.80s\"",
            TC_NAME_MAX, name);
    return TACIT_OK;
}

tacit_status tc_row_terms_check(const tc_row_terms *t, tacit_error *err)
{
    TC_TRY(tc_row_name_check(t->name, err));
    if (t->rows == 0 || t->dims == 0 || t->rows > ROWS_MAX / t->dims)
        return tc_fail(err, TACIT_E_ARG, "a data set has 1 to %d values, got %zu rows of %zu",
                       ROWS_MAX, t->rows, t->dims);
    if (t->mode == TACIT_ROW_SOUND && t->rank > 0 && t->rank >= t->dims)
        return tc_fail(err, TACIT_E_ARG,
                       "a projection must have fewer directions than the %zu columns, got %zu",
                       t->dims, t->rank);
    if ((t->rank > 0 ? t->rank : t->dims) > TC_RELEASED_COLUMNS_MAX)
        return tc_fail(err, TACIT_E_ARG,
                       "a release has at most %d columns, since no modeler takes more, got %zu: "
                       "choose some, or project them",
                       TC_RELEASED_COLUMNS_MAX, t->rank > 0 ? t->rank : t->dims);
    for (size_t d = 0; d < t->dims; d++)
        TC_TRY(check_column(t, &t->columns[d], err));
    if (!(t->output_epsilon >= 0 && isfinite(t->output_epsilon)))
        return tc_fail(err, TACIT_E_ARG, "the output epsilon must be >= 0, got %g",
                       t->output_epsilon);
    if (t->output_epsilon > 0 && !(t->output_bound > 0 && isfinite(t->output_bound)))
        return tc_fail(err, TACIT_E_ARG,
                       "private outputs need a public bound > 0 on their size, got %g",
                       t->output_bound);
    return TACIT_OK;
}

/* ---- writing */

static json_t *columns_json(const tc_row_terms *t)
{
    json_t *list = json_array();
    for (size_t d = 0; d < t->dims && list; d++) {
        const tc_row_column *c = &t->columns[d];
        json_array_append_new(list, json_pack("{s:s, s:f, s:f, s:f}", "name", c->name, "low",
                                              c->low, "high", c->high, "unit", c->unit));
    }
    if (json_array_size(list) == t->dims)
        return list;
    json_decref(list);
    return NULL;
}

json_t *tc_row_terms_json(const tc_row_terms *t)
{
    tc_json_start();
    return json_pack("{s:s, s:s, s:I, s:o, s:f, s:f, s:f, s:s, s:I, s:I, s:b, s:f, s:f}", "name",
                     t->name, "mode", modes[t->mode], "rows", (json_int_t)t->rows, "columns",
                     columns_json(t), "epsilon", t->epsilon, "delta", t->delta, "radius", t->radius,
                     "noise", noises[t->noise], "rank", (json_int_t)t->rank, "projection_seed",
                     (json_int_t)t->projection_seed, "maximize", (int)t->maximize, "output_epsilon",
                     t->output_epsilon, "output_bound", t->output_bound);
}

tacit_status tc_row_terms_hash(const tc_row_terms *t, tacit_hash *out, tacit_error *err)
{
    json_t *j = tc_row_terms_json(t);
    char *text = tc_json_text(j);
    json_decref(j);
    if (!text)
        return tc_fail_memory(err);
    *out = tc_ledger_study_hash(text);
    tc_free(text);
    return TACIT_OK;
}

/* ---- reading */

static tacit_status read_choice(const json_t *j, const char *key, const char *const *names,
                                size_t n, int *out, tacit_error *err)
{
    const char *word;
    TC_TRY(tc_json_string(j, "terms", key, &word, err));
    for (size_t i = 0; i < n; i++)
        if (strcmp(names[i], word) == 0) {
            *out = (int)i;
            return TACIT_OK;
        }
    return tc_fail(err, TACIT_E_ARG, "terms.%s is \"%.40s\", which this version does not know", key,
                   word);
}

static tacit_status read_column(tc_row_column *c, const json_t *j, tc_arena *memory,
                                tacit_error *err)
{
    static const char *const allowed[] = {"name", "low", "high", "unit", NULL};
    const char *name;
    TC_TRY(tc_json_only(j, "terms.columns", allowed, err));
    TC_TRY(tc_json_string(j, "terms.columns", "name", &name, err));
    TC_TRY(tc_json_number(j, "terms.columns", "low", &c->low, err));
    TC_TRY(tc_json_number(j, "terms.columns", "high", &c->high, err));
    TC_TRY(tc_json_number(j, "terms.columns", "unit", &c->unit, err));
    c->name = tc_arena_strdup(memory, name);
    return c->name ? TACIT_OK : tc_fail_memory(err);
}

static tacit_status read_columns(tc_row_terms *t, const json_t *list, tc_arena *memory,
                                 tacit_error *err)
{
    size_t n = json_array_size(list);
    if (!json_is_array(list) || n == 0)
        return tc_fail(err, TACIT_E_ARG, "terms.columns must be a list of columns");
    tc_row_column *columns = TC_TAKE(memory, n, tc_row_column);
    if (!columns)
        return tc_fail_memory(err);
    for (size_t d = 0; d < n; d++)
        TC_TRY(read_column(&columns[d], json_array_get(list, d), memory, err));
    t->columns = columns;
    t->dims = n;
    return TACIT_OK;
}

static tacit_status read_numbers(tc_row_terms *t, const json_t *j, tacit_error *err)
{
    int64_t rows = 0, rank = 0, seed = 0;
    TC_TRY(tc_json_int_or(j, "terms", "rows", 1, ROWS_MAX, &rows, err));
    TC_TRY(tc_json_int_or(j, "terms", "rank", 0, TACIT_ROW_RANK_MAX, &rank, err));
    TC_TRY(tc_json_int_or(j, "terms", "projection_seed", 0, SEED_MAX, &seed, err));
    TC_TRY(tc_json_number(j, "terms", "epsilon", &t->epsilon, err));
    TC_TRY(tc_json_number(j, "terms", "delta", &t->delta, err));
    TC_TRY(tc_json_number(j, "terms", "radius", &t->radius, err));
    TC_TRY(tc_json_number(j, "terms", "output_epsilon", &t->output_epsilon, err));
    TC_TRY(tc_json_number(j, "terms", "output_bound", &t->output_bound, err));
    TC_TRY(tc_json_bool_or(j, "terms", "maximize", &t->maximize, err));
    t->rows = (size_t)rows;
    t->rank = (size_t)rank;
    t->projection_seed = (uint64_t)seed;
    return TACIT_OK;
}

tacit_status tc_row_terms_from_json(tc_row_terms *out, const json_t *j, tc_arena *memory,
                                    tacit_error *err)
{
    static const char *const allowed[] = {
        "name",     "mode",           "rows",         "columns", "epsilon",
        "delta",    "radius",         "noise",        "rank",    "projection_seed",
        "maximize", "output_epsilon", "output_bound", NULL};
    tc_row_terms t = {0};
    const char *name;
    int mode = 0, noise = 0;
    TC_TRY(tc_json_only(j, "terms", allowed, err));
    TC_TRY(tc_json_string(j, "terms", "name", &name, err));
    TC_TRY(read_choice(j, "mode", modes, sizeof modes / sizeof *modes, &mode, err));
    TC_TRY(read_choice(j, "noise", noises, sizeof noises / sizeof *noises, &noise, err));
    TC_TRY(read_numbers(&t, j, err));
    TC_TRY(read_columns(&t, json_object_get(j, "columns"), memory, err));
    t.name = tc_arena_strdup(memory, name);
    if (!t.name)
        return tc_fail_memory(err);
    t.mode = (tacit_row_mode)mode;
    t.noise = (tacit_rows_noise)noise;
    TC_TRY(tc_row_terms_check(&t, err));
    *out = t;
    return TACIT_OK;
}
