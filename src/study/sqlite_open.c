/* sqlite_open.c - opening a store file: is it ours, whole, and of a known schema?
 *
 * A file that is refused is left as it was, byte for byte, and nothing new stays beside
 * it. Its header is therefore read before the first statement (which may roll back or
 * check-point another program's database), and a write-ahead log that was there is not
 * folded in before all checks have passed. For that the header itself must carry our id
 * from the first commit on: the schema is made with a rollback journal, and only then is
 * the file switched to WAL.
 *
 * Nothing here opens the file but SQLite. By POSIX's rules, to close any descriptor of a
 * file drops all locks that the process has on it; SQLite knows its own descriptors and
 * closes none while another handle holds a lock. Without that lock another process
 * would take itself for the last one and remove the log under us. */
#include "study/sqlite_int.h"

#include "base/clock.h"
#include "base/error.h"
#include "base/file_name.h"
#include "base/memory.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

/* Beyond this size reading the whole file would be felt at every start. */
#define CHECK_BYTES (32 << 20)

/* A sync is far cheaper where the log overwrites itself than where it grows: the file system
 * has nothing of its own to write. So the log is folded in early, at 4 MB; a large import may
 * make it longer for once. Small pages make it small: most events are about 100 bytes. */
#define SETTINGS                                                                                   \
    "PRAGMA page_size=2048;" /* of a new file */                                                   \
    "PRAGMA trusted_schema=OFF;"                                                                   \
    "PRAGMA cell_size_check=ON;"                                                                   \
    "PRAGMA secure_delete=ON;" /* a contribution that was erased is overwritten */                 \
    "PRAGMA wal_autocheckpoint=2000;"                                                              \
    "PRAGMA journal_size_limit=4194304"

/* ---- before the first statement ---- */

static uint32_t big_endian(const uint8_t *p)
{
    return (uint32_t)p[0] << 24 | (uint32_t)p[1] << 16 | (uint32_t)p[2] << 8 | p[3];
}

static tacit_status refuse_foreign(const char *file, tacit_error *err)
{
    return tc_fail(err, TACIT_E_CORRUPT, "%s is not a tacit store; it was left untouched", file);
}

static tacit_status refuse_damaged(const char *file, const char *why, tacit_error *err)
{
    return tc_fail(err, TACIT_E_CORRUPT, "%s is damaged: %s", file, why);
}

/* What lay beside the file before we came. */
typedef struct beside {
    bool log;   /* -wal */
    bool index; /* -shm */
    bool journal;
    tc_marked mark;
} beside;

static int64_t size_of(const char *path, const char *end) /* -1: there is none */
{
    char name[4200];
    struct stat info;
    snprintf(name, sizeof name, "%s%s", path, end);
    return stat(name, &info) == 0 ? info.st_size : -1;
}

static beside look_beside(const char *path)
{
    return (beside){.mark =
                        tc_mark_read(path), /* first: what is read later has come at least so far */
                    .log = size_of(path, "-wal") >= 0,
                    .index = size_of(path, "-shm") >= 0,
                    .journal = size_of(path, "-journal") >= 0};
}

/* https://www.sqlite.org/fileformat2.html, section 1.3. SQLite itself reads on where some of
 * these are wrong, or where the last page is cut. */
static tacit_status check_header(const char *file, const uint8_t h[100], uint64_t size,
                                 tacit_error *err)
{
    if (memcmp(h, "SQLite format 3", 16) != 0 || big_endian(h + 68) != TC_SQLITE_APPLICATION)
        return refuse_foreign(file, err);
    bool formats_known = h[18] >= 1 && h[18] <= 2 && h[19] >= 1 && h[19] <= 2;
    bool constants_right = h[21] == 64 && h[22] == 32 && h[23] == 32 && big_endian(h + 44) == 4 &&
                           big_endian(h + 56) == 1;
    if (!formats_known || !constants_right)
        return refuse_damaged(file, "its header makes no sense", err);
    uint64_t page = (uint64_t)h[16] << 8 | h[17];
    if (size < big_endian(h + 28) * (page == 1 ? 65536 : page))
        return refuse_damaged(file, "its end is missing", err);
    return TACIT_OK;
}

static sqlite3_file *file_of(tc_sqlite *s)
{
    sqlite3_file *f = NULL;
    sqlite3_file_control(s->db, "main", SQLITE_FCNTL_FILE_POINTER, (void *)&f);
    return f;
}

/* A process that died while it wrote leaves a log, from which SQLite mends the file: then its
 * size says nothing yet. */
static tacit_status check_bytes(tc_sqlite *s, const beside *before, tacit_error *err)
{
    uint8_t h[100];
    sqlite3_int64 size = 0;
    sqlite3_file *f = file_of(s);
    /* In this order: while another process folds its log in, the header may be ahead of the size. */
    int rc = f->pMethods->xRead(f, h, sizeof h, 0);
    if (rc == SQLITE_IOERR_SHORT_READ)
        return refuse_foreign(s->file, err);
    if (rc == SQLITE_OK)
        rc = f->pMethods->xFileSize(f, &size);
    if (rc != SQLITE_OK)
        return tc_sqlite_fail(s, rc, err);
    bool logged = before->log || before->journal;
    return check_header(s->file, h, logged ? UINT64_MAX : (uint64_t)size, err);
}

static tacit_status check_present(const char *file, const char *path, const struct stat *info,
                                  bool create, tacit_error *err)
{
    if (!S_ISREG(info->st_mode))
        return tc_fail(err, TACIT_E_IO, "%s is not a file", file);
    if (info->st_size == 0 && !create)
        return tc_fail(err, TACIT_E_CORRUPT, "%s is empty, not a tacit store", file);
    if (access(path, W_OK) != 0)
        return tc_fail(err, TACIT_E_IO, "%s cannot be written: %s", file, strerror(errno));
    return TACIT_OK;
}

/* The log and its index are files beside the store's own, so the folder counts too. */
static tacit_status check_folder(const char *file, const char *path, tacit_error *err)
{
    char *folder = tc_strndup(path, (size_t)(strrchr(path, '/') - path) + 1);
    struct stat info;
    if (!folder)
        return tc_fail_memory(err);
    bool known = stat(folder, &info) == 0 && S_ISDIR(info.st_mode);
    bool writable = known && access(folder, W_OK | X_OK) == 0;
    tc_free(folder);
    if (!known)
        return tc_fail(err, TACIT_E_IO, "%s cannot be made: its folder does not exist", file);
    if (!writable)
        return tc_fail(err, TACIT_E_IO, "%s cannot be used: its folder cannot be written", file);
    return TACIT_OK;
}

/* SQLite would remove a log whose file is not there, and a store that was lost would be begun anew. The file is
 * looked at last: another process may be making it, which writes the file before its log and its mark. */
static tacit_status check_lost(const char *file, const char *path, const beside *before,
                               tacit_error *err)
{
    bool log = size_of(path, "-wal") > 0;
    if ((!log && !before->mark.found) || size_of(path, "") > 0)
        return TACIT_OK;
    return tc_fail(err, TACIT_E_CORRUPT,
                   "%s is gone or empty, and its %s %s%s is there: put the file back, or remove "
                   "what is left (%s-wal, %s-mark) to begin anew",
                   file, log ? "log" : "mark", file, log ? "-wal" : "-mark", file, file);
}

/* A store holds keys, tokens and data of its own people: a new one is for its owner alone from the first
 * moment. The log and its index take the mode of the file. Without a descriptor: see the top. */
static tacit_status make_file(const char *file, const char *path, tacit_error *err)
{
    if (mknod(path, S_IFREG | S_IRUSR | S_IWUSR, 0) == 0 || errno == EEXIST)
        return TACIT_OK;
    return tc_fail(err, TACIT_E_IO, "%s cannot be made: %s", file, strerror(errno));
}

static tacit_status check_file(const char *file, const char *path, const beside *before,
                               bool create, int64_t *size, tacit_error *err)
{
    struct stat info;
    bool fresh = false;
    *size = 0;
    if (stat(path, &info) == 0) {
        TC_TRY(check_present(file, path, &info, create, err));
        *size = info.st_size;
    } else if (errno != ENOENT && errno != ENOTDIR) {
        return tc_fail(err, TACIT_E_IO, "%s cannot be opened: %s", file, strerror(errno));
    } else if (!create) {
        return tc_fail(err, TACIT_E_NOT_FOUND, "there is no file %s", file);
    } else {
        fresh = true;
    }
    TC_TRY(check_folder(file, path, err));
    if (create && *size == 0)
        TC_TRY(check_lost(file, path, before, err));
    return fresh ? make_file(file, path, err) : TACIT_OK;
}

/* ---- with SQLite ---- */

static void nap(uint64_t ns)
{
    nanosleep(&(struct timespec){.tv_nsec = (long)ns}, NULL);
}

/* SQLite's own handler soon sleeps 100 ms at a time; a commit takes a few. */
static int wait_busy(void *user, int count)
{
    tc_sqlite *s = user;
    uint64_t now = tc_clock_ns();
    if (count == 0)
        s->busy_since = now;
    if (now - s->busy_since > s->busy_ms * 1000000)
        return 0;
    nap(count < 20 ? 200000 : 2000000);
    return 1;
}

static tacit_status exec(tc_sqlite *s, const char *sql, tacit_error *err)
{
    int rc = sqlite3_exec(s->db, sql, NULL, NULL, NULL);
    return rc == SQLITE_OK ? TACIT_OK : tc_sqlite_fail(s, rc, err);
}

/* The one value of a query, as text of up to size - 1 bytes; a result code. */
static int query(tc_sqlite *s, const char *sql, char *out, size_t size)
{
    sqlite3_stmt *q = NULL;
    int rc = sqlite3_prepare_v2(s->db, sql, -1, &q, NULL);
    if (rc == SQLITE_OK)
        rc = sqlite3_step(q);
    if (rc == SQLITE_ROW) {
        const unsigned char *text = sqlite3_column_text(q, 0);
        snprintf(out, size, "%s", text ? (const char *)text : "");
        rc = text ? SQLITE_OK : SQLITE_NOMEM;
    }
    sqlite3_finalize(q);
    return rc;
}

static tacit_status query_number(tc_sqlite *s, const char *sql, long long *out, tacit_error *err)
{
    char text[32];
    int rc = query(s, sql, text, sizeof text);
    if (rc != SQLITE_OK)
        return tc_sqlite_fail(s, rc, err);
    char *end;
    *out = strtoll(text, &end, 10);
    return end > text && !*end ? TACIT_OK : tc_sqlite_fail(s, SQLITE_CORRUPT, err);
}

static tacit_status check_pages(tc_sqlite *s, tacit_error *err)
{
    char verdict[256];
    int rc = query(s, "PRAGMA integrity_check(1)", verdict, sizeof verdict);
    if (rc != SQLITE_OK)
        return tc_sqlite_fail(s, rc, err);
    if (strcmp(verdict, "ok") != 0)
        return refuse_damaged(s->file, verdict, err);
    return TACIT_OK;
}

static tacit_status read_schema(tc_sqlite *s, long long *version, tacit_error *err)
{
    TC_TRY(query_number(s, "PRAGMA user_version", version, err));
    if (*version > TC_SQLITE_SCHEMA)
        return tc_fail(err, TACIT_E_CORRUPT,
                       "%s was written by a newer tacit (schema %lld; this one knows %d)", s->file,
                       *version, TC_SQLITE_SCHEMA);
    if (*version < 0)
        return refuse_damaged(s->file, "its schema number is negative", err);
    return TACIT_OK;
}

static tacit_status check_empty(tc_sqlite *s, tacit_error *err)
{
    long long tables;
    TC_TRY(query_number(s, "SELECT count(*) FROM sqlite_schema", &tables, err));
    return tables == 0 ? TACIT_OK : refuse_damaged(s->file, "tables without a schema number", err);
}

/* Preparing shows whether all tables are ours while the file can still be left as it was. */
static tacit_status try_statements(tc_sqlite *s, tacit_error *err)
{
    tacit_status status = tc_sqlite_prepare(s, err);
    tc_sqlite_finalize(s);
    return status;
}

/* Inside a transaction: another process may have been faster, so the version is read again. */
static tacit_status upgrade_steps(tc_sqlite *s, tacit_error *err)
{
    long long version;
    char mark[96];
    TC_TRY(read_schema(s, &version, err));
    if (version == 0)
        TC_TRY(check_empty(s, err));
    TC_TRY(tc_sqlite_upgrade(s, (int)version, err));
    TC_TRY(try_statements(s, err));
    snprintf(mark, sizeof mark, "PRAGMA application_id=%d; PRAGMA user_version=%d",
             TC_SQLITE_APPLICATION, TC_SQLITE_SCHEMA);
    return exec(s, mark, err);
}

static tacit_status upgrade(tc_sqlite *s, tacit_error *err)
{
    TC_TRY(exec(s, "BEGIN IMMEDIATE", err));
    tacit_status status = upgrade_steps(s, err);
    if (status == TACIT_OK)
        status = exec(s, "COMMIT", err);
    if (status != TACIT_OK)
        sqlite3_exec(s->db, "ROLLBACK", NULL, NULL, NULL);
    return status;
}

/* SQLite does not call the busy handler for this switch. */
static tacit_status use_wal(tc_sqlite *s, tacit_error *err)
{
    char mode[32];
    uint64_t start = tc_clock_ns();
    int rc = query(s, "PRAGMA journal_mode=WAL", mode, sizeof mode);
    while (rc == SQLITE_BUSY && tc_clock_ns() - start < s->busy_ms * 1000000) {
        nap(1000000);
        rc = query(s, "PRAGMA journal_mode=WAL", mode, sizeof mode);
    }
    if (rc != SQLITE_OK)
        return tc_sqlite_fail(s, rc, err);
    if (strcmp(mode, "wal") != 0)
        return tc_fail(err, TACIT_E_IO,
                       "%s cannot be used: its file system has no shared memory for the log",
                       s->file);
    return TACIT_OK;
}

static tacit_status check_age(const tc_sqlite *s, const beside *before, tacit_error *err)
{
    tc_store_age now;
    TC_TRY(tc_sqlite_age(s, &now, err));
    return tc_mark_check(s, &before->mark, &now, err);
}

/* Once the file is ours, and its log is there. */
static tacit_status begin_mark(tc_sqlite *s, tacit_error *err)
{
    tc_store_age now;
    TC_TRY(tc_sqlite_age(s, &now, err));
    return tc_mark_open(s, &now, err);
}

static tacit_status check_and_upgrade(tc_sqlite *s, const beside *before, int64_t size, bool create,
                                      tacit_error *err)
{
    long long version = 0;
    TC_TRY(exec(s, SETTINGS, err));
    TC_TRY(read_schema(s, &version, err));
    if (tc_sqlite_has_sums((int)version))
        TC_TRY(check_age(s, before, err));
    if (version == 0 && !create)
        return refuse_damaged(s->file, "it has no schema number", err);
    if (size > 0 && size <= CHECK_BYTES)
        TC_TRY(check_pages(s, err));
    if (version < TC_SQLITE_SCHEMA)
        TC_TRY(upgrade(s, err));
    TC_TRY(tc_sqlite_prepare(s, err)); /* before the switch: it may yet find the tables wrong */
    TC_TRY(use_wal(s, err));
    TC_TRY(exec(s, "PRAGMA synchronous=NORMAL", err));   /* the rest is sqlite_group.c's */
    TC_TRY(exec(s, "SELECT 1 FROM sqlite_schema", err)); /* makes the log, for tc_group_open */
    return begin_mark(s, err);
}

/* Until the file has passed its checks, closing must not fold the log into it. A log that was
 * not there holds nothing that needs keeping: SQLite removes it when the last handle closes. */
static void keep_log(tc_sqlite *s, bool keep)
{
    sqlite3_db_config(s->db, SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, (int)keep, (int *)NULL);
}

/* A kept log is closed with its index left behind. If there was none, remove it like SQLite does
 * with a log that it folded in: under a lock that nobody gets while another handle is open. */
static void remove_index(tc_sqlite *s)
{
    sqlite3_file *f = file_of(s);
    if (f->pMethods->xLock(f, SQLITE_LOCK_SHARED) == SQLITE_OK &&
        f->pMethods->xLock(f, SQLITE_LOCK_EXCLUSIVE) == SQLITE_OK)
        f->pMethods->xShmUnmap(f, 1);
}

static tacit_status connect_file(tc_sqlite *s, const char *path, tacit_error *err)
{
    int rc = sqlite3_open_v2(path, &s->db, SQLITE_OPEN_READWRITE | SQLITE_OPEN_NOMUTEX, NULL);
    if (rc == SQLITE_CANTOPEN)
        return tc_fail(err, TACIT_E_IO, "%s cannot be opened: %s", s->file,
                       strerror(sqlite3_system_errno(s->db)));
    if (rc != SQLITE_OK)
        return tc_sqlite_fail(s, rc, err);
    sqlite3_extended_result_codes(s->db, 1);
    sqlite3_busy_handler(s->db, wait_busy, s);
    return TACIT_OK;
}

/* Everything that needs a statement. */
static tacit_status vet(tc_sqlite *s, const beside *before, int64_t size, bool create,
                        tacit_error *err)
{
    keep_log(s, before->log);
    tacit_status status = check_and_upgrade(s, before, size, create, err);
    if (status == TACIT_OK) {
        keep_log(s, false);
    } else if (before->log && !before->index) {
        tc_sqlite_finalize(s);
        remove_index(s);
    }
    return status;
}

static tacit_status open_checked(tc_sqlite *s, const char *path, bool create, tacit_error *err)
{
    int64_t size;
    beside before = look_beside(path);
    TC_TRY(check_file(s->file, path, &before, create, &size, err));
    TC_TRY(connect_file(s, path, err));
    if (size > 0)
        TC_TRY(check_bytes(s, &before, err));
    return vet(s, &before, size, create, err);
}

tacit_status tc_sqlite_open_file(tc_sqlite *s, const char *path, bool create, tacit_error *err)
{
    char exact[PATH_MAX];
    tc_sqlite_wipe(); /* before SQLite does anything */
    /* Behind links, where SQLite has the log. Otherwise "./", which keeps it from reading ":memory:" and
     * the like as something else. */
    if (!tc_file_resolve(path, exact))
        snprintf(exact, sizeof exact, "%s%s", path[0] == '/' ? "" : "./", path);
    tacit_status status = open_checked(s, exact, create, err);
    if (status != TACIT_OK) {
        tc_sqlite_finalize(s);
        sqlite3_close(s->db);
        s->db = NULL;
    }
    return status;
}
