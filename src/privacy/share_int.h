/* share_int.h - what dealing (share.c) and opening (share_decode.c) have in common. For these two only. */
#ifndef TC_PRIVACY_SHARE_INT_H
#define TC_PRIVACY_SHARE_INT_H

#include "privacy/share.h"

enum { TC_SHARE_CHUNK = 128 }; /* words that are worked on at once; a multiple of 4 */

/* Words first..first+n-1 of a seed, n <= TC_SHARE_CHUNK; first is a multiple of 4. */
void tc_share_expand(const uint8_t seed[TC_SHARE_SEED], size_t first, size_t n, uint64_t *out);

/* f(at) = sum of out[i] f(points[i]) for every polynomial of degree below n. The points are distinct, and public. */
void tc_share_weights(const uint64_t *points, size_t n, uint64_t at, uint64_t *out);

/* Word j of a sum of n rows with public weights, n <= TC_TRUSTEES_MOST: 16 products are below 2^126. */
static inline uint64_t tc_share_combine(const uint64_t *weights, const uint64_t *const *rows,
                                        size_t n, size_t j)
{
    tc_field_wide sum = 0;
    for (size_t i = 0; i < n; i++)
        sum += (tc_field_wide)weights[i] * rows[i][j];
    return tc_field_reduce_wide(sum);
}

#endif
