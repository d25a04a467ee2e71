/* crash_test.c - the coordinator dies at every write, before it and after it; answers and requests
 * are lost; agents die at every write of theirs; the server of an agent's store crashes at every call, and
 * forgets what was not on disk, while the agent lives on. The study must end as if nothing had happened: the same
 * trials, the same releases, one for each round, every acknowledged message in its sum.
 *
 * Everything is in one process and deterministic. TACIT_DEEP=1 takes 30 agents and 10 rounds. */
#include "support/coord_world.h"
#include "support/lazy_store.h"

#include "agent/agent.h"

#include <stdlib.h>

enum { MOST = 30, POINTS_MOST = 250 };

static uint64_t agents = 4;
static char document[512];

static double objective(uint64_t agent, double x)
{
    return sin(9 * x) + 0.01 * (double)agent * x;
}

/* ---- the world ---- */

typedef struct party {
    crash_store store;
    tc_agent *agent;
} party;

typedef struct play {
    coord_world w;
    crash_store store; /* the coordinator's */
    char token[64];
    party parties[MOST];
    lazy_store *lazy; /* behind the store of agent 1 */
    /* The network loses call number `lose`, before it arrives or after it was answered. */
    uint64_t calls, lose;
    bool lose_answer;
    uint64_t acknowledged;
} play;

static tc_store *memory_store(void)
{
    tacit_error err = {0};
    tc_store *s;
    assert_ok(tc_store_open(&s, "memory:", true, &err));
    return s;
}

static tacit_status tick(play *p)
{
    tacit_error err = {0};
    int64_t next;
    return tc_coord_tick(p->w.coord, &next, &err);
}

/* As after kill -9: everything that was in memory is gone. */
static void restart_coordinator(play *p)
{
    tc_coord_free(p->w.coord);
    crash_restart(&p->store);
    world_open(&p->w, &p->store.base, 7);
}

static tacit_status lost(tacit_error *err)
{
    return tc_fail(err, TACIT_E_IO, "no answer");
}

static tacit_status call(void *user, const tc_call *call, int *status, tc_text *body,
                         tacit_error *err)
{
    play *p = user;
    bool closes, loses = ++p->calls == p->lose;
    if (loses && !p->lose_answer)
        return lost(err);
    world_carry(&p->w, call, status, body, &closes);
    if (closes)
        (void)tick(p);
    if (p->store.dead) {
        restart_coordinator(p);
        return lost(err);
    }
    p->acknowledged +=
        strcmp(call->method, "POST") == 0 && strstr(call->path, "/messages") && *status == 202;
    return loses ? lost(err) : TACIT_OK;
}

static tc_agent_config config_of(play *p, uint64_t i)
{
    return (tc_agent_config){.store = &p->parties[i].store.base,
                             .transport = {call, p},
                             .study = "s",
                             .join_token = p->token,
                             .ledger = "mine",
                             .accepts_not_private = true,
                             .seeded = true,
                             .seed = 7,
                             .key_salt = i};
}

/* Dies and comes back, also in the middle of coming back. */
static bool open_agent(play *p, uint64_t i)
{
    party *a = &p->parties[i];
    tacit_error err = {0};
    tc_agent_config cfg = config_of(p, i);
    tacit_status status = tc_agent_open(&a->agent, &cfg, &err);
    if (status == TACIT_E_IO)
        crash_restart(&a->store);
    else if (status != TACIT_OK)
        fail_msg("agent %d: %s", (int)i, err.msg);
    return status == TACIT_OK;
}

/* ---- an agent's life ---- */

static tacit_status one_trial(party *a, uint64_t i, tacit_error *err)
{
    tc_study *s = tc_agent_study(a->agent);
    const tc_optimizer *o;
    uint64_t trial = UINT64_MAX;
    double x;
    TC_TRY(tc_study_look(s, &o, err));
    for (uint64_t t = 0; t < tc_optimizer_trials(o); t++) /* one that a dead self left behind */
        if (tc_optimizer_trial(o, t)->state == TC_TRIAL_RUNNING) {
            trial = t;
            x = tc_optimizer_trial(o, t)->values[0];
        }
    tc_study_unlook(s);
    if (trial == UINT64_MAX)
        TC_TRY(tc_study_ask(s, NULL, 0, &trial, &x, err));
    tacit_status status = tc_study_tell(s, trial, NULL, objective(i, x), err);
    return status == TACIT_E_STATE ? TACIT_OK : status;
}

/* False: it is done. */
static bool go_on(play *p, uint64_t i)
{
    party *a = &p->parties[i];
    tacit_error err = {0};
    tc_agent_next next = TC_AGENT_WAIT;
    if (!a->agent && !open_agent(p, i))
        return true;
    tacit_status status = tc_agent_step(a->agent, 0, &next, &err);
    if (status == TACIT_OK && next == TC_AGENT_TRIAL)
        status = one_trial(a, i, &err);
    if (status == TACIT_E_IO && a->store.dead) { /* it was the agent that died */
        tc_agent_close(a->agent);
        a->agent = NULL;
        crash_restart(&a->store);
    } else if (status != TACIT_OK && status != TACIT_E_IO) {
        fail_msg("agent %d: %s", (int)i, err.msg);
    }
    return next != TC_AGENT_DONE;
}

/* ---- a whole study ---- */

static void begin(play *p)
{
    *p = (play){.w = {.now_ms = 1000}};
    crash_init(&p->store, memory_store());
    world_open(&p->w, &p->store.base, 7);
    world_create(&p->w, "s", document);
    world_join_token(&p->w, (int)agents, p->token);
    p->lazy = lazy_new();
    assert_non_null(p->lazy);
    for (uint64_t i = 0; i < agents; i++)
        crash_init(&p->parties[i].store, i == 1 ? lazy_store_of(p->lazy) : memory_store());
}

/* Agents take turns; each enrols before the next, so that places are known. */
static void finish(play *p)
{
    for (uint64_t i = 0; i < agents; i++)
        while (!p->parties[i].agent && !open_agent(p, i))
            ;
    for (bool any = true; any;) {
        any = false;
        for (uint64_t i = 0; i < agents; i++)
            any |= go_on(p, i);
        (void)tick(p);
        if (p->store.dead)
            restart_coordinator(p);
    }
}

static void end(play *p)
{
    for (uint64_t i = 0; i < agents; i++) {
        tc_agent_close(p->parties[i].agent);
        crash_fini(&p->parties[i].store);
    }
    tc_coord_free(p->w.coord);
    crash_fini(&p->store);
}

static tc_ledger *ledger_of(tc_store *s, const char *name)
{
    tacit_error err = {0};
    tc_ledger_io io;
    tc_ledger *l;
    assert_ok(tc_store_ledger(s, name, false, &io, &err));
    assert_ok(tc_ledger_open(&l, name, &io, &err));
    return l;
}

/* What a study came to: a hash of all trials, the ledger's head, what agents have pledged. */
typedef struct outcome {
    tacit_hash trials;
    tacit_head head;
    uint64_t pledged;
} outcome;

static void note_trials(play *p, tc_text *out)
{
    tacit_error err = {0};
    const tc_optimizer *o;
    for (uint64_t i = 0; i < agents; i++) {
        tc_study *s = tc_agent_study(p->parties[i].agent);
        assert_ok(tc_study_look(s, &o, &err));
        for (uint64_t t = 0; t < tc_optimizer_trials(o); t++)
            tc_text_addf(out, "%a %a\n", tc_optimizer_trial(o, t)->values[0],
                         tc_optimizer_trial(o, t)->value);
        tc_study_unlook(s);
    }
}

static outcome outcome_of(play *p)
{
    tc_text text = {0};
    outcome out = {.pledged = 0};
    note_trials(p, &text);
    out.trials = tc_hash_bytes(tc_text_get(&text), text.len);
    tc_text_fini(&text);
    tc_ledger *l = ledger_of(p->store.disk, "s");
    out.head = tc_ledger_get_head(l);
    tc_ledger_close(l);
    for (uint64_t i = 0; i < agents; i++) {
        l = ledger_of(p->parties[i].store.disk, "mine");
        out.pledged += tc_ledger_get_head(l).seq;
        tc_ledger_close(l);
    }
    return out;
}

/* The same trials and the same chain of releases, hence the same bytes; nothing is paid twice, and
 * nothing less than what was sent. */
static void assert_same(const outcome *a, const outcome *b)
{
    assert_memory_equal(&a->trials, &b->trials, sizeof a->trials);
    assert_int_equal(a->head.seq, b->head.seq);
    assert_memory_equal(&a->head.hash, &b->head.hash, sizeof a->head.hash);
    assert_int_equal(a->pledged, b->pledged);
}

/* A sum leaves no contribution behind, whoever died when; a relay keeps messages to hand them on. */
static void assert_erased(play *p)
{
    tacit_error err = {0};
    tc_record_range all = {.study = 1, .kind = TC_RECORD_MESSAGE};
    uint64_t n;
    (void)tick(p);
    assert_ok(tc_store_record_count(p->store.disk, &all, &n, &err));
    assert_true((n == 0) == (strstr(document, "dp-fts-de") != NULL));
}

typedef struct reference {
    outcome plain;
    uint64_t writes, agent_writes, agent_points, calls;
} reference;

static void run_plain(reference *r)
{
    play *p = tc_alloc(1, sizeof *p);
    begin(p);
    uint64_t before = p->store.writes;
    finish(p);
    r->agent_points = p->lazy->points;
    r->plain = outcome_of(p);
    r->writes = p->store.writes - before;
    r->agent_writes = p->parties[1].store.writes;
    r->calls = p->calls;
    assert_int_equal(p->acknowledged, r->plain.pledged);
    end(p);
    tc_free(p);
}

/* ---- the tests ---- */

static int make_reference(void **state, const char *algorithm, const char *privacy)
{
    static reference r;
    snprintf(document, sizeof document,
             "{\"name\": \"s\", \"direction\": \"maximize\", \"trials\": %d, \"seed\": 7,"
             " \"space\": {\"x\": {\"type\": \"float\", \"low\": 0, \"high\": 1}},"
             " \"algorithm\": {\"name\": %s},"
             " \"federation\": {\"agents\": %d}, \"privacy\": %s}",
             getenv("TACIT_DEEP") ? 12 : 5, algorithm, (int)agents, privacy);
    run_plain(&r);
    *state = &r;
    return 0;
}

static int with_sums(void **state)
{
    return make_reference(state,
                          "\"dp-fts-de\", \"features\": 8, \"initial\": 3, \"releases\": \"all\"",
                          "{\"epsilon\": 9, \"delta\": 0.01}");
}

/* Two rounds without a trial in between, and what is sent in the second follows from the first. */
static int with_a_vote(void **state)
{
    return make_reference(state,
                          "\"dp-fts-de\", \"features\": 8, \"initial\": 3, \"own\": \"gp\","
                          " \"init\": \"domain\", \"lengthscale\": 0, \"vote\": \"yes\","
                          " \"releases\": \"all\"",
                          "{\"epsilon\": 9, \"delta\": 0.01}");
}

/* Messages are handed on one by one, one of every agent in every round. */
static int with_a_relay(void **state)
{
    return make_reference(state,
                          "\"fts\", \"own\": \"features\", \"features\": 8, \"initial\": 2,"
                          " \"mode\": \"general\", \"schedule\": \"constant\", \"follow\": 0.5",
                          "\"none\"");
}

/* All messages are read before a trial, and fits are events. */
static int with_an_own_process(void **state)
{
    return make_reference(state, "\"fts\", \"features\": 8, \"initial\": 3, \"mode\": \"general\"",
                          "\"none\"");
}

typedef enum victim { COORDINATOR, AGENT, AGENT_SERVER, NETWORK } victim;

static void run_with(const reference *r, victim who, uint64_t at, bool after)
{
    play *p = tc_alloc(1, sizeof *p);
    begin(p);
    if (who == COORDINATOR)
        p->store.at = p->store.writes + at;
    else if (who == AGENT)
        p->parties[1].store.at = at;
    else if (who == AGENT_SERVER)
        p->lazy->at = at;
    else
        p->lose = at;
    p->store.after = p->parties[1].store.after = p->lose_answer = after;
    p->lazy->fails = after;
    finish(p);
    outcome out = outcome_of(p);
    assert_same(&r->plain, &out);
    assert_erased(p);
    end(p);
    tc_free(p);
}

/* At every point, before it and after it; where there are very many, at some that are spread evenly. */
static void run_at_points(const reference *r, victim who, uint64_t n)
{
    uint64_t step = n / POINTS_MOST + 1, points = 0;
    for (uint64_t at = 1; at <= n; at += step)
        for (int after = 0; after < 2; after++, points++)
            run_with(r, who, at, after);
    print_message("%d points\n", (int)points);
}

static void the_coordinator_dies_at_every_write(void **state)
{
    const reference *r = *state;
    assert_true(r->writes > 10);
    run_at_points(r, COORDINATOR, r->writes);
}

static void an_agent_dies_at_every_write(void **state)
{
    const reference *r = *state;
    assert_true(r->agent_writes > 20);
    run_at_points(r, AGENT, r->agent_writes);
}

static void the_server_of_an_agent_forgets_at_every_point(void **state)
{
    const reference *r = *state;
    assert_true(r->agent_points > 20);
    run_at_points(r, AGENT_SERVER, r->agent_points);
}

static void every_request_and_every_answer_is_lost(void **state)
{
    const reference *r = *state;
    run_at_points(r, NETWORK, r->calls);
}

int main(void)
{
    agents = getenv("TACIT_DEEP") ? 30 : 4;
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_coordinator_dies_at_every_write),
        cmocka_unit_test(an_agent_dies_at_every_write),
        cmocka_unit_test(the_server_of_an_agent_forgets_at_every_point),
        cmocka_unit_test(every_request_and_every_answer_is_lost),
    };
    return cmocka_run_group_tests_name("sums", tests, with_sums, NULL) +
           cmocka_run_group_tests_name("vote", tests, with_a_vote, NULL) +
           cmocka_run_group_tests_name("relay", tests, with_a_relay, NULL) +
           cmocka_run_group_tests_name("own process", tests, with_an_own_process, NULL);
}
