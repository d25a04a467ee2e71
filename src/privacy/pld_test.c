/* pld_test.c - the bracket beside closed forms, a slow composition, other accountants and itself.
 *
 * The golden rows are printed by tests/golden/pld.py. */
#include "support/test.h"

#include "base/random.h"
#include "privacy/pld.h"

#define COUNT(a) (sizeof(a) / sizeof *(a))

static tacit_dp_event sampled(tacit_dp_mechanism mechanism, double q, double parameter,
                              uint64_t count)
{
    return (tacit_dp_event){.mechanism = mechanism,
                            .parameter = parameter,
                            .sampling_rate = q,
                            .sampling = q < 1 ? TACIT_DP_POISSON : TACIT_DP_ALL,
                            .count = count};
}

static tacit_dp_event gaussian(double q, double z, uint64_t count)
{
    return sampled(TACIT_DP_GAUSSIAN, q, z, count);
}

static tc_pld_bracket bracket_of(const tacit_dp_event *events, size_t n, double delta)
{
    tacit_error err = {0};
    tc_pld_bracket b = {-1, -1, -1};
    assert_ok(tc_pld_bracket_of(events, n, delta, &b, &err));
    assert_true(0 <= b.lower && b.lower <= b.upper && b.upper < INFINITY);
    assert_true(0 <= b.roundoff && b.roundoff <= delta / 100);
    return b;
}

static tc_pld_bracket bracket(tacit_dp_event e, double delta)
{
    return bracket_of(&e, 1, delta);
}

static void check_holds(tc_pld_bracket b, double exact, double slack, double width)
{
    assert_true(b.lower <= exact + slack && exact <= b.upper + slack);
    assert_true(b.upper - b.lower <= width);
}

/* ---- other accountants */

typedef struct golden {
    double q, z;
    uint64_t rounds;
    double delta;
    double google;    /* an upper bound with a grid of 1e-4 */
    double low, high; /* microsoft's bracket */
} golden;

static const golden GOLDEN[] = {
    {0.15, 1, 40, 0.00294352, 3.963594, 3.9530, 3.9742},
    {0.15, 1, 40, 1e-5, 6.885962, 6.8755, 6.8964},
    {0.25, 1, 40, 0.00294352, 7.053772, 7.0429, 7.0646},
    {0.25, 1, 40, 1e-5, 11.283684, 11.2730, 11.2943},
    {0.5, 1, 40, 0.00294352, 15.709998, 15.6986, 15.7214},
    {0.5, 1, 40, 1e-5, 22.510235, 22.4992, 22.5213},
    {0.25, 1.2, 40, 0.00294352, 5.152422, 5.1418, 5.1631},
    {0.25, 1.2, 40, 1e-5, 8.367741, 8.3572, 8.3782},
    {0.25, 1.5, 40, 0.00294352, 3.597157, 3.5867, 3.6076},
    {0.25, 1.5, 40, 1e-5, 5.942734, 5.9324, 5.9531},
    {0.25, 1, 41, 0.00294352, 7.158759, 7.1479, 7.1696},
    {0.25, 1, 41, 1e-5, 11.425749, 11.4151, 11.4364},
    {0.1, 2, 60, 0.00294352, 0.975536, 0.9654, 0.9857},
    {0.1, 2, 60, 1e-5, 1.807304, 1.7972, 1.8174},
    {0.01, 1.1, 10000, 0.00294352, 3.300733, 3.2903, 3.3111},
    {0.01, 1.1, 10000, 1e-5, 5.192620, 5.1823, 5.2029},
    {0.001, 0.7, 2000, 0.00294352, 0.212116, 0.2020, 0.2222},
    {0.001, 0.7, 2000, 1e-5, 0.743146, 0.7330, 0.7533},
    {0.02, 0.6, 300, 0.00294352, 4.488335, 4.4776, 4.4991},
    {0.02, 0.6, 300, 1e-5, 8.393130, 8.3825, 8.4038},
    {0.9, 3, 100, 0.00294352, 12.132740, 12.1217, 12.1438},
    {0.9, 3, 100, 1e-5, 16.821422, 16.8107, 16.8321},
    {0.01, 1.1, 10000, 1e-08, 6.893113, 6.8829, 6.9033},
    {0.25, 1, 40, 1e-09, 16.743920, 16.7334, 16.7545},
};

static void test_other_accountants(void **state)
{
    (void)state;
    for (size_t i = 0; i < COUNT(GOLDEN); i++) {
        const golden *g = &GOLDEN[i];
        tc_pld_bracket b = bracket(gaussian(g->q, g->z, g->rounds), g->delta);
        assert_true(b.lower <= g->google + 1e-6 && b.lower <= g->high + 1e-4);
        assert_true(b.upper >= g->low - 1e-4);
        assert_close(b.upper, g->google, 5e-4);
        assert_close(b.lower, g->google, 5e-4);
    }
}

/* ---- closed forms */

static double upper_normal(double x)
{
    return 0.5 * erfc(x / sqrt(2));
}

/* The delta of one application at eps, in the worse direction. */
typedef double delta_of(double q, double parameter, double eps);

static double gaussian_delta(double q, double z, double eps)
{
    double c = 1 / z, e = exp(eps), worst = 0;
    double a = log((e - (1 - q)) / q), u = a / c + c / 2;
    worst = (1 - q) * upper_normal(u) + q * upper_normal(u - c) - e * upper_normal(u);
    if (exp(-eps) > 1 - q) {
        u = log((exp(-eps) - (1 - q)) / q) / c + c / 2;
        worst = fmax(worst,
                     upper_normal(-u) - e * ((1 - q) * upper_normal(-u) + q * upper_normal(c - u)));
    }
    return worst;
}

/* Two outcomes, of probability w and 1-w under P0, the other way round under Q0. */
static double pure_delta(double q, double epsilon, double eps)
{
    double w = 1 / (1 + exp(-epsilon)), e = exp(eps);
    double p = (1 - q) * (1 - w) + q * w;
    double remove = fmax(0, p - e * (1 - w)), add = fmax(0, w - e * ((1 - q) * w + q * (1 - w)));
    return fmax(remove, add);
}

static double laplace_delta(double q, double epsilon, double eps)
{
    (void)q; /* 1 here */
    return eps < epsilon ? -expm1((eps - epsilon) / 2) : 0;
}

static double invert(delta_of *f, double q, double parameter, double delta)
{
    double low = 0, high = 1;
    if (f(q, parameter, 0) <= delta)
        return 0;
    while (f(q, parameter, high) > delta)
        high *= 2;
    for (int i = 0; i < 200; i++) {
        double middle = 0.5 * (low + high);
        if (f(q, parameter, middle) > delta)
            low = middle;
        else
            high = middle;
    }
    return high;
}

static void test_one_application(void **state)
{
    (void)state;
    const double q[] = {1, 0.6, 0.12, 2e-3}, z[] = {0.1, 0.5, 1, 3, 20}, eps[] = {0.01, 0.5, 2, 9};
    const double delta[] = {0.1, 1e-3, 1e-5, 1e-9};
    for (size_t i = 0; i < COUNT(q); i++)
        for (size_t k = 0; k < COUNT(delta); k++) {
            for (size_t j = 0; j < COUNT(z); j++) {
                double exact = invert(gaussian_delta, q[i], z[j], delta[k]);
                tc_pld_bracket b = bracket(gaussian(q[i], z[j], 1), delta[k]);
                check_holds(b, exact, 1e-6 * (exact + 1e-3), 1e-3 * fmax(1, exact));
            }
            for (size_t j = 0; j < COUNT(eps); j++) {
                double exact = invert(pure_delta, q[i], eps[j], delta[k]);
                tc_pld_bracket b = bracket(sampled(TACIT_DP_PURE, q[i], eps[j], 1), delta[k]);
                check_holds(b, exact, 1e-7 * (exact + 1e-3), 1e-3);
            }
        }
    for (size_t j = 0; j < COUNT(eps); j++)
        for (size_t k = 0; k < COUNT(delta); k++) {
            double exact = invert(laplace_delta, 1, eps[j], delta[k]);
            check_holds(bracket(sampled(TACIT_DP_LAPLACE, 1, eps[j], 1), delta[k]), exact, 1e-9,
                        1e-3);
        }
}

/* Many Gaussians are one; deltas down to where other implementations have no digits left. */
static void test_gaussians_without_sampling(void **state)
{
    (void)state;
    const double z[] = {0.8, 10, 23.594, 400}, delta[] = {0.4, 1e-5, 1e-10, 1e-15};
    for (size_t j = 0; j < COUNT(z); j++)
        for (size_t k = 0; k < COUNT(delta); k++) {
            double exact = invert(gaussian_delta, 1, z[j] / sqrt(40), delta[k]);
            tc_pld_bracket b = bracket(gaussian(1, z[j], 40), delta[k]);
            check_holds(b, exact, 1e-6 * (exact + 1e-3), 1e-3);
        }
    tacit_dp_event mixed[] = {gaussian(1, 2, 3), gaussian(1, 5, 7), gaussian(1, 2, 1)};
    double mu2 = 4 / 4.0 + 7 / 25.0;
    check_holds(bracket_of(mixed, 3, 1e-6), invert(gaussian_delta, 1, 1 / sqrt(mu2), 1e-6), 1e-6,
                1e-3);
}

/* k of n answers of randomised response are the likely ones: the binomial sum. */
static void test_repeated_pure(void **state)
{
    (void)state;
    for (uint64_t n = 2; n < 200; n = n * 2 + 1) {
        double epsilon = 0.3, w = 1 / (1 + exp(-epsilon)), delta = 1e-6;
        tc_pld_bracket b = bracket(sampled(TACIT_DP_PURE, 1, epsilon, n), delta);
        double at[2] = {b.lower - 1e-7, b.upper + 1e-7}, sum[2] = {0, 0};
        for (uint64_t k = 0; k <= n; k++)
            for (int side = 0; side < 2; side++) {
                double loss = epsilon * (2 * (double)k - (double)n);
                double log_p = lgamma((double)n + 1) - lgamma((double)k + 1) -
                               lgamma((double)(n - k) + 1) + (double)k * log(w) +
                               (double)(n - k) * log1p(-w);
                if (loss > at[side])
                    sum[side] -= exp(log_p) * expm1(at[side] - loss);
            }
        assert_true(sum[0] >= delta && sum[1] <= delta);
        assert_true(b.upper - b.lower <= 1e-4);
    }
}

/* ---- a slow composition of different events */

#define SLOW_STEP   0.01
#define SLOW_POINTS 4096
#define SLOW_ZERO   1024

typedef struct slow {
    double p[SLOW_POINTS]; /* at (i - SLOW_ZERO) SLOW_STEP */
} slow;

static double share_below(tacit_dp_event e, bool add, double loss)
{
    double q = e.sampling_rate, c = 1 / e.parameter, level = add ? -loss : loss;
    double u = exp(level) > 1 - q ? log((exp(level) - (1 - q)) / q) / c + c / 2 : -INFINITY;
    return add ? upper_normal(u) : (1 - q) * upper_normal(-u) + q * upper_normal(c - u);
}

/* Losses rounded up (or down) to the grid; no cleverness. */
static void slow_fill(slow *s, tacit_dp_event e, bool add, int up)
{
    memset(s, 0, sizeof *s);
    for (int i = 1; i < SLOW_POINTS; i++) {
        double high = (i - SLOW_ZERO) * SLOW_STEP, low = high - SLOW_STEP;
        s->p[up ? i : i - 1] += share_below(e, add, high) - share_below(e, add, low);
    }
}

static void slow_compose(slow *y, const slow *x)
{
    slow next = {{0}};
    for (int i = 0; i < SLOW_POINTS; i++)
        for (int j = 0; j < SLOW_POINTS && y->p[i] > 0; j++) {
            int k = i + j - SLOW_ZERO;
            if (k >= 0 && k < SLOW_POINTS)
                next.p[k] += y->p[i] * x->p[j];
        }
    *y = next;
}

static double slow_delta(const slow *s, double eps)
{
    double f = 0;
    for (int i = 0; i < SLOW_POINTS; i++) {
        double loss = (i - SLOW_ZERO) * SLOW_STEP;
        if (loss > eps)
            f -= s->p[i] * expm1(eps - loss);
    }
    return f;
}

static void test_different_events(void **state)
{
    (void)state;
    tacit_dp_event events[] = {gaussian(0.3, 1.2, 2), gaussian(0.1, 0.9, 1), gaussian(0.5, 2, 1),
                               gaussian(0.3, 1.2, 1)};
    double delta = 1e-4;
    tc_pld_bracket b = bracket_of(events, COUNT(events), delta);
    double worst_up = 0, worst_down = 0;
    for (int add = 0; add < 2; add++)
        for (int up = 0; up < 2; up++) {
            static slow y, x;
            memset(&y, 0, sizeof y);
            y.p[SLOW_ZERO] = 1;
            for (size_t i = 0; i < COUNT(events); i++)
                for (uint64_t k = 0; k < events[i].count; k++) {
                    slow_fill(&x, events[i], add, up);
                    slow_compose(&y, &x);
                }
            double *worst = up ? &worst_up : &worst_down;
            *worst = fmax(*worst, slow_delta(&y, up ? b.lower : b.upper));
        }
    assert_true(worst_up >= delta);   /* even the pessimist spends delta at the lower value */
    assert_true(worst_down <= delta); /* and the optimist no more than that at the upper one */
    assert_true(b.upper - b.lower <= 1e-3);
    tacit_dp_event shuffled[] = {events[2], events[0], gaussian(0.1, 0.9, 0), events[1], events[3]};
    tc_pld_bracket again = bracket_of(shuffled, COUNT(shuffled), delta);
    assert_true(again.lower <= b.upper && b.lower <= again.upper);
}

/* Sampled and not, Gaussian and pure, in one list: no less than any one of them alone. */
static void test_mixed_mechanisms(void **state)
{
    (void)state;
    tacit_dp_event all[] = {gaussian(0.2, 1, 20), sampled(TACIT_DP_LAPLACE, 0.5, 0.3, 4),
                            sampled(TACIT_DP_PURE, 1, 0.2, 3), gaussian(1, 4, 2)};
    tc_pld_bracket whole = bracket_of(all, COUNT(all), 1e-5);
    double sum = 0;
    for (size_t i = 0; i < COUNT(all); i++) {
        tc_pld_bracket one = bracket(all[i], 1e-5 / 4);
        sum += one.upper;
        assert_true(bracket(all[i], 1e-5).lower <= whole.upper);
    }
    assert_true(whole.lower <= sum); /* basic composition */
    assert_true(whole.upper - whole.lower <= 0.01);
}

/* ---- properties */

/* RDP at integer orders with the conversion of Canonne, Kamath and Steinke: an upper bound. */
static double rdp_epsilon(double q, double z, uint64_t rounds, double delta)
{
    double best = INFINITY;
    for (int a = 2; a <= 200; a++) {
        double total = -INFINITY;
        for (int k = 0; k <= a; k++) {
            double term = lgamma(a + 1.0) - lgamma(k + 1.0) - lgamma(a - k + 1.0) + k * log(q) +
                          (q < 1 ? (a - k) * log1p(-q) : (k < a ? -INFINITY : 0)) +
                          (double)(k * k - k) / (2 * z * z);
            double big = fmax(total, term);
            if (big > -INFINITY)
                total = big + log(exp(total - big) + exp(term - big));
        }
        double rdp = (double)rounds * total / (a - 1);
        best = fmin(best, rdp + log1p(-1.0 / a) - log(a * delta) / (a - 1));
    }
    return best;
}

static double between(tc_stream *s, double low, double high) /* uniform in the logarithm */
{
    return low * pow(high / low, tc_draw_uniform(s));
}

static void start(tc_stream *s, uint64_t step)
{
    tc_public_seed seed = tc_public_seed_from(3);
    tc_stream_public(s, &seed, TC_FOR_DESIGN, step);
}

static void test_never_above_rdp_and_monotone(void **state)
{
    (void)state;
    tc_stream s;
    start(&s, 1);
    for (int i = 0; i < 40; i++) {
        double q = between(&s, 1e-3, 1), z = between(&s, 0.5, 20), delta = between(&s, 1e-10, 0.1);
        uint64_t rounds = (uint64_t)between(&s, 1, 2000);
        double width = 0;
        tc_pld_bracket b = bracket(gaussian(q, z, rounds), delta);
        width = b.upper - b.lower;
        double rdp = rdp_epsilon(q, z, rounds, delta);
        assert_true(b.upper <= fmax(rdp, 0) + width);
        assert_true(width <= 2e-3 * fmax(1, b.upper));
        tc_pld_bracket more[] = {
            bracket(gaussian(q, z, rounds + 1 + rounds / 10), delta),
            bracket(gaussian(fmin(1, q * 1.1), z, rounds), delta),
            bracket(gaussian(q, z * 0.9, rounds), delta),
            bracket(gaussian(q, z, rounds), delta * 0.7),
        };
        for (size_t k = 0; k < COUNT(more); k++)
            assert_true(b.lower <= more[k].upper && b.upper <= more[k].upper + width);
    }
}

/* Extremes: an answer that is a bracket, or a refusal that says so. */
static void test_any_setting_has_an_answer(void **state)
{
    (void)state;
    tc_stream s;
    start(&s, 2);
    int answers = 0;
    for (int i = 0; i < 24; i++) {
        tacit_dp_mechanism mechanism = i % 4 == 3   ? TACIT_DP_LAPLACE
                                       : i % 8 == 6 ? TACIT_DP_PURE
                                                    : 0;
        tacit_dp_event e = sampled(mechanism, between(&s, 1e-6, 1), between(&s, 0.01, 1e6),
                                   (uint64_t)between(&s, 1, i % 10 == 0 ? 1e12 : 1e6));
        double delta = between(&s, 1e-15, 0.5);
        tacit_error err = {0};
        tc_pld_bracket b = {0, 0, 0};
        tacit_status status = tc_pld_bracket_of(&e, 1, delta, &b, &err);
        if (status == TACIT_OK) {
            answers++;
            assert_true(0 <= b.lower && b.lower <= b.upper && b.upper < INFINITY);
        } else {
            assert_int_equal(status, TACIT_E_NUMERIC);
            assert_true(err.msg[0] != '\0');
        }
    }
    assert_true(answers >= 17);
}

static void test_named_extremes(void **state)
{
    (void)state;
    check_holds(bracket(gaussian(1e-6, 1, 1000000), 1e-5), 0.0026810, 1e-6, 1e-5);
    check_holds(bracket(gaussian(1e-6, 0.3, 1000000), 1e-5), 5.3680, 1e-3, 1e-2);
    check_holds(bracket(gaussian(0.01, 1.1, 10000), 1e-15), 9.8987, 1e-3, 1e-2);
    check_holds(bracket(gaussian(0.1, 0.3, 100), 1e-9), 146.93, 1e-2, 1e-1);
    check_holds(bracket(gaussian(3.0107e-05, 0.0152124, 74479), 1.09852e-14), 45512.06, 0.1, 10);
    check_holds(bracket(gaussian(1, 1e6, 1000), 1e-5), 5.6301e-6, 5e-10, 1e-8);
}

/* ---- what is refused, and what needs no computation */

static void test_edges(void **state)
{
    (void)state;
    tacit_error err = {0};
    tc_pld_bracket b = {7, 7, 7};
    assert_ok(tc_pld_bracket_of(NULL, 0, 1e-5, &b, &err));
    assert_true(b.lower == 0 && b.upper == 0);
    tacit_dp_event e = gaussian(0.1, 1, 0);
    assert_ok(tc_pld_bracket_of(&e, 1, 1e-5, &b, &err));
    assert_true(b.upper == 0);
    tacit_dp_event open[] = {gaussian(0.1, 1, 3),
                             {.mechanism = TACIT_DP_NONPRIVATE, .sampling_rate = 1, .count = 1}};
    assert_ok(tc_pld_bracket_of(open, 2, 1e-5, &b, &err));
    assert_true(b.lower == INFINITY && b.upper == INFINITY);
    assert_true(bracket(gaussian(0.001, 10, 1), 0.5).upper == 0);
}

static void test_refusals(void **state)
{
    (void)state;
    tacit_error err = {0};
    tc_pld_bracket b = {7, 7, 7};
    tacit_dp_event e = gaussian(0.1, 1, 10);
    assert_fails(tc_pld_bracket_of(&e, 1, 0, &b, &err), TACIT_E_ARG, "delta must be in (0, 1)");
    assert_fails(tc_pld_bracket_of(&e, 1, NAN, &b, &err), TACIT_E_ARG, "delta");
    e.sampling = TACIT_DP_FIXED_SIZE;
    assert_fails(tc_pld_bracket_of(&e, 1, 1e-5, &b, &err), TACIT_E_UNSUPPORTED, "pld");
    e = gaussian(0.1, -1, 10);
    assert_fails(tc_pld_bracket_of(&e, 1, 1e-5, &b, &err), TACIT_E_ARG, "noise_multiplier");
    e = gaussian(0.1, 1e-8, 10);
    assert_fails(tc_pld_bracket_of(&e, 1, 1e-5, &b, &err), TACIT_E_NUMERIC, "no grid holds");
    e = gaussian(0.1, 1, 1000000000000000);
    assert_fails(tc_pld_bracket_of(&e, 1, 1e-5, &b, &err), TACIT_E_NUMERIC, "");
    static tacit_dp_event many[600];
    for (size_t i = 0; i < COUNT(many); i++)
        many[i] = gaussian(0.1, 1 + 0.001 * (double)i, 1);
    assert_fails(tc_pld_bracket_of(many, COUNT(many), 1e-5, &b, &err), TACIT_E_NUMERIC,
                 "at most 512 different events");
    assert_true(b.lower == 7 && b.upper == 7 && b.roundoff == 7);
}

static void test_same_bits_twice(void **state)
{
    (void)state;
    tc_pld_bracket a = bracket(gaussian(0.25, 1, 40), 1e-5);
    tc_pld_bracket b = bracket(gaussian(0.25, 1, 40), 1e-5);
    assert_same_bits(a.lower, b.lower);
    assert_same_bits(a.upper, b.upper);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_other_accountants),
        cmocka_unit_test(test_one_application),
        cmocka_unit_test(test_gaussians_without_sampling),
        cmocka_unit_test(test_repeated_pure),
        cmocka_unit_test(test_different_events),
        cmocka_unit_test(test_mixed_mechanisms),
        cmocka_unit_test(test_never_above_rdp_and_monotone),
        cmocka_unit_test(test_any_setting_has_an_answer),
        cmocka_unit_test(test_named_extremes),
        cmocka_unit_test(test_edges),
        cmocka_unit_test(test_refusals),
        cmocka_unit_test(test_same_bits_twice),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
