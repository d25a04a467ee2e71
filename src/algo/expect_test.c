/* expect_test.c - what may be gained at best, in words and as JSON. */
#include "support/test.h"

#include "algo/expect.h"
#include "base/memory.h"

static void sentence_is(const tc_expect *e, uint64_t agents, double epsilon, const char *want)
{
    tc_text t = {0};
    tc_expect_add_sentence(e, agents, epsilon, &t);
    assert_string_equal(tc_text_get(&t), want);
    json_t *j = tc_expect_json(e, agents, epsilon);
    assert_non_null(j);
    assert_string_equal(json_string_value(json_object_get(j, "sentence")), want);
    json_decref(j);
    tc_text_fini(&t);
}

static void a_gain_has_its_numbers(void **state)
{
    (void)state;
    tc_expect e = {.left_open = 0.25,
                   .n = 2,
                   .iteration = {1, 5},
                   .at = {{0.6, 0.52, 0.71}, {0.333, 0.2, 0.5}}};
    sentence_is(
        &e, 50, 4,
        "50 agents at epsilon 4: in simulations of random smooth functions and agents that are "
        "alike, an agent's regret is this share of its regret when working alone: 0.6 (0.52 to "
        "0.71) after 1 "
        "iteration, "
        "0.33 (0.2 to 0.5) after 5.");
    e.n = 1;
    e.iteration[0] = 5;
    sentence_is(
        &e, 50, 0,
        "50 agents with this noise: in simulations of random smooth functions and agents that are "
        "alike, an agent's regret is this share of its regret when working alone: 0.6 (0.52 to "
        "0.71) after 5 "
        "iterations.");
}

/* One point with a gain suffices; a small one, or one that may be chance, is none. */
static void no_gain_is_said(void **state)
{
    (void)state;
    const char *want =
        "8 agents at epsilon 1: simulations of random smooth functions, even with agents that are "
        "alike, show no gain over working alone.";
    tc_expect e = {.left_open = 0.9,
                   .n = 3,
                   .iteration = {1, 5, 10},
                   .at = {{1.01, 0.9, 1.1}, {0.93, 0.92, 0.94}, {0.7, 0.4, 0.97}}};
    sentence_is(&e, 8, 1, want);
    e.n = 0;
    sentence_is(&e, 8, 1, want);
    assert_true(tc_expect_gains(&(tc_expect_ratio){0.9, 0.85, 0.95}));
    assert_false(tc_expect_gains(&(tc_expect_ratio){0.91, 0.85, 0.95}));
    assert_false(tc_expect_gains(&(tc_expect_ratio){0.9, 0.85, 0.96}));
}

static void what_is_not_known_has_its_reason(void **state)
{
    (void)state;
    tc_expect e = {.none = "only own=gp was simulated"};
    sentence_is(&e, 8, 1, "What to expect of this study is not known: only own=gp was simulated.");
    json_t *j = tc_expect_json(&e, 8, 1);
    assert_non_null(j);
    assert_true(json_is_null(json_object_get(j, "gain")));
    assert_true(json_is_null(json_object_get(j, "left_open")));
    assert_string_equal(json_string_value(json_object_get(j, "reason")), e.none);
    assert_int_equal(json_array_size(json_object_get(j, "ratios")), 0);
    json_decref(j);
}

static void json_has_every_number(void **state)
{
    (void)state;
    tc_expect e = {
        .left_open = 0.25, .n = 2, .iteration = {1, 5}, .at = {{1, 1, 1}, {0.5, 0.25, 0.75}}};
    json_t *j = tc_expect_json(&e, 8, 1);
    assert_non_null(j);
    assert_true(json_is_true(json_object_get(j, "gain")));
    assert_true(json_is_null(json_object_get(j, "reason")));
    assert_close(json_number_value(json_object_get(j, "left_open")), 0.25, 0);
    char *text = tc_json_text(json_object_get(j, "ratios"));
    assert_non_null(text);
    assert_string_equal(text, "[{\"iteration\":1,\"ratio\":1.0,\"low\":1.0,\"high\":1.0},"
                              "{\"iteration\":5,\"ratio\":0.5,\"low\":0.25,\"high\":0.75}]");
    tc_free(text);
    json_decref(j);
    e.n = 1;
    j = tc_expect_json(&e, 8, 1);
    assert_non_null(j);
    assert_true(json_is_false(json_object_get(j, "gain")));
    json_decref(j);
}

static void algorithms_that_nobody_simulated_say_nothing(void **state)
{
    (void)state;
    static const char *const names[] = {"fts", "rgpe", "taf", "dp-pf-pne", "gp-ei"};
    tacit_error err = {0};
    tc_env env = {.agents = 8};
    tc_expect e;
    bool known = true;
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        assert_ok(tc_expect_find(tc_algorithm_find(names[i]), &env, NULL, &e, &known, &err));
        assert_false(known);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_gain_has_its_numbers),
        cmocka_unit_test(no_gain_is_said),
        cmocka_unit_test(what_is_not_known_has_its_reason),
        cmocka_unit_test(json_has_every_number),
        cmocka_unit_test(algorithms_that_nobody_simulated_say_nothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
