/* papers_figure_test.c - figures of experiments: what the legend says, how modes, named points and
 * printed numbers are drawn, and when a scale is logarithmic. */
#include "support/test.h"

#include "papers/program/papers_int.h"

#include <math.h>
#include <stdlib.h>

enum { ARMS = 3, POINTS = 2, RUNS = 8 };

static const tc_arm two_modes[ARMS] = {{.name = "p", .line = "Lo", .mode = TC_ARM_PAPER},
                                       {.name = "d", .line = "Lo", .mode = TC_ARM_DEFAULT},
                                       {.name = "b", .line = "base", .mode = TC_ARM_BOTH}};
static const tc_arm one_mode[ARMS] = {{.name = "p", .line = "Lo", .mode = TC_ARM_DEFAULT},
                                      {.name = "d", .line = "Mi", .mode = TC_ARM_DEFAULT},
                                      {.name = "b", .line = "base", .mode = TC_ARM_DEFAULT}};
static const tc_printed printed[] = {{"Lo", 1, 2.0, 0.05}, {NULL}};
static const char *const names[POINTS] = {"here", "there"};

static double x[POINTS], mean[ARMS * POINTS], se[ARMS * POINTS];

static tc_experiment experiment_of(const tc_arm *arms, bool named)
{
    return (tc_experiment){
        .name = "made",
        .paper = "fts",
        .figure = "Fig. 0",
        .setting = "N = 3",
        .arms = arms,
        .n_arms = ARMS,
        .x = {.label = "t", .n = POINTS, .step = 5, .names = named ? names : NULL},
        .y_label = "regret",
        .printed = printed};
}

/* Arm a has a + 1 everywhere, so 1 is the least and `top` the most. */
static void draw(const tc_experiment *e, uint64_t runs, double top, tc_text *svg)
{
    tacit_error err = {0};
    tc_reproduction r = {
        .experiment = e, .runs = runs, .seed = 1, .n = POINTS, .x = x, .mean = mean, .se = se};
    for (size_t i = 0; i < POINTS; i++)
        x[i] = e->x.names ? (double)i : 5.0 * (double)(i + 1);
    for (size_t k = 0; k < ARMS * POINTS; k++) {
        mean[k] = (double)(k / POINTS + 1);
        se[k] = 0.1;
    }
    mean[ARMS * POINTS - 1] = top;
    assert_ok(tc_reproduce_figure(&r, svg, &err));
}

static size_t count(const tc_text *svg, const char *what)
{
    size_t n = 0;
    for (const char *p = tc_text_get(svg); (p = strstr(p, what)) != NULL; p++)
        n++;
    return n;
}

static void lines_and_modes_are_explained_once(void **state)
{
    (void)state;
    tc_text svg = {0};
    tc_experiment e = experiment_of(two_modes, false);
    draw(&e, RUNS, 3, &svg);
    assert_int_equal(count(&svg, ">fts, Fig. 0: mean ± s.e. of 8 runs</text>"), 1);
    assert_int_equal(count(&svg, ">N = 3<"), 1);
    assert_int_equal(count(&svg, ">Lo<"), 1);
    assert_int_equal(count(&svg, ">base<"), 1);
    assert_int_equal(count(&svg, ">paper mode<"), 1);
    assert_int_equal(count(&svg, ">tacit's default<"), 1);
    assert_int_equal(count(&svg, ">printed in the paper<"), 1);
    assert_int_equal(count(&svg, "<polyline"), ARMS);
    assert_int_equal(count(&svg, "fill-opacity"), ARMS);  /* bands */
    assert_int_equal(count(&svg, "stroke-dasharray"), 2); /* the line, and what explains it */
    tc_text_fini(&svg);
}

static void defaults_alone_are_drawn_through(void **state)
{
    (void)state;
    tc_text svg = {0};
    tc_experiment e = experiment_of(one_mode, false);
    e.printed = NULL;
    draw(&e, 1, 3, &svg);
    assert_int_equal(count(&svg, "stroke-dasharray"), 0);
    assert_int_equal(count(&svg, ">paper mode<") + count(&svg, ">printed in the paper<"), 0);
    assert_int_equal(count(&svg, ">fts, Fig. 0</text>"), 1); /* one run has no error */
    tc_text_fini(&svg);
}

/* cx of the k-th circle of this style. */
static double circle_at(const tc_text *svg, const char *style, size_t k)
{
    const char *p = tc_text_get(svg), *found = NULL;
    for (size_t i = 0; i <= k; i++) {
        p = strstr(p, style);
        assert_non_null(p);
        found = p++;
    }
    while (strncmp(found, "<circle cx=\"", 12) != 0)
        found--;
    return strtod(found + 12, NULL);
}

static void arms_of_a_category_stand_side_by_side(void **state)
{
    (void)state;
    static const char ring[] = "fill=\"none\" stroke=\"#0072b2\"",
                      paper[] = "fill=\"#0072b2\" stroke=\"#ffffff\"",
                      hollow[] = "fill=\"#ffffff\" stroke=\"#0072b2\"";
    tc_text svg = {0};
    tc_experiment e = experiment_of(two_modes, true);
    draw(&e, RUNS, 3, &svg);
    assert_int_equal(count(&svg, "<polyline"), 0);
    assert_int_equal(count(&svg, "stroke-width=\"1.3\""), ARMS * POINTS * 3); /* whiskers */
    assert_int_equal(count(&svg, "rotate("), 1); /* names are short, and lie */
    /* The first of a style is in the legend, where no arm is hollow. */
    assert_true(circle_at(&svg, paper, 2) + 10 < circle_at(&svg, hollow, 1));
    assert_close(circle_at(&svg, ring, 0), circle_at(&svg, paper, 2), 1e-9);
    tc_text_fini(&svg);
}

static void decades_want_a_logarithm(void **state)
{
    (void)state;
    for (int named = 0; named < 2; named++) {
        tc_text svg = {0};
        tc_experiment e = experiment_of(two_modes, named);
        draw(&e, RUNS, 1000, &svg);
        assert_true(count(&svg, ">100</text>") == 1 && count(&svg, ">200</text>") == 0);
        tc_text_fini(&svg);
        draw(&e, RUNS, 9, &svg);
        assert_int_equal(count(&svg, ">4</text>"), 1);
        tc_text_fini(&svg);
    }
}

static void what_falls_far_wants_one_too(void **state)
{
    (void)state;
    tacit_error err = {0};
    double falling[ARMS * POINTS] = {50, 9, 50, 8, 50, 7};
    tc_experiment e = experiment_of(two_modes, false);
    tc_reproduction r = {
        .experiment = &e, .runs = 1, .n = POINTS, .x = x, .mean = falling, .se = se};
    tc_text svg = {0};
    assert_ok(tc_reproduce_figure(&r, &svg, &err));
    assert_true(count(&svg, ">20</text>") == 1 && count(&svg, ">30</text>") == 0);
    tc_text_fini(&svg);
    falling[5] = 0; /* there is no logarithm of it */
    assert_ok(tc_reproduce_figure(&r, &svg, &err));
    assert_true(count(&svg, ">20</text>") == 1 && count(&svg, ">30</text>") == 1);
    tc_text_fini(&svg);
}

static void what_is_not_known_is_left_out(void **state)
{
    (void)state;
    tc_text svg = {0};
    tc_experiment e = experiment_of(two_modes, true);
    draw(&e, RUNS, NAN, &svg);
    assert_int_equal(count(&svg, "nan"), 0);
    assert_int_equal(count(&svg, "stroke-width=\"1.3\""), (ARMS * POINTS - 1) * 3);
    tc_text_fini(&svg);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(lines_and_modes_are_explained_once),
        cmocka_unit_test(defaults_alone_are_drawn_through),
        cmocka_unit_test(arms_of_a_category_stand_side_by_side),
        cmocka_unit_test(decades_want_a_logarithm),
        cmocka_unit_test(what_falls_far_wants_one_too),
        cmocka_unit_test(what_is_not_known_is_left_out),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
