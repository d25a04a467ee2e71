/* partition.c - cells of a k-ary tree over the unit cube, and its equal sub-regions.
 *
 * All sides start at 1 and each split divides the longest by k, lowest axis
 * first: so the split from depth t to t+1 is always along axis t mod dim, and
 * the t-th base-k digit of the index says which part was taken. A coordinate's
 * digits together are a whole number p, and its bounds are p/k^s and
 * (p+1)/k^s. Nothing is accumulated in floating point. */
#include "space/partition.h"

#include <assert.h>
#include <math.h>

enum { MAX_DEPTH = 62 }; /* of k = 2 */

__extension__ typedef unsigned __int128 wide;

static wide normalised(uint64_t v, int *shift)
{
    *shift = __builtin_clzll(v);
    return (wide)(v << *shift);
}

/* p/q correctly rounded, 0 <= p <= q. Beyond 2^53 a conversion to double would round before the
 * division does; there the quotient is made in integers, with a sticky last bit for the rest. */
static double ratio(uint64_t p, uint64_t q)
{
    if (q <= UINT64_C(1) << 53)
        return (double)p / (double)q;
    if (p == 0)
        return 0;
    int ps, qs;
    wide num = normalised(p, &ps) << 63, den = normalised(q, &qs);
    uint64_t quotient = (uint64_t)(num / den) | (uint64_t)(num % den != 0);
    return ldexp((double)quotient, qs - ps - 63);
}

uint32_t tc_cell_max_depth(unsigned k)
{
    assert(k >= 2);
    uint32_t depth = 0;
    for (uint64_t cells = 1; cells <= (uint64_t)INT64_MAX / k; cells *= k)
        depth++;
    return depth;
}

tc_cell tc_cell_child(tc_cell c, unsigned k, unsigned j)
{
    assert(j < k && c.depth < tc_cell_max_depth(k));
    return (tc_cell){c.depth + 1, c.index * k + j};
}

/* Which part each split took, root first. */
static void digits(tc_cell c, unsigned k, unsigned digit[MAX_DEPTH])
{
    assert(k >= 2 && c.depth <= tc_cell_max_depth(k));
    for (uint32_t t = c.depth; t > 0; t--) {
        digit[t - 1] = (unsigned)(c.index % k);
        c.index /= k;
    }
    assert(c.index == 0);
}

typedef struct side {
    uint64_t p, parts; /* the cell is the p-th of `parts` equal parts of the axis */
} side;

static side side_of(const unsigned *digit, uint32_t depth, unsigned k, size_t dim, size_t axis)
{
    side s = {0, 1};
    for (size_t t = axis; t < depth; t += dim) {
        s.p = s.p * k + digit[t];
        s.parts *= k;
    }
    return s;
}

void tc_cell_box(tc_cell c, unsigned k, size_t dim, double *low, double *high)
{
    unsigned digit[MAX_DEPTH];
    digits(c, k, digit);
    for (size_t d = 0; d < dim; d++) {
        side s = side_of(digit, c.depth, k, dim, d);
        low[d] = ratio(s.p, s.parts);
        high[d] = ratio(s.p + 1, s.parts);
    }
}

void tc_cell_centre(tc_cell c, unsigned k, size_t dim, double *u)
{
    unsigned digit[MAX_DEPTH];
    digits(c, k, digit);
    for (size_t d = 0; d < dim; d++) {
        side s = side_of(digit, c.depth, k, dim, d);
        u[d] = ratio(2 * s.p + 1, 2 * s.parts);
    }
}

/* The highest of the k parts of s that begins at or below u. */
static unsigned part_of(side s, unsigned k, double u)
{
    unsigned j = k - 1;
    while (j > 0 && ratio(s.p * k + j, s.parts * k) > u)
        j--;
    return j;
}

tc_cell tc_cell_of(const double *u, uint32_t depth, unsigned k, size_t dim)
{
    assert(depth <= tc_cell_max_depth(k));
    unsigned digit[MAX_DEPTH];
    tc_cell c = {0, 0};
    for (uint32_t t = 0; t < depth; t++) {
        size_t axis = t % dim;
        digit[t] = part_of(side_of(digit, t, k, dim, axis), k, u[axis]);
        c = tc_cell_child(c, k, digit[t]);
    }
    return c;
}

size_t tc_region_parts(size_t P, size_t dim, size_t axis)
{
    size_t parts = 1, turn = 0;
    for (size_t f = 2; P > 1; f++) {
        if (f > P / f)
            f = P; /* what is left is prime */
        for (; P % f == 0; P /= f, turn++)
            if (turn % dim == axis)
                parts *= f;
    }
    return parts;
}

void tc_region_box(size_t region, size_t P, size_t dim, double *low, double *high)
{
    assert(region < P);
    for (size_t d = dim; d > 0; d--) {
        size_t parts = tc_region_parts(P, dim, d - 1), p = region % parts;
        region /= parts;
        low[d - 1] = ratio(p, parts);
        high[d - 1] = ratio(p + 1, parts);
    }
}

/* The lowest of `parts` equal parts of [0,1] that contains u. The guess is at most one off. */
static size_t lowest_part(size_t parts, double u)
{
    double guess = floor(fmin(fmax(u, 0), 1) * (double)parts);
    size_t p = guess < (double)(parts - 1) ? (size_t)guess : parts - 1;
    while (p > 0 && ratio(p, parts) >= u)
        p--;
    while (p + 1 < parts && ratio(p + 1, parts) < u)
        p++;
    return p;
}

size_t tc_region_of(const double *u, size_t P, size_t dim)
{
    size_t region = 0;
    for (size_t d = 0; d < dim; d++) {
        size_t parts = tc_region_parts(P, dim, d);
        region = region * parts + lowest_part(parts, u[d]);
    }
    return region;
}
