/* repeats_test.c - draws of K against the probabilities of the papers, from a seed: the numbers are always the same. */
#include "privacy/repeats.h"

#include "privacy/best_of.h"

#include "support/test.h"

#include <math.h>
#include <stdlib.h>

enum { DRAWS = 100000, BINS = 4096, LEAST = 25 };

static const tacit_repeats settings[] = {
    {sizeof(tacit_repeats), TACIT_REPEATS_POISSON, 1, 0},
    {sizeof(tacit_repeats), TACIT_REPEATS_POISSON, 3.7, 0},
    {sizeof(tacit_repeats), TACIT_REPEATS_POISSON, 30, 0},
    {sizeof(tacit_repeats), TACIT_REPEATS_NEGATIVE_BINOMIAL, 10, 1},
    {sizeof(tacit_repeats), TACIT_REPEATS_NEGATIVE_BINOMIAL, 10, 0},
    {sizeof(tacit_repeats), TACIT_REPEATS_NEGATIVE_BINOMIAL, 30, 0.5},
    {sizeof(tacit_repeats), TACIT_REPEATS_NEGATIVE_BINOMIAL, 1.3, 0.01},
    {sizeof(tacit_repeats), TACIT_REPEATS_NEGATIVE_BINOMIAL, 8, 2.5},
    {sizeof(tacit_repeats), TACIT_REPEATS_NEGATIVE_BINOMIAL, 40, 7},
    {sizeof(tacit_repeats), TACIT_REPEATS_NEGATIVE_BINOMIAL, 1.05, 30},
};
enum { SETTINGS = sizeof settings / sizeof *settings };

/* ln P(K = k), by the formulas as printed. */
static double log_probability(const tacit_repeats *r, double k)
{
    if (r->kind == TACIT_REPEATS_POISSON)
        return k * log(r->mean) - r->mean - lgamma(k + 1);
    if (k == 0)
        return -INFINITY;
    double g = tc_repeats_gamma(r->mean, r->shape), h = r->shape;
    if (h == 0)
        return k * log1p(-g) - log(k) - log(-log(g));
    return k * log1p(-g) - log(pow(g, -h) - 1) + lgamma(k + h) - lgamma(h) - lgamma(k + 1);
}

static void draw(const tacit_repeats *r, uint64_t seed, uint64_t *counts)
{
    tc_test_noise noise;
    tc_test_noise_init(&noise, 20260202, seed);
    tc_entropy e = tc_entropy_of_test(&noise);
    memset(counts, 0, BINS * sizeof *counts);
    for (int i = 0; i < DRAWS; i++) {
        uint64_t k = tc_repeats_draw(r, &e);
        counts[k < BINS ? k : BINS - 1]++;
    }
}

/* Standard deviations by which Pearson's statistic is above its mean; bins with few draws are put together. */
static double excess(const tacit_repeats *r, const uint64_t *counts)
{
    double sum = 0, expected = 0, seen = 0, bins = -1, left = 1;
    for (int k = 0; k < BINS; k++) {
        double p = k < BINS - 1 ? exp(log_probability(r, k)) : fmax(left, 0);
        left -= p;
        expected += p * DRAWS;
        seen += (double)counts[k];
        if ((expected < LEAST && k < BINS - 1) || expected == 0)
            continue;
        sum += (seen - expected) * (seen - expected) / fmax(expected, 1);
        bins++;
        expected = seen = 0;
    }
    return (sum - bins) / sqrt(2 * fmax(bins, 1));
}

static void draws_have_the_printed_probabilities(void **state)
{
    (void)state;
    static uint64_t counts[BINS];
    for (int i = 0; i < SETTINGS; i++) {
        const tacit_repeats *r = &settings[i];
        draw(r, (uint64_t)i, counts);
        double away = excess(r, counts);
        print_message("mean %g shape %g kind %d: %.2f\n", r->mean, r->shape, (int)r->kind, away);
        assert_true(away < 5);
        tacit_repeats other = *r; /* the test sees a distribution that is a little different */
        other.mean *= 1.2;
        assert_true(excess(&other, counts) > 10);
    }
}

static void probabilities_add_up_to_one_and_to_the_mean(void **state)
{
    (void)state;
    for (int i = 0; i < SETTINGS; i++) {
        const tacit_repeats *r = &settings[i];
        double sum = 0, mean = 0;
        for (int k = 0; k < 100000; k++) {
            double p = exp(log_probability(r, k));
            sum += p;
            mean += k * p;
        }
        assert_close(sum, 1, 1e-9);
        assert_close(mean, r->mean, 1e-9 * r->mean);
    }
}

/* What is drawn is no worse than what is accounted for. */
static void gamma_is_on_the_safe_side(void **state)
{
    (void)state;
    for (double mean = 1; mean < 1e6; mean *= 1.7)
        for (double shape = 0; shape <= 64; shape = shape < 0.1 ? shape + 0.03 : shape * 2) {
            double g = tc_repeats_gamma(mean, shape);
            assert_true(g > 0 && g <= 1);
            assert_true(-log(g) <= tc_repeats_log_gamma(mean, shape));
        }
}

static void k_is_never_below_one_but_with_poisson(void **state)
{
    (void)state;
    static uint64_t counts[BINS];
    draw(&settings[0], 77, counts);
    assert_true(counts[0] > DRAWS / 3 && counts[0] < DRAWS * 2 / 5); /* 1/e */
    draw(&settings[3], 77, counts);
    assert_int_equal(counts[0], 0);
    const tacit_repeats one = {sizeof one, TACIT_REPEATS_NEGATIVE_BINOMIAL, 1, 0.5};
    draw(&one, 77, counts);
    assert_int_equal(counts[1], DRAWS);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(draws_have_the_printed_probabilities),
        cmocka_unit_test(probabilities_add_up_to_one_and_to_the_mean),
        cmocka_unit_test(gamma_is_on_the_safe_side),
        cmocka_unit_test(k_is_never_below_one_but_with_poisson),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
