/* postgres_record.c - records in the PostgreSQL database. Called through tc_store_*.
 *
 * Each change is a statement that finds what the change expects or touches nothing, and holds it
 * until the end of the transaction: INSERT takes the place of its key, UPDATE and DELETE name the
 * version, SELECT FOR SHARE keeps it as it is and lets others do the same. That a record is absent is
 * held by taking its place and leaving it again. READ COMMITTED suffices: whoever had to wait for a
 * row sees it as it is then. Rows are locked in the order of keys, so that two sets do not wait for
 * each other, and after the study's, so that none is changed in a study that goes.
 *
 * A set commits like an append (postgres_commit.c): no lock is held while the disk is at work. A ledger's set alone
 * waits for the disk before anybody sees it, with the session's synchronous_commit, which is never off
 * (postgres_link.c). If the connection breaks, nothing is tried again: a set would meet its own changes. */
#include "postgres/postgres_int.h"

#include "base/error.h"
#include "base/memory.h"

#include <stdlib.h>
#include <string.h>

enum { PAGE_RECORDS = 500 };

/* ---- changing ---- */

typedef struct change_set {
    const tc_change *changes;
    const tc_change **sorted;
    size_t n;
    size_t refused; /* n: none */
    bool strict;    /* nobody may see it before it is on disk */
} change_set;

static int by_key(const void *a, const void *b)
{
    const tc_record *x = &(*(const tc_change *const *)a)->record,
                    *y = &(*(const tc_change *const *)b)->record;
    if (x->study != y->study)
        return x->study < y->study ? -1 : 1;
    if (x->kind != y->kind)
        return x->kind < y->kind ? -1 : 1;
    return tc_record_key_compare(x->key, x->key_size, y->key, y->key_size);
}

/* Is it the first of those that name its study? Records of study 0 belong to none. */
static bool opens_study(const change_set *w, size_t i)
{
    int64_t study = w->sorted[i]->record.study;
    return study != 0 && (i == 0 || w->sorted[i - 1]->record.study != study);
}

static bool wants_absence(const tc_change *c)
{
    return c->what == TC_REQUIRE && c->record.version == 0;
}

static void arg_key(tc_pg_args *args, const tc_record *r)
{
    tc_pg_arg_int(args, r->study);
    tc_pg_arg_int(args, r->kind);
    tc_pg_arg_bytes(args, r->key, r->key_size);
}

static tacit_status send_absence(tc_postgres *s, PGconn *c, const tc_record *r, tacit_error *err)
{
    tc_pg_args take = {0}, leave = {0};
    arg_key(&take, r);
    tc_pg_arg_bytes(&take, "", 0);
    tc_pg_arg_bytes(&take, "", 0); /* gone again at once: it needs no sum */
    TC_TRY(tc_pg_send(s, c, TC_PG_RECORD_INSERT, &take, err));
    arg_key(&leave, r);
    tc_pg_arg_int(&leave, 1);
    return tc_pg_send(s, c, TC_PG_RECORD_ERASE, &leave, err);
}

static tacit_status send_change(tc_postgres *s, PGconn *c, const tc_change *change,
                                tacit_error *err)
{
    static const tc_pg_sql statements[] = {[TC_INSERT] = TC_PG_RECORD_INSERT,
                                           [TC_REPLACE] = TC_PG_RECORD_REPLACE,
                                           [TC_ERASE] = TC_PG_RECORD_ERASE,
                                           [TC_REQUIRE] = TC_PG_RECORD_REQUIRE};
    const tc_record *r = &change->record;
    tc_pg_args args = {0};
    if (wants_absence(change))
        return send_absence(s, c, r, err);
    arg_key(&args, r);
    if (change->what != TC_INSERT)
        tc_pg_arg_int(&args, (int64_t)r->version);
    tc_checksum sum;
    if (change->what == TC_INSERT || change->what == TC_REPLACE) {
        sum = tc_chain_record(r);
        tc_pg_arg_bytes(&args, r->value, r->size);
        tc_pg_arg_bytes(&args, &sum, sizeof sum);
    }
    bool rare = change->what == TC_INSERT && tc_record_is_rare(r->kind);
    return tc_pg_send(s, c, rare ? TC_PG_RECORD_INSERT_RARE : statements[change->what], &args, err);
}

static tacit_status send_studies(tc_postgres *s, PGconn *c, const change_set *w, tacit_error *err)
{
    for (size_t i = 0; i < w->n; i++)
        if (opens_study(w, i)) {
            tc_pg_args args = {0};
            tc_pg_arg_int(&args, w->sorted[i]->record.study);
            TC_TRY(tc_pg_send(s, c, TC_PG_STUDY_HOLD, &args, err));
        }
    return TACIT_OK;
}

static tacit_status send_set(tc_postgres *s, PGconn *c, const change_set *w, tacit_error *err)
{
    TC_TRY(tc_pg_begin(s, c, err));
    TC_TRY(tc_pg_send(s, c, TC_PG_BEGIN, NULL, err));
    if (!w->strict)
        TC_TRY(tc_pg_send(s, c, TC_PG_LAZY, NULL, err));
    TC_TRY(send_studies(s, c, w, err));
    for (size_t i = 0; i < w->n; i++)
        TC_TRY(send_change(s, c, w->sorted[i], err));
    return tc_pg_turn(s, c, err);
}

/* *touched: how many rows the next statement has found or made. */
static tacit_status take_count(tc_postgres *s, PGconn *c, uint64_t *touched, tacit_error *err)
{
    PGresult *r = tc_pg_take(c);
    tacit_status status = tc_pg_judge(s, c, r, err);
    if (status == TACIT_OK)
        *touched = strtoull(PQcmdTuples(r), NULL, 10);
    PQclear(r);
    return status;
}

static tacit_status read_studies(tc_postgres *s, PGconn *c, const change_set *w, tacit_error *err)
{
    uint64_t found;
    for (size_t i = 0; i < w->n; i++) {
        if (!opens_study(w, i))
            continue;
        TC_TRY(take_count(s, c, &found, err));
        if (found == 0)
            return tc_study_gone(err);
    }
    return TACIT_OK;
}

static tacit_status read_set(tc_postgres *s, PGconn *c, change_set *w, tacit_error *err)
{
    uint64_t touched, left;
    TC_TRY(take_count(s, c, &touched, err)); /* BEGIN */
    if (!w->strict)
        TC_TRY(take_count(s, c, &touched, err)); /* LAZY */
    TC_TRY(read_studies(s, c, w, err));
    w->refused = w->n;
    for (size_t i = 0; i < w->n; i++) {
        size_t place = (size_t)(w->sorted[i] - w->changes);
        TC_TRY(take_count(s, c, &touched, err));
        if (wants_absence(w->sorted[i]))
            TC_TRY(take_count(s, c, &left, err));
        if (touched == 0 && place < w->refused)
            w->refused = place;
    }
    return TACIT_OK;
}

static tacit_status commit_set(tc_postgres *s, PGconn *c, const change_set *w, tacit_error *err)
{
    uint64_t none;
    TC_TRY(tc_pg_begin(s, c, err));
    TC_TRY(tc_pg_send(s, c, TC_PG_COMMIT, NULL, err));
    if (!w->strict)
        TC_TRY(tc_pg_send(s, c, TC_PG_SYNC, NULL, err));
    TC_TRY(tc_pg_turn(s, c, err));
    tacit_status status = take_count(s, c, &none, err);
    if (status == TACIT_OK && !w->strict)
        status = take_count(s, c, &none, err);
    tc_pg_end(c);
    return status;
}

static tacit_status change_all(tc_postgres *s, PGconn *c, void *user, tacit_error *err)
{
    change_set *w = user;
    TC_TRY(send_set(s, c, w, err));
    tacit_status status = read_set(s, c, w, err);
    tc_pg_end(c);
    TC_TRY(status);
    if (w->refused < w->n)
        return tc_change_conflict(err);
    return s->within ? TACIT_OK : commit_set(s, c, w, err);
}

tacit_status tc_pg_change(tc_store *store, const tc_change *c, size_t n, size_t *refused,
                          tacit_error *err)
{
    change_set w = {.changes = c, .n = n, .refused = n, .sorted = tc_alloc(n, sizeof *w.sorted)};
    if (!w.sorted)
        return tc_fail_memory(err);
    bool secret = false;
    for (size_t i = 0; i < n; i++) {
        w.sorted[i] = &c[i];
        secret = secret || tc_record_is_secret(c[i].record.kind);
        w.strict = w.strict || tc_record_is_ledger(c[i].record.kind);
    }
    qsort(w.sorted, n, sizeof *w.sorted, by_key);
    tacit_status status =
        (secret ? tc_pg_with_secret : tc_pg_with)((tc_postgres *)store, false, change_all, &w, err);
    tc_free(w.sorted);
    if (status == TACIT_E_CONFLICT && refused)
        *refused = w.refused;
    return status;
}

/* ---- on disk? ---- */

static tacit_status sync_all(tc_postgres *s, PGconn *c, void *user, tacit_error *err)
{
    static const tc_pg_args none = {0};
    PGresult *r;
    (void)user;
    TC_TRY(tc_pg_run(s, c, TC_PG_WAIT_DURABLE, &none, &r, err));
    PQclear(r);
    return TACIT_OK;
}

/* What the server has on disk now says nothing of what it had before a crash: a commit that nobody waited
 * for was seen, and is gone. But a crash ends every session, also where the first process of the server
 * lives on. So a session that is older than what was read, and that carries out the sync, shows that there was
 * none between the two. */
tacit_status tc_pg_wait_durable(tc_store *store, uint64_t since, tacit_error *err)
{
    tc_postgres *s = (tc_postgres *)store;
    bool none;
    tacit_status status = tc_pg_with_since(s, since, sync_all, NULL, &none, err);
    return none
               ? tc_fail(err, TACIT_E_BUSY,
                         "the connection to %s was lost meanwhile, and what was seen before may be "
                         "lost with it; ask again",
                         s->place)
               : status;
}

/* ---- reading ---- */

static tacit_status check_sum(const tc_record *r, const PGresult *p, int row, int column,
                              tacit_error *err)
{
    size_t size;
    const uint8_t *sum = tc_pg_bytes(p, row, column, &size);
    return tc_chain_check_record(r, sum, size, err);
}

static tacit_status copy_value(const tc_record *which, const PGresult *r, tc_record *out,
                               tacit_error *err)
{
    if (PQntuples(r) == 0)
        return tc_fail(err, TACIT_E_NOT_FOUND, "there is no such record of kind %d",
                       (int)which->kind);
    tc_record got = *which;
    got.version = (uint64_t)tc_pg_int(r, 0, 0);
    got.value = tc_pg_bytes(r, 0, 1, &got.size);
    TC_TRY(check_sum(&got, r, 0, 2, err));
    uint8_t *copy = tc_alloc(got.size + 1, 1);
    if (!copy)
        return tc_fail_memory(err);
    memcpy(copy, got.value, got.size);
    got.value = copy;
    *out = got;
    return TACIT_OK;
}

/* Asks for values of records; secret ones by a connection that is closed when contributions are forgotten. */
static tacit_status ask_for(tc_record_kind kind, tc_postgres *s, tc_pg_sql which,
                            const tc_pg_args *args, PGresult **out, tacit_error *err)
{
    return tc_record_is_secret(kind) ? tc_pg_ask_secret(s, which, args, out, err)
                                     : tc_pg_ask(s, true, which, args, out, err);
}

tacit_status tc_pg_record_get(tc_store *store, const tc_record *which, tc_record *out,
                              tacit_error *err)
{
    tc_pg_args args = {0};
    PGresult *r;
    arg_key(&args, which);
    TC_TRY(ask_for(which->kind, (tc_postgres *)store, TC_PG_RECORD_GET, &args, &r, err));
    tacit_status status = copy_value(which, r, out, err);
    tc_pg_clear_secret(r);
    return status;
}

/* bounds must live until the statement is sent. */
static void arg_range(tc_pg_args *args, const tc_record_range *range, tc_key_bounds *bounds)
{
    tc_record_bounds(range, bounds);
    tc_pg_arg_int(args, range->study);
    tc_pg_arg_int(args, range->kind);
    tc_pg_arg_bytes(args, bounds->low, bounds->low_size);
    tc_pg_arg_bytes(args, bounds->high, bounds->high_size);
}

/* Up to `most` records; *page has them. */
static tacit_status fetch_page(tc_postgres *s, const tc_record_range *range, uint64_t most,
                               PGresult **page, tacit_error *err)
{
    tc_pg_args args = {0};
    tc_key_bounds bounds;
    arg_range(&args, range, &bounds);
    tc_pg_arg_int(&args, (int64_t)most);
    return ask_for(range->kind, s, TC_PG_RECORD_SCAN, &args, page, err);
}

static tacit_status visit_page(const tc_record_range *range, const PGresult *page,
                               tc_record_visit visit, void *user, tacit_error *err)
{
    for (int i = 0; i < PQntuples(page); i++) {
        tc_record r = {.study = range->study, .kind = range->kind};
        r.key = tc_pg_bytes(page, i, 0, &r.key_size);
        r.version = (uint64_t)tc_pg_int(page, i, 1);
        r.value = tc_pg_bytes(page, i, 2, &r.size);
        TC_TRY(check_sum(&r, page, i, 3, err));
        TC_TRY(visit(user, &r, err));
    }
    return TACIT_OK;
}

/* The next page begins after the last key of this one. */
static void advance(tc_record_range *range, const PGresult *page, uint8_t key[TC_RECORD_KEY_MAX])
{
    size_t size;
    const uint8_t *last = tc_pg_bytes(page, PQntuples(page) - 1, 0, &size);
    size = size < TC_RECORD_KEY_MAX ? size : TC_RECORD_KEY_MAX;
    memcpy(key, last, size);
    range->after = key;
    range->after_size = size;
}

tacit_status tc_pg_record_scan(tc_store *store, const tc_record_range *range, tc_record_visit visit,
                               void *user, tacit_error *err)
{
    tc_record_range rest = *range;
    rest.prefix = range->prefix_size > 0 ? range->prefix : ""; /* to be compared with a key */
    uint8_t key[TC_RECORD_KEY_MAX];
    uint64_t wanted = range->most > 0 ? range->most : UINT64_MAX, got, most;
    do {
        PGresult *page;
        most = wanted < PAGE_RECORDS ? wanted : PAGE_RECORDS;
        TC_TRY(fetch_page((tc_postgres *)store, &rest, most, &page, err));
        got = (uint64_t)PQntuples(page);
        if (got > 0)
            advance(&rest, page, key);
        tacit_status status = visit_page(range, page, visit, user, err);
        tc_pg_clear_secret(page);
        TC_TRY(status);
        wanted -= got;
    } while (got == most && wanted > 0);
    return TACIT_OK;
}

tacit_status tc_pg_record_count(tc_store *store, const tc_record_range *range, uint64_t *out,
                                tacit_error *err)
{
    tc_pg_args args = {0};
    tc_key_bounds bounds;
    PGresult *r;
    arg_range(&args, range, &bounds);
    TC_TRY(tc_pg_ask((tc_postgres *)store, true, TC_PG_RECORD_COUNT, &args, &r, err));
    *out = (uint64_t)tc_pg_int(r, 0, 0);
    PQclear(r);
    return TACIT_OK;
}

/* ---- removing ---- */

tacit_status tc_pg_record_drop(tc_store *store, const tc_record_range *range, tacit_error *err)
{
    tc_pg_args args = {0};
    tc_key_bounds bounds;
    PGresult *r;
    arg_range(&args, range, &bounds);
    TC_TRY(tc_pg_ask((tc_postgres *)store, true, TC_PG_RECORD_DROP, &args, &r, err));
    PQclear(r);
    return TACIT_OK;
}

/* In this order: whoever appends or changes waits for the journal's row, and then finds none. */
static const tc_pg_sql erasing[] = {TC_PG_ERASE_JOURNAL, TC_PG_ERASE_EVENTS, TC_PG_ERASE_RECORDS,
                                    TC_PG_ERASE_STUDY, TC_PG_COMMIT};
enum { ERASING = sizeof erasing / sizeof erasing[0] };

static tacit_status send_erasing(tc_postgres *s, PGconn *c, int64_t study, tacit_error *err)
{
    TC_TRY(tc_pg_begin(s, c, err));
    TC_TRY(tc_pg_send(s, c, TC_PG_BEGIN, NULL, err));
    for (size_t i = 0; i < ERASING; i++) {
        tc_pg_args args = {0};
        if (erasing[i] != TC_PG_COMMIT)
            tc_pg_arg_int(&args, study);
        TC_TRY(tc_pg_send(s, c, erasing[i], &args, err));
    }
    return tc_pg_turn(s, c, err);
}

static tacit_status erase_study(tc_postgres *s, PGconn *c, void *user, tacit_error *err)
{
    const int64_t *study = user;
    uint64_t touched = 0, journals = 0;
    TC_TRY(send_erasing(s, c, *study, err));
    tacit_status status = take_count(s, c, &touched, err); /* BEGIN */
    for (size_t i = 0; status == TACIT_OK && i < ERASING; i++)
        status = take_count(s, c, i == 0 ? &journals : &touched, err);
    tc_pg_end(c);
    if (status == TACIT_OK && journals == 0)
        return tc_study_gone(err);
    return status;
}

tacit_status tc_pg_study_erase(tc_store *store, int64_t study, tacit_error *err)
{
    return tc_pg_with((tc_postgres *)store, false, erase_study, &study, err);
}
