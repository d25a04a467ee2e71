/* audit_log_test.c - the operator's log of a coordinator: what is in it and who, what never is, and that a process which dies
 * leaves a change and its entry, or neither. */
#include "support/coord_study.h"
#include "support/crash_store.h"

#include "study/audit.h"

static const char served_document[] =
    "{\"name\": \"v\", \"direction\": \"maximize\", \"trials\": 4,"
    " \"space\": {\"x\": {\"type\": \"float\", \"low\": 0, \"high\": 1}},"
    " \"algorithm\": {\"name\": \"random\"}}";

/* ---- reading it ---- */

static json_t *read_log(coord_world *w, const char *query)
{
    json_t *a = NULL;
    tc_request q = {
        .method = "GET", .path = "/v1/audit", .query = query, .bearer = w->operator_token};
    assert_int_equal(world_request(w, &q, &a), 200);
    return a;
}

static const char *text(const json_t *entry, const char *key)
{
    const char *t = json_string_value(json_object_get(entry, key));
    assert_non_null(t);
    return t;
}

/* One line of all actions after entry `after`, those that failed or have begun marked; the chain is checked. */
static void assert_actions(coord_world *w, uint64_t after, const char *wanted)
{
    tc_text line = {0};
    tc_audit_head at = {.seq = 0};
    tacit_error err = {0};
    json_t *log = read_log(w, "limit=1000"), *entries = json_object_get(log, "entries");
    memset(at.hash, '0', sizeof at.hash - 1);
    for (size_t i = 0; i < json_array_size(entries); i++) {
        const json_t *e = json_array_get(entries, i);
        const char *outcome = text(e, "outcome");
        assert_ok(tc_audit_follow(&at, e, &err));
        if (i < after)
            continue;
        tc_text_addf(&line, "%s%s%s", line.len > 0 ? " " : "", text(e, "action"),
                     strcmp(outcome, "begun") == 0    ? "?"
                     : strcmp(outcome, "failed") == 0 ? "!"
                                                      : "");
    }
    assert_string_equal(tc_text_get(&line), wanted);
    assert_string_equal(text(json_object_get(log, "head"), "hash"), at.hash);
    tc_text_fini(&line);
    json_decref(log);
}

static uint64_t length(coord_world *w)
{
    tc_audit_head head;
    tacit_error err = {0};
    assert_ok(tc_audit_head_get(w->store, &head, &err));
    return head.seq;
}

static int post(coord_world *w, const char *path, const char *body, json_t **answer)
{
    return world_call(w, "POST", path, w->operator_token, body, answer);
}

static json_t *last_entry(coord_world *w)
{
    char query[64];
    snprintf(query, sizeof query, "after=%" PRIu64, length(w) - 1);
    json_t *log = read_log(w, query);
    json_t *e = json_incref(json_array_get(json_object_get(log, "entries"), 0));
    json_decref(log);
    assert_non_null(e);
    return e;
}

/* ---- what is in it ---- */

static void what_an_operator_does_is_logged(void **state)
{
    coord_world *w = *state;
    char token[64];
    json_t *a;
    assert_actions(w, 0,
                   "token.make study.create? study.create token.make agent.enrol agent.enrol "
                   "agent.enrol audit.download");
    uint64_t from = length(w);
    assert_int_equal(post(w, "/v1/studies/s:pause", NULL, NULL), 200);
    assert_int_equal(post(w, "/v1/studies/s:pause", NULL, NULL), 200); /* nothing is changed */
    assert_int_equal(post(w, "/v1/studies/s:resume", NULL, NULL), 200);
    assert_int_equal(world_call(w, "GET", "/v1/studies/s/privacy", w->operator_token, NULL, NULL),
                     200);
    assert_int_equal(world_call(w, "GET", "/v1/studies/s/privacy", w->agents[0].access, NULL, NULL),
                     200);
    assert_int_equal(post(w, "/v1/studies/s/agents/1:revoke", NULL, NULL), 200);
    assert_int_equal(post(w, "/v1/tokens", "{\"role\": \"viewer\", \"name\": \"alice\"}", &a), 201);
    snprintf(token, sizeof token, "{\"id\": \"%s\"}", world_text(a, "id"));
    json_decref(a);
    assert_int_equal(post(w, "/v1/tokens:withdraw", token, NULL), 200);
    assert_int_equal(post(w, "/v1/studies/s:expire", "{\"after_s\": 60}", NULL), 200);
    assert_int_equal(post(w, "/v1/studies/s:close", NULL, NULL), 200);
    assert_int_equal(post(w, "/v1/studies/s:resume", NULL, NULL), 409);
    assert_int_equal(world_call(w, "DELETE", "/v1/studies/s", w->operator_token, NULL, NULL), 200);
    assert_actions(w, from,
                   "study.pause study.resume ledger.download agent.revoke token.make "
                   "token.withdraw study.expire study.close study.delete? study.delete");
}

static void trials_that_are_taken_back_are_logged(void **state)
{
    coord_world *w = *state;
    char body[512];
    snprintf(body, sizeof body, "{\"document\": %s}", served_document);
    assert_int_equal(post(w, "/v1/studies", body, NULL), 201);
    assert_int_equal(post(w, "/v1/studies", body, NULL), 409);
    assert_int_equal(post(w, "/v1/studies/v/trials:suggest", "{\"worker\": \"w\"}", NULL), 200);
    uint64_t from = length(w);
    assert_int_equal(post(w, "/v1/studies/v/trials/0:release", NULL, NULL), 200);
    assert_int_equal(post(w, "/v1/studies/v/trials/9:release", NULL, NULL), 404);
    assert_int_equal(post(w, "/v1/studies/v/trials/0:complete", "{\"failed\": \"no\"}", NULL), 200);
    assert_int_equal(
        world_call(w, "DELETE", "/v1/studies/v/trials/0", w->operator_token, NULL, NULL), 200);
    assert_actions(w, from,
                   "trial.release? trial.release trial.release? trial.release! "
                   "trial.delete? trial.delete audit.download");
}

static void an_entry_says_who_and_when(void **state)
{
    coord_world *w = *state;
    json_t *a, *e;
    char bob[64], id[32];
    assert_int_equal(
        post(w, "/v1/tokens", "{\"role\": \"operator\", \"name\": \"bob@ward-7\"}", &a), 201);
    snprintf(bob, sizeof bob, "%s", world_text(a, "token"));
    snprintf(id, sizeof id, "%s", world_text(a, "id"));
    json_decref(a);
    w->now_ms += 5000;
    assert_int_equal(world_call(w, "POST", "/v1/studies/s:pause", bob, NULL, NULL), 200);
    e = last_entry(w);
    assert_string_equal(text(e, "role"), "operator");
    assert_string_equal(text(e, "name"), "bob@ward-7");
    assert_string_equal(text(e, "token"), id);
    assert_int_equal(strlen(id), 16);
    assert_string_equal(text(e, "study"), "s");
    assert_int_equal(strlen(text(e, "of")), 64);
    assert_string_equal(text(e, "detail"), "it was running");
    assert_int_equal(json_integer_value(json_object_get(e, "at_ms")), w->now_ms);
    json_decref(e);
    /* Whoever holds the storage has no token. */
    tc_request q = {.method = "POST", .path = "/v1/studies/s:resume", .is_operator = true};
    assert_int_equal(world_request(w, &q, NULL), 200);
    char query[32];
    snprintf(query, sizeof query, "after=%" PRIu64, length(w) - 1);
    json_t *log = read_log(w, query);
    e = json_array_get(json_object_get(log, "entries"), 0);
    assert_string_equal(text(e, "role"), "storage");
    assert_string_equal(text(e, "token"), "");
    json_decref(log);
}

/* ---- what is not ---- */

static tacit_status look_for(void *user, const json_t *e, tacit_error *err)
{
    char *all = json_dumps(e, 0);
    (void)err;
    assert_null(strstr(all, user));
    free(all);
    return TACIT_OK;
}

static void no_token_is_in_it(void **state)
{
    coord_world *w = *state;
    tacit_error err = {0};
    char token[64], body[128];
    json_t *a;
    world_join_token(w, 3, token);
    assert_ok(tc_audit_scan(w->store, 0, 0, look_for, token, &err));
    assert_ok(tc_audit_scan(w->store, 0, 0, look_for, w->operator_token, &err));
    assert_ok(tc_audit_scan(w->store, 0, 0, look_for, w->agents[0].access, &err));
    snprintf(body, sizeof body, "{\"token\": \"%s\"}", token);
    assert_int_equal(post(w, "/v1/tokens:replace", body, &a), 201);
    assert_ok(tc_audit_scan(w->store, 0, 0, look_for, (void *)world_text(a, "token"), &err));
    assert_ok(tc_audit_scan(w->store, 0, 0, look_for, token, &err));
    json_decref(a);
}

static void nobody_else_reads_it(void **state)
{
    coord_world *w = *state;
    json_t *a;
    assert_int_equal(post(w, "/v1/tokens", "{\"role\": \"viewer\"}", &a), 201);
    assert_int_equal(world_call(w, "GET", "/v1/audit", world_text(a, "token"), NULL, NULL), 403);
    assert_int_equal(world_call(w, "GET", "/v1/audit", w->agents[0].access, NULL, NULL), 403);
    assert_int_equal(world_call(w, "GET", "/v1/audit", NULL, NULL, NULL), 401);
    json_decref(a);
}

/* A dashboard fills no disk. */
static void the_same_download_within_an_hour_is_one_entry(void **state)
{
    coord_world *w = *state;
    const char *path = "/v1/studies/s/privacy";
    uint64_t from = length(w);
    for (int i = 0; i < 20; i++)
        assert_int_equal(world_call(w, "GET", path, w->operator_token, NULL, NULL), 200);
    assert_int_equal(length(w), from + 1);
    w->now_ms += 3600 * 1000 - 1;
    assert_int_equal(world_call(w, "GET", path, w->operator_token, NULL, NULL), 200);
    assert_int_equal(length(w), from + 1);
    w->now_ms += 1;
    assert_int_equal(world_call(w, "GET", path, w->operator_token, NULL, NULL), 200);
    assert_int_equal(length(w), from + 2);
}

/* ---- pages ---- */

static void it_comes_in_pages(void **state)
{
    coord_world *w = *state;
    uint64_t seen = 0, pages = 0;
    char query[64];
    json_int_t next = 0;
    for (int i = 0; i < 10; i++)
        assert_int_equal(
            post(w, i % 2 ? "/v1/studies/s:resume" : "/v1/studies/s:pause", NULL, NULL), 200);
    for (bool more = true; more; pages++) {
        snprintf(query, sizeof query, "after=%" JSON_INTEGER_FORMAT "&limit=4", next);
        json_t *log = read_log(w, query);
        json_t *entries = json_object_get(log, "entries");
        for (size_t i = 0; i < json_array_size(entries); i++)
            assert_int_equal(json_integer_value(json_object_get(json_array_get(entries, i), "seq")),
                             ++seen);
        more = !json_is_null(json_object_get(log, "next"));
        next = json_integer_value(json_object_get(log, "next"));
        json_decref(log);
    }
    assert_int_equal(seen, length(w));
    assert_int_equal(pages, (seen + 3) / 4);
    json_t *a;
    tc_request q = {
        .method = "GET", .path = "/v1/audit", .query = "limit=1001", .bearer = w->operator_token};
    assert_int_equal(world_request(w, &q, &a), 400);
    assert_detail(a, "limit must be a whole number in [1, 1000], got \"1001\"");
}

/* ---- a process that dies ---- */

typedef struct deed {
    const char *path, *method, *action;
} deed;

static bool is_done(coord_world *w, const char *action)
{
    json_t *log = read_log(w, "limit=1000"), *entries = json_object_get(log, "entries");
    bool done = false;
    for (size_t i = 0; i < json_array_size(entries); i++) {
        const json_t *e = json_array_get(entries, i);
        done |= strcmp(text(e, "action"), action) == 0 && strcmp(text(e, "outcome"), "done") == 0;
    }
    json_decref(log);
    return done;
}

static bool is_begun(coord_world *w, const char *action)
{
    json_t *log = read_log(w, "limit=1000"), *entries = json_object_get(log, "entries");
    bool begun = false;
    for (size_t i = 0; i < json_array_size(entries); i++)
        begun |= strcmp(text(json_array_get(entries, i), "action"), action) == 0;
    json_decref(log);
    return begun;
}

/* Dies before, or just after, its write number `at`. */
static void die_at(const deed *d, uint64_t at, bool after, char state[16], bool *done, bool *begun)
{
    crash_store disk;
    tacit_error err = {0};
    coord_world w = {.now_ms = 1000000};
    tc_store *memory;
    json_t *a = NULL;
    assert_ok(tc_store_open(&memory, "memory:", true, &err));
    crash_init(&disk, memory);
    world_open(&w, &disk.base, 7);
    world_create(&w, "s", study_document);
    disk.at = disk.writes + at;
    disk.after = after;
    (void)world_call(&w, d->method, d->path, w.operator_token, NULL, NULL);
    tc_coord_free(w.coord);
    crash_restart(&disk);
    world_open(&w, &disk.base, 7);
    int status = world_call(&w, "GET", "/v1/studies/s", w.operator_token, NULL, &a);
    snprintf(state, 16, "%s", status == 404 ? "gone" : world_text(a, "state"));
    json_decref(a);
    *done = is_done(&w, d->action);
    *begun = is_begun(&w, d->action);
    assert_actions(&w, 10000, ""); /* the chain is whole */
    tc_coord_free(w.coord);
    crash_fini(&disk);
}

static void a_pause_and_its_entry_come_together(void **state)
{
    const deed pause = {"/v1/studies/s:pause", "POST", "study.pause"};
    int paused = 0;
    (void)state;
    for (uint64_t at = 1; at <= 3; at++)
        for (int after = 0; after < 2; after++) {
            char found[16];
            bool done, begun;
            die_at(&pause, at, after, found, &done, &begun);
            assert_int_equal(done, strcmp(found, "paused") == 0);
            paused += done;
        }
    assert_in_range(paused, 1, 5); /* sometimes it was, and sometimes not */
}

/* Never gone without a word. */
static void a_study_is_not_deleted_unseen(void **state)
{
    const deed erase = {"/v1/studies/s", "DELETE", "study.delete"};
    int gone = 0, unfinished = 0;
    (void)state;
    for (uint64_t at = 1; at <= 4; at++)
        for (int after = 0; after < 2; after++) {
            char found[16];
            bool done, begun;
            die_at(&erase, at, after, found, &done, &begun);
            if (strcmp(found, "gone") == 0)
                assert_true(begun);
            else
                assert_false(done);
            gone += strcmp(found, "gone") == 0;
            unfinished += begun && !done;
        }
    assert_in_range(gone, 1, 7);
    assert_true(unfinished > 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        IN_WORLD(what_an_operator_does_is_logged),
        IN_WORLD(trials_that_are_taken_back_are_logged),
        IN_WORLD(an_entry_says_who_and_when),
        IN_WORLD(no_token_is_in_it),
        IN_WORLD(nobody_else_reads_it),
        IN_WORLD(the_same_download_within_an_hour_is_one_entry),
        IN_WORLD(it_comes_in_pages),
        cmocka_unit_test(a_pause_and_its_entry_come_together),
        cmocka_unit_test(a_study_is_not_deleted_unseen),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
