/* postgres_copy.c - copies out of and into the PostgreSQL database (store.h: dump, load).
 *
 * A dump is one transaction that reads only and sees one moment (REPEATABLE READ), a page at a time
 * through cursors. A load is one transaction under locks that keep every writer out: killed at any
 * point it leaves an empty store. Broken connections are not tried again: the caller begins anew. */
#include "postgres/postgres_int.h"

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
    int64_t study; /* whose events come; 0: none yet */
    tc_chain at;
} dumping;

typedef tacit_status (*read_row)(dumping *d, const PGresult *p, int row, tacit_error *err);

static tacit_status damaged(const dumping *d, const char *what, tacit_error *err)
{
    return tc_fail(err, TACIT_E_CORRUPT, "%s is damaged: %s is incomplete", d->s->place, what);
}

static tacit_status read_study(dumping *d, const PGresult *p, int i, tacit_error *err)
{
    tc_study_row row = {.id = tc_pg_int(p, i, 0),
                        .name = (char *)tc_pg_text(p, i, 1),
                        .document = (char *)tc_pg_text(p, i, 2),
                        .points_csv = (char *)tc_pg_text(p, i, 3),
                        .created_ms = tc_pg_int(p, i, 6)};
    tc_checksum stored;
    if (!row.name || !row.document ||
        !tc_pg_fixed(p, i, 4, &row.public_seed, sizeof row.public_seed) ||
        !tc_pg_fixed(p, i, 5, &row.party_seed, sizeof row.party_seed) ||
        !tc_pg_fixed(p, i, 7, &stored, sizeof stored))
        return damaged(d, "a study", err);
    TC_TRY(tc_chain_check_study(&row, &stored, err));
    tacit_status status = d->visit(d->user, &(tc_row){.study = &row}, err);
    explicit_bzero(&row.party_seed, sizeof row.party_seed);
    return status;
}

/* The end of the journal before it has come, and a new one begins. */
static tacit_status begin_journal(dumping *d, const PGresult *p, int i, tacit_error *err)
{
    if (d->study != 0)
        TC_TRY(tc_chain_finish(&d->at, err));
    d->study = tc_pg_int(p, i, 0);
    if (!tc_pg_read_chain(p, i, 8, &d->at))
        return damaged(d, "a journal", err);
    return tc_chain_begin(&d->at, 0, NULL, 0, err);
}

/* A journal without events is one row without an event. */
static tacit_status take_event(dumping *d, const PGresult *p, int i, tacit_error *err)
{
    tc_event_row e = {.seq = (uint64_t)tc_pg_int(p, i, 2),
                      .kind = (tc_event_kind)tc_pg_int(p, i, 3),
                      .trial = (uint64_t)tc_pg_int(p, i, 4),
                      .time_ms = tc_pg_int(p, i, 5),
                      .body = PQgetvalue(p, i, 6)};
    size_t size;
    const uint8_t *sum = tc_pg_bytes(p, i, 7, &size);
    if (tc_pg_int(p, i, 0) != d->study)
        TC_TRY(begin_journal(d, p, i, err));
    if (PQgetisnull(p, i, 2))
        return TACIT_OK;
    TC_TRY(tc_chain_take(&d->at, &e, sum, size, err));
    return d->visit(d->user, &(tc_row){.event = &e, .of = d->study}, err);
}

static tacit_status read_event(dumping *d, const PGresult *p, int i, tacit_error *err)
{
    tacit_status status = take_event(d, p, i, err);
    return status == TACIT_E_CORRUPT ? tc_fail_in(err, "study \"%s\"", PQgetvalue(p, i, 1))
                                     : status;
}

static tacit_status read_record(dumping *d, const PGresult *p, int i, tacit_error *err)
{
    tc_record r = {.study = tc_pg_int(p, i, 0), .kind = (tc_record_kind)tc_pg_int(p, i, 1)};
    r.key = tc_pg_bytes(p, i, 2, &r.key_size);
    r.value = tc_pg_bytes(p, i, 3, &r.size);
    if (!r.key || !r.value || r.key_size > TC_RECORD_KEY_MAX)
        return damaged(d, "a record", err);
    size_t size;
    const uint8_t *sum = tc_pg_bytes(p, i, 4, &size);
    TC_TRY(tc_chain_check_record(&r, sum, size, err));
    return d->visit(d->user, &(tc_row){.record = &r}, err);
}

/* *n: how many rows there were. */
static tacit_status dump_page(tc_postgres *s, PGconn *c, dumping *d, read_row read, int *n,
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

static tacit_status dump_table(tc_postgres *s, PGconn *c, dumping *d, const char *cursor,
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
        {CURSOR "SELECT id, name, document, points_csv, public_seed, party_seed, created_ms,"
                " origin FROM tacit.studies LEFT JOIN tacit.journals ON study = id ORDER BY id",
         read_study},
        {CURSOR "SELECT j.study, s.name, e.seq, e.kind::int8, e.trial, e.time_ms, e.body, e.sum,"
                " j.head, j.sum, j.origin, j.plain"
                " FROM tacit.studies s JOIN tacit.journals j ON j.study = s.id"
                " LEFT JOIN tacit.events e ON e.study = j.study ORDER BY j.study, e.seq",
         read_event},
        {CURSOR
         "SELECT study, kind::int8, key, value, sum FROM tacit.records ORDER BY study, kind, key",
         read_record},
    };
    TC_TRY(exec(s, c, "BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY", NULL, NULL, err));
    dumping *d = user;
    for (size_t i = 0; i < sizeof tables / sizeof *tables; i++)
        TC_TRY(dump_table(s, c, d, tables[i].cursor, tables[i].read, err));
    if (d->study != 0)
        TC_TRY(tc_chain_finish(&d->at, err));
    return exec(s, c, "COMMIT", NULL, NULL, err);
}

tacit_status tc_pg_dump(tc_store *store, tc_row_visit visit, void *user, tacit_error *err)
{
    tc_postgres *s = (tc_postgres *)store;
    dumping d = {.s = s, .visit = visit, .user = user};
    return tc_pg_with_secret(s, false, dump_all, &d, err);
}

/* ---- in ---- */

typedef struct loading {
    tc_postgres *s;
    PGconn *c;
    tc_row_source fill;
    void *user;
    int64_t study; /* whose events come; 0: none yet */
    tc_chain at;
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
    tc_checksum origin = tc_chain_origin(row);
    tc_pg_arg_int(&journal, row->id);
    tc_pg_arg_bytes(&journal, &origin, sizeof origin);
    return exec(l->s, l->c,
                "INSERT INTO tacit.journals(study, head, sum, origin, plain)"
                " VALUES($1::int8, 0, $2::bytea, $2::bytea, 0)",
                &journal, NULL, err);
}

/* The events of the last study have come. */
static tacit_status end_journal(const loading *l, tacit_error *err)
{
    tc_pg_args a = {0};
    if (l->study == 0)
        return TACIT_OK;
    tc_pg_arg_int(&a, l->study);
    tc_pg_arg_int(&a, (int64_t)l->at.end);
    tc_pg_arg_bytes(&a, &l->at.end_sum, sizeof l->at.end_sum);
    return exec(l->s, l->c,
                "UPDATE tacit.journals SET head = $2::int8, sum = $3::bytea WHERE study = $1::int8",
                &a, NULL, err);
}

static tacit_status start_journal(loading *l, int64_t study, tacit_error *err)
{
    tc_pg_args a = {0};
    PGresult *r;
    TC_TRY(end_journal(l, err));
    l->study = study;
    tc_pg_arg_int(&a, study);
    TC_TRY(exec(l->s, l->c,
                "SELECT head, sum, origin, plain FROM tacit.journals WHERE study = $1::int8", &a,
                &r, err));
    bool found = PQntuples(r) == 1 && tc_pg_read_chain(r, 0, 0, &l->at);
    PQclear(r);
    return found ? TACIT_OK : tc_study_gone(err);
}

static tacit_status put_event(loading *l, int64_t study, const tc_event_row *e, tacit_error *err)
{
    tc_pg_args a = {0};
    if (study != l->study)
        TC_TRY(start_journal(l, study, err));
    const tc_checksum *sum = tc_chain_add(&l->at, e);
    if (e->seq != l->at.end)
        return tc_fail(err, TACIT_E_CORRUPT, "event %llu of study number %lld is missing",
                       (unsigned long long)l->at.end, (long long)study);
    tc_pg_arg_int(&a, study);
    tc_pg_arg_int(&a, (int64_t)e->seq);
    tc_pg_arg_int(&a, e->kind);
    tc_pg_arg_int(&a, (int64_t)e->trial);
    tc_pg_arg_int(&a, e->time_ms);
    tc_pg_arg_text(&a, e->body);
    tc_pg_arg_bytes(&a, sum, sizeof *sum);
    return exec(l->s, l->c,
                "INSERT INTO tacit.events(study, seq, kind, trial, time_ms, token, body, sum)"
                " VALUES($1::int8, $2::int8, $3::int8, $4::int8, $5::int8, gen_random_uuid(),"
                " $6::text, $7::bytea)",
                &a, NULL, err);
}

static tacit_status put_record(const loading *l, const tc_record *r, tacit_error *err)
{
    tc_pg_args a = {0};
    tc_pg_arg_int(&a, r->study);
    tc_pg_arg_int(&a, r->kind);
    tc_pg_arg_bytes(&a, r->key, r->key_size);
    tc_pg_arg_bytes(&a, r->value, r->size);
    tc_checksum sum = tc_chain_record(r);
    tc_pg_arg_bytes(&a, &sum, sizeof sum);
    return exec(l->s, l->c,
                "INSERT INTO tacit.records(study, kind, key, version, value, sum)"
                " VALUES($1::int8, $2::int8, $3::bytea, 1, $4::bytea, $5::bytea)",
                &a, NULL, err);
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

static tacit_status check_empty(const loading *l, tacit_error *err)
{
    PGresult *p;
    TC_TRY(exec(l->s, l->c,
                "SELECT (SELECT count(*) FROM tacit.studies)"
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

static tacit_status load_all(tc_postgres *s, PGconn *c, void *user, tacit_error *err)
{
    loading *l = user;
    l->c = c;
    TC_TRY(exec(s, c, "BEGIN", NULL, NULL, err));
    TC_TRY(exec(s, c, "LOCK tacit.studies, tacit.records IN EXCLUSIVE MODE", NULL, NULL, err));
    TC_TRY(check_empty(l, err));
    TC_TRY(l->fill(l->user, put_row, l, err));
    TC_TRY(end_journal(l, err));
    TC_TRY(exec(s, c, NUMBERS, NULL, NULL, err));
    return exec(s, c, "COMMIT", NULL, NULL, err);
}

tacit_status tc_pg_load(tc_store *store, tc_row_source fill, void *user, tacit_error *err)
{
    tc_postgres *s = (tc_postgres *)store;
    loading l = {.s = s, .fill = fill, .user = user};
    return tc_pg_with(s, false, load_all, &l, err);
}
