/* clip.c - vectors of integers with a bounded norm.
 *
 * Rounding is toward zero everywhere: under zero-out adjacency a norm that never grows needs no
 * slack. */
#include "privacy/mechanism_int.h"

#include <math.h>

enum { SAFE_BITS = 50 }; /* 2^24 squares of 50 bits fit 128 */

int64_t tc_grid_truncate(double x, int grid)
{
    const double limit = 0x1p62;
    double steps = trunc(ldexp(x, grid));
    if (!isfinite(x))
        return 0;
    return (int64_t)fmax(-limit, fmin(limit, steps));
}

static uint64_t magnitude(int64_t v)
{
    return v < 0 ? 0 - (uint64_t)v : (uint64_t)v;
}

static int64_t with_sign(uint64_t m, int64_t sign)
{
    return sign < 0 ? -(int64_t)m : (int64_t)m;
}

static unsigned bits_of(const int64_t *v, size_t n)
{
    uint64_t all = 0;
    for (size_t i = 0; i < n; i++)
        all |= magnitude(v[i]);
    unsigned bits = 0;
    for (; all != 0; all >>= 1)
        bits++;
    return bits;
}

/* With R >= |v|, |floor(|v_i| clip / R)| <= |v_i| clip / R, so the norm is at most clip. A vector
 * with larger coordinates than 2^50 is shifted first, all of it: it stays longer than 2^49, which
 * is more than any clip norm. */
void tc_clip_l2(int64_t *v, size_t n, uint64_t clip)
{
    unsigned bits = bits_of(v, n);
    unsigned shift = bits > SAFE_BITS ? bits - SAFE_BITS : 0;
    tc_wide square = 0;
    for (size_t i = 0; i < n; i++) {
        uint64_t m = magnitude(v[i]) >> shift;
        square += (tc_wide)m * m;
    }
    if (square <= (tc_wide)clip * clip)
        return;
    uint64_t norm = tc_root_up(square);
    for (size_t i = 0; i < n; i++) {
        tc_wide m = (tc_wide)(magnitude(v[i]) >> shift) * clip / norm;
        v[i] = with_sign((uint64_t)m, v[i]);
    }
}
