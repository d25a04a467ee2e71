/* link.c - see link.h. */
#include "federation/link.h"

#include "base/memory.h"

#include <string.h>

tacit_status tc_server_client(tc_client **out, const char *url, const char *fingerprint,
                              tacit_error *err)
{
    return tc_client_new(out, url, tc_server_fingerprint(fingerprint), err);
}

static bool wait_a_while(void *user, int64_t ms, const char *why)
{
    const tc_link *l = user;
    return tc_server_wait(l->quiet, ms, why);
}

tacit_status tc_link_open(tc_link *l, const char *url, const char *fingerprint,
                          const char *token_file, double patience_s, bool quiet, tacit_error *err)
{
    const char *to = tc_server_url(url);
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
