/* sqlite_ledger.c - ledgers in the SQLite file. Called through tc_ledger_io.
 *
 * An entry, its release and the ledger's new head are one transaction, synced before append
 * returns; so there is no such thing as half an entry. What is found is synced before it is handed
 * out as well: another process may have committed it and died before its own sync, and bytes that
 * a loss of power can take back must not leave. The tables refuse changes by triggers, against
 * accidents; against intent there is the chain. */
#include "study/sqlite_int.h"

#include "base/error.h"
#include "base/memory.h"

#include <string.h>

/* ---- columns */

static void bind_hash(sqlite3_stmt *q, int at, const tacit_hash *h)
{
    sqlite3_bind_blob(q, at, h->bytes, sizeof h->bytes, SQLITE_STATIC);
}

/* A NULL pointer would be bound as NULL, which is not the empty blob. */
static void bind_bytes(sqlite3_stmt *q, int at, const uint8_t *bytes, size_t size)
{
    sqlite3_bind_blob64(q, at, size > 0 ? (const void *)bytes : "", size, SQLITE_STATIC);
}

static bool column_hash(sqlite3_stmt *q, int at, tacit_hash *out)
{
    const void *blob = sqlite3_column_blob(q, at);
    if (!blob || sqlite3_column_bytes(q, at) != (int)sizeof out->bytes)
        return false;
    memcpy(out->bytes, blob, sizeof out->bytes);
    return true;
}

static tacit_status refuse_damaged(const tc_sqlite *s, int64_t id, uint64_t seq, tacit_error *err)
{
    return tc_fail(err, TACIT_E_CORRUPT,
                   "%s is damaged: entry %llu of ledger number %lld is incomplete", s->file,
                   (unsigned long long)seq, (long long)id);
}

/* ---- appending */

static tacit_status head_locked(tc_sqlite *s, int64_t id, tacit_head *out, tacit_error *err)
{
    sqlite3_stmt *q = s->sql[TC_SQL_LEDGER_HEAD];
    tacit_head head = {0};
    sqlite3_bind_int64(q, 1, id);
    int rc = sqlite3_step(q);
    tacit_status st = TACIT_OK;
    if (rc == SQLITE_ROW) {
        head.seq = (uint64_t)sqlite3_column_int64(q, 0);
        if (head.seq > 0 && !column_hash(q, 1, &head.hash))
            st = refuse_damaged(s, id, head.seq, err);
    } else {
        st = rc == SQLITE_DONE
                 ? tc_fail(err, TACIT_E_CORRUPT, "%s is damaged: ledger number %lld is not there",
                           s->file, (long long)id)
                 : tc_sqlite_fail(s, rc, err);
    }
    tc_sqlite_reset(s, TC_SQL_LEDGER_HEAD);
    if (st == TACIT_OK)
        *out = head;
    return st;
}

static tacit_status check_place(const tacit_head *head, const tc_ledger_record *r, tacit_error *err)
{
    bool follows = r->seq == head->seq + 1 &&
                   (head->seq == 0 || memcmp(&head->hash, &r->previous, sizeof head->hash) == 0);
    if (follows)
        return TACIT_OK;
    return tc_fail(err, TACIT_E_CONFLICT, "the ledger has moved to entry %llu",
                   (unsigned long long)head->seq);
}

static int insert_entry(tc_sqlite *s, int64_t id, const tc_ledger_record *r)
{
    sqlite3_stmt *q = s->sql[TC_SQL_LEDGER_APPEND];
    sqlite3_bind_int64(q, 1, id);
    sqlite3_bind_int64(q, 2, (int64_t)r->seq);
    bind_hash(q, 3, &r->study);
    sqlite3_bind_int64(q, 4, (int64_t)r->round);
    bind_bytes(q, 5, r->entry, r->entry_size);
    bind_bytes(q, 6, r->release, r->release_size);
    bind_hash(q, 7, &r->head);
    int rc = tc_sqlite_run(s, TC_SQL_LEDGER_APPEND);
    if (rc != SQLITE_OK)
        return rc;
    q = s->sql[TC_SQL_LEDGER_ADVANCE];
    sqlite3_bind_int64(q, 1, id);
    sqlite3_bind_int64(q, 2, (int64_t)r->seq);
    bind_hash(q, 3, &r->head);
    return tc_sqlite_run(s, TC_SQL_LEDGER_ADVANCE);
}

/* Inside a transaction. */
static tacit_status append_entry(tc_sqlite *s, int64_t id, const tc_ledger_record *r,
                                 tacit_error *err)
{
    tacit_head head;
    TC_TRY(head_locked(s, id, &head, err));
    TC_TRY(check_place(&head, r, err));
    int rc = insert_entry(s, id, r);
    if ((rc & 0xff) == SQLITE_CONSTRAINT)
        return tc_fail(err, TACIT_E_CONFLICT, "the ledger has a release of round %llu",
                       (unsigned long long)r->round);
    if (rc == SQLITE_OK)
        rc = tc_sqlite_end(s);
    return rc == SQLITE_OK ? TACIT_OK : tc_sqlite_fail(s, rc, err);
}

static tacit_status append_locked(tc_sqlite *s, int64_t id, const tc_ledger_record *r,
                                  tacit_error *err)
{
    int rc = tc_sqlite_run(s, TC_SQL_BEGIN);
    if (rc != SQLITE_OK)
        return tc_sqlite_fail(s, rc, err);
    tacit_status st = append_entry(s, id, r, err);
    if (!sqlite3_get_autocommit(s->db)) /* SQLite ends some failed transactions by itself */
        tc_sqlite_run(s, TC_SQL_ROLLBACK);
    return st;
}

static tacit_status ledger_append(const tc_ledger_io *io, const tc_ledger_record *r,
                                  tacit_error *err)
{
    tc_sqlite *s = io->store;
    pthread_mutex_lock(&s->lock);
    tacit_status st = append_locked(s, io->id, r, err);
    pthread_mutex_unlock(&s->lock);
    return st == TACIT_OK ? tc_sqlite_sync(s, err) : st;
}

/* ---- reading */

static tacit_status ledger_head(const tc_ledger_io *io, tacit_head *out, tacit_error *err)
{
    tc_sqlite *s = io->store;
    pthread_mutex_lock(&s->lock);
    tacit_status st = head_locked(s, io->id, out, err);
    pthread_mutex_unlock(&s->lock);
    return st;
}

/* A blob of a column; of the empty one SQLite gives NULL. */
static const uint8_t *column_bytes(sqlite3_stmt *q, int at, size_t *size)
{
    const uint8_t *blob = sqlite3_column_blob(q, at);
    *size = (size_t)sqlite3_column_bytes(q, at);
    return blob || sqlite3_column_type(q, at) != SQLITE_BLOB ? blob : (const uint8_t *)"";
}

static tacit_status visit_entry(const tc_sqlite *s, int64_t id, sqlite3_stmt *q,
                                tc_ledger_visit visit, void *user, tacit_error *err)
{
    tc_ledger_record r = {.seq = (uint64_t)sqlite3_column_int64(q, 0),
                          .round = (uint64_t)sqlite3_column_int64(q, 2)};
    bool whole = column_hash(q, 1, &r.study) && column_hash(q, 5, &r.head);
    r.entry = column_bytes(q, 3, &r.entry_size);
    r.release = column_bytes(q, 4, &r.release_size);
    if (sqlite3_errcode(s->db) == SQLITE_NOMEM)
        return tc_fail_memory(err);
    if (!whole || !r.entry || !r.release)
        return refuse_damaged(s, id, r.seq, err);
    return visit(user, &r, err);
}

static tacit_status scan_locked(tc_sqlite *s, int64_t id, uint64_t after, tc_ledger_visit visit,
                                void *user, tacit_error *err)
{
    sqlite3_stmt *q = s->sql[TC_SQL_LEDGER_SCAN];
    sqlite3_bind_int64(q, 1, id);
    sqlite3_bind_int64(q, 2, (int64_t)after);
    tacit_status st = TACIT_OK;
    int rc;
    while (st == TACIT_OK && (rc = sqlite3_step(q)) != SQLITE_DONE)
        st =
            rc == SQLITE_ROW ? visit_entry(s, id, q, visit, user, err) : tc_sqlite_fail(s, rc, err);
    tc_sqlite_reset(s, TC_SQL_LEDGER_SCAN);
    return st;
}

static tacit_status ledger_scan(const tc_ledger_io *io, uint64_t after, tc_ledger_visit visit,
                                void *user, tacit_error *err)
{
    tc_sqlite *s = io->store;
    pthread_mutex_lock(&s->lock);
    tacit_status st = scan_locked(s, io->id, after, visit, user, err);
    pthread_mutex_unlock(&s->lock);
    return st;
}

/* A release on its way out. */
typedef struct found {
    uint64_t seq;
    uint8_t *release;
    size_t size;
} found;

static tacit_status copy_release(const tc_sqlite *s, int64_t id, sqlite3_stmt *q, found *out,
                                 tacit_error *err)
{
    found f = {.seq = (uint64_t)sqlite3_column_int64(q, 0)};
    const uint8_t *bytes = column_bytes(q, 1, &f.size);
    if (!bytes)
        return refuse_damaged(s, id, f.seq, err);
    f.release = tc_alloc(f.size + 1, 1);
    if (!f.release)
        return tc_fail_memory(err);
    memcpy(f.release, bytes, f.size);
    *out = f;
    return TACIT_OK;
}

static tacit_status find_locked(tc_sqlite *s, int64_t id, const tacit_hash *study, uint64_t round,
                                found *out, tacit_error *err)
{
    sqlite3_stmt *q = s->sql[TC_SQL_LEDGER_FIND];
    sqlite3_bind_int64(q, 1, id);
    bind_hash(q, 2, study);
    sqlite3_bind_int64(q, 3, (int64_t)round);
    int rc = sqlite3_step(q);
    tacit_status st;
    if (rc == SQLITE_ROW)
        st = copy_release(s, id, q, out, err);
    else if (rc == SQLITE_DONE)
        st = tc_fail(err, TACIT_E_NOT_FOUND, "the ledger has no release of round %llu",
                     (unsigned long long)round);
    else
        st = tc_sqlite_fail(s, rc, err);
    tc_sqlite_reset(s, TC_SQL_LEDGER_FIND);
    return st;
}

static tacit_status ledger_find(const tc_ledger_io *io, const tacit_hash *study, uint64_t round,
                                uint64_t *seq, uint8_t **release, size_t *size, tacit_error *err)
{
    tc_sqlite *s = io->store;
    found f = {0};
    pthread_mutex_lock(&s->lock);
    tacit_status st = find_locked(s, io->id, study, round, &f, err);
    pthread_mutex_unlock(&s->lock);
    TC_TRY(st);
    st = tc_sqlite_sync(s, err);
    if (st != TACIT_OK) {
        tc_free(f.release);
        return st;
    }
    *seq = f.seq;
    *release = f.release;
    *size = f.size;
    return TACIT_OK;
}

/* ---- opening */

/* A ledger that a damaged index hides, or takes for an empty one, would be begun anew and release
 * everything a second time. So the index of names must agree with the table. One statement asks both: between two,
 * another process could make the ledger. */
static tacit_status get_id(tc_sqlite *s, const char *name, int64_t *id, tacit_error *err)
{
    sqlite3_stmt *q = s->sql[TC_SQL_LEDGER_GET];
    sqlite3_bind_text(q, 1, name, -1, SQLITE_STATIC);
    int rc = sqlite3_step(q);
    int64_t by_index = rc == SQLITE_ROW ? sqlite3_column_int64(q, 0) : 0; /* NULL is 0 */
    int64_t by_table = rc == SQLITE_ROW ? sqlite3_column_int64(q, 1) : 0;
    tc_sqlite_reset(s, TC_SQL_LEDGER_GET);
    if (rc != SQLITE_ROW)
        return tc_sqlite_fail(s, rc, err);
    if (by_index != by_table)
        return tc_fail(err, TACIT_E_CORRUPT,
                       "%s is damaged: the index of its ledgers is wrong about \"%s\"", s->file,
                       name);
    if (by_index == 0)
        return tc_fail(err, TACIT_E_NOT_FOUND, "there is no ledger \"%s\" in %s", name, s->file);
    *id = by_index;
    return TACIT_OK;
}

/* A result code of SQLite. */
static int put_ledger(tc_sqlite *s, const char *name)
{
    int rc = tc_sqlite_run(s, TC_SQL_BEGIN);
    if (rc != SQLITE_OK)
        return rc;
    sqlite3_bind_text(s->sql[TC_SQL_LEDGER_PUT], 1, name, -1, SQLITE_STATIC);
    rc = tc_sqlite_run(s, TC_SQL_LEDGER_PUT);
    if (rc == SQLITE_OK)
        rc = tc_sqlite_end(s);
    if (!sqlite3_get_autocommit(s->db))
        tc_sqlite_run(s, TC_SQL_ROLLBACK);
    return rc;
}

static tacit_status open_locked(tc_sqlite *s, const char *name, bool create, int64_t *id,
                                tacit_error *err)
{
    tacit_status st = get_id(s, name, id, err);
    if (st != TACIT_E_NOT_FOUND || !create)
        return st;
    int rc = put_ledger(s, name);
    return rc == SQLITE_OK ? get_id(s, name, id, err) : tc_sqlite_fail(s, rc, err);
}

tacit_status tc_sqlite_ledger(tc_store *store, const char *name, bool create, tc_ledger_io *out,
                              tacit_error *err)
{
    tc_sqlite *s = (tc_sqlite *)store;
    tc_ledger_io io = {.store = s,
                       .append = ledger_append,
                       .head = ledger_head,
                       .scan = ledger_scan,
                       .find = ledger_find};
    pthread_mutex_lock(&s->lock);
    tacit_status st = open_locked(s, name, create, &io.id, err);
    pthread_mutex_unlock(&s->lock);
    if (st == TACIT_OK)
        *out = io;
    return st;
}

/* ---- listing */

/* The first ledger after *id: its number and, for tc_free, its name; NULL: there is none. */
static tacit_status next_name(tc_sqlite *s, int64_t *id, char **name, tacit_error *err)
{
    sqlite3_stmt *q = s->sql[TC_SQL_LEDGER_NEXT];
    sqlite3_bind_int64(q, 1, *id);
    int rc = sqlite3_step(q);
    const char *text = rc == SQLITE_ROW ? (const char *)sqlite3_column_text(q, 1) : NULL;
    tacit_status st = TACIT_OK;
    if (rc != SQLITE_ROW && rc != SQLITE_DONE)
        st = tc_sqlite_fail(s, rc, err);
    else if (rc == SQLITE_ROW && !text) /* the column is NOT NULL: the text could not be had */
        st = tc_sqlite_fail(s, sqlite3_errcode(s->db), err);
    *id = rc == SQLITE_ROW ? sqlite3_column_int64(q, 0) : *id;
    *name = text ? tc_strdup(text) : NULL;
    if (text && !*name)
        st = tc_fail_memory(err);
    tc_sqlite_reset(s, TC_SQL_LEDGER_NEXT);
    return st;
}

/* The lock is not held while visit is at work. */
tacit_status tc_sqlite_ledger_list(tc_store *store, tc_ledger_name_visit visit, void *user,
                                   tacit_error *err)
{
    tc_sqlite *s = (tc_sqlite *)store;
    int64_t last = 0;
    for (;;) {
        char *name = NULL;
        pthread_mutex_lock(&s->lock);
        tacit_status st = next_name(s, &last, &name, err);
        pthread_mutex_unlock(&s->lock);
        if (st != TACIT_OK || !name)
            return st;
        st = visit(user, name, err);
        tc_free(name);
        TC_TRY(st);
    }
}
