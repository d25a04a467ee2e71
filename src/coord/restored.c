/* restored.c - a coordinator's store that comes from a backup: what it forgot is counted and over.
 *
 * Called on the copy of a backup before anybody serves it (restore_api.c). For every
 * federated study, from its ledger's side (privacy/ledger_restored.c) and from its rounds':
 *
 *   1. The ledger notes the restore, so that agents who saw a newer head can read why.
 *   2. The next rounds, as many as may have been released since the backup, are charged at their price
 *      and void. So what was spent is at most what the ledger says, and no round is released twice.
 *   3. A round that was open when the backup was made is void, too: contributions to it are not in a
 *      backup.
 *
 * No more than the planned rounds can have been released, and none of a study that was closed; unless it
 * was erased and another one was made under its name, which charges the same ledger. The note says what
 * was assumed. Other ledgers of the store (of curators, of agents, of studies that were erased) have no
 * plan to count by: unless it is said that nothing was released, all that they claim is stamped NOT
 * PRIVATE. */
#include "coord/coord_int.h"
#include "coord/round.h"

#include "algo/charge.h"
#include "base/clock.h"
#include "base/error.h"
#include "base/memory.h"
#include "study/audit.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

typedef struct restoring {
    tc_coord *coord;
    tc_restore_times at;
    const tacit_restore_opts *opts;
    char of[32];      /* the time of the backup */
    char assumes[96]; /* what every claim rests on from now on */
    char stamp[160];  /* of a ledger that nobody can count for */
    bool seeded;      /* the coordinator was in test mode */
} restoring;

/* ---- one round ---- */

static tacit_status is_released(tc_open_study *d, uint64_t round, bool *out, tacit_error *err)
{
    tc_ledger_receipt r;
    tacit_error why;
    tacit_status status = tc_ledger_find(d->ledger, &d->hash, round, &r, &why);
    *out = status == TACIT_OK;
    if (*out)
        tc_ledger_receipt_fini(&r);
    return *out || status == TACIT_E_NOT_FOUND ? TACIT_OK : tc_pass_on(err, status, &why);
}

static tacit_status charge(const restoring *t, tc_open_study *d, uint64_t round, tacit_error *err)
{
    const tc_study_plan *p = d->plan;
    tc_round_charge who = tc_study_plan_charge(p, round);
    tc_ledger_lost lost = {
        .charge = {.study = d->hash, .round = round, .subject = tc_round_charge_subject(&who)},
        .unit = who.unit,
        .not_private = t->seeded ? "the coordinator's noise came from a seed (test mode)" : NULL};
    tc_round_price price;
    TC_TRY(tc_study_plan_price(p, round, &price, err));
    lost.event = price.event;
    lost.distance = price.distance;
    lost.adjacency = price.adjacency;
    return tc_ledger_charge_lost(d->ledger, &lost, err);
}

/* *r becomes what is stored. */
static tacit_status end_round(const restoring *t, const tc_open_study *d, tc_round *r,
                              uint64_t round, tc_phase phase, const char *reason, tacit_error *err)
{
    tc_changes changes = {.n = 0};
    tc_round now = {.number = round, .phase = phase, .version = r->version};
    snprintf(now.reason, sizeof now.reason, "%s", reason);
    tc_round_change(&changes, d->id, r, &now);
    tacit_status status = tc_changes_end(t->coord->cfg.store, &changes, TACIT_OK, NULL, err);
    now.version++;
    if (status == TACIT_OK)
        *r = now;
    return status;
}

static tacit_status lose(const restoring *t, tc_open_study *d, tc_round *r, uint64_t round,
                         tacit_error *err)
{
    char reason[256];
    snprintf(reason, sizeof reason,
             "round %" PRIu64 " may have been released after the backup of %s from which the "
             "coordinator was restored: it is paid for, and is not released again",
             round, t->of);
    if (d->plan->doc->algorithm->aggregator)
        TC_TRY(charge(t, d, round, err));
    return end_round(t, d, r, round, TC_PHASE_VOID, reason, err);
}

/* ---- the rounds of a study ---- */

static bool is_over(const tc_round *r)
{
    return r->phase == TC_PHASE_CLOSED || r->phase == TC_PHASE_VOID;
}

/* A process may have released a round and died before it said so: then the backup has the release. */
static tacit_status settle_present(const restoring *t, tc_open_study *d, tc_round *r,
                                   tacit_error *err)
{
    bool released = false;
    TC_TRY(tc_round_present(t->coord, d->id, r, err));
    if (r->phase == TC_PHASE_CLOSING)
        TC_TRY(is_released(d, r->number, &released, err));
    return released ? end_round(t, d, r, r->number, TC_PHASE_CLOSED, "", err) : TACIT_OK;
}

static tacit_status check_closed(tc_open_study *d, const tc_round *r, tacit_error *err)
{
    bool released;
    if (r->phase != TC_PHASE_CLOSED)
        return TACIT_OK;
    TC_TRY(is_released(d, r->number, &released, err));
    return released ? TACIT_OK
                    : tc_fail(err, TACIT_E_CORRUPT,
                              "round %" PRIu64 " was closed, and the ledger has no entry of it",
                              r->number);
}

/* A ledger that was cut short, and whose head with it, would otherwise be whole again. */
static tacit_status check_rounds(const restoring *t, tc_open_study *d, const tc_round *present,
                                 tacit_error *err)
{
    uint64_t round = 0;
    tc_round r;
    if (!d->plan->doc->algorithm->aggregator || present->phase == TC_PHASE_NONE)
        return TACIT_OK;
    for (;; round++) {
        TC_TRY(tc_study_plan_next_round(d->plan, round, &round, err));
        if (round == TC_NO_ROUND || round > present->number)
            return TACIT_OK;
        TC_TRY(tc_round_find(t->coord, d->id, round, &r, err));
        TC_TRY(check_closed(d, &r, err));
    }
}

/* The first round that has not ended. */
static tacit_status first_round(const tc_open_study *d, const tc_round *r, uint64_t *out,
                                tacit_error *err)
{
    uint64_t from = r->phase == TC_PHASE_NONE ? 0 : r->number + is_over(r);
    return tc_study_plan_next_round(d->plan, from, out, err);
}

/* How many rounds may have been released since the backup. In a closed study only the unfinished round can
 * have been. */
static tacit_status most_released(const restoring *t, const tc_open_study *d, const tc_round *r,
                                  uint64_t *out, tacit_error *err)
{
    tc_study_state state;
    uint64_t version;
    TC_TRY(tc_state_get(t->coord, d->id, &state, &version, err));
    uint64_t under_way = r->phase != TC_PHASE_NONE && !is_over(r);
    *out = t->opts->released;
    if (state == TC_STUDY_CLOSED && *out > under_way)
        *out = under_way;
    return TACIT_OK;
}

static tacit_status lose_rounds(const restoring *t, tc_open_study *d, tc_round *r,
                                tacit_restored_ledger *row, tacit_error *err)
{
    uint64_t most;
    TC_TRY(most_released(t, d, r, &most, err));
    TC_TRY(first_round(d, r, &row->next, err));
    while (row->next != TC_NO_ROUND && row->charged < most) {
        TC_TRY(lose(t, d, r, row->next, err));
        row->charged++;
        TC_TRY(first_round(d, r, &row->next, err));
    }
    return TACIT_OK;
}

/* A relay's messages are in the backup, so that its round goes on. */
static tacit_status void_open(const restoring *t, tc_open_study *d, tc_round *r,
                              tacit_restored_ledger *row, tacit_error *err)
{
    char reason[256];
    if (r->phase == TC_PHASE_NONE || is_over(r) || !d->plan->doc->algorithm->aggregator)
        return TACIT_OK;
    snprintf(reason, sizeof reason,
             "round %" PRIu64
             " was open when the backup of %s was made, from which the coordinator "
             "was restored: contributions to it are not in a backup",
             r->number, t->of);
    TC_TRY(end_round(t, d, r, r->number, TC_PHASE_VOID, reason, err));
    return first_round(d, r, &row->next, err);
}

static tacit_status note_restore(const restoring *t, tc_ledger *l, bool stamped, tacit_error *err)
{
    tc_ledger_recovery r = {.of_ms = t->at.backup_ms,
                            .at_ms = t->at.now_ms,
                            .assumes = t->assumes,
                            .stamp = stamped ? t->stamp : NULL};
    return tc_ledger_note_restore(l, &r, err);
}

static tacit_status report(const restoring *t, const tacit_restored_ledger *row, tacit_error *err)
{
    return t->opts->visit ? t->opts->visit(t->opts->user, row, err) : TACIT_OK;
}

static tacit_status restore_federated(const restoring *t, tc_open_study *d, tacit_error *err)
{
    tacit_restored_ledger row = {.size = sizeof row,
                                 .name = d->name,
                                 .entries = tc_ledger_get_head(d->ledger).seq,
                                 .not_private = t->opts->unknown};
    tc_round r;
    TC_TRY(settle_present(t, d, &r, err));
    TC_TRY(check_rounds(t, d, &r, err));
    TC_TRY(note_restore(t, d->ledger, t->opts->unknown, err));
    TC_TRY(lose_rounds(t, d, &r, &row, err));
    TC_TRY(void_open(t, d, &r, &row, err));
    return report(t, &row, err);
}

/* A store may also hold studies in which its owner is only an agent. A stored agent key tells them apart. */
static tacit_status is_agents(const restoring *t, const char *study, bool *out, tacit_error *err)
{
    tc_record mine = {.kind = TC_RECORD_KEY, .key = study, .key_size = strlen(study)}, got;
    TC_TRY(tc_store_record_find(t->coord->cfg.store, &mine, &got, err));
    *out = got.version > 0;
    tc_free((void *)got.value);
    return TACIT_OK;
}

static tacit_status restore_study(void *user, const tc_study_row *study, tacit_error *err)
{
    const restoring *t = user;
    tc_open_study *d;
    bool agents;
    TC_TRY(is_agents(t, study->name, &agents, err));
    if (agents)
        return TACIT_OK;
    TC_TRY(tc_open_study_get(t->coord, study->name, &d, err));
    tacit_status status = d->plan ? restore_federated(t, d, err) : TACIT_OK;
    tc_open_study_unref(t->coord, d);
    return status == TACIT_OK ? status : tc_fail_in(err, "study \"%s\"", study->name);
}

/* ---- other ledgers ---- */

static tacit_status note(const restoring *t, tc_ledger *l, tacit_error *err)
{
    tc_ledger_restore last;
    bool known = t->opts->released == 0;
    tacit_restored_ledger row = {.size = sizeof row,
                                 .name = tc_ledger_name(l),
                                 .entries = tc_ledger_get_head(l).seq,
                                 .next = TC_NO_ROUND,
                                 .not_private = !known};
    if (tc_ledger_restored(l, UINT64_MAX, &last) && last.at_ms == t->at.now_ms)
        return TACIT_OK; /* with its study */
    TC_TRY(note_restore(t, l, !known, err));
    return report(t, &row, err);
}

static tacit_status restore_ledger(void *user, const char *name, tacit_error *err)
{
    const restoring *t = user;
    tc_ledger_io io;
    tc_ledger *l;
    TC_TRY(tc_store_ledger(t->coord->cfg.store, name, false, &io, err));
    TC_TRY(tc_ledger_open(&l, name, &io, err));
    tacit_status status = note(t, l, err);
    tc_ledger_close(l);
    return status;
}

/* ---- */

#define SEEDED "seeded" /* the record of a coordinator that was in test mode */

static tc_record seeded_record(void)
{
    return (tc_record){.kind = TC_RECORD_SERVER, .key = SEEDED, .key_size = strlen(SEEDED)};
}

static tacit_status is_seeded(tc_store *store, bool *out, tacit_error *err)
{
    tc_record which = seeded_record(), got;
    TC_TRY(tc_store_record_find(store, &which, &got, err));
    *out = got.version > 0;
    tc_free((void *)got.value);
    return TACIT_OK;
}

tacit_status tc_seeded_keep(tc_store *store, tacit_error *err)
{
    tc_record which = seeded_record();
    tacit_error why;
    bool kept;
    TC_TRY(is_seeded(store, &kept, err));
    if (kept)
        return TACIT_OK;
    tacit_status status = tc_store_record_keep(store, &which, 0, "{}", 2, &why);
    return status == TACIT_OK || status == TACIT_E_CONFLICT ? TACIT_OK
                                                            : tc_pass_on(err, status, &why);
}

/* No epsilon is true without it: it is in the chain, in the statement, and shown to agents. */
static void word_assumption(restoring *t)
{
    uint64_t n = t->opts->released;
    if (t->opts->unknown)
        snprintf(t->assumes, sizeof t->assumes, "anything may have been released since");
    else if (n == TACIT_RELEASED_ALL)
        snprintf(t->assumes, sizeof t->assumes,
                 "no study was erased and made again under this name since");
    else if (n == 0)
        snprintf(t->assumes, sizeof t->assumes, "nothing was released since");
    else
        snprintf(t->assumes, sizeof t->assumes, "no more than %" PRIu64 " round%s released since",
                 n, n == 1 ? " was" : "s were");
}

/* Of a coordinator: an agent's storage has no operator's log. */
static tacit_status log_restore(const restoring *t, tacit_error *err)
{
    char detail[192];
    tc_audit_head head;
    const tc_audit_entry entry = {.at_ms = t->at.now_ms,
                                  .role = "storage",
                                  .token = "",
                                  .name = "",
                                  .action = "storage.restore",
                                  .outcome = "done",
                                  .study = "",
                                  .of = "",
                                  .detail = detail};
    snprintf(detail, sizeof detail, "from a backup of %s, assuming that %s", t->of, t->assumes);
    TC_TRY(tc_audit_head_get(t->coord->cfg.store, &head, err));
    return head.seq == 0 ? TACIT_OK
                         : tc_audit_change(t->coord->cfg.store, NULL, 0, &entry, NULL, err);
}

tacit_status tc_coord_restore(tc_store *store, tc_restore_times at, const tacit_restore_opts *opts,
                              tacit_error *err)
{
    restoring t = {.at = at, .opts = opts};
    tc_clock_iso(t.of, at.backup_ms);
    word_assumption(&t);
    snprintf(t.stamp, sizeof t.stamp,
             "restored from a backup of %s: what was released since is not counted", t.of);
    TC_TRY(is_seeded(store, &t.seeded, err));
    TC_TRY(tc_coord_new(&t.coord, &(tc_coord_config){.store = store}, err));
    tacit_status status = tc_store_study_list(store, restore_study, &t, err);
    if (status == TACIT_OK)
        status = tc_store_ledger_list(store, restore_ledger, &t, err);
    if (status == TACIT_OK)
        status = log_restore(&t, err);
    tc_coord_free(t.coord);
    return status;
}
