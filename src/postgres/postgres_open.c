/* postgres_open.c - is this URL sound, and is the database's schema ours and of a known version?
 *
 * Everything of ours is in the schema "tacit" of the database; other schemas are never looked at.
 * A schema of that name that is not ours is refused and left as it was; an empty one, as an
 * administrator makes it for a role that may make none, is taken. Making and upgrading happen in one
 * transaction under an advisory lock, so that of many processes one does it. */
#include "postgres/postgres_int.h"

#include "base/error.h"

#include <string.h>

/* For all versions of tacit: "tacit" in ASCII. */
#define LOCK_SCHEMA "SELECT pg_advisory_xact_lock(x'7461636974'::int8)"

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

static tacit_status exec_int(tc_postgres *s, PGconn *c, const char *sql, int64_t *out,
                             tacit_error *err)
{
    PGresult *r;
    TC_TRY(tc_pg_query(s, c, sql, NULL, &r, err));
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
    if (*version > TC_PG_SCHEMA)
        return tc_fail(err, TACIT_E_CORRUPT,
                       "%s was written by a newer tacit (schema %lld; this one knows %d)", s->place,
                       (long long)*version, (int)TC_PG_SCHEMA);
    return TACIT_OK;
}

static tacit_status make_namespace(tc_postgres *s, PGconn *c, tacit_error *err)
{
    int64_t there;
    TC_TRY(
        exec_int(s, c, "SELECT count(*) FROM pg_namespace WHERE nspname = 'tacit'", &there, err));
    return there ? TACIT_OK : tc_pg_query(s, c, "CREATE SCHEMA tacit", NULL, NULL, err);
}

/* Another process may have been faster, so the version is read again under the lock. */
static tacit_status upgrade_steps(tc_postgres *s, PGconn *c, tacit_error *err)
{
    int64_t version;
    TC_TRY(tc_pg_query(s, c, LOCK_SCHEMA, NULL, NULL, err));
    TC_TRY(read_version(s, c, &version, err));
    if (version == 0)
        TC_TRY(make_namespace(s, c, err));
    TC_TRY(tc_pg_upgrade(s, c, version, err));
    return tc_pg_query(s, c, "COMMIT", NULL, NULL, err);
}

static tacit_status upgrade(tc_postgres *s, PGconn *c, tacit_error *err)
{
    TC_TRY(tc_pg_query(s, c, "BEGIN", NULL, NULL, err));
    tacit_status status = upgrade_steps(s, c, err);
    if (status != TACIT_OK)
        PQclear(PQexec(c, "ROLLBACK"));
    return status;
}

tacit_status tc_pg_check_schema(tc_postgres *s, PGconn *c, bool create, tacit_error *err)
{
    int64_t version;
    TC_TRY(read_version(s, c, &version, err));
    if (version == 0 && !create)
        return tc_fail(err, TACIT_E_NOT_FOUND, "there is no tacit store in %s", s->place);
    return version < TC_PG_SCHEMA ? upgrade(s, c, err) : TACIT_OK;
}
