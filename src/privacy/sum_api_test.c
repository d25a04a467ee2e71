/* sum_api_test.c - the Gaussian sum in real numbers is the sum of integers that it stands on. */
#include <tacit/release.h>

#include "support/test.h"

enum { AGENTS = 3, WIDTH = 2, BLOCKS = 2 };

static const double vectors[AGENTS][WIDTH] = {{0.25, -0.5}, {3, 4}, {-0.125, 0.75}};
static const double weights[AGENTS * BLOCKS] = {1, 0.5, 0.25, 2, 0, 1.0 / 3};

static tacit_sum_plan plan_of(double z, const double *w)
{
    tacit_sum_plan plan = TACIT_SUM_PLAN;
    plan.agents = AGENTS;
    plan.width = WIDTH;
    plan.blocks = w ? BLOCKS : 1;
    plan.weights = w;
    plan.clip_norm = 1;
    plan.noise_multiplier = z;
    return plan;
}

static tacit_release *release_of(const tacit_sum_plan *plan)
{
    tacit_error err = {0};
    tacit_sum *sum = NULL;
    tacit_release *r = NULL;
    assert_ok(tacit_sum_open(&sum, plan, &err));
    for (size_t n = 0; n < AGENTS; n++)
        assert_ok(tacit_sum_fold(sum, AGENTS - 1 - n, vectors[AGENTS - 1 - n], &err));
    assert_ok(tacit_sum_close(sum, &r, &err));
    tacit_sum_free(sum);
    return r;
}

/* In doubles, and slowly. */
static double truth(const double *w, size_t block, size_t k)
{
    double sum = 0;
    for (size_t n = 0; n < AGENTS; n++) {
        double norm = hypot(vectors[n][0], vectors[n][1]);
        sum += (w ? w[n * BLOCKS + block] : 1) * vectors[n][k] / fmax(norm, 1);
    }
    return sum;
}

static void sums_what_it_is_given(void **state)
{
    (void)state;
    for (int weighted = 0; weighted < 2; weighted++)
        for (int noisy = 0; noisy < 2; noisy++) {
            const double *w = weighted ? weights : NULL;
            tacit_sum_plan plan = plan_of(noisy ? 0.5 : 0, w);
            tacit_release *r = release_of(&plan);
            assert_int_equal(tacit_release_rows(r), plan.blocks);
            assert_int_equal(tacit_release_cols(r), WIDTH);
            double tolerance = noisy ? 12 * tacit_release_noise_sd(r) : 1e-5;
            for (size_t i = 0; i < plan.blocks; i++)
                for (size_t k = 0; k < WIDTH; k++)
                    assert_close(tacit_release_value(r, i, k), truth(w, i, k), tolerance);
            assert_int_equal(tacit_release_private(r), noisy);
            assert_string_equal(tacit_release_not_private(r),
                                noisy ? "" : "the noise multiplier is 0");
            tacit_release_free(r);
        }
}

/* Whatever the weights are measured in. */
static void weights_may_be_of_any_size(void **state)
{
    (void)state;
    static const double units[] = {1e-3, 1, 1e4, 0x1.8p30};
    for (size_t u = 0; u < 4; u++) {
        double w[AGENTS * BLOCKS];
        for (size_t i = 0; i < (size_t)AGENTS * BLOCKS; i++)
            w[i] = weights[i] * units[u];
        tacit_sum_plan plan = plan_of(0, w);
        tacit_release *r = release_of(&plan);
        for (size_t i = 0; i < BLOCKS; i++)
            for (size_t k = 0; k < WIDTH; k++)
                assert_close(tacit_release_value(r, i, k), truth(w, i, k), 1e-5 * units[u]);
        tacit_release_free(r);
        plan.noise_multiplier = 1;
        r = release_of(&plan);
        assert_close(tacit_release_noise_sd(r), hypot(0.25, 2) * units[u], 1e-4 * units[u]);
        tacit_release_free(r);
    }
}

/* Weights that are all 1 are the same as none, however many blocks and whatever the clip norm. */
static void weights_may_have_many_blocks(void **state)
{
    (void)state;
    enum { MOST = 1 << 16, FEW = 4 };
    tacit_error err = {0};
    double *ones = test_calloc(FEW * MOST, sizeof *ones);
    for (size_t i = 0; i < (size_t)FEW * MOST; i++)
        ones[i] = 1;
    for (size_t blocks = 1; blocks <= MOST; blocks *= 4)
        for (double clip = 1; clip < 2; clip += 0.3) {
            tacit_cost weighted = TACIT_COST, plain = TACIT_COST;
            tacit_sum_plan plan = TACIT_SUM_PLAN;
            plan.agents = FEW;
            plan.width = 1;
            plan.blocks = blocks;
            plan.clip_norm = clip;
            plan.noise_multiplier = 1;
            assert_ok(tacit_sum_cost(&plan, &plain, &err));
            plan.weights = ones;
            assert_ok(tacit_sum_cost(&plan, &weighted, &err));
            assert_same_bits(weighted.event.parameter, plain.event.parameter);
        }
    test_free(ones);
}

/* One agent moves the sums by at most its weights' norm times the clip norm. */
static void has_the_noise_that_it_promises(void **state)
{
    (void)state;
    tacit_sum_plan plan = plan_of(2, weights);
    tacit_release *r = release_of(&plan);
    double norm = hypot(0.25, 2);
    assert_true(tacit_release_noise_sd(r) >= 2 * norm * (1 - 1e-6));
    assert_close(tacit_release_noise_sd(r), 2 * norm, 1e-4);
    tacit_release_free(r);
    plan = plan_of(2, NULL);
    r = release_of(&plan);
    assert_close(tacit_release_noise_sd(r), 2, 1e-4);
    tacit_release_free(r);
}

static void draws_anew(void **state)
{
    (void)state;
    tacit_sum_plan plan = plan_of(1, NULL);
    tacit_release *a = release_of(&plan), *b = release_of(&plan);
    assert_memory_not_equal(tacit_release_steps(a), tacit_release_steps(b),
                            WIDTH * sizeof(int64_t));
    tacit_release_free(a);
    tacit_release_free(b);
}

static void says_beforehand_what_it_costs(void **state)
{
    (void)state;
    tacit_error err = {0};
    tacit_cost before = TACIT_COST, after = TACIT_COST;
    tacit_sum_plan plan = plan_of(1.5, weights);
    plan.sampling_rate = 0.25;
    assert_ok(tacit_sum_cost(&plan, &before, &err));
    tacit_release *r = release_of(&plan);
    assert_ok(tacit_release_cost(r, &after, &err));
    assert_same_bits(before.distance, after.distance);
    assert_true(before.distance > 0);
    assert_int_equal(before.unit, TACIT_UNIT_AGENT);
    assert_int_equal(before.event.mechanism, TACIT_DP_GAUSSIAN);
    assert_int_equal(before.event.sampling, TACIT_DP_POISSON);
    assert_int_equal(before.event.count, 1);
    assert_same_bits(before.event.parameter, 1.5);
    assert_same_bits(before.event.sampling_rate, 0.25);
    assert_same_bits(after.event.parameter, 1.5);
    assert_same_bits(after.event.sampling_rate, 0.25);
    tacit_release_free(r);
    plan = plan_of(0, NULL);
    assert_ok(tacit_sum_cost(&plan, &before, &err));
    assert_int_equal(before.event.mechanism, TACIT_DP_NONPRIVATE);
    assert_close(before.distance, 0, 0);
}

static void takes_what_is_not_a_number_for_zero(void **state)
{
    (void)state;
    tacit_error err = {0};
    const double odd[AGENTS][WIDTH] = {{NAN, 0.5}, {INFINITY, 0.25}, {-INFINITY, 0}};
    tacit_sum_plan plan = plan_of(0, NULL);
    tacit_sum *sum = NULL;
    tacit_release *r = NULL;
    assert_ok(tacit_sum_open(&sum, &plan, &err));
    for (size_t n = 0; n < AGENTS; n++)
        assert_ok(tacit_sum_fold(sum, n, odd[n], &err));
    assert_ok(tacit_sum_close(sum, &r, &err));
    assert_close(tacit_release_value(r, 0, 0), 0, 0);
    assert_close(tacit_release_value(r, 0, 1), 0.75, 1e-5);
    tacit_release_free(r);
    tacit_sum_free(sum);
}

static void is_folded_and_closed_once(void **state)
{
    (void)state;
    tacit_error err = {0};
    tacit_sum_plan plan = plan_of(1, NULL);
    tacit_sum *sum = NULL;
    tacit_release *r = NULL, *again = NULL;
    assert_ok(tacit_sum_open(&sum, &plan, &err));
    assert_ok(tacit_sum_fold(sum, 1, vectors[1], &err));
    assert_fails(tacit_sum_fold(sum, 1, vectors[1], &err), TACIT_E_STATE,
                 "agent 1 is in the sum already");
    assert_fails(tacit_sum_fold(sum, 3, vectors[1], &err), TACIT_E_ARG,
                 "agent 3 is not among the 3 of the roster");
    assert_ok(tacit_sum_close(sum, &r, &err));
    assert_fails(tacit_sum_fold(sum, 2, vectors[2], &err), TACIT_E_STATE,
                 "the sum is closed, agent 2 comes too late");
    assert_fails(tacit_sum_close(sum, &again, &err), TACIT_E_STATE, "the sum is closed already");
    assert_null(again);
    tacit_release_free(r);
    tacit_sum_free(sum);
}

static void refuses_bad_plans(void **state)
{
    (void)state;
    tacit_error err = {0};
    static const double negative[AGENTS * BLOCKS] = {1, 1, 1, -1, 1, 1};
    static const double huge[AGENTS * BLOCKS] = {1, 1, 1, 1, 0x1p32, 1};
    static const double odd[AGENTS * BLOCKS] = {NAN, 1, 1, 1, 1, 1};
    static const double none[AGENTS * BLOCKS] = {0};
    tacit_sum *sum = NULL;
    tacit_sum_plan plan = plan_of(1, negative);
    assert_fails(tacit_sum_open(&sum, &plan, &err), TACIT_E_ARG,
                 "weights must be in [0, 2^32), got -1 for agent 1");
    plan.weights = huge;
    assert_fails(tacit_sum_open(&sum, &plan, &err), TACIT_E_ARG,
                 "weights must be in [0, 2^32), got 4294967296 for agent 2");
    plan.weights = odd;
    assert_fails(tacit_sum_open(&sum, &plan, &err), TACIT_E_ARG, "got nan for agent 0");
    plan.weights = none;
    assert_fails(tacit_sum_open(&sum, &plan, &err), TACIT_E_ARG,
                 "the weights of a block must add up to less than 2^34, and not all be 0, got 0");
    static double many[64];
    for (size_t i = 0; i < 64; i++)
        many[i] = 0x1p31;
    plan = plan_of(1, many); /* the norm of 64 is 2^34, that of 63 below it */
    plan.agents = 1;
    plan.blocks = 64;
    assert_fails(tacit_sum_open(&sum, &plan, &err), TACIT_E_ARG,
                 "the weights of an agent must have a norm over all blocks of less than 2^34, got "
                 "1.71798692e+10");
    plan.blocks = 63;
    tacit_cost cost = TACIT_COST;
    assert_ok(tacit_sum_cost(&plan, &cost, &err));
    plan = plan_of(1, weights);
    plan.agents = SIZE_MAX;
    assert_fails(tacit_sum_open(&sum, &plan, &err), TACIT_E_ARG,
                 "a sum has at most 2^24 weights, got");
    plan = plan_of(1, weights);
    plan.blocks = 0;
    assert_fails(tacit_sum_open(&sum, &plan, &err), TACIT_E_ARG, "got 0 blocks of 2");
    plan = plan_of(1, weights);
    plan.width = SIZE_MAX;
    assert_fails(tacit_sum_open(&sum, &plan, &err), TACIT_E_ARG,
                 "a sum has 1 to 16777216 coordinates");
    plan = plan_of(-1, NULL);
    assert_fails(tacit_sum_open(&sum, &plan, &err), TACIT_E_ARG,
                 "the noise multiplier must be in [0, 1e6], got -1");
    plan = plan_of(1, NULL);
    plan.sampling_rate = 0;
    assert_fails(tacit_sum_open(&sum, &plan, &err), TACIT_E_ARG,
                 "the sampling rate must be in (0, 1], got 0");
    plan = plan_of(1, NULL);
    plan.clip_norm = NAN;
    assert_fails(tacit_sum_open(&sum, &plan, &err), TACIT_E_ARG,
                 "the clip norm must be in [1e-250, 1e250], got nan");
    assert_null(sum);
}

static void misses_no_missing_pointer(void **state)
{
    (void)state;
    tacit_error err = {0};
    tacit_sum_plan plan = plan_of(1, NULL), old = {0};
    tacit_cost cost = TACIT_COST;
    tacit_sum *sum = NULL;
    tacit_release *r = NULL;
    assert_fails(tacit_sum_open(NULL, &plan, &err), TACIT_E_ARG, "out must not be NULL");
    assert_fails(tacit_sum_open(&sum, NULL, &err), TACIT_E_ARG, "plan must not be NULL");
    assert_fails(tacit_sum_open(&sum, &old, &err), TACIT_E_ARG,
                 "plan.size must be sizeof(tacit_sum_plan), at least ");
    assert_fails(tacit_sum_cost(NULL, &cost, &err), TACIT_E_ARG, "plan must not be NULL");
    assert_fails(tacit_sum_cost(&plan, NULL, &err), TACIT_E_ARG, "out must not be NULL");
    cost.size = 1;
    assert_fails(tacit_sum_cost(&plan, &cost, &err), TACIT_E_ARG,
                 "out.size must be sizeof(tacit_cost), at least ");
    assert_fails(tacit_sum_fold(NULL, 0, vectors[0], &err), TACIT_E_ARG, "s must not be NULL");
    assert_fails(tacit_sum_close(NULL, &r, &err), TACIT_E_ARG, "s must not be NULL");
    assert_ok(tacit_sum_open(&sum, &plan, &err));
    assert_fails(tacit_sum_fold(sum, 0, NULL, &err), TACIT_E_ARG, "v must not be NULL");
    assert_fails(tacit_sum_close(sum, NULL, &err), TACIT_E_ARG, "out must not be NULL");
    assert_int_equal(tacit_sum_open(NULL, NULL, NULL), TACIT_E_ARG);
    tacit_sum_free(sum);
    tacit_sum_free(NULL);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(sums_what_it_is_given),
        cmocka_unit_test(weights_may_be_of_any_size),
        cmocka_unit_test(weights_may_have_many_blocks),
        cmocka_unit_test(has_the_noise_that_it_promises),
        cmocka_unit_test(draws_anew),
        cmocka_unit_test(says_beforehand_what_it_costs),
        cmocka_unit_test(takes_what_is_not_a_number_for_zero),
        cmocka_unit_test(is_folded_and_closed_once),
        cmocka_unit_test(refuses_bad_plans),
        cmocka_unit_test(misses_no_missing_pointer),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
