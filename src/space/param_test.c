/* param_test.c - one number: its levels, its place in the unit interval, and back. */
#include "space/param.h"

#include "base/random.h"
#include "support/test.h"

#include <stdio.h>
#include <stdlib.h>

static tc_stream stream(uint64_t step)
{
    tc_stream s;
    tc_public_seed seed = tc_public_seed_from(7);
    tc_stream_public(&s, &seed, TC_FOR_DESIGN, step);
    return s;
}

static double value_at(const tc_space *s, double u)
{
    double v;
    tc_space_decode(s, &u, &v);
    return v;
}

static double place_of(const tc_space *s, double v)
{
    double u;
    tc_space_encode(s, &v, &u);
    return u;
}

static tc_space *one_float(double low, double high, double step, bool log)
{
    tacit_error err = {0};
    tc_space *s = NULL;
    assert_ok(tc_space_new(&s, &err));
    assert_ok(tc_space_add_float(s, "x", low, high, step, log, &err));
    return s;
}

static tc_space *one_int(double low, double high, double step, bool log)
{
    tacit_error err = {0};
    tc_space *s = NULL;
    assert_ok(tc_space_new(&s, &err));
    assert_ok(tc_space_add_int(s, "x", low, high, step, log, &err));
    return s;
}

static void decimal_steps_have_decimal_levels(void **state)
{
    (void)state;
    tc_space *s = one_float(0, 0.3, 0.1, false);
    assert_int_equal(s->params[0].levels, 4);
    static const double levels[] = {0, 0.1, 0.2, 0.3};
    for (size_t k = 0; k < 4; k++) {
        assert_same_bits(value_at(s, (double)k / 3), levels[k]);
        assert_same_bits(place_of(s, levels[k]), (double)k / 3);
    }
    tc_space_free(s);
    for (int k = 0; k <= 1000; k++) { /* -5.00, -4.99, ...: what strtod makes of the text */
        char text[32];
        s = one_float(-5, 5, 0.01, false);
        assert_int_equal(s->params[0].levels, 1001);
        snprintf(text, sizeof text, "%d.%02d", abs(k - 500) / 100, abs(k - 500) % 100);
        double v = k < 500 ? -strtod(text, NULL) : strtod(text, NULL);
        assert_true(value_at(s, k / 1000.0) == v);
        tc_space_free(s);
    }
}

static void the_last_level_is_not_above_high(void **state)
{
    (void)state;
    tc_space *s = one_float(1, 2, 0.3, false);
    assert_int_equal(s->params[0].levels, 4);
    assert_same_bits(value_at(s, 1), 1.9);
    tc_space_free(s);
    s = one_float(0, 1, 3, false);
    assert_int_equal(s->params[0].levels, 1);
    assert_same_bits(value_at(s, 0.9), 0);
    assert_same_bits(place_of(s, 0), 0.5);
    tc_space_free(s);
    s = one_float(0.1, 0.1 + 10 * (1.0 / 3), 1.0 / 3, false); /* no decimal step */
    assert_int_equal(s->params[0].levels, 11);
    assert_true(value_at(s, 1) <= s->params[0].high);
    tc_space_free(s);
    s = one_int(10, 19, 4, false);
    assert_int_equal(s->params[0].levels, 3);
    assert_same_bits(value_at(s, 1), 18);
    tc_space_free(s);
    s = one_int(5, 5, 1, true);
    assert_int_equal(s->params[0].levels, 1);
    assert_same_bits(value_at(s, 0), 5);
    assert_same_bits(place_of(s, 5), 0.5);
    tc_space_free(s);
}

/* decode(encode(v)) == v for the first, the last and random levels. */
static void assert_levels_survive(tc_space *s, tc_stream *draw)
{
    const tc_param *p = &s->params[0];
    uint64_t m = p->levels;
    double last = -1;
    for (uint64_t n = 0; n < 400; n++) {
        uint64_t k = n < 100 ? n : n < 200 ? m - 1 - (n - 100) : tc_draw_below(draw, m);
        if (k >= m)
            continue;
        double v = p->low + (double)k * p->step, u = place_of(s, v);
        v = value_at(s, u);
        assert_true(fabs(v - (p->low + (double)k * p->step)) < 0.01 * p->step);
        assert_true(u >= 0 && u <= 1);
        assert_same_bits(value_at(s, place_of(s, v)), v);
        if (n < 100 && n > 0)
            assert_true(u > last); /* neighbours stay apart */
        last = u;
    }
    tc_space_free(s);
}

static void every_level_survives_the_cube(void **state)
{
    (void)state;
    tc_stream draw = stream(1);
    for (int log = 0; log < 2; log++) {
        assert_levels_survive(one_int(1, 2, 1, log), &draw);
        assert_levels_survive(one_int(1, 1000, 1, log), &draw);
        assert_levels_survive(one_int(3, 1e6, 7, log), &draw);
        assert_levels_survive(one_int(1, 999999999999, 1, log), &draw);
        assert_levels_survive(one_int(9007199254740000, 9007199254740992, 1, log), &draw);
        assert_levels_survive(one_float(0.1, 100, 0.1, log), &draw);
        assert_levels_survive(one_float(1e-3, 7, 1.0 / 3, log), &draw);
        assert_levels_survive(one_float(1e-9, 1, 1e-9, log), &draw);
        assert_levels_survive(one_float(1e-12, 1, 1e-12, log), &draw);
    }
    assert_levels_survive(one_int(-9007199254740992, -9007199254740000, 1, false), &draw);
    assert_levels_survive(one_float(-1, 1, 0.25, false), &draw);
    assert_levels_survive(one_float(-1e300, 1e300, 1e290, false), &draw);
}

/* Against the slow rule: of all levels, the one whose place is nearest. */
static void rounding_takes_the_nearest_level(void **state)
{
    (void)state;
    tc_stream draw = stream(2);
    tc_space *spaces[] = {one_int(1, 40, 1, false), one_int(1, 40, 1, true),
                          one_int(2, 500, 7, true), one_float(0.5, 9, 0.25, true)};
    for (size_t i = 0; i < 4; i++) {
        tc_space *s = spaces[i];
        for (int n = 0; n < 2000; n++) {
            double u = tc_draw_uniform(&draw), best = INFINITY, rounded = u;
            for (size_t k = 0; k < s->params[0].levels; k++)
                best = fmin(
                    best, fabs(place_of(s, s->params[0].low + (double)k * s->params[0].step) - u));
            tc_space_round(s, &rounded);
            assert_close(fabs(rounded - u), best, 1e-15);
            assert_same_bits(rounded, place_of(s, value_at(s, u)));
        }
        tc_space_free(s);
    }
}

static void continuous_floats_come_back_close(void **state)
{
    (void)state;
    tc_stream draw = stream(3);
    static const double bounds[][3] = {{0, 1, 0},          {-3, 1e9, 0},     {1e-5, 1, 1},
                                       {1e-100, 1e100, 1}, {1, 1 + 1e-9, 1}, {-1e-300, 1e-300, 0}};
    for (size_t i = 0; i < sizeof bounds / sizeof *bounds; i++) {
        double low = bounds[i][0], high = bounds[i][1];
        tc_space *s = one_float(low, high, 0, bounds[i][2] != 0);
        assert_same_bits(value_at(s, 0), low);
        assert_same_bits(value_at(s, 1), high);
        assert_same_bits(place_of(s, low), 0);
        assert_same_bits(place_of(s, high), 1);
        assert_same_bits(value_at(s, -5), low);
        assert_same_bits(value_at(s, 1e300), high);
        for (int n = 0; n < 500; n++) {
            double u = tc_draw_uniform(&draw), v = value_at(s, u);
            assert_true(v >= low && v <= high);
            /* linear: an error of the range; log: of the value */
            double scale = bounds[i][2] != 0 ? v : fmax(fabs(low), fabs(high));
            assert_close(value_at(s, place_of(s, v)), v, 2e-13 * scale);
        }
        tc_space_free(s);
    }
    tc_space *s = one_float(1e-4, 1, 0, true);
    assert_close(value_at(s, 0.5), 1e-2, 1e-16);
    assert_close(place_of(s, 1e-1), 0.75, 1e-15);
    tc_space_free(s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(decimal_steps_have_decimal_levels),
        cmocka_unit_test(the_last_level_is_not_above_high),
        cmocka_unit_test(every_level_survives_the_cube),
        cmocka_unit_test(rounding_takes_the_nearest_level),
        cmocka_unit_test(continuous_floats_come_back_close),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
