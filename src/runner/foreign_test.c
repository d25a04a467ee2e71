/* foreign_test.c - which choices of somebody else's document a program gets. */
#include "runner/foreign.h"

#include "base/error.h"
#include "base/json.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

static void plain_words_and_numbers_pass(void **state)
{
    (void)state;
    const char *const good[] = {"adam", "_x", "resnet-50", "models/v1.2", "a=b,c:d@e%+f",
                                "0",    "-1", "-.5",       "1e-3",        "+2.5E+10",
                                "7.",   "3d", "A",         "x.y.z"};
    for (size_t i = 0; i < sizeof good / sizeof *good; i++)
        if (!tc_choice_is_harmless(good[i]))
            fail_msg("\"%s\" is refused", good[i]);
}

static void all_others_are_refused(void **state)
{
    (void)state;
    const char *const bad[] = {
        "",       "-rf", "--help", "-",    "-e5",      "$(id)", "`id`",  "a b", "a;b", "a|b",
        "a&b",    "a>b", "a<b",    "a'b",  "a\"b",     "a\\b",  "a\nb",  "a*",  "a?",  "[a]",
        "{a}",    "~",   "/etc/x", "../x", "a/../b",   ".ssh",  "@file", "=x",  "#x",  "a!b",
        "-1 -rf", "-1e", "-0x1f",  "-inf", "a\x1b[2J", "größe", "a\tb",  "%x",  "+x",  "-1e5x"};
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++)
        if (tc_choice_is_harmless(bad[i]))
            fail_msg("\"%s\" passes", bad[i]);
    for (int c = 1; c < 128; c++) { /* no character that a shell treats specially */
        char text[] = {'a', (char)c, 'b', '\0'};
        if (strchr(" \t\n\r\v\f|&;<>()$`\\\"'*?[]#~!{}^", c) && tc_choice_is_harmless(text))
            fail_msg("character %d passes", c);
    }
}

static void the_choice_is_named_without_what_a_terminal_obeys(void **state)
{
    (void)state;
    const char *const choices[] = {"sgd", "\x1b[2J$(reboot)"};
    tc_space *s = NULL;
    tacit_error err = {0};
    tc_json_start();
    assert_int_equal(tc_space_new(&s, NULL), TACIT_OK);
    assert_int_equal(tc_space_add_float(s, "lr", 0, 1, 0, false, NULL), TACIT_OK);
    assert_int_equal(tc_choices_check(s, &err), TACIT_OK);
    assert_int_equal(tc_space_add_choice(s, "opt", 2, choices, NULL), TACIT_OK);
    assert_int_equal(tc_choices_check(s, &err), TACIT_E_ARG);
    assert_string_equal(
        err.msg,
        "space.opt.choices[1] of the coordinator's study is \"?[2J$(reboot)\": allowed "
        "are numbers, and letters, digits and ._+-/:=,@% that begin with a letter, a digit "
        "or _ and have no \"..\"; --any-choices allows every text");
    tc_space_free(s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(plain_words_and_numbers_pass),
        cmocka_unit_test(all_others_are_refused),
        cmocka_unit_test(the_choice_is_named_without_what_a_terminal_obeys),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
