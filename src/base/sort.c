/* sort.c - numbers in ascending order. See sort.h. */
#include "base/sort.h"

#include <stdlib.h>

static int ascending(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

void tc_sort_doubles(double *v, size_t n)
{
    if (n > 0) /* without any, v may be NULL */
        qsort(v, n, sizeof *v, ascending);
}
