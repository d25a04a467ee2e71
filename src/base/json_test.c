/* json_test.c - strictness, the sentences of errors, and text that reads back. */
#include "support/test.h"
#include "base/file.h"
#include "base/json.h"
#include "base/memory.h"
#include "base/random.h"

#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

static json_t *parse(const char *text)
{
    tacit_error err = {0};
    json_t *j = NULL;
    assert_ok(tc_json_parse(text, strlen(text), "test", &j, &err));
    return j;
}

static void check_refused(const char *text, const char *sentence)
{
    tacit_error err = {0};
    json_t *j = NULL;
    assert_fails(tc_json_parse(text, strlen(text), "study.json", &j, &err), TACIT_E_ARG, sentence);
    assert_null(j);
}

static void parsing_is_strict(void **state)
{
    (void)state;
    check_refused("{\n\"a\": 1,\n\"lr\": 1, \"lr\": 2}",
                  "study.json line 3: duplicate object key near '\"lr\"'");
    check_refused("", "study.json line 1: '[' or '{' expected near end of file");
    check_refused("{\"a\": 1} x", "study.json line 1: end of file expected near 'x'");
    check_refused("{\"a\": NaN}", "invalid token near 'NaN'");
    check_refused("{\"a\": 1e999}", "real number overflow");
    check_refused("{\"a\": 99999999999999999999}", "too big integer");
    check_refused("{\"a\": \"\xff\"}", "unable to decode byte 0xff");
    check_refused("{'a': 1}", "expected near '''");
    check_refused("5", "'[' or '{' expected");
}

static void nesting_has_a_limit(void **state)
{
    (void)state;
    char deep[10001];
    memset(deep, '[', sizeof deep - 1);
    deep[sizeof deep - 1] = '\0';
    check_refused(deep, "maximum parsing depth reached");
}

static void files_are_read(void **state)
{
    (void)state;
    tacit_error err = {0};
    json_t *j = NULL;
    assert_fails(tc_json_read_file("/nonexistent/study.json", &j, &err), TACIT_E_NOT_FOUND,
                 "cannot read \"/nonexistent/study.json\"");
    char name[] = "/tmp/tacit-json-test-XXXXXX";
    int fd = mkstemp(name);
    assert_true(fd >= 0);
    close(fd);
    assert_ok(tc_file_write(name, "{\"x\": 2}", 8, &err));
    assert_ok(tc_json_read_file(name, &j, &err));
    assert_int_equal(json_integer_value(json_object_get(j, "x")), 2);
    json_decref(j);
    assert_ok(tc_file_write(name, "{\n\n}}", 5, &err));
    char sentence[100];
    snprintf(sentence, sizeof sentence, "%s line 3: end of file expected near '}'", name);
    assert_fails(tc_json_read_file(name, &j, &err), TACIT_E_ARG, sentence);
    unlink(name);
}

static void required_fields(void **state)
{
    (void)state;
    tacit_error err = {0};
    json_t *j = parse("{\"low\": 1, \"high\": 2.5, \"type\": \"float\"}");
    const char *s = NULL;
    double v = 0;
    assert_ok(tc_json_number(j, "space.lr", "low", &v, &err));
    assert_true(v == 1);
    assert_ok(tc_json_number(j, "space.lr", "high", &v, &err));
    assert_true(v == 2.5);
    assert_ok(tc_json_string(j, "space.lr", "type", &s, &err));
    assert_string_equal(s, "float");
    assert_fails(tc_json_number(j, "space.lr", "type", &v, &err), TACIT_E_ARG,
                 "space.lr.type must be a number, got a string");
    assert_fails(tc_json_string(j, "", "low", &s, &err), TACIT_E_ARG,
                 "low must be a string, got a number");
    assert_fails(tc_json_number(j, "space.lr", "step", &v, &err), TACIT_E_ARG,
                 "space.lr.step is missing; it must be a number");
    assert_true(v == 2.5);
    assert_string_equal(s, "float");
    json_decref(j);
}

static void optional_fields(void **state)
{
    (void)state;
    tacit_error err = {0};
    json_t *j = parse("{\"n\": null, \"a\": [], \"t\": true, \"s\": \"x\", \"r\": 0.5}");
    const char *s = "before";
    double v = 7;
    bool b = false;
    assert_ok(tc_json_string_or(j, "", "none", &s, &err));
    assert_ok(tc_json_number_or(j, "", "none", &v, &err));
    assert_ok(tc_json_bool_or(j, "", "none", &b, &err));
    assert_true(v == 7 && !b && strcmp(s, "before") == 0);
    assert_ok(tc_json_bool_or(j, "", "t", &b, &err));
    assert_true(b);
    assert_fails(tc_json_bool_or(j, "", "s", &b, &err), TACIT_E_ARG,
                 "s must be true or false, got a string");
    assert_fails(tc_json_number_or(j, "", "n", &v, &err), TACIT_E_ARG,
                 "n must be a number, got null");
    assert_fails(tc_json_string_or(j, "p", "a", &s, &err), TACIT_E_ARG,
                 "p.a must be a string, got an array");
    json_t *array = json_object_get(j, "a");
    assert_fails(tc_json_number_or(array, "", "x", &v, &err), TACIT_E_ARG,
                 "the document must be an object, got an array");
    assert_fails(tc_json_number_or(array, "p.a", "x", &v, &err), TACIT_E_ARG,
                 "p.a must be an object, got an array");
    json_decref(j);
}

static void whole_numbers(void **state)
{
    (void)state;
    tacit_error err = {0};
    json_t *j = parse("{\"i\": 5, \"million\": 1e6, \"half\": 0.5, \"s\": \"x\", \"huge\": 1e300,"
                      " \"least\": -9223372036854775808}");
    int64_t v = 3;
    assert_ok(tc_json_int_or(j, "", "none", 1, 9, &v, &err));
    assert_int_equal(v, 3);
    assert_ok(tc_json_int_or(j, "", "i", 5, 5, &v, &err));
    assert_int_equal(v, 5);
    assert_ok(tc_json_int_or(j, "", "million", 0, 1000000, &v, &err));
    assert_int_equal(v, 1000000);
    assert_ok(tc_json_int_or(j, "", "least", INT64_MIN, 0, &v, &err));
    assert_true(v == INT64_MIN);
    assert_fails(tc_json_int_or(j, "", "i", 6, 9, &v, &err), TACIT_E_ARG,
                 "i must be a whole number in [6, 9], got 5");
    assert_fails(tc_json_int_or(j, "", "i", 1, 4, &v, &err), TACIT_E_ARG, "in [1, 4], got 5");
    assert_fails(tc_json_int_or(j, "a", "half", 0, 9, &v, &err), TACIT_E_ARG,
                 "a.half must be a whole number in [0, 9], got 0.5");
    assert_fails(tc_json_int_or(j, "", "s", 0, 9, &v, &err), TACIT_E_ARG, "got a string");
    assert_fails(tc_json_int_or(j, "", "huge", INT64_MIN, INT64_MAX, &v, &err), TACIT_E_ARG,
                 "1e+300");
    assert_true(v == INT64_MIN);
    json_decref(j);
}

static void unknown_fields(void **state)
{
    (void)state;
    static const char *const allowed[] = {"type", "low", "high", NULL};
    tacit_error err = {0};
    json_t *j = parse("{\"type\": 1, \"lo\": 2}"), *good = parse("{\"high\": 1}");
    assert_ok(tc_json_only(good, "", allowed, &err));
    assert_fails(tc_json_only(j, "space.lr", allowed, &err), TACIT_E_ARG,
                 "unknown field \"space.lr.lo\"; did you mean \"low\"? Allowed: type, low, high");
    json_object_del(j, "lo");
    json_object_set_new(j, "banana", json_null());
    assert_fails(tc_json_only(j, "", allowed, &err), TACIT_E_ARG,
                 "unknown field \"banana\". Allowed: type, low, high");
    json_decref(j);
    json_decref(good);
}

static void long_names_are_cut(void **state)
{
    (void)state;
    tacit_error err = {0};
    char key[2000];
    memset(key, 'k', sizeof key - 1);
    key[sizeof key - 1] = '\0';
    json_t *j = parse("{}");
    double v;
    assert_fails(tc_json_number(j, "p", key, &v, &err), TACIT_E_ARG, "is missing; it must be");
    json_decref(j);
}

/* ---- writing */

static void text_is_compact(void **state)
{
    (void)state;
    json_t *j = parse("{ \"b\": [1, 0.1, 1.0, -0.0, 1e22, true, false, null],"
                      "  \"a\": {}, \"s\": \"q\\\" b\\\\ \\n \\u007f \\u00e9\", \"e\": [] }");
    char *text = tc_json_text(j);
    assert_non_null(text);
    assert_string_equal(text, "{\"b\":[1,0.1,1.0,-0.0,1e+22,true,false,null],\"a\":{},"
                              "\"s\":\"q\\\" b\\\\ \\u000a \\u007f \xC3\xA9\",\"e\":[]}");
    tc_free(text);
    json_decref(j);
}

static json_t *random_json(tc_stream *r, int depth)
{
    char word[8] = {0};
    for (size_t i = 0; i < 7; i++)
        word[i] = (char)tc_draw_below(r, 128);
    uint64_t bits = tc_draw_u64(r);
    double v;
    memcpy(&v, &bits, sizeof v);
    json_t *j;
    switch (tc_draw_below(r, depth > 0 ? 7 : 5)) {
    case 0:
        return json_string(word);
    case 1:
        return json_integer((json_int_t)bits);
    case 2:
        return json_boolean(bits & 1);
    case 3:
        return json_null();
    case 4:
        return json_real(isfinite(v) ? v : 0.5);
    case 5:
        j = json_array();
        for (int i = 0; i < 5; i++)
            json_array_append_new(j, random_json(r, depth - 1));
        return j;
    default:
        j = json_object();
        for (char key[] = "a"; key[0] < 'f'; key[0]++)
            json_object_set_new(j, key, random_json(r, depth - 1));
        return j;
    }
}

static void text_reads_back_equal(void **state)
{
    (void)state;
    tc_json_start();
    tc_public_seed seed = tc_public_seed_from(5);
    tc_stream r;
    tc_stream_public(&r, &seed, TC_FOR_DESIGN, 0);
    for (int i = 0; i < 300; i++) {
        json_t *j = json_array();
        json_array_append_new(j, random_json(&r, 4));
        char *text = tc_json_text(j);
        assert_non_null(text);
        json_t *back = parse(text);
        assert_true(json_equal(j, back));
        tc_free(text);
        json_decref(j);
        json_decref(back);
    }
}

static void kinds_have_names(void **state)
{
    (void)state;
    json_t *j = parse("[{}, [], \"\", 1, 1.5, true, false, null]");
    static const char *const kinds[] = {"an object", "an array",  "a string",  "a number",
                                        "a number",  "a boolean", "a boolean", "null"};
    for (size_t i = 0; i < 8; i++)
        assert_string_equal(tc_json_kind(json_array_get(j, i)), kinds[i]);
    assert_string_equal(tc_json_kind(NULL), "nothing");
    json_decref(j);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(parsing_is_strict), cmocka_unit_test(nesting_has_a_limit),
        cmocka_unit_test(files_are_read),    cmocka_unit_test(required_fields),
        cmocka_unit_test(optional_fields),   cmocka_unit_test(whole_numbers),
        cmocka_unit_test(unknown_fields),    cmocka_unit_test(long_names_are_cut),
        cmocka_unit_test(text_is_compact),   cmocka_unit_test(text_reads_back_equal),
        cmocka_unit_test(kinds_have_names),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
