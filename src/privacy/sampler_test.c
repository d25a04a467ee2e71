/* sampler_test.c - many draws have the distribution that one game was proved to have
 * (sampler_exact_test.c).
 *
 * Seeds are fixed, so that a test passes always or never. TACIT_DEEP=1 draws ten times as many. */
#include "support/test.h"
#include "privacy/sampler.h"
#include "privacy/sampler_int.h"

#include <stdlib.h>

enum { REACH = 200 };

static tc_test_noise noise;

static tc_entropy seeded(uint64_t step)
{
    tc_test_noise_init(&noise, 20260101, step);
    return tc_entropy_of_test(&noise);
}

static size_t draws(void)
{
    return getenv("TACIT_DEEP") != NULL ? 10000000 : 1000000;
}

typedef int64_t sampler(tc_entropy *e, uint64_t scale);

/* Pearson's statistic over cells of at least 20 expected draws, the tails as one cell, beside
 * its 1 - 1e-4 quantile (Wilson and Hilferty). `mass` is P(x) up to a factor. */
static void assert_fits(sampler *sample, double (*mass)(double x, double scale), uint64_t scale)
{
    static size_t count[2 * REACH + 1];
    size_t n = draws(), rest = 0;
    memset(count, 0, sizeof count);
    tc_entropy e = seeded(scale);
    for (size_t i = 0; i < n; i++) {
        int64_t x = sample(&e, scale);
        if (llabs(x) <= REACH)
            count[x + REACH]++;
        else
            rest++;
    }
    double total = 0, statistic = 0, left = (double)n;
    for (int x = -4000; x <= 4000; x++)
        total += mass(x, (double)scale);
    size_t cells = 1;
    for (int x = -REACH; x <= REACH; x++) {
        double expected = (double)n * mass(x, (double)scale) / total;
        if (expected < 20) {
            rest += count[x + REACH];
            continue;
        }
        double off = (double)count[x + REACH] - expected;
        statistic += off * off / expected;
        left -= expected;
        cells++;
    }
    if (left > 1)
        statistic += ((double)rest - left) * ((double)rest - left) / left;
    double dof = (double)cells - 1, c = 2 / (9 * dof);
    double limit = dof * pow(1 - c + 3.719 * sqrt(c), 3);
    if (statistic > limit)
        print_error("scale %lu: chi-square %.1f, allowed %.1f\n", (unsigned long)scale, statistic,
                    limit);
    assert_true(statistic <= limit);
}

static double laplace_mass(double x, double t)
{
    return exp(-fabs(x) / t);
}

static double gaussian_mass(double x, double s)
{
    return exp(-x * x / (2 * s * s));
}

static void laplace_draws_fit(void **state)
{
    (void)state;
    assert_fits(tc_sample_laplace, laplace_mass, 1);
    assert_fits(tc_sample_laplace, laplace_mass, 7);
}

static void gaussian_draws_fit(void **state)
{
    (void)state;
    assert_fits(tc_sample_gaussian, gaussian_mass, 1);
    assert_fits(tc_sample_gaussian, gaussian_mass, 2);
    assert_fits(tc_sample_gaussian, gaussian_mass, 12);
}

/* ---- large scales: moments, and where the mass lies */

typedef struct moments {
    double mean, square, fourth; /* of x / scale */
    double inside;               /* share with |x| <= scale */
} moments;

static moments moments_of(sampler *sample, uint64_t scale)
{
    tc_entropy e = seeded(scale);
    moments m = {0};
    size_t n = draws();
    for (size_t i = 0; i < n; i++) {
        double z = (double)sample(&e, scale) / (double)scale;
        m.mean += z;
        m.square += z * z;
        m.fourth += z * z * z * z;
        m.inside += fabs(z) <= 1;
    }
    double count = (double)n;
    return (moments){m.mean / count, m.square / count, m.fourth / count, m.inside / count};
}

static void large_gaussians_have_their_moments(void **state)
{
    (void)state;
    static const uint64_t sd[] = {1 << 20, TC_SAMPLER_MAX_SD};
    double root = sqrt((double)draws());
    for (size_t i = 0; i < 2; i++) {
        moments m = moments_of(tc_sample_gaussian, sd[i]);
        assert_close(m.mean, 0, 5 / root);
        assert_close(m.square, 1, 5 * sqrt(2) / root);
        assert_close(m.fourth, 3, 5 * sqrt(96) / root);
        assert_close(m.inside, erf(sqrt(0.5)), 5 * 0.466 / root);
    }
}

static void large_laplaces_have_their_moments(void **state)
{
    (void)state;
    static const uint64_t scale[] = {1 << 20, TC_SAMPLER_MAX_SCALE};
    double root = sqrt((double)draws());
    for (size_t i = 0; i < 2; i++) {
        moments m = moments_of(tc_sample_laplace, scale[i]);
        assert_close(m.mean, 0, 5 * sqrt(2) / root);
        assert_close(m.square, 2, 5 * sqrt(20) / root);
        assert_close(m.inside, 1 - exp(-1), 5 * 0.483 / root);
    }
}

/* ---- Bernoulli */

static bool coin(void *ctx, uint64_t a, uint64_t b)
{
    return tc_sample_bernoulli(ctx, a, b);
}

static bool fraction(void *ctx, uint64_t a, uint64_t b)
{
    return exp_minus_fraction((tc_dice){.coin = coin, .ctx = ctx}, a, b);
}

/* 1 with probability exp(-a/b), of the entropy that the samplers use. */
static int bernoulli_exp(tc_entropy *e, uint64_t a, uint64_t b)
{
    return exp_minus((tc_dice){.exp = fraction, .ctx = e}, a / b, a % b, b);
}

static void bernoullis_come_up_as_often_as_they_should(void **state)
{
    (void)state;
    static const uint64_t ratio[][2] = {{1, 3}, {999, 1000}, {0, 5}, {5, 5}, {1, UINT64_MAX / 2}};
    double n = (double)draws() / 10;
    tc_entropy e = seeded(1);
    for (size_t i = 0; i < 5; i++) {
        double p = (double)ratio[i][0] / (double)ratio[i][1], q = exp(-p), ones = 0, exps = 0;
        for (size_t k = 0; k < (size_t)n; k++) {
            ones += tc_sample_bernoulli(&e, ratio[i][0], ratio[i][1]);
            exps += bernoulli_exp(&e, ratio[i][0], ratio[i][1]);
        }
        assert_close(ones / n, p, 5 * sqrt(p * (1 - p) / n));
        assert_close(exps / n, q, 5 * sqrt(q * (1 - q) / n) + 1e-12);
    }
}

static void a_large_exponent_takes_no_time_to_fail(void **state)
{
    (void)state;
    tc_entropy e = seeded(2);
    for (int i = 0; i < 1000; i++)
        assert_int_equal(bernoulli_exp(&e, UINT64_MAX, 1), 0);
}

/* ---- entropy */

static void seeded_entropy_repeats_and_is_marked(void **state)
{
    (void)state;
    tc_test_noise a, b, c;
    tc_test_noise_init(&a, 5, 6);
    tc_test_noise_init(&b, 5, 6);
    tc_test_noise_init(&c, 5, 7);
    tc_entropy ea = tc_entropy_of_test(&a), eb = tc_entropy_of_test(&b),
               ec = tc_entropy_of_test(&c);
    assert_false(ea.secret);
    int64_t x = tc_sample_gaussian(&ea, 1 << 22);
    assert_true(x == tc_sample_gaussian(&eb, 1 << 22));
    assert_true(x != tc_sample_gaussian(&ec, 1 << 22));
}

static void secret_entropy_does_not_repeat(void **state)
{
    (void)state;
    tc_noise a, b;
    tc_noise_init(&a);
    tc_noise_init(&b);
    tc_entropy ea = tc_entropy_of(&a), eb = tc_entropy_of(&b);
    assert_true(ea.secret && eb.secret);
    assert_true(ea.u64(ea.ctx) != eb.u64(eb.ctx));
    tc_noise_fini(&a);
    tc_noise_fini(&b);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(laplace_draws_fit),
        cmocka_unit_test(gaussian_draws_fit),
        cmocka_unit_test(large_gaussians_have_their_moments),
        cmocka_unit_test(large_laplaces_have_their_moments),
        cmocka_unit_test(bernoullis_come_up_as_often_as_they_should),
        cmocka_unit_test(a_large_exponent_takes_no_time_to_fail),
        cmocka_unit_test(seeded_entropy_repeats_and_is_marked),
        cmocka_unit_test(secret_entropy_does_not_repeat),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
