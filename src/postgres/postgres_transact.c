/* postgres_transact.c - many reads that see one moment, and many writes that are there together or not at all
 * (store.h: transact).
 *
 * Both are one transaction on one connection. The members of the store run on it as they are, through a handle that has
 * no other: a BEGIN of theirs is one more in a transaction, which PostgreSQL answers with a warning, and their
 * COMMIT is left out. Broken connections are not tried again: the caller begins anew. */
#include "postgres/postgres_int.h"

#include "base/error.h"

typedef struct transaction {
    bool writes;
    tc_store_work work;
    void *user;
} transaction;

/* Every writer is kept out. */
#define BEGIN_WRITING "BEGIN; LOCK tacit.studies, tacit.records IN EXCLUSIVE MODE"
#define BEGIN_READING "BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY"

/* Numbers that were used before, here or there, are not given again. */
#define NUMBERS                                                                                    \
    "SELECT setval('tacit.studies_id_seq', greatest(nextval('tacit.studies_id_seq'),"              \
    " (SELECT coalesce(max(id), 0) + 1 FROM tacit.studies)), false)"

/* An append has said that this commit does not wait for the disk. So the disk is waited for afterwards. */
static tacit_status commit_writes(tc_postgres *s, PGconn *c, tacit_error *err)
{
    PGresult *r;
    TC_TRY(tc_pg_query(s, c, NUMBERS, NULL, NULL, err));
    TC_TRY(tc_pg_query(s, c, "COMMIT", NULL, NULL, err));
    TC_TRY(tc_pg_run(s, c, TC_PG_SYNC, &(tc_pg_args){0}, &r, err));
    PQclear(r);
    return TACIT_OK;
}

static tacit_status run_transaction(tc_postgres *s, PGconn *c, void *user, tacit_error *err)
{
    const transaction *t = user;
    tc_postgres in = {.base = s->base, .place = s->place, .busy_ms = s->busy_ms, .within = c};
    TC_TRY(tc_pg_query(s, c, t->writes ? BEGIN_WRITING : BEGIN_READING, NULL, NULL, err));
    TC_TRY(t->work(&in.base, t->user, err));
    return t->writes ? commit_writes(s, c, err) : tc_pg_query(s, c, "COMMIT", NULL, NULL, err);
}

tacit_status tc_pg_transact(tc_store *store, bool writes, tc_store_work work, void *user,
                            tacit_error *err)
{
    transaction t = {.writes = writes, .work = work, .user = user};
    return (writes ? tc_pg_with : tc_pg_with_secret)((tc_postgres *)store, false, run_transaction,
                                                     &t, err);
}
