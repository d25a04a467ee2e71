/* normal.c - standard normals by the dozen; see normal.h.
 *
 * Of 2h words the first h give radii sqrt(-2 ln u), the others angles 2 pi u; cosines fill the
 * first half of the output and sines the second. Words become numbers by their upper 52 bits, put
 * behind the point of 1.something: no conversion that some processors lack. Called where a
 * posterior is sampled (blr.c). */
#include "num/normal.h"

#include "base/simd.h"
#include "num/vmath.h"

#include <math.h>
#include <string.h>

enum { PAIRS = 64 }; /* at a time, on the stack */

/* [1,2) */
static inline double one_to_two(uint64_t word)
{
    uint64_t bits = word >> 12 | 0x3ff0000000000000;
    double x;
    memcpy(&x, &bits, sizeof x);
    return x;
}

TC_CLONES static void uniforms_and_angles(size_t h, const uint64_t *restrict words,
                                          double *restrict u, double *restrict cosine,
                                          double *restrict sine)
{
    const double pi = 0x1.921fb54442d18p+1;
    for (size_t i = 0; i < h; i++) {
        u[i] = 2 - one_to_two(words[i]); /* (0,1] */
        const double angle = 2 * pi * (one_to_two(words[h + i]) - 1);
        cosine[i] = angle;
        sine[i] = angle - pi / 2;
    }
}

TC_CLONES static void put_together(size_t h, size_t seconds, const double *restrict logs,
                                   const double *restrict cosine, const double *restrict sine,
                                   double *restrict out)
{
    for (size_t i = 0; i < h; i++)
        out[i] = sqrt(-2 * logs[i]) * cosine[i];
    for (size_t i = 0; i < seconds; i++)
        out[h + i] = sqrt(-2 * logs[i]) * sine[i];
}

/* 2h normals: the pairs' first ones to out[0..h), of their second ones `seconds` to out[h..). */
static void draw_pairs(tc_stream *s, size_t h, size_t seconds, double *out)
{
    uint64_t words[2 * PAIRS];
    double u[PAIRS], cosine[PAIRS], sine[PAIRS];
    tc_draw_words(s, 2 * h, words);
    uniforms_and_angles(h, words, u, cosine, sine);
    tc_vlog(h, u);
    tc_vcos(h, cosine);
    tc_vcos(h, sine);
    put_together(h, seconds, u, cosine, sine, out);
}

void tc_normals(tc_stream *s, size_t n, double *out)
{
    for (size_t i = 0; i < n; i += 2 * PAIRS) {
        size_t left = n - i < 2 * PAIRS ? n - i : 2 * PAIRS, h = (left + 1) / 2;
        draw_pairs(s, h, left - h, out + i);
    }
}
