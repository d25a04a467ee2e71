/* sqlite_schema.c - the tables of a store file, and how those of older versions become them.
 *
 * Called by sqlite_open.c. */
#include "study/sqlite_int.h"

#include "base/error.h"

#include <endian.h>
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
    "INSERT INTO heads(study, seq, sum, origin, plain) SELECT id, n, origin, origin, n FROM ("
    "  SELECT id, study_sum(name, document, points_csv, public_seed, party_seed, created_ms) AS "
    "origin,"
    "  (SELECT coalesce(max(seq), 0) FROM events WHERE study = id) AS n"
    "  FROM studies WHERE document <> '');" /* events that are there have no sums: the chain begins after them */
    "UPDATE records SET sum = record_sum(study, kind, key, value);"
    "CREATE TRIGGER records_have_sums BEFORE INSERT ON records WHEN length(NEW.sum) <> 16"
    "  BEGIN SELECT RAISE(ABORT, 'this program is older than the file'); END;",

    /* Ledgers are records (store_ledger.c). An older program that still has the file open finds no ledger any
     * more, and releases nothing. || makes a text of the bytes, NUL or not, and CAST takes them as they are. */
    "INSERT INTO records(study, kind, key, version, value, sum)"
    "  SELECT 0, kind, key, 1, value, record_sum(0, kind, key, value) FROM ("
    "  SELECT 12 AS kind, number(id) AS key, CAST(name AS BLOB) AS value FROM ledgers"
    "  UNION ALL SELECT 13, CAST(number(id) || number(entries) || coalesce(head, zeroblob(32)) AS "
    "BLOB), x''"
    "  FROM ledgers"
    "  UNION ALL SELECT 14, CAST(number(ledger) || number(seq) AS BLOB),"
    "  CAST(head || study || number(round) || number(length(entry)) || entry || release AS BLOB)"
    "  FROM ledger_entries"
    "  UNION ALL SELECT 15, CAST(number(ledger) || study || number(round) AS BLOB), number(seq)"
    "  FROM ledger_entries);"
    "DROP TABLE ledger_entries;"
    "DROP TABLE ledgers;"
    "CREATE TRIGGER ledger_keeps_entries BEFORE DELETE ON records WHEN OLD.kind IN (12, 14, 15)"
    "  BEGIN SELECT RAISE(ABORT, 'a ledger is append-only'); END;"
    "CREATE TRIGGER ledger_keeps_values BEFORE UPDATE ON records WHEN OLD.kind BETWEEN 12 AND 15"
    "  BEGIN SELECT RAISE(ABORT, 'a ledger is append-only'); END;",
};
_Static_assert(sizeof upgrades / sizeof upgrades[0] == TC_SQLITE_SCHEMA, "a step for each schema");

static tacit_status take_step(tc_sqlite *s, const char *sql, tacit_error *err)
{
    int rc = sqlite3_exec(s->db, sql, NULL, NULL, NULL);
    if (rc == SQLITE_ERROR) /* the tables are not those of that schema */
        return tc_fail(err, TACIT_E_CORRUPT, "%s is damaged: %s", s->file, sqlite3_errmsg(s->db));
    return rc == SQLITE_OK ? TACIT_OK : tc_sqlite_fail(s, rc, err);
}

/* ---- functions of the steps ---- */

static bool read_seed(sqlite3_value *from, void *out, size_t size)
{
    const void *blob = sqlite3_value_blob(from);
    if (!blob || sqlite3_value_bytes(from) != (int)size)
        return false;
    memcpy(out, blob, size);
    return true;
}

/* study_sum(name, document, points_csv, public_seed, party_seed, created_ms): what its chain begins with. */
static void study_sum(sqlite3_context *c, int n, sqlite3_value **v)
{
    (void)n;
    tc_study_row row = {.name = (char *)sqlite3_value_text(v[0]),
                        .document = (char *)sqlite3_value_text(v[1]),
                        .points_csv = (char *)sqlite3_value_text(v[2]),
                        .created_ms = sqlite3_value_int64(v[5])};
    bool whole = row.name && row.document &&
                 read_seed(v[3], &row.public_seed, sizeof row.public_seed) &&
                 read_seed(v[4], &row.party_seed, sizeof row.party_seed);
    tc_checksum origin = tc_chain_origin(&row);
    explicit_bzero(&row.party_seed, sizeof row.party_seed);
    if (whole)
        sqlite3_result_blob(c, &origin, sizeof origin, SQLITE_TRANSIENT);
    else
        sqlite3_result_error_code(c, SQLITE_CORRUPT);
}

/* record_sum(study, kind, key, value): the checksum of a record. */
static void record_sum(sqlite3_context *c, int n, sqlite3_value **v)
{
    (void)n;
    tc_record r = {.study = sqlite3_value_int64(v[0]),
                   .kind = (tc_record_kind)sqlite3_value_int(v[1]),
                   .key = sqlite3_value_blob(v[2]),
                   .value = sqlite3_value_blob(v[3])};
    r.key_size = (size_t)sqlite3_value_bytes(v[2]);
    r.size = (size_t)sqlite3_value_bytes(v[3]);
    tc_checksum sum = tc_chain_record(&r);
    sqlite3_result_blob(c, &sum, sizeof sum, SQLITE_TRANSIENT);
}

/* number(n): as keys of records have it, eight bytes, big-endian. */
static void number(sqlite3_context *c, int n, sqlite3_value **v)
{
    (void)n;
    uint64_t word = htobe64((uint64_t)sqlite3_value_int64(v[0]));
    sqlite3_result_blob(c, &word, sizeof word, SQLITE_TRANSIENT);
}

static tacit_status add_functions(tc_sqlite *s, tacit_error *err)
{
    static const struct {
        const char *name;
        int arguments;
        void (*call)(sqlite3_context *c, int n, sqlite3_value **v);
    } functions[] = {
        {"study_sum", 6, study_sum}, {"record_sum", 4, record_sum}, {"number", 1, number}};
    int rc = SQLITE_OK;
    for (size_t i = 0; rc == SQLITE_OK && i < sizeof functions / sizeof *functions; i++)
        rc = sqlite3_create_function(s->db, functions[i].name, functions[i].arguments,
                                     SQLITE_UTF8 | SQLITE_DIRECTONLY, NULL, functions[i].call, NULL,
                                     NULL);
    return rc == SQLITE_OK ? TACIT_OK : tc_sqlite_fail(s, rc, err);
}

enum { FIRST_WITH_SUMS = 4 };

tacit_status tc_sqlite_upgrade(tc_sqlite *s, int version, tacit_error *err)
{
    TC_TRY(add_functions(s, err));
    for (int step = version; step < TC_SQLITE_SCHEMA; step++)
        TC_TRY(take_step(s, upgrades[step], err));
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
