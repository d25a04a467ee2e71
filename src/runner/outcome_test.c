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
    gives("-1e-3", -1e-3);
    gives("+.5", 0.5);
    gives("5.", 5);
    gives("x = 7 (done)", 7);
    gives("value=4,5 then 6\n\n  \n", 6);
    gives("93.1%\n7", 7);
    gives("epoch10 loss 0.5 - ok", 0.5);
    gives("2.2250738585072011e-308", 2.2250738585072011e-308);
}

static void punctuation_does_not_hide_a_number(void **state)
{
    (void)state;
    gives("epoch 10\naccuracy = 0.93,", 0.93);
    gives("epoch 10\naccuracy = 0.93;", 0.93);
    gives("The loss is 0.93.", 0.93);
    gives("epoch 10\n[0.93]", 0.93);
    gives("epoch 10\n([0.93]).", 0.93);
    gives("epoch 10 (0.93)", 0.93);
    gives("[0.1, 0.2, 0.3]", 0.3);
    gives("loss:-0.5:", -0.5);
}

/* Each has a number on an earlier line or before it, which must not be taken. */
static void what_is_not_plainly_a_number_is_refused(void **state)
{
    (void)state;
    static const char *const words[] = {
        "tensor(0.93)", "93.1%", "1,234.5",    "0.93(12)", "12px",     "0x10",          "1.2.3",
        "e5",           "1_000", "3/4",        "0.5,0.6",  "12:30:05", "resnet50",      "5}",
        "'0.9'",        "$5",    "2026-11-15", "0.5+-1",   "1e5f",     "\xe2\x88\x92.5"};
    for (size_t i = 0; i < sizeof words / sizeof *words; i++) {
        char text[64], want[96];
        snprintf(want, sizeof want, "\"%s\" on the last line is not a plain number", words[i]);
        snprintf(text, sizeof text, "epoch 10\nx %s\n", words[i]);
        refuses(text, want);
        snprintf(text, sizeof text, "epoch 10 loss=%s ok", words[i]);
        refuses(text, want);
    }
    refuses("93.1 %", "\"%\" on the last line is not a plain number");
}

static void only_the_last_line_counts(void **state)
{
    (void)state;
    refuses("", "no number on standard output");
    refuses("\n \t\n", "no number on standard output");
    refuses("done", "no number on the last line: \"done\"");
    refuses("1\n2\n the end - . + \n\n", "no number on the last line: \"the end - . +\"");
    refuses("{\"value\": 3}\ndone", "no number on the last line: \"done\"");
    refuses("{\n  \"value\": 3\n}", "\"}\" on the last line is not a plain number");
    refuses("\"torn\": 3, \"x\": \"y\"}", "\"\"y\"}\" on the last line is not a plain number");
}

static void no_value_is_a_failure(void **state)
{
    (void)state;
    refuses("epoch 10\nloss: nan,", "value is nan");
    refuses("1\nnan\n", "value is nan");
    refuses("-NaN", "value is nan");
    refuses("epoch 10 tensor(nan)", "value is nan");
    refuses("10 np.nan", "value is nan");
    refuses("loss=inf", "value is infinite");
    refuses("10 -Infinity;", "value is infinite");
    refuses("1e999", "value is infinite");
    refuses("10 None", "value is None");
    refuses("10 (null)", "value is null");
    refuses("10 <NA>", "value is NA");
    refuses("10 N/A", "value is N/A");
    gives("nan\n1", 1);
    gives("nan 1", 1);
    gives("1 nonesuch banana information", 1);
}

static void reasons_are_short_and_clean(void **state)
{
    (void)state;
    char text[300], want[160];
    refuses("1\n\033[mbad\xff\xc3\001.", "no number on the last line: \"?[mbad???.\"");
    refuses("bad \xc2\x9b \xc2\xb5", "no number on the last line: \"bad ? \xc2\xb5\"");
    memset(text, 'a', sizeof text);
    text[200] = '\0';
    snprintf(want, sizeof want, "no number on the last line: \"%.100s...\"", text);
    refuses(text, want);
    text[100] = '\0';
    snprintf(want, sizeof want, "no number on the last line: \"%s\"", text);
    refuses(text, want);
    memcpy(text + 98, "\xe2\x82\xac\xe2\x82\xac", 7); /* two euros, the first one torn */
    snprintf(want, sizeof want, "no number on the last line: \"%.98s...\"", text);
    refuses(text, want);
    memcpy(text + 97, "\xe2\x82\xac", 4);
    snprintf(want, sizeof want, "no number on the last line: \"%s\"", text);
    refuses(text, want);
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
    refuses("1\n{\"value\": 2},", "the object on the last line is not valid JSON");
    refuses("1\n{\"value\": 2", "the object on the last line is not valid JSON");
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

/* ---- beside the value */

static void the_object_of_the_last_line(void **state)
{
    (void)state;
    static const char text[] = "{\"n\": 1}\n{\"value\": 2, \"n\": 7}\n\n";
    json_t *said = tc_outcome_object(text, strlen(text));
    assert_int_equal(json_integer_value(json_object_get(said, "n")), 7);
    json_decref(said);
    assert_null(tc_outcome_object("{\"n\": 1}\n2.5\n", 13));
    assert_null(tc_outcome_object("{\"n\": 1", 7));
    assert_null(tc_outcome_object("", 0));
}

static void reasons_become_one_line(void **state)
{
    (void)state;
    char reason[] = "a\nb\x1b[1m \xc3\xa9 \xc2\x85 \xff.";
    tc_outcome_clean(reason);
    assert_string_equal(reason, "a?b?[1m \xc3\xa9 ?? ?.");
}

static void expect_step(const char *line, bool is, uint64_t step, double value)
{
    uint64_t at = 0;
    double v = 0;
    bool found = tc_outcome_step(line, strlen(line), &at, &v);
    if (found != is || (is && (at != step || memcmp(&v, &value, sizeof v) != 0)))
        fail_msg("%s: %d, step %llu, value %g", line, found, (unsigned long long)at, v);
}

static void intermediate_values_are_objects_with_a_step(void **state)
{
    (void)state;
    expect_step("{\"step\": 3, \"value\": 0.41}", true, 3, 0.41);
    expect_step("  {\"value\":-1,\"lr\":0.1,\"step\":0} \r", true, 0, -1);
    expect_step("{\"step\": 9007199254740992, \"value\": 1}", true, UINT64_C(1) << 53, 1);
    static const char *const none[] = {"",
                                       "0.41",
                                       "step 3: 0.41",
                                       "{\"value\": 0.41}",
                                       "{\"step\": 3}",
                                       "{\"step\": 3, \"value\": \"0.41\"}",
                                       "{\"step\": 3, \"value\": NaN}",
                                       "{\"step\": 3.5, \"value\": 1}",
                                       "{\"step\": -1, \"value\": 1}",
                                       "{\"step\": 9007199254740993, \"value\": 1}",
                                       "{\"step\": \"3\", \"value\": 1}",
                                       "{\"step\": 3, \"value\": 1",
                                       "[{\"step\": 3, \"value\": 1}]",
                                       "x {\"step\": 3, \"value\": 1}"};
    for (size_t i = 0; i < sizeof none / sizeof *none; i++)
        expect_step(none[i], false, 0, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(takes_the_last_number),
        cmocka_unit_test(punctuation_does_not_hide_a_number),
        cmocka_unit_test(what_is_not_plainly_a_number_is_refused),
        cmocka_unit_test(only_the_last_line_counts),
        cmocka_unit_test(no_value_is_a_failure),
        cmocka_unit_test(reasons_are_short_and_clean),
        cmocka_unit_test(json_on_the_last_line),
        cmocka_unit_test(json_never_falls_back),
        cmocka_unit_test(zero_bytes_separate),
        cmocka_unit_test(tail_keeps_the_end),
        cmocka_unit_test(tail_of_little_is_all),
        cmocka_unit_test(a_torn_word_is_dropped),
        cmocka_unit_test(the_object_of_the_last_line),
        cmocka_unit_test(reasons_become_one_line),
        cmocka_unit_test(intermediate_values_are_objects_with_a_step),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
