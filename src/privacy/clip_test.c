/* clip_test.c - norms never grow, not by one step; vectors keep their direction. */
#include "support/test.h"
#include "base/random.h"
#include "privacy/mechanism_int.h"

static tc_wide square_of(const int64_t *v, size_t n)
{
    tc_wide sum = 0;
    for (size_t i = 0; i < n; i++) {
        uint64_t m = v[i] < 0 ? 0 - (uint64_t)v[i] : (uint64_t)v[i];
        sum += (tc_wide)m * m;
    }
    return sum;
}

static tc_stream draws(void)
{
    tc_public_seed seed = tc_public_seed_from(3);
    tc_stream s;
    tc_stream_public(&s, &seed, TC_FOR_DESIGN, 0);
    return s;
}

static void roots_are_rounded_up(void **state)
{
    (void)state;
    tc_stream s = draws();
    assert_true(tc_root_up(0) == 0 && tc_root_up(1) == 1 && tc_root_up(2) == 2);
    assert_true(tc_root_up(~(tc_wide)0) == UINT64_MAX);
    for (int i = 0; i < 2000; i++) { /* first the largest: doubles are coarse there */
        uint64_t root = i < 100 ? UINT64_MAX - (uint64_t)(i * i)
                                : (tc_draw_u64(&s) >> (i % 60)) | 2; /* 64 to 4 bits */
        tc_wide square = (tc_wide)root * root;
        assert_true(tc_root_up(square) == root);
        assert_true(tc_root_up(square - 1) == root);
        if (root < UINT64_MAX)
            assert_true(tc_root_up(square + 1) == root + 1);
    }
}

static void a_clipped_norm_is_within(void **state)
{
    (void)state;
    tc_stream s = draws();
    for (int round = 0; round < 3000; round++) {
        int64_t v[20];
        size_t n = 1 + (size_t)tc_draw_below(&s, 20);
        unsigned small = (unsigned)tc_draw_below(&s, 62);
        uint64_t clip = 1 + (tc_draw_u64(&s) >> (24 + tc_draw_below(&s, 39)));
        for (size_t i = 0; i < n; i++)
            v[i] = (int64_t)tc_draw_u64(&s) >> small;
        tc_clip_l2(v, n, clip);
        assert_true(square_of(v, n) <= (tc_wide)clip * clip);
    }
}

static void assert_verdict(const int64_t *v, size_t n, uint64_t clip)
{
    bool within = square_of(v, n) <= (tc_wide)clip * clip;
    assert_int_equal(tc_clip_within(v, n, clip), within);
}

/* Norms next to the clip norm, and coordinates whose squares would wrap around. */
static void the_quick_check_is_exact(void **state)
{
    (void)state;
    enum { LONG = 6000 };
    tc_stream s = draws();
    static const int64_t hostile[] = {INT64_MIN,           INT64_MAX,   INT64_C(1) << 32,
                                      -(INT64_C(1) << 32), TC_CLIP_MAX, -(INT64_C(1) << 27)};
    int64_t v[LONG];
    for (int round = 0; round < 2000; round++) {
        size_t n = 1 + (size_t)tc_draw_below(&s, round % 50 == 0 ? LONG : 40);
        unsigned small = 37 + (unsigned)tc_draw_below(&s, 27);
        for (size_t i = 0; i < n; i++)
            v[i] = (int64_t)tc_draw_u64(&s) >> small;
        uint64_t norm = tc_root_up(square_of(v, n));
        for (uint64_t clip = norm > 0 ? norm - 1 : 0; clip <= norm + 1; clip++)
            if (clip <= TC_SUM_CLIP_MAX)
                assert_verdict(v, n, clip);
        assert_verdict(v, n, TC_SUM_CLIP_MAX);
        v[tc_draw_below(&s, n)] = hostile[round % 6];
        assert_false(tc_clip_within(v, n, TC_SUM_CLIP_MAX));
    }
    for (size_t i = 0; i < LONG; i++) /* 2^64 after 4096 squares */
        v[i] = i < 4096 ? (int64_t)TC_SUM_CLIP_MAX : 0;
    assert_false(tc_clip_within(v, LONG, TC_SUM_CLIP_MAX));
    assert_true(tc_clip_within(v, 1, TC_SUM_CLIP_MAX));
    assert_false(tc_clip_within(v, 1, TC_SUM_CLIP_MAX - 1));
}

static void a_short_vector_is_left_alone(void **state)
{
    (void)state;
    int64_t v[3] = {3, -4, 0}, zero[2] = {0, 0};
    tc_clip_l2(v, 3, 5);
    assert_true(v[0] == 3 && v[1] == -4 && v[2] == 0);
    tc_clip_l2(zero, 2, 1);
    assert_true(zero[0] == 0 && zero[1] == 0);
}

static void a_long_vector_keeps_its_direction(void **state)
{
    (void)state;
    int64_t v[3] = {3000000, -4000000, 12000000}; /* norm 13 million */
    tc_clip_l2(v, 3, 1300000);
    assert_true(v[0] == 300000 && v[1] == -400000 && v[2] == 1200000);
    int64_t one[1] = {-977};
    tc_clip_l2(one, 1, 5);
    assert_true(one[0] == -5);
}

static void huge_values_are_clipped_like_others(void **state)
{
    (void)state;
    int64_t v[4] = {INT64_MIN, INT64_MAX, INT64_MIN, 0};
    tc_clip_l2(v, 4, TC_CLIP_MAX);
    assert_true(square_of(v, 4) <= (tc_wide)TC_CLIP_MAX * TC_CLIP_MAX);
    double expected = (double)TC_CLIP_MAX / sqrt(3);
    assert_close((double)v[0], -expected, 2);
    assert_close((double)v[1], expected, 2);
    assert_true(v[3] == 0);
}

static void reals_are_truncated_toward_zero(void **state)
{
    (void)state;
    assert_true(tc_grid_truncate(1.99, 0) == 1 && tc_grid_truncate(-1.99, 0) == -1);
    assert_true(tc_grid_truncate(0.75, 2) == 3 && tc_grid_truncate(-0.99, 1) == -1);
    assert_true(tc_grid_truncate(1000, -3) == 125 && tc_grid_truncate(7.9, -3) == 0);
    assert_true(tc_grid_truncate(NAN, 5) == 0 && tc_grid_truncate(-INFINITY, 5) == 0);
    assert_true(tc_grid_truncate(1e300, 100) == INT64_C(1) << 62);
    assert_true(tc_grid_truncate(-1e300, 900) == -(INT64_C(1) << 62));
}

/* Many at once are the same as one by one: on all grids, for numbers of all kinds. */
static void many_are_truncated_as_one_by_one(void **state)
{
    (void)state;
    enum { COUNT = 11 };
    const double x[COUNT] = {0,
                             -0.0,
                             1.999,
                             -1.999,
                             3e-310,
                             -1e300,
                             NAN,
                             INFINITY,
                             -INFINITY,
                             1e18,
                             -0x1.fffffffffffffp61};
    for (int grid = -1200; grid <= 1200; grid++) {
        int64_t steps[COUNT];
        tc_grid_truncate_many(x, COUNT, grid, steps);
        for (size_t i = 0; i < COUNT; i++)
            assert_true(steps[i] == tc_grid_truncate(x[i], grid));
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(roots_are_rounded_up),
        cmocka_unit_test(a_clipped_norm_is_within),
        cmocka_unit_test(the_quick_check_is_exact),
        cmocka_unit_test(a_short_vector_is_left_alone),
        cmocka_unit_test(a_long_vector_keeps_its_direction),
        cmocka_unit_test(huge_values_are_clipped_like_others),
        cmocka_unit_test(reals_are_truncated_toward_zero),
        cmocka_unit_test(many_are_truncated_as_one_by_one),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
