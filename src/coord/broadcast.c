/* broadcast.c - what a round ended with, and what the ledger says about it.
 *
 * A release is read from the ledger, where it was before a byte left. It carries the head of the
 * chain after its entry: agents keep the last one they saw and refuse a ledger that does not extend
 * it (README.md). */
#include "coord/audited.h"
#include "coord/coord_int.h"
#include "coord/round.h"

#include "base/error.h"
#include "base/log.h"
#include "base/json.h"

#include <inttypes.h>
#include <sodium.h>

static json_t *head_json(const tacit_head *h)
{
    char hex[2 * TC_LEDGER_HASH_BYTES + 1];
    sodium_bin2hex(hex, sizeof hex, h->hash.bytes, sizeof h->hash.bytes);
    return json_pack("{s:I, s:s}", "seq", (json_int_t)h->seq, "hash", hex);
}

/* Why heads that were seen may be newer than this one. */
static tacit_status add_restored(const tc_open_study *d, json_t *j, tacit_error *err)
{
    json_t *restored;
    TC_TRY(tc_ledger_restored_json(d->ledger, &restored, err));
    return restored && json_object_set_new(j, "restored", restored) != 0 ? tc_fail_memory(err)
                                                                         : TACIT_OK;
}

static tacit_status answer_release(tc_request_context *a, const tc_open_study *d, uint64_t round,
                                   const tc_ledger_receipt *r, tacit_error *err)
{
    tc_text bytes = {0};
    tc_base64_add(&bytes, r->bytes, r->size);
    json_t *j = bytes.failed
                    ? NULL
                    : json_pack("{s:I, s:s, s:o, s:b, s:s}", "round", (json_int_t)round, "release",
                                tc_text_get(&bytes), "head", head_json(&r->head), "private",
                                (int)r->is_private, "not_private", r->not_private);
    tc_text_fini(&bytes);
    tacit_status status = add_restored(d, j, err);
    if (status == TACIT_OK)
        return tc_answer_json(a, 200, j, err);
    json_decref(j);
    return status;
}

/* The ledger is brought to disk before a byte of it leaves, and it is locked while a round closes: so
 * the last answer is kept. What was released once never changes. All agents of a study want it at once, so they are
 * sent one copy. Takes the answer, and gives it back as one that is shared. */
static tacit_status keep(tc_request_context *a, tc_open_study *d, uint64_t round, tacit_error *err)
{
    tc_shared_text *mine = tc_shared_text_of(tc_text_take(&a->out->body));
    tacit_status status = tc_answer_shared(a, "application/json", mine, err);
    pthread_mutex_lock(&d->quick);
    if (mine && (!d->cached || d->cached_round < round)) {
        tc_shared_text_end(d->cached);
        d->cached = tc_shared_text_use(mine);
        d->cached_round = round;
    }
    pthread_mutex_unlock(&d->quick);
    tc_shared_text_end(mine);
    return status;
}

/* *out NULL: another round is cached, or none. */
static void find_cached(tc_open_study *d, uint64_t round, tc_shared_text **out)
{
    pthread_mutex_lock(&d->quick);
    *out = d->cached_round == round ? tc_shared_text_use(d->cached) : NULL;
    pthread_mutex_unlock(&d->quick);
}

/* The ledger as the store has it now; under d->lock. Where the store was replaced by an older copy of itself,
 * as by a replica that lagged behind, no later question gets another answer: it is said, so that agents do
 * not wait for it. The log has the particulars. */
tacit_status tc_refresh_ledger(tc_request_context *a, tc_open_study *d, tacit_error *err)
{
    tacit_error why = {0};
    tacit_status status = tc_ledger_catch_up(d->ledger, &why);
    if (status != TACIT_E_CORRUPT)
        return tc_pass_on(err, status, &why);
    tc_log(TC_LOG_ERROR, "study \"%s\": %s", d->name, why.msg);
    return tc_refuse(a, 409, TACIT_E_CORRUPT, err,
                     "the ledger of study \"%s\" has lost entries in the coordinator's storage, or "
                     "is damaged there: nothing is released from it any more; its operator must "
                     "restore a backup",
                     d->name);
}

static tacit_status released(tc_request_context *a, tc_open_study *d, uint64_t round,
                             tacit_error *err)
{
    tc_ledger_receipt r;
    pthread_mutex_lock(&d->lock);
    tacit_status status = tc_refresh_ledger(a, d, err);
    if (status == TACIT_OK)
        status = tc_ledger_find(d->ledger, &d->hash, round, &r, err);
    if (status == TACIT_OK) {
        status = answer_release(a, d, round, &r, err);
        tc_ledger_receipt_fini(&r);
    }
    pthread_mutex_unlock(&d->lock);
    return status == TACIT_OK ? keep(a, d, round, err) : status;
}

/* An agent whose storage comes from a backup does not know any more what it has sent. */
static tacit_status has_answered(const tc_request_context *a, const tc_open_study *d,
                                 uint64_t round, bool *out, tacit_error *err)
{
    tc_key place = tc_key_numbers(round, a->caller.agent);
    json_t *receipt;
    uint64_t version;
    TC_TRY(tc_record_read(a->coord->cfg.store, d->id, TC_RECORD_RECEIPT, &place, &receipt, &version,
                          err));
    *out = receipt != NULL;
    json_decref(receipt);
    return TACIT_OK;
}

/* A round that has not ended: will it? */
static tacit_status not_yet(tc_request_context *a, const tc_open_study *d, const tc_round *r,
                            uint64_t round, tacit_error *err)
{
    tc_study_state state;
    uint64_t version;
    if (r->phase == TC_PHASE_NONE) {
        TC_TRY(tc_state_get(a->coord, d->id, &state, &version, err));
        if (state == TC_STUDY_CLOSED)
            return tc_refuse(a, 410, TACIT_E_STATE, err,
                             "the study was closed before round %" PRIu64, round);
    }
    bool agents = a->caller.role == TC_ROLE_AGENT, answered = false;
    if (agents)
        TC_TRY(has_answered(a, d, round, &answered, err));
    json_t *j = json_pack("{s:I, s:s, s:I}", "round", (json_int_t)round, "phase",
                          tc_phase_name(r->phase), "deadline_ms", (json_int_t)r->deadline_ms);
    if (agents && json_object_set_new(j, "answered", json_boolean(answered)) != 0) {
        json_decref(j);
        return tc_fail_memory(err);
    }
    a->out->wait = true;
    return tc_answer_json(a, 202, j, err);
}

tacit_status tc_broadcast_get(tc_request_context *a, tacit_error *err)
{
    tc_open_study *d;
    tc_round r;
    uint64_t round, next;
    tc_shared_text *cached;
    TC_TRY(tc_request_number(a, 1, "round", &round, err));
    TC_TRY(tc_request_federated(a, &d, err));
    find_cached(d, round, &cached);
    if (cached) {
        tacit_status status = tc_answer_shared(a, "application/json", cached, err);
        tc_shared_text_end(cached);
        return status;
    }
    TC_TRY(tc_study_plan_next_round(d->plan, round, &next, err));
    if (next != round)
        return tc_refuse(a, 404, TACIT_E_NOT_FOUND, err, "the study has no round %" PRIu64, round);
    TC_TRY(tc_round_find(a->coord, d->id, round, &r, err));
    if (r.phase == TC_PHASE_VOID && r.refused)
        return tc_refuse_budget(a, &r, err);
    if (r.phase == TC_PHASE_VOID)
        return tc_refuse(a, 410, TACIT_E_STATE, err, "%s", r.reason);
    if (r.phase != TC_PHASE_CLOSED)
        return not_yet(a, d, &r, round, err);
    if (!d->plan->doc->algorithm->aggregator)
        return tc_answer_json(a, 200, json_pack("{s:I}", "round", (json_int_t)round), err);
    return released(a, d, round, err);
}

/* A relay makes no entries, so its empty ledger would look private. Agents know it from the document, and those of earlier
 * versions take no member that they do not know. */
static tacit_status add_not_private(const tc_request_context *a, const tc_open_study *d, json_t *j,
                                    tacit_error *err)
{
    const char *why = tc_study_not_private(a->coord, d);
    if (!j || !*why || a->caller.role == TC_ROLE_AGENT)
        return TACIT_OK;
    return json_object_set_new(j, "not_private", json_string(why)) == 0 ? TACIT_OK
                                                                        : tc_fail_memory(err);
}

/* The ledger, which anybody can check and account for again: all of it, or a page. */
tacit_status tc_privacy_get(tc_request_context *a, tacit_error *err)
{
    tc_open_study *d;
    json_t *j = NULL;
    uint64_t after = 0, most = UINT64_MAX;
    TC_TRY(tc_query_number(a->q->query, "after", 0, INT64_MAX, &after, err));
    TC_TRY(tc_query_number(a->q->query, "limit", 1, INT64_MAX, &most, err));
    TC_TRY(tc_request_federated(a, &d, err));
    const tc_act act = tc_act_of("ledger.download", d, "%s", "");
    TC_TRY(tc_act_download(a, &act, err));
    pthread_mutex_lock(&d->lock);
    tacit_status status = tc_refresh_ledger(a, d, err);
    if (status == TACIT_OK)
        j = tc_ledger_json_page(d->ledger, after, most);
    pthread_mutex_unlock(&d->lock);
    if (status == TACIT_OK)
        status = add_not_private(a, d, j, err);
    if (status == TACIT_OK)
        return tc_answer_json(a, 200, j, err);
    json_decref(j);
    return status;
}
