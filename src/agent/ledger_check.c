/* ledger_check.c - the coordinator's ledger, read by those whom it is about.
 *
 * Before it sends and with every release an agent reads the ledger, checks its chain, and holds it
 * against the last head that it saw itself: a ledger that forgot or replaced an entry does not extend it.
 * The entry of a release must name the very bytes that were broadcast, at the price that the agent has
 * pledged and charged to the same.
 *
 * A running agent has a copy and asks for the entries after it. At a start, and where an answer does not
 * go on from the copy, it reads everything and compares that with the head in its store. */
#include "agent/agent_int.h"

#include "algo/charge.h"
#include "base/error.h"
#include "base/json.h"
#include "base/memory.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

/* ---- the last head seen: seq and hash, under the study's name ---- */

typedef struct seen {
    uint64_t seq;
    uint8_t hash[TC_LEDGER_HASH_BYTES];
} seen;

static tc_record which(const tc_agent *a)
{
    return (tc_record){
        .kind = TC_RECORD_RECEIPT, .key = a->local_name, .key_size = strlen(a->local_name)};
}

/* *version 0: nothing was seen yet. */
static tacit_status load(tc_agent *a, tacit_head *out, uint64_t *version, tacit_error *err)
{
    tc_record w = which(a), got;
    seen s;
    TC_TRY(tc_store_record_find(a->cfg.store, &w, &got, err));
    *version = got.version;
    if (got.version == 0)
        return TACIT_OK;
    bool whole = got.size == sizeof s;
    if (whole)
        memcpy(&s, got.value, sizeof s);
    tc_free((void *)got.value);
    if (!whole)
        return tc_fail(err, TACIT_E_CORRUPT, "the storage is damaged: the ledger head seen last");
    out->seq = s.seq;
    memcpy(out->hash.bytes, s.hash, sizeof s.hash);
    return TACIT_OK;
}

static tacit_status keep(tc_agent *a, const tacit_head *head, uint64_t version, tacit_error *err)
{
    seen s = {.seq = head->seq};
    memcpy(s.hash, head->hash.bytes, sizeof s.hash);
    tc_record w = which(a);
    return tc_store_record_keep(a->cfg.store, &w, version, &s, sizeof s, err);
}

/* ---- the entry ---- */

static const tc_ledger_entry *find_entry(const tc_ledger *l, const tacit_hash *study,
                                         uint64_t round)
{
    for (uint64_t i = tc_ledger_get_head(l).seq; i > 0; i--) {
        const tc_ledger_entry *e = tc_ledger_get(l, i, NULL);
        if (e->round == round && tc_ledger_hash_same(&e->study, study))
            return e;
    }
    return NULL;
}

/* A document that carries no noise (study/study_calibrate.c) lets every party search for it: with another C
 * library the coordinator may have found some last digits more. Never less, for this agent has
 * pledged what it found itself. */
static bool same_noise(const tc_study_plan *p, const tacit_dp_event *theirs,
                       const tacit_dp_event *ours)
{
    bool searched = p->doc->promise == TC_PROMISE_EPSILON && !p->doc->calibrated &&
                    ours->mechanism == TACIT_DP_GAUSSIAN;
    double most = searched ? ours->parameter * (1 + 1e-9) + 0x1p-32 : ours->parameter;
    return theirs->parameter >= ours->parameter && theirs->parameter <= most;
}

static bool same_price(const tc_study_plan *p, const tacit_dp_event *a, const tacit_dp_event *b)
{
    bool noise = b->mechanism == TACIT_DP_NONPRIVATE || same_noise(p, a, b);
    return a->mechanism == b->mechanism && noise && a->sampling == b->sampling &&
           a->sampling_rate == b->sampling_rate && a->count == b->count;
}

/* Unit, subject and neighbours are whom a price is charged to. */
static tacit_status check_whom(const tc_study_plan *p, const tc_ledger_entry *e, uint64_t round,
                               const char *adjacency, tacit_error *err)
{
    tc_round_charge who = tc_study_plan_charge(p, round);
    const char *subject = tc_round_charge_subject(&who);
    if (e->unit == who.unit && strcmp(e->subject, subject ? subject : "") == 0 &&
        (!*adjacency || strcmp(e->adjacency, adjacency) == 0))
        return TACIT_OK;
    return tc_fail(err, TACIT_E_STATE,
                   "the coordinator's ledger charges round %" PRIu64
                   " to others than the study's document",
                   round);
}

tacit_status tc_check_their_price(const tc_study_plan *p, const tc_ledger_entry *e, uint64_t round,
                                  tacit_error *err)
{
    tc_round_price price;
    TC_TRY(tc_study_plan_price(p, round, &price, err));
    if (!same_price(p, &e->event, &price.event) || e->distance > price.distance)
        return tc_fail(err, TACIT_E_STATE,
                       "the coordinator's ledger has another price for round %" PRIu64
                       " than the study's document",
                       round);
    return check_whom(p, e, round, price.adjacency, err);
}

static tacit_status check_entry(tc_agent *a, const tc_ledger *l, uint64_t round,
                                const tacit_hash *release, bool *is_private, tacit_error *err)
{
    const tc_study_plan *p = tc_study_get_plan(a->study);
    const tc_ledger_entry *e = find_entry(l, &p->hash, round);
    if (!e)
        return tc_fail(err, TACIT_E_STATE,
                       "the coordinator's ledger has no entry for round %" PRIu64, round);
    if (!tc_ledger_hash_same(&e->release, release))
        return tc_fail(err, TACIT_E_STATE,
                       "the broadcast of round %" PRIu64 " is not the one in the coordinator's "
                       "ledger",
                       round);
    TC_TRY(tc_check_their_price(p, e, round, err));
    *is_private = e->is_private;
    return TACIT_OK;
}

/* ---- the chain ---- */

enum { PAGE = 1000 };

/* E_CORRUPT: it does not go on from the copy, or is no ledger at all. */
static tacit_status add_page(tc_ledger **copy, const json_t *page, bool *more, tacit_error *err)
{
    tacit_error why = {0};
    tacit_status status = tc_ledger_add_page(copy, page, more, &why);
    if (status == TACIT_E_ARG || status == TACIT_E_CORRUPT)
        return tc_fail(err, TACIT_E_CORRUPT, "the coordinator's ledger is not whole: %.400s",
                       why.msg);
    return tc_pass_on(err, status, &why);
}

static tacit_status get_page(tc_agent *a, tc_ledger **copy, bool *more, tacit_error *err)
{
    char path[64];
    tc_answered r;
    snprintf(path, sizeof path, "/privacy?after=%" PRIu64 "&limit=%d",
             *copy ? tc_ledger_get_head(*copy).seq : 0, PAGE);
    TC_TRY(tc_agent_request(a, &(tc_call){.method = "GET", .path = path, .bearer = a->access}, &r,
                            err));
    tacit_status status = r.status != 200 ? tc_answered_refusal(&r, "its ledger", err)
                          : r.body        ? add_page(copy, r.body, more, err)
                                          : tc_answered_strange("a ledger that is not JSON", err);
    tc_answered_fini(&r);
    return status;
}

static tacit_status get_pages(tc_agent *a, tc_ledger **copy, tacit_error *err)
{
    for (bool more = true; more;)
        TC_TRY(get_page(a, copy, &more, err));
    return TACIT_OK;
}

/* Does it extend what was seen? If not, what a coordinator that was restored says may explain it. */
static tacit_status check_extends(tc_agent *a, const tc_ledger *l, tacit_error *err)
{
    tacit_error why = {0};
    tacit_head last = {0}, now = tc_ledger_get_head(l);
    uint64_t version;
    bool anew = false;
    TC_TRY(load(a, &last, &version, err));
    bool extends = version == 0 || tc_ledger_check_seen(l, &last, &why) == TACIT_OK;
    TC_TRY(tc_coordinator_restored_check(a, l, &last, extends ? NULL : &why, &anew, err));
    return anew ? keep(a, &now, version, err) : TACIT_OK;
}

/* Everything anew. The copy stays what it was unless the new one extends it. */
static tacit_status read_all(tc_agent *a, tacit_error *err)
{
    tc_ledger *copy = NULL;
    tacit_error why = {0};
    tacit_status status = get_pages(a, &copy, &why);
    if (status != TACIT_OK) /* what it says is no damage of ours */
        status = tc_pass_on(err, status == TACIT_E_CORRUPT ? TACIT_E_STATE : status, &why);
    else
        status = check_extends(a, copy, err);
    if (status == TACIT_OK) {
        tc_ledger_close(a->theirs);
        a->theirs = copy;
        return TACIT_OK;
    }
    tc_ledger_close(copy);
    return status;
}

/* Stores the newest head as the last one seen. */
static tacit_status keep_newer(tc_agent *a, tacit_error *err)
{
    tacit_head now = tc_ledger_get_head(a->theirs), last = {0};
    uint64_t version;
    TC_TRY(load(a, &last, &version, err));
    return now.seq > last.seq ? keep(a, &now, version, err) : TACIT_OK;
}

static tacit_status read_ledger(tc_agent *a, tacit_error *err)
{
    tacit_error why = {0};
    if (!a->theirs)
        return read_all(a, err);
    tacit_status status = get_pages(a, &a->theirs, &why);
    if (status == TACIT_E_CORRUPT)
        return read_all(a, err);
    return status == TACIT_OK ? check_extends(a, a->theirs, err) : tc_pass_on(err, status, &why);
}

tacit_status tc_check_their_head(tc_agent *a, tacit_error *err)
{
    TC_TRY(read_ledger(a, err));
    return keep_newer(a, err);
}

tacit_status tc_check_their_release(tc_agent *a, uint64_t round, const uint8_t *release, size_t n,
                                    bool *is_private, tacit_error *err)
{
    tacit_hash hash = tc_ledger_release_hash(release, n);
    TC_TRY(read_ledger(a, err));
    TC_TRY(check_entry(a, a->theirs, round, &hash, is_private, err));
    return keep_newer(a, err);
}
