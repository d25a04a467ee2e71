/* dp_event_test.c - what is refused, and JSON that comes back as it went. */
#include "privacy/dp_event.h"

#include "base/json.h"
#include "base/memory.h"

#include "support/test.h"

static const tacit_dp_event sound = {TACIT_DP_GAUSSIAN, 1, TACIT_DP_POISSON, 0.25, 40};

static void refuses_fields_by_name(void **state)
{
    (void)state;
    tacit_error err = {0};
    tacit_dp_event e = sound;
    assert_ok(tc_dp_event_check(&e, &err));
    const double bad[] = {0, -1, 1.5e6, NAN, INFINITY};
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        e = sound;
        e.parameter = bad[i];
        assert_fails(tc_dp_event_check(&e, &err), TACIT_E_ARG,
                     "noise_multiplier must be in (0, 1e6], got ");
        e.mechanism = TACIT_DP_PURE;
        assert_fails(tc_dp_event_check(&e, &err), TACIT_E_ARG, "epsilon must be in (0, 1e6], got ");
        e.mechanism = TACIT_DP_NONPRIVATE;
        assert_ok(tc_dp_event_check(&e, &err));
        e = sound;
        e.sampling_rate = bad[i];
        assert_fails(tc_dp_event_check(&e, &err), TACIT_E_ARG, "sampling_rate must be in (0, 1]");
    }
}

static void refuses_nonsense(void **state)
{
    (void)state;
    tacit_error err = {0};
    tacit_dp_event e = sound;
    e.sampling = TACIT_DP_ALL;
    assert_fails(tc_dp_event_check(&e, &err), TACIT_E_ARG,
                 "sampling_rate must be 1 where everybody takes part, got 0.25");
    e.sampling = (tacit_dp_sampling)7;
    assert_fails(tc_dp_event_check(&e, &err), TACIT_E_ARG, "sampling must be");
    e = sound;
    e.mechanism = (tacit_dp_mechanism)5;
    assert_fails(tc_dp_event_check(&e, &err), TACIT_E_ARG, "mechanism must be");
    e = sound;
    e.count = UINT64_MAX;
    assert_fails(tc_dp_event_check(&e, &err), TACIT_E_ARG, "count must be at most 1e15");
}

static void assert_text(const tacit_dp_event *e, const char *expected)
{
    json_t *j = tc_dp_event_json(e);
    char *text = tc_json_text(j);
    assert_non_null(text);
    assert_string_equal(text, expected);
    tc_free(text);
    json_decref(j);
}

static void writes_the_names_of_dp_accounting(void **state)
{
    (void)state;
    assert_text(&sound, "{\"dp_event\":\"SelfComposed\",\"count\":40,\"event\":{\"dp_event\":"
                        "\"PoissonSampled\",\"sampling_probability\":0.25,\"event\":{\"dp_event\":"
                        "\"Gaussian\",\"noise_multiplier\":1.0}}}");
    assert_text(&(tacit_dp_event){TACIT_DP_LAPLACE, 4, TACIT_DP_ALL, 1, 1},
                "{\"dp_event\":\"Laplace\",\"noise_multiplier\":0.25,\"epsilon\":4.0}");
    assert_text(&(tacit_dp_event){TACIT_DP_PURE, 0.5, TACIT_DP_FIXED_SIZE, 0.5, 1},
                "{\"dp_event\":\"SampledWithoutReplacement\",\"sampling_probability\":0.5,"
                "\"event\":{\"dp_event\":\"RandomizedResponse\","
                "\"noise_parameter\":0.7550813375962908,\"num_buckets\":2,\"epsilon\":0.5}}");
    assert_text(
        &(tacit_dp_event){TACIT_DP_GAUSSIAN, 2, TACIT_DP_POISSON_REPLACED, 0.5, 1},
        "{\"dp_event\":\"PoissonSampled\",\"sampling_probability\":0.5,\"event\":{\"dp_event\":"
        "\"Gaussian\",\"noise_multiplier\":2.0},\"group_size\":2}");
    assert_text(&(tacit_dp_event){TACIT_DP_NONPRIVATE, 0, TACIT_DP_ALL, 1, 0},
                "{\"dp_event\":\"SelfComposed\",\"count\":0,\"event\":{\"dp_event\":"
                "\"NonPrivate\"}}");
}

static void comes_back_through_text(void **state)
{
    (void)state;
    tacit_error err = {0};
    const double parameters[] = {0.1, 1.0 / 3, 3, 49, 1e-9, 999999.5};
    for (int mechanism = 0; mechanism <= TACIT_DP_PURE; mechanism++)
        for (int sampling = 0; sampling <= TACIT_DP_POISSON_REPLACED; sampling++)
            for (uint64_t i = 0; i < 6; i++) {
                tacit_dp_event e = {(tacit_dp_mechanism)mechanism, parameters[i],
                                    (tacit_dp_sampling)sampling, sampling == TACIT_DP_ALL ? 1 : 0.3,
                                    i};
                json_t *j = tc_dp_event_json(&e), *k;
                char *text = tc_json_text(j);
                assert_non_null(text);
                assert_ok(tc_json_parse(text, strlen(text), "event", &k, &err));
                tacit_dp_event back;
                assert_ok(tc_dp_event_from_json(&back, k, &err));
                assert_int_equal(back.mechanism, e.mechanism);
                assert_int_equal(back.sampling, e.sampling);
                assert_int_equal(back.count, e.count);
                assert_same_bits(back.parameter, e.parameter);
                assert_same_bits(back.sampling_rate, e.sampling_rate);
                tc_free(text);
                json_decref(j);
                json_decref(k);
            }
}

static void refuses_text(const char *text, const char *part)
{
    tacit_error err = {0};
    json_t *j;
    assert_ok(tc_json_parse(text, strlen(text), "event", &j, &err));
    tacit_dp_event e = sound;
    assert_fails(tc_dp_event_from_json(&e, j, &err), TACIT_E_ARG, part);
    assert_same_bits(e.parameter, sound.parameter);
    assert_int_equal(e.count, sound.count);
    json_decref(j);
}

static void refuses_other_documents(void **state)
{
    (void)state;
    refuses_text("[]", "must be an object");
    refuses_text("{}", "dp_event is missing");
    refuses_text("{\"dp_event\":\"Gausian\"}", "did you mean \"Gaussian\"?");
    refuses_text("{\"dp_event\":\"Gaussian\"}", "noise_multiplier is missing");
    refuses_text("{\"dp_event\":\"Gaussian\",\"noise_multiplier\":-1}",
                 "noise_multiplier must be in (0, 1e6], got -1");
    refuses_text("{\"dp_event\":\"Gaussian\",\"noise_multiplier\":1,\"sd\":1}",
                 "unknown field \"sd\"");
    refuses_text("{\"dp_event\":\"Laplace\",\"noise_multiplier\":0}", "noise_multiplier must be");
    refuses_text("{\"dp_event\":\"Laplace\",\"noise_multiplier\":2,\"epsilon\":2}",
                 "epsilon must be 1/noise_multiplier");
    refuses_text("{\"dp_event\":\"RandomizedResponse\",\"noise_parameter\":0.5,\"num_buckets\":2,"
                 "\"epsilon\":1}",
                 "RandomizedResponse must have 2 buckets");
    refuses_text("{\"dp_event\":\"SelfComposed\",\"event\":{\"dp_event\":\"NonPrivate\"}}",
                 "count is missing");
    refuses_text("{\"dp_event\":\"SelfComposed\",\"count\":-2,\"event\":{}}",
                 "count must be a whole number");
    refuses_text("{\"dp_event\":\"SelfComposed\",\"count\":2}", "event must be an object");
    refuses_text("{\"dp_event\":\"PoissonSampled\",\"sampling_probability\":2,\"event\":"
                 "{\"dp_event\":\"NonPrivate\"}}",
                 "sampling_rate must be in (0, 1], got 2");
    refuses_text("{\"dp_event\":\"PoissonSampled\",\"sampling_probability\":0.5,\"event\":"
                 "{\"dp_event\":\"SelfComposed\",\"count\":2}}",
                 "there is no mechanism \"SelfComposed\" here");
    refuses_text("{\"dp_event\":\"PoissonSampled\",\"sampling_probability\":0.5,\"group_size\":3,"
                 "\"event\":{\"dp_event\":\"NonPrivate\"}}",
                 "group_size must be a whole number in [1, 2], got 3");
}

static void a_foreign_laplace_is_rounded_up(void **state)
{
    (void)state;
    tacit_error err = {0};
    json_t *j = json_pack("{s:s, s:f}", "dp_event", "Laplace", "noise_multiplier", 3.0);
    tacit_dp_event e;
    assert_ok(tc_dp_event_from_json(&e, j, &err));
    assert_true(e.parameter >= 1.0 / 3 && e.parameter < 1.0 / 3 * (1 + 1e-15));
    json_decref(j);
}

static void a_divergence_has_one_order(void **state)
{
    (void)state;
    tacit_error err = {0};
    tacit_dp_event read;
    for (int order = 2; order <= TC_DP_EVENT_MAX_ORDER; order++) {
        tacit_dp_event e = tc_dp_event_renyi(order, 0.1 * order);
        e.count = (uint64_t)order % 3; /* 0: of a release that was paid for before */
        assert_ok(tc_dp_event_check(&e, &err));
        assert_int_equal(tc_dp_event_order(&e), order);
        assert_true(tc_dp_event_rate(&e) == 1);
        json_t *j = tc_dp_event_json(&e);
        assert_ok(tc_dp_event_from_json(&read, j, &err));
        json_decref(j);
        assert_int_equal(read.mechanism, TACIT_DP_RENYI);
        assert_int_equal(tc_dp_event_order(&read), order);
        assert_same_bits(read.parameter, e.parameter);
        assert_same_bits(read.sampling_rate, e.sampling_rate);
        assert_int_equal(read.count, e.count);
    }
    tacit_dp_event e = tc_dp_event_renyi(3, 1.5);
    assert_text(&e, "{\"dp_event\":\"RenyiBound\",\"order\":3,\"divergence\":1.5}");
    const double bad[] = {1, 0.4, 1.0 / 1025, 0, -0.5, NAN};
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        e.sampling_rate = bad[i];
        assert_fails(tc_dp_event_check(&e, &err), TACIT_E_ARG,
                     "the order of a divergence must be an integer in 2..1024, without sampling");
    }
    e = tc_dp_event_renyi(3, 1.5);
    e.sampling = TACIT_DP_POISSON;
    assert_fails(tc_dp_event_check(&e, &err), TACIT_E_ARG, "without sampling");
    e = tc_dp_event_renyi(3, 0);
    assert_fails(tc_dp_event_check(&e, &err), TACIT_E_ARG, "divergence must be in (0, 1e6], got 0");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(refuses_fields_by_name),
        cmocka_unit_test(refuses_nonsense),
        cmocka_unit_test(writes_the_names_of_dp_accounting),
        cmocka_unit_test(comes_back_through_text),
        cmocka_unit_test(refuses_other_documents),
        cmocka_unit_test(a_foreign_laplace_is_rounded_up),
        cmocka_unit_test(a_divergence_has_one_order),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
