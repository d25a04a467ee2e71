/* served_report_test.c - intermediate values of a served study over requests: what is answered, again and otherwise, and what
 * is refused. */
#include "support/served_world.h"

#include "coord/shape.h"

static int report(served_world *s, int64_t trial, const char *body, json_t **answer)
{
    char what[64];
    snprintf(what, sizeof what, "/trials/%lld:report", (long long)trial);
    return served_post(s, what, body, answer);
}

static tacit_status count_event(void *user, const tc_event_row *e, tacit_error *err)
{
    (void)e;
    (void)err;
    ++*(int64_t *)user;
    return TACIT_OK;
}

static int64_t count_events(served_world *s)
{
    tc_study_row row;
    tacit_error err = {0};
    int64_t n = 0;
    assert_ok(tc_store_study_get(s->w.store, "t", &row, &err));
    assert_ok(tc_store_scan(s->w.store, row.id, 0, count_event, &n, &err));
    tc_study_row_fini(&row);
    return n;
}

static void a_report_is_answered_with_a_verdict(void **state)
{
    served_world *s = *state;
    tacit_error err = {0};
    json_t *a, *b;
    for (int i = 0; i < 2; i++) {
        assert_int_equal(served_one(s, i ? "v" : "w", NULL), i);
        assert_int_equal(report(s, i, "{\"step\": 1, \"value\": 0.5}", &a), 200);
        assert_ok(tc_shape_check(&tc_shape_verdict, a, &err));
        assert_true(json_is_false(json_object_get(a, "stop")));
        assert_true(json_is_null(json_object_get(a, "bound")));
        json_decref(a);
        if (i == 0)
            assert_int_equal(served_value(s, 0, 0.25), 200);
    }
    const char worse[] = "{\"step\": 2, \"value\": 0.75, \"prune\": \"median\", \"min_trials\": 1}";
    assert_int_equal(report(s, 1, worse, &a), 200);
    assert_int_equal(report(s, 1, worse, &b), 200); /* an answer that was lost */
    assert_true(json_equal(a, b));
    assert_true(json_is_false(json_object_get(a, "stop"))); /* its best was as good */
    assert_same_bits(json_real_value(json_object_get(a, "bound")), 0.5);
    json_decref(a);
    json_decref(b);
    assert_int_equal(served_one(s, "v", NULL), 1); /* the worker begins anew */
    assert_int_equal(report(s, 1,
                            "{\"step\": 1, \"value\": 0.75, \"attempt\": 2, \"prune\": \"median\", "
                            "\"min_trials\": 1}",
                            &a),
                     200);
    assert_true(json_is_true(json_object_get(a, "stop")));
    assert_int_equal(served_whole(a, "compared"), 1);
    assert_int_equal(served_whole(a, "step"), 1);
    json_decref(a);
}

static void a_trial_is_pruned_once(void **state)
{
    served_world *s = *state;
    tacit_error err = {0};
    json_t *a, *b;
    (void)served_one(s, "w", NULL);
    assert_int_equal(served_complete(s, 0, "{\"pruned\": true}", &a), 409);
    assert_says(a,
                "trial 0 has reported no intermediate value, so there is nothing to prune it by");
    assert_int_equal(report(s, 0, "{\"step\": 7, \"value\": 3}", NULL), 200);
    assert_int_equal(served_complete(s, 0, "{\"pruned\": false}", &a), 400);
    assert_says(a, "pruned can only be true");
    assert_int_equal(served_complete(s, 0, "{\"value\": 1, \"reason\": \"asha\"}", &a), 400);
    assert_says(a, "reason goes with pruned; a failure is told as failed");
    assert_int_equal(
        served_complete(s, 0, "{\"pruned\": true, \"reason\": \"asha 2 of 9 trials\"}", &a), 200);
    assert_ok(tc_shape_check(&tc_shape_trial_state, a, &err));
    assert_string_equal(world_text(a, "state"), "PRUNED");
    assert_true(json_is_null(json_object_get(a, "value")));
    assert_int_equal(served_complete(s, 0, "{\"pruned\": true}", &b), 200);
    assert_true(json_equal(a, b));
    json_decref(a);
    json_decref(b);
    assert_int_equal(served_complete(s, 0, "{\"value\": 3}", &a), 409);
    assert_says(a, "trial 0 was told already, and with another report");
    assert_int_equal(report(s, 0, "{\"step\": 8, \"value\": 3}", &a), 409);
    assert_says(a, "trial 0 was told already: it is PRUNED");
    assert_int_equal(served_get(s, "/trials", "state=PRUNED", &a), 200);
    assert_ok(tc_shape_check(&tc_shape_trial_list, a, &err));
    const json_t *t = json_array_get(json_object_get(a, "trials"), 0);
    const json_t *step = json_array_get(json_object_get(t, "steps"), 0);
    assert_int_equal(served_whole(step, "step"), 7);
    assert_same_bits(json_real_value(json_object_get(step, "value")), 3);
    assert_true(json_is_integer(json_object_get(t, "ended_ms")));
    assert_string_equal(world_text(t, "reason"), "pruned at step 7 with 3 (asha 2 of 9 trials)");
    json_decref(a);
    assert_int_equal(served_get(s, "", NULL, &a), 200);
    assert_int_equal(served_whole(a, "pruned"), 1);
    assert_int_equal(served_whole(a, "failed"), 0);
    json_decref(a);
}

/* A report that does not say anything new is no event. */
static void the_same_again_adds_nothing(void **state)
{
    served_world *s = *state;
    (void)served_one(s, "w", NULL);
    assert_int_equal(report(s, 0, "{\"step\": 1, \"value\": 1}", NULL), 200);
    int64_t before = count_events(s);
    for (int i = 0; i < 5; i++)
        assert_int_equal(report(s, 0, "{\"step\": 1, \"value\": 1}", NULL), 200);
    assert_int_equal(count_events(s), before);
    assert_int_equal(report(s, 0, "{\"step\": 2, \"value\": 1}", NULL), 200);
}

/* ---- attempts ---- */

static int64_t attempt_of(served_world *s, const char *worker, int64_t trial)
{
    json_t *a;
    assert_int_equal(served_suggest(s, worker, 1, &a), 200);
    const json_t *t = json_array_get(json_object_get(a, "trials"), 0);
    assert_int_equal(served_whole(t, "trial"), trial);
    int64_t attempt = served_whole(t, "attempt");
    json_decref(a);
    return attempt;
}

static int step_of(served_world *s, int64_t attempt, int step, double value, json_t **answer)
{
    char body[128];
    int n = snprintf(body, sizeof body, "{\"step\": %d, \"value\": %.17g", step, value);
    if (attempt > 0)
        n += snprintf(body + n, sizeof body - (size_t)n, ", \"attempt\": %d", (int)attempt);
    snprintf(body + n, sizeof body - (size_t)n, "}");
    return report(s, 0, body, answer);
}

/* What the curve of trial 0 is: "1=0.5 2=0.25". */
static void assert_curve(served_world *s, const char *want)
{
    json_t *a;
    char text[256] = "";
    size_t n = 0;
    assert_int_equal(served_get(s, "/trials", NULL, &a), 200);
    const json_t *t = json_array_get(json_object_get(a, "trials"), 0);
    const json_t *steps = json_object_get(t, "steps");
    for (size_t i = 0; i < json_array_size(steps); i++) {
        const json_t *at = json_array_get(steps, i);
        n += (size_t)snprintf(text + n, sizeof text - n, "%s%d=%g", i > 0 ? " " : "",
                              (int)served_whole(at, "step"),
                              json_number_value(json_object_get(at, "value")));
    }
    json_decref(a);
    assert_string_equal(text, want);
}

/* A worker whose lease is over, and one that has its trial now: the curve is of the second alone. */
static void a_worker_that_has_lost_its_trial_cuts_no_curve(void **state)
{
    served_world *s = *state;
    json_t *a;
    assert_int_equal(attempt_of(s, "slow", 0), 1);
    for (int step = 1; step <= 3; step++)
        assert_int_equal(step_of(s, 1, step, 1.0 / step, NULL), 200);
    s->w.now_ms += 61000; /* its lease is over, and nobody has the trial yet */
    assert_int_equal(step_of(s, 1, 4, 0.25, NULL), 200);
    assert_int_equal(attempt_of(s, "next", 0), 2);
    assert_curve(s, "1=1 2=0.5 3=0.333333 4=0.25");
    assert_int_equal(step_of(s, 1, 5, 0.125, &a), 409);
    assert_says(a, "trial 0 was handed out anew: attempt 2 draws its curve now, and this report is "
                   "of attempt 1");
    assert_int_equal(step_of(s, 2, 1, 8, NULL), 200); /* it begins at the beginning */
    assert_int_equal(step_of(s, 2, 2, 7, NULL), 200);
    assert_int_equal(step_of(s, 1, 1, 1, &a), 409);
    assert_says(a, "attempt 2 draws its curve now");
    assert_int_equal(step_of(s, 0, 3, 1, &a), 409);
    assert_says(a, "trial 0 was handed out 2 times: a report says of which attempt it is, as the "
                   "suggestion does");
    assert_int_equal(step_of(s, 3, 3, 1, &a), 409);
    assert_says(a, "trial 0 was handed out 2 times: there is no attempt 3");
    assert_curve(s, "1=8 2=7");
    assert_int_equal(served_value(s, 0, 0.5), 200); /* whoever comes first */
}

/* Within one attempt the curve only grows, whatever comes late and twice. */
static void a_late_duplicate_cuts_no_curve(void **state)
{
    served_world *s = *state;
    json_t *a;
    int64_t attempt = attempt_of(s, "w", 0);
    for (int step = 1; step <= 5; step++)
        if (step != 4)
            assert_int_equal(step_of(s, attempt, step, 1.0 / step, NULL), 200);
    int64_t before = count_events(s);
    assert_int_equal(step_of(s, attempt, 2, 0.5, &a), 200);
    assert_int_equal(served_whole(a, "step"), 5); /* the curve is judged as it is */
    json_decref(a);
    assert_int_equal(step_of(s, 0, 1, 1, NULL), 200); /* of one attempt, it need not say */
    static const struct {
        int step;
        double value;
    } other[] = {{2, 0.75}, {4, 0.25}, {5, 0.25}, {0, 1}};
    for (size_t i = 0; i < sizeof other / sizeof *other; i++) {
        char why[128];
        snprintf(why, sizeof why,
                 "trial 0 is at step 5 in this attempt: a report of step %d can only repeat what "
                 "was reported there",
                 other[i].step);
        assert_int_equal(step_of(s, attempt, other[i].step, other[i].value, &a), 409);
        assert_says(a, why);
    }
    assert_int_equal(count_events(s), before);
    assert_curve(s, "1=1 2=0.5 3=0.333333 5=0.2");
}

/* Each is taken as if it came by itself, up to the one by which the trial should be ended, or that is refused. */
static void reports_that_come_together_are_judged_in_order(void **state)
{
    served_world *s = *state;
    json_t *a, *b;
    assert_int_equal(attempt_of(s, "w", 0), 1);
    assert_int_equal(
        report(s, 0,
               "{\"step\": 3, \"value\": 3, \"attempt\": 1, \"earlier_steps\": [1, 2], "
               "\"earlier_values\": [0.5, 2]}",
               NULL),
        200);
    assert_curve(s, "1=0.5 2=2 3=3");
    assert_int_equal(report(s, 0,
                            "{\"step\": 6, \"value\": 3, \"earlier_steps\": [4, 4, 5], "
                            "\"earlier_values\": [1, 2, 3]}",
                            &a),
                     409);
    assert_says(a, "trial 0 is at step 4 in this attempt: a report of step 4 can only repeat");
    assert_curve(s, "1=0.5 2=2 3=3 4=1");
    assert_int_equal(served_value(s, 0, 1), 200);
    assert_int_equal(served_one(s, "v", NULL), 1);
    const char worse[] = "{\"step\": 3, \"value\": 0, \"prune\": \"median\", \"min_trials\": 1, "
                         "\"earlier_steps\": [1, 2], \"earlier_values\": [4, 5]}";
    int64_t before = count_events(s);
    assert_int_equal(report(s, 1, worse, &a), 200);
    assert_true(json_is_true(json_object_get(a, "stop")));
    assert_int_equal(served_whole(a, "step"), 1);
    assert_int_equal(count_events(s), before + 1);
    assert_int_equal(report(s, 1, worse, &b), 200); /* an answer that was lost */
    assert_true(json_equal(a, b));
    assert_int_equal(count_events(s), before + 1);
    json_decref(a);
    json_decref(b);
}

/* Who asks again has crashed, or has lost an answer. More time is no new attempt, nor is an attempt that has said nothing. */
static void a_worker_that_comes_back_begins_its_curve_anew(void **state)
{
    served_world *s = *state;
    json_t *a;
    for (int i = 0; i < 3; i++)
        assert_int_equal(attempt_of(s, "w", 0), 1);
    assert_int_equal(step_of(s, 1, 1, 9, NULL), 200);
    s->w.now_ms += 30000;
    assert_int_equal(
        served_post(s, "/trials/0:heartbeat", "{\"worker\": \"w\", \"lease_s\": 60}", NULL), 200);
    assert_int_equal(step_of(s, 1, 2, 8, NULL), 200);
    assert_int_equal(step_of(s, 1, 1, 7, &a), 409);
    json_decref(a);
    for (int i = 0; i < 3; i++)
        assert_int_equal(attempt_of(s, "w", 0), 2);
    assert_int_equal(step_of(s, 1, 3, 7, &a), 409);
    json_decref(a);
    assert_int_equal(step_of(s, 2, 2, 6, NULL), 200); /* from a checkpoint */
    assert_curve(s, "1=9 2=6");
    assert_int_equal(attempt_of(s, "w", 0), 3);
    assert_int_equal(step_of(s, 3, 1, 5, NULL), 200);
    assert_curve(s, "1=5");
    const char *take = "{\"worker\": \"v\", \"from\": \"w\", \"trial\": 0, \"lease_s\": 60}";
    for (int i = 0; i < 2; i++) { /* the same again: an answer was lost */
        assert_int_equal(served_post(s, "/trials:suggest", take, &a), 200);
        assert_int_equal(served_whole(json_array_get(json_object_get(a, "trials"), 0), "attempt"),
                         4);
        json_decref(a);
    }
    assert_int_equal(step_of(s, 4, 2, 1, NULL), 200);
    assert_int_equal(served_post(s, "/trials:suggest", take, &a), 200);
    assert_int_equal(served_whole(json_array_get(json_object_get(a, "trials"), 0), "attempt"), 5);
    json_decref(a);
    assert_curve(s, "1=5 2=1");
}

/* ---- records ---- */

static int of_records(served_world *s, const char *client, const char *what, const char *body,
                      json_t **answer)
{
    char path[64];
    snprintf(path, sizeof path, "/v1/studies/ward%s", what);
    return world_call(&s->w, "POST", path, client, body, answer);
}

/* A worker that has no noise in its values is not heard; one that has says how much, also of a trial that it ends. */
static void records_are_told_with_noise(void **state)
{
    served_world *s = *state;
    json_t *a;
    char client[64];
    world_create(
        &s->w, "ward",
        "{\"name\": \"ward\", \"direction\": \"minimize\", \"trials\": 5, \"space\": {\"x\": "
        "{\"type\": \"float\", \"low\": 0, \"high\": 1}}, \"privacy\": {\"unit\": "
        "\"record\", \"epsilon\": 1, \"delta\": 1e-5, \"metric\": \"error\", "
        "\"evaluations\": 10}}");
    served_token(&s->w, "/v1/studies/ward/tokens", "{}", client);
    assert_int_equal(of_records(s, client, "/trials:suggest", "{\"worker\": \"w\"}", NULL), 200);
    static const char *const raw[] = {"{\"step\": 1, \"value\": 1}",
                                      "{\"step\": 1, \"value\": 1, \"noise_sd\": 0}"};
    for (size_t i = 0; i < 2; i++) {
        assert_int_equal(of_records(s, client, "/trials/0:report", raw[i], &a), 400);
        assert_says(a, "study ward protects validation records: it is told values with noise, and "
                       "noise_sd, and nothing else");
    }
    assert_int_equal(of_records(s, client, "/trials/0:report",
                                "{\"step\": 1, \"value\": 1, \"noise_sd\": -1}", &a),
                     400);
    assert_says(a, "noise_sd must be a number >= 0, got -1");
    assert_int_equal(of_records(s, client, "/trials/0:report",
                                "{\"step\": 1, \"value\": 1, \"noise_sd\": 0.5}", NULL),
                     200);
    assert_int_equal(of_records(s, client, "/trials/0:complete", "{\"pruned\": true}", &a), 400);
    assert_says(a, "study ward protects validation records");
    static const char ended[] = "{\"pruned\": true, \"noise_sd\": 0.5}";
    assert_int_equal(of_records(s, client, "/trials/0:complete", ended, NULL), 200);
    assert_int_equal(of_records(s, client, "/trials/0:complete", ended, NULL), 200);
}

/* ---- refusals ---- */

static void what_is_no_report_is_refused(void **state)
{
    served_world *s = *state;
    static const struct {
        const char *body;
        const char *part;
    } rows[] = {
        {"{}", "step is missing"},
        {"{\"step\": 1}", "value is missing"},
        {"{\"step\": -1, \"value\": 1}", "step must be"},
        {"{\"step\": 1.5, \"value\": 1}", "step must be"},
        {"{\"step\": 9007199254740994, \"value\": 1}", "step must be"},
        {"{\"step\": 1, \"value\": \"1\"}", "value must be a number"},
        {"{\"step\": 1, \"value\": 1, \"prune\": \"best\"}",
         "prune must be \"none\", \"median\" or \"asha\", got \"best\""},
        {"{\"step\": 1, \"value\": 1, \"warmup\": 3}", "warmup is for the rules median and asha"},
        {"{\"step\": 1, \"value\": 1, \"prune\": \"median\", \"factor\": 3}",
         "factor is for the rule asha"},
        {"{\"step\": 1, \"value\": 1, \"prune\": \"asha\", \"factor\": 1}",
         "factor of a pruning rule must be from 2 to 1000, got 1"},
        {"{\"step\": 1, \"value\": 1, \"attempt\": 0}", "attempt must be"},
        {"{\"step\": 1, \"value\": 1, \"earlier_steps\": [0]}",
         "earlier_steps and earlier_values must be as long as each other, got 1 and 0"},
        {"{\"step\": 1, \"value\": 1, \"earlier_steps\": [-1], \"earlier_values\": [1]}",
         "earlier_steps[0] must be"},
        {"{\"step\": 1, \"value\": 1, \"earlier_steps\": [0], \"earlier_values\": [null]}",
         "earlier_values[0] must be"},
        {"{\"step\": 1, \"value\": 1, \"more\": 3}", "more"},
    };
    json_t *a;
    (void)served_one(s, "w", NULL);
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        int got = report(s, 0, rows[i].body, &a);
        if (got != 400)
            fail_msg("%s: %d", rows[i].body, got);
        assert_says(a, rows[i].part);
    }
    assert_int_equal(report(s, 9, "{\"step\": 1, \"value\": 1}", &a), 404);
    assert_says(a, "there is no trial 9; this study has 1");
}

/* What a study must not be told is refused by the coordinator, too, whatever its client does. */
static void studies_that_take_no_steps_say_so(void **state)
{
    served_world *s = *state;
    static const char *const rows[][3] = {
        {"r",
         "{\"name\": \"r\", \"direction\": \"minimize\", \"trials\": 5, \"space\": {\"x\": "
         "{\"type\": "
         "\"float\", \"low\": 0, \"high\": 1}}, \"privacy\": {\"unit\": \"record\", \"epsilon\": "
         "1, "
         "\"delta\": 1e-5, \"metric\": \"error\"}}",
         "study r protects validation records"},
        {"l",
         "{\"name\": \"l\", \"direction\": \"minimize\", \"trials\": 50, \"space\": {\"x\": "
         "{\"type\": "
         "\"float\", \"low\": 0, \"high\": 1}}, \"algorithm\": {\"name\": \"ldp-tgp\", "
         "\"epsilon\": "
         "1}}",
         "study l is told one private reply a trial"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        char path[64], client[64];
        json_t *a;
        world_create(&s->w, rows[i][0], rows[i][1]);
        snprintf(path, sizeof path, "/v1/studies/%s/tokens", rows[i][0]);
        served_token(&s->w, path, "{}", client);
        snprintf(path, sizeof path, "/v1/studies/%s/trials:suggest", rows[i][0]);
        assert_int_equal(world_call(&s->w, "POST", path, client, "{\"worker\": \"w\"}", &a), 200);
        json_decref(a);
        snprintf(path, sizeof path, "/v1/studies/%s/trials/0:report", rows[i][0]);
        int got = world_call(&s->w, "POST", path, client, "{\"step\": 1, \"value\": 1}", &a);
        assert_int_equal(got, 501); /* as every E_UNSUPPORTED */
        assert_says(a, rows[i][2]);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        IN_SERVED(a_report_is_answered_with_a_verdict),
        IN_SERVED(a_trial_is_pruned_once),
        IN_SERVED(the_same_again_adds_nothing),
        IN_SERVED(what_is_no_report_is_refused),
        IN_SERVED(studies_that_take_no_steps_say_so),
        IN_SERVED(a_worker_that_has_lost_its_trial_cuts_no_curve),
        IN_SERVED(records_are_told_with_noise),
        IN_SERVED(a_late_duplicate_cuts_no_curve),
        IN_SERVED(reports_that_come_together_are_judged_in_order),
        IN_SERVED(a_worker_that_comes_back_begins_its_curve_anew),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
