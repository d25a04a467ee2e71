/* clopper_pearson_test.c - against closed forms, published intervals and the binomial sum itself. */
#include "privacy/clopper_pearson.h"

#include "support/test.h"

/* P(Bin(n,p) >= k), term by term. */
static double tail(uint64_t k, uint64_t n, double p)
{
    double sum = 0;
    for (uint64_t i = k; i <= n; i++)
        sum += exp(lgamma((double)n + 1) - lgamma((double)i + 1) - lgamma((double)(n - i) + 1) +
                   (double)i * log(p) + (double)(n - i) * log1p(-p));
    return sum;
}

static void has_the_known_values(void **state)
{
    (void)state;
    /* k = 0 and k = n have closed forms: 1 - alpha^(1/n). */
    for (uint64_t n = 1; n <= 100000; n *= 10) {
        double edge = -expm1(log(0.025) / (double)n);
        assert_close(tc_clopper_pearson_upper(0, n, 0.025), edge, 1e-4 * edge);
        assert_close(tc_clopper_pearson_lower(n, n, 0.025), 1 - edge, 1e-4 * edge);
        assert_close(tc_clopper_pearson_lower(0, n, 0.025), 0, 0);
        assert_close(tc_clopper_pearson_upper(n, n, 0.025), 1, 0);
    }
    /* 95 % intervals from tables: 10 of 100, 1 of 10, 50 of 100. */
    assert_close(tc_clopper_pearson_lower(10, 100, 0.025), 0.0490046922, 5e-6);
    assert_close(tc_clopper_pearson_upper(10, 100, 0.025), 0.1762225598, 5e-6);
    assert_close(tc_clopper_pearson_lower(1, 10, 0.025), 0.0025285785, 5e-6);
    assert_close(tc_clopper_pearson_upper(1, 10, 0.025), 0.4450161167, 1e-5);
    assert_close(tc_clopper_pearson_lower(50, 100, 0.025), 0.3983211295, 5e-6);
    assert_close(tc_clopper_pearson_upper(50, 100, 0.025), 0.6016788705, 5e-6);
}

/* At a bound the tail is alpha, never above it. */
static void is_on_the_safe_side_of_the_sum(void **state)
{
    (void)state;
    const uint64_t sizes[] = {3, 20, 333, 5000};
    const double alphas[] = {0.05, 1e-3, 1e-7};
    for (int i = 0; i < 4; i++)
        for (uint64_t k = 1; k < sizes[i]; k += 1 + sizes[i] / 17)
            for (int j = 0; j < 3; j++) {
                double low = tc_clopper_pearson_lower(k, sizes[i], alphas[j]);
                double high = tc_clopper_pearson_upper(k, sizes[i], alphas[j]);
                assert_true(low < (double)k / (double)sizes[i]);
                assert_true(high > (double)k / (double)sizes[i]);
                double below = tail(k, sizes[i], low);
                double above = tail(sizes[i] - k, sizes[i], 1 - high);
                assert_true(below <= alphas[j] && below > 0.999 * alphas[j]);
                assert_true(above <= alphas[j] && above > 0.999 * alphas[j]);
            }
}

static void works_for_many_trials(void **state)
{
    (void)state;
    double n = 1e9, k = 3e8, sd = sqrt(0.3 * 0.7 / n);
    assert_close(tc_clopper_pearson_lower((uint64_t)k, (uint64_t)n, 0.025), 0.3 - 1.959964 * sd,
                 1e-3 * sd);
    assert_close(tc_clopper_pearson_upper((uint64_t)k, (uint64_t)n, 0.025), 0.3 + 1.959964 * sd,
                 1e-3 * sd);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(has_the_known_values),
        cmocka_unit_test(is_on_the_safe_side_of_the_sum),
        cmocka_unit_test(works_for_many_trials),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
