/* postgres.c - the store in a PostgreSQL database: its members.
 *
 * A handle has a few connections, each used by one thread at a time; many handles and processes may
 * share the database. README.md has the durability rules. Called through tc_store_*. */
#include "postgres/postgres_int.h"

#include "base/error.h"
#include "base/memory.h"

#include <string.h>

enum { PAGE_EVENTS = 1000 };

static void postgres_close(tc_store *store)
{
    tc_postgres *s = (tc_postgres *)store;
    tc_pg_links_fini(s);
    pthread_cond_destroy(&s->returned);
    pthread_mutex_destroy(&s->lock);
    explicit_bzero(s->url, strlen(s->url));
    tc_free(s->url);
    tc_free(s->place);
    tc_free(s);
}

static tacit_status check_and_prepare(tc_postgres *s, bool create, tacit_error *err)
{
    TC_TRY(tc_pg_connect(s, &s->links[0].conn, err));
    s->links[0].born = ++s->moment;
    TC_TRY(tc_pg_check_schema(s, s->links[0].conn, create, err));
    return tc_pg_prepare(s, s->links[0].conn, err);
}

static tacit_status postgres_open(tc_store **out, const char *url, bool create, tacit_error *err)
{
    TC_TRY(tc_pg_check_url(url, err));
    tc_postgres *s = tc_alloc(1, sizeof *s);
    char *copy = tc_strdup(url);
    if (!s || !copy) {
        tc_free(copy);
        tc_free(s);
        return tc_fail_memory(err);
    }
    s->base.ops = &tc_store_postgres;
    s->url = copy;
    s->busy_ms = 10000;
    pthread_mutex_init(&s->lock, NULL);
    pthread_cond_init(&s->returned, NULL);
    tacit_status status = check_and_prepare(s, create, err);
    if (status != TACIT_OK) {
        postgres_close(&s->base);
        return status;
    }
    *out = &s->base;
    return TACIT_OK;
}

/* ---- studies ---- */

/* Not repeated after the connection broke: it could find its own study and take it for another's. */
static tacit_status postgres_study_put(tc_store *store, const tc_study_row *row, int64_t *id,
                                       tacit_error *err)
{
    tc_pg_args args = {0};
    PGresult *r;
    tc_pg_arg_text(&args, row->name);
    tc_pg_arg_text(&args, row->document);
    tc_pg_arg_text(&args, row->points_csv);
    tc_pg_arg_bytes(&args, &row->public_seed, sizeof row->public_seed);
    tc_pg_arg_bytes(&args, &row->party_seed, sizeof row->party_seed);
    tc_pg_arg_int(&args, row->created_ms);
    tc_checksum origin = tc_chain_origin(row);
    tc_pg_arg_bytes(&args, &origin, sizeof origin);
    tc_postgres *s = (tc_postgres *)store;
    if (s->within)
        tc_pg_arg_int(&args, row->id);
    TC_TRY(tc_pg_ask(s, false, s->within ? TC_PG_STUDY_KEEP : TC_PG_STUDY_PUT, &args, &r, err));
    bool made = PQntuples(r) > 0;
    if (made)
        *id = tc_pg_int(r, 0, 0);
    PQclear(r);
    return made ? TACIT_OK
                : tc_fail(err, TACIT_E_CONFLICT, "there is a study \"%s\" already", row->name);
}

static tacit_status read_study(const tc_postgres *s, const PGresult *r, tc_study_row *out,
                               tacit_error *err)
{
    tc_study_row row = {
        .id = tc_pg_int(r, 0, 0),
        .name = (char *)tc_pg_text(r, 0, 1),
        .document = (char *)tc_pg_text(r, 0, 2),
        .points_csv = (char *)tc_pg_text(r, 0, 3),
        .created_ms = tc_pg_int(r, 0, 6),
    };
    tc_checksum stored;
    if (!row.name || !row.document ||
        !tc_pg_fixed(r, 0, 4, &row.public_seed, sizeof row.public_seed) ||
        !tc_pg_fixed(r, 0, 5, &row.party_seed, sizeof row.party_seed) ||
        !tc_pg_fixed(r, 0, 7, &stored, sizeof stored))
        return tc_fail(err, TACIT_E_CORRUPT, "%s is damaged: study number %lld is incomplete",
                       s->place, (long long)row.id);
    TC_TRY(tc_chain_check_study(&row, &stored, err));
    return tc_study_row_copy(out, &row, err);
}

/* *found says whether there is one. */
static tacit_status find_study(tc_postgres *s, tc_pg_sql which, const tc_pg_args *args,
                               tc_study_row *out, bool *found, tacit_error *err)
{
    PGresult *r;
    TC_TRY(tc_pg_ask(s, true, which, args, &r, err));
    *found = PQntuples(r) > 0;
    tacit_status status = *found ? read_study(s, r, out, err) : TACIT_OK;
    PQclear(r);
    return status;
}

static tacit_status postgres_study_get(tc_store *store, const char *name, tc_study_row *out,
                                       tacit_error *err)
{
    tc_postgres *s = (tc_postgres *)store;
    tc_pg_args args = {0};
    bool found;
    tc_pg_arg_text(&args, name);
    TC_TRY(find_study(s, TC_PG_STUDY_GET, &args, out, &found, err));
    return found
               ? TACIT_OK
               : tc_fail(err, TACIT_E_NOT_FOUND, "there is no study \"%s\" in %s", name, s->place);
}

/* One study at a time: a document may be large. */
static tacit_status postgres_study_list(tc_store *store, int64_t after, tc_study_visit visit,
                                        void *user, tacit_error *err)
{
    int64_t last = after;
    for (;;) {
        tc_study_row row;
        tc_pg_args args = {0};
        bool found;
        tc_pg_arg_int(&args, last);
        TC_TRY(find_study((tc_postgres *)store, TC_PG_STUDY_NEXT, &args, &row, &found, err));
        if (!found)
            return TACIT_OK;
        last = row.id;
        tacit_status status = visit(user, &row, err);
        tc_study_row_fini(&row);
        TC_TRY(status);
    }
}

/* ---- events ---- */

/* Rows have the journal's end first, then an event. */
enum { AT_END = 0, AT_EVENT = 4, AT_SUM = 9, AT_TOKEN = 10, AT_BEFORE = 11 };

static tc_event_row event_at(const PGresult *r, int row)
{
    return (tc_event_row){
        .seq = (uint64_t)tc_pg_int(r, row, AT_EVENT),
        .mark = tc_pg_mark(r, row, AT_TOKEN),
        .kind = (tc_event_kind)tc_pg_int(r, row, AT_EVENT + 1),
        .trial = (uint64_t)tc_pg_int(r, row, AT_EVENT + 2),
        .time_ms = tc_pg_int(r, row, AT_EVENT + 3),
        .body = PQgetvalue(r, row, AT_EVENT + 4),
    };
}

/* The first row is event *after, which was checked when it was read, if it is still that one; the rest follow
 * it. *after: the last one of them. */
static tacit_status visit_page(const PGresult *r, tc_event_id *after, tc_event_visit visit,
                               void *user, tacit_error *err)
{
    tc_chain at = {.end = 0};
    size_t size = 0;
    TC_TRY(tc_pg_read_end(r, AT_END, &at, err));
    bool begun = after->seq > 0 && (uint64_t)tc_pg_int(r, 0, AT_EVENT) == after->seq;
    bool other = begun && after->mark != 0 && after->mark != tc_pg_mark(r, 0, AT_TOKEN);
    if (after->seq > at.end || other)
        return tc_event_gone(after->seq, err);
    const uint8_t *sum = begun ? tc_pg_bytes(r, 0, AT_SUM, &size) : NULL;
    TC_TRY(tc_chain_begin(&at, after->seq, sum, size, err));
    bool none = PQgetisnull(r, 0, AT_EVENT);
    for (int i = begun ? 1 : 0; !none && i < PQntuples(r); i++) {
        tc_event_row e = event_at(r, i);
        sum = tc_pg_bytes(r, i, AT_SUM, &size);
        TC_TRY(tc_chain_take(&at, &e, sum, size, err));
        TC_TRY(visit(user, &e, err));
        *after = (tc_event_id){.seq = e.seq, .mark = e.mark};
    }
    return PQntuples(r) < PAGE_EVENTS ? tc_chain_finish(&at, err) : TACIT_OK;
}

/* Page by page, for a journal may be larger than memory should be; what is appended meanwhile comes
 * after what was read. */
static tacit_status postgres_scan(tc_store *store, int64_t study, tc_event_id after,
                                  tc_event_visit visit, void *user, tacit_error *err)
{
    for (;;) {
        tc_pg_args args = {0};
        PGresult *r;
        tc_pg_arg_int(&args, study);
        tc_pg_arg_int(&args, (int64_t)after.seq);
        tc_pg_arg_int(&args, PAGE_EVENTS);
        TC_TRY(tc_pg_ask((tc_postgres *)store, true, TC_PG_SCAN, &args, &r, err));
        int n = PQntuples(r);
        tacit_status status = visit_page(r, &after, visit, user, err);
        PQclear(r);
        if (status != TACIT_OK || n < PAGE_EVENTS)
            return status;
    }
}

static tacit_status visit_told(const PGresult *r, tc_event_visit visit, void *user,
                               tacit_error *err)
{
    tc_chain at = {.end = 0};
    size_t size, before_size;
    TC_TRY(tc_pg_read_end(r, AT_END, &at, err));
    if (PQgetisnull(r, 0, AT_EVENT))
        return TACIT_OK;
    tc_event_row e = event_at(r, 0);
    const uint8_t *sum = tc_pg_bytes(r, 0, AT_SUM, &size);
    const uint8_t *before = tc_pg_bytes(r, 0, AT_BEFORE, &before_size);
    TC_TRY(tc_chain_one(&at, &e, sum, size, before, before_size, err));
    return visit(user, &e, err);
}

static tacit_status postgres_find_tell(tc_store *store, int64_t study, uint64_t trial,
                                       tc_event_visit visit, void *user, tacit_error *err)
{
    tc_pg_args args = {0};
    PGresult *r;
    tc_pg_arg_int(&args, study);
    tc_pg_arg_int(&args, (int64_t)trial);
    TC_TRY(tc_pg_ask((tc_postgres *)store, true, TC_PG_FIND_TELL, &args, &r, err));
    tacit_status status = visit_told(r, visit, user, err);
    PQclear(r);
    return status;
}

/* Reads the server's clock: those of its clients may be wrong. */
static tacit_status postgres_wall(tc_store *store, int64_t *out_ns, tacit_error *err)
{
    const tc_pg_args none = {0};
    PGresult *r;
    TC_TRY(tc_pg_ask((tc_postgres *)store, true, TC_PG_WALL, &none, &r, err));
    *out_ns = tc_pg_int(r, 0, 0) * 1000;
    PQclear(r);
    return TACIT_OK;
}

const tc_store_ops tc_store_postgres = {
    .scheme = "postgresql",
    .alias = "postgres",
    .open = postgres_open,
    .close = postgres_close,
    .study_put = postgres_study_put,
    .study_get = postgres_study_get,
    .study_list = postgres_study_list,
    .append = tc_pg_append,
    .confirm = tc_pg_confirm,
    .scan = postgres_scan,
    .find_tell = postgres_find_tell,
    .change = tc_pg_change,
    .record_get = tc_pg_record_get,
    .record_scan = tc_pg_record_scan,
    .record_count = tc_pg_record_count,
    .record_drop = tc_pg_record_drop,
    .forget = tc_pg_forget,
    .moment = tc_pg_moment,
    .wait_durable = tc_pg_wait_durable,
    .wall = postgres_wall,
    .study_erase = tc_pg_study_erase,
    .transact = tc_pg_transact,
    .lock_name = tc_pg_lock_name,
    .salvage = tc_pg_salvage,
    .restart = tc_pg_restart,
};
