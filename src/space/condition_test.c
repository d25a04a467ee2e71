/* condition_test.c - conditional parameters, and choices that are numbers, ordered or a bool. */
#include "space/space.h"

#include "base/json.h"
#include "base/random.h"
#include "support/test.h"

#include <tacit/space.h>

#include <math.h>
#include <stdint.h>

enum { KERNEL, C, GAMMA, DEGREE, SHRINK, CACHE, PARAMS, DIM = 9 };

/* gamma stands before its parent, degree has two values of it, cache depends on a bool. */
static const char svm[] =
    "{\"gamma\":{\"type\":\"float\",\"low\":0.0001,\"high\":1.0,\"log\":true,"
    "\"when\":{\"kernel\":[\"rbf\",\"poly\"]}},"
    "\"kernel\":{\"type\":\"choice\",\"choices\":[\"linear\",\"rbf\",\"poly\"]},"
    "\"C\":{\"type\":\"float\",\"low\":0.0,\"high\":8.0},"
    "\"degree\":{\"type\":\"int\",\"low\":2,\"high\":5,\"when\":{\"kernel\":\"poly\"}},"
    "\"shrink\":{\"type\":\"bool\"},"
    "\"cache\":{\"type\":\"choice\",\"choices\":[16,0.5,64],\"ordered\":true,"
    "\"when\":{\"shrink\":true}}}";

static tc_space *parse_ok(const char *text)
{
    tacit_error err = {0};
    tc_space *s = NULL;
    assert_ok(tacit_space_from_json(&s, text, &err));
    return s;
}

static char *text_of(json_t *j)
{
    char *text = tc_json_text(j);
    json_decref(j);
    assert_non_null(text);
    return text;
}

static void assert_document(const tc_space *s, const char *want)
{
    char *text = text_of(tc_space_json(s));
    assert_string_equal(text, want);
    tc_free(text);
}

/* Whether parameter `name` is active at a point. */
static bool active(const tc_space *s, const double *values, const char *name)
{
    return tc_space_active(s, values, (size_t)(tc_space_find(s, name) - s->params));
}

/* --- the document --- */

static void the_document_form_is_canonical(void **state)
{
    (void)state;
    tacit_error err = {0};
    tc_space *s = parse_ok(svm), *copy = NULL;
    assert_document(s, svm);
    assert_ok(tc_space_copy(&copy, s, &err));
    assert_document(copy, svm);
    assert_int_equal(s->dim, 1 + 3 + 1 + 1 + 1 + 1); /* a bool and an ordered choice have one */
    assert_int_equal(copy->dim, s->dim);
    assert_int_equal(copy->n_conditional, 3);
    tc_space_free(copy);
    tc_space_free(s);
    s = parse_ok(
        "{\"n\": {\"type\": \"choice\", \"choices\": [16.0, -0.0, 2.5], \"ordered\": false}, "
        "\"x\": {\"type\": \"bool\", \"when\": {\"n\": [2.5, 16]}}}");
    assert_document(s, "{\"n\":{\"type\":\"choice\",\"choices\":[16,0,2.5]},"
                       "\"x\":{\"type\":\"bool\",\"when\":{\"n\":[16,2.5]}}}");
    tc_space_free(s);
}

#define KERNEL_AND "{\"k\": {\"type\": \"choice\", \"choices\": [\"a\", \"b\"]}, "
#define FLOAT      "\"type\": \"float\", \"low\": 0, \"high\": 1"

static const struct {
    const char *text, *message;
} refusals[] = {
    {KERNEL_AND "\"x\": {" FLOAT ", \"when\": \"k\"}}",
     "space.x.when must be an object with one parameter, got a string"},
    {KERNEL_AND "\"x\": {" FLOAT ", \"when\": {}}}",
     "space.x.when must be an object with one parameter, got 0"},
    {KERNEL_AND "\"x\": {" FLOAT ", \"when\": {\"k\": \"a\", \"x\": 1}}}",
     "space.x.when must be an object with one parameter, got 2"},
    {KERNEL_AND "\"x\": {" FLOAT ", \"when\": {\"kk\": \"a\"}}}",
     "space.x.when: there is no parameter \"kk\""},
    {KERNEL_AND "\"x\": {" FLOAT ", \"when\": {\"x\": 1}}}",
     "space.x.when must name another parameter"},
    {KERNEL_AND "\"x\": {" FLOAT ", \"when\": {\"k\": \"c\"}}}",
     "space.x.when: k is \"c\" but must be one of \"a\", \"b\""},
    {KERNEL_AND "\"x\": {" FLOAT ", \"when\": {\"k\": [\"a\", 1]}}}",
     "space.x.when: k must be a string, got a number"},
    {KERNEL_AND "\"x\": {" FLOAT ", \"when\": {\"k\": []}}}",
     "space.x.when.k must have at least one value"},
    {KERNEL_AND "\"x\": {" FLOAT ", \"when\": {\"k\": [\"a\", \"a\"]}}}",
     "space.x.when.k has \"a\" twice"},
    {KERNEL_AND "\"y\": {" FLOAT "}, \"x\": {" FLOAT ", \"when\": {\"y\": 1}}}",
     "space.x.when: y must be a choice or a bool, and is a float"},
    {"{\"n\": {\"type\": \"int\", \"low\": 0, \"high\": 1}, \"x\": {" FLOAT
     ", \"when\": {\"n\": 1}}}",
     "space.x.when: n must be a choice or a bool, and is an int"},
    {KERNEL_AND "\"l\": {\"type\": \"bool\", \"when\": {\"k\": \"a\"}}, \"x\": {" FLOAT
                ", \"when\": {\"l\": true}}}",
     "space.x.when: l has a condition itself, and conditions have one level"},
    {"{\"x\": {" FLOAT ", \"when\": {\"l\": true}}, \"l\": {\"type\": \"bool\", \"when\": {\"k\": "
     "\"a\"}}, \"k\": {\"type\": \"choice\", \"choices\": [\"a\"]}}",
     "space.x.when: l has a condition itself, and conditions have one level"},
    {"{\"l\": {\"type\": \"bool\", \"choices\": [true]}}",
     "unknown field \"space.l.choices\". Allowed: type, when"},
    {"{\"l\": {\"type\": \"choice\", \"choices\": [true, false]}}",
     "space.l.choices[0] must be a string or a number, got a boolean"},
    {"{\"l\": {\"type\": \"choice\", \"choices\": [1, \"2\"]}}",
     "space.l.choices[1] must be a number as choices[0] is, got a string"},
    {"{\"l\": {\"type\": \"choice\", \"choices\": [1, 2, 1.0]}}", "space.l.choices has 1 twice"},
    {"{\"l\": {\"type\": \"choice\", \"choices\": [1, 2], \"ordered\": 1}}",
     "space.l.ordered must be true or false, got a number"},
    {"{\"x\": {" FLOAT ", \"ordered\": true}}",
     "unknown field \"space.x.ordered\". Allowed: type, low, high, log, step, when"},
};

static void refusals_are_one_exact_sentence(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof refusals / sizeof *refusals; i++) {
        tacit_error err = {0};
        tc_space *s = NULL;
        assert_int_equal(tacit_space_from_json(&s, refusals[i].text, &err), TACIT_E_ARG);
        assert_string_equal(err.msg, refusals[i].message);
        assert_null(s);
    }
}

/* --- points in the unit cube --- */

/* In the order of the document: gamma, kernel, C, degree, shrink, cache. */
static const double linear[] = {7, 0, 4, NAN, 0, -3}, poly[] = {1e-2, 2, 4, 5, 1, 2};

static void inactive_values_are_one_point(void **state)
{
    (void)state;
    tacit_error err = {0};
    tc_space *s = parse_ok(svm);
    const double other[] = {1, 0, 4, 2, 0, 1};
    double u[DIM], v[DIM], values[PARAMS];
    assert_ok(tc_space_check(s, linear, &err));
    tc_space_encode(s, linear, u);
    static const double expected[] = {0.5, 1, 0, 0, 0.5, 0.5, 0, 0.5};
    for (size_t d = 0; d < s->dim; d++)
        assert_same_bits(u[d], expected[d]);
    tc_space_encode(s, other, v);
    assert_memory_equal(u, v, s->dim * sizeof *u);
    tc_space_decode(s, u, values);
    memcpy(v, linear, sizeof values);
    tc_space_make_canonical(s, v);
    assert_memory_equal(values, v, sizeof values);
    assert_ok(tc_space_check(s, values, &err));
    assert_false(active(s, linear, "gamma") || active(s, linear, "degree"));
    assert_true(active(s, poly, "gamma") && active(s, poly, "degree") && active(s, poly, "cache"));
    tc_space_free(s);
}

static void active_values_are_checked(void **state)
{
    (void)state;
    tacit_error err = {0};
    tc_space *s = parse_ok(svm);
    double values[PARAMS];
    memcpy(values, poly, sizeof values);
    assert_ok(tc_space_check(s, values, &err));
    values[0] = 7;
    assert_fails(tc_space_check(s, values, &err), TACIT_E_ARG,
                 "gamma must be from 0.0001 to 1, got 7");
    values[1] = NAN; /* the parent comes first, and NaN makes nothing active */
    assert_fails(tc_space_check(s, values, &err), TACIT_E_ARG, "kernel must be a whole number");
    assert_false(active(s, values, "gamma"));
    tc_space_free(s);
}

static void ordered_choices_stand_evenly(void **state)
{
    (void)state;
    tc_space *s =
        parse_ok("{\"n\": {\"type\": \"choice\", \"choices\": [\"s\", \"m\", \"l\", \"xl\"], "
                 "\"ordered\": true}, \"one\": {\"type\": \"choice\", \"choices\": [8], "
                 "\"ordered\": true}, \"b\": {\"type\": \"bool\"}}");
    assert_int_equal(s->dim, 3);
    for (double k = 0; k < 4; k++) {
        double u[3], back[3];
        tc_space_encode(s, (double[]){k, 0, k > 1}, u);
        assert_close(u[0], k / 3, 1e-15);
        assert_same_bits(u[1], 0.5);
        assert_same_bits(u[2], k > 1);
        tc_space_decode(s, u, back);
        assert_same_bits(back[0], k);
        assert_same_bits(back[1], 0);
        assert_same_bits(back[2], k > 1);
    }
    double v[3];
    tc_space_decode(s, (double[]){0.51, 7, 0.5}, v);
    assert_true(v[0] == 2 && v[1] == 0 && v[2] == 0); /* ties: the lower */
    assert_false(tc_space_continuous(s, 0) || tc_space_continuous(s, 2));
    tc_space_free(s);
}

static void rounding_is_encode_of_decode(void **state)
{
    (void)state;
    tacit_error err = {0};
    tc_stream draw;
    tc_public_seed seed = tc_public_seed_from(8);
    tc_stream_public(&draw, &seed, TC_FOR_DESIGN, 0);
    tc_space *s = parse_ok(svm);
    size_t idle = 0;
    for (int n = 0; n < 1000; n++) {
        double u[DIM], values[PARAMS], again[DIM];
        for (size_t d = 0; d < s->dim; d++)
            u[d] = 3 * tc_draw_uniform(&draw) - 1;
        tc_space_decode(s, u, values);
        assert_ok(tc_space_check(s, values, &err));
        tc_space_encode(s, values, again);
        tc_space_round(s, u);
        assert_memory_equal(u, again, s->dim * sizeof *u);
        double slope[DIM] = {1, 1, 1, 1, 1, 1, 1, 1, 1};
        tc_space_hold_idle(s, u, slope);
        for (size_t i = 0; i < s->n_params; i++)
            assert_int_equal(slope[s->params[i].at] == 0, !tc_space_active(s, values, i));
        idle += !active(s, values, "gamma");
    }
    assert_in_range(idle, 200, 450); /* a third */
    tc_space_free(s);
}

/* --- points as JSON and text --- */

static tacit_status values_from(const tc_space *s, const char *text, double *values,
                                tacit_error *err)
{
    json_t *j = NULL;
    assert_int_equal(tc_json_parse(text, strlen(text), "values", &j, err), TACIT_OK);
    tacit_status status = tc_space_values_from_json(s, j, values, err);
    json_decref(j);
    return status;
}

static void inactive_parameters_are_not_in_json(void **state)
{
    (void)state;
    tacit_error err = {0};
    tc_space *s = parse_ok(svm);
    double values[PARAMS], want[PARAMS];
    char *text = text_of(tc_space_values_json(s, linear));
    assert_string_equal(text, "{\"kernel\":\"linear\",\"C\":4.0,\"shrink\":false}");
    assert_ok(values_from(s, text, values, &err));
    memcpy(want, linear, sizeof want);
    tc_space_make_canonical(s, want);
    assert_memory_equal(values, want, sizeof values);
    tc_free(text);
    text = text_of(tc_space_values_json(s, poly));
    assert_string_equal(text, "{\"gamma\":0.01,\"kernel\":\"poly\",\"C\":4.0,\"degree\":5,"
                              "\"shrink\":true,\"cache\":64}");
    assert_ok(values_from(s, text, values, &err));
    assert_memory_equal(values, poly, sizeof values);
    tc_free(text);
    assert_ok(values_from(
        s, "{\"kernel\": \"linear\", \"C\": 4, \"shrink\": false, \"gamma\": null}", values, &err));
    assert_memory_equal(values, want, sizeof values);
    static const char *const bad[][2] = {
        {"{\"kernel\": \"linear\", \"C\": 4, \"shrink\": false, \"gamma\": 0.1}",
         "gamma must not be given where kernel is linear"},
        {"{\"kernel\": \"rbf\", \"C\": 4, \"shrink\": false}", "gamma is missing"},
        {"{\"kernel\": \"rbf\", \"gamma\": null, \"C\": 4, \"shrink\": false}",
         "gamma must be a number, got null"},
        {"{\"kernel\": \"linear\", \"C\": 4, \"shrink\": 1}",
         "shrink must be true or false, got a number"},
        {"{\"kernel\": \"linear\", \"C\": 4, \"shrink\": true, \"cache\": \"16\"}",
         "cache must be a number, got a string"},
        {"{\"kernel\": \"linear\", \"C\": 4, \"shrink\": true, \"cache\": 17}",
         "cache is 17 but must be one of 16, 0.5, 64"},
        {"{\"C\": 4, \"shrink\": false}", "kernel is missing"},
    };
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        assert_int_equal(values_from(s, bad[i][0], values, &err), TACIT_E_ARG);
        assert_string_equal(err.msg, bad[i][1]);
    }
    tc_space_free(s);
}

static void values_are_read_as_people_write_them(void **state)
{
    (void)state;
    tacit_error err = {0};
    tc_space *s = parse_ok(svm);
    const tc_param *cache = tc_space_find(s, "cache"), *shrink = tc_space_find(s, "shrink");
    double v = -1;
    assert_ok(tc_space_value_parse(cache, "64.0", &v, &err));
    assert_same_bits(v, 2);
    assert_ok(tc_space_value_parse(shrink, "True", &v, &err));
    assert_same_bits(v, 1);
    assert_ok(tc_space_value_parse(shrink, "false", &v, &err));
    assert_same_bits(v, 0);
    assert_fails(tc_space_value_parse(cache, "x", &v, &err), TACIT_E_ARG,
                 "cache is x but must be one of 16, 0.5, 64");
    assert_fails(tc_space_value_parse(shrink, "1", &v, &err), TACIT_E_ARG,
                 "shrink is 1 but must be one of false, true");
    tc_space_free(s);
}

/* --- the C interface --- */

static tacit_space *built(void)
{
    tacit_error err = {0};
    tacit_space *s = NULL;
    assert_ok(tacit_space_new(&s, &err));
    assert_ok(tacit_space_add_choice(s, "kernel", 2, (const char *[]){"linear", "rbf"}, &err));
    assert_ok(tacit_space_add_numbers(s, "batch", 3, (double[]){16, 32, 0.5}, &err));
    assert_ok(tacit_space_add_float(s, "gamma", 0, 1, 0, false, &err));
    assert_ok(tacit_space_add_bool(s, "flag", &err));
    assert_ok(tacit_space_set_ordered(s, "batch", &err));
    assert_ok(tacit_space_set_when(s, "gamma", "kernel", 1, (const char *[]){"rbf"}, &err));
    return s;
}

static void the_c_interface_builds_the_same(void **state)
{
    (void)state;
    tacit_error err = {0};
    tacit_space *s = built();
    char text[TACIT_VALUE_SIZE];
    double point[] = {0, 1, 99, 1}, value;
    assert_document(s,
                    "{\"kernel\":{\"type\":\"choice\",\"choices\":[\"linear\",\"rbf\"]},"
                    "\"batch\":{\"type\":\"choice\",\"choices\":[16,32,0.5],\"ordered\":true},"
                    "\"gamma\":{\"type\":\"float\",\"low\":0.0,\"high\":1.0,\"when\":{\"kernel\":"
                    "\"rbf\"}},\"flag\":{\"type\":\"bool\"}}");
    assert_int_equal(tacit_space_param_parent(s, 2), 0);
    assert_true(tacit_space_param_parent(s, 1) == SIZE_MAX);
    assert_true(tacit_space_param_parent(s, 9) == SIZE_MAX);
    assert_true(tacit_space_active(s, point, 0) && !tacit_space_active(s, point, 2));
    assert_ok(tacit_space_check(s, point, &err));
    assert_true(isnan(tacit_space_column_value(s, point, 2)));
    assert_ok(tacit_space_get(s, point, "gamma", &value, &err));
    assert_true(isnan(value));
    assert_ok(tacit_space_format(s, point, "gamma", text, &err));
    assert_string_equal(text, "");
    assert_ok(tacit_space_format(s, point, "flag", text, &err));
    assert_string_equal(text, "true");
    assert_int_equal(tacit_space_choice_kind(s, 0), TACIT_CHOICE_TEXT);
    assert_int_equal(tacit_space_choice_kind(s, 1), TACIT_CHOICE_NUMBER);
    assert_int_equal(tacit_space_choice_kind(s, 3), TACIT_CHOICE_BOOL);
    assert_int_equal(tacit_space_choice_kind(s, 2), 0);
    assert_same_bits(tacit_space_choice_number(s, 1, 2), 0.5);
    assert_same_bits(tacit_space_choice_number(s, 3, 1), 1);
    assert_true(isnan(tacit_space_choice_number(s, 0, 0)) &&
                isnan(tacit_space_choice_number(s, 1, 3)));
    assert_string_equal(tacit_space_choice(s, 1, 0), "16");
    tacit_space_free(s);
}

static void the_c_interface_refuses(void **state)
{
    (void)state;
    tacit_error err = {0};
    tacit_space *s = built();
    const char *const rbf[] = {"rbf"}, *const none[] = {NULL};
    assert_fails(tacit_space_set_when(s, "gama", "kernel", 1, rbf, &err), TACIT_E_NOT_FOUND,
                 "there is no parameter \"gama\"");
    assert_fails(tacit_space_set_when(s, "flag", "kern", 1, rbf, &err), TACIT_E_NOT_FOUND,
                 "there is no parameter \"kern\"");
    assert_fails(tacit_space_set_when(s, "gamma", "kernel", 1, rbf, &err), TACIT_E_ARG,
                 "space.gamma has a condition already");
    assert_fails(tacit_space_set_when(s, "kernel", "flag", 1, (const char *[]){"true"}, &err),
                 TACIT_E_ARG, "space.gamma.when: kernel has a condition itself");
    assert_fails(tacit_space_set_when(s, "flag", "kernel", 1, none, &err), TACIT_E_ARG,
                 "values[0] must not be NULL");
    assert_fails(tacit_space_set_when(s, "flag", "kernel", 1, (const char *[]){"poly"}, &err),
                 TACIT_E_ARG, "kernel is \"poly\" but must be one of \"linear\", \"rbf\"");
    assert_fails(tacit_space_set_when(s, "flag", "kernel", 0, rbf, &err), TACIT_E_ARG,
                 "space.flag.when.kernel must have at least one value");
    assert_fails(tacit_space_set_ordered(s, "gamma", &err), TACIT_E_ARG,
                 "space.gamma.ordered is for choices");
    assert_fails(tacit_space_set_ordered(s, "x", &err), TACIT_E_NOT_FOUND, "no parameter \"x\"");
    assert_fails(tacit_space_add_numbers(s, "m", 2, (double[]){1, NAN}, &err), TACIT_E_ARG,
                 "space.m.choices[1] must be a finite number, got nan");
    assert_fails(tacit_space_add_numbers(s, "m", 0, (double[]){1}, &err), TACIT_E_ARG,
                 "space.m.choices must have 1 to 1000 entries, got 0");
    assert_fails(tacit_space_add_bool(s, "flag", &err), TACIT_E_ARG, "space.flag is given twice");
    assert_int_equal(tacit_space_params(s), 4);
    tacit_space_free(s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_document_form_is_canonical),
        cmocka_unit_test(refusals_are_one_exact_sentence),
        cmocka_unit_test(inactive_values_are_one_point),
        cmocka_unit_test(active_values_are_checked),
        cmocka_unit_test(ordered_choices_stand_evenly),
        cmocka_unit_test(rounding_is_encode_of_decode),
        cmocka_unit_test(inactive_parameters_are_not_in_json),
        cmocka_unit_test(values_are_read_as_people_write_them),
        cmocka_unit_test(the_c_interface_builds_the_same),
        cmocka_unit_test(the_c_interface_refuses),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
