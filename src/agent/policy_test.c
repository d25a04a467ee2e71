/* policy_test.c - what an agent agrees to: a study that promises enough, keeps its promise, and fits into the agent's
 * own limit beside all other studies; or less, where the agent was told to accept it. */
#include "support/lying_coordinator.h"

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
        assert_int_equal(
            world_call(&p.w, "GET", "/v1/studies/s/privacy", p.w.operator_token, NULL, &shown),
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
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
