/* server_options.c - see server_options.h. Tokens come from files: arguments can be seen by others. */
#include "federation/server_options.h"

#include "base/file.h"
#include "base/memory.h"
#include "base/text.h"

#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { TOKEN_MOST = 4096, SLICE_MS = 50 };

static const char *given_or(const char *option, const char *variable)
{
    const char *set = option ? NULL : getenv(variable); /* an empty one is none */
    return option ? option : set && *set ? set : NULL;
}

const char *tc_server_url(const char *option)
{
    return given_or(option, "TACIT_SERVER");
}

const char *tc_server_fingerprint(const char *option)
{
    return given_or(option, "TACIT_FINGERPRINT");
}

const char *tc_server_ca(const char *option)
{
    return given_or(option, "TACIT_CA");
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

/* ---- waiting ---- */

bool tc_stop_at_interrupt(void *unused)
{
    (void)unused;
    return tc_interrupted();
}

/* In slices, so that an interruption is seen soon. */
bool tc_server_wait(bool quiet, int64_t ms, const char *why)
{
    if (why)
        tc_note(quiet, "%s; trying again", why);
    for (; ms > 0 && !tc_interrupted(); ms -= SLICE_MS)
        nanosleep(&(struct timespec){.tv_nsec = 1000000L * SLICE_MS}, NULL);
    return !tc_interrupted();
}

tacit_status tc_secret_write(const char *file, const char *text, tacit_error *err)
{
    tc_text line = {0};
    tc_text_addf(&line, "%s\n", text);
    tacit_status status =
        line.failed ? tc_fail_memory(err) : tc_file_write_secret(file, line.data, line.len, err);
    if (line.data)
        explicit_bzero(line.data, line.len);
    tc_text_fini(&line);
    return status;
}
