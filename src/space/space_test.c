/* space_test.c - spaces: what is refused, points in the unit cube, the document form. */
#include "space/space.h"

#include "base/json.h"
#include "base/random.h"
#include "space/name.h"
#include "support/test.h"

#include <tacit/space.h>

#include <stdio.h>

static tacit_status parse(tc_space **out, const char *text, tacit_error *err)
{
    return tacit_space_from_json(out, text, err);
}

static tc_space *parse_ok(const char *text)
{
    tacit_error err = {0};
    tc_space *s = NULL;
    assert_ok(parse(&s, text, &err));
    return s;
}

static const char mixed[] =
    "{\"lr\": {\"type\": \"float\", \"low\": 1e-5, \"high\": 1, \"log\": true},"
    "\"x\": {\"type\": \"float\", \"low\": -2, \"high\": 3},"
    "\"drop\": {\"type\": \"float\", \"low\": 0, \"high\": 0.5, \"step\": 0.1},"
    "\"layers\": {\"type\": \"int\", \"low\": 1, \"high\": 8},"
    "\"units\": {\"type\": \"int\", \"low\": 16, \"high\": 1024, \"log\": true},"
    "\"opt\": {\"type\": \"choice\", \"choices\": [\"adam\", \"sgd\", \"x y\"]}}";

/* --- what is refused --- */

typedef struct refusal {
    const char *text, *message;
} refusal;

static const refusal refusals[] = {
    {"[1]", "space must be an object, got an array"},
    {"{}", "space must have at least one parameter"},
    {"{\"lr\": 3}", "space.lr must be an object, got a number"},
    {"{\"lr\": {\"type\": \"real\"}}",
     "space.lr.type must be float, int, choice or bool, got \"real\""},
    {"{\"lr\": {\"type\": \"float\", \"low\": 1, \"high\": 0.1}}",
     "space.lr.low must be less than space.lr.high, got 1 and 0.1"},
    {"{\"lr\": {\"type\": \"float\", \"low\": 1, \"high\": 1}}",
     "space.lr.low must be less than space.lr.high, got 1 and 1"},
    {"{\"lr\": {\"type\": \"float\", \"low\": 0, \"high\": 1, \"log\": true}}",
     "space.lr: log needs low > 0, got 0"},
    {"{\"lr\": {\"type\": \"float\", \"low\": 0, \"high\": 1, \"step\": 0}}",
     "space.lr.step must be greater than 0, got 0"},
    {"{\"lr\": {\"type\": \"float\", \"low\": 0, \"high\": 1, \"step\": -0.5}}",
     "space.lr.step must be greater than 0, got -0.5"},
    {"{\"lr\": {\"type\": \"float\", \"low\": 0, \"high\": 1, \"step\": 1e-13}}",
     "space.lr.step must be at least 1e-12 of the bounds, got 1e-13 for 0 to 1"},
    {"{\"lr\": {\"type\": \"float\", \"low\": -1e308, \"high\": 1e308}}",
     "space.lr: high - low is too large, got -1e+308 and 1e+308"},
    {"{\"lr\": {\"type\": \"float\", \"low\": 1e-300, \"high\": 1e300, \"log\": true}}",
     "space.lr: high / low is too large, got 1e-300 and 1e+300"},
    {"{\"n\": {\"type\": \"int\", \"low\": 3, \"high\": 2}}",
     "space.n.low must not be greater than space.n.high, got 3 and 2"},
    {"{\"n\": {\"type\": \"int\", \"low\": 0.5, \"high\": 2}}",
     "space.n.low must be a whole number, got 0.5"},
    {"{\"n\": {\"type\": \"int\", \"low\": 0, \"high\": 1e17}}",
     "space.n.high must be from -2^53 to 2^53, got 1e+17"},
    {"{\"n\": {\"type\": \"int\", \"low\": 0, \"high\": 1e15}}",
     "space.n must have at most 1e12 values, got 0 to 1e+15 by 1"},
    {"{\"n\": {\"type\": \"int\", \"low\": 0, \"high\": 9, \"step\": 0}}",
     "space.n.step must be at least 1, got 0"},
    {"{\"n\": {\"type\": \"int\", \"low\": 0, \"high\": 9, \"step\": 1.5}}",
     "space.n.step must be a whole number, got 1.5"},
    {"{\"o\": {\"type\": \"choice\", \"choices\": []}}",
     "space.o.choices must have 1 to 1000 entries, got 0"},
    {"{\"o\": {\"type\": \"choice\"}}",
     "space.o.choices must be an array of strings or numbers, got nothing"},
    {"{\"o\": {\"type\": \"choice\", \"choices\": [\"a\", 16]}}",
     "space.o.choices[1] must be a string as choices[0] is, got a number"},
    {"{\"o\": {\"type\": \"choice\", \"choices\": [\"a\", \"b\", \"a\"]}}",
     "space.o.choices has \"a\" twice"},
    {"{\"o\": {\"type\": \"choice\", \"choices\": [\"a\", \"\"]}}",
     "space.o.choices[1] must have 1 to 255 bytes, got 0"},
    {"{\"\": {\"type\": \"float\", \"low\": 0, \"high\": 1}}",
     "space: a parameter name must not be empty"},
    {"{\"trial\": {\"type\": \"float\", \"low\": 0, \"high\": 1}}",
     "space: parameter name \"trial\" is reserved: tables of trials have a column or key of that "
     "name"},
    {"{\"params_x\": {\"type\": \"float\", \"low\": 0, \"high\": 1}}",
     "space: parameter name \"params_x\" must not begin with \"params_\", which marks parameters "
     "in "
     "exported tables"},
    {"{\"a b\": {\"type\": \"float\", \"low\": 0, \"high\": 1}}",
     "space: parameter name \"a b\" must begin with a letter or _ and go on with letters, digits, "
     "_ . -"},
};

static void refusals_are_one_exact_sentence(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof refusals / sizeof *refusals; i++) {
        tacit_error err = {0};
        tc_space *s = NULL;
        assert_int_equal(parse(&s, refusals[i].text, &err), TACIT_E_ARG);
        assert_string_equal(err.msg, refusals[i].message);
        assert_null(s);
    }
}

static void unknown_and_missing_keys_are_named(void **state)
{
    (void)state;
    tacit_error err = {0};
    tc_space *s = NULL;
    assert_fails(parse(&s, "{\"lr\": {\"type\": \"float\", \"low\": 0, \"hihg\": 1}}", &err),
                 TACIT_E_ARG, "space.lr.hihg");
    assert_fails(parse(&s, "{\"lr\": {\"type\": \"float\", \"low\": 0}}", &err), TACIT_E_ARG,
                 "space.lr.high is missing");
    assert_fails(parse(&s, "{\"lr\": {\"low\": 0, \"high\": 1}}", &err), TACIT_E_ARG,
                 "space.lr.type is missing");
    assert_fails(
        parse(&s, "{\"o\": {\"type\": \"choice\", \"choices\": [\"a\"], \"log\": true}}", &err),
        TACIT_E_ARG, "space.o.log");
    assert_null(s);
}

static void limits_hold(void **state)
{
    (void)state;
    tacit_error err = {0};
    tc_space *s = NULL;
    assert_ok(tc_space_new(&s, &err));
    char name[80];
    for (int i = 0; i < TC_PARAMS_MAX; i++) {
        snprintf(name, sizeof name, "p%d", i);
        assert_ok(tc_space_add_float(s, name, 0, 1, 0, false, &err));
    }
    assert_fails(tc_space_add_float(s, "more", 0, 1, 0, false, &err), TACIT_E_ARG,
                 "space must have at most 256 parameters, got \"more\" too");
    assert_fails(tc_space_add_int(s, "p7", 0, 1, 1, false, &err), TACIT_E_ARG,
                 "space.p7 is given twice");
    assert_fails(tc_space_add_float(s, "q", 0, NAN, 0, false, &err), TACIT_E_ARG,
                 "space must have at most 256");
    assert_int_equal(s->n_params, TC_PARAMS_MAX);
    assert_int_equal(s->dim, TC_PARAMS_MAX);
    assert_int_equal(tc_space_add_int(s, "a b", 0, 1, 1, false, NULL), TACIT_E_ARG);
    tc_space_free(s);
    memset(name, 'a', sizeof name);
    name[64] = '\0';
    assert_ok(tc_name_check(name, &err));
    static const char *const reserved[] = {"point",  "trial",  "value", "state",
                                           "number", "worker", "reason"};
    for (size_t i = 0; i < sizeof reserved / sizeof *reserved; i++)
        assert_fails(tc_name_check(reserved[i], &err), TACIT_E_ARG, "is reserved");
    assert_fails(tc_name_check("params_", &err), TACIT_E_ARG, "must not begin with");
    assert_ok(tc_name_check("params", &err));
    assert_ok(tc_name_check("values", &err));
    name[64] = 'a';
    name[65] = '\0';
    assert_fails(tc_name_check(name, &err), TACIT_E_ARG, "at most 64 characters, got 65");
}

static void bounds_given_in_c_are_checked(void **state)
{
    (void)state;
    tacit_error err = {0};
    tc_space *s = NULL;
    assert_ok(tc_space_new(&s, &err));
    assert_fails(tc_space_add_float(s, "x", 0, INFINITY, 0, false, &err), TACIT_E_ARG,
                 "space.x.high must be a finite number, got inf");
    assert_fails(tc_space_add_float(s, "x", 0, 1, NAN, false, &err), TACIT_E_ARG,
                 "space.x.step must be a finite number");
    assert_fails(tc_space_add_choice(s, "x", 1, (const char *[]){"\xFF"}, &err), TACIT_E_ARG,
                 "space.x.choices[0] is not UTF-8 text");
    const char *too_many[TC_CHOICES_MAX + 1] = {0};
    assert_fails(tc_space_add_choice(s, "x", TC_CHOICES_MAX + 1, too_many, &err), TACIT_E_ARG,
                 "space.x.choices must have 1 to 1000 entries, got 1001");
    assert_int_equal(s->n_params, 0);
    assert_int_equal(s->dim, 0);
    tc_space_free(s);
}

/* --- the whole point --- */

static void a_mixed_point_is_laid_out_in_order(void **state)
{
    (void)state;
    tacit_error err = {0};
    tc_space *s = parse_ok(mixed);
    assert_int_equal(s->n_params, 6);
    assert_int_equal(s->dim, 8);
    const double values[] = {1e-5, 3, 0.3, 8, 16, 1};
    double u[8], back[6];
    assert_ok(tc_space_check(s, values, &err));
    tc_space_encode(s, values, u);
    static const double expected[] = {0, 1, 0.6, 1, 0, 0, 1, 0};
    for (size_t d = 0; d < 8; d++)
        assert_close(u[d], expected[d], 1e-15);
    tc_space_decode(s, u, back);
    for (size_t i = 0; i < 6; i++)
        assert_same_bits(back[i], values[i]);
    static const bool continuous[] = {true, true, false, false, false, false, false, false};
    for (size_t d = 0; d < 8; d++)
        assert_int_equal(tc_space_continuous(s, d), continuous[d]);
    assert_string_equal(tc_space_find(s, "layers")->name, "layers");
    assert_null(tc_space_find(s, "layer"));
    tc_space_free(s);
}

static void one_hot_takes_the_largest(void **state)
{
    (void)state;
    tc_space *s = parse_ok("{\"o\": {\"type\": \"choice\", \"choices\": [\"a\", \"b\", \"c\"]}}");
    double v, u[] = {0.2, 0.7, 0.7};
    tc_space_decode(s, u, &v);
    assert_same_bits(v, 1); /* ties: the lowest */
    tc_space_round(s, u);
    assert_true(u[0] == 0 && u[1] == 1 && u[2] == 0);
    tc_space_decode(s, (double[]){-3, -2, -1}, &v);
    assert_same_bits(v, 2);
    tc_space_free(s);
}

static void rounding_is_encode_of_decode(void **state)
{
    (void)state;
    tacit_error err = {0};
    tc_stream draw;
    tc_public_seed seed = tc_public_seed_from(7);
    tc_stream_public(&draw, &seed, TC_FOR_DESIGN, 0);
    tc_space *s = parse_ok(mixed);
    for (int n = 0; n < 1000; n++) {
        double u[8], values[6], again[8];
        for (size_t d = 0; d < 8; d++)
            u[d] = 3 * tc_draw_uniform(&draw) - 1;
        tc_space_decode(s, u, values);
        assert_ok(tc_space_check(s, values, &err));
        tc_space_encode(s, values, again);
        tc_space_round(s, u);
        assert_memory_equal(u, again, sizeof u);
    }
    tc_space_free(s);
}

static void values_are_checked_by_name(void **state)
{
    (void)state;
    tacit_error err = {0};
    tc_space *s = parse_ok(mixed);
    double good[] = {0.1, 0, 3 * 0.1, 4, 100, 2}; /* 3 * 0.1 is a rounding error off 0.3 */
    assert_ok(tc_space_check(s, good, &err));
    static const struct {
        size_t at;
        double value;
        const char *message;
    } bad[] = {
        {0, 2, "lr must be from 1e-05 to 1, got 2"},
        {0, NAN, "lr must be from 1e-05 to 1, got nan"},
        {1, -2.5, "x must be from -2 to 3, got -2.5"},
        {2, 0.25, "drop must be 0 plus a multiple of 0.1, got 0.25"},
        {2, 0.6, "drop must be from 0 to 0.5, got 0.6"},
        {3, 2.5, "layers must be a whole number, got 2.5"},
        {3, 9, "layers must be from 1 to 8, got 9"},
        {5, 3, "opt must be a whole number from 0 to 2, got 3"},
        {5, 0.5, "opt must be a whole number from 0 to 2, got 0.5"},
        {5, -1, "opt must be a whole number from 0 to 2, got -1"},
        {5, NAN, "opt must be a whole number from 0 to 2, got nan"},
    };
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        double values[6];
        memcpy(values, good, sizeof values);
        values[bad[i].at] = bad[i].value;
        assert_int_equal(tc_space_check(s, values, &err), TACIT_E_ARG);
        assert_string_equal(err.msg, bad[i].message);
    }
    tc_space_free(s);
}

/* --- finite spaces --- */

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

static void a_finite_space_has_one_parameter(void **state)
{
    (void)state;
    tacit_error err = {0};
    tc_space *s = three_candidates(), *copy = NULL;
    assert_int_equal(s->n_params, 1);
    assert_int_equal(s->dim, 2);
    double u[2], v;
    for (size_t i = 0; i < 3; i++) {
        v = (double)i;
        tc_space_encode(s, &v, u);
        assert_same_bits(u[0], (double)i / 2);
        tc_space_decode(s, u, &v);
        assert_same_bits(v, (double)i);
    }
    u[0] = 0.6, u[1] = 0.3;
    tc_space_round(s, u);
    assert_true(u[0] == 0.5 && u[1] == 0.25);
    assert_false(tc_space_continuous(s, 1));
    assert_fails(tc_space_check(s, (double[]){3}, &err), TACIT_E_ARG,
                 "point must be a whole number from 0 to 2, got 3");
    assert_fails(tc_space_add_float(s, "x", 0, 1, 0, false, &err), TACIT_E_STATE,
                 "a finite space has no further parameters");
    assert_ok(tc_space_copy(&copy, s, &err));
    assert_int_equal(copy->domain->n, 3);
    assert_ptr_not_equal(copy->domain, s->domain);
    tc_space_free(copy);
    tc_space_free(s);
}

/* --- the document form --- */

static char *space_text(const tc_space *s)
{
    json_t *j = tc_space_json(s);
    char *text = tc_json_text(j);
    json_decref(j);
    assert_non_null(text);
    return text;
}

static void the_document_form_is_canonical(void **state)
{
    (void)state;
    tacit_error err = {0};
    tc_space *s = parse_ok(mixed), *again = NULL, *copy = NULL;
    char *text = space_text(s);
    assert_string_equal(text,
                        "{\"lr\":{\"type\":\"float\",\"low\":1e-05,\"high\":1.0,\"log\":true},"
                        "\"x\":{\"type\":\"float\",\"low\":-2.0,\"high\":3.0},"
                        "\"drop\":{\"type\":\"float\",\"low\":0.0,\"high\":0.5,\"step\":0.1},"
                        "\"layers\":{\"type\":\"int\",\"low\":1,\"high\":8},"
                        "\"units\":{\"type\":\"int\",\"low\":16,\"high\":1024,\"log\":true},"
                        "\"opt\":{\"type\":\"choice\",\"choices\":[\"adam\",\"sgd\",\"x y\"]}}");
    assert_ok(parse(&again, text, &err));
    assert_ok(tc_space_copy(&copy, s, &err));
    char *text_again = space_text(again), *text_copy = space_text(copy);
    assert_string_equal(text_again, text);
    assert_string_equal(text_copy, text);
    assert_int_equal(copy->dim, s->dim);
    tc_free(text);
    tc_free(text_again);
    tc_free(text_copy);
    tc_space_free(s);
    tc_space_free(again);
    tc_space_free(copy);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(refusals_are_one_exact_sentence),
        cmocka_unit_test(unknown_and_missing_keys_are_named),
        cmocka_unit_test(limits_hold),
        cmocka_unit_test(bounds_given_in_c_are_checked),
        cmocka_unit_test(a_mixed_point_is_laid_out_in_order),
        cmocka_unit_test(one_hot_takes_the_largest),
        cmocka_unit_test(rounding_is_encode_of_decode),
        cmocka_unit_test(values_are_checked_by_name),
        cmocka_unit_test(a_finite_space_has_one_parameter),
        cmocka_unit_test(the_document_form_is_canonical),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
