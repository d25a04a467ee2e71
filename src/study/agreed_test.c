/* agreed_test.c - the time that processes agree on: it goes at its pace, ends up right, and is the same for all,
 * whoever notices a jump first, starts late, stood still, or cannot reach the store. */
#include "support/two_clocks.h"

#include "base/clock.h"
#include "base/json.h"
#include "base/log.h"
#include "base/memory.h"
#include "study/agreed_int.h"
#include "study/backup.h"

#include <stdio.h>
#include <stdlib.h>

enum { SECOND = 1000, MINUTE = 60 * SECOND, HOUR = 60 * MINUTE };
#define START INT64_C(1700000000000)
#define MS    INT64_C(1000000)

static int lines;
static char last_line[256];

static void note(tc_log_level level, const char *line, void *user)
{
    (void)level;
    (void)user;
    lines++;
    snprintf(last_line, sizeof last_line, "%s", line);
}

/* ---- the anchor ---- */

static int64_t anchored(int64_t wall, int64_t agreed, int64_t now)
{
    tc_anchor a = {.wall_ns = wall * MS, .time_ns = agreed * MS};
    int64_t ns = tc_anchor_time(&a, now * MS);
    assert_int_equal(ns % MS, 0);
    return ns / MS;
}

static void an_anchor_is_left_by_an_eighth(void **state)
{
    tc_anchor none = {0};
    (void)state;
    assert_int_equal(tc_anchor_time(&none, START * MS), START * MS);
    assert_int_equal(anchored(START + HOUR, START, START + HOUR), START);
    assert_int_equal(anchored(START + HOUR, START, START + HOUR + 8000), START + 9000);
    assert_int_equal(anchored(START + HOUR, START, START + 5 * HOUR), START + 4 * HOUR + HOUR / 2);
    assert_int_equal(anchored(START + HOUR, START, START + 9 * HOUR), START + 9 * HOUR);
    assert_int_equal(anchored(START + HOUR, START, START + 99 * HOUR), START + 99 * HOUR);
    assert_int_equal(anchored(START - HOUR, START, START - HOUR), START);
    assert_int_equal(anchored(START - HOUR, START, START - HOUR + 8000), START + 7000);
    assert_int_equal(anchored(START - HOUR, START, START + 7 * HOUR), START + 7 * HOUR);
    assert_int_equal(anchored(START + HOUR, START, START + HOUR - 10), START - 10);
}

/* ---- processes on one store and one machine ---- */

enum { PROCESSES = 4 };

typedef struct world {
    tc_store *store;
    two_clocks clocks;
    tc_agreed *p[PROCESSES];
} world;

static world w;

static int open_world(void **state)
{
    (void)state;
    w = (world){.store = shared_store_open(), .clocks = {START, 5000}};
    return 0;
}

static int close_world(void **state)
{
    (void)state;
    for (int i = 0; i < PROCESSES; i++)
        tc_agreed_free(w.p[i]);
    tc_store_close(w.store);
    return 0;
}

static void start_on(int i, two_clocks *clocks)
{
    tacit_error err = {0};
    tc_hands hands = two_clocks_hands(clocks);
    assert_ok(tc_agreed_new(&w.p[i], w.store, &hands, &err));
}

static void start(int i)
{
    start_on(i, &w.clocks);
}

/* All that run look at the store every second. */
static void pass(int64_t ms)
{
    for (int64_t step = SECOND; ms > 0; ms -= step) {
        two_clocks_pass(&w.clocks, ms < step ? ms : step);
        for (int i = 0; i < PROCESSES; i++)
            if (w.p[i])
                tc_agreed_sync(w.p[i]);
    }
}

static int64_t now(int i)
{
    return tc_agreed_unix_ms(w.p[i]);
}

/* Jumps that were written into the store. */
static int turns(void)
{
    tacit_error err = {0};
    tc_record which = {.kind = TC_RECORD_SERVER, .key = "clock", .key_size = 5}, got;
    int n = 0;
    assert_ok(tc_store_record_find(w.store, &which, &got, &err));
    json_t *j = got.version > 0 ? json_loadb(got.value, got.size, 0, NULL) : NULL;
    if (got.version > 0)
        n = (int)json_integer_value(json_object_get(j, "turn"));
    json_decref(j);
    tc_free((void *)got.value);
    return n;
}

static void it_is_the_wall_clock(void **state)
{
    (void)state;
    start(0);
    assert_false(tc_agreed_is_sure(w.p[0]));
    for (int i = 1; i <= 100; i++) {
        pass(370);
        assert_int_equal(now(0), START + 370 * i);
    }
    assert_true(tc_agreed_is_sure(w.p[0]));
    w.clocks.wall += 900; /* less than a jump */
    pass(SECOND);
    assert_int_equal(now(0), w.clocks.wall);
    two_clocks_pass(&w.clocks, 1000 * (int64_t)HOUR); /* the machine slept */
    tc_agreed_sync(w.p[0]);
    assert_int_equal(now(0), w.clocks.wall);
    assert_int_equal(shared_store.changes, 0);
}

/* A minute stays one, but for an eighth of it, however often somebody looks; and all have the same. */
static void a_jump_changes_a_minute_by_an_eighth(void **state)
{
    static const int64_t jumps[] = {20 * SECOND, HOUR, 400000 * (int64_t)HOUR};
    static const int64_t steps[] = {1, 10, SECOND, 60 * SECOND};
    (void)state;
    for (size_t i = 0; i < 2 * sizeof jumps / sizeof *jumps; i++)
        for (size_t k = 0; k < sizeof steps / sizeof *steps; k++) {
            (void)close_world(NULL);
            (void)open_world(NULL);
            start(0);
            start(1);
            pass(3 * SECOND);
            int64_t jump = i % 2 ? -jumps[i / 2] : jumps[i / 2], from = now(0), last = from;
            w.clocks.wall += jump;
            for (int64_t t = 0; t < MINUTE; t += steps[k]) {
                pass(steps[k]);
                assert_true(now(0) >= last);
                last = now(0);
                assert_in_range(now(1) - last + 1, 0, 2);
            }
            pass(SECOND);
            int64_t gained = now(0) - from - MINUTE - SECOND;
            /* The jump is noticed by the first look after it, up to a step later. */
            int64_t most = (MINUTE + SECOND) / 8,
                    least = steps[k] > SECOND ? SECOND / 8 : most - SECOND / 8 - 1;
            assert_true(llabs(gained) <= most && llabs(gained) >= least);
            assert_true((gained > 0) == (jump > 0));
            assert_int_equal(turns(), 1);
        }
}

/* Who is new has seen this one. */
static void a_jump_just_after_the_start_is_one(void **state)
{
    (void)state;
    start(0);
    w.clocks.wall += HOUR;
    pass(SECOND);
    assert_int_equal(now(0), START + SECOND);
    assert_int_equal(turns(), 1);
    assert_false(tc_agreed_is_sure(w.p[0]));
    pass(2 * SECOND);
    assert_true(tc_agreed_is_sure(w.p[0]));
}

static void in_the_end_it_is_right(void **state)
{
    (void)state;
    start(0);
    pass(3 * SECOND);
    w.clocks.wall += HOUR;
    pass(4 * HOUR);
    assert_true(llabs(now(0) - (w.clocks.wall - HOUR / 2)) <= SECOND);
    start(1);
    assert_int_equal(now(1), now(0));
    pass(4 * HOUR + 10 * SECOND);
    assert_int_equal(now(0), w.clocks.wall);
    w.clocks.wall -= 10 * SECOND;
    pass(90 * SECOND);
    assert_int_equal(now(0), w.clocks.wall);
    assert_int_equal(turns(), 2);
}

/* ---- several processes ---- */

static void late_starters_have_the_same_time(void **state)
{
    static const int64_t jumps[] = {HOUR, -HOUR, 3 * HOUR};
    (void)state;
    start(0);
    pass(3 * SECOND);
    int64_t expected = now(0);
    for (int i = 0; i < 3; i++) {
        w.clocks.wall += jumps[i];
        pass(SECOND);
        start(i + 1);
        pass(10 * SECOND);
        expected += 11 * SECOND;
        assert_true(llabs(now(0) - expected) <= (i + 1) * 2 * SECOND);
        for (int k = 1; k <= i + 1; k++) {
            assert_true(llabs(now(k) - now(0)) <= 2);
            assert_true(tc_agreed_is_sure(w.p[k]));
        }
    }
    assert_int_equal(turns(), 3);
}

/* The clock was set, nobody has written it down yet, and one starts. */
static void a_starter_is_not_sure_until_it_has_watched(void **state)
{
    (void)state;
    for (int back = 0; back < 2; back++) {
        (void)close_world(NULL);
        (void)open_world(NULL);
        start(0);
        pass(3 * SECOND);
        w.clocks.wall += back ? -HOUR : HOUR;
        start(1);
        assert_false(tc_agreed_is_sure(w.p[1]));
        tc_agreed_sync(w.p[1]);
        assert_int_equal(turns(), 0); /* it has seen no jump */
        pass(SECOND);                 /* the other one has */
        assert_int_equal(turns(), 1);
        assert_false(tc_agreed_is_sure(w.p[1]));
        pass(SECOND);
        assert_true(llabs(now(1) - now(0)) <= 1);
        assert_true(llabs(now(0) - (START + 5 * SECOND)) <= SECOND);
        for (int64_t t = 2 * SECOND; t < TC_AGREED_WATCH_MS; t += 100) {
            assert_false(tc_agreed_is_sure(w.p[1]));
            pass(100);
        }
        pass(2 * SECOND);
        assert_true(tc_agreed_is_sure(w.p[1]));
        assert_int_equal(turns(), 1);
    }
}

static void be_faster(void *arg)
{
    (void)arg;
    tc_agreed_sync(w.p[1]);
}

static void of_two_who_notice_one_writes(void **state)
{
    (void)state;
    start(0);
    start(1);
    pass(3 * SECOND);
    w.clocks.wall += HOUR;
    two_clocks_pass(&w.clocks, SECOND);
    shared_store.interrupt = be_faster;
    tc_agreed_sync(w.p[0]); /* finds the jump; before it writes, the other one does */
    assert_int_equal(turns(), 1);
    assert_int_equal(now(0), START + 4 * SECOND);
    assert_int_equal(now(1), START + 4 * SECOND);
    pass(MINUTE);
    assert_int_equal(turns(), 1);
    assert_int_equal(now(0), now(1));
}

static void set_again(void *arg)
{
    w.clocks.wall += *(const int64_t *)arg;
    be_faster(NULL);
}

/* Between a look and its write the clock is set once more, and another process has written both. */
static void two_jumps_at_once_are_both_seen(void **state)
{
    int64_t more = 300 * SECOND;
    (void)state;
    start(0);
    start(1);
    pass(3 * SECOND);
    w.clocks.wall += HOUR;
    two_clocks_pass(&w.clocks, SECOND);
    shared_store.interrupt = set_again;
    shared_store.arg = &more;
    tc_agreed_sync(w.p[0]);
    w.clocks.wall -= 7 * HOUR; /* written down by one, and again before the other looks */
    two_clocks_pass(&w.clocks, SECOND);
    tc_agreed_sync(w.p[0]);
    w.clocks.wall += HOUR;
    tc_agreed_sync(w.p[1]);
    pass(3 * SECOND);
    assert_true(llabs(now(0) - now(1)) <= 1);
    assert_true(llabs(now(0) - (START + 8 * SECOND)) <= SECOND);
}

/* ---- one whose own clock stood still, as that of a machine that was paused ---- */

static void who_stood_still_follows_the_others(void **state)
{
    two_clocks own;
    (void)state;
    for (int paused = 1; paused <= 2; paused++) {
        (void)close_world(NULL);
        (void)open_world(NULL);
        own = w.clocks;
        start(0);
        for (int i = 1; i <= paused; i++)
            start_on(i, &own);
        for (int i = 0; i < 3; i++) {
            two_clocks_pass(&own, SECOND);
            pass(SECOND);
        }
        two_clocks_pass(&w.clocks, 10 * MINUTE);
        own.wall = w.clocks.wall; /* the store's is right; the process has not counted it */
        for (int i = 0; i < 10; i++) {
            two_clocks_pass(&own, SECOND);
            pass(SECOND);
            assert_int_equal(now(0), w.clocks.wall); /* who was right is not disturbed */
        }
        for (int i = 1; i <= paused; i++) {
            assert_int_equal(now(i), w.clocks.wall);
            assert_true(tc_agreed_is_sure(w.p[i]));
        }
        assert_int_equal(turns(), 2);
    }
}

/* ---- a store that fails ---- */

static void without_its_store_time_goes_on(void **state)
{
    (void)state;
    start(0);
    start(1);
    pass(3 * SECOND);
    shared_store.fails = true;
    w.clocks.wall += HOUR;
    pass(MINUTE);
    assert_int_equal(now(0), START + 63 * SECOND);
    assert_true(tc_agreed_is_sure(w.p[0]));
    shared_store.fails = false;
    pass(SECOND);
    assert_true(llabs(now(0) - (START + 64 * SECOND)) <= 1);
    pass(80 * SECOND);
    assert_true(llabs(now(0) - (START + 154 * SECOND)) <= SECOND);
    assert_int_equal(now(0), now(1));
    assert_int_equal(turns(), 1);
}

static void one_that_starts_without_it_is_not_sure(void **state)
{
    tacit_error err = {0};
    (void)state;
    shared_store.fails = true;
    start(0);
    assert_int_equal(now(0), START);
    pass(HOUR);
    assert_false(tc_agreed_is_sure(w.p[0]));
    assert_int_equal(tc_agreed_await(w.p[0], &err), TACIT_E_IO);
    assert_string_equal(err.msg, "the store is away");
    shared_store.fails = false;
    pass(SECOND);
    assert_false(tc_agreed_is_sure(w.p[0]));
    pass(3 * SECOND);
    assert_true(tc_agreed_is_sure(w.p[0]));
    assert_int_equal(now(0), w.clocks.wall);
}

static void who_must_be_sure_waits(void **state)
{
    tacit_error err = {0};
    (void)state;
    start(0);
    assert_ok(tc_agreed_await(w.p[0], &err));
    assert_true(tc_agreed_is_sure(w.p[0]));
    assert_int_equal(w.clocks.wall - START, TC_AGREED_WATCH_MS);
    assert_ok(tc_agreed_await(w.p[0], &err)); /* at once */
    assert_int_equal(w.clocks.wall - START, TC_AGREED_WATCH_MS);
}

/* Nobody else can use a store in memory. */
static void alone_one_is_sure(void **state)
{
    tacit_error err = {0};
    tc_hands hands = two_clocks_hands(&w.clocks);
    tc_store *store;
    tc_agreed *c;
    (void)state;
    assert_ok(tc_store_open(&store, "memory:", true, &err));
    assert_ok(tc_agreed_new(&c, store, &hands, &err));
    assert_true(tc_agreed_is_sure(c));
    w.clocks.wall += HOUR;
    w.clocks.truth += SECOND;
    tc_agreed_sync(c);
    assert_int_equal(tc_agreed_unix_ms(c), START + SECOND);
    tc_agreed_free(c);
    tc_store_close(store);
}

/* ---- while nobody watches ---- */

static void stop(int i)
{
    tc_agreed_free(w.p[i]);
    w.p[i] = NULL;
}

static void a_jump_that_nobody_sees_counts_as_time(void **state)
{
    (void)state;
    start(0);
    pass(MINUTE);
    stop(0);
    for (int i = 0; i < 2; i++) {
        w.clocks.wall += i ? 48 * HOUR : -48 * HOUR;
        start(0);
        assert_int_equal(now(0), w.clocks.wall);
        pass(MINUTE);
        assert_int_equal(now(0), w.clocks.wall);
        stop(0);
    }
    assert_int_equal(shared_store.changes, 0);
}

/* Somebody sets the clock wrong, and mends it when no process runs. */
static void a_mended_clock_is_right_at_once(void **state)
{
    (void)state;
    for (int back = 0; back < 2; back++) {
        start(0);
        pass(3 * SECOND);
        int64_t before = now(0), wrong = back ? -24 * HOUR : 24 * HOUR;
        w.clocks.wall += wrong;
        pass(HOUR);
        assert_true(llabs(now(0) - before - HOUR) <= HOUR / 8);
        stop(0);
        w.clocks.wall -= wrong;
        start(0);
        assert_int_equal(now(0), w.clocks.wall);
        pass(10 * SECOND);
        assert_int_equal(now(0), w.clocks.wall);
        start(1);
        assert_int_equal(now(1), w.clocks.wall);
        stop(1);
        stop(0);
        w.clocks.wall += wrong; /* what was in the store then does not come back */
        start(0);
        assert_int_equal(now(0), w.clocks.wall);
        stop(0);
    }
}

static void a_restart_goes_on(void **state)
{
    (void)state;
    start(0);
    pass(3 * SECOND);
    int64_t before = now(0);
    w.clocks.wall += 24 * HOUR;
    pass(10 * MINUTE);
    stop(0);
    two_clocks_pass(&w.clocks, 40 * SECOND);
    start(0);
    assert_true(llabs(now(0) - before - 640 * SECOND) <= 640 * SECOND / 8);
    stop(0);
    two_clocks_pass(&w.clocks, 2 * MINUTE); /* so long nobody has watched */
    start(0);
    assert_int_equal(now(0), w.clocks.wall);
}

/* One that did not look has kept what the others have forgotten. */
static void who_did_not_look_follows(void **state)
{
    (void)state;
    for (int back = 0; back < 2; back++) {
        start(0);
        pass(3 * SECOND);
        w.clocks.wall += back ? -HOUR : HOUR;
        pass(SECOND);
        int64_t before = now(0);
        two_clocks_pass(&w.clocks, 5 * MINUTE);
        assert_true(llabs(now(0) - before - 5 * MINUTE) <= 5 * MINUTE / 8);
        start(1);
        for (int i = 0; i < 5; i++) {
            two_clocks_pass(&w.clocks, SECOND);
            tc_agreed_sync(w.p[1]);
        }
        assert_int_equal(now(1), w.clocks.wall);
        pass(SECOND);
        assert_int_equal(now(0), w.clocks.wall);
        stop(0);
        stop(1);
    }
}

/* The store is written to while time differs from the wall clock, and not after. */
static void nothing_is_renewed_in_the_end(void **state)
{
    (void)state;
    start(0);
    start(1);
    pass(3 * SECOND);
    w.clocks.wall += MINUTE;
    pass(9 * MINUTE);
    assert_int_equal(now(0), w.clocks.wall);
    assert_in_range(shared_store.changes, 2, 9 * 6);
    int changes = shared_store.changes;
    pass(HOUR);
    assert_int_equal(shared_store.changes, changes);
    assert_int_equal(now(1), w.clocks.wall);
}

static bool has_anchor(tc_store *s)
{
    tacit_error err = {0};
    tc_record which = {.kind = TC_RECORD_SERVER, .key = "clock", .key_size = 5}, got;
    assert_true(tc_agreed_is_anchor(&which));
    assert_ok(tc_store_record_find(s, &which, &got, &err));
    tc_free((void *)got.value);
    return got.version > 0;
}

static void a_backup_has_no_anchor(void **state)
{
    tacit_error err = {0};
    tc_store *copy;
    (void)state;
    start(0);
    pass(3 * SECOND);
    w.clocks.wall += HOUR;
    pass(SECOND);
    assert_true(has_anchor(w.store));
    for (int as_backup = 0; as_backup < 2; as_backup++) {
        assert_ok(tc_store_open(&copy, "memory:", true, &err));
        assert_ok(tc_backup_copy(copy, w.store, as_backup, &err));
        assert_false(has_anchor(copy));
        tc_store_close(copy);
    }
}

static void stop_all(void)
{
    tacit_error err = {0};
    tc_record_range all = {.kind = TC_RECORD_SERVER};
    for (int i = 0; i < PROCESSES; i++) {
        tc_agreed_free(w.p[i]);
        w.p[i] = NULL;
    }
    assert_ok(tc_store_record_drop(w.store, &all, &err));
}

static void an_anchor_that_makes_no_sense_is_made_anew(void **state)
{
    static const char *const texts[] = {
        "{", "{}", "{\"wall_ms\": 1, \"time_ms\": 1, \"jumps_ms\": 1}",
        "{\"wall_ms\": 1, \"time_ms\": 1, \"jumps_ms\": 9000000000000000, \"turn\": 1}"};
    tacit_error err = {0};
    (void)state;
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        tc_record which = {.kind = TC_RECORD_SERVER, .key = "clock", .key_size = 5};
        lines = 0;
        start(0);
        pass(3 * SECOND);
        int64_t before = now(0);
        assert_ok(tc_store_record_keep(w.store, &which, 0, texts[i], strlen(texts[i]), &err));
        tc_log_set(note, NULL, TC_LOG_WARN);
        w.clocks.wall += HOUR;
        pass(MINUTE);
        assert_in_range(now(0) - before, MINUTE, 69 * SECOND); /* the jump was seen all the same */
        assert_int_equal(lines, 2);
        tc_log_set(NULL, NULL, TC_LOG_ERROR);
        start(1); /* and one that starts now gets sure */
        pass(3 * SECOND);
        assert_true(tc_agreed_is_sure(w.p[1]));
        assert_in_range(now(1) - now(0) + SECOND, 0, 2 * SECOND);
        assert_ok(tc_agreed_await(w.p[1], &err));
        stop_all();
    }
}

static void a_clock_beyond_all_measure_is_not_followed(void **state)
{
    tacit_error err = {0};
    (void)state;
    lines = 0;
    start(0);
    pass(3 * SECOND);
    int64_t before = now(0);
    tc_log_set(note, NULL, TC_LOG_WARN);
    w.clocks.wall += INT64_C(80) * 365 * 24 * HOUR;
    pass(MINUTE);
    tc_log_set(NULL, NULL, TC_LOG_ERROR);
    assert_int_equal(now(0) - before, MINUTE);
    assert_int_equal(lines, 1);
    assert_false(has_anchor(w.store)); /* so nothing of it stays */
    w.clocks.wall -= INT64_C(80) * 365 * 24 * HOUR;
    start(1);
    pass(3 * SECOND);
    assert_ok(tc_agreed_await(w.p[1], &err));
    assert_in_range(now(1) - now(0) + SECOND, 0, 2 * SECOND);
}

/* ---- what is said ---- */

static void a_jump_is_said_once_by_each(void **state)
{
    (void)state;
    lines = 0;
    start(0);
    start(1);
    tc_log_set(note, NULL, TC_LOG_WARN);
    pass(100 * SECOND);
    assert_int_equal(lines, 0);
    w.clocks.wall -= 2 * HOUR;
    pass(100 * SECOND);
    assert_int_equal(lines, 2);
    assert_string_equal(last_line, "the storage's clock was set 7200 s back; deadlines and leases "
                                   "follow it slowly");
    w.clocks.wall += HOUR;
    start(2); /* before anybody has looked */
    pass(SECOND);
    pass(SECOND);
    tc_log_set(NULL, NULL, TC_LOG_ERROR);
    assert_int_equal(lines, 5);
    /* The others are two hours ahead of the wall clock as it was, but for what they made up for. */
    assert_string_equal(last_line,
                        "the time of this process was 3588 s behind that of the others on "
                        "this storage; it takes theirs");
}

/* The clocks of the system: nobody sets them now, or it is their own jump that is found. */
static void by_itself_it_reads_the_system(void **state)
{
    tacit_error err = {0};
    (void)state;
    int64_t before = tc_clock_unix_ms();
    assert_ok(tc_agreed_new(&w.p[0], w.store, NULL, &err));
    int64_t at = now(0), after = tc_clock_unix_ms();
    assert_true(before <= at + 1 && at <= after + 1);
}

#define IN_WORLD(test) cmocka_unit_test_setup_teardown(test, open_world, close_world)

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(an_anchor_is_left_by_an_eighth),
        IN_WORLD(it_is_the_wall_clock),
        IN_WORLD(a_jump_changes_a_minute_by_an_eighth),
        IN_WORLD(a_jump_just_after_the_start_is_one),
        IN_WORLD(in_the_end_it_is_right),
        IN_WORLD(late_starters_have_the_same_time),
        IN_WORLD(a_starter_is_not_sure_until_it_has_watched),
        IN_WORLD(of_two_who_notice_one_writes),
        IN_WORLD(two_jumps_at_once_are_both_seen),
        IN_WORLD(who_stood_still_follows_the_others),
        IN_WORLD(without_its_store_time_goes_on),
        IN_WORLD(one_that_starts_without_it_is_not_sure),
        IN_WORLD(who_must_be_sure_waits),
        IN_WORLD(alone_one_is_sure),
        IN_WORLD(a_jump_that_nobody_sees_counts_as_time),
        IN_WORLD(a_mended_clock_is_right_at_once),
        IN_WORLD(a_restart_goes_on),
        IN_WORLD(who_did_not_look_follows),
        IN_WORLD(nothing_is_renewed_in_the_end),
        IN_WORLD(a_backup_has_no_anchor),
        IN_WORLD(an_anchor_that_makes_no_sense_is_made_anew),
        IN_WORLD(a_clock_beyond_all_measure_is_not_followed),
        IN_WORLD(a_jump_is_said_once_by_each),
        IN_WORLD(by_itself_it_reads_the_system),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
