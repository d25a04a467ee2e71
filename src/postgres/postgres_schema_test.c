/* postgres_schema_test.c - whose schema it is, and what cannot be reached or stored: each is one sentence, and nothing
 * foreign is touched.
 *
 * Runs under tests/support/postgres, which gives it a server; without one it is skipped. */
#include "support/older_ledger.h"
#include "support/postgres_store.h"

#include "base/memory.h"

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
    assert_int_equal(sql("SELECT schema FROM tacit.store"), 4);
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
    sql("UPDATE tacit.store SET schema = 5");
    check_refused(true, TACIT_E_CORRUPT,
                  "%s was written by a newer tacit (schema 5; this one knows 4)");
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
        "DROP TRIGGER ledger_keeps_entries ON tacit.records;"
        "DROP TRIGGER ledger_keeps_records ON tacit.records;"
        "CREATE TABLE tacit.ledgers(id int8, name text, entries int8, head bytea);"
        "CREATE TABLE tacit.ledger_entries(ledger int8, seq int8, study bytea, round int8,"
        "  entry bytea, release bytea, head bytea);"
        "UPDATE tacit.store SET schema = 1");
    s = open_store();
    assert_int_equal(sql("SELECT schema FROM tacit.store"), 4);
    assert_ok(append(s, id, TC_EVENT_TELL, 3, &err));
    assert_fails(append(s, id, TC_EVENT_TELL, 1, &err), TACIT_E_STATE, "told already");
    assert_ok(tc_store_scan(s, id, 0, count_event, &n, &err));
    assert_int_equal(n, 4);
    assert_ok(tc_store_find_tell(s, id, 1, count_event, &n, &err));
    assert_ok(tc_store_find_tell(s, id, 3, count_event, &n, &err));
    assert_ok(tc_store_record_get(s, &which, &got, &err));
    tc_free((void *)got.value);
    sql("UPDATE tacit.records SET value = 'valve'");
    assert_fails(tc_store_record_get(s, &which, &got, &err), TACIT_E_CORRUPT, "its checksum");
    sql("UPDATE tacit.events SET body = '{\"v\": 9}' WHERE seq = 4");
    assert_fails(tc_store_scan(s, id, 0, count_event, &n, &err), TACIT_E_CORRUPT, "event 4");
    assert_fails(tc_store_find_tell(s, id, 3, count_event, &n, &err), TACIT_E_CORRUPT, "event 4");
    tc_store_close(s);
}

/* Of schema 2, with tables of its own. The head is what that version printed. */
static void a_ledger_of_schema_2_becomes_records(void **state)
{
    (void)state;
    char *text = read_fixture("ledger-postgres-2.sql");
    sql(text);
    tc_free(text);
    /* a number that was drawn and not used */
    sql("INSERT INTO tacit.ledgers OVERRIDING SYSTEM VALUE VALUES(3, 'empty', 0, NULL)");
    for (int i = 0; i < 2; i++) {
        tc_store *s = open_store();
        tacit_error err = {0};
        tc_ledger_io io;
        tacit_head head;
        check_older_ledger(s, "fb4fb308d157d9e33c88122461eb7baecfc698fb797847d3d5ca70464e8c7f5a",
                           i > 0);
        assert_ok(tc_store_ledger(s, "empty", false, &io, &err));
        assert_ok(io.head(&io, &head, &err));
        assert_int_equal(head.seq, 0);
        tc_store_close(s);
    }
    assert_int_equal(
        sql("SELECT count(*) FROM pg_class WHERE relname IN ('ledgers', 'ledger_entries')"), 0);
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
        tacit_status status = tc_store_open(&s, urls[i], true, &err);
        assert_true(status == TACIT_E_IO || status == TACIT_E_ARG);
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

int main(void)
{
    if (!has_server())
        return 77;
    const struct CMUnitTest tests[] = {
        IN_DATABASE(an_absent_store_is_made_only_on_request),
        IN_DATABASE(an_empty_schema_is_taken),
        IN_DATABASE(a_foreign_schema_is_left_untouched),
        IN_DATABASE(a_newer_schema_is_refused),
        IN_DATABASE(an_older_schema_goes_on),
        IN_DATABASE(a_ledger_of_schema_2_becomes_records),
        IN_DATABASE(missing_tables_are_damage),
        IN_DATABASE(events_beyond_the_end_are_damage),
        IN_DATABASE(failures_do_not_show_the_password),
        IN_DATABASE(an_absent_server_is_one_sentence),
        IN_DATABASE(text_must_be_utf8),
        IN_DATABASE(a_locked_journal_is_busy),
    };
    return RUN_ON_SERVER("postgres_schema", tests);
}
