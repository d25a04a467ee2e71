/* server_queue_test.c - a study that is at work for long, and many who wait for it: everybody else is
 * answered meanwhile, and they are in the end. The storage of the study "slow" stands still as long as the
 * test wants. */
#include "support/frozen_site.h"

#include "base/json.h"
#include "net/client.h"

enum {
    TRIALS = 400,
    WORKERS_MOST = 200,
    PLACES = 1 + 128 /* one is at work, the others wait */
};

/* Asks of study number 1 wait in its store. */
typedef struct busy_site {
    frozen_site f;
    atomic_int stuck; /* so many wait */
    atomic_int done;  /* workers that have their answer */
} busy_site;

static busy_site the_site;

static tacit_status stuck_append(tc_store *t, const tc_append *a, tc_event_id *end,
                                 tacit_error *err)
{
    if (a->study == 1 && a->events[0].kind == TC_EVENT_ASK) {
        atomic_fetch_add(&the_site.stuck, 1);
        frozen_wait(frozen_of(t));
    }
    return tc_store_append_id(frozen_disk(t), a, end, err);
}

/* 0: no answer */
static int call_as(busy_site *b, const char *token, const char *method, const char *path,
                   const char *body, tc_text *answer)
{
    tacit_error err = {0};
    tc_client *c;
    int status = 0;
    assert_ok(tc_client_new(&c, b->f.s.url, &(tc_client_opts){0}, &err));
    (void)tc_client_call(c,
                         &(tc_call){.method = method,
                                    .path = path,
                                    .bearer = token,
                                    .body = body,
                                    .n_body = body ? strlen(body) : 0},
                         &status, answer, &err);
    tc_client_free(c);
    return status;
}

static int call(busy_site *b, const char *method, const char *path, const char *body,
                tc_text *answer)
{
    return call_as(b, b->f.s.token, method, path, body, answer);
}

static int call_quietly(busy_site *b, const char *method, const char *path, const char *body)
{
    tc_text answer = {0};
    int status = call(b, method, path, body, &answer);
    tc_text_fini(&answer);
    return status;
}

static void make_study(busy_site *b, const char *name)
{
    char body[512];
    snprintf(body, sizeof body,
             "{\"document\": {\"name\": \"%s\", \"direction\": \"minimize\", \"trials\": %d,"
             " \"space\": {\"x\": {\"type\": \"float\", \"low\": 0, \"high\": 1}},"
             " \"algorithm\": \"random\"}}",
             name, TRIALS);
    assert_int_equal(call_quietly(b, "POST", "/v1/studies", body), 201);
}

static int open_busy(void **state)
{
    busy_site *b = &the_site;
    *b = (busy_site){.f.ops = crash_ops};
    b->f.ops.append = stuck_append;
    frozen_open(&b->f);
    make_study(b, "slow");
    make_study(b, "other");
    *state = b;
    return 0;
}

static int close_busy(void **state)
{
    frozen_close(&((busy_site *)*state)->f);
    return 0;
}

/* ---- workers ---- */

typedef struct worker {
    busy_site *site;
    pthread_t thread;
    const char *token;
    int i, status;
    int64_t trial;
} worker;

static void *ask(void *user)
{
    worker *w = user;
    char body[64];
    tc_text answer = {0};
    snprintf(body, sizeof body, "{\"worker\": \"w%d\", \"count\": 1}", w->i);
    w->status =
        call_as(w->site, w->token, "POST", "/v1/studies/slow/trials:suggest", body, &answer);
    json_t *j = json_loads(tc_text_get(&answer), 0, NULL);
    const json_t *t = json_array_get(json_object_get(j, "trials"), 0);
    w->trial = json_integer_value(json_object_get(t, "trial"));
    json_decref(j);
    tc_text_fini(&answer);
    atomic_fetch_add(&w->site->done, 1);
    return NULL;
}

static void start_as(busy_site *b, const char *token, worker *all, int n, int first)
{
    for (int i = 0; i < n; i++) {
        all[i] = (worker){.site = b, .token = token, .i = first + i};
        assert_int_equal(pthread_create(&all[i].thread, NULL, ask, &all[i]), 0);
    }
}

static void start(busy_site *b, worker *all, int n)
{
    start_as(b, b->f.s.token, all, n, 0);
    SITE_UNTIL(atomic_load(&b->stuck) > 0);
}

/* How many of them were answered so. */
static int join_all(worker *all, int n, int status)
{
    int found = 0;
    for (int i = 0; i < n; i++) {
        pthread_join(all[i].thread, NULL);
        found += all[i].status == status;
    }
    return found;
}

/* A client's, of one study. */
static void make_token(busy_site *b, const char *study, char out[64])
{
    char path[64];
    tc_text answer = {0};
    snprintf(path, sizeof path, "/v1/studies/%s/tokens", study);
    assert_int_equal(call(b, "POST", path, "{}", &answer), 201);
    json_t *j = json_loads(tc_text_get(&answer), 0, NULL);
    snprintf(out, 64, "%s", json_string_value(json_object_get(j, "token")));
    json_decref(j);
    tc_text_fini(&answer);
}

static void everybody_else_is_answered_meanwhile(void **state)
{
    busy_site *b = *state;
    enum { N = 40 };
    static worker all[N];
    bool seen[TRIALS] = {false};
    freeze(&b->f);
    start(b, all, N);
    for (int i = 0; i < 20; i++) { /* on both threads, whatever the order */
        assert_int_equal(call_quietly(b, "GET", "/healthz", NULL), 200);
        assert_int_equal(call_quietly(b, "GET", "/v1/studies", NULL), 200);
        assert_int_equal(
            call_quietly(b, "POST", "/v1/studies/other/trials:suggest", "{\"worker\": \"w\"}"),
            200);
    }
    assert_int_equal(atomic_load(&b->stuck), 1); /* one at a time is computed */
    thaw(&b->f);
    for (int i = 0; i < N; i++) {
        pthread_join(all[i].thread, NULL);
        assert_int_equal(all[i].status, 200);
        assert_false(seen[all[i].trial]);
        seen[all[i].trial] = true;
    }
}

/* As long as the study stands still nobody but those who are sent away has an answer. */
static void too_many_are_sent_away(void **state)
{
    busy_site *b = *state;
    static worker all[WORKERS_MOST];
    int given = 0, busy = 0;
    freeze(&b->f);
    start(b, all, WORKERS_MOST);
    SITE_UNTIL(atomic_load(&b->done) == WORKERS_MOST - PLACES);
    assert_int_equal(call_quietly(b, "GET", "/healthz", NULL), 200);
    assert_int_equal(
        call_quietly(b, "POST", "/v1/studies/slow/trials:suggest", "{\"worker\": \"v\"}"), 503);
    thaw(&b->f);
    for (int i = 0; i < WORKERS_MOST; i++) {
        pthread_join(all[i].thread, NULL);
        given += all[i].status == 200;
        busy += all[i].status == 503;
    }
    assert_int_equal(given, PLACES);
    assert_int_equal(busy, WORKERS_MOST - PLACES);
}

/* Whoever has a token of another study is refused before it takes a place, so that the study's own find one. */
static void another_study_takes_no_place(void **state)
{
    enum { N = 20, STRANGERS = PLACES + 20 };
    busy_site *b = *state;
    static worker own[N], strangers[STRANGERS];
    char other[64], slow[64];
    make_token(b, "other", other);
    make_token(b, "slow", slow);
    freeze(&b->f);
    start(b, own, 1);
    start_as(b, other, strangers, STRANGERS, 0);
    SITE_UNTIL(atomic_load(&b->done) == STRANGERS);
    assert_int_equal(join_all(strangers, STRANGERS, 403),
                     STRANGERS);          /* while the study is at work */
    start_as(b, slow, own + 1, N - 1, 1); /* while the study is at work */
    thaw(&b->f);
    assert_int_equal(join_all(own, N, 200), N);
}

/* One token has all places; another one of the same study gets as many as it needs, and the first loses them. */
static void a_token_that_waits_much_gives_way(void **state)
{
    enum { N = 20 };
    busy_site *b = *state;
    static worker greedy[PLACES], modest[N];
    char one[64], two[64];
    make_token(b, "slow", one);
    make_token(b, "slow", two);
    freeze(&b->f);
    start_as(b, one, greedy, 1, 0);
    SITE_UNTIL(atomic_load(&b->stuck) > 0);
    start_as(b, one, greedy + 1, PLACES - 1, 1);
    SITE_UNTIL(tc_queue_waiting(b->f.s.server->slow) == PLACES - 1);
    start_as(b, two, modest, N, PLACES);
    SITE_UNTIL(atomic_load(&b->done) == N); /* the greedy who lost their places */
    thaw(&b->f);
    assert_int_equal(join_all(modest, N, 200), N);
    assert_int_equal(join_all(greedy, PLACES, 200), PLACES - N);
}

/* What has begun is answered, and who waits is told; who has not arrived yet is not let in. */
static void a_server_that_stops_answers_all(void **state)
{
    busy_site *b = *state;
    enum { N = 8 };
    static worker all[N];
    freeze(&b->f);
    start(b, all, N);
    thaw(&b->f);
    site_stop(&b->f.s);
    int given = 0;
    for (int i = 0; i < N; i++) {
        pthread_join(all[i].thread, NULL);
        assert_true(all[i].status == 200 || all[i].status == 503 || all[i].status == 0);
        given += all[i].status == 200;
    }
    assert_true(given >= 1);
}

#define WHEN_BUSY(test) cmocka_unit_test_setup_teardown(test, open_busy, close_busy)

int main(void)
{
    const struct CMUnitTest tests[] = {
        WHEN_BUSY(everybody_else_is_answered_meanwhile),
        WHEN_BUSY(too_many_are_sent_away),
        WHEN_BUSY(another_study_takes_no_place),
        WHEN_BUSY(a_token_that_waits_much_gives_way),
        WHEN_BUSY(a_server_that_stops_answers_all),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
