/* landmine.c - reading the fields, and a grid of machines. See landmine.h; landmine_svm.c trains one. */
#include "base/csv.h"
#include "base/error.h"
#include "base/memory.h"
#include "papers/data/landmine_int.h"
#include "sim/runs.h"

#include <math.h>
#include <stdatomic.h>
#include <string.h>

enum { POINTS_MIN = 2, POINTS_MAX = 200 };

/* ---- reading */

typedef struct columns {
    size_t field, split, label, feature[TC_LANDMINE_FEATURES];
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
    for (size_t i = 0; i < TC_LANDMINE_FEATURES; i++) {
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

static tacit_status take_row(const tc_csv *c, const columns *at, tc_landmine *l, tacit_error *err)
{
    double which, label;
    TC_TRY(number(c, at->field, TC_LANDMINE_FIELDS - 1, &which, err));
    TC_TRY(number(c, at->label, 1, &label, err));
    if (!(which >= 0 && which == rint(which)))
        return tc_csv_fail(c, at->field + 1, err, "fields are numbered from 0");
    tc_landmine_field *f = &l->fields[(size_t)which];
    tc_landmine_half *h = strcmp(c->field[at->split], "train") == 0 ? &f->train : &f->test;
    if (h->n == TC_LANDMINE_ROWS)
        return tc_csv_fail(c, 0, err, "half a field has more than %d rows", TC_LANDMINE_ROWS);
    double *x = h->x[h->n];
    h->label[h->n++] = label > 0;
    for (size_t i = 0; i < TC_LANDMINE_FEATURES; i++)
        TC_TRY(number(c, at->feature[i], HUGE_VAL, &x[i], err));
    return TACIT_OK;
}

static tacit_status parse(tc_csv *c, tc_landmine *l, tacit_error *err)
{
    columns at = {0};
    TC_TRY(tc_csv_next(c, err));
    TC_TRY(find_columns(c, &at, err));
    for (;;) {
        TC_TRY(tc_csv_next(c, err));
        if (c->n == 0)
            break;
        TC_TRY(take_row(c, &at, l, err));
    }
    for (size_t m = 0; m < TC_LANDMINE_FIELDS; m++)
        if (l->fields[m].train.n == 0 || l->fields[m].test.n == 0)
            return tc_fail(err, TACIT_E_ARG, "field %zu has no rows to train or to test on", m);
    return TACIT_OK;
}

tacit_status tc_landmine_new(tc_landmine **out, const char *text, size_t len, tacit_error *err)
{
    tc_csv c;
    tc_landmine *l = tc_alloc(1, sizeof *l);
    if (!l)
        return tc_fail_memory(err);
    tc_csv_init(&c, text, len, "landmine.csv");
    tacit_status status = parse(&c, l, err);
    tc_csv_fini(&c);
    if (status != TACIT_OK) {
        tc_free(l);
        return status;
    }
    *out = l;
    return TACIT_OK;
}

void tc_landmine_free(tc_landmine *l)
{
    tc_free(l);
}

/* ---- the value of a machine */

double tc_landmine_auc(size_t n, const bool *label, const double *decision)
{
    double good = 0, pairs = 0;
    for (size_t i = 0; i < n; i++)
        for (size_t j = 0; j < n; j++) {
            if (!(label[i] && !label[j]))
                continue;
            pairs++;
            good += decision[i] > decision[j] ? 1 : decision[i] == decision[j] ? 0.5 : 0;
        }
    return pairs > 0 ? good / pairs : 0.5;
}

/* ---- the grid */

typedef struct grid {
    const tc_landmine *l;
    const tc_landmine_grid *g;
    double *value;       /* points x points x fields */
    tacit_error *errors; /* of each */
    atomic_bool stop;
} grid;

static double coordinate(const tc_landmine_grid *g, double low, double high, size_t i)
{
    double share = (double)i / (double)(g->points - 1);
    return g->log ? log10(low) + (log10(high) - log10(low)) * share : low + (high - low) * share;
}

static double gamma_at(const tc_landmine_grid *g, size_t point)
{
    return coordinate(g, 0.01, 10, point / g->points);
}

static double penalty_at(const tc_landmine_grid *g, size_t point)
{
    return coordinate(g, 0.0001, 10, point % g->points);
}

static double plain(const tc_landmine_grid *g, double x)
{
    return g->log ? pow(10, x) : x;
}

/* One machine of one field. */
static void machine(void *ctx, size_t i)
{
    grid *of = ctx;
    const tc_landmine_grid *g = of->g;
    size_t point = i / TC_LANDMINE_FIELDS, field = i % TC_LANDMINE_FIELDS;
    if (!atomic_load(&of->stop) && g->proceed && !g->proceed(g->user))
        atomic_store(&of->stop, true);
    if (atomic_load(&of->stop)) {
        (void)tc_fail(&of->errors[i], TACIT_E_CANCELLED, "interrupted");
        return;
    }
    if (tc_landmine_score(&of->l->fields[field], plain(g, gamma_at(g, point)),
                          plain(g, penalty_at(g, point)), g->platt, &of->value[i],
                          &of->errors[i]) != TACIT_OK)
        atomic_store(&of->stop, true);
}

static void write_table(const grid *of, tc_text *out)
{
    const tc_landmine_grid *g = of->g;
    tc_text_add(out, g->log ? "log10_gamma,log10_C" : "gamma,C");
    for (int m = 1; m <= TC_LANDMINE_FIELDS; m++)
        tc_text_addf(out, ",value_%d", m);
    for (size_t point = 0; point < g->points * g->points; point++) {
        tc_text_addf(out, "\n%.6f,%.6f", gamma_at(g, point), penalty_at(g, point));
        for (size_t m = 0; m < TC_LANDMINE_FIELDS; m++)
            tc_text_addf(out, ",%.6f", of->value[point * TC_LANDMINE_FIELDS + m]);
    }
    tc_text_add(out, "\n");
}

static tacit_status fill(grid *of, size_t points, tc_text *out, tacit_error *err)
{
    tc_landmine_silence();
    tc_pool_for(of->g->pool, points * TC_LANDMINE_FIELDS, machine, of);
    TC_TRY(tc_runs_failure(of->errors, points * TC_LANDMINE_FIELDS, err));
    write_table(of, out);
    return out->failed ? tc_fail_memory(err) : TACIT_OK;
}

tacit_status tc_landmine_table(const tc_landmine *l, const tc_landmine_grid *g, tc_text *out,
                               tacit_error *err)
{
    size_t points = g->points * g->points;
    if (g->points < POINTS_MIN || g->points > POINTS_MAX)
        return tc_fail(err, TACIT_E_ARG, "an axis has %d to %d points, not %zu", POINTS_MIN,
                       POINTS_MAX, g->points);
    grid of = {.l = l,
               .g = g,
               .value = tc_alloc(points * TC_LANDMINE_FIELDS, sizeof(double)),
               .errors = tc_alloc(points * TC_LANDMINE_FIELDS, sizeof(tacit_error))};
    tacit_status status = of.value && of.errors ? fill(&of, points, out, err) : tc_fail_memory(err);
    tc_free(of.value);
    tc_free(of.errors);
    return status;
}
