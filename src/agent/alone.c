/* alone.c - what an agent would have reached without its federation (<tacit/agent.h>).
 *
 * The agent's journal is applied to a second optimizer up to the last broadcast. The second optimizer has
 * the same options, seeds and place, but broadcast=none: it does not listen. So it has the same trials and values up
 * to there, and goes on by the same code. Its other trials are evaluated by the caller. */
#include <tacit/agent.h>

#include "base/api.h"
#include "base/memory.h"
#include "study/study.h"
#include "wire/event_json.h"

#include <math.h>
#include <string.h>

#define DEAF "broadcast" /* the option */

/* ---- the second optimizer ---- */

/* Nobody would pay for evaluations here, and values would have no noise. */
static tacit_status check_free(const tc_study_doc *doc, tacit_error *err)
{
    if (doc->promise != TC_PROMISE_RECORDS)
        return TACIT_OK;
    return tc_fail(err, TACIT_E_UNSUPPORTED,
                   "study \"%s\" protects validation records, and a search alone would evaluate "
                   "them without noise and without paying",
                   doc->name);
}

static tacit_status make(tc_optimizer **out, const tc_study_plan *plan, const tc_study_row *row,
                         uint64_t party, tacit_error *err)
{
    TC_TRY(check_free(plan->doc, err));
    if (!json_object_get(plan->options, DEAF))
        return tc_fail(err, TACIT_E_UNSUPPORTED,
                       "agents of %s cannot search without what they hear of others",
                       plan->doc->algorithm->name);
    json_t *options = json_copy(plan->options);
    tc_optimizer_config cfg = {.algorithm = plan->doc->algorithm,
                               .options = options,
                               .space = plan->doc->space,
                               .maximize = plan->doc->maximize,
                               .public_seed = row->public_seed,
                               .party_seed = row->party_seed,
                               .party = party,
                               .agents = plan->env.agents,
                               .budget = plan->env.budget};
    bool silent = options && json_object_set_new(options, DEAF, json_string("none")) == 0;
    tacit_status status = silent ? tc_optimizer_new(out, &cfg, err) : tc_fail_memory(err);
    json_decref(options);
    explicit_bzero(&cfg.party_seed, sizeof cfg.party_seed);
    return status;
}

/* ---- the same start ---- */

typedef struct replay {
    tc_optimizer *o;
    uint64_t last; /* event up to which the journal is applied */
} replay;

static tacit_status find_last_broadcast(void *user, const tc_event_row *row, tacit_error *err)
{
    replay *r = user;
    (void)err;
    if (row->kind == TC_EVENT_ABSORB || row->kind == TC_EVENT_SKIP)
        r->last = row->seq;
    return TACIT_OK;
}

static tacit_status apply(void *user, const tc_event_row *row, tacit_error *err)
{
    const replay *r = user;
    tc_arena scratch = {0};
    tc_event e = {.seq = row->seq, .kind = row->kind, .trial = row->trial, .time_ms = row->time_ms};
    if (row->seq > r->last)
        return TACIT_OK;
    tacit_status status = tc_event_decode(tc_optimizer_space(r->o), row->body, &scratch, &e, err);
    if (status == TACIT_OK)
        status = tc_optimizer_apply(r->o, &e, err);
    tc_arena_fini(&scratch);
    return status;
}

static tacit_status begin_from(tc_store *store, const tc_study_row *row, tc_optimizer **out,
                               tacit_error *err)
{
    tc_study_plan *plan;
    replay r = {0};
    bool there = false;
    uint64_t party = 0;
    TC_TRY(tc_study_read_place(store, row->id, &there, &party, err));
    if (!there)
        return tc_fail(err, TACIT_E_STATE, "study \"%s\" is not an agent's", row->name);
    TC_TRY(tc_study_plan_new(&plan, row, err));
    tacit_status status = make(&r.o, plan, row, party, err);
    tc_study_plan_free(plan);
    if (status == TACIT_OK)
        status = tc_store_scan(store, row->id, 0, find_last_broadcast, &r, err);
    if (status == TACIT_OK)
        status = tc_store_scan(store, row->id, 0, apply, &r, err);
    *out = r.o;
    return status;
}

static tacit_status begin(const char *storage, const char *study, tc_optimizer **out,
                          tacit_error *err)
{
    tc_store *store;
    tc_study_row row;
    TC_TRY(tc_store_open(&store, storage, false, err));
    tacit_status status = tc_store_study_get(store, study, &row, err);
    if (status == TACIT_OK) {
        status = begin_from(store, &row, out, err);
        tc_study_row_fini(&row);
    }
    tc_store_close(store);
    return status;
}

/* ---- its own trials ---- */

static tacit_status next_trial(tc_optimizer *o, tacit_evaluate evaluate, void *user,
                               tacit_error *err)
{
    tc_ask_request req = {0};
    tc_event e;
    double value = NAN;
    do {
        TC_TRY(tc_optimizer_next(o, &req, &e, err));
        TC_TRY(tc_optimizer_apply(o, &e, err));
    } while (e.kind != TC_EVENT_ASK);
    uint64_t trial = tc_optimizer_trials(o) - 1;
    TC_TRY(evaluate(user, trial, tc_optimizer_trial(o, trial)->values, &value, err));
    TC_TRY(tc_optimizer_tell(o, trial, NULL, value, 0, &e, err));
    return tc_optimizer_apply(o, &e, err);
}

static tacit_status go_on(tc_optimizer *o, tacit_evaluate evaluate, void *user, size_t n,
                          double *values, tacit_error *err)
{
    while (tc_optimizer_trials(o) < n)
        TC_TRY(next_trial(o, evaluate, user, err));
    for (size_t t = 0; t < n; t++) {
        const tc_trial *one = tc_optimizer_trial(o, t);
        values[t] = one->state == TC_TRIAL_COMPLETE ? one->value : NAN;
    }
    return TACIT_OK;
}

tacit_status tacit_agent_alone(const char *storage, const char *study, tacit_evaluate evaluate,
                               void *user, size_t n, double *values, size_t *start,
                               tacit_error *err)
{
    tacit_error unwanted;
    tc_optimizer *o = NULL;
    err = err ? err : &unwanted;
    TC_GIVEN(storage);
    TC_GIVEN(study);
    TC_GIVEN(evaluate);
    TC_GIVEN(values);
    tacit_status status = begin(storage, study, &o, err);
    size_t known = status == TACIT_OK ? tc_optimizer_trials(o) : 0;
    if (status == TACIT_OK)
        status = go_on(o, evaluate, user, n, values, err);
    tc_optimizer_free(o);
    if (status == TACIT_OK && start)
        *start = known;
    return status;
}
