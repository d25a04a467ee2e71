/* trustee_enrol.c - a trustee takes its place, with a join token for trustees, its key and the keys of all rounds.
 *
 * Place, keys and the token's use are one set of changes, as for agents (roster.c). Who enrols again with the same key and
 * the same round keys has lost the answer, and gets a new access token in place of the old one; with another join token
 * that is a use of it. Other round keys are refused: whoever wants others is revoked first, while the roster is not fixed. */
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

enum { ATTEMPTS = 32, KEY = sizeof(tc_box_key) };

typedef struct enrolment {
    tc_open_study *open;
    tc_public_key key;
    uint8_t *batch; /* owned */
    size_t n;
    uint64_t place;
    char access[48];
    bool again, news;
} enrolment;

/* ---- what was sent ---- */

/* One that is none would end every agent when it is to deal for it. */
static tacit_status check_keys(const enrolment *e, uint64_t rounds, tacit_error *err)
{
    for (uint64_t i = 0; i < rounds; i++) {
        const tc_box_key key = tc_trust_batch_key(e->batch, i);
        if (!tc_box_key_holds(&key))
            return tc_fail(err, TACIT_E_ARG,
                           "round_keys must be X25519 keys: number %" PRIu64 " is none", i);
    }
    return TACIT_OK;
}

static tacit_status read_batch(const tc_request_context *a, enrolment *e, tacit_error *err)
{
    uint64_t rounds;
    TC_TRY(tc_study_plan_count_rounds(e->open->plan, TC_ROSTER_MOST_ROUNDS, &rounds, err));
    TC_TRY(tc_base64_bytes(tc_request_text(a, "round_keys"), "round_keys",
                           (size_t)TC_ROSTER_MOST_ROUNDS * KEY, &e->batch, &e->n, err));
    if (e->n == rounds * KEY)
        return check_keys(e, rounds, err);
    return tc_fail(err, TACIT_E_ARG,
                   "round_keys must be %" PRIu64
                   " keys of 32 bytes, one for each round, got %zu bytes",
                   rounds, e->n);
}

static tacit_status check_proof(const tc_request_context *a, const enrolment *e, tacit_error *err)
{
    const tc_trustee_enrolment body = tc_trustee_enrols(&a->caller.token, e->batch, e->n);
    const tc_signed what = {.purpose = TC_SIGN_TRUSTEE,
                            .study = e->open->hash,
                            .body = body.bytes,
                            .n_body = sizeof body.bytes};
    tc_signature proof;
    if (tc_base64_read(tc_request_text(a, "proof"), proof.bytes, sizeof proof.bytes) &&
        tc_signature_holds(&e->key, &what, &proof))
        return TACIT_OK;
    return tc_fail(err, TACIT_E_ARG,
                   "proof is not a signature of the join token's hash and that of round_keys with "
                   "this key");
}

/* ---- places ---- */

static uint64_t first_free(const tc_request_context *a, const tc_trustee_row *rows, uint64_t count)
{
    int64_t wish = -1;
    (void)tc_json_whole(json_object_get(a->body, "trustee"), &wish);
    if (wish >= 0 && (uint64_t)wish < count && rows[wish].version == 0)
        return (uint64_t)wish;
    uint64_t place = 0;
    while (place < count && rows[place].version > 0)
        place++;
    return place;
}

static bool find_key(const tc_trustee_row *rows, const tc_public_key *key, uint64_t *place)
{
    for (*place = 0; *place < TC_TRUSTEES_MOST; ++*place)
        if (rows[*place].version > 0 &&
            sodium_memcmp(rows[*place].key.bytes, key->bytes, sizeof key->bytes) == 0)
            return true;
    return false;
}

static tacit_status renew_access(tc_request_context *a, enrolment *e, tc_trustee_row *t,
                                 tc_changes *changes, tacit_error *err)
{
    const tc_token_terms terms = {.role = TC_ROLE_TRUSTEE, .open = e->open, .agent = e->place};
    const tc_member_row before = {.access = t->access};
    TC_TRY(tc_roster_end_access(a, &before, changes, err));
    TC_TRY(tc_token_make(a->coord, &terms, e->access, changes, err));
    t->access = tc_hash_bytes(e->access, strlen(e->access));
    return TACIT_OK;
}

static tacit_status add_place(tc_request_context *a, enrolment *e, const tc_trustee_row *rows,
                              tc_changes *changes, tacit_error *err)
{
    const uint32_t count = e->open->plan->env.trustees.count;
    tc_trustee_row t = {.key = e->key, .joined = a->caller.token};
    TC_TRY(tc_roster_moves(a, e->open, changes, err));
    TC_TRY(tc_roster_spend_token(a, changes, err));
    e->news = true;
    e->place = first_free(a, rows, count);
    if (e->place >= count)
        return tc_refuse(a, 409, TACIT_E_STATE, err, "all %u trustees have enrolled", count);
    tc_key key = tc_key_number(e->place);
    TC_TRY(renew_access(a, e, &t, changes, err));
    tc_trustee_change(changes, e->open->id, e->place, &t);
    tc_changes_bytes(changes, TC_INSERT, e->open->id, TC_RECORD_ROUND_KEYS, &key, 0, e->batch,
                     e->n);
    return TACIT_OK;
}

static tacit_status check_batch(tc_request_context *a, const enrolment *e, tacit_error *err)
{
    tc_key key = tc_key_number(e->place);
    tc_record which = tc_record_of(e->open->id, TC_RECORD_ROUND_KEYS, &key), got;
    TC_TRY(tc_store_record_get(a->coord->cfg.store, &which, &got, err));
    bool same = got.size == e->n && sodium_memcmp(got.value, e->batch, e->n) == 0;
    tc_free((void *)got.value);
    return same ? TACIT_OK
                : tc_refuse(a, 409, TACIT_E_STATE, err,
                            "trustee %" PRIu64 " has enrolled with other round keys", e->place);
}

static tacit_status give_back(tc_request_context *a, enrolment *e, const tc_trustee_row *rows,
                              tc_changes *changes, tacit_error *err)
{
    tc_trustee_row t = rows[e->place];
    if (t.revoked)
        return tc_refuse(a, 403, TACIT_E_ARG, err, "this trustee was revoked");
    TC_TRY(check_batch(a, e, err));
    if (!tc_ledger_hash_same(&t.joined, &a->caller.token))
        TC_TRY(tc_roster_spend_token(a, changes, err));
    TC_TRY(renew_access(a, e, &t, changes, err));
    tc_trustee_change(changes, e->open->id, e->place, &t);
    return TACIT_OK;
}

/* ---- */

static tacit_status try_place(tc_request_context *a, enrolment *e, tacit_error *err)
{
    tc_changes changes = {.n = 0};
    tc_trustee_row rows[TC_TRUSTEES_MOST];
    char hex[2 * TC_LEDGER_HASH_BYTES + 1];
    tacit_hash h = tc_hash_bytes(e->key.bytes, sizeof e->key.bytes);
    TC_TRY(tc_trustees_read(a->coord, e->open->id, rows, err));
    e->again = find_key(rows, &e->key, &e->place);
    tacit_status status =
        e->again ? give_back(a, e, rows, &changes, err) : add_place(a, e, rows, &changes, err);
    if (!e->news)
        return tc_changes_end(a->coord->cfg.store, &changes, status, NULL, err);
    sodium_bin2hex(hex, sizeof hex, h.bytes, sizeof h.bytes);
    const tc_act act =
        tc_act_of("trustee.enrol", e->open, "trustee %" PRIu64 ", key %s", e->place, hex);
    return tc_changes_log(a->coord, &a->caller, &changes, status, &act, NULL, err);
}

static tacit_status take_turn(tc_request_context *a, enrolment *e, tacit_error *err)
{
    pthread_mutex_lock(&a->coord->enrolling);
    e->news = false;
    tacit_status status = tc_roster_refresh_caller(a, err);
    if (status == TACIT_OK)
        status = try_place(a, e, err);
    pthread_mutex_unlock(&a->coord->enrolling);
    return status;
}

static tacit_status enrol(tc_request_context *a, enrolment *e, tacit_error *err)
{
    tacit_status status = TACIT_E_CONFLICT;
    bool fixed;
    if (!tc_base64_read(tc_request_text(a, "key"), e->key.bytes, sizeof e->key.bytes))
        return tc_fail(err, TACIT_E_ARG, "key must be 32 bytes in base64");
    TC_TRY(read_batch(a, e, err));
    TC_TRY(check_proof(a, e, err));
    for (int i = 0; status == TACIT_E_CONFLICT && i < ATTEMPTS; i++)
        status = take_turn(a, e, err);
    if (status == TACIT_E_CONFLICT)
        return tc_fail(err, TACIT_E_BUSY, "too many trustees join at the same moment");
    TC_TRY(status);
    TC_TRY(tc_roster_fix(a->coord, &a->caller, e->open, &fixed, err));
    return tc_answer_json(
        a, e->again ? 200 : 201,
        json_pack("{s:I, s:s}", "trustee", (json_int_t)e->place, "access", e->access), err);
}

/* {"key": "base64", "round_keys": "base64", "proof": "base64", "trustee": 2} */
tacit_status tc_trustees_enrol(tc_request_context *a, tacit_error *err)
{
    enrolment e = {.open = NULL};
    TC_TRY(tc_request_trusted(a, &e.open, err));
    tacit_status status = enrol(a, &e, err);
    tc_free(e.batch);
    return status;
}
