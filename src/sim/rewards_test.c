/* rewards_test.c - what a bandit is paid: the law of the noise, and the scale of objectives. */
#include "support/test.h"

#include "sim/rewards.h"

static void test_noise_does_not_depend_on_batches(void **state)
{
    (void)state;
    for (int noise = TC_REWARD_UNIFORM; noise <= TC_REWARD_BERNOULLI; noise++) {
        tc_rewards r = {.dim = 1, .noise = (tc_reward_noise)noise, .scale = 0.1};
        tc_reward_source one, many, sought;
        tc_reward_source_init(&one, &r, 3, 0);
        tc_reward_source_init(&many, &r, 3, 0);
        tc_reward_source_init(&sought, &r, 3, 0);
        tc_pulled batch, single, sum = {0};
        const uint64_t total = 140001; /* three streams */
        tc_reward_draw(&many, 0.3, total, &batch);
        for (uint64_t t = 0; t < total; t++) {
            tc_reward_draw(&one, 0.3, 1, &single);
            sum.sum += single.sum;
            sum.squares += single.squares;
        }
        assert_int_equal(batch.n, total);
        assert_true(batch.sum == sum.sum && batch.squares == sum.squares);
        tc_reward_draw(&many, 0.3, 7, &batch);
        tc_reward_source_seek(&sought, total);
        tc_reward_draw(&sought, 0.3, 7, &single);
        assert_true(batch.sum == single.sum && batch.squares == single.squares);
    }
}

static void test_moments_of_rewards(void **state)
{
    (void)state;
    const double variance[] = {0.01 / 3, 0.3 * 0.7}, n = 400000;
    for (int noise = TC_REWARD_UNIFORM; noise <= TC_REWARD_BERNOULLI; noise++) {
        tc_rewards r = {.dim = 1, .noise = (tc_reward_noise)noise, .scale = 0.1};
        tc_reward_source s;
        tc_pulled p;
        tc_reward_source_init(&s, &r, 9, 4);
        tc_reward_draw(&s, 0.3, (uint64_t)n, &p);
        double mean = (double)p.sum / n / (double)TC_REWARD_ONE;
        double squares = (double)p.squares / n / (double)TC_REWARD_ONE;
        assert_close(mean, 0.3, 5 * sqrt(variance[noise] / n));
        assert_close(squares - mean * mean, variance[noise], 0.01 * variance[noise]);
    }
}

static void test_families_are_scaled(void **state)
{
    (void)state;
    tacit_error err = {0};
    tc_family_opts o;
    tc_family *f = NULL;
    tc_rewards r;
    assert_ok(tc_options_defaults(tc_family_options, &o, &err));
    assert_ok(tc_family_new(&f, "branin", &o, 2, tc_public_seed_from(1), &err));
    tc_family_rewards scaled = {f, 0, 400};
    assert_ok(tc_rewards_of_family(&r, &scaled, &err));
    assert_int_equal(r.dim, 2);
    double u[2] = {0.25, 0.5}, x[2];
    tc_space_decode(tc_family_space(f), u, x);
    assert_close(r.value(r.of, 1, u), 1 - tc_family_value(f, 1, x) / 400, 1e-15);
    assert_close(r.best(r.of, 0), 1 - tc_family_optimum(f, 0) / 400, 1e-15);
    scaled.high = 0;
    assert_fails(tc_rewards_of_family(&r, &scaled, &err), TACIT_E_ARG, "low < high, not 0 and 0");
    tc_family_free(f);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_noise_does_not_depend_on_batches),
        cmocka_unit_test(test_moments_of_rewards),
        cmocka_unit_test(test_families_are_scaled),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
