/* postgres_statement.c - the statements of the PostgreSQL store, prepared once for each connection,
 * and what an error of PostgreSQL means to a user of tacit.
 *
 * Values are parameters, never text of a statement. Numbers and bytes travel in binary (a number is
 * a big-endian int8), so that nothing is quoted or printed on the way. */
#include "postgres/postgres_int.h"

#include "base/error.h"

#include <endian.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>

static const char *const texts[TC_PG_COUNT] = {
    [TC_PG_BEGIN] = "BEGIN",
    [TC_PG_COMMIT] = "COMMIT",
    /* A commit is flushed only if it wrote something; this writes a few bytes to the log alone. */
    [TC_PG_SYNC] = "SELECT pg_logical_emit_message(true, 'tacit', '')",
    /* Where another server must have it, too, only a commit of one's own can wait for that. */
    [TC_PG_WAIT_DURABLE] = "SELECT CASE WHEN current_setting('synchronous_standby_names') <> ''"
                           " OR pg_current_wal_insert_lsn() > pg_current_wal_flush_lsn()"
                           " THEN pg_logical_emit_message(true, 'tacit', '') END",
    [TC_PG_STUDY_PUT] = "WITH made AS (INSERT INTO tacit.studies"
                        "(name, document, points_csv, public_seed, party_seed, created_ms)"
                        " VALUES($1::text, $2::text, $3::text, $4::bytea, $5::bytea, $6::int8)"
                        " ON CONFLICT(name) DO NOTHING RETURNING id)"
                        " INSERT INTO tacit.journals(study, head, sum, origin, plain)"
                        " SELECT id, 0, $7::bytea, $7::bytea, 0 FROM made RETURNING study",
    [TC_PG_STUDY_KEEP] = "WITH made AS (INSERT INTO tacit.studies"
                         "(name, document, points_csv, public_seed, party_seed, created_ms, id)"
                         " OVERRIDING SYSTEM VALUE VALUES($1::text, $2::text, $3::text, $4::bytea,"
                         " $5::bytea, $6::int8, $8::int8) ON CONFLICT DO NOTHING RETURNING id)"
                         " INSERT INTO tacit.journals(study, head, sum, origin, plain)"
                         " SELECT id, 0, $7::bytea, $7::bytea, 0 FROM made RETURNING study",
    [TC_PG_STUDY_GET] = "SELECT id, name, document, points_csv, public_seed, party_seed,"
                        " created_ms, origin FROM tacit.studies"
                        " LEFT JOIN tacit.journals ON study = id WHERE name = $1::text",
    [TC_PG_STUDY_NEXT] = "SELECT id, name, document, points_csv, public_seed, party_seed,"
                         " created_ms, origin FROM tacit.studies"
                         " LEFT JOIN tacit.journals ON study = id"
                         " WHERE id > $1::int8 ORDER BY id LIMIT 1",
    /* NO KEY: not in the way of TC_PG_STUDY_HOLD. The token is looked up as of the beginning of the
     * statement, which may then wait for the lock: an event that was read before is there all the same,
     * unless the server has lost it. */
    [TC_PG_LOCK] = "SELECT head, sum, origin, plain, set_config('synchronous_commit', 'off', true),"
                   " (SELECT token FROM tacit.events WHERE study = $1::int8 AND seq = $2::int8)"
                   " FROM tacit.journals WHERE study = $1::int8 FOR NO KEY UPDATE",
    [TC_PG_WRITTEN] = "SELECT seq FROM tacit.events WHERE study = $1::int8 AND seq > $2::int8"
                      " AND token = $3::uuid ORDER BY seq DESC LIMIT 1",
    [TC_PG_AFTER] = "SELECT kind::int8, trial FROM tacit.events"
                    " WHERE study = $1::int8 AND seq > $2::int8 ORDER BY seq",
    [TC_PG_APPEND] =
        "INSERT INTO tacit.events(study, seq, kind, trial, time_ms, token, body, sum)"
        " VALUES($1::int8, $2::int8, $3::int8, $4::int8, $5::int8, $6::uuid, $7::text, $8::bytea)",
    [TC_PG_ADVANCE] = "UPDATE tacit.journals SET head = $2::int8, sum = $3::bytea"
                      " WHERE study = $1::int8",
    /* With the event before them, whose sum they go on from, but not its body; and with the journal's
     * end, of the same moment. */
    [TC_PG_SCAN] =
        "SELECT j.head, j.sum, j.origin, j.plain, e.seq, e.kind, e.trial, e.time_ms, e.body, e.sum,"
        " e.token FROM tacit.journals j LEFT JOIN LATERAL"
        " (SELECT seq, kind::int8 AS kind, trial, time_ms,"
        " CASE WHEN seq > $2::int8 THEN body ELSE '' END AS body, sum, token"
        " FROM tacit.events WHERE study = $1::int8 AND seq >= $2::int8"
        " ORDER BY seq LIMIT $3::int8) e ON true"
        " WHERE j.study = $1::int8 ORDER BY e.seq",
    /* One statement of one session: the server that has the event is the one that syncs. */
    [TC_PG_CONFIRM] = "SELECT token, CASE WHEN current_setting('synchronous_standby_names') <> ''"
                      " OR pg_current_wal_insert_lsn() > pg_current_wal_flush_lsn()"
                      " THEN pg_logical_emit_message(true, 'tacit', '') END"
                      " FROM tacit.events WHERE study = $1::int8 AND seq = $2::int8",
    [TC_PG_FIND_TELL] =
        "SELECT j.head, j.sum, j.origin, j.plain, e.seq, e.kind::int8, e.trial, e.time_ms, e.body,"
        " e.sum, e.token, (SELECT p.sum FROM tacit.events p"
        " WHERE p.study = e.study AND p.seq = e.seq - 1)"
        " FROM tacit.journals j LEFT JOIN tacit.events e"
        " ON e.study = j.study AND e.trial = $2::int8 AND e.kind = 3 WHERE j.study = $1::int8",
    [TC_PG_LAZY] = "SELECT set_config('synchronous_commit', 'off', true)",
    [TC_PG_STUDY_HOLD] = "SELECT 1 FROM tacit.journals WHERE study = $1::int8 FOR KEY SHARE",
    [TC_PG_RECORD_GET] = "SELECT version, value, sum FROM tacit.records"
                         " WHERE study = $1::int8 AND kind = $2::int8 AND key = $3::bytea",
    [TC_PG_RECORD_INSERT] = "INSERT INTO tacit.records(study, kind, key, version, value, sum)"
                            " VALUES($1::int8, $2::int8, $3::bytea, 1, $4::bytea, $5::bytea)"
                            " ON CONFLICT DO NOTHING",
    /* No index has these expressions. */
    [TC_PG_RECORD_INSERT_RARE] =
        "INSERT INTO tacit.records(study, kind, key, version, value, sum)"
        " SELECT $1::int8, $2::int8, $3::bytea, 1, $4::bytea, $5::bytea"
        " WHERE NOT EXISTS (SELECT 1 FROM tacit.records WHERE study + 0 = $1::int8"
        " AND kind + 0 = $2::int8 AND key || ''::bytea = $3::bytea) ON CONFLICT DO NOTHING",
    [TC_PG_RECORD_REPLACE] =
        "UPDATE tacit.records SET version = version + 1, value = $5::bytea, sum = $6::bytea"
        " WHERE study = $1::int8 AND kind = $2::int8 AND key = $3::bytea AND version = $4::int8",
    [TC_PG_RECORD_ERASE] =
        "DELETE FROM tacit.records"
        " WHERE study = $1::int8 AND kind = $2::int8 AND key = $3::bytea AND version = $4::int8",
    [TC_PG_RECORD_REQUIRE] = "SELECT 1 FROM tacit.records"
                             " WHERE study = $1::int8 AND kind = $2::int8 AND key = $3::bytea AND "
                             "version = $4::int8 FOR SHARE",
    [TC_PG_RECORD_SCAN] =
        "SELECT key, version, value, sum FROM tacit.records"
        " WHERE study = $1::int8 AND kind = $2::int8 AND key >= $3::bytea AND key < $4::bytea"
        " ORDER BY key LIMIT $5::int8",
    [TC_PG_RECORD_COUNT] =
        "SELECT count(*) FROM tacit.records"
        " WHERE study = $1::int8 AND kind = $2::int8 AND key >= $3::bytea AND key < $4::bytea",
    [TC_PG_RECORD_DROP] =
        "DELETE FROM tacit.records"
        " WHERE study = $1::int8 AND kind = $2::int8 AND key >= $3::bytea AND key < $4::bytea",
    [TC_PG_ERASE_JOURNAL] = "DELETE FROM tacit.journals WHERE study = $1::int8",
    [TC_PG_ERASE_EVENTS] = "DELETE FROM tacit.events WHERE study = $1::int8",
    [TC_PG_ERASE_RECORDS] = "DELETE FROM tacit.records WHERE study = $1::int8",
    [TC_PG_ERASE_STUDY] = "DELETE FROM tacit.studies WHERE id = $1::int8",
    [TC_PG_WALL] = "SELECT (extract(epoch FROM clock_timestamp()) * 1000000)::int8",
};

/* ---- parameters and columns */

static void add_arg(tc_pg_args *args, const void *value, size_t size, int format)
{
    args->values[args->n] = value;
    args->lengths[args->n] = (int)size;
    args->formats[args->n++] = format;
}

void tc_pg_arg_int(tc_pg_args *args, int64_t value)
{
    uint64_t *word = &args->words[args->n];
    *word = htobe64((uint64_t)value);
    add_arg(args, word, sizeof *word, 1);
}

void tc_pg_arg_text(tc_pg_args *args, const char *text)
{
    add_arg(args, text, 0, 0);
}

/* A NULL pointer would be sent as NULL, which is not the empty string of bytes. */
void tc_pg_arg_bytes(tc_pg_args *args, const void *bytes, size_t size)
{
    add_arg(args, size > 0 ? bytes : "", size < INT_MAX ? size : INT_MAX, 1);
}

const uint8_t *tc_pg_bytes(const PGresult *r, int row, int column, size_t *size)
{
    *size = (size_t)PQgetlength(r, row, column);
    return PQgetisnull(r, row, column) ? NULL : (const uint8_t *)PQgetvalue(r, row, column);
}

const char *tc_pg_text(const PGresult *r, int row, int column)
{
    return PQgetisnull(r, row, column) ? NULL : PQgetvalue(r, row, column);
}

bool tc_pg_fixed(const PGresult *r, int row, int column, void *out, size_t size)
{
    size_t got;
    const uint8_t *bytes = tc_pg_bytes(r, row, column, &got);
    if (!bytes || got != size)
        return false;
    memcpy(out, bytes, size);
    return true;
}

/* Half of it is enough to tell two apart. */
uint64_t tc_pg_mark(const PGresult *r, int row, int column)
{
    size_t size;
    uint64_t mark = 0;
    const uint8_t *token = tc_pg_bytes(r, row, column, &size);
    if (token && size >= sizeof mark)
        memcpy(&mark, token, sizeof mark);
    return mark;
}

int64_t tc_pg_int(const PGresult *r, int row, int column)
{
    uint64_t word = 0;
    tc_pg_fixed(r, row, column, &word, sizeof word);
    return (int64_t)be64toh(word);
}

/* libpq frees results, and the C library overwrites what is freed only above a certain size (base/guard.h). */
void tc_pg_clear_secret(PGresult *r)
{
    for (int i = 0; i < PQntuples(r); i++)
        for (int k = 0; k < PQnfields(r); k++)
            explicit_bzero(PQgetvalue(r, i, k), (size_t)PQgetlength(r, i, k));
    PQclear(r);
}

/* ---- errors */

/* The first line; libpq's advice comes after it. */
static int first_line(const char *text)
{
    return (int)strcspn(text, "\n");
}

tacit_status tc_pg_fail(const tc_postgres *s, PGconn *c, tacit_error *err)
{
    const char *why = PQerrorMessage(c);
    if (PQstatus(c) == CONNECTION_OK)
        return tc_fail(err, TACIT_E_IO, "%s cannot be used: %.*s", s->place, first_line(why), why);
    return tc_fail(err, TACIT_E_IO, "%s cannot be reached: %.*s", s->place, first_line(why), why);
}

static bool has_code(const char *state, const char *const *codes)
{
    for (; *codes; codes++)
        if (strncmp(state, *codes, strlen(*codes)) == 0)
            return true;
    return false;
}

/* https://www.postgresql.org/docs/current/errcodes-appendix.html; a class is its first two letters.
 * The primary message alone: details may quote what is stored. */
static tacit_status say_error(const tc_postgres *s, const char *state, const char *why,
                              tacit_error *err)
{
    static const char *const locked[] = {"55P03", "40", NULL};
    static const char *const damaged[] = {"XX001", "XX002", "42P01", "42703",
                                          "42883", "23505", NULL};
    static const char *const coded[] = {"22021", "22P05", NULL};
    if (has_code(state, locked))
        return tc_fail(err, TACIT_E_BUSY, "%s stayed locked by another process for %g s", s->place,
                       (double)s->busy_ms / 1000);
    if (has_code(state, damaged))
        return tc_fail(err, TACIT_E_CORRUPT, "%s is damaged: %s", s->place, why);
    if (has_code(state, coded))
        return tc_fail(err, TACIT_E_ARG, "%s keeps no text that is not UTF-8", s->place);
    if (strcmp(state, "53100") == 0)
        return tc_fail(err, TACIT_E_IO, "there is no space left in %s", s->place);
    if (strcmp(state, "25006") == 0)
        return tc_fail(err, TACIT_E_IO, "%s cannot be written: it is read-only", s->place);
    return tc_fail(err, TACIT_E_IO, "%s cannot be used: %s", s->place, why);
}

bool tc_pg_is_duplicate(const PGresult *r, const char *index)
{
    const char *state = PQresultErrorField(r, PG_DIAG_SQLSTATE);
    const char *which = PQresultErrorField(r, PG_DIAG_CONSTRAINT_NAME);
    return state && strcmp(state, "23505") == 0 && (!index || (which && strcmp(which, index) == 0));
}

tacit_status tc_pg_judge(const tc_postgres *s, PGconn *c, const PGresult *r, tacit_error *err)
{
    if (!r)
        return PQstatus(c) == CONNECTION_OK ? tc_fail_memory(err) : tc_pg_fail(s, c, err);
    ExecStatusType status = PQresultStatus(r);
    if (status == PGRES_TUPLES_OK || status == PGRES_COMMAND_OK)
        return TACIT_OK;
    const char *state = PQresultErrorField(r, PG_DIAG_SQLSTATE);
    const char *why = PQresultErrorField(r, PG_DIAG_MESSAGE_PRIMARY);
    return state && why ? say_error(s, state, why, err) : tc_pg_fail(s, c, err);
}

/* ---- there and back */

/* The name of a prepared statement is its number. */
static void name_of(char out[16], tc_pg_sql which)
{
    snprintf(out, 16, "t%d", (int)which);
}

PGresult *tc_pg_exec(PGconn *c, tc_pg_sql which, const tc_pg_args *args)
{
    char name[16];
    name_of(name, which);
    return PQexecPrepared(c, name, args->n, args->values, args->lengths, args->formats, 1);
}

tacit_status tc_pg_run(tc_postgres *s, PGconn *c, tc_pg_sql which, const tc_pg_args *args,
                       PGresult **out, tacit_error *err)
{
    PGresult *r = tc_pg_exec(c, which, args);
    tacit_status status = tc_pg_judge(s, c, r, err);
    if (status == TACIT_OK)
        *out = r;
    else
        PQclear(r);
    return status;
}

tacit_status tc_pg_query(tc_postgres *s, PGconn *c, const char *sql, const tc_pg_args *args,
                         PGresult **out, tacit_error *err)
{
    static const tc_pg_args none = {0};
    const tc_pg_args *a = args ? args : &none;
    PGresult *r = args || out
                      ? PQexecParams(c, sql, a->n, NULL, a->values, a->lengths, a->formats, 1)
                      : PQexec(c, sql);
    tacit_status status = tc_pg_judge(s, c, r, err);
    if (status == TACIT_OK && out)
        *out = r;
    else
        PQclear(r);
    return status;
}

tacit_status tc_pg_begin(tc_postgres *s, PGconn *c, tacit_error *err)
{
    return PQenterPipelineMode(c) ? TACIT_OK : tc_pg_fail(s, c, err);
}

tacit_status tc_pg_send(tc_postgres *s, PGconn *c, tc_pg_sql which, const tc_pg_args *args,
                        tacit_error *err)
{
    static const tc_pg_args none = {0};
    char name[16];
    name_of(name, which);
    const tc_pg_args *a = args ? args : &none;
    int sent = PQsendQueryPrepared(c, name, a->n, a->values, a->lengths, a->formats, 1);
    return sent ? TACIT_OK : tc_pg_fail(s, c, err);
}

tacit_status tc_pg_turn(tc_postgres *s, PGconn *c, tacit_error *err)
{
    return PQpipelineSync(c) ? TACIT_OK : tc_pg_fail(s, c, err);
}

/* A NULL ends the results of each statement. */
PGresult *tc_pg_take(PGconn *c)
{
    PGresult *first = PQgetResult(c);
    if (first)
        PQclear(PQgetResult(c));
    return first;
}

/* Two NULLs in a row: nothing was sent, or the connection is gone. */
void tc_pg_end(PGconn *c)
{
    for (int nothing = 0; nothing < 2;) {
        PGresult *r = PQgetResult(c);
        ExecStatusType status = PQresultStatus(r);
        nothing = r ? 0 : nothing + 1;
        PQclear(r);
        if (status == PGRES_PIPELINE_SYNC)
            break;
    }
    PQexitPipelineMode(c);
}

/* ---- preparing */

static tacit_status send_all(tc_postgres *s, PGconn *c, tacit_error *err)
{
    for (int i = 0; i < TC_PG_COUNT; i++) {
        char name[16];
        name_of(name, (tc_pg_sql)i);
        if (!PQsendPrepare(c, name, texts[i], 0, NULL))
            return tc_pg_fail(s, c, err);
    }
    return tc_pg_turn(s, c, err);
}

tacit_status tc_pg_prepare(tc_postgres *s, PGconn *c, tacit_error *err)
{
    TC_TRY(tc_pg_begin(s, c, err));
    tacit_status status = send_all(s, c, err);
    for (int i = 0; status == TACIT_OK && i < TC_PG_COUNT; i++) {
        PGresult *r = tc_pg_take(c);
        status = tc_pg_judge(s, c, r, err);
        PQclear(r);
    }
    tc_pg_end(c);
    return status;
}
