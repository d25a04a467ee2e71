/* filter_test.c - refuses before spending, counts up, never past the limit. */
#include "privacy/filter.h"

#include "privacy/accountant.h"
#include "privacy/rdp.h"

#include "support/test.h"

#include <stdio.h>

static tacit_dp_event plain(double z, uint64_t count)
{
    return (tacit_dp_event){TACIT_DP_GAUSSIAN, z, TACIT_DP_ALL, 1, count};
}

static tc_filter filter_of(double epsilon, double delta)
{
    tacit_error err = {0};
    tc_filter f;
    assert_ok(tc_filter_init(&f, epsilon, delta, &err));
    return f;
}

static void refuses_bad_budgets(void **state)
{
    (void)state;
    tacit_error err = {0};
    tc_filter f = {.order = -1};
    assert_fails(tc_filter_init(&f, 0, 0.1, &err), TACIT_E_ARG,
                 "epsilon must be in (0, 1e6], got 0");
    assert_fails(tc_filter_init(&f, 1, 0, &err), TACIT_E_ARG, "delta must be in (0, 1), got 0");
    assert_fails(tc_filter_init(&f, 1e-4, 1e-12, &err), TACIT_E_ARG,
                 "epsilon 0.0001 is too small for a filter at delta 1e-12");
    assert_int_equal(f.order, -1);
}

/* The limit is what the conversion takes to epsilon, and the order has the most room. */
static void holds_to_epsilon(void **state)
{
    (void)state;
    const double epsilon[] = {0.1, 1, 4, 30, 500}, delta[] = {1e-3, 1e-6, 1e-10};
    for (int i = 0; i < 15; i++) {
        double e = epsilon[i % 5], d = delta[i / 5];
        tc_filter f = filter_of(e, d);
        double limit = (double)f.limit * TC_FILTER_UNIT;
        assert_true(tc_rdp_epsilon(limit, f.order, d) <= e);
        assert_close(tc_rdp_epsilon(limit, f.order, d), e, 1e-9 * e + 1e-11);
        for (int a = 2; a <= 1024; a++)
            assert_true(tc_rdp_allowed(e, a, d) / a <= limit / f.order * (1 + 1e-9) + 1e-11);
        assert_close(tc_filter_remaining(&f), 1, 0);
    }
}

/* What is let through one by one is within epsilon also by the exact accountant. */
static void lets_through_what_fits(void **state)
{
    (void)state;
    tacit_error err = {0};
    tc_filter f = filter_of(4, 1e-6);
    tacit_dp_event step = plain(20, 1);
    uint64_t steps = 0;
    double left = 1;
    while (tc_filter_would(&f, &step, &left, NULL) == TACIT_OK) {
        uint64_t before = f.spent;
        assert_ok(tc_filter_spend(&f, &step, &err));
        assert_true(f.spent > before && f.spent <= f.limit);
        assert_close(tc_filter_remaining(&f), left, 0);
        steps++;
    }
    tacit_dp_event all = plain(20, steps);
    tacit_guarantee g;
    assert_ok(tc_account(&tc_accountant_gaussian, &all, 1, 1e-6, &g, &err));
    assert_true(g.epsilon <= 4);
    assert_true(g.epsilon > 3); /* one order and its conversion cost something, not much */
    assert_true((double)steps * tc_rdp_of(&step, f.order) <= (double)f.limit * TC_FILTER_UNIT);
}

static void refuses_before_spending(void **state)
{
    (void)state;
    tacit_error err = {0};
    tc_filter f = filter_of(4, 1e-6), before;
    tacit_dp_event half = plain(20, 50), large = plain(1, 50);
    assert_ok(tc_filter_spend(&f, &half, &err));
    before = f;
    double left = -1;
    assert_fails(tc_filter_would(&f, &large, &left, &err), TACIT_E_BUDGET, "asked ");
    assert_fails(tc_filter_spend(&f, &large, &err), TACIT_E_BUDGET, "spent ");
    assert_non_null(strstr(err.msg, "the privacy budget (epsilon 4, delta 1e-06) does not allow"));
    assert_non_null(strstr(err.msg, "remaining "));
    assert_int_equal(f.spent, before.spent);
    assert_int_equal(f.limit, before.limit);
    assert_close(left, -1, 0);
    char sentence[508];
    snprintf(sentence, sizeof sentence, "spent %.9g, asked %.9g, remaining %.9g", /* to the digit */
             (double)f.spent * 1e-12, ceil(tc_rdp_of(&large, f.order) * 1e12) * 50 * 1e-12,
             (double)(f.limit - f.spent) * 1e-12);
    assert_non_null(strstr(err.msg, sentence));
}

static void overflow_is_a_refusal(void **state)
{
    (void)state;
    tacit_error err = {0};
    tc_filter f = filter_of(1e6, 0.5), before = f;
    tacit_dp_event e = plain(1e-3, UINT64_C(1000000000000000));
    assert_fails(tc_filter_spend(&f, &e, &err), TACIT_E_BUDGET, "asked inf");
    e = plain(1e-200, 1);
    assert_fails(tc_filter_spend(&f, &e, &err), TACIT_E_BUDGET, "asked inf");
    e = (tacit_dp_event){TACIT_DP_NONPRIVATE, 0, TACIT_DP_ALL, 1, 1};
    assert_fails(tc_filter_spend(&f, &e, &err), TACIT_E_BUDGET, "asked inf");
    e = plain(-1, 1);
    assert_fails(tc_filter_spend(&f, &e, &err), TACIT_E_ARG, "noise_multiplier");
    e = (tacit_dp_event){TACIT_DP_GAUSSIAN, 1, TACIT_DP_FIXED_SIZE, 0.5, 1};
    assert_fails(tc_filter_spend(&f, &e, &err), TACIT_E_UNSUPPORTED, "fixed-size sampling");
    assert_int_equal(f.spent, before.spent);
    assert_int_equal(f.limit, before.limit);
}

static void every_step_costs_at_least_a_unit(void **state)
{
    (void)state;
    tacit_error err = {0};
    tc_filter f = filter_of(1, 1e-6);
    tacit_dp_event tiny = {TACIT_DP_GAUSSIAN, 1000, TACIT_DP_POISSON, 1e-9, 7};
    assert_ok(tc_filter_spend(&f, &tiny, &err));
    assert_int_equal(f.spent, 7);
    tiny.count = 0;
    assert_ok(tc_filter_spend(&f, &tiny, &err));
    assert_int_equal(f.spent, 7);
    tacit_dp_event laplace = {TACIT_DP_LAPLACE, 0.01, TACIT_DP_ALL, 1, 2};
    assert_ok(tc_filter_spend(&f, &laplace, &err));
    assert_true((double)(f.spent - 7) * TC_FILTER_UNIT >= 2 * tc_rdp_of(&laplace, f.order));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(refuses_bad_budgets),
        cmocka_unit_test(holds_to_epsilon),
        cmocka_unit_test(lets_through_what_fits),
        cmocka_unit_test(refuses_before_spending),
        cmocka_unit_test(overflow_is_a_refusal),
        cmocka_unit_test(every_step_costs_at_least_a_unit),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
