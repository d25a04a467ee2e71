/* roster_end.c - the end of an agent: it is revoked, or withdraws by itself; and how its party comes back.
 *
 * Either way its access token ends, nobody waits for its messages any more, and it stays on the roster: weights and sums
 * are about all of it. Who withdraws also takes back what can be: its message to the round that is open, if that has not
 * begun to close. The receipt stays, so that no other message takes its place in that round. What was released stays
 * released, and charged.
 *
 * The party comes back, if its operator wants so, with a join token that is for its place alone (roster.c): the last one that was
 * made since its end. */
#include "coord/audited.h"
#include "coord/coord_int.h"
#include "coord/roster.h"
#include "coord/round.h"
#include "coord/trustee.h"

#include "base/error.h"

#include <inttypes.h>
#include <sodium.h>
#include <string.h>

#define REVOKED "revoked"

enum { ATTEMPTS = 32 };

/* ---- whom nobody waits for ---- */

static tc_key revoked_key(uint64_t agent)
{
    tc_key k = tc_key_word(REVOKED), number = tc_key_number(agent);
    memcpy(k.bytes + k.n, number.bytes, number.n);
    k.n += number.n;
    return k;
}

uint64_t tc_roster_revoked_agent(const tc_record *r)
{
    return tc_key_at((const uint8_t *)r->key + strlen(REVOKED), 0);
}

tacit_status tc_roster_revoked(tc_coord *c, int64_t study, tc_record_visit visit, void *user,
                               tacit_error *err)
{
    tc_record_range range = {
        .study = study, .kind = TC_RECORD_STATE, .prefix = REVOKED, .prefix_size = strlen(REVOKED)};
    return tc_store_record_scan(c->cfg.store, &range, visit, user, err);
}

tacit_status tc_roster_unmark(tc_request_context *a, int64_t study, uint64_t agent,
                              tc_changes *changes, tacit_error *err)
{
    tc_key mark = revoked_key(agent);
    json_t *there;
    uint64_t version;
    TC_TRY(
        tc_record_read(a->coord->cfg.store, study, TC_RECORD_STATE, &mark, &there, &version, err));
    json_decref(there);
    if (version > 0)
        tc_changes_add(changes, TC_ERASE, study, TC_RECORD_STATE, &mark, version, NULL);
    return TACIT_OK;
}

/* ---- the end ---- */

typedef struct ending {
    const tc_open_study *open;
    uint64_t agent;
    tc_member_row member;
    bool erased; /* a message of the open round */
} ending;

static tacit_status end_member(tc_request_context *a, ending *e, tc_changes *changes,
                               tacit_error *err)
{
    tc_key mark = revoked_key(e->agent);
    e->member.revoked = true;
    e->member.readmit = (tacit_hash){0};
    TC_TRY(e->member.withdrawn ? tc_roster_leave_access(a, &e->member, changes, err)
                               : tc_roster_end_access(a, &e->member, changes, err));
    tc_roster_change(changes, e->open->id, e->agent, &e->member);
    tc_changes_add(changes, TC_INSERT, e->open->id, TC_RECORD_STATE, &mark, 0, json_object());
    return TACIT_OK;
}

static tacit_status try_revoke(tc_request_context *a, ending *e, tacit_error *err)
{
    tc_changes changes = {.n = 0};
    TC_TRY(tc_roster_get(a->coord, e->open->id, e->agent, &e->member, err));
    a->already = e->member.revoked;
    if (a->already)
        return TACIT_OK;
    const tc_act act = tc_act_of("agent.revoke", e->open, "agent %" PRIu64, e->agent);
    tacit_status status = end_member(a, e, &changes, err);
    return tc_changes_log(a->coord, &a->caller, &changes, status, &act, NULL, err);
}

/* A revoked agent stays on the roster: weights and sums are about all of it. But nobody waits for
 * its messages. */
tacit_status tc_roster_revoke(tc_request_context *a, tacit_error *err)
{
    tc_open_study *d;
    ending e = {0};
    TC_TRY(tc_request_number(a, 1, "agent", &e.agent, err));
    TC_TRY(tc_request_federated(a, &d, err));
    e.open = d;
    tacit_status status = TACIT_E_CONFLICT;
    for (int i = 0; status == TACIT_E_CONFLICT && i < ATTEMPTS; i++)
        status = try_revoke(a, &e, err);
    TC_TRY(status);
    a->out->closes = true;
    return tc_answer_json(a, 200,
                          json_pack("{s:I, s:b}", "agent", (json_int_t)e.agent, "revoked", 1), err);
}

/* ---- by itself ---- */

/* A round that has begun to close may have been added up. */
static tacit_status take_message(tc_request_context *a, ending *e, tc_changes *changes,
                                 tacit_error *err)
{
    tc_round r;
    tc_key state = tc_key_word("round");
    TC_TRY(tc_round_present(a->coord, e->open->id, &r, err));
    if (r.phase != TC_PHASE_OPEN)
        return TACIT_OK;
    tc_key place = tc_key_numbers(r.number, e->agent);
    tc_record_range one = {.study = e->open->id,
                           .kind = TC_RECORD_MESSAGE,
                           .prefix = place.bytes,
                           .prefix_size = place.n};
    uint64_t n;
    TC_TRY(tc_store_record_count(a->coord->cfg.store, &one, &n, err));
    e->erased = n > 0;
    if (!e->erased)
        return TACIT_OK;
    e->member.spoke = TC_SPOKE_UNKNOWN; /* of a relay: the last one is an earlier one */
    tc_changes_add(changes, TC_REQUIRE, e->open->id, TC_RECORD_STATE, &state, r.version, NULL);
    tc_changes_add(changes, TC_ERASE, e->open->id, TC_RECORD_MESSAGE, &place, 1, NULL);
    return TACIT_OK;
}

static tacit_status check_proof(tc_request_context *a, const ending *e, tacit_error *err)
{
    tc_signed what = {.purpose = TC_SIGN_WITHDRAW,
                      .study = e->open->hash,
                      .body = e->member.key.bytes,
                      .n_body = sizeof e->member.key.bytes};
    tc_signature proof;
    if (tc_base64_read(tc_request_text(a, "proof"), proof.bytes, sizeof proof.bytes) &&
        tc_signature_holds(&e->member.key, &what, &proof))
        return TACIT_OK;
    return tc_refuse(a, 403, TACIT_E_ARG, err,
                     "proof is not a signature of the agent's key with itself");
}

static tacit_status try_withdraw(tc_request_context *a, ending *e, tacit_error *err)
{
    tc_changes changes = {.n = 0};
    TC_TRY(tc_roster_get(a->coord, e->open->id, e->agent, &e->member, err));
    if (e->member.revoked && !e->member.withdrawn)
        return tc_roster_gone(a, &e->member, err);
    TC_TRY(check_proof(a, e, err));
    a->already = e->member.revoked;
    if (a->already)
        return TACIT_OK;
    e->member.withdrawn = true;
    tacit_status status = take_message(a, e, &changes, err);
    if (status == TACIT_OK)
        status = end_member(a, e, &changes, err);
    const tc_act act = tc_act_of("agent.withdraw", e->open, "agent %" PRIu64 "%s", e->agent,
                                 e->erased ? ", with its message to the open round" : "");
    return tc_changes_log(a->coord, &a->caller, &changes, status, &act, NULL, err);
}

/* What was erased is in no file and no buffer, as at the end of a round. */
static tacit_status wipe(tc_request_context *a, const ending *e, tacit_error *err)
{
    static const uint8_t nothing[] = "no round has this key";
    tc_record_range none = {.study = e->open->id,
                            .kind = TC_RECORD_MESSAGE,
                            .prefix = nothing,
                            .prefix_size = sizeof nothing - 1};
    TC_TRY(tc_store_record_drop(a->coord->cfg.store, &none, err));
    tc_store_forget(a->coord->cfg.store);
    return TACIT_OK;
}

/* {"proof": "base64"} */
tacit_status tc_roster_withdraw(tc_request_context *a, tacit_error *err)
{
    tc_open_study *d;
    ending e = {0};
    TC_TRY(tc_request_number(a, 1, "agent", &e.agent, err));
    TC_TRY(tc_request_federated(a, &d, err));
    if (a->caller.agent != e.agent)
        return tc_refuse(a, 403, TACIT_E_ARG, err, "an agent can withdraw itself only");
    e.open = d;
    tacit_status status = TACIT_E_CONFLICT;
    for (int i = 0; status == TACIT_E_CONFLICT && i < ATTEMPTS; i++)
        status = try_withdraw(a, &e, err);
    TC_TRY(status);
    if (e.erased)
        TC_TRY(wipe(a, &e, err));
    a->out->closes = true;
    return tc_answer_json(
        a, 200,
        json_pack("{s:I, s:b, s:b}", "agent", (json_int_t)e.agent, "revoked", 1, "withdrawn", 1),
        err);
}

/* ---- and back ---- */

static tacit_status make_token(tc_request_context *a, const tc_open_study *d, uint64_t agent,
                               char text[48], int64_t *expires_ms, tacit_error *err)
{
    tc_changes changes = {.n = 0};
    char id[TC_TOKEN_ID];
    tc_member_row m;
    TC_TRY(tc_state_open(a->coord, d->id, err));
    TC_TRY(tc_roster_check_open(a, d, err));
    TC_TRY(tc_roster_get(a->coord, d->id, agent, &m, err));
    if (!m.revoked)
        return tc_refuse(a, 409, TACIT_E_STATE, err,
                         "agent %" PRIu64 " has its place: it must be revoked first", agent);
    double expires_s = tc_request_real(a, "expires_s");
    *expires_ms = expires_s > 0 ? tc_coord_now(a->coord) + (int64_t)(expires_s * 1000) : 0;
    tc_token_terms t = {.role = TC_ROLE_JOINER,
                        .open = d,
                        .agent = agent,
                        .uses = 1,
                        .expires_ms = *expires_ms,
                        .place = true};
    tacit_status status = tc_token_make(a->coord, &t, text, &changes, err);
    tacit_hash hash = tc_hash_bytes(text, status == TACIT_OK ? strlen(text) : 0);
    tc_token_id(&hash, id);
    m.readmit = hash;
    tc_roster_change(&changes, d->id, agent, &m);
    const tc_act act = tc_act_of("agent.readmit", d, "agent %" PRIu64 ", token %s", agent, id);
    return tc_changes_log(a->coord, &a->caller, &changes, status, &act, NULL, err);
}

/* {"expires_s": 86400} */
tacit_status tc_roster_readmit(tc_request_context *a, tacit_error *err)
{
    tc_open_study *d;
    uint64_t agent;
    char text[48];
    int64_t expires_ms = 0;
    TC_TRY(tc_request_number(a, 1, "agent", &agent, err));
    TC_TRY(tc_request_federated(a, &d, err));
    tacit_status status = TACIT_E_CONFLICT;
    for (int i = 0; status == TACIT_E_CONFLICT && i < ATTEMPTS; i++)
        status = make_token(a, d, agent, text, &expires_ms, err);
    TC_TRY(status);
    status = tc_answer_token(a, text, tc_role_name(TC_ROLE_JOINER), 1, expires_ms, err);
    sodium_memzero(text, sizeof text);
    return status;
}
