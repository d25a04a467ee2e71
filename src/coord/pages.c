/* pages.c - lists that grow, page by page: studies, the roster, evidence.
 *
 * ?after=CURSOR&limit=N; "next" is the cursor of the next page, or null. A page reads its own rows and one
 * more, never those before or after it. Of agents nothing is shown that says when they were there
 * (README.md). */
#include "coord/coord_int.h"
#include "coord/request.h"

#include "base/error.h"
#include "base/json.h"
#include "wire/signature.h"

#include <inttypes.h>
#include <sodium.h>
#include <stdio.h>
#include <string.h>

enum { PAGE = 100, PAGE_MOST = 1000 };

typedef struct page {
    uint64_t most;
    json_t *list;
    bool more;
    tc_key last; /* of the last record that is on it */
} page;

static tacit_status begin(const tc_request_context *a, page *p, tacit_error *err)
{
    *p = (page){.most = PAGE};
    TC_TRY(tc_query_number(a->q->query, "limit", 1, PAGE_MOST, &p->most, err));
    p->list = json_array();
    return p->list ? TACIT_OK : tc_fail_memory(err);
}

/* Is there room for one more? If not, there is a next page. */
static bool has_room(page *p)
{
    p->more = json_array_size(p->list) == p->most;
    return !p->more;
}

static tacit_status add(page *p, json_t *one, tacit_error *err)
{
    return json_array_append_new(p->list, one) == 0 ? TACIT_OK : tc_fail_memory(err);
}

/* Takes next and the list. */
static tacit_status answer(tc_request_context *a, page *p, const char *name, json_t *next,
                           tacit_error *err)
{
    return tc_answer_json(a, 200, json_pack("{s:o, s:o}", name, p->list, "next", next), err);
}

/* ---- studies: in order of creation, a cursor is the last name seen ---- */

static tacit_status list_study(void *user, const tc_study_row *row, tacit_error *err)
{
    page *p = user;
    if (!has_room(p))
        return tc_fail(err, TACIT_E_CANCELLED, "the page is full");
    return add(p, json_string(row->name), err);
}

static tacit_status find_after(tc_request_context *a, int64_t *id, tacit_error *err)
{
    char name[128] = "";
    tc_study_row row;
    tacit_error why;
    *id = 0;
    TC_TRY(tc_query_text(a->q->query, "after", name, sizeof name, err));
    if (!*name)
        return TACIT_OK;
    tacit_status status = tc_store_study_get(a->coord->cfg.store, name, &row, &why);
    if (status == TACIT_E_NOT_FOUND)
        return tc_fail(err, status, "after is no study, or no longer: \"%s\"", name);
    if (status != TACIT_OK)
        return tc_pass_on(err, status, &why);
    *id = row.id;
    tc_study_row_fini(&row);
    return TACIT_OK;
}

tacit_status tc_studies_list(tc_request_context *a, tacit_error *err)
{
    page p;
    int64_t after;
    TC_TRY(find_after(a, &after, err));
    TC_TRY(begin(a, &p, err));
    tacit_status status =
        tc_store_study_list_after(a->coord->cfg.store, after, list_study, &p, err);
    if (status != TACIT_OK && !(status == TACIT_E_CANCELLED && p.more)) {
        json_decref(p.list);
        return status;
    }
    json_t *last = p.more ? json_incref(json_array_get(p.list, p.most - 1)) : json_null();
    return answer(a, &p, "studies", last, err);
}

/* ---- records of one study ---- */

/* Reads the records after `after`, and one more than the page takes. */
static tacit_status read_records(tc_request_context *a, tc_record_kind kind, const tc_key *after,
                                 page *p, tc_record_visit visit, tacit_error *err)
{
    tc_open_study *d;
    TC_TRY(tc_request_federated(a, &d, err));
    TC_TRY(begin(a, p, err));
    tc_record_range range = {.study = d->id,
                             .kind = kind,
                             .after = after->bytes,
                             .after_size = after->n,
                             .most = p->most + 1};
    tacit_status status = tc_store_record_scan(a->coord->cfg.store, &range, visit, p, err);
    if (status != TACIT_OK)
        json_decref(p->list);
    return status;
}

/* ---- the roster ---- */

/* NULL: no memory, or a key that is none. */
static json_t *agent_json(uint64_t agent, const json_t *record)
{
    const char *key = json_string_value(json_object_get(record, "key"));
    char hex[2 * TC_LEDGER_HASH_BYTES + 1];
    tc_public_key k;
    if (!key || !tc_base64_read(key, k.bytes, sizeof k.bytes))
        return NULL;
    tacit_hash h = tc_hash_bytes(k.bytes, sizeof k.bytes);
    sodium_bin2hex(hex, sizeof hex, h.bytes, sizeof h.bytes);
    return json_pack("{s:I, s:s, s:b, s:b}", "agent", (json_int_t)agent, "fingerprint", hex,
                     "revoked", (int)json_is_true(json_object_get(record, "revoked")), "withdrawn",
                     (int)json_is_true(json_object_get(record, "withdrawn")));
}

static tacit_status list_agent(void *user, const tc_record *r, tacit_error *err)
{
    page *p = user;
    json_t *record;
    if (!has_room(p))
        return TACIT_OK;
    TC_TRY(tc_record_json(r, &record, err));
    tacit_status status = add(p, agent_json(tc_key_at(r->key, 0), record), err);
    json_decref(record);
    p->last = tc_key_number(tc_key_at(r->key, 0));
    return status;
}

tacit_status tc_roster_list(tc_request_context *a, tacit_error *err)
{
    page p;
    uint64_t number = UINT64_MAX;
    TC_TRY(tc_query_number(a->q->query, "after", 0, INT64_MAX, &number, err));
    tc_key after = number == UINT64_MAX ? (tc_key){.n = 0} : tc_key_number(number);
    TC_TRY(read_records(a, TC_RECORD_AGENT, &after, &p, list_agent, err));
    json_t *next = p.more ? json_integer((json_int_t)tc_key_at(p.last.bytes, 0)) : json_null();
    return answer(a, &p, "agents", next, err);
}

/* ---- evidence: a cursor is ROUND.AGENT ---- */

static json_t *evidence_json(const tc_record *r, const json_t *record)
{
    return json_pack("{s:I, s:I, s:O, s:O}", "round", (json_int_t)tc_key_at(r->key, 0), "agent",
                     (json_int_t)tc_key_at(r->key, 1), "sequence",
                     json_object_get(record, "sequence"), "key", json_object_get(record, "key"));
}

static tacit_status list_evidence(void *user, const tc_record *r, tacit_error *err)
{
    page *p = user;
    json_t *record;
    if (!has_room(p))
        return TACIT_OK;
    TC_TRY(tc_record_json(r, &record, err));
    tacit_status status = add(p, evidence_json(r, record), err);
    json_decref(record);
    p->last = tc_key_numbers(tc_key_at(r->key, 0), tc_key_at(r->key, 1));
    return status;
}

static tacit_status read_place(const tc_request_context *a, tc_key *out, tacit_error *err)
{
    char text[128] = "";
    unsigned long long round, agent;
    *out = (tc_key){.n = 0};
    TC_TRY(tc_query_text(a->q->query, "after", text, sizeof text, err));
    if (!*text)
        return TACIT_OK;
    char *dot = strchr(text, '.');
    if (dot)
        *dot = 0;
    if (!dot || !tc_parse_u64(text, &round) || !tc_parse_u64(dot + 1, &agent))
        return tc_fail(err, TACIT_E_ARG, "after must be ROUND.AGENT, as \"next\" gives it");
    *out = tc_key_numbers(round, agent);
    return TACIT_OK;
}

tacit_status tc_evidence_list(tc_request_context *a, tacit_error *err)
{
    page p;
    tc_key after;
    char next[64] = "";
    TC_TRY(read_place(a, &after, err));
    TC_TRY(read_records(a, TC_RECORD_EVIDENCE, &after, &p, list_evidence, err));
    if (p.more)
        snprintf(next, sizeof next, "%" PRIu64 ".%" PRIu64, tc_key_at(p.last.bytes, 0),
                 tc_key_at(p.last.bytes, 1));
    return answer(a, &p, "evidence", p.more ? json_string(next) : json_null(), err);
}
