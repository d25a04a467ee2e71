/* postgres_copy.c - copies out of and into the PostgreSQL database (store.h: dump, load).
 *
 * A dump is one transaction that reads only and sees one moment (REPEATABLE READ), a page at a time
 * through cursors. A load is one transaction under locks that keep every writer out: killed at any
 * point it leaves an empty store. Broken connections are not tried again: the caller begins anew. */
#include "study/postgres_int.h"

#include "base/error.h"

#include <string.h>

static tacit_status exec(tc_postgres *s, PGconn *c, const char *sql, const tc_pg_args *a,
                         PGresult **out, tacit_error *err)
{
    PGresult *r = PQexecParams(c, sql, a ? a->n : 0, NULL, a ? a->values : NULL,
                               a ? a->lengths : NULL, a ? a->formats : NULL, 1);
    tacit_status status = tc_pg_judge(s, c, r, err);
    if (status == TACIT_OK && out)
        *out = r;
    else
        PQclear(r);
    return status;
}

/* ---- out ---- */

typedef struct dumping {
    const tc_postgres *s;
    tc_row_visit visit;
    void *user;
} dumping;

typedef tacit_status (*read_row)(const dumping *d, const PGresult *p, int row, tacit_error *err);

static tacit_status damaged(const dumping *d, const char *what, tacit_error *err)
{
    return tc_fail(err, TACIT_E_CORRUPT, "%s is damaged: %s is incomplete", d->s->place, what);
}

static tacit_status read_study(const dumping *d, const PGresult *p, int i, tacit_error *err)
{
    tc_study_row row = {.id = tc_pg_int(p, i, 0),
                        .name = (char *)tc_pg_text(p, i, 1),
                        .document = (char *)tc_pg_text(p, i, 2),
                        .points_csv = (char *)tc_pg_text(p, i, 3),
                        .created_ms = tc_pg_int(p, i, 6)};
    if (!row.name || !row.document ||
        !tc_pg_fixed(p, i, 4, &row.public_seed, sizeof row.public_seed) ||
        !tc_pg_fixed(p, i, 5, &row.party_seed, sizeof row.party_seed))
        return damaged(d, "a study", err);
    tacit_status status = d->visit(d->user, &(tc_row){.study = &row}, err);
    explicit_bzero(&row.party_seed, sizeof row.party_seed);
    return status;
}

static tacit_status read_event(const dumping *d, const PGresult *p, int i, tacit_error *err)
{
    tc_event_row e = {.seq = (uint64_t)tc_pg_int(p, i, 1),
                      .kind = (tc_event_kind)tc_pg_int(p, i, 2),
                      .trial = (uint64_t)tc_pg_int(p, i, 3),
                      .time_ms = tc_pg_int(p, i, 4),
                      .body = PQgetvalue(p, i, 5)};
    return d->visit(d->user, &(tc_row){.event = &e, .of = tc_pg_int(p, i, 0)}, err);
}

static tacit_status read_ledger(const dumping *d, const PGresult *p, int i, tacit_error *err)
{
    tc_ledger_head head = {.seq = (uint64_t)tc_pg_int(p, i, 1)};
    if (head.seq > 0 && !tc_pg_fixed(p, i, 2, &head.hash, sizeof head.hash))
        return damaged(d, "a ledger", err);
    return d->visit(d->user, &(tc_row){.ledger = PQgetvalue(p, i, 0), .head = &head}, err);
}

static tacit_status read_entry(const dumping *d, const PGresult *p, int i, tacit_error *err)
{
    tc_ledger_record r = {.seq = (uint64_t)tc_pg_int(p, i, 1),
                          .round = (uint64_t)tc_pg_int(p, i, 3)};
    r.entry = tc_pg_bytes(p, i, 4, &r.entry_size);
    r.release = tc_pg_bytes(p, i, 5, &r.release_size);
    if (!r.entry || !r.release || !tc_pg_fixed(p, i, 2, &r.study, sizeof r.study) ||
        !tc_pg_fixed(p, i, 6, &r.head, sizeof r.head))
        return damaged(d, "an entry of a ledger", err);
    return d->visit(d->user, &(tc_row){.entry = &r, .name = PQgetvalue(p, i, 0)}, err);
}

static tacit_status read_record(const dumping *d, const PGresult *p, int i, tacit_error *err)
{
    tc_record r = {.study = tc_pg_int(p, i, 0), .kind = (tc_record_kind)tc_pg_int(p, i, 1)};
    r.key = tc_pg_bytes(p, i, 2, &r.key_size);
    r.value = tc_pg_bytes(p, i, 3, &r.size);
    if (!r.key || !r.value || r.key_size > TC_RECORD_KEY_MAX)
        return damaged(d, "a record", err);
    return d->visit(d->user, &(tc_row){.record = &r}, err);
}

/* *n: how many rows there were. */
static tacit_status dump_page(tc_postgres *s, PGconn *c, const dumping *d, read_row read, int *n,
                              tacit_error *err)
{
    PGresult *p;
    tacit_status status = TACIT_OK;
    TC_TRY(exec(s, c, "FETCH 200 FROM tacit_rows", NULL, &p, err));
    *n = PQntuples(p);
    for (int i = 0; status == TACIT_OK && i < *n; i++)
        status = read(d, p, i, err);
    PQclear(p);
    return status;
}

static tacit_status dump_table(tc_postgres *s, PGconn *c, const dumping *d, const char *cursor,
                               read_row read, tacit_error *err)
{
    int n = 1;
    TC_TRY(exec(s, c, cursor, NULL, NULL, err));
    while (n > 0)
        TC_TRY(dump_page(s, c, d, read, &n, err));
    return exec(s, c, "CLOSE tacit_rows", NULL, NULL, err);
}

#define CURSOR "DECLARE tacit_rows NO SCROLL CURSOR FOR "

static tacit_status dump_all(tc_postgres *s, PGconn *c, void *user, tacit_error *err)
{
    static const struct {
        const char *cursor;
        read_row read;
    } tables[] = {
        {CURSOR "SELECT id, name, document, points_csv, public_seed, party_seed, created_ms"
                " FROM tacit.studies ORDER BY id",
         read_study},
        {CURSOR "SELECT study, seq, kind::int8, trial, time_ms, body FROM tacit.events"
                " ORDER BY study, seq",
         read_event},
        {CURSOR "SELECT name, entries, head FROM tacit.ledgers ORDER BY id", read_ledger},
        {CURSOR "SELECT l.name, e.seq, e.study, e.round, e.entry, e.release, e.head"
                " FROM tacit.ledger_entries e JOIN tacit.ledgers l ON l.id = e.ledger"
                " ORDER BY e.ledger, e.seq",
         read_entry},
        {CURSOR "SELECT study, kind::int8, key, value FROM tacit.records ORDER BY study, kind, key",
         read_record},
    };
    TC_TRY(exec(s, c, "BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY", NULL, NULL, err));
    for (size_t i = 0; i < sizeof tables / sizeof *tables; i++)
        TC_TRY(dump_table(s, c, user, tables[i].cursor, tables[i].read, err));
    return exec(s, c, "COMMIT", NULL, NULL, err);
}

tacit_status tc_pg_dump(tc_store *store, tc_row_visit visit, void *user, tacit_error *err)
{
    tc_postgres *s = (tc_postgres *)store;
    dumping d = {.s = s, .visit = visit, .user = user};
    return tc_pg_with(s, false, dump_all, &d, err);
}

/* ---- in ---- */

typedef struct loading {
    tc_postgres *s;
    PGconn *c;
    tc_row_source fill;
    void *user;
} loading;

static tacit_status put_study(const loading *l, const tc_study_row *row, tacit_error *err)
{
    tc_pg_args a = {0}, journal = {0};
    tc_pg_arg_int(&a, row->id);
    tc_pg_arg_text(&a, row->name);
    tc_pg_arg_text(&a, row->document);
    tc_pg_arg_text(&a, row->points_csv);
    tc_pg_arg_bytes(&a, &row->public_seed, sizeof row->public_seed);
    tc_pg_arg_bytes(&a, &row->party_seed, sizeof row->party_seed);
    tc_pg_arg_int(&a, row->created_ms);
    TC_TRY(exec(l->s, l->c,
                "INSERT INTO tacit.studies"
                "(id, name, document, points_csv, public_seed, party_seed, created_ms)"
                " OVERRIDING SYSTEM VALUE VALUES($1::int8, $2::text, $3::text, $4::text,"
                " $5::bytea, $6::bytea, $7::int8)",
                &a, NULL, err));
    tc_pg_arg_int(&journal, row->id);
    return exec(l->s, l->c, "INSERT INTO tacit.journals(study, head) VALUES($1::int8, 0)", &journal,
                NULL, err);
}

/* The heads of journals are set at the end, all at once. */
static tacit_status put_event(const loading *l, int64_t study, const tc_event_row *e,
                              tacit_error *err)
{
    tc_pg_args a = {0};
    tc_pg_arg_int(&a, study);
    tc_pg_arg_int(&a, (int64_t)e->seq);
    tc_pg_arg_int(&a, e->kind);
    tc_pg_arg_int(&a, (int64_t)e->trial);
    tc_pg_arg_int(&a, e->time_ms);
    tc_pg_arg_text(&a, e->body);
    return exec(l->s, l->c,
                "INSERT INTO tacit.events(study, seq, kind, trial, time_ms, token, body)"
                " VALUES($1::int8, $2::int8, $3::int8, $4::int8, $5::int8, gen_random_uuid(),"
                " $6::text)",
                &a, NULL, err);
}

static tacit_status put_ledger(const loading *l, const char *name, tacit_error *err)
{
    tc_pg_args a = {0};
    tc_pg_arg_text(&a, name);
    return exec(l->s, l->c, "INSERT INTO tacit.ledgers(name, entries) VALUES($1::text, 0)", &a,
                NULL, err);
}

static tacit_status put_entry(const loading *l, const char *name, const tc_ledger_record *r,
                              tacit_error *err)
{
    tc_pg_args a = {0};
    tc_pg_arg_text(&a, name);
    tc_pg_arg_int(&a, (int64_t)r->seq);
    tc_pg_arg_bytes(&a, &r->study, sizeof r->study);
    tc_pg_arg_int(&a, (int64_t)r->round);
    tc_pg_arg_bytes(&a, r->entry, r->entry_size);
    tc_pg_arg_bytes(&a, r->release, r->release_size);
    tc_pg_arg_bytes(&a, &r->head, sizeof r->head);
    return exec(l->s, l->c,
                "WITH moved AS (UPDATE tacit.ledgers SET entries = $2::int8, head = $7::bytea"
                " WHERE name = $1::text RETURNING id)"
                " INSERT INTO tacit.ledger_entries(ledger, seq, study, round, entry, release, head)"
                " SELECT id, $2::int8, $3::bytea, $4::int8, $5::bytea, $6::bytea, $7::bytea"
                " FROM moved",
                &a, NULL, err);
}

static tacit_status put_record(const loading *l, const tc_record *r, tacit_error *err)
{
    tc_pg_args a = {0};
    tc_pg_arg_int(&a, r->study);
    tc_pg_arg_int(&a, r->kind);
    tc_pg_arg_bytes(&a, r->key, r->key_size);
    tc_pg_arg_bytes(&a, r->value, r->size);
    return exec(l->s, l->c,
                "INSERT INTO tacit.records(study, kind, key, version, value)"
                " VALUES($1::int8, $2::int8, $3::bytea, 1, $4::bytea)",
                &a, NULL, err);
}

static tacit_status put_row(void *user, const tc_row *r, tacit_error *err)
{
    const loading *l = user;
    if (r->study)
        return put_study(l, r->study, err);
    if (r->event)
        return put_event(l, r->of, r->event, err);
    if (r->entry)
        return put_entry(l, r->name, r->entry, err);
    return r->record ? put_record(l, r->record, err) : put_ledger(l, r->ledger, err);
}

static tacit_status check_empty(const loading *l, tacit_error *err)
{
    PGresult *p;
    TC_TRY(exec(l->s, l->c,
                "SELECT (SELECT count(*) FROM tacit.studies) + (SELECT count(*) FROM tacit.ledgers)"
                " + (SELECT count(*) FROM tacit.records)",
                NULL, &p, err));
    bool empty = PQntuples(p) == 1 && tc_pg_int(p, 0, 0) == 0;
    PQclear(p);
    return empty ? TACIT_OK : tc_load_refusal(l->s->place, err);
}

/* Numbers that were used before, here or there, are not given again. */
#define NUMBERS                                                                                    \
    "SELECT setval('tacit.studies_id_seq', greatest(nextval('tacit.studies_id_seq'),"              \
    " (SELECT coalesce(max(id), 0) + 1 FROM tacit.studies)), false)"
#define HEADS                                                                                      \
    "UPDATE tacit.journals j SET head ="                                                           \
    " (SELECT coalesce(max(seq), 0) FROM tacit.events e WHERE e.study = j.study)"

static tacit_status load_all(tc_postgres *s, PGconn *c, void *user, tacit_error *err)
{
    loading *l = user;
    l->c = c;
    TC_TRY(exec(s, c, "BEGIN", NULL, NULL, err));
    TC_TRY(exec(s, c, "LOCK tacit.studies, tacit.ledgers, tacit.records IN EXCLUSIVE MODE", NULL,
                NULL, err));
    TC_TRY(check_empty(l, err));
    TC_TRY(l->fill(l->user, put_row, l, err));
    TC_TRY(exec(s, c, HEADS, NULL, NULL, err));
    TC_TRY(exec(s, c, NUMBERS, NULL, NULL, err));
    return exec(s, c, "COMMIT", NULL, NULL, err);
}

tacit_status tc_pg_load(tc_store *store, tc_row_source fill, void *user, tacit_error *err)
{
    tc_postgres *s = (tc_postgres *)store;
    loading l = {.s = s, .fill = fill, .user = user};
    return tc_pg_with(s, false, load_all, &l, err);
}
