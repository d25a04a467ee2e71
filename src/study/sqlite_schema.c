/* sqlite_schema.c - the tables of a store file, and how those of older versions become them.
 *
 * Called by sqlite_open.c. */
#include "study/sqlite_int.h"

#include "base/error.h"

#include <string.h>

/* Step i takes a file of schema i to schema i + 1. An empty file has schema 0, so making a
 * store is the first upgrade. Never edit a step that was released: append one. */
static const char *const upgrades[] = {
    "CREATE TABLE studies("
    "  id INTEGER PRIMARY KEY,"
    "  name TEXT NOT NULL UNIQUE,"
    "  document TEXT NOT NULL,"
    "  points_csv TEXT,"
    "  public_seed BLOB NOT NULL CHECK(length(public_seed) = 32),"
    "  party_seed BLOB NOT NULL CHECK(length(party_seed) = 32),"
    "  created_ms INTEGER NOT NULL"
    ") STRICT;"
    "CREATE TABLE events("
    "  study INTEGER NOT NULL REFERENCES studies(id),"
    "  seq INTEGER NOT NULL,"
    "  kind INTEGER NOT NULL," /* tc_event_kind */
    "  trial INTEGER NOT NULL,"
    "  time_ms INTEGER NOT NULL,"
    "  body TEXT NOT NULL,"
    "  PRIMARY KEY(study, seq)"
    ") STRICT, WITHOUT ROWID;"
    "CREATE UNIQUE INDEX one_tell ON events(study, trial) WHERE kind = 3;",

    /* Privacy ledgers. The head stands apart from the entries, so that a lost one shows. */
    "CREATE TABLE ledgers("
    "  id INTEGER PRIMARY KEY,"
    "  name TEXT NOT NULL UNIQUE,"
    "  entries INTEGER NOT NULL,"
    "  head BLOB CHECK(length(head) = 32)" /* NULL: no entries */
    ") STRICT;"
    "CREATE TABLE ledger_entries("
    "  ledger INTEGER NOT NULL REFERENCES ledgers(id),"
    "  seq INTEGER NOT NULL,"
    "  study BLOB NOT NULL CHECK(length(study) = 32)," /* the hash of its document */
    "  round INTEGER NOT NULL,"
    "  entry BLOB NOT NULL,"
    "  release BLOB NOT NULL,"
    "  head BLOB NOT NULL CHECK(length(head) = 32)," /* the hash of entry */
    "  PRIMARY KEY(ledger, seq),"
    "  UNIQUE(ledger, study, round)"
    ") STRICT;"
    "CREATE TRIGGER ledger_keeps_entries BEFORE DELETE ON ledger_entries"
    "  BEGIN SELECT RAISE(ABORT, 'a ledger is append-only'); END;"
    "CREATE TRIGGER ledger_keeps_values BEFORE UPDATE ON ledger_entries"
    "  BEGIN SELECT RAISE(ABORT, 'a ledger is append-only'); END;",

    /* What a coordinator keeps. */
    "CREATE TABLE records("
    "  study INTEGER NOT NULL," /* 0: of the server */
    "  kind INTEGER NOT NULL,"  /* tc_record_kind */
    "  key BLOB NOT NULL,"
    "  version INTEGER NOT NULL,"
    "  value BLOB NOT NULL,"
    "  PRIMARY KEY(study, kind, key)"
    ") STRICT;",

    /* Checksums (chain.h). heads has a row for each journal, apart from its events, so that a lost one shows.
     * Row 0 is the store's own: its transactions so far, and the name that was drawn for it (sqlite_mark.c).
     * The triggers stop older programs that still have the file open: they know of no sums. */
    "CREATE TABLE heads("
    "  study INTEGER PRIMARY KEY,"
    "  seq INTEGER NOT NULL,"                            /* the last event */
    "  sum BLOB NOT NULL CHECK(length(sum) = 16),"       /* its sum */
    "  origin BLOB NOT NULL CHECK(length(origin) = 16)," /* the sum of the study's own row */
    "  plain INTEGER NOT NULL"                           /* events up to here have no sum */
    ") STRICT;"
    "INSERT INTO heads VALUES(0, 0, randomblob(16), zeroblob(16), 0);"
    "ALTER TABLE events ADD COLUMN sum BLOB NOT NULL DEFAULT x'';"
    "ALTER TABLE records ADD COLUMN sum BLOB NOT NULL DEFAULT x'';"
    "CREATE TRIGGER events_have_sums BEFORE INSERT ON events WHEN length(NEW.sum) <> 16"
    "  BEGIN SELECT RAISE(ABORT, 'this program is older than the file'); END;"
    "CREATE TRIGGER records_have_sums BEFORE INSERT ON records WHEN length(NEW.sum) <> 16"
    "  BEGIN SELECT RAISE(ABORT, 'this program is older than the file'); END;",
};
_Static_assert(sizeof upgrades / sizeof upgrades[0] == TC_SQLITE_SCHEMA, "a step for each schema");

static tacit_status take_step(tc_sqlite *s, const char *sql, tacit_error *err)
{
    int rc = sqlite3_exec(s->db, sql, NULL, NULL, NULL);
    if (rc == SQLITE_ERROR) /* the tables are not those of that schema */
        return tc_fail(err, TACIT_E_CORRUPT, "%s is damaged: %s", s->file, sqlite3_errmsg(s->db));
    return rc == SQLITE_OK ? TACIT_OK : tc_sqlite_fail(s, rc, err);
}

/* ---- sums for what is there already ---- */

/* Hands each row of a query to `give`, which has its answer written by `put`. */
typedef int (*give_sum)(sqlite3_stmt *row, sqlite3_stmt *put);

static int sum_rows(tc_sqlite *s, const char *rows, const char *put, give_sum give)
{
    sqlite3_stmt *q = NULL, *p = NULL;
    int rc = sqlite3_prepare_v2(s->db, rows, -1, &q, NULL);
    if (rc == SQLITE_OK)
        rc = sqlite3_prepare_v2(s->db, put, -1, &p, NULL);
    while (rc == SQLITE_OK && (rc = sqlite3_step(q)) == SQLITE_ROW)
        rc = give(q, p);
    sqlite3_finalize(q);
    sqlite3_finalize(p);
    return rc == SQLITE_DONE ? SQLITE_OK : rc;
}

static int run(sqlite3_stmt *put)
{
    int rc = sqlite3_step(put);
    sqlite3_reset(put);
    return rc == SQLITE_DONE ? SQLITE_OK : rc;
}

static bool read_seed(sqlite3_stmt *q, int at, void *out, size_t size)
{
    const void *blob = sqlite3_column_blob(q, at);
    if (!blob || sqlite3_column_bytes(q, at) != (int)size)
        return false;
    memcpy(out, blob, size);
    return true;
}

/* Its events have no sums: the chain begins after them. */
static int begin_chain(sqlite3_stmt *q, sqlite3_stmt *put)
{
    tc_study_row row = {.name = (char *)sqlite3_column_text(q, 1),
                        .document = (char *)sqlite3_column_text(q, 2),
                        .points_csv = (char *)sqlite3_column_text(q, 3),
                        .created_ms = sqlite3_column_int64(q, 6)};
    if (!row.name || !row.document || !read_seed(q, 4, &row.public_seed, sizeof row.public_seed) ||
        !read_seed(q, 5, &row.party_seed, sizeof row.party_seed))
        return SQLITE_CORRUPT;
    tc_checksum origin = tc_chain_origin(&row);
    explicit_bzero(&row.party_seed, sizeof row.party_seed);
    sqlite3_bind_int64(put, 1, sqlite3_column_int64(q, 0));
    sqlite3_bind_int64(put, 2, sqlite3_column_int64(q, 7));
    tc_sqlite_bind_sum(put, 3, &origin);
    return run(put);
}

static int sum_record(sqlite3_stmt *q, sqlite3_stmt *put)
{
    tc_record r = {.study = sqlite3_column_int64(q, 1),
                   .kind = (tc_record_kind)sqlite3_column_int(q, 2),
                   .key = sqlite3_column_blob(q, 3),
                   .value = sqlite3_column_blob(q, 4)};
    r.key_size = (size_t)sqlite3_column_bytes(q, 3);
    r.size = (size_t)sqlite3_column_bytes(q, 4);
    tc_checksum sum = tc_chain_record(&r);
    sqlite3_bind_int64(put, 1, sqlite3_column_int64(q, 0));
    tc_sqlite_bind_sum(put, 2, &sum);
    return run(put);
}

static tacit_status give_sums(tc_sqlite *s, tacit_error *err)
{
    int rc =
        sum_rows(s,
                 "SELECT id, name, document, points_csv, public_seed, party_seed, created_ms,"
                 " (SELECT coalesce(max(seq), 0) FROM events WHERE study = id)"
                 " FROM studies WHERE document <> ''",
                 "INSERT INTO heads(study, seq, sum, origin, plain) VALUES(?1, ?2, ?3, ?3, ?2)",
                 begin_chain);
    if (rc == SQLITE_OK)
        rc = sum_rows(s, "SELECT rowid, study, kind, key, value FROM records",
                      "UPDATE records SET sum = ?2 WHERE rowid = ?1", sum_record);
    return rc == SQLITE_OK ? TACIT_OK : tc_sqlite_fail(s, rc, err);
}

enum { FIRST_WITH_SUMS = 4 };

tacit_status tc_sqlite_upgrade(tc_sqlite *s, int version, tacit_error *err)
{
    for (int step = version; step < TC_SQLITE_SCHEMA; step++) {
        TC_TRY(take_step(s, upgrades[step], err));
        if (step + 1 == FIRST_WITH_SUMS)
            TC_TRY(give_sums(s, err));
    }
    return TACIT_OK;
}

bool tc_sqlite_has_sums(int version)
{
    return version >= FIRST_WITH_SUMS;
}

/* Before the statements are prepared. */
tacit_status tc_sqlite_age(const tc_sqlite *s, tc_store_age *out, tacit_error *err)
{
    sqlite3_stmt *q = NULL;
    bool whole = false;
    int rc = sqlite3_prepare_v2(s->db, "SELECT seq, sum FROM heads WHERE study = 0", -1, &q, NULL);
    if (rc == SQLITE_OK)
        rc = sqlite3_step(q);
    if (rc == SQLITE_ROW) {
        out->transactions = (uint64_t)sqlite3_column_int64(q, 0);
        whole = tc_sqlite_column_sum(q, 1, &out->store);
    }
    sqlite3_finalize(q);
    if (rc == SQLITE_ROW && whole)
        return TACIT_OK;
    bool other = rc == SQLITE_ROW || rc == SQLITE_DONE || rc == SQLITE_ERROR;
    return tc_sqlite_fail(s, other ? SQLITE_CORRUPT : rc, err);
}
