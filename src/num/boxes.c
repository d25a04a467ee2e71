/* boxes.c - local upper bounds, and the boxes between them. See boxes.h.
 *
 * Here everything is minimised, below a bound r: what lies above no point yet is the union of { y < u } over the local upper
 * bounds u. A new point z takes away every u above it, and leaves at most k new ones in its place, in which one coordinate
 * of u became that of z. z^j(u), the point that defines coordinate j of u, says which of them are not below others, and also
 * where the box of u ends. The open region is the dominated one of the local upper bounds themselves, seen from the other side. */
#include "num/boxes.h"

#include "base/error.h"
#include "base/memory.h"

#include <math.h>
#include <string.h>

typedef struct tc_corners corners;

void tc_boxes_fini(tc_boxes *b)
{
    for (int i = 0; i < 2; i++) {
        tc_free(b->corners[i].at);
        tc_free(b->corners[i].by);
    }
    tc_free(b->low);
    tc_free(b->high);
}

static bool reserve(corners *c, size_t k, size_t n)
{
    return tc_grow((void **)&c->at, &c->at_cap, n * k, sizeof *c->at) &&
           tc_grow((void **)&c->by, &c->by_cap, n * k * k, sizeof *c->by);
}

static void copy_corner(corners *c, size_t k, size_t to, size_t from)
{
    memmove(c->at + to * k, c->at + from * k, k * sizeof *c->at);
    memmove(c->by + to * k * k, c->by + from * k * k, k * k * sizeof *c->by);
}

/* One bound, the given one, which nothing defines but itself. */
static bool begin(corners *c, size_t k, const double *bound)
{
    if (!reserve(c, k, 1))
        return false;
    c->n = 1;
    for (size_t j = 0; j < k; j++) {
        c->at[j] = bound[j];
        for (size_t d = 0; d < k; d++)
            c->by[j * k + d] = d == j ? bound[j] : -INFINITY;
    }
    return true;
}

static bool below(size_t k, const double *z, const double *u)
{
    for (size_t d = 0; d < k; d++)
        if (!(z[d] < u[d]))
            return false;
    return true;
}

/* Would coordinate j of a bound, once it is that of z, still be above what the other coordinates stand on? */
static bool stays(size_t k, const double *by, const double *z, size_t j)
{
    for (size_t i = 0; i < k; i++)
        if (i != j && z[j] < by[i * k + j])
            return false;
    return true;
}

/* The bounds that z takes away come last, from *kept on; new ones behind them. */
static bool insert(corners *c, size_t k, const double *z, double *spare)
{
    size_t kept = 0, old = c->n;
    for (size_t i = 0; i < c->n; i++) {
        if (below(k, z, c->at + i * k))
            continue;
        if (i != kept) { /* swapped, so that the others stand together */
            memcpy(spare, c->at + kept * k, k * sizeof *spare);
            memcpy(spare + k, c->by + kept * k * k, k * k * sizeof *spare);
            copy_corner(c, k, kept, i);
            memcpy(c->at + i * k, spare, k * sizeof *spare);
            memcpy(c->by + i * k * k, spare + k, k * k * sizeof *spare);
        }
        kept++;
    }
    if (!reserve(c, k, old + (old - kept) * k))
        return false;
    for (size_t i = kept; i < old; i++)
        for (size_t j = 0; j < k; j++) {
            if (!stays(k, c->by + i * k * k, z, j))
                continue;
            copy_corner(c, k, c->n, i);
            c->at[c->n * k + j] = z[j];
            memcpy(c->by + c->n * k * k + j * k, z, k * sizeof *z);
            c->n++;
        }
    size_t added = c->n - old;
    for (size_t i = 0; i < added; i++)
        copy_corner(c, k, kept + i, old + i);
    c->n = kept + added;
    return true;
}

/* Adds the box of a bound: in its first coordinate up to the bound of all, in the others up to itself. */
static void add_box(tc_boxes *b, const corners *c, size_t i, double first)
{
    const size_t k = b->k;
    const double *by = c->by + i * k * k;
    double *low = b->low + b->n * k, *high = b->high + b->n * k;
    low[0] = by[0];
    high[0] = first;
    bool some = low[0] < high[0];
    for (size_t j = 1; j < k; j++) {
        low[j] = -INFINITY;
        for (size_t d = 0; d < j; d++)
            low[j] = fmax(low[j], by[d * k + j]);
        high[j] = c->at[i * k + j];
        some = some && low[j] < high[j];
    }
    b->n += some;
}

static bool add_boxes(tc_boxes *b, const corners *c, double first)
{
    if (!tc_grow((void **)&b->low, &b->low_cap, c->n * b->k, sizeof *b->low) ||
        !tc_grow((void **)&b->high, &b->high_cap, c->n * b->k, sizeof *b->high))
        return false;
    b->n = 0;
    for (size_t i = 0; i < c->n; i++)
        add_box(b, c, i, first);
    return true;
}

/* Local upper bounds of the points with other signs. */
static bool bounds_of(corners *c, size_t n, size_t k, const double *Y, const double *reference,
                      double *spare)
{
    double *z = spare + k + k * k;
    for (size_t j = 0; j < k; j++)
        z[j] = -reference[j];
    if (!begin(c, k, z))
        return false;
    for (size_t i = 0; i < n; i++) {
        for (size_t j = 0; j < k; j++)
            z[j] = -Y[i * k + j];
        if (!insert(c, k, z, spare))
            return false;
    }
    return true;
}

static bool make_dominated(tc_boxes *b, size_t n, const double *Y, const double *reference,
                           double *spare)
{
    const size_t k = b->k;
    if (!bounds_of(&b->corners[0], n, k, Y, reference, spare) ||
        !add_boxes(b, &b->corners[0], -reference[0]))
        return false;
    for (size_t i = 0; i < b->n * k; i++) {
        const double low = b->low[i];
        b->low[i] = -b->high[i];
        b->high[i] = -low;
    }
    return true;
}

static bool make_open(tc_boxes *b, size_t n, const double *Y, const double *reference,
                      double *spare)
{
    const size_t k = b->k;
    corners *first = &b->corners[0], *second = &b->corners[1];
    double *top = spare + 2 * k + k * k;
    for (size_t j = 0; j < k; j++)
        top[j] = INFINITY;
    if (!bounds_of(first, n, k, Y, reference, spare) || !begin(second, k, top))
        return false;
    for (size_t i = 0; i < first->n * k; i++)
        first->at[i] = -first->at[i];
    for (size_t i = 0; i < first->n; i++)
        if (!insert(second, k, first->at + i * k, spare))
            return false;
    return add_boxes(b, second, INFINITY);
}

typedef bool make_fn(tc_boxes *b, size_t n, const double *Y, const double *reference,
                     double *spare);

static tacit_status make(tc_boxes *b, size_t k, size_t n, const double *Y, const double *reference,
                         make_fn *how, tacit_error *err)
{
    double *spare = tc_alloc(k * k + 3 * k, sizeof *spare);
    b->k = k;
    const bool ok = spare && how(b, n, Y, reference, spare);
    tc_free(spare);
    return ok ? TACIT_OK : tc_fail_memory(err);
}

tacit_status tc_boxes_dominated(tc_boxes *b, size_t n, size_t k, const double *Y,
                                const double *reference, tacit_error *err)
{
    return make(b, k, n, Y, reference, make_dominated, err);
}

tacit_status tc_boxes_open(tc_boxes *b, size_t n, size_t k, const double *Y,
                           const double *reference, tacit_error *err)
{
    return make(b, k, n, Y, reference, make_open, err);
}
