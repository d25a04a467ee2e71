/* share_field.h - integers modulo the prime p = 2^61 - 1, in constant time.
 *
 * A number of the field is a word below p. No branch and no address depends on one: they are shares and vectors that nobody
 * may learn from how long something takes. 2^61 = 1 modulo p, so a product is reduced by adding its halves. Signed
 * integers of absolute value below 2^60 stand in the field as themselves modulo p; those and no others come back. Used by share.c
 * and share_decode.c, and by who must know which words are none of the field. */
#ifndef TC_PRIVACY_SHARE_FIELD_H
#define TC_PRIVACY_SHARE_FIELD_H

#include <stdint.h>

#define TC_FIELD_P    ((UINT64_C(1) << 61) - 1)
#define TC_FIELD_MOST ((INT64_C(1) << 60) - 1) /* the largest integer that comes back */

__extension__ typedef unsigned __int128 tc_field_wide;

/* x < 2p to below p. */
static inline uint64_t tc_field_less(uint64_t x)
{
    uint64_t y = x - TC_FIELD_P;
    return y + (TC_FIELD_P & (0 - (y >> 63)));
}

/* Any 64-bit word. */
static inline uint64_t tc_field_reduce(uint64_t x)
{
    return tc_field_less((x & TC_FIELD_P) + (x >> 61));
}

/* Any 128-bit number: 2^122 = 1, too. */
static inline uint64_t tc_field_reduce_wide(tc_field_wide x)
{
    uint64_t low = (uint64_t)x & TC_FIELD_P, middle = (uint64_t)(x >> 61) & TC_FIELD_P;
    return tc_field_reduce(low + middle + (uint64_t)(x >> 122));
}

static inline uint64_t tc_field_add(uint64_t a, uint64_t b)
{
    return tc_field_less(a + b);
}

static inline uint64_t tc_field_sub(uint64_t a, uint64_t b)
{
    return tc_field_less(a + TC_FIELD_P - b);
}

static inline uint64_t tc_field_mul(uint64_t a, uint64_t b)
{
    return tc_field_reduce_wide((tc_field_wide)a * b);
}

/* a^(p-2): of every number but 0, whose inverse is said to be 0. The exponent is a constant: all bits but the second
 * lowest are ones. */
static inline uint64_t tc_field_inverse(uint64_t a)
{
    uint64_t power = a, out = 1;
    for (int bit = 0; bit < 61; bit++) {
        if (bit != 1) /* of p - 2 */
            out = tc_field_mul(out, power);
        power = tc_field_mul(power, power);
    }
    return out;
}

/* |v| <= TC_FIELD_MOST */
static inline uint64_t tc_field_from(int64_t v)
{
    uint64_t word = (uint64_t)v;
    return word + (TC_FIELD_P & (0 - (word >> 63)));
}

static inline int64_t tc_field_signed(uint64_t a)
{
    uint64_t above = ((uint64_t)TC_FIELD_MOST - a) >> 63;
    return (int64_t)(a - (TC_FIELD_P & (0 - above)));
}

#endif
