/* transport.h - how an agent reaches its coordinator: one request, one answer.
 *
 * net/client.h does it over HTTPS, tests by calling coord/ directly. */
#ifndef TC_AGENT_TRANSPORT_H
#define TC_AGENT_TRANSPORT_H

#include "base/text.h"

#include <stdint.h>

enum { TC_CALL_S = 60, TC_ANSWER_MOST = 16 << 20 };

/* Absent ones are NULL. */
typedef struct tc_call {
    const char *method, *path; /* the path with its query */
    const char *bearer, *signature, *idempotency;
    const char *body; /* JSON */
    size_t n_body;
    long timeout_s; /* for the whole answer, however it comes; 0: TC_CALL_S */
    long wait_s;    /* so long the coordinator may hold it; then it has its time */
} tc_call;

typedef struct tc_transport {
    /* *status: of HTTP; body gets what came back. E_IO: nothing came back, and why; whether the
     * request arrived is not known. Any other failure is for good. */
    tacit_status (*call)(void *user, const tc_call *call, int *status, tc_text *body,
                         tacit_error *err);
    void *user;
} tc_transport;

#endif
