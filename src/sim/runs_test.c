/* runs_test.c - seeds, moments and failures of the runs of a simulation. */
#include "support/test.h"

#include "base/error.h"
#include "sim/runs.h"

static bool same(const tc_public_seed *a, const tc_public_seed *b)
{
    return memcmp(a, b, sizeof *a) == 0;
}

/* What an algorithm draws from the study's seed must not be what its objective is made of. */
static void test_seeds_are_all_different(void **state)
{
    (void)state;
    enum { RUNS = 50 };
    tc_run_seeds s[RUNS];
    for (uint64_t r = 0; r < RUNS; r++)
        s[r] = tc_run_seeds_of(7, r);
    for (size_t a = 0; a < RUNS; a++) {
        assert_true(s[a].study < UINT64_C(1) << 53);
        for (size_t b = 0; b < RUNS; b++) {
            tc_public_seed study = tc_public_seed_from(s[b].study);
            assert_false(same(&s[a].objective, &study));
            assert_int_equal(s[a].study == s[b].study, a == b);
            assert_int_equal(same(&s[a].objective, &s[b].objective), a == b);
        }
    }
    tc_run_seeds other = tc_run_seeds_of(8, 0), again = tc_run_seeds_of(7, 0);
    assert_true(other.study != s[0].study && !same(&other.objective, &s[0].objective));
    assert_true(again.study == s[0].study && same(&again.objective, &s[0].objective));
}

static void test_moments_of_a_column(void **state)
{
    (void)state;
    const double rows[] = {1, 10, 2, INFINITY, 6, 30};
    double mean, se;
    tc_runs_moments(rows, 3, 2, 0, &mean, &se);
    assert_close(mean, 3, 1e-15);
    assert_close(se, sqrt((4 + 1 + 9) / 2.0 / 3), 1e-15);
    tc_runs_moments(rows, 3, 2, 1, &mean, &se);
    assert_true(isinf(mean));
    assert_same_bits(se, 0);
    tc_runs_moments(rows, 1, 2, 1, &mean, &se);
    assert_same_bits(mean, 10);
    assert_same_bits(se, 0);
}

/* Where a run fails the others are cancelled, earlier ones too: what failed is to be told. */
static void test_a_real_failure_speaks(void **state)
{
    (void)state;
    tacit_error err = {0}, runs[5] = {{0}};
    assert_ok(tc_runs_failure(runs, 5, &err));
    (void)tc_fail(&runs[1], TACIT_E_CANCELLED, "interrupted");
    assert_fails(tc_runs_failure(runs, 5, &err), TACIT_E_CANCELLED, "interrupted");
    (void)tc_fail(&runs[3], TACIT_E_CORRUPT, "run 3 is broken");
    (void)tc_fail(&runs[4], TACIT_E_ARG, "run 4 is wrong");
    assert_fails(tc_runs_failure(runs, 5, &err), TACIT_E_CORRUPT, "run 3 is broken");
    (void)tc_fail(&runs[0], TACIT_E_MEMORY, "run 0 is too large");
    assert_fails(tc_runs_failure(runs, 5, &err), TACIT_E_MEMORY, "run 0 is too large");
    assert_ok(tc_runs_failure(runs + 2, 1, &err));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_seeds_are_all_different),
        cmocka_unit_test(test_moments_of_a_column),
        cmocka_unit_test(test_a_real_failure_speaks),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
