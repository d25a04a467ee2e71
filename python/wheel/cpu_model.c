/* cpu_model.c - what the CPU can do, where the compiler looks for it. python/wheel/build links it into what it builds.
 *
 * For target_clones and __builtin_cpu_supports a compiler calls __cpu_indicator_init and reads bits of __cpu_model, whose
 * places gcc and clang have agreed on. Their run-time libraries define both; zig's does not. The bits are those that
 * src/base/simd.h and src/num/la_kernel.c ask for; any other reads as "has not", and the plain version is taken. */
#include <cpuid.h>

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
