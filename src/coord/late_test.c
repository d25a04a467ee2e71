/* late_test.c - messages that come when their round, or their study, does not take them any more: also where
 * that changes between the look and the write. */
#include "support/coord_study.h"
#include "support/crash_store.h"

static uint64_t count(tc_store *s, tc_record_kind kind)
{
    tacit_error err = {0};
    uint64_t n;
    tc_record_range all = {.study = 1, .kind = kind};
    assert_ok(tc_store_record_count(s, &all, &n, &err));
    return n;
}

/* The next round is open, and takes nothing that was meant for the last. */
static void what_is_late_enters_no_other_round(void **state)
{
    coord_world *w = *state;
    json_t *a;
    assert_int_equal(study_post(w, 0, 0, NULL), 202);
    w->now_ms += 60000;
    world_tick(w);
    assert_int_equal(study_post(w, 0, 1, NULL), 202);
    uint64_t receipts = count(w->store, TC_RECORD_RECEIPT);
    assert_int_equal(study_post(w, 1, 0, &a), 410);
    assert_detail(a, "round 0 is closed: the message is late");
    assert_int_equal(count(w->store, TC_RECORD_MESSAGE), 1);
    assert_int_equal(count(w->store, TC_RECORD_RECEIPT), receipts + 1);
    assert_int_equal(study_post(w, 1, 1, NULL), 202); /* its place there is free */
    assert_int_equal(count(w->store, TC_RECORD_MESSAGE), 2);
}

/* That it came is kept, and not what it was: whatever comes for the same place is late again. */
static void a_late_message_has_a_receipt(void **state)
{
    coord_world *w = *state;
    citizen *c = &w->agents[1];
    json_t *a;
    tc_text m = study_message(w, 1, 0);
    assert_int_equal(study_post(w, 0, 0, NULL), 202);
    w->now_ms += 60000;
    world_tick(w);
    assert_int_equal(world_post_bytes(w, c, 0, 1, tc_text_get(&m), m.len, NULL), 410);
    assert_int_equal(count(w->store, TC_RECORD_RECEIPT), 2);
    assert_int_equal(world_post_bytes(w, c, 0, 1, tc_text_get(&m), m.len, NULL), 410);
    assert_int_equal(world_post_bytes(w, c, 0, 2, tc_text_get(&m), m.len, &a), 410);
    assert_detail(a, "round 0 is closed: the message is late");
    assert_int_equal(count(w->store, TC_RECORD_RECEIPT), 2);
    assert_int_equal(count(w->store, TC_RECORD_EVIDENCE), 0);
    tc_text_fini(&m);
}

static void a_sequence_grows(void **state)
{
    coord_world *w = *state;
    citizen *c = &w->agents[0];
    json_t *a;
    tc_text first = study_message(w, 0, 0), second = study_message(w, 0, 1);
    assert_int_equal(world_post_bytes(w, c, 0, 5, tc_text_get(&first), first.len, NULL), 202);
    w->now_ms += 60000;
    world_tick(w);
    for (uint64_t old = 4; old <= 5; old++) {
        assert_int_equal(world_post_bytes(w, c, 1, old, tc_text_get(&second), second.len, &a), 409);
        assert_detail(a, old == 4 ? "sequence must be above 5, got 4"
                                  : "sequence must be above 5, got 5");
    }
    assert_int_equal(world_post_bytes(w, c, 1, 6, tc_text_get(&second), second.len, NULL), 202);
    tc_text_fini(&first);
    tc_text_fini(&second);
}

/* ---- between the look and the write ---- */

typedef struct race {
    crash_store disk;
    coord_world w, other; /* one store, two processes */
    const char *turn;     /* what the other does; NULL: it closes the round */
} race;

static void interfere(void *user)
{
    race *r = user;
    char path[64];
    if (r->turn) {
        snprintf(path, sizeof path, "/v1/studies/s:%s", r->turn);
        assert_int_equal(world_call(&r->other, "POST", path, r->other.operator_token, NULL, NULL),
                         200);
        return;
    }
    r->other.now_ms += 60000; /* its clock is a little faster */
    world_tick(&r->other);
}

static void race_open(race *r, const char *turn)
{
    tacit_error err = {0};
    tc_store *memory;
    *r = (race){.w = {.now_ms = 1000000}, .turn = turn};
    assert_ok(tc_store_open(&memory, "memory:", true, &err));
    crash_init(&r->disk, memory);
    world_open(&r->w, &r->disk.base, 7);
    world_create(&r->w, "s", study_document);
    world_enrol_all(&r->w, STUDY_AGENTS);
    r->other = r->w;
    tc_coord_config cfg = {.store = memory, .now_ms = world_clock, .user = &r->other};
    assert_ok(tc_coord_new(&r->other.coord, &cfg, &err));
    assert_int_equal(study_post(&r->w, 0, 0, NULL), 202);
    r->disk.meanwhile = interfere;
    r->disk.user = r;
    r->disk.at = r->disk.writes + 1; /* before the next message is written */
}

static void race_close(race *r)
{
    tc_coord_free(r->other.coord);
    tc_coord_free(r->w.coord);
    crash_fini(&r->disk);
}

static void a_message_that_races_with_the_close_is_late(void **state)
{
    race r;
    json_t *a;
    (void)state;
    race_open(&r, NULL);
    assert_int_equal(study_post(&r.w, 1, 0, &a), 410);
    assert_detail(a, "round 0 is closed: the message is late");
    assert_int_equal(count(r.disk.disk, TC_RECORD_MESSAGE), 0);
    assert_int_equal(world_broadcast(&r.w, r.w.agents[1].access, 0, NULL, NULL), 200);
    race_close(&r);
}

static void a_message_that_races_with_a_pause_is_refused(void **state)
{
    race r;
    json_t *a;
    (void)state;
    race_open(&r, "pause");
    assert_int_equal(study_post(&r.w, 1, 0, &a), 409);
    assert_detail(a, "the study is paused");
    assert_int_equal(count(r.disk.disk, TC_RECORD_MESSAGE), 1);
    race_close(&r);
    race_open(&r, "close");
    assert_int_equal(study_post(&r.w, 1, 0, &a), 409);
    assert_detail(a, "the study is closed");
    assert_int_equal(count(r.disk.disk, TC_RECORD_MESSAGE), 1);
    race_close(&r);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        IN_WORLD(what_is_late_enters_no_other_round),
        IN_WORLD(a_late_message_has_a_receipt),
        IN_WORLD(a_sequence_grows),
        cmocka_unit_test(a_message_that_races_with_the_close_is_late),
        cmocka_unit_test(a_message_that_races_with_a_pause_is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
