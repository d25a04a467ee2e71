/* absent.c - instead of the client, the server and the certificates in a build with -DTACIT_NETWORK=OFF.
 *
 * What makes one of them says in one sentence that there is none; the rest is never reached. */
#include <tacit/net.h>

#include "net/client.h"
#include "net/server.h"

#include "base/error.h"

#define ABSENT "this tacit was built without the network (TACIT_NETWORK=OFF)"

bool tacit_net_is_built(void)
{
    return false;
}

void tacit_net_parts(tacit_build_visit visit, void *user)
{
    if (!visit)
        return;
    static const char *const parts[] = {"gnutls", "microhttpd", "curl"};
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++)
        visit(user, parts[i], "not built");
}

/* ---- the client */

tacit_status tc_client_new(tc_client **out, const char *url, const tc_client_opts *opts,
                           tacit_error *err)
{
    (void)out;
    (void)opts;
    return tc_fail(err, TACIT_E_UNSUPPORTED, ABSENT " and cannot reach %s", url);
}

void tc_client_free(tc_client *c)
{
    (void)c;
}

void tc_client_stop_at(tc_client *c, bool (*stop)(void *user), void *user)
{
    (void)c;
    (void)stop;
    (void)user;
}

void tc_client_set_patience(tc_client *c, double s)
{
    (void)c;
    (void)s;
}

uint64_t tc_client_due_ns(const tc_client *c)
{
    (void)c;
    return 0;
}

tacit_status tc_client_call(tc_client *c, const tc_call *call, int *status, tc_text *body,
                            tacit_error *err)
{
    (void)c;
    (void)call;
    (void)status;
    (void)body;
    return tc_fail(err, TACIT_E_UNSUPPORTED, ABSENT);
}

long tc_client_retry_after_s(const tc_client *c)
{
    (void)c;
    return 0;
}

tacit_status tc_client_believe(tc_client *c, const tc_pins *pins, tc_pins_keep keep, void *user,
                               tacit_error *err)
{
    (void)c;
    (void)pins;
    (void)keep;
    (void)user;
    return tc_fail(err, TACIT_E_UNSUPPORTED, ABSENT);
}

tc_pins tc_client_pins(const tc_client *c)
{
    (void)c;
    return (tc_pins){0};
}

tc_transport tc_client_transport(tc_client *c)
{
    (void)c;
    return (tc_transport){0};
}

/* ---- the server */

tacit_status tc_certificate_step(tc_store *s, const char *host, tc_key_step step, int64_t at_ms,
                                 tc_certificate *out, tacit_error *err)
{
    (void)s;
    (void)host;
    (void)step;
    (void)at_ms;
    (void)out;
    return tc_fail(err, TACIT_E_UNSUPPORTED, ABSENT);
}

tacit_status tc_certificate_get(tc_store *s, const char *host, tc_certificate *out,
                                tacit_error *err)
{
    (void)s;
    (void)host;
    (void)out;
    return tc_fail(err, TACIT_E_UNSUPPORTED, ABSENT);
}

void tc_certificate_fini(tc_certificate *c)
{
    (void)c;
}

tacit_status tc_server_start(tc_server **out, const tc_server_config *cfg, tacit_error *err)
{
    (void)out;
    return tc_fail(err, TACIT_E_UNSUPPORTED, ABSENT " and cannot listen at %s", cfg->listen);
}

void tc_server_stop(tc_server *s)
{
    (void)s;
}

uint16_t tc_server_port(const tc_server *s)
{
    (void)s;
    return 0;
}
