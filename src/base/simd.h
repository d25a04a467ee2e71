/* simd.h - one loop, compiled for several instruction sets, chosen when the program starts.
 *
 * TC_CLONES before a function asks the compiler for SSE2, AVX2 and AVX-512 versions of it. The
 * loops under it work on each element alone and the build forbids contraction, so all versions
 * give the same bits. Only for static functions, under names that no other file uses: clang before
 * 18 puts the chooser under a name of its own, and makes it global. Sanitizers and C libraries
 * without ifunc get the plain version. */
#ifndef TC_BASE_SIMD_H
#define TC_BASE_SIMD_H

#include <stdlib.h> /* its features.h tells __GLIBC__ */

#if defined(__x86_64__) && defined(__linux__) && defined(__GLIBC__) &&                             \
    !defined(TACIT_SANITIZED) && defined(__has_attribute)
#if __has_attribute(target_clones)
#define TC_CLONES __attribute__((target_clones("default", "avx2", "avx512f")))
#endif
#endif
#ifndef TC_CLONES
#define TC_CLONES
#endif

/* For the rare loop that compilers do not vectorise well on their own: TC_AVX2 before a function
 * written with vectors of four doubles, to be called where tc_has_avx2() alone. The plain version
 * beside it must give the same bits. */
#if defined(__x86_64__) && !defined(TACIT_SANITIZED) && defined(__GNUC__)
#define TC_AVX2       __attribute__((target("avx2")))
#define tc_has_avx2() __builtin_cpu_supports("avx2")
typedef double tc_vec4 __attribute__((vector_size(32), aligned(8), may_alias));
#endif

#endif
