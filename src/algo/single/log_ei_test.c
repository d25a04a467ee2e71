/* log_ei_test.c - against values computed to 20 digits by tests/golden/log_ei.py. */
#include "support/test.h"

#include "algo/single/log_ei.h"

static const struct {
    double z, value, slope;
} golden[] = {
    {-1e6, -500000000028.54995965, 1000000.000002},
    {-12345.5, -76205704.886032359262, 12345.500162002345845},
    {-1000, -500014.73445209115845, 1000.001999994000042},
    {-50, -1258.7441828684608531, 50.039952133872654947},
    {-21, -227.5147329281090678, 21.094600277127584962},
    {-20.000001, -206.91785860868840651, 20.099263806210609708},
    {-19.999999, -206.91781841016278431, 20.099261815991954321},
    {-7.5, -33.124094345534699403, 7.753958154845190824},
    {-3, -7.8696860596030285171, 3.5323375176251605167},
    {-1.0000001, -2.4851212161397682796, 1.9042713055274621158},
    {-1, -2.4851210257126413368, 1.9042712333296918229},
    {-0.9999999, -2.4851208352855216137, 1.9042711611319227644},
    {-0.5, -1.6205162643873199193, 1.5598731483480796712},
    {0, -0.91893853320467274178, 1.2533141373155002512},
    {0.25, -0.62297823090676788688, 1.1162715463877813478},
    {1, 0.080026218849306940029, 0.77663872520173925975},
    {4, 1.3862961474329032622, 0.24999163562583109843},
    {30, 3.4011973816621553754, 0.033333333333333333333},
};

static void test_golden(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof golden / sizeof *golden; i++) {
        double slope, value = tc_log_h(golden[i].z, &slope);
        assert_close(value, golden[i].value, 1e-13 + 1e-13 * fabs(golden[i].value));
        assert_close(slope, golden[i].slope, 1e-10 * fabs(golden[i].slope));
    }
}

static void test_is_increasing_and_smooth_across_its_branches(void **state)
{
    (void)state;
    double before, slope_before, slope;
    before = tc_log_h(-40, &slope_before);
    for (double z = -39.99; z < 10; z += 0.01) {
        double value = tc_log_h(z, &slope);
        assert_true(value > before);
        assert_close((value - before) / 0.01, (slope + slope_before) / 2, 1e-4);
        before = value;
        slope_before = slope;
    }
}

/* Without logarithms: the same value and slopes, down to where they take over. */
static void test_plain_improvement_is_that_of_its_logarithm(void **state)
{
    (void)state;
    for (double z = TC_EI_LEAST_Z; z < 30; z += 0.01)
        for (double var = 1e-26; var < 10; var *= 1e4) {
            const double best = 0.3, mean = best + z * sqrt(fmax(var, 1e-24));
            double d_mean, d_var, value = tc_log_ei(best, mean, var, &d_mean, &d_var);
            double sd, at = tc_ei_z(best, mean, var, &sd);
            tc_ei ei = tc_ei_at(at, sd);
            assert_close(log(ei.value), value, 1e-9);
            assert_close(ei.d_mean / ei.value, d_mean, 1e-9 * d_mean);
            assert_close(ei.d_var / ei.value, d_var, 1e-9 * fabs(d_var) + 1e-9 * at * at / var);
        }
    for (double z = -40; z < TC_EI_LEAST_Z; z += 0.01) /* lost digits do no harm */
        assert_true(tc_ei_at(z, 1).value >= 0 && tc_ei_at(z, 1).value < 1e-80);
}

/* A value at x with noise moves the mean there by var/(var + noise) of its surprise, which has the variance
 * var + noise. */
static void test_noise_leaves_less_to_move(void **state)
{
    (void)state;
    for (double var = 1e-6; var < 10; var *= 10)
        for (double noise = 1e-6; noise < 10; noise *= 10) {
            double slope, unused, gain = var / (var + noise), gap = 1e-4 * var;
            assert_close(tc_ei_move(var, noise, &slope), gain * gain * (var + noise), 1e-12);
            double right = tc_ei_move(var + gap, noise, &unused);
            double left = tc_ei_move(var - gap, noise, &unused);
            assert_close(slope, (right - left) / (2 * gap), 1e-6);
        }
    double slope;
    assert_same_bits(tc_ei_move(0.3, 0, &slope), 0.3);
    assert_same_bits(slope, 1);
    assert_same_bits(tc_ei_move(0, 0.1, &slope), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_golden),
        cmocka_unit_test(test_is_increasing_and_smooth_across_its_branches),
        cmocka_unit_test(test_plain_improvement_is_that_of_its_logarithm),
        cmocka_unit_test(test_noise_leaves_less_to_move),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
