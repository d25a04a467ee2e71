/* postgres_ledger.c - ledgers in the PostgreSQL database. Called through tc_ledger_io.
 *
 * An entry, its release and the ledger's new head are one statement, which compares the head before
 * it sets it; so there is no such thing as half an entry. It commits with the session's
 * synchronous_commit, which is never off (postgres_link.c): nobody sees an entry before it is on
 * disk, hence what is found needs no sync of its own. After a broken connection nothing is tried
 * again here: the ledger itself settles what happened by reading back. Entries refuse changes by a
 * trigger, against accidents; against intent there is the chain. */
#include "postgres/postgres_int.h"

#include "base/error.h"
#include "base/memory.h"

#include <string.h>

enum { PAGE_ENTRIES = 200 };

static tacit_status refuse_damaged(const tc_postgres *s, int64_t id, uint64_t seq, tacit_error *err)
{
    return tc_fail(err, TACIT_E_CORRUPT,
                   "%s is damaged: entry %llu of ledger number %lld is incomplete", s->place,
                   (unsigned long long)seq, (long long)id);
}

/* ---- appending */

static tacit_status read_head(const tc_postgres *s, int64_t id, const PGresult *r, tacit_head *out,
                              tacit_error *err)
{
    if (PQntuples(r) == 0)
        return tc_fail(err, TACIT_E_CORRUPT, "%s is damaged: ledger number %lld is not there",
                       s->place, (long long)id);
    tacit_head head = {.seq = (uint64_t)tc_pg_int(r, 0, 0)};
    if (head.seq > 0 && !tc_pg_fixed(r, 0, 1, head.hash.bytes, sizeof head.hash.bytes))
        return refuse_damaged(s, id, head.seq, err);
    *out = head;
    return TACIT_OK;
}

static tacit_status ledger_head(const tc_ledger_io *io, tacit_head *out, tacit_error *err)
{
    tc_pg_args args = {0};
    PGresult *r;
    tc_pg_arg_int(&args, io->id);
    TC_TRY(tc_pg_ask(io->store, true, TC_PG_LEDGER_HEAD, &args, &r, err));
    tacit_status st = read_head(io->store, io->id, r, out, err);
    PQclear(r);
    return st;
}

typedef struct append_work {
    int64_t id;
    const tc_ledger_record *r;
    bool follows;
} append_work;

static tacit_status append_entry(tc_postgres *s, PGconn *c, void *user, tacit_error *err)
{
    append_work *w = user;
    const tc_ledger_record *r = w->r;
    tc_pg_args args = {0};
    tc_pg_arg_int(&args, w->id);
    tc_pg_arg_int(&args, (int64_t)r->seq);
    tc_pg_arg_bytes(&args, r->study.bytes, sizeof r->study.bytes);
    tc_pg_arg_int(&args, (int64_t)r->round);
    tc_pg_arg_bytes(&args, r->entry, r->entry_size);
    tc_pg_arg_bytes(&args, r->release, r->release_size);
    tc_pg_arg_bytes(&args, r->head.bytes, sizeof r->head.bytes);
    tc_pg_arg_bytes(&args, r->previous.bytes, sizeof r->previous.bytes);
    PGresult *answer = tc_pg_exec(c, TC_PG_LEDGER_APPEND, &args);
    tacit_status st = tc_pg_is_duplicate(answer, NULL)
                          ? tc_fail(err, TACIT_E_CONFLICT, "the ledger has a release of round %llu",
                                    (unsigned long long)r->round)
                          : tc_pg_judge(s, c, answer, err);
    w->follows = st == TACIT_OK && PQntuples(answer) == 1;
    PQclear(answer);
    return st;
}

static tacit_status ledger_append(const tc_ledger_io *io, const tc_ledger_record *r,
                                  tacit_error *err)
{
    append_work w = {.id = io->id, .r = r};
    tacit_head head;
    TC_TRY(tc_pg_with(io->store, false, append_entry, &w, err));
    if (w.follows)
        return TACIT_OK;
    TC_TRY(ledger_head(io, &head, err));
    return tc_fail(err, TACIT_E_CONFLICT, "the ledger has moved to entry %llu",
                   (unsigned long long)head.seq);
}

/* ---- reading */

static tacit_status visit_entry(const tc_ledger_io *io, const PGresult *p, int row,
                                tc_ledger_visit visit, void *user, tacit_error *err)
{
    tc_ledger_record r = {.seq = (uint64_t)tc_pg_int(p, row, 0),
                          .round = (uint64_t)tc_pg_int(p, row, 2)};
    bool whole = tc_pg_fixed(p, row, 1, r.study.bytes, sizeof r.study.bytes) &&
                 tc_pg_fixed(p, row, 5, r.head.bytes, sizeof r.head.bytes);
    r.entry = tc_pg_bytes(p, row, 3, &r.entry_size);
    r.release = tc_pg_bytes(p, row, 4, &r.release_size);
    if (!whole || !r.entry || !r.release)
        return refuse_damaged(io->store, io->id, r.seq, err);
    return visit(user, &r, err);
}

static tacit_status ledger_scan(const tc_ledger_io *io, uint64_t after, tc_ledger_visit visit,
                                void *user, tacit_error *err)
{
    for (;;) {
        tc_pg_args args = {0};
        PGresult *p;
        tacit_status st = TACIT_OK;
        tc_pg_arg_int(&args, io->id);
        tc_pg_arg_int(&args, (int64_t)after);
        tc_pg_arg_int(&args, PAGE_ENTRIES);
        TC_TRY(tc_pg_ask(io->store, true, TC_PG_LEDGER_SCAN, &args, &p, err));
        int n = PQntuples(p);
        after = n > 0 ? (uint64_t)tc_pg_int(p, n - 1, 0) : after;
        for (int i = 0; st == TACIT_OK && i < n; i++)
            st = visit_entry(io, p, i, visit, user, err);
        PQclear(p);
        if (st != TACIT_OK || n < PAGE_ENTRIES)
            return st;
    }
}

static tacit_status copy_release(const tc_ledger_io *io, const PGresult *r, uint64_t *seq,
                                 uint8_t **release, size_t *size, tacit_error *err)
{
    size_t n;
    uint64_t at = (uint64_t)tc_pg_int(r, 0, 0);
    const uint8_t *bytes = tc_pg_bytes(r, 0, 1, &n);
    if (!bytes)
        return refuse_damaged(io->store, io->id, at, err);
    uint8_t *copy = tc_alloc(n + 1, 1);
    if (!copy)
        return tc_fail_memory(err);
    memcpy(copy, bytes, n);
    *seq = at;
    *release = copy;
    *size = n;
    return TACIT_OK;
}

static tacit_status ledger_find(const tc_ledger_io *io, const tacit_hash *study, uint64_t round,
                                uint64_t *seq, uint8_t **release, size_t *size, tacit_error *err)
{
    tc_pg_args args = {0};
    PGresult *r;
    tc_pg_arg_int(&args, io->id);
    tc_pg_arg_bytes(&args, study->bytes, sizeof study->bytes);
    tc_pg_arg_int(&args, (int64_t)round);
    TC_TRY(tc_pg_ask(io->store, true, TC_PG_LEDGER_FIND, &args, &r, err));
    tacit_status st = PQntuples(r) > 0 ? copy_release(io, r, seq, release, size, err)
                                       : tc_fail(err, TACIT_E_NOT_FOUND,
                                                 "the ledger has no release of round %llu",
                                                 (unsigned long long)round);
    PQclear(r);
    return st;
}

/* ---- opening */

/* A ledger that a damaged index hides would be begun anew and release everything a second time. So
 * the statement reads the table itself: ledgers are few. */
static tacit_status get_id(tc_postgres *s, const char *name, int64_t *id, tacit_error *err)
{
    tc_pg_args args = {0};
    PGresult *r;
    tc_pg_arg_text(&args, name);
    TC_TRY(tc_pg_ask(s, true, TC_PG_LEDGER_GET, &args, &r, err));
    int n = PQntuples(r);
    int64_t found = n > 0 ? tc_pg_int(r, 0, 0) : 0;
    PQclear(r);
    if (n > 1)
        return tc_fail(err, TACIT_E_CORRUPT, "%s is damaged: it has %d ledgers \"%s\"", s->place, n,
                       name);
    if (n == 0)
        return tc_fail(err, TACIT_E_NOT_FOUND, "there is no ledger \"%s\" in %s", name, s->place);
    *id = found;
    return TACIT_OK;
}

static tacit_status get_or_make(tc_postgres *s, const char *name, bool create, int64_t *id,
                                tacit_error *err)
{
    tacit_status st = get_id(s, name, id, err);
    if (st != TACIT_E_NOT_FOUND || !create)
        return st;
    tc_pg_args args = {0};
    PGresult *r;
    tc_pg_arg_text(&args, name);
    TC_TRY(tc_pg_ask(s, true, TC_PG_LEDGER_PUT, &args, &r, err));
    PQclear(r);
    return get_id(s, name, id, err);
}

tacit_status tc_pg_ledger(tc_store *store, const char *name, bool create, tc_ledger_io *out,
                          tacit_error *err)
{
    tc_ledger_io io = {.store = store,
                       .append = ledger_append,
                       .head = ledger_head,
                       .scan = ledger_scan,
                       .find = ledger_find};
    TC_TRY(get_or_make((tc_postgres *)store, name, create, &io.id, err));
    *out = io;
    return TACIT_OK;
}

/* ---- listing */

tacit_status tc_pg_ledger_list(tc_store *store, tc_ledger_name_visit visit, void *user,
                               tacit_error *err)
{
    for (int64_t last = 0;;) {
        tc_pg_args args = {0};
        PGresult *r;
        tc_pg_arg_int(&args, last);
        TC_TRY(tc_pg_ask((tc_postgres *)store, true, TC_PG_LEDGER_NEXT, &args, &r, err));
        bool found = PQntuples(r) > 0;
        tacit_status st = found ? visit(user, PQgetvalue(r, 0, 1), err) : TACIT_OK;
        last = found ? tc_pg_int(r, 0, 0) : last;
        PQclear(r);
        if (st != TACIT_OK || !found)
            return st;
    }
}
