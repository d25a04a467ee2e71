/* protocol_test.c - programs of different versions speak the newest protocol that both know, or say who is to be
 * updated. */
#include "support/test.h"

#include "wire/protocol.h"

#include <stdio.h>
#include <stdlib.h>
#include <tacit/tacit.h>

static const tc_protocols first = {1, 1}, second = {1, 2}, later = {3, 4}, third = {3, 3};

static void ours_are_spoken(void **state)
{
    const tc_protocols ours = tc_protocols_ours();
    (void)state;
    assert_int_equal(ours.oldest, 1); /* agents of 0.1 are still answered */
    assert_int_equal(ours.newest, 2);
    assert_int_equal(ours.newest, strtoul(TC_PROTOCOL_TEXT, NULL, 10));
    assert_string_equal(tc_protocols_format(&ours).text, "1-2");
}

static void requests_of_a_version_that_is_spoken_pass(void **state)
{
    tacit_error err = {0};
    (void)state;
    assert_ok(tc_protocol_check_request(&second, NULL, &err)); /* of 0.1 */
    assert_ok(tc_protocol_check_request(&second, "1", &err));
    assert_ok(tc_protocol_check_request(&second, "2", &err));
    assert_ok(tc_protocol_check_request(&later, "4", &err));
}

static void others_are_told_who_is_to_be_updated(void **state)
{
    tacit_error err = {0};
    (void)state;
    assert_int_equal(tc_protocol_check_request(&second, "3", &err), TACIT_E_UNSUPPORTED);
    assert_string_equal(err.msg,
                        "the request is of protocol 3, and this coordinator (tacit " TACIT_VERSION
                        ") speaks protocols 1 to 2: update the coordinator");
    assert_int_equal(tc_protocol_check_request(&later, NULL, &err), TACIT_E_UNSUPPORTED);
    assert_string_equal(
        err.msg,
        "the request is of protocol 1 (tacit 0.1), and this coordinator (tacit " TACIT_VERSION
        ") speaks protocols 3 to 4: update the tacit that asks");
    assert_int_equal(tc_protocol_check_request(&third, "2", &err), TACIT_E_UNSUPPORTED);
    assert_string_equal(err.msg,
                        "the request is of protocol 2, and this coordinator (tacit " TACIT_VERSION
                        ") speaks protocol 3: update the tacit that asks");
}

static void what_is_no_version_is_refused(void **state)
{
    static const char *const wrong[] = {"", "0", "-1", "1.5", "two", "1-2", "4294967296", " 2"};
    char expected[200];
    (void)state;
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        tacit_error err = {0};
        assert_int_equal(tc_protocol_check_request(&second, wrong[i], &err), TACIT_E_ARG);
        snprintf(expected, sizeof expected,
                 "Tacit-Protocol must be a whole number from 1 to 4294967295, got \"%s\"",
                 wrong[i]);
        assert_string_equal(err.msg, expected);
    }
}

static uint64_t agreed(const tc_protocols *ours, const char *header)
{
    tacit_error err = {0};
    uint64_t version = 0;
    assert_ok(tc_protocol_agree(ours, header, "https://c", &version, &err));
    return version;
}

static void the_newest_that_both_speak_is_spoken(void **state)
{
    static const tc_protocols wide = {1, 4};
    (void)state;
    assert_int_equal(agreed(&second, "1-2"), 2);
    assert_int_equal(agreed(&second, "2-7"), 2);
    assert_int_equal(agreed(&wide, "1-3"), 3);
    assert_int_equal(agreed(&wide, NULL), 1); /* a coordinator of 0.1 */
    assert_int_equal(agreed(&first, NULL), 1);
    assert_int_equal(agreed(&second, NULL), 1);
}

static void refuse(const tc_protocols *ours, const char *header, const char *why)
{
    tacit_error err = {0};
    uint64_t version = 7;
    assert_int_equal(tc_protocol_agree(ours, header, "https://c", &version, &err),
                     TACIT_E_UNSUPPORTED);
    assert_string_equal(err.msg, why);
    assert_int_equal(version, 7);
}

static void where_there_is_none_it_is_said(void **state)
{
    static const char *const wrong[] = {"",    "2",     "2-",  "-2",     "2-1",
                                        "0-1", "1-2-3", "a-b", "\033[2J"};
    (void)state;
    refuse(&second, "3-4",
           "the coordinator https://c speaks protocols 3 to 4, and this tacit (" TACIT_VERSION
           ") speaks protocols 1 to 2: update this tacit");
    refuse(&later, "1-2",
           "the coordinator https://c speaks protocols 1 to 2, and this tacit (" TACIT_VERSION
           ") speaks protocols 3 to 4: update the coordinator");
    refuse(&later, NULL,
           "the coordinator https://c speaks protocol 1 (tacit 0.1), and this tacit (" TACIT_VERSION
           ") speaks protocols 3 to 4: update the coordinator");
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++)
        refuse(&second, wrong[i],
               "https://c answers with a header Tacit-Protocol that is no range of versions like "
               "1-2");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(ours_are_spoken),
        cmocka_unit_test(requests_of_a_version_that_is_spoken_pass),
        cmocka_unit_test(others_are_told_who_is_to_be_updated),
        cmocka_unit_test(what_is_no_version_is_refused),
        cmocka_unit_test(the_newest_that_both_speak_is_spoken),
        cmocka_unit_test(where_there_is_none_it_is_said),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
