/* dp_report_test.c - what a private trainer reports: read in dp_accounting's names, and held to a cap. */
#include <tacit/privacy.h>

#include "base/text.h"

#include "support/test.h"

static size_t parse(const char *text, tacit_dp_event *e, size_t room)
{
    tacit_error err = {0};
    size_t n = 99;
    assert_ok(tacit_dp_event_parse(text, e, room, &n, &err));
    return n;
}

static void same(const tacit_dp_event *e, tacit_dp_mechanism m, double parameter, double rate,
                 uint64_t count)
{
    assert_int_equal(e->mechanism, m);
    assert_true(e->parameter >= parameter && e->parameter <= parameter * (1 + 1e-15));
    assert_same_bits(e->sampling_rate, rate);
    assert_int_equal(e->sampling, rate < 1 ? TACIT_DP_POISSON : TACIT_DP_ALL);
    assert_int_equal(e->count, count);
}

static void reads_what_opacus_does(void **state)
{
    (void)state;
    tacit_dp_event e[4];
    static const char *const texts[] = {
        "{\"dp_event\": \"SelfComposed\", \"count\": 1000, \"event\": {\"dp_event\": "
        "\"PoissonSampled\", \"sampling_probability\": 0.01, \"event\": {\"dp_event\": "
        "\"Gaussian\", \"noise_multiplier\": 1.1}}}",
        "{\"class_name\": \"SelfComposedDpEvent\", \"module_name\": \"dp_accounting.dp_event\", "
        "\"count\": 1000, \"event\": {\"class_name\": \"PoissonSampledDpEvent\", \"module_name\": "
        "\"dp_accounting.dp_event\", \"sampling_probability\": 0.01, \"event\": {\"class_name\": "
        "\"GaussianDpEvent\", \"module_name\": \"dp_accounting.dp_event\", \"noise_multiplier\": "
        "1.1}}}"};
    for (size_t i = 0; i < 2; i++) {
        assert_int_equal(parse(texts[i], e, 4), 1);
        same(&e[0], TACIT_DP_GAUSSIAN, 1.1, 0.01, 1000);
    }
}

#define GAUSSIAN(z) "{\"dp_event\": \"GaussianDpEvent\", \"noise_multiplier\": " #z "}"

static void lists_are_flattened(void **state)
{
    (void)state;
    tacit_dp_event e[4];
    size_t n =
        parse("{\"dp_event\": \"Composed\", \"events\": [" GAUSSIAN(
                  2) ","
                     "{\"dp_event\": \"SelfComposed\", \"count\": 3, \"event\": {\"dp_event\": "
                     "\"ComposedDpEvent\", \"events\": [" GAUSSIAN(
                         2) ", {\"dp_event\": \"Laplace\", "
                            "\"noise_multiplier\": 4}, {\"dp_event\": \"NoOpDpEvent\"}]}},"
                            "{\"dp_event\": \"SelfComposed\", \"count\": 0, \"event\": " GAUSSIAN(
                                9) "},"
                                   "{\"dp_event\": \"PoissonSampled\", \"sampling_probability\": "
                                   "1, \"event\": " GAUSSIAN(2) "}]}",
              e, 4);
    assert_int_equal(n, 2);
    same(&e[0], TACIT_DP_GAUSSIAN, 2, 1, 5);
    same(&e[1], TACIT_DP_LAPLACE, 0.25, 1, 3);
    assert_int_equal(parse("{\"dp_event\": \"NoOp\"}", e, 4), 0);
    assert_int_equal(parse("{\"dp_event\": \"NonPrivate\"}", e, 4), 1);
    assert_int_equal(e[0].mechanism, TACIT_DP_NONPRIVATE);
    tacit_error err = {0};
    assert_int_equal(tacit_dp_event_parse("{\"dp_event\": \"NoOp\"}", NULL, 0, &n, &err), TACIT_OK);
}

static void refused(const char *text, const char *part)
{
    tacit_error err = {0};
    tacit_dp_event e[2] = {{.count = 77}, {.count = 77}};
    size_t n = 5;
    assert_fails(tacit_dp_event_parse(text, e, 2, &n, &err), TACIT_E_ARG, part);
    assert_int_equal(e[0].count, 77);
    assert_int_equal(n, 5);
}

static void says_what_is_unknown(void **state)
{
    (void)state;
    refused("[", "dp_event");
    refused("[3]", "dp_event must be an object, got ");
    refused("{}", "dp_event.dp_event is missing; it names the event");
    refused("{\"dp_event\": \"ZCDpEvent\", \"rho\": 1}",
            "dp_event: the event \"ZCDpEvent\" has no price here. Events: Gaussian, Laplace, "
            "RandomizedResponse, NonPrivate, NoOp, PoissonSampled, SelfComposed, Composed");
    refused("{\"dp_event\": \"Gausian\"}", "did you mean \"Gaussian\"?");
    refused("{\"dp_event\": \"GaussianDpEvent\"}", "dp_event: noise_multiplier is missing");
    refused("{\"dp_event\": \"Gaussian\", \"noise_multiplier\": 0}",
            "dp_event: noise_multiplier must be in (0, 1e6], got 0");
    refused("{\"dp_event\": \"Gaussian\", \"noise_multiplier\": 1, \"sigma\": 1}",
            "unknown field \"sigma\"");
    refused("{\"dp_event\": \"Composed\", \"events\": {}}", "dp_event.events must be an array");
    refused("{\"dp_event\": \"Composed\", \"events\": [" GAUSSIAN(1) ", {\"dp_event\": 3}]}",
            "dp_event.events[1].dp_event must be");
    refused("{\"dp_event\": \"SelfComposed\", \"event\": " GAUSSIAN(1) "}",
            "dp_event.count is missing");
    refused("{\"dp_event\": \"SelfComposed\", \"count\": 1e8, \"event\": {\"dp_event\": "
            "\"SelfComposed\", \"count\": 1e8, \"event\": " GAUSSIAN(1) "}}",
            "dp_event.event: events are repeated more than 1e15 times");
    refused("{\"dp_event\": \"PoissonSampled\", \"sampling_probability\": 0, \"event\": " GAUSSIAN(
                1) "}",
            "dp_event.sampling_probability must be in (0, 1], got 0");
    refused("{\"dp_event\": \"PoissonSampled\", \"sampling_probability\": 0.5, \"event\": "
            "{\"dp_event\": \"SelfComposed\", \"count\": 2, \"event\": " GAUSSIAN(1) "}}",
            "dp_event.event: a sample of SelfComposed has no price here");
    refused("{\"dp_event\": \"Composed\", \"events\": [" GAUSSIAN(1) "," GAUSSIAN(2) "," GAUSSIAN(
                3) "]}",
            "dp_event.events[2]: there are more than 2 different events");
}

static void depth_is_bounded(void **state)
{
    (void)state;
    tc_text t = {0};
    for (int i = 0; i < 40; i++)
        tc_text_add(&t, "{\"dp_event\": \"SelfComposed\", \"count\": 1, \"event\": ");
    tc_text_add(&t, GAUSSIAN(1));
    for (int i = 0; i < 40; i++)
        tc_text_add(&t, "}");
    refused(tc_text_get(&t), "is deeper than 16 events");
    tc_text_fini(&t);
}

/* ---- caps */

static tacit_dp_event sampled(double q, double z, uint64_t count)
{
    return (tacit_dp_event){TACIT_DP_GAUSSIAN, z, q < 1 ? TACIT_DP_POISSON : TACIT_DP_ALL, q,
                            count};
}

static void within(const tacit_dp_event *e, size_t n, const tacit_dp_event *cap, size_t caps,
                   const char *part)
{
    tacit_error err = {0};
    if (part)
        assert_fails(tacit_dp_event_within(e, n, cap, caps, &err), TACIT_E_BUDGET, part);
    else
        assert_ok(tacit_dp_event_within(e, n, cap, caps, &err));
}

static void a_report_keeps_to_its_cap(void **state)
{
    (void)state;
    tacit_dp_event cap = sampled(0.01, 1.1, 1000), e = cap;
    within(&e, 1, &cap, 1, NULL);
    within(NULL, 0, &cap, 1, NULL);
    e.count = 1001;
    within(
        &e, 1, &cap, 1,
        "dp_event reports 1001 times Gaussian(1.1) at sampling rate 0.01, of which the cap has no "
        "room for 1: the cap");
    e = sampled(0.01, 1.0999, 1);
    within(&e, 1, &cap, 1, "has no room for 1");
    e = sampled(0.0101, 1.1, 1);
    within(&e, 1, &cap, 1, "has no room for 1");
    e = sampled(0.005, 3, 1000); /* smaller batches and more noise */
    within(&e, 1, &cap, 1, NULL);
    e = sampled(1, 1000, 1); /* without sampling is another mechanism, however much noise */
    within(&e, 1, &cap, 1, "has no room for 1");
    e = cap;
    e.mechanism = TACIT_DP_LAPLACE;
    within(&e, 1, &cap, 1, "Laplace(1.1)");
    within(&e, 1, NULL, 0, "has no room for 1000");
}

static void several_events_share_a_cap(void **state)
{
    (void)state;
    tacit_dp_event cap[] = {sampled(1, 1, 10), sampled(1, 2, 10)};
    tacit_dp_event e[] = {sampled(1, 3, 5), sampled(1, 1.5, 10), sampled(1, 2.5, 5)};
    within(e, 3, cap, 2, NULL); /* the weak ones leave the strong cap to the one that needs it */
    e[1].count = 11;
    within(e, 3, cap, 2, "reports 11 times Gaussian(1.5)");
    e[1].count = 10;
    e[0].count = 6;
    within(e, 3, cap, 2, "has no room for 1");
    tacit_dp_event laplace = {TACIT_DP_LAPLACE, 0.5, TACIT_DP_ALL, 1, 3}, less = laplace;
    less.parameter = 0.4;
    within(&less, 1, &laplace, 1, NULL);
    within(&laplace, 1, &less, 1, "reports 3 times Laplace(0.5)");
    tacit_dp_event group = cap[0], one = cap[0];
    group.sampling = TACIT_DP_POISSON_REPLACED;
    group.sampling_rate = one.sampling_rate = 0.5;
    one.sampling = TACIT_DP_POISSON;
    within(&one, 1, &group, 1, "has no room for 10");
    within(&group, 1, &one, 1, "has no room for 10");
    within(&group, 1, &group, 1, NULL);
}

/* What is within costs no more, by every accountant. */
static void what_is_within_costs_no_more(void **state)
{
    (void)state;
    static const char *const accountants[] = {"pld", "rdp"};
    tacit_error err = {0};
    for (int i = 0; i < 8; i++)
        for (int a = 0; a < 2; a++) {
            tacit_guarantee g = TACIT_GUARANTEE, less = TACIT_GUARANTEE;
            tacit_dp_event cap = sampled(0.02 * (i + 1), 0.8 + i, 100), e = cap;
            e.sampling_rate *= 0.7;
            e.parameter *= 1.1;
            e.count -= 20;
            within(&e, 1, &cap, 1, NULL);
            assert_ok(tacit_account(accountants[a], &cap, 1, 1e-5, &g, &err));
            assert_ok(tacit_account(accountants[a], &e, 1, 1e-5, &less, &err));
            assert_true(less.epsilon < g.epsilon);
        }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(reads_what_opacus_does),
        cmocka_unit_test(lists_are_flattened),
        cmocka_unit_test(says_what_is_unknown),
        cmocka_unit_test(depth_is_bounded),
        cmocka_unit_test(a_report_keeps_to_its_cap),
        cmocka_unit_test(several_events_share_a_cap),
        cmocka_unit_test(what_is_within_costs_no_more),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
