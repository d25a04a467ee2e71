/* postgres_repair.c - a journal as it is found in the database, and another in its place (store.h:
 * salvage, rewrite). Broken connections are not tried again: the caller begins anew. */
#include "postgres/postgres_int.h"

#include "base/error.h"

static tacit_status exec(tc_postgres *s, PGconn *c, const char *sql, const tc_pg_args *a,
                         PGresult **out, tacit_error *err)
{
    PGresult *r = PQexecParams(c, sql, a ? a->n : 0, NULL, a ? a->values : NULL,
                               a ? a->lengths : NULL, a ? a->formats : NULL, 1);
    tacit_status st = tc_pg_judge(s, c, r, err);
    if (st == TACIT_OK && out)
        *out = r;
    else
        PQclear(r);
    return st;
}

static tacit_status read_end(tc_postgres *s, PGconn *c, const char *sql, int64_t study,
                             tc_chain *out, tacit_error *err)
{
    tc_pg_args a = {0};
    PGresult *r;
    tc_pg_arg_int(&a, study);
    TC_TRY(exec(s, c, sql, &a, &r, err));
    bool found = PQntuples(r) > 0;
    if (found)
        (void)tc_pg_read_chain(r, 0, 0, out); /* what makes no sense matches nothing */
    PQclear(r);
    return found ? TACIT_OK : tc_study_gone(err);
}

/* ---- out */

typedef struct salvage {
    int64_t study;
    tc_chain *end;
    tc_salvage_visit visit;
    void *user;
} salvage;

static tacit_status visit_page(const salvage *v, const PGresult *r, tacit_error *err)
{
    for (int i = 0; i < PQntuples(r); i++) {
        size_t size;
        tc_event_row e = {.seq = (uint64_t)tc_pg_int(r, i, 0),
                          .kind = (tc_event_kind)tc_pg_int(r, i, 1),
                          .trial = (uint64_t)tc_pg_int(r, i, 2),
                          .time_ms = tc_pg_int(r, i, 3),
                          .body = PQgetvalue(r, i, 4)};
        const uint8_t *sum = tc_pg_bytes(r, i, 5, &size);
        TC_TRY(v->visit(v->user, &e, sum, size, err));
    }
    return TACIT_OK;
}

/* In one transaction, a page at a time. */
static tacit_status salvage_in(tc_postgres *s, PGconn *c, void *user, tacit_error *err)
{
    salvage *v = user;
    tc_pg_args a = {0};
    tc_pg_arg_int(&a, v->study);
    TC_TRY(exec(s, c, "BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY", NULL, NULL, err));
    TC_TRY(read_end(s, c,
                    "SELECT head, sum, origin, plain FROM tacit.journals WHERE study = $1::int8",
                    v->study, v->end, err));
    TC_TRY(exec(s, c,
                "DECLARE tacit_found NO SCROLL CURSOR FOR SELECT seq, kind::int8, trial, time_ms,"
                " body, sum FROM tacit.events WHERE study = $1::int8 ORDER BY seq",
                &a, NULL, err));
    for (int n = 1; n > 0;) {
        PGresult *r;
        TC_TRY(exec(s, c, "FETCH 500 FROM tacit_found", NULL, &r, err));
        n = PQntuples(r);
        tacit_status st = visit_page(v, r, err);
        PQclear(r);
        TC_TRY(st);
    }
    return exec(s, c, "COMMIT", NULL, NULL, err);
}

tacit_status tc_pg_salvage(tc_store *store, int64_t study, struct tc_chain *end,
                           tc_salvage_visit visit, void *user, tacit_error *err)
{
    salvage v = {.study = study, .end = end, .visit = visit, .user = user};
    return tc_pg_with((tc_postgres *)store, false, salvage_in, &v, err);
}

/* ---- in */

typedef struct rewriting {
    const tc_append *a;
    uint64_t end; /* of the journal that goes */
} rewriting;

static tacit_status put_event(tc_postgres *s, PGconn *c, int64_t study, const tc_event_row *e,
                              tc_chain *at, tacit_error *err)
{
    tc_pg_args a = {0};
    const tc_checksum *sum = tc_chain_add(at, e);
    tc_pg_arg_int(&a, study);
    tc_pg_arg_int(&a, (int64_t)at->end);
    tc_pg_arg_int(&a, e->kind);
    tc_pg_arg_int(&a, (int64_t)e->trial);
    tc_pg_arg_int(&a, e->time_ms);
    tc_pg_arg_text(&a, e->body);
    tc_pg_arg_bytes(&a, sum, sizeof *sum);
    return exec(s, c,
                "INSERT INTO tacit.events(study, seq, kind, trial, time_ms, token, body, sum)"
                " VALUES($1::int8, $2::int8, $3::int8, $4::int8, $5::int8, gen_random_uuid(),"
                " $6::text, $7::bytea)",
                &a, NULL, err);
}

static tacit_status put_all(tc_postgres *s, PGconn *c, const tc_append *w,
                            const tc_checksum *origin, tacit_error *err)
{
    tc_pg_args a = {0};
    tc_chain at = tc_chain_new(origin);
    for (size_t i = 0; i < w->n; i++)
        TC_TRY(put_event(s, c, w->study, &w->events[i], &at, err));
    tc_pg_arg_int(&a, w->study);
    tc_pg_arg_int(&a, (int64_t)at.end);
    tc_pg_arg_bytes(&a, &at.end_sum, sizeof at.end_sum);
    return exec(s, c,
                "UPDATE tacit.journals SET head = $2::int8, sum = $3::bytea, plain = 0"
                " WHERE study = $1::int8",
                &a, NULL, err);
}

static tacit_status rewrite_in(tc_postgres *s, PGconn *c, void *user, tacit_error *err)
{
    const rewriting *w = user;
    tc_chain now = {.end = 0};
    tc_pg_args a = {0};
    tc_pg_arg_int(&a, w->a->study);
    TC_TRY(exec(s, c, "BEGIN", NULL, NULL, err));
    TC_TRY(read_end(s, c,
                    "SELECT head, sum, origin, plain FROM tacit.journals WHERE study = $1::int8"
                    " FOR UPDATE",
                    w->a->study, &now, err));
    if (now.end != w->end)
        return tc_append_conflict(w->a, now.end, err);
    TC_TRY(exec(s, c, "DELETE FROM tacit.events WHERE study = $1::int8", &a, NULL, err));
    TC_TRY(put_all(s, c, w->a, &now.origin, err));
    return exec(s, c, "COMMIT", NULL, NULL, err);
}

tacit_status tc_pg_rewrite(tc_store *store, int64_t study, uint64_t end, const tc_event_row *events,
                           size_t n, tacit_error *err)
{
    tc_append a = {.study = study, .head = end, .events = events, .n = n};
    return tc_pg_with((tc_postgres *)store, false, rewrite_in, &(rewriting){.a = &a, .end = end},
                      err);
}
