/* roster.c - the agents of a study: enrolment with a join token, their keys, and their end.
 *
 * To enrol, an agent shows a join token and proves that it has the key it brings. Place, key and the
 * token's use are one set of changes: a crash leaves all or nothing, and two agents that race for
 * the last place or the last use have one winner. */
#include "coord/coord_int.h"

#include "base/error.h"
#include "base/json.h"

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
    tc_text key = {0};
    tc_base64_add(&key, m->key.bytes, sizeof m->key.bytes);
    json_t *j = json_pack("{s:s, s:I, s:b}", "key", tc_text_get(&key), "sequence",
                          (json_int_t)m->sequence, "revoked", (int)m->revoked);
    tc_text_fini(&key);
    return j;
}

static bool read_member(const json_t *j, tc_member_row *out)
{
    const char *key = json_string_value(json_object_get(j, "key"));
    int64_t sequence;
    if (!key || !tc_base64_read(key, out->key.bytes, sizeof out->key.bytes) ||
        !tc_json_whole(json_object_get(j, "sequence"), &sequence) || sequence < 0)
        return false;
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

/* ---- enrolment ---- */

typedef struct enrolment {
    tc_desk *desk;
    tc_public_key key;
    uint64_t agent;
    char access[48];
    bool again;
} enrolment;

static tacit_status read_key(tc_ask *a, const char *field, tc_public_key *out, tacit_error *err)
{
    const char *text;
    TC_TRY(tc_json_string(a->body, "", field, &text, err));
    if (!tc_base64_read(text, out->bytes, sizeof out->bytes))
        return tc_fail(err, TACIT_E_ARG, "%s must be 32 bytes in base64", field);
    return TACIT_OK;
}

static tacit_status check_proof(const tc_ask *a, const enrolment *e, tacit_error *err)
{
    const char *text;
    tc_signature proof;
    tc_signed what = {.purpose = TC_SIGN_ENROL,
                      .study = e->desk->plan->hash,
                      .body = a->caller.token.bytes,
                      .n_body = sizeof a->caller.token.bytes};
    TC_TRY(tc_json_string(a->body, "", "proof", &text, err));
    if (!tc_base64_read(text, proof.bytes, sizeof proof.bytes) ||
        !tc_signature_holds(&e->key, &what, &proof))
        return tc_fail(err, TACIT_E_ARG,
                       "proof is not a signature of the join token's hash with "
                       "this key");
    return TACIT_OK;
}

/* The place that this key has; *found false: none yet. */
static tacit_status find_place(tc_ask *a, enrolment *e, bool *found, tacit_error *err)
{
    tc_ledger_hash h = tc_hash_bytes(e->key.bytes, sizeof e->key.bytes);
    tc_key key = tc_key_hash(&h);
    json_t *j;
    uint64_t version;
    int64_t agent = 0;
    TC_TRY(
        tc_record_read(a->coord->cfg.store, e->desk->id, TC_RECORD_KEY, &key, &j, &version, err));
    *found = j && tc_json_whole(json_object_get(j, "agent"), &agent);
    e->agent = (uint64_t)agent;
    json_decref(j);
    return TACIT_OK;
}

static tacit_status count_agents(tc_ask *a, enrolment *e, tacit_error *err)
{
    tc_record_range all = {.study = e->desk->id, .kind = TC_RECORD_AGENT};
    TC_TRY(tc_store_record_count(a->coord->cfg.store, &all, &e->agent, err));
    if (e->agent >= e->desk->plan->env.agents)
        return tc_refuse(a, 409, TACIT_E_STATE, err, "the roster of %" PRIu64 " agents is full",
                         e->desk->plan->env.agents);
    return TACIT_OK;
}

/* One use less; the last one ends the token. */
static tacit_status spend_token(tc_ask *a, tc_changes *changes, tacit_error *err)
{
    tc_key key = tc_key_hash(&a->caller.token);
    int64_t uses = 0;
    (void)tc_json_whole(json_object_get(a->caller.record, "uses"), &uses);
    if (uses <= 0)
        return tc_fail(err, TACIT_E_ARG, "the token is not valid");
    json_t *left = json_deep_copy(a->caller.record);
    if (!left || json_object_set_new(left, "uses", json_integer(uses - 1)) != 0) {
        json_decref(left);
        return tc_fail_memory(err);
    }
    tc_changes_add(changes, TC_REPLACE, 0, TC_RECORD_TOKEN, &key, a->caller.version, left);
    return TACIT_OK;
}

static tacit_status add_place(tc_ask *a, enrolment *e, tc_changes *changes, tacit_error *err)
{
    tc_member_row m = {.key = e->key};
    tc_ledger_hash h = tc_hash_bytes(e->key.bytes, sizeof e->key.bytes);
    tc_key place = tc_roster_key(e->agent), by_key = tc_key_hash(&h);
    tc_token_terms terms = {.role = TC_ROLE_AGENT, .study = e->desk->id, .agent = e->agent};
    TC_TRY(spend_token(a, changes, err));
    tc_changes_add(changes, TC_INSERT, e->desk->id, TC_RECORD_AGENT, &place, 0, tc_roster_json(&m));
    tc_changes_add(changes, TC_INSERT, e->desk->id, TC_RECORD_KEY, &by_key, 0,
                   json_pack("{s:I}", "agent", (json_int_t)e->agent));
    return tc_token_make(a->coord, &terms, e->access, changes, err);
}

/* The token is read afresh: another enrolment may have used it meanwhile. */
static tacit_status refresh_caller(tc_ask *a, tacit_error *err)
{
    tc_caller_fini(&a->caller);
    a->caller = (tc_caller){.role = TC_ROLE_NOBODY};
    return tc_caller_find(a->coord, a->q->bearer, &a->caller, err);
}

static tacit_status try_place(tc_ask *a, enrolment *e, tacit_error *err)
{
    tc_changes changes = {.n = 0};
    TC_TRY(count_agents(a, e, err));
    tacit_status status = add_place(a, e, &changes, err);
    if (status == TACIT_OK)
        status = tc_changes_commit(a->coord->cfg.store, &changes, NULL, err);
    tc_changes_fini(&changes);
    return status;
}

/* An agent that enrols again has lost its access token with the answer: it gets another. */
static tacit_status give_access(tc_ask *a, enrolment *e, tacit_error *err)
{
    tc_changes changes = {.n = 0};
    tc_token_terms terms = {.role = TC_ROLE_AGENT, .study = e->desk->id, .agent = e->agent};
    tacit_error why;
    tacit_status status = tc_token_make(a->coord, &terms, e->access, &changes, err);
    if (status == TACIT_OK)
        status = tc_changes_commit(a->coord->cfg.store, &changes, NULL, &why);
    tc_changes_fini(&changes);
    if (status == TACIT_E_CONFLICT && a->coord->cfg.seeded) /* test mode: it is the same one */
        return TACIT_OK;
    return status == TACIT_OK || status == TACIT_E_MEMORY ? status
                                                          : tc_fail(err, status, "%s", why.msg);
}

static tacit_status find_or_add(tc_ask *a, enrolment *e, tacit_error *err)
{
    tacit_status status = TACIT_E_CONFLICT;
    for (int i = 0; status == TACIT_E_CONFLICT && i < ATTEMPTS; i++) {
        TC_TRY(find_place(a, e, &e->again, err));
        if (e->again)
            return give_access(a, e, err);
        status = try_place(a, e, err);
        if (status == TACIT_E_CONFLICT)
            TC_TRY(refresh_caller(a, err));
    }
    return status;
}

static tacit_status enrol(tc_ask *a, enrolment *e, tacit_error *err)
{
    if (a->caller.study != e->desk->id)
        return tc_refuse(a, 403, TACIT_E_ARG, err, "the token is for another study");
    TC_TRY(read_key(a, "key", &e->key, err));
    TC_TRY(check_proof(a, e, err));
    TC_TRY(find_or_add(a, e, err));
    return tc_answer(a, e->again ? 200 : 201,
                     json_pack("{s:I, s:s}", "agent", (json_int_t)e->agent, "access", e->access),
                     err);
}

/* {"key": "base64", "proof": "base64"} */
tacit_status tc_roster_enrol(tc_ask *a, tacit_error *err)
{
    static const char *const allowed[] = {"key", "proof", NULL};
    enrolment e = {0};
    TC_TRY(tc_json_only(a->body, "", allowed, err));
    TC_TRY(tc_desk_get(a->coord, a->words[0], &e.desk, err));
    tacit_status status = enrol(a, &e, err);
    tc_desk_release(a->coord, e.desk);
    return status;
}

/* ---- later ---- */

static tacit_status replace(tc_ask *a, int64_t study, uint64_t agent, const tc_member_row *m,
                            const tc_public_key *fresh, tacit_error *err)
{
    tc_changes changes = {.n = 0};
    tc_key place = tc_roster_key(agent);
    tc_changes_add(&changes, TC_REPLACE, study, TC_RECORD_AGENT, &place, m->version,
                   tc_roster_json(m));
    if (fresh) {
        tc_ledger_hash h = tc_hash_bytes(fresh->bytes, sizeof fresh->bytes);
        tc_key by_key = tc_key_hash(&h);
        tc_changes_add(&changes, TC_INSERT, study, TC_RECORD_KEY, &by_key, 0,
                       json_pack("{s:I}", "agent", (json_int_t)agent));
    }
    tacit_status status = tc_changes_commit(a->coord->cfg.store, &changes, NULL, err);
    tc_changes_fini(&changes);
    return status;
}

static tacit_status rotate(tc_ask *a, tc_desk *d, uint64_t agent, tacit_error *err)
{
    tc_member_row m;
    tc_public_key fresh;
    tc_signature proof;
    const char *text;
    if (a->caller.study != d->id || a->caller.agent != agent)
        return tc_refuse(a, 403, TACIT_E_ARG, err, "an agent can change its own key only");
    TC_TRY(tc_roster_get(a->coord, d->id, agent, &m, err));
    TC_TRY(read_key(a, "key", &fresh, err));
    TC_TRY(tc_json_string(a->body, "", "proof", &text, err));
    tc_signed what = {.purpose = TC_SIGN_ROTATE,
                      .study = d->plan->hash,
                      .sequence = m.sequence,
                      .body = fresh.bytes,
                      .n_body = sizeof fresh.bytes};
    if (m.revoked || !tc_base64_read(text, proof.bytes, sizeof proof.bytes) ||
        !tc_signature_holds(&m.key, &what, &proof))
        return tc_refuse(a, 403, TACIT_E_ARG, err,
                         "proof is not a signature of the new key with the present one");
    m.key = fresh;
    TC_TRY(replace(a, d->id, agent, &m, &fresh, err));
    return tc_answer(a, 200, json_pack("{s:I}", "agent", (json_int_t)agent), err);
}

/* {"key": "base64", "proof": "base64"}, signed with the key that goes. */
tacit_status tc_roster_rotate(tc_ask *a, tacit_error *err)
{
    static const char *const allowed[] = {"key", "proof", NULL};
    tc_desk *d;
    uint64_t agent;
    TC_TRY(tc_json_only(a->body, "", allowed, err));
    TC_TRY(tc_ask_number(a, 1, "agent", &agent, err));
    TC_TRY(tc_desk_get(a->coord, a->words[0], &d, err));
    tacit_status status = rotate(a, d, agent, err);
    tc_desk_release(a->coord, d);
    return status;
}

/* A revoked agent stays on the roster: weights and sums are about all of it. */
tacit_status tc_roster_revoke(tc_ask *a, tacit_error *err)
{
    tc_desk *d;
    tc_member_row m;
    uint64_t agent;
    TC_TRY(tc_ask_number(a, 1, "agent", &agent, err));
    TC_TRY(tc_desk_get(a->coord, a->words[0], &d, err));
    tacit_status status = tc_roster_get(a->coord, d->id, agent, &m, err);
    m.revoked = true;
    if (status == TACIT_OK)
        status = replace(a, d->id, agent, &m, NULL, err);
    tc_desk_release(a->coord, d);
    TC_TRY(status);
    return tc_answer(a, 200, json_pack("{s:I, s:b}", "agent", (json_int_t)agent, "revoked", 1),
                     err);
}
