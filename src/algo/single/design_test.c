/* design_test.c - uniform and Sobol' points: representable values, fair shares, nothing twice. */
#include "support/test.h"

#include "algo/history.h"
#include "algo/single/design.h"
#include "space/partition.h"

enum { DRAWS = 4000 };

typedef struct fixture {
    tc_space *space;
    tc_history history;
    tc_env env;
} fixture;

static int setup(void **state)
{
    static fixture f;
    tacit_error err = {0};
    memset(&f, 0, sizeof f);
    assert_ok(tc_space_new(&f.space, &err));
    assert_ok(tc_space_add_float(f.space, "drop", 0.1, 1, 0.1, false, &err));
    assert_ok(tc_space_add_int(f.space, "units", 1, 64, 1, true, &err));
    assert_ok(tc_space_add_choice(f.space, "kind", 3, (const char *[]){"a", "b", "c"}, &err));
    assert_ok(tc_history_init(&f.history, f.space, &err));
    f.env = (tc_env){.space = f.space, .history = &f.history};
    *state = &f;
    return 0;
}

static int teardown(void **state)
{
    fixture *f = *state;
    tc_history_fini(&f->history);
    tc_space_free(f->space);
    return 0;
}

/* Levels are decimal: 0.3, never 0.30000000000000004, as everywhere else in a study. */
static void test_values_are_those_of_the_space(void **state)
{
    fixture *f = *state;
    tacit_error err = {0};
    tc_design d;
    tc_design_init(&d, &f->env);
    size_t count[10] = {0};
    for (uint64_t i = 0; i < DRAWS; i++) {
        double v[3], u[8], again[3];
        if (i % 2)
            tc_design_uniform(&f->env, i, v);
        else
            tc_design_point(&d, i, v);
        assert_ok(tc_space_check(f->space, v, &err));
        tc_space_encode(f->space, v, u);
        tc_space_decode(f->space, u, again);
        for (size_t p = 0; p < 3; p++)
            assert_same_bits(v[p], again[p]);
        count[(size_t)nearbyint(v[0] * 10) - 1]++;
    }
    for (size_t k = 0; k < 10; k++) /* ten equal shares; five standard deviations */
        assert_true(fabs((double)count[k] - DRAWS / 10.0) < 5 * sqrt(DRAWS * 0.09));
}

static void test_points_follow_from_the_number(void **state)
{
    fixture *f = *state;
    double a[3], b[3];
    tc_design_uniform(&f->env, 17, a);
    tc_design_uniform(&f->env, 17, b);
    assert_memory_equal(a, b, sizeof a);
    tc_design_uniform(&f->env, 18, b);
    assert_memory_not_equal(a, b, sizeof a);
}

static void test_a_point_that_is_out_is_passed_over(void **state)
{
    fixture *f = *state;
    tacit_error err = {0};
    double a[3], b[3];
    tc_design_uniform(&f->env, 17, a);
    assert_ok(tc_history_reserve(&f->history, &err));
    tc_history_take(&f->history, f->space, a);
    tc_design_uniform(&f->env, 17, b);
    assert_memory_not_equal(a, b, sizeof a);
}

/* All points of a party lie in one region, those of many parties in all of them. */
static void test_a_party_keeps_to_its_region(void **state)
{
    fixture *f = *state;
    size_t parties[4] = {0};
    for (uint64_t seed = 0; seed < 40; seed++) {
        double v[3], u[8];
        size_t home = 0;
        f->env.party_seed = tc_party_seed_from(seed);
        for (uint64_t i = 0; i < 20; i++) {
            tc_design_region(&f->env, 4, i, v);
            tc_space_encode(f->space, v, u);
            size_t at = tc_region_of(u, 4, f->space->dim);
            if (i == 0)
                home = at;
            assert_int_equal(at, home);
        }
        parties[home]++;
    }
    for (size_t k = 0; k < 4; k++)
        assert_true(parties[k] > 0);
}

/* Two axes of a Sobol' sequence are a net: its first 64 points have one in each of 4 x 16 boxes, and
 * its first 4 have one in each line. A sequence over the numbers of the candidates would not tell lines apart. */
static void test_a_grid_is_filled_along_its_axes(void **state)
{
    (void)state;
    tacit_error err = {0};
    const size_t axes[] = {4, 16};
    const double low[] = {-1, 0}, high[] = {1, 5};
    tc_domain *grid;
    tc_space *space;
    tc_history history;
    assert_ok(tc_domain_grid(&grid, 2, axes, low, high, &err));
    assert_ok(tc_space_from_domain(&space, grid, &err));
    assert_ok(tc_history_init(&history, space, &err));
    tc_env env = {.space = space, .history = &history};
    size_t count[64] = {0}, line[4] = {0};
    double v;
    tc_design d;
    tc_design_init(&d, &env);
    for (uint64_t i = 0; i < 64; i++) {
        tc_design_point(&d, i, &v);
        count[(size_t)v]++;
        line[(size_t)v / 16] += i < 4;
    }
    for (size_t k = 0; k < 64; k++)
        assert_int_equal(count[k], 1);
    for (size_t k = 0; k < 4; k++)
        assert_int_equal(line[k], 1);
    tc_history_fini(&history);
    tc_space_free(space);
}

/* As many asks as candidates are all of them, whatever the grid: one at a time, each told before the next. */
static void test_a_grid_is_asked_once(void **state)
{
    (void)state;
    static const size_t grids[][4] = {{4, 4, 4, 4}, {10, 10, 10, 1}, {7, 1, 3, 1}};
    for (size_t g = 0; g < 3; g++) {
        tacit_error err = {0};
        const double low[4] = {0}, high[] = {1, 1, 1, 1};
        unsigned char asked[1000] = {0};
        tc_domain *grid;
        tc_space *space;
        tc_history history;
        assert_ok(tc_domain_grid(&grid, 4, grids[g], low, high, &err));
        const size_t n = grid->n;
        assert_ok(tc_space_from_domain(&space, grid, &err));
        assert_ok(tc_history_init(&history, space, &err));
        tc_env env = {.space = space, .history = &history};
        tc_design d;
        tc_design_init(&d, &env);
        for (uint64_t i = 0; i < n; i++) {
            double v;
            tc_design_point(&d, i, &v);
            assert_int_equal(asked[(size_t)v]++, 0);
            assert_ok(tc_history_reserve(&history, &err));
            tc_history_observe(&history, space, &v, 1);
        }
        tc_history_fini(&history);
        tc_space_free(space);
    }
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)
    const struct CMUnitTest tests[] = {
        TEST(test_values_are_those_of_the_space),
        TEST(test_points_follow_from_the_number),
        TEST(test_a_point_that_is_out_is_passed_over),
        TEST(test_a_party_keeps_to_its_region),
        cmocka_unit_test(test_a_grid_is_filled_along_its_axes),
        cmocka_unit_test(test_a_grid_is_asked_once),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
