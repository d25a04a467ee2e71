/* client.h - requests to a coordinator over HTTPS. The only caller of libcurl is client.c.
 *
 * One handle keeps one connection alive and serves one thread at a time. The coordinator is known by the
 * fingerprint of its public key (certificate.h), by a certificate of an authority for its name, or by both: a handle
 * without either speaks plain HTTP, to loopback only. A proxy gets a CONNECT and then bytes of TLS: it sees the
 * coordinator's name, and no token. No redirect is followed. Requests
 * that got no answer are not repeated here: who asks knows which may be.
 *
 * A coordinator that is going to change its key says the fingerprint of the next one in its answers. The handle believes it,
 * because an answer comes over TLS from who has the key of now. Once the next key answers, the one of before is
 * believed no longer. */
#ifndef TC_NET_CLIENT_H
#define TC_NET_CLIENT_H

#include "agent/transport.h"

typedef struct tc_client tc_client;

typedef struct tc_client_opts {
    const char *fingerprint; /* "sha256//...", or several with ; between them: each is believed */
    const char *ca; /* a file with the authorities' certificates, PEM; no others are believed */
    /* "http://host:3128" or "https://...": the way to the coordinator, whatever the environment says. "none": there is
     * none. NULL: https_proxy and no_proxy of the environment, but none to loopback. */
    const char *proxy;
} tc_client_opts;

/* url: "https://host:8443" with a fingerprint or a CA, or with both; or "http://127.0.0.1:8443" with neither. Copied. */
tacit_status tc_client_new(tc_client **out, const char *url, const tc_client_opts *opts,
                           tacit_error *err);
void tc_client_free(tc_client *c); /* NULL is allowed */

/* Calls end early, with E_IO, soon after `stop` first returns true. Calls that begin later do not ask it:
 * an agent that was interrupted may still send a last request. */
void tc_client_stop_at(tc_client *c, bool (*stop)(void *user), void *user);

/* From now on a call takes no longer than this, besides the time that the coordinator may hold it; below a
 * second it is a second. At first it takes as long as it says. */
void tc_client_set_patience(tc_client *c, double s);
/* Since when the answer to the last call was due, by tc_clock_ns: when it was made, and as much later as it
 * may be held. */
uint64_t tc_client_due_ns(const tc_client *c);

/* Whose keys a handle believes. */
typedef struct tc_pins {
    const char *now;  /* one fingerprint, or several with ; between them */
    const char *next; /* one that was announced by `now`; NULL: none was */
} tc_pins;
/* Called before a change of them counts: keeps it for the next process. What it fails with, the call fails with. */
typedef tacit_status (*tc_pins_keep)(void *user, const tc_pins *pins, tacit_error *err);
/* From now on these are believed instead of what the handle was made with, if they are given; copied. keep may be NULL: then
 * changes last as long as the handle. */
tacit_status tc_client_believe(tc_client *c, const tc_pins *pins, tc_pins_keep keep, void *user,
                               tacit_error *err);
/* What is believed now; borrowed until the next call. */
tc_pins tc_client_pins(const tc_client *c);

/* *status: of HTTP; body gets what came back, 16 MiB at most. E_IO: nothing came back, and why.
 * E_UNSUPPORTED: the answer is larger, or the coordinator speaks no version of the protocol that we do; it would be
 * so again.
 * E_STATE: another key answers than the one with the fingerprint; asking again will not help. */
tacit_status tc_client_call(tc_client *c, const tc_call *call, int *status, tc_text *body,
                            tacit_error *err);

/* How long the last answer asked to be left alone (Retry-After), an hour at most; 0: it did not. */
long tc_client_retry_after_s(const tc_client *c);

/* The same as a transport. */
tc_transport tc_client_transport(tc_client *c);

#endif
