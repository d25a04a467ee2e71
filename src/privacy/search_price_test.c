/* search_price_test.c - prices of searches against the divergences themselves, and against tacit_account_best_of. */
#include "privacy/search_price.h"

#include "privacy/rdp.h"

#include "support/test.h"

#include <math.h>

static const tacit_repeats geometric = {sizeof geometric, TACIT_REPEATS_NEGATIVE_BINOMIAL, 10, 1};
static const tacit_repeats once = {sizeof once, TACIT_REPEATS_NEGATIVE_BINOMIAL, 1, 1};
static const tacit_repeats poisson = {sizeof poisson, TACIT_REPEATS_POISSON, 10, 0};

/* ln of the integral of P^a R^(1-a), over a - 1: P and R are (1 - q) N(0, z^2) + q N(+-1, z^2), the two sampled sums of
 * a record that is 1 and one that is -1. */
static double replaced_divergence(double q, double z, int a)
{
    double sum = 0, step = z / 200;
    for (double x = -60 * z; x <= 60 * z; x += step) {
        double log_base = -x * x / (2 * z * z) - log(z * sqrt(2 * acos(-1)));
        double p = 1 - q + q * exp((2 * x - 1) / (2 * z * z));
        double r = 1 - q + q * exp((-2 * x - 1) / (2 * z * z));
        sum += exp(a * log(p) + (1 - a) * log(r) + log_base) * step;
    }
    return log(sum) / (a - 1);
}

static double price(const tacit_dp_event *e, bool replacing, const tacit_repeats *r, int order)
{
    tacit_error err;
    tc_search_plan p = {.repeats = *r, .events = e, .n = 1, .replacing = replacing};
    assert_ok(tc_search_plan_check(&p, &err));
    return tc_search_divergence(&p, order);
}

/* With K = 1 the price is that of one run, up to what gamma was rounded by. */
static void a_replaced_record_is_covered(void **state)
{
    (void)state;
    static const double rates[] = {0.01, 0.1, 0.5}, sds[] = {1, 2, 5};
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++)
            for (int order = 2; order <= 16; order *= 2) {
                tacit_dp_event e = {TACIT_DP_GAUSSIAN, sds[j], TACIT_DP_POISSON, rates[i], 1};
                double exact = replaced_divergence(rates[i], sds[j], order);
                double bound = price(&e, false, &once, order);
                assert_true(bound >= exact * (1 - 1e-9));
                if (order <= 4 && sds[j] >= 2)
                    assert_true(bound <= 3 * exact + 1e-9); /* and says something */
                assert_true(bound <= 4 * order / (2 * sds[j] * sds[j]) * (1 + 1e-9) + 1e-9);
            }
}

static void without_sampling_a_group_of_two_moves_twice_as_far(void **state)
{
    (void)state;
    static const tacit_repeats *const kinds[] = {&geometric, &poisson};
    for (int k = 0; k < 2; k++)
        for (int order = 2; order <= 64; order += 7) {
            tacit_dp_event add = {TACIT_DP_GAUSSIAN, 6, TACIT_DP_ALL, 1, 3}, replace = add;
            replace.parameter = 3;
            assert_close(price(&add, false, kinds[k], order),
                         price(&replace, true, kinds[k], order), 1e-12);
            add.mechanism = replace.mechanism = TACIT_DP_PURE;
            add.parameter = 0.1;
            replace.parameter = 0.2;
            assert_close(price(&add, false, kinds[k], order),
                         price(&replace, true, kinds[k], order), 1e-12);
            assert_true(price(&add, false, kinds[k], order) > price(&add, true, kinds[k], order));
        }
}

/* The public function also tries orders between the integers. */
static void agrees_with_the_account_of_the_best(void **state)
{
    (void)state;
    static const tacit_repeats *const kinds[] = {&geometric, &poisson};
    static const double sds[] = {4, 10, 40};
    for (int k = 0; k < 2; k++)
        for (int i = 0; i < 3; i++) {
            tacit_error err;
            tacit_dp_event e = {TACIT_DP_GAUSSIAN, sds[i], TACIT_DP_ALL, 1, 2};
            tc_search_plan p = {.repeats = *kinds[k], .events = &e, .n = 1, .replacing = true};
            tacit_guarantee mine = TACIT_GUARANTEE, best = TACIT_GUARANTEE;
            assert_ok(tc_search_cost(&p, 1e-5, &mine, &err));
            assert_ok(tacit_account_best_of(kinds[k], &e, 1, 1e-5, &best, &err));
            assert_true(mine.epsilon >= best.epsilon * (1 - 1e-9));
            assert_true(mine.epsilon <= best.epsilon * 1.02);
            assert_true(mine.order == floor(mine.order));
        }
}

static void noise_on_the_score_is_one_more_release(void **state)
{
    (void)state;
    tacit_error err;
    tacit_dp_event both[] = {{TACIT_DP_GAUSSIAN, 4, TACIT_DP_ALL, 1, 2},
                             {TACIT_DP_GAUSSIAN, 7, TACIT_DP_ALL, 1, 1}};
    tc_search_plan all = {.repeats = geometric, .events = both, .n = 2, .replacing = true};
    tc_search_plan noised = {.repeats = geometric, .events = both, .n = 1, .replacing = true};
    noised.noised = true;
    noised.score = (tc_value_plan){.low = 0, .high = 1, .failed = 0, .sensitivity = 1e-3, .z = 7};
    assert_ok(tc_search_plan_check(&noised, &err));
    for (int order = 2; order < 40; order++)
        assert_close(tc_search_divergence(&all, order), tc_search_divergence(&noised, order),
                     1e-12);
    noised.n = 0; /* a model that everybody has, scored on records */
    assert_ok(tc_search_plan_check(&noised, &err));
    assert_true(tc_search_divergence(&noised, 8) < tc_search_divergence(&all, 8));
}

static void a_description_has_all_numbers(void **state)
{
    (void)state;
    tacit_dp_event e = {TACIT_DP_GAUSSIAN, 1.1, TACIT_DP_POISSON, 0.01, 1000};
    tc_search_plan p = {.repeats = geometric, .events = &e, .n = 1, .noised = true};
    p.score = (tc_value_plan){.low = 0, .high = 1, .failed = 0, .sensitivity = 0.001, .z = 7};
    tc_text t = {0};
    tc_search_describe(&p, &t);
    assert_string_equal(
        tc_text_get(&t),
        "one record is replaced by another; the best of K runs, K truncated negative binomial with "
        "mean 10 and shape 1; one run: {\"dp_event\":\"SelfComposed\",\"count\":1000,\"event\":"
        "{\"dp_event\":\"PoissonSampled\",\"sampling_probability\":0.01,\"event\":{\"dp_event\":"
        "\"Gaussian\",\"noise_multiplier\":1.1}}} (records added or removed), and its score with "
        "Gaussian noise of 7 times 0.001, by which a replaced record moves it at most");
    tc_text_fini(&t);
}

static void refuses_what_has_no_price(void **state)
{
    (void)state;
    tacit_error err;
    tacit_dp_event e = {TACIT_DP_GAUSSIAN, 1.1, TACIT_DP_POISSON, 0.01, 1000};
    tc_search_plan p = {.repeats = geometric, .events = &e, .n = 1, .replacing = true};
    assert_fails(tc_search_plan_check(&p, &err), TACIT_E_UNSUPPORTED,
                 "Poisson sampling is accounted where records are added or removed");
    p.replacing = false;
    e.count = 0;
    assert_fails(tc_search_plan_check(&p, &err), TACIT_E_ARG,
                 "a run that costs nothing is not private");
    e.mechanism = TACIT_DP_NONPRIVATE;
    assert_fails(tc_search_plan_check(&p, &err), TACIT_E_ARG, "has no price");
    e = tc_dp_event_renyi(8, 1);
    assert_fails(tc_search_plan_check(&p, &err), TACIT_E_UNSUPPORTED, "of replaced records");
    p.replacing = true;
    assert_ok(tc_search_plan_check(&p, &err));
    assert_true(isinf(tc_search_divergence(&p, 9)));
    assert_true(isfinite(tc_search_divergence(&p, 8)));
    p.repeats.mean = 2e6;
    assert_fails(tc_search_plan_check(&p, &err), TACIT_E_ARG, "mean must be in [1, 1e6]");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_replaced_record_is_covered),
        cmocka_unit_test(without_sampling_a_group_of_two_moves_twice_as_far),
        cmocka_unit_test(agrees_with_the_account_of_the_best),
        cmocka_unit_test(noise_on_the_score_is_one_more_release),
        cmocka_unit_test(a_description_has_all_numbers),
        cmocka_unit_test(refuses_what_has_no_price),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
