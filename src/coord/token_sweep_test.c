/* token_sweep_test.c - tokens that ended a day ago leave no record; others stay. */
#include "support/coord_study.h"

enum { DAY_MS = 24 * 3600 * 1000, HOUR_MS = 3600 * 1000 };

static uint64_t count(const coord_world *w)
{
    tacit_error err = {0};
    tc_record_range all = {.kind = TC_RECORD_TOKEN};
    uint64_t n;
    assert_ok(tc_store_record_count(w->store, &all, &n, &err));
    return n;
}

static void make(coord_world *w, int n, const char *body)
{
    for (int i = 0; i < n; i++)
        assert_int_equal(world_call(w, "POST", "/v1/tokens", w->operator_token, body, NULL), 201);
}

static void tick_many(coord_world *w)
{
    for (int i = 0; i < 8; i++)
        world_tick(w);
}

static void those_that_ended_a_day_ago_go(void **state)
{
    coord_world *w = *state;
    tick_many(w); /* the first pass is over */
    uint64_t before = count(w);
    make(w, 600, "{\"role\": \"viewer\", \"expires_s\": 60}"); /* more than a page */
    make(w, 3, "{\"role\": \"viewer\", \"expires_s\": 0}");
    make(w, 2, "{\"role\": \"viewer\", \"expires_s\": 172800}");
    w->now_ms += DAY_MS + 60000; /* to the millisecond */
    tick_many(w);
    assert_int_equal(count(w), before + 605);
    w->now_ms += HOUR_MS;
    tick_many(w);
    assert_int_equal(count(w), before + 5);
    w->now_ms += 2 * DAY_MS;
    tick_many(w);
    assert_int_equal(count(w), before + 3);
    assert_int_equal(world_call(w, "GET", "/v1/studies/s", w->operator_token, NULL, NULL), 200);
    assert_int_equal(world_call(w, "GET", "/v1/studies/s", w->agents[0].access, NULL, NULL), 200);
}

int main(void)
{
    const struct CMUnitTest tests[] = {IN_WORLD(those_that_ended_a_day_ago_go)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
