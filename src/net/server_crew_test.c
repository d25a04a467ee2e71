/* server_crew_test.c - a study that is at work for long, and many who wait for it: everybody else is
 * answered meanwhile, and they are in the end. The storage of the study "slow" stands still as long as the
 * test wants. */
#include "support/crash_store.h"
#include "support/site.h"

#include "base/json.h"
#include "net/client.h"

#include <stdatomic.h>

enum {
    TRIALS = 400,
    WORKERS_MOST = 200,
    PLACES = 1 + 128 /* one is at work, the others wait */
};

/* Asks of study number 1 wait in it. */
typedef struct stuck_store {
    crash_store crash;
    pthread_mutex_t still; /* held by the test */
    atomic_int stuck;      /* so many wait */
} stuck_store;

typedef struct busy_site {
    site s;
    stuck_store store;
    tc_store_ops ops;
    atomic_int done; /* workers that have their answer */
} busy_site;

static tacit_status stuck_append(tc_store *t, const tc_append *a, uint64_t *head, tacit_error *err)
{
    stuck_store *s = (stuck_store *)t;
    if (a->study == 1 && a->events[0].kind == TC_EVENT_ASK) {
        atomic_fetch_add(&s->stuck, 1);
        pthread_mutex_lock(&s->still);
        pthread_mutex_unlock(&s->still);
    }
    return tc_store_append(s->crash.disk, a, head, err);
}

/* 0: no answer */
static int call(busy_site *b, const char *method, const char *path, const char *body,
                tc_text *answer)
{
    tacit_error err = {0};
    tc_client *c;
    int status = 0;
    assert_ok(tc_client_new(&c, b->s.url, NULL, &err));
    (void)tc_client_call(c,
                         &(tc_call){.method = method,
                                    .path = path,
                                    .bearer = b->s.token,
                                    .body = body,
                                    .n_body = body ? strlen(body) : 0},
                         &status, answer, &err);
    tc_client_free(c);
    return status;
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
    static busy_site b;
    tacit_error err = {0};
    tc_store *memory;
    b = (busy_site){.ops = crash_ops};
    assert_ok(tc_store_open(&memory, "memory:", true, &err));
    crash_init(&b.store.crash, memory);
    b.ops.append = stuck_append;
    b.store.crash.base.ops = &b.ops;
    pthread_mutex_init(&b.store.still, NULL);
    site_open_at(&b.s, &b.store.crash.base, (tc_server_config){0}, false);
    make_study(&b, "slow");
    make_study(&b, "other");
    *state = &b;
    return 0;
}

static int close_busy(void **state)
{
    busy_site *b = *state;
    site_end(&b->s);
    crash_fini(&b->store.crash);
    pthread_mutex_destroy(&b->store.still);
    return 0;
}

/* ---- workers ---- */

typedef struct worker {
    busy_site *site;
    pthread_t thread;
    int i, status;
    int64_t trial;
} worker;

static void *ask(void *user)
{
    worker *w = user;
    char body[64];
    tc_text answer = {0};
    snprintf(body, sizeof body, "{\"worker\": \"w%d\", \"count\": 1}", w->i);
    w->status = call(w->site, "POST", "/v1/studies/slow/trials:suggest", body, &answer);
    json_t *j = json_loads(tc_text_get(&answer), 0, NULL);
    const json_t *t = json_array_get(json_object_get(j, "trials"), 0);
    w->trial = json_integer_value(json_object_get(t, "trial"));
    json_decref(j);
    tc_text_fini(&answer);
    atomic_fetch_add(&w->site->done, 1);
    return NULL;
}

static void start(busy_site *b, worker *all, int n)
{
    for (int i = 0; i < n; i++) {
        all[i] = (worker){.site = b, .i = i};
        assert_int_equal(pthread_create(&all[i].thread, NULL, ask, &all[i]), 0);
    }
    SITE_UNTIL(atomic_load(&b->store.stuck) > 0);
}

static void everybody_else_is_answered_meanwhile(void **state)
{
    busy_site *b = *state;
    enum { N = 40 };
    static worker all[N];
    bool seen[TRIALS] = {false};
    pthread_mutex_lock(&b->store.still);
    start(b, all, N);
    for (int i = 0; i < 20; i++) { /* on both threads, whatever the order */
        assert_int_equal(call_quietly(b, "GET", "/healthz", NULL), 200);
        assert_int_equal(call_quietly(b, "GET", "/v1/studies", NULL), 200);
        assert_int_equal(
            call_quietly(b, "POST", "/v1/studies/other/trials:suggest", "{\"worker\": \"w\"}"),
            200);
    }
    assert_int_equal(atomic_load(&b->store.stuck), 1); /* one at a time is computed */
    pthread_mutex_unlock(&b->store.still);
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
    pthread_mutex_lock(&b->store.still);
    start(b, all, WORKERS_MOST);
    SITE_UNTIL(atomic_load(&b->done) == WORKERS_MOST - PLACES);
    assert_int_equal(call_quietly(b, "GET", "/healthz", NULL), 200);
    assert_int_equal(
        call_quietly(b, "POST", "/v1/studies/slow/trials:suggest", "{\"worker\": \"v\"}"), 503);
    pthread_mutex_unlock(&b->store.still);
    for (int i = 0; i < WORKERS_MOST; i++) {
        pthread_join(all[i].thread, NULL);
        given += all[i].status == 200;
        busy += all[i].status == 503;
    }
    assert_int_equal(given, PLACES);
    assert_int_equal(busy, WORKERS_MOST - PLACES);
}

/* What has begun is answered, and who waits is told; who has not arrived yet is not let in. */
static void a_server_that_stops_answers_all(void **state)
{
    busy_site *b = *state;
    enum { N = 8 };
    static worker all[N];
    pthread_mutex_lock(&b->store.still);
    start(b, all, N);
    pthread_mutex_unlock(&b->store.still);
    site_stop(&b->s);
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
        WHEN_BUSY(a_server_that_stops_answers_all),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
