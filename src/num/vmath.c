/* vmath.c - exp, log, cos and sqrt over arrays.
 *
 * Each function is a reduction of the argument (Cody and Waite: the constant in parts, so that
 * the large products are exact) and a minimax polynomial found by Remez' algorithm. There is no
 * branch, no table and no call in the loops, so compilers turn them into vector code; needs -O3. */
#include "num/vmath.h"

#include "base/simd.h"

#include <math.h>
#include <stdint.h>
#include <string.h>

/* Adding and taking away 1.5 * 2^52 rounds to the nearest integer, and the sum's low bits hold
 * that integer in two's complement. */
#define ROUNDER 0x1.8p52

static inline uint64_t bits_of(double x)
{
    uint64_t bits;
    memcpy(&bits, &x, sizeof bits);
    return bits;
}

static inline double double_of(uint64_t bits)
{
    double x;
    memcpy(&x, &bits, sizeof x);
    return x;
}

/* e^x = 2^k e^r, k = round(x / ln 2), e^r = 1 + r + r^2 q(r). */
static inline double exp_of(double x)
{
    const double shifted = x * 0x1.71547652b82fep+0 + ROUNDER;
    const double k = shifted - ROUNDER;
    const double r = (x - k * 0x1.62e42feep-1) - k * 0x1.a39ef35793c76p-33;
    double q = 0x1.ad7f6f0e24922p-26;
    q = q * r + 0x1.28ad72cd4ab37p-22;
    q = q * r + 0x1.71df255235e0bp-19;
    q = q * r + 0x1.a0199a0c66195p-16;
    q = q * r + 0x1.a01a012a57b5ep-13;
    q = q * r + 0x1.6c16c1842a126p-10;
    q = q * r + 0x1.1111111127be5p-7;
    q = q * r + 0x1.555555555087cp-5;
    q = q * r + 0x1.55555555554fap-3;
    q = q * r + 0x1.000000000000ap-1;
    const double y = (1.0 + (r + (r * r) * q)) * double_of((bits_of(shifted) + 1023) << 52);
    const double low = x < -708.0 ? 0.0 : y;
    return x > 708.0 ? (double)INFINITY : low;
}

/* ln x = k ln 2 + ln m, m in [sqrt(1/2), sqrt(2)); with s = (m - 1)/(m + 1), |s| < 0.1716, ln m =
 * 2 atanh s = 2s + s^3 (2/3 + 2/5 s^2 + ...): its series, as it stands. What is left out is below
 * 2^-64 of the sum. k + 1024 is read off the exponent, and made a double by its place in 2^52. */
static inline double log_of(double x)
{
    const uint64_t past = bits_of(x) - 0x3fe6a09e667f3bcd + ((uint64_t)1024 << 52);
    const uint64_t biased = past >> 52;
    const double k = double_of(0x4330000000000000 | biased) - (0x1p52 + 1024.0);
    const double m = double_of(bits_of(x) - ((biased - 1024) << 52));
    const double s = (m - 1.0) / (m + 1.0), z = s * s;
    double q = 2.0 / 23;
    q = q * z + 2.0 / 21;
    q = q * z + 2.0 / 19;
    q = q * z + 2.0 / 17;
    q = q * z + 2.0 / 15;
    q = q * z + 2.0 / 13;
    q = q * z + 2.0 / 11;
    q = q * z + 2.0 / 9;
    q = q * z + 2.0 / 7;
    q = q * z + 2.0 / 5;
    q = q * z + 2.0 / 3;
    return k * 0x1.62e42feep-1 + (2.0 * s + ((s * z) * q + k * 0x1.a39ef35793c76p-33));
}

/* With x = (k + 1/2) pi + r, cos x = (-1)^(k+1) sin r: one polynomial serves, and it keeps its
 * relative accuracy where cos is near 0. k + 1/2 has at most 20 bits for |x| <= 1e6. */
static inline double cos_of(double x)
{
    const double shifted = (x * 0x1.45f306dc9c883p-2 - 0.5) + ROUNDER;
    const double h = (shifted - ROUNDER) + 0.5;
    const double r = ((x - h * 0x1.921fb544p+1) - h * 0x1.0b4611a6p-33) - h * 0x1.3198a2e037073p-68;
    const double u = r * r;
    double q = 0x1.8828f8780e021p-49;
    q = q * u - 0x1.ae431766744dap-41;
    q = q * u + 0x1.6123cb11b8dc4p-33;
    q = q * u - 0x1.ae6454cafcc39p-26;
    q = q * u + 0x1.71de3a5287067p-19;
    q = q * u - 0x1.a01a01a0148a1p-13;
    q = q * u + 0x1.11111111110c1p-7;
    q = q * u - 0x1.5555555555555p-3;
    return double_of(bits_of(r + r * (u * q)) ^ (~bits_of(shifted) << 63));
}

TC_CLONES static void exp_all(size_t n, double *x)
{
    for (size_t i = 0; i < n; i++)
        x[i] = exp_of(x[i]);
}

TC_CLONES static void cos_all(size_t n, double *x)
{
    for (size_t i = 0; i < n; i++)
        x[i] = cos_of(x[i]);
}

TC_CLONES static void log_all(size_t n, double *x)
{
    for (size_t i = 0; i < n; i++)
        x[i] = log_of(x[i]);
}

void tc_vexp(size_t n, double *x)
{
    exp_all(n, x);
}

void tc_vcos(size_t n, double *x)
{
    cos_all(n, x);
}

void tc_vlog(size_t n, double *x)
{
    log_all(n, x);
}
