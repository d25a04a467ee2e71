/* audit_reply.c - attacks single replies: one bit, piecewise, Laplace.
 *
 * Worst-case neighbours: a user's value beyond the lower bound and one beyond the upper bound. The
 * output laws are known (reply.c): the score is the sign of one bit, which of the two windows a
 * piecewise reply lies in, the log-likelihood ratio of a Laplace reply. */
#include "privacy/audit_int.h"

#include "base/error.h"

#include <math.h>
#include <stdlib.h>

typedef struct state {
    tc_reply reply;
} state;

static tacit_status release(const state *s, int world, tc_entropy *e, tc_release **out,
                            tacit_error *err)
{
    return tc_reply_release(out, &s->reply, world == 1 ? 1e9 : -1e9, e, err);
}

static tacit_status prepare(void *p, const void *kind, tc_audit_claim *claim, tc_entropy *e,
                            tacit_error *err)
{
    state *s = p;
    TC_TRY(tc_reply_init(&s->reply, *(const tacit_reply_kind *)kind, 1, -1, 1, err));
    tc_release *r;
    TC_TRY(release(s, 0, e, &r, err));
    tacit_status status = tc_audit_claim_of(r, 1, TC_AUDIT_DELTA, claim, err);
    tc_release_free(r);
    return status;
}

/* Cells are counted from the middle in half cells; the windows of the two worlds are the first
 * and the last `window` cells. */
static double piecewise_score(const tc_reply *r, int64_t steps)
{
    int64_t last = 2 * r->reach + (int64_t)r->window - 1; /* steps of the outermost cell */
    int64_t inner = last - 2 * ((int64_t)r->window - 1);
    return (double)(steps >= inner) - (double)(steps <= -inner);
}

static double laplace_score(const tc_reply *r, int64_t steps)
{
    double y = (double)steps, reach = (double)r->reach;
    return (fabs(y + reach) - fabs(y - reach)) / (double)r->scale;
}

static tacit_status run(void *p, int world, tc_entropy *e, tc_audit_look *look, tacit_error *err)
{
    const state *s = p;
    tc_release *r;
    TC_TRY(release(s, world, e, &r, err));
    int64_t steps = tc_release_get(r)->steps[0];
    if (s->reply.kind == TACIT_REPLY_PIECEWISE)
        look->score = piecewise_score(&s->reply, steps);
    else if (s->reply.kind == TACIT_REPLY_LAPLACE)
        look->score = laplace_score(&s->reply, steps);
    else
        look->score = steps > 0;
    tc_release_free(r);
    return TACIT_OK;
}

static const tacit_reply_kind one_bit = TACIT_REPLY_ONE_BIT, piecewise = TACIT_REPLY_PIECEWISE,
                              laplace = TACIT_REPLY_LAPLACE;

const tc_audit_case tc_audit_one_bit = {
    .name = "one-bit-reply",
    .attack = "a value beyond either bound; the bit",
    .state_size = sizeof(state),
    .setting = &one_bit,
    .open = prepare,
    .run = run,
};

const tc_audit_case tc_audit_piecewise = {
    .name = "piecewise-reply",
    .attack = "a value beyond either bound; the window of the reply",
    .state_size = sizeof(state),
    .setting = &piecewise,
    .open = prepare,
    .run = run,
};

const tc_audit_case tc_audit_laplace_reply = {
    .name = "laplace-reply",
    .attack = "a value beyond either bound; likelihood ratio",
    .state_size = sizeof(state),
    .setting = &laplace,
    .open = prepare,
    .run = run,
};
