/* pareto_test.c - fronts and volumes: known ones, and by counting cells of a grid on which all points lie. */
#include "support/test.h"

#include "base/random.h"
#include "num/boxes.h"
#include "num/pareto.h"

enum { SIDE = 6, MOST = 40 };

static double volume_of(size_t n, size_t k, const double *Y, const double *reference)
{
    tacit_error err = {0};
    double out = -1;
    assert_ok(tc_hypervolume(n, k, Y, reference, &out, &err));
    return out;
}

static void test_a_front_is_what_nothing_dominates(void **state)
{
    (void)state;
    const double Y[] = {1, 3, 2, 2, 3, 1, 1, 2, 2, 2, 0, 3, 3, 1};
    size_t front[7];
    assert_int_equal(tc_pareto_front(7, 2, Y, front), 5); /* equal ones are all in it */
    const size_t expected[] = {0, 1, 2, 4, 6};
    assert_memory_equal(front, expected, sizeof expected);
    assert_int_equal(tc_pareto_front(0, 2, Y, front), 0);
    const double line[] = {1, 4, 2, 4};
    assert_int_equal(tc_pareto_front(4, 1, line, front), 2); /* one objective: the largest */
    assert_int_equal(front[0], 1);
    assert_true(tc_dominates(2, (double[]){1, 2}, (double[]){1, 1}));
    assert_false(tc_dominates(2, (double[]){1, 2}, (double[]){1, 2}));
    assert_false(tc_dominates(2, (double[]){1, NAN}, (double[]){1, 2}));
}

static void test_known_volumes(void **state)
{
    (void)state;
    tacit_error err = {0};
    double none;
    assert_fails(tc_hypervolume(1, 2, (double[]){1e300, 1e300}, (double[]){0, 0}, &none, &err),
                 TACIT_E_STATE, "the volume above the reference point is too large for a number");
    const double zero[4] = {0};
    const double two[] = {1, 3, 2, 2, 3, 1}; /* a staircase of 3 + 2 + 1 */
    assert_close(volume_of(3, 2, two, zero), 6, 1e-14);
    const double three[] = {1, 2, 3, 3, 1,
                            2, 2, 3, 1}; /* 3 boxes of 6; pairs share 2, 2, 2; all share 1 */
    assert_close(volume_of(3, 3, three, zero), 18 - 6 + 1, 1e-13);
    const double four[] = {2, 1, 1, 1, 1, 2, 1, 1, 1, 1, 2, 1, 1, 1, 1, 2};
    assert_close(volume_of(4, 4, four, zero), 5, 1e-13);
    assert_close(volume_of(0, 3, NULL, zero), 0, 0);
    const double outside[] = {-1, 5, 0,
                              9,  2, 2}; /* the first two have nothing above the reference */
    assert_close(volume_of(3, 2, outside, zero), 4, 1e-14);
}

static bool inside(size_t k, const double *low, const double *high, const double *x)
{
    for (size_t j = 0; j < k; j++)
        if (x[j] < low[j] || x[j] > high[j])
            return false;
    return true;
}

static bool under_one(size_t n, size_t k, const double *Y, const double *x)
{
    for (size_t i = 0; i < n; i++)
        if (tc_dominates(k, Y + i * k, x))
            return true;
    return false;
}

/* The middle of every cell of the grid, and one more beyond it in each direction, lies in one box of its own region and in
 * none of the other. */
static void check_cells(size_t n, size_t k, const double *Y, const double *reference)
{
    tacit_error err = {0};
    tc_boxes under = {0}, open = {0};
    assert_ok(tc_boxes_dominated(&under, n, k, Y, reference, &err));
    assert_ok(tc_boxes_open(&open, n, k, Y, reference, &err));
    size_t cells = 1, dominated = 0;
    for (size_t j = 0; j < k; j++)
        cells *= SIDE + 1;
    for (size_t c = 0; c < cells; c++) {
        double x[4];
        size_t rest = c, in_under = 0, in_open = 0;
        for (size_t j = 0; j < k; j++, rest /= SIDE + 1)
            x[j] = (double)(rest % (SIDE + 1)) + 0.5;
        for (size_t i = 0; i < under.n; i++)
            in_under += inside(k, under.low + i * k, under.high + i * k, x);
        for (size_t i = 0; i < open.n; i++)
            in_open += inside(k, open.low + i * k, open.high + i * k, x);
        const bool is_under = under_one(n, k, Y, x);
        assert_int_equal(in_under, is_under);
        assert_int_equal(in_open, !is_under);
        dominated += is_under;
    }
    assert_close(volume_of(n, k, Y, reference), (double)dominated, 1e-9);
    tc_boxes_fini(&under);
    tc_boxes_fini(&open);
}

/* On a coarse grid almost every point shares coordinates with others, and some are equal. */
static void test_boxes_cover_each_region_once(void **state)
{
    (void)state;
    const tc_public_seed seed = tc_public_seed_from(3);
    const double reference[4] = {0};
    for (uint64_t round = 0; round < 200; round++) {
        const size_t k = 2 + round % 3, n = (size_t)(round * 7 % MOST);
        double Y[MOST * 4];
        tc_stream s;
        tc_stream_public(&s, &seed, TC_FOR_DESIGN, round);
        for (size_t i = 0; i < n * k; i++)
            Y[i] = floor(tc_draw_uniform(&s) * (SIDE + 1)); /* 0 to SIDE: also on the reference */
        check_cells(n, k, Y, reference);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_a_front_is_what_nothing_dominates),
        cmocka_unit_test(test_known_volumes),
        cmocka_unit_test(test_boxes_cover_each_region_once),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
