/* accountant_test.c - the registry, what all accountants share, calibration, and properties over
 * thousands of random settings, extreme ones among them. */
#include "privacy/accountant.h"

#include "base/random.h"

#include "support/test.h"

#include <stdio.h>

static tacit_dp_event gaussian(double q, double z, uint64_t count)
{
    return (tacit_dp_event){TACIT_DP_GAUSSIAN, z, q < 1 ? TACIT_DP_POISSON : TACIT_DP_ALL, q,
                            count};
}

static tacit_guarantee account(const tc_accountant *a, tacit_dp_event e, double delta)
{
    tacit_error err = {0};
    tacit_guarantee g;
    assert_ok(tc_account(a, &e, 1, delta, &g, &err));
    return g;
}

static void finds_by_name(void **state)
{
    (void)state;
    tacit_error err = {0};
    const tc_accountant *a = NULL;
    assert_ptr_equal(tc_accountants()[0], &tc_accountant_pld);
    for (size_t i = 0; tc_accountants()[i]; i++) {
        assert_ok(tc_accountant_get(&a, tc_accountants()[i]->name, &err));
        assert_ptr_equal(a, tc_accountants()[i]);
    }
    assert_fails(tc_accountant_get(&a, "rpd", &err), TACIT_E_NOT_FOUND,
                 "there is no accountant \"rpd\"; did you mean \"rdp\"? Accountants: pld, rdp, "
                 "moments, gaussian, pure");
}

static void checks_before_it_counts(void **state)
{
    (void)state;
    tacit_error err = {0};
    tacit_guarantee g = {.epsilon = -1};
    const double bad[] = {0, 1, -0.5, NAN, INFINITY};
    tacit_dp_event e[] = {gaussian(0.5, 1, 1), gaussian(0.5, -1, 1)};
    for (int i = 0; i < 5; i++)
        assert_fails(tc_account(&tc_accountant_rdp, e, 1, bad[i], &g, &err), TACIT_E_ARG,
                     "delta must be in (0, 1), got ");
    assert_fails(tc_account(&tc_accountant_rdp, e, 2, 0.1, &g, &err), TACIT_E_ARG,
                 "events[1]: noise_multiplier must be in (0, 1e6], got -1");
    e[0].count = e[1].count = UINT64_C(600000000000000);
    e[1].parameter = 1;
    assert_fails(tc_account(&tc_accountant_rdp, e, 2, 0.1, &g, &err), TACIT_E_ARG,
                 "must add up to at most 1e15, got 1200000000000000");
    assert_close(g.epsilon, -1, 0);
}

static void nothing_costs_nothing(void **state)
{
    (void)state;
    tacit_error err = {0};
    tacit_dp_event e[] = {gaussian(0.5, 1, 0), {TACIT_DP_NONPRIVATE, 0, TACIT_DP_ALL, 1, 0}};
    for (size_t i = 0; tc_accountants()[i]; i++)
        for (size_t n = 0; n <= 2; n++) {
            tacit_guarantee g = {.epsilon = -1};
            assert_ok(tc_account(tc_accountants()[i], n == 0 ? NULL : e, n, 0.1, &g, &err));
            assert_close(g.epsilon, 0, 0);
            assert_close(g.delta, 0.1, 0);
        }
}

static void nonprivate_is_infinite(void **state)
{
    (void)state;
    tacit_error err = {0};
    tacit_dp_event e[] = {gaussian(0.5, 1, 3), {TACIT_DP_NONPRIVATE, 0, TACIT_DP_ALL, 1, 1}};
    for (size_t i = 0; tc_accountants()[i]; i++) {
        tacit_guarantee g;
        assert_ok(tc_account(tc_accountants()[i], e, 2, 0.1, &g, &err));
        assert_close(g.epsilon, INFINITY, 0);
        assert_close(g.lower, INFINITY, 0);
    }
}

static void equal_events_are_one(void **state)
{
    (void)state;
    tacit_error err = {0};
    enum { N = 3000 };
    static tacit_dp_event ledger[N];
    for (int i = 0; i < N; i++)
        ledger[i] = gaussian(i % 3 == 0 ? 0.5 : 0.25, i % 2 == 0 ? 2 : 3, 1);
    const tacit_dp_event merged[] = {gaussian(0.5, 3, 500), gaussian(0.25, 3, 1000),
                                     gaussian(0.25, 2, 1000), gaussian(0.5, 2, 500)};
    const tc_accountant *some[] = {&tc_accountant_rdp, &tc_accountant_moments};
    for (int i = 0; i < 2; i++) {
        tacit_guarantee a, b;
        assert_ok(tc_account(some[i], ledger, N, 1e-5, &a, &err));
        assert_ok(tc_account(some[i], merged, 4, 1e-5, &b, &err));
        assert_same_bits(a.epsilon, b.epsilon);
    }
}

static void refuses_what_has_no_common_meaning(void **state)
{
    (void)state;
    tacit_error err = {0};
    tacit_guarantee g;
    const tacit_dp_event e[] = {{TACIT_DP_GAUSSIAN, 2, TACIT_DP_FIXED_SIZE, 0.1, 3},
                                gaussian(0.1, 2, 3)};
    assert_fails(tc_account(&tc_accountant_pld, e, 2, 0.1, &g, &err), TACIT_E_UNSUPPORTED,
                 "they have no common guarantee");
    assert_ok(tc_account(&tc_accountant_pld, e, 1, 0.1, &g, &err));
    assert_string_equal(g.accountant, "rdp");
    static tacit_dp_event many[1001];
    for (int i = 0; i < 1001; i++)
        many[i] = gaussian(0.5, 1 + i, 1);
    assert_fails(tc_account(&tc_accountant_rdp, many, 1001, 0.1, &g, &err), TACIT_E_UNSUPPORTED,
                 "at most 1000 different sampled Gaussians, got 1001");
}

static void pure_epsilons_add(void **state)
{
    (void)state;
    tacit_error err = {0};
    const tacit_dp_event e[] = {{TACIT_DP_LAPLACE, 0.5, TACIT_DP_ALL, 1, 4},
                                {TACIT_DP_PURE, 1, TACIT_DP_POISSON, 0.1, 10}};
    tacit_guarantee g;
    assert_ok(tc_account(&tc_accountant_pure, e, 2, 1e-5, &g, &err));
    assert_close(g.epsilon, 2 + 10 * log1p(0.1 * expm1(1)), 1e-12);
    assert_true(g.epsilon >= 2 + 10 * log1p(0.1 * expm1(1)));
    assert_close(g.delta, 0, 0);
    tacit_dp_event n = gaussian(1, 3, 1);
    assert_fails(tc_account(&tc_accountant_pure, &n, 1, 0.1, &g, &err), TACIT_E_UNSUPPORTED,
                 "accountant \"pure\" has no formula for Gaussian(3) without sampling");
}

/* ---- the default accountant */

static void pld_names_the_bound_it_reports(void **state)
{
    (void)state;
    tacit_guarantee plain = account(&tc_accountant_pld, gaussian(1, 5, 40), 1e-5);
    assert_string_equal(plain.accountant, "gaussian");
    assert_close(plain.epsilon, account(&tc_accountant_gaussian, gaussian(1, 5, 40), 1e-5).epsilon,
                 0);
    tacit_guarantee g = account(&tc_accountant_pld, gaussian(0.25, 1, 40), pow(200, -1.1));
    assert_string_equal(g.accountant, "pld");
    assert_close(g.epsilon, 7.0538, 0.003);
    assert_true(g.lower <= g.epsilon && g.lower > 7.04);
    /* A count that no grid holds: the answer is the RDP one, or better, in bounded time. */
    tacit_guarantee far = account(&tc_accountant_pld, gaussian(0.5, 0.3, 1000000000), 1e-12);
    assert_true(far.epsilon <=
                account(&tc_accountant_rdp, gaussian(0.5, 0.3, 1000000000), 1e-12).epsilon);
}

static void pld_gives_the_tight_values(void **state)
{
    (void)state;
    static const struct {
        double q, z, delta_n, delta_5; /* at 200^-1.1 and at 1e-5 */
    } rows[] = {{0.15, 1.0, 3.9636, 6.886},
                {0.25, 1.0, 7.0538, 11.284},
                {0.50, 1.0, 15.7100, 22.510},
                {0.25, 1.2, 5.1524, 8.368},
                {0.25, 1.5, 3.5972, 5.943}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        tacit_dp_event e = gaussian(rows[i].q, rows[i].z, 40);
        assert_close(account(&tc_accountant_pld, e, pow(200, -1.1)).epsilon, rows[i].delta_n,
                     0.003);
        assert_close(account(&tc_accountant_pld, e, 1e-5).epsilon, rows[i].delta_5, 0.003);
    }
}

/* ---- calibration */

/* Published to three digits, from a grid that was coarser than ours and so up to 0.2 % high. */
static void calibrates_with_sampling(void **state)
{
    (void)state;
    static const struct {
        double q, epsilon, z;
    } rows[] = {{0.25, 1, 6.140}, {0.25, 2, 3.407}, {0.25, 4, 1.984}, {0.25, 8, 1.235},
                {0.10, 1, 2.686}, {0.10, 2, 1.633}, {0.10, 4, 1.087}, {0.10, 8, 0.769}};
    tacit_error err = {0};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        double z;
        assert_ok(tc_calibrate(&tc_accountant_pld, rows[i].epsilon, 1e-5, TACIT_DP_POISSON,
                               rows[i].q, 40, &z, &err));
        assert_true(z <= rows[i].z + 5e-4 && z >= rows[i].z * 0.998);
        assert_true(account(&tc_accountant_pld, gaussian(rows[i].q, z, 40), 1e-5).epsilon <=
                    rows[i].epsilon);
    }
}

static void calibrates_the_smallest(void **state)
{
    (void)state;
    tacit_error err = {0};
    const tc_accountant *some[] = {&tc_accountant_rdp, &tc_accountant_moments};
    const double q[] = {1e-4, 0.03, 0.6, 1}, epsilon[] = {0.3, 3, 200};
    for (int a = 0; a < 2; a++)
        for (int i = 0; i < 4; i++)
            for (int j = 0; j < 3; j++) {
                double z;
                tacit_dp_sampling s = q[i] < 1 ? TACIT_DP_POISSON : TACIT_DP_ALL;
                tacit_status status =
                    tc_calibrate(some[a], epsilon[j], 1e-6, s, q[i], 1000, &z, &err);
                if (status == TACIT_E_NUMERIC) /* ln(1/delta)/32 is beyond moments */
                    continue;
                assert_ok(status);
                assert_true(account(some[a], gaussian(q[i], z, 1000), 1e-6).epsilon <= epsilon[j]);
                assert_true(account(some[a], gaussian(q[i], z * (1 - 1.1e-6), 1000), 1e-6).epsilon >
                            epsilon[j]);
            }
}

static void calibration_refuses(void **state)
{
    (void)state;
    tacit_error err = {0};
    double z = -1;
    const tc_accountant *rdp = &tc_accountant_rdp;
    assert_fails(tc_calibrate(rdp, 0, 0.1, TACIT_DP_ALL, 1, 1, &z, &err), TACIT_E_ARG,
                 "epsilon must be in (0, 1e6], got 0");
    assert_fails(tc_calibrate(rdp, NAN, 0.1, TACIT_DP_ALL, 1, 1, &z, &err), TACIT_E_ARG, "epsilon");
    assert_fails(tc_calibrate(rdp, 1, 1.5, TACIT_DP_ALL, 1, 1, &z, &err), TACIT_E_ARG,
                 "delta must be in (0, 1), got 1.5");
    assert_fails(tc_calibrate(rdp, 1, 0.1, TACIT_DP_POISSON, 2, 1, &z, &err), TACIT_E_ARG,
                 "sampling_rate must be in (0, 1], got 2");
    assert_fails(tc_calibrate(rdp, 1, 0.1, TACIT_DP_ALL, 1, 0, &z, &err), TACIT_E_ARG,
                 "rounds must be at least 1, got 0");
    assert_fails(
        tc_calibrate(rdp, 1e-3, 1e-12, TACIT_DP_ALL, 1, 5, &z, &err), TACIT_E_NUMERIC,
        "no noise_multiplier up to 1e6 keeps 5 rounds within epsilon 0.001 at delta 1e-12");
    assert_fails(tc_calibrate(&tc_accountant_pure, 1, 0.1, TACIT_DP_ALL, 1, 1, &z, &err),
                 TACIT_E_UNSUPPORTED, "pure");
    assert_close(z, -1, 0);
    /* A delta so large that no noise is needed at all ends at the least multiplier. */
    assert_ok(tc_calibrate(&tc_accountant_gaussian, 1e6, 0.999, TACIT_DP_ALL, 1, 1, &z, &err));
    assert_close(z, 1e-3, 1e-12);
}

/* ---- properties */

static double between(tc_stream *s, double low, double high) /* log-uniform */
{
    return low * pow(high / low, tc_draw_uniform(s));
}

typedef struct setting {
    tacit_dp_event e;
    double delta;
} setting;

static setting random_setting(tc_stream *s)
{
    double q = tc_draw_below(s, 8) == 0 ? 1 : between(s, 1e-6, 1);
    double rounds = floor(between(s, 1, 1e6));
    return (setting){gaussian(q, between(s, 0.3, 100), (uint64_t)rounds), between(s, 1e-12, 0.5)};
}

static void rdp_is_below_moments_and_monotone(void **state)
{
    (void)state;
    tc_public_seed seed = tc_public_seed_from(20);
    tc_stream s;
    tc_stream_public(&s, &seed, TC_FOR_RUN, 0);
    for (int i = 0; i < 500; i++) {
        setting t = random_setting(&s);
        double rdp = account(&tc_accountant_rdp, t.e, t.delta).epsilon;
        assert_true(rdp <= account(&tc_accountant_moments, t.e, t.delta).epsilon);
        assert_true(rdp >= 0 && rdp < INFINITY);
        setting more = t;
        double gap = 1e-4 * rdp + 1e-9; /* the grid of orders is refined from place to place */
        more.e.count += more.e.count / 10 + 1;
        assert_true(account(&tc_accountant_rdp, more.e, t.delta).epsilon >= rdp - gap);
        more = t;
        more.e.parameter /= 1.1;
        assert_true(account(&tc_accountant_rdp, more.e, t.delta).epsilon >= rdp - gap);
        assert_true(account(&tc_accountant_rdp, t.e, t.delta / 2).epsilon >= rdp - gap);
        more = t;
        more.e.sampling_rate = t.e.sampling_rate + (1 - t.e.sampling_rate) / 16;
        assert_true(account(&tc_accountant_rdp, more.e, t.delta).epsilon >= rdp - gap);
    }
}

static void pld_is_below_rdp(void **state)
{
    (void)state;
    tc_public_seed seed = tc_public_seed_from(21);
    tc_stream s;
    tc_stream_public(&s, &seed, TC_FOR_RUN, 0);
    for (int i = 0; i < 20; i++) {
        setting t = random_setting(&s);
        tacit_guarantee g = account(&tc_accountant_pld, t.e, t.delta);
        assert_true(g.epsilon <= account(&tc_accountant_rdp, t.e, t.delta).epsilon);
        assert_true(g.lower >= 0 && g.lower <= g.epsilon);
    }
}

/* Without sampling the closed form is exact: every other bound must lie above it. */
static void nothing_undercuts_the_exact_value(void **state)
{
    (void)state;
    tc_public_seed seed = tc_public_seed_from(22);
    tc_stream s;
    tc_stream_public(&s, &seed, TC_FOR_RUN, 0);
    for (int i = 0; i < 1000; i++) {
        setting t = random_setting(&s);
        t.e.sampling = TACIT_DP_ALL;
        t.e.sampling_rate = 1;
        tacit_guarantee exact = account(&tc_accountant_gaussian, t.e, t.delta);
        assert_true(exact.lower <= exact.epsilon);
        assert_close(exact.lower, exact.epsilon, 1e-9 * exact.epsilon);
        assert_true(account(&tc_accountant_rdp, t.e, t.delta).epsilon >= exact.lower);
    }
}

static void extremes_have_an_answer(void **state)
{
    (void)state;
    const double q[] = {1e-300, 1e-6, 0.5, 1 - 1e-16, 1}, z[] = {1e-300, 1e-3, 0.3, 1e6};
    const uint64_t count[] = {1, 1000000, UINT64_C(1000000000000000)};
    const double delta[] = {1e-300, 1e-12, 1 - 1e-16};
    for (int i = 0; i < 5 * 4 * 3 * 3; i++) {
        tacit_dp_event e = gaussian(q[i % 5], z[i / 5 % 4], count[i / 20 % 3]);
        tacit_guarantee g = account(&tc_accountant_rdp, e, delta[i / 60]);
        assert_true(g.epsilon >= 0);
        assert_true(g.epsilon <= account(&tc_accountant_moments, e, delta[i / 60]).epsilon);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(finds_by_name),
        cmocka_unit_test(checks_before_it_counts),
        cmocka_unit_test(nothing_costs_nothing),
        cmocka_unit_test(nonprivate_is_infinite),
        cmocka_unit_test(equal_events_are_one),
        cmocka_unit_test(refuses_what_has_no_common_meaning),
        cmocka_unit_test(pure_epsilons_add),
        cmocka_unit_test(pld_names_the_bound_it_reports),
        cmocka_unit_test(pld_gives_the_tight_values),
        cmocka_unit_test(calibrates_with_sampling),
        cmocka_unit_test(calibrates_the_smallest),
        cmocka_unit_test(calibration_refuses),
        cmocka_unit_test(rdp_is_below_moments_and_monotone),
        cmocka_unit_test(pld_is_below_rdp),
        cmocka_unit_test(nothing_undercuts_the_exact_value),
        cmocka_unit_test(extremes_have_an_answer),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
