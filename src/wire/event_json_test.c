/* event_json_test.c - every kind of event through its JSON text and back, bit for bit. */
#include "wire/event_json.h"

#include "base/random.h"
#include "support/test.h"

#include <tacit/space.h>

#include <float.h>

static tc_space *mixed(void)
{
    tacit_error err = {0};
    tc_space *s = NULL;
    assert_ok(tc_space_new(&s, &err));
    assert_ok(tc_space_add_float(s, "x", -DBL_MAX / 4, DBL_MAX / 4, 0, false, &err));
    assert_ok(tc_space_add_int(s, "n", 1, 9, 1, false, &err));
    assert_ok(tc_space_add_choice(s, "opt", 2, (const char *[]){"adam", "s\"gd"}, &err));
    return s;
}

static tc_space *candidates(void)
{
    tacit_error err = {0};
    static const char csv[] = "a,b\n0.1,5\n0.2,6\n";
    tc_domain *d = NULL;
    tc_space *s = NULL;
    assert_ok(tc_domain_from_csv(&d, csv, sizeof csv - 1, "p.csv", &err));
    assert_ok(tc_space_from_domain(&s, d, &err));
    return s;
}

static void assert_same_text(const char *a, const char *b)
{
    assert_int_equal(a == NULL, b == NULL);
    if (a)
        assert_string_equal(a, b);
}

static void assert_same_event(const tc_space *s, const tc_event *a, const tc_event *b)
{
    assert_int_equal(a->seq, b->seq);
    assert_int_equal(a->kind, b->kind);
    assert_int_equal(a->trial, b->trial);
    assert_int_equal(a->time_ms, b->time_ms);
    assert_int_equal(a->state, b->state);
    assert_same_bits(a->value, b->value);
    assert_int_equal(a->step, b->step);
    assert_same_bits(a->noise_sd, b->noise_sd);
    assert_int_equal(a->n_more, b->n_more);
    for (size_t i = 0; i < a->n_more; i++)
        assert_same_bits(a->more[i], b->more[i]);
    assert_int_equal(a->lease_ms, b->lease_ms);
    assert_same_text(a->reason, b->reason);
    assert_same_text(a->worker, b->worker);
    assert_same_text(a->body, b->body);
    assert_int_equal(a->pulls, b->pulls);
    assert_int_equal(a->batch.n, b->batch.n);
    assert_true(a->batch.sum == b->batch.sum && a->batch.squares == b->batch.squares);
    assert_int_equal(a->round, b->round);
    assert_int_equal(a->n_bytes, b->n_bytes);
    if (a->n_bytes > 0)
        assert_memory_equal(a->bytes, b->bytes, a->n_bytes);
    assert_int_equal(a->values == NULL, b->values == NULL);
    if (a->values)
        assert_memory_equal(a->values, b->values, s->n_params * sizeof *a->values);
}

static void assert_round_trip(const tc_space *s, const tc_event *e, const char *expected)
{
    tacit_error err = {0};
    tc_arena a = {0};
    char *text = tc_event_encode(s, e);
    assert_non_null(text);
    if (expected)
        assert_string_equal(text, expected);
    tc_event back = {.seq = e->seq, .kind = e->kind, .trial = e->trial, .time_ms = e->time_ms};
    back.reason = "what was there before";
    assert_ok(tc_event_decode(s, text, &a, &back, &err));
    tc_free(text); /* nothing may still point into it */
    assert_same_event(s, e, &back);
    tc_arena_fini(&a);
}

static void every_kind_has_its_form(void **state)
{
    (void)state;
    tc_space *s = mixed();
    const double v[] = {0.1, 3, 1};
    const tc_event head = {.seq = 7, .trial = 3, .time_ms = 123456789};
    tc_event e = head;
    e.kind = TC_EVENT_ENQUEUE, e.values = v;
    assert_round_trip(s, &e, "{\"params\":{\"x\":0.1,\"n\":3,\"opt\":\"s\\\"gd\"}}");
    e.kind = TC_EVENT_ASK, e.worker = "host:1", e.lease_ms = 1000;
    assert_round_trip(s, &e,
                      "{\"params\":{\"x\":0.1,\"n\":3,\"opt\":\"s\\\"gd\"},"
                      "\"worker\":\"host:1\",\"lease_ms\":1000}");
    e.worker = NULL, e.lease_ms = 0;
    assert_round_trip(s, &e, "{\"params\":{\"x\":0.1,\"n\":3,\"opt\":\"s\\\"gd\"}}");
    e = head, e.kind = TC_EVENT_TELL, e.state = TC_TRIAL_COMPLETE, e.value = 0.5;
    assert_round_trip(s, &e, "{\"state\":\"COMPLETE\",\"value\":0.5}");
    e.values = v;
    assert_round_trip(s, &e,
                      "{\"state\":\"COMPLETE\",\"value\":0.5,"
                      "\"params\":{\"x\":0.1,\"n\":3,\"opt\":\"s\\\"gd\"}}");
    e = head, e.kind = TC_EVENT_TELL, e.state = TC_TRIAL_FAIL;
    assert_round_trip(s, &e, "{\"state\":\"FAIL\"}");
    e.reason = "exit status 1\nsaid \"no\"";
    assert_round_trip(s, &e, NULL);
    e = head, e.kind = TC_EVENT_TELL, e.state = TC_TRIAL_PRUNED, e.step = 5, e.value = 0.41;
    assert_round_trip(s, &e, "{\"state\":\"PRUNED\",\"step\":5,\"value\":0.41}");
    e.reason = "median 0.38 of 7 trials";
    assert_round_trip(s, &e,
                      "{\"state\":\"PRUNED\",\"step\":5,\"value\":0.41,"
                      "\"reason\":\"median 0.38 of 7 trials\"}");
    e.reason = NULL;
    e.noise_sd = 0.5;
    assert_round_trip(s, &e, "{\"state\":\"PRUNED\",\"step\":5,\"value\":0.41,\"noise_sd\":0.5}");
    e = head, e.kind = TC_EVENT_REPORT, e.step = TC_STEP_MOST, e.value = -0.0;
    assert_round_trip(s, &e, "{\"step\":9007199254740992,\"value\":-0.0}");
    e = head, e.kind = TC_EVENT_STALE;
    assert_round_trip(s, &e, "{}");
    e.kind = TC_EVENT_DELETE;
    assert_round_trip(s, &e, "{}");
    e.kind = TC_EVENT_FIT, e.trial = 0, e.body = "{ \"scale\": [0.1, 2] }";
    assert_round_trip(s, &e, "{ \"scale\": [0.1, 2] }");
    tc_space_free(s);
}

/* Without pulls, the form is the one that journals had before there were batches. */
static void batches_have_three_numbers(void **state)
{
    (void)state;
    tc_space *s = mixed();
    const double v[] = {0.1, 3, 1};
    tc_event e = {.seq = 7, .kind = TC_EVENT_ASK, .values = v, .pulls = 500};
    assert_round_trip(s, &e, "{\"params\":{\"x\":0.1,\"n\":3,\"opt\":\"s\\\"gd\"},\"pulls\":500}");
    char *single = NULL;
    e.pulls = 1, single = tc_event_encode(s, &e);
    assert_string_equal(single, "{\"params\":{\"x\":0.1,\"n\":3,\"opt\":\"s\\\"gd\"}}");
    tc_free(single);
    e = (tc_event){.seq = 8,
                   .kind = TC_EVENT_TELL,
                   .state = TC_TRIAL_COMPLETE,
                   .value = 0.5,
                   .batch = {500, INT64_MAX, 7}};
    assert_round_trip(s, &e,
                      "{\"state\":\"COMPLETE\",\"value\":0.5,\"pulls\":500,"
                      "\"sum\":9223372036854775807,\"squares\":7}");
    e.batch = (tc_batch){1, 0, 0};
    assert_round_trip(s, &e,
                      "{\"state\":\"COMPLETE\",\"value\":0.5,\"pulls\":1,\"sum\":0,\"squares\":0}");
    tc_space_free(s);
}

/* Without noise, the form is the one that journals had before models knew of it. */
static void noise_goes_with_one_value(void **state)
{
    (void)state;
    tc_space *s = mixed();
    tc_event e = {
        .seq = 8, .kind = TC_EVENT_TELL, .state = TC_TRIAL_COMPLETE, .value = 0.5, .noise_sd = 0.1};
    assert_round_trip(s, &e, "{\"state\":\"COMPLETE\",\"value\":0.5,\"noise_sd\":0.1}");
    e.noise_sd = DBL_TRUE_MIN;
    assert_round_trip(s, &e, NULL);
    e.noise_sd = 0;
    assert_round_trip(s, &e, "{\"state\":\"COMPLETE\",\"value\":0.5}");
    tc_space_free(s);
}

/* Without them, the form is the one that journals had before there were outcomes. */
static void outcomes_stand_beside_the_value(void **state)
{
    (void)state;
    tc_space *s = mixed();
    static const double more[] = {300, -0.1, DBL_TRUE_MIN};
    tc_event e = {.seq = 8,
                  .kind = TC_EVENT_TELL,
                  .state = TC_TRIAL_COMPLETE,
                  .value = 0.5,
                  .more = more,
                  .n_more = 2};
    assert_round_trip(s, &e, "{\"state\":\"COMPLETE\",\"value\":0.5,\"more\":[300.0,-0.1]}");
    e.n_more = 3;
    assert_round_trip(s, &e, NULL);
    e.n_more = 0;
    assert_round_trip(s, &e, "{\"state\":\"COMPLETE\",\"value\":0.5}");
    tc_space_free(s);
}

static void messages_keep_every_byte(void **state)
{
    (void)state;
    tc_space *s = mixed();
    tc_event e = {.seq = 5, .kind = TC_EVENT_PUBLISH, .round = 3, .bytes = "\0\xFFhello"};
    e.n_bytes = 7;
    assert_round_trip(s, &e, "{\"round\":3,\"bytes\":\"AP9oZWxsbw==\"}");
    e.n_bytes = 0;
    assert_round_trip(s, &e, "{\"round\":3,\"bytes\":\"\"}");
    e.kind = TC_EVENT_ABSORB, e.round = INT64_MAX;
    unsigned char bytes[300];
    for (size_t n = 0; n < sizeof bytes; n++) {
        bytes[n] = (unsigned char)(n * 37);
        e.bytes = bytes, e.n_bytes = n + 1;
        assert_round_trip(s, &e, NULL);
    }
    e = (tc_event){.kind = TC_EVENT_SKIP, .round = 0};
    assert_round_trip(s, &e, "{\"round\":0}");
    e.reason = "too late";
    assert_round_trip(s, &e, "{\"round\":0,\"reason\":\"too late\"}");
    tc_space_free(s);
}

static void a_candidate_is_written_with_its_coordinates(void **state)
{
    (void)state;
    tc_space *s = candidates();
    const double v = 1;
    tc_event e = {.seq = 1, .kind = TC_EVENT_ASK, .values = &v};
    assert_round_trip(s, &e, "{\"params\":{\"point\":1,\"a\":0.2,\"b\":6.0}}");
    tc_space_free(s);
}

static double from_bits(uint64_t bits)
{
    double v;
    memcpy(&v, &bits, sizeof v);
    return v;
}

static void doubles_keep_every_bit(void **state)
{
    (void)state;
    tc_space *s = mixed();
    static const double special[] = {0.0,
                                     -0.0,
                                     DBL_MIN,
                                     -DBL_MIN,
                                     DBL_MAX,
                                     -DBL_MAX,
                                     0x1p-1074,
                                     -0x1p-1074,
                                     0.1,
                                     1.0 / 3,
                                     1e22,
                                     123456789012345680.0,
                                     0x1.fffffffffffffp-1023};
    for (size_t i = 0; i < sizeof special / sizeof *special; i++) {
        tc_event e = {.kind = TC_EVENT_TELL, .state = TC_TRIAL_COMPLETE, .value = special[i]};
        assert_round_trip(s, &e, NULL);
    }
    tc_stream draw;
    tc_public_seed seed = tc_public_seed_from(1);
    tc_stream_public(&draw, &seed, TC_FOR_DESIGN, 0);
    for (int n = 0; n < 20000; n++) {
        double value = from_bits(tc_draw_u64(&draw)), x = from_bits(tc_draw_u64(&draw));
        double v[] = {fabs(x) <= DBL_MAX / 4 ? x : -0.0, 1 + (double)(n % 9), n % 2};
        tc_event e = {.kind = TC_EVENT_TELL, .state = TC_TRIAL_COMPLETE, .values = v};
        e.value = isfinite(value) ? value : -0x1p-1074;
        assert_round_trip(s, &e, NULL);
    }
    tc_space_free(s);
}

/* What a program printed may be anything. */
static void bytes_that_are_not_text_become_question_marks(void **state)
{
    (void)state;
    tacit_error err = {0};
    tc_space *s = mixed();
    tc_arena a = {0};
    tc_event e = {.kind = TC_EVENT_TELL, .state = TC_TRIAL_FAIL};
    e.reason = "caf\xC3\xA9 \xFF\xFE cut \xE2\x82";
    char *text = tc_event_encode(s, &e);
    tc_event back = {.kind = TC_EVENT_TELL};
    assert_ok(tc_event_decode(s, text, &a, &back, &err));
    assert_string_equal(back.reason, "caf\xC3\xA9 ?? cut ??");
    tc_free(text);
    tc_arena_fini(&a);
    tc_space_free(s);
}

static const struct {
    tc_event_kind kind;
    const char *text, *message;
} damaged[] = {
    {TC_EVENT_ASK, "", "the body of ask event 9: "},
    {TC_EVENT_ASK, "[]", "the body of ask event 9: it must be an object, got an array"},
    {TC_EVENT_ASK, "{}", "the body of ask event 9: params is missing"},
    {TC_EVENT_ASK, "{\"params\": {\"x\": 1, \"n\": 1}}", "opt is missing"},
    {TC_EVENT_ASK, "{\"params\": {\"x\": 1, \"n\": 99, \"opt\": \"adam\"}}",
     "n must be from 1 to 9, got 99"},
    {TC_EVENT_ASK, "{\"params\": {\"x\": 1, \"n\": 1, \"opt\": \"adam\"}, \"lease_ms\": -1}",
     "lease_ms"},
    {TC_EVENT_ASK, "{\"params\": {\"x\": 1, \"n\": 1, \"opt\": \"adam\"}, \"worker\": 3}",
     "worker must be a string"},
    {TC_EVENT_ASK, "{\"params\": {\"x\": 1, \"n\": 1, \"opt\": \"adam\"}, \"value\": 3}", "value"},
    {TC_EVENT_ASK, "{\"params\": {}, \"params\": {}}", "the body of ask event 9: "},
    {TC_EVENT_ENQUEUE, "{\"params\": {\"x\": 1, \"n\": 1, \"opt\": \"adam\"}, \"worker\": \"a\"}",
     "worker"},
    {TC_EVENT_DELETE, "[]", "the body of delete event 9: it must be an object, got an array"},
    {TC_EVENT_DELETE, "{\"trial\": 3}", "trial"},
    {TC_EVENT_TELL, "{}", "the body of tell event 9: state is missing"},
    {TC_EVENT_TELL, "{\"state\": \"STALE\"}",
     "state must be COMPLETE, FAIL or PRUNED, got \"STALE\""},
    {TC_EVENT_TELL, "{\"state\": \"COMPLETE\"}", "value is missing"},
    {TC_EVENT_TELL, "{\"state\": \"COMPLETE\", \"value\": \"1\"}", "value must be a number"},
    {TC_EVENT_TELL, "{\"state\": \"COMPLETE\", \"value\": NaN}", "the body of tell event 9: "},
    {TC_EVENT_TELL, "{\"state\": \"COMPLETE\", \"value\": 1e999}", "the body of tell event 9: "},
    {TC_EVENT_TELL, "{\"state\": \"COMPLETE\", \"value\": 1, \"reason\": \"a\"}", "reason"},
    {TC_EVENT_TELL, "{\"state\": \"COMPLETE\", \"value\": 1, \"pulls\": 3}", "sum is missing"},
    {TC_EVENT_TELL, "{\"state\": \"COMPLETE\", \"value\": 1, \"sum\": 3}", "pulls is missing"},
    {TC_EVENT_TELL, "{\"state\": \"COMPLETE\", \"value\": 1, \"pulls\": 3, \"sum\": 3}",
     "squares is missing"},
    {TC_EVENT_TELL,
     "{\"state\": \"COMPLETE\", \"value\": 1, \"pulls\": 0, \"sum\": 0, \"squares\": 0}",
     "pulls must be at least 1, got 0"},
    {TC_EVENT_TELL,
     "{\"state\": \"COMPLETE\", \"value\": 1, \"pulls\": 1, \"sum\": -1, \"squares\": 0}", "sum"},
    {TC_EVENT_TELL, "{\"state\": \"COMPLETE\", \"value\": 1, \"noise_sd\": -0.5}",
     "noise_sd must be from 0 to 1e154, got -0.5"},
    {TC_EVENT_TELL, "{\"state\": \"COMPLETE\", \"value\": 1, \"noise_sd\": 1e200}",
     "noise_sd must be from 0 to 1e154, got 1e+200"},
    {TC_EVENT_TELL, "{\"state\": \"COMPLETE\", \"value\": 1, \"noise_sd\": 1e999}",
     "the body of tell event 9: "},
    {TC_EVENT_TELL, "{\"state\": \"COMPLETE\", \"value\": 1, \"noise_sd\": \"1\"}",
     "noise_sd must be a number"},
    {TC_EVENT_TELL,
     "{\"state\": \"COMPLETE\", \"value\": 1, \"noise_sd\": 1, \"pulls\": 1, \"sum\": 0, "
     "\"squares\": 0}",
     "noise_sd goes with one value, not with pulls"},
    {TC_EVENT_TELL, "{\"state\": \"COMPLETE\", \"value\": 1, \"more\": 2}",
     "more must be an array of numbers, got a number"},
    {TC_EVENT_TELL, "{\"state\": \"COMPLETE\", \"value\": 1, \"more\": []}",
     "more must be an array of numbers, got an empty one"},
    {TC_EVENT_TELL, "{\"state\": \"COMPLETE\", \"value\": 1, \"more\": [2, null]}",
     "more[1] must be a number, got null"},
    {TC_EVENT_TELL, "{\"state\": \"FAIL\", \"more\": [1]}", "more"},
    {TC_EVENT_TELL, "{\"state\": \"FAIL\", \"noise_sd\": 1}", "noise_sd"},
    {TC_EVENT_TELL, "{\"state\": \"FAIL\", \"pulls\": 1}", "pulls"},
    {TC_EVENT_ASK, "{\"params\": {\"x\": 1, \"n\": 1, \"opt\": \"adam\"}, \"pulls\": 1}", "pulls"},
    {TC_EVENT_TELL, "{\"state\": \"FAIL\", \"value\": 1}", "value"},
    {TC_EVENT_TELL, "{\"state\": \"FAIL\", \"params\": {}}", "x is missing"},
    {TC_EVENT_STALE, "{\"params\": {}}", "params"},
    {TC_EVENT_TELL, "{\"state\": \"PRUNED\", \"value\": 1}", "step is missing"},
    {TC_EVENT_TELL, "{\"state\": \"PRUNED\", \"step\": 1}", "value is missing"},
    {TC_EVENT_TELL, "{\"state\": \"PRUNED\", \"step\": 1, \"value\": 1, \"noise_sd\": -1}",
     "noise_sd must be from 0 to 1e154, got -1"},
    {TC_EVENT_TELL, "{\"state\": \"PRUNED\", \"step\": 1, \"value\": 1, \"params\": {}}", "params"},
    {TC_EVENT_TELL, "{\"state\": \"COMPLETE\", \"step\": 1, \"value\": 1}", "step"},
    {TC_EVENT_REPORT, "{\"value\": 1}", "the body of report event 9: step is missing"},
    {TC_EVENT_REPORT, "{\"step\": 1}", "value is missing"},
    {TC_EVENT_REPORT, "{\"step\": -1, \"value\": 1}", "step"},
    {TC_EVENT_REPORT, "{\"step\": 1.5, \"value\": 1}", "step"},
    {TC_EVENT_REPORT, "{\"step\": 9007199254740993, \"value\": 1}", "step must be at most 2^53"},
    {TC_EVENT_REPORT, "{\"step\": 1, \"value\": null}", "value must be a number"},
    {TC_EVENT_REPORT, "{\"step\": 1, \"value\": 1e999}", "the body of report event 9: "},
    {TC_EVENT_REPORT, "{\"step\": 1, \"value\": 1, \"state\": \"FAIL\"}", "state"},
    {TC_EVENT_FIT, "[3]", "the body of fit event 9: it must be an object, got an array"},
    {TC_EVENT_FIT, "{} {}", "the body of fit event 9: "},
    {TC_EVENT_PUBLISH, "{\"bytes\": \"\"}", "round is missing"},
    {TC_EVENT_PUBLISH, "{\"round\": 1}", "bytes is missing"},
    {TC_EVENT_PUBLISH, "{\"round\": -1, \"bytes\": \"\"}", "round"},
    {TC_EVENT_PUBLISH, "{\"round\": 1, \"bytes\": \"A\"}", "bytes must be base64"},
    {TC_EVENT_ABSORB, "{\"round\": 1, \"bytes\": \"AP9\"}", "bytes must be base64"},
    {TC_EVENT_ABSORB, "{\"round\": 1, \"bytes\": \"AP9o AA\"}", "bytes must be base64"},
    {TC_EVENT_ABSORB, "{\"round\": 1, \"bytes\": \"AB==\"}", "bytes must be base64"},
    {TC_EVENT_ABSORB, "{\"round\": 1, \"bytes\": \"\", \"reason\": \"\"}", "reason"},
    {TC_EVENT_SKIP, "{}", "round is missing"},
    {TC_EVENT_SKIP, "{\"round\": 1, \"bytes\": \"\"}", "bytes"},
    {(tc_event_kind)77, "{}", "77 is not a kind of event"},
};

static void damage_is_said_and_leaves_the_event_alone(void **state)
{
    (void)state;
    tc_space *s = mixed();
    for (size_t i = 0; i < sizeof damaged / sizeof *damaged; i++) {
        tacit_error err = {0};
        tc_arena a = {0};
        tc_event e = {.seq = 9, .kind = damaged[i].kind, .lease_ms = 42};
        assert_fails(tc_event_decode(s, damaged[i].text, &a, &e, &err), TACIT_E_CORRUPT,
                     damaged[i].message);
        assert_null(e.values);
        assert_int_equal(e.lease_ms, 42);
        tc_arena_fini(&a);
    }
    tc_space_free(s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_kind_has_its_form),
        cmocka_unit_test(batches_have_three_numbers),
        cmocka_unit_test(noise_goes_with_one_value),
        cmocka_unit_test(outcomes_stand_beside_the_value),
        cmocka_unit_test(messages_keep_every_byte),
        cmocka_unit_test(a_candidate_is_written_with_its_coordinates),
        cmocka_unit_test(doubles_keep_every_bit),
        cmocka_unit_test(bytes_that_are_not_text_become_question_marks),
        cmocka_unit_test(damage_is_said_and_leaves_the_event_alone),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
