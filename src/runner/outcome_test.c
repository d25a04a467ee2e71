/* outcome_test.c - what programs print, and the values and reasons made of it. */
#include "runner/outcome.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static void gives(const char *text, double want)
{
    char reason[256] = "";
    double got = -77;
    if (!tc_outcome_value(text, strlen(text), &got, reason, sizeof reason))
        fail_msg("\"%s\": %s", text, reason);
    if (got != want)
        fail_msg("\"%s\" gave %g, not %g", text, got, want);
}

static void refuses(const char *text, const char *want)
{
    char reason[256] = "";
    double got;
    assert_false(tc_outcome_value(text, strlen(text), &got, reason, sizeof reason));
    assert_string_equal(reason, want);
}

static void takes_the_last_number(void **state)
{
    (void)state;
    gives("0.5", 0.5);
    gives("0.5\n", 0.5);
    gives("1 2 3\n", 3);
    gives("loss=0.25", 0.25);
    gives("loss: 0.25\r\n", 0.25);
    gives("accuracy:0.9 after 3 epochs\n", 3);
    gives("1\n2\nthe end\n\n", 2);
    gives("-1e-3", -1e-3);
    gives("+.5", 0.5);
    gives("x = 7 (done)", 7);
    gives("value=4,5 then 6\n\n  \n", 6);
    gives("2.2250738585072011e-308", 2.2250738585072011e-308);
}

static void a_word_must_be_wholly_a_number(void **state)
{
    (void)state;
    refuses("", "no number on standard output");
    refuses("\n \t\n", "no number on standard output");
    refuses("done", "no number on standard output");
    refuses("12px 3, 0x10 1.2.3 e5 - . +", "no number on standard output");
    gives("5\n12px", 5);
}

static void not_finite_is_a_failure(void **state)
{
    (void)state;
    refuses("1\nnan\n", "value is nan");
    refuses("-NaN", "value is nan");
    refuses("loss=inf", "value is infinite");
    refuses("-Infinity", "value is infinite");
    refuses("1e999", "value is infinite");
    gives("nan\n1", 1);
}

static void json_on_the_last_line(void **state)
{
    (void)state;
    gives("1\n{\"value\": 0.25, \"epochs\": 9}\n", 0.25);
    gives("{\"value\": 3}  \n\n", 3);
    gives("{\"value\": 3}\n4", 4);
    gives("{\"epochs\": 9, \"value\": 1e2}", 100);
}

static void json_never_falls_back(void **state)
{
    (void)state;
    refuses("1\n{\"loss\": 2}", "the JSON on the last line has no \"value\"");
    refuses("1\n{\"value\": \"2\"}", "\"value\" on the last line is not a number");
    refuses("1\n{\"value\": null}", "\"value\" on the last line is not a number");
    refuses("1\n{'value': 2}", "the object on the last line is not valid JSON");
    refuses("1\n{\"value\": NaN}", "the object on the last line is not valid JSON");
}

static void zero_bytes_separate(void **state)
{
    (void)state;
    char reason[64];
    double v;
    assert_true(tc_outcome_value("a\0002.5\0", 6, &v, reason, sizeof reason));
    assert_true(v == 2.5);
}

/* The tail against the whole text, in pieces of every size. */
static void tail_keeps_the_end(void **state)
{
    (void)state;
    size_t total = 5 * TC_TAIL_MAX + 123;
    char *all = malloc(total);
    assert_non_null(all);
    for (size_t i = 0; i < total; i++)
        all[i] = i % 11 == 10 ? ' ' : (char)('0' + i % 10);
    size_t steps[] = {1000, 4096, TC_TAIL_MAX, TC_TAIL_MAX + 1, 3 * TC_TAIL_MAX};
    for (size_t k = 0; k < sizeof steps / sizeof *steps; k++) {
        tc_tail t = {0};
        for (size_t at = 0; at < total; at += steps[k])
            tc_tail_add(&t, all + at, total - at < steps[k] ? total - at : steps[k]);
        size_t len;
        const char *kept = tc_tail_get(&t, &len);
        assert_in_range(len, TC_TAIL_MAX - 11, TC_TAIL_MAX);
        assert_memory_equal(kept, all + total - len, len);
        assert_int_equal(kept[0], ' '); /* not in the middle of a word */
        tc_tail_fini(&t);
    }
    free(all);
}

static void tail_of_little_is_all(void **state)
{
    (void)state;
    tc_tail t = {0};
    size_t len = 9;
    tc_tail_get(&t, &len);
    assert_int_equal(len, 0);
    tc_tail_add(&t, "12", 2);
    tc_tail_add(&t, "3", 1);
    assert_memory_equal(tc_tail_get(&t, &len), "123", 3);
    assert_int_equal(len, 3);
    tc_tail_fini(&t);
}

/* A number longer than the tail leaves nothing that could pass for a value. */
static void a_torn_word_is_dropped(void **state)
{
    (void)state;
    char digits[1000];
    tc_tail t = {0};
    memset(digits, '7', sizeof digits);
    for (size_t i = 0; i < 200; i++)
        tc_tail_add(&t, digits, sizeof digits);
    size_t len;
    tc_tail_get(&t, &len);
    assert_int_equal(len, 0);
    tc_tail_fini(&t);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(takes_the_last_number),   cmocka_unit_test(a_word_must_be_wholly_a_number),
        cmocka_unit_test(not_finite_is_a_failure), cmocka_unit_test(json_on_the_last_line),
        cmocka_unit_test(json_never_falls_back),   cmocka_unit_test(zero_bytes_separate),
        cmocka_unit_test(tail_keeps_the_end),      cmocka_unit_test(tail_of_little_is_all),
        cmocka_unit_test(a_torn_word_is_dropped),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
