/* utf8_test.c - the borders of every kind of sequence. */
#include "base/utf8.h"

#include "support/test.h"

static void utf8_is_recognised(void **state)
{
    (void)state;
    static const char *const valid[] = {"",
                                        "a",
                                        "\xC3\xA9",
                                        "\xE2\x82\xAC",
                                        "\xF0\x9F\x98\x80",
                                        "\xEF\xBF\xBF",
                                        "\xF4\x8F\xBF\xBF"};
    static const char *const invalid[] = {"\xFF",
                                          "\x80",
                                          "\xC0\x80",
                                          "\xC3",
                                          "\xE2\x82",
                                          "\xED\xA0\x80",
                                          "\xE0\x80\x80",
                                          "\xF4\x90\x80\x80",
                                          "\xF0\x80\x80\x80",
                                          "a\xC3z"};
    for (size_t i = 0; i < sizeof valid / sizeof *valid; i++)
        assert_true(tc_utf8_valid(valid[i]));
    for (size_t i = 0; i < sizeof invalid / sizeof *invalid; i++)
        assert_false(tc_utf8_valid(invalid[i]));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(utf8_is_recognised),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
