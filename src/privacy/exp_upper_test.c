/* exp_upper_test.c - the bound against exact fractions: never below exp(-x), hardly above it.
 *
 * The partial sums of 1 + x + x^2/2! + ... are below exp(x); with the geometric bound on the rest
 * added they are above it. x is the exact value of the double. */
#include "support/test.h"
#include "privacy/exp_upper.h"

#include <gmp.h>

enum { TERMS = 400 };

/* low <= exp(x) <= high, as fractions; x <= 64. */
static void enclose(double x, mpq_t low, mpq_t high)
{
    mpq_t power, y;
    mpq_inits(power, y, NULL);
    mpq_set_d(y, x);
    mpq_set_ui(power, 1, 1);
    mpq_set_ui(low, 0, 1);
    for (unsigned long j = 1; j <= TERMS; j++) {
        mpq_add(low, low, power);
        mpq_mul(power, power, y);
        mpq_t over;
        mpq_init(over);
        mpq_set_ui(over, 1, j);
        mpq_mul(power, power, over);
        mpq_clear(over);
    }
    mpq_mul_2exp(power, power, 1); /* the rest shrinks by more than half from term to term */
    mpq_add(high, low, power);
    mpq_clears(power, y, NULL);
}

static void assert_bound(double x)
{
    uint64_t r = tc_exp_minus_upper(x);
    mpq_t low, high, product, one;
    mpq_inits(low, high, product, one, NULL);
    enclose(x, low, high);
    mpq_set_ui(one, 1, 1);
    mpq_set_ui(product, r, 1);
    mpq_div_2exp(product, product, 62);
    mpq_mul(product, product, low);
    assert_true(mpq_cmp(product, one) >= 0); /* r/2^62 >= exp(-x), with e^x replaced by less */
    double exact = exp(-x), got = ldexp((double)r, -62);
    assert_true(got <= 1);
    assert_close(got, exact, ldexp(exact, -48) + 0x1p-60);
    mpq_clears(low, high, product, one, NULL);
}

static void the_bound_is_above_and_close(void **state)
{
    (void)state;
    static const double chosen[] = {0,    1e-300, 1e-5, 1e-3, 0.0625, 0.0626, 0.5, 1,
                                    1.29, 2.7,    3.14, 10,   20,     32,     43,  64};
    for (size_t i = 0; i < sizeof chosen / sizeof chosen[0]; i++)
        assert_bound(chosen[i]);
    for (int i = 1; i < 60; i++)
        assert_bound(ldexp(1 + i / 61.0, i % 22 - 16));
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(the_bound_is_above_and_close)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
