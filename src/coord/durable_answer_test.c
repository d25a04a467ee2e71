/* durable_answer_test.c - nobody is told "it is so already" before that is on disk.
 *
 * The disk of these tests shows what was written and cannot make it safe: as if the first request's sync were
 * still under way when the second one comes, over another connection. */
#include "support/coord_study.h"
#include "support/lazy_store.h"
#include "support/served_world.h"

static tc_store *open_disk(crash_store *disk)
{
    tacit_error err = {0};
    tc_store *memory;
    assert_ok(tc_store_open(&memory, "memory:", true, &err));
    crash_init(disk, memory);
    return &disk->base;
}

static void open_study(coord_world *w, crash_store *disk)
{
    *w = (coord_world){.now_ms = 1000000};
    world_open(w, open_disk(disk), 7);
    world_create(w, "s", study_document);
    world_enrol_all(w, STUDY_AGENTS);
}

static void close_study(coord_world *w, crash_store *disk)
{
    tc_coord_free(w->coord);
    crash_fini(disk);
}

/* The same message again is not acknowledged; once the disk has it, it is. */
static void assert_waits(coord_world *w, crash_store *disk, const tc_text *m, uint64_t sequence,
                         int afterwards)
{
    citizen *c = &w->agents[0];
    json_t *a;
    disk->disk_gone = true;
    assert_int_equal(world_post_bytes(w, c, 0, sequence, tc_text_get(m), m->len, &a), 500);
    assert_detail(a, "the coordinator failed; its log says why");
    disk->disk_gone = false;
    assert_int_equal(world_post_bytes(w, c, 0, sequence, tc_text_get(m), m->len, NULL), afterwards);
}

static void a_repeated_message_waits_for_the_disk(void **state)
{
    coord_world w;
    crash_store disk;
    (void)state;
    open_study(&w, &disk);
    tc_text m = study_message(&w, 0, 0);
    uint64_t before = disk.waits;
    assert_int_equal(world_post_bytes(&w, &w.agents[0], 0, 1, tc_text_get(&m), m.len, NULL), 202);
    assert_int_equal(disk.waits, before); /* its own write was durable */
    assert_waits(&w, &disk, &m, 1, 200);
    assert_int_equal(world_post_bytes(&w, &w.agents[0], 0, 2, tc_text_get(&m), m.len, NULL), 409);
    assert_waits(&w, &disk, &m, 2, 409); /* evidence that was kept before */
    tc_text_fini(&m);
    close_study(&w, &disk);
}

/* What was read before a crash is not said; the next request reads again and is answered, however often the
 * server crashes. */
static void a_crash_costs_the_answers_under_way_and_no_others(void **state)
{
    enum { CRASHES = 14 };
    coord_world w = {.now_ms = 1000000};
    lazy_store *disk = lazy_new();
    json_t *a;
    (void)state;
    assert_non_null(disk);
    world_open(&w, lazy_store_of(disk), 7);
    world_create(&w, "s", study_document);
    world_enrol_all(&w, STUDY_AGENTS);
    tc_text m = study_message(&w, 0, 0);
    assert_int_equal(world_post_bytes(&w, &w.agents[0], 0, 1, tc_text_get(&m), m.len, NULL), 202);
    for (int i = 0; i < CRASHES; i++) {
        disk->at = disk->points + 1; /* when it waits for the disk */
        assert_int_equal(world_post_bytes(&w, &w.agents[0], 0, 1, tc_text_get(&m), m.len, &a), 503);
        assert_detail(a, "the storage is busy; ask again");
        assert_int_equal(world_post_bytes(&w, &w.agents[0], 0, 1, tc_text_get(&m), m.len, NULL),
                         200);
    }
    tc_text_fini(&m);
    tc_coord_free(w.coord);
    tc_store_close(lazy_store_of(disk));
}

static void so_does_one_that_was_late_before(void **state)
{
    coord_world w;
    crash_store disk;
    (void)state;
    open_study(&w, &disk);
    tc_text m = study_message(&w, 0, 0);
    assert_int_equal(study_post(&w, 1, 0, NULL), 202);
    w.now_ms += 61000;
    world_tick(&w);
    assert_int_equal(world_post_bytes(&w, &w.agents[0], 0, 1, tc_text_get(&m), m.len, NULL), 410);
    assert_waits(&w, &disk, &m, 1, 410);
    tc_text_fini(&m);
    close_study(&w, &disk);
}

static void what_operators_repeat_waits_too(void **state)
{
    coord_world w;
    crash_store disk;
    static const struct {
        const char *method, *path;
        int again;
    } rows[] = {{"POST", "/v1/studies/s/agents/0:revoke", 200},
                {"POST", "/v1/studies/s:pause", 200},
                {"POST", "/v1/studies/s:resume", 200},
                {"POST", "/v1/studies/s:close", 200},
                {"DELETE", "/v1/studies/s", 404}};
    (void)state;
    open_study(&w, &disk);
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        const char *op = w.operator_token;
        assert_int_equal(world_call(&w, rows[i].method, rows[i].path, op, NULL, NULL), 200);
        disk.disk_gone = true;
        int early = world_call(&w, rows[i].method, rows[i].path, op, NULL, NULL);
        disk.disk_gone = false;
        int again = world_call(&w, rows[i].method, rows[i].path, op, NULL, NULL);
        if (early != 500 || again != rows[i].again)
            fail_msg("%s %s: %d and %d", rows[i].method, rows[i].path, early, again);
    }
    close_study(&w, &disk);
}

static void an_answer_that_was_kept_waits_too(void **state)
{
    coord_world w;
    crash_store disk;
    json_t *a;
    static const char body[] = "{\"role\": \"viewer\"}";
    (void)state;
    open_study(&w, &disk);
    tc_request q = {.method = "POST",
                    .path = "/v1/tokens",
                    .bearer = w.operator_token,
                    .idempotency = "k",
                    .body = body,
                    .n_body = sizeof body - 1};
    assert_int_equal(world_request(&w, &q, NULL), 201);
    disk.disk_gone = true;
    assert_int_equal(world_request(&w, &q, &a), 500);
    assert_null(json_object_get(a, "token"));
    json_decref(a);
    disk.disk_gone = false;
    assert_int_equal(world_request(&w, &q, NULL), 201);
    close_study(&w, &disk);
}

static void a_repeated_report_waits_too(void **state)
{
    served_world s;
    crash_store disk;
    static const char release[] = "/v1/studies/t/trials/1:release";
    (void)state;
    served_start(&s, open_disk(&disk), served_document);
    assert_int_equal(served_suggest(&s, "w", 2, NULL), 200);
    assert_int_equal(served_post(&s, "/trials/0:complete", "{\"value\": 1}", NULL), 200);
    assert_int_equal(world_call(&s.w, "POST", release, s.w.operator_token, NULL, NULL), 200);
    disk.disk_gone = true;
    assert_int_equal(world_call(&s.w, "POST", release, s.w.operator_token, NULL, NULL), 500);
    assert_int_equal(served_post(&s, "/trials/0:complete", "{\"value\": 1}", NULL), 500);
    assert_int_equal(served_post(&s, "/trials/0:complete", "{\"value\": 2}", NULL), 500);
    disk.disk_gone = false;
    assert_int_equal(served_post(&s, "/trials/0:complete", "{\"value\": 1}", NULL), 200);
    close_study(&s.w, &disk);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_repeated_message_waits_for_the_disk),
        cmocka_unit_test(a_crash_costs_the_answers_under_way_and_no_others),
        cmocka_unit_test(so_does_one_that_was_late_before),
        cmocka_unit_test(what_operators_repeat_waits_too),
        cmocka_unit_test(an_answer_that_was_kept_waits_too),
        cmocka_unit_test(a_repeated_report_waits_too),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
