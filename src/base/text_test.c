/* text_test.c - the buffer, numbers as text and back, and the nearest name. */
#include "support/test.h"
#include "base/memory.h"
#include "base/random.h"
#include "base/text.h"

#include <float.h>
#include <locale.h>
#include <stdio.h>
#include <stdlib.h>

/* ---- the buffer */

static void text_grows(void **state)
{
    (void)state;
    tc_text t = {0};
    assert_string_equal(tc_text_get(&t), "");
    for (int i = 0; i < 1000; i++)
        tc_text_addf(&t, "%d,", i % 10);
    assert_int_equal(t.len, 2000);
    assert_int_equal(strlen(tc_text_get(&t)), 2000);
    assert_memory_equal(tc_text_get(&t), "0,1,2,3,4,5,6,7,8,9,0,", 22);
    tc_text_add(&t, "end");
    assert_string_equal(tc_text_get(&t) + 2000, "end");
    tc_text_fini(&t);
    assert_string_equal(tc_text_get(&t), "");
}

static void text_holds_bytes(void **state)
{
    (void)state;
    tc_text t = {0};
    tc_text_add_bytes(&t, "a\0b", 3);
    tc_text_add_bytes(&t, NULL, 0);
    assert_int_equal(t.len, 3);
    assert_memory_equal(tc_text_get(&t), "a\0b", 4);
    tc_text_fini(&t);
}

static void text_has_a_ceiling(void **state)
{
    (void)state;
    tc_text t = {.max = 10};
    tc_text_add(&t, "0123456789");
    assert_false(t.failed);
    tc_text_add(&t, "x");
    assert_true(t.failed);
    assert_string_equal(tc_text_get(&t), "0123456789");
    tc_text_addf(&t, "%s", "");
    assert_true(t.failed);
    assert_null(tc_text_take(&t));
    assert_false(t.failed); /* taken: empty again, same ceiling */
    tc_text_addf(&t, "%011d", 7);
    assert_true(t.failed);
    tc_text_fini(&t);
}

static void text_is_taken(void **state)
{
    (void)state;
    tc_text t = {0};
    char *empty = tc_text_take(&t);
    assert_non_null(empty);
    assert_string_equal(empty, "");
    tc_text_add(&t, "abc");
    char *abc = tc_text_take(&t);
    assert_non_null(abc);
    assert_string_equal(abc, "abc");
    assert_int_equal(t.len, 0);
    tc_free(empty);
    tc_free(abc);
}

static void csv_fields_are_quoted_where_needed(void **state)
{
    (void)state;
    static const char *const cases[][2] = {
        {"plain", "plain"},
        {"", ""},
        {"a b", "a b"},
        {"a,b", "\"a,b\""},
        {"a\nb", "\"a\nb\""},
        {"a\rb", "\"a\rb\""},
        {"say \"x\"", "\"say \"\"x\"\"\""},
        {"\"", "\"\"\"\""},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        tc_text t = {0};
        tc_text_add_csv(&t, cases[i][0]);
        assert_string_equal(tc_text_get(&t), cases[i][1]);
        tc_text_fini(&t);
    }
}

/* ---- numbers */

static void doubles_are_written_short(void **state)
{
    (void)state;
    static const struct {
        double v;
        const char *text;
    } cases[] = {
        {0, "0"},
        {-0.0, "-0"},
        {1, "1"},
        {0.1, "0.1"},
        {-2.5, "-2.5"},
        {1e22, "1e+22"},
        {1e-4, "0.0001"},
        {1.0 / 3, "0.3333333333333333"},
        {0.1 + 0.2, "0.30000000000000004"},
        {123456789012345, "123456789012345"},
        {DBL_MAX, "1.7976931348623157e+308"},
        {5e-324, "5e-324"},
        {1e-310, "1e-310"},
        {INFINITY, "inf"},
        {-INFINITY, "-inf"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        char s[32];
        tc_double_text(s, cases[i].v);
        assert_string_equal(s, cases[i].text);
    }
    char s[32];
    tc_double_text(s, NAN);
    assert_non_null(strstr(s, "nan"));
}

static void doubles_read_back_exactly(void **state)
{
    (void)state;
    tc_public_seed seed = tc_public_seed_from(1);
    tc_stream r;
    tc_stream_public(&r, &seed, TC_FOR_DESIGN, 0);
    for (int i = 0; i < 100000; i++) {
        uint64_t bits = tc_draw_u64(&r);
        double v, back = 0;
        if (i % 10 == 0)
            bits &= 0x800fffffffffffff; /* subnormal */
        memcpy(&v, &bits, sizeof v);
        if (!isfinite(v))
            continue;
        char s[32];
        tc_double_text(s, v);
        assert_true(tc_parse_double(s, &back));
        assert_same_bits(back, v);
    }
}

/* No text of %g with fewer digits would do. */
static void doubles_are_written_shortest(void **state)
{
    (void)state;
    tc_public_seed seed = tc_public_seed_from(2);
    tc_stream r;
    tc_stream_public(&r, &seed, TC_FOR_DESIGN, 0);
    for (int i = 0; i < 5000; i++) {
        double v = tc_draw_normal(&r);
        char given[32], s[400], rounded[400];
        snprintf(rounded, sizeof rounded, "%.*g", 1 + i % 17, v);
        v = strtod(rounded, NULL);
        int digits = 1;
        do
            snprintf(s, sizeof s, "%.*g", digits++, v);
        while (strtod(s, NULL) != v);
        tc_double_text(given, v);
        assert_string_equal(given, s);
    }
}

static void numbers_do_not_follow_the_locale(void **state)
{
    (void)state;
    static const char *const commas[] = {"de_DE.UTF-8", "fr_FR.UTF-8", "de_DE", "fr_FR"};
    const char *set = NULL;
    for (size_t i = 0; i < 4 && set == NULL; i++)
        set = setlocale(LC_NUMERIC, commas[i]);
    if (set == NULL)
        skip();
    char s[32];
    double v = 0;
    tc_text t = {0};
    tc_double_text(s, 1.5);
    bool read = tc_parse_double("2.5", &v);
    tc_text_addf(&t, "%g", 0.5);
    setlocale(LC_NUMERIC, "C");
    assert_string_equal(s, "1.5");
    assert_true(read && v == 2.5);
    assert_string_equal(tc_text_get(&t), "0.5");
    tc_text_fini(&t);
}

static void strict_doubles(void **state)
{
    (void)state;
    static const char *const bad[] = {"",       " 1", "1 ",    "1,5", "0x10", "inf", "nan", "1e999",
                                      "-1e999", "e5", "1.2.3", "--1", "+-1",  ".",   "1e",  "abc"};
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
        double v = 42;
        if (tc_parse_double(bad[i], &v) || v != 42)
            fail_msg("\"%s\" was read as a number", bad[i]);
    }
    double v = 0;
    assert_true(tc_parse_double("-1.5e-3", &v) && v == -1.5e-3);
    assert_true(tc_parse_double("+7", &v) && v == 7);
    assert_true(tc_parse_double(".5", &v) && v == 0.5);
}

static void strict_whole_numbers(void **state)
{
    (void)state;
    static const char *const bad[] = {"",   "-1",  "+1",  " 1",
                                      "1 ", "1.0", "0x1", "18446744073709551616"};
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
        unsigned long long v = 42;
        if (tc_parse_u64(bad[i], &v) || v != 42)
            fail_msg("\"%s\" was read as a whole number", bad[i]);
    }
    unsigned long long v = 0;
    assert_true(tc_parse_u64("18446744073709551615", &v) && v == UINT64_MAX);
    assert_true(tc_parse_u64("007", &v) && v == 7);
}

/* ---- the nearest name */

static void closest_forgives_slips(void **state)
{
    (void)state;
    static const char *const names[] = {"beta", "features", "kernel", "lr", "noise_sd", NULL};
    static const char *const cases[][2] = {
        {"bet", "beta"},      {"btea", "beta"}, {"BETA", "beta"},         {"kernal", "kernel"},
        {"feat", "features"}, {"rl", "lr"},     {"noise-sd", "noise_sd"}, {"kernel", "kernel"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        const char *found = tc_closest(cases[i][0], names);
        assert_non_null(found);
        assert_string_equal(found, cases[i][1]);
    }
}

static void closest_does_not_guess_wildly(void **state)
{
    (void)state;
    static const char *const names[] = {"beta", "lr", "c", NULL};
    static const char *const none[] = {NULL};
    char long_word[500];
    memset(long_word, 'b', sizeof long_word - 1);
    long_word[sizeof long_word - 1] = '\0';
    assert_null(tc_closest("gamma", names));
    assert_null(tc_closest("x", names));
    assert_null(tc_closest("", names));
    assert_null(tc_closest(long_word, names));
    assert_null(tc_closest("beta", none));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(text_grows),
        cmocka_unit_test(text_holds_bytes),
        cmocka_unit_test(text_has_a_ceiling),
        cmocka_unit_test(text_is_taken),
        cmocka_unit_test(csv_fields_are_quoted_where_needed),
        cmocka_unit_test(doubles_are_written_short),
        cmocka_unit_test(doubles_read_back_exactly),
        cmocka_unit_test(doubles_are_written_shortest),
        cmocka_unit_test(numbers_do_not_follow_the_locale),
        cmocka_unit_test(strict_doubles),
        cmocka_unit_test(strict_whole_numbers),
        cmocka_unit_test(closest_forgives_slips),
        cmocka_unit_test(closest_does_not_guess_wildly),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
