/* vmath_test.c - accuracy against long double, and the same bits for every length of array. */
#include "support/test.h"

#include "num/vmath.h"

#include <stdlib.h>

/* How many units in the last place of `exact` lie between it and x. */
static double ulps(double x, long double exact)
{
    int exponent;
    frexpl(exact, &exponent);
    return (double)(fabsl((long double)x - exact) / ldexpl(1, exponent - 53));
}

static double uniform(double low, double high)
{
    return low + (high - low) * drand48();
}

static void exp_is_accurate(void **state)
{
    double worst = 0;
    (void)state;
    srand48(1);
    for (int i = 0; i < 300000; i++) {
        const double x = uniform(-1, 1) * (i % 2 == 0 ? 708 : 3);
        double y = x;
        tc_vexp(1, &y);
        worst = fmax(worst, ulps(y, expl((long double)x)));
    }
    assert_true(worst < 2);
    assert_true(worst > 0.5); /* else the measure itself is broken */
}

static void cos_is_accurate(void **state)
{
    double worst = 0;
    (void)state;
    srand48(2);
    for (int i = 0; i < 300000; i++) {
        const double x = uniform(-1, 1) * (i % 2 == 0 ? 1e6 : 10);
        double y = x;
        tc_vcos(1, &y);
        worst = fmax(worst, ulps(y, cosl((long double)x)));
    }
    assert_true(worst < 4);
    assert_true(worst > 0.5);
}

static void log_is_accurate(void **state)
{
    double worst = 0;
    (void)state;
    srand48(4);
    for (int i = 0; i < 300000; i++) {
        const double x = i % 3 == 0   ? exp(uniform(-700, 700))
                         : i % 3 == 1 ? uniform(0.5, 2)
                                      : 1 + uniform(-1, 1) * 1e-4;
        double y = x;
        tc_vlog(1, &y);
        worst = fmax(worst, ulps(y, logl((long double)x)));
    }
    assert_true(worst < 3);
    assert_true(worst > 0.5);
}

static void log_at_its_ends(void **state)
{
    double x[] = {1, 0x1p-1022, 0x1.fffffffffffffp1023, 0x1p-53, 2};
    (void)state;
    tc_vlog(5, x);
    assert_same_bits(x[0], 0);
    assert_close(x[1], -708.39641853226408, 1e-12);
    assert_close(x[2], 709.78271289338397, 1e-12);
    assert_close(x[3], -36.736800569677101, 1e-13);
    assert_close(x[4], 0.69314718055994531, 1e-15);
}

/* Where cos is tiny all depends on the reduction: the doubles nearest to odd multiples of pi/2. */
static void cos_is_accurate_at_its_zeros(void **state)
{
    (void)state;
    for (int k = 1; k < 600000; k += 2) {
        const double x = (double)((long double)k * 1.57079632679489661923132169163975144L);
        double y = x;
        tc_vcos(1, &y);
        assert_true(fabsl((long double)y - cosl((long double)x)) <
                    1e-30L + 1e-15L * fabsl(cosl(x)));
    }
}

static void exp_at_its_ends(void **state)
{
    double x[] = {0, -0.0, -708, -709, -1e308, -(double)INFINITY, 708, 709, (double)INFINITY};
    double nan[] = {(double)NAN};
    (void)state;
    tc_vexp(sizeof x / sizeof *x, x);
    tc_vexp(1, nan);
    assert_same_bits(x[0], 1);
    assert_same_bits(x[1], 1);
    assert_true(x[2] > 0 && x[2] < 1e-300);
    assert_same_bits(x[3], 0);
    assert_same_bits(x[4], 0);
    assert_same_bits(x[5], 0);
    assert_true(x[6] > 1e300 && isfinite(x[6]));
    assert_true(isinf(x[7]) && isinf(x[8]));
    assert_true(isnan(nan[0]));
}

/* An array is done by vectors and a scalar tail: each element as if it were alone. */
static void alone_and_together_agree(void **state)
{
    static void (*const functions[])(size_t, double *) = {tc_vexp, tc_vcos, tc_vlog};
    double together[67], alone[67];
    (void)state;
    srand48(3);
    for (size_t f = 0; f < 3; f++)
        for (size_t n = 0; n <= 67; n++) {
            for (size_t i = 0; i < n; i++)
                alone[i] = together[i] = uniform(f < 2 ? -40 : 1e-3, 40);
            functions[f](n, together);
            for (size_t i = 0; i < n; i++) {
                functions[f](1, &alone[i]);
                assert_same_bits(together[i], alone[i]);
            }
        }
}

/* Known bits: the same from every compiler and instruction set. */
static void bits_are_fixed(void **state)
{
    static const double exps[] = {0x1.5bf0a8b14576ap+1, 0x1.78b56362cef38p-2, 0x1.1aec7b35a00d4p+0,
                                  0x1.3278bcd70e981p-54, 0x1.fc0ed35ef0037p+432};
    static const double cosines[] = {0x1.14a280fb5068cp-1, 0x1.14a280fb5068cp-1,
                                     0x1.fd712f9a817cp-1, -0x1.fa8f2ceb78372p-1,
                                     0x1.df9df9906d32cp-1};
    double e[] = {1, -1, 0.1, -37.25, 300.125};
    double c[] = {1, -1, 0.1, 1234.5, 1e6};
    (void)state;
    tc_vexp(5, e);
    tc_vcos(5, c);
    for (size_t i = 0; i < 5; i++) {
        assert_same_bits(e[i], exps[i]);
        assert_same_bits(c[i], cosines[i]);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(exp_is_accurate),
        cmocka_unit_test(cos_is_accurate),
        cmocka_unit_test(log_is_accurate),
        cmocka_unit_test(log_at_its_ends),
        cmocka_unit_test(cos_is_accurate_at_its_zeros),
        cmocka_unit_test(exp_at_its_ends),
        cmocka_unit_test(alone_and_together_agree),
        cmocka_unit_test(bits_are_fixed),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
