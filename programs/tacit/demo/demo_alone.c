/* demo_alone.c - what each hospital would have reached alone (demo_int.h).
 *
 * A hospital's journal is applied to a second optimizer up to the last broadcast. All broadcasts come between the
 * first trials and the search, because the study has a promise and chooses nothing else. The second optimizer has
 * the same options, seeds and place, but broadcast=none: it does not listen. So it has the same first trials and
 * values, and goes on by the same code. Its other trials are run here, by the same training. */
#include "demo/demo_int.h"

#include "base/memory.h"
#include "base/pool.h"
#include "wire/event_json.h"

#include <string.h>

/* ---- the second optimizer ---- */

static tacit_status make(tc_optimizer **out, const tc_study_plan *plan, const tc_study_row *row,
                         uint64_t party, tacit_error *err)
{
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
    bool silent = options && json_object_set_new(options, "broadcast", json_string("none")) == 0;
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

static tacit_status begin(const tc_demo_journal *j, tc_optimizer **out, tacit_error *err)
{
    tc_study_row row;
    tc_study_plan *plan = NULL;
    replay r = {0};
    bool there = false;
    uint64_t party = 0;
    TC_TRY(tc_store_study_get(j->store, TC_DEMO_STUDY, &row, err));
    tacit_status status = tc_study_read_place(j->store, j->study, &there, &party, err);
    if (status == TACIT_OK)
        status = tc_study_plan_new(&plan, &row, err);
    if (status == TACIT_OK)
        status = make(&r.o, plan, &row, party, err);
    if (status == TACIT_OK)
        status = tc_store_scan(j->store, j->study, 0, find_last_broadcast, &r, err);
    if (status == TACIT_OK)
        status = tc_store_scan(j->store, j->study, 0, apply, &r, err);
    tc_study_plan_free(plan);
    tc_study_row_fini(&row);
    *out = r.o;
    return status;
}

/* ---- trials ---- */

static tacit_status next_trial(tc_optimizer *o, const tc_patient *records, unsigned k,
                               tacit_error *err)
{
    tc_ask_request req = {0};
    tc_event e;
    do {
        TC_TRY(tc_optimizer_next(o, &req, &e, err));
        TC_TRY(tc_optimizer_apply(o, &e, err));
    } while (e.kind != TC_EVENT_ASK);
    uint64_t trial = tc_optimizer_trials(o) - 1;
    tc_settings s = tc_demo_settings(tc_optimizer_space(o), tc_optimizer_trial(o, trial)->values);
    double value = tc_hospital_trial(records, k, &s);
    TC_TRY(tc_optimizer_tell(o, trial, NULL, value, 0, &e, err));
    return tc_optimizer_apply(o, &e, err);
}

static tacit_status go_on(tc_optimizer *o, unsigned k, uint64_t seed, size_t trials,
                          tacit_error *err)
{
    tc_patient *records;
    TC_TRY(tc_hospital_records(seed, k, &records, err));
    tacit_status status = TACIT_OK;
    while (tc_optimizer_trials(o) < trials && status == TACIT_OK)
        status = next_trial(o, records, k, err);
    tc_free(records);
    return status;
}

static void take_best(const tc_optimizer *o, size_t trials, double *best)
{
    for (size_t t = 0; t < trials; t++) {
        double value = tc_optimizer_trial(o, t)->value;
        best[t] = t == 0 || value < best[t - 1] ? value : best[t - 1];
    }
}

static tacit_status run_alone(const tc_demo_journal *j, uint64_t seed, size_t trials, double *best,
                              size_t *start, tacit_error *err)
{
    tc_optimizer *o = NULL;
    tacit_status status = begin(j, &o, err);
    *start = status == TACIT_OK ? tc_optimizer_trials(o) : 0;
    if (status == TACIT_OK)
        status = go_on(o, j->hospital, seed, trials, err);
    if (status == TACIT_OK)
        take_best(o, trials, best);
    tc_optimizer_free(o);
    return status;
}

/* ---- all of them ---- */

typedef struct job {
    tc_demo_curves *curves;
    const tc_demo_journal *all;
    uint64_t seed;
    size_t start[TC_HOSPITALS_MOST];
    tacit_status status[TC_HOSPITALS_MOST];
    tacit_error why[TC_HOSPITALS_MOST];
} job;

static tacit_status compare_one(job *b, size_t i, tacit_error *err)
{
    const tc_demo_journal *j = &b->all[i];
    size_t n = b->curves->trials;
    if (j->trials != n)
        return tc_fail(err, TACIT_E_STATE, "hospital %u has %zu values of %zu trials", j->hospital,
                       j->trials, n);
    memcpy(b->curves->together + i * n, j->best, n * sizeof *j->best);
    TC_TRY(run_alone(j, b->seed, n, b->curves->alone + i * n, &b->start[i], err));
    if (b->start[i] == 0)
        return tc_fail(err, TACIT_E_STATE, "hospital %u heard no broadcast", j->hospital);
    return TACIT_OK;
}

static void run_one(void *ctx, size_t i)
{
    job *b = ctx;
    b->status[i] = compare_one(b, i, &b->why[i]);
}

tacit_status tc_demo_compare(tc_demo_curves *c, const tc_demo_journal *all, uint64_t seed,
                             tacit_error *err)
{
    job b = {.curves = c, .all = all, .seed = seed};
    tc_pool *pool;
    TC_TRY(tc_pool_new(&pool, 0, err));
    tc_pool_for(pool, c->hospitals, run_one, &b);
    tc_pool_free(pool);
    for (size_t i = 0; i < c->hospitals; i++)
        if (b.status[i] != TACIT_OK)
            return tc_fail(err, b.status[i], "%s", b.why[i].msg);
    c->start = b.start[0];
    return TACIT_OK;
}
