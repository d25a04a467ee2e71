/* projection_test.c - public directions: orthonormal, and no row moves by more than is said. */
#include "support/test.h"

#include "algo/outsourced/projection.h"
#include "base/random.h"

enum { DIMS = 12, RANK = 4, PAIRS = 20000 };

static void make_box(double *low, double *high)
{
    for (size_t d = 0; d < DIMS; d++) {
        low[d] = -10.0 - (double)d;
        high[d] = 5.0 + 3 * (double)d;
    }
}

static void test_directions_are_orthonormal(void **state)
{
    (void)state;
    tacit_error err = {0};
    double low[DIMS], high[DIMS];
    tc_projection p;
    make_box(low, high);
    assert_ok(tc_projection_init(&p, DIMS, RANK, 7, low, high, 1, &err));
    for (size_t i = 0; i < RANK; i++)
        for (size_t j = 0; j < RANK; j++) {
            double sum = 0;
            for (size_t d = 0; d < DIMS; d++)
                sum += p.P[d + i * DIMS] * p.P[d + j * DIMS];
            assert_close(sum, i == j, 1e-14);
        }
    assert_true(p.radius >= 1);
    assert_close(p.radius, 1, 1e-9); /* the price of rounding is nothing */
    tc_projection_fini(&p);
}

/* Many pairs at distance 1, half of them along a direction, where nothing is lost. */
static void test_no_row_moves_by_more(void **state)
{
    (void)state;
    tacit_error err = {0};
    double low[DIMS], high[DIMS], x[DIMS], y[DIMS], a[RANK], b[RANK], step[DIMS], farthest = 0;
    tc_public_seed seed = tc_public_seed_from(2);
    tc_stream s;
    tc_projection p;
    make_box(low, high);
    tc_stream_public(&s, &seed, TC_FOR_OBJECTIVE, 0);
    assert_ok(tc_projection_init(&p, DIMS, RANK, 7, low, high, 1, &err));
    for (int n = 0; n < PAIRS; n++) {
        double norm = 0, moved = 0;
        for (size_t d = 0; d < DIMS; d++) {
            step[d] = n % 2 ? p.P[d + (size_t)n / 2 % RANK * DIMS] : tc_draw_normal(&s);
            norm += step[d] * step[d];
        }
        for (size_t d = 0; d < DIMS; d++) {
            x[d] = low[d] + (high[d] - low[d]) * tc_draw_uniform(&s);
            y[d] = x[d] + step[d] / sqrt(norm);
        }
        tc_projection_apply(&p, x, a);
        tc_projection_apply(&p, y, b);
        for (size_t k = 0; k < RANK; k++) {
            moved += (a[k] - b[k]) * (a[k] - b[k]);
            assert_true(a[k] >= p.out_low[k] && a[k] <= p.out_high[k]);
        }
        farthest = fmax(farthest, sqrt(moved));
    }
    assert_true(farthest <= p.radius);
    assert_true(farthest > 0.999); /* the bound is met */
    tc_projection_fini(&p);
}

static void test_rows_are_clamped_first(void **state)
{
    (void)state;
    tacit_error err = {0};
    double low[DIMS], high[DIMS], far[DIMS], odd[DIMS], middle[DIMS], a[RANK], b[RANK];
    tc_projection p;
    make_box(low, high);
    assert_ok(tc_projection_init(&p, DIMS, RANK, 7, low, high, 1, &err));
    for (size_t d = 0; d < DIMS; d++) {
        far[d] = 1e300;
        odd[d] = d % 2 ? NAN : INFINITY;
        middle[d] = low[d] + (high[d] - low[d]) / 2;
    }
    tc_projection_apply(&p, far, a);
    tc_projection_apply(&p, high, b);
    assert_memory_equal(a, b, sizeof a);
    tc_projection_apply(&p, odd, a);
    tc_projection_apply(&p, middle, b);
    assert_memory_equal(a, b, sizeof a);
    tc_projection_fini(&p);
}

static void test_refusals(void **state)
{
    (void)state;
    tacit_error err = {0};
    double low[DIMS], high[DIMS];
    tc_projection p;
    make_box(low, high);
    assert_fails(tc_projection_init(&p, DIMS, DIMS, 7, low, high, 1, &err), TACIT_E_ARG,
                 "a projection of 12 columns must have 1 to 11 directions, got 12");
    tc_projection_fini(&p);
    assert_fails(tc_projection_init(&p, 1, 1, 7, low, high, 1, &err), TACIT_E_ARG, "got 1");
    tc_projection_fini(&p);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_directions_are_orthonormal),
        cmocka_unit_test(test_no_row_moves_by_more),
        cmocka_unit_test(test_rows_are_clamped_first),
        cmocka_unit_test(test_refusals),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
