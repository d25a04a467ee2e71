/* sending.c - a message of this agent: paid for, signed, and sent until it has arrived.
 *
 * The journal has the message before it comes here. What is in the outbox is sent again after an
 * answer that was lost and after a restart: the same bytes in the same place are the same message.
 * Before a byte leaves, the coordinator's ledger is held against what was seen of it, and the price is
 * in our own. */
#include "agent/agent_int.h"

#include "algo/charge.h"
#include "base/error.h"
#include "base/json.h"
#include "base/memory.h"
#include "privacy/mechanism.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

/* ---- the outbox ---- */

tacit_status tc_outbox_fill(tc_agent *a, tacit_error *err)
{
    tc_outbox *o = &a->outbox;
    tacit_error why;
    if (o->known)
        return TACIT_OK;
    o->message.len = 0;
    o->dealt = false;
    tacit_status status = tc_study_published(a->study, &o->round, &o->message, &why);
    if (status != TACIT_OK && status != TACIT_E_NOT_FOUND)
        return tc_pass_on(err, status, &why);
    bool waits = false;
    if (status == TACIT_OK)
        TC_TRY(tc_coordinator_restored_waits(a, o->round, &waits, err));
    o->known = true;
    o->pending = status == TACIT_OK && !waits;
    return TACIT_OK;
}

/* ---- paying ---- */

/* Pledges what the release of a round will be: its price, and whom it concerns. */
static tacit_status make_pledge(const tc_agent *a, uint64_t round, const char *mechanism,
                                tc_release **out, tacit_error *err)
{
    const tc_study_plan *p = tc_study_get_plan(a->study);
    tc_round_charge who = tc_study_plan_charge(p, round);
    tc_round_price price;
    TC_TRY(tc_study_plan_price(p, round, &price, err));
    tc_pledge_terms terms = {.event = price.event,
                             .distance = price.distance,
                             .unit = who.unit,
                             .single = !who.everybody,
                             .adjacency = price.adjacency,
                             .not_private = a->stamp,
                             .mechanism = mechanism};
    return tc_pledge_by(out, &terms, err);
}

/* Under `study`, charged to whom the round concerns. */
static tacit_status charge_own_ledger(tc_agent *a, const tacit_hash *study, uint64_t round,
                                      const tc_ledger_budget *limit, const tc_release *pledge,
                                      tacit_error *err)
{
    const tc_study_plan *p = tc_study_get_plan(a->study);
    tc_round_charge who = tc_study_plan_charge(p, round);
    tc_ledger_charge charge = {
        .study = *study, .round = round, .subject = tc_round_charge_subject(&who)};
    tc_ledger_receipt receipt;
    TC_TRY(tc_ledger_release(a->ledger, limit, &charge, pledge, &receipt, err));
    tc_ledger_receipt_fini(&receipt);
    return TACIT_OK;
}

/* E_BUDGET: it would cost more than this agent allows, if it is limited. Once paid, a
 * round costs nothing again. mechanism: TC_AGENT_LEFT or NULL. */
static tacit_status pay(tc_agent *a, uint64_t round, bool limited, const char *mechanism,
                        tacit_error *err)
{
    tc_release *pledge;
    tacit_hash place;
    tc_ledger_budget limit;
    TC_TRY(tc_coordinator_restored_place(a, round, &place, err));
    if (limited)
        TC_TRY(tc_limit_of(a, round, &place, &limit, err));
    TC_TRY(make_pledge(a, round, mechanism, &pledge, err));
    tacit_status status = charge_own_ledger(a, &place, round, limited ? &limit : NULL, pledge, err);
    tc_release_free(pledge);
    return status;
}

/* The note is of no values and no cost, in a place of its own beside the study's rounds. */
tacit_status tc_send_stamp(tc_agent *a, uint64_t round, tacit_error *err)
{
    static const char place[] = "NOT PRIVATE after all";
    uint8_t both[TC_LEDGER_HASH_BYTES + sizeof place];
    const tc_study_plan *p = tc_study_get_plan(a->study);
    tc_round_charge who = tc_study_plan_charge(p, round);
    tc_pledge_terms nothing = {
        .event = {.mechanism = TACIT_DP_PURE, .parameter = 1, .sampling_rate = 1},
        .unit = who.unit,
        .single = !who.everybody,
        .not_private = "the coordinator released it with noise that is no secret"};
    tc_release *note;
    memcpy(both, p->hash.bytes, TC_LEDGER_HASH_BYTES);
    memcpy(both + TC_LEDGER_HASH_BYTES, place, sizeof place);
    tacit_hash study = tc_hash_bytes(both, sizeof both);
    TC_TRY(tc_pledge_by(&note, &nothing, err));
    tacit_status status = charge_own_ledger(a, &study, round, NULL, note, err);
    tc_release_free(note);
    return status;
}

/* ---- sending ---- */

static void make_body(uint64_t sequence, const tc_text *message, tc_text *out)
{
    tc_text_addf(out, "{\"sequence\": %" PRIu64 ", \"message\": \"", sequence);
    tc_base64_add(out, tc_text_get(message), message->len);
    tc_text_add(out, "\"}");
}

/* As long as the message would be, in a word as long as "message": who sees the length of what passes
 * cannot tell one from the other. */
static void make_refusal(uint64_t sequence, size_t size, tc_text *out)
{
    void *zeros = tc_alloc(size + 1, 1);
    out->failed |= !zeros;
    tc_text_addf(out, "{\"sequence\": %" PRIu64 ", \"decline\": \"", sequence);
    if (zeros)
        tc_base64_add(out, zeros, size);
    tc_text_add(out, "\"}");
    tc_free(zeros);
}

static void sign(const tc_agent *a, uint64_t round, uint64_t sequence, const tc_text *body,
                 tc_text *out)
{
    tc_signed what = {.purpose = TC_SIGN_MESSAGE,
                      .study = tc_study_get_plan(a->study)->hash,
                      .round = round,
                      .sequence = sequence,
                      .body = tc_text_get(body),
                      .n_body = body->len};
    tc_signature s;
    tc_sign(&a->secret_key, &what, &s);
    tc_base64_add(out, s.bytes, sizeof s.bytes);
}

/* A conflict of states passes, unless the study was closed; two messages in one place do not. */
static tacit_status take_refusal(tc_agent *a, const tc_answered *r, tc_sent *out, tacit_error *err)
{
    char what[64];
    bool closed = false;
    const char *type = json_string_value(json_object_get(r->body, "type"));
    bool passes = r->status == 409 && type && strcmp(type, "urn:tacit:problem:state") == 0;
    if (passes)
        TC_TRY(tc_offer_closed(a, &closed, err));
    *out = TC_SEND_LATER;
    if (passes && !closed)
        return TACIT_OK;
    snprintf(what, sizeof what, "the message of round %" PRIu64, a->outbox.round);
    return tc_answered_refusal(r, what, err);
}

/* Late is fine: the round has ended without us, and we hear its broadcast all the same. */
static tacit_status take_receipt(tc_agent *a, const tc_answered *r, tc_sent *out, tacit_error *err)
{
    if (r->status != 200 && r->status != 202 && r->status != 410)
        return take_refusal(a, r, out, err);
    a->outbox.pending = false;
    a->paused = false;
    *out = TC_SENT;
    return TACIT_OK;
}

static void say_whether(tc_agent *a, uint64_t round, bool declines, tc_sent what)
{
    if (what == TC_SENT && !declines)
        tc_agent_emit_sent(a, round);
    if (what == TC_SEND_LATER)
        tc_agent_emit_waits(a, round, TACIT_UNKNOWN, 0,
                            "the study is paused, or an earlier round is not over");
}

/* Rounds only grow, so a round's number is a sequence that grows with every message. */
static tacit_status post(tc_agent *a, bool declines, tc_sent *out, tacit_error *err)
{
    char path[64];
    uint64_t round = a->outbox.round;
    tc_text body = {0}, signature = {0};
    tc_answered r;
    size_t size = a->outbox.message.len;
    if (tc_shares_needed(a))
        TC_TRY(tc_shares_size(a, round, &size, err));
    if (declines)
        make_refusal(round + 1, size, &body);
    else
        make_body(round + 1, tc_shares_needed(a) ? &a->outbox.upload : &a->outbox.message, &body);
    sign(a, round, round + 1, &body, &signature);
    snprintf(path, sizeof path, "/rounds/%" PRIu64 "/messages", round);
    body.failed |= signature.failed;
    tacit_status status =
        tc_agent_post(a, path, a->access, tc_text_get(&signature), &body, &r, err);
    tc_text_fini(&signature);
    TC_TRY(status);
    status = take_receipt(a, &r, out, err);
    tc_answered_fini(&r);
    if (status == TACIT_OK)
        say_whether(a, round, declines, *out);
    return status;
}

/* A message of a round that was paid for may have left before, and is not taken back; unless the
 * coordinator was restored since, and knows nothing of it. */
static tacit_status was_paid(tc_agent *a, uint64_t round, bool *out, tacit_error *err)
{
    tc_ledger_receipt r;
    tacit_hash place;
    tacit_error why = {0};
    TC_TRY(tc_coordinator_restored_place(a, round, &place, err));
    tacit_status status = tc_ledger_find(a->ledger, &place, round, &r, &why);
    *out = status == TACIT_OK;
    if (*out)
        tc_ledger_receipt_fini(&r);
    return status == TACIT_E_NOT_FOUND ? TACIT_OK : tc_pass_on(err, status, &why);
}

/* E_BUDGET: the limit of this agent refuses the round, or refused it before. Messages that are computed from values
 * that are private already are under no limit: they cost nothing. */
static tacit_status pay_unless_declined(tc_agent *a, uint64_t round, tacit_error *err)
{
    bool declined;
    TC_TRY(tc_declined(a, round, &declined, err));
    if (declined)
        return tc_fail(err, TACIT_E_BUDGET,
                       "round %" PRIu64 " was declined before: this ledger did not allow its price",
                       round);
    bool free = tc_study_get_plan(a->study)->doc->promise == TC_PROMISE_RECORDS;
    return pay(a, round, a->cfg.limited && !free, NULL, err);
}

/* TC_SEND_LATER: the roster is not fixed yet. */
static tacit_status prepare(tc_agent *a, tc_sent *out, tacit_error *err)
{
    bool there;
    if (!tc_shares_needed(a))
        return TACIT_OK;
    TC_TRY(tc_shares_roster(a, &there, err));
    if (there)
        return tc_shares_make(a, err);
    *out = TC_SEND_LATER;
    tc_agent_emit_waits(a, a->outbox.round, TACIT_UNKNOWN, 0,
                        "not all agents and trustees have joined yet");
    return TACIT_OK;
}

/* The way of a message out of this machine. A process that dies on it begins again here and finds what it has done:
 * the price in the ledger is found and not paid twice, the bytes are those of the journal. */
tacit_status tc_send(tc_agent *a, tc_sent *out, tacit_error *why, tacit_error *err)
{
    const tc_algorithm *algorithm = tc_study_get_plan(a->study)->doc->algorithm;
    uint64_t round = a->outbox.round;
    bool left, paid, bars;
    *out = TC_SENT;
    if (!a->outbox.pending)
        return TACIT_OK;

    /* This storage was restored from a backup, and a message of this round may have left before: none is sent in other
     * words, and the one that left is paid for. */
    TC_TRY(tc_agent_restored_left(a, round, &left, err));
    if (left) {
        TC_TRY(was_paid(a, round, &paid, err));
        if (!paid)
            TC_TRY(pay(a, round, false, TC_AGENT_LEFT, err));
        a->outbox.pending = false;
        return TACIT_OK;
    }

    /* The coordinator's ledger has to continue the one that was seen last; that of a relay is empty. */
    if (algorithm->aggregator)
        TC_TRY(tc_check_their_head(a, err));

    /* The coordinator was restored from a backup, as we know by now: hear first whether the round is over. */
    TC_TRY(tc_agent_restored_bars(a, round, &bars, err));
    if (bars)
        a->outbox.pending = false;
    if (!a->outbox.pending)
        return TACIT_OK;

    /* To trustees it leaves as shares: for a roster that this agent knows, and in its store before it is paid for. */
    TC_TRY(prepare(a, out, err));
    if (*out == TC_SEND_LATER)
        return TACIT_OK;

    /* The price stands in our ledger before a byte leaves. */
    tacit_status status = pay_unless_declined(a, round, why);
    if (status == TACIT_OK)
        return post(a, false, out, err);
    if (status != TACIT_E_BUDGET)
        return tc_pass_on(err, status, why);

    /* Our limit refuses it. That is kept, and the coordinator hears that nothing will come; unless the round was paid
     * for earlier, under a higher limit: then the message may have left. */
    TC_TRY(was_paid(a, round, &paid, err));
    if (paid) {
        a->outbox.pending = false;
        *out = TC_DECLINED;
        return TACIT_OK;
    }
    TC_TRY(tc_declined_keep(a, round, err));
    TC_TRY(post(a, true, out, err));
    if (*out != TC_SENT)
        return TACIT_OK;
    *out = TC_DECLINED;
    tc_agent_emit(a, &(tacit_agent_event){.kind = TACIT_AGENT_WITHHELD,
                                          .round = round,
                                          .party = TACIT_UNKNOWN,
                                          .text = why->msg});
    return TACIT_OK;
}
