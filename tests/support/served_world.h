/* served_world.h - a coordinator with one served study and a client's token, for tests. */
#ifndef TEST_SERVED_WORLD_H
#define TEST_SERVED_WORLD_H

#include "support/coord_world.h"

enum { SERVED_TRIALS = 8 };

static const char served_document[] =
    "{\"name\": \"t\", \"direction\": \"minimize\", \"trials\": 8, \"seed\": 7,"
    " \"space\": {\"x\": {\"type\": \"float\", \"low\": -1, \"high\": 1},"
    "             \"opt\": {\"type\": \"choice\", \"choices\": [\"adam\", \"sgd\"]}},"
    " \"algorithm\": {\"name\": \"gp-ei\", \"init\": 3}}";

typedef struct served_world {
    coord_world w;
    char client[64];
} served_world;

/* A token that POST `path` makes. */
static inline void served_token(coord_world *w, const char *path, const char *body, char out[64])
{
    json_t *a;
    assert_int_equal(world_call(w, "POST", path, w->operator_token, body, &a), 201);
    snprintf(out, 64, "%s", world_text(a, "token"));
    json_decref(a);
}

static inline void served_start(served_world *s, tc_store *store, const char *document)
{
    s->w = (coord_world){.now_ms = 1000000};
    world_open(&s->w, store, 7);
    world_create(&s->w, "t", document);
    served_token(&s->w, "/v1/studies/t/tokens", "{}", s->client);
}

static inline int served_open(void **state)
{
    tacit_error err = {0};
    static served_world s;
    tc_store *store;
    assert_ok(tc_store_open(&store, "memory:", true, &err));
    served_start(&s, store, served_document);
    *state = &s;
    return 0;
}

static inline int served_close(void **state)
{
    served_world *s = *state;
    world_close(&s->w);
    return 0;
}

#define IN_SERVED(test) cmocka_unit_test_setup_teardown(test, served_open, served_close)

/* ---- requests of a client ---- */

static inline int served_post(served_world *s, const char *what, const char *body, json_t **answer)
{
    char path[160];
    snprintf(path, sizeof path, "/v1/studies/t%s", what);
    return world_call(&s->w, "POST", path, s->client, body, answer);
}

static inline int served_get(served_world *s, const char *what, const char *query, json_t **answer)
{
    char path[160];
    snprintf(path, sizeof path, "/v1/studies/t%s", what);
    tc_request q = {.method = "GET", .path = path, .query = query, .bearer = s->client};
    return world_request(&s->w, &q, answer);
}

static inline int served_suggest(served_world *s, const char *worker, int count, json_t **answer)
{
    char body[128];
    snprintf(body, sizeof body, "{\"worker\": \"%s\", \"count\": %d, \"lease_s\": 60}", worker,
             count);
    return served_post(s, "/trials:suggest", body, answer);
}

static inline int64_t served_whole(const json_t *j, const char *key)
{
    const json_t *v = json_object_get(j, key);
    assert_true(json_is_integer(v));
    return json_integer_value(v);
}

/* The number of the one trial that is suggested; *params (may be NULL) is for json_decref. */
static inline int64_t served_one(served_world *s, const char *worker, json_t **params)
{
    json_t *a;
    assert_int_equal(served_suggest(s, worker, 1, &a), 200);
    const json_t *list = json_object_get(a, "trials");
    assert_int_equal(json_array_size(list), 1);
    const json_t *t = json_array_get(list, 0);
    int64_t number = served_whole(t, "trial");
    if (params)
        *params = json_incref(json_object_get(t, "params"));
    json_decref(a);
    return number;
}

static inline int served_complete(served_world *s, int64_t trial, const char *body, json_t **answer)
{
    char what[64];
    snprintf(what, sizeof what, "/trials/%" PRId64 ":complete", trial);
    return served_post(s, what, body, answer);
}

static inline int served_value(served_world *s, int64_t trial, double value)
{
    char body[64];
    snprintf(body, sizeof body, "{\"value\": %.17g}", value);
    return served_complete(s, trial, body, NULL);
}

/* Something to minimise. */
static inline double served_objective(const json_t *params)
{
    double x = json_number_value(json_object_get(params, "x"));
    bool adam = strcmp(world_text(params, "opt"), "adam") == 0;
    return (x - 0.3) * (x - 0.3) + (adam ? 0 : 0.2);
}

static inline void served_run(served_world *s, const char *worker)
{
    json_t *params;
    int64_t trial = served_one(s, worker, &params);
    assert_int_equal(served_value(s, trial, served_objective(params)), 200);
    json_decref(params);
}

static inline void assert_state(served_world *s, size_t trial, const char *want)
{
    json_t *a;
    assert_int_equal(served_get(s, "/trials", NULL, &a), 200);
    assert_string_equal(world_text(json_array_get(json_object_get(a, "trials"), trial), "state"),
                        want);
    json_decref(a);
}

static inline void assert_says(json_t *answer, const char *part)
{
    const char *detail = world_text(answer, "detail");
    if (!strstr(detail, part))
        fail_msg("\"%s\" is not in \"%s\"", part, detail);
    json_decref(answer);
}

#endif
