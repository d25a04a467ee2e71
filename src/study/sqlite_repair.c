/* sqlite_repair.c - a journal as it is found in the file, and room for another in its place (store.h: salvage,
 * restart). */
#include "study/sqlite_int.h"

#include "base/error.h"

/* ---- out ---- */

typedef struct salvage {
    tc_salvage_visit visit;
    void *user;
    uint64_t last; /* the event that was read last */
} salvage;

static tacit_status visit_row(salvage *v, sqlite3_stmt *q, tacit_error *err)
{
    tc_event_row e = {
        .seq = (uint64_t)sqlite3_column_int64(q, 0),
        .kind = (tc_event_kind)sqlite3_column_int(q, 1),
        .trial = (uint64_t)sqlite3_column_int64(q, 2),
        .time_ms = sqlite3_column_int64(q, 3),
        .body = (const char *)sqlite3_column_text(q, 4),
    };
    const void *sum = sqlite3_column_blob(q, 5);
    v->last = e.seq;
    if (!e.body)
        return TACIT_OK;
    return v->visit(v->user, &e, sum, (size_t)sqlite3_column_bytes(q, 5), err);
}

/* *rc: where SQLite stopped. */
static tacit_status visit_rows(tc_sqlite *s, int64_t study, salvage *v, int *rc, tacit_error *err)
{
    sqlite3_stmt *q = s->sql[TC_SQL_SCAN];
    sqlite3_bind_int64(q, 1, study);
    sqlite3_bind_int64(q, 2, (int64_t)v->last);
    tacit_status status = TACIT_OK;
    while (status == TACIT_OK && (*rc = sqlite3_step(q)) == SQLITE_ROW)
        status = visit_row(v, q, err);
    tc_sqlite_reset(s, TC_SQL_SCAN);
    return status;
}

/* Beyond a page that cannot be read it goes on with the next event that can. */
tacit_status tc_sqlite_salvage(tc_store *store, int64_t study, struct tc_chain *end,
                               tc_salvage_visit visit, void *user, tacit_error *err)
{
    tc_sqlite *s = (tc_sqlite *)store;
    salvage v = {.visit = visit, .user = user};
    int rc = SQLITE_DONE;
    pthread_mutex_lock(&s->lock);
    tacit_status status = tc_sqlite_head(s, study, end, err);
    while (status == TACIT_OK) {
        status = visit_rows(s, study, &v, &rc, err);
        if ((rc & 0xff) != SQLITE_CORRUPT || v.last >= end->end)
            break;
        v.last++;
    }
    if (status == TACIT_OK && rc != SQLITE_DONE && (rc & 0xff) != SQLITE_CORRUPT)
        status = tc_sqlite_fail(s, rc, err);
    pthread_mutex_unlock(&s->lock);
    return status;
}

/* ---- in ---- */

/* Inside a transaction. */
static int restart_journal(tc_sqlite *s, int64_t study, const tc_checksum *origin)
{
    static const tc_sql goes[] = {TC_SQL_ERASE_EVENTS, TC_SQL_ERASE_HEAD};
    int rc = SQLITE_OK;
    for (size_t i = 0; rc == SQLITE_OK && i < sizeof goes / sizeof *goes; i++) {
        sqlite3_bind_int64(s->sql[goes[i]], 1, study);
        rc = tc_sqlite_run(s, goes[i]);
    }
    if (rc != SQLITE_OK)
        return rc;
    sqlite3_bind_int64(s->sql[TC_SQL_HEAD_PUT], 1, study);
    tc_sqlite_bind_sum(s->sql[TC_SQL_HEAD_PUT], 2, origin);
    return tc_sqlite_run(s, TC_SQL_HEAD_PUT);
}

tacit_status tc_sqlite_restart(tc_store *in, int64_t study, uint64_t end, tacit_error *err)
{
    tc_sqlite *s = (tc_sqlite *)in;
    tc_chain at;
    TC_TRY(tc_sqlite_head(s, study, &at, err));
    if (at.end != end)
        return tc_append_conflict(&(tc_append){.head = end}, at.end, err);
    int rc = restart_journal(s, study, &at.origin);
    return rc == SQLITE_OK ? TACIT_OK : tc_sqlite_fail(s, rc, err);
}
