/* sort.h - numbers in ascending order. */
#ifndef TC_BASE_SORT_H
#define TC_BASE_SORT_H

#include <stddef.h>

/* In place. None may be NaN: it has no place in the order. */
void tc_sort_doubles(double *v, size_t n);

#endif
