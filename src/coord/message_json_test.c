/* message_json_test.c - the quick reader of a message's body against the general one: what it reads is
 * what the general one reads, and what that refuses it does not read. */
#include "coord/request.h"

#include "base/json.h"
#include "base/memory.h"
#include "support/test.h"

#include <string.h>

static const char usual[] = "{\"sequence\": 12, \"message\": \"QUJD+/8=\"}";

/* True: the quick one read it. */
static bool same_as_general(const char *body, size_t n)
{
    tacit_error err;
    json_t *general = NULL, *quick = tc_message_json(body, n);
    if (!quick)
        return false;
    assert_ok(tc_json_parse(body, n, "body", &general, &err));
    assert_true(json_equal(quick, general));
    json_decref(general);
    json_decref(quick);
    return true;
}

static bool reads(const char *body)
{
    return same_as_general(body, strlen(body));
}

static void usual_forms_are_read(void **state)
{
    (void)state;
    assert_true(reads(usual));
    assert_true(reads("{\"sequence\":1,\"message\":\"\"}"));
    assert_true(reads(" {\n\t\"sequence\" :\r0 , \"message\" : \"====\" } \n"));
    assert_true(reads("{\"sequence\": 999999999999999999, \"message\": \"a b'c\"}"));
}

static void other_forms_are_left_alone(void **state)
{
    static const char *const others[] = {
        "",
        "{}",
        "{\"message\": \"QUJD\", \"sequence\": 1}",
        "{\"sequence\": 1, \"message\": \"QUJD\", \"more\": 1}",
        "{\"sequence\": 1, \"sequence\": 1, \"message\": \"QUJD\"}",
        "{\"sequence\": 01, \"message\": \"QUJD\"}",
        "{\"sequence\": -1, \"message\": \"QUJD\"}",
        "{\"sequence\": 1.0, \"message\": \"QUJD\"}",
        "{\"sequence\": 1e3, \"message\": \"QUJD\"}",
        "{\"sequence\": 1000000000000000000, \"message\": \"QUJD\"}",
        "{\"sequence\": 99999999999999999999999999, \"message\": \"QUJD\"}",
        "{\"sequence\": 1, \"message\": \"QU\\u0041D\"}",
        "{\"sequence\": 1, \"message\": \"QU\xc3\xa4\"}",
        "{\"sequence\": 1, \"message\": \"QU\nJD\"}",
        "{\"sequence\": 1, \"message\": \"QUJD\"} x",
        "{\"sequence\": 1, \"message\": \"QUJD",
        "[1, \"QUJD\"]",
    };
    (void)state;
    for (size_t i = 0; i < sizeof others / sizeof *others; i++)
        assert_false(reads(others[i]));
    assert_null(tc_message_json(NULL, 0));
    assert_null(tc_message_json(usual, sizeof usual)); /* with its zero byte */
}

static void one_byte_changed_lost_or_added(void **state)
{
    char text[sizeof usual + 1];
    size_t n = strlen(usual), read = 0;
    (void)state;
    for (size_t at = 0; at <= n; at++)
        for (int c = 0; c < 256; c++) {
            memcpy(text, usual, sizeof usual);
            text[at] = (char)c;
            if (at < n)
                read += same_as_general(text, n);
            memcpy(text + at + 1, usual + at, n - at);
            read += same_as_general(text, n + 1);
        }
    for (size_t cut = 0; cut < n; cut++) {
        assert_false(same_as_general(usual, cut));
        memcpy(text, usual, cut);
        memcpy(text + cut, usual + cut + 1, n - cut - 1);
        read += same_as_general(text, n - 1);
    }
    assert_true(read > 1000); /* most letters of the word may be others */
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(usual_forms_are_read),
        cmocka_unit_test(other_forms_are_left_alone),
        cmocka_unit_test(one_byte_changed_lost_or_added),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
