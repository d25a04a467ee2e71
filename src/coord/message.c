/* message.c - accepting a contribution, and handing one on where the algorithm has a relay.
 *
 * A message enters in one set of changes: the round is open and stays so (TC_REQUIRE, or the change
 * that opens it), the study is not paused, the place (round, agent) is free, the agent's sequence
 * grows. It is acknowledged when that is on disk, also to those who send it again. A second message for the
 * same place is the same one, sent again because an acknowledgement was lost, if it has the same sequence
 * and, while the store has the first, the same bytes. Another one is refused, and it is kept that there was one.
 *
 * An agent that has lost its key, and came back with another (roster.c), has answered the rounds that it answered with the key
 * before: what it sends for them is taken for that, and not added.
 *
 * Where a study has trustees, a message is a dealing to them (wire/dealing.h): its form is checked, and nobody here sees more.
 *
 * Of a message nothing stays but the message itself, until its round is closed (closing.c), and that there was
 * one (the receipt). No hash, keyed or not, and no signature: with either, whoever has the store or a
 * backup could check a guess of a contribution that is gone. */
#include "coord/coord_int.h"
#include "coord/roster.h"
#include "coord/shared_round.h"

#include "base/error.h"
#include "base/json.h"
#include "base/memory.h"

#include <inttypes.h>
#include <sodium.h>
#include <string.h>

enum { ATTEMPTS = 64, MESSAGE_MOST = 1 << 24 };

typedef struct arrival {
    tc_open_study *open;
    uint64_t round, agent, sequence;
    tc_member_row member;
    uint8_t *bytes; /* owned */
    size_t n;
    bool declines; /* there will be no message; n is 0 */
    bool again;
} arrival;

/* ---- what was sent ---- */

/* A decline is as long as a message, so that its length tells nothing, and is all zeros. It is stored as a message
 * of no bytes. */
static tacit_status take_decline(arrival *m, tacit_error *err)
{
    uint8_t any = 0;
    for (size_t i = 0; i < m->n; i++)
        any |= m->bytes[i];
    if (any)
        return tc_fail(err, TACIT_E_ARG, "decline must be zeros");
    m->n = 0;
    return TACIT_OK;
}

static tacit_status read_body(tc_request_context *a, arrival *m, tacit_error *err)
{
    const char *message = tc_request_text(a, "message"), *decline = tc_request_text(a, "decline");
    if (!message == !decline)
        return tc_fail(err, TACIT_E_ARG, "give one of message and decline");
    m->sequence = (uint64_t)tc_request_whole(a, "sequence");
    m->declines = decline != NULL;
    TC_TRY(tc_base64_bytes(message ? message : decline, message ? "message" : "decline",
                           MESSAGE_MOST, &m->bytes, &m->n, err));
    return m->declines ? take_decline(m, err) : TACIT_OK;
}

static tacit_status check_signature(tc_request_context *a, arrival *m, tacit_error *err)
{
    tc_signature signature;
    tc_signed what = {.purpose = TC_SIGN_MESSAGE,
                      .study = m->open->hash,
                      .round = m->round,
                      .sequence = m->sequence,
                      .body = a->q->body,
                      .n_body = a->q->n_body};
    TC_TRY(tc_roster_get(a->coord, m->open->id, m->agent, &m->member, err));
    if (m->member.revoked)
        return tc_roster_gone(a, &m->member, err);
    if (!a->q->signature ||
        !tc_base64_read(a->q->signature, signature.bytes, sizeof signature.bytes) ||
        !tc_signature_holds(&m->member.key, &what, &signature))
        return tc_refuse(a, 403, TACIT_E_ARG, err, "the signature does not hold");
    return TACIT_OK;
}

/* Where trustees add up: boxes, which only they can open. */
static tacit_status check_upload(const arrival *m, tacit_error *err)
{
    tc_dealing_head want, head;
    TC_TRY(tc_shared_round_head(m->open, m->round, TC_DEALER_AGENT, m->agent, &want, err));
    return tc_dealing_check(&m->open->plan->env.trustees, &want, m->bytes, m->n, &head, err);
}

static tacit_status check_message(tc_request_context *a, const arrival *m, tacit_error *err)
{
    const tc_study_plan *p = m->open->plan;
    const tc_algorithm *g = p->doc->algorithm;
    uint64_t next;
    TC_TRY(tc_study_plan_next_round(p, m->round, &next, err));
    if (next != m->round)
        return tc_refuse(a, 404, TACIT_E_NOT_FOUND, err, "the study has no round %" PRIu64,
                         m->round);
    if (m->declines)
        return TACIT_OK;
    if (tc_has_trustees(m->open))
        return check_upload(m, err);
    return (g->relay ? g->relay->check : g->aggregator->check)(&p->env, p->opts, m->round, m->agent,
                                                               m->bytes, m->n, err);
}

/* ---- receipts ---- */

static tc_key place_of(const arrival *m)
{
    return tc_key_numbers(m->round, m->agent);
}

static json_t *receipt_json(const arrival *m, bool late)
{
    return json_pack("{s:I, s:b}", "sequence", (json_int_t)m->sequence, "late", (int)late);
}

/* Stores the key that signed, because the agent's key may change later. */
static json_t *evidence_json(const arrival *m)
{
    tc_text key = {0};
    tc_base64_add(&key, m->member.key.bytes, sizeof m->member.key.bytes);
    json_t *j =
        json_pack("{s:s, s:I}", "key", tc_text_get(&key), "sequence", (json_int_t)m->sequence);
    tc_text_fini(&key);
    return j;
}

typedef struct receipt {
    bool there, same, late;
    bool former; /* it was sent with a key that was lost since */
} receipt;

/* Is the message in the store, if it is there still, this one? */
static tacit_status is_stored(tc_request_context *a, const arrival *m, bool *out, tacit_error *err)
{
    tc_key key = place_of(m);
    tc_record which = tc_record_of(m->open->id, TC_RECORD_MESSAGE, &key), got;
    TC_TRY(tc_store_record_find(a->coord->cfg.store, &which, &got, err));
    *out = got.version == 0 || (got.size == m->n && sodium_memcmp(got.value, m->bytes, m->n) == 0);
    if (got.value)
        explicit_bzero((void *)got.value, got.size);
    tc_free((void *)got.value);
    return TACIT_OK;
}

static tacit_status find_receipt(tc_request_context *a, const arrival *m, receipt *out,
                                 tacit_error *err)
{
    tc_key key = place_of(m);
    json_t *j;
    uint64_t version;
    TC_TRY(tc_record_read(a->coord->cfg.store, m->open->id, TC_RECORD_RECEIPT, &key, &j, &version,
                          err));
    uint64_t sequence = (uint64_t)json_integer_value(json_object_get(j, "sequence"));
    out->there = j != NULL;
    out->same = sequence == m->sequence;
    out->former = out->there && sequence <= m->member.former;
    out->late = json_is_true(json_object_get(j, "late"));
    json_decref(j);
    return out->there && out->same && !out->late && !out->former ? is_stored(a, m, &out->same, err)
                                                                 : TACIT_OK;
}

/* Stores that an agent signed two messages for one place; one such record is enough. */
static tacit_status keep_evidence(tc_request_context *a, const arrival *m, tacit_error *err)
{
    tc_changes changes = {.n = 0};
    tc_key key = place_of(m);
    tc_changes_add(&changes, TC_INSERT, m->open->id, TC_RECORD_EVIDENCE, &key, 0, evidence_json(m));
    tacit_error why;
    tacit_status status = tc_changes_end(a->coord->cfg.store, &changes, TACIT_OK, NULL, &why);
    if (status != TACIT_OK && status != TACIT_E_CONFLICT) /* conflict: it was kept before */
        return tc_pass_on(err, status, &why);
    return tc_refuse(a, 409, TACIT_E_CONFLICT, err,
                     "another message for round %" PRIu64
                     " was sent before; that there were two is "
                     "kept",
                     m->round);
}

/* Recorded, so that the agent can be told again; never folded. */
static tacit_status refuse_late(tc_request_context *a, const arrival *m, tacit_error *err)
{
    tc_changes changes = {.n = 0};
    tc_key key = place_of(m);
    tacit_error why;
    tc_changes_add(&changes, TC_INSERT, m->open->id, TC_RECORD_RECEIPT, &key, 0,
                   receipt_json(m, true));
    tacit_status status = tc_changes_end(a->coord->cfg.store, &changes, TACIT_OK, NULL, &why);
    if (status != TACIT_OK && status != TACIT_E_CONFLICT)
        return tc_pass_on(err, status, &why);
    return tc_refuse(a, 410, TACIT_E_STATE, err, "round %" PRIu64 " is closed: the message is late",
                     m->round);
}

/* ---- entering ---- */

/* The change that makes sure that the round takes messages. */
static void require_open_round(tc_request_context *a, const arrival *m, const tc_round *r,
                               tc_changes *changes)
{
    tc_key key = tc_key_word("round");
    if (r->phase == TC_PHASE_OPEN && r->number == m->round) {
        tc_changes_add(changes, TC_REQUIRE, m->open->id, TC_RECORD_STATE, &key, r->version, NULL);
        return;
    }
    tc_round fresh = {.phase = TC_PHASE_OPEN,
                      .number = m->round,
                      .deadline_ms = tc_round_deadline(a->coord, m->open->plan->doc)};
    tc_round_change(changes, m->open->id, r, &fresh);
}

static tacit_status store_message(tc_request_context *a, const arrival *m, const tc_round *r,
                                  uint64_t running, tacit_error *err)
{
    tc_changes changes = {.n = 0};
    tc_key place = place_of(m), who = tc_roster_key(m->agent), state = tc_key_word("state");
    tc_member_row member = m->member;
    int64_t id = m->open->id;
    tc_changes_add(&changes, TC_REQUIRE, id, TC_RECORD_STATE, &state, running, NULL);
    require_open_round(a, m, r, &changes);
    tc_changes_add(&changes, TC_INSERT, id, TC_RECORD_RECEIPT, &place, 0, receipt_json(m, false));
    tc_changes_bytes(&changes, TC_INSERT, id, TC_RECORD_MESSAGE, &place, 0,
                     m->n > 0 ? m->bytes : (const void *)"", m->n);
    member.sequence = m->sequence;
    if (!m->declines)
        member.spoke = (int64_t)m->round;
    tc_changes_add(&changes, TC_REPLACE, id, TC_RECORD_AGENT, &who, member.version,
                   tc_roster_json(&member));
    return tc_changes_end(a->coord->cfg.store, &changes, TACIT_OK, NULL, err);
}

/* Only the study's next round can open, so that nobody can jump over others. */
static tacit_status look_ahead(tc_request_context *a, const arrival *m, const tc_round *r,
                               tacit_error *err)
{
    uint64_t next;
    if (r->phase == TC_PHASE_OPEN || r->phase == TC_PHASE_CLOSING)
        return tc_refuse(a, 409, TACIT_E_STATE, err,
                         "round %" PRIu64 " comes later: round %" PRIu64 " is %s", m->round,
                         r->number, tc_phase_name(r->phase));
    TC_TRY(tc_study_plan_next_round(m->open->plan, r->phase == TC_PHASE_NONE ? 0 : r->number + 1,
                                    &next, err));
    if (m->round == next)
        return TACIT_OK; /* it will be opened */
    return tc_refuse(a, 409, TACIT_E_STATE, err,
                     "round %" PRIu64 " comes later: round %" PRIu64 " is next", m->round, next);
}

static tacit_status look(tc_request_context *a, const arrival *m, tc_round *r, tacit_error *err)
{
    TC_TRY(tc_round_present(a->coord, m->open->id, r, err));
    if (r->phase == TC_PHASE_NONE || r->number < m->round)
        return look_ahead(a, m, r, err);
    bool ended = r->deadline_ms > 0 && tc_coord_now(a->coord) >= r->deadline_ms;
    if (r->number > m->round || r->phase != TC_PHASE_OPEN)
        return refuse_late(a, m, err);
    if (!ended)
        return TACIT_OK;
    if (!tc_coord_is_sure(a->coord))
        return tc_refuse(a, 503, TACIT_E_BUSY, err,
                         "the coordinator has just started, and is not sure of the time yet; ask "
                         "again");
    return refuse_late(a, m, err);
}

static tacit_status try_once(tc_request_context *a, arrival *m, tacit_error *err)
{
    receipt there;
    tc_round r;
    uint64_t running; /* the version of the state that says so */
    TC_TRY(find_receipt(a, m, &there, err));
    if (there.there && there.late)
        return refuse_late(a, m, err);
    if (there.there && !there.same && !there.former)
        return keep_evidence(a, m, err);
    m->again = a->already = there.there;
    if (m->again)
        return TACIT_OK;
    TC_TRY(tc_state_running(a->coord, m->open->id, &running, err));
    TC_TRY(look(a, m, &r, err));
    if (m->sequence <= m->member.sequence)
        return tc_refuse(a, 409, TACIT_E_STATE, err,
                         "sequence must be above %" PRIu64 ", got %" PRIu64, m->member.sequence,
                         m->sequence);
    return store_message(a, m, &r, running, err);
}

/* On a conflict everything is checked again: the round, the agent's sequence or its key may have changed, or it was
 * revoked. The first attempt need not check the signature twice, because `store_message` replaces the very version
 * of the agent's record that the key was read from. */
static tacit_status accept(tc_request_context *a, arrival *m, tacit_error *err)
{
    tacit_status status = try_once(a, m, err);
    bool again = false;
    for (int i = 1; status == TACIT_E_CONFLICT && a->out->status == 0 && i < ATTEMPTS; i++) {
        again = true;
        status = check_signature(a, m, err);
        if (status == TACIT_OK)
            status = try_once(a, m, err);
    }
    if (again && status != TACIT_OK) /* the store was given a message that it does not keep */
        tc_store_forget(a->coord->cfg.store);
    return status;
}

/* Does it complete the roster, as far as this process knows? Others close by their timers. */
static bool completes(const arrival *m)
{
    tc_open_study *d = m->open;
    pthread_mutex_lock(&d->quick);
    if (d->counted_round != m->round) {
        d->counted_round = m->round;
        d->counted = 0;
    }
    bool all = ++d->counted >= d->plan->env.agents;
    pthread_mutex_unlock(&d->quick);
    return all;
}

static tacit_status post(tc_request_context *a, arrival *m, tacit_error *err)
{
    TC_TRY(read_body(a, m, err));
    TC_TRY(check_signature(a, m, err)); /* before its message is looked at */
    TC_TRY(tc_roster_check_fixed(a, m->open, err));
    a->hushed = true; /* the sentence may name numbers of the message */
    TC_TRY(check_message(a, m, err));
    a->hushed = false;
    TC_TRY(accept(a, m, err));
    a->out->closes = !m->again && completes(m);
    return tc_answer_json(a, m->again ? 200 : 202,
                          json_pack("{s:I, s:I, s:b}", "round", (json_int_t)m->round, "agent",
                                    (json_int_t)m->agent, "again", (int)m->again),
                          err);
}

tacit_status tc_message_post(tc_request_context *a, tacit_error *err)
{
    arrival m = {.agent = a->caller.agent};
    TC_TRY(tc_request_number(a, 1, "round", &m.round, err));
    TC_TRY(tc_request_federated(a, &m.open, err));
    tacit_status status = post(a, &m, err);
    if (m.bytes) {
        explicit_bzero(m.bytes, m.n);
        tc_free(m.bytes);
    }
    return status;
}

/* ---- handing on ---- */

static tacit_status relay(tc_request_context *a, tc_open_study *d, uint64_t round, uint64_t agent,
                          const tc_record *stored, tacit_error *err)
{
    tc_release *r = NULL;
    tc_text text = {0};
    bool records = d->plan->doc->promise == TC_PROMISE_RECORDS; /* its values are private already */
    TC_TRY(d->plan->doc->algorithm->relay->release(&d->plan->env, d->plan->opts, round, agent,
                                                   stored->value, stored->size, &r, err));
    size_t size = tc_release_size(r);
    uint8_t *bytes = tc_alloc(size + 1, 1);
    if (bytes) {
        tc_release_encode(r, bytes);
        tc_base64_add(&text, bytes, size);
    }
    tacit_status status =
        bytes ? tc_answer_json(a, 200,
                               json_pack("{s:I, s:I, s:s, s:s}", "round", (json_int_t)round,
                                         "agent", (json_int_t)agent, "release", tc_text_get(&text),
                                         "not_private",
                                         records ? "" : tc_release_get(r)->not_private),
                               err)
              : tc_fail_memory(err);
    tc_free(bytes);
    tc_text_fini(&text);
    tc_release_free(r);
    return status;
}

/* Where to look for the last message of an agent in `round` or before it, going back; *rounds: in how many.
 * The agent's record says where its last message is: a question about the latest round takes one look. */
static tacit_status where_to_look(tc_request_context *a, const tc_open_study *d, uint64_t agent,
                                  uint64_t *round, uint64_t *rounds, tacit_error *err)
{
    tc_member_row m;
    TC_TRY(tc_roster_get(a->coord, d->id, agent, &m, err));
    bool known = m.spoke != TC_SPOKE_UNKNOWN;
    if (known && m.spoke < 0)
        return tc_fail(err, TACIT_E_NOT_FOUND, "it has sent nothing");
    bool last = known && (uint64_t)m.spoke <= *round;
    if (last)
        *round = (uint64_t)m.spoke;
    *rounds = last ? 1 : *round + 1;
    return TACIT_OK;
}

/* E_NOT_FOUND: none. */
static tacit_status find_latest(tc_request_context *a, const tc_open_study *d, uint64_t round,
                                uint64_t agent, uint64_t *at, tc_record *out, tacit_error *err)
{
    uint64_t rounds;
    TC_TRY(where_to_look(a, d, agent, &round, &rounds, err));
    tacit_status status = TACIT_E_NOT_FOUND;
    for (uint64_t i = 0; i < rounds && status == TACIT_E_NOT_FOUND; i++) {
        tc_key key = tc_key_numbers(round - i, agent);
        tc_record which = tc_record_of(d->id, TC_RECORD_MESSAGE, &key);
        status = tc_store_record_get(a->coord->cfg.store, &which, out, err);
        *at = round - i;
        if (status == TACIT_OK && out->size == 0) { /* declined */
            tc_free((void *)out->value);
            status = TACIT_E_NOT_FOUND;
        }
    }
    return status;
}

static tacit_status nothing_sent(tc_request_context *a, uint64_t round, uint64_t agent,
                                 tacit_error *err)
{
    return tc_refuse(a, 404, TACIT_E_NOT_FOUND, err,
                     "agent %" PRIu64 " has sent nothing by round %" PRIu64, agent, round);
}

static tacit_status hand_on_latest(tc_request_context *a, tc_open_study *d, uint64_t round,
                                   uint64_t agent, tacit_error *err)
{
    tc_record got;
    uint64_t at;
    tacit_error why;
    tacit_status status = find_latest(a, d, round, agent, &at, &got, &why);
    if (status == TACIT_E_NOT_FOUND)
        return nothing_sent(a, round, agent, err);
    if (status != TACIT_OK)
        return tc_pass_on(err, status, &why);
    status = relay(a, d, at, agent, &got, err);
    tc_free((void *)got.value);
    return status;
}

tacit_status tc_message_get(tc_request_context *a, tacit_error *err)
{
    tc_open_study *d;
    tc_round r;
    tc_study_state state;
    uint64_t round, agent, version;
    TC_TRY(tc_request_number(a, 1, "round", &round, err));
    TC_TRY(tc_request_number(a, 2, "agent", &agent, err));
    TC_TRY(tc_request_federated(a, &d, err));
    if (!d->plan->doc->algorithm->relay)
        return tc_refuse(a, 404, TACIT_E_NOT_FOUND, err, "%s hands on no message of a single agent",
                         d->plan->doc->algorithm->name);
    if (agent >= d->plan->env.agents)
        return nothing_sent(a, round, agent, err);
    TC_TRY(tc_round_find(a->coord, d->id, round, &r, err));
    if (r.phase == TC_PHASE_CLOSED)
        return hand_on_latest(a, d, round, agent, err);
    TC_TRY(tc_state_get(a->coord, d->id, &state, &version, err));
    if (r.phase == TC_PHASE_VOID || (r.phase == TC_PHASE_NONE && state == TC_STUDY_CLOSED))
        return nothing_sent(a, round, agent, err);
    a->out->wait = true;
    return tc_answer_json(
        a, 202,
        json_pack("{s:I, s:s}", "round", (json_int_t)round, "phase", tc_phase_name(r.phase)), err);
}
