/* roster.c - the agents of a study: enrolment with a join token, their keys, and their end.
 *
 * To enrol, an agent shows a join token and proves that it has the key it brings. Place, key and the
 * token's use are one set of changes: a crash leaves all or nothing, and two agents that race for
 * the last place or the last use have one winner.
 *
 * An agent that was revoked, or has withdrawn, comes back with a join token of its place alone (roster_end.c makes it). With
 * another key it takes the place over: for rounds that were answered with the key before, it has answered.
 *
 * A place has one key and one access token at a time. Who enrols again with the same key and the same
 * join token has lost the answer, and gets a new access token in place of the old one; with another
 * join token that is a use of it. A key that was changed never gets in again, and one whose agent was
 * revoked only with a token of its place. */
#include "coord/audited.h"
#include "coord/coord_int.h"
#include "coord/roster.h"
#include "coord/trustee.h"

#include "base/error.h"
#include "base/json.h"
#include "base/memory.h"

#include <inttypes.h>
#include <sodium.h>
#include <string.h>

enum { ATTEMPTS = 32 };

/* ---- the record of an agent ---- */

tc_key tc_roster_key(uint64_t agent)
{
    return tc_key_number(agent);
}

static bool is_zero(const tacit_hash *h)
{
    return sodium_is_zero(h->bytes, sizeof h->bytes);
}

static bool add_readmit(json_t *j, const tacit_hash *h)
{
    tc_text text = {0};
    tc_base64_add(&text, h->bytes, sizeof h->bytes);
    bool added =
        !text.failed && json_object_set_new(j, "readmit", json_string(tc_text_get(&text))) == 0;
    tc_text_fini(&text);
    return added;
}

/* What few members have. Takes j; NULL: no memory. */
static json_t *add_past(json_t *j, const tc_member_row *m)
{
    bool added = j && (is_zero(&m->readmit) || add_readmit(j, &m->readmit)) &&
                 (!m->withdrawn || json_object_set_new(j, "withdrawn", json_true()) == 0) &&
                 (m->former == 0 ||
                  json_object_set_new(j, "former", json_integer((json_int_t)m->former)) == 0);
    if (added)
        return j;
    json_decref(j);
    return NULL;
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
    return add_past(j, m);
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
    out->withdrawn = json_is_true(json_object_get(j, "withdrawn"));
    int64_t former = 0;
    (void)tc_json_whole(json_object_get(j, "former"), &former);
    out->former = (uint64_t)former;
    if (!read_hash(j, "readmit", &out->readmit))
        out->readmit = (tacit_hash){0};
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

tacit_status tc_roster_end_access(tc_request_context *a, const tc_member_row *m,
                                  tc_changes *changes, tacit_error *err)
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
    TC_TRY(tc_roster_end_access(a, m, changes, err));
    TC_TRY(tc_token_make(a->coord, &terms, text, changes, err));
    m->access = tc_hash_bytes(text, strlen(text));
    return TACIT_OK;
}

void tc_roster_change(tc_changes *changes, int64_t study, uint64_t agent, const tc_member_row *m)
{
    tc_key place = tc_roster_key(agent);
    tc_changes_add(changes, m->version > 0 ? TC_REPLACE : TC_INSERT, study, TC_RECORD_AGENT, &place,
                   m->version, tc_roster_json(m));
}

tacit_status tc_roster_gone(tc_request_context *a, const tc_member_row *m, tacit_error *err)
{
    return tc_refuse(a, 403, TACIT_E_ARG, err,
                     m->withdrawn ? "this agent has withdrawn" : "this agent was revoked");
}

/* ---- enrolment ---- */

typedef struct enrolment {
    tc_open_study *open;
    tc_public_key key;
    uint64_t agent;
    char access[48];
    bool again;
    bool news; /* for the operator's log: it does not only ask again */
} enrolment;

static tacit_status read_key(tc_request_context *a, const char *field, tc_public_key *out,
                             tacit_error *err)
{
    if (!tc_base64_read(tc_request_text(a, field), out->bytes, sizeof out->bytes))
        return tc_fail(err, TACIT_E_ARG, "%s must be 32 bytes in base64", field);
    return TACIT_OK;
}

static bool proof_holds(const tc_request_context *a, const char *field, const tc_public_key *key,
                        const tc_signed *what)
{
    tc_signature proof;
    return tc_base64_read(tc_request_text(a, field), proof.bytes, sizeof proof.bytes) &&
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

/* As lists of the roster show it. */
static void write_fingerprint(const tc_public_key *key, char out[2 * TC_LEDGER_HASH_BYTES + 1])
{
    tacit_hash h = tc_hash_bytes(key->bytes, sizeof key->bytes);
    sodium_bin2hex(out, 2 * TC_LEDGER_HASH_BYTES + 1, h.bytes, sizeof h.bytes);
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

static tacit_status read_uses(tc_request_context *a, int64_t *uses, tacit_error *err)
{
    *uses = 0;
    (void)tc_json_whole(json_object_get(a->caller.record, "uses"), uses);
    return *uses > 0 ? TACIT_OK : tc_refuse(a, 401, TACIT_E_ARG, err, TC_TOKEN_USED_UP);
}

/* One use less. */
tacit_status tc_roster_spend_token(tc_request_context *a, tc_changes *changes, tacit_error *err)
{
    tc_key key = tc_key_hash(&a->caller.token);
    int64_t uses;
    TC_TRY(read_uses(a, &uses, err));
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
    e->news = true;
    TC_TRY(tc_roster_moves(a, e->open, changes, err));
    TC_TRY(tc_roster_spend_token(a, changes, err));
    TC_TRY(tc_roster_choose(a, e->open, &e->agent, err));
    TC_TRY(renew_access(a, e->open, e->agent, &m, e->access, changes, err));
    tc_roster_change(changes, e->open->id, e->agent, &m);
    tc_changes_add(changes, TC_INSERT, e->open->id, TC_RECORD_KEY, &by_key, 0,
                   owner_json(e->agent, false));
    return TACIT_OK;
}

/* Requests with an Idempotency-Key are carried, perhaps twice, and the second time when the answer that was kept for them is gone. Who
 * has sent a message has heard the answer: another access would end the one that it has. */
static bool is_old(const tc_request_context *a, const tc_member_row *m)
{
    return a->q->idempotency && m->sequence > 0;
}

/* The agent has its place, and has lost its access token with the answer. */
static tacit_status give_back(tc_request_context *a, enrolment *e, tc_changes *changes,
                              tacit_error *err)
{
    tc_member_row m;
    TC_TRY(tc_roster_get(a->coord, e->open->id, e->agent, &m, err));
    if (m.revoked)
        return tc_roster_gone(a, &m, err);
    bool same = tc_ledger_hash_same(&m.joined, &a->caller.token);
    if (same && is_old(a, &m))
        return tc_refuse(a, 409, TACIT_E_STATE, err,
                         "agent %" PRIu64 " has enrolled with this token and has sent a message "
                         "since: the request is an old one that was carried again; another access "
                         "needs another join token",
                         e->agent);
    if (!same)
        TC_TRY(tc_roster_spend_token(a, changes, err));
    TC_TRY(renew_access(a, e->open, e->agent, &m, e->access, changes, err));
    tc_roster_change(changes, e->open->id, e->agent, &m);
    return TACIT_OK;
}

/* ---- a place of before ---- */

/* The token of one place alone. */
static bool is_for_place(const tc_request_context *a)
{
    return json_is_true(json_object_get(a->caller.record, "place"));
}

/* The place gets the key that it is taken with. What the key before it has answered is answered. */
static tacit_status pass_on(tc_request_context *a, const enrolment *e, tc_member_row *m,
                            tc_changes *changes, tacit_error *err)
{
    tc_key was = key_record(&m->key), now = key_record(&e->key);
    json_t *there;
    uint64_t version;
    TC_TRY(tc_record_read(a->coord->cfg.store, e->open->id, TC_RECORD_KEY, &was, &there, &version,
                          err));
    json_decref(there);
    tc_changes_add(changes, TC_REPLACE, e->open->id, TC_RECORD_KEY, &was, version,
                   owner_json(e->agent, true));
    tc_changes_add(changes, TC_INSERT, e->open->id, TC_RECORD_KEY, &now, 0,
                   owner_json(e->agent, false));
    m->former = m->sequence;
    m->key = e->key;
    return TACIT_OK;
}

/* Is the place free, and the token the last one that was made for it? */
static tacit_status check_return(tc_request_context *a, const tc_member_row *m, tacit_error *err)
{
    if (!m->revoked)
        return tc_refuse(a, 409, TACIT_E_STATE, err,
                         "agent %" PRIu64 " has its place: it must be revoked first",
                         a->caller.agent);
    if (!tc_ledger_hash_same(&m->readmit, &a->caller.token))
        return tc_refuse(a, 401, TACIT_E_ARG, err,
                         "the token is not the last one of place %" PRIu64
                         ", or its agent was revoked again since",
                         a->caller.agent);
    return TACIT_OK;
}

static tacit_status take_back(tc_request_context *a, enrolment *e, tc_changes *changes,
                              tacit_error *err)
{
    tc_member_row m;
    bool other = e->again && e->agent != a->caller.agent;
    if (other)
        return tc_refuse(a, 409, TACIT_E_STATE, err,
                         "this key has place %" PRIu64 ", and the token is for place %" PRIu64,
                         e->agent, a->caller.agent);
    TC_TRY(tc_roster_get(a->coord, e->open->id, a->caller.agent, &m, err));
    if (!m.revoked && e->again)
        return give_back(a, e, changes, err);
    TC_TRY(check_return(a, &m, err));
    TC_TRY(tc_roster_moves(a, e->open, changes, err));
    TC_TRY(tc_roster_spend_token(a, changes, err));
    bool same = e->again;
    e->news = true;
    e->agent = a->caller.agent;
    e->again = true;
    if (!same)
        TC_TRY(pass_on(a, e, &m, changes, err));
    m.revoked = m.withdrawn = false;
    m.joined = a->caller.token;
    m.readmit = (tacit_hash){0};
    TC_TRY(renew_access(a, e->open, e->agent, &m, e->access, changes, err));
    tc_roster_change(changes, e->open->id, e->agent, &m);
    return tc_roster_unmark(a, e->open->id, e->agent, changes, err);
}

/* What a new key would be told now; the answer of the request stays as it is. */
static tacit_status try_token(tc_request_context *a, tc_open_study *d, tacit_error *err)
{
    const int answered = a->out->status;
    tc_member_row m;
    uint64_t agent;
    int64_t uses;
    TC_TRY(tc_state_open(a->coord, d->id, err)); /* what is closed has nothing for who is new */
    tacit_status status = tc_roster_check_open(a, d, err);
    if (status == TACIT_OK && is_for_place(a)) {
        TC_TRY(tc_roster_get(a->coord, d->id, a->caller.agent, &m, err));
        status = check_return(a, &m, err);
    }
    if (status == TACIT_OK)
        status = read_uses(a, &uses, err);
    if (status == TACIT_OK && !is_for_place(a))
        status = tc_roster_choose(a, d, &agent, err);
    a->out->status = answered;
    return status;
}

tacit_status tc_roster_look(tc_request_context *a, tc_open_study *d, json_t *out, tacit_error *err)
{
    tacit_error why = {0};
    if (a->caller.role != TC_ROLE_JOINER)
        return TACIT_OK;
    tacit_status status = try_token(a, d, &why);
    if (status != TACIT_E_ARG && status != TACIT_E_STATE)
        return tc_pass_on(err, status, &why);
    return json_object_set_new(out, "no_place", json_string(why.msg)) == 0 ? TACIT_OK
                                                                           : tc_fail_memory(err);
}

/* The token is read afresh: another enrolment may have used it meanwhile. */
tacit_status tc_roster_refresh_caller(tc_request_context *a, tacit_error *err)
{
    tc_caller_fini(&a->caller);
    a->caller = (tc_caller){.role = TC_ROLE_NOBODY};
    return tc_caller_find(a->coord, a->q->bearer, &a->caller, err);
}

static tc_act act_of(const char *action, const enrolment *e)
{
    char now[2 * TC_LEDGER_HASH_BYTES + 1];
    write_fingerprint(&e->key, now);
    return tc_act_of(action, e->open, "agent %" PRIu64 "%s, key %s", e->agent,
                     e->again ? ", again" : "", now);
}

static tacit_status try_place(tc_request_context *a, enrolment *e, tacit_error *err)
{
    tc_changes changes = {.n = 0};
    TC_TRY(find_place(a, e, &e->again, err));
    tacit_status status = is_for_place(a) ? take_back(a, e, &changes, err)
                          : e->again      ? give_back(a, e, &changes, err)
                                          : add_place(a, e, &changes, err);
    if (!e->news)
        return tc_changes_end(a->coord->cfg.store, &changes, status, NULL, err);
    const tc_act act = act_of("agent.enrol", e);
    return tc_changes_log(a->coord, &a->caller, &changes, status, &act, NULL, err);
}

/* Those who come in crowds with one token wait for each other here; coordinators of other processes may still be
 * first. */
static tacit_status take_turn(tc_request_context *a, enrolment *e, tacit_error *err)
{
    pthread_mutex_lock(&a->coord->enrolling);
    tacit_status status = tc_roster_refresh_caller(a, err);
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
    bool fixed;
    TC_TRY(tc_request_federated(a, &e.open, err));
    TC_TRY(read_key(a, "key", &e.key, err));
    TC_TRY(check_enrolment(a, &e, err));
    TC_TRY(find_or_add(a, &e, err));
    TC_TRY(tc_roster_fix(a->coord, &a->caller, e.open, &fixed, err));
    return tc_answer_json(a, e.again ? 200 : 201,
                          json_pack("{s:I, s:s}", "agent", (json_int_t)e.agent, "access", e.access),
                          err);
}

/* ---- another key ---- */

/* The signatures cover a number that the agent may choose; keys of before never come back, so an old request is worth nothing. */
static tc_signed rotation_of(const tc_request_context *a, const tc_open_study *d,
                             const tc_member_row *m, const tc_public_key *fresh)
{
    int64_t sequence = (int64_t)m->sequence;
    (void)tc_json_whole(json_object_get(a->body, "sequence"), &sequence);
    return (tc_signed){.purpose = TC_SIGN_ROTATE,
                       .study = d->hash,
                       .sequence = (uint64_t)sequence,
                       .body = fresh->bytes,
                       .n_body = sizeof fresh->bytes};
}

/* Signed with the key that goes, and with the one that comes. `done`: it has come already, and the answer was lost. */
static tacit_status check_keys(tc_request_context *a, const tc_open_study *d,
                               const tc_member_row *m, const tc_public_key *fresh, bool done,
                               tacit_error *err)
{
    const tc_signed what = rotation_of(a, d, m, fresh);
    if (m->revoked)
        return tc_roster_gone(a, m, err);
    if (!done && !proof_holds(a, "proof", &m->key, &what))
        return tc_refuse(a, 403, TACIT_E_ARG, err,
                         "proof is not a signature of the new key with the present one");
    if (!proof_holds(a, "possession", fresh, &what))
        return tc_refuse(a, 403, TACIT_E_ARG, err,
                         "possession is not a signature of the new key with itself");
    return TACIT_OK;
}

tacit_status tc_roster_leave_access(tc_request_context *a, const tc_member_row *m,
                                    tc_changes *changes, tacit_error *err)
{
    enum { AGAIN_MS = 3600 * 1000 };
    tc_key key = tc_key_hash(&m->access);
    json_t *was;
    uint64_t version;
    int64_t until = tc_coord_now(a->coord) + AGAIN_MS;
    TC_TRY(tc_record_read(a->coord->cfg.store, 0, TC_RECORD_TOKEN, &key, &was, &version, err));
    if (version == 0)
        return TACIT_OK;
    if (json_object_set_new(was, "ended", json_true()) != 0 ||
        json_object_set_new(was, "expires_ms", json_integer(until)) != 0) {
        json_decref(was);
        return tc_fail_memory(err);
    }
    tc_changes_add(changes, TC_REPLACE, 0, TC_RECORD_TOKEN, &key, version, was);
    return TACIT_OK;
}

static tacit_status change_key(tc_request_context *a, const tc_open_study *d, uint64_t agent,
                               tc_member_row *m, const tc_public_key *fresh, char access[48],
                               tc_changes *changes, tacit_error *err)
{
    tc_token_terms terms = {.role = TC_ROLE_AGENT, .open = d, .agent = agent};
    tc_key was = key_record(&m->key), now = key_record(fresh);
    json_t *there;
    uint64_t version;
    TC_TRY(tc_record_read(a->coord->cfg.store, d->id, TC_RECORD_KEY, &was, &there, &version, err));
    json_decref(there);
    m->key = *fresh;
    TC_TRY(tc_roster_leave_access(a, m, changes, err));
    TC_TRY(tc_token_make(a->coord, &terms, access, changes, err));
    m->access = tc_hash_bytes(access, strlen(access));
    tc_roster_change(changes, d->id, agent, m);
    TC_TRY(tc_roster_moves(a, d, changes, err));
    tc_changes_add(changes, TC_REPLACE, d->id, TC_RECORD_KEY, &was, version,
                   owner_json(agent, true));
    tc_changes_add(changes, TC_INSERT, d->id, TC_RECORD_KEY, &now, 0, owner_json(agent, false));
    return TACIT_OK;
}

/* Again: the key is there, and gets another access token. */
static tacit_status renew_only(tc_request_context *a, const tc_open_study *d, uint64_t agent,
                               tc_member_row *m, char access[48], tacit_error *err)
{
    tc_changes changes = {.n = 0};
    tacit_status status = renew_access(a, d, agent, m, access, &changes, err);
    tc_roster_change(&changes, d->id, agent, m);
    return tc_changes_end(a->coord->cfg.store, &changes, status, NULL, err);
}

static tacit_status rotate(tc_request_context *a, const tc_open_study *d, uint64_t agent,
                           tc_member_row *m, const tc_public_key *fresh, char access[48],
                           tacit_error *err)
{
    tc_changes changes = {.n = 0};
    char was[2 * TC_LEDGER_HASH_BYTES + 1], now[2 * TC_LEDGER_HASH_BYTES + 1];
    write_fingerprint(&m->key, was);
    write_fingerprint(fresh, now);
    const tc_act act =
        tc_act_of("agent.rotate", d, "agent %" PRIu64 ", key %s replaced by %s", agent, was, now);
    tacit_status status = change_key(a, d, agent, m, fresh, access, &changes, err);
    return tc_changes_log(a->coord, &a->caller, &changes, status, &act, NULL, err);
}

/* {"key": "base64", "proof": "base64", "possession": "base64", "sequence": 0} */
tacit_status tc_roster_rotate(tc_request_context *a, tacit_error *err)
{
    tc_open_study *d;
    uint64_t agent;
    tc_member_row m;
    tc_public_key fresh;
    char access[48];
    TC_TRY(tc_request_number(a, 1, "agent", &agent, err));
    TC_TRY(tc_request_federated(a, &d, err));
    if (a->caller.agent != agent)
        return tc_refuse(a, 403, TACIT_E_ARG, err, "an agent can change its own key only");
    TC_TRY(tc_roster_get(a->coord, d->id, agent, &m, err));
    TC_TRY(read_key(a, "key", &fresh, err));
    bool done = sodium_memcmp(m.key.bytes, fresh.bytes, sizeof fresh.bytes) == 0;
    TC_TRY(check_keys(a, d, &m, &fresh, done, err));
    TC_TRY(done ? renew_only(a, d, agent, &m, access, err)
                : rotate(a, d, agent, &m, &fresh, access, err));
    return tc_answer_json(
        a, 200, json_pack("{s:I, s:s}", "agent", (json_int_t)agent, "access", access), err);
}
