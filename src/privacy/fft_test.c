/* fft_test.c - the transform beside the sum that defines it. */
#include "support/test.h"

#include "privacy/fft.h"

#include <stdlib.h>

#define LOG2_MAX 11

/* A fixed sequence without structure. */
static double scatter(size_t k, double phase)
{
    return sin(12.9898 * (double)k * (double)k + phase) * (k % 7 == 0 ? 10 : 1);
}

static void fill(double *re, double *im, size_t n)
{
    for (size_t k = 0; k < n; k++) {
        re[k] = scatter(k, 0.3);
        im[k] = scatter(k, 1.7);
    }
}

/* X_j in long double, the angle reduced exactly. */
static void direct(const double *re, const double *im, size_t n, size_t j, double *out_re,
                   double *out_im)
{
    long double sum_re = 0, sum_im = 0;
    for (size_t k = 0; k < n; k++) {
        long double angle =
            -2 * 3.14159265358979323846264338327950288L * (long double)(j * k % n) / (long double)n;
        long double c = cosl(angle), s = sinl(angle);
        sum_re += re[k] * c - im[k] * s;
        sum_im += re[k] * s + im[k] * c;
    }
    *out_re = (double)sum_re;
    *out_im = (double)sum_im;
}

static void check_against_sum(unsigned log2_n)
{
    size_t n = (size_t)1 << log2_n;
    static double re[1 << LOG2_MAX], im[1 << LOG2_MAX], xr[1 << LOG2_MAX], xi[1 << LOG2_MAX];
    fill(re, im, n);
    memcpy(xr, re, sizeof re);
    memcpy(xi, im, sizeof im);
    double size = 0;
    for (size_t k = 0; k < n; k++)
        size += hypot(re[k], im[k]);
    tc_fft *f = tc_fft_new(log2_n);
    assert_non_null(f);
    tc_fft_forward(f, xr, xi);
    double bound = tc_fft_error(log2_n) * size + 1e-18;
    for (size_t j = 0; j < n; j++) {
        double want_re, want_im;
        direct(re, im, n, j, &want_re, &want_im);
        assert_true(hypot(xr[j] - want_re, xi[j] - want_im) <= bound);
    }
    tc_fft_free(f);
}

static void test_equals_the_direct_sum(void **state)
{
    (void)state;
    for (unsigned log2_n = 0; log2_n <= LOG2_MAX; log2_n++)
        check_against_sum(log2_n);
}

static void test_inverse_undoes_forward(void **state)
{
    (void)state;
    for (unsigned log2_n = 0; log2_n <= 17; log2_n++) {
        size_t n = (size_t)1 << log2_n;
        double *re = malloc(n * sizeof *re), *im = malloc(n * sizeof *im);
        assert_true(re != NULL && im != NULL);
        fill(re, im, n);
        tc_fft *f = tc_fft_new(log2_n);
        assert_non_null(f);
        tc_fft_forward(f, re, im);
        tc_fft_inverse(f, re, im);
        for (size_t k = 0; k < n; k++) {
            assert_close(re[k] / (double)n, scatter(k, 0.3), 1e-13);
            assert_close(im[k] / (double)n, scatter(k, 1.7), 1e-13);
        }
        tc_fft_free(f);
        free(re);
        free(im);
    }
}

/* A shifted impulse has a spectrum of pure roots of unity: each root is right to the last bits. */
static void test_roots_of_unity(void **state)
{
    (void)state;
    enum { LOG2 = 14, N = 1 << LOG2 };
    static double re[N], im[N];
    memset(re, 0, sizeof re);
    memset(im, 0, sizeof im);
    re[1] = 1;
    tc_fft *f = tc_fft_new(LOG2);
    assert_non_null(f);
    tc_fft_forward(f, re, im);
    for (size_t j = 0; j < N; j++) {
        long double angle = 2 * 3.14159265358979323846264338327950288L * (long double)j / N;
        assert_close(re[j], (double)cosl(angle), tc_fft_error(LOG2));
        assert_close(im[j], (double)-sinl(angle), tc_fft_error(LOG2));
    }
    tc_fft_free(f);
}

static void test_refuses_what_is_too_long(void **state)
{
    (void)state;
    assert_null(tc_fft_new(TC_FFT_MAX_LOG2 + 1));
    tc_fft_free(NULL);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_equals_the_direct_sum),
        cmocka_unit_test(test_inverse_undoes_forward),
        cmocka_unit_test(test_roots_of_unity),
        cmocka_unit_test(test_refuses_what_is_too_long),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
