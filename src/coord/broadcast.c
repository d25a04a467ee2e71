/* broadcast.c - what a round ended with, and what the ledger says about it.
 *
 * A release is read from the ledger, where it was before a byte left. It carries the head of the
 * chain after its entry: agents keep the last one they saw and refuse a ledger that does not extend
 * it (README.md). */
#include "coord/coord_int.h"

#include "base/error.h"
#include "base/json.h"

#include <inttypes.h>
#include <sodium.h>

static tacit_status of_this_study(tc_ask *a, const tc_desk *d, tacit_error *err)
{
    if (a->caller.role == TC_ROLE_AGENT && a->caller.study != d->id)
        return tc_refuse(a, 403, TACIT_E_ARG, err, "the token is for another study");
    return TACIT_OK;
}

static json_t *head_json(const tc_ledger_head *h)
{
    char hex[2 * TC_LEDGER_HASH_BYTES + 1];
    sodium_bin2hex(hex, sizeof hex, h->hash.bytes, sizeof h->hash.bytes);
    return json_pack("{s:I, s:s}", "seq", (json_int_t)h->seq, "hash", hex);
}

static tacit_status answer_release(tc_ask *a, uint64_t round, const tc_ledger_receipt *r,
                                   tacit_error *err)
{
    tc_text bytes = {0};
    tc_base64_add(&bytes, r->bytes, r->size);
    json_t *j = bytes.failed
                    ? NULL
                    : json_pack("{s:I, s:s, s:o, s:b, s:s}", "round", (json_int_t)round, "release",
                                tc_text_get(&bytes), "head", head_json(&r->head), "private",
                                (int)r->is_private, "not_private", r->not_private);
    tc_text_fini(&bytes);
    return tc_answer(a, 200, j, err);
}

static tacit_status released(tc_ask *a, tc_desk *d, uint64_t round, tacit_error *err)
{
    tc_ledger_receipt r;
    pthread_mutex_lock(&d->lock);
    tacit_status status = tc_ledger_catch_up(d->ledger, err);
    if (status == TACIT_OK)
        status = tc_ledger_find(d->ledger, &d->plan->hash, round, &r, err);
    if (status == TACIT_OK) {
        status = answer_release(a, round, &r, err);
        tc_ledger_receipt_fini(&r);
    }
    pthread_mutex_unlock(&d->lock);
    return status;
}

static tacit_status answer_phase(tc_ask *a, const tc_round *r, uint64_t round, tacit_error *err)
{
    a->out->wait = true;
    return tc_answer(a, 202,
                     json_pack("{s:I, s:s, s:I}", "round", (json_int_t)round, "phase",
                               tc_phase_name(r->phase), "deadline_ms", (json_int_t)r->deadline_ms),
                     err);
}

static tacit_status get(tc_ask *a, tc_desk *d, uint64_t round, tacit_error *err)
{
    tc_round r;
    TC_TRY(of_this_study(a, d, err));
    TC_TRY(tc_round_find(a->coord, d->id, round, &r, err));
    if (r.phase == TC_PHASE_VOID)
        return tc_refuse(a, 410, TACIT_E_BUDGET, err, "%s", r.reason);
    if (r.phase != TC_PHASE_CLOSED)
        return answer_phase(a, &r, round, err);
    if (!d->plan->doc->algorithm->aggregator)
        return tc_answer(a, 200, json_pack("{s:I}", "round", (json_int_t)round), err);
    return released(a, d, round, err);
}

tacit_status tc_broadcast_get(tc_ask *a, tacit_error *err)
{
    tc_desk *d;
    uint64_t round;
    TC_TRY(tc_ask_number(a, 1, "round", &round, err));
    TC_TRY(tc_desk_get(a->coord, a->words[0], &d, err));
    tacit_status status = get(a, d, round, err);
    tc_desk_release(a->coord, d);
    return status;
}

/* The whole ledger, which anybody can check and account for again. */
tacit_status tc_privacy_get(tc_ask *a, tacit_error *err)
{
    tc_desk *d;
    json_t *j = NULL;
    TC_TRY(tc_desk_get(a->coord, a->words[0], &d, err));
    tacit_status status = of_this_study(a, d, err);
    pthread_mutex_lock(&d->lock);
    if (status == TACIT_OK)
        status = tc_ledger_catch_up(d->ledger, err);
    if (status == TACIT_OK)
        j = tc_ledger_json(d->ledger);
    pthread_mutex_unlock(&d->lock);
    tc_desk_release(a->coord, d);
    return status == TACIT_OK ? tc_answer(a, 200, j, err) : status;
}
