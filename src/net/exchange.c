/* exchange.c - see exchange.h. What the function brings back is checked for its shape alone: an agent believes no answer. */
#include "net/exchange.h"

#include "base/error.h"
#include "net/call.h"
#include "wire/protocol.h"

#include <inttypes.h>

static tacit_status check(const tacit_agent_answer *a, tacit_error *err)
{
    if (a->status < 100 || a->status > 599)
        return tc_fail(err, TACIT_E_ARG,
                       "opts.exchange must give an HTTP status from 100 to 599, got %" PRId64,
                       a->status);
    if (a->body_size > 0 && !a->body)
        return tc_fail(err, TACIT_E_ARG, "opts.exchange gave %zu bytes of an answer that is NULL",
                       a->body_size);
    if (a->body_size > TC_ANSWER_MOST)
        return tc_fail(err, TACIT_E_UNSUPPORTED,
                       "the answer of opts.exchange is larger than %d MiB", TC_ANSWER_MOST >> 20);
    return TACIT_OK;
}

static tacit_status failed(tacit_status status, const tacit_error *why, tacit_error *err)
{
    if (*why->msg)
        return tc_pass_on(err, status, why);
    return tc_fail(err, status, "opts.exchange failed and gave no reason (%s)",
                   tacit_status_name(status));
}

static tacit_status call_exchange(void *user, const tc_call *call, int *status, tc_text *body,
                                  tacit_error *err)
{
    const tc_exchange *x = user;
    tacit_request q = TACIT_REQUEST;
    tacit_agent_answer answer = {.size = sizeof answer};
    tacit_error why = {0};
    tc_call_path at;
    TC_TRY(tc_call_split(call, &at, err));
    q.method = call->method;
    q.path = at.path;
    q.query = at.query;
    q.protocol = TC_PROTOCOL_TEXT;
    q.bearer = call->bearer;
    q.signature = call->signature;
    q.idempotency = call->idempotency;
    q.body = call->body;
    q.body_size = call->n_body;
    tacit_status result = x->exchange(x->user, &q, &answer, &why);
    if (result != TACIT_OK)
        return failed(result, &why, err);
    TC_TRY(check(&answer, err));
    *status = (int)answer.status;
    if (answer.body_size > 0)
        tc_text_add_bytes(body, answer.body, answer.body_size);
    return body->failed ? tc_fail_memory(err) : TACIT_OK;
}

tc_transport tc_exchange_transport(tc_exchange *x)
{
    return (tc_transport){.call = call_exchange, .user = x};
}
