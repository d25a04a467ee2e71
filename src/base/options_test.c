/* options_test.c - one table: defaults, text, JSON, sentences and help agree. */
#include "support/test.h"
#include "base/json.h"
#include "base/memory.h"
#include "base/options.h"

typedef struct sample {
    double beta, length, any;
    int64_t refit, seed;
    bool ard;
    int kernel;
    char *path, *note;
} sample;

#define AT(field) .offset = offsetof(sample, field)
static const tc_option table[] = {
    {.name = "beta", .type = TC_OPTION_FLOAT, AT(beta), .def = "2", .min = 0, .max = INFINITY},
    {.name = "length",
     .type = TC_OPTION_FLOAT,
     AT(length),
     .def = "0.1",
     .max = 1,
     .min_open = true},
    {.name = "any", .type = TC_OPTION_FLOAT, AT(any)},
    {.name = "refit", .type = TC_OPTION_INT, AT(refit), .def = "10", .min = 1, .max = 1000},
    {.name = "seed", .type = TC_OPTION_INT, AT(seed)},
    {.name = "ard", .type = TC_OPTION_BOOL, AT(ard), .def = "true"},
    {.name = "kernel",
     .type = TC_OPTION_CHOICE,
     AT(kernel),
     .def = "matern52",
     .choices = "rbf|matern32|matern52"},
    {.name = "path", .type = TC_OPTION_STRING, AT(path), .def = "out.csv"},
    {.name = "note", .type = TC_OPTION_STRING, AT(note)},
    {.name = NULL},
};

static void set(sample *s, const char *name, const char *value)
{
    tacit_error err = {0};
    assert_ok(tc_options_set(table, s, "gp-ei", name, value, &err));
}

static void refuse(sample *s, const char *name, const char *value, const char *sentence)
{
    tacit_error err = {0};
    assert_fails(tc_options_set(table, s, "gp-ei", name, value, &err), TACIT_E_ARG, sentence);
    assert_string_equal(err.msg, sentence);
}

static sample fresh(void)
{
    tacit_error err = {0};
    sample s;
    memset(&s, 0xAA, sizeof s); /* defaults must not read what was there */
    assert_ok(tc_options_defaults(table, &s, &err));
    return s;
}

static void defaults_fill_the_struct(void **state)
{
    (void)state;
    sample s = fresh();
    assert_true(s.beta == 2 && s.length == 0.1 && s.any == 0);
    assert_true(s.refit == 10 && s.seed == 0 && s.ard && s.kernel == 2);
    assert_string_equal(s.path, "out.csv");
    assert_null(s.note);
    tc_options_fini(table, &s);
    assert_null(s.path);
    tc_options_fini(table, &s);
}

/* Studies that were stored before a default changed keep the one of their time. */
static void older_defaults_are_kept(void **state)
{
    (void)state;
    static const tc_option changed[] = {
        {.name = "path", .type = TC_OPTION_STRING, AT(path), .def = "new", .before = "old"},
        {.name = "refit",
         .type = TC_OPTION_INT,
         AT(refit),
         .def = "-1",
         .before = "7",
         .min = -1,
         .max = 9},
        {.name = "seed", .type = TC_OPTION_INT, AT(seed), .def = "3", .min = 0, .max = 9},
        {.name = NULL},
    };
    tacit_error err = {0};
    sample s;
    for (int older = 0; older < 2; older++) {
        assert_ok(tc_options_defaults_of(changed, &s, older, &err));
        assert_string_equal(s.path, older ? "old" : "new");
        assert_int_equal(s.refit, older ? 7 : -1);
        assert_int_equal(s.seed, 3);
        tc_options_fini(changed, &s);
    }
}

static void a_default_out_of_range_is_refused(void **state)
{
    (void)state;
    static const tc_option bad[] = {
        {.name = "path", .type = TC_OPTION_STRING, AT(path), .def = "x"},
        {.name = "refit", .type = TC_OPTION_INT, AT(refit), .def = "0", .min = 1, .max = 9},
        {.name = NULL},
    };
    tacit_error err = {0};
    sample s;
    assert_fails(tc_options_defaults(bad, &s, &err), TACIT_E_ARG,
                 "default of option refit must be a whole number in [1, 9], got \"0\"");
    assert_null(s.path);
}

static void text_sets_every_type(void **state)
{
    (void)state;
    sample s = fresh();
    set(&s, "beta", "0");
    set(&s, "length", "1");
    set(&s, "any", "-1e3");
    set(&s, "refit", "1e3");
    set(&s, "seed", "-9223372036854775807");
    set(&s, "ard", "no");
    set(&s, "kernel", "rbf");
    set(&s, "path", "a=b");
    set(&s, "note", "");
    assert_true(s.beta == 0 && s.length == 1 && s.any == -1000);
    assert_true(s.refit == 1000 && s.seed == -INT64_MAX && !s.ard && s.kernel == 0);
    assert_string_equal(s.path, "a=b");
    assert_string_equal(s.note, "");
    set(&s, "ard", "on");
    assert_true(s.ard);
    tc_options_fini(table, &s);
}

static void text_is_checked(void **state)
{
    (void)state;
    sample s = fresh();
    refuse(&s, "refit", "x", "gp-ei option refit must be a whole number in [1, 1000], got \"x\"");
    refuse(&s, "refit", "0", "gp-ei option refit must be a whole number in [1, 1000], got \"0\"");
    refuse(&s, "refit", "1001",
           "gp-ei option refit must be a whole number in [1, 1000], got \"1001\"");
    refuse(&s, "refit", "1.5",
           "gp-ei option refit must be a whole number in [1, 1000], got \"1.5\"");
    refuse(&s, "seed", "--1", "gp-ei option seed must be a whole number, got \"--1\"");
    refuse(&s, "seed", "", "gp-ei option seed must be a whole number, got \"\"");
    refuse(&s, "length", "0", "gp-ei option length must be a number in (0, 1], got \"0\"");
    refuse(&s, "length", "nan", "gp-ei option length must be a number in (0, 1], got \"nan\"");
    refuse(&s, "beta", "-1", "gp-ei option beta must be a number >= 0, got \"-1\"");
    refuse(&s, "ard", "maybe", "gp-ei option ard must be true or false, got \"maybe\"");
    refuse(&s, "kernel", "matern",
           "gp-ei option kernel must be one of rbf, matern32, matern52, got \"matern\"");
    refuse(&s, "kernel", "",
           "gp-ei option kernel must be one of rbf, matern32, matern52, got \"\"");
    assert_true(s.refit == 10 && s.seed == 0 && s.length == 0.1 && s.beta == 2 && s.kernel == 2);
    tc_options_fini(table, &s);
}

static void unknown_names_are_refused(void **state)
{
    (void)state;
    static const tc_option none[] = {{.name = NULL}};
    tacit_error err = {0};
    sample s = fresh();
    refuse(&s, "bet", "1",
           "gp-ei has no option \"bet\"; did you mean \"beta\"? Options: beta, length, any, refit, "
           "seed, ard, kernel, path, note");
    refuse(&s, "zzzzzz", "1",
           "gp-ei has no option \"zzzzzz\". Options: beta, length, any, refit, seed, ard, kernel, "
           "path, note");
    assert_fails(tc_options_set(none, &s, "random", "x", "1", &err), TACIT_E_ARG,
                 "random has no option \"x\"; it takes none");
    assert_null(tc_options_find(table, "bet"));
    assert_ptr_equal(tc_options_find(table, "refit"), &table[3]);
    tc_options_fini(table, &s);
}

static json_t *parse(const char *text)
{
    tacit_error err = {0};
    json_t *j = NULL;
    assert_ok(tc_json_parse(text, strlen(text), "test", &j, &err));
    return j;
}

static void json_sets_every_type(void **state)
{
    (void)state;
    tacit_error err = {0};
    sample s = fresh();
    json_t *j = parse("{\"name\": \"gp-ei\", \"beta\": 3, \"length\": 0.5, \"refit\": 20,"
                      "\"seed\": 1e3, \"ard\": false, \"kernel\": \"matern32\", \"note\": \"n\"}");
    assert_ok(tc_options_set_json(table, &s, "gp-ei", j, "name", &err));
    assert_true(s.beta == 3 && s.length == 0.5 && s.refit == 20 && s.seed == 1000 && !s.ard);
    assert_int_equal(s.kernel, 1);
    assert_string_equal(s.note, "n");
    assert_fails(tc_options_set_json(table, &s, "gp-ei", j, NULL, &err), TACIT_E_ARG,
                 "gp-ei has no option \"name\"");
    json_decref(j);
    tc_options_fini(table, &s);
}

static void json_is_checked(void **state)
{
    (void)state;
    static const char *const cases[][2] = {
        {"{\"refit\": \"x\"}", "option refit must be a whole number in [1, 1000], got \"x\""},
        {"{\"refit\": \"5\"}", "option refit must be a whole number in [1, 1000], got \"5\""},
        {"{\"refit\": 2.5}", "option refit must be a whole number in [1, 1000], got 2.5"},
        {"{\"length\": 2}", "option length must be a number in (0, 1], got 2"},
        {"{\"length\": [1]}", "option length must be a number in (0, 1], got [1]"},
        {"{\"ard\": 1}", "option ard must be true or false, got 1"},
        {"{\"kernel\": null}", "option kernel must be one of rbf, matern32, matern52, got null"},
        {"{\"path\": 3}", "option path must be text, got 3"},
        {"[]", "the options of gp-ei must be an object, got an array"},
    };
    tacit_error err = {0};
    sample s = fresh();
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        json_t *j = parse(cases[i][0]);
        assert_fails(tc_options_set_json(table, &s, "gp-ei", j, NULL, &err), TACIT_E_ARG,
                     cases[i][1]);
        json_decref(j);
    }
    tc_options_fini(table, &s);
}

static void json_of_a_struct_sets_an_equal_struct(void **state)
{
    (void)state;
    tacit_error err = {0};
    sample a = fresh(), b = fresh();
    set(&a, "beta", "0.30000000000000004");
    set(&a, "kernel", "rbf");
    set(&a, "seed", "12345678901");
    set(&a, "path", "a \"b\"");
    json_t *j = tc_options_json(table, &a);
    assert_non_null(j);
    char *text = tc_json_text(j);
    assert_non_null(text);
    assert_string_equal(text,
                        "{\"beta\":0.30000000000000004,\"length\":0.1,\"any\":0.0,\"refit\":10,"
                        "\"seed\":12345678901,\"ard\":true,\"kernel\":\"rbf\","
                        "\"path\":\"a \\\"b\\\"\"}");
    json_t *back = parse(text);
    assert_ok(tc_options_set_json(table, &b, "gp-ei", back, NULL, &err));
    json_t *again = tc_options_json(table, &b);
    assert_true(json_equal(j, again));
    json_decref(j);
    json_decref(back);
    json_decref(again);
    tc_free(text);
    tc_options_fini(table, &a);
    tc_options_fini(table, &b);
}

static void values_and_ranges_are_text(void **state)
{
    (void)state;
    static const char *const values[] = {"2",    "0.1",      "0",       "10", "0",
                                         "true", "matern52", "out.csv", ""};
    static const char *const ranges[] = {
        "number >= 0, default 2",
        "number in (0, 1], default 0.1",
        "number",
        "whole number in [1, 1000], default 10",
        "whole number",
        "true or false, default true",
        "one of rbf, matern32, matern52, default matern52",
        "text, default out.csv",
        "text",
    };
    sample s = fresh();
    for (size_t i = 0; table[i].name != NULL; i++) {
        tc_text value = {0}, range = {0};
        tc_options_value(&table[i], &s, &value);
        tc_option_range(&table[i], &range);
        assert_string_equal(tc_text_get(&value), values[i]);
        assert_string_equal(tc_text_get(&range), ranges[i]);
        tc_text_fini(&value);
        tc_text_fini(&range);
    }
    tc_options_fini(table, &s);
}

static void one_sided_ranges(void **state)
{
    (void)state;
    const tc_option below = {.name = "x", .min = -INFINITY, .max = 0.5},
                    above = {.name = "x", .min = 0, .max = INFINITY, .min_open = true};
    tc_text t = {0};
    tc_option_range(&below, &t);
    tc_text_add(&t, "; ");
    tc_option_range(&above, &t);
    assert_string_equal(tc_text_get(&t), "number <= 0.5; number > 0");
    tc_text_fini(&t);
}

/* Words become typed values of an object, beside what it has. */
static void words_are_typed_by_the_table(void **state)
{
    (void)state;
    tacit_error err = {0};
    const char *words[] = {"refit=7", "ard=false", "kernel=rbf", "note=a=b"}, *bare[] = {"refit"},
               *large[] = {"refit=7000"};
    json_t *into = json_pack("{s:f}", "beta", 3.0);
    assert_ok(tc_options_take_words(table, sizeof(sample), "gp-ei", 4, words, into, &err));
    assert_int_equal(json_object_size(into), 5);
    assert_int_equal(json_integer_value(json_object_get(into, "refit")), 7);
    assert_true(json_is_false(json_object_get(into, "ard")));
    assert_string_equal(json_string_value(json_object_get(into, "kernel")), "rbf");
    assert_string_equal(json_string_value(json_object_get(into, "note")), "a=b");
    assert_fails(tc_options_take_words(table, sizeof(sample), "gp-ei", 1, bare, into, &err),
                 TACIT_E_ARG, "an option of gp-ei must be name=value, got \"refit\"");
    assert_fails(tc_options_take_words(table, sizeof(sample), "gp-ei", 1, large, into, &err),
                 TACIT_E_ARG, "refit");
    assert_int_equal(json_integer_value(json_object_get(into, "refit")), 7);
    json_decref(into);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(defaults_fill_the_struct),
        cmocka_unit_test(older_defaults_are_kept),
        cmocka_unit_test(a_default_out_of_range_is_refused),
        cmocka_unit_test(text_sets_every_type),
        cmocka_unit_test(text_is_checked),
        cmocka_unit_test(unknown_names_are_refused),
        cmocka_unit_test(json_sets_every_type),
        cmocka_unit_test(json_is_checked),
        cmocka_unit_test(json_of_a_struct_sets_an_equal_struct),
        cmocka_unit_test(values_and_ranges_are_text),
        cmocka_unit_test(one_sided_ranges),
        cmocka_unit_test(words_are_typed_by_the_table),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
