/* records_world.h - a federated study that protects records, and all of one agent that anybody could see.
 *
 * A coordinator and its agents are in this process, over stores in memory, as coord_world.h has them. The test says what each
 * evaluation yields. What leaves the first agent is kept as text, its view: every request, every point that it asked
 * for, its journal and its ledger as they are exported. In a seeded world everything repeats, the noise too. */
#ifndef TEST_RECORDS_WORLD_H
#define TEST_RECORDS_WORLD_H

#include "support/coord_world.h"

#include "agent/agent.h"
#include "study/handle.h"

enum { RECORDS_AGENTS = 2, RECORDS_TRIALS = 4 };

#define RECORDS_EPSILON 1
#define RECORDS_DELTA   0.3 /* with which few studies tell half the noise from all of it */

/* What an evaluation yields. */
typedef struct outcome {
    bool failed;
    const char *reason;
    double value;
    /* Before that, `first` is released and not told, as by a process that died in between: it stays. */
    bool released;
    double first;
} outcome;

struct records_world;

typedef struct records_setup {
    const char *algorithm; /* with its options, as in a document */
    const char *storage;   /* of the first agent; NULL: in memory */
    const char *coordinator_storage;
    void (*look)(struct records_world *w); /* before all is closed; may be NULL */
    bool seeded;
    double sensitivity; /* that agents declare */
    outcome (*evaluate)(const void *user, uint64_t agent, uint64_t trial);
    const void *user;
} records_setup;

typedef struct records_party {
    struct records_world *world;
    tc_metric_terms terms;
    tc_store *store;
    tc_agent *agent;
    tacit_study *study;
} records_party;

typedef struct records_world {
    const records_setup *setup;
    coord_world coord;
    records_party parties[RECORDS_AGENTS];
    tc_text view;                  /* of the first agent */
    double values[RECORDS_TRIALS]; /* that its journal has */
    double step;                   /* of the grid that its releases are on */
} records_world;

/* ---- what is seen ---- */

static inline tacit_status records_call(void *user, const tc_call *call, int *status, tc_text *body,
                                        tacit_error *err)
{
    records_party *p = user;
    records_world *w = p->world;
    bool closes;
    (void)err;
    if (p == w->parties)
        tc_text_addf(&w->view, "%s %s %s\n%.*s\n", call->method, call->path,
                     call->signature ? call->signature : "-", (int)call->n_body,
                     call->body ? call->body : "");
    world_carry(&w->coord, call, status, body, &closes);
    if (closes)
        world_tick(&w->coord);
    return TACIT_OK;
}

static inline tacit_status records_event(void *user, const tacit_event *e, tacit_error *err)
{
    records_world *w = user;
    (void)err;
    tc_text_addf(&w->view, "event %" PRIu64 " %s %" PRIu64 " %" PRId64 " %s\n", e->seq, e->kind,
                 e->trial, e->time_ms, e->body);
    return TACIT_OK;
}

static inline tc_ledger *records_ledger(tc_store *s)
{
    tacit_error err = {0};
    tc_ledger_io io;
    tc_ledger *l;
    assert_ok(tc_store_ledger(s, "mine", true, &io, &err));
    assert_ok(tc_ledger_open(&l, "mine", &io, &err));
    return l;
}

static inline void records_export(records_world *w)
{
    tacit_error err = {0};
    records_party *p = &w->parties[0];
    tc_ledger *l = records_ledger(p->store);
    json_t *j = tc_ledger_json(l);
    w->step = tc_ledger_get(l, tc_ledger_get_head(l).seq, NULL)->step;
    char *text = tc_json_text(j);
    tc_text_addf(&w->view, "ledger %s\n", text);
    tc_free(text);
    json_decref(j);
    tc_ledger_close(l);
    assert_ok(tacit_study_events(p->study, 0, records_event, w, &err));
    for (uint64_t t = 0; t < RECORDS_TRIALS; t++) {
        tacit_trial *trial;
        assert_ok(tacit_study_trial(p->study, t, &trial, &err));
        assert_int_equal(trial->state, TACIT_TRIAL_COMPLETE);
        w->values[t] = trial->value;
        tacit_trial_free(trial);
    }
}

/* ---- what is done ---- */

static inline void records_join(records_world *w, uint64_t i, const char *token)
{
    tacit_error err = {0};
    records_party *p = &w->parties[i];
    const char *storage = i == 0 && w->setup->storage ? w->setup->storage : "memory:";
    p->world = w;
    p->terms = (tc_metric_terms){.records = 3, .sensitivity = w->setup->sensitivity};
    assert_ok(tc_store_open(&p->store, storage, true, &err));
    tc_agent_config cfg = {.store = p->store,
                           .transport = {records_call, p},
                           .study = "s",
                           .join_token = token,
                           .ledger = "mine",
                           .limited = true,
                           .limit = {.epsilon = RECORDS_EPSILON,
                                     .delta = RECORDS_DELTA,
                                     .accountant = &tc_accountant_pld},
                           .records = &p->terms,
                           .seeded = w->setup->seeded,
                           .seed = 7,
                           .key_salt = i};
    tc_record_guard *guard;
    assert_ok(tc_agent_open(&p->agent, &cfg, &err));
    tc_study_set_clock(tc_agent_study(p->agent), world_clock, &w->coord);
    assert_ok(tc_study_lend(&p->study, tc_agent_study(p->agent), &err));
    assert_ok(tc_agent_guard(p->agent, &guard, &err));
    assert_non_null(guard);
    tc_study_set_guard(p->study, guard);
}

static inline void records_trial(records_world *w, uint64_t i)
{
    tacit_error err = {0};
    tacit_study *s = w->parties[i].study;
    uint64_t trial;
    double x;
    assert_ok(tacit_study_ask(s, &trial, &x, &err));
    if (i == 0)
        tc_text_addf(&w->view, "asks %" PRIu64 " %a\n", trial, x);
    outcome o = w->setup->evaluate(w->setup->user, i, trial);
    tacit_report r = TACIT_REPORT;
    if (o.released) {
        r.value = o.first;
        assert_ok(tc_study_make_private(s, trial, &r, &err));
    }
    r = (tacit_report)TACIT_REPORT;
    r.kind = o.failed ? TACIT_REPORT_FAILED : TACIT_REPORT_VALUE;
    r.value = o.value;
    r.reason = o.reason;
    assert_ok(tacit_study_report(s, trial, &r, &err));
}

/* In turns, until all are done. */
static inline void records_work(records_world *w)
{
    tacit_error err = {0};
    int turns = 0;
    for (bool any = true; any; turns++) {
        any = false;
        assert_true(turns < 100);
        for (uint64_t i = 0; i < RECORDS_AGENTS; i++) {
            tc_agent_next next;
            assert_ok(tc_agent_step(w->parties[i].agent, 0, &next, &err));
            if (next == TC_AGENT_TRIAL)
                records_trial(w, i);
            any |= next != TC_AGENT_DONE;
        }
    }
}

static inline void records_close(records_world *w)
{
    for (uint64_t i = 0; i < RECORDS_AGENTS; i++) {
        tacit_study_close(w->parties[i].study);
        tc_agent_close(w->parties[i].agent);
        tc_store_close(w->parties[i].store);
    }
    world_close(&w->coord);
}

/* One whole study; end *w with tc_text_fini(&w->view). */
static inline void records_run(records_world *w, const records_setup *setup)
{
    static const char document[] =
        "{\"name\": \"s\", \"direction\": \"minimize\", \"trials\": %d, \"seed\": 7,"
        " \"space\": {\"x\": {\"type\": \"float\", \"low\": 0, \"high\": 1}},"
        " \"algorithm\": {%s}, \"federation\": {\"agents\": %d, \"deadline_s\": 60},"
        " \"privacy\": {\"unit\": \"record\", \"epsilon\": %d, \"delta\": %g, \"metric\": "
        "\"error\"}}";
    tacit_error err = {0};
    tc_store *store;
    char text[1024], token[64];
    *w = (records_world){.setup = setup, .coord.now_ms = 1000};
    const char *storage = setup->coordinator_storage ? setup->coordinator_storage : "memory:";
    assert_ok(tc_store_open(&store, storage, true, &err));
    world_open(&w->coord, store, 7);
    snprintf(text, sizeof text, document, RECORDS_TRIALS, setup->algorithm, RECORDS_AGENTS,
             RECORDS_EPSILON, RECORDS_DELTA);
    world_create(&w->coord, "s", text);
    world_join_token(&w->coord, RECORDS_AGENTS, token);
    for (uint64_t i = 0; i < RECORDS_AGENTS; i++)
        records_join(w, i, token);
    records_work(w);
    records_export(w);
    if (setup->look)
        setup->look(w);
    records_close(w);
}

#endif
