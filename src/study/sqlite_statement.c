/* sqlite_statement.c - the statements of the SQLite store, prepared once, and what
 * a result code of SQLite means to a user of tacit. */
#include "study/sqlite_int.h"

#include "base/error.h"

static const char *const texts[TC_SQL_COUNT] = {
    /* IMMEDIATE: takes the write lock before anything is read, so that no later
     * step of the transaction can find the file busy. */
    [TC_SQL_BEGIN] = "BEGIN IMMEDIATE",
    [TC_SQL_READ] = "BEGIN",
    [TC_SQL_COMMIT] = "COMMIT",
    [TC_SQL_ROLLBACK] = "ROLLBACK",
    [TC_SQL_STUDY_PUT] = "INSERT INTO studies"
                         "(name, document, points_csv, public_seed, party_seed, created_ms, id)"
                         " VALUES(?1, ?2, ?3, ?4, ?5, ?6, ?7)",
    [TC_SQL_STUDY_GET] = "SELECT id, name, document, points_csv, public_seed, party_seed,"
                         " created_ms, origin FROM studies LEFT JOIN heads ON study = id"
                         " WHERE name = ?1 AND document <> ''",
    [TC_SQL_STUDY_NEXT] = "SELECT id, name, document, points_csv, public_seed, party_seed,"
                          " created_ms, origin FROM studies LEFT JOIN heads ON study = id"
                          " WHERE id > ?1 AND document <> '' ORDER BY id LIMIT 1",
    [TC_SQL_STUDY_HAS] = "SELECT 1 FROM studies WHERE id = ?1 AND document <> ''",
    [TC_SQL_HEAD] = "SELECT seq, sum, origin, plain FROM heads WHERE study = ?1 AND study > 0",
    [TC_SQL_HEAD_PUT] = "INSERT INTO heads(study, seq, sum, origin, plain)"
                        " VALUES(?1, 0, ?2, ?2, 0)",
    [TC_SQL_HEAD_MOVE] = "UPDATE heads SET seq = ?2, sum = ?3 WHERE study = ?1",
    [TC_SQL_COUNTED] = "SELECT seq FROM heads WHERE study = 0",
    [TC_SQL_COUNT_UP] = "UPDATE heads SET seq = ?1 WHERE study = 0",
    [TC_SQL_SUM] = "SELECT sum FROM events WHERE study = ?1 AND seq = ?2",
    [TC_SQL_AFTER] = "SELECT kind, trial FROM events WHERE study = ?1 AND seq > ?2",
    [TC_SQL_APPEND] = "INSERT INTO events(study, seq, kind, trial, time_ms, body, sum)"
                      " VALUES(?1, ?2, ?3, ?4, ?5, ?6, ?7)",
    [TC_SQL_TAKE_BACK] = "DELETE FROM events WHERE study = ?1 AND seq > ?2",
    [TC_SQL_SCAN] = "SELECT seq, kind, trial, time_ms, body, sum FROM events"
                    " WHERE study = ?1 AND seq > ?2 ORDER BY seq",
    [TC_SQL_FIND_TELL] =
        "SELECT e.seq, e.kind, e.trial, e.time_ms, e.body, e.sum, p.sum"
        " FROM events e LEFT JOIN events p ON p.study = e.study AND p.seq = e.seq - 1"
        " WHERE e.study = ?1 AND e.trial = ?2 AND e.kind = 3",
    [TC_SQL_RECORD_GET] = "SELECT version, value, sum FROM records"
                          " WHERE study = ?1 AND kind = ?2 AND key = ?3",
    [TC_SQL_RECORD_SEARCH] = "SELECT 1 FROM records NOT INDEXED"
                             " WHERE study = ?1 AND kind = ?2 AND key = ?3",
    [TC_SQL_RECORD_INSERT] = "INSERT INTO records(study, kind, key, version, value, sum)"
                             " VALUES(?1, ?2, ?3, 1, ?4, ?5)",
    [TC_SQL_RECORD_REPLACE] = "UPDATE records SET version = version + 1, value = ?4, sum = ?5"
                              " WHERE study = ?1 AND kind = ?2 AND key = ?3",
    [TC_SQL_RECORD_ERASE] = "DELETE FROM records WHERE study = ?1 AND kind = ?2 AND key = ?3",
    [TC_SQL_RECORD_SCAN] = "SELECT key, version, value, sum FROM records"
                           " WHERE study = ?1 AND kind = ?2 AND key >= ?3 AND key < ?4"
                           " ORDER BY key LIMIT ?5",
    [TC_SQL_RECORD_COUNT] = "SELECT count(*) FROM records"
                            " WHERE study = ?1 AND kind = ?2 AND key >= ?3 AND key < ?4",
    [TC_SQL_RECORD_DROP] = "DELETE FROM records"
                           " WHERE study = ?1 AND kind = ?2 AND key >= ?3 AND key < ?4",
    /* The largest cell that lies within one page has 35 bytes less than that; 26 are not of the value. */
    [TC_SQL_RECORD_FILL] = "INSERT INTO records(study, kind, key, version, value, sum)"
                           " SELECT 0, 7, x'00', 1, zeroblob(page_size - 61), zeroblob(16)"
                           " FROM pragma_page_size",
    [TC_SQL_DATA_VERSION] = "PRAGMA data_version",
    [TC_SQL_ERASE_EVENTS] = "DELETE FROM events WHERE study = ?1",
    [TC_SQL_ERASE_HEAD] = "DELETE FROM heads WHERE study = ?1 AND study > 0",
    [TC_SQL_ERASE_RECORDS] = "DELETE FROM records WHERE study = ?1",
    /* The number stays taken, so that a handle from before meets no other study; no name has a
     * colon. */
    [TC_SQL_ERASE_STUDY] = "UPDATE studies SET name = 'erased:' || id, document = '',"
                           " points_csv = NULL, public_seed = zeroblob(32),"
                           " party_seed = zeroblob(32) WHERE id = ?1",
};

tacit_status tc_sqlite_prepare(tc_sqlite *s, tacit_error *err)
{
    for (int i = 0; i < TC_SQL_COUNT; i++) {
        int rc =
            sqlite3_prepare_v3(s->db, texts[i], -1, SQLITE_PREPARE_PERSISTENT, &s->sql[i], NULL);
        if (rc == SQLITE_ERROR) /* our own id, but not our tables */
            return tc_fail(err, TACIT_E_CORRUPT, "%s is damaged: %s", s->file,
                           sqlite3_errmsg(s->db));
        if (rc != SQLITE_OK)
            return tc_sqlite_fail(s, rc, err);
    }
    return TACIT_OK;
}

void tc_sqlite_finalize(tc_sqlite *s)
{
    for (int i = 0; i < TC_SQL_COUNT; i++) {
        sqlite3_finalize(s->sql[i]);
        s->sql[i] = NULL;
    }
}

void tc_sqlite_reset(tc_sqlite *s, tc_sql which)
{
    sqlite3_reset(s->sql[which]);
    sqlite3_clear_bindings(s->sql[which]);
}

int tc_sqlite_run(tc_sqlite *s, tc_sql which)
{
    int rc = sqlite3_step(s->sql[which]);
    tc_sqlite_reset(s, which);
    return rc == SQLITE_DONE ? SQLITE_OK : rc;
}

tacit_status tc_sqlite_error(const tc_sqlite *s, int rc, tacit_error *err)
{
    switch (rc & 0xff) {
    case SQLITE_NOMEM:
        return tc_fail_memory(err);
    case SQLITE_BUSY:
    case SQLITE_LOCKED:
    case SQLITE_PROTOCOL:
        return tc_fail(err, TACIT_E_BUSY, "%s stayed locked by another process for %g s", s->file,
                       (double)s->busy_ms / 1000);
    case SQLITE_NOTADB:
    case SQLITE_CORRUPT:
    case SQLITE_FORMAT:
        return tc_fail(err, TACIT_E_CORRUPT, "%s is damaged: %s", s->file, sqlite3_errstr(rc));
    case SQLITE_FULL:
        return tc_fail(err, TACIT_E_IO, "there is no space left to write %s", s->file);
    case SQLITE_READONLY:
        return tc_fail(err, TACIT_E_IO, "%s cannot be written: it is read-only", s->file);
    default:
        return tc_fail(err, TACIT_E_IO, "%s cannot be used: %s", s->file, sqlite3_errstr(rc));
    }
}
