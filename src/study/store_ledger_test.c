/* store_ledger_test.c - what a ledger asks of every store, and of SQLite alone: damage in the
 * file, syncs that fail, files of the schema before. */
#include "support/journal_end.h"
#include "support/append_places.h"
#include "support/older_ledger.h"
#include "support/record_sums.h"
#include "support/store_folder.h"

#include "study/sqlite_int.h"

#include "base/memory.h"
#include "privacy/mechanism.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <unistd.h>

/* ---- syncs that fail: SQLite's and the store's calls end up here */

static int sync_fails;
static bool sync_skipped; /* where nothing is asked about the disk and files are many */

TACIT_API int fdatasync(int fd);

int fdatasync(int fd)
{
    if (sync_fails) {
        errno = EIO;
        return -1;
    }
    return sync_skipped ? 0 : (int)syscall(SYS_fdatasync, fd);
}

/* ---- stores of a test */

static bool sqlite;

static int clear(void **state)
{
    sync_fails = 0;
    sync_skipped = false;
    return clear_folder(state);
}

static tc_store *open_store(void)
{
    tc_store *s = NULL;
    tacit_error err = {0};
    assert_ok(tc_store_open(&s, sqlite ? url : "memory:", true, &err));
    return s;
}

static tacit_status try_ledger(tc_store *s, tc_ledger **out, tacit_error *err)
{
    tc_ledger_io io;
    tacit_status status = tc_store_ledger(s, "main", true, &io, err);
    return status == TACIT_OK ? tc_ledger_open(out, "main", &io, err) : status;
}

static tc_ledger *open_ledger(tc_store *s)
{
    tc_ledger *l = NULL;
    tacit_error err = {0};
    assert_ok(try_ledger(s, &l, &err));
    return l;
}

/* ---- releases: `n` numbers from `first` on, through the mechanism without noise */

static tacit_status release_numbers(tc_ledger *l, uint64_t round, size_t n, double first,
                                    double *left, bool *again, tacit_error *err)
{
    double x[600];
    tc_release *r = NULL;
    tc_ledger_receipt receipt = {0};
    tc_ledger_charge c = {tc_ledger_study_hash("{}"), round, NULL};
    assert_true(n <= 600);
    for (size_t i = 0; i < n; i++)
        x[i] = first + (double)i;
    assert_int_equal(tc_none_release(&r, 1, n, x, TACIT_UNIT_ROW, "it is a test", err), TACIT_OK);
    tacit_status status = tc_ledger_release(l, NULL, &c, r, &receipt, err);
    tc_release_free(r);
    if (status != TACIT_OK)
        return status;
    assert_int_equal(receipt.size, 8 * n);
    if (n > 0)
        memcpy(left, receipt.bytes, sizeof *left);
    *again = receipt.again;
    tc_ledger_receipt_fini(&receipt);
    return TACIT_OK;
}

static double left_of(tc_ledger *l, uint64_t round, double first, bool expect_again)
{
    tacit_error err = {0};
    double left = 0;
    bool again = false;
    assert_ok(release_numbers(l, round, 3, first, &left, &again, &err));
    assert_int_equal(again, expect_again);
    return left;
}

/* ---- every store */

static void rounds_are_kept(void **state)
{
    (void)state;
    tacit_error err = {0};
    tc_store *s = open_store();
    tc_ledger *l = open_ledger(s);
    assert_int_equal(tc_ledger_get_head(l).seq, 0);
    for (uint64_t round = 0; round < 20; round++)
        assert_true(left_of(l, round, (double)round, false) == (double)round);
    assert_true(left_of(l, 7, 1e9, true) == 7);
    assert_true(left_of(l, TC_LEDGER_MAX_ROUND, 5, false) == 5);
    double left;
    bool again = false;
    assert_ok(release_numbers(l, 100, 0, 0, &left, &again, &err)); /* of no numbers */
    assert_ok(release_numbers(l, 100, 0, 0, &left, &again, &err));
    assert_true(again);
    assert_ok(release_numbers(l, 101, 600, 3, &left, &again, &err)); /* more than a page */
    tacit_head head = tc_ledger_get_head(l), other_head;
    tc_ledger *other = open_ledger(s);
    other_head = tc_ledger_get_head(other);
    assert_memory_equal(&head, &other_head, sizeof head);
    tc_ledger_close(other);
    tc_ledger_close(l);
    tc_store_close(s);
}

static void ledgers_have_names(void **state)
{
    (void)state;
    tacit_error err = {0};
    tc_ledger_io a, b, again;
    tc_store *s = open_store();
    assert_fails(tc_store_ledger(s, "a", false, &a, &err), TACIT_E_NOT_FOUND,
                 "there is no ledger \"a\"");
    assert_ok(tc_store_ledger(s, "a", true, &a, &err));
    assert_ok(tc_store_ledger(s, "b", true, &b, &err));
    assert_ok(tc_store_ledger(s, "a", false, &again, &err));
    assert_true(a.id == again.id && a.id != b.id);
    tc_ledger *la = NULL, *lb = NULL;
    assert_ok(tc_ledger_open(&la, "a", &a, &err));
    assert_ok(tc_ledger_open(&lb, "b", &b, &err));
    left_of(la, 1, 10, false);
    assert_true(left_of(lb, 1, 20, false) == 20); /* the same round, another ledger */
    tc_ledger_close(la);
    tc_ledger_close(lb);
    tc_store_close(s);
}

static void appends_in_the_wrong_place_conflict(void **state)
{
    (void)state;
    tacit_error err = {0};
    tc_ledger_io io;
    tc_store *s = open_store();
    assert_ok(tc_store_ledger(s, "raw", true, &io, &err));
    check_append_places(&io);
    tacit_head head;
    assert_ok(io.head(&io, &head, &err));
    assert_int_equal(head.seq, 2);
    tc_store_close(s);
}

static void two_handles_take_turns(void **state)
{
    (void)state;
    tc_store *s = open_store(), *t = sqlite ? open_store() : s;
    tc_ledger *a = open_ledger(s), *b = open_ledger(t);
    for (uint64_t round = 0; round < 10; round++) {
        left_of(a, 2 * round, 1, false);
        left_of(b, 2 * round + 1, 2, false);
        assert_true(left_of(a, 2 * round + 1, 3, true) == 2);
    }
    tc_ledger_close(a);
    tc_ledger_close(b);
    if (t != s)
        tc_store_close(t);
    tc_ledger_close(open_ledger(s));
    tc_store_close(s);
}

/* ---- SQLite */

static void foreign_sql(const char *sql)
{
    sqlite3 *db;
    char *why = NULL;
    assert_int_equal(sqlite3_open(file, &db), SQLITE_OK);
    if (sqlite3_exec(db, sql, NULL, NULL, &why) != SQLITE_OK)
        fail_msg("%s", why);
    sqlite3_close(db);
}

static void make_ledger(uint64_t rounds)
{
    tc_store *s = open_store();
    tc_ledger *l = open_ledger(s);
    for (uint64_t round = 1; round <= rounds; round++)
        left_of(l, round, (double)round, false);
    tc_ledger_close(l);
    tc_store_close(s);
}

static void check_refused(const char *sentence)
{
    tc_store *s = open_store();
    tc_ledger *l = NULL;
    tacit_error err = {0};
    assert_int_equal(try_ledger(s, &l, &err), TACIT_E_CORRUPT);
    assert_string_equal(err.msg, sentence);
    tc_store_close(s);
}

/* The value of an entry: 80 bytes, then the entry, then the release, which has 24 here. */
#define PATCH(before, bytes, after)                                                                \
    "UPDATE records SET value = CAST(substr(value, 1, " before ") || " bytes                       \
    " || substr(value, " after ") AS BLOB) WHERE "

static void damage_in_the_file_is_named(void **state)
{
    (void)state;
    static const char *const cases[][2] = {
        {PATCH("80", "zeroblob(10)", "91") IS_ENTRY("07"),
         "ledger entry 7 does not match its hash"},
        {PATCH("length(value) - 24", "zeroblob(24)", "length(value) + 1") IS_ENTRY("03"),
         "the release of ledger entry 3 does not match its hash"},
        {PATCH("64", "x'000000000000004d'", "73") IS_ENTRY("02"),
         "ledger entry 2 is filed under another study, round or number"},
        {PATCH("72", "x'7fffffffffffffff'", "81") IS_ENTRY("02"), "ledger entry 2 is incomplete"},
        {"UPDATE records SET value = x'00' WHERE " IS_ENTRY("09"), "ledger entry 9 is incomplete"},
        {"DELETE FROM records WHERE " IS_ENTRY("09"), "ledger entry 9 is missing"},
        {"DELETE FROM records WHERE " IS_ENTRY("04"), "ledger entry 4 is missing"},
        {"DELETE FROM records WHERE kind = 13",
         "the storage is damaged: ledger number 1 has 0 heads"},
        {"INSERT INTO records SELECT study, kind, x'00000000000000020000000000000000', version, "
         "value,"
         " sum FROM records WHERE kind = 14 AND substr(key, 16) = x'01'; UPDATE records SET key ="
         " x'0000000000000002' WHERE kind = 12",
         "the storage is damaged: ledger number 1 is missing"},
        {MOVE_HEAD("CAST(substr(key, 1, 16) || zeroblob(32) AS BLOB)"),
         "ledger entry 9 does not match the head of the ledger"},
        {MOVE_HEAD("(SELECT CAST(key || substr(value, 1, 32) AS BLOB) FROM records"
                   " WHERE " IS_ENTRY("08") ")"),
         "ledger entry 9 is beyond the ledger's head"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        clear(NULL);
        make_ledger(9);
        change_records(file, cases[i][0]);
        check_refused(cases[i][1]);
    }
}

static void a_checksum_names_the_entry(void **state)
{
    (void)state;
    make_ledger(9);
    foreign_sql("DROP TRIGGER ledger_keeps_values;" PATCH("80", "zeroblob(10)", "91")
                    IS_ENTRY("07"));
    check_refused("ledger entry 7: the storage is damaged: a record of study number 0, kind 14, "
                  "does not match its checksum; restore a backup");
}

/* The page where an index begins, counted from 0, and the size of a page. */
static size_t index_page(const char *name, size_t *page_size)
{
    sqlite3 *db;
    sqlite3_stmt *q;
    assert_int_equal(sqlite3_open(file, &db), SQLITE_OK);
    assert_int_equal(sqlite3_prepare_v2(db,
                                        "SELECT rootpage - 1, page_size FROM sqlite_schema,"
                                        " pragma_page_size WHERE name = ?1",
                                        -1, &q, NULL),
                     SQLITE_OK);
    sqlite3_bind_text(q, 1, name, -1, SQLITE_STATIC);
    assert_int_equal(sqlite3_step(q), SQLITE_ROW);
    size_t page = (size_t)sqlite3_column_int64(q, 0);
    *page_size = (size_t)sqlite3_column_int64(q, 1);
    sqlite3_finalize(q);
    sqlite3_close(db);
    return page;
}

/* A row that the index has lost would be made a second time: the table is asked, too. */
static void an_index_that_hides_a_ledger_is_not_believed(void **state)
{
    (void)state;
    tacit_error err = {0};
    tc_ledger_io io;
    sqlite3 *db;
    char *why = NULL;
    size_t size;
    make_ledger(2);
    int root = (int)index_page("sqlite_autoindex_records_1", &size) + 1;
    tc_store *s = open_store();
    assert_int_equal(sqlite3_open(file, &db), SQLITE_OK);
    /* a table of this connection alone, on the pages of the index */
    assert_int_equal(sqlite3_test_control(SQLITE_TESTCTRL_IMPOSTER, db, "main", 1, root),
                     SQLITE_OK);
    if (sqlite3_exec(db,
                     "CREATE TABLE i(study, kind, key, r, PRIMARY KEY(study, kind, key, r))"
                     " WITHOUT ROWID; DELETE FROM i WHERE kind = 12",
                     NULL, NULL, &why) != SQLITE_OK)
        fail_msg("%s", why);
    sqlite3_close(db);
    assert_fails(tc_store_ledger(s, "main", false, &io, &err), TACIT_E_NOT_FOUND, "no ledger");
    assert_fails(tc_store_ledger(s, "main", true, &io, &err), TACIT_E_CORRUPT,
                 "the storage is damaged: its index does not find ledger number 1");
    assert_fails(tc_store_ledger(s, "other", true, &io, &err), TACIT_E_CORRUPT,
                 "the storage is damaged: its index does not find ledger number 1");
    tc_store_close(s);
}

/* ---- flipped bits */

enum { FLIP_ROUNDS = 8, FILE_FLIPS = 100, INDEX_FLIPS = 240, MAX_FILE = 1 << 18 };

static uint8_t whole[MAX_FILE];
static size_t whole_size;

static void read_whole(void)
{
    FILE *f = fopen(file, "rb");
    assert_non_null(f);
    whole_size = fread(whole, 1, sizeof whole, f);
    assert_true(fclose(f) == 0 && whole_size > 0 && whole_size < sizeof whole);
}

static void write_flipped(size_t bit)
{
    char other[160];
    snprintf(other, sizeof other, "%s-wal", file);
    unlink(other);
    snprintf(other, sizeof other, "%s-shm", file);
    unlink(other);
    FILE *f = fopen(file, "wb");
    assert_non_null(f);
    whole[bit / 8] ^= (uint8_t)(1u << bit % 8);
    assert_int_equal(fwrite(whole, 1, whole_size, f), whole_size);
    whole[bit / 8] ^= (uint8_t)(1u << bit % 8);
    assert_int_equal(fclose(f), 0);
}

/* Every round has its first bytes, or there is a refusal; never others, never "not released". */
static void check_rounds(tc_ledger *l)
{
    tacit_hash study = tc_ledger_study_hash("{}");
    for (uint64_t round = 1; round <= FLIP_ROUNDS; round++) {
        tacit_error err = {0};
        tc_ledger_receipt r = {0};
        double left = 0;
        bool again = false;
        assert_int_not_equal(tc_ledger_find(l, &study, round, &r, &err), TACIT_E_NOT_FOUND);
        tc_ledger_receipt_fini(&r);
        if (release_numbers(l, round, 3, -1, &left, &again, &err) == TACIT_OK)
            assert_true(again && left == (double)round);
    }
}

/* Is the flip noticed when the ledger is opened? */
static bool flip_is_refused(size_t bit)
{
    tc_store *s = NULL;
    tc_ledger *l = NULL;
    tacit_error err = {0};
    write_flipped(bit);
    if (tc_store_open(&s, url, true, &err) != TACIT_OK)
        return true;
    bool opened = try_ledger(s, &l, &err) == TACIT_OK;
    if (opened)
        check_rounds(l);
    tc_ledger_close(l);
    tc_store_close(s);
    return !opened;
}

static void no_flipped_bit_releases_a_round_twice(void **state)
{
    (void)state;
    size_t size, refused = 0;
    uint64_t seed = 3;
    make_ledger(FLIP_ROUNDS);
    size_t page = index_page("sqlite_autoindex_records_1", &size);
    read_whole();
    sync_skipped = true;
    for (size_t i = 0; i < FILE_FLIPS; i++) {
        seed = seed * UINT64_C(6364136223846793005) + 1442695040888963407u;
        refused += flip_is_refused((size_t)(seed >> 20) % (8 * whole_size));
    }
    assert_true(refused > 0 && refused < FILE_FLIPS);
    for (size_t i = 0; i < INDEX_FLIPS; i++) {
        seed = seed * UINT64_C(6364136223846793005) + 1442695040888963407u;
        /* the header and the list of cells come first, the cells last */
        size_t bit = (size_t)(seed >> 20) % (8 * 2048);
        size_t at = bit < 8 * 64 ? bit : 8 * size - bit;
        flip_is_refused(8 * page * size + at);
    }
}

static void entries_cannot_be_changed_by_accident(void **state)
{
    (void)state;
    sqlite3 *db;
    char *why = NULL;
    make_ledger(2);
    assert_int_equal(sqlite3_open(file, &db), SQLITE_OK);
    assert_int_not_equal(sqlite3_exec(db, "DELETE FROM records", NULL, NULL, &why), SQLITE_OK);
    assert_string_equal(why, "a ledger is append-only");
    sqlite3_free(why);
    assert_int_not_equal(
        sqlite3_exec(db, "UPDATE records SET value = x'' WHERE kind = 14", NULL, NULL, &why),
        SQLITE_OK);
    assert_string_equal(why, "a ledger is append-only");
    sqlite3_free(why);
    sqlite3_close(db);
}

/* What is committed but perhaps not on disk must not leave: neither now nor when asked again. A
 * new handle brings it to disk first; then it is what was drawn at first. */
static void nothing_leaves_after_a_failed_sync(void **state)
{
    (void)state;
    tacit_error err = {0};
    double left = 0;
    bool again = false;
    tc_store *s = open_store();
    tc_ledger *l = open_ledger(s);
    left_of(l, 1, 1, false);
    for (uint64_t round = 10; round < 14; round++) /* until the log is not folded in any more */
        left_of(l, round, 1, false);
    sync_fails = 1;
    assert_fails(release_numbers(l, 2, 3, 2, &left, &again, &err), TACIT_E_IO,
                 "could not be brought to disk");
    sync_fails = 0; /* the kernel says so only once */
    assert_fails(release_numbers(l, 2, 3, 3, &left, &again, &err), TACIT_E_IO,
                 "could not be brought to disk");
    assert_true(left == 0);
    tc_ledger_close(l);
    tc_store_close(s);
    s = open_store();
    l = open_ledger(s);
    assert_true(left_of(l, 2, 4, true) == 2);
    tc_ledger_close(l);
    tc_store_close(s);
}

/* As released with schema 1: never changes. */
#define SCHEMA_1                                                                                   \
    "PRAGMA application_id=1952539508; PRAGMA user_version=1;"                                     \
    "CREATE TABLE studies(id INTEGER PRIMARY KEY, name TEXT NOT NULL UNIQUE,"                      \
    "  document TEXT NOT NULL, points_csv TEXT,"                                                   \
    "  public_seed BLOB NOT NULL CHECK(length(public_seed) = 32),"                                 \
    "  party_seed BLOB NOT NULL CHECK(length(party_seed) = 32),"                                   \
    "  created_ms INTEGER NOT NULL) STRICT;"                                                       \
    "CREATE TABLE events(study INTEGER NOT NULL REFERENCES studies(id), seq INTEGER NOT NULL,"     \
    "  kind INTEGER NOT NULL, trial INTEGER NOT NULL, time_ms INTEGER NOT NULL,"                   \
    "  body TEXT NOT NULL, PRIMARY KEY(study, seq)) STRICT, WITHOUT ROWID;"                        \
    "CREATE UNIQUE INDEX one_tell ON events(study, trial) WHERE kind = 3;"                         \
    "INSERT INTO studies VALUES(1, 'old', '{}', NULL, zeroblob(32), zeroblob(32), 5);"             \
    "INSERT INTO events VALUES(1, 1, 1, 0, 6, '{}');"                                              \
    "PRAGMA journal_mode=WAL;"

static void a_file_of_schema_1_is_upgraded(void **state)
{
    (void)state;
    tacit_error err = {0};
    foreign_sql(SCHEMA_1);
    for (int i = 0; i < 2; i++) {
        tc_store *s = open_store();
        tc_study_row row;
        uint64_t head;
        assert_ok(tc_store_study_get(s, "old", &row, &err));
        assert_ok(journal_end(s, row.id, &head, &err));
        assert_int_equal(head, 1);
        tc_study_row_fini(&row);
        tc_ledger *l = open_ledger(s);
        assert_true(left_of(l, 1, 1, i > 0) == 1);
        tc_ledger_close(l);
        tc_store_close(s);
    }
    foreign_sql("SELECT 1/(user_version = 2) FROM pragma_user_version");
}

static void a_damaged_file_of_schema_1_is_left_as_it_was(void **state)
{
    (void)state;
    static const char *const cases[][2] = {
        {"DROP TABLE events", "%s is damaged: no such table: events"},
        {"CREATE TABLE ledgers(x)", "%s is damaged: table ledgers already exists"},
    };
    for (size_t i = 0; i < 2; i++) {
        clear(NULL);
        foreign_sql(SCHEMA_1);
        foreign_sql(cases[i][0]);
        tc_store *s = NULL;
        tacit_error err = {0};
        char text[256];
        snprintf(text, sizeof text, cases[i][1], file);
        assert_int_equal(tc_store_open(&s, url, true, &err), TACIT_E_CORRUPT);
        assert_string_equal(err.msg, text);
        foreign_sql("SELECT 1/(user_version = 1) FROM pragma_user_version");
        foreign_sql("CREATE TABLE ledger_entries(x)"); /* it is not there */
    }
}

/* Of schema 4, with tables of its own. The head is what that version printed. */
static void a_ledger_of_schema_4_becomes_records(void **state)
{
    (void)state;
    char *text = read_fixture("ledger-sqlite-4.sql");
    foreign_sql(text);
    tc_free(text);
    foreign_sql("PRAGMA journal_mode=WAL; INSERT INTO ledgers VALUES(2, 'empty', 0, NULL)");
    for (int i = 0; i < 2; i++) {
        tc_store *s = open_store();
        tacit_error err = {0};
        tc_ledger_io io;
        tacit_head head;
        check_older_ledger(s, "82ac63a072c9041c54a4f448099502ea92b2c85eddcb582eda7cb51e5ac5e03b",
                           i > 0);
        assert_ok(tc_store_ledger(s, "empty", false, &io, &err));
        assert_ok(io.head(&io, &head, &err));
        assert_int_equal(head.seq, 0);
        tc_store_close(s);
    }
    foreign_sql("CREATE TABLE ledgers(x); CREATE TABLE ledger_entries(x)"); /* they are gone */
}

#define TEST(f) cmocka_unit_test_setup(f, clear)

/* Another process, which makes the ledger just before statement number `at` of ours begins. In a transaction of
 * ours it would wait for the end: these statements do not count. */
typedef struct rival {
    tc_store *store;
    int statements, at;
} rival;

static int before_statement(unsigned type, void *user, void *statement, void *text)
{
    rival *r = user;
    tc_ledger_io io;
    tacit_error err = {0};
    (void)type, (void)text;
    if (!sqlite3_get_autocommit(sqlite3_db_handle(statement)))
        return 0;
    if (++r->statements == r->at)
        assert_ok(tc_store_ledger(r->store, "main", true, &io, &err));
    return 0;
}

static void two_processes_make_a_ledger(void **state)
{
    for (int at = 1, statements = 1; at <= statements; at++) {
        tacit_error err = {0};
        tc_store *s = open_store();
        rival r = {.store = open_store(), .at = at};
        tc_ledger_io ours, theirs;
        sqlite3_trace_v2(((tc_sqlite *)s)->db, SQLITE_TRACE_STMT, before_statement, &r);
        assert_ok(tc_store_ledger(s, "main", true, &ours, &err));
        sqlite3_trace_v2(((tc_sqlite *)s)->db, 0, NULL, NULL);
        assert_ok(tc_store_ledger(r.store, "main", true, &theirs, &err));
        assert_true(ours.id == theirs.id);
        statements = at == 1 ? 3 : r.statements; /* the first found the ledger there */
        tc_store_close(r.store);
        tc_store_close(s);
        assert_int_equal(clear(state), 0);
    }
}

int main(void)
{
    const struct CMUnitTest all[] = {
        TEST(rounds_are_kept),
        TEST(ledgers_have_names),
        TEST(appends_in_the_wrong_place_conflict),
        TEST(two_handles_take_turns),
    };
    const struct CMUnitTest in_a_file[] = {
        TEST(two_processes_make_a_ledger),
        TEST(damage_in_the_file_is_named),
        TEST(a_checksum_names_the_entry),
        TEST(an_index_that_hides_a_ledger_is_not_believed),
        TEST(no_flipped_bit_releases_a_round_twice),
        TEST(entries_cannot_be_changed_by_accident),
        TEST(nothing_leaves_after_a_failed_sync),
        TEST(a_file_of_schema_1_is_upgraded),
        TEST(a_ledger_of_schema_4_becomes_records),
        TEST(a_damaged_file_of_schema_1_is_left_as_it_was),
    };
    if (make_folder(NULL) != 0)
        return 1;
    int failed = cmocka_run_group_tests_name("memory ledger", all, NULL, NULL);
    sqlite = true;
    failed += cmocka_run_group_tests_name("sqlite ledger", all, NULL, NULL);
    failed += cmocka_run_group_tests_name("sqlite file", in_a_file, NULL, remove_folder);
    return failed;
}
