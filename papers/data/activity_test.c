/* activity_test.c - logistic regression where it must succeed, and where it must run away. */
#include "papers/data/activity.h"

#include "base/memory.h"
#include "base/text.h"
#include "support/test.h"

#include <stdio.h>

enum { WINDOWS = 30 };

/* Two activities that the first feature tells apart. */
static void toy(tc_text *t)
{
    tc_text_add(t, "subject,activity,trial,window");
    for (int k = 0; k < 114; k++)
        tc_text_addf(t, ",f%d", k);
    for (int s = 1; s <= TC_ACTIVITY_SUBJECTS; s++)
        for (int i = 0; i < WINDOWS; i++) {
            tc_text_addf(t, "\n%d,%d,%d,%d", s, 1 + i % 2, i < 20 ? 1 : 11, i);
            for (int k = 0; k < 114; k++)
                tc_text_addf(t, ",%d", k == 0 ? (i % 2 ? 3 : -3) : (i * (k + 3)) % 7);
        }
    tc_text_add(t, "\n");
}

static tc_activity *made(void)
{
    tacit_error err = {0};
    tc_text t = {0};
    tc_activity *a;
    toy(&t);
    assert_ok(tc_activity_new(&a, tc_text_get(&t), t.len, 1, &err));
    tc_text_fini(&t);
    return a;
}

static void a_model_learns(void **state)
{
    (void)state;
    tacit_error err = {0};
    tc_activity *a = made();
    double good, idle, again;
    assert_ok(tc_activity_error(a, 3, 0.1, 1e-3, 4, &good, &err));
    assert_ok(tc_activity_error(a, 3, 0.1, 1e-3, 4, &again, &err));
    assert_ok(tc_activity_error(a, 3, 0, 0, 4, &idle, &err)); /* says the first activity always */
    assert_close(good, 0, 1e-12);
    assert_same_bits(good, again);
    assert_close(idle, 0.5, 1e-12);
    tc_activity_free(a);
}

static void a_model_that_runs_away_is_bad_and_no_more(void **state)
{
    (void)state;
    tacit_error err = {0};
    tc_activity *a = made();
    double wild;
    assert_ok(tc_activity_error(a, 0, 1e200, 1e200, 4, &wild, &err));
    assert_true(wild >= 0 && wild <= 1);
    tc_activity_free(a);
}

static void the_grid_has_its_models(void **state)
{
    (void)state;
    tacit_error err = {0};
    tc_activity *a = made();
    tc_model_grid g = {.points = {2, 2, 2}, .low = {0.01, 1e-4, 4}, .high = {1, 1, 8}, .log = true};
    tc_text t = {0};
    double first;
    char start[128];
    tc_activity_fill(a, &g);
    assert_ok(tc_model_grid_table(&g, &t, &err));
    assert_ok(tc_activity_error(a, 0, 0.01, 1e-4, 4, &first, &err));
    snprintf(start, sizeof start, "\n-2.000000,-4.000000,0.602060,%.6f,", first);
    assert_non_null(strstr(tc_text_get(&t), "log10_rate,log10_l2,log10_batch,value_1,"));
    assert_non_null(strstr(tc_text_get(&t), start));
    tc_text_fini(&t);
    tc_activity_free(a);
}

/* Windows alternate between the two activities, so each of two parts has one alone, and its model is
 * right whatever it is told; an idle one says the first. */
static void parts_share_no_window(void **state)
{
    (void)state;
    tacit_error err = {0};
    tc_text t = {0};
    tc_activity *a;
    double learned, idle[2];
    toy(&t);
    assert_ok(tc_activity_new(&a, tc_text_get(&t), t.len, 2, &err));
    for (size_t p = 0; p < 2; p++) {
        size_t who = p * TC_ACTIVITY_SUBJECTS + 5;
        assert_ok(tc_activity_error(a, who, 0.1, 0, 4, &learned, &err));
        assert_ok(tc_activity_error(a, who, 0, 0, 4, &idle[p], &err));
        assert_close(learned, 0, 1e-12);
    }
    assert_close(idle[0], 0, 1e-12);
    assert_close(idle[1], 1, 1e-12);
    tc_activity_free(a);
    assert_fails(tc_activity_new(&a, tc_text_get(&t), t.len, 11, &err), TACIT_E_ARG,
                 "subject 1 has too few windows for 11 agents to train and to test on");
    tc_text_fini(&t);
}

static void bad_files_are_named(void **state)
{
    (void)state;
    tacit_error err = {0};
    tc_activity *a;
    static const char few[] = "subject,activity\n1,1\n";
    assert_fails(tc_activity_new(&a, few, strlen(few), 1, &err), TACIT_E_ARG,
                 "there must be 118 columns, not 2");
    tc_text t = {0};
    toy(&t);
    char *text = tc_text_take(&t), *row = strchr(text, '\n') + 1;
    row[2] = '9';
    assert_fails(tc_activity_new(&a, text, strlen(text), 1, &err), TACIT_E_ARG,
                 "a whole number from 1 to 6 is needed, got \"9\"");
    tc_free(text);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(a_model_learns),
                                       cmocka_unit_test(a_model_that_runs_away_is_bad_and_no_more),
                                       cmocka_unit_test(the_grid_has_its_models),
                                       cmocka_unit_test(parts_share_no_window),
                                       cmocka_unit_test(bad_files_are_named)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
