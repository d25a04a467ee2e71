/* sqlite_test.c - what only the SQLite store does: files, damage, syncs, processes.
 * What every store does is in tests/conformance. */
#include "support/journal_end.h"
#include "support/store_folder.h"

#include "study/sqlite_int.h"

#include "base/file.h"
#include "base/memory.h"

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

/* ---- counting syncs: SQLite's calls end up here ---- */

static atomic_int syncs;
static atomic_int sync_takes_us, sync_fails;

TACIT_API int fdatasync(int fd);
TACIT_API int fsync(int fd);

static int do_sync(long call, int fd)
{
    syncs++;
    usleep((useconds_t)sync_takes_us);
    if (sync_fails) {
        errno = EIO;
        return -1;
    }
    return (int)syscall(call, fd);
}

int fdatasync(int fd)
{
    return do_sync(SYS_fdatasync, fd);
}

int fsync(int fd)
{
    return do_sync(SYS_fsync, fd);
}

/* ---- files of a test ---- */

enum { PAGE = 2048 }; /* of a store file */

static tacit_status open_with(bool create, tc_store **out, tacit_error *err)
{
    return tc_store_open(out, url, create, err);
}

static tc_store *open_store(void)
{
    tc_store *s = NULL;
    tacit_error err = {0};
    if (open_with(true, &s, &err) != TACIT_OK)
        fail_msg("%s", err.msg);
    return s;
}

/* Which of the files that SQLite keeps beside a database are there: a bit for each. */
static unsigned beside(void)
{
    static const char *const ends[] = {"-wal", "-shm", "-journal"};
    unsigned found = 0;
    for (unsigned i = 0; i < 3; i++) {
        char path[160];
        snprintf(path, sizeof path, "%s%s", file, ends[i]);
        found |= (access(path, F_OK) == 0 ? 1u : 0u) << i;
    }
    return found;
}

static void check_refused(bool create, tacit_status want, const char *format)
{
    tc_store *s = NULL;
    tacit_error err = {0};
    char text[512];
    unsigned before = beside();
    snprintf(text, sizeof text, format, file);
    assert_int_equal(open_with(create, &s, &err), want);
    assert_string_equal(err.msg, text);
    assert_null(s);
    assert_int_equal(beside(), before);
}

static int64_t put(tc_store *s, const char *name)
{
    tc_study_row row = {.name = (char *)name, .document = "{}", .created_ms = 1};
    int64_t id = 0;
    assert_int_equal(tc_store_study_put(s, &row, &id, NULL), TACIT_OK);
    return id;
}

static tacit_status append(tc_store *s, int64_t id, tc_event_kind kind, uint64_t trial,
                           const char *body, bool durable, tacit_error *err)
{
    tc_event_row e = {.kind = kind, .trial = trial, .body = body};
    tc_append a = {.study = id, .head = TC_ANY_HEAD, .events = &e, .n = 1, .durable = durable};
    uint64_t head;
    return tc_store_append(s, &a, &head, err);
}

/* A closed store with one study of 300 trials, several pages deep. */
static void make_store(void)
{
    tc_store *s = open_store();
    int64_t id = put(s, "a");
    char body[400];
    memset(body, 'b', sizeof body - 1);
    body[sizeof body - 1] = 0;
    for (uint64_t i = 0; i < 300; i++) {
        assert_int_equal(append(s, id, TC_EVENT_ASK, i, body, false, NULL), TACIT_OK);
        assert_int_equal(append(s, id, TC_EVENT_TELL, i, "{}", i == 299, NULL), TACIT_OK);
    }
    tc_store_close(s);
}

typedef struct bytes {
    char *data;
    size_t len;
} bytes;

static bytes read_all(const char *path)
{
    bytes b;
    assert_int_equal(tc_file_read(path, 1 << 26, &b.data, &b.len, NULL), TACIT_OK);
    return b;
}

static void write_all(const char *path, const void *data, size_t len)
{
    FILE *f = fopen(path, "wb");
    assert_non_null(f);
    assert_int_equal(fwrite(data, 1, len, f), len);
    assert_int_equal(fclose(f), 0);
}

static void check_bytes(const char *path, const void *data, size_t len)
{
    bytes now = read_all(path);
    assert_int_equal(now.len, len);
    assert_memory_equal(now.data, data, len);
    tc_free(now.data);
}

/* SQL from another program. */
static void foreign_sql(const char *path, const char *sql)
{
    sqlite3 *db;
    assert_int_equal(sqlite3_open(path, &db), SQLITE_OK);
    assert_int_equal(sqlite3_exec(db, sql, NULL, NULL, NULL), SQLITE_OK);
    sqlite3_close(db);
}

static tacit_status count_event(void *user, const tc_event_row *e, tacit_error *err)
{
    (void)e;
    (void)err;
    ++*(size_t *)user;
    return TACIT_OK;
}

/* ---- making and finding the file ---- */

static void an_absent_file_is_made_only_on_request(void **state)
{
    (void)state;
    check_refused(false, TACIT_E_NOT_FOUND, "there is no file %s");
    assert_int_equal(access(file, F_OK), -1);
    tc_store_close(open_store());
    tc_store *s = NULL;
    assert_int_equal(open_with(false, &s, NULL), TACIT_OK);
    tc_store_close(s);
}

static void the_folder_must_exist(void **state)
{
    (void)state;
    rmdir(folder);
    check_refused(true, TACIT_E_IO, "%s cannot be made: its folder does not exist");
    check_refused(false, TACIT_E_NOT_FOUND, "there is no file %s");
}

static void a_folder_is_no_store(void **state)
{
    (void)state;
    assert_int_equal(mkdir(file, 0700), 0);
    check_refused(true, TACIT_E_IO, "%s is not a file");
}

static void an_empty_file_is_new_only_on_request(void **state)
{
    (void)state;
    write_all(file, "", 0);
    check_refused(false, TACIT_E_CORRUPT, "%s is empty, not a tacit store");
    check_bytes(file, "", 0);
    tc_store_close(open_store());
}

static void what_may_not_be_written_is_one_sentence(void **state)
{
    (void)state;
    tc_store *s = NULL;
    tacit_error err = {0};
    assert_int_equal(tc_store_open(&s, "sqlite:////proc/tacit.db", true, &err), TACIT_E_IO);
    assert_non_null(strstr(err.msg, "/proc/tacit.db cannot be "));
    assert_null(s);
    if (geteuid() == 0)
        return; /* root may write everything else */
    make_store();
    chmod(file, 0400);
    check_refused(true, TACIT_E_IO, "%s cannot be written: Permission denied");
    chmod(file, 0600);
    chmod(folder, 0500);
    check_refused(true, TACIT_E_IO, "%s cannot be used: its folder cannot be written");
    chmod(folder, 0700);
}

/* Names that SQLite itself would read as something else. */
static void odd_names_are_just_names(void **state)
{
    (void)state;
    char here[1024];
    assert_non_null(getcwd(here, sizeof here));
    assert_int_equal(chdir(folder), 0);
    static const char *const urls[] = {"sqlite:///:memory:", "sqlite:///file:x?mode=memory"};
    for (size_t i = 0; i < 2; i++) {
        tc_store *s = NULL;
        assert_int_equal(tc_store_open(&s, urls[i], true, NULL), TACIT_OK);
        tc_store_close(s);
        assert_int_equal(access(urls[i] + strlen("sqlite:///"), F_OK), 0);
    }
    assert_int_equal(chdir(here), 0);
}

/* ---- files that are not ours, or not whole ---- */

static void foreign_files_are_refused_untouched(void **state)
{
    (void)state;
    static const char text[] = "name,value\n1,2\n";
    write_all(file, text, sizeof text);
    check_refused(true, TACIT_E_CORRUPT, "%s is not a tacit store; it was left untouched");
    check_bytes(file, text, sizeof text);

    clear_folder(NULL);
    foreign_sql(file, "CREATE TABLE t(x); INSERT INTO t VALUES(1)");
    bytes before = read_all(file);
    check_refused(true, TACIT_E_CORRUPT, "%s is not a tacit store; it was left untouched");
    check_bytes(file, before.data, before.len);
    tc_free(before.data);
}

/* Opening and closing with SQLite would fold the other program's log into its file. */
static void a_foreign_log_is_left_alone(void **state)
{
    (void)state;
    char log[160];
    sqlite3 *db;
    snprintf(log, sizeof log, "%s-wal", file);
    assert_int_equal(sqlite3_open(file, &db), SQLITE_OK);
    assert_int_equal(sqlite3_exec(db,
                                  "PRAGMA journal_mode=WAL; PRAGMA application_id=77;"
                                  "CREATE TABLE t(x); INSERT INTO t VALUES(1)",
                                  NULL, NULL, NULL),
                     SQLITE_OK);
    sqlite3_db_config(db, SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, 1, (int *)NULL);
    sqlite3_close(db);
    bytes main = read_all(file), wal = read_all(log);
    assert_true(wal.len > 0);
    check_refused(true, TACIT_E_CORRUPT, "%s is not a tacit store; it was left untouched");
    check_bytes(file, main.data, main.len);
    check_bytes(log, wal.data, wal.len);
    tc_free(main.data);
    tc_free(wal.data);
}

static void a_newer_schema_is_refused(void **state)
{
    (void)state;
    make_store();
    foreign_sql(file, "PRAGMA user_version=6");
    bytes before = read_all(file);
    check_refused(true, TACIT_E_CORRUPT,
                  "%s was written by a newer tacit (schema 6; this one knows 5)");
    check_bytes(file, before.data, before.len);
    tc_free(before.data);
}

static void our_id_without_our_tables_is_damage(void **state)
{
    (void)state;
    make_store();
    foreign_sql(file, "DROP INDEX one_tell; DROP TABLE events; PRAGMA user_version=0");
    check_refused(true, TACIT_E_CORRUPT, "%s is damaged: tables without a schema number");
    check_refused(false, TACIT_E_CORRUPT, "%s is damaged: it has no schema number");
    foreign_sql(file, "PRAGMA user_version=5");
    bytes before = read_all(file);
    check_refused(true, TACIT_E_CORRUPT, "%s is damaged: no such table: events");
    check_bytes(file, before.data, before.len);
    tc_free(before.data);
}

/* True if the damaged copy was refused, with its bytes as they were and nothing new beside it. Otherwise the damage
 * was in a place that holds nothing, and all events must still be there. */
static bool refuses(const char *data, size_t len)
{
    tc_store *s = NULL;
    tacit_error err = {0};
    write_all(file, data, len);
    tacit_status status = open_with(false, &s, &err);
    if (status == TACIT_OK) {
        size_t n = 0;
        assert_int_equal(tc_store_scan(s, 1, 0, count_event, &n, NULL), TACIT_OK);
        assert_int_equal(n, 600);
        tc_store_close(s);
        return false;
    }
    assert_int_equal(status, TACIT_E_CORRUPT);
    assert_ptr_equal(strstr(err.msg, file), err.msg);
    check_bytes(file, data, len);
    assert_int_equal(beside(), 0);
    return true;
}

static void a_truncated_file_is_refused_untouched(void **state)
{
    (void)state;
    make_store();
    bytes whole = read_all(file);
    assert_true(whole.len > 20 * PAGE);
    for (size_t len = 1; len < whole.len; len = len < 64 ? len + 9 : len + len / 5)
        assert_true(refuses(whole.data, len));
    assert_true(refuses(whole.data, whole.len - 1));
    assert_true(refuses(whole.data, whole.len - PAGE));
    assert_false(refuses(whole.data, whole.len));
    tc_free(whole.data);
}

static void a_damaged_header_is_refused_untouched(void **state)
{
    (void)state;
    make_store();
    bytes whole = read_all(file);
    /* Fields on which reading depends; the others are counters and hints. */
    static const size_t vital[] = {0,  5,  15, 16, 17, 18, 19, 20, 21, 22,
                                   23, 28, 44, 47, 56, 59, 60, 68, 71};
    for (size_t i = 0; i < sizeof vital / sizeof vital[0]; i++) {
        whole.data[vital[i]] ^= 0x55;
        if (!refuses(whole.data, whole.len))
            fail_msg("header byte %zu", vital[i]);
        whole.data[vital[i]] ^= 0x55;
    }
    for (size_t i = 24; i < 100; i += 3) { /* and these may, if nothing is lost */
        whole.data[i] ^= 0x10;
        refuses(whole.data, whole.len);
        whole.data[i] ^= 0x10;
    }
    tc_free(whole.data);
}

static void damaged_pages_are_refused_untouched(void **state)
{
    (void)state;
    make_store();
    bytes whole = read_all(file);
    for (size_t page = 0; page < whole.len / PAGE; page += 3) {
        char keep[16];
        size_t at = page * PAGE + (page == 0 ? 100 : 0); /* where its b-tree begins */
        memcpy(keep, whole.data + at, sizeof keep);
        memset(whole.data + at, 0xA5, sizeof keep);
        assert_true(refuses(whole.data, whole.len));
        memcpy(whole.data + at, keep, sizeof keep);
    }
    tc_free(whole.data);
}

/* A damaged file whose last process died: its log stays, and there is no index if there was none. */
static void a_damaged_file_keeps_its_log(void **state)
{
    (void)state;
    char log[160], index[160];
    snprintf(log, sizeof log, "%s-wal", file);
    snprintf(index, sizeof index, "%s-shm", file);
    make_store();
    tc_store *s = open_store();
    put(s, "b");
    bytes whole = read_all(file), wal = read_all(log);
    tc_store_close(s);
    assert_true(wal.len > 0);
    memset(whole.data + 9 * PAGE, 0xA5, 16);
    for (int with_index = 0; with_index < 2; with_index++) {
        tacit_error err = {0};
        write_all(file, whole.data, whole.len);
        write_all(log, wal.data, wal.len);
        if (with_index)
            write_all(index, "", 0);
        assert_int_equal(open_with(true, &s, &err), TACIT_E_CORRUPT);
        check_bytes(file, whole.data, whole.len);
        check_bytes(log, wal.data, wal.len);
        assert_int_equal(beside(), with_index ? 3 : 1);
    }
    tc_free(whole.data);
    tc_free(wal.data);
}

/* As a copy made by another program may be: not in WAL mode, which the header shows. */
static void wrong_tables_are_found_before_the_switch(void **state)
{
    (void)state;
    make_store();
    foreign_sql(file, "PRAGMA journal_mode=DELETE; DROP TABLE records");
    bytes before = read_all(file);
    check_refused(true, TACIT_E_CORRUPT, "%s is damaged: no such table: records");
    check_bytes(file, before.data, before.len);
    tc_free(before.data);
}

/* Damage that happens while the file is open is met by the next read. */
static void damage_under_an_open_handle_is_reported(void **state)
{
    (void)state;
    make_store();
    bytes whole = read_all(file);
    tc_store *s = open_store();
    size_t n = 0;
    tacit_error err = {0};
    memset(whole.data + PAGE, 0xA5, whole.len - PAGE);
    write_all(file, whole.data, whole.len);
    sqlite3_db_release_memory(((tc_sqlite *)s)->db);
    assert_int_equal(tc_store_scan(s, 1, 0, count_event, &n, &err), TACIT_E_CORRUPT);
    assert_ptr_equal(strstr(err.msg, file), err.msg);
    tc_store_close(s);
    tc_free(whole.data);
}

/* ---- durability ---- */

static void an_ask_syncs_nothing_and_a_tell_syncs_once(void **state)
{
    (void)state;
    tc_store *s = open_store();
    int64_t id = put(s, "a");
    assert_int_equal(append(s, id, TC_EVENT_TELL, 99, "{}", true, NULL), TACIT_OK); /* log begun */
    syncs = 0;
    for (uint64_t i = 0; i < 20; i++)
        assert_int_equal(append(s, id, TC_EVENT_ASK, i, "{}", false, NULL), TACIT_OK);
    assert_int_equal(syncs, 0);
    for (uint64_t i = 0; i < 20; i++)
        assert_int_equal(append(s, id, TC_EVENT_TELL, i, "{}", true, NULL), TACIT_OK);
    assert_int_equal(syncs, 20);
    put(s, "b");
    assert_int_equal(syncs, 21);
    assert_int_equal(append(s, id, TC_EVENT_TELL, 3, "{}", true, NULL), TACIT_E_STATE);
    assert_int_equal(syncs, 21); /* nothing was written */
    tc_store_close(s);
}

typedef struct teller {
    tc_store *store;
    int64_t study;
    uint64_t first;
    bool ok;
} teller;

enum { TELLERS = 8, TELLS = 50 };

static void *tell_many(void *user)
{
    teller *t = user;
    t->ok = true;
    for (uint64_t i = 0; i < TELLS; i++)
        t->ok = t->ok && append(t->store, t->study, TC_EVENT_TELL, t->first + i, "{}", true,
                                NULL) == TACIT_OK;
    return NULL;
}

static void threads_share_their_syncs(void **state)
{
    (void)state;
    tc_store *s = open_store();
    int64_t id = put(s, "a");
    pthread_t threads[TELLERS];
    teller tellers[TELLERS];
    syncs = 0;
    sync_takes_us = 2000; /* time for others to come */
    for (uint64_t i = 0; i < TELLERS; i++) {
        tellers[i] = (teller){.store = s, .study = id, .first = i * TELLS};
        assert_int_equal(pthread_create(&threads[i], NULL, tell_many, &tellers[i]), 0);
    }
    for (size_t i = 0; i < TELLERS; i++)
        pthread_join(threads[i], NULL);
    for (size_t i = 0; i < TELLERS; i++)
        assert_true(tellers[i].ok);
    uint64_t head;
    assert_int_equal(journal_end(s, id, &head, NULL), TACIT_OK);
    assert_int_equal(head, TELLERS * TELLS);
    sync_takes_us = 0;
    assert_in_range(syncs, TELLS, TELLERS * TELLS - 1);
    tc_store_close(s);
}

/* The kernel forgets what it could not write: a later success would mean nothing. */
static void a_failed_sync_is_final_for_the_handle(void **state)
{
    (void)state;
    tc_store *s = open_store();
    int64_t id = put(s, "a");
    tacit_error err = {0};
    char want[200];
    snprintf(want, sizeof want, "%s could not be brought to disk: Input/output error", file);
    assert_int_equal(append(s, id, TC_EVENT_ASK, 0, "{}", false, &err),
                     TACIT_OK); /* begins the log */
    sync_fails = 1;
    assert_int_equal(append(s, id, TC_EVENT_TELL, 0, "{}", true, &err), TACIT_E_IO);
    assert_string_equal(err.msg, want);
    sync_fails = 0;
    assert_int_equal(append(s, id, TC_EVENT_TELL, 1, "{}", true, &err), TACIT_E_IO);
    assert_int_equal(append(s, id, TC_EVENT_TELL, 0, "{}", true, &err), TACIT_E_STATE);
    tc_store_close(s);
    s = open_store();
    assert_int_equal(append(s, id, TC_EVENT_TELL, 2, "{}", true, &err), TACIT_OK);
    tc_store_close(s);
}

static void the_log_stays_bounded(void **state)
{
    (void)state;
    tc_store *s = open_store();
    int64_t id = put(s, "a");
    static char body[20000];
    struct stat info;
    char log[160];
    snprintf(log, sizeof log, "%s-wal", file);
    memset(body, 'b', sizeof body - 1);
    for (uint64_t i = 0; i < 1500; i++)
        assert_int_equal(append(s, id, TC_EVENT_ASK, i, body, false, NULL), TACIT_OK);
    assert_int_equal(stat(log, &info), 0);
    assert_in_range(info.st_size, 1 << 18, 8 << 20); /* of 36 MB written */
    tc_store_close(s);
    assert_int_equal(stat(log, &info), -1);
}

/* ---- other processes ---- */

static void a_locked_file_is_busy(void **state)
{
    (void)state;
    tc_store *s = open_store();
    int64_t id = put(s, "a");
    tacit_error err = {0};
    sqlite3 *other;
    char want[200];
    ((tc_sqlite *)s)->busy_ms = 50;
    assert_int_equal(sqlite3_open(file, &other), SQLITE_OK);
    assert_int_equal(sqlite3_exec(other, "BEGIN IMMEDIATE", NULL, NULL, NULL), SQLITE_OK);
    snprintf(want, sizeof want, "%s stayed locked by another process for 0.05 s", file);
    assert_int_equal(append(s, id, TC_EVENT_ASK, 0, "{}", false, &err), TACIT_E_BUSY);
    assert_string_equal(err.msg, want);
    assert_int_equal(append(s, id, TC_EVENT_TELL, 0, "{}", true, &err), TACIT_E_BUSY);
    assert_int_equal(sqlite3_exec(other, "COMMIT", NULL, NULL, NULL), SQLITE_OK);
    assert_int_equal(append(s, id, TC_EVENT_TELL, 0, "{}", true, &err), TACIT_OK);
    sqlite3_close(other);
    tc_store_close(s);
}

/* Opens and closes the file in a process of its own, started anew: one that shares nothing with
 * this one, as a copy made by fork would. */
static void visit_from_outside(void)
{
    pid_t child = fork();
    if (child == 0) {
        execl("/proc/self/exe", "sqlite_test", "--visit", url, (char *)NULL);
        _exit(127);
    }
    int status;
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_int_equal(status, 0);
}

static int visit(const char *where)
{
    tc_store *s = NULL;
    size_t n = 0;
    if (tc_store_open(&s, where, false, NULL) != TACIT_OK)
        return 1;
    tacit_status status = tc_store_scan(s, 1, 0, count_event, &n, NULL);
    tc_store_close(s);
    return status == TACIT_OK ? 0 : 2;
}

/* Whatever this process opens and closes, it must keep its locks: else the visitor takes itself
 * for the last one, and removes the log into which we go on writing. */
static void a_second_handle_costs_the_first_no_lock(void **state)
{
    (void)state;
    enum { REFUSED, OPEN, CLOSED, CASES };
    for (int second = 0; second < CASES; second++) {
        clear_folder(NULL);
        tc_store *a = open_store(), *b = NULL;
        int64_t id = put(a, "a");
        uint64_t told = 0, head = 0;
        for (; told < 3; told++)
            assert_int_equal(append(a, id, TC_EVENT_TELL, told, "{}", true, NULL), TACIT_OK);
        if (second == REFUSED)
            assert_int_equal(
                sqlite3_exec(((tc_sqlite *)a)->db, "PRAGMA user_version=9", NULL, NULL, NULL),
                SQLITE_OK);
        assert_int_equal(open_with(false, &b, NULL),
                         second == REFUSED ? TACIT_E_CORRUPT : TACIT_OK);
        if (second == REFUSED)
            assert_int_equal(
                sqlite3_exec(((tc_sqlite *)a)->db, "PRAGMA user_version=5", NULL, NULL, NULL),
                SQLITE_OK);
        if (second == CLOSED)
            tc_store_close(b);
        visit_from_outside();
        assert_int_equal(beside(), 3); /* the log and its index are in use */
        for (; told < 8; told++)
            assert_int_equal(append(a, id, TC_EVENT_TELL, told, "{}", true, NULL), TACIT_OK);
        if (second == OPEN)
            tc_store_close(b);
        tc_store_close(a);
        a = open_store();
        assert_int_equal(journal_end(a, id, &head, NULL), TACIT_OK);
        assert_int_equal(head, told);
        tc_store_close(a);
    }
}

/* A program that opens and closes the file by itself drops our locks. That cannot be helped, but
 * what went into a removed log is not called durable. */
static void a_tell_into_a_removed_log_fails(void **state)
{
    (void)state;
    tc_store *s = open_store();
    int64_t id = put(s, "a");
    tacit_error err = {0};
    char want[200];
    snprintf(want, sizeof want, "%s could not be brought to disk: its log was removed", file);
    assert_int_equal(append(s, id, TC_EVENT_TELL, 0, "{}", true, NULL), TACIT_OK);
    bytes copy = read_all(file);
    tc_free(copy.data);
    visit_from_outside();
    assert_int_equal(beside(), 0);
    for (uint64_t trial = 1; trial < 3; trial++) {
        assert_int_equal(append(s, id, TC_EVENT_TELL, trial, "{}", true, &err), TACIT_E_IO);
        assert_string_equal(err.msg, want);
    }
    tc_store_close(s);
}

/* Each child makes or opens the same new file and appends; nothing is lost, none is refused. */
static void processes_share_a_file(void **state)
{
    (void)state;
    enum { CHILDREN = 4, EACH = 60 };
    pid_t children[CHILDREN];
    for (uint64_t c = 0; c < CHILDREN; c++) {
        children[c] = fork();
        if (children[c] != 0)
            continue;
        tc_store *s = NULL;
        tc_study_row row = {.name = "a", .document = "{}"};
        int64_t id = 1;
        if (open_with(true, &s, NULL) != TACIT_OK)
            _exit(1);
        tacit_status put = tc_store_study_put(s, &row, &id, NULL);
        if (put != TACIT_OK && put != TACIT_E_CONFLICT)
            _exit(2);
        for (uint64_t i = 0; i < EACH; i++)
            if (append(s, id, TC_EVENT_TELL, c * EACH + i, "{}", true, NULL) != TACIT_OK)
                _exit(3);
        tc_store_close(s);
        _exit(0);
    }
    for (int c = 0; c < CHILDREN; c++) {
        int status;
        assert_int_equal(waitpid(children[c], &status, 0), children[c]);
        assert_int_equal(status, 0);
    }
    tc_store *s = open_store();
    uint64_t head;
    assert_int_equal(journal_end(s, 1, &head, NULL), TACIT_OK);
    assert_int_equal(head, CHILDREN * EACH);
    tc_store_close(s);
}

/* Whenever a process is killed while it makes the file, the next one can go on. */
static void a_half_made_file_is_made_whole(void **state)
{
    (void)state;
    srand(3);
    for (int round = 0; round < 12; round++) {
        clear_folder(NULL);
        pid_t child = fork();
        if (child == 0) {
            tc_store *s = NULL;
            open_with(true, &s, NULL);
            pause();
        }
        usleep((useconds_t)(rand() % 6000));
        kill(child, SIGKILL);
        waitpid(child, NULL, 0);
        tc_store *s = open_store();
        put(s, "a");
        tc_store_close(s);
    }
}

int main(int argc, char **argv)
{
    if (argc == 3 && strcmp(argv[1], "--visit") == 0)
        return visit(argv[2]);
    const struct CMUnitTest tests[] = {
        IN_FOLDER(an_absent_file_is_made_only_on_request),
        IN_FOLDER(the_folder_must_exist),
        IN_FOLDER(a_folder_is_no_store),
        IN_FOLDER(an_empty_file_is_new_only_on_request),
        IN_FOLDER(what_may_not_be_written_is_one_sentence),
        IN_FOLDER(odd_names_are_just_names),
        IN_FOLDER(foreign_files_are_refused_untouched),
        IN_FOLDER(a_foreign_log_is_left_alone),
        IN_FOLDER(a_newer_schema_is_refused),
        IN_FOLDER(our_id_without_our_tables_is_damage),
        IN_FOLDER(a_truncated_file_is_refused_untouched),
        IN_FOLDER(a_damaged_header_is_refused_untouched),
        IN_FOLDER(damaged_pages_are_refused_untouched),
        IN_FOLDER(a_damaged_file_keeps_its_log),
        IN_FOLDER(wrong_tables_are_found_before_the_switch),
        IN_FOLDER(damage_under_an_open_handle_is_reported),
        IN_FOLDER(an_ask_syncs_nothing_and_a_tell_syncs_once),
        IN_FOLDER(threads_share_their_syncs),
        IN_FOLDER(a_failed_sync_is_final_for_the_handle),
        IN_FOLDER(the_log_stays_bounded),
        IN_FOLDER(a_locked_file_is_busy),
        IN_FOLDER(a_second_handle_costs_the_first_no_lock),
        IN_FOLDER(a_tell_into_a_removed_log_fails),
        IN_FOLDER(processes_share_a_file),
        IN_FOLDER(a_half_made_file_is_made_whole),
    };
    return cmocka_run_group_tests_name("sqlite", tests, make_folder, remove_folder);
}
