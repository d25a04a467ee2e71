/* price_test.c - what settings cost is what rows and settings of the figures say. */
#include "papers/experiments/price.h"

#include "support/test.h"

#include <math.h>

typedef struct row {
    tc_price price;
    double printed, true_epsilon;
} row;

/* Fig. 2c and 2d, and the ends of landmine detection: as the lines of the arms name them. */
static const row rows[] = {
    {{200, 0.15, 1, 40}, 5.93, 3.96},   {{200, 0.25, 1, 40}, 9.91, 7.05},
    {{200, 0.5, 1, 40}, 20.12, 15.71},  {{200, 0.25, 1.2, 40}, 7.39, 5.15},
    {{200, 0.25, 1.5, 40}, 5.22, 3.60}, {{29, 0.35, 1, 60}, 15.17, 10.38},
    {{29, 0.35, 4, 60}, 2.16, 1.13},
};

static void settings_cost_what_lines_say(void **state)
{
    (void)state;
    tacit_error err = {0};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        double by_moments = 0, by_pld = 0;
        assert_ok(tc_price_by(&rows[i].price, "moments", &by_moments, &err));
        assert_ok(tc_price_by(&rows[i].price, "pld", &by_pld, &err));
        assert_true(fabs(by_moments - rows[i].printed) < 0.005);
        assert_true(fabs(by_pld - rows[i].true_epsilon) < 0.005);
    }
}

static void an_arm_promises_its_price(void **state)
{
    (void)state;
    tacit_error err = {0};
    tc_arm arm = {.name = "tacit", .algorithm = "dp-fts-de", .set = &rows[1].price}, out;
    double epsilon;
    assert_ok(tc_price_by(&rows[1].price, "pld", &epsilon, &err));
    assert_ok(tc_price_promise(&arm, &out, &err));
    assert_same_bits(out.epsilon, epsilon);
    assert_close(out.delta, 0.00294352, 1e-8);
    assert_string_equal(out.algorithm, "dp-fts-de");
    arm.set = NULL;
    assert_ok(tc_price_promise(&arm, &out, &err));
    assert_true(out.epsilon == 0 && out.delta == 0);
}

static void a_setting_must_be_one(void **state)
{
    (void)state;
    tacit_error err = {0};
    double epsilon = 7;
    tc_price without = {200, 0.25, 0, 40};
    tc_arm arm = {.set = &without}, out = {.epsilon = 3};
    assert_fails(tc_price_by(&rows[0].price, "guess", &epsilon, &err), TACIT_E_NOT_FOUND,
                 "there is no accountant \"guess\"");
    assert_int_not_equal(tc_price_promise(&arm, &out, &err), TACIT_OK);
    assert_true(epsilon == 7 && out.epsilon == 3);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(settings_cost_what_lines_say),
        cmocka_unit_test(an_arm_promises_its_price),
        cmocka_unit_test(a_setting_must_be_one),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
