/* sqlite.c - the store in one SQLite file: its members.
 *
 * One connection per handle, used by one thread at a time; many handles and processes
 * may share the file. README.md has the durability rules. Called through tc_store_*. */
#include "study/sqlite_int.h"

#include "base/error.h"
#include "base/memory.h"

#include <string.h>

static void sqlite_close(tc_store *store)
{
    tc_sqlite *s = (tc_sqlite *)store;
    tc_sqlite_finalize(s);
    sqlite3_close(s->db);
    tc_group_fini(&s->group);
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
    s->busy_ms = 10000;
    pthread_mutex_init(&s->lock, NULL);
    tacit_status st = tc_sqlite_open_file(s, path, create, err);
    if (st == TACIT_OK)
        st = tc_group_open(s, err);
    if (st != TACIT_OK) {
        sqlite_close(&s->base);
        return st;
    }
    *out = &s->base;
    return TACIT_OK;
}

/* ---- studies ---- */

static tacit_status put_locked(tc_sqlite *s, const tc_study_row *row, int64_t *id, tacit_error *err)
{
    sqlite3_stmt *q = s->sql[TC_SQL_STUDY_PUT];
    sqlite3_bind_text(q, 1, row->name, -1, SQLITE_STATIC);
    sqlite3_bind_text(q, 2, row->document, -1, SQLITE_STATIC);
    sqlite3_bind_text(q, 3, row->points_csv, -1, SQLITE_STATIC); /* NULL stays NULL */
    sqlite3_bind_blob(q, 4, &row->public_seed, sizeof row->public_seed, SQLITE_STATIC);
    sqlite3_bind_blob(q, 5, &row->party_seed, sizeof row->party_seed, SQLITE_STATIC);
    sqlite3_bind_int64(q, 6, row->created_ms);
    int rc = tc_sqlite_run(s, TC_SQL_STUDY_PUT);
    if (rc == SQLITE_CONSTRAINT_UNIQUE)
        return tc_fail(err, TACIT_E_CONFLICT, "there is a study \"%s\" already", row->name);
    if (rc != SQLITE_OK)
        return tc_sqlite_fail(s, rc, err);
    *id = sqlite3_last_insert_rowid(s->db);
    return TACIT_OK;
}

static tacit_status sqlite_study_put(tc_store *store, const tc_study_row *row, int64_t *id,
                                     tacit_error *err)
{
    tc_sqlite *s = (tc_sqlite *)store;
    pthread_mutex_lock(&s->lock);
    int64_t made = 0;
    tacit_status st = put_locked(s, row, &made, err);
    pthread_mutex_unlock(&s->lock);
    if (st == TACIT_OK)
        st = tc_sqlite_sync(s, err);
    if (st == TACIT_OK)
        *id = made;
    return st;
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
    if (!row.name || !row.document || !read_seed(q, 4, &row.public_seed, sizeof row.public_seed) ||
        !read_seed(q, 5, &row.party_seed, sizeof row.party_seed))
        return tc_fail(err, TACIT_E_CORRUPT, "%s is damaged: study number %lld is incomplete",
                       s->file, (long long)row.id);
    return tc_study_row_copy(out, &row, err);
}

/* Runs a query for one study that has its parameter bound; *found says whether there is one. */
static tacit_status find_study(tc_sqlite *s, tc_sql which, tc_study_row *out, bool *found,
                               tacit_error *err)
{
    int rc = sqlite3_step(s->sql[which]);
    tacit_status st = TACIT_OK;
    if (rc == SQLITE_ROW)
        st = read_study(s, s->sql[which], out, err);
    else if (rc != SQLITE_DONE)
        st = tc_sqlite_fail(s, rc, err);
    *found = rc == SQLITE_ROW;
    tc_sqlite_reset(s, which);
    return st;
}

static tacit_status sqlite_study_get(tc_store *store, const char *name, tc_study_row *out,
                                     tacit_error *err)
{
    tc_sqlite *s = (tc_sqlite *)store;
    bool found;
    pthread_mutex_lock(&s->lock);
    sqlite3_bind_text(s->sql[TC_SQL_STUDY_GET], 1, name, -1, SQLITE_STATIC);
    tacit_status st = find_study(s, TC_SQL_STUDY_GET, out, &found, err);
    pthread_mutex_unlock(&s->lock);
    if (st == TACIT_OK && !found)
        return tc_fail(err, TACIT_E_NOT_FOUND, "there is no study \"%s\" in %s", name, s->file);
    return st;
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
        tacit_status st = find_study(s, TC_SQL_STUDY_NEXT, &row, &found, err);
        pthread_mutex_unlock(&s->lock);
        if (st != TACIT_OK || !found)
            return st;
        last = row.id;
        st = visit(user, &row, err);
        tc_study_row_fini(&row);
        TC_TRY(st);
    }
}

/* ---- events ---- */

static tacit_status sqlite_append(tc_store *store, const tc_append *a, uint64_t *head,
                                  tacit_error *err)
{
    return tc_sqlite_append((tc_sqlite *)store, a, head, err);
}

static tacit_status visit_event(const tc_sqlite *s, sqlite3_stmt *q, tc_event_visit visit,
                                void *user, tacit_error *err)
{
    tc_event_row e = {
        .seq = (uint64_t)sqlite3_column_int64(q, 0),
        .kind = (tc_event_kind)sqlite3_column_int(q, 1),
        .trial = (uint64_t)sqlite3_column_int64(q, 2),
        .time_ms = sqlite3_column_int64(q, 3),
        .body = (const char *)sqlite3_column_text(q, 4),
    };
    if (!e.body) /* the column is NOT NULL: the text could not be had */
        return tc_sqlite_fail(s, sqlite3_errcode(s->db), err);
    return visit(user, &e, err);
}

static tacit_status scan_locked(tc_sqlite *s, int64_t study, uint64_t after, tc_event_visit visit,
                                void *user, tacit_error *err)
{
    sqlite3_stmt *q = s->sql[TC_SQL_SCAN];
    uint64_t head;
    sqlite3_bind_int64(q, 1, study);
    sqlite3_bind_int64(q, 2, (int64_t)after);
    tacit_status st = TACIT_OK;
    int rc = sqlite3_step(q);
    if (rc == SQLITE_DONE && after == 0)
        st = tc_sqlite_head(s, study, &head, err); /* no events, or no such study? */
    for (; st == TACIT_OK && rc == SQLITE_ROW; rc = sqlite3_step(q))
        st = visit_event(s, q, visit, user, err);
    if (st == TACIT_OK && rc != SQLITE_DONE)
        st = tc_sqlite_fail(s, rc, err);
    tc_sqlite_reset(s, TC_SQL_SCAN);
    return st;
}

static tacit_status sqlite_scan(tc_store *store, int64_t study, uint64_t after,
                                tc_event_visit visit, void *user, tacit_error *err)
{
    tc_sqlite *s = (tc_sqlite *)store;
    pthread_mutex_lock(&s->lock);
    tacit_status st = scan_locked(s, study, after, visit, user, err);
    pthread_mutex_unlock(&s->lock);
    return st;
}

static tacit_status sqlite_head(tc_store *store, int64_t study, uint64_t *head, tacit_error *err)
{
    tc_sqlite *s = (tc_sqlite *)store;
    pthread_mutex_lock(&s->lock);
    tacit_status st = tc_sqlite_head(s, study, head, err);
    pthread_mutex_unlock(&s->lock);
    return st;
}

static tacit_status told_locked(tc_sqlite *s, int64_t study, uint64_t trial, tc_event_visit visit,
                                void *user, tacit_error *err)
{
    sqlite3_stmt *q = s->sql[TC_SQL_TOLD];
    sqlite3_bind_int64(q, 1, study);
    sqlite3_bind_int64(q, 2, (int64_t)trial);
    int rc = sqlite3_step(q);
    tacit_status st = rc == SQLITE_ROW    ? visit_event(s, q, visit, user, err)
                      : rc == SQLITE_DONE ? tc_sqlite_has(s, study, err)
                                          : tc_sqlite_fail(s, rc, err);
    tc_sqlite_reset(s, TC_SQL_TOLD);
    return st;
}

static tacit_status sqlite_told(tc_store *store, int64_t study, uint64_t trial,
                                tc_event_visit visit, void *user, tacit_error *err)
{
    tc_sqlite *s = (tc_sqlite *)store;
    pthread_mutex_lock(&s->lock);
    tacit_status st = told_locked(s, study, trial, visit, user, err);
    pthread_mutex_unlock(&s->lock);
    return st;
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
    .head = sqlite_head,
    .told = sqlite_told,
    .ledger = tc_sqlite_ledger,
    .ledger_list = tc_sqlite_ledger_list,
    .change = tc_sqlite_change,
    .record_get = tc_sqlite_record_get,
    .record_scan = tc_sqlite_record_scan,
    .record_count = tc_sqlite_record_count,
    .record_drop = tc_sqlite_record_drop,
    .settle = tc_sqlite_settle,
    .study_erase = tc_sqlite_study_erase,
    .dump = tc_sqlite_dump,
    .load = tc_sqlite_load,
    .hold = tc_sqlite_hold,
};
