/* pareto.c - fronts and their volume. See pareto.h. */
#include "num/pareto.h"

#include "base/error.h"
#include "num/boxes.h"

#include <math.h>

bool tc_dominates(size_t k, const double *a, const double *b)
{
    bool more = false;
    for (size_t j = 0; j < k; j++) {
        if (!(a[j] >= b[j]))
            return false;
        more = more || a[j] > b[j];
    }
    return more;
}

bool tc_pareto_join(const tc_pareto_rows *rows, size_t i, size_t *front, size_t *n)
{
    double rooms[2][TC_PARETO_MOST];
    const double *ours = rows->row(rows->of, i, rooms[0]);
    size_t kept = 0;
    for (size_t at = 0; at < *n; at++) {
        const double *theirs = rows->row(rows->of, front[at], rooms[1]);
        if (tc_dominates(rows->k, theirs, ours))
            return false; /* then it dominates none of them, and none has left */
        if (!tc_dominates(rows->k, ours, theirs))
            front[kept++] = front[at];
    }
    front[kept++] = i;
    *n = kept;
    return true;
}

typedef struct matrix {
    const double *Y;
    size_t k;
} matrix;

static const double *row_of(const void *of, size_t i, double *room)
{
    const matrix *m = of;
    (void)room;
    return m->Y + i * m->k;
}

size_t tc_pareto_front(size_t n, size_t k, const double *Y, size_t *out)
{
    const matrix m = {Y, k};
    const tc_pareto_rows rows = {.k = k, .row = row_of, .of = &m};
    size_t found = 0;
    for (size_t i = 0; i < n; i++)
        (void)tc_pareto_join(&rows, i, out, &found);
    return found;
}

static double volume(size_t k, const double *low, const double *high)
{
    double product = 1;
    for (size_t j = 0; j < k; j++)
        product *= high[j] - low[j];
    return product;
}

tacit_status tc_hypervolume(size_t n, size_t k, const double *Y, const double *reference,
                            double *out, tacit_error *err)
{
    tc_boxes b = {0};
    double sum = 0;
    tacit_status status = tc_boxes_dominated(&b, n, k, Y, reference, err);
    for (size_t i = 0; i < b.n && status == TACIT_OK; i++)
        sum += volume(k, b.low + i * k, b.high + i * k);
    tc_boxes_fini(&b);
    if (status == TACIT_OK && !isfinite(sum))
        status = tc_fail(err, TACIT_E_STATE,
                         "the volume above the reference point is too large for a number");
    if (status == TACIT_OK)
        *out = sum;
    return status;
}
