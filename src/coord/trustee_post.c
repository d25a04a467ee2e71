/* trustee_post.c - what trustees send in a round: the noise that they deal, and what they add up, or why they do not.
 *
 * Both are signed by the trustee's key and kept until the round is over; of an answer its hash and its signature stay. The
 * same bytes again are the same: an answer that was lost is given again. Other noise is refused. Another answer is
 * refused, too, and kept as evidence: hash and signature of both, which anybody can check against the roster.
 *
 * A refusal is one sentence for the operator and says no more than that: its trustee counts as absent in this round. */
#include "coord/coord_int.h"
#include "coord/events.h"
#include "coord/shared_round.h"

#include "base/error.h"
#include "base/json.h"
#include "base/log.h"
#include "base/memory.h"
#include "wire/trust_answer.h"

#include <inttypes.h>
#include <sodium.h>
#include <stdio.h>
#include <string.h>

enum { ATTEMPTS = 64, SENT_MOST = 1 << 24 };

typedef struct arrival {
    tc_open_study *open;
    uint64_t round, place;
    tc_trustee_row row;
    uint8_t *bytes; /* owned */
    size_t n;
    const char *refusal; /* borrowed, in place of bytes; NULL: none */
    tacit_hash hash;     /* of what was signed */
    tc_signature signature;
    tc_key key; /* (round, place) */
    bool again;
} arrival;

/* ---- what was sent ---- */

static tacit_status check_signature(tc_request_context *a, arrival *m, tc_signed_purpose purpose,
                                    tacit_error *err)
{
    const tc_signed what = {.purpose = purpose,
                            .study = m->open->hash,
                            .round = m->round,
                            .body = m->refusal ? (const void *)m->refusal : m->bytes,
                            .n_body = m->refusal ? strlen(m->refusal) : m->n};
    m->hash = tc_hash_bytes(what.body, what.n_body);
    if (a->q->signature &&
        tc_base64_read(a->q->signature, m->signature.bytes, sizeof m->signature.bytes) &&
        tc_signature_holds(&m->row.key, &what, &m->signature))
        return TACIT_OK;
    return tc_refuse(a, 403, TACIT_E_ARG, err, "the signature does not hold");
}

/* The study, the trustee and the round, which there is. */
static tacit_status begin(tc_request_context *a, arrival *m, tacit_error *err)
{
    uint64_t next;
    TC_TRY(tc_request_number(a, 1, "round", &m->round, err));
    TC_TRY(tc_request_trustee(a, &m->open, &m->row, err));
    m->place = a->caller.agent;
    m->key = tc_key_numbers(m->round, m->place);
    TC_TRY(tc_roster_check_fixed(a, m->open, err));
    TC_TRY(tc_study_plan_next_round(m->open->plan, m->round, &next, err));
    return next == m->round ? TACIT_OK
                            : tc_refuse(a, 404, TACIT_E_NOT_FOUND, err,
                                        "the study has no round %" PRIu64, m->round);
}

static void end(arrival *m)
{
    if (m->bytes)
        explicit_bzero(m->bytes, m->n);
    tc_free(m->bytes);
}

static tacit_status answer(tc_request_context *a, const arrival *m, tacit_error *err)
{
    a->already = m->again;
    a->out->closes = !m->again;
    return tc_answer_json(a, m->again ? 200 : 202,
                          json_pack("{s:I, s:I, s:b}", "round", (json_int_t)m->round, "trustee",
                                    (json_int_t)m->place, "again", (int)m->again),
                          err);
}

/* ---- may it enter? ---- */

/* *r: the present round, which is this one and takes what trustees send. */
static tacit_status look(tc_request_context *a, const arrival *m, const char *what, tc_round *r,
                         tacit_error *err)
{
    TC_TRY(tc_round_present(a->coord, m->open->id, r, err));
    if (r->phase == TC_PHASE_NONE || r->number < m->round)
        return tc_refuse(a, 409, TACIT_E_STATE, err, "round %" PRIu64 " comes later", m->round);
    if (r->number == m->round && (r->phase == TC_PHASE_OPEN || r->phase == TC_PHASE_CLOSING))
        return TACIT_OK;
    return tc_refuse(a, 410, TACIT_E_STATE, err, "round %" PRIu64 " is closed: the %s is late",
                     m->round, what);
}

/* The round is still where it was looked at. */
static void require_round(const arrival *m, const tc_round *r, tc_changes *changes)
{
    tc_key key = tc_key_word("round");
    tc_changes_add(changes, TC_REQUIRE, m->open->id, TC_RECORD_STATE, &key, r->version, NULL);
}

typedef tacit_status attempt(tc_request_context *a, arrival *m, tacit_error *err);

static tacit_status repeat(tc_request_context *a, arrival *m, attempt *once, tacit_error *err)
{
    tacit_status status = TACIT_E_CONFLICT;
    for (int i = 0; status == TACIT_E_CONFLICT && a->out->status == 0 && i < ATTEMPTS; i++)
        status = once(a, m, err);
    if (status == TACIT_OK)
        tc_emit_change(a->coord, m->open);
    return status;
}

/* ---- noise ---- */

static tacit_status read_noise(tc_request_context *a, arrival *m, tacit_error *err)
{
    tc_dealing_head want, head;
    TC_TRY(tc_base64_bytes(tc_request_text(a, "noise"), "noise", SENT_MOST, &m->bytes, &m->n, err));
    TC_TRY(check_signature(a, m, TC_SIGN_NOISE, err));
    TC_TRY(tc_shared_round_head(m->open, m->round, TC_DEALER_TRUSTEE, m->place, &want, err));
    return tc_dealing_check(&m->open->plan->env.trustees, &want, m->bytes, m->n, &head, err);
}

/* *there: it is stored; *same: with these bytes. */
static tacit_status find_noise(tc_request_context *a, const arrival *m, bool *there, bool *same,
                               tacit_error *err)
{
    tc_record which = tc_record_of(m->open->id, TC_RECORD_NOISE, &m->key), got;
    TC_TRY(tc_store_record_find(a->coord->cfg.store, &which, &got, err));
    *there = got.version > 0;
    *same = *there && got.size == m->n && sodium_memcmp(got.value, m->bytes, m->n) == 0;
    tc_free((void *)got.value);
    return TACIT_OK;
}

static tacit_status try_noise(tc_request_context *a, arrival *m, tacit_error *err)
{
    tc_changes changes = {.n = 0};
    tc_key set = tc_key_number(m->round);
    tc_stored_set fixed;
    tc_round r;
    bool there;
    TC_TRY(find_noise(a, m, &there, &m->again, err));
    if (m->again)
        return TACIT_OK;
    TC_TRY(look(a, m, "noise", &r, err));
    if (there)
        return tc_refuse(a, 409, TACIT_E_CONFLICT, err,
                         "other noise of trustee %" PRIu64 " for round %" PRIu64
                         " is there already",
                         m->place, m->round);
    TC_TRY(tc_stored_set_get(a->coord, m->open, m->round, &fixed, err));
    bool late = fixed.version > 0;
    tc_stored_set_fini(&fixed);
    if (late)
        return tc_refuse(a, 410, TACIT_E_STATE, err,
                         "the set of round %" PRIu64 " is fixed: the noise is not needed any more",
                         m->round);
    require_round(m, &r, &changes);
    tc_changes_add(&changes, TC_REQUIRE, m->open->id, TC_RECORD_SET, &set, 0, NULL);
    tc_changes_bytes(&changes, TC_INSERT, m->open->id, TC_RECORD_NOISE, &m->key, 0, m->bytes, m->n);
    return tc_changes_end(a->coord->cfg.store, &changes, TACIT_OK, NULL, err);
}

static tacit_status post_noise(tc_request_context *a, arrival *m, tacit_error *err)
{
    TC_TRY(begin(a, m, err));
    TC_TRY(read_noise(a, m, err));
    TC_TRY(repeat(a, m, try_noise, err));
    return answer(a, m, err);
}

/* {"noise": "base64"} */
tacit_status tc_noise_post(tc_request_context *a, tacit_error *err)
{
    arrival m = {.open = NULL};
    tacit_status status = post_noise(a, &m, err);
    end(&m);
    return status;
}

/* ---- answers ---- */

static tacit_status check_words(const arrival *m, const tc_stored_set *set, tacit_error *err)
{
    tc_shared_plan plan;
    TC_TRY(tc_shared_round_plan(m->open, m->round, &plan, err));
    const tc_trust_answer want = {.epoch = TC_ROSTER_EPOCH,
                                  .round = m->round,
                                  .trustee = (uint32_t)m->place,
                                  .set = set->hash,
                                  .words = (uint32_t)(plan.groups * plan.width)};
    uint64_t *words = tc_alloc(want.words, sizeof *words);
    if (!words)
        return tc_fail_memory(err);
    tacit_status status = tc_trust_answer_read(&want, m->bytes, m->n, words, err);
    explicit_bzero(words, want.words * sizeof *words);
    tc_free(words);
    return status;
}

/* It stands in the operator's terminal. */
static tacit_status check_sentence(const char *text, tacit_error *err)
{
    for (const char *p = text; *p; p++)
        if ((unsigned char)*p < 0x20 || *p == 0x7f)
            return tc_fail(err, TACIT_E_ARG,
                           "refusal must be one line of text, without control characters");
    return TACIT_OK;
}

static tacit_status read_answer(tc_request_context *a, arrival *m, tacit_error *err)
{
    m->refusal = tc_request_text(a, "refusal");
    if (m->refusal) {
        TC_TRY(check_sentence(m->refusal, err));
        return check_signature(a, m, TC_SIGN_REFUSAL, err);
    }
    TC_TRY(
        tc_base64_bytes(tc_request_text(a, "answer"), "answer", SENT_MOST, &m->bytes, &m->n, err));
    return check_signature(a, m, TC_SIGN_ANSWER, err);
}

/* ---- receipts: {"answer": {"hash", "signature"}, "other": {...}, "refusal": "...", "wrong": true} ---- */

static json_t *proof_json(const arrival *m)
{
    return json_pack("{s:o, s:o}", "hash", tc_base64_json(m->hash.bytes, sizeof m->hash.bytes),
                     "signature", tc_base64_json(m->signature.bytes, sizeof m->signature.bytes));
}

static bool is_same(const json_t *proof, const arrival *m)
{
    tacit_hash h;
    const char *text = json_string_value(json_object_get(proof, "hash"));
    return text && tc_base64_read(text, h.bytes, sizeof h.bytes) &&
           tc_ledger_hash_same(&h, &m->hash);
}

/* Puts `value` into the receipt, which may be a new one (NULL). Takes both. */
static json_t *put_in(json_t *receipt, const char *name, json_t *value)
{
    json_t *j = receipt ? receipt : json_object();
    if (json_object_set_new(j, name, value) == 0)
        return j;
    json_decref(j);
    return NULL;
}

/* Stores receipt and row, which are the trustee's alone. Takes the receipt. */
static tacit_status store(tc_request_context *a, const arrival *m, tc_changes *changes,
                          json_t *receipt, uint64_t version, tacit_error *err)
{
    tc_changes_add(changes, version > 0 ? TC_REPLACE : TC_INSERT, m->open->id,
                   TC_RECORD_TRUSTEE_RECEIPT, &m->key, version, receipt);
    tc_trustee_change(changes, m->open->id, m->place, &m->row);
    return tc_changes_end(a->coord->cfg.store, changes, TACIT_OK, NULL, err);
}

/* One such record is enough. Takes the receipt. */
static tacit_status keep_evidence(tc_request_context *a, arrival *m, json_t *receipt,
                                  uint64_t version, tacit_error *err)
{
    tc_changes changes = {.n = 0};
    tacit_status status = TACIT_OK;
    if (json_object_get(receipt, "other")) {
        json_decref(receipt);
    } else {
        m->row.conflicts++;
        status = store(a, m, &changes, put_in(receipt, "other", proof_json(m)), version, err);
    }
    TC_TRY(status);
    return tc_refuse(a, 409, TACIT_E_CONFLICT, err,
                     "another answer of trustee %" PRIu64 " for round %" PRIu64
                     " is there already; that there were two is kept",
                     m->place, m->round);
}

/* Takes the receipt. */
static tacit_status take_refusal(tc_request_context *a, arrival *m, json_t *receipt,
                                 uint64_t version, tacit_error *err)
{
    tc_changes changes = {.n = 0};
    m->again = json_object_get(receipt, "refusal") != NULL;
    if (m->again) {
        json_decref(receipt);
        return TACIT_OK;
    }
    m->row.refused++;
    snprintf(m->row.refusal, sizeof m->row.refusal, "%s", m->refusal);
    TC_TRY(
        store(a, m, &changes, put_in(receipt, "refusal", json_string(m->refusal)), version, err));
    tc_log(TC_LOG_WARN, "study \"%s\", round %" PRIu64 ": trustee %" PRIu64 " refuses: %s",
           m->open->name, m->round, m->place, m->refusal);
    return TACIT_OK;
}

/* The first one. */
static tacit_status take_answer(tc_request_context *a, arrival *m, tacit_error *err)
{
    tc_changes changes = {.n = 0};
    tc_round r;
    TC_TRY(look(a, m, "answer", &r, err));
    m->row.answered++;
    require_round(m, &r, &changes);
    tc_changes_bytes(&changes, TC_INSERT, m->open->id, TC_RECORD_SHARE_SUM, &m->key, 0, m->bytes,
                     m->n);
    return store(a, m, &changes, put_in(NULL, "answer", proof_json(m)), 0, err);
}

/* Takes the receipt. */
static tacit_status enter(tc_request_context *a, arrival *m, json_t *receipt, uint64_t version,
                          tacit_error *err)
{
    const json_t *answered = json_object_get(receipt, "answer");
    if (m->refusal)
        return take_refusal(a, m, receipt, version, err);
    m->again = answered && is_same(answered, m);
    if (answered && !m->again)
        return keep_evidence(a, m, receipt, version, err);
    json_decref(receipt);
    if (m->again)
        return TACIT_OK;
    if (version > 0)
        return tc_refuse(a, 409, TACIT_E_STATE, err,
                         "trustee %" PRIu64 " has refused round %" PRIu64, m->place, m->round);
    return take_answer(a, m, err);
}

/* A refusal is about a set, and so is an answer. Whether the answer fits it is asked before anything is kept. */
static tacit_status check_set(tc_request_context *a, const arrival *m, tacit_error *err)
{
    tc_stored_set set;
    tc_round r;
    TC_TRY(tc_stored_set_get(a->coord, m->open, m->round, &set, err));
    tacit_status status = TACIT_OK;
    if (set.version == 0) {
        TC_TRY(look(a, m, "answer", &r, err));
        return tc_refuse(a, 409, TACIT_E_STATE, err,
                         "the set of round %" PRIu64 " is not fixed yet", m->round);
    }
    if (!m->refusal)
        status = check_words(m, &set, err);
    tc_stored_set_fini(&set);
    return status;
}

static tacit_status try_answer(tc_request_context *a, arrival *m, tacit_error *err)
{
    json_t *receipt;
    uint64_t version;
    TC_TRY(tc_request_trustee(a, &m->open, &m->row, err)); /* afresh: its record is replaced */
    TC_TRY(tc_record_read(a->coord->cfg.store, m->open->id, TC_RECORD_TRUSTEE_RECEIPT, &m->key,
                          &receipt, &version, err));
    return enter(a, m, receipt, version, err);
}

static tacit_status post_answer(tc_request_context *a, arrival *m, tacit_error *err)
{
    TC_TRY(begin(a, m, err));
    TC_TRY(read_answer(a, m, err));
    TC_TRY(check_set(a, m, err));
    TC_TRY(repeat(a, m, try_answer, err));
    return answer(a, m, err);
}

/* {"answer": "base64"} or {"refusal": "why"} */
tacit_status tc_trustee_answer_post(tc_request_context *a, tacit_error *err)
{
    arrival m = {.open = NULL};
    tacit_status status = post_answer(a, &m, err);
    end(&m);
    return status;
}
