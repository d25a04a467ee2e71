/* group_test.c - what replacing a member costs: against dp_accounting 0.6, against the exact value of plain
 * events, and against one pair of neighbours, the antipodal one, which no bound may be below. */
#include "privacy/group.h"

#include "privacy/accountant.h"
#include "privacy/rdp.h"

#include "base/memory.h"

#include "support/test.h"

static tacit_guarantee account(const tc_accountant *a, const tacit_dp_event *e, size_t n,
                               double delta)
{
    tacit_error err = {0};
    tacit_guarantee g;
    assert_ok(tc_account(a, e, n, delta, &g, &err));
    return g;
}

static tacit_dp_event gaussian(tacit_dp_sampling sampling, double q, double z, uint64_t count)
{
    return (tacit_dp_event){TACIT_DP_GAUSSIAN, z, sampling, q, count};
}

/* dp_accounting 0.6 of Gaussian(5) at 1e-5: PLD 0.725522 and, for replacement, 1.554982. Its RDP accountant
 * says 0.794522 for both, which is too little for replacement. */
static void a_plain_gaussian_has_half_the_noise(void **state)
{
    (void)state;
    tacit_dp_event once = gaussian(TACIT_DP_ALL, 1, 5, 1), twice = tc_dp_event_replaced(&once);
    assert_true(twice.sampling == TACIT_DP_ALL && twice.parameter == 2.5);
    assert_close(account(&tc_accountant_pld, &once, 1, 1e-5).epsilon, 0.7255217509989307, 1e-6);
    assert_close(account(&tc_accountant_rdp, &once, 1, 1e-5).epsilon, 0.794522032537103, 1e-3);
    assert_close(account(&tc_accountant_pld, &twice, 1, 1e-5).epsilon, 1.55498169159785, 1e-6);
    assert_true(account(&tc_accountant_rdp, &twice, 1, 1e-5).epsilon > 1.55498169);
    tacit_dp_event at_one = gaussian(TACIT_DP_POISSON_REPLACED, 1, 5, 1);
    assert_same_bits(account(&tc_accountant_pld, &at_one, 1, 1e-5).epsilon,
                     account(&tc_accountant_pld, &twice, 1, 1e-5).epsilon);
}

static void other_events_are_replaced(void **state)
{
    (void)state;
    tacit_dp_event e = {TACIT_DP_LAPLACE, 0.5, TACIT_DP_ALL, 1, 3}, r = tc_dp_event_replaced(&e);
    assert_true(r.mechanism == TACIT_DP_LAPLACE && r.parameter == 1 && r.count == 3);
    e = (tacit_dp_event){TACIT_DP_PURE, 6e5, TACIT_DP_ALL, 1, 1};
    assert_int_equal(tc_dp_event_replaced(&e).mechanism, TACIT_DP_NONPRIVATE);
    e = gaussian(TACIT_DP_FIXED_SIZE, 0.5, 1, 1); /* is about replacement as it is */
    assert_int_equal(tc_dp_event_replaced(&e).sampling, TACIT_DP_FIXED_SIZE);
    e = gaussian(TACIT_DP_POISSON, 0.5, 1, 7);
    r = tc_dp_event_replaced(&e);
    assert_true(r.sampling == TACIT_DP_POISSON_REPLACED && r.parameter == 1 && r.count == 7);
    assert_int_equal(tc_dp_event_replaced(&r).sampling, TACIT_DP_POISSON_REPLACED); /* once */
    e = tc_dp_event_none();
    assert_int_equal(tc_dp_event_replaced(&e).mechanism, TACIT_DP_NONPRIVATE);
}

/* What dp_accounting's PLD says for adding or removing, and for the antipodal pair under replacement. */
typedef struct setting {
    double z, q;
    uint64_t steps;
    double delta, once, antipodal;
} setting;
static const setting settings[] = {{1.1, 0.01, 1000, 1e-5, 1.51537, 2.47780},
                                   {1, 0.001, 10000, 1e-6, 0.55539, 0.91059},
                                   {4, 0.1, 500, 1e-6, 2.64820, 5.53650}};

static void sampled_bounds_are_above_the_antipodal_pair(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof settings / sizeof *settings; i++) {
        const setting *s = &settings[i];
        tacit_dp_event once = gaussian(TACIT_DP_POISSON, s->q, s->z, s->steps);
        tacit_dp_event replaced = tc_dp_event_replaced(&once);
        tacit_guarantee pld = account(&tc_accountant_pld, &replaced, 1, s->delta);
        tacit_guarantee rdp = account(&tc_accountant_rdp, &replaced, 1, s->delta);
        assert_close(account(&tc_accountant_pld, &once, 1, s->delta).epsilon, s->once, 5e-4);
        assert_true(pld.epsilon > s->antipodal && rdp.epsilon >= pld.epsilon);
        assert_true(pld.lower > s->once * 0.999 && pld.lower <= s->once * 1.001);
        assert_true(pld.epsilon < 2.3 * s->once); /* and not far above a group's 2 */
        assert_string_equal(pld.accountant, "pld");
    }
}

/* ---- the antipodal pair, by brute force */

static double density(double q, double z, double x, double side)
{
    double scale = 1 / (z * sqrt(2 * M_PI));
    return scale *
           ((1 - q) * exp(-x * x / (2 * z * z)) + q * exp(-(x - side) * (x - side) / (2 * z * z)));
}

static double antipodal_rdp(double q, double z, double order)
{
    double sum = 0, h = z / 400;
    for (double x = -40 * z - 2 * order; x < 40 * z + 2 * order; x += h) {
        double p = density(q, z, x, 1), r = density(q, z, x, -1);
        if (p > 1e-300 && r > 1e-300)
            sum += h * exp(log(r) + order * log(p / r));
    }
    return log(sum) / (order - 1);
}

static void renyi_bounds_are_above_the_antipodal_pair(void **state)
{
    (void)state;
    static const double rates[] = {1e-3, 0.05, 0.3, 0.9}, noises[] = {0.7, 1.5, 6};
    static const double orders[] = {1.06, 1.5, 2, 3.7, 6.3, 9, 17};
    for (size_t i = 0; i < 4; i++)
        for (size_t j = 0; j < 3; j++)
            for (size_t k = 0; k < 7; k++) {
                double q = rates[i], z = noises[j], a = orders[k];
                double bound = tc_group_rdp(q, z, a), least = antipodal_rdp(q, z, a);
                tacit_dp_event once = gaussian(TACIT_DP_POISSON, q, z, 1);
                assert_true(bound >= least * (1 - 1e-6));
                assert_true(bound <= 2 * a / (z * z) * (1 + 1e-12));
                assert_true(bound >= tc_rdp_of(&once, a));
            }
}

/* Of all order exponents the one taken is exact without sampling, and never above the usual one. */
static void exponent_is_the_best(void **state)
{
    (void)state;
    for (double a = 1.05; a < 30; a *= 1.31) {
        double z = 3, q = 0.2;
        tacit_dp_event e = gaussian(TACIT_DP_POISSON, q, z, 1);
        assert_close(tc_group_rdp(1, z, a), 2 * a / (z * z), 1e-12);
        if (2 * a > 12)
            continue;
        double usual = (a - 0.5) / (a - 1) * tc_rdp_of(&e, 2 * a) + tc_rdp_of(&e, 2 * a - 1);
        assert_true(tc_group_rdp(q, z, a) <= usual * (1 + 1e-12));
    }
}

enum { CELLS = 4096 };
#define CELL 0.01

static size_t cell_of(double loss)
{
    double k = floor(loss / CELL) + CELLS / 2;
    return k < 0 ? 0 : k > CELLS - 1 ? CELLS - 1 : (size_t)k;
}

/* p convolved with itself; sums beyond the grid stay at its ends. */
static void square(double *p)
{
    double *out = tc_alloc(CELLS, sizeof *out);
    assert_non_null(out);
    for (size_t i = 0; i < CELLS; i++)
        for (size_t j = 0; p[i] > 0 && j < CELLS; j++) {
            size_t k = i + j < CELLS / 2 ? 0 : i + j - CELLS / 2;
            out[k < CELLS ? k : CELLS - 1] += p[i] * p[j];
        }
    memcpy(p, out, CELLS * sizeof *p);
    tc_free(out);
}

/* At most delta(epsilon) of 2^squarings steps: all losses are rounded down. */
static double antipodal_delta(double q, double z, int squarings, double epsilon)
{
    double *p = tc_alloc(CELLS, sizeof *p), delta = 0, h = z / 2000;
    assert_non_null(p);
    for (double x = -12 * z; x < 12 * z; x += h) {
        double here = density(q, z, x, 1);
        p[cell_of(log(here / density(q, z, x, -1)))] += here * h;
    }
    for (int i = 0; i < squarings; i++)
        square(p);
    for (size_t k = 0; k < CELLS; k++) {
        double loss = ((double)k - CELLS / 2) * CELL;
        if (loss > epsilon)
            delta += p[k] * (1 - exp(epsilon - loss));
    }
    tc_free(p);
    return delta;
}

static void no_group_is_below_its_members(void **state)
{
    (void)state;
    static const double rates[] = {0.02, 0.2, 0.6}, noises[] = {1, 2.5, 5};
    for (size_t i = 0; i < 3; i++) {
        double q = rates[i], z = noises[i], delta = 1e-4;
        tacit_dp_event once = gaussian(TACIT_DP_POISSON, q, z, 16);
        tacit_dp_event both = tc_dp_event_replaced(&once);
        double epsilon = account(&tc_accountant_pld, &both, 1, delta).epsilon;
        double too_small = account(&tc_accountant_pld, &once, 1, delta).epsilon;
        assert_true(antipodal_delta(q, z, 4, epsilon) <= delta);
        assert_true(antipodal_delta(q, z, 4, too_small) > delta); /* it would be noticed */
    }
}

/* ---- together with others */

static void evaluations_compose_with_training(void **state)
{
    (void)state;
    tacit_dp_event e[] = {gaussian(TACIT_DP_POISSON_REPLACED, 0.01, 1.1, 1000),
                          gaussian(TACIT_DP_ALL, 1, 20, 30)};
    double training = account(&tc_accountant_pld, &e[0], 1, 1e-5).epsilon;
    double both = account(&tc_accountant_pld, e, 2, 1e-5).epsilon;
    double apart = training + account(&tc_accountant_pld, &e[1], 1, 1e-5).epsilon;
    assert_true(both > training && both < apart);
    /* Without its sampling the training is two Gaussians, whose composition is exact: a ceiling. */
    tacit_dp_event plain[] = {gaussian(TACIT_DP_ALL, 1, 0.55, 1000), e[1]};
    assert_true(both < account(&tc_accountant_pld, plain, 2, 1e-5).epsilon);
    e[1] = (tacit_dp_event){TACIT_DP_PURE, 0.1, TACIT_DP_ALL, 1, 1}; /* has no middle: by rdp */
    assert_string_equal(account(&tc_accountant_pld, e, 2, 1e-5).accountant, "rdp");
    e[1] = (tacit_dp_event){TACIT_DP_LAPLACE, 0.1, TACIT_DP_ALL, 1, 1};
    assert_true(account(&tc_accountant_pld, e, 2, 1e-5).epsilon > training);
}

static void relations_are_not_mixed(void **state)
{
    (void)state;
    tacit_error err = {0};
    tacit_guarantee g;
    tacit_dp_event e[] = {gaussian(TACIT_DP_POISSON_REPLACED, 0.01, 1.1, 10),
                          gaussian(TACIT_DP_POISSON, 0.01, 1.1, 10)};
    assert_fails(tc_account(&tc_accountant_pld, e, 2, 1e-5, &g, &err), TACIT_E_UNSUPPORTED,
                 "events with Poisson sampling hold for adding or removing a member and those "
                 "charged for replacement for replacing one; they have no common guarantee");
    e[1].sampling = TACIT_DP_FIXED_SIZE; /* is about replacement, too */
    assert_ok(tc_account(&tc_accountant_pld, e, 2, 1e-5, &g, &err));
    assert_string_equal(g.accountant, "rdp");
    assert_fails(tc_account(&tc_accountant_moments, e, 1, 1e-5, &g, &err), TACIT_E_UNSUPPORTED,
                 "Poisson-sampled, charged for replacement (rate 0.01)");
}

static void pure_groups(void **state)
{
    (void)state;
    tacit_dp_event e = {TACIT_DP_PURE, 1, TACIT_DP_POISSON_REPLACED, 0.1, 1};
    double exact = log((0.9 + 0.1 * exp(1)) / (0.9 + 0.1 * exp(-1)));
    double got = account(&tc_accountant_pure, &e, 1, 0.1).epsilon;
    assert_true(got >= exact && got < exact * (1 + 1e-12));
    assert_same_bits(tc_group_pure(1, 1), 2.0);
    assert_true(tc_group_pure(1, 1 - 1e-16) <= 2);
}

static void calibrates(void **state)
{
    (void)state;
    tacit_error err = {0};
    double once = 0, replaced = 0;
    assert_ok(tc_calibrate(&tc_accountant_pld, 2, 1e-5, TACIT_DP_POISSON, 0.01, 1000, &once, &err));
    assert_ok(tc_calibrate(&tc_accountant_pld, 2, 1e-5, TACIT_DP_POISSON_REPLACED, 0.01, 1000,
                           &replaced, &err));
    tacit_dp_event e = gaussian(TACIT_DP_POISSON_REPLACED, 0.01, replaced, 1000);
    double epsilon = account(&tc_accountant_pld, &e, 1, 1e-5).epsilon;
    assert_true(replaced > once && epsilon <= 2 && epsilon > 1.999);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_plain_gaussian_has_half_the_noise),
        cmocka_unit_test(other_events_are_replaced),
        cmocka_unit_test(sampled_bounds_are_above_the_antipodal_pair),
        cmocka_unit_test(renyi_bounds_are_above_the_antipodal_pair),
        cmocka_unit_test(exponent_is_the_best),
        cmocka_unit_test(no_group_is_below_its_members),
        cmocka_unit_test(evaluations_compose_with_training),
        cmocka_unit_test(relations_are_not_mixed),
        cmocka_unit_test(pure_groups),
        cmocka_unit_test(calibrates),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
