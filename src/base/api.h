/* api.h - what the functions of include/tacit check before anything else: pointers that must be given,
 * and structs that begin with their size and may come from a caller of another version.
 *
 * include/tacit/status.h has the rules for such structs. For the files *_api.c of every layer. */
#ifndef TC_BASE_API_H
#define TC_BASE_API_H

#include "base/error.h"
#include "base/text.h"

#include <stddef.h>

/* Returns E_ARG from the enclosing function, with a sentence, where a pointer is missing. */
#define TC_GIVEN(pointer)                                                                          \
    do {                                                                                           \
        if (!(pointer))                                                                            \
            return tc_fail(err, TACIT_E_ARG, "%s must not be NULL", #pointer);                     \
    } while (0)

/* Hands a text to the caller, who ends it with tacit_text_free. E_MEMORY: it was not written whole. */
tacit_status tc_text_hand_out(tc_text *t, char **out, tacit_error *err);

/* A public struct that begins with `size_t size`. */
typedef struct tc_sized {
    const char *type;
    size_t first; /* bytes of its first version: no caller has fewer */
    size_t known; /* bytes of it now */
} tc_sized;

/* No sane struct is larger: a size above it was never set. */
#define TC_SIZED_MOST 4096

#define TC_END_OF(type, member) (offsetof(type, member) + sizeof(((type *)0)->member))

/* Defines `name` for a struct whose first version ended in the member `first` and that ends in
 * `last` now. It must not end in padding: a later member could lie there, within the size of an
 * earlier caller, who never wrote to it. */
#define TC_SIZED(name, type, first, last)                                                          \
    const tc_sized name = {#type, TC_END_OF(type, first), sizeof(type)};                           \
    _Static_assert(TC_END_OF(type, last) == sizeof(type), #type " must not end in padding")

/* Copies a struct that the caller passes in; members that it does not have become 0. `what` names
 * the argument. E_ARG: it is NULL or too small. E_UNSUPPORTED: a member is set that is not known. */
tacit_status tc_sized_take(const tc_sized *s, void *to, const void *from, const char *what,
                           tacit_error *err);

/* May the struct be written to? To be asked before there is something to write. */
tacit_status tc_sized_check(const tc_sized *s, const void *to, const char *what, tacit_error *err);

/* Writes to a struct that was checked: as much as it has room for, all but its size. */
void tc_sized_give(const tc_sized *s, void *to, const void *from);

#endif
