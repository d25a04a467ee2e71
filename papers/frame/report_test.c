/* report_test.c - rows of the table, verdicts, and what is written of them. */
#include "papers/frame/report.h"

#include "base/json.h"
#include "support/test.h"

#include <math.h>
#include <string.h>

enum { RUNS = 10, POINTS = 2 };

static const tc_arm arms[] = {{.name = "p", .line = "L", .mode = TC_ARM_PAPER},
                              {.name = "d", .line = "L", .mode = TC_ARM_DEFAULT},
                              {.name = "b", .line = "base, all", .mode = TC_ARM_BOTH}};
static const tc_printed printed[] = {{"L", 1, 2.0, 0.05}, {NULL}};
static const tc_statement says[] = {{"p is below b", TC_BELOW, {"p", 0}, {"b", 0}},
                                    {"b is below p", TC_BELOW, {"b", 0}, {"p", 0}},
                                    {"p is below itself", TC_BELOW, {"p", 0}, {"p", 0}},
                                    {"p is level", TC_LEVEL, {"p", 0}, {"p", 0}},
                                    {"b is level with p", TC_LEVEL, {"b", 0}, {"p", 0}},
                                    {"p is no worse than b", TC_NO_WORSE, {"p", 0}, {"b", 0}},
                                    {"b is no worse than p", TC_NO_WORSE, {"b", 0}, {"p", 0}},
                                    {"p is itself", TC_SAME, {"p", 0}, {"p", 0}},
                                    {"p is the same later", TC_SAME, {"p", 0}, {"b", 0}},
                                    {NULL}};
static const tc_experiment experiment = {.name = "made",
                                         .paper = "none",
                                         .figure = "Fig. 0",
                                         .claim = "nothing",
                                         .setting = "N = 3",
                                         .version = 1,
                                         TC_ARMS(arms),
                                         .x = {.label = "t", .n = POINTS, .step = 5},
                                         .y_label = "regret",
                                         .printed = printed,
                                         .statements = says};

static double values[3 * RUNS * POINTS], mean[3 * POINTS], se[3 * POINTS], x[] = {5, 10};

/* Arm a has a + 1 and a little that differs from run to run, the same for all arms. */
static tc_reproduction made(uint64_t runs)
{
    tc_reproduction r = {.experiment = &experiment,
                         .runs = runs,
                         .seed = 1,
                         .n = POINTS,
                         .x = x,
                         .values = values,
                         .mean = mean,
                         .se = se};
    for (size_t a = 0; a < 3; a++)
        for (size_t k = 0; k < runs * POINTS; k++)
            values[a * runs * POINTS + k] = (double)(a + 1) + 0.01 * (double)(k / POINTS);
    for (size_t k = 0; k < 3 * POINTS; k++) {
        mean[k] = (double)(k / POINTS + 1);
        se[k] = 0.0123;
    }
    return r;
}

static void rows_hold_both_modes(void **state)
{
    (void)state;
    tacit_error err = {0};
    tc_reproduction r = made(RUNS);
    tc_outcome *rows;
    size_t n;
    assert_ok(tc_report_outcomes(&r, &rows, &n, &err));
    assert_int_equal(n, 4); /* two lines at two points */
    assert_true(isnan(rows[0].printed) && rows[1].printed == 2.0);
    assert_true(rows[1].paper_mean == 1 && rows[1].default_mean == 2);
    assert_false(tc_outcome_agrees(&rows[1])); /* 1 is not 2 */
    assert_true(rows[3].paper_mean == 3 && rows[3].default_mean == 3);
    rows[1].paper_mean = 2.07; /* 0.05 and two errors of 0.0123 */
    assert_true(tc_outcome_agrees(&rows[1]));
    tc_free(rows);
}

static void verdicts_follow_paired_runs(void **state)
{
    (void)state;
    tacit_error err = {0};
    tc_reproduction r = made(RUNS);
    static const char *const words[] = {"holds", "fails", "undecided", "holds", "fails",
                                        "holds", "fails", "holds",     "fails"};
    tc_verdict *rows;
    size_t n;
    assert_ok(tc_report_verdicts(&r, &rows, &n, &err));
    assert_int_equal(n, 9);
    for (size_t i = 0; i < n; i++)
        assert_string_equal(rows[i].word, words[i]);
    assert_true(rows[0].ratio.p < 0.01 && rows[0].ratio.ratio < 0.4);
    /* Holm: 2/1024 of three, of two, and 1; the second is not below the first. */
    assert_close(rows[0].ratio.p, 2 / 1024.0, 1e-12);
    assert_close(rows[0].p, 3 * 2 / 1024.0, 1e-12);
    assert_close(rows[1].p, 3 * 2 / 1024.0, 1e-12);
    assert_close(rows[2].p, 1, 1e-12);
    tc_free(rows);
}

static void few_runs_decide_nothing(void **state)
{
    (void)state;
    tacit_error err = {0};
    for (uint64_t runs = 1; runs < 8; runs += 3) {
        tc_reproduction r = made(runs);
        tc_verdict *rows;
        size_t n;
        assert_ok(tc_report_verdicts(&r, &rows, &n, &err));
        for (size_t i = 0; i < n; i++)
            assert_string_equal(rows[i].word, "too few runs");
        assert_true(isnan(rows[0].p));
        tc_free(rows);
    }
}

/* Eight runs have p = 1/128 at best, and by Holm's rule three claims need three times as much. */
static void few_runs_decide_few_claims(void **state)
{
    (void)state;
    tacit_error err = {0};
    tc_reproduction r = made(8);
    tc_verdict *rows;
    size_t n;
    assert_ok(tc_report_verdicts(&r, &rows, &n, &err));
    assert_string_equal(rows[0].word, "too few runs");
    assert_string_equal(rows[3].word, "holds"); /* p is level with itself */
    tc_free(rows);
}

static void missing_values_decide_nothing(void **state)
{
    (void)state;
    tacit_error err = {0};
    tc_reproduction r = made(RUNS);
    tc_verdict *rows;
    size_t n;
    values[0] = NAN;
    assert_ok(tc_report_verdicts(&r, &rows, &n, &err));
    assert_string_equal(rows[0].word, "undecided");
    assert_true(isnan(rows[0].ratio.ratio));
    tc_free(rows);
}

static void assert_moments(double m, double e, const char *expected)
{
    tc_text t = {0};
    tc_report_moments(m, e, &t);
    assert_string_equal(tc_text_get(&t), expected);
    tc_text_fini(&t);
}

static void numbers_have_two_digits_of_their_error(void **state)
{
    (void)state;
    assert_moments(0.12345, 0.00678, "0.1235 ± 0.0068");
    assert_moments(1234.5, 67.8, "1234 ± 68");
    assert_moments(5.934123, 0, "5.934");
    assert_moments(1, 1e-15, "1");
    assert_moments(NAN, 0, "–");
}

static void markdown_has_the_three_columns(void **state)
{
    (void)state;
    tacit_error err = {0};
    tc_reproduction r = made(RUNS);
    tc_text t = {0};
    assert_ok(tc_report_markdown(&r, &t, &err));
    assert_non_null(strstr(tc_text_get(&t), "| regret | t | paper | tacit (paper mode) | tacit "
                                            "(default) |\n"));
    assert_non_null(strstr(tc_text_get(&t), "| L | 10 | 2 * | 1.000 ± 0.012 | 2.000 ± 0.012 |\n"));
    assert_non_null(strstr(tc_text_get(&t), "- p is below b: **holds** (ratio 0.3"));
    tc_text_fini(&t);
}

/* The first line tells how to do it again: what is usual is not said. */
static void markdown_begins_with_its_command(void **state)
{
    (void)state;
    tacit_error err = {0};
    tc_experiment other = experiment;
    tc_reproduction r = made(RUNS);
    tc_text t = {0};
    assert_ok(tc_report_markdown(&r, &t, &err));
    static const char plain[] = "N = 3; 10 runs, seed 1. `tacit-papers made --runs 10`\n\n|";
    assert_memory_equal(tc_text_get(&t), plain, strlen(plain));
    tc_text_fini(&t);
    other.stand_in = "a grid";
    other.data = "mines";
    r = made(1);
    r.experiment = &other;
    r.seed = 7;
    r.quick = true;
    assert_ok(tc_report_markdown(&r, &t, &err));
    static const char full[] = "N = 3; 1 run, seed 7, quick. Not as in the paper: a grid. "
                               "`tacit-papers made --runs 1 --seed 7 --quick --data DIR`\n\n|";
    assert_memory_equal(tc_text_get(&t), full, strlen(full));
    tc_text_fini(&t);
}

static void csv_and_json_have_everything(void **state)
{
    (void)state;
    tacit_error err = {0};
    tc_reproduction r = made(RUNS);
    tc_text t = {0};
    json_t *j;
    mean[0] = NAN;
    tc_report_csv(&r, &t);
    assert_non_null(strstr(tc_text_get(&t), "made,p,L,paper,10,1,5,,\n"));
    assert_non_null(strstr(tc_text_get(&t), "made,b,\"base, all\",both,10,1,10,3,0.0123\n"));
    tc_text_fini(&t);
    assert_ok(tc_report_json(&r, &j, &err));
    assert_int_equal(json_array_size(json_object_get(j, "arms")), 3);
    assert_int_equal(json_array_size(json_object_get(j, "table")), 4);
    assert_int_equal(json_array_size(json_object_get(j, "statements")), 9);
    const json_t *last = json_array_get(json_object_get(j, "statements"), 8);
    assert_string_equal(json_string_value(json_object_get(last, "relation")), "same");
    const json_t *first = json_array_get(json_object_get(j, "arms"), 0);
    assert_true(json_is_null(json_array_get(json_object_get(first, "mean"), 0)));
    const json_t *row = json_array_get(json_object_get(j, "table"), 1);
    assert_true(json_is_false(json_object_get(row, "agrees")));
    json_decref(j);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(rows_hold_both_modes),
        cmocka_unit_test(verdicts_follow_paired_runs),
        cmocka_unit_test(few_runs_decide_nothing),
        cmocka_unit_test(few_runs_decide_few_claims),
        cmocka_unit_test(missing_values_decide_nothing),
        cmocka_unit_test(numbers_have_two_digits_of_their_error),
        cmocka_unit_test(markdown_has_the_three_columns),
        cmocka_unit_test(markdown_begins_with_its_command),
        cmocka_unit_test(csv_and_json_have_everything),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
