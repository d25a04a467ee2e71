/* regret_int.h - pieces of JSON that the writers of curves share (regret_write.c). */
#ifndef TC_SIM_REGRET_INT_H
#define TC_SIM_REGRET_INT_H

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>

/* Of the JSON makers, NULL: no memory. */
json_t *tc_regret_numbers(size_t n, const double *x); /* null where x is not finite */
json_t *tc_regret_iterations(size_t n, size_t first); /* first, first + 1, ... */
json_t *tc_regret_moments(size_t n, const double *mean, const double *se);
/* Takes `value`, also on failure; NULL is a failure. */
bool tc_regret_set(json_t *object, const char *key, json_t *value);

#endif
