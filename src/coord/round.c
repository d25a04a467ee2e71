/* round.c - the present round of a study: one record, which every step of it replaces.
 *
 * README.md has the picture. How earlier rounds ended is kept beside it, one record each. */
#include "coord/round.h"
#include "coord/coord_int.h"

#include "base/error.h"
#include "base/json.h"

#include <stdio.h>
#include <string.h>

#define PRESENT "round"

static const char *const names[] = {"none", "open", "closing", "closed", "void"};

const char *tc_phase_name(tc_phase p)
{
    return names[p];
}

static tacit_status damaged(int64_t study, tacit_error *err)
{
    return tc_fail(err, TACIT_E_CORRUPT,
                   "the storage is damaged: a round of study number %lld is not one",
                   (long long)study);
}

static bool read_phase(const json_t *j, tc_phase *out)
{
    const char *name = json_string_value(json_object_get(j, "phase"));
    for (size_t i = TC_PHASE_OPEN; name && i <= TC_PHASE_VOID; i++)
        if (strcmp(name, names[i]) == 0) {
            *out = (tc_phase)i;
            return true;
        }
    return false;
}

/* Rounds that were refused by older versions have none. */
static tc_shortage read_shortage(const json_t *j)
{
    const json_t *s = json_object_get(j, "lacks");
    return (tc_shortage){.known = json_is_object(s),
                         .requested = json_number_value(json_object_get(s, "requested")),
                         .spent = json_number_value(json_object_get(s, "spent")),
                         .remaining = json_number_value(json_object_get(s, "remaining")),
                         .delta = json_number_value(json_object_get(s, "delta"))};
}

static tacit_status read_round(const json_t *j, int64_t study, tc_round *out, tacit_error *err)
{
    int64_t number, deadline;
    const char *reason = json_string_value(json_object_get(j, "reason"));
    if (!read_phase(j, &out->phase) || !tc_json_whole(json_object_get(j, "round"), &number) ||
        number < 0 || !tc_json_whole(json_object_get(j, "deadline_ms"), &deadline))
        return damaged(study, err);
    out->number = (uint64_t)number;
    out->deadline_ms = deadline;
    out->refused = json_is_true(json_object_get(j, "refused"));
    out->lacks = read_shortage(j);
    snprintf(out->reason, sizeof out->reason, "%s", reason ? reason : "");
    return TACIT_OK;
}

static tacit_status read_key(tc_coord *c, int64_t study, tc_record_kind kind, const tc_key *key,
                             tc_round *out, tacit_error *err)
{
    json_t *j;
    tc_round r = {.phase = TC_PHASE_NONE};
    TC_TRY(tc_record_read(c->cfg.store, study, kind, key, &j, &r.version, err));
    tacit_status status = j ? read_round(j, study, &r, err) : TACIT_OK;
    json_decref(j);
    if (status == TACIT_OK)
        *out = r;
    return status;
}

tacit_status tc_round_present(tc_coord *c, int64_t study, tc_round *out, tacit_error *err)
{
    tc_key key = tc_key_word(PRESENT);
    return read_key(c, study, TC_RECORD_STATE, &key, out, err);
}

tacit_status tc_round_find(tc_coord *c, int64_t study, uint64_t number, tc_round *out,
                           tacit_error *err)
{
    tc_key key = tc_key_number(number);
    TC_TRY(tc_round_present(c, study, out, err));
    if (out->phase != TC_PHASE_NONE && out->number == number)
        return TACIT_OK;
    return read_key(c, study, TC_RECORD_ROUND, &key, out, err);
}

static json_t *shortage_json(const tc_shortage *s)
{
    return s->known ? json_pack("{s:f, s:f, s:f, s:f}", "requested", s->requested, "spent",
                                s->spent, "remaining", s->remaining, "delta", s->delta)
                    : json_null();
}

static json_t *to_json(const tc_round *r)
{
    return json_pack("{s:I, s:s, s:I, s:s, s:b, s:o}", "round", (json_int_t)r->number, "phase",
                     names[r->phase], "deadline_ms", (json_int_t)r->deadline_ms, "reason",
                     r->reason, "refused", (int)r->refused, "lacks", shortage_json(&r->lacks));
}

void tc_round_change(tc_changes *changes, int64_t study, const tc_round *was, const tc_round *now)
{
    tc_key key = tc_key_word(PRESENT), number = tc_key_number(now->number);
    tc_changes_add(changes, was->version > 0 ? TC_REPLACE : TC_INSERT, study, TC_RECORD_STATE, &key,
                   was->version, to_json(now));
    if (now->phase == TC_PHASE_CLOSED || now->phase == TC_PHASE_VOID)
        tc_changes_add(changes, TC_INSERT, study, TC_RECORD_ROUND, &number, 0, to_json(now));
}

/* Rounded up, so that the public deadline shows the arrival of the first message only to the
 * second. */
int64_t tc_round_deadline(const tc_coord *c, const tc_study_doc *d)
{
    if (!(d->deadline_s > 0))
        return 0;
    int64_t at = tc_coord_now(c) + (int64_t)(d->deadline_s * 1000);
    return (at + 999) / 1000 * 1000;
}
