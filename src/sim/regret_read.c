/* regret_read.c - reading the curves of a simulation back, from CSV or JSON. See regret_file.h. */
#include "sim/regret_file.h"

#include "base/error.h"
#include "base/json.h"
#include "base/memory.h"
#include "space/csv.h"

#include <math.h>
#include <string.h>

void tc_regret_curve_fini(tc_regret_curve *c)
{
    tc_free(c->algorithm);
    tc_free(c->objective);
    tc_free(c->iteration);
    tc_free(c->simple_mean);
    tc_free(c->simple_se);
    tc_free(c->cumulative_mean);
    tc_free(c->cumulative_se);
    memset(c, 0, sizeof *c);
}

static bool set_names(tc_regret_curve *c, const char *algorithm, const char *objective)
{
    c->algorithm = tc_strdup(algorithm);
    c->objective = tc_strdup(objective);
    return c->algorithm && c->objective;
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

/* Where each of our columns is; others may stand between them. */
static tacit_status read_header(tc_csv *csv, size_t at[COLUMNS], tacit_error *err)
{
    TC_TRY(tc_csv_next(csv, err));
    for (size_t k = 0; k < COLUMNS; k++) {
        size_t i = 0;
        while (i < csv->n && strcmp(csv->field[i], columns[k]) != 0)
            i++;
        if (i == csv->n)
            return tc_fail(err, TACIT_E_ARG,
                           "%s has no column \"%s\": it was not written by tacit simulate",
                           csv->what, columns[k]);
        at[k] = i;
    }
    return TACIT_OK;
}

static tacit_status read_number(const tc_csv *csv, size_t column, double *out, tacit_error *err)
{
    if (!tc_parse_double(csv->field[column], out))
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

static tacit_status read_first(tc_regret_curve *c, const tc_csv *csv, const size_t at[COLUMNS],
                               tacit_error *err)
{
    TC_TRY(read_count(csv, at[RUNS], &c->runs, err));
    TC_TRY(read_count(csv, at[SEED], &c->seed, err));
    if (!set_names(c, csv->field[at[ALGORITHM]], csv->field[at[OBJECTIVE]]))
        return tc_fail_memory(err);
    return TACIT_OK;
}

static bool grow(double **x, size_t *cap, size_t need)
{
    void *p = *x;
    if (!tc_grow(&p, cap, need, sizeof **x))
        return false;
    *x = p;
    return true;
}

static tacit_status read_row(tc_regret_curve *c, const tc_csv *csv, const size_t at[COLUMNS],
                             size_t *cap, tacit_error *err)
{
    double **const arrays[] = {&c->iteration, &c->simple_mean, &c->simple_se, &c->cumulative_mean,
                               &c->cumulative_se};
    for (size_t k = 0; k < 5; k++) {
        if (!grow(arrays[k], &cap[k], c->n + 1))
            return tc_fail_memory(err);
        TC_TRY(read_number(csv, at[ITERATION + k], &(*arrays[k])[c->n], err));
    }
    if (c->n == 0)
        TC_TRY(read_first(c, csv, at, err));
    else if (strcmp(csv->field[at[ALGORITHM]], c->algorithm) != 0 ||
             strcmp(csv->field[at[OBJECTIVE]], c->objective) != 0)
        return tc_csv_fail(csv, 0, err,
                           "another algorithm or objective begins; give one file each");
    c->n++;
    return TACIT_OK;
}

static tacit_status read_rows(tc_regret_curve *c, tc_csv *csv, tacit_error *err)
{
    size_t at[COLUMNS], cap[5] = {0};
    TC_TRY(read_header(csv, at, err));
    for (;;) {
        TC_TRY(tc_csv_next(csv, err));
        if (csv->n == 0)
            break;
        TC_TRY(read_row(c, csv, at, cap, err));
    }
    if (c->n == 0)
        return tc_fail(err, TACIT_E_ARG, "%s has a header but no rows", csv->what);
    return TACIT_OK;
}

tacit_status tc_regret_from_csv(tc_regret_curve *out, const char *text, size_t len,
                                const char *what, tacit_error *err)
{
    tc_regret_curve c = {0};
    tc_csv csv;
    tc_csv_init(&csv, text, len, what);
    tacit_status status = read_rows(&c, &csv, err);
    tc_csv_fini(&csv);
    if (status != TACIT_OK)
        tc_regret_curve_fini(&c);
    else
        *out = c;
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
        if (!json_is_number(v))
            return tc_fail(err, TACIT_E_ARG, "%s[%zu] must be a number, not %s", key, i,
                           tc_json_kind(v));
        x[i] = json_number_value(v);
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

static tacit_status read_object(tc_regret_curve *c, const json_t *j, tacit_error *err)
{
    const char *algorithm, *objective;
    int64_t runs = 0, seed = 0;
    TC_TRY(tc_json_string(j, "", "algorithm", &algorithm, err));
    TC_TRY(tc_json_string(j, "", "objective", &objective, err));
    TC_TRY(tc_json_int_or(j, "", "runs", 1, INT64_MAX, &runs, err));
    TC_TRY(tc_json_int_or(j, "", "seed", 0, INT64_MAX, &seed, err));
    if (!set_names(c, algorithm, objective))
        return tc_fail_memory(err);
    c->runs = (uint64_t)runs;
    c->seed = (uint64_t)seed;
    const json_t *iteration = json_object_get(j, "iterations");
    c->n = json_array_size(iteration);
    if (c->n == 0)
        return tc_fail(err, TACIT_E_ARG, "iterations must be an array with at least one number");
    TC_TRY(read_array(iteration, "iterations", c->n, &c->iteration, err));
    TC_TRY(read_moments(j, "simple_regret", c->n, &c->simple_mean, &c->simple_se, err));
    return read_moments(j, "cumulative_regret", c->n, &c->cumulative_mean, &c->cumulative_se, err);
}

tacit_status tc_regret_from_json(tc_regret_curve *out, const json_t *j, const char *what,
                                 tacit_error *err)
{
    tc_regret_curve c = {0};
    tacit_error inner = {0};
    tacit_status status = read_object(&c, j, &inner);
    if (status == TACIT_OK) {
        *out = c;
        return TACIT_OK;
    }
    tc_regret_curve_fini(&c);
    return tc_fail(err, status, "%s is not a result of tacit simulate: %s", what, inner.msg);
}
