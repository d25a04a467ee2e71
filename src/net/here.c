/* here.c - see here.h. What a server does with an answer, this does without sockets: it closes rounds that may be
 * complete, and holds a question whose answer is not there yet. */
#include "net/here.h"

#include "base/clock.h"
#include "base/error.h"
#include "net/call.h"
#include "wire/protocol.h"

#include <time.h>

enum { LOOK_MS = 10 };

/* One request, and what follows from it. *waits: not there yet. */
static tacit_status carry(const tc_here *h, const tc_call *call, int *status, tc_text *body,
                          bool *waits, tacit_error *err)
{
    tc_call_path at;
    tc_response r = {0};
    int64_t next;
    TC_TRY(tc_call_split(call, &at, err));
    tc_request q = {.method = call->method,
                    .path = at.path,
                    .query = at.query,
                    .protocol = TC_PROTOCOL_TEXT,
                    .bearer = call->bearer,
                    .signature = call->signature,
                    .idempotency = call->idempotency,
                    .body = call->body,
                    .n_body = call->n_body};
    tc_coord_handle(h->coord, &q, &r);
    *status = r.status;
    *waits = r.wait;
    body->len = 0;
    tc_text_add_bytes(body, tc_text_get(&r.body), r.body.len);
    bool closes = r.closes;
    tc_response_fini(&r);
    if (body->failed)
        return tc_fail_memory(err);
    return closes ? tc_coord_tick(h->coord, &next, err) : TACIT_OK;
}

static void look_later(void)
{
    nanosleep(&(struct timespec){.tv_nsec = 1000000L * LOOK_MS}, NULL);
}

static tacit_status call_here(void *user, const tc_call *call, int *status, tc_text *body,
                              tacit_error *err)
{
    const tc_here *h = user;
    const uint64_t until = tc_clock_ns() + UINT64_C(1000000000) * (uint64_t)call->wait_s;
    for (;;) {
        bool waits;
        int64_t next;
        TC_TRY(carry(h, call, status, body, &waits, err));
        bool stopped = h->stop && h->stop(h->user);
        if (!waits || stopped || tc_clock_ns() >= until)
            return TACIT_OK;
        look_later();
        tc_coord_keep_time(h->coord);
        TC_TRY(tc_coord_tick(h->coord, &next, err)); /* a deadline may have passed */
    }
}

tc_transport tc_here_transport(tc_here *h)
{
    return (tc_transport){.call = call_here, .user = h};
}
