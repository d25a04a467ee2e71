/* clip.c - vectors of integers with a bounded norm.
 *
 * Rounding is toward zero everywhere: under zero-out adjacency a norm that never grows needs no
 * slack. */
#include "privacy/mechanism_int.h"

#include "base/simd.h"

#include <math.h>

enum { SAFE_BITS = 50 }; /* 2^24 squares of 50 bits fit 128 */
enum { STRETCH = 2048 }; /* so many squares of up to 2^26 add up to at most 2^63 */

int64_t tc_grid_truncate(double x, int grid)
{
    const double limit = 0x1p62;
    double steps = trunc(ldexp(x, grid));
    if (!isfinite(x))
        return 0;
    return (int64_t)fmax(-limit, fmin(limit, steps));
}

/* A power of two scales exactly, but for overflow, which ends at the limit, and for underflow, far
 * below one step: ldexp without its cost. */
void tc_grid_truncate_many(const double *restrict x, size_t n, int grid, int64_t *restrict out)
{
    const double limit = 0x1p62, scale = ldexp(1, grid);
    const bool exact = grid >= -1022 && grid <= 1023;
    for (size_t i = 0; i < n && exact; i++) {
        const double steps = x[i] * scale;
        const double held = steps > limit ? limit : steps < -limit ? -limit : steps;
        out[i] = isfinite(x[i]) ? (int64_t)held : 0;
    }
    for (size_t i = 0; i < n && !exact; i++)
        out[i] = tc_grid_truncate(x[i], grid);
}

static uint64_t magnitude(int64_t v)
{
    return v < 0 ? 0 - (uint64_t)v : (uint64_t)v;
}

static int64_t with_sign(uint64_t m, int64_t sign)
{
    return sign < 0 ? -(int64_t)m : (int64_t)m;
}

/* Below 2^64, where a narrow division is much quicker, most of them are narrow. */
static uint64_t divided(tc_wide m, uint64_t by)
{
    return m >> 64 == 0 ? (uint64_t)m / by : (uint64_t)(m / by);
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

/* The sum of n <= STRETCH squares; UINT64_MAX where a coordinate is beyond the limit. If x > limit,
 * limit - x is negative, if x < -limit, limit + x is, and neither wraps around. */
static TC_CLONES uint64_t clip_square_sum(const int64_t *v, size_t n, uint64_t limit)
{
    uint64_t beyond = 0, square = 0;
    for (size_t i = 0; i < n; i++) {
        uint64_t x = (uint64_t)v[i];
        beyond |= (limit - x) | (limit + x);
        square += x * x;
    }
    return beyond >> 63 != 0 ? UINT64_MAX : square;
}

bool tc_clip_within(const int64_t *v, size_t n, uint64_t clip)
{
    uint64_t room = clip * clip;
    for (size_t from = 0; from < n; from += STRETCH) {
        size_t count = n - from < STRETCH ? n - from : STRETCH;
        uint64_t square = clip_square_sum(v + from, count, clip);
        if (square > room)
            return false;
        room -= square;
    }
    return true;
}

/* With R >= |v|, |floor(|v_i| clip / R)| <= |v_i| clip / R, so the norm is at most clip. A vector
 * with larger coordinates than 2^50 is shifted first, all of it: it stays longer than 2^49, which
 * is more than any clip norm. */
void tc_clip_l2(int64_t *v, size_t n, uint64_t clip)
{
    if (clip <= TC_SUM_CLIP_MAX && tc_clip_within(v, n, clip))
        return;
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
        tc_wide m = (tc_wide)(magnitude(v[i]) >> shift) * clip;
        v[i] = with_sign(divided(m, norm), v[i]);
    }
}
