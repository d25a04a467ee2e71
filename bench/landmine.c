/* landmine.c - landmine detection as a table: the AUC of an SVM on each of 29 fields, over a grid.
 *
 *     bench_landmine [points of an axis, 20] < landmine.csv > table.csv
 *
 * Field n is agent n of the objective table:table.csv [Xue et al. 2007; tuned as in Dai et al. 2020 and in
 * the pf-pne experiments]: C-SVC with a Gaussian kernel, trained on one half of the field, gamma in
 * [0.01, 10] and C in [0.0001, 10], both evenly spaced in their logarithms, which are the parameters of the
 * table. The value is the area under the ROC curve of the decision values on the other half, ties counting
 * one half. Features are used as they are. The input has the columns field, split (train or test), label
 * (0 or 1) and f1 to f9; others are passed over. Needs libsvm; bench/landmine_table finds the data. */
#include "base/error.h"
#include "base/memory.h"
#include "base/text.h"
#include "space/csv.h"

#include <libsvm/svm.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { FIELDS = 29, FEATURES = 9, ROWS_MAX = 1000, POINTS_MAX = 200, CACHE_MB = 16 };

static const double low[2] = {-2, -4}, high[2] = {1, 1}; /* log10 of gamma, of C */

/* One half of a field. */
typedef struct half {
    size_t n;
    double label[ROWS_MAX];
    struct svm_node row[ROWS_MAX][FEATURES + 1], *rows[ROWS_MAX];
} half;

typedef struct field {
    half train, test;
} field;

/* ---- reading ---- */

typedef struct columns {
    size_t field, split, label, feature[FEATURES];
} columns;

static tacit_status find_column(const tc_csv *c, const char *name, size_t *out, tacit_error *err)
{
    for (size_t i = 0; i < c->n; i++)
        if (strcmp(c->field[i], name) == 0) {
            *out = i;
            return TACIT_OK;
        }
    return tc_csv_fail(c, 0, err, "there is no column %s", name);
}

static tacit_status find_columns(const tc_csv *c, columns *out, tacit_error *err)
{
    TC_TRY(find_column(c, "field", &out->field, err));
    TC_TRY(find_column(c, "split", &out->split, err));
    TC_TRY(find_column(c, "label", &out->label, err));
    for (size_t i = 0; i < FEATURES; i++) {
        const char name[] = {'f', (char)('1' + i), 0};
        TC_TRY(find_column(c, name, &out->feature[i], err));
    }
    return TACIT_OK;
}

static tacit_status number(const tc_csv *c, size_t column, double most, double *out,
                           tacit_error *err)
{
    if (tc_parse_double(c->field[column], out) && *out <= most)
        return TACIT_OK;
    return tc_csv_fail(c, column + 1, err, "a number up to %g is needed, got \"%.32s\"", most,
                       c->field[column]);
}

static tacit_status take_row(const tc_csv *c, const columns *at, field *fields, tacit_error *err)
{
    double which, label;
    TC_TRY(number(c, at->field, FIELDS - 1, &which, err));
    TC_TRY(number(c, at->label, 1, &label, err));
    if (!(which >= 0 && which == rint(which)))
        return tc_csv_fail(c, at->field + 1, err, "fields are numbered from 0");
    field *f = &fields[(size_t)which];
    half *h = strcmp(c->field[at->split], "train") == 0 ? &f->train : &f->test;
    if (h->n == ROWS_MAX)
        return tc_csv_fail(c, 0, err, "half a field has more than %d rows", ROWS_MAX);
    struct svm_node *row = h->rows[h->n] = h->row[h->n];
    h->label[h->n++] = label > 0;
    for (int i = 0; i < FEATURES; i++) {
        row[i].index = i + 1;
        TC_TRY(number(c, at->feature[i], HUGE_VAL, &row[i].value, err));
    }
    row[FEATURES].index = -1;
    return TACIT_OK;
}

static tacit_status parse(const tc_text *text, field *fields, tacit_error *err)
{
    tc_csv c;
    columns at;
    tc_csv_init(&c, tc_text_get(text), text->len, "landmine.csv");
    tacit_status status = tc_csv_next(&c, err);
    if (status == TACIT_OK)
        status = find_columns(&c, &at, err);
    while (status == TACIT_OK) {
        status = tc_csv_next(&c, err);
        if (status != TACIT_OK || c.n == 0)
            break;
        status = take_row(&c, &at, fields, err);
    }
    tc_csv_fini(&c);
    return status;
}

static tacit_status read_fields(field *fields, tacit_error *err)
{
    char buffer[4096];
    tc_text text = {0};
    for (size_t n; (n = fread(buffer, 1, sizeof buffer, stdin)) > 0;)
        tc_text_add_bytes(&text, buffer, n);
    tacit_status status = text.failed ? tc_fail_memory(err) : parse(&text, fields, err);
    tc_text_fini(&text);
    for (size_t m = 0; status == TACIT_OK && m < FIELDS; m++)
        if (fields[m].train.n == 0 || fields[m].test.n == 0)
            status = tc_fail(err, TACIT_E_ARG, "field %zu has no rows to train or to test on", m);
    return status;
}

/* ---- one machine ---- */

/* The share of pairs (mine, no mine) that are in order. */
static double auc(const half *h, const double *decision)
{
    double good = 0, pairs = 0;
    for (size_t i = 0; i < h->n; i++)
        for (size_t j = 0; j < h->n; j++) {
            if (!(h->label[i] > h->label[j]))
                continue;
            pairs++;
            good += decision[i] > decision[j] ? 1 : decision[i] == decision[j] ? 0.5 : 0;
        }
    return pairs > 0 ? good / pairs : 0.5;
}

/* A decision is for the label that libsvm saw first. */
static double score(field *f, double gamma, double C)
{
    struct svm_parameter p = {.svm_type = C_SVC,
                              .kernel_type = RBF,
                              .gamma = gamma,
                              .C = C,
                              .cache_size = CACHE_MB,
                              .eps = 1e-3,
                              .shrinking = 1};
    struct svm_problem problem = {(int)f->train.n, f->train.label, f->train.rows};
    double decision[ROWS_MAX];
    int labels[2] = {0};
    struct svm_model *model = svm_train(&problem, &p);
    svm_get_labels(model, labels);
    for (size_t i = 0; i < f->test.n; i++) {
        svm_predict_values(model, f->test.rows[i], &decision[i]);
        decision[i] *= labels[0] == 1 ? 1 : -1;
    }
    svm_free_and_destroy_model(&model);
    return auc(&f->test, decision);
}

/* ---- the table ---- */

static double at(const double *from, const double *to, size_t axis, size_t i, size_t points)
{
    return from[axis] + (to[axis] - from[axis]) * (double)i / (double)(points - 1);
}

static void tabulate(field *fields, size_t points)
{
    printf("log10_gamma,log10_C");
    for (int m = 1; m <= FIELDS; m++)
        printf(",value_%d", m);
    putchar('\n');
    for (size_t i = 0; i < points * points; i++) {
        double gamma = at(low, high, 0, i / points, points),
               C = at(low, high, 1, i % points, points);
        printf("%.6f,%.6f", gamma, C);
        for (size_t m = 0; m < FIELDS; m++)
            printf(",%.6f", score(&fields[m], pow(10, gamma), pow(10, C)));
        putchar('\n');
    }
}

static void silent(const char *text)
{
    (void)text;
}

int main(int argc, char **argv)
{
    long points = argc > 1 ? strtol(argv[1], NULL, 10) : 20;
    tacit_error err = {0};
    field *fields = tc_alloc(FIELDS, sizeof *fields);
    tacit_status status = fields ? TACIT_OK : tc_fail_memory(&err);
    if (status == TACIT_OK && (points < 2 || points > POINTS_MAX))
        status = tc_fail(&err, TACIT_E_ARG, "an axis has 2 to %d points", POINTS_MAX);
    if (status == TACIT_OK)
        status = read_fields(fields, &err);
    svm_set_print_string_function(silent);
    if (status == TACIT_OK)
        tabulate(fields, (size_t)points);
    else
        fprintf(stderr, "bench_landmine: %s\n", err.msg);
    tc_free(fields);
    return tacit_status_exit(status);
}
