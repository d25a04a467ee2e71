/* compose.c - the events an optimizer wants journalled. Nothing here changes its state. Many
 * optimizers at once: siblings.c. */
#include "algo/optimizer_int.h"

#include "algo/batch.h"
#include "base/error.h"
#include "base/number.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

static uint64_t smaller(uint64_t a, uint64_t b)
{
    return a < b ? a : b;
}

static const tc_trial *with_state(const tc_optimizer *o, tc_trial_state a, tc_trial_state b)
{
    const tc_trial *first = NULL;
    for (size_t i = 0; i < o->history.n_taken; i++) {
        const tc_trial *t = &o->trials[o->taken[i]];
        if ((t->state == a || t->state == b) && (!first || t->number < first->number))
            first = t;
    }
    return first;
}

bool tc_trial_is_overdue(const tc_trial *t, int64_t now_ms)
{
    enum { APART_MS = 60000 }; /* so much clocks may differ */
    int64_t passed = now_ms - t->asked_ms;
    return t->state == TC_TRIAL_RUNNING && t->lease_ms > 0 &&
           (passed > t->lease_ms || -passed > t->lease_ms + APART_MS);
}

static const tc_trial *overdue(const tc_optimizer *o, int64_t now_ms)
{
    for (size_t i = 0; i < o->history.n_taken; i++) {
        const tc_trial *t = &o->trials[o->taken[i]];
        if (tc_trial_is_overdue(t, now_ms))
            return t;
    }
    return NULL;
}

bool tc_optimizer_has_overdue(const tc_optimizer *o, int64_t now_ms)
{
    return overdue(o, now_ms) != NULL;
}

bool tc_optimizer_wants_batch(const tc_optimizer *o, const tc_ask_request *req)
{
    return req->pulls > 1 && o->algorithm->optimizer->batch;
}

static tc_event ask_event(const tc_ask_request *req, uint64_t trial, const double *values,
                          uint64_t pulls)
{
    return (tc_event){.kind = TC_EVENT_ASK,
                      .trial = trial,
                      .time_ms = req->now_ms,
                      .values = values,
                      .pulls = pulls,
                      .worker = req->worker,
                      .lease_ms = req->lease_ms};
}

/* Empty again, in the memory that the last one had. */
static void begin(tc_text *t)
{
    if (t->failed)
        tc_text_fini(t);
    t->len = 0;
}

static tacit_status compute_fit(tc_optimizer *o, const tc_ask_request *req, tc_event *out,
                                tacit_error *err)
{
    begin(&o->made);
    TC_TRY(o->algorithm->optimizer->fit(o->state, &o->made, err));
    if (o->made.failed)
        return tc_fail_memory(err);
    *out = (tc_event){.kind = TC_EVENT_FIT, .time_ms = req->now_ms, .body = tc_text_get(&o->made)};
    return TACIT_OK;
}

static tacit_status check_may_ask(const tc_optimizer *o, tacit_error *err)
{
    const tc_optimizer_ops *ops = o->algorithm->optimizer;
    tc_need need = {.may = TC_NEED_TRIAL};
    if (ops->need)
        ops->need(o->state, &need);
    if (need.may & TC_NEED_TRIAL)
        return TACIT_OK;
    return tc_fail(err, TACIT_E_STATE, "no trial can be asked for before round %" PRIu64 " is over",
                   need.round);
}

static tacit_status check_planned(const tc_optimizer *o, const tc_ask_request *req,
                                  tacit_error *err)
{
    uint64_t pulls = 0;
    for (int state = 0; state < TC_TRIAL_STATES; state++)
        pulls += o->pulls[state];
    if (req->planned == 0 || pulls < req->planned)
        return TACIT_OK;
    return tc_fail(err, TACIT_E_BUDGET,
                   "all %" PRIu64 " trials that were planned are handed out or told", req->planned);
}

tacit_status tc_next_known(tc_optimizer *o, const tc_ask_request *req, tc_event *out, bool *fresh,
                           tacit_error *err)
{
    const tc_optimizer_ops *ops = o->algorithm->optimizer;
    *fresh = false;
    TC_TRY(check_may_ask(o, err));
    const tc_trial *late = req->keep_leases ? NULL : overdue(o, req->now_ms);
    if (late) {
        *out = (tc_event){.kind = TC_EVENT_STALE, .trial = late->number, .time_ms = req->now_ms};
        return TACIT_OK;
    }
    const tc_trial *again = with_state(o, TC_TRIAL_WAITING, TC_TRIAL_STALE);
    if (again) {
        *out = ask_event(req, again->number, again->values,
                         tc_optimizer_wants_batch(o, req) ? smaller(again->pulls, req->pulls) : 1);
        return TACIT_OK;
    }
    TC_TRY(check_planned(o, req, err));
    if (ops->fit_due && ops->fit_due(o->state))
        return compute_fit(o, req, out, err);
    *fresh = true;
    return TACIT_OK;
}

/* What the plan has left, and the sums have room for; beyond that, trials are single pulls. */
static uint64_t pulls_left(const tc_optimizer *o)
{
    uint64_t planned = o->env.budget ? smaller(o->env.budget, TC_BATCH_MOST) : TC_BATCH_MOST;
    for (int state = 0; state < TC_TRIAL_STATES; state++)
        planned -= smaller(o->pulls[state], planned);
    return planned > 0 ? planned : 1;
}

/* The algorithm chooses a point, into o->values, and how often it is to be pulled. */
static tacit_status choose(tc_optimizer *o, const tc_ask_request *req, uint64_t *pulls,
                           tacit_error *err)
{
    const tc_optimizer_ops *ops = o->algorithm->optimizer;
    *pulls = 1;
    if (!tc_optimizer_wants_batch(o, req))
        return ops->ask(o->state, o->n_trials, o->values, err);
    TC_TRY(ops->batch->ask(o->state, o->n_trials, o->values, pulls, err));
    *pulls = smaller(*pulls, smaller(req->pulls, pulls_left(o)));
    return TACIT_OK;
}

tacit_status tc_next_chosen(const tc_optimizer *o, const tc_ask_request *req, uint64_t pulls,
                            tc_event *out, tacit_error *err)
{
    tacit_error why;
    if (tc_space_check(o->space, o->values, &why) != TACIT_OK)
        return tc_fail(err, TACIT_E_INTERNAL, "%s asked for a point outside of the space: %.400s",
                       o->algorithm->name, why.msg);
    *out = ask_event(req, o->n_trials, o->values, pulls);
    return TACIT_OK;
}

tacit_status tc_optimizer_next(tc_optimizer *o, const tc_ask_request *req, tc_event *out,
                               tacit_error *err)
{
    bool fresh;
    uint64_t pulls;
    TC_TRY(tc_next_known(o, req, out, &fresh, err));
    if (!fresh)
        return TACIT_OK;
    TC_TRY(choose(o, req, &pulls, err));
    return tc_next_chosen(o, req, pulls, out, err);
}

static tacit_status find_trial(const tc_optimizer *o, uint64_t trial, tacit_error *err)
{
    if (trial < o->n_trials)
        return TACIT_OK;
    return tc_fail(err, TACIT_E_NOT_FOUND, "there is no trial %" PRIu64 "; this study has %zu",
                   trial, o->n_trials);
}

static tacit_status find_open(const tc_optimizer *o, uint64_t trial, tacit_error *err)
{
    TC_TRY(find_trial(o, trial, err));
    tc_trial_state state = o->trials[trial].state;
    if (tc_trial_state_is_told(state))
        return tc_fail(err, TACIT_E_STATE, "trial %" PRIu64 " was told already: it is %s", trial,
                       tc_trial_state_name(state));
    return TACIT_OK;
}

static tacit_status check_more(const tc_optimizer *o, uint64_t trial, const double *more,
                               size_t n_more, tacit_error *err)
{
    const size_t wanted = o->history.n_more;
    if (n_more != wanted)
        return tc_fail(err, TACIT_E_ARG,
                       "trial %" PRIu64 " must come to a value and %zu other outcome%s, got %zu",
                       trial, wanted, wanted == 1 ? "" : "s", n_more);
    for (size_t k = 0; k < n_more; k++)
        if (!isfinite(more[k]))
            return tc_fail(err, TACIT_E_ARG,
                           "the outcomes of trial %" PRIu64 " must be finite numbers, got %g",
                           trial, more[k]);
    return TACIT_OK;
}

tacit_status tc_optimizer_tell(tc_optimizer *o, uint64_t trial, const double *values, double value,
                               int64_t now_ms, tc_event *out, tacit_error *err)
{
    return tc_optimizer_tell_outcomes(o, trial, values, value, NULL, 0, now_ms, out, err);
}

tacit_status tc_optimizer_tell_outcomes(tc_optimizer *o, uint64_t trial, const double *values,
                                        double value, const double *more, size_t n_more,
                                        int64_t now_ms, tc_event *out, tacit_error *err)
{
    TC_TRY(find_open(o, trial, err));
    if (!isfinite(value))
        return tc_fail(err, TACIT_E_ARG,
                       "the value of trial %" PRIu64 " must be a finite number, got %g", trial,
                       value);
    TC_TRY(check_more(o, trial, more, n_more, err));
    if (values)
        TC_TRY(tc_space_check(o->space, values, err));
    *out = (tc_event){.kind = TC_EVENT_TELL,
                      .trial = trial,
                      .time_ms = now_ms,
                      .values = values,
                      .state = TC_TRIAL_COMPLETE,
                      .value = value,
                      .more = more,
                      .n_more = n_more};
    return TACIT_OK;
}

/* ---- batches ---- */

static tacit_status find_batches(const tc_optimizer *o, const tc_batch_ops **out, tacit_error *err)
{
    *out = o->algorithm->optimizer->batch;
    if (*out)
        return TACIT_OK;
    return tc_fail(err, TACIT_E_UNSUPPORTED, "%s takes one value for a trial, not a batch of pulls",
                   o->algorithm->name);
}

tacit_status tc_optimizer_reward(const tc_optimizer *o, double value, int64_t *out,
                                 tacit_error *err)
{
    const tc_batch_ops *ops;
    TC_TRY(find_batches(o, &ops, err));
    if (!isfinite(value))
        return tc_fail(err, TACIT_E_ARG, "a value must be a finite number, got %g", value);
    *out = ops->reward(o->state, o->maximize ? value : -value);
    return TACIT_OK;
}

tacit_status tc_optimizer_tell_batch(tc_optimizer *o, uint64_t trial, const double *values,
                                     const tc_batch *batch, int64_t now_ms, tc_event *out,
                                     tacit_error *err)
{
    const tc_batch_ops *ops;
    TC_TRY(find_batches(o, &ops, err));
    TC_TRY(find_open(o, trial, err));
    tacit_status status = tc_batch_check(batch, o->trials[trial].pulls, err);
    if (status != TACIT_OK) {
        (void)tc_fail_in(err, "trial %" PRIu64, trial);
        return status;
    }
    double mean = ops->value(o->state, tc_batch_mean(batch));
    double value = o->maximize ? mean : 0 - mean; /* never -0 */
    TC_TRY(tc_optimizer_tell(o, trial, values, value, now_ms, out, err));
    out->batch = *batch;
    return TACIT_OK;
}

tacit_status tc_optimizer_fail(tc_optimizer *o, uint64_t trial, const char *reason, int64_t now_ms,
                               tc_event *out, tacit_error *err)
{
    TC_TRY(find_open(o, trial, err));
    *out = (tc_event){.kind = TC_EVENT_TELL,
                      .trial = trial,
                      .time_ms = now_ms,
                      .state = TC_TRIAL_FAIL,
                      .reason = reason};
    return TACIT_OK;
}

/* ---- intermediate values ---- */

static tacit_status find_reporting(const tc_optimizer *o, uint64_t trial, const tc_trial **out,
                                   tacit_error *err)
{
    TC_TRY(find_open(o, trial, err));
    const tc_trial *t = &o->trials[trial];
    if (t->state == TC_TRIAL_WAITING)
        return tc_fail(err, TACIT_E_STATE, "trial %" PRIu64 " is WAITING: nobody runs it yet",
                       trial);
    if (t->pulls > 1)
        return tc_fail(err, TACIT_E_UNSUPPORTED,
                       "trial %" PRIu64 " is a batch of %" PRIu64
                       " pulls, which has no intermediate values",
                       trial, t->pulls);
    *out = t;
    return TACIT_OK;
}

tacit_status tc_optimizer_report(const tc_optimizer *o, uint64_t trial, const tc_step *at,
                                 int64_t now_ms, tc_event *out, bool *same, tacit_error *err)
{
    const tc_trial *t;
    TC_TRY(find_reporting(o, trial, &t, err));
    if (at->step > TC_STEP_MOST)
        return tc_fail(err, TACIT_E_ARG, "step must be at most %" PRIu64 ", got %" PRIu64,
                       TC_STEP_MOST, at->step);
    if (!isfinite(at->value))
        return tc_fail(err, TACIT_E_ARG,
                       "the value of trial %" PRIu64 " at step %" PRIu64
                       " must be a finite number, got %g",
                       trial, at->step, at->value);
    const tc_step *last = t->n_steps > 0 ? &t->steps[t->n_steps - 1] : NULL;
    *same = last && last->step == at->step && tc_same_bits(last->value, at->value);
    if (!*same && t->reports >= TC_REPORTS_MOST)
        return tc_fail(err, TACIT_E_BUDGET,
                       "trial %" PRIu64 " has made %d reports, as many as a trial may", trial,
                       TC_REPORTS_MOST);
    *out = (tc_event){.kind = TC_EVENT_REPORT,
                      .trial = trial,
                      .time_ms = now_ms,
                      .step = at->step,
                      .value = at->value};
    return TACIT_OK;
}

tacit_status tc_optimizer_prune(const tc_optimizer *o, uint64_t trial, const char *why,
                                int64_t now_ms, tc_event *out, tacit_error *err)
{
    const tc_trial *t;
    TC_TRY(find_reporting(o, trial, &t, err));
    if (t->n_steps == 0)
        return tc_fail(err, TACIT_E_STATE,
                       "trial %" PRIu64
                       " has reported no intermediate value, so there is nothing to prune it by",
                       trial);
    const tc_step *last = &t->steps[t->n_steps - 1];
    *out = (tc_event){.kind = TC_EVENT_TELL,
                      .trial = trial,
                      .time_ms = now_ms,
                      .state = TC_TRIAL_PRUNED,
                      .step = last->step,
                      .value = last->value,
                      .reason = why};
    return TACIT_OK;
}

/* ---- trials that are taken out, and points that are put in ---- */

/* Why a trial stays. */
static tacit_status refuse_delete(const tc_trial *t, tacit_error *err)
{
    if (tc_trial_state_is_told(t->state))
        return tc_fail(err, TACIT_E_STATE,
                       "trial %" PRIu64 " is %s, and only a failed trial can be deleted: the "
                       "trials after it were proposed with its value",
                       t->number, tc_trial_state_name(t->state));
    return tc_fail(err, TACIT_E_STATE,
                   "trial %" PRIu64 " is %s, and only a failed trial can be deleted: report that "
                   "it failed first",
                   t->number, tc_trial_state_name(t->state));
}

tacit_status tc_optimizer_delete(const tc_optimizer *o, uint64_t trial, int64_t now_ms,
                                 tc_event *out, bool *same, tacit_error *err)
{
    TC_TRY(find_trial(o, trial, err));
    const tc_trial *t = &o->trials[trial];
    *same = t->state == TC_TRIAL_DELETED;
    if (!*same && t->state != TC_TRIAL_FAIL)
        return refuse_delete(t, err);
    *out = (tc_event){.kind = TC_EVENT_DELETE, .trial = trial, .time_ms = now_ms};
    return TACIT_OK;
}

tacit_status tc_optimizer_enqueue(tc_optimizer *o, const double *values, int64_t now_ms,
                                  tc_event *out, tacit_error *err)
{
    TC_TRY(tc_space_check(o->space, values, err));
    *out = (tc_event){
        .kind = TC_EVENT_ENQUEUE, .trial = o->n_trials, .time_ms = now_ms, .values = values};
    return TACIT_OK;
}

/* ---- federated rounds ---- */

tacit_status tc_optimizer_need(const tc_optimizer *o, tc_need *out, tacit_error *err)
{
    if (!o->algorithm->optimizer->need)
        return tc_fail(err, TACIT_E_UNSUPPORTED, "%s is not a federated algorithm",
                       o->algorithm->name);
    o->algorithm->optimizer->need(o->state, out);
    return TACIT_OK;
}

tacit_status tc_optimizer_publish(tc_optimizer *o, int64_t now_ms, tc_event *out, tacit_error *err)
{
    tc_need need;
    TC_TRY(tc_optimizer_need(o, &need, err));
    if (!(need.may & TC_NEED_PUBLISH))
        return tc_fail(err, TACIT_E_STATE, "nothing is to be published now");
    begin(&o->made);
    TC_TRY(o->algorithm->optimizer->publish(o->state, need.round, &o->made, err));
    if (o->made.failed)
        return tc_fail_memory(err);
    *out = (tc_event){.kind = TC_EVENT_PUBLISH,
                      .time_ms = now_ms,
                      .round = need.round,
                      .bytes = tc_text_get(&o->made),
                      .n_bytes = o->made.len};
    return TACIT_OK;
}

static tacit_status check_awaited(const tc_optimizer *o, uint64_t round, tacit_error *err)
{
    tc_need need;
    TC_TRY(tc_optimizer_need(o, &need, err));
    if ((need.must & TC_NEED_ABSORB) && need.round == round)
        return TACIT_OK;
    return tc_fail(err, TACIT_E_STATE, "round %" PRIu64 " is not awaited", round);
}

tacit_status tc_optimizer_absorb(tc_optimizer *o, uint64_t round, const void *bytes, size_t n,
                                 int64_t now_ms, tc_event *out, tacit_error *err)
{
    TC_TRY(check_awaited(o, round, err));
    *out = (tc_event){
        .kind = TC_EVENT_ABSORB, .time_ms = now_ms, .round = round, .bytes = bytes, .n_bytes = n};
    return TACIT_OK;
}

tacit_status tc_optimizer_skip(tc_optimizer *o, uint64_t round, const char *reason, int64_t now_ms,
                               tc_event *out, tacit_error *err)
{
    TC_TRY(check_awaited(o, round, err));
    *out = (tc_event){.kind = TC_EVENT_SKIP, .time_ms = now_ms, .round = round, .reason = reason};
    return TACIT_OK;
}

static tacit_status check_wanted(const tc_optimizer *o, uint64_t round, uint64_t party,
                                 tacit_error *err)
{
    tc_need need;
    TC_TRY(tc_optimizer_need(o, &need, err));
    if ((need.must & TC_NEED_FETCH) && need.round == round && need.party == party)
        return TACIT_OK;
    return tc_fail(err, TACIT_E_STATE,
                   "the message of agent %" PRIu64 " in round %" PRIu64 " was not asked for", party,
                   round);
}

tacit_status tc_optimizer_fetch(tc_optimizer *o, uint64_t round, uint64_t party, const void *bytes,
                                size_t n, int64_t now_ms, tc_event *out, tacit_error *err)
{
    TC_TRY(check_wanted(o, round, party, err));
    *out = (tc_event){.kind = TC_EVENT_FETCH,
                      .time_ms = now_ms,
                      .round = round,
                      .party = party,
                      .bytes = bytes,
                      .n_bytes = n};
    return TACIT_OK;
}

tacit_status tc_optimizer_miss(tc_optimizer *o, uint64_t round, uint64_t party, const char *reason,
                               int64_t now_ms, tc_event *out, tacit_error *err)
{
    TC_TRY(check_wanted(o, round, party, err));
    *out = (tc_event){
        .kind = TC_EVENT_MISS, .time_ms = now_ms, .round = round, .party = party, .reason = reason};
    return TACIT_OK;
}
