/* older_head.c - a coordinator that comes from a backup, as its agents see it.
 *
 * Its ledger ends before what this agent saw of it. The ledger itself says why, in a note of its chain
 * (privacy/ledger_restored.c); without one it is a rollback, and that is the end. With one the agent
 * stops and says so. Told to go on, it first holds the ledger against its own journal: every release
 * that it has heard must be charged there, at its price; one that is not was forgotten, and the
 * coordinator would spend it a second time.
 *
 * Our own ledger has forgotten nothing. But a round that we have paid for, and that the coordinator
 * knows nothing about, may have been released without our hearing of it. So a message that was paid
 * for before the restore is not sent again at once: if the round is over we hear that, at no cost. If
 * it is asked for, it is paid for once more, as what it may be: a second release. */
#include "agent/agent_int.h"

#include "base/clock.h"
#include "base/error.h"
#include "base/json.h"
#include "base/log.h"
#include "base/memory.h"

#include <inttypes.h>
#include <string.h>

/* ---- what is known of restores: the last one, under the study's name ---- */

typedef struct known {
    tc_ledger_hash note; /* the head after it */
    uint64_t paid;       /* entries of our own ledger when we learned of it */
} known;

static tc_record which(const tc_agent *a)
{
    return (tc_record){.kind = TC_RECORD_RESTORED, .key = a->name, .key_size = strlen(a->name)};
}

/* *version 0: of none. */
static tacit_status load(tc_agent *a, known *out, uint64_t *version, tacit_error *err)
{
    tc_record w = which(a), got;
    TC_TRY(tc_store_record_find(a->cfg.store, &w, &got, err));
    *version = got.version;
    if (got.version == 0)
        return TACIT_OK;
    bool whole = got.size == sizeof *out;
    if (whole)
        memcpy(out, got.value, sizeof *out);
    tc_free((void *)got.value);
    if (!whole)
        return tc_fail(err, TACIT_E_CORRUPT, "the storage is damaged: what is known of restores");
    return TACIT_OK;
}

static tacit_status keep(tc_agent *a, const known *k, uint64_t version, tacit_error *err)
{
    tc_record w = which(a);
    return tc_store_record_keep(a->cfg.store, &w, version, k, sizeof *k, err);
}

/* ---- paying again ---- */

/* The entry of our own ledger that paid for a round first; 0: none. */
static tacit_status paid_at(tc_agent *a, uint64_t round, uint64_t *out, tacit_error *err)
{
    tc_ledger_receipt r;
    tacit_error why;
    *out = 0;
    tacit_status status =
        tc_ledger_find(a->ledger, &tc_study_get_plan(a->study)->hash, round, &r, &why);
    if (status == TACIT_E_NOT_FOUND)
        return TACIT_OK;
    if (status != TACIT_OK)
        return tc_fail(err, status, "%s", why.msg);
    *out = r.head.seq;
    tc_ledger_receipt_fini(&r);
    return TACIT_OK;
}

tacit_status tc_restored_place(tc_agent *a, uint64_t round, tc_ledger_hash *out, tacit_error *err)
{
    const tc_study_plan *p = tc_study_get_plan(a->study);
    known k = {.paid = 0};
    uint64_t version, paid;
    *out = p->hash;
    TC_TRY(load(a, &k, &version, err));
    if (version == 0)
        return TACIT_OK;
    TC_TRY(paid_at(a, round, &paid, err));
    if (paid == 0 || paid > k.paid)
        return TACIT_OK;
    tc_ledger_hash both[2] = {p->hash, k.note};
    *out = tc_hash_bytes(both, sizeof both);
    return TACIT_OK;
}

/* ---- learning of it ---- */

static tacit_status hold_back(tc_agent *a, tacit_error *err)
{
    uint64_t paid = 0;
    if (a->outbox.known && a->outbox.pending)
        TC_TRY(paid_at(a, a->outbox.round, &paid, err));
    if (paid > 0)
        a->outbox.pending = false;
    return TACIT_OK;
}

static tacit_status learn(tc_agent *a, const tc_ledger *l, tacit_error *err)
{
    tc_ledger_restore last;
    known k = {.paid = 0};
    uint64_t version;
    if (!tc_ledger_restored(l, UINT64_MAX, &last))
        return TACIT_OK;
    TC_TRY(load(a, &k, &version, err));
    if (version > 0 && tc_ledger_hash_same(&k.note, &last.head))
        return TACIT_OK;
    TC_TRY(tc_ledger_catch_up(a->ledger, err));
    k = (known){.note = last.head, .paid = tc_ledger_get_head(a->ledger).seq};
    TC_TRY(keep(a, &k, version, err));
    tc_log(TC_LOG_WARN, "study \"%s\": the coordinator was %s", a->name, last.say);
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

/* At a price that is not the round's it would be as good as forgotten. */
static bool is_charged(const hearing *h, uint64_t round)
{
    const tc_ledger_entry *e = entry_of(h, round);
    tc_dp_event price;
    tacit_error why;
    return e && tc_study_plan_event(h->plan, round, &price, &why) == TACIT_OK &&
           e->event.mechanism == price.mechanism && e->event.parameter == price.parameter &&
           e->event.sampling == price.sampling && e->event.sampling_rate == price.sampling_rate &&
           e->event.count == price.count;
}

static tacit_status check_round(void *user, const tc_event_row *e, tacit_error *err)
{
    const hearing *h = user;
    int64_t round = -1;
    json_t *j;
    if (e->kind != TC_EVENT_ABSORB)
        return TACIT_OK;
    TC_TRY(tc_json_parse(e->body, strlen(e->body), "event", &j, err));
    bool whole = tc_json_whole(json_object_get(j, "round"), &round) && round >= 0;
    json_decref(j);
    if (whole && is_charged(h, (uint64_t)round))
        return TACIT_OK;
    return tc_fail(err, TACIT_E_CORRUPT,
                   "the coordinator was restored from a backup and does not count round %" PRId64
                   ", whose release this agent has heard: its operator must restore it with more "
                   "rounds assumed to be released",
                   round);
}

static tacit_status check_heard(tc_agent *a, const tc_ledger *l, tacit_error *err)
{
    hearing h = {.ledger = l, .plan = tc_study_get_plan(a->study)};
    tc_study_row row;
    TC_TRY(tc_store_study_get(a->cfg.store, a->name, &row, err));
    tacit_status status = tc_store_scan(a->cfg.store, row.id, 0, check_round, &h, err);
    tc_study_row_fini(&row);
    return status;
}

/* ---- */

static tacit_status refuse(const tc_ledger_restore *r, const tc_ledger_head *seen, tacit_error *err)
{
    return tc_fail(err, TACIT_E_CORRUPT,
                   "the coordinator was %s, and this agent has seen entry %" PRIu64
                   "; what it has sent is in its own ledger: --accept-restored goes on",
                   r->say, seen->seq);
}

tacit_status tc_restored_check(tc_agent *a, const tc_ledger *l, const tc_ledger_head *seen,
                               const tacit_error *broken, bool *anew, tacit_error *err)
{
    tc_ledger_restore r;
    *anew = broken != NULL;
    if (broken && !tc_ledger_restored(l, seen->seq, &r))
        return tc_fail(err, TACIT_E_CORRUPT, "the coordinator is not what it was: %.400s",
                       broken->msg);
    if (broken && !a->cfg.accepts_restored)
        return refuse(&r, seen, err);
    if (broken)
        TC_TRY(check_heard(a, l, err));
    return learn(a, l, err);
}
