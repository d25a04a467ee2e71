/* curve_read.c - reading the curves of simulations back, from CSV or JSON. See curve_file.h. */
#include "sim/curve_file.h"

#include "base/csv.h"
#include "base/api.h"
#include "base/file.h"
#include "base/json.h"
#include "base/memory.h"

#include <limits.h>
#include <math.h>
#include <string.h>

#define MOST_FILE ((size_t)1 << 30)

void tacit_curve_set_fini(tacit_curve_set *s)
{
    for (size_t i = 0; s && i < s->n; i++)
        tacit_curves_fini(&s->items[i]);
    if (!s)
        return;
    tc_free(s->items);
    *s = (tacit_curve_set){0};
}

/* New, empty curves at the end; NULL: no memory. */
static tacit_curves *add_curves(tacit_curve_set *s)
{
    void *p = s->items;
    if (!tc_grow(&p, &s->cap, s->n + 1, sizeof *s->items))
        return NULL;
    s->items = p;
    s->items[s->n] = (tacit_curves){0};
    return &s->items[s->n++];
}

static bool set_name(char **out, const char *name)
{
    *out = tc_strdup(name);
    return *out != NULL;
}

/* ---- points without a regret ---- */

/* Copies the columns that `keep` selects from `rows` rows of n numbers, in place. */
static void keep_columns(double *table, size_t rows, size_t n, const bool *keep)
{
    size_t to = 0;
    for (size_t i = 0; table && i < rows * n; i++)
        if (keep[i % n])
            table[to++] = table[i];
}

/* Agents without initial points have no regret before their first trial: such points go. */
static tacit_status drop_points(tacit_curves *c, const char *what, tacit_error *err)
{
    const double *judge = c->by_pulls ? c->cumulative_mean : c->simple_mean;
    size_t n = c->points, kept = 0, runs = (size_t)c->runs, agents = runs * (size_t)c->agents;
    bool *keep = tc_alloc(n, sizeof *keep);
    if (!keep)
        return tc_fail_memory(err);
    for (size_t t = 0; t < n; t++)
        kept += keep[t] = isfinite(judge[t]);
    double *const lines[] = {c->at, c->simple_mean, c->simple_se, c->cumulative_mean,
                             c->cumulative_se};
    for (size_t k = 0; k < sizeof lines / sizeof *lines; k++)
        keep_columns(lines[k], 1, n, keep);
    keep_columns(c->simple, runs, n, keep);
    keep_columns(c->cumulative, runs, n, keep);
    keep_columns(c->agent_simple, agents, n, keep);
    keep_columns(c->agent_cumulative, agents, n, keep);
    tc_free(keep);
    c->points = kept;
    if (kept == 0)
        return tc_fail(err, TACIT_E_ARG, "%s has no regret%s%s", what, c->label ? " of " : "",
                       c->label ? c->label : "");
    return TACIT_OK;
}

static tacit_status drop_from(tacit_curve_set *s, size_t first, const char *what, tacit_error *err)
{
    for (size_t i = first; i < s->n; i++)
        TC_TRY(drop_points(&s->items[i], what, err));
    return TACIT_OK;
}

/* ---- CSV: columns ---- */

/* In the order of the numbers of a row; those from S_MEAN on are regrets. */
enum { ALGORITHM, OBJECTIVE, RUNS, SEED, ITERATION, S_MEAN, S_SE, C_MEAN, C_SE, COLUMNS };
static const char *const columns[COLUMNS] = {"algorithm",
                                             "objective",
                                             "runs",
                                             "seed",
                                             "iteration",
                                             "simple_regret_mean",
                                             "simple_regret_se",
                                             "cumulative_regret_mean",
                                             "cumulative_regret_se"};
/* The same of a file by agent, which has a regret where means have their standard error. */
enum { RUN, AGENT, STEP, SIMPLE, CUMULATIVE, AGENT_COLUMNS };
static const char *const agent_columns[AGENT_COLUMNS] = {"run", "agent", "iteration",
                                                         "simple_regret", "cumulative_regret"};

typedef struct agent_row {
    unsigned long long at[SIMPLE]; /* run, agent, iteration */
    double regret[2];              /* simple, cumulative */
} agent_row;

typedef struct reader {
    tc_csv csv;
    size_t at[COLUMNS]; /* where each of our columns is; others may stand between them */
    size_t label;       /* likewise; csv.n where there is none */
    bool by_pulls, by_agent;
    tacit_curve_set *out;
    size_t cap[5];   /* of the arrays of the present curve */
    agent_row *rows; /* by agent: of the present label */
    size_t n_rows, rows_cap;
} reader;

/* The column of this name, or csv.n. */
static size_t find_column(const reader *r, const char *name)
{
    size_t i = 0;
    while (i < r->csv.n && strcmp(r->csv.field[i], name) != 0)
        i++;
    return i;
}

static tacit_status read_header(reader *r, tacit_error *err)
{
    TC_TRY(tc_csv_next(&r->csv, err));
    r->by_agent = find_column(r, "run") < r->csv.n && find_column(r, "agent") < r->csv.n;
    r->by_pulls = find_column(r, "pulls") < r->csv.n;
    r->label = find_column(r, "label");
    for (size_t k = 0; k < (r->by_agent ? (size_t)AGENT_COLUMNS : COLUMNS); k++) {
        const char *name = r->by_agent ? agent_columns[k] : columns[k];
        r->at[k] = find_column(r, r->by_pulls && k == ITERATION ? "pulls" : name);
        if (r->at[k] == r->csv.n && !(r->by_pulls && (k == S_MEAN || k == S_SE)))
            return tc_fail(err, TACIT_E_ARG,
                           "%s has no column \"%s\": it was not written by tacit simulate",
                           r->csv.what, name);
    }
    return TACIT_OK;
}

/* An empty field, or no such column: there is no such regret. */
static tacit_status read_number(const tc_csv *csv, size_t column, double *out, tacit_error *err)
{
    *out = INFINITY;
    if (column < csv->n && *csv->field[column] && !tc_parse_double(csv->field[column], out))
        return tc_csv_fail(csv, column + 1, err, "\"%s\" is not a number", csv->field[column]);
    return TACIT_OK;
}

static tacit_status read_count(const tc_csv *csv, size_t column, unsigned long long most,
                               unsigned long long *out, tacit_error *err)
{
    if (!tc_parse_u64(csv->field[column], out) || *out > most)
        return tc_csv_fail(csv, column + 1, err, "\"%s\" is not a whole number",
                           csv->field[column]);
    return TACIT_OK;
}

static const char *label_of(const reader *r)
{
    return r->label < r->csv.n ? r->csv.field[r->label] : NULL;
}

/* ---- CSV: means ---- */

static tacit_status begin_curve(reader *r, tacit_error *err)
{
    const tc_csv *csv = &r->csv;
    const char *algorithm = csv->field[r->at[ALGORITHM]], *label = label_of(r);
    unsigned long long runs, seed;
    tacit_curves *c = add_curves(r->out);
    memset(r->cap, 0, sizeof r->cap);
    if (!c || !set_name(&c->label, label ? label : algorithm) ||
        !set_name(&c->algorithm, algorithm) ||
        !set_name(&c->objective, csv->field[r->at[OBJECTIVE]]))
        return tc_fail_memory(err);
    TC_TRY(read_count(csv, r->at[RUNS], ULLONG_MAX, &runs, err));
    TC_TRY(read_count(csv, r->at[SEED], ULLONG_MAX, &seed, err));
    c->by_pulls = r->by_pulls;
    c->runs = runs;
    c->seed = seed;
    return TACIT_OK;
}

/* Another name, or an iteration that does not follow, begins another curve. */
static bool continues(const reader *r, const tacit_curves *c, double iteration)
{
    const char *const *field = r->csv.field;
    const char *label = label_of(r);
    return c && strcmp(label ? label : field[r->at[ALGORITHM]], c->label) == 0 &&
           strcmp(field[r->at[ALGORITHM]], c->algorithm) == 0 &&
           strcmp(field[r->at[OBJECTIVE]], c->objective) == 0 && iteration > c->at[c->points - 1];
}

static tacit_status read_means(reader *r, bool first, tacit_error *err)
{
    double numbers[5];
    for (size_t k = 0; k < 5; k++)
        TC_TRY(read_number(&r->csv, r->at[ITERATION + k], &numbers[k], err));
    if (!continues(r, first ? NULL : &r->out->items[r->out->n - 1], numbers[0]))
        TC_TRY(begin_curve(r, err));
    tacit_curves *c = &r->out->items[r->out->n - 1];
    double **const arrays[] = {&c->at, &c->simple_mean, &c->simple_se, &c->cumulative_mean,
                               &c->cumulative_se};
    for (size_t k = 0; k < 5; k++) {
        void *p = *arrays[k];
        if (r->at[ITERATION + k] == r->csv.n) /* no such column */
            continue;
        if (!tc_grow(&p, &r->cap[k], c->points + 1, sizeof **arrays[k]))
            return tc_fail_memory(err);
        *arrays[k] = p;
        (*arrays[k])[c->points] = numbers[k];
    }
    c->points++;
    return TACIT_OK;
}

/* ---- CSV: by agent ---- */

/* How many runs, agents and iterations there are is known only when the last row has been seen. */
static tacit_status measure(const reader *r, tacit_curves *c, tacit_error *err)
{
    double cells = 1, size[SIMPLE];
    for (size_t k = 0; k < SIMPLE; k++) {
        unsigned long long most = 0;
        for (size_t i = 0; i < r->n_rows; i++)
            most = r->rows[i].at[k] > most ? r->rows[i].at[k] : most;
        size[k] = (double)most + 1;
        cells *= size[k];
    }
    if (cells != (double)r->n_rows)
        return tc_fail(err, TACIT_E_ARG,
                       "%s has %zu rows where %.0f runs of %.0f agents with %.0f iterations have "
                       "%.0f: it is not whole",
                       r->csv.what, r->n_rows, size[RUN], size[AGENT], size[STEP], cells);
    c->runs = (uint64_t)size[RUN];
    c->agents = (uint64_t)size[AGENT];
    c->points = (size_t)size[STEP];
    return TACIT_OK;
}

/* The rows gathered so far become the last curves. */
static tacit_status end_label(reader *r, tacit_error *err)
{
    tacit_curves *c = &r->out->items[r->out->n - 1];
    TC_TRY(measure(r, c, err));
    TC_TRY(tc_curves_allocate(c, true, err));
    for (size_t i = 0; i < r->n_rows; i++) {
        const agent_row *row = &r->rows[i];
        size_t run = (size_t)row->at[RUN], t = (size_t)row->at[STEP];
        size_t cell = (run * (size_t)c->agents + (size_t)row->at[AGENT]) * c->points + t;
        c->agent_simple[cell] = row->regret[0];
        c->agent_cumulative[cell] = row->regret[1];
        c->simple[run * c->points + t] += row->regret[0] / (double)c->agents;
        c->cumulative[run * c->points + t] += row->regret[1] / (double)c->agents;
    }
    for (size_t t = 0; t < c->points; t++)
        c->at[t] = (double)t;
    tc_curves_average(c);
    r->n_rows = 0;
    return TACIT_OK;
}

/* Another label begins other curves, and so does a first row: two may be called alike. */
static tacit_status take_label(reader *r, const agent_row *next, tacit_error *err)
{
    const char *label = label_of(r);
    const tacit_curves *last = r->out->n > 0 ? &r->out->items[r->out->n - 1] : NULL;
    bool first = next->at[RUN] == 0 && next->at[AGENT] == 0 && next->at[STEP] == 0;
    if (last && r->n_rows > 0 && !first && (!label || strcmp(last->label, label) == 0))
        return TACIT_OK;
    if (r->n_rows > 0)
        TC_TRY(end_label(r, err));
    tacit_curves *c = add_curves(r->out);
    return c && (!label || set_name(&c->label, label)) ? TACIT_OK : tc_fail_memory(err);
}

static tacit_status read_agent(reader *r, tacit_error *err)
{
    agent_row row;
    for (size_t k = 0; k < SIMPLE; k++)
        TC_TRY(read_count(&r->csv, r->at[k], UINT32_MAX, &row.at[k], err));
    for (size_t k = 0; k < 2; k++)
        TC_TRY(read_number(&r->csv, r->at[SIMPLE + k], &row.regret[k], err));
    TC_TRY(take_label(r, &row, err));
    void *rows = r->rows;
    if (!tc_grow(&rows, &r->rows_cap, r->n_rows + 1, sizeof *r->rows))
        return tc_fail_memory(err);
    r->rows = rows;
    r->rows[r->n_rows++] = row;
    return TACIT_OK;
}

/* ---- CSV ---- */

static tacit_status read_rows(reader *r, tacit_error *err)
{
    TC_TRY(read_header(r, err));
    for (bool first = true;; first = false) {
        TC_TRY(tc_csv_next(&r->csv, err));
        if (r->csv.n == 0 && first)
            return tc_fail(err, TACIT_E_ARG, "%s has a header but no rows", r->csv.what);
        if (r->csv.n == 0)
            return r->by_agent ? end_label(r, err) : TACIT_OK;
        TC_TRY(r->by_agent ? read_agent(r, err) : read_means(r, first, err));
    }
}

tacit_status tc_curves_from_csv(tacit_curve_set *out, const char *text, size_t len,
                                const char *what, tacit_error *err)
{
    reader r = {.out = out};
    size_t before = out->n;
    tc_csv_init(&r.csv, text, len, what);
    tacit_status status = read_rows(&r, err);
    if (status == TACIT_OK)
        status = drop_from(out, before, what, err);
    tc_csv_fini(&r.csv);
    tc_free(r.rows);
    return status;
}

/* ---- JSON ---- */

static tacit_status read_array(const json_t *a, const char *key, size_t n, double **out,
                               tacit_error *err)
{
    if (!json_is_array(a) || json_array_size(a) != n)
        return tc_fail(err, TACIT_E_ARG, "%s must be an array of %zu numbers", key, n);
    double *x = tc_alloc(n, sizeof *x);
    if (!x)
        return tc_fail_memory(err);
    *out = x;
    for (size_t i = 0; i < n; i++) {
        const json_t *v = json_array_get(a, i);
        if (!json_is_number(v) && !json_is_null(v))
            return tc_fail(err, TACIT_E_ARG, "%s[%zu] must be a number, not %s", key, i,
                           tc_json_kind(v));
        x[i] = json_is_null(v) ? INFINITY : json_number_value(v);
    }
    return TACIT_OK;
}

static tacit_status read_moments(const json_t *j, const char *key, size_t n, double **mean,
                                 double **se, tacit_error *err)
{
    const json_t *m = json_object_get(j, key);
    TC_TRY(read_array(json_object_get(m, "mean"), key, n, mean, err));
    return read_array(json_object_get(m, "se"), key, n, se, err);
}

static tacit_status read_curve(tacit_curves *c, const json_t *j, tacit_error *err)
{
    const char *key = json_object_get(j, "pulls") ? "pulls" : "iterations";
    const json_t *at = json_object_get(j, key);
    c->by_pulls = strcmp(key, "pulls") == 0;
    c->points = json_array_size(at);
    if (c->points == 0)
        return tc_fail(err, TACIT_E_ARG, "%s must be an array with at least one number", key);
    TC_TRY(read_array(at, key, c->points, &c->at, err));
    if (!c->by_pulls)
        TC_TRY(read_moments(j, "simple_regret", c->points, &c->simple_mean, &c->simple_se, err));
    return read_moments(j, "cumulative_regret", c->points, &c->cumulative_mean, &c->cumulative_se,
                        err);
}

static tacit_status read_object(tacit_curve_set *out, const json_t *j, tacit_error *err)
{
    const char *algorithm, *objective, *label;
    int64_t runs = 0, seed = 0;
    TC_TRY(tc_json_string(j, "", "algorithm", &algorithm, err));
    TC_TRY(tc_json_string(j, "", "objective", &objective, err));
    label = algorithm;
    TC_TRY(tc_json_string_or(j, "", "label", &label, err));
    TC_TRY(tc_json_int_or(j, "", "runs", 1, INT64_MAX, &runs, err));
    TC_TRY(tc_json_int_or(j, "", "seed", 0, INT64_MAX, &seed, err));
    tacit_curves *c = add_curves(out);
    if (!c || !set_name(&c->label, label) || !set_name(&c->algorithm, algorithm) ||
        !set_name(&c->objective, objective))
        return tc_fail_memory(err);
    c->runs = (uint64_t)runs;
    c->seed = (uint64_t)seed;
    return read_curve(c, j, err);
}

static tacit_status read_objects(tacit_curve_set *out, const json_t *j, tacit_error *err)
{
    const json_t *results = json_object_get(j, "results");
    if (!results)
        return read_object(out, j, err);
    if (json_array_size(results) == 0)
        return tc_fail(err, TACIT_E_ARG, "results must be an array with at least one object");
    for (size_t i = 0; i < json_array_size(results); i++)
        TC_TRY(read_object(out, json_array_get(results, i), err));
    return TACIT_OK;
}

tacit_status tc_curves_from_json(tacit_curve_set *out, const json_t *j, const char *what,
                                 tacit_error *err)
{
    tacit_error inner = {0};
    size_t before = out->n;
    tacit_status status = read_objects(out, j, &inner);
    if (status == TACIT_OK)
        return drop_from(out, before, what, err);
    return tc_fail(err, status, "%s is not a result of tacit simulate: %s", what, inner.msg);
}

/* ---- a file ---- */

static tacit_status read_json(tacit_curve_set *out, const char *file, tacit_error *err)
{
    json_t *j;
    TC_TRY(tc_json_read_file(file, &j, err));
    tacit_status status = tc_curves_from_json(out, j, file, err);
    json_decref(j);
    return status;
}

tacit_status tacit_curves_read(tacit_curve_set *out, const char *file, tacit_error *err)
{
    TC_GIVEN(out);
    TC_GIVEN(file);
    size_t n = strlen(file), len;
    char *text;
    if (n > 5 && strcmp(file + n - 5, ".json") == 0)
        return read_json(out, file, err);
    TC_TRY(tc_file_read(file, MOST_FILE, &text, &len, err));
    tacit_status status = tc_curves_from_csv(out, text, len, file, err);
    tc_free(text);
    return status;
}
