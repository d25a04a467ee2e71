/* template_test.c - placeholders in commands. */
#include "runner/template.h"

#include "base/json.h"

#include <setjmp.h>
#include <stdarg.h>
#include <string.h>

#include <cmocka.h>

static tc_space *space;

static int make_space(void **state)
{
    (void)state;
    const char *const choices[] = {"adam", "a {brace} and a space"};
    tc_json_start();
    return tc_space_new(&space, NULL) != TACIT_OK ||
           tc_space_add_float(space, "lr", 0, 1, 0, false, NULL) != TACIT_OK ||
           tc_space_add_int(space, "layers", 1, 1e9, 1, false, NULL) != TACIT_OK ||
           tc_space_add_choice(space, "opt", 2, choices, NULL) != TACIT_OK;
}

static int free_space(void **state)
{
    (void)state;
    tc_space_free(space);
    return 0;
}

static const double VALUES[] = {0.1, 1e9, 1};

static void expect_word(const tc_space *s, const char *arg, const double *values, const char *want)
{
    char *argv[] = {(char *)arg, NULL};
    tc_template *t = NULL;
    tc_text out = {0};
    tacit_error err = {0};
    if (tc_template_new(&t, s, argv, &err) != TACIT_OK)
        fail_msg("\"%s\": %s", arg, err.msg);
    tc_template_write(t, 0, 42, values, &out);
    assert_string_equal(tc_text_get(&out), want);
    tc_text_fini(&out);
    tc_template_free(t);
}

static void expect_error(char *const *argv, const char *want)
{
    tc_template *t = NULL;
    tacit_error err = {0};
    assert_int_equal(tc_template_new(&t, space, argv, &err), TACIT_E_ARG);
    assert_string_equal(err.msg, want);
    assert_null(t);
}

static void fills_placeholders(void **state)
{
    (void)state;
    expect_word(space, "plain", VALUES, "plain");
    expect_word(space, "{lr}", VALUES, "0.1");
    expect_word(space, "--lr={lr},{layers}", VALUES, "--lr=0.1,1000000000");
    expect_word(space, "{opt}", VALUES, "a {brace} and a space");
    expect_word(space, "run{trial}", VALUES, "run42");
    expect_word(space, "{lr}{lr}", VALUES, "0.10.1");
}

static void doubled_braces_are_literal(void **state)
{
    (void)state;
    expect_word(space, "{{lr}}", VALUES, "{lr}");
    expect_word(space, "{{{lr}}}", VALUES, "{0.1}");
    expect_word(space, "{{\"lr\": {lr}, \"o\": {{}}}}", VALUES, "{\"lr\": 0.1, \"o\": {}}");
}

static void bad_placeholders_are_named(void **state)
{
    (void)state;
    expect_error((char *[]){NULL}, "the command is empty; give a program after --");
    expect_error((char *[]){"", NULL}, "the command is empty; give a program after --");
    expect_error((char *[]){"p", "--x={rate}", NULL},
                 "{rate} in \"--x={rate}\" is not a parameter; there are {lr}, {layers}, {opt}, "
                 "{trial} (write {{ for a brace)");
    expect_error((char *[]){"p", "{lr", NULL},
                 "\"{lr\" has a { without its }; write {{ for a literal brace");
    expect_error((char *[]){"p", "lr}", NULL},
                 "\"lr}\" has a } without its {; write }} for a literal brace");
}

static void literals_are_known(void **state)
{
    (void)state;
    char *argv[] = {"a{{b", "", "{lr}", NULL};
    tc_template *t = NULL;
    assert_int_equal(tc_template_new(&t, space, argv, NULL), TACIT_OK);
    assert_int_equal(tc_template_words(t), 3);
    assert_string_equal(tc_template_literal(t, 0), "a{b");
    assert_string_equal(tc_template_literal(t, 1), "");
    assert_null(tc_template_literal(t, 2));
    tc_template_free(t);
}

static void choices_are_no_code(void **state)
{
    (void)state;
    tc_template *t = NULL;
    expect_error(
        (char *[]){"sh", "-c", "echo {opt}", NULL},
        "{opt} stands in \"echo {opt}\", which is read as a program: its text could be a "
        "command there. Give it as a word of its own, as in: sh -c 'echo \"$1\"' sh {opt}");
    expect_error(
        (char *[]){"env", "bash", "-c", "{opt}", NULL},
        "{opt} stands in \"{opt}\", which is read as a program: its text could be a "
        "command there. Give it as a word of its own, as in: sh -c 'echo \"$1\"' sh {opt}");
    char *numbers[] = {"sh", "-c", "echo {lr} {layers} {trial}", "sh", "{opt}", NULL};
    assert_int_equal(tc_template_new(&t, space, numbers, NULL), TACIT_OK);
    assert_false(tc_template_has_choice(t, 2));
    assert_true(tc_template_has_choice(t, 4));
    tc_template_free(t);
}

static void finite_spaces_have_coordinates(void **state)
{
    (void)state;
    tc_domain *d = NULL;
    tc_space *finite = NULL;
    const char csv[] = "x1,x2\n1,0.25\n3,4\n";
    assert_int_equal(tc_domain_from_csv(&d, csv, strlen(csv), "csv", NULL), TACIT_OK);
    assert_int_equal(tc_space_from_domain(&finite, d, NULL), TACIT_OK);
    expect_word(finite, "{point}:{x1},{x2}", (double[]){0}, "0:1,0.25");
    expect_word(finite, "{point}:{x1},{x2}", (double[]){1}, "1:3,4");
    tc_space_free(finite);
}

/* The words of a command for a point, each in brackets. */
static void expect_words(const tc_space *s, char *const *argv, const double *values,
                         const char *want)
{
    tc_template *t = NULL;
    tc_text all = {0};
    tacit_error err = {0};
    if (tc_template_new(&t, s, argv, &err) != TACIT_OK)
        fail_msg("%s", err.msg);
    for (size_t i = 0; i < tc_template_words(t); i++) {
        if (tc_template_leaves_out(t, i, values))
            continue;
        tc_text_add(&all, "[");
        tc_template_write(t, i, 7, values, &all);
        tc_text_add(&all, "]");
    }
    assert_string_equal(tc_text_get(&all), want);
    tc_text_fini(&all);
    tc_template_free(t);
}

static void words_of_inactive_parameters_are_left_out(void **state)
{
    (void)state;
    tc_space *s = NULL;
    const size_t rbf = 1;
    const double on[] = {1, 0.5, 3, 1, 1}, off[] = {0, 0.5, 3, 1, 1};
    assert_int_equal(tc_space_new(&s, NULL), TACIT_OK);
    assert_int_equal(tc_space_add_choice(s, "k", 2, (const char *[]){"lin", "rbf"}, NULL),
                     TACIT_OK);
    assert_int_equal(tc_space_add_float(s, "g", 0, 1, 0, false, NULL), TACIT_OK);
    assert_int_equal(tc_space_add_int(s, "d", 1, 9, 1, false, NULL), TACIT_OK);
    assert_int_equal(tc_space_add_bool(s, "b", NULL), TACIT_OK);
    assert_int_equal(tc_space_add_numbers(s, "n", 2, (double[]){16, 0.5}, NULL), TACIT_OK);
    assert_int_equal(tc_space_set_when(s, "g", "k", 1, &rbf, NULL), TACIT_OK);
    assert_int_equal(tc_space_set_when(s, "d", "k", 1, &rbf, NULL), TACIT_OK);
    char *whole[] = {"p",           "--g={g}",     "{k}",   "g={g},{d}",
                     "--r={g}:{b}", "{trial}-{g}", "{{g}}", NULL};
    expect_words(s, whole, on, "[p][--g=0.5][rbf][g=0.5,3][--r=0.5:true][7-0.5][{g}]");
    expect_words(s, whole, off, "[p][lin][--r=:true][7-][{g}]");
    char *apart[] = {"p", "--g", "{g}", "-d", "{d}", "--k", "{k}", "--n", "{n}", NULL};
    expect_words(s, apart, on, "[p][--g][0.5][-d][3][--k][rbf][--n][0.5]");
    expect_words(s, apart, off, "[p][--k][lin][--n][0.5]");
    char *places[] = {"{g}p", "{k}", "{g}", "--", "{d}", "-", "{g}", "--v", "x", "{d}", NULL};
    expect_words(s, places, off, "[p][lin][][--][][-][][--v][x][]");
    char *code[] = {"sh", "-c", "train --g={g} {n} {b}", "sh", "{g}", NULL};
    expect_words(s, code, off, "[sh][-c][train --g= 0.5 true][sh][]");
    tc_space_free(s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(fills_placeholders),
        cmocka_unit_test(doubled_braces_are_literal),
        cmocka_unit_test(bad_placeholders_are_named),
        cmocka_unit_test(literals_are_known),
        cmocka_unit_test(choices_are_no_code),
        cmocka_unit_test(finite_spaces_have_coordinates),
        cmocka_unit_test(words_of_inactive_parameters_are_left_out),
    };
    return cmocka_run_group_tests(tests, make_space, free_space);
}
