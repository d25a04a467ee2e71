/* walk_test.c - walks inside linear constraints: uniform, also where steps and log scales are; from end to end of what is thin. */
#include "algo/single/walk.h"

#include "algo/single/cover.h"
#include "algo/single/design.h"
#include "base/memory.h"
#include "support/test.h"

#include <stdio.h>

static tc_space *space_of(const char *text, const char *first, const char *second)
{
    tacit_error err = {0};
    tc_space *s = NULL;
    assert_ok(tacit_space_from_json(&s, text, &err));
    assert_ok(tc_space_add_linear(s, first, &err));
    if (second)
        assert_ok(tc_space_add_linear(s, second, &err));
    return s;
}

static tc_stream stream_of(uint64_t seed)
{
    tc_stream r;
    tc_public_seed from = tc_public_seed_from(seed);
    tc_stream_public(&r, &from, TC_FOR_DESIGN, 0);
    return r;
}

/* Means and mean squares of u over N points of one walk, beside those of N points that were drawn in the cube and satisfied
 * the constraints. Neighbours on a walk depend on each other, so the tolerance is that of a tenth as many. */
static void compare_with_rejection(const tc_space *s)
{
    enum { N = 20000 };
    tc_stream r = stream_of(5), other = stream_of(6);
    tc_walk w;
    double values[16], u[16], t[16], walked[32] = {0}, drawn[32] = {0};
    tc_walk_init(&w, s, &r);
    for (int i = 0; i < N; i++) {
        tc_walk_next(&w, values);
        assert_true(tc_linear_holds(s, values));
        tc_space_encode(s, values, u);
        for (size_t d = 0; d < s->dim; d++) {
            walked[d] += u[d] / N;
            walked[16 + d] += u[d] * u[d] / N;
        }
    }
    for (int i = 0; i < N; i++) {
        do {
            for (size_t p = 0; p < s->n_params; p++)
                t[p] = tc_draw_uniform(&other);
            tc_design_box(s, t, values);
        } while (!tc_linear_holds(s, values));
        tc_space_encode(s, values, u);
        for (size_t d = 0; d < s->dim; d++) {
            drawn[d] += u[d] / N;
            drawn[16 + d] += u[d] * u[d] / N;
        }
    }
    for (size_t d = 0; d < 32; d++)
        assert_close(walked[d], drawn[d], 4 * 0.5 / sqrt(N / 10));
}

static void walks_are_uniform(void **state)
{
    (void)state;
    tc_space *s = space_of("{\"a\": {\"type\": \"float\", \"low\": 0, \"high\": 1},"
                           "\"b\": {\"type\": \"float\", \"low\": 0, \"high\": 1},"
                           "\"c\": {\"type\": \"float\", \"low\": 0, \"high\": 1}}",
                           "a + b + c <= 1", "a >= b - 0.1");
    compare_with_rejection(s);
    tc_space_free(s);
}

static void walks_are_uniform_over_steps_and_scales(void **state)
{
    (void)state;
    tc_space *s =
        space_of("{\"lr\": {\"type\": \"float\", \"low\": 1e-3, \"high\": 1, \"log\": true},"
                 "\"n\": {\"type\": \"int\", \"low\": 1, \"high\": 9},"
                 "\"flag\": {\"type\": \"bool\"},"
                 "\"kind\": {\"type\": \"choice\", \"choices\": [\"a\", \"b\", \"c\"]},"
                 "\"x\": {\"type\": \"float\", \"low\": -1, \"high\": 1}}",
                 "10*lr + n <= 8", "x + flag >= 0.25");
    compare_with_rejection(s);
    tc_space_free(s);
}

/* A slab along a diagonal: its corners are reached, though it is a thousandth thick. */
static void walks_cross_what_is_thin(void **state)
{
    (void)state;
    tc_space *s = space_of("{\"a\": {\"type\": \"float\", \"low\": 0, \"high\": 1},"
                           "\"b\": {\"type\": \"float\", \"low\": 0, \"high\": 1},"
                           "\"c\": {\"type\": \"float\", \"low\": 0, \"high\": 1}}",
                           "a + b + c <= 1", "a + b + c >= 0.999");
    tc_stream r = stream_of(7);
    tc_walk w;
    double values[3], most[3] = {0}, mean[3] = {0};
    tc_walk_init(&w, s, &r);
    for (int i = 0; i < 1000; i++) {
        tc_walk_next(&w, values);
        for (int d = 0; d < 3; d++) {
            most[d] = fmax(most[d], values[d]);
            mean[d] += values[d] / 1000;
        }
    }
    for (int d = 0; d < 3; d++) {
        assert_true(most[d] > 0.9);
        assert_close(mean[d], 1.0 / 3, 0.08);
    }
    tc_space_free(s);
}

/* What one walk gives, and what another that starts with the same stream does. */
static void walks_repeat(void **state)
{
    (void)state;
    tc_space *s = space_of("{\"a\": {\"type\": \"float\", \"low\": 0, \"high\": 1},"
                           "\"b\": {\"type\": \"int\", \"low\": 0, \"high\": 9}}",
                           "9*a + b <= 4", NULL);
    tc_stream r = stream_of(8), same = r;
    tc_walk first, second;
    double one[2], two[2];
    tc_walk_init(&first, s, &r);
    tc_walk_init(&second, s, &same);
    for (int i = 0; i < 50; i++) {
        tc_walk_next(&first, one);
        tc_walk_next(&second, two);
        assert_memory_equal(one, two, sizeof one);
    }
    assert_memory_equal(&r, &same, sizeof r);
    tc_space_free(s);
}

/* ---- covers: the points of the sequence that satisfy the constraints, in its order, as long as there are enough */

static void covers_are_the_sequence(void **state)
{
    (void)state;
    tc_space *s = space_of("{\"a\": {\"type\": \"float\", \"low\": 0, \"high\": 1},"
                           "\"b\": {\"type\": \"float\", \"low\": 0, \"high\": 1}}",
                           "a + b <= 1", NULL);
    tc_stream r = stream_of(9);
    tc_cover c;
    tc_sobol sobol;
    double values[2], expected[2];
    tc_cover_init(&c, s, &r);
    tc_sobol_init(&sobol, 2, &r);
    uint64_t next = 0;
    for (int i = 0; i < 200; i++) {
        tc_cover_next(&c, values);
        do
            tc_sobol_point(&sobol, next++, expected);
        while (expected[0] + expected[1] > 1);
        assert_memory_equal(values, expected, sizeof values);
    }
    tc_space_free(s);
}

/* Points of designs are those as well, also when they are asked for alone; where the sequence has too few, they walk. */
static void designs_are_the_sequence(void **state)
{
    tacit_error err = {0};
    (void)state;
    tc_space *s = space_of("{\"a\": {\"type\": \"float\", \"low\": 0, \"high\": 1},"
                           "\"b\": {\"type\": \"float\", \"low\": 0, \"high\": 1}}",
                           "a + b <= 1", NULL);
    double row[2], values[2], expected[2];
    tc_history h = {.dim = 2, .row = row};
    tc_env env = {.space = s,
                  .history = &h,
                  .public_seed = tc_public_seed_from(1),
                  .party_seed = tc_party_seed_from(1)};
    tc_stream r;
    tc_stream_public(&r, &env.public_seed, TC_FOR_DESIGN, 0);
    tc_cover c;
    tc_cover_init(&c, s, &r);
    tc_design d;
    tc_design_init(&d, &env);
    for (uint64_t i = 0; i < 100; i++) {
        tc_cover_next(&c, expected);
        tc_design_point(&d, i, values);
        assert_memory_equal(values, expected, sizeof values);
    }
    tc_design_point(&d, UINT64_C(1) << 40, values);
    assert_ok(tc_space_check(s, values, &err));
    assert_ok(tc_space_add_linear(s, "a + b >= 0.9999", &err));
    double lowest = 1, highest = 0;
    for (uint64_t i = 0; i < 100; i++) {
        tc_design_point(&d, i, values);
        assert_ok(tc_space_check(s, values, &err));
        lowest = fmin(lowest, values[0]);
        highest = fmax(highest, values[0]);
        tc_design_region(&env, 4, i, values);
        assert_ok(tc_space_check(s, values, &err));
    }
    assert_true(lowest < 0.1 && highest > 0.9);
    tc_space_free(s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(walks_are_uniform),
        cmocka_unit_test(walks_are_uniform_over_steps_and_scales),
        cmocka_unit_test(walks_cross_what_is_thin),
        cmocka_unit_test(walks_repeat),
        cmocka_unit_test(covers_are_the_sequence),
        cmocka_unit_test(designs_are_the_sequence),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
