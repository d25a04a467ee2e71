/* ledger_api.c - include/tacit/ledger.h but for opening storages (src/study) and releasing
 * (ledger_release_api.c).
 *
 * Thin: every rule is in privacy/ledger.h and the stores. Whoever asks about what is spent first
 * takes in what others have added. */
#include "privacy/ledger_api_int.h"
#include "privacy/ledger_int.h"

#include "base/error.h"
#include "base/json.h"
#include "base/memory.h"
#include "privacy/public.h"

#include <sodium.h>
#include <string.h>

static TC_SIZED(sized_spent, tacit_spent, not_private, relation);
static TC_SIZED(sized_entry, tacit_ledger_entry, head, relation);

void tacit_hash_text(const tacit_hash *h, char out[65])
{
    if (out && h)
        sodium_bin2hex(out, 65, h->bytes, sizeof h->bytes);
    else if (out)
        *out = '\0';
}

/* ---- birth and end */

static tacit_status publish(tacit_ledger **out, tacit_ledger *l, tacit_status status)
{
    if (status == TACIT_OK)
        *out = l;
    else
        tacit_ledger_close(l);
    return status;
}

tacit_status tc_ledger_handle(tacit_ledger **out, const char *name, const tc_ledger_io *io,
                              void *storage, void (*close)(void *storage), tacit_error *err)
{
    tacit_ledger *l = tc_alloc(1, sizeof *l);
    if (!l) {
        close(storage);
        return tc_fail_memory(err);
    }
    *l = (tacit_ledger){.io = *io, .storage = storage, .close = close};
    return publish(out, l, tc_ledger_open(&l->ledger, name, &l->io, err));
}

tacit_status tc_ledger_handle_set_not_private(tacit_ledger *l, const char *why, tacit_error *err)
{
    char *kept = *why ? tc_strdup(why) : NULL;
    if (*why && !kept)
        return tc_fail_memory(err);
    tc_free(l->not_private);
    l->not_private = kept;
    return TACIT_OK;
}

static tacit_status import_into(tacit_ledger *l, const json_t *j, tacit_error *err)
{
    const json_t *why = json_object_get(j, "not_private");
    TC_TRY(tc_ledger_from_json(&l->ledger, j, err));
    if (why && !json_is_string(why))
        return tc_fail(err, TACIT_E_ARG, "not_private must be a string, got %s", tc_json_kind(why));
    return why ? tc_ledger_handle_set_not_private(l, json_string_value(why), err) : TACIT_OK;
}

tacit_status tacit_ledger_import(tacit_ledger **out, const char *json, tacit_error *err)
{
    json_t *j = NULL;
    TC_GIVEN(out);
    TC_GIVEN(json);
    TC_TRY(tc_json_parse(json, strlen(json), "the exported ledger", &j, err));
    tacit_ledger *l = tc_alloc(1, sizeof *l);
    tacit_status status = l ? import_into(l, j, err) : tc_fail_memory(err);
    json_decref(j);
    return publish(out, l, status);
}

void tacit_ledger_close(tacit_ledger *l)
{
    if (!l)
        return;
    tc_ledger_close(l->ledger);
    if (l->close)
        l->close(l->storage);
    tc_free(l->not_private);
    tc_free(l);
}

/* ---- asking */

const char *tacit_ledger_name(const tacit_ledger *l)
{
    return l ? tc_ledger_name(l->ledger) : "";
}

const char *tacit_ledger_not_private(const tacit_ledger *l)
{
    return l && l->not_private ? l->not_private : "";
}

tc_ledger *tc_ledger_of(tacit_ledger *l)
{
    return l->ledger;
}

tacit_status tacit_ledger_head(tacit_ledger *l, tacit_head *out, tacit_error *err)
{
    TC_GIVEN(l);
    TC_GIVEN(out);
    TC_TRY(tc_ledger_catch_up(l->ledger, err));
    *out = tc_ledger_get_head(l->ledger);
    return TACIT_OK;
}

tacit_status tacit_ledger_until(tacit_ledger **out, const tacit_ledger *l, uint64_t seq,
                                tacit_error *err)
{
    TC_GIVEN(out);
    TC_GIVEN(l);
    tacit_ledger *then = tc_alloc(1, sizeof *then);
    tacit_status status =
        then ? tc_ledger_until(&then->ledger, l->ledger, seq, err) : tc_fail_memory(err);
    return publish(out, then, status);
}

/* Whoever wrote such an entry into a file: no accountant here has a bound for it. */
static tacit_status check_sampling(const tc_ledger *l, tacit_unit unit, tacit_error *err)
{
    uint64_t n = tc_ledger_get_head(l).seq;
    for (uint64_t seq = 1; seq <= n; seq++) {
        const tc_ledger_entry *e = tc_ledger_get(l, seq, NULL);
        if (e->unit != unit || tc_sampling_is_proved(&e->event, e->relation))
            continue;
        tacit_status status = tacit_unit_check(unit, tc_dp_event_rate(&e->event), err);
        if (status != TACIT_OK) {
            tc_fail_in(err, "no guarantee: ledger entry %llu", (unsigned long long)seq);
            return status;
        }
    }
    return TACIT_OK;
}

/* The subject of a claim must not be the caller's own text, which may be gone tomorrow. */
static const char *own_subject(const tc_ledger *l, const char *subject)
{
    uint64_t n = tc_ledger_get_head(l).seq;
    for (uint64_t seq = 1; seq <= n; seq++) {
        const char *mine = tc_ledger_get(l, seq, NULL)->subject;
        if (strcmp(mine, subject) == 0)
            return mine;
    }
    return "";
}

static tacit_status claim_of(tacit_ledger *l, tacit_unit unit, const char *subject,
                             const char *accountant, double delta, tc_ledger_claim *out,
                             tacit_error *err)
{
    const tc_accountant *a = NULL;
    TC_TRY(tc_check_unit(unit, err));
    if (accountant) /* NULL: what is proved without the caller's word */
        TC_TRY(tc_accountant_get(&a, accountant, err));
    TC_TRY(tc_ledger_catch_up(l->ledger, err));
    TC_TRY(check_sampling(l->ledger, unit, err));
    return tc_ledger_guarantee(l->ledger, unit, subject, delta, a, out, err);
}

tacit_status tacit_ledger_spent(tacit_ledger *l, tacit_unit unit, const char *subject,
                                const char *accountant, double delta, tacit_spent *out,
                                tacit_error *err)
{
    tc_ledger_claim c;
    TC_GIVEN(l);
    TC_TRY(tc_sized_check(&sized_spent, out, "out", err));
    TC_TRY(claim_of(l, unit, subject, accountant, delta, &c, err));
    tacit_spent spent = {.epsilon = c.bound.epsilon,
                         .lower = c.bound.lower,
                         .delta = c.bound.delta,
                         .accountant = c.bound.accountant,
                         .releases = c.entries,
                         .subject = own_subject(l->ledger, c.subject),
                         .is_private = c.is_private,
                         .not_private = c.not_private,
                         .relation = tacit_relation_name(c.relation)};
    tc_sized_give(&sized_spent, out, &spent);
    return TACIT_OK;
}

tacit_status tacit_ledger_statement(tacit_ledger *l, tacit_unit unit, const char *subject,
                                    const char *accountant, double delta, char **text,
                                    tacit_error *err)
{
    tc_ledger_claim c;
    TC_GIVEN(l);
    TC_GIVEN(text);
    TC_TRY(claim_of(l, unit, subject, accountant, delta, &c, err));
    tc_text words = {0};
    tc_ledger_statement(l->ledger, &c, &words);
    return tc_text_hand_out(&words, text, err);
}

tacit_status tacit_ledger_get(const tacit_ledger *l, uint64_t seq, tacit_ledger_entry *out,
                              tacit_error *err)
{
    TC_GIVEN(l);
    TC_TRY(tc_sized_check(&sized_entry, out, "out", err));
    uint64_t n = tc_ledger_get_head(l->ledger).seq;
    if (seq < 1 || seq > n)
        return tc_fail(err, TACIT_E_NOT_FOUND,
                       "there is no entry %llu; the ledger \"%s\" has %llu, counted from 1",
                       (unsigned long long)seq, tacit_ledger_name(l), (unsigned long long)n);
    tacit_head head;
    const tc_ledger_entry *e = tc_ledger_get(l->ledger, seq, &head);
    tacit_ledger_entry entry = {.seq = e->seq,
                                .study = e->study,
                                .round = e->round,
                                .subject = e->subject,
                                .unit = e->unit,
                                .event = e->event,
                                .distance = e->distance,
                                .mechanism = e->mechanism,
                                .adjacency = e->adjacency,
                                .is_private = e->is_private,
                                .not_private = e->not_private,
                                .rows = e->rows,
                                .cols = e->cols,
                                .offset = e->offset,
                                .step = e->step,
                                .release = e->release,
                                .head = head.hash,
                                .relation = tacit_relation_name(tc_ledger_relation(e))};
    tc_sized_give(&sized_entry, out, &entry);
    return TACIT_OK;
}

/* ---- for strangers */

tacit_status tacit_ledger_export(tacit_ledger *l, char **json, tacit_error *err)
{
    TC_GIVEN(l);
    TC_GIVEN(json);
    TC_TRY(tc_ledger_catch_up(l->ledger, err));
    json_t *j = tc_ledger_json(l->ledger);
    bool whole = j && (!l->not_private ||
                       json_object_set_new(j, "not_private", json_string(l->not_private)) == 0);
    char *text = whole ? tc_json_text(j) : NULL;
    json_decref(j);
    if (!text)
        return tc_fail_memory(err);
    *json = text;
    return TACIT_OK;
}

/* What is in the store now must extend what this handle has read, and what was seen. */
static tacit_status read_again(const tacit_ledger *l, tacit_error *err)
{
    tc_ledger *fresh = NULL;
    tacit_head known = tc_ledger_get_head(l->ledger);
    TC_TRY(tc_ledger_open(&fresh, tc_ledger_name(l->ledger), &l->io, err));
    tacit_status status = tc_ledger_check_seen(fresh, &known, err);
    tc_ledger_close(fresh);
    return status;
}

tacit_status tacit_ledger_verify(tacit_ledger *l, const tacit_head *seen, tacit_error *err)
{
    TC_GIVEN(l);
    if (l->storage)
        TC_TRY(read_again(l, err));
    TC_TRY(tc_ledger_catch_up(l->ledger, err));
    return seen ? tc_ledger_check_seen(l->ledger, seen, err) : TACIT_OK;
}
