/* problem_test.c - refused tokens in the log: anybody can send one, and nobody can fill it. */
#include "support/test.h"

#include "base/log.h"
#include "coord/coord.h"

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
    assert_string_equal(before_last, "80 more refusals of tokens were not logged");
    assert_string_equal(last, "GET /v1/studies: 401 the token is not valid");
    tc_log_set(NULL, NULL, TC_LOG_ERROR);
    tc_coord_free(c);
    tc_store_close(store);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(the_log_has_so_many_refusals_a_second)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
