/* sqlite_copy.c - copies out of and into the SQLite file (store.h: dump, load).
 *
 * A dump reads inside one transaction: with a write-ahead log its reader sees the moment of its first
 * read, and keeps nobody from writing. A load is one transaction, too; killed at any point it leaves
 * an empty store. */
#include "study/sqlite_int.h"

#include "base/error.h"

#include <string.h>

/* ---- out ---- */

typedef struct dumping {
    tc_sqlite *s;
    tc_row_visit visit;
    void *user;
} dumping;

typedef tacit_status (*read_row)(const dumping *d, sqlite3_stmt *q, tacit_error *err);

/* A column that must not be NULL is: it could not be had, or the file is damaged. */
static tacit_status no_column(const dumping *d, tacit_error *err)
{
    int rc = sqlite3_errcode(d->s->db);
    return tc_sqlite_fail(d->s, rc == SQLITE_NOMEM ? rc : SQLITE_CORRUPT, err);
}

static const char *text_at(sqlite3_stmt *q, int at)
{
    return (const char *)sqlite3_column_text(q, at);
}

static bool fixed_at(sqlite3_stmt *q, int at, void *out, size_t size)
{
    const void *blob = sqlite3_column_blob(q, at);
    if (!blob || sqlite3_column_bytes(q, at) != (int)size)
        return false;
    memcpy(out, blob, size);
    return true;
}

static tacit_status read_study(const dumping *d, sqlite3_stmt *q, tacit_error *err)
{
    tc_study_row row = {.id = sqlite3_column_int64(q, 0),
                        .name = (char *)text_at(q, 1),
                        .document = (char *)text_at(q, 2),
                        .points_csv = (char *)text_at(q, 3),
                        .created_ms = sqlite3_column_int64(q, 6)};
    tc_checksum stored;
    if (!row.name || !row.document || !fixed_at(q, 4, &row.public_seed, sizeof row.public_seed) ||
        !fixed_at(q, 5, &row.party_seed, sizeof row.party_seed) ||
        !fixed_at(q, 7, &stored, sizeof stored))
        return no_column(d, err);
    TC_TRY(tc_chain_check_study(&row, &stored, err));
    tacit_status status = d->visit(d->user, &(tc_row){.study = &row}, err);
    explicit_bzero(&row.party_seed, sizeof row.party_seed);
    return status;
}

/* Of one study. */
typedef struct journal {
    const dumping *d;
    int64_t study;
} journal;

static tacit_status pass_event(void *user, const tc_event_row *e, tacit_error *err)
{
    const journal *j = user;
    return j->d->visit(j->d->user, &(tc_row){.event = e, .of = j->study}, err);
}

static tacit_status read_journal(const dumping *d, sqlite3_stmt *q, tacit_error *err)
{
    journal j = {.d = d, .study = sqlite3_column_int64(q, 0)};
    tacit_status status = tc_sqlite_scan_in(d->s, j.study, 0, pass_event, &j, err);
    return status == TACIT_E_CORRUPT ? tc_fail_in(err, "study \"%s\"", text_at(q, 1)) : status;
}

static tacit_status read_record(const dumping *d, sqlite3_stmt *q, tacit_error *err)
{
    tc_record r = {.study = sqlite3_column_int64(q, 0),
                   .kind = (tc_record_kind)sqlite3_column_int(q, 1),
                   .key = sqlite3_column_blob(q, 2),
                   .value = sqlite3_column_blob(q, 3)};
    r.key_size = (size_t)sqlite3_column_bytes(q, 2);
    r.size = (size_t)sqlite3_column_bytes(q, 3);
    if (!r.key || r.key_size > TC_RECORD_KEY_MAX)
        return no_column(d, err);
    TC_TRY(tc_chain_check_record(&r, sqlite3_column_blob(q, 4), (size_t)sqlite3_column_bytes(q, 4),
                                 err));
    return d->visit(d->user, &(tc_row){.record = &r}, err);
}

static tacit_status dump_table(const dumping *d, const char *sql, read_row read, tacit_error *err)
{
    sqlite3_stmt *q = NULL;
    tacit_status status = TACIT_OK;
    int rc = sqlite3_prepare_v2(d->s->db, sql, -1, &q, NULL);
    if (rc == SQLITE_OK)
        rc = sqlite3_step(q);
    for (; status == TACIT_OK && rc == SQLITE_ROW; rc = sqlite3_step(q))
        status = read(d, q, err);
    sqlite3_finalize(q);
    if (status != TACIT_OK)
        return status;
    return rc == SQLITE_DONE ? TACIT_OK : tc_sqlite_fail(d->s, rc, err);
}

static tacit_status dump_tables(const dumping *d, tacit_error *err)
{
    static const struct {
        const char *sql;
        read_row read;
    } tables[] = {
        {"SELECT id, name, document, points_csv, public_seed, party_seed, created_ms, origin"
         " FROM studies LEFT JOIN heads ON study = id WHERE document <> '' ORDER BY id",
         read_study},
        {"SELECT id, name FROM studies WHERE document <> '' ORDER BY id", read_journal},
        {"SELECT study, kind, key, value, sum FROM records ORDER BY study, kind, key", read_record},
    };
    for (size_t i = 0; i < sizeof tables / sizeof *tables; i++)
        TC_TRY(dump_table(d, tables[i].sql, tables[i].read, err));
    return TACIT_OK;
}

tacit_status tc_sqlite_dump(tc_store *store, tc_row_visit visit, void *user, tacit_error *err)
{
    tc_sqlite *s = (tc_sqlite *)store;
    dumping d = {.s = s, .visit = visit, .user = user};
    pthread_mutex_lock(&s->lock);
    int rc = sqlite3_exec(s->db, "BEGIN", NULL, NULL, NULL);
    tacit_status status = rc == SQLITE_OK ? dump_tables(&d, err) : tc_sqlite_fail(s, rc, err);
    if (!sqlite3_get_autocommit(s->db))
        tc_sqlite_run(s, TC_SQL_ROLLBACK);
    pthread_mutex_unlock(&s->lock);
    return status;
}

/* ---- in ---- */

enum { PUT_STUDY, PUT_HEAD, PUT_EVENT, MOVE, PUT_RECORD, PUTS };

typedef struct loading {
    tc_sqlite *s;
    sqlite3_stmt *put[PUTS];
    int64_t study; /* whose events come; 0: none yet */
    tc_chain at;
} loading;

static const char *const puts_text[PUTS] = {
    [PUT_STUDY] = "INSERT INTO studies"
                  "(id, name, document, points_csv, public_seed, party_seed, created_ms)"
                  " VALUES(?1, ?2, ?3, ?4, ?5, ?6, ?7)",
    [PUT_HEAD] = "INSERT INTO heads(study, seq, sum, origin, plain) VALUES(?1, 0, ?2, ?2, 0)",
    [PUT_EVENT] = "INSERT INTO events(study, seq, kind, trial, time_ms, body, sum)"
                  " VALUES(?1, ?2, ?3, ?4, ?5, ?6, ?7)",
    [MOVE] = "UPDATE heads SET seq = ?2, sum = ?3 WHERE study = ?1",
    [PUT_RECORD] = "INSERT INTO records(study, kind, key, version, value, sum)"
                   " VALUES(?1, ?2, ?3, 1, ?4, ?5)",
};

static void bind_text(sqlite3_stmt *q, int at, const char *text)
{
    sqlite3_bind_text(q, at, text, -1, SQLITE_STATIC); /* NULL stays NULL */
}

/* A NULL pointer would be bound as NULL, which is not the empty blob. */
static void bind_bytes(sqlite3_stmt *q, int at, const void *bytes, size_t size)
{
    sqlite3_bind_blob64(q, at, size > 0 ? bytes : "", size, SQLITE_STATIC);
}

static tacit_status run_put(const loading *l, int which, tacit_error *err)
{
    int rc = sqlite3_step(l->put[which]);
    sqlite3_reset(l->put[which]);
    sqlite3_clear_bindings(l->put[which]);
    if ((rc & 0xff) == SQLITE_CONSTRAINT)
        return tc_fail(err, TACIT_E_CORRUPT, "two rows of the copy are in each other's way: %s",
                       sqlite3_errmsg(l->s->db));
    return rc == SQLITE_DONE ? TACIT_OK : tc_sqlite_fail(l->s, rc, err);
}

static tacit_status put_study(const loading *l, const tc_study_row *row, tacit_error *err)
{
    sqlite3_stmt *q = l->put[PUT_STUDY];
    sqlite3_bind_int64(q, 1, row->id);
    bind_text(q, 2, row->name);
    bind_text(q, 3, row->document);
    bind_text(q, 4, row->points_csv);
    bind_bytes(q, 5, &row->public_seed, sizeof row->public_seed);
    bind_bytes(q, 6, &row->party_seed, sizeof row->party_seed);
    sqlite3_bind_int64(q, 7, row->created_ms);
    TC_TRY(run_put(l, PUT_STUDY, err));
    tc_checksum origin = tc_chain_origin(row);
    q = l->put[PUT_HEAD];
    sqlite3_bind_int64(q, 1, row->id);
    tc_sqlite_bind_sum(q, 2, &origin);
    return run_put(l, PUT_HEAD, err);
}

/* The events of the last study have come. */
static tacit_status end_journal(const loading *l, tacit_error *err)
{
    if (l->study == 0)
        return TACIT_OK;
    sqlite3_bind_int64(l->put[MOVE], 1, l->study);
    sqlite3_bind_int64(l->put[MOVE], 2, (int64_t)l->at.end);
    tc_sqlite_bind_sum(l->put[MOVE], 3, &l->at.end_sum);
    return run_put(l, MOVE, err);
}

static tacit_status begin_journal(loading *l, int64_t study, tacit_error *err)
{
    TC_TRY(end_journal(l, err));
    l->study = study;
    return tc_sqlite_head(l->s, study, &l->at, err);
}

static tacit_status put_event(loading *l, int64_t study, const tc_event_row *e, tacit_error *err)
{
    sqlite3_stmt *q = l->put[PUT_EVENT];
    if (study != l->study)
        TC_TRY(begin_journal(l, study, err));
    tc_sqlite_bind_sum(q, 7, tc_chain_add(&l->at, e));
    if (e->seq != l->at.end)
        return tc_fail(err, TACIT_E_CORRUPT, "event %llu of study number %lld is missing",
                       (unsigned long long)l->at.end, (long long)study);
    sqlite3_bind_int64(q, 1, study);
    sqlite3_bind_int64(q, 2, (int64_t)e->seq);
    sqlite3_bind_int64(q, 3, e->kind);
    sqlite3_bind_int64(q, 4, (int64_t)e->trial);
    sqlite3_bind_int64(q, 5, e->time_ms);
    bind_text(q, 6, e->body);
    return run_put(l, PUT_EVENT, err);
}

static tacit_status put_record(const loading *l, const tc_record *r, tacit_error *err)
{
    sqlite3_stmt *q = l->put[PUT_RECORD];
    tc_checksum sum = tc_chain_record(r);
    tc_sqlite_bind_sum(q, 5, &sum);
    sqlite3_bind_int64(q, 1, r->study);
    sqlite3_bind_int64(q, 2, r->kind);
    bind_bytes(q, 3, r->key, r->key_size);
    bind_bytes(q, 4, r->value, r->size);
    return run_put(l, PUT_RECORD, err);
}

static tacit_status put_row(void *user, const tc_row *r, tacit_error *err)
{
    loading *l = user;
    if (r->study)
        return put_study(l, r->study, err);
    if (r->event)
        return put_event(l, r->of, r->event, err);
    return put_record(l, r->record, err);
}

static tacit_status check_empty(tc_sqlite *s, tacit_error *err)
{
    sqlite3_stmt *q = NULL;
    int rc = sqlite3_prepare_v2(s->db,
                                "SELECT (SELECT count(*) FROM studies) +"
                                " (SELECT count(*) FROM records)",
                                -1, &q, NULL);
    if (rc == SQLITE_OK)
        rc = sqlite3_step(q);
    bool empty = rc == SQLITE_ROW && sqlite3_column_int64(q, 0) == 0;
    sqlite3_finalize(q);
    if (rc != SQLITE_ROW)
        return tc_sqlite_fail(s, rc, err);
    return empty ? TACIT_OK : tc_load_refusal(s->file, err);
}

/* Inside a transaction. */
static tacit_status load_all(loading *l, tc_row_source fill, void *user, tacit_error *err)
{
    int rc = SQLITE_OK;
    TC_TRY(check_empty(l->s, err));
    for (int i = 0; rc == SQLITE_OK && i < PUTS; i++)
        rc = sqlite3_prepare_v2(l->s->db, puts_text[i], -1, &l->put[i], NULL);
    tacit_status status =
        rc == SQLITE_OK ? fill(user, put_row, l, err) : tc_sqlite_fail(l->s, rc, err);
    if (status == TACIT_OK)
        status = end_journal(l, err);
    for (int i = 0; i < PUTS; i++)
        sqlite3_finalize(l->put[i]);
    TC_TRY(status);
    rc = tc_sqlite_end(l->s);
    return rc == SQLITE_OK ? TACIT_OK : tc_sqlite_fail(l->s, rc, err);
}

tacit_status tc_sqlite_load(tc_store *store, tc_row_source fill, void *user, tacit_error *err)
{
    tc_sqlite *s = (tc_sqlite *)store;
    loading l = {.s = s};
    pthread_mutex_lock(&s->lock);
    int rc = tc_sqlite_run(s, TC_SQL_BEGIN);
    tacit_status status =
        rc == SQLITE_OK ? load_all(&l, fill, user, err) : tc_sqlite_fail(s, rc, err);
    if (!sqlite3_get_autocommit(s->db))
        tc_sqlite_run(s, TC_SQL_ROLLBACK);
    pthread_mutex_unlock(&s->lock);
    return status == TACIT_OK ? tc_sqlite_sync(s, err) : status;
}
