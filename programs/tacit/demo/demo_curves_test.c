/* demo_curves_test.c - means, quartiles and who gains, and the charts of them. */
#include "demo/demo_int.h"

#include "base/memory.h"
#include "support/test.h"

#include <string.h>

enum { HOSPITALS = 5, TRIALS = 4, START = 2 };

/* Drops after the last trial: together 0.1, 0.2, 0.3, 0.4 and 0; alone 0.2, 0.1, 0, 0 and 0. */
static tc_demo_curves small(void)
{
    static const double together[HOSPITALS * TRIALS] = {1.0, 0.8, 0.8, 0.7, 0.9, 0.9, 0.7,
                                                        0.7, 1.0, 0.6, 0.5, 0.3, 2.0, 1.0,
                                                        0.6, 0.6, 0.5, 0.5, 0.5, 0.5};
    static const double alone[HOSPITALS * TRIALS] = {1.0, 0.8, 0.8, 0.6, 0.9, 0.9, 0.8,
                                                     0.8, 1.0, 0.6, 0.6, 0.6, 2.0, 1.0,
                                                     1.0, 1.0, 0.5, 0.5, 0.5, 0.5};
    tacit_error err = {0};
    tc_demo_curves c;
    assert_ok(
        tc_demo_curves_init(&c, &(tc_demo_plan){.hospitals = HOSPITALS, .trials = TRIALS}, &err));
    c.start = START;
    memcpy(c.together, together, sizeof together);
    memcpy(c.alone, alone, sizeof alone);
    return c;
}

static void moments_are_those_of_all_hospitals(void **state)
{
    (void)state;
    tc_demo_curves c = small();
    tc_demo_moment m = tc_demo_moment_at(&c, TRIALS - 1);
    assert_close(m.together, (0.7 + 0.7 + 0.3 + 0.6 + 0.5) / 5, 1e-12);
    assert_close(m.alone, (0.6 + 0.8 + 0.6 + 1.0 + 0.5) / 5, 1e-12);
    assert_int_equal(m.ahead, 3);
    assert_int_equal(m.behind, 1);
    assert_close(m.drop[0].mean, 0.2, 1e-12);
    assert_close(m.drop[0].low, 0.1, 1e-12);
    assert_close(m.drop[0].high, 0.3, 1e-12);
    assert_close(m.drop[1].mean, 0.06, 1e-12);
    assert_close(m.drop[1].low, 0, 1e-12);
    assert_close(m.drop[1].high, 0.1, 1e-12);
    tc_demo_curves_fini(&c);
}

static void at_the_start_nobody_is_ahead(void **state)
{
    (void)state;
    tc_demo_curves c = small();
    tc_demo_moment m = tc_demo_moment_at(&c, START - 1);
    assert_int_equal(m.ahead + m.behind, 0);
    assert_true(m.drop[0].mean == 0 && m.drop[1].high == 0);
    tc_demo_curves_fini(&c);
}

/* Together 0.14 (0 to 0.2) and 0.2 (0.1 to 0.3), alone 0.02 (0 to 0) and 0.06 (0 to 0.1). */
static void the_chart_shows_means_and_quartiles(void **state)
{
    (void)state;
    tacit_error err = {0};
    tc_text text = {0};
    tc_demo_curves c = small();
    assert_ok(tc_demo_chart_text(&c, &text, &err));
    assert_non_null(strstr(tc_text_get(&text), "Fall of the log-loss (higher is better) since"));
    const char *chart = strstr(tc_text_get(&text), "\n\n");
    assert_non_null(chart);
    assert_string_equal(chart, "\n\n"
                               "    0.3 ┤                        │\n"
                               "        │                        │\n"
                               "   0.25 ┤                        │\n"
                               "        │                        │\n"
                               "    0.2 ┤              │         ●\n"
                               "        │              │         │\n"
                               "   0.15 ┤              ●         │\n"
                               "        │              │         │\n"
                               "    0.1 ┤              │         │┆\n"
                               "        │              │          ┆\n"
                               "   0.05 ┤              │          ○\n"
                               "        │              │○         ┆\n"
                               "      0 ┤    ●○        │┆         ┆\n"
                               "        └──────────────────────────────\n"
                               "  trial      2         3         4\n");
    tc_text_fini(&text);
    tc_demo_curves_fini(&c);
}

static size_t count(const char *text, const char *word)
{
    size_t n = 0;
    while ((text = strstr(text, word)) != NULL) {
        text += strlen(word);
        n++;
    }
    return n;
}

/* However many hospitals there are: a band and a line for each of the two. */
static void the_drawing_has_two_bands_and_two_lines(void **state)
{
    (void)state;
    tacit_error err = {0};
    tc_text svg = {0};
    tc_demo_curves c = small();
    assert_ok(tc_demo_chart_svg(&c, 4, &svg, &err));
    assert_int_equal(count(tc_text_get(&svg), "<polygon"), 2);
    assert_int_equal(count(tc_text_get(&svg), "<polyline"), 2);
    assert_non_null(strstr(tc_text_get(&svg), "fall of the log-loss (higher is better)"));
    assert_non_null(strstr(tc_text_get(&svg), "together, ε = 4<"));
    tc_text_fini(&svg);
    tc_demo_curves_fini(&c);
}

/* Nothing was gained, by nobody; and more trials than fit side by side. */
static void a_chart_of_nothing_and_a_wide_one_are_drawn(void **state)
{
    (void)state;
    tacit_error err = {0};
    tc_demo_curves c;
    assert_ok(tc_demo_curves_init(
        &c, &(tc_demo_plan){.hospitals = 3, .trials = TC_DEMO_TRIALS_MOST}, &err));
    c.start = 10;
    for (int slope = 0; slope < 2; slope++) {
        tc_text text = {0}, svg = {0};
        for (size_t i = 0; i < 3 * TC_DEMO_TRIALS_MOST; i++)
            c.together[i] = c.alone[i] = 9 - slope * (double)(i % TC_DEMO_TRIALS_MOST) / 17;
        assert_ok(tc_demo_chart_text(&c, &text, &err));
        assert_non_null(strstr(tc_text_get(&text), "●○"));
        assert_non_null(strstr(tc_text_get(&text), "100\n"));
        assert_ok(tc_demo_chart_svg(&c, 4, &svg, &err));
        assert_non_null(strstr(tc_text_get(&svg), "each alone"));
        assert_null(strstr(tc_text_get(&svg), "nan"));
        tc_text_fini(&text);
        tc_text_fini(&svg);
    }
    tc_demo_curves_fini(&c);
}

/* Where records are protected a choice may be worse than the start: it is drawn at the bottom. */
static void charts_of_records_say_whose_epsilon_it_is(void **state)
{
    (void)state;
    tacit_error err = {0};
    tc_text text = {0}, svg = {0};
    tc_demo_curves c = small();
    c.records = true;
    for (size_t i = 0; i < HOSPITALS; i++)
        c.alone[i * TRIALS + TRIALS - 1] = 3;
    assert_ok(tc_demo_chart_text(&c, &text, &err));
    assert_non_null(strstr(tc_text_get(&text), "Fall of the true error (higher is better) since"));
    assert_non_null(strstr(tc_text_get(&text), "      0 ┤    ●○        │┆         ○\n"));
    assert_ok(tc_demo_chart_svg(&c, 1, &svg, &err));
    assert_non_null(strstr(tc_text_get(&svg), "together, ε = 1 for each record<"));
    assert_non_null(strstr(tc_text_get(&svg), "each alone, with as much noise<"));
    assert_non_null(strstr(tc_text_get(&svg), "the first 2 points are the same in both"));
    tc_text_fini(&text);
    tc_text_fini(&svg);
    tc_demo_curves_fini(&c);
}

static void the_file_has_every_value(void **state)
{
    (void)state;
    tc_text csv = {0};
    tc_demo_curves c = small();
    tc_demo_curves_csv(&c, &csv);
    assert_non_null(strstr(tc_text_get(&csv), "hospital,trial,together,alone\n1,1,1,1\n"));
    assert_non_null(strstr(tc_text_get(&csv), "\n4,4,0.59999999999999998,1\n5,1,0.5,0.5\n"));
    tc_text_fini(&csv);
    tc_demo_curves_fini(&c);
}

static void a_hospital_without_all_its_values_is_refused(void **state)
{
    (void)state;
    tacit_error err = {0};
    tc_demo_curves c;
    tc_demo_journal j = {.hospital = 2, .trials = TRIALS - 1};
    const tc_demo_world w = {.plan = {.hospitals = 1, .trials = TRIALS, .seed = 5}};
    assert_ok(tc_demo_curves_init(&c, &(tc_demo_plan){.hospitals = 1, .trials = TRIALS}, &err));
    assert_fails(tc_demo_compare(&c, &w, &j, &err), TACIT_E_STATE,
                 "hospital 2 has 3 values of 4 trials");
    tc_demo_curves_fini(&c);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(moments_are_those_of_all_hospitals),
        cmocka_unit_test(at_the_start_nobody_is_ahead),
        cmocka_unit_test(a_hospital_without_all_its_values_is_refused),
        cmocka_unit_test(the_chart_shows_means_and_quartiles),
        cmocka_unit_test(the_drawing_has_two_bands_and_two_lines),
        cmocka_unit_test(a_chart_of_nothing_and_a_wide_one_are_drawn),
        cmocka_unit_test(charts_of_records_say_whose_epsilon_it_is),
        cmocka_unit_test(the_file_has_every_value),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
