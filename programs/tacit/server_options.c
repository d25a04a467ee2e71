/* server_options.c - see server_options.h. Tokens come from files: arguments can be seen by others. */
#include "server_options.h"

#include "base/file.h"
#include "base/memory.h"

#include <stdlib.h>
#include <string.h>

enum { TOKEN_MOST = 4096 };

static const char *given_or(const char *option, const char *variable)
{
    return option ? option : getenv(variable);
}

tacit_status tc_server_client(tc_client **out, const char *url, const char *fingerprint,
                              tacit_error *err)
{
    return tc_client_new(out, url, given_or(fingerprint, "TACIT_FINGERPRINT"), err);
}

tacit_status tc_server_token(const char *file, bool required, char **out, tacit_error *err)
{
    const char *path = given_or(file, "TACIT_TOKEN_FILE");
    size_t len;
    *out = NULL;
    if (!path)
        return required ? tc_fail(err, TACIT_E_ARG,
                                  "a token is needed: --token-file FILE, or TACIT_TOKEN_FILE")
                        : TACIT_OK;
    TC_TRY(tc_file_read(path, TOKEN_MOST, out, &len, err));
    (*out)[strcspn(*out, " \t\r\n")] = 0;
    if (**out)
        return TACIT_OK;
    tc_free(*out);
    *out = NULL;
    return tc_fail(err, TACIT_E_ARG, "%s has no token in its first line", path);
}
