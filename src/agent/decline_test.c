/* decline_test.c - a round that an agent's own ledger refuses: the coordinator is told that nothing will
 * come, in a message that looks like any other; and what an agent does not take part in leaves no trace. */
#include "support/coord_world.h"

#include "agent/agent.h"
#include "base/error.h"

enum { AGENTS = 3 };

typedef struct network {
    coord_world *w;
    bool deaf;      /* answers to messages are lost */
    size_t lengths; /* of the bodies of messages, all of one round together */
    int messages, declines;
} network;

typedef struct member {
    tc_store *store;
    tc_agent *agent;
    tc_agent_config cfg;
    network net;
} member;

static void count(network *n, const tc_call *call)
{
    n->lengths += call->n_body;
    n->declines += strstr(call->body, "\"decline\"") != NULL;
    n->messages += strstr(call->body, "\"message\"") != NULL;
}

static tacit_status call(void *user, const tc_call *call, int *status, tc_text *body,
                         tacit_error *err)
{
    network *n = user;
    bool closes, message = call->signature != NULL;
    if (message)
        count(n, call);
    world_carry(n->w, call, status, body, &closes);
    if (closes)
        world_tick(n->w);
    return message && n->deaf ? tc_fail(err, TACIT_E_IO, "no answer") : TACIT_OK;
}

static void create(coord_world *w, const char *algorithm, const char *privacy)
{
    tacit_error err = {0};
    tc_store *store;
    char text[1024];
    *w = (coord_world){.now_ms = 1000000};
    assert_ok(tc_store_open(&store, "memory:", true, &err));
    world_open(w, store, 7);
    snprintf(text, sizeof text,
             "{\"name\": \"s\", \"direction\": \"maximize\", \"trials\": 6, \"seed\": 7,"
             " \"space\": {\"x\": {\"type\": \"float\", \"low\": 0, \"high\": 1}},"
             " \"algorithm\": {\"name\": %s}, \"federation\": {\"agents\": 3}, \"privacy\": %s}",
             algorithm, privacy);
    world_create(w, "s", text);
}

/* The study has no deadline: a round ends when all have answered. */
static void create_private(coord_world *w)
{
    create(w, "\"dp-fts-de\", \"features\": 8, \"initial\": 2, \"releases\": \"all\"",
           "{\"epsilon\": 5, \"delta\": 0.01}");
}

/* epsilon 0: no limit. */
static void configure(member *m, coord_world *w, uint64_t i, const char *token, double epsilon)
{
    tacit_error err = {0};
    *m = (member){.net = {.w = w}};
    assert_ok(tc_store_open(&m->store, "memory:", true, &err));
    m->cfg = (tc_agent_config){
        .store = m->store,
        .transport = {call, &m->net},
        .study = "s",
        .join_token = token,
        .ledger = "mine",
        .limited = epsilon > 0,
        .limit = {.epsilon = epsilon, .delta = 0.01, .accountant = &tc_accountant_pld},
        .accepts_not_private = true,
        .seeded = true,
        .seed = 7,
        .key_salt = i};
}

static void join_all(coord_world *w, member *members, double poor)
{
    tacit_error err = {0};
    static char token[64];
    world_join_token(w, AGENTS, token);
    for (uint64_t i = 0; i < AGENTS; i++) {
        configure(&members[i], w, i, token, i == 1 ? poor : 0);
        assert_ok(tc_agent_open(&members[i].agent, &members[i].cfg, &err));
    }
}

static void part(coord_world *w, member *members)
{
    for (size_t i = 0; i < AGENTS; i++) {
        tc_agent_close(members[i].agent);
        tc_store_close(members[i].store);
    }
    world_close(w);
}

static tacit_status step(member *m, tc_agent_next *next, tacit_error *err)
{
    uint64_t trial;
    double x;
    TC_TRY(tc_agent_step(m->agent, 0, next, err));
    if (*next != TC_AGENT_TRIAL)
        return TACIT_OK;
    TC_TRY(tc_study_ask(tc_agent_study(m->agent), NULL, 0, &trial, &x, err));
    return tc_study_tell(tc_agent_study(m->agent), trial, NULL, x, err);
}

/* In turns until all are done; false: somebody waits for ever. */
static bool run(member *members)
{
    tacit_error err = {0};
    bool all = false;
    for (int k = 0; k < 200 && !all; k++) {
        all = true;
        for (size_t i = 0; i < AGENTS; i++) {
            tc_agent_next next;
            assert_ok(step(&members[i], &next, &err));
            all = all && next == TC_AGENT_DONE;
        }
    }
    return all;
}

static uint64_t entries_of(tc_store *s, const char *name)
{
    tacit_error err = {0};
    tc_ledger_io io;
    tc_ledger *l;
    assert_ok(tc_store_ledger(s, name, true, &io, &err));
    assert_ok(tc_ledger_open(&l, name, &io, &err));
    uint64_t n = tc_ledger_get_head(l).seq;
    tc_ledger_close(l);
    return n;
}

/* One agent may spend next to nothing: every round is declined, none is held up. */
static void a_round_that_is_refused_does_not_wait(void **state)
{
    coord_world w;
    member members[AGENTS];
    (void)state;
    create_private(&w);
    join_all(&w, members, 1e-6);
    assert_true(run(members));
    assert_int_equal(entries_of(w.store, "s"), 4); /* every round was released */
    assert_int_equal(members[1].net.declines, 4);
    assert_int_equal(members[1].net.messages, 0);
    assert_int_equal(entries_of(members[1].store, "mine"), 0); /* at no cost */
    assert_int_equal(members[0].net.messages, 4);
    assert_int_equal(members[0].net.declines, 0);
    assert_int_equal(members[0].net.lengths, members[1].net.lengths); /* and looks like the rest */
    part(&w, members);
}

/* What round 0 releases where the poor agent declines, or was revoked. The bytes are for tc_free. */
static void release_without_one(bool declines, uint8_t **bytes, size_t *n)
{
    tacit_error err = {0};
    coord_world w;
    member members[AGENTS];
    tc_agent_next next;
    create_private(&w);
    join_all(&w, members, 1e-6);
    if (!declines)
        assert_int_equal(
            world_call(&w, "POST", "/v1/studies/s/agents/1:revoke", w.operator_token, NULL, NULL),
            200);
    for (int k = 0; k < 40; k++)
        for (size_t i = 0; i < AGENTS; i++)
            if (declines || i != 1) {
                assert_ok(step(&members[i], &next, &err));
                world_tick(&w);
            }
    assert_int_equal(world_broadcast(&w, w.operator_token, 0, bytes, n), 200);
    part(&w, members);
}

static void a_refusal_adds_nothing(void **state)
{
    uint8_t *with, *without;
    size_t n_with, n_without;
    (void)state;
    release_without_one(true, &with, &n_with);
    release_without_one(false, &without, &n_without);
    assert_int_equal(n_with, n_without);
    assert_memory_equal(with, without, n_with);
    tc_free(with);
    tc_free(without);
}

/* The answer is lost and the agent has more to spend when it comes back: the refusal stands. */
static void a_refusal_stands(void **state)
{
    tacit_error err = {0};
    coord_world w;
    member members[AGENTS];
    tc_agent_next next = TC_AGENT_AGAIN;
    (void)state;
    create_private(&w);
    join_all(&w, members, 1e-6);
    member *m = &members[1];
    m->net.deaf = true;
    for (int k = 0; k < 200 && m->net.declines == 0; k++)
        (void)step(m, &next, &err);
    assert_int_equal(m->net.declines, 1);
    assert_int_equal(err.code, TACIT_E_IO);
    tc_agent_close(m->agent);
    m->net.deaf = false;
    m->cfg.limited = false;
    assert_ok(tc_agent_open(&m->agent, &m->cfg, &err));
    assert_true(run(members));
    assert_int_equal(m->net.declines, 2);              /* the same one, twice */
    assert_int_equal(entries_of(m->store, "mine"), 3); /* and then it takes part */
    assert_int_equal(entries_of(w.store, "s"), 4);
    part(&w, members);
}

/* ---- at the coordinator ---- */

static int post(coord_world *w, citizen *c, const char *body)
{
    tc_text text = {0};
    tc_signature s;
    json_t *j;
    tc_signed what = {.purpose = TC_SIGN_MESSAGE,
                      .study = w->hash,
                      .round = 0,
                      .sequence = 1,
                      .body = body,
                      .n_body = strlen(body)};
    tc_sign(&c->secret, &what, &s);
    tc_base64_add(&text, s.bytes, sizeof s.bytes);
    tc_request q = {.method = "POST",
                    .path = "/v1/studies/s/rounds/0/messages",
                    .bearer = c->access,
                    .signature = tc_text_get(&text),
                    .body = body,
                    .n_body = strlen(body)};
    int status = world_request(w, &q, &j);
    json_decref(j);
    tc_text_fini(&text);
    return status;
}

static void only_a_refusal_is_one(void **state)
{
    coord_world w;
    (void)state;
    create_private(&w);
    world_enrol_all(&w, AGENTS);
    citizen *c = &w.agents[0];
    assert_int_equal(post(&w, c, "{\"sequence\": 1}"), 400);
    assert_int_equal(post(&w, c, "{\"sequence\": 1, \"decline\": \"AAAA\", \"message\": \"AAAA\"}"),
                     400);
    assert_int_equal(post(&w, c, "{\"sequence\": 1, \"decline\": \"AAAB\"}"), 400);
    assert_int_equal(post(&w, c, "{\"sequence\": 1, \"decline\": \"?\"}"), 400);
    assert_int_equal(post(&w, c, "{\"sequence\": 1, \"decline\": \"AAAA\"}"), 202);
    assert_int_equal(post(&w, c, "{\"sequence\": 1, \"decline\": \"AAAA\"}"), 200); /* again */
    assert_int_equal(post(&w, c, "{\"sequence\": 1, \"decline\": \"AAAAAAAA\"}"),
                     200); /* and again */
    assert_int_equal(post(&w, c, "{\"sequence\": 1, \"decline\": \"AAAA\", \"x\": 1}"), 400);
    world_close(&w);
}

/* ---- no trace ---- */

static void a_study_that_is_refused_leaves_no_key(void **state)
{
    tacit_error err = {0};
    coord_world w;
    member m;
    char token[64];
    uint64_t n;
    tc_agent_outlook o;
    (void)state;
    create(&w, "\"fts\"", "\"none\"");
    world_join_token(&w, 1, token);
    configure(&m, &w, 0, token, 0);
    m.cfg.accepts_not_private = false;
    assert_ok(tc_agent_preview(&m.cfg, &o, &err));
    assert_int_equal(o.objection.code, TACIT_E_STATE);
    assert_non_null(strstr(o.objection.msg, "protects nothing"));
    tc_study_doc_free(o.document);
    assert_fails(tc_agent_open(&m.agent, &m.cfg, &err), TACIT_E_STATE, "protects nothing");
    for (int kind = TC_RECORD_FIRST; kind <= TC_RECORD_LAST; kind++) {
        tc_record_range all = {.kind = (tc_record_kind)kind};
        assert_ok(tc_store_record_count(m.store, &all, &n, &err));
        assert_int_equal(n, 0);
    }
    m.cfg.accepts_not_private = true;
    assert_ok(tc_agent_preview(&m.cfg, &o, &err));
    assert_int_equal(o.objection.code, TACIT_OK);
    tc_study_doc_free(o.document);
    tc_store_close(m.store);
    world_close(&w);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_round_that_is_refused_does_not_wait),
        cmocka_unit_test(a_refusal_adds_nothing),
        cmocka_unit_test(a_refusal_stands),
        cmocka_unit_test(only_a_refusal_is_one),
        cmocka_unit_test(a_study_that_is_refused_leaves_no_key),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
