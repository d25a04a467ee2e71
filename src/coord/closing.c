/* closing.c - from the contributions of a round to one release, exactly once.
 *
 * Every step can be repeated, by this process after a crash or by another at the same time:
 *
 *   1. The round is marked closing. From then on no message enters, so whoever folds, folds the same.
 *   2. The ledger is asked for the release of this (study, round). If there is one, that is it.
 *   3. Else its cost is held against the budget; a refusal ends the round as void, nothing is spent.
 *   4. The messages are folded in agent order, noise is drawn, and the release is offered to the
 *      ledger. It commits one and hands every later comer that one; noise that lost never left.
 *   5. The round is marked closed, and its contributions are erased.
 *
 * A relay releases nothing here: its round is closed when all have spoken or the time is up, and
 * then messages are handed on (message.c). */
#include "coord/coord_int.h"

#include "base/error.h"
#include "base/memory.h"

#include <inttypes.h>
#include <stdio.h>

/* ---- is it due? ---- */

static tacit_status count_messages(tc_coord *c, tc_desk *d, uint64_t round, uint64_t *out,
                                   tacit_error *err)
{
    tc_key key = tc_key_number(round);
    tc_record_range range = {
        .study = d->id, .kind = TC_RECORD_MESSAGE, .prefix = key.bytes, .prefix_size = key.n};
    return tc_store_record_count(c->cfg.store, &range, out, err);
}

/* Private rounds wait for their public deadline or the whole roster, never for a quorum. */
static tacit_status is_due(tc_coord *c, tc_desk *d, const tc_round *r, bool *due, tacit_error *err)
{
    uint64_t n;
    *due = r->phase == TC_PHASE_CLOSING;
    if (r->phase != TC_PHASE_OPEN)
        return TACIT_OK;
    *due = r->deadline_ms > 0 && tc_coord_now(c) >= r->deadline_ms;
    if (*due)
        return TACIT_OK;
    TC_TRY(count_messages(c, d, r->number, &n, err));
    *due = n >= d->plan->env.agents;
    return TACIT_OK;
}

/* ---- the sum ---- */

typedef struct folding {
    const tc_aggregator_ops *ops;
    void *state;
} folding;

static tacit_status fold_one(void *user, const tc_record *r, tacit_error *err)
{
    const folding *f = user;
    uint64_t agent = tc_key_at(r->key, 1);
    return f->ops->fold(f->state, agent, r->value, r->size, err);
}

static tacit_status fold_all(tc_coord *c, tc_desk *d, uint64_t round, const folding *f,
                             tacit_error *err)
{
    tc_key key = tc_key_number(round);
    tc_record_range range = {
        .study = d->id, .kind = TC_RECORD_MESSAGE, .prefix = key.bytes, .prefix_size = key.n};
    return tc_store_record_scan(c->cfg.store, &range, fold_one, (void *)f, err);
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

static tacit_status aggregate(tc_coord *c, tc_desk *d, uint64_t round, void *state,
                              tc_release **out, tacit_error *err)
{
    folding f = {.ops = d->plan->doc->algorithm->aggregator, .state = state};
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

static tacit_status sum(tc_coord *c, tc_desk *d, uint64_t round, tc_release **out, tacit_error *err)
{
    const tc_aggregator_ops *ops = d->plan->doc->algorithm->aggregator;
    void *state = tc_alloc(1, ops->state_size);
    if (!state)
        return tc_fail_memory(err);
    tacit_status status = aggregate(c, d, round, state, out, err);
    ops->fini(state);
    tc_free(state);
    return status;
}

/* ---- the release ---- */

static tacit_status check_budget(tc_desk *d, uint64_t round, tacit_error *err)
{
    tc_dp_event event;
    if (!d->plan->limited)
        return TACIT_OK;
    TC_TRY(tc_study_plan_event(d->plan, round, &event, err));
    return tc_ledger_would(d->ledger, &d->plan->limit, TC_UNIT_AGENT, NULL, &event, 0, err);
}

static tacit_status release_new(tc_coord *c, tc_desk *d, uint64_t round, tacit_error *err)
{
    tc_ledger_charge charge = {.study = d->plan->hash, .round = round};
    tc_ledger_receipt receipt;
    tc_release *release = NULL;
    TC_TRY(check_budget(d, round, err));
    TC_TRY(sum(c, d, round, &release, err));
    tacit_status status = tc_ledger_release(d->ledger, d->plan->limited ? &d->plan->limit : NULL,
                                            &charge, release, &receipt, err);
    if (status == TACIT_OK)
        tc_ledger_receipt_fini(&receipt);
    tc_release_free(release);
    return status;
}

/* Once it returns, the ledger has the release of this round. */
static tacit_status release(tc_coord *c, tc_desk *d, uint64_t round, tacit_error *err)
{
    tc_ledger_receipt receipt;
    tacit_error why;
    TC_TRY(tc_ledger_catch_up(d->ledger, err));
    tacit_status status = tc_ledger_find(d->ledger, &d->plan->hash, round, &receipt, &why);
    if (status == TACIT_E_NOT_FOUND)
        return release_new(c, d, round, err);
    if (status != TACIT_OK)
        return tc_fail(err, status, "%s", why.msg);
    tc_ledger_receipt_fini(&receipt);
    return TACIT_OK;
}

/* ---- the steps ---- */

/* E_CONFLICT: somebody else was first. *r becomes what is stored. */
static tacit_status step(tc_coord *c, tc_desk *d, tc_round *r, tc_phase to, const char *reason,
                         tacit_error *err)
{
    tc_changes changes = {.n = 0};
    tc_round now = *r;
    now.phase = to;
    snprintf(now.reason, sizeof now.reason, "%s", reason);
    tc_round_change(&changes, d->id, r, &now);
    tacit_status status = tc_changes_commit(c->cfg.store, &changes, NULL, err);
    tc_changes_fini(&changes);
    if (status != TACIT_OK)
        return status;
    now.version++;
    *r = now;
    tc_coord_say(c, d->name,
                 json_pack("{s:s, s:I, s:s}", "event", "round", "round", (json_int_t)r->number,
                           "phase", tc_phase_name(r->phase)));
    return TACIT_OK;
}

static tacit_status erase_messages(tc_coord *c, tc_desk *d, uint64_t round, tacit_error *err)
{
    tc_key key = tc_key_number(round);
    tc_record_range range = {
        .study = d->id, .kind = TC_RECORD_MESSAGE, .prefix = key.bytes, .prefix_size = key.n};
    return tc_store_record_drop(c->cfg.store, &range, err);
}

static tacit_status close_round(tc_coord *c, tc_desk *d, tc_round *r, tacit_error *err)
{
    bool sums = d->plan->doc->algorithm->aggregator != NULL;
    tacit_error why = {0};
    if (r->phase == TC_PHASE_OPEN)
        TC_TRY(step(c, d, r, TC_PHASE_CLOSING, "", err));
    tacit_status status = sums ? release(c, d, r->number, &why) : TACIT_OK;
    if (status == TACIT_E_BUDGET)
        TC_TRY(step(c, d, r, TC_PHASE_VOID, why.msg, err));
    else if (status != TACIT_OK)
        return tc_fail(err, status, "round %" PRIu64 ": %.400s", r->number, why.msg);
    else
        TC_TRY(step(c, d, r, TC_PHASE_CLOSED, "", err));
    return sums ? erase_messages(c, d, r->number, err) : TACIT_OK;
}

static tacit_status close_locked(tc_coord *c, tc_desk *d, int64_t *next_ms, tacit_error *err)
{
    tc_round r;
    bool due;
    TC_TRY(tc_round_present(c, d->id, &r, err));
    TC_TRY(is_due(c, d, &r, &due, err));
    if (due)
        return close_round(c, d, &r, err);
    if (r.phase == TC_PHASE_OPEN && r.deadline_ms > 0)
        *next_ms = r.deadline_ms;
    return TACIT_OK;
}

tacit_status tc_close_due(tc_coord *c, tc_desk *d, int64_t *next_ms, tacit_error *err)
{
    tacit_error why = {0};
    *next_ms = INT64_MAX;
    pthread_mutex_lock(&d->lock);
    tacit_status status = close_locked(c, d, next_ms, &why);
    pthread_mutex_unlock(&d->lock);
    if (status == TACIT_E_CONFLICT) /* another process closes it */
        return TACIT_OK;
    return status == TACIT_OK ? status : tc_fail(err, status, "%s", why.msg);
}
