/* leave_test.c - an agent that withdraws, and one that changes its key: whatever is lost on the way, the same again
 * ends it, and it is still the same agent. */
#include "support/coord_world.h"

#include "agent/agent.h"
#include "study/erase.h"
#include "support/crash_store.h"

typedef struct play {
    coord_world w;
    char token[64];
    crash_store disk; /* the agent's */
    tc_agent_config cfg;
    int lost;    /* answers that are lost from now on ... */
    bool before; /* ... or requests, before they arrive */
} play;

static tacit_status call(void *user, const tc_call *c, int *status, tc_text *body, tacit_error *err)
{
    play *p = user;
    bool closes;
    bool lost = p->lost > 0;
    p->lost -= lost;
    if (lost && p->before)
        return tc_fail(err, TACIT_E_IO, "nobody answers");
    world_carry(&p->w, c, status, body, &closes);
    if (!lost)
        return TACIT_OK;
    body->len = 0;
    return tc_fail(err, TACIT_E_IO, "nobody answers");
}

static int begin(void **state)
{
    tacit_error err = {0};
    static play p;
    tc_store *memory;
    p = (play){.w = {.now_ms = 1000000}};
    assert_ok(tc_store_open(&memory, "memory:", true, &err));
    world_open(&p.w, memory, 7);
    world_create(&p.w, "s",
                 "{\"name\": \"s\", \"direction\": \"maximize\", \"trials\": 3, \"seed\": 7,"
                 " \"space\": {\"x\": {\"type\": \"float\", \"low\": 0, \"high\": 1}},"
                 " \"algorithm\": {\"name\": \"dp-fts-de\", \"features\": 8, \"initial\": 2,"
                 " \"releases\": \"all\"}, \"federation\": {\"agents\": 2, \"deadline_s\": 60},"
                 " \"privacy\": {\"epsilon\": 5, \"delta\": 1e-5}}");
    world_join_token(&p.w, 1, p.token);
    assert_ok(tc_store_open(&memory, "memory:", true, &err));
    crash_init(&p.disk, memory);
    p.cfg = (tc_agent_config){.store = &p.disk.base,
                              .transport = {call, &p},
                              .study = "s",
                              .join_token = p.token,
                              .accepts_not_private = true,
                              .ledger = "mine"};
    *state = &p;
    return 0;
}

static int end(void **state)
{
    play *p = *state;
    crash_fini(&p->disk);
    world_close(&p->w);
    return 0;
}

/* Starts, and is gone again. */
static tacit_status start(play *p, uint64_t *number, tacit_error *err)
{
    tc_agent *a = NULL;
    tacit_status status = tc_agent_open(&a, &p->cfg, err);
    if (status == TACIT_OK)
        *number = tc_agent_number(a);
    tc_agent_close(a);
    return status;
}

static void enrol(play *p)
{
    uint64_t number = 9;
    tacit_error err = {0};
    assert_ok(start(p, &number, &err));
    assert_int_equal(number, 0);
    p->cfg.join_token = NULL;
}

static json_t *roster(play *p)
{
    json_t *a;
    assert_int_equal(
        world_call(&p->w, "GET", "/v1/studies/s/agents", p->w.operator_token, NULL, &a), 200);
    return a;
}

static void fingerprint(play *p, char out[65])
{
    json_t *a = roster(p);
    assert_int_equal(json_array_size(json_object_get(a, "agents")), 1);
    snprintf(out, 65, "%s",
             world_text(json_array_get(json_object_get(a, "agents"), 0), "fingerprint"));
    json_decref(a);
}

/* ---- another key ---- */

static void a_key_is_changed_and_the_agent_is_the_same(void **state)
{
    play *p = *state;
    tacit_error err = {0};
    uint64_t number = 9;
    char before[65], after[65];
    enrol(p);
    fingerprint(p, before);
    for (int i = 0; i < 3; i++) {
        assert_ok(tc_agent_new_key(&p->cfg, &number, &err));
        assert_int_equal(number, 0);
        fingerprint(p, after);
        assert_string_not_equal(before, after);
        snprintf(before, sizeof before, "%s", after);
        assert_ok(start(p, &number, &err));
        assert_int_equal(number, 0);
    }
}

static void an_answer_or_a_request_may_be_lost(void **state)
{
    (void)state;
    for (int before = 0; before < 2; before++)
        for (int how = 0; how < 2; how++) { /* the same again, or the agent's next start */
            void *s;
            tacit_error err = {0};
            uint64_t number = 9;
            char was[65], now[65];
            assert_int_equal(begin(&s), 0);
            play *p = s;
            enrol(p);
            fingerprint(p, was);
            p->lost = 1;
            p->before = before;
            assert_fails(tc_agent_new_key(&p->cfg, &number, &err), TACIT_E_IO, "nobody answers");
            if (how == 0)
                assert_ok(tc_agent_new_key(&p->cfg, &number, &err));
            else
                assert_ok(start(p, &number, &err));
            assert_int_equal(number, 0);
            fingerprint(p, now);
            assert_string_not_equal(was, now);
            assert_ok(start(p, &number, &err));
            end(&s);
        }
}

/* Dies before, or just after, each of its writes. */
static void it_may_be_killed_at_any_write(void **state)
{
    int changed = 0;
    (void)state;
    for (uint64_t at = 1; at <= 3; at++)
        for (int after = 0; after < 2; after++) {
            void *s;
            tacit_error err = {0};
            uint64_t number = 9;
            char was[65], now[65];
            assert_int_equal(begin(&s), 0);
            play *p = s;
            enrol(p);
            fingerprint(p, was);
            p->disk.at = p->disk.writes + at;
            p->disk.after = after;
            (void)tc_agent_new_key(&p->cfg, &number, &err);
            crash_restart(&p->disk);
            p->disk.at = 0;
            assert_ok(start(p, &number, &err));
            assert_int_equal(number, 0);
            fingerprint(p, now);
            changed += strcmp(was, now) != 0;
            assert_ok(tc_agent_new_key(&p->cfg, &number, &err));
            assert_ok(start(p, &number, &err));
            end(&s);
        }
    assert_in_range(changed, 3, 5);
}

/* Who comes too late to ask again is told what helps, and it does. */
static void too_late_it_needs_its_operator(void **state)
{
    play *p = *state;
    tacit_error err = {0};
    uint64_t number = 9;
    json_t *a;
    enrol(p);
    p->lost = 1;
    assert_int_equal(tc_agent_new_key(&p->cfg, &number, &err), TACIT_E_IO);
    p->w.now_ms += 3600 * 1000;
    assert_fails(start(p, &number, &err), TACIT_E_STATE,
                 "the coordinator refuses another key for agent 0: the token is not valid; a join "
                 "token would enrol this agent again, or its operator can revoke it and readmit it "
                 "with a token of its place");
    const char *op = p->w.operator_token;
    assert_int_equal(world_call(&p->w, "POST", "/v1/studies/s/agents/0:revoke", op, NULL, NULL),
                     200);
    assert_int_equal(world_call(&p->w, "POST", "/v1/studies/s/agents/0:readmit", op, "{}", &a),
                     201);
    snprintf(p->token, sizeof p->token, "%s", world_text(a, "token"));
    json_decref(a);
    p->cfg.join_token = p->token;
    assert_ok(start(p, &number, &err));
    assert_int_equal(number, 0);
}

/* A join token brings back who comes too late: the coordinator says that the present key was replaced, so it is the other one. */
static void too_late_a_join_token_helps_as_well(void **state)
{
    play *p = *state;
    tacit_error err = {0};
    uint64_t number = 9;
    char was[65], now[65];
    enrol(p);
    fingerprint(p, was);
    p->lost = 1;
    assert_int_equal(tc_agent_new_key(&p->cfg, &number, &err), TACIT_E_IO);
    p->w.now_ms += 3600 * 1000;
    world_join_token(&p->w, 1, p->token);
    p->cfg.join_token = p->token;
    assert_ok(tc_agent_new_key(&p->cfg, &number, &err)); /* ends the change that was begun */
    assert_int_equal(number, 0);
    fingerprint(p, now); /* of the one agent that there is */
    assert_string_not_equal(was, now);
    p->cfg.join_token = NULL;
    assert_ok(start(p, &number, &err));
    assert_int_equal(number, 0);
    assert_ok(tc_agent_withdraw(&p->cfg, &number, &err));
}

/* ---- withdrawing ---- */

static void who_withdraws_is_gone(void **state)
{
    play *p = *state;
    tacit_error err = {0};
    uint64_t number = 9;
    enrol(p);
    p->lost = 1; /* the answer */
    assert_int_equal(tc_agent_withdraw(&p->cfg, &number, &err), TACIT_E_IO);
    assert_ok(tc_agent_withdraw(&p->cfg, &number, &err));
    assert_int_equal(number, 0);
    json_t *a = roster(p);
    assert_true(json_is_true(
        json_object_get(json_array_get(json_object_get(a, "agents"), 0), "withdrawn")));
    json_decref(a);
    assert_int_equal(start(p, &number, &err), TACIT_E_STATE);
    p->cfg.join_token = p->token;
    assert_fails(start(p, &number, &err), TACIT_E_STATE,
                 "the coordinator refuses to enrol this agent: this agent has withdrawn");
}

static void a_storage_without_a_place_says_so(void **state)
{
    play *p = *state;
    tacit_error err = {0};
    uint64_t number;
    assert_fails(tc_agent_withdraw(&p->cfg, &number, &err), TACIT_E_STATE,
                 "the storage has no place in a study \"s\"");
    assert_fails(tc_agent_new_key(&p->cfg, &number, &err), TACIT_E_STATE,
                 "the storage has no place in a study \"s\"");
}

static void who_was_revoked_cannot_withdraw(void **state)
{
    play *p = *state;
    tacit_error err = {0};
    uint64_t number;
    enrol(p);
    assert_int_equal(
        world_call(&p->w, "POST", "/v1/studies/s/agents/0:revoke", p->w.operator_token, NULL, NULL),
        200);
    assert_fails(tc_agent_withdraw(&p->cfg, &number, &err), TACIT_E_STATE,
                 "the coordinator refuses to let this agent go: the token is not valid");
}

/* ---- erased ---- */

/* Its ledger has paid for what it sent, and would pay for nothing else. */
static void who_erased_a_study_does_not_come_back_to_it(void **state)
{
    static const char why[] =
        "this storage took part in study \"s\", and it was erased here: what it sent is paid for, "
        "and what it would send now would not be";
    play *p = *state;
    tacit_error err = {0};
    uint64_t number = 9;
    tc_record mine = {.kind = TC_RECORD_KEY, .key = "s", .key_size = 1}, got;
    const tc_record seen = {.kind = TC_RECORD_RECEIPT, .key = "s", .key_size = 1};
    enrol(p);
    assert_ok(tc_store_record_keep(p->cfg.store, &seen, 0, "a head", 6, &err));
    assert_ok(tc_study_erase(p->cfg.store, "s", &err));
    assert_ok(tc_store_record_find(p->cfg.store, &mine, &got, &err));
    assert_int_equal(got.version, 0); /* the key is gone */
    assert_ok(tc_store_record_find(p->cfg.store, &seen, &got, &err));
    assert_int_equal(got.version, 0); /* and what was seen of a ledger of that name */
    world_join_token(&p->w, 1, p->token);
    p->cfg.join_token = p->token;
    assert_fails(start(p, &number, &err), TACIT_E_STATE, why);
    p->cfg.as = "another";
    assert_fails(start(p, &number, &err), TACIT_E_STATE, why);
    json_t *a = roster(p);
    assert_int_equal(json_array_size(json_object_get(a, "agents")), 1);
    json_decref(a);
}

/* Dies at each of its writes: what is left is the agent that it was, or a study that is to be erased once more. */
static void an_end_that_was_interrupted_is_ended(void **state)
{
    (void)state;
    for (uint64_t at = 1; at <= 2; at++)
        for (int after = 0; after < 2; after++) {
            void *s;
            tacit_error err = {0};
            uint64_t number = 9;
            assert_int_equal(begin(&s), 0);
            play *p = s;
            enrol(p);
            p->disk.at = p->disk.writes + at;
            p->disk.after = after;
            assert_int_equal(tc_study_erase(p->cfg.store, "s", &err), TACIT_E_IO);
            crash_restart(&p->disk);
            p->disk.at = 0;
            world_join_token(&p->w, 1, p->token);
            p->cfg.join_token = p->token;
            bool same = at == 1 && !after, gone = at == 2 && after;
            assert_int_equal(start(p, &number, &err), same ? TACIT_OK : TACIT_E_STATE);
            assert_int_equal(tc_study_erase(p->cfg.store, "s", &err),
                             gone ? TACIT_E_NOT_FOUND : TACIT_OK);
            assert_int_equal(start(p, &number, &err), TACIT_E_STATE);
            end(&s);
        }
}

#define IN_PLAY(test) cmocka_unit_test_setup_teardown(test, begin, end)

int main(void)
{
    const struct CMUnitTest tests[] = {
        IN_PLAY(a_key_is_changed_and_the_agent_is_the_same),
        cmocka_unit_test(an_answer_or_a_request_may_be_lost),
        cmocka_unit_test(it_may_be_killed_at_any_write),
        IN_PLAY(too_late_it_needs_its_operator),
        IN_PLAY(too_late_a_join_token_helps_as_well),
        IN_PLAY(who_withdraws_is_gone),
        IN_PLAY(a_storage_without_a_place_says_so),
        IN_PLAY(who_was_revoked_cannot_withdraw),
        IN_PLAY(who_erased_a_study_does_not_come_back_to_it),
        cmocka_unit_test(an_end_that_was_interrupted_is_ended),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
