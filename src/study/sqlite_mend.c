/* sqlite_mend.c - a store that lost the end of its log goes on with what can be read of it.
 *
 * SQLite reads a write-ahead log as far as its checksums hold. A frame is a page; behind one that is
 * damaged others may be whole, and mostly they have the same page again: every append writes the same few. So
 * the log is written anew without the frames that do not hold. If the file is then not sound, the log is
 * cut where SQLite would have stopped. What was there is kept beside it. Nobody else may have the file open.
 *
 * A store with a privacy ledger is mended only if no transaction is lost: an entry might be among them, and
 * what was spent would be spent again.
 *
 * The format: https://www.sqlite.org/fileformat2.html, section 4. */
#include "study/sqlite_int.h"

#include "base/error.h"
#include "base/file.h"
#include "base/file_name.h"
#include "base/memory.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum {
    LOG_HEADER = 32,
    FRAME_HEADER = 24,
    LITTLE = 0x377f0682,
    BIG = 0x377f0683,
    VERSION = 3007000
};

/* ---- bytes ---- */

typedef struct bytes {
    uint8_t *data; /* NULL: there is no such file */
    size_t n;
} bytes;

static uint32_t get(const uint8_t *p)
{
    return (uint32_t)p[0] << 24 | (uint32_t)p[1] << 16 | (uint32_t)p[2] << 8 | p[3];
}

static void put(uint8_t *p, uint32_t v)
{
    for (int i = 0; i < 4; i++)
        p[i] = (uint8_t)(v >> (24 - 8 * i));
}

/* The running checksum of a log. */
typedef struct check {
    uint32_t a, b;
} check;

static check add(check c, const uint8_t *p, size_t n, bool big)
{
    for (size_t i = 0; i + 8 <= n; i += 8) {
        uint32_t x = get(p + i), y = get(p + i + 4);
        c.a += (big ? x : __builtin_bswap32(x)) + c.b;
        c.b += (big ? y : __builtin_bswap32(y)) + c.a;
    }
    return c;
}

static check stored_at(const uint8_t *p)
{
    return (check){get(p), get(p + 4)};
}

static bool same(check x, check y)
{
    return x.a == y.a && x.b == y.b;
}

/* ---- which frames hold ---- */

typedef struct log_image {
    bytes raw;
    size_t page, frame; /* sizes */
    size_t n;           /* frames */
    bool *holds;
    bool big;
} log_image;

static const uint8_t *frame_at(const log_image *l, size_t i)
{
    return l->raw.data + LOG_HEADER + i * l->frame;
}

/* The checksum of frame i, after a frame with the checksum `before`. */
static check sum_frame(const log_image *l, size_t i, check before)
{
    const uint8_t *f = frame_at(l, i);
    return add(add(before, f, 8, l->big), f + FRAME_HEADER, l->page, l->big);
}

/* As in a journal: a frame goes on from the checksum before it, as stored or as computed. Returns how many
 * there are up to the last that holds; *broken: how many of them do not. */
static size_t judge(log_image *l, size_t *broken)
{
    check stored = stored_at(l->raw.data + 24),
          computed = add((check){0, 0}, l->raw.data, 24, l->big);
    size_t last = 0;
    for (size_t i = 0; i < l->n; i++) {
        check own = stored_at(frame_at(l, i) + 16);
        check after_stored = sum_frame(l, i, stored), after_computed = sum_frame(l, i, computed);
        bool by_computed = same(own, after_computed);
        l->holds[i] = by_computed || same(own, after_stored);
        if (by_computed && i > 0)
            l->holds[i - 1] = true; /* only its checksum was damaged */
        if (l->holds[i])
            last = i + 1;
        computed = by_computed ? after_computed : after_stored;
        stored = own;
    }
    *broken = 0;
    for (size_t i = 0; i < last; i++)
        *broken += !l->holds[i];
    return last;
}

/* The first `n` frames that hold, with new checksums; up to the first that does not if `cut`. */
static void write_anew(const log_image *l, size_t n, bool cut, uint32_t salts[2], bytes *out)
{
    uint8_t *h = out->data;
    put(h, l->big ? BIG : LITTLE);
    put(h + 4, VERSION);
    put(h + 8, (uint32_t)l->page);
    memcpy(h + 12, l->raw.data + 12, 4);
    put(h + 16, salts[0]);
    put(h + 20, salts[1]);
    check c = add((check){0, 0}, h, 24, l->big);
    put(h + 24, c.a);
    put(h + 28, c.b);
    out->n = LOG_HEADER;
    for (size_t i = 0; i < n && (l->holds[i] || !cut); i++) {
        if (!l->holds[i])
            continue;
        uint8_t *f = out->data + out->n;
        memcpy(f, frame_at(l, i), l->frame);
        put(f + 8, salts[0]);
        put(f + 12, salts[1]);
        c = add(add(c, f, 8, l->big), f + FRAME_HEADER, l->page, l->big);
        put(f + 16, c.a);
        put(f + 20, c.b);
        out->n += l->frame;
    }
}

/* ---- files ---- */

static tacit_status cannot(const char *file, const char *what, tacit_error *err)
{
    return tc_fail(err, TACIT_E_IO, "%s cannot be %s: %s", file, what, strerror(errno));
}

static tacit_status read_whole(const char *file, bytes *out, tacit_error *err)
{
    struct stat info;
    *out = (bytes){NULL, 0};
    int fd = open(file, O_RDONLY | O_CLOEXEC);
    if (fd < 0)
        return errno == ENOENT ? TACIT_OK : cannot(file, "read", err);
    if (fstat(fd, &info) == 0)
        out->data = tc_alloc((size_t)info.st_size + 1, 1);
    ssize_t got = 1;
    while (out->data && got > 0 && out->n < (size_t)info.st_size) {
        got = read(fd, out->data + out->n, (size_t)info.st_size - out->n);
        out->n += got > 0 ? (size_t)got : 0;
    }
    close(fd);
    if (!out->data)
        return tc_fail_memory(err);
    return got < 0 ? cannot(file, "read", err) : TACIT_OK;
}

static tacit_status write_whole(const char *file, int flags, const bytes *b, tacit_error *err)
{
    int fd = open(file, O_WRONLY | O_CREAT | O_CLOEXEC | flags, S_IRUSR | S_IWUSR);
    if (fd < 0)
        return cannot(file, "made", err);
    bool written = tc_file_append(fd, b->data, b->n);
    int why = errno;
    close(fd);
    errno = why;
    return written ? TACIT_OK : cannot(file, "written", err);
}

/* Names of the files of a store, and of what is kept of them. */
typedef struct names {
    char file[4200], log[4200], index[4200], mark[4200], old[4200], old_log[4200];
} names;

static void name_files(names *n, const char *path)
{
    snprintf(n->file, sizeof n->file, "%s", path);
    snprintf(n->log, sizeof n->log, "%s-wal", path);
    snprintf(n->index, sizeof n->index, "%s-shm", path);
    snprintf(n->mark, sizeof n->mark, "%s-mark", path);
    for (int i = 1; i < 1000; i++) {
        snprintf(n->old, sizeof n->old, "%s-damaged-%d", path, i);
        snprintf(n->old_log, sizeof n->old_log, "%s-damaged-%d-wal", path, i);
        if (access(n->old, F_OK) != 0 && access(n->old_log, F_OK) != 0)
            break;
    }
}

/* ---- the whole ---- */

/* A store that opens needs no mending. Any other damage is reported when it is opened next. */
static bool opens(const char *path)
{
    tc_store *s = NULL;
    tacit_error err = {0};
    if (tc_store_sqlite.open(&s, path, false, &err) != TACIT_OK)
        return false;
    tc_store_close(s);
    return true;
}

/* Is the file sound with the log that is there now? It stays as it is. */
static bool is_sound(const char *path)
{
    sqlite3 *db = NULL;
    sqlite3_stmt *q = NULL;
    bool sound = false;
    if (sqlite3_open_v2(path, &db, SQLITE_OPEN_READWRITE, NULL) == SQLITE_OK &&
        sqlite3_db_config(db, SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, 1, (int *)NULL) == SQLITE_OK &&
        sqlite3_prepare_v2(db, "PRAGMA integrity_check(1)", -1, &q, NULL) == SQLITE_OK &&
        sqlite3_step(q) == SQLITE_ROW) {
        const char *verdict = (const char *)sqlite3_column_text(q, 0);
        sound = verdict && strcmp(verdict, "ok") == 0;
    }
    sqlite3_finalize(q);
    sqlite3_close(db);
    return sound;
}

/* The one number of a query; -1: it cannot be had. */
static int64_t ask_number(const char *path, const char *sql)
{
    sqlite3 *db = NULL;
    sqlite3_stmt *q = NULL;
    int64_t n = -1;
    if (sqlite3_open_v2(path, &db, SQLITE_OPEN_READWRITE, NULL) == SQLITE_OK &&
        sqlite3_db_config(db, SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, 1, (int *)NULL) == SQLITE_OK &&
        sqlite3_prepare_v2(db, sql, -1, &q, NULL) == SQLITE_OK && sqlite3_step(q) == SQLITE_ROW)
        n = sqlite3_column_int64(q, 0);
    sqlite3_finalize(q);
    sqlite3_close(db);
    return n;
}

/* Before schema 5 ledgers had tables of their own. What cannot be read may be one. */
static bool has_ledger(const char *path)
{
    bool old = ask_number(path, "SELECT count(*) FROM sqlite_schema WHERE name = 'ledgers'") != 0;
    return ask_number(path, old ? "SELECT count(*) FROM ledgers"
                                : "SELECT count(*) FROM records WHERE kind = 12") != 0;
}

/* Nobody else has the file open: then its lock can be had. */
static tacit_status check_alone(const char *path, tacit_error *err)
{
    sqlite3 *db = NULL;
    sqlite3_file *f = NULL;
    bool alone = false;
    if (sqlite3_open_v2(path, &db, SQLITE_OPEN_READWRITE, NULL) == SQLITE_OK &&
        sqlite3_file_control(db, "main", SQLITE_FCNTL_FILE_POINTER, (void *)&f) == SQLITE_OK && f &&
        f->pMethods)
        alone = f->pMethods->xLock(f, SQLITE_LOCK_SHARED) == SQLITE_OK &&
                f->pMethods->xLock(f, SQLITE_LOCK_EXCLUSIVE) == SQLITE_OK;
    if (alone)
        f->pMethods->xUnlock(f, SQLITE_LOCK_NONE);
    sqlite3_close(db);
    return alone ? TACIT_OK
                 : tc_fail(err, TACIT_E_BUSY,
                           "%s is in use by another process: stop it before the repair", path);
}

/* The salts of most frames are those of the log; a damaged header may have others. */
static void find_salts(const log_image *l, size_t n, uint32_t salts[2])
{
    salts[0] = get(l->raw.data + 16);
    salts[1] = get(l->raw.data + 20);
    for (size_t i = n; i-- > 0;)
        if (l->holds[i]) {
            salts[0] = get(frame_at(l, i) + 8);
            salts[1] = get(frame_at(l, i) + 12);
            return;
        }
}

/* Whether there is a log to mend at all. The size of a page is the file's, for the log's may be damaged. */
static bool frame_log(log_image *l, const bytes *file, tacit_error *err, tacit_status *status)
{
    *status = TACIT_OK;
    if (l->raw.n < LOG_HEADER || file->n < 100)
        return false;
    l->page = (size_t)file->data[16] << 8 | file->data[17];
    l->page = l->page == 1 ? 65536 : l->page;
    l->frame = FRAME_HEADER + l->page;
    l->n = (l->raw.n - LOG_HEADER) / l->frame;
    l->big = get(l->raw.data) == BIG;
    l->holds = tc_alloc(l->n + 1, sizeof *l->holds);
    if (!l->holds)
        *status = tc_fail_memory(err);
    return l->page >= 512 && l->n > 0 && l->holds;
}

static tacit_status report_log(size_t n, size_t broken, bool cut, tc_mend_report report, void *user,
                               tacit_error *err)
{
    char line[200];
    if (cut)
        snprintf(line, sizeof line, "cut: the log of %zu pages, at its first damaged one", n);
    else
        snprintf(line, sizeof line, "left out: %zu damaged of the %zu pages in the log", broken, n);
    return report(user, line, err);
}

static tacit_status mend_log(const names *at, log_image *l, tc_mend_report report, void *user,
                             tacit_error *err)
{
    uint32_t salts[2];
    size_t broken, n = judge(l, &broken);
    bytes anew = {tc_alloc(l->raw.n + 1, 1), 0};
    if (!anew.data)
        return tc_fail_memory(err);
    find_salts(l, n, salts);
    bool cut = false;
    write_anew(l, n, cut, salts, &anew);
    tacit_status status = write_whole(at->log, O_TRUNC, &anew, err);
    unlink(at->index);
    if (status == TACIT_OK && !is_sound(at->file)) {
        cut = true;
        write_anew(l, n, cut, salts, &anew);
        status = write_whole(at->log, O_TRUNC, &anew, err);
        unlink(at->index);
    }
    tc_free(anew.data);
    return status == TACIT_OK ? report_log(n, broken, cut, report, user, err) : status;
}

static tacit_status keep_old(const names *at, const bytes *file, const bytes *log,
                             tc_mend_report report, void *user, tacit_error *err)
{
    char line[4300];
    TC_TRY(write_whole(at->old, O_EXCL, file, err));
    if (log->data)
        TC_TRY(write_whole(at->old_log, O_EXCL, log, err));
    snprintf(line, sizeof line, "kept: the damaged store as it was, %s", at->old);
    return report(user, line, err);
}

static tacit_status put_back(const names *at, const bytes *log, tacit_error *err)
{
    unlink(at->index);
    if (log->data)
        TC_TRY(write_whole(at->log, O_TRUNC, log, err));
    else
        unlink(at->log);
    return tc_fail(err, TACIT_E_CORRUPT,
                   "%s has a privacy ledger and has lost transactions, in which something may have "
                   "been spent: it was left as it was; `tacit restore` makes a storage of a backup "
                   "and counts what was released since",
                   at->file);
}

/* What is left of the transactions that the mark has counted. */
static tacit_status count_loss(const names *at, const log_image *l, tc_mend_report report,
                               void *user, tacit_error *err)
{
    char line[120];
    uint64_t had = tc_mark_read(at->file).age.transactions;
    int64_t has = ask_number(at->file, "SELECT seq FROM heads WHERE study = 0");
    if (has >= 0 && (uint64_t)has >= had)
        return TACIT_OK;
    if (has_ledger(at->file))
        return put_back(at, &l->raw, err);
    snprintf(line, sizeof line, "lost: %" PRIu64 " of %" PRIu64 " transactions",
             had - (uint64_t)(has > 0 ? has : 0), had);
    return report(user, line, err);
}

static tacit_status mend_files(const names *at, bytes *file, log_image *l, tc_mend_report report,
                               void *user, tacit_error *err)
{
    tacit_status status;
    TC_TRY(read_whole(at->file, file, err));
    TC_TRY(read_whole(at->log, &l->raw, err));
    TC_TRY(keep_old(at, file, &l->raw, report, user, err));
    if (frame_log(l, file, err, &status))
        status = mend_log(at, l, report, user, err);
    TC_TRY(status);
    TC_TRY(count_loss(at, l, report, user, err));
    unlink(at->mark); /* what it counted is lost, and that was said */
    return TACIT_OK;
}

tacit_status tc_sqlite_mend(const char *path, tc_mend_report report, void *user, tacit_error *err)
{
    names at;
    bytes file = {NULL, 0};
    log_image l = {.holds = NULL};
    struct stat info;
    char real[PATH_MAX]; /* the log lies beside the file, not beside its link */
    if (lstat(path, &info) == 0 && S_ISLNK(info.st_mode) && tc_file_resolve(path, real))
        path = real;
    if (strlen(path) > 4000 || access(path, F_OK) != 0 || !tc_mark_read(path).found || opens(path))
        return TACIT_OK;
    TC_TRY(check_alone(path, err));
    name_files(&at, path);
    tacit_status status = mend_files(&at, &file, &l, report, user, err);
    tc_free(file.data);
    tc_free(l.raw.data);
    tc_free(l.holds);
    return status;
}
