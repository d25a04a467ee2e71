/* activity.c - reading the windows, and logistic regression. See activity.h. */
#include "papers/data/activity.h"

#include "base/csv.h"
#include "base/error.h"
#include "base/memory.h"
#include "base/random.h"

#include <math.h>
#include <string.h>

enum {
    FEATURES = 114,
    CLASSES = 6,
    WIDTH = FEATURES + 1,
    HEAD = 4,
    PASSES = 10,
    LAST_TRAINING = 9
};

/* Windows of one agent, each with a 1 behind its features. */
typedef struct part {
    size_t n, cap, label_cap;
    double *x; /* n x WIDTH */
    size_t *label;
} part;

typedef struct agent {
    part train, test;
} agent;

struct tc_activity {
    size_t parts, agents;
    /* Windows of each subject so far: the next goes to the agent whose turn it is. */
    size_t trained[TC_ACTIVITY_SUBJECTS], tested[TC_ACTIVITY_SUBJECTS];
    agent *agent;
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
    bool train = trial <= LAST_TRAINING;
    size_t turn = (train ? a->trained : a->tested)[who - 1]++ % a->parts;
    agent *to = &a->agent[turn * TC_ACTIVITY_SUBJECTS + who - 1];
    return add_window(c, train ? &to->train : &to->test, label, err);
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
    for (size_t i = 0; i < a->agents; i++)
        if (a->agent[i].train.n == 0 || a->agent[i].test.n == 0)
            return tc_fail(err, TACIT_E_ARG,
                           "subject %zu has too few windows for %zu agents to train and to test on",
                           i % TC_ACTIVITY_SUBJECTS + 1, a->parts);
    return TACIT_OK;
}

/* By the training part: what is constant there becomes 0. */
static void standardise(agent *s, size_t k)
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

static tacit_status read_all(tc_activity *a, const char *text, size_t len, tacit_error *err)
{
    tc_csv c;
    a->agent = tc_alloc(a->agents, sizeof *a->agent);
    if (!a->agent)
        return tc_fail_memory(err);
    tc_csv_init(&c, text, len, "motionsense_windows.csv");
    tacit_status status = parse(&c, a, err);
    tc_csv_fini(&c);
    return status;
}

tacit_status tc_activity_new(tc_activity **out, const char *text, size_t len, size_t parts,
                             tacit_error *err)
{
    tc_activity *a = tc_alloc(1, sizeof *a);
    if (!a)
        return tc_fail_memory(err);
    a->parts = parts;
    a->agents = parts * TC_ACTIVITY_SUBJECTS;
    tacit_status status = read_all(a, text, len, err);
    if (status != TACIT_OK) {
        tc_activity_free(a);
        return status;
    }
    for (size_t i = 0; i < a->agents; i++)
        for (size_t k = 0; k < FEATURES; k++)
            standardise(&a->agent[i], k);
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
    if (!a)
        return;
    for (size_t i = 0; a->agent && i < a->agents; i++) {
        part_free(&a->agent[i].train);
        part_free(&a->agent[i].test);
    }
    tc_free(a->agent);
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
    const agent *s = &a->agent[who];
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

static tacit_status model_error(const void *data, size_t who, const double *x, double *out,
                                tacit_error *err)
{
    return tc_activity_error(data, who, x[0], x[1], (size_t)rint(x[2]), out, err);
}

void tc_activity_fill(const tc_activity *a, tc_model_grid *g)
{
    g->names[0] = "rate";
    g->names[1] = "l2";
    g->names[2] = "batch";
    g->agents = a->agents;
    g->error = model_error;
    g->data = a;
}
