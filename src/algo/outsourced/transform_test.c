/* transform_test.c - Algorithm 1 of PO-GP-UCB against the numbers of the paper's grid. */
#include "support/test.h"

#include "algo/outsourced/transform.h"
#include "base/memory.h"

enum { SIDE = 100, N = SIDE * SIDE, D = 2 };

/* The paper's grid: largest norm 25. */
static double *paper_grid(void)
{
    double *x = tc_alloc(N * D, sizeof *x), reach = 25 / sqrt(2);
    assert_non_null(x);
    for (size_t i = 0; i < N; i++) {
        x[i * D] = reach * (2.0 * (double)(i / SIDE) / (SIDE - 1) - 1);
        x[i * D + 1] = reach * (2.0 * (double)(i % SIDE) / (SIDE - 1) - 1);
    }
    return x;
}

/* What the paper says of the largest r for which the data are projected as they are. */
static void test_branches_of_the_paper(void **state)
{
    (void)state;
    static const struct {
        double ln_epsilon;
        size_t rank;
        double omega;
        bool raise;
    } cases[] = {{1.1, 10, 976.1, false},
                 {1.0, 10, 1078.7, true},
                 {1.3, 15, 1002.7, false},
                 {1.5, 20, 964.0, false},
                 {1.5, 30, 1208.3, true}};
    tacit_error err = {0};
    double *x = paper_grid();
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        tc_transform t;
        assert_ok(
            tc_transform_look(&t, N, D, x, exp(cases[i].ln_epsilon), 1e-5, cases[i].rank, &err));
        assert_close(t.sigma_min, 1030.9, 0.05);
        assert_close(t.omega, cases[i].omega, 0.05);
        assert_int_equal(t.raise, cases[i].raise);
    }
    tc_free(x);
}

/* ---- what is released, against plain sums */

enum { ROWS = 7, RANK = 4 };

static void small_data(double *x)
{
    for (size_t i = 0; i < ROWS * D; i++)
        x[i] = sin(3.0 * (double)i) + (double)(i % D);
}

static tacit_status make(const double *x, double epsilon, double *z, tc_transform *t,
                         tacit_error *err)
{
    tc_test_noise seeded;
    tc_test_noise_init(&seeded, 5, 1);
    tc_entropy e = tc_entropy_of_test(&seeded);
    return tc_transform_make(t, ROWS, D, x, epsilon, 1e-5, RANK, &e, z, err);
}

static void centre(double *x)
{
    for (size_t k = 0; k < D; k++) {
        double mean = 0;
        for (size_t i = 0; i < ROWS; i++)
            mean += x[i * D + k] / ROWS;
        for (size_t i = 0; i < ROWS; i++)
            x[i * D + k] -= mean;
    }
}

/* Z is a linear image of the centred rows: two of them give the map, all others follow. This is the
 * attack, and it works on both branches. */
static void check_linear(const double *x, const double *z)
{
    double c[ROWS * D], det, a[D * RANK];
    memcpy(c, x, sizeof c);
    centre(c);
    det = c[0] * c[3] - c[1] * c[2];
    assert_true(fabs(det) > 1e-3);
    for (size_t r = 0; r < RANK; r++) {
        a[r] = (c[3] * z[r] - c[1] * z[RANK + r]) / det;
        a[RANK + r] = (-c[2] * z[r] + c[0] * z[RANK + r]) / det;
    }
    for (size_t i = 0; i < ROWS; i++)
        for (size_t r = 0; r < RANK; r++) {
            double made = c[i * D] * a[r] + c[i * D + 1] * a[RANK + r];
            assert_close(z[i * RANK + r], made, 1e-9 * fmax(1, fabs(made)));
        }
}

static void test_both_branches_are_linear(void **state)
{
    (void)state;
    tacit_error err = {0};
    double x[ROWS * D], z[ROWS * RANK];
    tc_transform t;
    small_data(x);
    assert_ok(make(x, 1, z, &t, &err));
    assert_true(t.raise);
    check_linear(x, z);
    assert_ok(make(x, 1e6, z, &t, &err));
    assert_false(t.raise);
    check_linear(x, z);
}

/* Of r^(-1/2) X M the mean of Z Z' over M is X X': the projection keeps distances on average. */
static void test_keeps_distances_on_average(void **state)
{
    (void)state;
    tacit_error err = {0};
    double x[ROWS * D], z[ROWS * RANK], c[ROWS * D], gap = 0, seen = 0;
    tc_test_noise seeded;
    tc_transform t;
    enum { DRAWS = 4000 };
    small_data(x);
    memcpy(c, x, sizeof c);
    centre(c);
    for (size_t k = 0; k < D; k++)
        gap += pow(c[k] - c[D + k], 2);
    tc_test_noise_init(&seeded, 9, 1);
    tc_entropy e = tc_entropy_of_test(&seeded);
    for (int i = 0; i < DRAWS; i++) {
        assert_ok(tc_transform_make(&t, ROWS, D, x, 1e6, 1e-5, RANK, &e, z, &err));
        for (size_t r = 0; r < RANK; r++)
            seen += pow(z[r] - z[RANK + r], 2) / DRAWS;
    }
    /* chi-square with RANK degrees of freedom: sd gap sqrt(2 / RANK / DRAWS); five of them */
    assert_close(seen, gap, 5 * gap * sqrt(2.0 / RANK / DRAWS));
}

static void test_refusals(void **state)
{
    (void)state;
    tacit_error err = {0};
    double x[4] = {1, 2, 3, 4};
    tc_transform t;
    assert_fails(tc_transform_look(&t, 1, 4, x, 1, 1e-5, 10, &err), TACIT_E_ARG,
                 "paper mode needs at least as many rows as columns, got 1 rows of 4");
    assert_fails(tc_transform_look(&t, 2, 2, x, 0, 1e-5, 10, &err), TACIT_E_ARG,
                 "epsilon must be > 0, got 0");
    assert_fails(tc_transform_look(&t, 2, 2, x, 1, 0, 10, &err), TACIT_E_ARG,
                 "paper mode needs a delta in (0, 1), got 0");
    assert_fails(tc_transform_look(&t, 2, 2, x, 1, 1e-5, 0, &err), TACIT_E_ARG,
                 "the rank must be in 1..1000, got 0");
    assert_fails(tc_transform_look(&t, 2, 2, x, 1, 1e-5, 1001, &err), TACIT_E_ARG, "got 1001");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_branches_of_the_paper),
        cmocka_unit_test(test_both_branches_are_linear),
        cmocka_unit_test(test_keeps_distances_on_average),
        cmocka_unit_test(test_refusals),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
