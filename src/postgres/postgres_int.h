/* postgres_int.h - what the files of the PostgreSQL store share. No other folder of src includes it.
 *
 *   postgres.c            the store's members
 *   postgres_open.c       is this database's schema ours, and of a known version?
 *   postgres_schema.c     its tables, and how older ones become these
 *   postgres_link.c       connections: made when needed, lent out, replaced when they broke
 *   postgres_statement.c  prepared statements, and PostgreSQL's errors as tacit's
 *   postgres_commit.c     appending to journals
 *   postgres_record.c     records, and studies that go
 *   postgres_transact.c   many reads at one moment, many writes or none
 *   postgres_repair.c     a journal as it is found, and another in its place
 *   postgres_name_lock.c       one process at a time
 *   module.c              all of it as a module that libtacit loads */
#ifndef TC_POSTGRES_POSTGRES_INT_H
#define TC_POSTGRES_POSTGRES_INT_H

#include "study/chain.h"

#include <libpq-fe.h>
#include <pthread.h>

extern const tc_store_ops tc_store_postgres; /* "postgresql://...", as libpq reads it */

typedef enum tc_pg_sql {
    TC_PG_BEGIN,
    TC_PG_COMMIT,
    TC_PG_SYNC,         /* returns when all that was committed before is on disk */
    TC_PG_WAIT_DURABLE, /* the same, and nothing is written where all is on disk already */
    TC_PG_STUDY_PUT,
    TC_PG_STUDY_KEEP, /* the same with its number */
    TC_PG_STUDY_GET,  /* by name */
    TC_PG_STUDY_NEXT, /* the first with a greater id */
    TC_PG_LOCK, /* a journal, for the events that are about to come; and the token of one of its events */
    TC_PG_WRITTEN, /* the last event with a token */
    TC_PG_AFTER,   /* what came after a head: kind and trial */
    TC_PG_APPEND,
    TC_PG_ADVANCE,    /* the journal's end */
    TC_PG_SCAN,       /* a page of events, from the last one known on */
    TC_PG_CONFIRM,    /* an event, and what TC_PG_WAIT_DURABLE does */
    TC_PG_FIND_TELL,  /* a journal, with the tell of a trial if there is one */
    TC_PG_LAZY,       /* this transaction's commit does not wait for the disk */
    TC_PG_STUDY_HOLD, /* it stays until the end of the transaction */
    TC_PG_RECORD_GET,
    TC_PG_RECORD_INSERT,
    TC_PG_RECORD_INSERT_RARE, /* looks for it past the index */
    TC_PG_RECORD_REPLACE,
    TC_PG_RECORD_ERASE,
    TC_PG_RECORD_REQUIRE, /* it stays as it is until the end of the transaction */
    TC_PG_RECORD_SCAN,    /* a page of records */
    TC_PG_RECORD_COUNT,
    TC_PG_RECORD_DROP,
    TC_PG_ERASE_JOURNAL,
    TC_PG_ERASE_EVENTS,
    TC_PG_ERASE_RECORDS,
    TC_PG_ERASE_STUDY,
    TC_PG_WALL, /* the server's clock, in microseconds */
    TC_PG_COUNT
} tc_pg_sql;

/* Connections of a handle, made when they are needed. Eight threads that tell on one study get through
 * five times as many trials with eight as with one: they wait for the disk together (bench/store.c). */
enum { TC_PG_LINKS = 8 };

typedef struct tc_pg_link {
    PGconn *conn; /* NULL: not made yet, or given up. Of whom it is lent to, else under the lock */
    bool lent;
    /* Under the lock: it has carried something that must be forgotten; it is closed as soon as it is idle. */
    bool secret, stale;
    uint64_t born; /* the moment since which it is connected; 0: it is not. Under the lock */
} tc_pg_link;

typedef struct tc_postgres {
    tc_store base;
    char *url;        /* a secret: it may have a password in it */
    char *place;      /* "database "db" at host:5432"; for messages */
    uint64_t busy_ms; /* how long to wait for other processes */
    pthread_mutex_t lock;
    pthread_cond_t returned;
    tc_pg_link links[TC_PG_LINKS];
    uint64_t moment; /* the last one: they are counted. Under the lock */
    PGconn *within;  /* of tc_pg_transact: its one connection, in a transaction; else NULL */
} tc_postgres;

/* What stands for $1, $2, ... Values are borrowed until the statement is sent. */
enum { TC_PG_ARGS = 8 };
typedef struct tc_pg_args {
    int n;
    const char *values[TC_PG_ARGS];
    int lengths[TC_PG_ARGS];
    int formats[TC_PG_ARGS]; /* 0: text, 1: binary */
    uint64_t words[TC_PG_ARGS];
} tc_pg_args;

/* postgres_open.c. Checks the schema through a new connection; makes or upgrades it. */
tacit_status tc_pg_check_url(const char *url, tacit_error *err);
tacit_status tc_pg_check_schema(tc_postgres *s, PGconn *c, bool create, tacit_error *err);

/* postgres_schema.c. Inside a transaction: from this version to the newest. */
enum { TC_PG_SCHEMA = 4 };
tacit_status tc_pg_upgrade(tc_postgres *s, PGconn *c, int64_t version, tacit_error *err);

/* postgres_link.c */
void tc_pg_links_fini(tc_postgres *s);
/* A connection for the caller alone, until it is given back. */
tacit_status tc_pg_connect(tc_postgres *s, PGconn **out, tacit_error *err);
/* Work on a connection that nobody else uses. A transaction that it leaves open is rolled back.
 * again: if the connection breaks, the work is begun anew on another, once. */
typedef tacit_status (*tc_pg_work)(tc_postgres *s, PGconn *c, void *user, tacit_error *err);
tacit_status tc_pg_with(tc_postgres *s, bool again, tc_pg_work work, void *user, tacit_error *err);
/* The same of work that sends or receives contributions. */
tacit_status tc_pg_with_secret(tc_postgres *s, bool again, tc_pg_work work, void *user,
                               tacit_error *err);
void tc_pg_forget(tc_store *store);
/* The same on a connection that is older than a moment: if the work succeeds, the server has not been restarted
 * since, for a restart ends them all. *none: there is no such connection any more. */
uint64_t tc_pg_moment(tc_store *store);
tacit_status tc_pg_with_since(tc_postgres *s, uint64_t since, tc_pg_work work, void *user,
                              bool *none, tacit_error *err);
/* The rows of one statement; end them with PQclear. */
tacit_status tc_pg_ask(tc_postgres *s, bool again, tc_pg_sql which, const tc_pg_args *args,
                       PGresult **out, tacit_error *err);
/* The same of contributions, and begun anew; end them with tc_pg_clear_secret. */
tacit_status tc_pg_ask_secret(tc_postgres *s, tc_pg_sql which, const tc_pg_args *args,
                              PGresult **out, tacit_error *err);

/* postgres_statement.c */
void tc_pg_clear_secret(PGresult *r); /* as PQclear, and overwrites the values */
tacit_status tc_pg_prepare(tc_postgres *s, PGconn *c, tacit_error *err);
void tc_pg_arg_int(tc_pg_args *args, int64_t value);
void tc_pg_arg_text(tc_pg_args *args, const char *text); /* NULL stays NULL */
void tc_pg_arg_bytes(tc_pg_args *args, const void *bytes, size_t size);
int64_t tc_pg_int(const PGresult *r, int row, int column);
const char *tc_pg_text(const PGresult *r, int row, int column); /* NULL stays NULL */
const uint8_t *tc_pg_bytes(const PGresult *r, int row, int column, size_t *size); /* the same */
bool tc_pg_fixed(const PGresult *r, int row, int column, void *out, size_t size);
uint64_t tc_pg_mark(const PGresult *r, int row, int column); /* of a token; 0: there is none */

/* One statement, there and back: as it is, and judged. */
PGresult *tc_pg_exec(PGconn *c, tc_pg_sql which, const tc_pg_args *args);
tacit_status tc_pg_run(tc_postgres *s, PGconn *c, tc_pg_sql which, const tc_pg_args *args,
                       PGresult **out, tacit_error *err);
/* The same of a text that is not prepared; of several statements in one where it has neither args nor out. Both may be
 * NULL. */
tacit_status tc_pg_query(tc_postgres *s, PGconn *c, const char *sql, const tc_pg_args *args,
                         PGresult **out, tacit_error *err);
/* Several, there and back at once: begin, send each, turn, take the result of each, end. After one
 * that fails the server skips the rest. */
tacit_status tc_pg_begin(tc_postgres *s, PGconn *c, tacit_error *err);
tacit_status tc_pg_send(tc_postgres *s, PGconn *c, tc_pg_sql which, const tc_pg_args *args,
                        tacit_error *err);
tacit_status tc_pg_turn(tc_postgres *s, PGconn *c, tacit_error *err);
PGresult *tc_pg_take(PGconn *c); /* NULL: no memory */
void tc_pg_end(PGconn *c);

/* Did it work? Otherwise the sentence and status. */
tacit_status tc_pg_judge(const tc_postgres *s, PGconn *c, const PGresult *r, tacit_error *err);
/* Refused by this UNIQUE index; NULL: by any. */
bool tc_pg_is_duplicate(const PGresult *r, const char *index);
/* The connection's own complaint: without a result there is nothing else. */
tacit_status tc_pg_fail(const tc_postgres *s, PGconn *c, tacit_error *err);

/* postgres_commit.c */
tacit_status tc_pg_append(tc_store *store, const tc_append *a, tc_event_id *end, tacit_error *err);
tacit_status tc_pg_confirm(tc_store *store, int64_t study, tc_event_id which, tacit_error *err);
/* The columns head, sum, origin and plain of a journal, from `column` on. False: they make no sense. */
bool tc_pg_read_chain(const PGresult *r, int row, int column, tc_chain *out);
/* The same of the first row, for a study that may be gone. */
tacit_status tc_pg_read_end(const PGresult *r, int column, tc_chain *out, tacit_error *err);

/* postgres_record.c */
tacit_status tc_pg_change(tc_store *store, const tc_change *c, size_t n, size_t *refused,
                          tacit_error *err);
tacit_status tc_pg_record_get(tc_store *store, const tc_record *which, tc_record *out,
                              tacit_error *err);
tacit_status tc_pg_record_scan(tc_store *store, const tc_record_range *range, tc_record_visit visit,
                               void *user, tacit_error *err);
tacit_status tc_pg_record_count(tc_store *store, const tc_record_range *range, uint64_t *out,
                                tacit_error *err);
tacit_status tc_pg_record_drop(tc_store *store, const tc_record_range *range, tacit_error *err);
tacit_status tc_pg_wait_durable(tc_store *store, uint64_t since, tacit_error *err);
tacit_status tc_pg_study_erase(tc_store *store, int64_t study, tacit_error *err);

/* postgres_transact.c */
tacit_status tc_pg_transact(tc_store *store, bool writes, tc_store_work work, void *user,
                            tacit_error *err);

/* postgres_repair.c */
tacit_status tc_pg_salvage(tc_store *store, int64_t study, struct tc_chain *end,
                           tc_salvage_visit visit, void *user, tacit_error *err);
tacit_status tc_pg_restart(tc_store *in, int64_t study, uint64_t end, tacit_error *err);

/* postgres_name_lock.c */
tacit_status tc_pg_lock_name(tc_store *store, const char *name, tc_name_lock **out,
                             tacit_error *err);

#endif
