/* server_crew_test.c - a study that is at work for long, and many who wait for it: everybody else is
 * answered meanwhile, and they are in the end. The storage of the study "slow" stands still as long as the
 * test wants. */
#include "support/crash_store.h"
#include "support/test.h"

#include "base/json.h"
#include "net/client.h"
#include "net/server.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <unistd.h>

enum { TRIALS = 400, WORKERS_MOST = 200 };

/* Asks of study number 1 wait in it. */
typedef struct stuck_store {
    crash_store crash;
    pthread_mutex_t still; /* held by the test */
    atomic_int stuck;      /* so many wait */
} stuck_store;

typedef struct site {
    stuck_store store;
    tc_store_ops ops;
    tc_coord *coord;
    tc_server *server;
    char url[64], token[64];
} site;

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
static int call(site *s, const char *method, const char *path, const char *body, tc_text *answer)
{
    tacit_error err = {0};
    tc_client *c;
    int status = 0;
    assert_ok(tc_client_new(&c, s->url, NULL, &err));
    (void)tc_client_call(c,
                         &(tc_call){.method = method,
                                    .path = path,
                                    .bearer = s->token,
                                    .body = body,
                                    .n_body = body ? strlen(body) : 0},
                         &status, answer, &err);
    tc_client_free(c);
    return status;
}

static int call_quietly(site *s, const char *method, const char *path, const char *body)
{
    tc_text answer = {0};
    int status = call(s, method, path, body, &answer);
    tc_text_fini(&answer);
    return status;
}

static void make_study(site *s, const char *name)
{
    char body[512];
    snprintf(body, sizeof body,
             "{\"document\": {\"name\": \"%s\", \"direction\": \"minimize\", \"trials\": %d,"
             " \"space\": {\"x\": {\"type\": \"float\", \"low\": 0, \"high\": 1}},"
             " \"algorithm\": \"random\"}}",
             name, TRIALS);
    assert_int_equal(call_quietly(s, "POST", "/v1/studies", body), 201);
}

static int open_site(void **state)
{
    static site s;
    tacit_error err = {0};
    tc_text token = {0};
    tc_store *memory;
    bool made;
    s = (site){.ops = crash_ops};
    assert_ok(tc_store_open(&memory, "memory:", true, &err));
    crash_init(&s.store.crash, memory);
    s.ops.append = stuck_append;
    s.store.crash.base.ops = &s.ops;
    pthread_mutex_init(&s.store.still, NULL);
    assert_ok(tc_coord_new(&s.coord, &(tc_coord_config){.store = &s.store.crash.base}, &err));
    assert_ok(tc_coord_operator_token(s.coord, &token, &made, &err));
    snprintf(s.token, sizeof s.token, "%s", tc_text_get(&token));
    tc_text_fini(&token);
    tc_server_config cfg = {.coord = s.coord, .listen = "127.0.0.1:0", .threads = 2};
    assert_ok(tc_server_start(&s.server, &cfg, &err));
    snprintf(s.url, sizeof s.url, "http://127.0.0.1:%u", tc_server_port(s.server));
    make_study(&s, "slow");
    make_study(&s, "other");
    *state = &s;
    return 0;
}

static int close_site(void **state)
{
    site *s = *state;
    tc_server_stop(s->server);
    tc_coord_free(s->coord);
    crash_fini(&s->store.crash);
    pthread_mutex_destroy(&s->store.still);
    return 0;
}

/* ---- workers ---- */

typedef struct worker {
    site *site;
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
    return NULL;
}

static void start(site *s, worker *all, int n)
{
    for (int i = 0; i < n; i++) {
        all[i] = (worker){.site = s, .i = i};
        assert_int_equal(pthread_create(&all[i].thread, NULL, ask, &all[i]), 0);
    }
    while (atomic_load(&s->store.stuck) == 0)
        usleep(1000);
}

static void everybody_else_is_answered_meanwhile(void **state)
{
    site *s = *state;
    enum { N = 40 };
    static worker all[N];
    bool seen[TRIALS] = {false};
    pthread_mutex_lock(&s->store.still);
    start(s, all, N);
    for (int i = 0; i < 20; i++) { /* on both threads, whatever the order */
        assert_int_equal(call_quietly(s, "GET", "/healthz", NULL), 200);
        assert_int_equal(call_quietly(s, "GET", "/v1/studies", NULL), 200);
        assert_int_equal(
            call_quietly(s, "POST", "/v1/studies/other/trials:suggest", "{\"worker\": \"w\"}"),
            200);
    }
    assert_int_equal(atomic_load(&s->store.stuck), 1); /* one at a time is computed */
    pthread_mutex_unlock(&s->store.still);
    for (int i = 0; i < N; i++) {
        pthread_join(all[i].thread, NULL);
        assert_int_equal(all[i].status, 200);
        assert_false(seen[all[i].trial]);
        seen[all[i].trial] = true;
    }
}

static void too_many_are_sent_away(void **state)
{
    site *s = *state;
    static worker all[WORKERS_MOST];
    int given = 0, busy = 0;
    pthread_mutex_lock(&s->store.still);
    start(s, all, WORKERS_MOST);
    for (int i = 0; i < 20; i++)
        assert_int_equal(call_quietly(s, "GET", "/healthz", NULL), 200);
    while (call_quietly(s, "POST", "/v1/studies/slow/trials:suggest", "{\"worker\": \"v\"}") != 503)
        usleep(1000);
    pthread_mutex_unlock(&s->store.still);
    for (int i = 0; i < WORKERS_MOST; i++) {
        pthread_join(all[i].thread, NULL);
        given += all[i].status == 200;
        busy += all[i].status == 503;
    }
    assert_int_equal(given + busy, WORKERS_MOST);
    assert_true(given >= 1 && busy >= 1);
}

/* What has begun is answered, and who waits is told; who has not arrived yet is not let in. */
static void a_server_that_stops_answers_all(void **state)
{
    site *s = *state;
    enum { N = 8 };
    static worker all[N];
    pthread_mutex_lock(&s->store.still);
    start(s, all, N);
    pthread_mutex_unlock(&s->store.still);
    tc_server_stop(s->server);
    s->server = NULL;
    int given = 0;
    for (int i = 0; i < N; i++) {
        pthread_join(all[i].thread, NULL);
        assert_true(all[i].status == 200 || all[i].status == 503 || all[i].status == 0);
        given += all[i].status == 200;
    }
    assert_true(given >= 1);
}

#define IN_SITE(test) cmocka_unit_test_setup_teardown(test, open_site, close_site)

int main(void)
{
    const struct CMUnitTest tests[] = {
        IN_SITE(everybody_else_is_answered_meanwhile),
        IN_SITE(too_many_are_sent_away),
        IN_SITE(a_server_that_stops_answers_all),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
