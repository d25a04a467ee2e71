/* shared_waits_test.c - who waits in a study with trustees, and what wakes them: parties for the roster, trustees for a duty, everybody
 * for the disk before they are told what they keep for good. */
#include "support/shared_world.h"

static const tc_trustees four = {4, 2, 1, 3};

static void begin(trust_world *t, crash_store *disk)
{
    crash_init(disk, trust_memory());
    trust_begin(t, &disk->base, four, 60);
}

static void end(trust_world *t, crash_store *disk)
{
    tc_study_plan_free(t->plan);
    tc_coord_free(t->w.coord);
    crash_fini(disk);
}

/* The same call, while nothing can be brought to disk, and when it can. */
#define WAITS(disk, call, then)                                                                    \
    do {                                                                                           \
        (disk)->disk_gone = true;                                                                  \
        assert_int_equal((call), 500);                                                             \
        (disk)->disk_gone = false;                                                                 \
        assert_int_equal((call), (then));                                                          \
    } while (0)

static void what_parties_keep_is_on_disk_first(void **state)
{
    trust_world t;
    crash_store disk;
    size_t n;
    (void)state;
    begin(&t, &disk);
    trust_enrol_all(&t);
    WAITS(&disk, trust_get(&t, t.w.agents[0].access, "/v1/studies/s/roster", NULL, NULL), 200);
    disk.disk_gone = true; /* it never changes: from then on there is nothing to wait for */
    assert_int_equal(trust_get(&t, t.w.agents[0].access, "/v1/studies/s/roster", NULL, NULL), 200);
    disk.disk_gone = false;
    for (uint64_t i = 0; i < TRUST_AGENTS; i++)
        assert_int_equal(trust_send(&t, 0, i, NULL), 202);
    for (uint32_t k = 0; k < 3; k++)
        assert_int_equal(trust_deal_noise(&t, k, 0, NULL), 202);
    WAITS(&disk, trust_deal_noise(&t, 0, 0, NULL), 200);
    trust_tick(&t);
    WAITS(&disk, trust_get(&t, t.t[0].access, "/v1/studies/s/rounds/0/shares", NULL, NULL), 200);
    uint8_t *bytes = trust_answer(&t, 0, 0, &n);
    assert_int_equal(trust_post_answer(&t, 0, 0, bytes, n, NULL), 202);
    WAITS(&disk, trust_post_answer(&t, 0, 0, bytes, n, NULL), 200);
    bytes[TC_ANSWER_HEAD] ^= 1;
    assert_int_equal(trust_post_answer(&t, 0, 0, bytes, n, NULL), 409);
    WAITS(&disk, trust_post_answer(&t, 0, 0, bytes, n, NULL), 409); /* evidence that is kept */
    tc_free(bytes);
    end(&t, &disk);
}

/* ---- who is woken ---- */

static void count_wake(void *user, const char *study, bool waited_for)
{
    assert_string_equal(study, "s");
    *(int *)user += waited_for;
}

/* How often since the last look. */
static int woken(int *n)
{
    int since = *n;
    *n = 0;
    return since;
}

static void assert_waits(trust_world *t, const char *bearer, const char *path)
{
    tc_response r = {0};
    const tc_request q = {.method = "GET", .path = path, .bearer = bearer};
    tc_coord_handle(t->w.coord, &q, &r);
    assert_int_equal(r.status, 202);
    assert_true(r.wait);
    tc_response_fini(&r);
}

static void whoever_waits_is_woken_by_what_it_waits_for(void **state)
{
    trust_world t;
    crash_store disk;
    int n = 0;
    (void)state;
    begin(&t, &disk);
    tc_coord_listen(t.w.coord, count_wake, &n);
    for (size_t i = 0; i < TRUST_AGENTS; i++)
        assert_int_equal(world_enrol(&t.w, &t.w.agents[i], t.join), 201);
    for (uint32_t k = 0; k < 3; k++)
        assert_int_equal(trust_enrol(&t, &t.t[k]), 201);
    assert_waits(&t, t.t[0].access, "/v1/studies/s/roster");
    assert_int_equal(woken(&n), 0);
    assert_int_equal(trust_enrol(&t, &t.t[3]), 201);
    assert_int_equal(woken(&n), 1); /* the roster is fixed */
    trust_tick(&t);
    assert_waits(&t, t.t[0].access, "/v1/studies/s/duty");
    (void)woken(&n);
    for (uint64_t i = 0; i < TRUST_AGENTS; i++)
        assert_int_equal(trust_send(&t, 0, i, NULL), 202);
    trust_tick(&t);
    assert_true(woken(&n) > 0); /* the round is open */
    assert_waits(&t, t.t[0].access, "/v1/studies/s/rounds/0/shares");
    for (uint32_t k = 0; k < 3; k++)
        assert_int_equal(trust_deal_noise(&t, k, 0, NULL), 202);
    (void)woken(&n);
    trust_tick(&t);
    assert_true(woken(&n) > 0); /* its set is fixed */
    tc_coord_listen(t.w.coord, NULL, NULL);
    end(&t, &disk);
}

/* ---- when to come again ---- */

static int64_t next_tick(trust_world *t)
{
    tacit_error err = {0};
    int64_t next;
    assert_ok(tc_coord_tick(t->w.coord, &next, &err));
    return next;
}

static void the_timer_knows_when_answers_are_due(void **state)
{
    trust_world t;
    crash_store disk;
    (void)state;
    begin(&t, &disk);
    trust_enrol_all(&t);
    assert_int_equal(next_tick(&t), INT64_MAX);
    for (uint64_t i = 0; i < TRUST_AGENTS; i++)
        assert_int_equal(trust_send(&t, 0, i, NULL), 202);
    assert_int_equal(next_tick(&t), INT64_MAX); /* nothing but a dealing helps */
    for (uint32_t k = 0; k < 3; k++)
        assert_int_equal(trust_deal_noise(&t, k, 0, NULL), 202);
    assert_int_equal(next_tick(&t), TRUST_START_MS + 60000);
    assert_int_equal(next_tick(&t), TRUST_START_MS + 120000); /* too few have answered */
    for (uint32_t k = 0; k < 3; k++)
        assert_int_equal(trust_do_answer(&t, k, 0, NULL), 202);
    assert_int_equal(next_tick(&t), TRUST_START_MS + 60000);
    end(&t, &disk);
}

/* A clock that was ahead when the set was fixed: its time begins anew. */
static void a_set_of_the_future_holds_nothing_for_ever(void **state)
{
    trust_world t;
    crash_store disk;
    (void)state;
    begin(&t, &disk);
    trust_enrol_all(&t);
    for (uint64_t i = 0; i < TRUST_AGENTS; i++)
        assert_int_equal(trust_send(&t, 0, i, NULL), 202);
    for (uint32_t k = 0; k < 3; k++)
        assert_int_equal(trust_deal_noise(&t, k, 0, NULL), 202);
    t.w.now_ms += 1000000000;
    trust_tick(&t);
    t.w.now_ms = TRUST_START_MS;
    for (uint32_t k = 0; k < 3; k++)
        assert_int_equal(trust_do_answer(&t, k, 0, NULL), 202);
    assert_int_equal(next_tick(&t), TRUST_START_MS + 60000);
    t.w.now_ms += 60000;
    trust_tick(&t);
    trust_assert_released(&t, 0, 7, 7);
    end(&t, &disk);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_parties_keep_is_on_disk_first),
        cmocka_unit_test(whoever_waits_is_woken_by_what_it_waits_for),
        cmocka_unit_test(the_timer_knows_when_answers_are_due),
        cmocka_unit_test(a_set_of_the_future_holds_nothing_for_ever),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
