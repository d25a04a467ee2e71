/* blas_kernel.c - see blas_kernel.h.
 *
 * OpenBLAS reads OPENBLAS_CORETYPE when it chooses, and never again: so the variable is set for that moment
 * only, and programs that are started later do not see it. */
#include "frame/blas_kernel.h"

#include "num/la.h"

#include <stdlib.h>
#include <string.h>

#define CHOICE "OPENBLAS_CORETYPE"

const char *tc_choose_blas_kernel(void)
{
    const char *said = getenv(CHOICE);
    tc_cpu_vectors cpu = tc_cpu_vectors_here();
    const char *better = said ? NULL : tc_la_better_kernel(tc_la_kernel(), &cpu);
    if (!better || setenv(CHOICE, better, 1) != 0)
        return better;
    (void)tc_la_choose_again(); /* seen below */
    unsetenv(CHOICE);
    return strcmp(tc_la_kernel(), better) == 0 ? NULL : better;
}
