/* trustee_get.c - what a trustee is told: what it has to do next, and what it is to add up.
 *
 * A trustee believes none of it: it checks set and boxes by itself. What it is shown of a set is on disk first, because it answers
 * for one set of a round and never for another. */
#include "coord/coord_int.h"
#include "coord/shared_round.h"

#include "base/error.h"
#include "base/json.h"
#include "base/memory.h"

#include <inttypes.h>
#include <string.h>

/* ---- duty ---- */

static tacit_status has_record(tc_request_context *a, const tc_open_study *d, tc_record_kind kind,
                               uint64_t round, bool *out, tacit_error *err)
{
    tc_key key = tc_key_numbers(round, a->caller.agent);
    tc_record_range one = {.study = d->id, .kind = kind, .prefix = key.bytes, .prefix_size = key.n};
    uint64_t n;
    TC_TRY(tc_store_record_count(a->coord->cfg.store, &one, &n, err));
    *out = n > 0;
    return TACIT_OK;
}

/* Nothing comes after this round. */
static tacit_status is_last(tc_request_context *a, const tc_open_study *d, const tc_round *r,
                            bool *out, tacit_error *err)
{
    tc_study_state state;
    uint64_t version, next;
    TC_TRY(tc_state_get(a->coord, d->id, &state, &version, err));
    TC_TRY(tc_study_plan_next_round(d->plan, r->phase == TC_PHASE_NONE ? 0 : r->number + 1, &next,
                                    err));
    *out = state == TC_STUDY_CLOSED || next == TC_NO_ROUND;
    return TACIT_OK;
}

/* *duty NULL: none now. */
static tacit_status find_duty(tc_request_context *a, tc_open_study *d, const tc_round *r,
                              const char **duty, tacit_error *err)
{
    bool last, done;
    tc_stored_set set;
    *duty = NULL;
    if (r->phase != TC_PHASE_OPEN && r->phase != TC_PHASE_CLOSING) {
        TC_TRY(is_last(a, d, r, &last, err));
        *duty = last ? "end" : NULL;
        return TACIT_OK;
    }
    TC_TRY(tc_stored_set_get(a->coord, d, r->number, &set, err));
    bool fixed = set.version > 0;
    tc_stored_set_fini(&set);
    TC_TRY(has_record(a, d, fixed ? TC_RECORD_TRUSTEE_RECEIPT : TC_RECORD_NOISE, r->number, &done,
                      err));
    *duty = done ? NULL : fixed ? "answer" : "deal";
    return TACIT_OK;
}

static tacit_status not_yet(tc_request_context *a, const tc_round *r, uint64_t round,
                            tacit_error *err)
{
    a->out->wait = true;
    return tc_answer_json(a, 202,
                          json_pack("{s:I, s:s, s:I}", "round", (json_int_t)round, "phase",
                                    tc_phase_name(r->phase), "deadline_ms",
                                    (json_int_t)r->deadline_ms),
                          err);
}

tacit_status tc_trustees_duty(tc_request_context *a, tacit_error *err)
{
    tc_open_study *d;
    tc_trustee_row t;
    tc_round r;
    const char *duty;
    TC_TRY(tc_request_trustee(a, &d, &t, err));
    TC_TRY(tc_round_present(a->coord, d->id, &r, err));
    TC_TRY(find_duty(a, d, &r, &duty, err));
    if (!duty)
        return not_yet(a, &r, r.number, err);
    return tc_answer_json(
        a, 200, json_pack("{s:s, s:I}", "duty", duty, "round", (json_int_t)r.number), err);
}

/* ---- shares ---- */

enum { PAGE_BYTES = 1 << 20 };

/* A page of boxes, while dealings are read. */
typedef struct page {
    const tc_open_study *open;
    const tc_trust_set *set;
    uint32_t place;
    size_t at, end; /* of the entries of the set: agents, then dealers */
    bool full;      /* before `end` */
    tc_text boxes;
} page;

static tc_set_entry entry_at(const tc_trust_set *s, size_t i)
{
    return i < s->agents ? tc_trust_set_agent(s, i) : tc_trust_set_dealer(s, i - s->agents);
}

/* The box of the next entry. Dealings that are not in the set are passed over. E_CANCELLED: no more of them are wanted. */
static tacit_status add_box(void *user, const tc_record *r, tacit_error *err)
{
    page *p = user;
    const tc_trustees *t = &p->open->plan->env.trustees;
    tc_dealing_head head;
    tacit_error why;
    if (p->at == p->end)
        return tc_fail(err, TACIT_E_CANCELLED, "the page has all that it is to have");
    if (entry_at(p->set, p->at).number != tc_key_at(r->key, 1))
        return TACIT_OK;
    if (tc_dealing_read(t, r->value, r->size, &head, &why) != TACIT_OK)
        return tc_fail(err, TACIT_E_CORRUPT, "the storage is damaged: a dealing of round %" PRIu64,
                       p->set->round);
    const size_t n = tc_dealing_box_size(t, p->place, head.words);
    p->full = p->boxes.len > 0 && p->boxes.len + n > PAGE_BYTES;
    if (p->full)
        return tc_fail(err, TACIT_E_CANCELLED, "the page is full");
    tc_text_add_bytes(&p->boxes, tc_dealing_box(t, r->value, p->place), n);
    p->at++;
    return TACIT_OK;
}

/* Up to entry `end`, from dealings of this kind. */
static tacit_status add_boxes(tc_request_context *a, page *p, tc_record_kind kind, size_t end,
                              tacit_error *err)
{
    tc_key round = tc_key_number(p->set->round), before;
    tc_record_range range = {
        .study = p->open->id, .kind = kind, .prefix = round.bytes, .prefix_size = round.n};
    tacit_error why = {0};
    p->end = end;
    if (p->at >= end || p->full)
        return TACIT_OK;
    const uint64_t first = entry_at(p->set, p->at).number;
    if (first > 0) {
        before = tc_key_numbers(p->set->round, first - 1);
        range.after = before.bytes;
        range.after_size = before.n;
    }
    tacit_status status = tc_store_record_scan(a->coord->cfg.store, &range, add_box, p, &why);
    return status == TACIT_E_CANCELLED ? TACIT_OK : tc_pass_on(err, status, &why);
}

static tacit_status read_page(tc_request_context *a, page *p, size_t end, tacit_error *err)
{
    const size_t agents = p->set->agents;
    TC_TRY(add_boxes(a, p, TC_RECORD_MESSAGE, end < agents ? end : agents, err));
    if (p->at < agents) /* the page ends there; or the round was closed meanwhile */
        return TACIT_OK;
    return add_boxes(a, p, TC_RECORD_NOISE, end, err);
}

static tacit_status answer_page(tc_request_context *a, page *p, bool first, tacit_error *err)
{
    const size_t all = p->set->agents + p->set->dealers;
    json_t *boxes = p->boxes.failed ? NULL : tc_base64_json(tc_text_get(&p->boxes), p->boxes.len);
    json_t *j = json_pack("{s:I, s:o, s:o}", "round", (json_int_t)p->set->round, "boxes", boxes,
                          "next", p->at < all ? json_integer((json_int_t)p->at) : json_null());
    if (first && j &&
        json_object_set_new(j, "set", tc_base64_json(p->set->bytes, p->set->n_bytes)) != 0) {
        json_decref(j);
        return tc_fail_memory(err);
    }
    return tc_answer_json(a, 200, j, err);
}

static tacit_status gone(tc_request_context *a, uint64_t round, tacit_error *err)
{
    return tc_refuse(a, 410, TACIT_E_STATE, err, "round %" PRIu64 " is closed: its shares are gone",
                     round);
}

/* The set of the round as it closes; *there false: it is not fixed yet, and *r says where the round stands. */
static tacit_status find_set(tc_request_context *a, const tc_open_study *d, uint64_t round,
                             tc_round *r, tc_stored_set *set, tacit_error *err)
{
    uint64_t next;
    TC_TRY(tc_study_plan_next_round(d->plan, round, &next, err));
    if (next != round)
        return tc_refuse(a, 404, TACIT_E_NOT_FOUND, err, "the study has no round %" PRIu64, round);
    TC_TRY(tc_round_find(a->coord, d->id, round, r, err));
    if (r->phase == TC_PHASE_CLOSED || r->phase == TC_PHASE_VOID)
        return gone(a, round, err);
    return tc_stored_set_get(a->coord, d, round, set, err);
}

static tacit_status show_page(tc_request_context *a, page *p, uint64_t after, uint64_t limit,
                              tacit_error *err)
{
    const size_t all = p->set->agents + p->set->dealers;
    if (after > all)
        return tc_fail(err, TACIT_E_ARG, "after must be at most %zu, the dealings of the set", all);
    p->at = (size_t)after;
    const size_t end = limit < all - p->at ? p->at + (size_t)limit : all;
    TC_TRY(read_page(a, p, end, err));
    if (p->at < end && p->boxes.len == 0) /* closed between the look and the reading */
        return gone(a, p->set->round, err);
    return answer_page(a, p, after == 0, err);
}

/* Boxes, and on the first page the set. */
tacit_status tc_shares_get(tc_request_context *a, tacit_error *err)
{
    const uint64_t since = tc_store_moment(a->coord->cfg.store);
    uint64_t round, after = 0, limit = UINT64_MAX;
    tc_open_study *d;
    tc_trustee_row t;
    tc_round r = {.phase = TC_PHASE_NONE};
    tc_stored_set set = {.version = 0};
    TC_TRY(tc_request_number(a, 1, "round", &round, err));
    TC_TRY(tc_query_number(a->q->query, "after", 0, INT64_MAX, &after, err));
    TC_TRY(tc_query_number(a->q->query, "limit", 1, INT64_MAX, &limit, err));
    TC_TRY(tc_request_trustee(a, &d, &t, err));
    TC_TRY(find_set(a, d, round, &r, &set, err));
    if (set.version == 0)
        return not_yet(a, &r, round, err);
    page p = {.open = d, .set = &set.set, .place = (uint32_t)a->caller.agent};
    tacit_status status = tc_store_wait_durable(a->coord->cfg.store, since, err);
    if (status == TACIT_OK)
        status = show_page(a, &p, after, limit, err);
    tc_text_fini(&p.boxes);
    tc_stored_set_fini(&set);
    return status;
}
