/* postgres_outage_test.c - connections that break, answers that are lost, servers that stop or crash: what was
 * acknowledged is there, and who has seen what is gone is told so.
 *
 * Runs under tests/support/postgres, which gives it a server; without one it is skipped. */
#include "support/lost_answer.h"

#include <unistd.h>

/* ---- connections that break */

/* A server's process that ends before COMMIT has done nothing; the append is made anew. */
static void an_interrupted_append_is_made_once(void **state)
{
    (void)state;
    tc_store *s = open_store();
    int64_t id = put(s, "a");
    tacit_error err = {0};
    sql("CREATE SEQUENCE turns;"
        "CREATE FUNCTION tacit.die() RETURNS trigger LANGUAGE plpgsql AS $$BEGIN"
        " IF nextval('public.turns') = 2 THEN PERFORM pg_terminate_backend(pg_backend_pid());"
        " END IF; RETURN NULL; END$$;"
        "CREATE TRIGGER dies AFTER INSERT ON tacit.events FOR EACH ROW EXECUTE FUNCTION "
        "tacit.die()");
    for (uint64_t trial = 0; trial < 4; trial++)
        assert_ok(append(s, id, TC_EVENT_TELL, trial, &err));
    assert_int_equal(sql("SELECT last_value FROM turns"), 5);
    assert_int_equal(events_of(s, id), 4);
    tc_store_close(s);
}

/* The server has committed, and nobody hears of it. */
static void a_lost_answer_is_looked_up_in_the_journal(void **state)
{
    (void)state;
    static const tc_event_kind kinds[] = {TC_EVENT_TELL, TC_EVENT_ASK};
    tc_store *s = open_store();
    int64_t id = put(s, "a");
    tacit_error err = {0};
    for (uint64_t i = 0; i < 2; i++) {
        lose = "COMMIT";
        assert_ok(append(s, id, kinds[i], i, &err));
        assert_null(lose);
        assert_int_equal(events_of(s, id), i + 1);
    }
    assert_int_equal(append(s, id, TC_EVENT_TELL, 0, &err), TACIT_E_STATE);
    tc_store_close(s);
}

/* Where a second attempt would meet the first one's work, the failure is reported. */
static void other_lost_answers_are_failures(void **state)
{
    (void)state;
    tc_store *s = open_store();
    tacit_error err = {0};
    int64_t id;
    tc_study_row row = {.name = "a", .document = "{}"};
    tc_change c = {TC_INSERT, {.kind = TC_RECORD_TOKEN, .key = "k", .key_size = 1, .value = ""}};
    lose = "INSERT";
    assert_fails(tc_store_study_put(s, &row, &id, &err), TACIT_E_IO, "cannot be reached: ");
    assert_int_equal(tc_store_study_put(s, &row, &id, &err), TACIT_E_CONFLICT);
    lose = "COMMIT";
    assert_fails(tc_store_change(s, &c, 1, NULL, &err), TACIT_E_IO, "cannot be reached: ");
    assert_int_equal(tc_store_change(s, &c, 1, NULL, &err), TACIT_E_CONFLICT);
    tc_store_close(s);
}

static void reads_are_repeated(void **state)
{
    (void)state;
    tc_store *s = open_store();
    int64_t id = put(s, "a");
    tacit_error err = {0};
    assert_ok(append(s, id, TC_EVENT_TELL, 7, &err));
    lose = "SELECT";
    assert_int_equal(head_of(s, id), 1);
    assert_null(lose);
    lose = "SELECT";
    assert_int_equal(events_of(s, id), 1);
    assert_null(lose);
    tc_store_close(s);
}

/* ---- servers that go away */

static void a_restarted_server_is_found_again(void **state)
{
    (void)state;
    tc_store *s = open_store();
    int64_t id = put(s, "a");
    tacit_error err = {0};
    assert_ok(append(s, id, TC_EVENT_TELL, 0, &err));
    control("stop");
    assert_fails(append(s, id, TC_EVENT_TELL, 1, &err), TACIT_E_IO, "cannot be reached: ");
    assert_null(strchr(err.msg, '\n'));
    control("start");
    assert_ok(append(s, id, TC_EVENT_TELL, 1, &err));
    tc_change c = {TC_INSERT, {.kind = TC_RECORD_TOKEN, .key = "k", .key_size = 1, .value = ""}};
    assert_ok(tc_store_change(s, &c, 1, NULL, &err));
    control("crash");
    control("start");
    put(s, "b"); /* no call notices, not even one that is never repeated */
    assert_int_equal(tc_store_change(s, &c, 1, NULL, &err), TACIT_E_CONFLICT);
    assert_int_equal(events_of(s, id), 2);
    tc_store_close(s);
}

/* Asks are not waited for; a tell covers those before it. A database that is set to be careless is
 * not believed. */
static void what_was_told_survives_a_crash(void **state)
{
    (void)state;
    enum { TRIALS = 30 };
    sql("ALTER DATABASE postgres SET synchronous_commit = off");
    tc_store *s = open_store();
    int64_t id = put(s, "a");
    tacit_error err = {0};
    tc_ledger_io io;
    tc_ledger_record r = {.seq = 1, .entry = (const uint8_t *)"e", .entry_size = 1};
    tacit_head head;
    assert_ok(tc_store_ledger(s, "main", true, &io, &err));
    assert_ok(io.append(&io, &r, &err));
    for (uint64_t trial = 0; trial < TRIALS; trial++)
        assert_ok(append(s, id, TC_EVENT_ASK, trial, &err));
    for (uint64_t trial = 0; trial < TRIALS; trial++)
        assert_ok(append(s, id, TC_EVENT_TELL, trial, &err));
    control("crash");
    control("start");
    assert_int_equal(events_of(s, id), 2 * TRIALS);
    assert_ok(io.head(&io, &head, &err));
    assert_int_equal(head.seq, 1);
    tc_store_close(s);
    sql("ALTER DATABASE postgres RESET synchronous_commit");
}

/* Who has seen an event that nobody waited for, and waits for the disk, finds it on disk; and nothing is written where
 * all is. The server writes for itself, too, now and then: not every time. */
static void what_was_seen_becomes_durable(void **state)
{
    (void)state;
    enum { TIMES = 8 };
    tc_store *s = open_store();
    int64_t id = put(s, "a");
    tacit_error err = {0};
    int quiet = 0;
    char flushed[160];
    static const char end[] = "SELECT (pg_current_wal_insert_lsn() - '0/0')::int8";
    for (uint64_t i = 0; i < TIMES; i++) {
        assert_ok(append(s, id, TC_EVENT_ASK, i, &err));
        int64_t written = sql(end);
        assert_ok(tc_store_wait_durable(s, tc_store_moment(s), &err));
        snprintf(flushed, sizeof flushed,
                 "SELECT (pg_current_wal_flush_lsn() - '0/0' >= %lld)::int", (long long)written);
        assert_int_equal(sql(flushed), 1);
        int64_t before = sql(end);
        assert_ok(tc_store_wait_durable(s, tc_store_moment(s), &err));
        quiet += sql(end) == before;
    }
    assert_true(quiet > 0);
    tc_store_close(s);
}

/* What a crash may take back is the end of the journal; the handle goes on from there. */
static void a_crash_takes_at_most_the_end_of_a_journal(void **state)
{
    (void)state;
    tc_store *s = open_store();
    int64_t id = put(s, "a");
    tacit_error err = {0};
    uint64_t head, n;
    tc_event_row e = {.kind = TC_EVENT_ASK, .trial = 500, .body = "{}"};
    assert_ok(append(s, id, TC_EVENT_TELL, 500, &err));
    for (uint64_t trial = 0; trial < 20; trial++)
        assert_ok(append(s, id, TC_EVENT_ASK, trial, &err));
    control("crash");
    control("start");
    n = events_of(s, id);
    assert_in_range(n, 1, 21); /* asks were not waited for, and the log's writer is lazy */
    assert_int_equal(head_of(s, id), n);
    tc_append a = {.study = id, .head = n, .events = &e, .n = 1};
    assert_ok(tc_store_append(s, &a, &head, &err));
    assert_int_equal(head, n + 1);
    tc_store_close(s);
}

/* A session with a hold does nothing else, and a server may be set to end such. */
static void a_hold_may_idle(void **state)
{
    (void)state;
    tacit_error err = {0};
    tc_name_lock *mine, *yours;
    if (sql("SHOW server_version_num") < 140000)
        skip();
    sql("ALTER DATABASE postgres SET idle_session_timeout = '50ms'");
    tc_store *a = open_store(), *b = open_store();
    assert_ok(tc_store_lock_name(a, "x", &mine, &err));
    sql("SELECT 1 FROM pg_sleep(0.4)");
    assert_fails(tc_store_lock_name(b, "x", &yours, &err), TACIT_E_BUSY,
                 "another process holds it in ");
    tc_name_unlock(mine);
    tc_store_close(a);
    tc_store_close(b);
    sql("ALTER DATABASE postgres RESET idle_session_timeout");
}

/* ---- what a crash took back */

static tc_event_id append_after(tc_store *s, int64_t study, tc_event_id at, tc_event_kind kind,
                                uint64_t trial)
{
    tc_event_id end = {0};
    tacit_error err = {0};
    tc_event_row e = {.kind = kind, .trial = trial, .body = "{}"};
    tc_append a = {.study = study, .head = at.seq, .mark = at.mark, .events = &e, .n = 1};
    assert_ok(tc_store_append_id(s, &a, &end, &err));
    return end;
}

/* Neither read after, nor written after, nor confirmed; in whatever way it is written. */
static void assert_gone(tc_store *s, int64_t study, tc_event_id at)
{
    tc_event_id end = {0};
    tacit_error err = {0};
    uint64_t n = 0;
    tc_event_row e = {.kind = TC_EVENT_TELL, .trial = 900, .body = "{}"};
    tc_append a = {.study = study, .head = at.seq, .mark = at.mark, .events = &e, .n = 1};
    assert_fails(tc_store_scan_after(s, study, at, count, &n, &err), TACIT_E_CONFLICT,
                 "the journal does not have that event");
    assert_int_equal(n, 0);
    for (int late = 0; late < 2; late++) {
        a.late = late;
        assert_fails(tc_store_append_id(s, &a, &end, &err), TACIT_E_CONFLICT, "any more");
    }
    assert_fails(tc_store_confirm(s, study, at, &err), TACIT_E_CONFLICT, "any more");
}

static void who_has_read_what_is_lost_is_told_so(void **state)
{
    (void)state;
    tc_store *s = open_store();
    int64_t id = put(s, "a");
    tacit_error err = {0};
    tc_event_id kept, lost = append_after(s, id, (tc_event_id){0}, TC_EVENT_ASK, 0);
    uint64_t n = lost.seq;
    for (int i = 0; i < 10 && n == lost.seq;
         i++) { /* again, should the log's writer be quick for once */
        kept = lost;
        assert_ok(tc_store_confirm(s, id, kept, &err));
        for (uint64_t more = 0; more < 3; more++)
            lost = append_after(s, id, lost, TC_EVENT_ASK, lost.seq);
        control("crash");
        control("start");
        n = kept.seq;
        assert_ok(tc_store_scan_after(s, id, kept, count, &n, &err)); /* and what else there is */
    }
    assert_true(n < lost.seq);
    assert_gone(s, id, lost);
    /* Others write as much as was lost: the same numbers, and other events. */
    for (tc_event_id at = {.seq = n}; at.seq < lost.seq;)
        at = append_after(s, id, at, TC_EVENT_ASK, at.seq);
    assert_int_equal(head_of(s, id), lost.seq);
    assert_gone(s, id, lost);
    tc_store_close(s);
}

/* An attempt that was carried out, seen and lost leaves nothing that looks like the second attempt. */
static void a_second_attempt_is_another_event(void **state)
{
    (void)state;
    tc_store *s = open_store();
    int64_t id = put(s, "a");
    tc_event_id at = append_after(s, id, (tc_event_id){0}, TC_EVENT_ASK, 0);
    tc_event_id next = append_after(s, id, at, TC_EVENT_ASK, 1);
    assert_int_not_equal(at.mark, next.mark);
    lose = "COMMIT"; /* carried out, and the answer is lost: the same event is found */
    tc_event_id found = append_after(s, id, next, TC_EVENT_ASK, 2);
    assert_null(lose);
    assert_int_equal(found.seq, 3);
    uint64_t n = 3;
    tacit_error err = {0};
    assert_ok(tc_store_scan_after(s, id, found, count, &n, &err));
    tc_store_close(s);
}

/* What was seen before a crash may be gone, whatever the server has on disk since; what was read after it
 * is not in doubt, from the first moment on. */
static void what_was_seen_before_a_crash_is_not_durable(void **state)
{
    (void)state;
    tc_store *s = open_store();
    int64_t id = put(s, "a");
    tacit_error err = {0};
    assert_ok(append(s, id, TC_EVENT_ASK, 0, &err));
    uint64_t before = tc_store_moment(s);
    assert_int_equal(head_of(s, id), 1);
    control("crash");
    control("start");
    assert_fails(tc_store_wait_durable(s, before, &err), TACIT_E_BUSY, "was lost meanwhile");
    assert_true(head_of(s, id) <= 1);
    assert_fails(tc_store_wait_durable(s, before, &err), TACIT_E_BUSY, "ask again");
    assert_ok(tc_store_wait_durable(s, tc_store_moment(s), &err));
    before = tc_store_moment(s);
    control("crash");
    control("start");
    assert_ok(
        tc_store_wait_durable(s, tc_store_moment(s), &err)); /* nobody has noticed it before */
    before = tc_store_moment(s);
    lose = "SELECT"; /* under way: the work is done again, and that is no comfort */
    assert_true(head_of(s, id) <= 1);
    assert_null(lose);
    assert_fails(tc_store_wait_durable(s, before, &err), TACIT_E_BUSY, "was lost");
    assert_ok(tc_store_wait_durable(s, tc_store_moment(s), &err));
    tc_store_close(s);
}

/* Keeps a connection busy while another one is used, and perhaps breaks. */
static tacit_status use_another(tc_postgres *s, PGconn *c, void *user, tacit_error *err)
{
    const int64_t *study = user;
    uint64_t head;
    (void)c;
    return journal_end(&s->base, *study, &head, err);
}

/* A connection that lives proves that the server did not crash. */
static void one_broken_connection_is_no_crash(void **state)
{
    (void)state;
    tc_store *s = open_store();
    int64_t id = put(s, "a");
    tacit_error err = {0};
    assert_ok(tc_pg_with((tc_postgres *)s, false, use_another, &id, &err)); /* now there are two */
    uint64_t before = tc_store_moment(s);
    lose = "SELECT";
    assert_ok(tc_pg_with((tc_postgres *)s, false, use_another, &id, &err));
    assert_null(lose);
    assert_ok(tc_store_wait_durable(s, before, &err));
    tc_store_close(s);
}

int main(void)
{
    if (!has_server())
        return 77;
    const struct CMUnitTest tests[] = {
        WHERE_ANSWERS_ARE_LOST(an_interrupted_append_is_made_once),
        WHERE_ANSWERS_ARE_LOST(a_lost_answer_is_looked_up_in_the_journal),
        WHERE_ANSWERS_ARE_LOST(other_lost_answers_are_failures),
        WHERE_ANSWERS_ARE_LOST(reads_are_repeated),
        WHERE_ANSWERS_ARE_LOST(a_restarted_server_is_found_again),
        WHERE_ANSWERS_ARE_LOST(what_was_told_survives_a_crash),
        WHERE_ANSWERS_ARE_LOST(what_was_seen_becomes_durable),
        WHERE_ANSWERS_ARE_LOST(a_crash_takes_at_most_the_end_of_a_journal),
        WHERE_ANSWERS_ARE_LOST(a_hold_may_idle),
        WHERE_ANSWERS_ARE_LOST(who_has_read_what_is_lost_is_told_so),
        WHERE_ANSWERS_ARE_LOST(a_second_attempt_is_another_event),
        WHERE_ANSWERS_ARE_LOST(what_was_seen_before_a_crash_is_not_durable),
        WHERE_ANSWERS_ARE_LOST(one_broken_connection_is_no_crash),
    };
    return RUN_ON_SERVER("postgres_outage", tests);
}
