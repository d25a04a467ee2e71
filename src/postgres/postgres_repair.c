/* postgres_repair.c - a journal as it is found in the database, and room for another in its place
 * (store.h: salvage, restart). Broken connections are not tried again: the caller begins anew. */
#include "postgres/postgres_int.h"

#include "base/error.h"

static tacit_status read_end(tc_postgres *s, PGconn *c, const char *sql, int64_t study,
                             tc_chain *out, tacit_error *err)
{
    tc_pg_args a = {0};
    PGresult *r;
    tc_pg_arg_int(&a, study);
    TC_TRY(tc_pg_query(s, c, sql, &a, &r, err));
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
    TC_TRY(tc_pg_query(s, c, "BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY", NULL, NULL, err));
    TC_TRY(read_end(s, c,
                    "SELECT head, sum, origin, plain FROM tacit.journals WHERE study = $1::int8",
                    v->study, v->end, err));
    TC_TRY(tc_pg_query(
        s, c,
        "DECLARE tacit_found NO SCROLL CURSOR FOR SELECT seq, kind::int8, trial, time_ms,"
        " body, sum FROM tacit.events WHERE study = $1::int8 ORDER BY seq",
        &a, NULL, err));
    for (int n = 1; n > 0;) {
        PGresult *r;
        TC_TRY(tc_pg_query(s, c, "FETCH 500 FROM tacit_found", NULL, &r, err));
        n = PQntuples(r);
        tacit_status status = visit_page(v, r, err);
        PQclear(r);
        TC_TRY(status);
    }
    return tc_pg_query(s, c, "COMMIT", NULL, NULL, err);
}

tacit_status tc_pg_salvage(tc_store *store, int64_t study, struct tc_chain *end,
                           tc_salvage_visit visit, void *user, tacit_error *err)
{
    salvage v = {.study = study, .end = end, .visit = visit, .user = user};
    return tc_pg_with((tc_postgres *)store, false, salvage_in, &v, err);
}

/* ---- in */

tacit_status tc_pg_restart(tc_store *in, int64_t study, uint64_t end, tacit_error *err)
{
    tc_postgres *s = (tc_postgres *)in;
    tc_chain now = {.end = 0};
    tc_pg_args a = {0};
    tc_pg_arg_int(&a, study);
    TC_TRY(read_end(s, s->within,
                    "SELECT head, sum, origin, plain FROM tacit.journals WHERE study = $1::int8"
                    " FOR UPDATE",
                    study, &now, err));
    if (now.end != end)
        return tc_append_conflict(&(tc_append){.head = end}, now.end, err);
    TC_TRY(tc_pg_query(s, s->within, "DELETE FROM tacit.events WHERE study = $1::int8", &a, NULL,
                       err));
    return tc_pg_query(s, s->within,
                       "UPDATE tacit.journals SET head = 0, sum = origin, plain = 0"
                       " WHERE study = $1::int8",
                       &a, NULL, err);
}
