/* log_ehvi.c - sums of products over boxes, plainly and in logarithms. See log_ehvi.h. */
#include "algo/single/log_ehvi.h"

#include "algo/single/log_between.h"
#include "algo/single/log_ei.h"
#include "base/error.h"
#include "base/memory.h"

#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

/* Below this the plain sum has lost digits, or everything. */
#define LEAST_SUM 1e-60

void tc_ehvi_fini(tc_ehvi *e)
{
    tc_boxes_fini(&e->boxes);
    tc_free(e->level);
    tc_free(e->low);
    tc_free(e->high);
}

/* ---- levels ---- */

static int ascending(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

/* The levels of objective j, from `first` on. */
static size_t collect(tc_ehvi *e, size_t j, size_t first)
{
    const tc_boxes *b = &e->boxes;
    double *level = e->level + first;
    size_t n = 0, distinct = 0;
    for (size_t i = 0; i < b->n; i++) {
        level[n++] = b->low[i * b->k + j];
        if (isfinite(b->high[i * b->k + j]))
            level[n++] = b->high[i * b->k + j];
    }
    qsort(level, n, sizeof *level, ascending);
    for (size_t i = 0; i < n; i++)
        if (i == 0 || level[i] != level[distinct - 1])
            level[distinct++] = level[i];
    return distinct;
}

static size_t level_of(const tc_ehvi *e, size_t j, double value)
{
    size_t from = e->first[j], to = from + e->n_levels[j];
    if (!isfinite(value))
        return SIZE_MAX;
    while (to - from > 1) {
        const size_t middle = (from + to) / 2;
        if (e->level[middle] <= value)
            from = middle;
        else
            to = middle;
    }
    return from;
}

tacit_status tc_ehvi_set(tc_ehvi *e, size_t n, size_t k, const double *front,
                         const double *reference, tacit_error *err)
{
    tc_boxes *b = &e->boxes;
    e->k = k;
    TC_TRY(tc_boxes_open(b, n, k, front, reference, err));
    if (!tc_grow((void **)&e->level, &e->level_cap, 2 * b->n * k, sizeof *e->level) ||
        !tc_grow((void **)&e->low, &e->low_cap, b->n * k, sizeof *e->low) ||
        !tc_grow((void **)&e->high, &e->high_cap, b->n * k, sizeof *e->high))
        return tc_fail_memory(err);
    for (size_t j = 0, first = 0; j < k; j++) {
        e->first[j] = first;
        e->n_levels[j] = collect(e, j, first);
        first += e->n_levels[j];
    }
    for (size_t i = 0; i < b->n * k; i++) {
        e->low[i] = level_of(e, i % k, b->low[i]);
        e->high[i] = level_of(e, i % k, b->high[i]);
    }
    return TACIT_OK;
}

/* ---- the plain sum ---- */

static size_t all_levels(const tc_ehvi *e)
{
    return e->k > 0 ? e->first[e->k - 1] + e->n_levels[e->k - 1] : 0;
}

size_t tc_ehvi_scratch_size(const tc_ehvi *e)
{
    return 3 * all_levels(e);
}

static tc_ei at_level(const tc_ei *ei, size_t level)
{
    return level == SIZE_MAX ? (tc_ei){0} : ei[level];
}

/* Adds a box to the sum and to its derivatives. */
static double add_box(const tc_ehvi *e, size_t i, const tc_ei *ei, double *d_mean, double *d_var)
{
    const size_t k = e->k;
    tc_ei part[TC_EHVI_MOST] = {{0}};
    double product = 1;
    for (size_t j = 0; j < k; j++) {
        const tc_ei low = at_level(ei, e->low[i * k + j]), high = at_level(ei, e->high[i * k + j]);
        part[j] = (tc_ei){.value = low.value - high.value,
                          .d_mean = low.d_mean - high.d_mean,
                          .d_var = low.d_var - high.d_var};
        product *= part[j].value;
    }
    for (size_t j = 0; j < k; j++) {
        double others = 1;
        for (size_t d = 0; d < k; d++)
            others *= d == j ? 1 : part[d].value;
        d_mean[j] += others * part[j].d_mean;
        d_var[j] += others * part[j].d_var;
    }
    return product;
}

static double plain_sum(const tc_ehvi *e, const double *mean, const double *var, double *d_mean,
                        double *d_var, tc_ei *ei)
{
    double sum = 0;
    for (size_t j = 0; j < e->k; j++)
        for (size_t l = e->first[j]; l < e->first[j] + e->n_levels[j]; l++) {
            double sd;
            const double z = tc_ei_z(e->level[l], mean[j], var[j], &sd);
            ei[l] = tc_ei_at(z, sd);
        }
    memset(d_mean, 0, e->k * sizeof *d_mean);
    memset(d_var, 0, e->k * sizeof *d_var);
    for (size_t i = 0; i < e->boxes.n; i++)
        sum += add_box(e, i, ei, d_mean, d_var);
    return sum;
}

/* ---- the same in logarithms ---- */

typedef struct part {
    double value, d_mean, d_var; /* ln(EI(low) - EI(high)) and its derivatives */
} part;

/* Levels close together: nearly all of the difference is their distance times the probability to be above both. */
static part log_narrow(double low, double high, double mean, double var)
{
    double sd, z = tc_ei_z((low + high) / 2, mean, var, &sd), slope;
    const double value = log(high - low) + tc_log_cdf(z, &slope);
    return (part){.value = value, .d_mean = slope / sd, .d_var = -slope * z / (2 * sd * sd)};
}

static part log_part(double low, double high, double mean, double var)
{
    part l, h = {0};
    const double sd = sqrt(fmax(var, 1e-24)), wide = (high - low) / sd;
    const double away = fmax(fabs(low - mean), fabs(high - mean)) / sd;
    if (wide * (1 + away) < 1e-3)
        return log_narrow(low, high, mean, var);
    l.value = tc_log_ei(low, mean, var, &l.d_mean, &l.d_var);
    if (!isfinite(high))
        return l;
    h.value = tc_log_ei(high, mean, var, &h.d_mean, &h.d_var);
    const double ratio = exp(h.value - l.value), rest = -expm1(h.value - l.value);
    return (part){.value = l.value + log(rest),
                  .d_mean = (l.d_mean - ratio * h.d_mean) / rest,
                  .d_var = (l.d_var - ratio * h.d_var) / rest};
}

/* Adds the box whose logarithm is known to a sum of which `top` is the largest logarithm so far. */
static void add_log_box(size_t k, double value, const part *p, double *top, double *sum,
                        double *d_mean, double *d_var)
{
    if (value > *top) { /* what is there so far, in units of the new one */
        const double unit = exp(*top - value);
        *sum *= unit;
        for (size_t j = 0; j < k; j++) {
            d_mean[j] *= unit;
            d_var[j] *= unit;
        }
        *top = value;
    }
    const double weight = exp(value - *top);
    *sum += weight;
    for (size_t j = 0; j < k; j++) {
        d_mean[j] += weight * p[j].d_mean;
        d_var[j] += weight * p[j].d_var;
    }
}

static double log_sum(const tc_ehvi *e, const double *mean, const double *var, double *d_mean,
                      double *d_var)
{
    const tc_boxes *b = &e->boxes;
    const size_t k = e->k;
    double top = -INFINITY, sum = 0;
    memset(d_mean, 0, k * sizeof *d_mean);
    memset(d_var, 0, k * sizeof *d_var);
    for (size_t i = 0; i < b->n; i++) {
        part p[TC_EHVI_MOST] = {{0}};
        double value = 0;
        for (size_t j = 0; j < k; j++) {
            p[j] = log_part(b->low[i * k + j], b->high[i * k + j], mean[j], var[j]);
            value += p[j].value;
        }
        if (isfinite(value))
            add_log_box(k, value, p, &top, &sum, d_mean, d_var);
    }
    for (size_t j = 0; j < k && sum > 0; j++) {
        d_mean[j] /= sum;
        d_var[j] /= sum;
    }
    return top + log(sum);
}

double tc_log_ehvi(const tc_ehvi *e, const double *mean, const double *var, double *d_mean,
                   double *d_var, double *scratch)
{
    const double sum = plain_sum(e, mean, var, d_mean, d_var, (tc_ei *)scratch);
    if (!(sum > LEAST_SUM))
        return log_sum(e, mean, var, d_mean, d_var);
    for (size_t j = 0; j < e->k; j++) {
        d_mean[j] /= sum;
        d_var[j] /= sum;
    }
    return log(sum);
}
