/* log_between_test.c - against values computed to 17 digits by tests/golden/log_between.py. */
#include "support/test.h"

#include "algo/single/log_between.h"

static const struct {
    double low, high, mean, var, value, d_mean, d_var;
} golden[] = {
    {-INFINITY, 0.0, 0.0, 1.0, -0.69314718055994531, -0.79788456080286536, 0.0},
    {-INFINITY, 0.0, -1.0, 0.25, -0.023012909328963488, -0.11049572535797992, -0.22099145071595984},
    {-INFINITY, 0.0, 3.0, 1.0, -6.6077262215103495, -3.2830986549304365, 4.9246479823956548},
    {-INFINITY, 0.5, 40.0, 1.0, -784.72087910431758, -39.525284107407583, 780.62436112129977},
    {-INFINITY, 0.0, 1000.0, 1.0, -500007.82669481218, -1000.000999998, 500000.499999},
    {0.0, INFINITY, -1000.0, 1.0, -500007.82669481218, 1000.000999998, 500000.499999},
    {0.0, INFINITY, 12.0, 4.0, -9.8658764552437573e-10, 3.0379414279088382e-9,
     -4.5569121418632573e-9},
    {1.0, INFINITY, -30.0, 2.0, -244.25842259428724, 15.532125171854388, 120.3739700818715},
    {-1.0, 1.0, 0.0, 1.0, -0.38171514630212607, 0.0, -0.35443745261360339},
    {-1.0, 2.0, 0.3, 9.0, -0.96195947513690282, 0.020431476701471518, -0.050870591978679933},
    {0.0, 1.0e-6, 0.2, 1.0, -14.754448991169112, -0.19999949999998333, -0.48000009999983667},
    {0.0, 1.0e-6, -25.0, 1.0, -327.23446159114307, 25.000000499997917, 312.00001249994808},
    {-1.0, 1.0, 30.0, 0.5, -845.63340160270725, -58.0344418778813, 1682.9988144585577},
    {-1.0, 1.0, -1000.0, 1.0, -499008.32569431385, 999.001000998995, 499000.999998998},
    {0.0, 1.0e-9, 1000.0, 1.0, -500021.64220387015, -999.9999999995, 499999.4999995},
    {-5.0, 0.001, 8.0, 1.0, -35.005316284639323, -8.1203824387656785, 32.477469563843331},
    {0.0, 0.002, 0.0, 1.0, -7.1335472982933534, 0.00099999966666671111, -0.49999933333368889},
    {0.0, 0.0005, 0.0, 1.0, -8.5198410344134211, 0.00024999999479166671, -0.49999995833333472},
    {-1.0, 1.0, 0.0, 1.0e-8, 0.0, 0.0, 0.0},
};

static void test_golden(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof golden / sizeof *golden; i++) {
        double d_mean, d_var;
        const double narrow = golden[i].high - golden[i].low < 1e-2 ? 1e-7 : 1e-15;
        const double value = tc_log_between(golden[i].low, golden[i].high, golden[i].mean,
                                            golden[i].var, &d_mean, &d_var);
        assert_close(value, golden[i].value, narrow + 1e-9 * fabs(golden[i].value));
        assert_close(d_mean, golden[i].d_mean, 1e-7 + 1e-7 * fabs(golden[i].d_mean));
        assert_close(d_var, golden[i].d_var, 1e-6 + 1e-6 * fabs(golden[i].d_var));
    }
}

/* Both sides of a bound together are all there is, and more room is more probable. */
static void test_probabilities_add_up(void **state)
{
    (void)state;
    double unused[2];
    for (double mean = -6; mean <= 6; mean += 0.25)
        for (double var = 0.01; var < 20; var *= 3) {
            const double under = exp(tc_log_between(-INFINITY, 0.5, mean, var, unused, unused + 1));
            const double over = exp(tc_log_between(0.5, INFINITY, mean, var, unused, unused + 1));
            const double in = exp(tc_log_between(0.5, 2, mean, var, unused, unused + 1));
            const double beyond = exp(tc_log_between(2, INFINITY, mean, var, unused, unused + 1));
            assert_close(under + over, 1, 1e-13);
            assert_close(in + beyond, over, 1e-13);
        }
}

/* Through all branches: the slopes are those of the value, which falls as the mean leaves the interval. */
static void test_slopes_are_those_of_the_value(void **state)
{
    (void)state;
    const double wide[] = {INFINITY, 3, 1e-2, 1e-3, 1e-5};
    for (size_t w = 0; w < sizeof wide / sizeof *wide; w++) {
        double before = INFINITY;
        for (double mean = 1; mean > -60; mean -= 0.37) {
            double d_mean, d_var, unused[2], gap = 1e-5;
            const double value = tc_log_between(2, 2 + wide[w], mean, 1.3, &d_mean, &d_var);
            const double right =
                tc_log_between(2, 2 + wide[w], mean + gap, 1.3, unused, unused + 1);
            const double left = tc_log_between(2, 2 + wide[w], mean - gap, 1.3, unused, unused + 1);
            assert_close(d_mean, (right - left) / (2 * gap), 1e-4 * (1 + fabs(d_mean)));
            const double more = tc_log_between(2, 2 + wide[w], mean, 1.3 + gap, unused, unused + 1);
            const double less = tc_log_between(2, 2 + wide[w], mean, 1.3 - gap, unused, unused + 1);
            assert_close(d_var, (more - less) / (2 * gap), 1e-3 * (1 + fabs(d_var)));
            assert_true(value < before);
            before = value;
        }
    }
}

/* Where a point was tried there is no variance left: a bound is met or not, and the numbers stay finite. */
static void test_no_variance(void **state)
{
    (void)state;
    double d_mean, d_var;
    assert_close(tc_log_between(-INFINITY, 1, 0.5, 0, &d_mean, &d_var), 0, 0);
    assert_close(d_mean, 0, 0);
    assert_close(tc_log_between(-INFINITY, 1, 1, 0, &d_mean, &d_var), log(0.5), 1e-15);
    assert_true(isfinite(d_mean) && isfinite(d_var));
    assert_true(tc_log_between(0, 1, 1.5, 0, &d_mean, &d_var) < -1e20);
    assert_true(isfinite(d_mean) && d_mean < 0 && isfinite(d_var));
    double slope;
    assert_close(tc_log_cdf(40, &slope), 0, 0);
    assert_close(tc_log_cdf(-1e3, &slope), -500007.8266946, 1e-6);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_golden),
        cmocka_unit_test(test_probabilities_add_up),
        cmocka_unit_test(test_slopes_are_those_of_the_value),
        cmocka_unit_test(test_no_variance),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
