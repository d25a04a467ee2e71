/* record_ledger_test.c - one output for each charge, whatever breaks between reserve and release. */
#include "privacy/record_ledger.h"

#include "support/failing_ledger_store.h"

#include <stdlib.h>

static failing_ledger_store *d; /* fresh for every test */
static const tc_value_plan plan = {.low = 0, .high = 1, .failed = 1, .sensitivity = 1e-3, .z = 8};

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

static tacit_status reserve(tc_ledger *l, uint64_t trial, const tc_value_plan *p, tacit_error *err)
{
    tacit_hash study = tc_ledger_study_hash("s");
    return tc_record_reserve(l, NULL, &study, trial, p, err);
}

static tacit_status release(tc_ledger *l, uint64_t trial, const tc_value_plan *p, double y,
                            double *value, tacit_error *err)
{
    tacit_hash study = tc_ledger_study_hash("s");
    tc_noise noise;
    tc_noise_init(&noise);
    tc_entropy e = tc_entropy_of(&noise);
    tacit_status status = tc_record_release(l, &study, trial, p, y, &e, value, err);
    tc_noise_fini(&noise);
    return status;
}

/* What the ledger says that records have spent, at delta 1e-5. */
static tc_ledger_claim spent(tc_ledger *l)
{
    tacit_error err;
    tc_ledger_claim claim;
    assert_ok(tc_ledger_guarantee(l, TACIT_UNIT_RECORD, NULL, 1e-5, &tc_accountant_gaussian, &claim,
                                  &err));
    return claim;
}

static double gaussian_epsilon(double z, uint64_t n)
{
    tacit_error err;
    tacit_dp_event e = {TACIT_DP_GAUSSIAN, z, TACIT_DP_ALL, 1, n};
    tacit_guarantee g;
    assert_ok(tc_account(&tc_accountant_gaussian, &e, 1, 1e-5, &g, &err));
    return g.epsilon;
}

static void reserve_pays_and_release_does_not(void **state)
{
    (void)state;
    tacit_error err;
    tc_ledger *l = fake_open(d);
    double value = 0;
    for (uint64_t trial = 0; trial < 10; trial++) {
        assert_ok(reserve(l, trial, &plan, &err));
        assert_close(spent(l).bound.epsilon, gaussian_epsilon(8, trial + 1), 1e-6);
        assert_ok(release(l, trial, &plan, 0.5, &value, &err));
        assert_close(value, 0.5, 0.2);
        assert_close(spent(l).bound.epsilon, gaussian_epsilon(8, trial + 1), 1e-6);
    }
    assert_int_equal(spent(l).entries, 10);
    assert_true(spent(l).is_private);
    tc_ledger_close(l);
}

static void a_charge_has_one_output(void **state)
{
    (void)state;
    tacit_error err;
    tc_ledger *l = fake_open(d);
    double first = 0, again = 0;
    assert_ok(reserve(l, 3, &plan, &err));
    assert_ok(reserve(l, 3, &plan, &err));
    assert_ok(release(l, 3, &plan, 0.5, &first, &err));
    assert_ok(release(l, 3, &plan, 0.9, &again, &err)); /* evaluated again: another raw value */
    assert_same_bits(first, again);
    tc_ledger_close(l);
    l = fake_open(d);
    assert_ok(reserve(l, 3, &plan, &err));
    assert_ok(release(l, 3, &plan, NAN, &again, &err));
    assert_same_bits(first, again);
    assert_int_equal(d->appends, 2);
    tc_ledger_close(l);
}

/* A store that breaks at either append, and has or has not done it. */
static void nothing_is_drawn_twice(void **state)
{
    (void)state;
    for (int at_release = 0; at_release < 2; at_release++)
        for (int anyway = 0; anyway < 2; anyway++) {
            tacit_error err;
            double value = -1, later = -1, found = -1;
            tacit_hash study = tc_ledger_study_hash("s");
            memset(d, 0, sizeof *d);
            tc_ledger *l = fake_open(d);
            if (at_release)
                assert_ok(reserve(l, 1, &plan, &err));
            d->fail_append = TACIT_E_IO;
            d->append_anyway = anyway;
            d->fail_find = TACIT_E_IO; /* what happened cannot be read back now */
            tacit_status status =
                at_release ? release(l, 1, &plan, 0.5, &value, &err) : reserve(l, 1, &plan, &err);
            assert_int_equal(status, TACIT_E_IO);
            assert_true(value == -1); /* nothing left */
            tc_ledger_close(l);
            d->failed = false;
            l = fake_open(d);
            bool happened = tc_record_find(l, &study, 1, &found, &err) == TACIT_OK;
            assert_int_equal(happened, at_release && anyway);
            assert_ok(reserve(l, 1, &plan, &err));
            assert_ok(release(l, 1, &plan, 0.1, &later, &err));
            if (happened)
                assert_same_bits(later, found);
            assert_int_equal(d->n, 2);
            assert_close(spent(l).bound.epsilon, gaussian_epsilon(8, 1), 1e-6);
            tc_ledger_close(l);
        }
}

static void reserved_and_lost_stays_paid(void **state)
{
    (void)state;
    tacit_error err;
    tc_ledger *l = fake_open(d);
    double value = 0;
    for (uint64_t trial = 0; trial < 5; trial++)
        assert_ok(reserve(l, trial, &plan, &err)); /* each one killed while it evaluates */
    assert_ok(release(l, 4, &plan, 0.5, &value, &err));
    assert_close(spent(l).bound.epsilon, gaussian_epsilon(8, 5), 1e-6);
    tc_ledger_close(l);
}

static void the_budget_is_asked_before_the_evaluation(void **state)
{
    (void)state;
    tacit_error err;
    tc_ledger *l = fake_open(d);
    tacit_hash study = tc_ledger_study_hash("s");
    tc_ledger_budget budget = {.epsilon = gaussian_epsilon(8, 3) + 1e-6,
                               .delta = 1e-5,
                               .accountant = &tc_accountant_gaussian};
    for (uint64_t trial = 0; trial < 3; trial++)
        assert_ok(tc_record_reserve(l, &budget, &study, trial, &plan, &err));
    assert_fails(tc_record_reserve(l, &budget, &study, 3, &plan, &err), TACIT_E_BUDGET,
                 "the privacy budget of every record");
    double value = 0;
    assert_fails(release(l, 3, &plan, 0.5, &value, &err), TACIT_E_STATE,
                 "trial 3 was not reserved: its value must not be released");
    assert_int_equal(d->n, 3);
    tc_ledger_close(l);
}

/* Paid for little noise is not paid for less. */
static void another_plan_is_refused(void **state)
{
    (void)state;
    tacit_error err;
    tc_ledger *l = fake_open(d);
    double value = 0;
    tc_value_plan less_noise = plan, more_reach = plan;
    less_noise.z = 4;
    more_reach.sensitivity = 2e-3;
    assert_ok(reserve(l, 1, &plan, &err));
    assert_fails(reserve(l, 1, &less_noise, &err), TACIT_E_CONFLICT, "");
    assert_fails(release(l, 1, &less_noise, 0.5, &value, &err), TACIT_E_CONFLICT,
                 "trial 1 was reserved with another noise or sensitivity (ledger entry 1)");
    assert_fails(release(l, 1, &more_reach, 0.5, &value, &err), TACIT_E_CONFLICT, "ledger entry 1");
    assert_int_equal(d->n, 1);
    assert_fails(reserve(l, UINT64_MAX, &plan, &err), TACIT_E_ARG, "below 2^62");
    tc_ledger_close(l);
}

/* ---- training */

static const tacit_dp_event cap = {TACIT_DP_GAUSSIAN, 2, TACIT_DP_POISSON, 0.01, 100};

static void training_is_paid_once(void **state)
{
    (void)state;
    tacit_error err = {0};
    tc_ledger *l = fake_open(d);
    tacit_hash study = tc_ledger_study_hash("s");
    tacit_guarantee g;
    tc_ledger_claim c;
    for (uint64_t i = 0; i < 3; i++) {
        assert_ok(tc_record_reserve_training(l, NULL, &study, i, &cap, 1, &err));
        assert_ok(tc_record_reserve_training(l, NULL, &study, i, &cap, 1, &err));
        assert_ok(reserve(l, i, &plan, &err));
    }
    assert_int_equal(d->n, 6);
    tacit_dp_event all[] = {tc_dp_event_replaced(&cap), {TACIT_DP_GAUSSIAN, 8, TACIT_DP_ALL, 1, 3}};
    all[0].count *= 3;
    assert_ok(tc_account(&tc_accountant_pld, all, 2, 1e-5, &g, &err));
    assert_ok(tc_ledger_guarantee(l, TACIT_UNIT_RECORD, NULL, 1e-5, NULL, &c, &err));
    assert_close(c.bound.epsilon, g.epsilon, 1e-6);
    assert_int_equal(c.entries, 6);
    tacit_dp_event other = cap;
    other.parameter = 3;
    assert_fails(tc_record_reserve_training(l, NULL, &study, 0, &other, 1, &err), TACIT_E_CONFLICT,
                 "with another event");
    assert_fails(tc_record_reserve_training(l, NULL, &study, UINT64_C(1) << 40, &cap, 1, &err),
                 TACIT_E_ARG, "a trial that trains must be below 2^40");
    assert_fails(tc_record_reserve_training(l, NULL, &study, 0, &cap, 17, &err), TACIT_E_ARG,
                 "a training has at most 16 different events, got 17");
    tc_ledger_close(l);
}

/* A training that was charged for is the beginning of its evaluation. */
static void what_has_begun_is_reserved(void **state)
{
    (void)state;
    tacit_error err = {0};
    tc_ledger *l = fake_open(d);
    tacit_hash study = tc_ledger_study_hash("s");
    bool has = true;
    assert_ok(tc_record_is_reserved(l, &study, 0, &has, &err));
    assert_false(has);
    assert_ok(tc_record_reserve_training(l, NULL, &study, 0, &cap, 1, &err));
    assert_ok(reserve(l, 1, &plan, &err));
    for (uint64_t trial = 0; trial < 3; trial++) {
        assert_ok(tc_record_is_reserved(l, &study, trial, &has, &err));
        assert_int_equal(has, trial < 2);
    }
    assert_fails(tc_record_is_reserved(l, &study, UINT64_MAX, &has, &err), TACIT_E_ARG, "2^62");
    tc_ledger_close(l);
}

/* What a document costs may be known, so that nobody finds it out for every charge. */
static void a_known_cost_is_believed(void **state)
{
    (void)state;
    tacit_error err = {0};
    tc_ledger *l = fake_open(d);
    tacit_hash study = tc_ledger_study_hash("s");
    tc_value_scale scale;
    assert_ok(tc_value_plan_scale(&plan, &scale, &err));
    tacit_dp_event planned = scale.event;
    planned.count = 3;
    tc_ledger_document doc = {
        .study = study, .events = &planned, .n = 1, .distance = 3 * scale.distance};
    tc_ledger_budget b = {.epsilon = gaussian_epsilon(8, 3) + 1e-6,
                          .delta = 1e-5,
                          .accountant = &tc_accountant_pld,
                          .document = &doc};
    assert_ok(tc_ledger_keep_plan(l, &b, TACIT_UNIT_RECORD, &err));
    doc.epsilon = gaussian_epsilon(8, 3);
    for (uint64_t i = 0; i < 3; i++)
        assert_ok(tc_record_reserve(l, &b, &study, i, &plan, &err));
    assert_fails(tc_record_reserve(l, &b, &study, 3, &plan, &err), TACIT_E_BUDGET,
                 "does not allow this release");
    tc_ledger_close(l);
}

/* A document that plans both is held to pld over all of it, and to no more. */
static void a_plan_has_trainings_and_evaluations(void **state)
{
    (void)state;
    enum { TRIALS = 4 };
    tacit_error err = {0};
    tc_ledger *l = fake_open(d);
    tacit_hash study = tc_ledger_study_hash("s");
    tc_value_scale scale;
    tacit_guarantee g;
    assert_ok(tc_value_plan_scale(&plan, &scale, &err));
    tacit_dp_event planned[] = {tc_dp_event_replaced(&cap), scale.event};
    planned[0].count *= TRIALS;
    planned[1].count = TRIALS;
    tc_ledger_document doc = {
        .study = study, .events = planned, .n = 2, .distance = TRIALS * scale.distance};
    assert_ok(tc_ledger_cost(&tc_accountant_pld, planned, 2, doc.distance, 1e-5, &g, &err));
    tc_ledger_budget b = {.epsilon = g.epsilon * 1.0001,
                          .delta = 1e-5,
                          .accountant = &tc_accountant_pld,
                          .document = &doc};
    assert_ok(tc_ledger_keep_plan(l, &b, TACIT_UNIT_RECORD, &err));
    for (uint64_t i = 0; i < TRIALS; i++) {
        assert_ok(tc_record_reserve_training(l, &b, &study, i, &cap, 1, &err));
        assert_ok(tc_record_reserve(l, &b, &study, i, &plan, &err));
    }
    tc_record_paid paid = tc_record_count_paid(l, &study);
    assert_int_equal(paid.values, TRIALS);
    assert_int_equal(paid.trained[0], TRIALS);
    assert_int_equal(paid.trained[1], 0);
    size_t before = d->n;
    assert_fails(tc_record_reserve_training(l, &b, &study, TRIALS, &cap, 1, &err), TACIT_E_BUDGET,
                 "does not allow this release");
    assert_fails(tc_record_reserve(l, &b, &study, TRIALS, &plan, &err), TACIT_E_BUDGET,
                 "does not allow this release");
    assert_int_equal(d->n, before);
    tc_ledger_close(l);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(reserve_pays_and_release_does_not, fresh_store, drop_store),
        cmocka_unit_test_setup_teardown(a_charge_has_one_output, fresh_store, drop_store),
        cmocka_unit_test_setup_teardown(nothing_is_drawn_twice, fresh_store, drop_store),
        cmocka_unit_test_setup_teardown(reserved_and_lost_stays_paid, fresh_store, drop_store),
        cmocka_unit_test_setup_teardown(the_budget_is_asked_before_the_evaluation, fresh_store,
                                        drop_store),
        cmocka_unit_test_setup_teardown(another_plan_is_refused, fresh_store, drop_store),
        cmocka_unit_test_setup_teardown(training_is_paid_once, fresh_store, drop_store),
        cmocka_unit_test_setup_teardown(what_has_begun_is_reserved, fresh_store, drop_store),
        cmocka_unit_test_setup_teardown(a_known_cost_is_believed, fresh_store, drop_store),
        cmocka_unit_test_setup_teardown(a_plan_has_trainings_and_evaluations, fresh_store,
                                        drop_store),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
