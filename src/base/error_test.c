/* error_test.c - statuses as text, and what ends up in a tacit_error. */
#include "support/test.h"
#include "base/error.h"

#include <tacit/tacit.h>

#include <stdio.h>

static void statuses_come_from_the_list(void **state)
{
    (void)state;
    assert_string_equal(tacit_status_name(TACIT_OK), "OK");
    assert_string_equal(tacit_status_name(TACIT_E_ARG), "E_ARG");
    assert_string_equal(tacit_status_name(TACIT_E_CANCELLED), "E_CANCELLED");
    assert_string_equal(tacit_status_text(TACIT_E_MEMORY), "out of memory");
    assert_int_equal(tacit_status_exit(TACIT_OK), 0);
    assert_int_equal(tacit_status_exit(TACIT_E_ARG), 2);
    assert_int_equal(tacit_status_exit(TACIT_E_BUDGET), 9);
    assert_int_equal(tacit_status_exit(TACIT_E_CANCELLED), 130);
}

/* They are compiled into programs: a status in the middle of the list must not move the others. */
static void statuses_keep_their_numbers(void **state)
{
    (void)state;
    static const char *const names[] = {"OK",       "E_INTERNAL", "E_ARG",    "E_NOT_FOUND",
                                        "E_STATE",  "E_CONFLICT", "E_IO",     "E_CORRUPT",
                                        "E_BUSY",   "E_NUMERIC",  "E_MEMORY", "E_UNSUPPORTED",
                                        "E_BUDGET", "E_CANCELLED"};
    for (int i = 0; i < 14; i++)
        assert_string_equal(tacit_status_name((tacit_status)i), names[i]);
}

static void a_status_out_of_the_list_is_a_defect(void **state)
{
    (void)state;
    assert_string_equal(tacit_status_name((tacit_status)999), "E_INTERNAL");
    assert_string_equal(tacit_status_name((tacit_status)-1), "E_INTERNAL");
    assert_int_equal(tacit_status_exit((tacit_status)-1), 1);
}

static void the_version_is_the_header_s(void **state)
{
    (void)state;
    char parts[32];
    snprintf(parts, sizeof parts, "%d.%d.%d", TACIT_VERSION_MAJOR, TACIT_VERSION_MINOR,
             TACIT_VERSION_PATCH);
    assert_string_equal(tacit_version(), parts);
}

static void fail_writes_code_and_sentence(void **state)
{
    (void)state;
    tacit_error err = {0};
    assert_int_equal(tc_fail(&err, TACIT_E_ARG, "low must be < %d", 3), TACIT_E_ARG);
    assert_int_equal(err.code, TACIT_E_ARG);
    assert_string_equal(err.msg, "low must be < 3");
    assert_int_equal(tc_fail(NULL, TACIT_E_IO, "unheard"), TACIT_E_IO);
    assert_fails(tc_fail_memory(&err), TACIT_E_MEMORY, "out of memory");
}

static void a_number_out_of_its_range_keeps_its_digits(void **state)
{
    (void)state;
    tacit_error err = {0};
    assert_fails(tc_fail_range(&err, "beta", "(0, 1]", 1.0000001), TACIT_E_ARG,
                 "beta must be in (0, 1], got 1.0000001");
    assert_fails(tc_fail_range(&err, "beta", "[0, 1e6]", nextafter(1e6, INFINITY)), TACIT_E_ARG,
                 "got 1000000.0000000001");
    assert_fails(tc_fail_range(&err, "beta", "(0, 1]", -1), TACIT_E_ARG, "got -1");
    assert_fails(tc_fail_range(&err, "beta", "(0, 1]", NAN), TACIT_E_ARG, "got nan");
    assert_int_equal(tc_fail_range(NULL, "beta", "(0, 1]", 2), TACIT_E_ARG);
}

static void fail_may_quote_the_message_it_replaces(void **state)
{
    (void)state;
    tacit_error err = {0};
    tc_fail(&err, TACIT_E_ARG, "inner");
    tc_fail(&err, TACIT_E_IO, "outer (%s)", err.msg);
    assert_string_equal(err.msg, "outer (inner)");
}

static void messages_are_one_line(void **state)
{
    (void)state;
    tacit_error err = {0};
    tc_fail(&err, TACIT_E_ARG, "got \"%s\"", "a\nb\x1b[31m\x7f");
    assert_string_equal(err.msg, "got \"a b [31m \"");
}

static void long_messages_are_cut_between_characters(void **state)
{
    (void)state;
    tacit_error err = {0};
    char word[1000];
    for (size_t i = 0; i + 2 < sizeof word; i += 2)
        memcpy(word + i, "\xC3\xA9", 3); /* e acute, two bytes */
    for (int shift = 0; shift < 2; shift++) {
        tc_fail(&err, TACIT_E_ARG, "%s%s", shift ? "x" : "", word);
        size_t n = strlen(err.msg);
        assert_true(n >= sizeof err.msg - 2);
        assert_string_equal(err.msg + n - 3, "...");
        assert_int_equal((n - 3 - (size_t)shift) % 2, 0);
    }
}

static void fail_in_names_the_place(void **state)
{
    (void)state;
    tacit_error err = {0};
    tc_fail(&err, TACIT_E_NUMERIC, "not positive definite");
    assert_int_equal(tc_fail_in(&err, "trial %d", 7), TACIT_E_NUMERIC);
    assert_string_equal(err.msg, "trial 7: not positive definite");
    assert_int_equal(tc_fail_in(NULL, "trial"), TACIT_E_INTERNAL);
    tacit_error nothing = {0};
    assert_int_equal(tc_fail_in(&nothing, "trial"), TACIT_E_INTERNAL);
}

static void unknown_words_get_a_suggestion_and_the_list(void **state)
{
    (void)state;
    static const char *const names[] = {"alpha", "beta", NULL};
    tacit_error err = {0};
    tc_fail_unknown(&err, TACIT_E_ARG, "bet", names, "Options", "no \"%s\"", "bet");
    assert_string_equal(err.msg, "no \"bet\"; did you mean \"beta\"? Options: alpha, beta");
    tc_fail_unknown(&err, TACIT_E_NOT_FOUND, "zzzzz", names, "Names", "no \"zzzzz\"");
    assert_string_equal(err.msg, "no \"zzzzz\". Names: alpha, beta");
    assert_int_equal(err.code, TACIT_E_NOT_FOUND);
}

static void an_endless_list_of_names_is_cut(void **state)
{
    (void)state;
    const char *names[201] = {NULL};
    for (size_t i = 0; i < 200; i++)
        names[i] = "a-rather-long-name";
    tacit_error err = {0};
    tc_fail_unknown(&err, TACIT_E_ARG, "x", names, "Options", "no \"x\"");
    assert_non_null(strstr(err.msg, "a-rather-long-name, a-rather"));
    assert_string_equal(err.msg + strlen(err.msg) - 3, "...");
}

static tacit_status tries(tacit_status inner)
{
    TC_TRY(inner);
    return TACIT_E_STATE;
}

static void try_passes_failures_up(void **state)
{
    (void)state;
    assert_int_equal(tries(TACIT_E_BUSY), TACIT_E_BUSY);
    assert_int_equal(tries(TACIT_OK), TACIT_E_STATE);
}

static void a_failure_is_passed_on_and_a_success_leaves_the_error_alone(void **state)
{
    (void)state;
    tacit_error err = {TACIT_E_ARG, "as it was"}, why = {TACIT_E_BUSY, "100%s locked"};
    assert_int_equal(tc_pass_on(&err, TACIT_OK, &why), TACIT_OK);
    assert_string_equal(err.msg, "as it was");
    assert_int_equal(tc_pass_on(&err, TACIT_E_STATE, &why), TACIT_E_STATE);
    assert_int_equal(err.code, TACIT_E_STATE);
    assert_string_equal(err.msg, "100%s locked");
    assert_int_equal(tc_pass_on(NULL, TACIT_E_STATE, &why), TACIT_E_STATE);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(statuses_come_from_the_list),
        cmocka_unit_test(statuses_keep_their_numbers),
        cmocka_unit_test(a_status_out_of_the_list_is_a_defect),
        cmocka_unit_test(the_version_is_the_header_s),
        cmocka_unit_test(fail_writes_code_and_sentence),
        cmocka_unit_test(a_number_out_of_its_range_keeps_its_digits),
        cmocka_unit_test(fail_may_quote_the_message_it_replaces),
        cmocka_unit_test(messages_are_one_line),
        cmocka_unit_test(long_messages_are_cut_between_characters),
        cmocka_unit_test(fail_in_names_the_place),
        cmocka_unit_test(unknown_words_get_a_suggestion_and_the_list),
        cmocka_unit_test(an_endless_list_of_names_is_cut),
        cmocka_unit_test(try_passes_failures_up),
        cmocka_unit_test(a_failure_is_passed_on_and_a_success_leaves_the_error_alone),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
