/* apply.c - the fold: the only code that changes an optimizer, one event at a time.
 *
 * An event that does not fit the state is E_CORRUPT: a journal that tacit did not write. Room for
 * everything an event may add is made first, so that it is applied whole or not at all. */
#include "algo/optimizer_int.h"

#include "algo/batch.h"
#include "algo/history.h"
#include "base/error.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

static tacit_status corrupt(const tc_event *e, const char *why, tacit_error *err)
{
    return tc_fail(err, TACIT_E_CORRUPT, "event %" PRIu64 " (%s, trial %" PRIu64 ") %s", e->seq,
                   tc_event_kind_name(e->kind), e->trial, why);
}

static tacit_status check_values(const tc_optimizer *o, const tc_event *e, tacit_error *err)
{
    tacit_error inner = {0};
    if (tc_space_check(o->space, e->values, &inner) == TACIT_OK)
        return TACIT_OK;
    return tc_fail(err, TACIT_E_CORRUPT, "event %" PRIu64 " (%s, trial %" PRIu64 "): %.300s",
                   e->seq, tc_event_kind_name(e->kind), e->trial, inner.msg);
}

static void enter_state(tc_optimizer *o, tc_trial *t, tc_trial_state state, uint64_t pulls)
{
    t->state = state;
    t->pulls = pulls;
    o->count[state]++;
    o->pulls[state] += pulls;
}

static void set_state(tc_optimizer *o, tc_trial *t, tc_trial_state state, uint64_t pulls)
{
    o->count[t->state]--;
    o->pulls[t->state] -= t->pulls;
    enter_state(o, t, state, pulls);
}

/* Where the point of an open trial stands among those taken. */
static size_t place_taken(const tc_optimizer *o, uint64_t trial)
{
    size_t i = 0;
    while (i < o->history.n_taken && o->taken[i] != trial)
        i++;
    return i;
}

static void untake(tc_optimizer *o, uint64_t trial)
{
    size_t i = place_taken(o, trial);
    if (i == o->history.n_taken)
        return;
    size_t after = o->history.n_taken - i - 1;
    memmove(o->taken + i, o->taken + i + 1, after * sizeof *o->taken);
    tc_history_untake(&o->history, i);
}

static char *keep_text(tc_optimizer *o, const char *s)
{
    return s ? tc_arena_strdup(&o->arena, s) : NULL;
}

/* FNV-1a */
static size_t slot_of(const char *name)
{
    uint32_t h = UINT32_C(2166136261);
    for (; *name; name++)
        h = (h ^ (unsigned char)*name) * UINT32_C(16777619);
    return h % TC_WORKER_SLOTS;
}

/* A worker that comes again, or has more time, is no new name. NULL: no memory. */
static char *keep_worker(tc_optimizer *o, const char *name)
{
    tc_worker **slot = &o->workers[slot_of(name)], *w = *slot;
    while (w && strcmp(w->name, name) != 0)
        w = w->next;
    if (w)
        return w->name;
    w = TC_TAKE(&o->arena, 1, tc_worker);
    char *copy = keep_text(o, name);
    if (!w || !copy)
        return NULL;
    *w = (tc_worker){.name = copy, .next = *slot};
    *slot = w;
    return copy;
}

/* An ordinary trial is one pull. */
static uint64_t pulls_of(const tc_event *ask)
{
    return ask->pulls > 1 ? ask->pulls : 1;
}

/* A new WAITING trial, whose point is taken from now on. */
static tacit_status add_trial(tc_optimizer *o, const tc_event *e, tacit_error *err)
{
    if (e->trial != o->n_trials || !e->values)
        return corrupt(e, "does not continue the journal", err);
    TC_TRY(check_values(o, e, err));
    double *values = TC_TAKE(&o->arena, o->space->n_params, double);
    if (!values)
        return tc_fail_memory(err);
    memcpy(values, e->values, o->space->n_params * sizeof *values);
    tc_space_make_canonical(o->space, values);
    tc_trial *t = &o->trials[o->n_trials++];
    *t = (tc_trial){.number = e->trial, .values = values};
    enter_state(o, t, TC_TRIAL_WAITING, pulls_of(e));
    size_t i = o->history.n_taken;
    o->taken[i] = t->number;
    tc_history_take(&o->history, o->space, t->values);
    o->history.taken_pulls[i] = t->pulls;
    return TACIT_OK;
}

/* More time keeps the moment at which the trial began, and a lease never ends sooner than it did (study/lease.c). */
static bool is_more_time(const tc_trial *t, const tc_event *e)
{
    bool same = e->worker && t->worker && strcmp(t->worker, e->worker) == 0;
    return same && t->asked_ms == e->time_ms && t->lease_ms > 0 && e->lease_ms > t->lease_ms;
}

static tacit_status apply_ask(tc_optimizer *o, const tc_event *e, tacit_error *err)
{
    if (e->trial > o->n_trials)
        return corrupt(e, "does not continue the journal", err);
    uint64_t most = e->trial < o->n_trials ? o->trials[e->trial].pulls : TC_BATCH_MOST;
    if (pulls_of(e) > 1 && !o->algorithm->optimizer->batch)
        return corrupt(e, "is a batch, and this algorithm takes single values", err);
    TC_TRY(pulls_of(e) <= most ? TACIT_OK : corrupt(e, "asks for too many pulls", err));
    char *worker = e->worker ? keep_worker(o, e->worker) : NULL;
    if (e->worker && !worker)
        return tc_fail_memory(err);
    if (e->trial == o->n_trials)
        TC_TRY(add_trial(o, e, err));
    tc_trial *t = &o->trials[e->trial];
    if (t->state != TC_TRIAL_WAITING && t->state != TC_TRIAL_STALE)
        return corrupt(e, "hands out a trial that was not free", err);
    if (!is_more_time(t, e)) {
        t->attempt++;
        t->reported = false;
    }
    set_state(o, t, TC_TRIAL_RUNNING, t->pulls); /* whoever had it before may still tell all */
    t->worker = worker;
    t->asked_ms = e->time_ms;
    t->lease_ms = e->lease_ms;
    return TACIT_OK;
}

/* Several objectives have no best trial, but a front (outcomes.c). */
static void update_best(tc_optimizer *o, const tc_trial *t)
{
    const double best = o->has_best ? o->trials[o->best].value : 0;
    if (o->outcomes.n_objectives > 1 || !tc_optimizer_feasible(o, t) ||
        (o->has_best && !(o->maximize ? t->value > best : t->value < best)))
        return;
    o->best = t->number;
    o->has_best = true;
}

static tacit_status check_more(const tc_optimizer *o, const tc_event *e, tacit_error *err)
{
    if (e->n_more != o->history.n_more)
        return corrupt(e, "has not as many outcomes as the study wants", err);
    for (size_t k = 0; k < e->n_more; k++)
        if (!isfinite(e->more[k]))
            return corrupt(e, "has an outcome that is not finite", err);
    if (e->n_more > 0 && e->batch.n > 0)
        return corrupt(e, "is a batch, and this study wants more outcomes of a trial", err);
    return TACIT_OK;
}

/* What the last observation came to beside its value. */
static void keep_more(tc_optimizer *o, tc_trial *t, const tc_event *e)
{
    const size_t n = o->history.n_more;
    double *row = o->history.more + (o->history.n - 1) * n;
    memcpy(t->more, e->more, n * sizeof *row);
    memcpy(row, e->more, n * sizeof *row);
    for (size_t k = 1; k < o->outcomes.n_objectives; k++)
        row[k - 1] = tc_outcomes_objective(o, t, k);
}

static tacit_status check_batch(const tc_optimizer *o, const tc_trial *t, const tc_event *e,
                                tacit_error *err)
{
    tacit_error inner = {0};
    if (!o->algorithm->optimizer->batch)
        return corrupt(e, "is a batch, and this algorithm takes single values", err);
    if (tc_batch_check(&e->batch, t->pulls, &inner) == TACIT_OK)
        return TACIT_OK;
    return tc_fail(err, TACIT_E_CORRUPT, "event %" PRIu64 " (%s, trial %" PRIu64 "): %.300s",
                   e->seq, tc_event_kind_name(e->kind), e->trial, inner.msg);
}

static tacit_status complete(tc_optimizer *o, tc_trial *t, const tc_event *e, tacit_error *err)
{
    if (!isfinite(e->value))
        return corrupt(e, "has a value that is not finite", err);
    if (!(e->noise_sd >= 0 && isfinite(e->noise_sd * e->noise_sd)))
        return corrupt(e, "has noise whose variance is not a finite number", err);
    if (e->noise_sd > 0 && e->batch.n > 0)
        return corrupt(e, "is a batch, and one value alone can carry noise", err);
    if (e->batch.n > 0)
        TC_TRY(check_batch(o, t, e, err));
    TC_TRY(check_more(o, e, err));
    if (e->n_more > 0) {
        t->more = TC_TAKE(&o->arena, e->n_more, double);
        TC_TRY(t->more ? TACIT_OK : tc_fail_memory(err));
        TC_TRY(tc_outcomes_make_room(o, err));
    }
    if (e->values) {
        TC_TRY(check_values(o, e, err));
        memcpy(t->values, e->values, o->space->n_params * sizeof *t->values);
        tc_space_make_canonical(o->space, t->values);
    }
    untake(o, t->number);
    tc_history_observe(&o->history, o->space, t->values, o->maximize ? e->value : -e->value);
    o->history.noise[o->history.n - 1] = e->noise_sd * e->noise_sd;
    t->value = e->value;
    t->noise_sd = e->noise_sd;
    if (e->n_more > 0)
        keep_more(o, t, e);
    set_state(o, t, TC_TRIAL_COMPLETE, e->batch.n > 0 ? e->batch.n : 1);
    if (e->n_more > 0)
        tc_outcomes_count(o, t);
    update_best(o, t);
    /* The algorithm learns of the last observation. */
    const tc_optimizer_ops *ops = o->algorithm->optimizer;
    if (e->batch.n > 0)
        return ops->batch->tell(o->state, &e->batch, err);
    return ops->tell ? ops->tell(o->state, err) : TACIT_OK;
}

/* ---- intermediate values */

static bool is_step(const tc_event *e)
{
    return e->step <= TC_STEP_MOST && isfinite(e->value);
}

/* In the place of what the trial had at this step and later. */
static tacit_status put_step(tc_trial *t, const tc_event *e, tacit_error *err)
{
    if (!tc_grow((void **)&t->steps, &t->cap_steps, t->n_steps + 1, sizeof *t->steps))
        return tc_fail_memory(err);
    while (t->n_steps > 0 && t->steps[t->n_steps - 1].step >= e->step)
        t->n_steps--;
    t->steps[t->n_steps++] = (tc_step){.step = e->step, .value = e->value};
    return TACIT_OK;
}

static tacit_status apply_report(tc_optimizer *o, const tc_event *e, tacit_error *err)
{
    tc_trial *t = e->trial < o->n_trials ? &o->trials[e->trial] : NULL;
    if (!t || (t->state != TC_TRIAL_RUNNING && t->state != TC_TRIAL_STALE))
        return corrupt(e, "reports of a trial that was not running", err);
    if (t->pulls > 1)
        return corrupt(e, "reports of a batch, which has no steps", err);
    if (o->history.n_more > 0)
        return corrupt(e, "reports one value in a study of several outcomes", err);
    if (!is_step(e) || t->reports >= TC_REPORTS_MOST)
        return corrupt(e, "is a report that no trial can make", err);
    TC_TRY(put_step(t, e, err));
    t->reports++;
    t->reported = true;
    return TACIT_OK;
}

/* What it came to, and why it was ended if somebody said so. NULL: no memory. */
static char *early_sentence(tc_optimizer *o, const tc_event *e)
{
    tc_text t = {0};
    const bool said = e->reason && *e->reason;
    tc_text_addf(&t, "pruned at step %" PRIu64 " with %.6g", e->step, e->value);
    if (said)
        tc_text_addf(&t, " (%s)", e->reason);
    char *sentence = t.failed ? NULL : keep_text(o, tc_text_get(&t));
    tc_text_fini(&t);
    return sentence;
}

/* The last intermediate value is an observation like that of a COMPLETE trial, but never the best one: docs/math.md, "Trials that
 * are ended early", says why and what was measured. */
static tacit_status end_early(tc_optimizer *o, tc_trial *t, const tc_event *e, tacit_error *err)
{
    const tc_optimizer_ops *ops = o->algorithm->optimizer;
    if (o->history.n_more > 0)
        return corrupt(e, "ends a trial early in a study of several outcomes", err);
    if (!is_step(e))
        return corrupt(e, "ends a trial early at a step that no trial can report", err);
    if (!(e->noise_sd >= 0 && isfinite(e->noise_sd * e->noise_sd)))
        return corrupt(e, "has noise whose variance is not a finite number", err);
    char *sentence = early_sentence(o, e);
    TC_TRY(sentence ? TACIT_OK : tc_fail_memory(err));
    TC_TRY(put_step(t, e, err));
    t->reason = sentence;
    t->told_ms = e->time_ms;
    untake(o, t->number);
    tc_history_observe(&o->history, o->space, t->values, o->maximize ? e->value : -e->value);
    o->history.early[o->history.n - 1] = true;
    o->history.noise[o->history.n - 1] = e->noise_sd * e->noise_sd;
    t->noise_sd = e->noise_sd;
    set_state(o, t, TC_TRIAL_PRUNED, 1);
    return ops->tell ? ops->tell(o->state, err) : TACIT_OK;
}

static tacit_status apply_tell(tc_optimizer *o, const tc_event *e, tacit_error *err)
{
    if (e->trial >= o->n_trials)
        return corrupt(e, "tells of a trial that does not exist", err);
    tc_trial *t = &o->trials[e->trial];
    if (tc_trial_state_is_told(t->state))
        return corrupt(e, "tells of a trial that was told already", err);
    if (e->state == TC_TRIAL_PRUNED)
        return end_early(o, t, e, err);
    t->told_ms = e->time_ms;
    if (e->state == TC_TRIAL_COMPLETE)
        return complete(o, t, e, err);
    t->reason = keep_text(o, e->reason);
    if (e->reason && !t->reason)
        return tc_fail_memory(err);
    set_state(o, t, TC_TRIAL_FAIL, 1);
    o->history.taken_pulls[place_taken(o, t->number)] = 0; /* its point stays taken */
    return TACIT_OK;
}

static tacit_status apply_stale(tc_optimizer *o, const tc_event *e, tacit_error *err)
{
    if (e->trial >= o->n_trials || o->trials[e->trial].state != TC_TRIAL_RUNNING)
        return corrupt(e, "ends the lease of a trial that was not running", err);
    tc_trial *t = &o->trials[e->trial];
    set_state(o, t, TC_TRIAL_STALE, t->pulls);
    return TACIT_OK;
}

/* As if it had never been asked for, but for its number: its point may be proposed again, and its reports are compared with
 * no more. */
static tacit_status apply_delete(tc_optimizer *o, const tc_event *e, tacit_error *err)
{
    if (e->trial >= o->n_trials || o->trials[e->trial].state != TC_TRIAL_FAIL)
        return corrupt(e, "deletes a trial that had not failed", err);
    tc_trial *t = &o->trials[e->trial];
    untake(o, t->number);
    o->history.n_deleted++;
    t->n_steps = 0;
    set_state(o, t, TC_TRIAL_DELETED, 0);
    return TACIT_OK;
}

static tacit_status apply_fit(tc_optimizer *o, const tc_event *e, tacit_error *err)
{
    const tc_optimizer_ops *ops = o->algorithm->optimizer;
    if (!ops->fitted || !e->body)
        return corrupt(e, "is a fit, and this algorithm makes none", err);
    return ops->fitted(o->state, e->body, err);
}

static tacit_status apply_round(tc_optimizer *o, const tc_event *e, tacit_error *err)
{
    const tc_optimizer_ops *ops = o->algorithm->optimizer;
    tc_need need;
    if (!ops->need)
        return corrupt(e, "belongs to a federated study, and this algorithm is not one", err);
    ops->need(o->state, &need);
    if (e->round != need.round)
        return corrupt(e, "is of another round than the one that is open", err);
    if (e->kind != TC_EVENT_PUBLISH && !ops->absorb)
        return corrupt(e, "ends a round, and this algorithm has a relay instead", err);
    if (e->kind == TC_EVENT_ABSORB)
        return ops->absorb(o->state, e->round, e->bytes, e->n_bytes, err);
    if (e->kind == TC_EVENT_SKIP)
        return ops->skip(o->state, e->round, err);
    return ops->published(o->state, e->round, err);
}

static tacit_status apply_relayed(tc_optimizer *o, const tc_event *e, tacit_error *err)
{
    const tc_optimizer_ops *ops = o->algorithm->optimizer;
    tc_need need;
    if (!ops->fetched)
        return corrupt(e, "is a relayed message, and this algorithm has no relay", err);
    ops->need(o->state, &need);
    if (!(need.must & TC_NEED_FETCH) || e->round != need.round || e->party != need.party)
        return corrupt(e, "is not the message that was asked for", err);
    if (e->kind == TC_EVENT_MISS)
        return ops->missed(o->state, e->round, e->party, err);
    return ops->fetched(o->state, e->round, e->party, e->bytes, e->n_bytes, err);
}

static tacit_status apply(tc_optimizer *o, const tc_event *e, tacit_error *err)
{
    switch (e->kind) {
    case TC_EVENT_ENQUEUE:
        return add_trial(o, e, err);
    case TC_EVENT_ASK:
        return apply_ask(o, e, err);
    case TC_EVENT_TELL:
        return apply_tell(o, e, err);
    case TC_EVENT_STALE:
        return apply_stale(o, e, err);
    case TC_EVENT_FIT:
        return apply_fit(o, e, err);
    case TC_EVENT_PUBLISH:
    case TC_EVENT_ABSORB:
    case TC_EVENT_SKIP:
        return apply_round(o, e, err);
    case TC_EVENT_FETCH:
    case TC_EVENT_MISS:
        return apply_relayed(o, e, err);
    case TC_EVENT_REPORT:
        return apply_report(o, e, err);
    case TC_EVENT_DELETE:
        return apply_delete(o, e, err);
    }
    return corrupt(e, "is of a kind that this version does not know", err);
}

tacit_status tc_optimizer_apply(tc_optimizer *o, const tc_event *e, tacit_error *err)
{
    if (e->seq != 0 && e->seq != o->seq + 1)
        return corrupt(e, "does not follow the one before it", err);
    /* Everything an event may need, so that what follows cannot fail half-way. */
    if (!tc_grow((void **)&o->trials, &o->cap, o->n_trials + 1, sizeof *o->trials) ||
        !tc_grow((void **)&o->taken, &o->taken_cap, o->history.n_taken + 1, sizeof *o->taken))
        return tc_fail_memory(err);
    TC_TRY(tc_history_reserve(&o->history, err));
    TC_TRY(apply(o, e, err));
    o->seq++;
    return TACIT_OK;
}
