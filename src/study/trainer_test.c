/* trainer_test.c - what a private trainer may cost: declared, added up, and held against what a program reports. */
#include "study/trainer.h"

#include "support/test.h"

#include "base/json.h"

#include <math.h>
#include <string.h>

#define STEPS                                                                                      \
    "{\"dp_event\": \"SelfComposed\", \"count\": 100, \"event\": {\"dp_event\": "                  \
    "\"PoissonSampled\", \"sampling_probability\": 0.01, \"event\": {\"dp_event\": \"Gaussian\", " \
    "\"noise_multiplier\": 2}}}"
#define PLAIN "{\"dp_event\": \"Gaussian\", \"noise_multiplier\": 20}"

static const tc_value_plan values = {.low = 0, .high = 1, .failed = 1, .sensitivity = 1e-3, .z = 8};

static tc_trainer parse(const char *json)
{
    tacit_error err = {0};
    tc_trainer t;
    assert_ok(tc_trainer_parse(&t, json, &err));
    return t;
}

static void a_cap_is_read(void **state)
{
    tacit_error err = {0};
    tc_trainer t = parse(STEPS), none = parse(NULL);
    (void)state;
    assert_int_equal(t.n, 1);
    assert_int_equal(t.cap[0].count, 100);
    assert_int_equal(none.n, 0);
    assert_fails(tc_trainer_parse(&t, "{", &err), TACIT_E_ARG, "trainer");
    assert_fails(tc_trainer_parse(&t, "{\"dp_event\": \"NoOp\"}", &err), TACIT_E_ARG,
                 "trainer costs nothing");
    assert_fails(tc_trainer_parse(&t, "{\"dp_event\": \"NonPrivate\"}", &err), TACIT_E_ARG,
                 "trainer must be private");
    assert_fails(tc_trainer_parse(&t, "{\"dp_event\": \"Magic\"}", &err), TACIT_E_ARG, "trainer");
    assert_int_equal(t.n, 1); /* as it was */
}

/* For replacing a record a plain Gaussian has half the noise. */
static void trainings_are_added_up(void **state)
{
    tacit_error err = {0};
    tc_trainer t = parse(PLAIN), none = parse(NULL);
    tc_trainer_plan p;
    tc_value_plan several = values;
    uint64_t trained = 3;
    (void)state;
    assert_ok(tc_trainer_plan_of(&none, &values, 7, NULL, &p, &err));
    assert_int_equal(p.n, 1);
    assert_int_equal(p.events[0].count, 7);
    assert_ok(tc_trainer_plan_of(&t, &values, 7, NULL, &p, &err));
    assert_int_equal(p.n, 2);
    assert_int_equal(p.events[1].count, 7);
    assert_close(p.events[1].parameter, 10, 0);
    assert_ok(tc_trainer_plan_of(&t, &values, 7, &trained, &p, &err));
    assert_int_equal(p.events[0].count, 7);
    assert_int_equal(p.events[1].count, 3);
    several.per_person = 2;
    assert_ok(tc_trainer_plan_of(&none, &several, 7, NULL, &p, &err));
    assert_fails(tc_trainer_plan_of(&t, &several, 7, NULL, &p, &err), TACIT_E_ARG,
                 "trainer and per_person 2 do not go together");
    t.cap[0].count = UINT64_C(1000000000000000);
    assert_fails(tc_trainer_plan_of(&t, &values, 7, NULL, &p, &err), TACIT_E_ARG,
                 "must be at most 1e15 together");
}

/* The sum of Gaussians is one: 1/z^2 adds up. */
static void all_of_it_needs_a_limit(void **state)
{
    tacit_error err = {0};
    tc_trainer t = parse(PLAIN), none = parse(NULL);
    tc_trainer_plan p;
    tacit_guarantee g;
    tc_study_doc doc = {.name = "s", .epsilon = 1, .delta = 1e-5, .trials = 4};
    tacit_dp_event both = {TACIT_DP_GAUSSIAN, 1 / sqrt(4 / 64.0 + 4 / 100.0), TACIT_DP_ALL, 1, 1};
    (void)state;
    assert_ok(tc_account(&tc_accountant_gaussian, &both, 1, 1e-5, &g, &err));
    assert_ok(tc_trainer_plan_of(&t, &values, 4, NULL, &p, &err));
    assert_ok(tc_trainer_check_limit(&t, &doc, &p, g.epsilon * 1.001, 1e-5, &err));
    assert_fails(tc_trainer_check_limit(&t, &doc, &p, g.epsilon * 0.999, 1e-5, &err),
                 TACIT_E_BUDGET, "study \"s\" with its trainer costs every record epsilon 1.");
    assert_fails(tc_trainer_check_limit(&t, &doc, &p, 0, 0, &err), TACIT_E_ARG,
                 "promises epsilon 1 for its values, and with this trainer costs every record "
                 "epsilon 1.");
    assert_ok(tc_trainer_check_limit(&none, &doc, &p, 0, 0, &err));
}

static bool accepts(const tc_trainer *t, const char *said, const char *why)
{
    char reason[256] = "";
    json_t *j = said ? json_loads(said, 0, NULL) : NULL;
    bool ok = tc_trainer_accepts(t, j, reason, sizeof reason);
    json_decref(j);
    if (!ok && !strstr(reason, why))
        fail_msg("%s", reason);
    return ok;
}

static void reports_are_held_against_the_cap(void **state)
{
    tc_trainer t = parse(PLAIN), none = parse(NULL);
    (void)state;
    assert_true(accepts(&none, NULL, ""));
    assert_true(accepts(&none, "{\"dp_event\": 3}", ""));
    assert_true(accepts(&t, "{\"dp_event\": " PLAIN "}", ""));
    assert_true(accepts(&t, "{\"dp_event\": {\"dp_event\": \"NoOp\"}}", ""));
    assert_true(accepts(
        &t, "{\"dp_event\": {\"dp_event\": \"GaussianDpEvent\", \"noise_multiplier\": 30}}", ""));
    assert_false(accepts(
        &t, "{\"dp_event\": {\"dp_event\": \"Gaussian\", \"noise_multiplier\": 19}}", "the cap"));
    assert_false(accepts(&t, "{\"dp_event\": {\"dp_event\": \"NonPrivate\"}}", "the cap"));
    assert_false(accepts(&t, "{\"dp_event\": 3}", "dp_event"));
    assert_false(accepts(&t, "{\"value\": 3}", "no \"dp_event\" on the last line"));
    assert_false(accepts(&t, NULL, "no \"dp_event\" on the last line"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_cap_is_read),
        cmocka_unit_test(trainings_are_added_up),
        cmocka_unit_test(all_of_it_needs_a_limit),
        cmocka_unit_test(reports_are_held_against_the_cap),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
