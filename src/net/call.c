/* call.c - see call.h. */
#include "net/call.h"

#include "base/error.h"

#include <string.h>

tacit_status tc_call_split(const tc_call *call, tc_call_path *out, tacit_error *err)
{
    size_t n = strlen(call->path);
    if (n >= sizeof out->path)
        return tc_fail(err, TACIT_E_ARG, "the path of a request has more than %zu characters",
                       sizeof out->path - 1);
    memcpy(out->path, call->path, n + 1);
    char *query = strchr(out->path, '?');
    if (query)
        *query++ = 0;
    out->query = query;
    return TACIT_OK;
}
