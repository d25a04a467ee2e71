/* nystrom_test.c - the projected kernel: exact on the dictionary, never above the kernel off it. */
#include "support/test.h"

#include "num/la.h"
#include "num/nystrom.h"

enum { M = 6, DIM = 2, LDS = 8 };

static double S[LDS * DIM] = {0.1, 0.9, 0.4, 0.5, 0.2, 0.7, -1, -1, /* first coordinates */
                              0.8, 0.3, 0.4, 0.9, 0.1, 0.6, -1, -1};
static double scale[DIM] = {0.3, 0.5};
static tc_gp_hyper hyper = {TC_KERNEL_MATERN52, DIM, 1.4, 0.0, scale};

static double kernel(const double *a, const double *b)
{
    tc_kernel k = {hyper.kind, DIM, hyper.variance, scale};
    return tc_kernel_at(&k, a, b);
}

static void features(const tc_nystrom *f, const double *x, double *phi)
{
    double scratch[M];
    tc_nystrom_at(f, x, phi, scratch);
}

static double product(const tc_nystrom *f, const double *a, const double *b)
{
    double phi_a[M], phi_b[M], sum = 0.0;
    features(f, a, phi_a);
    features(f, b, phi_b);
    for (size_t i = 0; i < f->m; i++)
        sum += phi_a[i] * phi_b[i];
    return sum;
}

static void test_exact_on_the_dictionary(void **state)
{
    (void)state;
    tacit_error err = {0};
    tc_nystrom f;
    assert_ok(tc_nystrom_init(&f, &hyper, M, S, LDS, &err));
    assert_int_equal(f.rank, M);
    for (size_t i = 0; i < M; i++)
        for (size_t j = 0; j < M; j++) {
            double a[DIM] = {S[i], S[i + LDS]}, b[DIM] = {S[j], S[j + LDS]}, x[DIM] = {0.3, 0.35};
            assert_close(product(&f, a, b), kernel(a, b), 1e-10);
            assert_close(product(&f, a, x), kernel(a, x), 1e-10);
        }
    tc_nystrom_fini(&f);
}

static void test_a_projection_off_the_dictionary(void **state)
{
    (void)state;
    tacit_error err = {0};
    tc_nystrom f;
    assert_ok(tc_nystrom_init(&f, &hyper, M, S, LDS, &err));
    for (int i = 0; i < 20; i++) {
        double x[DIM] = {0.05 * i, 1.0 - 0.05 * i};
        assert_true(product(&f, x, x) <= hyper.variance + 1e-12);
        assert_true(product(&f, x, x) > 0.0);
    }
    double far[DIM] = {9.0, 9.0};
    assert_close(product(&f, far, far), 0.0, 1e-10);
    tc_nystrom_fini(&f);
}

/* A repeated point adds no direction. */
static void test_rank_of_repeated_points(void **state)
{
    (void)state;
    tacit_error err = {0};
    double twice[4 * DIM] = {0.1, 0.9, 0.1, 0.9, 0.8, 0.3, 0.8, 0.3};
    tc_nystrom f;
    assert_ok(tc_nystrom_init(&f, &hyper, 4, twice, 4, &err));
    assert_int_equal(f.rank, 2);
    double a[DIM] = {0.1, 0.8}, b[DIM] = {0.9, 0.3};
    assert_close(product(&f, a, b), kernel(a, b), 1e-10);
    tc_nystrom_fini(&f);
}

static void test_an_empty_dictionary(void **state)
{
    (void)state;
    tacit_error err = {0};
    tc_nystrom f;
    assert_ok(tc_nystrom_init(&f, &hyper, 0, S, LDS, &err));
    double x[DIM] = {0.5, 0.5};
    assert_close(product(&f, x, x), 0.0, 0.0);
    assert_int_equal(f.rank, 0);
    tc_nystrom_fini(&f);
    tc_nystrom_fini(&f);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_exact_on_the_dictionary),
        cmocka_unit_test(test_a_projection_off_the_dictionary),
        cmocka_unit_test(test_rank_of_repeated_points),
        cmocka_unit_test(test_an_empty_dictionary),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
