/* client.h - requests to a coordinator over HTTPS. The only caller of libcurl is client.c.
 *
 * One handle keeps one connection alive and serves one thread at a time. The coordinator is known by the
 * fingerprint of its public key (certificate.h): a handle without one speaks plain HTTP, to loopback
 * only. No proxy is used and no redirect followed, whatever the environment or an answer says. Requests
 * that got no answer are not repeated here: who asks knows which may be. */
#ifndef TC_NET_CLIENT_H
#define TC_NET_CLIENT_H

#include "agent/transport.h"

typedef struct tc_client tc_client;

/* url: "https://host:8443" with a fingerprint "sha256//...", or "http://127.0.0.1:8443" with NULL. */
tacit_status tc_client_new(tc_client **out, const char *url, const char *fingerprint,
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
