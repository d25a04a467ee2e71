/* coordinator_restored.c - a coordinator that comes from a backup, as its agents see it.
 *
 * Its ledger ends before what this agent saw of it. The ledger itself says why, in a note of its chain
 * (privacy/ledger_restored.c). A note explains one break, once: every note that was ever read is kept,
 * and one that is known lay in what was seen, so that it explains nothing that was lost of it. Without
 * a new note it is a rollback, and that is the end. With one the agent stops and says so. Told to go on,
 * it first holds the ledger against its own journal: every release that it has heard must be there, the
 * same bytes or charged as lost, at its price and to whom it concerns. Else it was forgotten, and the
 * coordinator spends it a second time.
 *
 * Our own ledger has forgotten nothing. But a round that we have paid for, and that the coordinator
 * knows nothing about, may have been released without our hearing of it. So a message that was paid
 * for before the restore is not sent again at once: if the round is over we hear that, at no cost. If
 * it is asked for, it is paid for once more, as what it may be: a second release. */
#include "agent/agent_int.h"

#include "base/clock.h"
#include "base/error.h"
#include "base/log.h"
#include "base/memory.h"
#include "wire/event_json.h"

#include <inttypes.h>
#include <string.h>

/* ---- what is known of restores, under the study's name: every note that was read ---- */

typedef struct known {
    uint64_t version;  /* of the record; 0: there is none */
    uint64_t paid;     /* entries of our own ledger when we learned of the last */
    tacit_hash *notes; /* the heads after them, the last one last; owned */
    size_t n, cap;
} known;

static void known_fini(known *k)
{
    tc_free(k->notes);
    *k = (known){0};
}

static tc_record which(const char *study)
{
    return (tc_record){.kind = TC_RECORD_RESTORED, .key = study, .key_size = strlen(study)};
}

static tacit_status add(known *k, const void *notes, size_t n, tacit_error *err)
{
    if (!tc_grow((void **)&k->notes, &k->cap, k->n + n, sizeof *k->notes))
        return tc_fail_memory(err);
    memcpy(k->notes + k->n, notes, n * sizeof *k->notes);
    k->n += n;
    return TACIT_OK;
}

static tacit_status decode(known *k, const uint8_t *bytes, size_t size, tacit_error *err)
{
    if (size <= sizeof k->paid || (size - sizeof k->paid) % sizeof *k->notes != 0)
        return tc_fail(err, TACIT_E_CORRUPT, "the storage is damaged: what is known of restores");
    memcpy(&k->paid, bytes, sizeof k->paid);
    return add(k, bytes + sizeof k->paid, (size - sizeof k->paid) / sizeof *k->notes, err);
}

/* End with known_fini. */
static tacit_status read_known(tc_store *store, const char *study, known *out, tacit_error *err)
{
    tc_record w = which(study), got;
    *out = (known){0};
    TC_TRY(tc_store_record_find(store, &w, &got, err));
    if (got.version == 0)
        return TACIT_OK;
    known k = {.version = got.version};
    tacit_status status = decode(&k, got.value, got.size, err);
    tc_free((void *)got.value);
    if (status == TACIT_OK)
        *out = k;
    else
        known_fini(&k);
    return status;
}

static tacit_status load(tc_agent *a, known *out, tacit_error *err)
{
    return read_known(a->cfg.store, a->local_name, out, err);
}

static tacit_status keep(tc_agent *a, const known *k, tacit_error *err)
{
    tc_record w = which(a->local_name);
    tc_text bytes = {0};
    tc_text_add_bytes(&bytes, &k->paid, sizeof k->paid);
    tc_text_add_bytes(&bytes, k->notes, k->n * sizeof *k->notes);
    tacit_status status = bytes.failed ? tc_fail_memory(err)
                                       : tc_store_record_keep(a->cfg.store, &w, k->version,
                                                              bytes.data, bytes.len, err);
    tc_text_fini(&bytes);
    return status;
}

static bool knows(const known *k, const tacit_hash *note)
{
    for (size_t i = 0; i < k->n; i++)
        if (tc_ledger_hash_same(&k->notes[i], note))
            return true;
    return false;
}

/* ---- paying again ---- */

/* The entry of our own ledger that paid for a round in this place; 0: none. */
static tacit_status paid_at(tc_agent *a, const tacit_hash *place, uint64_t round, uint64_t *out,
                            tacit_error *err)
{
    tc_ledger_receipt r;
    tacit_error why;
    *out = 0;
    tacit_status status = tc_ledger_find(a->ledger, place, round, &r, &why);
    if (status == TACIT_E_NOT_FOUND)
        return TACIT_OK;
    if (status != TACIT_OK)
        return tc_pass_on(err, status, &why);
    *out = r.head.seq;
    tc_ledger_receipt_fini(&r);
    return TACIT_OK;
}

/* The place in the ledger that a study's rounds get after the restore whose note has this head. */
static tacit_hash second_place(const tacit_hash *study, const tacit_hash *note)
{
    tacit_hash both[2] = {*study, *note};
    return tc_hash_bytes(both, sizeof both);
}

tacit_status tc_agent_paid_again(tc_store *store, const char *study, const tacit_hash *hash,
                                 const tacit_hash *place, bool *out, tacit_error *err)
{
    known k;
    TC_TRY(read_known(store, study, &k, err));
    *out = false;
    for (size_t i = 0; i < k.n && !*out; i++) {
        tacit_hash second = second_place(hash, &k.notes[i]);
        *out = tc_ledger_hash_same(&second, place);
    }
    known_fini(&k);
    return TACIT_OK;
}

static tacit_status place_after(tc_agent *a, const known *k, uint64_t round, tacit_hash *out,
                                tacit_error *err)
{
    uint64_t paid;
    *out = tc_study_get_plan(a->study)->hash;
    if (k->n == 0)
        return TACIT_OK;
    TC_TRY(paid_at(a, out, round, &paid, err));
    if (paid > 0 && paid <= k->paid)
        *out = second_place(out, &k->notes[k->n - 1]);
    return TACIT_OK;
}

tacit_status tc_coordinator_restored_place(tc_agent *a, uint64_t round, tacit_hash *out,
                                           tacit_error *err)
{
    known k;
    TC_TRY(load(a, &k, err));
    tacit_status status = place_after(a, &k, round, out, err);
    known_fini(&k);
    return status;
}

tacit_status tc_coordinator_restored_waits(tc_agent *a, uint64_t round, bool *out, tacit_error *err)
{
    tacit_hash place;
    uint64_t again;
    *out = false;
    TC_TRY(tc_coordinator_restored_place(a, round, &place, err));
    if (tc_ledger_hash_same(&place, &tc_study_get_plan(a->study)->hash))
        return TACIT_OK;
    TC_TRY(paid_at(a, &place, round, &again, err));
    *out = again == 0;
    return TACIT_OK;
}

/* ---- learning of it ---- */

static tacit_status hold_back(tc_agent *a, tacit_error *err)
{
    bool waits = false;
    if (a->outbox.known && a->outbox.pending)
        TC_TRY(tc_coordinator_restored_waits(a, a->outbox.round, &waits, err));
    if (waits)
        a->outbox.pending = false;
    return TACIT_OK;
}

/* All notes up to this one, the oldest first. */
static tacit_status add_notes(known *k, const tc_ledger *l, const tc_ledger_restore *last,
                              tacit_error *err)
{
    tc_ledger_restore r = *last;
    size_t from = k->n;
    do
        if (!knows(k, &r.head))
            TC_TRY(add(k, &r.head, 1, err));
    while (tc_ledger_restored(l, r.seq - 1, &r));
    for (size_t i = from, j = k->n; k->notes && i + 1 < j; i++, j--) {
        tacit_hash h = k->notes[i];
        k->notes[i] = k->notes[j - 1];
        k->notes[j - 1] = h;
    }
    return TACIT_OK;
}

static tacit_status learn_new(tc_agent *a, const tc_ledger *l, const tc_ledger_restore *last,
                              known *k, tacit_error *err)
{
    if (knows(k, &last->head))
        return TACIT_OK;
    TC_TRY(add_notes(k, l, last, err));
    TC_TRY(tc_ledger_catch_up(a->ledger, err));
    k->paid = tc_ledger_get_head(a->ledger).seq;
    TC_TRY(keep(a, k, err));
    tc_log(TC_LOG_WARN, "study \"%s\": the coordinator was %s", a->name, last->say);
    return hold_back(a, err);
}

/* ---- is everything charged that was heard? ---- */

typedef struct hearing {
    const tc_ledger *ledger;
    const tc_study_plan *plan;
} hearing;

static const tc_ledger_entry *entry_of(const hearing *h, uint64_t round)
{
    for (uint64_t i = tc_ledger_get_head(h->ledger).seq; i > 0; i--) {
        const tc_ledger_entry *e = tc_ledger_get(h->ledger, i, NULL);
        if (e->round == round && tc_ledger_hash_same(&e->study, &h->plan->hash))
            return e;
    }
    return NULL;
}

/* At another price, or charged to others, it would be as good as forgotten. */
static tacit_status check_charged(const hearing *h, const tc_event *heard, tacit_error *err)
{
    const tc_ledger_entry *e = entry_of(h, heard->round);
    tacit_hash hash = tc_ledger_release_hash(heard->bytes, heard->n_bytes);
    tacit_error why;
    if (!e || tc_check_their_price(h->plan, e, heard->round, &why) != TACIT_OK)
        return tc_fail(
            err, TACIT_E_STATE,
            "the coordinator was restored from a backup and does not count round %" PRIu64
            ", whose release this agent has heard: its operator must restore it with "
            "more rounds assumed to be released",
            heard->round);
    if (!tc_ledger_is_lost(e) && !tc_ledger_hash_same(&e->release, &hash))
        return tc_fail(err, TACIT_E_STATE,
                       "the coordinator was restored from a backup and has released round %" PRIu64
                       " a second time, whose first release this agent has heard: its operator "
                       "must close the study",
                       heard->round);
    return TACIT_OK;
}

static tacit_status check_round(void *user, const tc_event_row *row, tacit_error *err)
{
    const hearing *h = user;
    tc_arena memory = {0};
    tc_event e = {.kind = row->kind};
    if (row->kind != TC_EVENT_ABSORB)
        return TACIT_OK;
    tacit_status status = tc_event_decode(h->plan->doc->space, row->body, &memory, &e, err);
    if (status == TACIT_OK)
        status = check_charged(h, &e, err);
    tc_arena_fini(&memory);
    return status;
}

static tacit_status check_heard(tc_agent *a, const tc_ledger *l, tacit_error *err)
{
    hearing h = {.ledger = l, .plan = tc_study_get_plan(a->study)};
    tc_study_row row;
    TC_TRY(tc_store_study_get(a->cfg.store, a->local_name, &row, err));
    tacit_status status = tc_store_scan(a->cfg.store, row.id, 0, check_round, &h, err);
    tc_study_row_fini(&row);
    return status;
}

/* ---- */

static tacit_status refuse(const tc_ledger_restore *r, const tacit_head *seen, tacit_error *err)
{
    return tc_fail(err, TACIT_E_STATE,
                   "the coordinator was %s, and this agent has seen entry %" PRIu64
                   "; what it has sent is in its own ledger: --accept-restored goes on",
                   r->say, seen->seq);
}

/* Among the entries in whose place the seen ones stood: what was lost of them came after the backup. */
static tacit_status is_explained(tc_agent *a, const tc_ledger *l, const tacit_head *seen,
                                 tc_ledger_restore *r, bool *out, tacit_error *err)
{
    known k;
    TC_TRY(load(a, &k, err));
    *out = tc_ledger_restored(l, seen->seq, r) && !knows(&k, &r->head);
    known_fini(&k);
    return TACIT_OK;
}

tacit_status tc_coordinator_restored_check(tc_agent *a, const tc_ledger *l, const tacit_head *seen,
                                           const tacit_error *broken, bool *anew, tacit_error *err)
{
    tc_ledger_restore r;
    bool explained = true;
    *anew = broken != NULL;
    if (broken)
        TC_TRY(is_explained(a, l, seen, &r, &explained, err));
    if (!explained)
        return tc_fail(err, TACIT_E_STATE, "the coordinator is not what it was: %.400s",
                       broken->msg);
    if (broken && !a->cfg.accepts_restored)
        return refuse(&r, seen, err);
    if (broken)
        TC_TRY(check_heard(a, l, err));
    tc_ledger_restore last;
    known k;
    if (!tc_ledger_restored(l, UINT64_MAX, &last))
        return TACIT_OK;
    TC_TRY(load(a, &k, err));
    tacit_status status = learn_new(a, l, &last, &k, err);
    known_fini(&k);
    return status;
}
