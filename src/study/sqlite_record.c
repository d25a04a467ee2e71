/* sqlite_record.c - records in the SQLite file. Called through tc_store_*.
 *
 * Changes join the group of durable writes (sqlite_group.c): a thousand agents that send at once
 * share a few transactions. All expectations of a set are checked before its first write, so that a
 * refused set has written nothing and the rest of its group goes on. */
#include "study/sqlite_int.h"

#include "base/error.h"
#include "base/memory.h"

#include <string.h>

/* ---- columns ---- */

/* A NULL pointer would be bound as NULL, which is not the empty blob. */
static void bind_bytes(sqlite3_stmt *q, int at, const void *bytes, size_t size)
{
    sqlite3_bind_blob64(q, at, size > 0 ? bytes : "", size, SQLITE_STATIC);
}

static sqlite3_stmt *bind_key(tc_sqlite *s, tc_sql which, const tc_record *r)
{
    sqlite3_stmt *q = s->sql[which];
    sqlite3_bind_int64(q, 1, r->study);
    sqlite3_bind_int(q, 2, (int)r->kind);
    bind_bytes(q, 3, r->key, r->key_size);
    return q;
}

/* bounds must live until the statement is reset. */
static sqlite3_stmt *bind_range(tc_sqlite *s, tc_sql which, const tc_record_range *range,
                                tc_key_bounds *bounds)
{
    sqlite3_stmt *q = s->sql[which];
    tc_record_bounds(range, bounds);
    sqlite3_bind_int64(q, 1, range->study);
    sqlite3_bind_int(q, 2, (int)range->kind);
    bind_bytes(q, 3, bounds->low, bounds->low_size);
    bind_bytes(q, 4, bounds->high, bounds->high_size);
    return q;
}

static const void *column_bytes(sqlite3_stmt *q, int at, size_t *size)
{
    const void *blob = sqlite3_column_blob(q, at);
    *size = (size_t)sqlite3_column_bytes(q, at);
    return *size > 0 ? blob : ""; /* an empty blob is a NULL pointer to SQLite */
}

static tacit_status check_study(tc_sqlite *s, int64_t study, tacit_error *err)
{
    return study == 0 ? TACIT_OK : tc_sqlite_has(s, study, err);
}

/* ---- changing ---- */

/* *version 0: there is none. */
static tacit_status look_version(tc_sqlite *s, const tc_record *r, uint64_t *version,
                                 tacit_error *err)
{
    sqlite3_stmt *q = bind_key(s, TC_SQL_RECORD_GET, r);
    int rc = sqlite3_step(q);
    *version = rc == SQLITE_ROW ? (uint64_t)sqlite3_column_int64(q, 0) : 0;
    tc_sqlite_reset(s, TC_SQL_RECORD_GET);
    return rc == SQLITE_ROW || rc == SQLITE_DONE ? TACIT_OK : tc_sqlite_fail(s, rc, err);
}

/* Is it in the table, whatever the index says? */
static tacit_status search_table(tc_sqlite *s, const tc_record *r, bool *found, tacit_error *err)
{
    int rc = sqlite3_step(bind_key(s, TC_SQL_RECORD_SEARCH, r));
    tc_sqlite_reset(s, TC_SQL_RECORD_SEARCH);
    *found = rc == SQLITE_ROW;
    return rc == SQLITE_ROW || rc == SQLITE_DONE ? TACIT_OK : tc_sqlite_fail(s, rc, err);
}

static tacit_status check_change(tc_sqlite *s, const tc_change *c, tacit_error *err)
{
    uint64_t version;
    bool hidden = false;
    TC_TRY(look_version(s, &c->record, &version, err));
    if (c->what == TC_INSERT && version == 0 && tc_record_is_rare(c->record.kind))
        TC_TRY(search_table(s, &c->record, &hidden, err));
    return tc_change_fits(c, version) && !hidden ? TACIT_OK : tc_change_conflict(err);
}

static tacit_status write_change(tc_sqlite *s, const tc_change *c, tacit_error *err)
{
    static const tc_sql statements[] = {[TC_INSERT] = TC_SQL_RECORD_INSERT,
                                        [TC_REPLACE] = TC_SQL_RECORD_REPLACE,
                                        [TC_ERASE] = TC_SQL_RECORD_ERASE};
    if (c->what == TC_REQUIRE)
        return TACIT_OK;
    sqlite3_stmt *q = bind_key(s, statements[c->what], &c->record);
    tc_checksum sum;
    if (c->what != TC_ERASE) {
        sum = tc_chain_record(&c->record);
        bind_bytes(q, 4, c->record.value, c->record.size);
        tc_sqlite_bind_sum(q, 5, &sum);
    }
    int rc = tc_sqlite_run(s, statements[c->what]);
    return rc == SQLITE_OK ? TACIT_OK : tc_sqlite_fail(s, rc, err);
}

/* Nearly always all changes of a set are of one study: it is looked up once. */
tacit_status tc_sqlite_change_in(tc_sqlite *s, tc_commit *c, tacit_error *err)
{
    int64_t known = 0;
    for (c->refused = 0; c->refused < c->n_changes; c->refused++) {
        const tc_change *one = &c->changes[c->refused];
        if (one->record.study != known)
            TC_TRY(check_study(s, one->record.study, err));
        known = one->record.study;
        TC_TRY(check_change(s, one, err));
    }
    for (size_t i = 0; i < c->n_changes; i++)
        TC_TRY(write_change(s, &c->changes[i], err));
    return TACIT_OK;
}

tacit_status tc_sqlite_change(tc_store *store, const tc_change *c, size_t n, size_t *refused,
                              tacit_error *err)
{
    tc_commit self = {.changes = c, .n_changes = n};
    tc_sqlite_commit_durable((tc_sqlite *)store, &self);
    if (self.status == TACIT_E_CONFLICT && refused)
        *refused = self.refused;
    if (self.status != TACIT_OK && err)
        *err = self.err;
    if (self.status == TACIT_OK)
        tc_sqlite_fold_first((tc_sqlite *)store);
    return self.status;
}

/* ---- reading ---- */

static tacit_status check_sum(const tc_record *r, sqlite3_stmt *q, int at, tacit_error *err)
{
    const void *sum = sqlite3_column_blob(q, at);
    return tc_chain_check_record(r, sum, (size_t)sqlite3_column_bytes(q, at), err);
}

static tacit_status copy_value(const tc_record *which, sqlite3_stmt *q, tc_record *out,
                               tacit_error *err)
{
    tc_record r = *which;
    r.version = (uint64_t)sqlite3_column_int64(q, 0);
    r.value = column_bytes(q, 1, &r.size);
    if (!r.value)
        return tc_fail_memory(err);
    TC_TRY(check_sum(&r, q, 2, err));
    uint8_t *copy = tc_alloc(r.size + 1, 1);
    if (!copy)
        return tc_fail_memory(err);
    memcpy(copy, r.value, r.size);
    r.value = copy;
    *out = r;
    return TACIT_OK;
}

static tacit_status get_locked(tc_sqlite *s, const tc_record *which, tc_record *out,
                               tacit_error *err)
{
    sqlite3_stmt *q = bind_key(s, TC_SQL_RECORD_GET, which);
    int rc = sqlite3_step(q);
    tacit_status status;
    if (rc == SQLITE_ROW)
        status = copy_value(which, q, out, err);
    else if (rc == SQLITE_DONE)
        status =
            tc_fail(err, TACIT_E_NOT_FOUND, "there is no such record of kind %d", (int)which->kind);
    else
        status = tc_sqlite_fail(s, rc, err);
    tc_sqlite_reset(s, TC_SQL_RECORD_GET);
    return status;
}

tacit_status tc_sqlite_record_get(tc_store *store, const tc_record *which, tc_record *out,
                                  tacit_error *err)
{
    tc_sqlite *s = (tc_sqlite *)store;
    pthread_mutex_lock(&s->lock);
    tacit_status status = get_locked(s, which, out, err);
    pthread_mutex_unlock(&s->lock);
    return status;
}

static tacit_status visit_record(tc_sqlite *s, const tc_record_range *range, sqlite3_stmt *q,
                                 tc_record_visit visit, void *user, tacit_error *err)
{
    tc_record r = {.study = range->study, .kind = range->kind};
    r.key = column_bytes(q, 0, &r.key_size);
    r.version = (uint64_t)sqlite3_column_int64(q, 1);
    r.value = column_bytes(q, 2, &r.size);
    if (!r.key || !r.value)
        return tc_sqlite_fail(s, sqlite3_errcode(s->db), err);
    TC_TRY(check_sum(&r, q, 3, err));
    return visit(user, &r, err);
}

static tacit_status scan_locked(tc_sqlite *s, const tc_record_range *range, tc_record_visit visit,
                                void *user, tacit_error *err)
{
    tc_key_bounds bounds;
    sqlite3_stmt *q = bind_range(s, TC_SQL_RECORD_SCAN, range, &bounds);
    sqlite3_bind_int64(q, 5, range->most > 0 ? (int64_t)range->most : -1);
    tacit_status status = TACIT_OK;
    int rc;
    while (status == TACIT_OK && (rc = sqlite3_step(q)) != SQLITE_DONE)
        status = rc == SQLITE_ROW ? visit_record(s, range, q, visit, user, err)
                                  : tc_sqlite_fail(s, rc, err);
    tc_sqlite_reset(s, TC_SQL_RECORD_SCAN);
    return status;
}

tacit_status tc_sqlite_record_scan(tc_store *store, const tc_record_range *range,
                                   tc_record_visit visit, void *user, tacit_error *err)
{
    tc_sqlite *s = (tc_sqlite *)store;
    pthread_mutex_lock(&s->lock);
    tacit_status status = scan_locked(s, range, visit, user, err);
    pthread_mutex_unlock(&s->lock);
    return status;
}

tacit_status tc_sqlite_record_count(tc_store *store, const tc_record_range *range, uint64_t *out,
                                    tacit_error *err)
{
    tc_sqlite *s = (tc_sqlite *)store;
    tc_key_bounds bounds;
    pthread_mutex_lock(&s->lock);
    sqlite3_stmt *q = bind_range(s, TC_SQL_RECORD_COUNT, range, &bounds);
    int rc = sqlite3_step(q);
    uint64_t n = rc == SQLITE_ROW ? (uint64_t)sqlite3_column_int64(q, 0) : 0;
    tacit_status status = rc == SQLITE_ROW ? TACIT_OK : tc_sqlite_fail(s, rc, err);
    tc_sqlite_reset(s, TC_SQL_RECORD_COUNT);
    pthread_mutex_unlock(&s->lock);
    if (status == TACIT_OK)
        *out = n;
    return status;
}

/* ---- removing ---- */

/* What was erased is overwritten in the file (secure_delete), but the log still has it until it is folded
 * in and cut. Another process that reads may stand in the way: then the next removal does it. */
static tacit_status forget_log(tc_sqlite *s, tacit_error *err)
{
    int rc = sqlite3_wal_checkpoint_v2(s->db, "main", SQLITE_CHECKPOINT_TRUNCATE, NULL, NULL);
    return rc == SQLITE_OK || (rc & 0xff) == SQLITE_BUSY ? TACIT_OK : tc_sqlite_fail(s, rc, err);
}

static tacit_status end_removal(tc_sqlite *s, tacit_status removed, tacit_error *err)
{
    TC_TRY(removed);
    TC_TRY(tc_sqlite_sync(s, err));
    pthread_mutex_lock(&s->lock);
    tacit_status status = forget_log(s, err);
    pthread_mutex_unlock(&s->lock);
    return status;
}

tacit_status tc_sqlite_record_drop(tc_store *store, const tc_record_range *range, tacit_error *err)
{
    tc_sqlite *s = (tc_sqlite *)store;
    tc_key_bounds bounds;
    pthread_mutex_lock(&s->lock);
    int rc = tc_sqlite_begin(s, TC_SQL_BEGIN);
    if (rc == SQLITE_OK) {
        bind_range(s, TC_SQL_RECORD_DROP, range, &bounds);
        rc = tc_sqlite_run(s, TC_SQL_RECORD_DROP);
    }
    if (rc == SQLITE_OK)
        rc = tc_sqlite_end(s);
    tacit_status status = rc == SQLITE_OK ? TACIT_OK : tc_sqlite_fail(s, rc, err);
    tc_sqlite_abandon(s);
    pthread_mutex_unlock(&s->lock);
    return end_removal(s, status, err);
}

/* SQLite puts a record that it inserts together in a buffer of the connection, one page long, and leaves it there. So a
 * record of zeros that fills a page is inserted and taken back at once. Should another process be
 * writing for so long that this fails, the next record does some of it, and the next call the rest. */
void tc_sqlite_forget(tc_store *store)
{
    tc_sqlite *s = (tc_sqlite *)store;
    pthread_mutex_lock(&s->lock);
    if (tc_sqlite_run(s, TC_SQL_BEGIN) == SQLITE_OK) {
        (void)tc_sqlite_run(s, TC_SQL_RECORD_FILL);
        tc_sqlite_run(s, TC_SQL_ROLLBACK);
    }
    pthread_mutex_unlock(&s->lock);
}

/* Inside a transaction. */
static tacit_status erase_rows(tc_sqlite *s, int64_t study, tacit_error *err)
{
    static const tc_sql statements[] = {TC_SQL_ERASE_EVENTS, TC_SQL_ERASE_HEAD,
                                        TC_SQL_ERASE_RECORDS, TC_SQL_ERASE_STUDY};
    TC_TRY(tc_sqlite_has(s, study, err));
    int rc = SQLITE_OK;
    for (size_t i = 0; rc == SQLITE_OK && i < sizeof statements / sizeof *statements; i++) {
        sqlite3_bind_int64(s->sql[statements[i]], 1, study);
        rc = tc_sqlite_run(s, statements[i]);
    }
    if (rc == SQLITE_OK)
        rc = tc_sqlite_end(s);
    return rc == SQLITE_OK ? TACIT_OK : tc_sqlite_fail(s, rc, err);
}

tacit_status tc_sqlite_study_erase(tc_store *store, int64_t study, tacit_error *err)
{
    tc_sqlite *s = (tc_sqlite *)store;
    pthread_mutex_lock(&s->lock);
    int rc = tc_sqlite_begin(s, TC_SQL_BEGIN);
    tacit_status status = rc == SQLITE_OK ? erase_rows(s, study, err) : tc_sqlite_fail(s, rc, err);
    tc_sqlite_abandon(s);
    pthread_mutex_unlock(&s->lock);
    return end_removal(s, status, err);
}
