/* privacy_api_test.c - the public interface says what the inner parts say. */
#include <tacit/privacy.h>
#include <tacit/release.h>

#include "privacy/accountant.h"

#include "support/test.h"

static const tacit_dp_event forty = {TACIT_DP_GAUSSIAN, 1, TACIT_DP_POISSON, 0.25, 40};

static void names_agree_with_the_registry(void **state)
{
    (void)state;
    size_t i = 0;
    for (; tacit_accountants()[i]; i++)
        assert_string_equal(tacit_accountants()[i], tc_accountants()[i]->name);
    assert_null(tc_accountants()[i]);
}

static void accounts(void **state)
{
    (void)state;
    tacit_error err = {0};
    tacit_guarantee g = TACIT_GUARANTEE;
    g.epsilon = -1;
    assert_fails(tacit_account("moment", &forty, 1, 0.1, &g, &err), TACIT_E_NOT_FOUND,
                 "did you mean \"moments\"?");
    assert_fails(tacit_account("rdp", &forty, 1, 0, &g, &err), TACIT_E_ARG, "delta must be");
    assert_close(g.epsilon, -1, 0);
    assert_ok(tacit_account("moments", &forty, 1, pow(200, -1.1), &g, &err));
    assert_close(g.epsilon, 9.9085, 1e-4);
    assert_close(g.order, 1, 0);
    assert_close(g.delta, pow(200, -1.1), 0);
    assert_ok(tacit_account(NULL, &forty, 1, pow(200, -1.1), &g, &err));
    assert_string_equal(g.accountant, "pld");
    assert_close(g.epsilon, 7.0538, 0.003);
    assert_true(g.lower > 7 && g.lower <= g.epsilon);
    assert_ok(tacit_account(NULL, NULL, 0, 0.1, &g, &err));
    assert_close(g.epsilon, 0, 0);
}

/* A caller of a later version, whose guarantee has one more member, which is 0 here. */
static void writes_no_more_than_the_caller_knows(void **state)
{
    (void)state;
    tacit_error err = {0};
    struct {
        tacit_guarantee g;
        double later;
    } caller = {TACIT_GUARANTEE, 7};
    assert_ok(tacit_account("moments", &forty, 1, pow(200, -1.1), &caller.g, &err));
    assert_close(caller.later, 7, 0);
    caller.g.size = sizeof caller;
    assert_ok(tacit_account("moments", &forty, 1, pow(200, -1.1), &caller.g, &err));
    assert_int_equal(caller.g.size, sizeof caller);
    assert_close(caller.g.epsilon, 9.9085, 1e-4);
    assert_close(caller.later, 0, 0);
    caller.g.size = 40;
    assert_fails(tacit_account("moments", &forty, 1, 0.1, &caller.g, &err), TACIT_E_ARG,
                 "out.size must be sizeof(tacit_guarantee), at least 48, got 40");
}

static void calibrates(void **state)
{
    (void)state;
    tacit_error err = {0};
    double z = -1;
    assert_ok(tacit_calibrate(NULL, 1, 1e-5, TACIT_DP_ALL, 1, 40, &z, &err));
    assert_close(z, 23.5946, 1e-3);
    assert_fails(tacit_calibrate("x", 1, 1e-5, TACIT_DP_ALL, 1, 40, &z, &err), TACIT_E_NOT_FOUND,
                 "there is no accountant \"x\"");
    assert_ok(tacit_analytic_gaussian(1, 1e-5, &z, &err));
    assert_close(z, 3.730631635, 1e-6);
    assert_fails(tacit_analytic_gaussian(-1, 1e-5, &z, &err), TACIT_E_ARG, "epsilon must be");
}

static double mean_square(const int64_t *x, size_t n)
{
    double sum = 0;
    for (size_t i = 0; i < n; i++)
        sum += (double)x[i] * (double)x[i];
    return sum / (double)n;
}

/* Six standard errors of the mean square: a right sampler fails once in 10^8 runs. */
static void draws_noise(void **state)
{
    (void)state;
    enum { N = 40000 };
    static int64_t x[N], y[N];
    tacit_error err = {0};
    assert_ok(tacit_sample_discrete_gaussian(1000, N, x, &err));
    assert_ok(tacit_sample_discrete_gaussian(1000, N, y, &err));
    assert_memory_not_equal(x, y, sizeof x);
    assert_close(mean_square(x, N), 1e6, 1e6 * 6 * sqrt(2.0 / N));
    assert_ok(tacit_sample_discrete_laplace(1000, N, x, &err));
    assert_close(mean_square(x, N), 2e6, 2e6 * 6 * sqrt(5.0 / N));
    assert_ok(tacit_sample_discrete_laplace(1, 0, NULL, &err));
    assert_fails(tacit_sample_discrete_gaussian(0, 1, x, &err), TACIT_E_ARG,
                 "sd must be in [1, 16777216], got 0");
    assert_fails(tacit_sample_discrete_laplace(UINT64_MAX, 1, x, &err), TACIT_E_ARG,
                 "scale must be in [1, 1099511627776], got 18446744073709551615");
}

static void filters(void **state)
{
    (void)state;
    tacit_error err = {0};
    tacit_filter *f = NULL;
    assert_fails(tacit_filter_new(&f, -1, 0.1, &err), TACIT_E_ARG, "epsilon must be");
    assert_null(f);
    assert_ok(tacit_filter_new(&f, 4, 1e-6, &err));
    tacit_dp_event e = {TACIT_DP_GAUSSIAN, 20, TACIT_DP_ALL, 1, 20};
    double left;
    assert_ok(tacit_filter_would(f, &e, &left, &err));
    assert_close(tacit_filter_remaining(f), 1, 0);
    assert_ok(tacit_filter_spend(f, &e, &err));
    assert_close(tacit_filter_remaining(f), left, 0);
    assert_true(left > 0 && left < 1);
    e.count = 2000;
    assert_fails(tacit_filter_spend(f, &e, &err), TACIT_E_BUDGET, "does not allow this release");
    assert_close(tacit_filter_remaining(f), left, 0);
    tacit_filter_free(f);
    tacit_filter_free(NULL);
}

static void misses_no_missing_pointer(void **state)
{
    (void)state;
    tacit_error err = {0};
    tacit_guarantee g = TACIT_GUARANTEE;
    double z;
    int64_t draw;
    tacit_filter *f = NULL;
    assert_fails(tacit_account(NULL, NULL, 1, 0.1, &g, &err), TACIT_E_ARG,
                 "events must not be NULL");
    assert_fails(tacit_account(NULL, &forty, 1, 0.1, NULL, &err), TACIT_E_ARG,
                 "out must not be NULL");
    assert_fails(tacit_calibrate(NULL, 1, 0.1, TACIT_DP_ALL, 1, 1, NULL, &err), TACIT_E_ARG,
                 "noise_multiplier must not be NULL");
    assert_fails(tacit_analytic_gaussian(1, 0.1, NULL, &err), TACIT_E_ARG, "sd must not be NULL");
    assert_fails(tacit_sample_discrete_gaussian(1, 1, NULL, &err), TACIT_E_ARG, "out must not");
    assert_fails(tacit_sample_discrete_laplace(1, 1, NULL, &err), TACIT_E_ARG, "out must not");
    assert_ok(tacit_sample_discrete_laplace(1, 0, NULL, &err));
    assert_fails(tacit_filter_new(NULL, 1, 0.1, &err), TACIT_E_ARG, "out must not be NULL");
    assert_fails(tacit_filter_would(NULL, &forty, &z, &err), TACIT_E_ARG, "f must not be NULL");
    assert_fails(tacit_filter_spend(NULL, &forty, &err), TACIT_E_ARG, "f must not be NULL");
    assert_ok(tacit_filter_new(&f, 1, 0.1, &err));
    assert_fails(tacit_filter_would(f, NULL, &z, &err), TACIT_E_ARG, "event must not be NULL");
    assert_fails(tacit_filter_spend(f, NULL, &err), TACIT_E_ARG, "event must not be NULL");
    assert_close(tacit_filter_remaining(f), 1, 0);
    assert_close(tacit_filter_remaining(NULL), 0, 0);
    assert_int_equal(tacit_sample_discrete_gaussian(0, 1, &draw, NULL), TACIT_E_ARG);
    tacit_filter_free(f);
    tacit_filter_free(NULL);
}

/* ---- saying it */

static void states_a_guarantee(void **state)
{
    (void)state;
    tacit_error err = {0};
    tacit_guarantee g = TACIT_GUARANTEE;
    char *text = NULL, *scope = NULL;
    assert_ok(tacit_account(NULL, &forty, 1, 0.01, &g, &err));
    assert_ok(tacit_statement(&g, 40, TACIT_UNIT_AGENT, TACIT_DP_POISSON, &text, &err));
    assert_memory_equal(text, "every agent: epsilon 5.", 23);
    assert_non_null(strstr(text, "delta 0.01 (pld) over 40 releases. Neighbours: all that one"));
    assert_non_null(strstr(text, tacit_statement_trust()));
    assert_ok(tacit_statement(NULL, 0, TACIT_UNIT_AGENT, TACIT_DP_POISSON, &scope, &err));
    assert_string_equal(strstr(text, "Neighbours"), scope);
    tacit_text_free(text);
    tacit_text_free(scope);
    text = NULL;
    assert_int_equal(tacit_statement(&g, 1, (tacit_unit)4, TACIT_DP_ALL, &text, &err), TACIT_E_ARG);
    assert_int_equal(tacit_statement(&g, 1, TACIT_UNIT_ROW, (tacit_dp_sampling)4, &text, &err),
                     TACIT_E_ARG);
    g.size = 0;
    assert_int_equal(tacit_statement(&g, 1, TACIT_UNIT_ROW, TACIT_DP_ALL, &text, NULL),
                     TACIT_E_ARG);
    assert_null(text);
}

#define IT_HOLDS                                                                                   \
    ". Neighbours: those of a run's releases. It holds if all runs have the same distribution "    \
    "(each draws its own hyper-parameters and scores itself privately, within the releases "       \
    "counted here; one that fails counts as worst and is not done again), if K is drawn without "  \
    "looking at data or results and stays secret (not shown, capped, drawn again, or to be told "  \
    "from a running time or a log), and if nothing leaves but the winner"
#define NOT_COVERED " A search that chooses points in view of earlier results is not covered."

static void states_the_best_of_several_runs(void **state)
{
    (void)state;
    tacit_error err = {0};
    const tacit_dp_event run = {TACIT_DP_GAUSSIAN, 1.1, TACIT_DP_POISSON, 0.01, 1000};
    const tacit_dp_event none = {TACIT_DP_NONPRIVATE, 0, TACIT_DP_ALL, 1, 1};
    tacit_repeats r = TACIT_REPEATS;
    tacit_guarantee g = TACIT_GUARANTEE;
    char *text = NULL;
    r.mean = 10;
    assert_ok(tacit_account_best_of(&r, &run, 1, 1e-5, &g, &err));
    assert_ok(tacit_statement_best_of(&g, &r, &text, &err));
    assert_string_equal(text,
                        "The best of K private runs: epsilon 3.43281, delta 1e-05 (rdp; Papernot "
                        "and Steinke 2022), where K is truncated negative binomial with mean 10 "
                        "and shape 1" IT_HOLDS "." NOT_COVERED);
    tacit_text_free(text);
    r = (tacit_repeats){sizeof r, TACIT_REPEATS_POISSON, 2.5, 0};
    assert_ok(tacit_account_best_of(&r, &none, 1, 1e-5, &g, &err));
    assert_ok(tacit_statement_best_of(&g, &r, &text, &err));
    assert_string_equal(text, "The best of K private runs: no guarantee (rdp; Papernot and Steinke "
                              "2022), where K is Poisson with mean 2.5" IT_HOLDS
                              ", which is nothing where K is 0." NOT_COVERED);
    tacit_text_free(text);
    text = NULL;
    r.shape = 1;
    assert_fails(tacit_statement_best_of(&g, &r, &text, &err), TACIT_E_ARG,
                 "shape must be 0 for Poisson, got 1");
    g.accountant = NULL;
    assert_fails(tacit_statement_best_of(&g, &r, &text, &err), TACIT_E_ARG,
                 "g->accountant must not be NULL");
    assert_fails(tacit_statement_best_of(NULL, &r, &text, &err), TACIT_E_ARG, "g must not be NULL");
    r.size = 0;
    g.accountant = "rdp";
    assert_fails(tacit_statement_best_of(&g, &r, &text, &err), TACIT_E_ARG, "repeats.size must be");
    assert_null(text);
}

static void names_units_and_events(void **state)
{
    (void)state;
    tacit_error err = {0};
    char *json = NULL;
    assert_string_equal(tacit_unit_name(TACIT_UNIT_ROW), "row");
    assert_null(tacit_unit_name((tacit_unit)4));
    assert_ok(tacit_unit_check(TACIT_UNIT_AGENT, 0.5, &err));
    assert_fails(tacit_unit_check((tacit_unit)4, 1, &err), TACIT_E_ARG,
                 "the unit must be one of its constants, 0 to 3, got 4");
    const double outside[] = {NAN, 0, -0.5, 1.5, (double)INFINITY};
    for (size_t i = 0; i < sizeof outside / sizeof *outside; i++)
        assert_fails(tacit_unit_check(TACIT_UNIT_AGENT, outside[i], &err), TACIT_E_ARG,
                     "the sampling rate must be in (0, 1], got ");
    assert_fails(tacit_unit_check(TACIT_UNIT_ROW, 0.5, &err), TACIT_E_ARG,
                 "sampling with a rate below 1 is accounted for agents only");
    assert_ok(tacit_dp_event_json(&(tacit_dp_event){TACIT_DP_GAUSSIAN, 2, TACIT_DP_ALL, 1, 1},
                                  &json, &err));
    assert_string_equal(json, "{\"dp_event\":\"Gaussian\",\"noise_multiplier\":2.0}");
    tacit_text_free(json);
    assert_int_equal(tacit_dp_event_json(&(tacit_dp_event){0}, &json, NULL), TACIT_E_ARG);
    assert_fails(tacit_delta_check(NULL, 0.5, 2, &err), TACIT_E_ARG, "delta must be below 1/N");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(misses_no_missing_pointer),
        cmocka_unit_test(names_agree_with_the_registry),
        cmocka_unit_test(accounts),
        cmocka_unit_test(writes_no_more_than_the_caller_knows),
        cmocka_unit_test(calibrates),
        cmocka_unit_test(draws_noise),
        cmocka_unit_test(filters),
        cmocka_unit_test(states_a_guarantee),
        cmocka_unit_test(states_the_best_of_several_runs),
        cmocka_unit_test(names_units_and_events),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
