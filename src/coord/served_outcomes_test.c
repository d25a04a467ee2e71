/* served_outcomes_test.c - served studies with several objectives and with constraints, over requests. */
#include "support/served_world.h"

#include "coord/shape.h"

static const char several[] = "{\"name\": \"t\", \"objectives\": {\"error\": \"minimize\", "
                              "\"gain\": \"maximize\"}, \"constraints\": "
                              "{\"memory\": {\"max\": 10}}, \"trials\": 8, \"seed\": 7, \"space\": "
                              "{\"x\": {\"type\": \"float\", "
                              "\"low\": -1, \"high\": 1}}, \"algorithm\": \"random\"}";
static const char bounded[] = "{\"name\": \"t\", \"direction\": \"minimize\", \"constraints\": "
                              "{\"memory\": {\"max\": 10}}, \"trials\": "
                              "8, \"seed\": 7, \"space\": {\"x\": {\"type\": \"float\", \"low\": "
                              "-1, \"high\": 1}}, \"algorithm\": "
                              "\"random\"}";

static int open_with(void **state, const char *document)
{
    tacit_error err = {0};
    static served_world s;
    tc_store *store;
    assert_ok(tc_store_open(&store, "memory:", true, &err));
    served_start(&s, store, document);
    *state = &s;
    return 0;
}

static int open_several(void **state)
{
    return open_with(state, several);
}

static int open_bounded(void **state)
{
    return open_with(state, bounded);
}

static void tell(served_world *s, const char *outcomes)
{
    char body[160];
    int64_t trial = served_one(s, "w", NULL);
    snprintf(body, sizeof body, "{\"outcomes\": {%s}}", outcomes);
    assert_int_equal(served_complete(s, trial, body, NULL), 200);
}

static void outcomes_are_told_by_name(void **state)
{
    served_world *s = *state;
    json_t *a, *b;
    const char body[] = "{\"outcomes\": {\"memory\": 11, \"gain\": 5, \"error\": 0.1}}";
    (void)served_one(s, "w", NULL);
    assert_int_equal(served_complete(s, 0, body, &a), 200);
    assert_int_equal(served_complete(s, 0, body, &b), 200); /* the same again */
    assert_true(json_equal(a, b));
    json_decref(a);
    json_decref(b);
    static const char *const others[] = {
        "{\"outcomes\": {\"memory\": 12, \"gain\": 5, \"error\": 0.1}}",
        "{\"outcomes\": {\"memory\": 11, \"gain\": 5, \"error\": 0.2}}", "{\"failed\": \"oom\"}"};
    for (size_t i = 0; i < sizeof others / sizeof *others; i++) {
        assert_int_equal(served_complete(s, 0, others[i], &a), 409);
        assert_says(a, "trial 0 was told already, and with another report");
    }
    assert_int_equal(served_get(s, "/trials", NULL, &a), 200);
    const json_t *t = json_array_get(json_object_get(a, "trials"), 0);
    tacit_error err = {0};
    assert_ok(tc_shape_check(&tc_shape_trial, t, &err));
    b = json_pack("{s:f, s:f, s:f}", "error", 0.1, "gain", 5.0, "memory", 11.0);
    assert_true(json_equal(json_object_get(t, "outcomes"), b));
    assert_true(json_is_false(json_object_get(t, "feasible")));
    assert_same_bits(json_real_value(json_object_get(t, "value")), 0.1);
    json_decref(b);
    json_decref(a);
}

static void what_is_no_report_is_refused(void **state)
{
    served_world *s = *state;
    static const struct {
        const char *body, *detail;
    } rows[] = {
        {"{\"value\": 1}", "study t is told \"outcomes\", all 3 of them by name, or \"failed\""},
        {"{\"values\": [1, 2]}",
         "study t is told \"outcomes\", all 3 of them by name, or \"failed\""},
        {"{\"outcomes\": 1}", "outcomes must be an object, got 1"},
        {"{\"outcomes\": {\"error\": 1, \"gain\": 2}}",
         "outcomes.memory is missing: the study's outcomes are error, gain, memory"},
        {"{\"outcomes\": {\"error\": 1, \"gain\": 2, \"memory\": 3, \"x\": 1}}",
         "outcomes.x is none: the study's outcomes are error, gain, memory"},
        {"{\"outcomes\": {\"error\": 1, \"gain\": 2, \"memory\": \"3\"}}",
         "outcomes.memory must be a number, got a string"},
        {"{\"outcomes\": {\"error\": 1, \"gain\": 2, \"memory\": 3}, \"noise_sd\": 1}",
         "noise_sd goes with a value, or with pruned"},
    };
    (void)served_one(s, "w", NULL);
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        json_t *a;
        int got = served_complete(s, 0, rows[i].body, &a);
        if (got != 400)
            fail_msg("%s: %d, not 400", rows[i].body, got);
        assert_string_equal(world_text(a, "detail"), rows[i].detail);
        json_decref(a);
    }
    assert_state(s, 0, "RUNNING");
    assert_int_equal(served_complete(s, 0, "{\"failed\": \"no memory\"}", NULL), 200);
}

static void the_front_is_shown(void **state)
{
    served_world *s = *state;
    tacit_error err = {0};
    json_t *a;
    tell(s, "\"error\": 3, \"gain\": 9, \"memory\": 1");
    tell(s, "\"error\": 1, \"gain\": 5, \"memory\": 10");
    tell(s, "\"error\": 2, \"gain\": 5, \"memory\": 1");
    tell(s, "\"error\": 0, \"gain\": 99, \"memory\": 11");
    assert_int_equal(served_get(s, "/front", NULL, &a), 200);
    assert_ok(tc_shape_check(&tc_shape_trial_list, a, &err));
    const json_t *list = json_object_get(a, "trials");
    assert_int_equal(json_array_size(list), 2);
    for (size_t i = 0; i < 2; i++) {
        assert_int_equal(served_whole(json_array_get(list, i), "trial"), i);
        assert_true(json_is_true(json_object_get(json_array_get(list, i), "feasible")));
    }
    json_decref(a);
    assert_int_equal(served_get(s, "/best", NULL, &a), 404);
    assert_says(a, "study \"t\" has 2 objectives, and so a front in place of one best trial");
    assert_int_equal(served_get(s, "/recommendation", NULL, &a), 404);
    assert_says(a, "study \"t\" has 2 objectives, and so a front in place of one best trial");
    assert_int_equal(served_get(s, "", NULL, &a), 200);
    assert_ok(tc_shape_check(&tc_shape_study, a, &err));
    assert_int_equal(served_whole(a, "feasible"), 3);
    assert_int_equal(served_whole(a, "front"), 2);
    json_decref(a);
}

static void none_is_best_before_one_is_feasible(void **state)
{
    served_world *s = *state;
    json_t *a;
    assert_int_equal(served_get(s, "/best", NULL, &a), 404);
    assert_says(a, "no trial of study \"t\" is complete yet");
    tell(s, "\"value\": 1, \"memory\": 11");
    assert_int_equal(served_get(s, "/best", NULL, &a), 404);
    assert_says(a, "no trial of study \"t\" is feasible yet");
    assert_int_equal(served_get(s, "/recommendation", NULL, &a), 404);
    assert_says(a, "no trial of study \"t\" is feasible yet");
    tell(s, "\"value\": 2, \"memory\": 9");
    assert_int_equal(served_get(s, "/best", NULL, &a), 200);
    assert_int_equal(served_whole(a, "trial"), 1);
    json_decref(a);
    assert_int_equal(served_get(s, "/front", NULL, &a), 404);
    assert_says(a, "study \"t\" has one objective, and so a best trial in place of a front");
    assert_int_equal(served_get(s, "", NULL, &a), 200);
    assert_int_equal(served_whole(a, "feasible"), 1);
    assert_null(json_object_get(a, "front"));
    json_decref(a);
}

static void other_studies_take_none(void **state)
{
    served_world *s = *state;
    json_t *a;
    (void)served_one(s, "w", NULL);
    assert_int_equal(served_complete(s, 0, "{\"outcomes\": {\"value\": 1}}", &a), 400);
    assert_says(
        a, "\"outcomes\" is for studies with several objectives or with constraints, and study "
           "t is told a \"value\"");
    assert_int_equal(served_complete(s, 0, "{\"value\": 1}", NULL), 200);
    assert_int_equal(served_get(s, "/trials", NULL, &a), 200);
    const json_t *t = json_array_get(json_object_get(a, "trials"), 0);
    assert_null(json_object_get(t, "outcomes"));
    assert_null(json_object_get(t, "feasible"));
    json_decref(a);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(outcomes_are_told_by_name, open_several, served_close),
        cmocka_unit_test_setup_teardown(what_is_no_report_is_refused, open_several, served_close),
        cmocka_unit_test_setup_teardown(the_front_is_shown, open_several, served_close),
        cmocka_unit_test_setup_teardown(none_is_best_before_one_is_feasible, open_bounded,
                                        served_close),
        IN_SERVED(other_studies_take_none),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
