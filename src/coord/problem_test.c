/* problem_test.c - refused tokens in the log: anybody can send one, and nobody can fill it. Refused versions: one
 * sentence, whatever else would be refused. */
#include "support/coord_study.h"

#include "base/log.h"

static size_t lines;
static char last[256], before_last[256];

static void note(tc_log_level level, const char *line, void *user)
{
    (void)level;
    (void)user;
    lines++;
    snprintf(before_last, sizeof before_last, "%s", last);
    snprintf(last, sizeof last, "%s", line);
}

static int64_t clock_of(void *user)
{
    return *(int64_t *)user;
}

static void guess(tc_coord *c, size_t times)
{
    for (size_t i = 0; i < times; i++) {
        tc_response r = {0};
        tc_coord_handle(c, &(tc_request){.method = "GET", .path = "/v1/studies", .bearer = "guess"},
                        &r);
        assert_int_equal(r.status, 401);
        tc_response_fini(&r);
    }
}

static void the_log_has_so_many_refusals_a_second(void **state)
{
    tacit_error err = {0};
    tc_store *store;
    tc_coord *c;
    int64_t now = 5000;
    (void)state;
    assert_ok(tc_store_open(&store, "memory:", true, &err));
    tc_coord_config cfg = {.store = store, .now_ms = clock_of, .user = &now};
    assert_ok(tc_coord_new(&c, &cfg, &err));
    tc_log_set(note, NULL, TC_LOG_INFO);
    guess(c, 100);
    assert_int_equal(lines, 20);
    assert_string_equal(last, "GET /v1/studies: 401 the token is not valid");
    now += 1000;
    guess(c, 1);
    assert_int_equal(lines, 22);
    assert_string_equal(before_last, "80 more refusals were not logged");
    assert_string_equal(last, "GET /v1/studies: 401 the token is not valid");
    now +=
        1000; /* whoever is turned away for asking too often shares them, before it comes so far */
    for (int i = 0; i < 15; i++)
        tc_coord_counted(c, 429);
    assert_int_equal(lines, 37);
    assert_string_equal(last, "a request was turned away: 429 too many of its address, or too many "
                              "wrong tokens");
    guess(c, 10);
    assert_int_equal(lines, 42);
    tc_log_set(NULL, NULL, TC_LOG_ERROR);
    tc_coord_free(c);
    tc_store_close(store);
}

/* A valid token that does not reach fills the log no more than a wrong one. */
static void so_do_tokens_that_do_not_reach(void **state)
{
    coord_world *w = *state;
    lines = 0;
    tc_log_set(note, NULL, TC_LOG_INFO);
    int status = 0;
    for (int i = 0; i < 100; i++)
        status = world_call(w, "GET", "/metrics", w->agents[0].access, NULL, NULL);
    tc_log_set(NULL, NULL, TC_LOG_ERROR);
    assert_int_equal(status, 403);
    assert_int_equal(lines, 20);
}

/* Also where the path is one of a later protocol, and before anything is done. */
static void a_later_protocol_is_named(void **state)
{
    static const struct {
        const char *method, *path, *protocol;
        int status;
    } cases[] = {{"GET", "/v1/studies/s", "3", 400}, {"POST", "/v1/studies/s:close", "3", 400},
                 {"GET", "/v2/studies/s", "3", 400}, {"GET", "/v2/studies/s", "2", 404},
                 {"GET", "/healthz", "3", 200}, /* asked by those who know nothing of versions */
                 {"GET", "/v1/studies/s", "2", 200}, {"GET", "/v1/studies/s", "1", 200},
                 {"GET", "/v1/studies/s", NULL, 200}};
    coord_world *w = *state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        json_t *j;
        tc_request q = {.method = cases[i].method,
                        .path = cases[i].path,
                        .protocol = cases[i].protocol,
                        .bearer = w->operator_token};
        assert_int_equal(world_request(w, &q, &j), cases[i].status);
        if (cases[i].status == 400) {
            assert_string_equal(world_text(j, "type"), "urn:tacit:problem:unsupported");
            assert_non_null(strstr(world_text(j, "detail"), "speaks protocols 1 to 2"));
        }
        json_decref(j);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(the_log_has_so_many_refusals_a_second),
                                       IN_WORLD(so_do_tokens_that_do_not_reach),
                                       IN_WORLD(a_later_protocol_is_named)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
