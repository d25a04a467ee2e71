/* served_lease_test.c - who has a trial of a served study, and how long: leases, heartbeats, trials that
 * change hands or are taken back, and how little of it is written down. */
#include "support/journal_end.h"
#include "support/served_world.h"

/* ---- leases ---- */

static void a_dead_worker_loses_its_trial(void **state)
{
    served_world *s = *state;
    tacit_error err = {0};
    int64_t next;
    json_t *a;
    assert_int_equal(served_one(s, "dead", NULL), 0);
    assert_ok(tc_coord_tick(s->w.coord, &next, &err));
    assert_int_equal(next, 1000000 + 60001);
    s->w.now_ms += 60000;
    world_tick(&s->w);
    assert_state(s, 0, "RUNNING");
    s->w.now_ms += 1;
    world_tick(&s->w);
    assert_state(s, 0, "STALE");
    assert_int_equal(served_one(s, "alive", NULL), 0);
    assert_int_equal(served_one(s, "dead", NULL), 1); /* it has none any more */
    /* The first report counts, also a late one. */
    assert_int_equal(served_value(s, 0, 2), 200);
    assert_int_equal(served_complete(s, 0, "{\"value\": 3}", &a), 409);
    json_decref(a);
}

static void without_a_tick_an_ask_finds_it(void **state)
{
    served_world *s = *state;
    assert_int_equal(served_one(s, "dead", NULL), 0);
    s->w.now_ms += 60001;
    assert_int_equal(served_one(s, "alive", NULL), 0);
}

static int heartbeat(served_world *s, const char *worker, int lease_s, json_t **answer)
{
    char body[96];
    snprintf(body, sizeof body, "{\"worker\": \"%s\", \"lease_s\": %d}", worker, lease_s);
    return served_post(s, "/trials/0:heartbeat", body, answer);
}

static void who_lives_keeps_it(void **state)
{
    served_world *s = *state;
    json_t *a;
    assert_int_equal(served_one(s, "w", NULL), 0);
    s->w.now_ms += 30000;
    assert_int_equal(heartbeat(s, "w", 60, &a), 200);
    assert_int_equal(served_whole(a, "lease_until_ms"), 1090000);
    json_decref(a);
    assert_int_equal(heartbeat(s, "w", 1, &a), 200); /* never sooner than it was */
    assert_int_equal(served_whole(a, "lease_until_ms"), 1090000);
    json_decref(a);
    s->w.now_ms = 1090000;
    world_tick(&s->w);
    assert_state(s, 0, "RUNNING");
    assert_int_equal(served_get(s, "/trials", NULL, &a), 200);
    assert_int_equal(served_whole(json_array_get(json_object_get(a, "trials"), 0), "started_ms"),
                     1000000);
    json_decref(a);
    assert_int_equal(heartbeat(s, "thief", 60, &a), 409);
    assert_says(a, "trial 0 is not run by \"thief\"");
    s->w.now_ms += 1;
    world_tick(&s->w);
    assert_int_equal(heartbeat(s, "w", 60, &a), 409);
    assert_says(a, "trial 0 is not running, it is STALE");
    assert_int_equal(served_post(s, "/trials/5:heartbeat", "{\"worker\": \"w\"}", &a), 404);
    json_decref(a);
    assert_int_equal(served_post(s, "/trials/0:heartbeat", "{\"lease_s\": 1}", &a), 400);
    assert_says(a, "worker");
}

static void who_asks_again_has_its_whole_time_again(void **state)
{
    served_world *s = *state;
    assert_int_equal(served_one(s, "w", NULL), 0);
    s->w.now_ms += 60001; /* over, and nobody has seen it */
    assert_int_equal(served_one(s, "w", NULL), 0);
    s->w.now_ms += 60000;
    world_tick(&s->w);
    assert_state(s, 0, "RUNNING");
}

/* ---- taking over ---- */

static int take_over(served_world *s, const char *worker, const char *from, int trial,
                     json_t **answer)
{
    char body[160];
    snprintf(body, sizeof body,
             "{\"worker\": \"%s\", \"from\": \"%s\", \"trial\": %d, \"lease_s\": 60}", worker, from,
             trial);
    return served_post(s, "/trials:suggest", body, answer);
}

static void a_trial_changes_hands(void **state)
{
    served_world *s = *state;
    json_t *a, *params;
    assert_int_equal(served_one(s, "w1", &params), 0);
    assert_int_equal(served_one(s, "other", NULL), 1);
    s->w.now_ms += 30000;
    for (int again = 0; again < 2; again++) { /* also where the answer was lost */
        assert_int_equal(take_over(s, "w2", "w1", 0, &a), 200);
        const json_t *list = json_object_get(a, "trials");
        assert_int_equal(json_array_size(list), 1);
        assert_int_equal(served_whole(json_array_get(list, 0), "trial"), 0);
        assert_true(json_equal(json_object_get(json_array_get(list, 0), "params"), params));
        json_decref(a);
    }
    json_decref(params);
    assert_int_equal(take_over(s, "w3", "w1", 0, &a), 409); /* somebody else was first */
    assert_says(a, "trial 0 is run by w2, not by w1");
    assert_int_equal(heartbeat(s, "w1", 60, &a), 409);
    assert_says(a, "trial 0 is not run by \"w1\"");
    assert_int_equal(served_one(s, "w2", NULL), 0); /* it is in its name now */
    s->w.now_ms += 60000;                           /* and has its whole time */
    world_tick(&s->w);
    assert_state(s, 0, "RUNNING");
    assert_int_equal(served_value(s, 0, 1), 200);
    assert_int_equal(take_over(s, "w1", "w2", 0, &a), 409);
    assert_says(a, "trial 0 is not running, it is COMPLETE");
    assert_int_equal(take_over(s, "w2", "w1", 7, &a), 404);
    assert_says(a, "there is no trial 7; this study has 2");
}

static void whose_and_which_come_together(void **state)
{
    served_world *s = *state;
    json_t *a;
    assert_int_equal(served_post(s, "/trials:suggest", "{\"worker\": \"b\", \"from\": \"a\"}", &a),
                     400);
    assert_says(a, "from and trial come together: whose trial, and which one");
    assert_int_equal(served_post(s, "/trials:suggest", "{\"worker\": \"b\", \"trial\": 0}", &a),
                     400);
    assert_says(a, "from and trial come together");
    assert_int_equal(take_over(s, "b", "a\\t", 0, &a), 400);
    assert_says(a, "from must be printable characters of ASCII, got byte 0x09 at 2");
}

/* Two workers that pass a trial to and fro would fill the journal. */
static void take_overs_have_a_measure(void **state)
{
    served_world *s = *state;
    json_t *a;
    int n = 0;
    assert_int_equal(served_one(s, "a", NULL), 0);
    while (take_over(s, n % 2 ? "a" : "b", n % 2 ? "b" : "a", 0, &a) == 200) {
        json_decref(a);
        n++;
    }
    assert_int_equal(n, 100);
    assert_string_equal(world_text(a, "type"), "urn:tacit:problem:busy");
    assert_says(a, "too many trials of study \"t\" were taken over just now");
    s->w.now_ms += 1000;
    assert_int_equal(take_over(s, "b", "a", 0, NULL), 200);
    assert_int_equal(take_over(s, "a", "b", 0, NULL), 503);
    s->w.now_ms -= 10000000; /* the clock was wrong: nobody waits until it is as late again */
    assert_int_equal(take_over(s, "a", "b", 0, NULL), 200);
    assert_int_equal(take_over(s, "b", "a", 0, NULL), 503);
    s->w.now_ms += 1000;
    assert_int_equal(take_over(s, "b", "a", 0, NULL), 200);
}

/* ---- taken back ---- */

static void an_operator_takes_a_trial_back(void **state)
{
    served_world *s = *state;
    const char *path = "/v1/studies/t/trials/0:release", *op = s->w.operator_token;
    json_t *a;
    assert_int_equal(
        served_post(s, "/trials:suggest", "{\"worker\": \"w\", \"lease_s\": 2592000}", NULL), 200);
    assert_int_equal(
        served_post(s, "/trials:suggest", "{\"worker\": \"w\", \"lease_s\": 2592001}", &a), 400);
    assert_says(a, "lease_s must be a number in [1, 2592000]");
    assert_int_equal(world_call(&s->w, "POST", path, s->client, NULL, NULL), 403);
    for (int again = 0; again < 2; again++) {
        assert_int_equal(world_call(&s->w, "POST", path, op, NULL, &a), 200);
        assert_string_equal(world_text(a, "state"), "STALE");
        json_decref(a);
    }
    assert_int_equal(served_one(s, "v", NULL), 0);
    assert_int_equal(served_value(s, 0, 1), 200);
    assert_int_equal(world_call(&s->w, "POST", path, op, NULL, &a), 409);
    assert_says(a, "trial 0 is not running, it is COMPLETE");
}

static void an_operator_deletes_a_failed_trial(void **state)
{
    served_world *s = *state;
    const char *path = "/v1/studies/t/trials/0", *op = s->w.operator_token;
    json_t *a;
    assert_int_equal(served_one(s, "w", NULL), 0);
    assert_int_equal(world_call(&s->w, "DELETE", path, op, NULL, &a), 409);
    assert_says(a, "trial 0 is RUNNING, and only a failed trial can be deleted");
    assert_int_equal(served_complete(s, 0, "{\"failed\": \"no power\"}", NULL), 200);
    assert_int_equal(world_call(&s->w, "DELETE", path, s->client, NULL, NULL), 403);
    for (int again = 0; again < 2; again++) {
        assert_int_equal(world_call(&s->w, "DELETE", path, op, NULL, &a), 200);
        assert_string_equal(world_text(a, "state"), "DELETED");
        assert_int_equal(served_whole(a, "trial"), 0);
        json_decref(a);
    }
    assert_int_equal(world_call(&s->w, "DELETE", "/v1/studies/t/trials/7", op, NULL, &a), 404);
    assert_says(a, "there is no trial 7; this study has 1");
    assert_int_equal(world_call(&s->w, "GET", "/v1/studies/t/trials", op, NULL, &a), 200);
    assert_int_equal(json_array_size(json_object_get(a, "trials")), 0);
    json_decref(a);
    assert_int_equal(served_get(s, "/trials", "state=DELETED", &a), 200);
    const json_t *list = json_object_get(a, "trials");
    assert_int_equal(json_array_size(list), 1);
    assert_string_equal(world_text(json_array_get(list, 0), "reason"), "no power");
    json_decref(a);
    assert_int_equal(world_call(&s->w, "GET", "/v1/studies/t", op, NULL, &a), 200);
    assert_int_equal(served_whole(a, "failed"), 0);
    json_decref(a);
    assert_int_equal(served_one(s, "w", NULL), 1);
    assert_int_equal(served_complete(s, 0, "{\"failed\": \"no power\"}", NULL), 200); /* again */
    assert_int_equal(served_value(s, 0, 2), 409);
}

/* A plan that failed trials have used up has room again. */
static void what_is_deleted_can_be_planned_again(void **state)
{
    served_world *s = *state;
    const char *op = s->w.operator_token;
    char path[64];
    int trial = 0;
    while (served_suggest(s, "w", 1, NULL) == 200) {
        assert_int_equal(served_complete(s, trial, "{\"failed\": \"no power\"}", NULL), 200);
        trial++;
    }
    assert_int_equal(trial, 8);
    for (int i = 0; i < 2; i++) {
        snprintf(path, sizeof path, "/v1/studies/t/trials/%d", i);
        assert_int_equal(world_call(&s->w, "DELETE", path, op, NULL, NULL), 200);
    }
    assert_int_equal(served_one(s, "w", NULL), trial);
    assert_int_equal(served_one(s, "v", NULL), trial + 1);
    assert_true(served_suggest(s, "u", 1, NULL) != 200);
}

/* Who asks as often as it can, for as short as it can, writes a few events a trial in the time of its
 * shortest lease. */
static void short_leases_fill_no_journal(void **state)
{
    served_world *s = *state;
    tacit_error err = {0};
    uint64_t first = 0, last = 0;
    const char body[] = "{\"worker\": \"w\", \"count\": 8, \"lease_s\": 1}";
    assert_int_equal(served_post(s, "/trials:suggest", body, NULL), 200);
    assert_ok(journal_end(s->w.store, 1, &first, &err));
    for (int i = 0; i < 200; i++) { /* ten seconds */
        s->w.now_ms += 50;
        assert_int_equal(served_post(s, "/trials:suggest", body, NULL), 200);
        assert_int_equal(heartbeat(s, "w", 1 + i, NULL), 200);
    }
    assert_ok(journal_end(s->w.store, 1, &last, &err));
    assert_true(last - first <= 8 * 2 * 4 + 60); /* with the growing ones of trial 0 */
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        IN_SERVED(a_dead_worker_loses_its_trial),
        IN_SERVED(without_a_tick_an_ask_finds_it),
        IN_SERVED(who_lives_keeps_it),
        IN_SERVED(who_asks_again_has_its_whole_time_again),
        IN_SERVED(a_trial_changes_hands),
        IN_SERVED(whose_and_which_come_together),
        IN_SERVED(take_overs_have_a_measure),
        IN_SERVED(an_operator_takes_a_trial_back),
        IN_SERVED(an_operator_deletes_a_failed_trial),
        IN_SERVED(what_is_deleted_can_be_planned_again),
        IN_SERVED(short_leases_fill_no_journal),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
