/* space_api_test.c - include/tacit/space.h as a program uses it. */
#include "space/space.h"

#include "support/test.h"

#include <tacit/space.h>

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

static void the_c_interface(void **state)
{
    (void)state;
    tacit_error err = {0};
    tacit_space *s = NULL;
    double values[3] = {0}, number;
    char text[TACIT_VALUE_SIZE];
    assert_ok(tacit_space_new(&s, &err));
    assert_ok(tacit_space_add_float(s, "lr", 1e-5, 1, 0, true, &err));
    assert_ok(tacit_space_add_int(s, "n", 1, 8, 1, false, &err));
    assert_ok(tacit_space_add_choice(s, "opt", 2, (const char *[]){"adam", "sgd"}, &err));
    assert_int_equal(tacit_space_params(s), 3);
    assert_string_equal(tacit_space_param_name(s, 2), "opt");
    assert_null(tacit_space_param_name(s, 3));
    assert_fails(tacit_space_check(s, values, &err), TACIT_E_ARG, "lr must be from 1e-05");
    assert_ok(tacit_space_parse(s, "lr", "0.001", values, &err));
    assert_ok(tacit_space_parse(s, "n", "4", values, &err));
    assert_ok(tacit_space_parse(s, "opt", "sgd", values, &err));
    assert_ok(tacit_space_check(s, values, &err));
    assert_ok(tacit_space_get(s, values, "opt", &number, &err));
    assert_same_bits(number, 1);
    assert_ok(tacit_space_format(s, values, "lr", text, &err));
    assert_string_equal(text, "0.001");
    assert_fails(tacit_space_format(s, values, "rate", text, &err), TACIT_E_NOT_FOUND,
                 "there is no parameter \"rate\"");
    assert_fails(tacit_space_parse(s, "rate", "1", values, &err), TACIT_E_NOT_FOUND, "rate");
    values[2] = 9;
    assert_fails(tacit_space_format(s, values, "opt", text, &err), TACIT_E_ARG, "opt must be");
    assert_int_equal(tacit_space_add_int(s, "n", 1, 8, 1, false, NULL), TACIT_E_ARG);
    tacit_space_free(s);
    tacit_space_free(NULL);
    s = NULL;
    assert_fails(tacit_space_from_json(&s, "{", &err), TACIT_E_ARG, "space line 1");
    assert_fails(tacit_space_from_points(&s, "/nowhere.csv", &err), TACIT_E_NOT_FOUND, "nowhere");
    assert_null(s);
}

static void the_c_interface_of_constraints(void **state)
{
    (void)state;
    tacit_error err = {0};
    tacit_space *s = three_candidates();
    assert_ok(tacit_space_add_linear(s, "b - a >= 3", &err));
    assert_string_equal(tacit_space_linear(s, 0), "a - b <= -3");
    assert_fails(tacit_space_add_linear(s, "a <= 3", &err), TACIT_E_ARG,
                 "the constraint \"a <= 3\": candidate 2 violates it");
    assert_int_equal(tacit_space_linears(s), 1);
    tacit_space_free(s);
}

static void the_c_interface_of_finite_spaces(void **state)
{
    (void)state;
    tacit_error err = {0};
    tacit_space *s = three_candidates();
    char text[TACIT_VALUE_SIZE];
    double v = 1, number;
    assert_ok(tacit_space_get(s, &v, "b", &number, &err));
    assert_same_bits(number, 5.5);
    assert_ok(tacit_space_format(s, &v, "b", text, &err));
    assert_string_equal(text, "5.5");
    assert_ok(tacit_space_format(s, &v, "point", text, &err));
    assert_string_equal(text, "1");
    v = 3;
    assert_fails(tacit_space_get(s, &v, "b", &number, &err), TACIT_E_ARG, "point must be");
    tacit_space_free(s);
}

static void a_point_is_a_row(void **state)
{
    (void)state;
    tacit_error err = {0};
    tacit_space *s = three_candidates(), *box = NULL;
    size_t point = 9;
    assert_int_equal(tacit_space_columns(s), 3);
    assert_string_equal(tacit_space_column_name(s, 0), "point");
    assert_string_equal(tacit_space_column_name(s, 2), "b");
    assert_int_equal(tacit_space_column_type(s, 0), TACIT_COLUMN_INT);
    assert_int_equal(tacit_space_column_type(s, 1), TACIT_COLUMN_FLOAT);
    assert_same_bits(tacit_space_column_value(s, (const double[]){1}, 0), 1);
    assert_same_bits(tacit_space_column_value(s, (const double[]){1}, 2), 5.5);
    assert_ok(tacit_space_find(s, (const double[]){2, 5.5}, &point, &err));
    assert_int_equal(point, 1);
    assert_fails(tacit_space_find(s, (const double[]){2, 7}, &point, &err), TACIT_E_NOT_FOUND,
                 "no candidate has these coordinates");
    tacit_space_free(s);
    assert_ok(tacit_space_new(&box, &err));
    assert_ok(tacit_space_add_choice(box, "opt", 2, (const char *[]){"adam", "sgd"}, &err));
    assert_ok(tacit_space_add_int(box, "n", 1, 8, 1, false, &err));
    assert_int_equal(tacit_space_columns(box), 2);
    assert_int_equal(tacit_space_column_type(box, 0), TACIT_COLUMN_CHOICE);
    assert_int_equal(tacit_space_column_type(box, 1), TACIT_COLUMN_INT);
    assert_ok(tacit_space_add_float(box, "lr", 1e-5, 1, 0, true, &err));
    assert_true(tacit_space_param_log(box, 2) && !tacit_space_param_log(box, 1));
    assert_false(tacit_space_param_log(box, 3));
    assert_string_equal(tacit_space_choice(box, 0, 1), "sgd");
    assert_null(tacit_space_choice(box, 0, 2));
    assert_null(tacit_space_choice(box, 1, 0));
    assert_fails(tacit_space_find(box, (const double[]){2, 7}, &point, &err), TACIT_E_UNSUPPORTED,
                 "candidates");
    tacit_space_free(box);
}

static void misses_no_missing_pointer(void **state)
{
    (void)state;
    tacit_error err = {0};
    tacit_space *s = NULL;
    const char *const holes[] = {"a", NULL};
    char text[TACIT_VALUE_SIZE];
    double v = 1;
    assert_fails(tacit_space_new(NULL, &err), TACIT_E_ARG, "out must not be NULL");
    assert_fails(tacit_space_from_json(&s, NULL, &err), TACIT_E_ARG, "text must not be NULL");
    assert_fails(tacit_space_from_points(&s, NULL, &err), TACIT_E_ARG, "file must not be NULL");
    assert_fails(tacit_space_add_float(NULL, "x", 0, 1, 0, false, &err), TACIT_E_ARG, "space must");
    assert_ok(tacit_space_new(&s, &err));
    assert_fails(tacit_space_add_int(s, NULL, 0, 1, 1, false, &err), TACIT_E_ARG, "name must not");
    assert_fails(tacit_space_add_choice(s, "c", 2, NULL, &err), TACIT_E_ARG, "choices must not");
    assert_fails(tacit_space_add_choice(s, "c", 2, holes, &err), TACIT_E_ARG,
                 "choices[1] must not be NULL");
    assert_ok(tacit_space_add_float(s, "x", 0, 1, 0, false, &err));
    assert_fails(tacit_space_check(s, NULL, &err), TACIT_E_ARG, "values must not be NULL");
    assert_fails(tacit_space_get(s, &v, "x", NULL, &err), TACIT_E_ARG, "value must not be NULL");
    assert_fails(tacit_space_format(s, &v, NULL, text, &err), TACIT_E_ARG, "name must not be NULL");
    assert_fails(tacit_space_parse(s, "x", NULL, &v, &err), TACIT_E_ARG, "text must not be NULL");
    assert_fails(tacit_space_find(s, &v, NULL, &err), TACIT_E_ARG, "point must not be NULL");
    assert_int_equal(tacit_space_params(NULL), 0);
    assert_null(tacit_space_param_name(NULL, 0));
    tacit_space_free(s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_c_interface),
        cmocka_unit_test(the_c_interface_of_constraints),
        cmocka_unit_test(the_c_interface_of_finite_spaces),
        cmocka_unit_test(a_point_is_a_row),
        cmocka_unit_test(misses_no_missing_pointer),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
