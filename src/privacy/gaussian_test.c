/* gaussian_test.c - the closed form against high-precision values (tests/golden/gaussian.py),
 * from mu = 1e-6 to 1e3 and delta down to 1e-15, always from above. */
#include "privacy/accountant.h"

#include "support/test.h"

#include <float.h>

static void epsilon_of_mu(void **state)
{
    (void)state;
    static const struct {
        double mu, delta, epsilon;
    } table[] = {
        {1e-6, 0.1, 0.0},
        {1e-6, 1e-5, 0.0},
        {1e-6, 1e-6, 0.0},
        {1e-6, 1e-15, 5.6990738319431404e-6},
        {1e-4, 0.1, 0.0},
        {1e-4, 1e-5, 9.0237094325635038e-5},
        {1e-4, 1e-6, 0.00019383931724704382},
        {1e-4, 1e-15, 0.00064222886744660911},
        {0.01, 0.1, 0.0},
        {0.01, 1e-5, 0.027219419814577136},
        {0.01, 1e-6, 0.033673780130806474},
        {0.01, 1e-15, 0.070822021969622825},
        {0.2, 0.1, 0.0},
        {0.2, 1e-5, 0.72552175085779583},
        {0.2, 1e-6, 0.83411754862405235},
        {0.2, 1e-15, 1.5143172083200094},
        {0.25, 0.1, 0.0},
        {0.25, 1e-5, 0.92634150399822944},
        {0.25, 1e-6, 1.0607018623282737},
        {0.25, 1e-15, 1.9061571732437897},
        {0.2500001, 0.1, 0.0},
        {0.2500001, 1e-5, 0.92634191041377161},
        {0.2500001, 1e-6, 1.0607023200664303},
        {0.2500001, 1e-15, 1.9061579607127465},
        {0.5, 0.1, 0.2864961017568259},
        {0.5, 1e-5, 1.9930914044151196},
        {0.5, 1e-6, 2.2540846502197409},
        {0.5, 1e-15, 3.9173690845017109},
        {1, 0.1, 1.1603338527916172},
        {1, 1e-5, 4.3771780956812246},
        {1, 1e-6, 4.886554117462212},
        {1, 1e-15, 8.1655796955042536},
        {2, 0.1, 3.8078845420382895},
        {2, 1e-5, 9.9972561464343004},
        {2, 1e-6, 10.997151214220651},
        {2, 1e-15, 17.479458492636288},
        {4, 0.1, 12.267783135961641},
        {4, 1e-5, 24.381610883113673},
        {4, 1e-6, 26.356963925325814},
        {4, 1e-15, 39.215388486053477},
        {30, 0.1, 487.46764753243552},
        {30, 1e-5, 577.01197368801701},
        {30, 1e-6, 591.67471782589054},
        {30, 1e-15, 687.35338778814997},
        {1000, 0.1, 501280.55220610566},
        {1000, 1e-5, 504263.89292065408},
        {1000, 1e-6, 504752.42667835933},
        {1000, 1e-15, 507940.3492762729},
    };
    for (size_t i = 0; i < sizeof table / sizeof *table; i++) {
        double e = tc_gaussian_epsilon(table[i].mu, table[i].delta);
        assert_true(e >= table[i].epsilon * (1 - 2 * DBL_EPSILON));
        assert_close(e, table[i].epsilon, 1e-9 * table[i].epsilon);
        assert_true(tc_gaussian_delta(table[i].mu, e) <= table[i].delta);
    }
}

/* The definition in long double, where it still has digits. */
static double plain_delta(double mu, double epsilon)
{
    long double m = mu, e = epsilon, root = sqrtl(2);
    return (double)(erfcl((e / m - m / 2) / root) / 2 -
                    expl(e) * erfcl((e / m + m / 2) / root) / 2);
}

static void delta_of_epsilon(void **state)
{
    (void)state;
    for (double mu = 0.05; mu < 20; mu *= 1.13)
        for (double a = -mu / 2; a < 4; a += 0.17) {
            double epsilon = mu * (a + mu / 2), truth = plain_delta(mu, epsilon);
            double delta = tc_gaussian_delta(mu, epsilon);
            assert_true(delta >= truth * (1 - 1e-14));
            assert_close(delta, truth, 1e-10 * truth);
        }
}

static void delta_falls_and_never_breaks(void **state)
{
    (void)state;
    const double mu[] = {1e-9, 1e-6, 0.25, 0.26, 1, 50, 1e3, 1e6, 1e150};
    for (int i = 0; i < 9; i++) {
        double last = 2;
        for (double a = -1; a < 60; a += 0.5) {
            double epsilon = mu[i] * (a + mu[i] / 2);
            double delta = epsilon < 0 ? 1 : tc_gaussian_delta(mu[i], epsilon);
            assert_true(delta > 0 && delta <= 1);
            assert_true(delta <= last * (1 + 1e-9));
            last = delta;
        }
        assert_true(tc_gaussian_delta(mu[i], 0) > 0);
    }
    assert_close(tc_gaussian_delta(0, 1), 0, 0);
    assert_close(tc_gaussian_delta(INFINITY, 1), 1, 0);
    assert_close(tc_gaussian_epsilon(0, 0.1), 0, 0);
    assert_close(tc_gaussian_epsilon(INFINITY, 0.1), INFINITY, 0);
    assert_close(tc_gaussian_epsilon(1e200, 0.1), INFINITY, 0);
    assert_true(tc_gaussian_epsilon(1, 1e-300) < 50);
}

static void analytic_gaussian(void **state)
{
    (void)state;
    static const struct {
        double epsilon, delta, sd;
    } table[] = {
        {1, 1e-5, 3.7306316348159418},      {2.7, 1e-5, 1.5262137486836263},
        {10, 1e-5, 0.49988861970900851},    {50, 1e-5, 0.14976060756083602},
        {0.001, 1e-12, 5412.3021938439272}, {3, 0.3, 0.43331337994601334},
    };
    tacit_error err = {0};
    double s = -1;
    for (size_t i = 0; i < sizeof table / sizeof *table; i++) {
        assert_ok(tc_analytic_gaussian(table[i].epsilon, table[i].delta, &s, &err));
        assert_true(s >= table[i].sd * (1 - 2 * DBL_EPSILON));
        assert_close(s, table[i].sd, 1e-9 * table[i].sd);
    }
    s = -1;
    assert_fails(tc_analytic_gaussian(0, 0.1, &s, &err), TACIT_E_ARG,
                 "epsilon must be in (0, 1e6], got 0");
    assert_fails(tc_analytic_gaussian(1, 1, &s, &err), TACIT_E_ARG,
                 "delta must be in (0, 1), got 1");
    assert_fails(tc_analytic_gaussian(NAN, 0.5, &s, &err), TACIT_E_ARG, "got ");
    assert_close(s, -1, 0);
    assert_ok(tc_analytic_gaussian(1e6, 1e-300, &s, &err));
    assert_ok(tc_analytic_gaussian(1e-300, 1e-15, &s, &err));
}

static void composes_exactly(void **state)
{
    (void)state;
    tacit_error err = {0};
    const tacit_dp_event e[] = {{TACIT_DP_GAUSSIAN, 4, TACIT_DP_ALL, 1, 9},
                                {TACIT_DP_GAUSSIAN, 8, TACIT_DP_POISSON, 1, 28}};
    tacit_guarantee g;
    assert_ok(tc_account(&tc_accountant_gaussian, e, 2, 1e-5, &g, &err));
    assert_close(g.epsilon, tc_gaussian_epsilon(1, 1e-5), 1e-12); /* 9/16 + 28/64 = 1 */
    assert_close(g.lower, 4.3771780956812246, 1e-10);
    assert_true(g.lower <= 4.3771780956812246 && g.epsilon >= 4.3771780956812246);
    const tacit_dp_event sampled = {TACIT_DP_GAUSSIAN, 4, TACIT_DP_POISSON, 0.5, 9};
    assert_fails(tc_account(&tc_accountant_gaussian, &sampled, 1, 1e-5, &g, &err),
                 TACIT_E_UNSUPPORTED, "accountant \"gaussian\" has no formula for Gaussian(4)");
}

static void calibrates_without_sampling(void **state)
{
    (void)state;
    static const struct {
        uint64_t rounds;
        double epsilon, z;
    } table[] = {
        {40, 1, 23.5945861542}, {40, 2, 12.6099771108}, {40, 4, 6.83786792753},
        {40, 8, 3.796181972},   {60, 1, 28.897348385},  {60, 2, 15.4440047949},
        {60, 4, 8.37464367549}, {60, 8, 4.64935440107},
    };
    tacit_error err = {0};
    const tc_accountant *both[] = {&tc_accountant_gaussian, &tc_accountant_pld};
    for (size_t i = 0; i < sizeof table / sizeof *table; i++)
        for (int j = 0; j < 2; j++) {
            double z;
            assert_ok(tc_calibrate(both[j], table[i].epsilon, 1e-5, TACIT_DP_ALL, 1,
                                   table[i].rounds, &z, &err));
            assert_true(z >= table[i].z * (1 - 1e-11));
            assert_true(z <= table[i].z * (1 + 1e-6));
        }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(epsilon_of_mu),
        cmocka_unit_test(delta_of_epsilon),
        cmocka_unit_test(delta_falls_and_never_breaks),
        cmocka_unit_test(analytic_gaussian),
        cmocka_unit_test(composes_exactly),
        cmocka_unit_test(calibrates_without_sampling),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
