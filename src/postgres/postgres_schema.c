/* postgres_schema.c - the tables in the database, and how those of older versions become them.
 *
 * Called by postgres_open.c. */
#include "postgres/postgres_int.h"

#include "base/error.h"

#include <string.h>

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

    /* Checksums (chain.h): of events, of records, and in journals where each of them ends. Older programs
     * that are still connected give none, which NOT NULL without a default refuses. */
    "ALTER TABLE tacit.events ADD COLUMN sum bytea NOT NULL DEFAULT ''::bytea;"
    "ALTER TABLE tacit.events ALTER COLUMN sum DROP DEFAULT;"
    "ALTER TABLE tacit.records ADD COLUMN sum bytea NOT NULL DEFAULT ''::bytea;"
    "ALTER TABLE tacit.records ALTER COLUMN sum DROP DEFAULT;"
    "ALTER TABLE tacit.journals"
    "  ADD COLUMN sum bytea NOT NULL DEFAULT ''::bytea,"
    "  ADD COLUMN origin bytea NOT NULL DEFAULT ''::bytea," /* the sum of the study's own row */
    "  ADD COLUMN plain int8 NOT NULL DEFAULT 0;"           /* events up to here have no sum */
    "ALTER TABLE tacit.journals ALTER COLUMN sum DROP DEFAULT,"
    "  ALTER COLUMN origin DROP DEFAULT, ALTER COLUMN plain DROP DEFAULT;",

    /* Ledgers are records (store_ledger.c), numbered without a gap. An older program that is still connected finds
     * no ledger any more, and releases nothing. */
    "WITH l AS (SELECT row_number() OVER (ORDER BY id) AS n, * FROM tacit.ledgers),"
    "  e AS (SELECT l.n, e.* FROM tacit.ledger_entries e JOIN l ON l.id = e.ledger)"
    "  INSERT INTO tacit.records(study, version, kind, key, value, sum)"
    "  SELECT 0, 1, 12, int8send(n), convert_to(name, 'UTF8'), ''::bytea FROM l"
    "  UNION ALL SELECT 0, 1, 13,"
    "  int8send(n) || int8send(entries) || coalesce(head, decode(repeat('00', 32), 'hex')),"
    "  ''::bytea, ''::bytea FROM l"
    "  UNION ALL SELECT 0, 1, 14, int8send(n) || int8send(seq),"
    "  head || study || int8send(round) || int8send(length(entry)::int8) || entry || release,"
    "  ''::bytea FROM e"
    "  UNION ALL SELECT 0, 1, 15, int8send(n) || study || int8send(round), int8send(seq), ''::bytea"
    "  FROM e;"
    "DROP TABLE tacit.ledger_entries;"
    "DROP TABLE tacit.ledgers;",

    "CREATE TRIGGER ledger_keeps_entries BEFORE DELETE OR UPDATE ON tacit.records FOR EACH ROW"
    "  WHEN (OLD.kind IN (12, 14, 15)) EXECUTE FUNCTION tacit.keep();"
    "CREATE TRIGGER ledger_keeps_records BEFORE TRUNCATE ON tacit.records"
    "  EXECUTE FUNCTION tacit.keep();",
};
_Static_assert(sizeof upgrades / sizeof upgrades[0] == TC_PG_SCHEMA, "a step for each schema");

/* ---- sums for what is there already */

/* Its events have no sums: the chain begins after them. */
static tacit_status begin_chain(tc_postgres *s, PGconn *c, const PGresult *r, int i,
                                tacit_error *err)
{
    tc_pg_args a = {0};
    tc_study_row row = {.name = (char *)tc_pg_text(r, i, 1),
                        .document = (char *)tc_pg_text(r, i, 2),
                        .points_csv = (char *)tc_pg_text(r, i, 3),
                        .created_ms = tc_pg_int(r, i, 6)};
    tc_pg_fixed(r, i, 4, &row.public_seed, sizeof row.public_seed);
    tc_pg_fixed(r, i, 5, &row.party_seed, sizeof row.party_seed);
    tc_checksum origin = tc_chain_origin(&row);
    explicit_bzero(&row.party_seed, sizeof row.party_seed);
    tc_pg_arg_int(&a, tc_pg_int(r, i, 0));
    tc_pg_arg_bytes(&a, &origin, sizeof origin);
    return tc_pg_query(s, c,
                       "UPDATE tacit.journals SET sum = $2::bytea, origin = $2::bytea, plain = head"
                       " WHERE study = $1::int8",
                       &a, NULL, err);
}

static tacit_status sum_record(tc_postgres *s, PGconn *c, const PGresult *p, int i,
                               tacit_error *err)
{
    tc_pg_args a = {0};
    tc_record r = {.study = tc_pg_int(p, i, 0), .kind = (tc_record_kind)tc_pg_int(p, i, 1)};
    r.key = tc_pg_bytes(p, i, 2, &r.key_size);
    r.value = tc_pg_bytes(p, i, 3, &r.size);
    tc_checksum sum = tc_chain_record(&r);
    tc_pg_arg_int(&a, r.study);
    tc_pg_arg_int(&a, r.kind);
    tc_pg_arg_bytes(&a, r.key, r.key_size);
    tc_pg_arg_bytes(&a, &sum, sizeof sum);
    return tc_pg_query(s, c,
                       "UPDATE tacit.records SET sum = $4::bytea"
                       " WHERE study = $1::int8 AND kind = $2::int8 AND key = $3::bytea",
                       &a, NULL, err);
}

typedef tacit_status (*give_sum)(tc_postgres *s, PGconn *c, const PGresult *r, int row,
                                 tacit_error *err);

static tacit_status sum_rows(tc_postgres *s, PGconn *c, const char *cursor, give_sum give,
                             tacit_error *err)
{
    TC_TRY(tc_pg_query(s, c, cursor, NULL, NULL, err));
    for (int n = 1; n > 0;) {
        PGresult *r;
        tacit_status status = TACIT_OK;
        TC_TRY(tc_pg_query(s, c, "FETCH 200 FROM tacit_unsummed", NULL, &r, err));
        n = PQntuples(r);
        for (int i = 0; status == TACIT_OK && i < n; i++)
            status = give(s, c, r, i, err);
        PQclear(r);
        TC_TRY(status);
    }
    return tc_pg_query(s, c, "CLOSE tacit_unsummed", NULL, NULL, err);
}

#define CURSOR "DECLARE tacit_unsummed NO SCROLL CURSOR FOR "

static tacit_status sum_records(tc_postgres *s, PGconn *c, tacit_error *err)
{
    return sum_rows(s, c,
                    CURSOR "SELECT study, kind::int8, key, value FROM tacit.records"
                           " WHERE length(sum) = 0",
                    sum_record, err);
}

static tacit_status give_sums(tc_postgres *s, PGconn *c, tacit_error *err)
{
    TC_TRY(sum_rows(s, c,
                    CURSOR "SELECT id, name, document, points_csv, public_seed, party_seed,"
                           " created_ms FROM tacit.studies",
                    begin_chain, err));
    return sum_records(s, c, err);
}

enum { FIRST_WITH_SUMS = 2, FIRST_WITH_LEDGER_RECORDS = 3 };

tacit_status tc_pg_upgrade(tc_postgres *s, PGconn *c, int64_t version, tacit_error *err)
{
    for (; version < TC_PG_SCHEMA; version++) {
        TC_TRY(tc_pg_query(s, c, upgrades[version], NULL, NULL, err));
        if (version + 1 == FIRST_WITH_SUMS)
            TC_TRY(give_sums(s, c, err));
        if (version + 1 == FIRST_WITH_LEDGER_RECORDS)
            TC_TRY(sum_records(s, c, err));
        TC_TRY(tc_pg_query(s, c, "UPDATE tacit.store SET schema = schema + 1", NULL, NULL, err));
    }
    return TACIT_OK;
}
