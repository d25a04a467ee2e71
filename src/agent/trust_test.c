/* trust_test.c - what an agent agrees to, and what it does when its coordinator lies, forgets or pauses.
 *
 * The coordinator is the real one, behind a function call that changes its answers. Every lie is
 * refused with a sentence of its own, and an agent that was lied to goes on as if nothing had been, once
 * it hears the truth again. */
#include "support/coord_world.h"

#include "agent/agent.h"
#include "base/error.h"

#include <string.h>

#define DE "\"dp-fts-de\", \"features\": 8, \"initial\": 2, \"releases\": \"all\""

/* ---- a coordinator and what is made of its answers ---- */

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

static bool ends_with(const char *text, const char *end)
{
    size_t n = strlen(text), m = strlen(end);
    return n >= m && strcmp(text + n - m, end) == 0;
}

static void answer(const play *p, const char *path, const tc_response *r, tc_text *body)
{
    bool lies = p->at && ends_with(path, p->at);
    json_t *j = lies && p->lie ? json_loads(tc_text_get(&r->body), 0, NULL) : NULL;
    if (!lies) {
        tc_text_add_bytes(body, tc_text_get(&r->body), r->body.len);
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
static void close_round(play *p)
{
    p->w.now_ms += 61000;
    world_tick(&p->w);
}

static tacit_status call(void *user, const tc_call *call, int *status, tc_text *body,
                         tacit_error *err)
{
    play *p = user;
    char path[256];
    tc_response r = {0};
    bool message = strcmp(call->method, "POST") == 0 && ends_with(call->path, "/messages");
    if (message && p->down)
        return tc_fail(err, TACIT_E_IO, "no answer");
    snprintf(path, sizeof path, "%s", call->path);
    char *query = strchr(path, '?');
    if (query)
        *query++ = 0;
    tc_request q = {.method = call->method,
                    .path = path,
                    .query = query,
                    .bearer = call->bearer,
                    .signature = call->signature,
                    .body = call->body,
                    .n_body = call->n_body};
    tc_coord_handle(p->w.coord, &q, &r);
    *status = r.status;
    answer(p, path, &r, body);
    p->posted += message && r.status == 202;
    tc_response_fini(&r);
    return TACIT_OK;
}

static void open_coordinator(play *p, bool seeded)
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

static void begin(play *p, bool seeded, const char *algorithm, const char *privacy)
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

static void begin_private(play *p)
{
    begin(p, false, DE, "{\"epsilon\": 5, \"delta\": 1e-5}");
}

static void end(play *p)
{
    tc_agent_close(p->agent);
    tc_store_close(p->store);
    world_close(&p->w);
}

static void join(play *p)
{
    tacit_error err = {0};
    assert_ok(tc_agent_open(&p->agent, &p->cfg, &err));
}

static void restart(play *p)
{
    tc_agent_close(p->agent);
    p->agent = NULL;
    join(p);
}

static void one_trial(play *p)
{
    tacit_error err = {0};
    uint64_t trial;
    double x;
    tc_study *s = tc_agent_study(p->agent);
    assert_ok(tc_study_ask(s, NULL, 0, &trial, &x, &err));
    assert_ok(tc_study_tell(s, trial, NULL, x, &err));
}

static tacit_status step(play *p, tc_agent_next *next, tacit_error *err)
{
    TC_TRY(tc_agent_step(p->agent, 0, next, err));
    if (*next == TC_AGENT_TRIAL)
        one_trial(p);
    return TACIT_OK;
}

/* Until it waits for a round, or is done. */
static tc_agent_next go_on(play *p)
{
    tacit_error err = {0};
    tc_agent_next next = TC_AGENT_AGAIN;
    while (next != TC_AGENT_WAIT && next != TC_AGENT_DONE)
        assert_ok(step(p, &next, &err));
    return next;
}

/* The same, where a refusal is expected on the way. */
static tacit_status run(play *p, tacit_error *err)
{
    tc_agent_next next = TC_AGENT_AGAIN;
    for (int i = 0; i < 50; i++)
        TC_TRY(step(p, &next, err));
    return TACIT_OK;
}

static void assert_refused(play *p, tacit_status code, const char *what)
{
    tacit_error err = {0};
    assert_fails(run(p, &err), code, what);
}

static void finish(play *p)
{
    for (int i = 0; go_on(p) != TC_AGENT_DONE; i++) {
        assert_true(i < 50);
        close_round(p);
    }
}

static int enrolled(play *p)
{
    json_t *j;
    assert_int_equal(world_call(&p->w, "GET", "/v1/studies/s", p->w.operator_token, NULL, &j), 200);
    int n = (int)json_integer_value(json_object_get(j, "enrolled"));
    json_decref(j);
    return n;
}

static tc_ledger *ledger_of(tc_store *s, const char *name)
{
    tacit_error err = {0};
    tc_ledger_io io;
    tc_ledger *l;
    assert_ok(tc_store_ledger(s, name, true, &io, &err));
    assert_ok(tc_ledger_open(&l, name, &io, &err));
    return l;
}

static bool claims_private(play *p)
{
    tacit_error err = {0};
    tc_ledger_claim c;
    tc_ledger *l = ledger_of(p->store, "mine");
    assert_true(tc_ledger_get_head(l).seq > 0);
    assert_ok(tc_ledger_guarantee(l, TC_UNIT_AGENT, NULL, 1e-5, &tc_accountant_pld, &c, &err));
    bool is_private = c.is_private;
    tc_ledger_close(l);
    return is_private;
}

/* ---- what is agreed to ---- */

static void assert_not_joined(play *p, const char *what)
{
    tacit_error err = {0};
    assert_fails(tc_agent_open(&p->agent, &p->cfg, &err), TACIT_E_STATE, what);
    assert_int_equal(enrolled(p), 0);
}

static void a_private_study_is_taken_part_in(void **state)
{
    play p;
    (void)state;
    begin_private(&p);
    join(&p);
    finish(&p);
    assert_int_equal(p.posted, 5);
    assert_true(claims_private(&p));
    end(&p);
}

static void what_is_not_private_is_refused_before_enrolling(void **state)
{
    static const struct {
        bool seeded;
        const char *privacy, *what;
    } cases[] = {
        {true, "{\"epsilon\": 5, \"delta\": 1e-5}",
         "study \"s\" is NOT PRIVATE (its coordinator's noise comes from a seed), and this agent "
         "was not told to accept that"},
        {false, "\"none\"",
         "study \"s\" protects nothing (its privacy is \"none\"), and this agent was not told to "
         "accept that"},
        {false, "{\"epsilon\": 11, \"delta\": 1e-5}",
         "study \"s\" may spend epsilon 11 at delta 1e-05: without an epsilon of its own this "
         "agent "
         "takes part up to epsilon 10 at delta 1e-05"},
        {false, "{\"epsilon\": 1, \"delta\": 0.2}", "may spend epsilon 1 at delta 0.2:"},
        {false, "{\"noise_multiplier\": 0.0001, \"delta\": 1e-5}", "at delta 1e-05: without an"},
        {false, "{\"noise_multiplier\": 0.4, \"delta\": 1e-5}", "at delta 1e-05: without an"},
    };
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        play p;
        begin(&p, cases[i].seeded, DE, cases[i].privacy);
        assert_not_joined(&p, cases[i].what);
        p.cfg.accepts_not_private = true;
        join(&p);
        assert_int_equal(enrolled(&p), 1);
        end(&p);
    }
}

/* The noise that the document carries, times `times`. */
static void change_noise(json_t *body, double times)
{
    json_t *j = json_loads(json_string_value(json_object_get(body, "document")), 0, NULL);
    json_t *z = json_object_get(json_object_get(json_object_get(j, "privacy"), "calibrated"),
                                "noise_multiplier");
    assert_true(json_is_real(z));
    json_real_set(z, json_real_value(z) * times);
    char *text = tc_json_text(j);
    json_object_set_new(body, "document", json_string(text));
    tc_free(text);
    json_decref(j);
}

static void say_less_noise(json_t *body)
{
    change_noise(body, 1 - 1e-6);
}

/* The coordinator says what noise keeps its promise, and is not believed. */
static void too_little_noise_is_refused(void **state)
{
    play p;
    (void)state;
    begin_private(&p);
    p.at = "/v1/studies/s";
    p.lie = say_less_noise;
    assert_not_joined(&p, "the coordinator's study makes no sense: "
                          "privacy.calibrated.noise_multiplier must be at least ");
    p.at = NULL;
    join(&p);
    finish(&p);
    assert_int_equal(p.posted, 5);
    end(&p);
}

/* A coordinator whose C library has other last digits: its agents find more noise or less by themselves,
 * take what it carries, and all prices agree. */
static void other_last_digits_are_agreed_on(void **state)
{
    static const double times[] = {1 + 1e-13, 1 - 1e-13, 1 + 1e-10, 1 - 1e-10};
    (void)state;
    for (size_t i = 0; i < sizeof times / sizeof *times; i++) {
        play p;
        json_t *j;
        char privacy[400];
        begin_private(&p);
        assert_int_equal(world_call(&p.w, "GET", "/v1/studies/s", p.w.operator_token, NULL, &j),
                         200);
        end(&p);
        change_noise(j, times[i]);
        json_t *document = json_loads(json_string_value(json_object_get(j, "document")), 0, NULL);
        char *text = tc_json_text(json_object_get(document, "privacy"));
        snprintf(privacy, sizeof privacy, "%s", text);
        tc_free(text);
        json_decref(document);
        json_decref(j);
        begin(&p, false, DE, privacy);
        p.cfg.limited = true; /* as much as the study promises, and no more */
        p.cfg.limit =
            (tc_ledger_budget){.epsilon = 5, .delta = 0.01, .accountant = &tc_accountant_pld};
        join(&p);
        finish(&p);
        assert_int_equal(p.posted, 5);
        tc_ledger *mine = ledger_of(p.store, "mine"), *theirs = ledger_of(p.w.store, "s");
        for (uint64_t seq = 1; seq <= 5; seq++)
            assert_same_bits(tc_ledger_get(mine, seq, NULL)->event.parameter,
                             tc_ledger_get(theirs, seq, NULL)->event.parameter);
        tc_ledger_close(mine);
        tc_ledger_close(theirs);
        end(&p);
    }
}

static void promise_half(json_t *body)
{
    const char *text = json_string_value(json_object_get(body, "document"));
    json_t *document = json_loads(text, 0, NULL);
    assert_int_equal(
        json_object_set_new(json_object_get(document, "privacy"), "delta", json_real(0.5)), 0);
    char *changed = tc_json_text(document);
    assert_int_equal(json_object_set_new(body, "document", json_string(changed)), 0);
    tc_free(changed);
    json_decref(document);
}

/* A coordinator may be one that still makes such studies. */
static void a_delta_of_one_in_n_is_no_promise(void **state)
{
    play p;
    tacit_error err = {0};
    (void)state;
    begin_private(&p);
    p.at = "/studies/s";
    p.lie = promise_half;
    for (int limited = 0; limited < 2; limited++) {
        p.cfg.limited = limited;
        p.cfg.limit =
            (tc_ledger_budget){.epsilon = 9, .delta = 1e-5, .accountant = &tc_accountant_pld};
        assert_not_joined(&p,
                          "study \"s\" promises too little: its delta must be below 1/N = "
                          "0.333333 for 3 agents, got 0.5: such a delta allows to publish all of "
                          "one agent's data");
    }
    p.at = NULL;
    p.cfg.limit.delta = 0.4;
    assert_fails(tc_agent_open(&p.agent, &p.cfg, &err), TACIT_E_ARG,
                 "--delta must be below 1/N = 0.333333 for 3 agents, got 0.4");
    assert_int_equal(enrolled(&p), 0);
    end(&p);
}

/* What is warned of elsewhere is agreed to by a limit, not by default. */
static void the_default_limit_is_that_of_privacy_md(void **state)
{
    play p;
    (void)state;
    begin(&p, false, DE, "{\"epsilon\": 5, \"delta\": 0.01}");
    assert_not_joined(&p,
                      "study \"s\" may spend epsilon 5 at delta 0.01: without an epsilon of its "
                      "own this agent takes part up to epsilon 10 at delta 1e-05");
    p.cfg.limited = true;
    p.cfg.limit = (tc_ledger_budget){.epsilon = 5, .delta = 0.01, .accountant = &tc_accountant_pld};
    join(&p);
    end(&p);
}

/* Why a relay's study is not private is said before anybody joins, and by the agent. */
static void a_relay_says_why_it_is_not_private(void **state)
{
    static const struct {
        const char *algorithm, *why;
    } cases[] = {{"\"fts\", \"features\": 8", "messages are handed on without noise"},
                 {DE, "its document promises nothing"}};
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        play p;
        tacit_error err = {0};
        tc_text text = {0}, want = {0};
        json_t *shown;
        begin(&p, false, cases[i].algorithm, "\"none\"");
        assert_int_equal(world_call(&p.w, "GET", "/v1/studies/s", p.w.operator_token, NULL, &shown),
                         200);
        assert_string_equal(world_text(shown, "not_private"), cases[i].why);
        json_decref(shown);
        p.cfg.accepts_not_private = true;
        join(&p);
        assert_ok(tc_agent_promise(p.agent, &text, &err));
        tc_text_addf(&want, "NOT PRIVATE: %s", cases[i].why);
        assert_string_equal(tc_text_get(&text), tc_text_get(&want));
        tc_text_fini(&text);
        tc_text_fini(&want);
        end(&p);
    }
}

/* A limit of its own is an answer to a study that promises little. */
static void a_limit_of_its_own_is_enough(void **state)
{
    play p;
    (void)state;
    begin(&p, false, DE, "{\"noise_multiplier\": 0.0001, \"delta\": 1e-5}");
    p.cfg.limited = true;
    p.cfg.limit = (tc_ledger_budget){.epsilon = 3, .delta = 1e-5, .accountant = &tc_accountant_pld};
    join(&p);
    finish(&p);
    assert_int_equal(p.posted, 5); /* all of them refusals */
    tc_ledger *mine = ledger_of(p.store, "mine");
    assert_int_equal(tc_ledger_get_head(mine).seq, 0);
    tc_ledger_close(mine);
    end(&p);
    begin(&p, false, DE, "{\"noise_multiplier\": 8, \"delta\": 1e-5}");
    join(&p);
    finish(&p);
    assert_int_equal(p.posted, 5);
    end(&p);
}

/* ---- a limit over several studies ---- */

/* A study of one release, of an agent with the limit epsilon 5 at delta 1e-4. */
static void begin_limited(play *p, double q, double z)
{
    char algorithm[256], privacy[128];
    snprintf(algorithm, sizeof algorithm,
             "\"dp-fts-de\", \"features\": 8, \"initial\": 2, \"releases\": \"first\", "
             "\"sampling_rate\": %g",
             q);
    snprintf(privacy, sizeof privacy, "{\"noise_multiplier\": %g, \"delta\": 0.0001}", z);
    begin(p, false, algorithm, privacy);
    p->cfg.limited = true;
    p->cfg.limit =
        (tc_ledger_budget){.epsilon = 5, .delta = 1e-4, .accountant = &tc_accountant_pld};
}

/* The agent of `first` and its storage, at another coordinator's study. */
static void begin_second(play *p, const play *first, double q, double z)
{
    begin_limited(p, q, z);
    tc_store_close(p->store);
    p->store = p->cfg.store = first->store;
    p->cfg.as = "second";
}

static uint64_t paid(play *p)
{
    tc_ledger *mine = ledger_of(p->store, "mine");
    uint64_t n = tc_ledger_get_head(mine).seq;
    tc_ledger_close(mine);
    return n;
}

/* The operator sees the release of a study with noise 1, and makes the next study in view of it. Each
 * of the first two is within the limit if it was planned; the choice between them is not. */
static void an_operator_who_chooses_the_next_study_stays_within_the_limit(void **state)
{
    static const struct {
        double q, z;
        bool fits;
    } next[] = {{1, 1.316, true}, {0.001, 0.264, false}, {1, 1.31, false}, {0.5, 1.316, true}};
    (void)state;
    for (size_t i = 0; i < sizeof next / sizeof *next; i++) {
        play first, second;
        begin_limited(&first, 1, 1);
        join(&first);
        finish(&first);
        assert_int_equal(paid(&first), 1);
        begin_second(&second, &first, next[i].q, next[i].z);
        if (next[i].fits) {
            join(&second);
            finish(&second);
        } else {
            assert_not_joined(&second,
                              "study \"s\" does not fit beside what ledger \"mine\" has: "
                              "the privacy budget of every agent (epsilon 5, delta 0.0001) "
                              "does not allow this release: spent 3.");
        }
        assert_int_equal(paid(&second), next[i].fits ? 2 : 1);
        second.store = NULL; /* it is the first one's */
        end(&second);
        end(&first);
    }
}

/* What the document of one study plans is held to pld as a whole, and leaves the ledger to no other study. */
static void a_plan_that_takes_all_of_the_limit(void **state)
{
    play first, second;
    (void)state;
    begin(&first, false, DE ", \"sampling_rate\": 0.2", "{\"epsilon\": 5, \"delta\": 0.0001}");
    first.cfg.limited = true;
    first.cfg.limit =
        (tc_ledger_budget){.epsilon = 5, .delta = 1e-4, .accountant = &tc_accountant_pld};
    join(&first);
    assert_int_equal(go_on(&first), TC_AGENT_WAIT);
    assert_int_equal(paid(&first), 2); /* the plan, and one round */
    begin_second(&second, &first, 1, 40);
    assert_not_joined(&second, "(rdp-filter)");
    second.store = NULL;
    end(&second);
    close_round(&first);
    finish(&first);
    assert_int_equal(first.posted, 5);
    assert_int_equal(paid(&first), 6);
    end(&first);
}

/* Told to, it takes part in all of a study that promises little, and names what is promised. */
static void what_promises_little_is_said_as_it_is(void **state)
{
    play p;
    tacit_error err = {0};
    tc_text text = {0};
    (void)state;
    begin(&p, false, DE, "{\"epsilon\": 30, \"delta\": 0.2}");
    p.cfg.accepts_not_private = true;
    join(&p);
    assert_ok(tc_agent_promise(p.agent, &text, &err));
    const char *what = "the study may spend epsilon 30, delta 0.2 for every agent. ";
    assert_int_equal(strncmp(tc_text_get(&text), what, strlen(what)), 0);
    tc_text_fini(&text);
    finish(&p);
    tc_ledger *mine = ledger_of(p.store, "mine");
    assert_int_equal(tc_ledger_get_head(mine).seq, 5); /* no round was declined */
    tc_ledger_close(mine);
    end(&p);
}

static void a_seeded_coordinator_stamps_the_agents_ledger(void **state)
{
    play p;
    (void)state;
    begin(&p, true, DE, "{\"epsilon\": 5, \"delta\": 1e-5}");
    p.cfg.accepts_not_private = true;
    join(&p);
    finish(&p);
    assert_int_equal(p.posted, 5);
    assert_false(claims_private(&p));
    end(&p);
}

/* ---- the stamp comes late ---- */

static void hide_stamp(json_t *j)
{
    json_object_set_new(j, "not_private", json_string(""));
}

static void a_stamp_that_comes_with_the_broadcast_is_seen(void **state)
{
    play p;
    (void)state;
    begin(&p, true, DE, "{\"epsilon\": 5, \"delta\": 1e-5}");
    p.at = "/studies/s";
    p.lie = hide_stamp;
    join(&p);
    assert_int_equal(go_on(&p), TC_AGENT_WAIT);
    assert_true(claims_private(&p));
    close_round(&p);
    assert_refused(&p, TACIT_E_STATE,
                   "the broadcast of round 0 is stamped NOT PRIVATE, and this agent was not told "
                   "to accept that");
    assert_false(claims_private(&p)); /* its contribution has left, and the ledger says how */
    p.cfg.accepts_not_private = true;
    restart(&p);
    finish(&p);
    assert_int_equal(p.posted, 5);
    assert_false(claims_private(&p));
    end(&p);
}

/* ---- the study is another ---- */

static void change_document(json_t *j, const char *from, const char *to)
{
    char text[2048];
    const char *was = json_string_value(json_object_get(j, "document"));
    assert_non_null(was);
    const char *at = strstr(was, from);
    assert_non_null(at);
    snprintf(text, sizeof text, "%.*s%s%s", (int)(at - was), was, to, at + strlen(from));
    json_object_set_new(j, "document", json_string(text));
}

static void another_name(json_t *j)
{
    change_document(j, "\"name\":\"s\"", "\"name\":\"t\"");
}

static void another_document(json_t *j)
{
    change_document(j, "\"epsilon\":5", "\"epsilon\":6");
}

static void another_seed(json_t *j)
{
    json_object_set_new(j, "public_seed",
                        json_string("AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA="));
}

static void another_study_is_refused(void **state)
{
    play p;
    tacit_error err;
    (void)state;
    begin_private(&p);
    p.at = "/studies/s";
    p.lie = another_name;
    assert_not_joined(&p, "study \"s\" was asked for, and the coordinator describes \"t\"");
    p.at = NULL;
    join(&p);
    assert_int_equal(go_on(&p), TC_AGENT_WAIT);
    tc_agent_close(p.agent);
    p.agent = NULL;
    p.at = "/studies/s";
    p.lie = another_document;
    assert_fails(tc_agent_open(&p.agent, &p.cfg, &err), TACIT_E_STATE,
                 "the storage has a study \"s\" with another document");
    p.lie = another_seed;
    assert_fails(tc_agent_open(&p.agent, &p.cfg, &err), TACIT_E_STATE,
                 "the storage has a study \"s\" with another public seed");
    p.at = NULL;
    join(&p);
    finish(&p);
    assert_int_equal(p.posted, 5);
    end(&p);
}

/* ---- the ledger is another ---- */

/* A ledger whose hashes hold, with another last entry, or without the last `fewer`. */
static char *forge(play *p, uint64_t fewer, void (*change)(tc_ledger_entry *))
{
    tacit_error err = {0};
    tc_store *s;
    tc_ledger_io io;
    tc_ledger *real = ledger_of(p->w.store, "s");
    tc_ledger_head head = tc_ledger_genesis("s");
    uint64_t n = tc_ledger_get_head(real).seq - fewer;
    assert_ok(tc_store_open(&s, "memory:", true, &err));
    assert_ok(tc_store_ledger(s, "s", true, &io, &err));
    for (uint64_t i = 1; i <= n; i++) {
        tc_ledger_entry e = *tc_ledger_get(real, i, NULL);
        tc_ledger_receipt r;
        uint8_t *bytes;
        size_t size;
        assert_ok(tc_ledger_find(real, &e.study, e.round, &r, &err));
        if (i == n && change)
            change(&e);
        e.previous = head.hash;
        assert_ok(tc_ledger_entry_encode(&e, &bytes, &size, &err));
        tc_ledger_record record = {.seq = i,
                                   .study = e.study,
                                   .round = e.round,
                                   .entry = bytes,
                                   .entry_size = size,
                                   .release = r.bytes,
                                   .release_size = r.size,
                                   .previous = head.hash,
                                   .head = tc_ledger_entry_hash(bytes, size)};
        assert_ok(io.append(&io, &record, &err));
        head.hash = record.head;
        tc_free(bytes);
        tc_ledger_receipt_fini(&r);
    }
    tc_ledger *l = ledger_of(s, "s");
    json_t *j = tc_ledger_json(l);
    char *text = tc_json_text(j);
    assert_non_null(text);
    json_decref(j);
    tc_ledger_close(l);
    tc_ledger_close(real);
    tc_store_close(s);
    return text;
}

static void another_price(tc_ledger_entry *e)
{
    e->event.parameter *= 2;
}

static void other_neighbours(tc_ledger_entry *e)
{
    e->adjacency = "nothing moves";
}

static void another_unit(tc_ledger_entry *e)
{
    e->unit = TC_UNIT_ROW;
}

static void another_round(tc_ledger_entry *e)
{
    e->round = 77;
}

static void another_release(json_t *j)
{
    char text[4096];
    const char *was = json_string_value(json_object_get(j, "release"));
    assert_non_null(was);
    snprintf(text, sizeof text, "%s", was);
    text[0] = text[0] == 'A' ? 'B' : 'A';
    json_object_set_new(j, "release", json_string(text));
}

#define NO_HEAD "0000000000000000000000000000000000000000000000000000000000000000"

static void a_broken_chain(json_t *j)
{
    json_t *first = json_array_get(json_object_get(j, "entries"), 0);
    if (first)
        json_object_set_new(first, "round", json_integer(5));
    else /* nothing after what the agent knows */
        json_object_set_new(j, "head", json_string(NO_HEAD));
}

static void no_head(json_t *j)
{
    json_object_set_new(j, "head", json_null());
}

static void no_release(json_t *j)
{
    json_object_set_new(j, "release", json_string("?"));
}

/* The agent has sent its message of round 1, and the round is over. */
static void begin_to_hear(play *p)
{
    begin_private(p);
    join(p);
    assert_int_equal(go_on(p), TC_AGENT_WAIT);
    close_round(p);
    assert_int_equal(go_on(p), TC_AGENT_WAIT);
    close_round(p);
}

static void a_ledger_that_does_not_fit_is_refused(void **state)
{
    static const struct {
        void (*change)(tc_ledger_entry *);
        const char *what;
    } cases[] = {
        {another_price, "the coordinator's ledger has another price for round 1 than the study's"},
        {another_unit, "the coordinator's ledger charges round 1 to others than the study's"},
        {other_neighbours, "the coordinator's ledger charges round 1 to others than the study's"},
        {another_round, "the coordinator's ledger has no entry for round 1"},
    };
    play p;
    (void)state;
    begin_to_hear(&p);
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char *text = forge(&p, 0, cases[i].change);
        p.at = "/privacy";
        p.instead = text;
        assert_refused(&p, TACIT_E_STATE, cases[i].what);
        tc_free(text);
    }
    p.lie = a_broken_chain;
    assert_refused(&p, TACIT_E_STATE, "");
    p.lie = no_head;
    assert_refused(&p, TACIT_E_STATE, "the coordinator's ledger is not whole: ");
    p.at = "/broadcast";
    p.lie = no_release;
    assert_refused(&p, TACIT_E_STATE, "the coordinator's answer makes no sense: release");
    p.lie = another_release;
    assert_refused(&p, TACIT_E_STATE,
                   "the broadcast of round 1 is not the one in the coordinator's ledger");
    p.at = NULL;
    finish(&p);
    assert_int_equal(p.posted, 5);
    assert_true(claims_private(&p));
    end(&p);
}

/* Nothing is sent to a coordinator that has forgotten what it released. */
static void a_ledger_that_was_rolled_back_gets_no_message(void **state)
{
    play p;
    tc_agent_next next;
    tacit_error err;
    (void)state;
    begin_to_hear(&p);
    assert_ok(tc_agent_step(p.agent, 0, &next, &err)); /* it hears of round 1 */
    assert_int_equal(p.posted, 2);
    char *text = forge(&p, 1, NULL);
    p.at = "/privacy";
    p.instead = text;
    assert_refused(&p, TACIT_E_STATE,
                   "the coordinator is not what it was: the ledger was rolled back: it had 2 "
                   "entries and has 1");
    assert_int_equal(p.posted, 2);
    p.at = NULL;
    assert_int_equal(go_on(&p), TC_AGENT_WAIT);
    assert_int_equal(p.posted, 3);
    p.at = "/privacy"; /* and who waits long, looks again */
    assert_refused(&p, TACIT_E_STATE, "the ledger was rolled back");
    p.at = NULL;
    finish(&p);
    tc_free(text);
    end(&p);
}

static void an_answer_that_is_no_json_changes_nothing(void **state)
{
    static const char *const paths[] = {"/broadcast", "/privacy"};
    char deep[40000];
    play p;
    (void)state;
    memset(deep, '[', sizeof deep - 1);
    deep[sizeof deep - 1] = 0;
    begin_to_hear(&p);
    for (int i = 0; i < 2; i++) {
        p.at = paths[i];
        p.instead = "<html>busy</html>";
        assert_refused(&p, TACIT_E_IO, "the coordinator's answer makes no sense: ");
        p.instead = deep;
        assert_refused(&p, TACIT_E_IO, "the coordinator's answer makes no sense: ");
    }
    p.at = NULL;
    finish(&p);
    assert_int_equal(p.posted, 5);
    end(&p);
}

/* ---- not now ---- */

static void turn(play *p, const char *how)
{
    char path[64];
    snprintf(path, sizeof path, "/v1/studies/s:%s", how);
    assert_int_equal(world_call(&p->w, "POST", path, p->w.operator_token, NULL, NULL), 200);
}

static void a_paused_study_is_waited_for(void **state)
{
    play p;
    (void)state;
    begin_private(&p);
    join(&p);
    turn(&p, "pause");
    for (int i = 0; i < 3; i++)
        assert_int_equal(go_on(&p), TC_AGENT_WAIT);
    assert_int_equal(p.posted, 0);
    turn(&p, "resume");
    assert_int_equal(go_on(&p), TC_AGENT_WAIT);
    assert_int_equal(p.posted, 1);
    close_round(&p);
    turn(&p, "close");
    assert_refused(&p, TACIT_E_STATE, "the coordinator refuses the message of round 1: ");
    end(&p);
}

/* A relay's message that did not arrive is sent again, after a while and after a restart. */
static void a_message_of_a_relay_arrives(void **state)
{
    play p;
    (void)state;
    for (int again = 0; again < 2; again++) {
        begin(&p, false,
              "\"fts\", \"features\": 8, \"initial\": 2, \"follow\": 0.01, \"schedule\": "
              "\"constant\"",
              "\"none\"");
        p.cfg.accepts_not_private = true;
        join(&p);
        p.down = true;
        assert_refused(&p, TACIT_E_IO, "no answer");
        assert_refused(&p, TACIT_E_IO, "no answer");
        p.down = false;
        if (again)
            restart(&p);
        tc_agent_next next;
        tacit_error err;
        assert_ok(tc_agent_step(p.agent, 0, &next, &err));
        assert_int_equal(p.posted, 1);
        end(&p);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_private_study_is_taken_part_in),
        cmocka_unit_test(what_is_not_private_is_refused_before_enrolling),
        cmocka_unit_test(too_little_noise_is_refused),
        cmocka_unit_test(other_last_digits_are_agreed_on),
        cmocka_unit_test(a_limit_of_its_own_is_enough),
        cmocka_unit_test(a_delta_of_one_in_n_is_no_promise),
        cmocka_unit_test(the_default_limit_is_that_of_privacy_md),
        cmocka_unit_test(a_relay_says_why_it_is_not_private),
        cmocka_unit_test(an_operator_who_chooses_the_next_study_stays_within_the_limit),
        cmocka_unit_test(a_plan_that_takes_all_of_the_limit),
        cmocka_unit_test(what_promises_little_is_said_as_it_is),
        cmocka_unit_test(a_seeded_coordinator_stamps_the_agents_ledger),
        cmocka_unit_test(a_stamp_that_comes_with_the_broadcast_is_seen),
        cmocka_unit_test(another_study_is_refused),
        cmocka_unit_test(a_ledger_that_does_not_fit_is_refused),
        cmocka_unit_test(a_ledger_that_was_rolled_back_gets_no_message),
        cmocka_unit_test(an_answer_that_is_no_json_changes_nothing),
        cmocka_unit_test(a_paused_study_is_waited_for),
        cmocka_unit_test(a_message_of_a_relay_arrives),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
