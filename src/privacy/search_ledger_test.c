/* search_ledger_test.c - searches beside other charges, and stores that break between price and winner. */
#include "privacy/search_ledger.h"

#include "privacy/rdp.h"
#include "privacy/record_ledger.h"

#include "support/failing_ledger_store.h"

#include <math.h>
#include <stdlib.h>

static failing_ledger_store *d; /* fresh for every test */
static const tacit_dp_event run = {TACIT_DP_GAUSSIAN, 20, TACIT_DP_ALL, 1, 1};
static const tc_search_plan plan = {
    .repeats = {sizeof(tacit_repeats), TACIT_REPEATS_NEGATIVE_BINOMIAL, 8, 1},
    .events = &run,
    .n = 1,
    .replacing = true};
static const tc_value_plan value = {.low = 0, .high = 1, .failed = 1, .sensitivity = 1e-3, .z = 30};

static int fresh_store(void **state)
{
    (void)state;
    d = calloc(1, sizeof *d);
    return d ? 0 : -1;
}

static int drop_store(void **state)
{
    (void)state;
    free(d);
    return 0;
}

static tacit_status reserve(tc_ledger *l, double epsilon, tc_search_paid *paid, tacit_error *err)
{
    return tc_search_reserve(l, &plan, epsilon, 1e-5, "{}", paid, err);
}

static tacit_status release(tc_ledger *l, const tc_search_paid *paid, tacit_error *err)
{
    static const double winner[] = {0.25, 3, 0.9};
    tc_noise noise;
    tacit_head head;
    tc_noise_init(&noise);
    tc_entropy e = tc_entropy_of(&noise);
    tacit_status status = tc_search_release(l, &plan, paid, winner, 3, &e, &head, err);
    tc_noise_fini(&noise);
    return status;
}

static double spent(tc_ledger *l)
{
    tacit_error err;
    tc_ledger_claim claim;
    assert_ok(tc_ledger_guarantee(l, TACIT_UNIT_RECORD, NULL, 1e-5, NULL, &claim, &err));
    assert_true(claim.is_private);
    return claim.bound.epsilon;
}

static double alone(void)
{
    tacit_error err;
    tacit_guarantee g = TACIT_GUARANTEE;
    assert_ok(tc_search_cost(&plan, 1e-5, &g, &err));
    return g.epsilon;
}

static void the_price_is_that_of_the_search_alone(void **state)
{
    (void)state;
    tacit_error err;
    tc_search_paid paid;
    tc_ledger *l = fake_open(d);
    assert_fails(reserve(l, alone() * 0.999, &paid, &err), TACIT_E_BUDGET,
                 "the privacy budget of every record");
    assert_int_equal(d->n, 0);
    assert_ok(reserve(l, alone() * 1.001, &paid, &err));
    assert_close(spent(l), alone(), 1e-6);
    assert_ok(release(l, &paid, &err));
    assert_close(spent(l), alone(), 1e-6);
    assert_fails(release(l, &paid, &err), TACIT_E_CONFLICT, "in the ledger already");
    assert_fails(reserve(l, alone() * 1.2, &paid, &err), TACIT_E_BUDGET, "spent");
    assert_int_equal(d->n, 2);
    tc_ledger_close(l);
}

/* Divergences of search and values at one order, and what they say, are below what the ledger holds them to. */
static void a_search_and_values_add_up(void **state)
{
    (void)state;
    tacit_error err;
    tc_search_paid paid;
    tc_ledger *l = fake_open(d);
    tacit_hash study = tc_ledger_study_hash("s");
    tc_ledger_budget budget = {.epsilon = 1.5, .delta = 1e-5};
    assert_ok(reserve(l, 1.5, &paid, &err));
    double before = spent(l);
    uint64_t n = 0;
    while (tc_record_reserve(l, &budget, &study, n, &value, &err) == TACIT_OK)
        n++;
    assert_true(n > 3 && n < 100);
    assert_true(spent(l) > before && spent(l) <= 1.5 * (1 + 1e-9));
    double least = INFINITY;
    for (int order = 2; order <= 200; order++)
        least = fmin(least, tc_rdp_epsilon(tc_search_divergence(&plan, order) +
                                               (double)n * order / (2 * value.z * value.z),
                                           order, 1e-5));
    assert_true(spent(l) >= least * (1 - 1e-9));
    assert_true(reserve(l, 1.5, &paid, &err) == TACIT_E_BUDGET);
    tc_ledger_close(l);
}

/* One ledger has one filter. */
static void after_a_plain_gaussian_there_is_no_search(void **state)
{
    (void)state;
    tacit_error err;
    tc_search_paid paid;
    tc_ledger *l = fake_open(d);
    tacit_hash study = tc_ledger_study_hash("s");
    assert_ok(tc_record_reserve(l, NULL, &study, 0, &value, &err));
    assert_fails(reserve(l, 5, &paid, &err), TACIT_E_BUDGET,
                 "a ledger whose first release is a Gaussian has no place for a search");
    assert_int_equal(d->n, 1);
    assert_ok(reserve(l, 10, &paid, &err)); /* so large a limit has the other filter anyway */
    assert_true(spent(l) > 9 && spent(l) <= 10);
    tc_ledger_close(l);
}

/* A store that breaks at either append, and has or has not done it: nothing may run, or leave. */
static void a_broken_store_releases_nothing(void **state)
{
    (void)state;
    for (int at_release = 0; at_release < 2; at_release++)
        for (int anyway = 0; anyway < 2; anyway++) {
            tacit_error err;
            tc_search_paid paid;
            memset(d, 0, sizeof *d);
            tc_ledger *l = fake_open(d);
            if (at_release)
                assert_ok(reserve(l, 10, &paid, &err));
            d->fail_append = TACIT_E_IO;
            d->append_anyway = anyway;
            d->fail_find = TACIT_E_IO;
            assert_int_equal(at_release ? release(l, &paid, &err) : reserve(l, 10, &paid, &err),
                             TACIT_E_IO);
            tc_ledger_close(l);
            d->failed = false;
            l = fake_open(d);
            size_t had = d->n;
            assert_int_equal(had, (size_t)at_release + (size_t)anyway);
            assert_ok(reserve(l, 10, &paid, &err)); /* another search, with its own charge */
            assert_ok(release(l, &paid, &err));
            assert_int_equal(d->n, had + 2);
            tc_ledger_close(l);
        }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(the_price_is_that_of_the_search_alone, fresh_store,
                                        drop_store),
        cmocka_unit_test_setup_teardown(a_search_and_values_add_up, fresh_store, drop_store),
        cmocka_unit_test_setup_teardown(after_a_plain_gaussian_there_is_no_search, fresh_store,
                                        drop_store),
        cmocka_unit_test_setup_teardown(a_broken_store_releases_nothing, fresh_store, drop_store),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
