/* shape_test.c - tables of what JSON looks like: what fits, what does not, and the sentence about it. */
#include "support/test.h"

#include "base/error.h"
#include "base/json.h"
#include "base/memory.h"
#include "coord/shape.h"

static const char *const colours[] = {"red", "green", "blue", NULL};

static const tc_field inner_fields[] = {{"x", TC_FIELD_NUMBER, TC_NEEDED, -1, 1, .help = "x"},
                                        {.name = NULL}};
static const tc_shape inner = {"Inner", "inner", inner_fields, false};

static const tc_field outer_fields[] = {
    {"name", TC_FIELD_TEXT, TC_NEEDED, 1, 4, .help = "name"},
    {"count", TC_FIELD_WHOLE, 0, 1, 10, 3, .help = "count"},
    {"any", TC_FIELD_WHOLE, 0, .help = "no limits"},
    {"colour", TC_FIELD_TEXT, 0, .words = colours, .help = "colour"},
    {"on", TC_FIELD_YES, TC_OR_NULL, .help = "on"},
    {"point", TC_FIELD_OBJECT, 0, .of = &inner, .help = "point"},
    {"points", TC_FIELD_OBJECT, TC_LIST_OF, .of = &inner, .help = "points"},
    {"free", TC_FIELD_MAP, 0, .help = "free"},
    {.name = NULL}};
static const tc_shape outer = {"Outer", "outer", outer_fields, false};

static tacit_status check(const tc_shape *s, const char *text, tacit_error *err)
{
    json_t *j;
    TC_TRY(tc_json_parse(text, strlen(text), "test", &j, err));
    tacit_status status = tc_shape_check(s, j, err);
    json_decref(j);
    return status;
}

static void what_fits_is_let_through(void **state)
{
    static const char *const good[] = {
        "{\"name\": \"a\"}",
        "{\"name\": \"abcd\", \"count\": 10, \"any\": -5, \"colour\": \"blue\", \"on\": true}",
        "{\"name\": \"a\", \"count\": 1e0, \"on\": null}",
        "{\"name\": \"a\", \"point\": {\"x\": 1}, \"points\": []}",
        "{\"name\": \"a\", \"points\": [{\"x\": 0.5}, {\"x\": -1}], \"free\": {\"y\": [1]}}",
    };
    tacit_error err = {0};
    (void)state;
    for (size_t i = 0; i < sizeof good / sizeof *good; i++)
        assert_ok(check(&outer, good[i], &err));
}

static void what_does_not_fit_is_named(void **state)
{
    static const char *const bad[][2] = {
        {"[]", "the body must be a JSON object, got an array"},
        {"{}", "name is missing; it must be a string of 1 to 4 bytes"},
        {"{\"name\": 3}", "name must be a string of 1 to 4 bytes, got 3"},
        {"{\"name\": \"\"}", "name must be a string of 1 to 4 bytes, got 0"},
        {"{\"name\": \"abcde\"}", "name must be a string of 1 to 4 bytes, got 5"},
        {"{\"name\": null}", "name must be a string of 1 to 4 bytes, got null"},
        {"{\"name\": \"a\", \"cuont\": 1}", "unknown field \"cuont\""},
        {"{\"name\": \"a\", \"cuont\": 1}", "count"},
        {"{\"name\": \"a\", \"count\": 0}", "count must be a whole number in [1, 10], got 0"},
        {"{\"name\": \"a\", \"count\": 11}", "count must be a whole number in [1, 10], got 11"},
        {"{\"name\": \"a\", \"count\": 1.5}", "count must be a whole number in [1, 10], got 1.5"},
        {"{\"name\": \"a\", \"count\": \"1\"}", "count must be a whole number in [1, 10], got a"},
        {"{\"name\": \"a\", \"any\": 0.1}", "any must be a whole number, got 0.1"},
        {"{\"name\": \"a\", \"colour\": \"pink\"}",
         "colour must be \"red\", \"green\" or \"blue\", got \"pink\""},
        {"{\"name\": \"a\", \"on\": 1}", "on must be true or false, got 1"},
        {"{\"name\": \"a\", \"point\": []}", "point must be an object, got an array"},
        {"{\"name\": \"a\", \"point\": {}}", "point.x is missing; it must be a number in [-1, 1]"},
        {"{\"name\": \"a\", \"points\": {}}", "points must be a list, got an object"},
        {"{\"name\": \"a\", \"points\": [{\"x\": 0}, {\"x\": 2}]}",
         "points[1].x must be a number in [-1, 1], got 2"},
        {"{\"name\": \"a\", \"points\": [{\"x\": 0, \"y\": 0}]}", "points[0].y"},
        {"{\"name\": \"a\", \"free\": 1}", "free must be an object, got 1"},
        {"{\"name\": \"a\", \"name\": \"a\"}", "duplicate object key"},
    };
    tacit_error err = {0};
    (void)state;
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++)
        assert_fails(check(&outer, bad[i][0], &err), TACIT_E_ARG, bad[i][1]);
}

static void of_a_choice_there_is_one(void **state)
{
    tacit_error err = {0};
    (void)state;
    assert_ok(check(&tc_shape_complete, "{\"value\": 1}", &err));
    assert_ok(check(&tc_shape_complete, "{\"values\": [1, 2], \"params\": {}}", &err));
    assert_fails(check(&tc_shape_complete, "{\"params\": {}}", &err), TACIT_E_ARG,
                 "the body must have exactly one of value, reply, values, outcomes, failed, "
                 "pruned, got 0 of "
                 "them");
    assert_fails(check(&tc_shape_complete, "{\"value\": 1, \"reply\": 1}", &err), TACIT_E_ARG,
                 "got 2 of them");
    assert_fails(check(&tc_shape_complete, "{\"values\": [1, \"2\"]}", &err), TACIT_E_ARG,
                 "values[1] must be a number, got a string");
}

static void queries_have_tables_too(void **state)
{
    tacit_error err = {0};
    (void)state;
    assert_ok(tc_shape_check_query(tc_query_numbers, NULL, &err));
    assert_ok(tc_shape_check_query(tc_query_numbers, "", &err));
    assert_ok(tc_shape_check_query(tc_query_numbers, "after=0&limit=1000", &err));
    assert_ok(tc_shape_check_query(tc_query_trials, "state=STALE", &err));
    assert_fails(tc_shape_check_query(tc_query_numbers, "limit=0", &err), TACIT_E_ARG,
                 "limit must be a whole number in [1, 1000], got \"0\"");
    assert_fails(tc_shape_check_query(tc_query_numbers, "limit=many", &err), TACIT_E_ARG,
                 "limit must be a whole number in [1, 1000], got \"many\"");
    assert_fails(tc_shape_check_query(tc_query_numbers, "after", &err), TACIT_E_ARG, "after must");
    assert_fails(tc_shape_check_query(tc_query_numbers, "limit=1&linit=2", &err), TACIT_E_ARG,
                 "unknown parameter \"linit\"");
    assert_fails(tc_shape_check_query(tc_query_trials, "state=stale", &err), TACIT_E_ARG,
                 "state must be \"WAITING\"");
    assert_fails(tc_shape_check_query(NULL, "a=1", &err), TACIT_E_ARG, "there are none here");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_fits_is_let_through),
        cmocka_unit_test(what_does_not_fit_is_named),
        cmocka_unit_test(of_a_choice_there_is_one),
        cmocka_unit_test(queries_have_tables_too),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
