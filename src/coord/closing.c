/* closing.c - closes the present round of a study when it is due.
 *
 * Every step can be repeated, by this process after a crash or by another at the same time:
 *
 *   1. The round is marked closing. From then on no message enters, so whoever adds them up has the same.
 *   2. The ledger gets the release of the round, exactly once (algo/close_round.h). If the budget refuses it,
 *      the round is void.
 *   3. The round is marked closed or void, and messages of rounds that have ended are erased.
 *
 * Where a study has trustees, 2. begins with them (shared_round.h): the set of the round is fixed when there is noise enough, and
 * opened when there are answers enough. Until then the round stays closing, and every tick looks again.
 *
 * A relay releases nothing here: its round is closed when all have sent or the time is up, and then messages
 * are handed on (message.c). Whether a round is due: due.c. */
#include "coord/coord_int.h"
#include "coord/events.h"
#include "coord/shared_round.h"

#include "algo/close_round.h"
#include "base/error.h"
#include "base/log.h"

#include <inttypes.h>
#include <stdio.h>

/* ---- the release ---- */

/* The messages of a round, while the store is read. */
typedef struct message_scan {
    tc_coord *coord;
    tc_open_study *open;
    uint64_t round;
    tc_round_sum *sum;
    /* Of a study with trustees: */
    const tc_round *at;
    tc_shared_progress progress;
    bool waits; /* the release is not there because trustees are to answer first */
} message_scan;

static tacit_status add_message(void *user, const tc_record *r, tacit_error *err)
{
    const message_scan *m = user;
    uint64_t agent = tc_key_at(r->key, 1);
    if (r->size == 0) /* the agent declined: it has answered, and there is nothing to add */
        return TACIT_OK;
    return tc_round_add(m->sum, agent, r->value, r->size, err);
}

static tacit_status add_messages(void *user, tc_round_sum *sum, tacit_error *err)
{
    message_scan *m = user;
    tc_key key = tc_key_number(m->round);
    tc_record_range range = {
        .study = m->open->id, .kind = TC_RECORD_MESSAGE, .prefix = key.bytes, .prefix_size = key.n};
    m->sum = sum;
    return tc_store_record_scan(m->coord->cfg.store, &range, add_message, m, err);
}

/* The log does not say why: a reason would have something of the message in it. */
static tacit_status log_left_out(void *user, uint64_t agent, const char *why, tacit_error *err)
{
    const message_scan *m = user;
    (void)why, (void)err;
    tc_log(TC_LOG_WARN,
           "study \"%s\", round %" PRIu64 ": the message of agent %" PRIu64
           " is left out: it does not go with those before it",
           m->open->name, m->round, agent);
    return TACIT_OK;
}

/* The budget allows the round, and the ledger has no release of it: the next step of its trustees. */
static tacit_status take_step(void *user, tc_release **out, tacit_error *err)
{
    message_scan *m = user;
    const tc_shared_progress *p = &m->progress;
    if (p->step == TC_SHARED_OPEN)
        return tc_shared_open(m->coord, m->open, m->round, out, err);
    if (p->step == TC_SHARED_VOID)
        return tc_fail(err, TACIT_E_STATE, "%s", p->why);
    tacit_status status = tc_shared_fix(m->coord, m->open, m->at, err);
    if (status != TACIT_OK && status != TACIT_E_CONFLICT) /* conflict: another process was first */
        return status;
    tc_emit_change(m->coord, m->open);
    m->waits = true;
    return tc_fail(err, TACIT_E_BUSY, "the trustees have not answered yet");
}

/* On success the ledger has the release of this round. */
static tacit_status release_round(tc_coord *c, tc_open_study *d, uint64_t round, message_scan *scan,
                                  tacit_error *err)
{
    const tc_study_plan *p = d->plan;
    tc_ledger_receipt receipt;
    tc_closing closing = {.algorithm = p->doc->algorithm,
                          .env = &p->env,
                          .opts = p->opts,
                          .study = d->hash,
                          .round = round,
                          .charge = tc_study_plan_charge(p, round),
                          .limit = p->limited ? &p->limit : NULL,
                          .already_private = p->doc->promise == TC_PROMISE_RECORDS,
                          .ledger = d->ledger,
                          .test_seed = c->cfg.seeded ? &c->cfg.seed : NULL,
                          .messages = add_messages,
                          .left_out = log_left_out,
                          .release = tc_has_trustees(d) ? take_step : NULL,
                          .user = scan};
    TC_TRY(tc_study_plan_price(p, round, &closing.price, err));
    TC_TRY(tc_close_round(&closing, &receipt, err));
    tc_ledger_receipt_fini(&receipt);
    return TACIT_OK;
}

/* The same where trustees add up: *waits where they are not ready, and then *next_ms is when to look again. */
static tacit_status release_shared(tc_coord *c, tc_open_study *d, const tc_round *r, bool ended,
                                   bool *waits, int64_t *next_ms, tacit_error *err)
{
    message_scan scan = {.coord = c, .open = d, .round = r->number, .at = r};
    const tc_shared_progress *p = &scan.progress;
    tacit_status status = tc_shared_renew(c, d, r->number, err);
    if (status != TACIT_OK && status != TACIT_E_CONFLICT) /* conflict: another process did it */
        return status;
    TC_TRY(tc_shared_look(c, d, r->number, ended, &scan.progress, err));
    scan.waits = p->step == TC_SHARED_WAIT;
    status = scan.waits ? TACIT_OK : release_round(c, d, r->number, &scan, err);
    *waits = scan.waits;
    if (!*waits)
        return status;
    *next_ms = p->step == TC_SHARED_WAIT ? p->next_ms : tc_coord_now(c) + tc_shared_wait_ms(d);
    return TACIT_OK;
}

static tacit_status release_summed(tc_coord *c, tc_open_study *d, uint64_t round, tacit_error *err)
{
    message_scan scan = {.coord = c, .open = d, .round = round};
    return release_round(c, d, round, &scan, err);
}

/* ---- the steps ---- */

/* Nothing begins to close after the study was paused or closed: `version` is that of the state as
 * it was read. */
static void require_state(const tc_open_study *d, uint64_t version, tc_changes *changes)
{
    tc_key key = tc_key_word("state");
    tc_changes_add(changes, TC_REQUIRE, d->id, TC_RECORD_STATE, &key, version, NULL);
}

/* E_CONFLICT: somebody else was first. *r becomes what is stored. why: the reason, where it
 * becomes VOID; else NULL.
 * state: the version of the study's state that must still be there; NULL: whatever it is by now. */
static tacit_status set_phase(tc_coord *c, tc_open_study *d, tc_round *r, tc_phase to,
                              const tacit_error *why, const uint64_t *state, tacit_error *err)
{
    tc_changes changes = {.n = 0};
    tc_round now = *r;
    now.phase = to;
    now.refused = why && why->code == TACIT_E_BUDGET;
    if (now.refused)
        tc_budget_prove(d, r->number, &now.lacks);
    snprintf(now.reason, sizeof now.reason, "%s", why ? why->msg : "");
    tc_round_change(&changes, d->id, r, &now);
    if (state)
        require_state(d, *state, &changes);
    TC_TRY(tc_changes_end(c->cfg.store, &changes, TACIT_OK, NULL, err));
    now.version++;
    *r = now;
    if (to == TC_PHASE_CLOSED || to == TC_PHASE_VOID)
        tc_count(c, to == TC_PHASE_CLOSED ? TC_COUNT_CLOSED : TC_COUNT_VOID, 1);
    tc_emit_round(c, d, r);
    return TACIT_OK;
}

/* ---- what is left behind ---- */

static tacit_status note_first(void *user, const tc_record *r, tacit_error *err)
{
    (void)err;
    *(uint64_t *)user = tc_key_at(r->key, 0);
    return TACIT_OK;
}

/* Those of one kind. */
static tacit_status sweep_kind(tc_coord *c, const tc_open_study *d, tc_record_kind kind,
                               uint64_t end, tacit_error *err)
{
    for (;;) {
        uint64_t first = end;
        tc_record_range one = {.study = d->id, .kind = kind, .most = 1};
        TC_TRY(tc_store_record_scan(c->cfg.store, &one, note_first, &first, err));
        if (first >= end)
            return TACIT_OK;
        tc_key key = tc_key_number(first);
        tc_record_range all = {
            .study = d->id, .kind = kind, .prefix = key.bytes, .prefix_size = key.n};
        TC_TRY(tc_store_record_drop(c->cfg.store, &all, err));
    }
}

/* Erases contributions to rounds below `end`: also those that a process left behind which died, or
 * was refused by its store, after the round was marked closed. Where another process has erased them, this
 * one may still have those in memory that it took. */
static tacit_status sweep(tc_coord *c, tc_open_study *d, uint64_t end, tacit_error *err)
{
    static const tc_record_kind kinds[] = {TC_RECORD_MESSAGE, TC_RECORD_NOISE, TC_RECORD_SHARE_SUM};
    const size_t n = tc_has_trustees(d) ? sizeof kinds / sizeof *kinds : 1;
    for (size_t i = 0; i < n; i++)
        TC_TRY(sweep_kind(c, d, kinds[i], end, err));
    tc_store_forget(c->cfg.store);
    d->swept = end;
    return TACIT_OK;
}

/* A relay keeps messages to hand them on. */
static tacit_status sweep_ended(tc_coord *c, tc_open_study *d, const tc_round *r, tacit_error *err)
{
    bool over = r->phase == TC_PHASE_CLOSED || r->phase == TC_PHASE_VOID;
    uint64_t end = r->phase == TC_PHASE_NONE ? 0 : over ? r->number + 1 : r->number;
    if (!d->plan->doc->algorithm->aggregator || d->swept >= end)
        return TACIT_OK;
    return sweep(c, d, end, err);
}

/* ---- */

/* A deadline further away than any that is given now is from a clock that was ahead of ours: the round begins
 * its time anew. A little further it may be: clocks of several processes differ. */
static tacit_status renew_far_deadline(tc_coord *c, const tc_open_study *d, tc_round *r,
                                       tacit_error *err)
{
    enum { APART_MS = 60000 };
    int64_t most = (int64_t)(2000 * d->plan->doc->deadline_s) + APART_MS;
    tc_changes changes = {.n = 0};
    if (r->phase != TC_PHASE_OPEN || r->deadline_ms - tc_coord_now(c) <= most ||
        !tc_coord_is_sure(c))
        return TACIT_OK;
    tc_round now = *r;
    now.deadline_ms = tc_round_deadline(c, d->plan->doc);
    tc_round_change(&changes, d->id, r, &now);
    TC_TRY(tc_changes_end(c->cfg.store, &changes, TACIT_OK, NULL, err));
    return tc_round_present(c, d->id, r, err);
}

/* Of a study with trustees, where a process died between the last enrolment and that. */
static tacit_status fix_roster(tc_coord *c, tc_open_study *d, tacit_error *err)
{
    bool fixed;
    pthread_mutex_lock(&d->quick);
    bool shown = d->roster != NULL;
    pthread_mutex_unlock(&d->quick);
    return shown ? TACIT_OK : tc_roster_fix(c, NULL, d, &fixed, err);
}

/* The life of a round, from the first look at it to the erasure of its messages: the steps at the head of this file.
 * Where the process dies, the next call, of any process, begins again and goes on from the phase that is stored. */
static tacit_status close_locked(tc_coord *c, tc_open_study *d, int64_t *next_ms, tacit_error *err)
{
    bool sums = d->plan->doc->algorithm->aggregator != NULL, unready = false;
    tc_round r;
    tc_study_state state;
    uint64_t version;
    bool due;
    tacit_error why = {0};
    TC_TRY(fix_roster(c, d, err));
    TC_TRY(tc_round_present(c, d->id, &r, err));
    TC_TRY(tc_state_get(c, d->id, &state, &version, err));
    if (state == TC_STUDY_RUNNING)
        TC_TRY(renew_far_deadline(c, d, &r, err));
    TC_TRY(tc_emit_found(c, d, &r, state, err));
    tc_stuck_watch(c, d, &r, state == TC_STUDY_RUNNING);

    TC_TRY(tc_round_is_due(c, d, &r, state, &due, err));
    if (!due) {
        bool waits = r.phase == TC_PHASE_OPEN && state == TC_STUDY_RUNNING;
        if (waits && r.deadline_ms > 0 && tc_coord_is_sure(c))
            *next_ms = r.deadline_ms;
        return sweep_ended(c, d, &r, err);
    }

    /* The operator has closed the study: the open round ends without a release. */
    tacit_status status = TACIT_OK;
    if (r.phase == TC_PHASE_OPEN && state == TC_STUDY_CLOSED)
        status = tc_fail(&why, TACIT_E_STATE, "the study was closed before round %" PRIu64 " ended",
                         r.number);

    /* From here on no message enters, so every process adds up the same ones. */
    if (status == TACIT_OK && r.phase == TC_PHASE_OPEN)
        TC_TRY(set_phase(c, d, &r, TC_PHASE_CLOSING, NULL, &version, err));

    /* A release that stands in the ledger already is found there and not made again. */
    if (status == TACIT_OK && tc_has_trustees(d))
        status = release_shared(c, d, &r, state == TC_STUDY_CLOSED, &unready, next_ms, &why);
    else if (status == TACIT_OK && sums)
        status = release_summed(c, d, r.number, &why);

    if (unready)
        return sweep_ended(c, d, &r, err);
    if (status == TACIT_OK)
        TC_TRY(set_phase(c, d, &r, TC_PHASE_CLOSED, NULL, NULL, err));
    else if (status == TACIT_E_BUDGET || status == TACIT_E_STATE)
        TC_TRY(set_phase(c, d, &r, TC_PHASE_VOID, &why, NULL, err));
    else /* E_CONFLICT is the ledger's and stays a failure: no other process closes the round */
        return tc_fail(err, status == TACIT_E_CONFLICT ? TACIT_E_INTERNAL : status,
                       "round %" PRIu64 ": %.400s", r.number, why.msg);
    return sweep_ended(c, d, &r, err);
}

tacit_status tc_close_due(tc_coord *c, tc_open_study *d, int64_t *next_ms, tacit_error *err)
{
    tacit_error why = {0};
    *next_ms = INT64_MAX;
    pthread_mutex_lock(&d->lock);
    tacit_status status = close_locked(c, d, next_ms, &why);
    pthread_mutex_unlock(&d->lock);
    if (status == TACIT_E_CONFLICT) /* another process closes it */
        return TACIT_OK;
    return tc_pass_on(err, status, &why);
}
