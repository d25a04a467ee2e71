/* closing.c - from the contributions of a round to one release, exactly once.
 *
 * Every step can be repeated, by this process after a crash or by another at the same time:
 *
 *   1. The round is marked closing. From then on no message enters, so whoever folds, folds the same.
 *   2. The ledger is asked for the release of this (study, round). If there is one, that is it.
 *   3. Else its cost is held against the budget; a refusal ends the round as void, nothing is spent.
 *   4. The messages are folded in agent order, noise is drawn, and the release is offered to the
 *      ledger. It commits one and hands every later comer that one; noise that lost never left.
 *      One that does not fit those before it is left out; which one that is does not depend on who
 *      folds.
 *   5. The round is marked closed, and contributions to rounds that have ended are erased.
 *
 * A relay releases nothing here: its round is closed when all have spoken or the time is up, and
 * then messages are handed on (message.c). */
#include "coord/coord_int.h"
#include "coord/events.h"
#include "coord/roster.h"

#include "algo/charge.h"
#include "base/error.h"
#include "base/log.h"
#include "base/memory.h"
#include "privacy/mechanism.h"

#include <inttypes.h>
#include <stdio.h>

/* ---- is it due? ---- */

static tacit_status count_messages(tc_coord *c, tc_open_study *d, uint64_t round, uint64_t *out,
                                   tacit_error *err)
{
    tc_key key = tc_key_number(round);
    tc_record_range range = {
        .study = d->id, .kind = TC_RECORD_MESSAGE, .prefix = key.bytes, .prefix_size = key.n};
    return tc_store_record_count(c->cfg.store, &range, out, err);
}

typedef struct revoked {
    uint64_t *agents;
    size_t n, cap;
} revoked;

static tacit_status note_revoked(void *user, const tc_record *r, tacit_error *err)
{
    revoked *v = user;
    (void)err;
    if (v->n < v->cap)
        v->agents[v->n++] = tc_roster_revoked_agent(r);
    return TACIT_OK;
}

/* Of those, who has sent nothing in this round. */
static tacit_status count_silent(tc_coord *c, const tc_open_study *d, uint64_t round,
                                 const revoked *v, uint64_t *out, tacit_error *err)
{
    *out = 0;
    for (size_t i = 0; i < v->n; i++) {
        tc_key key = tc_key_numbers(round, v->agents[i]);
        tc_record_range one = {
            .study = d->id, .kind = TC_RECORD_MESSAGE, .prefix = key.bytes, .prefix_size = key.n};
        uint64_t n;
        TC_TRY(tc_store_record_count(c->cfg.store, &one, &n, err));
        *out += n == 0;
    }
    return TACIT_OK;
}

/* Nobody waits for agents that were revoked. */
static tacit_status is_complete(tc_coord *c, const tc_open_study *d, uint64_t round, uint64_t sent,
                                bool *out, tacit_error *err)
{
    uint64_t agents = d->plan->env.agents, missing = agents - sent, silent = 0;
    *out = missing == 0;
    if (*out)
        return TACIT_OK;
    revoked v = {.agents = tc_alloc((size_t)agents, sizeof *v.agents), .cap = (size_t)agents};
    if (!v.agents)
        return tc_fail_memory(err);
    tacit_status status = tc_roster_revoked(c, d->id, note_revoked, &v, err);
    if (status == TACIT_OK)
        status = count_silent(c, d, round, &v, &silent, err);
    tc_free(v.agents);
    *out = silent >= missing;
    return status;
}

/* Private rounds wait for their public deadline or the whole roster, never for a quorum. None closes
 * while the study is paused; what has begun is ended. */
static tacit_status is_due(tc_coord *c, tc_open_study *d, const tc_round *r, tc_study_state state,
                           bool *due, tacit_error *err)
{
    uint64_t n;
    *due = r->phase == TC_PHASE_CLOSING;
    if (r->phase != TC_PHASE_OPEN || state == TC_STUDY_PAUSED)
        return TACIT_OK;
    *due = state == TC_STUDY_CLOSED || (r->deadline_ms > 0 && tc_coord_is_past(c, r->deadline_ms));
    if (*due)
        return TACIT_OK;
    TC_TRY(count_messages(c, d, r->number, &n, err));
    return is_complete(c, d, r->number, n, due, err);
}

/* ---- the sum ---- */

typedef struct folding {
    const tc_open_study *open;
    const tc_aggregator_ops *ops;
    void *state;
} folding;

/* A message that was good by itself may not go with those before it (a node that they do not have): it
 * is left out, as if it had not come, so that one agent cannot hold up a round. The log does not say more: a
 * reason would have something of the message in it. Other failures are of this process, and the round is
 * tried again. */
static tacit_status fold_one(void *user, const tc_record *r, tacit_error *err)
{
    folding *f = user;
    uint64_t round = tc_key_at(r->key, 0), agent = tc_key_at(r->key, 1);
    tacit_error why;
    if (r->size == 0) /* declined: answered, and nothing to add */
        return TACIT_OK;
    tacit_status status = f->ops->fold(f->state, agent, r->value, r->size, &why);
    if (status == TACIT_OK)
        return TACIT_OK;
    if (status != TACIT_E_ARG && status != TACIT_E_STATE)
        return tc_pass_on(err, status, &why);
    tc_log(TC_LOG_WARN,
           "study \"%s\", round %" PRIu64 ": the message of agent %" PRIu64
           " is left out: it does not go with those before it",
           f->open->name, round, agent);
    return TACIT_OK;
}

static tacit_status fold_all(tc_coord *c, tc_open_study *d, uint64_t round, folding *f,
                             tacit_error *err)
{
    tc_key key = tc_key_number(round);
    tc_record_range range = {
        .study = d->id, .kind = TC_RECORD_MESSAGE, .prefix = key.bytes, .prefix_size = key.n};
    return tc_store_record_scan(c->cfg.store, &range, fold_one, f, err);
}

/* Noise is from the OS, but in test mode from (seed, round), which stamps it. */
typedef struct source {
    tc_noise secret;
    tc_test_noise seeded;
    tc_entropy entropy;
} source;

static void source_init(source *s, const tc_coord *c, uint64_t round)
{
    if (c->cfg.seeded) {
        tc_test_noise_init(&s->seeded, c->cfg.seed, round);
        s->entropy = tc_entropy_of_test(&s->seeded);
    } else {
        tc_noise_init(&s->secret);
        s->entropy = tc_entropy_of(&s->secret);
    }
}

static void source_fini(source *s, const tc_coord *c)
{
    if (!c->cfg.seeded)
        tc_noise_fini(&s->secret);
}

static tacit_status aggregate(tc_coord *c, tc_open_study *d, uint64_t round, void *state,
                              tc_release **out, tacit_error *err)
{
    folding f = {.open = d, .ops = d->plan->doc->algorithm->aggregator, .state = state};
    source noise;
    source_init(&noise, c, round);
    tacit_status status =
        f.ops->open(state, &d->plan->env, d->plan->opts, round, &noise.entropy, err);
    source_fini(&noise, c);
    if (status == TACIT_OK)
        status = fold_all(c, d, round, &f, err);
    if (status == TACIT_OK)
        status = f.ops->close(state, out, err);
    return status;
}

static tacit_status sum(tc_coord *c, tc_open_study *d, uint64_t round, tc_release **out,
                        tacit_error *err)
{
    const tc_aggregator_ops *ops = d->plan->doc->algorithm->aggregator;
    void *state = tc_alloc(1, ops->state_size);
    tacit_error why;
    if (!state)
        return tc_fail_memory(err);
    tacit_status status = aggregate(c, d, round, state, out, &why);
    ops->fini(state);
    tc_free(state);
    if (status == TACIT_E_ARG) /* it will not be otherwise the next time */
        return tc_pass_on(err, TACIT_E_STATE, &why);
    return tc_pass_on(err, status, &why);
}

/* ---- the release ---- */

static tacit_status check_budget(tc_open_study *d, uint64_t round, tacit_error *err)
{
    tc_round_price price;
    if (!d->plan->limited)
        return TACIT_OK;
    TC_TRY(tc_study_plan_price(d->plan, round, &price, err));
    tc_round_charge c = tc_study_plan_charge(d->plan, round);
    return tc_ledger_would(d->ledger, &d->plan->limit, c.unit, tc_round_charge_subject(&c),
                           &price.event, 0, err);
}

static tacit_status release_new(tc_coord *c, tc_open_study *d, uint64_t round, tacit_error *err)
{
    tc_round_charge who = tc_study_plan_charge(d->plan, round);
    tc_ledger_charge charge = {
        .study = d->hash, .round = round, .subject = tc_round_charge_subject(&who)};
    tc_ledger_receipt receipt;
    tc_release *release = NULL;
    TC_TRY(check_budget(d, round, err));
    TC_TRY(sum(c, d, round, &release, err));
    if (d->plan->doc->promise == TC_PROMISE_RECORDS)
        tc_release_set_processed(release);
    tacit_status status = tc_ledger_release(d->ledger, d->plan->limited ? &d->plan->limit : NULL,
                                            &charge, release, &receipt, err);
    if (status == TACIT_OK)
        tc_ledger_receipt_fini(&receipt);
    tc_release_free(release);
    return status;
}

/* Its release left before the store was restored from a backup (restored.c), or may have. */
static tacit_status refuse_lost(const tc_open_study *d, uint64_t seq, uint64_t round,
                                tacit_error *err)
{
    if (!tc_ledger_is_lost(tc_ledger_get(d->ledger, seq, NULL)))
        return TACIT_OK;
    return tc_fail(err, TACIT_E_STATE,
                   "round %" PRIu64 " may have been released before the coordinator was restored "
                   "from a backup",
                   round);
}

/* Once it returns, the ledger has the release of this round. */
static tacit_status release(tc_coord *c, tc_open_study *d, uint64_t round, tacit_error *err)
{
    tc_ledger_receipt receipt;
    tacit_error why;
    TC_TRY(tc_ledger_catch_up(d->ledger, err));
    tacit_status status = tc_ledger_find(d->ledger, &d->hash, round, &receipt, &why);
    if (status == TACIT_E_NOT_FOUND)
        return release_new(c, d, round, err);
    if (status != TACIT_OK)
        return tc_pass_on(err, status, &why);
    status = refuse_lost(d, receipt.head.seq, round, err);
    tc_ledger_receipt_fini(&receipt);
    return status;
}

/* ---- the steps ---- */

/* Nothing begins to close after the study was paused or closed: `version` is that of the state as
 * it was read. */
static void require_state(const tc_open_study *d, uint64_t version, tc_changes *changes)
{
    tc_key key = tc_key_word("state");
    tc_changes_add(changes, TC_REQUIRE, d->id, TC_RECORD_STATE, &key, version, NULL);
}

/* E_CONFLICT: somebody else was first. *r becomes what is stored. why: of a void one, else NULL.
 * state: the version of the study's state that must still be there; NULL: whatever it is by now. */
static tacit_status step(tc_coord *c, tc_open_study *d, tc_round *r, tc_phase to,
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
    tc_say_round(c, d, r);
    return TACIT_OK;
}

static tacit_status close_round(tc_coord *c, tc_open_study *d, tc_round *r, uint64_t state,
                                tacit_error *err)
{
    bool sums = d->plan->doc->algorithm->aggregator != NULL;
    tacit_error why = {0};
    if (r->phase == TC_PHASE_OPEN)
        TC_TRY(step(c, d, r, TC_PHASE_CLOSING, NULL, &state, err));
    tacit_status status = sums ? release(c, d, r->number, &why) : TACIT_OK;
    if (status == TACIT_OK)
        return step(c, d, r, TC_PHASE_CLOSED, NULL, NULL, err);
    if (status == TACIT_E_BUDGET || status == TACIT_E_STATE)
        return step(c, d, r, TC_PHASE_VOID, &why, NULL, err);
    return tc_fail(err, status, "round %" PRIu64 ": %.400s", r->number, why.msg);
}

/* The operator has closed the study: the round that was open ends without a release. */
static tacit_status void_round(tc_coord *c, tc_open_study *d, tc_round *r, tacit_error *err)
{
    tacit_error why = {0};
    (void)tc_fail(&why, TACIT_E_STATE, "the study was closed before round %" PRIu64 " ended",
                  r->number);
    return step(c, d, r, TC_PHASE_VOID, &why, NULL, err);
}

/* ---- what is left behind ---- */

static tacit_status note_first(void *user, const tc_record *r, tacit_error *err)
{
    (void)err;
    *(uint64_t *)user = tc_key_at(r->key, 0);
    return TACIT_OK;
}

/* Erases contributions to rounds below `end`: also those that a process left behind which died, or
 * was refused by its store, after the round was marked closed. Where another process has erased them, this
 * one may still have those in memory that it took. */
static tacit_status sweep(tc_coord *c, tc_open_study *d, uint64_t end, tacit_error *err)
{
    for (;;) {
        uint64_t first = end;
        tc_record_range one = {.study = d->id, .kind = TC_RECORD_MESSAGE, .most = 1};
        TC_TRY(tc_store_record_scan(c->cfg.store, &one, note_first, &first, err));
        if (first >= end)
            break;
        tc_key key = tc_key_number(first);
        tc_record_range all = {
            .study = d->id, .kind = TC_RECORD_MESSAGE, .prefix = key.bytes, .prefix_size = key.n};
        TC_TRY(tc_store_record_drop(c->cfg.store, &all, err));
    }
    tc_store_forget(c->cfg.store);
    d->swept = end;
    return TACIT_OK;
}

/* A relay keeps messages to hand them on. */
static tacit_status sweep_ended(tc_coord *c, tc_open_study *d, const tc_round *r, tacit_error *err)
{
    bool over = r->phase == TC_PHASE_CLOSED || r->phase == TC_PHASE_VOID;
    uint64_t end = r->phase == TC_PHASE_NONE ? 0 : r->number + over;
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

static tacit_status close_locked(tc_coord *c, tc_open_study *d, int64_t *next_ms, tacit_error *err)
{
    tc_round r;
    tc_study_state state;
    uint64_t version;
    bool due;
    TC_TRY(tc_round_present(c, d->id, &r, err));
    TC_TRY(tc_state_get(c, d->id, &state, &version, err));
    if (state == TC_STUDY_RUNNING)
        TC_TRY(renew_far_deadline(c, d, &r, err));
    TC_TRY(tc_say_found(c, d, &r, state, err));
    TC_TRY(is_due(c, d, &r, state, &due, err));
    if (due)
        TC_TRY(r.phase == TC_PHASE_OPEN && state == TC_STUDY_CLOSED
                   ? void_round(c, d, &r, err)
                   : close_round(c, d, &r, version, err));
    else if (r.phase == TC_PHASE_OPEN && r.deadline_ms > 0 && state == TC_STUDY_RUNNING &&
             tc_coord_is_sure(c))
        *next_ms = r.deadline_ms;
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
