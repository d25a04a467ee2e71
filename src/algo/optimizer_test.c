/* optimizer_test.c - the fold over events: states, leases, refusals, corrupt journals. */
#include "support/test.h"

#include "algo/optimizer.h"

typedef struct fixture {
    tc_space *space;
    tc_optimizer *o;
} fixture;

static int setup(void **state)
{
    static fixture f;
    tacit_error err = {0};
    assert_ok(tc_space_new(&f.space, &err));
    assert_ok(tc_space_add_float(f.space, "x", 0, 1, 0, false, &err));
    tc_optimizer_config cfg = {.algorithm = tc_algorithm_find("random"), .space = f.space};
    assert_ok(tc_optimizer_new(&f.o, &cfg, &err));
    *state = &f;
    return 0;
}

static int teardown(void **state)
{
    fixture *f = *state;
    tc_optimizer_free(f->o);
    tc_space_free(f->space);
    return 0;
}

static tc_event next(fixture *f, int64_t now_ms, int64_t lease_ms, const char *worker)
{
    tacit_error err = {0};
    tc_ask_request req = {.now_ms = now_ms, .lease_ms = lease_ms, .worker = worker};
    tc_event e;
    assert_ok(tc_optimizer_next(f->o, &req, &e, &err));
    assert_ok(tc_optimizer_apply(f->o, &e, &err));
    return e;
}

static void tell(fixture *f, uint64_t trial, double value)
{
    tacit_error err = {0};
    tc_event e;
    assert_ok(tc_optimizer_tell(f->o, trial, NULL, value, 5, &e, &err));
    assert_ok(tc_optimizer_apply(f->o, &e, &err));
}

static void test_life_of_a_trial(void **state)
{
    fixture *f = *state;
    tc_event e = next(f, 10, 0, "w1");
    const tc_trial *t = tc_optimizer_trial(f->o, e.trial);
    assert_int_equal(t->state, TC_TRIAL_RUNNING);
    assert_string_equal(t->worker, "w1");
    assert_int_equal(t->asked_ms, 10);
    assert_null(tc_optimizer_best(f->o));
    tell(f, e.trial, 3);
    tell(f, next(f, 11, 0, NULL).trial, 2);
    tell(f, next(f, 12, 0, NULL).trial, 2);
    assert_int_equal(tc_optimizer_best(f->o)->number, 1); /* minimised; ties: the first */
    assert_int_equal(tc_optimizer_count(f->o, TC_TRIAL_COMPLETE), 3);
    assert_int_equal(tc_optimizer_seq(f->o), 6);
}

static void test_noise_is_known_of_the_value_it_was_added_to(void **state)
{
    fixture *f = *state;
    tacit_error err = {0};
    tell(f, next(f, 0, 0, NULL).trial, 3);
    tc_event e, ask = next(f, 1, 0, NULL);
    assert_ok(tc_optimizer_tell(f->o, ask.trial, NULL, 1, 5, &e, &err));
    assert_true(e.noise_sd == 0);
    for (double bad = -1; bad < 2e200; bad = bad < 0 ? 1e200 : 1e300) {
        e.noise_sd = bad;
        assert_fails(tc_optimizer_apply(f->o, &e, &err), TACIT_E_CORRUPT,
                     "event 0 (tell, trial 1) has noise whose variance is not a finite number");
    }
    e.noise_sd = 1, e.batch.n = 1;
    assert_fails(tc_optimizer_apply(f->o, &e, &err), TACIT_E_CORRUPT,
                 "is a batch, and one value alone can carry noise");
    e.noise_sd = 0.5, e.batch.n = 0;
    assert_ok(tc_optimizer_apply(f->o, &e, &err));
    assert_true(tc_optimizer_trial(f->o, 0)->noise_sd == 0);
    assert_true(tc_optimizer_trial(f->o, 1)->noise_sd == 0.5);
}

static void test_next_is_pure(void **state)
{
    fixture *f = *state;
    tacit_error err = {0};
    tc_ask_request req = {.now_ms = 1};
    tc_event a, b;
    assert_ok(tc_optimizer_next(f->o, &req, &a, &err));
    double x = a.values[0];
    assert_ok(tc_optimizer_next(f->o, &req, &b, &err));
    assert_same_bits(x, b.values[0]);
    assert_int_equal(tc_optimizer_trials(f->o), 0);
}

static void test_a_lease_that_ran_out_is_handed_on(void **state)
{
    fixture *f = *state;
    tc_event first = next(f, 0, 1000, "dies");
    double x = tc_optimizer_trial(f->o, 0)->values[0];
    assert_int_equal(next(f, 1000, 1000, "b").kind, TC_EVENT_ASK); /* not over yet: a new trial */
    tc_event stale = next(f, 1001, 1000, "c");
    assert_int_equal(stale.kind, TC_EVENT_STALE);
    assert_int_equal(stale.trial, first.trial);
    tc_event again = next(f, 1001, 1000, "c");
    assert_int_equal(again.kind, TC_EVENT_ASK);
    assert_int_equal(again.trial, first.trial);
    assert_same_bits(tc_optimizer_trial(f->o, 0)->values[0], x);
    assert_string_equal(tc_optimizer_trial(f->o, 0)->worker, "c");
}

static void test_a_late_tell_is_welcome(void **state)
{
    fixture *f = *state;
    next(f, 0, 10, "slow");
    assert_int_equal(next(f, 100, 10, "x").kind, TC_EVENT_STALE);
    tell(f, 0, 1.5);
    assert_int_equal(tc_optimizer_trial(f->o, 0)->state, TC_TRIAL_COMPLETE);
}

static void test_enqueued_points_come_first(void **state)
{
    fixture *f = *state;
    tacit_error err = {0};
    tc_event e;
    double x = 0.125;
    assert_ok(tc_optimizer_enqueue(f->o, &x, 0, &e, &err));
    assert_ok(tc_optimizer_apply(f->o, &e, &err));
    assert_int_equal(tc_optimizer_count(f->o, TC_TRIAL_WAITING), 1);
    tc_event asked = next(f, 1, 0, NULL);
    assert_int_equal(asked.trial, 0);
    assert_same_bits(tc_optimizer_trial(f->o, 0)->values[0], 0.125);
    x = 2;
    assert_fails(tc_optimizer_enqueue(f->o, &x, 0, &e, &err), TACIT_E_ARG, "x");
}

static void test_tell_at_another_point(void **state)
{
    fixture *f = *state;
    tacit_error err = {0};
    tc_event e;
    double ran = 0.75, outside = -1;
    next(f, 0, 0, NULL);
    assert_fails(tc_optimizer_tell(f->o, 0, &outside, 1, 0, &e, &err), TACIT_E_ARG, "x");
    assert_ok(tc_optimizer_tell(f->o, 0, &ran, 1, 0, &e, &err));
    assert_ok(tc_optimizer_apply(f->o, &e, &err));
    assert_same_bits(tc_optimizer_trial(f->o, 0)->values[0], 0.75);
}

static void test_refusals(void **state)
{
    fixture *f = *state;
    tacit_error err = {0};
    tc_event e;
    assert_fails(tc_optimizer_tell(f->o, 0, NULL, 1, 0, &e, &err), TACIT_E_NOT_FOUND, "no trial 0");
    next(f, 0, 0, NULL);
    assert_fails(tc_optimizer_tell(f->o, 0, NULL, NAN, 0, &e, &err), TACIT_E_ARG, "finite");
    assert_fails(tc_optimizer_tell(f->o, 0, NULL, INFINITY, 0, &e, &err), TACIT_E_ARG, "finite");
    tell(f, 0, 1);
    assert_fails(tc_optimizer_tell(f->o, 0, NULL, 1, 0, &e, &err), TACIT_E_STATE, "COMPLETE");
    assert_fails(tc_optimizer_fail(f->o, 0, "x", 0, &e, &err), TACIT_E_STATE, "told already");
}

/* ---- intermediate values ---- */

static tc_event report(fixture *f, uint64_t trial, uint64_t step, double value)
{
    tacit_error err = {0};
    tc_event e;
    bool same;
    assert_ok(tc_optimizer_report(f->o, trial, &(tc_step){step, value}, 20 + (int64_t)step, &e,
                                  &same, &err));
    assert_false(same);
    assert_ok(tc_optimizer_apply(f->o, &e, &err));
    return e;
}

static void test_reports_make_a_curve(void **state)
{
    fixture *f = *state;
    tacit_error err = {0};
    tc_event e;
    bool same;
    uint64_t t = next(f, 10, 0, NULL).trial;
    report(f, t, 0, 4);
    report(f, t, 2, 3);
    report(f, t, 7, 2);
    const tc_trial *trial = tc_optimizer_trial(f->o, t);
    assert_int_equal(trial->n_steps, 3);
    assert_ok(tc_optimizer_report(f->o, t, &(tc_step){7, 2}, 0, &e, &same, &err));
    assert_true(same);  /* the last one again is nothing */
    report(f, t, 2, 9); /* it was begun again: later steps are gone */
    trial = tc_optimizer_trial(f->o, t);
    assert_int_equal(trial->n_steps, 2);
    assert_int_equal(trial->steps[1].step, 2);
    assert_same_bits(trial->steps[1].value, 9);
    assert_int_equal(trial->reports, 4);
    assert_int_equal(trial->state, TC_TRIAL_RUNNING);
    tell(f, t, 1);
    assert_int_equal(tc_optimizer_trial(f->o, t)->n_steps, 2); /* its curve stays */
}

static void test_a_pruned_trial_is_finished_and_never_the_best(void **state)
{
    fixture *f = *state;
    tacit_error err = {0};
    tc_event e;
    uint64_t t = next(f, 10, 0, NULL).trial;
    assert_fails(tc_optimizer_prune(f->o, t, NULL, 0, &e, &err), TACIT_E_STATE,
                 "trial 0 has reported no intermediate value, so there is nothing to prune it by");
    report(f, t, 3, -5);
    assert_ok(tc_optimizer_prune(f->o, t, "asha", 40, &e, &err));
    assert_int_equal(e.step, 3);
    assert_same_bits(e.value, -5);
    assert_ok(tc_optimizer_apply(f->o, &e, &err));
    const tc_trial *trial = tc_optimizer_trial(f->o, t);
    assert_int_equal(trial->state, TC_TRIAL_PRUNED);
    assert_int_equal(trial->told_ms, 40);
    assert_string_equal(trial->reason, "pruned at step 3 with -5 (asha)");
    assert_int_equal(tc_optimizer_count(f->o, TC_TRIAL_PRUNED), 1);
    assert_int_equal(tc_optimizer_pulls(f->o, TC_TRIAL_PRUNED), 1);
    assert_null(tc_optimizer_best(f->o)); /* however good its last value was */
    tc_ask_request planned = {.now_ms = 1, .planned = 1};
    assert_fails(tc_optimizer_next(f->o, &planned, &e, &err), TACIT_E_BUDGET, "all 1 trials");
    assert_fails(tc_optimizer_tell(f->o, t, NULL, 1, 0, &e, &err), TACIT_E_STATE,
                 "trial 0 was told already: it is PRUNED");
}

static void test_reports_that_are_refused(void **state)
{
    fixture *f = *state;
    tacit_error err = {0};
    tc_event e;
    bool same;
    double x = 0.25;
    const tc_step good = {1, 1};
    assert_ok(tc_optimizer_enqueue(f->o, &x, 0, &e, &err));
    assert_ok(tc_optimizer_apply(f->o, &e, &err));
    assert_fails(tc_optimizer_report(f->o, 0, &good, 0, &e, &same, &err), TACIT_E_STATE,
                 "trial 0 is WAITING: nobody runs it yet");
    next(f, 0, 0, NULL);
    assert_fails(tc_optimizer_report(f->o, 5, &good, 0, &e, &same, &err), TACIT_E_NOT_FOUND,
                 "there is no trial 5");
    assert_fails(tc_optimizer_report(f->o, 0, &(tc_step){1, NAN}, 0, &e, &same, &err), TACIT_E_ARG,
                 "the value of trial 0 at step 1 must be a finite number, got nan");
    assert_fails(tc_optimizer_report(f->o, 0, &(tc_step){TC_STEP_MOST + 1, 1}, 0, &e, &same, &err),
                 TACIT_E_ARG, "step must be at most 9007199254740992, got 9007199254740993");
    for (uint64_t i = 0; i < TC_REPORTS_MOST; i++)
        report(f, 0, i, 1);
    assert_fails(tc_optimizer_report(f->o, 0, &(tc_step){TC_STEP_MOST, 1}, 0, &e, &same, &err),
                 TACIT_E_BUDGET, "trial 0 has made 10000 reports, as many as a trial may");
    e = (tc_event){.kind = TC_EVENT_REPORT, .trial = 0, .step = 1, .value = 1};
    assert_fails(tc_optimizer_apply(f->o, &e, &err), TACIT_E_CORRUPT,
                 "is a report that no trial can make");
    tell(f, 0, 1);
    assert_fails(tc_optimizer_report(f->o, 0, &good, 0, &e, &same, &err), TACIT_E_STATE,
                 "told already");
    assert_fails(tc_optimizer_apply(f->o, &e, &err), TACIT_E_CORRUPT,
                 "reports of a trial that was not running");
}

static void fail_trial(fixture *f, uint64_t trial)
{
    tacit_error err = {0};
    tc_event e;
    assert_ok(tc_optimizer_fail(f->o, trial, "no power", 5, &e, &err));
    assert_ok(tc_optimizer_apply(f->o, &e, &err));
}

static void test_a_failed_trial_is_deleted(void **state)
{
    fixture *f = *state;
    tacit_error err = {0};
    tc_event e;
    bool same;
    const tc_ask_request planned = {.now_ms = 1, .planned = 2};
    tell(f, next(f, 0, 0, NULL).trial, 3);
    fail_trial(f, next(f, 0, 0, "w").trial);
    assert_fails(tc_optimizer_next(f->o, &planned, &e, &err), TACIT_E_BUDGET, "all 2 trials");
    assert_ok(tc_optimizer_delete(f->o, 1, 9, &e, &same, &err));
    assert_true(!same && e.kind == TC_EVENT_DELETE && e.trial == 1 && e.time_ms == 9);
    assert_ok(tc_optimizer_apply(f->o, &e, &err));
    assert_int_equal(tc_optimizer_count(f->o, TC_TRIAL_FAIL), 0);
    assert_int_equal(tc_optimizer_count(f->o, TC_TRIAL_DELETED), 1);
    assert_int_equal(tc_optimizer_pulls(f->o, TC_TRIAL_DELETED), 0);
    assert_string_equal(tc_optimizer_trial(f->o, 1)->reason, "no power");
    assert_fails(tc_optimizer_apply(f->o, &e, &err), TACIT_E_CORRUPT,
                 "deletes a trial that had not failed");
    assert_ok(tc_optimizer_delete(f->o, 1, 9, &e, &same, &err));
    assert_true(same);
    /* Its place among the planned is free, its number is not. */
    assert_ok(tc_optimizer_next(f->o, &planned, &e, &err));
    assert_true(e.kind == TC_EVENT_ASK && e.trial == 2);
    assert_ok(tc_optimizer_apply(f->o, &e, &err));
    assert_fails(tc_optimizer_next(f->o, &planned, &e, &err), TACIT_E_BUDGET, "all 2 trials");
    assert_fails(tc_optimizer_tell(f->o, 1, NULL, 1, 0, &e, &err), TACIT_E_STATE,
                 "trial 1 was told already: it is DELETED");
}

static void test_what_cannot_be_deleted(void **state)
{
    fixture *f = *state;
    tacit_error err = {0};
    tc_event e;
    bool same;
    tell(f, next(f, 0, 0, NULL).trial, 3);
    next(f, 0, 0, NULL);
    assert_fails(tc_optimizer_delete(f->o, 0, 9, &e, &same, &err), TACIT_E_STATE,
                 "trial 0 is COMPLETE, and only a failed trial can be deleted: the trials after it "
                 "were proposed with its value");
    assert_fails(tc_optimizer_delete(f->o, 1, 9, &e, &same, &err), TACIT_E_STATE,
                 "trial 1 is RUNNING, and only a failed trial can be deleted: report that it "
                 "failed first");
    assert_fails(tc_optimizer_delete(f->o, 2, 9, &e, &same, &err), TACIT_E_NOT_FOUND,
                 "there is no trial 2; this study has 2");
    for (uint64_t t = 0; t < 3; t++) {
        e = (tc_event){.kind = TC_EVENT_DELETE, .trial = t};
        assert_fails(tc_optimizer_apply(f->o, &e, &err), TACIT_E_CORRUPT,
                     "deletes a trial that had not failed");
    }
}

/* A journal that tacit cannot have written is refused and leaves the state alone. */
static void test_corrupt_journals(void **state)
{
    fixture *f = *state;
    tacit_error err = {0};
    double x = 0.5, outside = 7;
    const tc_event bad[] = {
        {.kind = TC_EVENT_TELL, .trial = 0, .state = TC_TRIAL_COMPLETE, .value = 1},
        {.kind = TC_EVENT_ASK, .trial = 3, .values = &x},
        {.kind = TC_EVENT_ASK, .trial = 0, .values = &outside},
        {.kind = TC_EVENT_ASK, .trial = 0, .values = NULL},
        {.kind = TC_EVENT_STALE, .trial = 0},
        {.kind = TC_EVENT_FIT, .body = "{}"},
        {.kind = TC_EVENT_ASK, .trial = 0, .values = &x, .seq = 5},
        {.kind = TC_EVENT_REPORT, .trial = 0, .step = 1, .value = 1},
        {.kind = TC_EVENT_TELL, .trial = 0, .state = TC_TRIAL_PRUNED, .step = 1, .value = 1},
        {.kind = TC_EVENT_DELETE, .trial = 0},
        {.kind = (tc_event_kind)99},
    };
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        assert_fails(tc_optimizer_apply(f->o, &bad[i], &err), TACIT_E_CORRUPT, "event");
        assert_int_equal(tc_optimizer_seq(f->o), 0);
        assert_int_equal(tc_optimizer_trials(f->o), 0);
    }
}

/* The one that lent it may go first. */
static void test_siblings_share_their_space(void **state)
{
    fixture *f = *state;
    tacit_error err = {0};
    tc_optimizer *first = NULL, *second = NULL;
    tc_optimizer_config cfg = {.algorithm = tc_algorithm_find("random"), .space = f->space};
    assert_ok(tc_optimizer_new(&first, &cfg, &err));
    cfg.sibling = first;
    assert_ok(tc_optimizer_new(&second, &cfg, &err));
    assert_ptr_equal(tc_optimizer_space(first), tc_optimizer_space(second));
    assert_ptr_not_equal(tc_optimizer_space(first), f->space);
    tc_optimizer_free(first);
    assert_int_equal(tc_optimizer_space(second)->n_params, 1);
    tc_optimizer_free(second);
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)
    const struct CMUnitTest tests[] = {
        TEST(test_life_of_a_trial),
        TEST(test_noise_is_known_of_the_value_it_was_added_to),
        TEST(test_next_is_pure),
        TEST(test_a_lease_that_ran_out_is_handed_on),
        TEST(test_a_late_tell_is_welcome),
        TEST(test_enqueued_points_come_first),
        TEST(test_tell_at_another_point),
        TEST(test_refusals),
        TEST(test_corrupt_journals),
        TEST(test_siblings_share_their_space),
        TEST(test_reports_make_a_curve),
        TEST(test_a_pruned_trial_is_finished_and_never_the_best),
        TEST(test_reports_that_are_refused),
        TEST(test_a_failed_trial_is_deleted),
        TEST(test_what_cannot_be_deleted),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
