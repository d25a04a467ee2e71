/* trustee.c - the trustees of a study: their records, the operator's list of them, and their end.
 *
 * A trustee has a place, a key and one access token at a time. Before the roster is fixed (roster_fixed.c) revoking one
 * frees its place; afterwards it keeps its place and counts as absent, for the roster has its key. Its record counts
 * what it did: nothing of that is secret, for a set says who dealt and answers are of trustees, not of agents. */
#include "coord/trustee.h"
#include "coord/audited.h"
#include "coord/coord_int.h"
#include "coord/roster.h"

#include "base/error.h"
#include "base/json.h"

#include <inttypes.h>
#include <sodium.h>
#include <stdio.h>
#include <string.h>

enum { ATTEMPTS = 32 };

/* ---- the record ---- */

static json_t *row_json(const tc_trustee_row *t)
{
    return json_pack("{s:o, s:b, s:o, s:o, s:I, s:I, s:I, s:I, s:s}", "key",
                     tc_base64_json(t->key.bytes, sizeof t->key.bytes), "revoked", (int)t->revoked,
                     "access", tc_base64_json(t->access.bytes, sizeof t->access.bytes), "joined",
                     tc_base64_json(t->joined.bytes, sizeof t->joined.bytes), "answered",
                     (json_int_t)t->answered, "refused", (json_int_t)t->refused, "wrong",
                     (json_int_t)t->wrong, "conflicts", (json_int_t)t->conflicts, "refusal",
                     t->refusal);
}

static bool read_bytes(const json_t *j, const char *field, void *out, size_t n)
{
    const char *text = json_string_value(json_object_get(j, field));
    return text && tc_base64_read(text, out, n);
}

static bool read_count(const json_t *j, const char *field, uint64_t *out)
{
    int64_t n = -1;
    (void)tc_json_whole(json_object_get(j, field), &n);
    *out = (uint64_t)n;
    return n >= 0;
}

static bool read_row(const json_t *j, tc_trustee_row *t)
{
    const char *refusal = json_string_value(json_object_get(j, "refusal"));
    t->revoked = json_is_true(json_object_get(j, "revoked"));
    snprintf(t->refusal, sizeof t->refusal, "%s", refusal ? refusal : "");
    return read_bytes(j, "key", t->key.bytes, sizeof t->key.bytes) &&
           read_bytes(j, "access", t->access.bytes, sizeof t->access.bytes) &&
           read_bytes(j, "joined", t->joined.bytes, sizeof t->joined.bytes) &&
           read_count(j, "answered", &t->answered) && read_count(j, "refused", &t->refused) &&
           read_count(j, "wrong", &t->wrong) && read_count(j, "conflicts", &t->conflicts);
}

static tacit_status damaged(uint64_t place, tacit_error *err)
{
    return tc_fail(err, TACIT_E_CORRUPT, "the storage is damaged: trustee %" PRIu64, place);
}

tacit_status tc_trustee_get(tc_coord *c, int64_t study, uint64_t place, tc_trustee_row *out,
                            tacit_error *err)
{
    tc_key key = tc_key_number(place);
    json_t *j;
    *out = (tc_trustee_row){.version = 0};
    TC_TRY(tc_record_read(c->cfg.store, study, TC_RECORD_TRUSTEE, &key, &j, &out->version, err));
    if (!j)
        return tc_fail(err, TACIT_E_NOT_FOUND, "there is no trustee %" PRIu64, place);
    bool ok = read_row(j, out);
    json_decref(j);
    return ok ? TACIT_OK : damaged(place, err);
}

void tc_trustee_change(tc_changes *changes, int64_t study, uint64_t place, const tc_trustee_row *t)
{
    tc_key key = tc_key_number(place);
    tc_changes_add(changes, t->version > 0 ? TC_REPLACE : TC_INSERT, study, TC_RECORD_TRUSTEE, &key,
                   t->version, row_json(t));
}

static tacit_status take_row(void *user, const tc_record *r, tacit_error *err)
{
    tc_trustee_row *rows = user;
    uint64_t place = tc_key_at(r->key, 0);
    json_t *j;
    if (place >= TC_TRUSTEES_MOST)
        return damaged(place, err);
    TC_TRY(tc_record_json(r, &j, err));
    bool ok = read_row(j, &rows[place]);
    rows[place].version = r->version;
    json_decref(j);
    return ok ? TACIT_OK : damaged(place, err);
}

tacit_status tc_trustees_read(tc_coord *c, int64_t study, tc_trustee_row out[TC_TRUSTEES_MOST],
                              tacit_error *err)
{
    tc_record_range all = {.study = study, .kind = TC_RECORD_TRUSTEE};
    memset(out, 0, TC_TRUSTEES_MOST * sizeof *out);
    return tc_store_record_scan(c->cfg.store, &all, take_row, out, err);
}

tacit_status tc_trustees_count(tc_coord *c, int64_t study, uint64_t *out, tacit_error *err)
{
    tc_record_range all = {.study = study, .kind = TC_RECORD_TRUSTEE};
    return tc_store_record_count(c->cfg.store, &all, out, err);
}

tacit_status tc_trustees_revoked(tc_coord *c, int64_t study, uint32_t *out, tacit_error *err)
{
    tc_trustee_row rows[TC_TRUSTEES_MOST];
    TC_TRY(tc_trustees_read(c, study, rows, err));
    *out = 0;
    for (uint32_t k = 0; k < TC_TRUSTEES_MOST; k++)
        *out |= (uint32_t)(rows[k].version > 0 && rows[k].revoked) << k;
    return TACIT_OK;
}

/* ---- who asks, about what ---- */

tacit_status tc_request_trusted(tc_request_context *a, tc_open_study **out, tacit_error *err)
{
    *out = NULL;
    TC_TRY(tc_request_federated(a, out, err));
    return tc_has_trustees(*out) ? TACIT_OK
                                 : tc_refuse(a, 409, TACIT_E_STATE, err,
                                             "study \"%s\" has no trustees", (*out)->name);
}

tacit_status tc_request_trustee(tc_request_context *a, tc_open_study **out, tc_trustee_row *t,
                                tacit_error *err)
{
    TC_TRY(tc_request_trusted(a, out, err));
    TC_TRY(tc_trustee_get(a->coord, (*out)->id, a->caller.agent, t, err));
    return t->revoked ? tc_refuse(a, 403, TACIT_E_ARG, err, "this trustee was revoked") : TACIT_OK;
}

/* ---- the list ---- */

static json_t *listed_json(uint64_t place, const tc_trustee_row *t)
{
    char hex[2 * TC_LEDGER_HASH_BYTES + 1];
    tacit_hash h = tc_hash_bytes(t->key.bytes, sizeof t->key.bytes);
    sodium_bin2hex(hex, sizeof hex, h.bytes, sizeof h.bytes);
    return json_pack("{s:I, s:s, s:b, s:I, s:I, s:I, s:I, s:s}", "trustee", (json_int_t)place,
                     "fingerprint", hex, "revoked", (int)t->revoked, "answered",
                     (json_int_t)t->answered, "refused", (json_int_t)t->refused, "wrong",
                     (json_int_t)t->wrong, "conflicts", (json_int_t)t->conflicts, "refusal",
                     t->refusal);
}

/* The places from `first` on that somebody has. */
static tacit_status add_rows(const tc_trustee_row *rows, uint64_t first, uint64_t most,
                             json_t *list, json_t **next, tacit_error *err)
{
    *next = NULL;
    for (uint64_t k = first; k < TC_TRUSTEES_MOST && !*next; k++) {
        if (rows[k].version == 0)
            continue;
        if (json_array_size(list) == most)
            *next = json_integer((json_int_t)k - 1);
        else if (json_array_append_new(list, listed_json(k, &rows[k])) != 0)
            return tc_fail_memory(err);
    }
    return TACIT_OK;
}

tacit_status tc_trustees_list(tc_request_context *a, tacit_error *err)
{
    tc_open_study *d = NULL;
    tc_trustee_row rows[TC_TRUSTEES_MOST];
    uint64_t after = UINT64_MAX, most = TC_TRUSTEES_MOST;
    json_t *list, *next;
    TC_TRY(tc_query_number(a->q->query, "after", 0, INT64_MAX, &after, err));
    TC_TRY(tc_query_number(a->q->query, "limit", 1, INT64_MAX, &most, err));
    TC_TRY(tc_request_trusted(a, &d, err));
    TC_TRY(tc_trustees_read(a->coord, d->id, rows, err));
    list = json_array();
    tacit_status status = add_rows(rows, after + 1, most, list, &next, err);
    if (status == TACIT_OK)
        return tc_answer_json(
            a, 200, json_pack("{s:o, s:o}", "trustees", list, "next", next ? next : json_null()),
            err);
    json_decref(list);
    return status;
}

/* ---- the end of one ---- */

/* Before the roster is fixed: the place is free again. */
static tacit_status leave_place(tc_request_context *a, const tc_open_study *d, uint64_t place,
                                const tc_trustee_row *t, tc_changes *changes, tacit_error *err)
{
    tc_key key = tc_key_number(place);
    TC_TRY(tc_roster_moves(a, d, changes, err));
    tc_changes_add(changes, TC_ERASE, d->id, TC_RECORD_TRUSTEE, &key, t->version, NULL);
    tc_changes_add(changes, TC_ERASE, d->id, TC_RECORD_ROUND_KEYS, &key, 1, NULL);
    return TACIT_OK;
}

static tacit_status end_trustee(tc_request_context *a, const tc_open_study *d, uint64_t place,
                                bool fixed, tc_trustee_row *t, tc_changes *changes,
                                tacit_error *err)
{
    const tc_member_row access = {.access = t->access};
    TC_TRY(tc_roster_end_access(a, &access, changes, err));
    if (!fixed)
        return leave_place(a, d, place, t, changes, err);
    t->revoked = true;
    tc_trustee_change(changes, d->id, place, t);
    return TACIT_OK;
}

static tacit_status try_revoke(tc_request_context *a, tc_open_study *d, uint64_t place,
                               tacit_error *err)
{
    tc_changes changes = {.n = 0};
    tc_trustee_row t;
    bool fixed;
    TC_TRY(tc_roster_fix(a->coord, &a->caller, d, &fixed, err));
    TC_TRY(tc_trustee_get(a->coord, d->id, place, &t, err));
    a->already = t.revoked;
    if (a->already)
        return TACIT_OK;
    tacit_status status = end_trustee(a, d, place, fixed, &t, &changes, err);
    const tc_act act = tc_act_of("trustee.revoke", d, "trustee %" PRIu64 "%s", place,
                                 fixed ? "" : "; its place is free");
    return tc_changes_log(a->coord, &a->caller, &changes, status, &act, NULL, err);
}

tacit_status tc_trustees_revoke(tc_request_context *a, tacit_error *err)
{
    tc_open_study *d = NULL;
    uint64_t place;
    TC_TRY(tc_request_number(a, 1, "trustee", &place, err));
    TC_TRY(tc_request_trusted(a, &d, err));
    tacit_status status = TACIT_E_CONFLICT;
    for (int i = 0; status == TACIT_E_CONFLICT && i < ATTEMPTS; i++)
        status = try_revoke(a, d, place, err);
    TC_TRY(status);
    a->out->closes = true;
    return tc_answer_json(a, 200,
                          json_pack("{s:I, s:b}", "trustee", (json_int_t)place, "revoked", 1), err);
}
