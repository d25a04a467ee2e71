/* api_opts.h - sized structs of the public interface, as callers of this and of other versions pass them. */
#ifndef TC_NET_API_OPTS_H
#define TC_NET_API_OPTS_H

#include "base/error.h"

#include <string.h>

/* out has defaults. What the caller's struct does not reach keeps them; what it has beyond ours must be 0. */
static inline tacit_status tc_opts_take_bytes(void *out, size_t ours, const void *given,
                                              tacit_error *err)
{
    size_t theirs;
    if (!given)
        return tc_fail(err, TACIT_E_ARG, "opts is missing");
    memcpy(&theirs, given, sizeof theirs);
    if (theirs < 2 * sizeof theirs)
        return tc_fail(err, TACIT_E_ARG, "opts.size must be the size of the struct, got %zu",
                       theirs);
    for (size_t i = ours; i < theirs; i++)
        if (((const unsigned char *)given)[i] != 0)
            return tc_fail(err, TACIT_E_UNSUPPORTED,
                           "opts has a field that this version of tacit does not know");
    memcpy(out, given, theirs < ours ? theirs : ours);
    memcpy(out, &ours, sizeof ours);
    return TACIT_OK;
}
#define tc_opts_take(out, given, err) tc_opts_take_bytes(out, sizeof *(out), given, err)

#endif
