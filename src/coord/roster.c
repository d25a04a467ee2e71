/* roster.c - the agents of a study: enrolment with a join token, their keys, and their end.
 *
 * To enrol, an agent shows a join token and proves that it has the key it brings. Place, key and the
 * token's use are one set of changes: a crash leaves all or nothing, and two agents that race for
 * the last place or the last use have one winner.
 *
 * A place has one key and one access token at a time. Who enrols again with the same key and the same
 * join token has lost the answer, and gets a new access token in place of the old one; with another
 * join token that is a use of it. A key that was changed, or whose agent was revoked, never gets in
 * again. */
#include "coord/roster.h"
#include "coord/coord_int.h"

#include "base/error.h"
#include "base/json.h"
#include "base/memory.h"

#include <inttypes.h>
#include <string.h>

enum { ATTEMPTS = 32 };

/* ---- the record of an agent ---- */

tc_key tc_roster_key(uint64_t agent)
{
    return tc_key_number(agent);
}

json_t *tc_roster_json(const tc_member_row *m)
{
    tc_text key = {0}, access = {0}, joined = {0};
    tc_base64_add(&key, m->key.bytes, sizeof m->key.bytes);
    tc_base64_add(&access, m->access.bytes, sizeof m->access.bytes);
    tc_base64_add(&joined, m->joined.bytes, sizeof m->joined.bytes);
    json_t *j = json_pack("{s:s, s:I, s:b, s:s, s:s, s:I}", "key", tc_text_get(&key), "sequence",
                          (json_int_t)m->sequence, "revoked", (int)m->revoked, "access",
                          tc_text_get(&access), "joined", tc_text_get(&joined), "spoke",
                          (json_int_t)m->spoke);
    tc_text_fini(&key);
    tc_text_fini(&access);
    tc_text_fini(&joined);
    return j;
}

static bool read_hash(const json_t *j, const char *field, tacit_hash *out)
{
    const char *text = json_string_value(json_object_get(j, field));
    return text && tc_base64_read(text, out->bytes, sizeof out->bytes);
}

static bool read_member(const json_t *j, tc_member_row *out)
{
    const char *key = json_string_value(json_object_get(j, "key"));
    int64_t sequence;
    if (!key || !tc_base64_read(key, out->key.bytes, sizeof out->key.bytes) ||
        !tc_json_whole(json_object_get(j, "sequence"), &sequence) || sequence < 0 ||
        !read_hash(j, "access", &out->access) || !read_hash(j, "joined", &out->joined))
        return false;
    if (!tc_json_whole(json_object_get(j, "spoke"), &out->spoke))
        out->spoke = TC_SPOKE_UNKNOWN;
    out->sequence = (uint64_t)sequence;
    out->revoked = json_is_true(json_object_get(j, "revoked"));
    return true;
}

tacit_status tc_roster_get(tc_coord *c, int64_t study, uint64_t agent, tc_member_row *out,
                           tacit_error *err)
{
    tc_key key = tc_roster_key(agent);
    json_t *j;
    TC_TRY(tc_record_read(c->cfg.store, study, TC_RECORD_AGENT, &key, &j, &out->version, err));
    if (!j)
        return tc_fail(err, TACIT_E_NOT_FOUND, "there is no agent %" PRIu64 " on the roster",
                       agent);
    bool ok = read_member(j, out);
    json_decref(j);
    return ok ? TACIT_OK
              : tc_fail(err, TACIT_E_CORRUPT, "the storage is damaged: agent %" PRIu64, agent);
}

/* ---- access ---- */

static tacit_status end_access(tc_request_context *a, const tc_member_row *m, tc_changes *changes,
                               tacit_error *err)
{
    tc_key key = tc_key_hash(&m->access);
    json_t *there;
    uint64_t version;
    TC_TRY(tc_record_read(a->coord->cfg.store, 0, TC_RECORD_TOKEN, &key, &there, &version, err));
    json_decref(there);
    if (version > 0)
        tc_changes_add(changes, TC_ERASE, 0, TC_RECORD_TOKEN, &key, version, NULL);
    return TACIT_OK;
}

/* A new access token in place of the one that the member has; *m is to be stored with it. */
static tacit_status renew_access(tc_request_context *a, const tc_open_study *d, uint64_t agent,
                                 tc_member_row *m, char text[48], tc_changes *changes,
                                 tacit_error *err)
{
    tc_token_terms terms = {.role = TC_ROLE_AGENT, .open = d, .agent = agent};
    TC_TRY(end_access(a, m, changes, err));
    TC_TRY(tc_token_make(a->coord, &terms, text, changes, err));
    m->access = tc_hash_bytes(text, strlen(text));
    return TACIT_OK;
}

static void change_member(tc_changes *changes, int64_t study, uint64_t agent,
                          const tc_member_row *m)
{
    tc_key place = tc_roster_key(agent);
    tc_changes_add(changes, m->version > 0 ? TC_REPLACE : TC_INSERT, study, TC_RECORD_AGENT, &place,
                   m->version, tc_roster_json(m));
}

static tacit_status was_revoked(tc_request_context *a, tacit_error *err)
{
    return tc_refuse(a, 403, TACIT_E_ARG, err, "this agent was revoked");
}

/* ---- enrolment ---- */

typedef struct enrolment {
    tc_open_study *open;
    tc_public_key key;
    uint64_t agent;
    char access[48];
    bool again;
} enrolment;

static tacit_status read_key(tc_request_context *a, const char *field, tc_public_key *out,
                             tacit_error *err)
{
    if (!tc_base64_read(tc_ask_text(a, field), out->bytes, sizeof out->bytes))
        return tc_fail(err, TACIT_E_ARG, "%s must be 32 bytes in base64", field);
    return TACIT_OK;
}

static bool proof_holds(const tc_request_context *a, const char *field, const tc_public_key *key,
                        const tc_signed *what)
{
    tc_signature proof;
    return tc_base64_read(tc_ask_text(a, field), proof.bytes, sizeof proof.bytes) &&
           tc_signature_holds(key, what, &proof);
}

static tacit_status check_enrolment(const tc_request_context *a, const enrolment *e,
                                    tacit_error *err)
{
    tc_signed what = {.purpose = TC_SIGN_ENROL,
                      .study = e->open->hash,
                      .body = a->caller.token.bytes,
                      .n_body = sizeof a->caller.token.bytes};
    if (!proof_holds(a, "proof", &e->key, &what))
        return tc_fail(err, TACIT_E_ARG,
                       "proof is not a signature of the join token's hash with "
                       "this key");
    return TACIT_OK;
}

/* ---- keys: whose they are, or were */

static tc_key key_record(const tc_public_key *key)
{
    tacit_hash h = tc_hash_bytes(key->bytes, sizeof key->bytes);
    return tc_key_hash(&h);
}

static json_t *owner_json(uint64_t agent, bool gone)
{
    return json_pack("{s:I, s:b}", "agent", (json_int_t)agent, "gone", (int)gone);
}

/* The place that this key has; *found false: none yet. */
static tacit_status find_place(tc_request_context *a, enrolment *e, bool *found, tacit_error *err)
{
    tc_key key = key_record(&e->key);
    json_t *j;
    uint64_t version;
    int64_t agent = 0;
    TC_TRY(
        tc_record_read(a->coord->cfg.store, e->open->id, TC_RECORD_KEY, &key, &j, &version, err));
    *found = j && tc_json_whole(json_object_get(j, "agent"), &agent);
    bool gone = json_is_true(json_object_get(j, "gone"));
    e->agent = (uint64_t)agent;
    json_decref(j);
    if (gone)
        return tc_refuse(a, 403, TACIT_E_ARG, err, "this key was replaced by another");
    return TACIT_OK;
}

/* One use less. */
static tacit_status spend_token(tc_request_context *a, tc_changes *changes, tacit_error *err)
{
    tc_key key = tc_key_hash(&a->caller.token);
    int64_t uses = 0;
    (void)tc_json_whole(json_object_get(a->caller.record, "uses"), &uses);
    if (uses <= 0)
        return tc_refuse(a, 401, TACIT_E_ARG, err, TC_TOKEN_USED_UP);
    json_t *left = json_deep_copy(a->caller.record);
    if (!left || json_object_set_new(left, "uses", json_integer(uses - 1)) != 0 ||
        json_object_set_new(left, "spent_ms", json_integer(tc_coord_now(a->coord))) != 0) {
        json_decref(left);
        return tc_fail_memory(err);
    }
    tc_changes_add(changes, TC_REPLACE, 0, TC_RECORD_TOKEN, &key, a->caller.version, left);
    return TACIT_OK;
}

static tacit_status add_place(tc_request_context *a, enrolment *e, tc_changes *changes,
                              tacit_error *err)
{
    tc_member_row m = {.key = e->key, .joined = a->caller.token, .spoke = TC_SPOKE_NEVER};
    tc_key by_key = key_record(&e->key);
    TC_TRY(spend_token(a, changes, err));
    TC_TRY(tc_roster_choose(a, e->open, &e->agent, err));
    TC_TRY(renew_access(a, e->open, e->agent, &m, e->access, changes, err));
    change_member(changes, e->open->id, e->agent, &m);
    tc_changes_add(changes, TC_INSERT, e->open->id, TC_RECORD_KEY, &by_key, 0,
                   owner_json(e->agent, false));
    return TACIT_OK;
}

/* It has its place, and has lost its access token with the answer. */
static tacit_status give_back(tc_request_context *a, enrolment *e, tc_changes *changes,
                              tacit_error *err)
{
    tc_member_row m;
    TC_TRY(tc_roster_get(a->coord, e->open->id, e->agent, &m, err));
    if (m.revoked)
        return was_revoked(a, err);
    if (!tc_ledger_hash_same(&m.joined, &a->caller.token))
        TC_TRY(spend_token(a, changes, err));
    TC_TRY(renew_access(a, e->open, e->agent, &m, e->access, changes, err));
    change_member(changes, e->open->id, e->agent, &m);
    return TACIT_OK;
}

/* The token is read afresh: another enrolment may have used it meanwhile. */
static tacit_status refresh_caller(tc_request_context *a, tacit_error *err)
{
    tc_caller_fini(&a->caller);
    a->caller = (tc_caller){.role = TC_ROLE_NOBODY};
    return tc_caller_find(a->coord, a->q->bearer, &a->caller, err);
}

static tacit_status try_place(tc_request_context *a, enrolment *e, tacit_error *err)
{
    tc_changes changes = {.n = 0};
    TC_TRY(find_place(a, e, &e->again, err));
    tacit_status status =
        e->again ? give_back(a, e, &changes, err) : add_place(a, e, &changes, err);
    return tc_changes_end(a->coord->cfg.store, &changes, status, NULL, err);
}

/* Those who come in crowds with one token wait for each other here; coordinators of other processes may still be
 * first. */
static tacit_status take_turn(tc_request_context *a, enrolment *e, tacit_error *err)
{
    pthread_mutex_lock(&a->coord->enrolling);
    tacit_status status = refresh_caller(a, err);
    if (status == TACIT_OK)
        status = try_place(a, e, err);
    pthread_mutex_unlock(&a->coord->enrolling);
    return status;
}

static tacit_status find_or_add(tc_request_context *a, enrolment *e, tacit_error *err)
{
    tacit_status status = TACIT_E_CONFLICT;
    for (int i = 0; status == TACIT_E_CONFLICT && i < ATTEMPTS; i++)
        status = take_turn(a, e, err);
    return status == TACIT_E_CONFLICT
               ? tc_fail(err, TACIT_E_BUSY, "too many agents join at the same moment")
               : status;
}

/* {"key": "base64", "proof": "base64", "agent": 2} */
tacit_status tc_roster_enrol(tc_request_context *a, tacit_error *err)
{
    enrolment e = {0};
    TC_TRY(tc_ask_federated(a, &e.open, err));
    TC_TRY(read_key(a, "key", &e.key, err));
    TC_TRY(check_enrolment(a, &e, err));
    TC_TRY(find_or_add(a, &e, err));
    return tc_answer_json(a, e.again ? 200 : 201,
                          json_pack("{s:I, s:s}", "agent", (json_int_t)e.agent, "access", e.access),
                          err);
}

/* ---- another key ---- */

/* Signed with the key that goes, and with the one that comes. */
static tacit_status check_keys(tc_request_context *a, const tc_open_study *d,
                               const tc_member_row *m, const tc_public_key *fresh, tacit_error *err)
{
    tc_signed what = {.purpose = TC_SIGN_ROTATE,
                      .study = d->hash,
                      .sequence = m->sequence,
                      .body = fresh->bytes,
                      .n_body = sizeof fresh->bytes};
    if (m->revoked)
        return was_revoked(a, err);
    if (!proof_holds(a, "proof", &m->key, &what))
        return tc_refuse(a, 403, TACIT_E_ARG, err,
                         "proof is not a signature of the new key with the present one");
    if (!proof_holds(a, "possession", fresh, &what))
        return tc_refuse(a, 403, TACIT_E_ARG, err,
                         "possession is not a signature of the new key with itself");
    return TACIT_OK;
}

static tacit_status change_key(tc_request_context *a, const tc_open_study *d, uint64_t agent,
                               tc_member_row *m, const tc_public_key *fresh, char access[48],
                               tc_changes *changes, tacit_error *err)
{
    tc_key was = key_record(&m->key), now = key_record(fresh);
    json_t *there;
    uint64_t version;
    TC_TRY(tc_record_read(a->coord->cfg.store, d->id, TC_RECORD_KEY, &was, &there, &version, err));
    json_decref(there);
    m->key = *fresh;
    TC_TRY(renew_access(a, d, agent, m, access, changes, err));
    change_member(changes, d->id, agent, m);
    tc_changes_add(changes, TC_REPLACE, d->id, TC_RECORD_KEY, &was, version,
                   owner_json(agent, true));
    tc_changes_add(changes, TC_INSERT, d->id, TC_RECORD_KEY, &now, 0, owner_json(agent, false));
    return TACIT_OK;
}

/* {"key": "base64", "proof": "base64", "possession": "base64"} */
tacit_status tc_roster_rotate(tc_request_context *a, tacit_error *err)
{
    tc_open_study *d;
    uint64_t agent;
    tc_member_row m;
    tc_public_key fresh;
    tc_changes changes = {.n = 0};
    char access[48];
    TC_TRY(tc_ask_number(a, 1, "agent", &agent, err));
    TC_TRY(tc_ask_federated(a, &d, err));
    if (a->caller.agent != agent)
        return tc_refuse(a, 403, TACIT_E_ARG, err, "an agent can change its own key only");
    TC_TRY(tc_roster_get(a->coord, d->id, agent, &m, err));
    TC_TRY(read_key(a, "key", &fresh, err));
    TC_TRY(check_keys(a, d, &m, &fresh, err));
    tacit_status status = change_key(a, d, agent, &m, &fresh, access, &changes, err);
    TC_TRY(tc_changes_end(a->coord->cfg.store, &changes, status, NULL, err));
    return tc_answer_json(
        a, 200, json_pack("{s:I, s:s}", "agent", (json_int_t)agent, "access", access), err);
}

/* ---- the end of an agent ---- */

#define REVOKED "revoked"

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

static tacit_status try_revoke(tc_request_context *a, const tc_open_study *d, uint64_t agent,
                               tacit_error *err)
{
    tc_member_row m;
    tc_changes changes = {.n = 0};
    tc_key mark = revoked_key(agent);
    TC_TRY(tc_roster_get(a->coord, d->id, agent, &m, err));
    a->already = m.revoked;
    if (a->already)
        return TACIT_OK;
    m.revoked = true;
    tacit_status status = end_access(a, &m, &changes, err);
    change_member(&changes, d->id, agent, &m);
    tc_changes_add(&changes, TC_INSERT, d->id, TC_RECORD_STATE, &mark, 0, json_object());
    return tc_changes_end(a->coord->cfg.store, &changes, status, NULL, err);
}

/* A revoked agent stays on the roster: weights and sums are about all of it. But nobody waits for
 * its messages. */
tacit_status tc_roster_revoke(tc_request_context *a, tacit_error *err)
{
    tc_open_study *d;
    uint64_t agent;
    TC_TRY(tc_ask_number(a, 1, "agent", &agent, err));
    TC_TRY(tc_ask_federated(a, &d, err));
    tacit_status status = TACIT_E_CONFLICT;
    for (int i = 0; status == TACIT_E_CONFLICT && i < ATTEMPTS; i++)
        status = try_revoke(a, d, agent, err);
    TC_TRY(status);
    a->out->closes = true;
    return tc_answer_json(a, 200, json_pack("{s:I, s:b}", "agent", (json_int_t)agent, "revoked", 1),
                          err);
}
