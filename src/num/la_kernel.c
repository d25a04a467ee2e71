/* la_kernel.c - the kernel that OpenBLAS runs, and a better one where it does not know the CPU.
 *
 * OpenBLAS picks a kernel by the CPU's model number when it is loaded. A model that is newer than the
 * library gets the oldest kernel, Prescott, whose vectors hold two numbers where
 * the CPU's hold four or eight. The instructions that the CPU has say more than its number. See la.h. */
#include <tacit/build.h>

#include "num/la.h"

#include <string.h>

/* Not in every build of OpenBLAS: NULL where it was built for one CPU only. */
extern void gotoblas_dynamic_init(void) __attribute__((weak));
extern void gotoblas_dynamic_quit(void) __attribute__((weak));
extern char *openblas_get_corename(void);

/* Kernels without AVX: what OpenBLAS takes for want of a better one. */
static bool is_old(const char *kernel)
{
    static const char *const old[] = {"Prescott", "Core2",     "Penryn",     "Dunnington",
                                      "Nehalem",  "Atom",      "Opteron",    "Opteron_SSE3",
                                      "Nano",     "Bobcat",    "Barcelona",  "Athlon",
                                      "Katmai",   "Northwood", "Coppermine", "Banias"};
    for (size_t i = 0; i < sizeof old / sizeof *old; i++)
        if (strcmp(old[i], kernel) == 0)
            return true;
    return false;
}

const char *tc_la_better_kernel(const char *kernel, const tc_cpu_vectors *cpu)
{
    if (!is_old(kernel) || !cpu->avx2 || !cpu->fma)
        return NULL;
    return cpu->avx512 ? "SkylakeX" : "Haswell";
}

tc_cpu_vectors tc_cpu_vectors_here(void)
{
#if defined(__x86_64__) && defined(__GNUC__)
    return (tc_cpu_vectors){
        .avx2 = __builtin_cpu_supports("avx2"),
        .fma = __builtin_cpu_supports("fma"),
        .avx512 = __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512cd") &&
                  __builtin_cpu_supports("avx512bw") && __builtin_cpu_supports("avx512dq") &&
                  __builtin_cpu_supports("avx512vl")};
#else
    return (tc_cpu_vectors){.avx2 = false};
#endif
}

const char *tacit_blas_better_kernel(void)
{
    tc_cpu_vectors cpu = tc_cpu_vectors_here();
    return tc_la_better_kernel(tacit_blas_kernel(), &cpu);
}

const char *tacit_blas_kernel(void)
{
    return openblas_get_corename();
}

bool tacit_blas_choose_again(void)
{
    if (!gotoblas_dynamic_init || !gotoblas_dynamic_quit)
        return false;
    gotoblas_dynamic_quit();
    gotoblas_dynamic_init();
    return true;
}
