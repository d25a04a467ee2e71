/* distinct.c - see distinct.h. */
#include "wire/distinct.h"

#include "base/error.h"
#include "base/memory.h"

#include <stdlib.h>
#include <string.h>

enum { STRING = 32 };

static int by_bytes(const void *a, const void *b)
{
    return memcmp(a, b, STRING);
}

tacit_status tc_any_twice(const uint8_t *strings, size_t n, size_t stride, bool *out,
                          tacit_error *err)
{
    uint8_t *sorted = tc_alloc(n > 0 ? n : 1, STRING);
    bool twice = false;
    if (sorted == NULL)
        return tc_fail_memory(err);
    for (size_t i = 0; i < n; i++)
        memcpy(sorted + i * STRING, strings + i * stride, STRING);
    qsort(sorted, n, STRING, by_bytes);
    for (size_t i = 1; i < n; i++)
        twice = twice || by_bytes(sorted + (i - 1) * STRING, sorted + i * STRING) == 0;
    tc_free(sorted);
    *out = twice;
    return TACIT_OK;
}
