/* api.c - structs that begin with their size (api.h). */
#include "base/api.h"

#include <stdint.h>
#include <string.h>

static size_t size_of(const void *sized)
{
    size_t size;
    memcpy(&size, sized, sizeof size);
    return size;
}

static size_t least(size_t a, size_t b)
{
    return a < b ? a : b;
}

tacit_status tc_sized_check(const tc_sized *s, const void *to, const char *what, tacit_error *err)
{
    if (!to)
        return tc_fail(err, TACIT_E_ARG, "%s must not be NULL", what);
    size_t size = size_of(to);
    if (size >= s->first && size <= TC_SIZED_MOST)
        return TACIT_OK;
    return tc_fail(err, TACIT_E_ARG, "%s.size must be sizeof(%s), at least %zu, got %zu", what,
                   s->type, s->first, size);
}

tacit_status tc_sized_take(const tc_sized *s, void *to, const void *from, const char *what,
                           tacit_error *err)
{
    TC_TRY(tc_sized_check(s, from, what, err));
    const uint8_t *bytes = from;
    size_t size = size_of(from);
    for (size_t i = s->known; i < size; i++)
        if (bytes[i] != 0)
            return tc_fail(err, TACIT_E_UNSUPPORTED,
                           "%s has a member that this version of tacit does not know: it knows %zu "
                           "bytes of %s, and those after them must be 0",
                           what, s->known, s->type);
    memset(to, 0, s->known);
    memcpy(to, from, least(size, s->known));
    memcpy(to, &s->known, sizeof s->known);
    return TACIT_OK;
}

void tc_sized_give(const tc_sized *s, void *to, const void *from)
{
    size_t size = size_of(to), both = least(size, s->known);
    memcpy(to, from, both);
    memset((uint8_t *)to + both, 0, size - both);
    memcpy(to, &size, sizeof size);
}

tacit_status tc_text_hand_out(tc_text *t, char **out, tacit_error *err)
{
    char *taken = tc_text_take(t);
    if (!taken)
        return tc_fail_memory(err);
    *out = taken;
    return TACIT_OK;
}
