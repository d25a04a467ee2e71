/* blas_kernel.c - see blas_kernel.h.
 *
 * OpenBLAS reads OPENBLAS_CORETYPE when it chooses, and never again: so the variable is set for that moment
 * only, and programs that are started later do not see it. */
#include "frame/blas_kernel.h"

#include <tacit/build.h>

#include <stdlib.h>
#include <string.h>

#define CHOICE "OPENBLAS_CORETYPE"

const char *tc_choose_blas_kernel(void)
{
    const char *said = getenv(CHOICE);
    const char *better = said ? NULL : tacit_blas_better_kernel();
    if (!better || setenv(CHOICE, better, 1) != 0)
        return better;
    (void)tacit_blas_choose_again(); /* seen below */
    unsetenv(CHOICE);
    return strcmp(tacit_blas_kernel(), better) == 0 ? NULL : better;
}
