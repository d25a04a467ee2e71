/* postgres_open.c - is this URL sound, and is the database's schema ours and of a known version?
 *
 * Everything of ours is in the schema "tacit" of the database; other schemas are never looked at.
 * A schema of that name that is not ours is refused and left as it was; an empty one, as an
 * administrator makes it for a role that may make none, is taken. Making and upgrading happen in one
 * transaction under an advisory lock, so that of many processes one does it. */
#include "study/postgres_int.h"

#include "base/error.h"

#include <string.h>

/* For all versions of tacit: "tacit" in ASCII. */
#define LOCK_SCHEMA "SELECT pg_advisory_xact_lock(x'7461636974'::int8)"

/* Step i takes schema i to schema i + 1. Never edit a step that was released: append one. */
static const char *const upgrades[] = {
    "CREATE TABLE tacit.store(application text NOT NULL, schema int8 NOT NULL);"
    "INSERT INTO tacit.store VALUES('tacit', 0);"
    /* COLLATE: an order that no update of the operating system changes under an index. */
    "CREATE TABLE tacit.studies("
    "  id int8 GENERATED ALWAYS AS IDENTITY PRIMARY KEY,"
    "  name text COLLATE \"C\" NOT NULL UNIQUE,"
    "  document text NOT NULL,"
    "  points_csv text,"
    "  public_seed bytea NOT NULL CHECK(length(public_seed) = 32),"
    "  party_seed bytea NOT NULL CHECK(length(party_seed) = 32),"
    "  created_ms int8 NOT NULL);"
    /* Apart from studies, since every append writes it anew. */
    "CREATE TABLE tacit.journals("
    "  study int8 PRIMARY KEY REFERENCES tacit.studies(id),"
    "  head int8 NOT NULL) WITH (fillfactor = 50);"
    /* No reference to journals: every append has locked its row there. */
    "CREATE TABLE tacit.events("
    "  study int8 NOT NULL,"
    "  seq int8 NOT NULL,"
    "  trial int8 NOT NULL,"
    "  time_ms int8 NOT NULL,"
    "  token uuid NOT NULL," /* of its append */
    "  kind int2 NOT NULL,"  /* tc_event_kind */
    "  body text NOT NULL,"
    "  PRIMARY KEY(study, seq));"
    "CREATE UNIQUE INDEX one_tell ON tacit.events(study, trial) WHERE kind = 3;"
    /* What a coordinator keeps. */
    "CREATE TABLE tacit.records("
    "  study int8 NOT NULL," /* 0: of the server */
    "  version int8 NOT NULL,"
    "  kind int2 NOT NULL," /* tc_record_kind */
    "  key bytea NOT NULL,"
    "  value bytea NOT NULL,"
    "  PRIMARY KEY(study, kind, key));"
    /* Privacy ledgers. The head stands apart from the entries, so that a lost one shows. */
    "CREATE TABLE tacit.ledgers("
    "  id int8 GENERATED ALWAYS AS IDENTITY PRIMARY KEY,"
    "  name text COLLATE \"C\" NOT NULL UNIQUE,"
    "  entries int8 NOT NULL,"
    "  head bytea CHECK(length(head) = 32));" /* NULL: no entries */
    "CREATE TABLE tacit.ledger_entries("
    "  ledger int8 NOT NULL REFERENCES tacit.ledgers(id),"
    "  seq int8 NOT NULL,"
    "  study bytea NOT NULL CHECK(length(study) = 32)," /* the hash of its document */
    "  round int8 NOT NULL,"
    "  entry bytea NOT NULL,"
    "  release bytea NOT NULL,"
    "  head bytea NOT NULL CHECK(length(head) = 32)," /* the hash of entry */
    "  PRIMARY KEY(ledger, seq),"
    "  UNIQUE(ledger, study, round));"
    "CREATE FUNCTION tacit.keep() RETURNS trigger LANGUAGE plpgsql AS"
    "  $$BEGIN RAISE EXCEPTION 'a ledger is append-only'; END$$;"
    "CREATE TRIGGER ledger_keeps_entries BEFORE DELETE OR UPDATE OR TRUNCATE"
    "  ON tacit.ledger_entries EXECUTE FUNCTION tacit.keep();",
};
enum { SCHEMA = sizeof upgrades / sizeof upgrades[0] };

/* ---- the URL */

/* Is there an @ that libpq would not take for the end of user and password? */
static bool is_ambiguous(const char *after_scheme)
{
    const char *rest = after_scheme + strcspn(after_scheme, "@/");
    if (*rest != '@')
        rest = after_scheme;
    else
        rest++;
    return memchr(rest, '@', strcspn(rest, "?")) != NULL;
}

/* libpq's own complaints quote the URL, or what it took for a host's name or a port: parts of a
 * password that has an @ or a slash in it. So those are caught here, and no complaint about a URL is
 * handed on. */
tacit_status tc_pg_check_url(const char *url, tacit_error *err)
{
    const char *colon = strstr(url, "://");
    if (colon && is_ambiguous(colon + 3))
        return tc_fail(
            err, TACIT_E_ARG,
            "the storage's URL is ambiguous: in a user's name or password, write @ as %%40 and / "
            "as %%2F");
    char *why = NULL;
    PQconninfoOption *options = colon ? PQconninfoParse(url, &why) : NULL;
    PQfreemem(why);
    if (!options)
        return tc_fail(err, TACIT_E_ARG,
                       "the storage's URL cannot be read: write "
                       "postgresql://USER@HOST:PORT/DATABASE or "
                       "postgresql:///DATABASE?host=FOLDER");
    PQconninfoFree(options);
    return TACIT_OK;
}

/* ---- the schema */

/* A constant text without parameters; its rows if `out` is given. */
static tacit_status exec(tc_postgres *s, PGconn *c, const char *sql, PGresult **out,
                         tacit_error *err)
{
    PGresult *r = out ? PQexecParams(c, sql, 0, NULL, NULL, NULL, NULL, 1) : PQexec(c, sql);
    tacit_status st = tc_pg_judge(s, c, r, err);
    if (st == TACIT_OK && out)
        *out = r;
    else
        PQclear(r);
    return st;
}

static tacit_status exec_int(tc_postgres *s, PGconn *c, const char *sql, int64_t *out,
                             tacit_error *err)
{
    PGresult *r;
    TC_TRY(exec(s, c, sql, &r, err));
    *out = PQntuples(r) == 1 ? tc_pg_int(r, 0, 0) : -1;
    PQclear(r);
    return TACIT_OK;
}

static tacit_status refuse_foreign(const tc_postgres *s, tacit_error *err)
{
    return tc_fail(err, TACIT_E_CORRUPT,
                   "the schema \"tacit\" in %s is not a tacit store; it was left untouched",
                   s->place);
}

/* 0: there is nothing yet, or an empty schema. */
static tacit_status read_version(tc_postgres *s, PGconn *c, int64_t *version, tacit_error *err)
{
    int64_t tables, marked;
    TC_TRY(exec_int(s, c,
                    "SELECT count(*) FROM pg_class"
                    " WHERE relnamespace = to_regnamespace('tacit')",
                    &tables, err));
    *version = 0;
    if (tables == 0)
        return TACIT_OK;
    TC_TRY(exec_int(s, c,
                    "SELECT count(*) FROM pg_attribute WHERE attrelid = to_regclass('tacit.store')"
                    " AND attname IN ('application', 'schema')",
                    &marked, err));
    if (marked != 2)
        return refuse_foreign(s, err);
    TC_TRY(exec_int(s, c, "SELECT schema::int8 FROM tacit.store WHERE application = 'tacit'",
                    version, err));
    if (*version < 1)
        return refuse_foreign(s, err);
    if (*version > SCHEMA)
        return tc_fail(err, TACIT_E_CORRUPT,
                       "%s was written by a newer tacit (schema %lld; this one knows %d)", s->place,
                       (long long)*version, (int)SCHEMA);
    return TACIT_OK;
}

static tacit_status make_namespace(tc_postgres *s, PGconn *c, tacit_error *err)
{
    int64_t there;
    TC_TRY(
        exec_int(s, c, "SELECT count(*) FROM pg_namespace WHERE nspname = 'tacit'", &there, err));
    return there ? TACIT_OK : exec(s, c, "CREATE SCHEMA tacit", NULL, err);
}

/* Another process may have been faster, so the version is read again under the lock. */
static tacit_status upgrade_steps(tc_postgres *s, PGconn *c, tacit_error *err)
{
    int64_t version;
    TC_TRY(exec(s, c, LOCK_SCHEMA, NULL, err));
    TC_TRY(read_version(s, c, &version, err));
    if (version == 0)
        TC_TRY(make_namespace(s, c, err));
    for (; version < SCHEMA; version++) {
        TC_TRY(exec(s, c, upgrades[version], NULL, err));
        TC_TRY(exec(s, c, "UPDATE tacit.store SET schema = schema + 1", NULL, err));
    }
    return exec(s, c, "COMMIT", NULL, err);
}

static tacit_status upgrade(tc_postgres *s, PGconn *c, tacit_error *err)
{
    TC_TRY(exec(s, c, "BEGIN", NULL, err));
    tacit_status st = upgrade_steps(s, c, err);
    if (st != TACIT_OK)
        PQclear(PQexec(c, "ROLLBACK"));
    return st;
}

tacit_status tc_pg_check_schema(tc_postgres *s, PGconn *c, bool create, tacit_error *err)
{
    int64_t version;
    TC_TRY(read_version(s, c, &version, err));
    if (version == 0 && !create)
        return tc_fail(err, TACIT_E_NOT_FOUND, "there is no tacit store in %s", s->place);
    return version < SCHEMA ? upgrade(s, c, err) : TACIT_OK;
}
