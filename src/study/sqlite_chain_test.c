/* sqlite_chain_test.c - checksums in the SQLite file, files from before there were any, and the mark beside
 * the log. tests/integration/flips_test.sh does it with the program and bytes. */
#include "support/store_folder.h"

#include "study/sqlite_int.h"

#include "base/memory.h"
#include "study/repair.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

/* A file that others could read is one that they have read before it is closed to them. */
static int closed_late;

TACIT_API int chmod(const char *path, mode_t mode);

int chmod(const char *path, mode_t mode)
{
    struct stat info;
    if (stat(path, &info) == 0 && (info.st_mode & 077) != 0)
        closed_late++;
    return (int)syscall(SYS_chmod, path, mode);
}

static void shell(const char *format, const char *a, const char *b)
{
    char command[600];
    snprintf(command, sizeof command, format, a, b);
    assert_int_equal(system(command), 0);
}

static tc_store *open_store(void)
{
    tc_store *s = NULL;
    tacit_error err = {0};
    assert_ok(tc_store_open(&s, url, true, &err));
    return s;
}

static int64_t put(tc_store *s)
{
    tacit_error err = {0};
    tc_study_row row = {.name = (char *)"a", .document = (char *)"{}", .created_ms = 1};
    int64_t id = 0;
    assert_ok(tc_store_study_put(s, &row, &id, &err));
    return id;
}

static tacit_status append(tc_store *s, int64_t id, uint64_t trial, tacit_error *err)
{
    tc_event_row e = {.kind = TC_EVENT_TELL, .trial = trial, .time_ms = 5, .body = "{\"v\": 1}"};
    tc_append a = {.study = id, .head = TC_ANY_HEAD, .events = &e, .n = 1, .durable = true};
    uint64_t head;
    return tc_store_append(s, &a, &head, err);
}

static tacit_status count(void *user, const tc_event_row *e, tacit_error *err)
{
    (void)e;
    (void)err;
    ++*(int *)user;
    return TACIT_OK;
}

static tacit_status count_row(void *user, const tc_row *r, tacit_error *err)
{
    (void)r;
    (void)err;
    ++*(int *)user;
    return TACIT_OK;
}

/* As another program would. */
static void foreign(const char *text)
{
    sqlite3 *db = NULL;
    char *why = NULL;
    assert_int_equal(sqlite3_open(file, &db), SQLITE_OK);
    if (sqlite3_exec(db, text, NULL, NULL, &why) != SQLITE_OK)
        fail_msg("%s: %s", text, why);
    sqlite3_close(db);
}

enum { EVENTS = 9 };

static int64_t make_store(void)
{
    tacit_error err = {0};
    tc_store *s = open_store();
    int64_t id = put(s);
    for (uint64_t i = 0; i < EVENTS; i++)
        assert_ok(append(s, id, i, &err));
    tc_store_close(s);
    return id;
}

static void check_scan(int64_t id, tacit_status want, const char *part)
{
    tacit_error err = {0};
    int n = 0;
    tc_store *s = open_store();
    if (want == TACIT_OK) {
        assert_ok(tc_store_scan(s, id, 0, count, &n, &err));
        assert_int_equal(n, EVENTS);
        assert_ok(tc_store_dump(s, count_row, &n, &err));
    } else {
        assert_fails(tc_store_scan(s, id, 0, count, &n, &err), want, part);
        assert_fails(tc_store_dump(s, count_row, &n, &err), want, part);
    }
    tc_store_close(s);
}

/* ---- sums ---- */

static void a_changed_event_is_named(void **state)
{
    (void)state;
    static const char *const changes[] = {
        "UPDATE events SET body = '{\"v\": 2}' WHERE seq = 4",
        "UPDATE events SET time_ms = 6 WHERE seq = 4",
        "UPDATE events SET trial = 77 WHERE seq = 4",
        "UPDATE events SET kind = 4 WHERE seq = 4",
        "UPDATE events SET sum = zeroblob(16) WHERE seq = 4",
        "UPDATE events SET sum = x'' WHERE seq = 4",
    };
    for (size_t i = 0; i < sizeof changes / sizeof *changes; i++) {
        clear_folder(NULL);
        int64_t id = make_store();
        check_scan(id, TACIT_OK, "");
        foreign(changes[i]);
        check_scan(id, TACIT_E_CORRUPT, "event 4 (");
    }
}

static void a_lost_event_is_named(void **state)
{
    (void)state;
    static const struct {
        const char *sql, *part;
    } cases[] = {
        {"DELETE FROM events WHERE seq = 4", "event 4 is missing"},
        {"DELETE FROM events WHERE seq = 9", "event 9 is missing: the journal ends after event 9"},
        {"DELETE FROM events", "event 1 is missing"},
        {"UPDATE heads SET seq = 8 WHERE study > 0", "event 8 is not the one"},
        {"UPDATE heads SET sum = zeroblob(16) WHERE study > 0", "event 9 is not the one"},
        {"UPDATE heads SET plain = 3 WHERE study > 0", "event 1 (tell, trial 0) has a checksum"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        clear_folder(NULL);
        int64_t id = make_store();
        foreign(cases[i].sql);
        check_scan(id, TACIT_E_CORRUPT, cases[i].part);
    }
}

/* Two studies with the same events: an event of one is not an event of the other. */
static void a_tell_by_itself_is_checked(void **state)
{
    (void)state;
    tacit_error err = {0};
    int n = 0;
    int64_t id = make_store();
    tc_store *s = open_store();
    assert_ok(tc_store_find_tell(s, id, 3, count, &n, &err));
    assert_int_equal(n, 1);
    foreign("UPDATE events SET body = '{\"v\": 2}' WHERE seq = 4");
    assert_fails(tc_store_find_tell(s, id, 3, count, &n, &err), TACIT_E_CORRUPT,
                 "event 4 (tell, trial 3)");
    tc_store_close(s);
}

static void catching_up_goes_on_from_the_last_sum(void **state)
{
    (void)state;
    tacit_error err = {0};
    int n = 0;
    int64_t id = make_store();
    tc_store *s = open_store();
    assert_ok(tc_store_scan(s, id, 6, count, &n, &err));
    assert_int_equal(n, EVENTS - 6);
    assert_ok(tc_store_scan(s, id, EVENTS, count, &n, &err));
    assert_fails(tc_store_scan(s, id, EVENTS + 5, count, &n, &err), TACIT_E_CONFLICT, "event 14");
    assert_int_equal(n, EVENTS - 6);
    foreign("UPDATE events SET sum = zeroblob(16) WHERE seq = 6");
    assert_fails(tc_store_scan(s, id, 6, count, &n, &err), TACIT_E_CORRUPT, "event 7");
    foreign("DELETE FROM events WHERE seq = 6");
    assert_fails(tc_store_scan(s, id, 6, count, &n, &err), TACIT_E_CORRUPT, "event 6 is missing");
    tc_store_close(s);
}

static void a_changed_study_is_refused(void **state)
{
    (void)state;
    static const char *const changes[] = {
        "UPDATE studies SET document = '{ }'",
        "UPDATE studies SET points_csv = ''",
        "UPDATE studies SET party_seed = randomblob(32)",
        "UPDATE studies SET created_ms = 2",
        "UPDATE heads SET origin = zeroblob(16) WHERE study > 0",
    };
    for (size_t i = 0; i < sizeof changes / sizeof *changes; i++) {
        tacit_error err = {0};
        tc_study_row row;
        int n = 0;
        clear_folder(NULL);
        make_store();
        foreign(changes[i]);
        tc_store *s = open_store();
        assert_fails(tc_store_study_get(s, "a", &row, &err), TACIT_E_CORRUPT,
                     "study \"a\" is damaged: its document, points or seeds");
        assert_fails(tc_store_dump(s, count_row, &n, &err), TACIT_E_CORRUPT, "study \"a\"");
        tc_store_close(s);
    }
}

static tacit_status pass_record(void *user, const tc_record *r, tacit_error *err)
{
    (void)user;
    (void)r;
    (void)err;
    return TACIT_OK;
}

static void a_changed_record_is_refused(void **state)
{
    (void)state;
    tacit_error err = {0};
    int n = 0;
    tc_record got, which = {.kind = TC_RECORD_TOKEN, .key = "k", .key_size = 1};
    tc_change c = {.what = TC_INSERT, .record = which};
    c.record.value = "value";
    c.record.size = 5;
    tc_store *s = open_store();
    assert_ok(tc_store_change(s, &c, 1, NULL, &err));
    assert_ok(tc_store_record_get(s, &which, &got, &err));
    tc_free((void *)got.value);
    foreign("UPDATE records SET value = CAST('valve' AS BLOB)");
    assert_fails(tc_store_record_get(s, &which, &got, &err), TACIT_E_CORRUPT, "a record of");
    assert_fails(tc_store_record_scan(s, &(tc_record_range){.kind = TC_RECORD_TOKEN}, pass_record,
                                      NULL, &err),
                 TACIT_E_CORRUPT, "a record of");
    assert_fails(tc_store_dump(s, count_row, &n, &err), TACIT_E_CORRUPT, "a record of");
    tc_store_close(s);
}

/* ---- from before there were sums ---- */

#define OLDER                                                                                      \
    "DROP TRIGGER events_have_sums; DROP TRIGGER records_have_sums; DROP TABLE heads;"             \
    "ALTER TABLE events DROP COLUMN sum; ALTER TABLE records DROP COLUMN sum;"                     \
    "DROP TRIGGER ledger_keeps_entries; DROP TRIGGER ledger_keeps_values;"                         \
    "CREATE TABLE ledgers(id INTEGER PRIMARY KEY, name, entries, head);"                           \
    "CREATE TABLE ledger_entries(ledger, seq, study, round, entry, release, head);"                \
    "PRAGMA user_version = 3"

static void an_older_file_goes_on(void **state)
{
    (void)state;
    tacit_error err = {0};
    tc_record got, which = {.kind = TC_RECORD_TOKEN, .key = "k", .key_size = 1};
    tc_change c = {.what = TC_INSERT, .record = which};
    c.record.value = "value";
    c.record.size = 5;
    int64_t id = make_store();
    tc_store *s = open_store();
    assert_ok(tc_store_change(s, &c, 1, NULL, &err));
    tc_store_close(s);
    foreign(OLDER);
    check_scan(id, TACIT_OK, "");
    s = open_store();
    int n = 0;
    assert_ok(append(s, id, 50, &err));
    assert_ok(append(s, id, 51, &err));
    assert_fails(append(s, id, 3, &err), TACIT_E_STATE, "told already");
    assert_ok(tc_store_scan(s, id, 0, count, &n, &err));
    assert_int_equal(n, EVENTS + 2);
    assert_ok(tc_store_scan(s, id, EVENTS, count, &n, &err));
    assert_ok(tc_store_find_tell(s, id, 2, count, &n, &err));
    assert_ok(tc_store_find_tell(s, id, 50, count, &n, &err));
    assert_ok(tc_store_record_get(s, &which, &got, &err));
    tc_free((void *)got.value);
    foreign("UPDATE events SET body = '{\"v\": 2}' WHERE seq = 11");
    assert_fails(tc_store_scan(s, id, 0, count, &n, &err), TACIT_E_CORRUPT, "event 11");
    tc_store_close(s);
}

static void an_older_program_cannot_append(void **state)
{
    (void)state;
    sqlite3 *db = NULL;
    make_store();
    assert_int_equal(sqlite3_open(file, &db), SQLITE_OK);
    assert_int_equal(sqlite3_exec(db,
                                  "INSERT INTO events(study, seq, kind, trial, time_ms, body)"
                                  " VALUES(1, 10, 2, 9, 5, '{}')",
                                  NULL, NULL, NULL),
                     SQLITE_CONSTRAINT);
    assert_int_equal(sqlite3_exec(db,
                                  "INSERT INTO records(study, kind, key, version, value)"
                                  " VALUES(0, 1, x'01', 1, x'02')",
                                  NULL, NULL, NULL),
                     SQLITE_CONSTRAINT);
    sqlite3_close(db);
}

/* ---- the mark ---- */

/* The store as a killed process leaves it. */
static void make_killed(void)
{
    tacit_error err = {0};
    tc_store *s = open_store();
    int64_t id = put(s);
    for (uint64_t i = 0; i < EVENTS; i++)
        assert_ok(append(s, id, i, &err));
    shell("mkdir '%s/killed' && cd '%s' && cp store.db store.db-wal store.db-mark killed", folder,
          folder);
    tc_store_close(s);
    assert_int_equal(access(file, F_OK), 0);
    shell("cd '%s' && test ! -e store.db-mark && cp killed/* '%s'", folder, folder);
}

static void a_log_that_went_back_is_refused(void **state)
{
    (void)state;
    tacit_error err = {0};
    tc_store *s = NULL;
    make_killed();
    shell("rm '%s-wal' && cp '%s' /dev/null", file, file);
    assert_fails(tc_store_open(&s, url, false, &err), TACIT_E_CORRUPT,
                 "has lost what was written last: of 10 transactions 1 are there");
    assert_fails(tc_store_open(&s, url, true, &err), TACIT_E_CORRUPT, "has lost");
    shell("cd '%s' && cp killed/store.db-wal '%s-wal'", folder, file); /* nothing was changed */
    check_scan(1, TACIT_OK, "");
}

static void a_mark_that_says_nothing_is_not_believed(void **state)
{
    (void)state;
    static const char *const marks[] = {"true > '%s-mark' && rm '%s-wal'",
                                        "printf 'tacit m2' > '%s-mark' && rm '%s-wal'",
                                        ("printf X | dd of='%s-mark' bs=1 seek=70 conv=notrunc 2> "
                                         "/dev/null && rm '%s-wal'"),
                                        "rm '%s-mark' '%s-wal'"};
    for (size_t i = 0; i < sizeof marks / sizeof *marks; i++) {
        tacit_error err = {0};
        tc_store *s = NULL;
        clear_folder(NULL);
        make_killed();
        shell(marks[i], file, file);
        assert_ok(tc_store_open(&s, url, false, &err));
        tc_store_close(s);
    }
}

/* The mark of a store that was here before. */
static void another_stores_mark_is_not_believed(void **state)
{
    (void)state;
    make_killed();
    shell("mv '%s-mark' '%s-other'", file, file);
    shell("rm '%s' '%s-wal'", file, file);
    tc_store_close(open_store());
    shell("mv '%s-other' '%s-mark'", file, file);
    tc_store_close(open_store());
}

/* A new coordinator with new keys would take the place of the old one. */
static void a_store_that_was_lost_is_not_begun_anew(void **state)
{
    (void)state;
    tacit_error err = {0};
    tc_store *s = NULL;
    for (int empty = 0; empty < 2; empty++) {
        clear_folder(NULL);
        make_killed();
        shell(empty ? "true > '%s' && rm '%s-wal'" : "rm '%s' '%s-wal'", file, file);
        assert_fails(tc_store_open(&s, url, true, &err), TACIT_E_CORRUPT,
                     "is gone or empty, and its mark ");
        shell("rm '%s-mark' && test '%s'", file, file);
        tc_store_close(open_store());
    }
}

/* After a loss of power the end of the log may be gone, but nothing that was synced. */
static void another_boot_counts_what_was_synced(void **state)
{
    (void)state;
    tacit_error err = {0};
    tc_store *s = open_store();
    int64_t id = put(s);
    tc_event_row e = {.kind = TC_EVENT_ASK, .trial = 0, .body = "{}"};
    uint64_t head;
    tc_mark *m = &((tc_sqlite *)s)->mark;
    memset(m->boot.bytes, 'x', sizeof m->boot.bytes); /* as if it were written before a restart */
    assert_ok(append(s, id, 0, &err));
    shell("cd '%s' && mkdir killed && cp store.db store.db-wal killed && test '%s'", folder, file);
    assert_ok(tc_store_append(
        s, &(tc_append){.study = id, .head = TC_ANY_HEAD, .events = &e, .n = 1}, &head, &err));
    shell("cd '%s' && cp store.db-mark killed && test '%s'", folder, file);
    tc_store_close(s);
    shell("cd '%s' && cp killed/* . && test '%s'", folder, file);
    s = open_store(); /* an ask that was not synced */
    tc_store_close(s);
    shell("cd '%s' && cp killed/* . && rm '%s-wal'", folder, file);
    assert_fails(tc_store_open(&s, url, true, &err), TACIT_E_CORRUPT,
                 "of 2 transactions 1 are there");
}

/* The log and the mark lie beside the file, not beside its link. */
static void a_link_is_followed(void **state)
{
    (void)state;
    tacit_error err = {0};
    tc_store *s = NULL;
    shell("mkdir '%s/there' && ln -s there/real.db '%s'", folder, file);
    s = open_store(); /* a link that leads nowhere yet */
    put(s);
    assert_ok(append(s, 1, 0, &err));
    shell("cd '%s/there' && test -f real.db -a -s real.db-mark -a -s real.db-wal -a '%s'", folder,
          file);
    shell("cd '%s/there' && mkdir k && cp real.db real.db-mark real.db-wal k && test '%s'", folder,
          file);
    tc_store_close(s);
    shell("cd '%s/there' && cp k/* . && rm real.db-wal && test '%s'", folder, file);
    assert_fails(tc_store_open(&s, url, true, &err), TACIT_E_CORRUPT, "has lost");
}

static void new_files_are_for_their_owner(void **state)
{
    (void)state;
    static const char *const ends[] = {"", "-wal", "-shm", "-mark"};
    mode_t mask = umask(0);
    tc_store *s = open_store();
    put(s);
    for (size_t i = 0; i < sizeof ends / sizeof *ends; i++) {
        char path[160];
        struct stat info;
        snprintf(path, sizeof path, "%s%s", file, ends[i]);
        assert_int_equal(stat(path, &info), 0);
        assert_int_equal(info.st_mode & 0777, 0600);
    }
    tc_store_close(s);
    umask(mask);
    assert_int_equal(closed_late, 0);
}

/* ---- a log that is mended ---- */

static tacit_status hear(void *user, const char *line, tacit_error *err)
{
    (void)err;
    strncat(user, line, 500);
    strncat(user, "\n", 2);
    return TACIT_OK;
}

static void a_store_with_a_ledger_loses_nothing(void **state)
{
    (void)state;
    tacit_error err = {0};
    tc_ledger_io io;
    char said[4000] = "";
    tc_store *s = open_store();
    assert_ok(tc_store_ledger(s, "l", true, &io, &err));
    int64_t id = put(s);
    for (uint64_t i = 0; i < EVENTS; i++)
        assert_ok(append(s, id, i, &err));
    shell("mkdir '%s/killed' && cd '%s' && cp store.db store.db-wal store.db-mark killed", folder,
          folder);
    tc_store_close(s);
    shell("cd '%s' && cp killed/* . && rm '%s-wal'", folder, file);
    assert_fails(tc_store_mend(url, hear, said, &err), TACIT_E_CORRUPT,
                 "has a privacy ledger and has lost transactions");
    assert_fails(tc_store_open(&s, url, true, &err), TACIT_E_CORRUPT, "has lost");
    shell("cd '%s' && cmp -s store.db killed/store.db && test ! -e '%s-wal'", folder, file);
}

static void a_store_in_use_is_not_mended(void **state)
{
    (void)state;
    tacit_error err = {0};
    char said[4000] = "";
    make_killed();
    tc_store *s = open_store(), *same = NULL;
    assert_ok(append(s, 1, 70, &err));
    assert_ok(tc_store_mend(url, hear, said, &err)); /* nothing is wrong with it */
    assert_string_equal(said, "");
    assert_ok(tc_store_open(&same, url, false, &err));
    tc_store_close(same);
    tc_store_close(s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        IN_FOLDER(a_changed_event_is_named),
        IN_FOLDER(a_lost_event_is_named),
        IN_FOLDER(a_tell_by_itself_is_checked),
        IN_FOLDER(catching_up_goes_on_from_the_last_sum),
        IN_FOLDER(a_changed_study_is_refused),
        IN_FOLDER(a_changed_record_is_refused),
        IN_FOLDER(an_older_file_goes_on),
        IN_FOLDER(an_older_program_cannot_append),
        IN_FOLDER(a_log_that_went_back_is_refused),
        IN_FOLDER(a_mark_that_says_nothing_is_not_believed),
        IN_FOLDER(another_stores_mark_is_not_believed),
        IN_FOLDER(a_store_that_was_lost_is_not_begun_anew),
        IN_FOLDER(another_boot_counts_what_was_synced),
        IN_FOLDER(a_link_is_followed),
        IN_FOLDER(new_files_are_for_their_owner),
        IN_FOLDER(a_store_with_a_ledger_loses_nothing),
        IN_FOLDER(a_store_in_use_is_not_mended),
    };
    return cmocka_run_group_tests_name("sqlite_chain", tests, make_folder, remove_folder);
}
