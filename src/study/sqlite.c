/* sqlite.c - the store in one SQLite file: its members.
 *
 * One connection per handle, used by one thread at a time; many handles and processes
 * may share the file. README.md has the durability rules. Called through tc_store_*. */
#include "study/sqlite_int.h"

#include "base/error.h"
#include "base/memory.h"

#include <errno.h>
#include <string.h>
#include <sys/statvfs.h>

static void sqlite_close(tc_store *store)
{
    tc_sqlite *s = (tc_sqlite *)store;
    tc_sqlite_finalize(s);
    sqlite3_close(s->db);
    tc_group_fini(&s->group);
    tc_mark_close(&s->mark);
    pthread_mutex_destroy(&s->lock);
    tc_free(s->file);
    tc_free(s);
}

static tacit_status sqlite_open(tc_store **out, const char *path, bool create, tacit_error *err)
{
    tc_sqlite *s = tc_alloc(1, sizeof *s);
    char *file = tc_strdup(path);
    if (!s || !file || tc_group_init(&s->group, err) != TACIT_OK) {
        tc_free(file);
        tc_free(s);
        return tc_fail_memory(err);
    }
    s->base.ops = &tc_store_sqlite;
    s->file = file;
    s->base.place = file;
    s->busy_ms = 10000;
    s->mark.fd = -1;
    pthread_mutex_init(&s->mark.lock, NULL);
    pthread_mutex_init(&s->lock, NULL);
    tacit_status status = tc_sqlite_open_file(s, path, create, err);
    if (status == TACIT_OK)
        status = tc_group_open(s, err);
    if (status != TACIT_OK) {
        sqlite_close(&s->base);
        return status;
    }
    *out = &s->base;
    return TACIT_OK;
}

/* ---- studies ---- */

static tacit_status put_head(tc_sqlite *s, const tc_study_row *row, int64_t id, tacit_error *err)
{
    tc_checksum origin = tc_chain_origin(row);
    sqlite3_bind_int64(s->sql[TC_SQL_HEAD_PUT], 1, id);
    tc_sqlite_bind_sum(s->sql[TC_SQL_HEAD_PUT], 2, &origin);
    int rc = tc_sqlite_run(s, TC_SQL_HEAD_PUT);
    if (rc == SQLITE_OK)
        rc = tc_sqlite_end(s);
    return rc == SQLITE_OK ? TACIT_OK : tc_sqlite_fail(s, rc, err);
}

/* Inside a transaction. */
static tacit_status put_row(tc_sqlite *s, const tc_study_row *row, int64_t *id, tacit_error *err)
{
    sqlite3_stmt *q = s->sql[TC_SQL_STUDY_PUT];
    sqlite3_bind_text(q, 1, row->name, -1, SQLITE_STATIC);
    sqlite3_bind_text(q, 2, row->document, -1, SQLITE_STATIC);
    sqlite3_bind_text(q, 3, row->points_csv, -1, SQLITE_STATIC); /* NULL stays NULL */
    sqlite3_bind_blob(q, 4, &row->public_seed, sizeof row->public_seed, SQLITE_STATIC);
    sqlite3_bind_blob(q, 5, &row->party_seed, sizeof row->party_seed, SQLITE_STATIC);
    sqlite3_bind_int64(q, 6, row->created_ms);
    if (s->within)
        sqlite3_bind_int64(q, 7, row->id); /* else NULL: the next one */
    int rc = tc_sqlite_run(s, TC_SQL_STUDY_PUT);
    if (rc == SQLITE_CONSTRAINT_UNIQUE || rc == SQLITE_CONSTRAINT_PRIMARYKEY)
        return tc_fail(err, TACIT_E_CONFLICT, "there is a study \"%s\" already", row->name);
    if (rc != SQLITE_OK)
        return tc_sqlite_fail(s, rc, err);
    *id = sqlite3_last_insert_rowid(s->db);
    return put_head(s, row, *id, err);
}

static tacit_status put_locked(tc_sqlite *s, const tc_study_row *row, int64_t *id, tacit_error *err)
{
    int rc = tc_sqlite_begin(s, TC_SQL_BEGIN);
    if (rc != SQLITE_OK)
        return tc_sqlite_fail(s, rc, err);
    tacit_status status = put_row(s, row, id, err);
    tc_sqlite_abandon(s);
    return status;
}

static tacit_status sqlite_study_put(tc_store *store, const tc_study_row *row, int64_t *id,
                                     tacit_error *err)
{
    tc_sqlite *s = (tc_sqlite *)store;
    pthread_mutex_lock(&s->lock);
    int64_t made = 0;
    tacit_status status = put_locked(s, row, &made, err);
    pthread_mutex_unlock(&s->lock);
    if (status == TACIT_OK)
        status = tc_sqlite_sync(s, err);
    if (status != TACIT_OK)
        return status;
    tc_sqlite_fold_first(s);
    *id = made;
    return TACIT_OK;
}

static bool read_seed(sqlite3_stmt *q, int column, void *out, size_t size)
{
    const void *blob = sqlite3_column_blob(q, column);
    if (!blob || sqlite3_column_bytes(q, column) != (int)size)
        return false;
    memcpy(out, blob, size);
    return true;
}

/* Copies the study that q stands on. */
static tacit_status read_study(const tc_sqlite *s, sqlite3_stmt *q, tc_study_row *out,
                               tacit_error *err)
{
    tc_study_row row = {
        .id = sqlite3_column_int64(q, 0),
        .name = (char *)sqlite3_column_text(q, 1),
        .document = (char *)sqlite3_column_text(q, 2),
        .points_csv = (char *)sqlite3_column_text(q, 3),
        .created_ms = sqlite3_column_int64(q, 6),
    };
    tc_checksum stored;
    if (!row.name || !row.document || !read_seed(q, 4, &row.public_seed, sizeof row.public_seed) ||
        !read_seed(q, 5, &row.party_seed, sizeof row.party_seed) ||
        !tc_sqlite_column_sum(q, 7, &stored))
        return tc_fail(err, TACIT_E_CORRUPT, "%s is damaged: study number %lld is incomplete",
                       s->file, (long long)row.id);
    TC_TRY(tc_chain_check_study(&row, &stored, err));
    return tc_study_row_copy(out, &row, err);
}

/* Runs a query for one study that has its parameter bound; *found says whether there is one. */
static tacit_status find_study(tc_sqlite *s, tc_sql which, tc_study_row *out, bool *found,
                               tacit_error *err)
{
    int rc = sqlite3_step(s->sql[which]);
    tacit_status status = TACIT_OK;
    if (rc == SQLITE_ROW)
        status = read_study(s, s->sql[which], out, err);
    else if (rc != SQLITE_DONE)
        status = tc_sqlite_fail(s, rc, err);
    *found = rc == SQLITE_ROW;
    tc_sqlite_reset(s, which);
    return status;
}

static tacit_status sqlite_study_get(tc_store *store, const char *name, tc_study_row *out,
                                     tacit_error *err)
{
    tc_sqlite *s = (tc_sqlite *)store;
    bool found;
    pthread_mutex_lock(&s->lock);
    sqlite3_bind_text(s->sql[TC_SQL_STUDY_GET], 1, name, -1, SQLITE_STATIC);
    tacit_status status = find_study(s, TC_SQL_STUDY_GET, out, &found, err);
    pthread_mutex_unlock(&s->lock);
    if (status == TACIT_OK && !found)
        return tc_fail(err, TACIT_E_NOT_FOUND, "there is no study \"%s\" in %s", name, s->file);
    return status;
}

/* One study at a time, so that visit may call the store. */
static tacit_status sqlite_study_list(tc_store *store, int64_t after, tc_study_visit visit,
                                      void *user, tacit_error *err)
{
    tc_sqlite *s = (tc_sqlite *)store;
    int64_t last = after;
    for (;;) {
        tc_study_row row;
        bool found;
        pthread_mutex_lock(&s->lock);
        sqlite3_bind_int64(s->sql[TC_SQL_STUDY_NEXT], 1, last);
        tacit_status status = find_study(s, TC_SQL_STUDY_NEXT, &row, &found, err);
        pthread_mutex_unlock(&s->lock);
        if (status != TACIT_OK || !found)
            return status;
        last = row.id;
        status = visit(user, &row, err);
        tc_study_row_fini(&row);
        TC_TRY(status);
    }
}

/* ---- events ---- */

/* No marks: what a process has seen is there as long as it lives (README.md). */
static tacit_status sqlite_append(tc_store *store, const tc_append *a, tc_event_id *end,
                                  tacit_error *err)
{
    *end = (tc_event_id){0};
    return tc_sqlite_append((tc_sqlite *)store, a, &end->seq, err);
}

static tacit_status read_event(const tc_sqlite *s, sqlite3_stmt *q, tc_event_row *e,
                               tacit_error *err)
{
    *e = (tc_event_row){
        .seq = (uint64_t)sqlite3_column_int64(q, 0),
        .kind = (tc_event_kind)sqlite3_column_int(q, 1),
        .trial = (uint64_t)sqlite3_column_int64(q, 2),
        .time_ms = sqlite3_column_int64(q, 3),
        .body = (const char *)sqlite3_column_text(q, 4),
    };
    if (!e->body) { /* the column is NOT NULL: the text could not be had */
        int rc = sqlite3_errcode(s->db);
        return tc_sqlite_fail(s, rc == SQLITE_NOMEM ? rc : SQLITE_CORRUPT, err);
    }
    return TACIT_OK;
}

static tacit_status visit_event(const tc_sqlite *s, sqlite3_stmt *q, tc_chain *at,
                                tc_event_visit visit, void *user, tacit_error *err)
{
    tc_event_row e;
    TC_TRY(read_event(s, q, &e, err));
    const void *sum = sqlite3_column_blob(q, 5);
    TC_TRY(tc_chain_take(at, &e, sum, (size_t)sqlite3_column_bytes(q, 5), err));
    return visit(user, &e, err);
}

/* The chain goes on after event `after`, which was checked when it was read. */
static tacit_status begin_chain(tc_sqlite *s, int64_t study, uint64_t after, tc_chain *at,
                                tacit_error *err)
{
    sqlite3_stmt *q = s->sql[TC_SQL_SUM];
    sqlite3_bind_int64(q, 1, study);
    sqlite3_bind_int64(q, 2, (int64_t)after);
    int rc = after > 0 ? sqlite3_step(q) : SQLITE_DONE;
    const void *sum = rc == SQLITE_ROW ? sqlite3_column_blob(q, 0) : NULL;
    size_t size = sum ? (size_t)sqlite3_column_bytes(q, 0) : 0;
    tacit_status status = rc == SQLITE_ROW || rc == SQLITE_DONE
                              ? tc_chain_begin(at, after, sum, size, err)
                              : tc_sqlite_fail(s, rc, err);
    tc_sqlite_reset(s, TC_SQL_SUM);
    return status;
}

static tacit_status visit_rest(tc_sqlite *s, int64_t study, tc_chain *at, tc_event_visit visit,
                               void *user, tacit_error *err)
{
    sqlite3_stmt *q = s->sql[TC_SQL_SCAN];
    sqlite3_bind_int64(q, 1, study);
    sqlite3_bind_int64(q, 2, (int64_t)at->seq);
    tacit_status status = TACIT_OK;
    int rc = sqlite3_step(q);
    for (; status == TACIT_OK && rc == SQLITE_ROW; rc = sqlite3_step(q))
        status = visit_event(s, q, at, visit, user, err);
    if (status == TACIT_OK && rc != SQLITE_DONE)
        status = tc_sqlite_fail(s, rc, err);
    tc_sqlite_reset(s, TC_SQL_SCAN);
    return status == TACIT_OK ? tc_chain_finish(at, err) : status;
}

/* Inside a transaction, with s->lock: the events after `after`, each checked. */
static tacit_status scan_journal(tc_sqlite *s, int64_t study, uint64_t after, tc_event_visit visit,
                                 void *user, tacit_error *err)
{
    tc_chain at;
    TC_TRY(tc_sqlite_head(s, study, &at, err));
    if (after > at.end)
        return tc_event_gone(after, err);
    TC_TRY(begin_chain(s, study, after, &at, err));
    return visit_rest(s, study, &at, visit, user, err);
}

/* In one transaction: the journal's end and its events are of the same moment. */
static tacit_status scan_locked(tc_sqlite *s, int64_t study, tc_event_id after,
                                tc_event_visit visit, void *user, tacit_error *err)
{
    if (after.mark != 0)
        return tc_event_gone(after.seq, err);
    int rc = tc_sqlite_begin(s, TC_SQL_READ);
    if (rc != SQLITE_OK)
        return tc_sqlite_fail(s, rc, err);
    tacit_status status = scan_journal(s, study, after.seq, visit, user, err);
    tc_sqlite_abandon(s);
    return status;
}

static tacit_status sqlite_scan(tc_store *store, int64_t study, tc_event_id after,
                                tc_event_visit visit, void *user, tacit_error *err)
{
    tc_sqlite *s = (tc_sqlite *)store;
    pthread_mutex_lock(&s->lock);
    tacit_status status = scan_locked(s, study, after, visit, user, err);
    pthread_mutex_unlock(&s->lock);
    return status;
}

static tacit_status visit_told(const tc_sqlite *s, const tc_chain *journal, tc_event_visit visit,
                               void *user, tacit_error *err)
{
    sqlite3_stmt *q = s->sql[TC_SQL_FIND_TELL];
    tc_event_row e;
    TC_TRY(read_event(s, q, &e, err));
    const void *sum = sqlite3_column_blob(q, 5), *before = sqlite3_column_blob(q, 6);
    TC_TRY(tc_chain_one(journal, &e, sum, (size_t)sqlite3_column_bytes(q, 5), before,
                        (size_t)sqlite3_column_bytes(q, 6), err));
    return visit(user, &e, err);
}

/* Inside a transaction. */
static tacit_status told_in(tc_sqlite *s, int64_t study, uint64_t trial, tc_event_visit visit,
                            void *user, tacit_error *err)
{
    sqlite3_stmt *q = s->sql[TC_SQL_FIND_TELL];
    tc_chain journal;
    TC_TRY(tc_sqlite_head(s, study, &journal, err));
    sqlite3_bind_int64(q, 1, study);
    sqlite3_bind_int64(q, 2, (int64_t)trial);
    int rc = sqlite3_step(q);
    tacit_status status = TACIT_OK;
    if (rc == SQLITE_ROW)
        status = visit_told(s, &journal, visit, user, err);
    else if (rc != SQLITE_DONE)
        status = tc_sqlite_fail(s, rc, err);
    tc_sqlite_reset(s, TC_SQL_FIND_TELL);
    return status;
}

static tacit_status told_locked(tc_sqlite *s, int64_t study, uint64_t trial, tc_event_visit visit,
                                void *user, tacit_error *err)
{
    int rc = tc_sqlite_begin(s, TC_SQL_READ);
    if (rc != SQLITE_OK)
        return tc_sqlite_fail(s, rc, err);
    tacit_status status = told_in(s, study, trial, visit, user, err);
    tc_sqlite_abandon(s);
    return status;
}

static tacit_status sqlite_find_tell(tc_store *store, int64_t study, uint64_t trial,
                                     tc_event_visit visit, void *user, tacit_error *err)
{
    tc_sqlite *s = (tc_sqlite *)store;
    pthread_mutex_lock(&s->lock);
    tacit_status status = told_locked(s, study, trial, visit, user, err);
    pthread_mutex_unlock(&s->lock);
    return status;
}

/* What is free on its disk for those who are not root. */
static tacit_status sqlite_room(tc_store *store, uint64_t *out, tacit_error *err)
{
    tc_sqlite *s = (tc_sqlite *)store;
    struct statvfs disk;
    if (statvfs(sqlite3_db_filename(s->db, "main"), &disk) != 0)
        return tc_fail(err, TACIT_E_IO, "%s: the disk cannot be looked at: %s", s->file,
                       strerror(errno));
    *out = (uint64_t)disk.f_bavail * disk.f_frsize;
    return TACIT_OK;
}

const tc_store_ops tc_store_sqlite = {
    .scheme = "sqlite",
    .open = sqlite_open,
    .close = sqlite_close,
    .study_put = sqlite_study_put,
    .study_get = sqlite_study_get,
    .study_list = sqlite_study_list,
    .append = sqlite_append,
    .scan = sqlite_scan,
    .find_tell = sqlite_find_tell,
    .change = tc_sqlite_change,
    .record_get = tc_sqlite_record_get,
    .record_scan = tc_sqlite_record_scan,
    .record_count = tc_sqlite_record_count,
    .record_drop = tc_sqlite_record_drop,
    .forget = tc_sqlite_forget,
    .wait_durable = tc_sqlite_wait_durable,
    .room = sqlite_room,
    .study_erase = tc_sqlite_study_erase,
    .transact = tc_sqlite_transact,
    .lock_name = tc_sqlite_lock_name,
    .salvage = tc_sqlite_salvage,
    .restart = tc_sqlite_restart,
    .mend = tc_sqlite_mend,
};
