/* runtime.c - what compilers take from their run-time library. python/wheel/build links it into what it builds.
 *
 * zig's run-time library is one object, with an exp, a log, an fma and a memcpy of its own: whoever takes a division of 128 bits
 * from it gets those as well, in the place of the C library's. So divisions and conversions of 128 bits are here.
 *
 * For target_clones and __builtin_cpu_supports a compiler calls __cpu_indicator_init and reads bits of __cpu_model, whose
 * places gcc and clang have agreed on. Their run-time libraries define both; zig's does not. The bits are those that
 * src/base/simd.h and src/num/la_kernel.c ask for; any other reads as "has not", and the plain version is taken. */
#include <cpuid.h>
#include <stdint.h>

#define HIDDEN __attribute__((visibility("hidden")))

struct model {
    unsigned vendor, type, subtype; /* nobody asks */
    unsigned features;
};
HIDDEN struct model __cpu_model;
HIDDEN unsigned __cpu_features2[4];

/* Places in `features`. */
enum { AVX2 = 10, FMA = 14, AVX512F = 15, AVX512VL = 20, AVX512BW = 21, AVX512DQ = 22, AVX512CD = 23 };

/* Registers that the system saves: bits 1 and 2 are those of AVX, 5 to 7 those of AVX-512. */
enum { AVX_STATE = 0x6, AVX512_STATE = 0xe6 };

static unsigned saved_registers(void)
{
    unsigned low, high;
    __asm__ volatile("xgetbv" : "=a"(low), "=d"(high) : "c"(0));
    return low;
}

static unsigned bit(unsigned word, unsigned mask, unsigned place)
{
    return word & mask ? 1u << place : 0;
}

/* Runs while the dynamic linker still works: it calls nothing outside of this file. */
HIDDEN int __cpu_indicator_init(void);
__attribute__((constructor(101))) int __cpu_indicator_init(void)
{
    unsigned a, b, c, d, found = 0;
    __cpu_model.vendor = 1; /* "has been called" */
    if (!__get_cpuid(1, &a, &b, &c, &d) || !(c & bit_OSXSAVE))
        return 0;
    unsigned saved = saved_registers();
    if ((saved & AVX_STATE) != AVX_STATE)
        return 0;
    found |= bit(c, bit_FMA, FMA);
    if (__get_cpuid_count(7, 0, &a, &b, &c, &d)) {
        found |= bit(b, bit_AVX2, AVX2);
        if ((saved & AVX512_STATE) == AVX512_STATE)
            found |= bit(b, bit_AVX512F, AVX512F) | bit(b, bit_AVX512VL, AVX512VL) | bit(b, bit_AVX512BW, AVX512BW) |
                     bit(b, bit_AVX512DQ, AVX512DQ) | bit(b, bit_AVX512CD, AVX512CD);
    }
    __cpu_model.features = found;
    return 0;
}

/* ---- 128 bits */

typedef unsigned __int128 u128;
typedef __int128 i128;

HIDDEN u128 __udivti3(u128 n, u128 d);
HIDDEN i128 __divti3(i128 n, i128 d);
HIDDEN double __floatuntidf(u128 x);
HIDDEN double __floattidf(i128 x);

/* (high 2^64 + low) / d, for high < d. */
static uint64_t divide(uint64_t high, uint64_t low, uint64_t d, uint64_t *rest)
{
    uint64_t q;
    __asm__("divq %4" : "=a"(q), "=d"(*rest) : "0"(low), "1"(high), "r"(d) : "cc");
    return q;
}

u128 __udivti3(u128 n, u128 d)
{
    uint64_t high = (uint64_t)(n >> 64), rest;
    if (!(d >> 64)) {
        uint64_t by = (uint64_t)d, first = high / by;
        return (u128)first << 64 | divide(high % by, (uint64_t)n, by, &rest);
    }
    /* Warren, Hacker's Delight, 9-5: by the upper half of d, shifted to the top; too large by one at most. */
    int shift = __builtin_clzll((uint64_t)(d >> 64));
    u128 half = n >> 1;
    uint64_t q = divide((uint64_t)(half >> 64), (uint64_t)half, (uint64_t)((d << shift) >> 64), &rest) >> (63 - shift);
    if (q)
        q--;
    return n - q * d >= d ? q + 1 : q;
}

i128 __divti3(i128 n, i128 d)
{
    u128 q = __udivti3(n < 0 ? -(u128)n : (u128)n, d < 0 ? -(u128)d : (u128)d);
    return (i128)((n < 0) != (d < 0) ? -q : q);
}

/* To nearest: the bits below the upper 64 count as one, which is far below the 53 that stay. */
double __floatuntidf(u128 x)
{
    uint64_t high = (uint64_t)(x >> 64);
    if (!high)
        return (double)(uint64_t)x;
    int shift = 64 - __builtin_clzll(high);
    uint64_t top = (uint64_t)(x >> shift);
    top |= x != (u128)top << shift;
    return (double)top * (shift < 64 ? (double)((uint64_t)1 << shift) : 0x1p64);
}

double __floattidf(i128 x)
{
    return x < 0 ? -__floatuntidf(-(u128)x) : __floatuntidf((u128)x);
}
