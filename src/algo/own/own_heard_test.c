/* own_heard_test.c - what an agent makes of what it hears: the right function, another one, noise that claims to be
 * knowledge, a hostile one; and what it forgets. */
#include "support/test.h"

#include "algo/own/own_fixture.h"

static void a_right_function_is_trusted(void **state)
{
    /* in the agent's units: level and scale are about those of the anchors */
    static const double how[] = {2, -0.8};
    (void)state;
    for (int k = GRID; k <= BOX; k++)
        for (uint64_t number = 0; number < 5; number++) {
            fixture f;
            tc_heard h = hears_truth(how, 0);
            double values[DIM], u[DIM];
            start_with(&f, (kind)k, 8, 300 + number);
            tc_own_hear(f.own, &h);
            ask(&f, values);
            tc_space_encode(f.space, values, u);
            assert_true(tc_own_weight(f.own, TC_OWN_ALONE) < 0.1);
            assert_true(hypot(u[0] - 0.75, u[1] - 0.25) < 0.15);
            end(&f);
        }
}

static void another_function_is_not(void **state)
{
    (void)state;
    for (uint64_t number = 0; number < 10; number++) {
        fixture f;
        const double phase[] = {(double)number, 2.7 * (double)number};
        tc_heard h = hears_waves(phase, 0);
        double values[DIM];
        start_with(&f, BOX, 15, 400 + number);
        tc_own_hear(f.own, &h);
        ask(&f, values);
        assert_true(tc_own_weight(f.own, TC_OWN_ALONE) > 0.8);
        assert_true(tc_own_weight(f.own, TC_OWN_TRUSTED) < 0.01);
        end(&f);
    }
}

/* Waves that claim to be exact cost little: means of the best values over seeds, paired. */
static void noise_that_claims_to_be_exact_costs_little(void **state)
{
    enum { SEEDS = 30, ANCHORS = 5, QUERIES = 12 };
    double alone = 0, misled = 0;
    (void)state;
    for (uint64_t seed = 0; seed < SEEDS; seed++)
        for (int hears = 0; hears < 2; hears++) {
            fixture f;
            const double phase[] = {1.3 * (double)seed, 0.7 * (double)seed};
            tc_heard h = hears_waves(phase, 0);
            double values[DIM];
            start(&f, BOX, ANCHORS, seed);
            if (hears)
                tc_own_hear(f.own, &h);
            for (size_t i = 0; i < ANCHORS + QUERIES; i++)
                step(&f, values);
            *(hears ? &misled : &alone) += best_of(&f) / SEEDS;
            end(&f);
        }
    assert_true(alone > 1.8); /* it does optimise */
    assert_true(misled > alone - 0.02);
}

static void what_is_heard_is_replaced(void **state)
{
    static const double how[] = {2, -0.8}, phase[] = {1, 2};
    (void)state;
    for (int k = GRID; k <= BOX; k++) {
        fixture f, fresh;
        tc_heard right = hears_truth(how, 0.2), wrong = hears_waves(phase, 0);
        double values[DIM], expected[DIM];
        start_with(&f, (kind)k, 8, 500);
        start_with(&fresh, (kind)k, 8, 500);
        ask(&f, values); /* alone */
        tc_own_hear(f.own, &wrong);
        ask(&f, values);
        tc_own_hear(f.own, &right);
        ask(&f, values);
        tc_own_hear(fresh.own, &right);
        ask(&fresh, expected);
        for (int m = 0; m < TC_OWN_MODELS; m++)
            assert_same_bits(tc_own_weight(f.own, m), tc_own_weight(fresh.own, m));
        assert_memory_equal(values, expected, f.space->n_params * sizeof *values);
        end(&f);
        end(&fresh);
    }
}

/* One that has lived through fits, asks and another function has the bits of one that is told all of it at once. */
static void the_past_leaves_no_trace(void **state)
{
    static const double how[] = {2, -0.8}, phase[] = {1, 2};
    (void)state;
    for (int k = GRID; k <= BOX; k++) {
        fixture f, fresh;
        tacit_error err = {0};
        tc_heard right = hears_truth(how, 0.2), wrong = hears_waves(phase, 0.5);
        double values[DIM] = {0}, expected[DIM] = {0};
        tc_text last = {0};
        start(&f, (kind)k, 5, 1);
        start(&fresh, (kind)k, 5, 1);
        tc_own_hear(f.own, &wrong);
        for (size_t i = 0; i < 30; i++) {
            double u[DIM];
            if (i == 12)
                tc_own_hear(f.own, &right);
            if (tc_own_fit_due(f.own)) {
                tc_text_fini(&last);
                last = (tc_text){0};
                assert_ok(tc_own_fit(f.own, &last, &err));
                assert_ok(tc_own_fitted(f.own, tc_text_get(&last), &err));
            }
            ask(&f, values);
            tc_space_encode(f.space, values, u);
            add(&f, values, truth(u));
            add(&fresh, values, truth(u));
        }
        assert_ok(tc_own_fitted(fresh.own, tc_text_get(&last), &err));
        tc_own_hear(fresh.own, &right);
        ask(&f, values);
        ask(&fresh, expected);
        assert_memory_equal(values, expected, f.space->n_params * sizeof *values);
        for (int m = 0; m < TC_OWN_MODELS; m++)
            assert_same_bits(tc_own_weight(f.own, m), tc_own_weight(fresh.own, m));
        tc_text_fini(&last);
        end(&f);
        end(&fresh);
    }
}

/* A hostile function of any size: weights are numbers, and points are those of an agent alone. */
static void a_huge_function_is_not_believed(void **state)
{
    static double how[] = {0, 0};
    (void)state;
    for (int k = GRID; k <= BOX; k++)
        for (double size = 1e5; size < 1e19; size *= 100) {
            fixture f;
            tc_heard h = hears_truth(how, 0);
            double values[DIM];
            how[0] = -size;
            how[1] = size / 3;
            start_with(&f, (kind)k, 10, 600);
            tc_own_hear(f.own, &h);
            ask(&f, values);
            assert_true(isfinite(values[0]));
            assert_true(tc_own_weight(f.own, TC_OWN_ALONE) > 0.98);
            end(&f);
        }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_right_function_is_trusted),
        cmocka_unit_test(another_function_is_not),
        cmocka_unit_test(noise_that_claims_to_be_exact_costs_little),
        cmocka_unit_test(what_is_heard_is_replaced),
        cmocka_unit_test(the_past_leaves_no_trace),
        cmocka_unit_test(a_huge_function_is_not_believed),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
