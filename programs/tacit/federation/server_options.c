/* server_options.c - see server_options.h. Tokens come from files: arguments can be seen by others. */
#include "federation/server_options.h"

#include "base/file.h"
#include "base/memory.h"

#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { TOKEN_MOST = 4096, SLICE_MS = 50 };

static const char *given_or(const char *option, const char *variable)
{
    const char *set = option ? NULL : getenv(variable); /* an empty one is none */
    return option ? option : set && *set ? set : NULL;
}

bool tc_stop_at_interrupt(void *unused)
{
    (void)unused;
    return tc_interrupted();
}

const char *tc_server_fingerprint(const char *given)
{
    return given_or(given, "TACIT_FINGERPRINT");
}

tacit_status tc_server_client(tc_client **out, const char *url, const char *fingerprint,
                              tacit_error *err)
{
    return tc_client_new(out, url, tc_server_fingerprint(fingerprint), err);
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

/* ---- the way ---- */

/* In slices, so that an interruption is seen soon. */
static bool wait_a_while(void *user, int64_t ms, const char *why)
{
    const tc_link *l = user;
    if (why)
        tc_note(l->quiet, "%s; trying again", why);
    for (; ms > 0 && !tc_interrupted(); ms -= SLICE_MS)
        nanosleep(&(struct timespec){.tv_nsec = 1000000L * SLICE_MS}, NULL);
    return !tc_interrupted();
}

tacit_status tc_link_open(tc_link *l, const char *url, const char *fingerprint,
                          const char *token_file, double patience_s, bool quiet, tacit_error *err)
{
    const char *to = given_or(url, "TACIT_SERVER");
    if (!to)
        return tc_fail(err, TACIT_E_ARG,
                       "which coordinator? Say --server URL, or set TACIT_SERVER");
    TC_TRY(tc_server_token(token_file, true, &l->token, err));
    TC_TRY(tc_server_client(&l->client, to, fingerprint, err));
    tc_client_stop_at(l->client, tc_stop_at_interrupt, NULL);
    l->quiet = quiet;
    l->cfg = (tc_remote_config){.transport = tc_client_transport(l->client),
                                .token = l->token,
                                .patience_ms = (int64_t)(patience_s * 1000),
                                .wait = wait_a_while,
                                .user = l};
    return TACIT_OK;
}

void tc_link_close(tc_link *l)
{
    tc_client_free(l->client);
    if (l->token)
        explicit_bzero(l->token, strlen(l->token));
    tc_free(l->token);
    *l = (tc_link){0};
}

tacit_status tc_secret_write(const char *file, const char *text, tacit_error *err)
{
    tc_text line = {0};
    tc_text_addf(&line, "%s\n", text);
    tacit_status st =
        line.failed ? tc_fail_memory(err) : tc_file_write_secret(file, line.data, line.len, err);
    if (line.data)
        explicit_bzero(line.data, line.len);
    tc_text_fini(&line);
    return st;
}
