/* ledger_restored.c - a ledger that was restored from a backup says so, and counts what it forgot.
 *
 * A backup knows nothing of what was released after it. If its ledger simply went on, it would claim
 * less than was spent, and would release rounds a second time with new noise. So the chain gets a note
 * first (mechanism "restored", no values, no cost), which readers whose head is newer can point at.
 * Then every round that may have been released is charged in its own place (mechanism "lost", no
 * values, the full price): it is paid for, and since a ledger releases one thing for one (study,
 * round), it never leaves again. Where nobody can tell what was released, the note is stamped and no
 * claim of the ledger is private any more.
 *
 * Of a note, `round` is the time of the restore and `offset` that of the backup, in Unix milliseconds;
 * `adjacency` is the sentence. */
#include "privacy/ledger_int.h"

#include "privacy/mechanism.h"

#include "base/clock.h"
#include "base/error.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#define NOTE "restored"
#define LOST "lost"

/* ---- the note ---- */

/* A place of its own for each unit, beside all studies. */
static tacit_hash place_of(tacit_unit unit)
{
    char text[64];
    snprintf(text, sizeof text, "tacit restore of %s", tacit_unit_name(unit));
    return tc_ledger_study_hash(text);
}

static tacit_status note_unit(tc_ledger *l, tacit_unit unit, int64_t at_ms, tc_pledge_terms *terms,
                              tacit_error *err)
{
    tc_release *note;
    tc_ledger_receipt receipt;
    tc_ledger_charge charge = {.study = place_of(unit), .round = (uint64_t)at_ms};
    terms->unit = unit;
    TC_TRY(tc_pledge_by(&note, terms, err));
    tacit_status status = tc_ledger_release(l, NULL, &charge, note, &receipt, err);
    tc_release_free(note);
    if (status == TACIT_OK)
        tc_ledger_receipt_fini(&receipt);
    return status;
}

static bool is_note(const tc_ledger_entry *e)
{
    return tc_ledger_is_note(e) && strcmp(e->mechanism, NOTE) == 0;
}

/* Stamps of one unit are no stamps of another: so each kind gets its own. */
tacit_status tc_ledger_note_restore(tc_ledger *l, const tc_ledger_recovery *r, tacit_error *err)
{
    char at[32], of[32], say[320];
    TC_TRY(tc_ledger_catch_up(l, err));
    tc_clock_iso(at, r->at_ms);
    tc_clock_iso(of, r->of_ms);
    snprintf(say, sizeof say,
             "restored at %s from a backup of %s that ended at entry %" PRIu64 ", assuming that %s",
             at, of, tc_ledger_get_head(l).seq, r->assumes);
    tc_pledge_terms terms = {
        .event = {.mechanism = TACIT_DP_PURE, .parameter = 1, .sampling_rate = 1},
        .adjacency = say,
        .not_private = r->stamp,
        .mechanism = NOTE,
        .offset = (double)r->of_ms};
    int last = r->stamp ? TC_UNIT_LAST : TACIT_UNIT_AGENT;
    for (int unit = TACIT_UNIT_AGENT; unit <= last; unit++)
        TC_TRY(note_unit(l, (tacit_unit)unit, r->at_ms, &terms, err));
    return TACIT_OK;
}

const tc_ledger_entry *tc_ledger_uncounted(const tc_ledger *l, tacit_unit unit)
{
    for (size_t i = 0; i < l->n; i++) {
        const tc_ledger_entry *e = &l->items[i].entry;
        if (is_note(e) && !e->is_private && e->unit == unit)
            return e;
    }
    return NULL;
}

/* Finds the first of the notes of one restore. */
bool tc_ledger_restored(const tc_ledger *l, uint64_t upto, tc_ledger_restore *out)
{
    uint64_t seq = upto < l->n ? upto : l->n;
    while (seq > 0 && !is_note(&l->items[seq - 1].entry))
        seq--;
    if (seq == 0)
        return false;
    const tc_ledger_entry *e = &l->items[seq - 1].entry;
    while (seq > 1 && is_note(&l->items[seq - 2].entry) &&
           l->items[seq - 2].entry.round == e->round)
        seq--;
    e = &l->items[seq - 1].entry;
    *out = (tc_ledger_restore){.seq = seq,
                               .at_ms = (int64_t)e->round,
                               .of_ms = (int64_t)fmin(fmax(e->offset, 0), 0x1p53),
                               .say = e->adjacency,
                               .head = l->items[seq - 1].head};
    return true;
}

/* ---- what was forgotten ---- */

bool tc_ledger_is_lost(const tc_ledger_entry *e)
{
    return e->rows == 0 && strcmp(e->mechanism, LOST) == 0;
}

/* Where this study's releases were NOT PRIVATE before, those that are forgotten were it, too. */
static const char *stamp_of(const tc_ledger *l, const tacit_hash *study)
{
    for (size_t i = l->n; i > 0; i--) {
        const tc_ledger_entry *e = &l->items[i - 1].entry;
        if (tc_ledger_hash_same(&e->study, study))
            return e->is_private ? NULL : e->not_private;
    }
    return NULL;
}

tacit_status tc_ledger_charge_lost(tc_ledger *l, const tc_ledger_lost *lost, tacit_error *err)
{
    tc_pledge_terms terms = {.event = lost->event,
                             .distance = lost->distance,
                             .unit = lost->unit,
                             .single = lost->charge.subject != NULL,
                             .adjacency = lost->adjacency,
                             .not_private = lost->not_private ? lost->not_private
                                                              : stamp_of(l, &lost->charge.study),
                             .mechanism = LOST};
    tc_release *price;
    tc_ledger_receipt receipt;
    TC_TRY(tc_pledge_by(&price, &terms, err));
    tacit_status status = tc_ledger_release(l, NULL, &lost->charge, price, &receipt, err);
    tc_release_free(price);
    if (status == TACIT_OK)
        tc_ledger_receipt_fini(&receipt);
    return status;
}

/* ---- for readers ---- */

tacit_status tc_ledger_restored_json(const tc_ledger *l, json_t **out, tacit_error *err)
{
    tc_ledger_restore r;
    char at[32], of[32];
    *out = NULL;
    if (!tc_ledger_restored(l, UINT64_MAX, &r))
        return TACIT_OK;
    tc_clock_iso(at, r.at_ms);
    tc_clock_iso(of, r.of_ms);
    *out = json_pack("{s:s, s:s, s:I, s:s}", "at", at, "backup_of", of, "entries",
                     (json_int_t)(r.seq - 1), "notice", r.say);
    return *out ? TACIT_OK : tc_fail_memory(err);
}
