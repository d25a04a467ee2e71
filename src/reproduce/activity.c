/* activity.c - reading the windows, logistic regression, and a grid of models. See activity.h. */
#include "reproduce/activity.h"

#include "base/error.h"
#include "base/memory.h"
#include "base/random.h"
#include "sim/runs.h"
#include "space/csv.h"

#include <math.h>
#include <stdatomic.h>
#include <string.h>

enum {
    FEATURES = 114,
    CLASSES = 6,
    WIDTH = FEATURES + 1,
    HEAD = 4,
    PASSES = 10,
    LAST_TRAINING = 9
};

/* Windows of one subject, each with a 1 behind its features. */
typedef struct part {
    size_t n, cap, label_cap;
    double *x; /* n x WIDTH */
    size_t *label;
} part;

typedef struct subject {
    part train, test;
} subject;

struct tc_activity {
    subject subjects[TC_ACTIVITY_SUBJECTS];
};

/* ---- reading */

static tacit_status whole(const tc_csv *c, size_t column, double most, size_t *out,
                          tacit_error *err)
{
    double v;
    if (!tc_parse_double(c->field[column], &v) || v != rint(v) || v < 1 || v > most)
        return tc_csv_fail(c, column + 1, err,
                           "a whole number from 1 to %g is needed, got \"%.32s\"", most,
                           c->field[column]);
    *out = (size_t)v;
    return TACIT_OK;
}

static tacit_status add_window(const tc_csv *c, part *p, size_t label, tacit_error *err)
{
    if (!tc_grow((void **)&p->x, &p->cap, (p->n + 1) * WIDTH, sizeof *p->x) ||
        !tc_grow((void **)&p->label, &p->label_cap, p->n + 1, sizeof *p->label))
        return tc_fail_memory(err);
    double *x = p->x + p->n * WIDTH;
    for (size_t k = 0; k < FEATURES; k++)
        if (!tc_parse_double(c->field[HEAD + k], &x[k]))
            return tc_csv_fail(c, HEAD + k + 1, err, "a number is needed, got \"%.32s\"",
                               c->field[HEAD + k]);
    x[FEATURES] = 1;
    p->label[p->n++] = label - 1;
    return TACIT_OK;
}

static tacit_status take_row(const tc_csv *c, tc_activity *a, tacit_error *err)
{
    size_t who = 1, label = 1, trial = 1;
    TC_TRY(whole(c, 0, TC_ACTIVITY_SUBJECTS, &who, err));
    TC_TRY(whole(c, 1, CLASSES, &label, err));
    TC_TRY(whole(c, 2, 1e6, &trial, err));
    subject *s = &a->subjects[who - 1];
    return add_window(c, trial <= LAST_TRAINING ? &s->train : &s->test, label, err);
}

static tacit_status parse(tc_csv *c, tc_activity *a, tacit_error *err)
{
    TC_TRY(tc_csv_next(c, err));
    if (c->n != HEAD + FEATURES)
        return tc_csv_fail(c, 0, err, "there must be %d columns, not %zu", HEAD + FEATURES, c->n);
    for (;;) {
        TC_TRY(tc_csv_next(c, err));
        if (c->n == 0)
            break;
        TC_TRY(take_row(c, a, err));
    }
    for (size_t s = 0; s < TC_ACTIVITY_SUBJECTS; s++)
        if (a->subjects[s].train.n == 0 || a->subjects[s].test.n == 0)
            return tc_fail(err, TACIT_E_ARG, "subject %zu has no windows to train or to test on",
                           s + 1);
    return TACIT_OK;
}

/* By the training part: what is constant there becomes 0. */
static void standardise(subject *s, size_t k)
{
    double mean = 0, square = 0, n = (double)s->train.n;
    for (size_t i = 0; i < s->train.n; i++)
        mean += s->train.x[i * WIDTH + k] / n;
    for (size_t i = 0; i < s->train.n; i++)
        square += (s->train.x[i * WIDTH + k] - mean) * (s->train.x[i * WIDTH + k] - mean) / n;
    double scale = square > 0 ? 1 / sqrt(square) : 0;
    for (size_t i = 0; i < s->train.n; i++)
        s->train.x[i * WIDTH + k] = (s->train.x[i * WIDTH + k] - mean) * scale;
    for (size_t i = 0; i < s->test.n; i++)
        s->test.x[i * WIDTH + k] = (s->test.x[i * WIDTH + k] - mean) * scale;
}

tacit_status tc_activity_new(tc_activity **out, const char *text, size_t len, tacit_error *err)
{
    tc_csv c;
    tc_activity *a = tc_alloc(1, sizeof *a);
    if (!a)
        return tc_fail_memory(err);
    tc_csv_init(&c, text, len, "motionsense_windows.csv");
    tacit_status status = parse(&c, a, err);
    tc_csv_fini(&c);
    if (status != TACIT_OK) {
        tc_activity_free(a);
        return status;
    }
    for (size_t s = 0; s < TC_ACTIVITY_SUBJECTS; s++)
        for (size_t k = 0; k < FEATURES; k++)
            standardise(&a->subjects[s], k);
    *out = a;
    return TACIT_OK;
}

static void part_free(part *p)
{
    tc_free(p->x);
    tc_free(p->label);
}

void tc_activity_free(tc_activity *a)
{
    for (size_t s = 0; a && s < TC_ACTIVITY_SUBJECTS; s++) {
        part_free(&a->subjects[s].train);
        part_free(&a->subjects[s].test);
    }
    tc_free(a);
}

/* ---- one model */

typedef struct model {
    double w[CLASSES][WIDTH], gradient[CLASSES][WIDTH];
} model;

static void scores(const model *m, const double *x, double *out)
{
    for (size_t c = 0; c < CLASSES; c++) {
        double sum = 0;
        for (size_t k = 0; k < WIDTH; k++)
            sum += m->w[c][k] * x[k];
        out[c] = sum;
    }
}

/* The largest first: exponentials do not overflow. */
static void probabilities(const model *m, const double *x, double *p)
{
    double most = -INFINITY, sum = 0;
    scores(m, x, p);
    for (size_t c = 0; c < CLASSES; c++)
        most = fmax(most, p[c]);
    for (size_t c = 0; c < CLASSES; c++)
        sum += p[c] = exp(p[c] - most);
    for (size_t c = 0; c < CLASSES; c++)
        p[c] /= sum;
}

static void add_gradient(model *m, const double *x, size_t label, double weight)
{
    double p[CLASSES];
    probabilities(m, x, p);
    for (size_t c = 0; c < CLASSES; c++) {
        double g = weight * (p[c] - (c == label));
        for (size_t k = 0; k < WIDTH; k++)
            m->gradient[c][k] += g * x[k];
    }
}

static void step(model *m, const part *p, const size_t *order, size_t n, double rate, double l2)
{
    memset(m->gradient, 0, sizeof m->gradient);
    for (size_t i = 0; i < n; i++)
        add_gradient(m, p->x + order[i] * WIDTH, p->label[order[i]], 1 / (double)n);
    for (size_t c = 0; c < CLASSES; c++)
        for (size_t k = 0; k < WIDTH; k++)
            m->w[c][k] -= rate * (m->gradient[c][k] + l2 * m->w[c][k]);
}

static void train(model *m, const part *p, size_t *order, double rate, double l2, size_t batch)
{
    tc_public_seed seed = tc_public_seed_from(0);
    for (uint64_t pass = 0; pass < PASSES; pass++) {
        tc_stream s;
        tc_stream_public(&s, &seed, TC_FOR_DESIGN, pass);
        tc_draw_permutation(&s, p->n, order);
        for (size_t i = 0; i < p->n; i += batch)
            step(m, p, order + i, p->n - i < batch ? p->n - i : batch, rate, l2);
    }
}

/* A model that has run away answers with the first activity. */
static double error_of(const model *m, const part *p)
{
    size_t wrong = 0;
    for (size_t i = 0; i < p->n; i++) {
        double s[CLASSES];
        size_t best = 0;
        scores(m, p->x + i * WIDTH, s);
        for (size_t c = 1; c < CLASSES; c++)
            if (s[c] > s[best])
                best = c;
        wrong += best != p->label[i];
    }
    return (double)wrong / (double)p->n;
}

tacit_status tc_activity_error(const tc_activity *a, size_t who, double rate, double l2,
                               size_t batch, double *out, tacit_error *err)
{
    const subject *s = &a->subjects[who];
    model *m = tc_alloc(1, sizeof *m);
    size_t *order = tc_alloc(s->train.n, sizeof *order);
    if (m && order) {
        train(m, &s->train, order, rate, l2, batch);
        *out = error_of(m, &s->test);
    }
    tacit_status status = m && order ? TACIT_OK : tc_fail_memory(err);
    tc_free(m);
    tc_free(order);
    return status;
}

/* ---- the grid */

typedef struct grid {
    const tc_activity *a;
    const tc_activity_grid *g;
    double *value;       /* points x subjects */
    tacit_error *errors; /* of each */
    atomic_bool stop;
} grid;

static double coordinate(const tc_activity_grid *g, size_t axis, size_t point)
{
    size_t stride = axis == 0 ? g->points[1] * g->points[2] : axis == 1 ? g->points[2] : 1;
    double share = (double)(point / stride % g->points[axis]) / (double)(g->points[axis] - 1);
    double low = g->low[axis], high = g->high[axis];
    return g->log ? log10(low) + (log10(high) - log10(low)) * share : low + (high - low) * share;
}

static double plain(const tc_activity_grid *g, size_t axis, size_t point)
{
    double v = coordinate(g, axis, point);
    return g->log ? pow(10, v) : v;
}

static void fit(void *ctx, size_t i)
{
    grid *of = ctx;
    const tc_activity_grid *g = of->g;
    size_t point = i / TC_ACTIVITY_SUBJECTS, who = i % TC_ACTIVITY_SUBJECTS;
    if (!atomic_load(&of->stop) && g->proceed && !g->proceed(g->user))
        atomic_store(&of->stop, true);
    if (atomic_load(&of->stop)) {
        (void)tc_fail(&of->errors[i], TACIT_E_CANCELLED, "interrupted");
        return;
    }
    if (tc_activity_error(of->a, who, plain(g, 0, point), plain(g, 1, point),
                          (size_t)rint(plain(g, 2, point)), &of->value[i],
                          &of->errors[i]) != TACIT_OK)
        atomic_store(&of->stop, true);
}

static void write_table(const grid *of, size_t points, tc_text *out)
{
    static const char *const names[] = {"rate,l2,batch", "log10_rate,log10_l2,log10_batch"};
    tc_text_add(out, names[of->g->log]);
    for (int s = 1; s <= TC_ACTIVITY_SUBJECTS; s++)
        tc_text_addf(out, ",value_%d", s);
    for (size_t i = 0; i < points; i++) {
        for (size_t axis = 0; axis < 3; axis++)
            tc_text_addf(out, "%s%.6f", axis ? "," : "\n", coordinate(of->g, axis, i));
        for (size_t s = 0; s < TC_ACTIVITY_SUBJECTS; s++)
            tc_text_addf(out, ",%.6f", of->value[i * TC_ACTIVITY_SUBJECTS + s]);
    }
    tc_text_add(out, "\n");
}

tacit_status tc_activity_table(const tc_activity *a, const tc_activity_grid *g, tc_text *out,
                               tacit_error *err)
{
    size_t points = g->points[0] * g->points[1] * g->points[2], n = points * TC_ACTIVITY_SUBJECTS;
    grid of = {.a = a,
               .g = g,
               .value = tc_alloc(n, sizeof(double)),
               .errors = tc_alloc(n, sizeof(tacit_error))};
    tacit_status status = of.value && of.errors ? TACIT_OK : tc_fail_memory(err);
    if (status == TACIT_OK) {
        tc_pool_for(g->pool, n, fit, &of);
        status = tc_runs_failure(of.errors, n, err);
    }
    if (status == TACIT_OK)
        write_table(&of, points, out);
    tc_free(of.value);
    tc_free(of.errors);
    return status == TACIT_OK && out->failed ? tc_fail_memory(err) : status;
}
