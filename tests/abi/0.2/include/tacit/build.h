/* tacit/build.h - what this build of the library has, for reports and for a program's start. In libtacit. */
#ifndef TACIT_BUILD_H
#define TACIT_BUILD_H

#include <tacit/status.h>

#include <stdbool.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Calls visit for each part that the library is made of, with the version that runs now: "tacit", "compiler", "blas",
 * "kernel", "sqlite", "sodium", "nlopt", "jansson". Texts are static, or live for the call. */
typedef void (*tacit_build_visit)(void *user, const char *part, const char *version);
TACIT_API void tacit_build_parts(tacit_build_visit visit, void *user);

/* The version of the library behind the store module of a scheme ("postgresql"), which is loaded for it. E_UNSUPPORTED:
 * it is not installed, and where it was looked for. */
TACIT_API tacit_status tacit_build_module(const char *scheme, char version[32], tacit_error *err);

/* The kernel that OpenBLAS computes with: "Haswell". How sums are rounded depends on it. */
TACIT_API const char *tacit_blas_kernel(void);
/* A kernel for this CPU where OpenBLAS is older than it and took one without AVX; NULL: there is none to recommend. A
 * process begins with it if OPENBLAS_CORETYPE says so in its environment. */
TACIT_API const char *tacit_blas_better_kernel(void);
/* Lets OpenBLAS choose once more, by what OPENBLAS_CORETYPE says now. For a program's start, before there are threads: it
 * changes what the whole process computes with. False: this OpenBLAS cannot. */
TACIT_API bool tacit_blas_choose_again(void);

#ifdef __cplusplus
}
#endif
#endif
