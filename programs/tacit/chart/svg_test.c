/* svg_test.c - documents are well-formed, text is escaped, no coordinate is NaN; ticks are round. */
#include "support/test.h"

#include "chart/axis.h"
#include "chart/chart.h"
#include "chart/plot.h"
#include "chart/svg.h"

#include <ctype.h>
#include <float.h>
#include <stdlib.h>

/* -- a slow, obvious check of XML ---------------------------------------------------------- */

/* Every tag is closed in order, attributes are quoted, & begins one of our entities. */
static void assert_well_formed(const char *xml)
{
    char open[32][32];
    size_t depth = 0, roots = 0;
    for (const char *p = xml; *p;) {
        if (*p == '&') {
            assert_true(!strncmp(p, "&lt;", 4) || !strncmp(p, "&gt;", 4) ||
                        !strncmp(p, "&amp;", 5) || !strncmp(p, "&quot;", 6));
            p++;
            continue;
        }
        assert_true(*p != '>');
        if (*p != '<') {
            p++;
            continue;
        }
        const char *end = p + 1;
        for (bool quoted = false; quoted || *end != '>'; end++) {
            assert_true(*end && *end != '<');
            quoted = *end == '"' ? !quoted : quoted;
        }
        if (p[1] == '/') {
            size_t n = (size_t)(end - p) - 2;
            assert_true(depth > 0);
            depth--;
            assert_int_equal(strlen(open[depth]), n);
            assert_memory_equal(open[depth], p + 2, n);
        } else if (p[1] != '?' && end[-1] != '/') {
            size_t n = strcspn(p + 1, " >");
            roots += depth == 0;
            assert_true(depth < 32 && n < 32);
            memcpy(open[depth], p + 1, n);
            open[depth++][n] = '\0';
        }
        p = end + 1;
    }
    assert_int_equal(depth, 0);
    assert_int_equal(roots, 1);
}

static void assert_numbers_only(const char *svg)
{
    assert_null(strstr(svg, "nan"));
    assert_null(strstr(svg, "inf"));
    assert_null(strstr(svg, "NaN"));
}

/* -- shapes -------------------------------------------------------------------------------- */

static void test_text_is_escaped(void **state)
{
    (void)state;
    tc_text t = {0};
    tc_svg_escape(&t, "a<b>&\"c\"\x01 \xC3\xA9 \xFF.");
    assert_string_equal(tc_text_get(&t),
                        "a&lt;b&gt;&amp;&quot;c&quot;\xEF\xBF\xBD \xC3\xA9 \xEF\xBF\xBD.");
    tc_text_fini(&t);
}

static void test_numbers_are_short(void **state)
{
    (void)state;
    tc_text t = {0};
    tc_svg_line(&t, 1, -2.5, 3.14159, -0.001, "a=\"b\"");
    assert_string_equal(tc_text_get(&t),
                        "<line x1=\"1\" y1=\"-2.5\" x2=\"3.14\" y2=\"0\" a=\"b\"/>\n");
    tc_text_fini(&t);
}

static void test_what_is_not_finite_is_left_out(void **state)
{
    (void)state;
    tc_text t = {0};
    const double x[] = {1, NAN, 3, 4}, y[] = {1, 2, INFINITY, 4};
    tc_svg_circle(&t, NAN, 1, 1, "");
    tc_svg_rect(&t, 0, 0, INFINITY, 1, "");
    tc_svg_text(&t, 0, -INFINITY, "", "x");
    assert_string_equal(tc_text_get(&t), "");
    tc_svg_polyline(&t, 4, x, y, "a=\"b\"");
    assert_string_equal(tc_text_get(&t), "<polyline points=\"1,1 4,4\" a=\"b\"/>\n");
    tc_text_fini(&t);
}

/* -- axes ---------------------------------------------------------------------------------- */

static void check_scale(tc_scale s, size_t want, const char *expected)
{
    s.from = 0;
    s.to = 100;
    tc_ticks t;
    tc_text all = {0};
    tc_ticks_choose(&t, &s, want);
    for (size_t i = 0; i < t.n; i++) {
        tc_text_addf(&all, "%s%s", i ? " " : "", t.label[i]);
        assert_true(tc_scale_at(&s, t.at[i]) > -1e-6 && tc_scale_at(&s, t.at[i]) < 100 + 1e-6);
    }
    assert_string_equal(tc_text_get(&all), expected);
    tc_text_fini(&all);
}

static void check_ticks(bool log, double low, double high, size_t want, const char *expected)
{
    check_scale((tc_scale){.log = log, .low = low, .high = high}, want, expected);
}

static void test_whole_ticks(void **state)
{
    (void)state;
    check_scale((tc_scale){.whole = true, .low = 0, .high = 3}, 9, "0 1 2 3");
    check_scale((tc_scale){.whole = true, .low = -0.06, .high = 2.06}, 9, "0 1 2");
    check_scale((tc_scale){.whole = true, .low = -5e-4, .high = 5e-4}, 9, "0");
    check_scale((tc_scale){.whole = true, .low = 0, .high = 24}, 5, "0 5 10 15 20");
    check_scale((tc_scale){.whole = true, .log = true, .low = 0.9, .high = 4.4}, 5, "1 2 3 4");
}

static void test_ticks(void **state)
{
    (void)state;
    check_ticks(false, 0, 1, 5, "0 0.2 0.4 0.6 0.8 1");
    check_ticks(false, -1, 60, 6, "0 10 20 30 40 50 60");
    check_ticks(false, -0.3, 0.3, 3, "-0.2 0 0.2");
    check_ticks(false, 1e6, 1.00001e6, 4,
                "1 000 000 1 000 002 1 000 004 1 000 006 1 000 008 1 000 010");
    check_ticks(true, 1e-3, 10, 5, "0.001 0.01 0.1 1 10");
    check_ticks(true, 1e-7, 10, 8, "10⁻⁷ 10⁻⁶ 10⁻⁵ 10⁻⁴ 10⁻³ 10⁻² 10⁻¹ 10⁰ 10¹");
    check_ticks(true, 1, 60, 5, "1 2 5 10 20 50");
    check_ticks(true, 1.1, 1.9, 4, "1.2 1.4 1.6 1.8");
    check_ticks(false, -1e308, 1e308, 5, "-1e+308 -5e+307 0 5e+307 1e+308");
    check_ticks(false, -DBL_MAX, DBL_MAX, 7, "-1.5e+308 -1e+308 -5e+307 0 5e+307 1e+308 1.5e+308");
    check_ticks(false, -DBL_MAX, DBL_MAX, 2, "-1.797693135e+308 0 1.797693135e+308");
}

static void test_ranges(void **state)
{
    (void)state;
    static const double ends[][2] = {{0, 1},
                                     {3, 3},
                                     {0, 0},
                                     {-2, -2},
                                     {INFINITY, -INFINITY},
                                     {0, 5},
                                     {1e-12, 1e12},
                                     {-1e300, 1e300},
                                     {NAN, NAN},
                                     {-1e308, 1e308},
                                     {-DBL_MAX, DBL_MAX},
                                     {DBL_MAX, DBL_MAX},
                                     {-DBL_MAX, 0},
                                     {1e-299, DBL_MAX}};
    for (size_t i = 0; i < sizeof ends / sizeof ends[0]; i++)
        for (int log = 0; log < 2; log++) {
            tc_scale s = {.log = log, .from = 0, .to = 100};
            tc_scale_range(&s, ends[i][0], ends[i][1], 0.05);
            assert_true(isfinite(s.low) && isfinite(s.high) && s.low < s.high);
            assert_true(!log || s.low > 0);
            assert_close(tc_scale_at(&s, s.low), 0, 1e-9);
            assert_close(tc_scale_at(&s, s.high), 100, 1e-9);
            tc_ticks t;
            tc_ticks_choose(&t, &s, 5);
            assert_true(t.n > 0);
        }
}

/* -- charts -------------------------------------------------------------------------------- */

#define N 4000
static double iteration[N], falling[N], error_bar[N];

static void fill_curve(void)
{
    for (size_t i = 0; i < N; i++) {
        iteration[i] = (double)i + 1;
        falling[i] = i > N / 2 ? 0 : 1 / (1 + (double)i); /* reaches 0: no logarithm */
        error_bar[i] = 2 * falling[i];
    }
}

static void test_regret_chart(void **state)
{
    (void)state;
    tacit_error err = {0};
    tc_text svg = {0};
    tacit_curves curves[12];
    const char *names[12];
    fill_curve();
    for (size_t i = 0; i < 12; i++) {
        names[i] = "file & <co>.csv";
        curves[i] = (tacit_curves){.label = i % 2 ? "gp-ei" : "<ts>",
                                   .algorithm = i % 2 ? "gp-ei" : "<ts>",
                                   .objective = "branin",
                                   .runs = 3 + i % 2,
                                   .points = N - i,
                                   .at = iteration,
                                   .simple_mean = falling,
                                   .simple_se = error_bar,
                                   .cumulative_mean = iteration,
                                   .cumulative_se = error_bar};
    }
    assert_ok(tc_plot_regret(curves, 12, names, NULL, false, &svg, &err));
    assert_well_formed(tc_text_get(&svg));
    assert_numbers_only(tc_text_get(&svg));
    assert_non_null(strstr(tc_text_get(&svg), ">Simple regret on branin<"));
    assert_non_null(strstr(tc_text_get(&svg), "&lt;ts&gt; (file &amp; &lt;co&gt;.csv)"));
    assert_non_null(strstr(tc_text_get(&svg), "mean of 3 to 4 runs"));
    assert_true(svg.len < 12 * 4 * 1500 * 16); /* long curves are thinned */
    tc_text_fini(&svg);
    assert_ok(tc_plot_regret(curves, 1, NULL, "a \"title\"", true, &svg, &err));
    assert_well_formed(tc_text_get(&svg));
    assert_non_null(strstr(tc_text_get(&svg), ">a &quot;title&quot;<"));
    tc_text_fini(&svg);
}

static void test_panels(void **state)
{
    (void)state;
    tacit_error err = {0};
    const double x[] = {0, 1, 1}, y[] = {2, NAN, -INFINITY}, shade[] = {0, 1, NAN};
    const char *const names[] = {"sgd", "adam <w>"};
    tc_series s = {.label = "a", .mark = TC_MARK_DOTS, .n = 3, .x = x, .y = y, .shade = shade};
    tc_panel panels[5];
    for (size_t i = 0; i < 5; i++)
        panels[i] = (tc_panel){.x = {.label = "p", .log = i % 2},
                               .y = {.log = i == 3},
                               .series = &s,
                               .n_series = i == 4 ? 0 : 1};
    panels[0].x.names = names;
    panels[0].x.n_names = 2;
    for (size_t n = 0; n <= 5; n++) {
        tc_text svg = {0};
        tc_chart c = {.title = "t", .panels = panels, .n_panels = n, .shade_label = "trial"};
        assert_ok(tc_chart_svg(&c, &svg, &err));
        assert_well_formed(tc_text_get(&svg));
        assert_numbers_only(tc_text_get(&svg));
        assert_true(n == 0 || strstr(tc_text_get(&svg), "adam &lt;w&gt;") != NULL);
        tc_text_fini(&svg);
    }
}

static size_t count(const tc_text *svg, const char *what)
{
    size_t n = 0;
    for (const char *p = tc_text_get(svg); (p = strstr(p, what)) != NULL; p++)
        n++;
    return n;
}

static void chart_of(const tc_axis *x_axis, const tc_series *s, tc_text *svg)
{
    tacit_error err = {0};
    tc_panel panel = {.x = *x_axis, .series = s, .n_series = 1};
    tc_chart c = {.title = "t", .panels = &panel, .n_panels = 1};
    assert_ok(tc_chart_svg(&c, svg, &err));
    assert_well_formed(tc_text_get(svg));
    assert_numbers_only(tc_text_get(svg));
}

static double height_of(const tc_text *svg)
{
    return strtod(strstr(tc_text_get(svg), "height=\"") + 8, NULL);
}

static void test_long_names_stand(void **state)
{
    (void)state;
    const double x[] = {0, 1}, y[] = {2, 3};
    const char *const brief[] = {"sgd", "adam"};
    const char *many[20];
    tc_series s = {.mark = TC_MARK_DOTS, .marker = 2, .n = 2, .x = x, .y = y};
    tc_text lying = {0}, standing = {0};
    for (size_t i = 0; i < 20; i++)
        many[i] = "epsilon 2, r = 15";
    chart_of(&(tc_axis){.names = brief, .n_names = 2}, &s, &lying);
    chart_of(&(tc_axis){.names = many, .n_names = 20}, &s, &standing);
    assert_int_equal(count(&lying, "rotate("), 0);
    assert_int_equal(count(&standing, "rotate("), 20);
    assert_true(height_of(&standing) > height_of(&lying) + 50); /* and the plot is as high */
    tc_text_fini(&lying);
    tc_text_fini(&standing);
}

static void test_long_subtitles_have_two_lines(void **state)
{
    (void)state;
    tacit_error err = {0};
    char text[161];
    for (size_t i = 0; i < 160; i++)
        text[i] = i % 8 == 7 ? ' ' : 'x';
    text[160] = '\0';
    double height[2];
    for (int i = 0; i < 2; i++) {
        tc_text svg = {0};
        tc_chart c = {.title = "t", .subtitle = i ? text : "brief"};
        assert_ok(tc_chart_svg(&c, &svg, &err));
        assert_well_formed(tc_text_get(&svg));
        assert_int_equal(count(&svg, "fill=\"#666666\""), i + 1);
        if (i) /* neither line is short */
            assert_int_equal(count(&svg, ">xxxxxxx xxxxxxx xxxxxxx xxxxxxx xxxxxxx xxxxxxx"), 2);
        height[i] = height_of(&svg);
        tc_text_fini(&svg);
    }
    assert_true(height[1] > height[0]);
}

/* A line of many points has a few marks; one of a few has one at each, where its ticks are, too. */
static void test_marks_and_ticks(void **state)
{
    (void)state;
    const double x[] = {3, 6, 11}, y[] = {2, 3, NAN};
    tc_series brief = {.marker = 2, .n = 3, .x = x, .y = y},
              full = {.marker = 2, .n = N, .x = iteration, .y = falling, .dashed = true};
    tc_text svg = {0};
    chart_of(&(tc_axis){.ticks = x, .n_ticks = 3}, &brief, &svg);
    assert_int_equal(count(&svg, "<polygon"), 2);
    assert_int_equal(count(&svg, ">11</text>"), 1);
    assert_int_equal(count(&svg, ">4</text>"), 0);
    tc_text_fini(&svg);
    fill_curve();
    chart_of(&(tc_axis){0}, &full, &svg);
    assert_in_range(count(&svg, "<polygon"), 3, 12);
    assert_int_equal(count(&svg, "<polygon"), count(&svg, "fill=\"#ffffff\" stroke=\"#0072b2\""));
    tc_text_fini(&svg);
}

/* Cells of a field: two rows of three, of which two neighbours have one shade and one is no number, which is blank. Its axes run from end to end, and
 * a dot in a corner is whole. */
static void test_fields(void **state)
{
    (void)state;
    tacit_error err = {0};
    tc_text svg = {0};
    const double shade[] = {0, 0.01, 1, NAN, 0.5, 0.98}, corner = 1, none = -1;
    const tc_field field = {3, 2, 0, 1, -1, 1, shade};
    const tc_series dot = {.mark = TC_MARK_DOTS, .n = 1, .x = &corner, .y = &none};
    const tc_panel panel = {.field = &field, .series = &dot, .n_series = 1};
    const tc_chart c = {.title = "t",
                        .panels = &panel,
                        .n_panels = 1,
                        .shade_label = "mean",
                        .shade_low = -0.2512164,
                        .shade_high = 2.39464};
    assert_ok(tc_chart_svg(&c, &svg, &err));
    assert_well_formed(tc_text_get(&svg));
    assert_numbers_only(tc_text_get(&svg));
    assert_int_equal(count(&svg, "<rect"), 1 + 1 + 50 + 2 + 2); /* page, clip, scale, field */
    assert_int_equal(count(&svg, "<circle"), 1);
    assert_int_equal(count(&svg, ">-0.251<"), 1);
    assert_int_equal(count(&svg, ">2.39<"), 1);
    assert_int_equal(count(&svg, ">0</text>"), 2); /* where each axis begins or passes */
    assert_int_equal(count(&svg, ">1</text>"), 2);
    tc_text_fini(&svg);
}

/* From one number to another, wherever the dot is between them; the axis reaches both. */
static void test_whiskers(void **state)
{
    (void)state;
    const double x[] = {0, 1}, y[] = {5, 6}, low[] = {1, 6}, high[] = {6, 20};
    const tc_series s = {
        .mark = TC_MARK_DOTS, .marker = 1, .n = 2, .x = x, .y = y, .low = low, .high = high};
    tc_text svg = {0};
    chart_of(&(tc_axis){0}, &s, &svg);
    assert_int_equal(count(&svg, "stroke-width=\"1.3\""), 6);
    assert_int_equal(count(&svg, ">20</text>"), 1);
    tc_text_fini(&svg);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_text_is_escaped),
        cmocka_unit_test(test_numbers_are_short),
        cmocka_unit_test(test_what_is_not_finite_is_left_out),
        cmocka_unit_test(test_ticks),
        cmocka_unit_test(test_whole_ticks),
        cmocka_unit_test(test_ranges),
        cmocka_unit_test(test_regret_chart),
        cmocka_unit_test(test_panels),
        cmocka_unit_test(test_long_names_stand),
        cmocka_unit_test(test_long_subtitles_have_two_lines),
        cmocka_unit_test(test_marks_and_ticks),
        cmocka_unit_test(test_fields),
        cmocka_unit_test(test_whiskers),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
