/* trust_world.h - a whole study with trustees in one process: a coordinator without sockets, its agents and its trustees, each
 * with a store that may die (crash_store.h). The network is a function call, and a hook sees every call and every
 * answer on it: it may lie, as a coordinator can, or lose them.
 *
 * The clock is moved on where nobody has anything to do. */
#ifndef TEST_TRUST_WORLD_H
#define TEST_TRUST_WORLD_H

#include "support/coord_world.h"
#include "support/crash_store.h"

#include "agent/agent.h"
#include "trustee/trustee.h"

#include <math.h>
#include <stdarg.h>

enum { TRUST_AGENTS = 5, TRUST_TRUSTEES = 8, TRUST_SAID = 16 };

struct trust_world;

/* Who has the store and speaks. */
typedef struct trust_party {
    struct trust_world *in;
    uint64_t number; /* as it enrolled */
    bool trustee;
    crash_store store;
    tc_agent *agent;
    tc_trustee *acts;
    bool absent, done;
    tc_store *kept; /* of a test */
} trust_party;

/* Sees a call before it arrives (answer NULL), and its answer afterwards, which it may replace. False: it is lost. */
typedef bool (*trust_hook)(struct trust_world *w, trust_party *who, const tc_call *call,
                           int *status, tc_text *answer);

typedef struct trust_world {
    coord_world w;
    crash_store store; /* the coordinator's */
    trust_party agents[TRUST_AGENTS], trustees[TRUST_TRUSTEES];
    uint64_t n, k;
    char join_agents[64], join_trustees[64];
    trust_hook hook;
    void *user; /* the hook's */
    uint64_t calls;
    const char *pinned; /* the roster that agents and trustees are told to expect; NULL: any */
    char said[TRUST_SAID][600]; /* by trustees: refusals and conflicts; and by whom */
    tacit_trustee_event_kind kinds[TRUST_SAID];
    uint64_t n_said;
    char failed[600]; /* why an agent or a trustee ended; "": none did */
    bool may_fail;
} trust_world;

static inline tc_store *trust_memory(void)
{
    tacit_error err = {0};
    tc_store *s;
    assert_ok(tc_store_open(&s, "memory:", true, &err));
    return s;
}

static inline double trust_objective(uint64_t agent, double x)
{
    return sin(9 * x) + 0.01 * (double)agent * x;
}

/* ---- the network ---- */

static inline void trust_tick(trust_world *w)
{
    tacit_error err = {0};
    int64_t next;
    (void)tc_coord_tick(w->w.coord, &next, &err);
}

/* As after kill -9. */
static inline void trust_restart_coordinator(trust_world *w)
{
    tc_coord_free(w->w.coord);
    crash_restart(&w->store);
    world_open(&w->w, &w->store.base, 7);
}

static inline tacit_status trust_call(void *user, const tc_call *call, int *status, tc_text *body,
                                      tacit_error *err)
{
    trust_party *who = user;
    trust_world *w = who->in;
    bool closes;
    w->calls++;
    if (w->hook && !w->hook(w, who, call, status, NULL))
        return tc_fail(err, TACIT_E_IO, "no answer");
    world_carry(&w->w, call, status, body, &closes);
    if (closes)
        trust_tick(w);
    if (w->store.dead) {
        trust_restart_coordinator(w);
        return tc_fail(err, TACIT_E_IO, "no answer");
    }
    if (w->hook && !w->hook(w, who, call, status, body))
        return tc_fail(err, TACIT_E_IO, "no answer");
    return TACIT_OK;
}

static inline void trust_hear(void *user, const tacit_trustee_event *e)
{
    trust_party *who = user;
    trust_world *w = who->in;
    if ((e->kind != TACIT_TRUSTEE_REFUSED && e->kind != TACIT_TRUSTEE_CONFLICT) ||
        w->n_said == TRUST_SAID)
        return;
    w->kinds[w->n_said] = e->kind;
    snprintf(w->said[w->n_said++], sizeof *w->said, "%d: %s", (int)who->number, e->text);
}

/* ---- parties ---- */

static inline tacit_status trust_open(trust_party *p, tacit_error *err)
{
    trust_world *w = p->in;
    if (p->trustee) {
        const tc_trustee_config cfg = {.store = &p->store.base,
                                       .transport = {trust_call, p},
                                       .study = "s",
                                       .join_token = w->join_trustees,
                                       .roster = w->pinned,
                                       .seeded = true,
                                       .seed = 7,
                                       .key_salt = p->number,
                                       .listen = trust_hear,
                                       .listener = p};
        return tc_trustee_open(&p->acts, &cfg, err);
    }
    const tc_agent_config cfg = {.store = &p->store.base,
                                 .transport = {trust_call, p},
                                 .study = "s",
                                 .join_token = w->join_agents,
                                 .ledger = "mine",
                                 .roster = w->pinned,
                                 .accepts_not_private = true,
                                 .seeded = true,
                                 .seed = 7,
                                 .key_salt = p->number};
    return tc_agent_open(&p->agent, &cfg, err);
}

static inline void trust_part(trust_party *p)
{
    tc_agent_close(p->agent);
    tc_trustee_close(p->acts);
    p->agent = NULL;
    p->acts = NULL;
}

static inline tacit_status trust_trial(trust_party *p, tacit_error *err)
{
    tc_study *s = tc_agent_study(p->agent);
    const tc_optimizer *o;
    uint64_t trial = UINT64_MAX;
    double x = 0;
    TC_TRY(tc_study_look(s, &o, err));
    for (uint64_t t = 0; t < tc_optimizer_trials(o); t++) /* one that a dead self left behind */
        if (tc_optimizer_trial(o, t)->state == TC_TRIAL_RUNNING) {
            trial = t;
            x = tc_optimizer_trial(o, t)->values[0];
        }
    tc_study_unlook(s);
    if (trial == UINT64_MAX)
        TC_TRY(tc_study_ask(s, NULL, 0, &trial, &x, err));
    tacit_status status = tc_study_tell(s, trial, NULL, trust_objective(p->number, x), err);
    return status == TACIT_E_STATE ? TACIT_OK : status;
}

/* *idle: there was nothing to do. */
static inline tacit_status trust_step(trust_party *p, bool *idle, tacit_error *err)
{
    tc_trustee_next next;
    tc_agent_next then;
    *idle = false;
    if (!p->agent && !p->acts)
        return trust_open(p, err);
    if (p->trustee) {
        TC_TRY(tc_trustee_step(p->acts, 0, &next, err));
        *idle = next == TC_TRUSTEE_WAIT;
        p->done = next == TC_TRUSTEE_DONE;
        return TACIT_OK;
    }
    TC_TRY(tc_agent_step(p->agent, 0, &then, err));
    *idle = then == TC_AGENT_WAIT;
    p->done = then == TC_AGENT_DONE;
    return then == TC_AGENT_TRIAL ? trust_trial(p, err) : TACIT_OK;
}

/* Something was done; a party that died is open again at the next turn. */
static inline bool trust_turn(trust_party *p)
{
    tacit_error err = {0};
    bool idle = true;
    if (p->done || p->absent)
        return false;
    tacit_status status = trust_step(p, &idle, &err);
    if (status == TACIT_OK)
        return !idle;
    if (status == TACIT_E_IO && p->store.dead) {
        trust_part(p);
        crash_restart(&p->store);
        return true;
    }
    if (status == TACIT_E_IO)
        return true;
    if (!p->in->may_fail)
        fail_msg("%s %d: %s", p->trustee ? "trustee" : "agent", (int)p->number, err.msg);
    snprintf(p->in->failed, sizeof p->in->failed, "%s %d: %s", p->trustee ? "trustee" : "agent",
             (int)p->number, err.msg);
    p->done = true;
    return true;
}

/* ---- a whole study ---- */

static inline void trust_begin(trust_world *w, uint64_t n, uint64_t k, const char *document)
{
    char path[64] = "/v1/studies/s/tokens", body[64];
    json_t *a;
    *w = (trust_world){.w = {.now_ms = 1000}, .n = n, .k = k};
    crash_init(&w->store, trust_memory());
    world_open(&w->w, &w->store.base, 7);
    world_create(&w->w, "s", document);
    world_join_token(&w->w, (int)n, w->join_agents);
    snprintf(body, sizeof body, "{\"role\": \"trustee\", \"uses\": %d}", (int)k);
    assert_int_equal(world_call(&w->w, "POST", path, w->w.operator_token, body, &a), 201);
    snprintf(w->join_trustees, sizeof w->join_trustees, "%s", world_text(a, "token"));
    json_decref(a);
    for (uint64_t i = 0; i < n; i++) {
        w->agents[i] = (trust_party){.in = w, .number = i};
        crash_init(&w->agents[i].store, trust_memory());
    }
    for (uint64_t i = 0; i < k; i++) {
        w->trustees[i] = (trust_party){.in = w, .number = i, .trustee = true};
        crash_init(&w->trustees[i].store, trust_memory());
    }
}

/* In this order, so that places are known. */
static inline void trust_enrol(trust_world *w)
{
    for (uint64_t i = 0; i < w->n; i++)
        while (!w->agents[i].agent)
            (void)trust_turn(&w->agents[i]);
    for (uint64_t i = 0; i < w->k; i++)
        while (!w->trustees[i].acts && !w->trustees[i].absent)
            (void)trust_turn(&w->trustees[i]);
}

static inline bool trust_all_done(const trust_world *w)
{
    for (uint64_t i = 0; i < w->n; i++)
        if (!w->agents[i].done && !w->agents[i].absent)
            return false;
    return true;
}

/* In turns, until all agents are done and trustees have nothing to do. */
static inline void trust_run(trust_world *w)
{
    enum { MOST = 100000 };
    trust_enrol(w);
    int turns = 0;
    for (bool any = true; (any || !trust_all_done(w)) && turns < MOST; turns++) {
        any = false;
        for (uint64_t i = 0; i < w->n; i++)
            any |= trust_turn(&w->agents[i]);
        for (uint64_t i = 0; i < w->k; i++)
            any |= trust_turn(&w->trustees[i]);
        if (!any)
            w->w.now_ms += 1000;
        trust_tick(w);
        if (w->store.dead)
            trust_restart_coordinator(w);
    }
    assert_true(turns < MOST);
}

static inline void trust_end(trust_world *w)
{
    for (uint64_t i = 0; i < w->n; i++) {
        trust_part(&w->agents[i]);
        crash_fini(&w->agents[i].store);
    }
    for (uint64_t i = 0; i < w->k; i++) {
        trust_part(&w->trustees[i]);
        crash_fini(&w->trustees[i].store);
    }
    tc_coord_free(w->w.coord);
    crash_fini(&w->store);
}

static inline tc_ledger *trust_ledger(tc_store *s, const char *name)
{
    tacit_error err = {0};
    tc_ledger_io io;
    tc_ledger *l;
    assert_ok(tc_store_ledger(s, name, true, &io, &err));
    assert_ok(tc_ledger_open(&l, name, &io, &err));
    return l;
}

static inline uint64_t trust_releases(trust_world *w)
{
    tc_ledger *l = trust_ledger(w->store.disk, "s");
    uint64_t n = tc_ledger_get_head(l).seq;
    tc_ledger_close(l);
    return n;
}

#endif
