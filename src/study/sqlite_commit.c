/* sqlite_commit.c - appending to journals: one transaction for one write or for many.
 *
 * A refused write (the head has moved, the trial is told) does not disturb the others of its
 * transaction: it is found out before anything is written, or by the failing INSERT, which
 * SQLite undoes alone. */
#include "study/sqlite_int.h"

#include "base/error.h"

#include <string.h>

/* ---- one append inside a transaction ---- */

tacit_status tc_sqlite_has(tc_sqlite *s, int64_t study, tacit_error *err)
{
    sqlite3_bind_int64(s->sql[TC_SQL_STUDY_HAS], 1, study);
    int rc = sqlite3_step(s->sql[TC_SQL_STUDY_HAS]);
    tc_sqlite_reset(s, TC_SQL_STUDY_HAS);
    if (rc == SQLITE_DONE)
        return tc_study_gone(err);
    return rc == SQLITE_ROW ? TACIT_OK : tc_sqlite_fail(s, rc, err);
}

void tc_sqlite_bind_sum(sqlite3_stmt *q, int at, const tc_checksum *sum)
{
    sqlite3_bind_blob(q, at, sum, sizeof *sum, SQLITE_STATIC);
}

bool tc_sqlite_column_sum(sqlite3_stmt *q, int at, tc_checksum *out)
{
    const void *blob = sqlite3_column_blob(q, at);
    if (!blob || sqlite3_column_bytes(q, at) != (int)sizeof *out)
        return false;
    memcpy(out, blob, sizeof *out);
    return true;
}

static bool read_head(sqlite3_stmt *q, tc_chain *out)
{
    *out = (tc_chain){.end = (uint64_t)sqlite3_column_int64(q, 0),
                      .plain = (uint64_t)sqlite3_column_int64(q, 3)};
    return tc_sqlite_column_sum(q, 1, &out->end_sum) && tc_sqlite_column_sum(q, 2, &out->origin);
}

tacit_status tc_sqlite_head(tc_sqlite *s, int64_t study, tc_chain *out, tacit_error *err)
{
    sqlite3_stmt *q = s->sql[TC_SQL_HEAD];
    sqlite3_bind_int64(q, 1, study);
    int rc = sqlite3_step(q);
    bool whole = rc == SQLITE_ROW && read_head(q, out);
    tc_sqlite_reset(s, TC_SQL_HEAD);
    if (rc == SQLITE_ROW && whole)
        return TACIT_OK;
    if (rc == SQLITE_DONE)
        TC_TRY(tc_sqlite_has(s, study, err));
    return tc_sqlite_fail(s, rc == SQLITE_ROW || rc == SQLITE_DONE ? SQLITE_CORRUPT : rc, err);
}

static tacit_status insert_event(tc_sqlite *s, int64_t study, const tc_event_row *e, tc_chain *at,
                                 tacit_error *err)
{
    sqlite3_stmt *q = s->sql[TC_SQL_APPEND];
    tc_sqlite_bind_sum(q, 7, tc_chain_add(at, e));
    sqlite3_bind_int64(q, 1, study);
    sqlite3_bind_int64(q, 2, (int64_t)at->end);
    sqlite3_bind_int(q, 3, (int)e->kind);
    sqlite3_bind_int64(q, 4, (int64_t)e->trial);
    sqlite3_bind_int64(q, 5, e->time_ms);
    sqlite3_bind_text(q, 6, e->body, -1, SQLITE_STATIC);
    int rc = tc_sqlite_run(s, TC_SQL_APPEND);
    if (rc == SQLITE_CONSTRAINT_UNIQUE)
        return tc_fail(err, TACIT_E_STATE, "trial %llu has been told already",
                       (unsigned long long)e->trial);
    return rc == SQLITE_OK ? TACIT_OK : tc_sqlite_fail(s, rc, err);
}

/* *moved: something that came after a->head stands in the way of a. */
static tacit_status look_after_head(tc_sqlite *s, const tc_append *a, bool *moved, tacit_error *err)
{
    sqlite3_stmt *q = s->sql[TC_SQL_AFTER];
    sqlite3_bind_int64(q, 1, a->study);
    sqlite3_bind_int64(q, 2, (int64_t)a->head);
    int rc = SQLITE_ROW;
    for (*moved = false; !*moved && (rc = sqlite3_step(q)) == SQLITE_ROW;)
        *moved = tc_append_disturbed(a, (tc_event_kind)sqlite3_column_int(q, 0),
                                     (uint64_t)sqlite3_column_int64(q, 1));
    tc_sqlite_reset(s, TC_SQL_AFTER);
    return *moved || rc == SQLITE_DONE ? TACIT_OK : tc_sqlite_fail(s, rc, err);
}

static tacit_status check_head(tc_sqlite *s, const tc_append *a, uint64_t end, tacit_error *err)
{
    if (a->head == TC_ANY_HEAD || (a->head == end && a->mark == 0))
        return TACIT_OK;
    bool moved = a->head > end || a->mark != 0;
    if (!moved && !a->late)
        TC_TRY(look_after_head(s, a, &moved, err));
    return moved ? tc_append_conflict(a, end, err) : TACIT_OK;
}

/* A failure that SQLite answered by rolling back the transaction needs no more undoing. */
static tacit_status take_back(tc_sqlite *s, int64_t study, uint64_t seq, tacit_error *err)
{
    if (sqlite3_get_autocommit(s->db))
        return TACIT_OK;
    sqlite3_bind_int64(s->sql[TC_SQL_TAKE_BACK], 1, study);
    sqlite3_bind_int64(s->sql[TC_SQL_TAKE_BACK], 2, (int64_t)seq);
    int rc = tc_sqlite_run(s, TC_SQL_TAKE_BACK);
    return rc == SQLITE_OK ? TACIT_OK : tc_sqlite_fail(s, rc, err);
}

static tacit_status move_head(tc_sqlite *s, int64_t study, const tc_chain *to, tacit_error *err)
{
    sqlite3_stmt *q = s->sql[TC_SQL_HEAD_MOVE];
    sqlite3_bind_int64(q, 1, study);
    sqlite3_bind_int64(q, 2, (int64_t)to->end);
    tc_sqlite_bind_sum(q, 3, &to->end_sum);
    int rc = tc_sqlite_run(s, TC_SQL_HEAD_MOVE);
    return rc == SQLITE_OK ? TACIT_OK : tc_sqlite_fail(s, rc, err);
}

/* An append inside a transaction, which a refusal leaves as it was. */
static tacit_status insert_events(tc_sqlite *s, const tc_append *a, uint64_t *end, tacit_error *err)
{
    tc_chain at;
    TC_TRY(tc_sqlite_head(s, a->study, &at, err));
    TC_TRY(check_head(s, a, at.end, err));
    const uint64_t head = at.end;
    for (size_t i = 0; i < a->n; i++) {
        tacit_status status = insert_event(s, a->study, &a->events[i], &at, err);
        if (status != TACIT_OK) {
            if (i > 0)
                TC_TRY(take_back(s, a->study, head, err));
            return status;
        }
    }
    *end = at.end;
    return move_head(s, a->study, &at, err);
}

/* ---- one transaction ---- */

static bool is_refusal(tacit_status status)
{
    return status == TACIT_E_CONFLICT || status == TACIT_E_STATE || status == TACIT_E_NOT_FOUND;
}

int tc_sqlite_begin(tc_sqlite *s, tc_sql how)
{
    return s->within ? SQLITE_OK : tc_sqlite_run(s, how);
}

/* SQLite ends some failed transactions by itself. */
void tc_sqlite_abandon(tc_sqlite *s)
{
    if (!s->within && !sqlite3_get_autocommit(s->db))
        tc_sqlite_run(s, TC_SQL_ROLLBACK);
}

/* Two statements: one with RETURNING makes a table of its own each time. */
int tc_sqlite_end(tc_sqlite *s)
{
    if (s->within)
        return SQLITE_OK;
    sqlite3_stmt *q = s->sql[TC_SQL_COUNTED];
    int rc = sqlite3_step(q);
    int64_t n = rc == SQLITE_ROW ? sqlite3_column_int64(q, 0) + 1 : 0;
    tc_sqlite_reset(s, TC_SQL_COUNTED);
    if (rc != SQLITE_ROW) /* the row of the store itself is gone */
        return rc == SQLITE_DONE ? SQLITE_CORRUPT : rc;
    sqlite3_bind_int64(s->sql[TC_SQL_COUNT_UP], 1, n);
    rc = tc_sqlite_run(s, TC_SQL_COUNT_UP);
    if (rc == SQLITE_OK)
        rc = tc_sqlite_run(s, TC_SQL_COMMIT);
    if (rc == SQLITE_OK)
        tc_mark_committed(&s->mark, (uint64_t)n);
    return rc;
}

/* A group that only waits for a sync, or was refused, has nothing to commit. */
static bool wrote(const tc_commit *group)
{
    for (const tc_commit *c = group; c; c = c->next)
        if (c->status == TACIT_OK && (c->a || c->n_changes > 0))
            return true;
    return false;
}

static tacit_status commit_group(tc_sqlite *s, tc_commit *group, tacit_error *err)
{
    int rc = tc_sqlite_begin(s, TC_SQL_BEGIN);
    if (rc != SQLITE_OK)
        return tc_sqlite_fail(s, rc, err);
    for (tc_commit *c = group; c; c = c->next) {
        c->status =
            c->a ? insert_events(s, c->a, &c->head, &c->err) : tc_sqlite_change_in(s, c, &c->err);
        if (c->status != TACIT_OK && !is_refusal(c->status)) {
            *err = c->err;
            return c->status;
        }
    }
    rc = wrote(group) || s->within ? tc_sqlite_end(s) : tc_sqlite_run(s, TC_SQL_COMMIT);
    return rc == SQLITE_OK ? TACIT_OK : tc_sqlite_fail(s, rc, err);
}

void tc_sqlite_commit(tc_sqlite *s, tc_commit *group)
{
    tacit_error err;
    pthread_mutex_lock(&s->lock);
    tacit_status status = commit_group(s, group, &err);
    tc_sqlite_abandon(s);
    pthread_mutex_unlock(&s->lock);
    if (status != TACIT_OK)
        tc_commit_fail(group, &err);
}

void tc_commit_fail(tc_commit *group, const tacit_error *err)
{
    for (tc_commit *c = group; c; c = c->next)
        if (!is_refusal(c->status)) {
            c->status = err->code;
            c->err = *err;
        }
}

/* ---- many writes, or many reads, in one transaction ---- */

/* With a write-ahead log a transaction that reads sees the moment of its first read, and keeps nobody from writing. */
static tacit_status transact_locked(tc_sqlite *s, bool writes, tc_store_work work, void *user,
                                    tacit_error *err)
{
    tc_sqlite in = {.base = s->base, .file = s->file, .db = s->db, .busy_ms = s->busy_ms};
    int rc = tc_sqlite_begin(s, writes ? TC_SQL_BEGIN : TC_SQL_READ);
    if (rc != SQLITE_OK)
        return tc_sqlite_fail(s, rc, err);
    memcpy(in.sql, s->sql, sizeof in.sql);
    in.within = true;
    pthread_mutex_init(&in.lock, NULL);
    tacit_status status = work(&in.base, user, err);
    pthread_mutex_destroy(&in.lock);
    if (status == TACIT_OK && writes && (rc = tc_sqlite_end(s)) != SQLITE_OK)
        status = tc_sqlite_fail(s, rc, err);
    tc_sqlite_abandon(s);
    return status;
}

tacit_status tc_sqlite_transact(tc_store *store, bool writes, tc_store_work work, void *user,
                                tacit_error *err)
{
    tc_sqlite *s = (tc_sqlite *)store;
    pthread_mutex_lock(&s->lock);
    tacit_status status = transact_locked(s, writes, work, user, err);
    pthread_mutex_unlock(&s->lock);
    return status == TACIT_OK && writes ? tc_sqlite_sync(s, err) : status;
}
