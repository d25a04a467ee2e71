/* lying_coordinator.h - a coordinator behind a function call that changes its answers, and one agent of it.
 *
 * The coordinator is the real one. `at` names the answers that are lies; without it everything is true. */
#ifndef TEST_LYING_COORDINATOR_H
#define TEST_LYING_COORDINATOR_H

#include "support/coord_world.h"

#include "agent/agent.h"
#include "base/error.h"

#include <string.h>

#define DE "\"dp-fts-de\", \"features\": 8, \"initial\": 2, \"releases\": \"all\""

typedef struct play {
    coord_world w;
    tc_store *store; /* the agent's */
    char token[64];
    const char *at;            /* the end of the paths whose answers are lies */
    void (*lie)(json_t *body); /* changes an answer; NULL: `instead` is the answer */
    const char *instead;
    bool down;  /* messages do not arrive */
    int posted; /* messages that arrived */
    tc_agent_config cfg;
    tc_agent *agent;
} play;

/* What is asked for after a ? does not count. */
static inline bool ends_with(const char *path, const char *end)
{
    size_t n = strcspn(path, "?"), m = strlen(end);
    return n >= m && strncmp(path + n - m, end, m) == 0;
}

static inline void answer(const play *p, const char *path, const tc_text *truth, tc_text *body)
{
    bool lies = p->at && ends_with(path, p->at);
    json_t *j = lies && p->lie ? json_loads(tc_text_get(truth), 0, NULL) : NULL;
    if (!lies) {
        tc_text_add_bytes(body, tc_text_get(truth), truth->len);
        return;
    }
    if (!p->lie) {
        tc_text_add(body, p->instead);
        return;
    }
    assert_non_null(j);
    p->lie(j);
    char *text = tc_json_text(j);
    assert_non_null(text);
    tc_text_add(body, text);
    tc_free(text);
    json_decref(j);
}

/* A round of one message ends when its time is up. */
static inline void close_round(play *p)
{
    p->w.now_ms += 61000;
    world_tick(&p->w);
}

static inline tacit_status call(void *user, const tc_call *call, int *status, tc_text *body,
                                tacit_error *err)
{
    play *p = user;
    tc_text truth = {0};
    bool closes, message = strcmp(call->method, "POST") == 0 && ends_with(call->path, "/messages");
    if (message && p->down)
        return tc_fail(err, TACIT_E_IO, "no answer");
    world_carry(&p->w, call, status, &truth, &closes);
    answer(p, call->path, &truth, body);
    p->posted += message && *status == 202;
    tc_text_fini(&truth);
    return TACIT_OK;
}

static inline void open_coordinator(play *p, bool seeded)
{
    tacit_error err = {0};
    tc_text token = {0};
    bool made;
    tc_coord_config cfg = {.now_ms = world_clock, .user = &p->w, .seeded = seeded, .seed = 7};
    p->w.now_ms = 1000000;
    assert_ok(tc_store_open(&p->w.store, "memory:", true, &err));
    cfg.store = p->w.store;
    assert_ok(tc_coord_new(&p->w.coord, &cfg, &err));
    assert_ok(tc_coord_operator_token(p->w.coord, &token, &made, &err));
    snprintf(p->w.operator_token, sizeof p->w.operator_token, "%s", tc_text_get(&token));
    tc_text_fini(&token);
}

static inline void begin(play *p, bool seeded, const char *algorithm, const char *privacy)
{
    tacit_error err = {0};
    char text[1024];
    *p = (play){.at = NULL};
    open_coordinator(p, seeded);
    snprintf(text, sizeof text,
             "{\"name\": \"s\", \"direction\": \"maximize\", \"trials\": 7, \"seed\": 7,"
             " \"space\": {\"x\": {\"type\": \"float\", \"low\": 0, \"high\": 1}},"
             " \"algorithm\": {\"name\": %s},"
             " \"federation\": {\"agents\": 3, \"deadline_s\": 60}, \"privacy\": %s}",
             algorithm, privacy);
    world_create(&p->w, "s", text);
    world_join_token(&p->w, 3, p->token);
    assert_ok(tc_store_open(&p->store, "memory:", true, &err));
    p->cfg = (tc_agent_config){.store = p->store,
                               .transport = {call, p},
                               .study = "s",
                               .join_token = p->token,
                               .ledger = "mine"};
}

static inline void begin_private(play *p)
{
    begin(p, false, DE, "{\"epsilon\": 5, \"delta\": 1e-5}");
}

static inline void end(play *p)
{
    tc_agent_close(p->agent);
    tc_store_close(p->store);
    world_close(&p->w);
}

static inline void join(play *p)
{
    tacit_error err = {0};
    assert_ok(tc_agent_open(&p->agent, &p->cfg, &err));
}

static inline void restart(play *p)
{
    tc_agent_close(p->agent);
    p->agent = NULL;
    join(p);
}

static inline void one_trial(play *p)
{
    tacit_error err = {0};
    uint64_t trial;
    double x;
    tc_study *s = tc_agent_study(p->agent);
    assert_ok(tc_study_ask(s, NULL, 0, &trial, &x, &err));
    assert_ok(tc_study_tell(s, trial, NULL, x, &err));
}

static inline tacit_status step(play *p, tc_agent_next *next, tacit_error *err)
{
    TC_TRY(tc_agent_step(p->agent, 0, next, err));
    if (*next == TC_AGENT_TRIAL)
        one_trial(p);
    return TACIT_OK;
}

/* Until it waits for a round, or is done. */
static inline tc_agent_next go_on(play *p)
{
    tacit_error err = {0};
    tc_agent_next next = TC_AGENT_AGAIN;
    while (next != TC_AGENT_WAIT && next != TC_AGENT_DONE)
        assert_ok(step(p, &next, &err));
    return next;
}

/* The same, where a refusal is expected on the way. */
static inline tacit_status run(play *p, tacit_error *err)
{
    tc_agent_next next = TC_AGENT_AGAIN;
    for (int i = 0; i < 50; i++)
        TC_TRY(step(p, &next, err));
    return TACIT_OK;
}

static inline void assert_refused(play *p, tacit_status code, const char *what)
{
    tacit_error err = {0};
    assert_fails(run(p, &err), code, what);
}

static inline void finish(play *p)
{
    for (int i = 0; go_on(p) != TC_AGENT_DONE; i++) {
        assert_true(i < 50);
        close_round(p);
    }
}

static inline int enrolled(play *p)
{
    json_t *j;
    assert_int_equal(world_call(&p->w, "GET", "/v1/studies/s", p->w.operator_token, NULL, &j), 200);
    int n = (int)json_integer_value(json_object_get(j, "enrolled"));
    json_decref(j);
    return n;
}

static inline tc_ledger *ledger_of(tc_store *s, const char *name)
{
    tacit_error err = {0};
    tc_ledger_io io;
    tc_ledger *l;
    assert_ok(tc_store_ledger(s, name, true, &io, &err));
    assert_ok(tc_ledger_open(&l, name, &io, &err));
    return l;
}

static inline bool claims_private(play *p)
{
    tacit_error err = {0};
    tc_ledger_claim c;
    tc_ledger *l = ledger_of(p->store, "mine");
    assert_true(tc_ledger_get_head(l).seq > 0);
    assert_ok(tc_ledger_guarantee(l, TACIT_UNIT_AGENT, NULL, 1e-5, &tc_accountant_pld, &c, &err));
    bool is_private = c.is_private;
    tc_ledger_close(l);
    return is_private;
}

static inline void assert_not_joined(play *p, const char *what)
{
    tacit_error err = {0};
    assert_fails(tc_agent_open(&p->agent, &p->cfg, &err), TACIT_E_STATE, what);
    assert_int_equal(enrolled(p), 0);
}

#endif
