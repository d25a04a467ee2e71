/* sqlite_int.h - what the files of the SQLite store share. Nobody else includes it.
 *
 *   sqlite.c            the store's members
 *   sqlite_open.c       is this file ours, whole and of a known schema?
 *   sqlite_schema.c     its tables, and how older ones become these
 *   sqlite_mark.c       how far it had come, beside the file
 *   sqlite_statement.c  prepared statements, and SQLite's errors as tacit's
 *   sqlite_commit.c     writing: one transaction for one or for many
 *   sqlite_group.c      durable writes share a sync
 *   sqlite_record.c     records
 *   sqlite_repair.c     a journal as it is found, and another in its place
 *   sqlite_mend.c       a damaged log
 *   sqlite_name_lock.c       one process at a time
 *   sqlite_wipe.c       SQLite's memory in a process with secrets */
#ifndef TC_STUDY_SQLITE_INT_H
#define TC_STUDY_SQLITE_INT_H

#include "study/chain.h"

#include <pthread.h>
#include <semaphore.h>
#include <sqlite3.h>
#include <stdatomic.h>

typedef enum tc_sql {
    TC_SQL_BEGIN,
    TC_SQL_READ, /* begins a transaction that only reads */
    TC_SQL_COMMIT,
    TC_SQL_ROLLBACK,
    TC_SQL_STUDY_PUT,
    TC_SQL_STUDY_GET,  /* by name */
    TC_SQL_STUDY_NEXT, /* the first with a greater id */
    TC_SQL_STUDY_HAS,  /* by id */
    TC_SQL_HEAD,       /* of a journal: its end, and what its chain begins with */
    TC_SQL_HEAD_PUT,
    TC_SQL_HEAD_MOVE,
    TC_SQL_COUNTED, /* transactions of the store */
    TC_SQL_COUNT_UP,
    TC_SQL_SUM,   /* of an event */
    TC_SQL_AFTER, /* what came after a head: kind and trial */
    TC_SQL_APPEND,
    TC_SQL_TAKE_BACK, /* the events after seq, in the same transaction */
    TC_SQL_SCAN,
    TC_SQL_FIND_TELL, /* the tell of a trial */
    TC_SQL_RECORD_GET,
    TC_SQL_RECORD_SEARCH, /* by key, past the index */
    TC_SQL_RECORD_INSERT,
    TC_SQL_RECORD_REPLACE, /* by key; the version is checked before */
    TC_SQL_RECORD_ERASE,
    TC_SQL_RECORD_SCAN,
    TC_SQL_RECORD_COUNT,
    TC_SQL_RECORD_DROP,
    TC_SQL_RECORD_FILL,  /* a record of zeros, for tc_sqlite_forget */
    TC_SQL_DATA_VERSION, /* another one after each commit of somebody else */
    TC_SQL_ERASE_EVENTS, /* of a study, and what follows, in the same transaction */
    TC_SQL_ERASE_HEAD,
    TC_SQL_ERASE_RECORDS,
    TC_SQL_ERASE_STUDY,
    TC_SQL_COUNT
} tc_sql;

/* One write, on the stack of the thread that waits for it: an append to a journal, or changes of
 * records. */
typedef struct tc_commit {
    const tc_append *a; /* NULL: changes */
    uint64_t head;      /* the new one */
    const tc_change *changes;
    size_t n_changes, refused;
    tacit_status status;
    tacit_error err;
    struct tc_commit *next;
    sem_t woken;
    bool leads; /* woken to lead a group, not because it is done */
} tc_commit;

/* How far the file has come, as this handle sees it: another pair after each commit. */
typedef struct tc_position {
    int64_t own;    /* rows that it has changed itself */
    int64_t others; /* SQLite's data version, which commits of others change */
} tc_position;

/* Durable writes on their way to the disk; see sqlite_group.c. */
typedef struct tc_group {
    pthread_mutex_t lock;
    pthread_cond_t arrived;
    tc_commit *first, **last; /* the queue */
    size_t n;                 /* of them in it */
    size_t hoped;             /* how many the next leader waits for */
    uint64_t sync_ns;         /* what a transaction and its sync take, smoothed */
    bool led;                 /* somebody leads; it serves itself and takes the queue */
    tc_position durable;      /* what was there when the last sync began; own -1: none did */
    int fd;                   /* of the log, for syncing only */
    atomic_int failed;        /* errno of the first sync that failed; it is final */
} tc_group;

/* FILE-mark; see sqlite_mark.c. */
typedef struct tc_mark {
    pthread_mutex_t lock;
    int fd; /* -1: none */
    char *path;
    tc_checksum boot; /* of this machine: a hash */
    tc_checksum store;
    uint64_t committed, synced; /* transactions, as far as this handle knows */
} tc_mark;

typedef struct tc_sqlite {
    tc_store base;
    char *file;           /* as given; for messages */
    pthread_mutex_t lock; /* the connection and its statements */
    sqlite3 *db;
    sqlite3_stmt *sql[TC_SQL_COUNT];
    uint64_t busy_ms;    /* how long to wait for other processes */
    uint64_t busy_since; /* tc_clock_ns; set by the busy handler */
    tc_group group;
    tc_mark mark;
    bool within; /* of tc_sqlite_transact: no transactions of its own, no group and no mark */
} tc_sqlite;

/* sqlite_open.c. Sets s->db and s->sql, or leaves them NULL and the file as it was. */
tacit_status tc_sqlite_open_file(tc_sqlite *s, const char *path, bool create, tacit_error *err);

/* sqlite_schema.c */
/* Transactions so far, and the name that was drawn for the store. */
typedef struct tc_store_age {
    uint64_t transactions;
    tc_checksum store;
} tc_store_age;
enum { TC_SQLITE_SCHEMA = 5, TC_SQLITE_APPLICATION = 0x74616374 /* "tact": never changes */ };
/* Inside a transaction: from this version to the newest. E_CORRUPT: the tables are others. */
tacit_status tc_sqlite_upgrade(tc_sqlite *s, int version, tacit_error *err);
/* The age of a file that has checksums (tc_sqlite_has_sums). */
tacit_status tc_sqlite_age(const tc_sqlite *s, tc_store_age *out, tacit_error *err);
bool tc_sqlite_has_sums(int version);

/* sqlite_mark.c */
/* Before the first statement: what the mark says. found: there is one that can be read. */
typedef struct tc_marked {
    bool found;
    tc_store_age age; /* what must be there at least */
} tc_marked;
tc_marked tc_mark_read(const char *path);
/* E_CORRUPT: the file has gone back behind its mark. */
tacit_status tc_mark_check(const tc_sqlite *s, const tc_marked *before, const tc_store_age *now,
                           tacit_error *err);
tacit_status tc_mark_open(tc_sqlite *s, const tc_store_age *now, tacit_error *err);
void tc_mark_committed(tc_mark *m, uint64_t transactions);
/* As many as this handle has seen committed: what a sync that begins now will cover. Then, that it has. */
uint64_t tc_mark_transactions(tc_mark *m);
void tc_mark_synced(tc_mark *m, uint64_t transactions);
/* After the file was closed: a mark is kept as long as there is a log. */
void tc_mark_close(tc_mark *m);

/* sqlite_statement.c. The caller holds s->lock. */
tacit_status tc_sqlite_prepare(tc_sqlite *s, tacit_error *err);
void tc_sqlite_finalize(tc_sqlite *s);
/* Runs a statement that returns no rows; a result code of SQLite. */
int tc_sqlite_run(tc_sqlite *s, tc_sql which);
/* Ends a use of the statement: drops its locks and what was bound to it. */
void tc_sqlite_reset(tc_sqlite *s, tc_sql which);
/* The sentence and status for a result code of s->db. */
tacit_status tc_sqlite_error(const tc_sqlite *s, int rc, tacit_error *err);
/* The same; compilers see that a failure is never TACIT_OK. */
static inline tacit_status tc_sqlite_fail(const tc_sqlite *s, int rc, tacit_error *err)
{
    tacit_status status = tc_sqlite_error(s, rc, err);
    return status != TACIT_OK ? status : TACIT_E_INTERNAL;
}

/* sqlite_commit.c */
/* A transaction, by TC_SQL_BEGIN or TC_SQL_READ. end: of one that wrote something, counts and commits it. Result codes
 * of SQLite. abandon: whatever is left of it is taken back. The caller holds s->lock. Within a transaction of
 * tc_sqlite_transact all three do nothing. */
int tc_sqlite_begin(tc_sqlite *s, tc_sql how);
int tc_sqlite_end(tc_sqlite *s);
void tc_sqlite_abandon(tc_sqlite *s);
tacit_status tc_sqlite_transact(tc_store *store, bool writes, tc_store_work work, void *user,
                                tacit_error *err);
/* One transaction for a list; every member gets its status. Takes s->lock. */
void tc_sqlite_commit(tc_sqlite *s, tc_commit *group);
/* Fails all members that were not refused already. */
void tc_commit_fail(tc_commit *group, const tacit_error *err);
/* E_NOT_FOUND: no such study. The caller holds s->lock. */
tacit_status tc_sqlite_has(tc_sqlite *s, int64_t study, tacit_error *err);
/* The end of a study's journal; E_NOT_FOUND. The caller holds s->lock. */
tacit_status tc_sqlite_head(tc_sqlite *s, int64_t study, tc_chain *out, tacit_error *err);
void tc_sqlite_bind_sum(sqlite3_stmt *q, int at, const tc_checksum *sum);
bool tc_sqlite_column_sum(sqlite3_stmt *q, int at, tc_checksum *out);

/* sqlite_group.c */
tacit_status tc_group_init(tc_group *g, tacit_error *err);
tacit_status tc_group_open(tc_sqlite *s, tacit_error *err); /* once the log is there */
void tc_group_fini(tc_group *g);
/* Returns when all that was committed before is on disk. The caller does not hold s->lock. */
tacit_status tc_sqlite_sync(tc_sqlite *s, tacit_error *err);
/* The same, and nothing is done where nothing was committed since the last sync. */
tacit_status tc_sqlite_wait_durable(tc_store *store, uint64_t since, tacit_error *err);
/* After a sync: puts the first transactions of a store into the file itself. */
void tc_sqlite_fold_first(tc_sqlite *s);
tacit_status tc_sqlite_append(tc_sqlite *s, const tc_append *a, uint64_t *head, tacit_error *err);
/* Together with others, and on disk when it returns. Sets c->status. */
void tc_sqlite_commit_durable(tc_sqlite *s, tc_commit *c);

/* sqlite_record.c. change_in: inside a transaction, which a refusal leaves as it was. */
tacit_status tc_sqlite_change_in(tc_sqlite *s, tc_commit *c, tacit_error *err);
tacit_status tc_sqlite_change(tc_store *store, const tc_change *c, size_t n, size_t *refused,
                              tacit_error *err);
tacit_status tc_sqlite_record_get(tc_store *store, const tc_record *which, tc_record *out,
                                  tacit_error *err);
tacit_status tc_sqlite_record_scan(tc_store *store, const tc_record_range *range,
                                   tc_record_visit visit, void *user, tacit_error *err);
tacit_status tc_sqlite_record_count(tc_store *store, const tc_record_range *range, uint64_t *out,
                                    tacit_error *err);
tacit_status tc_sqlite_record_drop(tc_store *store, const tc_record_range *range, tacit_error *err);
void tc_sqlite_forget(tc_store *store);
tacit_status tc_sqlite_study_erase(tc_store *store, int64_t study, tacit_error *err);

/* sqlite_repair.c */
tacit_status tc_sqlite_salvage(tc_store *store, int64_t study, struct tc_chain *end,
                               tc_salvage_visit visit, void *user, tacit_error *err);
tacit_status tc_sqlite_restart(tc_store *in, int64_t study, uint64_t end, tacit_error *err);

/* sqlite_mend.c */
tacit_status tc_sqlite_mend(const char *path, tc_mend_report report, void *user, tacit_error *err);

/* sqlite_name_lock.c */
tacit_status tc_sqlite_lock_name(tc_store *store, const char *name, tc_name_lock **out,
                                 tacit_error *err);

/* Before a file is opened: SQLite overwrites what it frees, where this process does. */
void tc_sqlite_wipe(void);

#endif
