/* prune_test.c - the rules by which trials are ended early, on curves whose answers are worked out by hand. */
#include "support/test.h"

#include "algo/prune.h"

#include <math.h>

static tc_space *space;

static tc_optimizer *new_study(bool maximize)
{
    tacit_error err = {0};
    tc_optimizer *o;
    tc_optimizer_config cfg = {
        .algorithm = tc_algorithm_find("random"), .space = space, .maximize = maximize};
    assert_ok(tc_optimizer_new(&o, &cfg, &err));
    return o;
}

static int setup(void **state)
{
    (void)state;
    tacit_error err = {0};
    assert_ok(tc_space_new(&space, &err));
    assert_ok(tc_space_add_float(space, "x", 0, 1, 0, false, &err));
    return 0;
}

static int teardown(void **state)
{
    (void)state;
    tc_space_free(space);
    return 0;
}

static uint64_t ask(tc_optimizer *o)
{
    tacit_error err = {0};
    tc_event e;
    assert_ok(tc_optimizer_next(o, &(tc_ask_request){.now_ms = 1}, &e, &err));
    assert_ok(tc_optimizer_apply(o, &e, &err));
    return e.trial;
}

static void report(tc_optimizer *o, uint64_t trial, uint64_t step, double value)
{
    tacit_error err = {0};
    tc_event e;
    bool same;
    assert_ok(tc_optimizer_report(o, trial, &(tc_step){step, value}, 2, &e, &same, &err));
    assert_false(same);
    assert_ok(tc_optimizer_apply(o, &e, &err));
}

static void tell(tc_optimizer *o, uint64_t trial, double value)
{
    tacit_error err = {0};
    tc_event e;
    assert_ok(tc_optimizer_tell(o, trial, NULL, value, 3, &e, &err));
    assert_ok(tc_optimizer_apply(o, &e, &err));
}

static void prune(tc_optimizer *o, uint64_t trial)
{
    tacit_error err = {0};
    tc_event e;
    assert_ok(tc_optimizer_prune(o, trial, NULL, 3, &e, &err));
    assert_ok(tc_optimizer_apply(o, &e, &err));
}

static tc_verdict judge(const tc_optimizer *o, uint64_t trial, tc_prune p)
{
    tacit_error err = {0};
    tc_verdict v;
    assert_ok(tc_prune_settle(&p, &err));
    assert_ok(tc_prune_judge(o, trial, &p, &v, &err));
    return v;
}

/* A complete trial that had these values at the steps 1, 2, ... */
static uint64_t add_curve(tc_optimizer *o, size_t n, const double *values)
{
    uint64_t trial = ask(o);
    for (size_t i = 0; i < n; i++)
        report(o, trial, i + 1, values[i]);
    tell(o, trial, values[n - 1]);
    return trial;
}

static const tc_prune median3 = {.rule = TC_PRUNE_MEDIAN, .min_trials = 3};

/* At step 2 the three have 0.5, 0.4 and 0.2. */
static void the_median_is_that_of_the_same_step(void **state)
{
    (void)state;
    tc_optimizer *o = new_study(false);
    add_curve(o, 3, (const double[]){0.9, 0.5, 0.1});
    add_curve(o, 3, (const double[]){0.8, 0.4, 0.3});
    add_curve(o, 3, (const double[]){0.7, 0.2, 0.2});
    uint64_t t = ask(o);
    report(o, t, 1, 0.8); /* as good as the median of 0.9, 0.8 and 0.7 */
    tc_verdict v = judge(o, t, median3);
    assert_false(v.stop);
    assert_same_bits(v.bound, 0.8);
    assert_int_equal(v.compared, 3);
    report(o, t, 2, 0.41);
    v = judge(o, t, median3);
    assert_true(v.stop);
    assert_int_equal(v.step, 2);
    assert_same_bits(v.value, 0.41);
    assert_same_bits(v.bound, 0.4);
    tc_optimizer_free(o);
}

/* Of four, the mean of the two in the middle; a value that was better before counts; and what others had last counts where
 * they have nothing at the step itself. */
static void the_median_of_what_there_is(void **state)
{
    (void)state;
    tc_optimizer *o = new_study(false);
    add_curve(o, 1, (const double[]){1});
    add_curve(o, 1, (const double[]){2});
    add_curve(o, 2, (const double[]){9, 4});
    add_curve(o, 2, (const double[]){9, 8});
    uint64_t t = ask(o);
    report(o, t, 5, 3.25); /* against 1, 2, 4, 8 */
    tc_verdict v = judge(o, t, median3);
    assert_same_bits(v.bound, 3);
    assert_true(v.stop);
    report(o, t, 4, 2.5);
    report(o, t, 6, 7); /* its best is 2.5 */
    assert_false(judge(o, t, median3).stop);
    tc_optimizer_free(o);
}

static void the_median_turns_round_where_more_is_better(void **state)
{
    (void)state;
    tc_optimizer *o = new_study(true);
    for (int i = 1; i <= 3; i++)
        add_curve(o, 1, (const double[]){0.1 * i});
    uint64_t t = ask(o);
    report(o, t, 1, 0.19);
    tc_verdict v = judge(o, t, median3);
    assert_true(v.stop);
    assert_same_bits(v.bound, 0.2);
    report(o, t, 2, 0.2);
    assert_false(judge(o, t, median3).stop);
    tc_optimizer_free(o);
}

/* Five by default, and only those that ran to their end. */
static void the_median_needs_trials_that_are_complete(void **state)
{
    (void)state;
    tc_optimizer *o = new_study(false);
    for (int i = 0; i < 4; i++)
        add_curve(o, 1, (const double[]){1});
    uint64_t running = ask(o), pruned = ask(o), t = ask(o);
    report(o, running, 1, 1);
    report(o, pruned, 1, 1);
    prune(o, pruned);
    report(o, t, 1, 2);
    tc_verdict v = judge(o, t, (tc_prune){.rule = TC_PRUNE_MEDIAN});
    assert_false(v.stop);
    assert_int_equal(v.compared, 4);
    assert_true(isnan(v.bound));
    tell(o, running, 1);
    assert_true(judge(o, t, (tc_prune){.rule = TC_PRUNE_MEDIAN}).stop);
    tc_optimizer_free(o);
}

static void nothing_is_ended_while_it_warms_up(void **state)
{
    (void)state;
    tc_optimizer *o = new_study(false);
    for (int i = 0; i < 5; i++)
        add_curve(o, 1, (const double[]){1});
    uint64_t t = ask(o);
    report(o, t, 2, 2);
    assert_false(judge(o, t, (tc_prune){.rule = TC_PRUNE_MEDIAN, .warmup = 3}).stop);
    assert_false(judge(o, t, (tc_prune){.rule = TC_PRUNE_ASHA, .warmup = 3}).stop);
    assert_false(judge(o, t, (tc_prune){.rule = TC_PRUNE_NONE}).stop);
    uint64_t u = ask(o);
    report(o, u, 3, 2);
    assert_true(judge(o, u, (tc_prune){.rule = TC_PRUNE_MEDIAN, .warmup = 3}).stop);
    assert_true(judge(o, u, (tc_prune){.rule = TC_PRUNE_ASHA, .warmup = 3}).stop);
    tc_optimizer_free(o);
}

/* Rungs at 1, 3, 9: of the first three to come to one the best goes on, of six the best two, whoever they are. */
static void halving_keeps_a_third_at_each_rung(void **state)
{
    (void)state;
    static const double at_one[] = {5, 4, 3, 6, 2, 3.5};
    static const bool stops[] = {false, false, false, true, false, true};
    static const double bounds[] = {NAN, NAN, 3, 3, 2, 3};
    tc_optimizer *o = new_study(false);
    const tc_prune asha = {.rule = TC_PRUNE_ASHA};
    for (size_t i = 0; i < 6; i++) {
        uint64_t t = ask(o);
        report(o, t, 1, at_one[i]);
        tc_verdict v = judge(o, t, asha);
        assert_int_equal(v.stop, stops[i]);
        assert_int_equal(v.compared, i + 1);
        if (isnan(bounds[i]))
            assert_true(isnan(v.bound));
        else
            assert_same_bits(v.bound, bounds[i]);
        if (v.stop)
            prune(o, t);
    }
    report(o, 0, 2, 100); /* no rung */
    assert_false(judge(o, 0, asha).stop);
    assert_int_equal(judge(o, 0, asha).compared, 0);
    report(o, 2, 3, 1);
    report(o, 4, 4, 1.5); /* comes to 3 at 4 */
    report(o, 0, 3, 0.9);
    assert_false(judge(o, 0, asha).stop);
    report(o, 1, 7, 0.95);
    tc_verdict v = judge(o, 1, asha);
    assert_true(v.stop);
    assert_int_equal(v.compared, 4);
    assert_same_bits(v.bound, 0.9);
    tc_optimizer_free(o);
}

/* Of fewer than three the best goes on, where the rule is told to look at so few. */
static void halving_of_few_keeps_the_best(void **state)
{
    (void)state;
    static const double at_one[] = {5, 6, 5, 5.5, 4.5, 4.75, 4.9};
    static const bool early[] = {false, true, false, true, false, false, true};
    static const bool from_three[] = {false, false, false, true, false, false, true};
    static const bool from_five[] = {false, false, false, false, false, false, true};
    static const struct {
        uint64_t min_trials;
        const bool *stops;
    } rules[] = {{1, early}, {2, early}, {3, from_three}, {0, from_three}, {5, from_five}};
    tc_optimizer *o = new_study(false);
    for (size_t i = 0; i < 7; i++) {
        uint64_t t = ask(o);
        report(o, t, 1, at_one[i]);
        for (size_t j = 0; j < sizeof rules / sizeof *rules; j++) {
            const tc_prune p = {.rule = TC_PRUNE_ASHA, .min_trials = rules[j].min_trials};
            assert_int_equal(judge(o, t, p).stop, rules[j].stops[i]);
        }
    }
    tc_optimizer_free(o);
}

/* Whoever goes over several rungs with one report is judged at each. Equals are not ended. */
static void halving_with_other_rungs(void **state)
{
    (void)state;
    tc_optimizer *o = new_study(true);
    const tc_prune asha = {.rule = TC_PRUNE_ASHA, .min_step = 2, .factor = 2};
    uint64_t a = ask(o), b = ask(o), c = ask(o), d = ask(o);
    report(o, a, 1, 0);
    assert_int_equal(judge(o, a, asha).compared, 0);
    report(o, a, 2, 0.5);
    report(o, b, 2, 0.5);
    assert_false(judge(o, b, asha).stop);
    report(o, c, 9, 0.4); /* over 2, 4 and 8 */
    assert_true(judge(o, c, asha).stop);
    assert_same_bits(judge(o, c, asha).bound, 0.5);
    report(o, d, 9, 0.6);
    assert_false(judge(o, d, asha).stop);
    tc_optimizer_free(o);
}

static void a_trial_without_reports_goes_on(void **state)
{
    (void)state;
    tacit_error err = {0};
    tc_optimizer *o = new_study(false);
    tc_prune p = {.rule = TC_PRUNE_MEDIAN};
    tc_verdict v;
    uint64_t t = ask(o);
    assert_false(judge(o, t, p).stop);
    assert_ok(tc_prune_settle(&p, &err));
    assert_fails(tc_prune_judge(o, 7, &p, &v, &err), TACIT_E_NOT_FOUND,
                 "there is no trial 7; this study has 1");
    tc_optimizer_free(o);
}

static void rules_are_checked(void **state)
{
    (void)state;
    static const struct {
        tc_prune p;
        const char *why;
    } bad[] = {
        {{.rule = (tc_prune_rule)9}, "a pruning rule must be none, median or asha, got 9"},
        {{.warmup = 3}, "warmup is for the rules median and asha"},
        {{.min_trials = 3}, "min_trials is for the rules median and asha"},
        {{.rule = TC_PRUNE_MEDIAN, .factor = 3}, "factor is for the rule asha"},
        {{.rule = TC_PRUNE_MEDIAN, .min_step = 3}, "min_step is for the rule asha"},
        {{.rule = TC_PRUNE_ASHA, .factor = 1},
         "factor of a pruning rule must be from 2 to 1000, got 1"},
        {{.rule = TC_PRUNE_ASHA, .min_step = UINT64_MAX},
         "min_step of a pruning rule must be from 1 to 9007199254740992, got 18446744073709551615"},
    };
    tacit_error err = {0};
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        tc_prune p = bad[i].p;
        assert_fails(tc_prune_settle(&p, &err), TACIT_E_ARG, bad[i].why);
    }
    tc_prune p = {.rule = TC_PRUNE_ASHA};
    assert_ok(tc_prune_settle(&p, &err));
    assert_int_equal(p.factor, 3);
    assert_int_equal(p.min_trials, 3);
    assert_int_equal(p.min_step, 1);
    assert_ok(tc_prune_settle(&p, &err)); /* again: the same */
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)
    const struct CMUnitTest tests[] = {
        TEST(the_median_is_that_of_the_same_step),
        TEST(the_median_of_what_there_is),
        TEST(the_median_turns_round_where_more_is_better),
        TEST(the_median_needs_trials_that_are_complete),
        TEST(nothing_is_ended_while_it_warms_up),
        TEST(halving_keeps_a_third_at_each_rung),
        TEST(halving_of_few_keeps_the_best),
        TEST(halving_with_other_rungs),
        TEST(a_trial_without_reports_goes_on),
        TEST(rules_are_checked),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
