/* regret_read.c - reading the curves of simulations back, from CSV or JSON. See regret_file.h. */
#include "sim/regret_file.h"

#include "base/csv.h"
#include "base/error.h"
#include "base/json.h"
#include "base/memory.h"

#include <math.h>
#include <string.h>

static void curve_fini(tc_regret_curve *c)
{
    tc_free(c->label);
    tc_free(c->algorithm);
    tc_free(c->objective);
    tc_free(c->iteration);
    tc_free(c->simple_mean);
    tc_free(c->simple_se);
    tc_free(c->cumulative_mean);
    tc_free(c->cumulative_se);
}

void tc_regret_curves_fini(tc_regret_curves *c)
{
    for (size_t i = 0; i < c->n; i++)
        curve_fini(&c->items[i]);
    tc_free(c->items);
    memset(c, 0, sizeof *c);
}

/* Agents without initial points have no regret before their first trial: such points go. */
static tacit_status drop_points(tc_regret_curves *c, size_t first, const char *what,
                                tacit_error *err)
{
    for (size_t i = first; i < c->n; i++) {
        tc_regret_curve *v = &c->items[i];
        double *const arrays[] = {v->iteration, v->simple_mean, v->simple_se, v->cumulative_mean,
                                  v->cumulative_se};
        size_t kept = 0;
        for (size_t t = 0; t < v->n; t++)
            if (isfinite(v->by_pulls ? v->cumulative_mean[t] : v->simple_mean[t])) {
                for (size_t k = 0; k < 5; k++)
                    arrays[k][kept] = arrays[k][t];
                kept++;
            }
        v->n = kept;
        if (kept == 0)
            return tc_fail(err, TACIT_E_ARG, "%s has no regret of %s", what, v->label);
    }
    return TACIT_OK;
}

/* A new, empty curve at the end; NULL: no memory. */
static tc_regret_curve *add_curve(tc_regret_curves *c)
{
    void *p = c->items;
    if (!tc_grow(&p, &c->cap, c->n + 1, sizeof *c->items))
        return NULL;
    c->items = p;
    memset(&c->items[c->n], 0, sizeof *c->items);
    return &c->items[c->n++];
}

static bool set_names(tc_regret_curve *c, const char *label, const char *algorithm,
                      const char *objective)
{
    c->label = tc_strdup(label);
    c->algorithm = tc_strdup(algorithm);
    c->objective = tc_strdup(objective);
    return c->label && c->algorithm && c->objective;
}

/* -- CSV ----------------------------------------------------------------------------------- */

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

typedef struct reader {
    tc_csv csv;
    size_t at[COLUMNS]; /* where each of our columns is; others may stand between them */
    size_t label;       /* likewise; the algorithm's where there is none */
    bool by_pulls;
    tc_regret_curves *out;
    size_t cap[5]; /* of the arrays of the present curve */
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
    if (find_column(r, "agent") < r->csv.n && find_column(r, "simple_regret") < r->csv.n)
        return tc_fail(err, TACIT_E_ARG,
                       "%s is a file of --by-agent, which is drawn alone; curves to compare are in "
                       "the file of --out",
                       r->csv.what);
    r->by_pulls = find_column(r, "pulls") < r->csv.n;
    for (size_t k = 0; k < COLUMNS; k++) {
        r->at[k] = find_column(r, r->by_pulls && k == ITERATION ? "pulls" : columns[k]);
        if (r->at[k] == r->csv.n && !(r->by_pulls && (k == S_MEAN || k == S_SE)))
            return tc_fail(err, TACIT_E_ARG,
                           "%s has no column \"%s\": it was not written by tacit simulate",
                           r->csv.what, columns[k]);
    }
    r->label = find_column(r, "label");
    if (r->label == r->csv.n)
        r->label = r->at[ALGORITHM];
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

static tacit_status read_count(const tc_csv *csv, size_t column, uint64_t *out, tacit_error *err)
{
    unsigned long long n;
    if (!tc_parse_u64(csv->field[column], &n))
        return tc_csv_fail(csv, column + 1, err, "\"%s\" is not a whole number",
                           csv->field[column]);
    *out = n;
    return TACIT_OK;
}

static tacit_status begin_curve(reader *r, tacit_error *err)
{
    const tc_csv *csv = &r->csv;
    tc_regret_curve *c = add_curve(r->out);
    memset(r->cap, 0, sizeof r->cap);
    if (!c || !set_names(c, csv->field[r->label], csv->field[r->at[ALGORITHM]],
                         csv->field[r->at[OBJECTIVE]]))
        return tc_fail_memory(err);
    c->by_pulls = r->by_pulls;
    TC_TRY(read_count(csv, r->at[RUNS], &c->runs, err));
    return read_count(csv, r->at[SEED], &c->seed, err);
}

static bool grow(double **x, size_t *cap, size_t need)
{
    void *p = *x;
    if (!tc_grow(&p, cap, need, sizeof **x))
        return false;
    *x = p;
    return true;
}

/* Another name, or an iteration that does not follow, begins another curve. */
static bool continues(const reader *r, const tc_regret_curve *c, double iteration)
{
    const char *const *field = r->csv.field;
    return c && strcmp(field[r->label], c->label) == 0 &&
           strcmp(field[r->at[ALGORITHM]], c->algorithm) == 0 &&
           strcmp(field[r->at[OBJECTIVE]], c->objective) == 0 && iteration > c->iteration[c->n - 1];
}

static tacit_status read_row(reader *r, bool first, tacit_error *err)
{
    double numbers[5];
    for (size_t k = 0; k < 5; k++)
        TC_TRY(read_number(&r->csv, r->at[ITERATION + k], &numbers[k], err));
    if (!continues(r, first ? NULL : &r->out->items[r->out->n - 1], numbers[0]))
        TC_TRY(begin_curve(r, err));
    tc_regret_curve *c = &r->out->items[r->out->n - 1];
    double **const arrays[] = {&c->iteration, &c->simple_mean, &c->simple_se, &c->cumulative_mean,
                               &c->cumulative_se};
    for (size_t k = 0; k < 5; k++) {
        if (!grow(arrays[k], &r->cap[k], c->n + 1))
            return tc_fail_memory(err);
        (*arrays[k])[c->n] = numbers[k];
    }
    c->n++;
    return TACIT_OK;
}

static tacit_status read_rows(reader *r, tacit_error *err)
{
    TC_TRY(read_header(r, err));
    for (bool first = true;; first = false) {
        TC_TRY(tc_csv_next(&r->csv, err));
        if (r->csv.n == 0 && first)
            return tc_fail(err, TACIT_E_ARG, "%s has a header but no rows", r->csv.what);
        if (r->csv.n == 0)
            return TACIT_OK;
        TC_TRY(read_row(r, first, err));
    }
}

tacit_status tc_regret_from_csv(tc_regret_curves *out, const char *text, size_t len,
                                const char *what, tacit_error *err)
{
    reader r = {.out = out};
    size_t before = out->n;
    tc_csv_init(&r.csv, text, len, what);
    tacit_status status = read_rows(&r, err);
    if (status == TACIT_OK)
        status = drop_points(out, before, what, err);
    tc_csv_fini(&r.csv);
    return status;
}

/* -- JSON ---------------------------------------------------------------------------------- */

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

static tacit_status no_moments(size_t n, double **mean, double **se, tacit_error *err)
{
    *mean = tc_alloc(n, sizeof **mean);
    *se = tc_alloc(n, sizeof **se);
    if (!*mean || !*se)
        return tc_fail_memory(err);
    for (size_t i = 0; i < n; i++)
        (*mean)[i] = (*se)[i] = INFINITY;
    return TACIT_OK;
}

static tacit_status read_curve(tc_regret_curve *c, const json_t *j, tacit_error *err)
{
    const char *key = json_object_get(j, "pulls") ? "pulls" : "iterations";
    const json_t *iteration = json_object_get(j, key);
    c->by_pulls = strcmp(key, "pulls") == 0;
    c->n = json_array_size(iteration);
    if (c->n == 0)
        return tc_fail(err, TACIT_E_ARG, "%s must be an array with at least one number", key);
    TC_TRY(read_array(iteration, key, c->n, &c->iteration, err));
    if (c->by_pulls)
        TC_TRY(no_moments(c->n, &c->simple_mean, &c->simple_se, err));
    else
        TC_TRY(read_moments(j, "simple_regret", c->n, &c->simple_mean, &c->simple_se, err));
    return read_moments(j, "cumulative_regret", c->n, &c->cumulative_mean, &c->cumulative_se, err);
}

static tacit_status read_object(tc_regret_curves *out, const json_t *j, tacit_error *err)
{
    const char *algorithm, *objective, *label;
    int64_t runs = 0, seed = 0;
    TC_TRY(tc_json_string(j, "", "algorithm", &algorithm, err));
    TC_TRY(tc_json_string(j, "", "objective", &objective, err));
    label = algorithm;
    TC_TRY(tc_json_string_or(j, "", "label", &label, err));
    TC_TRY(tc_json_int_or(j, "", "runs", 1, INT64_MAX, &runs, err));
    TC_TRY(tc_json_int_or(j, "", "seed", 0, INT64_MAX, &seed, err));
    tc_regret_curve *c = add_curve(out);
    if (!c || !set_names(c, label, algorithm, objective))
        return tc_fail_memory(err);
    c->runs = (uint64_t)runs;
    c->seed = (uint64_t)seed;
    return read_curve(c, j, err);
}

static tacit_status read_objects(tc_regret_curves *out, const json_t *j, tacit_error *err)
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

tacit_status tc_regret_from_json(tc_regret_curves *out, const json_t *j, const char *what,
                                 tacit_error *err)
{
    tacit_error inner = {0};
    size_t before = out->n;
    tacit_status status = read_objects(out, j, &inner);
    if (status == TACIT_OK)
        return drop_points(out, before, what, err);
    return tc_fail(err, status, "%s is not a result of tacit simulate: %s", what, inner.msg);
}
