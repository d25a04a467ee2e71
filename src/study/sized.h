/* sized.h - structs of <tacit/study.h> that begin with `size_t size` and may grow: how a caller's is read.
 *
 * A caller that was compiled before a struct grew gives fewer bytes: the rest is zero. One that was compiled
 * later gives more: what this library does not know must be zero, or the caller asked for something that would
 * be ignored. For study_api.c. */
#ifndef TC_STUDY_SIZED_H
#define TC_STUDY_SIZED_H

#include "base/error.h"

#include <stddef.h>
#include <string.h>

/* Fills `out`, of `known` bytes, from what was given. first: the size of the struct's first version. */
static inline tacit_status tc_sized_read(void *out, size_t known, size_t first, const void *given,
                                         const char *type, tacit_error *err)
{
    size_t size;
    memcpy(&size, given, sizeof size);
    if (size < first)
        return tc_fail(err, TACIT_E_ARG, "%s.size must be sizeof(%s), at least %zu, got %zu", type,
                       type, first, size);
    for (size_t i = known; i < size; i++)
        if (((const char *)given)[i] != 0)
            return tc_fail(err, TACIT_E_ARG,
                           "%s has a member that this version of libtacit does not know: it has "
                           "%zu bytes here, got %zu",
                           type, known, size);
    memset(out, 0, known);
    memcpy(out, given, size < known ? size : known);
    memcpy(out, &known, sizeof known);
    return TACIT_OK;
}

/* Fills what the caller knows of a struct, whose size the caller has set, and leaves its size. */
static inline tacit_status tc_sized_write(void *to, size_t first, const void *from, size_t known,
                                          const char *type, tacit_error *err)
{
    size_t size;
    memcpy(&size, to, sizeof size);
    if (size < first)
        return tc_fail(err, TACIT_E_ARG, "%s.size must be sizeof(%s), at least %zu, got %zu", type,
                       type, first, size);
    memcpy((char *)to + sizeof size, (const char *)from + sizeof size,
           (size < known ? size : known) - sizeof size);
    return TACIT_OK;
}

#endif
