/* domain.c - a finite set of candidate points: made, copied, searched, written.
 *
 * Reading one from CSV is domain_csv.c. Whoever makes a domain fills names and
 * raw, then calls tc_domain_finish, which derives the rest from them. */
#include "space/domain_int.h"

#include "base/error.h"
#include "base/text.h"
#include "space/name.h"

#include <assert.h>
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

void tc_domain_free(tc_domain *d)
{
    if (!d)
        return;
    tc_arena_fini(&d->memory);
    tc_free(d);
}

tacit_status tc_domain_new(tc_domain **out, size_t n, size_t dim, tacit_error *err)
{
    assert(n > 0 && dim > 0);
    tc_domain *d = tc_alloc(1, sizeof *d);
    if (!d)
        return tc_fail_memory(err);
    d->n = n;
    d->dim = dim;
    size_t cells = n <= SIZE_MAX / dim ? n * dim : SIZE_MAX;
    d->names = TC_TAKE(&d->memory, dim, char *);
    d->raw = TC_TAKE(&d->memory, cells, double);
    d->u = TC_TAKE(&d->memory, cells, double);
    d->low = TC_TAKE(&d->memory, dim, double);
    d->high = TC_TAKE(&d->memory, dim, double);
    d->axes = TC_TAKE(&d->memory, dim, size_t);
    if (d->memory.failed) {
        tc_domain_free(d);
        return tc_fail_memory(err);
    }
    *out = d;
    return TACIT_OK;
}

static void bound(tc_domain *d, size_t axis)
{
    const double *x = d->raw + axis * d->n;
    d->low[axis] = d->high[axis] = x[0];
    for (size_t i = 1; i < d->n; i++) {
        d->low[axis] = fmin(d->low[axis], x[i]);
        d->high[axis] = fmax(d->high[axis], x[i]);
    }
}

static void scale(tc_domain *d, size_t axis)
{
    const double *x = d->raw + axis * d->n;
    double *u = d->u + axis * d->n, low = d->low[axis], range = d->high[axis] - low;
    for (size_t i = 0; i < d->n; i++)
        u[i] = range > 0 ? (x[i] - low) / range : 0;
}

/* If x counts through `m` values, each held for `stride` rows, over and over: m; else 0. */
static size_t axis_points(const double *x, size_t n, size_t stride)
{
    size_t m = 1;
    while (m * stride < n && x[m * stride] != x[0])
        m++;
    for (size_t i = 0; i < n; i++)
        if (x[i] != x[(i / stride % m) * stride])
            return 0;
    return m;
}

/* Whether the rows are a full grid, first axis slowest: from the fastest axis up. */
static bool find_axes(tc_domain *d)
{
    size_t stride = 1;
    for (size_t axis = d->dim; axis > 0; axis--) {
        size_t m = axis_points(d->raw + (axis - 1) * d->n, d->n, stride);
        if (m == 0 || d->n % (stride * m) != 0)
            return false;
        d->axes[axis - 1] = m;
        stride *= m;
    }
    return stride == d->n;
}

tacit_status tc_domain_finish(tc_domain *d, tacit_error *err)
{
    for (size_t axis = 0; axis < d->dim; axis++) {
        bound(d, axis);
        if (!isfinite(d->high[axis] - d->low[axis]))
            return tc_fail(err, TACIT_E_ARG, "column %s is too wide: from %g to %g", d->names[axis],
                           d->low[axis], d->high[axis]);
        scale(d, axis);
    }
    if (!find_axes(d))
        d->axes = NULL;
    return TACIT_OK;
}

static bool grid_size(size_t dim, const size_t *axes, size_t *n)
{
    *n = 1;
    for (size_t d = 0; d < dim; d++)
        if (__builtin_mul_overflow(*n, axes[d], n))
            return false;
    return *n > 0;
}

static tacit_status check_grid(size_t dim, const size_t *axes, const double *low,
                               const double *high, tacit_error *err)
{
    if (dim == 0)
        return tc_fail(err, TACIT_E_ARG, "a grid needs at least one axis");
    for (size_t d = 0; d < dim; d++) {
        if (axes[d] == 0)
            return tc_fail(err, TACIT_E_ARG, "axis %zu of a grid needs at least one point", d + 1);
        if (!isfinite(low[d]) || !isfinite(high[d]) || low[d] > high[d])
            return tc_fail(err, TACIT_E_ARG,
                           "axis %zu of a grid must run from a number to one not below it, "
                           "got %g and %g",
                           d + 1, low[d], high[d]);
    }
    return TACIT_OK;
}

/* The k-th of m even points; the last is `high` itself, whatever rounding does before it. */
static double grid_value(double low, double high, size_t k, size_t m)
{
    if (k + 1 == m && m > 1)
        return high;
    return m > 1 ? low + (high - low) * ((double)k / (double)(m - 1)) : low;
}

static void fill_grid(tc_domain *d, const size_t *axes, const double *low, const double *high)
{
    size_t stride = d->n;
    for (size_t axis = 0; axis < d->dim; axis++) {
        char name[32];
        snprintf(name, sizeof name, "x%zu", axis + 1);
        d->names[axis] = tc_arena_strdup(&d->memory, name);
        stride /= axes[axis];
        for (size_t i = 0; i < d->n; i++)
            d->raw[i + axis * d->n] =
                grid_value(low[axis], high[axis], i / stride % axes[axis], axes[axis]);
    }
}

tacit_status tc_domain_grid(tc_domain **out, size_t dim, const size_t *axes, const double *low,
                            const double *high, tacit_error *err)
{
    TC_TRY(check_grid(dim, axes, low, high, err));
    size_t n;
    if (!grid_size(dim, axes, &n))
        return tc_fail_memory(err);
    tc_domain *d = NULL;
    TC_TRY(tc_domain_new(&d, n, dim, err));
    fill_grid(d, axes, low, high);
    tacit_status status = d->memory.failed ? tc_fail_memory(err) : tc_domain_finish(d, err);
    if (status != TACIT_OK)
        tc_domain_free(d);
    else
        *out = d;
    return status;
}

static tacit_status check_names(size_t dim, char *const *names, tacit_error *err)
{
    for (size_t axis = 0; axis < dim; axis++) {
        TC_TRY(tc_name_check(names[axis], err));
        for (size_t before = 0; before < axis; before++)
            if (strcmp(names[before], names[axis]) == 0)
                return tc_fail(err, TACIT_E_ARG, "the name \"%s\" was given to two columns",
                               names[axis]);
    }
    return TACIT_OK;
}

static tacit_status fill_rows(tc_domain *d, char *const *names, const double *x, tacit_error *err)
{
    for (size_t axis = 0; axis < d->dim; axis++)
        d->names[axis] = tc_arena_strdup(&d->memory, names[axis]);
    if (d->memory.failed)
        return tc_fail_memory(err);
    for (size_t i = 0; i < d->n; i++)
        for (size_t axis = 0; axis < d->dim; axis++) {
            double value = x[i * d->dim + axis];
            if (!isfinite(value))
                return tc_fail(err, TACIT_E_ARG, "row %zu: %s must be a number, got %g", i + 1,
                               names[axis], value);
            d->raw[i + axis * d->n] = value;
        }
    return tc_domain_finish(d, err);
}

tacit_status tc_domain_from_rows(tc_domain **out, size_t n, size_t dim, char *const *names,
                                 const double *x, tacit_error *err)
{
    tc_domain *d = NULL;
    TC_TRY(check_names(dim, names, err));
    TC_TRY(tc_domain_new(&d, n, dim, err));
    tacit_status status = fill_rows(d, names, x, err);
    if (status != TACIT_OK)
        tc_domain_free(d);
    else
        *out = d;
    return status;
}

tacit_status tc_domain_copy(tc_domain **out, const tc_domain *d, tacit_error *err)
{
    tc_domain *copy = NULL;
    TC_TRY(tc_domain_new(&copy, d->n, d->dim, err));
    for (size_t axis = 0; axis < d->dim; axis++)
        copy->names[axis] = tc_arena_strdup(&copy->memory, d->names[axis]);
    memcpy(copy->raw, d->raw, d->n * d->dim * sizeof *d->raw);
    tacit_status status = copy->memory.failed ? tc_fail_memory(err) : tc_domain_finish(copy, err);
    if (status != TACIT_OK)
        tc_domain_free(copy);
    else
        *out = copy;
    return status;
}

char *tc_domain_csv(const tc_domain *d)
{
    tc_text text = {0};
    for (size_t axis = 0; axis < d->dim; axis++) {
        tc_text_add(&text, axis ? "," : "");
        tc_text_add_csv(&text, d->names[axis]);
    }
    tc_text_add(&text, "\n");
    for (size_t i = 0; i < d->n; i++) {
        for (size_t axis = 0; axis < d->dim; axis++) {
            tc_text_add(&text, axis ? "," : "");
            tc_text_add_double(&text, d->raw[i + axis * d->n]);
        }
        tc_text_add(&text, "\n");
    }
    char *csv = tc_text_take(&text);
    tc_text_fini(&text);
    return csv;
}

static bool same_point(const tc_domain *d, size_t i, const double *raw)
{
    for (size_t axis = 0; axis < d->dim; axis++)
        if (d->raw[i + axis * d->n] != raw[axis])
            return false;
    return true;
}

size_t tc_domain_find(const tc_domain *d, const double *raw)
{
    size_t i = 0;
    while (i < d->n && !same_point(d, i, raw))
        i++;
    return i;
}

size_t tc_domain_nearest(const tc_domain *d, const double *u)
{
    size_t best = 0;
    double best_distance = INFINITY;
    for (size_t i = 0; i < d->n; i++) {
        double distance = 0;
        for (size_t axis = 0; axis < d->dim; axis++) {
            double gap = d->u[i + axis * d->n] - u[axis];
            distance += gap * gap;
        }
        if (distance < best_distance) {
            best_distance = distance;
            best = i;
        }
    }
    return best;
}
