/* rff_test.c - features average to their kernel, and all ways to compute them agree. */
#include "support/test.h"

#include "num/la.h"
#include "num/rff.h"

#include <stdlib.h>

enum { DIM = 3, FEATURES = 300, POINTS = 1100 };

static double scale[DIM] = {0.2, 0.5, 1.1};

static tc_gp_hyper hyper(tc_kernel_kind kind)
{
    return (tc_gp_hyper){kind, DIM, 1.8, 0.0, scale};
}

static tc_stream stream(uint64_t step)
{
    tc_public_seed seed = tc_public_seed_from(11);
    tc_stream s;
    tc_stream_public(&s, &seed, TC_FOR_FEATURES, step);
    return s;
}

static tc_rff make(tc_kernel_kind kind, size_t M, bool unit)
{
    tacit_error err = {0};
    tc_gp_hyper h = hyper(kind);
    tc_stream s = stream((uint64_t)kind);
    tc_rff f;
    assert_ok(tc_rff_init(&f, M, DIM, &err));
    tc_rff_draw(&f, &h, unit, &s);
    return f;
}

/* E phi_m(x) phi_m(y) M = k(x,y); the mean of M products 2v cos cos lies within 5 of its standard
 * errors. */
static void test_features_average_to_the_kernel(void **state)
{
    (void)state;
    enum { M = 40000 };
    double *a = malloc(M * sizeof *a), *b = malloc(M * sizeof *b);
    double x[DIM] = {0.3, 0.6, 0.5}, y[DIM] = {0.25, 0.5, 0.9};
    for (int kind = 0; kind < TC_KERNEL_KINDS; kind++) {
        tc_rff f = make((tc_kernel_kind)kind, M, false);
        tc_kernel k = {(tc_kernel_kind)kind, DIM, 1.8, scale};
        tc_rff_at(&f, x, a);
        tc_rff_at(&f, y, b);
        double mean = 0.0, square = 0.0;
        for (size_t m = 0; m < M; m++) {
            double product = a[m] * b[m] * M;
            mean += product / M;
            square += product * product / M;
        }
        assert_close(mean, tc_kernel_at(&k, x, y), 5 * sqrt((square - mean * mean) / M));
        assert_close(tc_dot(M, a, a), 1.8, 5 * 1.8 / sqrt(2.0 * M));
        tc_rff_fini(&f);
    }
    free(a);
    free(b);
}

static void test_unit_features_have_norm_sqrt_v(void **state)
{
    (void)state;
    tc_rff f = make(TC_KERNEL_SE, FEATURES, true);
    double phi[FEATURES], x[DIM] = {0.1, 0.2, 0.9};
    tc_rff_at(&f, x, phi);
    assert_close(tc_norm2(FEATURES, phi), sqrt(1.8), 1e-13);
    tc_rff_fini(&f);
}

static void fill(size_t n, double *x, uint64_t step)
{
    tc_stream s = stream(step);
    for (size_t i = 0; i < n; i++)
        x[i] = tc_draw_uniform(&s);
}

static void check_agreement(bool unit)
{
    static double X[POINTS * DIM], Phi[FEATURES * POINTS], out[POINTS];
    double w[FEATURES], phi[FEATURES], grad[DIM];
    tc_rff f = make(TC_KERNEL_MATERN52, FEATURES, unit);
    fill(POINTS * DIM, X, 90);
    fill(FEATURES, w, 91);
    tc_rff_many(&f, POINTS, X, POINTS, Phi, FEATURES);
    tc_rff_apply(&f, w, POINTS, X, POINTS, out);
    for (size_t i = 0; i < POINTS; i += 7) {
        double x[DIM] = {X[i], X[i + POINTS], X[i + 2 * POINTS]}, sum = 0.0;
        tc_rff_at(&f, x, phi);
        assert_memory_equal(phi, Phi + i * FEATURES, sizeof phi);
        for (size_t m = 0; m < FEATURES; m++)
            sum += phi[m] * w[m];
        assert_close(out[i], sum, 1e-12);
        assert_close(tc_rff_value(&f, w, x), sum, 1e-12);
        assert_close(tc_rff_value_grad(&f, w, x, grad), sum, 1e-12);
    }
    tc_rff_fini(&f);
}

static void test_all_ways_agree(void **state)
{
    (void)state;
    check_agreement(false);
    check_agreement(true);
}

/* A feature computed by the library's cosine, not ours. */
static void test_features_are_cosines(void **state)
{
    (void)state;
    tc_rff f = make(TC_KERNEL_MATERN32, FEATURES, false);
    double phi[FEATURES], x[DIM] = {0.7, 0.1, 0.4};
    tc_rff_at(&f, x, phi);
    for (size_t m = 0; m < FEATURES; m++) {
        double z = f.b[m];
        for (size_t d = 0; d < DIM; d++)
            z += f.W[m + d * FEATURES] * x[d];
        assert_close(phi[m], sqrt(2 * 1.8 / FEATURES) * cos(z), 1e-13);
    }
    tc_rff_fini(&f);
}

static void test_bits_do_not_depend_on_the_company(void **state)
{
    (void)state;
    static double X[POINTS * DIM], out[POINTS];
    double w[FEATURES];
    tc_rff f = make(TC_KERNEL_SE, FEATURES, false);
    fill(POINTS * DIM, X, 92);
    fill(FEATURES, w, 93);
    tc_rff_apply(&f, w, POINTS, X, POINTS, out);
    for (size_t i = 0; i < POINTS; i += 51) {
        double alone;
        tc_rff_apply(&f, w, 1, X + i, POINTS, &alone);
        assert_same_bits(alone, out[i]);
    }
    tc_rff_fini(&f);
}

static void test_gradient_is_the_difference(void **state)
{
    (void)state;
    for (int unit = 0; unit < 2; unit++) {
        tc_rff f = make(TC_KERNEL_MATERN52, FEATURES, unit);
        double w[FEATURES], x[DIM] = {0.3, 0.8, 0.55}, grad[DIM];
        fill(FEATURES, w, 94);
        tc_rff_value_grad(&f, w, x, grad);
        for (size_t d = 0; d < DIM; d++) {
            double at = x[d], h = 1e-6;
            x[d] = at + h;
            double above = tc_rff_value(&f, w, x);
            x[d] = at - h;
            double below = tc_rff_value(&f, w, x);
            x[d] = at;
            assert_close(grad[d], (above - below) / (2 * h), 1e-5 * (1 + fabs(grad[d])));
        }
        tc_rff_fini(&f);
    }
}

/* Cauchy frequencies of a very short Matern 1/2 stay where the cosine is accurate. */
static void test_wild_frequencies_are_tamed(void **state)
{
    (void)state;
    enum { M = 20000 };
    tacit_error err = {0};
    double tiny[DIM] = {1e-3, 1e-3, 1e-3}, x[DIM] = {1.0, 1.0, 1.0};
    double *phi = malloc(M * sizeof *phi);
    tc_gp_hyper h = {TC_KERNEL_MATERN12, DIM, 1.0, 0.0, tiny};
    tc_stream s = stream(5);
    tc_rff f;
    assert_ok(tc_rff_init(&f, M, DIM, &err));
    tc_rff_draw(&f, &h, false, &s);
    tc_rff_at(&f, x, phi);
    size_t limited = 0;
    for (size_t m = 0; m < M; m++) {
        double sum = fabs(f.W[m]) + fabs(f.W[m + M]) + fabs(f.W[m + 2 * M]);
        assert_true(sum <= 1e5);
        limited += sum > 8.99e4;
        assert_true(fabs(phi[m]) <= sqrt(2.0 / M) * (1 + 1e-12));
    }
    assert_true(limited > 0);
    tc_rff_fini(&f);
    free(phi);
}

/* The largest error of phi(x)'phi(0) as a kernel on the line, over [0,1]. */
static double worst_error(const tc_rff *f, double length)
{
    double worst = 0.0, a[64], b[64], zero = 0.0;
    tc_rff_at(f, &zero, a);
    for (double x = 0.0; x <= 1.0; x += 0.01) {
        tc_rff_at(f, &x, b);
        worst = fmax(worst, fabs(tc_dot(f->M, a, b) - exp(-x * x / (2 * length * length))));
    }
    return worst;
}

static void test_even_frequencies_err_less(void **state)
{
    (void)state;
    tacit_error err = {0};
    double length = 0.05, even_sum = 0.0, drawn_sum = 0.0, phi[64];
    tc_gp_hyper h = {TC_KERNEL_SE, 1, 1.0, 0.0, &length};
    for (uint64_t step = 0; step < 8; step++) {
        tc_stream s = stream(step), t = stream(step);
        tc_rff even, drawn;
        assert_ok(tc_rff_init(&even, 64, 1, &err));
        assert_ok(tc_rff_init(&drawn, 64, 1, &err));
        tc_rff_draw_even(&even, &h, false, &s);
        tc_rff_draw(&drawn, &h, false, &t);
        even_sum += worst_error(&even, length);
        drawn_sum += worst_error(&drawn, length);
        for (double x = 0.0; x < 1.0; x += 0.09) {
            tc_rff_at(&even, &x, phi);
            assert_close(tc_dot(64, phi, phi), 1.0, 1e-12);
        }
        tc_rff_fini(&even);
        tc_rff_fini(&drawn);
    }
    assert_true(even_sum < drawn_sum / 2);
}

/* Each kernel's frequencies keep their law: of several dimensions and an odd number too. */
static void test_even_features_average_to_the_kernel(void **state)
{
    (void)state;
    tacit_error err = {0};
    enum { M = 4001 };
    double *a = malloc(M * sizeof *a), *b = malloc(M * sizeof *b);
    double x[DIM] = {0.3, 0.6, 0.5}, y[DIM] = {0.25, 0.5, 0.9};
    for (int kind = 0; kind < TC_KERNEL_KINDS; kind++) {
        tc_gp_hyper h = hyper((tc_kernel_kind)kind);
        tc_kernel k = {(tc_kernel_kind)kind, DIM, 1.8, scale};
        tc_stream s = stream(7);
        tc_rff f;
        assert_ok(tc_rff_init(&f, M, DIM, &err));
        tc_rff_draw_even(&f, &h, false, &s);
        tc_rff_at(&f, x, a);
        tc_rff_at(&f, y, b);
        assert_close(tc_dot(M, a, b), tc_kernel_at(&k, x, y), 0.05);
        tc_rff_fini(&f);
    }
    free(a);
    free(b);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_features_average_to_the_kernel),
        cmocka_unit_test(test_unit_features_have_norm_sqrt_v),
        cmocka_unit_test(test_features_are_cosines),
        cmocka_unit_test(test_all_ways_agree),
        cmocka_unit_test(test_bits_do_not_depend_on_the_company),
        cmocka_unit_test(test_gradient_is_the_difference),
        cmocka_unit_test(test_wild_frequencies_are_tamed),
        cmocka_unit_test(test_even_frequencies_err_less),
        cmocka_unit_test(test_even_features_average_to_the_kernel),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
