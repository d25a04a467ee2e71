/* postgres_commit.c - appending to journals that many processes share.
 *
 * An append goes to the server twice: BEGIN and LOCK, then the events and COMMIT.
 *
 * LOCK locks the journal's row until the end of the transaction, which advances it to the new end. In READ COMMITTED each later statement sees all that was committed before it
 * began, hence all of a journal whose lock we hold, and nobody can add to it. Numbers are
 * consecutive, because who holds the lock knows the last one; whoever sees event n sees those
 * before it, since a lock is released only after its transaction has become visible. A transaction
 * locks one row, so there are no deadlocks. Nothing stronger than READ COMMITTED is needed.
 *
 * A lock is not held while the disk is at work. Every append commits with synchronous_commit=off,
 * which PostgreSQL writes to its log but does not wait for; a durable one then waits for the log by
 * a statement of its own, sent along with the COMMIT. The log is written in order, so this covers
 * all that was committed before, and those who wait at the same time share one sync, whichever
 * process they are in. If the server dies, what it loses is the end of the log: never an event
 * without those that came after it.
 *
 * If the connection breaks, it is not known whether COMMIT was carried out. So the events of an
 * append carry a token, drawn for each attempt. A second attempt takes the lock, which waits for the end
 * of the first one's transaction, and looks for its token: the journal is the truth.
 *
 * The token is also the events' mark (store.h). An event that is there has been written by one transaction,
 * the only one with this token, and that one followed the events before it. Since a crash takes the end
 * of the log alone, those are then there, too. So who finds the last event that it has read, with the
 * mark that it had, knows that all that it has read is there; and an append says what it has read
 * (`head`, `mark`), because others may have written again what a crash took back. */
#include "postgres/postgres_int.h"

#include "base/error.h"

#include <string.h>

typedef struct attempt {
    const tc_append *a;
    tc_public_seed token; /* of the last attempt: its first 16 bytes */
    uint64_t before;      /* the end of the journal then */
    uint64_t end;         /* the new one */
    bool sent;            /* COMMIT may have been carried out */
} attempt;

/* A journal that is locked. */
typedef struct locked {
    tc_chain at;   /* its end */
    uint64_t mark; /* of the event that the append stands on; 0: there is none */
} locked;

enum { TOKEN_BYTES = 16 };

/* ---- the lock, and what it is good for */

bool tc_pg_read_chain(const PGresult *r, int row, int column, tc_chain *out)
{
    *out = (tc_chain){.end = (uint64_t)tc_pg_int(r, row, column),
                      .plain = (uint64_t)tc_pg_int(r, row, column + 3)};
    return tc_pg_fixed(r, row, column + 1, &out->end_sum, sizeof out->end_sum) &&
           tc_pg_fixed(r, row, column + 2, &out->origin, sizeof out->origin);
}

tacit_status tc_pg_read_end(const PGresult *r, int column, tc_chain *out, tacit_error *err)
{
    if (PQntuples(r) == 0)
        return tc_study_gone(err);
    return tc_pg_read_chain(r, 0, column, out)
               ? TACIT_OK
               : tc_fail(err, TACIT_E_CORRUPT, "the journal's end has no checksum");
}

static tacit_status read_lock(tc_postgres *s, PGconn *c, locked *out, tacit_error *err)
{
    PGresult *begun = tc_pg_take(c), *r = tc_pg_take(c);
    tacit_status status = tc_pg_judge(s, c, begun, err);
    if (status == TACIT_OK)
        status = tc_pg_judge(s, c, r, err);
    if (status == TACIT_OK)
        status = tc_pg_read_end(r, 0, &out->at, err);
    if (status == TACIT_OK)
        out->mark = tc_pg_mark(r, 0, 5);
    PQclear(begun);
    PQclear(r);
    return status;
}

static tacit_status lock_journal(tc_postgres *s, PGconn *c, const tc_append *a, locked *out,
                                 tacit_error *err)
{
    tc_pg_args args = {0};
    tc_pg_arg_int(&args, a->study);
    tc_pg_arg_int(&args, a->head == TC_ANY_HEAD ? 0 : (int64_t)a->head);
    TC_TRY(tc_pg_begin(s, c, err));
    TC_TRY(tc_pg_send(s, c, TC_PG_BEGIN, NULL, err));
    TC_TRY(tc_pg_send(s, c, TC_PG_LOCK, &args, err));
    TC_TRY(tc_pg_turn(s, c, err));
    tacit_status status = read_lock(s, c, out, err);
    tc_pg_end(c);
    return status;
}

static tacit_status check_head(tc_postgres *s, PGconn *c, const tc_append *a, const locked *j,
                               tacit_error *err)
{
    if (a->head == TC_ANY_HEAD)
        return TACIT_OK;
    if (a->head > j->at.end || (a->mark != 0 && a->mark != j->mark))
        return tc_event_gone(a->head, err);
    bool moved = false;
    if (a->head < j->at.end && !a->late) {
        tc_pg_args args = {0};
        PGresult *r;
        tc_pg_arg_int(&args, a->study);
        tc_pg_arg_int(&args, (int64_t)a->head);
        TC_TRY(tc_pg_run(s, c, TC_PG_AFTER, &args, &r, err));
        for (int i = 0; !moved && i < PQntuples(r); i++)
            moved = tc_append_disturbed(a, (tc_event_kind)tc_pg_int(r, i, 0),
                                        (uint64_t)tc_pg_int(r, i, 1));
        PQclear(r);
    }
    return moved ? tc_append_conflict(a, j->at.end, err) : TACIT_OK;
}

/* ---- the events */

static tacit_status send_event(tc_postgres *s, PGconn *c, const attempt *t, const tc_event_row *e,
                               tc_chain *at, tacit_error *err)
{
    tc_pg_args args = {0};
    const tc_checksum *sum = tc_chain_add(at, e);
    tc_pg_arg_int(&args, t->a->study);
    tc_pg_arg_int(&args, (int64_t)at->end);
    tc_pg_arg_int(&args, e->kind);
    tc_pg_arg_int(&args, (int64_t)e->trial);
    tc_pg_arg_int(&args, e->time_ms);
    tc_pg_arg_bytes(&args, t->token.bytes, TOKEN_BYTES);
    tc_pg_arg_text(&args, e->body);
    tc_pg_arg_bytes(&args, sum, sizeof *sum);
    return tc_pg_send(s, c, TC_PG_APPEND, &args, err);
}

static tacit_status send_advance(tc_postgres *s, PGconn *c, int64_t study, const tc_chain *to,
                                 tacit_error *err)
{
    tc_pg_args args = {0};
    tc_pg_arg_int(&args, study);
    tc_pg_arg_int(&args, (int64_t)to->end);
    tc_pg_arg_bytes(&args, &to->end_sum, sizeof to->end_sum);
    return tc_pg_send(s, c, TC_PG_ADVANCE, &args, err);
}

static tacit_status send_events(tc_postgres *s, PGconn *c, const attempt *t, tc_chain *at,
                                tacit_error *err)
{
    for (size_t i = 0; i < t->a->n; i++)
        TC_TRY(send_event(s, c, t, &t->a->events[i], at, err));
    TC_TRY(send_advance(s, c, t->a->study, at, err));
    if (!s->within)
        TC_TRY(tc_pg_send(s, c, TC_PG_COMMIT, NULL, err));
    if (t->a->durable)
        TC_TRY(tc_pg_send(s, c, TC_PG_SYNC, NULL, err));
    return tc_pg_turn(s, c, err);
}

/* The index of tells refuses the second one; the server skips all that follows, COMMIT too. */
static tacit_status read_events(tc_postgres *s, PGconn *c, const tc_append *a, tacit_error *err)
{
    size_t answers = a->n + 1 + (s->within ? 0 : 1) + (a->durable ? 1 : 0); /* ADVANCE, COMMIT */
    tacit_status status = TACIT_OK;
    for (size_t i = 0; status == TACIT_OK && i < answers; i++) {
        PGresult *r = tc_pg_take(c);
        if (i < a->n && tc_pg_is_duplicate(r, "one_tell"))
            status = tc_fail(err, TACIT_E_STATE, "trial %llu has been told already",
                             (unsigned long long)a->events[i].trial);
        else
            status = tc_pg_judge(s, c, r, err);
        PQclear(r);
    }
    return status;
}

static tacit_status write_events(tc_postgres *s, PGconn *c, attempt *t, tc_chain *at,
                                 tacit_error *err)
{
    t->token = tc_public_seed_fresh();
    t->before = at->end;
    t->sent = true;
    TC_TRY(tc_pg_begin(s, c, err));
    TC_TRY(send_events(s, c, t, at, err));
    tacit_status status = read_events(s, c, t->a, err);
    tc_pg_end(c);
    if (status == TACIT_OK)
        t->end = at->end;
    return status;
}

/* ---- a second attempt */

/* *end: 0 if the first one has left nothing. */
static tacit_status find_written(tc_postgres *s, PGconn *c, const attempt *t, uint64_t *end,
                                 tacit_error *err)
{
    tc_pg_args args = {0};
    PGresult *r;
    tc_pg_arg_int(&args, t->a->study);
    tc_pg_arg_int(&args, (int64_t)t->before);
    tc_pg_arg_bytes(&args, t->token.bytes, TOKEN_BYTES);
    TC_TRY(tc_pg_run(s, c, TC_PG_WRITTEN, &args, &r, err));
    *end = PQntuples(r) > 0 ? (uint64_t)tc_pg_int(r, 0, 0) : 0;
    PQclear(r);
    return TACIT_OK;
}

/* Its events are there; now to the disk with them. */
static tacit_status finish_written(tc_postgres *s, PGconn *c, attempt *t, uint64_t end,
                                   tacit_error *err)
{
    static const tc_pg_args none = {0};
    PGresult *r;
    PQclear(PQexec(c, "ROLLBACK"));
    if (t->a->durable) {
        TC_TRY(tc_pg_run(s, c, TC_PG_SYNC, &none, &r, err));
        PQclear(r);
    }
    t->end = end;
    return TACIT_OK;
}

static tacit_status try_append(tc_postgres *s, PGconn *c, void *user, tacit_error *err)
{
    attempt *t = user;
    locked journal = {.mark = 0};
    uint64_t written = 0;
    TC_TRY(lock_journal(s, c, t->a, &journal, err));
    if (t->sent)
        TC_TRY(find_written(s, c, t, &written, err));
    if (written > 0)
        return finish_written(s, c, t, written, err);
    TC_TRY(check_head(s, c, t->a, &journal, err));
    return write_events(s, c, t, &journal.at, err);
}

tacit_status tc_pg_append(tc_store *store, const tc_append *a, tc_event_id *end, tacit_error *err)
{
    attempt t = {.a = a};
    TC_TRY(tc_pg_with((tc_postgres *)store, true, try_append, &t, err));
    *end = (tc_event_id){.seq = t.end};
    memcpy(&end->mark, t.token.bytes, sizeof end->mark);
    return TACIT_OK;
}

/* ---- on disk? */

tacit_status tc_pg_confirm(tc_store *store, int64_t study, tc_event_id which, tacit_error *err)
{
    tc_pg_args args = {0};
    PGresult *r;
    tc_pg_arg_int(&args, study);
    tc_pg_arg_int(&args, (int64_t)which.seq);
    TC_TRY(tc_pg_ask((tc_postgres *)store, true, TC_PG_CONFIRM, &args, &r, err));
    bool there = PQntuples(r) > 0 && (which.mark == 0 || tc_pg_mark(r, 0, 0) == which.mark);
    PQclear(r);
    return there ? TACIT_OK : tc_event_gone(which.seq, err);
}
