/* outsource_operator_test.c - an operator that has released rows searched: however often it sends them,
 * also after crashes and from many threads, one client's token of it is valid, and others keep theirs. */
#include "support/served_world.h"

#include "support/crash_store.h"
#include "wire/released_json.h"

#include <pthread.h>

enum { ROWS = 5, THREADS = 4, TIMES = 8 };

static char *body_of(const char *name)
{
    tacit_error err = {0};
    char *columns[] = {"income"};
    double values[ROWS];
    tc_text t = {0};
    for (size_t i = 0; i < ROWS; i++)
        values[i] = 0.25 + (double)i;
    tc_released r = {.name = "loans",
                     .mode = "paper",
                     .maximize = true,
                     .not_private = "a seed",
                     .statement = "none",
                     .input_sd = 0.25,
                     .ledger = "rows",
                     .head = {.seq = 1},
                     .rows = ROWS,
                     .cols = 1,
                     .columns = columns,
                     .values = values};
    assert_ok(tc_released_hash(&r, &r.release, &err));
    char *text = NULL;
    assert_ok(tacit_released_text(&r, &text, &err));
    tc_text_addf(&t, "{\"name\": \"%s\", \"trials\": 9, \"released\": ", name);
    tc_text_add(&t, text);
    tc_text_add(&t, "}");
    tc_free(text);
    assert_false(t.failed);
    return t.data;
}

/* token: the client's, if there is one. */
static int publish(coord_world *w, const char *bearer, const char *name, char token[64])
{
    json_t *a;
    char *body = body_of(name);
    int status = world_call(w, "POST", "/v1/studies:outsource", bearer, body, &a);
    tc_free(body);
    if (status < 300)
        snprintf(token, 64, "%s", world_text(a, "token"));
    json_decref(a);
    return status;
}

static bool is_valid(coord_world *w, const char *name, const char *token)
{
    char path[96];
    snprintf(path, sizeof path, "/v1/studies/%s", name);
    int status = world_call(w, "GET", path, token, NULL, NULL);
    assert_true(status == 200 || (status >= 401 && status <= 404));
    return status == 200;
}

static uint64_t tokens(coord_world *w)
{
    tacit_error err = {0};
    tc_record_range all = {.kind = TC_RECORD_TOKEN};
    uint64_t n;
    assert_ok(tc_store_record_count(w->store, &all, &n, &err));
    return n;
}

/* ---- one after the other ---- */

static void the_last_one_is_valid(void **state)
{
    coord_world *w = &((served_world *)*state)->w;
    char first[64], next[64];
    assert_int_equal(publish(w, w->operator_token, "loans", first), 201);
    uint64_t before = tokens(w);
    for (int i = 0; i < TIMES; i++) {
        assert_int_equal(publish(w, w->operator_token, "loans", next), 200);
        assert_string_not_equal(next, first);
        assert_false(is_valid(w, "loans", first));
        assert_true(is_valid(w, "loans", next));
        snprintf(first, sizeof first, "%s", next);
    }
    assert_int_equal(tokens(w), before);
}

/* Another study, another operator, a curator, and who was given a token by hand. */
static void others_keep_theirs(void **state)
{
    coord_world *w = &((served_world *)*state)->w;
    char curator[64], second[64], by_hand[64], mine[64], its[64], other[64], more[64];
    served_token(w, "/v1/tokens", "{\"role\": \"curator\"}", curator);
    served_token(w, "/v1/tokens", "{\"role\": \"operator\"}", second);
    assert_int_equal(publish(w, curator, "loans", its), 201);
    served_token(w, "/v1/studies/loans/tokens", "{}", by_hand);
    assert_int_equal(publish(w, second, "loans", other), 200);
    assert_int_equal(publish(w, w->operator_token, "more", more), 201);
    for (int i = 0; i < 2; i++)
        assert_int_equal(publish(w, w->operator_token, "loans", mine), 200);
    assert_true(is_valid(w, "loans", its));
    assert_true(is_valid(w, "loans", by_hand));
    assert_true(is_valid(w, "loans", other));
    assert_true(is_valid(w, "more", more));
    assert_int_equal(publish(w, curator, "loans", its), 200);
    assert_true(is_valid(w, "loans", mine));
}

/* A study that was erased and made again has nothing of the first. */
static void a_study_made_again_begins_anew(void **state)
{
    coord_world *w = &((served_world *)*state)->w;
    char former[64], now[64];
    const char *op = w->operator_token;
    assert_int_equal(publish(w, op, "loans", former), 201);
    assert_int_equal(world_call(w, "DELETE", "/v1/studies/loans", op, NULL, NULL), 200);
    assert_int_equal(publish(w, op, "loans", now), 201);
    assert_false(is_valid(w, "loans", former));
    assert_true(is_valid(w, "loans", now));
}

/* ---- at once ---- */

typedef struct sender {
    pthread_t thread;
    tc_coord *coord;
    const char *bearer, *body;
    int failures;
} sender;

static void *send_often(void *user)
{
    sender *s = user;
    for (int i = 0; i < TIMES; i++) {
        tc_response r = {0};
        tc_request q = {.method = "POST",
                        .path = "/v1/studies:outsource",
                        .bearer = s->bearer,
                        .body = s->body,
                        .n_body = strlen(s->body)};
        tc_coord_handle(s->coord, &q, &r);
        s->failures += r.status != 200;
        tc_response_fini(&r);
    }
    return NULL;
}

static void many_at_once_leave_one(void **state)
{
    coord_world *w = &((served_world *)*state)->w;
    char token[64], *body = body_of("loans");
    sender all[THREADS];
    assert_int_equal(publish(w, w->operator_token, "loans", token), 201);
    uint64_t before = tokens(w);
    for (int i = 0; i < THREADS; i++) {
        all[i] = (sender){.coord = w->coord, .bearer = w->operator_token, .body = body};
        assert_int_equal(pthread_create(&all[i].thread, NULL, send_often, &all[i]), 0);
    }
    for (int i = 0; i < THREADS; i++) {
        pthread_join(all[i].thread, NULL);
        assert_int_equal(all[i].failures, 0);
    }
    assert_int_equal(tokens(w), before);
    tc_free(body);
}

/* ---- crashes ---- */

static void a_crash_leaves_one(void **state)
{
    tacit_error err = {0};
    bool died = true;
    (void)state;
    for (uint64_t at = 1; died; at++)
        for (int after = 0; after < 2; after++) {
            static coord_world w;
            crash_store store;
            tc_store *disk;
            char token[64];
            w = (coord_world){.now_ms = 1000000};
            assert_ok(tc_store_open(&disk, "memory:", true, &err));
            crash_init(&store, disk);
            world_open(&w, &store.base, 7);
            assert_int_equal(publish(&w, w.operator_token, "loans", token), 201);
            uint64_t before = tokens(&w);
            store.at = store.writes + at;
            store.after = after;
            int status = publish(&w, w.operator_token, "loans", token);
            died = store.dead;
            assert_int_equal(status, died ? 500 : 200);
            tc_coord_free(w.coord);
            crash_restart(&store);
            world_open(&w, &store.base, 7);
            assert_int_equal(publish(&w, w.operator_token, "loans", token), 200);
            assert_true(is_valid(&w, "loans", token));
            assert_int_equal(tokens(&w), before);
            tc_coord_free(w.coord);
            crash_fini(&store);
        }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        IN_SERVED(the_last_one_is_valid),          IN_SERVED(others_keep_theirs),
        IN_SERVED(a_study_made_again_begins_anew), IN_SERVED(many_at_once_leave_one),
        cmocka_unit_test(a_crash_leaves_one),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
