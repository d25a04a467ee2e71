/* postgres_test.c - what is PostgreSQL's alone: whose schema it is, servers that go away, answers that
 * are lost, processes that share a database. The conformance suite has the rest.
 *
 * Runs under tests/support/postgres, which gives it a server; without one it is skipped. */
#undef _FORTIFY_SOURCE /* it would make recv, which is replaced below, an inline function */
#include "support/test.h"

#include "study/postgres_int.h"

#include "base/memory.h"
#include "privacy/mechanism.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

/* ---- answers that are lost: libpq's call ends up here */

static const char *lose; /* the answer that has this in it does not arrive; then NULL */

TACIT_API ssize_t recv(int fd, void *data, size_t n, int flags);

ssize_t recv(int fd, void *data, size_t n, int flags)
{
    ssize_t got = syscall(SYS_recvfrom, fd, data, n, flags, NULL, NULL);
    if (got > 0 && lose && memmem(data, (size_t)got, lose, strlen(lose))) {
        lose = NULL;
        shutdown(fd, SHUT_RDWR);
        memset(data, 0, (size_t)got);
        errno = ECONNRESET;
        return -1;
    }
    return got;
}

/* ---- the server of the test */

static const char *url;
static char place[200]; /* what messages call it */

static void control(const char *verb)
{
    char command[600];
    snprintf(command, sizeof command, "%s %s", getenv("TACIT_POSTGRES_CONTROL"), verb);
    assert_int_equal(system(command), 0);
}

static int64_t sql(const char *text)
{
    PGconn *c = PQconnectdb(url);
    PGresult *r = PQexec(c, text);
    ExecStatusType status = PQresultStatus(r);
    if (status != PGRES_TUPLES_OK && status != PGRES_COMMAND_OK)
        fail_msg("%s", PQerrorMessage(c));
    int64_t value = PQntuples(r) > 0 ? strtoll(PQgetvalue(r, 0, 0), NULL, 10) : 0;
    PQclear(r);
    PQfinish(c);
    return value;
}

static int clear_database(void **state)
{
    (void)state;
    lose = NULL;
    sql("SET client_min_messages = error; DROP SCHEMA IF EXISTS tacit CASCADE;"
        " DROP SEQUENCE IF EXISTS turns; DROP TABLE IF EXISTS other");
    return 0;
}

static tc_store *open_store(void)
{
    tc_store *s = NULL;
    tacit_error err = {0};
    assert_ok(tc_store_open(&s, url, true, &err));
    return s;
}

static int64_t put(tc_store *s, const char *name)
{
    int64_t id = 0;
    tacit_error err = {0};
    tc_study_row row = {.name = (char *)name, .document = "{}"};
    assert_ok(tc_store_study_put(s, &row, &id, &err));
    return id;
}

static tacit_status append(tc_store *s, int64_t study, tc_event_kind kind, uint64_t trial,
                           tacit_error *err)
{
    uint64_t head;
    tc_event_row e = {.kind = kind, .trial = trial, .body = "{}"};
    tc_append a = {.study = study,
                   .head = TC_ANY_HEAD,
                   .events = &e,
                   .n = 1,
                   .durable = kind == TC_EVENT_TELL};
    return tc_store_append(s, &a, &head, err);
}

static uint64_t head_of(tc_store *s, int64_t study)
{
    uint64_t head = 0;
    tacit_error err = {0};
    assert_ok(tc_store_head(s, study, &head, &err));
    return head;
}

static tacit_status count(void *user, const tc_event_row *e, tacit_error *err)
{
    (void)err;
    uint64_t *n = user;
    return e->seq == ++*n ? TACIT_OK : TACIT_E_INTERNAL;
}

static uint64_t events_of(tc_store *s, int64_t study)
{
    uint64_t n = 0;
    tacit_error err = {0};
    assert_ok(tc_store_scan(s, study, 0, count, &n, &err));
    return n;
}

/* ---- whose schema is it? */

static void check_refused(bool create, tacit_status expected, const char *sentence)
{
    tc_store *s = NULL;
    tacit_error err = {0};
    char want[500];
    snprintf(want, sizeof want, sentence, place);
    assert_int_equal(tc_store_open(&s, url, create, &err), expected);
    assert_string_equal(err.msg, want);
    assert_null(s);
}

static void an_absent_store_is_made_only_on_request(void **state)
{
    (void)state;
    sql("CREATE TABLE other(x int)");
    check_refused(false, TACIT_E_NOT_FOUND, "there is no tacit store in %s");
    assert_int_equal(sql("SELECT count(*) FROM pg_namespace WHERE nspname = 'tacit'"), 0);
    tc_store_close(open_store());
    assert_int_equal(sql("SELECT schema FROM tacit.store"), 2);
    assert_int_equal(sql("SELECT count(*) FROM other"), 0);
    tc_store *s = NULL;
    tacit_error err = {0};
    assert_ok(tc_store_open(&s, url, false, &err));
    tc_store_close(s);
}

static void an_empty_schema_is_taken(void **state)
{
    (void)state;
    sql("CREATE SCHEMA tacit");
    check_refused(false, TACIT_E_NOT_FOUND, "there is no tacit store in %s");
    tc_store_close(open_store());
}

static void a_foreign_schema_is_left_untouched(void **state)
{
    (void)state;
    static const char *const tables[] = {"CREATE TABLE tacit.mine(x int)",
                                         "CREATE TABLE tacit.store(x int)",
                                         "CREATE TABLE tacit.store(application text, schema int)"};
    for (size_t i = 0; i < sizeof tables / sizeof tables[0]; i++) {
        clear_database(NULL);
        sql("CREATE SCHEMA tacit");
        sql(tables[i]);
        for (int create = 0; create < 2; create++)
            check_refused(create, TACIT_E_CORRUPT,
                          "the schema \"tacit\" in %s is not a tacit store; it was left untouched");
        assert_int_equal(sql("SELECT count(*) FROM pg_class"
                             " WHERE relnamespace = 'tacit'::regnamespace AND relkind = 'r'"),
                         1);
    }
}

static void a_newer_schema_is_refused(void **state)
{
    (void)state;
    tc_store_close(open_store());
    sql("UPDATE tacit.store SET schema = 3");
    check_refused(true, TACIT_E_CORRUPT,
                  "%s was written by a newer tacit (schema 3; this one knows 2)");
}

static tacit_status count_event(void *user, const tc_event_row *e, tacit_error *err)
{
    (void)e;
    (void)err;
    ++*(int *)user;
    return TACIT_OK;
}

/* From before there were checksums: its events are taken as they are, later ones are checked. */
static void an_older_schema_goes_on(void **state)
{
    (void)state;
    tacit_error err = {0};
    tc_record got, which = {.kind = TC_RECORD_TOKEN, .key = "k", .key_size = 1};
    tc_change c = {.what = TC_INSERT, .record = which};
    c.record.value = "value";
    c.record.size = 5;
    int n = 0;
    tc_store *s = open_store();
    int64_t id = put(s, "a");
    for (uint64_t i = 0; i < 3; i++)
        assert_ok(append(s, id, TC_EVENT_TELL, i, &err));
    assert_ok(tc_store_change(s, &c, 1, NULL, &err));
    tc_store_close(s);
    sql("ALTER TABLE tacit.events DROP COLUMN sum; ALTER TABLE tacit.records DROP COLUMN sum;"
        "ALTER TABLE tacit.journals DROP COLUMN sum, DROP COLUMN origin, DROP COLUMN plain;"
        "UPDATE tacit.store SET schema = 1");
    s = open_store();
    assert_int_equal(sql("SELECT schema FROM tacit.store"), 2);
    assert_ok(append(s, id, TC_EVENT_TELL, 3, &err));
    assert_fails(append(s, id, TC_EVENT_TELL, 1, &err), TACIT_E_STATE, "told already");
    assert_ok(tc_store_scan(s, id, 0, count_event, &n, &err));
    assert_int_equal(n, 4);
    assert_ok(tc_store_told(s, id, 1, count_event, &n, &err));
    assert_ok(tc_store_told(s, id, 3, count_event, &n, &err));
    assert_ok(tc_store_record_get(s, &which, &got, &err));
    tc_free((void *)got.value);
    sql("UPDATE tacit.records SET value = 'valve'");
    assert_fails(tc_store_record_get(s, &which, &got, &err), TACIT_E_CORRUPT, "its checksum");
    sql("UPDATE tacit.events SET body = '{\"v\": 9}' WHERE seq = 4");
    assert_fails(tc_store_scan(s, id, 0, count_event, &n, &err), TACIT_E_CORRUPT, "event 4");
    assert_fails(tc_store_told(s, id, 3, count_event, &n, &err), TACIT_E_CORRUPT, "event 4");
    tc_store_close(s);
}

static void missing_tables_are_damage(void **state)
{
    (void)state;
    tc_store_close(open_store());
    sql("DROP TABLE tacit.events");
    check_refused(true, TACIT_E_CORRUPT, "%s is damaged: relation \"tacit.events\" does not exist");
}

/* A journal whose end was set back, as a careless restore may do. */
static void events_beyond_the_end_are_damage(void **state)
{
    (void)state;
    tc_store *s = open_store();
    int64_t id = put(s, "a");
    tacit_error err = {0};
    assert_ok(append(s, id, TC_EVENT_TELL, 0, &err));
    sql("UPDATE tacit.journals SET head = 0");
    assert_fails(append(s, id, TC_EVENT_TELL, 1, &err), TACIT_E_CORRUPT, "is damaged: duplicate");
    tc_store_close(s);
}

/* ---- what cannot be reached or stored */

static void failures_do_not_show_the_password(void **state)
{
    (void)state;
    static const char *const urls[] = {
        "postgresql://me:hunter2@127.0.0.1:1/db",
        "postgresql://me:hunter2@/db?host=/nowhere",
        "postgresql://me@127.0.0.1:1/db?password=hunter2",
        "postgresql://me:hunter2@127.0.0.1:port/db",
        "postgresql://me:hun@ter2@127.0.0.1/db",
        "postgresql://me:hunter2/x@127.0.0.1/db",
        "postgresql://me:hunter2@127.0.0.1:1/db?sslmode=hunter",
        "postgresql://me:hunter2@[::1/db",
        "postgresql://me:hunter2%zz@127.0.0.1/db",
        "postgresql:me:hunter2@127.0.0.1",
        "postgres://me:hunter2@127.0.0.1:1/db?nonsense",
        "postgre://me:hunter2@127.0.0.1:1/db",
    };
    for (size_t i = 0; i < sizeof urls / sizeof urls[0]; i++) {
        tc_store *s = NULL;
        tacit_error err = {0};
        tacit_status st = tc_store_open(&s, urls[i], true, &err);
        assert_true(st == TACIT_E_IO || st == TACIT_E_ARG);
        if (strstr(err.msg, "hunter2") || strstr(err.msg, "ter2") || strchr(err.msg, '\n'))
            fail_msg("%s: %s", urls[i], err.msg);
    }
}

static void an_absent_server_is_one_sentence(void **state)
{
    (void)state;
    tc_store *s = NULL;
    tacit_error err = {0};
    assert_fails(tc_store_open(&s, "postgresql:///db?host=/nowhere&user=me", true, &err),
                 TACIT_E_IO, "database \"db\" at /nowhere:5432 cannot be reached: connection to ");
    assert_null(strchr(err.msg, '\n'));
}

static void text_must_be_utf8(void **state)
{
    (void)state;
    tc_store *s = open_store();
    int64_t id;
    tacit_error err = {0};
    tc_study_row row = {.name = "a", .document = "\xff\xfe"};
    assert_fails(tc_store_study_put(s, &row, &id, &err), TACIT_E_ARG,
                 "keeps no text that is not UTF-8");
    put(s, "b"); /* the connection is as good as before */
    tc_store_close(s);
}

static void a_locked_journal_is_busy(void **state)
{
    (void)state;
    tc_store *s = open_store();
    int64_t id = put(s, "a");
    tacit_error err = {0};
    char want[300];
    PGconn *other = PQconnectdb(url);
    ((tc_postgres *)s)->busy_ms = 50;
    PQclear(PQexec(((tc_postgres *)s)->links[0].conn, "SET lock_timeout = 50"));
    PQclear(PQexec(other, "BEGIN; SELECT 1 FROM tacit.journals FOR UPDATE"));
    snprintf(want, sizeof want, "%s stayed locked by another process for 0.05 s", place);
    assert_int_equal(append(s, id, TC_EVENT_TELL, 0, &err), TACIT_E_BUSY);
    assert_string_equal(err.msg, want);
    PQclear(PQexec(other, "ROLLBACK"));
    assert_ok(append(s, id, TC_EVENT_TELL, 0, &err));
    PQfinish(other);
    tc_store_close(s);
}

/* ---- pages */

static void long_journals_are_read_in_pages(void **state)
{
    (void)state;
    enum { N = 2500 };
    tc_store *s = open_store();
    int64_t id = put(s, "a");
    tc_event_row *events = tc_alloc(N, sizeof *events);
    uint64_t head = 0;
    tacit_error err = {0};
    for (uint64_t i = 0; i < N; i++)
        events[i] = (tc_event_row){.kind = TC_EVENT_TELL, .trial = i, .body = "{}"};
    tc_append a = {.study = id, .head = 0, .events = events, .n = N, .durable = true};
    assert_ok(tc_store_append(s, &a, &head, &err));
    assert_int_equal(head, N);
    assert_int_equal(events_of(s, id), N);
    a.n = 2000; /* a multiple of a page: nothing more, nothing twice */
    id = a.study = put(s, "b");
    assert_ok(tc_store_append(s, &a, &head, &err));
    assert_int_equal(events_of(s, id), 2000);
    tc_free(events);
    tc_store_close(s);
}

static tacit_status count_record(void *user, const tc_record *r, tacit_error *err)
{
    (void)err;
    uint64_t *n = user, at = 0;
    for (size_t i = 0; i < 2; i++)
        at = at << 8 | ((const uint8_t *)r->key)[i];
    return r->key_size == 2 && at == (*n)++ ? TACIT_OK : TACIT_E_INTERNAL;
}

static void records_are_read_in_pages(void **state)
{
    (void)state;
    enum { N = 1200 };
    static tc_change changes[N];
    static uint8_t keys[N][2];
    tc_store *s = open_store();
    tacit_error err = {0};
    for (size_t i = 0; i < N; i++) {
        keys[i][0] = (uint8_t)(i >> 8);
        keys[i][1] = (uint8_t)i;
        changes[N - 1 - i] = (tc_change){
            TC_INSERT, {.kind = TC_RECORD_MESSAGE, .key = keys[i], .key_size = 2, .value = ""}};
    }
    assert_ok(tc_store_change(s, changes, N, NULL, &err));
    static const uint64_t mosts[] = {0, 1, 499, 500, 501, 1000, 1200, 5000};
    for (size_t i = 0; i < sizeof mosts / sizeof mosts[0]; i++) {
        tc_record_range all = {.kind = TC_RECORD_MESSAGE, .most = mosts[i]};
        uint64_t n = 0;
        assert_ok(tc_store_record_scan(s, &all, count_record, &n, &err));
        assert_int_equal(n, mosts[i] == 0 || mosts[i] > N ? N : mosts[i]);
    }
    tc_store_close(s);
}

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
    tc_ledger_head head;
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

/* Who has seen an event that nobody waited for, and settles, finds it on disk; and nothing is written where
 * all is. The server writes for itself, too, now and then: not every time. */
static void what_was_seen_can_be_settled(void **state)
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
        assert_ok(tc_store_settle(s, tc_store_moment(s), &err));
        snprintf(flushed, sizeof flushed,
                 "SELECT (pg_current_wal_flush_lsn() - '0/0' >= %lld)::int", (long long)written);
        assert_int_equal(sql(flushed), 1);
        int64_t before = sql(end);
        assert_ok(tc_store_settle(s, tc_store_moment(s), &err));
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
    tc_hold *mine, *yours;
    if (sql("SHOW server_version_num") < 140000)
        skip();
    sql("ALTER DATABASE postgres SET idle_session_timeout = '50ms'");
    tc_store *a = open_store(), *b = open_store();
    assert_ok(tc_store_hold(a, "x", &mine, &err));
    sql("SELECT 1 FROM pg_sleep(0.4)");
    assert_fails(tc_store_hold(b, "x", &yours, &err), TACIT_E_BUSY, "another process holds it in ");
    tc_hold_end(mine);
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
static void what_was_seen_before_a_crash_is_not_settled(void **state)
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
    assert_fails(tc_store_settle(s, before, &err), TACIT_E_BUSY, "was lost meanwhile");
    assert_true(head_of(s, id) <= 1);
    assert_fails(tc_store_settle(s, before, &err), TACIT_E_BUSY, "ask again");
    assert_ok(tc_store_settle(s, tc_store_moment(s), &err));
    before = tc_store_moment(s);
    control("crash");
    control("start");
    assert_ok(tc_store_settle(s, tc_store_moment(s), &err)); /* nobody has noticed it before */
    before = tc_store_moment(s);
    lose = "SELECT"; /* under way: the work is done again, and that is no comfort */
    assert_true(head_of(s, id) <= 1);
    assert_null(lose);
    assert_fails(tc_store_settle(s, before, &err), TACIT_E_BUSY, "was lost");
    assert_ok(tc_store_settle(s, tc_store_moment(s), &err));
    tc_store_close(s);
}

/* Keeps a connection busy while another one is used, and perhaps breaks. */
static tacit_status use_another(tc_postgres *s, PGconn *c, void *user, tacit_error *err)
{
    const int64_t *study = user;
    uint64_t head;
    (void)c;
    return tc_store_head(&s->base, *study, &head, err);
}

/* One that lives is a witness that the server did not crash. */
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
    assert_ok(tc_store_settle(s, before, &err));
    tc_store_close(s);
}

/* ---- many at once */

typedef struct teller {
    tc_store *store;
    int64_t study;
    uint64_t first;
    bool ok;
} teller;

enum { TELLERS = 20, TELLS = 10 };

static void *tell_many(void *user)
{
    teller *t = user;
    tacit_error err;
    t->ok = true;
    for (uint64_t i = 0; i < TELLS; i++)
        t->ok = t->ok && append(t->store, t->study, TC_EVENT_TELL, t->first + i, &err) == TACIT_OK;
    return NULL;
}

static void threads_share_a_few_connections(void **state)
{
    (void)state;
    tc_store *s = NULL;
    tacit_error err = {0};
    char named[300];
    snprintf(named, sizeof named, "%s&application_name=shared", url);
    assert_ok(tc_store_open(&s, named, true, &err));
    int64_t id = put(s, "a");
    pthread_t threads[TELLERS];
    teller tellers[TELLERS];
    for (uint64_t i = 0; i < TELLERS; i++) {
        tellers[i] = (teller){.store = s, .study = id, .first = i * TELLS};
        assert_int_equal(pthread_create(&threads[i], NULL, tell_many, &tellers[i]), 0);
    }
    for (size_t i = 0; i < TELLERS; i++)
        pthread_join(threads[i], NULL);
    for (size_t i = 0; i < TELLERS; i++)
        assert_true(tellers[i].ok);
    assert_int_equal(events_of(s, id), TELLERS * TELLS);
    assert_in_range(sql("SELECT count(*) FROM pg_stat_activity WHERE application_name = 'shared'"),
                    1, TC_PG_LINKS);
    tc_store_close(s);
}

/* Each child makes or opens the same new store and appends; nothing is lost, none is refused. */
static int share(uint64_t child, uint64_t each)
{
    tc_store *s = NULL;
    tacit_error err = {0};
    tc_study_row row = {.name = "a", .document = "{}"}, got;
    int64_t id;
    if (tc_store_open(&s, url, true, &err) != TACIT_OK)
        return 1;
    tacit_status st = tc_store_study_put(s, &row, &id, &err);
    if (st != TACIT_OK && st != TACIT_E_CONFLICT)
        return 2;
    if (tc_store_study_get(s, "a", &got, &err) != TACIT_OK)
        return 3;
    for (uint64_t i = 0; i < each; i++)
        if (append(s, got.id, TC_EVENT_TELL, child * each + i, &err) != TACIT_OK)
            return 4;
    tc_study_row_fini(&got);
    tc_store_close(s);
    return 0;
}

static void processes_share_a_database(void **state)
{
    (void)state;
    enum { CHILDREN = 4, EACH = 40 };
    pid_t children[CHILDREN];
    for (uint64_t c = 0; c < CHILDREN; c++) {
        children[c] = fork();
        if (children[c] == 0)
            _exit(share(c, EACH));
    }
    for (int c = 0; c < CHILDREN; c++) {
        int status;
        assert_int_equal(waitpid(children[c], &status, 0), children[c]);
        assert_int_equal(status, 0);
    }
    tc_store *s = open_store();
    tc_study_row row;
    tacit_error err = {0};
    assert_ok(tc_store_study_get(s, "a", &row, &err));
    assert_int_equal(events_of(s, row.id), CHILDREN * EACH);
    tc_study_row_fini(&row);
    tc_store_close(s);
}

/* Two sets over the same keys, named in opposite orders, do not wait for each other: one wins. */
enum { SETS = 4, SET_KEYS = 1000 };

static pthread_barrier_t together;

static void *insert_sets(void *user)
{
    teller *t = user;
    tacit_error err;
    t->ok = true;
    for (int set = 0; set < SETS; set++) {
        tc_change c[SET_KEYS];
        uint8_t keys[SET_KEYS][3];
        for (size_t i = 0; i < SET_KEYS; i++) {
            size_t at = t->first ? i : SET_KEYS - 1 - i;
            keys[i][0] = (uint8_t)set;
            keys[i][1] = (uint8_t)(at >> 8);
            keys[i][2] = (uint8_t)at;
            c[i] = (tc_change){
                TC_INSERT,
                {.kind = TC_RECORD_AGENT, .key = keys[i], .key_size = 3, .value = "v", .size = 1}};
        }
        pthread_barrier_wait(&together);
        tacit_status st = tc_store_change(t->store, c, SET_KEYS, NULL, &err);
        t->ok = t->ok && (st == TACIT_OK || st == TACIT_E_CONFLICT);
    }
    return NULL;
}

static void sets_in_any_order_do_not_lock_each_other_out(void **state)
{
    (void)state;
    tc_store *s = open_store();
    tacit_error err = {0};
    pthread_t threads[2];
    teller t[2] = {{.store = s}, {.store = s, .first = 1}};
    pthread_barrier_init(&together, NULL, 2);
    for (int i = 0; i < 2; i++)
        assert_int_equal(pthread_create(&threads[i], NULL, insert_sets, &t[i]), 0);
    for (int i = 0; i < 2; i++)
        pthread_join(threads[i], NULL);
    pthread_barrier_destroy(&together);
    assert_true(t[0].ok && t[1].ok);
    tc_record_range all = {.kind = TC_RECORD_AGENT};
    uint64_t n = 0;
    assert_ok(tc_store_record_count(s, &all, &n, &err));
    assert_int_equal(n, SETS * SET_KEYS);
    tc_store_close(s);
}

/* ---- ledgers */

static tc_ledger *open_ledger(tc_store *s)
{
    tc_ledger_io io;
    tc_ledger *l = NULL;
    tacit_error err = {0};
    assert_ok(tc_store_ledger(s, "main", true, &io, &err));
    assert_ok(tc_ledger_open(&l, "main", &io, &err));
    return l;
}

/* Releases `value`; what left is returned. */
static double release(tc_ledger *l, uint64_t round, double value, bool expect_again)
{
    tc_release *r = NULL;
    tc_ledger_receipt receipt = {0};
    tc_ledger_charge c = {tc_ledger_study_hash("{}"), round, NULL};
    tacit_error err = {0};
    double left = 0;
    assert_ok(tc_none_release(&r, 1, 1, &value, TC_UNIT_ROW, "it is a test", &err));
    assert_ok(tc_ledger_release(l, NULL, &c, r, &receipt, &err));
    tc_release_free(r);
    assert_int_equal(receipt.size, sizeof left);
    assert_int_equal(receipt.again, expect_again);
    memcpy(&left, receipt.bytes, sizeof left);
    tc_ledger_receipt_fini(&receipt);
    return left;
}

static void ledgers_take_turns(void **state)
{
    (void)state;
    tc_store *s = open_store(), *t = open_store();
    tc_ledger *a = open_ledger(s), *b = open_ledger(t);
    for (uint64_t round = 0; round < 10; round++) {
        assert_true(release(a, 2 * round, 1, false) == 1);
        assert_true(release(b, 2 * round + 1, 2, false) == 2);
        assert_true(release(a, 2 * round + 1, 3, true) == 2);
    }
    lose = "INSERT"; /* the ledger reads back what happened */
    assert_true(release(a, 99, 5, true) == 5);
    assert_null(lose);
    assert_true(release(b, 99, 6, true) == 5);
    tc_ledger_close(a);
    tc_ledger_close(b);
    tc_store_close(t);
    tc_store_close(s);
}

static void appends_in_the_wrong_place_conflict(void **state)
{
    (void)state;
    tacit_error err = {0};
    tc_ledger_io io;
    tc_store *s = open_store();
    assert_fails(tc_store_ledger(s, "raw", false, &io, &err), TACIT_E_NOT_FOUND,
                 "there is no ledger \"raw\" in database");
    assert_ok(tc_store_ledger(s, "raw", true, &io, &err));
    tc_ledger_record r = {.seq = 2, .entry = (const uint8_t *)"e", .entry_size = 1};
    r.head.bytes[0] = 1;
    assert_fails(io.append(&io, &r, &err), TACIT_E_CONFLICT, "has moved to entry 0");
    r.seq = 1;
    assert_ok(io.append(&io, &r, &err));
    assert_fails(io.append(&io, &r, &err), TACIT_E_CONFLICT, "has moved to entry 1");
    r.seq = 2;
    r.round = 1;
    assert_fails(io.append(&io, &r, &err), TACIT_E_CONFLICT, "has moved to entry 1");
    r.previous = r.head;
    r.round = 0;
    assert_fails(io.append(&io, &r, &err), TACIT_E_CONFLICT, "has a release of round 0");
    r.round = 1;
    assert_ok(io.append(&io, &r, &err));
    tc_store_close(s);
}

static void entries_refuse_changes_and_damage_is_named(void **state)
{
    (void)state;
    tc_store *s = open_store();
    tc_ledger *l = open_ledger(s);
    tacit_error err = {0};
    tc_ledger_io io;
    for (uint64_t round = 1; round < 6; round++)
        release(l, round, (double)round, false);
    tc_ledger_close(l);
    PGconn *c = PQconnectdb(url);
    static const char *const harm[] = {"DELETE FROM tacit.ledger_entries WHERE seq = 2",
                                       "UPDATE tacit.ledger_entries SET round = 9",
                                       "TRUNCATE tacit.ledger_entries"};
    for (size_t i = 0; i < sizeof harm / sizeof harm[0]; i++) {
        PGresult *r = PQexec(c, harm[i]);
        assert_non_null(strstr(PQresultErrorMessage(r), "a ledger is append-only"));
        PQclear(r);
    }
    PQfinish(c);
    sql("ALTER TABLE tacit.ledger_entries DISABLE TRIGGER ledger_keeps_entries");
    sql("UPDATE tacit.ledger_entries SET release = '\\x00' WHERE seq = 3");
    assert_ok(tc_store_ledger(s, "main", false, &io, &err));
    assert_fails(tc_ledger_open(&l, "main", &io, &err), TACIT_E_CORRUPT,
                 "the release of ledger entry 3 does not match its hash");
    tc_store_close(s);
}

static int find_place(void **state)
{
    (void)state;
    PGconn *c = PQconnectdb(url);
    snprintf(place, sizeof place, "database \"%s\" at %s:%s", PQdb(c), PQhost(c), PQport(c));
    bool there = PQstatus(c) == CONNECTION_OK;
    PQfinish(c);
    return there ? 0 : -1;
}

#define IN_DATABASE(test) cmocka_unit_test_setup(test, clear_database)

int main(void)
{
    url = getenv("TACIT_POSTGRES");
    if (!url || !getenv("TACIT_POSTGRES_CONTROL")) {
        printf("# skipped: no server in TACIT_POSTGRES; tests/support/postgres starts one\n");
        return 77;
    }
    const struct CMUnitTest tests[] = {
        IN_DATABASE(an_absent_store_is_made_only_on_request),
        IN_DATABASE(an_empty_schema_is_taken),
        IN_DATABASE(a_foreign_schema_is_left_untouched),
        IN_DATABASE(a_newer_schema_is_refused),
        IN_DATABASE(an_older_schema_goes_on),
        IN_DATABASE(missing_tables_are_damage),
        IN_DATABASE(events_beyond_the_end_are_damage),
        IN_DATABASE(failures_do_not_show_the_password),
        IN_DATABASE(an_absent_server_is_one_sentence),
        IN_DATABASE(text_must_be_utf8),
        IN_DATABASE(a_locked_journal_is_busy),
        IN_DATABASE(long_journals_are_read_in_pages),
        IN_DATABASE(records_are_read_in_pages),
        IN_DATABASE(an_interrupted_append_is_made_once),
        IN_DATABASE(a_lost_answer_is_looked_up_in_the_journal),
        IN_DATABASE(other_lost_answers_are_failures),
        IN_DATABASE(reads_are_repeated),
        IN_DATABASE(a_restarted_server_is_found_again),
        IN_DATABASE(what_was_told_survives_a_crash),
        IN_DATABASE(what_was_seen_can_be_settled),
        IN_DATABASE(a_crash_takes_at_most_the_end_of_a_journal),
        IN_DATABASE(a_hold_may_idle),
        IN_DATABASE(who_has_read_what_is_lost_is_told_so),
        IN_DATABASE(a_second_attempt_is_another_event),
        IN_DATABASE(what_was_seen_before_a_crash_is_not_settled),
        IN_DATABASE(one_broken_connection_is_no_crash),
        IN_DATABASE(threads_share_a_few_connections),
        IN_DATABASE(processes_share_a_database),
        IN_DATABASE(sets_in_any_order_do_not_lock_each_other_out),
        IN_DATABASE(ledgers_take_turns),
        IN_DATABASE(appends_in_the_wrong_place_conflict),
        IN_DATABASE(entries_refuse_changes_and_damage_is_named),
    };
    return cmocka_run_group_tests_name("postgres", tests, find_place, clear_database);
}
