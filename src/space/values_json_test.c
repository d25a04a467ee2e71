/* values_json_test.c - points as JSON and as text, exact, and what is refused. */
#include "space/space.h"

#include "base/json.h"
#include "base/random.h"
#include "support/test.h"

#include <tacit/space.h>

static tc_space *parse_ok(const char *text)
{
    tacit_error err = {0};
    tc_space *s = NULL;
    assert_ok(tacit_space_from_json(&s, text, &err));
    return s;
}

static const char mixed[] =
    "{\"lr\": {\"type\": \"float\", \"low\": 1e-5, \"high\": 1, \"log\": true},"
    "\"x\": {\"type\": \"float\", \"low\": -2, \"high\": 3},"
    "\"drop\": {\"type\": \"float\", \"low\": 0, \"high\": 0.5, \"step\": 0.1},"
    "\"layers\": {\"type\": \"int\", \"low\": 1, \"high\": 8},"
    "\"units\": {\"type\": \"int\", \"low\": 16, \"high\": 1024, \"log\": true},"
    "\"opt\": {\"type\": \"choice\", \"choices\": [\"adam\", \"sgd\", \"x y\"]}}";

typedef struct refusal {
    const char *text, *message;
} refusal;

static tacit_status values_from(const tc_space *s, const char *text, double *values,
                                tacit_error *err)
{
    json_t *j = NULL;
    assert_non_null(text);
    tacit_status status = tc_json_parse(text, strlen(text), "values", &j, err);
    if (status == TACIT_OK)
        status = tc_space_values_from_json(s, j, values, err);
    json_decref(j);
    return status;
}

static void values_go_through_json(void **state)
{
    (void)state;
    tacit_error err = {0};
    tc_stream draw;
    tc_public_seed seed = tc_public_seed_from(7);
    tc_stream_public(&draw, &seed, TC_FOR_DESIGN, 0);
    tc_space *s = parse_ok(mixed);
    for (int n = 0; n < 500; n++) {
        double u[8], values[6], back[6];
        for (size_t d = 0; d < 8; d++)
            u[d] = tc_draw_uniform(&draw);
        tc_space_decode(s, u, values);
        json_t *j = tc_space_values_json(s, values);
        char *text = tc_json_text(j);
        assert_ok(values_from(s, text, back, &err));
        assert_memory_equal(values, back, sizeof values);
        tc_free(text);
        json_decref(j);
    }
    json_t *j = tc_space_values_json(s, (double[]){0.01, 1, 0.2, 3, 64, 2});
    char *text = tc_json_text(j);
    assert_string_equal(
        text, "{\"lr\":0.01,\"x\":1.0,\"drop\":0.2,\"layers\":3,\"units\":64,\"opt\":\"x y\"}");
    tc_free(text);
    json_decref(j);
    tc_space_free(s);
}

static void bad_values_in_json_are_named(void **state)
{
    (void)state;
    tacit_error err = {0};
    tc_space *s = parse_ok("{\"lr\": {\"type\": \"float\", \"low\": 0, \"high\": 1},"
                           "\"opt\": {\"type\": \"choice\", \"choices\": [\"adam\", \"sgd\"]}}");
    static const refusal bad[] = {
        {"[]", "the parameters must be an object, got an array"},
        {"{\"lr\": 0.5}", "opt is missing"},
        {"{\"lr\": 0.5, \"opt\": \"adam\", \"lrr\": 1}",
         "there is no parameter \"lrr\"; did you mean \"lr\"?"},
        {"{\"lr\": 0.5, \"opt\": \"adam\", \"point\": 1}", "there is no parameter \"point\""},
        {"{\"lr\": \"a\", \"opt\": \"adam\"}", "lr must be a number, got a string"},
        {"{\"lr\": 7, \"opt\": \"adam\"}", "lr must be from 0 to 1, got 7"},
        {"{\"lr\": 0.5, \"opt\": 1}", "opt must be a string, got a number"},
        {"{\"lr\": 0.5, \"opt\": \"rms\"}", "opt is \"rms\" but must be one of \"adam\", \"sgd\""},
    };
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        double values[2];
        assert_int_equal(values_from(s, bad[i].text, values, &err), TACIT_E_ARG);
        assert_string_equal(err.msg, bad[i].message);
    }
    tc_space_free(s);
}

static tc_space *three_candidates(void)
{
    tacit_error err = {0};
    static const char csv[] = "a,b\n0,5\n2,5.5\n4,7\n";
    tc_domain *d = NULL;
    tc_space *s = NULL;
    assert_ok(tc_domain_from_csv(&d, csv, sizeof csv - 1, "p.csv", &err));
    assert_ok(tc_space_from_domain(&s, d, &err));
    return s;
}

static void a_candidate_is_named_by_number_or_coordinates(void **state)
{
    (void)state;
    tacit_error err = {0};
    tc_space *s = three_candidates();
    double v = -1;
    json_t *j = tc_space_values_json(s, (double[]){1});
    char *text = tc_json_text(j);
    assert_string_equal(text, "{\"point\":1,\"a\":2.0,\"b\":5.5}");
    assert_ok(values_from(s, text, &v, &err));
    assert_same_bits(v, 1);
    tc_free(text);
    json_decref(j);
    assert_ok(values_from(s, "{\"point\": 2}", &v, &err));
    assert_same_bits(v, 2);
    assert_ok(values_from(s, "{\"b\": 5, \"a\": 0}", &v, &err));
    assert_same_bits(v, 0);
    static const refusal bad[] = {
        {"{}", "a is missing: give \"point\" or all coordinates"},
        {"{\"a\": 0}", "b is missing: give \"point\" or all coordinates"},
        {"{\"a\": 0, \"b\": \"5\"}", "b must be a number, got a string"},
        {"{\"a\": 0, \"b\": 7}", "no candidate has these coordinates (a is 0)"},
        {"{\"point\": 1, \"a\": 0}", "a does not agree with point 1, where it is 2"},
        {"{\"point\": 3}", "point must be a whole number from 0 to 2, got 3"},
        {"{\"point\": 1, \"c\": 0}", "there is no parameter \"c\""},
    };
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        assert_int_equal(values_from(s, bad[i].text, &v, &err), TACIT_E_ARG);
        assert_string_equal(err.msg, bad[i].message);
    }
    assert_same_bits(v, 0); /* untouched by failures */
    tc_space_free(s);
}

static void values_as_text(void **state)
{
    (void)state;
    tacit_error err = {0};
    tc_space *s = parse_ok(mixed);
    const double values[] = {0.01, -0.5, 0.3, 8, 1024, 1};
    static const char *const texts[] = {"0.01", "-0.5", "0.3", "8", "1024", "sgd"};
    for (size_t i = 0; i < 6; i++) {
        char text[TACIT_VALUE_SIZE];
        double back = -1;
        tc_space_value_text(&s->params[i], values[i], text, sizeof text);
        assert_string_equal(text, texts[i]);
        assert_ok(tc_space_value_parse(&s->params[i], text, &back, &err));
        assert_same_bits(back, values[i]);
    }
    double v = 7;
    assert_fails(tc_space_value_parse(&s->params[0], "fast", &v, &err), TACIT_E_ARG,
                 "lr must be a number, got \"fast\"");
    assert_fails(tc_space_value_parse(&s->params[3], "1.5", &v, &err), TACIT_E_ARG,
                 "layers must be a whole number, got 1.5");
    assert_fails(tc_space_value_parse(&s->params[5], "Adam", &v, &err), TACIT_E_ARG,
                 "opt is \"Adam\" but must be one of \"adam\", \"sgd\", \"x y\"");
    assert_same_bits(v, 7);
    tc_space_free(s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(values_go_through_json),
        cmocka_unit_test(bad_values_in_json_are_named),
        cmocka_unit_test(a_candidate_is_named_by_number_or_coordinates),
        cmocka_unit_test(values_as_text),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
