/* served_test.c - served studies over requests: what every route answers, and what it refuses. */
#include "support/served_world.h"

#include "coord/shape.h"

/* ---- asking and telling ---- */

static void a_worker_asks_and_tells(void **state)
{
    served_world *s = *state;
    tacit_error err = {0};
    json_t *a, *params;
    assert_int_equal(served_suggest(s, "gpu-1", 1, &a), 200);
    assert_ok(tc_shape_check(&tc_shape_suggested, a, &err));
    json_decref(a);
    assert_int_equal(served_one(s, "gpu-1", &params), 0); /* what it had: the same */
    assert_int_equal(served_complete(s, 0, "{\"value\": 0.1}", &a), 200);
    assert_ok(tc_shape_check(&tc_shape_trial_state, a, &err));
    assert_int_equal(served_whole(a, "trial"), 0);
    assert_string_equal(world_text(a, "state"), "COMPLETE");
    assert_same_bits(json_real_value(json_object_get(a, "value")), 0.1);
    json_decref(a);
    json_decref(params);
    assert_int_equal(served_one(s, "gpu-1", NULL), 1);
    assert_int_equal(served_one(s, "gpu-2", NULL), 2); /* another worker, another trial */
}

static void several_at_once_and_no_more_than_planned(void **state)
{
    served_world *s = *state;
    json_t *a;
    assert_int_equal(served_suggest(s, "a", 3, &a), 200);
    assert_int_equal(json_array_size(json_object_get(a, "trials")), 3);
    json_decref(a);
    assert_int_equal(served_suggest(s, "a", 5, &a), 200); /* its three, then two */
    for (size_t i = 0; i < 5; i++)
        assert_int_equal(served_whole(json_array_get(json_object_get(a, "trials"), i), "trial"), i);
    json_decref(a);
    assert_int_equal(served_suggest(s, "b", 100, &a), 200); /* what is left */
    assert_int_equal(json_array_size(json_object_get(a, "trials")), SERVED_TRIALS - 5);
    json_decref(a);
    assert_int_equal(served_suggest(s, "c", 1, &a), 410);
    assert_string_equal(world_text(a, "type"), "urn:tacit:problem:budget");
    assert_says(a, "all 8 trials that were planned are handed out or told");
    assert_int_equal(served_post(s, "/trials", "{\"params\": {\"x\": 0, \"opt\": \"sgd\"}}", &a),
                     410);
    json_decref(a);
}

static void a_report_is_taken_once(void **state)
{
    served_world *s = *state;
    json_t *a, *b;
    (void)served_one(s, "w", NULL);
    (void)served_one(s, "v", NULL);
    assert_int_equal(served_complete(s, 0, "{\"value\": 0.30000000000000004}", &a), 200);
    assert_int_equal(served_complete(s, 0, "{\"value\": 0.30000000000000004}", &b), 200);
    assert_true(json_equal(a, b));
    json_decref(a);
    json_decref(b);
    static const char *const others[] = {
        "{\"value\": 0.3}", "{\"failed\": \"oom\"}",
        "{\"value\": 0.30000000000000004, \"params\": {\"x\": 0, \"opt\": \"sgd\"}}"};
    for (size_t i = 0; i < sizeof others / sizeof *others; i++) {
        assert_int_equal(served_complete(s, 0, others[i], &a), 409);
        assert_says(a, "trial 0 was told already, and with another report");
    }
    assert_int_equal(served_complete(s, 1, "{\"failed\": \"out of memory\"}", &a), 200);
    assert_string_equal(world_text(a, "state"), "FAIL");
    assert_int_equal(served_complete(s, 1, "{\"failed\": \"out of memory\"}", &b), 200);
    assert_true(json_equal(a, b));
    json_decref(a);
    json_decref(b);
    assert_int_equal(served_complete(s, 1, "{\"failed\": \"other\"}", NULL), 409);
}

static void the_point_really_run(void **state)
{
    served_world *s = *state;
    json_t *a;
    const char body[] = "{\"value\": 2, \"params\": {\"x\": 0.125, \"opt\": \"sgd\"}}";
    (void)served_one(s, "w", NULL);
    assert_int_equal(served_complete(s, 0, body, NULL), 200);
    assert_int_equal(served_complete(s, 0, body, NULL), 200);
    assert_int_equal(served_get(s, "/best", NULL, &a), 200);
    assert_same_bits(json_real_value(json_object_get(json_object_get(a, "params"), "x")), 0.125);
    json_decref(a);
}

static void what_is_no_report_is_refused(void **state)
{
    served_world *s = *state;
    static const struct {
        const char *body;
        int status;
        const char *part;
    } rows[] = {
        {"{}", 400, "value"},
        {"{\"value\": 1, \"failed\": \"x\"}", 400, "value"},
        {"{\"value\": \"1\"}", 400, "value must be a number"},
        {"{\"values\": []}", 400, "at least one"},
        {"{\"values\": [1, 2]}", 400, "gp-ei takes one value for a trial"},
        {"{\"reply\": 1}", 400, "gp-ei is told values as they are"},
        {"{\"failed\": \"x\", \"params\": {\"x\": 0, \"opt\": \"sgd\"}}", 400, "goes with a value"},
        {"{\"value\": 1, \"params\": {\"x\": 9, \"opt\": \"sgd\"}}", 400, "x must be"},
        {"{\"value\": 1, \"params\": {\"x\": 0}}", 400, "opt is missing"},
        {"{\"value\": 1, \"more\": 1}", 400, "more"},
    };
    (void)served_one(s, "w", NULL);
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        json_t *a;
        int got = served_complete(s, 0, rows[i].body, &a);
        if (got != rows[i].status)
            fail_msg("%s: %d, not %d", rows[i].body, got, rows[i].status);
        assert_says(a, rows[i].part);
    }
    json_t *a;
    assert_int_equal(served_complete(s, 7, "{\"value\": 1}", &a), 404);
    assert_says(a, "there is no trial 7; this study has 1");
    assert_int_equal(served_post(s, "/trials/x:complete", "{\"value\": 1}", &a), 400);
    assert_says(a, "trial must be a whole number");
    assert_int_equal(served_value(s, 0, 1), 200); /* nothing of it did harm */
}

static void what_is_no_question_is_refused(void **state)
{
    served_world *s = *state;
    static const char *const rows[][2] = {
        {"{}", "worker"},
        {"{\"worker\": \"\"}", "worker"},
        {"{\"worker\": \"a\\nb\"}", "worker must be printable characters of ASCII, got byte 0x0a"},
        {"{\"worker\": \"w\", \"count\": 0}", "count"},
        {"{\"worker\": \"w\", \"count\": 1001}", "count"},
        {"{\"worker\": \"w\", \"lease_s\": 0}", "lease_s"},
        {"{\"worker\": \"w\", \"pulls\": -1}", "pulls"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        json_t *a;
        assert_int_equal(served_post(s, "/trials:suggest", rows[i][0], &a), 400);
        assert_says(a, rows[i][1]);
    }
}

/* ---- points of one's own ---- */

static void points_are_tried_first(void **state)
{
    served_world *s = *state;
    tacit_error err = {0};
    json_t *a, *params;
    assert_int_equal(served_post(s, "/trials", "{\"params\": {\"x\": 0.5, \"opt\": \"adam\"}}", &a),
                     201);
    assert_ok(tc_shape_check(&tc_shape_trial_state, a, &err));
    assert_int_equal(served_whole(a, "trial"), 0);
    assert_string_equal(world_text(a, "state"), "WAITING");
    json_decref(a);
    assert_int_equal(served_one(s, "w", &params), 0);
    assert_same_bits(json_number_value(json_object_get(params, "x")), 0.5);
    json_decref(params);
    assert_int_equal(served_post(s, "/trials", "{\"params\": {\"x\": 2, \"opt\": \"adam\"}}", &a),
                     400);
    assert_says(a, "x must be");
    assert_int_equal(served_post(s, "/trials", "{\"params\": {\"y\": 2}}", &a), 400);
    assert_says(a, "there is no parameter \"y\"");
}

/* ---- lists ---- */

static void trials_come_in_pages(void **state)
{
    served_world *s = *state;
    tacit_error err = {0};
    json_t *a;
    assert_int_equal(served_get(s, "/best", NULL, &a), 404);
    assert_says(a, "no trial of study \"t\" is complete yet");
    for (int i = 0; i < 5; i++)
        served_run(s, "w");
    (void)served_one(s, "w", NULL);
    assert_int_equal(served_get(s, "/trials", NULL, &a), 200);
    assert_ok(tc_shape_check(&tc_shape_trial_list, a, &err));
    assert_int_equal(json_array_size(json_object_get(a, "trials")), 6);
    assert_true(json_is_null(json_object_get(a, "next")));
    const json_t *first = json_array_get(json_object_get(a, "trials"), 0);
    assert_int_equal(served_whole(first, "started_ms"), 1000000);
    assert_string_equal(world_text(first, "worker"), "w");
    json_decref(a);
    size_t seen = 0;
    char query[64] = "limit=2";
    for (bool more = true; more;) {
        assert_int_equal(served_get(s, "/trials", query, &a), 200);
        const json_t *list = json_object_get(a, "trials");
        for (size_t i = 0; i < json_array_size(list); i++)
            assert_int_equal(served_whole(json_array_get(list, i), "trial"), seen++);
        more = json_is_integer(json_object_get(a, "next"));
        if (more)
            snprintf(query, sizeof query, "limit=2&after=%" PRId64, served_whole(a, "next"));
        json_decref(a);
    }
    assert_int_equal(seen, 6);
    assert_int_equal(served_get(s, "/trials", "state=RUNNING", &a), 200);
    assert_int_equal(json_array_size(json_object_get(a, "trials")), 1);
    json_decref(a);
    assert_int_equal(served_get(s, "/trials", "state=DEAD", NULL), 400);
    assert_int_equal(served_get(s, "/trials", "limit=0", NULL), 400);
    assert_int_equal(served_get(s, "/best", NULL, &a), 200);
    assert_ok(tc_shape_check(&tc_shape_trial, a, &err));
    json_decref(a);
    assert_int_equal(served_get(s, "/recommendation", NULL, &a), 200);
    assert_ok(tc_shape_check(&tc_shape_recommendation, a, &err));
    assert_string_equal(json_string_value(json_object_get(a, "by")), "seen");
    assert_true(json_is_null(json_object_get(a, "mean")));
    json_decref(a);
    assert_int_equal(served_get(s, "/recommendation", "by=seen", NULL), 200);
    assert_int_equal(served_get(s, "/recommendation", "by=released", NULL), 400);
    assert_int_equal(served_get(s, "/recommendation", "by=best", NULL), 400);
}

static void a_study_shows_where_it_stands(void **state)
{
    served_world *s = *state;
    tacit_error err = {0};
    json_t *a;
    served_run(s, "w");
    (void)served_one(s, "w", NULL);
    (void)served_one(s, "v", NULL);
    assert_int_equal(served_complete(s, 2, "{\"failed\": \"x\"}", NULL), 200);
    assert_int_equal(served_get(s, "", NULL, &a), 200);
    assert_ok(tc_shape_check(&tc_shape_study, a, &err));
    assert_int_equal(served_whole(a, "trials"), SERVED_TRIALS);
    assert_int_equal(served_whole(a, "complete"), 1);
    assert_int_equal(served_whole(a, "running"), 1);
    assert_int_equal(served_whole(a, "failed"), 1);
    assert_null(json_object_get(a, "agents"));
    assert_int_equal(json_integer_value(json_object_get(json_object_get(a, "options"), "init")), 3);
    json_decref(a);
}

/* ---- pause, close, erase ---- */

static void turn(served_world *s, const char *verb, int status)
{
    char path[64];
    snprintf(path, sizeof path, "/v1/studies/t:%s", verb);
    assert_int_equal(world_call(&s->w, "POST", path, s->w.operator_token, NULL, NULL), status);
}

static void a_paused_study_ends_what_has_begun(void **state)
{
    served_world *s = *state;
    json_t *a;
    (void)served_one(s, "w", NULL);
    (void)served_one(s, "v", NULL);
    turn(s, "pause", 200);
    assert_int_equal(served_suggest(s, "w", 1, &a), 409);
    assert_says(a, "the study is paused");
    assert_int_equal(
        served_post(s, "/trials/0:heartbeat", "{\"worker\": \"w\", \"lease_s\": 9}", NULL), 200);
    assert_int_equal(served_post(s, "/trials", "{\"params\": {\"x\": 0, \"opt\": \"sgd\"}}", NULL),
                     409);
    assert_int_equal(served_value(s, 0, 1), 200);
    turn(s, "resume", 200);
    assert_int_equal(served_one(s, "w", NULL), 2);
    turn(s, "close", 200);
    assert_int_equal(served_complete(s, 1, "{\"value\": 1}", &a), 409);
    assert_says(a, "the study is closed");
    assert_int_equal(served_post(s, "/trials/1:heartbeat", "{\"worker\": \"v\"}", NULL), 409);
    assert_int_equal(served_suggest(s, "w", 1, NULL), 409);
    assert_int_equal(served_value(s, 0, 1), 200); /* told before: the same answer */
    assert_int_equal(served_get(s, "/best", NULL, NULL), 200);
    turn(s, "resume", 409);
}

static void an_erased_study_is_gone(void **state)
{
    served_world *s = *state;
    const char *op = s->w.operator_token;
    json_t *a;
    served_run(s, "w");
    assert_int_equal(world_call(&s->w, "DELETE", "/v1/studies/t", op, NULL, NULL), 200);
    world_tick(&s->w);
    assert_int_equal(served_suggest(s, "w", 1, &a), 403); /* not even whether it exists */
    assert_says(a, "the token is for another study");
    assert_int_equal(world_call(&s->w, "GET", "/v1/studies/t/trials", op, NULL, NULL), 404);
    world_create(&s->w, "t", served_document);
    assert_int_equal(served_suggest(s, "w", 1, &a), 403); /* another study of the same name */
    json_decref(a);
    served_token(&s->w, "/v1/studies/t/tokens", "{\"expires_s\": 5}", s->client);
    assert_int_equal(served_one(s, "w", NULL), 0);
    s->w.now_ms += 5000;
    assert_int_equal(served_suggest(s, "w", 1, NULL), 401);
}

/* ---- batches ---- */

static void a_batch_is_told_as_a_whole(void **state)
{
    served_world *s = *state;
    const char *op = s->w.operator_token;
    json_t *a, *b;
    world_create(&s->w, "b",
                 "{\"name\": \"b\", \"direction\": \"minimize\", \"trials\": 2000, \"seed\": 5,"
                 " \"space\": {\"x\": {\"type\": \"float\", \"low\": -1, \"high\": 1}},"
                 " \"algorithm\": {\"name\": \"blin\", \"low\": -4, \"high\": 0}}");
    assert_int_equal(world_call(&s->w, "POST", "/v1/studies/b/trials:suggest", op,
                                "{\"worker\": \"w\", \"pulls\": 4}", &a),
                     200);
    const json_t *t = json_array_get(json_object_get(a, "trials"), 0);
    assert_int_equal(served_whole(t, "pulls"), 4);
    json_decref(a);
    const char path[] = "/v1/studies/b/trials/0:complete";
    assert_int_equal(world_call(&s->w, "POST", path, op, "{\"values\": [1, 2, 3, 1, 2]}", &a), 400);
    assert_says(a, "pulls must be in 1..4");
    assert_int_equal(world_call(&s->w, "POST", path, op, "{\"values\": [1, 2, 3]}", &a), 200);
    assert_close(json_number_value(json_object_get(a, "value")), 2, 1e-6);
    assert_int_equal(world_call(&s->w, "POST", path, op, "{\"values\": [3, 1, 2]}", &b), 200);
    assert_true(json_equal(a, b)); /* sums do not know an order */
    json_decref(a);
    json_decref(b);
    assert_int_equal(world_call(&s->w, "POST", path, op, "{\"values\": [2, 2, 2]}", NULL), 409);
    assert_int_equal(world_call(&s->w, "GET", "/v1/studies/b/trials", op, NULL, &a), 200);
    assert_int_equal(served_whole(json_array_get(json_object_get(a, "trials"), 0), "pulls"), 3);
    json_decref(a);
}

/* ---- large bodies ---- */

/* `first`, then n times `part`, then `last`; for tc_free. */
static char *large(const char *first, const char *part, size_t n, const char *last)
{
    size_t k = strlen(part), at = strlen(first);
    char *body = tc_alloc(at + n * k + strlen(last) + 1, 1);
    assert_non_null(body);
    memcpy(body, first, at);
    for (size_t i = 0; i < n; i++, at += k)
        memcpy(body + at, part, k);
    memcpy(body + at, last, strlen(last));
    return body;
}

static void refused_before_it_is_parsed(served_world *s, const char *what, char *body,
                                        const char *why)
{
    json_t *a;
    assert_int_equal(served_post(s, what, body, &a), 400);
    assert_says(a, why);
    tc_free(body);
}

static void no_route_parses_what_makes_no_sense(void **state)
{
    served_world *s = *state;
    (void)served_one(s, "w", NULL);
    const char report[] = "the body has more parts than a point or a report has: allowed are 16 "
                          "lists and objects with 200000 commas";
    refused_before_it_is_parsed(s, "/trials/0:complete",
                                large("{\"value\": 1, \"params\": [{}", ",{}", 100, "]}"), report);
    refused_before_it_is_parsed(s, "/trials/0:complete",
                                large("{\"values\": [1", ",1", 200001, "]}"), report);
    refused_before_it_is_parsed(s, "/trials", large("{\"params\": {\"x\": [", "[", 17, "]}}"),
                                report);
    refused_before_it_is_parsed(s, "/trials/0:complete", large("{", "\"a\":", 200017, "1}"),
                                report);
    refused_before_it_is_parsed(s, "/trials:suggest",
                                large("{\"worker\": \"w\"", ",\"a\":1", 65, "}"),
                                "the body has more parts than a request like this has");
    char *text = large("{\"failed\": \"", "{[,:\\\"", 600, "\"}"); /* in a text it is no part */
    assert_int_equal(served_complete(s, 0, text, NULL), 200);
    tc_free(text);
    char *many = large("{\"values\": [1", ",1", 100000, "]}"); /* what a batch may have */
    json_t *a;
    assert_int_equal(served_post(s, "/trials/0:complete", many, &a), 400);
    assert_says(a, "gp-ei takes one value for a trial");
    tc_free(many);
}

/* A million commas cost 64 MB and more: such bodies come one after another, not together. What was
 * reserved is given back, also by those that fail. */
static void large_bodies_give_their_room_back(void **state)
{
    served_world *s = *state;
    const char *op = s->w.operator_token;
    for (int i = 0; i < 5; i++) {
        char *body = large("{\"document\": {\"points\": [1", ",1", 999000, "]}}");
        json_t *a;
        assert_int_equal(world_call(&s->w, "POST", "/v1/studies", op, body, &a), 400);
        json_decref(a);
        tc_free(body);
    }
}

/* ---- long answers ---- */

/* A space whose points take 50 KB each: one of two words of 250 bytes for each of 200 parameters. */
static char *wide_study(void)
{
    tc_text t = {0};
    char word[251];
    memset(word, 'w', 250);
    word[250] = 0;
    tc_text_add(&t,
                "{\"document\": {\"name\": \"wide\", \"direction\": \"minimize\", \"trials\": 170,"
                " \"algorithm\": \"random\", \"space\": {");
    for (int i = 0; i < 200; i++)
        tc_text_addf(&t, "%s\"p%d\": {\"type\": \"choice\", \"choices\": [\"a%s\", \"b%s\"]}",
                     i ? "," : "", i, word, word);
    tc_text_add(&t, "}}}");
    return tc_text_take(&t);
}

static void answers_have_a_length(void **state)
{
    served_world *s = *state;
    const char *op = s->w.operator_token;
    char *body = wide_study(), query[64] = "limit=1000";
    size_t given = 0, listed = 0, pages = 0, asks = 0;
    json_t *a;
    assert_int_equal(world_call(&s->w, "POST", "/v1/studies", op, body, NULL), 201);
    tc_free(body);
    for (; given < 170; asks++) {
        char ask[64];
        snprintf(ask, sizeof ask, "{\"worker\": \"w%zu\", \"count\": 1000}", asks);
        assert_int_equal(world_call(&s->w, "POST", "/v1/studies/wide/trials:suggest", op, ask, &a),
                         200);
        given += json_array_size(json_object_get(a, "trials"));
        json_decref(a);
    }
    assert_int_equal(given, 170);
    assert_true(asks > 1);
    for (bool more = true; more; pages++) {
        tc_request q = {
            .method = "GET", .path = "/v1/studies/wide/trials", .query = query, .bearer = op};
        assert_int_equal(world_request(&s->w, &q, &a), 200);
        listed += json_array_size(json_object_get(a, "trials"));
        more = !json_is_null(json_object_get(a, "next"));
        if (more)
            snprintf(query, sizeof query, "limit=1000&after=%" PRId64, served_whole(a, "next"));
        json_decref(a);
    }
    assert_int_equal(listed, 170);
    assert_true(pages > 1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        IN_SERVED(a_worker_asks_and_tells),
        IN_SERVED(several_at_once_and_no_more_than_planned),
        IN_SERVED(a_report_is_taken_once),
        IN_SERVED(the_point_really_run),
        IN_SERVED(what_is_no_report_is_refused),
        IN_SERVED(what_is_no_question_is_refused),
        IN_SERVED(points_are_tried_first),
        IN_SERVED(trials_come_in_pages),
        IN_SERVED(a_study_shows_where_it_stands),
        IN_SERVED(a_paused_study_ends_what_has_begun),
        IN_SERVED(an_erased_study_is_gone),
        IN_SERVED(a_batch_is_told_as_a_whole),
        IN_SERVED(no_route_parses_what_makes_no_sense),
        IN_SERVED(large_bodies_give_their_room_back),
        IN_SERVED(answers_have_a_length),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
