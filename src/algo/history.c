/* history.c - two growing sets of encoded points, coordinate by coordinate. See algorithm.h. */
#include "algo/history.h"

#include "base/error.h"
#include "base/memory.h"

#include <string.h>

enum { FIRST_ROOM = 16 };

/* A copy of the n x dim matrix A with leading dimension `room` instead of ld. */
static double *relaid(const double *A, size_t n, size_t dim, size_t ld, size_t room)
{
    double *B = tc_alloc(room * dim, sizeof *B);
    if (B && A)
        for (size_t d = 0; d < dim; d++)
            memcpy(B + d * room, A + d * ld, n * sizeof *B);
    return B;
}

/* Room for point n. *ld changes last, so a failure leaves all as it was. */
static bool grow_points(size_t n, size_t dim, size_t *ld, double **U, size_t **point)
{
    if (n < *ld)
        return true;
    size_t room = *ld ? 2 * *ld : FIRST_ROOM;
    size_t *points = tc_resize(*point, room, sizeof *points);
    if (points)
        *point = points;
    double *wider = points ? relaid(*U, n, dim, *ld, room) : NULL;
    if (!wider)
        return false;
    tc_free(*U);
    *U = wider;
    *ld = room;
    return true;
}

tacit_status tc_history_init(tc_history *h, const tc_space *s, tacit_error *err)
{
    memset(h, 0, sizeof *h);
    h->dim = s->dim;
    h->row = tc_alloc(s->dim, sizeof *h->row);
    if (!h->row)
        return tc_fail_memory(err);
    return tc_history_reserve(h, err);
}

static bool grow_column(double **column, size_t room, size_t width)
{
    double *longer = tc_resize(*column, room, width * sizeof *longer);
    if (longer)
        *column = longer;
    return longer;
}

tacit_status tc_history_widen(tc_history *h, size_t n_more, tacit_error *err)
{
    if (n_more > 0 && !grow_column(&h->more, h->ld, n_more))
        return tc_fail_memory(err);
    h->n_more = n_more;
    return TACIT_OK;
}

void tc_history_fini(tc_history *h)
{
    tc_free(h->U);
    tc_free(h->y);
    tc_free(h->noise);
    tc_free(h->early);
    tc_free(h->more);
    tc_free(h->point);
    tc_free(h->taken);
    tc_free(h->taken_point);
    tc_free(h->taken_pulls);
    tc_free(h->row);
    memset(h, 0, sizeof *h);
}

static bool grow_early(tc_history *h, size_t room)
{
    bool *longer = tc_resize(h->early, room, sizeof *longer);
    if (longer)
        h->early = longer;
    return longer;
}

/* As many values as there will be room for points. */
static bool grow_values(tc_history *h)
{
    if (h->n < h->ld)
        return true;
    size_t room = h->ld ? 2 * h->ld : FIRST_ROOM;
    return grow_column(&h->y, room, 1) && grow_column(&h->noise, room, 1) && grow_early(h, room) &&
           (h->n_more == 0 || grow_column(&h->more, room, h->n_more));
}

/* As many as there will be room for taken points. */
static bool grow_pulls(tc_history *h)
{
    if (h->n_taken < h->taken_ld)
        return true;
    size_t room = h->taken_ld ? 2 * h->taken_ld : FIRST_ROOM;
    uint64_t *pulls = tc_resize(h->taken_pulls, room, sizeof *pulls);
    if (pulls)
        h->taken_pulls = pulls;
    return pulls;
}

tacit_status tc_history_reserve(tc_history *h, tacit_error *err)
{
    if (!grow_values(h) || !grow_points(h->n, h->dim, &h->ld, &h->U, &h->point) || !grow_pulls(h) ||
        !grow_points(h->n_taken, h->dim, &h->taken_ld, &h->taken, &h->taken_point))
        return tc_fail_memory(err);
    return TACIT_OK;
}

void tc_history_observe(tc_history *h, const tc_space *s, const double *values, double y)
{
    tc_space_encode(s, values, h->row);
    for (size_t d = 0; d < h->dim; d++)
        h->U[h->n + d * h->ld] = h->row[d];
    h->point[h->n] = s->domain ? (size_t)values[0] : 0;
    h->y[h->n] = y;
    h->noise[h->n] = 0;
    h->early[h->n] = false;
    h->n++;
}

void tc_history_take(tc_history *h, const tc_space *s, const double *values)
{
    tc_space_encode(s, values, h->row);
    for (size_t d = 0; d < h->dim; d++)
        h->taken[h->n_taken + d * h->taken_ld] = h->row[d];
    h->taken_point[h->n_taken] = s->domain ? (size_t)values[0] : 0;
    h->taken_pulls[h->n_taken] = 1;
    h->n_taken++;
}

void tc_history_untake(tc_history *h, size_t i)
{
    size_t after = h->n_taken - i - 1;
    for (size_t d = 0; d < h->dim; d++) {
        double *column = h->taken + d * h->taken_ld;
        memmove(column + i, column + i + 1, after * sizeof *column);
    }
    memmove(h->taken_point + i, h->taken_point + i + 1, after * sizeof *h->taken_point);
    memmove(h->taken_pulls + i, h->taken_pulls + i + 1, after * sizeof *h->taken_pulls);
    h->n_taken--;
}
